"""Mutual information of random tables against exact sums over tables, and against sampling."""

from __future__ import annotations

import contextlib
import math
import random
from collections import Counter
from decimal import Decimal, localcontext
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clustermark import _kernel as kernel
from test_kernel import GARBAGE, quick

if TYPE_CHECKING:
    from collections.abc import Iterator

Sizes = list[tuple[int, int]]
DIGITS = 50
NEGLIGIBLE = Decimal(10) ** -40


@cache
def ln(n: int) -> Decimal:
    with localcontext(prec=DIGITS):
        return Decimal(n).ln()


def grouped(sizes: list[int]) -> Sizes:
    return list(Counter(sizes).items())


def hypergeometric(points: int, a: int, b: int) -> dict[int, Decimal]:
    """The weights of all counts that are not negligible, by exact ratios."""
    mode = (a + 1) * (b + 1) // (points + 2)
    weights = {mode: Decimal(1)}
    weight, n = Decimal(1), mode
    while n < min(a, b) and weight > NEGLIGIBLE:
        weight = weight * ((a - n) * (b - n)) / ((n + 1) * (points - a - b + n + 1))
        n += 1
        weights[n] = weight
    weight, n = Decimal(1), mode
    while n > max(0, a + b - points) and weight > NEGLIGIBLE:
        weight = weight * (n * (points - a - b + n)) / ((a - n + 1) * (b - n + 1))
        n -= 1
        weights[n] = weight
    return weights


def exact_mean(true_sizes: Sizes, pred_sizes: Sizes) -> Decimal:
    points = sum(size * clusters for size, clusters in true_sizes)
    total = Decimal(0)
    with localcontext(prec=DIGITS):
        for a, times_a in true_sizes:
            for b, times_b in pred_sizes:
                weights = hypergeometric(points, a, b)
                terms = (w * n * (ln(points) + ln(n) - ln(a) - ln(b)) for n, w in weights.items() if n > 0)
                total += times_a * times_b * sum(terms) / sum(weights.values())
        return total / points


def tables(rows: list[int], columns: list[int]) -> Iterator[list[tuple[int, ...]]]:
    """All tables with these margins."""
    if not rows:
        yield []
        return
    for first in rows_of(rows[0], columns):
        rest = [c - n for c, n in zip(columns, first, strict=True)]
        for others in tables(rows[1:], rest):
            yield [first, *others]


def rows_of(size: int, columns: list[int]) -> Iterator[tuple[int, ...]]:
    if len(columns) == 1:
        if size <= columns[0]:
            yield (size,)
        return
    for n in range(min(size, columns[0]) + 1):
        for others in rows_of(size - n, columns[1:]):
            yield (n, *others)


def exact_moments(rows: list[int], columns: list[int]) -> tuple[Decimal, Decimal]:
    """Mean and variance over all tables, each as probable as the labelings that make it."""
    points = sum(rows)
    found: list[tuple[Decimal, Decimal]] = []
    with localcontext(prec=DIGITS):
        labelings = math.prod(math.factorial(size) for size in rows + columns)
        for table in tables(rows, columns):
            cells = [(n, a, b) for line, a in zip(table, rows, strict=True) for n, b in zip(line, columns, strict=True)]
            ways = math.factorial(points) * math.prod(math.factorial(n) for n, _, _ in cells)
            value = sum((n * (ln(points) + ln(n) - ln(a) - ln(b)) for n, a, b in cells if n > 0), Decimal(0)) / points
            found.append((Decimal(labelings) / Decimal(ways), value))
        assert abs(sum(p for p, _ in found) - 1) < Decimal(10) ** -40
        mean = sum((p * value for p, value in found), Decimal(0))
        return mean, sum((p * (value - mean) ** 2 for p, value in found), Decimal(0))


def partitions(points: int, largest: int) -> Iterator[list[int]]:
    if points == 0:
        yield []
    for size in range(min(points, largest), 0, -1):
        for rest in partitions(points - size, size):
            yield [size, *rest]


def error(value: float, exact: Decimal) -> float:
    """Relative, and absolute where the exact value is nothing but its own rounding."""
    return float(abs(Decimal(value) - exact) / exact) if exact > NEGLIGIBLE else abs(value)


def cut(rng: random.Random, points: int, clusters: int) -> Sizes:
    cuts = sorted(rng.sample(range(1, points), clusters - 1))
    return grouped([end - begin for begin, end in zip([0, *cuts], [*cuts, points], strict=True)])


