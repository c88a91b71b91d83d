"""The same changes wherever the clusterings lie."""

from __future__ import annotations

import sqlite3

import numpy as np
import pytest

import clustermark as cm
from needs import need

pa = need("pyarrow")
pl = need("polars")
pd = need("pandas")


def world(n=300, seed=3):
    generator = np.random.default_rng(seed)
    before = generator.integers(0, 90, n)
    after = np.where(generator.random(n) < 0.15, generator.integers(0, 90, n), before)
    return {
        "id": [f"r{i}" for i in range(n)],
        "before": [f"c{label}" for label in before],
        "after": (100 + after).tolist(),  # which sort as texts as they do as numbers
        "truth": (before // 2).tolist(),
        "city": generator.choice(["Oslo", "Turin", "Łódź"], n).tolist(),
        "weight": generator.integers(1, 5, n).tolist(),
    }


WORLD = world()
N = len(WORLD["id"])
OLD = {name: WORLD[name][: N - 20] for name in ("id", "before")}
NEW = {name: WORLD[name][10:] for name in ("id", "after", "city")}
TRUTH = {name: WORLD[name] for name in ("id", "truth")}


def by_id(columns, name):
    return dict(zip(columns["id"], columns[name], strict=True))


def put_sqlite(tables):
    connection = sqlite3.connect(":memory:")
    for name, columns in tables.items():
        connection.execute(f"CREATE TABLE {name} ({', '.join(columns)})")
        rows = list(zip(*columns.values(), strict=True))
        connection.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(columns))})", rows)
    return {name: (connection, name) for name in tables}, {}


def put(engine, tables, tmp_path):
    """The tables as sources, and the options that they need."""
    if engine == "sqlite":
        return put_sqlite(tables)
    if engine == "files":
        for name, columns in tables.items():
            pd.DataFrame(columns).to_csv(tmp_path / f"{name}.csv", index=False)
        return {name: str(tmp_path / f"{name}.csv") for name in tables}, {}
    if engine == "pandas":
        return {name: pd.DataFrame(columns) for name, columns in tables.items()}, {}
    if engine == "polars":
        return {name: pl.DataFrame(columns) for name, columns in tables.items()}, {"engine": "polars"}
    return {name: pa.table(columns) for name, columns in tables.items()}, {"engine": engine}


ENGINES = ["duckdb", "polars", "sqlite", "datafusion", "pandas", "files"]


def everything(found):
    listed = [found.events(None).rows(), *(found.clusters(side, None).rows() for side in ("before", "after"))]
    lone = (found.before_only, found.after_only, found.records)
    return found.impact, found.kinds, found.event_counts, listed, lone, found.summary()


def compare_words(found):
    """All of it, with labels as texts: files know no types."""
    impact, kinds, counts, listed, lone, summary = everything(found)
    return impact, kinds, counts, str(listed).replace("'", ""), lone, summary


@pytest.mark.slow
@pytest.mark.parametrize(
    ("engine", "unmatched"),
    [*((engine, "drop") for engine in ENGINES), ("duckdb", "singletons"), ("pandas", "singletons")],
)
def test_two_sources(engine, unmatched, tmp_path):
    memory = cm.changes(by_id(OLD, "before"), by_id(NEW, "after"), unmatched=unmatched)
    sources, options = put(engine, {"old": OLD, "new": {"id": NEW["id"], "after": NEW["after"]}}, tmp_path)
    stays = {"push_down": True} if engine not in ("pandas", "files") else {}
    found = cm.changes(sources["old"], sources["new"], on="id", unmatched=unmatched, **options, **stays)
    assert compare_words(found) == compare_words(memory)
    if stays:
        assert not found.table.in_memory
        few = cm.changes(
            *(sources["old"], sources["new"]), on="id", unmatched=unmatched, **options, push_down=True, max_cells=60
        )
        assert few.impact == memory.impact
        assert few.event_counts is None
        assert "max_cells" in few.no_events
        with pytest.raises(cm.UnsupportedTableError, match="which changes are connected"):
            few.events()
        for side in ("before", "after"):
            assert {kind: c.number for kind, c in few.kinds[side].items()} == {
                kind: c.number for kind, c in memory.kinds[side].items()
            }
            assert few.clusters(side, 3).rows() == memory.clusters(side, 3).rows()
        assert "events are not known" in repr(few)
        assert few.to_json() and few.to_markdown() and few._repr_html_()  # noqa: PT018


