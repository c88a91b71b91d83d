"""Before, after, truth and slices from several sources, joined by id in memory."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack, contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.errors import InputError, Mention
from clustermark.labels import Labeling, label_list
from clustermark.labels.alignment import take_places
from clustermark.labels.lists_and_arrays import read_objects
from clustermark.labels.names import Names, merge_names
from clustermark.releases.labelled import make_labelled
from clustermark.sources import columns
from clustermark.sources.by_id import NUMBERS, Joined, join, labels_at, read_own_ids
from clustermark.sources.columns import Columns
from clustermark.sources.tabular import Tabular, is_tabular, open_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clustermark.releases.labelled import Labelled
    from clustermark.releases.reading import Asked

_WORDS = {"true": "old", "pred": "new", "noise_true": "noise_pred"}


class _Read(NamedTuple):
    """Columns of a source, read at once: a second look may find the rows in another order."""

    said: str
    kinds: Mapping[str, Any]
    columns: dict[str, Any]

    @classmethod
    def of(cls, source: Tabular, wanted: Iterable[str]) -> _Read:
        names = list(dict.fromkeys(wanted))
        return cls(source.said, source.kinds, dict(zip(names, source.read(names), strict=True)))

    def column(self, name: str) -> Any:
        """The column of this name."""
        return self.columns[name]


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
        numbers = {what: options.get(what) for what in NUMBERS}
        taken = columns.read_id(options.get("on"))
        with spell_words():
            chosen = columns.of_two(one, two, Columns(options.get("true"), options.get("pred"), taken, **numbers))
        assert chosen.true and chosen.pred and chosen.on  # noqa: PT018  # `of_two` saw to it
        named = [*numbers.values(), asked.true if asked.truth is None else None]
        named += [asked.by if isinstance(asked.by, str) and asked.records is None else None]
        more = [column for column in named if column is not None]
        before_read, after_read = (
            _Read.of(source, [*(pair[place] for pair in chosen.on), label, *(x for x in more if x in source.kinds)])
            for place, (source, label) in enumerate(((one, chosen.true), (two, chosen.pred)))
        )
        joined = join(before_read, after_read, chosen.on)
        if options.get("unmatched") == "error" and any(joined.n_only):
            raise InputError(
                f"the ids differ: {joined.n_only[0]:,} occur in {one.said} only and {joined.n_only[1]:,} in {two.said} "
                "only; make them agree, or choose ",
                Mention("unmatched", "drop", "singletons"),
            )
        found = {
            "before": labels_at(before_read, chosen.true, joined.places[0]),
            "after": labels_at(after_read, chosen.pred, joined.places[1]),
        }
        if asked.truth is not None or asked.true is not None:
            found["truth"] = _find_truth(asked, joined, chosen, options, opened)
        if asked.by is not None:
            found["by"] = _find_slices(asked, joined, chosen, options, opened)
        counted = {what: joined.join_numbers(what, column) for what, column in numbers.items() if column is not None}
        settings: dict[str, Any] = {"truth": one.said, "prediction": two.said, **chosen.settings()}
        asked_for = Columns(options.get("true"), options.get("pred"), taken).settings()
        if guessed := [what for what in ("true", "pred", "on") if what not in asked_for]:
            settings["guessed"] = guessed
    return make_labelled(found, counted.get("counts"), counted.get("weights")), joined.ids, settings


def _find_truth(asked: Asked, joined: Joined, chosen: Columns, options: dict[str, Any], opened: ExitStack) -> Labeling:
    """The truth of all records: a mapping, a source of its own, or a column of before or after."""
    if asked.truth is None:
        return _of_either("true", str(asked.true), joined)
    if isinstance(asked.truth, Mapping):
        return _of_mapping("truth", asked.truth, joined.ids)
    if not is_tabular(asked.truth):
        raise InputError("truth: with sources, pass a source with the same id, or a mapping from id")
    source = opened.enter_context(open_columns(asked.truth, "truth", options))
    on = tuple((_id_in(source, pair), pair[1]) for pair in chosen.on or ())
    labels = columns.of_two(source, joined.sides[1], Columns(asked.true, chosen.pred, on)).true
    assert labels is not None  # `of_two` saw to it
    return _from(source, labels, [name for name, _ in on], joined.ids)


def _find_slices(asked: Asked, joined: Joined, chosen: Columns, options: dict[str, Any], opened: ExitStack) -> Labeling:
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
    read = _Read.of(source, [*on, column])
    _, at = merge_names(ids, read_own_ids(read, on))
    places = np.full(len(ids), -1)
    known = np.flatnonzero(at < len(ids))
    places[at[known]] = known
    return labels_at(read, column, places)


def _of_either(what: str, column: str, joined: Joined) -> Labeling:
    """A column of after, or of before where after lacks it or the record."""
    before, after = joined.sides
    found = [
        labels_at(side, column, places)
        for side, places in ((after, joined.places[1]), (before, joined.places[0]))
        if column in side.kinds
    ]
    if not found:
        columns.require(after, what, column)
    if len(found) == 1:
        return found[0]
    first, second = (label_list(one.values, one.codes) for one in found)
    lacks = (joined.places[1] < 0).tolist()
    return read_objects([b if lack else a for a, b, lack in zip(first, second, lacks, strict=True)], column)
