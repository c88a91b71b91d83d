"""Predictions compared over groups of points: documents, patients, blocks."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

import clustermark as cm
from clustermark.uncertainty.spread import Jackknife
from needs import need

RNG = np.random.default_rng(5)
N, GROUPS = 240, 24
TRUTH = RNG.integers(0, 4, N)
PREDICTIONS = {
    name: np.where(RNG.random(N) < share, RNG.integers(0, 4, N), TRUTH) for name, share in (("a", 0.1), ("b", 0.2))
}
DOCUMENTS = [f"document {place % GROUPS}" for place in range(N)]
INDICES = ["adjusted_rand", "b_cubed_f"]


def deletion_error(index: str, documents: list[str]) -> tuple[float, float]:
    """The standard error of the difference, by leaving out each document in turn, and its degrees of freedom."""
    left = []
    for document in sorted(set(documents)):
        kept = np.array([mine != document for mine in documents])
        scores = [cm.find(index)(TRUTH[kept], labels[kept]) for labels in PREDICTIONS.values()]
        left.append(scores[0] - scores[1])
    away = np.array(left) - np.mean(left)
    degrees = 2 / ((away**4).sum() / (away**2).sum() ** 2 - 1 / len(left))
    return float(np.sqrt((len(left) - 1) * np.var(left))), min(degrees, len(left) - 1)


@pytest.fixture(scope="module")
def compared() -> cm.Comparison:
    return cm.compare(TRUTH, PREDICTIONS, INDICES, unit=DOCUMENTS)


@pytest.mark.parametrize("index", INDICES)
def test_the_spread_is_that_of_leaving_out_groups(compared: cm.Comparison, index: str):
    row = compared.differences(index)[0]
    error, degrees = deletion_error(index, DOCUMENTS)
    assert row.standard_error == pytest.approx(error, rel=1e-9)
    assert (row.n_units, row.method, compared.unit) == (GROUPS, "jackknife", "group")
    assert row.notes == (f"only {GROUPS} independent groups: p may be too small",)
    student = stats.t(degrees)
    assert row.p_value == pytest.approx(2 * student.sf(row.difference / row.standard_error), rel=1e-9)
    assert row.high - row.difference == pytest.approx(student.ppf(0.975) * row.standard_error, rel=1e-9)
    alone = cm.evaluate(TRUTH, PREDICTIONS["a"]).interval(index, unit=DOCUMENTS)
    standing = compared.leaderboard(index)["a"]
    assert (standing.low, standing.high) == (alone.low, alone.high)
    assert "leaving out one group of points at a time" in compared.methods_text()


def test_several_runs_over_groups():
    ranked = cm.compare(TRUTH, {"both": list(PREDICTIONS.values()), "a": PREDICTIONS["a"]}, ["rand"], unit=DOCUMENTS)
    assert ranked.differences()[0].method == "jackknife"
    assert ranked.leaderboard()["both"].standard_error > 0


def test_several_runs_are_refused_what_one_is():
    runs = list(PREDICTIONS.values())
    few = cm.compare(TRUTH, {"runs": runs}, ["rand"], unit=[place % 4 for place in range(N)]).leaderboard()["runs"]
    assert (few.low, few.high, few.notes) == (None, None, ("only 4 independent groups: no interval",))
    assert few.standard_error > 0
    half = cm.compare(TRUTH, {"runs": runs}, ["rand"], unit=[0] * 200 + list(range(1, 41))).leaderboard()["runs"]
    assert half.low is None
    assert "joins most of the data" in half.notes[0]


def test_runs_whose_components_are_few_or_one():
    one = cm.compare(TRUTH, {"runs": list(PREDICTIONS.values())}, ["rand"], unit="component").leaderboard()["runs"]
    assert (one.low, one.standard_error) == (None, None)
    assert "one component joins most of the data" in one.notes[0]
    truth = np.repeat(np.arange(12), 4)
    apart = [np.where(np.arange(48) % 4 == place, 20 + truth, truth // 2) for place in (0, 1)]
    several = cm.compare(truth, {"runs": apart}, ["rand"], unit="component").leaderboard()["runs"]
    assert several.low is None
    assert several.notes == ("only 6 independent groups: no interval",)


def test_counts_are_points_of_groups():
    counts = RNG.integers(0, 4, N)
    ours = cm.compare(TRUTH, PREDICTIONS, ["rand"], unit=DOCUMENTS, counts=counts)
    repeated = {name: np.repeat(labels, counts) for name, labels in PREDICTIONS.items()}
    theirs = cm.compare(np.repeat(TRUTH, counts), repeated, ["rand"], unit=np.repeat(DOCUMENTS, counts).tolist())
    assert ours.differences()[0].standard_error == pytest.approx(theirs.differences()[0].standard_error, rel=1e-12)


@pytest.mark.slow
def test_few_groups_of_whole_clusters_are_swapped():
    truth = np.repeat(np.arange(80), 3)
    one, other = (np.where(RNG.random(240) < share, 100 + np.arange(240), truth) for share in (0.1, 0.3))
    blocks = (truth // 2).tolist()
    ranked = cm.compare(truth, {"one": one, "other": other}, ["dice"], unit=blocks)
    row = ranked.differences()[0]
    assert (row.method, row.n_units) == ("swapping", 40)
    assert row.p_value < 0.01
    components = cm.compare(truth, {"one": one, "other": other}, ["dice"], unit=truth.tolist())
    same = cm.compare(truth, {"one": one, "other": other}, ["dice"], unit="component")
    assert components.differences()[0].p_value == same.differences()[0].p_value
    assert components.differences()[0].standard_error == pytest.approx(same.differences()[0].standard_error, rel=1e-12)


@pytest.mark.slow
def test_groups_by_id_by_column_and_in_a_file(compared: cm.Comparison, tmp_path):
    pandas = need("pandas")
    frame = pandas.DataFrame({"t": TRUTH, "d": DOCUMENTS} | PREDICTIONS)
    path = tmp_path / "points.csv"
    frame.sample(frac=1, random_state=0).to_csv(path, index=False)
    ids = range(N)
    by_id = [dict(zip(ids, labels.tolist(), strict=True)) for labels in (TRUTH, *PREDICTIONS.values())]
    ways = [
        cm.compare(frame, None, INDICES, true="t", pred=["a", "b"], unit="d"),
        cm.compare(by_id[0], {"a": by_id[1], "b": by_id[2]}, INDICES, unit=dict(zip(ids, DOCUMENTS, strict=True))),
    ]
    if need("duckdb"):
        ways.append(cm.compare(str(path), None, INDICES, true="t", pred=["a", "b"], unit="d"))
    wanted = compared.differences()[0]
    for way in ways:
        row = way.differences()[0]
        assert row.standard_error == pytest.approx(wanted.standard_error, rel=1e-9)
        assert (row.difference, row.n_units) == (wanted.difference, wanted.n_units)


def test_points_that_one_lacks_leave_their_groups():
    labels = [None if place < 3 else label for place, label in enumerate(PREDICTIONS["a"].tolist())]
    ranked = cm.compare(TRUTH, {"a": labels, "b": PREDICTIONS["b"]}, ["rand"], unit=DOCUMENTS, missing="drop")
    wanted = cm.compare(
        TRUTH[3:], {name: labels[3:] for name, labels in PREDICTIONS.items()}, ["rand"], unit=DOCUMENTS[3:]
    )
    assert ranked.differences()[0].standard_error == wanted.differences()[0].standard_error


@pytest.mark.parametrize(
    ("unit", "message"),
    [
        (DOCUMENTS[1:], "unit: there are 239 groups for 240 points"),
        ([None, *DOCUMENTS[1:]], "unit: 1 point"),
        ("documents", "unit='documents' is unknown; choose 'point' or 'component'"),
    ],
)
def test_groups_that_cannot_be(unit, message):
    with pytest.raises(cm.InputError, match=message):
        cm.compare(TRUTH, PREDICTIONS, unit=unit)


def test_groups_of_ids_must_be_by_id():
    labels = {1: 0, 2: 0, 3: 1}
    with pytest.raises(cm.InputError, match="pass the groups as a mapping from id"):
        cm.compare(labels, {"a": labels}, unit=[1, 2, 3])
    with pytest.raises(cm.InputError, match="no group for 1 id"):
        cm.compare(labels, {"a": labels}, unit={1: 0, 2: 0})
    pandas = need("pandas")
    with pytest.raises(cm.InputError, match="name the column that has the groups"):
        cm.compare(pandas.DataFrame({"t": [1], "a": [1]}), true="t", pred=["a"], unit=[1])


def test_what_groups_cannot_show():
    half = [0] * 200 + list(range(1, 41))
    row = cm.compare(TRUTH, PREDICTIONS, ["rand"], unit=half).differences()[0]
    assert row.notes == ("one group joins most of the data; choose other groups",)
    few = cm.compare(TRUTH, PREDICTIONS, ["rand"], unit=[place % 5 for place in range(N)]).differences()[0]
    assert few.low is None
    assert few.notes == ("only 5 independent groups: no interval and no test",)
    assert few.p_value is None
    assert few.standard_error > 0


@pytest.mark.slow
def test_many_groups_are_drawn_and_the_same_for_both(monkeypatch):
    wanted = cm.compare(TRUTH, PREDICTIONS, INDICES, unit=[place // 2 for place in range(N)])
    monkeypatch.setattr(Jackknife, "most_tables", 100)
    found = cm.compare(
        TRUTH, PREDICTIONS | {"runs": list(PREDICTIONS.values())}, INDICES, unit=[place // 2 for place in range(N)]
    )
    for index in INDICES:
        one, other = found.differences(index)["a", "b"], wanted.differences(index)["a", "b"]
        assert (one.method, other.method) == ("half-sampling", "jackknife")
        assert one.standard_error == pytest.approx(other.standard_error, rel=0.15)
        assert found.leaderboard(index)["runs"].standard_error > 0
    need("jsonschema").validate(json.loads(found.to_json()), cm.json_schema())
