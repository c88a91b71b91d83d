"""The document of a result: its content in the order of reading, without any markup or rounding.

A result makes one document (`Result.document`); the renderers of this package turn it into text, notebook HTML,
Markdown, LaTeX and the page.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.axes import Axes

    from clustermark.errors import Mention
    from clustermark.results.canvas import Drawn
    from clustermark.results.data import Kind, Table
    from clustermark.results.html import Html


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a cluster or of a method, in a sentence or a cell; on a page it is a link if it has a target."""

    label: Any
    side: Literal["true", "pred", ""] = ""


@dataclass(frozen=True, slots=True)
class Count:
    """A number of things in a sentence, such as "3 points"; the noun is by default that of the document."""

    n: float
    noun: str = ""


@dataclass(frozen=True, slots=True)
class Noun:
    """The noun of the document, such as "points" or "records"."""

    plural: bool = True


@dataclass(frozen=True, slots=True)
class Value:
    """A number of a kind in a sentence, with the limits of its interval in brackets if it has any.

    fine: whether it has as many digits as beside an interval, because it is compared with another score.
    """

    value: float | None
    kind: Kind = "score"
    low: float | None = None
    high: float | None = None
    fine: bool = False


Part: TypeAlias = "str | Name | Mention | Count | Noun | Value"
Prose: TypeAlias = "str | Sequence[Part]"
"""A sentence, or its parts."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A value of a table, with optional limits, bar, shade and note."""

    value: Any
    low: float | None = None
    """Lower limit of its interval."""
    high: float | None = None
    strong: bool = False
    """Whether it is among the best of its column."""
    bar: float | None = None
    """Share of the cell that is filled by a bar behind the value."""
    shade: float | None = None
    """Darkness of the cell, from 0 to 1."""
    note: str = ""
    """Word below or after the value."""


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column."""

    title: str
    kind: Kind = "text"
    short: str = ""
    """Title for a paper, such as "ARI"."""
    long: str = ""
    """Long title: a tooltip in a notebook, the head on a page."""
    level: Literal["summary", "detail"] = "summary"
    """Columns of level "detail" are left out of LaTeX."""
    fine: bool = False
    """Whether text, notebook, Markdown and page show the scores of this column with six decimals."""
    not_in: Sequence[Literal["text", "notebook", "markdown", "latex", "page"]] = ()
    """Media that leave the column out."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table; cells are values, `Cell`s or `Name`s. The first column names the row."""

    heads: Sequence[Head]
    rows: Sequence[Sequence[Any]]
    caption: str = ""
    """Content of the table, for screen readers and as a caption; unique on a page."""
    empty: str = ""
    """Text in place of a table without rows."""
    total: int | None = None
    """Number of all rows, if these are only the first."""
    whole: bool = False
    """Whether text and notebook never cut the table."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing by matplotlib; media without drawings leave it out."""

    name: str
    size: tuple[float, float]
    draw: Callable[[Axes], Drawn]
    data: Table | None = None
    """The numbers that it draws."""
    alone: bool = False
    """Whether it occupies a row of the page."""
    least: int = 0
    """Least width in pixels; on a narrower screen the chart scrolls."""


@dataclass(frozen=True, slots=True)
class Notes:
    """Remarks, one per line."""

    lines: Sequence[Prose]


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and values under a heading."""

    title: str
    facts: Mapping[str, Any]
    kind: Kind = "any"


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading within a section."""

    text: Prose


@dataclass(frozen=True, slots=True)
class Code:
    """Text to copy, such as a signature or a command."""

    text: str


Body: TypeAlias = "Grid | Chart | Notes | Facts | Heading | Code | Prose"


@dataclass(frozen=True, slots=True)
class Widget:
    """A part of a page with interactions or drawings of its own: it renders the bodies instead of the page.

    render: returns complete static HTML for the bodies; its second argument renders bodies as the page does.
    script: a file of JavaScript beside the module that declares the widget: (package, file).
    """

    render: Callable[[Sequence[Body], Callable[[Sequence[Body]], Html]], Html]
    script: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a document, whose bodies are made when a medium needs them.

    Text and notebooks show the sections of the summary; a page and Markdown show all. One without bodies is left out.
    """

    name: str
    title: str
    make: Callable[[], Sequence[Body]]
    lead: Prose = ""
    """Content of the section, in a sentence or two."""
    level: Literal["summary", "detail"] = "detail"
    widget: Widget | None = None


@dataclass(frozen=True, slots=True)
class KeyNumber:
    """A number at the top of a page."""

    name: str
    value: Any
    kind: Kind = "count"
    note: Prose = ""


@dataclass(frozen=True, slots=True)
class Document:
    """The complete content of a result for readers."""

    title: str
    """The heading of a page."""
    headline: Prose
    """The analysis and the size of the data, in one line."""
    sections: Sequence[Section] = ()
    verdict: Prose = ""
    next_step: Prose = ""
    key_numbers: Sequence[KeyNumber] = ()
    notices: Sequence[Prose] = ()
    """Facts that limit how far the result can be trusted."""
    noun: str = "point"
    """The noun for a point."""
    short: Prose = ""
    """The verdict in a few words, which stay visible when a page is scrolled; by default the verdict."""
    sided: bool = False
    """Whether clusters of both sides have the same names, so that each name is preceded by its side."""
    address: Callable[[Name], str | None] | None = None
    """Function that returns the address on the page of a name."""


@dataclass(frozen=True, slots=True)
class View:
    """Options for the display of a document.

    columns: the largest number of columns of similar kind in a table, such as the labelings of a matrix; None for all.
    options: options of the page of one result, such as its records.
    """

    columns: int | None = 12
    options: Mapping[str, Any] = field(default_factory=dict)


SUMMARY = View()
"""The view of text and notebooks."""
WHOLE = View(None)
"""The view of Markdown and LaTeX."""
PAGE = View(40)
