"""The page of points and their clusters: the scores, the silhouette of each point, the clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustermark.diagnosis.captions import score_text
from clustermark.evaluation.evaluation_document import score_lines
from clustermark.evaluation.page.elements import label_html, list_facts, plain_html, rows_html
from clustermark.evaluation.page.render import fill_page
from clustermark.results.json import current_version, document_of
from clustermark.results.values import settings_text, share_text

if TYPE_CHECKING:
    from clustermark.evaluation.internal_evaluation import InternalEvaluation

_MOST = 500
"""Maximal number of clusters listed, those with the lowest silhouettes."""


def html(evaluation: InternalEvaluation, title: str | None) -> str:
    """Render the page of an evaluation; the same evaluation always gives the same text."""
    sections = [
        ("scores", "Scores", "How close clusters are in themselves, and how far from others.", _scores(evaluation)),
        (
            "silhouettes",
            "Silhouettes",
            "1: far from all other clusters; 0: between two; below 0: closer to another cluster than to its own.",
            _silhouettes(evaluation),
        ),
        ("made", "How this was made", "What was scored and under which rules.", _made(evaluation)),
    ]
    return fill_page(
        title or "Clusters by their own points",
        current_version(),
        evaluation.verdict,
        _key_numbers(evaluation),
        sections,
        document_of(evaluation),
        [
            *(notice.text for notice in evaluation.notices),
            *(f"left out: {name}: {reason}" for name, reason in evaluation.refused.items()),
        ],
    )


def _key_numbers(evaluation: InternalEvaluation) -> list[tuple[str, str, str]]:
    geometry = evaluation.subject
    left = geometry.n_given - geometry.n
    return [
        ("points", f"{geometry.n:,}", f"{left:,} left out" if left else ""),
        ("clusters", f"{geometry.k:,}", ""),
        *([] if geometry.n_features is None else [("features", f"{geometry.n_features:,}", "")]),
    ]


def _scores(evaluation: InternalEvaluation) -> str:
    rows = []
    for line in score_lines(evaluation.record):
        drawn = evaluation.sampled.get(line.label)
        sure = "" if drawn is None else f"<small>{score_text(drawn.low)} to {score_text(drawn.high)}</small>"
        named = f"{plain_html(line.title)}<small><code>{plain_html(line.label)}</code></small>"
        rows.append([named, f"<strong>{plain_html(line.score)}</strong>{sure}", plain_html(line.bounds + line.better)])
    return rows_html(["Index", "Score", "Range"], rows, "Scores", (0, 2))


def _silhouettes(evaluation: InternalEvaluation) -> str:
    if not evaluation.has_silhouettes or evaluation.subject.k < 2:
        return '<p class="note">The silhouettes of all points were not measured.</p>'
    clusters = evaluation.clusters
    rows = [
        [
            label_html(row.label),
            f"{row.size:,}",
            score_text(row.silhouette),
            f"{row.misplaced:,} ({share_text(row.misplaced / row.size)})",
            label_html(row.neighbour),
        ]
        for row in clusters[:_MOST]
    ]
    more = f'<p class="note">{len(clusters) - _MOST:,} more clusters.</p>' if len(clusters) > _MOST else ""
    heads = ["Cluster", "Points", "Mean silhouette", "Closer to another", "Nearest other"]
    caption = (
        "<strong>The silhouette of each point</strong>A bar for each, cluster by cluster; the dashed line is the mean."
    )
    plot = f'<figure id="silhouette-plot"><figcaption>{caption}</figcaption><div>{evaluation.to_svg()}</div></figure>'
    return f'<div class="alone">{plot}</div>{rows_html(heads, rows, "Clusters", (0, 4))}{more}'


def _made(evaluation: InternalEvaluation) -> str:
    geometry = evaluation.subject
    settings = {
        "metric": geometry.metric,
        "noise": settings_text(geometry.noise),
        "weighted": settings_text(geometry.is_weighted),
        "read in batches": settings_text(not geometry.in_memory),
    }
    counts = {"points given": geometry.n_given, "points used": geometry.n, "points of noise": geometry.n_noise}
    numbers = list_facts("Counts", {name: f"{n:,}" for name, n in counts.items()}, "number")
    return f'<div class="facts">{numbers}{list_facts("Settings", settings, "")}</div>'
