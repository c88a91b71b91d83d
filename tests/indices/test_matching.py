"""The matching family: published values, identities, and every index against the slow and obvious way."""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

import clustermark as cm
from clustermark import _kernel
from clustermark._kernel import Worth
from clustermark.engines.adapters.duckdb import DuckDB
from clustermark.engines.pushdown.statements import SHARES, Statements
from clustermark.statistics.matching import (
    FINE,
    QUOTIENTS,
    GreedyMatching,
    MatchedEntities,
    MatchedJaccard,
    MatchedPoints,
    MatchedProducts,
    MatchedRecall,
    MatchedSets,
    Matching,
)
from clustermark.statistics.overlaps import BestSums
from clustermark.statistics.solvers import AssignmentLimits, largest_assignment
from needs import need
from oracle import points_of

SEVENTEEN = (
    [1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3],
    [1, 1, 1, 1, 2, 1, 2, 2, 2, 2, 3, 1, 3, 3, 3, 2, 2],
)
FIVE = {"p": [0, 0, 1, 1, 1], "q": [0, 0, 0, 1, 1], "r": [0, 0, 1, 0, 0], "s": [0, 0, 1, 2, 2]}
FAMILY = [index for index in cm.catalogue() if index.facts.family == "matching"]


# published values


def test_seventeen_items():
    """ELKI, tests of its set matching, pair sets, maximum matching and edit distance."""
    table = cm.crosstab(*SEVENTEEN)
    for index in (cm.purity, cm.inverse_purity, cm.purity_f, cm.matching_accuracy):
        assert index.exact(table) == Fraction(12, 17)
    assert cm.best_f.of(table) == pytest.approx(0.707390648567119, abs=1e-15)
    assert cm.best_f.of(table, side="pred") == pytest.approx(0.704374057315234, abs=1e-15)
    assert cm.pair_sets.of(table) == pytest.approx(0.516598639455782, abs=1e-15)
    assert cm.simplified_pair_sets.of(table) == pytest.approx(0.502380952380952, abs=1e-15)
    assert cm.edit_distance.of(table) == cm.edit_distance.of(table.T) == 8
    assert 1 - cm.edit_distance.of(table, per_point=True) == pytest.approx(1 - 8 / 17)


def test_information_retrieval_book():
    """Manning, Raghavan & Schütze, Introduction to Information Retrieval, figure 16.4."""
    classes = [1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3]
    clusters = [1, 1, 1, 1, 1, 2, 3, 3, 1, 2, 2, 2, 2, 2, 3, 3, 3]
    assert cm.purity.exact(cm.crosstab(classes, clusters)) == Fraction(12, 17)


@pytest.mark.parametrize(
    ("pair", "dongen", "larsen_aone", "error", "projection"),
    [
        ("pq", 2, Fraction(4, 5), Fraction(1, 5), (4, 4)),
        ("pr", 3, Fraction(13, 21), Fraction(2, 5), (4, 3)),
        ("ps", 1, Fraction(9, 10), Fraction(1, 5), (4, 5)),
        ("rs", 2, Fraction(5, 6), Fraction(2, 5), (3, 5)),
        ("rp", 3, Fraction(7, 12), Fraction(2, 5), (3, 4)),
    ],
)
def test_partition_comparison(pair, dongen, larsen_aone, error, projection):
    """partitionComparison (R), tests; 5 items. It stops where the first side has more clusters; we need not."""
    table = cm.crosstab(*(FIVE[name] for name in pair))
    assert cm.van_dongen.of(table) == dongen
    assert cm.macro_best_f.of(table) == pytest.approx(float(larsen_aone), abs=1e-15)
    assert cm.classification_error.exact(table) == error
    # the projection number of one side sums, over the clusters of the other, their largest overlaps
    assert {5 - cm.split_join_true.of(table), 5 - cm.split_join_pred.of(table)} == set(projection)


