"""`undefined_when` is the whole truth: of all tables of up to seven points a score is 0/0 exactly where it says so."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

import clustermark as cm
from clustermark.errors import UndefinedIndexError
from clustermark.statistics.chance import pair_variance
from digits import Table, fields
from oracle import all_partitions


def tables_of(n):
    """Every pair of partitions of n points, but for the order of points and of clusters: as labels."""
    shapes = {tuple(sorted(map(p.count, set(p)))): p for p in all_partitions(n)}
    return list({seen_from_all_sides(t, p): (t, p) for t in shapes.values() for p in all_partitions(n)}.values())


def seen_from_all_sides(true, pred):
    """The same for tables that differ in the order of rows and columns, and for no others: the last test counts them.

    Each cluster is described by its cells, then by the clusters that those cells lead to, and so on.
    """
    cells = Counter(zip(true, pred, strict=True))
    names = [dict.fromkeys(true, ""), dict.fromkeys(pred, "")]
    for _ in range(3):
        names = [
            {
                name: str(
                    sorted((n, names[1 - side][cell[1 - side]]) for cell, n in cells.items() if cell[side] == name)
                )
                for name in names[side]
            }
            for side in (0, 1)
        ]
    return str([sorted(side.values()) for side in names])


def matrix_of(true, pred):
    matrix = [[0] * (max(pred) + 1) for _ in range(max(true) + 1)]
    for i, j in zip(true, pred, strict=True):
        matrix[i][j] += 1
    return matrix


LABELS = [pair for n in range(1, 8) for pair in tables_of(n)]
TABLES = [cm.crosstab(*pair) for pair in LABELS]


class Facts:
    """The quantities that the sentences name."""

    def __init__(self, true, pred):
        self.labels = true, pred
        self.n = len(true)
        self.clusters = len(set(true)), len(set(pred))
        self.one = tuple(k == 1 for k in self.clusters)
        self.alone = tuple(k == self.n for k in self.clusters)
        self.trivial = tuple(one or alone for one, alone in zip(self.one, self.alone, strict=True))
        cells = Table(matrix_of(true, pred))
        self.shared_singletons = sum(n == a == b == 1 for n, a, b in cells.sized())
        self.yy, self.yn, self.ny, self.nn = (int(x) for x in fields("PairCounts", matrix_of(true, pred)).values())

    @property
    def opposite(self):
        """Of four points, whether two are together in the truth exactly where the other two are in the prediction."""
        (true, pred), points = self.labels, set(range(4))
        return self.n == 4 and all(
            (true[i] == true[j]) == (len({pred[k] for k in points - {i, j}}) == 1) for i, j in combinations(range(4), 2)
        )

    @property
    def unchanging(self):
        return any(self.trivial) or unchanging(*(sorted(map(side.count, set(side))) for side in self.labels))


def unchanging(true, pred):
    """Whether one side sets a single point apart and the other has clusters of equal size."""
    return any(len(one) == 2 and one[0] == 1 and len(set(other)) == 1 for one, other in ((true, pred), (pred, true)))


HOLDS = {
    "": lambda f: False,
    "there are fewer than two points": lambda f: f.n < 2,
    "both labelings consist of singletons, so no pair is together": lambda f: all(f.alone),
    "both labelings consist of singletons": lambda f: all(f.alone),
    "no pair is together in either labeling": lambda f: all(f.alone),
    "the prediction consists of singletons, so it puts no pair together": lambda f: f.alone[1],
    "the truth consists of singletons, so no pair belongs together": lambda f: f.alone[0],
    "the truth consists of singletons": lambda f: f.alone[0],
    "one of the labelings consists of singletons": lambda f: any(f.alone),
    "the truth is one cluster, so no pair belongs apart": lambda f: f.one[0],
    "the prediction is one cluster, so it keeps no pair apart": lambda f: f.one[1],
    "the truth is one cluster, or consists of singletons": lambda f: f.trivial[0],
    "the prediction is one cluster, or consists of singletons": lambda f: f.trivial[1],
    "in one of the labelings all pairs are together, or none is": lambda f: any(f.trivial),
    "both products of opposite pair counts are zero": lambda f: not f.yy * f.nn and not f.yn * f.ny,
    "each labeling is one cluster or consists of singletons": lambda f: all(f.trivial),
    "the labelings agree on every pair": lambda f: not f.yn and not f.ny,
    "there are fewer than two points, or all points are in one cluster on both sides": lambda f: all(f.one),
    "one of the labelings is one cluster": lambda f: any(f.one),
    "both labelings are one cluster": lambda f: all(f.one),
    "both labelings are one cluster, or both consist of singletons": lambda f: all(f.one) or all(f.alone),
    "there are fewer than four points, both labelings are one cluster or both consist of singletons; with four points "
    "also where two of them are together in one labeling whenever the other two are in the other": lambda f: (
        f.n < 4 or all(f.one) or all(f.alone) or f.opposite
    ),
    "one labeling consists of singletons, or both are one cluster": lambda f: any(f.alone) or all(f.one),
    "the prediction consists of singletons, or the truth is one cluster": lambda f: f.alone[1] or f.one[0],
    "the truth consists of singletons, or the prediction is one cluster": lambda f: f.alone[0] or f.one[1],
    "no permutation changes it: a labeling is one cluster or consists of singletons, "
    "or one sets a single point apart and the other has clusters of equal size": lambda f: f.unchanging,
    "both labelings are one cluster, or both consist of singletons; with the geometric mean, also where one of them is "
    "one cluster; with min, where one of them is either": lambda f: all(f.one) or all(f.alone),
    "both labelings are one cluster; with the geometric mean or min, one of them is": lambda f: all(f.one),
    'both labelings are one cluster; with "relative", one of them is': lambda f: all(f.one),
    "the truth is one cluster, so no prediction can mix clusters": lambda f: f.one[0],
    "the prediction is one cluster, so it splits no true cluster": lambda f: f.one[1],
    "the truth is one cluster": lambda f: f.one[0],
    "with norm='wu' both labelings are one cluster": lambda f: False,
    "no item occurs in the prediction": lambda f: False,
    "no item occurs in the truth": lambda f: False,
    "no item occurs on both sides": lambda f: False,
    "the prediction has no items": lambda f: False,
    "the truth has no items": lambda f: False,
    "the prediction consists of singletons, or has no items": lambda f: f.alone[1],
    "the truth consists of singletons, or has no items": lambda f: f.alone[0],
    "the truth has fewer than two items": lambda f: f.n < 2,
    "no link and no singleton is the same on both sides": lambda f: not f.yy and not f.shared_singletons,
}
"""Each sentence as a condition on two labelings of the same points."""

WITH_OPTIONS = [
    ("adjusted_mutual_information", {"average": "geometric"}, lambda f: any(f.one) or all(f.alone)),
    ("adjusted_mutual_information", {"average": "min"}, lambda f: any(f.trivial)),
    ("adjusted_mutual_information", {"average": "max"}, lambda f: all(f.one) or all(f.alone)),
    ("relative_nmi", {"average": "geometric"}, lambda f: any(f.one)),
    ("relative_nmi", {"average": "min"}, lambda f: any(f.one)),
    ("normalized_mutual_information", {"average": "geometric"}, lambda f: any(f.one)),
    ("normalized_mutual_information", {"average": "min"}, lambda f: any(f.one)),
    ("normalized_variation_of_information", {"variant": "relative"}, lambda f: any(f.one)),
    ("normalized_van_dongen", {"norm": "wu"}, lambda f: all(f.one)),
]
"""The sentences about some options."""

FACTS = [Facts(*pair) for pair in LABELS]


def is_undefined(index, table):
    try:
        index.strict.of(table)
    except UndefinedIndexError:
        return True
    return False


def assert_undefined_where(index, holds):
    wrong = [
        f.labels for f, table in zip(FACTS, TABLES, strict=True) if is_undefined(index, table) is not bool(holds(f))
    ]
    assert not wrong, wrong[:3]


@pytest.mark.slow
@pytest.mark.parametrize("index", cm.catalogue(), ids=lambda index: index.name)
def test_a_score_is_undefined_exactly_where_it_says(index):
    assert_undefined_where(index, HOLDS[index.undefined_when])


@pytest.mark.parametrize(("name", "options", "holds"), WITH_OPTIONS)
def test_a_score_with_options_is_undefined_exactly_where_it_says(name, options, holds):
    assert_undefined_where(cm.find(name).with_options(**options), holds)


def test_all_pairs_of_partitions_are_among_the_tables():
    # OEIS A007716: ways to cross two partitions of n indistinguishable points
    assert [sum(f.n == n for f in FACTS) for n in range(1, 8)] == [1, 4, 10, 33, 91, 298, 910]


def sizes_of(n, most=None):
    if n == 0:
        yield []
    for size in range(min(n, most or n), 0, -1):
        for rest in sizes_of(n - size, size):
            yield [*rest, size]


@pytest.mark.parametrize("n", range(2, 15))
def test_only_such_sizes_leave_nothing_to_permute(n):
    def sums(sizes):
        return sum(a * a for a in sizes), sum(a**3 for a in sizes)

    for true in sizes_of(n):
        for pred in sizes_of(n):
            fixed = {len(true), len(pred)} & {1, n} or unchanging(true, pred)
            assert (pair_variance(n, sums(true), sums(pred)) == 0) is bool(fixed), (true, pred)
