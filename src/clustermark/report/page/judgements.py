"""The page of judgements: whether a clustering got better, how sure that is, and which pairs say so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark.report.charts.judgements import draw_judged, judged_height
from clustermark.report.page.elements import figure, label_html, list_facts, plain_html, rows_html
from clustermark.report.page.render import fill_page
from clustermark.results.values import settings_text, share_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clustermark.releases.judgements.judgement_results import Judgements

_EXAMPLES = 20
_SHOWN = 300
"""So many characters of a record are shown."""
_DONE = {
    "split": "parted",
    "merge": "joined",
    "kept": "left together",
    "shrunk": "left together, among fewer",
    "grown": "left together, among more",
}
"""What a change does with pairs of each kind."""


def html(found: Judgements, title: str | None) -> str:
    """The page of judgements; the same answers always give the same text."""
    sections = [
        (
            "scores",
            "What the answers tell",
            "Pairs were drawn in proportion to what they weigh, so that a few hundred answers speak for all records.",
            _estimates(found),
        )
    ]
    for name, heading, good in (("wrong", "Done wrong", False), ("right", "Done right", True)):
        if content := _examples(found, good=good):
            lead = f"Judged pairs that the change {'got right' if good else 'got wrong'}, with what judges saw of them."
            if found.questions.design.alone:
                lead = f"Judged pairs that the clustering {'rightly' if good else 'wrongly'} puts together."
            sections.append((name, heading, lead, content))
    sections.append(("judges", "Judges", "Who answered, and how often they agree.", _judges(found)))
    sections.append(
        ("notes", "What to know", "What the answers allow to be said, and what they do not.", _notes(found))
    )
    sections.append(("made", "How this was made", "What was asked, and under which rules.", _made(found)))
    return fill_page(
        title or "What judged pairs tell",
        found.questions.record.version,
        _verdict(found),
        _key_numbers(found),
        sections,
        found.to_document(),
    )


def _verdict(found: Judgements) -> str:
    said, value, interval, verdict = next(line for line in found.lines() if line[0] == found.change.title)
    if not found.verdict:
        return f"{said} is about {value} {interval}, as far as {found.counts['answered']:,} answers tell."
    words = {"better": "The new clustering is better", "worse": "The new clustering is worse"}
    head = words.get(verdict, "Whether the new clustering is better is not clear")
    return f"{head}: {said} {value} {interval}, by {found.counts['answered']:,} answers."


def _key_numbers(found: Judgements) -> list[tuple[str, str, str]]:
    counts, agree = found.counts, found.agreement[1]
    numbers = [
        ("answers", f"{counts['answered']:,}", f"of {counts['questions']:,} questions"),
        ("judges", f"{counts['judges']:,}", "" if agree is None else f"{share_text(agree)} agreement"),
        ("unknown", f"{counts['unknown']:,}", ""),
        ("contradictions", f"{counts['contradictions']:,}", ""),
    ]
    impact = found.questions.design.impact
    return [*numbers, ("affected", share_text(impact["affected"]), "of all records")] if impact else numbers


def _estimates(found: Judgements) -> str:
    heads = ["Estimate", "Value", f"{100 * found.level:g} % interval", ""]
    table = rows_html(heads, [map(plain_html, line) for line in found.lines()], "Estimates")
    chart = figure("judged", (6.4, judged_height(found)), lambda ax: draw_judged(ax, found))
    return f'{table}<div class="alone">{chart}</div>'


def _examples(found: Judgements, *, good: bool) -> str:
    chosen = found.examples(good=good)
    heads = ["Question", "Left", "Right", "The change has them", "Judged"]
    rows = [
        [
            str(one["question"]),
            _record(one["left"], one.get("left_record")),
            _record(one["right"], one.get("right_record")),
            "joined" if found.questions.design.alone else _DONE[one["kind"]],
            one["answer"],
        ]
        for one in chosen[:_EXAMPLES]
    ]
    more = f'<p class="note">… and {len(chosen) - _EXAMPLES:,} more</p>' if len(chosen) > _EXAMPLES else ""
    return rows_html(heads, rows, "Judged pairs", (1, 2, 3, 4)) + more if rows else ""


def _record(name: str, shown: Mapping[str, str] | None) -> str:
    values = "; ".join(f"{key}: {value}" for key, value in (shown or {}).items() if value)
    values = values if len(values) <= _SHOWN else values[: _SHOWN - 1] + "…"
    return label_html(name) + (f"<small>{plain_html(values)}</small>" if values else "")


def _judges(found: Judgements) -> str:
    heads = ["Judge", "Answers", "Same", "Different", "Unknown", "Agreement"]
    rows = [
        [
            label_html(one.judge),
            *(f"{number:,}" for number in (one.answers, one.same, one.different, one.unknown)),
            "–" if one.agreement is None else share_text(one.agreement),
        ]
        for one in found.judges
    ]
    return rows_html(heads, rows, "Judges")


def _notes(found: Judgements) -> str:
    items = "".join(f"<li>{plain_html(line)}</li>" for line in found.remarks())
    return f'<ul class="note">{items}</ul>' if items else '<p class="note">Nothing special.</p>'


def _made(found: Judgements) -> str:
    design = found.questions.design
    asked: dict[str, Any] = {name: getattr(design, name) for name in ("index", "unit", "n", "seed", "fingerprint")}
    asked |= {f"{one.kind} pairs": f"{one.draws + one.sure:,} of {one.pairs:,}" for one in design.strata}
    rules = {"level": found.level, "looks": found.looks} | found.questions.record.settings
    listed = [{name: settings_text(value) for name, value in facts.items()} for facts in (asked, rules)]
    return f'<div class="facts">{list_facts("Questions", listed[0], "")}{list_facts("Settings", listed[1], "")}</div>'