igraphs_own_tests = pytest.mark.parametrize(
    ("true", "pred", "lost"),
    [
        ([2, 0, 2, 1, 1, 0, 2, 2, 1, 2], [1, 1, 2, 1, 1, 0, 2, 2, 0, 2], (3, 3)),
        ([0, 1, 2, 3, 4], [0] * 5, (0, 4)),
        ([2, 0, 1, 2, 1, 2, 0], [1, 3, 0, 1, 2, 2, 1], (3, 2)),
        ([0, 0, 2], [0, 2, 2], (1, 1)),
    ],
)


@igraphs_own_tests
def test_split_join_of_igraph(true, pred, lost):
    """igraph, unit tests of split_join_distance: its first number is what the first argument's clusters lose."""
    assert (cm.split_join_true(true, pred), cm.split_join_pred(true, pred)) == lost
    assert cm.van_dongen(true, pred) == sum(lost)


@igraphs_own_tests
def test_igraph_splits_and_joins_the_same(peer, true, pred, lost):
    assert peer("igraph").clustering.split_join_distance(true, pred) == lost


@pytest.mark.parametrize(("k", "distance"), [(74, 48), (75, 50), (76, 50)])
def test_split_join_of_igraph_issue_687(k, distance):
    assert cm.van_dongen([0] * 50 + [1] * 50, [0] * k + [1] * (100 - k)) == distance


def test_genieclust_example():
    """genieclust, documentation of compare_partitions; table [[1, 10], [8, 2]]."""
    table = cm.Contingency.from_matrix([[1, 10], [8, 2]])
    assert cm.normalized_pivoted_accuracy.exact(table) == Fraction(5, 7)
    assert cm.pair_sets.of(table) == pytest.approx(0.65, abs=1e-14)
    assert cm.simplified_pair_sets.of(table) == pytest.approx(0.633333, abs=1e-6)
    assert cm.normalized_clustering_accuracy.of(table) == pytest.approx(0.71, abs=5e-3)


def test_genieclust_second_example():
    x, y = [1, 2, 1, 2, 2, 2, 3, 1, 2, 1, 2, 1, 2, 2], [3, 3, 3, 3, 2, 2, 3, 1, 2, 3, 2, 3, 2, 2]
    table = cm.Contingency.from_matrix([[1, 0, 4], [0, 6, 2], [0, 0, 1]], [1, 2, 3], [1, 2, 3])
    assert cm.crosstab(x, y) == table
    matched = MatchedPoints.of(table)
    assert sorted(zip(matched.rows.tolist(), matched.columns.tolist(), strict=True)) == [(0, 2), (1, 1)]
    assert (matched.total, matched.unmatched_true, matched.unmatched_pred, matched.unmatched_points) == (10, 1, 1, 4)


def test_exact_clusters_of_er_evaluation():
    """er-evaluation, documentation of cluster_precision, cluster_recall and cluster_f."""
    table = cm.crosstab(["c1", "c1", "c1", "c2", "c2", "c3", "c3", "c4"], [1, 1, 2, 3, 2, 4, 4, 5])
    assert cm.cluster_precision.exact(table) == Fraction(2, 5)
    assert cm.cluster_recall.exact(table) == Fraction(1, 2)
    assert cm.cluster_f.exact(table) == Fraction(4, 9)


def seconds(*segments):
    return {second: name for name, start, end in segments for second in range(start, end)}


def test_diarization_purity_and_coverage():
    """pyannote.metrics, tests/test_diarization.py: 24 of 36 seconds, 22 of 31 seconds."""
    reference = seconds(("A", 0, 10), ("B", 12, 20), ("A", 24, 27), ("C", 30, 40))
    hypothesis = seconds(("a", 2, 13), ("d", 13, 14), ("b", 14, 20), ("c", 22, 38), ("d", 38, 40))
    table = cm.crosstab(reference, hypothesis, unmatched="keep")
    assert cm.purity.exact(table) == Fraction(24, 36)
    assert cm.inverse_purity.exact(table) == Fraction(22, 31)
    assert cm.purity_f.exact(table) == 2 / (Fraction(36, 24) + Fraction(31, 22))
    weights = dict.fromkeys(reference | hypothesis, 0.25)
    weighted = cm.crosstab(reference, hypothesis, unmatched="keep", weights=weights)
    assert cm.purity.of(weighted) == 24 / 36
    assert cm.inverse_purity.of(weighted) == 22 / 31
    with pytest.raises(cm.UnsupportedTableError, match="needs both labels"):
        cm.matching_accuracy.of(table)


