"""Ids of questions are those of the source: numbers, texts, or tuples; in a sheet a part is a column."""

from __future__ import annotations

import csv
import json
from io import StringIO

import pytest
from worlds import answer, blocks

import clustermark as cm
from needs import need

pa = need("pyarrow", "parquet")
KEYS = ["source_dataset", "unique_id"]
WORLD = blocks(3, 40)
N = len(WORLD["truth"])
IDS = [("crm" if place % 2 else "web_shop", place // 2) for place in range(N)]


def sources(kind, tmp_path):
    """Return both clusterings as sources of a kind, and the id of each record as the source has it."""
    columns = {"source_dataset": [s for s, _ in IDS], "unique_id": [i for _, i in IDS]}
    if kind == "mapping":
        return [dict(zip(IDS, WORLD[side], strict=True)) for side in ("before", "after")], {}, IDS
    tables = [pa.table(columns | {"cluster": WORLD[side]}) for side in ("before", "after")]
    if kind == "arrow":
        return tables, {"on": KEYS}, IDS
    files = [tmp_path / f"{side}.{kind}" for side in ("before", "after")]
    for file, table in zip(files, tables, strict=True):
        pa.parquet.write_table(table, file) if kind == "parquet" else pa_csv(table, file)
    return files, {"on": KEYS}, IDS if kind == "parquet" else [(s, str(i)) for s, i in IDS]


def pa_csv(table, file):
    from pyarrow import csv as arrow_csv

    arrow_csv.write_csv(table, file)


KINDS = ["mapping", "arrow", "parquet", "csv"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_answers_by_tuples_and_answers_of_a_file_give_one_estimate(kind, tmp_path):
    (before, after), how, ids = sources(kind, tmp_path)
    asked = cm.questions(before, after, n=120, seed=5, **how)
    assert {one.left for one in asked.table} <= set(ids)
    same = answer(asked, dict(zip(ids, WORLD["truth"], strict=True)))
    known = cm.judge(asked, same)
    asked.write_sheet(tmp_path / "sheet.csv", tmp_path / "key.json")
    text = (tmp_path / "sheet.csv").read_text()
    assert "\x1f" not in text + (tmp_path / "key.json").read_text()
    assert "\\u001f" not in (tmp_path / "key.json").read_text()
    names = [(f"{side}_{key}") for side in ("left", "right") for key in (KEYS if how else "12")]
    rows = list(csv.DictReader(StringIO(text, newline="")))
    assert list(rows[0])[1:5] == names
    by_text = {tuple(map(str, one)): label for one, label in zip(IDS, WORLD["truth"], strict=True)}
    for row in rows:
        row["answer"] = "s" if by_text[row[names[0]], row[names[1]]] == by_text[row[names[2]], row[names[3]]] else "d"
    with (tmp_path / "answers.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    read = cm.judge(tmp_path / "key.json", tmp_path / "answers.csv")
    assert read.change == known.change
    assert read.questions.table == asked.table
    frame = need("pandas").read_csv(tmp_path / "answers.csv")  # which makes numbers of the ids
    assert cm.judge(asked, frame).change == known.change
    again = cm.questions(before, after, n=120, seed=5, store=tmp_path / "answers.csv", **how)
    assert not again.open
    assert cm.judge(asked, same, gold=tmp_path / "answers.csv").change.value is not None


@pytest.mark.slow
def test_the_same_pairs_are_drawn_from_every_source(tmp_path):
    drawn = []
    for kind in KINDS:
        (before, after), how, _ = sources(kind, tmp_path)
        drawn.append([one.texts for one in cm.questions(before, after, n=80, seed=2, **how).table])
    assert all(texts == drawn[0] for texts in drawn)


def test_whole_numbers_stay_whole_numbers_also_in_the_key():
    truth = {place * 10: label for place, label in enumerate(WORLD["truth"])}
    before, after = (dict(zip(truth, WORLD[side], strict=True)) for side in ("before", "after"))
    asked = cm.questions(before, after, n=60)
    same = {(one.left, one.right): truth[one.left] == truth[one.right] for one in asked.table}
    assert cm.judge(asked, same).change == cm.judge(cm.Questions.from_json(asked.to_json()), same).change
    assert all(type(row["left"]) is int for row in json.loads(asked.to_json())["questions"])


def test_a_page_has_a_line_for_each_part():
    before, after = (dict(zip(IDS, WORLD[side], strict=True)) for side in ("before", "after"))
    asked = cm.questions(pa_of(before), pa_of(after), n=20, on=KEYS)
    page = asked.to_sheet()
    data = json.loads(page.partition('id="data"')[2].partition(">")[2].partition("</script>")[0])
    assert data["ids"] == [[key, f"left_{key}", f"right_{key}"] for key in KEYS]
    assert {(one["left_source_dataset"], one["left_unique_id"]) for one in data["questions"]} <= {
        (source, str(number)) for source, number in IDS
    }
    assert "\\u001f" not in page
    assert "left source_dataset" in repr(asked)


def pa_of(clusters):
    return pa.table({"source_dataset": [s for s, _ in clusters], "unique_id": [i for _, i in clusters],
                     "cluster": list(clusters.values())})  # fmt: skip


def test_shown_records_are_found_by_both_parts():
    before, after = (dict(zip(IDS, WORLD[side], strict=True)) for side in ("before", "after"))
    records = pa_of({one: f"name {one}" for one in IDS}).rename_columns([*KEYS, "name"])
    asked = cm.questions(pa_of(before), pa_of(after), n=20, on=KEYS, records=records)
    row = next(iter(csv.DictReader(StringIO(asked.to_csv()))))
    assert row["left_name"] == f"name {(row['left_source_dataset'], int(row['left_unique_id']))}"
    same = answer(asked, dict(zip(IDS, WORLD["truth"], strict=True)))
    example = cm.judge(asked, same).examples()[0]
    assert example["left_record"]["name"] == f"name {example['left']}"
    assert "name (" in cm.judge(asked, same).report()


def test_contradictions_and_mistakes_name_the_ids(tmp_path):
    ids = [("a", place) for place in range(4)]
    asked = cm.questions(dict.fromkeys(ids, 0), {one: place for place, one in enumerate(ids)})
    said = {(one.left, one.right): "same" for one in asked.table}
    [odd] = [pair for pair in said if set(pair) == {("a", 0), ("a", 3)}]
    [found] = cm.judge(asked, said | {odd: "different"}).contradictions
    assert {found.left, found.right} == {("a", 0), ("a", 3)}
    asked.write_sheet(tmp_path / "sheet.csv", tmp_path / "key.json")
    lines = (tmp_path / "sheet.csv").read_text().replace(",,", ",s,").splitlines()
    number, *_, rest = lines[1].split(",", 5)
    (tmp_path / "saved.csv").write_text("\n".join([lines[0], f"{number},z,9,a,0,{rest}", *lines[2:]]) + "\n")
    with pytest.raises(cm.InputError, match=r"question 1 is about a, \d and a, \d, not .*z, 9"):
        cm.judge(tmp_path / "key.json", tmp_path / "saved.csv")
    (tmp_path / "wrong.csv").write_text("left,right,answer\n1,2,s\n")
    with pytest.raises(
        cm.InputError, match="no column 'left_1'; a file of answers is CSV with the columns left_1, left_2"
    ):
        cm.judge(tmp_path / "key.json", tmp_path / "wrong.csv")
