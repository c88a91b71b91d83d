"""Many predictions of one truth: the spread of a difference is what leaving out points one by one gives."""

from __future__ import annotations

import json
import math
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustermark as cm
from clustermark.evaluation.differences import combine
from clustermark.evaluation.paired_groups import ComponentUnits
from clustermark.uncertainty.significance import holm, rank_limits
from needs import need

INDICES = ["adjusted_rand", "jaccard", "v_measure", "b_cubed_f", "purity", "adjusted_mutual_information", "mirkin"]
LONE = {0: "singletons"}
POLICIES = ({}, {"noise_pred": LONE}, {"noise_true": LONE}, {"noise_true": LONE, "noise_pred": LONE})


@st.composite
def contests(draw, predictions=2, most=12):
    """A truth, predictions that are mostly like it, and policies."""
    n = draw(st.integers(5, most))
    label = st.integers(0, draw(st.integers(1, 4)))
    truth = draw(st.lists(label, min_size=n, max_size=n))
    made = [[draw(st.one_of(st.just(t), label)) for t in truth] for _ in range(predictions)]
    return truth, made, draw(st.sampled_from(POLICIES))


def deletion_variance(truth, parts, index, policies):
    """The jackknife of Σ weight · score, by leaving out each point in turn; None where a score is not defined.

    parts: pairs (weight, prediction).
    """
    n = len(truth)
    growth = {"mirkin": 2}.get(index, 0)
    values = []
    for out in range(n):
        total = 0.0
        for weight, labels in parts:
            table = cm.crosstab(truth[:out] + truth[out + 1 :], labels[:out] + labels[out + 1 :], **policies)
            try:
                total += weight * cm.find(index).strict.of(table)
            except ZeroDivisionError:
                return None
        values.append(total * (n / (n - 1)) ** growth)
    return (n - 1) * float(np.var(values))


@pytest.mark.slow
@given(contests(), st.sampled_from(INDICES))
@settings(max_examples=60, deadline=None)
def test_the_paired_variance_is_that_of_leaving_out_points(contest, index):
    truth, (one, other), policies = contest
    row = cm.compare(truth, {"a": one, "b": other}, [index], unit="point", **policies).differences()[0]
    wanted = deletion_variance(truth, [(1, one), (-1, other)], index, policies)
    if wanted is None:
        assert row.standard_error is None
        assert row.notes == ("not defined when one point is removed",)
    else:
        assert row.standard_error == pytest.approx(math.sqrt(wanted), rel=1e-6, abs=1e-7)


@pytest.mark.slow
@given(contests(predictions=5), st.sampled_from(["adjusted_rand", "b_cubed_f"]))
@settings(max_examples=25, deadline=None)
def test_runs_vary_with_points_and_with_seeds(contest, index):
    truth, runs, policies = contest
    comparison = cm.compare(truth, {"a": runs[:3], "b": runs[3:]}, [index], unit="point", **policies)
    parts = [(1 / 3, labels) for labels in runs[:3]], [(-1 / 2, labels) for labels in runs[3:]]
    scores = [cm.find(index).of(cm.crosstab(truth, labels, **policies)) for labels in runs]
    seeds = [np.var(scores[:3], ddof=1) / 3, np.var(scores[3:], ddof=1) / 2]
    points = deletion_variance(truth, [*parts[0], *parts[1]], index, policies)
    row = comparison.differences()[0]
    sign = 1 if row.first == "a" else -1
    assert row.difference == pytest.approx(sign * (np.mean(scores[:3]) - np.mean(scores[3:])), abs=1e-12)
    if points is None:
        assert row.standard_error is None
        return
    assert row.standard_error == pytest.approx(math.sqrt(points + sum(seeds)), rel=1e-6, abs=1e-7)
    board = comparison.leaderboard()
    alone = deletion_variance(truth, parts[0], index, policies)
    assert board["a"].standard_error == pytest.approx(math.sqrt(alone + seeds[0]), rel=1e-6, abs=1e-7)
    assert board["a"].sd == pytest.approx(np.std(scores[:3], ddof=1), abs=1e-12)
    assert (board["a"].runs, board["b"].runs) == (3, 2)


