"""An evaluation as a table for papers, pages and notebooks: Markdown, LaTeX, HTML."""

from __future__ import annotations

from html import escape
from math import isfinite
from typing import TYPE_CHECKING

from clustermark.report.text import headline, notice_lines, refusal_lines, score_lines

if TYPE_CHECKING:
    from clustermark.report.record import Record

_MARKDOWN = {ord(mark): f"\\{mark}" for mark in "\\`*_{}[]<>#|~"}
_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{mark: f"\\{mark}" for mark in "&%$#_{}"},
        "–": "--",
        "−": "$-$",
        "∞": r"$\infty$",
        "²": "$^2$",
        "χ": r"$\chi$",
        "Γ": r"$\Gamma$",
        "τ": r"$\tau$",
        "λ": r"$\lambda$",
        "γ": r"$\gamma$",
        "φ": r"$\phi$",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "\n": " ",
        "\r": " ",
    }
)


def markdown(record: Record, digits: int = 6) -> str:
    """A Markdown table, with what was compared above it."""
    lines = ["| index | | score | range |", "|---|---|---:|---|"]
    lines += [
        f"| {_in_markdown(line.title)} | `{line.label.replace('|', chr(92) + '|')}` | {line.score} | {line.bounds} |"
        for line in score_lines(record, digits)
    ]
    notes = "".join(f"\n\n{_in_markdown(note)}" for note in refusal_lines(record))
    head = "".join(f"{_in_markdown(line)}\n\n" for line in (headline(record), *notice_lines(record)))
    return head + "\n".join(lines) + notes + "\n"


def _in_markdown(text: str) -> str:
    return " ".join(text.split()).translate(_MARKDOWN)


def latex(record: Record, digits: int = 4) -> str:
    """A LaTeX tabular that needs no package; what was compared is in a comment above it."""
    lines = [
        f"{line.title.translate(_LATEX)} & {_in_math(line.score)} & {_latex_bounds(line.bounds)} \\\\"
        for line in score_lines(record, digits)
    ]
    return "\n".join(
        [
            *(f"% {' '.join(line.split())}" for line in (headline(record), *notice_lines(record))),
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


def _in_math(score: str) -> str:
    return f"${score.replace('inf', chr(92) + 'infty')}$" if score[0] in "-i" else score


def _latex_bounds(bounds: str) -> str:
    inside = bounds.replace("−", "-").replace("∞", r"\infty")
    return f"${inside}$"


def html(record: Record, verdict: str) -> str:
    """An HTML table for notebooks, with a bar for each score between 0 and 1."""
    rows = "".join(
        f"<tr><td title='{escape(line.title)}'>{escape(line.label)}</td>"
        f"<td style='text-align:right'>{line.score}</td><td>{escape(line.bounds)}</td>"
        f"<td>{_bar(record.scores[line.label].value, line.bounds)}</td></tr>"
        for line in score_lines(record)
    )
    notes = "".join(f"<p>{escape(line)}</p>" for line in [verdict, *notice_lines(record), *refusal_lines(record)])
    head = "<tr><th>index</th><th>score</th><th>range</th><th></th></tr>"
    return f"<table><caption>{escape(headline(record))}</caption>{head}{rows}</table>{notes}"


def _bar(score: float, bounds: str) -> str:
    if not isfinite(score) or not bounds.endswith(" 1]"):
        return ""
    width = round(100 * min(max(score, 0.0), 1.0))
    return f"<div style='width:6em'><div style='width:{width}%;height:0.6em;background:#4c78a8'></div></div>"
