"""Sums over cells and clusters, and matching, against their plain twins."""

from __future__ import annotations

import contextlib
import itertools
import math
import threading
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import kernel_twin as twin
from clustermark import _kernel as kernel
from clustermark._kernel import ABSENT, LONE, Worth
from test_kernel import BIG, GARBAGE, both, near, quick, tables

ANY_TABLE = st.booleans().flatmap(lambda weighted: tables(weighted, absent=True))
JOINT = ["exact", "exact_singletons", "size_products", "shares", "of_larger", "of_smaller", "f", "jaccard"]
BEST = ["clusters", "jaccard", "sized_jaccard", "f", "sized_f", "of_larger", "weakest_pairs"]
SAFE = [worth for worth in Worth if worth is not Worth.RANK]


def cells_of(entries: list[tuple[int, int, int]], n_rows: int, n_columns: int) -> tuple[kernel.Cells, twin.Table]:
    rows, columns, counts = (list(part) for part in zip(*entries, strict=True)) if entries else ([], [], [])
    arrays = (np.array(rows, np.int32), np.array(columns, np.int32), np.array(counts, np.int64))
    return both((*arrays, None, None, n_rows, n_columns))


def transposed(cells: kernel.Cells) -> kernel.Cells:
    return kernel.Cells(
        cells.columns, cells.rows, cells.counts, cells.weights, cells.pairs, cells.n_columns, cells.n_rows
    )


def check(found: Any, expected: dict[str, Any], weighted: bool) -> None:
    for name, value in expected.items():
        mine = getattr(found, name)
        if value is None:
            assert mine is None
        elif weighted and name not in ("exact", "exact_singletons", "clusters"):
            assert isinstance(mine, float)
            assert near(mine, Fraction(value), 1e-14), name
        else:
            assert mine == value, name
            assert isinstance(mine, float if name == "weakest_pairs" else int)


# --- joint and best ---------------------------------------------------------------------------------------------------


@settings(quick, max_examples=300)
@given(ANY_TABLE)
def test_joint_is_its_twin(args: tuple[Any, ...]) -> None:
    cells, table = both(args)
    check(kernel.joint(cells), twin.joint(table), table.weighted)


@settings(quick, max_examples=300)
@given(ANY_TABLE)
def test_best_is_its_twin(args: tuple[Any, ...]) -> None:
    cells, table = both(args)
    for side, found in enumerate(kernel.best(cells)):
        check(found, twin.best(table, side), table.weighted)


@quick
@given(ANY_TABLE)
def test_exchanging_the_sides_changes_no_bit(args: tuple[Any, ...]) -> None:
    cells = kernel.Cells(*args)
    other = transposed(cells)
    for name in JOINT:
        assert getattr(kernel.joint(cells), name) == getattr(kernel.joint(other), name)
    for mine, exchanged in zip(kernel.best(cells), reversed(kernel.best(other)), strict=True):
        assert [getattr(mine, name) for name in BEST] == [getattr(exchanged, name) for name in BEST]


HUGE = [(0, 0, 2**61 + 1), (0, 1, 2**61 + 3), (1, 1, 2**60 + 7), (2, ABSENT, 2**59), (2, 0, 3), (2, LONE, 4)]


def test_sums_of_huge_counts() -> None:
    cells, table = cells_of(HUGE, 3, 2)
    assert kernel.joint(cells).size_products > 2**180
    check(kernel.joint(cells), twin.joint(table), weighted=False)
    for side, found in enumerate(kernel.best(cells)):
        check(found, {**twin.best(table, side), "weakest_pairs": found.weakest_pairs}, weighted=False)


def test_everything_in_one_huge_cell() -> None:
    huge = 2**63 - 1
    cells, table = cells_of([(0, 0, huge)], 1, 1)
    found = kernel.joint(cells)
    assert (found.exact, found.exact_singletons, found.size_products) == (1, 0, huge**3)
    assert found.shares == 1 << 84
    assert found.of_larger == found.of_smaller == found.f == found.jaccard == huge << 84
    for side in kernel.best(cells):
        assert (side.clusters, side.jaccard, side.sized_jaccard, side.weakest_pairs) == (1, 1 << 84, huge << 84, 1.0)
    assert len(table.entries) == 1


