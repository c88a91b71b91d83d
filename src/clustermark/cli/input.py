"""From the files and columns that were named, or can only be meant, to an evaluation."""

from __future__ import annotations

import shutil
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from clustermark.errors import EngineError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from clustermark.diagnosis.point_table import GivenLabels
    from clustermark.evaluation import Evaluation
    from clustermark.registry import Index
    from clustermark.tables.contingency import Contingency

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

    @property
    def both(self) -> tuple[str, str | None]:
        """The one file, or the truth and the prediction."""
        return self.paths[0], self.paths[1] if len(self.paths) == 2 else None

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

    with_labels: `points` is going to be asked for; the labels of all points are read then.
    """
    from clustermark.evaluation import Evaluation, evaluate_table

    sources, options = _asked(files, options)
    try:
        with _progress(f"reading {sources.retold(' and '.join(sources.paths))}", quiet) as tell:
            table = _tabulated(sources, options | {"progress": tell})
        if not quiet:
            _tell_guesses(table.settings)
        with _progress("scoring", quiet):
            if with_labels:
                return Evaluation(table, [], {}, given=lambda: _labels(sources, options))
            return evaluate_table(table, indices)
    except (InputError, EngineError) as error:
        raise type(error)(sources.retold(str(error))) from error


def explained(files: Sequence[str], *, quiet: bool, **options: Any) -> str:  # noqa: ARG001
    """The statements that an engine would run."""
    from clustermark.sources.request import explain_sources, request_of

    sources, options = _asked(files, options)
    try:
        return explain_sources(*sources.both, request_of(**options, reading=sources.reading))
    except (InputError, EngineError) as error:
        raise type(error)(sources.retold(str(error))) from error


def _asked(files: Sequence[str], options: dict[str, Any]) -> tuple[Sources, dict[str, Any]]:
    """The files, and the options in the shape that the library wants."""
    reading = {name: options.pop(name) for name in ("input_format", "delimiter", "encoding", "no_header")}
    noise = options.pop("noise")
    options["engine_options"] = _engine_options(options["engine"], options.pop("master"))
    options |= {side: noise | options[side] for side in ("noise_true", "noise_pred")}
    return _opened(files, **reading), options


def _tabulated(sources: Sources, options: dict[str, Any]) -> Contingency:
    """The table; `crosstab` would take two files whose columns are to be guessed for labels."""
    from clustermark.sources.request import request_of, tabulate_sources

    request = request_of(**options, reading=sources.reading)
    table = tabulate_sources(*sources.both, request)
    settings = {
        name: sources.retold(value) if isinstance(value, str) else value for name, value in table.settings.items()
    }
    return table.made_by(settings, [sources.retold(table.sql)])


def _engine_options(engine: str | None, master: str | None) -> dict[str, str] | None:
    if master is None:
        return None
    if engine != "spark":
        raise InputError("--master says where Spark runs; say --engine spark with it")
    return {"master": master}


def _labels(sources: Sources, options: dict[str, Any]) -> GivenLabels:
    """The labels of all points: in the order of their rows, or by their ids."""
    from clustermark.diagnosis.point_table import GivenLabels
    from clustermark.sources.request import labels_of_sources, request_of

    request = request_of(**options, reading=sources.reading)
    labels = labels_of_sources(*sources.both, request)
    return GivenLabels(labels["true"], labels["pred"], labels.get("counts"), labels.get("weights"))


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


@contextmanager
def _progress(doing: str, quiet: bool) -> Iterator[Callable[[float], None] | None]:
    """A moving sign on a terminal, which can be told what share is done; nothing where nobody looks."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(f"{doing} …")) as status:
        yield lambda share: status.update(Text(f"{doing} … {share:.0%}"))
