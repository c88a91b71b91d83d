"""The compiled kernel: encoding, cross-tabulation, sums over cells. It handles integers and doubles, not policies."""

import enum
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

LONE: Final[int]
"""-1 as a row or column of a cell: each of its points has a cluster of its own on that side."""

ABSENT: Final[int]
"""-2 as a row or column of a cell: its points do not occur on that side."""

class Cells:
    """The non-empty cells of a table. Immutable; the arrays are read-only views of the kernel's memory.

    Entry i represents ``counts[i]`` points of true cluster ``rows[i]`` and predicted cluster ``columns[i]``.
    If one of the two is LONE, it represents ``counts[i]`` cells of one point each;
    if one is ABSENT, it is no cell, and adds only to the size of the cluster on the other side.
    """

    def __init__(
        self,
        rows: NDArray[np.int32],
        columns: NDArray[np.int32],
        counts: NDArray[np.int64],
        weights: NDArray[np.float64] | None,
        pairs: NDArray[np.float64] | None,
        n_rows: int,
        n_columns: int,
    ) -> None: ...
    def __len__(self) -> int: ...
    @property
    def rows(self) -> NDArray[np.int32]: ...
    @property
    def columns(self) -> NDArray[np.int32]: ...
    @property
    def counts(self) -> NDArray[np.int64]: ...
    @property
    def weights(self) -> NDArray[np.float64] | None:
        """Sum of the weights of each entry's points; None for a table of plain points."""
    @property
    def pairs(self) -> NDArray[np.float64] | None:
        """Sum over the pairs of each cell's points of the product of their weights; 0 for one point and for LONE."""
    @property
    def n_rows(self) -> int: ...
    @property
    def n_columns(self) -> int: ...
    @property
    def row_values(self) -> NDArray[Any]:
        """The label of each row, in the dtype of the labels that `crosstab` read."""
    @property
    def column_values(self) -> NDArray[Any]: ...
    def squares(self) -> tuple[int, int, int, int]:
        """Return (N, sum of n², sum of a², sum of b²) over cells, true clusters, predicted clusters; exact."""

class CellCollector:
    """Collects Cells in parts, each cell once: cells that were added before are neither searched nor merged.

    Labels are integers from low to high, ends included; clusters are numbered in the order of their labels.
    """

    def __init__(self, cells: int, low_row: int, high_row: int, low_column: int, high_column: int) -> None: ...
    def add(self, rows: NDArray[Any], columns: NDArray[Any], counts: NDArray[Any]) -> None:
        """Add the labels and the numbers of points of some cells, as integers of any type."""
    def finish(self) -> Cells:
        """Return the cells, after all announced ones were added."""

class Overlaps:
    """The best true cluster of each predicted cluster, and the sums over all predicted clusters."""

    @property
    def sizes(self) -> NDArray[Any]:
        """Size of each column: int64, or float64 for weighted cells."""
    @property
    def cells(self) -> NDArray[np.int64]:
        """Number of true clusters that each column intersects (LONE ones included)."""
    @property
    def best_rows(self) -> NDArray[np.int32]:
        """The row of the largest Jaccard; LONE if that is a lone true cluster; for ties the row of lowest rank."""
    @property
    def intersections(self) -> NDArray[Any]: ...
    @property
    def unions(self) -> NDArray[Any]: ...
    @property
    def max_jaccard(self) -> NDArray[np.float64]: ...
    @property
    def concentration(self) -> NDArray[np.float64]: ...
    @property
    def score(self) -> NDArray[np.float64]:
        """Square root of max_jaccard times concentration."""
    @property
    def n_scored(self) -> int | float:
        """Points (or weight) of the scored predicted clusters, lone ones included."""
    @property
    def totals(self) -> tuple[int, int, int] | tuple[float, float, float]:
        """Sums over scored predicted clusters of size times max_jaccard, concentration, score.

        For plain points each is the exact integer sum of size * floor(x * 2**84), so it does not depend on order;
        for weighted cells it is a compensated sum of doubles.
        """

def crosstab(
    y_true: NDArray[Any],
    y_pred: NDArray[Any],
    counts: NDArray[np.int64] | None = None,
    weights: NDArray[np.float64] | None = None,
    threads: int = 0,
) -> Cells:
    """Cross-tabulate two one-dimensional integer arrays of any width and stride; 0 threads: chosen by size."""

