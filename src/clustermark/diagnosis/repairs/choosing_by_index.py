"""Greedy choice of edits by an index whose gains may grow, such as those of B-cubed and information.

An edit changes the sums of an index only by the clusters it touches. So after each edit, only those that touch the same
clusters are recomputed, and all are scored at once by the function of the index.
"""

from __future__ import annotations

from collections import Counter
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark import _kernel
from clustermark.diagnosis.repairs.edits import NEVER, Edit, add_up
from clustermark.errors import Mention, UnsupportedTableError
from clustermark.registry.tracking import FIELDS, is_tracked, needs_expected, score_states
from clustermark.statistics.information import Entropies
from clustermark.statistics.pairs import PairCounts
from clustermark.statistics.sizes import Sizes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from clustermark.diagnosis.repairs.edits import EditState
    from clustermark.registry import Index
    from clustermark.tables.cells import CellTable

Changes = dict[str, "NDArray[np.float64]"]
"""The change of each sum by each edit."""

_CHANGED = (
    "together_both",
    "together",
    "precision",
    "recall",
    "spread_pred",
    "left_true",
    "left_pred",
    "clusters",
    "cells",
)
_UNKNOWN = frozenset({"exact_clusters", "best_pred", "best_true"})
_FIELDS = {statistic: fields - _UNKNOWN for statistic, fields in FIELDS.items()}
"""The fields of each statistic that can be computed from the sums tracked here."""
_MOST_EXPECTED = 5_000
"""Most edits that are examined by an index that needs an expected value for each."""
_TIE = 1e-12
"""Smaller differences between scores count as rounding."""


def can_choose(index: Index[...]) -> bool:
    """Return whether an index can be computed from the tracked sums."""
    return is_tracked(index, _FIELDS) and index.facts.higher_is_better is not None


def choose_by_index(state: EditState, table: CellTable, index: Index[...]) -> Iterator[Edit]:
    """Yield the best edit, again and again; apply each to the state before requesting the next."""
    effects = _EditEffects(state, table, index)
    while len(useful := effects.useful()):
        scores = effects.score(useful)
        best = int(useful[scores >= scores.max() - _TIE].min())
        edit = effects.edit_at(best)
        touched = effects.touched_by(edit)
        yield edit
        effects.renew(best, edit, *touched)


