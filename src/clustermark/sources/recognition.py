"""The sources, their types, and the choice of the engine that reads one: by its type, and by options of the caller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from clustermark.engines.adapters.home_made import HomeMade, is_home_made
from clustermark.engines.engine import Workspace
from clustermark.engines.files import is_path
from clustermark.errors import InputError, Mention, alternatives
from clustermark.labels.conversion import ArrowStream
from clustermark.options import ENGINE_NAMES, declared_options
from clustermark.sources.wrapped import CONNECTIONS, class_in, unwrap

if TYPE_CHECKING:
    from collections.abc import Callable

    from clustermark.engines.engine import Host, Relation
    from clustermark.sources.request import Request


class AnyFrame(Protocol):
    """A data frame of pandas, Polars or Spark, a relation of DuckDB: any object with columns."""

    @property
    def columns(self) -> Any:
        """Columns, or their names."""
        ...


class Dataset(Protocol):
    """A dataset or record batch of Arrow, a data frame of DataFusion: any object with a schema."""

    @property
    def schema(self) -> Any:
        """Columns and their types."""
        ...


class Annotated(Protocol):
    """An AnnData: any object with a table of its points."""

    @property
    def obs(self) -> Any:
        """The table."""
        ...


class Connection(Protocol):
    """A connection of DuckDB, psycopg or sqlite3."""

    def cursor(self) -> Any:
        """Return an object that runs a statement."""
        ...


Path: TypeAlias = str | PathLike[str]
Source: TypeAlias = (
    Path
    | Sequence[Path]
    | AnyFrame
    | Dataset
    | Annotated
    | ArrowStream
    | tuple[Connection, str]
    | tuple[Connection, str, str]
)
"""Files, a data frame, or a table or query of a connection."""


_READERS = {
    "files": ("duckdb", "polars", "datafusion", "spark"),
    "data": ("duckdb", "polars", "datafusion"),
    "polars": ("polars", "duckdb", "datafusion"),
    "datafusion": ("datafusion",),
    "duckdb": ("duckdb",),
    "postgres": ("postgres",),
    "sqlite": ("sqlite",),
    "spark": ("spark",),
}
"""The engines that read a kind of source; the first is the default."""

_KINDS = {
    ("pyspark", "DataFrame"): "spark",
    ("polars", "DataFrame"): "polars",
    ("polars", "LazyFrame"): "polars",
    ("datafusion", "DataFrame"): "datafusion",
    ("duckdb", "DuckDBPyRelation"): "duckdb",
    ("_duckdb", "DuckDBPyRelation"): "duckdb",
    ("pandas", "DataFrame"): "data",
    ("pyarrow", "Dataset"): "data",
    ("pyarrow", "RecordBatch"): "data",
    ("dask", "DataFrame"): "data",
    ("ibis", "Table"): "data",
}


def open_workspace(source: object, other: object, request: Request, *, dry: bool = False) -> Workspace:
    """Return a workspace in the engine that reads one source, or two."""
    return open_for([source] if other is None else [source, other], request, request.words.sources, dry=dry)


def open_for(
    sources: Sequence[Any], request: Request, called: Sequence[str] = ("y_true", "y_pred"), *, dry: bool = False
) -> Workspace:
    """Open a workspace in the engine that reads all of the sources; `called` are their names in messages."""
    asked = request.options.get("engine")
    if is_home_made(asked):
        _refuse_settings(request, "the engine")
        engine: Host = HomeMade(asked)
    else:
        known = [unwrap(source) for source in sources]
        engine = _OPENERS[_choose_engine(known, called, asked)](known, request)
    return Workspace(engine, [engine.close], dry=dry)


def relation_of(workspace: Workspace, source: Any, request: Request) -> Relation:
    """Return the rows of a source, in the engine of a workspace that was opened for it."""
    return cast("Host", workspace.engine).relation(unwrap(source), request.reading)


def _choose_engine(sources: Sequence[Any], called: Sequence[str], asked: object) -> str:
    """Return the name of the engine that reads all sources."""
    kinds = [kind_of_source(source, name) for source, name in zip(sources, called, strict=False)]
    if asked is not None:
        known = sorted({name for names in _READERS.values() for name in names})
        if asked not in known:
            raise InputError(Mention("engine", asked), f" is not one of {', '.join(known)}, nor an engine of your own")
        for source, kind in zip(sources, kinds, strict=True):
            if asked not in _READERS[kind]:
                raise InputError(
                    Mention("engine", asked),
                    f" does not read a {_describe(source)}; {' or '.join(_READERS[kind])} does",
                )
        return str(asked)
    common = [name for name in _READERS[kinds[0]] if all(name in _READERS[kind] for kind in kinds)]
    if not common:
        other = next(place for place, kind in enumerate(kinds) if not set(_READERS[kind]) & set(_READERS[kinds[0]]))
        raise InputError(
            f"{called[0]} is a {_describe(sources[0])} and {called[other]} a {_describe(sources[other])}; both must "
            "belong to one engine, or be files or data in memory"
        )
    return "duckdb" if "duckdb" in common and len(set(kinds)) > 1 else common[0]


def share_engine(sources: Sequence[Any], request: Request, called: Sequence[str]) -> bool:
    """Return whether one engine can read all sources, through one connection if they have any."""
    if request.options.get("engine") is not None:
        return True  # `open_for` raises an error for sources that this engine does not read
    known = [unwrap(source) for source in sources]
    kinds = [kind_of_source(source, name) for source, name in zip(known, called, strict=True)]
    # the embedded DuckDB reads tables of several of its connections
    held = set(CONNECTIONS.values()) - {"duckdb"}
    connections = [source[0] for source, kind in zip(known, kinds, strict=True) if kind in held]
    readers = set.intersection(*(set(_READERS[kind]) for kind in kinds))
    return bool(readers) and all(one is connections[0] for one in connections)


def kind_of_source(source: object, name: str) -> str:
    """Return the kind of a source, which is a key of the table of readers."""
    if is_path(source):
        return "files"
    if isinstance(source, tuple) and source:
        found = class_in(source[0], CONNECTIONS)
        if found is None:
            packages = sorted({package for package, _ in CONNECTIONS if not package.startswith("_")})
            raise InputError(
                f"{name} begins with a {type(source[0]).__name__}, which is not a connection of "
                f"{alternatives(packages)}; pass the table, and an engine of your own by ",
                Mention("engine"),
            )
        return found
    if class_in(source, CONNECTIONS):
        raise InputError(f'{name} is a connection; pass it with a table or a query: (connection, "table")')
    found = class_in(source, _KINDS)
    if found is not None:
        return found
    if becomes_arrow(source):
        return "data"
    if isinstance(source, Mapping):
        raise InputError(
            f"{name} is a mapping, which has no columns to join a source by; make a table of it, such as "
            "pandas.DataFrame({'id': labels.keys(), 'label': labels.values()}), or pass mappings on both sides"
        )
    raise InputError(
        f"{name} is a {type(source).__name__}, which has no columns; pass a file, a data frame, Arrow data or "
        '(connection, "table")'
    )


def becomes_arrow(source: object) -> bool:
    """Return whether Arrow data can be made of a table; an object that is an array too is a column of labels."""
    if class_in(source, _KINDS) == "data":
        return True
    hands_out = hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__")
    return hands_out and (hasattr(source, "column_names") or not hasattr(source, "__array__"))


def _describe(source: object) -> str:
    if is_path(source):
        return "file"
    if isinstance(source, tuple):
        return f"table of a {type(source[0]).__module__} connection"
    return f"{type(source).__module__.partition('.')[0]} {type(source).__name__}"


def _duckdb(sources: list[Any], request: Request) -> Host:
    from clustermark.engines.adapters.duckdb import DuckDB, is_relation, share_a_connection

    theirs = [source for source in sources if kind_of_source(source, "") == "duckdb"]
    one_connection = all(share_a_connection(theirs[0], other) for other in theirs[1:])
    connection = next((source[0] for source in theirs if isinstance(source, tuple)), None)
    others = [source for source in sources if not is_path(source) and not is_relation(source)]
    # the connection of a relation is not accessible, and the relation itself runs statements on its rows only
    only_relations = not others and request.pairs is None
    if theirs and one_connection and (connection is not None or only_relations):
        _refuse_settings(request, "a connection of yours")
        return DuckDB(connection, None if connection is not None else theirs[0])
    _refuse_settings(request, ENGINE_NAMES["duckdb"], "duckdb")
    asked = request.options
    return DuckDB.open_embedded(*(asked.get(name) for name in ("memory", "threads", "temporary", "progress")))


def _polars(sources: list[Any], request: Request) -> Host:  # noqa: ARG001
    from clustermark.engines.adapters.polars import Polars

    _refuse_settings(request, "Polars", "polars")
    return Polars()


def _datafusion(sources: list[Any], request: Request) -> Host:  # noqa: ARG001
    from clustermark.engines.adapters.datafusion import DataFusion

    _refuse_settings(request, "DataFusion", "datafusion")
    return DataFusion()


def _spark(sources: list[Any], request: Request) -> Host:
    from clustermark.engines.adapters.spark import Spark

    _refuse_settings(request, "Spark", "spark")
    sessions = [source.sparkSession for source in sources if not is_path(source)]
    if any(session is not sessions[0] for session in sessions):
        raise InputError("the sources belong to two sessions of Spark; read both in one")
    options = request.options.get("engine_options")
    return Spark(sessions[0], options) if sessions else Spark.start(options)


def _database(sources: list[Any], request: Request) -> Host:
    from clustermark.engines.adapters.databases import DATABASES

    database = DATABASES[kind_of_source(sources[0], "")]
    _refuse_settings(request, database.title)
    if any(source[0] is not sources[0][0] for source in sources):
        raise InputError("the sources belong to two connections; read both through one")
    return database(sources[0][0])


_OPENERS: dict[str, Callable[[list[Any], Request], Host]] = {
    "duckdb": _duckdb,
    "polars": _polars,
    "datafusion": _datafusion,
    "spark": _spark,
    "postgres": _database,
    "sqlite": _database,
}


def _refuse_settings(request: Request, called: str, engine: str = "") -> None:
    """Raise an error for options that the chosen engine lacks; `engine` is empty for an engine of the user."""
    for name, value in request.options.items():
        meant_for = declared_options()[name].option.engine
        if meant_for not in ("", engine):
            remedy = ["; leave it out, or choose ", Mention("engine", meant_for)] if engine else ["; set it there"]
            raise InputError(
                Mention(name, value), f" is for {ENGINE_NAMES[meant_for]}, and {called} works here", *remedy
            )
