"""What changed from one clustering to another, drawn by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustermark.report.captions import score_text
from clustermark.report.charts.intervals import Dot, draw_dots
from clustermark.results.canvas import AGREED, INK, MUTED, PRED, TRUE, Drawn, calm
from clustermark.results.values import label_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from clustermark.releases.against_truth import ScoreChange
    from clustermark.releases.changed_clusters import Count
    from clustermark.releases.impact import Slice

_COLOURS = {"unchanged": MUTED, "split": PRED, "merged": TRUE, "regrouped": AGREED}


def draw_events(ax: Axes, counts: Mapping[str, Count]) -> Drawn:
    """A bar for each kind of event, as long as it has records."""
    hover = {}
    kinds = [kind for kind in _COLOURS if kind in counts]
    for place, kind in enumerate(kinds):
        number, records = counts[kind].number, counts[kind].records or 0
        bar = ax.barh([place], [records], color=_COLOURS[kind], height=0.62)[0]
        bar.set_gid(f"kind-{place}")
        hover[f"kind-{place}"] = f"{kind}: {number:,} with {records:,} records"
        ax.text(1.02, place, f"{number:,}", va="center", transform=ax.get_yaxis_transform(), fontsize="small")
    ax.set_yticks(range(len(kinds)), kinds)
    ax.set_ylim(len(kinds) - 0.4, -0.6)
    ax.set_xlabel("records")
    calm(ax, grid="x")
    ax.tick_params(labelcolor=INK)
    return Drawn("Events by records", "to the right how many events there are.", hover)


def draw_slices(ax: Axes, slices: Sequence[Slice]) -> Drawn:
    """A dot for the split rate and one for the merge rate of each slice."""
    hover = {}
    for place, row in enumerate(slices):
        ax.plot([row.split_rate], [place], marker="s", color=PRED, markersize=6, linestyle="none")
        dot = ax.plot([row.merge_rate], [place], marker="o", color=TRUE, markersize=6, linestyle="none")[0]
        dot.set_gid(f"slice-{place}")
        rates = f"split rate {score_text(row.split_rate)}, merge rate {score_text(row.merge_rate)}"
        hover[f"slice-{place}"] = f"{label_text(row.slice)}: {rates}, {row.records:,} records"
    ax.set_yticks(range(len(slices)), [label_text(row.slice, 24) for row in slices], parse_math=False)
    ax.set_ylim(max(len(slices), 1) - 0.5, -0.5)
    ax.set_xlim(left=0)
    ax.set_xlabel("rate")
    calm(ax, grid="x")
    ax.tick_params(labelcolor=INK)
    return Drawn("Slices", "yellow squares: split rate; blue dots: merge rate.", hover)


def draw_scores_apart(ax: Axes, rows: Sequence[ScoreChange], level: float) -> Drawn:
    """The difference of each index with its interval, beside 0."""
    dots = [
        Dot(row.label, row.difference, row.low, row.high, row.verdict in ("better", "worse"),
            f"{row.label}: {row.before!r} before, {row.after!r} after, {row.verdict}")
        for row in rows
    ]  # fmt: skip
    hover = draw_dots(ax, dots, "score", about="after less before", beside_zero=True)
    return Drawn("Scores, after less before", f"{100 * level:g} % intervals; blue: leaves 0 out.", hover)
