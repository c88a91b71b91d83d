"""similarity_matrix(): every labeling against every other, their order by similarity, and the most central one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from itertools import combinations_with_replacement, product
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from clustermark.errors import ClustermarkWarning, InputError, Mention, require_progress, spell, warn_user
from clustermark.evaluation import similarity_document
from clustermark.evaluation.notices import Notice, tell_left_out, tell_like_noise, warn_of_noise
from clustermark.labels import read_counts
from clustermark.options import declared_options, read_options
from clustermark.registry import Index, parse
from clustermark.results.canvas import draw_on
from clustermark.results.data import Column, Table
from clustermark.results.document import SUMMARY
from clustermark.results.result import Result
from clustermark.results.text import Writer
from clustermark.results.values import label_text, quantity
from clustermark.sources.reading import Records, Role, fates_by_code, read, roles_of
from clustermark.tables.policies import ALONE, DROPPED, PLAIN
from clustermark.tables.sums import exact_sum
from clustermark.tables.tabulation import how_many_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from clustermark.labels import Labeling
    from clustermark.labels.conversion import Labels
    from clustermark.options import MissingPolicy, Noise, UnmatchedPolicy
    from clustermark.results.data import Columns
    from clustermark.results.document import Document, View
    from clustermark.sources.recognition import Source

_MOST_POINTS = 10_000
"""Maximal number of points of a consensus matrix."""


class SimilarityMatrix(Result):
    """The scores of every labeling as truth (rows) against every labeling as prediction (columns).

    >>> matrix = similarity_matrix({"a": [0, 0, 1, 1], "b": [0, 0, 1, 2], "c": [0, 1, 1, 2]}, index="rand")
    >>> matrix
    Rand index of 3 labelings of 4 points
    b is most like all others: its Rand index with them is 0.75 on average.
    labeling   mean      c      b      a
    c         0.583  1.000  0.667  0.500
    b         0.750  0.667  1.000  0.833
    a         0.667  0.500  0.833  1.000
    >>> matrix["a", "b"], matrix.central
    (0.8333333333333334, 'b')
    """

    KIND = "matrix"
    FACTS = similarity_document.FACTS
    TABLES: ClassVar[dict[str, Columns]] = {}
    MAIN = "scores"

    def __init__(
        self,
        records: Records,
        index: Index[...],
        values: NDArray[np.float64],
        settings: Mapping[str, Any],
        n_points: int | None = None,
        like_noise: Iterable[Sequence[str | Mention]] = (),
        left_out: Sequence[str] = (),
        lacking: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        """Store the scores; `similarity_matrix` makes them."""
        self.names = tuple(records.labels)
        """Names of the labelings, in the given order."""
        self.index = index
        """The index that was scored."""
        self.values = values
        """The scores, truth in the rows; read-only."""
        self.n_points = records.n if n_points is None else n_points
        """Number of points; each counts as often as `counts` says."""
        self.settings = dict(settings)
        """Policies, and the source of the labels if it is known."""
        self.like_noise = tuple({spell(parts): parts for parts in like_noise}.values())
        """Parts of the notices on labels that look like noise; `notices` contains them as sentences."""
        self.left_out = tuple(left_out)
        """Labelings that were left out because all their points are dropped: noise, or without a label."""
        self.lacking = dict(lacking)
        """Number of points that each labeling drops, for labelings that drop any."""
        self._records = records
        values.flags.writeable = False

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Notices to read before trusting the scores."""
        noise = (Notice("noise", spell(parts)) for parts in self.like_noise)
        left_out = (Notice("left_out", text) for text in tell_left_out(self.left_out))
        return (*noise, *left_out, *self._tell_coverage())

    def _tell_coverage(self) -> Iterator[Notice]:
        if self.lacking:
            most = max(self.lacking, key=self.lacking.__getitem__)
            yield Notice(
                "coverage",
                "Each two labelings are scored on the points that both keep, which may be others than those of another "
                f"two; {label_text(most)} leaves out most, {quantity(self.lacking[most], 'point')}.",
            )

    def __getitem__(self, pair: tuple[str, str]) -> float:
        true, pred = (self._place(name) for name in pair)
        return float(self.values[true, pred])

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise KeyError(f"there is no labeling {name!r}; there are {', '.join(self.names)}")
        return self.names.index(name)

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def means(self) -> dict[str, float]:
        """The mean score of each labeling with all others, in both directions."""
        if len(self) < 2:
            raise InputError("means: there is one labeling only, and nothing to compare it with")
        return dict(zip(self.names, (self._mutual.sum(axis=0) / (len(self) - 1)).tolist(), strict=True))

    @cached_property
    def _mutual(self) -> NDArray[np.float64]:
        """Mean score of both directions for each pair of labelings; 0 on the diagonal."""
        mutual: NDArray[np.float64] = (self.values + self.values.T) / 2
        np.fill_diagonal(mutual, 0.0)
        return mutual

    @property
    def central(self) -> str:
        """The labeling with the best mean score with all others; the first one of equals."""
        return (max if self._higher_is_better else min)(self.names, key=self.means.__getitem__)

    @property
    def _higher_is_better(self) -> bool:
        better = self.index.facts.higher_is_better
        if better is None:
            raise InputError(f"{self.index.label} is neither a similarity nor a distance; choose another index")
        return better

    @cached_property
    def order(self) -> tuple[str, ...]:
        """Labelings ordered such that similar ones are adjacent (average linkage)."""
        from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
        from scipy.spatial.distance import squareform

        if len(self) < 3:
            return self.names
        scores = squareform(self._mutual, checks=False)
        if not np.isfinite(scores).all():
            raise InputError(f"{self.index.label} is infinite for some labelings, so they cannot be ordered by it")
        distances = scores.max() - scores if self._higher_is_better else scores - scores.min()
        tree = optimal_leaf_ordering(linkage(distances, "average"), distances)
        return tuple(self.names[place] for place in leaves_list(tree))

    def consensus(self, points: Iterable[Any]) -> NDArray[np.float64]:
        """Return, for each pair of the chosen points, the share of labelings that put them together.

        points: positions, or ids where the labelings are mappings. A labeling does not count for a pair if it lacks
        one of the points, has no label for it, or drops it as noise; the share is NaN if no labeling counts. Noise
        points that become singletons are together with no other point.

        >>> similarity_matrix([[0, 0, 1], [0, 0, 0]]).consensus([0, 1, 2]).tolist()
        [[1.0, 1.0, 0.5], [1.0, 1.0, 0.5], [0.5, 0.5, 1.0]]
        """
        places = _places(self._records, points)
        together, asked = np.zeros((2, len(places), len(places)))
        for labeling in self._records.labels.values():
            codes = labeling.codes[places]
            fates = self._fates(labeling)[codes]
            known = (codes >= 0) & (fates != DROPPED)
            both = known[:, None] & known
            asked += both
            together += both & (codes[:, None] == codes) & ((fates != ALONE) | (places[:, None] == places))
        shares: NDArray[np.float64] = np.divide(together, asked, out=np.full_like(asked, np.nan), where=asked > 0)
        return shares

    def _fates(self, labeling: Labeling) -> NDArray[np.int8]:
        """Return the fate of each label, by its code."""
        return fates_by_code(labeling, self.settings["noise_pred"], PLAIN)

    def tables(self) -> dict[str, Table]:
        """Return the scores, one row for each labeling as the truth."""
        rows = [{"labeling": name} | dict(zip(self.names, row, strict=True))
                for name, row in zip(self.names, self.values.tolist(), strict=True)]  # fmt: skip
        columns = {"labeling": Column("name")} | {name: Column("score") for name in self.names}
        return {"scores": Table(columns, rows)}

    def facts(self) -> dict[str, Any]:
        """Return the facts of the JSON: settings, scores, the most central labeling and the order."""
        index = self.index
        return {
            "settings": self.settings,
            "notices": [notice._asdict() for notice in self.notices],
            "verdict": self.verdict,
            "index": index.label,
            "title": index.facts.title,
            "higher_is_better": index.facts.higher_is_better,
            "n_points": self.n_points,
            "labelings": self.names,
            "values": self.values.tolist(),
            "means": self.means if len(self) > 1 else {},
            "central": self.central if self.has_middle else None,
            "order": self.order if self.has_order else None,
        }

    @property
    def verdict(self) -> str:
        """Sentence on the most central labeling; empty if there is none."""
        return Writer().prose(similarity_document.verdict(self))

    def document(self, view: View = SUMMARY) -> Document:
        """Return the document of text, notebook, Markdown, LaTeX and page."""
        return similarity_document.document(self, view)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw a heat map with matplotlib, similar labelings adjacent."""
        side = 2 + 0.4 * min(len(self), 40)
        return draw_on(ax, (side, side), lambda ax: similarity_document.draw_similarities(ax, self))

    @property
    def has_middle(self) -> bool:
        """Whether there is a most central labeling."""
        return len(self) > 1 and self.index.facts.higher_is_better is not None

    @property
    def has_order(self) -> bool:
        """Whether labelings can be ordered by similarity."""
        return self.index.facts.higher_is_better is not None and bool(np.isfinite(self.values).all())

    @property
    def shown_order(self) -> tuple[str, ...]:
        """Labelings ordered by similarity, or in the given order if they cannot be ordered."""
        return self.order if self.has_order else self.names


def similarity_matrix(
    labelings: Mapping[Any, Labels] | Iterable[Any] | Source,
    index: str | Index[...] = "adjusted_rand",
    *,
    pred: Sequence[str] | None = None,
    counts: Any = None,
    weights: Any = None,
    noise: Noise | None = None,
    missing: MissingPolicy = "error",
    unmatched: UnmatchedPolicy = "error",
    threads: int | None = None,
    progress: Callable[[float], None] | None = None,
    **options: Any,
) -> SimilarityMatrix:
    """Score every labeling against every other; each is read once, and tables are made by several threads.

    labelings: a mapping from name to labels, the columns of a data frame, or an iterable of labels or of pairs
        (name, labels), also a generator; mappings from id to label are aligned by id.
    pred: where labelings is a source, as in `crosstab` (a file, a frame, (connection, "table")), its columns of labels:
        `similarity_matrix("runs.parquet", pred=["kmeans", "ward"])`; options then say how it is read. Several
        named sources are joined by id: `similarity_matrix({"kmeans": "one.csv", "ward": "other.csv"}, on="id")`.
    index: the name of an index, or an index itself; a symmetric one is scored once for each pair of labelings.
    counts, weights, missing, unmatched, threads: as in `crosstab`; noise: the same for every labeling.
    progress: a function that is called repeatedly with the share that is done.

    >>> similarity_matrix([[0, 0, 1, 1], [0, 0, 1, 2]], index="jaccard").values.tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    given = {"noise": noise, "counts": counts, "weights": weights, "missing": missing, "unmatched": unmatched}
    given = read_options(given | {"threads": threads} | options)
    for name in ("noise_true", "noise_pred", "true"):
        if name in given:
            raise InputError(Mention(name), ": none of the labelings is the truth; choose ", Mention("noise"))
    require_progress(progress)
    scored = index if isinstance(index, Index) else parse(index)
    records, left_out = _leave_out_empty(_read(labelings, pred, given))
    values, like_noise = _score_pairs(records, scored, threads, progress)
    warn_of_noise(like_noise)
    n_points = None if records.counts is None else exact_sum(read_counts(records.counts, records.n))
    settings = records.settings | records.policies._asdict() | {"weighted": records.weights is not None}
    dropped = {name: records.n_given - records.count_kept(name, records.policies) for name in records.labels}
    lacking = {name: n for name, n in dropped.items() if n}
    return SimilarityMatrix(records, scored, values, settings, n_points, like_noise, left_out, lacking)