def crosstab_codes(y_true: NDArray[Any], y_pred: NDArray[Any], threads: int = 0) -> Cells | None:
    """Return the same for plain points; None unless both are aligned native integers, one for each point."""

def profile(
    cells: Cells,
) -> tuple[
    list[tuple[int, int]],
    list[tuple[int, int, int, int, int]],
    list[tuple[int, int, int, int, int]],
]:
    """Return the histogram (n, cells) of cell sizes; by side and size (size, clusters, sum n², sum max n, cells)."""

def margins(cells: Cells) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the sizes of the rows and of the columns (int64, or float64 for weights), ABSENT partners included."""

def pair_weights(cells: Cells) -> tuple[float, float, float, float]:
    """Return (yy, yn, ny, nn) of weighted cells, by compensated sums."""

def overlaps(
    cells: Cells,
    row_ranks: NDArray[np.int32] | None = None,
    unscored: NDArray[np.bool_] | None = None,
) -> Overlaps: ...

class Joint:
    """Sums over all cells that need the sizes a and b of both clusters of a cell (LONE cells included).

    A sum of fractions is, for plain points, the exact integer sum of k * floor(x * 2**84) with the integer k and the
    double x given below, so it does not depend on order; for weighted cells it is a compensated sum of doubles.
    """

    @property
    def exact(self) -> int:
        """Number of cells that are a whole cluster on both sides: n = a = b (by numbers of points, absent partners)."""
    @property
    def exact_singletons(self) -> int:
        """Number of these with one point."""
    @property
    def size_products(self) -> int | float:
        """Sum of n * a * b, an exact integer for plain points."""
    @property
    def shares(self) -> int | float:
        """Sum of x = (n / a) * (n / b)."""
    @property
    def of_larger(self) -> int | float:
        """Sum of n * x with x = n / max(a, b)."""
    @property
    def of_smaller(self) -> int | float:
        """Sum of n * x with x = n / min(a, b)."""
    @property
    def f(self) -> int | float:
        """Sum of n * x with x = 2 n / (a + b)."""
    @property
    def jaccard(self) -> int | float:
        """Sum of n * x with x = n / (a + b - n)."""

def joint(cells: Cells) -> Joint: ...

class Best:
    """Sums over the clusters of one side of the best of a cluster's cells; fractions as in `Joint`."""

    @property
    def clusters(self) -> int: ...
    @property
    def jaccard(self) -> int | float:
        """Sum of x = max n / (a + b - n)."""
    @property
    def sized_jaccard(self) -> int | float:
        """Sum of size * x."""
    @property
    def f(self) -> int | float:
        """Sum of x = max 2 n / (a + b)."""
    @property
    def sized_f(self) -> int | float: ...
    @property
    def of_larger(self) -> int | float:
        """Sum of x = max n / max(a, b)."""
    @property
    def weakest_pairs(self) -> float | None:
        """Smallest share, over clusters of more than one point, of their pairs that stay together; None without one."""

def best(cells: Cells) -> tuple[Best, Best]:
    """Return the sums for the true clusters and for the predicted clusters."""

class Worth(enum.Enum):
    """Worth of a match of two clusters of a and b points, with n common points."""

    POINTS = 0
    """n"""
    F = 1
    """2n / (a + b)"""
    OF_LARGER = 2
    """n / max(a, b)"""
    JACCARD = 3
    """n / (a + b - n)"""
    OF_TRUE = 4
    """n / a"""
    PRODUCT = 5
    """n² / (ab)"""
    RANK = 6
    """n, where one larger match is worth more than any number of smaller ones, as in greedy matching"""

class Shrunk:
    """The remainder of a matching problem after every cell was fixed that must be in a best matching.

    Entries are numbered as in `cells.rows`. Of an entry with one LONE side at most one cell can be matched; all cells
    of an entry with two LONE sides are matched, and such entries are omitted here.
    """

    @property
    def fixed(self) -> NDArray[np.int64]:
        """Matched entries."""
    @property
    def rest(self) -> NDArray[np.int64]:
        """Entries that are still undecided: their rows and columns are not matched yet."""
    @property
    def rest_weights(self) -> NDArray[np.float64]:
        """Worth of each of them."""

