"""The Markdown of a document: headings, tables and lists; charts are left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustermark.results.document import Cell, Code, Facts, Grid, Heading, Notes
from clustermark.results.text import Writer, media_of
from clustermark.results.values import TEXTUAL, value_text

if TYPE_CHECKING:
    from clustermark.results.document import Body, Document

_ESCAPED = {ord(mark): f"\\{mark}" for mark in "\\`*_{}[]<>#|~"}


def document_markdown(document: Document) -> str:
    """A document as Markdown, with all of its sections."""
    write = Writer(document.noun, width=120)
    said = [f"# {in_markdown(document.title)}", in_markdown(write.prose(document.headline))]
    said += [f"**{in_markdown(write.prose(document.verdict))}**"] if document.verdict else []
    said += [f"Next: {in_markdown(write.prose(document.next_step))}"] if document.next_step else []
    said += [f"> {in_markdown(write.prose(notice))}" for notice in document.notices]
    for section in document.sections:
        bodies = [text for body in section.make() if (text := _body(body, write))]
        if bodies:
            said += [f"## {in_markdown(section.title)}", *bodies]
    return "\n\n".join(said) + "\n"


def in_markdown(text: str) -> str:
    """A text as one line of Markdown, with what Markdown would interpret escaped."""
    return " ".join(text.split()).translate(_ESCAPED)


def _body(body: Body, write: Writer) -> str:
    match body:
        case Grid():
            return _grid(body, write)
        case Notes():
            return "\n".join(f"- {in_markdown(write.prose(line))}" for line in body.lines)
        case Facts():
            lines = (f"- {in_markdown(name)}: {in_markdown(value_text(value, body.kind))}"
                     for name, value in body.facts.items())  # fmt: skip
            return "\n".join([f"**{in_markdown(body.title)}**", "", *lines])
        case Heading():
            return f"### {in_markdown(write.prose(body.text))}"
        case Code():
            return "\n".join(f"    {line}" for line in body.text.splitlines())
        case str() | list() | tuple():
            return in_markdown(write.prose(body))
        case _:
            return ""


def _grid(grid: Grid, write: Writer) -> str:
    if not grid.rows:
        return in_markdown(grid.empty)
    lines = [
        [in_markdown(head.title) for head in grid.heads],
        ["---" if head.kind in TEXTUAL else "---:" for head in grid.heads],
    ]
    media = media_of(grid)
    for row in grid.rows:
        cells = zip(row, grid.heads, media, strict=True)
        texts = [in_markdown(write.cell(cell, head.kind, medium)) for cell, head, medium in cells]
        strong = [isinstance(cell, Cell) and cell.strong for cell in row]
        lines.append([f"**{text}**" if bold else text for text, bold in zip(texts, strong, strict=True)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
