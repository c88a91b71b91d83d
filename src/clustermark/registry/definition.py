"""The class of indices: pure functions of one statistic, with their declared facts."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cached_property, update_wrapper
from inspect import CO_VARARGS, CO_VARKEYWORDS, cleandoc
from math import isfinite
from types import DynamicClassAttribute
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

from clustermark.docstrings import docstring_of
from clustermark.errors import InputError, UndefinedIndexError, UnsupportedTableError
from clustermark.registry.facts import IndexFacts, Use, describe, explain, make_card, make_signature

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from fractions import Fraction
    from inspect import Signature
    from typing import Self

    import numpy as np
    from numpy.typing import NDArray

    from clustermark.registry.adjustment import AdjustedIndex
    from clustermark.statistics.statistic import Statistic
    from clustermark.subjects.subject import Subject

P = ParamSpec("P")
F = TypeVar("F", bound="Callable[..., float]")


class _Docstring:
    """The docstring of a class and of its instances. The docstring of an instance is made when it is first read."""

    def __init__(self, of_class: str | None) -> None:
        self._of_class = of_class

    def __get__(self, index: Index[...] | None, _: type) -> str | None:
        if index is None:
            return self._of_class
        made = index.__dict__["__doc__"] = explain(index)
        return made


class Index(IndexFacts, Generic[P]):
    """A score of how well two clusterings agree: call it on data, or take `.of(comparison)`.

    Its facts (`title`, `formula`, `bounds`, `symmetric`, ...) are attributes. P is the parameters of a call.
    """

    __name__: str
    __qualname__: str
    name: str
    _options: dict[str, Any]
    _fallback: float | None
    _raises: bool
    _uses: tuple[Use, ...]
    _first: Use
    _use_by_class: dict[type, Use]
    _make: Callable[..., Any]
    _n_inputs: int | None
    _beside: frozenset[str]
    __doc__ = _Docstring(__doc__)  # pyright: ignore[reportAssignmentType]

    def __init_subclass__(cls, **how: Any) -> None:
        super().__init_subclass__(**how)
        cls.__doc__ = _Docstring(cls.__doc__)  # type: ignore[assignment]

    def __init__(self, function: Callable[..., Any], statistic: type[Statistic[Any]], facts: IndexFacts) -> None:
        self.__dict__.update(vars(facts))
        update_wrapper(self, function)
        self.__dict__.update(name=function.__name__, _options={}, _fallback=None, _raises=False, _uses=())
        self._serve(statistic, function, facts)

    def _serve(self, statistic: type[Statistic[Any]], function: Callable[..., Any], facts: IndexFacts) -> None:
        _refuse_other_parameters(function)
        uses = (*self._uses, Use.declared(statistic, function, facts))
        first = uses[0].comparison
        inputs = len(first.parameters) if len(uses) == 1 else None
        self.__dict__.update(_uses=uses, _first=uses[0], _use_by_class={}, _make=first.make, _n_inputs=inputs)
        self.__dict__["_beside"] = frozenset(first.options)
        for name in ("__doc__", "uses"):  # the docstring of the function, and uses without this one
            self.__dict__.pop(name, None)

    def also(self, statistic: type[Statistic[Any]], **facts: Any) -> Callable[[F], F]:
        """Declare a function that computes this index from another kind of comparison; the kind of input decides.

        facts: those that differ from the first declaration: the formula over the fields of that statistic, symmetry, ….
        """

        def declare(function: F) -> F:
            comparison = statistic.takes().comparison
            if any(use.comparison is comparison for use in self._uses):
                raise InputError(f"{self.name} is already declared for {comparison.words}")
            if function.__kwdefaults__ != self._first.function.__kwdefaults__:
                raise InputError(f"{self.name} must have the same options for all comparisons: {self._known_options()}")
            if unknown := facts.keys() - {field.name for field in fields(IndexFacts)}:
                raise InputError(
                    f"{self.name}.also: {', '.join(f'{name}=' for name in sorted(unknown))} is no fact of an index"
                )
            own = {"weights": statistic.takes().weights, **facts}
            self._serve(statistic, function, replace(self._first.facts, **own))
            return function

        return declare

    @cached_property
    def facts(self) -> IndexFacts:
        """The declared facts."""
        return self

    @cached_property
    def comparison(self) -> Subject[Any]:
        """The kind of comparison that the index reads; the first of several."""
        return self._first.comparison

    @cached_property
    def statistic(self) -> type[Statistic[Any]]:
        """The statistic of which the index is a function, for the first kind of comparison."""
        return self._first.statistic

    @cached_property
    def uses(self) -> tuple[Use, ...]:
        """The computation of the index for each kind of comparison."""
        return self._uses

    def __call__(self, *inputs: P.args, **options: P.kwargs) -> float:
        """Return the score of the data, truth first."""
        if len(inputs) != self._n_inputs or (options and not self._beside.isdisjoint(options)):
            comparison, chosen = self._bind(inputs, options)
            return self.of(comparison, **chosen)
        return self.of(self._make(*inputs), **options)

    def of(self, comparison: Any, /, *args: Any, **options: Any) -> float:
        """Return the score of a comparison, such as a table from `crosstab`."""
        # a lookup by class takes a fifth of the time of isinstance() with an abstract class
        use = self._use_by_class.get(type(comparison)) or self._use_of(comparison, "of")
        if args or options:
            self._refuse_unknown(args, options)
        if self._options:
            options = self._options | options
        if not use.is_plain(comparison):
            self._refuse(use, comparison)
        try:
            statistic = use.make(comparison)
            value = use.function(statistic, **options) if options else use.function(statistic)
        except ZeroDivisionError as error:
            return self._when_undefined(use, comparison, error)
        return value if type(value) is float else float(value)

    def score_arrays(self, fields: Any, identical: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
        """Return the scores of many pairs of partitions at once, from the fields of the statistic as arrays.

        identical: whether the two partitions of each pair are the same, which decides undefined scores; without it, an
            undefined score is not finite.
        """
        from clustermark.registry.array_scores import score_arrays

        return score_arrays(self, fields, identical)

    def exact(self, comparison: Any, /, *args: Any, **options: Any) -> Fraction:
        """Return the score as an exact fraction, where the index is rational and the points have no weights.

        >>> from clustermark import crosstab, jaccard
        >>> jaccard.exact(crosstab([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2]))
        Fraction(2, 5)
        """
        from fractions import Fraction

        from clustermark.statistics.statistic import exact_statistic

        use = self._use_of(comparison, "exact")
        self._refuse_unknown(args, options)
        if not self.rational:
            raise InputError(f"{self.name} is not a rational number, so it has no exact fraction; use .of(…)")
        if use.comparison.is_weighted(comparison):
            raise InputError(f"{self.name}.exact: with real weights there is no exact fraction; use .of(…)")
        self._refuse(use, comparison)
        try:
            value = use.function(exact_statistic(use.statistic, comparison), **(self._options | options))
        except ZeroDivisionError as error:
            value = self._when_undefined(use, comparison, error) if self._fallback is None else self._fallback
        if not isfinite(value):
            raise InputError(f"{self.name} is {value} on this table, so it has no exact fraction")
        return Fraction(value)

    def when_undefined(self, value: float) -> Self:
        """Return the same index with this value where it is undefined."""
        try:
            float(value)
        except (TypeError, ValueError):
            raise InputError(f"when_undefined({value!r}): the value must be a number") from None
        return self._vary(_fallback=value, _raises=False)

    def adjust(self, model: str = "permutation", *, draws: int = 1_000, seed: int = 0) -> AdjustedIndex:
        """Return the index corrected for chance: (score - mean) / (best - mean), with its mean over all permutations.

        The mean is exact if the index is a linear function of a number of pairs or of the mutual information, and for
        small tables; otherwise it is that of `draws` random tables with the same cluster sizes. The score is a float
        with the attributes `expected`, `standard_error`, `draws` and `method`.

        >>> from clustermark import purity
        >>> adjusted = purity.adjust()([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1])
        >>> adjusted, adjusted.expected, adjusted.method
        (0.5454545454545454, 0.6333333333333333, 'exact')
        """
        from clustermark.registry.adjustment import AdjustedIndex

        return AdjustedIndex(self, model, draws, seed)

    @property
    def strict(self) -> Self:
        """The same index, which raises `UndefinedIndexError` where it is undefined."""
        return self._vary(_raises=True)

    def with_options(self, **options: Any) -> Self:
        """Return the same index with other defaults of its options.

        >>> from clustermark import f_measure
        >>> f_measure.with_options(beta=2)([0, 0, 1, 1], [0, 0, 0, 1])
        0.45454545454545453
        """
        self._refuse_unknown((), options)
        defaults = self._first.function.__kwdefaults__ or {}
        chosen = {name: value for name, value in (self._options | options).items() if value != defaults.get(name)}
        return self._choose(chosen)

    def _choose(self, options: dict[str, Any]) -> Self:
        return self._vary(_options=options, **self._first.facts.for_options(options))

    @property
    def options(self) -> dict[str, Any]:
        """The options chosen by `with_options`."""
        return dict(self._options)

    def bounds_on(self, comparison: Any) -> tuple[float, float]:
        """Return the bounds of the score on a comparison; weights and options can widen them."""
        use = self._use_of(comparison, "of")
        facts = use.facts
        if not self._options and facts.weighted_bounds == facts.bounds:
            return facts.bounds
        weighted = use.comparison.is_weighted(comparison)
        if weighted or not self._options:
            return facts.weighted_bounds if weighted else facts.bounds
        return facts.for_options(self._options).get("bounds", facts.bounds)

    @property
    def own_names(self) -> list[str]:
        """The names of this index only: its name, its abbreviation and its aliases."""
        return [name for name in dict.fromkeys([self.name, self.abbreviation, *self.aliases]) if name]

    @cached_property
    def label(self) -> str:
        """The name with the chosen options, as `evaluate` shows it."""
        if not self._options and not self._raises and self._fallback is None:
            return self.name
        chosen = ", ".join(f"{key}={value!r}" for key, value in self._options.items())
        return f"{self.name}{f'({chosen})' if chosen else ''}{self._variant}"

    @property
    def _variant(self) -> str:
        if self._raises:
            return ".strict"
        return "" if self._fallback is None else f".when_undefined({self._fallback!r})"

    @property
    def text(self) -> str:
        """The docstring of the function."""
        return cleandoc(docstring_of(self._first.function))

    @property
    def summary(self) -> str:
        """The first line of the docstring."""
        return self.text.partition("\n")[0]

    @property
    def sentences(self) -> list[str]:
        """The declared facts as sentences, without formula and names in other tools."""
        return describe(self)

    @DynamicClassAttribute  # a class has none, so that inspect.signature(Index) reads __init__
    def __signature__(self) -> Signature:
        return make_signature(self)

    def __repr__(self) -> str:
        return f"<index {self.name}{self.__signature__}{self._variant}>"

    def _repr_html_(self) -> str:
        """Return the title, the call, the formula and the declared facts."""
        return make_card(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.__module__, self.name, self._options, self._fallback, self._raises)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Index) and self.__reduce__() == other.__reduce__()

    def __hash__(self) -> int:
        return hash(self.label)

    def _bind(self, inputs: Sequence[Any], options: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Return the comparison of inputs, some of them by name or of several possible kinds, and the other options."""
        for use in self._uses:
            names = use.comparison.parameters[len(inputs) :]
            if len(inputs) > len(use.comparison.parameters) or not options.keys() >= set(names):
                continue
            values = [*inputs, *(options[name] for name in names)]
            if len(self._uses) == 1 or use.comparison.accepts(*values):
                made = {key: x for key, x in options.items() if key in use.comparison.options}
                return use.comparison.make(*values, **made), {
                    key: x for key, x in options.items() if key not in names and key not in made
                }
        if len(inputs) > max(len(use.comparison.parameters) for use in self._uses):
            self._refuse_unknown(inputs, {})
        takes = " or ".join(f"({', '.join(use.comparison.parameters)})" for use in self._uses)
        given = [type(value).__name__ for value in inputs] + [f"{name}=" for name in options]
        raise InputError(f"{self.name} takes {takes}; got ({', '.join(given)})")

    def _use_of(self, comparison: Any, method: str) -> Use:
        for use in self._uses:
            if isinstance(comparison, use.comparison.kind):
                self._use_by_class[type(comparison)] = use
                return use
        takes = " or ".join(use.comparison.words for use in self._uses)
        raise InputError(f"{self.name}.{method} takes {takes}; for the data itself call {self.name}")

    def _known_options(self) -> str:
        return ", ".join(self._first.function.__kwdefaults__ or ())

    def _refuse_unknown(self, args: Sequence[object], options: Mapping[str, object]) -> None:
        unknown = [option for option in options if option not in (self._first.function.__kwdefaults__ or ())]
        if not args and not unknown:
            return
        known = self._known_options()
        has = f"; it has {known}" if known else ""
        if args:
            scorer = f"; a scorer of scikit-learn is made by clustermark.sklearn.scorer({self.name!r})"
            raise InputError(f"{self.name}: give options by name{has}{scorer if hasattr(args[0], 'fit') else ''}")
        raise InputError(
            f"{self.name} has no option {unknown[0]!r}{has}. Options that say how data is compared belong where the "
            f"comparison is made: {self.name}.of takes {self.comparison.words}"
        )

    def _refuse(self, use: Use, comparison: Any) -> None:
        """Raise if the index has no meaning on this comparison."""
        if reason := use.comparison.refusal(comparison, self.name, use.takes):
            raise UnsupportedTableError(*reason)

    def refusal(self, comparison: Any) -> str:
        """Return why the index has no meaning on this comparison, in words; empty if it has one."""
        for use in self._uses:
            if isinstance(comparison, use.comparison.kind):
                if use.is_plain(comparison):
                    return ""
                return str(UnsupportedTableError(*use.comparison.refusal(comparison, self.name, use.takes)))
        return f"{self.name} is computed from {' or '.join(use.comparison.words for use in self._uses)}"

    def cost(self, comparison: Any) -> str:
        """Return why the index takes long on this comparison, in words; empty if it does not.

        >>> from clustermark import crosstab, jaccard
        >>> jaccard.cost(crosstab([0, 0, 1], [0, 1, 1]))
        ''
        """
        use = self._use_of(comparison, "cost")
        if use.facts.may_sample:
            return "it may have to draw random tables, which takes long"
        return use.comparison.cost(comparison, use.takes)

    def of_estimate(self, comparison: Any, estimate: Callable[[], float]) -> float:
        """Return the result of `estimate`; if that divides by zero, return the score of the undefined index."""
        use = self._use_of(comparison, "of_estimate")
        self._refuse(use, comparison)
        try:
            return float(estimate())
        except ZeroDivisionError as error:
            return self._when_undefined(use, comparison, error)

    def _when_undefined(self, use: Use, comparison: Any, error: ZeroDivisionError) -> float:
        """Return the score of an undefined index: the caller's choice, the declared one, best on identity, or worst."""
        if self._raises:
            raise UndefinedIndexError(f"{self.name} is undefined: {use.facts.undefined_when}") from error
        are_identical = use.comparison.are_identical
        return self.undefined_score(
            identical=lambda: are_identical is not None and are_identical(comparison), facts=use.facts
        )

    def undefined_score(self, *, identical: Callable[[], bool], facts: IndexFacts | None = None) -> float:
        """Return the score where the index is undefined; `identical` returns whether the two sides are the same.

        facts: those of one kind of comparison; by default of the first.
        """
        facts = facts or self._first.facts  # options widen the bounds, and do not change the score of identical sides
        if self._fallback is not None:
            return float(self._fallback)
        if facts.undefined is not None:
            return facts.undefined
        if facts.best is not None and facts.best_on_identity and identical():
            return facts.best
        if facts.undefined_unless_identical is not None:
            return facts.undefined_unless_identical
        return facts.worst

    def _vary(self, **changes: Any) -> Self:
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__ | changes)
        for name in ("facts", "label"):  # cached values of the original index
            other.__dict__.pop(name, None)
        return other


def _refuse_other_parameters(function: Callable[..., Any]) -> None:
    code = function.__code__
    if (code.co_argcount, code.co_flags & (CO_VARARGS | CO_VARKEYWORDS)) == (1, 0) and (
        code.co_kwonlyargcount == len(function.__kwdefaults__ or ())
    ):
        return  # a check of the code object, because a signature takes longer than the rest of a declaration
    from inspect import Parameter, signature

    _, *options = signature(function).parameters.values()
    for option in options:
        if option.kind is not Parameter.KEYWORD_ONLY or option.default is Parameter.empty:
            raise InputError(
                f"{function.__name__}: an option has a name and a default; write (statistic, *, {option.name}=…)"
            )


def _restore(module: str, name: str, options: dict[str, Any], fallback: float | None, raises: bool) -> Index[...]:
    from importlib import import_module

    from clustermark.registry.lookup import REGISTRY

    if name not in REGISTRY:
        import_module(module)
    found = REGISTRY.find(name)
    if not options and fallback is None and not raises:
        return found
    return found._choose(options)._vary(_fallback=fallback, _raises=raises)