def assign(
    starts: NDArray[np.int64], columns: NDArray[np.int32], worths: NDArray[np.float64], n_columns: int
) -> NDArray[np.int32]:
    """Return the column of each row, or -1, such that none is used twice and the sum of worths is the largest.

    The cells of row r are those from starts[r] on and before starts[r + 1]; worths are integers of at most 2^50.
    """

def connect(lefts: NDArray[np.int64], rights: NDArray[np.int64], n_nodes: int) -> NDArray[np.int64]:
    """Return the connected component of each node, numbered by first nodes; edges join `lefts` and `rights`."""

def shrink(cells: Cells, worth: Worth) -> Shrunk:
    """Fix the cells of an optimal one-to-one matching of rows and columns as far as that is certain."""

def expected_mutual_information(
    true_sizes: Sequence[tuple[int, int]], pred_sizes: Sequence[tuple[int, int]], threads: int = 0
) -> float:
    """Return the mean mutual information, in nats, of random tables of these cluster sizes: pairs (size, clusters)."""

def mutual_information_variance(
    true_sizes: Sequence[tuple[int, int]], pred_sizes: Sequence[tuple[int, int]], limit: float
) -> float | None:
    """Return its exact variance under the same model, or None if that would take more than `limit` terms."""

def sample_mutual_information(
    true_sizes: Sequence[tuple[int, int]],
    pred_sizes: Sequence[tuple[int, int]],
    samples: int,
    seed: int,
    first: int = 0,
) -> NDArray[np.float64]:
    """Return the mutual information of the random tables first, first + 1, ... with these cluster sizes."""

def expected_excesses(
    true_sizes: NDArray[np.int64], pred_sizes: NDArray[np.int64], points: int, threads: int = 0
) -> NDArray[np.float64]:
    """Return the terms of expected mutual information, times the points, with a row per true size.

    The columns are the predicted sizes. The sizes need not add up to the points; a term of a size of 0 is 0.
    """

def add(values: NDArray[np.float64]) -> float:
    """Return the sum of doubles, with the same bits for any order, where the sums stay below 1e299."""

def add_by(groups: NDArray[np.int64], values: NDArray[np.float64], n_groups: int) -> NDArray[np.float64]:
    """Return the sums of the values of each group, with the same bits for any order."""

def departures(
    values: NDArray[np.float64], times: NDArray[np.int64], score: float
) -> tuple[float, float, float, float]:
    """Return of value - score: sum and sum of squares, each counted `times` times, minimum and maximum.

    The last two are NaN if a value is not finite.
    """

def group_alike(cells: Cells) -> tuple[NDArray[np.int32], *tuple[NDArray[np.int64], ...]] | None:
    """Return the class of each entry; entries of a class have cells and clusters with the same sizes and Σn².

    Also return, of each class: n, a, b, Σn² of the true and of the predicted cluster, and the number of its cells.
    None if there are so few equal entries that classes are not worthwhile.
    """

def classes_of_points(
    cells: Cells,
    y_true: NDArray[Any],
    y_pred: NDArray[Any],
    true_clusters: NDArray[np.int32],
    pred_clusters: NDArray[np.int32],
    classes: NDArray[np.int32],
    threads: int = 0,
) -> NDArray[Any]:
    """Return the class of each point, in the narrowest integers; `classes` has that of each entry of the cells.

    y_true, y_pred: codes of the points' labels, in integers of at most 32 bits. true_clusters, pred_clusters: the
        cluster of each code, LONE or ABSENT; those of the codes -1, -2, ... are the last ones.
    """

