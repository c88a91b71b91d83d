"""The page of a document: one HTML file with all content, to read, to send and to print."""

from __future__ import annotations

import json
from base64 import b64encode
from functools import partial
from hashlib import sha256
from importlib.resources import files
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from clustermark.results.document import Chart, Code, Facts, Grid, Heading, Name, Notes, Value
from clustermark.results.html import Html, fill, fragment, h
from clustermark.results.text import Writer, cell_of, columns_for, is_prose, media_of
from clustermark.results.values import TEXTUAL, label_text, value_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from clustermark.results.data import Kind
    from clustermark.results.document import Body, Cell, Document, Part, Prose, Section
    from clustermark.results.values import Medium

_BESIDE = {Facts: "facts", Chart: "pair"}
"""Bodies that are placed side by side, with the class of their container."""
_LEAST = 65
"""Pixels of a phone for an inch of a chart, which was drawn with 72: small texts are then 8 pixels high."""
_ROWS = 50
"""Rows of a table that are written as HTML; the script draws the others from JSON."""
_SCRIPTS = ("search.js", "page.js", "maps.js")


def page_of(
    json_: dict[str, Any],
    document: Document,
    title: str | None = None,
    slots: Mapping[str, Html] = MappingProxyType({}),
) -> str:
    """Return the page of a result from its JSON and its document; the same result always gives the same text.

    slots: parts of the frame that are used instead of those that the document gives; see `page.html`.
    """
    write = Page(document)
    sections = [made for section in document.sections if (made := write.section(section))]
    own = {
        "title": fragment(title or document.title),
        "version": fragment(json_["version"]),
        "thing": fragment(document.noun),
        "verdict": write.html(document.verdict or document.headline),
        "next_step": write.next_step(),
        "in_short": write.in_short(),
        "notices": notices_html(map(write.html, document.notices)),
        "key_numbers": write.key_numbers(),
        "navigation": navigation(document.sections, sections),
        "sections": lines_html(html for _, html in sections),
        "data": json_html(json_),
        "rows": json_html({"more": write.more} if write.more else {}),
    }
    widgets = (one.widget for one in document.sections)
    return frame(own | dict(slots), [widget.script for widget in widgets if widget and widget.script])


def frame(slots: Mapping[str, Html], scripts: Sequence[tuple[str, str]] = ()) -> str:
    """Return the frame of every page with its style and script; slots: see `page.html`, empty by default."""
    texts = [_asset(name) for name in _SCRIPTS]
    texts += [files(package).joinpath(name).read_text(encoding="utf-8") for package, name in scripts]
    script = "".join(texts)
    known = {"script": script, "script_hash": b64encode(sha256(script.encode()).digest()).decode()}
    fixed = {name: Html(text) for name, text in (known | {"style": _asset("page.css")}).items()}
    empty = dict.fromkeys(("holds", "basis", "next_step", "notices"), Html())
    return str(fill(_asset("page.html"), empty | dict(slots) | fixed))


def _asset(name: str) -> str:
    return files("clustermark.results").joinpath("assets", name).read_text(encoding="utf-8")


def json_html(value: Any) -> Html:
    """Return a value as the text of a script of type application/json."""
    return Html(json.dumps(value, separators=(",", ":")).replace("<", "\\u003c"))


def lines_html(pieces: Iterable[Html]) -> Html:
    """Join pieces with line breaks."""
    return Html("\n".join(pieces))


def notices_html(notices: Iterable[Html]) -> Html:
    """Return the notices, or nothing without any."""
    parts = [h("p", notice) for notice in notices]
    return h("div", parts, class_="notices", role="note") if parts else Html()


def navigation(sections: Sequence[Section], made: Sequence[tuple[str, Html]]) -> Html:
    """Return links to the sections that were made."""
    names = {name for name, _ in made}
    return lines_html(h("a", one.title, href=f"#{one.name}") for one in sections if one.name in names)


