"""Scored pairs and truths of every kind: the same sweep of all of them."""

from __future__ import annotations

import math
import sqlite3
from contextlib import closing

import numpy as np
import pytest

from clustermark import ClustermarkWarning, InputError, evaluate, find, sweep, sweep_pairs
from needs import need

IDS = ["a", "b", "c", "d", "e"]
LABELS = [1, 1, 1, 2, 2]
LEFT, RIGHT, SCORES = ["a", "b", "d", "c"], ["b", "c", "e", "d"], [0.9, 0.8, 0.7, 0.2]
TRUTH = dict(zip(IDS, LABELS, strict=True))
EXPECTED = sweep_pairs(TRUTH, (LEFT, RIGHT, SCORES)).to_dict()


def write(path, head, *columns):
    lines = [",".join(head), *(",".join(map(str, row)) for row in zip(*columns, strict=True))]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


@pytest.mark.slow
def test_files(tmp_path):
    need("duckdb")
    truth = write(tmp_path / "truth.csv", ["id", "entity"], IDS, LABELS)
    pairs = write(tmp_path / "pairs.csv", ["left", "right", "probability"], LEFT, RIGHT, SCORES)
    assert sweep_pairs(truth, pairs).to_dict() == EXPECTED
    assert sweep_pairs(truth, pairs, on="id", true="entity", score="probability").to_dict() == EXPECTED
    wide = write(tmp_path / "wide.csv", ["x", "l", "p", "r"], SCORES, LEFT, SCORES, RIGHT)
    assert sweep_pairs(truth, wide, left="l", right="r", score="p").to_dict() == EXPECTED
    with pytest.raises(InputError, match="name the columns of the two ids"):
        sweep_pairs(truth, wide)
    with pytest.raises(InputError, match=r"score='proba' is not one of its columns"):
        sweep_pairs(truth, wide, score="proba")
    with pytest.raises(InputError, match="on= and true="):
        sweep_pairs(wide, pairs)
    gap = write(tmp_path / "gap.csv", ["left", "right", "probability"], LEFT, RIGHT, [0.9, "", 0.7, 0.2])
    with pytest.raises(InputError, match=r"1 pair.* no score"):
        sweep_pairs(truth, gap)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames(library):
    make = {
        "pandas": lambda columns: need("pandas").DataFrame(columns),
        "polars": lambda columns: need("polars").DataFrame(columns),
        "pyarrow": lambda columns: need("pyarrow").table(columns),
    }[library]
    truth = make({"id": IDS, "entity": LABELS})
    pairs = make({"left": LEFT, "right": RIGHT, "p": SCORES})
    assert sweep_pairs(truth, pairs).to_dict() == EXPECTED
    assert sweep_pairs(TRUTH, pairs).to_dict() == EXPECTED
    splink = make({"match_probability": SCORES, "x": SCORES, "unique_id_l": LEFT, "unique_id_r": RIGHT})
    assert sweep_pairs(truth, splink).to_dict() == EXPECTED


def test_splink_with_sources():
    pd = need("pandas")
    pairs = pd.DataFrame(
        {
            "match_probability": [0.9, 0.8],
            "source_dataset_l": ["x", "x"],
            "unique_id_l": [1, 2],
            "source_dataset_r": ["y", "y"],
            "unique_id_r": [1, 1],
        }
    )
    truth = pd.DataFrame({"source_dataset": ["x", "x", "y"], "unique_id": [1, 2, 1], "entity": ["p", "q", "p"]})
    found = sweep_pairs(truth, pairs)
    assert found.n_records == 3
    assert found.labels(0.85) == {("x", 1): ("x", 1), ("y", 1): ("x", 1), ("x", 2): ("x", 2)}
    by_id = {("x", 1): "p", ("x", 2): "q", ("y", 1): "p"}
    assert sweep_pairs(by_id, pairs).to_dict() == found.to_dict()
    assert sweep_pairs(truth, pairs, on=["source_dataset", "unique_id"]).to_dict() == found.to_dict()
    with pytest.raises(InputError, match="2 part"):
        sweep_pairs(truth, pairs, on="unique_id", true="entity")
    with pytest.raises(InputError, match="tuples"):
        sweep_pairs({1: "p"}, pairs)
    with pytest.raises(InputError, match="two parts"):
        sweep_pairs(["p", "q", "p"], pairs)


