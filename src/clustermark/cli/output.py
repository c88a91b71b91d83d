"""Where a result goes: to standard output, or to a file that is not there yet."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from clustermark.cli import NAME
from clustermark.cli.options import FORMATS_BY_SUFFIX
from clustermark.cli.terminal import say, write
from clustermark.errors import InputError, alternatives

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from clustermark.evaluation.partitions import Evaluation

PAGES = (".html", ".htm")


def is_terminal(output: str | None) -> bool:
    """Whether somebody sees the result as it is written."""
    return output is None and sys.stdout is not None and sys.stdout.isatty()


def refuse_overwriting(output: str | None, force: bool, named_by: str = "") -> None:
    """Stop before the work is done, not after; named_by: the option that names the file, if that is not plain."""
    from pathlib import Path  # which takes as long to import as all of us that say the help

    if output is None or output == "-":
        return
    if Path(output).is_file() and not force:
        raise InputError(
            f"{output}: the file exists already; choose another name{named_by}, or --force to overwrite it"
        )
    if not Path(output).absolute().parent.is_dir():
        raise InputError(f"{output}: there is no folder {Path(output).parent}")


def format_of(shape: str | None, output: str | None) -> str:
    """The format asked for, else the one that the name of the output says, else a table."""
    choice = next(one.type for one in click.get_current_context().command.params if one.name == "shape")
    offered = choice.choices if isinstance(choice, click.Choice) else ()
    endings = {ending: name for ending, name in FORMATS_BY_SUFFIX.items() if name in offered}
    if shape is None:
        check_ending(output, endings, ", or say the format by --format")
    return shape or endings.get(_ending(output).lower(), "table")


def _ending(output: str | None) -> str:
    from pathlib import Path

    return Path(output or "").suffix


def check_ending(output: str | None, endings: Collection[str], way_out: str = "") -> None:
    """Refuse a name that promises a format which is not written; a name without an ending promises none."""
    ending = _ending(output)
    if ending and ending.lower() not in endings:
        known = alternatives(list(endings))
        raise InputError(f"{output}: {ending} is no format that this command writes; end the name by {known}{way_out}")


def tell_notices(evaluation: Evaluation, *, quiet: bool) -> None:
    """What to know before the result is believed, for those who do not see it there."""
    for notice in () if quiet else evaluation.notices:
        say(f"{NAME}: note: {notice.text}")


def deliver_labels(columns: Mapping[str, list[Any]], output: str | None, *, safe: bool, quiet: bool) -> None:
    """Write ids and labels as CSV: as they are, for programs that join them by id; formulas are said."""
    from clustermark.results.frames import csv_text, find_formulas

    if not (safe or quiet or output in (None, "-")) and (found := find_formulas(columns)):
        some = f"{len(found):,} text{'s' if len(found) > 1 else ''} of {output}, such as {found[0]!r},"
        say(f"{NAME}: note: a spreadsheet would run {some} as formulas; --safe puts an apostrophe before them")
    deliver(csv_text(columns, safe=safe), output, "csv")


def deliver(text: str, output: str | None, shape: str = "table") -> None:
    """Write the result, ending with a line break."""
    text = text if text.endswith("\n") else text + "\n"
    if output is None or output == "-":
        write(text, shape)
    else:
        from clustermark.results.files import write_text

        write_text(text, output, overwrite=True)
