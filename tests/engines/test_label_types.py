"""No two labels become one and no label becomes two, whatever their type and wherever they lie; or they are refused.

The types are those that the product declares, for each engine; each must have values here that are easily confused.
Types that are not declared must be refused.
"""

import json
import sqlite3
from decimal import Decimal

import pytest
from label_values import (
    ARROW,
    ARROW_REFUSED,
    DUCKDB,
    DUCKDB_REFUSED,
    JSON,
    JSON_REFUSED,
    NESTED,
    ONLY_IN_DUCKDB_REFUSED,
    PANDAS,
    PANDAS_REFUSED,
    POLARS,
    POLARS_REFUSED,
    POSTGRES,
    POSTGRES_REFUSED,
    REFUSED_IN_MEMORY,
    SPARK,
    SPARK_REFUSED,
    SQLITE,
    SQLITE_REFUSED,
    WRITTEN,
    declared,
)  # fmt: skip

from clustermark import crosstab
from clustermark.errors import EngineError, InputError
from needs import need

duckdb, pa, pd, pl = need("duckdb"), need("pyarrow", "parquet"), need("pandas"), need("polars")
datafusion = need("datafusion")

REFUSED = r"column '(t|i|p)' (is of type|holds values of several types)"


def partition(table):
    """The points that are together in the truth; each point is a predicted cluster of its own."""
    columns = table.to_memory().to_dict()
    clusters = {}
    for true, pred in zip(columns["true"], columns["pred"], strict=True):
        clusters.setdefault(true, set()).add(int(pred))
    return sorted(map(sorted, clusters.values()))


def expected(codes):
    clusters = {}
    for place, code in enumerate(codes):
        if code is not None:
            clusters.setdefault(code, []).append(place)
    return sorted(clusters.values())


def check(codes, labels, ids, **options):
    """One source, the same pushed down, and two sources joined by ids of the type.

    labels: a source with the columns t and p. ids: two sources with the columns i and k, whose ids are the different
    values; k numbers them on both sides alike.
    """
    asked = {"true": "t", "pred": "p", "missing": "drop", **options}
    assert partition(crosstab(labels(), **asked)) == expected(codes)
    check_ids(codes, ids, **options)
    if "engine" in options and options["engine"] is None:
        return
    pushed = crosstab(labels(), **asked, push_down=True)
    assert partition(pushed) == expected(codes)
    pushed.close()


def check_ids(codes, ids, **options):
    columns = crosstab(*ids(), on="i", true="k", pred="k", **options).to_dict()
    n = len({code for code in codes if code is not None})
    assert sorted((int(a), int(b)) for a, b in zip(columns["true"], columns["pred"], strict=True)) == [
        (k, k) for k in range(n)
    ]


def refuse(source, ids, **options):
    with pytest.raises(InputError, match=REFUSED):
        crosstab(source(), true="t", pred="p", missing="drop", **options)
    with pytest.raises(InputError, match=REFUSED):
        crosstab(*ids(), on="i", true="k", pred="k", **options)


# ---- engines that are spoken to in SQL: every value by its text -------------------------------------------------


def in_sql(run, kind, values, written):
    """Tables points(t, p), left and right (i, k) in an engine that `run` speaks to."""
    cast = written.get(kind, kind)
    texts = [value.replace("'", "''") for value in values]
    literals = [f"CAST('{value}' AS {cast})" for value in texts]
    codes = [*range(len(values)), *range(len(values)), None]
    rows = [*literals, *literals, f"CAST(NULL AS {cast})"]
    run("points", " UNION ALL ".join(f"SELECT {row} AS t, {place} AS p" for place, row in enumerate(rows)))
    sides = [f"SELECT {row} AS i, {place} AS k" for place, row in enumerate(literals)]
    run("left_side", " UNION ALL ".join(sides or ["SELECT 1 AS i, 0 AS k"]))
    run("right_side", " UNION ALL ".join(sides[::-1] or ["SELECT 1 AS i, 0 AS k"]))
    return codes