def test_diarization_purity_counts_time_outside_the_reference():
    """pyannote-metrics issue 55, by the present denominator."""
    table = cm.crosstab(seconds(("a", 1, 2), ("b", 3, 5)), seconds(("A", 1, 5)), unmatched="keep")
    assert cm.purity.of(table) == 0.5


def test_nothing_predicted_is_not_perfect():
    """pyannote-metrics issue 24."""
    table = cm.crosstab({1: "a", 2: "a"}, {3: "x"}, unmatched="keep")
    assert cm.purity.of(table) == cm.inverse_purity.of(table) == cm.purity_f.of(table) == 0.0


def test_purity_of_river():
    """river, documentation of Purity: after each point."""
    true, pred = [1, 1, 2, 2, 3, 3], [1, 1, 1, 2, 2, 2]
    expected = [1, 1, Fraction(2, 3), Fraction(3, 4), Fraction(3, 5), Fraction(2, 3)]
    table = cm.crosstab(true[:1], pred[:1])
    assert cm.purity.exact(table) == expected[0]
    for place in range(1, 6):
        table = table.update(true[place : place + 1], pred[place : place + 1])
        assert cm.purity.exact(table) == expected[place]


# inputs on which other tools are wrong


def test_purity_has_a_side_whatever_the_numbers_of_clusters():
    one, other = [0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 0, 1]
    assert cm.purity.exact(cm.crosstab(one, other)) == cm.inverse_purity.exact(cm.crosstab(other, one))


def test_nf1_is_not_rounded():
    assert cm.nf1([0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 1, 1, 1]) == pytest.approx(38 / 45, abs=1e-15)


@pytest.mark.parametrize("gap", [1, 2, 100])
def test_pair_sets_does_not_depend_on_label_values(gap):
    for index in (cm.pair_sets, cm.normalized_clustering_accuracy, cm.normalized_pivoted_accuracy):
        assert index([0, 0, 1, 1], [0, 0, gap, gap]) == 1.0


def test_pair_sets_with_unequal_numbers_of_clusters():
    """ELKI pairs the smallest clusters first and gets 0.3333; the paper and genieclust have 0.2424."""
    assert cm.pair_sets.of(cm.Contingency.from_matrix([[5, 0], [1, 2], [0, 2]])) == pytest.approx(8 / 33, abs=1e-15)


def test_edit_distance_of_identical_labelings():
    assert cm.edit_distance([0, 0, 0, 1], [0, 0, 0, 1]) == 2
    assert cm.edit_distance([0, 0, 0, 1], [0, 0, 0, 1], per_point=True) == 0.5


def test_greedy_matching_does_not_depend_on_the_order_of_points():
    """mclustcomp's mmm does: 0.8333 and 0.3333 for the same pair."""
    true, pred = [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 2]
    assert {
        cm.greedy_matching([true[i] for i in order], [pred[i] for i in order]) for order in permutations(range(6))
    } == {5 / 6}


def test_many_clusters_are_matched():
    labels = np.arange(20_000)
    assert cm.pair_sets(labels, labels[::-1]) == 1.0


# identities


def random_pairs(seed, rounds, high=6, most=40):
    rng = np.random.default_rng(seed)
    for _ in range(rounds):
        n = int(rng.integers(2, most))
        yield rng.integers(0, high, n), rng.integers(0, high, n)


