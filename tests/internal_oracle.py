"""Internal indices by their definitions, point by point, in plain Python or with many digits."""

from __future__ import annotations

import math
from itertools import combinations, groupby
from operator import itemgetter

import numpy as np


def distance(x, y, metric="euclidean"):
    if metric == "manhattan":
        return sum(abs(a - b) for a, b in zip(x, y, strict=True))
    if metric == "cosine":
        dot = sum(a * b for a, b in zip(x, y, strict=True))
        return 1 - dot / math.sqrt(sum(a * a for a in x)) / math.sqrt(sum(b * b for b in y))
    if metric == "correlation":
        mx, my = sum(x) / len(x), sum(y) / len(y)
        return distance([a - mx for a in x], [b - my for b in y], "cosine")
    square = sum((a - b) ** 2 for a, b in zip(x, y, strict=True))
    return square if metric == "sqeuclidean" else square**0.5


class World:
    """Points and clusters, and the sums in the formulas. Numbers may be floats, Fractions or mpf."""

    def __init__(self, X, labels, metric="euclidean"):
        self.X = [list(row) for row in X]
        self.labels = list(labels)
        self.clusters = [
            [i for i, own in enumerate(self.labels) if own == label] for label in dict.fromkeys(self.labels)
        ]
        self.n, self.k, self.p = len(self.X), len(self.clusters), len(self.X[0])
        self.metric = metric
        self.centers = [self.mean(cluster) for cluster in self.clusters]
        self.middle = self.mean(range(self.n))
        self.w = [self.squares(cluster, center) for cluster, center in zip(self.clusters, self.centers, strict=True)]
        self.W, self.T = sum(self.w), self.squares(range(self.n), self.middle)
        self.B = sum(
            len(c) * distance(m, self.middle, "sqeuclidean") for c, m in zip(self.clusters, self.centers, strict=True)
        )
        self.code = {i: k for k, cluster in enumerate(self.clusters) for i in cluster}

    def mean(self, points):
        points = list(points)
        return [sum(self.X[i][j] for i in points) / len(points) for j in range(self.p)]

    def squares(self, points, center):
        return sum(distance(self.X[i], center, "sqeuclidean") for i in points)

    def d(self, i, j):
        return distance(self.X[i], self.X[j], self.metric)

    def deltas(self):
        return [
            sum(distance(self.X[i], m) for i in c) / len(c) for c, m in zip(self.clusters, self.centers, strict=True)
        ]

    def between_centers(self):
        return [distance(a, b) for a, b in combinations(self.centers, 2)]

    def pairs(self):
        within = [self.d(i, j) for i, j in combinations(range(self.n), 2) if self.code[i] == self.code[j]]
        between = [self.d(i, j) for i, j in combinations(range(self.n), 2) if self.code[i] != self.code[j]]
        return within, between

    def scatter_matrix(self, points, center):
        away = np.array([[float(a - b) for a, b in zip(self.X[i], center, strict=True)] for i in points])
        return away.T @ away


def ratio(a, b):
    if b == 0:
        if a == 0:
            raise ZeroDivisionError
        return math.inf
    return a / b


def calinski_harabasz(w):
    if w.k in (1, w.n):
        raise ZeroDivisionError
    return ratio(w.B / (w.k - 1), w.W / (w.n - w.k)) if w.W else ratio(w.B, w.W)


def davies_bouldin(w):
    if w.k < 2:
        raise ZeroDivisionError
    delta = w.deltas()
    worst = [
        max(ratio(delta[a] + delta[b], distance(w.centers[a], w.centers[b])) for b in range(w.k) if b != a)
        for a in range(w.k)
    ]
    return sum(worst) / w.k


def xie_beni(w):
    if w.k < 2:
        raise ZeroDivisionError
    return ratio(w.W / w.n, min(w.between_centers()) ** 2)


def silhouettes(w):
    if w.k < 2:
        raise ZeroDivisionError
    values = []
    for i in range(w.n):
        means = [sum(w.d(i, j) for j in c) / (len(c) - (k == w.code[i]) or 1) for k, c in enumerate(w.clusters)]
        a, b = means[w.code[i]], min(m for k, m in enumerate(means) if k != w.code[i])
        alone = len(w.clusters[w.code[i]]) == 1
        values.append(0 if alone or max(a, b) == 0 else (b - a) / max(a, b))
    return values


