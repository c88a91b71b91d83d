"""Predictions to compare: read together with the truth, restricted to common points, and scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark._kernel import ABSENT, LONE
from clustermark.errors import InputError, Mention, UnsupportedTableError
from clustermark.labels.labeling import Names
from clustermark.options import refuse_for_labels
from clustermark.sources.reading import Role, fates_by_code, name_labelings, read
from clustermark.tables.drawn_tables import rank_labels
from clustermark.tables.policies import ALONE, ONE_SIDED, PLAIN
from clustermark.tables.tabulation import how_many_threads, tabulate_codes
from clustermark.uncertainty.interval import no_interval
from clustermark.uncertainty.limits import IntervalMaker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from clustermark.labels import Labeling
    from clustermark.registry import Index
    from clustermark.sources.reading import Records
    from clustermark.tables.cells import CellTable
    from clustermark.tables.policies import Policies
    from clustermark.uncertainty.interval import Interval, IntervalRequest
    from clustermark.uncertainty.samples import Sample
    from clustermark.uncertainty.spread import Spread


TRUTH = "y_true"
"""Role of the truth among the labelings, and its name in messages."""
_UNIT = "unit="
"""Role of the groups of points; a name that no prediction has by accident."""


class Predictions(NamedTuple):
    """The truth and every run of every method, on the points that all of them have."""

    truth: Labeling
    runs: tuple[Labeling, ...]
    methods: dict[str, tuple[int, ...]]
    """Positions in `runs` of the runs of each method."""
    counts: NDArray[np.int64] | None
    weights: NDArray[np.float64] | None
    policies: Policies
    points: dict[str, int]
    """Numbers of points given, used, noise, dropped and unmatched."""
    lacking: dict[str, int]
    """Number of points left out for each labeling that has no label for them or labels them as noise."""
    settings: dict[str, Any]
    """Source of the labelings, if not in memory."""
    groups: NDArray[np.int64] | None = None
    """Code of the group of each point, if groups of points were sampled."""
    guessed: Mapping[str, str] = {}
    """Columns that were guessed, by the names of the labelings."""
    left_out: tuple[str, ...] = ()
    """Methods without points, because the policies drop all points of one of their runs."""

    @property
    def n_given(self) -> int:
        """Number of points given."""
        return self.points["given"]

    @property
    def n_used(self) -> int:
        """Number of points compared."""
        return self.points["used"]

    @property
    def several_runs(self) -> bool:
        """Whether a method was run more than once."""
        return any(len(places) > 1 for places in self.methods.values())


def read_predictions(
    y_true: Any, predictions: Any, true: str | None, pred: Any, options: Mapping[str, Any], groups: Any = None
) -> Predictions:
    """Read a truth and predictions: labels in memory, columns of one source, or sources joined by id.

    true, pred: the columns. groups: the group of each point, or its column, if groups were sampled.
    """
    methods: dict[str, tuple[str, ...]] = {}
    joined = not options.keys().isdisjoint(("on", "pairs"))
    if true is None and pred is None and not joined:
        _refuse_sources(predictions, options, groups)
        records = read(_roles_of_labels(y_true, predictions, methods), options)
        if not methods:
            raise InputError("predictions: there is none; pass at least one by its name, such as {'kmeans': labels}")
    else:
        if groups is not None and not isinstance(groups, str):
            raise InputError("unit: with sources, name the column that has the groups")
        roles = _roles_of_columns(y_true, predictions, true, pred, options, methods)
        roles |= {} if groups is None else {_UNIT: Role("unit", y_true, groups, "unit")}
        records = read(roles, options, beside=[] if groups is None else [_UNIT])
        groups = records.beside.get(_UNIT)
    if records.policies.unmatched != "keep":
        for name in records.labels:
            records.check_ids(TRUTH, name)
    return keep_common_points(
        records, methods, records.policies, None if groups is None else _read_groups(records, groups)
    )


def _refuse_sources(predictions: Any, options: Mapping[str, Any], groups: Any) -> None:
    refuse_for_labels(options)
    if predictions is None:
        raise InputError(
            "predictions is None; pass them by name, or a source and its columns by ",
            *(Mention("true"), " and ", Mention("pred")),
        )
    if isinstance(groups, str):
        raise InputError(
            Mention("unit", groups), " is unknown; choose 'point' or 'component', or pass the group of each point"
        )


def _roles_of_labels(y_true: Any, predictions: Any, methods: dict[str, tuple[str, ...]]) -> Iterator[tuple[str, Role]]:
    """Return roles by name, first the truth, then the runs of all methods; add the names of runs to `methods`."""
    if isinstance(y_true, str | bytes):
        raise InputError(
            "y_true is a single text; pass one label a point, or name the columns of a source by ",
            *(Mention("true"), " and ", Mention("pred")),
        )
    yield TRUTH, Role(TRUTH, y_true)
    for name, labels in name_labelings(predictions, "predictions"):
        if isinstance(labels, str | bytes):
            raise InputError(
                f"predictions[{name!r}] is a single text; pass one label a point, or join files by ", Mention("on")
            )
        if name == TRUTH or name in methods:
            raise InputError(f"predictions: {name!r} is taken; give each prediction a name of its own")
        runs = labels if are_runs(labels) else [labels]
        methods[name] = _name_runs(name, len(runs), several=are_runs(labels))
        for run, given in zip(methods[name], runs, strict=True):
            yield run, Role(f"predictions[{run!r}]", given)


def _name_runs(method: str, n: int, *, several: bool) -> tuple[str, ...]:
    return tuple(f"{method}[{number}]" for number in range(n)) if several else (method,)


def are_runs(labels: object) -> bool:
    """Return whether this is a list of labelings, one for each run, instead of a labeling."""
    return isinstance(labels, list | tuple) and len(labels) > 0 and all(map(_is_labeling, labels))


def _is_labeling(thing: object) -> bool:
    return isinstance(thing, list | Mapping) or (hasattr(thing, "__len__") and hasattr(thing, "__array__"))


def _roles_of_columns(
    source: Any,
    predictions: Any,
    true: str | None,
    pred: Any,
    options: Mapping[str, Any],
    methods: dict[str, tuple[str, ...]],
) -> dict[str, Role]:
    """Return roles of columns of the truth's source or of joined sources; add the names of runs to `methods`."""
    joined = not options.keys().isdisjoint(("on", "pairs"))
    if predictions is None and joined:
        raise InputError(
            *("predictions: ", Mention("on"), " joins the truth with other sources; pass one, or several by their "),
            "names",
        )
    if predictions is not None and not joined:
        raise InputError(
            *("predictions: ", Mention("true"), " and ", Mention("pred"), " name the columns of a source; join "),
            *("another one with it by ", Mention("on")),
        )
    if not joined and not isinstance(true, str):
        raise InputError("true: name the column with the true labels")
    roles = {TRUTH: Role(TRUTH, source, true, "true")}
    for method, columns in _columns_of(predictions if joined else source, pred, options.get("pairs")).items():
        methods[method] = _name_runs(method, len(columns), several=len(columns) > 1)
        for run, (other, column) in zip(methods[method], columns, strict=True):
            roles[run] = Role(f"predictions[{run!r}]", other, column)
    return roles