def _leave_out_empty(records: Records) -> tuple[Records, list[str]]:
    """Return the records without the labelings that have no points, unless that leaves none; and their names."""
    empty = records.without_points(records.policies)
    if not empty or len(empty) == len(records.labels):
        return records, []
    for text in tell_left_out(empty):
        warn_user(ClustermarkWarning(text))
    return replace(records, labels={name: one for name, one in records.labels.items() if name not in empty}), empty


def _read(labelings: Any, pred: Any, given: dict[str, Any]) -> Records:
    """Read labels in memory, columns of one source, or several named sources that are joined by id."""
    if pred is None and "on" not in given:
        if sources_only := [name for name in given if not declared_options()[name].option.labels]:
            raise InputError(
                Mention(sources_only[0]),
                *(" is for one source with all labelings, whose columns ", Mention("pred"), " names"),
            )
        return read(roles_of(labelings, "labelings"), given)
    if "on" in given:
        if not isinstance(labelings, Mapping) or not (pred is None or isinstance(pred, str)):
            raise InputError(
                *(Mention("on"), " joins sources by their names: pass a mapping, and one column by ", Mention("pred"))
            )
        sources: Iterable[tuple[str, Any, Any]] = [(str(name), one, pred) for name, one in labelings.items()]
    elif isinstance(pred, str) or not isinstance(pred, Sequence) or not pred:
        raise InputError(Mention("pred", pred), " must be the names of columns, such as ['kmeans', 'ward']")
    else:
        sources = [(name, labelings, name) for name in pred]
    return read({name: Role(f"labelings[{name!r}]", one, column) for name, one, column in sources}, given)