def silhouette(w):
    values = silhouettes(w)
    return sum(values) / w.n


def simplified_silhouette(w):
    if w.k < 2:
        raise ZeroDivisionError
    total = 0
    for i in range(w.n):
        away = [distance(w.X[i], center) for center in w.centers]
        a, b = away[w.code[i]], min(x for k, x in enumerate(away) if k != w.code[i])
        alone = len(w.clusters[w.code[i]]) == 1
        total += 0 if alone or max(a, b) == 0 else (b - a) / max(a, b)
    return total / w.n


def wemmert_gancarski(w):
    if w.k < 2:
        raise ZeroDivisionError
    total = 0
    for k, cluster in enumerate(w.clusters):
        inside = 0
        for i in cluster:
            away = [distance(w.X[i], center) for center in w.centers]
            other = min(x for kk, x in enumerate(away) if kk != k)
            inside += 1 if away[k] == other == 0 else ratio(away[k], other)
        total += max(0, len(cluster) - inside)
    return total / w.n


def pbm(w):
    if w.k < 2:
        raise ZeroDivisionError
    far = sum(distance(x, w.middle) for x in w.X)
    near = sum(n * len(c) for n, c in zip(w.deltas(), w.clusters, strict=True))
    return ratio(far * max(w.between_centers()), near * w.k) ** 2


def sd_scatter(w):
    def length(points, center):
        squares = [sum((w.X[i][j] - center[j]) ** 2 for i in points) / len(points) for j in range(w.p)]
        return sum(v * v for v in squares) ** 0.5

    own = [length(c, m) for c, m in zip(w.clusters, w.centers, strict=True)]
    return ratio(sum(own) / w.k, length(range(w.n), w.middle))


def sd_distance(w):
    if w.k < 2:
        raise ZeroDivisionError
    sums = [sum(distance(a, b) for b in w.centers) for a in w.centers]
    return ratio(max(w.between_centers()) * sum(1 / s for s in sums), min(w.between_centers()))


def dunn(w):
    within, between = w.pairs()
    if w.k < 2:
        raise ZeroDivisionError
    return ratio(min(between), max([*within, 0]))


def generalized_dunn(w, between=4, within=3):
    if w.k < 2:
        raise ZeroDivisionError
    delta = w.deltas()

    def apart(a, b):
        one, two = w.clusters[a], w.clusters[b]
        cross = [[w.d(i, j) for j in two] for i in one]
        if between == 4:
            return distance(w.centers[a], w.centers[b])
        if between == 5:
            return (len(one) * delta[a] + len(two) * delta[b]) / (len(one) + len(two))
        if between == 6:
            return max(max(map(min, cross)), max(map(min, zip(*cross, strict=True))))
        flat = [x for row in cross for x in row]
        return {1: min(flat), 2: max(flat), 3: sum(flat) / len(flat)}[between]

    def width(k):
        pairs = [w.d(i, j) for i, j in combinations(w.clusters[k], 2)]
        return {1: max([*pairs, 0]), 2: sum(pairs) / (len(pairs) or 1), 3: 2 * delta[k]}[within]

    return ratio(min(apart(a, b) for a, b in combinations(range(w.k), 2)), max(map(width, range(w.k))))


def _both(w):
    within, between = w.pairs()
    if not within or not between:
        raise ZeroDivisionError
    return within, between


def mcclain_rao(w):
    within, between = _both(w)
    return ratio(sum(within) / len(within), sum(between) / len(between))


def pearson_gamma(w):
    within, between = _both(w)
    every = [*within, *between]
    if max(every) == min(every):
        raise ZeroDivisionError
    flags = [0] * len(within) + [1] * len(between)
    mean, share = sum(every) / len(every), len(between) / len(every)
    up = sum((x - mean) * (f - share) for x, f in zip(every, flags, strict=True))
    return up / (sum((x - mean) ** 2 for x in every) * sum((f - share) ** 2 for f in flags)) ** 0.5