def test_points_and_seeds_are_combined_as_designed():
    spread = combine(0.0004, [(0.03, 5)])
    seeds = 0.03**2 / 5
    assert spread.variance == pytest.approx(0.0004 + seeds)
    assert spread.degrees == pytest.approx(4 * (0.0004 + seeds) ** 2 / seeds**2)
    assert combine(0.0004, [(0.0, 1), (0.0, 4)]).degrees == math.inf
    assert combine(0.0004, [(0.0, 1)], 8).degrees == pytest.approx(8)
    both = (0.0004 + seeds) ** 2 / (0.0004**2 / 8 + seeds**2 / 4)
    assert combine(0.0004, [(0.03, 5)], 8).degrees == pytest.approx(both)


@pytest.mark.parametrize("policies", [{}, {"noise_pred": LONE}])
def test_the_order_of_points_changes_no_bit(policies):
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 40, 2_000)
    runs = [np.where(rng.random(2_000) < share, rng.integers(0, 40, 2_000), truth) for share in (0.2, 0.21, 0.4)]
    order = rng.permutation(2_000)
    one = cm.compare(truth, {"a": runs[:2], "b": runs[2]}, INDICES, **policies)
    other = cm.compare(truth[order], {"a": [run[order] for run in runs[:2]], "b": runs[2][order]}, INDICES, **policies)
    for index in one.indices:
        assert list(one.differences(index)) == list(other.differences(index))
        assert list(one.leaderboard(index)) == list(other.leaderboard(index))


@pytest.mark.slow
@given(contests(predictions=3), st.lists(st.integers(0, 3), min_size=12, max_size=12))
@settings(max_examples=25, deadline=None)
def test_counts_stand_for_repeated_points(contest, counts):
    truth, predictions, policies = contest
    counts = counts[: len(truth)]
    if sum(counts) < 5:
        return
    repeated = [np.repeat(labels, counts).tolist() for labels in [truth, *predictions]]
    ours = cm.compare(truth, predictions, counts=counts, **policies)
    theirs = cm.compare(repeated[0], repeated[1:], **policies)
    assert ours.n_used == theirs.n_used == sum(counts)
    for index in ours.indices:
        assert list(ours.differences(index)) == list(theirs.differences(index))


def joint_components(labelings):
    """The component of each point, where points of one cluster of any labeling belong together."""
    component = list(range(len(labelings[0])))
    for labels in labelings:
        for i, j in combinations(range(len(labels)), 2):
            if labels[i] == labels[j] and component[i] != component[j]:
                old, new = component[i], component[j]
                component = [new if one == old else one for one in component]
    return component


@st.composite
def blocks(draw):
    """Blocks that share no cluster, each with a truth and two predictions."""
    labelings = [[], [], []]
    for block in range(draw(st.integers(2, 7))):
        size = draw(st.integers(1, 4))
        for labels in labelings:
            labels += [(block, draw(st.integers(0, 2))) for _ in range(size)]
    return labelings


@pytest.mark.slow
@given(blocks(), st.sampled_from(["adjusted_rand", "jaccard", "b_cubed_f", "adjusted_mutual_information"]))
@settings(max_examples=40, deadline=None)
def test_components_are_left_out_and_swapped_as_by_hand(labelings, index):
    truth, one, other = labelings
    component = joint_components(labelings)
    names = sorted(set(component))
    score = cm.find(index)
    row = cm.compare(truth, {"a": one, "b": other}, [index], unit="component").differences()[0]
    assert row.n_units == len(names)
    if cm.rand(one, other) == 1 and row.notes == ("no difference at any point",):
        return
    if max(map(component.count, names)) * 2 > len(truth):
        assert row.p_value is None
        assert "joins most of the data" in row.notes[0]
        return
    values = []
    for out in names:
        kept = [place for place, name in enumerate(component) if name != out]
        tables = [cm.crosstab([truth[i] for i in kept], [labels[i] for i in kept]) for labels in (one, other)]
        try:
            values.append(score.strict.of(tables[0]) - score.strict.of(tables[1]))
        except ZeroDivisionError:
            assert row.standard_error is None
            return
    error = math.sqrt((len(names) - 1) * np.var(values))
    assert row.standard_error == pytest.approx(error, rel=1e-6, abs=1e-7)
    if row.standard_error == 0:
        return
    far = 0
    for swapped in product([False, True], repeat=len(names)):
        which = dict(zip(names, swapped, strict=True))
        first = [(c, b if which[c] else a) for a, b, c in zip(one, other, component, strict=True)]
        second = [(c, a if which[c] else b) for a, b, c in zip(one, other, component, strict=True)]
        far += abs(score(truth, first) - score(truth, second)) >= abs(row.difference) - 1e-12
    assert row.method == "swapping"
    assert row.p_value == pytest.approx(far / 2 ** len(names))
    assert (row.low is None) == (len(names) < 10)  # fewer than ten independent groups


