"""The report of an evaluation as one self-contained HTML file."""

from __future__ import annotations

import json
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from clustermark.diagnosis.captions import (
    IN_SENTENCES,
    call_points,
    clusters_clash,
    in_words,
    score_text,
    thing,
    things,
)
from clustermark.diagnosis.costs import NEARLY, check_nearly
from clustermark.diagnosis.record_differences import find_causes
from clustermark.evaluation.evaluation_document import cluster_counts
from clustermark.evaluation.page.cluster_tables import (
    ROWS_SHOWN,
    SHOWN_VERDICTS,
    carry_rows,
    cluster_section,
    worst_clusters,
)
from clustermark.evaluation.page.drawers import Drawers, choose_clusters, render_causes, render_drawers
from clustermark.evaluation.page.elements import ClusterLinks, list_facts, offer, plain_html
from clustermark.evaluation.page.maps import choose_maps, render_maps
from clustermark.evaluation.page.opening import word_basis, word_next, word_verdict
from clustermark.evaluation.page.scores import render_scores
from clustermark.evaluation.page.suffering import render_confusions, render_suffering
from clustermark.evaluation.page.work_list import ERRORS, find_repairs, render_errors, render_repairs, word_wrong_pairs
from clustermark.results.html import Html
from clustermark.results.json import document_of
from clustermark.results.page import frame
from clustermark.results.values import settings_text, share_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from clustermark.diagnosis import OverlapMap, Side
    from clustermark.diagnosis.quality import GroupTable
    from clustermark.diagnosis.record_columns import RecordFinder
    from clustermark.diagnosis.record_differences import Cause
    from clustermark.diagnosis.repairs import Repairs
    from clustermark.diagnosis.subgroups import Subgroups
    from clustermark.evaluation.partitions import PartitionEvaluation
    from clustermark.registry import Index

_DIRECTIONS = {True: "higher is better", False: "lower is better", None: "no direction"}


class Shown:
    """An evaluation with the data that several sections of its page use."""

    def __init__(
        self,
        evaluation: PartitionEvaluation,
        nearly: float = NEARLY,
        finder: RecordFinder | None = None,
        groups: Sequence[GroupTable] = (),
        subgroups: Subgroups | None = None,
    ) -> None:
        self.groups, self.subgroups = groups, subgroups
        self.evaluation = evaluation
        self.nearly = nearly
        """Smallest Jaccard index at which a cluster counts as nearly exact."""
        self.finder = finder

    @cached_property
    def maps(self) -> dict[str, OverlapMap]:
        """Overlap maps to choose from by name, the one shown initially first."""
        return choose_maps(self.evaluation.table)

    @cached_property
    def repairs(self) -> Repairs | str:
        """Repairs, or the reason why there are none."""
        return find_repairs(self.evaluation)

    @cached_property
    def worst(self) -> dict[Side, list[Any]]:
        """Labels of the clusters that the tables show, by side."""
        tables = (self.evaluation.classes, self.evaluation.clusters)
        return {table.side: worst_clusters(table, ROWS_SHOWN).to_dict()["cluster"] for table in tables}

    @cached_property
    def clash(self) -> bool:
        """Whether clusters of both sides share names, so that names must include the side."""
        lines = self.maps.values()
        return clusters_clash(
            [*self.worst["true"], *(label for one in lines for label in one.true_labels)],
            [*self.worst["pred"], *(label for one in lines for label in one.pred_labels)],
        )

    @cached_property
    def drawers(self) -> Drawers | None:
        """Records that the page contains; None if none were requested."""
        if self.finder is None:
            return None
        errors = (self.evaluation.merges(ERRORS), self.evaluation.splits(ERRORS))
        return Drawers.of(self.finder, self.repairs, choose_clusters(errors, self.maps.values(), self.worst))

    @cached_property
    def causes(self) -> list[Cause]:
        """Common causes of wrong pairs, found in the records on the page."""
        return [] if self.drawers is None else find_causes(self.drawers.members.values())

    @cached_property
    def links(self) -> ClusterLinks:
        """Link targets of cluster names."""
        return ClusterLinks(self.clash, {} if self.drawers is None else self.drawers.addresses)