def test_identities():
    for true, pred in random_pairs(0, 100):
        table, n = cm.crosstab(true, pred), len(true)
        purity, inverse = cm.purity.exact(table), cm.inverse_purity.exact(table)
        assert cm.purity.of(table) == cm.inverse_purity.of(table.T)
        assert cm.van_dongen.exact(table) == n * (2 - purity - inverse)
        assert cm.van_dongen.exact(table) == cm.split_join_true.exact(table) + cm.split_join_pred.exact(table)
        assert cm.normalized_van_dongen.exact(table) == cm.van_dongen.exact(table) / (2 * n)
        assert cm.classification_error.exact(table) == 1 - cm.matching_accuracy.exact(table)
        assert cm.transfer_distance.exact(table) == n * cm.classification_error.exact(table)
        assert cm.geometric_accuracy.of(table) == pytest.approx(math.sqrt(purity * inverse))
        assert cm.merge_distance.of(table) == 2 * table.n_cells - table.n_true_clusters - table.n_pred_clusters
        assert cm.greedy_matching.exact(table) <= cm.matching_accuracy.exact(table) <= min(purity, inverse)
        assert cm.segmentation_covering.of(table) == pytest.approx(cm.max_jaccard.of(table.T), abs=1e-14)
        assert cm.local_consistency_error.of(table) <= cm.global_consistency_error.of(table) + 1e-15
        macro = cm.macro_best_f.of(table), cm.macro_best_f.of(table, side="pred")
        assert macro[1] == cm.macro_best_f.of(table.T)
        assert cm.average_f1.of(table) == pytest.approx(sum(macro) / 2)
        assert BestSums.of(table).pred_weakest_pairs == BestSums.of(table.T).weakest_pairs


def test_a_refinement_has_no_consistency_error():
    fine, coarse = [0, 0, 1, 1, 2, 3], [0, 0, 0, 0, 1, 1]
    for index in (cm.global_consistency_error, cm.local_consistency_error):
        assert index(fine, coarse) == index(coarse, fine) == 0.0
    assert cm.merge_distance(coarse, fine, split=5) == 2.0
    assert cm.merge_distance(fine, coarse, split=5) == 10.0


# the slow and obvious way


def table_of(points):
    cells, a, b = defaultdict(Fraction), defaultdict(Fraction), defaultdict(Fraction)
    for true, pred, weight in points:
        cells[true, pred] += weight
        a[true] += weight
        b[pred] += weight
    return cells, a, b


WORTHS = {
    MatchedPoints: lambda n, a, b: n,
    MatchedEntities: lambda n, a, b: 2 * n / (a + b),
    MatchedSets: lambda n, a, b: n / max(a, b),
    MatchedJaccard: lambda n, a, b: n / (a + b - n),
    MatchedRecall: lambda n, a, b: n / a,
    MatchedProducts: lambda n, a, b: n * n / (a * b),
}


def matchings(cells, rows):
    """The worths of every one-to-one matching."""
    if not rows:
        yield ()
        return
    first, *others = rows
    yield from matchings(cells, others)
    for (row, column), worth in cells.items():
        if row == first:
            left = {place: w for place, w in cells.items() if place[0] != row and place[1] != column}
            for rest in matchings(left, others):
                yield (worth, *rest)


def best_total(cells, a, b, worth):
    worths = {(i, j): worth(n, a[i], b[j]) for (i, j), n in cells.items()}
    return max(sum(found) for found in matchings(worths, list(a)))


def greedy_total(cells, a):
    return sum(max(sorted(found, reverse=True) for found in matchings(cells, list(a))))


def by_side(cells, a, b, worth, side):
    best = defaultdict(Fraction)
    for place, n in cells.items():
        best[place[side]] = max(best[place[side]], worth(n, a[place[0]], b[place[1]]))
    return best


def largest_overlap_pairs(cells):
    largest = defaultdict(Fraction)
    for (_, j), n in cells.items():
        largest[j] = max(largest[j], n)
    return [(i, j, n) for (i, j), n in cells.items() if n == largest[j]]