def test_many_components_are_left_out_only(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ComponentUnits, "swapped_below", 100)
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(150), 4)
    moved = [np.where(rng.random(600) < share, 1000 + np.arange(600), truth) for share in (0.2, 0.4)]
    row = cm.compare(truth, moved, ["adjusted_rand"], unit="component").differences()[0]
    assert (row.method, row.n_units) == ("jackknife", 150)
    assert row.p_value < 0.001
    few = cm.compare(truth[:200], [labels[:200] for labels in moved], ["adjusted_rand"], unit="component")
    row = few.differences()[0]
    assert (row.method, row.n_units) == ("swapping", 50)
    assert row.p_value == few.differences()[0].p_value >= 1 / 10_000


def test_points_alone_are_components_of_their_own():
    truth = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    one = [0, 0, 1, 1, 2, 2, -1, -1, 4, 4, 5, 5]
    other = [0, 0, 1, -1, 2, 2, 3, 3, 4, 4, -1, -1]
    lone = {-1: "singletons"}
    named = [[label if label >= 0 else 100 + place for place, label in enumerate(labels)] for labels in (one, other)]
    ours = cm.compare(truth, {"a": one, "b": other}, unit="component", noise_pred=lone).differences()[0]
    theirs = cm.compare(truth, dict(zip("ab", named, strict=True)), unit="component").differences()[0]
    assert ours == theirs


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == [0.03, 0.06, 0.06, 0.02]
    assert holm([0.5, 0.6]) == [1.0, 1.0]
    assert holm([None, 0.02, None]) == [None, 0.02, None]


def test_ranks_leave_out_what_is_shown():
    apart = {
        ("a", "b"): True,
        ("a", "c"): True,
        ("a", "d"): True,
        ("b", "c"): False,
        ("b", "d"): True,
        ("c", "d"): False,
    }
    assert rank_limits("abcd", apart) == {"a": (1, 1), "b": (2, 3), "c": (2, 4), "d": (3, 4)}


@pytest.fixture
def three():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 4, 600)
    noisy = [np.where(rng.random(600) < share, rng.integers(0, 4, 600), truth) for share in (0.1, 0.115, 0.6)]
    return truth, dict(zip(["first", "second", "third"], noisy, strict=True))


def test_what_is_tied_and_what_is_not(three):
    comparison = cm.compare(*three, ["adjusted_rand", "variation_of_information"])
    board = comparison.leaderboard()
    assert comparison.best() == board.best == ["first", "second"]
    assert [row.ranks for row in board] == ["1–2", "1–2", "3"]
    assert "may be chance" in comparison.verdict
    assert "tied for first" in comparison.verdict
    lower = comparison.leaderboard("variation_of_information")
    assert lower[0].score < lower[1].score < lower[2].score
    sure = cm.compare(three[0], {name: three[1][name] for name in ("first", "third")})
    assert sure.verdict.startswith("first is best by adjusted_rand")
    assert "holds up (p < 0.0001)" in sure.verdict


def test_a_margin_says_what_is_no_worse(three):
    comparison = cm.compare(*three, ["adjusted_rand", "variation_of_information"])
    wide, narrow = (comparison.differences(margin=margin)["first", "second"] for margin in (0.2, 1e-6))
    assert wide.non_inferior
    assert not narrow.non_inferior
    assert wide.high < 0.2
    assert wide.p_margin < 0.025 < narrow.p_margin
    distance = comparison.differences("variation_of_information", margin=1.0)["first", "third"]
    assert distance.difference < 0
    assert distance.non_inferior == (distance.low > -1.0)
    assert comparison.differences("variation_of_information", margin=1.0)["first", "second"].non_inferior
    with pytest.raises(cm.InputError, match="margin=0 must be a number above 0"):
        comparison.differences(margin=0)
    with pytest.raises(cm.InputError, match=r"must be less than 1, which is 100 points; did you mean 0\.03\?"):
        comparison.differences("adjusted_rand", margin=3)


