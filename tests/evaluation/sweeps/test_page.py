"""The examples of the page on thresholds are what the program does."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from clustermark import sweep_pairs
from clustermark.registry.tracking import tracked_indices
from needs import need
from program import result

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "thresholds.md"
COMPANIES = ROOT / "examples" / "data" / "companies"


@pytest.mark.slow
def test_the_command_of_the_page():
    need("click")
    line = re.search(r"^\$ clustermark (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    found = sweep_pairs(COMPANIES / "truth.csv", COMPANIES / "scored_pairs.csv", on="id")
    clusters = found.labels(found.best("dice").threshold)
    lines = [f"{one},{cluster}" for one, cluster in clusters.items()]
    assert result(*shlex.split(line[1]), cwd=COMPANIES).splitlines() == ["id,cluster", *lines]


def test_the_number_of_indices_that_are_known_everywhere():
    assert f"MUC; {len(tracked_indices())} of" in PAGE.read_text(encoding="utf-8")


def test_a_chart_draws_every_index_that_was_asked_for():
    import clustermark as cm
    from clustermark.evaluation.sweep_charts import usual_indices

    truth, pairs = {1: 0, 2: 0, 3: 1}, ([1, 2], [2, 3], [0.9, 0.5])
    asked = ["dice", "b_cubed_f", "cluster_f"]
    assert [index.label for index in usual_indices(cm.sweep_pairs(truth, pairs, asked))] == asked
    assert len(usual_indices(cm.sweep_pairs(truth, pairs))) < 6
