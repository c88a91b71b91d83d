"""The map of the worst clusters and the flow as its second tab, and the other maps that the script can draw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.diagnosis import OverlapMap
from clustermark.diagnosis.captions import in_words
from clustermark.diagnosis.costs import NEARLY
from clustermark.diagnosis.map_drawings import (
    BEHIND_NUMBERS,
    KINDS,
    LETTERS,
    MEASURES,
    STRONG,
    WRITTEN,
    Lines,
    clusters_text,
    draw_flow,
    draw_overlaps,
    kinds_of,
    note_of,
)
from clustermark.evaluation.page.cluster_tables import for_script
from clustermark.evaluation.page.elements import offer
from clustermark.results.document import Chart
from clustermark.results.html import Html, fragment, h
from clustermark.results.page import figure_html, json_html
from clustermark.results.values import label_texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.diagnosis.overlap_map import Choice
    from clustermark.evaluation.page.elements import ClusterLinks
    from clustermark.tables.contingency import Contingency

MAP_CLUSTERS = 48
"""Number of clusters that suffices for the ten worst merges and splits with their counterparts."""
_FEWER = (24, 12)
_GREY = "{things} outside the clusters shown: strong where they are most of the cluster"
_CHOICES: tuple[Choice, ...] = ("worst", "largest")


def choose_maps(table: Contingency) -> dict[str, OverlapMap]:
    """Return the maps to choose from by name, the initial one first; a single map if there are few clusters."""
    sizes = (MAP_CLUSTERS, *_FEWER)
    maps = {
        f"{choice}-{k}": one
        for choice in _CHOICES
        for k, one in zip(sizes, OverlapMap.several(table, sizes, choice), strict=True)
    }
    first = next(iter(maps))
    return {first: maps[first]} if maps[f"worst-{_FEWER[-1]}"].chosen == "all" else maps


def maps_html(maps: dict[str, OverlapMap], links: ClusterLinks, nearly: float = NEARLY) -> Html:
    """Return the first map with its shading controls and scale, the flow, and the other maps as data."""
    overlaps = next(iter(maps.values()))
    rows, columns = overlaps.counts.shape
    most = max(rows, columns)
    names = Lines.of(overlaps, links.clash, LETTERS)
    true, pred = (0.06 * max(map(len, one), default=0) for one in names)
    size = (1.9 + true + 0.16 * max(columns, 16), 1.6 + pred + 0.16 * max(rows, 16))
    least = max(320, 34 * most if most <= WRITTEN else 200 + 14 * most)
    drawn = Chart("overlap-map", size, lambda ax: draw_overlaps(ax, overlaps, *links), least=least)
    tall = (7.6, max(5.0, 0.21 * most + 1.0))
    flow = Chart("flow", tall, lambda ax: draw_flow(ax, overlaps, links.clash, nearly), least=480)
    return fragment(
        h("div", _tab("map", "Map"), _tab("flow", "Flow"), class_="tabs", role="tablist", aria_label="Map or flow",
          hidden=True),
        _switches(maps),
        h("p", class_="note said", role="status"),
        h("p", class_="picks", hidden=True),
        h("div", _measures(list(maps.values())), figure_html(drawn), class_="panel", id="panel-map"),
        h("div", figure_html(flow), class_="panel", id="panel-flow"),
        h("script", json_html(_carry_maps(maps, nearly, clash=links.clash)), type="application/json", id="maps"),
    )  # fmt: skip


def _tab(name: str, word: str) -> Html:
    return h("button", word, type="button", role="tab", id=f"tab-{name}", aria_controls=f"panel-{name}")


def _switches(maps: dict[str, OverlapMap]) -> Html:
    """Return the controls for which and how many clusters map and flow show; empty if all are shown."""
    if len(maps) == 1:
        return Html()
    choices = {"worst": "the worst merges and splits in turn", "largest": "the largest"}
    sizes = {str(k): str(k) for k in (MAP_CLUSTERS, *_FEWER)}
    return fragment(offer("Clusters", "choose", choices, "which"), offer("At most", "most", sizes, "which"))


def _measures(maps: Sequence[OverlapMap]) -> Html:
    darkest = BEHIND_NUMBERS if max(maps[0].counts.shape) <= WRITTEN else 1.0
    margins = [dict.fromkeys([*one.true_margins, *one.pred_margins]) for one in maps]
    grey = h("span", h("i", class_="grey", aria_hidden="true"), f" {in_words(_GREY)}", class_="outside",
             hidden=not margins[0])  # fmt: skip
    scale = h(
        "p",
        h("span", "0"),
        h("i", class_="shades", aria_hidden="true", style=f"--dark:{darkest:.0%}"),
        h("span", "1", class_="end"),
        " ",
        h("span", h("span", "Jaccard", class_="what"), ": ", h("span", STRONG, class_="strong")),
        grey if any(margins) else None,
        class_="scale",
    )
    return fragment(offer("Shade by", "measure", MEASURES, "measures"), scale)


def _carry_maps(maps: dict[str, OverlapMap], nearly: float, *, clash: bool) -> dict[str, Any]:
    """Return the maps as data for the script; empty if there is a single map."""
    return {name: _carry(overlaps, nearly, clash=clash) for name, overlaps in maps.items()} if len(maps) > 1 else {}


def _carry(overlaps: OverlapMap, nearly: float, *, clash: bool) -> dict[str, Any]:
    counts, kinds = np.asarray(overlaps.counts), kinds_of(overlaps, nearly)
    short, names = Lines.of(overlaps, clash, LETTERS), Lines.of(overlaps, clash)
    sides = (
        ("true", overlaps.true_labels, overlaps.true_sizes, overlaps.true_margins),
        ("pred", overlaps.pred_labels, overlaps.pred_sizes, overlaps.pred_margins),
    )
    lines = {
        side: {
            "labels": label_texts(labels),
            "names": getattr(names, side),
            "short": getattr(short, side),
            "sizes": for_script(sizes),
            "margins": {name: for_script(values) for name, values in margins.items()},
        }
        for side, labels, sizes, margins in sides
    }
    shown = np.argwhere(counts)
    numbers = for_script(counts[row, column].item() for row, column in shown)
    cells = [
        [int(row), int(column), count, KINDS[kinds[row, column]]]
        for (row, column), count in zip(shown, numbers, strict=True)
    ]
    notes = {"map": f"{clusters_text(overlaps)}; shaded by Jaccard.", "flow": note_of(overlaps, nearly)}
    return {"cells": cells, "notes": notes} | lines
