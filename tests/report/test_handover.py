"""The repairs to hand on: what the CSV files of the page hold, and when there are none."""

from __future__ import annotations

import csv
import io
import re
from base64 import b64decode

import pytest

import clustermark as cm
from clustermark.report.page import handover

pytestmark = pytest.mark.slow

TRUTH = dict(zip("pqrstuv", "aaabbcc", strict=True))
PREDICTION = dict(zip("pqrstuv", ["=1", "=1", "2", "3", "3", "3", "3"], strict=True))
RECORDS = {point: {"name": f"name of {point}"} for point in TRUTH}


def files_of(page):
    found = re.findall(r'download="([^"]+)\.csv" href="data:text/csv;charset=utf-8;base64,([^"]+)"', page)
    return {name: list(csv.DictReader(io.StringIO(b64decode(data).decode()))) for name, data in found}


def test_the_records_to_move_lead_from_the_prediction_to_the_mended_one():
    evaluation = cm.evaluate(TRUTH, PREDICTION)
    files = files_of(evaluation.report(records=RECORDS))
    assert [row["repair"] for row in files["repairs"]] == [one.sentence for one in evaluation.repairs()]
    moved = files["records-to-move"]
    assert [(row["record"], row["cluster"], row["new_cluster"]) for row in moved] == [
        ("r", "2", "'=1"),  # an apostrophe before what a spreadsheet would run
        ("u", "3", "3 (2)"),
        ("v", "3", "3 (2)"),
    ]
    after = PREDICTION | {row["record"]: row["new_cluster"].removeprefix("'") for row in moved}
    assert after == evaluation.repairs(None).apply()


def test_a_page_without_records_names_no_record():
    assert set(files_of(cm.evaluate(TRUTH, PREDICTION).report())) == {"repairs", "predicted-clusters", "true-clusters"}


def test_points_without_ids_are_not_listed():
    evaluation = cm.evaluate(list(TRUTH.values()), list(PREDICTION.values()))
    assert "records-to-move" not in files_of(evaluation.report(records=list(RECORDS.values())))


@pytest.mark.parametrize(("limit", "least"), [("_MOST_POINTS", 7), ("_MOST_MOVED", 3)])
def test_too_many_are_not_listed(monkeypatch, limit, least):
    monkeypatch.setattr(handover, limit, least)
    assert "records-to-move" in files_of(cm.evaluate(TRUTH, PREDICTION).report(records=RECORDS))
    monkeypatch.setattr(handover, limit, least - 1)
    assert "records-to-move" not in files_of(cm.evaluate(TRUTH, PREDICTION).report(records=RECORDS))


def test_where_nothing_is_wrong_there_is_nothing_to_hand_on():
    assert "repairs" not in files_of(cm.evaluate([0, 0, 1], [5, 5, 6]).report())