class _EditEffects:
    """The changes that each edit would make now."""

    def __init__(self, state: EditState, table: CellTable, index: Index[...]) -> None:
        self.state, self.index = state, index
        numbered = state.numbered
        self.by_column = np.argsort(numbered.columns, kind="stable")
        self.column_starts = np.searchsorted(numbered.columns[self.by_column], np.arange(numbered.n_columns + 1))
        self.spread = add_up(_spread(numbered.n), numbered.columns, numbered.n_columns)
        """Sum of n ln n over the cells left of each predicted cluster."""
        self.splits, self.gathers = state.splits, state.gathers
        self.number_at = np.empty(len(self.splits) + len(self.gathers), np.int64)
        self.number_at[self.splits] = np.arange(len(self.splits))
        self.number_at[self.gathers] = np.arange(len(self.gathers))
        self.changes: Changes = {name: np.zeros(len(self.number_at)) for name in _CHANGED}
        self.removes = np.zeros(len(self.number_at), np.bool_)
        self.sums = _sum_table(table)
        self.sizes: Counter[int] | None = None
        if needs_expected(index):
            self.true_sizes = [(row.size, row.clusters) for row in table.profile.true_sizes]
            self.sizes = Counter({row.size: row.clusters for row in table.profile.pred_sizes})
        self._renew_splits(np.arange(numbered.n_columns))
        self._renew_gathers(np.arange(numbered.n_rows))

    def edit_at(self, place: int) -> Edit:
        kind = "split" if place < len(self.splits) else "gather"
        return Edit(kind, int(self.number_at[place]))  # type: ignore[arg-type]

    def useful(self) -> NDArray[np.int64]:
        """Return the places of the edits that correct anything."""
        return np.flatnonzero(self.removes | (self.changes["together_both"] > 0))

    def score(self, places: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the score of the prediction after each of these edits, signed so that larger is better."""
        sums = {name: np.full(len(places), total) for name, total in self.sums.items()}
        for name, change in self.changes.items():
            sums[name] = sums[name] + change[places]
        sums["expected"] = np.full(len(places), np.nan)
        if self.sizes is not None:
            sums["expected"] = self._expect(places)
        scores = score_states(self.index, sums)
        if scores is None:
            raise AssertionError(f"{self.index.label} was said to need only these sums")
        scores = np.where(np.isnan(scores), -np.inf, scores)
        return scores if self.index.facts.higher_is_better else -scores

    def touched_by(self, edit: Edit) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the predicted clusters that an edit changes, and the true clusters with points in them."""
        numbered = self.state.numbered
        if edit.kind == "split":
            columns = np.array([edit.number])
        else:
            columns = numbered.columns[self.state.row(edit.number)]
            columns = columns[self.state.split_at[columns] == NEVER]
        cells = self.by_column[_ranges(self.column_starts, columns)]
        return columns, np.unique(numbered.rows[cells])

    def renew(self, place: int, edit: Edit, columns: NDArray[np.int64], rows: NDArray[np.int64]) -> None:
        """Recompute the edits that an applied edit affects."""
        for name, change in self.changes.items():
            self.sums[name] += change[place]
        if self.sizes is not None:
            self.sizes = self._sizes_after(edit, applied=True)
        if edit.kind == "gather":
            cells = self.state.row(edit.number)
            self.spread[self.state.numbered.columns[cells]] -= _spread(self.state.numbered.n[cells])
            rows = np.append(rows, edit.number)
        self._renew_splits(columns)
        self._renew_gathers(rows)

    def _renew_splits(self, columns: NDArray[np.int64]) -> None:
        state = self.state
        live = (state.split_at[columns] == NEVER) & (state.cells_left[columns] > 1)
        size, squares = (array[columns].astype(np.float64) for array in (state.sizes, state.squares))
        places = self.splits[columns]
        spread = self.spread[columns] - _spread(size)
        with np.errstate(divide="ignore", invalid="ignore"):
            precision = size - squares / size
        changed = {
            "together": -(size * size - squares) / 2,
            "precision": precision,
            "spread_pred": spread,
            "left_true": spread,
            "clusters": state.cells_left[columns] - 1.0,
        }
        for name, change in changed.items():
            self.changes[name][places] = np.where(live, change, 0.0)
        self.removes[places] = live

    def _renew_gathers(self, rows: NDArray[np.int64]) -> None:
        state, numbered = self.state, self.state.numbered
        cells = _ranges(state.starts, rows)
        of = np.repeat(np.arange(len(rows)), np.diff(state.starts)[rows])
        n, columns = numbered.n[cells].astype(np.float64), numbered.columns[cells]
        whole, shared = state.split_at[columns] == NEVER, state.cells_left[columns] > 1
        size, squares = (array[columns].astype(np.float64) for array in (state.sizes, state.squares))
        left = np.where(shared, size - n, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            precision = n + np.where(shared, (squares - n * n) / left, 0.0) - squares / size
        spread = np.where(whole, _spread(left) - _spread(size), -_spread(n))

        def add(values: NDArray[Any]) -> NDArray[np.float64]:
            return np.asarray(np.bincount(of, values, len(rows)), np.float64)

        own, own_squares = (array[rows].astype(np.float64) for array in (state.row_sizes, state.row_squares))
        gained, removed = (own * own - own_squares) / 2, add(np.where(whole & shared, n * left, 0.0))
        cell_spread = _spread(own) - add(_spread(n))
        pred_spread = _spread(own) + add(spread)
        changed = {
            "together_both": gained,
            "together": gained - removed,
            "precision": add(np.where(whole, precision, 0.0)),
            "recall": own - own_squares / own,
            "spread_pred": pred_spread,
            "left_true": pred_spread - cell_spread,
            "left_pred": -cell_spread,
            "clusters": 1.0 - add((~whole | ~shared).astype(np.float64)),
            "cells": 1.0 - add(np.ones(len(cells))),
        }
        live = (state.gathered_at[rows] == NEVER) & (np.diff(state.starts)[rows] > 0)
        places = self.gathers[rows]
        for name, change in changed.items():
            self.changes[name][places] = np.where(live, change, 0.0)
        self.removes[places] = live & (add((whole & shared).astype(np.float64)) > 0)

    def _expect(self, places: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the expected mutual information, times the points, after each of these edits."""
        if len(places) > _MOST_EXPECTED:
            raise UnsupportedTableError(
                f"repairs by {self.index.label}: there are {len(places):,} edits, and each needs a separate "
                f"expected value, which is supported for up to {_MOST_EXPECTED:,} edits; choose ",
                Mention("by", "v_measure", "adjusted_rand"),
            )
        expected = np.empty(len(places))
        for at, place in enumerate(places.tolist()):
            sizes = sorted(self._sizes_after(self.edit_at(place)).items())
            expected[at] = _kernel.expected_mutual_information(self.true_sizes, sizes)
        return expected * self.sums["points"]

    def _sizes_after(self, edit: Edit, *, applied: bool = False) -> Counter[int]:
        """Count the predicted clusters of each size after an edit; if applied, the state already has the new sizes."""
        state, numbered = self.state, self.state.numbered
        sizes: Counter[int] = Counter(self.sizes)
        if edit.kind == "split":
            cells = self.by_column[self.column_starts[edit.number] : self.column_starts[edit.number + 1]]
            parts = numbered.n[cells[state.gathered_at[numbered.rows[cells]] == NEVER]]
            sizes[int(parts.sum())] -= 1
            sizes.update(parts.tolist())
        else:
            row = state.row(edit.number)
            columns, n = numbered.columns[row], numbered.n[row]
            whole = state.split_at[columns] == NEVER
            before = np.where(whole, state.sizes[columns] + (n if applied else 0), n)
            sizes.subtract(before.tolist())
            sizes.update((before - n)[before > n].tolist())
            sizes[int(n.sum())] += 1
        return Counter({size: times for size, times in sizes.items() if times})


def _spread(n: NDArray[Any]) -> NDArray[np.float64]:
    """Return the terms of Σ n ln n."""
    n = n.astype(np.float64)
    return n * np.log(np.where(n > 0, n, 1.0))


def _ranges(starts: NDArray[np.int64], chosen: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the positions from the start to the end of each chosen range, one range after the other."""
    first, lengths = starts[chosen], (starts[chosen + 1] - starts[chosen])
    offsets = np.cumsum(lengths) - lengths
    return np.asarray(np.arange(int(lengths.sum())) + np.repeat(first - offsets, lengths))


def _sum_table(table: CellTable) -> dict[str, float]:
    """Return the sums of a table, before any edit."""
    sizes, entropies, pairs = Sizes.of(table), Entropies.of(table), PairCounts.of(table)
    n = float(sizes.n)
    return {
        "points": n,
        "predicted_points": n,
        "true_clusters": float(sizes.k_true),
        "clusters": float(sizes.k_pred),
        "cells": float(sizes.cells),
        "pairs": float(sum(pairs)),
        "together_both": float(pairs.yy),
        "together_true": float(pairs.yy + pairs.yn),
        "together": float(pairs.yy + pairs.ny),
        "precision": float(sizes.precision),
        "recall": float(sizes.recall),
        "spread_true": n * (log(n) - entropies.true),
        "spread_pred": n * (log(n) - entropies.pred),
        "left_true": n * entropies.true_given_pred,
        "left_pred": n * entropies.pred_given_true,
        **dict.fromkeys(("exact", "best_pred", "best_true"), float("nan")),
    }
