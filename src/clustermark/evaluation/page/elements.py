"""Elements of the page: escaped text and labels, links to clusters, charts, tables."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from clustermark.diagnosis.captions import cluster_name
from clustermark.results.svg import draw_svg
from clustermark.results.values import label_text, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from matplotlib.axes import Axes

    from clustermark.diagnosis import Side
    from clustermark.results.canvas import Drawn
    from clustermark.results.frames import Columnar


def plain_html(text: object) -> str:
    """Return a text escaped for HTML."""
    return escape(plain(text))


def label_html(label: Any, width: int = 120) -> str:
    """Return a label as HTML, escaped and isolated from the text direction around it."""
    return f"<bdi>{escape(label_text(label, width))}</bdi>"


class ClusterLinks(NamedTuple):
    """Names of clusters on the page, and their link targets."""

    clash: bool
    """Whether clusters of both sides share names, so that names must include the side."""
    drawers: Mapping[tuple[Side, Any], str] = MappingProxyType({})
    """Ids of the drawers, for the clusters that have one."""

    def to(self, label: Any, side: Side, width: int = 120) -> str:
        """Return the name of a cluster as a link to its records, else to its row in the table of clusters."""
        name = escape(cluster_name(label, side, self.clash, width))
        return f'<a class="to" href="{self.address(label, side)}"><bdi>{name}</bdi></a>'

    def address(self, label: Any, side: Side) -> str:
        """Return the link target of a cluster, escaped as an HTML attribute."""
        drawer = self.drawers.get((side, label))
        return f"#{drawer}" if drawer else row_address(label, side)


def row_address(label: Any, side: Side) -> str:
    """Return the link target of a row in the table of clusters, escaped as an HTML attribute."""
    return f"#side={side}&amp;row={quote(label_text(label), safe='')}"


def figure(name: str, size: tuple[float, float], draw: Callable[[Axes], Drawn], *, least: int = 0) -> str:
    """Render a chart with its caption; with `least`, it scrolls instead of becoming narrower than `least` pixels."""
    svg, chart = draw_svg(name, size, draw)
    caption = f"<strong>{escape(chart.title)}</strong>{escape(chart.note)}"
    frame = f'<div style="--least:{least}px" class="wide" tabindex="0" role="group" aria-label="{escape(chart.title)}">'
    return f'<figure id="{name}"><figcaption>{caption}</figcaption>{frame if least else "<div>"}{svg}</div></figure>'


def list_facts(heading: str, facts: dict[str, str], kind: str) -> str:
    """Render a small table of names and values."""
    rows = "".join(
        f'<tr><th scope="row">{plain_html(name)}</th><td class="{kind}">{plain_html(value)}</td></tr>'
        for name, value in facts.items()
    )
    return f'<div><h3>{heading}</h3><div class="scroll"><table><tbody>{rows}</tbody></table></div></div>'


def table_csv(table: Columnar) -> bytes:
    """Return all rows of a table as CSV that is safe in a spreadsheet."""
    return table.to_csv(safe=True).encode("utf-8", "replace")


def link_csv(name: str, text: str, data: bytes) -> str:
    """Return a download link for a CSV that is embedded in the page."""
    encoded = b64encode(data).decode()
    return f'<a class="download" download="{name}.csv" href="data:text/csv;charset=utf-8;base64,{encoded}">{text}</a>'


def offer(name: str, choices: dict[str, str]) -> str:
    """Render radio buttons, the first one selected."""
    first = next(iter(choices))
    return "".join(
        f'<label><input type="radio" name="{name}" value="{value}"{" checked" * (value == first)}> {word}</label>'
        for value, word in choices.items()
    )


def rows_html(heads: Iterable[str], rows: Iterable[Iterable[str]], label: str, texts: Collection[int] = (0,)) -> str:
    """Render a table of HTML cells whose first column names the row; columns not in `texts` contain numbers."""
    head = "".join(
        f"<th scope=col{'' if place in texts else ' class=number'}>{text}</th>" for place, text in enumerate(heads)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f'<td class="{"says" if place in texts else "number"}">{cell}</td>'
            if place
            else f'<th scope="row">{cell}</th>'
            for place, cell in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{plain_html(label)}"><table class="rows">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )
