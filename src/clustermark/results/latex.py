"""The LaTeX of a document: a booktabs tabular for each table of its summary, the rest as comments."""

from __future__ import annotations

from math import floor, isfinite, log10
from typing import TYPE_CHECKING, Any

from clustermark.results.document import Cell, Grid, Notes
from clustermark.results.text import Writer, columns_for, summary
from clustermark.results.values import TEXTUAL

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clustermark.results.document import Body, Document, Head

_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{mark: f"\\{mark}" for mark in "&%$#_{}"},
        "–": "--",
        "−": "$-$",
        "±": r"$\pm$",
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
_NUMBERS = ("score", "error")
_BOLD = r"{\boldmath\bfseries "


def document_latex(document: Document, digits: int | None = None) -> str:
    """Return a document for a paper; a score that is the single best of its column is bold.

    digits: the decimals of scores; by default as many as their intervals justify, and 4 without intervals.
    """
    write = Writer(document.noun, width=120)
    bodies = [body for section in summary(document) for body in section.make()]
    grids = [body for body in bodies if isinstance(body, Grid) and body.rows]
    comments = [document.headline, document.verdict, *document.notices, *_remarks(bodies)]
    parts = [f"% {' '.join(text.split())}" for prose in comments if (text := write.prose(prose))]
    tables = [_tabular(grid, digits, write) for grid in grids]
    parts += ["% bold: the one best of its column"] if any(_BOLD in table for table in tables) else []
    return "\n".join([*parts, *tables, ""])


def _remarks(bodies: Iterable[Body]) -> Iterator[Any]:
    for body in bodies:
        if isinstance(body, Notes):
            yield from body.lines
        elif isinstance(body, str | list | tuple):
            yield body


def _tabular(grid: Grid, digits: int | None, write: Writer) -> str:
    grid = columns_for(grid, "latex")
    places = [place for place, head in enumerate(grid.heads) if head.level == "summary"]
    heads = [grid.heads[place] for place in places]
    columns = [_column([row[place] for row in grid.rows], grid.heads[place], digits, write) for place in places]
    rows = [" & ".join(cells) for cells in zip(*columns, strict=True)]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{''.join('l' if head.kind in TEXTUAL else 'r' for head in heads)}}}",
            r"\toprule",
            f"{' & '.join(in_latex(head.short or head.title) for head in heads)} \\\\",
            r"\midrule",
            *(f"{row} \\\\" for row in rows),
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _column(cells: Sequence[Any], head: Head, digits: int | None, write: Writer) -> list[str]:
    """Return the cells of a column, whose scores have equally many digits."""
    widths = [_half_width(cell) for cell in cells]
    own = digits_for(widths, bounded=_bounded(cells)) if digits is None else digits
    texts = [_cell(cell, head, own, write) for cell in cells]
    strong = [place for place, cell in enumerate(cells) if isinstance(cell, Cell) and cell.strong]
    if len(strong) == 1 < len(cells):
        texts[strong[0]] = f"{_BOLD}{texts[strong[0]]}}}"
    return texts


def _half_width(cell: Any) -> float | None:
    if not isinstance(cell, Cell) or cell.low is None or cell.high is None:
        return None
    return (cell.high - cell.low) / 2


def _bounded(cells: Iterable[Any]) -> bool:
    values = (cell.value if isinstance(cell, Cell) else cell for cell in cells)
    return all(abs(value) <= 1 for value in values if isinstance(value, int | float))


def _cell(cell: Any, head: Head, digits: int | None, write: Writer) -> str:
    value = cell.value if isinstance(cell, Cell) else cell
    if head.kind in _NUMBERS and isinstance(value, int | float):
        text = _with_limits(value, cell, digits)
    else:
        text = in_latex(write.value(value, head.kind))
    return f"{text} {in_latex(cell.note)}" if isinstance(cell, Cell) and cell.note else text


def _with_limits(value: float, cell: Any, digits: int | None) -> str:
    """A score as 0.67 ± 0.03; with its limits in brackets if it lies outside them, as a biased one can."""
    if not isinstance(cell, Cell) or cell.low is None or cell.high is None or cell.low <= value <= cell.high:
        return plus_minus(value, _half_width(cell), digits)
    low, high = (f"{limit:.{4 if digits is None else digits}f}" for limit in (cell.low, cell.high))
    return f"{plus_minus(value, None, digits)} $[{low}, {high}]$"


def plus_minus(score: float, half_width: float | None, digits: int | None = None) -> str:
    """Format a score as 0.67 ± 0.03, with this many decimals, 4 by default."""
    digits = 4 if digits is None else digits
    if half_width is None:
        return _in_math(f"{score:.{digits}f}")
    return f"${score:.{digits}f} \\pm {half_width:.{digits}f}$"


def _in_math(score: str) -> str:
    return f"${score.replace('inf', chr(92) + 'infty')}$" if score[0] in "-i" else score


def digits_for(half_widths: Iterable[float | None], *, bounded: bool) -> int | None:
    """Return the number of decimals that the half widths of intervals justify; None without intervals.

    It is one more for a width that begins with 1 or 2, which would be too coarse; at least 2 for bounded scores.

    >>> digits_for([0.062, None], bounded=True), digits_for([0.062, 0.0149], bounded=True)
    (2, 3)
    >>> digits_for([0.3], bounded=True), digits_for([41.2], bounded=False), digits_for([None], bounded=True)
    (2, 0, None)
    """
    known = [width for width in half_widths if width and isfinite(width)]
    return max([2 if bounded else 0, *map(_digits, known)]) if known else None


def _digits(half_width: float) -> int:
    power = floor(log10(half_width))
    return (1 if half_width < 3 * 10.0**power else 0) - power


def in_latex(text: str) -> str:
    """Escape the characters that LaTeX interprets; characters that cannot be printed become blanks."""
    return "".join(c if c.isprintable() else " " for c in text).translate(_LATEX)
