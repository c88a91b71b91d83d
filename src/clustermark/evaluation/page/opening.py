"""The opening of a page: verdict and next step with links to clusters, and the basis of the numbers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clustermark.diagnosis.captions import things_text
from clustermark.evaluation.page.elements import plain_html
from clustermark.evaluation.page.work_list import word_repair
from clustermark.evaluation.verdict import advise, verdict
from clustermark.results.values import label_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clustermark.diagnosis.costs import Costly, Say
    from clustermark.diagnosis.record_differences import Cause
    from clustermark.diagnosis.repairs import Repairs
    from clustermark.evaluation.page.elements import ClusterLinks
    from clustermark.evaluation.partitions import PartitionEvaluation

_PLACE = re.compile("\ue000([0-9]{1,4})\ue001")
_MEANINGS = {"true": "the truth", "pred": "the prediction", "on": "the id"}


def word_verdict(evaluation: PartitionEvaluation, nearly: float, links: ClusterLinks) -> tuple[str, str]:
    """Return the verdict as plain text and as HTML."""
    score = evaluation.record.scores.get("adjusted_rand")
    interval = score and score.interval
    table = evaluation.table
    linked, _ = _link(lambda say: verdict(table, nearly, interval, say), links)
    return verdict(table, nearly, interval), linked


def word_next(
    evaluation: PartitionEvaluation, repairs: Repairs | str, links: ClusterLinks, causes: Sequence[Cause] = ()
) -> str:
    """Return the next step as HTML, with causes found in the records and, if it names clusters, the first repair."""
    said, names = _link(lambda say: advise(evaluation.table, evaluation.notices, say, causes), links)
    if not names or isinstance(repairs, str) or not len(repairs):
        return said
    first = repairs[0]
    return (
        f'{said} The list begins with <a href="#repair-1">repair 1</a>: {word_repair(first, links)} '
        f"({things_text(first.records)} to move)."
    )


def _link(words: Callable[[Say], str], links: ClusterLinks) -> tuple[str, int]:
    """Return a text as HTML with the names of clusters as links, and the number of names."""
    named: list[Costly] = []

    def hold_place(one: Costly) -> str:
        named.append(one)
        return f"\ue000{len(named) - 1}\ue001"

    def link(place: re.Match[str]) -> str:
        if int(place[1]) >= len(named):  # not a placeholder but part of the name of a column
            return place[0]
        one = named[int(place[1])]
        return links.to(one.label, one.side, width=40)

    return _PLACE.sub(link, plain_html(words(hold_place))), len(named)


def word_basis(evaluation: PartitionEvaluation) -> str:
    """Return as HTML the number of scored points, the guessed columns, and whether scores have intervals."""
    settings = evaluation.settings
    used, given = evaluation.n_used, evaluation.n_given
    said = [f"{'All ' if used == given else f'{used:,} of '}{things_text(given)} given {_be(given)} scored."]
    guessed = [
        f"<code>{plain_html(label_text(settings[what], 60))}</code> as {_MEANINGS.get(what, what)}"
        for what in settings.get("guessed", ())
    ]
    said += [f"Columns guessed: {', '.join(guessed)}."] if guessed else []
    scores = evaluation.record.scores.values()
    if scores and not any(score.interval for score in scores):
        said.append(
            "Intervals of the scores of all points were not computed: <code>--intervals</code>, or "
            "<code>intervals=True</code> in Python, computes them. Intervals under "
            '<a href="#shape">Who suffers</a> are of groups only.'
        )
    return f'<p class="note basis">{" ".join(said)}</p>'


def _be(n: int) -> str:
    return "is" if n == 1 else "are"
