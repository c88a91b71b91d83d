"""Tables for the terminal: aligned, coloured only where somebody looks, and never wider than needed."""

from __future__ import annotations

import sys
from io import StringIO
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from clustermark.cli.terminal import IN_ASCII, make_visible, suit_output, wants_colour

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from clustermark.errors import Mention
    from clustermark.results.document import Document, Head, Prose

_UNLIMITED = 100_000
_FOLDED = 12
"""The least width of a column whose texts can be folded."""
_NARROW = dict.fromkeys(IN_ASCII, " ")
"""Signs of ours that ASCII lacks and that take one place each."""


class Column(NamedTuple):
    """The head of a column, and how it looks."""

    title: str
    align: Literal["left", "right"] = "left"
    style: str = ""
    folds: bool = False
    """Whether long texts may go on in the next line, on a narrow terminal."""


def table(columns: Sequence[Column], rows: Iterable[Sequence[str]], *, to_terminal: bool) -> str:
    """The rows under their heads, as text that ends with a line break."""
    rows = [[suit_output(cell) for cell in row] for row in rows]
    titles = [suit_output(column.title) for column in columns]
    if not to_terminal and all(map(_is_one_place_a_letter, chain(titles, *rows))):
        return _align(columns, [titles, *rows])
    from rich import box
    from rich.table import Table
    from rich.text import Text

    drawn = Table(
        box=box.SIMPLE_HEAD if to_terminal else None,
        padding=(0, 1, 0, 0) if to_terminal else (0, 1),  # two blanks between columns, either way
        pad_edge=False,
        header_style="bold",
        show_edge=False,
    )
    for title, column in zip(titles, columns, strict=True):
        drawn.add_column(
            title,
            justify=column.align,
            style=column.style,
            no_wrap=not column.folds,
            overflow="fold",
        )
    for row in rows:
        drawn.add_row(*map(Text, row))
    return render(drawn, to_terminal=to_terminal)


def _is_one_place_a_letter(text: str) -> bool:
    """Whether a text is as wide as it has letters, and a table shows it as it is."""
    return text.translate(_NARROW).isascii() and text.isprintable() and text == text.strip()


def _align(columns: Sequence[Column], lines: Sequence[Sequence[str]]) -> str:
    """What rich would draw for files and pipes; importing it takes longer than many a score."""
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    text = ""
    for line in lines:
        cells = (
            cell.rjust(width) if column.align == "right" else cell.ljust(width)
            for cell, width, column in zip(line, widths, columns, strict=True)
        )
        text += "  ".join(cells).rstrip() + "\n"
    return text


def paragraph(text: str, *, to_terminal: bool) -> str:
    """A long line, broken between words to fit the terminal; one line for files and pipes."""
    text = suit_output(text)
    if not to_terminal:
        return text
    from shutil import get_terminal_size
    from textwrap import fill

    return fill(make_visible(text), get_terminal_size().columns, break_long_words=False, break_on_hyphens=False)


def render(drawn: Any, *, to_terminal: bool) -> str:
    """What rich draws, as text: as wide as the terminal, or as wide as it needs for files and pipes."""
    from rich.console import Console

    console = Console(
        file=sys.stdout or StringIO(),
        highlight=False,
        force_terminal=to_terminal,
        color_system="auto" if wants_colour() else None,
        width=None if to_terminal else _UNLIMITED,
    )
    with console.capture() as capture:
        console.print(drawn)
    text = capture.get()
    return text if to_terminal else "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def document_text(document: Document, mention: Callable[[Mention], str], *, to_terminal: bool) -> str:
    """A document as the program prints it: options in its words, tables and paragraphs that fit a terminal."""
    from clustermark.results import text
    from clustermark.results.values import TEXTUAL

    class Writer(text.Writer):
        between = "\n\n"

        def aligned(self, heads: Sequence[Head], lines: Sequence[Sequence[str]]) -> str:
            columns = [
                Column(title, "left" if head.kind in TEXTUAL else "right", folds=head.kind in TEXTUAL)
                for title, head in zip(lines[0], heads, strict=True)
            ]
            columns[0] = columns[0]._replace(style="cyan")
            shown = _fitting(heads, columns, lines) if to_terminal else range(len(heads))
            rows = [[line[place] for place in shown] for line in lines[1:]]
            return table([columns[place] for place in shown], rows, to_terminal=to_terminal).removesuffix("\n")

        def prose(self, prose: Prose) -> str:
            return paragraph(super().prose(prose), to_terminal=to_terminal)

    return text.document_text(document, mention, Writer)


def _fitting(heads: Sequence[Head], columns: Sequence[Column], lines: Sequence[Sequence[str]]) -> list[int]:
    """The places of the columns that a terminal has room for: columns of detail are left out from the right."""
    from shutil import get_terminal_size

    def least(place: int) -> int:
        cells = (line[place] for line in lines)
        return _FOLDED if columns[place].folds else max(map(len, cells))

    shown = list(range(len(heads)))
    for place in reversed(shown.copy()):
        if sum(least(one) + 2 for one in shown) <= get_terminal_size().columns:
            break
        if heads[place].level == "detail":
            shown.remove(place)
    return shown