@pytest.mark.parametrize("kind", [*DUCKDB, *DUCKDB_REFUSED])
def test_types_of_duckdb(kind):
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'Europe/Berlin'")
    codes = in_sql(
        lambda name, sql: connection.execute(f"CREATE TABLE {name} AS {sql}"),
        kind, {**DUCKDB, **DUCKDB_REFUSED}[kind], WRITTEN,
    )  # fmt: skip
    ids = lambda: ((connection, "left_side"), (connection, "right_side"))  # noqa: E731
    if kind in DUCKDB_REFUSED:
        refuse(lambda: (connection, "points"), ids)
    elif kind == '"NULL"':
        with pytest.raises(InputError, match="dropped"):
            crosstab((connection, "SELECT NULL AS t, 1 AS p"), true="t", pred="p", missing="drop")
    else:
        check(codes, lambda: (connection, "points"), ids)
        numbers = range(len(DUCKDB[kind]))
        other = pa.table({"k": numbers, "p": numbers})  # so that the rows travel to an engine of ours
        table = crosstab((connection, "left_side"), other, on="k", true="i", pred="p")
        assert partition(table) == [[number] for number in numbers]


@pytest.mark.parametrize("kind", [*SQLITE, *SQLITE_REFUSED])
def test_types_of_sqlite(kind):
    connection = sqlite3.connect(":memory:")
    values = {**SQLITE, **SQLITE_REFUSED}[kind]
    for name, label in (("points", "t, p"), ("left_side", "i, k"), ("right_side", "i, k")):
        connection.execute(f"CREATE TABLE {name} ({label})")
    places = {value: place for place, value in enumerate(dict.fromkeys(values))}  # 0.0 and -0.0 are one
    rows = [*values, *values, None]
    connection.executemany("INSERT INTO points VALUES (?, ?)", [(value, place) for place, value in enumerate(rows)])
    for name in ("left_side", "right_side"):
        connection.executemany(f"INSERT INTO {name} VALUES (?, ?)", places.items())
    ids = lambda: ((connection, "left_side"), (connection, "right_side"))  # noqa: E731
    if kind in SQLITE_REFUSED:
        refuse(lambda: (connection, "points"), ids)
    else:
        check([places.get(value) for value in rows], lambda: (connection, "points"), ids)


@pytest.mark.parametrize("kind", [*POSTGRES, *POSTGRES_REFUSED])
def test_types_of_postgres(postgres_address, kind):
    with need("psycopg").connect(postgres_address) as connection:
        connection.execute("SET TimeZone = 'Europe/Berlin'")
        connection.execute("CREATE TYPE pg_temp.mood AS ENUM ('a', 'A', 'b')")
        if kind == "citext":
            try:
                connection.execute("CREATE EXTENSION citext")
            except need("psycopg").Error:
                pytest.skip("this server does not come with citext")
        codes = in_sql(
            lambda name, sql: connection.execute(f"CREATE TEMPORARY TABLE {name} AS {sql}"),
            kind, {**POSTGRES, **POSTGRES_REFUSED}[kind], {"enum": "pg_temp.mood"},
        )  # fmt: skip
        ids = lambda: ((connection, "left_side"), (connection, "right_side"))  # noqa: E731
        how = refuse if kind in POSTGRES_REFUSED else lambda *sources: check(codes, *sources)
        how(lambda: (connection, "points"), ids)
        connection.rollback()


def test_equal_numbers_of_postgres_are_one_label(postgres_address):
    with need("psycopg").connect(postgres_address) as connection:
        query = "SELECT CAST(t AS NUMERIC) AS t, p FROM (VALUES ('1.5', 0), ('1.50', 1), ('1', 2), ('NaN', 3)) v (t, p)"
        assert partition(crosstab((connection, query), true="t", pred="p", missing="drop")) == [[0, 1], [2]]


@pytest.mark.parametrize("kind", [*SPARK, *SPARK_REFUSED])
def test_types_of_spark(spark, kind):
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    if kind in SPARK_REFUSED:
        with pytest.raises(InputError, match=REFUSED):
            crosstab(spark.sql(f"SELECT {SPARK_REFUSED[kind]} AS t, 1 AS p"), true="t", pred="p")
        return
    frames = {}
    codes = in_sql(
        lambda name, sql: frames.update({name: spark.sql(sql)}),
        kind,
        SPARK[kind],
        {"decimal": "decimal(10, 2)", "void": "int"},
    )
    asked = {"true": "t", "pred": "p", "missing": "drop"}
    if kind == "void":
        with pytest.raises(InputError, match="dropped"):
            crosstab(spark.sql("SELECT NULL AS t, 1 AS p"), **asked)
        return
    assert partition(crosstab(frames["points"], **asked)) == expected(codes)
    if kind in ("int", "binary", "decimal", "timestamp"):  # each takes seconds
        check_ids(codes, lambda: (frames["left_side"], frames["right_side"]))


# ---- data in memory: as it is, and through engines --------------------------------------------------------------


