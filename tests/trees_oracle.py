"""Indices of trees by their definitions: over every pair of leaves, with every cut, and clusters as sets."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations
from math import comb, log, sqrt


class PlainTree:
    """Branches as (height, frozenset of leaves, list of children); a child is a leaf or an index of a branch."""

    def __init__(self, tree):
        n = tree.n
        self.n = n
        self.branches = []
        for i, height in enumerate(tree.heights.tolist()):
            children = tree.children[tree.starts[i] : tree.starts[i + 1]].tolist()
            leaves = frozenset().union(*(self.leaves(c) for c in children))
            self.branches.append((height, leaves, children))

    def leaves(self, node):
        return frozenset([node]) if node < self.n else self.branches[node - self.n][1]

    def joining(self, i, j):
        """Return the index of the first branch with both leaves: the smallest cluster that contains them."""
        return next(place for place, (_, leaves, _) in enumerate(self.branches) if {i, j} <= leaves)

    def height(self, i, j):
        return self.branches[self.joining(i, j)][0]

    def stage(self, i, j):
        """Return the number of different heights up to the merge of two leaves."""
        place = self.joining(i, j)
        heights = [height for height, _, _ in self.branches]
        return sum(heights[p] != heights[p - 1] for p in range(1, place + 1))

    def cut(self, k):
        """Return the clusters after n - k merges of two; a branch of several children merges them in their order."""
        clusters = [{leaf} for leaf in range(self.n)]
        for _, _, children in self.branches:
            merged = set(self.leaves(children[0]))
            for child in children[1:]:
                if len(clusters) == k:
                    return clusters
                other = set(self.leaves(child))
                clusters.remove(merged)
                clusters.remove(other)
                merged |= other
                clusters.append(merged)
        return clusters

    def clades(self):
        return {leaves for _, leaves, children in self.branches if 1 < len(leaves) < self.n}

    def nested(self, node=None):
        """Return the tree as lists of lists; leaves are numbers."""
        node = self.n + len(self.branches) - 1 if node is None else node
        return node if node < self.n else [self.nested(child) for child in self.branches[node - self.n][2]]


def correlate(x, y):
    """Return Pearson's correlation of fractions."""
    n = len(x)
    x, y = [Fraction(v) for v in x], [Fraction(v) for v in y]
    joint = n * sum(a * b for a, b in zip(x, y, strict=True)) - sum(x) * sum(y)
    spread = (n * sum(a * a for a in x) - sum(x) ** 2) * (n * sum(b * b for b in y) - sum(y) ** 2)
    if not spread:
        raise ZeroDivisionError
    return float(joint) / sqrt(spread)


def ranks(x):
    return [Fraction(2 * sum(b < a for b in x) + sum(b == a for b in x) + 1, 2) for a in x]


def pairs_of(n):
    return list(combinations(range(n), 2))


def cophenetic(a, b, method="pearson"):
    x, y = ([tree.height(*pair) for pair in pairs_of(a.n)] for tree in (a, b))
    return correlate(x, y) if method == "pearson" else correlate(ranks(x), ranks(y))


def baker(a, b):
    return correlate(*(ranks([tree.stage(*pair) for pair in pairs_of(a.n)]) for tree in (a, b)))


def fowlkes_mallows(one, other):
    together = sum(comb(len(x & y), 2) for x in one for y in other)
    a, b = (sum(comb(len(x), 2) for x in side) for side in (one, other))
    return together / sqrt(a * b)


def chance(one, other, n):
    """Return mean and variance of the index over all permutations of the leaves of a side."""
    scores = [
        fowlkes_mallows(one, [{order[leaf] for leaf in cluster} for cluster in other])
        for order in permutations(range(n))
    ]
    mean = sum(scores) / len(scores)
    return mean, sum((score - mean) ** 2 for score in scores) / len(scores)


def robinson_foulds(a, b):
    return len(a.clades() ^ b.clades())


def purity(tree, labels):
    shares = []
    for i, j in pairs_of(tree.n):
        if labels[i] == labels[j]:
            leaves = tree.branches[tree.joining(i, j)][1]
            shares.append(Fraction(sum(labels[leaf] == labels[i] for leaf in leaves), len(leaves)))
    return float(sum(shares) / len(shares))


def hierarchical_f(tree, labels):
    nodes = [{leaf} for leaf in range(tree.n)] + [leaves for _, leaves, _ in tree.branches]
    total = Fraction(0)
    for label in set(labels):
        own = {leaf for leaf in range(tree.n) if labels[leaf] == label}
        best = max(Fraction(2 * len(own & node), len(own) + len(node)) for node in nodes)
        total += Fraction(len(own), tree.n) * best
    return float(total)


def dasgupta(tree, w):
    return sum(w[i][j] * len(tree.branches[tree.joining(i, j)][1]) for i, j in pairs_of(tree.n))


def hierarchical_information(u, v):
    """Return the index of Perotti et al. on lists of lists: a list of leaves only, or a leaf, adds nothing."""

    def leaves(node):
        return set().union(*map(leaves, node)) if isinstance(node, list) else {node}

    common = leaves(u) & leaves(v)
    if not common or not all(isinstance(x, list) and any(isinstance(y, list) for y in x) for x in (u, v)):
        return 0.0
    n, total = len(common), 0.0
    for i in u:
        for j in v:
            both, one, other = len(leaves(i) & leaves(j)), len(leaves(i) & common), len(leaves(j) & common)
            if both:
                total += both / n * (log(both * n / (one * other)) + hierarchical_information(i, j))
    return total
