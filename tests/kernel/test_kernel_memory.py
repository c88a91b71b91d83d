"""The kernel stays within its memory, whatever arrays it is given and whoever writes to them meanwhile."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

import changing_arrays
import numpy as np
import pytest

from clustermark import _kernel


@pytest.mark.slow
def test_arrays_that_change_during_a_call_do_no_harm():
    script = Path(changing_arrays.__file__)
    done = subprocess.run([sys.executable, script, "0.3"], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()] == list(changing_arrays.CASES)


def test_arrays_without_strides_are_read():
    numbers = (ctypes.c_double * 3)(1.5, 2.5, 4.0)
    labels = (ctypes.c_int64 * 3)(7, 7, 8)
    assert _kernel.add(numbers) == 8.0
    assert len(_kernel.crosstab(labels, labels)) == 2
    assert len(_kernel.crosstab_codes(labels, labels)) == 2
    rows = ((ctypes.c_double * 4) * 1)((0.0, 1.0, 2.0, 2.0))
    assert _kernel.read_merges(rows).tolist() == [0, 1]


def test_strided_arrays_are_read_as_contiguous_ones():
    X, order, starts = np.arange(6.0).reshape(3, 2), np.arange(3), np.array([0, 2, 3])
    expected = _kernel.sum_distances(X, "euclidean", order, starts)
    found = _kernel.sum_distances(X, "euclidean", np.repeat(order, 2)[::2], np.repeat(starts, 2)[::2])
    assert [one.tolist() for one in found] == [one.tolist() for one in expected]
    children = np.array([0, 1, 3, 2])
    expected = _kernel.arrange_tree(np.array([0, 2, 4]), children)
    found = _kernel.arrange_tree(np.array([0, 2, 4]), np.repeat(children, 2)[::2])
    assert [one.tolist() for one in found] == [one.tolist() for one in expected]


@pytest.mark.parametrize("clusters", [2**61, 2**63, 2**64 - 1])
def test_tables_that_no_memory_holds_are_refused(clusters):
    X, codes, numbers = np.ones((3, 8)), np.zeros(3, np.int32), np.zeros(8)
    with pytest.raises(ValueError, match="clusters are too many"):
        _kernel.sum_points(X, codes, None, clusters)
    with pytest.raises(ValueError, match="clusters are too many"):
        _kernel.spread_about(X[:, :0], codes, None, numbers, numbers, clusters)
    with pytest.raises(ValueError, match="clusters are too many"):
        _kernel.nearest_centers(X, codes, numbers, numbers, numbers, clusters)


@pytest.mark.slow
def test_other_interpreters_are_refused_and_do_not_hang():
    code = """
try:
    import _interpreters as interpreters
    create = lambda: interpreters.create("legacy")
except ImportError:
    import _xxsubinterpreters as interpreters
    create = interpreters.create
try:
    failed = interpreters.run_string(create(), "import clustermark; clustermark.rand([0, 1], [0, 1])")
    print(failed.formatted if failed else "answered")
except interpreters.RunFailedError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert "main interpreter only" in done.stdout, done
