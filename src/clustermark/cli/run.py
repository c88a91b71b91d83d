"""Run a command: the steps that all commands share, so that a command is a function and its options.

A command is declared by `command`. Its function takes a `Run` and the values of its options, and returns its result: a
result of the library, which is written in the requested format, or a text. The runner refuses to overwrite a file
before any work is done, chooses the format, writes the result and repeats its notices on standard error if the
written format omits them.
"""

from __future__ import annotations

import glob
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from clustermark.cli import FINE, NAME, spell
from clustermark.cli import shared_options as options
from clustermark.cli.terminal import document_text, paragraph, say, show_progress, suit_output, write
from clustermark.docstrings import docstring_of
from clustermark.errors import InputError, alternatives
from clustermark.results.frames import find_formulas

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

EVERY_FORMAT = ("table", "json", "csv", "markdown", "latex", "html")
PAGES = (".html", ".htm")


class Outcome(NamedTuple):
    """A result, with additions for some formats and messages."""

    result: Any
    """A result of the library, or a text."""
    code: int = FINE
    """The exit code."""
    remarks: tuple[str, ...] = ()
    """Messages on standard error after the result."""
    below: tuple[Any, ...] = ()
    """Results and texts that are printed below a table."""
    how: Mapping[str, Mapping[str, Any]] = {}
    """Options of the methods that write the result, by format."""


class Run:
    """One run of a command: how its result is written, and the messages meanwhile."""

    def __init__(self, output: str | None, force: bool, quiet: bool, shape: str, asked: bool) -> None:
        self.output, self.force, self.quiet, self.shape = output, force, quiet, shape
        self.asked = asked
        """Whether --format was given."""
        self.safe = self.to_file
        """Whether CSV is written such that spreadsheets do not run labels as formulas."""
        self.launch = False
        """Whether the file is opened after it was written."""

    @property
    def to_file(self) -> bool:
        """Whether the result is written to a file, which people may open with a spreadsheet, unlike standard output."""
        return self.output not in (None, "-")

    @property
    def to_terminal(self) -> bool:
        """Whether the result is displayed on a terminal."""
        return self.output is None and is_terminal()

    def progress(self, doing: str) -> AbstractContextManager[Callable[[float], None] | None]:
        """Show on a terminal that a step takes long; yield a function that takes the finished share."""
        return show_progress(doing, self.quiet)

    def note(self, *texts: str) -> None:
        """Print texts on standard error, unless --quiet was given."""
        for text in () if self.quiet else texts:
            say(f"{NAME}: {text}")

    def render(self, outcome: Outcome) -> str:
        """Return the result in the requested format."""
        if isinstance(outcome.result, str) and not outcome.below:
            return outcome.result
        return self._shaped(outcome.result, outcome.below, outcome.how.get(self.shape, {}))

    def _shaped(self, result: Any, below: Sequence[Any], how: Mapping[str, Any]) -> str:
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
        return "\n\n".join(self._text(one).rstrip("\n") for one in (result, *below))

    def _text(self, result: Any) -> str:
        if isinstance(result, str):
            return "\n".join(paragraph(line, to_terminal=self.to_terminal) for line in result.splitlines())
        return document_text(result.document(), spell, to_terminal=self.to_terminal)

    def render_csv(self, result: Any, file: str | None) -> str:
        """Return a result as CSV; print a note if a spreadsheet would run a text of a file as a formula."""
        if not self.safe and file not in (None, "-") and (found := find_formulas(result.to_dict())):
            some = f"{len(found):,} text{'s' if len(found) > 1 else ''} of {file}, such as {found[0]!r},"
            self.note(f"note: a spreadsheet would run {some} as formulas; --safe puts an apostrophe before them")
        return str(result.to_csv(safe=self.safe))

    def deliver(self, outcome: Outcome) -> int:
        """Write the result of a command, and return its exit code."""
        if outcome.result is not None:
            deliver(self.render(outcome), self.output, self.shape, overwrite=self.force)
        if self.output is not None or self.shape == "csv":
            self.repeat_notices(outcome.result)
        if self.shape == "html" and self.to_file:
            self.note(f"wrote {self.output}")
        for one in outcome.remarks:
            say(f"{NAME}: {one}")
        if self.launch:
            click.launch(str(self.output))
        return outcome.code

    def repeat_notices(self, result: Any) -> None:
        """Print the notices of a result that are not in the written output."""
        notices: Sequence[Any] = getattr(result, "notices", getattr(result, "notes", ()))
        self.note(*(f"note: {getattr(notice, 'text', notice)}" for notice in notices))


