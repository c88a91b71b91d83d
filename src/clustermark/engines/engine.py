"""The interface of an engine, the workspace that releases its tables at the end, and the import of its package."""

from __future__ import annotations

import secrets
import weakref
from contextlib import contextmanager
from importlib import import_module
from threading import RLock
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias, cast, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Self

    from clustermark.engines.dialect import Dialect
    from clustermark.engines.files import Reading


Kind: TypeAlias = Literal[
    "text", "integer", "float", "boolean", "category", "wide", "decimal", "bytes", "moment", "other"
]
"""Kind of the values of a column. All but the first four become texts; text files have texts only."""


class Engine(Protocol):
    """The minimal interface of an engine: three functions and a dialect.

    Errors of the engine itself are raised as `EngineError`, with one line that names what failed.
    """

    name: str
    dialect: Dialect

    def materialise(self, name: str, sql: str) -> None:
        """Store the result of a SELECT under a name that later statements can use; never replace an existing table."""
        ...

    def fetch(self, sql: str) -> dict[str, Any]:
        """Return the result of a SELECT as columns: arrays or lists of plain values, with NULL as None."""
        ...

    def release(self, names: Iterable[str]) -> None:
        """Drop the tables with these names; ignore those that no longer exist."""
        ...


@runtime_checkable
class Sharing(Engine, Protocol):
    """An engine in this process, with which memory can be shared."""

    @property
    def memory(self) -> int | None:
        """Number of bytes that the engine may use; None if clustermark does not set it."""
        ...

    def leave_memory(self, amount: int) -> None:
        """Reduce the memory limit of the engine by this number of bytes."""
        ...

    def fetch_integers(self, sql: str, rows: int) -> dict[str, Any]:
        """Return the result of a SELECT of `rows` rows of integers without NULL, as arrays."""
        ...

    def fetch_parts(self, name: str, columns: str, rows: int, at_once: int | None = None) -> Iterator[dict[str, Any]]:
        """Yield the rows of a stored table like `fetch`, in parts of `at_once` rows."""
        ...


class Relation(NamedTuple):
    """Rows to be read: an expression for a FROM clause, and the kind of each column."""

    sql: str
    kinds: Mapping[str, Kind]
    called: str
    """The name in messages."""
    ordered: str | None = None
    """An expression for the number of a row, counted from 1, where rows have an order."""
    once: bool = False
    """Whether its rows can be read only once."""
    untyped: bool = False
    """Whether it is a text file, where every column holds texts, whatever they mean."""
    counted: bool = False
    """Whether the numbers of rows and of non-missing values are available without reading the rows."""


class Host(Engine, Protocol):
    """An engine that also reads sources of the user, such as files and tables."""

    def relation(self, source: Any, reading: Reading) -> Relation:
        """Return the rows of a source."""
        ...

    def register(self, data: Any) -> str:
        """Register a dict of arrays as a table; return the quoted name."""
        ...

    def kinds_of(self, relation: str) -> dict[str, Kind]:
        """Return the kinds of the columns of a relation, given as an expression for a FROM clause."""
        ...

    def close(self) -> None:
        """Close what was opened for the engine itself."""
        ...


OURS = "clustermark_"
"""Prefix of all names that clustermark creates."""


def own_name(what: str) -> str:
    """Return a unique name."""
    return f"{OURS}{secrets.token_hex(6)}_{what}"


class NoRows(dict[str, Any]):
    """The empty result of a statement: every column exists and is empty."""

    def __missing__(self, column: str) -> list[Any]:
        return []


class FetchLimits(NamedTuple):
    """Limits on the numbers of points and cells that are fetched from an engine instead of being processed there."""

    integer_cells: int = 16_000_000
    """Maximum number of cells with integer labels that are fetched at once; all further work is done in memory."""
    text_cells: int = 4_000_000
    """The same for cells with text labels, which need more memory."""
    integer_cell_bytes: int = 96
    """Maximum number of bytes per cell: in the engine, during the transfer and in the kernel."""
    text_cell_bytes: int = 400
    """The same for a cell with text labels."""
    fewest_points: int = 100_000
    """Minimum number of points that are grouped in memory; the engine, which sorts the cells, groups fewer."""
    most_points: int = 16_000_000
    """Maximum number of points that are grouped in memory; the engine is faster for more."""
    pairs: int = 200_000_000
    """Maximum number of pairs of ids of a list by default: more would exceed most memories."""