def add_products(
    classes: Sequence[NDArray[Any]],
    values: Sequence[NDArray[np.float64]],
    counts: NDArray[np.int64] | None = None,
    threads: int = 0,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return, over all points, the sums of products of each two lists of values, by rows, and the sum of each list.

    classes: of each list the class of every point, in integers of at most 32 bits; values: that of each class.
    counts: the count of each point. The bits do not depend on the number of threads or the order of the points.
    """

def draw_table(
    true_sizes: NDArray[np.int64], pred_sizes: NDArray[np.int64], seed: int, number: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """Return rows, columns and counts of a random table with these cluster sizes, of at most 2**32 points."""

def sample_pairs(
    true_sizes: NDArray[np.int64], pred_sizes: NDArray[np.int64], samples: int, seed: int, first: int = 0
) -> NDArray[np.int64]:
    """Return the number of pairs together in both labelings, for the tables first, first + 1, ... of `draw_table`."""

def draw_half(counts: NDArray[np.int64], seed: int, number: int) -> NDArray[np.int64]:
    """Return the number of points of each cell in a random half of all, rounded down, of at most 2**42 points."""

def digest_integers(prefix: bytes, values: NDArray[np.int64], threads: int = 0) -> NDArray[np.uint64]:
    """Return the MD5 of a prefix of at most 35 bytes followed by the digits of each number: two numbers for each."""

def encode_integers(labels: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return codes in order of first appearance, by hash, and the position where each code first appears."""

def encode_records(labels: NDArray[np.uint8]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the same for rows of bytes, a C-contiguous array of shape (n, width)."""

def encode_objects(
    labels: Sequence[object] | NDArray[np.object_], inspect: Callable[[object, int], bool]
) -> tuple[NDArray[np.int32], list[Any]]:
    """Return codes in order of first appearance and the distinct labels, compared like the keys of a dict.

    None and float NaN get code -1. `inspect(label, position)` is called once for every new label that is not
    exactly an int, a str, a bool or an integral float: True marks it as missing (-1), and it may raise.
    """

def sweep_pairs(
    labels: NDArray[np.int32],
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    scores: NDArray[np.float64],
    expected_limit: float = 3e8,
    progress: Callable[[float], None] | None = None,
    counts: NDArray[np.int64] | None = None,
) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]], dict[str, Any]]:
    """Close scored pairs into clusters from the highest score down: every partition, the merges, and totals.

    labels: the true label of each record, numbered from 0; -1 for one that is not counted, -2 for one that only adds to
        the size of its predicted cluster. left, right: numbers of records.
    The first partition has no pair and the threshold inf. Each other one has all pairs of at least its threshold, and
    differs from the one before: merges (their number), clusters, cells, exact (clusters that equal a true one),
    together and together_both (pairs of points in the prediction, and in truth too), best_pred and best_true (sums of
    largest cells), precision and recall (sums of n²/b and n²/a), spread_pred (sum of b ln b), left_true and left_pred
    (sums of b ln b and of a ln a less that of n ln n), expected (expected mutual information times points; NaN once
    that took more than `expected_limit` steps).
    The merges are the pairs that joined two clusters (left, right, scores), with the true_pairs and false_pairs of
    points that each put together. The totals are points, predicted_points, true_clusters, together_true, spread_true.
    progress: called now and then with the finished share. counts: the number of points that each record represents, at
        least 1 if it is counted, and fewer than 2^31 in all.
    """

def sum_points(
    X: NDArray[Any], codes: NDArray[np.int32], weights: NDArray[np.float64] | None, clusters: int, threads: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return for each cluster and feature the sum of the points as high + low. X: rows of float32 or float64."""

def spread_about(
    X: NDArray[Any],
    codes: NDArray[np.int32],
    weights: NDArray[np.float64] | None,
    high: NDArray[np.float64],
    low: NDArray[np.float64],
    clusters: int,
    threads: int = 0,
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Return squares about the centers by cluster and feature, distances to them by cluster, and those to the last one.

    The centers, high + low, are those of the clusters, followed by that of all points.
    """

def nearest_centers(
    X: NDArray[Any],
    codes: NDArray[np.int32],
    high: NDArray[np.float64],
    low: NDArray[np.float64],
    offsets: NDArray[np.float64],
    clusters: int,
    threads: int = 0,
    progress: Callable[[float], None] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]:
    """Return for each point: squared distance to its center; least to others plus their offsets (inf); which (-1)."""

def sum_distances(
    X: NDArray[Any],
    measure: str,
    order: NDArray[np.int64],
    starts: NDArray[np.int64],
    threads: int = 0,
    progress: Callable[[float], None] | None = None,
    chosen: NDArray[np.int64] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]:
    """Return for each point: sum of distances to its cluster; least mean distance to another (inf), and which (-1).

    measure: "euclidean", "sqeuclidean", "manhattan", or "precomputed" if X contains the distances.
    order, starts: the points sorted by cluster, and where each cluster begins in that order; the last is their number.
    progress: called now and then with the finished share.
    chosen: places in that order, to return these points only, each compared with all.
    """

def sum_distances_from(
    points: NDArray[Any],
    X: NDArray[Any],
    measure: str,
    order: NDArray[np.int64],
    starts: NDArray[np.int64],
    threads: int = 0,
) -> NDArray[np.float64]:
    """Return the sum of the distances of each of these points to each cluster of X, in a row for each point."""

def tabulate_pairs(
    X: NDArray[Any],
    measure: str,
    order: NDArray[np.int64],
    starts: NDArray[np.int64],
    threads: int = 0,
    progress: Callable[[float], None] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return for each two clusters: sum, least, largest distance, and the largest of the points' least distances.

    Also return, for each cluster, the sum of squared distances of its points to all points. Within a cluster each pair
    counts twice, the least distance is inf, and the fourth number is 0.
    """

def rank_distances(
    X: NDArray[Any],
    measure: str,
    order: NDArray[np.int64],
    starts: NDArray[np.int64],
    progress: Callable[[float], None] | None = None,
) -> tuple[int, int, int, int, float, float, float]:
    """Return the number of pairs within clusters, that of pairs between, and two counts of comparisons.

    The counts are how often a distance within is less than one between, and how often greater. Also return the sum of
    distances within, and the sums of as many of the least and of the largest of all distances.
    """

def find_density(
    X: NDArray[Any],
    measure: str,
    order: NDArray[np.int64],
    starts: NDArray[np.int64],
    variant: str = "exact",
    threads: int = 0,
    progress: Callable[[float], None] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the sparseness of each cluster, and its distance from the nearest other one, as defined by DBCV.

    variant: "exact", "matlab" or "hdbscan": which of several least trees is taken.
    """

def span_reachability(
    X: NDArray[Any],
    measure: str,
    order: NDArray[np.int64],
    starts: NDArray[np.int64],
    neighbour: int,
    threads: int = 0,
    progress: Callable[[float], None] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return the edges of the minimum spanning tree of mutual reachability over all points: from, to, length.

    Edges of equal reachability are ordered by distance. If several trees are still least, return the shortest and the
    longest edge between every two clusters, and within every cluster, that are in any of them.

    neighbour: a point's core is its distance to the neighbour of this number, from 1, below the number of points.
    """

def arrange_tree(
    starts: NDArray[np.int64], children: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return for each node: parent (-1 for the root), number of leaves, place of its first leaf in order of children.

    Leaves are 0 to n - 1, followed by the branches, each after its children, the root last. Those of branch i are
    children[starts[i] : starts[i + 1]].
    """

def sum_joined(
    starts: NDArray[np.int64],
    children: NDArray[np.int64],
    other_starts: NDArray[np.int64],
    other_children: NDArray[np.int64],
    values: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Return for each branch the sum, over the pairs of leaves that it joins, of the value of the other tree's branch.

    The sums have 128 bits, returned as high and low halves.
    """

def count_cuts(
    starts: NDArray[np.int64],
    children: NDArray[np.int64],
    other_starts: NDArray[np.int64],
    other_children: NDArray[np.int64],
) -> tuple[
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int64],
    tuple[NDArray[np.int64], NDArray[np.uint64]],
    tuple[NDArray[np.int64], NDArray[np.uint64]],
]:
    """Return the number of pairs of leaves together in both trees, in the first and in the second, after each step.

    In a step each tree joins two clusters; a branch of several children joins them in their order. Also return the sums
    over the clusters of each tree of m (m - 1) (m - 2), for m leaves, as halves of 128 bits.
    """

def find_variances(
    leaves: int,
    pairs: NDArray[np.int64],
    triples: NDArray[np.int64],
    other_pairs: NDArray[np.int64],
    other_triples: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the variance of the Fowlkes–Mallows index after each step, for 3 to 4,096 leaves; exact but rounded."""

def read_merges(linkage: NDArray[np.float64]) -> NDArray[np.int64] | None:
    """Return the nodes that each row of a linkage merges, two per row; None if it is no valid linkage."""

def tabulate_classes(
    starts: NDArray[np.int64], children: NDArray[np.int64], codes: NDArray[np.int32], classes: int
) -> tuple[tuple[NDArray[np.int64], NDArray[np.uint64]], NDArray[np.float64]]:
    """Return for each branch the sum over classes of (pairs of the class that it joins) * (its leaves of the class).

    Also return, for each class, the best F of its leaves and those of a node.
    """

def mean_difference(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Return the mean of |a - b| over all numbers of two sorted arrays."""