def of_arrow(array, name="t", numbers=None):
    whole = pa.concat_arrays([array, array, pa.nulls(1, array.type)]) if name == "t" else array
    return pa.table({name: whole, "p" if name == "t" else "k": numbers or range(len(whole))})


def of_polars(series, name="t", numbers=None):
    whole = pl.concat([series, series, pl.Series([None], dtype=series.dtype)]) if name == "t" else series
    return pl.DataFrame({name: whole, "p" if name == "t" else "k": numbers or range(len(whole))})


def of_pandas(series, name="t", numbers=None):
    whole = pd.concat([series, series], ignore_index=True) if name == "t" else series.reset_index(drop=True)
    return pd.DataFrame({name: whole, "p" if name == "t" else "k": numbers or range(len(whole))})


MAKERS = {"arrow": of_arrow, "polars": of_polars, "pandas": of_pandas}
DATA = {
    "arrow": (ARROW, ARROW_REFUSED),
    "polars": (POLARS, POLARS_REFUSED),
    "pandas": (PANDAS | ONLY_IN_DUCKDB_REFUSED, PANDAS_REFUSED),
}
BEYOND = {
    "duckdb": ("duration", "Duration", "Int128", "UInt128", "Float16", *ONLY_IN_DUCKDB_REFUSED),
    "polars": (),
    "datafusion": ("Int128", "UInt128", "Float16", "float16"),
}
"""Data that an engine other than its own cannot take without loss."""


@pytest.mark.slow
@pytest.mark.parametrize("engine", [None, "duckdb", "polars", "datafusion"])
@pytest.mark.parametrize(
    ("library", "kind"), [(library, kind) for library in DATA for side in DATA[library] for kind in side]
)
def test_data_in_memory(library, kind, engine):
    good, bad = DATA[library]
    values, make = {**good, **bad}[kind], MAKERS[library]
    back = list(range(len(values)))[::-1]
    turned = pa.array(values.to_pylist()[::-1], values.type) if "view" in kind else values[::-1]
    labels, ids = (lambda: make(values)), (lambda: (make(values, "i"), make(turned, "i", back)))
    codes = [*range(len(values)), *range(len(values)), *([] if library == "pandas" else [None])]
    if kind in ("null", "Null"):
        with pytest.raises(InputError, match="dropped"):
            crosstab(labels(), true="t", pred="p", missing="drop", engine=engine)
    elif engine is None:
        if kind in NESTED:
            with pytest.raises(InputError, match=REFUSED_IN_MEMORY):
                crosstab(labels(), true="t", pred="p", missing="drop")
        elif kind == "intervals":  # objects of pandas
            assert partition(crosstab(labels(), true="t", pred="p", missing="drop")) == expected(codes)
        else:
            check(codes, labels, ids, engine=None)
    elif kind in bad or kind.split()[0] in BEYOND[engine] or kind in BEYOND[engine]:
        refuse(labels, ids, engine=engine)
    else:
        check(codes, labels, ids, engine=engine)


IN_PARQUET = [kind for kind in ARROW if "view" not in kind and kind not in ("null", "decimal32", "decimal64")]


@pytest.mark.parametrize("engine", ["duckdb", "polars", "datafusion"])
@pytest.mark.parametrize("kind", IN_PARQUET)
def test_files_of_parquet(kind, engine, tmp_path):
    n = len(ARROW[kind])
    pa.parquet.write_table(of_arrow(ARROW[kind]), tmp_path / "x.parquet")
    made = crosstab(tmp_path / "x.parquet", true="t", pred="p", missing="drop", engine=engine)
    assert partition(made) == expected([*range(n), *range(n), None])


def test_every_declared_type_has_values_here():
    """And so what is not here is not declared."""
    assert declared("duckdb") == set(DUCKDB)
    assert declared("sqlite") == set(SQLITE)
    assert declared("postgres") == set(POSTGRES)
    assert declared("spark") == set(SPARK)
    assert declared("arrow") == {kind.split()[0] for kind in ARROW}
    assert declared("polars") == {kind.split()[0] for kind in POLARS}


# ---- JSON Lines -------------------------------------------------------------------------------------------------

JSON_CASES = [(kind, engine) for kind in JSON | JSON_REFUSED for engine in ("duckdb", "polars", "datafusion")]
JSON_CASES += [(kind, "spark") for kind in ("integers", "texts", "mixed")]  # which takes seconds for each


