"""The text of a document: its headline, its verdict, and the sections of its summary."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from clustermark.results.document import Cell, Code, Count, Facts, Grid, Heading, Name, Notes, Noun, Value
from clustermark.results.values import TEXTUAL, count_text, decimals_apart, label_text, value_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from clustermark.errors import Mention
    from clustermark.results.data import Kind
    from clustermark.results.document import Body, Document, Head, Part, Prose, Section
    from clustermark.results.values import Medium


def document_text(
    document: Document, mention: Callable[[Mention], str] = str, writer: type[Writer] | None = None
) -> str:
    """Return a document as lines of text; `mention` formats options, by default as in Python."""
    write = (writer or Writer)(document.noun, mention)
    lines = [write.prose(document.headline), *([write.prose(document.verdict)] if document.verdict else [])]
    lines += [write.prose(["next: ", *_parts(document.next_step)])] if document.next_step else []
    lines += [f"note: {write.prose(notice)}" for notice in document.notices]
    parts = ["\n".join(lines)]
    for section in summary(document):
        lines = [line for body in section.make() for line in write.body(body)]
        parts += ["\n".join(lines)] if lines else []
    return write.between.join(parts)


def _parts(prose: Prose) -> Sequence[Part]:
    return [prose] if isinstance(prose, str) else prose


def summary(document: Document) -> Iterator[Section]:
    """Return the sections that text and notebooks show."""
    return (section for section in document.sections if section.level == "summary")


class Writer:
    """Writer of parts of a document as plain text."""

    between = "\n"
    """The separator of the head of a document and its sections."""
    most_rows = 60
    """Number of rows after which tables are cut."""

    def __init__(self, noun: str = "point", mention: Callable[[Mention], str] = str, width: int = 32) -> None:
        self.noun, self.mention, self.width = noun, mention, width

    def prose(self, prose: Prose) -> str:
        """Format a sentence."""
        return prose if isinstance(prose, str) else "".join(map(self.part, prose))

    def part(self, part: Part) -> str:
        """Format a part of a sentence."""
        match part:
            case str():
                return part
            case Name():
                return label_text(part.label, self.width)
            case Count():
                noun = part.noun or self.noun
                return f"{count_text(part.n)} {noun}{'' if part.n == 1 else 's'}"
            case Noun():
                return f"{self.noun}s" if part.plural else self.noun
            case Value():
                place = interval_medium(part.kind, [part]) if part.fine or part.low is not None else "sentence"
                text = value_text(part.value, part.kind, place)
                return " ".join(filter(None, [text, limits_text(part.low, part.high, part.kind, place)]))
            case _:
                return self.mention(part)

    def body(self, body: Body) -> list[str]:
        """Return the lines of a body; a chart has none."""
        match body:
            case Grid():
                return self.grid(body)
            case Notes():
                return [self.prose(line) for line in body.lines]
            case Facts():
                facts = (f"  {name}: {value_text(value, body.kind)}" for name, value in body.facts.items())
                return [f"{body.title}:", *facts]
            case Heading():
                return [self.prose(body.text)]
            case Code():
                return body.text.splitlines()
            case str() | list() | tuple():
                return [self.prose(body)]
            case _:
                return []

    def grid(self, grid: Grid) -> list[str]:
        """Return the lines of a table, cut if it is very long."""
        if not grid.rows:
            return [grid.empty] if grid.empty else []
        grid = columns_for(grid, "text")
        shown = len(grid.rows) if grid.whole else self.most_rows
        columns = [
            [head.title, *self.column([row[place] for row in grid.rows[:shown]], head.kind, medium)]
            for place, (head, medium) in enumerate(zip(grid.heads, media_of(grid), strict=True))
        ]
        text = self.aligned(grid.heads, list(zip(*columns, strict=True)))
        total = len(grid.rows) if grid.total is None else grid.total
        left = total - min(len(grid.rows), shown)
        return [*text.split("\n"), *([f"… and {left:,} more"] if left else [])]

    def aligned(self, heads: Sequence[Head], lines: Sequence[Sequence[str]]) -> str:
        """Align the lines of a table, titles first."""
        return align(lines, [head.kind in TEXTUAL for head in heads])

    def column(self, cells: Sequence[Any], kind: Kind, medium: Medium) -> list[str]:
        """Format the cells of a column; limits and notes beside numbers are aligned, too."""
        texts = [(self.value(cell_of(cell).value, kind, medium), beside(cell_of(cell), kind, medium)) for cell in cells]
        width = 0 if kind in TEXTUAL else max(len(remark) for _, remark in texts)
        return [f"{text} {remark:{width}}" if remark or width else text for text, remark in texts]

    def cell(self, cell: Any, kind: Kind, medium: Medium) -> str:
        """Format a cell of a table, with its limits and note."""
        full = cell_of(cell)
        return " ".join(filter(None, [self.value(full.value, kind, medium), beside(full, kind, medium)]))

    def value(self, value: Any, kind: Kind, place: Medium = "table") -> str:
        """Format a value of a table, which may be a sentence with names."""
        if is_prose(value, kind):
            return self.prose([value] if isinstance(value, Name) else value)
        return value_text(value, kind, place, self.width)


def columns_for(grid: Grid, medium: str) -> Grid:
    """Return the table without the columns that a medium leaves out."""
    places = [place for place, head in enumerate(grid.heads) if medium not in head.not_in]
    if len(places) == len(grid.heads):
        return grid
    rows = [[row[place] for place in places] for row in grid.rows]
    return replace(grid, heads=[grid.heads[place] for place in places], rows=rows)


def media_of(grid: Grid, *, digits: int | None = None) -> list[Medium]:
    """Return the medium of the numbers of each column: all its scores have more digits if any has an interval.

    digits: the decimals of all scores.
    """
    if digits is not None:
        return [digits] * len(grid.heads)
    columns = [[cell_of(row[place]) for row in grid.rows] for place in range(len(grid.heads))]
    return [
        "scores"
        if head.fine
        else interval_medium(head.kind, cells)
        if any(cell.low is not None for cell in cells)
        else "table"
        for head, cells in zip(grid.heads, columns, strict=True)
    ]


def interval_medium(kind: Kind, cells: Iterable[Cell | Value]) -> Medium:
    """Return the medium of numbers with intervals: limits of a difference show on which side of 0 they lie."""
    if kind != "error":
        return "interval"
    limits = [limit for cell in cells for limit in (cell.low, cell.high) if limit is not None]
    return decimals_apart(limits)


def cell_of(cell: Any) -> Cell:
    """Return a cell; a value alone becomes one."""
    return cell if isinstance(cell, Cell) else Cell(cell)


def beside(cell: Cell, kind: Kind, medium: Medium = "interval") -> str:
    """Format the limits of the interval of a cell, and its note."""
    return " ".join(filter(None, [limits_text(cell.low, cell.high, kind, medium), cell.note]))


def is_prose(value: Any, kind: Kind) -> bool:
    """Return whether a value of a table is a name or a sentence."""
    return isinstance(value, Name) or (isinstance(value, list | tuple) and kind not in ("texts", "label"))


def limits_text(low: float | None, high: float | None, kind: Kind, medium: Medium = "interval") -> str:
    """Format the limits of an interval in brackets; nothing without them."""
    if low is None or high is None:
        return ""
    place: Medium = medium if medium == "scores" or isinstance(medium, int) else "interval"
    return f"[{value_text(low, kind, place)}, {value_text(high, kind, place)}]"


def align(lines: Sequence[Sequence[str]], left: Iterable[bool] = (True,)) -> str:
    """Align lines with equally many cells: to the left in columns with true `left`, by default the first."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    to_left = [*left, *(False for _ in widths)][: len(widths)]
    return "\n".join(
        "  ".join(
            text.ljust(width) if own else text.rjust(width)
            for text, width, own in zip(line, widths, to_left, strict=True)
        ).rstrip()
        for line in lines
    )
