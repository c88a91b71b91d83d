"""Files by name as relations of DuckDB: CSV, TSV, JSON Lines, Parquet, Arrow; plain or compressed, one or many.

Folders and patterns stand for the files they contain, and folder names such as `year=2024` define columns. Labels and
ids of text files are texts: 1, 1.0 and 007 are different.
"""

from __future__ import annotations

import glob
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from urllib.parse import unquote

from clustermark.engines.engine import OURS, Relation, own_name
from clustermark.engines.label_types import SEVERAL_TYPES, Kinds, merge_kinds, read_kinds, refuse_unlike, unsupported
from clustermark.engines.spooled import in_home
from clustermark.engines.text_checks import LONGEST_LINE, check_lines_of, common_header, damaged, is_whole
from clustermark.errors import InputError, Mention
from clustermark.options import ReadingOptions, declared_options
from clustermark.results.frames import optional

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from clustermark.engines.adapters.duckdb import DuckDB


Keys: TypeAlias = "Mapping[str, str | None]"
"""Columns that folder names define, and the value of each."""

_NOTHING = "__HIVE_DEFAULT_PARTITION__"
"""The value that denotes a missing value in a folder name."""


def find_files(path: str) -> dict[str, Keys]:
    """Return the files of a name: the file itself, all files below a folder, or those that match a pattern."""
    if Path(path).is_file():
        return {path: {}}
    if Path(path).is_dir():
        return {file: _keys_of(file, path) for file in _files_in(path)}
    matching = glob.glob(path, recursive=True)  # noqa: PTH207  # Path.glob takes no absolute patterns
    found = [file for file in sorted(matching) if Path(file).is_file()]
    if not found:
        pattern = glob.has_magic(path)
        raise InputError(f"{path}: no file matches this pattern" if pattern else f"{path}: there is no such file")
    return {file: _keys_of(file, _fixed_part(path)) for file in found}


def _files_in(folder: str) -> list[str]:
    """List all files except those that begin with a dot or an underscore, which engines leave beside their data."""

    def complain(error: OSError) -> None:
        raise InputError(f"{error.filename}: reading this folder is not permitted; check its permissions") from error

    found = []
    for place, folders, files in os.walk(folder, onerror=complain, followlinks=True):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        _refuse_circles(place, folders)
        found += [str(Path(place) / name) for name in sorted(files) if not name.startswith((".", "_"))]
    if not found:
        raise InputError(f"{folder}: the folder holds no files")
    return found


def _refuse_circles(place: str, folders: list[str]) -> None:
    """Raise an error for a link to a folder that contains it, whose files would be read again and again."""
    for folder in (Path(place) / name for name in folders):
        if folder.is_symlink() and Path(os.path.realpath(place)).is_relative_to(os.path.realpath(folder)):
            raise InputError(f"{folder}: this link leads to a folder that contains it; remove it")


def _fixed_part(pattern: str) -> str:
    """Return the leading folders of a pattern that contain no wildcard."""
    fixed = []
    for part in Path(pattern).parts:
        if glob.has_magic(part):
            break
        fixed.append(part)
    return str(Path(*fixed))


def _keys_of(file: str, folder: str) -> dict[str, str | None]:
    """Return the columns that the folders between a folder and a file define."""
    named = [part.partition("=") for part in Path(file).relative_to(folder).parts[:-1] if "=" in part]
    return {unquote(key): None if value == _NOTHING else unquote(value) for key, _, value in named if key}


def check_alike(called: str, files: Mapping[str, Keys]) -> None:
    """Raise an error if the folders of files define different columns."""
    first, *others = files.items()
    for path, keys in others:
        if list(keys) != list(first[1]):
            ours, theirs = (", ".join(columns) or "none" for columns in (keys, first[1]))
            raise InputError(
                f"{called}: the folders of its files must give the same columns; those of {path} give {ours}, and "
                f"those of {first[0]} {theirs}"
            )


_COMPRESSED = (".gz", ".zst", ".zstd")
_FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".txt": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}


class Reading(NamedTuple):
    """Options for reading a file whose name does not determine them; they are documented in `ReadingOptions`."""

    format: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    header: bool = True

    @classmethod
    def of(cls, options: Mapping[str, Any] | None) -> Reading:
        """Check the options of a caller."""
        unknown = set(options or {}) - set(cls._fields)
        if unknown:
            raise InputError(f"reading: unknown option {min(unknown)!r}; there are {', '.join(cls._fields)}")
        reading = cls(**(options or {}))
        formats = declared_options(ReadingOptions)["format"].choices
        if reading.format not in (None, "json", *formats):
            raise InputError(Mention("reading", {"format": reading.format}), f" is not one of {', '.join(formats)}")
        if str(reading.encoding).lower().replace("_", "-") == "utf-8-sig":  # Python's name for UTF-8 with a mark
            reading = reading._replace(encoding="utf-8")
        return reading._replace(format="json") if reading.format == "jsonl" else reading


