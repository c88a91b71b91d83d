"""draw_sample(), and estimates from what it drew or from known probabilities."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

import clustermark as cm
from needs import need
from program import mistake, result, write_csv

INDICES = ["pair_precision", "pair_recall", "b_cubed_f", "v_measure"]


def population(seed: int = 8, n: int = 1_500, most: int = 120) -> tuple[dict[int, int], dict[int, int]]:
    """Return records of entities whose sizes have a heavy tail, a tenth of them in random clusters."""
    rng = np.random.default_rng(seed)
    true = np.repeat(np.arange(n), np.minimum((rng.pareto(1.2, n) + 1).astype(int), most))
    pred = np.where(rng.random(len(true)) < 0.1, rng.permutation(true), true)
    return dict(enumerate(true.tolist())), dict(enumerate(pred.tolist()))


TRUTH, PREDICTION = population()


def label(drawn: cm.DrawnSample) -> dict[int, int]:
    """Return all records of the true clusters of the drawn ones."""
    reached = {TRUTH[row.id] for row in drawn.rows}
    return {record: label for record, label in TRUTH.items() if label in reached}


@pytest.mark.parametrize("unit", ["record", "cluster"])
def test_the_intervals_hold_where_sizes_have_a_heavy_tail(unit):
    whole = cm.evaluate(list(TRUTH.values()), list(PREDICTION.values()), INDICES)
    held, made = [], 0
    for seed in range(60):
        drawn = cm.draw_sample(PREDICTION, 150, seed, unit=unit)
        found = cm.estimate(label(drawn), PREDICTION, INDICES, drawn=drawn)
        made += sum(one.low is not None for one in found.values())
        held += [one.low <= whole[name] <= one.high for name, one in found.items() if one.low is not None]
    assert made == 240
    assert 0.91 <= np.mean(held) <= 0.985


def test_a_draw_does_not_depend_on_the_order_of_records():
    order = np.random.default_rng(1).permutation(len(PREDICTION)).tolist()
    for unit in ("record", "cluster"):
        one, other = (
            cm.draw_sample(records, 100, seed=3, unit=unit)
            for records in (PREDICTION, {record: PREDICTION[record] for record in order})
        )
        assert {row.id for row in one.rows} == {row.id for row in other.rows}
    assert {row.id for row in cm.draw_sample(PREDICTION, 100, seed=4).rows} != {row.id for row in one.rows}


def test_sizes_strata_and_probabilities_are_those_of_the_prediction():
    drawn = cm.draw_sample(PREDICTION, 100, sizes=[1, 2, 30])
    assert [(one.least, one.stratum.partition("-")[0]) for one in drawn.strata] == [(1, "1"), (2, "2"), (30, "30")]
    sizes = {cluster: list(PREDICTION.values()).count(cluster) for cluster in {row.cluster for row in drawn.rows}}
    for row in drawn.rows:
        assert (row.cluster, row.size) == (PREDICTION[row.id], sizes[row.cluster])
        stratum = next(one for one in drawn.strata if one.least <= row.size <= one.most)
        assert (row.stratum, row.probability) == (stratum.stratum, stratum.drawn / stratum.population)
    assert sum(one.drawn for one in drawn.strata) == len(drawn)


def test_a_list_is_drawn_from_by_position():
    drawn = cm.draw_sample(list(PREDICTION.values()), 100, seed=2)
    labels = [TRUTH[place] if place in (truth := label(drawn)) else None for place in range(len(PREDICTION))]
    found = cm.estimate(labels, list(PREDICTION.values()), INDICES, drawn=drawn)
    assert found["b_cubed_f"] == cm.estimate(truth, PREDICTION, INDICES, drawn=drawn)["b_cubed_f"]


def test_a_sample_serves_a_later_prediction():
    drawn = cm.draw_sample(PREDICTION, 300, seed=5)
    later = population(seed=9)[0]
    rng = np.random.default_rng(0)
    later = {record: one if rng.random() < 0.8 else -one for record, one in PREDICTION.items()}
    found = cm.estimate(label(drawn), later, INDICES, drawn=drawn)
    whole = cm.evaluate(list(TRUTH.values()), list(later.values()), INDICES)
    assert not found.sampling.balanced
    assert "differ from those of the sample's own prediction" in found.notes[0]
    assert all(abs(found[name].score - whole[name]) < 4 * found[name].standard_error for name in INDICES)


def test_the_table_and_probabilities_by_id_are_read_like_the_result():
    pandas = need("pandas")
    drawn = cm.draw_sample(PREDICTION, 100, seed=2)
    truth, wanted = label(drawn), cm.estimate(label(drawn), PREDICTION, INDICES, drawn=drawn)
    for unit in ("record", "cluster"):
        drawn = cm.draw_sample(PREDICTION, 100, seed=2, unit=unit)
        truth, wanted = label(drawn), cm.estimate(label(drawn), PREDICTION, INDICES, drawn=drawn)
        found = cm.estimate(truth, PREDICTION, INDICES, drawn=pandas.DataFrame(drawn.to_dict()))
        assert dict(found) == dict(wanted)
    drawn = cm.draw_sample(PREDICTION, 100, seed=2)
    by_id = {row.id: row.probability for row in drawn.rows}
    found = cm.estimate(label(drawn), PREDICTION, INDICES, drawn=by_id)
    assert (found.sampling.strata, found.sampling.balanced) == (1, False)


def test_a_plan_from_a_drawn_sample_takes_more_of_each_stratum():
    drawn = cm.draw_sample(PREDICTION, 300, seed=5)
    pilot = cm.estimate(label(drawn), PREDICTION, INDICES, drawn=drawn)
    width = float(pilot["b_cubed_f"].half_width)
    assert abs(cm.plan(pilot, width, "b_cubed_f", assurance=0.5).needed - 300) <= 2
    narrow = cm.plan(pilot, width / 2, "b_cubed_f", assurance=0.5)
    assert 900 < narrow.needed < 1_300
    assert narrow.unit == "record"


def test_true_clusters_of_known_probability():
    sizes = np.bincount(list(TRUTH.values()))
    giants = {place: "giant" if size >= 30 else "small" for place, size in enumerate(sizes.tolist())}
    n = {name: list(giants.values()).count(name) for name in ("giant", "small")}
    whole = cm.evaluate(list(TRUTH.values()), list(PREDICTION.values()), INDICES)
    rng = np.random.default_rng(0)
    small = rng.choice([place for place, name in giants.items() if name == "small"], 200, replace=False).tolist()
    chosen = {*small, *(place for place, name in giants.items() if name == "giant")}
    truth = {record: label for record, label in TRUTH.items() if label in chosen}
    strata = {name: giants[name] for name in chosen}
    chances = {name: 1.0 if giants[name] == "giant" else 200 / n["small"] for name in chosen}
    by_strata = cm.estimate(truth, PREDICTION, INDICES, design="clusters", strata=strata, population=n)
    both = cm.estimate(truth, PREDICTION, INDICES, design="clusters", strata=strata, probability=chances)
    alone = cm.estimate(truth, PREDICTION, INDICES, design="clusters", probability=chances)
    for name in INDICES:
        assert by_strata[name] == both[name]
        assert alone[name].score == pytest.approx(both[name].score, rel=1e-12)
        assert abs(both[name].score - whole[name]) < 4 * both[name].standard_error
    assert by_strata.sampling.population == pytest.approx(len(sizes))
    # giants vary nothing, since all of them are in every sample
    weights = {name: 1 / chance for name, chance in chances.items()}
    weighed = cm.estimate(truth, PREDICTION, INDICES, design="clusters", sampling_weights=weights)
    assert weighed["pair_recall"].score == pytest.approx(both["pair_recall"].score, rel=1e-12)
    assert weighed["pair_recall"].standard_error > 2 * both["pair_recall"].standard_error
    assert not weighed.sampling.known


def test_columns_of_the_truth_have_probabilities_and_strata():
    pandas = need("pandas")
    truth = pandas.DataFrame({"id": range(60), "label": [record // 3 for record in range(60)]})
    truth["chance"], truth["kind"] = 0.5, ["a" if record < 30 else "b" for record in range(60)]
    prediction = pandas.DataFrame({"id": range(120), "cluster": [record // 4 for record in range(120)]})
    asked = {"on": "id", "true": "label", "design": "clusters"}
    found = cm.estimate(truth, prediction, INDICES, **asked, probability="chance", strata="kind")
    assert found.sampling.strata == 2
    wanted = cm.estimate(truth, prediction, INDICES, **asked, population=40)
    for name in INDICES:
        assert found[name].score == pytest.approx(wanted[name].score, rel=1e-12)
    truth.loc[0, "chance"] = 0.25
    with pytest.raises(cm.InputError, match=r"probability='chance': the true cluster '0' has several values"):
        cm.estimate(truth, prediction, INDICES, **asked, probability="chance")


SMALL = {record: record // 3 for record in range(60)}
WHOLE = {record: record // 4 for record in range(90)}


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"drawn": {0: 0.5}, "design": "clusters"}, "design='clusters': drawn= says it"),
        ({"drawn": {0: 1.5}}, "drawn=: 1.5 is not a probability, above 0 and at most 1"),
        ({"drawn": {0: 0.5}}, "19 labelled true clusters have no drawn record, such as '1'"),
        ({"drawn": {77: 0.5, 0: 0.5}}, "1 drawn record of 2 has no true label, such as '77'"),
        ({"drawn": [1, 2]}, "drawn=: pass the result of draw_sample"),
        ({"drawn": {0: 0.5}, "population": 9}, "population=: the probabilities say it"),
        ({"design": "records", "probability": {0: 0.5}}, "probability= is for design='clusters'"),
        ({"design": "clusters", "probability": {0: 0.5}}, "probability=: 19 sampled clusters without a value"),
        ({"design": "clusters", "probability": 0.5}, "probability= must be a mapping from true label"),
        ({"design": "clusters", "strata": dict.fromkeys(range(20), "a")}, "pass one of them"),
        (
            {"design": "clusters", "strata": dict.fromkeys(range(20), "a"), "population": {"a": 3}},
            "the stratum 'a' has 20 sampled clusters",
        ),
        ({"design": "clusters", "population": {"a": 30}}, "a number for each stratum needs strata= alone"),
        ({"drawn": {}}, "drawn=: there is no drawn record"),
        (
            {"design": "clusters", "sampling_weights": dict.fromkeys(range(20), "much")},
            "'much' is not a number above 0",
        ),
    ],
)
def test_mistakes_in_a_design_are_told(how, words):
    with pytest.raises(cm.InputError, match=words):
        cm.estimate(SMALL, WHOLE, **how)


def test_strata_of_one_unit_have_no_interval():
    strata = {label: "one" if label == 0 else "rest" for label in range(20)}
    found = cm.estimate(SMALL, WHOLE, INDICES, design="clusters", strata=strata, population={"one": 5, "rest": 40})
    assert found["b_cubed_f"].notes == ("1 stratum with one sampled cluster only: no interval",)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (([0, 1, 1], 3), "n=3: the prediction has 3 records"),
        (([0, 1, 1], 2, 0, {"unit": "cluster"}), "n=2: the prediction has 2 clusters"),
        (([0, 1, 1], 0), "n=0 must be a whole number, 1 or more"),
        (([0, 1, 1], 1, 0, {"unit": "pair"}), "unit='pair' is unknown"),
        (([0, None, 1], 1), "1 records have no cluster"),
        (([0, 1, 1], 1, 0, {"sizes": [0]}), "sizes=.* must be the smallest size of each stratum"),
        (([0, 1, 1], 1, 0, {"weights": [1, 1, 1]}), "weights=.*: records are drawn by the sizes of clusters"),
        (("file.csv", 1), "name the column of the ids"),
        (({1: 1, 2: 1}, 1, 0, {"on": "id"}), "on='id' is for sources with columns"),
        (([0, 1, 1], 1, 0, {"engine": "duckdb"}), "engine='duckdb' is for sources with columns"),
    ],
)
def test_mistakes_in_a_draw_are_told(given, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "file.csv", "id,cluster", [(1, 1), (2, 1)])
    options = given[-1] if isinstance(given[-1], dict) else {}
    with pytest.raises(cm.InputError, match=words):
        cm.draw_sample(*given[: len(given) - bool(options)], **options)


def test_ids_that_occur_twice_are_refused():
    pandas = need("pandas")
    frame = pandas.DataFrame({"id": [1, 1, 2], "cluster": [1, 1, 2]})
    with pytest.raises(cm.InputError, match="the ids of the prediction are not unique"):
        cm.draw_sample(frame, 1, on="id")
    twice = pandas.DataFrame({"id": [0, 0], "probability": [0.5, 0.5]})
    with pytest.raises(cm.InputError, match="the record '0' occurs twice"):
        cm.estimate(SMALL, WHOLE, drawn=twice)


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["record", "cluster"])
def test_the_program_draws_and_estimates(tmp_path, unit):
    need("duckdb")
    records = write_csv(tmp_path / "records.csv", "id,cluster", list(PREDICTION.items()))
    asked = tmp_path / "to_label.csv"
    result("draw", records, "--on", "id", "-n", "120", "--seed", "5", "--unit", unit, "-q", "-o", asked)
    rows = list(csv.DictReader(io.StringIO(asked.read_text())))
    drawn = cm.draw_sample(PREDICTION, 120, seed=5, unit=unit)
    assert [int(row["id"]) for row in rows] == [row.id for row in drawn.rows]
    truth = write_csv(tmp_path / "truth.csv", "id,entity", list(label(drawn).items()))
    said = result("estimate", truth, records, "--on", "id", "--drawn", asked, "-q", "-f", "csv", "-i", "b_cubed_f")
    wanted = cm.estimate(label(drawn), PREDICTION, ["b_cubed_f"], drawn=drawn)
    assert said.splitlines()[1].startswith(f"b_cubed_f,{wanted['b_cubed_f'].score!r},{wanted['b_cubed_f'].low!r}")
    assert "the probabilities say it" in mistake(
        "estimate", truth, records, "--on", "id", "--drawn", asked, "--population", "9"
    )
