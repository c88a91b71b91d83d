"""No two labels become one and no label becomes two, whatever their type and wherever they lie; or they are refused.

The types are those that the product declares, for each engine; each must have values here that are easily confused.
Types that are not declared must be refused.
"""

import datetime as dt
import json
import sqlite3
import uuid
from decimal import Decimal

import numpy as np
import pytest

from clustermark import crosstab
from clustermark.engines.label_types import LABEL_TYPES
from clustermark.errors import InputError
from needs import need

duckdb, pa, pd, pl = need("duckdb"), need("pyarrow", "parquet"), need("pandas"), need("polars")
datafusion = need("datafusion")

REFUSED = r"column '(t|i|p)' (is of type|holds values of several types)"


def declared(engine):
    return {name for one in LABEL_TYPES.values() for name in one.names(engine)}


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

MOMENTS = ["2020-10-25 01:30:00", "2020-10-25 02:30:00", "1969-12-31 23:59:59", "2020-10-25 01:30:01"]
MICROS = [*MOMENTS, "2020-10-25 01:30:00.000001", "2020-10-25 01:30:00.1"]
ZONED = ["2020-10-25 00:30:00+00", "2020-10-25 01:30:00+00", "2020-10-25 01:30:00.000001+00"]
TIMES = ["00:00:00", "00:00:00.1", "00:00:00.000001", "23:59:59.999999"]
UUIDS = [str(uuid.UUID(int=number)) for number in (7, 8, 2**127)]


def integers(bits, *, signed=True):
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    near = [2**53, 2**53 + 1] if bits > 53 else []
    return [str(number) for number in dict.fromkeys([low, low + 1, 1, *near, high - 1, high])]


DUCKDB = {
    **{name: integers(bits) for name, bits in (("TINYINT", 8), ("SMALLINT", 16), ("INTEGER", 32), ("BIGINT", 64))},
    **{f"U{name}": integers(bits, signed=False)
       for name, bits in (("TINYINT", 8), ("SMALLINT", 16), ("INTEGER", 32), ("BIGINT", 64), ("HUGEINT", 128))},
    "HUGEINT": integers(128)[1:],  # DuckDB itself fails on the least
    "FLOAT": ["0", "1", "16777216", "16777218", "-3"],
    "DOUBLE": ["0", "1", "9007199254740992", "9007199254740994", "1e300"],
    "DECIMAL": ["1.5", "1.51", "-1.5", "2"],
    "BOOLEAN": ["true", "false"],
    "VARCHAR": ["a", "A", "a ", "", "1", "1.0"],
    "ENUM": ["a", "A", "b"],
    "BLOB": [r"\xFF", r"\x5CxFF", "a"],
    "UUID": UUIDS,
    "DATE": ["2020-01-31", "2020-02-01", "1969-12-31"],
    "TIME": TIMES,
    "TIME_NS": [*TIMES, "00:00:00.000000001"],
    "TIMESTAMP": MICROS,
    "TIMESTAMP_S": MOMENTS,
    "TIMESTAMP_MS": [*MOMENTS, "2020-10-25 01:30:00.001"],
    "TIMESTAMP_NS": [*MICROS, "2020-10-25 01:30:00.000000001"],
    "TIMESTAMP WITH TIME ZONE": ZONED,
    "TIMESTAMPTZ_NS": [*ZONED, "2020-10-25 01:30:00.000000001+00"],
    '"NULL"': [],
}  # fmt: skip
WRITTEN = {"ENUM": "ENUM('a', 'A', 'b')", "DECIMAL": "DECIMAL(10, 2)", '"NULL"': "INTEGER"}
DUCKDB_REFUSED = {
    "INTERVAL": ["1 month", "30 days"],
    "INTEGER[]": ["[1]", "[2]"],
    "STRUCT(a INTEGER)": ["{'a': 1}", "{'a': 2}"],
    "MAP(INTEGER, INTEGER)": ["{1=2}", "{1=3}"],
    "UNION(n INTEGER, s VARCHAR)": ["1", "a"],
    "JSON": ["1", '"1"'],
    "BIT": ["1", "01"],
    "TIME WITH TIME ZONE": ["00:00:00+00", "01:00:00+01"],
}


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
        other = duckdb.connect().from_arrow(pa.table({"i": [0], "k": [0]}))  # so that the table must travel
        with pytest.raises(InputError, match=r"cannot meet|no id occurs|have no id|occur in"):
            crosstab((connection, "left_side"), other, on="i", true="k", pred="k", unmatched="error")