def is_path(source: object) -> bool:
    """Return whether a source is the name of a file, folder or pattern, or a list of such names."""
    if isinstance(source, list | tuple):
        return bool(source) and all(isinstance(one, str | os.PathLike) for one in source)
    return isinstance(source, str | os.PathLike)


class Files(NamedTuple):
    """Files of one format."""

    paths: list[str]
    called: str
    """Their name in messages."""
    format: str
    reading: Reading
    keys: Mapping[str, Keys]
    """By path: the columns that the names of its folders define."""

    def parts(self) -> list[tuple[Files, Keys]]:
        """Return the files grouped by the columns of their folders."""
        by_keys: dict[tuple[tuple[str, str | None], ...], list[str]] = {}
        for path in self.paths:
            by_keys.setdefault(tuple(self.keys[path].items()), []).append(path)
        return [(self._replace(paths=paths), dict(keys)) for keys, paths in by_keys.items()]


def files_of(source: Any, reading: Reading) -> Files:
    """Return one file, all files of a folder or a pattern, or those of a list of these."""
    given = [source] if isinstance(source, str | os.PathLike) else list(source)
    matching = [_matching(os.fspath(one)) for one in given]
    paths = [path for files in matching for path in files]
    keys = {path: keys for files in matching for path, keys in files.items()}
    called = str(source) if isinstance(source, str | os.PathLike) else f"{paths[0]} and {len(paths) - 1} more"
    formats = {reading.format or _format_of(path, called): path for path in paths}
    if len(formats) > 1:
        unlike = " and ".join(sorted(formats.values())[:2])
        raise InputError(
            f"{called}: the files have different formats ({', '.join(sorted(formats))}), such as {unlike}; read one "
            "kind, by a pattern such as 'folder/**/*.csv'"
        )
    check_alike(called, keys)
    chosen = next(iter(formats))
    if chosen == "tsv":
        chosen, reading = "csv", reading._replace(delimiter=reading.delimiter or "\t")
    return Files(paths, called, chosen, reading, keys)


def read_files(engine: DuckDB, source: Any, reading: Reading) -> Relation:
    """Return the rows of files."""
    files = files_of(source, reading)
    reader = {"csv": _read_csv, "json": _read_json, "parquet": _read_parquet, "arrow": _read_arrow}[files.format]
    whole = reader(engine, files)
    if not any(files.keys.values()):
        return whole
    return _unite(engine, whole, [(reader(engine, part), keys) for part, keys in files.parts()])


def _unite(engine: DuckDB, whole: Relation, parts: list[tuple[Relation, Keys]]) -> Relation:
    """Return the rows of all parts, with the columns of their folders; a column of the files takes precedence."""
    dialect, selects, known = engine.dialect, [], []
    kinds = merge_kinds(whole.kinds, Kinds())
    for relation, keys in parts:
        added = {key: value for key, value in keys.items() if key not in relation.kinds}
        texts = [f", {dialect.constant(value)} AS {dialect.name(key)}" for key, value in added.items()]
        selects.append(f"SELECT *{''.join(texts)} FROM {relation.sql}")
        known.append(merge_kinds(relation.kinds, read_kinds(engine.name, [(key, "VARCHAR") for key in added])))
        engine.refuse_repeated(kinds, list(known[-1]))
        kinds = merge_kinds(known[-1], kinds)
    refuse_unlike(kinds, known)
    return whole._replace(sql=f"({' UNION ALL BY NAME '.join(selects)}) clustermark_files", kinds=kinds)


def _matching(path: str) -> dict[str, Keys]:
    """Return the files of a name, with the columns of their folders; remote addresses are kept unchanged."""
    if "://" in path:
        return {path: {}}
    found = find_files(str(in_home(path)))
    for file in found:
        _refuse_unreadable(file)
    return found


def _refuse_unreadable(path: str) -> None:
    if not os.access(path, os.R_OK, effective_ids=os.access in os.supports_effective_ids):
        raise InputError(f"{path}: reading it is not permitted; check its permissions")
    if not Path(path).stat().st_size:
        raise InputError(f"{path}: the file is empty; it needs a header line and rows")
    if path.lower().endswith((".zst", ".zstd")) and not is_whole(Path(path)):
        raise damaged(path)


