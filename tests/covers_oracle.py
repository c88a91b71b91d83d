"""The indices of covers by their definitions, item by item and cluster by cluster."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations
from math import inf, log, sqrt

import numpy as np


def shared(cover, e, f):
    """Return the number of clusters with both items."""
    return sum(e in cluster and f in cluster for cluster in cover)


def omega(true, pred, items):
    pairs = [(shared(true, e, f), shared(pred, e, f)) for e, f in combinations(items, 2)]
    m = len(pairs)
    observed = Fraction(sum(t == p for t, p in pairs), m)
    counts = range(max(max(pair) for pair in pairs) + 1)
    expected = sum(
        Fraction(sum(t == k for t, _ in pairs), m) * Fraction(sum(p == k for _, p in pairs), m) for k in counts
    )
    return (observed - expected) / (1 - expected)


def pair_counts(true, pred, items):
    pairs = [(shared(true, e, f) > 0, shared(pred, e, f) > 0) for e, f in combinations(items, 2)]
    return [pairs.count(kind) for kind in ((True, True), (True, False), (False, True), (False, False))]


def extended_precision(true, pred, items):
    """Return multiplicity precision (Amigó et al. 2009): a mean over items of a mean over items, including the item."""
    means = []
    for e in items:
        met = [(shared(true, e, f), shared(pred, e, f)) for f in items if shared(pred, e, f)]
        if met:
            means.append(sum(Fraction(min(t, p), p) for t, p in met) / len(met))
    return sum(means) / len(means)


def extended_recall(true, pred, items):
    return extended_precision(pred, true, items)


def h(w, n):
    return -w / n * log(w / n) if w else 0.0


def entropy(cluster, items):
    n = len(items)
    return h(len(cluster), n) + h(n - len(cluster), n)


def left(cluster, others, items, ties):
    """Return the conditional entropy of a cluster given the best of the others.

    ties: whether ties match, as in McDaid et al. 2011; in Lancichinetti et al. 2009 they do not. Both sums of
    logarithms are compared as products of integers.
    """
    n, best = len(items), entropy(cluster, items)
    for other in others:
        a, b, c = len(cluster & other), len(cluster - other), len(other - cluster)
        d = n - a - b - c
        together, apart = n ** (a + d) * b**b * c**c, n ** (b + c) * a**a * d**d
        if together > apart or (ties and together == apart):
            best = min(best, h(a, n) + h(b, n) + h(c, n) + h(d, n) - entropy(other, items))
    return best


def onmi_lfk(true, pred, items):
    sides = []
    for mine, others in ((true, pred), (pred, true)):
        some = [cluster for cluster in mine if len(cluster) < len(items)]
        sides.append(sum(left(c, others, items, ties=False) / entropy(c, items) for c in some) / len(some))
    return 1 - sum(sides) / 2


def onmi(true, pred, items, average="max"):
    hx, hy = (sum(entropy(c, items) for c in side) for side in (true, pred))
    x, y = (sum(left(c, b, items, ties=True) for c in a) for a, b in ((true, pred), (pred, true)))
    mean = {"max": max(hx, hy), "min": min(hx, hy), "arithmetic": (hx + hy) / 2, "geometric": sqrt(hx * hy)}
    return (hx - x + hy - y) / 2 / mean[average]


def best(true, pred, worth):
    return sum(max((worth(c, d) for d in pred), default=0) for c in true) / len(true)


def f1(c, d):
    return Fraction(2 * len(c & d), len(c) + len(d))


def jaccard(c, d):
    return Fraction(len(c & d), len(c | d))


def average_f1(true, pred, items):
    return (best(true, pred, f1) + best(pred, true, f1)) / 2


def average_jaccard(true, pred, items):
    return (best(true, pred, jaccard) + best(pred, true, jaccard)) / 2


def maximum_matching_ratio(true, pred, items):
    few, many = sorted((true, pred), key=len)
    largest = -inf
    for chosen in permutations(many, len(few)):
        total = sum(Fraction(len(c & d) ** 2, len(c) * len(d)) for c, d in zip(few, chosen, strict=True))
        largest = max(largest, total)
    return largest / len(true)


def geometric_accuracy(true, pred, items):
    common = [[len(c & d) for d in pred] for c in true]
    total = sum(map(sum, common))
    if not total and true:
        return 0.0
    sensitivity = Fraction(sum(map(max, common)), sum(map(len, true)))
    return sqrt(sensitivity * Fraction(sum(map(max, zip(*common, strict=True))), total))


def element_centric(true, pred, items, alpha=0.9):
    """Return the scores of Gates et al. 2019: personalised PageRank on the graph of items that share clusters."""
    walks = []
    for cover in (true, pred):
        A = np.zeros((len(items), len(items)))
        for i, e in enumerate(items):
            mine = [c for c in cover if e in c]
            for j, f in enumerate(items):
                A[i, j] = sum(1 / len(c) for c in mine if f in c) / len(mine) if mine else float(i == j)
        walks.append((1 - alpha) * np.linalg.inv(np.eye(len(items)) - alpha * A))
    return 1 - np.abs(walks[0] - walks[1]).sum() / (2 * alpha * len(items))


def pair_precision(true, pred, items):
    yy, _, ny, _ = pair_counts(true, pred, items)
    return Fraction(yy, yy + ny)


def pair_recall(true, pred, items):
    return pair_precision(pred, true, items)


def pair_f(true, pred, items, beta=1):
    yy, yn, ny, _ = pair_counts(true, pred, items)
    return Fraction((1 + beta**2) * yy, (1 + beta**2) * yy + beta**2 * yn + ny)


def extended_f(true, pred, items, beta=1):
    precision, recall = extended_precision(true, pred, items), extended_recall(true, pred, items)
    if not precision or not recall:
        raise ZeroDivisionError
    return (1 + beta**2) / (beta**2 / recall + 1 / precision)
