"""DataFusion: its data frames, files, and Arrow data in memory."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clustermark.engines.adapters.arrow import as_table, hold_back, kinds_of_schema, plain_columns
from clustermark.engines.dialect import Dialect
from clustermark.engines.engine import Relation, first_line, is_panic, own_name, require_package
from clustermark.engines.files import files_of, is_path, open_arrow
from clustermark.engines.label_types import Kinds, merge_kinds, refuse_repeated, refuse_unlike
from clustermark.engines.text_files import read_csv, read_json_lines
from clustermark.errors import EngineError, InputError
from clustermark.interruption import attend

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clustermark.engines.files import Files, Keys, Reading

_PATIENCE = 0.3
"""Seconds that Ctrl-C waits for a statement to stop; DataFusion itself checks for Ctrl-C once a second."""
_MEANT = ("External error", "Arrow error", "Parquet error", "ParquetError", "Object Store error", "IO error")


class DataFusion:
    """A context of clustermark, in which the user's frames are views."""

    name = "datafusion"
    dialect = Dialect(unsigned="BIGINT UNSIGNED", shown={"bytes": "encode({}, 'hex')"})

    def __init__(self) -> None:
        self._datafusion = require_package("datafusion", "DataFusion", "datafusion")
        # it takes a column for constant if its statistics show one value, and statistics of Parquet do not count NaN
        config = self._datafusion.SessionConfig({"datafusion.execution.collect_statistics": "false"})
        self._context = self._datafusion.SessionContext(config)

    def relation(self, source: Any, reading: Reading) -> Relation:
        """Return the rows of files, of a data frame, or of Arrow data."""
        if is_path(source):
            files = files_of(source, reading)
            with _translate_errors():
                return self._of_files(files)
        name, called = own_name("frame"), f"the {type(source).__name__}"
        if isinstance(source, self._datafusion.DataFrame):
            with _translate_errors():
                self._context.register_view(name, source)
            return self._relation(self.dialect.name(name), called)
        data, held = hold_back(source, self.name)
        with _translate_errors():
            self._add(name, data)
        found = self._relation(self.dialect.name(name), called)
        return found._replace(kinds=merge_kinds(found.kinds, held))

    def _add(self, name: str, data: Any) -> None:
        self._context.register_view(name, self._context.from_arrow(as_table(data)))

    def _relation(self, sql: str, called: str) -> Relation:
        return Relation(sql, self.kinds_of(sql), called)

    def _of_files(self, files: Files) -> Relation:
        if files.format == "json":
            texts, kinds = read_json_lines(files)
            arrow = require_package("pyarrow", "PyArrow", "all")
            table = arrow.table({name: arrow.array(column, arrow.string()) for name, column in texts.items()})
            return Relation(self.register(table), kinds, files.called, untyped=True)
        if files.format == "csv":
            found = self._relation(self.register(read_csv(files, "DataFusion")), files.called)
            return found._replace(untyped=True)
        register = self._register_parquet if files.format == "parquet" else self._register_arrow
        parts = {path: self.dialect.name(register(path)) for path in dict.fromkeys(files.paths)}
        known = {path: self.kinds_of(part) for path, part in parts.items()}
        names = list(known[files.paths[0]])
        selects = [f"SELECT {self._columns(names, files.keys[path])} FROM {parts[path]}" for path in files.paths]
        found = self._relation(f"({' UNION ALL '.join(selects)}) clustermark_files", files.called)
        kinds = merge_kinds(found.kinds, Kinds())
        refuse_unlike(kinds, list(known.values()))
        if files.format == "parquet":
            _refuse_repeated(kinds, parts)
        return found._replace(kinds=kinds)

    def _columns(self, names: list[str], keys: Keys) -> str:
        """Return the columns of a file, and those that its folders define."""
        added = {key: value for key, value in keys.items() if key not in names}
        texts = [f"{self.dialect.constant(value)} AS {self.dialect.name(key)}" for key, value in added.items()]
        return ", ".join([*map(self.dialect.name, names), *texts])

    def _register_parquet(self, path: str) -> str:
        name = own_name("file")
        self._context.register_parquet(name, _address(path), file_extension=_ending(path))
        return name

    def _register_arrow(self, path: str) -> str:
        name = own_name("file")
        self._context.register_dataset(name, open_arrow([path], path))
        return name

    def register(self, data: Any) -> str:
        """Register a dict of arrays as a table; return the quoted name."""
        name = own_name("data")
        with _translate_errors():
            self._add(name, data)
        return self.dialect.name(name)

    def kinds_of(self, relation: str) -> Kinds:
        """Return the kinds of the columns of a relation, given as an expression for a FROM clause."""
        with _translate_errors():
            return kinds_of_schema(self._context.sql(f"SELECT * FROM {relation}").schema(), self.name)

    def materialise(self, name: str, sql: str) -> None:
        """Store the result in memory."""
        with _translate_errors():
            self._context.register_view(name, attend(self._context.sql(sql).cache, patience=_PATIENCE))

    def fetch(self, sql: str) -> dict[str, Any]:
        """Return the columns, through Arrow."""
        with _translate_errors():
            return plain_columns(attend(self._context.sql(sql).to_arrow_table, patience=_PATIENCE))

    def release(self, names: Iterable[str]) -> None:
        """Remove the tables; DataFusion ignores those that no longer exist."""
        for name in names:
            self._context.deregister_table(name)

    def close(self) -> None:
        """Do nothing, as nothing was opened."""


def _address(path: str) -> str:
    """Return a path as an address: in a plain path, DataFusion takes some characters for a pattern."""
    return path if "://" in path else Path(path).absolute().as_uri()


def _ending(path: str) -> str:
    return path[path.rfind(".") :] if "." in path.rsplit("/", 1)[-1] else ""


def _refuse_repeated(kinds: Kinds, paths: Iterable[str]) -> None:
    """Refuse columns with the same name in a Parquet file, of which DataFusion reads the first only."""
    parquet = require_package("pyarrow.parquet", "PyArrow", "all")
    for path in paths:
        if "://" not in path:
            refuse_repeated(kinds, parquet.read_schema(path).names)


@contextmanager
def _translate_errors() -> Iterator[None]:
    try:
        yield
    except (InputError, EngineError, ImportError):
        raise
    except BaseException as error:  # it raises plain Exception and ValueError
        if not isinstance(error, Exception) and not is_panic(error):
            raise
        text = first_line(error).removeprefix("DataFusion error: ")
        if any(text.startswith(meant) for meant in _MEANT):
            raise InputError(f"DataFusion cannot read the data: {text}") from error
        raise EngineError(f"DataFusion failed: {text}") from error