class Helpful(click.Command):
    """A command with help in characters of any terminal, and suggestions for unknown options."""

    def get_help(self, ctx: click.Context) -> str:
        """Return the help of click, in characters that the output supports."""
        return suit_output(super().get_help(ctx), letters=True)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as click does, and add suggestions by meaning to those by spelling."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            meant = _suggest(error.option_name, self.get_params(ctx))
            hint = f" Did you mean {alternatives(meant)}?" if meant else ""
            raise click.UsageError(f"No such option: {error.option_name}.{hint}", ctx) from None


class Command(Helpful):
    """A command whose help groups the options, and which refuses two values for one option."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under the headings of their groups."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                groups.setdefault(getattr(parameter, "group", options.OUTPUT), []).append(record)
        for title, records in sorted(groups.items(), key=lambda item: item[0] == options.OUTPUT):
            with formatter.section(title if len(groups) > 1 else "Options"):
                formatter.write_dl(records)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as click does, but refuse several values of an option, of which click takes the last."""
        written = list(args)
        rest = super().parse_args(ctx, args)
        if not ctx.resilient_parsing:
            given = self.make_parser(ctx).parse_args(args=written)[2]
            _refuse_several([one for one in given if isinstance(one, click.Option) and not one.multiple])
        return rest


def _refuse_several(given: list[click.Option]) -> None:
    answers: dict[str | None, click.Option] = {}
    for option in given:
        other = answers.setdefault(option.name, option)
        if other is not option:
            raise click.UsageError(f"{other.opts[-1]} and {option.opts[-1]} exclude each other; give one of them")
    for option in answers.values():
        if given.count(option) > 1 and (not option.is_flag or option.secondary_opts):
            raise click.UsageError(f"{option.opts[-1]} was given {given.count(option)} times; it takes one value")


_OTHER_WORDS = {
    "--true": "truth gold reference y-true true-labels label labels",
    "--pred": "prediction predicted predictions y-pred pred-labels",
    "--on": "id ids key join by",
    "--index": "metric metrics measure measures score indices",
    "--output": "out outfile save write",
    "--force": "overwrite",
    "--delimiter": "sep separator",
    "--weights": "weight",
    "--counts": "count n",
    "--temporary": "tmp temp tmpdir temp-dir",
    "--threads": "cores jobs workers",
    "-k": "top limit",
    "--fail-under": "min minimum at-least threshold",
    "--fail-over": "max maximum at-most",
    "--quiet": "silent",
    "--explain": "sql dry-run",
}
"""Names of these options in other programs, and synonyms."""


def _suggest(unknown: str, parameters: Sequence[click.Parameter]) -> list[str]:
    """Return the options with the meaning of an unknown one: by a value, by a synonym, or by spelling."""
    from difflib import get_close_matches

    word = unknown.lstrip("-").replace("_", "-").lower()
    meanings = _meanings([one for one in parameters if isinstance(one, click.Option) and not one.hidden])
    if word in meanings:
        return meanings[word]
    close = get_close_matches(word, meanings, n=2, cutoff=0.7)
    return list(dict.fromkeys(meant for one in close for meant in meanings[one]))


def _meanings(options: Sequence[click.Option]) -> dict[str, list[str]]:
    """Return the options that a word can mean."""
    meanings: dict[str, list[str]] = {}
    flags = {flag for one in options for flag in (*one.opts, *one.secondary_opts)}
    for one in options:
        for value in one.type.choices if isinstance(one.type, click.Choice) else ():
            meanings.setdefault(str(value), []).append(f"{max(one.opts, key=len)} {value}")
    for flag, words in _OTHER_WORDS.items():
        for word in words.split() if flag in flags else ():
            meanings.setdefault(word, [flag])
    for flag in flags:
        meanings.setdefault(flag.lstrip("-"), [flag])
    return meanings


