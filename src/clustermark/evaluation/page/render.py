"""The report of an evaluation as one self-contained HTML file."""

from __future__ import annotations

from functools import cached_property, partial
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
    ROWS_CARRIED,
    ROWS_DRAWN,
    SHOWN_VERDICTS,
    carry_rows,
    cluster_table_html,
    worst_clusters,
)
from clustermark.evaluation.page.drawers import Drawers, causes_html, choose_clusters, drawers_html
from clustermark.evaluation.page.elements import ClusterLinks, note, offer
from clustermark.evaluation.page.maps import choose_maps, maps_html
from clustermark.evaluation.page.opening import basis_html, next_html, verdict_html
from clustermark.evaluation.page.scores import coverage_html, scores_html
from clustermark.evaluation.page.suffering import confusions_html, suffering_html
from clustermark.evaluation.page.work_list import ERRORS, errors_html, find_repairs, repairs_html, wrong_pairs_html
from clustermark.results.document import Document, Facts, KeyNumber, Section, Widget
from clustermark.results.html import Html, fragment, h
from clustermark.results.json import document_of
from clustermark.results.page import facts_html, json_html, page_of
from clustermark.results.values import settings_text, share_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clustermark.diagnosis import ClusterTable, OverlapMap, Side
    from clustermark.diagnosis.quality import GroupTable
    from clustermark.diagnosis.record_columns import RecordFinder
    from clustermark.diagnosis.record_differences import Cause
    from clustermark.diagnosis.repairs import Repairs
    from clustermark.diagnosis.subgroups import Subgroups
    from clustermark.evaluation.partitions import PartitionEvaluation
    from clustermark.registry import Index
    from clustermark.results.document import Body
    from clustermark.uncertainty.checked_intervals import CoverageCheck

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
        coverage: CoverageCheck | None = None,
    ) -> None:
        self.groups, self.subgroups, self.coverage = groups, subgroups, coverage
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
    def worst(self) -> dict[Side, ClusterTable]:
        """The worst clusters of each side, as many as the page carries."""
        tables = (self.evaluation.classes, self.evaluation.clusters)
        return {table.side: worst_clusters(table, ROWS_CARRIED) for table in tables}

    @cached_property
    def drawn(self) -> dict[Side, list[Any]]:
        """Labels of the clusters that the tables show at first, by side."""
        return {side: table[:ROWS_DRAWN].to_dict()["cluster"] for side, table in self.worst.items()}

    @cached_property
    def clash(self) -> bool:
        """Whether clusters of both sides share names, so that names must include the side."""
        lines = self.maps.values()
        return clusters_clash(
            [*self.drawn["true"], *(label for one in lines for label in one.true_labels)],
            [*self.drawn["pred"], *(label for one in lines for label in one.pred_labels)],
        )

    @cached_property
    def drawers(self) -> Drawers | None:
        """Records that the page contains; None if none were requested."""
        if self.finder is None:
            return None
        errors = (self.evaluation.merges(ERRORS), self.evaluation.splits(ERRORS))
        return Drawers.of(self.finder, self.repairs, choose_clusters(errors, self.maps.values(), self.drawn))

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
    coverage: CoverageCheck | None = None,
) -> str:
    """Render the page of an evaluation; the same evaluation always gives the same text.

    finder: finds the records to include in the page.
    groups, subgroups: the quality of groups of points, in addition to the quality by size.
    coverage: how often intervals of the scores hold; None to leave that out.
    """
    check_nearly(nearly)
    shown = Shown(evaluation, nearly, finder, groups, subgroups, coverage)
    with call_points("record" if finder is not None or evaluation.settings.get("on") is not None else "point"):
        return _render(shown, title)


def _render(shown: Shown, title: str | None) -> str:
    evaluation, links = shown.evaluation, shown.links
    verdict, linked = verdict_html(evaluation, shown.nearly, links)
    made = {
        "verdict": linked,
        "next_step": next_html(evaluation, shown.repairs, links, shown.causes),
        "basis": basis_html(evaluation),
        "holds": Html() if shown.drawers is None else shown.drawers.headline,
        "rows": json_html(_rows(shown)),
    }
    return page_of(document_of(evaluation) | {"verdict": verdict}, _document(shown, verdict), title, made)


