"""compare(): rank predictions of the same points, from labels in memory or from the columns of a source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from clustermark.errors import InputError
from clustermark.evaluation.notices import warn_of_noise
from clustermark.evaluation.ranking.comparison import Comparison
from clustermark.evaluation.ranking.entrants import read_entrants
from clustermark.options import read_options
from clustermark.registry import Index, read_indices
from clustermark.uncertainty.interval import Request, Unit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

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
    options: counts, weights, noise, noise_true, noise_pred (the same for all predictions), missing, unmatched, threads,
        and how a source is read, as in `crosstab`. A point that one prediction drops is dropped for all.

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
    request = Request(level, "component" if groups is None and unit == "component" else "point")
    chosen = read_indices(PANEL if indices is None else indices)
    if not chosen:
        raise InputError("indices: there is none; name at least one, such as 'adjusted_rand'")
    entrants = read_entrants(y_true, predictions, true, pred, given, groups)
    comparison = Comparison(entrants, chosen, request, given.get("threads"), progress, leave_out=indices is None)
    warn_of_noise(comparison.tell_noise())
    return comparison
