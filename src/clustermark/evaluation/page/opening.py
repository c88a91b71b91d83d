"""The opening of a page: verdict and next step with links to clusters, and the basis of the numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark.diagnosis.captions import things, things_text
from clustermark.evaluation.page.elements import LinkedNames, joined
from clustermark.evaluation.page.work_list import repair_html
from clustermark.evaluation.verdict import advise, verdict
from clustermark.results.html import Html, fragment, h
from clustermark.results.values import label_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.diagnosis.record_differences import Cause
    from clustermark.diagnosis.repairs import Repairs
    from clustermark.evaluation.page.elements import ClusterLinks
    from clustermark.evaluation.partitions import PartitionEvaluation

_MEANINGS = {"true": "the truth", "pred": "the prediction", "on": "the id"}


def verdict_html(evaluation: PartitionEvaluation, nearly: float, links: ClusterLinks) -> tuple[str, Html]:
    """Return the verdict as plain text and as HTML with links."""
    score = evaluation.record.scores.get("adjusted_rand")
    interval = score and score.interval
    names = LinkedNames(links)
    linked = verdict(evaluation.table, nearly, interval, lambda one: names.hold_place(one.label, one.side))
    return verdict(evaluation.table, nearly, interval), names.html(linked)


def next_html(
    evaluation: PartitionEvaluation, repairs: Repairs | str, links: ClusterLinks, causes: Sequence[Cause] = ()
) -> Html:
    """Return the next step, with causes found in the records and, if it names clusters, the first repair."""
    names = LinkedNames(links)
    advice = advise(evaluation.table, evaluation.notices, lambda one: names.hold_place(one.label, one.side), causes)
    step = [h("strong", "Next:"), " ", names.html(advice)]
    if names.made and not isinstance(repairs, str) and len(repairs):
        moved = things_text(repairs[0].records)
        step += [" The list begins with ", h("a", "repair 1", href="#repair-1"), ": "]
        step += [repair_html(repairs[0], links), f" ({moved} to move)."]
    return h("p", step, class_="next")


def basis_html(evaluation: PartitionEvaluation) -> Html:
    """Return the number of scored points, the guessed columns, and whether scores have intervals."""
    settings = evaluation.settings
    used, given = evaluation.n_used, evaluation.n_given
    of = "All " if used == given else f"{used:,} of "
    parts: list[Any] = [f"{of}{things_text(given)} given {'is' if given == 1 else 'are'} scored."]
    guessed = [
        (h("code", label_text(settings[what], 60)), f" as {_MEANINGS.get(what, what)}")
        for what in settings.get("guessed", ())
    ]
    if guessed:
        parts.append((" Columns guessed: ", joined(", ", guessed), "."))
    scores = evaluation.record.scores.values()
    if scores and not any(score.interval for score in scores):
        parts.append(_without_intervals())
    return h("p", parts, class_="note basis")


def _without_intervals() -> Html:
    return fragment(
        f" Intervals of the scores of all {things()} were not computed: ", h("code", "--intervals"), ", or ",
        h("code", "intervals=True"), " in Python, computes them. Intervals under ",
        h("a", "Who suffers", href="#shape"), " are of groups only.",
    )  # fmt: skip
