"""The table of data frames in memory: pandas, Polars, PyArrow. No engine is needed for them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark._kernel import encode_integers
from clustermark.engines.pushdown.gather import (
    lacking_numbers_error,
    missing_labels_error,
    unlike_numbers_error,
    unmatched_ids_error,
)
from clustermark.errors import InputError, Mention
from clustermark.labels import ABSENT, Labeling, read_counts, read_labels, read_weights
from clustermark.labels.aligned import SHOWN, SomeIds, check_matches, take_places, unlike_ids_error
from clustermark.labels.labeling import label_list, with_missing, with_values
from clustermark.labels.names import Names, merge_names
from clustermark.labels.python_objects import read_objects
from clustermark.options import ENGINE, declared_options
from clustermark.sources import columns
from clustermark.sources.recognition import class_in
from clustermark.sources.request import describe_reading
from clustermark.tables.contingency import Origin
from clustermark.tables.crosstab import tabulate_codes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from clustermark.engines.engine import Kind
    from clustermark.sources.columns import Columns, IdColumns
    from clustermark.sources.request import Request
    from clustermark.tables.contingency import Contingency

_FRAMES = {
    ("pandas", "DataFrame"): "pandas",
    ("polars", "DataFrame"): "polars",
    ("pyarrow", "Table"): "pyarrow",
    ("pyarrow", "RecordBatch"): "pyarrow",
}
_ASKING_FOR_AN_ENGINE = {
    "pairs",
    *(one.name for one in declared_options().values() if one.option.group == ENGINE and not one.option.labels),
}
_NUMBERS = {"counts": read_counts, "weights": read_weights}


class Frame(NamedTuple):
    """A data frame, and what its columns are called; names that are no texts are taken as texts."""

    data: Any
    library: str
    said: str
    names: list[str]

    @property
    def kinds(self) -> dict[str, int]:
        """The columns by name, each with its place."""
        return {name: place for place, name in enumerate(self.names)}

    def column(self, name: str) -> Any:
        """The column of this name."""
        if self.names.count(name) > 1:
            raise InputError(f"{self.said}: {self.names.count(name)} columns are called {name!r}; rename all but one")
        place = self.names.index(name)
        if self.library == "pandas":
            return self.data.iloc[:, place]
        return self.data.to_series(place) if self.library == "polars" else self.data.column(place)


class Points(NamedTuple):
    """The labels of all points, and what else is known of them."""

    true: Labeling
    pred: Labeling
    numbers: dict[str, NDArray[Any]]
    """Counts and weights, where they were asked for."""
    ids: list[Any] | None
    columns: Columns
    frames: list[Frame]
    """One, or that of the truth and that of the prediction."""
    few: str = ""
    """What was said of it, if few ids occur on both sides."""


def stay_in_memory(source: object, other: object, request: Request) -> bool:
    """Whether sources are data frames in memory, and no engine is asked for."""
    frames = [class_in(one, _FRAMES) for one in (source, other) if one is not None]
    return all(frames) and not _ASKING_FOR_AN_ENGINE & request.options.keys()


def tabulate_frames(source: Any, other: Any, request: Request) -> Contingency:
    """The table of one frame with two columns of labels, or of two frames joined by id."""
    points = read_points(source, other, request)
    _check_missing(points, request)
    names = ["source"] if other is None else ["truth", "prediction"]
    said = {name: _describe(frame.data) for name, frame in zip(names, points.frames, strict=True)}
    few = {"few_matches": points.few} if points.few else {}
    numbers = points.numbers
    return tabulate_codes(
        *(points.true, points.pred, numbers.get("counts"), numbers.get("weights"), request.policies),
        request.options.get("threads"),
        origin=Origin(said | describe_reading(points.columns, request) | few, ()),
    )


def labels_of_frames(source: Any, other: Any, request: Request, beside: Sequence[str] = ()) -> dict[str, Any]:
    """All points of the frames: true and pred, and counts and weights; by their ids, if these are known.

    beside: more columns of one frame, by name and as they are; they come under "beside", and labels as lists.
    """
    points = read_points(source, other, request)
    if points.ids is None and points.columns.on is not None and not beside:
        named = tuple((true, true) for true, _ in points.columns.on)
        points = points._replace(ids=_read_ids(points.frames[0], points.frames[0], named)[0].to_list())
    lists: dict[str, Any] = {what: array.tolist() for what, array in points.numbers.items()}
    for what, side in (("true", points.true), ("pred", points.pred)):
        lists[what] = label_list(side.values, side.codes)
    if points.ids is None:
        return lists | ({"beside": {name: points.frames[0].column(name) for name in beside}} if beside else {})
    mappings = {what: dict(zip(points.ids, labels, strict=True)) for what, labels in lists.items()}
    for what, side in (("true", points.true), ("pred", points.pred)):
        for place in np.flatnonzero(side.codes == ABSENT).tolist():
            del mappings[what][points.ids[place]]
    return mappings


def read_frame_columns(source: Any, names: Mapping[str, str], chosen: Columns) -> dict[str, Any]:
    """Columns of a frame by name as they are; and, checked, those of counts and weights under these words.

    names: what each column is for, as messages call it.
    """
    frame = _open(source, "")
    for what, column in chosen.settings().items():
        columns.require(frame, what, column)
    read = {}
    for name, what in names.items():
        columns.require(frame, what, name)
        read[name] = frame.column(name)
    numbers = {what: column for what in _NUMBERS if (column := getattr(chosen, what)) is not None}
    return read | {f"{what}=": _numbers_of(frame, what, column) for what, column in numbers.items()}


def read_points(source: Any, other: Any, request: Request) -> Points:
    """All points of one frame, or of two joined by id."""
    if other is None:
        return _read_one(_open(source, ""), request)
    return _read_two(_open(source, " of the truth"), _open(other, " of the prediction"), request)


def _open(data: Any, whose: str) -> Frame:
    library = class_in(data, _FRAMES) or ""
    names = data.schema.names if library == "pyarrow" else data.columns
    said = _describe(data) + whose
    if not len(data):
        raise InputError(f"{said}: holds no points; there is nothing to compare")
    return Frame(data, library, said, [str(name) for name in names])


def _describe(data: Any) -> str:
    return f"the {type(data).__name__}"


def _read_one(frame: Frame, request: Request) -> Points:
    chosen = columns.of_one(frame, request.columns)
    true, pred = (_labels_of(frame, column) for column in (chosen.true, chosen.pred))
    numbers = {
        what: _numbers_of(frame, what, column) for what in _NUMBERS if (column := getattr(chosen, what)) is not None
    }
    return Points(true, pred, numbers, None, chosen, [frame])


def _read_two(truth: Frame, prediction: Frame, request: Request) -> Points:
    """Both sides over the union of their ids: those of the truth in its order, then the prediction's own."""
    chosen = columns.of_two(truth, prediction, request.columns)
    true, pred = _labels_of(truth, chosen.true), _labels_of(prediction, chosen.pred)
    ids, pred_places = merge_names(*_read_ids(truth, prediction, chosen.on or ()))
    n, nowhere = len(ids), -1
    in_truth, in_prediction = np.full(n, nowhere), np.full(n, nowhere)
    in_truth[: len(true)] = np.arange(len(true))
    in_prediction[pred_places] = np.arange(len(pred))
    few = "" if request.policies.unmatched == "keep" else _check_matches(truth, prediction, n, chosen.on or ())
    if request.policies.unmatched == "error" and (n > len(true) or n > len(pred)):
        raise unmatched_ids_error(truth.said, n - len(pred), prediction.said, n - len(true))
    numbers = {
        what: _join_numbers(what, column, ((truth, in_truth), (prediction, in_prediction)), ids)
        for what in _NUMBERS
        if (column := getattr(chosen, what)) is not None
    }
    true, pred = take_places(with_values(true), in_truth), take_places(with_values(pred), in_prediction)
    return Points(true, pred, numbers, ids.to_list(), chosen, [truth, prediction], few)


