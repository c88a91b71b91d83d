"""Text for terminals, files and pipes: tables, progress, messages; no control character reaches a terminal.

Colours are omitted on request, and ASCII is used for terminals that support nothing else.
"""

from __future__ import annotations

import codecs
import os
import re
import sys
from contextlib import contextmanager
from functools import partial
from io import StringIO
from itertools import chain
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TextIO

    from clustermark.errors import Mention
    from clustermark.results.document import Body, Document, Head, Prose

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f]")
IN_ASCII = str.maketrans(
    {
        "−": "-",
        "–": "-",
        "—": "-",
        "─": "-",
        "━": "-",
        "×": "x",
        "·": ".",
        "•": "*",
        "∞": "inf",
        "…": "...",
        "²": "^2",
        "√": "sqrt",
        "Σ": "sum",
        "≥": ">=",
        "≤": "<=",
        "→": "->",
        "↓": "v",
        "Γ": "gamma",
        "γ": "gamma",
        "π": "pi",
        "χ": "chi",
        "φ": "phi",
        "τ": "tau",
        "λ": "lambda",
        "ł": "l",
        "Ł": "L",
    }
)
"""Replacements in texts of clustermark for characters that ASCII lacks."""


def make_visible(text: str) -> str:
    """Return a text in which characters that control a terminal, or reorder the text around them, are written out.

    >>> make_visible("red \\x1b[31m, \\x9b31m and \\u202e")
    'red \\\\x1b[31m, \\\\x9b31m and \\\\u202e'
    """
    from clustermark.results.json import STEERING

    return re.sub(STEERING, _spell_out, _CONTROLS.sub(_spell_out, text))


def _spell_out(found: re.Match[str]) -> str:
    return found.group().encode("unicode_escape").decode()


