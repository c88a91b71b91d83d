"""Kinds of sources, the engine that reads each, and the error for anything else."""

import sqlite3
from copy import copy

import pytest
from hosts import HomeMadeEngine, PostgresTable, SQLiteTable, on

from clustermark.errors import EngineError, InputError
from clustermark.sources import recognition
from clustermark.sources.contingencies import crosstab
from clustermark.sources.request import read_request
from clustermark.tables.tabulation import crosstab as in_memory
from needs import need

duckdb = need("duckdb")
pd = need("pandas")
pl = need("polars")
pa = need("pyarrow", "dataset", "parquet")

TABLE = pa.table({"t": [1, 1, 2, None], "p": ["a", "a", "b", "it's"]})
EXPECTED = in_memory([1, 1, 2, None], ["a", "a", "b", "it's"], missing="cluster")
BY = {"true": "t", "pred": "p", "missing": "cluster"}
LEFT, RIGHT = pa.table({"i": [1, 2, 3], "t": list("aab")}), pa.table({"i": [3, 2, 1], "p": list("xyx")})
JOINED = in_memory(list("aab"), list("xyx"))


class Stream:
    """Arrow data that is handed out once, by the protocol only."""

    def __init__(self, table):
        self.table, self.asked = table, 0

    def __arrow_c_stream__(self, requested_schema=None):
        self.asked += 1
        return self.table.__arrow_c_stream__(requested_schema)


def batches(table, log):
    for batch in table.to_batches(max_chunksize=1):
        log.append(batch)
        yield batch


def test_data_in_memory():
    for source in (
        TABLE,
        TABLE.to_batches()[0],
        pa.dataset.dataset(TABLE),
        TABLE.to_pandas(),
        TABLE.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get),
        pl.from_arrow(TABLE),
        pl.from_arrow(TABLE).lazy(),
        Stream(TABLE),
    ):
        for engine in ("duckdb", "polars", "datafusion"):
            assert crosstab(source, **BY, engine=engine) == EXPECTED, (type(source), engine)


def test_a_stream_is_read_exactly_once():
    log = []
    reader = pa.RecordBatchReader.from_batches(TABLE.schema, batches(TABLE, log))
    assert crosstab(reader, **BY) == EXPECTED
    assert len(log) == 4
    stream = Stream(TABLE)
    assert crosstab(stream, **BY) == EXPECTED
    assert stream.asked == 1
    sides = [pa.RecordBatchReader.from_batches(side.schema, batches(side, log)) for side in (LEFT, RIGHT)]
    log.clear()
    assert crosstab(*sides, on="i") == JOINED
    assert len(log) == 6
    with pytest.raises(InputError, match=r"column 't' has 1 missing label\(s\); fill"):
        crosstab(pa.RecordBatchReader.from_batches(TABLE.schema, iter(TABLE.to_batches())), true="t", pred="p")


@pytest.mark.slow
def test_sources_of_different_kinds_meet_in_duckdb(tmp_path):
    path = tmp_path / "right.parquet"
    pa.parquet.write_table(RIGHT, path)
    connection = duckdb.connect()
    connection.register("given", LEFT)
    for left in (LEFT, LEFT.to_pandas(), pl.from_arrow(LEFT), pl.from_arrow(LEFT).lazy(), Stream(LEFT)):
        assert crosstab(left, path, on="i") == JOINED
    for right in (path, RIGHT, pl.from_arrow(RIGHT), connection.from_arrow(RIGHT)):
        for left in ((connection, "given"), (connection, "FROM given;"), connection.sql("FROM given")):
            assert crosstab(left, right, on="i") == JOINED, (type(left), type(right))
            assert crosstab(right, left, on="i", true="p", pred="t") == JOINED.T
    other = duckdb.connect()
    for right in (other.from_arrow(RIGHT), other.from_arrow(RIGHT).filter("i > 0")):
        assert crosstab(connection.sql("FROM given"), right, on="i") == JOINED
        assert crosstab((connection, "given"), right, on="i") == JOINED
    assert names_of(connection) == names_of(other) == []


def names_of(connection):
    rows = connection.execute(
        "SELECT table_name FROM duckdb_tables() UNION SELECT view_name FROM duckdb_views()"
    ).fetchall()
    return [name for (name,) in rows if name.startswith("clustermark")]


