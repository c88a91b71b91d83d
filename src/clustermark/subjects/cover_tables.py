"""Clusterings whose clusters may overlap: one cover, and two covers of the same items."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from clustermark._kernel import encode_integers
from clustermark.errors import InputError, Mention
from clustermark.labels import ABSENT, Labeling
from clustermark.labels.alignment import SHOWN, SomeIds, check_matches
from clustermark.subjects.memberships import (
    Memberships,
    is_surely_cover,
    merge_items,
    read_by_item,
    read_matrix,
    read_memberships,
    with_items,
)
from clustermark.subjects.subject import Remembering, Subject
from clustermark.tables.policies import PLAIN, read_policies
from clustermark.tables.tabulation import tabulate_codes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Self

    from numpy.typing import NDArray

    from clustermark.tables.contingency import Contingency

UNMATCHED: Final = ("keep", "drop", "error")
"""Policies for items that one of two covers lacks."""
COLUMNS: Final = ("item", "cluster")
"""Default names of the columns of a long table."""
NO_READING: Final[Mapping[str, Any]] = MappingProxyType({})


class Cover:
    """A clustering whose clusters may overlap, and may leave items out.

    clusters: a list of sets of items; a mapping from cluster to its items; communities of networkx, igraph or CDlib; a
        data frame or a file with a row for each item and cluster; or the label of each item, where no clusters overlap.
    items: all items, where some may be in no cluster.
    item, cluster: the columns of a data frame or a file; the item of a row without a cluster is in no cluster.
    reading, engine: how a file is read, and the engine that reads it, as in `evaluate`.

    A cluster without items is left out, and an item that occurs twice in a cluster counts once; `n_empty` and
    `n_repeated` are the numbers of these cases. Equal clusters stay separate. `Cover.from_items` reads a mapping from
    item to its clusters, and `Cover.from_matrix` a matrix of 0 and 1.

    >>> Cover([{0, 1, 2, 3}, {3, 4, 5, 6}], items=range(8))
    <Cover of 8 items by 2 clusters; 1 item in several, 1 in none>
    """

    scored_by = "evaluate_covers, or an index of catalogue('covers')"
    """Functions that take covers, for the error where labels are expected."""
    called = ""
    """Name in messages, such as that of its file; if empty, messages name the side."""

    def __init__(
        self,
        clusters: Any,
        *,
        items: Any = None,
        item: str = "item",
        cluster: str = "cluster",
        reading: Mapping[str, Any] | None = None,
        engine: str | None = None,
    ) -> None:
        how = {name: value for name, value in (("reading", reading), ("engine", engine)) if value is not None}
        self.memberships = _read(clusters, "the cover", items, (item, cluster), how)
        """Items and clusters as numbers, and their names."""

    @classmethod
    def from_items(cls, clusters: Mapping[Any, Any], *, items: Any = None) -> Self:
        """Return the cover of a mapping from item to the clusters that contain it; an item may be in none.

        >>> Cover.from_items({"ann": {"chess"}, "bob": {"chess", "choir"}, "eve": set()})
        <Cover of 3 items by 2 clusters; 1 item in several, 1 in none>
        """
        return cls(read_by_item(clusters, "the cover"), items=items)

    @classmethod
    def from_matrix(cls, M: Any, *, items: Any = None) -> Self:
        """Return the cover of a matrix of 0 and 1, or of booleans: a row for each item, a column for each cluster.

        M: an array, a sparse matrix of SciPy, or a data frame, whose columns name the clusters.
        items: the items of the rows; by default the index of a data frame of pandas, else numbers from 0 on.

        >>> Cover.from_matrix([[1, 0], [1, 1], [0, 0]])
        <Cover of 3 items by 2 clusters; 1 item in several, 1 in none>
        """
        return cls(read_matrix(M, items))

    @property
    def n(self) -> int:
        """Number of items, including those in no cluster."""
        return len(self.memberships.known)

    @property
    def k(self) -> int:
        """Number of clusters."""
        return len(self.memberships.names)

    @property
    def n_uncovered(self) -> int:
        """Number of items in no cluster."""
        return int(np.count_nonzero(self._degrees == 0))

    @property
    def n_overlapping(self) -> int:
        """Number of items in several clusters."""
        return int(np.count_nonzero(self._degrees > 1))

    @property
    def n_repeated(self) -> int:
        """Number of repeated members of clusters, which count once."""
        return self.memberships.n_repeated

    @property
    def n_empty(self) -> int:
        """Number of clusters without items, which are left out."""
        return self.memberships.n_empty

    @cached_property
    def _degrees(self) -> NDArray[np.int64]:
        return np.bincount(self.memberships.items, minlength=self.n)

    def to_dict(self) -> dict[Any, set[Any]]:
        """Return the items of each cluster.

        >>> Cover([[0, 1, 2], [2, 3]]).to_dict()
        {0: {0, 1, 2}, 1: {2, 3}}
        """
        items = self.memberships.known.to_list()
        clusters: list[set[Any]] = [set() for _ in self.memberships.names]
        for place, number in zip(self.memberships.items.tolist(), self.memberships.clusters.tolist(), strict=True):
            clusters[number].add(items[place])
        return dict(zip(self.memberships.names, clusters, strict=True))

    def __repr__(self) -> str:
        several, none = self.n_overlapping, self.n_uncovered
        more = [f"{several:,} item{'s' * (several != 1)} in several"] * bool(several) + [f"{none:,} in none"] * bool(
            none
        )
        text = f"; {', '.join(more)}" if more else ""
        return f"<Cover of {_count(self.n, 'item')} by {_count(self.k, 'cluster')}{text}>"


def _read(
    data: Any, called: str, items: Any, columns: tuple[str, str] = COLUMNS, reading: Mapping[str, Any] = NO_READING
) -> Memberships:
    if isinstance(data, Cover):
        made = data.memberships
    elif isinstance(data, Memberships):
        made = data
    else:
        made = read_memberships(data, called, columns, reading)
    return made if items is None else with_items(made, items, called)


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}{'s' * (n != 1)}"


class CoverSide(NamedTuple):
    """One of two covers: memberships sorted by item, with the same numbers of items on both sides."""

    items: NDArray[np.int64]
    clusters: NDArray[np.int64]
    names: list[Any]
    sizes: NDArray[np.int64]
    """Number of items of each cluster."""
    degrees: NDArray[np.int64]
    """Number of clusters of each item."""

    @classmethod
    def of(cls, items: NDArray[np.int64], clusters: NDArray[np.int64], names: list[Any], n: int) -> CoverSide:
        """Return the memberships of n items; clusters that are left without items are removed."""
        sizes = np.bincount(clusters, minlength=len(names))
        filled = sizes > 0
        if not filled.all():
            clusters = (np.cumsum(filled) - 1)[clusters]
            names = [name for name, is_filled in zip(names, filled.tolist(), strict=True) if is_filled]
            sizes = sizes[filled]
        order = np.lexsort((clusters, items))
        return cls(items[order], clusters[order], names, sizes, np.bincount(items, minlength=n))

    @property
    def k(self) -> int:
        """Number of clusters."""
        return len(self.sizes)

    @property
    def n_uncovered(self) -> int:
        """Number of items in none of its clusters."""
        return int(np.count_nonzero(self.degrees == 0))

    def take(self, items: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the memberships of these items: the position of the item among them, and the cluster."""
        degrees = self.degrees[items]
        places = np.repeat(np.arange(len(items)), degrees)
        within = np.arange(len(places)) - np.repeat(np.cumsum(degrees) - degrees, degrees)
        return places, self.clusters[self.starts[items][places] + within]

    @property
    def starts(self) -> NDArray[np.int64]:
        """Positions where the memberships of each item begin, and where the last ones end."""
        return np.concatenate([[0], np.cumsum(self.degrees)]).astype(np.int64)

    def find_signatures(self) -> NDArray[np.int64]:
        """Return a number for each item, the same for items that are in the same clusters."""
        return sign(self.starts, self.clusters, self.k)


