"""An engine with another SQL dialect: sqlglot translates the statements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark.engines.dialect import Dialect
from clustermark.errors import EngineError, InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clustermark.engines.engine import Engine


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
