"""Groups that suffer more than the rest: found on one half of the clusters, tested on the other half.

Among many groups, some are bad by chance. So the connected components of the table, which are independent of each
other, are divided into two halves at random, and groups that stand out in the first are tested in the second.
"""

from __future__ import annotations

from itertools import combinations
from math import inf, sqrt
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from clustermark.errors import InputError, require_whole
from clustermark.results.data import Column, Table
from clustermark.results.document import Cell, Grid, Head
from clustermark.results.rows import Rows
from clustermark.results.values import label_text
from clustermark.uncertainty.refusals import FEWEST_GROUPS
from clustermark.uncertainty.significance import holm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clustermark.diagnosis.group_scores import RecordPoints
    from clustermark.diagnosis.groupings import GroupColumn
    from clustermark.results.data import Columns

_MOST_COLUMNS = 20
_STANDS_OUT = 1.6448536269514722
"""A group of the first half is tested if it is at least this many standard errors above the rest."""
_MUCH_ALIKE = 0.5
"""Of two groups whose shared points are this share of their union, the second is left out."""
_WITHIN = 0.95
"""The second is also left out if this share of the smaller group lies in the other."""

Conditions = tuple[tuple[str, Any], ...]


class Subgroup(NamedTuple):
    """A group that stands out in the first half, and its test on the second half.

    The error of a point is 1 - (p + r) / 2: p is the share of its predicted cluster that is of its true cluster, r the
    share of its true cluster that is in its predicted cluster. Errors and tests are those of the second half.
    """

    conditions: Conditions
    """Columns and their values, which all its points have."""
    points: float
    """Number of points in both halves."""
    share_of_points: float
    found: float
    """Error of its points minus that of the rest in the first half, where it was chosen."""
    error: float
    """Mean error of its points."""
    rest: float
    """Mean error of all other points."""
    difference: float
    low: float
    """Lower end of the interval of the difference."""
    high: float
    p_value: float
    """P-value of the one-sided test that its error is not above that of the rest."""
    p_adjusted: float
    """The same, adjusted for the number of groups tested (Holm)."""
    confirmed: bool
    """Whether `p_adjusted` is at most 1 less the level, and the interval lies above 0."""

    @property
    def text(self) -> str:
        """Its conditions as text."""
        named = (f"no {name}" if value is None else f"{name} {label_text(value)}" for name, value in self.conditions)
        return ", ".join(named)


