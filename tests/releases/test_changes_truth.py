"""Whether a change was right: against the slow and obvious way, and against compare()."""

from __future__ import annotations

from fractions import Fraction

import brute_changes as brute
import numpy as np
import pytest
from brute_changes import Record
from hypothesis import given, settings
from hypothesis import strategies as st

import clustermark as cm

LABEL = st.integers(0, 3)
ROWS = st.lists(st.tuples(LABEL, LABEL, LABEL, st.integers(1, 3)), min_size=2, max_size=14)


@settings(deadline=None, max_examples=40)
@given(ROWS, st.booleans())
def test_against_brute_force(rows, weighted):
    before, after, truth, weights = zip(*rows, strict=True)
    found = cm.changes(before, after, truth, **({"weights": weights} if weighted else {})).truth
    records = [
        Record(i, b, a, Fraction(w if weighted else 1), None, t)
        for i, (b, a, t, w) in enumerate(zip(before, after, truth, weights, strict=True))
    ]
    wanted = brute.pairs(records)
    assert found.pairs._asdict() == pytest.approx({name: float(value) for name, value in wanted.items()})
    fates = brute.true_clusters(records)
    listed = {row.cluster: row for row in found.clusters(None)}
    if not weighted or all(w == 1 for w in weights):
        assert {label: row.fate for label, row in listed.items()} == {
            label: fate for label, (fate, *_) in fates.items() if fate != "same"
        }
        for fate, count in found.fates.items():
            mine = [label for label, (what, *_) in fates.items() if what == fate]
            assert count == (len(mine), sum(t in mine for t in truth))
    for label, row in listed.items():
        assert (row.distance_before, row.distance_after) == pytest.approx(tuple(map(float, fates[label][1:])))
        mine = [record for record in records if record.truth == label]
        both = brute.pairs(mine)
        assert (row.pairs_gained, row.pairs_lost) == pytest.approx((both["true_gained"], both["true_lost"]))
        false = brute.false_pairs(records, label)
        assert (row.false_before, row.false_after) == pytest.approx(tuple(map(float, false)))


@settings(deadline=None, max_examples=30)
@given(
    st.lists(st.tuples(*[st.sampled_from([None, 0, 1, 2])] * 3), min_size=3, max_size=12),
    st.sampled_from(["drop", "singletons"]),
)
@pytest.mark.filterwarnings("ignore::clustermark.FewMatchesWarning")
def test_records_that_a_side_lacks(rows, unmatched):
    sides = [{i: row[side] for i, row in enumerate(rows) if row[side] is not None} for side in range(3)]
    before, after, truth = sides
    if not before.keys() & after.keys() & truth.keys():
        return
    found = cm.changes(before, after, truth, unmatched=unmatched).truth
    records = [
        Record(i, before.get(i, ("alone", i)), after.get(i, ("alone", i)), Fraction(1), None, truth[i])
        for i in truth
        if (i in before and i in after) or (unmatched == "singletons" and (i in before or i in after))
    ]
    assert found.records == len(records)
    assert found.pairs == tuple(brute.pairs(records).values())
    fates = brute.true_clusters(records)
    assert {row.cluster: row.fate for row in found.clusters(None)} == {
        label: fate for label, (fate, *_) in fates.items() if fate != "same"
    }


def world(seed=0, n=400):
    generator = np.random.default_rng(seed)
    truth = generator.integers(0, 120, n)
    before = np.where(generator.random(n) < 0.25, 1000 + np.arange(n), truth)
    after = np.where(generator.random(n) < 0.1, 1000 + np.arange(n), truth)
    return truth, before, after


