"""Why pairs are wrong, as far as their records tell: which columns are alike in them, differ or are missing."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from clustermark.diagnosis.marking import list_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clustermark.diagnosis.members import Members, PairKind
    from clustermark.sources.records import Record

State: TypeAlias = Literal["is alike", "differs", "is missing in one or both"]
_LETTERS = 200
"""So many letters of a value are looked at."""
_ALIKE = 0.6
"""Two texts are alike that share this much of their runs of three letters, by the coefficient of Dice."""
_COMMON = 0.25
"""A cause that fewer of the pairs have is none that is worth a sentence."""


class Cause(NamedTuple):
    """What wrong pairs of a kind most often have in common."""

    kind: PairKind
    column: str
    state: State
    """How the values of the column compare."""
    alike: str
    """The column that is alike at the same time and misled; empty if none is told."""
    pairs: int
    of: int
    """How many pairs were looked at."""
    right: float
    """The share of right pairs, which are together on both sides, whose values of the column compare so, too."""


def find_causes(clusters: Iterable[Members], most_pairs: int = 5_000) -> list[Cause]:
    """The most common cause of false pairs and that of missing ones, of the points of clusters that are listed.

    A false pair has a column that misled and one that could have told; a missing pair has one that kept it apart.
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
    for kind, said in counts.items():
        for what, n in said.most_common(1):
            right_too = right_pairs[what[:2]] / max(1, looked_at[None])
            causes += [Cause(kind, *what, n, looked_at[kind], right_too)] if n >= _COMMON * looked_at[kind] else []
    return causes


def _list_pairs(clusters: Iterable[Members]) -> Iterator[tuple[PairKind | None, Record, Record]]:
    """Pairs of points that have records; without a kind if they are right."""
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
    """How each column of two records compares.

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
    """All runs of three letters of a text, small ones, with blanks around it."""
    padded = f"  {text.casefold().strip()} "
    return frozenset(padded[at : at + 3] for at in range(len(padded) - 2))
