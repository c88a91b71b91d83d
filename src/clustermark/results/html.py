"""HTML that is escaped by construction: whatever is not `Html` already is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from clustermark.results.values import plain

_VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})


class Html(str):
    """A piece of HTML. Only `h`, `fragment`, the drawing of SVG and the page's frame make it."""

    __slots__ = ()


def h(tag: str, *content: Any, **attributes: Any) -> Html:
    """Return an element; a piece of content is text, `Html`, None, or an iterable of pieces.

    attributes: an underscore at the end is dropped, others become hyphens; True is an attribute without a value, None
        and False leave it out.

    >>> h("td", "a < b", class_="number", data_v=3, hidden=False)
    '<td class="number" data-v="3">a &lt; b</td>'
    """
    said = "".join(_attribute(name, value) for name, value in attributes.items()) if attributes else ""
    if tag in _VOID:
        return Html(f"<{tag}{said}>")
    return Html(f"<{tag}{said}>{fragment(*content)}</{tag}>")


def fragment(*content: Any) -> Html:
    """Join pieces of content.

    >>> fragment("1 < 2, ", [h("b", "x"), None])
    '1 &lt; 2, <b>x</b>'
    """
    return Html("".join(map(_escaped, content)))


def _escaped(piece: Any) -> str:
    if isinstance(piece, Html):
        return piece
    if piece is None:
        return ""
    if isinstance(piece, str):
        return escape(plain(piece))
    if isinstance(piece, Iterable):
        return "".join(map(_escaped, piece))
    return escape(plain(piece))


def _attribute(name: str, value: Any) -> str:
    if value is None or value is False:
        return ""
    name = name.removesuffix("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(plain(value))}"'


def fill(template: str, slots: Mapping[str, Html]) -> Html:
    """Fill a template with `$name` for each slot; a value that is not `Html` is refused."""
    from string import Template

    for name, value in slots.items():
        if not isinstance(value, Html):
            raise TypeError(f"{name} must be Html, not {type(value).__name__}")
    return Html(Template(template).substitute(slots))
