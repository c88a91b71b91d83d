"""Every statistic of a table of counts, computed from its definition with more than a hundred digits."""

from __future__ import annotations

import inspect
from collections import Counter
from fractions import Fraction
from itertools import chain, permutations, product

import numpy as np

from needs import need

mpmath = need("mpmath")
mp, mpf = mpmath.mp, mpmath.mpf
mp.dps = 160


def wide(value):
    """Return an integer or a fraction in high precision."""
    value = Fraction(value)
    return mpf(value.numerator) / value.denominator


class Table:
    """The cells of a matrix of counts, and the sizes of its clusters; rows and columns without points are left out."""

    def __init__(self, matrix):
        self.cells = {(i, j): n for i, row in enumerate(matrix) for j, n in enumerate(row) if n}
        self.true, self.pred = Counter(), Counter()
        for (i, j), n in self.cells.items():
            self.true[i] += n
            self.pred[j] += n
        self.n = sum(self.cells.values())

    def sized(self):
        return [(n, self.true[i], self.pred[j]) for (i, j), n in self.cells.items()]

    def sum(self, term):
        return sum((Fraction(term(n, a, b)) for n, a, b in self.sized()), Fraction(0))

    def best(self, worth, side):
        """Return for each cluster of a side its largest worth, with the size of the cluster."""
        best = {}
        for (i, j), n in self.cells.items():
            key = i if side == "true" else j
            best[key] = max(best.get(key, 0), worth(n, self.true[i], self.pred[j]))
        return [(best[key], size) for key, size in getattr(self, side).items()]

    def matched(self, worth):
        """Return the largest sum of worths over clusters matched one to one."""
        rows, columns = list(self.true), list(self.pred)
        short, long = (rows, columns) if len(rows) <= len(columns) else (columns, rows)
        values = {}
        for (i, j), n in self.cells.items():
            values[(i, j) if short is rows else (j, i)] = Fraction(worth(n, self.true[i], self.pred[j]))
        return max(
            sum((values.get(pair, Fraction(0)) for pair in zip(short, order, strict=True)), Fraction(0))
            for order in permutations(long, len(short))
        )


def fields(view, matrix):
    """Return the fields of each statistic of a table, by the name of the statistic."""
    table = Table(matrix)
    assert view in _VIEWS, f"compute the fields of {view} from their definition, in _VIEWS of tests/digits.py"
    return {name: value if value is None else wide_or_same(value) for name, value in _VIEWS[view](table).items()}


def wide_or_same(value):
    return value if isinstance(value, mpf | np.ndarray | tuple) or callable(value) else wide(value)