class Subgroups(Rows[Subgroup]):
    """The groups that were found and tested: the confirmed ones, the largest difference first, then the others."""

    __slots__ = ("components", "level", "looked_at", "note", "seed")

    KIND = "subgroups"
    TITLE = "Groups with more errors than the rest"
    FACTS: ClassVar[Columns] = {
        "level": Column("share", doc="the level of intervals and tests"),
        "seed": Column("number", doc="the seed of the halves"),
        "looked_at": Column("count", doc="groups that were large enough to be examined"),
        "components": Column("count", within=("list",), doc="connected components in each half"),
        "note": Column("text", doc="the outcome"),
    }
    COLUMNS: ClassVar[Columns] = {
        "conditions": Column("label", within=("map",), doc="columns and their values"),
        "points": Column("amount"),
        "share_of_points": Column("share"),
        "found": Column("number", doc="the difference in the half where the group was chosen"),
        "error": Column("share"),
        "rest": Column("share"),
        "difference": Column("number"),
        "low": Column("number"),
        "high": Column("number"),
        "p_value": Column("p"),
        "p_adjusted": Column("p"),
        "confirmed": Column("flag"),
    }

    def __init__(
        self, rows: Sequence[Subgroup], level: float, seed: int, looked_at: int, components: tuple[int, int], note: str
    ) -> None:
        super().__init__(rows)
        self.level = level
        self.seed = seed
        """Seed of the random division into halves."""
        self.looked_at = looked_at
        """Number of groups that were large enough to be examined."""
        self.components = components
        """Number of connected components in each half."""
        self.note = note
        """The outcome in a sentence."""

    @property
    def confirmed(self) -> list[Subgroup]:
        """The groups that suffer more than the rest in both halves."""
        return [row for row in self if row.confirmed]

    def facts(self) -> dict[str, Any]:
        """Return the way in which the groups were found."""
        facts = {name: getattr(self, name) for name in self.FACTS}
        return facts | {"components": list(self.components)}

    def tables(self) -> dict[str, Table]:
        """Return the one table, "rows"; conditions are mappings from column to value."""
        rows = [row._asdict() | {"conditions": dict(row.conditions)} for row in self]
        return {"rows": Table(self.COLUMNS, rows)}

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns as lists of plain Python values; a group is a text."""
        fields = Subgroup._fields[1:]
        return {"group": [row.text for row in self]} | {
            name: [row[place] for row in self] for place, name in enumerate(fields, 1)
        }

    @property
    def headline(self) -> str:
        """The outcome in a sentence."""
        return self.note

    def grid(self) -> Grid:
        """Return the groups with the test of each."""
        heads = [
            Head("group"),
            Head("points", "amount"),
            Head("error", "score"),
            Head("rest", "score"),
            Head("difference", "error"),
            Head("p adjusted", "p"),
            Head("outcome"),
        ]
        rows = [
            [
                row.text,
                row.points,
                row.error,
                row.rest,
                Cell(row.difference, row.low, row.high),
                row.p_adjusted,
                "confirmed" if row.confirmed else "not confirmed",
            ]
            for row in self
        ]
        return Grid(heads, rows, self.TITLE)

    def remarks(self) -> list[str]:
        """Say what the numbers are of which a group is confirmed."""
        if not self:
            return []
        text = "p is one-sided and adjusted for the groups tested, the interval is two-sided and not adjusted"
        return [f"{text}; confirmed: p at most {1 - self.level:.3g}, and the interval above 0"]


class _Half(NamedTuple):
    """Points of whole components, and sums over each component."""

    places: NDArray[np.int64]
    """Positions of the entries of this half."""
    components: NDArray[np.int64]
    mass: NDArray[np.float64]
    errors: NDArray[np.float64]
    """Error of each entry, times its mass."""
    sums: NDArray[np.float64]
    """Errors and mass of each component."""

    @classmethod
    def of(cls, places: NDArray[np.int64], components: Any, mass: Any, errors: Any) -> _Half:
        known, numbers = np.unique(components[places], return_inverse=True)
        sums = np.array([np.bincount(numbers, values[places], len(known)) for values in (errors, mass)], np.float64)
        return cls(places, numbers, mass[places], errors[places], sums)


class _Contrast(NamedTuple):
    """The difference between the mean error of a group and that of the rest."""

    group: float
    rest: float
    error: float
    """Standard error; infinite if it is not available."""
    degrees: float

    @property
    def difference(self) -> float:
        return self.group - self.rest

    @property
    def z(self) -> float:
        return self.difference / self.error


def find_subgroups(points: RecordPoints, k: int, seed: int, level: float) -> Subgroups:
    """Find the k groups that stand out most in one half of the components, and test them in the other."""
    require_whole("k", k, 1)
    require_whole("seed", seed, 0)
    if len(points.columns) > _MOST_COLUMNS:
        raise InputError(
            f"by: there are {len(points.columns)} columns, at most {_MOST_COLUMNS} are looked at; name some of them"
        )
    entries = points.entries
    assert entries.components is not None
    mass, n, a, b = (np.asarray(array, np.float64) for array in (entries.mass, entries.n, entries.a, entries.b))
    errors = mass * (1 - (n / b + n / a) / 2)
    known = np.unique(entries.components)
    first = np.zeros(int(known.max()) + 1, np.bool_)
    first[np.random.default_rng(seed).permutation(known)[: len(known) // 2]] = True
    in_first = first[entries.components]
    halves = [_Half.of(np.flatnonzero(one), entries.components, mass, errors) for one in (in_first, ~in_first)]
    counts = len(known) // 2, len(known) - len(known) // 2
    note = _why_not(halves, len(known))
    if note:
        return Subgroups([], level, seed, 0, counts, note)
    found, looked_at = _search(halves, points.columns, k)
    rows = _test(found, halves, points, mass, level)
    return Subgroups(rows, level, seed, looked_at, counts, _describe(rows, looked_at, level, seed))


def _why_not(halves: Sequence[_Half], n_components: int) -> str:
    least = 2 * FEWEST_GROUPS
    if n_components < 2 * least:
        return (
            f"No groups: the points form {n_components:,} connected components, and {2 * least} are needed "
            "for two halves."
        )
    in_all = sum(float(half.sums[1].sum()) for half in halves)
    if any(float(half.sums[1].max()) > in_all / 2 for half in halves):
        return "No groups: one connected component has most of the points, so no half can confirm the other."
    return ""


class _Candidate(NamedTuple):
    conditions: tuple[tuple[int, int], ...]
    """Pairs of the place of a column and a code in it."""
    members: NDArray[np.int64]
    """Positions of its entries in the first half."""
    contrast: _Contrast


def _search(halves: Sequence[_Half], columns: Sequence[GroupColumn], k: int) -> tuple[list[_Candidate], int]:
    """Return the k groups of the first half that stand out most, none much alike, and the number examined."""
    codes = [_large_enough(column.codes, halves) for column in columns]
    chosen = [(place,) for place in range(len(columns))] + list(combinations(range(len(columns)), 2))
    candidates: list[_Candidate] = []
    looked_at = 0
    half = halves[0]
    for places in chosen:
        combined = codes[places[0]]
        if len(places) == 2:
            other = codes[places[1]]
            both = np.where((combined < 0) | (other < 0), -1, combined * len(columns[places[1]].values) + other)
            combined = _large_enough(both, halves)
        here = combined[half.places]
        order = np.argsort(here, kind="stable")
        ends = np.flatnonzero(np.diff(here[order], append=here.max(initial=-1) + 1)) + 1
        for members in np.split(order, ends[:-1]):
            if not len(members) or here[members[0]] < 0 or 2 * half.mass[members].sum() > half.mass.sum():
                continue
            looked_at += 1
            contrast = _contrast(half, members, if_equal=True, roughly=True)
            if contrast.z >= _STANDS_OUT:
                sample = half.places[members[0]]
                conditions = tuple((place, int(columns[place].codes[sample])) for place in places)
                candidates.append(_Candidate(conditions, members, contrast))
    candidates.sort(key=lambda one: -one.contrast.z)
    found: list[_Candidate] = []
    for one in candidates:
        if len(found) < k and not any(_are_alike(one, other, half) for other in found):
            found.append(one)
    return found, looked_at


def _large_enough(codes: NDArray[np.int64], halves: Sequence[_Half]) -> NDArray[np.int64]:
    """Return the codes, with -1 for those in too few components of a half."""
    wide = int(codes.max(initial=0)) + 1
    kept = codes
    for half in halves:
        here = codes[half.places]
        count = half.sums.shape[1]
        pairs = np.unique(np.where(here < 0, wide, here) * count + half.components)
        enough, times = np.unique(pairs // count, return_counts=True)
        kept = np.where(np.isin(codes, enough[times >= FEWEST_GROUPS]), kept, -1)
    return kept


def _are_alike(one: _Candidate, other: _Candidate, half: _Half) -> bool:
    """Return whether two groups consist of mostly the same points, or one lies within the other."""
    shared, mine, theirs = (
        float(half.mass[members].sum())
        for members in (np.intersect1d(one.members, other.members), one.members, other.members)
    )
    return shared >= _MUCH_ALIKE * (mine + theirs - shared) or shared >= _WITHIN * min(mine, theirs)


def _contrast(half: _Half, members: NDArray[np.int64], *, if_equal: bool, roughly: bool = False) -> _Contrast:
    """Contrast the mean error of members with the rest; the standard error is by the delta method over components.

    if_equal: use the standard error under the hypothesis that both means are equal, as in tests; it is not 0 if all
        members have one error and all others another.
    roughly: skip the degrees of freedom, for which all components must be read.
    """
    inside, numbers = np.unique(half.components[members], return_inverse=True)
    mine = np.array([np.bincount(numbers, values[members]) for values in (half.errors, half.mass)])
    own, total = mine.sum(1), half.sums.sum(1)
    rest = total - own
    if not own[1] > 0 or not rest[1] > 0:
        return _Contrast(0.0, 0.0, inf, inf)
    means = float(own[0] / own[1]), float(rest[0] / rest[1])
    center, other = (float(total[0] / total[1]),) * 2 if if_equal else means
    theirs = half.sums[:, inside] - mine
    parts = (mine[0] - center * mine[1]) / own[1] - (theirs[0] - other * theirs[1]) / rest[1]
    n = half.sums.shape[1]
    if roughly:
        outside = _rest_squares(half, other) - float(((half.sums[0] - other * half.sums[1])[inside] ** 2).sum())
        squares, degrees = float((parts**2).sum()) + max(outside, 0.0) / rest[1] ** 2, inf
    else:
        all_parts = -(half.sums[0] - other * half.sums[1]) / rest[1]
        all_parts[inside] = parts
        squares = float((all_parts**2).sum())
        degrees = max(1.0, squares**2 / max(float((all_parts**4).sum()), 1e-300) - 1)
    if not squares > 1e-30:
        return _Contrast(*means, 0.0 if not if_equal else inf, degrees)
    return _Contrast(*means, sqrt(squares * n / (n - 1)), degrees)


def _rest_squares(half: _Half, mean: float) -> float:
    errors, mass = half.sums
    return float((errors**2).sum() - 2 * mean * (errors * mass).sum() + mean**2 * (mass**2).sum())


def _test(
    found: Sequence[_Candidate], halves: Sequence[_Half], points: RecordPoints, mass: NDArray[np.float64], level: float
) -> list[Subgroup]:
    from scipy.special import stdtr, stdtrit

    half, tested = halves[1], []
    for one in found:
        members = np.ones(len(mass), np.bool_)
        for place, code in one.conditions:
            members &= points.columns[place].codes == code
        here = np.flatnonzero(members[half.places])
        contrast = _contrast(half, here, if_equal=True)
        p = 1.0 if contrast.error == inf else float(stdtr(contrast.degrees, -contrast.z))
        tested.append((one, _contrast(half, here, if_equal=False), p, members))
    adjusted = holm([p for _, _, p, _ in tested])
    rows = []
    for (one, contrast, p, members), p_adjusted in zip(tested, adjusted, strict=True):
        assert p_adjusted is not None
        reach = contrast.error * float(stdtrit(contrast.degrees, (1 + level) / 2)) if contrast.error else 0.0
        conditions = tuple((points.columns[c].name, points.columns[c].values[v]) for c, v in one.conditions)
        count = mass[members].sum()
        rows.append(
            Subgroup(
                conditions,
                float(count) if points.entries.mass.dtype.kind == "f" else int(count),
                float(count / mass.sum()),
                one.contrast.difference,
                contrast.group,
                contrast.rest,
                contrast.difference,
                contrast.difference - reach,
                contrast.difference + reach,
                p,
                p_adjusted,
                p_adjusted <= 1 - level and contrast.difference > reach,
            )
        )
    return sorted(rows, key=lambda row: (-row.difference if row.confirmed else inf, row.p_value))


def _describe(rows: Sequence[Subgroup], looked_at: int, level: float, seed: int) -> str:
    halves = f"the halves are those of seed {seed}"
    if not looked_at:
        return (
            f"No groups: none of them is in {FEWEST_GROUPS} connected components of each half and has at most half of "
            f"the points ({halves})."
        )
    looked = f"{looked_at:,} group{'' if looked_at == 1 else 's'} looked at in one half of the clusters"
    if not rows:
        return f"{looked}: none stands out, so there is nothing to confirm ({halves})."
    confirmed = sum(row.confirmed for row in rows)
    text = f"{confirmed:,} of {len(rows):,} that stand out {'is' if confirmed == 1 else 'are'} confirmed in the other"
    return f"{looked}: {text} at level {level:g} ({halves})."