def _document(shown: Shown, verdict: str) -> Document:
    """Return the document of the page; its sections are made by `SECTIONS`."""
    evaluation = shown.evaluation
    return Document(
        title=_title_of(evaluation),
        headline=evaluation.headline,
        sections=[
            Section(one.name, one.title, partial(_bodies, one, shown), in_words(one.lead), widget=_FINISHED)
            for one in SECTIONS
        ],
        verdict=verdict,
        next_step=evaluation.advice,
        key_numbers=_key_numbers(evaluation),
        notices=[notice.text for notice in evaluation.notices],
        noun=thing(),
        short=verdict.rpartition("On these: ")[2].partition(": ")[0].removesuffix("."),
    )


_FINISHED = Widget(lambda bodies, _: fragment(bodies))
"""The widget of a section whose bodies are HTML."""


def _bodies(one: Chapter, shown: Shown) -> list[Body]:
    content = one.render(shown)
    return [content] if content else []


def _rows(shown: Shown) -> dict[str, Any]:
    """Return the data that the script searches: names of verdicts, and rows of clusters of both sides."""
    return {"verdicts": SHOWN_VERDICTS} | {side: carry_rows(worst, shown.nearly) for side, worst in shown.worst.items()}


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


def _key_numbers(evaluation: PartitionEvaluation) -> list[KeyNumber]:
    table, exact = evaluation.table, evaluation.table.joint().exact
    (true, noise_true), (pred, noise_pred) = (cluster_counts(evaluation.record, side) for side in ("true", "pred"))
    used = "weighted" if table.weights is not None else ""
    if evaluation.n_dropped:
        share = f"{share_text(evaluation.n_used / evaluation.n_given)} of {evaluation.n_given:,}"
        used = f"{share}, {used}" if used else share
    numbers = [
        KeyNumber(things(), evaluation.n_used, note=used),
        KeyNumber("true clusters", true, note=noise_true.strip()),
        KeyNumber("predicted clusters", pred, note=noise_pred.strip()),
        KeyNumber("found exactly", exact, note=f"{share_text(exact / table.n_true_clusters)} of the true clusters"),
    ]
    main = _main_index(evaluation)
    if main is not None:
        title = IN_SENTENCES.get(main.name, main.facts.title)
        direction = _DIRECTIONS[main.facts.higher_is_better]
        interval = evaluation.record.scores[main.label].interval
        if interval is not None and interval.low is not None and interval.high is not None:
            direction += (
                f"; {100 * interval.level:g}% interval {score_text(interval.low)} to {score_text(interval.high)}"
            )
        numbers.append(KeyNumber(title, score_text(evaluation[main.label]), "text", note=direction))
    return numbers


def _main_index(evaluation: PartitionEvaluation) -> Index[...] | None:
    """Return the adjusted Rand index if it was evaluated, else the first index."""
    indices = evaluation.indices
    return next((index for index in indices if index.name == "adjusted_rand"), next(iter(indices), None))


def _mend(shown: Shown) -> Html:
    repairs = repairs_html(shown.evaluation, shown.repairs, shown.links, shown.finder)
    return fragment(wrong_pairs_html(shown.evaluation), causes_html(shown.causes), repairs)


def _errors(shown: Shown) -> Html:
    return fragment(errors_html(shown.evaluation, shown.links), confusions_html(shown.evaluation, shown.links))


def _overlaps(shown: Shown) -> Html:
    return maps_html(shown.maps, shown.links, shown.nearly)


def _suffers(shown: Shown) -> Html:
    return suffering_html(shown.evaluation, shown.groups, shown.subgroups)


def _scores(shown: Shown) -> Html:
    scores = scores_html(shown.evaluation)
    return scores if shown.coverage is None else fragment(scores, coverage_html(shown.coverage))


