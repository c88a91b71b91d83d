"""Where it goes wrong, drawn: the worst clusters, precision against recall, and what repairs mend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from clustermark.registry import find
from clustermark.report.captions import IN_SENTENCES, cluster_name, clusters_clash, in_words, thing, things, things_text
from clustermark.report.text import quantity
from clustermark.results.canvas import AGREED, INK, LINE, MUTED, PRED, TRUE, Drawn, calm, draw_nothing
from clustermark.results.values import count_text, label_text, share_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from clustermark.diagnosis import ErrorList
    from clustermark.diagnosis.repairs import Repairs
    from clustermark.evaluation.partitions import PartitionEvaluation

_F_LINES = (0.2, 0.4, 0.6, 0.8)
_EXPLAINED = (
    "By pairs, a large cluster counts more than its {things}; by B-cubed, a mean over all {things}, each counts alike. "
    "Thin lines join equal F, the harmonic mean of the two."
)


def draw_repairs(ax: Axes, repairs: Repairs) -> Drawn:
    """The share of wrong pairs that is mended, repair by repair; a mark a repair leads to it on the page."""
    title = "What repairs mend"
    if not len(repairs):
        return draw_nothing(ax, title, "No pair is wrong.")
    places, mended = zip(*repairs.curve(), strict=True)
    shares = [100 * share for share in mended]
    ax.plot(places, shares, color=TRUE, drawstyle="steps-post", zorder=2)
    hover, links = {}, {}
    for place, one in enumerate(repairs, 1):
        gid = f"step-{place}"
        ax.plot([place], [shares[place]], "o", color=TRUE, markersize=4 if len(repairs) > 30 else 6, gid=gid)
        sentence = one.describe(lambda label, _: label_text(label), thing())
        hover[gid] = f"{place}. {sentence}: {share_text(one.mended)} mended"
        links[gid] = f"#repair-{place}"
    half = next((place for place, share in zip(places, mended, strict=True) if share >= 0.5), None)
    if half is not None:
        ax.annotate(
            f"{quantity(half, 'repair')}: {share_text(mended[half])}",
            (half, shares[half]),
            xytext=(10, -14),
            textcoords="offset points",
            color=INK,
        )
    ax.set(xlim=(0, max(places) + 0.5), ylim=(0, 102), xlabel="repairs, best first")
    ax.set_ylabel("% of the wrong pairs mended")
    calm(ax)
    told = repairs.told
    note = (
        f"{quantity(len(repairs), 'repair')} mend{'s' if len(repairs) == 1 else ''} {share_text(mended[-1])} of "
        f"{count_text(repairs.wrong_pairs)} wrong pairs; {IN_SENTENCES.get(told, told)} {repairs.before[told]:.3f} → "
        f"{repairs[-1].scores[told]:.3f}."
    )
    return Drawn(title, note, hover, links=links)


class Balance(NamedTuple):
    """Precision and recall of one kind, each with its interval where there is one."""

    name: str
    precision: float
    recall: float
    precision_interval: tuple[float, float] | None
    recall_interval: tuple[float, float] | None


_KINDS = (("pairs", "pair_precision", "pair_recall"), ("B-cubed", "b_cubed_precision", "b_cubed_recall"))


def balances_of(evaluation: PartitionEvaluation) -> list[Balance]:
    """Precision and recall by pairs and by B-cubed, as far as the table has them."""
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
    """Precision against recall: low precision is merging, low recall is splitting."""
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


def put_legend_below(ax: Axes, columns: int) -> None:
    """A legend that can lie on no curve."""
    ax.legend(
        loc="upper left", bbox_to_anchor=(0, -0.16), ncols=columns, frameon=False, fontsize="small", borderaxespad=0,
        columnspacing=1.2, handletextpad=0.5,
    )  # fmt: skip


def draw_errors(ax: Axes, merges: ErrorList, splits: ErrorList) -> Drawn:
    """The merges and splits that lose most pairs, as bars, worst first."""
    title = "The worst merges and splits"
    both = [(row, "pred", PRED) for row in merges] + [(row, "true", TRUE) for row in splits]
    if not both:
        return draw_nothing(ax, title, "No pair of points is lost.")
    both.sort(key=lambda one: -one[0].pairs_lost)
    clash = clusters_clash([row.cluster for row in splits], [row.cluster for row in merges])
    hover, names = {}, []
    for place, (row, side, colour) in enumerate(both):
        gid = f"error-{place}"
        ax.barh(place, row.pairs_lost, height=0.66, color=colour)[0].set_gid(gid)
        ax.text(row.pairs_lost, place, f" {count_text(row.pairs_lost)}", va="center", fontsize="small", color=INK)
        names.append(cluster_name(row.cluster, "pred" if side == "pred" else "true", clash, 24))
        word = "merge" if side == "pred" else "split"
        hover[gid] = f"{word} {names[-1]}: {count_text(row.pairs_lost)} pairs lost"
    ax.set_yticks(range(len(both)), names, fontsize="small", parse_math=False)
    ax.set(xlim=(0, 1.15 * max(row.pairs_lost for row, *_ in both)), ylim=(len(both) - 0.4, -0.6))
    ax.set_xlabel("pairs lost")
    calm(ax, "x")
    for word, colour in (("predicted clusters that merge", PRED), ("true clusters that are split", TRUE)):
        ax.bar(0, 0, color=colour, label=word)
    put_legend_below(ax, 2)
    shown = ((merges, "merge"), (splits, "split"))
    note = " and ".join(f"{len(rows):,} of {quantity(rows.total, word)}" for rows, word in shown) + "."
    return Drawn(title, note, hover)


def draw_classes(ax: Axes, evaluation: PartitionEvaluation, k: int) -> Drawn:
    """True clusters by the Jaccard index with their best match, the worst first."""
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
    """Sizes of true clusters against how well they are found; the clusters that lose most pairs."""
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
    return Drawn(title, f"Larger dots are several clusters alike; {which}.", hover)


def _count_ticks(ax: Axes, sizes: list[float]) -> None:
    """A scale of doublings, with numbers in full; a plain one where few doublings lie among the sizes."""
    from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator, StrMethodFormatter

    if max(sizes) >= 4 * min(sizes):
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_locator(LogLocator(2, numticks=9))
    else:
        ax.xaxis.set_major_locator(MaxNLocator(6, integer=all(size == int(size) for size in sizes)))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.4g}"))
