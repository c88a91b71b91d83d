"""In what texts differ: the part of each that stands between what they begin and end with alike."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import combining

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.sources.records import Record


_LAST_OF_ONE, _FIRST_OF_ONE = re.compile(r"(?:^|\W)\w$"), re.compile(r"\w(?:\W|$)")
"""A word of one letter at the end of a text, or at its beginning."""


class Marked(NamedTuple):
    """A text in three parts, of which the one in the middle differs; it is empty where nothing does."""

    begin: str
    middle: str = ""
    end: str = ""


def mark(text: str, other: str | None) -> Marked:
    """A text, with the part marked in which it differs from another; what lacks something has its word marked.

    >>> mark("Maier Eng. Porto", "Maier Engines Porto"), mark("Brno", "Porto")
    (Marked(begin='Maier Eng', middle='.', end=' Porto'), Marked(begin='', middle='Brno', end=''))
    >>> mark("Maier A", "Maier AG"), mark("Maier", "Maier")
    (Marked(begin='Maier ', middle='A', end=''), Marked(begin='Maier', middle='', end=''))
    """
    if other is None or text == other:
        return Marked(text)
    most = min(len(text), len(other))
    begin = next((place for place in range(most) if text[place] != other[place]), most)
    end = next((place for place in range(most - begin) if text[-1 - place] != other[-1 - place]), most - begin)
    stop = len(text) - end
    if begin == stop:  # it lacks something, and there is nothing to mark but the word at that place
        while begin and not text[begin - 1].isspace():
            begin -= 1
        while stop < len(text) and not text[stop].isspace():
            stop += 1
    elif not text[begin:stop].isspace():
        # a letter that words have in common by chance tells nothing; blanks at the ends are not seen
        begin -= bool(_LAST_OF_ONE.search(text[:begin]) and text[begin].isalnum())
        stop += bool(_FIRST_OF_ONE.match(text[stop:]) and text[stop - 1].isalnum())
        begin += len(text[begin:stop]) - len(text[begin:stop].lstrip())
        stop -= len(text[begin:stop]) - len(text[begin:stop].rstrip())
    while 0 < begin < len(text) and combining(text[begin]):
        begin -= 1
    while stop < len(text) and combining(text[stop]):
        stop += 1
    return Marked(text[:begin], text[begin:stop], text[stop:])


def mark_pair(left: Record, right: Record) -> tuple[dict[str, Marked | None], dict[str, Marked | None]]:
    """Two records, each with what differs from the other; None where a value is missing."""
    one, other = ({name: None if value is None else mark(value, theirs.get(name)) for name, value in mine.items()}
                  for mine, theirs in ((left, right), (right, left)))  # fmt: skip
    return one, other


def mark_all(records: Sequence[Record | None], entities: Sequence[int]) -> list[dict[str, Marked | None]]:
    """Records, each with what differs from the most common value of its true cluster, the first of equals.

    entities: the number of each one's true cluster; what has -1 is compared with nothing.

    >>> mark_all([{"city": "Brno"}, {"city": "Brno"}, {"city": "Brrno"}, {"city": "Graz"}], [0, 0, 0, 1])[2:]
    [{'city': Marked(begin='Br', middle='r', end='no')}, {'city': Marked(begin='Graz', middle='', end='')}]
    """
    values: dict[tuple[int, str], Counter[str]] = defaultdict(Counter)
    for record, entity in zip(records, entities, strict=True):
        for name, value in (record or {}).items():
            if value is not None and entity >= 0:
                values[entity, name][value] += 1
    common = {key: counts.most_common(1)[0][0] for key, counts in values.items()}
    return [
        {name: None if value is None else mark(value, common.get((entity, name)))
         for name, value in (record or {}).items()}
        for record, entity in zip(records, entities, strict=True)
    ]  # fmt: skip


def list_columns(records: Sequence[Record | None]) -> list[str]:
    """The names of the columns that any of the records has."""
    return list(dict.fromkeys(name for record in records for name in record or ()))
