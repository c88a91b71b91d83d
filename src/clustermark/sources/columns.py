"""The roles of the columns of a relation: named by the caller, or guessed where only one choice is possible."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from clustermark.engines.label_types import why_refused
from clustermark.errors import InputError, Mention
from clustermark.results.values import label_text

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from clustermark.engines.engine import Kind
    from clustermark.labels import Labeling
    from clustermark.tables.contingency import Side


class HasColumns(Protocol):
    """A relation of an engine, or a data frame in memory."""

    @property
    def called(self) -> str:
        """Name in messages."""
        ...

    @property
    def kinds(self) -> Mapping[str, Any]:
        """Kind of each column, by name."""
        ...


SPLINK_CLUSTERS = "cluster_id"
"""The column that Splink adds to the records, all of whose columns its tables of clusters have."""
_INDEX_OF_PANDAS = re.compile(r"__index_level_\d+__")

IdColumns: TypeAlias = tuple[tuple[str, str], ...]
"""The columns of an id, each as a pair of its names in the truth and in the prediction."""


class Columns(NamedTuple):
    """Names of the columns that a comparison needs; None for those that it does not need."""

    true: str | None = None
    pred: str | None = None
    on: IdColumns | None = None
    counts: str | None = None
    weights: str | None = None

    def settings(self) -> dict[str, str]:
        """Return the columns that are used, as texts."""
        used = self._asdict() | {"on": None if self.on is None else describe_id(self.on)}
        return {what: column for what, column in used.items() if column is not None}


class Words(NamedTuple):
    """The names of the two sides of a comparison in messages: those of a truth and a prediction by default."""

    columns: tuple[str, str] = ("true", "pred")
    """The options that name the columns of labels."""
    sources: tuple[str, str] = ("y_true", "y_pred")
    """The arguments that contain labels or sources."""
    nouns: tuple[str, str] = ("the truth", "the prediction")
    noise: tuple[str, str] = ("noise_true", "noise_pred")
    """The options for the noise of each side."""

    @property
    def whose(self) -> dict[Side, tuple[str, str]]:
        """The noun and the option for noise of each side of a table."""
        return {"true": (self.nouns[0], self.noise[0]), "pred": (self.nouns[1], self.noise[1])}

    @property
    def frames(self) -> tuple[str, str]:
        """The text after the class of a data frame of each side."""
        if self.sources == ("y_true", "y_pred"):
            return " of the truth", " of the prediction"
        return f" passed as {self.sources[0]}", f" passed as {self.sources[1]}"

    def spell(self, what: str) -> str:
        """Return the name of an option; `true` and `pred` may have other names."""
        return {"true": self.columns[0], "pred": self.columns[1]}.get(what, what)


TRUTH_AND_PREDICTION = Words()


def read_id(on: object) -> IdColumns | None:
    """Return the columns that a caller names as the id."""
    if on is None:
        return None
    named = [on] if isinstance(on, str) else on if isinstance(on, Iterable) else []
    pairs = list(on.items() if isinstance(on, Mapping) else ((one, one) for one in named))
    if not pairs or not all(isinstance(name, str) for pair in pairs for name in pair):
        raise InputError(
            Mention("on", on),
            ": with a source, this must be the name of a column, a list of names, or a mapping from columns of "
            "the first source to columns of the second",
        )
    return tuple(pairs)


def id_names(on: IdColumns | None) -> list[list[str]]:
    """Return the possible names of the id in a third source: those in the truth, and those in the prediction."""
    return [] if on is None else [[pair[place] for pair in on] for place in (0, 1)]


def find_id(records: HasColumns, candidates: Sequence[list[str]]) -> list[str]:
    """Return the first of the candidates whose columns all occur in the records."""
    for names in candidates:
        if set(names) <= set(records.kinds):
            return names
    call = "call it 'id', or " if ["id"] in candidates else ""
    raise InputError(
        f"records: {records.called} has no column of ids; {call}name it by ",
        Mention("on"),
        f" (it has {list_names(records.kinds)})",
    )


def choose(relation: HasColumns, what: str, names: Sequence[str] | None, taken: Collection[Any] = ()) -> list[str]:
    """Return the requested columns, which must exist; by default all columns without another role."""
    for name in names or ():
        require(relation, what, name)
    return [name for name in relation.kinds if name not in taken] if names is None else list(names)


def describe_id(on: IdColumns) -> str:
    """Return the columns of an id in words.

    >>> describe_id((("source", "source"), ("id", "record")))
    'source, id=record'
    """
    return ", ".join(true if true == pred else f"{true}={pred}" for true, pred in on)


def of_one(relation: HasColumns, asked: Columns, words: Words = TRUTH_AND_PREDICTION) -> Columns:
    """Choose the columns of a relation that contains both labelings."""
    named = asked._replace(on=None).settings()
    for what, column in [*named.items(), *(("on", true) for true, _ in asked.on or ())]:
        require(relation, words.spell(what), column)
    if asked.true is not None and asked.pred is not None:
        return asked
    taken = {*named.values(), *(true for true, _ in asked.on or ())}
    free = _list_free(relation, taken)
    wanted = [what for what in ("true", "pred") if getattr(asked, what) is None]
    if len(free) != len(wanted):
        raise InputError(
            f"{relation.called}: name the columns of {words.nouns[0]} and of {words.nouns[1]} by ",
            *(Mention(words.columns[0]), " and ", Mention(words.columns[1])),
            f" (it has {list_names(relation.kinds)})",
        )
    for what, column in zip(wanted, free, strict=True):
        require(relation, words.spell(what), column)
    guessed: dict[str, Any] = dict(zip(wanted, free, strict=True))
    return asked._replace(**guessed)


def of_two(
    truth: HasColumns, prediction: HasColumns, asked: Columns, options: tuple[str, str] = ("true", "pred")
) -> Columns:
    """Choose the columns of two relations that share an id; `options` name the columns of labels in messages."""
    on = asked.on if asked.on is not None else _shared_id(truth, prediction)
    for true, pred in on:
        require(truth, "on", true)
        require(prediction, "on", pred)
    numbers = {column for column in (asked.counts, asked.weights) if column is not None}
    for what, column in (("counts", asked.counts), ("weights", asked.weights)):
        if column is not None and column not in truth.kinds:
            require(prediction, what, column)
    return asked._replace(
        on=on,
        true=only(truth, options[0], asked.true, {*(true for true, _ in on), *numbers}),
        pred=only(prediction, options[1], asked.pred, {*(pred for _, pred in on), *numbers}),
    )


def _shared_id(truth: HasColumns, prediction: HasColumns) -> IdColumns:
    shared = [name for name in truth.kinds if name in prediction.kinds]
    # both sides have the columns id and cluster: the id comes first
    if len(shared) == 1 or len(shared) == len(truth.kinds) == len(prediction.kinds) == 2:
        return ((shared[0], shared[0]),)
    raise InputError(
        f"{truth.called} and {prediction.called}: name the column of ids that both have by ",
        Mention("on"),
        f" (the first has {list_names(truth.kinds)}, the second {list_names(prediction.kinds)})",
    )


def only(relation: HasColumns, what: str, column: str | None, taken: set[str]) -> str:
    """Return the named column, or the only one that is not taken; of clusters of Splink the column that it adds."""
    if column is not None:
        require(relation, what, column)
        return column
    free = _list_free(relation, taken)
    if what != "true" and SPLINK_CLUSTERS in free:
        free = [SPLINK_CLUSTERS]
    if len(free) != 1:
        raise InputError(
            f"{relation.called}: name the column with the clusters by ",
            Mention(what),
            f" (it has {list_names(relation.kinds)})",
        )
    require(relation, what, free[0])
    return free[0]


def _list_free(relation: HasColumns, taken: Collection[str]) -> list[str]:
    """Return the columns without a role; the index that pandas writes into a Parquet file never has one."""
    return [name for name in relation.kinds if name not in taken and not _INDEX_OF_PANDAS.fullmatch(name)]


def require(relation: HasColumns, what: str, column: str) -> None:
    """Raise an error for a column that does not exist or cannot be used."""
    if column in relation.kinds:
        if refused := why_refused(relation.kinds, column):
            raise InputError(f"{relation.called}: column {column!r} {refused}")
        return
    by_small_letters = {name.casefold(): name for name in relation.kinds}
    close = [by_small_letters[name] for name in get_close_matches(column.casefold(), by_small_letters, 1, 0.6)]
    hint = f"; did you mean {close[0]!r}?" if close else ""
    raise InputError(
        f"{relation.called}: ",
        Mention(what, column),
        f" is not one of its columns{hint} (it has {list_names(relation.kinds)})",
    )


def list_names(names: Iterable[str]) -> str:
    """Return the first names in words."""
    names = list(names)
    shown = ", ".join(repr(label_text(name, 64)) for name in names[:12])
    return f"{shown} and {len(names) - 12} more" if len(names) > 12 else shown or "no columns"


def kind_of(labeling: Labeling) -> Kind:
    """Return the kind of a column, given its labels."""
    values = labeling.values
    if values is None:
        return "integer"
    if isinstance(values, np.ndarray):
        kinds: dict[str, Kind] = {
            "i": "integer",
            "u": "integer",
            "f": "float",
            "U": "text",
            "T": "text",
            "b": "boolean",
        }
        return kinds.get(values.dtype.kind, "other")
    types = {type(value) for value in values}
    return "text" if types == {str} else "integer" if types == {int} else "other"
