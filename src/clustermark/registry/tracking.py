"""The scores of many partitions at once: sums that follow each change, and the functions that the indices declare."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.registry import Index, catalogue
from clustermark.statistics.information import Entropies
from clustermark.statistics.overlaps import JointSums
from clustermark.statistics.pairs import ChancePairs, PairCounts
from clustermark.statistics.sizes import Sizes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

Sums = dict[str, "NDArray[Any]"]
"""Sums of the kernel, one entry per partition, and the totals of the truth; arrays of one length."""

Views = dict[Any, SimpleNamespace]
"""The statistics that these sums tell: by class, the fields of all partitions."""

_EPSILON = np.finfo(float).eps
_PART = 1 << 15
"""Partitions that are scored at a time."""


def score_all(indices: Iterable[Index[...]], sums: Sums) -> dict[Index[...], NDArray[np.float64]]:
    """The score of every partition, by index; one that needs more of a table than these sums is left out."""
    found: dict[Index[...], NDArray[np.float64]] = {}
    scores: dict[Index[...], NDArray[np.float64]] = {}
    for begin, scores in score_parts(indices, sums):
        for index, part in scores.items():
            if index not in found:
                found[index] = np.empty(len(sums["cells"]))
            found[index][begin : begin + len(part)] = part
    return {index: found[index] for index in scores}


def score_parts(
    indices: Iterable[Index[...]], sums: Sums, overlap: int = 0
) -> Iterator[tuple[int, dict[Index[...], NDArray[np.float64]]]]:
    """The scores of some partitions after others, whose arrays stay in the processor's cache.

    Yields the place where a part begins, and its scores by index; one that needs more of a table is left out from then
    on. A part begins with as many partitions of the one before as overlap.
    """
    able, n = list(indices), len(sums["cells"])
    if n == 1:  # an array of one would do for a number, and not tell who can take arrays
        twice = {name: np.repeat(column, 2) for name, column in sums.items()}
        yield from ((0, {one: found[:1] for one, found in scores.items()}) for _, scores in score_parts(able, twice))
        return
    for end in range(_PART, max(n, 1) + _PART, _PART):
        begin = max(end - _PART - overlap, 0)
        part = {name: column[begin:end] for name, column in sums.items()}
        views = view_statistics(part)
        scores = {index: _score_part(index, part, views) for index in able}
        able = [index for index in able if scores[index] is not None]
        yield begin, {index: found for index, found in scores.items() if found is not None}


def score_states(index: Index[...], sums: Sums) -> NDArray[np.float64] | None:
    """The score of every partition, or None if it needs more of a table than these sums."""
    return score_all([index], sums).get(index)


def _score_part(index: Index[...], sums: Sums, views: Views) -> NDArray[np.float64] | None:
    """The scores of some partitions, or None.

    The function of the index, which is written for numbers, is called with arrays; one that cannot take them, because
    it asks whether a number is larger than another, or calls a function of `math`, says so by an error.
    """
    if index.statistic not in views:
        return None
    function = index.uses[0].function
    try:
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = function(views[index.statistic], **index.options)
            scores = np.broadcast_to(np.asarray(scores, np.float64), len(sums["cells"]))
    except (AttributeError, TypeError, ValueError, ZeroDivisionError):
        return None
    undefined = ~np.isfinite(scores)
    if needs_expected(index):
        undefined &= ~np.isnan(sums["expected"])  # not computed is not undefined
    if undefined.any():
        scores = scores.copy()  # which may be a field of the statistic
        identical = (sums["cells"] == sums["clusters"]) & (sums["cells"] == sums["true_clusters"])
        identical &= sums["points"] == sums["predicted_points"]
        for same in (False, True):
            chosen = undefined & (identical == same)
            if chosen.any():
                scores[chosen] = index.undefined_score(identical=lambda same=same: same)  # type: ignore[misc]
    return scores


def needs_expected(index: Index[...]) -> bool:
    """Whether an index needs expected mutual information, which takes time of its own."""
    return "expected" in index.formula


def view_statistics(sums: Sums) -> Views:
    """The statistics of all partitions; an index that asks for a field which is not here has no curve."""
    # a total is the same for all partitions, and stands once
    s = {name: (column if column.strides[0] else column[:1]).astype(np.float64) for name, column in sums.items()}
    n, n_pred, k_true, k_pred = s["points"], s["predicted_points"], s["true_clusters"], s["clusters"]
    yy = s["together_both"]
    yn, ny = s["together_true"] - yy, s["together"] - yy
    all_pairs = s.get("pairs", n * (n - 1) / 2)  # fewer, where only those across sources count
    pairs = SimpleNamespace(yy=yy, yn=yn, ny=ny, nn=all_pairs - yy - yn - ny, weighted=False)
    sizes = SimpleNamespace(
        n=n,
        n_true=n,
        n_pred=n_pred,
        k_true=k_true,
        k_pred=k_pred,
        cells=s["cells"],
        **{name: s[name] for name in ("best_true", "best_pred", "recall", "precision")},
    )
    joint = SimpleNamespace(n=n, k_true=k_true, k_pred=k_pred, exact_clusters=s["exact"])
    return {
        PairCounts: pairs,
        ChancePairs: pairs,
        Sizes: sizes,
        JointSums: joint,
        Entropies: _entropies(s, n, k_true, k_pred),
    }


def _entropies(s: Sums, n: NDArray[Any], k_true: NDArray[Any], k_pred: NDArray[Any]) -> SimpleNamespace:
    """Entropies as `Entropies` has them, whose rules for what is no information these are."""
    with np.errstate(divide="ignore", invalid="ignore"):
        true, pred = (np.maximum(np.log(n) - s[f"spread_{side}"] / n, 0.0) for side in ("true", "pred"))
        true, pred = np.where(k_true == 1, 0.0, true), np.where(k_pred == 1, 0.0, pred)
        given_pred, given_true = s["left_true"] / n, s["left_pred"] / n
        mutual = np.minimum(np.minimum(true - given_pred, true), pred)
        mutual = np.where(mutual <= 8 * _EPSILON * (2 * true + 2 * pred - mutual), 0.0, mutual)
        given_pred = np.where(mutual == 0.0, true, np.clip(given_pred, 0.0, true))
        given_true = np.where(mutual == 0.0, pred, np.clip(given_true, 0.0, pred))
        fixed = (k_true == 1) | (k_pred == 1) | (k_true == n) | (k_pred == n)
        expected = np.where(fixed, mutual, s["expected"] / n)
    return SimpleNamespace(
        n=n,
        k_true=k_true,
        k_pred=k_pred,
        true=true,
        pred=pred,
        mutual=mutual,
        joint=true + pred - mutual,
        true_given_pred=given_pred,
        pred_given_true=given_true,
        variation=given_pred + given_true,
        expected=expected,
        weighted=False,
    )


_PROBE: Sums = {
    **{name: np.array([9, 8]) for name in ("clusters", "cells", "exact", "best_pred", "best_true")},
    **{name: np.array([2, 3]) for name in ("together", "together_both")},
    **{name: np.array([2.0, 3.0]) for name in ("precision", "recall", "spread_pred", "left_true", "left_pred")},
    **{name: np.array([9, 9]) for name in ("points", "predicted_points", "true_clusters", "together_true")},
    "spread_true": np.array([2.0, 2.0]),
    "expected": np.array([0.1, 0.1]),
}


@cache
def tracked_indices() -> tuple[Index[...], ...]:
    """The indices that have a score at every partition of a sweep."""
    return tuple(index for index in catalogue() if is_tracked(index))


def is_tracked(index: Index[...]) -> bool:
    """Whether the sums of a sweep are all that the index needs."""
    return score_states(index, _PROBE) is not None
