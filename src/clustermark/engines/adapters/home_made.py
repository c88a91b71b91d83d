"""Engines written by users: objects with a name, a dialect and three functions, as described by `Engine`.

`Transpiled` lets sqlglot translate the statements for the SQL dialect of a warehouse.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.engines.dialect import Dialect, table_or_query
from clustermark.engines.engine import Relation
from clustermark.engines.label_types import Kinds, unsupported
from clustermark.errors import EngineError, InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clustermark.engines.engine import Engine, Kind
    from clustermark.engines.files import Reading


_ASKED = ("name", "dialect", "materialise", "fetch", "release")
_SEEN = 1000


def is_home_made(engine: object) -> bool:
    """Return whether an engine is the user's own object; raise an error for one that is incomplete."""
    if engine is None or isinstance(engine, str):
        return False
    if isinstance(engine, type):
        raise InputError(f"engine: {engine.__name__} is a class; pass an object of it, such as {engine.__name__}(…)")
    lacking = [what for what in _ASKED if not hasattr(engine, what)]
    if lacking:
        raise InputError(f"engine: a {type(engine).__name__} is not an engine; it lacks {', '.join(lacking)}")
    dialect = engine.dialect  # type: ignore[attr-defined]
    if not isinstance(dialect, Dialect):
        raise InputError(
            f"engine: the dialect of a {type(engine).__name__} is {dialect!r}; it must be a "
            "clustermark.engines.dialect.Dialect"
        )
    return True


class HomeMade:
    """An engine of the user; sources are names of tables, or queries, in it."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        self.name = str(engine.name)
        self.dialect = engine.dialect
        self.materialise = engine.materialise

    def fetch(self, sql: str) -> dict[str, Any]:
        """Fetch with the user's engine, and check the result."""
        columns = self._engine.fetch(sql)
        if not isinstance(columns, Mapping):
            raise InputError(
                f"engine: fetch of {self.name} returned a {type(columns).__name__}; it must return columns, a dict of "
                "lists or arrays by name"
            )
        return dict(columns)

    def relation(self, source: Any, reading: Reading) -> Relation:  # noqa: ARG002
        """Return the rows of a table or a query."""
        parts = source if isinstance(source, tuple) else (source,)
        if not all(isinstance(part, str) for part in parts):
            raise InputError("with an engine of your own, a source is the name of a table or a query")
        sql, called = table_or_query(parts, self.dialect)
        return Relation(sql, self.kinds_of(sql), called)

    def kinds_of(self, relation: str) -> dict[str, Kind]:
        """Return the kinds that the engine reports, or those of the values in the first rows."""
        if hasattr(self._engine, "kinds_of"):
            return dict(self._engine.kinds_of(relation))
        kinds = Kinds()
        for name, column in self.fetch(f"SELECT * FROM {relation} LIMIT {_SEEN}").items():
            seen = {type(value) for value in np.asarray(column, dtype=object).tolist() if value is not None}
            kinds[name], kinds.types[name] = _kind_of(seen), " and ".join(sorted(kind.__name__ for kind in seen))
            if len(seen) > 1 and kinds[name] == "other":
                kinds.refuse(name, unsupported(kinds.types[name], ""))
        return kinds

    def register(self, data: Any) -> str:
        """Register data in the engine, if it can."""
        if not hasattr(self._engine, "register"):
            raise EngineError(f"lists of pairs need a function register in the engine {self.name}, which has none")
        return str(self._engine.register(data))

    def release(self, names: Iterable[str]) -> None:
        """Drop tables in the engine."""
        self._engine.release(names)

    def close(self) -> None:
        """Do nothing, as the engine belongs to the user."""


def _kind_of(seen: set[type]) -> Kind:
    """Return the kind of a column, given the types of its values."""
    if seen == {bool}:
        return "boolean"
    if seen <= {int}:
        return "integer"
    if seen <= {int, float}:
        return "float"
    return "text" if seen == {str} else "other"


class Transpiled:
    """An engine of the user for a warehouse, whose statements are translated from DuckDB's dialect to the warehouse's.

    engine: an object with `materialise`, `fetch` and `release`. dialect: a name that sqlglot accepts, such as
    "snowflake" or "bigquery".
    """

    def __init__(self, engine: Engine, dialect: str) -> None:
        try:
            import sqlglot
        except ImportError as error:
            raise ImportError(
                "translating needs sqlglot; install it with: pip install 'clustermark[warehouse]'"
            ) from error
        known = {one.value for one in sqlglot.Dialects if one.value}
        if dialect not in known:
            raise InputError(f"dialect={dialect!r} is unknown to sqlglot; it knows {', '.join(sorted(known))}")
        self.name = f"{engine.name} ({dialect})"
        self.dialect = Dialect()
        self._engine = engine
        self._to = dialect

    def translate(self, sql: str) -> str:
        """Translate a statement into the dialect of the warehouse."""
        from sqlglot import ErrorLevel, transpile
        from sqlglot.errors import SqlglotError

        try:
            return str(transpile(sql, read="duckdb", write=self._to, unsupported_level=ErrorLevel.RAISE)[0])
        except SqlglotError as error:
            raise EngineError(f"{self.name}: a statement cannot be translated: {error}") from error

    def materialise(self, name: str, sql: str) -> None:
        """Translate a statement, and store the result under a name."""
        self._engine.materialise(name, self.translate(sql))

    def fetch(self, sql: str) -> dict[str, Any]:
        """Translate a statement, and fetch the result."""
        return self._engine.fetch(self.translate(sql))

    def release(self, names: Iterable[str]) -> None:
        """Drop the tables with these names in the engine."""
        self._engine.release(names)
