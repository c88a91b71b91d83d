"""The Markdown of a document: headings, tables and lists; charts are left out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from clustermark.results.document import Cell, Code, Facts, Grid, Heading, Name, Notes
from clustermark.results.text import Writer, beside, cell_of, columns_for, is_prose, media_of
from clustermark.results.values import TEXTUAL, label_text, value_text

if TYPE_CHECKING:
    from clustermark.results.data import Kind
    from clustermark.results.document import Body, Document, Prose
    from clustermark.results.values import Medium

_ESCAPED = {ord(mark): f"\\{mark}" for mark in "\\`*_{}[]<>#|~"}


def document_markdown(document: Document, digits: int | None = None) -> str:
    """Return a document as Markdown, with all of its sections; names are code, so that they link and notify nobody.

    digits: the decimals of scores in tables.
    """
    write = _Markdown(document.noun, width=120)
    write.digits = digits
    parts = [f"# {code(document.title, 120)}" if "@" in document.title else f"# {in_markdown(document.title)}"]
    parts += [write.prose(document.headline)]
    parts += [f"**{write.prose(document.verdict)}**"] if document.verdict else []
    parts += [f"Next: {write.prose(document.next_step)}"] if document.next_step else []
    parts += [f"> {write.prose(notice)}" for notice in document.notices]
    for section in document.sections:
        bodies = [text for body in section.make() if (text := write.markdown(body))]
        if bodies:
            parts += [f"## {in_markdown(section.title)}", *bodies]
    return "\n\n".join(parts) + "\n"


def in_markdown(text: str) -> str:
    """Format a text as one line of Markdown, escaping the characters that Markdown interprets."""
    return " ".join(text.split()).translate(_ESCAPED)


def code(text: object, width: int = 40) -> str:
    """Format a text as code; the fence of backticks is longer than any within it.

    >>> code("@everyone"), code("a`b")
    ('`@everyone`', '`` a`b ``')
    """
    shown = label_text(text, width)
    fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    space = " " if len(fence) > 1 or shown != shown.strip() else ""
    return f"{fence}{space}{shown}{space}{fence}"


class _Markdown(Writer):
    """Writer of parts of a document as Markdown."""

    digits: int | None = None
    """Number of decimals of scores in tables; by default that of each column."""

    def prose(self, prose: Prose) -> str:
        """Format a sentence, with its names as code."""
        if isinstance(prose, str):
            return in_markdown(prose)
        parts = (code(part.label) if isinstance(part, Name) else self.part(part).translate(_ESCAPED) for part in prose)
        return " ".join("".join(parts).split())

    def value(self, value: Any, kind: Kind, place: Medium = "table") -> str:
        """Format a value of a table."""
        if is_prose(value, kind):
            text = self.prose([value] if isinstance(value, Name) else value)
        elif kind in ("label", "name") and value is not None:
            text = code(value)
        else:
            return in_markdown(value_text(value, kind, place, self.width))
        return re.sub(r"\\?\|", r"\\|", text)  # a bar ends a cell, also within code

    def cell(self, cell: Any, kind: Kind, medium: Medium) -> str:
        """Format a cell of a table, with its limits and note."""
        full = cell_of(cell)
        return " ".join(filter(None, [self.value(full.value, kind, medium), in_markdown(beside(full, kind, medium))]))

    def markdown(self, body: Body) -> str:
        """Format a body; a chart is empty."""
        match body:
            case Grid():
                return self.table(body)
            case Notes():
                return "\n".join(f"- {self.prose(line)}" for line in body.lines)
            case Facts():
                lines = (f"- {in_markdown(name)}: {_fact(value, body.kind)}" for name, value in body.facts.items())
                return "\n".join([f"**{in_markdown(body.title)}**", "", *lines])
            case Heading():
                return f"### {self.prose(body.text)}"
            case Code():
                return "\n".join(f"    {line}" for line in body.text.splitlines())
            case str() | list() | tuple():
                return self.prose(body)
            case _:
                return ""

    def table(self, grid: Grid) -> str:
        """Format a table; bold cells are the best of their columns."""
        if not grid.rows:
            return in_markdown(grid.empty)
        grid = columns_for(grid, "markdown")
        lines = [
            [in_markdown(head.title) for head in grid.heads],
            ["---" if head.kind in TEXTUAL else "---:" for head in grid.heads],
        ]
        media = media_of(grid, digits=self.digits)
        for row in grid.rows:
            cells = zip(row, grid.heads, media, strict=True)
            texts = [self.cell(cell, head.kind, medium) for cell, head, medium in cells]
            strong = [isinstance(cell, Cell) and cell.strong for cell in row]
            lines.append([f"**{text}**" if bold else text for text, bold in zip(texts, strong, strict=True)])
        text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        total = len(grid.rows) if grid.total is None else grid.total
        left = total - len(grid.rows)
        return f"{text}\n\n… and {left:,} more" if left else text


def _fact(value: Any, kind: Kind) -> str:
    text = value_text(value, kind)
    return code(text, 120) if kind == "any" and re.search(r"[^\w .,:-]|www", text) else in_markdown(text)
