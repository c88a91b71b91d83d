"""HTML that is escaped by construction: whatever is not `Html` already is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from clustermark.results.values import plain

_VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})


class Html(str):
    """A piece of HTML. Only `h`, `each`, `fragment`, the drawing of SVG and the page's frame make it."""

    __slots__ = ()


def h(tag: str, *content: Any, **attributes: Any) -> Html:
    """Return an element; a piece of content is text, `Html`, None, or an iterable of pieces.

    attributes: an underscore at the end is dropped, others become hyphens; True is an attribute without a value, None
        and False leave it out.

    >>> h("td", "a < b", class_="number", data_v=3, hidden=False)
    '<td class="number" data-v="3">a &lt; b</td>'
    """
    text = _attributes(attributes) if attributes else ""
    if tag in _VOID:
        return Html(f"<{tag}{text}>")
    return Html(f"<{tag}{text}>{_joined(content)}</{tag}>")


def each(tag: str, contents: Iterable[Any], **attributes: Any) -> list[Html]:
    """Return an element for each piece of content, all with the same attributes.

    >>> each("td", ["a < b", None], class_="says")
    ['<td class="says">a &lt; b</td>', '<td class="says"></td>']
    """
    first, last = f"<{tag}{_attributes(attributes)}>", f"</{tag}>"
    return [Html(f"{first}{_escaped(content)}{last}") for content in contents]


def fragment(*content: Any) -> Html:
    """Join pieces of content.

    >>> fragment("1 < 2, ", [h("b", "x"), None])
    '1 &lt; 2, <b>x</b>'
    """
    return Html(_joined(content))


def _joined(content: Iterable[Any]) -> str:
    return "".join([piece if isinstance(piece, Html) else _escaped(piece) for piece in content])


def _escaped(piece: Any) -> str:
    if isinstance(piece, Html):
        return piece
    if piece is None:
        return ""
    if isinstance(piece, Iterable) and not isinstance(piece, str):
        return _joined(piece)
    return _escaped_text(str(piece))


def _escaped_text(text: str) -> str:
    return escape(text if text.isprintable() else plain(text))


def _attributes(attributes: Mapping[str, Any]) -> str:
    text = ""
    for name, value in attributes.items():
        if value is not None and value is not False:
            text += f" {name.removesuffix('_').replace('_', '-')}"
            text += "" if value is True else f'="{_escaped_text(str(value))}"'
    return text


def fill(template: str, slots: Mapping[str, Html]) -> Html:
    """Fill a template with `$name` for each slot; a value that is not `Html` is refused."""
    from string import Template

    for name, value in slots.items():
        if not isinstance(value, Html):
            raise TypeError(f"{name} must be Html, not {type(value).__name__}")
    return Html(Template(template).substitute(slots))