def test_no_difference_can_be_shown_that_is_larger_than_scores_can_differ():
    """Two runs that have little in common tell hardly anything of their mean."""
    truth = [0, 0, 1, 1] * 10
    found = cm.compare(truth, {"runs": [truth, [0, 1, 1, 1] * 10], "once": truth}, ["adjusted_rand"])
    row = found.differences()[0]
    assert row.low is not None
    assert row.detectable is None
    assert "Data like these can show no difference, however large." in found.verdict


def test_the_smallest_difference_that_can_be_shown(three):
    truth, predictions = three
    row = cm.compare(*three, ["adjusted_rand"]).differences(margin=0.01)[0]
    least = (2.393980 + 0.841621) * row.standard_error  # one of three tests
    assert least * (1 - 1e-5) <= row.detectable < 1.3 * least  # larger differences vary more
    two = {name: predictions[name] for name in ("first", "second")}
    row = cm.compare(truth, two, ["adjusted_rand"]).differences()[0]
    least = (1.959964 + 0.841621) * row.standard_error
    assert least * (1 - 1e-5) <= row.detectable < 1.3 * least


def test_the_verdict_says_for_how_many_pairs_p_is_adjusted(three):
    truth, predictions = three
    ranked = cm.compare(*three, ["adjusted_rand"])
    assert f"(p = {ranked.differences()[0].p_holm:.4f} by Holm for 3 pairs)" in ranked.verdict
    two = {name: predictions[name] for name in ("first", "third")}
    assert "(p < 0.0001)" in cm.compare(truth, two, ["adjusted_rand"]).verdict


def draw_three(seed):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, 120)
    a = np.where(rng.random(120) < 0.12, rng.integers(0, 4, 120), truth)
    b = np.where(rng.random(120) < 0.12, rng.integers(0, 4, 120), a)
    c = np.where(rng.random(120) < 0.16, rng.integers(0, 4, 120), truth)
    return cm.compare(truth, {"A": a, "B": b, "C": c}, ["adjusted_rand"])


def test_the_verdict_names_a_method_that_is_tied_and_not_merely_the_second():
    found = draw_three(28)
    assert found.best() == ["A", "C"]
    assert [row.method for row in found.leaderboard()] == ["A", "B", "C"]
    score = found.score("C")
    difference = found.differences()["A", "C"].difference
    assert f"against {score:.4f} of C, but a difference of {difference:.4f}" in found.verdict
    assert "the two are tied for first. B, in between, is shown to be worse than A." in found.verdict


@pytest.mark.parametrize("seed", range(12))
def test_the_verdict_says_of_an_interval_without_zero_that_it_is_not_adjusted(seed):
    found = draw_three(seed)
    first = found.leaderboard()[0].method
    tied = next((row.method for row in found.leaderboard()[1:] if row.best), None)
    row = None if tied is None else found.differences()[first, tied]
    excluded = row is not None and row.low > 0
    assert ("; the interval is not adjusted)" in found.verdict) == excluded


def test_few_differing_points_are_said():
    truth = [0, 1, 2, 3] * 50
    one = truth.copy()
    one[:30] = [0] * 30
    other = one.copy()
    other[50], other[61] = 0, 0
    row = cm.compare(truth, {"a": one, "b": other}).differences()[0]
    assert row.notes[0].startswith("only 2 points placed differently")
    same = cm.compare(truth, {"a": one, "b": [f"x{label}" for label in one]}).differences()[0]
    assert (same.difference, same.p_value, same.standard_error) == (0, 1.0, 0)
    assert "no difference at any point" in same.notes


def test_weights_rank_without_intervals(three):
    truth, predictions = three
    comparison = cm.compare(truth, predictions, weights=np.linspace(0.5, 2, len(truth)))
    row = comparison.differences()[0]
    assert (row.standard_error, row.p_value) == (None, None)
    assert row.notes == ("weights are not counts; name the groups that were sampled",)
    assert comparison.leaderboard()[0].low is None
    assert comparison.leaderboard()[0].ranks == "1–3"
    assert "cannot be said" in comparison.verdict


