"""From the files and columns that were named, or can only be meant, to an evaluation."""

from __future__ import annotations

import shutil
import sys
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from clustermark.errors import EngineError, InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from clustermark.breakdown.points import GivenLabels
    from clustermark.contingency import Contingency
    from clustermark.engines.duckdb_engine import DuckDB
    from clustermark.engines.engine import Relation
    from clustermark.evaluation import Evaluation
    from clustermark.registry import Index

STANDARD_INPUT = "standard input"
_ENDINGS_BY_BEGINNING = {b"\x1f\x8b": ".gz", b"\x28\xb5\x2f\xfd": ".zst"}
_FORMATS_BY_BEGINNING = {b"PAR1": "parquet", b"ARROW1": "arrow", b"{": "jsonl"}
_MEANINGS = {"true": "the truth", "pred": "the prediction", "on": "the id"}


class Sources(NamedTuple):
    """The files to compare, and how to read them."""

    paths: tuple[str, ...]
    reading: dict[str, Any]
    spooled: str | None
    """Where standard input was written to, if it is one of them."""

    def retold(self, text: str) -> str:
        """A text with the name of the temporary file replaced."""
        return text.replace(self.spooled, STANDARD_INPUT) if self.spooled else text


def evaluated(
    files: Sequence[str],
    indices: Sequence[Index[...]] | str | None,
    *,
    quiet: bool,
    with_labels: bool = False,
    **options: Any,
) -> Evaluation:
    """The evaluation that the options of the command line ask for.

    with_labels: keep the labels of all points in memory, which `points` needs.
    """
    from clustermark.evaluation import Evaluation, evaluate_table

    reading = {name: options.pop(name) for name in ("input_format", "delimiter", "encoding", "no_header")}
    noise = options.pop("noise")
    options |= {side: noise | options[side] for side in ("noise_true", "noise_pred")}
    sources = _opened(files, **reading)
    try:
        with _progress(f"reading {sources.retold(' and '.join(sources.paths))}", quiet):
            table = _tabulated(sources, options)
        if not quiet:
            _tell_guesses(table.settings)
        with _progress("scoring", quiet):
            if with_labels:
                return Evaluation(table, [], {}, given=_labels(sources, table.settings, options))
            return evaluate_table(table, indices)
    except (InputError, EngineError) as error:
        raise type(error)(sources.retold(str(error))) from error


def _tabulated(sources: Sources, options: dict[str, Any]) -> Contingency:
    """The table; `crosstab` would take two files whose columns are to be guessed for labels."""
    from clustermark.engines.sources import request_of, tabulate_sources

    request = request_of(**options, reading=sources.reading)
    table = tabulate_sources(sources.paths[0], sources.paths[1] if len(sources.paths) == 2 else None, request)
    settings = {
        name: sources.retold(value) if isinstance(value, str) else value for name, value in table.settings.items()
    }
    return table.made_by(settings, [sources.retold(table.sql)])


def _labels(sources: Sources, settings: dict[str, Any], options: dict[str, Any]) -> GivenLabels:
    """The labels of all points: in the order of their rows, or by their ids."""
    from clustermark.breakdown.points import GivenLabels
    from clustermark.engines.duckdb_engine import DuckDB
    from clustermark.engines.files import Reading, read_files

    if options["pairs"]:
        raise InputError("--points needs the labels of every point; a list of pairs has none, so close it beforehand")
    engine = DuckDB.embedded(options["memory"], options["threads"], options["temporary"])
    try:
        relations = [read_files(engine, path, Reading.of(sources.reading)) for path in sources.paths]
        as_text = len({relation.kinds[settings["on"]] for relation in relations}) > 1 if "on" in settings else False
        sides = [("true", "pred")] if len(relations) == 1 else [("true",), ("pred",)]
        columns: dict[str, Any] = {}
        for relation, wanted in zip(relations, sides, strict=True):
            columns |= _columns(engine, relation, wanted, settings, as_text)
    finally:
        engine.close()
    return GivenLabels(columns["true"], columns["pred"], columns.get("counts"), columns.get("weights"))


