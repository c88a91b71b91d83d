"""Declaration of indices: `index` for two partitions, `declare` for any other kind of comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Concatenate, Generic, TypedDict, TypeVar, Unpack, overload

from clustermark.errors import InputError
from clustermark.labels.conversion import Labels
from clustermark.registry.definition import Index, P
from clustermark.registry.facts import IndexFacts, OptionFacts
from clustermark.registry.lookup import REGISTRY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from fractions import Fraction

    from clustermark.options import LabelOptions
    from clustermark.statistics.statistic import Statistic
    from clustermark.tables.contingency import Contingency

I_ = TypeVar("I_", bound="Index[...]")
S = TypeVar("S", bound="Statistic[Contingency]")
_OURS = "clustermark.indices."


class RequiredFacts(TypedDict):
    """Facts that a declaration must have."""

    title: str
    formula: str


class Declaration(RequiredFacts, total=False):
    """Facts that a declaration may have; `index` explains them."""

    abbreviation: str
    family: str
    reference: str
    bounds: tuple[float, float]
    weighted_bounds: tuple[float, float]
    facts_by_option: Mapping[str, Mapping[Any, OptionFacts]]
    higher_is_better: bool | None
    symmetric: bool
    metric: bool | None
    chance_model: str | None
    best_on_identity: bool
    rational: bool
    undefined: float | None
    undefined_unless_identical: float | None
    undefined_when: str
    aliases: Sequence[str]
    peers: Mapping[str, str]
    weights: str | None
    may_sample: bool
    one_sided: bool
    invariances: Sequence[str]
    panel: bool


def declare(
    face: type[I_], statistic: type[Statistic[Any]], facts: Declaration
) -> Callable[[Callable[..., float]], I_]:
    """Return a decorator that makes an index of a function and registers it.

    face: `Index`, or a subclass with the types of a call, such as `PartitionIndex`.
    """
    unknown = facts.keys() - Declaration.__annotations__
    lacking = Declaration.__required_keys__ - facts.keys()
    if unknown or lacking:
        mistakes = [f"{name}= is not a fact of an index" for name in unknown] + [
            f"{name}= is missing" for name in lacking
        ]
        raise InputError(
            f"index: {'; '.join(sorted(mistakes))} (the facts are {', '.join(Declaration.__annotations__)})"
        )
    if missing := [method for method in ("takes", "of") if not hasattr(statistic, method)]:
        name = getattr(statistic, "__name__", repr(statistic))
        raise InputError(
            f"index: {name} is no statistic; it lacks {', '.join(missing)} "
            "(clustermark.statistics.Statistic says what one offers)"
        )
    takes = statistic.takes()

    def make(function: Callable[..., float]) -> I_:
        ours = function.__module__.startswith(_OURS)
        declared: dict[str, Any] = {
            "family": function.__module__.removeprefix(_OURS).partition(".")[0] if ours else "own",
            "weights": takes.weights,
            "symmetric": True if takes.comparison.are_identical else None,
            "one_sided": takes.one_sided,
            "weighted_bounds": facts.get("bounds", IndexFacts.bounds),
            **facts,
            "aliases": tuple(facts.get("aliases", ())),
            "invariances": tuple(facts.get("invariances", ())),
            "peers": {peer: tuple(names.split()) for peer, names in facts.get("peers", {}).items()},
        }
        made = face(function, statistic, IndexFacts(**declared))
        REGISTRY.register(made)
        return made

    return make


class PartitionIndex(Index[Concatenate[Labels, Labels, P]], Generic[P]):
    """An index of two partitions: call it on labels, or take `.of(table)`. P are its options."""

    if TYPE_CHECKING:

        @overload
        def __call__(self, y_true: Labels, y_pred: Labels, *args: P.args, **options: P.kwargs) -> float: ...
        @overload
        def __call__(self, y_true: Labels, y_pred: Labels, **policies: Unpack[LabelOptions]) -> float: ...
        def __call__(self, *labels: Any, **options: Any) -> float:
            """Return the score of two labelings, truth first.

            options: those of the index, or those of the table: counts, weights, threads and the policies, as in
                `crosstab`. For both together, choose those of the index by `with_options`.
            """
            ...

        def of(self, table: Contingency, /, *args: P.args, **options: P.kwargs) -> float:
            """Return the score of a table."""
            ...

        def exact(self, table: Contingency, /, *args: P.args, **options: P.kwargs) -> Fraction:
            """Return the score of a table as an exact fraction."""
            ...


def index(
    statistic: type[S], **facts: Unpack[Declaration]
) -> Callable[[Callable[Concatenate[S, P], float]], PartitionIndex[P]]:
    """Declare an index: a pure function of one statistic, and the facts that tests, docs and reports read.

    Two facts are required: its `title`, and its `formula`, an expression over the fields of the statistic.

    abbreviation, aliases: other names.
    reference: the publication: a key of our bibliography, a DOI, or any text.
    family: the heading in lists; "own" for indices of other packages.
    bounds, weighted_bounds: the least and the largest score, (0, 1) by default, and those with real weights.
    facts_by_option: facts that differ for a value of an option (bounds, symmetric, metric, chance_model), such as
        {"average": {"min": {"bounds": (0, inf)}}}.
    higher_is_better: None if neither direction is better, as for an entropy or a test statistic.
    symmetric: whether truth and prediction can be exchanged.
    metric: whether the distance (1 - score, or the score of a distance) is a metric; None if it is unknown.
    chance_model: "permutation" if the mean over all permutations of a labeling is 0, or another model in words.
    best_on_identity: whether identical partitions score best.
    rational: whether the score is a rational number, so that `.exact` can give it as a fraction.
    undefined: its value where it is 0/0; by default the best value on identical partitions and the worst elsewhere
        (0 for a correlation), or `undefined_unless_identical`.
    undefined_when: the cases in which it is 0/0, in words.
    peers: the names of the index in other tools, by tool, separated by spaces, with options such as
        "NMI(average='max')".
    weights: the effect of real weights, in words, or None to refuse them; by default that on the statistic.
    may_sample: whether it may have to draw random tables; `evaluate` then leaves it out unless it is named.
    one_sided: whether items of one side only have a meaning; by default as for the statistic.
    panel: whether `evaluate` computes it by default: an index that answers a question of its own, or that users expect.
    """
    return declare(PartitionIndex, statistic, facts)