def test_a_transaction_of_duckdb_stays_open_and_whole():
    connection = duckdb.connect()
    connection.execute("CREATE TABLE kept (x INTEGER)")
    connection.execute("BEGIN")
    connection.execute("INSERT INTO kept VALUES (1)")
    connection.execute("CREATE TABLE points AS SELECT 1 AS t, 'a' AS p, 'x' AS n UNION ALL SELECT NULL, 'a', '1'")
    for source in ((connection, "points"), connection.sql("FROM points")):
        with pytest.raises(InputError, match="missing label"):
            crosstab(source, true="t", pred="p")
        with pytest.raises(InputError, match="not a whole number"):
            crosstab(source, true="t", pred="p", counts="n")
        assert crosstab(source, true="t", pred="p", missing="drop").n_used == 1
        assert names_of(connection) == []
    connection.execute("ROLLBACK")
    assert connection.execute("SELECT COUNT(*) FROM kept").fetchall() == [(0,)]


def test_labels_are_compared_byte_by_byte():
    labels = ["a", "A", "a"]
    connection = duckdb.connect()
    connection.execute("SET default_collation = 'nocase'")
    connection.execute("CREATE TABLE points AS SELECT unnest(['a', 'A', 'a']) AS t, unnest([1, 2, 3]) AS p")
    lite = sqlite3.connect(":memory:")
    lite.execute("CREATE TABLE points (t TEXT COLLATE NOCASE, p INTEGER)")
    lite.executemany("INSERT INTO points VALUES (?, ?)", zip(labels, [1, 2, 3], strict=True))
    for source in ((connection, "points"), (lite, "points")):
        assert crosstab(source, true="t", pred="p") == in_memory(labels, [1, 2, 3])
        pushed = crosstab(source, true="t", pred="p", push_down=True)
        assert pushed.profile == in_memory(labels, [1, 2, 3]).profile
        pushed.close()


@on("duckdb-table", "sqlite", "postgres")
def test_the_same_in_any_database(host):
    connection, name = host.source(LEFT)
    found = host.source(RIGHT, "found")
    query = " select x.t, y.p from points x join found y on x.i = y.i -- joined"
    assert crosstab((connection, query), true="t", pred="p") == JOINED
    assert crosstab((connection, query.replace("-- joined", ";")), true="t", pred="p") == JOINED
    assert crosstab((connection, "points"), found, on="i") == JOINED
    with pytest.raises(InputError, match="nowhere"):
        crosstab((connection, "nowhere"), true="t", pred="p")
    with pytest.raises(InputError, match="SELECTED"):
        crosstab((connection, "SELECTED"), true="t", pred="p")
    with pytest.raises((InputError, EngineError), match=r"(?i)syntax|parser"):
        crosstab((connection, "SELECT FROM WHERE"), true="t", pred="p")
    with pytest.raises(InputError, match=r"counts='t' holds no numbers|not a whole number"):
        crosstab((connection, name), true="i", pred="i", counts="t")
    with pytest.raises(InputError, match="memory='1GB' is for the embedded DuckDB"):
        crosstab((connection, name), true="t", pred="i", memory="1GB")


def test_no_points(host):
    empty = host.source(pa.table({"t": pa.array([], pa.string()), "p": pa.array([], pa.int64())}))
    with pytest.raises(InputError, match="holds no points"):
        crosstab(empty, true="t", pred="p", **host.options)


def test_counts_that_are_too_large(host):
    source = host.source(pa.table({"t": list("ab"), "p": [1, 2], "n": [2**62, 2**62]}))
    with pytest.raises(InputError, match=r"the counts add up to more than 9\.2e\+18"):
        crosstab(source, true="t", pred="p", counts="n", **host.options)
    source = host.source(pa.table({"t": ["a"] * 4, "p": [1] * 4, "n": [3 * 2**60] * 4}))
    with pytest.raises(InputError, match=r"the counts add up to more than 9\.2e\+18"):
        crosstab(source, true="t", pred="p", counts="n", **host.options)


@pytest.mark.parametrize("push_down", [False, True])
def test_counts_as_large_as_in_memory(host, push_down):
    counts = [2**62, 2**61 + 1, 2**53 + 1]
    source = host.source(pa.table({"t": list("aab"), "p": [1, 2, 2], "n": counts}))
    if push_down and isinstance(host, SQLiteTable) and not isinstance(host, PostgresTable):
        with pytest.raises(InputError, match="too large for the integers of sqlite"):
            crosstab(source, true="t", pred="p", counts="n", push_down=True)
        return
    table = crosstab(source, true="t", pred="p", counts="n", push_down=push_down, **host.options)
    assert table == in_memory(list("aab"), [1, 2, 2], counts=counts)
    if push_down:
        table.close()