def _score_pairs(
    records: Records, index: Index[...], threads: int | None, progress: Callable[[float], None] | None
) -> tuple[NDArray[np.float64], list[list[Any]]]:
    """Score each pair of labelings in several threads, and find labels that look like noise."""
    names = list(records.labels)
    pairs = _pairs(len(names), index)
    like_noise: list[list[Any]] = []

    def score(pair: tuple[int, int]) -> float:
        true, pred = (names[place] for place in pair)
        table = records.table(true, pred, records.policies, 1)
        if true == pred:
            like_noise.extend(tell_like_noise(table, {"true": (f"the labeling {true}", "noise")}))
        return index.of(table)

    values = np.empty((len(names), len(names)))
    with ThreadPoolExecutor(how_many_threads(threads, records.n) or os.cpu_count()) as pool:
        try:
            for done, ((true, pred), value) in enumerate(zip(pairs, pool.map(score, pairs), strict=True), 1):
                values[true, pred] = value
                if _is_symmetric(index):
                    values[pred, true] = value
                if progress is not None:
                    progress(done / len(pairs))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)  # an error or Ctrl-C need not wait for the rest
            raise
    return values, like_noise


def _is_symmetric(index: Index[...]) -> bool:
    """Return whether one order of two labelings suffices; the declared symmetry holds for default options only."""
    return bool(index.facts.symmetric) and not index.options


def _pairs(n: int, index: Index[...]) -> list[tuple[int, int]]:
    return list(combinations_with_replacement(range(n), 2) if _is_symmetric(index) else product(range(n), range(n)))


def _places(records: Records, points: Iterable[Any]) -> NDArray[np.intp]:
    if not isinstance(points, Iterable):
        raise InputError(Mention("points", points), " must be a list of points, such as range(10)")
    chosen = list(points)
    if len(chosen) > _MOST_POINTS:
        raise InputError(f"points: {len(chosen):,} points have too many pairs; choose at most {_MOST_POINTS:,}")
    if records.ids is not None:
        lacking = [point for point in chosen if point not in records.ids]
        if lacking:
            raise InputError(f"points: no labeling has the id {lacking[0]!r}")
        return np.array([records.ids[point] for point in chosen], np.intp)
    wrong = [place for place in chosen if not isinstance(place, int | np.integer) or not 0 <= place < records.n]
    if wrong:
        raise InputError(f"points: {wrong[0]!r} is not a position; there are {records.n:,} points, from 0")
    return np.array(chosen, np.intp)
