"""Scores without one unit by closed forms, against tables made anew without it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from removals import World, same, score, worlds

import clustermark as cm
from clustermark import _kernel as kernel
from clustermark import statistics as made
from clustermark.registry import parse
from clustermark.registry.array_scores import ArrayScores
from clustermark.statistics.units import NoClosedFormError
from clustermark.uncertainty.points import AlikePoints, Points, TalliedPoints
from clustermark.uncertainty.samples import Components, ComponentSample, PointSample, find_components
from clustermark.uncertainty.spread import Jackknife, moments
from exact_fractions import exact_scores

NEEDED = "add a class for its statistic to _ARRAYS of statistics/arrays.py, or the statistic to ANEW"
# every table is made anew for these
ANEW = {
    made.Encodings,
    made.GreedyMatching,
    made.LargestOverlaps,
    made.MatchedSets,
    made.MatchedRecall,
    made.MatchedProducts,
    made.MatchedEntities,
    made.MatchedJaccard,
    made.CorefScores,
}
ANEW_FIELDS = ("prediction_strength", "standardized_mutual_information")
INDICES = list(cm.catalogue())


def closed(index: cm.Index) -> bool:
    return index.statistic not in ANEW and index.name not in ANEW_FIELDS


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(worlds())
def test_every_index_without_one_point(world: World):
    table = world.table
    scores = ArrayScores(Points(table))
    members = world.members()
    tables = [world.without({point}) for point in members]
    for index in INDICES:
        if not closed(index):
            with pytest.raises(NoClosedFormError):
                scores.of(index)
            continue
        try:
            found = scores.of(index)
        except NoClosedFormError:
            pytest.fail(f"{index.name}: {NEEDED}")
        for place, left in enumerate(tables):
            wanted = score(index, left)
            assert same(found[place], wanted), (index.name, place, found[place], wanted)


@settings(max_examples=15, deadline=None)
@given(worlds(most=25, clusters=6))
def test_cells_that_are_alike_leave_the_same_scores(world: World):
    grouped = kernel.group_alike(world.table.kernel_cells)
    alike = AlikePoints(world.table, grouped)
    by_class, by_entry = ArrayScores(alike), ArrayScores(Points(world.table))
    assert alike.multiplicity.sum() == world.table.n_used
    found = 0
    for index in INDICES:
        try:
            values = by_class.of(index)
        except NoClosedFormError:
            continue
        found += 1
        assert np.allclose(values[alike.classes], by_entry.of(index), rtol=1e-9, atol=1e-12, equal_nan=True), index.name
    assert found > 80


def test_many_cells_are_looked_at_for_being_alike(monkeypatch: pytest.MonkeyPatch):
    pairs = np.repeat(np.arange(300), 2)
    table = cm.crosstab(pairs, np.where(np.arange(600) % 7, pairs, 1000 + np.arange(600)))
    wanted = {index: Jackknife(PointSample(table)).of(index, index.of(table)) for index in (cm.rand, cm.purity)}
    monkeypatch.setattr(PointSample, "fewest_grouped", 100)
    jackknife = Jackknife(PointSample(table))
    for index, spread in wanted.items():
        found = jackknife.of(index, index.of(table))
        assert found.standard_error == pytest.approx(spread.standard_error, rel=1e-9)
        assert (found.classes is None) == (index is cm.purity)  # which needs the other cells of a cluster
    assert len(jackknife.of(cm.rand, cm.rand.of(table)).left_out) < 10
    assert kernel.group_alike(cm.crosstab(np.arange(2**15), np.arange(2**15)).kernel_cells)[1].tolist() == [1]
    rng = np.random.default_rng(0)
    unlike = cm.crosstab(*(rng.integers(0, 180, 3 * 10**5) for _ in range(2)))
    assert kernel.group_alike(unlike.kernel_cells) is None
    with pytest.raises(ValueError, match="plain points"):
        kernel.group_alike(cm.crosstab([0, 1], [0, 1], weights=[0.5, 2.0]).kernel_cells)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(worlds(most=25, clusters=6))
def test_matched_points_where_matchings_tie(world: World):
    found = ArrayScores(Points(world.table)).of(cm.transfer_distance)
    for place, point in enumerate(world.members()):
        assert found[place] == score(cm.transfer_distance, world.without({point}))


@pytest.mark.parametrize("name", ["normalized_mutual_information(average='max')", "adjusted_rand(model='all')"])
def test_options_that_no_formula_knows(name: str):
    world = World((0, 0, 0, 1, 1, 2, 2, 2), (0, 0, 1, 1, 1, 2, 2, 0), {})
    index = parse(name)
    found = ArrayScores(Points(world.table)).of(index)
    wanted = [score(index, world.without({point})) for point in world.members()]
    assert found == pytest.approx(wanted, rel=1e-12)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(worlds(most=14, clusters=7))
def test_every_index_without_one_component(world: World):
    table = world.table
    groups = find_components(table)
    scores = ArrayScores(Components(table, groups))
    rows, columns, counts = table.cells
    places = world.places()
    of = dict(zip(zip(rows.tolist(), columns.tolist(), strict=True), groups.of.tolist(), strict=True))
    of_point = [of[place] for place in places]
    tables = []
    for group, times in enumerate(groups.multiplicity.tolist()):
        members = [point for point, mine in enumerate(of_point) if mine == group]
        gone = set(members[:1] if times > 1 else members)
        tables.append(world.without(gone) if len(gone) < len(places) else None)
    assert int(counts.sum()) == len(places)
    for index in INDICES:
        try:
            found = scores.of(index)
        except NoClosedFormError:
            known = not closed(index) or index.statistic is made.BestMatches or "expected" in index.formula
            assert known, f"{index.name}: {NEEDED}"
            continue
        for place, left in enumerate(tables):
            if left is not None:
                wanted = score(index, left)
                assert same(found[place], wanted), (index.name, place, found[place], wanted)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(worlds(most=14))
def test_tallies_tell_the_same_of_pairs_and_information(world: World):
    table = world.table
    one, other = Points(table), TalliedPoints(table)
    information = (cm.normalized_mutual_information, cm.vi_split, cm.adjusted_mutual_information)
    for index in (cm.adjusted_rand, cm.jaccard, cm.lerman, *information):
        mine, theirs = (np.sort(np.repeat(ArrayScores(u).of(index), u.multiplicity)) for u in (one, other))
        assert mine == pytest.approx(theirs, rel=1e-9, abs=1e-12, nan_ok=True)
    for index in (cm.b_cubed_f, cm.purity, cm.element_centric, cm.goodman_kruskal_lambda, cm.best_f):
        with pytest.raises(NoClosedFormError, match="without push-down"):
            ArrayScores(other).of(index)


TWO_BY_TWO = cm.Contingency.from_matrix([[5, 1], [2, 4]])


def exact_moments(index: cm.Index, table: cm.Contingency) -> tuple[list[Fraction], Fraction, Fraction]:
    units = Points(table.to_memory())
    values = exact_scores(units, index)
    return [*values], *moments(values, units.multiplicity, index.exact(table))


def test_golden_adjusted_rand():
    values, variance, bias = exact_moments(cm.adjusted_rand, TWO_BY_TWO)
    assert cm.adjusted_rand.exact(TWO_BY_TWO) == Fraction(64, 361)
    assert values == [Fraction(3, 25), Fraction(52, 151), Fraction(17, 50), Fraction(19, 151)]
    assert variance == Fraction(4058219, 41041800)
    assert bias == Fraction(968, 4088325)


@pytest.mark.parametrize(
    ("index", "variance"),
    [
        (cm.rand, Fraction(27, 1100)),
        (cm.jaccard, Fraction(10084356227, 349924682450)),
        (cm.pair_precision, Fraction(9317, 328050)),
        (cm.pair_recall, Fraction(143, 4500)),
        (cm.matching_accuracy, Fraction(3, 176)),
    ],
)
def test_golden_variances(index: cm.Index, variance: Fraction):
    assert exact_moments(index, TWO_BY_TWO)[1] == variance
    spread = Jackknife(PointSample(TWO_BY_TWO)).of(index, index.of(TWO_BY_TWO))
    assert spread.standard_error == pytest.approx(float(variance) ** 0.5, rel=1e-12)


@pytest.mark.parametrize(
    ("index", "variance"),
    [
        (cm.pair_precision, Fraction(43, 768)),
        (cm.pair_recall, Fraction(17, 400)),
        (cm.jaccard, Fraction(11, 192)),
        (cm.adjusted_rand, Fraction(311535387, 5180256676)),
    ],
)
def test_golden_components(index: cm.Index, variance: Fraction):
    table = cm.crosstab([0, 0, 1, 1, 2, 2, 2, 3, 4, 4], [0, 0, 1, 2, 3, 3, 4, 4, 5, 5])
    sample = ComponentSample(table)
    assert sample.multiplicity.tolist() == [1, 1, 1, 1]
    values = exact_scores(sample.units, index)
    assert moments(values, sample.multiplicity, index.exact(table))[0] == variance


def test_without_ties_matching_is_a_proportion():
    table = cm.Contingency.from_matrix([[40, 3, 1], [2, 30, 5], [0, 4, 15]])
    n, p = 100, 0.85
    spread = Jackknife(PointSample(table)).of(cm.matching_accuracy, p)
    assert spread.standard_error**2 == pytest.approx(p * (1 - p) / (n - 1), rel=1e-12)


def test_counts_and_points_are_the_same():
    counted = cm.crosstab(["a", "a", "b", "b"], [1, 2, 2, 1], counts=[50, 7, 40, 3])
    one_by_one = cm.crosstab(["a"] * 57 + ["b"] * 43, [1] * 50 + [2] * 47 + [1] * 3)
    for name in ("adjusted_rand", "b_cubed_f", "normalized_mutual_information"):
        assert str(cm.score_interval(counted, name)) == str(cm.score_interval(one_by_one, name))


def test_what_grows_with_the_points_keeps_its_proportion():
    table = cm.Contingency.from_matrix([[40, 3, 1], [2, 30, 5], [0, 4, 15]])
    share, count = (cm.score_interval(table, name) for name in ("classification_error", "transfer_distance"))
    assert count.standard_error == pytest.approx(100 * share.standard_error)
    assert count.bias == pytest.approx(100 * share.bias, abs=1e-9)
    halves = cm.score_interval(table, "transfer_distance", method="half-sampling")
    assert halves.standard_error == pytest.approx(count.standard_error, rel=0.15)
