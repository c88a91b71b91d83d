"""The facts that are declared of an index, and how it is computed for a kind of comparison."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from clustermark.registry.references import Reference
    from clustermark.statistics.statistic import Statistic, Takes
    from clustermark.subjects.subject import Subject

FAMILIES = {
    "pairs": "Pairs of points",
    "chance": "Corrected for chance",
    "information": "Information",
    "matching": "Matching of clusters",
    "jci": "Jaccard and concentration",
    "elements": "Point by point",
    "coreference": "Coreference",
    "diarization": "Diarization",
    "internal": "Points in space",
    "covers": "Clusters that overlap",
    "trees": "Hierarchies",
    "soft": "Soft clusterings",
}
"""Families of our indices, and their titles."""


class OptionFacts(TypedDict, total=False):
    """The facts of an index that can depend on an option."""

    bounds: tuple[float, float]
    symmetric: bool | None
    metric: bool | None
    chance_model: str | None


@dataclass(frozen=True, eq=False, repr=False)  # an index has its own
class IndexFacts:
    """The facts that are declared of an index, beside its function."""

    title: str
    formula: str
    abbreviation: str = ""
    family: str = "own"
    reference: str = ""
    """A key of our bibliography, a DOI, or any text."""
    bounds: tuple[float, float] = (0.0, 1.0)
    weighted_bounds: tuple[float, float] = (0.0, 1.0)
    facts_by_option: Mapping[str, Mapping[Any, OptionFacts]] = field(default_factory=dict)
    """Facts that differ for a value of an option: by option, then by value."""
    higher_is_better: bool | None = True
    symmetric: bool | None = True
    """None if there are no two sides."""
    metric: bool | None = False
    chance_model: str | None = None
    best_on_identity: bool = True
    rational: bool = True
    undefined: float | None = None
    undefined_unless_identical: float | None = None
    undefined_when: str = ""
    aliases: tuple[str, ...] = ()
    peers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The names that other tools use for it."""
    weights: str | None = None
    may_sample: bool = False
    """Whether it may have to draw random tables, which takes long on large data."""
    one_sided: bool = False
    """Whether items that occur on one side only have a meaning."""
    invariances: tuple[str, ...] = ()
    """Changes of points in space that keep the score: "shift", "rotation", "scale", ..."""
    panel: bool = False
    """Whether it is among the few indices that `evaluate` computes by default."""

    def for_options(self, options: Mapping[str, Any]) -> OptionFacts:
        """Return the facts that can depend on options, for these options."""
        chosen_facts = OptionFacts(
            bounds=self.bounds, symmetric=self.symmetric, metric=self.metric, chance_model=self.chance_model
        )
        for option, chosen in options.items():
            for value, facts in self.facts_by_option.get(option, {}).items():
                if value == chosen:
                    chosen_facts |= facts
        return chosen_facts

    @property
    def best(self) -> float | None:
        """The best value within the bounds; None for an index without a direction, such as an entropy."""
        return None if self.higher_is_better is None else self.bounds[self.higher_is_better]

    @property
    def worst(self) -> float:
        """The score of no agreement: the worst of the bounds, or 0 for a correlation."""
        if self.bounds[0] < 0 or self.higher_is_better is None:
            return 0.0
        return self.bounds[not self.higher_is_better]

    @property
    def heading(self) -> str:
        """The title, and the abbreviation if there is one."""
        return f"{self.title} ({self.abbreviation})" if self.abbreviation else self.title

    @property
    def family_title(self) -> str:
        """Title of the family."""
        return FAMILIES.get(self.family, self.family.capitalize())

    @property
    def citation(self) -> Reference:
        """The publication that the declaration refers to; empty if it refers to none."""
        from clustermark.registry.references import cite

        return cite(self.reference)


@dataclass(frozen=True, slots=True)
class Use:
    """How an index is computed for one kind of comparison, by a function of a statistic."""

    statistic: type[Statistic[Any]]
    function: Callable[..., Any]
    facts: IndexFacts
    """Facts of the index for this comparison."""
    takes: Takes
    """Data that the index takes: at most what its statistic takes."""
    is_plain: Callable[[Any], bool]
    """`is_plain` of the comparison; a copy, because each call needs it."""
    make: Callable[[Any], Any]
    """Make the statistic of a comparison."""
    comparison: Subject[Any]
    """Kind of comparison."""

    @classmethod
    def declared(cls, statistic: type[Statistic[Any]], function: Callable[..., Any], facts: IndexFacts) -> Use:
        """Return how a function of a statistic computes an index with these facts."""
        takes = statistic.takes()._replace(weights=facts.weights, one_sided=facts.one_sided)
        kind = takes.comparison
        return cls(statistic, function, facts, takes, kind.is_plain, statistic.of, kind)

    @property
    def formula(self) -> str:
        """Formula over the fields of the statistic."""
        return self.facts.formula


def interval(bounds: tuple[float, float]) -> str:
    """Write bounds as an interval; an infinite bound is open."""
    low, high = bounds
    return f"{'(−∞' if low == -inf else f'[{low:g}'}, {'∞)' if high == inf else f'{high:g}]'}"
