"""The HTML of a document in a notebook: without a frame, a script or colours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark.results.document import Code, Facts, Grid, Heading, Notes
from clustermark.results.html import Html, fragment, h
from clustermark.results.text import Writer, beside, cell_of, columns_for, media_of, summary
from clustermark.results.values import TEXTUAL, value_text

if TYPE_CHECKING:
    from clustermark.results.document import Body, Document, Head
    from clustermark.results.values import Medium

_SHADE = "0,114,178"
_DARKEST = 0.45
"""The opacity of a shade; black and white text stay readable on it."""
_ROWS = 100
"""Number of rows after which tables are cut."""
_WIDTH = 60


def document_html(document: Document) -> Html:
    """Return a document for a notebook: its verdict, its notices and the sections of its summary."""
    write = _Notebook(document)
    bodies = [body for section in summary(document) for body in section.make()]
    caption = write.prose(document.headline)
    first = next((place for place, body in enumerate(bodies) if isinstance(body, Grid) and body.rows), None)
    content = [
        write.grid_html(body, caption) if place == first and isinstance(body, Grid) else write.body_html(body)
        for place, body in enumerate(bodies)
    ]
    head = [h("p", caption)] if first is None else []
    parts = [h("p", h("strong", write.prose(document.verdict)))] if document.verdict else []
    return fragment(head, parts, [h("p", "note: ", write.prose(one)) for one in document.notices], content)


class _Notebook(Writer):
    def __init__(self, document: Document) -> None:
        super().__init__(document.noun, width=_WIDTH)

    def body_html(self, body: Body) -> Html:
        match body:
            case Grid():
                return self.grid_html(body)
            case Notes():
                return fragment(h("p", self.prose(line)) for line in body.lines)
            case Facts():
                rows = (
                    h("tr", h("td", name), h("td", value_text(value, body.kind))) for name, value in body.facts.items()
                )
                return h("table", h("caption", body.title), rows)
            case Heading():
                return h("p", h("strong", self.prose(body.text)))
            case Code():
                return h("pre", body.text)
            case str() | list() | tuple():
                return h("p", self.prose(body))
            case _:
                return Html()

    def grid_html(self, grid: Grid, caption: str = "") -> Html:
        if not grid.rows:
            return h("p", grid.empty) if grid.empty else Html()
        grid = columns_for(grid, "notebook")
        heads = h("tr", (h("th", head.title, title=head.long or None) for head in grid.heads))
        media = media_of(grid)
        shown = len(grid.rows) if grid.whole else _ROWS
        rows = (
            h("tr", (self.cell_html(*one) for one in zip(row, grid.heads, media, strict=True)))
            for row in grid.rows[:shown]
        )
        total = len(grid.rows) if grid.total is None else grid.total
        left = total - min(len(grid.rows), shown)
        more = h("p", f"… and {left:,} more") if left else None
        return fragment(h("table", h("caption", caption or grid.caption), heads, rows), more)

    def cell_html(self, cell: Any, head: Head, medium: Medium) -> Html:
        full = cell_of(cell)
        styles = ["text-align:left" if head.kind in TEXTUAL else "text-align:right"]  # Jupyter's own is right
        styles += [_bar(full.bar)] if full.bar else []
        styles += [f"background:rgba({_SHADE},{_DARKEST * _within(full.shade):.3f})"] if full.shade else []
        text, remark = self.value(full.value, head.kind, medium), beside(full, head.kind, medium)
        shown = h("b", text) if full.strong else text
        return h("td", shown, f" {remark}" if remark else None, style=";".join(styles) or None)


def _bar(share: float) -> str:
    width, colour = f"{100 * _within(share):.1f}%", f"rgba({_SHADE},{_DARKEST - 0.1:.2f})"
    return f"background:linear-gradient(to right,{colour} {width},transparent {width})"


def _within(share: float) -> float:
    return min(max(share, 0.0), 1.0)
