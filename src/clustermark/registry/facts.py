"""What is declared of an index, and how it reads."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

FAMILIES = {
    "pairs": "Pairs of points",
    "chance": "Corrected for chance",
    "information": "Information",
    "matching": "Matching of clusters",
    "jci": "Jaccard and concentration",
    "elements": "Point by point",
    "coreference": "Coreference",
    "diarization": "Diarization",
}
"""The families of indices and what people call them."""


class Facts(NamedTuple):
    """What is declared of an index, beside its formula in code."""

    title: str
    abbreviation: str
    family: str
    formula: str
    reference: str
    bounds: tuple[float, float]
    weighted_bounds: tuple[float, float]
    higher_is_better: bool | None
    symmetric: bool
    metric: bool | None
    chance_model: str | None
    best_on_identity: bool
    rational: bool
    undefined: float | None
    undefined_unless_identical: float | None
    undefined_when: str
    aliases: tuple[str, ...]
    peers: Mapping[str, tuple[str, ...]]
    """The names that other tools use for it."""
    weights: str | None
    may_sample: bool
    """Whether it may have to draw random tables, which takes long on large data."""
    one_sided: bool
    """Whether items that occur on one side only have a meaning."""
    panel: bool
    """Whether it is among the few that `evaluate` gives unless it is told which."""

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


_DIRECTIONS = {True: "higher is better", False: "lower is better", None: "neither high nor low is better"}


def explained(text: str, facts: Facts) -> str:
    """The docstring, followed by the declared facts."""
    from clustermark.registry.references import REFERENCES

    lines = [
        f"{facts.title} ({facts.abbreviation}): {facts.formula}",
        f"Range {interval(facts.bounds)}; {_DIRECTIONS[facts.higher_is_better]}; "
        f"{'' if facts.symmetric else 'not '}symmetric.",
        _when_undefined_in_words(facts),
        *_claims(facts),
        f"Weights: {facts.weights or 'refused'}.",
        f"Reference: {REFERENCES[facts.reference]}",
    ]
    if facts.aliases:
        lines.insert(1, f"Also called: {', '.join(facts.aliases)}.")
    if facts.peers:
        theirs = "; ".join(f"{peer}: {', '.join(names)}" for peer, names in facts.peers.items())
        lines.append(f"In other tools: {theirs}.")
    return "\n".join([text.rstrip(), "", *(f"    {line}" for line in lines)])


def _when_undefined_in_words(facts: Facts) -> str:
    if not facts.undefined_when:
        return "Never undefined."
    if facts.undefined is not None:
        return f"Undefined when {facts.undefined_when}; it is {facts.undefined:g} then."
    worst = facts.worst if facts.undefined_unless_identical is None else facts.undefined_unless_identical
    if not facts.best_on_identity:
        return f"Undefined when {facts.undefined_when}; it is {worst:g} then."
    return (
        f"Undefined when {facts.undefined_when}; it is {facts.best:g} if the partitions are identical, else {worst:g}."
    )


def _claims(facts: Facts) -> list[str]:
    claims = []
    if facts.metric:
        claims.append("Its distance is a metric.")
    if facts.chance_model:
        claims.append(f"Corrected for chance: {facts.chance_model}.")
    if not facts.best_on_identity and facts.higher_is_better is not None:
        claims.append("Identical partitions do not always score best.")
    return claims


def interval(bounds: tuple[float, float]) -> str:
    """Bounds as people write them: a bound that is infinite is open."""
    low, high = bounds
    return f"{'(−∞' if low == -inf else f'[{low:g}'}, {'∞)' if high == inf else f'{high:g}]'}"
