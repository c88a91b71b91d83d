"""Before, after, truth and slices from several sources, joined by id in memory."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack, contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.errors import InputError, Mention
from clustermark.labels import Labeling, label_list, read_counts, read_labels, read_weights
from clustermark.labels.aligned import SHOWN, SomeIds, check_matches, take_places, unlike_ids_error
from clustermark.labels.labeling import with_values
from clustermark.labels.names import Names, merge_names
from clustermark.labels.python_objects import read_objects
from clustermark.releases.labelled import make_labelled
from clustermark.sources import columns
from clustermark.sources.columns import Columns
from clustermark.sources.frames import refuse_repeated
from clustermark.sources.tabular import Tabular, is_tabular, open_columns, read_ids

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from clustermark.releases.labelled import Labelled
    from clustermark.releases.reading import Asked

_WORDS = {"true": "old", "pred": "new", "noise_true": "noise_pred"}
_NUMBERS = {"counts": read_counts, "weights": read_weights}


class _Read(NamedTuple):
    """The ids of a source and other columns of it, read at once: a second look may find the rows in another order."""

    source: Tabular
    ids: Names
    columns: dict[str, Any]

    @classmethod
    def of(cls, source: Tabular, ids: list[str], wanted: Iterable[str]) -> _Read:
        names = list(dict.fromkeys([*ids, *wanted]))
        read = dict(zip(names, source.read(names), strict=True))
        return cls(source, _read_ids(source, ids, read), read)

    def labels(self, column: str, places: NDArray[np.int64]) -> Labeling:
        """A column for all records, which are at these places; at -1 where the source lacks them."""
        read = read_labels(self.columns[column], f"{self.source.said}: column {column!r}")
        return take_places(with_values(read), places)


class _Joined(NamedTuple):
    """Before and after, and where they have all records, those of before first."""

    sides: tuple[_Read, _Read]
    places: tuple[NDArray[np.int64], NDArray[np.int64]]
    ids: Names


@contextmanager
def spell_words(columns: Mapping[str, str] = MappingProxyType({})) -> Iterator[None]:
    """Let messages call the options of a table, in which before stands where the truth does, as they are called here.

    columns: which option names a column, where that is to be told by the column.
    """
    try:
        yield
    except InputError as error:
        error.args = tuple(
            Mention(
                columns.get(str(part.values[:1][0]) if part.values else "", _WORDS.get(part.name, part.name)),
                *part.values,
            )
            if isinstance(part, Mention)
            else part
            for part in error.args
        )
        raise


def join_sources(
    before: Any, after: Any, asked: Asked, options: dict[str, Any]
) -> tuple[Labelled, Names, dict[str, Any]]:
    """The labels of all records of before and after, their ids, and what the sources are called."""
    if after is None:
        raise InputError(
            "after is None: a truth or slices from another source are joined by id, so pass before and after as two "
            "sources too, or name columns of one source by ",
            *(Mention("old"), ", ", Mention("new"), ", ", Mention("true"), " and ", Mention("by")),
        )
    if options.get("pairs") is not None:
        raise InputError(
            *(Mention("pairs"), " with a truth or slices: make clusters of the pairs first, such as by "),
            Mention("sweep_pairs()"),
        )
    with ExitStack() as opened:
        one, two = (
            opened.enter_context(open_columns(source, name, options))
            for source, name in ((before, "records before"), (after, "records after"))
        )
        numbers = {what: options.get(what) for what in _NUMBERS}
        taken = columns.read_id(options.get("on"))
        with spell_words():
            chosen = columns.of_two(one, two, Columns(options.get("true"), options.get("pred"), taken, **numbers))
        assert chosen.true and chosen.pred and chosen.on  # noqa: PT018  # `of_two` saw to it
        named = [*numbers.values(), asked.true if asked.truth is None else None]
        named += [asked.by if isinstance(asked.by, str) and asked.records is None else None]
        more = [column for column in named if column is not None]
        before_read, after_read = (
            _Read.of(source, [pair[place] for pair in chosen.on], [label, *(x for x in more if x in source.kinds)])
            for place, (source, label) in enumerate(((one, chosen.true), (two, chosen.pred)))
        )
        joined = _join(before_read, after_read, chosen.on, options)
        in_before, in_after = joined.places
        found = {
            "before": before_read.labels(chosen.true, in_before),
            "after": after_read.labels(chosen.pred, in_after),
        }
        if asked.truth is not None or asked.true is not None:
            found["truth"] = _find_truth(asked, joined, chosen, options, opened)
        if asked.by is not None:
            found["by"] = _find_slices(asked, joined, chosen, options, opened)
        counted = {what: _join_numbers(what, column, joined) for what, column in numbers.items() if column is not None}
        settings: dict[str, Any] = {"truth": one.said, "prediction": two.said, **chosen.settings()}
        asked_for = Columns(options.get("true"), options.get("pred"), taken).settings()
        if guessed := [what for what in ("true", "pred", "on") if what not in asked_for]:
            settings["guessed"] = guessed
    return make_labelled(found, counted.get("counts"), counted.get("weights")), joined.ids, settings


def _join(one: _Read, two: _Read, on: columns.IdColumns, options: dict[str, Any]) -> _Joined:
    _refuse_unlike(one, two, on)
    ids, places = merge_names(one.ids, two.ids)
    n, n_one, n_two = len(ids), len(one.ids), len(two.ids)
    show = lambda: (_some(one, [a for a, _ in on]), _some(two, [b for _, b in on]))  # noqa: E731
    check_matches(n_one + n_two - n, n_one, n_two, show)
    if options.get("unmatched") == "error" and not n == n_one == n_two:
        raise InputError(
            f"the ids differ: {n - n_two:,} occur in {one.source.said} only and {n - n_one:,} in {two.source.said} "
            "only; make them agree, or choose ",
            Mention("unmatched", "drop", "singletons"),
        )
    in_one, in_two = np.full(n, -1), np.full(n, -1)
    in_one[:n_one] = np.arange(n_one)
    in_two[places] = np.arange(n_two)
    return _Joined((one, two), (in_one, in_two), ids)


def _read_ids(source: Tabular, names: list[str], read: Mapping[str, Any]) -> Names:
    parts = [read_ids(read[name], f"{source.said}: column {name!r}") for name in names]
    ids = parts[0]
    if len(parts) > 1:
        ids = read_objects(list(zip(*(label_list(one.values, one.codes) for one in parts), strict=True)), source.said)
    refuse_repeated(source.said, ids, " and ".join(map(repr, names)))
    return Names(ids.values, ids.codes)


def _refuse_unlike(one: _Read, two: _Read, on: columns.IdColumns) -> None:
    """Texts never meet numbers: 1 is not '1'."""
    if len(on) == 1 and len(one.ids) and len(two.ids):
        texts = [isinstance(side.ids.take(np.zeros(1, np.int64)).to_list()[0], str) for side in (one, two)]
        if texts[0] != texts[1]:
            raise unlike_ids_error(_some(one, [on[0][0]]), _some(two, [on[0][1]]))


def _some(side: _Read, names: list[str]) -> SomeIds:
    some = side.ids.take(np.arange(min(SHOWN, len(side.ids)))).to_list()
    return SomeIds.of(names, side.source.said, some, type(some[0]).__name__ if some else "")


def _find_truth(asked: Asked, joined: _Joined, chosen: Columns, options: dict[str, Any], opened: ExitStack) -> Labeling:
    """The truth of all records: a mapping, a source of its own, or a column of before or after."""
    if asked.truth is None:
        return _of_either("true", str(asked.true), joined)
    if isinstance(asked.truth, Mapping):
        return _of_mapping("truth", asked.truth, joined.ids)
    if not is_tabular(asked.truth):
        raise InputError("truth: with sources, pass a source with the same id, or a mapping from id")
    source = opened.enter_context(open_columns(asked.truth, "truth", options))
    on = tuple((_id_in(source, pair), pair[1]) for pair in chosen.on or ())
    labels = columns.of_two(source, joined.sides[1].source, Columns(asked.true, chosen.pred, on)).true
    assert labels is not None  # `of_two` saw to it
    return _from(source, labels, [name for name, _ in on], joined.ids)


def _find_slices(
    asked: Asked, joined: _Joined, chosen: Columns, options: dict[str, Any], opened: ExitStack
) -> Labeling:
    """The slices of all records: a mapping, or a column of before, of after or of the records."""
    if isinstance(asked.by, Mapping):
        return _of_mapping("by", asked.by, joined.ids)
    if not isinstance(asked.by, str):
        raise InputError("by: with sources, pass the name of a column, or a mapping from id")
    if asked.records is None:
        return _of_either("by", asked.by, joined)
    source = opened.enter_context(open_columns(asked.records, "records", options))
    names = [_id_in(source, pair) for pair in chosen.on or ()]
    for what, name in (("by", asked.by), *(("on", name) for name in names)):
        columns.require(source, what, name)
    return _from(source, asked.by, names, joined.ids)


def _id_in(source: Tabular, pair: tuple[str, str]) -> str:
    return pair[0] if pair[0] in source.kinds or pair[1] not in source.kinds else pair[1]


def _of_mapping(name: str, given: Mapping[Any, Any], ids: Names) -> Labeling:
    labels = read_objects(list(given.values()), f"{name}.values()")
    place = {item: number for number, item in enumerate(given)}
    return take_places(labels, np.array([place.get(item, -1) for item in ids.to_list()], np.intp))


def _from(source: Tabular, column: str, on: list[str], ids: Names) -> Labeling:
    """A column of a third source for all records; its further records are passed over."""
    read = _Read.of(source, on, [column])
    _, at = merge_names(ids, read.ids)
    places = np.full(len(ids), -1)
    known = np.flatnonzero(at < len(ids))
    places[at[known]] = known
    return read.labels(column, places)


def _of_either(what: str, column: str, joined: _Joined) -> Labeling:
    """A column of after, or of before where after lacks it or the record."""
    before, after = joined.sides
    found = [
        side.labels(column, places)
        for side, places in ((after, joined.places[1]), (before, joined.places[0]))
        if column in side.source.kinds
    ]
    if not found:
        columns.require(after.source, what, column)
    if len(found) == 1:
        return found[0]
    first, second = (label_list(one.values, one.codes) for one in found)
    lacks = (joined.places[1] < 0).tolist()
    return read_objects([b if lack else a for a, b, lack in zip(first, second, lacks, strict=True)], column)


def _join_numbers(what: str, column: str, joined: _Joined) -> NDArray[Any]:
    """The numbers of all records, from the side that has the column; from before if both have it and the record."""
    lacking = np.ones(len(joined.ids), np.bool_)
    found: NDArray[Any] = np.zeros(len(lacking), np.int64 if what == "counts" else np.float64)
    for side, places in zip(joined.sides, joined.places, strict=True):
        if column in side.source.kinds:
            new = lacking & (places >= 0)
            said = f"{side.source.said}: {what}={column!r}"
            found[new] = _NUMBERS[what](side.columns[column], len(side.ids), said)[places[new]]
            lacking &= ~new
    if lacking.any():
        raise InputError(f"{what}={column!r} has no number for {np.count_nonzero(lacking):,} id(s); every id needs one")
    return found
