"""The errors raised by this package. Each message names the argument, the place and a remedy.

An error consists of parts: texts, and mentions of options and functions, which have different spellings in Python and
on the command line. Most errors are one text, `InputError("…")`; with mentions:

>>> error = InputError("column 'a' has 2 missing labels; choose ", Mention("missing", "drop", "cluster"))
>>> str(error)
"column 'a' has 2 missing labels; choose missing='drop' or 'cluster'"
>>> error.spell(lambda mention: f"--{mention.name} {' or '.join(mention.values)}")
"column 'a' has 2 missing labels; choose --missing drop or cluster"
"""

import sys
from operator import index
from warnings import warn

TYPE_CHECKING = False  # as in typing, which the command line does not import until it is needed
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any


class Mention:
    """A mention of an option in a message, with its actual or possible values; or of a function, as `catalogue()`."""

    __slots__ = ("name", "values")

    def __init__(self, name: str, *values: "Any") -> None:
        self.name = name
        self.values = values

    def __str__(self) -> str:
        """Return the spelling in Python."""
        return self.name if self.name.endswith("()") else f"{self.name}={alternatives(list(map(repr, self.values)))}"

    def __reduce__(self) -> "tuple[Any, ...]":
        return Mention, (self.name, *self.values)


def alternatives(texts: "Sequence[str]") -> str:
    """Return several texts as a choice between them.

    >>> alternatives(["a", "b", "c"])
    'a, b or c'
    """
    return " or ".join(filter(None, [", ".join(texts[:-1]), *texts[-1:]]))


def count(n: int, one: str, several: str = "") -> str:
    """Return a number of things, in words.

    >>> count(1, "leaf", "leaves"), count(2_000, "leaf", "leaves"), count(0, "item")
    ('1 leaf', '2,000 leaves', '0 items')
    """
    return f"{n:,} {one if n == 1 else several or one + 's'}"


_LONGEST = 4000
"""Longest message: labels, ids and names of columns in it may be of any length."""


def spell(parts: "Sequence[Any]", mention: "Callable[[Mention], str]" = str) -> str:
    """Return a message of parts, with its mentions spelt by a function; by default as in Python.

    The middle of a very long one is left out, because the end often contains what to do.
    """
    text = "".join(mention(part) if isinstance(part, Mention) else str(part) for part in parts)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]}…{text[1 - _LONGEST // 2 :]}"


class _Spelt(Exception):  # noqa: N818  # warnings consist of parts, too
    """A message that consists of parts, which are its `args`."""

    def __str__(self) -> str:
        return self.spell(str)

    def spell(self, mention: "Callable[[Mention], str]") -> str:
        """Return the message, with its mentions spelt by a function."""
        return spell(self.args, mention)


class ClustermarkError(_Spelt):
    """Base class of all errors of clustermark; `args` are the parts of the message."""


class InputError(ClustermarkError, ValueError, TypeError):
    """The input cannot be used as given; the message says which argument, where, and what to do.

    It is both a `ValueError` and a `TypeError`, so either `except` clause catches it.
    """


class UnsupportedTableError(InputError):
    """An index has no meaning on this kind of table (weights, unscored noise, items of one side only)."""


class UndefinedIndexError(ClustermarkError, ZeroDivisionError, ValueError):
    """An index is 0/0 on this table, and the caller asked for an error instead of a value."""


class EngineError(ClustermarkError, RuntimeError):
    """An engine (DuckDB, Spark, Postgres, …) failed; the message contains the place and the engine's own message."""


class ClustermarkWarning(_Spelt, UserWarning):
    """Something about the data or the options is possibly not intended; the result is valid."""


class FewMatchesWarning(ClustermarkWarning):
    """Few ids of the smaller side occur on the other one; the message contains both numbers."""


class NoiseWarning(ClustermarkWarning):
    """A label looks like noise and counts as a cluster, or was named as noise and occurs with another type only."""


class PluginWarning(ClustermarkWarning):
    """An installed package offers indices that cannot be loaded; the message names them and the reason."""


def warn_user(warning: Warning) -> None:
    """Warn at the line outside this package that made the call."""
    package = __name__.partition(".")[0]
    frame, level, stacklevel = sys._getframe(1), 2, 3
    while frame.f_back is not None:
        frame, level = frame.f_back, level + 1
        if frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
            stacklevel = level + 1
    warn(warning, stacklevel=stacklevel)


def require_whole(name: str, value: object, least: int) -> None:
    """Raise an error unless an argument is an integer of at least `least` that fits a computer word."""
    try:
        is_whole = not isinstance(value, bool) and least <= index(value) < 2**63  # type: ignore[arg-type]
    except TypeError:
        is_whole = False
    if not is_whole:
        raise InputError(Mention(name, value), f" must be a whole number, {least} or more and below 2**63")


def require_progress(progress: object) -> None:
    """Raise an error unless `progress` is None or a function."""
    if progress is not None and not callable(progress):
        raise InputError(Mention("progress", progress), " must be a function of the share that is done, from 0 to 1")


def require_share(name: str, value: object, example: float) -> float:
    """Return an argument if it is a float between 0 and 1; raise an error for all else, 0 and 1 included."""
    if not isinstance(value, float) or not 0 < value < 1:
        raise InputError(Mention(name, value), f" must be between 0 and 1, such as {example:g}")
    return value


def require_flag(name: str, value: object) -> bool:
    """Return an argument if it is True or False; raise an error for all else."""
    if not isinstance(value, bool):
        raise InputError(Mention(name, value), " must be True or False")
    return value


def require_positive(name: str, value: object, example: float) -> float:
    """Return an argument as a float if it is a finite number above 0; raise an error for all else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
        raise InputError(Mention(name, value), f" must be a number above 0, such as {example:g}")
    return float(value)
