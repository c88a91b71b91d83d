"""The pages of sweeps, estimates and matrices as a reader meets them: in Chromium, wide and narrow, light and dark."""

from __future__ import annotations

import pytest
from test_decision_pages import CASES
from test_report_browser import browser, visit  # noqa: F401  (fixtures)

NAMES = ("swept", "estimated", "related")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    for name in NAMES:
        CASES[name]().write_report(folder / f"{name}.html")
    return folder


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (375, "dark")])
def test_quiet_and_within_the_screen(visit, pages, name, width, scheme):  # noqa: F811
    page, troubles = visit(pages / f"{name}.html", width, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('*').forEach((each) => each.dispatchEvent(new Event('mouseover')))")
    assert page.evaluate("document.scrollingElement.scrollWidth") <= width
    assert page.evaluate("typeof window.pwned") == "undefined"
    assert page.locator("h1").is_visible()
    widths = page.evaluate("Array.from(document.querySelectorAll('.rows tbody th'), (cell) => cell.offsetWidth)")
    assert min(widths) > 100  # at which names are read across, and not letter by letter
    assert not troubles


def test_readable_without_scripts(visit, pages):  # noqa: F811
    page, troubles = visit(pages / "swept.html", java_script_enabled=False)
    assert page.locator("section").count() == 8
    assert page.locator("svg.chart").count() == 3
    assert not troubles


@pytest.mark.parametrize("name", NAMES)
def test_texts_of_charts_can_be_read_on_a_phone(visit, pages, name):  # noqa: F811
    page, _ = visit(pages / f"{name}.html", 390)
    heights = page.evaluate("""() => Array.from(document.querySelectorAll("svg.chart"), (svg) =>
        svg.getBoundingClientRect().width / svg.viewBox.baseVal.width
        * Math.min(...Array.from(svg.querySelectorAll("text"), (text) => parseFloat(getComputedStyle(text).fontSize))))
    """)
    assert heights
    assert min(heights) > 8
