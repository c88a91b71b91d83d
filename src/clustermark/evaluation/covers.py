"""evaluate_covers(): agreement of two clusterings with overlapping clusters, and the best match of each cluster."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np

from clustermark.engines.files import is_path
from clustermark.errors import FewMatchesWarning, InputError, Mention, NoiseWarning, warn_user
from clustermark.evaluation.evaluation import Evaluation, score
from clustermark.evaluation.notices import Notice, tell_cluster_like_noise
from clustermark.evaluation.record import Record, count_points, scores_of
from clustermark.options import without_options
from clustermark.results.document import Grid, Head, Section
from clustermark.results.json import current_version
from clustermark.results.values import quantity
from clustermark.sources.tabular import is_tabular
from clustermark.statistics.cover_clusters import ClusterOverlaps
from clustermark.subjects.cover_tables import COVERS, Cover, CoverTable
from clustermark.subjects.memberships import read_memberships
from clustermark.tables.policies import labels_like_noise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from clustermark.evaluation.evaluation import Scored
    from clustermark.registry import Index
    from clustermark.results.document import Body

_SIDES = {"true": "the truth", "pred": "the prediction"}


class CoveredCluster(NamedTuple):
    """A cluster and the closest cluster of the other side."""

    label: Any
    size: int
    match: Any
    """Cluster of the other side with the largest Jaccard index; None if none has a common item."""
    match_size: int
    shared: int
    """Number of items in both."""
    jaccard: float


class CoverEvaluation(Evaluation):
    """The scores of two covers of the same items, and the closest cluster of each cluster.

    >>> scores = evaluate_covers([{0, 1, 2, 3}, {3, 4, 5, 6}], [{0, 1, 2}, {2, 3, 4}, {4, 5, 6}])
    >>> scores["omega_index"], scores.clusters("pred")[0].jaccard
    (0.5333333333333333, 0.4)
    """

    SUBJECT = "covers"

    @classmethod
    def _record(cls, subject: CoverTable, scored: Scored) -> Record:
        sides = {"true": subject.true, "pred": subject.pred}
        overlapping = {name: int(np.count_nonzero(side.degrees > 1)) for name, side in sides.items()}
        parts = (
            f"{quantity(side.k, f'{what} cluster')} ({quantity(overlapping[name], 'item')} in several)"
            for (name, side), what in zip(sides.items(), ("true", "predicted"), strict=True)
        )
        unmatched = sum(subject.n_unmatched)
        dropped = unmatched if subject.unmatched == "drop" else 0
        facts = {
            "uncovered": {name: side.n_uncovered for name, side in sides.items()},
            "overlapping": overlapping,
            "unmatched": dict(zip(sides, subject.n_unmatched, strict=True)),
        }
        return Record(
            scores=scores_of(subject, scored.scores),
            points=count_points(subject.n, dropped=dropped, unmatched=unmatched),
            clusters={name: side.k for name, side in sides.items()},
            noise={},
            notices=tuple(_find_notices(subject)),
            settings={"unmatched": subject.unmatched},
            refused=dict(scored.refused),
            version=current_version(),
            subject=cls.SUBJECT,
            about=f"{quantity(subject.n, 'item')}; {', '.join(parts)}",
            facts=facts,
        )

    @property
    def subject(self) -> CoverTable:
        """Covers that were scored."""
        table: CoverTable = super().subject
        return table

    def clusters(self, side: str = "true") -> tuple[CoveredCluster, ...]:
        """Return the clusters of a side, each with the closest one of the other side; the worst matches first."""
        if side not in _SIDES:
            raise InputError(Mention("side", side), " is not known; choose 'true' or 'pred'")
        return self._true_clusters if side == "true" else self._pred_clusters

    def _sections(self) -> Sequence[Section]:
        lead = "Each cluster beside the cluster of the other side that is closest to it; the worst met first."
        return [
            Section(f"{side}-clusters", title, partial(self._list_clusters, side, title), lead)
            for side, title in (("true", "True clusters"), ("pred", "Predicted clusters"))
        ]

    def _list_clusters(self, side: str, title: str) -> Sequence[Body]:
        heads = [
            Head("cluster", "label"), Head("items", "count"), Head("closest", "label"), Head("items of it", "count"),
            Head("shared", "count"), Head("Jaccard index", "score"),
        ]  # fmt: skip
        return [Grid(heads, self.clusters(side), title, "There are no clusters.")]

    @cached_property
    def _true_clusters(self) -> tuple[CoveredCluster, ...]:
        return _pair(self.subject, turned=False)

    @cached_property
    def _pred_clusters(self) -> tuple[CoveredCluster, ...]:
        return _pair(self.subject, turned=True)


def _pair(table: CoverTable, *, turned: bool) -> tuple[CoveredCluster, ...]:
    rows, columns, n, a, b = ClusterOverlaps.of(table)
    mine, theirs = (table.pred, table.true) if turned else (table.true, table.pred)
    if turned:
        rows, columns = columns, rows
    jaccard = n / (a + b - n)
    order = np.lexsort((columns, -jaccard, rows))  # within each cluster, the best first
    first = order[np.flatnonzero(np.diff(rows[order], prepend=-1))]
    found = {
        int(rows[cell]): CoveredCluster(
            mine.names[rows[cell]], int(mine.sizes[rows[cell]]), theirs.names[columns[cell]],
            int(theirs.sizes[columns[cell]]), int(n[cell]), float(jaccard[cell]),
        )
        for cell in first
    }  # fmt: skip
    unmet = (
        CoveredCluster(mine.names[k], int(mine.sizes[k]), None, 0, 0, 0.0) for k in range(mine.k) if k not in found
    )
    return tuple(sorted([*unmet, *found.values()], key=lambda row: (row.jaccard, -row.size)))


def _find_notices(table: CoverTable) -> Iterator[Notice]:
    if table.few:
        yield Notice("few_matches", f"{table.few}; are the items named alike?")
    for side, what in zip((table.true, table.pred), _SIDES.values(), strict=True):
        for label in labels_like_noise(side.names, side.k):
            n = int(side.sizes[side.names.index(label)])
            yield Notice("noise", tell_cluster_like_noise(label, n, what))
    for cover, side, what in zip(table.covers, (table.true, table.pred), _SIDES.values(), strict=True):
        if not side.k:
            yield Notice("empty", f"{what} has no clusters")
        elif side.n_uncovered:
            uncovered = f"{side.n_uncovered:,} of {quantity(table.n, 'item')}"
            yield Notice("uncovered", f"in no cluster of {what}: {uncovered}")
        if cover.n_empty:
            yield Notice("empty", f"left out: {quantity(cover.n_empty, 'cluster')} of {what} without items")
        if cover.n_repeated:
            members = quantity(cover.n_repeated, "repeated member")
            yield Notice("repeated", f"counted once: {members} of clusters of {what}")
    if any(table.n_unmatched) and table.unmatched == "drop":
        true, pred = table.n_unmatched
        text = f"left out: {quantity(true, 'item')} that only the truth has, {pred:,} that only the prediction has"
        yield Notice("coverage", text)


_NOISE = dict.fromkeys(
    ("noise", "noise_true", "noise_pred"), "an item of no cluster is in no set; leave the cluster of noise out"
)


@without_options(
    **_NOISE,
    missing="an item of no cluster is in no set",
)
def evaluate_covers(
    truth: Any,
    prediction: Any,
    indices: Sequence[str | Index[...]] | str | None = None,
    *,
    items: Any = None,
    unmatched: str = "keep",
    item: str | tuple[str, str] = "item",
    cluster: str | tuple[str, str] = "cluster",
    reading: Mapping[str, Any] | None = None,
    engine: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> CoverEvaluation:
    """Score a clustering against a true one; clusters may overlap and leave items out.

    truth, prediction: lists of sets, mappings from cluster to its items, communities of networkx,
        igraph or CDlib, labels, and data frames or files with a row for each item and cluster.
    indices: names of indices of covers, or "all"; by default a panel of them.
    items: all items, if some may be in no cluster of either side.
    unmatched: the policy for items that only one side has: "keep" (they are in no cluster of the other), "drop" or
        "error".
    item, cluster: the columns of data frames or files; two names if they differ between truth and prediction.
    reading, engine: how and by which engine a file is read, as in `evaluate`.
    progress: a function that is called repeatedly with the share that is done.

    >>> evaluate_covers([{0, 1, 2, 3}, {3, 4, 5, 6}], [{0, 1, 2}, {2, 3, 4}, {4, 5, 6}], ["omega", "onmi"])
    7 items; 2 true clusters (1 item in several), 3 predicted clusters (2 items in several)
    index     score  range    better
    omega  0.533333  [-1, 1]  higher
    onmi   0.356399  [0, 1]   higher
    """
    columns = zip(_for_both("item", item), _for_both("cluster", cluster), strict=True)
    how = {name: value for name, value in (("reading", reading), ("engine", engine)) if value is not None}
    covers = [
        _read_columns(side, called, names, how) if is_tabular(side) else side
        for side, called, names in zip((truth, prediction), _SIDES.values(), columns, strict=True)
    ]
    with catch_warnings():
        simplefilter("ignore", FewMatchesWarning)  # reported by a notice
        table = CoverTable(*covers, items=items, unmatched=unmatched)
    made = CoverEvaluation.of(table, score(table, COVERS, indices, progress))
    for notice in made.notices:
        if notice.kind == "noise":
            warn_user(NoiseWarning(notice.text))
    return made


def _read_columns(side: Any, called: str, names: tuple[str, str], how: Mapping[str, Any]) -> Cover:
    cover = Cover(read_memberships(side, called, names, how))
    cover.called = str(side) if is_path(side) else ""
    return cover


def _for_both(name: str, given: str | tuple[str, str]) -> tuple[str, str]:
    if isinstance(given, str):
        return given, given
    if not isinstance(given, tuple | list) or len(given) != 2 or not all(isinstance(one, str) for one in given):
        raise InputError(f"{name}={given!r} must be the name of a column, or two: of the truth and of the prediction")
    return given[0], given[1]
