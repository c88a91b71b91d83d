"""The command `covers`: files with a row for each item and cluster."""

from __future__ import annotations

import json
import re

import pytest

import clustermark as cm
from needs import need
from program import mistake, result, run, write_csv

TRUTH = [("a", 1), ("b", 1), ("c", 1), ("c", 2), ("d", 2), ("e", "")]
PREDICTION = [("a", "x"), ("b", "x"), ("c", "y"), ("d", "y"), ("f", "y")]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    need("duckdb")
    here = tmp_path_factory.mktemp("covers")
    return (
        write_csv(here / "truth.csv", "item,cluster", TRUTH),
        write_csv(here / "pred.csv", "node,community", PREDICTION),
    )


NAMED = ("--item", "item", "--item", "node", "--cluster", "cluster", "--cluster", "community")
TRUE, PRED = cm.Cover([["a", "b", "c"], ["c", "d"]], items=list("abcde")), {"x": ["a", "b"], "y": ["c", "d", "f"]}


def test_scores_of_files(files, tmp_path):
    document = json.loads(result("covers", *files, *NAMED, "--format", "json"))
    need("jsonschema").validate(document, cm.json_schema())
    assert (document["kind"], document["subject"]) == ("evaluation", "covers")
    assert document["scores"]["omega"]["value"] == cm.omega(TRUE, PRED)
    assert document["uncovered"] == {"true": 2, "pred": 1}
    assert document["overlapping"] == {"true": 1, "pred": 0}
    assert document["unmatched"] == {"true": 1, "pred": 1}
    text = result("covers", *files, *NAMED, "-i", "omega", "-i", "average_f1", "--unmatched", "drop")
    assert text.startswith("4 items; 2 true clusters (1 item in several), 2 predicted clusters (0 items in several)\n")
    assert re.search(rf"^omega .* {cm.omega(TRUE, PRED, unmatched='drop'):.6f} ", text, re.MULTILINE)
    assert "note: left out: 1 item that only the truth has, 1 that only the prediction has" in text
    written = tmp_path / "scores.csv"
    done = run("covers", *files, *NAMED, "-o", written)
    assert written.read_text(encoding="utf-8").startswith("index,title,score,low,high,higher_is_better,family\n")
    assert (done.returncode, done.stdout) == (0, "")
    assert "note: in no cluster of the prediction: 1 of 6 items" in done.stderr


def test_mistakes(files, tmp_path):
    assert "there is no column 'item' with items; there are node, community" in mistake("covers", *files)
    said = f"1 item(s) occur in {files[0]} only and 1 in {files[1]} only"
    assert said in " ".join(mistake("covers", *files, *NAMED, "--unmatched", "error").split())
    bare = write_csv(tmp_path / "bare.csv", "item,cluster", [])
    assert "the prediction has no clusters" in mistake("covers", files[0], bare)
    assert "--item was given 3 times" in mistake("covers", *files, *NAMED, "--item", "x")


def test_the_list_of_them():
    panel = json.loads(result("indices", "--covers", "--panel", "--format", "json"))
    assert {"omega", "average_f1", "element_centric"} < {one["name"] for one in panel["rows"]}
    assert {one["name"] for one in panel["rows"]} < {index.name for index in cm.catalogue("covers")}
    assert "Of covers" in result("indices", "average_f1")
