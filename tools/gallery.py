"""Make a report of each example and a page that leads to them: python tools/gallery.py OUT_DIR.

In each file of examples/data the first column is the truth and each further one a prediction; a column "id" is neither.
A predicted label -1 is noise, as in scikit-learn, and each of its points its own cluster.
"""

from __future__ import annotations

import csv
import sys
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from clustermark import evaluate
from clustermark.report.captions import score_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clustermark.evaluation import Evaluation
    from clustermark.policies import Noise

EXAMPLES = Path(__file__).parent.parent / "examples" / "data"


def evaluations(path: Path) -> Iterator[tuple[str, str, Evaluation]]:
    """Each prediction of one example: its name, its title and its evaluation."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    truth, *predictions = (column for column in rows[0] if column != "id")
    y_true = [row[truth] for row in rows]
    for prediction in predictions:
        y_pred = [row[prediction] for row in rows]
        noise: Noise | None = {"-1": "singletons"} if "-1" in y_pred else None
        title = f"{path.stem}: {prediction} against {truth}"
        yield f"{path.stem}-{prediction}", title, evaluate(y_true, y_pred, noise_pred=noise)


def entry(name: str, title: str, evaluation: Evaluation) -> str:
    """The card of one report."""
    table = evaluation.table
    counts = (
        f"{evaluation.n_used:,} points, {table.n_true_clusters:,} true and {table.n_pred_clusters:,} predicted "
        f"clusters; adjusted Rand index {score_text(evaluation['adjusted_rand'])}"
    )
    return (
        f'<li><strong><a href="{escape(name)}.html">{escape(title)}</a></strong><br>{escape(evaluation.verdict)}'
        f'<div class="parts">{escape(counts)}</div></li>'
    )


def index(entries: list[str]) -> str:
    """The page that leads to the reports, in their colours."""
    style = files("clustermark.report").joinpath("page.css").read_text(encoding="utf-8")
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>clustermark: example reports</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,"><style>{style}</style></head>
<body><header><p class="brand">clustermark</p><p class="verdict">Example reports</p>
<p class="lead">How well does a clustering agree with the truth, and where does it go wrong? Each page is one file.</p>
</header><main><ol class="errors">
{chr(10).join(entries)}
</ol></main></body></html>
"""


def main(target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    entries = []
    for path in sorted(EXAMPLES.glob("*.csv")):
        for name, title, evaluation in evaluations(path):
            evaluation.report(target / f"{name}.html", title, overwrite=True)
            entries.append(entry(name, title, evaluation))
    (target / "index.html").write_text(index(entries), encoding="utf-8")
    print(f"{len(entries)} reports and index.html in {target}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: gallery.py OUT_DIR")
    main(Path(sys.argv[1]))
