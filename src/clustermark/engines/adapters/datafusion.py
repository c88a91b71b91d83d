"""DataFusion: its data frames, files, and Arrow data in memory."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clustermark.engines.adapters.arrow import as_table, kinds_of_schema, plain_columns
from clustermark.engines.adapters.requirements import first_line, require_package
from clustermark.engines.dialect import Dialect
from clustermark.engines.engine import Relation, own_name
from clustermark.engines.files import files_of, is_path
from clustermark.engines.headers import common_header
from clustermark.errors import EngineError, InputError, Mention

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from clustermark.engines.engine import Kind
    from clustermark.engines.files import Files, Reading

_MEANT = ("External error", "Arrow error", "Parquet error", "Object Store error", "IO error")


class DataFusion:
    """A context of our own, in which the user's frames are views."""

    name = "datafusion"
    dialect = Dialect()

    def __init__(self) -> None:
        self._datafusion = require_package("datafusion", "DataFusion", "datafusion")
        # it takes a column whose statistics show one value for a constant, and NaN is not in the statistics of Parquet
        config = self._datafusion.SessionConfig({"datafusion.execution.collect_statistics": "false"})
        self._context = self._datafusion.SessionContext(config)

    def relation(self, source: Any, reading: Reading) -> Relation:
        """Files, a data frame, or Arrow data."""
        if is_path(source):
            files = files_of(source, reading)
            with _translate_errors():
                return self._of_files(files)
        name, said = own_name("frame"), f"the {type(source).__name__}"
        with _translate_errors():
            if isinstance(source, self._datafusion.DataFrame):
                self._context.register_view(name, source)
            else:
                self._add(name, source)
        return self._relation(self.dialect.name(name), said)

    def _add(self, name: str, data: Any) -> None:
        self._context.register_view(name, self._context.from_arrow(as_table(data)))

    def _relation(self, sql: str, said: str) -> Relation:
        return Relation(sql, self.kinds_of(sql), said)

    def _of_files(self, files: Files) -> Relation:
        registers: dict[str, Callable[..., str]] = {
            "csv": self._register_csv,
            "json": self._register_json,
            "parquet": self._register_parquet,
            "arrow": self._register_arrow,
        }
        register = registers[files.format]
        header = common_header(files) if files.format == "csv" else None
        parts = {path: self.dialect.name(register(path, files, header)) for path in dict.fromkeys(files.paths)}
        names = list(self.kinds_of(parts[files.paths[0]]))
        selects = [f"SELECT {self._columns(names, path, files)} FROM {parts[path]}" for path in files.paths]
        return self._relation(f"({' UNION ALL '.join(selects)}) clustermark_files", files.said)

    def _columns(self, names: list[str], path: str, files: Files) -> str:
        """The columns of a file, and those that its folders give; an empty field of a text file is missing."""
        quoted = [self.dialect.name(name) for name in names]
        if files.format == "csv":
            quoted = [f"NULLIF({name}, '') AS {name}" for name in quoted]
        added = {key: value for key, value in files.keys[path].items() if key not in names}
        texts = [f"{self.dialect.constant(value)} AS {self.dialect.name(key)}" for key, value in added.items()]
        return ", ".join(quoted + texts)

    def _register_csv(self, path: str, files: Files, header: tuple[str, list[str]] | None) -> str:
        pyarrow = require_package("pyarrow", "PyArrow", "all")
        if (files.reading.encoding or "utf-8").lower() not in ("utf-8", "utf8"):
            raise InputError(f"{files.said}: DataFusion reads UTF-8 only; choose ", Mention("engine", "duckdb"))
        delimiter, names = header or common_header(files)
        name = own_name("file")
        self._context.register_csv(
            name,
            _address(path),
            schema=pyarrow.schema([(column, pyarrow.string()) for column in names]),
            has_header=files.reading.header,
            delimiter=delimiter,
            **_compression(path, "csv"),
        )
        return name

    def _register_json(self, path: str, *_: object) -> str:
        name = own_name("file")
        self._context.register_json(name, _address(path), **_compression(path, "json"))
        return name

    def _register_parquet(self, path: str, *_: object) -> str:
        name = own_name("file")
        self._context.register_parquet(name, _address(path), file_extension=_ending(path))
        return name

    def _register_arrow(self, path: str, *_: object) -> str:
        name = own_name("file")
        dataset = require_package("pyarrow.dataset", "PyArrow", "all")
        self._context.register_dataset(name, dataset.dataset([path], format="ipc"))
        return name

    def register(self, data: Any) -> str:
        """Make a dict of arrays known; returns the quoted name."""
        name = own_name("data")
        with _translate_errors():
            self._add(name, data)
        return self.dialect.name(name)

    def kinds_of(self, relation: str) -> dict[str, Kind]:
        """The kinds of the columns of a relation, given as an expression for a FROM clause."""
        with _translate_errors():
            return kinds_of_schema(self._context.sql(f"SELECT * FROM {relation}").schema())

    def materialise(self, name: str, sql: str) -> None:
        """Keep the result in memory."""
        with _translate_errors():
            self._context.register_view(name, self._context.sql(sql).cache())

    def fetch(self, sql: str) -> dict[str, Any]:
        """The columns, through Arrow."""
        with _translate_errors():
            return plain_columns(self._context.sql(sql).to_arrow_table())

    def release(self, names: Iterable[str]) -> None:
        """Forget the tables; what is gone already is no error to DataFusion."""
        for name in names:
            self._context.deregister_table(name)

    def close(self) -> None:
        """Nothing was opened."""


def _address(path: str) -> str:
    """Of a plain path, DataFusion takes some characters for a pattern."""
    return path if "://" in path else Path(path).absolute().as_uri()


def _ending(path: str) -> str:
    return path[path.rfind(".") :] if "." in path.rsplit("/", 1)[-1] else ""


def _compression(path: str, format_name: str) -> dict[str, str]:
    kinds = {".gz": "gzip", ".zst": "zstd", ".zstd": "zstd"}
    ending = _ending(path)
    if ending in kinds:
        plain = _ending(path.removesuffix(ending)) or f".{format_name}"
        return {"file_compression_type": kinds[ending], "file_extension": plain + ending}
    return {"file_extension": ending}


@contextmanager
def _translate_errors() -> Iterator[None]:
    try:
        yield
    except (InputError, EngineError, ImportError):
        raise
    except Exception as error:  # it raises plain Exception and ValueError
        text = first_line(error).removeprefix("DataFusion error: ")
        if any(text.startswith(meant) for meant in _MEANT):
            raise InputError(f"DataFusion cannot read the data: {text}") from error
        raise EngineError(f"DataFusion failed: {text}") from error