def test_recordlinkage():
    pd = need("pandas")
    index = pd.MultiIndex.from_arrays([LEFT, RIGHT])
    assert sweep_pairs(TRUTH, pd.Series(SCORES, index)).to_dict() == EXPECTED
    assert sweep_pairs(pd.Series(LABELS, IDS), pd.DataFrame({"p": SCORES}, index)).to_dict() == EXPECTED
    features = pd.DataFrame({"p": SCORES, "name": SCORES}, index)
    assert sweep_pairs(TRUTH, features, score="p").to_dict() == EXPECTED
    with pytest.raises(InputError, match="score="):
        sweep_pairs(TRUTH, features)


def test_connections():
    import sqlite3

    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE pairs (l TEXT, r TEXT, p REAL)")
    connection.executemany("INSERT INTO pairs VALUES (?, ?, ?)", zip(LEFT, RIGHT, SCORES, strict=True))
    assert sweep_pairs(TRUTH, (connection, "pairs")).to_dict() == EXPECTED
    connection.close()


def test_kinds_of_ids():
    numbers = {one: place for place, one in enumerate(IDS, 10)}
    left, right = ([numbers[one] for one in side] for side in (LEFT, RIGHT))
    truth = {numbers[one]: label for one, label in TRUTH.items()}
    for cast in (list, np.array, lambda ids: np.array(ids, np.uint64), lambda ids: np.array(ids, float)):
        assert sweep_pairs(truth, (cast(left), cast(right), SCORES)).to_dict() == EXPECTED
    assert sweep_pairs(truth, (list(map(str, left)), list(map(str, right)), SCORES)).to_dict() == EXPECTED
    large = {2**63 + number: label for number, label in truth.items()}
    sides = (np.array([2**63 + one for one in side], np.uint64) for side in (left, right))
    assert sweep_pairs(large, (*sides, SCORES)).to_dict() == EXPECTED


def test_no_pairs_at_all():
    found = sweep_pairs({1: "a", 2: "a"}, ([], [], []))
    assert found.labels(0.5) == {1: 1, 2: 2}
    assert found.best("dice").threshold == math.inf
    assert len(found.raw) == len(found.false_merges()) == 0
    with pytest.raises(InputError, match="no threshold is best"):
        found.raw.best()
    with pytest.raises(InputError, match="nothing to calibrate"):
        found.calibration()


def test_ids_of_the_truth_must_be_unique():
    pd = need("pandas")
    with pytest.raises(InputError, match=r"unique; 1 row.* such as 'a' at position 1"):
        sweep_pairs(pd.Series([1, 1], ["a", "a"]), (["a"], ["a"], [1.0]))


LABELINGS = {0.9: [0, 1, 2, 3], 0.5: [0, 0, 1, 1], 0.1: [0, 0, 0, 0]}


def test_labelings_by_threshold():
    truth = [7, 7, 8, 8]
    found = sweep(truth, LABELINGS)
    assert found.thresholds == [0.9, 0.5, 0.1]
    assert found.best("adjusted_rand").threshold == 0.5
    assert found.best("variation_of_information").threshold == 0.5
    for threshold, labels in LABELINGS.items():
        assert found.labels(threshold) is labels
        assert dict(found.at(threshold)) == dict(evaluate(truth, labels))
        assert dict(found.curve("ARI"))[threshold] == find("adjusted_rand")(truth, labels)
    assert found.to_dict()["threshold"] == [0.9, 0.5, 0.1]
    assert '"best"' in found.to_json(indent=1)
    noisy = sweep(truth, {1: [0, 0, -1, -1]}, noise_pred={-1: "singletons"}, indices=["dice"])
    assert noisy.best("dice").score == evaluate(truth, [0, 0, 1, 2], ["dice"])["dice"]


@pytest.mark.parametrize(
    ("labelings", "message"),
    [([], "mapping"), ({}, "mapping"), ({"high": [1]}, "'high' is not a number"), ({math.nan: [1]}, "not a number")],
)
def test_labelings_that_are_refused(labelings, message):
    with pytest.raises(InputError, match=message):
        sweep([1], labelings)


def test_what_a_sweep_of_labelings_does_not_have():
    found = sweep([7, 7, 8, 8], LABELINGS, indices=["dice"])
    with pytest.raises(InputError, match="not among the indices"):
        found.best("rand")
    with pytest.raises(InputError, match=r"threshold=0\.3"):
        found.at(0.3)
    with pytest.raises(InputError, match=r"threshold=0\.3"):
        found.labels(0.3)
    with pytest.raises(InputError, match="probabilities"):
        found.plot.calibration()


