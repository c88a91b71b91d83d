"""Readers of hierarchies: linkage matrices, nested lists, `children_` and nested labelings become branches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from clustermark._kernel import arrange_tree, read_merges
from clustermark.errors import InputError, count
from clustermark.labels import read_labels

if TYPE_CHECKING:
    from numpy.typing import NDArray

_GROUPS = (list, tuple)
"""Types of a branch in nested lists; anything else is a leaf."""


class Branches(NamedTuple):
    """A tree as it is read: leaves are 0 to n - 1, then come the branches in the order in which they merge."""

    starts: NDArray[np.int64]
    """Position where the children of each branch begin, and where the last ones end."""
    children: NDArray[np.int64]
    heights: NDArray[np.float64]
    """Height of each branch."""
    names: list[Any] | None
    """Name of each leaf; None if leaves are called 0, 1, 2, …"""
    numbered: bool = True
    """Whether the input orders the leaves, so that labels can be given by position."""


def count_leaves(n: int, such: str = "") -> str:
    """Return a number of leaves in words."""
    return count(n, f"{such}leaf", f"{such}leaves")


def read_tree(source: Any, names: Sequence[Any] | None, name: str) -> Branches:
    """Return the branches of a tree in any supported form; errors call it `name`."""
    if hasattr(source, "children_"):
        return read_estimator(source, names, name)
    if isinstance(source, _GROUPS):
        if names is not None:
            raise InputError(f"{name}: names= is for trees whose leaves have none; nested lists hold the names")
        _refuse_children(source, name)
        return read_nested(source, name)
    array = np.asarray(source)
    if _look_like_distances(array) or hasattr(source, "tocsr"):
        what = "a sparse matrix" if hasattr(source, "tocsr") else f"an array of shape {array.shape}"
        raise InputError(f"{name} is {what}, which is no tree; {_BY_NAME}")
    if array.ndim == 2 and array.shape[1] == 4:
        return read_linkage(array, names, name)
    if array.ndim == 2 and array.shape[1] == 2 and array.dtype.kind in "iu":
        return read_children(array, None, names, name)
    what = f"an array of shape {array.shape}" if array.ndim else f"of type {type(source).__name__}"
    raise InputError(
        f"{name} is {what}; a tree is a SciPy linkage (4 columns), children_ (2 columns of integers), a fitted "
        "estimator with children_, or nested lists; Tree.from_labelings takes a sequence of nested labelings"
    )


_BY_NAME = "distances or similarities of leaves are given by name, as in evaluate_trees(tree, distances=…)"


def _look_like_distances(array: NDArray[Any]) -> bool:
    """Return whether an array may come from `pdist` or be a matrix of distances, unlike a square linkage."""
    square = array.ndim == 2 and array.shape[0] == array.shape[1] > 2 and array.dtype.kind in "biuf"
    return array.ndim == 1 or (square and not array.diagonal().any())


def _refuse_children(groups: Sequence[Any], name: str) -> None:
    """Refuse pairs of numbers that can be nested lists or `children_`; two pairs are always nested lists."""
    if len(groups) < 3 or not all(isinstance(pair, _GROUPS) and len(pair) == 2 for pair in groups):
        return
    if _own_numbers([x for pair in groups for x in pair]) is not None and all(
        max(pair) <= len(groups) + row for row, pair in enumerate(groups)
    ):
        raise InputError(
            f"{name} is a list of pairs that may be children_, with {count_leaves(len(groups) + 1)}, or nested "
            f"lists, with {2 * len(groups):,}; pass the array, or to Tree.from_children, or to Tree.from_nested"
        )


def read_linkage(Z: Any, names: Sequence[Any] | None, name: str) -> Branches:
    """Return the branches of a SciPy linkage matrix: rows of two nodes, a height, and their number of leaves."""
    try:
        array = as_reals(Z)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} holds something that is no number: {error}") from error
    if array.ndim != 2 or array.shape[1] != 4 or not len(array):
        raise InputError(f"{name} has shape {array.shape}; a linkage has 4 columns, and a row for each merge")
    children = read_merges(array)
    if children is None:
        _refuse_linkage(array, name)
    starts = np.arange(0, len(children) + 1, 2, dtype=np.int64)
    return Branches(starts, children, array[:, 2].copy(), _read_names(names, len(array) + 1, name))


def _refuse_linkage(array: NDArray[np.float64], name: str) -> NoReturn:
    """Raise the error of a linkage that the kernel refuses."""
    if not np.isfinite(array).all():
        row, column = np.argwhere(~np.isfinite(array))[0]
        raise InputError(f"{name}[{row}, {column}] is {array[row, column]}; a linkage has finite numbers only")
    if (array[:, 2] < 0).any():
        row = int((array[:, 2] < 0).argmax())
        raise InputError(f"{name}[{row}, 2] is {array[row, 2]}, and the height of a merge is not negative")
    whole = np.trunc(array[:, :2]) == array[:, :2]
    if not whole.all():
        row, column = np.argwhere(~whole)[0]
        raise InputError(f"{name}[{row}, {column}] is {array[row, column]}; the nodes of a merge are whole numbers")
    nodes = np.clip(array[:, :2], -(2.0**62), 2.0**62)  # larger numbers are no nodes, and do not fit into 64 bits
    read = _join_pairs(nodes.astype(np.int64), array[:, 2], None, name)
    sizes = arrange_tree(read.starts, read.children)[1][len(array) + 1 :]
    row = int((sizes != array[:, 3]).argmax())
    raise InputError(f"{name}[{row}, 3] is {array[row, 3]:g}, but these two nodes have {count_leaves(int(sizes[row]))}")


def as_reals(values: Any) -> NDArray[np.float64]:
    """Return an array of doubles; raise TypeError or ValueError if values are complex or not numbers."""
    array = np.asarray(values)
    if array.dtype.kind not in "biufO":
        raise TypeError(f"the dtype is {array.dtype}")
    return array.astype(np.float64)


def read_estimator(fitted: Any, names: Sequence[Any] | None, name: str) -> Branches:
    """Return the branches of a fitted estimator of scikit-learn that has `children_`."""
    leaves = getattr(fitted, "n_leaves_", None)
    children = np.asarray(fitted.children_)
    if leaves is not None and len(children) != leaves - 1:
        raise InputError(
            f"{name} has {count(len(children), 'merge')} for {count_leaves(leaves)}, so it is no whole tree; "
            "fit it with compute_full_tree=True"
        )
    return read_children(children, getattr(fitted, "distances_", None), names, name)


def read_children(children: Any, distances: Any, names: Sequence[Any] | None, name: str) -> Branches:
    """Return the branches of `children_` of scikit-learn; without `distances_`, the height of a merge is its number."""
    array = np.asarray(children)
    if array.ndim != 2 or array.shape[1] != 2 or not len(array) or array.dtype.kind not in "iu":
        raise InputError(
            f"{name} has shape {array.shape} and dtype {array.dtype}; children_ has 2 columns of integers, and a row "
            "for each merge"
        )
    if distances is None:
        heights = np.arange(1, len(array) + 1, dtype=np.float64)
    else:
        try:
            heights = as_reals(distances)
        except (TypeError, ValueError) as error:
            raise InputError(f"{name}: distances holds something that is no number: {error}") from error
        if heights.shape != (len(array),):
            raise InputError(
                f"{name} has {count(len(array), 'merge')} and {count(heights.size, 'distance')}; each merge needs one"
            )
        if not (np.isfinite(heights) & (heights >= 0)).all():
            place = int((~(np.isfinite(heights) & (heights >= 0))).argmax())
            raise InputError(f"{name}: distances[{place}] is {heights[place]}; a height is finite and not negative")
    return _join_pairs(array.astype(np.int64), heights, names, name)


def _join_pairs(
    pairs: NDArray[np.int64], heights: NDArray[np.float64], names: Sequence[Any] | None, name: str
) -> Branches:
    n = len(pairs) + 1
    known = n + np.arange(len(pairs))[:, None]
    if ((pairs < 0) | (pairs >= known)).any():
        row, column = np.argwhere((pairs < 0) | (pairs >= known))[0]
        raise InputError(
            f"{name}[{row}, {column}] is node {pairs[row, column]}; row {row} can merge nodes 0 to {n + row - 1}"
        )
    order = np.argsort(pairs.ravel(), kind="stable")
    nodes = pairs.ravel()[order]
    if (again := np.flatnonzero(nodes[1:] == nodes[:-1])).size:
        first, second = sorted(order[again[0] : again[0] + 2].tolist())
        raise InputError(f"{name} merges node {nodes[again[0]]} twice, in rows {first // 2} and {second // 2}")
    starts = np.arange(0, 2 * len(pairs) + 1, 2, dtype=np.int64)
    return Branches(
        starts, np.ascontiguousarray(pairs.ravel()), heights.astype(np.float64), _read_names(names, n, name)
    )


def _read_names(names: Any, n: int, name: str) -> list[Any] | None:
    if names is None:
        return None
    listed: list[Any] = names.tolist() if hasattr(names, "tolist") else list(names)
    if len(listed) != n:
        raise InputError(f"{name} has {count_leaves(n)} and names has {len(listed):,}; each leaf needs one name")
    encode_names(listed, name)
    return listed


def encode_names(names: list[Any], name: str) -> NDArray[Any]:
    """Return a number for each name; names that differ only in type are different, and no name may occur twice."""
    read = read_labels(names, f"{name}: names of leaves")
    if read.n_missing:
        raise InputError(f"{name}: the name of leaf {read.first_missing} is missing; each leaf needs one name")
    codes = np.asarray(read.codes)
    order = np.argsort(codes, kind="stable")
    if (again := np.flatnonzero(codes[order][1:] == codes[order][:-1])).size:
        one, other = sorted(order[again[0] : again[0] + 2].tolist())
        raise InputError(f"{name} has the leaf {names[one]!r} twice, at positions {one} and {other}; each occurs once")
    return codes


def read_nested(groups: Sequence[Any], name: str) -> Branches:
    """Return the branches of nested lists: a list or tuple is a branch, anything else a leaf.

    The height of a branch is the number of levels below it.
    """
    names: list[Any] = []
    levels: list[int] = []  # of the branches, children before parents
    members: list[list[int]] = []  # leaves as they are, branch i as ~i
    stack: list[tuple[Sequence[Any], int, list[int]]] = [(groups, 0, [])]
    while stack:
        group, place, found = stack.pop()
        if not len(group):
            raise InputError(
                f"{name} holds an empty list after {count_leaves(len(names))}; a branch needs a leaf or a list"
            )
        while place < len(group) and not isinstance(group[place], _GROUPS):
            if isinstance(group[place], float | np.floating):
                raise InputError(
                    f"{name} holds the number {group[place]!r} as a leaf, which is no name; pass a linkage as an "
                    f"array, or to Tree.from_linkage; {_BY_NAME}"
                )
            found.append(len(names))
            names.append(group[place])
            place += 1
        if place < len(group):
            stack += [(group, place + 1, found), (group[place], 0, [])]
            continue
        levels.append(1 + max((levels[~node] for node in found if node < 0), default=0))
        members.append(found)
        if stack:
            stack[-1][2].append(~(len(members) - 1))
    numbers = _own_numbers(names)
    if numbers is None:
        try:
            encode_names(names, name)
        except InputError as error:
            if len(members) > 1:
                raise
            hint = "; is it a list of labels? evaluate_trees(tree, labels=…) takes the class of each leaf"
            raise InputError(f"{error}{hint}") from None
    n = len(names)
    order = sorted(range(len(levels)), key=levels.__getitem__)
    at = {branch: n + place for place, branch in enumerate(order)}
    leaf = range(n) if numbers is None else numbers
    starts = np.cumsum([0, *(len(members[branch]) for branch in order)], dtype=np.int64)
    children = [leaf[node] if node >= 0 else at[~node] for branch in order for node in members[branch]]
    heights = np.array([levels[branch] for branch in order], np.float64)
    known = None if numbers is not None else names
    return Branches(starts, np.array(children, np.int64), heights, known, numbered=numbers is not None)


def _own_numbers(names: list[Any]) -> list[int] | None:
    """Return the leaves if they are the numbers 0 to n - 1, which stand for positions; else None."""
    if all(isinstance(x, int | np.integer) and not isinstance(x, bool) for x in names) and (
        sorted(names) == list(range(len(names)))
    ):
        return [int(x) for x in names]
    return None


def read_labelings(labelings: Any, names: Sequence[Any] | None, name: str) -> Branches:
    """Return the branches of labelings of the same items, in any order; each joins whole clusters of a finer one."""
    given = list(labelings.values() if isinstance(labelings, Mapping) else labelings)
    if not given:
        raise InputError(f"{name} is empty; pass at least one labeling")
    if isinstance(given[0], Mapping):
        if names is not None:
            raise InputError(f"{name}: the labelings have ids already; leave out names=")
        names = list(given[0])
        given = [_in_order(one, names, f"{name}[{place}]") for place, one in enumerate(given)]
    levels: list[tuple[int, NDArray[np.int64]]] = []
    for place, labels in enumerate(given):
        read = read_labels(labels, f"{name}[{place}]")
        if read.n_missing:
            raise InputError(f"{name}[{place}] has no label at position {read.first_missing}; fill it in")
        codes = np.unique(np.asarray(read.codes), return_inverse=True)[1].astype(np.int64)
        if not len(codes) or (levels and len(codes) != len(levels[0][1])):
            raise InputError(
                f"{name}[{place}] has {count(len(codes), 'label')}; all need the same number, and at least one"
            )
        levels.append((place, codes))
    levels.sort(key=lambda level: -int(level[1].max()))
    return _stack_levels(levels, names, name)


def _in_order(labels: Any, ids: Sequence[Any], name: str) -> list[Any]:
    if not isinstance(labels, Mapping) or labels.keys() != set(ids):
        raise InputError(f"{name} does not have the ids of the first labeling; pass mappings id -> label of equal ids")
    return [labels[one] for one in ids]


def _stack_levels(levels: list[tuple[int, NDArray[np.int64]]], names: Sequence[Any] | None, name: str) -> Branches:
    n = len(levels[0][1])
    below, offset = np.arange(n), 0  # the node of each item in the level below, and the first number of these nodes
    members: list[NDArray[np.int64]] = []
    sizes: list[NDArray[np.int64]] = []
    heights: list[float] = []
    place_below = None
    top = [(-1, np.zeros(n, np.int64))] if levels[-1][1].max() else []
    for height, (place, codes) in enumerate([*levels, *top], 1):
        _, first = np.unique(below, return_index=True)
        apart = codes != codes[first][below - offset]
        if apart.any():
            item = int(apart.argmax())
            other = int(first[below[item] - offset])
            raise InputError(
                f"{name}[{place}] is not nested with {name}[{place_below}]: items {other} and {item} are apart in the "
                "one with fewer clusters and together in the one with more"
            )
        above = codes[first]
        order = np.argsort(above, kind="stable")
        members.append(order + offset)
        sizes.append(np.bincount(above))
        heights += [float(height)] * len(sizes[-1])
        offset += len(first)
        below, place_below = codes + offset, place
    starts = np.concatenate([[0], np.cumsum(np.concatenate(sizes))]).astype(np.int64)
    children = np.concatenate(members).astype(np.int64)
    return Branches(starts, children, np.array(heights), _read_names(names, n, name))
