"""The document of a result: what readers see, in the order in which they see it, without any markup or rounding.

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
    """The name of a cluster or of a method, in a sentence or a cell; a page makes a link of it if it has a target."""

    label: Any
    side: Literal["true", "pred", ""] = ""


@dataclass(frozen=True, slots=True)
class Count:
    """A number of things in a sentence, such as "3 points"; the noun is that of the document if it is empty."""

    n: float
    noun: str = ""


@dataclass(frozen=True, slots=True)
class Noun:
    """The noun of the document, such as "points" or "records"."""

    plural: bool = True


@dataclass(frozen=True, slots=True)
class Value:
    """A number of a kind in a sentence, with the limits of its interval in brackets if it has any.

    fine: whether it has as many digits as beside an interval, because another score is compared with it.
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
    """A value of a table with something beside it."""

    value: Any
    low: float | None = None
    """The limits of its interval."""
    high: float | None = None
    strong: bool = False
    """Whether it is among the best of its column."""
    bar: float | None = None
    """The share of the cell that a bar behind it fills."""
    shade: float | None = None
    """How dark the cell is, from 0 to 1."""
    note: str = ""
    """A word below or after it."""


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column."""

    title: str
    kind: Kind = "text"
    short: str = ""
    """For a paper, such as "ARI"."""
    long: str = ""
    """What a page or notebook shows of the title when it is pointed at, or as the head where there is room."""
    level: Literal["summary", "detail"] = "summary"
    """Columns of detail are left out of LaTeX."""
    fine: bool = False
    """Whether text, notebook and Markdown show the scores of this column with six decimals."""
    not_in: Sequence[Literal["text", "notebook", "markdown", "latex", "page"]] = ()
    """The media that leave the column out."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table; cells are values, `Cell`s or `Name`s. The first column names the row."""

    heads: Sequence[Head]
    rows: Sequence[Sequence[Any]]
    caption: str = ""
    """What the table shows, for screen readers and as a caption; unique on a page."""
    empty: str = ""
    """What is written instead of a table without rows."""
    total: int | None = None
    """How many rows there are where these are the first of them."""
    whole: bool = False
    """Whether text and notebook show all rows, however many there are."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing by matplotlib; media without drawings leave it out."""

    name: str
    size: tuple[float, float]
    draw: Callable[[Axes], Drawn]
    data: Table | None = None
    """The numbers that it draws."""
    alone: bool = False
    """Whether it has a row of the page to itself."""
    least: int = 0
    """The least width in pixels; on a narrower screen it scrolls."""


@dataclass(frozen=True, slots=True)
class Notes:
    """Remarks, one a line."""

    lines: Sequence[Prose]


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and values under a heading."""

    title: str
    facts: Mapping[str, Any]
    kind: Kind = "any"


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of what follows within a section."""

    text: Prose


@dataclass(frozen=True, slots=True)
class Code:
    """Text to copy, such as a signature or a command."""

    text: str


Body: TypeAlias = "Grid | Chart | Notes | Facts | Heading | Code | Prose"


@dataclass(frozen=True, slots=True)
class Widget:
    """A part of a page with interactions of its own: it renders bodies in place of the page.

    render: is given the bodies; it gives static HTML that is complete, and computes nothing.
    script: a file of JavaScript beside the module that declares the widget: (package, file).
    """

    render: Callable[[Sequence[Body]], Html]
    script: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a document, whose bodies are made when a medium asks for them.

    Text and notebooks show the sections of the summary; a page and Markdown show all. One without bodies is left out.
    """

    name: str
    title: str
    make: Callable[[], Sequence[Body]]
    lead: Prose = ""
    """What the section shows, in a sentence or two."""
    level: Literal["summary", "detail"] = "detail"
    widget: Widget | None = None


@dataclass(frozen=True, slots=True)
class KeyNumber:
    """A number at the head of a page."""

    name: str
    value: Any
    kind: Kind = "count"
    note: Prose = ""


@dataclass(frozen=True, slots=True)
class Document:
    """All that a result says to readers."""

    title: str
    """The heading of a page."""
    headline: Prose
    """What was done with how much, in one line."""
    sections: Sequence[Section] = ()
    verdict: Prose = ""
    next_step: Prose = ""
    key_numbers: Sequence[KeyNumber] = ()
    notices: Sequence[Prose] = ()
    """What to know before the result is believed."""
    noun: str = "point"
    """What a point is called."""
    short: Prose = ""
    """The verdict in a few words, which stay in sight when a page is scrolled; by default the verdict."""
    sided: bool = False
    """Whether clusters of both sides have the same names, so that the side is said before them."""
    address: Callable[[Name], str | None] | None = None
    """Where on the page a name leads."""


@dataclass(frozen=True, slots=True)
class View:
    """How a document is to be shown.

    columns: how many columns of alike kind a table should have at most, such as the labelings of a matrix; None for
        as many as there are.
    options: those of one result's page, such as its records.
    """

    columns: int | None = 12
    options: Mapping[str, Any] = field(default_factory=dict)


SUMMARY = View()
"""Text and notebooks."""
WHOLE = View(None)
"""Markdown and LaTeX."""
PAGE = View(40)