def c_index(w):
    within, between = _both(w)
    every = sorted([*within, *between])
    least, most = sum(every[: len(within)]), sum(every[-len(within) :])
    return ratio(sum(within) - least, most - least)


def _concordance(w):
    within, between = _both(w)
    return sum(a < b for a in within for b in between), sum(a > b for a in within for b in between), within, between


def baker_hubert_gamma(w):
    more, less, _, _ = _concordance(w)
    return (more - less) / (more + less)


def g_plus(w):
    _, less, within, between = _concordance(w)
    n = len(within) + len(between)
    return 2 * less / (n * (n - 1))


def distance_tau(w):
    more, less, within, between = _concordance(w)
    n = len(within) + len(between)
    return (more - less) / math.sqrt(len(within) * len(between) * n * (n - 1) / 2)


def _slogdet(matrix):
    sign, log = np.linalg.slogdet(matrix)
    if sign <= 0 or np.linalg.matrix_rank(matrix) < len(matrix):
        raise ZeroDivisionError
    return log


def _matrices(w):
    within = sum(w.scatter_matrix(c, m) for c, m in zip(w.clusters, w.centers, strict=True))
    return within, w.scatter_matrix(range(w.n), w.middle)


def det_ratio(w):
    within, total = _matrices(w)
    return math.exp(_slogdet(total) - _slogdet(within)) if np.any(within) else _slogdet(within)


def log_det_ratio(w):
    return w.n * math.log(det_ratio(w))


def ksq_detw(w):
    try:
        return w.k**2 * math.exp(_slogdet(_matrices(w)[0]))
    except ZeroDivisionError:
        return 0.0


def trace_wib(w):
    within, total = _matrices(w)
    _slogdet(within)
    return np.trace(np.linalg.inv(within) @ (total - within))


def scott_symons(w):
    return sum(len(c) * _slogdet(w.scatter_matrix(c, m) / len(c)) for c, m in zip(w.clusters, w.centers, strict=True))


def ratkowsky_lance(w):
    shares = []
    for j in range(w.p):
        total = sum((x[j] - w.middle[j]) ** 2 for x in w.X)
        between = sum(len(c) * (m[j] - w.middle[j]) ** 2 for c, m in zip(w.clusters, w.centers, strict=True))
        if total == 0:
            raise ZeroDivisionError
        shares.append(between / total)
    return (sum(shares) / w.p / w.k) ** 0.5


def banfield_raftery(w):
    if not all(w.w):
        return -math.inf
    return sum(len(c) * math.log(v / len(c)) for c, v in zip(w.clusters, w.w, strict=True))


def log_ss_ratio(w):
    if w.k < 2:
        raise ZeroDivisionError
    value = ratio(w.B, w.W)
    return math.log(value) if value else -math.inf


def least_edges(points, weigh):
    """Return the edges that are in any minimum spanning tree, with their points: smaller edges do not join these.

    weigh: the weight of an edge; tuples are compared place by place.
    """
    found, group = [], {i: i for i in points}
    every = sorted((weigh(i, j), i, j) for i, j in combinations(points, 2))
    for _, equals in groupby(every, key=itemgetter(0)):
        new = [edge for edge in equals if group[edge[1]] != group[edge[2]]]
        found += new
        for _, i, j in new:
            old, own = group[j], group[i]
            if old != own:
                group.update({k: own for k, one in group.items() if one == old})
    return found


def authors_tree(points, weigh):
    """Return the edges of the tree of the authors' MATLAB code, by its loops: Prim's algorithm from the first."""
    inside, parent, least, tree = set(), {}, dict.fromkeys(points, math.inf), []
    now = points[0]
    while len(tree) < len(points) - 1:
        inside.add(now)
        nearest = math.inf
        for other in points:
            if other == now or other in inside:
                continue
            if least[other] > weigh(now, other):
                least[other], parent[other] = weigh(now, other), now
            if nearest > least[other]:
                nearest, following = least[other], other
        tree.append((weigh(parent[following], following), parent[following], following))
        now = following
    return tree


