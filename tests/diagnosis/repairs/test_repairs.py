"""Repairs: what they are worth, in which order they come, and that nothing is lost by them."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import clustermark as cm
from clustermark.diagnosis.repairs import Repairs
from clustermark.diagnosis.repairs.after_edits import PairScores, table_after
from clustermark.diagnosis.repairs.choosing import choose_by_pairs
from clustermark.diagnosis.repairs.choosing_by_index import ExpectedTerms
from clustermark.diagnosis.repairs.edits import Edit, EditState
from clustermark.sklearn import expected_mutual_information
from clustermark.tables import parts
from clustermark.tables.cells import CellTable

COMPANIES = Path(__file__).parents[3] / "examples" / "data" / "companies"
ORDERS = (
    "wrong_pairs",
    "f_measure",
    "jaccard",
    "adjusted_rand",
    "b_cubed_f",
    "v_measure",
    "adjusted_mutual_information",
)
labels = st.integers(0, 3)
points = st.lists(st.tuples(labels, labels), min_size=2, max_size=10)


def edit_labels(truth, pred, edits):
    """The labels after edits, point by point, in the order given."""
    now = [("old", label) for label in pred]
    for kind, cluster in edits:
        for place, (true, old) in enumerate(zip(truth, pred, strict=True)):
            if kind == "split" and old == cluster and now[place] == ("old", old):
                now[place] = ("piece", old, true)
            elif kind == "gather" and true == cluster:
                now[place] = ("gathered", true)
    numbers = {cluster: number for number, cluster in enumerate(dict.fromkeys(now))}
    return [numbers[cluster] for cluster in now]


def wrong_pairs(truth, pred):
    pairs = combinations(range(len(truth)), 2)
    return sum((truth[i] == truth[j]) != (pred[i] == pred[j]) for i, j in pairs)


def edits_of(truth, pred):
    return [("split", label) for label in sorted(set(pred))] + [("gather", label) for label in sorted(set(truth))]


def named(table, edit):
    names = table.pred_labels if edit.kind == "split" else table.true_labels
    return (edit.kind, names[edit.number])


def carry_out(repairs):
    """The edits behind repairs."""
    return [("split" if one.action == "split" else "gather", one.cluster) for one in repairs]


@pytest.mark.parametrize("by", ORDERS)
@settings(max_examples=40)
@given(points)
def test_scores_after_each_repair_are_those_of_the_mended_labels(by, pairs):
    truth, pred = zip(*pairs, strict=True)
    shown = ["adjusted_rand", "b_cubed_f", "v_measure", "jaccard"]
    repairs = cm.evaluate(truth, pred, ["jaccard"]).repairs(None, by=by, indices=shown)
    edits = carry_out(repairs)
    wrong = wrong_pairs(truth, pred)
    assert repairs.wrong_pairs == wrong
    for k, repair in enumerate(repairs, 1):
        before, after = (edit_labels(truth, pred, edits[:n]) for n in (k - 1, k))
        for name in shown:
            assert repair.scores[name] == cm.find(name)(truth, after)
        left = wrong_pairs(truth, after)
        assert repair.mended == (wrong - left) / wrong
        assert repair.true_pairs + repair.false_pairs == wrong_pairs(truth, before) - left
        assert repair.records >= 1
    assert wrong_pairs(truth, edit_labels(truth, pred, edits)) == 0


@pytest.mark.parametrize("by", ORDERS)
@settings(max_examples=40)
@given(points)
@example([(0, 0), (0, 2), (1, 2), (1, 2), (2, 0), (2, 2), (3, 2)])  # old counts beyond all false pairs that are left
def test_each_repair_is_the_best_of_all_edits(by, pairs):
    truth, pred = zip(*pairs, strict=True)
    repairs = cm.evaluate(truth, pred, ["jaccard"]).repairs(4, by=by)
    done = []
    for one in carry_out(repairs):

        def worth(edit):
            after = edit_labels(truth, pred, [*done, edit])
            return -wrong_pairs(truth, after) if by == "wrong_pairs" else cm.find(by)(truth, after)

        now = wrong_pairs(truth, edit_labels(truth, pred, done))
        others = [e for e in edits_of(truth, pred) if wrong_pairs(truth, edit_labels(truth, pred, [*done, e])) < now]
        best = max(map(worth, others))
        assert worth(one) == pytest.approx(best, abs=1e-11)
        if by == "wrong_pairs":
            assert one == next(edit for edit in others if worth(edit) == best)
        done.append(one)


@given(points, st.booleans())
def test_old_counts_are_counted_together_or_one_by_one(pairs, weighted):
    truth, pred = zip(*pairs, strict=True)
    weights = [0.1 + 0.3 * (place % 7) for place in range(len(pairs))] if weighted else None
    table = cm.crosstab(truth, pred, weights=weights).to_memory()
    for rate in (lambda gained, removed, *_: gained + removed, PairScores(table).rate(cm.jaccard)):
        found = []
        for most_old in (0, 10**9):
            state = EditState(table)
            edits = []
            for edit in choose_by_pairs(state, rate, most_old):
                edits.append(edit)
                state.apply(edit)
            found.append(edits)
        assert weighted or found[0] == found[1]
        assert sorted(found[0]) == sorted(found[1])  # rounding can order edits with equal weights


def test_one_repair_can_mend_all_others():
    truth = [place // 3 for place in range(3000)]
    repairs = cm.evaluate(truth, [0] * 3000, ["jaccard"]).repairs(20)
    assert [(one.action, one.mended) for one in repairs] == [("split", 1.0)]


def test_expected_information_of_many_edits_is_followed():
    """There are 6,000 edits, but few sizes of clusters."""
    truth = [place // 4 for place in range(12_000)]
    pred = [(place + 1) // 4 for place in range(12_000)]
    (one,) = cm.evaluate(truth, pred, ["jaccard"]).repairs(
        1, by="adjusted_mutual_information", indices=["adjusted_mutual_information"]
    )
    after = edit_labels(truth, pred, [("split" if one.action == "split" else "gather", one.cluster)])
    assert one.scores["adjusted_mutual_information"] == cm.adjusted_mutual_information(truth, after)
    assert one.scores["adjusted_mutual_information"] > cm.adjusted_mutual_information(truth, pred)


@given(points)
def test_terms_of_expected_information_add_up(pairs):
    truth, pred = zip(*pairs, strict=True)
    table = cm.crosstab(truth, pred).to_memory()
    terms = ExpectedTerms(table, cm.adjusted_mutual_information)
    expected = expected_mutual_information(table.to_scipy().toarray(), len(pairs))
    assert terms.total / len(pairs) == pytest.approx(expected, abs=1e-12)
    sizes = [row.size for row in table.profile.pred_sizes for _ in range(row.clusters)]
    assert terms.of(np.array(sizes)).sum() == pytest.approx(terms.total)
    with pytest.raises(cm.UnsupportedTableError, match="v_measure"):
        ExpectedTerms(table, cm.adjusted_mutual_information, most=0)


@given(points, st.randoms(use_true_random=False))
def test_a_set_of_edits_has_one_result(pairs, random):
    truth, pred = zip(*pairs, strict=True)
    table = cm.crosstab(truth, pred)
    edits = [Edit("split", j) for j in range(table.n_pred_clusters)]
    edits += [Edit("gather", i) for i in range(table.n_true_clusters)]
    edits = random.sample(edits, random.randint(0, len(edits)))
    results = set()
    for order in (edits, edits[::-1]):
        state = EditState(table)
        for edit in order:
            state.apply(edit)
        mended = table_after(table, state, len(order))
        after = cm.crosstab(truth, edit_labels(truth, pred, [named(table, edit) for edit in order]))
        assert mended.squares == after.squares
        results.add(tuple(mended.squares))
    assert len(results) == 1


@pytest.mark.slow
@given(points, st.data())
def test_weights_count_as_they_weigh(pairs, data):
    truth, pred = zip(*pairs, strict=True)
    weights = data.draw(st.lists(st.sampled_from([0.5, 1.0, 2.0, 3.25]), min_size=len(pairs), max_size=len(pairs)))
    evaluation = cm.evaluate(truth, pred, ["jaccard"], weights=weights)
    repairs = evaluation.repairs(None)
    edits = carry_out(repairs)
    for k, repair in enumerate(repairs, 1):
        after = edit_labels(truth, pred, edits[:k])
        assert repair.scores["adjusted_rand"] == pytest.approx(
            cm.evaluate(truth, after, ["adjusted_rand"], weights=weights)["adjusted_rand"], abs=1e-12
        )
    assert wrong_pairs(truth, edit_labels(truth, pred, edits)) == 0


@pytest.mark.slow
@given(points)
def test_points_with_a_cluster_of_their_own_are_mended_too(pairs):
    truth, pred = zip(*pairs, strict=True)
    noise = {"noise_true": {0: "singletons"}, "noise_pred": {0: "singletons"}}
    repairs = cm.evaluate(truth, pred, ["jaccard"], **noise).repairs(None)
    alone_true = [("lone", place) if label == 0 else label for place, label in enumerate(truth)]
    alone_pred = [("lone", place) if label == 0 else label for place, label in enumerate(pred)]
    assert repairs.wrong_pairs == wrong_pairs(alone_true, alone_pred)
    assert not repairs.wrong_pairs or repairs[-1].mended == 1.0
    plain = cm.evaluate(list(map(str, alone_true)), list(map(str, alone_pred)), ["jaccard"]).repairs(None)
    assert [one.mended for one in repairs] == pytest.approx([one.mended for one in plain])


@pytest.mark.slow
@given(points, st.booleans())
def test_a_repair_is_worded_the_same_with_names_of_any_kind(pairs, lone):
    noise = {"noise_true": {0: "singletons"}, "noise_pred": {1: "singletons"}} if lone else {}
    for one in cm.evaluate(*map(list, zip(*pairs, strict=True)), [], **noise).repairs(None):
        assert one.describe(lambda label, _: str(label)) == one.sentence
        marked = one.describe(lambda label, side: f"<{side} {label}>")
        assert marked.replace("<true ", "").replace("<pred ", "").replace(">", "") == one.sentence


def test_huge_counts_stay_exact():
    counts = [2**61, 3, 2**60]
    repairs = cm.evaluate([0, 0, 1], [0, 1, 1], ["jaccard"], counts=counts).repairs(None)
    assert repairs.wrong_pairs == 2**61 * 3 + 3 * 2**60
    assert [one.true_pairs + one.false_pairs for one in repairs] == [repairs.wrong_pairs]


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(
    ("by", "least_best", "least_share"),
    [("wrong_pairs", 0.92, 0.8), ("f_measure", 0.95, 0.78), ("jaccard", 0.95, 0.78), ("adjusted_rand", 0.95, 0.78)],
)
def test_greedy_is_hardly_ever_worse_than_the_best_set(by, least_best, least_share, k):
    """Of small tables: 4 × 4 cells with up to three points each, drawn at random, against all sets of k edits."""
    draw = Random(k)
    index = None if by == "wrong_pairs" else cm.find(by)
    best_ones = tables = 0
    worst = 1.0
    for _ in range(60):
        counts = draw.choices((0, 0, 0, 1, 1, 2, 3), k=16)
        truth = [place // 4 for place, n in enumerate(counts) for _ in range(n)]
        pred = [place % 4 for place, n in enumerate(counts) for _ in range(n)]
        repairs = cm.evaluate(truth, pred, []).repairs(k, by=by)
        if len(repairs) < k:
            continue

        def score(edits, truth=truth, pred=pred):
            after = edit_labels(truth, pred, edits)
            return -wrong_pairs(truth, after) if index is None else index(truth, after)

        before, got = score([]), score(carry_out(repairs))
        best = max(map(score, combinations(edits_of(truth, pred), k)))
        tables += 1
        best_ones += got == best
        worst = min(worst, (got - before) / (best - before))
    assert tables > 40
    assert best_ones / tables > least_best
    assert worst >= least_share


def test_the_companies_are_mended_as_published():
    evaluation = cm.evaluate(COMPANIES / "truth.csv", COMPANIES / "by_grams.csv", on="id")
    repairs = evaluation.repairs(None)
    assert (evaluation.table.n_used, repairs.wrong_pairs, len(repairs)) == (1848, 113 + 743, 76)
    assert [round(repairs[k - 1].mended, 2) for k in (10, 15, 76)] == [0.51, 0.60, 1.0]
    assert round(repairs.before["adjusted_rand"], 4) == 0.8655
    assert round(repairs[19].scores["adjusted_rand"], 4) == 0.9533


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"by": "nonsense"}, "no index is called"),
        ({"by": "max_jaccard"}, "not local"),
        ({"by": "entropy_pred"}, "not local"),
        ({"k": -1}, "k=-1"),
    ],
)
def test_what_cannot_be_asked_is_refused(options, said):
    with pytest.raises(cm.InputError, match=said):
        cm.evaluate([0, 0, 1], [0, 1, 1]).repairs(**options)


def test_tables_without_one_cluster_for_each_point_are_refused():
    kept = cm.evaluate({"a": 0, "b": 0}, {"a": 0, "c": 1}, ["b_cubed_f"], unmatched="keep")
    with pytest.raises(cm.UnsupportedTableError, match="unmatched"):
        kept.repairs()
    unscored = cm.evaluate([0, 0, 1], [0, 1, 1], ["jaccard_concentration"], noise_pred={1: "unscored"})
    with pytest.raises(cm.UnsupportedTableError, match="unscored"):
        unscored.repairs()


@pytest.mark.parametrize("noise", [{0: "singletons"}, {0: "singletons", 1: "singletons"}])
def test_new_clusters_are_no_noise_and_get_no_label_of_a_point_left_out(noise):
    lone = cm.evaluate([1, 1], [0, 0], ["jaccard"], noise_pred=noise).repairs(1)
    assert cm.jaccard.of(cm.crosstab([1, 1], lone.apply(), noise_pred=noise)) == 1.0
    left_out = cm.evaluate([1, 1, 2, 2, 2], [0, 0, 0, 0, 7], ["jaccard"], noise_pred={7: "drop"}).repairs(1)
    assert left_out.apply().count(7) == 1


@pytest.mark.slow
@given(points, st.integers(0, 4), st.booleans())
def test_mended_labels_are_the_mended_partition(pairs, k, noise):
    truth, pred = zip(*pairs, strict=True)
    policies = {"noise_true": {0: "singletons"}, "noise_pred": {0: "singletons"}} if noise else {}
    repairs = cm.evaluate(truth, pred, ["jaccard"], **policies).repairs(k)
    mended = repairs.apply()
    if not noise:
        edits = carry_out(repairs)
        assert cm.adjusted_rand(mended, edit_labels(truth, pred, edits)) == 1.0
    after = cm.evaluate(truth, mended, ["adjusted_rand"], **policies)["adjusted_rand"]
    assert after == pytest.approx((repairs[-1].scores if len(repairs) else repairs.before)["adjusted_rand"], abs=1e-12)
    # no label goes to points none of which had it
    for label in set(pred) - ({0} if noise else set()):
        group = [mended[place] for place, one in enumerate(pred) if one == label]
        assert label in group or label not in mended


def test_mended_labels_by_id_and_of_texts():
    truth = {"p": "A", "q": "A", "r": "B", "s": "B", "t": "B"}
    pred = {"p": "x", "q": "x", "r": "x", "s": "y", "t": "x (2)"}
    repairs = cm.evaluate(truth, pred, ["jaccard"]).repairs(None)
    assert repairs.apply() == {"p": "x", "q": "x", "r": "x (2)", "s": "x (2)", "t": "x (2)"}  # the first of equals
    split = cm.evaluate({"p": 1, "q": 2, "r": 2}, {"p": "x", "q": "x", "r": "x"}, ["jaccard"]).repairs()
    assert split.apply() == {"p": "x (2)", "q": "x", "r": "x"}


def test_labels_are_needed_to_mend_them():
    table = cm.crosstab([0, 0, 1], [0, 1, 1])
    repairs = cm.evaluate_table(table).repairs()
    with pytest.raises(cm.InputError, match="pass the labels"):
        repairs.apply()
    assert repairs.apply([0, 0, 1], [0, 1, 1]) == [0, 0, 1]
    with pytest.raises(cm.InputError, match="both"):
        repairs.apply([0, 0, 1])


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=20),
    st.integers(1, 6),
    st.booleans(),
)
@example([(0, 0), (0, 1), (1, 2), (1, 3)], 1, False)
@example([(0, 0), (1, 0), (2, 1), (3, 1)], 1, True)
def test_the_best_repairs_are_found_among_few_cells(pairs, k, named):
    """Of a large table only the cells of promising edits are looked at; the list is the same, ties included."""
    truth, pred = zip(*pairs, strict=True)
    if named:
        truth, pred = [f"t{label}" for label in truth], [f"p{label}" for label in pred]
    table = cm.crosstab(truth, pred)
    state, (splits, gathers) = EditState(table), parts._count_gains(table.kernel_cells)  # twice the pairs
    assert splits.tolist() == (2 * state.removed_by_splits()).tolist()
    assert gathers.tolist() == (2 * (state.gained_by_gathers() + state.removed_by_gathers())).tolist()
    whole = cm.evaluate(truth, pred, ["jaccard"]).repairs(k)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CellTable, "cells_per_edit", 0)
        patch.setattr(Repairs, "FETCHED", 1)
        taken = []
        choose = parts.choose_editable
        patch.setattr(parts, "choose_editable", lambda table, n: taken.append(n) or choose(table, n))
        few = cm.evaluate(truth, pred, ["jaccard"]).repairs(k)
        assert taken
        assert list(few) == list(whole)
        assert few.apply() == whole.apply()


def test_tables_whose_gains_are_no_small_numbers_are_looked_at_whole():
    truth, pred = [0, 0, 1, 1, 2, 2], [0, 1, 1, 2, 2, 0]
    tables = {
        "plain": cm.crosstab(truth, pred),
        "weights": cm.crosstab(truth, pred, weights=[0.5, 1, 2, 1, 1, 3]),
        "lone": cm.crosstab(truth, pred, noise_pred={0: "singletons"}),
        "mixed": cm.crosstab([0, 0, "a", "a", 2, 2], pred),
        "huge": cm.crosstab(truth, pred, counts=[2**28] * 6),
    }
    assert [name for name, table in tables.items() if parts.can_choose(table)] == ["plain"]


def test_indices_are_named_as_everywhere():
    """With their options, and one alone without a list."""
    scores = cm.evaluate([0, 0, 1, 1, 2], [0, 1, 1, 1, 2], ["jaccard"])
    named = scores.repairs(by="f_measure(beta=2)", indices="jaccard")
    assert list(named.before) == ["jaccard", "f_measure(beta=2)"]
    with pytest.raises(cm.InputError, match="indices=5 must be a list of names"):
        scores.repairs(indices=5)
