"""Comparison of the records of points: differences of texts, and what wrong pairs have in common."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias
from unicodedata import combining

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clustermark.diagnosis.members import Members, PairKind
    from clustermark.sources.tabular import Record


_WORDS = re.compile(r"\s+|\S+")
_MOST_WORDS = 300
"""In longer texts, all text between their common beginning and end counts as one difference."""


class Marked(tuple[str, ...]):
    """A text in parts, every second of which differs; a single part if nothing differs."""

    __slots__ = ()

    @property
    def differing(self) -> tuple[str, ...]:
        """The parts that differ."""
        return self[1::2]


LACKING = Marked(("", "–", ""))
"""A value that is missing although the other record has one."""


@lru_cache(4096)
def mark(text: str, other: str | None) -> Marked:
    """Mark the parts of a text that differ from another; if it only lacks something, mark the word at that place.

    >>> mark("Maier Eng. Porto", "Maier Engines Porto")
    ('Maier ', 'Eng.', ' Porto')
    >>> mark("Meier Engines Brno", "Maier Engines Porto")
    ('M', 'e', 'ier Engines ', 'Brno', '')
    >>> mark("Maier A", "Maier AG"), mark("Maier", "Maier")
    (('Maier ', 'A', ''), ('Maier',))
    """
    if other is None or text == other:
        return Marked((text,))
    runs = list(_compare_words(_WORDS.findall(text), _WORDS.findall(other)))
    if not any(differs and part.strip() for part, differs in runs):
        runs = list(_mark_gap(text, other))
    return _join(runs)


def _compare_words(mine: list[str], theirs: list[str]) -> Iterator[tuple[str, bool]]:
    """Yield the words of a text and the blanks between them, with whether they differ."""
    if max(len(mine), len(theirs)) > _MOST_WORDS:
        yield from _compare_letters("".join(mine), "".join(theirs))
        return
    for kind, start, stop, first, last in SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes():
        if kind == "equal":
            yield "".join(mine[start:stop]), False
            continue
        for word, other in zip(mine[start:stop], theirs[first:last], strict=False):
            yield from _compare_letters(word, other)
        yield from _without_blanks("".join(mine[start + last - first : stop]))


def _without_blanks(run: str) -> Iterator[tuple[str, bool]]:
    """Yield a run that differs, without the blanks at its ends, which would be invisible."""
    start = len(run) - len(run.lstrip())
    stop = max(start, len(run.rstrip()))
    yield run[:start], False
    yield run[start:stop], True
    yield run[stop:], False


def _compare_letters(word: str, other: str) -> Iterator[tuple[str, bool]]:
    """Mark the text between the common beginning and end of two words; all of it if they share less than half."""
    if word.isspace():
        yield word, False
        return
    begin, stop = _differing(word, other)
    common = len(word) - (stop - begin)
    if begin == stop or 2 * common < max(len(word), len(other)):
        begin, stop = 0, len(word)
    yield word[:begin], False
    yield word[begin:stop], True
    yield word[stop:], False


def _differing(text: str, other: str) -> tuple[int, int]:
    """Return the start and the stop of the difference of a text from another; accents stay with their letters."""
    most = min(len(text), len(other))
    begin = next((place for place in range(most) if text[place] != other[place]), most)
    end = next((place for place in range(most - begin) if text[-1 - place] != other[-1 - place]), most - begin)
    stop = len(text) - end
    while 0 < begin < len(text) and combining(text[begin]):
        begin -= 1
    while stop < len(text) and combining(text[stop]):
        stop += 1
    return begin, stop


def _mark_gap(text: str, other: str) -> Iterator[tuple[str, bool]]:
    """Mark the place of a gap in a text that only lacks something or has other blanks."""
    begin, stop = _differing(text, other)
    if not text[begin:stop].strip():  # between blanks: mark the word before them
        begin = len(text[:begin].rstrip())
    while begin and not text[begin - 1].isspace():
        begin -= 1
    if not text[begin:stop].strip():  # or the word after them
        stop = len(text) - len(text[stop:].lstrip())
    while stop < len(text) and not text[stop].isspace():
        stop += 1
    yield text[:begin], False
    yield from _without_blanks(text[begin:stop])
    yield text[stop:], False


def _join(runs: Iterable[tuple[str, bool]]) -> Marked:
    """Join runs to parts, every second of which differs; differing runs with only blanks between them become one."""
    parts = [""]
    for run, differs in runs:
        if not run:
            continue
        if differs == (len(parts) % 2 == 0):
            parts[-1] += run
        elif differs and len(parts) > 2 and parts[-1].isspace():
            parts[-2:] = [f"{parts[-2]}{parts[-1]}{run}"]
        else:
            parts.append(run)
    return Marked(parts if len(parts) % 2 else [*parts, ""])


def mark_pair(left: Record, right: Record) -> tuple[dict[str, Marked | None], dict[str, Marked | None]]:
    """Return two records with their differences marked; None for a value that is missing in both."""
    one, other = ({name: _mark_value(value, theirs.get(name)) for name, value in mine.items()}
                  for mine, theirs in ((left, right), (right, left)))  # fmt: skip
    return one, other


def _mark_value(value: str | None, other: str | None) -> Marked | None:
    if value is None:
        return None if other is None else LACKING
    return mark(value, other)


def mark_all(records: Sequence[Record | None], entities: Sequence[int]) -> list[dict[str, Marked | None]]:
    """Mark the differences of records from the most common value of their true cluster, the first of equals.

    entities: the number of the true cluster of each record; a record with -1 is not compared.

    >>> mark_all([{"city": "Brno"}, {"city": "Brno"}, {"city": "Brrno"}, {"city": "Graz"}], [0, 0, 0, 1])[2:]
    [{'city': ('Br', 'r', 'no')}, {'city': ('Graz',)}]
    """
    values: dict[tuple[int, str], Counter[str]] = defaultdict(Counter)
    for record, entity in zip(records, entities, strict=True):
        for name, value in (record or {}).items():
            if value is not None and entity >= 0:
                values[entity, name][value] += 1
    common = {key: counts.most_common(1)[0][0] for key, counts in values.items()}
    return [
        {name: _mark_value(value, common.get((entity, name))) for name, value in (record or {}).items()}
        for record, entity in zip(records, entities, strict=True)
    ]  # fmt: skip


def list_columns(records: Sequence[Record | None]) -> list[str]:
    """Return the names of the columns that any of the records has."""
    return list(dict.fromkeys(name for record in records for name in record or ()))


State: TypeAlias = Literal["is alike", "differs", "is missing in one or both"]
_LETTERS = 200
"""Only this many letters of a value are compared."""
_ALIKE = 0.6
"""Two texts are alike if they share this much of their runs of three letters, by the coefficient of Dice."""
_COMMON = 0.25
"""A cause is reported only if at least this share of the pairs have it."""


class Cause(NamedTuple):
    """The most common property of the wrong pairs of a kind."""

    kind: PairKind
    column: str
    state: State
    """The result of the comparison of the column's values."""
    alike: str
    """The column that is alike at the same time and misled; empty if there is none."""
    pairs: int
    of: int
    """Number of pairs that were compared."""
    right: float
    """Share of right pairs, which are together on both sides, with the same state of the column."""


