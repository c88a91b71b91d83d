"""Records beside ids: which points are listed, which pairs, what is marked, and where records may lie."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import clustermark as cm
from clustermark.diagnosis.members import MOST_MEMBERS, MOST_PAIRS, cut, value_text
from clustermark.diagnosis.record_differences import LACKING, mark, mark_all, mark_pair
from clustermark.rows import ErrorDiagnosis, RepairDiagnosis
from needs import need
from report_cases import HOSTILE

COMPANIES = Path(__file__).parents[2] / "examples" / "data" / "companies"
TRUTH = {"a": "x", "b": "x", "c": "y", "d": "y", "e": "z"}
FOUND = {"a": 1, "b": 1, "c": 1, "d": 2, "e": 2}
RECORDS = {
    "a": {"name": "Ann", "born": 1990},
    "b": {"name": "Anne", "born": 1990},
    "c": {"name": "Bob", "born": None},
    "d": {"name": "Bob", "born": 1985},
    "e": {"name": "", "born": 1985},
}
NAMED = {name: {"name": one["name"], "born": one["born"] and str(one["born"])} for name, one in RECORDS.items()}
labels = st.integers(0, 3)
clusterings = st.lists(st.tuples(labels, labels), min_size=1, max_size=45)


def brute_pairs(points, side):
    """The pairs that are together on this side only, by the cluster they are together in; noise is alone in truth."""
    pairs: dict[object, set[frozenset[int]]] = {}
    for (i, one), (j, other) in combinations(enumerate(points), 2):
        same_true = one[0] == other[0] != 3
        same = {"true": same_true, "pred": one[1] == other[1]}
        if same[side] and not same["pred" if side == "true" else "true"]:
            pairs.setdefault(one[side == "pred"], set()).add(frozenset((i, j)))
    return pairs


@settings(deadline=None, max_examples=40)
@given(clusterings)
@example([(0, 0)] * 40 + [(1, 0)] * 3)
@example([(3, 0)] * 45)
@pytest.mark.parametrize("by_id", [False, True])
def test_members_and_pairs_are_those_of_brute_force(by_id, points):
    true, pred = zip(*points, strict=True)
    if by_id:
        given_labels = ({f"{i:02}": one for i, one in enumerate(side)} for side in (true, pred))
        records = {f"{i:02}": i for i in range(len(points))}
    else:
        given_labels, records = (list(true), list(pred)), list(range(len(points)))
    evaluation = cm.evaluate(*given_labels, ["rand"], noise_true={3: "singletons"})
    for side, errors in (
        ("true", evaluation.splits(None, records=records)),
        ("pred", evaluation.merges(None, records=records)),
    ):
        brute = brute_pairs(points, side)
        assert {row.cluster for row in errors} == set(brute)
        for row in errors:
            members = row.members
            inside = {i for i, one in enumerate(points) if one[side == "pred"] == row.cluster}
            places = [int(one.record["record"]) for one in members.shown]
            assert len(set(places)) == len(places) == min(len(inside), MOST_MEMBERS)
            assert set(places) <= inside
            assert members.total == len(inside)
            parts = {points[place][side == "true"] for place in inside}
            assert len({points[place][side == "true"] for place in places}) == len(parts)
            for one, place in zip(members.shown, places, strict=True):
                assert (int(one.point), one.true, one.pred) == (place, *points[place])
            kind = "missing" if side == "true" else "false"
            assert members.n_pairs == {kind: len(brute[row.cluster])} == {kind: row.pairs_lost}
            listed = {frozenset(int(one.point) for one in pair[1:]) for pair in members.pairs}
            assert len(listed) == len(members.pairs) == min(MOST_PAIRS, row.pairs_lost)
            assert listed <= brute[row.cluster]
            assert {pair.kind for pair in members.pairs} == {kind}


def test_each_part_is_listed_in_turn():
    evaluation = cm.evaluate(["a"] * 50 + ["b"] * 3 + ["c"], [0] * 54, ["rand"])
    (row,) = evaluation.merges(records=list(range(54)))
    assert Counter(one.true for one in row.members.shown) == {"a": 26, "b": 3, "c": 1}
    assert [one.point for one in row.members.shown] == [*range(26), 50, 51, 52, 53]
    assert {(pair.left.true, pair.right.true) for pair in row.members.pairs[:3]} == {("a", "b"), ("a", "c"), ("b", "c")}
    assert "\n… and 24 more\n203 false pairs; 3 of them:" in repr(evaluation.merges(records=list(range(54))))


@pytest.mark.parametrize("counts", [None, [3, 1, 2]])
def test_rows_that_stand_for_several_points(counts):
    evaluation = cm.evaluate([0, 0, 1], [0, 0, 0], ["rand"], counts=counts)
    (row,) = evaluation.merges(records=["p", "q", "r"])
    assert row.members.n_pairs == {"false": row.pairs_lost} == {"false": 2 if counts is None else 8}
    assert len(row.members.pairs) == 2


def test_unmatched_points_are_members_and_in_no_pair():
    evaluation = cm.evaluate({1: 0, 2: 0, 3: 1}, {1: 0, 2: 1, 4: 0}, ["b_cubed_f"], unmatched="keep")
    (row,) = evaluation.splits(records={i: f"r{i}" for i in range(5)})
    assert [(one.point, one.pred) for one in row.members.shown] == [(1, 0), (2, 1)]
    assert row.members.n_pairs == {"missing": 1}
    assert (
        len(
            cm.evaluate({1: 0, 2: 0, 3: 0}, {1: 0, 2: 1}, ["b_cubed_f"], unmatched="keep")
            .splits(records={1: 1})[0]
            .members.shown
        )
        == 3
    )


def test_the_cluster_of_missing_labels_has_members():
    (row,) = cm.evaluate(["a", "b"], [None, None], ["rand"], missing="cluster").merges(records=["x", "y"])
    assert row.cluster is None
    assert [one.record["record"] for one in row.members.shown] == ["x", "y"]


# ---- where records may lie


def frames(rows):
    pandas, polars, pyarrow = need("pandas"), need("polars"), need("pyarrow")
    yield pandas.DataFrame(rows)
    yield polars.DataFrame(rows)
    yield pyarrow.table(rows)


def table_of(records):
    names = list(dict.fromkeys(name for one in records.values() for name in one))
    return {"id": list(records), **{name: [one[name] for one in records.values()] for name in names}}


def listed(errors):
    return [{one.point: one.record for one in row.members.shown} for row in errors]


def test_records_come_from_mappings_frames_files_and_databases(tmp_path):
    rows = table_of(RECORDS)
    pandas, duckdb = need("pandas"), need("duckdb")
    frame = pandas.DataFrame(rows).astype({"born": "Int64"})
    frame.to_csv(tmp_path / "people.csv", index=False)
    frame.to_parquet(tmp_path / "people.parquet")
    lite = sqlite3.connect(":memory:")
    lite.execute("CREATE TABLE people (id TEXT, name TEXT, born INTEGER)")
    lite.executemany("INSERT INTO people VALUES (?, ?, ?)", zip(*rows.values(), strict=True))
    duck = duckdb.connect()
    duck.execute("CREATE TABLE people AS SELECT * FROM frame")
    evaluation = cm.evaluate(TRUTH, FOUND, ["rand"])
    expected = [{name: NAMED[name] for name in members} for members in (["a", "b", "c"], ["d", "e"])]
    sources = [RECORDS, frame, *frames(rows), tmp_path / "people.parquet", (lite, "people"), (duck, "people")]
    for source in sources:
        assert listed(evaluation.merges(records=source)) == expected, source
    from_csv = [{name: one | {"name": one["name"] or None} for name, one in row.items()} for row in expected]
    assert listed(evaluation.merges(records=tmp_path / "people.csv")) == from_csv
    assert listed(evaluation.merges(records=RECORDS, show="born"))[1] == {"d": {"born": "1985"}, "e": {"born": "1985"}}
    assert listed(evaluation.merges(records={name: name.upper() for name in RECORDS}))[1]["d"] == {"record": "D"}
    lite.close()
    duck.close()


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_columns_of_the_files_that_were_compared(tmp_path, engine):
    need(engine)
    rows = [(f"r{i}", i // 2, i // 3, f"name {i}") for i in range(6)]
    whole, truth, found = (tmp_path / f"{name}.csv" for name in ("whole", "truth", "found"))
    whole.write_text("\n".join(["id,true,pred,name", *(",".join(map(str, row)) for row in rows)]))
    truth.write_text("\n".join(["id,true", *(f"{one},{true}" for one, true, *_ in rows)]))
    found.write_text("\n".join(["id,pred,name", *(f"{one},{pred},{name}" for one, _, pred, name in rows)]))
    names = {"true": "true", "pred": "pred", "engine": engine}
    without = cm.evaluate(whole, **names)
    by_id = cm.evaluate(whole, on="id", **names)
    joined = cm.evaluate(truth, found, on="id", **names)
    for evaluation in (by_id, joined):
        assert listed(evaluation.merges(show="name")) == [
            {f"r{i}": {"name": f"name {i}"} for i in places} for places in ((0, 1, 2), (4, 5, 3))
        ]
    in_order = [{i: {"name": f"name {i}"} for i in places} for places in ((0, 1, 2), (4, 5, 3))]
    assert listed(without.merges(show=["name"])) == in_order
    assert listed(without.merges(show=["name"], records=whole)) == in_order
    assert listed(without.merges(records=whole))[0][0] == {"id": "r0", "name": "name 0"}
    assert listed(joined.merges(records=whole))[0]["r0"] == {"name": "name 0"}
    with pytest.raises(cm.InputError, match="name the column by on="):
        without.merges(records=truth)
    with pytest.raises(cm.InputError, match="neither clustering has these columns; say where they lie by records="):
        joined.merges(show=["nme"])
    with pytest.raises(cm.InputError, match="'nme' is not one of its columns; did you mean 'name'"):
        without.merges(show=["nme"])


def test_columns_of_tables_of_sqlite():
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE points (id TEXT, true INTEGER, pred INTEGER, name TEXT)")
    connection.execute("CREATE TABLE people (id TEXT, city TEXT)")
    rows = [(f"r{i}", i // 2, i // 3, None if i == 1 else f"name '{i}'") for i in range(6)]
    connection.executemany("INSERT INTO points VALUES (?, ?, ?, ?)", rows)
    connection.executemany("INSERT INTO people VALUES (?, ?)", [(row[0], f"city {row[1]}") for row in rows[::-1]])
    named = {"true": "true", "pred": "pred"}
    by_row, by_id = (cm.evaluate((connection, "points"), **named, **more) for more in ({}, {"on": "id"}))
    assert listed(by_row.merges(1, show="name")) == [{i: {"name": rows[i][3]} for i in range(3)}]
    assert listed(by_id.merges(1, show="name")) == [{f"r{i}": {"name": rows[i][3]} for i in range(3)}]
    people = by_id.merges(1, records=(connection, "people"))
    assert listed(people) == [{f"r{i}": {"city": f"city {i // 2}"} for i in range(3)}]
    assert [one.member.record for one in by_id.points(k=1, records=(connection, "people")).records] == [
        {"city": "city 1"}
    ]
    connection.close()


def test_frames_in_memory_without_ids_go_by_order():
    pandas = need("pandas")
    for frame in frames({"true": [0, 0, 1], "pred": [0, 0, 0], "name": ["p", "q", "r"]}):
        found = cm.evaluate(frame, true="true", pred="pred").merges(show="name")
        assert [one.record["name"] for one in found[0].members.shown] == ["p", "q", "r"]
    frame = pandas.DataFrame({"id": ["i", "j", "k"], "true": [0, 0, 1], "pred": [0, 0, 0]})
    by_order = cm.evaluate(frame["true"], frame["pred"]).merges(records=frame, show="id")
    assert [one.record["id"] for one in by_order[0].members.shown] == ["i", "j", "k"]
    named = frame.set_index("id")
    for records in (named, frame, frame[::-1].set_index("id")):
        by_index = cm.evaluate(named["true"], named["pred"]).merges(records=records, show="true")
        assert [(one.point, one.record["true"]) for one in by_index[0].members.shown] == [
            ("i", "0"),
            ("j", "0"),
            ("k", "1"),
        ]


def test_a_file_may_hold_the_records_of_lists_in_their_order(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("name,born\nAnn,1990\nAnne,\nBob,1985\n")
    evaluation = cm.evaluate([0, 0, 1], [0, 0, 0])
    found = [one.record for one in evaluation.merges(records=path)[0].members.shown]
    assert found == [{"name": "Ann", "born": "1990"}, {"name": "Anne", "born": None}, {"name": "Bob", "born": "1985"}]
    with pytest.raises(cm.InputError, match="there are 3 for 2 points"):
        cm.evaluate([0, 1], [0, 0]).merges(records=path)


def test_ids_of_one_source_must_be_there_and_be_unique(tmp_path):
    path = tmp_path / "data.csv"
    for rows, wrong in (("a,0,0,x\na,1,0,y", "'a' is there twice"), ("a,0,0,x\n,1,0,y", "a row has none")):
        path.write_text(f"id,true,pred,name\n{rows}\n")
        with pytest.raises(cm.InputError, match=f"must be unique, and {wrong}"):
            cm.evaluate(path, on="id", true="true", pred="pred").merges(show="name")


def test_points_have_their_record_and_one_beside_them():
    points = cm.evaluate(TRUTH, FOUND).points(records=RECORDS)
    assert [(one.member.point, one.member.record["name"], one.other.point) for one in points.records] == [
        ("c", "Bob", "a"),
        ("d", "Bob", "e"),
    ]
    columns = points.to_dict()
    assert list(columns)[:5] == ["point", "true", "pred", "best_match", "beside"]
    assert {"name", "beside_name", "born", "beside_born"} <= set(columns)
    assert points[:1].rows()[0]["record"] == NAMED["c"]
    assert "*Bob*" in repr(points)
    assert cm.evaluate(TRUTH, FOUND).points().rows()[0].keys() == {"point", "true", "pred", "best_match"}
    lists = [[*side.values()] for side in (TRUTH, FOUND)]
    table = cm.evaluate_table(cm.crosstab(*lists))
    assert table.points(*lists, records=[*RECORDS.values()]).records[0].member.record == NAMED["c"]
    with pytest.raises(cm.InputError, match="ask for them by records= or show="):
        assert table.points(*lists).records


def test_what_is_wrong_with_records_is_said(tmp_path):
    pandas = need("pandas")
    by_id, in_order = cm.evaluate(TRUTH, FOUND), cm.evaluate([0, 0, 1], [0, 0, 0])
    frame = pandas.DataFrame({"id": list("aab"), "name": list("xyz")})
    for evaluation, options, message in (
        (in_order, {"records": [1, 2]}, "there are 2 for 3 points, which have no ids; pass one record for each point"),
        (in_order, {"records": frame[:2]}, "there are 2 for 3 points"),
        (in_order, {"show": "name"}, "labels in memory have no other columns; say where these lie by records="),
        (in_order, {"records": frame, "show": []}, "must be the name of a column"),
        (by_id, {"records": [1, 2, 3, 4, 5]}, "pass a file, a frame"),
        (by_id, {"records": frame.assign(id="c")}, "two for the id 'c'; remove one"),
        (by_id, {"records": RECORDS, "show": "nme"}, r"no record has this value \(they have 'name', 'born'\)"),
        (in_order, {"records": [1, 2, 3], "show": "nme"}, r"no record has this value \(they have 'record'\)"),
        (by_id, {"records": {"z": 1}}, "there is none for any of"),
        (by_id, {"records": frame.rename(columns={"id": "key"})}, "has no column of ids; call it 'id'"),
        (by_id, {"records": tmp_path / "none.csv"}, "none.csv"),
    ):
        for ask in (evaluation.merges, evaluation.points, evaluation.repairs):
            with pytest.raises(cm.InputError, match=message):
                ask(**options)
    with pytest.raises(cm.InputError, match="ids: two of them are written '1'"):
        cm.evaluate({1: 0, "1": 1}, {1: 0, "1": 0}).merges(records={1: "x"})
    with pytest.raises(cm.InputError, match="ask for them by records= or show="):
        assert by_id.merges().records


def test_records_that_are_lacking_are_said():
    some = {name: one for name, one in RECORDS.items() if name != "b"}
    evaluation = cm.evaluate(TRUTH, FOUND)
    note = "no record for 1 of 5 points, such as b"
    merges, repairs, points = (
        evaluation.merges(records=some),
        evaluation.repairs(records=some),
        evaluation.points(records=some),
    )
    assert merges.note == repairs.note == note
    assert repr(merges).endswith(note)
    assert [one.record for one in merges[0].members.shown if one.point == "b"] == [None]
    assert points.note in ("", note)
    document = json.loads(ErrorDiagnosis(evaluation, {"merges": merges}).to_json())
    assert document["tables"]["merges"]["note"] == note


# ---- repairs


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(st.tuples(labels, labels), min_size=2, max_size=9))
@example([(0, 0), (0, 1), (1, 0), (1, 1), (2, 1)])
def test_repairs_list_the_pairs_they_mend(points):
    true, pred = map(list, zip(*points, strict=True))
    repairs = cm.evaluate(true, pred, ["rand"]).repairs(None, records=list(range(len(points))))
    now = [("old", label) for label in pred]
    for one in repairs:
        before = list(now)
        for place, (truth, old) in enumerate(points):
            if one.action == "split" and before[place] == ("old", one.cluster):
                now[place] = ("piece", old, truth)
            elif one.action != "split" and truth == one.cluster:
                now[place] = ("gathered", truth)
        mended = {"missing": set(), "false": set()}
        for i, j in combinations(range(len(points)), 2):
            same = true[i] == true[j]
            if (before[i] == before[j]) != same and (now[i] == now[j]) == same:
                mended["missing" if same else "false"].add(frozenset((i, j)))
        assert one.members.n_pairs == {kind: len(pairs) for kind, pairs in mended.items()}
        for kind, pairs in mended.items():
            listed = {frozenset(member.point for member in pair[1:]) for pair in one.members.pairs if pair.kind == kind}
            assert listed <= pairs
            assert listed == pairs or len(one.members.pairs) == MOST_PAIRS
        own = [place for place in range(len(points)) if (pred if one.side == "pred" else true)[place] == one.cluster]
        assert {member.point for member in one.members.shown} <= set(own)
    assert len(repairs.records) == sum(len(one.members.shown) for one in repairs)
    assert len(repairs.pairs) == sum(len(one.members.pairs) for one in repairs)


# ---- what is marked, and hostile values


@settings(deadline=None)
@given(st.text("ab é\u0301", max_size=8), st.text("ab é\u0301", max_size=8))
@example("", "a")
@example("Maier", "Maier AG")
@example("a  b", "a b")
@example("a ", "a a")
@example(" a", "b a")
def test_marks_are_parts_of_the_text(text, other):
    marked = mark(text, other)
    assert "".join(marked) == text
    assert len(marked) % 2
    assert any(marked.differing) == (text != other and text != "") or text.isspace()
    assert mark(text, None) == (text,)


@pytest.mark.parametrize(
    ("text", "other", "parts"),
    [
        ("Meier Engines Brno", "Maier Engines Porto", ("M", "e", "ier Engines ", "Brno", "")),
        ("Schmidt Paper Mill Ltd Turin", "Schmidt Paper Mill Ltd", ("Schmidt Paper Mill Ltd ", "Turin", "")),
        ("MOREAU SHIPPING", "Moreau Shipping", ("", "MOREAU SHIPPING", "")),  # one mark, not one a word
        ("Brmo", "Brno", ("Br", "m", "o")),
        ("1988", "1942", ("19", "88", "")),
        ("a " * 400 + "b", "a " * 400 + "c", ("a " * 400, "b", "")),
    ],
)
def test_only_what_differs_is_marked(text, other, parts):
    assert mark(text, other) == parts


def test_a_missing_value_is_marked_where_another_has_one():
    assert mark_pair({"city": None, "n": None}, {"city": "Brno", "n": None})[0] == {"city": LACKING, "n": None}
    assert value_text(LACKING) == "*–*"


def test_a_record_is_marked_against_the_most_common_value():
    marked = mark_all([{"city": "Lille"}, {"city": "Lyon"}, {"city": "Lyon"}, None, {"city": None}], [0] * 5)
    assert [one.get("city") for one in marked] == [("", "Lille", ""), ("Lyon",), ("Lyon",), None, LACKING]
    apart = mark_all(
        [{"city": "Lille"}, {"city": "Lyon"}, {"city": "Lyon"}, {"city": "Ly"}, {"city": "Brno"}], [0, 1, 1, 1, -1]
    )
    assert [one["city"].differing for one in apart] == [(), (), (), ("Ly",), ()]  # each in its own true cluster


def test_no_record_is_in_all_the_pairs_that_are_shown():
    (row,) = cm.evaluate([0] * 4 + [1] * 3 + [2, 3], ["x"] * 9).merges(1, records=[{"n": str(n)} for n in range(9)])
    first = row.members.pairs[:3]
    assert len({pair.left.point for pair in first}) == 3
    assert {(pair.left.true, pair.right.true) for pair in row.members.pairs[:6]} == {*combinations(range(4), 2)}
    assert len({(pair.left.point, pair.right.point) for pair in row.members.pairs}) == len(row.members.pairs)


@settings(deadline=None, max_examples=40)
@given(st.text(max_size=80), st.text(max_size=80), st.integers(20, 40))
def test_long_values_are_cut_around_what_differs(text, other, width):
    marked = mark(text, other)
    short = cut(marked, width)
    assert len("".join(short)) <= 2 * width + 30
    assert any(short.differing) == any(marked.differing)
    assert "".join(short) == text or "…" in "".join(short)


def test_hostile_values_disturb_nothing():
    pandas = need("pandas")
    records = [{"value": text, HOSTILE[0]: HOSTILE[-5], "point": "mine"} for text in HOSTILE]
    evaluation = cm.evaluate(list(range(len(HOSTILE))), [0] * len(HOSTILE), ["rand"])
    merges, repairs = evaluation.merges(records=records), evaluation.repairs(records=records)
    points = evaluation.points(records=records)
    for shown in (merges, repairs, points, merges.records, merges.pairs, repairs.pairs):
        text = repr(shown)
        assert all(letter.isprintable() or letter == "\n" for letter in text)
        assert "\u202e" not in text
    for html in (merges._repr_html_(), repairs.to_html(), points.to_html()):
        assert "<script" not in html
        assert "<img" not in html
    assert "&lt;script&gt;window.pwned=1" in merges._repr_html_()
    columns = merges.records.to_dict()
    assert columns["value"] == HOSTILE
    assert columns["record_point"] == ["mine"] * len(HOSTILE)
    assert list(pandas.DataFrame(merges.records.to_dict())["value"]) == HOSTILE
    safe = merges.records.to_csv(safe=True)
    assert "'=HYPERLINK" in safe
    assert "\n=HYPERLINK" not in safe
    validator = need("jsonschema").Draft202012Validator(cm.json_schema())
    for document in (
        ErrorDiagnosis(evaluation, {"merges": merges, "splits": evaluation.splits(records=records), "points": points}),
        RepairDiagnosis(evaluation, {"repairs": repairs}),
    ):
        text = document.to_json()
        assert not list(validator.iter_errors(json.loads(text)))
        assert "\u202e" not in text


def test_ids_that_no_engine_takes_have_no_record(tmp_path):
    (tmp_path / "people.csv").write_text("id,name\na,Ann\n")
    merges = cm.evaluate({"a": 0, "b\0": 1}, {"a": 0, "b\0": 0}).merges(records=tmp_path / "people.csv")
    assert [one.record for one in merges[0].members.shown] == [{"name": "Ann"}, None]


def test_values_are_shown_in_one_line():
    assert value_text(mark("a", "b")) == "*a*"
    assert value_text(None) == "–"


def test_the_companies_example():
    folder = COMPANIES
    grams = cm.evaluate(folder / "truth.csv", folder / "by_grams.csv", on="id")
    (row,) = grams.merges(1, records=folder / "records.csv", show=["name", "city"])
    assert row.members.total == 16
    assert row.members.shown[0].record == {"name": "Schmidt Paper Mill Ltd", "city": "Turin"}
    text = repr(grams.merges(1, records=folder / "records.csv", show=["name", "city"]))
    assert "r0174  schmidt-paper-mill-basel       Schmidt Paper Mill BV" in text