def sign(starts: NDArray[Any], clusters: NDArray[Any], k: int) -> NDArray[np.int64]:
    """Return a number for each row of clusters, which is the same for rows with the same clusters.

    starts: the position in `clusters` where each row begins, and where the last one ends.
    """
    degrees = np.diff(starts)
    nodes = np.zeros(len(degrees), np.int64)  # of a prefix tree of rows, whose root is a row without clusters
    known = 1
    for depth in range(int(degrees.max(initial=0))):
        deep = np.flatnonzero(degrees > depth)
        codes, first = encode_integers(nodes[deep] * k + clusters[starts[deep] + depth])
        nodes[deep] = codes + known
        known += len(first)
    return encode_integers(nodes)[0].astype(np.int64)


class Signatures(NamedTuple):
    """The cells of the contingency of sets of clusters: the items of a cell are in the same clusters on both sides."""

    counts: NDArray[np.int64]
    """Number of items of each cell."""
    first: NDArray[np.int64]
    """One item of each cell."""


class CoverLimits(NamedTuple):
    """Limits on the work and the memory that indices of two covers take."""

    overlaps: int = 50_000_000
    """Most overlaps of clusters that are held: 2 GB."""
    steps: int = 10**10
    """Most steps to count the clusters that items share: about half a minute."""
    connected: int = 5_000
    """Most clusters that may be connected by shared items; walks among them are solved as one dense matrix."""
    pairs: int = 2 * 10**9
    """Most pairs of kinds of items with connected clusters that are compared: about a minute."""
    block: int = 1 << 22
    """Numbers that are held at a time, so that memory stays small; Ctrl-C takes effect between blocks."""
    groups: int = 4096
    """Most groups of kinds of items; a square table of them is held."""
    dense_columns: int = 16
    """A dense product of this number of columns takes as long as one step of a sparse product."""
    interrupted: int = 500
    """A system of more connected clusters than this is solved in a thread, so that Ctrl-C ends it, and as a band."""
    solved: int = 1 << 26
    """Solved matrices are kept until they have more numbers than this."""


