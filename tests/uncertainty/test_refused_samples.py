"""Samples whose interval would be a guess: too few points for the cells, and errors too rare to be seen."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustermark as cm
from clustermark.registry import index_of
from clustermark.uncertainty.spread import growth_of
from clustermark.uncertainty.unseen_cells import UnseenCells, find_empty

PAIRS = ["adjusted_rand", "pair_precision", "pair_recall", "jaccard", "mirkin", "fowlkes_mallows"]
RARE = "one point in a cell that is empty here"
FEW = "fewer than 5 points for each of"


def giant(rng: np.random.Generator, n: int = 500) -> tuple[np.ndarray, np.ndarray]:
    """Return a true cluster of 90 % and 50 small ones; 15 % of the points are placed at random."""
    true = np.where(rng.random(n) < 0.9, 0, rng.integers(1, 51, n))
    return true, np.where(rng.random(n) < 0.15, rng.integers(0, 51, n), true)


def usual(rng: np.random.Generator, n: int = 500) -> tuple[np.ndarray, np.ndarray]:
    true = rng.integers(0, 5, n)
    return true, np.where(rng.random(n) < 0.25, rng.integers(0, 5, n), true)


def empty_cells(true: np.ndarray, pred: np.ndarray) -> set[tuple[int, int]]:
    """Return the empty cells of the three largest clusters, with the largest and the smallest other cluster."""
    sizes = [np.bincount(side) for side in (true, pred)]
    full = set(zip(true.tolist(), pred.tolist(), strict=True))
    order = [np.argsort(-one, kind="stable").tolist() for one in sizes]
    found = set()
    for i in order[0][:3]:
        empty = [j for j in order[1] if (i, j) not in full]
        found |= {(i, empty[0]), (i, empty[-1])} if empty else set()
    for j in order[1][:3]:
        empty = [i for i in order[0] if (i, j) not in full]
        found |= {(empty[0], j), (empty[-1], j)} if empty else set()
    return found


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=6, max_size=40), st.sampled_from(PAIRS))
def test_the_shift_is_that_of_one_more_point(points: list[tuple[int, int]], name: str):
    true, pred = (np.unique(side, return_inverse=True)[1] for side in zip(*points, strict=True))
    table, index = cm.crosstab(true, pred), index_of(name)
    found = find_empty(table)
    names = [side.to_list() for side in (table.true_names, table.pred_names)]
    cells = {(names[0][i], names[1][j]) for i, j in zip(found.rows, found.columns, strict=True)}
    sizes = [np.bincount(side) for side in (true, pred)]
    wanted = empty_cells(true, pred)
    kinds = [sorted({(int(sizes[0][i]), int(sizes[1][j])) for i, j in some}) for some in (cells, wanted)]
    if all(len(set(one.tolist())) == len(one) for one in sizes):  # without ties
        assert kinds[0] == kinds[1]
    score, growth = index.of(table), growth_of(index)
    n = len(true)
    scale = (n / (n + 1)) ** growth
    with np.errstate(all="ignore"):
        shifts = [
            abs(index.strict.of(cm.crosstab([*true, i], [*pred, j])) * scale - score)
            for i, j in cells
            if _is_defined(index, [*true, i], [*pred, j])
        ]
    if len(shifts) == len(cells):
        assert UnseenCells(table).shift(index, score, growth) == pytest.approx(max(shifts, default=0.0), abs=1e-9)


def _is_defined(index: cm.Index, true: list[int], pred: list[int]) -> bool:
    try:
        index.strict.of(cm.crosstab(true, pred))
    except ZeroDivisionError:
        return False
    return True


def test_errors_too_rare_to_be_seen_are_refused():
    tables = [cm.crosstab(*giant(np.random.default_rng(seed))) for seed in range(120)]
    found = [cm.score_interval(table, "pair_precision") for table in tables]
    target = np.mean([one.score for one in found])
    made = [one for one in found if one.low is not None]
    assert 5 <= len(made) <= 40
    assert np.mean([one.low <= target <= one.high for one in made]) >= 0.9
    assert any(RARE in one.notes[0] for one in found if one.low is None)
    others = [cm.score_interval(table, "b_cubed_f") for table in tables[:20]]
    assert all(one.low is not None for one in others)


@pytest.mark.parametrize("name", ["pair_precision", "pair_recall", "adjusted_rand", "jaccard", "rand"])
def test_no_good_sample_is_refused(name: str):
    for seed in range(20):
        assert cm.score_interval(cm.crosstab(*usual(np.random.default_rng(seed))), name).low is not None


@pytest.mark.parametrize("method", ["jackknife", "half-sampling", "bootstrap"])
def test_every_method_refuses_errors_too_rare_to_be_seen(method: str):
    table = cm.crosstab(*giant(np.random.default_rng(0)))
    found = cm.score_interval(table, "pair_precision", method=method)
    assert found.low is None
    assert RARE in found.notes[0]
    assert found.standard_error > 0


@pytest.mark.parametrize("name", ["v_measure", "mutual_information", "b_cubed_f"])
def test_the_population_needs_five_points_for_each_cell(name: str):
    rng = np.random.default_rng(0)
    true, pred = usual(rng, 130)
    enough, few = (cm.crosstab(true[:n], pred[:n]) for n in (125, 124))
    assert (enough.n_true_clusters, enough.n_pred_clusters) == (5, 5)
    assert cm.score_interval(enough, name, target="population").low is not None
    refused = cm.score_interval(few, name, target="population")
    assert refused.low is None
    assert refused.notes[0].startswith(f"{FEW} 5 × 5 possible cells: no interval")
    assert cm.score_interval(few, name).low is not None
    assert cm.score_interval(few, "adjusted_rand", target="population").low is not None


def test_the_population_of_many_cells_is_refused_where_it_was_missed():
    """30 equal clusters of which 20 % of 1,000 points are misplaced: 21 % of such intervals contained the V-measure."""
    rng = np.random.default_rng(1)
    true = rng.integers(0, 30, 1000)
    table = cm.crosstab(true, np.where(rng.random(1000) < 0.2, rng.integers(0, 30, 1000), true))
    assert cm.score_interval(table, "v_measure", target="population").low is None
