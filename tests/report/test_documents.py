"""JSON matches its schema, and is read back bit by bit."""

from __future__ import annotations

import copy
import dataclasses
import json
from math import inf, isnan, nan

import pytest

import clustermark as cm
from clustermark.diagnosis.error_list import PART
from clustermark.diagnosis.members import MEMBER, MEMBERS, Member, Members
from clustermark.diagnosis.repairs.repair_row import PIECE
from clustermark.results.json import SCHEMA
from clustermark.rows import ErrorDiagnosis, GroupDiagnosis, RepairDiagnosis
from needs import need
from program import result, write_csv
from report_cases import CASES, HOSTILE

Draft202012Validator = need("jsonschema").Draft202012Validator
TRUE, PRED = [0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2]
VALIDATOR = Draft202012Validator(cm.json_schema())


def close(schema: object) -> object:
    """The schema with no keys but those it names; settings say themselves that they are open."""
    if isinstance(schema, list):
        return [close(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: part if key == "if" else close(part) for key, part in schema.items()}
    if schema.get("type") == "object" and "properties" in schema and "$schema" not in schema:
        closed.setdefault("additionalProperties", False)
    if "$schema" in schema:
        closed["unevaluatedProperties"] = False
    return closed


CLOSED = Draft202012Validator(close(cm.json_schema()))


def unscored() -> cm.Evaluation:
    return cm.evaluate(TRUE, PRED, noise_pred={2: "unscored"})


def infinite() -> cm.Evaluation:
    extremes = [cm.jaccard.when_undefined(value) for value in (inf, -inf, nan)]
    return cm.evaluate([0, 1], [0, 1], ["kulczynski1", "f_measure(beta=0.1)", *extremes])


def everything() -> cm.Evaluation:
    return cm.evaluate(TRUE, PRED, "all", missing="drop", noise_true={"never": "drop"})


def hostile_settings() -> cm.Evaluation:
    table = cm.crosstab(HOSTILE, HOSTILE, noise_pred={HOSTILE[0]: "drop", 7: "cluster", (1, 2): "singletons"})
    settings = {"source": HOSTILE[2] + "\ud800", HOSTILE[3]: {1: inf}}
    made = cm.PartitionEvaluation.of_table(table, [cm.rand], settings=settings)
    made.record = made.record._replace(refused={"<b>": HOSTILE[1]})
    return made


ALL = {**CASES, **{case.__name__: case for case in (unscored, infinite, everything, hostile_settings)}}


@pytest.fixture(params=ALL)
def evaluation(request) -> cm.Evaluation:
    return ALL[request.param]()


def valid(document: object) -> bool:
    assert VALIDATOR.is_valid(document) or not CLOSED.is_valid(document)
    return CLOSED.is_valid(document)


def test_groups_confusions_and_descriptions_are_as_the_schema_says(evaluation):
    try:
        sizes = evaluation.by_size()
    except cm.UnsupportedTableError:
        return
    records = {"x": [f"<{place}>" for place in range(4)]}
    few = cm.evaluate([0, 0, 1, 1], [0, 0, 0, 1], [])
    groups = few.by(["x", "x<"], records=records | {"x<": [None, 1, "2.5", True]})
    lists = [{"groups": sizes}, {"groups": groups}]
    lists += [{"subgroups": few.subgroups(records=records)}, {"subgroups": worlds()}]
    for listed in lists:
        assert valid(json.loads(GroupDiagnosis(evaluation, listed).to_json()))
    assert valid(json.loads(ErrorDiagnosis(evaluation, {"confusions": evaluation.confusions()}).to_json()))
    found = cm.describe([1, 1, 2, None], records, missing="singletons", noise={2: "cluster"})
    assert valid(json.loads(found.to_json()))
    wrong = json.loads(found.to_json())
    wrong["matching_rate"] = 1.5
    assert not valid(wrong)


def worlds() -> object:
    """A search that finds a group."""
    true = [place // 2 for place in range(400)]
    pred = [place if place % 40 < 10 else place // 2 + 1000 for place in range(400)]
    found = cm.evaluate(true, pred, []).subgroups(records={"x": [place % 40 < 10 for place in range(400)]})
    assert found.confirmed
    return found


def test_the_schema_is_one():
    Draft202012Validator.check_schema(cm.json_schema())
    assert cm.json_schema()["$id"] == f"urn:clustermark:schema:{SCHEMA}"
    assert cm.json_schema()["properties"]["schema"] == {"const": SCHEMA}
    assert json.loads(result("schema")) == cm.json_schema()


@pytest.mark.parametrize(
    ("columns", "row"),
    [
        (cm.ClusterTable.COLUMNS, cm.rows.ClusterRow),
        (cm.ErrorList.COLUMNS, cm.rows.ErrorRow),
        (PART, cm.rows.Part),
        (MEMBER, Member),
        (MEMBERS, Members),
        (cm.PointTable.COLUMNS, cm.rows.PointRow),
        (cm.Repairs.COLUMNS, cm.rows.Repair),
        (PIECE, cm.rows.Piece),
        (cm.rows.Confusions.COLUMNS, cm.rows.Confusion),
        (cm.rows.GroupTable.COLUMNS, cm.rows.Quality),
        (cm.rows.Subgroups.COLUMNS, cm.rows.Subgroup),
    ],
)
def test_columns_are_the_fields_of_their_rows(columns, row):
    beside = ("record", "beside") if row is cm.rows.PointRow else ()  # only where records were asked for
    assert tuple(columns) == (*row._fields, *beside)


def test_an_interval_declares_its_fields():
    assert list(cm.Interval.TABLES["intervals"]) == [field.name for field in dataclasses.fields(cm.Interval)]


def test_evaluations_are_as_the_schema_says_and_read_back(evaluation, tmp_path):
    text = evaluation.to_json()
    CLOSED.validate(json.loads(text))
    evaluation.write_json(tmp_path / "scores.json")
    for again in (cm.Evaluation.from_json(text), cm.read_evaluation(tmp_path / "scores.json")):
        assert again.to_json() == text
        assert [*map(repr, again.values())] == [*map(repr, evaluation.values())]
        assert (repr(again), again.verdict, again.refused) == (repr(evaluation), evaluation.verdict, evaluation.refused)
        for name in ("markdown", "latex", "html", "csv"):
            assert getattr(again, f"to_{name}")() == getattr(evaluation, f"to_{name}")()
        for name in evaluation:
            assert again.signature(name) == evaluation.signature(name)


def test_errors_are_as_the_schema_says(evaluation):
    tables = {"splits": evaluation.splits(3), "merges": evaluation.merges(3)}
    for each in (tables, {"clusters": evaluation.clusters[:50]}, {"classes": evaluation.classes[:50]}):
        CLOSED.validate(json.loads(ErrorDiagnosis(evaluation, each).to_json()))


@pytest.mark.parametrize("by", ["wrong_pairs", "b_cubed_f"])
def test_repairs_are_as_the_schema_says(by):
    evaluation = cm.evaluate([0, 0, 0, 1, 1, 2, HOSTILE[0]], [0, 1, 1, 1, 2, 2, 2], noise_pred={2: "singletons"})
    repairs = evaluation.repairs(None, by=by)
    assert repairs
    CLOSED.validate(json.loads(RepairDiagnosis(evaluation, {"repairs": repairs}).to_json()))


@pytest.mark.parametrize("records", [[*HOSTILE[:5], None, {HOSTILE[6]: 1.5}], {0: {"a": None}, 3: "x"}])
def test_records_are_as_the_schema_says(records):
    evaluation = cm.evaluate([0, 0, 0, 1, 1, 2, 3], [0, 1, 1, 1, 2, 2, 2], noise_pred={2: "singletons"})
    names = ("splits", "merges", "points")
    lists = {name: getattr(evaluation, name)(records=records) for name in names}
    document = json.loads(ErrorDiagnosis(evaluation, lists).to_json())
    CLOSED.validate(document)
    assert bool(document["tables"]["splits"]["note"]) == isinstance(records, dict)
    document = json.loads(RepairDiagnosis(evaluation, {"repairs": evaluation.repairs(records=records)}).to_json())
    CLOSED.validate(document)
    assert "members" in document["tables"]["repairs"]["rows"][0]


@pytest.mark.slow
def test_the_program_writes_what_the_schema_says(tmp_path):
    rows = [(1, "a", 1, 0.5), (2, "a", 2, 1), (3, "b", 2, 2), (4, "b", -1, 1)]
    file = write_csv(tmp_path / "data.csv", "id,t,p,w", rows)
    asked = [file, "--true", "t", "--pred", "p", "--format", "json"]
    for options in ([], ["--weights", "w"], ["--noise-pred", "-1=unscored"], ["--engine", "polars"]):
        CLOSED.validate(json.loads(result("score", *asked, *options)))
        for what in ([], ["--clusters"], ["--classes"], ["--points"], ["-k", 1]):
            CLOSED.validate(json.loads(result("errors", *asked, *options, *what)))
        if "-1=unscored" not in options:
            CLOSED.validate(json.loads(result("repairs", *asked, *options)))
    truth = write_csv(tmp_path / "truth.csv", "id,c", [row[:2] for row in rows])
    found = write_csv(tmp_path / "found.csv", "id,c", [(1, "x"), (2, "x"), (5, "y")])
    joined = ["score", truth, found, "--on", "id", "--unmatched", "keep", "--format", "json", "-i", "b_cubed_f"]
    CLOSED.validate(json.loads(result(*joined)))


def change(path: str, value: object) -> dict[str, object]:
    """An evaluation in which one thing is another; DELETED takes it out."""
    document = json.loads(everything().to_json())
    *folders, name = path.split(".")
    place = document
    for folder in folders:
        place = place[folder]
    if value is DELETED:
        del place[name]
    else:
        place[name] = value
    return document


DELETED = object()
BROKEN = [
    *((name, DELETED) for name in ("kind", "schema", "version", "points", "clusters", "settings", "scores", "verdict")),
    *((f"points.{fate}", DELETED) for fate in ("given", "used", "noise", "dropped", "unmatched")),
    *((f"scores.jaccard.{key}", DELETED) for key in ("value", "low", "high", "title", "family", "options")),
    ("scores.jaccard.higher_is_better", DELETED),
    ("refused", DELETED),
    ("clusters.pred", DELETED),
    ("settings.missing", DELETED),
    ("settings.weighted", DELETED),
    ("kind", "errors"),
    ("schema", 2),
    ("scores.jaccard.value", "many"),
    ("scores.jaccard", 0.4),
    ("points.used", None),
    ("scores", [1]),
    ("settings", []),
]


@pytest.mark.parametrize(("path", "value"), BROKEN)
def test_what_is_broken_is_neither_valid_nor_read(path, value):
    document = change(path, value)
    assert not VALIDATOR.is_valid(document)
    with pytest.raises(cm.InputError, match=r"^text: this (evaluation|JSON) "):
        cm.Evaluation.from_json(json.dumps(document))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("points.used", -1),
        ("points.used", 1.5),
        ("settings.missing", "guess"),
        ("settings.noise_pred", {"-1": "keep"}),
        ("version", 1),
        ("verdict", None),
        ("refused", {"rand": None}),
    ],
)
def test_what_is_not_valid(path, value):
    assert not VALIDATOR.is_valid(change(path, value))


def test_errors_that_are_not_valid():
    evaluation = cm.evaluate(TRUE, PRED)
    lists = {"splits": evaluation.splits(), "points": evaluation.points()}
    good = json.loads(ErrorDiagnosis(evaluation, lists).to_json())
    assert valid(good)
    for table, key in (("splits", "side"), ("splits", "total"), ("points", "rows")):
        bad = copy.deepcopy(good)
        del bad["tables"][table][key]
        assert not valid(bad)
    bad = copy.deepcopy(good)
    bad["tables"]["splits"]["rows"][0]["size"] = "six"
    assert not valid(bad)
    assert VALIDATOR.is_valid(good | {"new": 1})
    assert not valid(good | {"new": 1})


@pytest.mark.parametrize("text", ["", "no JSON", "[]", "1", '{"kind": "errors"}', "{}", None])
def test_what_is_no_evaluation(text):
    with pytest.raises(cm.InputError, match="pass what to_json returned"):
        cm.Evaluation.from_json(text)


def test_a_newer_schema_is_named():
    with pytest.raises(cm.InputError, match=r"has schema 2, and clustermark .* reads schema 1"):
        cm.Evaluation.from_json(json.dumps(change("schema", 2)))


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(cm.InputError, match=r"missing.json cannot be read"):
        cm.read_evaluation(tmp_path / "missing.json")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(cm.InputError, match="cannot be read as text"):
        cm.read_evaluation(tmp_path / "binary")


@pytest.mark.slow
def test_an_evaluation_that_was_read_has_no_table():
    again = cm.Evaluation.from_json(everything().to_json())
    assert again["ARI"] == again["adjusted_rand"] == cm.adjusted_rand(TRUE, PRED)
    assert (again.n_used, again.n_true_clusters, again.n_pred_clusters) == (6, 3, 3)
    assert again.version == cm.__version__
    asks = [
        again.splits, again.merges, again.points, again.overlap_map, again.report, lambda: again.clusters,
        lambda: again.classes, lambda: again.sizes, lambda: again.table, lambda: again.indices, lambda: again.sql,
        lambda: again.points(TRUE, PRED),
    ]  # fmt: skip
    for ask in asks:
        with pytest.raises(cm.InputError, match="read from JSON, which holds scores and no table"):
            ask()
    assert len(again.plot.scores().get_yticklabels()) == len(again)


def test_infinite_scores_are_read_back():
    again = cm.Evaluation.from_json(infinite().to_json())
    assert again["kulczynski1"] == inf
    assert again["jaccard.when_undefined(-inf)"] == -inf
    assert isnan(again["jaccard.when_undefined(nan)"])