def _join_numbers(what: str, column: str, sides: Iterable[tuple[Frame, NDArray[np.int64]]], ids: Names) -> NDArray[Any]:
    """The numbers of all ids, from the sides that have the column; where both have it and the id, they must agree."""
    lacking = np.ones(len(ids), np.bool_)
    joined: NDArray[Any] = np.zeros(len(ids), np.int64 if what == "counts" else np.float64)
    asked = Mention(what, column)
    for frame, places in sides:
        if column in frame.kinds:
            numbers, here = _numbers_of(frame, what, column), places >= 0
            unlike = here & ~lacking
            unlike[unlike] = joined[unlike] != numbers[places[unlike]]
            if unlike.any():
                raise unlike_numbers_error(asked, int(unlike.sum()), ids.to_list()[int(unlike.argmax())])
            joined[here] = numbers[places[here]]
            lacking &= ~here
    if lacking.any():
        raise lacking_numbers_error(asked, int(lacking.sum()), ids.to_list()[int(lacking.argmax())])
    return joined


def _labels_of(frame: Frame, column: str | None) -> Labeling:
    assert column is not None  # `of_one` and `of_two` saw to it
    return read_labels(frame.column(column), f"{frame.said}: column {column!r}")


def _numbers_of(frame: Frame, what: str, column: str) -> NDArray[Any]:
    return _NUMBERS[what](frame.column(column), len(frame.data), f"{frame.said}: {what}={column!r}")