def test_huge_numbers_of_lone_points() -> None:
    huge = 2**63 - 1
    found = kernel.joint(cells_of([(LONE, LONE, huge)], 0, 0)[0])
    assert (found.exact, found.exact_singletons, found.size_products, found.shares) == (huge, huge, huge, huge << 84)
    true, pred = kernel.best(cells_of([(0, LONE, 2**62), (LONE, ABSENT, 5)], 1, 0)[0])
    assert (true.clusters, true.weakest_pairs, true.jaccard) == (6, 0.0, math.floor(2.0**-62 * 2**84))
    assert (pred.clusters, pred.weakest_pairs, pred.sized_jaccard) == (2**62, None, 2**62 * 2**22)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["all different", "skewed", "wide ids"])
def test_sums_of_tables_that_take_two_threads(name: str) -> None:
    cells = kernel.crosstab(*BIG[name])
    assert len(cells) > 2**17
    rows, columns = kernel.margins(cells)
    n, a, b = (x.tolist() for x in (cells.counts, rows[cells.rows], columns[cells.columns]))
    found = kernel.joint(cells)
    triples = list(zip(n, a, b, strict=True))
    assert found.exact == sum(x == y == z for x, y, z in triples)
    assert found.size_products == sum(x * y * z for x, y, z in triples)
    assert found.f == sum(x * math.floor(2 * x / (y + z) * 2**84) for x, y, z in triples)
    assert found.shares == sum(math.floor((x / y) * (x / z) * 2**84) for x, y, z in triples)
    assert found.jaccard == sum(x * math.floor(x / (y + z - x) * 2**84) for x, y, z in triples)
    jaccard = np.array(n) / (np.array(a) + np.array(b) - np.array(n))
    for side, numbers, sizes in zip(kernel.best(cells), (cells.rows, cells.columns), (rows, columns), strict=True):
        top = np.zeros(len(sizes))
        np.maximum.at(top, numbers, jaccard)
        assert side.jaccard == sum(math.floor(x * 2**84) for x in top.tolist())
        assert side.sized_jaccard == sum(
            s * math.floor(x * 2**84) for s, x in zip(sizes.tolist(), top.tolist(), strict=True)
        )


@pytest.mark.parametrize("scale", [2.0**-1000, 2.0**-600, 2.0**600, 2.0**1019])
def test_fractions_do_not_depend_on_the_unit_of_weight(scale: float) -> None:
    rows = np.array([0, 1, 2, 3, 2, LONE, 0], dtype=np.int32)
    columns = np.array([0, 0, 0, 1, 1, 1, LONE], dtype=np.int32)
    counts = np.array([1, 2, 1, 1, 3, 2, 3])
    weights = np.array([1.0, 2.0, 4.0, 1.5, 1.25, 0.75, 0.75])
    one, other = (kernel.Cells(rows, columns, counts, weights * s, np.zeros(7), 4, 2) for s in (1.0, scale))
    assert kernel.joint(one).shares == kernel.joint(other).shares
    for name in ("of_larger", "of_smaller", "f", "jaccard"):
        assert getattr(kernel.joint(one), name) * scale == getattr(kernel.joint(other), name)
    for mine, scaled in zip(kernel.best(one), kernel.best(other), strict=True):
        assert (mine.jaccard, mine.f, mine.of_larger) == (scaled.jaccard, scaled.f, scaled.of_larger)
        assert mine.sized_jaccard * scale == scaled.sized_jaccard
    for worth in Worth:
        assert kernel.shrink(one, worth).fixed.tolist() == kernel.shrink(other, worth).fixed.tolist()
    if scale > 1:
        with pytest.raises(OverflowError, match="products of weights"):
            _ = kernel.joint(other).size_products


