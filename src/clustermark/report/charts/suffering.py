"""Who suffers, drawn: the quality of groups, and the true clusters that are confused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustermark.report.captions import count_text, label_text, share_text
from clustermark.report.charts.canvas import INK, MUTED, PRED, TRUE, Chart, calm, draw_nothing
from clustermark.report.text import quantity

if TYPE_CHECKING:
    from typing import Any

    from matplotlib.axes import Axes

    from clustermark.diagnosis.confusions import Confusions
    from clustermark.diagnosis.quality import GroupTable

WIDTH = 24
GROUPS = 15


def name_group(group: Any, width: int = WIDTH) -> str:
    """A group as people read it; of several columns their values."""
    values = group if isinstance(group, tuple) else (group,)
    return label_text(", ".join("(none)" if value is None else label_text(value, width) for value in values), width)


def draw_quality(ax: Axes, groups: GroupTable, k: int = GROUPS) -> Chart:
    """The B-cubed F of each group, with its interval."""
    title = f"Quality by {' and '.join(label_text(name, WIDTH) for name in groups.by)}"
    shown = groups[:k]
    if not len(shown):
        return draw_nothing(ax, title)
    hover = {}
    for place, row in enumerate(shown):
        gid = f"group-{place}"
        ax.barh(place, row.b_cubed_f, height=0.66, color=TRUE)[0].set_gid(gid)
        end = row.b_cubed_f
        if row.low is not None and row.high is not None:
            ax.plot([row.low, row.high], [place, place], color=INK, linewidth=1.6, solid_capstyle="butt")
            end = max(end, row.high)
        ax.text(end, place, f" {row.b_cubed_f:.2f}", va="center", fontsize="small", color=INK)
        hover[gid] = (
            f"{name_group(row.group, 60)}: B-cubed F {row.b_cubed_f!r}, {quantity_of_points(row.points)}, "
            f"{share_text(row.share_of_errors)} of the errors, {share_text(row.share_of_points)} of the points"
        )
    names = [name_group(row.group) for row in shown]
    ax.set_yticks(range(len(names)), names, fontsize="small", parse_math=False)
    ax.set(xlim=(0, 1.14), ylim=(len(names) - 0.4, -0.6), xlabel="B-cubed F of the group's points")
    calm(ax, "x")
    which = f"{len(names):,} of {quantity(len(groups), 'group')}" if len(groups) > k else quantity(len(groups), "group")
    spans = any(row.low is not None for row in shown)
    lines = f"; lines are {groups.level:g} intervals over connected components" if spans else ""
    return Chart(title, f"{which}{lines}.", hover)


def quantity_of_points(points: float) -> str:
    """So many points."""
    return f"{count_text(points)} point{'' if points == 1 else 's'}"


def draw_confusions(ax: Axes, confusions: Confusions) -> Chart:
    """The pairs of true clusters with most false pairs, as bars."""
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
    return Chart(title, note, hover)