@pytest.mark.parametrize("engine", ["duckdb", "polars", "pandas"])
def test_one_source_with_truth_and_slices(engine, tmp_path):
    sources, options = put(engine, {"both": WORLD}, tmp_path)
    memory = cm.changes(WORLD["before"], WORLD["after"], WORLD["truth"], by=WORLD["city"])
    found = cm.changes(sources["both"], old="before", new="after", true="truth", by="city", **options)
    assert compare_words(found) == compare_words(memory)
    assert found.slices.rows() == memory.slices.rows()
    assert [row[:4] for row in found.truth.scores] == [row[:4] for row in memory.truth.scores]
    assert found.truth.pairs == memory.truth.pairs
    weighted = cm.changes(sources["both"], old="before", new="after", by="city", weights="weight", **options)
    hand = cm.changes(WORLD["before"], WORLD["after"], by=WORLD["city"], weights=WORLD["weight"])
    assert weighted.impact.masses == pytest.approx(hand.impact.masses)
    assert [row.distance for row in weighted.slices] == pytest.approx([row.distance for row in hand.slices])


@pytest.mark.parametrize("engine", ["duckdb", "sqlite", "pandas", "files"])
def test_several_sources_with_truth_and_slices(engine, tmp_path):
    memory = cm.changes(by_id(OLD, "before"), by_id(NEW, "after"), by_id(TRUTH, "truth"), by=by_id(NEW, "city"))
    sources, options = put(engine, {"old": OLD, "new": NEW, "truth": TRUTH}, tmp_path)
    found = cm.changes(sources["old"], sources["new"], sources["truth"], on="id", new="after", by="city", **options)
    assert compare_words(found) == compare_words(memory)
    assert found.slices.rows() == memory.slices.rows()
    assert found.truth.fates == memory.truth.fates
    assert found.truth.pairs == memory.truth.pairs
    records, _ = put(engine, {"old": OLD, "new": NEW, "truth": TRUTH, "records": WORLD}, tmp_path)
    if engine != "sqlite":
        records |= {name: sources[name] for name in ("old", "new")}
    other = cm.changes(
        records["old"], records["new"], on="id", new="after", by="city", records=records["records"], **options
    )
    assert {row.slice: row for row in other.slices} == {row.slice: row for row in memory.slices}


def test_rows_may_come_in_another_order_at_each_look():
    duckdb = need("duckdb")
    connection = duckdb.connect()
    sources = {}
    for name, columns in {"old": OLD, "new": NEW, "truth": TRUTH}.items():
        connection.register("given", pa.table(columns))
        connection.execute(f"CREATE TABLE {name} AS FROM given")
        sources[name] = (connection, f"SELECT * FROM {name} ORDER BY random()")
    memory = cm.changes(by_id(OLD, "before"), by_id(NEW, "after"), by_id(TRUTH, "truth"), by=by_id(NEW, "city"))
    found = cm.changes(sources["old"], sources["new"], sources["truth"], on="id", new="after", by="city")
    assert compare_words(found) == compare_words(memory)
    assert found.slices.rows() == memory.slices.rows()
    assert found.truth.pairs == memory.truth.pairs
    ids = cm.relabel(sources["new"], like=sources["old"], on="id", new_column="after")
    hand = cm.relabel(by_id(NEW, "after"), like=by_id(OLD, "before"))
    assert dict(zip(ids.ids, ids.labels, strict=True)) == hand.labels


def test_categories():
    columns = {name: pd.Categorical(WORLD[name]) for name in ("before", "after", "truth", "city")}
    memory = cm.changes(WORLD["before"], WORLD["after"], WORLD["truth"], by=WORLD["city"])
    frame = pd.DataFrame({"id": WORLD["id"]} | columns)
    one = cm.changes(frame, old="before", new="after", true="truth", by="city")
    two = cm.changes(frame[["id", "before"]], frame, true="truth", by="city", on="id", new="after")
    for found in (one, two, cm.changes(*list(columns.values())[:3], by=columns["city"])):
        assert found.impact == memory.impact
        assert found.slices.rows() == memory.slices.rows()
        assert found.truth.pairs == memory.truth.pairs


