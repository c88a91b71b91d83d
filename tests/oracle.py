"""Scores by brute force: policies point by point, all pairs of points, exact fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple


class Point(NamedTuple):
    true: Any
    pred: Any
    weight: Fraction = Fraction(1)


def partitions(n: int, used: int = 0):
    """Yield all partitions of n points, as restricted growth strings."""
    if n == 0:
        yield ()
        return
    for first in range(used + 1):
        for rest in partitions(n - 1, max(used, first + 1)):
            yield (first, *rest)


def all_partitions(n: int) -> list[tuple[int, ...]]:
    return list(partitions(n))


def points_of(
    y_true,
    y_pred,
    counts=None,
    weights=None,
    noise_true=None,
    noise_pred=None,
    missing="error",
) -> list[Point]:
    """Return every point of the table, with a new object as label where a policy makes it a singleton."""
    points = []
    for position, (true, pred) in enumerate(zip(y_true, y_pred, strict=True)):
        weight = Fraction(1 if weights is None else weights[position])
        for _ in range(1 if counts is None else counts[position]):
            sides = []
            for label, noise in ((true, noise_true), (pred, noise_pred)):
                policy = missing if label is None else (noise or {}).get(label, "cluster")
                sides.append((label, policy))
            if weight == 0 or any(policy == "drop" for _, policy in sides):
                continue
            labels = [object() if policy == "singletons" else label for label, policy in sides]
            points.append(Point(*labels, weight))
    return points


def pair_counts(points: list[Point]) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """Return yy, yn, ny, nn over all pairs, each weighted by the product of the weights of its two points."""
    yy = yn = ny = nn = Fraction(0)
    for one, other in combinations(points, 2):
        weight = one.weight * other.weight
        together_true, together_pred = one.true == other.true, one.pred == other.pred
        if together_true and together_pred:
            yy += weight
        elif together_true:
            yn += weight
        elif together_pred:
            ny += weight
        else:
            nn += weight
    return yy, yn, ny, nn


def clusters_of(points: list[Point], side: str) -> list[tuple[Any, list[Point]]]:
    clusters: dict[Any, list[Point]] = {}
    for point in points:
        clusters.setdefault(getattr(point, side), []).append(point)
    return list(clusters.items())


def total(points) -> Fraction:
    return sum((point.weight for point in points), Fraction(0))


def best_matches(points: list[Point], unscored=()) -> list[tuple[Any, Fraction, Fraction, Fraction, int]]:
    """Return for each scored predicted cluster: label, size, largest Jaccard, Σ share² of overlaps, true clusters."""
    trues = clusters_of(points, "true")
    found = []
    for label, cluster in clusters_of(points, "pred"):
        if label in unscored:
            continue
        size = total(cluster)
        overlaps = [total(p for p in cluster if p.true == true) for true, _ in trues]
        jaccards = [
            overlap / (size + total(members) - overlap) for overlap, (_, members) in zip(overlaps, trues, strict=True)
        ]
        found.append((label, size, max(jaccards), sum(o * o for o in overlaps) / size**2, len(trues)))
    return found


def jci(points: list[Point], unscored=()) -> tuple[float, float, float]:
    """Return score, mean largest Jaccard and mean concentration by their definitions."""
    n = Fraction(0)
    sums = [0.0, 0.0, 0.0]
    for _, size, jaccard, squares, n_true in best_matches(points, unscored):
        concentration = 1.0
        if n_true > 1:
            uniform = n_true**-0.5
            ratio = (float(squares) ** 0.5 - uniform) / (1 - uniform)
            concentration = 0.0 if squares == Fraction(1, n_true) else max(ratio, 0.0) ** 0.5
        for place, value in enumerate([(float(jaccard) * concentration) ** 0.5, float(jaccard), concentration]):
            sums[place] += float(size) * value
        n += size
    return tuple(value / float(n) for value in sums)  # type: ignore[return-value]