def obvious(points):
    """Every index of the family, from its definition."""
    cells, a, b = table_of(points)
    n, k, m = sum(a.values()), len(a), len(b)
    f, jaccard, larger = WORTHS[MatchedEntities], WORTHS[MatchedJaccard], WORTHS[MatchedSets]
    best = {side: by_side(cells, a, b, lambda n, a, b: n, side) for side in (0, 1)}
    over = {(worth, side): by_side(cells, a, b, worth, side) for worth in (f, jaccard, larger) for side in (0, 1)}
    totals = {view: best_total(cells, a, b, worth) for view, worth in WORTHS.items()}
    purity, inverse = sum(best[1].values()) / n, sum(best[0].values()) / n
    accuracy, most = totals[MatchedPoints] / n, max(k, m)
    by_size = zip(sorted(a.values(), reverse=True), sorted(b.values(), reverse=True), strict=False)
    expected = sum(min(one, other) for one, other in by_size) / n
    pairs = largest_overlap_pairs(cells)
    met = len({i for i, _, _ in pairs})
    counts = [defaultdict(int), defaultdict(int), defaultdict(int)]
    for true, pred, _ in points:
        for count, key in zip(counts, (true, pred, (true, pred)), strict=True):
            count[key] += 1
    exact = sum(counts[0][i] == counts[1][j] == counts[2][i, j] for i, j in cells)
    errors = [sum(n * (1 - n / side[place[which]]) for place, n in cells.items()) for which, side in ((0, a), (1, b))]
    local = sum(n * min(1 - n / a[i], 1 - n / b[j]) for (i, j), n in cells.items())
    return {
        "purity": purity,
        "inverse_purity": inverse,
        "purity_f": 2 * purity * inverse / (purity + inverse),
        "geometric_accuracy": math.sqrt(purity * inverse),
        "van_dongen": n * (2 - purity - inverse),
        "normalized_van_dongen": (2 - purity - inverse) / 2,
        "split_join_true": n * (1 - inverse),
        "split_join_pred": n * (1 - purity),
        "edit_distance": m + n * (1 - purity),
        "best_f": sum(a[i] * x for i, x in over[f, 0].items()) / n,
        "macro_best_f": sum(over[f, 0].values()) / k,
        "average_f1": (sum(over[f, 0].values()) / k + sum(over[f, 1].values()) / m) / 2,
        "nf1": sum(f(n, a[i], b[j]) for i, j, n in pairs) / len(pairs) * met / k * min(1, Fraction(met, m)),
        "nowak": (sum(over[larger, 0].values()) + sum(over[larger, 1].values())) / (k + m),
        "segmentation_covering": sum(a[i] * x for i, x in over[jaccard, 0].items()) / n,
        "matching_accuracy": accuracy,
        "classification_error": 1 - accuracy,
        "transfer_distance": n * (1 - accuracy),
        "greedy_matching": greedy_total(cells, a) / n,
        "pair_sets": most > 1 and max(0, (totals[MatchedSets] - expected) / (most - expected)),
        "simplified_pair_sets": most > 1 and max(0, (totals[MatchedSets] - 1) / (most - 1)),
        "normalized_pivoted_accuracy": most > 1 and (most * accuracy - 1) / (most - 1),
        "normalized_clustering_accuracy": k > 1 and (totals[MatchedRecall] - 1) / (k - 1),
        "maximum_matching_ratio": totals[MatchedProducts] / k,
        "cluster_precision": Fraction(exact, m),
        "cluster_recall": Fraction(exact, k),
        "cluster_f": Fraction(2 * exact, k + m),
        "prediction_strength": weakest(points),
        "merge_distance": 2 * len(cells) - k - m,
        "talburt_wang": math.sqrt(k * m) / len(cells),
        "global_consistency_error": min(errors) / n,
        "local_consistency_error": local / n,
    }, totals  # fmt: skip


def weakest(points):
    shares = []
    for true in {point.true for point in points}:
        members = [point for point in points if point.true == true]
        pairs = [(x, y) for place, x in enumerate(members) for y in members[:place]]
        together = sum(x.weight * y.weight for x, y in pairs if x.pred == y.pred)
        if pairs:
            shares.append(together / sum(x.weight * y.weight for x, y in pairs))
    return min(shares, default=1)


