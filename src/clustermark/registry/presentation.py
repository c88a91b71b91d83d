"""Texts about an index, made of its declared facts: sentences, docstring, signature and card."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustermark.errors import alternatives
from clustermark.registry.facts import interval

if TYPE_CHECKING:
    from inspect import Signature

    from clustermark.registry.definition import Index
    from clustermark.registry.facts import IndexFacts, OptionFacts
    from clustermark.subjects.subject import Subject


def explain(index: Index[...]) -> str:
    """Return the docstring of an index: that of its function, then the declared facts, indented like it."""
    text = index.uses[0].function.__doc__ or "" if len(index.uses) == 1 else index.text
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
    said = sentences(index, index.comparison)
    if len(index.uses) == 1:
        return said
    ways = [f"{index.name}({', '.join(use.comparison.parameters)})" for use in index.uses]
    lines = [f"Called as {' or '.join(ways)}.", *said]
    for use in index.uses[1:]:
        own = [use.formula] * (use.formula != index.formula) + sentences(use.facts, use.comparison)
        of = use.comparison.name or use.comparison.sides
        if use.comparison.name == index.comparison.name:
            of = " and ".join(use.comparison.parameters)
        lines += [f"Of {of}: {line}" for line in own if line not in said]
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
    return [f"With {option}={alternatives(values)}: {said}." for (option, said), values in values_by_facts.items()]


def _differing(facts: OptionFacts) -> str:
    """Describe the facts that an option changes."""
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