class Workspace:
    """An engine together with the tables that were created in it, which are released at the end, also after errors.

    `statements` holds all statements that ran, and `purposes` the purpose of each.

    dry: statements are only recorded. Each call that returns a result passes the result that a dry run assumes,
        so that a dry run takes the same code path.
    """

    limits: FetchLimits = FetchLimits()
    """Limits on what is fetched rather than processed in the engine."""

    def __init__(self, engine: Engine, closing: Sequence[Any] = (), *, dry: bool = False) -> None:
        self.engine = engine
        self.dialect = engine.dialect
        self.statements: list[str] = []
        self.purposes: list[str] = []
        self.purpose = ""
        """The purpose of the next statements."""
        self.dry = dry
        self._prefix = own_name("")
        self._names: list[str] = []
        self._to_release: list[str] = []
        self._kept = False
        self._passed = 0
        self.lock = RLock()
        """Held by a thread while it checks whether a table exists, and creates it if not."""
        self._finalizer = weakref.finalize(self, _clean, engine, self._to_release, list(closing))

    def name(self, what: str) -> str:
        """Return the quoted name of a table of this workspace."""
        return self.dialect.name(self._prefix + what)

    def _note(self, sql: str) -> None:
        self.statements.append(sql)
        self.purposes.append(self.purpose)

    def materialise(self, what: str, sql: str) -> str:
        """Store the result of a statement; return its quoted name."""
        self._note(f"CREATE TEMPORARY TABLE {self.name(what)} AS {sql}")
        self._names.append(self._prefix + what)
        if not self.dry:
            self._to_release.append(self._prefix + what)
            self.engine.materialise(self._prefix + what, sql)
        return self.name(what)

    def has(self, what: str) -> bool:
        """Return whether this workspace has a table of this name."""
        return self._prefix + what in self._names

    def fetch(self, sql: str, dry: Mapping[str, Any] = NoRows()) -> Mapping[str, Any]:
        """Return the columns of a result; `dry` is the result that a dry run assumes."""
        self._note(sql)
        return dry if self.dry else self.engine.fetch(sql)

    def fetch_integers(self, sql: str, rows: int) -> Mapping[str, Any]:
        """Fetch `rows` rows of integers without NULL, from an engine that is `Sharing`."""
        self._note(sql)
        return NoRows() if self.dry else cast("Sharing", self.engine).fetch_integers(sql, rows)

    def fetch_parts(
        self, name: str, columns: str, rows: int, at_once: int | None = None
    ) -> Iterator[Mapping[str, Any]]:
        """Yield the rows of a table of this workspace in parts, from an engine that is `Sharing`."""
        self._note(f"SELECT {columns} FROM {name}")
        return iter(()) if self.dry else cast("Sharing", self.engine).fetch_parts(name, columns, rows, at_once)

    def row(self, sql: str, dry: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the only row of a result; `dry` is the row that a dry run assumes."""
        return tuple(column[0] for column in self.fetch(sql, dict(enumerate(zip(dry)))).values())  # type: ignore[arg-type]

    def register(self, data: Any) -> str:
        """Register a dict of arrays as a table; return the quoted name."""
        return self.dialect.name(own_name("data")) if self.dry else cast("Host", self.engine).register(data)

    def explain(self) -> str:
        """Return the recorded statements, each after a line with its purpose."""
        noted = zip(self.purposes, self.statements, strict=True)
        return "\n\n".join(f"-- {purpose}\n{statement};" for purpose, statement in noted)

    @contextmanager
    def lend(self, what: str, sql: str) -> Iterator[str]:
        """Store the result of a statement for the duration of the context; yield its quoted name."""
        with self.lock:
            self._passed += 1
            what = f"{what}_{self._passed}"
        try:
            yield self.materialise(what, sql)
        finally:
            self._names.remove(self._prefix + what)
            if not self.dry:
                self.engine.release([self._prefix + what])
                self._to_release.remove(self._prefix + what)

    def close(self) -> None:
        """Release everything now."""
        self._finalizer()

    def keep(self) -> Self:
        """Return the workspace itself, which is now closed with its last reference, not at the end of a `with`."""
        self._kept = True
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, failed: object, *_: object) -> None:
        if failed is not None or not self._kept:
            self.close()


def _clean(engine: Engine, names: list[str], closing: list[Any]) -> None:
    try:
        engine.release(reversed(names))
    finally:
        names.clear()
        for close in closing:
            close()


def require_package(module: str, engine: str, extra: str) -> Any:
    """Import the package of an engine, or raise an error that names the command to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        if not isinstance(error, ModuleNotFoundError):  # such as too little memory for its library
            raise ImportError(f"{engine} cannot be loaded: {error}") from error
        raise ImportError(f"{engine} is not installed; install it with: pip install 'clustermark[{extra}]'") from error


def first_line(error: BaseException) -> str:
    """Return the first line of an engine's error."""
    lines = [line.strip() for line in str(error).split("\n") if line.strip()]
    return lines[0] if lines else type(error).__name__


def is_panic(error: BaseException) -> bool:
    """Return whether an engine written in Rust panicked, which is no `Exception` in Python."""
    return type(error).__name__ == "PanicException"
