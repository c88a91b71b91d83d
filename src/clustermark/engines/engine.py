"""What an engine must be able to do, and the workspace that cleans up behind it."""

from __future__ import annotations

import secrets
import weakref
from contextlib import contextmanager
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
"""What a column holds, as far as labels care: all but the first four become texts. Text files hold text only."""


class Engine(Protocol):
    """Three functions and a dialect: all that is asked of an engine.

    Errors of the engine itself are raised as `EngineError`, in one line that says what failed.
    """

    name: str
    dialect: Dialect

    def materialise(self, name: str, sql: str) -> None:
        """Keep the result of a SELECT under a name that later statements can use; never replace what is there."""
        ...

    def fetch(self, sql: str) -> dict[str, Any]:
        """The result of a SELECT as columns: arrays or lists of plain values, NULL as None."""
        ...

    def release(self, names: Iterable[str]) -> None:
        """Forget what was materialised under these names; what is gone already is no error."""
        ...


@runtime_checkable
class Sharing(Engine, Protocol):
    """An engine in our process, with which we can share memory."""

    @property
    def memory(self) -> int | None:
        """How many bytes the engine may use; None if that is not ours to decide."""
        ...

    def leave_memory(self, amount: int) -> None:
        """Use so many bytes less."""
        ...

    def fetch_integers(self, sql: str, rows: int) -> dict[str, Any]:
        """The result of a SELECT of so many rows of integers, none of them NULL, as arrays."""
        ...

    def fetch_parts(self, name: str, columns: str, rows: int, at_once: int | None = None) -> Iterator[dict[str, Any]]:
        """The rows of what was materialised, as `fetch` gives them, part after part, so many at once."""
        ...


class Relation(NamedTuple):
    """Rows to be read: an expression for a FROM clause, and the kind of each column."""

    sql: str
    kinds: Mapping[str, Kind]
    said: str
    """What messages call it."""
    ordered: str | None = None
    """An expression for the number of a row, counted from 1, where rows have an order."""
    once: bool = False
    """Whether its rows can be read only once."""
    untyped: bool = False
    """Whether it is a text file, whose columns hold texts whatever is meant by them."""
    counted: bool = False
    """Whether it says how many rows it has, and how many of them have a value, without their being read."""


class Host(Engine, Protocol):
    """An engine that also reads what the user has of it."""

    def relation(self, source: Any, reading: Reading) -> Relation:
        """The rows of a source."""
        ...

    def register(self, data: Any) -> str:
        """Make a dict of arrays known; returns the quoted name."""
        ...

    def kinds_of(self, relation: str) -> dict[str, Kind]:
        """The kinds of the columns of a relation, given as an expression for a FROM clause."""
        ...

    def close(self) -> None:
        """Give back what was opened for the engine itself."""
        ...


OURS = "clustermark_"
"""How all names begin that are made for the user."""


def own_name(what: str) -> str:
    """A name that nobody else uses."""
    return f"{OURS}{secrets.token_hex(6)}_{what}"


class NoRows(dict[str, Any]):
    """The result of a statement that found nothing: every column is there, and empty."""

    def __missing__(self, column: str) -> list[Any]:
        return []


class FetchLimits(NamedTuple):
    """Numbers of points and cells that are fetched from an engine, in place of statements on them."""

    integer_cells: int = 16_000_000
    """Most cells with integer labels that are fetched at once; everything else happens in memory then."""
    text_cells: int = 4_000_000
    """Most cells with text labels: a text takes more memory."""
    integer_cell_bytes: int = 96
    """Bytes that a cell takes at most: in the engine, on its way and in the kernel."""
    text_cell_bytes: int = 400
    """The same for a cell with text labels."""
    fewest_points: int = 100_000
    """Fewer points are grouped by the engine, which sorts their cells."""
    most_points: int = 16_000_000
    """More points are grouped by the engine, which groups them better itself."""


class Workspace:
    """An engine with names of our own in it, which are released at the end, whatever happened before.

    All statements that ran are kept in `statements`, and in `purposes` what each is for.

    dry: statements are only noted. Whoever asks for a result says what a dry run takes for the answer, so that the
        code that runs dry is the code that runs.
    """

    limits: FetchLimits = FetchLimits()
    """What is fetched rather than left in the engine."""

    def __init__(self, engine: Engine, closing: Sequence[Any] = (), *, dry: bool = False) -> None:
        self.engine = engine
        self.dialect = engine.dialect
        self.statements: list[str] = []
        self.purposes: list[str] = []
        self.purpose = ""
        """What the next statements are for."""
        self.dry = dry
        self._prefix = own_name("")
        self._names: list[str] = []
        self._to_release: list[str] = []
        self._kept = False
        self._passed = 0
        self.lock = RLock()
        """Held by a thread that looks whether something is there, and makes it if not."""
        self._finalizer = weakref.finalize(self, _clean, engine, self._to_release, list(closing))

    def name(self, what: str) -> str:
        """The quoted name of a table of ours."""
        return self.dialect.name(self._prefix + what)

    def _note(self, sql: str) -> None:
        self.statements.append(sql)
        self.purposes.append(self.purpose)

    def materialise(self, what: str, sql: str) -> str:
        """Keep the result of a statement; returns its quoted name."""
        self._note(f"CREATE TEMPORARY TABLE {self.name(what)} AS {sql}")
        self._names.append(self._prefix + what)
        if not self.dry:
            self._to_release.append(self._prefix + what)
            self.engine.materialise(self._prefix + what, sql)
        return self.name(what)

    def has(self, what: str) -> bool:
        """Whether a table of ours is there."""
        return self._prefix + what in self._names

    def fetch(self, sql: str, dry: Mapping[str, Any] = NoRows()) -> Mapping[str, Any]:
        """The columns of a result; `dry` is what a dry run takes for them."""
        self._note(sql)
        return dry if self.dry else self.engine.fetch(sql)

    def fetch_integers(self, sql: str, rows: int) -> Mapping[str, Any]:
        """So many rows of integers, none of them NULL; for an engine that is `Sharing`."""
        self._note(sql)
        return NoRows() if self.dry else cast("Sharing", self.engine).fetch_integers(sql, rows)

    def fetch_parts(
        self, name: str, columns: str, rows: int, at_once: int | None = None
    ) -> Iterator[Mapping[str, Any]]:
        """The rows of a table of ours, part after part; for an engine that is `Sharing`."""
        self._note(f"SELECT {columns} FROM {name}")
        return iter(()) if self.dry else cast("Sharing", self.engine).fetch_parts(name, columns, rows, at_once)

    def row(self, sql: str, dry: tuple[Any, ...]) -> tuple[Any, ...]:
        """The only row of a result; `dry` is what a dry run takes for it."""
        return tuple(column[0] for column in self.fetch(sql, dict(enumerate(zip(dry)))).values())  # type: ignore[arg-type]

    def register(self, data: Any) -> str:
        """Make a dict of arrays known; returns the quoted name."""
        return self.dialect.name(own_name("data")) if self.dry else cast("Host", self.engine).register(data)

    def explain(self) -> str:
        """The statements that were noted, each after a line that says what it is for."""
        noted = zip(self.purposes, self.statements, strict=True)
        return "\n\n".join(f"-- {purpose}\n{statement};" for purpose, statement in noted)

    @contextmanager
    def lend(self, what: str, sql: str) -> Iterator[str]:
        """Keep the result of a statement for a while; gives its quoted name."""
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
        """Release everything, now."""
        self._finalizer()

    def keep(self) -> Self:
        """The workspace itself, which the end of a `with` no longer closes; the last reference to it does."""
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
