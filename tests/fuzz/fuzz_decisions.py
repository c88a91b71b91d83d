"""Decisions and diagnoses: chance, limits near it, repairs, sweeps of labelings, pairs of ids, by their definitions."""

from __future__ import annotations

import json
import math
from collections import Counter
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

import clustermark as cm

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

CORRECTED = ["adjusted_rand", "adjusted_mutual_information"]
TESTED = [*CORRECTED, "rand", "jaccard", "v_measure", "fowlkes_mallows", "variation_of_information", "b_cubed_f"]


def arrangements(counts: Counter[int], n: int) -> Iterator[tuple[int, ...]]:
    """Yield every order of labels with these counts, each once; all are as likely."""
    if not n:
        yield ()
    for label in counts:
        if counts[label]:
            counts[label] -= 1
            for rest in arrangements(counts, n - 1):
                yield (label, *rest)
            counts[label] += 1


def fuzz_chance(rng: random.Random) -> None:
    """The exact p-value is the share of all arrangements of the labels whose score is as good."""
    n = rng.choice([3, 5, 6, 7])
    true, pred = ([rng.randrange(rng.choice([2, 3])) for _ in range(n)] for _ in range(2))
    index = cm.find(rng.choice(TESTED))
    try:
        found = cm.evaluate(true, pred, [index]).test(index)
    except cm.ClustermarkError:
        return
    sign = 1 if index.facts.higher_is_better else -1
    scores = [sign * index(true, list(one)) for one in arrangements(Counter(pred), n)]
    share = sum(score >= sign * found.score - 1e-9 for score in scores) / len(scores)
    assert 0 < found.p_value <= 1
    assert math.isclose(found.p_value, share, rel_tol=1e-9), (index.name, true, pred, found, share)
    assert math.isclose(found.null_mean, sign * sum(scores) / len(scores), rel_tol=1e-9, abs_tol=1e-12), found


def fuzz_chance_of_two(rng: random.Random) -> None:
    """With two clusters on both sides the tables have a hypergeometric distribution."""
    n = rng.choice([10, 30, 200])
    a, b = rng.randint(1, n - 1), rng.randint(1, n - 1)
    least, most = max(0, a + b - n), min(a, b)

    def table(shared: int) -> Any:
        return cm.Contingency.from_matrix([[shared, a - shared], [b - shared, n - a - b + shared]])

    shared = rng.randint(least, most)
    index = cm.find(rng.choice(["adjusted_rand", "rand", "jaccard", "v_measure"]))
    scores = {one: index.of(table(one)) for one in range(least, most + 1)}
    good = [one for one, score in scores.items() if score >= scores[shared] - 1e-9]
    try:
        found = cm.evaluate_table(table(shared), [index]).test(index)
    except cm.UnsupportedTableError:
        assert max(scores.values()) - min(scores.values()) < 1e-9, (n, a, b)
        return
    p = sum(comb(a, one) * comb(n - a, b - one) for one in good) / comb(n, b)
    assert math.isclose(found.p_value, p, rel_tol=1e-7), (index.name, n, a, b, shared, found.p_value, p)


def near_chance(rng: random.Random) -> tuple[Any, Any]:
    """Return two labelings that share little, with clusters of uneven sizes."""
    n, k = rng.choice([12, 60, 500, 3000]), rng.choice([2, 2, 3, 6, 20])
    shares = np.array([rng.random() ** rng.choice([1, 4]) + 1e-3 for _ in range(k)])
    draw = np.random.default_rng(rng.randrange(2**32))
    true, pred = (draw.choice(k, n, p=shares / shares.sum()) for _ in range(2))
    return true, np.where(draw.random(n) < rng.choice([0, 0, 0.05, 0.2]), true, pred)


def fuzz_limits(rng: random.Random) -> None:
    """Limits contain the score, lie in its range, widen with the level, and depend on no order, name or side."""
    true, pred = near_chance(rng)
    name = rng.choice(TESTED)
    table = cm.crosstab(true, pred)
    low, high = (cm.score_interval(table, name, level=level) for level in (0.8, 0.99))
    if low.low is None:
        return
    bounds = cm.find(name).facts.bounds
    for one in (low, high):
        assert bounds[0] - 1e-12 <= one.low <= one.score <= one.high <= bounds[1] + 1e-12, (name, one)
    assert high.low <= low.low + 1e-12, (low, high)
    assert high.high >= low.high - 1e-12, (low, high)
    order = rng.sample(range(len(true)), len(true))
    names = np.array(rng.sample(range(1000), int(true.max()) + 1))
    again = cm.score_interval(cm.crosstab(names[true[order]], pred[order]), name, level=0.8)
    assert np.allclose([again.low, again.high], [low.low, low.high], rtol=1e-9, atol=1e-9), (name, low, again)
    if cm.find(name).facts.symmetric:
        turned = cm.score_interval(cm.crosstab(pred, true), name, level=0.8)
        assert np.allclose([turned.low, turned.high], [low.low, low.high], rtol=1e-7, atol=1e-7), (name, low, turned)