def test_plots():
    need("matplotlib").use("Agg")
    found = sweep_pairs(TRUTH, (LEFT, RIGHT, SCORES))
    assert len(found.plot.curves().lines) == 2 * 5 - 1  # precision is best where nothing is predicted: no mark
    assert len(found.plot.curves("b_cubed_f").lines) == 2
    assert found.plot.tradeoff().get_xlabel() == "pair_recall"
    assert found.plot.calibration().get_ylabel() == "share of true pairs"
    assert "curves" in repr(found.plot)


@pytest.mark.parametrize("scores", [[1e-310, 0.0], [8.4e-306, 3.7e-306], [1.7e308, -1.7e308], [math.inf, 5e-324]])
@pytest.mark.parametrize("distance", [False, True])
def test_scores_at_the_ends_of_what_numbers_can_be(scores, distance):
    if distance:
        scores = [-score for score in scores]
    found = sweep_pairs({"a": 1, "b": 1, "c": 2}, (["a", "b"], ["b", "c"], scores), distance=distance)
    assert found.thresholds[-2:] == scores
    assert found.labels(scores[0]) == {"a": "a", "b": "a", "c": "c"}


def test_whole_scores_are_told_apart_or_refused():
    truth = {"a": 1, "b": 1, "c": 2}
    with pytest.raises(InputError, match=r"whole numbers above 2\*\*53 are rounded as scores"):
        sweep_pairs(truth, (["a", "b"], ["b", "c"], [2**60 + 1, 2**60]))
    found = sweep_pairs(truth, (["a", "b"], ["b", "c"], [2**61, 2**60]))
    assert len(set(found.labels(2**60).values())) == 1
    assert len(set(found.labels(2**60 + 1).values())) == 2
    assert len(set(found.labels(10**400).values())) == 3
    far = sweep_pairs(truth, (["a", "b"], ["b", "c"], [2**60, 2**61]), distance=True)
    assert len(set(far.labels(2**60 - 1).values())) == 3


def test_a_pair_of_arrow_without_a_score():
    scores = need("pyarrow").array([0.9, None])
    with pytest.raises(InputError, match=r"1 pair\(s\) have no score, the first at position 1"):
        sweep_pairs({"a": 1, "b": 1, "c": 2}, (["a", "b"], ["b", "c"], scores))


def test_arguments_of_a_sweep_that_are_no_numbers():
    found = sweep_pairs(TRUTH, (LEFT, RIGHT, SCORES))
    for wrong in ("a", None, math.nan):
        with pytest.raises(InputError, match=r"wanted=.* must be a number"):
            found.reach(wrong)
    for wrong in ("a", None, math.nan, -1, 10**400, math.inf):
        with pytest.raises(InputError, match=r"false_merge=.* must be 0 or a positive number"):
            found.cheapest(false_merge=wrong)
    for wrong in ({"at": "a"}, {"at": math.nan}, {"precision": "a"}):
        with pytest.raises(InputError, match=r"(at|precision)=.* must be a number"):
            found.report(**wrong)
    with pytest.raises(InputError, match="cost=3 must be the costs of a false pair and of a lost one"):
        found.report(cost=3)
    with pytest.raises(InputError, match="max_pairs='x' must be a whole number"):
        sweep_pairs(TRUTH, (LEFT, RIGHT, SCORES), max_pairs="x")
    with pytest.raises(InputError, match="these are no numbers"):
        sweep_pairs(TRUTH, (LEFT, RIGHT, [10**400, 1, 1, 1]))


def test_pairs_of_a_source_are_counted_before_they_are_read(tmp_path):
    need("duckdb")
    path = tmp_path / "pairs.csv"
    path.write_text("left,right,score\na,b,high\nb,c,low\n")
    with pytest.raises(InputError, match=r"pairs\.csv: 2 pairs are more than max_pairs=1; each takes up to 48 bytes"):
        sweep_pairs(TRUTH, path, max_pairs=1)
    with pytest.raises(InputError, match="these are no numbers"):
        sweep_pairs(TRUTH, path, max_pairs=2)
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE pairs (l TEXT, r TEXT, s TEXT)")
        connection.executemany("INSERT INTO pairs VALUES (?, ?, ?)", [("a", "b", "x"), ("b", "c", "x")])
        with pytest.raises(InputError, match="2 pairs are more than max_pairs=1"):
            sweep_pairs(TRUTH, (connection, "pairs"), max_pairs=1)


