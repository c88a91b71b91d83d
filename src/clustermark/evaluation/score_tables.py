"""Tables of an evaluation for papers, pages and notebooks: Markdown, LaTeX, HTML."""

from __future__ import annotations

from html import escape
from math import isfinite
from typing import TYPE_CHECKING

from clustermark.evaluation.score_lines import headline, interval_lines, notice_lines, refusal_lines, score_lines
from clustermark.results.latex import digits_for, in_latex, plus_minus

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clustermark.evaluation.record import Record
    from clustermark.evaluation.score_lines import ScoreLine

_MARKDOWN = {ord(mark): f"\\{mark}" for mark in "\\`*_{}[]<>#|~"}


def markdown(record: Record, digits: int = 6) -> str:
    """Return a Markdown table, preceded by a description of what was compared."""
    with_intervals = record.has_intervals
    lines = ["| index | | score | interval | range |", "|---|---|---:|---|---|"]
    if not with_intervals:
        lines = ["| index | | score | range |", "|---|---|---:|---|"]
    lines += [
        f"| {in_markdown(line.title)} | `{line.label.replace('|', chr(92) + '|')}` | {line.score} | "
        f"{f'{line.interval} | ' if with_intervals else ''}{line.bounds}{line.better} |"
        for line in score_lines(record, digits)
    ]
    notes = "".join(f"\n\n{in_markdown(note)}" for note in [*interval_lines(record), *refusal_lines(record)])
    head = "".join(f"{in_markdown(line)}\n\n" for line in (headline(record), *notice_lines(record)))
    return head + "\n".join(lines) + notes + "\n"


def in_markdown(text: str) -> str:
    """Return a text as one line of Markdown with special characters escaped."""
    return " ".join(text.split()).translate(_MARKDOWN)


def latex(record: Record, digits: int | None = None) -> str:
    """Return a LaTeX tabular that needs no package; a comment above it describes what was compared.

    digits: decimal places, 4 by default; with intervals as many as these warrant, as in 0.67 ± 0.03.
    """
    lines = [
        f"{in_latex(line.title)} & {_with_interval(line, record, digits)} & "
        f"{_latex_bounds(line.bounds)}{line.better} \\\\"
        for line in score_lines(record, 4 if digits is None else digits)
    ]
    return "\n".join(
        [
            *(
                f"% {' '.join(line.split())}"
                for line in (headline(record), *notice_lines(record), *interval_lines(record))
            ),
            r"\begin{tabular}{lrl}",
            r"\hline",
            r"index & score & range \\",
            r"\hline",
            *lines,
            r"\hline",
            r"\end{tabular}",
            "",
        ]
    )


def _with_interval(line: ScoreLine, record: Record, digits: int | None) -> str:
    """Return a score, with half the width of its interval if it has one."""
    score = record.scores[line.label]
    found = score.interval
    if found is None or found.half_width is None:
        return _in_math(line.score)
    if digits is None and score.bounded:  # bounded scores are similar in size, so they get the same number of digits
        others = (other.interval for other in record.scores.values() if other.bounded)
        digits = digits_for((other.half_width for other in others if other), bounded=True)
    elif digits is None:
        digits = digits_for([found.half_width], bounded=False)
    return plus_minus(found.middle, found.half_width, digits)


def _in_math(score: str) -> str:
    return f"${score.replace('inf', chr(92) + 'infty')}$" if score[0] in "-i" else score


def _latex_bounds(bounds: str) -> str:
    inside = bounds.replace("−", "-").replace("∞", r"\infty")
    return f"${inside}$"


def latex_table(heads: Sequence[str], rows: Iterable[Sequence[str]], notes: Iterable[str]) -> str:
    """Return a booktabs table of LaTeX cells; the first column is a name, and notes are comments above the table."""
    return "\n".join(
        [
            *(f"% {' '.join(note.split())}" for note in notes),
            rf"\begin{{tabular}}{{l{'r' * (len(heads) - 1)}}}",
            r"\toprule",
            f"{' & '.join(heads)} \\\\",
            r"\midrule",
            *(f"{' & '.join(row)} \\\\" for row in rows),
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def html(record: Record, verdict: str) -> str:
    """Return the verdict and a table for notebooks as HTML, with a bar for each score between 0 and 1."""
    rows = "".join(
        f"<tr><td title='{escape(line.title)}'>{escape(line.label)}</td>"
        f"<td style='text-align:right'>{line.score}</td>{f'<td>{line.interval}</td>' if record.has_intervals else ''}"
        f"<td>{escape(line.bounds + line.better)}</td>"
        f"<td>{_bar(record.scores[line.label].value, line.bounds)}</td></tr>"
        for line in score_lines(record)
    )
    said = [*notice_lines(record), *interval_lines(record), *refusal_lines(record)]
    notes = "".join(f"<p>{escape(line)}</p>" for line in said)
    middle = "<th>interval</th>" if record.has_intervals else ""
    head = f"<tr><th>index</th><th>score</th>{middle}<th>range</th><th></th></tr>"
    table = f"<table><caption>{escape(headline(record))}</caption>{head}{rows}</table>"
    return f"<p><strong>{escape(verdict)}</strong></p>{table}{notes}"


def _bar(score: float, bounds: str) -> str:
    if not isfinite(score) or not bounds.endswith(" 1]"):
        return ""
    width = round(100 * min(max(score, 0.0), 1.0))
    return f"<div style='width:6em'><div style='width:{width}%;height:0.6em;background:#4c78a8'></div></div>"