SQLITE = {
    "integer": [2**53 + 1, 2**53, -1, 2**63 - 1],
    "real": [2.0**53, 1.0, 0.0, -0.0, 2**53 + 1],
    "text": ["a", "A", "a ", "", "1", "1.0"],
    "blob": [b"\xff", b"a", b"A", b"\x00"],
}
SQLITE_REFUSED = {"mixed": [1, "1", 2.0], "bytes and text": [b"a", "a"], "numbers and text": [1, 2, "x"]}


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


POSTGRES = {
    "int2": integers(16), "int4": integers(32), "int8": integers(64),
    "float4": ["0", "1", "16777216", "16777218"], "float8": DUCKDB["DOUBLE"],
    "numeric": ["1.5", "1.51", "-1.5", "2", "9007199254740993", "9007199254740992"],
    "bool": ["t", "f"], "text": DUCKDB["VARCHAR"], "varchar": DUCKDB["VARCHAR"], "name": ["a", "A", "1"],
    "enum": ["a", "A", "b"], "bpchar": ["a", "A", "1"], "citext": ["a", "b", "1"], "bytea": [r"\xff", r"\x5cff", "a"],
    "uuid": UUIDS, "date": DUCKDB["DATE"], "time": TIMES, "timestamp": MICROS, "timestamptz": ZONED,
}  # fmt: skip
POSTGRES_REFUSED = {
    "interval": ["1 day", "24 hours 1 second"],
    "jsonb": ["1", "2"],
    "int4[]": ["{1}", "{2}"],
    "timetz": ["00:00:00+00", "01:00:00+01"],
}


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


SPARK = {
    "tinyint": integers(8), "smallint": integers(16), "int": integers(32), "bigint": integers(64),
    "float": ["0", "1", "16777216", "16777218"], "double": DUCKDB["DOUBLE"], "decimal": DUCKDB["DECIMAL"],
    "boolean": ["true", "false"], "string": ["a", "A", "a ", "1"], "binary": ["a", "A", "b"],
    "date": DUCKDB["DATE"], "timestamp": ZONED, "timestamp_ntz": MICROS,
    "void": [], "char": [], "varchar": [],  # no frame has these, but tables do
}  # fmt: skip
SPARK_REFUSED = {
    "array<int>": "array(1)",
    "struct<a:int>": "struct(1 AS a)",
    "interval day to second": "INTERVAL 1 DAY",
}


@pytest.mark.parametrize("kind", ["int", "binary", "decimal", "timestamp", "timestamp_ntz", *SPARK_REFUSED])
def test_types_of_spark(spark, kind):
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    if kind in SPARK_REFUSED:
        with pytest.raises(InputError, match=REFUSED):
            crosstab(spark.sql(f"SELECT {SPARK_REFUSED[kind]} AS t, 1 AS p"), true="t", pred="p")
        return
    frames = {}
    codes = in_sql(
        lambda name, sql: frames.update({name: spark.sql(sql)}), kind, SPARK[kind], {"decimal": "decimal(10, 2)"}
    )
    asked = {"true": "t", "pred": "p", "missing": "drop"}
    assert partition(crosstab(frames["points"], **asked)) == expected(codes)
    check_ids(codes, lambda: (frames["left_side"], frames["right_side"]))


# ---- data in memory: as it is, and through engines --------------------------------------------------------------

