"""compare(): rank predictions of the same points, from labels in memory or from the columns of a source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from clustermark.errors import InputError, Mention
from clustermark.evaluation.ranking.comparison import Comparison
from clustermark.evaluation.ranking.entrants import enter, read_labels_given
from clustermark.options import PolicyOptions, read_options, refuse_for_labels
from clustermark.registry import Index, read_indices
from clustermark.report.notices import warn_of_noise
from clustermark.tables.policies import PLAIN, Policies, read_policies
from clustermark.uncertainty.interval import Request, Unit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from clustermark.evaluation.ranking.entrants import Given
    from clustermark.labels.kinds import Labels
    from clustermark.sources.kinds import Source
    from clustermark.uncertainty.methods import Groups

PANEL = ("adjusted_rand", "adjusted_mutual_information", "b_cubed_f")
"""By default methods are ranked by these; the first decides."""


def compare(
    y_true: Labels | Source,
    predictions: Mapping[str, Any] | Iterable[Any] | Source | None = None,
    indices: Sequence[str | Index[...]] | str | Index[...] | None = None,
    *,
    true: str | None = None,
    pred: str | Sequence[str] | Mapping[str, Any] | None = None,
    level: float = 0.95,
    unit: Unit | Groups = "point",
    progress: Callable[[float], None] | None = None,
    **options: Any,
) -> Comparison:
    """Rank predictions of the same points: which is best, by how much, and whether that is sure.

    predictions: a mapping from name to labels, the columns of a data frame, or labels one after the other (a generator
        too, also of pairs (name, labels)). A list of labelings instead of labels is a method that was run several
        times: {"kmeans": [labels, labels, …]}. Mappings from id to label are aligned by id.
    indices: names of indices, or indices; the first decides on the order of methods.
    true, pred: where y_true is a source, as in `crosstab`, its columns: `compare("runs.parquet", true="label",
        pred=["kmeans", "ward"])`; a mapping such as {"kmeans": ["seed1", "seed2"]} names the runs of a method.
        Predictions of other sources are joined with the truth by id: `compare("truth.csv", {"kmeans": "one.csv",
        "ward": "other.csv"}, on="id")`, or one source with several columns; with pairs="pred" they are lists of pairs.
    level: of the intervals; a difference is called shown where its p-value, adjusted by Holm for all pairs, is below
        1 - level.
    unit: what was sampled: "point"; "component": clusters with all that they share points with; or the group of each
        point, as a list, a mapping from id, or the name of a column: documents, patients, blocks.
    progress: a function that is called, now and then, with the share that is done.
    options: counts, weights, noise_true, noise_pred (the same for all predictions), missing, unmatched, threads, and
        how a source is read, as in `crosstab`. A point that one prediction drops is dropped for all.

    >>> compare([0, 0, 0, 1, 1, 1] * 9, {"pairs": [0, 0, 1, 1, 2, 2] * 9, "all": [0] * 54}, ["rand"])
    2 methods, 54 points
    pairs is best by rand: 0.7170 against 0.4906 of all, a difference of 0.2264 [0.1386, 0.3143] that holds up (p < \
0.0001).
    method  rank                     rand  possible ranks
    pairs      1  0.7170 [0.6216, 0.7962]  1
    all        2  0.4906                   2
    95 % intervals over points
    all: the score is the same without any of 54 points: no interval
    """
    given = read_options(options)
    groups = None if isinstance(unit, str) and unit in get_args(Unit) else unit
    found, policies = _read(y_true, predictions, groups, true, pred, given)
    request = Request(level, "component" if groups is None and unit == "component" else "point")
    chosen = read_indices(PANEL if indices is None else indices)
    if not chosen:
        raise InputError("indices: there is none; name at least one, such as 'adjusted_rand'")
    comparison = Comparison(
        *(enter(found, policies), chosen, request, given.get("threads"), progress),
        leave_out=indices is None,
    )
    warn_of_noise(comparison.tell_noise())
    return comparison


def _read(
    y_true: Any, predictions: Any, groups: Any, true: str | None, pred: Any, given: dict[str, Any]
) -> tuple[Given, Policies]:
    """The labelings, wherever they lie, and what becomes of their noise."""
    policies = _policies(given)
    joined = not given.keys().isdisjoint({"on", "pairs"})
    if true is None and pred is None and not joined:
        refuse_for_labels(given)
        if predictions is None:
            raise InputError(
                "predictions is None; pass them by name, or a source and its columns by ",
                Mention("true"),
                " and ",
                Mention("pred"),
            )
        if isinstance(groups, str):
            raise InputError(
                Mention("unit", groups), " is unknown; choose 'point' or 'component', or pass the group of each point"
            )
        counts, weights = given.get("counts"), given.get("weights")
        return read_labels_given(y_true, predictions, counts, weights, policies, groups), policies
    from clustermark.evaluation.ranking.columns import read_columns_given, read_joined_given

    if groups is not None and not isinstance(groups, str):
        raise InputError("unit: with sources, name the column that has the groups")
    if joined:
        if predictions is None:
            raise InputError(
                "predictions: ",
                Mention("on"),
                " joins the truth with other sources; pass one, or several by their names",
            )
        read = read_joined_given(y_true, predictions, pred, given | ({"true": true} if true else {}), groups)
    elif predictions is not None:
        raise InputError(
            "predictions: ",
            Mention("true"),
            " and ",
            Mention("pred"),
            " name the columns of a source; join another one with it by ",
            Mention("on"),
        )
    else:
        read = read_columns_given(y_true, true, pred, given, groups)
    return read.given, PLAIN if read.policies == PLAIN else read.policies


def _policies(given: Mapping[str, Any]) -> Policies:
    policies = read_policies(**{name: given[name] for name in PolicyOptions.__annotations__ if name in given})
    return PLAIN if policies == PLAIN else policies
