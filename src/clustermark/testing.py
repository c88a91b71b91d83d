"""Checks of an index against its declared facts: call `check_index(my_index)` in a test.

Every check raises an `AssertionError` that names the property and a case that breaks it.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise, permutations, product
from math import isclose, isinf
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.errors import InputError, UndefinedIndexError, UnsupportedTableError
from clustermark.registry import find, with_chosen_options
from clustermark.registry.formulas import compute
from clustermark.subjects.subject import PARTITIONS
from clustermark.tables.tabulation import crosstab

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import NoReturn

    from clustermark.registry import Index
    from clustermark.tables.contingency import Contingency

    Partition = tuple[int, ...]

__all__ = ["CHECKS", "check_index"]


def __dir__() -> list[str]:
    return sorted(__all__)


MOST_POINTS = 6
"""Largest number of points of which all partitions are tried."""


class Case(NamedTuple):
    """Two partitions, their table, and the table with the sides exchanged."""

    true: Partition
    pred: Partition
    table: Contingency
    turned: Contingency


def check_index(
    index: Index[...],
    *,
    asymmetric_with: Mapping[str, Any] | None = None,
    not_metric: tuple[Sequence[int], Sequence[int], Sequence[int]] | None = None,
) -> None:
    """Check the declared facts of an index of two partitions on all partitions of up to six points, and on some larger.

    asymmetric_with: options with which it is not symmetric, if it is symmetric with its defaults.
    not_metric: three partitions that break the triangle inequality, if no partitions of five points do.

    >>> from clustermark import jaccard
    >>> check_index(jaccard)
    """
    if all(use.comparison is not PARTITIONS for use in index.uses):
        raise InputError(f"check_index: {index.name} does not compare partitions; it takes {index.comparison.words}")
    for check in CHECKS:
        if check is check_symmetry:
            check_symmetry(index.with_options(**asymmetric_with or {}))
        elif check is check_metric:
            check_metric(index, not_metric)
        else:
            check(index)


@cache
def partitions(n: int) -> list[Partition]:
    """Return all partitions of n points, with clusters numbered as they appear.

    >>> partitions(3)
    [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 1, 2)]
    """
    return [()] if n == 0 else [(*p, c) for p in partitions(n - 1) for c in range(max(p, default=-1) + 2)]


@cache
def small_cases() -> list[Case]:
    """Return all pairs of partitions of up to six points; of truths, one for each choice of cluster sizes."""
    cases = []
    for n in range(1, MOST_POINTS + 1):
        every = partitions(n)
        shapes = {tuple(sorted(map(partition.count, set(partition)))): partition for partition in every}
        pairs = product(shapes.values(), every)
        cases += [Case(true, pred, crosstab(true, pred), crosstab(pred, true)) for true, pred in pairs]
    return cases


def _fail(index: Index[...], what: str, *labels: object) -> NoReturn:
    names = ("y_true", "y_pred") if len(labels) == 2 else ("x", "y", "z")
    case = ", ".join(f"{name}={list(side)!r}" for name, side in zip(names, labels, strict=False))  # type: ignore[call-overload]
    raise AssertionError(f"{index.label}: {what}{f'; for example {case}' if labels else ''}")


def _are_close(one: float, other: float) -> bool:
    return isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)


def check_bounds(index: Index[...]) -> None:
    """Check that every score lies within the declared bounds."""
    low, high = index.bounds
    for true, pred, table, _ in small_cases():
        if not low <= (score := index.of(table)) <= high:
            _fail(index, f"the score {score!r} lies outside the declared bounds {index.bounds}", true, pred)


def check_weights(index: Index[...]) -> None:
    """Check that weighted scores lie within their bounds, which are not too wide, or that weights are refused."""
    low, high = index.weighted_bounds
    needed = index.weighted_bounds == index.bounds
    for true, pred, weights, table in _weighted_cases():
        if index.weights is None:
            try:
                index.of(table)
            except UnsupportedTableError:
                return
            _fail(index, "weights are declared to be refused, and are not", true, pred)
        score = index.of(table)
        needed = needed or not index.bounds[0] <= score <= index.bounds[1]
        if not low - 1e-12 <= score <= high + 1e-12:
            what = f"with weights={list(weights)} the score {score!r} lies outside weighted_bounds={(low, high)}"
            _fail(index, what, true, pred)
    if not needed:
        _fail(index, f"weighted_bounds={(low, high)} are declared, and bounds={index.bounds} would do")


@cache  # like all tables here, because tables keep their statistics, which many indices share
def _weighted_cases() -> list[tuple[Sequence[int], Sequence[int], Sequence[float], Contingency]]:
    cases: list[Any] = [([0, 0, 1], [0, 1, 0], [1000.0, 1.0, 1.0])]
    rng = np.random.default_rng(3)
    for _ in range(300):
        n = int(rng.integers(2, 7))
        weights = 10.0 ** rng.integers(-3, 4, n)
        if (weights != 1).any():  # weights that are all 1 make a table of plain points
            cases.append((rng.integers(0, 3, n).tolist(), rng.integers(0, 3, n).tolist(), weights.tolist()))
    return [(true, pred, weights, crosstab(true, pred, weights=weights)) for true, pred, weights in cases]


def check_identity(index: Index[...]) -> None:
    """Check that identical partitions score best if declared so, except for a declared value where it is undefined."""
    worse = {p: table for p, table in _identical().items() if index.of(table) != index.best}
    if not index.best_on_identity and not worse:
        _fail(index, "identical partitions are declared not always to score best, and they do")
    strict = index.strict
    for partition, table in worse.items() if index.best_on_identity else ():
        try:
            strict.of(table)
        except UndefinedIndexError:
            if index.undefined is not None:
                continue
        _fail(index, f"identical partitions do not score best, {index.best}", partition, partition)


@cache
def _identical() -> dict[Partition, Contingency]:
    return {p: crosstab(p, p) for n in range(1, MOST_POINTS + 1) for p in partitions(n)}


def check_symmetry(index: Index[...]) -> None:
    """Check that the index is symmetric in all cases, or in some case asymmetric, as declared."""
    differing = [case for case in small_cases() if not _are_close(index.of(case.table), index.of(case.turned))]
    if index.symmetric and differing:
        _fail(index, "it is declared symmetric, and is not", differing[0].true, differing[0].pred)
    if not index.symmetric and not differing:
        _fail(index, "it is declared not symmetric, and is; if only options make it so, check with asymmetric_with={…}")


def check_metric(index: Index[...], not_metric: Sequence[Sequence[int]] | None = None) -> None:
    """Check that the distance of the index is a metric, or is none, as declared; None declares neither."""
    if index.best is None or isinf(index.best):
        if index.metric:
            _fail(index, "it is declared a metric, and without a finite best value there is no distance")
        return
    if index.metric is None:
        return
    broken = not_metric or next((why for n in (3, 4, 5) if (why := _broken_metric(index, n))), None)
    if not_metric is not None:
        x, y, z = not_metric
        best = index.best
        if abs(best - index(x, z)) <= abs(best - index(x, y)) + abs(best - index(y, z)) + 1e-9:
            _fail(index, "these partitions do not break the triangle inequality", x, y, z)
    if index.metric and broken:
        _fail(index, "its distance is declared a metric, and is not one", *broken)
    if not index.metric and not broken:
        _fail(
            index,
            "its distance is declared not to be a metric, and no partitions of up to five points show that; "
            "declare metric=True, or None where it is unknown, or check with not_metric=(x, y, z)",
        )


def _broken_metric(index: Index[...], n: int) -> tuple[Partition, ...] | None:
    """Return partitions of n points on which the distance of an index is not a metric; None if there are none."""
    best, strict, distance = index.best or 0.0, index.strict, {}
    for x, y in product(partitions(n), repeat=2):
        try:
            distance[x, y] = abs(best - strict(x, y))
        except ZeroDivisionError:  # the fallback is a convention; only identical partitions have distance 0
            distance[x, y] = 0.0 if x == y else abs(best - index(x, y))
    for x, y in distance:
        if (x == y) != (distance[x, y] < 1e-12) or not _are_close(distance[x, y], distance[y, x]):
            return x, y
    for (x, y), z in product(distance, partitions(n)):
        if distance[x, z] > distance[x, y] + distance[y, z] + 1e-12:
            return x, y, z
    return None


_FOR_CHANCE = (
    ((0, 0, 0, 1, 1), (0, 0, 1, 1, 2)),
    ((0, 0, 1, 1, 2), (0, 1, 1, 1, 1)),
    ((0, 1, 1, 2, 2), (0, 0, 1, 1, 1)),
)


@cache
def _permuted() -> dict[tuple[Partition, Partition], list[Contingency]]:
    return {(true, pred): [crosstab(true, other) for other in permutations(pred)] for true, pred in _FOR_CHANCE}


def check_chance(index: Index[...]) -> None:
    """Check that the mean over all permutations of the prediction is 0 if and only if that is the chance model."""
    means = {case: sum(map(index.of, tables)) / len(tables) for case, tables in _permuted().items()}
    wrong = [case for case, mean in means.items() if abs(mean) >= 1e-12]
    if index.chance_model == "permutation" and wrong:
        _fail(index, 'its mean over permutations is not 0, as chance_model="permutation" says', *wrong[0])
    if index.chance_model != "permutation" and all(abs(mean) <= 1e-9 for mean in means.values()):
        _fail(index, 'its mean over permutations is 0; declare chance_model="permutation"')


def check_renaming(index: Index[...]) -> None:
    """Check that other names, types and orders of the labels give the same bits."""
    score = index.of((tables := _renamed())[""])
    for how, table in tables.items():
        if how and (other := index.of(table)) != score:
            _fail(index, f"the score {score!r} becomes {other!r} with the same labels {how}")


@cache
def _renamed() -> dict[str, Contingency]:
    true, pred = _larger(5)
    renamed = np.random.default_rng(5).permutation(100)[:12] - 50
    labels: dict[str, Any] = {
        "": (true, pred),
        "as narrow integers": (true.astype(np.int8), pred.astype(np.uint16)),
        "renamed": (renamed[true], pred),
        "as floats and in another byte order": (true.astype(float), pred.astype(">i4")),
        "as strings": ([f"c{x}" for x in true], pred.astype(str)),
        "as bytes and as a list": (true.astype(str).astype("S"), pred.tolist()),
        "as large integers": ((true * 2**55 - 2**60).tolist(), pred.astype(np.uint64) + np.uint64(2**63)),
        "in reverse": (true[::-1], pred[::-1]),
    }
    return {how: crosstab(*both) for how, both in labels.items()}


def check_chunks(index: Index[...]) -> None:
    """Check that tables of parts of the points, added up in any order, give the same bits."""
    whole, *added = _added()
    score = index.of(whole)
    for table in added:
        if (other := index.of(table)) != score:
            _fail(index, f"the score {score!r} becomes {other!r} when tables of chunks are added up")


@cache
def _added() -> list[Contingency]:
    """Return a table, and the sums of tables of its points in chunks, added up in every order."""
    true, pred = _larger(6)
    chunks = [crosstab(true[a:b], pred[a:b]) for a, b in pairwise([0, 7, 100, 101, 300])]
    return [crosstab(true, pred), *(sum(others, first) for first, *others in permutations(chunks))]


def _larger(seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 12, 300), rng.integers(0, 9, 300)


def check_formula(index: Index[...]) -> None:
    """Check that the formula gives the scores of the code."""
    use = next(use for use in index.uses if use.comparison is PARTITIONS)
    options = {name: p.default for name, p in index.__signature__.parameters.items() if p.default is not p.empty}
    strict = index.strict
    for true, pred, table, _ in small_cases()[::7]:
        try:
            score = strict.of(table)
        except ZeroDivisionError:
            continue
        if isinf(score):
            continue
        statistic = use.statistic.of(table)
        fields = {name: getattr(statistic, name) for name in dir(statistic) if not name.startswith("_")}
        value = compute(use.formula, fields | options)
        if not _are_close(value, score):
            _fail(index, f"the formula {use.formula} gives {value!r}, and the code {score!r}", true, pred)


def check_exact(index: Index[...]) -> None:
    """Check that the exact fraction is the score if the index is rational, and is refused otherwise."""
    for true, pred, table, _ in small_cases()[::11]:
        if index.rational and not isinf(index.of(table)):
            if not _are_close(float(exact := index.exact(table)), score := index.of(table)):
                _fail(index, f"the exact fraction is {exact}, and the score {score!r}", true, pred)
        else:
            try:
                index.exact(table)
            except InputError:
                continue
            _fail(index, "it has an exact fraction where it is not rational or not finite", true, pred)


def check_undefined(index: Index[...]) -> None:
    """Check that the declaration says when the index is undefined, if it ever is."""
    strict = index.strict
    for true, pred, table, _ in small_cases():
        try:
            strict.of(table)
        except UndefinedIndexError:
            if not index.undefined_when:
                _fail(index, "it is undefined, and undefined_when does not say when", true, pred)


def check_names(index: Index[...]) -> None:
    """Check that each name of the index finds it, including its names in other tools."""
    for name in index.own_names:
        if find(name) != index.with_options(**find(name).options):
            _fail(index, f"the name {name!r} finds {find(name).label}")
    for peer, names in index.peers.items():
        for text in names:
            name, options = with_chosen_options(text)
            if (found := find(f"{peer}:{name}")) != index.with_options(**options):
                _fail(index, f"the name {peer}:{name} finds {found.label}")


CHECKS: tuple[Callable[[Index[...]], None], ...] = (
    check_bounds,
    check_weights,
    check_identity,
    check_symmetry,
    check_metric,
    check_chance,
    check_renaming,
    check_chunks,
    check_formula,
    check_exact,
    check_undefined,
    check_names,
)
"""The checks of `check_index`, in order."""