def _format_of(path: str, called: str) -> str:
    name = path.lower()
    for ending in _COMPRESSED:
        name = name.removesuffix(ending)
    ending = Path(name).suffix
    if ending not in _FORMATS:
        raise InputError(
            f"{path}: the name does not show its format; name it by ",
            Mention("reading", {"format": "csv"}),
            f", use {', '.join(_FORMATS)}" + ("" if path == called else f", or a pattern such as '{called}/**/*.csv'"),
        )
    return _FORMATS[ending]


def _list_paths(engine: DuckDB, paths: Iterable[str]) -> str:
    return "[" + ", ".join(engine.dialect.literal(_literally(path)) for path in paths) + "]"


def _literally(path: str) -> str:
    """Escape the name of an existing file: DuckDB would take a [, * or ? for a pattern and read other files."""
    return path if "://" in path else glob.escape(path)


def _read_csv(engine: DuckDB, files: Files) -> Relation:
    reading = files.reading
    delimiter, names = common_header(files, engine)
    kinds = read_kinds(engine.name, [(name, "VARCHAR") for name in names], folds_case=True)
    unique = [f"{OURS}{place}" if name in kinds.refused else name for place, name in enumerate(names)]
    columns = ", ".join(f"{engine.dialect.literal(name)}: 'VARCHAR'" for name in unique)
    quoted = engine.dialect.literal
    checked = [_has_checked_lines(path, reading) for path in files.paths]
    options = [
        f"columns={{{columns}}}",
        "auto_detect=false",
        "hive_partitioning=false",
        f"max_line_size={LONGEST_LINE}",
        f"header={'true' if reading.header else 'false'}",
        f"delim={quoted(delimiter)}",
        "quote='\"'",
        "escape='\"'",
        f"nullstr={quoted(own_name('null'))}",  # the default would drop surplus fields that are empty
        *_encoding_option(engine, reading),
        # DuckDB reads in parallel, and then it omits a line at the end that is too long
        *([] if all(checked) else ["parallel=false"]),
    ]
    fields = ", ".join(f"NULLIF({name}, '') AS {name}" for name in map(engine.dialect.name, unique))
    sql = f"(SELECT {fields} FROM read_csv({_list_paths(engine, files.paths)}, {', '.join(options)})) clustermark_csv"
    return Relation(sql, kinds, files.called, "row_number() OVER ()", untyped=True)


def _has_checked_lines(path: str, reading: Reading) -> bool:
    """Refuse a line that is too long; return False where the ends of lines are no bytes of the file."""
    if "://" in path or path.lower().endswith(_COMPRESSED) or (reading.encoding or "utf-8").lower() not in _ONE_BYTE:
        return False
    check_lines_of(path)
    return True


_ONE_BYTE = ("utf-8", "utf8", "latin-1", "latin1")
"""Encodings that write the end of a line, and nothing else, as one byte."""


def _encoding_option(engine: DuckDB, reading: Reading) -> list[str]:
    return [f"encoding={engine.dialect.literal(reading.encoding)}"] if reading.encoding else []


_ALL_OF_JSON = f"sample_size=-1, maximum_sample_files={2**31 - 1}"
"""Options that make DuckDB infer the types of columns from all rows of all files."""


def _read_json(engine: DuckDB, files: Files) -> Relation:
    """Read numbers, truth values and texts as they are written; refuse a column that mixes these."""
    listed = _list_paths(engine, files.paths)
    kinds = engine.kinds_of(f"read_json({listed}, {_ALL_OF_JSON}, hive_partitioning=false)")
    columns = ", ".join(f"{engine.dialect.literal(name)}: 'VARCHAR'" for name in kinds)
    sql = f"read_json({listed}, columns={{{columns}}}, hive_partitioning=false)"
    if rounded := [name for name in kinds if kinds.types[name] == "DOUBLE"]:
        sql = _read_as_written(engine, listed, list(kinds), rounded)
    for name in kinds:
        kinds[name] = "text"
        if name in kinds.refused:
            kinds.refuse(name, SEVERAL_TYPES)
    return Relation(sql, kinds, files.called, "row_number() OVER ()", untyped=True)


_STRINGS = r'(?:[^"0-9-]|-[^0-9"]|"(?:[^"\\]|\\.)*")*'
_NUMBER = r"-?[0-9][-+.0-9eE]*"
_QUOTED = r'\1"\2"'


