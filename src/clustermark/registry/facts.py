"""The facts that are declared of an index, how it is computed for a kind of comparison, and the texts made of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any, TypedDict

from clustermark.docstrings import docstring_of
from clustermark.errors import alternatives

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from inspect import Signature

    from clustermark.registry.definition import Index
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


def explain(index: Index[...]) -> str:
    """Return the docstring of an index: that of its function, then the declared facts, indented like it."""
    text = docstring_of(index.uses[0].function) if len(index.uses) == 1 else index.text
    lines = [f"{index.heading}: {index.formula}", *index.sentences]
    if index.peers:
        theirs = "; ".join(f"{peer}: {', '.join(names)}" for peer, names in index.peers.items())
        lines.append(f"In other tools: {theirs}.")
    return "\n".join([text.rstrip(), "", *(f"    {line}" for line in lines)])


def make_signature(index: Index[...]) -> Signature:
    """Return the signature of a call: what is compared, the options of the index, and those of the comparison."""
    from inspect import Parameter, signature

    comparison, chosen = index.comparison, index.options
    inputs = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in comparison.parameters]
    declared = signature(index.uses[0].function)
    own = list(declared.parameters.values())[1:]
    own = [p.replace(default=chosen.get(p.name, p.default), annotation=Parameter.empty) for p in own]
    if comparison.options:
        made = signature(comparison.kind).parameters
        own += [made[name].replace(annotation=Parameter.empty) for name in comparison.options if name in made]
    return declared.replace(parameters=[*inputs, *own], return_annotation=float)


def make_card(index: Index[...]) -> str:
    """Return the HTML of an index for a notebook: title, call, formula, summary and declared facts."""
    from clustermark.results.html import fragment, h

    call = h("code", index.name, str(index.__signature__).partition(" ->")[0])
    head = h("p", h("strong", index.heading), h("br"), call, " = ", h("code", index.formula))
    return fragment(head, h("p", index.summary), h("ul", (h("li", line) for line in index.sentences)))


def describe(index: Index[...]) -> list[str]:
    """Return the declared facts of an index as sentences; first those that hold for its first kind of comparison."""
    parts = sentences(index, index.comparison)
    if len(index.uses) == 1:
        return parts
    ways = [f"{index.name}({', '.join(use.comparison.parameters)})" for use in index.uses]
    lines = [f"Called as {' or '.join(ways)}.", *parts]
    for use in index.uses[1:]:
        own = [use.formula] * (use.formula != index.formula) + sentences(use.facts, use.comparison)
        of = use.comparison.name or use.comparison.sides
        if use.comparison.name == index.comparison.name:
            of = " and ".join(use.comparison.parameters)
        lines += [f"Of {of}: {line}" for line in own if line not in parts]
    return lines


_DIRECTIONS = {True: "higher is better", False: "lower is better", None: "neither high nor low is better"}
_SYMMETRIES = {True: "; symmetric", False: "; not symmetric", None: ""}


def sentences(facts: IndexFacts, comparison: Subject[object]) -> list[str]:
    """Return the facts as sentences, one or two in a line, without formula and names in other tools."""
    lines = [f"Also called: {', '.join(facts.aliases)}."] if facts.aliases else []
    lines += [
        f"Range {interval(facts.bounds)}; {_DIRECTIONS[facts.higher_is_better]}{_SYMMETRIES[facts.symmetric]}.",
        *_by_option(facts),
        _when_undefined(facts, comparison),
        *_claims(facts, comparison),
        f"Weights: {facts.weights or 'refused'}.",
    ]
    return [*lines, f"Reference: {facts.citation}"] if facts.reference else lines


def _by_option(facts: IndexFacts) -> list[str]:
    values_by_facts: dict[tuple[str, str], list[str]] = {}
    for option, by_value in facts.facts_by_option.items():
        for value, other in by_value.items():
            values_by_facts.setdefault((option, _differing(other)), []).append(repr(value))
    return [f"With {option}={alternatives(values)}: {text}." for (option, text), values in values_by_facts.items()]


def _differing(facts: OptionFacts) -> str:
    """Describe the facts that an option changes."""
    parts = [f"range {interval(facts['bounds'])}"] if "bounds" in facts else []
    if "symmetric" in facts:
        parts.append(_SYMMETRIES[facts["symmetric"]].removeprefix("; "))
    if "metric" in facts:
        words = {
            True: "its distance is a metric",
            False: "its distance is no metric",
            None: "unknown if it is a metric",
        }
        parts.append(words[facts["metric"]])
    if "chance_model" in facts:
        parts.append(f"chance: {facts['chance_model']}" if facts["chance_model"] else "not corrected for chance")
    return "; ".join(parts)


def _when_undefined(facts: IndexFacts, comparison: Subject[object]) -> str:
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


def _claims(facts: IndexFacts, comparison: Subject[object]) -> list[str]:
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
