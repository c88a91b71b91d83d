"""The commands of the page on Splink run in their order, on the example data in tables that look like Splink's."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

import clustermark as cm
from needs import need
from program import run, write_csv

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
COMPANIES = ROOT / "examples" / "data" / "companies"
SOURCE = "if({0} < 'r0900', 'crm', 'web')"


@pytest.fixture
def folder(tmp_path):
    duckdb = need("duckdb")
    one = SOURCE.format("id") + " AS source_dataset, * RENAME (id AS unique_id)"
    ends = ", ".join(
        f"{SOURCE.format(side)} AS source_dataset_{side[1]}, {side} AS unique_id_{side[1]}"
        for side in ('"left"', '"right"')
    )
    pairs = f"{{}} AS match_probability, 0 AS match_weight, {ends}"
    for name, file, columns in (
        ("truth", "truth", one),
        ("records", "records", one),
        ("predicted", "scored_pairs", pairs.format("similarity")),
        ("predicted_old", "scored_pairs", pairs.format("similarity * 0.99")),
    ):
        query = f"SELECT {columns} FROM '{COMPANIES / file}.csv'"
        duckdb.sql(query).write_parquet(str(tmp_path / f"{name}.parquet"))
    return tmp_path


def test_every_command_of_the_page_runs(folder):
    lines = re.findall(
        r"^\$ clustermark (.*)$", (ROOT / "docs" / "splink.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(lines) == 11
    for line in lines:
        words = shlex.split(line)
        if words[0] == "judge":
            asked = cm.Questions.from_json((folder / words[1]).read_text())
            head = [names[side] for side in (1, 2) for names in asked.id_columns]
            said = [(*one.left, *one.right, "s") for one in asked.table]
            write_csv(folder / words[2], ",".join([*head, "answer"]), said)
        done = run(*words, cwd=folder)
        assert done.returncode in ((0, 1) if words[0] == "judge" else (0,)), (line, done.stderr)
    assert (folder / "mended.csv").read_text().startswith("source_dataset,unique_id,cluster\n")
