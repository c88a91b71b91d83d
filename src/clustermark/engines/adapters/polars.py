"""Polars: frames in memory, lazy frames and files, queried through its SQL."""

from __future__ import annotations

from contextlib import contextmanager
from glob import escape
from typing import TYPE_CHECKING, Any

from clustermark.engines.adapters.arrow import as_table
from clustermark.engines.adapters.requirements import first_line, require_package
from clustermark.engines.dialect import Dialect
from clustermark.engines.engine import Relation, own_name
from clustermark.engines.files import files_of, is_path
from clustermark.engines.headers import common_header
from clustermark.errors import EngineError, InputError, Mention
from clustermark.interruption import attend

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clustermark.engines.engine import Kind
    from clustermark.engines.files import Files, Reading

_PATIENCE = 0.3
"""Seconds for a statement to stop, before Ctrl-C goes on without it."""


class Polars:
    """A context of our own, in which frames have names."""

    name = "polars"
    # its SQL has no test for NaN, so NaN is made null where a frame is registered
    dialect = Dialect(nan="FALSE", numbered="row_number() OVER (ORDER BY i)")

    def __init__(self) -> None:
        self._polars = require_package("polars", "Polars", "all")
        self._context = self._polars.SQLContext()

    def relation(self, source: Any, reading: Reading) -> Relation:
        """Files, a frame, or what Polars makes a frame of."""
        if is_path(source):
            files = files_of(source, reading)
            with self._translate_errors():
                return self._register_frame(self._scan_all(files), files.said)
        said = f"the {type(source).__name__}"
        if isinstance(source, self._polars.DataFrame | self._polars.LazyFrame):
            return self._register_frame(source.lazy(), said)
        with self._translate_errors():
            return self._register_frame(self._polars.from_arrow(as_table(source)).lazy(), said)

    def _scan_all(self, files: Files) -> Any:
        """All files, with the columns that their folders give; a column of the files goes first."""
        if not any(files.keys.values()):
            return self._scan(files)
        if files.format == "csv":
            common_header(files)  # of all parts
        frames = []
        for part, keys in files.parts():
            lazy = self._scan(part)
            known = lazy.collect_schema()
            added = {key: self._polars.lit(keys[key], self._polars.String) for key in keys if key not in known}
            frames.append(lazy.with_columns(**added))
        return self._polars.concat(frames, how="diagonal")

    def _scan(self, files: Files) -> Any:
        if files.format == "parquet":
            return self._polars.scan_parquet(files.paths, glob=False, hive_partitioning=False)
        if files.format == "arrow":
            return self._polars.scan_ipc(files.paths, glob=False, hive_partitioning=False)
        if files.format == "json":
            return self._polars.scan_ndjson([escape(path) for path in files.paths], infer_schema_length=None)
        delimiter, names = common_header(files)
        lazy = self._polars.scan_csv(
            files.paths,
            schema=dict.fromkeys(names, self._polars.String),
            separator=delimiter,
            has_header=False,  # it would take the names for others where quotes are doubled in them
            skip_rows=int(files.reading.header),
            encoding=_encoding(files),
            glob=False,
        )
        empty = self._polars.all() == ""
        return lazy.with_columns(self._polars.when(~empty).then(self._polars.all()).name.keep())

    def _register_frame(self, lazy: Any, said: str) -> Relation:
        with self._translate_errors():
            schema = lazy.collect_schema()
            floats = [name for name, kind in schema.items() if kind.is_float()]
            coded = [name for name, kind in schema.items() if _is_coded(kind)]
            lazy = lazy.with_columns(
                self._polars.col(floats).fill_nan(None), self._polars.col(coded).cast(self._polars.String)
            )
            name = own_name("frame")
            self._context.register(name, lazy)
        return Relation(self.dialect.name(name), {name: kind_of(kind) for name, kind in schema.items()}, said)

    def register(self, data: Any) -> str:
        """Make a dict of arrays known; returns the quoted name."""
        name = own_name("data")
        self._context.register(name, self._polars.DataFrame(data))
        return self.dialect.name(name)

    def kinds_of(self, relation: str) -> dict[str, Kind]:
        """The kinds of the columns of a relation, given as an expression for a FROM clause."""
        with self._translate_errors():
            schema = self._context.execute(f"SELECT * FROM {relation}").collect_schema()
        return {name: kind_of(kind) for name, kind in schema.items()}

    def _collect(self, sql: str) -> Any:
        with self._translate_errors():
            lazy = self._context.execute(sql, eager=False)
            # it hears of Ctrl-C by itself, but in the middle of a join only after seconds
            return attend(lambda: lazy.collect(engine="streaming"), patience=_PATIENCE)

    def materialise(self, name: str, sql: str) -> None:
        """Collect the result, and register it."""
        self._context.register(name, self._collect(sql))

    def fetch(self, sql: str) -> dict[str, Any]:
        """Numbers as NumPy arrays, and lists where there are texts or nulls."""
        frame = self._collect(sql)
        return {
            column.name: column.to_numpy()
            if column.dtype.is_numeric() and not column.null_count()
            else column.to_list()
            for column in frame.get_columns()
        }

    def release(self, names: Iterable[str]) -> None:
        """Forget the frames."""
        known = set(self._context.tables())
        self._context.unregister([name for name in names if name in known])

    def close(self) -> None:
        """Nothing was opened."""

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except self._polars.exceptions.ColumnNotFoundError as error:
            raise EngineError(f"Polars failed: {first_line(error)}") from error
        except (
            self._polars.exceptions.ComputeError,
            self._polars.exceptions.SchemaError,
            UnicodeError,
            OSError,
        ) as error:
            raise InputError(f"Polars cannot read the data: {first_line(error)}") from error
        except self._polars.exceptions.PolarsError as error:
            raise EngineError(f"Polars failed: {first_line(error)}") from error


def _encoding(files: Files) -> str:
    encoding = (files.reading.encoding or "utf-8").lower().replace("utf-8", "utf8")
    if encoding != "utf8":
        raise InputError(f"{files.said}: Polars reads UTF-8 only, not {encoding}; choose ", Mention("engine", "duckdb"))
    return encoding


def _is_coded(kind: Any) -> bool:
    return type(kind).__name__ in ("Categorical", "Enum") or str(kind) in ("Categorical", "Enum")


def kind_of(kind: Any) -> Kind:
    """What a column of a Polars type holds."""
    if kind.is_integer():
        return "integer"
    if kind.is_float():
        return "float"
    if _is_coded(kind) or str(kind) in ("String", "Utf8"):
        return "text"
    return "boolean" if str(kind) == "Boolean" else "other"
