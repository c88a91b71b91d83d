"""The document of estimates from a sample of the truth, their chart, and the columns of their data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark.evaluation.record import TABLE_FACTS
from clustermark.registry import parse
from clustermark.results.canvas import Dot, Drawn, draw_dots
from clustermark.results.data import VERDICT, Column
from clustermark.results.document import (
    SUMMARY,
    Cell,
    Chart,
    Document,
    Facts,
    Grid,
    Head,
    KeyNumber,
    Notes,
    Section,
    Value,
)
from clustermark.results.values import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from clustermark.releases.estimated_scores import Estimates
    from clustermark.results.data import Columns
    from clustermark.results.document import Body, Prose, View
    from clustermark.uncertainty.interval import Interval

INTERVAL: Columns = {
    "index": Column("name"),
    "score": Column("score"),
    "low": Column("score", optional=True, doc="null without an interval; notes say why"),
    "high": Column("score", optional=True),
    "standard_error": Column("error", optional=True),
    "bias": Column("error", optional=True),
    "level": Column("share"),
    "method": Column("text", choices=("jackknife", "half-sampling", "bootstrap")),
    "unit": Column("text", choices=("point", "component", "group", "cluster", "record")),
    "n_units": Column("count"),
    "target": Column("text", choices=("sample", "population", "finite population")),
    "notes": Column("texts"),
    "draws": Column("count", optional=True),
    "seed": Column("count", optional=True),
}
_SAMPLING: Columns = {
    "design": Column("text", choices=("clusters", "clusters_by_record", "records", "drawn_records", "drawn_clusters")),
    "unit": Column("text", choices=("cluster", "record")),
    "sampled": Column("count", doc="the number of sampled clusters or records"),
    "population": Column("number", doc="the size of their population; estimated if known is false"),
    "known": Column("flag"),
    "labelled": Column("count", doc="records with a true label"),
    "records": Column("count", doc="records of the prediction"),
    "strata": Column("count", doc="the strata of unequal probabilities; 0 if all were the same"),
    "balanced": Column("flag", doc="false if the sample was drawn by the sizes of another prediction"),
    "notes": Column("texts"),
}
FACTS: Columns = TABLE_FACTS | {
    "verdict": VERDICT,
    "sampling": Column("record", rows=_SAMPLING, doc="the sample and its population"),
    "estimates": Column("record", within=("map",), rows=INTERVAL),
    "refused": Column("text", within=("map",), doc="indices that cannot be estimated, with the reason"),
}
SCORES: Columns = {
    "index": Column("name"),
    "score": Column("score"),
    "low": Column("score", optional=True),
    "high": Column("score", optional=True),
    "standard_error": Column("error", optional=True),
    "notes": Column("texts"),
}


def document(estimates: Estimates, view: View) -> Document:
    """Return the document of estimates."""
    drawn = estimates.sampling
    about = "" if drawn.known else "about "
    return Document(
        title="Scores from a sample of the truth",
        headline=estimates.title,
        verdict=verdict(estimates),
        key_numbers=[
            KeyNumber("records", drawn.records, note="of the prediction"),
            KeyNumber("labelled", drawn.labelled, note="records with a true label"),
            KeyNumber(f"{drawn.unit}s drawn", drawn.sampled, note=f"of {about}{drawn.population:,.0f}"),
        ],
        notices=[notice.text for notice in estimates.record.notices],
        noun="record",
        sections=[
            Section(
                "scores",
                "Estimated scores",
                lambda: _scores(estimates, view),
                "The scores of all records if all had a true label. The scores of the labelled records alone would be "
                "wrong.",
                "summary",
            ),
            Section(
                "notes",
                "What to know",
                lambda: [Notes(lines)] if (lines := estimates.remarks()) else [],
                "What the sample allows, and what it does not.",
                "summary",
            ),
            Section(
                "made",
                "How this was made",
                lambda: [Facts("Sample", drawn._asdict()), Facts("Settings", estimates.record.settings)],
                "The sample, its population and the settings.",
            ),
        ],
    )


def verdict(estimates: Estimates) -> Prose:
    """Return a sentence on the adjusted Rand index, or on the first index if that was not estimated."""
    found = estimates["adjusted_rand"] if "adjusted_rand" in estimates else next(iter(estimates.values()), None)
    if found is None:
        return "No score can be estimated from this sample."
    score = Value(found.score, "score", found.low, found.high, fine=True)
    title = parse(found.index).facts.title
    parts: list[Any] = [f"All {estimates.sampling.records:,} records would score about ", score, f" ({title})"]
    return [*parts, "; the sample does not show how precise that is." if found.low is None else "."]


def _scores(estimates: Estimates, view: View) -> list[Body]:
    heads = [
        Head("index", "name"),
        Head("score", "score", long=f"score, {100 * estimates.level:g}% interval"),
        Head("standard error", "error", level="detail"),
    ]
    rows = [
        [_row_name(one, view), Cell(one.score, one.low, one.high), Cell(one.standard_error, strong=False)]
        for one in estimates.values()
    ]
    chart = Chart("estimates", chart_size(estimates), lambda ax: draw_estimates(ax, estimates), alone=True)
    return [Grid(heads, rows, "Estimated scores", empty="No index can be estimated."), chart]


def _row_name(one: Interval, view: View) -> str | Cell:
    """Return the label of the index; a page, Markdown and LaTeX show its title."""
    if view is SUMMARY:
        return one.index
    return Cell(parse(one.index).facts.title, note="" if view.columns is None else one.index)


def chart_size(estimates: Estimates) -> tuple[float, float]:
    """Return the size of the chart, in inches."""
    return 6.4, 1.2 + 0.36 * max(len(estimates), 1)


def draw_estimates(ax: Axes, estimates: Estimates) -> Drawn:
    """Draw a dot for each score and a line for its interval; grey without an interval."""
    dots = [
        Dot(plain(name), one.score, one.low, one.high, one.low is not None and one.high is not None, f"{name}: {one}")
        for name, one in estimates.items()
    ]
    hover = draw_dots(ax, dots, "estimate", about="score of all records")
    return Drawn("Estimated scores", f"{100 * estimates.level:g}% intervals; grey: no interval.", hover)