def _clusters(shown: Shown) -> Html:
    return fragment(
        offer("Clusters", "side", {"pred": "predicted", "true": "true"}, "sides"),
        (
            cluster_table_html(table, shown.worst[table.side], shown.links, shown.nearly)
            for table in (shown.evaluation.clusters, shown.evaluation.classes)
        ),
    )


def _records(shown: Shown) -> Html:
    return Html() if shown.drawers is None else drawers_html(shown.drawers, shown.links)


def _origin(shown: Shown) -> Html:
    evaluation = shown.evaluation
    counts = {f"{things()} given" if fate == "given" else fate: n for fate, n in evaluation.record.points.items()}
    settings = {name: settings_text(value) for name, value in evaluation.settings.items()}
    facts = (Facts("Counts", counts, "count"), Facts("Settings", settings))
    main = _main_index(evaluation)
    return fragment(
        h("div", map(facts_html, facts), class_="facts"),
        None if evaluation.settings.get("threshold") is None else _WHERE_TO_CUT,
        None if shown.drawers is None else _WITHOUT_RECORDS,
        (note("The signature to cite with a score:"), h("pre", h("code", evaluation.signature(main.label))))
        if main
        else None,
    )


_WHERE_TO_CUT = note(
    "The list of pairs was cut at a given threshold; ", h("code", "sweep_pairs"), ", or ",
    h("code", "clustermark sweep"), ", says where to cut it.",
)  # fmt: skip
_WITHOUT_RECORDS = note(
    "A page without records is made by ", h("code", "clustermark report … --no-records"), ", or in Python by ",
    h("code", "report()"), " without ", h("code", "records"), " and ", h("code", "show"), ".",
    id="without-records", tabindex="-1",
)  # fmt: skip


class Chapter(NamedTuple):
    """A section of the page: id, heading, lead sentence and render function."""

    name: str
    title: str
    lead: str
    render: Callable[[Shown], Html]


SECTIONS = (
    Chapter(
        "mend",
        "What to mend first",
        "A wrong pair is two {things} that the prediction puts together and the truth apart (a false pair), or the "
        "other way round (a missing pair). Low precision calls for a stricter method, low recall for a more generous "
        "one. Each mark on the curve is a repair of the list below; its effect is counted after the repairs before it.",
        _mend,
    ),
    Chapter(
        "errors",
        "Worst errors",
        "The predicted clusters that merge true ones and the true clusters that are split, by their numbers of false "
        "or missing pairs; and the pairs of true clusters that are confused most.",
        _errors,
    ),
    Chapter(
        "overlaps",
        "Map and flow",
        "Matching clusters lie on the diagonal of the map; cells beside it were split off or merged in, and the "
        "margins count {things} in clusters that are not shown.",
        _overlaps,
    ),
    Chapter(
        "shape",
        "Who suffers",
        "How well clusters of each size are found, and which groups of records have most errors. Too many small "
        "predicted clusters mean splits, too many large ones merges. A curve that stays high is good.",
        _suffers,
    ),
    Chapter(
        "clusters",
        "Clusters",
        "Each cluster with the most similar cluster of the other side, those in most wrong pairs first. A click "
        "on a heading sorts, on a verdict filters.",
        _clusters,
    ),
    Chapter(
        "records",
        "Records",
        "The records of the worst clusters, at most 30 of each and some of each part. A letter and a colour stand for "
        "a cluster of the other side. Differences from most records of the same true cluster are underlined, such as a "
        "typing error, or the word beside a missing one; in a pair, the differences between its two records.",
        _records,
    ),
    Chapter(
        "scores",
        "Scores",
        "Each index measures the agreement in its own way; the bar shows the score within the index’s range.",
        _scores,
    ),
    Chapter(
        "made",
        "How this was made",
        "What was compared and under which rules, so that anybody can compute these numbers again.",
        _origin,
    ),
)
"""Sections in page order; the navigation is made from the same list."""
