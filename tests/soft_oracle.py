"""Soft clusterings by their definitions, item by item and pair by pair."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations
from math import fsum, log, sqrt


def agreement(rows, i, j):
    return 1 - fsum(abs(a - b) for a, b in zip(rows[i], rows[j], strict=True)) / 2


def fuzzy_rand(u, v):
    apart = [abs(agreement(u, i, j) - agreement(v, i, j)) for i, j in combinations(range(len(u)), 2)]
    return 1 - fsum(apart) / len(apart)


def likeness(rows):
    n = len(rows)
    return [[fsum(a * b for a, b in zip(rows[i], rows[j], strict=True)) for j in range(n)] for i in range(n)]


def frobenius_rand(u, v):
    """Return the Rand index of the similarity matrices, each scaled to be nearest to one of zeros and ones."""
    n = len(u)
    x, y = likeness(u), likeness(v)
    a, b = (fsum(map(fsum, m)) / fsum(value * value for row in m for value in row) for m in (x, y))
    x, y = [[a * value for value in row] for row in x], [[b * value for value in row] for row in y]
    apart = fsum((p - q) ** 2 for one, other in zip(x, y, strict=True) for p, q in zip(one, other, strict=True))
    return 1 - apart / (n * (n - 1))


def adjusted(index, u, v):
    """Return an index corrected for chance by its mean over all permutations."""
    scores = [index(u, [v[i] for i in order]) for order in permutations(range(len(v)))]
    mean = fsum(scores) / len(scores)
    return (index(u, v) - mean) / (1 - mean)


def exact_frobenius(u, v):
    """Return the Frobenius Rand index, and the same corrected for chance, as exact fractions."""
    n = len(u)
    x, y = (
        [[sum(a * b for a, b in zip(one, other, strict=True)) for other in rows] for one in rows]
        for rows in ([[Fraction(a) / sum(map(Fraction, row)) for a in row] for row in side] for side in (u, v))
    )
    a, b = (sum(map(sum, m)) / sum(value**2 for row in m for value in row) for m in (x, y))
    squares = a * sum(map(sum, x)) + b * sum(map(sum, y))
    products = sum(p * q for one, other in zip(x, y, strict=True) for p, q in zip(one, other, strict=True))
    own = [sum(m[i][i] for i in range(n)) for m in (x, y)]
    others = [sum(map(sum, m)) - mine for m, mine in zip((x, y), own, strict=True)]
    by_chance = own[0] * own[1] / n + others[0] * others[1] / (n * (n - 1))
    apart = squares - 2 * a * b * products
    return float(1 - apart / (n * (n - 1))), float(1 - apart / (squares - 2 * a * b * by_chance))


def joint(u, v):
    n = len(u)
    return [[fsum(u[i][a] * v[i][b] for i in range(n)) / n for b in range(len(v[0]))] for a in range(len(u[0]))]


def entropies(u, v):
    """Return H(U), H(V) and H(U, V)."""
    table = joint(u, v)
    rows, columns = [fsum(row) for row in table], [fsum(column) for column in zip(*table, strict=True)]
    return tuple(
        -fsum(p * log(p) for p in values if p > 0) for values in (rows, columns, [p for row in table for p in row])
    )


def mutual_information(u, v):
    a, b, both = entropies(u, v)
    return a + b - both


def variation(u, v):
    a, b, both = entropies(u, v)
    return 2 * both - a - b


def membership_distance(u, v, norm=2):
    k = max(len(u[0]), len(v[0]))
    u, v = ([list(row) + [0.0] * (k - len(row)) for row in side] for side in (u, v))
    sums = [
        fsum(
            abs(a - row[place]) ** norm
            for one, row in zip(u, v, strict=True)
            for a, place in zip(one, order, strict=True)
        )
        for order in permutations(range(k))
    ]
    return sqrt(min(sums)) if norm == 2 else min(sums)


def one_hot(labels):
    known = list(dict.fromkeys(labels))
    return [[float(label == one) for one in known] for label in labels]
