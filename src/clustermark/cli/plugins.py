"""The option that loads indices of your own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from clustermark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence


def _load(_: click.Context, parameter: click.Parameter, names: Sequence[str]) -> None:
    if not names:
        return
    from clustermark.registry.plugins import load_plugin

    for name in names:
        try:
            load_plugin(name)
        except InputError as error:
            raise InputError(f"{parameter.opts[0]} {error}") from error


plugins = click.option(
    "--plugin",
    multiple=True,
    metavar="MODULE",
    type=click.Path(),
    is_eager=True,  # -i looks indices up while it is read
    expose_value=False,
    callback=_load,
    help="Load indices of your own: a module, or the path of a .py file; repeat it for more.",
)