def _pairs(t):
    def pairs(sizes):
        return sum(n * (n - 1) // 2 for n in sizes)

    yy = pairs(t.cells.values())
    yn, ny = pairs(t.true.values()) - yy, pairs(t.pred.values()) - yy
    return {"yy": yy, "yn": yn, "ny": ny, "nn": t.n * (t.n - 1) // 2 - yy - yn - ny}


def _squares(t):
    return {
        "n": t.n,
        **{name: sum(n * n for n in getattr(t, name).values()) for name in ("cells", "true", "pred")},
    }


def _variance(n, true, pred):
    """Return the variance of the pairs together in both over all permutations, by the mean of products of pairs."""
    if n < 2:
        return Fraction(0)
    sides = []
    for sizes in (true, pred):
        one = sum(a * (a - 1) for a in sizes)
        two = sum(a * (a - 1) * (a - 2) for a in sizes)
        sides.append((one, two, one * one - 4 * two - 2 * one))
    mean = Fraction(sides[0][0] * sides[1][0], 2 * n * (n - 1))
    variance = mean - mean * mean
    if n > 2:
        variance += Fraction(sides[0][1] * sides[1][1], n * (n - 1) * (n - 2))
    if n > 3:
        variance += Fraction(sides[0][2] * sides[1][2], 4 * n * (n - 1) * (n - 2) * (n - 3))
    return variance


def _chance_pairs(t):
    true, pred = list(t.true.values()), list(t.pred.values())
    squares = _squares(t)
    sharing = 2 * t.n + sum(n * a * b for n, a, b in t.sized()) - squares["cells"] - squares["true"] - squares["pred"]
    together = [(squares[side] - t.n) // 2 for side in ("true", "pred", "cells")]
    return {
        **_pairs(t),
        "n": t.n,
        "k_true": len(true),
        "k_pred": len(pred),
        "disjoint": together[0] * together[1] - together[2] - sharing,
        "variance": _variance(t.n, true, pred),
        "own_variances": (wide(_variance(t.n, true, true)), wide(_variance(t.n, pred, pred))),
    }


def _sizes(t):
    best_true, best_pred = (sum(n for n, _ in t.best(lambda n, a, b: n, side)) for side in ("true", "pred"))
    recall, precision = t.sum(lambda n, a, b: Fraction(n * n, a)), t.sum(lambda n, a, b: Fraction(n * n, b))
    squares = _squares(t)
    return {
        "n": t.n,
        "n_true": t.n,
        "n_pred": t.n,
        "k_true": len(t.true),
        "k_pred": len(t.pred),
        "cells": len(t.cells),
        "best_true": best_true,
        "best_pred": best_pred,
        "largest_true": max(t.true.values()),
        "largest_pred": max(t.pred.values()),
        "square_true": squares["true"],
        "square_pred": squares["pred"],
        "recall": recall,
        "precision": precision,
        "scattered_true": t.n - recall,
        "scattered_pred": t.n - precision,
        "macro_recall": t.sum(lambda n, a, b: Fraction(n * n, a * a)),
        "macro_precision": t.sum(lambda n, a, b: Fraction(n * n, b * b)),
    }


def entropy(sizes, n):
    return sum(mpf(size) / n * mp.log(mpf(n) / size) for size in sizes)


def _entropies(t):
    true, pred, joint = (entropy(sizes.values(), t.n) for sizes in (t.true, t.pred, t.cells))
    return {"n": t.n, "k_true": len(t.true), "k_pred": len(t.pred), "true": true, "pred": pred, "joint": joint}


def _shares(t):
    shares = t.sum(lambda n, a, b: Fraction(n * n, a * b))
    return {"n": t.n, "k_true": len(t.true), "k_pred": len(t.pred), "shares": shares}


def _matching(worth, *, more=None):
    def fields(t):
        total = t.matched(worth)
        sizes = {"n": t.n, "n_true": t.n, "n_pred": t.n, "k_true": len(t.true), "k_pred": len(t.pred)}
        return sizes | {"total": total} | (more(t) if more else {})

    return fields


def _expected_sets(t):
    paired = zip(sorted(t.true.values())[::-1], sorted(t.pred.values())[::-1], strict=False)
    return {"expected": Fraction(sum(map(min, paired)), t.n)}


def _joint(t):
    return {
        **_shares(t),
        "exact_clusters": sum(n == a == b for n, a, b in t.sized()),
        "of_larger": t.sum(lambda n, a, b: Fraction(n * n, max(a, b))),
        "of_smaller": t.sum(lambda n, a, b: Fraction(n * n, min(a, b))),
        "f": t.sum(lambda n, a, b: Fraction(2 * n * n, a + b)),
        "jaccard": t.sum(lambda n, a, b: Fraction(n * n, a + b - n)),
    }


def _best(t):
    found = {"n": t.n, "k_true": len(t.true), "k_pred": len(t.pred)}
    worths = {
        "jaccard": lambda n, a, b: Fraction(n, a + b - n),
        "f": lambda n, a, b: Fraction(2 * n, a + b),
        "of_larger": lambda n, a, b: Fraction(n, max(a, b)),
    }
    for side in ("true", "pred"):
        for name, worth in worths.items():
            best = t.best(worth, side)
            found[f"{side}_{name}"] = sum(value for value, _ in best)
            found[f"{side}_sized_{name}"] = sum(value * size for value, size in best)
    weakest = []
    for i, size in t.true.items():
        if size > 1:
            kept = sum(n * (n - 1) for (row, _), n in t.cells.items() if row == i)
            weakest.append(Fraction(kept, size * (size - 1)))
    return found | {"weakest_pairs": min(weakest, default=None)}


def _best_matches(t):
    jaccard = [value for value, _ in t.best(lambda n, a, b: Fraction(n, a + b - n), "pred")]
    k = len(t.true)
    concentration = []
    for j, size in t.pred.items():
        cells = [n for (_, column), n in t.cells.items() if column == j]
        share = mp.sqrt(sum(n * n for n in cells)) / size
        least = 1 / mp.sqrt(k)
        concentration.append(mpf(1) if len(cells) == 1 else mp.sqrt(abs(share - least) / (1 - least)))
    return {
        "size": np.array([*map(mpf, t.pred.values())]),
        "jaccard": np.array([*map(wide, jaccard)]),
        "concentration": np.array(concentration),
        "sum": np.sum,
        "sqrt": np.frompyfunc(mp.sqrt, 1, 1),
    }


def _largest_overlaps(t):
    pairs = []
    for j, size in t.pred.items():
        column = {i: n for (i, other), n in t.cells.items() if other == j}
        pairs += [(i, Fraction(2 * n, t.true[i] + size)) for i, n in column.items() if n == max(column.values())]
    return {
        "k_true": len(t.true),
        "k_pred": len(t.pred),
        "pairs": len(pairs),
        "f": sum(f for _, f in pairs),
        "met": len({i for i, _ in pairs}),
    }


def _links(t):
    p = _pairs(t)

    def resolved(side):
        total = Fraction(0)
        for key, size in getattr(t, side).items():
            cells = [n for (i, j), n in t.cells.items() if (i if side == "true" else j) == key]
            alone = size == 1 and all(t.true[i] == t.pred[j] == 1 for i, j in t.cells if (i, j)[side == "pred"] == key)
            total += alone if size == 1 else Fraction(sum(n * (n - 1) for n in cells), size - 1)
        return total

    return {
        "n_true": t.n,
        "n_pred": t.n,
        "together_true": p["yy"] + p["yn"],
        "together_pred": p["yy"] + p["ny"],
        "together": p["yy"],
        "apart_true": p["ny"] + p["nn"],
        "apart_pred": p["yn"] + p["nn"],
        "apart": p["nn"],
        "resolved_true": resolved("true"),
        "resolved_pred": resolved("pred"),
    }


def _coref(t):
    s = _sizes(t)
    links = 2 * t.n - s["k_true"] - s["k_pred"]
    entities = _VIEWS["MatchedEntities"](t)
    return {
        "muc": Fraction(2 * (t.n - s["cells"]), links) if links else 1,
        "b_cubed": 2 * s["precision"] * s["recall"] / (t.n * (s["precision"] + s["recall"])),
        "ceaf_e": 2 * entities["total"] / (s["k_true"] + s["k_pred"]),
    }


def _greedy(t):
    """Return the lexicographically largest way to take the largest cell first, then the largest of the rest."""
    alike = {}
    for place, n in t.cells.items():
        alike.setdefault(n, []).append(place)
    orders = product(*(permutations(alike[n]) for n in sorted(alike, reverse=True)))
    best = ()
    for order in orders:
        rows, columns, taken = set(), set(), []
        for i, j in chain.from_iterable(order):
            if i not in rows and j not in columns:
                rows.add(i)
                columns.add(j)
                taken.append(t.cells[i, j])
        best = max(best, tuple(taken))
    return {"n": t.n, "points": sum(best)}


_VIEWS = {
    "PairCounts": _pairs,
    "SquareSums": _squares,
    "ChancePairs": _chance_pairs,
    "Sizes": _sizes,
    "Entropies": _entropies,
    "Shares": _shares,
    "JointSums": _joint,
    "MacroShares": lambda t: _joint(t) | _sizes(t),
    "BestSums": _best,
    "BestMatches": _best_matches,
    "LargestOverlaps": _largest_overlaps,
    "Links": _links,
    "CorefScores": _coref,
    "GreedyMatching": _greedy,
    "MatchedPoints": _matching(lambda n, a, b: n),
    "MatchedEntities": _matching(lambda n, a, b: Fraction(2 * n, a + b)),
    "MatchedJaccard": _matching(lambda n, a, b: Fraction(n, a + b - n)),
    "MatchedRecall": _matching(lambda n, a, b: Fraction(n, a)),
    "MatchedProducts": _matching(lambda n, a, b: Fraction(n * n, a * b)),
    "MatchedSets": _matching(lambda n, a, b: Fraction(n, max(a, b)), more=_expected_sets),
}


def score_of(index, matrix):
    """Return the value of the declared formula of an index in high precision."""
    options = {
        name: p.default for name, p in inspect.signature(index).parameters.items() if p.default is not inspect._empty
    }
    names = {"sqrt": mp.sqrt, "log": mp.log, "arccos": mp.acos, "pi": mp.pi, "max": max, "min": min, "float": mpf}
    return eval(
        index.formula, {"__builtins__": {}}, names | options | index.options | fields(index.statistic.__name__, matrix)
    )
