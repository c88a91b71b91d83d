"""The statements that an evaluation runs in each engine, as explain=True returns them, for all options of a table."""

from __future__ import annotations

import re
import sqlite3
from functools import partial
from typing import TYPE_CHECKING, Any

import clustermark as cm
from needs import need

if TYPE_CHECKING:
    from collections.abc import Callable

POINTS = {
    "id": [1, 2, 3, 4, 5, 6, 7],
    "t": ["a", "a", "b", "b", "c", None, "c"],
    "p": [1, 1, 1, 2, -1, 2, None],
    "n": [1, 2, 3, 4, 5, 6, 7],
    "x": [1.0, 2.0, 2.0, 1.0, 3.0, 3.0, 2.0],
}
FOUND = {"id": [1, 2, 3, 4, 6], "p": ["x", "x", "x", "y", "y"]}
PAIRS = {"left": [1, 2, 4], "right": [2, 3, 5]}
POLICIES = {"missing": "drop", "noise_pred": {-1: "unscored"}, "noise_true": {"c": "singletons"}}
JOINED = {"on": "id", "missing": "cluster", "unmatched": "keep", "noise_pred": {"x": "drop"}}
REQUESTS: dict[str, tuple[tuple[dict[str, list[Any]], ...], dict[str, Any]]] = {
    "one source": ((POINTS,), {"true": "t", "pred": "p", "counts": "n", **POLICIES}),
    "weights": ((POINTS,), {"true": "t", "pred": "p", "weights": "x", "missing": "singletons"}),
    "two sources": (({"id": POINTS["id"], "t": POINTS["t"]}, FOUND), JOINED),
    "pairs": (({"id": POINTS["id"], "t": POINTS["t"]}, PAIRS), {"on": "id", "pairs": "pred", "missing": "drop"}),
}
CLAUSE = re.compile(r" (FROM|WHERE|GROUP BY|HAVING|ORDER BY|(?:LEFT )?JOIN|UNION ALL) ")  # each on a separate line


class _Tables:
    """Stores small tables in an engine."""

    options: dict[str, Any] = {}

    def put(self, name: str, columns: dict[str, list[Any]]) -> Any:
        raise NotImplementedError


class _DuckDB(_Tables):
    def __init__(self) -> None:
        self.connection = need("duckdb").connect()

    def put(self, name: str, columns: dict[str, list[Any]]) -> Any:
        self.connection.register("given", need("pyarrow").table(columns))
        self.connection.execute(f"CREATE TABLE {name} AS FROM given")
        return (self.connection, name)


class _Polars(_Tables):
    options = {"engine": "polars"}

    def put(self, name: str, columns: dict[str, list[Any]]) -> Any:
        return need("polars").DataFrame(columns)


class _DataFusion(_Tables):
    def __init__(self) -> None:
        self.context = need("datafusion").SessionContext()

    def put(self, name: str, columns: dict[str, list[Any]]) -> Any:
        return self.context.from_arrow(need("pyarrow").table(columns), name)


class _SQLite(_Tables):
    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:")

    def put(self, name: str, columns: dict[str, list[Any]]) -> Any:
        kinds = {int: "INTEGER", float: "REAL", str: "TEXT"}
        heads = ", ".join(f"{head} {kinds[type(values[0])]}" for head, values in columns.items())
        self.connection.execute(f"CREATE TABLE {name} ({heads})")
        marks = ", ".join("?" * len(columns))
        self.connection.executemany(f"INSERT INTO {name} VALUES ({marks})", zip(*columns.values(), strict=True))
        return (self.connection, name)


def statements_of(tables: type[_Tables]) -> str:
    """Return the statements of all requests, without the random parts of names."""
    said = []
    for request, (sources, options) in REQUESTS.items():
        engine = tables()
        put = [engine.put(f"points{place}", columns) for place, columns in enumerate(sources)]
        for push_down in (True, False) if tables is _DuckDB else (True,):
            try:
                text = cm.evaluate(*put, explain=True, push_down=push_down, **engine.options, **options)
            except cm.InputError as refused:
                text = f"refused: {refused}"
            said.append(f"===== {request}, push_down={push_down}\n{text}")
    text = re.sub(r"clustermark_[0-9a-f]{12}_", "clustermark_", "\n\n".join(said))
    return CLAUSE.sub(r"\n  \1 ", text).rstrip("\n") + "\n"


STATEMENTS: dict[str, Callable[[], str]] = {
    name: partial(statements_of, tables)
    for name, tables in {"duckdb": _DuckDB, "polars": _Polars, "datafusion": _DataFusion, "sqlite": _SQLite}.items()
}