def edit(true: list[int], pred: list[Any], original: list[int], kind: str, cluster: int) -> list[Any]:
    """Return the labels after a split of a predicted cluster, or a gather of a true one."""
    if kind == "split":
        return [(cluster, t) if o == cluster and p == o else p for t, p, o in zip(true, pred, original, strict=True)]
    return [("gathered", cluster) if t == cluster else p for t, p in zip(true, pred, strict=True)]


def fuzz_repairs(rng: random.Random) -> None:
    """Each repair is the best of all edits, tried one by one."""
    n, k = rng.choice([4, 12, 40]), rng.choice([2, 4, 9])
    true, pred = ([rng.randrange(k) for _ in range(n)] for _ in range(2))
    by = rng.choice(["wrong_pairs", "adjusted_rand", "jaccard", "b_cubed_f", "v_measure", *CORRECTED[1:]])
    repairs = cm.evaluate(true, pred, ["jaccard"]).repairs(4, by=by)
    now: list[Any] = list(pred)

    def worth(labels: list[Any]) -> float:
        numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
        coded = [numbers[label] for label in labels]
        if by == "wrong_pairs":
            return -sum((true[i] == true[j]) != (coded[i] == coded[j]) for i, j in combinations(range(n), 2))
        return cm.find(by)(true, coded)

    def partition(labels: list[Any]) -> set[frozenset[int]]:
        return {frozenset(i for i in range(n) if labels[i] == label) for label in labels}

    for repair in repairs:
        edits = [("split", c) for c in sorted(set(pred))] + [("gather", c) for c in sorted(set(true))]
        after = [edit(true, now, pred, *one) for one in edits]
        useful = [labels for labels in after if partition(labels) != partition(now)]
        best = max(map(worth, useful))
        now = edit(true, now, pred, "split" if repair.action == "split" else "gather", repair.cluster)
        assert worth(now) >= best - 1e-10, (by, true, pred, repair, worth(now), best)


def fuzz_coverage(rng: random.Random) -> None:
    """A sweep of labelings with noise scores the points that all keep, and tells the coverage of each."""
    n = rng.choice([4, 10, 50])
    true = [rng.randrange(4) for _ in range(n)]
    labelings = {at: [rng.choice([-1, 0, 1, 2]) for _ in range(n)] for at in (0.25, 0.5, 0.75)[: rng.choice([1, 2, 3])]}
    kept = {at: [i for i in range(n) if labels[i] != -1] for at, labels in labelings.items()}
    given = {at: labels for at, labels in labelings.items() if kept[at]}
    points = rng.choice(["common", "own"])
    common = [i for i in range(n) if all(i in kept[at] for at in given)]
    try:
        found = cm.sweep(true, labelings, ["adjusted_rand", "v_measure"], noise={-1: "drop"}, points=points)
    except cm.InputError:
        assert not given or not common
        return
    curves = json.loads(found.to_json())["curves"]
    assert sorted(curves["threshold"]) == sorted(given)
    for at, labels in given.items():
        scored = common if points == "common" else kept[at]
        for name in ("adjusted_rand", "v_measure"):
            expected = cm.find(name)([true[i] for i in scored], [labels[i] for i in scored])
            assert curves[name][curves["threshold"].index(at)] == expected, (at, name)
        assert math.isclose(curves["coverage"][curves["threshold"].index(at)], len(kept[at]) / n), at


def fuzz_parts(rng: random.Random) -> None:
    """Scored pairs of ids with two parts make the partitions that pairs of plain ids make."""
    n, m = rng.choice([3, 8, 20]), rng.choice([1, 5, 40])
    odd = ["a", "a,b", "a'", '"', "", " ", "ä", "1", "01", "('a', 1)"]
    ids = list({(rng.choice(odd), rng.choice([*odd, str(rng.randrange(99))])) for _ in range(n)})
    truth = {one: rng.randrange(3) for one in ids}
    pairs = [(rng.choice(ids), rng.choice(ids), rng.choice([0.2, 0.5, rng.random()])) for _ in range(m)]
    columns = [list(column) for column in zip(*pairs, strict=True)]
    names = ["adjusted_rand", "b_cubed_f", "pair_precision"]
    found = cm.sweep_pairs(truth, tuple(columns), names)
    number = {one: place for place, one in enumerate(ids)}
    plain = cm.sweep_pairs(
        [truth[one] for one in ids],
        ([number[i] for i in columns[0]], [number[i] for i in columns[1]], columns[2]),
        names,
    )
    for threshold in set(columns[2]):
        assert dict(found.scores(threshold)) == dict(plain.scores(threshold))
        clusters = {one: {one} for one in ids}
        for one, other, score in pairs:
            if score >= threshold and clusters[one] is not clusters[other]:
                clusters[one] |= clusters[other]
                for member in clusters[other]:
                    clusters[member] = clusters[one]
        pred = [min(number[other] for other in clusters[one]) for one in ids]
        exact = cm.evaluate([truth[one] for one in ids], pred, names)
        for name in names:
            assert math.isclose(found.scores(threshold)[name], exact[name], rel_tol=1e-12, abs_tol=1e-12)


FUZZERS = {
    "chance": fuzz_chance,
    "chance-of-two": fuzz_chance_of_two,
    "limits": fuzz_limits,
    "repairs": fuzz_repairs,
    "coverage": fuzz_coverage,
    "parts": fuzz_parts,
}
