"""The page of estimates: the scores of all records, from a truth that is known for a sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustermark.registry import parse
from clustermark.report.captions import score_text
from clustermark.report.charts.estimates import draw_estimates, estimates_height
from clustermark.report.page.elements import figure, list_facts, plain_html, rows_html
from clustermark.report.page.render import fill_page
from clustermark.results.values import settings_text

if TYPE_CHECKING:
    from clustermark.releases.estimated_scores import Estimates
    from clustermark.uncertainty.interval import Interval


def html(estimates: Estimates, title: str | None) -> str:
    """The page of estimates; the same estimates always give the same text."""
    sections = [
        (
            "scores",
            "Estimated scores",
            "What all records would score, if all had a true label. Scoring the labelled records alone would be wrong.",
            _scores(estimates),
        ),
        ("notes", "What to know", "What the sample allows, and what it does not.", _remarks(estimates)),
        ("made", "How this was made", "What was drawn, of how much, and under which rules.", _made(estimates)),
    ]
    return fill_page(
        title or "Scores from a sample of the truth",
        estimates.record.version,
        _verdict(estimates),
        _key_numbers(estimates),
        sections,
        estimates.to_document(),
        [notice.text for notice in estimates.record.notices],
    )


def _main(estimates: Estimates) -> Interval | None:
    """The adjusted Rand index where it was estimated, else the first."""
    return estimates["adjusted_rand"] if "adjusted_rand" in estimates else next(iter(estimates.values()), None)


def _verdict(estimates: Estimates) -> str:
    found = _main(estimates)
    if found is None:
        return f"{estimates.title}: no score can be estimated from it."
    title = parse(found.index).facts.title
    said = f"All {estimates.sampling.records:,} records would score about {score_text(found.score)} ({title})"
    if found.low is None or found.high is None:
        return f"{said}; how sure that is, this sample does not tell."
    return f"{said}: between {score_text(found.low)} and {score_text(found.high)}, as far as the sample tells."


def _key_numbers(estimates: Estimates) -> list[tuple[str, str, str]]:
    drawn = estimates.sampling
    return [
        ("records", f"{drawn.records:,}", "of the prediction"),
        ("labelled", f"{drawn.labelled:,}", "records with a true label"),
        (f"{drawn.unit}s drawn", f"{drawn.sampled:,}", f"of {'' if drawn.known else 'about '}{drawn.population:,.0f}"),
    ]


def _scores(estimates: Estimates) -> str:
    rows = [
        [
            f"{plain_html(parse(name).facts.title)}<small><code>{plain_html(name)}</code></small>",
            f"<strong>{score_text(one.score)}</strong>",
            "no interval"
            if one.low is None or one.high is None
            else f"{score_text(one.low)} to {score_text(one.high)}",
            "–" if one.standard_error is None else score_text(one.standard_error),
        ]
        for name, one in estimates.items()
    ]
    heads = ["Index", "Score", f"{100 * estimates.level:g} % interval", "Standard error"]
    chart = figure("estimates", (6.4, estimates_height(estimates)), lambda ax: draw_estimates(ax, estimates))
    return f'{rows_html(heads, rows, "Estimated scores")}<div class="alone">{chart}</div>'


def _remarks(estimates: Estimates) -> str:
    items = "".join(f"<li>{plain_html(line)}</li>" for line in estimates.remarks())
    return f'<ul class="note">{items}</ul>' if items else '<p class="note">Nothing special.</p>'


def _made(estimates: Estimates) -> str:
    drawn = estimates.sampling._asdict() | {"population": f"{estimates.sampling.population:,.0f}"}
    drawn = {name: settings_text(value) for name, value in drawn.items()}
    settings = {name: settings_text(value) for name, value in estimates.record.settings.items()}
    return f'<div class="facts">{list_facts("Sample", drawn, "")}{list_facts("Settings", settings, "")}</div>'
