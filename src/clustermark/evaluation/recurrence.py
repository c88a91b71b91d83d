"""stability(): compare the clusters of a reference with labelings of samples of the items."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import combinations
from math import isnan
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from clustermark.errors import InputError, count, spell
from clustermark.evaluation.chance_recurrence import Sizes, best_jaccards, expect_jaccards, sizes_of
from clustermark.evaluation.notices import Notice, tell_many_like_noise, warn_of_noise
from clustermark.labels import ABSENT
from clustermark.labels.frame_columns import list_values
from clustermark.options import ONE_LABELING, without_options
from clustermark.results.data import NOTICES, VERDICT, Column, Table
from clustermark.results.document import SUMMARY, Document, Grid, Head, Name, Section, Value
from clustermark.results.result import Result
from clustermark.results.text import Writer
from clustermark.sources.reading import Role, name_labelings, read
from clustermark.sources.tabular import pandas_kind
from clustermark.tables.policies import count_like_noise
from clustermark.tables.tabulation import Crossing, number_clusters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from clustermark.errors import Mention
    from clustermark.results.data import Columns
    from clustermark.results.document import Body, Part, View


DISSOLVED, RECOVERED = 0.5, 0.75
"""A cluster is dissolved if its best Jaccard is at most the first, and recovered if it is at least the second."""
_WORDS = {"highly stable": 0.85, "stable": 0.75, "doubtful": 0.6}
"""The smallest mean Jaccard of each verdict; below the last a cluster is "not stable"."""
NO_EVIDENCE = "no evidence"
_HALF_WAY = 0.5
"""A Jaccard at most this share of the way from its value by chance to 1 is no evidence of a cluster."""
_NAMED = 3


class StableCluster(NamedTuple):
    """The stability of one cluster of the reference."""

    label: Any
    size: int
    """Number of its items."""
    samples: int
    """Number of labelings that contain some of its items."""
    jaccard: float
    """Mean over these labelings of its Jaccard with the most similar cluster; NaN if there are none."""
    recovered: int
    """Number of labelings with a Jaccard of 0.75 or more."""
    dissolved: int
    """Number of labelings with a Jaccard of 0.5 or less."""
    by_chance: float
    """Expected mean Jaccard if the labels of each labeling are permuted among its items; NaN if there are none."""

    @property
    def verdict(self) -> str:
        """One of "highly stable", "stable", "doubtful" and "not stable" by the mean Jaccard, or "no evidence".

        It is "no evidence" where the Jaccard would not be "not stable", but is at most half way from its value by
        chance to 1: a cluster of nearly all items has a high Jaccard with any labeling that has a large cluster.
        """
        if isnan(self.jaccard):
            return "not known"
        word = next((word for word, least in _WORDS.items() if self.jaccard >= least), "not stable")
        is_near = self.jaccard - self.by_chance <= _HALF_WAY * (1 - self.by_chance)
        return NO_EVIDENCE if is_near and word != "not stable" else word


class Stability(Result):
    """How well labelings of samples recover the clusters of a reference; the least stable cluster first.

    >>> stability([0, 0, 0, 1, 1, 1], [[0, 0, None, 1, 1, 1], [None, 0, 0, 0, 1, 1]])
    2 labelings of samples of 6 items in 2 clusters
    2 of 2 clusters are stable (Jaccard 0.75 or more, and more than half way from chance to 1).
    cluster  size  samples  jaccard  by chance  recovered  dissolved  verdict
    0           3        2    0.833      0.500          1          0  stable
    1           3        2    0.833      0.600          1          0  stable
    """

    KIND = "stability"
    FACTS: ClassVar[Columns] = {
        "items": Column("count", doc="items of the reference"),
        "samples": Column("count", doc="labelings of samples"),
        "unmatched": Column("count", doc="items of samples that the reference lacks"),
        "verdict": VERDICT,
        "notices": NOTICES,
    }
    TABLES: ClassVar[dict[str, Columns]] = {
        "stable_clusters": {
            "label": Column("label"),
            "size": Column("count"),
            "samples": Column("count"),
            "jaccard": Column("score", optional=True),
            "by_chance": Column("score", optional=True, doc="the expected Jaccard if labels of samples are permuted"),
            "recovered": Column("count"),
            "dissolved": Column("count"),
            "verdict": Column("text", choices=(*_WORDS, "not stable", NO_EVIDENCE, "not known")),
        }
    }
    MAIN = "stable_clusters"

    def __init__(
        self,
        labels: list[Any],
        codes: NDArray[np.int64],
        samples: list[NDArray[np.int64]],
        ids: list[Any] | None = None,
        n_unmatched: int = 0,
        progress: Callable[[float], None] | None = None,
        like_noise: Sequence[Sequence[str | Mention]] = (),
    ) -> None:
        """Compare codes of clusters, negative for items without a cluster; `stability` reads them."""
        self.ids = ids
        """Id of each item if labels were given by id; None if items are positions."""
        self.n_unmatched = n_unmatched
        """Number of items of samples that the reference lacks; they are left out."""
        self.sizes = np.bincount(codes[codes >= 0], minlength=len(labels))
        """Number of items of each cluster of the reference."""
        self.jaccards = np.full((len(labels), len(samples)), np.nan)
        """Jaccard of each cluster (row) with the most similar cluster of each labeling; NaN without common items."""
        self.like_noise = tuple(like_noise)
        """Parts of the notices on labels that look like noise; `notices` contains them as sentences."""
        self._labels = labels
        self._samples = samples
        self._sizes: list[Sizes] = []
        self._commons = np.zeros((len(labels), len(samples)), np.int64)  # items of each cluster in each labeling
        total, self.drawn = np.zeros(len(codes)), np.zeros(len(codes), np.int64)
        """Number of labelings in which each item of the reference has a cluster."""
        for place, sample in enumerate(samples):
            crossing = Crossing.of(codes, sample)
            self.jaccards[:, place] = best_jaccards(crossing, len(labels))
            self._sizes.append(sizes_of(crossing))
            self._commons[crossing.rows, place] = crossing.a
            total[crossing.items] += _similarities(crossing)
            self.drawn[crossing.items] += 1
            if progress is not None:
                progress((place + 1) / len(samples))
        self.agreement = _divide(total, self.drawn)
        """Mean element-centric similarity of each item in the reference with the labelings that contain it."""

    @cached_property
    def consistency(self) -> NDArray[np.float64]:
        """Mean element-centric similarity of each item over all pairs of labelings that contain it (Gates et al. 2019).

        The reference is not used. The time is quadratic in the number of labelings.
        """
        total, times = np.zeros(len(self.drawn)), np.zeros(len(self.drawn))
        for one, two in combinations(self._samples, 2):
            crossing = Crossing.of(one, two)
            total[crossing.items] += _similarities(crossing)
            times[crossing.items] += 1
        return _divide(total, times)

    @cached_property
    def clusters(self) -> tuple[StableCluster, ...]:
        """Clusters of the reference, the least stable first."""
        rows = []
        given = zip(self._labels, self.sizes.tolist(), self.jaccards, self._expect(), strict=True)
        for label, size, scores, by_chance in given:
            known = scores[~np.isnan(scores)]
            mean = float(known.mean()) if len(known) else float("nan")
            recovered, dissolved = int((known >= RECOVERED).sum()), int((known <= DISSOLVED).sum())
            rows.append(StableCluster(label, size, len(known), mean, recovered, dissolved, by_chance))
        return tuple(sorted(rows, key=lambda row: (np.isnan(row.jaccard), row.jaccard)))

    def _expect(self) -> list[float]:
        """Return the expected mean Jaccard of each cluster under permuted labels; NaN without common items."""
        expected = expect_jaccards(self._sizes)
        means = []
        for commons in self._commons.tolist():
            known = [of[size] for of, size in zip(expected, commons, strict=True) if size in of]
            means.append(sum(known) / len(known) if known else float("nan"))
        return means

    @property
    def verdict(self) -> str:
        """How many clusters are stable, and those whose Jaccard is no evidence because chance gives nearly as much."""
        return Writer("item").prose(self._verdict())

    def _verdict(self) -> list[Part]:
        rows = self.clusters
        stable = sum(row.verdict in ("highly stable", "stable") for row in rows)
        are = "is" if stable == 1 else "are"
        least = f"Jaccard {_WORDS['stable']:g} or more, and more than half way from chance to 1"
        parts: list[Part] = [f"{stable:,} of {count(len(rows), 'cluster')} {are} stable ({least})."]
        near = [row for row in rows if row.verdict == NO_EVIDENCE]
        for row in near[-_NAMED:][::-1]:
            parts += [" Cluster ", Name(row.label), ": ", Value(row.jaccard, fine=True), ", by chance "]
            parts += [Value(row.by_chance, fine=True), f": {NO_EVIDENCE}."]
        if len(near) > _NAMED:
            parts.append(f" So are {len(near) - _NAMED:,} more.")
        return parts

    def __len__(self) -> int:
        return len(self._labels)

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns of the clusters."""
        return {
            ("cluster" if name == "label" else name): [getattr(row, name) for row in self.clusters]
            for name in self.TABLES["stable_clusters"]
        }

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Notices to read before trusting the numbers."""
        return tuple(Notice("noise", spell(parts)) for parts in self.like_noise)

    @property
    def headline(self) -> str:
        """Description of what was compared, in one line."""
        n = self.n_unmatched
        left = f"; {count(n, 'item')} that the reference lacks {'is' if n == 1 else 'are'} left out" if n else ""
        items = f"{count(int(self.sizes.sum()), 'item')} in {count(len(self), 'cluster')}"
        return f"{count(len(self._samples), 'labeling')} of samples of {items}{left}"

    def facts(self) -> dict[str, Any]:
        """Return the numbers of items and of samples."""
        return {
            "items": int(self.sizes.sum()),
            "samples": len(self._samples),
            "unmatched": self.n_unmatched,
            "verdict": self.verdict,
            "notices": [notice._asdict() for notice in self.notices],
        }

    def tables(self) -> dict[str, Table]:
        """Return the clusters, the least stable first; a Jaccard without samples is None."""
        rows = [
            row._asdict()
            | {name: None if isnan(value := getattr(row, name)) else value for name in ("jaccard", "by_chance")}
            | {"verdict": row.verdict}
            for row in self.clusters
        ]
        return {"stable_clusters": Table(self.TABLES["stable_clusters"], rows)}

    def document(self, view: View = SUMMARY) -> Document:  # noqa: ARG002
        """Return the document of text, notebook, Markdown, LaTeX and page."""
        title = "Stability of clusters"
        sections = [Section("clusters", title, self._bodies, level="summary")]
        return Document(title, self.headline, sections, verdict=self._verdict(), notices=self.like_noise)

    def _bodies(self) -> list[Body]:
        columns = self.TABLES["stable_clusters"]
        names = {"label": "cluster", "by_chance": "by chance"}
        heads = [Head(names.get(name, name), column.kind) for name, column in columns.items()]
        rows = [[row[name] for name in columns] for row in self.tables()["stable_clusters"]]
        return [Grid(heads, rows, "Clusters of the reference")]


def _similarities(crossing: Crossing) -> NDArray[np.float64]:
    """Return the element-centric similarity of each item: the overlap of its two clusters over the larger one."""
    shares: NDArray[np.float64] = crossing.n / np.maximum(crossing.a, crossing.b)
    return shares[crossing.cells]


def _divide(total: NDArray[np.float64], times: NDArray[Any]) -> NDArray[np.float64]:
    return np.where(times == 0, np.nan, total / np.maximum(times, 1))


@without_options(
    **ONE_LABELING,
    missing="an item without a label was not drawn for the sample; leave it out",
    unmatched="a sample need not have all items, and items that the reference lacks are left out; leave it out",
)
def stability(
    reference: Any,
    labelings: Mapping[Any, Any] | Iterable[Any],
    *,
    noise: Mapping[Any, Any] | None = None,
    progress: Callable[[float], None] | None = None,
) -> Stability:
    """Measure how stable the clusters of a reference are, by given labelings of samples of the items.

    reference: the labels of all items.
    labelings: labelings of samples, one after the other or by name. If the reference gives labels by id (a
        mapping id -> label, or a pandas Series by its index), so does each labeling; else a labeling has an entry for
        each item, missing (None, NaN) if the item was not drawn. Or a labeling is a tuple of the drawn items (ids or
        positions, which a bootstrap repeats) and their labels. Items that the reference lacks are left out.
    noise: the policy for labels that are not clusters, such as {-1: "drop"}; as in `Geometry`.
    progress: a function that is called repeatedly with the share that is done.
    Each cluster is compared with the most similar cluster of each sample (Hennig 2007). A mean Jaccard of
    0.85 or more is usually called highly stable, 0.75 stable; below 0.6 a cluster should not be trusted. A cluster of
    nearly all items reaches such values by chance, so the value with permuted labels is beside it.

    >>> found = stability({"a": 1, "b": 1, "c": 2, "d": 2}, [{"a": 7, "b": 7, "c": 8}, {"a": 0, "c": 0, "d": 0}])
    >>> [(row.label, row.jaccard) for row in found.clusters]
    [(1, 0.6666666666666666), (2, 0.8333333333333333)]
    >>> found.agreement.tolist()
    [0.6666666666666666, 1.0, 0.8333333333333333, 0.6666666666666666]
    """
    reference = _by_id(reference)
    roles = {"": Role("reference", reference)}
    for name, labels in name_labelings(labelings, "labelings"):
        called = f"labelings[{name!r}]"
        roles[f"sample {name}"] = Role(called, _of_drawn(labels, reference, called))
    if len(roles) == 1:
        raise InputError("labelings: there is none; pass the labels of at least one sample")
    records = read(roles, {"noise": noise, "missing": "drop", "unmatched": "drop"})
    first, *others = records.labels.values()
    codes, labels = number_clusters(first, records.policies.noise_true)
    if not labels:
        raise InputError("reference: no item has a cluster; pass the labels of all items")
    n = int((first.codes != ABSENT).sum())  # items that the reference lacks come last
    samples = [number_clusters(labeling, records.policies.noise_true).codes[:n] for labeling in others]
    if not any(((codes[:n] >= 0) & (sample >= 0)).any() for sample in samples):
        raise InputError("labelings: no sample has an item of the reference; are the ids the same?")
    ids = None if records.ids is None else list(records.ids)[:n]
    named = records.policies.noise_true
    like_noise = [
        *tell_many_like_noise([count_like_noise(first, named)], "noise", "the reference"),
        *tell_many_like_noise((count_like_noise(one, named) for one in others), "noise", "the sample", "samples"),
    ]
    warn_of_noise(like_noise)
    return Stability(labels, codes[:n], samples, ids, records.n - n, progress, like_noise)


def _by_id(labels: Any, name: str = "reference") -> Any:
    """Return a pandas Series as a mapping from its index."""
    if pandas_kind(labels) != "series":
        return labels
    return _label_once(list_values(labels.index), list_values(labels), name)


def _of_drawn(labels: Any, reference: Any, name: str) -> Any:
    """Return drawn items and their labels as a mapping, or as an entry for each item if items are positions."""
    if not (isinstance(labels, tuple) and len(labels) == 2 and all(map(_is_column, labels))):
        return _by_id(labels, name)
    drawn, given = map(list_values, labels)
    if len(drawn) != len(given):
        raise InputError(f"{name} has {len(drawn)} items and {len(given)} labels; pass one label for each drawn item")
    found = _label_once(drawn, given, name)
    if isinstance(reference, Mapping):
        return found
    n = len(reference)
    if strange := [item for item in found if not isinstance(item, int) or not 0 <= item < n]:
        raise InputError(f"{name}: {strange[0]!r} is no position of the {n} items of the reference")
    return [found.get(place) for place in range(n)]


def _is_column(one: Any) -> bool:
    return hasattr(one, "__len__") and not isinstance(one, str | bytes | tuple)


def _label_once(items: list[Any], labels: list[Any], name: str) -> dict[Any, Any]:
    """Return the label of each item; an item that was drawn again must have the same label."""
    found: dict[Any, Any] = {}
    for item, label in zip(items, labels, strict=True):
        if found.setdefault(item, label) != label and label == label:
            raise InputError(f"{name}: the item {item!r} has the labels {found[item]!r} and {label!r}; it needs one")
    return found