def test_fractions_at_the_ends_of_the_range_of_doubles() -> None:
    zeros = np.zeros(1, dtype=np.int32)
    whole = kernel.Cells(zeros, zeros, np.array([1]), np.array([1.7e308]), np.zeros(1), 1, 1)
    found = kernel.joint(whole)
    assert (found.f, found.jaccard, found.shares) == (1.7e308, 1.7e308, 1.0)
    assert [side.jaccard for side in kernel.best(whole)] == [1.0, 1.0]
    tiny = kernel.Cells(zeros - 1, zeros - 1, np.array([3]), np.array([5e-324]), np.zeros(1), 0, 0)
    assert kernel.joint(tiny).shares == 3.0
    assert kernel.joint(tiny).exact == 3


# --- shrink -----------------------------------------------------------------------------------------------------------


def optimum(cells: list[tuple[Any, Any, Any]]) -> float:
    """The largest sum of worths of cells with different rows and columns."""
    rows = {row: i for i, row in enumerate({row for row, _, _ in cells})}
    columns = {column: i for i, column in enumerate({column for _, column, _ in cells})}
    dense = np.zeros((len(rows), len(columns)))
    for row, column, worth in cells:
        dense[rows[row], columns[column]] = max(dense[rows[row], columns[column]], worth)
    chosen = linear_sum_assignment(dense, maximize=True)
    return float(dense[chosen].sum())


def best_ranks(cells: list[tuple[Any, Any, Any]]) -> list[Any]:
    """The lexicographically largest falling list of worths that greedy matching can take."""
    if not cells:
        return []
    top = max(worth for _, _, worth in cells)
    return max(
        [top, *best_ranks([c for c in cells if c[0] != row and c[1] != column])]
        for row, column, worth in cells
        if worth == top
    )


def rivals(cells: dict[int, tuple[Any, Any, Any]], entry: int) -> tuple[Any, Any]:
    row, column, _ = cells[entry]
    in_row = [c[2] for i, c in cells.items() if i != entry and c[0] == row]
    in_column = [c[2] for i, c in cells.items() if i != entry and c[1] == column]
    return max(in_row, default=0), max(in_column, default=0)


def check_shrunk(cells: kernel.Cells, table: twin.Table, worth: Worth) -> tuple[dict[int, Any], list[int], list[int]]:
    """Check the properties of every matching, and that no certain match is left."""
    found = kernel.shrink(cells, worth)
    assert (found.fixed.dtype, found.rest.dtype, found.rest_weights.dtype) == (np.int64, np.int64, np.float64)
    known = twin.candidates(table, worth)
    fixed, rest = found.fixed.tolist(), found.rest.tolist()
    rows, columns = ({known[i][side] for i in fixed} for side in (0, 1))
    assert len(rows) == len(columns) == len(fixed)
    assert rest == [i for i, c in known.items() if i not in set(fixed) and c[0] not in rows and c[1] not in columns]
    np.testing.assert_allclose(found.rest_weights, [float(known[i][2]) for i in rest], rtol=1e-15)
    left = {i: known[i] for i in rest}
    for i in rest:
        in_row, in_column = rivals(left, i)
        if worth is Worth.RANK:
            assert left[i][2] <= max(in_row, in_column)
        elif not table.weighted:
            assert Fraction(left[i][2]) < Fraction(in_row) + Fraction(in_column)
    return known, fixed, rest


@settings(quick, max_examples=400)
@given(ANY_TABLE, st.sampled_from(SAFE))
@example(
    # two equal cells of one row may each be fixed, but not both
    (np.array([0, 0, 1], np.int32), np.array([0, 1, 0], np.int32), np.array([5, 5, 1]), None, None, 2, 2),
    Worth.POINTS,
)
def test_shrink_keeps_an_optimum(args: tuple[Any, ...], worth: Worth) -> None:
    cells, table = both(args)
    known, fixed, rest = check_shrunk(cells, table, worth)
    total = sum(known[i][2] for i in fixed) + optimum([known[i] for i in rest])
    assert total == pytest.approx(optimum(list(known.values())), rel=1e-12)


@st.composite
def small_tables(draw: st.DrawFn) -> tuple[Any, ...]:
    """Few cells and many ties, for oracles that try everything."""
    size = draw(st.integers(0, 7))
    entry = st.tuples(st.integers(ABSENT, 2), st.integers(LONE, 2), st.integers(1, 3))
    entries = draw(st.lists(entry, min_size=size, max_size=size, unique_by=lambda e: e[:2]))
    columns = [np.array([e[i] for e in entries], dtype) for i, dtype in enumerate((np.int32, np.int32, np.int64))]
    return (*columns, None, None, 3, 3)