def test_mappings_beside_sources_and_ids_of_several_columns():
    old = pd.DataFrame({"a": [1, 1, 2], "b": ["x", "y", "x"], "cluster": [5, 5, 6]})
    new = pd.DataFrame({"a": [1, 1, 2], "b": ["y", "x", "x"], "cluster": ["p", "p", "p"]})
    truth = {(1, "x"): "t", (1, "y"): "t", (2, "x"): "u"}
    found = cm.changes(old, new, truth, on=["a", "b"], by={(1, "x"): "left", (2, "x"): "right"})
    assert found.truth.pairs == (0, 0, 0, 2)
    assert {row.slice: row.records for row in found.slices} == {"left": 1, "right": 1, None: 1}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "town", "on": "id", "new": "after"}, "by='town' is not one of its columns"),
        ({"old": "cluster", "on": "id", "new": "after"}, "old='cluster' is not one of its columns"),
        ({"true": "entity", "on": "id", "new": "after"}, "true='entity' is not one of its columns"),
        ({"truth": pd.DataFrame(TRUTH), "true": "x", "on": "id", "new": "after"}, "true='x' is not one of its columns"),
        ({"by": ["Oslo"], "on": "id", "new": "after"}, "by: with sources"),
        ({"truth": [1, 2], "on": "id", "new": "after"}, "truth: with sources"),
        ({"by": "city", "on": "id", "new": "after", "pairs": "true"}, "pairs="),
        ({"by": "city", "on": "id", "new": "after", "unmatched": "error"}, "the ids differ: 10 occur in"),
        ({"on": "id", "new": "after", "unmatched": "error"}, "the ids differ: 10 occur in"),
        ({"on": "id"}, "new="),
    ],
)
def test_what_is_refused_of_sources(options, message):
    with pytest.raises(cm.InputError, match=message):
        cm.changes(pd.DataFrame(OLD), pd.DataFrame(NEW), **options)


@pytest.mark.parametrize("name", ["old", "new", "true", "by"])
@pytest.mark.parametrize("engine", ["pandas", "duckdb"])
def test_a_column_that_is_not_there_is_named_as_it_was(name, engine, tmp_path):
    sources, options = put(engine, {"both": WORLD}, tmp_path)
    named = {"old": "before", "new": "after", "true": "truth", "by": "city"} | {name: "nowhere"}
    with pytest.raises(cm.InputError, match=f"{name}='nowhere' is not one of its columns"):
        cm.changes(sources["both"], **named, **options)


def test_ids_of_unlike_types_never_meet():
    old = pd.DataFrame({"id": [1, 2], "cluster": [1, 1]})
    new = pd.DataFrame({"id": ["1", "2"], "cluster": [1, 1]})
    for more in ({}, {"by": "cluster"}):
        with pytest.raises(cm.InputError, match="types that cannot be equal"):
            cm.changes(old, new, on="id", **more)
        with pytest.raises(cm.InputError, match="types that cannot be equal"):
            cm.changes(old.assign(id=[True, False]), old, on="id", **more)
    with pytest.raises(cm.InputError, match="must be unique"):
        cm.changes(old.assign(id=1), old, on="id", by="cluster")
    with pytest.raises(cm.InputError, match="after is None"):
        cm.changes(old, truth=new, old="id", new="cluster")


@pytest.mark.parametrize("more", [{}, {"by": "cluster"}])
def test_the_join_is_the_same_with_and_without_slices(more):
    old = pd.DataFrame({"id": [1, 2, 3], "cluster": [1, 1, 2], "w": [1.0, 2.0, 3.0]})
    with pytest.raises(cm.InputError, match=r"weights='w' is in both sources and differs for 1 id\(s\), such as 3"):
        cm.changes(old, old.assign(w=[1.0, 2.0, 4.0]), on="id", weights="w", **more)
    with pytest.raises(cm.InputError, match=r"weights='w' has no number for 1 id\(s\) of the other side, such as 3"):
        cm.changes(old.iloc[:2], old.drop(columns="w"), on="id", weights="w", **more)
    with pytest.raises(cm.InputError, match=r"1 row\(s\) have no id in column 'id', the first at position 1"):
        cm.changes(old.assign(id=[1, None, 3]), old, on="id", weights="w", **more)
    fractions = pa.table({"id": [1.5, 2.5, 3.5], "cluster": [1, 1, 2]})
    assert cm.changes(fractions, fractions, on="id", **more).impact.affected == 0


@pytest.mark.parametrize("truth", [False, True])
@pytest.mark.parametrize("file", [False, True])
def test_ids_of_one_side_are_plain_numbers_and_texts(file, truth, tmp_path):
    old = pd.DataFrame({"s": ["x", "x", "y", "z"], "i": [1, 2, 1, 5], "c": [1, 1, 2, 3]})
    new = pd.DataFrame({"s": ["x", "x", "y", "w"], "i": [1, 2, 1, 6], "c": [1, 1, 2, 3]})
    if file:
        for name, frame in (("old", old), ("new", new)):
            frame.to_parquet(tmp_path / f"{name}.parquet")
        old, new = tmp_path / "old.parquet", tmp_path / "new.parquet"
    known = {"truth": old, "true": "c"} if truth else {}
    found = cm.changes(old, new, old="c", new="c", on=["s", "i"], **known)
    assert repr([*found.before_only, *found.after_only]) == "[('z', 5), ('w', 6)]"
    assert "('z', 5); 1 after only: ('w', 6)" in found.notices[0].text