def dbcv(w, noise=-1, authors=False):
    """Return the index of Moulavi et al.; authors: with the tree, duplicates and lone points of their MATLAB code."""
    clusters = [c for c in w.clusters if w.labels[c[0]] != noise and (len(c) > 1 or not authors)]
    if len(clusters) < 2:
        raise ZeroDivisionError
    cores, inner, sparse = {}, [], []
    for c in clusters:
        for i in c:
            away = sorted(w.d(i, j) for j in c if j != i)
            if authors:
                away = [x or math.inf for x in away]
            near = sum(x**-w.p for x in away) if away and min(away) else 0
            cores[i] = (near / len(away)) ** (-1 / w.p) if near else 0

        def reach(i, j):
            return max(cores[i], cores[j], w.d(i, j))

        if authors:
            tree = authors_tree(c, reach)
        else:
            tree = [(e[0][0], *e[1:]) for e in least_edges(c, lambda i, j: (reach(i, j), w.d(i, j)))]
        degree = {i: sum(i in edge[1:] for edge in tree) for i in c}
        core = [i for i in c if degree[i] > 1] or c
        edges = [e[0] for e in tree if degree[e[1]] > 1 and degree[e[2]] > 1] or [e[0] for e in tree] or [0]
        inner.append(core)
        sparse.append(max(edges))
    total = 0
    for k, c in enumerate(clusters):
        apart = min(
            max(cores[i], cores[j], w.d(i, j))
            for other, members in enumerate(inner)
            if other != k
            for i in inner[k]
            for j in members
        )
        most = max(apart, sparse[k])
        total += len(c) * ((apart - sparse[k]) / most if most else 0)
    return total / w.n


def relative_validity(w, min_samples=5, noise=-1):
    """Return the index of hdbscan, edge by edge of the least trees over all points."""
    clusters = [c for c in w.clusters if w.labels[c[0]] != noise]
    if not clusters:
        raise ZeroDivisionError
    own = {i: k for k, c in enumerate(clusters) for i in c}
    cores = [sorted(w.d(i, j) for j in range(w.n) if j != i)[:min_samples][-1] if w.n > 1 else 0 for i in range(w.n)]
    tree = [
        (edge[0], own.get(i), own.get(j))
        for edge, i, j in least_edges(range(w.n), lambda i, j: (max(cores[i], cores[j], w.d(i, j)), w.d(i, j)))
    ]
    sparse, apart, to_noise, longest = [0] * len(clusters), [math.inf] * len(clusters), math.inf, 0
    for weight, a, b in tree:
        longest = max(longest, weight)
        if a is None or b is None:
            to_noise = to_noise if a is b else min(to_noise, weight)
        elif a == b:
            sparse[a] = max(sparse[a], weight)
        else:
            apart[a], apart[b] = min(apart[a], weight), min(apart[b], weight)
    far = 2 * (longest if len(clusters) > 1 or to_noise == math.inf else to_noise)
    total = 0
    for c, s, a in zip(clusters, sparse, apart, strict=True):
        a = far if a == math.inf else a
        total += len(c) * (a - s) / max(a, s) if max(a, s) else 0
    return total / w.n


ORACLE = {
    "within_sum_of_squares": lambda w: w.W,
    "within_mean_square": lambda w: w.W / w.n,
    "r_squared": lambda w: ratio(w.B, w.T),
    "ball_hall": lambda w: sum(v / len(c) for v, c in zip(w.w, w.clusters, strict=True)) / w.k,
    "log_ss_ratio": log_ss_ratio,
    "banfield_raftery": banfield_raftery,
    **{
        one.__name__: one
        for one in (
            calinski_harabasz, davies_bouldin, xie_beni, silhouette, simplified_silhouette, wemmert_gancarski, pbm,
            sd_scatter, sd_distance, dunn, generalized_dunn, mcclain_rao, pearson_gamma, c_index, baker_hubert_gamma,
            g_plus, distance_tau, det_ratio, log_det_ratio, ksq_detw, trace_wib, scott_symons, ratkowsky_lance, dbcv,
            relative_validity,
        )
    },
}  # fmt: skip