@settings(quick, max_examples=400)
@given(small_tables())
def test_shrink_by_rank_keeps_the_largest_ranks(args: tuple[Any, ...]) -> None:
    cells, table = both(args)
    known, fixed, rest = check_shrunk(cells, table, Worth.RANK)
    mine = [known[i][2] for i in fixed] + best_ranks([known[i] for i in rest])
    assert sorted(mine, reverse=True) == best_ranks(list(known.values()))


@quick
@given(small_tables(), st.sampled_from(SAFE))
def test_shrink_against_all_matchings(args: tuple[Any, ...], worth: Worth) -> None:
    cells, table = both(args)
    known, fixed, rest = check_shrunk(cells, table, worth)

    def brute(entries: list[int]) -> Fraction:
        sums = [Fraction(0)]
        for size in range(1, len(entries) + 1):
            for chosen in itertools.combinations(entries, size):
                clusters = [known[i][side] for i in chosen for side in (0, 1)]
                if len(set(clusters[::2])) == len(set(clusters[1::2])) == size:
                    sums.append(sum(Fraction(known[i][2]) for i in chosen))
        return max(sums)

    assert sum(Fraction(known[i][2]) for i in fixed) + brute(rest) == brute(list(known))


@pytest.mark.parametrize("worth", Worth, ids=lambda worth: worth.name)
@pytest.mark.parametrize("seed", range(6))
def test_shrink_larger_tables(worth: Worth, seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(50, 400))
    most = int(rng.choice([1, 2, 5, 1000]))
    entries = {
        (int(r), int(c)): int(n)
        for r, c, n in zip(
            rng.integers(LONE, 120, size), rng.integers(ABSENT, 120, size), rng.integers(1, most + 1, size), strict=True
        )
    }
    cells, table = cells_of([(r, c, n) for (r, c), n in entries.items()], 120, 120)
    known, fixed, rest = check_shrunk(cells, table, worth)
    if worth is not Worth.RANK:
        total = sum(known[i][2] for i in fixed) + optimum([known[i] for i in rest])
        assert total == pytest.approx(optimum(list(known.values())), rel=1e-12)