def html(
    evaluation: PartitionEvaluation,
    title: str | None = None,
    nearly: float = NEARLY,
    finder: RecordFinder | None = None,
    groups: Sequence[GroupTable] = (),
    subgroups: Subgroups | None = None,
) -> str:
    """Render the page of an evaluation; the same evaluation always gives the same text.

    finder: finds the records to include in the page.
    groups, subgroups: the quality of groups of points, in addition to the quality by size.
    """
    check_nearly(nearly)
    shown = Shown(evaluation, nearly, finder, groups, subgroups)
    with call_points("record" if finder is not None or evaluation.settings.get("on") is not None else "point"):
        return _render(shown, title)


def _render(shown: Shown, title: str | None) -> str:
    evaluation, nearly = shown.evaluation, shown.nearly
    said, linked = word_verdict(evaluation, nearly, shown.links)
    sections = [(one.name, one.title, in_words(one.lead), one.render(shown)) for one in SECTIONS]
    return fill_page(
        title or _title_of(evaluation),
        evaluation.version,
        said,
        _key_numbers(evaluation),
        [section for section in sections if section[3]],
        document_of(evaluation) | {"verdict": said},
        [notice.text for notice in evaluation.notices],
        advice=evaluation.advice,
        rows=_rows(shown),
        holds="" if shown.drawers is None else shown.drawers.headline,
        linked=(linked, word_next(evaluation, shown.repairs, shown.links, shown.causes)),
        basis=word_basis(evaluation),
    )


def _rows(shown: Shown) -> str:
    """Return the data that the script searches, as JSON: names of verdicts and clusters of both sides."""
    sides = (("true", shown.evaluation.classes), ("pred", shown.evaluation.clusters))
    carried = ",".join(f'"{side}":[{",".join(carry_rows(table, shown.nearly))}]' for side, table in sides)
    return f'{{"verdicts":{json.dumps(SHOWN_VERDICTS)},{carried}}}'


def fill_page(
    title: str,
    version: str,
    verdict: str,
    numbers: Sequence[tuple[str, str, str]],
    sections: Sequence[tuple[str, str, str, str]],
    document: dict[str, Any],
    notices: Sequence[str] = (),
    advice: str = "",
    rows: str = "{}",
    holds: str = "",
    linked: tuple[str, str] | None = None,
    basis: str = "",
) -> str:
    """Render a page of sections (id, heading, lead sentence, content).

    numbers: key numbers (name, number, note); number and note are HTML.
    holds: a notice on the records in the page, as HTML.
    linked: the verdict and the advice as HTML, where names in them are links.
    basis: a paragraph on the basis of the numbers, as HTML.
    """
    key_numbers = "\n".join(
        f"<div><dt>{plain_html(name)}</dt><dd>{number}</dd>{f'<dd class=note>{note}</dd>' if note else ''}</div>"
        for name, number, note in numbers
    )
    verdict_html, advice_html = (plain_html(verdict), plain_html(advice)) if linked is None else linked
    next_step = f'<p class="next"><strong>Next:</strong> {advice_html}</p>' if advice else ""
    slots = {
        "title": plain_html(title),
        "version": escape(version),
        "thing": thing(),
        "verdict": verdict_html,
        "next_step": next_step,
        "in_short": _in_short(verdict, advice),
        "notices": _notices(notices),
        "holds": holds,
        "basis": basis,
        "key_numbers": key_numbers,
        "navigation": "\n".join(f'<a href="#{name}">{heading}</a>' for name, heading, *_ in sections),
        "sections": "\n".join(_section(*section) for section in sections),
        "data": json.dumps(document).replace("<", "\\u003c"),
        "rows": rows,
    }
    return frame({name: Html(text) for name, text in slots.items()})