margins = st.lists(st.integers(1, 40), min_size=1, max_size=12)


# --- mean -------------------------------------------------------------------------------------------------------------


@quick
@given(margins, margins)
def test_mean_is_exact(rows: list[int], columns: list[int]) -> None:
    short = sum(columns) - sum(rows)
    (rows if short > 0 else columns).extend([1] * abs(short))
    found = kernel.expected_mutual_information(grouped(rows), grouped(columns))
    assert error(found, exact_mean(grouped(rows), grouped(columns))) < 2e-15
    assert found == kernel.expected_mutual_information(grouped(columns[::-1]), [(size, 1) for size in rows], threads=3)


@pytest.mark.slow
@pytest.mark.parametrize("points", [2, 30, 1000, 5000, 10**5, 10**6])
def test_mean_of_larger_tables(points: int) -> None:
    rng = random.Random(points)
    for _ in range(8 if points < 10**5 else 2):
        most = 3 if points >= 10**5 else min(points, 25)
        a, b = cut(rng, points, rng.randint(2, most)), cut(rng, points, rng.randint(2, most))
        assert error(kernel.expected_mutual_information(a, b), exact_mean(a, b)) < 2e-15


def test_mean_of_huge_tables() -> None:
    # of large clusters the mean is (K - 1)(L - 1) / 2N, as that of chi square
    assert kernel.expected_mutual_information([(10**11, 3)], [(10**11, 3)]) * 3e11 == pytest.approx(2, rel=1e-9)
    # a singleton shares log(N / a) with the cluster of size a that it falls into
    points = 2**62
    found = kernel.expected_mutual_information([(1, points)], [(2**30, 2**32)])
    assert found == pytest.approx(32 * math.log(2), rel=1e-15)
    assert kernel.expected_mutual_information([(1, 20_000)], [(1, 20_000)]) == pytest.approx(
        math.log(20_000), rel=1e-15
    )


def test_nothing_is_shared_with_a_single_cluster() -> None:
    for sizes in ([(1, 1)], [(7, 1)], [(2**62, 1)]):
        assert kernel.expected_mutual_information(sizes, sizes) == 0.0
    assert kernel.expected_mutual_information([(12, 1)], [(3, 2), (6, 1)]) == 0.0
    assert kernel.mutual_information_variance([(12, 1)], [(3, 2), (6, 1)], 0) == 0.0
    assert kernel.sample_mutual_information([(12, 1)], [(3, 2), (6, 1)], 3, 0).tolist() == [0.0] * 3


def test_mean_does_not_depend_on_threads() -> None:
    rng = random.Random(1)
    a, b = cut(rng, 10**6, 300), cut(rng, 10**6, 200)
    values = {kernel.expected_mutual_information(*pair, threads=t) for t in (0, 1, 2, 5) for pair in ((a, b), (b, a))}
    assert len(values) == 1


# --- variance ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("points", range(1, 9))
def test_moments_over_all_tables(points: int) -> None:
    every = list(partitions(points, points))
    for rows in every:
        for columns in every:
            mean, variance = exact_moments(rows, columns)
            a, b = grouped(rows), grouped(columns)
            assert error(kernel.expected_mutual_information(a, b), mean) < 2e-15
            found = kernel.mutual_information_variance(a, b, 1e9)
            if variance < NEGLIGIBLE:
                assert found < 1e-30
            else:
                assert error(found, variance) < 1e-13
            assert found == kernel.mutual_information_variance(b, a, 1e9)


@pytest.mark.parametrize(
    ("points", "a", "b"),
    [(10, 3, 5), (100, 3, 50), (1000, 1, 999), (10**4, 100, 3000), (10**5, 40_000, 50_000), (10**6, 3, 10**5)],
)
def test_variance_of_two_by_two_tables(points: int, a: int, b: int) -> None:
    rows, columns = [a, points - a], [b, points - b]
    with localcontext(prec=DIGITS):
        weights = hypergeometric(points, a, b)
        values = {}
        for n in weights:
            cells = zip([n, a - n, b - n, points - a - b + n], [0, 0, 1, 1], [0, 1, 0, 1], strict=True)
            values[n] = sum(m * (ln(points) + ln(m) - ln(rows[i]) - ln(columns[j])) for m, i, j in cells if m > 0)
        whole = sum(weights.values())
        mean = sum(weights[n] * values[n] for n in weights) / whole
        variance = sum(weights[n] * (values[n] - mean) ** 2 for n in weights) / whole / points / points
    found = kernel.mutual_information_variance(grouped(rows), grouped(columns), 1e9)
    assert error(found, variance) < 1e-12


