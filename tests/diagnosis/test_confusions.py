"""Which true clusters are confused: against all pairs of points, with many ties, and where one cluster is huge."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustermark as cm
from clustermark.diagnosis import confusions as module
from needs import need
from oracle import points_of


def brute(points, unscored=()):
    """False pairs of each two labelled true clusters, over all pairs of points; and all false pairs."""
    pairs, total = Counter(), Fraction(0)
    for one, other in combinations(points, 2):
        if one.pred != other.pred or one.true == other.true or one.pred in unscored:
            continue
        total += one.weight * other.weight
        if isinstance(one.true, str) and isinstance(other.true, str):
            pairs[tuple(sorted((one.true, other.true)))] += one.weight * other.weight
    return sorted(((-n, *pair) for pair, n in pairs.items())), total


def listed(found):
    return [(-row.false_pairs, row.first, row.second) for row in found]


LABELS = st.lists(
    st.tuples(st.sampled_from("abcdefgh"), st.integers(-1, 4), st.integers(1, 3)), min_size=1, max_size=24
)
NOISE = st.sampled_from(["cluster", "singletons", "drop", "unscored"])


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(LABELS, NOISE, st.integers(0, 6), st.booleans(), st.integers(1, 5))
def test_the_k_worst_are_those_of_all_pairs_of_points(rows, fate, k, weighted, at_once):
    true, pred, numbers = map(list, zip(*rows, strict=True))
    noise = {"noise_true": {"h": "singletons"}, "noise_pred": {-1: fate}}
    kind = {"weights" if weighted else "counts": numbers}
    if fate == "drop" and set(pred) == {-1}:
        return
    table = cm.crosstab(true, pred, **kind, **noise)
    known = {"cluster": {}, "unscored": {}}.get(fate, {-1: fate})
    points = points_of(true, pred, **kind, noise_true={"h": "singletons"}, noise_pred=known)
    expected, total = brute(points, {-1} if fate == "unscored" else ())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module.Confusions, "AT_ONCE", at_once)
        found = module.Confusions.of(table, k)
        everything = module.Confusions.of(table, None)
    assert listed(found) == expected[:k]
    assert listed(everything) == expected
    assert found.false_pairs == total
    sizes = Counter()
    for point in points:
        sizes[point.true] += point.weight
    for row in everything:
        assert row.share == pytest.approx(float(row.false_pairs / total))
        assert (row.first_size, row.second_size) == (sizes[row.first], sizes[row.second])
        meetings = Counter()
        for point in points:
            if point.true in (row.first, row.second):
                meetings[point.pred, point.true] += point.weight
        both = [
            p for p, t in meetings if t == row.first and (p, row.second) in meetings and (p != -1 or fate == "cluster")
        ]
        assert row.clusters == len(both)
        for one in row.where:
            assert (one.first, one.second) == (meetings[one.cluster, row.first], meetings[one.cluster, row.second])
            assert one.pairs == one.first * one.second


def test_a_huge_cluster_of_small_ones_is_no_table_of_all_pairs():
    n = 200_000
    true = np.arange(n) // 2
    true[:10] = 0
    made = []
    with pytest.MonkeyPatch.context() as patch:
        multiply = module._multiply
        patch.setattr(module, "_multiply", lambda *given: made.append(given[2][given[1]].sum()) or multiply(*given))
        found = module.Confusions.of(cm.crosstab(true, np.zeros(n, int)), 5)
    assert listed(found) == [(-20, 0, second) for second in range(5, 10)]
    assert sum(made) < 100


def test_a_mixture_too_large_to_be_joined_is_refused(monkeypatch):
    monkeypatch.setattr(module.Confusions, "MOST_PRODUCTS", 20)
    rng = np.random.default_rng(0)
    table = cm.crosstab(rng.integers(0, 12, 400), rng.integers(0, 12, 400))
    with pytest.raises(cm.UnsupportedTableError, match=r"products of cells.*merges\(\)"):
        module.Confusions.of(table, 3)


def test_products_beyond_a_computer_word_are_exact():
    n = 3 * 10**9 + 1
    table = cm.Contingency.from_counts(["a", "b", "a", "b", "c"], [1, 1, 2, 2, 2], [n, n, 5, 7, 1])
    found = cm.evaluate_table(table, []).confusions()
    assert found[0].false_pairs == n * n + 35
    assert found.false_pairs == n * n + 35 + 12
    assert [type(one.pairs) for one in found[0].where] == [int, int]


def test_words_rows_and_columns():
    scores = cm.evaluate(["a", "a", "b", "b", "c"], [1, 1, 1, 2, 2])
    found = scores.confusions(1)
    assert repr(found) == (
        "1 pair of true clusters is confused most, of 3 false pairs in all\n"
        "true cluster  and  false pairs  share  together in\n"
        "a             b              2  66.7%  1 (2 with 1)"
    )
    assert found.rows() == [
        {
            "first": "a", "second": "b", "first_size": 2, "second_size": 2, "false_pairs": 2, "share": 2 / 3,
            "clusters": 1, "where": [{"cluster": 1, "first": 2, "second": 1, "pairs": 2}],
        }
    ]  # fmt: skip
    assert scores.confusions()[:1].to_dict() == found.to_dict()
    assert found.to_csv().splitlines()[1] == "a,b,2,2,2,0.6666666666666666,1,1,2,1,2"
    assert repr(cm.evaluate([0, 1], [0, 1]).confusions()) == "No two true clusters are confused"
    assert len(scores.confusions(0)) == 0
    with pytest.raises(cm.InputError, match="k=-1"):
        scores.confusions(-1)


@pytest.mark.parametrize("push_down", [True, False])
def test_an_engine_gives_the_same(push_down):
    pa = need("pyarrow")
    need("duckdb")
    rng = np.random.default_rng(3)
    true, pred = rng.integers(0, 9, 80), rng.integers(0, 7, 80)
    kept = cm.evaluate(true.tolist(), pred.tolist(), []).confusions(7)
    source = pa.table({"t": true, "p": pred})
    options = {"true": "t", "pred": "p", "engine": "duckdb", "push_down": push_down}
    assert cm.evaluate(source, None, [], **options).confusions(7).rows() == kept.rows()
    apart = {"noise_pred": {3: "unscored"}}
    assert (
        cm.evaluate(source, None, [], **options, **apart).confusions(4).rows()
        == cm.evaluate(true.tolist(), pred.tolist(), [], **apart).confusions(4).rows()
    )