def cases(rounds, seed):
    rng = np.random.default_rng(seed)
    alone = {0: "singletons"}
    policies = [{}, {"noise_true": alone}, {"noise_pred": alone}, {"noise_true": alone, "noise_pred": alone},
                {"noise_pred": {0: "drop"}}]  # fmt: skip
    for place in range(rounds):
        n = int(rng.integers(1, 13))
        true, pred = rng.integers(0, 4, n).tolist(), rng.integers(0, 4, n).tolist()
        options = dict(policies[place % len(policies)])
        if place % 3 == 1:
            options["weights"] = (rng.integers(1, 9, n) / 4).tolist()
        if place % 3 == 2:
            options["counts"] = rng.integers(1, 3, n).tolist()
        points = points_of(true, pred, **options)
        clusters = len({point.true for point in points}), len({point.pred for point in points})
        if points and max(clusters) <= 8:
            yield true, pred, options, points


@pytest.mark.slow
def test_every_index_against_the_obvious_way():
    for true, pred, options, points in cases(250, 1):
        table = cm.crosstab(true, pred, **options)
        scores, totals = obvious(points)
        assert set(scores) == {index.name for index in FAMILY}, "define each index of the family in `obvious`"
        for index in FAMILY:
            if table.weights is not None and not index.weights:
                continue
            try:
                score = index.strict.of(table)
            except ZeroDivisionError:
                continue
            assert score == pytest.approx(float(scores[index.name]), abs=1e-12), (index.name, true, pred, options)
        for view, total in totals.items():
            found = view.of(table)
            assert found.total == pytest.approx(float(total), abs=1e-12), (view, true, pred, options)
            assert found.unmatched_true >= 0 <= found.unmatched_pred


def test_wu_norm():
    for true, pred in random_pairs(3, 30):
        table = cm.crosstab(true, pred)
        sizes = [np.unique(labels, return_counts=True)[1] for labels in (true, pred)]
        largest = 2 * len(true) - sum(int(size.max()) for size in sizes)
        if largest:
            assert cm.normalized_van_dongen.exact(table, norm="wu") == cm.van_dongen.exact(table) / largest
    assert cm.normalized_van_dongen([0, 0], [1, 1], norm="wu") == 0.0


# the matching itself


def permuted(true, pred, rng):
    order = rng.permutation(len(true))
    names = [rng.permutation(1000)[:40] for _ in range(2)]
    return names[0][true[order]], names[1][pred[order]]


@pytest.mark.slow
def test_ties_do_not_show_in_the_score():
    """Equal overlaps everywhere, so that the matching is one of many; its score must not tell which."""
    rng = np.random.default_rng(8)
    scored = [cm.matching_accuracy, cm.greedy_matching, cm.pair_sets, cm.maximum_matching_ratio, cm.nf1,
              cm.normalized_clustering_accuracy]  # fmt: skip
    for _ in range(60):
        n, k = int(rng.integers(10, 120)), int(rng.integers(3, 30))
        true, pred = rng.integers(0, k, n), rng.integers(0, k, n)
        for index in scored:
            assert len({index(*permuted(true, pred, rng)) for _ in range(4)}) == 1, index.name
        for view in WORTHS:
            assert len({view.of(cm.crosstab(*permuted(true, pred, rng))).total for _ in range(4)}) == 1, view.worth


def test_every_worth_is_known_everywhere():
    assert list(QUOTIENTS) == list(SHARES) == list(Worth)