def test_predictions_are_compared_on_common_points():
    truth = {f"r{i}": i % 3 for i in range(60)}
    one = {item: label for item, label in truth.items() if item != "r0"}
    other = {item: label for item, label in truth.items() if item not in ("r1", "r2")} | {"new": 1}
    with pytest.raises(cm.InputError, match="y_true lacks 1 of 61 ids"):
        cm.compare(truth, {"one": one, "other": other})
    with pytest.raises(cm.InputError, match=r"predictions\['one'\] lacks 1 of 60 ids"):
        cm.compare(truth, {"one": one})
    with pytest.raises(cm.InputError, match=r"y_true has 60 labels and predictions\['one'\] has 59"):
        cm.compare(list(truth.values()), {"one": list(one.values())})
    dropped = cm.compare(truth, {"one": one, "other": other}, unmatched="drop")
    assert (dropped.n_given, dropped.n_used) == (61, 57)
    assert "compared on the 57 of 61 that all have (y_true lacks 1, one lacks 2, other lacks 2)" in repr(dropped)
    alone = cm.compare(truth, {"one": one, "other": other}, unmatched="singletons")
    assert alone.n_used == 61
    assert alone.score("one") == cm.adjusted_rand.of(cm.crosstab({**truth, "new": "t"}, {**one, "r0": "p", "new": "q"}))


def test_indices_of_the_default_without_a_meaning_are_told():
    truth, pred = {"a": 0, "b": 0, "c": 1, "d": 1}, {"a": 0, "b": 0, "c": 1, "e": 1}
    compared = cm.compare(truth, {"p": pred}, unmatched="keep")
    assert [index.label for index in compared.indices] == ["b_cubed_f"]
    assert list(compared.refused) == ["adjusted_rand", "adjusted_mutual_information"]
    for shown in (repr(compared), compared._repr_html_(), compared.report()):
        assert all(name in shown.partition("left out")[2] for name in compared.refused)
    validate = need("jsonschema").validate
    validate(json.loads(compared.to_json()), cm.json_schema())
    assert json.loads(compared.to_json())["refused"] == compared.refused
    with pytest.raises(cm.InputError, match="indices: name some; of the default none can be scored: adjusted_rand"):
        cm.compare([0, 0, 1], {"p": [0, 0, -1]}, noise_pred={-1: "unscored"})


def test_missing_labels_are_an_error_or_a_policy():
    with pytest.raises(cm.InputError, match=r"predictions\['b'\] has 1 missing label\(s\), the first at position 2"):
        cm.compare([0, 0, 1, 1], {"a": [0, 0, 1, 1], "b": [0, 0, None, 1]})
    comparison = cm.compare([0, 0, 1, 1], {"a": [0, 0, 1, 1], "b": [0, 0, None, 1]}, missing="drop")
    assert comparison.n_used == 3
    with pytest.raises(cm.InputError, match="no point in common"):
        cm.compare([0, 1], {"a": [None, 0], "b": [0, None]}, missing="drop")


def test_unscored_noise_and_unmatched_items_are_compared_too():
    truth = [0, 1, 2] * 20
    one = [0, 1, 2] * 18 + [-1] * 6
    other = [0, 1, 1] * 20
    comparison = cm.compare(truth, {"a": one, "b": other}, ["jaccard_concentration"], noise_pred={-1: "unscored"})
    row = comparison.differences()[0]
    assert row.p_value is not None
    components = cm.compare(truth, {"a": one, "b": other}, "rand", noise_pred={-1: "drop"}, unit="component")
    assert components.differences()[0].p_value is None


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (([0, 1], {}), {}, "there is none; pass at least one by its name"),
        (([0, 1], None), {}, "predictions is None"),
        (([0, 1], {"y_true": [0, 1]}), {}, "'y_true' is taken"),
        (([0, 1], {"a": [0, 1]}, []), {}, "indices: there is none"),
        (([0, 1], {"a": [0, 1]}), {"level": 2.0}, "level=2.0"),
        (([0, 1], {"a": [0, 1]}), {"unit": "cluster"}, "unit='cluster' is unknown"),
        (([0, 1], {"a": [0, 1, 2]}), {}, "has 2 labels and"),
        (([0, 1], {"a": [0, 1]}), {"memory": "1GB"}, "memory= is for sources"),
        (([0, 1], {"a": [0, 1]}), {"true": "x"}, "predictions: true= and pred= name the columns"),
        (([0, 1], {"a": [0, 1]}, ["mcnemar"]), {}, "neither better nor worse"),
    ],
)
def test_mistakes_are_named(arguments, options, words):
    with pytest.raises(cm.InputError, match=words):
        cm.compare(*arguments, **options)


