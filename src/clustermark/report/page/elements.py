"""Small pieces of the page: text and labels that cannot disturb it, links to clusters, charts."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from clustermark.report.captions import cluster_name, label_text, plain
from clustermark.report.charts.svg import draw_svg

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from matplotlib.axes import Axes

    from clustermark.diagnosis import Side
    from clustermark.report.charts.canvas import Chart


def plain_html(text: object) -> str:
    """Any text, escaped."""
    return escape(plain(text))


def label_html(label: Any, width: int = 120) -> str:
    """A label that cannot disturb the page, nor the direction of the text around it."""
    return f"<bdi>{escape(label_text(label, width))}</bdi>"


def cluster_link(label: Any, side: Side, *, clash: bool, width: int = 120) -> str:
    """The name of a cluster as a link to its row in the table of clusters."""
    address = quote(f'"{label_text(label)}"', safe="")
    name = escape(cluster_name(label, side, clash, width))
    return f'<a class="to" href="#side={side}&amp;q={address}"><bdi>{name}</bdi></a>'


def figure(name: str, size: tuple[float, float], draw: Callable[[Axes], Chart], *, least: int = 0) -> str:
    """A chart with its caption; a chart of many parts scrolls rather than become narrower than `least` pixels."""
    svg, chart = draw_svg(name, size, draw)
    caption = f"<strong>{escape(chart.title)}</strong>{escape(chart.note)}"
    frame = f'<div style="--least:{least}px" class="wide" tabindex="0" role="group" aria-label="{escape(chart.title)}">'
    return f'<figure id="{name}"><figcaption>{caption}</figcaption>{frame if least else "<div>"}{svg}</div></figure>'


def list_facts(heading: str, facts: dict[str, str], kind: str) -> str:
    """A small table of names and values."""
    rows = "".join(
        f'<tr><th scope="row">{plain_html(name)}</th><td class="{kind}">{plain_html(value)}</td></tr>'
        for name, value in facts.items()
    )
    return f'<div><h3>{heading}</h3><div class="scroll"><table><tbody>{rows}</tbody></table></div></div>'


def offer(name: str, choices: dict[str, str]) -> str:
    """A choice of one of several, the first to begin with."""
    first = next(iter(choices))
    return "".join(
        f'<label><input type="radio" name="{name}" value="{value}"{" checked" * (value == first)}> {word}</label>'
        for value, word in choices.items()
    )


def rows_html(heads: Iterable[str], rows: Iterable[Iterable[str]], label: str, texts: Collection[int] = (0,)) -> str:
    """A table whose first column names the row; the cells are HTML, and numbers but for the columns of texts."""
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