@pytest.mark.slow
@pytest.mark.parametrize("worth", Worth, ids=lambda worth: worth.name)
@pytest.mark.parametrize("seed", range(5))
def test_a_match_is_worth_the_same_everywhere(worth, seed):
    """Cells of equal worth, of which none is fixed at once: the kernel returns the worth of each."""
    rng = np.random.default_rng(seed)
    rows, columns = (side.ravel().astype(np.int32) for side in np.divmod(np.arange(30 * 20), 20))
    n = rng.integers(50, 60, len(rows))
    cells = _kernel.Cells(rows, columns, n, None, None, 30, 20)
    a, b = (sizes[side] for sizes, side in zip(_kernel.margins(cells), (rows, columns), strict=True))
    shrunk = _kernel.shrink(cells, worth)
    assert len(shrunk.rest) > 0 if worth is Worth.RANK else len(shrunk.rest) == len(n)

    quotient = QUOTIENTS[worth]
    parts, wholes = (n, 1) if quotient is None else quotient(n, a, b)
    # a product of two quotients is rounded three times in the kernel
    tolerance = 4e-16 if worth is Worth.PRODUCT else 0
    np.testing.assert_allclose(shrunk.rest_weights, (parts / wholes)[shrunk.rest], rtol=tolerance)

    with need("duckdb").connect() as connection:
        connection.execute("CREATE TABLE rest (t BIGINT, p BIGINT, n BIGINT, m BIGINT, a BIGINT, b BIGINT)")
        cells_with_sizes = np.stack([rows, columns, n, np.ones_like(n), a, b], axis=1)
        connection.executemany("INSERT INTO rest VALUES (?, ?, ?, ?, ?, ?)", cells_with_sizes.tolist())
        statement = Statements(DuckDB.dialect, "rest", simple=True, wide=False).worths("rest", worth)
        found = connection.execute(f"SELECT w FROM ({statement}) x ORDER BY t, p").fetchnumpy()["w"]
    scale = 1 if quotient is None else FINE
    np.testing.assert_array_equal(found[shrunk.rest], np.floor(shrunk.rest_weights * scale + 0.5))


SPARSE = AssignmentLimits(dense=0, largest_dense=0)


def test_dense_and_sparse_assignment_agree():
    rng = np.random.default_rng(4)
    for _ in range(50):
        k, n = int(rng.integers(2, 30)), int(rng.integers(2, 150))
        places = np.unique(rng.integers(0, k * k, n))
        rows, columns = places // k, places % k
        worths = rng.integers(0, 2**50 if n % 2 else 4, len(places), endpoint=True).astype(np.float64)
        _, rows = np.unique(rows, return_inverse=True)
        _, columns = np.unique(columns, return_inverse=True)
        chosen = [largest_assignment(rows, columns, worths, limits) for limits in (AssignmentLimits(), SPARSE)]
        assert len({math.fsum(worths[cells]) for cells in chosen}) == 1
        for cells in chosen:
            assert len(set(rows[cells].tolist())) == len(set(columns[cells].tolist())) == len(cells)


def test_a_large_sparse_component_is_solved():
    """One component, which is solved as a matrix by its size, and as a list of cells."""
    rng = np.random.default_rng(5)
    rows, columns = np.divmod(np.unique(rng.integers(0, 300 * 300, 1500)), 300)
    worths = rng.integers(0, 2**50, len(rows)).astype(np.float64)
    dense, sparse = (largest_assignment(rows, columns, worths, limits) for limits in (AssignmentLimits(), SPARSE))
    assert math.fsum(worths[dense]) == math.fsum(worths[sparse]) > 0


def test_too_many_cells_to_choose_from(monkeypatch):
    rng = np.random.default_rng(6)
    true, pred = rng.integers(0, 30, 500), rng.integers(0, 30, 500)
    monkeypatch.setattr(Matching, "most_cells", 10)
    for index in (cm.matching_accuracy, cm.greedy_matching):
        with pytest.raises(cm.UnsupportedTableError, match="cells are left to choose from, and more than 10 take"):
            index(true, pred)


def test_too_much_work():
    rng = np.random.default_rng(6)
    rows, columns = np.divmod(np.unique(rng.integers(0, 200 * 200, 2000)), 200)
    worths = np.arange(len(rows), dtype=np.float64)
    limits = SPARSE._replace(work=1000, few_worths=3)
    with pytest.raises(cm.UnsupportedTableError, match=r"are connected, .* \(cells times clusters may be 1,000\)"):
        largest_assignment(rows, columns, worths, limits)
    assert len(largest_assignment(rows, columns, worths % 3, limits)) > 0  # few worths are quick


def test_huge_counts():
    counts = [2**60, 2**60 - 1, 2**60 - 1, 2**59]
    table = cm.Contingency.from_counts([0, 0, 1, 1], [0, 1, 0, 1], counts)
    assert MatchedPoints.of(table).total == max(counts[0] + counts[3], counts[1] + counts[2])
    assert cm.matching_accuracy.exact(table) == Fraction(MatchedPoints.of(table).total, sum(counts))
    for view in WORTHS:
        assert 0 < view.of(table).total <= 2**61
    assert cm.matching_accuracy([0, 0, 1], [0, 0, 1]) == 1.0
    assert cm.pair_sets.of(cm.Contingency.from_counts([0, 1], [0, 1], [2**61, 3])) == 1.0