def test_what_was_not_compared_is_an_error(three):
    comparison = cm.compare(*three)
    with pytest.raises(cm.InputError, match="purity was not compared"):
        comparison.leaderboard("purity")
    with pytest.raises(cm.InputError, match="there is no 'fourth'"):
        comparison.score("fourth")
    with pytest.raises(KeyError, match="no method 'fourth'"):
        comparison.leaderboard()["fourth"]
    with pytest.raises(KeyError, match="the better method comes first"):
        comparison.differences()["second", "first"]


def test_frames_generators_and_columns(three):
    pandas = need("pandas")
    truth, predictions = three
    wanted = cm.compare(truth, predictions).to_dict()
    assert cm.compare(truth, ((name, labels) for name, labels in predictions.items())).to_dict() == wanted
    assert cm.compare(truth, pandas.DataFrame(predictions)).to_dict() == wanted
    unnamed = cm.compare(truth, list(predictions.values()))
    assert unnamed.methods == ("0", "1", "2")
    frame = cm.compare(truth, predictions).to_pandas()
    assert list(frame["method"][:3]) == ["first", "second", "third"]


def test_one_method_is_told_alone(three):
    truth, predictions = three
    comparison = cm.compare(truth, {"first": predictions["first"]})
    assert comparison.verdict.startswith("first is the only method")
    assert comparison.leaderboard()[0].ranks == "1"
    assert len(comparison.differences()) == 0


def test_a_paper_is_told_how(three):
    said = cm.compare(*three).methods_text()
    for word in ("600 points", "95 %", "jackknife", "Holm", "Severiano", "Hubert & Arabie", "80 % power"):
        assert word in said
    truth = [0, 1, 2] * 40
    one_pair = cm.compare(truth, {"good": [*truth[:-3], 0, 0, 0], "poor": [0, 0, 1] * 40}).methods_text()
    assert "depending on the pair" in said
    assert "depending on the pair" not in one_pair


def test_equal_scores_are_tied():
    for truth, methods, index in (
        ([0, 1], {"m": [5, 6], "o": [0, 1]}, "adjusted_rand"),
        ([0, 0, 1, 1], {"m": [0, 0, 1, 1], "o": [1, 1, 0, 0]}, "kulczynski1"),
    ):
        compared = cm.compare(truth, methods, [index])
        assert f"m and o have the same {index}" in compared.verdict
        assert "m and o are tied for first" in compared.verdict or "the two are tied" in compared.verdict
        assert compared.differences()[0].difference == 0


def test_the_interval_of_a_difference_stays_within_what_is_possible():
    truth = [0] * 9 + [1] * 9
    [row] = cm.compare(truth, {"a": [*truth[:-1], 0], "b": [0, 1, 2] * 6}, ["jaccard"]).differences()
    assert row.low < row.difference < row.high == 1
    distance = cm.compare(truth, {"a": [*truth[:-1], 0], "b": [0, 1, 2] * 6}, ["jaccard_error"]).differences()[0]
    assert distance.low >= -1


def test_texts_are_no_labels():
    with pytest.raises(cm.InputError, match=r"y_true is a single text; pass one label a point, or name .* by true="):
        cm.compare("runs.csv", {"a": [0, 1]})
    with pytest.raises(cm.InputError, match=r"predictions\['a'\] is a single text; pass one label a point"):
        cm.compare(list("aab"), {"a": "abb"})


def test_a_test_and_an_interval_that_disagree_are_said_to():
    disagree = []
    for seed in (26, 27):
        rng = np.random.default_rng(seed)
        truth = np.repeat(np.arange(15), rng.integers(2, 7, 15))
        one, other = truth * 2 + (rng.random(len(truth)) < 0.3), truth * 3 + rng.integers(0, 3, len(truth))
        [row] = cm.compare(truth, {"a": one, "b": other}, ["jaccard"], unit="component").differences()
        disagree.append((row.low > 0) != (row.p_value < 0.05))
        assert disagree[-1] == any("disagree here; p is the safer one" in note for note in row.notes)
    assert any(disagree)
    assert not all(disagree)
