"""The two functions of the package jaccard-concentration-index."""

from __future__ import annotations

from collections.abc import Hashable
from math import fsum, isfinite, sqrt
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from clustermark.diagnosis import ClusterTable
from clustermark.errors import InputError
from clustermark.labels import is_missing, label_list
from clustermark.registry import find
from clustermark.tables.tabulation import crosstab

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clustermark.labels.conversion import Labels
    from clustermark.options import Noise
    from clustermark.tables.contingency import Contingency


def concentration(
    values: Iterable[float], single_index: bool = False, size_invariance: bool = True, virtual_length: int = 0
) -> float:
    """Return the concentration of the sum of non-negative values on few of them: 0 if uniform, 1 if all is in one.

    single_index: measure only the share of the largest value.
    size_invariance: if False, the range is [1/n, 1] instead of [0, 1].
    virtual_length: length of the list of values, filled up with zeros.

    >>> concentration([0.2, 0.7, 0.1])
    0.6104433499808846
    >>> concentration([1, 1, 1], virtual_length=6)
    0.534570001913252
    """
    given = _read_values(values)
    if not given:
        return 0.0
    length = len(given)
    if not isinstance(virtual_length, int | np.integer) or 0 != virtual_length < length:
        raise InputError(
            f"virtual_length={virtual_length!r} must be an integer, at least the number of values, {length}"
        )
    length = int(virtual_length) or length
    if length == 1:
        return 1.0
    largest = max(given)
    if largest == 0:
        return 0.0
    # squares of values relative to the largest neither overflow nor vanish
    score = _concentration([value / largest for value in given], length, single_index)
    return score if size_invariance else score * (1 - 1 / length) + 1 / length


def _read_values(values: Iterable[float]) -> list[float]:
    try:
        given = np.asarray(values if hasattr(values, "__len__") else list(values), dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"values: must be a list of numbers ({error})") from error
    if given.ndim != 1:
        raise InputError(f"values: must be a list of numbers; got {given.ndim} dimensions")
    listed: list[float] = given.tolist()
    for place, value in enumerate(listed):
        if not isfinite(value) or value < 0:
            raise InputError(f"values: {value} at position {place} is not a non-negative number")
    return listed


def _concentration(values: list[float], length: int, single_index: bool) -> float:
    if len(values) == length and min(values) == max(values):
        return 0.0
    if sum(value > 0 for value in values) == 1:
        return 1.0
    squares = fsum(value * value for value in values)
    uniform = 1 / length
    if single_index:
        return ((max(values) ** 2 / squares - uniform) / (1 - uniform)) ** 2
    excess = sqrt(squares) / fsum(values) - sqrt(uniform)
    # values that differ by a rounding error can come out below uniform
    return sqrt(max(excess, 0.0) / (1 - sqrt(uniform)))


@overload
def jaccard_concentration_index(
    y_true: Labels,
    y_pred: Labels,
    noise_label: Any = None,
    return_all: Literal[False] = False,
    ordered_labels: Sequence[Any] = ...,
) -> float: ...
@overload
def jaccard_concentration_index(
    y_true: Labels, y_pred: Labels, noise_label: Any, return_all: Literal[True], ordered_labels: Sequence[Any] = ...
) -> dict[str, Any]: ...
@overload
def jaccard_concentration_index(
    y_true: Labels,
    y_pred: Labels,
    noise_label: Any = None,
    *,
    return_all: Literal[True],
    ordered_labels: Sequence[Any] = ...,
) -> dict[str, Any]: ...
@overload
def jaccard_concentration_index(
    y_true: Labels,
    y_pred: Labels,
    noise_label: Any = None,
    return_all: bool = False,
    ordered_labels: Sequence[Any] = ...,
) -> float | dict[str, Any]: ...
def jaccard_concentration_index(
    y_true: Labels,
    y_pred: Labels,
    noise_label: Any = None,
    return_all: bool = False,
    ordered_labels: Sequence[Any] = (),
) -> float | dict[str, Any]:
    """Return the Jaccard-Concentration Index of a prediction.

    noise_label: a predicted label that gets no result and no weight; true clusters keep the points they lose to it.
    return_all: return a dict with the means and the results of each predicted cluster, in sorted order of labels.
    ordered_labels: names for the true clusters, in sorted order of their labels, for `closest_label`.

    >>> jaccard_concentration_index([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 2])
    1.0
    >>> full = jaccard_concentration_index([0, 0, 1], [5, 5, 5], return_all=True, ordered_labels=["A", "B"])
    >>> full["cluster_results"][0]["closest_label"], full["cluster_results"][0]["size_proportion"]
    ('A', 1.0)
    """
    table = crosstab(y_true, y_pred, noise_pred=_noise(noise_label))
    score = find("jaccard_concentration").of(table)
    if not return_all:
        return score
    names = [] if ordered_labels is None else label_list(list(ordered_labels), np.arange(len(ordered_labels)))
    if names and len(names) != table.n_true_clusters:
        raise InputError(f"ordered_labels: has {len(names)} entries for {table.n_true_clusters} true clusters")
    return {
        "score": score,
        "macroavg_max_jaccard_index": find("max_jaccard").of(table),
        "macroavg_concentration": find("mean_concentration").of(table),
        "cluster_results": _cluster_results(table, names),
    }


def _noise(label: Any) -> Noise | None:
    if label is None:
        return None
    if is_missing(label) or not isinstance(label, Hashable):
        raise InputError(f"noise_label={label!r} must be a predicted label, or None for no noise")
    return {label: "unscored"}


def _cluster_results(table: Contingency, names: list[Any]) -> list[dict[str, Any]]:
    clusters = ClusterTable.of(table, "pred")
    places = clusters.best_places()
    return [
        {
            "score": row.jci,
            "max_jaccard_index": row.jaccard,
            "concentration": row.concentration,
            "closest_label_index": place,
            "closest_label": names[place] if names else None,
            "size_proportion": row.share,
        }
        for row, place in zip(clusters, places, strict=True)
    ]
