"""What is declared of an index, and how it reads."""

from __future__ import annotations

from math import inf
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, dataclass_transform

from clustermark.errors import alternatives

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clustermark.registry.references import Reference
    from clustermark.subjects.comparison import Comparison

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
"""The families of our indices and what people call them."""


class OptionFacts(TypedDict, total=False):
    """The facts of an index that can depend on an option."""

    bounds: tuple[float, float]
    symmetric: bool | None
    metric: bool | None
    chance_model: str | None


T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def _frozen(made: type[T]) -> type[T]:
    """What type checkers take for a frozen dataclass; a real one takes milliseconds to make, at every start."""
    return made


@_frozen
class Facts:
    """What is declared of an index, beside its formula in code."""

    title: str
    formula: str
    abbreviation: str = ""
    family: str = "own"
    reference: str = ""
    """A key of our bibliography, a DOI, or any text."""
    bounds: tuple[float, float] = (0.0, 1.0)
    weighted_bounds: tuple[float, float] = (0.0, 1.0)
    facts_by_option: Mapping[str, Mapping[Any, OptionFacts]] = MappingProxyType({})
    """What is declared otherwise where an option has a value: by option, then by value."""
    higher_is_better: bool | None = True
    symmetric: bool | None = True
    """None where there are no two sides."""
    metric: bool | None = False
    chance_model: str | None = None
    best_on_identity: bool = True
    rational: bool = True
    undefined: float | None = None
    undefined_unless_identical: float | None = None
    undefined_when: str = ""
    aliases: tuple[str, ...] = ()
    peers: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    """The names that other tools use for it."""
    weights: str | None = None
    may_sample: bool = False
    """Whether it may have to draw random tables, which takes long on large data."""
    one_sided: bool = False
    """Whether items that occur on one side only have a meaning."""
    invariances: tuple[str, ...] = ()
    """What may be done to points in space and does not change the score: "shift", "rotation", "scale", ..."""
    elsewhere: tuple[str, ...] = ()
    """The rooms of our indices that compute it from something else too: loaded once somebody asks for it by name."""
    panel: bool = False
    """Whether it is among the few that `evaluate` gives where no indices are named."""

    def __init__(self, **facts: Any) -> None:
        self.__dict__.update(facts)

    def __setattr__(self, name: str, value: object) -> None:
        self._refuse_change(name)
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        self._refuse_change(name)
        object.__delattr__(self, name)

    @staticmethod
    def _refuse_change(name: str) -> None:
        if name in Facts.__annotations__:
            raise AttributeError(f"{name} cannot be changed: what is declared of an index stays as it is")

    def for_options(self, options: Mapping[str, Any]) -> OptionFacts:
        """What can depend on options, as it is with these."""
        told = OptionFacts(
            bounds=self.bounds, symmetric=self.symmetric, metric=self.metric, chance_model=self.chance_model
        )
        for option, chosen in options.items():
            for value, facts in self.facts_by_option.get(option, {}).items():
                if value == chosen:
                    told |= facts
        return told

    @property
    def best(self) -> float | None:
        """The best value within the bounds; None for an index without a direction, such as an entropy."""
        return None if self.higher_is_better is None else self.bounds[self.higher_is_better]

    @property
    def worst(self) -> float:
        """The value of no agreement: the worst of the bounds, and 0 for a correlation."""
        if self.bounds[0] < 0 or self.higher_is_better is None:
            return 0.0
        return self.bounds[not self.higher_is_better]

    @property
    def heading(self) -> str:
        """The title, and the abbreviation if there is one."""
        return f"{self.title} ({self.abbreviation})" if self.abbreviation else self.title

    @property
    def family_title(self) -> str:
        """What people call the family."""
        return FAMILIES.get(self.family, self.family.capitalize())

    @property
    def citation(self) -> Reference:
        """The publication that the declaration refers to; an empty text where it refers to none."""
        from clustermark.registry.references import cite

        return cite(self.reference)


_DIRECTIONS = {True: "higher is better", False: "lower is better", None: "neither high nor low is better"}
_SYMMETRIES = {True: "; symmetric", False: "; not symmetric", None: ""}


def sentences(facts: Facts, comparison: Comparison[object]) -> list[str]:
    """What is declared, a sentence or two a line; formula and names in other tools apart."""
    lines = [f"Also called: {', '.join(facts.aliases)}."] if facts.aliases else []
    lines += [
        f"Range {interval(facts.bounds)}; {_DIRECTIONS[facts.higher_is_better]}{_SYMMETRIES[facts.symmetric]}.",
        *_by_option(facts),
        _when_undefined(facts, comparison),
        *_claims(facts, comparison),
        f"Weights: {facts.weights or 'refused'}.",
    ]
    return [*lines, f"Reference: {facts.citation}"] if facts.reference else lines


def _by_option(facts: Facts) -> list[str]:
    alike: dict[tuple[str, str], list[str]] = {}
    for option, by_value in facts.facts_by_option.items():
        for value, other in by_value.items():
            alike.setdefault((option, _differing(other)), []).append(repr(value))
    return [f"With {option}={alternatives(values)}: {said}." for (option, said), values in alike.items()]


def _differing(facts: OptionFacts) -> str:
    """What an option changes, in words."""
    said = [f"range {interval(facts['bounds'])}"] if "bounds" in facts else []
    if "symmetric" in facts:
        said.append(_SYMMETRIES[facts["symmetric"]].removeprefix("; "))
    if "metric" in facts:
        words = {
            True: "its distance is a metric",
            False: "its distance is no metric",
            None: "unknown if it is a metric",
        }
        said.append(words[facts["metric"]])
    if "chance_model" in facts:
        said.append(f"chance: {facts['chance_model']}" if facts["chance_model"] else "not corrected for chance")
    return "; ".join(said)


def _when_undefined(facts: Facts, comparison: Comparison[object]) -> str:
    if not facts.undefined_when:
        return "Never undefined."
    if facts.undefined is not None:
        return f"Undefined when {facts.undefined_when}; it is {facts.undefined:g} then."
    worst = facts.worst if facts.undefined_unless_identical is None else facts.undefined_unless_identical
    if not facts.best_on_identity or comparison.are_identical is None:
        return f"Undefined when {facts.undefined_when}; it is {worst:g} then."
    return (
        f"Undefined when {facts.undefined_when}; it is {facts.best:g} if the {comparison.sides} are identical, "
        f"else {worst:g}."
    )


def _claims(facts: Facts, comparison: Comparison[object]) -> list[str]:
    claims = []
    if facts.metric:
        claims.append("Its distance is a metric.")
    if facts.invariances:
        claims.append(f"Unchanged by {alternatives(facts.invariances)} of the points.")
    if facts.chance_model:
        claims.append(f"Corrected for chance: {facts.chance_model}.")
    if comparison.are_identical and not facts.best_on_identity and facts.higher_is_better is not None:
        claims.append(f"Identical {comparison.sides} do not always score best.")
    return claims


def interval(bounds: tuple[float, float]) -> str:
    """Bounds as people write them: a bound that is infinite is open."""
    low, high = bounds
    return f"{'(−∞' if low == -inf else f'[{low:g}'}, {'∞)' if high == inf else f'{high:g}]'}"