@pytest.mark.parametrize("numbers", [[1, -1], [1.5, 1.0], [None, 1], [float("nan"), 1.0], [float("inf"), 1.0]])
def test_counts_that_are_none(host, numbers):
    source = host.source(pa.table({"t": list("ab"), "p": [1, 2], "n": numbers}))
    with pytest.raises(InputError, match=r"1 row\(s\) have counts='n' that is not a whole number >= 0"):
        crosstab(source, true="t", pred="p", counts="n", **host.options)


@pytest.mark.parametrize("label", [0.5, float("inf"), -float("inf")])
def test_labels_that_are_no_whole_numbers(host, label):
    source = host.source(pa.table({"t": [1.0, label, 2.0], "p": [1, 2, 3]}))
    with pytest.raises(InputError, match=f"column 't' holds {label}; labels must be whole numbers or texts"):
        crosstab(source, true="t", pred="p", **host.options)


def test_pairs_in_any_engine(host):
    pairs = host.source(pa.table({"a": [1, 2, 5], "b": [2, 3, 6]}), "pairs")
    truth = host.source(pa.table({"id": [1, 2, 3, 5, 6], "c": list("xxyzz")}))
    table = crosstab(truth, pairs, pairs="pred", **host.options)
    assert table.profile == in_memory(list("xxyzz"), [0, 0, 0, 1, 1]).profile
    assert table.pred_labels == [1, 5]


def test_scored_pairs_in_any_engine(host):
    scored = {"a": [1, 2, 5, 5], "b": [2, 3, 6, 7], "s": [0.9, 0.3, 0.5, 0.1]}
    pairs = host.source(pa.table(scored), "pairs")
    truth = host.source(pa.table({"id": [1, 2, 3, 5, 6, 7], "c": list("xxyzzz")}))
    table = crosstab(truth, pairs, pairs="pred", threshold=0.5, **host.options)
    assert table.profile == in_memory(list("xxyzzz"), [0, 0, 1, 2, 2, 3]).profile
    assert table.pred_labels == [1, 3, 5, 7]
    assert table.settings["threshold"] == 0.5


def _changed(engine, **parts):
    changed = copy(engine)
    vars(changed).update(parts)
    return changed


def test_an_engine_of_ones_own():
    engine = HomeMadeEngine()
    engine.connection.execute("CREATE TABLE points AS SELECT 1 AS t, 'a' AS p UNION ALL SELECT 2, 'b'")
    for source in ("points", "SELECT * FROM points"):
        table = crosstab(source, true="t", pred="p", engine=engine)
        assert table == in_memory([1, 2], ["a", "b"])
        assert table.settings["engine"] == "home-made"
        crosstab(source, true="t", pred="p", engine=engine, push_down=True).close()
    assert engine.connection.execute("SELECT name FROM sqlite_master").fetchall() == [("points",)]
    with pytest.raises(EngineError, match="function register"):
        crosstab(*["SELECT p AS a, p AS b FROM points"] * 2, pairs="both", engine=engine)
    with pytest.raises(InputError, match="it lacks materialise, fetch, release"):
        crosstab("points", true="t", pred="p", engine=type("Half", (), {"name": "x", "dialect": 1})())
    for wrong, said in (
        (HomeMadeEngine, r"HomeMadeEngine is a class; pass an object of it, such as HomeMadeEngine\(…\)"),
        (
            _changed(engine, dialect="duckdb"),
            r"the dialect of a HomeMadeEngine is 'duckdb'; it must be a clustermark\.",
        ),
        (_changed(engine, fetch=lambda sql: [(1, "a")]), "fetch of home-made returned a list; it must return columns"),
    ):
        with pytest.raises(InputError, match=f"engine: {said}"):
            crosstab("points", true="t", pred="p", engine=wrong)
    with pytest.raises(InputError, match="name of a table or a query"):
        crosstab(TABLE, true="t", pred="p", engine=engine)