def find_causes(clusters: Iterable[Members], most_pairs: int = 5_000) -> list[Cause]:
    """Return the most common causes of false and of missing pairs among the points of listed clusters.

    A false pair has a column that misled and one that could have separated it; a missing pair has one that kept it
    apart.
    most_pairs: pairs of each kind that are compared, those of the first clusters.
    """
    counts: dict[PairKind, Counter[tuple[str, State, str]]] = {"false": Counter(), "missing": Counter()}
    looked_at: Counter[PairKind | None] = Counter()
    right_pairs: Counter[tuple[str, State]] = Counter()
    for kind, left, right in _list_pairs(clusters):
        if looked_at[kind] < most_pairs:
            looked_at[kind] += 1
            states = compare(left, right)
            if kind is None:
                right_pairs.update(states.items())
            else:
                counts[kind].update(_describe(kind, states))
    causes: list[Cause] = []
    for kind, counter in counts.items():
        for what, n in counter.most_common(1):
            right_too = right_pairs[what[:2]] / max(1, looked_at[None])
            causes += [Cause(kind, *what, n, looked_at[kind], right_too)] if n >= _COMMON * looked_at[kind] else []
    return causes


def _list_pairs(clusters: Iterable[Members]) -> Iterator[tuple[PairKind | None, Record, Record]]:
    """Yield pairs of points that have records; right pairs have no kind."""
    for members in clusters:
        (kind,) = members.n_pairs
        placed = [one for one in zip(members.shown, members.parts, strict=True) if one[1] >= 0]
        for (left, part), (right, other) in combinations(placed, 2):
            if left.record is not None and right.record is not None:
                yield None if part == other else kind, left.record, right.record


def _describe(kind: PairKind, states: dict[str, State]) -> list[tuple[str, State, str]]:
    alike, differing = ([name for name, state in states.items() if state == one] for one in ("is alike", "differs"))
    if kind == "missing":
        return [(name, state, "") for name, state in states.items() if name not in alike]
    if len(states) == 1:
        return [(name, "is alike", "") for name in alike]
    return [(other, "differs", one) for one in alike for other in differing]


def compare(left: Record, right: Record) -> dict[str, State]:
    """Compare two records column by column.

    >>> compare({"name": "Maier Engines", "city": "Brno", "zip": ""}, {"name": "Maier Engine", "city": "Porto"})
    {'name': 'is alike', 'city': 'differs', 'zip': 'is missing in one or both'}
    """
    return {name: _compare_values(left.get(name), right.get(name)) for name in list_columns([left, right])}


def _compare_values(left: str | None, right: str | None) -> State:
    if not (left and left.strip() and right and right.strip()):
        return "is missing in one or both"
    one, other = _runs(left[:_LETTERS]), _runs(right[:_LETTERS])
    return "is alike" if 2 * len(one & other) >= _ALIKE * (len(one) + len(other)) else "differs"


@lru_cache(4096)
def _runs(text: str) -> frozenset[str]:
    """Return all runs of three letters of a text, in lower case, with blanks around it."""
    padded = f"  {text.casefold().strip()} "
    return frozenset(padded[at : at + 3] for at in range(len(padded) - 2))
