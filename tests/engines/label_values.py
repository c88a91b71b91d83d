"""Easily confused values of every type of labels, and values of types that are refused."""

import datetime as dt
import uuid
from decimal import Decimal

import numpy as np

from clustermark.engines.label_types import LABEL_TYPES
from needs import need

pa, pd, pl = need("pyarrow"), need("pandas"), need("polars")


def declared(engine):
    return {name for one in LABEL_TYPES.values() for name in one.names(engine)}


# ---- as texts, for engines that take SQL

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
    "HUGEINT": integers(128)[1:],  # DuckDB itself fails on the smallest
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

SQLITE = {
    "integer": [2**53 + 1, 2**53, -1, 2**63 - 1],
    "real": [2.0**53, 1.0, 0.0, -0.0, 2**53 + 1],
    "text": ["a", "A", "a ", "", "1", "1.0"],
    "blob": [b"\xff", b"a", b"A", b"\x00"],
}
SQLITE_REFUSED = {"mixed": [1, "1", 2.0], "bytes and text": [b"a", "a"], "numbers and text": [1, 2, "x"]}

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

SPARK = {
    "tinyint": integers(8), "smallint": integers(16), "int": integers(32), "bigint": integers(64),
    "float": ["0", "1", "16777216", "16777218"], "double": DUCKDB["DOUBLE"], "decimal": DUCKDB["DECIMAL"],
    "boolean": ["true", "false"], "string": ["a", "A", "a ", "1"], "binary": ["a", "A", "b"],
    "date": DUCKDB["DATE"], "timestamp": ZONED, "timestamp_ntz": MICROS,
    "void": [],
}  # fmt: skip
SPARK_REFUSED = {
    "array<int>": "array(1)",
    "struct<a:int>": "struct(1 AS a)",
    "interval day to second": "INTERVAL 1 DAY",
}

# ---- data in memory

UNITS = ("s", "ms", "us", "ns")
STAMPS = [1603585800, 1603589400, -1]  # the first two have the same local time in Berlin
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
"""Types that labels in memory cannot have either."""
REFUSED_IN_MEMORY = "pick the column that holds the labels"

POLARS = {
    **{name: pl.Series([*map(int, integers(int(name.lstrip("UInt")), signed=name[0] == "I"))], dtype=getattr(pl, name))
       for name in sorted(declared("polars")) if "Int" in name},
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

# ---- JSON Lines

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
