"""Results in each medium as comparable text: without markup, version and the last digits."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import clustermark as cm
from needs import need
from report_cases import empty_charts

if TYPE_CHECKING:
    from collections.abc import Callable

WIDTH = 240  # of a line of JSON, so that each score fits on one line
# processors differ in the last digits of logarithms; tests/frozen keeps the bits
LONG_NUMBER = re.compile(r"(?<![\w.])\d+\.\d{9,}(?:[eE][-+]?\d+)?")
SKIPPED = ("script", "style", "svg", "noscript")
INLINE = (
    "a",
    "abbr",
    "b",
    "bdi",
    "code",
    "em",
    "i",
    "kbd",
    "mark",
    "small",
    "span",
    "strong",
    "sub",
    "sup",
    "td",
    "th",
)


class _VisibleText(HTMLParser):
    """Collects the visible text; cells of a row are separated by bars."""

    def __init__(self) -> None:
        super().__init__()
        self.lines = [""]
        self.hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.hidden += tag in SKIPPED
        said = dict(attrs).get("aria-label")
        if tag == "svg" and said:
            self.lines += [f"[chart: {said}]", ""]
        if tag not in INLINE and self.lines[-1]:
            self.lines.append("")
        if tag in ("td", "th"):
            self.lines[-1] += " | "

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in SKIPPED
        if tag not in INLINE and self.lines[-1]:
            self.lines.append("")

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.lines[-1] += re.sub(r"\s+", " ", data)


def visible_text(page: str) -> str:
    """Return the visible text of HTML, one line per block."""
    reader = _VisibleText()
    reader.feed(page)
    return "\n".join(line.strip() for line in reader.lines if line.strip(" |"))


def page_text(result: Any) -> str:
    """Return the text of a page with empty charts."""
    need("matplotlib")
    with empty_charts():
        return visible_text(result.report())


def lines_of_json(value: Any, indent: str = "") -> str:
    """Return JSON with one line for each part that fits."""
    short = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or not value or len(indent) + len(short) <= WIDTH:
        return short
    inner = indent + " "
    if isinstance(value, dict):
        parts = [f"{json.dumps(key, ensure_ascii=False)}: {lines_of_json(part, inner)}" for key, part in value.items()]
        return "{\n" + ",\n".join(inner + part for part in parts) + f"\n{indent}}}"
    return "[\n" + ",\n".join(inner + lines_of_json(part, inner) for part in value) + f"\n{indent}]"


def columns_of(result: Any) -> str:
    """Return the columns of a result and their types in Arrow."""
    made = result.to_dict()
    if not hasattr(result, "to_arrow"):
        return "\n".join(f"{name}: {value!r}" for name, value in made.items())
    need("pyarrow")
    schema = result.to_arrow().schema
    return "\n".join(f"{name}: {type_}" for name, type_ in zip(schema.names, schema.types, strict=True))


MEDIA: dict[str, tuple[str, Callable[[Any], str]]] = {
    "repr": ("__repr__", repr),
    "str": ("__str__", lambda result: "" if str(result) == repr(result) else str(result)),
    "notebook": ("_repr_html_", lambda result: visible_text(result._repr_html_())),
    "json": ("to_json", lambda result: lines_of_json(json.loads(result.to_json()))),
    "columns": ("to_dict", columns_of),
    "csv": ("to_csv", lambda result: result.to_csv()),
    "markdown": ("to_markdown", lambda result: result.to_markdown()),
    "latex": ("to_latex", lambda result: result.to_latex()),
    "report": ("report", page_text),
}


def text_of(result: Any, medium: str) -> str | None:
    """Return the text of a result in a medium; None if the result does not have this medium."""
    method, show = MEDIA[medium]
    if not hasattr(type(result), method) and not hasattr(result, method):
        return None
    try:
        text = show(result)
    except cm.InputError as refused:
        text = f"refused: {refused}"
    text = text.replace("\r\n", "\n").replace(cm.__version__, "VERSION")
    text = LONG_NUMBER.sub(lambda number: f"{float(number[0]):.9g}", text)
    # git treats a file with NUL as binary, and marks of direction make a file hard to read
    return "".join(one if one.isprintable() or one == "\n" else f"\\u{ord(one):04x}" for one in text)


def recorded_text(result: Any) -> str:
    """Return all media of a result, as the golden corpus stores them."""
    parts = [f"{type(result).__name__}"]
    for medium in MEDIA:
        text = text_of(result, medium)
        if text:
            parts.append(f"===== {medium}\n{text}")
    return "\n\n".join(parts).rstrip("\n") + "\n"
