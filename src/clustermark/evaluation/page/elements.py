"""Elements of the page: labels, links to clusters, texts with such links, tables, downloads and switches."""

from __future__ import annotations

import re
from base64 import b64encode
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from clustermark.diagnosis.captions import cluster_name
from clustermark.results.frames import csv_text
from clustermark.results.html import Html, each, fragment, h
from clustermark.results.values import label_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from clustermark.diagnosis import Side

_PLACE = re.compile("\ue000([0-9]{1,4})\ue001")


def label_html(label: Any, width: int = 120) -> Html:
    """Return a label, isolated from the direction of the text around it."""
    return h("bdi", label_text(label, width))


class ClusterLinks(NamedTuple):
    """Names of clusters on the page, and their link targets."""

    clash: bool
    """Whether clusters of both sides share names, so that names must include the side."""
    drawers: Mapping[tuple[Side, Any], str] = MappingProxyType({})
    """Ids of the drawers, for the clusters that have one."""

    def to(self, label: Any, side: Side, width: int = 120) -> Html:
        """Return the name of a cluster as a link to its records, else to its row in the table of clusters."""
        drawer = self.drawers.get((side, label))
        address = f"#{drawer}" if drawer else row_address(label, side)
        return h("a", h("bdi", cluster_name(label, side, self.clash, width)), class_="to", href=address)


def row_address(label: Any, side: Side) -> str:
    """Return the link target of a row in the table of clusters."""
    return f"#side={side}&row={quote(label_text(label), safe='')}"


class LinkedNames:
    """Names of clusters in a text that is written as plain text: each becomes a link when the text becomes HTML."""

    def __init__(self, links: ClusterLinks) -> None:
        self.links = links
        self.made: list[Html] = []
        """The links, in the order of the names."""

    def hold_place(self, label: Any, side: Side) -> str:
        """Return a text that stands for the name of a cluster."""
        self.made.append(self.links.to(label, side, width=40))
        return f"\ue000{len(self.made) - 1}\ue001"

    def html(self, text: str) -> Html:
        """Return a text as HTML, with a link for each name."""
        pieces = _PLACE.split(text)
        pieces[1::2] = map(self._link, pieces[1::2])
        return fragment(pieces)

    def _link(self, number: str) -> str:
        if int(number) < len(self.made):
            return self.made[int(number)]
        return f"\ue000{number}\ue001"  # not a name but part of the name of a column


def note(*content: Any, class_: str = "note", **attributes: Any) -> Html:
    """Return a paragraph in small print."""
    return h("p", *content, class_=class_, **attributes)


def joined(separator: str, pieces: Iterable[Any]) -> list[Any]:
    """Return pieces with a separator between each two."""
    found = [part for piece in pieces for part in (separator, piece)]
    return found[1:]


def scrolling(content: Html, label: str, role: str = "region", class_: str = "scroll") -> Html:
    """Return a frame that scrolls if its content is wider, and that the keyboard reaches."""
    return h("div", content, class_=class_, tabindex="0", role=role, aria_label=label)


def stack(*parts: Html) -> Html:
    """Return a bar of parts, which repeats numbers in the text beside it."""
    return h("div", parts, class_="stack", aria_hidden="true")


def fold(summary: str, *content: Html, class_: str = "fold") -> Html:
    """Return content that the script folds; without it, it stays visible."""
    return h("details", h("summary", summary), content, open=True, class_=class_)


def csv_bytes(columns: Mapping[str, list[Any]]) -> bytes:
    """Return columns as CSV that is safe in a spreadsheet."""
    return csv_text(columns, safe=True).encode("utf-8", "replace")


def link_csv(name: str, text: str, data: bytes) -> Html:
    """Return a download link for a CSV that is embedded in the page."""
    address = f"data:text/csv;charset=utf-8;base64,{b64encode(data).decode()}"
    return h("a", text, class_="download", download=f"{name}.csv", href=address)


def offer(legend: str, name: str, choices: Mapping[str, str], kind: str) -> Html:
    """Return a group of radio buttons, the first one selected; the script shows it."""
    first = next(iter(choices))
    buttons = (
        h("label", h("input", type="radio", name=name, value=value, checked=value == first), f" {word}")
        for value, word in choices.items()
    )
    return h("fieldset", h("legend", legend), buttons, class_=f"tools {kind}", hidden=True)


def rows_html(heads: Sequence[str], rows: Iterable[Sequence[Any]], label: str, texts: Collection[int] = (0,)) -> Html:
    """Return a table whose first column names the row; columns not in `texts` contain numbers."""
    head = (h("th", text, scope="col", class_=None if place in texts else "number") for place, text in enumerate(heads))
    kinds = ["says" if place in texts else "number" for place in range(len(heads))]
    body = (
        h(
            "tr",
            h("th", row[0], scope="row"),
            (h("td", cell, class_=kind) for cell, kind in zip(row[1:], kinds[1:], strict=True)),
        )
        for row in rows
    )
    return scrolling(h("table", h("thead", h("tr", head)), h("tbody", body), class_="rows"), label)


@lru_cache(64)
def heads_html(names: tuple[str, ...]) -> Html:
    """Return the head of a table of texts; all tables of records have one of two heads."""
    return h("thead", h("tr", each("th", names, scope="col")))
