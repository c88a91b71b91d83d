"""Spark: data frames of a session, classic or through Spark Connect, and files.

Only SQL, temporary views and persist are used, which every kind of session supports.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager, suppress
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clustermark import cleanup
from clustermark.engines.adapters.arrow import plain_columns
from clustermark.engines.dialect import Dialect
from clustermark.engines.engine import Relation, first_line, own_name, require_package
from clustermark.engines.files import files_of, is_path
from clustermark.engines.label_types import SEVERAL_TYPES, Kinds, merge_kinds, read_kinds, refuse_unlike
from clustermark.engines.text_checks import common_header
from clustermark.errors import EngineError, InputError, Mention
from clustermark.options import SparkOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from clustermark.engines.files import Files, Reading

_GLOB_MARKS = "\\*?[]{}"
_FINITE = 1.7e308


class Spark:
    """A session: the user's, or one of clustermark that is stopped at the end.

    options: "master" or "remote" and "conf" of a session to be started; "materialise": "memory" stores intermediate
    results by Spark's persist, "parquet" writes them into "folder", which all executors must reach.
    """

    name = "spark"
    dialect = Dialect(
        text="STRING",
        quote="`",
        refused="${",
        escapes=True,
        numbered="row_number() OVER (ORDER BY i)",
        hashed="CAST(conv({}, 16, 10) AS BIGINT)",
        # the offset distinguishes the two hours that a clock shows twice
        shown={"bytes": "hex({})", "moment": "date_format({}, 'yyyy-MM-dd HH:mm:ss.SSSSSSXXX')"},
    )

    def __init__(self, session: Any, options: Mapping[str, Any] | None = None, *, started: bool = False) -> None:
        require_package("pyarrow", "PyArrow, by which Spark returns its columns,", "spark")
        self._session = session
        self._started = started
        self._kept: dict[str, Callable[[], Any]] = {}
        self._views: list[str] = []
        options = _check_options(options)
        self._folder = _folder_of(options)

    @classmethod
    def start(cls, options: Mapping[str, Any] | None) -> Spark:
        """Return the active session, or a new one."""
        options = _check_options(options)
        sql = require_package("pyspark.sql", "Spark", "spark")
        running = sql.SparkSession.getActiveSession()
        builder = sql.SparkSession.builder.appName("clustermark")
        if "remote" in options:
            builder = builder.remote(options["remote"])
        elif "master" in options:
            builder = builder.master(options["master"])
        for key, value in (_defaults(options) | dict(options.get("conf") or {})).items():
            builder = builder.config(key, value)
        try:
            session = builder.getOrCreate()
        except Exception as error:  # Java and its gateway raise various errors
            raise EngineError(f"Spark could not be started: {first_line(error)}") from error
        return cls(session, options, started=running is None)

    def relation(self, source: Any, reading: Reading) -> Relation:
        """Return the rows of files, or of a data frame of this session."""
        if not is_path(source):
            return self._make_view(source, "the DataFrame")
        files = files_of(source, reading)
        with _translate_errors(files.called):
            frames = self._read_parts(files)
            frame = reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), frames)
            found = self._make_view(frame, files.called, nothing_is_empty=files.format == "csv")
            kinds = merge_kinds(found.kinds, Kinds())
            refuse_unlike(kinds, [_kinds_of(frame) for frame in frames])
            for name in self._several_types(files) if files.format == "json" else ():
                kinds.refuse(name, SEVERAL_TYPES)
            return found._replace(kinds=kinds, untyped=files.format in ("csv", "json"))

    def _make_view(self, frame: Any, called: str, *, nothing_is_empty: bool = False) -> Relation:
        name = own_name("frame")
        with _translate_errors(called):
            kinds = _kinds_of(frame)
            frame.createTempView(name)
        self._views.append(name)
        sql = self.dialect.name(name)
        if nothing_is_empty:
            columns = ", ".join(f"NULLIF({column}, '') AS {column}" for column in map(self.dialect.name, kinds))
            sql = f"(SELECT {columns} FROM {sql}) clustermark_files"
        return Relation(sql, kinds, called)

    def _read_parts(self, files: Files) -> list[Any]:
        """Return the files, with the columns that their folders define; a column of the files takes precedence."""
        if files.format == "csv":
            common_header(files)  # of all parts
        functions = require_package("pyspark.sql.functions", "Spark", "spark")
        frames = []
        for part, keys in files.parts():
            frame = self._read(part)
            for key, value in keys.items():
                if key not in frame.columns:
                    frame = frame.withColumn(key, functions.lit(value).cast("string"))
            frames.append(frame)
        return frames

    def _read(self, files: Files) -> Any:
        paths = self._addresses(files)
        reader = self._session.read
        if files.format == "parquet":
            return reader.option("mergeSchema", "true").parquet(*paths)
        if files.format == "arrow":
            raise InputError(f"{files.called}: Spark does not read Arrow files; choose ", Mention("engine", "duckdb"))
        if files.format == "json":
            types = dict(reader.json(paths).dtypes)
            frame = reader.schema(self._texts(types)).json(paths, mode="FAILFAST")
            return frame.selectExpr(*(self._whole(name, kind) for name, kind in types.items()))
        delimiter, names = common_header(files)
        return reader.schema(self._texts(names)).csv(
            paths,
            header=files.reading.header,
            sep=delimiter,
            quote='"',
            escape='"',
            multiLine=True,
            unescapedQuoteHandling="RAISE_ERROR",  # otherwise, text after a closing quote is read
            encoding=files.reading.encoding or "UTF-8",
            mode="FAILFAST",
        )

    def _several_types(self, files: Files) -> list[str]:
        """Return the columns of JSON that are nested, or mix texts with other values, which Spark takes for texts."""
        sql = require_package("pyspark.sql.functions", "Spark", "spark")
        types = require_package("pyspark.sql.types", "Spark", "spark")
        fields = self._session.read.json(self._addresses(files)).schema.fields
        texts = [field.name for field in fields if field.dataType == types.StringType()]
        nested = [field.name for field in fields if field.dataType.typeName() in ("array", "struct", "map")]
        text = types.StringType()
        others = [types.DoubleType(), types.BooleanType(), types.ArrayType(text), types.MapType(text, text)]
        counts = []
        for name in texts:
            for kind in others:
                value = sql.from_json("value", types.StructType([types.StructField(name, kind)])).getField(name)
                if kind == types.DoubleType():  # the texts NaN and Infinity would be read as numbers
                    value = sql.when(sql.abs(value) < _FINITE, value)
                counts.append(sql.count(value))
        if not counts:
            return nested
        found = list(self._session.read.text(self._addresses(files)).agg(*counts).collect()[0])
        n = len(others)
        return nested + [name for place, name in enumerate(texts) if any(found[n * place : n * (place + 1)])]

    def _addresses(self, files: Files) -> list[str]:
        return [path if "://" in path else _local(path) for path in files.paths]

    def _whole(self, name: str, kind: str) -> str:
        """Return a column of JSON; the integer -0 becomes 0, as in other engines."""
        quoted = self.dialect.name(name)
        if kind.partition("(")[0] not in ("bigint", "double", "decimal"):
            return quoted
        return f"CASE {quoted} WHEN '-0' THEN '0' ELSE {quoted} END AS {quoted}"

    def _texts(self, names: Iterable[str]) -> Any:
        types = require_package("pyspark.sql.types", "Spark", "spark")
        return types.StructType([types.StructField(name, types.StringType()) for name in names])

    def register(self, data: Any) -> str:
        """Register a dict of integer arrays as a table; return the quoted name."""
        rows = list(zip(*(column.tolist() for column in data.values()), strict=True))
        with _translate_errors():
            frame = self._session.createDataFrame(rows, ", ".join(f"{column} BIGINT" for column in data))
        return self._make_view(frame, "numbers").sql

    def kinds_of(self, relation: str) -> Kinds:
        """Return the kinds of the columns of a relation, given as an expression for a FROM clause."""
        with _translate_errors():
            return _kinds_of(self._session.sql(f"SELECT * FROM {relation}"))

    def materialise(self, name: str, sql: str) -> None:
        """Persist the result, or write it, under a temporary view."""
        with _translate_errors():
            frame = self._session.sql(sql)
            if self._folder is None:
                frame = frame.persist()
                self._kept[name] = frame.unpersist
            else:
                place = str(Path(self._folder) / name)
                self._kept[name] = lambda: shutil.rmtree(place, ignore_errors=True)
                frame.write.parquet(place)
                frame = self._session.read.parquet(place)
            frame.createTempView(name)
        self._views.append(name)

    def fetch(self, sql: str) -> dict[str, Any]:
        """Return the columns: through Arrow from Spark 4 on, otherwise row by row."""
        with _translate_errors():
            frame = self._session.sql(sql)
            if hasattr(frame, "toArrow"):
                return plain_columns(frame.toArrow())
            rows = frame.collect()
            return {name: [row[i] for row in rows] for i, name in enumerate(frame.columns)}

    def release(self, names: Iterable[str]) -> None:
        """Drop the views, and remove what was persisted or written."""
        for name in names:
            self._forget(name)

    def _forget(self, name: str) -> None:
        if name in self._views:
            self._views.remove(name)
            with suppress(Exception):  # the session has stopped, so there is no view
                self._session.catalog.dropTempView(name)
        with suppress(Exception):
            self._kept.pop(name, lambda: None)()

    def close(self) -> None:
        """Drop the views of sources; stop a session that clustermark started."""
        for name in list(self._views):
            self._forget(name)
        if self._folder is not None:
            cleanup.undo(self._folder)
        if self._started:
            with suppress(Exception):
                self._session.stop()


def _defaults(options: Mapping[str, Any]) -> dict[str, str]:
    """Return settings for a new local session: Spark's default of 200 partitions is slow on few cores."""
    master = str(options.get("master", "local[*]"))
    if "remote" in options or not master.startswith("local["):
        return {}
    cores = master.removeprefix("local[").split(",")[0].rstrip("]")
    parts = 4 * (int(cores) if cores.isdecimal() else os.cpu_count() or 1)
    return {"spark.sql.shuffle.partitions": str(parts), "spark.driver.memory": "4g", "spark.ui.enabled": "false"}