@pytest.mark.parametrize("worth", Worth, ids=lambda worth: worth.name)
def test_shrink_in_several_threads(worth: Worth) -> None:
    rng = np.random.default_rng(0)
    k = 520
    rows, columns = (numbers.astype(np.int32).ravel() for numbers in np.mgrid[0:k, 0:k])
    counts = np.where(rows == columns, rng.integers(1, 3 * k, len(rows)), 1)
    counts[rows < k // 4] = 1  # all as good as the lone ones among them
    rows[rng.random(len(rows)) < 0.001] = LONE
    columns[(rng.random(len(rows)) < 0.001) & (rows != LONE)] = LONE
    order = rng.permutation(len(rows))
    entries = rows[order], columns[order], counts[order], None, None
    # with so many empty clusters there is no room for lines of a second thread
    several, one = (kernel.shrink(kernel.Cells(*entries, n, n), worth) for n in (k, len(rows) // 4 - 1))
    assert len(several.fixed) > 100
    assert several.fixed.tolist() == one.fixed.tolist()
    assert several.rest.tolist() == one.rest.tolist()


@pytest.mark.parametrize("order", ["up", "down", "shuffled"])
def test_shrink_follows_long_chains(order: str) -> None:
    # a path: each cell shares its row with one neighbour and its column with the other
    size = 3001
    counts = np.arange(1, size + 1)
    if order == "down":
        counts = counts[::-1]
    elif order == "shuffled":
        counts = np.random.default_rng(3).permutation(counts)
    entries = [((i + 1) // 2, i // 2, int(n)) for i, n in enumerate(counts)]
    cells, table = cells_of(entries, size // 2 + 1, size // 2 + 1)
    taken, skipped = 0, 0  # best sums up to here, with the last cell and without
    for n in counts.tolist():
        taken, skipped = skipped + n, max(taken, skipped)
    known, fixed, rest = check_shrunk(cells, table, Worth.POINTS)
    assert sum(known[i][2] for i in fixed) + optimum([known[i] for i in rest]) == max(taken, skipped)
    greedy, free = 0, [True] * (size + 2)
    for i in np.argsort(-counts).tolist():
        if free[i] and free[i + 1] and free[i + 2]:  # neighbours i - 1 and i + 1, shifted by one
            greedy += int(counts[i])
            free[i + 1] = False
    ranked = kernel.shrink(cells, Worth.RANK)
    assert len(ranked.rest) == 0
    assert cells.counts[ranked.fixed].sum() == greedy


def test_shrink_compares_whole_numbers_exactly() -> None:
    # 2^54 + 2 is less than 2^53 + 1 and 2^53 + 2 together, but not once they are rounded
    cells, _ = cells_of([(0, 0, 2**54 + 2), (0, 1, 2**53 + 1), (1, 0, 2**53 + 2), (1, 1, 1)], 2, 2)
    assert kernel.shrink(cells, Worth.POINTS).rest.tolist() == [0, 1, 2, 3]
    cells, _ = cells_of([(0, 0, 2**54 + 3), (0, 1, 2**53 + 1), (1, 0, 2**53 + 2), (1, 1, 1)], 2, 2)
    assert kernel.shrink(cells, Worth.POINTS).fixed.tolist() == [0, 3]
    cells, _ = cells_of([(0, 0, 2**53 + 1), (0, 1, 2**53)], 1, 2)
    assert kernel.shrink(cells, Worth.RANK).fixed.tolist() == [0]


def test_shrink_takes_the_lone_one_of_equal_cells() -> None:
    cells, _ = cells_of([(0, 0, 1), (0, 1, 1), (1, 1, 1), (1, 2, 1), (LONE, 0, 9)], 2, 3)
    assert kernel.shrink(cells, Worth.POINTS).fixed.tolist() == [1, 3, 4]


def test_shrink_leaves_out_what_cannot_be_matched() -> None:
    cells, _ = cells_of([(LONE, LONE, 3), (0, ABSENT, 4), (ABSENT, LONE, 2), (LONE, ABSENT, 1)], 1, 0)
    for worth in Worth:
        found = kernel.shrink(cells, worth)
        assert (len(found.fixed), len(found.rest), len(found.rest_weights)) == (0, 0, 0)


def test_shrunk_arrays_are_read_only_and_outlive_it() -> None:
    cells, _ = cells_of([(0, 0, 2), (0, 1, 2), (1, 0, 2), (1, 1, 2)], 2, 2)
    found = kernel.shrink(cells, Worth.POINTS)
    rest, weights = found.rest, found.rest_weights
    del found
    assert rest.tolist() == [0, 1, 2, 3]
    assert weights.tolist() == [2.0] * 4
    assert not rest.flags.writeable


def test_shrink_in_many_threads() -> None:
    cells = kernel.crosstab(*BIG["zipf"])
    expected = kernel.shrink(cells, Worth.JACCARD)
    results: list[Any] = []
    threads = [threading.Thread(target=lambda: results.append(kernel.shrink(cells, Worth.JACCARD))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for found in results:
        np.testing.assert_array_equal(found.fixed, expected.fixed)
        np.testing.assert_array_equal(found.rest, expected.rest)


def test_shrink_refuses() -> None:
    cells, _ = cells_of([(0, 0, 1)], 1, 1)
    for unknown in ("POINTS", "n", 0, 3, None):
        with pytest.raises(TypeError):
            kernel.shrink(cells, unknown)
    with pytest.raises(TypeError):
        kernel.shrink("cells", Worth.POINTS)


@settings(quick, max_examples=300)
@given(st.sampled_from(["joint", "best", "shrink"]), st.lists(GARBAGE | st.sampled_from(Worth), max_size=3))
def test_garbage_only_raises(door: str, arguments: list[Any]) -> None:
    with contextlib.suppress(TypeError, ValueError, OverflowError):
        getattr(kernel, door)(*arguments)


@given(
    st.integers(1, 12).flatmap(
        lambda n: st.tuples(st.just(n), st.lists(st.lists(st.integers(0, n - 1), min_size=2, max_size=2)))
    )
)
@quick
def test_connected_components_are_numbered_by_their_first_nodes(graph: tuple[int, list[list[int]]]) -> None:
    n_nodes, edges = graph
    lefts, rights = np.array(edges, np.int64).reshape(-1, 2).T
    found = kernel.connect(lefts, rights, n_nodes)
    weights = np.ones(len(edges), np.bool_)
    wanted = connected_components(coo_array((weights, (lefts, rights)), shape=(n_nodes, n_nodes)), directed=False)[1]
    assert found.dtype == np.int64
    assert found.tolist() == wanted.tolist()


def test_what_connects_nothing() -> None:
    none = np.array([], np.int64)
    assert kernel.connect(none, none, 0).tolist() == []
    assert kernel.connect(none, none, 2).tolist() == [0, 1]
    for wrong in (-1, 2, 2**62):
        with pytest.raises(ValueError, match="below n_nodes"):
            kernel.connect(np.array([0]), np.array([wrong]), 2)
        with pytest.raises(ValueError, match="below n_nodes"):
            kernel.connect(np.array([wrong]), np.array([0]), 2)
    with pytest.raises(ValueError, match="same length"):
        kernel.connect(np.array([0]), none, 2)
    with pytest.raises(TypeError, match="lefts must be"):
        kernel.connect(np.array([0.5]), none, 2)


WORTHS = st.one_of(st.integers(0, 3), st.integers(0, 2**50))


@st.composite
def assignments(draw: Any) -> tuple[Any, list[int], list[int], int]:
    """Cells of a few rows, some of which have none, and their worths; a cell may be listed twice."""
    n_columns = draw(st.integers(1, 6))
    rows = draw(st.lists(st.lists(st.tuples(st.integers(0, n_columns - 1), WORTHS), max_size=6), max_size=6))
    starts = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return starts, [c for row in rows for c, _ in row], [w for row in rows for _, w in row], n_columns


@given(assignments())
@quick
def test_assignments_are_worth_most(problem: tuple[Any, list[int], list[int], int]) -> None:
    starts, columns, worths, n_columns = problem
    found = kernel.assign(starts, np.array(columns, np.int32), np.array(worths, float), n_columns)
    matrix = [[0] * n_columns for _ in range(len(starts) - 1)]
    for row, cells in enumerate(matrix):
        for i in range(starts[row], starts[row + 1]):
            cells[columns[i]] = max(cells[columns[i]], worths[i])
    taken = [int(column) for column in found if column >= 0]
    assert len(taken) == len(set(taken))
    total = sum(matrix[row][column] for row, column in enumerate(found) if column >= 0)
    assert all(column in columns[starts[row] : starts[row + 1]] for row, column in enumerate(found) if column >= 0)
    exact = np.array(matrix, object)
    chosen = linear_sum_assignment(exact.astype(float), maximize=True) if matrix else ([], [])
    assert total == sum(exact[row, column] for row, column in zip(*chosen, strict=True))


@pytest.mark.parametrize(
    ("starts", "columns", "worths", "said"),
    [
        ([], [], [], "begin with 0"),
        ([1], [], [], "begin with 0"),
        ([0, 2, 1], [0], [1], "not decrease"),
        ([0, 1], [0, 0], [1, 1], "end with the number"),
        ([0, 1], [0], [1, 1], "end with the number"),
        ([0, 1], [2], [1], "below n_columns"),
        ([0, 1], [-1], [1], "below n_columns"),
        ([0, 1], [0], [-1], r"in \[0, 2\^50\]"),
        ([0, 1], [0], [float("nan")], r"in \[0, 2\^50\]"),
        ([0, 1], [0], [2.0**51], r"in \[0, 2\^50\]"),
    ],
)
def test_what_is_no_assignment(starts: list[int], columns: list[int], worths: list[float], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        kernel.assign(np.array(starts, np.int64), np.array(columns, np.int32), np.array(worths, float), 2)
    with pytest.raises(TypeError, match="starts must be"):
        kernel.assign(np.array([0.5]), np.array([], np.int32), np.array([], float), 2)