def _columns(
    engine: DuckDB, relation: Relation, sides: tuple[str, ...], settings: dict[str, Any], as_text: bool
) -> dict[str, Any]:
    """The labels and numbers of one file, as columns, or as mappings from id."""
    from clustermark.engines.points import label, number

    dialect = engine.dialect
    asked = {side: label(dialect, dialect.name(settings[side]), relation.kinds[settings[side]]) for side in sides}
    for what in ("counts", "weights"):
        if settings.get(what) in relation.kinds:
            asked[what] = number(dialect, relation, settings[what], what)
    if "on" in settings:
        on = dialect.name(settings["on"])
        asked["on"] = f"CAST({on} AS {dialect.text})" if as_text else on
    picked = ", ".join(f"{expression} AS {dialect.name(what)}" for what, expression in asked.items())
    columns = engine.fetch(f"SELECT {picked} FROM {relation.sql}")  # noqa: S608  (quoted by the dialect)
    if "on" not in asked:
        return columns
    ids = list(columns.pop("on"))
    if len(set(ids)) < len(ids):
        raise InputError(f"{relation.said}: the ids in column {settings['on']!r} must be unique; remove the duplicates")
    return {what: dict(zip(ids, column, strict=True)) for what, column in columns.items()}


def _tell_guesses(settings: dict[str, Any]) -> None:
    guessed = [f"column {settings[what]!r} as {_MEANINGS.get(what, what)}" for what in settings.get("guessed", ())]
    if guessed:
        click.echo(f"clustermark: taking {', '.join(guessed)}", err=True)


def _opened(
    files: Sequence[str], input_format: str | None, delimiter: str | None, encoding: str | None, no_header: bool
) -> Sources:
    if len(files) > 2:
        raise InputError(
            f"{len(files)} files were given; name one with both columns, or two to be joined by --on. "
            "Quote a pattern, 'data/*.parquet', so that the shell does not spell it out"
        )
    for file in files:
        if _is_no_text(file):
            raise InputError(f"{file}: the name of the file is not UTF-8, so DuckDB cannot open it; rename it")
    if list(files) == ["-", "-"]:
        raise InputError("standard input can be read once only; put one of the two into a file")
    asked = {
        "format": None if "-" in files else input_format,
        "delimiter": "\t" if delimiter == "\\t" else delimiter,
        "encoding": encoding,
        "header": False if no_header else None,
    }
    reading = {name: value for name, value in asked.items() if value is not None}
    if "-" not in files:
        return Sources(tuple(files), reading, None)
    spooled = str(_spooled(input_format))
    return Sources(tuple(spooled if file == "-" else file for file in files), reading, spooled)


def _is_no_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return True
    return False


def _spooled(input_format: str | None) -> Path:
    """Standard input in a temporary file, whose name says what it holds; it goes when the command ends."""
    folder = click.get_current_context().with_resource(TemporaryDirectory(prefix="clustermark-"))
    raw = Path(folder) / "raw"
    with raw.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    with raw.open("rb") as file:
        beginning = file.read(16)
    if not beginning:
        raise InputError(f"{STANDARD_INPUT} is empty; it needs a header line and rows")
    ending = next((end for mark, end in _ENDINGS_BY_BEGINNING.items() if beginning.startswith(mark)), "")
    known = (name for mark, name in _FORMATS_BY_BEGINNING.items() if beginning.startswith(mark))
    return raw.rename(raw.with_name(f"input.{input_format or next(known, 'csv')}{ending}"))


def _progress(doing: str, quiet: bool) -> AbstractContextManager[Any]:
    """A moving sign on a terminal; nothing where nobody looks."""
    if quiet or not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console
    from rich.text import Text

    return Console(stderr=True).status(Text(f"{doing} …"))