@pytest.mark.parametrize("unit", ["point", "component"])
def test_scores_are_those_of_compare(unit):
    truth, before, after = world()
    names = ["b_cubed_f", "variation_of_information"]
    found = cm.changes(before, after, truth, indices=names, unit=unit).truth
    compared = cm.compare(truth, {"before": before, "after": after}, names, unit=unit)
    for row, name in zip(found.scores, names, strict=True):
        assert (row.before, row.after) == (compared.score("before", name), compared.score("after", name))
        assert row.difference == row.after - row.before
        theirs = compared.differences(name)[0]  # the better one first: after
        sign = 1 if theirs.first == "after" else -1
        assert theirs.p_value == row.p_value
        assert (
            sorted((row.low, row.high))
            == [row.low, row.high]
            == pytest.approx(sorted((sign * theirs.low, sign * theirs.high)))
        )
        assert row.verdict == "better"
    back = cm.changes(after, before, truth, indices=names, unit=unit).truth
    assert [row.verdict for row in back.scores] == ["worse", "worse"]
    assert [(row.low, row.high) for row in back.scores] == [(-row.high, -row.low) for row in found.scores]


def test_not_worse_is_shown_with_the_variance_at_the_margin():
    truth, before, after = world()
    names = ["b_cubed_f", "variation_of_information"]
    found = cm.changes(after, before, truth, indices=names).truth
    for row in found.scores:
        most = max(abs(row.low), abs(row.high))
        assert found.not_worse(row.label, most * 1.2).shown
        refused = found.not_worse(row.label, most * 0.99)
        assert not refused.shown
        assert "may be worse by" in refused.sentence
        assert "is worse by" in found.not_worse(row.label, min(abs(row.low), abs(row.high)) * 0.99).sentence
    for margin in (0.02, 0.05, 0.1, 0.3):
        judged = cm.changes(after, before, truth, indices=names, margin=margin).truth
        for row in judged.scores:
            assert judged.not_worse(row.label, margin).shown == (row.p_loss < 0.025)
    better = cm.changes(before, after, truth, indices=names).truth
    assert all(better.not_worse(row.label, 1e-6).shown for row in better.scores)


def test_equal_scores_of_few_components_are_no_proof():
    """Whatever is swapped between them, the difference is at least as large: p is 1, but something differs."""
    truth = np.repeat(np.arange(6), 4)
    before, after = truth.copy(), truth.copy()
    before[:2], after[4:6] = 10, 11
    found = cm.changes(before, after, truth, indices=["b_cubed_f"]).truth
    assert found.scores[0].p_value == 1.0
    assert found.scores[0].low is None
    assert not found.not_worse("b_cubed_f", 0.01).shown
    assert not found.equivalent("b_cubed_f", 0.01).shown
    assert not found.better("b_cubed_f").shown


def test_better_is_shown_by_the_interval_and_more_by_the_margin():
    truth, before, after = world()
    for index in ("b_cubed_f", "variation_of_information"):
        found = cm.changes(before, after, truth, indices=[index]).truth
        [row] = found.scores
        least, most = sorted((abs(row.low), abs(row.high)))
        assert found.better(index).shown
        assert found.better(index, least * 0.99).shown
        assert "may not be better by more" in found.better(index, least * 1.01).sentence
        assert "is not better by more" in found.better(index, most * 1.01).sentence
        back = cm.changes(after, before, truth, indices=[index]).truth.better(index)
        assert not back.shown
        assert "is not better" in back.sentence


def test_equivalence_needs_both_limits():
    truth, before, after = world()
    for index in ("b_cubed_f", "variation_of_information"):
        for one, other in ((before, after), (after, before)):
            found = cm.changes(one, other, truth, indices=[index]).truth
            [row] = found.scores
            least, most = sorted((abs(row.low), abs(row.high)))
            assert found.equivalent(index, most * 1.3).shown
            assert not found.equivalent(index, most * 0.99).shown
            assert "may differ by" in found.equivalent(index, most * 0.99).sentence
            assert "they differ by" in found.equivalent(index, least * 0.99).sentence


