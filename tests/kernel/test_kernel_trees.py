"""The kernel refuses trees that would lead it past its memory, and Ctrl-C ends its work."""

from __future__ import annotations

import signal
import time

import numpy as np
import pytest

from clustermark import _kernel

STARTS, CHILDREN = np.array([0, 2, 4]), np.array([0, 1, 3, 2])
CODES = np.array([0, 0, 1], np.int32)
NO_TREES = [
    (np.array([0]), np.array([], np.int64)),
    (np.array([], np.int64), CHILDREN),
    (np.array([0, 2, 3, 4, 5, 6]), CHILDREN),
    (np.array([0, 2, 5]), CHILDREN),
    (np.array([1, 2, 4]), CHILDREN),
    (np.array([0, 0, 4]), CHILDREN),
    (STARTS, np.array([0, 1, 3, 3])),
    (STARTS, np.array([0, 4, 3, 2])),
    (STARTS, np.array([0, -1, 3, 2])),
    (STARTS, np.array([0, 3, 1, 2])),
    (STARTS, np.array([0, 1, 0, 2])),
]


@pytest.mark.parametrize(("starts", "children"), NO_TREES)
def test_what_is_no_tree(starts, children):
    for call in (
        lambda: _kernel.arrange_tree(starts, children),
        lambda: _kernel.sum_joined(starts, children, STARTS, CHILDREN, np.array([1, 2])),
        lambda: _kernel.sum_joined(STARTS, CHILDREN, starts, children, np.array([1, 2])),
        lambda: _kernel.tabulate_classes(starts, children, CODES, 2),
        lambda: _kernel.count_cuts(starts, children, STARTS, CHILDREN),
        lambda: _kernel.count_cuts(STARTS, CHILDREN, starts, children),
    ):
        with pytest.raises(ValueError, match="starts and children must form a tree"):
            call()


def test_what_is_refused():
    two, one = (np.array([0, 2]), np.array([0, 1])), np.array([1, 1])
    for call, said in (
        (lambda: _kernel.sum_joined(STARTS, CHILDREN, *two, np.array([1])), "different numbers of leaves"),
        (lambda: _kernel.sum_joined(STARTS, CHILDREN, STARTS, CHILDREN, np.array([1])), "values has the wrong length"),
        (lambda: _kernel.tabulate_classes(STARTS, CHILDREN, CODES, 1), "codes out of range"),
        (lambda: _kernel.tabulate_classes(STARTS, CHILDREN, -CODES, 2), "codes out of range"),
        (lambda: _kernel.tabulate_classes(STARTS, CHILDREN, CODES[:2], 2), "codes has the wrong length"),
        (lambda: _kernel.count_cuts(STARTS, CHILDREN, *two), "different numbers of leaves"),
        (lambda: _kernel.find_variances(2, one, one, one, one), "too few leaves, or too many"),
        (lambda: _kernel.find_variances(4097, one, one, one, one), "too few leaves, or too many"),
        (lambda: _kernel.find_variances(3, one, one[:1], one, one), "triples has the wrong length"),
        (lambda: _kernel.find_variances(3, one, one, 0 * one, one), "counts out of range"),
        (lambda: _kernel.find_variances(3, one, one, one * 2**62, one), "counts out of range"),
        (lambda: _kernel.find_variances(3, one, -one, one, one), "counts out of range"),
        (lambda: _kernel.find_variances(3, one, one * 2**62, one, one), "counts out of range"),
        (lambda: _kernel.read_merges(np.zeros((2, 3))), "a linkage has 4 columns, and rows"),
        (lambda: _kernel.read_merges(np.zeros((0, 4))), "a linkage has 4 columns, and rows"),
        (lambda: _kernel.mean_difference(np.array([]), np.array([1.0])), "neither array may be empty"),
    ):
        with pytest.raises(ValueError, match=said):
            call()


@pytest.mark.parametrize("seed", range(5))
def test_mean_difference(seed):
    rng = np.random.default_rng(seed)
    a, b = (np.sort(rng.integers(0, 9, int(rng.integers(1, 30))) / 8.0) for _ in range(2))
    assert _kernel.mean_difference(a, b) == pytest.approx(abs(np.subtract.outer(a, b)).mean(), abs=1e-14)


def test_sums_beyond_64_bits_are_whole():
    n = 4_000
    starts, children = np.array([0, n]), np.arange(n)
    high, low = _kernel.sum_joined(starts, children, starts, children, np.array([2**61]))
    assert (int(high[0]) << 64) + int(low[0]) == n * (n - 1) // 2 * 2**61
    high, low = _kernel.sum_joined(starts, children, starts, children, np.array([-(2**61)]))
    assert (int(high[0]) << 64) + int(low[0]) == -n * (n - 1) // 2 * 2**61


@pytest.mark.slow
def test_ctrl_c_ends_the_work():
    n = 400_000
    rng = np.random.default_rng(0)
    starts = np.arange(0, 2 * n - 1, 2)
    chain = np.column_stack([np.r_[0, np.arange(n, 2 * n - 2)], np.arange(1, n)]).ravel()
    order = rng.permutation(n)
    pieces = [chain, np.where(chain < n, order[np.minimum(chain, n - 1)], chain)]

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for _ in range(3):
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            begun = time.monotonic()
            with pytest.raises(KeyboardInterrupt):
                while True:
                    _kernel.sum_joined(starts, pieces[0], starts, pieces[1], np.arange(n - 1))
            assert time.monotonic() - begun < 3
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
