"""Tables as text and as small HTML for notebooks: one list of lines for both.

The HTML has no colours but shades that let the notebook's own text be read, in the light and in the dark.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SHADE = "0,114,178"
_DARKEST = 0.45
"""A shade behind text; both black and white stay readable on it."""


class Shaded(str):
    """The text of a cell with a share from 0 to 1: a bar behind it, or the whole cell shaded."""

    __slots__ = ("bar", "share")

    share: float
    bar: bool

    def __new__(cls, text: str, share: float | None, *, bar: bool = True) -> Shaded:
        """A text with a bar behind it; without one where there is no share."""
        made = super().__new__(cls, text)
        made.share, made.bar = min(max(share or 0.0, 0.0), 1.0), bar
        return made

    @property
    def style(self) -> str:
        """What CSS says of it."""
        if not self.bar:
            return f"background:rgba({_SHADE},{_DARKEST * self.share:.3f})"
        width, colour = f"{100 * self.share:.1f}%", f"rgba({_SHADE},{_DARKEST - 0.1:.2f})"
        return f"background:linear-gradient(to right,{colour} {width},transparent {width})" if self.share else ""


def html_table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]], notes: Iterable[str] = ()) -> str:
    """Rows of texts as a table for notebooks, whose first column is a name; notes stand below it."""
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    body = "".join(f"<tr>{''.join(_cell(cell, place) for place, cell in enumerate(row))}</tr>" for row in rows)
    said = "".join(f"<p>{escape(note)}</p>" for note in notes)
    return f"<table><caption>{escape(caption)}</caption><tr>{head}</tr>{body}</table>{said}"


def _cell(cell: str, place: int) -> str:
    style = "text-align:right" if place else ""
    if isinstance(cell, Shaded) and cell.style:
        style = f"{style};{cell.style}" if style else cell.style
    return f"<td style='{style}'>{escape(cell)}</td>" if style else f"<td>{escape(cell)}</td>"


def html_grid(caption: str, rows: Sequence[str], columns: Sequence[str], counts: Any, shades: Any) -> str:
    """A shaded table of true clusters in rows against predicted ones in columns; no number where nothing is shared.

    shades: for each count a share from 0 to 1.
    """
    lines = [
        [name, *(Shaded(f"{count:,}" if count else "", shade, bar=False) for count, shade in zip(*both, strict=True))]
        for name, *both in zip(rows, counts, shades, strict=True)
    ]
    return html_table(caption, ["true \\ predicted", *columns], lines)
