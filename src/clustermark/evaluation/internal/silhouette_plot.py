"""The silhouette plot, as SVG that needs no other package."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from clustermark.statistics.distances import PointSums
from clustermark.tables.columnar import short_text

if TYPE_CHECKING:
    from clustermark.evaluation.internal.results import InternalEvaluation

_WIDTH, _LEFT, _MOST = 640, 120, 2_000
_COLOURS = ("#4269d0", "#efb118", "#3ca951", "#ff725c", "#6cc5b0", "#a463f2", "#97bbf5", "#9c6b4e")


def draw_silhouettes(evaluation: InternalEvaluation, height: int) -> str:
    """A bar for each point, cluster by cluster; of many points so many, evenly spread over each cluster."""
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
    parts, y = [], 0.0
    for k, group in enumerate(groups):
        path = "".join(
            f"M{zero:.1f} {y + i * thick:.2f}h{width * scale:.1f}v{thick:.2f}H{zero:.1f}z"
            for i, width in enumerate(group.tolist())
        )
        mean = float(widths[order[starts[k] : starts[k + 1]]].mean())
        name = f"{short_text(geometry.names[k])} ({int(geometry.sizes[k]):,}): {mean:.3f}"
        colour = _COLOURS[k % len(_COLOURS)]
        middle = y + len(group) * thick / 2
        parts.append(f'<path d="{path}" fill="{colour}"><title>{escape(name)}</title></path>')
        parts.append(f'<text x="4" y="{middle:.1f}" font-size="11" dominant-baseline="middle">{escape(name)}</text>')
        y += (len(group) + 2) * thick
    across = zero + float(widths.mean()) * scale
    parts.append(f'<line x1="{zero:.1f}" x2="{zero:.1f}" y1="0" y2="{height}" stroke="currentColor"/>')
    parts.append(
        f'<line x1="{across:.1f}" x2="{across:.1f}" y1="0" y2="{height}" stroke="currentColor" stroke-dasharray="4 3"/>'
    )
    label = f"Silhouettes of {geometry.n:,} points in {geometry.k:,} clusters; mean {float(widths.mean()):.3f}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
        f'aria-label="{escape(label)}" font-family="sans-serif" fill="currentColor">{"".join(parts)}</svg>'
    )
