"""Run a command: the steps that all commands share, so that a command is a function and its options.

A command is declared by `command`. Its function takes a `Run` and the values of its options, and returns its result: a
result of the library, which is written in the format asked for, or a text. The runner refuses to overwrite a file
before any work is done, chooses the format, writes the result and repeats its notices on standard error where the
reader of standard output would not see them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from clustermark.cli import FINE, NAME, options, spell
from clustermark.cli.helpful import Command
from clustermark.cli.progress import show_progress
from clustermark.cli.terminal import say, suit_output, write
from clustermark.errors import InputError, alternatives

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from contextlib import AbstractContextManager

FORMATS = {
    ".txt": "table",
    ".json": "json",
    ".csv": "csv",
    ".md": "markdown",
    ".tex": "latex",
    ".html": "html",
    ".htm": "html",
}
"""The format that the ending of a file name asks for."""
EVERY_FORMAT = ("table", "json", "csv", "markdown", "latex", "html")
PAGES = (".html", ".htm")


class Outcome(NamedTuple):
    """A result with an exit code and what is said after it, for commands that decide."""

    result: Any
    code: int = FINE
    said: tuple[str, ...] = ()
    text: str | None = None
    """The text to write where it is more than the result; the notices to repeat are those of the result."""


class Run:
    """One run of a command: how its result is written, and what is said meanwhile."""

    def __init__(self, output: str | None, force: bool, quiet: bool, shape: str, asked: bool) -> None:
        self.output, self.force, self.quiet, self.shape = output, force, quiet, shape
        self.asked = asked
        """Whether --format was given."""
        self.safe = self.to_file
        """Whether CSV keeps spreadsheets from running labels as formulas."""

    @property
    def to_file(self) -> bool:
        """Whether the result goes to a file: people open files with spreadsheets, programs read standard output."""
        return self.output not in (None, "-")

    @property
    def to_terminal(self) -> bool:
        """Whether somebody sees the result as it is written."""
        return self.output is None and is_terminal()

    def progress(self, doing: str) -> AbstractContextManager[Callable[[float], None] | None]:
        """Show on a terminal that something takes long; the context is a function that takes the share that is done."""
        return show_progress(doing, self.quiet)

    def note(self, *texts: str) -> None:
        """Say something on standard error, unless --quiet was given."""
        for text in () if self.quiet else texts:
            say(f"{NAME}: {text}")

    def text(self, result: Any) -> str:
        """A result in the format asked for."""
        match self.shape:
            case "json":
                return str(result.to_json(indent=2))
            case "csv":
                return str(result.to_csv(safe=self.safe))
            case "markdown":
                return str(result.to_markdown())
            case "latex":
                return str(result.to_latex())
            case "html":
                return str(result.report())
        if hasattr(result, "document"):
            from clustermark.cli.layout import document_text

            return document_text(result.document(), spell, to_terminal=self.to_terminal)
        return suit_output(repr(result))

    def deliver(self, found: Any) -> int:
        """Write what a command returned, and return its exit code."""
        outcome = found if isinstance(found, Outcome) else Outcome(found)
        result, text = outcome.result, outcome.text
        if result is not None or text is not None:
            text = result if isinstance(result, str) else text
            deliver(self.text(result) if text is None else text, self.output, self.shape)
            if self.output is not None or self.shape == "csv":
                self.repeat_notices(result)
        for one in outcome.said:
            say(f"{NAME}: {one}")
        return outcome.code

    def repeat_notices(self, result: Any) -> None:
        """Say the notices of a result to those who do not see them in what is written."""
        notices: Sequence[Any] = getattr(result, "notices", getattr(result, "notes", ()))
        self.note(*(f"note: {getattr(notice, 'text', notice)}" for notice in notices))


def command(*formats: str, examples: str, written: bool = True, default: str | None = None) -> Callable[..., Any]:
    """Declare a command of a function and the options that decorate it.

    formats: the formats that the result can be written in; none where the name of the output alone decides.
    examples: the lines of the help that show how the command is used.
    written: whether the result can be written to a file.
    default: the name of the output if none is given.
    """

    def declare(function: Callable[..., Any]) -> click.Command:
        def call(
            *,
            output: str | None = None,
            force: bool = False,
            quiet: bool = False,
            shape: str | None = None,
            **given: Any,
        ) -> int:
            output = output or default
            refuse_overwriting(output, force)
            run = Run(output, force, quiet, _chosen_format(shape, output, formats), shape is not None)
            return run.deliver(function(run, **given))

        shared: Any = lambda: None  # noqa: E731
        for add in (options.formats(*formats),) if formats else (options.written,) if written else ():
            add(shared)
        options.quiet(shared)
        call.__name__, call.__doc__ = function.__name__, function.__doc__
        call.__click_params__ = [*shared.__click_params__, *getattr(function, "__click_params__", ())]  # type: ignore[attr-defined]
        lines, _, more = examples.strip().partition("\n\n")
        epilog = "\n  ".join(["\b\nExamples:", *lines.splitlines()]) + (f"\n\n{more}" if more else "")
        return click.command(cls=Command, epilog=epilog)(call)

    return declare


def is_terminal() -> bool:
    """Whether somebody sees standard output as it is written."""
    return sys.stdout is not None and sys.stdout.isatty()


def refuse_overwriting(output: str | None, force: bool, named_by: str = "") -> None:
    """Raise before any work is done if a file exists; named_by: the option that names it, if that is not plain."""
    if output is None or output == "-":
        return
    path = Path(output)
    if path.is_file() and not force:
        raise InputError(
            f"{output}: the file exists already; choose another name{named_by}, or --force to overwrite it"
        )
    if not path.absolute().parent.is_dir():
        raise InputError(f"{output}: there is no folder {path.parent}")


def _chosen_format(shape: str | None, output: str | None, offered: Collection[str]) -> str:
    """The format asked for, else the one that the name of the output asks for, else a table."""
    if not offered:
        return "table"
    endings = {ending: name for ending, name in FORMATS.items() if name in offered}
    if shape is None:
        check_ending(output, endings, ", or say the format by --format")
    return shape or endings.get(Path(output or "").suffix.lower(), "table")


def check_ending(output: str | None, endings: Collection[str], way_out: str = "") -> None:
    """Raise for a name that promises a format which is not written; a name without an ending promises none."""
    ending = Path(output or "").suffix
    if ending and ending.lower() not in endings:
        known = alternatives(list(endings))
        raise InputError(f"{output}: {ending} is no format that this command writes; end the name by {known}{way_out}")


def deliver(text: str, output: str | None, shape: str = "table") -> None:
    """Write a text to a file or to standard output, with a line break at its end."""
    text = text if text.endswith("\n") else text + "\n"
    if output is None or output == "-":
        write(text, shape)
    else:
        from clustermark.results.files import write_text

        write_text(text, output, overwrite=True)


def deliver_labels(columns: Mapping[str, list[Any]], output: str | None, *, safe: bool, quiet: bool) -> None:
    """Write ids and labels as CSV without changes, for programs that join them by id; say where one is a formula."""
    from clustermark.results.frames import csv_text, find_formulas

    if not (safe or quiet or output in (None, "-")) and (found := find_formulas(columns)):
        some = f"{len(found):,} text{'s' if len(found) > 1 else ''} of {output}, such as {found[0]!r},"
        say(f"{NAME}: note: a spreadsheet would run {some} as formulas; --safe puts an apostrophe before them")
    deliver(csv_text(columns, safe=safe), output, "csv")