def test_what_is_no_source_is_said(tmp_path):
    lite = sqlite3.connect(":memory:")
    for source, options, said in (
        ([1, 2], {}, "list, which has no columns"),
        (lite, {}, r"pass it with a table or a query: \(connection, \"table\"\)"),
        ((lite,), {}, r"is \(connection, \"table\"\)"),
        ((lite, 7), {}, r"is \(connection, \"table\"\)"),
        ((object(), "x"), {}, "not a connection of duckdb, psycopg or sqlite3; pass the table, and an engine"),
        (TABLE, {"engine": "oracle"}, "engine='oracle' is not one of datafusion, duckdb"),
        (TABLE, {"engine": "spark"}, "engine='spark' does not read a pyarrow Table; duckdb or"),
        ((lite, "x"), {"engine": "duckdb"}, "does not read a table of a sqlite3 connection"),
        (pl.from_arrow(TABLE).lazy(), {"threads": 2}, "threads=2 is for the embedded DuckDB, and Polars works"),
        (pl.from_arrow(TABLE), {"engine_options": {"conf": {}}}, "engine_options=.* is for Spark, and Polars"),
        (TABLE, {"engine_options": {"conf": {}}}, "is for Spark, and the embedded DuckDB works here; leave it out, or"),
        (TABLE, {"engine": "datafusion", "temporary": "/x"}, "temporary='/x' is for the embedded DuckDB"),
    ):
        with pytest.raises(InputError, match=said):
            crosstab(source, true="t", pred="p", **options)
    with pytest.raises(InputError, match="both must belong to one engine"):
        crosstab(TABLE, (lite, "x"), on="i")
    with pytest.raises(InputError, match="two connections"):
        crosstab((lite, "x"), (sqlite3.connect(":memory:"), "x"), on="i")


def test_an_engine_that_is_added_is_shared_by_one_connection_only(monkeypatch):
    class Added:
        pass

    monkeypatch.setitem(recognition.CONNECTIONS, (Added.__module__, "Added"), "added")
    monkeypatch.setitem(recognition._READERS, "added", ("added",))
    one, other, request = Added(), Added(), read_request({})
    assert recognition.share_engine([(one, "x"), (one, "y")], request, ["a", "b"])
    assert not recognition.share_engine([(one, "x"), (other, "x")], request, ["a", "b"])


OTHERS = ["polars", "datafusion", "spark"]
WRITTEN = {"t": ["1", "1.0", "", "a,b", 'say "x"', None], "p": ["x", "y", "x", "y", "ä", "z"]}


@pytest.mark.parametrize("engine", OTHERS)
@pytest.mark.parametrize("ending", ["csv", "tsv.gz", "parquet", "arrow", "jsonl"])
def test_other_engines_read_files_as_duckdb_does(tmp_path, request, engine, ending):
    import gzip

    from pyarrow import feather

    if engine == "spark":
        request.getfixturevalue("spark")
    path = tmp_path / f"it's [x] {{a,b}}.{ending}"
    frame = pd.DataFrame(WRITTEN)
    if ending == "parquet":
        frame.to_parquet(path)
    elif ending == "arrow":
        feather.write_feather(pa.table(WRITTEN), path)
    elif ending == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        text = frame.to_csv(index=False, sep="," if ending == "csv" else "\t")
        path.write_bytes(gzip.compress(text.encode()) if ending.endswith("gz") else text.encode())
    if (engine, ending) == ("spark", "arrow"):
        with pytest.raises(InputError, match="Spark does not read Arrow files"):
            crosstab(path, **BY, engine=engine)
        return
    assert crosstab(path, **BY, engine=engine) == crosstab(path, **BY)


@pytest.mark.parametrize("engine", OTHERS)
def test_what_other_engines_cannot_read_is_said(tmp_path, request, engine):
    if engine == "spark":
        request.getfixturevalue("spark")
    (tmp_path / "x.parquet").write_text("no Parquet at all")
    with pytest.raises(InputError, match=r"cannot read"):
        crosstab(tmp_path / "x.parquet", true="t", pred="p", engine=engine)
    (tmp_path / "ragged.csv").write_text("t,p\n1,2\n3,4,5\n")
    with pytest.raises(InputError, match="cannot read"):
        crosstab(tmp_path / "ragged.csv", true="t", pred="p", engine=engine)
    (tmp_path / "a.csv").write_text("t,p\n1,2\n")
    (tmp_path / "b.csv").write_text("t,p\n1,3\n")
    assert crosstab(str(tmp_path / "[ab].csv"), true="t", pred="p", engine=engine) == in_memory(["1", "1"], ["2", "3"])