@pytest.mark.parametrize("points", [10, 100, 1000, 10**4, 10**5])
def test_variance_where_almost_nothing_varies(points: int) -> None:
    # one pair on either side: the two coincide, share a point, or share none
    pairs = Decimal(points * (points - 1) // 2)
    shared = {2: 1 / pairs, 1: 2 * (points - 2) / pairs}
    shared[0] = 1 - shared[2] - shared[1]
    log2 = ln(2)
    lost = {2: 2 * log2, 1: 4 * log2, 0: 4 * log2}  # of N ln N
    with localcontext(prec=DIGITS):
        mean = sum(p * lost[k] for k, p in shared.items())
        variance = sum(p * (lost[k] - mean) ** 2 for k, p in shared.items()) / points / points
    sizes = [(2, 1), (1, points - 2)]
    assert error(kernel.mutual_information_variance(sizes, sizes, 1e9), variance) < 1e-9


@pytest.mark.parametrize(
    ("true_sizes", "pred_sizes"),
    [
        ([(50, 2), (30, 3), (10, 1)], [(100, 1), (50, 2)]),
        ([(5, 20)], [(4, 25)]),
        ([(1, 30), (10, 2), (50, 1)], [(20, 5)]),
        ([(2000, 5)], [(500, 10), (5000, 1)]),
    ],
)
def test_moments_against_sampling(true_sizes: Sizes, pred_sizes: Sizes) -> None:
    samples = kernel.sample_mutual_information(true_sizes, pred_sizes, 4000, 11)
    mean = kernel.expected_mutual_information(true_sizes, pred_sizes)
    variance = kernel.mutual_information_variance(true_sizes, pred_sizes, 1e9)
    assert variance is not None
    assert samples.mean() == pytest.approx(mean, abs=4 * math.sqrt(variance / len(samples)))
    assert samples.var() == pytest.approx(variance, rel=0.15)


def test_variance_has_a_limit() -> None:
    sizes = [(size, 3) for size in range(10, 40)]
    assert kernel.mutual_information_variance(sizes, sizes, 1e5) is None
    assert kernel.mutual_information_variance(sizes, sizes, 0) is None
    assert kernel.mutual_information_variance(sizes, sizes, math.inf) > 0
    many = [(size, 1) for size in range(1, 20_001)]  # not even counting the steps takes long
    assert kernel.mutual_information_variance(many, many, 1e9) is None


# --- samples ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rows", "columns"), [([3, 2, 2], [4, 2, 1]), ([1, 1, 3], [2, 3]), ([400, 600], [300, 700])])
def test_samples_have_the_distribution_of_tables(rows: list[int], columns: list[int]) -> None:
    samples = kernel.sample_mutual_information(grouped(rows), grouped(columns), 20_000, 5)
    mean, variance = (float(x) for x in exact_moments(rows, columns))
    assert samples.mean() == pytest.approx(mean, abs=4 * math.sqrt(variance / len(samples)))
    assert samples.var() == pytest.approx(variance, rel=0.1)
    assert samples.min() >= 0.0
    points = sum(rows)
    possible = []
    for table in tables(rows, columns) if points < 10 else ():
        cells = [(n, a, b) for line, a in zip(table, rows, strict=True) for n, b in zip(line, columns, strict=True)]
        possible.append(sum(n * math.log(n * points / a / b) for n, a, b in cells if n) / points)
    if possible:
        assert np.abs(samples[:, None] - np.array(possible)).min(axis=1).max() < 1e-14


def test_samples_depend_on_their_seed_and_nothing_else() -> None:
    for sizes in ([(100, 100)], [(5000, 4)]):
        first = kernel.sample_mutual_information(sizes, sizes, 50, 1)
        assert first.dtype == np.float64
        np.testing.assert_array_equal(first, kernel.sample_mutual_information(sizes, sizes, 50, 1))
        np.testing.assert_array_equal(first[:7], kernel.sample_mutual_information(sizes, sizes, 7, 1))
        assert len({*first, *kernel.sample_mutual_information(sizes, sizes, 50, 2)}) == 100
        assert kernel.sample_mutual_information(sizes, sizes, 0, 1).tolist() == []
    assert kernel.sample_mutual_information([(2, 2)], [(2, 2)], 3, 2**64 - 1).shape == (3,)


KNOWN_SHUFFLED = [0.41588830833596757, 0.5021929300715019, 0.41588830833596757]
KNOWN_COUNTED = [0.00015248031872610327, 4.92009736502833e-05, 5.145136566192226e-05]


def test_samples_are_known() -> None:
    # the same numbers on every machine; the logarithms may differ in the last digit
    known = kernel.sample_mutual_information([(3, 2), (4, 1)], [(5, 2)], 3, 42)
    np.testing.assert_allclose(known, KNOWN_SHUFFLED, rtol=1e-13)
    known = kernel.sample_mutual_information([(3000, 2), (4000, 1)], [(5000, 2)], 3, 42)
    np.testing.assert_allclose(known, KNOWN_COUNTED, rtol=1e-13)


# --- what is refused --------------------------------------------------------------------------------------------------

GOOD: Sizes = [(2, 3)]
CALLS: dict[str, Any] = {
    "mean": lambda a, b: kernel.expected_mutual_information(a, b),
    "variance": lambda a, b: kernel.mutual_information_variance(a, b, 1e6),
    "samples": lambda a, b: kernel.sample_mutual_information(a, b, 2, 0),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("sizes", "kind", "text"),
    [
        ([], ValueError, "must not be empty"),
        ([(0, 3)], ValueError, "at least 1"),
        ([(3, 0)], ValueError, "at least 1"),
        ([(-1, 2)], ValueError, "at least 1"),
        ([(-(2**70), 2)], ValueError, "at least 1"),
        ([(2**63, 1)], ValueError, "2\\^63 points or more"),
        ([(2**62, 2)], ValueError, "2\\^63 points or more"),
        ([(2**62, 1), (2**62, 1)], ValueError, "2\\^63 points or more"),
        ([(3, 1)], ValueError, "same number of points"),
        ([(2.0, 3)], TypeError, "sequence of pairs of integers"),
        ([(2, 3, 1)], TypeError, "sequence of pairs of integers"),
        ([2, 3], TypeError, "sequence of pairs of integers"),
        (6, TypeError, "sequence of pairs of integers"),
        (None, TypeError, "sequence of pairs of integers"),
        ("23", TypeError, "sequence of pairs of integers"),
        (["23"], TypeError, "sequence of pairs of integers"),
        ({2: 3}, TypeError, "sequence of pairs of integers"),
    ],
)
def test_sizes_are_checked(call: str, sizes: Any, kind: type[Exception], text: str) -> None:
    CALLS[call](GOOD, GOOD)
    for arguments in ((sizes, GOOD), (GOOD, sizes)):
        with pytest.raises(kind, match=text):
            CALLS[call](*arguments)


def test_other_arguments_are_checked() -> None:
    with pytest.raises(ValueError, match="threads"):
        kernel.expected_mutual_information(GOOD, GOOD, threads=-1)
    with pytest.raises(ValueError, match="limit"):
        kernel.mutual_information_variance(GOOD, GOOD, math.nan)
    with pytest.raises(ValueError, match="samples"):
        kernel.sample_mutual_information(GOOD, GOOD, -1, 0)
    for seed in (-1, 2**64, 1.5):
        with pytest.raises(TypeError):
            kernel.sample_mutual_information(GOOD, GOOD, 1, seed)
    with pytest.raises(ValueError, match="2\\^31 clusters"):
        kernel.sample_mutual_information([(1, 2**40)], [(2**39, 2)], 1, 0)
    with pytest.raises(ValueError, match="2\\^31 points"):
        kernel.sample_mutual_information([(2**10, 2**30)], [(2**10, 2**30)], 1, 0)


def test_sizes_may_be_any_sequences_of_any_integers() -> None:
    expected = kernel.expected_mutual_information([(2, 2), (1, 2)], [(3, 2)])
    assert kernel.expected_mutual_information(((2, 2), [1, 2]), [(3, True), (3, 1)]) == expected
    assert kernel.expected_mutual_information(np.array([[2, 2], [1, 2]]), [np.array([3, 2])]) == expected


@settings(quick, max_examples=300)
@given(
    st.sampled_from(["expected_mutual_information", "mutual_information_variance", "sample_mutual_information"]),
    st.lists(st.one_of(GARBAGE, st.just(GOOD)), max_size=4),
)
def test_garbage_only_raises(door: str, arguments: list[Any]) -> None:
    with contextlib.suppress(TypeError, ValueError, OverflowError):
        getattr(kernel, door)(*arguments)
