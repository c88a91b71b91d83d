"""The evaluation of a clustering by its points, with the silhouettes of clusters and points."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.diagnosis.captions import score_text
from clustermark.errors import InputError, UndefinedIndexError, count
from clustermark.evaluation.evaluation import Evaluation
from clustermark.evaluation.notices import Notice
from clustermark.evaluation.record import Record, count_points, scores_of
from clustermark.registry import find
from clustermark.results.document import SUMMARY, Grid, Head, KeyNumber, Section, Widget
from clustermark.results.html import Html, fragment, h
from clustermark.results.json import current_version
from clustermark.results.values import label_text, share_text
from clustermark.statistics.distances import Density, PointSums, ReachTree
from clustermark.tables.policies import in_other_types, labels_like_noise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Self

    from numpy.typing import NDArray

    from clustermark.evaluation.evaluation import Scored
    from clustermark.evaluation.internal_scoring import SampledScore
    from clustermark.registry import Index
    from clustermark.results.document import Body, Document, View
    from clustermark.subjects.geometry import Geometry


_MOST_CLUSTERS = 2_000
"""At most this many clusters are listed, those with the lowest silhouettes."""


class SilhouetteRow(NamedTuple):
    """The silhouettes of one cluster."""

    label: Any
    size: int
    silhouette: float
    """Mean silhouette of its points."""
    misplaced: int
    """Number of its points that are closer to another cluster, with negative silhouette."""
    neighbour: Any
    """Cluster that is nearest to most of its points."""


class InternalEvaluation(Evaluation):
    """The scores of points and their clusters, and the silhouettes of points and clusters.

    >>> from clustermark import evaluate_internal
    >>> scores = evaluate_internal([[0, 0], [0, 1], [5, 5], [5, 6]], [0, 0, 1, 1])
    >>> scores["CH"], round(scores["silhouette"], 4)
    (100.0, 0.8586)
    """

    SUBJECT = "points"
    sampled: dict[str, SampledScore]
    """Scores estimated from a sample of the points, with their intervals."""

    @classmethod
    def of(cls, subject: Geometry, scored: Scored, sampled: Mapping[str, SampledScore] = MappingProxyType({})) -> Self:
        """Make the evaluation of points that were scored."""
        made = super().of(subject, scored)
        made.sampled = dict(sampled)
        facts = {**made.record.facts, "sampled": {name: one._asdict() for name, one in sampled.items()}}
        exact = [index for index in scored.scores if index.label not in sampled]
        notices = *made.record.notices, *_tell_samples(subject, sampled), *_tell_undefined(subject, exact)
        made.record = made.record._replace(facts=facts, notices=notices)
        return made

    @classmethod
    def _record(cls, subject: Geometry, scored: Scored) -> Record:
        left = subject.n_given - subject.n
        what = "distances"
        if subject.n_features is not None:
            what = f"{count(subject.n_features, 'feature')}, metric {subject.metric}"
        text = f"{count(subject.n, 'point')} in {count(subject.k, 'cluster')}; {what}"
        alone = sum(size for label, size in subject.noise_sizes.items() if subject.noise[label] == "singletons")
        counted = not scored.scores or any(index.statistic not in (Density, ReachTree) for index in scored.scores)
        return Record(
            scores=scores_of(subject, scored.scores),
            points=count_points(subject.n, noise=subject.n_noise, dropped=left),
            clusters={"pred": subject.k},
            noise={"pred": {"points": subject.n_noise, "clusters": alone}},
            notices=tuple(_find_notices(subject, noise_counts=counted)),
            settings={
                "metric": subject.metric,
                "noise": dict(subject.noise),
                "weighted": subject.is_weighted,
                "batches": not subject.in_memory,
            },
            refused=dict(scored.refused),
            version=current_version(),
            subject=cls.SUBJECT,
            about=text + (f"; {left:,} left out" if left else ""),
            facts={"features": subject.n_features},
        )

    @property
    def like_noise(self) -> dict[Any, int]:
        """The number of points of each label that looks like noise and counts as a cluster."""
        told = any(notice.kind == "noise" for notice in self.notices)
        return _count_like_noise(self.subject) if told else {}

    @property
    def subject(self) -> Geometry:
        """Points and their clusters that were scored."""
        geometry: Geometry = super().subject
        return geometry

    @cached_property
    def silhouettes(self) -> NDArray[np.float64]:
        """Silhouette of each used point, in the order of the points."""
        index = find("silhouette")
        if reason := index.refusal(self.subject):
            raise InputError(reason)
        if self.subject.k < 2:
            raise UndefinedIndexError(f"{index.name} is undefined: {index.undefined_when}")
        return PointSums.of(self.subject).widths

    @cached_property
    def clusters(self) -> tuple[SilhouetteRow, ...]:
        """Clusters by ascending silhouette."""
        widths, k = self.silhouettes, self.subject.k
        sums, names = PointSums.of(self.subject), self.subject.names
        means = np.bincount(sums.codes, widths, k) / sums.sizes
        misplaced = np.bincount(sums.codes, widths < 0, k).astype(int)
        neighbours = _most_common(sums.codes, sums.neighbours)
        rows = [
            SilhouetteRow(names[c], int(sums.sizes[c]), float(means[c]), int(misplaced[c]), names[neighbours[c]])
            for c in range(k)
        ]
        return tuple(sorted(rows, key=lambda row: row.silhouette))

    @property
    def has_silhouettes(self) -> bool:
        """Whether the silhouettes of all points were computed for a score and are available without further cost."""
        return any(index.statistic is PointSums and index.label not in self.sampled for index in self.indices)

    def _judge(self) -> str:
        points = f"{count(self.n_used, 'point')} in {count(self.record.clusters['pred'], 'cluster')}"
        if self.has_silhouettes and self.subject.k > 1:
            misplaced = int((self.silhouettes < 0).sum())
            return (
                f"The mean silhouette of {points} is {score_text(float(self.silhouettes.mean()))}; {misplaced:,} of "
                f"them ({share_text(misplaced / self.n_used)}) lie closer to another cluster than to their own."
            )
        first = "".join(f": {index.title} {score_text(self[index])}" for index in self.indices[:1])
        return f"{points}{first}."

    def document(self, view: View = SUMMARY) -> Document:
        """Return the document of the page, which has the number of features among the key numbers."""
        made = super().document(view)
        scores, *others = made.sections
        numbers = [
            replace(one, name="clusters") if one.name == "predicted clusters" else one for one in made.key_numbers
        ]
        features = self.record.facts.get("features")
        numbers += [] if features is None else [KeyNumber("features", features)]
        lead = "How close clusters are in themselves, and how far from others."
        return replace(made, key_numbers=numbers, sections=[replace(scores, lead=lead), *others])

    def _sections(self) -> Sequence[Section]:
        if self._subject is None:
            return ()
        lead = "1: far from all other clusters; 0: between two; below 0: closer to another cluster than to its own."
        widget = Widget(self._below_plot) if self._shows_silhouettes else None
        return (Section("silhouettes", "Silhouettes", self._silhouette_bodies, lead, widget=widget),)

    @property
    def _shows_silhouettes(self) -> bool:
        return self.has_silhouettes and self.subject.k > 1

    def _silhouette_bodies(self) -> list[Body]:
        if not self._shows_silhouettes:
            return ["The silhouettes of all points were not measured."]
        heads = (
            Head("cluster", "label"),
            Head("points", "count"),
            Head("mean silhouette", "score", fine=True),
            Head("closer to another", "count"),
            Head("share of them", "share"),
            Head("nearest other", "label"),
        )
        rows = [
            (row.label, row.size, row.silhouette, row.misplaced, row.misplaced / row.size, row.neighbour)
            for row in self.clusters[:_MOST_CLUSTERS]
        ]
        return [Grid(heads, rows, "Silhouettes of clusters", total=len(self.clusters))]

    def _below_plot(self, bodies: Sequence[Body], write: Callable[[Sequence[Body]], Html]) -> Html:
        text = "A bar for each, cluster by cluster; the dashed line is the mean."
        caption = h("figcaption", h("strong", "The silhouette of each point"), text)
        plot = h("figure", caption, h("div", draw_silhouettes(self, 400)), id="silhouette-plot")
        return fragment(h("div", plot, class_="alone"), write(bodies))

    def to_svg(self, height: int = 400) -> str:
        """Return the silhouette plot: a bar per point, by cluster, in descending order; at most 2,000 bars."""
        return draw_silhouettes(self, height)


def _most_common(codes: NDArray[np.int32], neighbours: NDArray[np.int32]) -> list[int]:
    """Return, for each code, the most common neighbour of its points, the first of equals."""
    pairs, times = np.unique(codes.astype(np.int64) << 32 | neighbours, return_counts=True)
    order = np.lexsort((-times, pairs >> 32))
    _, first = np.unique(pairs[order] >> 32, return_index=True)
    found: list[int] = (pairs[order][first] & 0xFFFFFFFF).tolist()
    return found


def _find_notices(geometry: Geometry, *, noise_counts: bool) -> Iterator[Notice]:
    for name in _count_like_noise(geometry) if noise_counts else ():
        text = f"the label {name!r} looks like noise and counts as a cluster; the noise policy 'drop' leaves it out"
        yield Notice("noise", text)
    yield from _find_unmet(geometry)
    if not geometry.in_memory:
        yield Notice("batches", "the points were read in batches, and only their sums were kept")


def _count_like_noise(geometry: Geometry) -> dict[Any, int]:
    """Return the number of points of each label that looks like noise and was not named as noise."""
    found = [name for name in labels_like_noise(geometry.names, geometry.k) if name not in geometry.noise]
    return {name: int(geometry.sizes[geometry.names.index(name)]) for name in found}


def _find_unmet(geometry: Geometry) -> Iterator[Notice]:
    """Find labels that are named as noise and that no point has, as text or number."""
    for label in geometry.noise:
        others = in_other_types(label)
        if label in geometry.noise_sizes or any(other in geometry.noise_sizes for other in others):
            continue
        meant = next((other for other in others if other in geometry.names), None)
        if meant is None and any(other in geometry.noise for other in others) and isinstance(label, str):
            continue  # the notice is on the number
        hint = "" if meant is None else f"; there is {meant!r}, a {'text' if isinstance(meant, str) else 'number'}"
        kind = "noise_absent" if meant is None else "noise_type"
        yield Notice(kind, f"no point has the label {label!r}, which is named as noise{hint}")


def _tell_undefined(geometry: Geometry, indices: Iterable[Index[...]]) -> Iterator[Notice]:
    """Tell which scores are undefined, so that the values shown only stand for them."""
    by_reason: dict[str, list[str]] = {}
    for index in indices:
        try:
            index.strict.of(geometry)
        except UndefinedIndexError:
            by_reason.setdefault(index.facts.undefined_when or "it is 0/0", []).append(index.label)
    if geometry.k == 1 and by_reason:
        by_reason = {"there is one cluster": [name for names in by_reason.values() for name in names]}
    for reason, names in by_reason.items():
        one = len(names) == 1
        stands = "is undefined ({}): its value is no score" if one else "are undefined ({}): their values are no scores"
        yield Notice("undefined", f"{', '.join(names)} {stands.format(reason)}")


def _tell_samples(geometry: Geometry, sampled: Mapping[str, SampledScore]) -> Iterator[Notice]:
    for name, one in sampled.items():
        text = f"{name} is estimated from {one.points:,} of {geometry.n:,} points, drawn from every cluster"
        yield Notice("sampled", f"{text}: 95 % interval [{one.low:.4f}, {one.high:.4f}]")


_WIDTH, _LEFT, _MOST = 640, 120, 2_000
_COLOURS = ("#4269d0", "#efb118", "#3ca951", "#ff725c", "#6cc5b0", "#a463f2", "#97bbf5", "#9c6b4e")


def draw_silhouettes(evaluation: InternalEvaluation, height: int) -> Html:
    """Draw a bar for each point, cluster by cluster; at most 2,000, evenly spread over each cluster."""
    geometry, widths = evaluation.subject, evaluation.silhouettes
    sums = PointSums.of(geometry)
    order, starts = np.argsort(sums.codes, kind="stable"), np.concatenate([[0], np.cumsum(sums.sizes)])
    step = max(-(-geometry.n // _MOST), 1)
    groups = [np.sort(widths[order[a:b]])[::-1][::step] for a, b in zip(starts, starts[1:], strict=False)]
    bars = sum(map(len, groups)) + 2 * len(groups)
    thick = height / bars
    low = min(0.0, float(widths.min()))
    scale = (_WIDTH - _LEFT - 10) / (1 - low)
    zero = _LEFT - low * scale
    parts: list[Html] = []
    y = 0.0
    for k, group in enumerate(groups):
        path = "".join(
            f"M{zero:.1f} {y + i * thick:.2f}h{width * scale:.1f}v{thick:.2f}H{zero:.1f}z"
            for i, width in enumerate(group.tolist())
        )
        mean = float(widths[order[starts[k] : starts[k + 1]]].mean())
        name = f"{label_text(geometry.names[k], 32)} ({int(geometry.sizes[k]):,}): {mean:.3f}"
        colour = _COLOURS[k % len(_COLOURS)]
        middle = y + len(group) * thick / 2
        parts.append(h("path", h("title", name), d=path, fill=colour))
        parts.append(h("text", name, x=4, y=f"{middle:.1f}", font_size=11, dominant_baseline="middle"))
        y += (len(group) + 2) * thick
    for at, dashes in ((zero, None), (zero + float(widths.mean()) * scale, "4 3")):
        ends = {"x1": f"{at:.1f}", "x2": f"{at:.1f}", "y1": 0, "y2": height}
        parts.append(h("line", **ends, stroke="currentColor", stroke_dasharray=dashes))
    label = f"Silhouettes of {geometry.n:,} points in {geometry.k:,} clusters; mean {float(widths.mean()):.3f}"
    frame = {"xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {_WIDTH} {height}", "role": "img"}
    return h("svg", parts, **frame, aria_label=label, font_family="sans-serif", fill="currentColor")