def _check_matches(truth: Frame, prediction: Frame, n: int, on: IdColumns) -> str:
    """Refuse frames that share no id, and warn of those that share few; n: how many ids there are."""
    n_true, n_pred = len(truth.data), len(prediction.data)
    sides = (truth, [true for true, _ in on]), (prediction, [pred for _, pred in on])
    return check_matches(n_true + n_pred - n, n_true, n_pred, lambda: (_some_ids(*sides[0]), _some_ids(*sides[1])))


def _some_ids(frame: Frame, names: list[str]) -> SomeIds:
    """A few ids of a frame, for messages."""
    columns = [frame.column(name)[:SHOWN] for name in names]
    lists = [column.to_pylist() if hasattr(column, "to_pylist") else column.to_list() for column in columns]
    kinds = ", ".join(str(column.type if frame.library == "pyarrow" else column.dtype) for column in columns)
    return SomeIds.of(names, frame.said, lists[0] if len(lists) == 1 else list(zip(*lists, strict=True)), kinds)


def _read_ids(truth: Frame, prediction: Frame, on: IdColumns) -> list[Names]:
    """The ids of both sides, each there and unique; of several columns they are tuples."""
    parts = []
    for names in on:
        sides = [_read_id_column(frame, name) for frame, name in zip((truth, prediction), names, strict=True)]
        kinds = {kind_of(side) for side in sides}
        clocks = {_clock_of(_type_of(frame, name)) for frame, name in zip((truth, prediction), names, strict=True)}
        if (len(kinds) > 1 and kinds & {"text", "boolean"}) or len(clocks - {None}) > 1:
            raise unlike_ids_error(_some_ids(truth, [names[0]]), _some_ids(prediction, [names[1]]))
        parts.append(sides)
    found = []
    for frame, names, columns_read in zip(
        (truth, prediction), zip(*on, strict=True), zip(*parts, strict=True), strict=True
    ):
        ids = columns_read[0]
        if len(columns_read) > 1:
            lists = (label_list(one.values, one.codes) for one in columns_read)
            ids = read_objects(list(zip(*lists, strict=True)), frame.said)
        refuse_repeated(frame.said, ids, " and ".join(map(repr, names)))
        found.append(Names(ids.values, ids.codes))
    return found


def _type_of(frame: Frame, name: str) -> str:
    column = frame.column(name)
    return str(column.type if frame.library == "pyarrow" else column.dtype).lower()


def _clock_of(kind: str) -> str | None:
    """Which kind of time a type holds, if any; None where only the values tell."""
    if kind.startswith(("object", "dictionary", "categor", "enum")):
        return None
    for clock, pattern in _CLOCKS.items():
        if re.match(pattern, kind):
            return clock
    return ""


_CLOCKS = {
    "zoned": r"timestamp\[.*tz=|datetime\(.*time_zone='|datetime64\[\w+, ",
    "local": r"timestamp|datetime",
    "date": r"date",
    "time of day": r"time(32|64)?(\[|$)",
    "duration": r"duration|timedelta",
}
"""Ids of two of these are never equal, whatever numbers they are kept as; types of pandas, Polars and Arrow."""


def _read_id_column(frame: Frame, on: str) -> Labeling:
    column = frame.column(on)
    kind = _type_of(frame, on)
    if kind.startswith(("float", "double", "halffloat")):  # unlike labels, ids need not be whole numbers
        floats = np.asarray(column).astype(np.float64) + 0.0  # makes -0.0 the same bits as 0.0
        codes, first = encode_integers(floats.view(np.int64))
        ids = with_missing(Labeling(codes, floats[first]), np.isnan(floats))
    else:
        ids = read_labels(column, f"{frame.said}: column {on!r}")
    if ids.n_missing:
        raise InputError(
            f"{frame.said}: {ids.n_missing:,} row(s) have no id in column {on!r}, the first at position "
            f"{ids.first_missing}; every row needs one"
        )
    return ids


def refuse_repeated(said: str, ids: Labeling, on: str) -> None:
    """Refuse ids of which some occur twice; said: what messages call their source."""
    first = encode_integers(ids.codes)[1]
    if len(first) < len(ids):
        repeats = np.ones(len(ids), np.bool_)
        repeats[first] = False
        place = int(repeats.argmax())
        shown = label_list(ids.values, ids.codes[[place]])[0]
        raise InputError(
            f"{said}: the ids in column {on} must be unique; {len(ids) - len(first):,} row(s) repeat one, such "
            f"as {shown!r} at position {place}; remove the duplicates"
        )


def _check_missing(points: Points, request: Request) -> None:
    if request.policies.missing != "error":
        return
    sides = (
        (points.frames[0], points.columns.true, points.true),
        (points.frames[-1], points.columns.pred, points.pred),
    )
    for frame, column, side in sides:
        if side.n_missing:
            where = "" if points.ids else f", the first at position {side.first_missing}"
            raise missing_labels_error(frame.said, str(column), side.n_missing, where)


def kind_of(labeling: Labeling) -> Kind:
    """What a column holds, by its labels."""
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