@pytest.mark.parametrize(("kind", "engine"), JSON_CASES)
def test_json_lines(tmp_path, request, kind, engine):
    if engine == "spark":
        request.getfixturevalue("spark")
    values = {**JSON, **JSON_REFUSED}[kind]

    def write(name, label, number, rows):
        path = tmp_path / name
        path.write_text("".join(json.dumps({label: value, number: place}) + "\n" for place, value in rows))
        return path

    rows = list(enumerate([*values, *values, None]))
    labels = lambda: write("points.jsonl", "t", "p", rows)  # noqa: E731
    sides = [list(enumerate(values)), list(enumerate(values))[::-1]]
    ids = lambda: [write(f"{place}.jsonl", "i", "k", side) for place, side in enumerate(sides)]  # noqa: E731
    if kind in JSON_REFUSED:
        refuse(labels, ids, engine=engine)
        return
    codes = [*range(len(values)), *range(len(values)), None]
    assert partition(crosstab(labels(), true="t", pred="p", missing="drop", engine=engine)) == expected(codes)
    check_ids(codes, ids, engine=engine)


WRITTEN_NUMBERS = [
    "12345678901234567.1",
    "12345678901234567.2",
    "0.1",
    "0.10",
    "1e2",
    "1E2",
    "100.0",
    "-0.5",
    "-0.0",
    "0",
]
STRINGS = ["x", "1.5", "a\\", 'a"', ':1.50,"', "-", "é 2.50", "", "{", "\n1.0"]


@pytest.mark.parametrize("engine", ["duckdb", "polars", "datafusion"])
def test_numbers_of_json_are_labels_and_ids_as_they_are_written(tmp_path, engine):
    rows = list(zip(WRITTEN_NUMBERS, STRINGS, strict=True)) * 2
    lines = [f'{{"a\\"1.5":{json.dumps(text)}, "t" : {number},"p":{place}}}\n'
             for place, (number, text) in enumerate(rows)]  # fmt: skip
    once = lines[: len(WRITTEN_NUMBERS)]
    for name, written in (("x.jsonl", lines), ("y.jsonl", once), ("z.jsonl", once[::-1])):
        (tmp_path / name).write_text("".join(written), encoding="utf-8")
    codes = list(range(len(once)))
    for column in ("t", 'a"1.5'):
        assert partition(crosstab(tmp_path / "x.jsonl", true=column, pred="p", engine=engine)) == expected(codes * 2)
    joined = crosstab(tmp_path / "y.jsonl", tmp_path / "z.jsonl", on="t", true="p", pred="p", engine=engine)
    assert partition(joined) == expected(codes)
    table = crosstab(tmp_path / "x.jsonl", true="t", pred='a"1.5', engine=engine)
    assert (set(table.true_labels), set(table.pred_labels)) == (set(WRITTEN_NUMBERS), set(STRINGS))


@pytest.mark.parametrize("engine", ["duckdb", "polars", "datafusion"])
@pytest.mark.parametrize("third", ["1", "1.5", "18446744073709551616"])
def test_whole_zeros_of_json_are_one(tmp_path, engine, third):
    lines = [f'{{"t":{number},"p":{place},"-0":"-0"}}\n' for place, number in enumerate(["-0", "0", third, " -0 "])]
    (tmp_path / "x.jsonl").write_text("".join(lines))
    assert partition(crosstab(tmp_path / "x.jsonl", true="t", pred="p", engine=engine)) == expected([0, 0, 1, 0])
    assert crosstab(tmp_path / "x.jsonl", true="-0", pred="p", engine=engine).true_labels == ["-0"]


@pytest.mark.parametrize("engine", ["duckdb", "polars", "datafusion"])
@pytest.mark.parametrize("value", ["1", "1.5"])
def test_an_object_of_json_has_no_key_twice(tmp_path, engine, value):
    (tmp_path / "x.jsonl").write_text(f'{{"t":{value},"p":"x"}}\n{{"t":{value},"t":{value}0,"p":"x"}}\n')
    with pytest.raises(InputError, match=r"key twice|duplicate key"):
        crosstab(tmp_path / "x.jsonl", true="t", pred="p", engine=engine)


