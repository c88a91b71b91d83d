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
from clustermark.cli.layout import document_text, paragraph
from clustermark.cli.progress import show_progress
from clustermark.cli.terminal import say, write
from clustermark.errors import InputError, alternatives
from clustermark.results.frames import find_formulas

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
    """A result, and what belongs to it in some formats or beside it."""

    result: Any
    """A result of the library, or a text."""
    code: int = FINE
    """The exit code."""
    said: tuple[str, ...] = ()
    """What is said on standard error after the result."""
    below: tuple[Any, ...] = ()
    """Results and texts that are printed below a table."""
    how: Mapping[str, Mapping[str, Any]] = {}
    """Options of the methods that write the result, by format."""


class Run:
    """One run of a command: how its result is written, and what is said meanwhile."""

    def __init__(self, output: str | None, force: bool, quiet: bool, shape: str, asked: bool) -> None:
        self.output, self.force, self.quiet, self.shape = output, force, quiet, shape
        self.asked = asked
        """Whether --format was given."""
        self.safe = self.to_file
        """Whether CSV keeps spreadsheets from running labels as formulas."""
        self.launch = False
        """Whether the file is opened when it is written."""

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

    def render(self, outcome: Outcome) -> str:
        """The result in the format asked for."""
        result, how = outcome.result, outcome.how.get(self.shape, {})
        if isinstance(result, str):
            return result
        match self.shape:
            case "json":
                return str(result.to_json(indent=2, **how))
            case "csv":
                return self.render_csv(result, self.output)
            case "markdown":
                return str(result.to_markdown(**how))
            case "latex":
                return str(result.to_latex(**how))
            case "html":
                with self.progress("drawing the page"):
                    return str(result.report(**how))
        return "\n\n".join(self._text(one).rstrip("\n") for one in (result, *outcome.below))

    def _text(self, result: Any) -> str:
        if isinstance(result, str):
            return "\n".join(paragraph(line, to_terminal=self.to_terminal) for line in result.splitlines())
        return document_text(result.document(), spell, to_terminal=self.to_terminal)

    def render_csv(self, result: Any, file: str | None) -> str:
        """A result as CSV; say where a spreadsheet would run a text of a file as a formula."""
        if not self.safe and file not in (None, "-") and (found := find_formulas(result.to_dict())):
            some = f"{len(found):,} text{'s' if len(found) > 1 else ''} of {file}, such as {found[0]!r},"
            self.note(f"note: a spreadsheet would run {some} as formulas; --safe puts an apostrophe before them")
        return str(result.to_csv(safe=self.safe))

    def deliver(self, outcome: Outcome) -> int:
        """Write what a command returned, and return its exit code."""
        if outcome.result is not None:
            deliver(self.render(outcome), self.output, self.shape)
        if self.output is not None or self.shape == "csv":
            self.repeat_notices(outcome.result)
        if self.shape == "html" and self.to_file:
            self.note(f"wrote {self.output}")
        for one in outcome.said:
            say(f"{NAME}: {one}")
        if self.launch:
            click.launch(str(self.output))
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
            found = function(run, **given)
            return run.deliver(found if isinstance(found, Outcome) else Outcome(found))

        shared: Any = lambda: None  # noqa: E731
        for add in (options.formats(*formats),) if len(formats) > 1 else (options.written,) if written else ():
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
    """The format asked for, else the one that the name of the output asks for, else the first one offered."""
    if not offered:
        return "table"
    endings = {ending: name for ending, name in FORMATS.items() if name in offered}
    if shape is None:
        check_ending(output, endings, ", or say the format by --format" if len(offered) > 1 else "")
    return shape or endings.get(Path(output or "").suffix.lower(), next(iter(offered)))


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
