"""Make the pictures of the README: the report of the digits, light and dark, in the chromium of the system.

python tools/screenshot.py [OUT_DIR]
"""

from __future__ import annotations

import sys
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal

from playwright.sync_api import sync_playwright

from clustermark import evaluate

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parent.parent
WIDTH = 1120


def picture(
    browser: Browser, page: Path, target: Path, section: str, height: int, scheme: Literal["light", "dark"] = "light"
) -> None:
    """Take a picture of the window, scrolled to a section."""
    window = browser.new_page(viewport={"width": WIDTH, "height": height}, color_scheme=scheme)
    window.goto(page.as_uri())
    below_the_head = "element.offsetTop - document.querySelector('.head-bar').offsetHeight - 16"
    window.locator(section).evaluate(f"element => window.scrollTo(0, {below_the_head})")
    window.screenshot(path=target)
    window.close()


def main(target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    digits = evaluate(ROOT / "src" / "clustermark" / "data" / "digits.csv", true="digit", pred="kmeans")
    chromium = which("chromium") or which("chromium-browser") or which("google-chrome")
    if chromium is None:
        sys.exit("this needs chromium: tools/system_packages.sh chromium")
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = Path(folder) / "report.html"
        digits.write_report(page, "Handwritten digits, clustered by k-means")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        picture(browser, page, target / "report.png", "header", 1240)
        picture(browser, page, target / "report-overlaps.png", "#overlaps", 1080)
        picture(browser, page, target / "report-errors-dark.png", "#errors", 720, "dark")
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images")
