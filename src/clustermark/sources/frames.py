"""The table of data frames in memory: pandas, Polars, PyArrow. They need no engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.engines.pushdown.gather import (
    missing_labels_error,
    unmatched_ids_error,
)
from clustermark.errors import InputError
from clustermark.labels import ABSENT, Labeling
from clustermark.labels.alignment import take_places
from clustermark.labels.labeling import label_list, with_values
from clustermark.options import ENGINE, declared_options
from clustermark.sources import columns
from clustermark.sources.by_id import NUMBERS, join, read_column_labels, read_numbers, read_own_ids
from clustermark.sources.request import describe_reading
from clustermark.sources.wrapped import class_in, unwrap
from clustermark.tables.contingency import Origin
from clustermark.tables.tabulation import tabulate_codes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from clustermark.sources.columns import Columns
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


class Frame(NamedTuple):
    """A data frame and the names of its columns; names that are not texts are converted to texts."""

    data: Any
    library: str
    called: str
    names: list[str]

    @property
    def kinds(self) -> dict[str, int]:
        """Positions of the columns, by name."""
        return {name: place for place, name in enumerate(self.names)}

    def column(self, name: str) -> Any:
        """Return the column of this name."""
        if self.names.count(name) > 1:
            raise InputError(f"{self.called}: {self.names.count(name)} columns are called {name!r}; rename all but one")
        place = self.names.index(name)
        if self.library == "pandas":
            return self.data.iloc[:, place]
        return self.data.to_series(place) if self.library == "polars" else self.data.column(place)


class FramePoints(NamedTuple):
    """The labels of all points, with the other data of the points."""

    true: Labeling
    pred: Labeling
    numbers: dict[str, NDArray[Any]]
    """Counts and weights, if requested."""
    ids: list[Any] | None
    columns: Columns
    frames: list[Frame]
    """One frame, or that of the truth and that of the prediction."""
    few: str = ""
    """The warning, if few ids occur on both sides."""


def stay_in_memory(source: object, other: object, request: Request) -> bool:
    """Return whether sources are data frames in memory, and no option requests an engine."""
    frames = [class_in(unwrap(one), _FRAMES) for one in (source, other) if one is not None]
    return all(frames) and not _ASKING_FOR_AN_ENGINE & request.options.keys()


def tabulate_frames(source: Any, other: Any, request: Request) -> Contingency:
    """Return the table of one frame with two columns of labels, or of two frames joined by id."""
    points = read_points(source, other, request)
    _check_missing(points, request)
    names = ["source"] if other is None else ["truth", "prediction"]
    settings = {name: _describe(one) for name, one in zip(names, (source, other), strict=False)}
    few = {"few_matches": points.few} if points.few else {}
    numbers = points.numbers
    return tabulate_codes(
        *(points.true, points.pred, numbers.get("counts"), numbers.get("weights"), request.policies),
        request.options.get("threads"),
        origin=Origin(settings | describe_reading(points.columns, request) | few, ()),
    )


def labels_of_frames(source: Any, other: Any, request: Request, beside: Sequence[str] = ()) -> dict[str, Any]:
    """Return all points of the frames: true and pred, and counts and weights; by id, if ids are named.

    beside: names of further columns of one frame, which are returned unchanged under "beside"; labels are lists then.
    """
    points = read_points(source, other, request)
    if points.ids is None and points.columns.on is not None and not beside:
        named = [true for true, _ in points.columns.on]
        points = points._replace(ids=read_own_ids(points.frames[0], named).to_list())
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
    """Return columns of a frame by name, unchanged; and the checked counts and weights as "counts=" and "weights=".

    names: the role of each column, for messages.
    """
    frame = _open(source, "")
    for what, column in chosen.settings().items():
        columns.require(frame, what, column)
    read = {}
    for name, what in names.items():
        columns.require(frame, what, name)
        read[name] = frame.column(name)
    return read | {f"{what}=": read_numbers(frame, what, column) for what, column in _named_numbers(chosen).items()}


def read_points(source: Any, other: Any, request: Request) -> FramePoints:
    """Return all points of one frame, or of two joined by id."""
    if other is None:
        return _read_one(_open(source, ""), request)
    mine, theirs = request.words.frames
    return _read_two(_open(source, mine), _open(other, theirs), request)


def open_frame(source: Any, whose: str = "") -> Frame | None:
    """Return a data frame in memory, with `whose` as its name in messages; None if the source is no such frame."""
    data = unwrap(source)
    library = class_in(data, _FRAMES)
    if library is None:
        return None
    names = data.schema.names if library == "pyarrow" else data.columns
    return Frame(data, library, _describe(source) + whose, [str(name) for name in names])


def _open(data: Any, whose: str) -> Frame:
    frame = open_frame(data, whose)
    assert frame is not None  # `stay_in_memory` ensures this
    if not len(frame.data):
        raise InputError(f"{frame.called}: holds no points; there is nothing to compare")
    return frame


def _describe(data: Any) -> str:
    return f"the {type(data).__name__}"


def _read_one(frame: Frame, request: Request) -> FramePoints:
    chosen = columns.of_one(frame, request.columns, request.words)
    true, pred = (read_column_labels(frame, str(column)) for column in (chosen.true, chosen.pred))
    numbers = {what: read_numbers(frame, what, column) for what, column in _named_numbers(chosen).items()}
    return FramePoints(true, pred, numbers, None, chosen, [frame])


def _read_two(truth: Frame, prediction: Frame, request: Request) -> FramePoints:
    """Return both sides over the union of their ids: those of the truth in order, then the others of the prediction."""
    chosen = columns.of_two(truth, prediction, request.columns, request.words.columns)
    true, pred = read_column_labels(truth, str(chosen.true)), read_column_labels(prediction, str(chosen.pred))
    joined = join(truth, prediction, chosen.on or (), may_differ=request.policies.unmatched == "keep")
    in_truth, in_prediction = joined.places
    true_only, pred_only = joined.n_only
    if request.policies.unmatched == "error" and (true_only or pred_only):
        raise unmatched_ids_error(truth.called, true_only, prediction.called, pred_only)
    numbers = {what: joined.join_numbers(what, column) for what, column in _named_numbers(chosen).items()}
    true, pred = take_places(with_values(true), in_truth), take_places(with_values(pred), in_prediction)
    return FramePoints(true, pred, numbers, joined.ids.to_list(), chosen, [truth, prediction], joined.few)


def _named_numbers(chosen: Columns) -> dict[str, str]:
    """Return the columns of counts and weights, if requested."""
    return {what: column for what in NUMBERS if (column := getattr(chosen, what)) is not None}


def _check_missing(points: FramePoints, request: Request) -> None:
    if request.policies.missing != "error":
        return
    sides = (
        (points.frames[0], points.columns.true, points.true),
        (points.frames[-1], points.columns.pred, points.pred),
    )
    for frame, column, side in sides:
        if side.n_missing:
            where = "" if points.ids else f", the first at position {side.first_missing}"
            raise missing_labels_error(frame.called, str(column), side.n_missing, where)