UNITS = ("s", "ms", "us", "ns")
STAMPS = [1603585800, 1603589400, -1]  # the first two are one time on the clocks of Berlin
ARROW = {
    **{f"{sign}int{bits}": pa.array([*map(int, integers(bits, signed=not sign))], f"{sign}int{bits}")
       for sign in ("", "u") for bits in (8, 16, 32, 64)},
    "float": pa.array([0, 1, 2.0**24, 2.0**24 + 2], pa.float32()),
    "double": pa.array([0, 1, 2.0**53, 2.0**53 + 2, 1e300]),
    "decimal32": pa.array([Decimal("1.50"), Decimal("1.51")], pa.decimal32(5, 2)),
    "decimal64": pa.array([Decimal("1.50"), Decimal("1.51")], pa.decimal64(15, 2)),
    "decimal128": pa.array([Decimal("1.50"), Decimal("1.51"), Decimal(2**60)], pa.decimal128(30, 2)),
    "bool": pa.array([True, False]),
    "string": pa.array(["a", "A", "a ", "", "1", "1.0"]),
    "large_string": pa.array(["a", "b"], pa.large_string()),
    "string_view": pa.array(["a", "b"], pa.string_view()),
    "dictionary": pa.array(["a", "A", "b"]).dictionary_encode(),
    "dictionary of integers": pa.array([2**53, 2**53 + 1]).dictionary_encode(),
    "binary": pa.array([b"\xff", b"\xfe", b"a", b""]),
    "large_binary": pa.array([b"\xff", b"\xfe"], pa.large_binary()),
    "binary_view": pa.array([b"\xff", b"\xfe"], pa.binary_view()),
    "fixed_size_binary": pa.array([b"\xff\xff", b"\xff\xfe"], pa.binary(2)),
    "uuid": pa.array([uuid.UUID(int=7).bytes, uuid.UUID(int=8).bytes], pa.binary(16)).cast(pa.uuid()),
    "date32": pa.array([dt.date(2020, 1, 31), dt.date(1969, 12, 31)]),
    **{f"time32 {unit}": pa.array([0, 1, 2], pa.time32(unit)) for unit in ("s", "ms")},
    **{f"time64 {unit}": pa.array([0, 1, 2, 1000], pa.time64(unit)) for unit in ("us", "ns")},
    **{f"timestamp {unit}": pa.array([*STAMPS, 0, 1], pa.timestamp(unit)) for unit in UNITS},
    **{f"timestamp {unit} in Berlin": pa.array([0, 1, *(stamp * 1000**place for stamp in STAMPS)],
                                               pa.timestamp(unit, "Europe/Berlin"))
       for place, unit in enumerate(UNITS)},
    **{f"duration {unit}": pa.array([0, 1, 2, -1, 86400], pa.duration(unit)) for unit in UNITS},
    "null": pa.array([None, None]),
}  # fmt: skip
ARROW_REFUSED = {
    "list": pa.array([["a, b"], ["a", "b"]]),
    "struct": pa.array([{"a": 1}, {"a": 2}]),
    "map": pa.array([[(1, 2)], [(1, 3)]], pa.map_(pa.int64(), pa.int64())),
    "halffloat": pa.array(np.array([1, 2], np.float16)),
    "decimal256": pa.array([Decimal("1.50"), Decimal("1.51")], pa.decimal256(60, 2)),
    "date64": pa.array([0, 86_400_000], pa.date64()),
    "month_day_nano_interval": pa.array([(1, 2, 3), (1, 2, 4)], pa.month_day_nano_interval()),
}
NESTED = ("list", "struct", "map", "List", "Struct", "Array")
"""What labels in memory cannot be either."""
REFUSED_IN_MEMORY = "pick the column that holds the labels"

POLARS = {
    **{name: pl.Series([*map(int, integers(int(name.lstrip("UInt")), signed=name[0] == "I"))], dtype=getattr(pl, name))
       for name in declared("polars") if "Int" in name},
    "Float16": pl.Series([0, 1, 2048, 2050], dtype=pl.Float16),
    "Float32": pl.Series([0, 1, 2**24, 2**24 + 2], dtype=pl.Float32),
    "Float64": pl.Series([0.0, 1.0, 2.0**53, 2.0**53 + 2, 1e300]),
    "Decimal": pl.Series([Decimal("1.50"), Decimal("1.51")], dtype=pl.Decimal(10, 2)),
    "Boolean": pl.Series([True, False]),
    "String": pl.Series(["a", "A", "a ", "", "1", "1.0"]),
    "Categorical": pl.Series(["a", "A", "b"], dtype=pl.Categorical),
    "Enum": pl.Series(["a", "A", "b"], dtype=pl.Enum(["b", "A", "a"])),
    "Binary": pl.Series([b"\xff", b"\xfe", b"a", b""]),
    "Date": pl.Series([dt.date(2020, 1, 31), dt.date(1969, 12, 31)]),
    "Time": pl.Series([0, 1, 2, 1000, 10**8]).cast(pl.Time),
    **{f"Datetime {unit}": pl.Series([*STAMPS, 0, 1]).cast(pl.Datetime(unit)) for unit in UNITS[1:]},
    **{f"Datetime {unit} in Berlin": pl.Series([0, 1, *(stamp * 1000**place for stamp in STAMPS)])
       .cast(pl.Datetime(unit, "Europe/Berlin")) for place, unit in enumerate(UNITS) if place},
    **{f"Duration {unit}": pl.Series([0, 1, 2, -1, 86400]).cast(pl.Duration(unit)) for unit in UNITS[1:]},
    "Null": pl.Series([None, None]),
}  # fmt: skip
POLARS_REFUSED = {
    "List": pl.Series([["a, b"], ["a", "b"]]),
    "Struct": pl.Series([{"a": "1, 2"}, {"a": "1"}]),
    "Array": pl.Series([[1, 2], [3, 4]], dtype=pl.Array(pl.Int64, 2)),
    "Object": pl.Series([1, "1"], dtype=pl.Object),
}