def test_thresholds_that_are_no_numbers():
    for wrong in (10**400, math.nan, "a", True):
        with pytest.raises(InputError, match="is not a number"):
            sweep([0, 1], {wrong: [0, 1]})


def test_labelings_of_different_points_are_said():
    truth = {1: 0, 2: 0, 3: 1, 4: 0}
    labelings = {0.5: {1: 0, 2: 0, 3: 1, 4: 1}, 0.6: {1: 0, 2: 1, 9: 1}}
    with pytest.warns(ClustermarkWarning, match=r"scored on different points, from 2 at 0\.6 to 4 at 0\.5: the scores"):
        sweep(truth, labelings, ["rand"], unmatched="drop", points="own")
    found = sweep(truth, labelings, ["rand"], unmatched="drop")
    assert (found.at(0.5)["rand"], found.at(0.6)["rand"]) == (1, 0)  # of the pair that both labelings have


@pytest.mark.parametrize("end", [math.inf, -math.inf])
def test_an_infinite_threshold_of_the_callers_own_is_one_like_others(end):
    found = sweep([0, 0, 1, 1], {end: [0, 0, 1, 1], 0.5: [0, 0, 0, 1], 0.7: [0, 1, 2, 3]}, ["dice", "pair_precision"])
    assert {one.by: one.threshold for one in found.bests()}["dice"] == end
    shown = "inf" if end > 0 else "-inf"
    assert [line.split()[:3] for line in repr(found).splitlines() if line.startswith("dice")] == [
        ["dice", shown, "1.000"]
    ]
    assert str(end) in found.to_json()
    assert f"Choose {shown.replace('-', '−')}: there the Czekanowski–Dice index is best, 1" in found.report()
    assert "no pair" not in found.report()


def test_an_index_that_is_best_where_nothing_is_joined_is_shown():
    found = sweep_pairs(TRUTH, (LEFT, RIGHT, SCORES), indices=["pair_precision"])
    assert [one.threshold for one in found.bests()] == [math.inf]
    found = sweep_pairs(TRUTH, (LEFT, RIGHT, SCORES), indices=["pair_precision", "dice"])
    assert [one.by for one in found.bests()] == ["dice"]


@pytest.mark.parametrize("parts", [1, 2])
def test_the_evaluation_at_a_threshold_has_the_points_and_their_records(parts, tmp_path):
    pd = need("pandas")
    keys = ["source_dataset", "unique_id"][2 - parts :]
    rows = [("crm", 1, "a"), ("crm", 2, "a"), ("web", 3, "b"), ("web", 4, "b"), ("web", 5, "c")]
    truth = pd.DataFrame(rows, columns=["source_dataset", "unique_id", "entity"])[[*keys, "entity"]]
    ends = [(0, 1, 0.9), (1, 2, 0.8), (2, 3, 0.7)]
    pairs = pd.DataFrame({"match_probability": [score for *_, score in ends]})
    for place, end in enumerate("lr"):
        for key in keys:
            pairs[f"{key}_{end}"] = [truth[key][one[place]] for one in ends]
    records = truth.assign(name=list("vwxyz")).sample(frac=1, random_state=0)
    records.to_parquet(tmp_path / "records.parquet")
    found = sweep_pairs(truth, pairs, ["dice"], on=keys).at(0.8)
    same = evaluate(truth, pairs, on=keys, pairs="pred", threshold=0.8, unmatched="singletons")
    assert found["dice"] == same["dice"]
    assert [one.point for one in found.points()] == [one.point for one in same.points()]
    for file in (tmp_path / "records.parquet", records):
        (merged,) = found.merges(records=file)
        assert {one.record["name"] for one in merged.members.shown} == {"v", "w", "x"}
        assert [row.points for row in found.by("name", records=file)] == [1] * 5
    assert found.points().to_csv().splitlines()[0].split(",")[:parts] == (keys if parts == 2 else ["point"])
    with pytest.raises(InputError, match="say where these lie by records="):
        found.merges(show=["name"])
    with pytest.raises(InputError, match="pass records="):
        found.by("name")
