"""An engine that speaks a dialect of its own: statements are translated by sqlglot on their way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark.engines.dialect import Dialect
from clustermark.errors import EngineError, InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clustermark.engines.engine import Engine


class Transpiled:
    """An engine of your own for a warehouse, whose statements are translated from DuckDB's dialect to the warehouse's.

    engine: an object with `materialise`, `fetch` and `release`. dialect: a name that sqlglot knows, such as
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
        """A statement in the dialect of the warehouse."""
        from sqlglot import ErrorLevel, transpile
        from sqlglot.errors import SqlglotError

        try:
            return str(transpile(sql, read="duckdb", write=self._to, unsupported_level=ErrorLevel.RAISE)[0])
        except SqlglotError as error:
            raise EngineError(f"{self.name}: a statement cannot be translated: {error}") from error

    def materialise(self, name: str, sql: str) -> None:
        """Translate, and keep the result under a name."""
        self._engine.materialise(name, self.translate(sql))

    def fetch(self, sql: str) -> dict[str, Any]:
        """Translate, and fetch the result."""
        return self._engine.fetch(self.translate(sql))

    def release(self, names: Iterable[str]) -> None:
        """Let the engine forget these names."""
        self._engine.release(names)