def test_spark_reads_texts_as_other_engines_do(spark, tmp_path):
    assert spark is not None  # it reads files in the session that is there
    (tmp_path / "x.csv").write_text('t,p\n5" disk,x\n"a""b",y\n')
    assert crosstab(tmp_path / "x.csv", true="t", pred="p", engine="spark").true_labels == ['5" disk', 'a"b']
    (tmp_path / "x.csv").write_text('t,p\n"a"b,x\nc,y\n')
    with pytest.raises((InputError, EngineError)):
        crosstab(tmp_path / "x.csv", true="t", pred="p", engine="spark")
    (tmp_path / "x.jsonl").write_text('{"t":-0,"a.b":"-0"}\n{"t":0,"a.b":"0"}\n{"t":1.5,"a.b":"1"}\n')
    table = crosstab(tmp_path / "x.jsonl", true="t", pred="a.b", engine="spark")
    assert (table.true_labels, table.pred_labels) == (["0", "1.5"], ["-0", "0", "1"])


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_spark_reads_folders_that_give_columns(spark, tmp_path, ending):
    assert spark is not None  # it reads files in the session that is there
    rows = {"year=2023/city=a%20b": ("a", "x"), "year=2024/city=__HIVE_DEFAULT_PARTITION__": ("b", "y")}
    for folder, (t, p) in rows.items():
        (tmp_path / folder).mkdir(parents=True)
        path = tmp_path / folder / f"1.{ending}"
        if ending == "parquet":
            pa.parquet.write_table(pa.table({"t": [t], "p": [p]}), path)
        else:
            path.write_text(f"t,p\n{t},{p}\n" if ending == "csv" else f'{{"t": "{t}", "p": "{p}"}}\n')
    how = {"engine": "spark", "missing": "cluster"}
    assert crosstab(tmp_path, true="year", pred="p", **how) == crosstab(["2023", "2024"], ["x", "y"])
    assert crosstab(tmp_path, true="city", pred="t", **how) == crosstab(["a b", None], ["a", "b"], missing="cluster")


def test_names_that_sqlite_does_not_know_are_no_texts():
    connection = sqlite3.connect(":memory:")
    connection.execute('CREATE TABLE truth ("true" TEXT, t INTEGER)')
    connection.executemany("INSERT INTO truth VALUES (?, ?)", [("a", 1), ("b", 1), ("c", 2)])
    connection.execute("CREATE TABLE pairs (l TEXT, r TEXT)")
    connection.executemany("INSERT INTO pairs VALUES (?, ?)", [("a", "b"), ("c", "c")])
    closed = crosstab((connection, "truth"), (connection, "pairs"), on="true", true="t", pairs="pred")
    assert closed == in_memory([1, 1, 2], ["a", "a", "c"])
    assert closed.settings["on"] == "true"
    assert "guessed" not in closed.settings
    connection.execute('CREATE TABLE found ("true" TEXT, "false" INTEGER)')
    connection.executemany("INSERT INTO found VALUES (?, ?)", [("a", 1), ("b", 1), ("c", 2)])
    table = crosstab((connection, "truth"), (connection, "found"), on="true", true="t", pred="false")
    assert table == in_memory([1, 1, 2], [1, 1, 2])


def test_sqlite_closes_pairs_of_columns_that_are_called_true_and_false():
    connection = sqlite3.connect(":memory:")
    connection.execute('CREATE TABLE truth ("False" TEXT, "true" INTEGER)')
    connection.executemany("INSERT INTO truth VALUES (?, ?)", [("a", 1), ("b", 1), ("c", 2), ("d", 2)])
    connection.execute('CREATE TABLE scored ("true" TEXT, "false" TEXT, "null" REAL)')
    connection.executemany("INSERT INTO scored VALUES (?, ?, ?)", [("a", "b", 0.9), ("c", "d", 0.2)])
    options = {"on": "False", "true": "true", "pairs": "pred", "threshold": 0.5}
    table = crosstab((connection, "truth"), (connection, "scored"), **options)
    assert table == in_memory([1, 1, 2, 2], ["a", "a", "c", "d"])
    turned = {"on": "False", "pred": "true", "pairs": "true", "threshold": 0.5}
    table = crosstab((connection, "scored"), (connection, "truth"), **turned)
    assert table == in_memory(["a", "a", "c", "d"], [1, 1, 2, 2])
    connection.execute("UPDATE scored SET \"false\" = 'z'")
    with pytest.raises(InputError, match="column 'true' has each id once, and column 'false' repeats clusters"):
        crosstab((connection, "truth"), (connection, "scored"), **options)


def test_spark_without_pyarrow_says_what_to_install(monkeypatch):
    import sys

    from clustermark.engines.adapters.spark import Spark

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"PyArrow, by which Spark returns its columns, is not installed.*\[spark\]"):
        Spark(object())
