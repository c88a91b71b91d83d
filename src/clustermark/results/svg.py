"""A drawing as an inline SVG: coloured by the page, scaled to its column, with a text on each mark."""

from __future__ import annotations

import io
import re
import warnings
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from clustermark.results.canvas import AGREED, INK, LINE, MUTED, PAPER, PRED, TRUE, Drawn
from clustermark.results.frames import optional

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

# variables of the page, so that charts follow its light and dark colours
_VARIABLES = {
    TRUE: "var(--true)",
    PRED: "var(--pred)",
    AGREED: "var(--agreed)",
    INK: "var(--ink)",
    MUTED: "var(--muted)",
    LINE: "var(--line)",
    PAPER: "var(--paper)",
}
_STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "clustermark",
    "font.size": 11,
    "text.color": INK,
    "axes.labelcolor": MUTED,
    "axes.labelsize": "small",
    "xtick.labelsize": "small",
    "ytick.labelsize": "small",
    "text.usetex": False,
    "axes.unicode_minus": True,
}


def draw_svg(name: str, size: tuple[float, float], draw: Callable[[Axes], Drawn]) -> tuple[str, Drawn]:
    """Return the SVG that `draw` makes on axes of this size in inches, and its texts; ids begin with `name`."""
    matplotlib = optional("matplotlib", "report")
    from matplotlib.figure import Figure

    file = io.StringIO()
    # a context does not restore the backend
    defaults = {key: value for key, value in matplotlib.rcParamsDefault.items() if not key.startswith("backend")}
    with matplotlib.rc_context(defaults | _STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+")  # the reader's browser has the fonts
        warnings.filterwarnings("ignore", "Matplotlib currently does not support .* natively")
        figure = Figure(figsize=size, layout="constrained")
        chart = draw(figure.add_subplot())
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return _inline(file.getvalue(), name, chart), chart


def _inline(text: str, name: str, chart: Drawn) -> str:
    root = ET.fromstring(text)  # noqa: S314  (we have just written it)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        element.text = (element.text or "").strip() or None
        element.tail = None
    for unwanted in root.findall("metadata"):
        root.remove(unwanted)
    used = set(re.findall(r"#([\w-]+)", text))
    for element in root.iter():
        _adapt(element, name, used)
        _describe(element, element.attrib.pop("data-mark", ""), name, chart)
    view = root.get("viewBox", "")
    root.attrib.clear()
    role = "group" if chart.links or chart.data else "img"  # an image has no parts that can get the focus
    root.attrib.update({"viewBox": view, "role": role, "aria-label": f"{chart.title}. {chart.note}", "class": "chart"})
    return ET.tostring(root, encoding="unicode")


def _adapt(element: ET.Element, name: str, used: set[str]) -> None:
    """Make ids unique to this chart, and replace colours by variables of the page."""
    for key in list(element.attrib):
        value = element.attrib.pop(key)
        if key == "id":
            element.attrib["data-mark"] = value
            if value in used:
                element.set("id", f"{name}-{value}")
        elif key.endswith("href"):
            element.set("href", f"#{name}-{value.removeprefix('#')}")
        elif key == "style":
            element.set("style", _recolour(value))
        else:
            element.set(key, re.sub(r"url\(#", f"url(#{name}-", value))


def _recolour(style: str) -> str:
    declarations = [part.strip() for part in style.split(";") if part.strip()]
    kept = [part for part in declarations if not part.startswith("font-family")]
    kept = [re.sub(r"^font: (?:\S+ )*?([\d.]+px).*", r"font-size: \1", part) for part in kept]
    text = "; ".join(kept)
    for colour, variable in _VARIABLES.items():
        text = text.replace(colour, variable)
    return text


def _describe(element: ET.Element, gid: str, name: str, chart: Drawn) -> None:
    """Add the text, the data, the link and the id of a mark, if it has any."""
    text = chart.hover.get(gid)
    if gid.startswith("number-"):
        element.set("class", "number")
    if not text:
        return
    title = ET.Element("title")
    title.text = text
    element.insert(0, title)
    element.set("class", "mark")
    element.attrib.update(chart.data.get(gid, {}))
    if gid in chart.links:
        element.tag = "a"
        element.attrib.update({"id": f"{name}-{gid}", "href": chart.links[gid], "aria-label": text})
