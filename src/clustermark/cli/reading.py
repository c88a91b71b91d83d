"""From the files and columns that were named, or can only be meant, to an evaluation."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from clustermark.errors import EngineError, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

    from clustermark.evaluation import Evaluation
    from clustermark.registry import Index

STANDARD_INPUT = "standard input"
_ENDINGS_BY_BEGINNING = {b"\x1f\x8b": ".gz", b"\x28\xb5\x2f\xfd": ".zst"}
_FORMATS_BY_BEGINNING = {b"PAR1": "parquet", b"ARROW1": "arrow", b"{": "jsonl"}


class Sources(NamedTuple):
    """The files to compare, and how to read them."""

    paths: tuple[str, ...]
    reading: dict[str, Any]
    spooled: str | None
    """Where standard input was written to, if it is one of them."""

    def said(self, path: str) -> str:
        """What messages call a file."""
        return STANDARD_INPUT if path == self.spooled else path

    def retold(self, text: str) -> str:
        """A message with the name of the temporary file replaced."""
        return text.replace(self.spooled, STANDARD_INPUT) if self.spooled else text


def evaluated(
    files: Sequence[str],
    indices: Sequence[Index[...]] | str | None,
    *,
    quiet: bool,
    noise: dict[str, str],
    noise_true: dict[str, str],
    noise_pred: dict[str, str],
    **options: Any,
) -> Evaluation:
    """The evaluation that the options of the command line ask for."""
    from clustermark.evaluation import evaluate

    reading = {name: options.pop(name) for name in ("input_format", "delimiter", "encoding", "no_header")}
    sources = _opened(files, **reading)
    options["noise_true"] = _labels_of_any_kind(noise | noise_true)
    options["noise_pred"] = _labels_of_any_kind(noise | noise_pred)
    try:
        with _progress(f"reading {' and '.join(map(sources.said, sources.paths))}", quiet):
            guesses = _guessed_columns(sources, options)
            if guesses and not quiet:
                click.echo(f"clustermark: {_told(guesses)}", err=True)
            given = {name: value for name, value in (options | guesses).items() if value}
            if sources.reading:
                given["reading"] = sources.reading
            evaluation = evaluate(*sources.paths, indices=indices, **given)
    except (InputError, EngineError) as error:
        raise type(error)(sources.retold(str(error))) from error
    _rename_spooled(evaluation, sources)
    return evaluation


def _opened(
    files: Sequence[str], input_format: str | None, delimiter: str | None, encoding: str | None, no_header: bool
) -> Sources:
    if len(files) > 2:
        raise InputError(
            f"{len(files)} files were given; name one with both columns, or two to be joined by --on. "
            "Quote a pattern, 'data/*.parquet', so that the shell does not spell it out"
        )
    if list(files) == ["-", "-"]:
        raise InputError("standard input can be read once only; put one of the two into a file")
    reading = {"delimiter": delimiter, "encoding": encoding, "format": None if "-" in files else input_format}
    chosen = {name: value for name, value in reading.items() if value is not None}
    if no_header:
        chosen["header"] = False
    spooled = str(_spooled(input_format)) if "-" in files else None
    return Sources(tuple(spooled if file == "-" and spooled else file for file in files), chosen, spooled)


def _spooled(input_format: str | None) -> Path:
    """Standard input in a temporary file, whose name says what it holds; it goes when the command ends."""
    folder = click.get_current_context().with_resource(TemporaryDirectory(prefix="clustermark-"))
    raw = Path(folder) / "raw"
    with raw.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    with raw.open("rb") as file:
        beginning = file.read(4096)
    if not beginning:
        raise InputError(f"{STANDARD_INPUT} is empty; it needs a header line and rows")
    ending = next((end for mark, end in _ENDINGS_BY_BEGINNING.items() if beginning.startswith(mark)), "")
    return raw.rename(raw.with_name(f"input.{input_format or _format_of(beginning)}{ending}"))


def _format_of(beginning: bytes) -> str:
    for mark, name in _FORMATS_BY_BEGINNING.items():
        if beginning.startswith(mark):
            return name
    return "csv"


def _labels_of_any_kind(noise: dict[str, str]) -> dict[Any, str]:
    """Noise as it is written, and as the integer it may be: a text file holds "-1", a Parquet file -1."""
    return noise | {int(label): policy for label, policy in noise.items() if _is_integer(label)}


def _is_integer(label: str) -> bool:
    digits = label.removeprefix("-")
    return digits.isascii() and digits.isdigit() and str(int(label)) == label


def _guessed_columns(sources: Sources, options: dict[str, Any]) -> dict[str, str]:
    """The columns that were not named and can only be meant."""
    if options["pairs"]:
        return {}
    if len(sources.paths) == 1:
        return dict(_guessed_in(sources, sources.paths[0], ("true", "pred"), options))
    if not options["on"]:
        raise InputError(
            "two files are joined by an id that both have: name its column with --on "
            f"({_common_columns(sources)}), or put both labels into one file"
        )
    guesses: dict[str, str] = {}
    for path, side in zip(sources.paths, ("true", "pred"), strict=True):
        guesses |= _guessed_in(sources, path, (side,), options)
    return guesses


def _guessed_in(
    sources: Sources, path: str, sides: tuple[str, ...], options: dict[str, Any]
) -> Iterator[tuple[str, str]]:
    wanted = [side for side in sides if not options[side]]
    if not wanted:
        return
    columns = columns_of(path, sources.reading)
    taken = {options[name] for name in (*sides, "on", "weights", "counts") if options[name]}
    left = [column for column in columns if column not in taken]
    if len(left) != len(wanted):
        raise InputError(_cannot_guess(sources.said(path), columns, wanted))
    yield from zip(wanted, left, strict=True)


def _cannot_guess(file: str, columns: list[str], wanted: list[str]) -> str:
    has = f"{file} has the column{'s' if len(columns) > 1 else ''} {', '.join(columns)}"
    if len(columns) <= len(wanted) and len(wanted) == 2:
        return f"{has} only; the truth and the prediction are two. If they lie in two files, name both, and --on ID"
    options = " and ".join(f"--{side} COL" for side in wanted)
    meant = {"true": "the truth", "pred": "the prediction"}
    return f"{has}: say which is {' and which '.join(meant[side] for side in wanted)} with {options}"


def _common_columns(sources: Sources) -> str:
    first, second = (columns_of(path, sources.reading) for path in sources.paths)
    common = [column for column in first if column in second]
    return f"both have {', '.join(common)}" if common else "they have no column of the same name"


def columns_of(path: str, reading: dict[str, Any]) -> list[str]:
    """The names of the columns of a file, or of all files of a pattern."""
    from clustermark.engines.duckdb_engine import DuckDB
    from clustermark.engines.files import Reading, read_files

    engine = DuckDB.embedded()
    try:
        return list(read_files(engine, path, Reading.of(reading)).kinds)
    finally:
        engine.close()


def _told(guesses: dict[str, str]) -> str:
    meant = {"true": "the truth", "pred": "the prediction"}
    return "taking " + " and ".join(f"column {name!r} as {meant[side]}" for side, name in guesses.items())


def _progress(doing: str, quiet: bool) -> AbstractContextManager[Any]:
    """A moving sign on a terminal; nothing where nobody looks."""
    from contextlib import nullcontext

    if quiet or not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console
    from rich.text import Text

    return Console(stderr=True).status(Text(f"{doing} …"))


def _rename_spooled(evaluation: Evaluation, sources: Sources) -> None:
    """Let what is shown speak of standard input, not of the temporary file."""
    for name, value in evaluation.settings.items():
        if value == sources.spooled and value is not None:
            evaluation.settings[name] = STANDARD_INPUT
