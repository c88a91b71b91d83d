"""Leave-one-out by brute force: the table without one point or component, made again from its points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from clustermark._kernel import LONE
from clustermark.tables.tabulation import crosstab

if TYPE_CHECKING:
    import clustermark as cm


class World(NamedTuple):
    """Points with their labels, and the policies for noise."""

    true: tuple[int, ...]
    pred: tuple[int, ...]
    policies: dict[str, Any]

    @property
    def table(self):
        return crosstab(self.true, self.pred, **self.policies)

    def without(self, points: set[int]):
        """Return the table without these points."""
        kept = [place for place in range(len(self.true)) if place not in points]
        return crosstab([self.true[i] for i in kept], [self.pred[i] for i in kept], **self.policies)

    def places(self) -> list[tuple[int, int]]:
        """Return the row and column of each point in the table."""
        table = self.table
        lines = []
        for side, labels in (("true", self.true), ("pred", self.pred)):
            lone = self.policies.get(f"noise_{side}", {})
            numbers = {label: number for number, label in enumerate(getattr(table, f"{side}_labels"))}
            lines.append([LONE if label in lone else numbers[label] for label in labels])
        return list(zip(*lines, strict=True))

    def members(self) -> list[int]:
        """Return one point for each entry of the table."""
        places = self.places()
        rows, columns, _ = self.table.cells
        return [places.index(place) for place in zip(rows.tolist(), columns.tolist(), strict=True)]


_LONE = {0: "singletons"}
_POLICIES = ({}, {"noise_pred": _LONE}, {"noise_true": _LONE}, {"noise_true": _LONE, "noise_pred": _LONE})


@st.composite
def worlds(draw, most: int = 12, clusters: int = 4) -> World:
    n = draw(st.integers(3, most))
    label = st.integers(0, draw(st.integers(0, clusters)))
    true = draw(st.lists(label, min_size=n, max_size=n))
    # most points keep their label, so that there are matches and ties among them
    pred = [draw(st.one_of(st.just(t), label)) for t in true]
    return World(tuple(true), tuple(pred), draw(st.sampled_from(_POLICIES)))


def score(index: cm.Index, table) -> float:
    try:
        return index.strict.of(table)
    except ZeroDivisionError:
        return np.nan


def same(found: float, wanted: float) -> bool:
    if np.isnan(wanted):
        return not np.isfinite(found)
    return found == wanted or abs(found - wanted) <= 1e-9 * max(1.0, abs(wanted))