class CoverTable(Remembering):
    """Two covers of the same items; `index.of(table)` scores it.

    truth, prediction: covers, or what `Cover` reads.
    items: all items, where some may be in no cluster of either side.
    unmatched: the policy for items that one side lacks: "keep" (they are in no cluster of that side), "drop", or
        "error".

    >>> CoverTable([{0, 1, 2, 3}, {3, 4, 5, 6}], [{0, 1, 2}, {2, 3, 4}, {4, 5, 6}])
    <CoverTable of 7 items, 2 true and 3 predicted clusters>
    """

    progress: Callable[[float], None] | None = None
    """Function that is called with the share that is done, from time to time during long computations."""
    limits: CoverLimits = CoverLimits()
    """Limits on work and memory; an index that needs more is refused."""

    def __init__(self, truth: Any, prediction: Any, *, items: Any = None, unmatched: str = "keep") -> None:
        if unmatched not in UNMATCHED:
            raise InputError(
                Mention("unmatched", unmatched), f" is not known; choose {', '.join(map(repr, UNMATCHED))}"
            )
        sides = (truth, "the truth"), (prediction, "the prediction")
        self.covers = tuple(Cover(_read(side, called, items)) for side, called in sides)
        """The truth and the prediction, as given."""
        self._called = [side.called if isinstance(side, Cover) and side.called else called for side, called in sides]
        true, pred = (cover.memberships for cover in self.covers)
        if true.numbered and pred.numbered and len(true.known) != len(pred.known):
            raise InputError(
                f"truth has {len(true.known):,} items by position and prediction has {len(pred.known):,}; both need "
                "the same items in the same order (to compare by item, pass mappings from item to label)"
            )
        merged, places = merge_items(true, pred)
        n, n_true = len(merged), len(true.known)
        if not n:
            raise InputError("truth and prediction have no items; there is nothing to compare")
        in_pred = np.zeros(n, np.bool_)
        in_pred[places] = True
        self.n_unmatched = n_true - int(np.count_nonzero(in_pred[:n_true])), n - n_true
        """Numbers of items in the truth only, and in the prediction only."""
        self.few = "" if items is not None else self._check_matches(n_true, len(pred.known))
        """The text of the warning that few items occur on both sides; empty if there was none."""
        self.unmatched = unmatched
        kept = np.ones(n, np.bool_)
        if any(self.n_unmatched) and unmatched != "keep":
            if unmatched == "error":
                self._refuse_unmatched(merged.to_list(), in_pred, n_true)
            kept = in_pred & (np.arange(n) < n_true)
        self._kept, self._merged = kept, merged
        numbers = np.cumsum(kept) - 1
        self.n = int(np.count_nonzero(kept))
        """Number of items that are compared."""
        self.true, self.pred = (
            CoverSide.of(numbers[items[kept[items]]], made.clusters[kept[items]], made.names, self.n)
            for made, items in ((true, true.items), (pred, places.astype(np.int64)[pred.items]))
        )
        super().__init__()

    def _check_matches(self, n_true: int, n_pred: int) -> str:
        matched = n_true - self.n_unmatched[0]
        if min(n_true, n_pred) and not matched:
            true, pred = (", ".join(map(repr, cover.memberships.known.to_list()[:SHOWN])) for cover in self.covers)
            raise InputError(
                f"no item occurs on both sides: {self._called[0]} has items such as {true}; {self._called[1]} {pred}; "
                "use the same names, or name all items by items="
            )
        return check_matches(matched, n_true, n_pred, _never)

    def _refuse_unmatched(self, items: list[Any], in_pred: NDArray[np.bool_], n_true: int) -> None:
        only_true, only_pred = self.n_unmatched
        lacking = items[int(in_pred[:n_true].argmin())] if only_true else items[n_true]
        true, pred = self._called
        raise InputError(
            f"{only_true:,} item(s) occur in {true} only and {only_pred:,} in {pred} only ({lacking!r} is missing in "
            f"{pred if only_true else true}); choose ",
            Mention("unmatched", "keep", "drop"),
        )

    @cached_property
    def items(self) -> list[Any]:
        """The items that are compared."""
        return self._merged.take(np.flatnonzero(self._kept)).to_list()

    @cached_property
    def is_hard(self) -> bool:
        """Whether no item is in several clusters of one side."""
        return all(int(side.degrees.max(initial=0)) <= 1 for side in (self.true, self.pred))

    @cached_property
    def signatures(self) -> Signatures:
        """The items by the sets of clusters that they are in on both sides."""
        true, pred = (side.find_signatures() for side in (self.true, self.pred))
        codes, first = encode_integers(true * self.n + pred)
        return Signatures(np.bincount(codes).astype(np.int64), first.astype(np.int64))

    @cached_property
    def partitions(self) -> Contingency:
        """The contingency of covers that are hard; items in no cluster are singletons."""
        true, pred = (self._number(side, np.arange(side.k, side.k + self.n)) for side in (self.true, self.pred))
        return tabulate_codes(Labeling(true), Labeling(pred), None, None, PLAIN, None)

    @cached_property
    def mentions(self) -> Contingency:
        """The contingency of covers that are hard; items in no cluster do not occur on that side."""
        true, pred = (self._number(side, np.full(self.n, ABSENT)) for side in (self.true, self.pred))
        some = np.flatnonzero((true != ABSENT) | (pred != ABSENT))
        sides = Labeling(true[some], self.true.names), Labeling(pred[some], self.pred.names)
        return tabulate_codes(*sides, None, None, read_policies(unmatched="keep"), None, may_be_empty=True)

    @staticmethod
    def _number(side: CoverSide, others: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of each item's cluster; `others` has the numbers for items in no cluster."""
        others[side.items] = side.clusters
        return others

    def report_progress(self, share: float) -> None:
        """Call `progress`, if it is set, with the share of a long computation that is done."""
        if self.progress is not None:
            self.progress(share)

    def are_identical(self) -> bool:
        """Return whether both covers have the same clusters, with the same number of copies."""
        return self.true.k == self.pred.k and _count_clusters(self.true) == _count_clusters(self.pred)

    def __repr__(self) -> str:
        return f"<CoverTable of {_count(self.n, 'item')}, {self.true.k:,} true and {self.pred.k:,} predicted clusters>"


def _never() -> tuple[SomeIds, SomeIds]:
    """Raise; the items of this message are never needed, because its error is raised before."""
    raise NotImplementedError


def _count_clusters(side: CoverSide) -> Counter[bytes]:
    order = np.argsort(side.clusters, kind="stable")  # items stay in order
    return Counter(part.tobytes() for part in np.split(side.items[order], np.cumsum(side.sizes)[:-1]))


def _is_one_a_cover(truth: Any, prediction: Any) -> bool:
    return any(isinstance(side, Cover) or is_surely_cover(side) for side in (truth, prediction))


COVERS = Subject(
    CoverTable,
    ("truth", "prediction"),
    CoverTable,
    _is_one_a_cover,
    "a CoverTable(truth, prediction)",
    CoverTable.are_identical,
    "covers",
    options=("items", "unmatched"),
    name="covers",
    verb="evaluate_covers",
)
