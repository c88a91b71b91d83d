"""What reaches a terminal: nothing that steers it, no colour where none is wanted, ASCII where it has nothing else."""

from __future__ import annotations

import codecs
import os
import re
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO

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
"""How our own texts are written without the characters that ASCII lacks."""


def make_visible(text: str) -> str:
    """A text in which characters that would steer a terminal, or reorder the text around them, are written out.

    >>> make_visible("red \\x1b[31m, \\x9b31m and \\u202e")
    'red \\\\x1b[31m, \\\\x9b31m and \\\\u202e'
    """
    from clustermark.results.json import STEERING

    return re.sub(STEERING, _spell_out, _CONTROLS.sub(_spell_out, text))


def _spell_out(found: re.Match[str]) -> str:
    return found.group().encode("unicode_escape").decode()


def escape_as_json(error: UnicodeError) -> tuple[str, int]:
    """What a stream lacks, as JSON writes it: for texts that remain JSON, and that two letters do not become one in."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2)), error.end


ESCAPED = "clustermark.escaped"
codecs.register_error(ESCAPED, escape_as_json)


def is_ascii(stream: TextIO | None) -> bool:
    """Whether a stream has nothing but ASCII: by its encoding, or because the locale says so.

    Python writes UTF-8 in the C locale; but who asks for that locale by name may have a terminal without it.
    """
    if "PYTHONIOENCODING" not in os.environ and os.environ.get("LC_ALL") in ("C", "POSIX"):
        return True
    return codecs.lookup(getattr(stream, "encoding", None) or "utf-8").name == "ascii"


def in_ascii(text: str, *, letters: bool = False) -> str:
    """A text of ours, with the signs that ASCII lacks written in another way; with letters, without their accents too.

    >>> in_ascii("[−∞, ∞)"), in_ascii("Kulczyński", letters=True)
    ('[-inf, inf)', 'Kulczynski')
    """
    text = text.translate(IN_ASCII)
    if not letters:
        return text
    import unicodedata

    return "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))


def suit_output(text: str, *, letters: bool = False) -> str:
    """A text of ours as standard output can have it."""
    return in_ascii(text, letters=letters) if is_ascii(sys.stdout) else text


def wants_colour() -> bool:
    """Whether nobody has said that there should be none (see no-color.org)."""
    return not os.environ.get("NO_COLOR")


def write(text: str, shape: str) -> None:
    """A result on standard output. Data for programs keep their letters in a pipe, whatever the locale says."""
    stream = sys.stdout
    if stream is None:
        raise OSError(9, "standard output is closed")
    if stream.isatty() and shape != "table":  # in a table, labels have been made visible, and the rest is colour
        text = make_visible(text)
    if is_ascii(stream) and (shape in ("table", "json") or stream.isatty()):
        text = text.encode("ascii", ESCAPED).decode()
    stream.write(text)


def say(message: str) -> None:
    """A message on standard error, broken between words where somebody sees it."""
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
