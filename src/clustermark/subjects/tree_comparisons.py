"""Comparisons of hierarchies: a tree with a tree, with labels, with distances, and with similarities."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeAlias

import numpy as np

from clustermark._kernel import encode_integers
from clustermark.errors import InputError, count
from clustermark.labels import read_labels
from clustermark.labels.conversion import read_sparse
from clustermark.subjects.features import read_distances
from clustermark.subjects.subject import Remembering, Subject
from clustermark.subjects.tree import CladeMatch, Tree, match_clades
from clustermark.subjects.tree_inputs import Branches, as_reals, count_leaves

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from clustermark.labels.conversion import Labels


def _places_of(tree: Tree, other: Tree, names: tuple[str, str]) -> NDArray[np.int64] | None:
    """Return, for each leaf of `other`, the number of the leaf of that name in `tree`; None to match by position."""
    names = tree.called or names[0], other.called or names[1]
    if tree.n != other.n:
        raise InputError(
            f"{names[0]} has {count_leaves(tree.n)} and {names[1]} has {other.n:,}; both need the same leaves"
        )
    if tree.names is None and other.names is None:
        return None
    if tree.names is None or other.names is None:
        named, plain = names if other.names is None else names[::-1]
        raise InputError(
            f"{named} has names for its leaves and {plain} has none; give them by Tree({plain}, names=…), or leave "
            "them out on both sides to match leaves by position"
        )
    codes = np.asarray(read_labels([*tree.names, *other.names], "names of leaves").codes)
    order = np.argsort(codes[: tree.n], kind="stable")
    at = np.searchsorted(codes[: tree.n], codes[tree.n :], sorter=order)
    places = order[np.minimum(at, tree.n - 1)]
    lacking = codes[: tree.n][places] != codes[tree.n :]
    if lacking.any():
        first = other.names[int(lacking.argmax())]
        raise InputError(
            f"{names[1]} has the leaf {first!r}, which {names[0]} lacks ({count_leaves(int(lacking.sum()), 'such ')}); "
            "both need the same leaves"
        )
    return places


class TreeLimits(NamedTuple):
    """Limits on the work and the memory that indices of trees take, and on the exactness of numbers."""

    ranked: int = 50_000_000
    """Maximum number of distances that are sorted, at about 40 bytes each."""
    looks: int = 100_000_000
    """Maximum number of visits to leaves, one per leaf and level; this many take about a minute."""
    in_doubles: int = 13_000
    """Maximum number of leaves for which products of two numbers of pairs are below 2^53: ratios are rounded once."""
    in_kernel: int = 4_096
    """Maximum number of leaves whose variances fit into the integers of the kernel; for more, Python computes them."""


class TreePair(Remembering):
    """Two trees over the same leaves, matched by name, or by position where leaves have no names.

    progress: a function that is called with the share that is done, from 0 to 1, while leaves are visited by level.

    >>> TreePair([["a", "b"], "c"], ["b", ["c", "a"]])
    <TreePair of 3 leaves>
    """

    limits: TreeLimits = TreeLimits()
    """Limits on work and memory; an index that needs more is refused."""

    def __init__(self, a: Any, b: Any, *, progress: Callable[[float], None] | None = None) -> None:
        super().__init__()
        self.progress = progress
        """Function that is called with the share of the work that is done, or None."""
        self.a = Tree.read(a, "a")
        """The first tree."""
        other = Tree.read(b, "b")
        if (places := _places_of(self.a, other, ("a", "b"))) is not None:
            numbers = np.concatenate([places, np.arange(other.n, other.n + len(other.heights))])
            renamed = Branches(other.starts, numbers[other.children], other.heights, self.a.names, self.a.numbered)
            other = Tree.of_branches(renamed)
        self.b = other
        """The second tree, its leaves numbered like those of the first."""

    @property
    def n(self) -> int:
        """Number of leaves."""
        return self.a.n

    @cached_property
    def clades(self) -> CladeMatch:
        """Numbers of clades (sets of leaves below a branch) of both trees, and of those that they share."""
        return match_clades(self.a, self.b)

    def __repr__(self) -> str:
        return f"<TreePair of {count_leaves(self.n)}>"


class TreeLabels(Remembering):
    """A tree and the class of each leaf.

    labels: one for each leaf, in the order of leaves; or a mapping from the name of a leaf to its label.

    >>> TreeLabels([["a", "b"], "c"], {"a": 0, "b": 0, "c": 1})
    <TreeLabels of 3 leaves in 2 classes>
    """

    def __init__(self, tree: Any, labels: Labels) -> None:
        super().__init__()
        self.tree = Tree.read(tree, "tree")
        """The tree."""
        read = read_labels(self._in_order(labels), "labels")
        if len(read) != self.tree.n:
            raise InputError(
                f"tree has {count_leaves(self.tree.n)} and labels has {len(read):,}; each leaf needs one label"
            )
        if read.n_missing:
            raise InputError(
                f"labels has no label for leaf {read.first_missing} ({count_leaves(read.n_missing, 'such ')})"
            )
        self.codes, first = encode_integers(np.ascontiguousarray(read.codes))
        """The number of each leaf's class."""
        self.k = len(first)
        """Number of classes."""

    def _in_order(self, labels: Any) -> Any:
        tree = self.tree
        if isinstance(labels, Mapping):
            names = range(tree.n) if tree.names is None else tree.names
            if lacking := [name for name in names if name not in labels]:
                raise InputError(
                    f"labels has no label for the leaf {lacking[0]!r} ({count_leaves(len(lacking), 'such ')})"
                )
            if len(labels) > tree.n:
                raise InputError(
                    f"labels has {count(len(labels), 'label')} and the tree {count_leaves(tree.n)}; leave out the rest"
                )
            return [labels[name] for name in names]
        if not tree.numbered:
            raise InputError("labels: the leaves of nested lists have names; pass a mapping from name to label")
        return labels

    def __repr__(self) -> str:
        return f"<TreeLabels of {count_leaves(self.tree.n)} in {count(self.k, 'class', 'classes')}>"


