"""Make a report of each example and a page that links to them: python tools/gallery.py OUT_DIR [--shots].

With --shots also make pictures of each report at the widths of a desktop, a tablet and a phone: light, dark, printed.
"""

from __future__ import annotations

import shutil
import sys
from contextlib import chdir
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from clustermark import evaluate
from clustermark.diagnosis.captions import score_text
from clustermark.results.values import count_text

if TYPE_CHECKING:
    from clustermark import PartitionEvaluation

ROOT = Path(__file__).resolve().parent.parent
COMPANIES = "examples/data/companies"
DIGITS = "src/clustermark/data/digits.csv"
WIDTHS = (1440, 768, 375)


class Example(NamedTuple):
    """The compared sources, the call of `evaluate`, and a description."""

    name: str
    title: str
    description: str
    sources: tuple[str, ...]
    options: dict[str, Any]
    records: str | None = None
    """File of the records that the report shows."""

    def evaluation(self) -> PartitionEvaluation:
        """Evaluate the files; the report shows their paths in the repository."""
        with chdir(ROOT):
            made: PartitionEvaluation = evaluate(*self.sources, **self.options)
        return made

    def call(self) -> str:
        """Return the line of Python that makes the evaluation, in the folder of the files."""
        said = [repr(Path(source).name) for source in self.sources]
        said += [f"{name}={value!r}" for name, value in self.options.items()]
        return f"evaluate({', '.join(said)})".replace("'", '"')


EXAMPLES = (
    Example(
        "digits-kmeans",
        "Digits, clustered by k-means",
        "1,797 images of handwritten digits in ten clusters: the ones are mixed with eights, and the nines with eights "
        "and fives.",
        (DIGITS,),
        {"true": "digit", "pred": "kmeans"},
    ),
    Example(
        "digits-ward",
        "Digits, clustered by Ward’s criterion",
        "The same images by agglomerative clustering, which does clearly better.",
        (DIGITS,),
        {"true": "digit", "pred": "ward"},
    ),
    Example(
        "digits-dbscan",
        "Digits, clustered by DBSCAN",
        "The same images by density. Points that it could not place are noise, labelled −1, and count as singletons "
        "here.",
        (DIGITS,),
        {"true": "digit", "pred": "dbscan", "noise_pred": {"-1": "singletons"}},
    ),
    Example(
        "companies-by-key",
        "Companies, matched by exact keys",
        "Entity resolution: 1,848 records of 700 companies. Two files share an id. This matcher is strict: few wrong "
        "matches, many missed ones.",
        (f"{COMPANIES}/truth.csv", f"{COMPANIES}/by_key.csv"),
        {"on": "id"},
    ),
    Example(
        "companies-by-grams",
        "Companies, matched by three-letter pieces",
        "The same records by similar spelling. This matcher is lenient: it finds nearly all matches, and merges "
        "namesakes of different cities. The page shows the records too.",
        (f"{COMPANIES}/truth.csv", f"{COMPANIES}/by_grams.csv"),
        {"on": "id"},
        f"{COMPANIES}/records.csv",
    ),
    Example(
        "companies-pairs",
        "Companies, a list of matched pairs",
        "The same records by a matcher that returns pairs of ids, which are closed transitively. A record without a "
        "match is a singleton.",
        (f"{COMPANIES}/truth.csv", f"{COMPANIES}/pairs_by_neighbours.csv"),
        {"on": "id", "pairs": "pred", "unmatched": "singletons"},
    ),
)


def entry(example: Example, evaluation: PartitionEvaluation) -> str:
    """Return the card of one report."""
    counts = (
        f"{count_text(evaluation.n_used)} points, {count_text(evaluation.n_true_clusters)} true and "
        f"{count_text(evaluation.n_pred_clusters)} predicted clusters; "
        f"adjusted Rand index {score_text(evaluation['adjusted_rand'])}"
    )
    return (
        f'<li><strong><a href="{escape(example.name)}.html">{escape(example.title)}</a></strong><br>'
        f"{escape(example.description)}<br>{escape(evaluation.verdict)}"
        f'<div class="parts">{escape(counts)}<br><code>{escape(example.call(), quote=False)}</code></div></li>'
    )


def index(entries: list[str]) -> str:
    """Return the page that links to the reports, in their colours."""
    style = files("clustermark.results").joinpath("assets", "page.css").read_text(encoding="utf-8")
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>clustermark: example reports</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,"><style>{style}</style></head>
<body><header><p class="brand">clustermark</p><p class="verdict">Example reports</p>
<p class="lead">How well does a clustering agree with the truth, and where is it wrong? Each page is one file.</p>
</header><main><ol class="errors">
{chr(10).join(entries)}
</ol></main></body></html>
"""


def main(target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    entries = []
    for example in EXAMPLES:
        evaluation = example.evaluation()
        records = None if example.records is None else ROOT / example.records
        evaluation.write_report(target / f"{example.name}.html", example.title, records=records, overwrite=True)
        entries.append(entry(example, evaluation))
    (target / "index.html").write_text(index(entries), encoding="utf-8")
    print(f"{len(entries)} reports and index.html in {target}")


def photograph(target: Path, names: list[str] | None = None) -> list[Path]:
    """Make pictures of the reports in a folder, with the chromium of the system: NAME-WIDTH-LIGHT.png."""
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        sys.exit("gallery.py --shots needs chromium: tools/system_packages.sh chromium")
    made = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        for name in names or [example.name for example in EXAMPLES]:
            for width in WIDTHS:
                for light in ("light", "dark", "paper"):
                    page = browser.new_page(viewport={"width": width, "height": 900})
                    page.emulate_media(
                        media="print" if light == "paper" else "screen",
                        color_scheme="dark" if light == "dark" else "light",
                    )
                    page.goto((target / f"{name}.html").resolve().as_uri())
                    made.append(target / f"{name}-{width}-{light}.png")
                    page.screenshot(path=made[-1], full_page=True)
                    page.close()
        browser.close()
    return made


if __name__ == "__main__":
    wanted = [argument for argument in sys.argv[1:] if argument != "--shots"]
    if len(wanted) != 1:
        sys.exit("usage: gallery.py OUT_DIR [--shots]")
    main(Path(wanted[0]))
    if "--shots" in sys.argv:
        print(f"{len(photograph(Path(wanted[0])))} pictures")
