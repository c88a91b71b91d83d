"""Labels, numbers and matrices that change while they are read, and arrays whose bytes are no proper values."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping

import changing_inputs
import numpy as np
import pytest
from scipy import sparse

import clustermark as cm
from needs import need

QUICK = [
    name
    for name in changing_inputs.CASES
    if name.startswith(("matrix-", "numbers-", "weights-", "counts-", "list-clear", "list-replace", "bool-points"))
]


@pytest.mark.slow
def test_labels_that_change_during_a_call_do_no_harm():
    done = subprocess.run(
        [sys.executable, changing_inputs.__file__, "0.05", *QUICK],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()] == QUICK


@pytest.mark.parametrize("how", changing_inputs.CHANGES)
def test_a_list_that_its_labels_change_is_read_or_refused(how):
    _, call = changing_inputs.spoiling(how, cm.crosstab)
    if how in ("replace", "restore"):
        assert call().n_used == 200
    else:
        with pytest.raises(RuntimeError, match="changed size"):
            call()


class Changing(Mapping):
    """A mapping that has one more item whenever its ids are listed."""

    def __init__(self):
        self.items_ = {0: "a", 1: "b"}

    def __iter__(self):
        self.items_[len(self.items_)] = "c"
        return iter(list(self.items_)[:-1])

    def __len__(self):
        return len(self.items_)

    def __getitem__(self, item):
        return self.items_[item]

    def values(self):
        return self.items_.values()


def test_a_mapping_that_changes_is_refused():
    with pytest.raises(cm.InputError, match=r"y_pred has 2 ids and 3 values; do not change it during a call"):
        cm.crosstab({0: "a", 1: "b"}, Changing())


def test_every_byte_but_0_is_true():
    odd = np.array([0, 1, 7, 255], np.uint8).view(bool)
    table = cm.crosstab(odd, [0, 1, 1, 1])
    assert table.true_labels == [False, True]
    assert cm.rand.of(table) == 1


def damaged(kind):
    whole = sparse.csr_array(np.eye(4, dtype=np.int64))
    if kind == "far":
        whole.indices[2] = 2**30
    elif kind == "negative":
        whole.indices[2] = -5
    elif kind == "unordered":
        whole.indptr[1] = 3
    else:
        whole = whole.tocoo()
        whole.coords[1][2] = 2**30
    return whole


@pytest.mark.parametrize("kind", ["far", "negative", "unordered", "coordinates"])
@pytest.mark.parametrize(
    "call",
    [
        lambda M: cm.Contingency.from_matrix(M),
        lambda M: cm.SoftClustering(M),
        lambda M: cm.Cover.from_matrix(M),
        lambda M: cm.evaluate_internal(M, [0, 0, 1, 1]),
        lambda M: cm.TreeSimilarities([[0, 1], [2, 3]], M),
    ],
    ids=["table", "soft", "cover", "points", "similarities"],
)
def test_damaged_sparse_matrices_are_refused(kind, call):
    with pytest.raises(cm.InputError, match=r"is a damaged sparse matrix: .*; make it anew from its numbers"):
        call(damaged(kind))


def test_a_large_damaged_matrix_is_refused_before_it_is_cut(monkeypatch):
    monkeypatch.setattr(cm.Geometry, "limits", cm.Geometry.limits._replace(dense=1))
    with pytest.raises(cm.InputError, match="damaged"):
        cm.evaluate_internal(damaged("far"), [0, 0, 1, 1], ["davies_bouldin"])


def test_sparse_matrices_of_the_caller_stay_as_they_are():
    given = sparse.csr_array((np.array([0.5, 0.25, 0.25]), np.array([1, 0, 0]), np.array([0, 3])), shape=(1, 2))
    cm.SoftClustering(given)
    assert given.indices.tolist() == [1, 0, 0]
    assert given.data.tolist() == [0.5, 0.25, 0.25]


def damaged_texts(pa, places, letters=b"aabbcc"):
    buffers = [None, pa.py_buffer(np.array(places, "i4")), pa.py_buffer(letters)]
    return pa.Array.from_buffers(pa.string(), len(places) - 1, buffers)


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize(
    "make",
    [
        lambda pa: damaged_texts(pa, [0, 4, 2, 6]),
        lambda pa: damaged_texts(pa, [0, 1, 2, 3], b"\xff\xfea"),
        lambda pa: pa.DictionaryArray.from_arrays(pa.array([0, 1, 99], pa.int32()), pa.array(["a", "b"]), safe=False),
        lambda pa: pa.DictionaryArray.from_arrays(pa.array([0, 1, -7], pa.int32()), pa.array(["a", "b"]), safe=False),
    ],
    ids=["unordered", "no text", "no such code", "negative"],
)
def test_damaged_arrays_of_arrow_are_refused(make, chunked):
    pa = need("pyarrow")
    given = pa.chunked_array([make(pa)]) if chunked else make(pa)
    with pytest.raises(cm.InputError, match=r"y_true is damaged: .*; make it anew"):
        cm.crosstab(given, [1, 2, 3])


def test_damaged_categories_are_refused():
    given = need("pandas").Categorical(["a", "b", "a"])
    given._ndarray[:] = [0, 77, 1]
    with pytest.raises(cm.InputError, match="y_pred is damaged"):
        cm.crosstab([1, 2, 3], given)
