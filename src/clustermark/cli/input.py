"""From the files and columns that were named, or can only be meant, to an evaluation."""

from __future__ import annotations

import shutil
import sys
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from clustermark.cli.options import table_options
from clustermark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from clustermark.diagnosis.point_table import GivenLabels
    from clustermark.evaluation import Evaluation
    from clustermark.registry import Index
    from clustermark.sources.request import Request

STANDARD_INPUT = "standard input"
_ENDINGS_BY_BEGINNING = {b"\x1f\x8b": ".gz", b"\x28\xb5\x2f\xfd": ".zst"}
_FORMATS_BY_BEGINNING = {b"PAR1": "parquet", b"ARROW1": "arrow", b"{": "jsonl"}
_MEANINGS = {"true": "the truth", "pred": "the prediction", "on": "the id"}


class StandardInput(PathLike[str]):
    """Standard input, put into a file; messages call it by its name."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __fspath__(self) -> str:
        return str(self.path)

    def __str__(self) -> str:
        return STANDARD_INPUT


Source: TypeAlias = str | StandardInput


def evaluate_files(
    files: Sequence[str],
    indices: Sequence[Index[...]] | str | None,
    *,
    quiet: bool,
    with_labels: bool = False,
    intervals: bool = False,
    unit: str | None = None,
    **options: Any,
) -> Evaluation:
    """The evaluation that the options of the command line ask for.

    with_labels: `points` is going to be asked for; the labels of all points are read then.
    intervals, unit: whether the scores get intervals, and over what.
    """
    from clustermark.evaluation import Evaluation, evaluate_table
    from clustermark.sources.request import labels_of_sources, tabulate_sources

    # `crosstab` would take two files whose columns are to be guessed for labels
    sources, request = _read_request(files, options)
    with show_progress(f"reading {' and '.join(str(source) for source in sources if source)}", quiet) as tell:
        table = tabulate_sources(*sources, request._replace(options={**request.options, "progress": tell}))
    if not quiet:
        _tell_guesses(table.settings)
    with show_progress("scoring", quiet):
        if with_labels:
            return Evaluation.of(table, [], given=lambda: _given_labels(labels_of_sources(*sources, request)))
        return evaluate_table(table, indices, intervals={"unit": unit} if unit else intervals)


def explain_files(files: Sequence[str], *, quiet: bool, **options: Any) -> str:  # noqa: ARG001
    """The statements that an engine would run."""
    from clustermark.sources.request import explain_sources

    sources, request = _read_request(files, options)
    return explain_sources(*sources, request)


def _read_request(files: Sequence[str], given: dict[str, Any]) -> tuple[tuple[Source, Source | None], Request]:
    """The one file, or the truth and the prediction; and what is wanted of them."""
    from clustermark.options import read_options
    from clustermark.sources.request import read_request

    options = table_options(given)
    if given:
        # a command that forgets to name one of its own options passes it on to here, where nobody would read it
        raise TypeError(f"no option of the table: {', '.join(given)}; name it among the parameters of the command")
    sources = open_files(files, options.setdefault("reading", {}))
    return (sources[0], sources[1] if len(sources) == 2 else None), read_request(read_options(options))


def _given_labels(labels: dict[str, Any]) -> GivenLabels:
    """The labels of all points: in the order of their rows, or by their ids."""
    from clustermark.diagnosis.point_table import GivenLabels

    return GivenLabels(labels["true"], labels["pred"], labels.get("counts"), labels.get("weights"))


def _tell_guesses(settings: dict[str, Any]) -> None:
    guessed = [f"column {settings[what]!r} as {_MEANINGS.get(what, what)}" for what in settings.get("guessed", ())]
    if guessed:
        click.echo(f"clustermark: taking {', '.join(guessed)}", err=True)


def open_files(files: Sequence[str], reading: dict[str, Any]) -> list[Source]:
    """The files that were named, or what standard input holds; `reading` says how, and learns it."""
    if reading.get("delimiter") == "\\t":
        reading["delimiter"] = "\t"
    if len(files) > 2:
        raise InputError(
            f"{len(files)} files were given; name one with both columns, or two to be joined by --on. "
            "Quote a pattern, 'data/*.parquet', so that the shell does not expand it"
        )
    for file in files:
        if _is_no_text(file):
            raise InputError(f"{file}: the name of the file is not UTF-8, so DuckDB cannot open it; rename it")
    if list(files) == ["-", "-"]:
        raise InputError("standard input can be read once only; put one of the two into a file")
    if "-" not in files:
        return list(files)
    spooled = StandardInput(_spool(reading.pop("format", None)))  # the name of that file says its format
    return [spooled if file == "-" else file for file in files]


def _is_no_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return True
    return False


def _spool(input_format: str | None) -> Path:
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
    return raw.rename(raw.with_name(f"standard-input.{input_format or next(known, 'csv')}{ending}"))


@contextmanager
def show_progress(doing: str, quiet: bool) -> Iterator[Callable[[float], None] | None]:
    """A moving sign on a terminal, and a function that shows what share is done; nothing elsewhere."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(f"{doing} …")) as status:
        yield lambda share: status.update(Text(f"{doing} … {share:.0%}"))