def escape_as_json(error: UnicodeError) -> tuple[str, int]:
    """Return the JSON escapes of characters that a stream cannot encode: texts remain JSON, and stay distinct."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2)), error.end


ESCAPED = "clustermark.escaped"
codecs.register_error(ESCAPED, escape_as_json)


def is_ascii(stream: TextIO | None) -> bool:
    """Return whether a stream supports ASCII only: by its encoding, or by the locale.

    Python writes UTF-8 in the C locale; but if that locale is set explicitly, the terminal may not support UTF-8.
    """
    if "PYTHONIOENCODING" not in os.environ and os.environ.get("LC_ALL") in ("C", "POSIX"):
        return True
    return codecs.lookup(getattr(stream, "encoding", None) or "utf-8").name == "ascii"


def in_ascii(text: str, *, letters: bool = False) -> str:
    """Return a text of clustermark with signs that ASCII lacks replaced; with `letters`, accents are removed too.

    >>> in_ascii("[−∞, ∞)"), in_ascii("Kulczyński", letters=True)
    ('[-inf, inf)', 'Kulczynski')
    """
    text = text.translate(IN_ASCII)
    if not letters:
        return text
    import unicodedata

    return "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))


def suit_output(text: str, *, letters: bool = False) -> str:
    """Return a text of clustermark in characters that standard output supports."""
    return in_ascii(text, letters=letters) if is_ascii(sys.stdout) else text


def wants_colour() -> bool:
    """Return whether colour was not disabled by NO_COLOR (see no-color.org)."""
    return not os.environ.get("NO_COLOR")


def write(text: str, shape: str) -> None:
    """Write a result to standard output. Data for programs keep their letters in a pipe, whatever the locale is."""
    stream = sys.stdout
    if stream is None:
        raise OSError(9, "standard output is closed")
    if stream.isatty() and shape != "table":  # in a table, labels were made visible, and the rest is colour
        text = make_visible(text)
    if is_ascii(stream) and (shape in ("table", "json") or stream.isatty()):
        text = text.encode("ascii", ESCAPED).decode()
    stream.write(text)


def say(message: str) -> None:
    """Write a message to standard error, wrapped between words on a terminal."""
    stream = sys.stderr
    if stream is None:
        return
    text = make_visible(message)
    if is_ascii(stream):
        text = in_ascii(text).encode("ascii", ESCAPED).decode()
    if stream.isatty():
        text = "\n".join(_wrap(line, _width(stream)) for line in text.splitlines())
    stream.write(f"{text}\n")
    stream.flush()


def _width(stream: TextIO) -> int:
    given = os.environ.get("COLUMNS", "")
    try:
        return int(given) if given.isdecimal() and int(given) else os.get_terminal_size(stream.fileno()).columns or 80
    except OSError:
        return 80


def _wrap(line: str, width: int) -> str:
    from textwrap import fill

    indent = line[: len(line) - len(line.lstrip())]
    return fill(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False) or line


_UNLIMITED = 100_000
_FOLDED = 12
"""The minimum width of a column whose texts can be wrapped."""
_NARROW = dict.fromkeys(IN_ASCII, " ")
"""Signs in texts of clustermark that ASCII lacks and that take one place each."""


class TerminalColumn(NamedTuple):
    """The head of a column, and its layout."""

    title: str
    align: Literal["left", "right"] = "left"
    style: str = ""
    folds: bool = False
    """Whether long texts may continue on the next line, on a narrow terminal."""


def table(columns: Sequence[TerminalColumn], rows: Iterable[Sequence[str]], *, to_terminal: bool) -> str:
    """Return the rows under their heads, as text that ends with a line break."""
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
    """Return whether each letter of a text takes one place, and a table shows the text unchanged."""
    return text.translate(_NARROW).isascii() and text.isprintable() and text == text.strip()


def _align(columns: Sequence[TerminalColumn], lines: Sequence[Sequence[str]]) -> str:
    """Return the table that rich would draw for files and pipes; its import takes longer than many scores."""
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
    """Return a long line, wrapped between words to fit the terminal; one line for files and pipes."""
    text = suit_output(text)
    if not to_terminal:
        return text
    from shutil import get_terminal_size
    from textwrap import fill

    return fill(make_visible(text), get_terminal_size().columns, break_long_words=False, break_on_hyphens=False)


def render(drawn: Any, *, to_terminal: bool) -> str:
    """Return the text of an object drawn by rich: as wide as the terminal, or as wide as needed for files and pipes."""
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
    """Return a document as printed by the program: options in its spelling, tables and paragraphs fit to a terminal."""
    from clustermark.results import text
    from clustermark.results.document import Code
    from clustermark.results.values import TEXTUAL

    class TerminalWriter(text.Writer):
        between = "\n\n"
        most_rows = sys.maxsize

        def aligned(self, heads: Sequence[Head], lines: Sequence[Sequence[str]]) -> str:
            columns = [
                TerminalColumn(title, "left" if head.kind in TEXTUAL else "right", folds=head.kind in TEXTUAL)
                for title, head in zip(lines[0], heads, strict=True)
            ]
            columns[0] = columns[0]._replace(style="cyan")
            shown = _fitting(heads, columns, lines) if to_terminal else range(len(heads))
            rows = [[line[place] for place in shown] for line in lines[1:]]
            return table([columns[place] for place in shown], rows, to_terminal=to_terminal).removesuffix("\n")

        def body(self, body: Body) -> list[str]:
            if not isinstance(body, Code):
                return super().body(body)
            return [paragraph(line, to_terminal=to_terminal) for line in body.text.splitlines()]

        def prose(self, prose: Prose) -> str:
            return paragraph(super().prose(prose), to_terminal=to_terminal)

    return text.document_text(document, mention, TerminalWriter)


def _fitting(heads: Sequence[Head], columns: Sequence[TerminalColumn], lines: Sequence[Sequence[str]]) -> list[int]:
    """Return the places of the columns that fit the terminal: columns of detail are omitted from the right."""
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


_NO_PROGRESS = b"\r\x1b[2K\x1b[?25h"
"""Erases the line of a terminal and shows its cursor."""
_CERTAIN = 0.05
"""From this share on, the remaining time is shown: before, it would be a guess."""
_PATIENCE = 2.0
"""Seconds after which the remaining time is shown."""


@contextmanager
def show_progress(doing: str, quiet: bool) -> Iterator[Callable[[float], None] | None]:
    """Show a spinner and the time on a terminal; yield a function that takes the finished share, or None elsewhere."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.live import Live
    from rich.spinner import Spinner
    from rich.text import Text

    from clustermark import cleanup

    doing = make_visible(in_ascii(f"{doing} …") if is_ascii(sys.stderr) else f"{doing} …")
    console = Console(stderr=True, color_system="auto" if wants_colour() else None)
    spinner = Spinner("line" if is_ascii(sys.stderr) else "dots")
    clock = Clock()

    def draw() -> Spinner:
        spinner.update(text=Text(f"{doing} {clock}"))
        return spinner

    cleanup.register("progress", partial(os.write, 2, _NO_PROGRESS))
    try:
        with Live(get_renderable=draw, console=console, refresh_per_second=12.5, transient=True):
            yield clock.tell
    finally:
        cleanup.forget("progress")


class Clock:
    """The time that a step takes.

    >>> clock = Clock(lambda: 0.0)
    >>> clock.tell(0.25)
    >>> clock.now = lambda: 75.0
    >>> str(clock)
    '25%, 1:15, about 3:45 left'
    """

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self.now = now
        self._begin = self._step = now()
        self._share: float | None = None

    def tell(self, share: float) -> None:
        """Record the finished share; a smaller one than before begins a new step."""
        if self._share is not None and share < self._share:
            self._step = self.now()
        self._share = share

    def __str__(self) -> str:
        now = self.now()
        parts = [] if self._share is None else [f"{self._share:.0%}"]
        parts.append(_minutes(now - self._begin))
        share, taken = self._share, now - self._step
        if share is not None and _CERTAIN <= share < 1 and taken >= _PATIENCE:
            parts.append(f"about {_minutes(taken * (1 - share) / share)} left")
        return ", ".join(parts)


def _minutes(seconds: float) -> str:
    """Return a time in minutes and seconds, with hours if any.

    >>> _minutes(3.2), _minutes(75), _minutes(4000)
    ('0:03', '1:15', '1:06:40')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