PANDAS = {
    "int64": pd.Series([2**53, 2**53 + 1, -1]),
    "nullable": pd.Series([2**53, 2**53 + 1, -1], dtype="Int64"),
    "float16": pd.Series([0, 1, 2048, 2050], dtype="float16"),
    "texts": pd.Series(["a", "A", ""]),
    "objects that are texts": pd.Series(["a", "A", "1", ""], dtype=object),
    "objects that are integers": pd.Series([2**53, 2**53 + 1, -1], dtype=object),
    "objects that are bytes": pd.Series([b"a", b"\xff"], dtype=object),
    "objects that are truth values": pd.Series([True, False], dtype=object),
    "objects that are dates": pd.Series([dt.date(2020, 1, 1), dt.date(2020, 1, 2)], dtype=object),
    "categories": pd.Series(["a", "A"], dtype="category"),
    "categories that are integers": pd.Series([2**53, 2**53 + 1], dtype="category"),
    "moments in s": pd.Series(np.array(STAMPS, "datetime64[s]")),
    "moments in ns": pd.Series(np.array([0, 1, 2], "datetime64[ns]")),
    "arrow integers": pd.Series([2**53, 2**53 + 1], dtype=pd.ArrowDtype(pa.int64())),
    "arrow moments": pd.Series([0, 1], dtype=pd.ArrowDtype(pa.timestamp("ns", "UTC"))),
}  # fmt: skip
PANDAS_REFUSED = {
    "objects of several types": pd.Series([1, "1", 2], dtype=object),
    "integers and floating-point numbers": pd.Series([2**53 + 1, 2**53, 0.0], dtype=object),
    "bytes and texts": pd.Series([b"a", "a"], dtype=object),
    "dates and moments": pd.Series([dt.date(2020, 1, 1), dt.datetime(2020, 1, 1, 1)], dtype=object),
    "integers of many bits": pd.Series([2**70, 2**70 + 1], dtype=object),
    "decimals": pd.Series([Decimal("1.5"), Decimal("1.51")], dtype=object),
    "periods": pd.Series(pd.period_range("2020", periods=2, freq="D")),
    "intervals": pd.Series(pd.interval_range(0, 2)),
    "sparse": pd.Series([1, 0], dtype="Sparse[int]"),
}
ONLY_IN_DUCKDB_REFUSED = {
    "zoned moments in us": pd.Series(pd.to_datetime(STAMPS, unit="s", utc=True)).dt.tz_convert("Europe/Berlin"),
    "zoned moments in ns": pd.Series(pd.to_datetime([0, 1, 2], utc=True)),
    "durations in ns": pd.Series(np.array([0, 1, 2], "timedelta64[ns]")),
    "arrow durations": pd.Series([0, 1], dtype=pd.ArrowDtype(pa.duration("ns"))),
}


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

JSON = {
    "integers": [2**53, 2**53 + 1, 2**63, 2**64 - 1, 2**70, 2**70 + 1],
    "numbers": [2**53 + 1, 2**53, 0.5],
    "texts": ["a", "A", "1", "NaN", "NULL", "null"],
    "truth values": [True, False],
    "dates": ["2020-01-01", "2020-01-02"],
}
JSON_REFUSED = {
    "mixed": [1, "1"],
    "truth and text": [True, "true"],
    "lists": [["a, b"], ["a", "b"]],
    "objects": [{"a": 1}],
}


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