def _read_as_written(engine: DuckDB, listed: str, names: list[str], rounded: list[str]) -> str:
    """Return JSON whose numbers with a fraction are quoted; DuckDB would round them and read 1.10 as 1.1.

    The text between two numbers consists of complete strings and no digits, so that no number within a string matches.
    Columns without such numbers are read from the unchanged text, which is faster.
    """
    quote, name = engine.dialect.literal, engine.dialect.name
    # the match at the end, without a number, leaves quotes that are trimmed
    quoted = f"rtrim(regexp_replace(json, {quote(f'({_STRINGS})({_NUMBER}|$)')}, {quote(_QUOTED)}, 'gs'), '\"')"
    fail = f"error({quote('JSON: an object has a key twice: ')} || json)"  # as read_json does
    twice = "len(json_keys(json)) > len(list_distinct(json_keys(json)))"
    objects = f"read_json_objects({listed}, hive_partitioning=false)"
    lines = f"SELECT CASE WHEN {twice} THEN {fail} ELSE json END AS json FROM {objects}"
    # the integer -0 becomes 0, as DuckDB writes it in a column of integers
    zero = "CASE written.{0} WHEN '-0' THEN '0' ELSE written.{0} END AS {0}"
    chosen = ", ".join(zero.format(name(one)) if one in rounded else f"plain.{name(one)}" for one in names)
    structs = {
        "plain": _json_struct(engine, "json", [one for one in names if one not in rounded]),
        "written": _json_struct(engine, quoted, rounded),
    }
    parsed = ", ".join(f"{struct} AS {alias}" for alias, struct in structs.items() if struct)
    return f"(SELECT {chosen} FROM (SELECT {parsed} FROM ({lines}))) clustermark_json"


def _json_struct(engine: DuckDB, text: str, names: list[str]) -> str:
    structure = engine.dialect.literal(json.dumps(dict.fromkeys(names, "VARCHAR"), ensure_ascii=False))
    return f"from_json({text}, {structure})" if names else ""


def _read_parquet(engine: DuckDB, files: Files) -> Relation:
    # otherwise, files with another order of columns would be read by position
    united = ", union_by_name=true" if len(files.paths) > 1 else ""
    listed = _list_paths(engine, files.paths)
    sql = f"read_parquet({listed}, hive_partitioning=false{united})"
    kinds = engine.kinds_of(sql)
    if united:
        each = (f"read_parquet({_list_paths(engine, [path])}, hive_partitioning=false)" for path in files.paths)
        refuse_unlike(kinds, [engine.kinds_of(one) for one in each])
    parts = engine.fetch(f"SELECT file_name, name, num_children, type FROM parquet_schema({listed})")
    for columns in _columns_of_parquet(*(list(column) for column in parts.values())):
        engine.refuse_repeated(kinds, [name for name, _ in columns])
        for name, stored in columns:
            if kinds.types.get(name) == "DOUBLE" and str(stored).endswith("BYTE_ARRAY"):
                kinds.refuse(name, unsupported("decimal of more than 38 digits", engine.name))
    return Relation(sql, kinds, files.called, "row_number() OVER ()", counted=True)


def _columns_of_parquet(
    files: list[str], names: list[str], children: list[int | None], types: list[str | None]
) -> Iterator[list[tuple[str, str | None]]]:
    """Yield name and type of the columns of each file, from its schema tree, where each node precedes its children."""
    place = 0
    while place < len(names):
        file, left, place = files[place], int(children[place] or 0), place + 1
        columns = []
        while left and place < len(names) and files[place] == file:
            columns.append((names[place], types[place]))
            below = int(children[place] or 0)
            place += 1
            while below:
                below += int(children[place] or 0) - 1
                place += 1
            left -= 1
        yield columns


def _read_arrow(engine: DuckDB, files: Files) -> Relation:
    return engine.relation_of(open_arrow(files.paths, files.called), files.called)


def open_arrow(paths: Sequence[str], called: str) -> Any:
    """Return a dataset of Arrow files that passed validation: engines trust them, and read beyond a damaged one."""
    dataset = optional("pyarrow.dataset", "reading Arrow files")
    try:
        data = dataset.dataset(list(paths), format="ipc")
        for batch in data.to_batches():
            batch.validate(full=True)
    except (OSError, ValueError) as error:
        raise InputError(f"{called}: cannot be read as an Arrow file, or is damaged: {error}") from error
    return data
