"""The types that labels and ids may have in each engine. A type that is not declared here is refused.

A type may be declared if different values stay different labels, and equal values become one label. The tests and
the table in the documentation read this declaration.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from clustermark.engines.engine import Kind


class LabelType(NamedTuple):
    """The kind of a type, and its names in the engines; empty where an engine lacks it, or would lose digits."""

    kind: Kind
    duckdb: str = ""
    polars: str = ""
    arrow: str = ""
    """The types of DataFusion, and of data that is passed to an engine."""
    spark: str = ""
    postgres: str = ""
    sqlite: str = ""

    def names(self, engine: str) -> tuple[str, ...]:
        """Return the names of the type in an engine, without parameters that may follow."""
        listed: str = getattr(self, "arrow" if engine == "datafusion" else engine)
        return tuple(name.strip() for name in listed.split(",") if listed)


LABEL_TYPES = {
    "integer": LabelType(
        "integer",
        duckdb="TINYINT, SMALLINT, INTEGER, BIGINT, UTINYINT, USMALLINT, UINTEGER, UBIGINT",
        polars="Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64",
        arrow="int8, int16, int32, int64, uint8, uint16, uint32, uint64",
        spark="tinyint, smallint, int, bigint",
        postgres="int2, int4, int8",
        sqlite="integer",
    ),
    "integer of 128 bits": LabelType("wide", duckdb="HUGEINT, UHUGEINT", polars="Int128, UInt128"),
    "floating-point number": LabelType(
        "float",
        duckdb="FLOAT, DOUBLE",
        polars="Float16, Float32, Float64",
        arrow="float, double",
        spark="float, double",
        postgres="float4, float8",
        sqlite="real",
    ),
    "decimal": LabelType(
        "decimal",
        duckdb="DECIMAL",
        polars="Decimal",
        arrow="decimal32, decimal64, decimal128",
        spark="decimal",
        postgres="numeric",
    ),
    "truth value": LabelType(
        "boolean", duckdb="BOOLEAN", polars="Boolean", arrow="bool", spark="boolean", postgres="bool"
    ),
    "text": LabelType(
        "text",
        duckdb="VARCHAR",
        polars="String",
        arrow="string, large_string, string_view",
        spark="string",
        postgres="text, varchar, name",
        sqlite="text",
    ),
    "category": LabelType(
        "category",
        duckdb="ENUM",
        polars="Categorical, Enum",
        arrow="dictionary",
        postgres="enum, bpchar, citext",
    ),
    "bytes": LabelType(
        "bytes",
        duckdb="BLOB",
        polars="Binary",
        arrow="binary, large_binary, binary_view, fixed_size_binary, uuid",
        spark="binary",
        postgres="bytea",
        sqlite="blob",
    ),
    "UUID": LabelType("other", duckdb="UUID", postgres="uuid"),
    "date": LabelType("other", duckdb="DATE", polars="Date", arrow="date32", spark="date", postgres="date"),
    "time of day": LabelType("other", duckdb="TIME, TIME_NS", polars="Time", arrow="time32, time64", postgres="time"),
    "date and time": LabelType(
        "moment",
        duckdb="TIMESTAMP, TIMESTAMP_S, TIMESTAMP_MS, TIMESTAMP_NS, TIMESTAMP WITH TIME ZONE, TIMESTAMPTZ_NS",
        polars="Datetime",
        arrow="timestamp",
        spark="timestamp, timestamp_ntz",
        postgres="timestamp, timestamptz",
    ),
    "duration": LabelType("other", polars="Duration", arrow="duration"),
    "nothing but missing values": LabelType("other", duckdb='"NULL"', polars="Null", arrow="null", spark="void"),
}


SEVERAL_TYPES = "holds values of several types, such as numbers and texts, or nested ones; make all of them texts"
"""Reason why a column of JSON cannot be used."""


class Kinds(dict[str, "Kind"]):
    """The kinds of columns by name, with their types in the engine, and the reasons why some cannot be used."""

    def __init__(self) -> None:
        super().__init__()
        self.types: dict[str, str] = {}
        self.refused: dict[str, str] = {}

    def refuse(self, column: str, why: str) -> None:
        """Record that a column cannot be used, and why."""
        self.setdefault(column, "other")
        self.refused[column] = why


def read_kinds(engine: str, columns: Iterable[tuple[str, str]], *, folds_case: bool = False) -> Kinds:
    """Return the kinds of columns, given the name and the type of each.

    folds_case: whether the engine identifies names that differ in case only.
    """
    columns = list(columns)
    kinds = Kinds()
    for name, type_name in columns:
        kind = kind_of(engine, type_name)
        kinds.types[name] = type_name
        kinds[name] = kind or "other"
        if kind is None:
            kinds.refused[name] = unsupported(type_name, engine)
    refuse_repeated(kinds, [name for name, _ in columns], engine if folds_case else "")
    return kinds


def kind_of(engine: str, type_name: str) -> Kind | None:
    """Return the kind of a type; None for a type that is refused."""
    return _BY_NAME[engine].get(re.split(r"[(\[<]", type_name, maxsplit=1)[0].strip())


def unsupported(type_name: str, engine: str) -> str:
    """Return the reason why a column of this type cannot be used."""
    shown = type_name if len(type_name) < 60 else f"{type_name[:57]}…"
    return (
        f"is of type {shown}, of which no labels or ids can be made{f' in {ENGINES[engine]}' if engine else ''}; make "
        "it a column of texts or integers"
    )


def refuse_repeated(kinds: Kinds, names: Sequence[str], folding: str = "") -> None:
    """Refuse columns whose name is not unique; `folding` is the engine, if it ignores the case of names."""
    times, folded = Counter(names), Counter(map(str.casefold, names))
    for name in times:
        if times[name] > 1:
            kinds.refuse(name, f"occurs {times[name]} times; rename all but one")
        elif folding and folded[name.casefold()] > 1:
            other = next(one for one in names if one != name and one.casefold() == name.casefold())
            kinds.refuse(
                name, f"differs from column {other!r} in case only, which {ENGINES[folding]} ignores; rename one"
            )


def refuse_unlike(kinds: Kinds, parts: Sequence[Mapping[str, Kind]]) -> None:
    """Refuse columns whose type differs between parts of the data: 1 and '1' would become one label."""
    for name in kinds:
        if len({part[name] for part in parts if name in part and type_of(part, name) not in _NOTHING}) > 1:
            kinds.refuse(name, "is of one type in some files and of another type in others; make all of them texts")


def merge_kinds(kinds: Mapping[str, Kind], held: Kinds) -> Kinds:
    """Return the kinds of columns, combined with those that were held back."""
    merged = Kinds()
    for one in (kinds, held):
        merged.update(one)
        if isinstance(one, Kinds):
            merged.types |= one.types
            merged.refused |= one.refused
    return merged


def type_of(kinds: object, column: str) -> str:
    """Return the type of a column in the engine, or its kind where the type is not available."""
    types = kinds.types if isinstance(kinds, Kinds) else {}
    return types.get(column) or str(kinds[column])  # type: ignore[index]


def why_refused(kinds: object, column: str) -> str:
    """Return the reason why a column cannot be used; empty if it can."""
    return kinds.refused.get(column, "") if isinstance(kinds, Kinds) else ""


ENGINES = {
    "duckdb": "DuckDB",
    "polars": "Polars",
    "datafusion": "DataFusion",
    "spark": "Spark",
    "postgres": "PostgreSQL",
    "sqlite": "SQLite",
}
_NOTHING = {name for engine in ENGINES for name in LABEL_TYPES["nothing but missing values"].names(engine)}
_BY_NAME: dict[str, dict[str, Kind]] = {
    engine: {name: one.kind for one in LABEL_TYPES.values() for name in one.names(engine)}
    for engine in (*ENGINES, "arrow")
}
