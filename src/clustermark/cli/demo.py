"""What clustermark does, shown on data that comes with it."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

import clustermark
from clustermark.cli.errors import worst_table
from clustermark.cli.scores import scores_table

if TYPE_CHECKING:
    from clustermark.evaluation.partitions import Evaluation
    from clustermark.options import Noise

DIGITS = Path(clustermark.__file__).parent / "data" / "digits.csv"


def digits(algorithm: str) -> Evaluation:
    """The clusters that an algorithm made of handwritten digits, against the digits that they are."""
    with DIGITS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    # dbscan calls -1 what it cannot place: such points are alone
    noise: Noise | None = {"-1": "singletons"} if algorithm == "dbscan" else None
    return clustermark.evaluate([row["digit"] for row in rows], [row[algorithm] for row in rows], noise_pred=noise)


def show(evaluation: Evaluation, algorithm: str, *, to_terminal: bool) -> str:
    """The scores, the worst mistakes, and how to go on."""
    return "\n".join(
        [
            f"Handwritten digits, clustered by {algorithm}, judged against the true digits.\n",
            scores_table(evaluation, to_terminal=to_terminal),
            worst_table(evaluation, 3, to_terminal=to_terminal),
            "The same as a page with charts: clustermark demo -o report.html",
            "Your own data: clustermark score data.csv --true label --pred cluster\n",
        ]
    )