class Page(Writer):
    """Writer of parts of a document as the HTML of its page."""

    def __init__(self, document: Document) -> None:
        super().__init__(document.noun, width=120)
        self.document = document
        self.more: dict[str, list[list[Any]]] = {}
        """The rows of tables beyond the first, for the script."""

    def html(self, prose: Prose) -> Html:
        """Return a sentence, with links at names that have an address."""
        return fragment(prose if isinstance(prose, str) else map(self.part_html, prose))

    def part_html(self, part: Part) -> Html:
        """Return a part of a sentence."""
        if isinstance(part, Name):
            return self.name(part)
        text = self.part(part)
        return fragment(text.replace("-", "−") if isinstance(part, Value) else text)

    def name(self, name: Name) -> Html:
        """Return a name, isolated so that it cannot change the direction of the text around it."""
        text = label_text(name.label, self.width)
        shown = h("bdi", f"{name.side} {text}" if self.document.sided and name.side else text)
        address = self.document.address(name) if self.document.address else None
        return h("a", shown, class_="to", href=address) if address else shown

    def next_step(self) -> Html:
        """Return the next step, if there is one."""
        step = self.document.next_step
        return h("p", h("strong", "Next:"), " ", self.html(step), class_="next") if step else Html()

    def in_short(self) -> Html:
        """Return the line that stays visible when the page is scrolled: the verdict and the next step."""
        document = self.document
        if not document.next_step:
            return fragment(self.prose(document.short or document.verdict or document.headline))
        return fragment(h("strong", self.prose(document.short), "."), " Next: ", self.prose(document.next_step))

    def key_numbers(self) -> Html:
        """Return the key numbers at the top."""
        return lines_html(
            h(
                "div",
                h("dt", number.name),
                h("dd", self.value_html(number.value, number.kind)),
                h("dd", self.html(number.note), class_="note") if number.note else None,
            )
            for number in self.document.key_numbers
        )

    def section(self, section: Section) -> tuple[str, Html] | None:
        """Return the name of a section and its HTML; None if it has no bodies."""
        bodies = list(section.make())
        if not bodies:
            return None
        write = partial(self.bodies, name=section.name)
        content = section.widget.render(bodies, write) if section.widget else write(bodies)
        lead = h("p", self.html(section.lead), class_="lead")
        made = h("section", h("h2", section.title), lead, content, id=section.name, tabindex="-1")
        return section.name, made

    def bodies(self, bodies: Sequence[Body], name: str) -> Html:
        """Return bodies in order; adjacent charts and facts are placed side by side."""
        made: list[Html] = []
        for beside, some in groupby(enumerate(bodies), lambda one: _BESIDE.get(type(one[1]), "")):
            pieces = [self.body_html(body, f"{name}-{place}") for place, body in some]
            alone = beside == "pair" and len(pieces) < 2
            made += [h("div", pieces, class_=beside)] if beside and not alone else pieces
        return fragment(made)

    def body_html(self, body: Body, name: str) -> Html:
        """Return a body; the name is unique on the page."""
        match body:
            case Grid():
                return self.grid_html(body, name)
            case Chart():
                return figure_html(body)
            case Notes():
                return h("ul", (h("li", self.html(line)) for line in body.lines), class_="note")
            case Facts():
                return facts_html(body)
            case Heading():
                return h("h3", self.html(body.text))
            case Code():
                return h("pre", h("code", body.text))
            case _:
                return h("p", self.html(body))

    def grid_html(self, grid: Grid, name: str) -> Html:
        """Return a table; the script draws the rows beyond the first."""
        if not grid.rows:
            return h("p", grid.empty, class_="note") if grid.empty else Html()
        grid = columns_for(grid, "page")
        heads = (
            h("th", head.long or head.title, scope="col", class_=None if head.kind in TEXTUAL else "number")
            for head in grid.heads
        )
        media = media_of(grid)
        rows = (h("tr", self.cells(row, grid, media)) for row in grid.rows[:_ROWS])
        table = h("table", h("thead", h("tr", heads)), h("tbody", rows, id=f"{name}-rows"), class_="rows")
        caption = grid.caption or name
        return fragment(
            h("div", table, class_="scroll", tabindex="0", role="region", aria_label=caption),
            self.rest(grid, name, media),
        )

    def rest(self, grid: Grid, name: str, media: Sequence[Medium]) -> Html:
        """Return the number of shown and of all rows, and a button to show the rest; nothing if all are shown."""
        carried, shown = len(grid.rows), min(len(grid.rows), _ROWS)
        total = carried if grid.total is None else grid.total
        if total == shown:
            return Html()
        text = f"The first {shown:,} of {total:,} rows."
        if carried > shown:
            self.more[f"{name}-rows"] = [self.carry(row, grid, media) for row in grid.rows[shown:]]
            button = h(
                "button", f"Show {carried:,}", type="button", class_="more", data_more=f"{name}-rows", hidden=True
            )
            return h("p", text, " ", button, class_="note")
        return h("p", text, class_="note")

    def cells(self, row: Sequence[Any], grid: Grid, media: Sequence[Medium]) -> Html:
        """Return the cells of a row; the first is its head."""
        made = []
        for place, (cell, head, medium) in enumerate(zip(row, grid.heads, media, strict=True)):
            full = cell_of(cell)
            bar = None if full.bar is None else f"--share:{100 * min(max(full.bar, 0.0), 1.0):.1f}%"
            content = self.cell_html(full, head.kind, medium)
            if not place:
                made.append(h("th", content, scope="row"))
                continue
            kinds = ["says" if head.kind in TEXTUAL else "number", *(["share"] if bar else [])]
            if full.shade:
                kinds, bar = [*kinds, "shade"], f"--shade:{45 * min(max(full.shade, 0.0), 1.0):.1f}%"
            made.append(h("td", content, class_=" ".join(kinds), style=bar))
        return fragment(made)

    def cell_html(self, cell: Cell, kind: Kind, medium: Medium) -> Html:
        """Return the content of a cell."""
        text = self.value_html(cell.value, kind, medium)
        value = h("strong", text) if cell.strong else text
        remark = self.beside(cell, kind, medium)
        return fragment(value, h("small", remark) if remark else None)

    def beside(self, cell: Cell, kind: Kind, medium: Medium) -> str:
        """Return the limits of a cell's interval, and its note."""
        if cell.low is None or cell.high is None:
            return cell.note
        place: Medium = medium if isinstance(medium, int) else "interval"
        limits = (_minus(value_text(limit, kind, place)) for limit in (cell.low, cell.high))
        return " ".join(filter(None, [" to ".join(limits), cell.note]))

    def value_html(self, value: Any, kind: Kind, place: Medium = "table") -> Html:
        """Return a value; a label or name is isolated in its direction of writing."""
        if is_prose(value, kind):
            return self.html([value] if isinstance(value, Name) else value)
        text = value_text(value, kind, place, self.width)
        return h("bdi", text) if kind in ("label", "name") else fragment(text if kind in TEXTUAL else _minus(text))

    def carry(self, row: Sequence[Any], grid: Grid, media: Sequence[Medium]) -> list[Any]:
        """Return a row for the script: a text for each cell, or the text and its limits and note."""
        made: list[Any] = []
        for cell, head, medium in zip(row, grid.heads, media, strict=True):
            full = cell_of(cell)
            text = self.value(full.value, head.kind, medium)
            text = text if head.kind in TEXTUAL else _minus(text)
            remark = self.beside(full, head.kind, medium)
            made.append([text, remark] if remark else text)
        return made


def facts_html(body: Facts) -> Html:
    """Return a small table of names and values."""
    number = None if body.kind in TEXTUAL else "number"
    rows = (
        h("tr", h("th", name, scope="row"), h("td", value_text(value, body.kind, width=120), class_=number))
        for name, value in body.facts.items()
    )
    return h("div", h("h3", body.title), h("div", h("table", h("tbody", rows)), class_="scroll"))


def figure_html(chart: Chart) -> Html:
    """Return a chart with its caption."""
    from clustermark.results.svg import draw_svg

    svg, drawn = draw_svg(chart.name, chart.size, chart.draw)
    caption = h("figcaption", h("strong", drawn.title), drawn.note)
    wide: Mapping[str, Any] = {"class_": "wide", "tabindex": "0", "role": "group", "aria_label": drawn.title}
    style = f"--least:{chart.least or round(_LEAST * chart.size[0])}px"
    figure = h("figure", caption, h("div", Html(svg), style=style, **(wide if chart.least else {})), id=chart.name)
    return h("div", figure, class_="alone") if chart.alone else figure


def _minus(text: str) -> str:
    return f"−{text[1:]}" if text.startswith("-") and len(text) > 1 else text
