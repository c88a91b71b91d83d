"""Memberships of items in clusters, read from sets, mappings, labels, long tables and other tools' communities."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark._kernel import encode_integers
from clustermark.errors import InputError
from clustermark.labels import label_list, read_labels
from clustermark.labels.conversion import read_sparse
from clustermark.labels.labeling import Names, merge_names, with_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clustermark.labels import Labeling


class Memberships(NamedTuple):
    """Item number `items[i]` is in cluster number `clusters[i]`; no two rows are the same."""

    known: Names
    """The items, including those in no cluster."""
    names: list[Any]
    """The names of the clusters."""
    items: NDArray[np.int64]
    clusters: NDArray[np.int64]
    n_repeated: int
    """Number of repeated members of clusters, which count once."""
    n_empty: int
    """Number of clusters without a member, which are left out."""
    untyped: bool = False
    """Whether the items are texts of a file format without other types, so that they may match whole numbers."""
    numbered: bool = False
    """Whether the items are positions in a sequence of all items, such as labels."""


def is_cluster(value: object) -> bool:
    """Return whether a value is a collection of items, and not a label: texts and bytes are labels."""
    return isinstance(value, Collection) and not isinstance(value, str | bytes | bytearray)


def is_surely_cover(data: object) -> bool:
    """Return whether data can only be a cover: its clusters are sets or lists, which cannot be labels."""
    if hasattr(data, "communities"):
        return True
    if not isinstance(data, Collection) or isinstance(data, str | bytes | np.ndarray):
        return False
    values = data.values() if isinstance(data, Mapping) else data
    return any(isinstance(first, set | list) for first in islice(iter(values), 1))


def read_memberships(data: Any, called: str, columns: tuple[str, str], reading: Mapping[str, Any]) -> Memberships:
    """Return the memberships of a cover in any form; `columns` are the item and cluster columns of a long table."""
    from clustermark.sources.tabular import is_tabular  # readers of files take long to import

    if is_tabular(data) and not hasattr(data, "communities"):
        return _read_table(data, called, columns, reading)
    _refuse_matrix(data, called)
    known: Any = None
    if hasattr(data, "communities"):  # CDlib
        known = None if hasattr(data, "to_edge_community_map") else _nodes_of(getattr(data, "graph", None))
        data = data.communities
    elif hasattr(data, "membership") and hasattr(data, "n"):  # igraph
        known, data = range(data.n), list(data)
    if isinstance(data, Mapping):
        if data and not is_cluster(next(iter(data.values()))):
            return _read_labels(read_labels(list(data.values()), called), _read_items(list(data), called))
        names, clusters = list(data), list(data.values())
    else:
        if isinstance(data, Iterable) and not isinstance(data, Collection):
            data = list(data)  # networkx has generators of communities
        if not isinstance(data, Collection) or isinstance(data, str | bytes):
            raise InputError(
                f"{called} is a {type(data).__name__}; pass a list of sets, a mapping from cluster to its items, a "
                "table with a row for each item and cluster, or the label of each item"
            )
        if len(data) and not is_cluster(next(iter(data))):
            side = read_labels(data, called)
            return _read_labels(side, Names(None, np.arange(len(side))))._replace(numbered=True)
        clusters = list(data)
        names = list(range(len(clusters)))
    return _read_clusters(names, clusters, known, called)


def _nodes_of(graph: Any) -> list[Any] | None:
    """Return the nodes of a graph of networkx or igraph, including those in no community."""
    if hasattr(graph, "vs"):  # igraph numbers its nodes, unless they have names
        return list(graph.vs["name"] if "name" in graph.vs.attributes() else range(graph.vcount()))
    return list(graph.nodes()) if hasattr(graph, "nodes") else None


def _read_clusters(names: list[Any], clusters: Sequence[Any], known: Any, called: str) -> Memberships:
    for name, cluster in zip(names, clusters, strict=True):
        if not is_cluster(cluster):
            raise InputError(f"{called}: cluster {name!r} is a {type(cluster).__name__}; pass a set or a list of items")
        if getattr(cluster, "ndim", 1) != 1:
            raise InputError(f"{called}: cluster {name!r} has {cluster.ndim} dimensions; pass a flat list of items")
    if clusters and {type(cluster) for cluster in clusters} == {np.ndarray} and len({c.dtype for c in clusters}) == 1:
        side = _number(np.concatenate(clusters), called)
    else:
        side = _number(list(chain.from_iterable(clusters)), called)
    sizes = np.fromiter(map(len, clusters), np.int64, len(clusters))
    made = _gather(_names_of(side), np.asarray(side.codes, np.int64), np.repeat(np.arange(len(sizes)), sizes), names)
    if made.n_repeated and len(sizes) > 1 and len(set(sizes.tolist())) == 1 and set(made.known.to_list()) <= {0, 1}:
        raise _matrix_error(called)  # these clusters are rows of a matrix of 0 and 1
    return made if known is None else with_items(made, known, called)


def _refuse_matrix(data: Any, called: str) -> None:
    """Refuse a matrix of 0 and 1, because its rows would be read as clusters."""
    is_table = isinstance(data, np.ndarray) and data.ndim == 2 and data.size and data.dtype.kind in "biuf"
    if hasattr(data, "tocsr") or (is_table and bool(((data == 0) | (data == 1)).all())):
        raise _matrix_error(called)


def _matrix_error(called: str) -> InputError:
    return InputError(
        f"{called} is a matrix of 0 and 1; pass Cover.from_matrix(M) where a row is an item and a column a cluster, or "
        "a list of sets of items"
    )


def read_matrix(matrix: Any, items: Any) -> Memberships:
    """Return the memberships of a matrix of 0 and 1 with a row for each item and a column for each cluster."""
    from scipy.sparse import coo_array, issparse

    names: list[Any] | None = None
    if hasattr(matrix, "columns") and hasattr(matrix, "to_numpy"):  # a frame of pandas or polars
        names = list(matrix.columns)
        items = list(matrix.index) if items is None and hasattr(matrix, "index") else items
        matrix = matrix.to_numpy()
    cells = read_sparse(matrix, "M") if issparse(matrix) else np.asarray(matrix)
    if cells.ndim != 2 or cells.dtype.kind not in "biuf":
        raise InputError("M must be a matrix of 0 and 1, with a row for each item and a column for each cluster")
    n, k = cells.shape
    cells = coo_array(cells)
    cells.sum_duplicates()
    wrong = (cells.data != 0) & (cells.data != 1)
    if wrong.any():
        place = int(wrong.argmax())
        row, column, value = cells.row[place], cells.col[place], cells.data[place]
        raise InputError(f"M[{row}, {column}] is {value}; an item is in a cluster (1) or is not (0)")
    cells.eliminate_zeros()
    known = Names(None, np.arange(n)) if items is None else _read_items(items, "items")
    if len(known) != n:
        raise InputError(f"items= names {len(known):,} different items, and M has {n:,} rows; name each row once")
    made = _gather(known, cells.row.astype(np.int64), cells.col.astype(np.int64), names or list(range(k)))
    return made._replace(numbered=items is None)


def read_by_item(mapping: Mapping[Any, Any], called: str) -> Memberships:
    """Return the memberships of a mapping from item to the clusters that contain it."""
    if not isinstance(mapping, Mapping):
        raise InputError(f"{called} is a {type(mapping).__name__}; pass a mapping from item to its clusters")
    for item, clusters in mapping.items():
        if not is_cluster(clusters):
            raise InputError(f"{called}: item {item!r} has a {type(clusters).__name__}; pass a set or list of clusters")
    sizes = np.fromiter(map(len, mapping.values()), np.int64, len(mapping))
    side = _number(list(chain.from_iterable(mapping.values())), called, "cluster")
    names = label_list(side.values, np.arange(len(side.values)))
    items = np.repeat(np.arange(len(mapping)), sizes)
    return _gather(_read_items(list(mapping), called), items, np.asarray(side.codes, np.int64), names)


def _read_table(source: Any, called: str, columns: tuple[str, str], reading: Mapping[str, Any]) -> Memberships:
    from clustermark.sources.by_id import read_ids
    from clustermark.sources.tabular import open_columns

    with open_columns(source, called.removeprefix("the "), reading) as table:
        for name, what in zip(columns, ("items", "clusters"), strict=True):
            if name not in table.kinds:
                there = ", ".join(table.kinds)
                matrix = "; Cover.from_matrix reads a column for each cluster" * hasattr(source, "columns")
                raise InputError(f"{table.called}: there is no column {name!r} with {what}; there are {there}{matrix}")
        items, clusters = table.read(columns)
        ids = with_values(read_ids(items, f"column {columns[0]!r} of {table.called}"))
        side = with_values(read_labels(clusters, f"column {columns[1]!r} of {table.called}"))
    if not len(side):
        raise InputError(f"{called} has no clusters: {table.called} has no rows; pass a row for each item and cluster")
    rows = np.flatnonzero(side.codes >= 0)
    of, first = encode_integers(np.ascontiguousarray(side.codes[rows]))
    names = label_list(side.values, np.asarray(side.codes)[rows][first])
    made = _gather(_names_of(ids), np.asarray(ids.codes, np.int64)[rows], of.astype(np.int64), names)
    return made._replace(untyped=table.untyped)


def _read_labels(side: Labeling, known: Names) -> Memberships:
    """Return the memberships of a labeling, whose clusters do not overlap; an item without a label is in no cluster."""
    side = with_values(side)
    items = np.flatnonzero(side.codes >= 0)
    clusters, first = encode_integers(np.ascontiguousarray(side.codes[items]))
    names = label_list(side.values, np.asarray(side.codes)[items][first])
    return _gather(known, items, clusters.astype(np.int64), names)


def _gather(known: Names, items: NDArray[np.int64], clusters: NDArray[np.int64], names: list[Any]) -> Memberships:
    """Return memberships sorted by item, then cluster; repeated ones count once, and empty clusters are left out."""
    order = np.lexsort((clusters, items))
    items, clusters = items[order], clusters[order]
    again = np.zeros(len(items), np.bool_)
    again[1:] = (items[1:] == items[:-1]) & (clusters[1:] == clusters[:-1])
    items, clusters = items[~again], clusters[~again]
    filled = np.zeros(len(names), np.bool_)
    filled[clusters] = True
    numbers = np.cumsum(filled) - 1
    kept = [name for name, is_filled in zip(names, filled.tolist(), strict=True) if is_filled]
    return Memberships(known, kept, items, numbers[clusters], int(again.sum()), len(names) - len(kept))


def with_items(made: Memberships, items: Any, called: str) -> Memberships:
    """Return the same memberships with `items` as all items, some of which may be in no cluster."""
    given = _read_items(items, "items")
    given = write_numbers(given) if made.untyped else given
    merged, places = merge_names(given, made.known)
    if len(merged) > len(given):
        outside = merged.take(np.array([len(given)])).to_list()[0]
        raise InputError(
            f"items= lacks {len(merged) - len(given):,} item(s) that {called} has, such as {outside!r}; add them, or "
            "leave items= out"
        )
    return made._replace(known=given, items=places.astype(np.int64)[made.items])


def merge_items(mine: Memberships, theirs: Memberships) -> tuple[Names, NDArray[np.int32]]:
    """Return the items of both sides, those of `mine` first, and the position of each of `theirs` among them."""
    if mine.untyped == theirs.untyped:
        return merge_names(mine.known, theirs.known)
    known = (made.known if made.untyped else write_numbers(made.known) for made in (mine, theirs))
    return merge_names(*known)


def write_numbers(known: Names) -> Names:
    """Return items that are all whole numbers as the texts that a file contains for them; other items unchanged."""
    items = known.to_list()
    return Names.of(list(map(str, items))) if all(type(item) is int for item in items) else known


def _read_items(items: Any, called: str) -> Names:
    """Return the different items."""
    if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
        raise InputError(f"{called} is a {type(items).__name__}; pass a list, a set or an array of items")
    return _names_of(_number(items if hasattr(items, "dtype") or isinstance(items, range) else list(items), called))


def _number(items: Any, called: str, what: str = "item") -> Labeling:
    """Return items or clusters as numbers, with their names."""
    if isinstance(items, list) and items and type(items[0]) is int:
        with suppress(ValueError, OverflowError):  # an array of one type is read and looked up faster
            items = array if (array := np.asarray(items)).dtype.kind == "i" and array.ndim == 1 else items
    try:
        side = with_values(read_labels(items, called))
    except InputError as error:
        raise _explain_item(items, called, what) or error from None
    if side.n_missing:
        raise InputError(f"{called}: {side.n_missing:,} {what}(s) are missing (None or NaN); leave them out")
    return side


def _names_of(side: Labeling) -> Names:
    """Return the different items of a labeling, in order of their codes."""
    values = side.values
    if isinstance(values, np.ndarray) and values.dtype.kind == "i":
        return Names(None, values.astype(np.int64))
    return Names(values, np.arange(len(values)))


def _explain_item(items: Any, called: str, what: str) -> InputError | None:
    """Return an error for the first item or cluster that cannot be a name, or None."""
    for item in items if isinstance(items, Iterable) else ():
        kind = f"{called}: {what} {item!r} is a {type(item).__name__}"
        if isinstance(item, complex | np.complexfloating) or (
            isinstance(item, float | np.floating) and item == item and not item.is_integer()
        ):
            return InputError(f"{kind} that is no whole number; pass whole numbers or texts as names of {what}s")
        try:
            hash(item)
        except TypeError:
            return InputError(f"{kind}, which cannot name one; pass a flat set or list of {what}s, tuples for lists")
    return None
