"""The one text of an id, by which records are found wherever they lie."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

_PARTS = "\x1f"
"""Stands between the parts of an id that is made of several columns."""


def id_text(value: Any) -> str:
    """The one text of an id, whatever holds it: a file, a frame or a table.

    >>> [id_text(value) for value in (7, 7.0, "7", 0.5, True, b"a", ("x", 1))]
    ['7', '7', '7', '0.5', 'true', '61', 'x\\x1f1']
    """
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, int | np.integer):
        return str(int(value))
    if isinstance(value, float | np.floating):
        return str(int(value)) if float(value).is_integer() else repr(float(value))
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, tuple):
        return _PARTS.join(map(id_text, value))
    if type(value).__name__ == "Decimal":
        return format(value.normalize(), "f")
    return str(value)


def id_texts(values: Sequence[Any]) -> list[str]:
    """The texts of ids; two ids that have one text are an error, because their pairs could not be told apart."""
    texts = [id_text(value) for value in values]
    known = dict(zip(texts, values, strict=True))
    for text, value in zip(texts, values, strict=True):
        if known[text] != value:
            raise InputError(f"ids: two of them are written {text!r}; make all ids texts, or all of them numbers")
    return texts
