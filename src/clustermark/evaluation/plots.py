"""Charts of an evaluation with matplotlib; notebooks and the page share them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.diagnosis.captions import cluster_name, in_words, score_text, things, things_text
from clustermark.diagnosis.error_drawings import draw_confusions, draw_errors, draw_quality, draw_repairs
from clustermark.diagnosis.map_drawings import add_scale, draw_flow, draw_overlaps
from clustermark.errors import InputError, Mention, UnsupportedTableError
from clustermark.registry import find
from clustermark.results.canvas import (
    AGREED,
    INK,
    LINE,
    MUTED,
    PRED,
    TRUE,
    Drawn,
    calm,
    draw_nothing,
    draw_on,
    put_legend_below,
)
from clustermark.results.values import plain, quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from clustermark.diagnosis import Side
    from clustermark.diagnosis.overlap_map import Choice
    from clustermark.diagnosis.quality import GroupTable
    from clustermark.evaluation.partitions import PartitionEvaluation
    from clustermark.evaluation.record import Score


_F_LINES = (0.2, 0.4, 0.6, 0.8)
_EXPLAINED = (
    "By pairs, a {thing} in a large cluster counts more than one in a small cluster; by B-cubed, all {things} count "
    "alike. Thin lines connect equal F, the harmonic mean of the two."
)


class Plots:
    """The charts of one evaluation. Each draws on `ax`, or on a new figure, and returns the Axes."""

    def __init__(self, evaluation: PartitionEvaluation) -> None:
        self._evaluation = evaluation

    def overlaps(self, ax: Axes | None = None, k: int = 30, choose: Choice = "worst") -> Axes:
        """Draw the points that true and predicted clusters share, as a heat map of at most k clusters of each side.

        choose: which clusters if there are more: the "worst" and their counterparts, or the "largest".
        """
        overlaps = self._evaluation.overlap_map(_check_positive(k), choose)
        axes = draw_on(ax, (6.4, 6), lambda ax: draw_overlaps(ax, overlaps))
        add_scale(axes)
        return axes

    def flow(self, ax: Axes | None = None, k: int = 12, choose: Choice = "worst") -> Axes:
        """Draw the flow of points from true to predicted clusters, which are chosen as in `overlaps`."""
        overlaps = self._evaluation.overlap_map(_check_positive(k), choose)
        return draw_on(ax, (7.6, 6), lambda ax: draw_flow(ax, overlaps))

    def errors(self, ax: Axes | None = None, k: int = 10) -> Axes:
        """Draw the k merges and the k splits that lose most pairs."""
        merges, splits = self._evaluation.merges(_check_positive(k)), self._evaluation.splits(k)
        height = 1.6 + 0.26 * max(4, len(merges) + len(splits))
        return draw_on(ax, (6.4, height), lambda ax: draw_errors(ax, merges, splits))

    def confusions(self, ax: Axes | None = None, k: int = 10) -> Axes:
        """Draw the k pairs of true clusters that are put together most often."""
        confusions = self._evaluation.confusions(_check_positive(k))
        return draw_on(ax, (6.4, 1.4 + 0.4 * max(4, len(confusions))), lambda ax: draw_confusions(ax, confusions))

    def by_size(self, ax: Axes | None = None, side: Side = "true") -> Axes:
        """Draw the quality of the clustering for the points of small and of large clusters."""
        try:
            return self.groups(self._evaluation.by_size(side), ax)
        except UnsupportedTableError as error:
            why = str(error)
            return draw_on(ax, (6.4, 2.4), lambda ax: draw_nothing(ax, "Quality by size", f"{why}."))

    def groups(self, groups: GroupTable, ax: Axes | None = None, k: int = 15) -> Axes:
        """Draw the quality of the clustering for the first k groups of points of `evaluation.by` or `by_size`."""
        height = 1.4 + 0.26 * max(4, min(_check_positive(k), len(groups)))
        return draw_on(ax, (6.4, height), lambda ax: draw_quality(ax, groups, k))

    def classes(self, ax: Axes | None = None, k: int = 40) -> Axes:
        """Draw how well each of the k worst true clusters is found."""
        height = 1.4 + 0.26 * max(4, min(_check_positive(k), self._evaluation.classes.total))
        return draw_on(ax, (6.4, height), lambda ax: draw_classes(ax, self._evaluation, k))

    def precision_recall(self, ax: Axes | None = None) -> Axes:
        """Draw precision against recall, by pairs and by B-cubed, with intervals where the evaluation has them."""
        return draw_on(ax, (5.2, 5.6), lambda ax: draw_precision_recall(ax, self._evaluation))

    def sizes(self, ax: Axes | None = None) -> Axes:
        """Draw the number of clusters of each side by size."""
        return draw_on(ax, (6.4, 4), lambda ax: draw_sizes(ax, self._evaluation.sizes))

    def clusters(self, ax: Axes | None = None, side: Side = "pred") -> Axes:
        """Draw the scores of the predicted (or, with side="true", the true) clusters, from best to worst, by points."""
        if side not in ("true", "pred"):
            raise InputError(Mention("side", side), ' must be "true" or "pred"')
        return draw_on(ax, (6.4, 4), lambda ax: draw_clusters(ax, self._evaluation, side))

    def repairs(self, ax: Axes | None = None, k: int | None = None) -> Axes:
        """Draw the wrong pairs mended over the number of repairs; all repairs, or the first k."""
        repairs = self._evaluation.repairs(k)
        return draw_on(ax, (6.4, 4), lambda ax: draw_repairs(ax, repairs))

    def scores(self, ax: Axes | None = None) -> Axes:
        """Draw the scores of the evaluation as bars, each within the range of its index."""
        height = 1 + 0.28 * len(self._evaluation)
        return draw_on(ax, (6.4, height), lambda ax: draw_scores(ax, list(self._evaluation.record.scores.values())))

    def __repr__(self) -> str:
        names = ", ".join(name for name in dir(self) if not name.startswith("_"))
        return f"Plots of an evaluation: {names}"


def _check_positive(k: int) -> int:
    if not isinstance(k, int) or k < 1:
        raise InputError(Mention("k", k), " must be a positive whole number: how many clusters of each side to show")
    return k


def draw_sizes(ax: Axes, sizes: dict[str, list[tuple[float, int]]]) -> Drawn:
    """Draw clusters by size as bars in pairs, true beside predicted."""
    everything = np.array([size for side in ("true", "pred") for size, _ in sizes[side]], float)
    bins = _size_bins(everything)
    hover: dict[str, str] = {}
    tallest, series = 1, (("true", "true", TRUE, -0.2), ("pred", "predicted", PRED, 0.2))
    for side, word, colour, shift in series:
        pairs = np.array(sizes[side], float).reshape(-1, 2)
        numbers, _ = np.histogram(pairs[:, 0], bins.edges, weights=pairs[:, 1])
        tallest = max(tallest, int(numbers.max()))
        bars = ax.bar(np.arange(len(numbers)) + shift, numbers, width=0.38, color=colour, label=f"{word} clusters")
        for place, bar in enumerate(bars):
            bar.set_gid(f"{side}-{place}")
            hover[f"{side}-{place}"] = f"{quantity(int(numbers[place]), f'{word} cluster')} of size {bins.names[place]}"
    crowded = len("".join(bins.names)) > 32
    slanted: dict[str, Any] = {"rotation": 45, "rotation_mode": "anchor", "ha": "right"} if crowded else {}
    ax.set_xticks(range(len(bins.names)), bins.names, **slanted)
    _count_axis(ax, tallest)
    ax.set_xlabel(f"{things()} in the cluster")
    ax.set_ylabel("clusters")
    calm(ax)
    ax.legend(loc="upper right", ncols=2, frameon=False, borderaxespad=0.2, columnspacing=1.2, fontsize="small")
    n_true, n_pred = (sum(number for _, number in sizes[side]) for side in ("true", "pred"))
    note = f"{n_true:,} true and {quantity(n_pred, 'predicted cluster')}, by size."
    return Drawn("Sizes of the clusters", note, hover)


def _count_axis(ax: Axes, tallest: int) -> None:
    from matplotlib.ticker import MaxNLocator, NullLocator, StrMethodFormatter

    if tallest > 200:
        ax.set_yscale("log")
        ax.set_ylim(0.7, tallest * 5)  # room for the legend
        ax.yaxis.set_minor_locator(NullLocator())
    else:
        ax.set_ylim(0, tallest * 1.22)
        ax.yaxis.set_major_locator(MaxNLocator(6, integer=True))
    ax.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


class _Bins(NamedTuple):
    edges: NDArray[np.float64]
    names: list[str]


def _size_bins(sizes: NDArray[np.float64]) -> _Bins:
    """Return one bin per size if sizes are close, else about eight equal bins, else doubling (or larger) ones."""
    low, high = float(sizes.min()), float(sizes.max())
    whole = bool((sizes == np.trunc(sizes)).all()) and high < 2.0**50
    if whole and high - low < 20:
        values = np.arange(low, high + 1)
        return _Bins(np.append(values, high + 1) - 0.5, [f"{value:,.0f}" for value in values])
    if high - low <= 1e-6 * high:  # weights that differ by rounding
        return _Bins(np.array([low * 0.999, high * 1.001]), [_short(high)])
    if high <= 20 * low:
        step = _round_step((high - low) / 8)
        start = np.floor(low / step) * step
        edges = start + step * np.arange(np.ceil((high - start) / step + 1e-9) + 1)
    else:
        first, last = np.floor(np.log2(low)), np.floor(np.log2(high)) + 1
        edges = 2.0 ** np.arange(first, last + max(1, step := np.ceil((last - first) / 20)), step)
    spans = list(zip(edges.tolist(), edges[1:].tolist(), strict=False))
    names = [_span(start, end, whole) for start, end in spans]
    return _Bins(edges, names if len(set(names)) == len(names) else [f"{start:.9g}–{end:.9g}" for start, end in spans])


def _round_step(step: float) -> float:
    scale = 10.0 ** np.floor(np.log10(step))
    return float(scale * next(factor for factor in (1, 2, 5, 10) if factor * scale >= step))


def _span(start: float, end: float, whole: bool) -> str:
    if not whole or start >= 1e4:
        return f"{_short(start)}–{_short(end)}"
    return f"{start:,.0f}" if end - start <= 1 else f"{start:,.0f}–{_short(np.ceil(end) - 1)}"


def _short(number: float) -> str:
    """Return a large number with at most three digits and its scale.

    >>> [_short(number) for number in (0.25, 9999, 16384, 1048576, 1e12, 1e30)]
    ['0.25', '9,999', '16.4k', '1.05M', '1T', '1e+30']
    """
    for scale, unit in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if max(scale, 1e4) <= number < 1e15:
            return f"{number / scale:.3g}{unit}"
    return f"{number:,.0f}" if number == int(number) and number < 1e4 else f"{number:.3g}"


_CURVE_POINTS = 400


def draw_clusters(ax: Axes, evaluation: PartitionEvaluation, side: Side) -> Drawn:
    """Draw each score of the clusters from best to worst, over the share of the points in them."""
    table = evaluation.clusters if side == "pred" else evaluation.classes
    sizes = np.asarray(table.column("size"), float)
    curves = (("jaccard", "Jaccard", TRUE, "-", 2.2), ("precision", "precision", AGREED, "--", 1.5))
    for name, word, colour, dashes, width in (*curves, ("recall", "recall", PRED, ":", 2.0)):
        shares, scores = _falling_curve(sizes, np.asarray(table.column(name), float))
        mean = float((sizes * np.asarray(table.column(name), float)).sum() / sizes.sum()) if sizes.sum() else 0.0
        ax.step(
            100 * shares, scores, where="pre", color=colour, linestyle=dashes, linewidth=width,
            label=f"{word}, mean {mean:.3f}",
        )  # fmt: skip
    ax.set(xlim=(0, 100), ylim=(0, 1.03))
    ax.set_xlabel(f"% of the {things()}, best {'predicted' if side == 'pred' else 'true'} clusters first")
    ax.set_ylabel("score with the best match")
    calm(ax)
    put_legend_below(ax, 1)
    word = "predicted" if side == "pred" else "true"
    n_all = evaluation.table.n_pred_clusters if side == "pred" else evaluation.table.n_true_clusters
    kind = word if table.total == n_all else f"labelled {word}"
    note = f"{quantity(table.total, f'{kind} cluster')}, each score sorted by itself and weighted by size."
    return Drawn(f"Scores of the {word} clusters", note, {})


def _falling_curve(
    sizes: NDArray[np.float64], scores: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    order = np.argsort(-scores, kind="stable")
    ends = np.cumsum(sizes[order])
    if not len(ends) or not ends[-1]:
        return np.zeros(0), np.zeros(0)
    ends /= ends[-1]
    falling = scores[order]
    if len(ends) > _CURVE_POINTS:
        kept = np.searchsorted(ends, np.linspace(0, 1, _CURVE_POINTS))
        kept = np.unique(np.minimum(kept, len(ends) - 1))
        ends, falling = ends[kept], falling[kept]
    return np.append(0.0, ends), np.append(falling[:1], falling)


def draw_scores(ax: Axes, scores: Sequence[Score]) -> Drawn:
    """Draw one bar per index, from 0; indices without a finite range only as a number."""
    hover: dict[str, str] = {}
    for place, score in enumerate(scores):
        if np.isfinite([score.high, score.value]).all():
            scale = max(abs(score.high), 0.0 if score.low == -np.inf else abs(score.low))
            colour = MUTED if score.higher_is_better is not True else TRUE
            bar = ax.barh(place, score.value / scale, height=0.62, color=colour)[0]
            bar.set_gid(f"score-{place}")
            hover[f"score-{place}"] = f"{score.title}: {score.value!r}"
        number = score_text(score.value)
        ax.text(1.02, place, number, va="center", transform=ax.get_yaxis_transform(), fontsize="small")
    ax.set_yticks(range(len(scores)), [plain(score.label) for score in scores], fontsize="small", parse_math=False)
    lowest = min((score.value for score in scores if np.isfinite(score.value)), default=0)
    ax.set(xlim=(-1 if lowest < 0 else 0, 1), ylim=(len(scores) - 0.4, -0.6))
    ax.set_xlabel("share of the largest value; grey: lower is better, or neither")
    calm(ax, grid="x")
    return Drawn("Scores", f"{len(scores)} indices, each within its range.", hover)


class Balance(NamedTuple):
    """Precision and recall of one kind, each with its interval if there is one."""

    name: str
    precision: float
    recall: float
    precision_interval: tuple[float, float] | None
    recall_interval: tuple[float, float] | None


_KINDS = (("pairs", "pair_precision", "pair_recall"), ("B-cubed", "b_cubed_precision", "b_cubed_recall"))


def balances_of(evaluation: PartitionEvaluation) -> list[Balance]:
    """Return precision and recall by pairs and by B-cubed, as far as they are defined on the table."""
    found = []
    for name, *labels in _KINDS:
        if any(find(label).refusal(evaluation.table) for label in labels):
            continue
        precision, recall = (
            evaluation[label] if label in evaluation else find(label).of(evaluation.table) for label in labels
        )
        intervals = [_interval_of(evaluation, label) for label in labels]
        found.append(Balance(name, precision, recall, intervals[0], intervals[1]))
    return found


def _interval_of(evaluation: PartitionEvaluation, label: str) -> tuple[float, float] | None:
    score = evaluation.record.scores.get(label)
    interval = None if score is None else score.interval
    if interval is None or interval.low is None or interval.high is None:
        return None
    return interval.low, interval.high


def draw_precision_recall(ax: Axes, evaluation: PartitionEvaluation) -> Drawn:
    """Draw precision against recall: low precision means merging, low recall splitting."""
    title = "Precision against recall"
    balances = balances_of(evaluation)
    if not balances:
        return draw_nothing(ax, title, "Neither is defined for this table.")
    for score in _F_LINES:
        recalls = [score / (2 - score) + (1 - score / (2 - score)) * step / 60 for step in range(61)]
        ax.plot(recalls, [score * x / (2 * x - score) for x in recalls], color=LINE, linewidth=0.8, zorder=1)
        ax.text(1.005, score / (2 - score), f"F {score}", fontsize="x-small", color=MUTED, va="center")
    hover = {}
    for place, (one, colour, mark) in enumerate(zip(balances, (TRUE, PRED), "os", strict=False)):
        spans: dict[str, Any] = {}
        for axis, value, span in (
            ("yerr", one.precision, one.precision_interval),
            ("xerr", one.recall, one.recall_interval),
        ):
            if span is not None:
                spans[axis] = [[max(0.0, value - span[0])], [max(0.0, span[1] - value)]]
        if spans:
            ax.errorbar(one.recall, one.precision, fmt="none", ecolor=colour, elinewidth=1.2, **spans)
        gid = f"balance-{place}"
        ax.plot([one.recall], [one.precision], mark, color=colour, markersize=9, label=one.name, gid=gid, linestyle="")
        hover[gid] = f"{one.name}: precision {one.precision!r}, recall {one.recall!r}"
    ax.set(xlim=(0, 1.02), ylim=(0, 1.02), xlabel="recall: low where true clusters are split")
    ax.set_ylabel("precision: low where they are merged")
    calm(ax, "both")
    ax.set_aspect("equal")
    put_legend_below(ax, 2)
    note = "; ".join(f"{one.name} {one.precision:.3f} and {one.recall:.3f}" for one in balances)
    return Drawn(title, f"Precision and recall by {note}. {in_words(_EXPLAINED)}", hover)


def draw_classes(ax: Axes, evaluation: PartitionEvaluation, k: int) -> Drawn:
    """Draw true clusters by the Jaccard index with their best match, the worst first."""
    title = "How well each true cluster is found"
    table = evaluation.classes.sorted_by("jaccard", k, descending=False)
    if not len(table):
        return draw_nothing(ax, title)
    hover = {}
    names = [cluster_name(row.cluster, "true", clash=False, width=24) for row in table]
    for place, row in enumerate(table):
        gid, colour = f"class-{place}", AGREED if row.jaccard == 1 else TRUE
        ax.barh(place, row.jaccard, height=0.66, color=colour)[0].set_gid(gid)
        ax.text(row.jaccard, place, f" {row.jaccard:.2f}", va="center", fontsize="small", color=INK)
        hover[gid] = f"{names[place]}: Jaccard {row.jaccard!r}, {things_text(row.size)}"
    ax.set_yticks(range(len(table)), names, fontsize="small", parse_math=False)
    ax.set(xlim=(0, 1.12), ylim=(len(table) - 0.4, -0.6), xlabel="Jaccard with the best match")
    calm(ax, "x")
    which = "All" if len(table) == evaluation.classes.total else "The worst"
    return Drawn(title, f"{which} {len(table):,} of {quantity(evaluation.classes.total, 'true cluster')}.", hover)


def draw_suffering(ax: Axes, evaluation: PartitionEvaluation, rows: int = 2000) -> Drawn:
    """Draw the sizes of true clusters against how well they are found; only those that lose most pairs."""
    title = "Size and quality of the true clusters"
    table = evaluation.classes.sorted_by("pairs_lost", rows)
    if not len(table):
        return draw_nothing(ax, title)
    counts: dict[tuple[float, float], int] = {}
    for size, jaccard in zip(table.column("size").tolist(), table.column("jaccard").tolist(), strict=True):
        counts[size, round(jaccard, 2)] = counts.get((size, round(jaccard, 2)), 0) + 1
    hover = {}
    for place, ((size, jaccard), times) in enumerate(counts.items()):
        gid = f"dot-{place}"
        ax.plot([size], [jaccard], "o", color=TRUE, alpha=0.85, markersize=min(14, 3 + 2 * times**0.5), gid=gid)
        hover[gid] = f"{quantity(times, 'true cluster')} of {things_text(size)}, Jaccard {jaccard:.2f}"
    _count_ticks(ax, [size for size, _ in counts])
    ax.set(ylim=(-0.03, 1.05), xlabel=f"{things()} in the true cluster", ylabel="Jaccard with the best match")
    calm(ax)
    which = "all of them" if len(table) == evaluation.classes.total else f"the {len(table):,} in most missing pairs"
    return Drawn(title, f"Larger dots are several equal clusters; {which}.", hover)


def _count_ticks(ax: Axes, sizes: list[float]) -> None:
    """Set a scale of powers of 2 with full numbers; a linear one if the sizes span fewer than two doublings."""
    from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator, StrMethodFormatter

    if max(sizes) >= 4 * min(sizes):
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_locator(LogLocator(2, numticks=9))
    else:
        ax.xaxis.set_major_locator(MaxNLocator(6, integer=all(size == int(size) for size in sizes)))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.4g}"))