def _in_short(verdict: str, advice: str) -> str:
    """Return the text that stays visible while scrolling: the agreement and the next step."""
    if not advice:
        return plain_html(verdict)
    how_good = verdict.rpartition("On these: ")[2].partition(": ")[0].removesuffix(".")
    return f"<strong>{plain_html(how_good)}.</strong> Next: {plain_html(advice)}"


def _title_of(evaluation: PartitionEvaluation) -> str:
    settings = evaluation.settings
    if "prediction" in settings:
        return f"{_file_name(settings['prediction'])} against {_file_name(settings['truth'])}"
    return _file_name(settings.get("source", "Predicted clusters against the truth"))


def _file_name(source: object) -> str:
    """Return the name of a file without its folder; text that is not a path is returned unchanged."""
    text = str(source)
    name = text.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return name if name and "<" not in text and "\n" not in text else text


def _notices(texts: Iterable[str]) -> str:
    notices = "".join(f"<p>{plain_html(text)}</p>" for text in texts)
    return f'<div class="notices" role="note">{notices}</div>' if notices else ""


def _key_numbers(evaluation: PartitionEvaluation) -> list[tuple[str, str, str]]:
    table, exact = evaluation.table, evaluation.table.joint().exact
    (true, noise_true), (pred, noise_pred) = (cluster_counts(evaluation.record, side) for side in ("true", "pred"))
    used = "weighted" if table.weights is not None else ""
    if evaluation.n_dropped:
        used = f"{share_text(evaluation.n_used / evaluation.n_given)} of {evaluation.n_given:,}" + (
            used and f", {used}"
        )
    numbers = [
        (things(), f"{evaluation.n_used:,}", used),
        ("true clusters", f"{true:,}", noise_true.strip()),
        ("predicted clusters", f"{pred:,}", noise_pred.strip()),
        ("found exactly", f"{exact:,}", f"{share_text(exact / table.n_true_clusters)} of the true clusters"),
    ]
    main = _main_index(evaluation)
    if main is not None:
        title = IN_SENTENCES.get(main.name, main.facts.title)
        note = _DIRECTIONS[main.facts.higher_is_better]
        interval = evaluation.record.scores[main.label].interval
        if interval is not None and interval.low is not None and interval.high is not None:
            note += f"; {100 * interval.level:g}% interval {score_text(interval.low)} to {score_text(interval.high)}"
        numbers.append((title, score_text(evaluation[main.label]), note))
    return numbers


def _main_index(evaluation: PartitionEvaluation) -> Index[...] | None:
    """Return the adjusted Rand index if it was evaluated, else the first index."""
    indices = evaluation.indices
    return next((index for index in indices if index.name == "adjusted_rand"), next(iter(indices), None))


def _section(name: str, title: str, lead: str, content: str) -> str:
    head = f'<section id="{name}" tabindex="-1">\n<h2>{title}</h2>\n<p class="lead">{lead}</p>'
    return f"{head}\n{content}\n</section>"


def _mend(shown: Shown) -> str:
    counted = word_wrong_pairs(shown.evaluation) + render_causes(shown.causes)
    return counted + render_repairs(shown.evaluation, shown.repairs, shown.links, shown.finder)


def _errors(shown: Shown) -> str:
    return render_errors(shown.evaluation, shown.links) + render_confusions(shown.evaluation, shown.links)


def _overlaps(shown: Shown) -> str:
    return render_maps(shown.maps, shown.links, shown.nearly)


def _suffers(shown: Shown) -> str:
    return render_suffering(shown.evaluation, shown.groups, shown.subgroups)


def _scores(shown: Shown) -> str:
    return render_scores(shown.evaluation)


