"""Sweeps of scored pairs against the evaluation of every threshold by itself."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clustermark import ClustermarkWarning, InputError, PairCounts, crosstab, find, sweep
from clustermark.evaluation.pair_closing import sweep_pairs
from clustermark.evaluation.pair_partitions import find_borders
from clustermark.registry.tracking import SweptPartitions, tracked_indices

EXACT = {
    *("pair_precision", "pair_recall", "dice", "f_measure", "jaccard", "rand", "purity", "inverse_purity", "mirkin"),
    *("cluster_precision", "cluster_recall", "cluster_f", "muc_precision", "muc_recall", "muc_f", "merge_distance"),
}


def close(ids, pairs, threshold):
    """The clusters of all pairs of at least this score, each called like its first record."""
    cluster = {one: one for one in ids}
    order = {one: place for place, one in enumerate(ids)}
    for left, right, score in pairs:
        if score >= threshold:
            old, new = sorted((cluster[left], cluster[right]), key=order.__getitem__, reverse=True)
            cluster = {one: new if name == old else name for one, name in cluster.items()}
    return cluster


@st.composite
def worlds(draw):
    """A truth by id, and pairs with ties, repeats, pairs of a record with itself and records without truth."""
    n = draw(st.integers(2, 12))
    labels = draw(st.lists(st.integers(0, 4), min_size=1, max_size=n))
    truth = {f"r{number}": label for number, label in enumerate(labels)}
    record = st.integers(0, n - 1).map("r{}".format)
    pairs = draw(st.lists(st.tuples(record, record, st.sampled_from([0.1, 0.3, 0.5, 0.7, 0.9])), max_size=25))
    return truth, [*pairs, ("r0", "r0", 0.1)]  # or no record of the pairs may be in the truth


def columns(pairs):
    return tuple([pair[place] for pair in pairs] for place in range(3))


def ids_of(truth, pairs):
    """All ids, in the order in which a sweep numbers them."""
    left, right, _ = columns(pairs)
    return list(dict.fromkeys([*truth, *left, *right]))


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(worlds(), st.sampled_from(["drop", "singletons", "keep"]))
def test_every_threshold_is_what_evaluate_says(world, unmatched):
    truth, pairs = world
    found = sweep_pairs(truth, columns(pairs), unmatched=unmatched)
    ids = ids_of(truth, pairs)
    one_sided = unmatched == "keep" and len(ids) > len(truth)
    indices = [index for index in tracked_indices() if index.one_sided or not one_sided]
    for threshold in [math.inf, *sorted({score for *_, score in pairs}, reverse=True), 0.0]:
        clusters = close(ids, pairs, threshold)
        assert found.labels(threshold) == clusters
        table = crosstab(truth, clusters, unmatched=unmatched)
        assert found.table(threshold).profile == table.profile
        place = found.partitions.place(threshold)
        for index in indices:
            mine, theirs = found.partitions.score(index)[place], index.of(table)
            if index.name in EXACT:
                assert mine == theirs, index.name
            assert mine == pytest.approx(theirs, abs=1e-12, rel=1e-12), index.name


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(worlds())
def test_losses_add_up(world):
    truth, pairs = world
    found = sweep_pairs(truth, columns(pairs), unmatched="drop")
    best: dict[frozenset[str], float] = {}
    for left, right, score in pairs:
        if left != right and left in truth and right in truth:
            best[frozenset((left, right))] = max(score, best.get(frozenset((left, right)), score))
    for threshold in (0.2, 0.5, 0.7, 1.0):
        clusters = close(ids_of(truth, pairs), pairs, threshold)
        count = Counter()
        for left, right in combinations(truth, 2):
            score = best.get(frozenset((left, right)))
            together = clusters[left] == clusters[right]
            enough = score is not None and score >= threshold
            if truth[left] == truth[right]:
                count["true_pairs"] += 1
                lost = "never_proposed" if score is None else "scored_below"
                count["found" if enough else "regained" if together else lost] += 1
            elif together:
                count["false_scored" if enough else "falsely_added"] += 1
        mine = found.losses(threshold)._asdict()
        assert mine.pop("threshold") == threshold
        assert mine == {name: count[name] for name in mine}
    raw = found.raw.to_dict()
    for threshold, n, true in zip(raw["threshold"], raw["pairs"], raw["true_pairs"], strict=True):
        above = [pair for pair, score in best.items() if score >= threshold]
        assert n == len(above)
        assert true == sum(len({truth[one] for one in pair}) == 1 for pair in above)
    others = [frozenset((left, right)) for left, right, _ in pairs if left != right]
    assert found.n_repeated_pairs == len(others) - len(set(others))
    assert found.n_self_pairs == len(pairs) - len(others)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(worlds())
def test_the_best_threshold_is_the_best_of_all(world):
    truth, pairs = world
    found = sweep_pairs(truth, columns(pairs), unmatched="drop")
    for name in ("b_cubed_f", "dice", "variation_of_information", "ceaf_e_f"):
        index = find(name)
        thresholds = [math.inf, *sorted({score for *_, score in pairs}, reverse=True)]
        scores = [index.of(found.table(threshold)) for threshold in thresholds]
        best = max(scores) if index.facts.higher_is_better else min(scores)
        choice = found.best(name)
        assert choice.score == pytest.approx(best, abs=1e-12)
        assert index.of(found.table(choice.threshold)) == pytest.approx(best, abs=1e-12)


TRUTH = {"a": 1, "b": 1, "c": 1, "d": 2, "e": 2}
PAIRS = (["a", "b", "d", "c"], ["b", "c", "e", "d"], [0.9, 0.8, 0.7, 0.2])


def test_expected_information_is_computed_when_it_is_asked_for():
    always = sweep_pairs(TRUTH, PAIRS)
    later = sweep_pairs(TRUTH, PAIRS, indices=["dice"])
    assert np.isnan(later.partitions.states.sums["expected"]).all()
    assert later.best("adjusted_mutual_information")[:3] == always.best("adjusted_mutual_information")[:3]
    assert later.curve("AMI") == always.curve("AMI")


def test_partitions_are_scored_in_parts(monkeypatch):
    generator = np.random.default_rng(0)
    truth, scores = generator.integers(0, 9, 60), generator.random(150)
    pairs = (*generator.integers(0, 60, (2, 150)), scores)
    whole = sweep_pairs(truth, pairs, indices=tracked_indices())
    monkeypatch.setattr(SweptPartitions, "at_once", 7)
    parts = sweep_pairs(truth, pairs, indices=tracked_indices())
    assert whole.n_partitions > 40
    for index in tracked_indices():
        np.testing.assert_array_equal(whole.curve(index), parts.curve(index))
        if index.facts.higher_is_better is not None:
            every = parts.partitions.score(index) * (1 if index.facts.higher_is_better else -1)
            place = int(np.nanargmax(every))
            found = parts.best(index)
            assert (found.threshold, found.score) == (parts.partitions.thresholds(place), abs(every[place]))
            assert parts.best(index, lowest=-1.0) == found


def test_an_index_of_whole_tables_is_scored_by_the_table_at_one_threshold_too():
    generator = np.random.default_rng(3)
    truth = generator.integers(0, 9, 60)
    found = sweep_pairs(truth, (*generator.integers(0, 60, (2, 150)), generator.random(150)))
    names = ["transfer_distance", "local_consistency_error", "element_centric", "pointwise_jaccard", "ceaf_e_f", "dice"]
    for threshold in (0.3, 0.6, 2.0):
        scores = found.scores(threshold, names)
        assert {name: scores[name] for name in names[:-1]} == dict(found.at(threshold, names[:-1]))


def test_a_sweep_does_not_change_with_the_array_of_its_truth():
    truth = np.array([2, 2, 0, 1, 0, 1], np.int32)
    found = sweep_pairs(truth, (np.array([0, 2, 3]), np.array([1, 4, 0]), np.array([0.9, 0.8, 0.7])))
    before = found.at(0.8).to_dict()
    truth[:] = 0
    assert found.at(0.8).to_dict() == before
    assert found.table(0.8).n_true_clusters == 3


@pytest.mark.parametrize(
    "truth", [[2, 2, 0, 1, 0, 1], [2, 2, -1, 9, -1, 9], np.array([200, 200, 0, 7, 0, 7], np.uint8)]
)
def test_tables_have_the_order_of_crosstab(truth):
    pairs = (np.array([0, 2, 3]), np.array([1, 4, 0]), np.array([0.9, 0.8, 0.7]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ClustermarkWarning)
        found = sweep_pairs(truth, pairs)
    table = found.table(0.8)
    assert table.true_labels == crosstab(truth, found.labels(0.8)).true_labels
    assert table == crosstab(truth, found.labels(0.8))


def test_of_equal_thresholds_the_strictest_is_best():
    assert (
        sweep_pairs({"a": 1, "b": 2, "c": 3}, (["a", "b"], ["b", "c"], [0.9, 0.8])).best("purity").threshold == math.inf
    )
    assert sweep_pairs(TRUTH, PAIRS).best("pair_recall").threshold == 0.7


def test_noise_and_missing_labels_are_treated_as_in_crosstab():
    truth = {"a": 1, "b": 1, "c": -1, "d": -1, "e": None}
    for noise in ("cluster", "singletons", "drop"):
        for missing in ("cluster", "singletons", "drop"):
            options = {"noise_true": {-1: noise}, "missing": missing}
            found = sweep_pairs(truth, PAIRS, **options)
            for threshold in (0.9, 0.7, 0.2):
                table = crosstab(truth, found.labels(threshold), **options)
                for name in ("dice", "b_cubed_f", "cluster_f", "v_measure"):
                    mine = found.partitions.score(find(name))[found.partitions.place(threshold)]
                    assert mine == pytest.approx(find(name).of(table), abs=1e-12)


def test_distances_are_swept_from_the_lowest():
    left, right, scores = PAIRS
    similar = sweep_pairs(TRUTH, PAIRS)
    apart = sweep_pairs(TRUTH, (left, right, [1 - score for score in scores]), distance=True)
    assert apart.best("dice").threshold == pytest.approx(1 - similar.best("dice").threshold)
    assert apart.labels(0.25) == similar.labels(0.75)
    assert apart.losses(0.25)[1:] == similar.losses(0.75)[1:]
    assert apart.false_merges()[0].score == pytest.approx(0.8)
    assert apart.raw.to_dict()["threshold"] == pytest.approx([0.1, 0.2, 0.3, 0.8])
    assert apart.thresholds == sorted(apart.thresholds)
    with pytest.raises(InputError, match="only probabilities"):
        apart.calibration()


def test_positions_are_ids_where_the_truth_has_none():
    found = sweep_pairs([1, 1, 1, 2, 2], ([0, 1, 3, 2], [1, 2, 4, 3], PAIRS[2]))
    assert found.labels(0.75).tolist() == [0, 0, 0, 3, 4]
    assert found.best("dice").threshold == 0.7
    assert found.false_merges()[0][:2] == (2, 3)


def test_the_cheapest_threshold():
    found = sweep_pairs(TRUTH, (["a", "a", "b", "d"], ["b", "d", "c", "e"], [0.9, 0.5, 0.4, 0.3]))
    assert found.cheapest(false_merge=100).threshold == 0.9
    assert found.cheapest(false_merge=0.01).threshold == 0.3
    pairs = [PairCounts.of(found.table(threshold)) for threshold in (math.inf, 0.9, 0.5, 0.4, 0.3)]
    assert found.cheapest().score == min(p.ny + p.yn for p in pairs)
    assert found.cheapest(false_split=2.5).score == min(p.ny + 2.5 * p.yn for p in pairs)
    with pytest.raises(InputError, match="false_split=-1"):
        found.cheapest(false_split=-1)


def test_the_operating_point_of_a_wanted_precision():
    truth = dict(zip("abcdefgh", [1, 1, 2, 2, 2, 2, 2, 2], strict=True))
    pairs = (list("abcdefg"), list("bcdefgh"), [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3])
    found = sweep_pairs(truth, pairs)
    thresholds = [math.inf, *pairs[2]]
    precision, recall = (
        np.array([find(f"pair_{name}").of(found.table(threshold)) for threshold in thresholds])
        for name in ("precision", "recall")
    )
    enough = precision >= 0.5
    assert np.count_nonzero(enough[1:] != enough[:-1]) > 1
    choice = found.reach(0.5)
    assert choice.score >= 0.5
    assert choice.scores["pair_recall"] == recall[enough].max()
    assert "crosses 0.5" in choice.note
    assert f"pair_recall {recall[enough].max():.6f}, the most where that holds" in repr(choice)
    assert found.reach(1.0).threshold == 0.9
    with pytest.raises(InputError, match="nowhere"):
        found.reach(1.5)
    with pytest.raises(InputError, match="no counterpart"):
        found.reach(0.5, "dice")


def test_pairs_are_not_counted_with_records_of_the_prediction_only():
    found = sweep_pairs(TRUTH, (["a", "b"], ["b", "z"], [0.9, 0.8]), unmatched="keep")
    assert {index.name for index in found.indices} >= {"b_cubed_f", "purity"}
    assert "dice" not in {index.name for index in found.indices}
    for call in (
        *(lambda: found.best("dice"), lambda: found.curve("adjusted_rand"), found.cheapest, found.false_merges),
        *(lambda: found.losses(0.5), found.calibration, lambda: found.raw),
    ):
        with pytest.raises(InputError, match="unmatched"):
            call()


def test_the_pairs_that_cause_false_merges():
    merges = sweep_pairs(TRUTH, PAIRS).false_merges()
    assert list(merges) == [("c", "d", 0.2, 6, 0)]
    assert merges.to_dict()["false_pairs"] == [6]
    assert "6 false pairs" in repr(merges)
    assert len(sweep_pairs(TRUTH, PAIRS).false_merges(0.5)) == 0
    with pytest.raises(InputError, match="k=0"):
        sweep_pairs(TRUTH, PAIRS).false_merges(k=0)


def test_calibration():
    truth = dict(enumerate([0, 0, 1, 1, 2, 2]))
    found = sweep_pairs(truth, ([0, 2, 4, 0, 1], [1, 3, 5, 2, 3], [0.95, 0.95, 0.85, 0.85, 0.15]))
    bins = found.calibration(10).to_dict()
    assert bins["pairs"] == [1, 2, 2]
    assert bins["share_true"] == [0.0, 0.5, 1.0]
    assert bins["mean_probability"] == pytest.approx([0.15, 0.85, 0.95])
    assert found.calibration().brier == pytest.approx((2 * 0.05**2 + 0.15**2 + 0.85**2 + 0.15**2) / 5)
    assert found.calibration().error == pytest.approx((2 * 0.05 + 2 * 0.35 + 0.15) / 5)
    assert "Brier" in repr(found.calibration())
    with pytest.raises(InputError, match="only probabilities"):
        sweep_pairs(truth, ([0], [1], [1.5])).calibration()
    with pytest.raises(InputError, match="bins=0"):
        found.calibration(0)


def test_what_is_shown_and_written():
    found = sweep_pairs(TRUTH, PAIRS, indices=["dice", "pair_precision"])
    assert repr(found).splitlines()[0] == "4 scored pairs of 5 records; 5 partitions"
    one = sweep_pairs({"a": 1, "b": 1}, (["a"], ["a"], [0.5]))
    assert one.headline == "1 scored pair of 2 records, 1 of a record with itself; 1 partition"
    assert "dice" in repr(found)
    assert found.to_dict()["threshold"] == [math.inf, 0.9, 0.8, 0.7, 0.2]
    assert '"threshold": 0.7' in found.to_json()
    assert found.to_csv().startswith("threshold,dice,pair_precision\ninf,")
    assert dict(found.curve("b_cubed_f"))[0.7] == 1.0
    assert dict(found.curve("ceaf_e_f"))[0.7] == 1.0
    assert found.at(0.7)["adjusted_rand"] == 1.0
    assert found.best("dice", lowest=0.8).threshold == 0.8
    with pytest.raises(InputError, match="threshold=nan"):
        found.at(math.nan)
    with pytest.raises(InputError, match="neither"):
        found.best("entropy_pred")


@given(st.lists(st.floats(0, 1), min_size=1, max_size=50))
def test_thinned_curves_leave_out_little(scores):
    borders = find_borders(np.array(scores), 0.1)
    kept = sorted({0, *np.flatnonzero(borders).tolist(), len(scores) - 1})
    for first, last in zip(kept, kept[1:], strict=False):
        assert max(scores[first : last + 1]) - min(scores[first : last + 1]) < 0.1 or last == first + 1


@pytest.mark.parametrize(
    ("truth", "pairs", "options", "message"),
    [
        (TRUTH, (["a"], ["b"], [math.nan]), {}, "1 pair.* no score, the first at position 0"),
        (TRUTH, (["a"], ["b"], [None]), {}, "no score"),
        (TRUTH, (["a"], ["b"], ["high"]), {}, "no numbers"),
        (TRUTH, (["a"], [None], [1.0]), {}, "no id"),
        (TRUTH, (["a"], ["z"], [1.0]), {}, "not in the truth, such as 'z'"),
        (TRUTH, (["a", "b"], ["b"], [1.0]), {}, "one length"),
        (TRUTH, (["a"], ["b"], [1.0]), {"max_pairs": 0}, "more than max_pairs"),
        (TRUTH, (["a"], ["b"], [1.0]), {"indices": ["ceaf_e_f"]}, "needs the whole table"),
        (TRUTH, (["a"], ["z"], [1.0]), {"indices": ["dice"], "unmatched": "keep"}, "both labels"),
        (TRUTH | {"b": None}, (["a"], ["b"], [1.0]), {}, "no label"),
        (TRUTH, (["a"], ["b"], [1.0]), {"missing": "maybe"}, "missing"),
        ({"a": None}, (["a"], ["a"], [1.0]), {"missing": "drop"}, "all records were dropped"),
        ([1, 2], ([0], [2], [1.0]), {}, "no position"),
        ([1, 2], (["a"], ["b"], [1.0]), {}, "positions"),
        ({}, (["a"], ["b"], [1.0]), {}, "no records"),
        (TRUTH, (["x"], ["z"], [1.0]), {"unmatched": "drop"}, "no record of the pairs is in the truth.*'a'.*'x'"),
        ({"1": 1}, ([1, "1"], [2, 2], [1.0, 0.5]), {"unmatched": "drop"}, "use one kind"),
        (TRUTH, 7, {}, "pass a table of scored pairs"),
    ],
)
def test_refusals(truth, pairs, options, message):
    with pytest.raises(InputError, match=message):
        sweep_pairs(truth, pairs, **options)


def test_indices_that_only_count_one_kind_of_error_choose_no_threshold():
    truth = {"a": 1, "b": 1, "c": 2, "d": 2, "e": 3}
    pairs = (list("acbd"), list("bdce"), [0.9, 0.8, 0.7, 0.6])
    found = sweep_pairs(truth, pairs, ["pair_recall", "dice", "vi_split", "homogeneity", "b_cubed_f"])
    assert [one.by for one in found.bests()] == ["dice", "b_cubed_f"]
    assert {one.threshold for one in found.bests()} == {0.8}
    assert found.best("pair_recall").threshold == 0.8  # which can still be asked for
    assert [one.by for one in sweep_pairs(truth, pairs, ["pair_recall", "vi_split"]).bests()] == [
        "pair_recall",
        "vi_split",
    ]
    labelings = {1: [0] * 5, 3: [0, 0, 1, 1, 2], 5: [*range(5)]}
    swept = sweep(list(truth.values()), labelings, ["completeness", "purity", "v_measure"])
    assert [(one.by, one.threshold) for one in swept.bests()] == [("v_measure", 3)]
