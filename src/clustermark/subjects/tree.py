"""One hierarchy of clusters, and the clades that two of them share (Day 1985)."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark._kernel import arrange_tree, connect
from clustermark.errors import InputError, Mention, count
from clustermark.subjects.tree_inputs import (
    Branches,
    count_leaves,
    read_children,
    read_labelings,
    read_linkage,
    read_nested,
    read_tree,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Self

    from numpy.typing import NDArray


class Tree:
    """A hierarchy of clusters: leaves, and branches that join them, up to one root.

    source: a SciPy linkage matrix; scikit-learn's `children_`, or a fitted estimator that has it (with `distances_`,
        if there are heights); nested lists such as [["a", "b"], "c"], where a list is a branch and anything else a
        leaf. A sequence of nested labelings is read by `Tree.from_labelings`.
    names: the name of each leaf; 0, 1, 2, … if left out. Two trees are matched by these names.

    Branches are in the order in which they merge. The height of a branch of nested lists is the number of levels below
    it; the height of a branch of `children_` without distances is its number.

    >>> Tree([["a", "b"], ["c", ["d", "e"]]])
    <Tree of 5 leaves, 4 branches>
    """

    called = ""
    """Name in messages, such as that of its file; if empty, messages name the argument."""

    def __init__(self, source: Any, *, names: Sequence[Any] | None = None) -> None:
        if isinstance(source, Tree):
            if names is not None:
                raise InputError("names= is for trees without names; give it where the tree is made")
            self._take(Branches(source.starts, source.children, source.heights, source.names, source.numbered))
        else:
            self._take(read_tree(source, names, "tree"))

    def _take(self, read: Branches) -> Self:
        self.starts, self.children, self.heights, self.names, self.numbered = read
        return self

    @classmethod
    def of_branches(cls, read: Branches) -> Self:
        """Return the tree of branches that were read and checked."""
        return cls.__new__(cls)._take(read)

    @classmethod
    def read(cls, source: Any, name: str) -> Tree:
        """Return a tree unchanged, or make one from other data; errors call it `name`."""
        return source if isinstance(source, Tree) else cls.of_branches(read_tree(source, None, name))

    @classmethod
    def from_linkage(cls, Z: Any, *, names: Sequence[Any] | None = None) -> Self:
        """Return the tree of a linkage matrix as `scipy.cluster.hierarchy` makes it.

        >>> Tree.from_linkage([[0, 1, 0.5, 2], [2, 3, 1.5, 3]])
        <Tree of 3 leaves, 2 branches>
        """
        return cls.of_branches(read_linkage(Z, names, "Z"))

    @classmethod
    def from_children(cls, children: Any, distances: Any = None, *, names: Sequence[Any] | None = None) -> Self:
        """Return the tree of scikit-learn's `children_`, with `distances_` as heights if given.

        >>> Tree.from_children([[0, 1], [2, 3]])
        <Tree of 3 leaves, 2 branches>
        """
        return cls.of_branches(read_children(children, distances, names, "children"))

    @classmethod
    def from_nested(cls, groups: Sequence[Any]) -> Self:
        """Return the tree of nested lists, whose leaves are names.

        >>> Tree.from_nested([["a", "b"], "c"]).names
        ['a', 'b', 'c']
        """
        return cls.of_branches(read_nested(groups, "groups"))

    @classmethod
    def from_labelings(cls, labelings: Any, *, names: Sequence[Any] | None = None) -> Self:
        """Return the tree of nested labelings of the same items, in any order; each joins clusters of a finer one.

        labelings: a list of labelings, or a mapping of them such as {k: labels}; each may be a mapping id -> label.

        >>> Tree.from_labelings([[0, 0, 1, 1, 2], ["a", "a", "b", "b", "b"]])
        <Tree of 5 leaves, 6 branches>
        """
        return cls.of_branches(read_labelings(labelings, names, "labelings"))

    @property
    def n(self) -> int:
        """Number of leaves."""
        return len(self.children) + 1 - len(self.heights)

    @cached_property
    def _drawn(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        return arrange_tree(self.starts, self.children)

    @property
    def parents(self) -> NDArray[np.int64]:
        """The parent of each node; -1 for the root."""
        return self._drawn[0]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of leaves of each node."""
        return self._drawn[1]

    @property
    def places(self) -> NDArray[np.int64]:
        """The position of the first leaf of each node, where leaves are drawn in the order of children."""
        return self._drawn[2]

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """The leaves in the order in which they are drawn."""
        return np.argsort(self.places[: self.n])

    @cached_property
    def widths(self) -> NDArray[np.int64]:
        """Number of children of each branch."""
        return np.diff(self.starts)

    @cached_property
    def joined_pairs(self) -> NDArray[np.int64]:
        """Number of pairs of leaves that each branch joins."""
        within = self.sizes * (self.sizes - 1) // 2
        return within[self.n :] - np.add.reduceat(within[self.children], self.starts[:-1])

    @cached_property
    def steps(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """The merges of two clusters, one after another: a leaf of each, and the branch that merges them.

        A branch of several children merges them in their order.
        """
        leaf = self.order[self.places]  # one leaf of each node
        first = leaf[self.children[self.starts[:-1]]]
        branch, child = self._later
        return first[branch], leaf[child], branch

    @cached_property
    def _later(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The children that are not the first of their branch, in order, each after its branch."""
        later = np.ones(len(self.children), bool)
        later[self.starts[:-1]] = False
        return np.repeat(np.arange(len(self.heights)), self.widths)[later], self.children[later]

    @cached_property
    def gaps(self) -> NDArray[np.int64]:
        """The branch that joins each leaf with the next one as they are drawn.

        Two leaves are joined by the last branch between them: parents come after their children.
        """
        branch, child = self._later
        gaps = np.empty(self.n - 1, np.int64)
        gaps[self.places[child] - 1] = branch
        return gaps

    def is_tied(self, k: int) -> bool:
        """Return whether a cut into k clusters separates merges of the same height, which only their order decides."""
        self._check_cut(k)
        heights = self.heights[self.steps[2]]
        return bool(1 < k < self.n and heights[self.n - k - 1] == heights[self.n - k])

    def cut(self, k: int) -> NDArray[np.int64]:
        """Return the labels of the cut into k clusters, numbered in order of the leaves; merges count in their order.

        >>> Tree([[0, 1], [2, [3, 4]]]).cut(2).tolist()
        [0, 0, 1, 1, 1]
        """
        self._check_cut(k)
        left, right, _ = self.steps
        return connect(left[: self.n - k], right[: self.n - k], self.n)

    def _check_cut(self, k: int) -> None:
        if not isinstance(k, int | np.integer) or isinstance(k, bool) or not 1 <= k <= self.n:
            raise InputError(
                Mention("k", k), f" must be a whole number of clusters from 1 to {self.n}, the number of leaves"
            )

    def __repr__(self) -> str:
        return f"<Tree of {count_leaves(self.n)}, {count(len(self.heights), 'branch', 'branches')}>"


class CladeMatch(NamedTuple):
    """Numbers of clades of two trees, without single leaves and the set of all leaves."""

    a: int
    b: int
    shared: int
    identical: bool
    """Whether both have the same clades at the same heights."""


def match_clades(a: Tree, b: Tree) -> CladeMatch:
    """Count the clades of two trees, and those that both have.

    A clade of the first tree is a run of its leaves as they are drawn. A clade of the second tree is shared if its
    leaves are such a run.
    """
    n = a.n
    drawn = a.places[:n][b.order]  # where the leaves of the second are in the first
    first, sizes = b.places[n:], b.sizes[n:]
    low = reduce_ranges(np.minimum, drawn, first, first + sizes)
    high = reduce_ranges(np.maximum, drawn, first, first + sizes)
    one = a.places[n:] * (n + 1) + a.sizes[n:]
    other = np.where(high - low + 1 == sizes, low * (n + 1) + sizes, -1)
    true_a, true_b = (a.widths > 1) & (a.sizes[n:] < n), (b.widths > 1) & (b.sizes[n:] < n)
    shared = int(np.isin(one[true_a], other[true_b]).sum())
    whole_a, whole_b = _with_heights(one, a), _with_heights(other, b)
    return CladeMatch(int(true_a.sum()), int(true_b.sum()), shared, whole_a == whole_b)


def _with_heights(clades: NDArray[np.int64], tree: Tree) -> dict[int, float]:
    joins = tree.widths > 1
    return dict(zip(clades[joins].tolist(), tree.heights[joins].tolist(), strict=True))


def reduce_ranges(
    pick: Callable[..., NDArray[Any]], values: NDArray[Any], first: NDArray[np.int64], last: NDArray[np.int64]
) -> NDArray[Any]:
    """Return the least (np.minimum) or largest (np.maximum) of values[first : last], for each of many ranges.

    A range is covered by two runs whose length is a power of two; the runs of one length are held at a time.
    """
    found = np.empty(len(first), values.dtype)
    powers = np.frexp(last - first)[1] - 1
    runs, width = values, 1
    for power in range(int(powers.max(initial=0)) + 1):
        mine = powers == power
        found[mine] = pick(runs[first[mine]], runs[last[mine] - width])
        runs = pick(runs[:-width], runs[width:])
        width *= 2
    return found
