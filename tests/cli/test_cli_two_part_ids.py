"""Ids of two parts, as of every link job of Splink: each file that a command writes can be joined by its columns."""

from __future__ import annotations

import csv
import json
from io import StringIO

import pytest

import clustermark as cm
from needs import need
from program import mistake, result, write_csv

pytestmark = pytest.mark.slow

ON = ("--on", "source_dataset", "--on", "unique_id")
KEYS = ["source_dataset", "unique_id"]
# (source, id, entity, predicted cluster): ids are unique with their source only
ROWS = [
    ("crm", 1, "a", "x"),
    ("crm", 2, "a", "x"),
    ("web_shop", 1, "a", "y"),
    ("web_shop", 2, "b", "x"),
    ("crm", 3, "b", "x"),
    ("web_shop", 3, "c", "z"),
    ("crm", 4, "c", "z"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    here = tmp_path_factory.mktemp("two_parts")
    write_csv(here / "truth.csv", "source_dataset,unique_id,entity", [(s, i, e) for s, i, e, _ in ROWS])
    write_csv(here / "pred.csv", "source_dataset,unique_id,cluster", [(s, i, c) for s, i, _, c in ROWS])
    write_csv(here / "names.csv", "source_dataset,unique_id,name", [(s, i, f"name {s} {i}") for s, i, *_ in ROWS])
    return here


def table_of(text):
    return list(csv.DictReader(StringIO(text, newline="")))


def test_mended_labels_are_joined_by_the_columns_that_the_prediction_has(folder):
    result("repairs", "truth.csv", "pred.csv", *ON, "--all", "--mended", "mended.csv", cwd=folder)
    rows = table_of((folder / "mended.csv").read_text())
    assert [(row["source_dataset"], row["unique_id"]) for row in rows] == [(s, str(i)) for s, i, *_ in ROWS]
    scored = result("score", "truth.csv", "mended.csv", *ON, "-i", "rand", "-f", "csv", cwd=folder)
    assert ",1.0," in scored


def test_mended_labels_of_one_part_keep_the_names_of_their_columns(folder):
    write_csv(folder / "one_truth.csv", "rid,entity", [(i, e) for i, (*_, e, _) in enumerate(ROWS)])
    write_csv(folder / "one.csv", "record,found", [(i, c) for i, (*_, c) in enumerate(ROWS)])
    how = ("--on", "rid=record", "--mended", "one_mended.csv")
    result("repairs", "one_truth.csv", "one.csv", *how, cwd=folder)
    assert (folder / "one_mended.csv").read_text().splitlines()[0] == "record,found"
    pairs = write_csv(folder / "one_pairs.csv", "l,r,s", [(0, 1, 0.9), (1, 2, 0.8), (5, 6, 0.7)])
    cut = result("sweep", "one_truth.csv", str(pairs), "--on", "rid", "--cut", "0.5", "-f", "csv", cwd=folder)
    assert cut.splitlines()[0] == "rid,cluster"


def test_listed_points_have_a_column_for_each_part(folder):
    rows = table_of(result("errors", "truth.csv", "pred.csv", *ON, "--points", "-f", "csv", cwd=folder))
    assert [*rows[0]][:2] == KEYS
    assert {(row["source_dataset"], int(row["unique_id"])) for row in rows} < {(s, i) for s, i, *_ in ROWS}
    told = json.loads(result("errors", "truth.csv", "pred.csv", *ON, "--points", "-f", "json", cwd=folder))
    points = [row["point"] for row in told["tables"]["points"]["rows"]]
    assert points == [[row["source_dataset"], row["unique_id"]] for row in rows]


def test_points_with_records_have_columns_for_the_point_beside_too(folder):
    how = ("--records", "names.csv", "--points", "-f", "csv")
    rows = table_of(result("errors", "truth.csv", "pred.csv", *ON, *how, cwd=folder))
    assert {*KEYS, "beside_source_dataset", "beside_unique_id", "name", "beside_name"} <= {*rows[0]}
    assert all(row["name"] == f"name {row['source_dataset']} {row['unique_id']}" for row in rows)


def test_lists_in_python_have_tuples_and_frames_have_columns(folder):
    need("pandas")
    found = cm.evaluate(folder / "truth.csv", folder / "pred.csv", on=KEYS)
    points = found.points()
    assert points.to_dict()["point"][0] == points[0].point == ("crm", "1")
    assert list(points.to_pandas().columns)[:3] == [*KEYS, "true"]
    assert list(points[:1].to_polars().columns)[:3] == [*KEYS, "true"]
    merges = found.merges(records=folder / "names.csv")
    assert list(merges.records.to_arrow().column_names)[:3] == ["cluster", *KEYS]
    pairs = ["left_source_dataset", "left_unique_id", "right_source_dataset", "right_unique_id"]
    assert list(merges.pairs.to_pandas().columns)[2:6] == pairs
    assert merges.pairs.to_dict()["left"][0][0] in ("crm", "web_shop")


def test_scored_pairs_that_merged_wrongly_have_four_columns_of_ids(folder):
    pairs = [(0.9, "crm", 1, "crm", 2), (0.8, "crm", 2, "web_shop", 2), (0.7, "crm", 3, "web_shop", 2)]
    head = "match_probability,source_dataset_l,unique_id_l,source_dataset_r,unique_id_r"
    write_csv(folder / "pairs.csv", head, pairs)
    found = cm.sweep_pairs(folder / "truth.csv", folder / "pairs.csv").false_merges(0.7)
    assert found[0].left in {("crm", "2"), ("web_shop", "2")}
    line = found.to_csv().splitlines()[0]
    assert line.startswith("left_source_dataset,left_unique_id,right_source_dataset,right_unique_id,score")


def test_ids_of_a_mapping_have_numbered_parts():
    truth = {(s, i): e for s, i, e, _ in ROWS}
    found = cm.evaluate(truth, {(s, i): c for s, i, _, c in ROWS})
    assert found.points().to_csv().splitlines()[0] == "point_1,point_2,true,pred,best_match"


def test_a_cluster_that_is_named_after_such_an_id_is_one_field_of_json():
    truth = {(s, i): (e, 1) for s, i, e, _ in ROWS}
    found = cm.evaluate(truth, {(s, i): c for s, i, _, c in ROWS}).points()
    assert {json.loads(row["true"])[1] for row in table_of(found.to_csv())} == {1}


def test_an_id_that_a_spreadsheet_would_run_is_guarded_in_each_part(folder):
    write_csv(folder / "t.csv", "s,i,e", [("=a", 1, "p"), ("=a", 2, "q")])
    write_csv(folder / "p.csv", "s,i,c", [("=a", 1, "x"), ("=a", 2, "x")])
    how = ("--on", "s", "--on", "i", "--mended", "safe.csv", "--safe")
    result("repairs", "t.csv", "p.csv", *how, cwd=folder)
    assert (folder / "safe.csv").read_text().splitlines()[1].startswith("'=a,1,")
    assert "--safe" in mistake("repairs", "t.csv", "p.csv", "--on", "s", "--on", "i", "--safe", cwd=folder)


def test_every_command_takes_scored_pairs(folder):
    head = "match_probability,source_dataset_l,unique_id_l,source_dataset_r,unique_id_r"
    for name, scores in (("first", (0.9, 0.8, 0.4)), ("second", (0.9, 0.3, 0.9))):
        ends = [("crm", 1, "crm", 2), ("crm", 2, "web_shop", 2), ("crm", 3, "web_shop", 3)]
        write_csv(folder / f"{name}.csv", head, [(score, *end) for score, end in zip(scores, ends, strict=True)])
    how = (*ON, "--threshold", "0.5", "--unmatched", "singletons")
    scored = result("score", "truth.csv", "first.csv", *how, "--pairs", "pred", "-i", "dice", "-f", "json", cwd=folder)
    dice = json.loads(scored)["scores"]["dice"]["value"]
    assert dice == 2 * 1 / (5 + 3)  # one of the three pairs found is among the five true ones
    swept = result("sweep", "truth.csv", "first.csv", "--at", "0.5", "-i", "dice", "-f", "json", cwd=folder)
    assert json.loads(swept)["at"]["scores"]["dice"] == dice
    page = result("report", "truth.csv", "first.csv", *how, "--pairs", "pred", "-o", "-", cwd=folder)
    assert "unique_id" in page
    files = ("truth.csv", "first.csv", "second.csv")
    compared = result("compare", *files, *how, "--pairs", "pred", "-i", "dice", "-f", "json", cwd=folder)
    assert set(json.loads(compared)["methods"]) == {"first", "second"}
    changed = result("changes", "first.csv", "second.csv", *how, "--pairs", "both", "-f", "json", cwd=folder)
    assert json.loads(changed)["settings"]["pairs"] == "both"
