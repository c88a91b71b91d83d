"""Scores estimated from a sample of the truth: published values, all samples of small worlds, and what is refused."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampled_entities import ALL, CHOSEN, PREDICTION, SAMPLE, TRUTH

import clustermark as cm
from clustermark.registry.array_scores import ArrayScores
from clustermark.releases.estimation import estimate_table
from clustermark.releases.sample_requests import SampleRequest
from clustermark.statistics.units import NoClosedFormError
from clustermark.uncertainty.sampled_truth import SampledClusters, SampledRecords, reach, read_drawn
from clustermark.uncertainty.spread import moments
from exact_fractions import exact_scores
from needs import need

TRUE = (0, 0, 0, 1, 1, 2, 2, 3)
PRED = (0, 0, 1, 1, 2, 2, 2, 3)


def draw_clusters(true, pred, chosen):
    labels = [label if label in chosen else None for label in true]
    return read_drawn(cm.crosstab(labels, pred, missing="cluster", unmatched="keep"), "error", "error")


def draw_records(true, pred, chosen):
    labels = [label if place in chosen else None for place, label in enumerate(true)]
    return read_drawn(cm.crosstab(labels, pred, missing="cluster", unmatched="keep"), "error", "error")


class Unscaled(SampledClusters):
    """Twice the sums of the sample: whole numbers, so that quotients of them are exact fractions."""

    def __init__(self, drawn):
        super().__init__(drawn)
        self.points = self._doubled(self._a)
        self._estimate = self._doubled

    def _doubled(self, parts):
        return (2 * SampledClusters._estimate(self, parts) / self._factor).round().astype(np.int64)

    @property
    def pairs(self):
        """Ordered pairs, twice: together in both, in the truth, in the prediction."""
        squares = self.sum_counts(np.square), *self.sum_sizes(np.square)
        return [int(sums[0] - self.points[0]) for sums in squares]


def test_the_six_samples_of_two_clusters():
    pairs = [Unscaled(draw_clusters(TRUE, PRED, chosen)).pairs for chosen in combinations(range(4), 2)]
    found = [Fraction(yy, pred) for yy, _, pred in pairs]
    assert found == [Fraction(*pair) for pair in ((1, 3), (4, 7), (2, 3), (2, 7), (0, 1), (1, 2))]
    assert sum(found) / 6 == Fraction(11, 28)
    assert cm.pair_precision(TRUE, PRED) == 2 / 5


def test_the_variance_of_a_sample_of_three():
    units = Unscaled(draw_clusters(TRUE, PRED, (0, 1, 2)))
    values, multiplicity = exact_scores(units, cm.pair_precision), units.multiplicity
    assert values[0] == Fraction(2, 5)
    assert moments(values, multiplicity, values[0])[0] == Fraction(124, 3969)
    truth = {place: label for place, label in enumerate(TRUE) if label < 3}
    found = cm.estimate(truth, dict(enumerate(PRED)), ["pair_precision"], design="clusters", population=4)
    assert found["pair_precision"].standard_error ** 2 == pytest.approx(31 / 3969, rel=1e-13)


def test_the_mean_totals_are_exact():
    pairs = [Unscaled(draw_clusters(TRUE, PRED, chosen)).pairs for chosen in combinations(range(4), 2)]
    # 2 of 4 clusters are drawn, and twice the ordered pairs are 4 times the pairs: on average 2, 5 and 5
    assert [Fraction(sum(column), 6) * Fraction(4, 2) / 4 for column in zip(*pairs, strict=True)] == [2, 5, 5]


def test_clusters_reached_through_records_are_weighed_by_their_chance():
    a = np.array([1.0, 2.0, 5.0])
    times = np.array([60, 50, 30])
    chance, single = reach(a, times, 10_000.0)
    assert (a * times / chance).sum() == pytest.approx(10_000, rel=1e-9)
    assert single == pytest.approx(chance[0], rel=1e-9)
    # few draws of many records: the chance grows as the size does
    assert chance / single == pytest.approx(a, rel=0.05)
    assert (chance / single)[2] < 5  # but several records may reach the same large cluster
    assert reach(a, times, float((a * times).sum()))[0] == pytest.approx(1.0, abs=1e-2)


worlds = st.integers(4, 9).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, 3), min_size=n, max_size=n) for _ in range(2)))
)


def naive_sums(true, pred):
    """Totals over the whole table, each in its most obvious way."""
    pairs = list(combinations(range(len(true)), 2))
    together = [(true[i] == true[j], pred[i] == pred[j]) for i, j in pairs]
    best = [max(sum(t == a and p == b for t, p in zip(true, pred, strict=True)) for b in set(pred)) for a in set(true)]
    share = [
        sum(pred[j] == pred[i] and true[j] == true[i] for j in range(len(true))) / pred.count(pred[i])
        for i in range(len(true))
    ]
    return {
        "yy": sum(t and p for t, p in together),
        "true": sum(t for t, _ in together),
        "pred": sum(p for _, p in together),
        "k_true": len(set(true)),
        "k_pred": len(set(pred)),
        "best": sum(best),
        "precision": sum(share),
    }


def estimated_sums(units):
    share = units.sum_clusters(lambda squares, size: squares / np.maximum(size, 1))[1][0]
    cells, (true, pred) = units.sum_counts(np.square)[0], units.sum_sizes(np.square)
    n = units.points[0]
    sums = {"yy": (cells - n) / 2, "true": (true[0] - n) / 2, "pred": (pred[0] - n) / 2, "precision": share}
    if isinstance(units, SampledClusters):
        sums |= {"k_true": units.k_true[0], "k_pred": units.k_pred[0], "best": units.sum_largest()[0][0]}
    return sums


@settings(max_examples=40, deadline=None)
@given(worlds, st.integers(1, 3))
def test_totals_over_all_samples_of_clusters_are_unbiased(world, size):
    true, pred = world
    clusters = sorted(set(true))
    size = min(size, len(clusters))
    samples = list(combinations(clusters, size))
    found = []
    for chosen in samples:
        drawn = draw_clusters(true, pred, chosen)
        # scaled by the share of clusters that were drawn, and not to the number of records, no total is biased
        records = float(drawn.a.sum()) * len(clusters) / size
        found.append(estimated_sums(SampledClusters(drawn, population=records)))
    for name, total in naive_sums(true, pred).items():
        assert sum(one[name] for one in found) / len(samples) == pytest.approx(total, abs=1e-9), name


@settings(max_examples=40, deadline=None)
@given(worlds, st.integers(2, 4))
def test_pairs_over_all_samples_of_records_are_unbiased(world, size):
    true, pred = world
    samples = list(combinations(range(len(true)), size))
    found = [estimated_sums(SampledRecords(draw_records(true, pred, chosen))) for chosen in samples]
    wanted = naive_sums(true, pred)
    for name in found[0]:
        assert sum(one[name] for one in found) / len(samples) == pytest.approx(wanted[name], abs=1e-9), name


@settings(max_examples=40, deadline=None)
@given(worlds, st.sampled_from([{}, {0: "singletons"}]), st.sampled_from([{}, {0: "singletons"}]))
def test_a_sample_of_everything_scores_as_the_table_does(world, noise_true, noise_pred):
    noise = {"noise_true": noise_true, "noise_pred": noise_pred}
    table = cm.crosstab(*world, **noise)
    drawn = read_drawn(cm.crosstab(*world, missing="cluster", unmatched="keep", **noise), "error", "error")
    kinds = [SampledClusters(drawn), SampledRecords(drawn)]
    for units in kinds:
        scores = ArrayScores(units)
        for index in cm.catalogue():
            try:
                found = float(scores.of(index)[0])
            except NoClosedFormError:
                continue
            try:
                wanted = index.strict.of(table)
            except ZeroDivisionError:
                assert not np.isfinite(found) or found == index.of(table), index.name
                continue
            assert found == pytest.approx(wanted, rel=1e-9, abs=1e-9), index.name


@settings(max_examples=40, deadline=None)
@given(worlds)
def test_what_is_left_out_is_as_if_it_had_not_been_drawn(world):
    true, pred = world
    clusters = list(dict.fromkeys(true))[:3]  # numbered as they occur
    if len(clusters) < 2:
        return
    for by_record in (False, True):
        whole = SampledClusters(draw_clusters(true, pred, clusters), by_record=by_record)
        for place, cluster in enumerate(clusters):
            rest = [other for other in clusters if other != cluster]
            left = SampledClusters(draw_clusters(true, pred, rest), by_record=by_record)
            for name in ("pair_precision", "adjusted_rand", "normalized_mutual_information", "b_cubed_f", "muc_f"):
                found, wanted = (ArrayScores(units).of(cm.find(name)) for units in (whole, left))
                assert found[place + 1] == pytest.approx(wanted[0], rel=1e-9, abs=1e-9, nan_ok=True), name
    records = SampledRecords(draw_records(true, pred, range(4)))
    entries = list(zip(records.drawn.of.tolist(), records.drawn.column.tolist(), strict=True))
    for place in range(4):
        left = SampledRecords(draw_records(true, pred, [other for other in range(4) if other != place]))
        names = list(dict.fromkeys(true[:4])), list(dict.fromkeys(pred))
        entry = entries.index((names[0].index(true[place]), names[1].index(pred[place])))
        for name in ("pair_precision", "rand", "b_cubed_precision"):
            found, wanted = (ArrayScores(units).of(cm.find(name)) for units in (records, left))
            assert found[entry + 1] == pytest.approx(wanted[0], rel=1e-9, abs=1e-9, nan_ok=True), name


def test_an_estimate_is_near_the_score_and_scoring_the_sample_alone_is_not():
    found = cm.estimate(SAMPLE, ALL, design="clusters")
    whole = cm.evaluate(TRUTH, PREDICTION)
    for name, one in found.items():
        assert one.low <= whole[name] <= one.high, name
        assert (one.unit, one.n_units, one.target) == ("cluster", 100, "finite population")
    alone = cm.evaluate(SAMPLE, ALL, ["pair_precision"], unmatched="drop")
    assert alone["pair_precision"] > found["pair_precision"].high


def test_the_population_narrows_the_interval_and_is_estimated_where_nobody_knows_it():
    one, few = (
        cm.estimate(SAMPLE, ALL, ["jaccard"], design="clusters", population=k)["jaccard"].standard_error
        for k in (400, 101)
    )
    assert few / one == pytest.approx((1 / 101 / 0.75) ** 0.5)
    unknown = cm.estimate(SAMPLE, ALL, ["jaccard"], design="clusters")
    assert unknown.sampling.population == pytest.approx(400, rel=0.1)
    assert "true clusters in all, as the sample suggests; if you know the number, pass population=" in unknown.notes[0]
    assert unknown["jaccard"].standard_error == pytest.approx(one, rel=0.05)


def test_large_clusters_weigh_less_where_records_reached_them():
    unknown, few, many = (
        cm.estimate(SAMPLE, ALL, ["cluster_recall"], design="clusters_by_record", population=n)
        for n in (None, len(TRUTH), 10**6)
    )
    assert (few.sampling.records, many.sampling.records) == (len(TRUTH), 10**6)
    table = cm.crosstab(TRUTH, PREDICTION)
    exact = {row.cluster for row in cm.evaluate_table(table, []).classes if row.verdict == "exact"}
    sizes = {label: TRUTH.count(label) for label in CHOSEN}
    wanted = sum(1 / n for label, n in sizes.items() if label in exact) / sum(1 / n for n in sizes.values())
    assert unknown["cluster_recall"].score == pytest.approx(wanted, rel=1e-12)
    assert many["cluster_recall"].score == pytest.approx(wanted, rel=1e-3)
    assert few["cluster_recall"].score != pytest.approx(wanted, rel=1e-3)
    assert few["cluster_recall"].standard_error < unknown["cluster_recall"].standard_error
    assert "pass the number of all records as population=" in unknown.notes[0]


def test_a_complete_truth_is_evaluated_and_not_estimated():
    with pytest.raises(cm.InputError, match="every record has a true label, so there is nothing to estimate"):
        cm.estimate(dict(enumerate(TRUTH)), ALL, design="clusters")


def test_a_prediction_of_one_cluster_leaves_what_it_makes_undefined_undefined():
    one = dict.fromkeys(ALL, 0)
    found = cm.estimate(SAMPLE, one, "all", design="clusters")
    whole = cm.crosstab(TRUTH, list(one.values()))
    for name, interval in found.items():
        assert np.isfinite(cm.find(name).strict.of(whole)), name
        assert np.isfinite(interval.score), name
    assert found.refused["completeness"] == "completeness is not defined for this sample: it is 0/0"


@pytest.mark.parametrize("design", ["clusters", "clusters_by_record"])
@pytest.mark.parametrize(
    "name", ["purity", "matching_accuracy", "ceaf_e_f", "max_jaccard", "jaccard_concentration", "nf1"]
)
def test_what_needs_all_clusters_is_refused(design, name):
    words = "cannot be estimated from a sample of clusters: it needs every true cluster that meets a predicted one"
    with pytest.raises(cm.UnsupportedTableError, match=words):
        cm.estimate(SAMPLE, ALL, [name], design=design)
    assert words in cm.estimate(SAMPLE, ALL, "all", design=design).refused[name]


def test_what_is_corrected_by_all_sizes_is_refused():
    with pytest.raises(cm.UnsupportedTableError, match="needs the sizes of all true clusters"):
        cm.estimate(SAMPLE, ALL, "adjusted_mutual_information", design="clusters")


@pytest.mark.parametrize("name", ["b_cubed_recall", "b_cubed_f", "nmi", "purity", "element_centric", "cluster_recall"])
def test_records_alone_show_pairs_only(name):
    sample = dict(list(SAMPLE.items())[::3])
    with pytest.raises(cm.UnsupportedTableError, match="records drawn one by one show pairs of records only"):
        cm.estimate(sample, ALL, [name], design="records")


def test_records_give_pairs_and_b_cubed_precision():
    chosen = np.random.default_rng(1).choice(len(TRUTH), 600, replace=False).tolist()
    found = cm.estimate({place: TRUTH[place] for place in chosen}, ALL, design="records")
    whole = cm.evaluate(TRUTH, PREDICTION)
    assert set(found) == {"jaccard", "pair_precision", "pair_recall", "dice", "adjusted_rand", "b_cubed_precision"}
    for name, one in found.items():
        assert one.low <= whole[name] <= one.high, name
    assert found.sampling.unseen == 1 - 600 / len(TRUTH)
    assert found.notes == ("few pairs of single records belong together: whole labelled clusters are more informative",)
    assert cm.plan(found, 0.05, "pair_precision").unit == "record"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"design": "cluster"}, "design='cluster' is unknown; choose design='clusters', 'clusters_by_record' or 'rec"),
        ({"design": "clusters", "level": 95}, "level=95 must be between 0 and 1"),
        ({"design": "clusters", "population": 99}, "more true clusters than the 100 of the sample, and at most"),
        ({"design": "clusters", "population": 10**6}, "more true clusters than the 100 of the sample, and at most"),
        ({"design": "clusters", "population": 400.0}, "must be a whole number"),
        ({"design": "records", "population": 400}, "the prediction contains all records; leave it out"),
        ({"design": "clusters_by_record", "population": 400}, "the prediction alone has 1,... records"),
        ({"design": "clusters", "weights": {0: 1.0}}, "are not for samples of the truth"),
        ({"design": "clusters", "noise_true": {-1: "drop"}}, "leave noise out of the truth sample"),
        ({"design": "clusters", "noise_pred": {7: "unscored"}}, "unscored noise are not for samples"),
        ({"design": "clusters", "push_down": True}, "a sample of the truth is estimated in memory"),
        ({"design": "clusters", "indices": 5}, "indices=5 must be a list"),
        ({"design": "clusters", "unmatched": "singeltons"}, "unmatched='singeltons' is not one of its values"),
        ({"design": "clusters", "missing": np.zeros(2)}, "missing=array.* is not one of its values"),
        ({"design": "clusters", "indices": ["nope"]}, "nope"),
    ],
)
def test_mistakes_are_told(options, words):
    with pytest.raises(cm.InputError, match=words):
        cm.estimate(SAMPLE, ALL, **options)


def test_records_that_the_prediction_lacks_need_a_policy():
    truth = {0: "a", 1: "a", 2: "b", "new": "b", "other": "b"}
    prediction = {0: 1, 1: 1, 2: 2, 3: 2, 4: 2}
    with pytest.raises(cm.InputError, match="2 records occur in the truth and not in the prediction; choose unmatched"):
        cm.estimate(truth, prediction, design="clusters")
    alone = cm.estimate(truth, prediction, ["pair_recall"], design="clusters", unmatched="singletons")
    assert alone.sampling.records == 7
    assert alone["pair_recall"].score == pytest.approx(1 / 4)
    dropped = cm.estimate(truth, prediction, ["pair_recall", "pair_precision"], design="clusters", unmatched="drop")
    assert dropped.sampling.records == 5
    assert dropped["pair_recall"].score == pytest.approx(1)
    assert dropped["pair_precision"].score == pytest.approx(1 / 2)
    truth = {place: label for place, label in truth.items() if isinstance(place, int)}
    with pytest.raises(cm.InputError, match="1 records have no predicted label; choose missing='singletons' or 'drop'"):
        cm.estimate(truth, prediction | {2: None}, design="clusters")
    found = cm.estimate(truth, prediction | {2: None}, ["pair_precision"], design="clusters", missing="singletons")
    assert found["pair_precision"].score == 1
    with pytest.raises(cm.InputError, match="no record of the prediction has a true label"):
        cm.estimate([None, None], [1, 2], design="clusters")


def test_few_clusters_have_no_interval():
    few = sorted(CHOSEN)[:9]
    found = cm.estimate({place: label for place, label in SAMPLE.items() if label in few}, ALL, design="clusters")
    assert found["b_cubed_f"].notes == ("only 9 sampled clusters: no interval",)
    assert found["b_cubed_f"].low is None
    assert found["b_cubed_f"].standard_error > 0
    one = cm.estimate({place: label for place, label in SAMPLE.items() if label == few[0]}, ALL, design="clusters")
    assert one["b_cubed_f"].standard_error is None
    few = sorted(CHOSEN)[:20]
    found = cm.estimate({place: label for place, label in SAMPLE.items() if label in few}, ALL, design="clusters")
    assert found["b_cubed_f"].notes == ("only 20 sampled clusters: the interval may be too narrow",)


def test_a_sample_without_errors_has_no_interval():
    exact = {record: record // 2 for record in range(40)}
    found = cm.estimate(exact, {record: record // 2 for record in range(400)}, design="clusters")
    assert found["jaccard"].score == 1
    assert (
        found["jaccard"].notes[0].startswith("No disagreement among 20 sampled clusters: no interval. Fewer than 0.15")
    )
    split = {record: record // 2 + 1000 * (record % 4 == 0) for record in range(400)}
    found = cm.estimate(exact, split, design="clusters")
    assert found["pair_precision"].notes == ("no error of this kind among 20 sampled clusters: no interval",)
    assert found["pair_recall"].low < 0.5 < found["pair_recall"].high


def test_one_cluster_that_is_most_of_the_sample_has_no_interval():
    truth = {record: max(0, record - 99) for record in range(120)}
    found = cm.estimate(truth, {record: record // 2 for record in range(400)}, ["jaccard"], design="clusters")
    assert found["jaccard"].notes == ("one cluster holds most of the sample: no interval",)


def test_pairs_that_no_record_shows_are_undefined():
    with pytest.raises(cm.UnsupportedTableError, match="pair_precision is not defined for this sample: it is 0/0"):
        cm.estimate({0: 0, 1: 1}, {0: 0, 1: 1, 2: 1}, ["pair_precision"], design="records")


def test_estimates_beyond_their_range_have_no_interval():
    found = cm.estimate(SAMPLE, ALL, ["b_cubed_precision"], design="records")["b_cubed_precision"]
    assert found.score > 1
    assert "outside the range of the index" in found.notes[0]


def test_all_kinds_of_sources_estimate_the_same(tmp_path):
    pd = need("pandas")
    need("duckdb")
    names = ["jaccard", "b_cubed_f"]
    wanted = cm.estimate(SAMPLE, ALL, names, design="clusters")
    truth = pd.DataFrame({"id": list(SAMPLE), "label": list(SAMPLE.values())})
    prediction = pd.DataFrame({"id": list(ALL), "cluster": list(ALL.values())})
    truth.to_csv(tmp_path / "truth.csv", index=False)
    prediction.to_csv(tmp_path / "prediction.csv", index=False)
    both = prediction.merge(truth, how="left")
    both["label"] = both["label"].astype("Int64")
    both.to_csv(tmp_path / "both.csv", index=False)
    lists = [SAMPLE.get(place) for place in ALL], list(ALL.values())
    columns = {"true": "label", "pred": "cluster"}
    for found in (
        cm.estimate(truth, prediction, names, design="clusters", on="id"),
        cm.estimate(str(tmp_path / "truth.csv"), str(tmp_path / "prediction.csv"), names, design="clusters", on="id"),
        cm.estimate(*lists, names, design="clusters"),
        cm.estimate(both, None, names, design="clusters", **columns),
        cm.estimate(str(tmp_path / "both.csv"), None, names, design="clusters", **columns),
    ):
        assert [(one.score, one.low) for one in found.values()] == [
            pytest.approx((one.score, one.low), rel=1e-12) for one in wanted.values()
        ]
        assert found.sampling == wanted.sampling


def test_estimates_can_be_had_as_frame_and_json(tmp_path):
    found = cm.estimate(SAMPLE, ALL, design="clusters")
    frame = need("pandas") and found.to_pandas()
    assert list(frame.columns) == ["index", "score", "low", "high", "standard_error", "notes"]
    assert frame["score"].tolist() == [one.score for one in found.values()]
    document = json.loads(found.to_json())
    assert document["sampling"]["sampled"] == 100
    assert document["estimates"]["jaccard"]["low"] == found["jaccard"].low
    assert document["refused"] == found.refused
    need("jsonschema").Draft202012Validator(cm.json_schema()).validate(document)
    found.write_json(tmp_path / "found.json")
    with pytest.raises(cm.InputError, match="exists already"):
        found.write_json(tmp_path / "found.json")
    assert found["ARI"] is found["adjusted_rand"]
    with pytest.raises(KeyError, match="needs every true cluster"):
        found["purity"]


def test_a_plan_holds_what_it_promises():
    pilot = cm.estimate(SAMPLE, ALL, design="clusters", population=400)
    made = cm.plan(pilot, 0.03, "b_cubed_f", assurance=0.5)
    assert [row.assurance for row in made.assurances] == [0.5, 0.8, 0.9, 0.95]
    assert [row.units for row in made.assurances] == sorted({row.units for row in made.assurances})
    rng = np.random.default_rng(7)
    widths = []
    for _ in range(10):
        chosen = set(rng.choice(400, made.needed, replace=False).tolist())
        sample = {place: label for place, label in enumerate(TRUTH) if label in chosen}
        widths.append(
            cm.estimate(sample, ALL, ["b_cubed_f"], design="clusters", population=400)["b_cubed_f"].half_width
        )
    assert np.mean(widths) == pytest.approx(0.03, rel=0.15)
    assert cm.plan(pilot, 0.03).needed == max(cm.plan(pilot, 0.03, name).needed for name in pilot)
    assert cm.plan(pilot, 1e-9, "b_cubed_f").needed == 400
    assert "By a pilot of 100 clusters" in repr(made)


def test_a_plan_for_records_knows_that_pairs_grow_faster():
    rng = np.random.default_rng(2)

    def estimates(n):
        for _ in range(40):
            chosen = rng.choice(len(TRUTH), n, replace=False).tolist()
            yield cm.estimate({place: TRUTH[place] for place in chosen}, ALL, ["pair_precision"], design="records")

    foreseen = np.mean([pilot.variance_of("pair_precision", 400) for pilot in estimates(200)])
    found = np.mean([one["pair_precision"].standard_error ** 2 for one in estimates(400)])
    assert foreseen == pytest.approx(found, rel=0.3)
    pilot = next(estimates(200))
    smaller = pilot.variance_of("pair_precision", 400) / pilot["pair_precision"].standard_error ** 2
    assert smaller < 0.9 * 200 / 400 * pilot.sampling.unseen_of(400) / pilot.sampling.unseen


def test_few_clusters_doubt_their_own_spread_more():
    def doubt(n):
        chosen = sorted(CHOSEN)[:n]
        pilot = cm.estimate({p: t for p, t in SAMPLE.items() if t in chosen}, ALL, ["b_cubed_f"], design="clusters")
        made = cm.plan(pilot, 0.03).assurances
        return made[-1].units / made[0].units

    assert doubt(15) > doubt(100) > 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((SAMPLE,), "pilot: pass the result of estimate"),
        ((None, 0.0), "half_width=0.0 must be a number above 0"),
        ((None, 0.02, "purity"), "purity cannot be estimated"),
        ((None, 0.02, "mirkin"), "mirkin was not estimated in the pilot"),
    ],
)
def test_a_plan_says_what_it_lacks(arguments, words):
    first = arguments[0] or cm.estimate(SAMPLE, ALL, design="clusters")
    with pytest.raises(cm.InputError, match=words):
        cm.plan(first, *arguments[1:])


def test_a_plan_needs_an_interval():
    truth = {record: record // 2 for record in range(40)}
    pilot = cm.estimate(truth, {record: record // 2 for record in range(400)}, ["jaccard"], design="clusters")
    with pytest.raises(cm.InputError, match="none of its estimates has an interval"):
        cm.plan(pilot)
    with pytest.raises(cm.InputError, match="jaccard has no interval in the pilot"):
        cm.plan(pilot, 0.02, "jaccard")


def test_a_level_that_is_no_number():
    table = cm.crosstab([0, 0, None, None], [0, 0, 1, 1], missing="cluster")
    with pytest.raises(cm.InputError, match=r"level=nan must be between 0 and 1"):
        estimate_table(table, ["rand"], SampleRequest("records", level=float("nan")))


def test_a_perfect_prediction_is_perfect_to_the_last_bit():
    clusters = [c for c in range(18) for _ in range(1 + c % 3)]
    truth = dict(enumerate(clusters))
    sample = {record: c for record, c in truth.items() if c < 11}
    names = ["muc_f", "homogeneity", "completeness", "lea_f"]
    for found in cm.estimate(sample, truth, names, design="clusters").values():
        assert found.score == 1
        assert not any("outside the range" in note for note in found.notes)


def test_the_variance_from_records_is_that_of_many_samples():
    """Leaving out records counts what pairs add twice."""
    true = [record // 2 for record in range(120)]
    pred = [(record + (record % 8 < 4)) // 2 for record in range(120)]
    rng, unseen = np.random.default_rng(0), 1 - 40 / 120
    scores, variances, plain = [], [], []
    for _ in range(600):
        units = SampledRecords(draw_records(true, pred, set(rng.choice(120, 40, replace=False).tolist())))
        values = np.append(ArrayScores(units).of(cm.rand)[:-1], 0.0)
        left_out = float(moments(values, units.multiplicity, values[0])[0])
        scores.append(values[0])
        plain.append(left_out * unseen)
        variances.append(sum(units.split_variance(values, left_out, unseen)))
    assert np.mean(plain) > 1.4 * np.var(scores)
    assert np.mean(variances) == pytest.approx(np.var(scores), rel=0.2)


def test_a_pair_left_out_is_as_if_it_did_not_count():
    true, pred = [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 2]
    units = SampledRecords(draw_records([*true, 3], [*pred, 3], range(6)))
    cells = len(units.drawn.n)
    pairs = list(combinations(range(6), 2))
    kinds = [(true[i] == true[j], pred[i] == pred[j]) for i, j in pairs]
    assert units.pairs.sum() == len(pairs)
    assert units.pairs[1 + cells : 1 + 2 * cells].sum() == kinds.count((True, True))
    assert units.pairs[-4:].tolist() == [
        kinds.count((True, False)),
        kinds.count((False, True)),
        kinds.count((False,) * 2),
        0,
    ]
    values = ArrayScores(units).of(cm.pair_precision)
    both, either = kinds.count((True, True)), sum(kind[1] for kind in kinds)
    within = 1 + cells + int(units.pairs[1 + cells : 1 + 2 * cells].argmax())
    assert values[0] == pytest.approx(both / either)
    assert values[within] == pytest.approx((both - 1) / (either - 1))
    assert values[-4:-1].tolist() == pytest.approx([both / either, both / (either - 1), both / either])
    assert np.isnan(values[-1])
    assert ArrayScores(units).of(cm.find("b_cubed_precision"))[-1] == pytest.approx(4 / 7)  # four predicted clusters


@pytest.mark.parametrize("index", ["pair_recall", "b_cubed_precision"])
def test_a_plan_from_records_makes_intervals_as_estimates_do(index):
    rng = np.random.default_rng(5)
    truth = np.repeat(np.arange(300), rng.integers(1, 6, 300))
    pred = dict(enumerate(np.where(rng.random(len(truth)) < 0.2, 1000 + rng.integers(0, 150, len(truth)), truth)))
    drawn = {int(place): int(truth[place]) for place in rng.choice(len(truth), 390, replace=False)}
    pilot = cm.estimate(drawn, pred, [index], design="records")
    assert abs(cm.plan(pilot, half_width=pilot[index].half_width, assurance=0.5).needed - 390) <= 1
    assert pilot.notes[-1] == "intervals from few records are somewhat wide"
    more = drawn | {int(place): int(truth[place]) for place in range(60)}
    assert len(cm.estimate(more, pred, [index], design="records").notes) == 1


def test_large_clusters_that_records_reach_several_times_are_noted():
    sizes = [40] + [2] * 100  # 20 draws of 240 records reach the large one three times on average
    truth = np.repeat(np.arange(101), sizes).tolist()
    pred = dict(enumerate(truth))
    note = "if the prediction contains all records, large clusters would be drawn several times; pass population="
    for chosen, population, noted in ((range(20), None, True), (range(1, 21), None, False), (range(20), 240, False)):
        drawn = {place: label for place, label in enumerate(truth) if label in chosen}
        found = cm.estimate(drawn, pred, ["pair_recall"], design="clusters_by_record", population=population)
        assert (note in found.notes) == noted
