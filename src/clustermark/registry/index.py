"""What an index is, how one is declared, and how it is found: the one place that knows them all."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import update_wrapper
from importlib import import_module
from math import isfinite
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from clustermark.errors import InputError, Mention, UndefinedIndexError, UnsupportedTableError
from clustermark.registry.facts import Facts, explained, interval
from clustermark.tables.contingency import Contingency, Labels
from clustermark.tables.crosstab import crosstab

if TYPE_CHECKING:
    from fractions import Fraction
    from inspect import Signature

    from clustermark.registry.references import Reference
    from clustermark.statistics.statistic import View

P = ParamSpec("P")
S = TypeVar("S", bound="View")


class Index(Generic[P]):
    """A number that says how well two labelings agree: call it on labels, or take `.of(table)`.

    Its facts (`title`, `formula`, `bounds`, `higher_is_better`, `symmetric`, ...) are attributes.
    """

    __name__: str

    def __init__(self, function: Callable[..., Any], view: type[View], facts: Facts) -> None:
        update_wrapper(self, function)
        self._function = function
        self.view = view
        self.name: str = function.__name__
        self.facts = facts
        self._options: dict[str, Any] = {}
        self._fallback: float | None = None
        self._raises = False
        self.__doc__ = explained(function.__doc__ or "", facts)

    def __getattr__(self, name: str) -> Any:
        if name in Facts._fields:
            return getattr(self.facts, name)
        raise AttributeError(f"an index has no attribute {name!r}")

    def __call__(self, y_true: Labels, y_pred: Labels, *args: P.args, **options: P.kwargs) -> float:
        """The score of two labelings, truth first."""
        if args or options:
            self._refuse_unknown(args, options)
        return self.of(crosstab(y_true, y_pred), *args, **options)

    def of(self, table: Contingency, *args: P.args, **options: P.kwargs) -> float:
        """The score of a table."""
        if not isinstance(table, Contingency):
            raise InputError(
                f"{self.name}.of takes a table from crosstab(y_true, y_pred); for labels call {self.name} itself"
            )
        if not table.plain:
            self._check(table)
        try:
            value = self._function(
                self.view.of(table), *args, **(self._options | options if self._options else options)
            )
        except ZeroDivisionError as error:
            return self._when_undefined(table, error)
        return value if type(value) is float else float(value)

    def exact(self, table: Contingency, *args: P.args, **options: P.kwargs) -> Fraction:
        """The score of a table as an exact fraction, where the index is rational and the table has no weights.

        >>> from clustermark import crosstab, jaccard
        >>> jaccard.exact(crosstab([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2]))
        Fraction(2, 5)
        """
        from fractions import Fraction

        if not isinstance(table, Contingency):
            raise InputError(f"{self.name}.exact takes a table from crosstab(y_true, y_pred)")
        if not self.facts.rational:
            raise InputError(f"{self.name} is not a rational number, so it has no exact fraction; use .of(table)")
        if table.weights is not None:
            raise InputError(f"{self.name}.exact: a table with real weights has no exact fraction; use .of(table)")
        self._check(table)
        try:
            value = self._function(self.view.exact(table), *args, **(self._options | options))
        except ZeroDivisionError as error:
            value = self._when_undefined(table, error) if self._fallback is None else self._fallback
        if not isfinite(value):
            raise InputError(f"{self.name} is {value} on this table, so it has no exact fraction")
        return Fraction(value)

    def when_undefined(self, value: float) -> Index[P]:
        """The same index with this value wherever it is undefined."""
        try:
            float(value)
        except (TypeError, ValueError):
            raise InputError(f"when_undefined({value!r}): the value must be a number") from None
        return self._varied(_fallback=value, _raises=False)

    @property
    def strict(self) -> Index[P]:
        """The same index, raising `UndefinedIndexError` wherever it is undefined."""
        return self._varied(_raises=True)

    def with_options(self, **options: Any) -> Index[P]:
        """The same index with other defaults of its options.

        >>> from clustermark import f_measure
        >>> f_measure.with_options(beta=2)([0, 0, 1, 1], [0, 0, 0, 1])
        0.45454545454545453
        """
        self._refuse_unknown((), options)
        defaults = self._function.__kwdefaults__ or {}
        chosen = {name: value for name, value in (self._options | options).items() if value != defaults.get(name)}
        return self._varied(_options=chosen)

    @property
    def options(self) -> dict[str, Any]:
        """The options that were chosen with `with_options`."""
        return dict(self._options)

    @property
    def best(self) -> float | None:
        """The best value within the bounds; None for an index without a direction, such as an entropy."""
        return self.facts.best

    def bounds_on(self, table: Contingency) -> tuple[float, float]:
        """The bounds of its score on such a table: weights can widen them."""
        return self.facts.bounds if table.weights is None else self.facts.weighted_bounds

    @property
    def citation(self) -> Reference:
        """The publication that the declaration refers to."""
        from clustermark.registry.references import REFERENCES

        return REFERENCES[self.facts.reference]

    @property
    def own_names(self) -> list[str]:
        """The names that mean this index and no other: its own, its abbreviation and its synonyms."""
        return list(dict.fromkeys([self.name, self.facts.abbreviation, *self.facts.aliases]))

    @property
    def label(self) -> str:
        """The name with the options that were chosen, as `evaluate` shows it."""
        chosen = ", ".join(f"{key}={value!r}" for key, value in self._options.items())
        return f"{self.name}{f'({chosen})' if chosen else ''}{self._variant}"

    @property
    def _variant(self) -> str:
        if self._raises:
            return ".strict"
        return "" if self._fallback is None else f".when_undefined({self._fallback!r})"

    @property
    def __signature__(self) -> Signature:
        from inspect import Parameter, signature

        labels = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in ("y_true", "y_pred")]
        own = list(signature(self._function).parameters.values())[1:]
        own = [p.replace(default=self._options.get(p.name, p.default), annotation=Parameter.empty) for p in own]
        return signature(self._function).replace(parameters=[*labels, *own], return_annotation=float)

    def __repr__(self) -> str:
        return f"<index {self.name}{self.__signature__}{self._variant}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.name, self._options, self._fallback, self._raises)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Index) and self.__reduce__() == other.__reduce__()

    def __hash__(self) -> int:
        return hash(self.label)

    def _refuse_unknown(self, args: tuple[object, ...], options: Mapping[str, object]) -> None:
        known = list(self._function.__kwdefaults__ or ())
        if args:
            raise InputError(f"{self.name}: give options by name{_listed(known, '; it has ')}")
        for option in options:
            if option not in known:
                raise InputError(
                    f"{self.name} has no option {option!r}{_listed(known, '; it has ')}. Options of the table belong "
                    f"to crosstab, and {self.name}.of(table) scores it; evaluate takes them too"
                )

    def refusal(self, table: Contingency) -> str:
        """Why the index has no meaning on this table, in words; empty where it has one."""
        return str(UnsupportedTableError(*self._refusal(table)))

    def _refusal(self, table: Contingency) -> tuple[str | Mention, ...]:
        if table.weights is not None and self.facts.weights is None:
            leave_out = (Mention("weights"), ", or use ", Mention("counts"), " for repeated points")
            return f"{self.name} has no meaning with real weights; leave out ", *leave_out
        if table.unscored and not self.view.takes().unscored:
            return (
                f'{self.name} cannot leave noise "unscored", which only the indices of best matches can; '
                'choose the policy "drop", "singletons" or "cluster"',
            )
        if table.one_sided and not self.facts.one_sided:
            return f"{self.name} needs both labels of every item; choose ", Mention("unmatched", "drop", "singletons")
        return ()

    def _check(self, table: Contingency) -> None:
        refusal = self._refusal(table)
        if refusal:
            raise UnsupportedTableError(*refusal)

    def _when_undefined(self, table: Contingency, error: ZeroDivisionError) -> float:
        """The one rule for undefined values: the caller's choice, the declaration's, best on identity, else worst."""
        if self._raises:
            raise UndefinedIndexError(f"{self.name} is undefined: {self.facts.undefined_when}") from error
        if self._fallback is not None:
            return float(self._fallback)
        if self.facts.undefined is not None:
            return self.facts.undefined
        if self.best is not None and self.facts.best_on_identity and table.are_identical():
            return self.best
        if self.facts.undefined_unless_identical is not None:
            return self.facts.undefined_unless_identical
        return self.facts.worst

    def _varied(self, **changes: Any) -> Index[P]:
        other: Index[P] = Index.__new__(Index)
        other.__dict__.update(self.__dict__ | changes)
        return other


_REGISTRY: dict[str, Index[...]] = {}
_BY_OWN_NAME: dict[str, Index[...]] = {}
_BY_PEER_NAME: dict[tuple[str, str], Index[...]] = {}


def index(
    view: type[S],
    *,
    title: str,
    abbreviation: str,
    formula: str,
    reference: str,
    bounds: tuple[float, float] = (0.0, 1.0),
    weighted_bounds: tuple[float, float] | None = None,
    higher_is_better: bool | None = True,
    symmetric: bool = True,
    metric: bool | None = False,
    chance_model: str | None = None,
    best_on_identity: bool = True,
    rational: bool = True,
    undefined: float | None = None,
    undefined_unless_identical: float | None = None,
    undefined_when: str = "",
    aliases: Sequence[str] = (),
    peers: Mapping[str, str] = {},
    weights: str | None = "as the statistic",
    may_sample: bool = False,
    one_sided: bool | None = None,
    panel: bool = False,
) -> Callable[[Callable[Concatenate[S, P], float]], Index[P]]:
    """Declare an index: a pure function of one statistic, and the facts that tests, docs and reports read.

    metric: whether the distance (1 - score, or the score of a distance) is a metric; None where nobody knows.
    peers: for each tool that offers it, the names it has there, separated by spaces; "NMI(average='max')" says with
        which options.
    higher_is_better: None where neither direction is, as for an entropy or a test statistic.
    undefined: its value wherever it is 0/0; by default the best value on identical partitions and the worst elsewhere
        (0 for a correlation), or `undefined_unless_identical`.
    weights: what real weights do, or None to refuse them; by default what they do to the statistic.
    may_sample: whether it may have to draw random tables; `evaluate` then leaves it out unless it is asked for.
    one_sided: whether items of one side only have a meaning; by default what the statistic says.
    panel: whether `evaluate` gives it unless it is told which; each answers a question of its own, or is what people
        expect to see.
    """

    def declare(function: Callable[Concatenate[S, P], float]) -> Index[P]:
        facts = Facts(
            title,
            abbreviation,
            function.__module__.removeprefix("clustermark.indices.").partition(".")[0],
            formula,
            reference,
            bounds,
            weighted_bounds or bounds,
            higher_is_better,
            symmetric,
            metric,
            chance_model,
            best_on_identity,
            rational,
            undefined,
            undefined_unless_identical,
            undefined_when,
            tuple(aliases),
            {peer: tuple(names.split()) for peer, names in peers.items()},
            view.takes().weights if weights == "as the statistic" else weights,
            may_sample,
            view.takes().one_sided if one_sided is None else one_sided,
            panel,
        )
        declared: Index[P] = Index(function, view, facts)
        _register(declared)
        return declared

    return declare


def _register(declared: Index[...]) -> None:
    for name in declared.own_names:
        known = _BY_OWN_NAME.setdefault(name, declared)
        if known is not declared:
            raise ValueError(f"{declared.name} cannot be called {name!r}: that is {known.name}")
    for peer, names in declared.facts.peers.items():
        for text in names:
            name, options = with_chosen_options(text)
            variant = declared.with_options(**options)
            meant = variant if variant.options else declared
            known = _BY_PEER_NAME.setdefault((peer, name), meant)
            if known != meant:
                raise ValueError(f"{peer} cannot call both {known.label} and {meant.label} {name!r}")
    _REGISTRY[declared.name] = declared


def _declare_all() -> None:
    """Import the room of indices, which declares them; put off until somebody asks, so that importing us is quick."""
    import_module("clustermark.indices")


def _folded(name: str) -> str:
    return name.casefold().translate({ord(mark): None for mark in "_- –"})


def find(name: str) -> Index[...]:
    """The index of this name, abbreviation or alias, also in other capitals; "peer:name" for its name in another tool.

    >>> find("ARS").name, find("mclust:adjustedRandIndex").name, find("Tanimoto").name
    ('adjusted_rand', 'adjusted_rand', 'jaccard')
    """
    if not isinstance(name, str):
        raise InputError(f"an index is looked up by its name, a string; got {name!r}")
    _declare_all()
    if name in _BY_OWN_NAME:
        return _BY_OWN_NAME[name]
    # FmS and FMS differ, FOWLKES-MALLOWS is fowlkes_mallows; what other tools call an index comes after its own names
    for look, same in ((_own, _folded), (_at_peers, str), (_at_peers, _folded)):
        meanings = look(name, same)
        if len(meanings) == 1:
            return next(iter(meanings))
        if meanings:
            several = ", ".join(sorted(index.label for index in meanings))
            raise InputError(f"{name!r} can mean several indices: {several}; name one of them")
    from difflib import get_close_matches

    close = get_close_matches(name.casefold(), _REGISTRY, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(close)}? " if close else ""
    raise InputError(f"no index is called {name!r}; {hint}", Mention("catalogue()"), " lists them all")


def _own(name: str, same: Callable[[str], str]) -> set[Index[...]]:
    return {index for known, index in _BY_OWN_NAME.items() if same(known) == same(name)}


def _at_peers(name: str, same: Callable[[str], str]) -> set[Index[...]]:
    peer, colon, wanted = name.rpartition(":")
    peer = "scikit-learn" if peer == "sklearn" else peer
    return {
        index
        for (at, known), index in _BY_PEER_NAME.items()
        if same(known) == same(wanted) and (not colon or same(at) == same(peer))
    }


def _listed(names: Sequence[str], before: str) -> str:
    return before + ", ".join(names) if names else ""


def parse(text: object) -> Index[...]:
    """The index that a text such as "f_measure(beta=2)" names; read as data, never run.

    >>> parse("f_measure(beta=2)").label
    'f_measure(beta=2)'
    """
    if not isinstance(text, str):
        raise InputError(f"an index is named by a string such as 'jaccard' or 'f_measure(beta=2)'; got {text!r}")
    name, options = with_chosen_options(text)
    found = find(name)
    return found.with_options(**options) if options else found


def with_chosen_options(text: str) -> tuple[str, dict[str, Any]]:
    """The name and the options in a text such as "f_measure(beta=2)"."""
    name, bracket, options = text.partition("(")
    if not bracket:
        return name.strip(), {}
    try:
        call = ast.parse(f"f({options.strip()}", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            raise ValueError
        chosen = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords if keyword.arg}
        if len(chosen) != len(call.keywords):
            raise ValueError
    except (SyntaxError, TypeError, ValueError) as error:
        raise InputError(f"{text!r} is not an index with options; write it like f_measure(beta=2)") from error
    return name.strip(), chosen


class Catalogue(Sequence["Index[...]"]):
    """All indices, readable when printed."""

    def __init__(self, indices: Sequence[Index[...]]) -> None:
        self._indices = tuple(indices)

    @overload
    def __getitem__(self, place: int) -> Index[...]: ...
    @overload
    def __getitem__(self, place: slice) -> Catalogue: ...
    def __getitem__(self, place: int | slice) -> Index[...] | Catalogue:
        return Catalogue(self._indices[place]) if isinstance(place, slice) else self._indices[place]

    def __len__(self) -> int:
        return len(self._indices)

    def __iter__(self) -> Iterator[Index[...]]:
        return iter(self._indices)

    def __repr__(self) -> str:
        rows = [("name", "abbreviation", "range", "formula")]
        rows += [(i.name, i.facts.abbreviation, interval(i.facts.bounds), i.facts.formula) for i in self]
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        return "\n".join(
            "  ".join([*(text.ljust(width) for text, width in zip(row, widths, strict=False)), row[3]]) for row in rows
        )


def catalogue() -> Catalogue:
    """All indices, by family and in order of declaration; print it to read it."""
    _declare_all()
    return Catalogue(list(_REGISTRY.values()))


def _restored(name: str, options: Mapping[str, Any], fallback: float | None, raises: bool) -> Index[...]:
    found = find(name)
    if not options and fallback is None and not raises:
        return found
    return found._varied(_options=dict(options), _fallback=fallback, _raises=raises)