class TreeDistances(Remembering):
    """A tree and the distances of its leaves.

    distances: a square matrix, or the result of `scipy.spatial.distance.pdist`; in the order of leaves.

    >>> TreeDistances(np.array([[0, 1, 0.5, 2], [2, 3, 1.5, 3]]), np.array([0.5, 1.4, 1.6]))
    <TreeDistances of 3 leaves>
    """

    limits: TreeLimits = TreeLimits()
    """Limits on work and memory; an index that needs more is refused."""

    def __init__(self, tree: Any, distances: Any) -> None:
        super().__init__()
        self.tree = Tree.read(tree, "tree")
        """The tree."""
        n = self.tree.n
        _require_numbers(self.tree, "distances")
        if hasattr(distances, "tocsr"):
            raise InputError("distances is a sparse matrix, whose zeros would count as distances; pass an array")
        array = distances.to_numpy() if hasattr(distances, "to_numpy") else np.asarray(distances)
        if array.ndim == 1:
            if len(array) != (pairs := n * (n - 1) // 2):
                given = count(len(array), "number")
                raise InputError(f"distances has {given}; {count_leaves(n)} have {count(pairs, 'pair')}")
            self.condensed: NDArray[Any] | None = _check_condensed(array)
            """The distances as `pdist` returns them, or None."""
            self.square: NDArray[Any] | None = None
            """The distances as a matrix, or None."""
        else:
            self.condensed, self.square = None, read_distances(array, "distances")
            if len(self.square) != n:
                raise InputError(f"distances has {count(len(self.square), 'row')} and the tree {count_leaves(n)}")

    def row(self, leaf: int) -> NDArray[Any]:
        """Return the distances of a leaf to all leaves with larger numbers."""
        if self.square is not None:
            return self.square[leaf, leaf + 1 :]
        n = self.tree.n
        start = leaf * n - leaf * (leaf + 1) // 2
        assert self.condensed is not None
        return self.condensed[start : start + n - leaf - 1]

    def __repr__(self) -> str:
        return f"<TreeDistances of {count_leaves(self.tree.n)}>"


def _require_numbers(tree: Tree, what: str) -> None:
    if not tree.numbered:
        raise InputError(f"{what} are in the order of leaves, which nested lists of names do not have; pass a linkage")


def _check_condensed(array: NDArray[Any]) -> NDArray[Any]:
    if array.dtype.kind not in "biuf":
        raise InputError(f"distances has dtype {array.dtype}; pass numbers")
    wrong = ~(np.isfinite(array) & (array >= 0))
    if wrong.any():
        place = int(wrong.argmax())
        raise InputError(f"distances[{place}] is {array[place]}; a distance is finite and not negative")
    return array


_ROUNDING = 1e-9
"""Two halves of a matrix may differ by this share of its largest number."""


class TreeSimilarities(Remembering):
    """A tree and the similarities of its leaves.

    similarities: a symmetric matrix, dense or sparse, of numbers that are not negative, in the order of leaves; the
        diagonal has no meaning.

    >>> TreeSimilarities([[0, 1], 2], [[0, 3, 1], [3, 0, 0], [1, 0, 0]])
    <TreeSimilarities of 3 leaves, 2 pairs alike>
    """

    def __init__(self, tree: Any, similarities: Any) -> None:
        super().__init__()
        self.tree = Tree.read(tree, "tree")
        """The tree."""
        _require_numbers(self.tree, "similarities")
        try:
            sparse = hasattr(similarities, "tocsr")
            matrix = read_sparse(similarities, "similarities") if sparse else as_reals(similarities)
            if sparse:
                as_reals(matrix.data)
        except (TypeError, ValueError) as error:
            raise InputError(f"similarities holds something that is no number: {error}") from error
        n = self.tree.n
        if matrix.shape != (n, n):
            raise InputError(
                f"similarities has shape {matrix.shape} and the tree {count_leaves(n)}; it needs a row for each"
            )
        self.left, self.right, self.values = _read_sparse_pairs(matrix) if sparse else read_dense_pairs(matrix)

    def __repr__(self) -> str:
        return f"<TreeSimilarities of {count_leaves(self.tree.n)}, {count(len(self.values), 'pair')} alike>"


_Pairs: TypeAlias = "tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]"
"""The first leaf of each pair that has a similarity, the second one, and the similarity."""


def _read_sparse_pairs(matrix: Any) -> _Pairs:
    """Return the pairs of a sparse matrix, once it is checked."""
    from scipy.sparse import coo_array

    entries = coo_array(matrix)
    wrong = ~(np.isfinite(entries.data) & (entries.data >= 0))
    if wrong.any():
        place = int(wrong.argmax())
        _refuse_similarity(int(entries.row[place]), int(entries.col[place]), entries.data[place])
    if (apart := abs(matrix - matrix.T)).nnz and apart.max() > _ROUNDING * matrix.max():
        uneven = coo_array(apart)
        place = int(uneven.data.argmax())
        _refuse_uneven(int(uneven.row[place]), int(uneven.col[place]))
    kept = (entries.row < entries.col) & (entries.data > 0)
    left, right = (places[kept].astype(np.int32) for places in (entries.row, entries.col))
    return left, right, entries.data[kept].astype(np.float64)


def read_dense_pairs(matrix: NDArray[np.float64], at_once: int = 1 << 20) -> _Pairs:
    """Return the pairs of a matrix, once it is checked: some rows of about `at_once` numbers at a time."""
    n = len(matrix)
    step = max(1, at_once // n)
    parts = [slice(begin, begin + step) for begin in range(0, n, step)]
    n_pairs = 0
    for part in parts:
        rows = matrix[part]
        wrong = ~(np.isfinite(rows) & (rows >= 0))
        if wrong.any():
            row, column = divmod(int(wrong.argmax()), n)
            _refuse_similarity(part.start + row, column, rows[row, column])
        n_pairs += int(np.count_nonzero(np.triu(rows, part.start + 1)))
    most = _ROUNDING * matrix.max(initial=0.0)
    left, right, values = np.empty(n_pairs, np.int32), np.empty(n_pairs, np.int32), np.empty(n_pairs)
    end = 0
    for part in parts:
        apart = abs(matrix[part] - matrix[:, part].T)
        if apart.max() > most:
            row, column = divmod(int(apart.argmax()), n)
            _refuse_uneven(part.start + row, column)
        upper = np.triu(matrix[part], part.start + 1)
        places = np.nonzero(upper)
        begin, end = end, end + len(places[0])
        left[begin:end], right[begin:end], values[begin:end] = places[0] + part.start, places[1], upper[places]
    return left, right, values


def _refuse_similarity(row: int, column: int, value: float) -> NoReturn:
    raise InputError(f"similarities[{row}, {column}] is {value}; pass finite numbers >= 0")


def _refuse_uneven(row: int, column: int) -> NoReturn:
    raise InputError(f"similarities[{row}, {column}] is not the same as similarities[{column}, {row}]")


def _are_identical(pair: TreePair) -> bool:
    return pair.clades.identical


def _is_tree_and_distances(tree: Any, distances: Any) -> bool:
    """Return True for a square matrix or condensed distances; a linkage of n leaves is neither."""
    if isinstance(distances, list | tuple) and distances:
        first = distances[0]
        if isinstance(first, list | tuple) and len(first) == len(distances):
            first = first[0]
        return isinstance(first, float | np.floating)
    shape = getattr(distances, "shape", None)
    if shape is None or isinstance(distances, Tree):
        return False
    return len(shape) == 1 or tuple(shape) == (Tree.read(tree, "tree").n,) * 2


def _are_two_trees(a: Any, b: Any) -> bool:
    return not _is_tree_and_distances(a, b)


TREES = Subject(
    TreePair,
    ("a", "b"),
    TreePair,
    _are_two_trees,
    "a TreePair(a, b)",
    _are_identical,
    "trees",
    name="trees",
    verb="evaluate_trees",
)
LABELED_TREE = Subject(
    TreeLabels,
    ("tree", "labels"),
    TreeLabels,
    lambda *_: True,
    "a TreeLabels(tree, labels)",
    name="trees",
    verb="evaluate_trees",
)
TREE_DISTANCES = Subject(
    TreeDistances,
    ("tree", "distances"),
    TreeDistances,
    _is_tree_and_distances,
    "a TreeDistances(tree, distances)",
    name="trees",
    verb="evaluate_trees",
)
TREE_SIMILARITIES = Subject(
    TreeSimilarities,
    ("tree", "similarities"),
    TreeSimilarities,
    lambda *_: True,
    "a TreeSimilarities(tree, similarities)",
    name="trees",
    verb="evaluate_trees",
)
