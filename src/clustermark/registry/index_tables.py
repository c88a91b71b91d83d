"""Indices as a result: a list by family, or one index explained."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar

from clustermark.registry.facts import interval
from clustermark.results.data import Column
from clustermark.results.document import SUMMARY, Code, Document, Grid, Head, Notes, Section
from clustermark.results.rows import Rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.registry import Index
    from clustermark.results.data import Columns
    from clustermark.results.document import Body, View

BETTER = {True: "higher", False: "lower", None: "–"}


class IndexTable(Rows[dict[str, Any]]):
    """The declared facts of indices, one row for each index."""

    __slots__ = ("indices",)

    KIND = "indices"
    TITLE = "Indices"
    COLUMNS: ClassVar[Columns] = {
        "name": Column("name"),
        "title": Column("text"),
        "abbreviation": Column("text"),
        "family": Column("name"),
        "panel": Column("flag", doc="whether it is evaluated by default"),
        "formula": Column("text"),
        "low": Column("number", doc="the bounds"),
        "high": Column("number"),
        "higher_is_better": Column("flag", optional=True),
        "symmetric": Column("flag"),
        "metric": Column("flag", optional=True, doc="null if it is not known"),
        "chance_model": Column("text", optional=True),
        "undefined_when": Column("text", optional=True),
        "weights": Column("any"),
        "aliases": Column("texts"),
        "peers": Column("text", within=("map", "list"), doc="its names in other tools"),
        "reference": Column("text"),
        "summary": Column("text"),
    }

    def __init__(self, indices: Sequence[Index[...]]) -> None:
        super().__init__(map(_facts, indices))
        self.indices = tuple(indices)

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns as lists of plain Python values; the names in other tools are joined."""
        columns = super().tables()["rows"].to_dict()
        peers = ["; ".join(f"{tool}: {', '.join(names)}" for tool, names in row["peers"].items()) for row in self]
        found = {name: peers if name == "peers" else columns[name] for name in self.COLUMNS}
        return found | {"weights": [str(row["weights"]) for row in self]}

    @property
    def headline(self) -> str:
        """The number of indices."""
        return f"{len(self):,} ind{'ex' if len(self) == 1 else 'ices'}"

    def document(self, view: View = SUMMARY) -> Document:  # noqa: ARG002
        """Return the document: a table for each family."""
        families = dict.fromkeys(index.family for index in self.indices)
        sections = [self._section([one for one in self.indices if one.family == family]) for family in families]
        return Document(self.TITLE, self.headline, sections)

    def _section(self, indices: Sequence[Index[...]]) -> Section:
        title = indices[0].family_title

        def make() -> list[Body]:
            heads = [
                Head(title),
                Head("also"),
                Head("range"),
                Head("better"),
                Head("what it is"),
                Head("formula", level="detail"),
            ]
            rows = [
                [
                    one.name,
                    one.facts.abbreviation,
                    interval(one.facts.bounds),
                    BETTER[one.facts.higher_is_better],
                    one.facts.title,
                    one.facts.formula,
                ]
                for one in indices
            ]
            return [Grid(heads, rows, title)]

        return Section(indices[0].family.replace("/", "-"), title, make, level="summary")


class IndexExplanation(IndexTable):
    """One index explained: its docstring, its call and its declared facts."""

    __slots__ = ()

    TITLE = "An index"

    def document(self, view: View = SUMMARY) -> Document:  # noqa: ARG002
        """Return the document: signature and formula, the text, the declared facts."""
        (index,) = self.indices
        sections = [
            Section("call", "How it is called", lambda: _call(index), level="summary"),
            Section("text", "What it is", lambda: _paragraphs(index.text), level="summary"),
            Section("facts", "What is declared", lambda: [Notes(_sentences(index))], level="summary"),
        ]
        return Document(index.facts.title, index.heading, sections)


def _facts(index: Index[...]) -> dict[str, Any]:
    facts = index.facts
    own = {name: getattr(facts, name) for name in ("title", "abbreviation", "family", "panel", "formula")}
    low, high = facts.bounds
    own |= {"low": low, "high": high}
    names = ("higher_is_better", "symmetric", "metric", "chance_model", "undefined_when", "weights")
    own |= {name: getattr(facts, name) for name in names}
    peers = {tool: list(names) for tool, names in facts.peers.items()}
    own |= {"aliases": list(facts.aliases), "peers": peers, "reference": str(facts.citation)}
    return {"name": index.name, **own, "summary": index.summary}


def _call(index: Index[...]) -> list[Body]:
    signature = str(index.__signature__).partition(" ->")[0]
    return [Code(f"{index.name}{signature}\n= {index.formula}")]


def _sentences(index: Index[...]) -> list[str]:
    in_tools = (f"In {tool}: {', '.join(names)}" for tool, names in index.peers.items())
    return [f"Family: {index.family_title.lower()}.", *index.sentences, *in_tools]


def _paragraphs(text: str) -> list[Body]:
    """Return the paragraphs of a docstring, each on one line, except for examples; each option begins a line."""
    found: list[Body] = []
    for part in text.strip().split("\n\n"):
        found += [Code(part)] if part.startswith(">>>") else re.sub(r"\n(?!\w+(, \w+)*: )", " ", part).splitlines()
    return found