def test_a_margin_adds_what_it_shows():
    truth, before, after = world()
    plain = cm.changes(before, after, truth).truth.scores
    assert all(row.p_loss is None and row.at_margin is None for row in plain)
    assert all(row.p_better > 0.99 for row in plain if row.verdict == "better")
    [row] = cm.changes(before, after, truth, indices="b_cubed_f", margin=0.9).truth.scores
    assert row.at_margin == "equivalent"
    [row] = cm.changes(before, after, truth, indices="b_cubed_f", margin=1e-6).truth.scores
    assert row.at_margin == "better by more"
    assert row.p_loss + row.p_better == pytest.approx(1, abs=1e-3)
    back = cm.changes(after, before, truth, indices="b_cubed_f", margin=1e-6)
    [row] = back.truth.scores
    assert row.at_margin == "worse by more"
    assert row.p_better < 0.01
    assert "worse by more" in repr(back)
    edge = cm.changes(before, after, truth, indices="b_cubed_f").truth.scores[0].low * 1.05
    [row] = cm.changes(before, after, truth, indices="b_cubed_f", margin=edge).truth.scores
    assert row.at_margin == "not worse"
    for margin in (0, -0.1, 2.0, "0.1"):
        with pytest.raises(cm.InputError, match="margin"):
            cm.changes(before, after, truth, margin=margin)
    with pytest.raises(cm.InputError, match=r"margin=0\.1 is for scores against a truth"):
        cm.changes(before, after, margin=0.1)


def test_no_difference_shown_has_its_probability():
    truth, before, _ = world()
    after = before.copy()
    after[:12] = truth[:12]
    after[12:22] = before[40:50]
    found = cm.changes(before, after, truth, indices=["b_cubed_f"])
    [row] = found.truth.scores
    assert row.verdict == "not shown"
    word = "better" if row.p_better > 0.5 else "worse"
    assert f"no difference is shown; probably {word}: b_cubed_f " in found.verdict


def test_not_worse_without_an_interval():
    truth, before, after = world(n=60)
    same = cm.changes(before, before, truth).truth
    assert same.not_worse("b_cubed_f", 0.01) == (True, same.not_worse("b_cubed_f", 0.01).sentence)
    assert "nothing differs" in same.not_worse("b_cubed_f", 0.01).sentence
    weighted = cm.changes(before, after, truth, weights=np.linspace(1, 2, 60)).truth
    answer = weighted.not_worse("b_cubed_f", 0.01)
    assert not answer.shown
    assert "not shown" in answer.sentence
    # equal scores that might differ as well are no proof
    swapped = cm.changes([0, 0, 1, 1], [0, 1, 1, 0], [0, 1, 2, 3], weights=[1, 2, 1, 2], indices=["rand"]).truth
    assert swapped.scores[0].before == swapped.scores[0].after
    assert not swapped.not_worse("rand", 0.01).shown
    for margin in (0, -1, float("nan"), True, "0.1", 1, 3.0):
        with pytest.raises(cm.InputError, match="margin"):
            same.not_worse("b_cubed_f", margin)
    with pytest.raises(cm.InputError, match="margin=None"):
        same.better("b_cubed_f", None)
    with pytest.raises(cm.InputError, match="was not compared"):
        same.not_worse("rand", 0.01)


def test_records_without_a_true_label_are_left_out_of_the_scores_only():
    before = {1: "a", 2: "a", 3: "b", 4: "b", 5: "c"}
    after = {1: "a", 2: "x", 3: "b", 4: "b", 5: "b"}
    truth = {1: "t", 2: "t", 3: "u", 9: "u", 4: None}
    found = cm.changes(before, after, truth)
    assert found.table.n_used == 5
    assert found.truth.records == 3
    alone = cm.changes(
        {i: before[i] for i in (1, 2, 3)}, {i: after[i] for i in (1, 2, 3)}, {i: truth[i] for i in (1, 2, 3)}
    )
    assert [row[:4] for row in found.truth.scores] == [row[:4] for row in alone.truth.scores]
    assert found.truth.pairs == alone.truth.pairs == (0, 1, 0, 0)


def test_near_ties_are_settled_exactly():
    """Distances that differ by less than doubles show."""
    big = 2**40
    # one true cluster; before it is in one cluster with big strangers, after with one more of them
    truth = ["t", "u", "u"]
    found = cm.changes(["x", "x", "y"], ["x", "x", "x"], truth, counts=[1, big, 1]).truth
    assert found.fates["worse"].number == 1
    assert found.pairs == (big, 0, 0, 1)
    assert {row.cluster: row.fate for row in found.clusters(None)}["t"] == "worse"
