"""Intervals on the command line: in every format, over points and over components."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

import clustermark as cm
from program import mistake, result, run

if TYPE_CHECKING:
    from pathlib import Path

BOTH = ("--true", "t", "--pred", "p")


@pytest.fixture(scope="module")
def points(tmp_path_factory) -> Path:
    rng = np.random.default_rng(0)
    true = np.repeat(np.arange(60), 4)
    pred = np.where(rng.random(240) < 0.2, 60 + np.arange(240), true)
    path = tmp_path_factory.mktemp("points") / "points.csv"
    np.savetxt(path, np.column_stack([true, pred]), "%d", ",", header="t,p", comments="")
    return path


def test_intervals_in_every_format(points: Path):
    wanted = cm.evaluate(str(points), true="t", pred="p").interval("b_cubed_f")
    ask = ("score", points, *BOTH, "-q", "-i", "b_cubed_f", "-i", "muc_f", "--intervals")
    assert f"[{wanted.low:.6f}, {wanted.high:.6f}]" in result(*ask)
    scores = json.loads(result(*ask, "--format", "json"))["scores"]
    assert scores["b_cubed_f"]["interval"]["low"] == wanted.low
    assert scores["muc_f"]["interval"]["low"] is None
    row = next(csv.DictReader(io.StringIO(result(*ask, "--format", "csv"))))
    assert float(row["interval_high"]) == wanted.high
    assert r"\pm" in result(*ask, "--format", "latex")
    assert "interval" not in result(*ask[:-1])


def test_components_imply_intervals(points: Path):
    text = result("score", points, *BOTH, "-q", "-i", "muc_f", "--unit", "component")
    assert "95 % intervals by the jackknife over 60 components" in text
    assert run("score", points, *BOTH, "--unit", "cluster").returncode == 2


def test_a_report_with_intervals(points: Path, tmp_path: Path):
    page = tmp_path / "page.html"
    result("report", points, *BOTH, "-q", "--intervals", "-o", page)
    assert "95 % intervals by the jackknife over 240 points" in page.read_text(encoding="utf-8")


def test_every_option_of_intervals(points: Path):
    evaluation = cm.evaluate(str(points), true="t", pred="p")
    ask = ("score", points, *BOTH, "-q", "-i", "adjusted_rand", "--format", "json")
    for options, wanted in (
        (("--level", "0.8"), {"level": 0.8}),
        (("--target", "population"), {"target": "population"}),
        (
            ("--method", "half-sampling", "--draws", "50", "--seed", "7"),
            {"method": "half-sampling", "draws": 50, "seed": 7},
        ),
        (("--groups", "t"), {"unit": "t"}),
    ):
        found = json.loads(result(*ask, *options))
        interval = evaluation.interval("adjusted_rand", **wanted)
        assert found["scores"]["adjusted_rand"]["interval"] == interval.to_dict()
    assert json.loads(result(*ask, "--groups", "t"))["settings"]["intervals"]["unit"] == "group"


def test_groups_of_two_columns_are_crossed(tmp_path: Path):
    rows = [f"{i % 3},{(i % 3 + (i % 7 == 0)) % 3},d{i % 11},a{i % 5}" for i in range(440)]
    (tmp_path / "rows.csv").write_text("\n".join(["t,p,document,annotator", *rows]))
    both = ("--groups", "document", "--groups", "annotator")
    ask = ("rows.csv", "--true", "t", "--pred", "p", "-i", "adjusted_rand")
    found = json.loads(result("score", *ask, *both, "--format", "json", cwd=tmp_path))
    evaluation = cm.evaluate(tmp_path / "rows.csv", true="t", pred="p")
    wanted = evaluation.interval("adjusted_rand", unit=["document", "annotator"])
    assert wanted.low is not None
    assert found["scores"]["adjusted_rand"]["interval"] == wanted.to_dict()
    assert found["settings"]["intervals"]["unit"] == "document × annotator"
    assert "over 11 × 5 groups (document × annotator)" in result("score", *ask, *both, cwd=tmp_path)
    assert "choose one of the two" in mistake("coverage", *ask, *both, cwd=tmp_path)
    assert "given 3 times; at most two" in mistake("score", *ask, *both, "--groups", "t", cwd=tmp_path)
    assert "rename it" in mistake("score", *ask, "--groups", "document", "--groups", "point", cwd=tmp_path)


def test_intervals_that_cannot_be_are_said(points: Path):
    ask = ("score", points, *BOTH, "-q")
    assert "give one of them" in mistake(*ask, "--unit", "point", "--groups", "t")
    assert "rename it" in mistake(*ask, "--groups", "point")
    assert "--unit nowhere is not one of its columns" in mistake(*ask, "--groups", "nowhere")
    assert "makes no scores" in mistake(*ask, "--explain", "--intervals")
    assert "GROUP BY" in result(*ask, "--explain")