def _check_options(options: Mapping[str, Any] | None) -> Mapping[str, Any]:
    known = SparkOptions.__annotations__
    unknown = set(options or {}) - set(known)
    if unknown:
        raise InputError(f"engine_options: unknown option {min(unknown)!r}; Spark has {', '.join(known)}")
    return options or {}


def _folder_of(options: Mapping[str, Any]) -> str | None:
    chosen = options.get("materialise", "memory")
    if chosen not in ("memory", "parquet"):
        raise InputError(f"engine_options: materialise={chosen!r} must be 'memory' or 'parquet'")
    if chosen == "memory":
        return None
    if not options.get("folder"):
        raise InputError("engine_options: materialise='parquet' needs a folder= that all executors reach")
    try:
        return cleanup.make_folder(options["folder"])
    except OSError as error:
        raise InputError(f"engine_options: folder={options['folder']!r} cannot be written to: {error}") from error


def _local(path: str) -> str:
    """Return the address of a local file, with wildcards escaped."""
    path = str(Path(path).absolute())
    return "file://" + "".join(f"\\{letter}" if letter in _GLOB_MARKS else letter for letter in path)


def _kinds_of(frame: Any) -> Kinds:
    types = [(field.name, field.dataType.simpleString()) for field in frame.schema.fields]
    return read_kinds("spark", types, folds_case=True)


_UNREADABLE = ("MALFORMED", "FAILED_READ_FILE", "PATH_NOT_FOUND", "UNABLE_TO_INFER_SCHEMA", "CANNOT_READ_FILE")


@contextmanager
def _translate_errors(called: str | None = None) -> Iterator[None]:
    try:
        yield
    except (InputError, EngineError, ImportError):
        raise
    except Exception as error:  # classic, Connect, py4j and gRPC have no common class of errors
        text = _reason(error)
        if any(code in str(error) for code in _UNREADABLE):
            raise InputError(f"{called + ': ' if called else ''}Spark cannot read the data: {text}") from error
        raise EngineError(f"Spark failed: {text}") from error


def _reason(error: Exception) -> str:
    if isinstance(error, AttributeError) and "NoneType" in str(error):
        return "the session has been stopped"
    return first_line(error)
