"""The functions of the compiled kernel in plain Python: slow, obvious, exact."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from clustermark._kernel import Worth

LONE = -1
ABSENT = -2


class Entry(NamedTuple):
    """One entry of a table; weight and pairs are None for plain points."""

    row: int
    column: int
    count: int
    weight: Fraction | None = None
    pairs: Fraction | None = None


@dataclass
class Table:
    """Entries in the order of their first appearance."""

    entries: list[Entry]
    n_rows: int
    n_columns: int
    weighted: bool


def build(
    rows: list[int],
    columns: list[int],
    counts: list[int],
    weights: list[float] | None,
    pairs: list[float] | None,
    n_rows: int,
    n_columns: int,
) -> Table:
    """Build a table like the constructor of Cells."""
    weighted = weights is not None
    merged: dict[Any, Entry] = {}
    for i, (row, column, count) in enumerate(zip(rows, columns, counts, strict=True)):
        lone = LONE in (row, column)
        if count == 0 or (weighted and weights[i] == 0):
            continue
        key = (row, column, i) if weighted and lone else (row, column)
        weight = Fraction(weights[i]) if weighted else None
        pair = Fraction(0 if lone else pairs[i]) if weighted else None
        if key in merged:
            old = merged[key]
            if weighted:
                pair = old.pairs + pair + old.weight * weight
                weight = old.weight + weight
            count += old.count
        merged[key] = Entry(row, column, count, weight, pair)
    return Table(list(merged.values()), n_rows, n_columns, weighted)


def crosstab(
    y_true: list[int], y_pred: list[int], counts: list[int] | None, weights: list[float] | None
) -> dict[tuple[int, int], Entry]:
    """Merge entries by the pair of labels; row and column of an entry are not used."""
    cells: dict[tuple[int, int], Entry] = {}
    for i, key in enumerate(zip(y_true, y_pred, strict=True)):
        count = 1 if counts is None else counts[i]
        weight = None if weights is None else Fraction(weights[i])
        if count == 0 or weight == 0:
            continue
        old = cells.get(key)
        if weight is None:
            cells[key] = Entry(0, 0, count + (old.count if old else 0))
            continue
        seen = old.weight if old else Fraction(0)
        inside = count * weight * seen + weight * weight * count * (count - 1) / 2
        cells[key] = Entry(
            0,
            0,
            count + (old.count if old else 0),
            seen + count * weight,
            inside + (old.pairs if old else 0),
        )
    return cells


def squares(table: Table) -> tuple[int, int, int, int]:
    """Return N and the sums of squares of cells, rows, columns."""
    cells, rows, columns = clusters_of(table)
    return (
        sum(entry.count for entry in table.entries),
        sum(n * n * times for n, times in Counter(cells).items()),
        sum(a * a for a, _ in rows),
        sum(b * b for b, _ in columns),
    )


def clusters_of(table: Table) -> tuple[list[int], list[tuple[int, list[int]]], list[tuple[int, list[int]]]]:
    """Return all cell sizes, and the size and the cells of each cluster of either side; lone ones one by one."""
    cells: list[int] = []
    sides: tuple[dict[Any, list[Any]], dict[Any, list[Any]]] = ({}, {})
    for i, entry in enumerate(table.entries):
        lone = LONE in (entry.row, entry.column)
        is_cell = ABSENT not in (entry.row, entry.column)
        parts = [1] * entry.count if lone else [entry.count]
        for j, n in enumerate(parts):
            if is_cell:
                cells.append(n)
            for side, number in zip(sides, (entry.row, entry.column), strict=True):
                if number == ABSENT:
                    continue
                cluster = side.setdefault((i, j) if number == LONE else number, [0, []])
                cluster[0] += n
                if is_cell:
                    cluster[1].append(n)
    rows, columns = ([(size, inside) for size, inside in side.values()] for side in sides)
    return cells, rows, columns


def profile(table: Table) -> tuple[list[tuple[int, int]], list[tuple[int, ...]], list[tuple[int, ...]]]:
    """Return histograms by size."""
    cells, rows, columns = clusters_of(table)

    def by_size(clusters: list[tuple[int, list[int]]]) -> list[tuple[int, ...]]:
        groups: dict[int, list[list[int]]] = defaultdict(list)
        for size, inside in clusters:
            groups[size].append(inside)
        return [
            (
                size,
                len(group),
                sum(n * n for inside in group for n in inside),
                sum(max(inside, default=0) for inside in group),
                sum(map(len, group)),
            )
            for size, group in sorted(groups.items())
        ]

    return sorted(Counter(cells).items()), by_size(rows), by_size(columns)


def margins(table: Table) -> tuple[list[Any], list[Any]]:
    """Return the sizes of numbered clusters."""
    rows: list[Any] = [Fraction(0)] * table.n_rows
    columns: list[Any] = [Fraction(0)] * table.n_columns
    for entry in table.entries:
        amount = entry.weight if table.weighted else entry.count
        if entry.row >= 0:
            rows[entry.row] += amount
        if entry.column >= 0:
            columns[entry.column] += amount
    return rows, columns


def pair_weights(table: Table) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """Sum over every pair of cells, one by one."""
    yy = sum((entry.pairs for entry in table.entries), Fraction(0))
    parts: list[tuple[Any, Any, Fraction]] = []
    for i, entry in enumerate(table.entries):
        lone = LONE in (entry.row, entry.column)
        times = entry.count if lone else 1
        for j in range(times):
            row = ("lone", i, j) if entry.row == LONE else entry.row
            column = ("lone", i, j) if entry.column == LONE else entry.column
            parts.append((row, column, entry.weight / times))
    yn = ny = nn = Fraction(0)
    for i, (row, column, weight) in enumerate(parts):
        for other_row, other_column, other in parts[:i]:
            if row == other_row:
                yn += weight * other
            elif column == other_column:
                ny += weight * other
            else:
                nn += weight * other
    return yy, yn, ny, nn


@dataclass
class Overlaps:
    """Values per numbered column, and totals."""

    sizes: list[Any]
    cells: list[int]
    best_rows: list[int]
    intersections: list[Any]
    unions: list[Any]
    max_jaccard: list[float]
    concentration: list[float]
    score: list[float]
    n_scored: Any
    totals: tuple[Any, Any, Any]


def concentration(parts: list[Fraction], size: Fraction, clusters: int) -> float:
    """Return the normalised length of the vector of shares; its excess over even shares is an exact fraction."""
    if clusters == 1 or len(parts) == 1:
        return 1.0
    q = sum(n * n for n in parts)
    excess = clusters * q - size * size
    if excess <= 0:
        return 0.0
    u = math.sqrt(1 / clusters)
    r = math.sqrt(q) / float(size)
    return min(1.0, math.sqrt(float(excess / size / size / clusters) / (r + u) / (1 - u)))


def overlaps(table: Table, row_ranks: list[int] | None, unscored: list[bool] | None) -> Overlaps:
    """Find the best row by exact fractions; sizes of weighted tables are rounded doubles, as in the kernel."""
    rows, columns = margins(table)
    if table.weighted:
        rows, columns = [Fraction(float(a)) for a in rows], [Fraction(float(b)) for b in columns]
    clusters = sum(a > 0 for a in rows) + sum(entry.count for entry in table.entries if entry.row == LONE)
    candidates: list[list[tuple[Fraction, int, int, int, Fraction, Fraction]]] = [[] for _ in columns]
    inside: list[list[Fraction]] = [[] for _ in columns]
    totals: list[Any] = [0, 0, 0]
    n_scored: Any = 0

    def add(amount: Any, values: tuple[float, float, float]) -> None:
        for i, value in enumerate(values):
            totals[i] += amount * (Fraction(value) if table.weighted else math.floor(value * 2**84))

    for entry in table.entries:
        amount = Fraction(float(entry.weight)) if table.weighted else Fraction(entry.count)
        each = Fraction(float(amount) / entry.count) if table.weighted else Fraction(1)
        if entry.column == LONE:
            a = each if entry.row == LONE else rows[entry.row]
            jaccard = float(each) / float(a)
            n_scored += amount
            add(amount, (jaccard, 1.0, math.sqrt(jaccard)))
            continue
        b = columns[entry.column]
        if entry.row == LONE:
            candidates[entry.column].append((-each / b, 1, 0, LONE, each, Fraction(b)))
            inside[entry.column] += [each] * entry.count
        else:
            union = rows[entry.row] + b - amount
            if table.weighted:
                union = Fraction(float(union))
            rank = entry.row if row_ranks is None else row_ranks[entry.row]
            candidates[entry.column].append((-amount / union, 0, rank, entry.row, amount, Fraction(union)))
            inside[entry.column].append(amount)
    result = Overlaps(columns, [], [], [], [], [], [], [], 0, (0, 0, 0))
    for j, b in enumerate(columns):
        result.cells.append(len(inside[j]))
        if not inside[j]:
            result.best_rows.append(LONE)
            for zeros in (result.intersections, result.unions):
                zeros.append(0)
            for zeros in (result.max_jaccard, result.concentration, result.score):
                zeros.append(0.0)
            continue
        _, _, _, row, n, union = min(candidates[j])
        jaccard = float(n) / float(union)
        shape = concentration(inside[j], Fraction(b), clusters)
        score = math.sqrt(jaccard * shape)
        result.best_rows.append(row)
        result.intersections.append(n)
        result.unions.append(union)
        result.max_jaccard.append(jaccard)
        result.concentration.append(shape)
        result.score.append(score)
        if unscored is None or not unscored[j]:
            n_scored += b
            add(b, (jaccard, shape, score))
    result.n_scored = n_scored
    result.totals = (totals[0], totals[1], totals[2])
    return result


class SizedCell(NamedTuple):
    """One cell: its two clusters (the number of the point for lone ones), its size, their sizes, numbers of points."""

    row: Any
    column: Any
    n: Any
    a: Any
    b: Any
    points: tuple[int, int, int]


def sized_cells(table: Table) -> list[SizedCell]:
    """Return every cell separately; sizes of weighted tables are rounded, as in the kernel."""
    sizes: tuple[dict[Any, Any], dict[Any, Any]] = ({}, {})
    points: tuple[dict[Any, int], dict[Any, int]] = ({}, {})
    parts: list[tuple[Any, Any, Any, int]] = []
    for i, entry in enumerate(table.entries):
        times = entry.count if LONE in (entry.row, entry.column) else 1
        amount = Fraction(float(entry.weight) / times) if table.weighted else entry.count // times
        for j in range(times):
            keys = [(i, j) if number == LONE else number for number in (entry.row, entry.column)]
            for side, counted, key in zip(sizes, points, keys, strict=True):
                side[key] = side.get(key, 0) + amount
                counted[key] = counted.get(key, 0) + entry.count // times
            if ABSENT not in keys:
                parts.append((*keys, amount, entry.count // times))
    number = float if table.weighted else int
    return [
        SizedCell(
            row,
            column,
            number(n),
            number(sizes[0][row]),
            number(sizes[1][column]),
            (c, points[0][row], points[1][column]),
        )
        for row, column, n, c in parts
    ]


FRACTIONS = {
    Worth.F: lambda n, a, b: float(2 * n) / float(a + b),
    Worth.OF_LARGER: lambda n, a, b: float(n) / float(max(a, b)),
    Worth.JACCARD: lambda n, a, b: float(n) / float(a + b - n),
    Worth.OF_TRUE: lambda n, a, b: float(n) / float(a),
    Worth.PRODUCT: lambda n, a, b: (float(n) / float(a)) * (float(n) / float(b)),
}
"""The shares of a cell, with one rounding per step."""


def of_smaller(n: Any, a: Any, b: Any) -> float:
    """Return the share of the smaller cluster, which is not a worth of matching."""
    return float(n) / float(min(a, b))


def fixed(table: Table, terms: list[tuple[Any, float]]) -> Any:
    """Return the sum of k * x as in the kernel: an integer, or the exact sum that its double approximates."""
    if table.weighted:
        return sum((Fraction(k) * Fraction(x) for k, x in terms), Fraction(0))
    return sum(k * math.floor(x * 2**84) for k, x in terms)


def joint(table: Table) -> dict[str, Any]:
    """Return all fields of Joint."""
    cells = sized_cells(table)
    whole = [c for c in cells if len(set(c.points)) == 1]

    def weighed(fraction: Any) -> Any:
        return fixed(table, [(c.n, fraction(c.n, c.a, c.b)) for c in cells])

    return {
        "exact": len(whole),
        "exact_singletons": sum(c.points[0] == 1 for c in whole),
        "size_products": sum(Fraction(c.n) * Fraction(c.a) * Fraction(c.b) for c in cells),
        "shares": fixed(table, [(1, FRACTIONS[Worth.PRODUCT](c.n, c.a, c.b)) for c in cells]),
        "of_larger": weighed(FRACTIONS[Worth.OF_LARGER]),
        "of_smaller": weighed(of_smaller),
        "f": weighed(FRACTIONS[Worth.F]),
        "jaccard": weighed(FRACTIONS[Worth.JACCARD]),
    }


def best(table: Table, side: int) -> dict[str, Any]:
    """Return all fields of Best for one side."""
    clusters: dict[Any, tuple[Any, list[SizedCell]]] = {}
    sizes: dict[Any, Any] = defaultdict(int)
    for i, entry in enumerate(table.entries):
        number = (entry.row, entry.column)[side]
        amount = entry.weight if table.weighted else entry.count
        if number == LONE:
            for j in range(entry.count):
                sizes[i, j] = Fraction(amount) / entry.count
        elif number != ABSENT:
            sizes[number] += amount
    clusters = {key: (size, []) for key, size in sizes.items()}
    for cell in sized_cells(table):
        clusters[cell[side]][1].append(cell)

    def top(worth: Worth) -> list[tuple[Any, float]]:
        return [
            (size, max((FRACTIONS[worth](c.n, c.a, c.b) for c in cells), default=0.0))
            for size, cells in clusters.values()
        ]

    together = [
        sum(c.n * (c.n - 1) for c in cells) / (size * (size - 1)) for size, cells in clusters.values() if size > 1
    ]
    return {
        "clusters": len(clusters),
        "jaccard": fixed(table, [(1, x) for _, x in top(Worth.JACCARD)]),
        "sized_jaccard": fixed(table, top(Worth.JACCARD)),
        "f": fixed(table, [(1, x) for _, x in top(Worth.F)]),
        "sized_f": fixed(table, top(Worth.F)),
        "of_larger": fixed(table, [(1, x) for _, x in top(Worth.OF_LARGER)]),
        "weakest_pairs": None if table.weighted else min(together, default=None),
    }


def candidates(table: Table, worth: Worth) -> dict[int, tuple[Any, Any, Any]]:
    """Return for each entry that can be matched its row and column (unique for a lone side), and its worth."""
    by_clusters = {(c.row, c.column): c for c in sized_cells(table)}
    found = {}
    for i, entry in enumerate(table.entries):
        if ABSENT in (entry.row, entry.column) or (entry.row, entry.column) == (LONE, LONE):
            continue
        row, column = ((i, 0) if number == LONE else number for number in (entry.row, entry.column))
        cell = by_clusters[row, column]
        value = cell.n if worth in (Worth.POINTS, Worth.RANK) else FRACTIONS[worth](cell.n, cell.a, cell.b)
        found[i] = (row, column, value)
    return found