def _clusters(shown: Shown) -> str:
    evaluation = shown.evaluation
    switch = offer("side", {"pred": "predicted", "true": "true"})
    return (
        f'<fieldset class="tools sides" hidden><legend>Clusters</legend>{switch}</fieldset>'
        + cluster_section(
            evaluation.clusters, "Predicted clusters", "predicted-clusters", "true", shown.links, shown.nearly
        )
        + cluster_section(evaluation.classes, "True clusters", "true-clusters", "predicted", shown.links, shown.nearly)
    )


def _records(shown: Shown) -> str:
    return "" if shown.drawers is None else render_drawers(shown.drawers, shown.links)


def _origin(shown: Shown) -> str:
    evaluation = shown.evaluation
    counts = {f"{things()} given" if fate == "given" else fate: n for fate, n in evaluation.record.points.items()}
    facts = list_facts("Counts", {name: f"{count:,}" for name, count in counts.items()}, "number")
    settings = {name: settings_text(value) for name, value in evaluation.settings.items()}
    facts += list_facts("Settings", settings, "")
    main = _main_index(evaluation)
    signature = plain_html(evaluation.signature(main.label)) if main else ""
    cited = f'<p class="note">The signature to cite with a score:</p><pre><code>{signature}</code></pre>'
    where = "" if evaluation.settings.get("threshold") is None else _WHERE_TO_CUT
    where += "" if shown.drawers is None else _WITHOUT_RECORDS
    return f'<div class="facts">{facts}</div>\n{where}{cited if main else ""}'


_WHERE_TO_CUT = (
    '<p class="note">The list of pairs was cut at a given threshold; <code>sweep_pairs</code>, or <code>clustermark '
    "sweep</code>, says where to cut it.</p>"
)


_WITHOUT_RECORDS = (
    '<p class="note" id="without-records" tabindex="-1">A page without records is made by <code>clustermark report … '
    "--no-records</code>, or in Python by <code>report()</code> without <code>records</code> and <code>show</code>.</p>"
)


class Section(NamedTuple):
    """A section of the page: id, heading, lead sentence and render function."""

    name: str
    title: str
    lead: str
    render: Callable[[Shown], str]


SECTIONS = (
    Section(
        "mend",
        "What to mend first",
        "A wrong pair is two {things} that the prediction puts together and the truth apart (a false pair), or the "
        "other way round (a missing pair). Low precision calls for a stricter method, low recall for a more generous "
        "one. Each mark on the curve is a repair of the list below; its effect is counted after the repairs before it.",
        _mend,
    ),
    Section(
        "errors",
        "Worst errors",
        "The predicted clusters that merge true ones and the true clusters that are split, by their numbers of false "
        "or missing pairs; and the pairs of true clusters that are confused most.",
        _errors,
    ),
    Section(
        "overlaps",
        "Map and flow",
        "Matching clusters lie on the diagonal of the map; cells beside it were split off or merged in, and the "
        "margins count {things} in clusters that are not shown.",
        _overlaps,
    ),
    Section(
        "shape",
        "Who suffers",
        "How well clusters of each size are found, and which groups of records have most errors. Too many small "
        "predicted clusters mean splits, too many large ones merges. A curve that stays high is good.",
        _suffers,
    ),
    Section(
        "clusters",
        "Clusters",
        "Each cluster with the most similar cluster of the other side, those in most wrong pairs first. A click "
        "on a heading sorts, on a verdict filters.",
        _clusters,
    ),
    Section(
        "records",
        "Records",
        "The records of the worst clusters, at most 30 of each and some of each part. A letter and a colour stand for "
        "a cluster of the other side. Differences from most records of the same true cluster are underlined, such as a "
        "typing error, or the word beside a missing one; in a pair, the differences between its two records.",
        _records,
    ),
    Section(
        "scores",
        "Scores",
        "Each index measures the agreement in its own way; the bar shows the score within the index’s range.",
        _scores,
    ),
    Section(
        "made",
        "How this was made",
        "What was compared and under which rules, so that anybody can compute these numbers again.",
        _origin,
    ),
)
"""Sections in page order; the navigation is made from the same list."""
