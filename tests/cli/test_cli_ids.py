"""The program joins two files by ids: columns of any name, several of them, and what is said where few ids meet."""

from __future__ import annotations

import json

from program import mistake, result, run, write_csv


def test_columns_of_the_id(tmp_path):
    truth = write_csv(tmp_path / "truth.csv", "src,id,t", [("x", 1, "a"), ("x", 2, "a"), ("y", 1, "b"), ("y", 2, "b")])
    found = write_csv(tmp_path / "found.csv", "src,rid,p", [("y", 2, 1), ("y", 1, 2), ("x", 2, 1), ("x", 1, 1)])
    shape = ("--format", "json", "--true", "t", "--pred", "p")
    settings = json.loads(result("score", truth, found, *shape, "--on", "src", "--on", "id=rid"))["settings"]
    assert settings["on"] == "src, id=rid"
    shown = result("errors", truth, found, "--points", "--on", "src", "--on", "id=rid", "--true", "t", "--pred", "p")
    assert "('y', '2')" in shown
    assert "must be unique" in mistake("score", truth, found, *shape, "--on", "id=rid")
    assert "must be a column, or TRUE=PRED" in mistake("score", truth, found, *shape, "--on", "id=")
    assert "--on rid is not one of its columns" in mistake("score", truth, found, *shape, "--on", "rid=id")


def test_few_ids_or_none(tmp_path):
    truth = write_csv(tmp_path / "truth.csv", "id,t", [(i, 1) for i in range(100)])
    found = write_csv(tmp_path / "found.csv", "id,p", [(i, 1) for i in range(95, 300)])
    floats = write_csv(tmp_path / "floats.csv", "id,p", [(float(i), 1) for i in range(100)])
    asked = ("--on", "id", "--unmatched", "drop")
    done = run("score", truth, found, *asked)
    said = "Only 5 of the 100 ids of the smaller side occur on both sides; is the id the right one?"
    assert (done.returncode, said in " ".join(done.stdout.split())) == (0, True)
    assert "Warning" not in done.stderr
    assert run("score", truth, found, *asked, "-q").stderr == ""
    document = json.loads(result("score", truth, found, *asked, "--format", "json"))
    assert document["settings"]["few_matches"].startswith("Only 5 of the 100 ids")
    assert {"kind": "few_matches", "text": said} in document["notices"]
    result("report", truth, found, *asked, "-o", tmp_path / "page.html")
    assert "Only 5 of the 100 ids" in (tmp_path / "page.html").read_text()
    message = mistake("score", truth, floats, *asked)
    assert "no id occurs on both sides" in message
    assert "such as '0.0', '1.0'" in message
    assert "by --on" in message