def test_greedy_matching_leaves_the_larger_cells_for_later():
    table = cm.Contingency.from_matrix([[2, 2, 0], [2, 0, 1], [0, 0, 1]])
    assert GreedyMatching.of(table).points == 5
    rng = np.random.default_rng(7)
    for _ in range(150):
        matrix = rng.integers(0, 4, (int(rng.integers(1, 6)), int(rng.integers(1, 6))))
        if not matrix.any():
            continue
        cells = {(i, j): int(matrix[i, j]) for i, j in zip(*np.nonzero(matrix), strict=True)}
        expected = greedy_total(cells, sorted({i for i, _ in cells}))
        assert GreedyMatching.of(cm.Contingency.from_matrix(matrix)).points == expected, matrix


@pytest.mark.parametrize(
    ("index", "options", "message"),
    [
        (cm.best_f, {"side": "left"}, "side='left' is unknown; choose one of 'true', 'pred'"),
        (cm.macro_best_f, {"side": None}, "side=None"),
        (cm.normalized_van_dongen, {"norm": "n"}, "norm='n'"),
        (cm.merge_distance, {"split": -1}, "split=-1"),
        (cm.merge_distance, {"merge": "x"}, "merge='x'"),
    ],
)
def test_options_are_checked(index, options, message):
    with pytest.raises(cm.InputError, match=message):
        index([0, 0, 1], [0, 1, 1], **options)


# live peers


def test_genieclust_agrees(peer):
    theirs = peer("genieclust.compare_partitions")
    rng = np.random.default_rng(9)
    for _ in range(40):
        matrix = rng.integers(0, 8, (4, 4)) + np.eye(4, dtype=np.int64)
        table = cm.Contingency.from_matrix(matrix)
        assert cm.pair_sets.of(table) == pytest.approx(theirs.pair_sets_index(matrix))
        assert cm.simplified_pair_sets.of(table) == pytest.approx(theirs.pair_sets_index(matrix, simplified=True))
        assert cm.normalized_clustering_accuracy.of(table) == pytest.approx(
            theirs.normalized_clustering_accuracy(matrix)
        )
        assert cm.normalized_pivoted_accuracy.of(table) == pytest.approx(theirs.normalized_pivoted_accuracy(matrix))


def test_permetrics_and_igraph_agree(peer):
    permetrics = peer("permetrics")
    igraph = peer("igraph")
    for true, pred in random_pairs(10, 30):
        table = cm.crosstab(true, pred)
        theirs = permetrics.ClusteringMetric(y_true=true, y_pred=pred).purity_score()
        assert cm.purity.of(table) == pytest.approx(theirs)
        lost = igraph.clustering.split_join_distance(true.tolist(), pred.tolist())
        assert (cm.split_join_true.of(table), cm.split_join_pred.of(table)) == lost


def test_nf1_of_more_singletons_than_fit_32_bits():
    noise = {-1: "singletons"}
    for count in (5 * 10**9, 10**15):
        table = cm.crosstab([-1], [-1], counts=[count], noise_true=noise, noise_pred=noise)
        assert cm.nf1.of(table) == 1.0


def test_the_matching_behind_the_accuracy_is_public():
    matching = cm.MatchedPoints.of(cm.crosstab([0, 0, 1, 2], [5, 5, 6, 6]))
    assert (matching.unmatched_true, matching.unmatched_pred, matching.unmatched_points) == (1, 0, 1)


@pytest.mark.slow
def test_many_components_of_ties_are_matched_greedily_in_good_time():
    rows = np.repeat(np.arange(6000), 2)
    columns = np.stack([np.arange(6000) // 2 * 2, np.arange(6000) // 2 * 2 + 1], axis=1).ravel()
    table = cm.Contingency.from_counts(rows, columns, rows // 2 + 1)
    assert cm.greedy_matching.of(table) == 0.5
