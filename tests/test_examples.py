"""The example data is what its scripts make, and what its README says."""

from __future__ import annotations

import csv
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest

import clustermark as cm
from program import command, result

pytestmark = pytest.mark.slow  # most start the program, several times
ROOT = Path(__file__).parent.parent
COMPANIES = ROOT / "examples" / "data" / "companies"
DIGITS = ROOT / "src" / "clustermark" / "data" / "digits.csv"


def script(name: str):
    sys.path.insert(0, str(ROOT / "examples"))
    try:
        return import_module(name)
    finally:
        sys.path.pop(0)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def column(path: Path, name: str) -> list[str]:
    return [row[name] for row in rows(path)]


def test_companies_come_out_byte_for_byte(tmp_path):
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "make_companies.py", tmp_path], check=True, capture_output=True, text=True
    )
    assert "1848 records of 700 companies" in done.stdout
    committed = {path.name: path.read_bytes() for path in COMPANIES.iterdir()}
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == committed
    assert sum(map(len, committed.values())) < 320_000


def test_companies_are_as_described():
    records, sizes = rows(COMPANIES / "records.csv"), Counter(column(COMPANIES / "truth.csv", "entity"))
    assert len(records) == sum(sizes.values()) == 1848
    assert len(sizes) == 700
    assert set(sizes.values()) == set(range(1, 9))
    assert len({record["id"] for record in records}) == len(records)
    sample = Counter(column(COMPANIES / "truth_sample.csv", "entity"))
    assert len(sample) == 200
    assert sample.items() <= sizes.items()
    assert all(record["name"] for record in records)
    assert min(sum(not record[field] for record in records) for field in ("city", "founded")) > 20


@pytest.mark.parametrize("text", ["Keller Optics AG", "Yıldız", "abc"])
def test_a_typo_changes_a_text(text):
    companies = script("make_companies")
    dice = companies.Random(1)
    typed = {companies.mistyped(dice, text) for _ in range(50)}
    assert len(typed) >= 4
    assert all(abs(len(other) - len(text)) <= 1 for other in typed)


def test_clusters_are_closed_transitively():
    companies = script("make_companies")
    records = [companies.Record(name, "", "", "") for name in "abcde"]
    assert dict(companies.closed(records, [("d", "c"), ("b", "d")])) == {
        "a": "a", "b": "b", "c": "b", "d": "b", "e": "e",
    }  # fmt: skip


def test_the_matchers_fail_in_different_ways():
    careful = cm.evaluate(COMPANIES / "truth.csv", COMPANIES / "by_key.csv", on="id")
    bold = cm.evaluate(COMPANIES / "truth.csv", COMPANIES / "by_grams.csv", on="id")
    assert careful["pair_precision"] > 0.99 > bold["pair_recall"] > 0.95
    assert careful["pair_recall"] < 0.8
    assert bold["pair_precision"] < 0.8


def test_pairs_and_their_clusters_score_the_same(tmp_path):
    companies = script("make_companies")
    records = [companies.Record(**row) for row in rows(COMPANIES / "records.csv")]
    companies.write(
        tmp_path / "closed.csv", ("id", "cluster"), companies.closed(records, companies.by_neighbours(records))
    )
    closed = cm.evaluate(COMPANIES / "truth.csv", tmp_path / "closed.csv", on="id")
    listed = cm.evaluate(
        COMPANIES / "truth.csv", COMPANIES / "pairs_by_neighbours.csv", on="id", pairs="pred", unmatched="singletons"
    )
    assert dict(listed) == dict(closed)
    assert {row.cluster for row in listed.clusters} <= {row.cluster for row in closed.clusters}
    assert listed.settings["pairs"] == "pred"
    assert listed.settings["guessed"] == ["true"]
    assert "pred" not in listed.settings


def test_scored_pairs_cut_where_a_matcher_cuts_them_are_that_matcher():
    truth, scored = COMPANIES / "truth.csv", COMPANIES / "scored_pairs.csv"
    found = cm.sweep_pairs(truth, scored, on="id")
    assert dict(found.at(0.6)) == dict(cm.evaluate(truth, COMPANIES / "by_grams.csv", on="id"))
    cut = cm.evaluate(truth, scored, on="id", pairs="pred", threshold=0.6, unmatched="singletons")
    assert dict(found.at(0.6)) == dict(cut)


def test_digits_can_be_made_again(tmp_path):
    again = tmp_path / "digits.csv"
    script("make_digits").main(again)
    assert list(rows(again)[0]) == list(rows(DIGITS)[0])
    assert column(again, "digit") == column(DIGITS, "digit")
    for algorithm in ("kmeans", "ward", "dbscan"):  # which may differ a little between versions of scikit-learn
        assert cm.adjusted_rand(column(again, algorithm), column(DIGITS, algorithm)) > 0.95


def test_the_demo_runs_twice_and_leaves_its_report(tmp_path):
    """In a copy of what it reads, so that nothing is written to the repository."""
    for folder in ("examples", "src/clustermark/data"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    program = tmp_path / "bin" / "clustermark"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.join(command())} "$@"\n')
    program.chmod(0o755)
    environment = os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}"}
    for _ in range(2):
        done = subprocess.run([tmp_path / "examples" / "demo.sh"], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert "$ clustermark score truth.csv by_grams.csv --on id" in done.stdout
    assert "1,797 points, 10 true" in done.stdout
    assert "1,848 points, 700 true" in done.stdout
    report = tmp_path / "demo-report.html"
    assert str(report) in done.stdout
    assert report.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_the_commands_of_the_data_page_run():
    text = (COMPANIES.parent / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^clustermark (.*)$", text, re.MULTILINE)
    assert len(commands) == 5
    for line in commands:
        told = "of 1,848 records" if line.startswith(("sweep", "estimate")) else "1,848 points, 700 true"
        assert told in result(*shlex.split(line), cwd=COMPANIES)


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "docs/reading.md",
        "docs/errors.md",
        "docs/program.md",
        "docs/uncertainty.md",
        "docs/sampled-truth.md",
        "docs/thresholds.md",
        "docs/splink.md",
        "docs/comparing.md",
        "docs/changes.md",
        "examples/data/README.md",
    ],
)
def test_links_of_a_page_lead_somewhere(page):
    path = ROOT / page
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text(encoding="utf-8"))
    targets = [path.parent / link for link in links if "://" not in link]
    assert [target for target in targets if not target.exists()] == []
    pictures = [target for target in targets if target.suffix == ".png"]
    assert all(picture.stat().st_size < 400_000 for picture in pictures)
