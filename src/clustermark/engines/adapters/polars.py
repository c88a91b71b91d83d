"""Polars: frames in memory, lazy frames and files, queried through its SQL."""

from __future__ import annotations

import gzip
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clustermark.engines.adapters.arrow import as_table
from clustermark.engines.adapters.handover import hold_back
from clustermark.engines.adapters.requirements import first_line, require_package
from clustermark.engines.dialect import Dialect
from clustermark.engines.engine import Relation, own_name
from clustermark.engines.files import common_header, files_of, is_path
from clustermark.engines.json_lines import read_json_lines
from clustermark.engines.label_types import merge_kinds, read_kinds
from clustermark.errors import EngineError, InputError, Mention

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clustermark.engines.engine import Kind
    from clustermark.engines.files import Files, Reading
    from clustermark.engines.label_types import Kinds


_BLOCK = 2**24


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
                return self._of_files(files)
        said = f"the {type(source).__name__}"
        if isinstance(source, self._polars.DataFrame | self._polars.LazyFrame):
            return self._register_frame(source.lazy(), said)
        data, held = hold_back(source, self.name)
        with self._translate_errors():
            found = self._register_frame(self._polars.from_arrow(as_table(data)).lazy(), said)
        return found._replace(kinds=merge_kinds(found.kinds, held))

    def _of_files(self, files: Files) -> Relation:
        if files.format == "parquet":
            return self._register_frame(self._polars.scan_parquet(files.paths, glob=False), files.said)
        if files.format == "arrow":
            return self._register_frame(self._polars.scan_ipc(files.paths, glob=False), files.said)
        if files.format == "json":
            columns, kinds = read_json_lines(files)
            lazy = self._polars.LazyFrame(columns, schema=dict.fromkeys(columns, self._polars.String))
            return self._register_frame(lazy, files.said)._replace(kinds=kinds, untyped=True)
        lazy = self._polars.from_arrow(_read_csv(files)).lazy()
        return self._register_frame(lazy, files.said)._replace(untyped=True)

    def _register_frame(self, lazy: Any, said: str) -> Relation:
        with self._translate_errors():
            schema = lazy.collect_schema()
            kinds = read_kinds(self.name, [(name, str(kind)) for name, kind in schema.items()])
            lazy = lazy.with_columns(*(self._plain(name, kind, kinds[name]) for name, kind in schema.items()))
            name = own_name("frame")
            self._context.register(name, lazy)
        return Relation(self.dialect.name(name), kinds, said)

    def _plain(self, name: str, dtype: Any, kind: Kind) -> Any:
        """A column as the SQL of Polars can do it justice: NaN is null, and what a cast would cut is a text."""
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
        """Make a dict of arrays known; returns the quoted name."""
        name = own_name("data")
        self._context.register(name, self._polars.DataFrame(data))
        return self.dialect.name(name)

    def kinds_of(self, relation: str) -> Kinds:
        """The kinds of the columns of a relation, given as an expression for a FROM clause."""
        with self._translate_errors():
            schema = self._context.execute(f"SELECT * FROM {relation}").collect_schema()
        return read_kinds(self.name, [(name, str(kind)) for name, kind in schema.items()])

    def _collect(self, sql: str) -> Any:
        with self._translate_errors():
            return self._context.execute(sql, eager=False).collect(engine="streaming")

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
            ValueError,  # of PyArrow, and of texts that are not UTF-8
            OSError,
        ) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"Polars cannot read the data: {first_line(error)}") from error
        except self._polars.exceptions.PolarsError as error:
            raise EngineError(f"Polars failed: {first_line(error)}") from error


def _read_csv(files: Files) -> Any:
    """The fields of CSV files as texts, by PyArrow: the reader of Polars takes rows that lack fields."""
    csv, arrow = (require_package(name, "PyArrow", "all") for name in ("pyarrow.csv", "pyarrow"))
    delimiter, names = common_header(files)
    _refuse_encoding(files)
    tables = [
        csv.read_csv(
            path,
            csv.ReadOptions(column_names=names, skip_rows=int(files.reading.header), block_size=_BLOCK),
            csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            csv.ConvertOptions(
                column_types=dict.fromkeys(names, arrow.string()), strings_can_be_null=True, null_values=[""]
            ),
        )
        for path in files.paths
    ]
    for path, table in zip(files.paths, tables, strict=True):
        last = table.column(-1)[-1].as_py() if len(table) else None
        if last and "\n" in last and _count_quotes(path) % 2:  # it holds the rest of the file
            raise InputError(f"{path}: not a regular CSV file: a quoted field does not end")
    return arrow.concat_tables(tables)


def _count_quotes(path: str) -> int:
    with gzip.open(path) if path.endswith(".gz") else Path(path).open("rb") as file:
        return sum(block.count(b'"') for block in iter(lambda: file.read(_BLOCK), b""))


def _refuse_encoding(files: Files) -> None:
    if (files.reading.encoding or "utf-8").lower() not in ("utf-8", "utf8"):
        raise InputError(f"{files.said}: Polars reads UTF-8 only; choose ", Mention("engine", "duckdb"))
