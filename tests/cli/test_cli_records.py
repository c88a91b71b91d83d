"""Records beside ids on the command line."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest

from program import mistake, result, write_csv

pytestmark = pytest.mark.slow
ROWS = [("a", "x", 1, "Ann Smith", "Lille"), ("b", "x", 2, "Ann Smyth", "Lille"), ("c", "y", 2, "Bob", "Lyon")]


@pytest.fixture
def files(tmp_path):
    whole = write_csv(tmp_path / "whole.csv", "id,true,pred,name,city", ROWS)
    truth = write_csv(tmp_path / "truth.csv", "id,true", [row[:2] for row in ROWS])
    found = write_csv(tmp_path / "found.csv", "id,pred", [(row[0], row[2]) for row in ROWS])
    people = write_csv(tmp_path / "people.csv", 'id,name,"city, and more"', [(row[0], *row[3:]) for row in ROWS])
    return {"whole": whole, "truth": truth, "found": found, "people": people}


def test_errors_show_records_and_mark_what_differs(files):
    joined = ["errors", files["truth"], files["found"], "--on", "id", "-q"]
    text = result(*joined, "--records", files["people"])
    assert "point  pred  name         city, and more" in text
    assert "b      2     Ann Sm*y*th  Lille" in text
    assert "1 missing pair:\n    a: Ann Sm*i*th, Lille | b: Ann Sm*y*th, Lille" in text
    assert "1 false pair:\n    b: *Ann Smyth*, *Lille* | c: *Bob*, *Lyon*" in text
    text = result(*joined, "--records", files["people"], "--show", '"city, and more",name')
    assert "point  pred  city, and more  name" in text
    rows = list(csv.DictReader(io.StringIO(result(*joined, "--records", files["people"], "--format", "csv"))))
    assert [(row["kind"], row["cluster"], row["point"], row["name"]) for row in rows] == [
        *(("split", "x", row[0], row[3]) for row in ROWS[:2]),
        *(("merge", "2", row[0], row[3]) for row in ROWS[1:]),
    ]
    found = json.loads(result(*joined, "--points", "--records", files["people"], "--show", "name", "--format", "json"))
    (row,) = found["tables"]["points"]["rows"]
    assert row["record"] == {"name": "Ann Smyth"}
    assert row["beside"]["record"] == {"name": "Bob"}
    assert "*Ann Smyth*" in result(*joined, "--points", "--records", files["people"])


def test_columns_of_the_same_file_need_no_ids(files):
    one = [files["whole"], "--true", "true", "--pred", "pred", "-q", "--show", "name,city"]
    assert "3      y     Bob        Lyon\n1 false pair:\n    2: *Ann Smyth*, *Lille* | 3: *Bob*, *Lyon*" in result(
        "errors", *one
    )
    assert "c      y     Bob        Lyon\n1 false pair:" in result("errors", *one, "--on", "id")
    assert "2      x     2     y           3       *Ann Smyth*  *Lille*" in result("errors", *one, "--points")
    text = result("repairs", *one, "-k", 1)
    assert re.search("^1. move 1 record from cluster 2 to cluster 1 ", text, re.MULTILINE)
    assert re.search("^point +pred +name", text, re.MULTILINE)
    assert "1 missing pair:" in text
    assert "1 false pair:" in text
    rows = list(csv.DictReader(io.StringIO(result("repairs", *one, "-k", 1, "--format", "csv"))))
    assert [row["name"] for row in rows] == ["Ann Smith", "Ann Smyth"]


def test_what_cannot_be_shown_is_refused(files):
    one = ["errors", files["whole"], "--true", "true", "--pred", "pred", "-q"]
    assert "leave out --clusters" in mistake(*one, "--clusters", "--show", "name")
    assert "name the column by --on" in mistake(*one, "--records", files["people"])
    assert "did you mean 'name'" in mistake(*one, "--show", "nme")
    joined = ["errors", files["truth"], files["found"], "--on", "id", "-q"]
    assert "--show" in mistake(*joined, "--records", files["people"], "--show", "nme")


def test_a_page_holds_records_unless_it_must_not(files):
    one = ["report", files["whole"], "--true", "true", "--pred", "pred", "-q", "-o", "-", "--show", "name"]
    page, without = result(*one), result(*one, "--no-records")
    assert "<strong>This page holds name of 3 records</strong> of whole.csv" in page
    assert "Ann Smyth" in page
    assert "--no-records" in page
    assert "This page holds" not in without
    assert "Ann Smyth" not in without