def _columns_of(predictions: Any, pred: Any, pairs: object) -> dict[str, list[tuple[Any, str | None]]]:
    """Return the source and the column of each run of every method."""
    if isinstance(predictions, Mapping):
        if not (pred is None or isinstance(pred, str)):
            raise InputError("pred: name the one column that all sources of predictions have")
        return {
            str(name): [(one, pred) for one in (other if isinstance(other, list) else [other])]
            for name, other in predictions.items()
        }
    methods = {"prediction": [None]} if pred is None and pairs else _methods(pred)
    return {method: [(predictions, column) for column in columns] for method, columns in methods.items()}


def _methods(pred: Any) -> dict[str, list[str]]:
    """Return the columns of the runs of each method; a mapping names the methods."""
    if isinstance(pred, Mapping):
        methods = {str(name): [column] if isinstance(column, str) else list(column) for name, column in pred.items()}
    else:
        columns = [pred] if isinstance(pred, str) else pred if isinstance(pred, Sequence) else []
        if twice := [column for column in columns if list(columns).count(column) > 1]:
            raise InputError(f"pred: the column {twice[0]!r} is named twice; name each once")
        methods = {str(column): [column] for column in columns}
    if not methods or not all(methods.values()):
        raise InputError("pred: name the columns with the predictions, such as ['kmeans', 'ward']")
    return methods


