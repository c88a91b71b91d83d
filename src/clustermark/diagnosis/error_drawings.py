"""Drawings of errors: worst merges and splits, repairs, confused clusters, and the quality of groups."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING

from clustermark.diagnosis.captions import IN_SENTENCES, cluster_name, clusters_clash, thing, things, things_text
from clustermark.results.canvas import INK, MUTED, PRED, TRUE, Drawn, calm, draw_nothing, put_legend_below
from clustermark.results.values import count_text, label_text, quantity, share_text

if TYPE_CHECKING:
    from typing import Any

    from matplotlib.axes import Axes

    from clustermark.diagnosis import ErrorList
    from clustermark.diagnosis.confusions import Confusions
    from clustermark.diagnosis.quality import GroupTable
    from clustermark.diagnosis.repairs import Repairs

WIDTH = 24
GROUPS = 15


def name_group(group: Any, width: int = WIDTH) -> str:
    """Return the text of a group; for several columns, their values."""
    values = group if isinstance(group, tuple) else (group,)
    return label_text(", ".join("(none)" if value is None else label_text(value, width) for value in values), width)


def draw_quality(ax: Axes, groups: GroupTable, k: int = GROUPS) -> Drawn:
    """Draw the B-cubed F of each group, with its interval."""
    from matplotlib.ticker import MaxNLocator

    title = f"Quality by {' and '.join(label_text(name, WIDTH) for name in groups.by)}"
    shown = groups[:k]
    if not len(shown):
        return draw_nothing(ax, title)
    hover = {}
    for place, row in enumerate(shown):
        gid = f"group-{place}"
        low, high = (row.b_cubed_f if limit is None else limit for limit in (row.low, row.high))
        ax.plot([low, high], [place, place], color=TRUE, linewidth=2, solid_capstyle="butt")
        ax.plot([row.b_cubed_f], [place], "o", color=TRUE, markersize=7, gid=gid)
        beside = ax.get_yaxis_transform()
        ax.text(1.02, place, f"{row.b_cubed_f:.3f}", va="center", fontsize="small", color=INK, transform=beside)
        hover[gid] = (
            f"{name_group(row.group, 60)}: B-cubed F {row.b_cubed_f!r}, {things_text(row.points)}, "
            f"{share_text(row.share_of_errors)} of the errors, {share_text(row.share_of_points)} of the {things()}"
        )
    names = [name_group(row.group) for row in shown]
    least = min(row.b_cubed_f if row.low is None else row.low for row in shown)
    ax.set_yticks(range(len(names)), names, fontsize="small", parse_math=False)
    ax.set(xlim=(max(0.0, floor(10 * least - 0.5) / 10), 1.0), ylim=(len(names) - 0.4, -0.6))
    ax.xaxis.set_major_locator(MaxNLocator(5))
    ax.set_xlabel(f"B-cubed F of the group's {things()}")
    calm(ax, "x")
    which = f"{len(names):,} of {quantity(len(groups), 'group')}" if len(groups) > k else quantity(len(groups), "group")
    spans = any(row.low is not None for row in shown)
    lines = f"; lines are {groups.level:g} intervals over connected components" if spans else ""
    return Drawn(title, f"{which}{lines}.", hover)


def draw_confusions(ax: Axes, confusions: Confusions) -> Drawn:
    """Draw the pairs of true clusters with most false pairs as bars."""
    title = "Most confused pairs of true clusters"
    if not len(confusions):
        return draw_nothing(ax, title, "No two true clusters are confused.")
    hover, names = {}, []
    for place, row in enumerate(confusions):
        gid = f"confusion-{place}"
        ax.barh(place, row.false_pairs, height=0.66, color=PRED)[0].set_gid(gid)
        ax.text(row.false_pairs, place, f" {count_text(row.false_pairs)}", va="center", fontsize="small", color=INK)
        names.append(f"{label_text(row.first, WIDTH)}\n{label_text(row.second, WIDTH)}")
        hover[gid] = (
            f"{label_text(row.first)} and {label_text(row.second)}: {count_text(row.false_pairs)} false pairs, "
            f"{share_text(row.share)} of all"
        )
    ax.set_yticks(range(len(names)), names, fontsize="small", parse_math=False)
    ax.set(xlim=(0, 1.15 * max(row.false_pairs for row in confusions)), ylim=(len(names) - 0.4, -0.6))
    ax.set_xlabel("pairs together in the prediction only", color=MUTED)
    calm(ax, "x")
    share = sum(row.share for row in confusions)
    note = f"{share_text(share)} of {count_text(confusions.false_pairs)} false pairs."
    return Drawn(title, note, hover)


def draw_errors(ax: Axes, merges: ErrorList, splits: ErrorList) -> Drawn:
    """Draw the merges and splits that lose most pairs as bars, worst first."""
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


def draw_repairs(ax: Axes, repairs: Repairs) -> Drawn:
    """Draw the share of wrong pairs corrected after each repair; on the page, each mark links to its repair."""
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
