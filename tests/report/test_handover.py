"""The repairs to hand on: what the CSV files of the page hold, and when there are none."""

from __future__ import annotations

import csv
import io
import re
from base64 import b64decode

import pytest

import clustermark as cm
from clustermark.evaluation.page import handover

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("without_charts")]

TRUTH = dict(zip("pqrstuv", "aaabbcc", strict=True))
PREDICTION = dict(zip("pqrstuv", ["=1", "=1", "2", "3", "3", "3", "3"], strict=True))
RECORDS = {point: {"name": f"name of {point}"} for point in TRUTH}


def files_of(page):
    found = re.findall(r'download="([^"]+)\.csv" href="data:text/csv;charset=utf-8;base64,([^"]+)"', page)
    return {name: list(csv.DictReader(io.StringIO(b64decode(data).decode()))) for name, data in found}


def test_the_records_to_move_lead_from_the_prediction_to_the_mended_one():
    evaluation = cm.evaluate(TRUTH, PREDICTION)
    files = files_of(evaluation.report(records=RECORDS))
    listed = [(row["repair"], row["to do"], row["action"]) for row in files["repairs"]]
    assert listed == [(str(n), one.sentence, one.sentence.split()[0]) for n, one in enumerate(evaluation.repairs(), 1)]
    moved = files["records-to-move"]
    assert [(row["record"], row["cluster"], row["new cluster"], row["repair"]) for row in moved] == [
        ("r", "2", "'=1", "2"),  # an apostrophe before what a spreadsheet would run
        ("u", "3", "3 (2)", "1"),
        ("v", "3", "3 (2)", "1"),
    ]
    after = PREDICTION | {row["record"]: row["new cluster"].removeprefix("'") for row in moved}
    assert after == evaluation.repairs(None).apply()


def test_a_new_cluster_is_made_in_the_file_as_on_the_page():
    evaluation = cm.evaluate(list("aabbb"), list("xyxyy"))
    (made,) = [one for one in evaluation.repairs() if one.action == "extract"]
    listed = handover.list_repairs(evaluation.repairs()).rows()
    assert {row["action"] for row in listed if row["to do"] == made.sentence} == {"make"}


def test_records_are_moved_by_the_repairs_that_change_their_cluster():
    """Against the brute force: the labels after the first repair, the first two, and so on."""
    truth = dict(enumerate("aaaaabbbbccccddd"))
    prediction = dict(enumerate("wwwxxxxyyyyzzzzw"))
    evaluation = cm.evaluate(truth, prediction)
    repairs = evaluation.repairs(None)
    steps = [prediction, *(evaluation.repairs(k).apply() for k in range(1, len(repairs) + 1))]

    def mates(labels, point):
        return frozenset(other for other, label in labels.items() if label == labels[point])

    files = files_of(evaluation.report(records={point: {"name": "x"} for point in truth}))
    named = {int(row["record"]): {int(n) for n in row["repair"].split(" and ")} for row in files["records-to-move"]}
    assert named
    for point, numbers in named.items():
        changed = {n for n in range(1, len(steps)) if mates(steps[n], point) != mates(steps[n - 1], point)}
        assert numbers <= changed


def test_a_page_without_records_names_no_record():
    files = files_of(cm.evaluate(TRUTH, PREDICTION).report())
    assert set(files) == {"repairs", "predicted-clusters", "true-clusters"}
    for side, own in (("predicted", "false pairs"), ("true", "missing pairs")):  # as on the page
        assert list(files[f"{side}-clusters"][0]) == [
            "cluster", "verdict", "size", "best match", "its size", "shared", "precision", "recall", "Jaccard", "JCI",
            "meets", own, "wrong pairs",
        ]  # fmt: skip


def test_points_without_ids_are_not_listed():
    evaluation = cm.evaluate(list(TRUTH.values()), list(PREDICTION.values()))
    assert "records-to-move" not in files_of(evaluation.report(records=list(RECORDS.values())))


@pytest.mark.parametrize(("limit", "least"), [("most_points", 7), ("most_moved", 3)])
def test_too_many_are_not_listed(limit, least):
    evaluation = cm.evaluate(TRUTH, PREDICTION)
    finder = evaluation._known_origin.find_records(RECORDS, None)
    assert len(handover.list_moved(evaluation.repairs(), finder, **{limit: least})) == 3
    assert handover.list_moved(evaluation.repairs(), finder, **{limit: least - 1}) is None


def test_where_nothing_is_wrong_there_is_nothing_to_hand_on():
    assert "repairs" not in files_of(cm.evaluate([0, 0, 1], [5, 5, 6]).report())