@pytest.mark.parametrize("engine", ["duckdb", "polars", "datafusion"])
def test_decimals_of_parquet_that_are_too_wide(tmp_path, engine):
    wide = pa.array([Decimal(2**53), Decimal(2**53 + 1), Decimal(3)], pa.decimal256(39, 0))
    nested = pa.array([{"a": 1.5, "b": [2]}] * 3)
    table = pa.table({"s": nested, "t": wide, "d": [1.0, 2.0, 3.0], "p": range(3)})
    pa.parquet.write_table(table, tmp_path / "x.parquet")
    with pytest.raises((InputError, EngineError), match=r"column 't' is of type decimal|precision must be between"):
        crosstab(tmp_path / "x.parquet", true="t", pred="p", engine=engine)
    if engine == "duckdb":
        assert partition(crosstab(tmp_path / "x.parquet", true="d", pred="p", engine=engine)) == expected([0, 1, 2])


def test_relations_over_decimals_of_parquet_that_are_too_wide(tmp_path):
    connection = need("duckdb").connect()
    path = tmp_path / "it's.parquet"
    wide = pa.array([Decimal(2**53), Decimal(2**53 + 1), Decimal(3)], pa.decimal256(39, 0))
    pa.parquet.write_table(pa.table({"t": wide, "d": [1.0, 2.0, 3.0], "p": range(3)}), path)
    quoted = str(path).replace("'", "''")
    connection.execute(f"CREATE VIEW seen AS SELECT t AS renamed, * FROM '{quoted}'")
    over = [
        (connection.read_parquet(str(path)), "t"),
        (connection.read_parquet(str(tmp_path / "*.parquet")).project("t AS u, d, p"), "u"),
        ((connection, f"SELECT t, d, p FROM read_parquet('{quoted}')"), "t"),
        ((connection, "seen"), "renamed"),
        (connection.table("seen"), "t"),
    ]
    for source, column in over:
        with pytest.raises(InputError, match=f"column '{column}' is of type decimal of more than 38 digits"):
            crosstab(source, true=column, pred="p")
        assert partition(crosstab(source, true="d", pred="p")) == expected([0, 1, 2])
    other = {"id": [2**53], "q": [1]}
    with pytest.raises(InputError, match="column 't' is of type decimal of more than 38 digits"):
        crosstab(connection.read_parquet(str(path)), pa.table(other), on={"t": "id"}, true="p", pred="q")


@pytest.mark.parametrize("values", [pa.array([10**8, 0, 1], pa.int32()).cast(pa.date32()),
                                    pa.array([2**55, 0, 1], pa.timestamp("ms"))], ids=["date", "moment"])  # fmt: skip
@pytest.mark.parametrize("engine", ["polars", "datafusion"])
def test_an_engine_that_panics_fails_with_an_error_of_ours(tmp_path, values, engine):
    table = pa.table({"t": values, "p": [1, 2, 2]})
    pa.parquet.write_table(table, tmp_path / "x.parquet")
    for source in (table, tmp_path / "x.parquet"):
        with pytest.raises((InputError, EngineError), match=r"Polars failed: .*range|DataFusion cannot read the data"):
            crosstab(source, true="t", pred="p", engine=engine)


@pytest.mark.parametrize("kind", [pa.timestamp("s"), pa.timestamp("s", "UTC"), pa.duration("s")], ids=str)
def test_seconds_that_polars_cannot_count_are_refused(kind):
    beyond = pa.array([2**62 + 1, -(2**63) + 1], kind)  # which differ, and as 64 bits of milliseconds do not
    with pytest.raises(InputError, match="Polars cannot read the data: Casting from"):
        crosstab(pa.table({"t": beyond, "p": [1, 2]}), true="t", pred="p", engine="polars")


@pytest.mark.parametrize("engine", [None, "polars"])
def test_a_time_of_day_is_less_than_a_day(tmp_path, engine):
    for nanoseconds in (86_400 * 10**9, -1, 10**18):
        times = pa.table({"t": pa.array([0, nanoseconds], pa.time64("ns")), "p": [1, 2]})
        with pytest.raises(InputError, match="a time of day must be less than 24 hours"):
            crosstab(times, true="t", pred="p", engine=engine, missing="drop")
    seconds = pa.table({"t": pa.array([None, 86_399, 86_400], pa.time32("s")), "p": [1, 2, 2]})
    pa.parquet.write_table(seconds, tmp_path / "x.parquet")
    with pytest.raises(InputError, match=r"x\.parquet: column 't': a time of day must be less than 24 hours"):
        crosstab(tmp_path / "x.parquet", true="t", pred="p", engine="polars", missing="drop")
    pa.parquet.write_table(seconds[:2], tmp_path / "x.parquet")
    assert crosstab(tmp_path / "x.parquet", true="t", pred="p", engine="polars", missing="drop").n_used == 1
