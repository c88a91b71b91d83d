"""The sections on errors: precision against recall, the repairs, and the worst splits and merges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark.diagnosis.captions import IN_SENTENCES, thing, things, things_text
from clustermark.diagnosis.costs import Costs
from clustermark.diagnosis.error_drawings import draw_repairs
from clustermark.diagnosis.error_list import lone_ids
from clustermark.errors import ClustermarkError
from clustermark.evaluation.page.elements import LinkedNames, fold, joined, note, stack
from clustermark.evaluation.page.handover import offer_repairs
from clustermark.evaluation.plots import draw_precision_recall
from clustermark.registry import find
from clustermark.results.document import Chart
from clustermark.results.html import Html, fragment, h
from clustermark.results.page import figure_html
from clustermark.results.values import count_text, quantity, share_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clustermark.diagnosis import ErrorRow, Side
    from clustermark.diagnosis.record_columns import RecordFinder
    from clustermark.diagnosis.repairs import Repair, Repairs
    from clustermark.evaluation.page.elements import ClusterLinks
    from clustermark.evaluation.partitions import PartitionEvaluation

ERRORS = 10
_REPAIRS, _OPEN = 60, 8
_COUNTED = 20_000
"""Largest number of cells for which all repairs are counted; with more, finding them takes too long."""


def find_repairs(evaluation: PartitionEvaluation) -> Repairs | str:
    """Return the repairs that the page lists, or the reason why there are none."""
    try:
        return evaluation.repairs(_REPAIRS)
    except ClustermarkError as error:
        return str(error)


def repairs_html(
    evaluation: PartitionEvaluation, repairs: Repairs | str, links: ClusterLinks, finder: RecordFinder | None = None
) -> Html:
    """Return two charts and the list of repairs; with a finder, also a download of the records that they move."""
    balance = figure_html(Chart("balance", (4.6, 4.9), lambda ax: draw_precision_recall(ax, evaluation)))
    if isinstance(repairs, str):
        return h("div", balance, note(f"No repairs: {repairs}."), class_="pair")
    pareto = figure_html(Chart("pareto", (5.2, 4.9), lambda ax: draw_repairs(ax, repairs)))
    return fragment(
        h("div", balance, pareto, class_="pair"),
        note(f"{repairs.certificate}.") if repairs.certificate else None,
        offer_repairs(repairs, finder),
        _list_repairs(repairs, links),
        _say_rest(evaluation, repairs),
    )


def _list_repairs(repairs: Repairs, links: ClusterLinks) -> Html:
    """Return the list of repairs, the first ones visible and the others folded."""
    mended = [share for _, share in repairs.curve()]
    items = [
        _repair(place, one, mended[place] - mended[place - 1], repairs.told, links)
        for place, one in enumerate(repairs, 1)
    ]
    if not items:
        return note("None.")
    first = h("ol", items[:_OPEN], class_="errors work")
    if len(items) <= _OPEN:
        return first
    rest = h("ol", items[_OPEN:], class_="errors work", start=_OPEN + 1)
    return fragment(first, fold(quantity(len(items) - _OPEN, "more repair"), rest))


def _say_rest(evaluation: PartitionEvaluation, repairs: Repairs) -> Html:
    """Say how many errors remain after the listed repairs, and how to list all repairs; empty if none remain."""
    if not len(repairs) or repairs[-1].mended == 1:
        return Html()
    of = f" of {len(evaluation.repairs(None)):,}" if evaluation.table.n_cells <= _COUNTED else ""
    left = 1 - repairs[-1].mended
    return note(
        f"The list has the first {len(repairs):,}{of} repairs; {share_text(left)} of "
        f"the wrong pairs ({count_text(round(left * repairs.wrong_pairs))}) are left after them. All of them: ",
        h("code", "clustermark repairs … --all"),
        ", or ",
        h("code", "evaluation.repairs(None)"),
        " in Python.",
        id="more-repairs",
    )


def _repair(place: int, repair: Repair, mends: float, told: str, links: ClusterLinks) -> Html:
    gains = [word_pairs(n, kind) for n, kind in ((repair.false_pairs, "false"), (repair.true_pairs, "missing")) if n]
    effect = f"mends {' and '.join(gains)}; {things_text(repair.records)} to move"
    todo = h("span", h("strong", f"{place}.", class_="rank"), " ", repair_html(repair, links))
    bar = stack(
        h("i", class_="done", style=f"width:{100 * (repair.mended - mends):.2f}%"),
        h("i", class_="mended", style=f"width:{100 * mends:.2f}%"),
        h("i", class_="rest", style="flex:1"),
    )
    together = None
    if repair.side == "true" and repair.cluster is not None:
        together = (f"All {things()} of ", links.to(repair.cluster, "true", width=40), " are together then. ")
    after = "After this repair" if place == 1 else f"After repairs 1 to {place}"
    score = f"{IN_SENTENCES.get(told, told)} {repair.scores[told]:.3f} "
    back = h("a", "show on the curve", class_="back", href=f"#pareto-step-{place}")
    return h(
        "li",
        h("div", todo, h("span", effect, class_="unit"), class_="head"),
        bar,
        h("div", together, f"{after}: {share_text(repair.mended)} of the wrong pairs mended, ", score, back,
          class_="parts"),
        id=f"repair-{place}", tabindex="-1", data_mended=repr(repair.mended),
    )  # fmt: skip


def word_pairs(n: float, kind: str) -> str:
    """Return a number of pairs as text, such as "3 false pairs"."""
    return f"{count_text(n)} {kind} pair{'' if n == 1 else 's'}"


def wrong_pairs_html(evaluation: PartitionEvaluation) -> Html:
    """Return the numbers of false and missing pairs; empty if pairs are not counted or none is wrong."""
    if find("adjusted_rand").refusal(evaluation.table):
        return Html()
    costs = Costs.of(evaluation.table)
    if not costs.wrong:
        return Html()
    kinds = f"{word_pairs(costs.false_pairs, 'false')} and {word_pairs(costs.missing_pairs, 'missing')}"
    return h("p", f"{word_pairs(costs.wrong, 'wrong')}: {kinds}.", class_="answer")


def repair_html(repair: Repair, links: ClusterLinks) -> Html:
    """Return the sentence of a repair, with the action in bold and the names of clusters as links."""
    names = LinkedNames(links)
    act, _, rest = repair.describe(names.hold_place, thing()).partition(" ")
    return fragment(h("strong", act), " ", names.html(rest))


def errors_html(evaluation: PartitionEvaluation, links: ClusterLinks) -> Html:
    """Return the worst splits and the worst merges side by side."""
    torn, thrown = ("missing", "in"), ("false", "from")
    splits, merges = evaluation.splits(ERRORS), evaluation.merges(ERRORS)
    return h(
        "div",
        _error_list("merges", "Merges", merges, "No predicted cluster merges true ones.", thrown, links),
        _error_list("splits", "Splits", splits, "No true cluster is split.", torn, links),
        class_="pair",
    )


def _error_list(
    name: str, heading: str, rows: Iterable[ErrorRow], none: str, words: tuple[str, str], links: ClusterLinks
) -> Html:
    own: tuple[Side, Side] = ("true", "pred") if name == "splits" else ("pred", "true")
    items = [_error(row, *words, own, links) for row in rows]
    content = h("ol", items, class_="errors") if items else note(none)
    return h("div", h("h3", heading), content, class_=name, id=name)


def _error(row: ErrorRow, kind: str, place: str, sides: tuple[Side, Side], links: ClusterLinks) -> Html:
    lost = h("span", word_pairs(row.pairs_lost, kind), data_v=repr(row.pairs_lost))
    return h(
        "li",
        h(
            "div",
            h("strong", links.to(row.cluster, sides[0])),
            h("span", f"{things_text(row.size)}, ", lost, class_="unit"),
            class_="head",
        ),
        stack(*_bars(row)),
        h("div", joined(" · ", _parts(row, place, sides[1], links)), class_="parts"),
    )


def _bars(row: ErrorRow) -> Iterator[Html]:
    """Yield a bar for each part of a cluster, and one for the parts that are not listed."""
    for part in row.parts:
        yield h("i", style=f"width:{_percent(part.overlap, row.size)}%")
    if row.counterparts > len(row.parts):
        left = row.size - sum(part.overlap for part in row.parts)
        yield h("i", class_="rest", style=f"width:{_percent(left, row.size)}%")


def _parts(row: ErrorRow, place: str, side: Side, links: ClusterLinks) -> Iterator[Any]:
    """Yield the parts of a cluster: those in clusters of the other side, those without one, the number of others."""
    for part in row.parts:
        if part.cluster is not None:
            yield f"{count_text(part.overlap)} {place} ", links.to(part.cluster, side, width=40)
    unlabelled = [part for part in row.parts if part.cluster is None]
    if unlabelled:
        how = "alone" if all(part.lone for part in unlabelled) else "without a label"
        yield f"{count_text(sum(part.overlap for part in unlabelled))} {how}{lone_ids(unlabelled)}"
    if rest := row.counterparts - len(row.parts):
        yield quantity(rest, "more cluster")


def _percent(part: float, whole: float) -> str:
    return f"{100 * max(0, part) / whole:.2f}" if whole else "0"