def _read_groups(records: Records, groups: Any) -> NDArray[np.int64]:
    """Return the code of each point's group by rank of labels, so that draws do not depend on the order of points."""
    from clustermark.diagnosis.groupings import read_unit

    labels = read_unit(groups, records.ids, records.n)
    used, number = np.unique(labels.codes, return_inverse=True)
    return rank_labels(Names(labels.values, used))[number]


def keep_common_points(
    records: Records,
    methods: Mapping[str, tuple[str, ...]],
    policies: Policies,
    groups: NDArray[np.int64] | None = None,
) -> Predictions:
    """Keep the points that all labelings have; policies may give them clusters of their own.

    A method without points would leave none for the others, so it is left out.
    methods: the roles of each method's runs.
    """
    empty = records.without_points(policies, TRUTH)
    left_out = tuple(method for method, runs in methods.items() if not set(runs).isdisjoint(empty))
    if left_out and len(left_out) < len(methods):
        gone = {run for method in left_out for run in methods[method]}
        methods = {method: runs for method, runs in methods.items() if method not in left_out}
        records = replace(records, labels={role: one for role, one in records.labels.items() if role not in gone})
    else:
        left_out = ()
    common = records.common(policies, TRUTH)
    kept = common.records
    runs = [name for name in kept.labels if name != TRUTH]
    return Predictions(
        kept.labels[TRUTH],
        tuple(kept.labels[name] for name in runs),
        {method: tuple(map(runs.index, names)) for method, names in methods.items()},
        kept.counts,
        kept.weights,
        policies,
        common.points,
        common.lacking,
        dict(records.settings),
        None if groups is None else groups[common.kept],
        dict(records.guessed),
        left_out,
    )


class ScoredRun:
    """A scored prediction."""

    def __init__(self, predictions: Predictions, labeling: Labeling, threads: int | None) -> None:
        self.labeling = labeling
        self.table = tabulate_codes(
            predictions.truth, labeling, predictions.counts, predictions.weights, predictions.policies, threads
        )
        self.scores: dict[str, float] = {}
        self.intervals: dict[str, Interval] = {}
        self.spreads: dict[str, Spread] = {}
        """Variation of each score; refused indices have none."""
        self.refused: dict[str, str] = {}
        """Reason why an index has no interval."""
        self.sample: Sample | None = None
        """Sampled units of the table, if it has any."""

    def score(self, indices: Sequence[Index[...]], request: IntervalRequest) -> None:
        """Score the table, with an interval for each score or the reason why there is none."""
        maker, reason = None, ""
        try:
            maker = IntervalMaker(self.table, request)
            self.sample = maker.sample
        except UnsupportedTableError as error:
            reason = str(error)
        for index in indices:
            value = self.scores[index.label] = index.of(self.table)
            try:
                if maker is None:
                    raise UnsupportedTableError(reason)
                self.intervals[index.label] = maker.make(index, value)
                self.spreads[index.label] = maker.spreads[index.label]
            except UnsupportedTableError as error:
                self.refused[index.label] = str(error).removeprefix(f"{index.name} ")
                self.intervals[index.label] = no_interval(index, value, self.refused[index.label], request)


def cluster_numbers(table: CellTable, labeling: Labeling, *, is_truth: bool) -> NDArray[np.int32]:
    """Return the cluster of each label by its code (also -1 and -2): a number in the table, LONE or ABSENT."""
    names = table.true_names if is_truth else table.pred_names
    numbers = np.full(len(labeling.values) + 2, ABSENT, np.int32)
    numbers[names.codes] = np.arange(len(names), dtype=np.int32)
    if table.policies is not PLAIN:
        noise = table.policies.noise_true if is_truth else table.policies.noise_pred
        fates = fates_by_code(labeling, noise, table.policies)
        numbers[fates == ALONE] = LONE
        numbers[fates == ONE_SIDED] = ABSENT
    return numbers


def classes_of_points(
    table: CellTable, truth: Labeling, pred: Labeling, of: NDArray[np.int32], threads: int | None
) -> NDArray[Any]:
    """Return the class of each point, given the class `of` of each entry of the table."""
    true, wanted = (cluster_numbers(table, side, is_truth=side is truth) for side in (truth, pred))
    how_many = how_many_threads(threads, len(truth))
    return _kernel.classes_of_points(table.kernel_cells, truth.codes, pred.codes, true, wanted, of, how_many)