def command(*formats: str, examples: str, written: bool = True, default: str | None = None) -> Callable[..., Any]:
    """Declare a command of a function and the options that decorate it.

    formats: the formats that the result can be written in; none if the name of the output alone decides.
    examples: the example lines of the help.
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
            output = default if output is None else output
            refuse_overwriting(output, force, others=[value for name, value in given.items() if name != "temporary"])
            run = Run(output, force, quiet, _chosen_format(shape, output, formats), shape is not None)
            found = function(run, **given)
            return run.deliver(found if isinstance(found, Outcome) else Outcome(found))

        shared: Any = lambda: None  # noqa: E731
        for add in (options.formats(*formats),) if len(formats) > 1 else (options.written,) if written else ():
            add(shared)
        options.quiet(shared)
        call.__name__, call.__doc__ = function.__name__, docstring_of(function)
        call.__click_params__ = [*shared.__click_params__, *getattr(function, "__click_params__", ())]  # type: ignore[attr-defined]
        lines, _, more = examples.strip().partition("\n\n")
        epilog = "\n  ".join(["\b\nExamples:", *lines.splitlines()]) + (f"\n\n{more}" if more else "")
        return click.command(cls=Command, epilog=epilog)(call)

    return declare


def is_terminal() -> bool:
    """Return whether standard output is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def refuse_overwriting(output: str | None, force: bool, named_by: str = "", others: Iterable[Any] = ()) -> None:
    """Raise an error before any work is done if a file exists, or is one that the command reads.

    named_by: the option that names it, if that is not obvious. others: the other values given to the command.
    """
    if output is None or output == "-":
        return
    if not output:
        raise InputError(f"the name of the output{named_by} is empty; name a file, or - for standard output")
    if os.path.isfile(output):  # noqa: PTH113  (a name that no file can have is no file)
        for name in _file_names(others, output):
            if os.path.samefile(name, output):  # noqa: PTH121
                raise InputError(f"{output}: the command reads this file; choose another name{named_by}")
        if not force:
            raise InputError(
                f"{output}: the file exists already; choose another name{named_by}, or --force to overwrite it"
            )
    if not Path(output).absolute().parent.is_dir():
        raise InputError(f"{output}: there is no folder {Path(output).parent}")


def _file_names(values: Iterable[Any], output: str) -> Iterator[str]:
    """Yield the files that the values name, and those within tuples."""
    from clustermark.engines.spooled import in_home

    for value in values:
        for name in value if isinstance(value, tuple) else (value,):
            if isinstance(name, str):
                yield from _files_named(str(in_home(name)), output)


def _files_named(name: str, output: str) -> Iterator[str]:
    """Yield the file of this name, those that match it as a pattern, or the output if it is a folder with it."""
    if os.path.isfile(name):  # noqa: PTH113
        yield name
    elif os.path.isdir(name):  # noqa: PTH112
        folder, file = (Path(os.path.realpath(one)) for one in (name, output))
        if folder in file.parents:
            yield output
    elif glob.has_magic(name):
        yield from filter(os.path.isfile, glob.glob(name, recursive=True))  # noqa: PTH207


def _chosen_format(shape: str | None, output: str | None, offered: Collection[str]) -> str:
    """Return the requested format, or the one for the name of the output, or the first one offered."""
    if not offered:
        return "table"
    endings = {ending: name for ending, name in options.FORMATS.items() if name in offered}
    if shape is None:
        check_ending(output, endings, ", or say the format by --format" if len(offered) > 1 else "")
    return shape or endings.get(Path(output or "").suffix.lower(), next(iter(offered)))


def check_ending(output: str | None, endings: Collection[str], way_out: str = "") -> None:
    """Raise an error for a name with the ending of an unsupported format; a name without an ending is accepted."""
    ending = Path(output or "").suffix
    if ending and ending.lower() not in endings:
        known = alternatives(list(endings))
        raise InputError(f"{output}: {ending} is no format that this command writes; end the name by {known}{way_out}")


def deliver(text: str, output: str | None, shape: str = "table", *, overwrite: bool = False) -> None:
    """Write a text to a file or to standard output, with a line break at its end."""
    text = text if text.endswith("\n") else text + "\n"
    if output is None or output == "-":
        write(text, shape)
    else:
        from clustermark.results.files import write_text

        write_text(text, output, overwrite=overwrite)
