"""How an index is found: by its names, by its names in other tools, or in the catalogue of all."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, overload

from clustermark.errors import InputError, Mention
from clustermark.registry.definition import Index
from clustermark.registry.facts import interval
from clustermark.registry.homes import HOMES, PANEL
from clustermark.registry.plugins import load_installed

if TYPE_CHECKING:
    from clustermark.registry.facts import Facts
    from clustermark.subjects.comparison import Comparison

_REGISTRY: dict[str, Index[...]] = {}
_BY_OWN_NAME: dict[str, Index[...]] = {}
_declarations = 0
_ROOM = "clustermark.indices"
_LISTED = 40
"""An error lists the indices of a kind if they are not more."""


def register(declared: Index[...]) -> None:
    """Make an index known; one that was declared by the same function before is replaced, as a notebook does."""
    global _declarations
    if not declared.name.isidentifier():
        raise InputError(f"an index is found by its name, and {declared.name} is not a name; declare it with def")
    if not _is_from_here(declared):
        _declare_ours()  # so that a name of ours is taken, and not ours to clash with it later
    before = _REGISTRY.get(declared.name)
    if before is not None and not _are_one_function(before, declared):
        raise InputError(f"{declared.name} is already an index, declared in {before.__module__}; choose another name")
    for name in declared.own_names:
        other = _BY_OWN_NAME.get(name)
        if other is not None and other is not before:
            raise InputError(f"{declared.name} cannot be called {name!r}: that is {other.name}")
    if not _is_from_here(declared):
        _name_at_peers([*(index for index in _all_known() if index is not before), declared])
    for name in before.own_names if before is not None else ():
        del _BY_OWN_NAME[name]
    _BY_OWN_NAME.update(dict.fromkeys(declared.own_names, declared))
    _REGISTRY[declared.name] = declared
    _declarations += 1


def _is_from_here(declared: Index[...]) -> bool:
    return declared.__module__.startswith("clustermark.")


def _name_at_peers(indices: Iterable[Index[...]]) -> dict[tuple[str, str], Index[...]]:
    """What the names in other tools mean, by tool and name."""
    meanings: dict[tuple[str, str], Index[...]] = {}
    for declared in indices:
        for peer, names in declared.peers.items():
            for text in names:
                name, options = with_chosen_options(text)
                meant = declared.with_options(**options) if options else declared
                meant = meant if meant.options else declared
                known = meanings.setdefault((peer, name), meant)
                if known is not meant and known != meant:
                    raise InputError(f"{peer} cannot call both {known.label} and {meant.label} {name!r}")
    return meanings


@lru_cache(maxsize=1)
def _known_at_peers(_: int) -> dict[tuple[str, str], Index[...]]:
    """The same of all that is known, after so many declarations."""
    return _name_at_peers(_all_known())


def _all_known() -> tuple[Index[...], ...]:
    """What is declared by now; other threads may declare more meanwhile."""
    return tuple(_REGISTRY.values())


def _are_one_function(one: Index[...], other: Index[...]) -> bool:
    return (one.__module__, one.__qualname__) == (other.__module__, other.__qualname__)


def is_declared(name: str) -> bool:
    """Whether an index of this very name is known."""
    _declare_ours()
    return name in _REGISTRY


@cache
def _declare_ours() -> dict[str, int]:
    """Declare all of our indices, which waits until somebody asks; the places of their modules in the catalogue."""
    room = import_module(_ROOM)
    return {module: place for place, module in enumerate(room.declare((*room.PARTITIONS, *room.OTHERS)))}


def _list_all() -> list[Index[...]]:
    """All indices by family, in the order of their declaration; those of others last."""
    places = _declare_ours()
    load_installed()
    return sorted(_all_known(), key=lambda index: places.get(index.__module__, len(places)))


def _load(name: str) -> Index[...] | None:
    """The index of such a name of its own, if it is declared or one of ours, of which only its modules are loaded."""
    if name in HOMES:  # also where it is declared already: by another thread, which may not be through with the module
        import_module(f"{_ROOM}.{HOMES[name]}")
    known = _BY_OWN_NAME.get(name)
    if known and known.elsewhere and _is_from_here(known):
        import_module(_ROOM).declare(known.elsewhere)
    return known


@cache
def _load_panel() -> None:
    for home in {HOMES[name] for name in PANEL}:
        import_module(f"{_ROOM}.{home}")


def _fold(name: str) -> str:
    return name.casefold().translate({ord(mark): None for mark in "_- –"})


def find(name: str) -> Index[...]:
    """The index of this name, abbreviation or alias, also in other capitals; "peer:name" for its name in another tool.

    >>> find("ARS").name, find("mclust:adjustedRandIndex").name, find("Tanimoto").name
    ('adjusted_rand', 'adjusted_rand', 'jaccard')
    """
    if not isinstance(name, str):
        raise InputError(f"an index is looked up by its name, a string; got {name!r}")
    if known := _load(name):
        return known
    _declare_ours()
    load_installed()
    if name in _BY_OWN_NAME:
        return _BY_OWN_NAME[name]
    # FmS and FMS differ, FOWLKES-MALLOWS is fowlkes_mallows; what other tools call an index comes after its own names
    for look, same in ((_own, _fold), (_at_peers, str), (_at_peers, _fold)):
        meanings = look(name, same)
        if len(meanings) == 1:
            return next(iter(meanings))
        if meanings:
            several = ", ".join(sorted(index.label for index in meanings))
            raise InputError(f"{name!r} can mean several indices: {several}; name one of them")
    hint = f"did you mean {' or '.join(close)}? " if (close := _suggest(name.casefold())) else ""
    raise InputError(f"no index is called {name!r}; {hint}", Mention("catalogue()"), " lists them all")


_SAME_WORDS = {"f1": "f", "fscore": "f", "pairwise": "pair", "bcubed": "b_cubed", "b3": "b_cubed"}
"""Words that people write for ours."""


def _words(name: str) -> set[str]:
    """The words of a name, those that mean the same as one."""
    words = name.casefold().replace("-", "_").replace(" ", "_").split("_")
    return {part for word in words for part in _SAME_WORDS.get(word, word).split("_")}


def _suggest(name: str) -> list[str]:
    """Indices that have the words of a name in one of theirs, those of the panel first; else names spelt alike."""
    from difflib import get_close_matches

    words = _words(name)
    having = [index for index in _list_all() if any(words <= _words(own) for own in index.own_names)]
    ordered = sorted(having, key=lambda index: not index.facts.panel)
    return [index.name for index in ordered[:6]] or get_close_matches(name, _REGISTRY, n=3, cutoff=0.5)


def _own(name: str, same: Callable[[str], str]) -> set[Index[...]]:
    return {index for known, index in tuple(_BY_OWN_NAME.items()) if same(known) == same(name)}


def _at_peers(name: str, same: Callable[[str], str]) -> set[Index[...]]:
    peer, colon, wanted = name.rpartition(":")
    peer = "scikit-learn" if peer == "sklearn" else peer
    return {
        index
        for (at, known), index in _known_at_peers(_declarations).items()
        if same(known) == same(wanted) and (not colon or same(at) == same(peer))
    }


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


def index_of(wanted: object) -> Index[...]:
    """An index, or the one that a text names."""
    return wanted if isinstance(wanted, Index) else parse(wanted)


def read_indices(indices: object) -> list[Index[...]]:
    """The indices that a caller names: one, or several."""
    if isinstance(indices, str | Index):
        indices = [indices]
    if not isinstance(indices, Iterable):
        raise InputError(
            Mention("indices", indices), " must be a list of names of indices, such as ['jaccard', 'rand']"
        )
    return [index_of(wanted) for wanted in indices]


def is_ours(indices: object) -> bool:
    """Whether the choice of indices is ours: the panel, or all."""
    return indices is None or (isinstance(indices, str) and indices == "all")


def choose_indices(kind: Comparison[Any], indices: object) -> tuple[list[Index[...]], bool]:
    """The indices to score, and whether the caller named them; else they are the panel of this kind, or all."""
    if not is_ours(indices):
        wanted = read_indices(indices)
        for index in wanted:
            if not _reads(index, kind):
                raise InputError(_tell_other_kind(index, kind))
        return list({index.label: index for index in wanted}.values()), True
    if indices is None and kind.name == "partitions":
        return list_panel(), False
    every = (index for index in catalogue(kind.name) if _reads(index, kind))
    return [index for index in every if indices or _facts_for(index, kind).panel], False


def _reads(index: Index[...], kind: Comparison[Any]) -> bool:
    return any(use.comparison is kind for use in index.uses)


def _facts_for(index: Index[...], kind: Comparison[Any]) -> Facts:
    return next(use.facts for use in index.uses if use.comparison is kind)


def _tell_other_kind(index: Index[...], kind: Comparison[Any]) -> str:
    said = f"indices: {index.label} is not computed from {kind.words}, but from {index.comparison.words}"
    said += f", which {index.comparison.verb} scores" if index.comparison.verb not in ("", kind.verb) else ""
    known = [one.name for one in catalogue(kind.name) if _reads(one, kind)]
    return f"{said}. Here are {', '.join(known)}" if len(known) <= _LISTED else said


class Catalogue(Sequence[Index[...]]):
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
        rows += [(i.name, i.abbreviation, interval(i.bounds), i.formula) for i in self]
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        return "\n".join(
            "  ".join([*(text.ljust(width) for text, width in zip(row, widths, strict=False)), row[3]]) for row in rows
        )

    def _repr_html_(self) -> str:
        from clustermark.tables.notebook import html_table

        rows = [(i.name, i.abbreviation, interval(i.bounds), i.family_title, i.title, i.formula) for i in self]
        heads = ("name", "abbreviation", "range", "family", "what it is", "formula")
        return html_table(f"{len(self)} indices", heads, rows)


def catalogue(comparison: str = "partitions") -> Catalogue:
    """All indices of a kind of comparison, by family and in order of declaration; print it to read it.

    comparison: "partitions" (two labelings), "points" (points in space and their clusters), "covers" (two clusterings
        whose clusters may overlap), "trees" (hierarchies), "soft" (soft clusterings), or "all".
    """
    every = _list_all()
    if comparison == "all":
        return Catalogue(every)
    names = {index: {use.comparison.name for use in index.uses} for index in every}
    if comparison not in (known := sorted(filter(None, set().union(*names.values())))):
        raise InputError(f"catalogue: no index compares {comparison!r}; choose {', '.join(map(repr, known))} or 'all'")
    return Catalogue([index for index in every if comparison in names[index]])


def list_panel() -> list[Index[...]]:
    """The indices of partitions that are shown by default; no others are loaded for it."""
    _load_panel()
    load_installed()
    ours = [_REGISTRY[name] for name in PANEL]
    theirs = (index for index in _all_known() if index.panel and index.comparison.name == "partitions")
    return ours + [index for index in theirs if index.name not in PANEL]
