"""Polars: frames in memory, lazy frames and files, queried through its SQL."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from clustermark.engines.adapters.arrow import as_table, hold_back
from clustermark.engines.dialect import Dialect
from clustermark.engines.engine import Relation, first_line, is_panic, own_name, require_package
from clustermark.engines.files import files_of, is_path
from clustermark.engines.label_types import merge_kinds, read_kinds
from clustermark.engines.text_files import read_csv, read_json_lines
from clustermark.errors import EngineError, InputError, Mention
from clustermark.interruption import attend

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clustermark.engines.engine import Kind
    from clustermark.engines.files import Files, Keys, Reading
    from clustermark.engines.label_types import Kinds

_PATIENCE = 0.3
"""Seconds that Ctrl-C waits for a statement to stop."""
_PATTERN = "has a name that Polars takes for a pattern of names; rename it, or choose another engine"


class Polars:
    """A context of clustermark, in which frames have names."""

    name = "polars"
    # its SQL has no test for NaN, so NaN is made null when a frame is registered
    dialect = Dialect(unsigned="BIGINT UNSIGNED", nan="FALSE", numbered="row_number() OVER (ORDER BY i)")

    def __init__(self) -> None:
        self._polars = require_package("polars", "Polars", "all")
        self._context = self._polars.SQLContext()

    def relation(self, source: Any, reading: Reading) -> Relation:
        """Return the rows of files, of a frame, or of data that Polars can convert to a frame."""
        if is_path(source):
            files = files_of(source, reading)
            with self._translate_errors():
                return self._of_files(files)
        called = f"the {type(source).__name__}"
        if isinstance(source, self._polars.DataFrame | self._polars.LazyFrame):
            return self._register_frame(source.lazy(), called)
        data, held = hold_back(source, self.name)
        with self._translate_errors():
            table = _count_milliseconds(as_table(data))
            _refuse_long_times(table, called)
            found = self._register_frame(self._polars.from_arrow(table).lazy(), called)
        return found._replace(kinds=merge_kinds(found.kinds, held))

    def _of_files(self, files: Files) -> Relation:
        if files.format == "json":
            columns, kinds = read_json_lines(files)
            lazy = self._polars.LazyFrame(columns, schema=dict.fromkeys(columns, self._polars.String))
            return self._register_frame(lazy, files.called)._replace(kinds=kinds, untyped=True)
        if files.format == "csv":
            lazy = self._polars.from_arrow(read_csv(files, "Polars")).lazy()
            return self._register_frame(lazy, files.called)._replace(untyped=True)
        frames = [self._scan(part, keys) for part, keys in files.parts()]
        return self._register_frame(self._polars.concat(frames, how="diagonal"), files.called)

    def _scan(self, files: Files, keys: Keys) -> Any:
        """Scan files, with the columns that their folders define; a column of the files takes precedence."""
        scan = self._polars.scan_parquet if files.format == "parquet" else self._polars.scan_ipc
        lazy = scan(files.paths, glob=False, hive_partitioning=False)
        known = lazy.collect_schema()
        if times := [name for name, kind in known.items() if kind == self._polars.Time]:
            dataset = require_package("pyarrow.dataset", "PyArrow", "all").dataset
            stored = dataset(files.paths, format="parquet" if files.format == "parquet" else "ipc")
            _refuse_long_times(stored.to_table(columns=times), files.called)
        added = {key: self._polars.lit(keys[key], self._polars.String) for key in keys if key not in known}
        return lazy.with_columns(**added)

    def _register_frame(self, lazy: Any, called: str) -> Relation:
        with self._translate_errors():
            schema = lazy.collect_schema()
            kinds = read_kinds(self.name, [(name, str(kind)) for name, kind in schema.items()])
            if patterns := {name for name in kinds if _is_pattern(name)}:
                kinds.refused.update(dict.fromkeys(patterns, _PATTERN))
                by_name = self._polars.selectors.by_name
                lazy = lazy.select(*(by_name(name) for name in schema if name not in patterns))
            usable = [(name, kind) for name, kind in schema.items() if name not in kinds.refused]
            lazy = lazy.with_columns(*(self._plain(name, kind, kinds[name]) for name, kind in usable))
            name = own_name("frame")
            self._context.register(name, lazy)
        return Relation(self.dialect.name(name), kinds, called)

    def _plain(self, name: str, dtype: Any, kind: Kind) -> Any:
        """Return a column for the SQL of Polars: NaN as null, and texts for values that a cast would truncate."""
        column = self._polars.col(name)
        match str(dtype).partition("(")[0]:
            case "Float16" | "Float32" | "Float64":
                return column.fill_nan(None).cast(self._polars.Float64)
            case "Time":
                return column.dt.to_string("%H:%M:%S%.9f")
            case "Duration":
                return column.dt.to_string("iso")
            case "Binary":
                return column.bin.encode("hex")
        return column.cast(self._polars.String) if kind in ("category", "moment", "other") else column

    def register(self, data: Any) -> str:
        """Register a dict of arrays as a table; return the quoted name."""
        name = own_name("data")
        self._context.register(name, self._polars.DataFrame(data))
        return self.dialect.name(name)

    def kinds_of(self, relation: str) -> Kinds:
        """Return the kinds of the columns of a relation, given as an expression for a FROM clause."""
        with self._translate_errors():
            schema = self._context.execute(f"SELECT * FROM {relation}").collect_schema()
        return read_kinds(self.name, [(name, str(kind)) for name, kind in schema.items()])

    def _collect(self, sql: str) -> Any:
        with self._translate_errors():
            lazy = self._context.execute(sql, eager=False)
            # by itself it answers Ctrl-C too, but during a join only after seconds
            return attend(lambda: lazy.collect(engine="streaming"), patience=_PATIENCE)

    def materialise(self, name: str, sql: str) -> None:
        """Collect the result, and register it."""
        self._context.register(name, self._collect(sql))

    def fetch(self, sql: str) -> dict[str, Any]:
        """Return the columns: numbers as NumPy arrays, and lists where there are texts or nulls."""
        frame = self._collect(sql)
        return {
            column.name: column.to_numpy()
            if column.dtype.is_numeric() and not column.null_count()
            else column.to_list()
            for column in frame.get_columns()
        }

    def release(self, names: Iterable[str]) -> None:
        """Remove the frames."""
        known = set(self._context.tables())
        self._context.unregister([name for name in names if name in known])

    def close(self) -> None:
        """Do nothing, as nothing was opened."""

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except self._polars.exceptions.ColumnNotFoundError as error:
            raise EngineError(f"Polars failed: {first_line(error)}") from error
        except (
            self._polars.exceptions.ComputeError,
            self._polars.exceptions.SchemaError,
            self._polars.exceptions.DuplicateError,
            UnicodeError,
            OSError,
        ) as error:
            raise InputError(f"Polars cannot read the data: {first_line(error)}") from error
        except self._polars.exceptions.PolarsError as error:
            raise EngineError(f"Polars failed: {first_line(error)}") from error
        except BaseException as error:
            if not is_panic(error):
                raise
            raise EngineError(f"Polars failed: {first_line(error)}; choose ", Mention("engine", "duckdb")) from error


def _is_pattern(name: str) -> bool:
    """Return whether Polars takes a name of a column for a pattern of names, also in its SQL."""
    return name == "*" or (name.startswith("^") and name.endswith("$"))


def _refuse_long_times(table: Any, called: str) -> None:
    """Refuse times of day of 24 hours and more, which Polars reads as missing."""
    arrow = require_package("pyarrow", "PyArrow", "all")
    compute = require_package("pyarrow.compute", "PyArrow", "all")
    for field in table.schema:
        if arrow.types.is_time(field.type):
            day = 86_400 * 1000 ** ("s", "ms", "us", "ns").index(field.type.unit)
            number = arrow.int32() if field.type.bit_width == 32 else arrow.int64()
            bounds = compute.min_max(table[field.name].cast(number)).as_py()
            if bounds["min"] is not None and not 0 <= bounds["min"] <= bounds["max"] < day:
                raise InputError(
                    f"{called}: column {field.name!r}: a time of day must be less than 24 hours; make longer "
                    "times texts"
                )


def _count_milliseconds(table: Any) -> Any:
    """Convert seconds of Arrow to milliseconds: Polars has no seconds, and does not check for overflow."""
    arrow = require_package("pyarrow", "PyArrow", "all")
    fields = [_in_milliseconds(field, arrow) for field in table.schema]
    try:
        return table.cast(arrow.schema(fields))
    except arrow.ArrowInvalid as error:
        raise InputError(f"Polars cannot read the data: {first_line(error)}; make it a column of texts") from error


def _in_milliseconds(field: Any, arrow: Any) -> Any:
    if arrow.types.is_timestamp(field.type) and field.type.unit == "s":
        return field.with_type(arrow.timestamp("ms", field.type.tz))
    if arrow.types.is_duration(field.type) and field.type.unit == "s":
        return field.with_type(arrow.duration("ms"))
    return field
