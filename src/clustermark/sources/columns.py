"""Which columns of a relation hold what: named by the caller, or guessed where there is no choice."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from clustermark.errors import InputError, Mention

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class HasColumns(Protocol):
    """A relation of an engine, or a data frame in memory."""

    @property
    def said(self) -> str:
        """What messages call it."""
        ...

    @property
    def kinds(self) -> Mapping[str, Any]:
        """What each of its columns holds, by name."""
        ...


class Columns(NamedTuple):
    """The names of the columns that a comparison needs; None where it does without."""

    true: str | None = None
    pred: str | None = None
    on: str | None = None
    counts: str | None = None
    weights: str | None = None

    def settings(self) -> dict[str, str]:
        """Those that are used."""
        return {what: column for what, column in zip(self._fields, self, strict=True) if column is not None}


def of_one(relation: HasColumns, asked: Columns) -> Columns:
    """The columns of a relation that holds both labelings."""
    for what, column in asked.settings().items():
        require(relation, what, column)
    if asked.true is not None and asked.pred is not None:
        return asked
    taken = {column for column in asked if column is not None}
    free = [name for name in relation.kinds if name not in taken]
    wanted = [what for what in ("true", "pred") if getattr(asked, what) is None]
    if len(free) != len(wanted):
        raise InputError(
            f"{relation.said}: name the columns of the truth and of the prediction by ",
            *(Mention("true"), " and ", Mention("pred")),
            f" (it has {list_names(relation.kinds)})",
        )
    return asked._replace(**dict(zip(wanted, free, strict=True)))


def of_two(truth: HasColumns, prediction: HasColumns, asked: Columns) -> Columns:
    """The columns of two relations that share an id."""
    on = asked.on if asked.on is not None else _shared(truth, prediction)
    for relation in (truth, prediction):
        require(relation, "on", on)
    numbers = {column for column in (asked.counts, asked.weights) if column is not None}
    for what, column in (("counts", asked.counts), ("weights", asked.weights)):
        if column is not None and column not in truth.kinds:
            require(prediction, what, column)
    return asked._replace(
        on=on,
        true=_only(truth, "true", asked.true, {on, *numbers}),
        pred=_only(prediction, "pred", asked.pred, {on, *numbers}),
    )


def _shared(truth: HasColumns, prediction: HasColumns) -> str:
    shared = [name for name in truth.kinds if name in prediction.kinds]
    if len(shared) == 1:
        return shared[0]
    if len(shared) == len(truth.kinds) == len(prediction.kinds) == 2:
        return shared[0]  # id, cluster on both sides: the id comes first
    raise InputError(
        f"{truth.said} and {prediction.said}: name the column with the ids that both have by ",
        Mention("on"),
        f" (the first has {list_names(truth.kinds)}, the second {list_names(prediction.kinds)})",
    )


def _only(relation: HasColumns, what: str, column: str | None, taken: set[str]) -> str:
    if column is not None:
        require(relation, what, column)
        return column
    free = [name for name in relation.kinds if name not in taken]
    if len(free) != 1:
        raise InputError(
            f"{relation.said}: name the column with the clusters by ",
            Mention(what),
            f" (it has {list_names(relation.kinds)})",
        )
    return free[0]


def require(relation: HasColumns, what: str, column: str) -> None:
    """Complain about a column that is not there."""
    if column in relation.kinds:
        return
    by_small_letters = {name.casefold(): name for name in relation.kinds}
    close = [by_small_letters[name] for name in get_close_matches(column.casefold(), by_small_letters, 1, 0.6)]
    hint = f"; did you mean {close[0]!r}?" if close else ""
    raise InputError(
        f"{relation.said}: ", Mention(what, column), f" is no column of it{hint} (it has {list_names(relation.kinds)})"
    )


def list_names(names: Iterable[str]) -> str:
    """Some names, in words."""
    names = list(names)
    shown = ", ".join(repr(name) for name in names[:12])
    return f"{shown} and {len(names) - 12} more" if len(names) > 12 else shown or "no columns"
