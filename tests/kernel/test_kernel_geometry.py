"""The kernel refuses points and clusters that would lead it past its memory."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from clustermark import _kernel

X = np.arange(6.0).reshape(3, 2)
ORDER, STARTS = np.arange(3), np.array([0, 2, 3])
CODES = np.array([0, 0, 1], np.int32)
PAIRED = (
    _kernel.sum_distances, _kernel.tabulate_pairs, _kernel.rank_distances, _kernel.find_density,
    partial(_kernel.span_reachability, neighbour=1), partial(_kernel.sum_distances_from, X),
)  # fmt: skip


def test_distances_that_are_not_numbers_are_refused():
    for function in PAIRED[:-1]:
        with pytest.raises(ValueError, match="distances that are NaN"):
            function(np.full((3, 3), np.nan), "precomputed", ORDER, STARTS)


@pytest.mark.parametrize("function", PAIRED)
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((X, "euclidean", np.array([0, 1, 3]), STARTS), "order and starts are inconsistent"),
        ((X, "euclidean", np.array([0, 1, -1]), STARTS), "order and starts are inconsistent"),
        ((X, "euclidean", ORDER, np.array([0, 2, 2])), "order and starts are inconsistent"),
        ((X, "euclidean", ORDER, np.array([0, 0, 3])), "order and starts are inconsistent"),
        ((X, "euclidean", ORDER, np.array([1, 2, 3])), "order and starts are inconsistent"),
        ((X, "euclidean", ORDER, np.array([], np.int64)), "order and starts are inconsistent"),
        ((X, "euclidean", ORDER, np.array([0])), "order and starts are inconsistent"),
        ((X, "euclidean", np.arange(2), STARTS), "order has the wrong length"),
        ((np.where(X == 3, np.nan, X), "euclidean", ORDER, STARTS), "finite numbers"),
        ((X, "precomputed", ORDER, STARTS), "distances must be square"),
        ((X, "chebyshev", ORDER, STARTS), "unknown measure chebyshev"),
        ((X.astype(int), "euclidean", ORDER, STARTS), "float32 or float64"),
        ((X[0], "euclidean", ORDER, STARTS), "2 dimension"),
    ],
)
def test_pairs_that_are_refused(function, arguments, said):
    with pytest.raises((ValueError, TypeError), match=said):
        function(*arguments)


def test_centers_that_are_refused():
    high = np.zeros(6)
    for call, said in (
        (lambda: _kernel.sum_points(X, np.array([0, 0, 2], np.int32), None, 2), "codes out of range"),
        (lambda: _kernel.sum_points(X, np.array([0, 0, -1], np.int32), None, 2), "codes out of range"),
        (lambda: _kernel.sum_points(X, CODES[:2], None, 2), "codes has the wrong length"),
        (lambda: _kernel.sum_points(X, CODES, np.ones(2), 2), "weights has the wrong length"),
        (lambda: _kernel.spread_about(X, CODES, None, high[:4], high[:4], 2), "high has the wrong length"),
        (lambda: _kernel.nearest_centers(X, CODES, high[:4], high[:4], high[:3], 2), "offsets has the wrong length"),
        (lambda: _kernel.sum_distances(X, "euclidean", ORDER, STARTS, 0, None, np.array([3])), "chosen"),
        (lambda: _kernel.sum_distances_from(X[:, :1], X, "euclidean", ORDER, STARTS), "the features of X"),
        (lambda: _kernel.sum_distances_from(X, X @ X.T, "precomputed", ORDER, STARTS), "the features of X"),
        (lambda: _kernel.find_density(X, "euclidean", ORDER, STARTS, "octave"), "unknown variant octave"),
        (lambda: _kernel.span_reachability(X, "euclidean", ORDER, STARTS, 3), "below the number of points"),
        (lambda: _kernel.span_reachability(X, "euclidean", ORDER, STARTS, 0), "at least 1"),
    ):
        with pytest.raises(ValueError, match=said):
            call()


@pytest.mark.parametrize("variant", ["exact", "matlab", "hdbscan"])
@pytest.mark.parametrize("distances", ["infinite", "not symmetric"])
def test_densities_of_odd_distances_stay_within_memory(variant, distances):
    n = 4
    if distances == "infinite":
        X, measure = np.array([[0.0], [1e200], [-1e200], [2e200]]), "sqeuclidean"
    else:
        X, measure = np.array([[0, 1, 1, 9], [7, 0, 2, 8], [5, 3, 0, 6], [1, 1, 1, 0]], float), "precomputed"
    call = partial(_kernel.find_density, X, measure, np.arange(n), np.array([0, n]), variant)
    if distances == "infinite" and variant == "exact":
        with pytest.raises(ValueError, match="finite numbers"):
            call()
    else:
        assert len(call()[0]) == 1
