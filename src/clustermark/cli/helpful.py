"""Commands with help that can be read, which say what an unknown option may mean and refuse two answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from clustermark.cli.terminal import suit_output
from clustermark.errors import alternatives

if TYPE_CHECKING:
    from collections.abc import Sequence

OUTPUT = "Output"
"""The heading of options that have no other."""


class Helpful(click.Command):
    """A command whose help can be read on any terminal, and which guesses what an unknown option means."""

    def get_help(self, ctx: click.Context) -> str:
        """As click has it."""
        return suit_output(super().get_help(ctx), letters=True)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does, which by itself suggests options that are spelt alike."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            meant = _suggest(error.option_name, self.get_params(ctx))
            hint = f" Did you mean {alternatives(meant)}?" if meant else ""
            raise click.UsageError(f"No such option: {error.option_name}.{hint}", ctx) from None


class Command(Helpful):
    """A command whose help groups the options, and which refuses two answers to one question."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options under the headings of their groups."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                groups.setdefault(getattr(parameter, "group", OUTPUT), []).append(record)
        for title, records in sorted(groups.items(), key=lambda item: item[0] == OUTPUT):
            with formatter.section(title if len(groups) > 1 else "Options"):
                formatter.write_dl(records)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does, which by itself takes the last of several answers."""
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
"""What other programs, or other people, call our options."""


def _suggest(unknown: str, parameters: Sequence[click.Parameter]) -> list[str]:
    """The options of a command that mean what an unknown one says: by a value, by another word, or by its letters."""
    from difflib import get_close_matches

    word = unknown.lstrip("-").replace("_", "-").lower()
    meanings = _meanings([one for one in parameters if isinstance(one, click.Option) and not one.hidden])
    if word in meanings:
        return meanings[word]
    close = get_close_matches(word, meanings, n=2, cutoff=0.7)
    return list(dict.fromkeys(meant for one in close for meant in meanings[one]))


def _meanings(options: Sequence[click.Option]) -> dict[str, list[str]]:
    """What a word can mean as an option."""
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
