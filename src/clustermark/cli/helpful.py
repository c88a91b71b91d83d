"""Commands with help that can be read, which say what an unknown option may mean and refuse two answers."""

from __future__ import annotations

import click

from clustermark.cli.suggestions import suggest
from clustermark.cli.terminal import suit_output
from clustermark.errors import alternatives

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
            meant = suggest(error.option_name, self.get_params(ctx))
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
