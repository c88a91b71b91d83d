"""Where a result goes: to standard output, or to a file that is not there yet."""

from __future__ import annotations

from pathlib import Path

import click

from clustermark.cli.options import FORMATS_BY_SUFFIX
from clustermark.errors import InputError


def refuse_overwriting(output: str | None, force: bool) -> None:
    """Stop before the work is done, not after."""
    if output is None or output == "-":
        return
    if Path(output).is_file() and not force:
        raise InputError(f"{output}: the file exists already; choose another name, or --force to overwrite it")
    if not Path(output).absolute().parent.is_dir():
        raise InputError(f"{output}: there is no folder {Path(output).parent}")


def format_of(shape: str | None, output: str | None) -> str:
    """The format asked for, else the one that the name of the output says, else a table."""
    return shape or FORMATS_BY_SUFFIX.get(Path(output or "").suffix.lower(), "table")


def deliver(text: str, output: str | None) -> None:
    """Write the result, ending with a line break."""
    text = text if text.endswith("\n") else text + "\n"
    if output is None or output == "-":
        click.echo(text, nl=False)
    else:
        from clustermark.tables.columnar import write_text

        write_text(text, output, overwrite=True)
