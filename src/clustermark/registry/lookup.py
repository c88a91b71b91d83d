"""Lookup of indices by their names, by their names in other tools, and in the catalogue of all."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, overload

from clustermark.errors import InputError, Mention
from clustermark.registry.definition import Index
from clustermark.registry.facts import FAMILIES, interval
from clustermark.registry.plugins import load_installed

if TYPE_CHECKING:
    from clustermark.registry.facts import IndexFacts
    from clustermark.results.html import Html
    from clustermark.subjects.subject import Subject

_PARTITIONS = "clustermark.indices"
_OTHERS = tuple(f"{_PARTITIONS}.{family}" for family in ("internal", "trees", "soft"))
"""Modules that declare indices of other comparisons than partitions and covers."""
_SAME_WORDS = {"f1": "f", "fscore": "f", "pairwise": "pair", "bcubed": "b_cubed", "b3": "b_cubed"}
"""Synonyms of words in our names, for suggestions."""
_VAGUE = {"f": "f", "f1": "f", "fscore": "f", "f1score": "f", "precision": "precision", "recall": "recall",
          "accuracy": "accuracy", "accuracyscore": "accuracy"}  # fmt: skip
"""Names, without marks, that every family of indices uses, and the word that these indices have in their names."""
_LISTED = 40
"""Largest number of indices that an error lists."""


class Registry:
    """All declared indices: ours, those of installed packages, and those of users."""

    def __init__(self) -> None:
        self._by_name: dict[str, Index[...]] = {}
        self._by_own_name: dict[str, Index[...]] = {}
        self._at_peers: dict[tuple[str, str], Index[...]] | None = None

    def __contains__(self, name: object) -> bool:
        self._load_ours()
        return name in self._by_name

    def __iter__(self) -> Iterator[Index[...]]:
        """Iterate over all indices by family, in order of declaration; those of other packages are last."""
        self._load_ours()
        load_installed()
        places = {family: place for place, family in enumerate(FAMILIES)}
        return iter(sorted(self._known(), key=lambda index: places[index.family] if is_builtin(index) else len(places)))

    def register(self, declared: Index[...]) -> None:
        """Add an index; it replaces one that the same function declared before, as in a notebook."""
        if not declared.name.isidentifier():
            raise InputError(f"an index is found by its name, and {declared.name} is not a name; declare it with def")
        if not is_builtin(declared):
            self._load_ours()  # so that it cannot take the name of a built-in index
        before = self._by_name.get(declared.name)
        if before is not None and not _are_one_function(before, declared):
            raise InputError(
                f"{declared.name} is already an index, declared in {before.__module__}; choose another name"
            )
        for name in declared.own_names:
            other = self._by_own_name.get(name)
            if other is not None and other is not before:
                raise InputError(f"{declared.name} cannot be called {name!r}: that is {other.name}")
        if not is_builtin(declared):
            _name_at_peers([*(index for index in self._known() if index is not before), declared])
        if before is not None:
            self.remove(before)
        self._by_own_name.update(dict.fromkeys(declared.own_names, declared))
        self._by_name[declared.name] = declared
        self._at_peers = None

    def remove(self, declared: Index[...]) -> None:
        """Remove an index and its names."""
        del self._by_name[declared.name]
        for name in declared.own_names:
            del self._by_own_name[name]
        self._at_peers = None

    def find(self, name: str) -> Index[...]:
        """Return the index of a name, as the function `find` does."""
        import_module(_PARTITIONS)
        if name in self._by_own_name:
            return self._by_own_name[name]
        self._load_ours()
        load_installed()
        if name in self._by_own_name:
            return self._by_own_name[name]
        if word := _VAGUE.get(_fold(name)):
            raise InputError(
                f"{name!r} can mean several indices: {', '.join(self._list_having(word))}; name one of them"
            )
        # FmS and FMS differ, FOWLKES-MALLOWS is fowlkes_mallows; names in other tools come after own names
        for look, same in ((self._find_own, _fold), (self._find_at_peers, str), (self._find_at_peers, _fold)):
            meanings = look(name, same)
            if len(meanings) == 1:
                return next(iter(meanings))
            if meanings:
                several = ", ".join(sorted(index.label for index in meanings))
                raise InputError(f"{name!r} can mean several indices: {several}; name one of them")
        hint = f"did you mean {' or '.join(close)}? " if (close := self._suggest(name.casefold())) else ""
        raise InputError(f"no index is called {name!r}; {hint}", Mention("catalogue()"), " lists them all")

    def list_panel(self) -> list[Index[...]]:
        """Return the indices of partitions that `evaluate` gives by default; ours first."""
        import_module(_PARTITIONS)
        load_installed()
        shown = [index for index in self._known() if index.panel and index.comparison.name == "partitions"]
        return sorted(shown, key=lambda index: not is_builtin(index))

    def _load_ours(self) -> None:
        for package in (_PARTITIONS, *_OTHERS):
            import_module(package)

    def _known(self) -> tuple[Index[...], ...]:
        return tuple(self._by_name.values())  # a copy, because other threads may declare more

    def _find_own(self, name: str, same: Callable[[str], str]) -> set[Index[...]]:
        return {index for known, index in tuple(self._by_own_name.items()) if same(known) == same(name)}

    def _find_at_peers(self, name: str, same: Callable[[str], str]) -> set[Index[...]]:
        if self._at_peers is None:
            self._at_peers = _name_at_peers(self._known())
        peer, colon, wanted = name.rpartition(":")
        peer = "scikit-learn" if peer == "sklearn" else peer
        return {
            index
            for (at, known), index in self._at_peers.items()
            if same(known) == same(wanted) and (not colon or same(at) == same(peer))
        }

    def _suggest(self, name: str) -> list[str]:
        """Suggest indices whose names have all words of a name, those of the panel first; else similar names."""
        from difflib import get_close_matches

        found = [index.name for index, _ in self._find_words(_words(name))[:6]]
        return found or get_close_matches(name, self._by_name, n=3, cutoff=0.5)

    def _list_having(self, word: str) -> list[str]:
        """Return the indices of partitions that have this word in a name, with this name if it is another one."""
        having = self._find_words({word})
        return [
            index.name if own == index.name else f"{index.name} ({own})"
            for index, own in having
            if index.comparison.name == "partitions"
        ]

    def _find_words(self, words: set[str]) -> list[tuple[Index[...], str]]:
        """Return the indices of which a name has all of these words, with the first such name, the panel first."""
        named = ((index, [own for own in index.own_names if words <= _words(own)]) for index in self)
        having = [(index, own[0]) for index, own in named if own]
        return sorted(having, key=lambda found: not found[0].facts.panel)


REGISTRY = Registry()


def is_builtin(declared: Index[...]) -> bool:
    """Return whether the index is one of ours."""
    return declared.__module__.startswith("clustermark.")


def _name_at_peers(indices: Iterable[Index[...]]) -> dict[tuple[str, str], Index[...]]:
    """Map the names in other tools, by tool and name, to indices."""
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


def _are_one_function(one: Index[...], other: Index[...]) -> bool:
    return (one.__module__, one.__qualname__) == (other.__module__, other.__qualname__)


def _fold(name: str) -> str:
    return name.casefold().translate({ord(mark): None for mark in "_- –"})


def _words(name: str) -> set[str]:
    """Return the words of a name; words with one meaning are one word."""
    words = name.casefold().replace("-", "_").replace(" ", "_").split("_")
    return {part for word in words for part in _SAME_WORDS.get(word, word).split("_")}


def find(name: str) -> Index[...]:
    """Return the index of this name, abbreviation or alias, in any capitals; or of "tool:name" in another tool.

    >>> find("ARS").name, find("mclust:adjustedRandIndex").name, find("Tanimoto").name
    ('adjusted_rand', 'adjusted_rand', 'jaccard')
    """
    if not isinstance(name, str):
        raise InputError(f"an index is looked up by its name, a string; got {name!r}")
    return REGISTRY.find(name)


def hint_at_index(name: str) -> str:
    """Return a hint, for the error about a missing attribute, at an index of this alias or of a similar name."""
    try:
        found = find(name)
    except InputError:
        return _hint_at_similar(name)
    return f"; this index is {f'clustermark.{found.label}' if is_builtin(found) else f'find({found.name!r})'}"


def _hint_at_similar(name: str) -> str:
    from difflib import get_close_matches

    import clustermark

    close = get_close_matches(name, [one for one in dir(clustermark) if not one.startswith("_")], n=1, cutoff=0.75)
    return f"; did you mean {close[0]}?" if close else ""


def parse(text: object) -> Index[...]:
    """Return the index that a text such as "f_measure(beta=2)" names; the text is never run.

    >>> parse("f_measure(beta=2)").label
    'f_measure(beta=2)'
    """
    if not isinstance(text, str):
        raise InputError(f"an index is named by a string such as 'jaccard' or 'f_measure(beta=2)'; got {text!r}")
    name, options = with_chosen_options(text)
    found = find(name)
    return found.with_options(**options) if options else found


def with_chosen_options(text: str) -> tuple[str, dict[str, Any]]:
    """Split a text such as "f_measure(beta=2)" into the name and the options."""
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
    """Return an index, or the index that a text names."""
    return wanted if isinstance(wanted, Index) else parse(wanted)


def read_indices(indices: object) -> list[Index[...]]:
    """Return the indices that a caller names: one, or several."""
    if isinstance(indices, str | Index):
        indices = [indices]
    if not isinstance(indices, Iterable):
        raise InputError(
            Mention("indices", indices), " must be a list of names of indices, such as ['jaccard', 'rand']"
        )
    return [index_of(wanted) for wanted in indices]


def is_ours(indices: object) -> bool:
    """Return whether the caller names no indices: the default panel, or "all"."""
    return indices is None or (isinstance(indices, str) and indices == "all")


def choose_indices(kind: Subject[Any], indices: object) -> tuple[list[Index[...]], bool]:
    """Return the indices to score, and whether the caller named them; by default they are the panel of this kind."""
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


def _reads(index: Index[...], kind: Subject[Any]) -> bool:
    return any(use.comparison is kind for use in index.uses)


def _facts_for(index: Index[...], kind: Subject[Any]) -> IndexFacts:
    return next(use.facts for use in index.uses if use.comparison is kind)


def _tell_other_kind(index: Index[...], kind: Subject[Any]) -> str:
    text = f"indices: {index.label} is not computed from {kind.words}, but from {index.comparison.words}"
    text += f", which {index.comparison.verb} scores" if index.comparison.verb not in ("", kind.verb) else ""
    known = [one.name for one in catalogue(kind.name) if _reads(one, kind)]
    return f"{text}. Here are {', '.join(known)}" if len(known) <= _LISTED else text


class Catalogue(Sequence[Index[...]]):
    """A sequence of indices, which prints as a table."""

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
        from clustermark.results.html import h

        heads = ("name", "abbreviation", "range", "family", "what it is", "formula")
        rows = ((i.name, i.abbreviation, interval(i.bounds), i.family_title, i.title, i.formula) for i in self)
        caption = h("caption", f"{len(self)} indices")
        return h("table", caption, h("tr", (h("th", head) for head in heads)), (_row_html(row) for row in rows))


def _row_html(texts: Iterable[str]) -> Html:
    from clustermark.results.html import h

    return h("tr", (h("td", text) for text in texts))


def catalogue(comparison: str = "partitions") -> Catalogue:
    """Return all indices of a kind of comparison, by family and in order of declaration; print it to read it.

    comparison: "partitions" (two labelings), "points" (points in space and their clusters), "covers" (two clusterings
        whose clusters may overlap), "trees" (hierarchies), "soft" (soft clusterings), or "all".
    """
    every = list(REGISTRY)
    if comparison == "all":
        return Catalogue(every)
    kinds = [{use.comparison.name for use in index.uses} for index in every]
    if comparison not in (known := sorted(filter(None, set().union(*kinds)))):
        raise InputError(f"catalogue: no index compares {comparison!r}; choose {', '.join(map(repr, known))} or 'all'")
    return Catalogue([index for index, own in zip(every, kinds, strict=True) if comparison in own])


def list_panel() -> list[Index[...]]:
    """Return the indices of partitions that `evaluate` gives by default."""
    return REGISTRY.list_panel()
