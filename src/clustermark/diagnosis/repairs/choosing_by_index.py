"""Greedy choice of edits by an index whose gains may grow, such as those of B-cubed and information.

An edit changes the sums of an index only by the clusters it touches. So after each edit, only those that touch the same
clusters are recomputed, and all are scored at once by the function of the index.
"""

from __future__ import annotations

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
_MOST_TERMS = 1 << 26
"""Most pairs of a true and a predicted size whose terms of expected information are computed; about a minute."""
_AT_ONCE = 1 << 20
"""Number of such terms that are in memory at a time."""
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
        self.expected = ExpectedTerms(table, index) if needs_expected(index) else None
        if self.expected is not None:
            self.sums["expected"] = self.expected.total
            self.changes["expected"] = np.zeros(len(self.number_at))
            terms = self.expected.of(numbered.n)
            self.expected_parts = add_up(terms, numbered.columns, numbered.n_columns)
            """Sum of the terms of the cells left of each predicted cluster, if each were a cluster."""
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
        if edit.kind == "gather":
            cells = self.state.row(edit.number)
            gathered, n = self.state.numbered.columns[cells], self.state.numbered.n[cells]
            self.spread[gathered] -= _spread(n)
            if self.expected is not None:
                self.expected_parts[gathered] -= self.expected.of(n)
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
        if self.expected is not None:
            changed["expected"] = self.expected_parts[columns] - self.expected.of(state.sizes[columns])
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
        if (terms := self.expected) is not None:
            rest = np.where(whole, terms.of(np.maximum(left, 0)) - terms.of(state.sizes[columns]), -terms.of(n))
            changed["expected"] = terms.of(state.row_sizes[rows]) + add(rest)
        live = (state.gathered_at[rows] == NEVER) & (np.diff(state.starts)[rows] > 0)
        places = self.gathers[rows]
        for name, change in changed.items():
            self.changes[name][places] = np.where(live, change, 0.0)
        self.removes[places] = live & (add((whole & shared).astype(np.float64)) > 0)


class ExpectedTerms:
    """The terms of expected mutual information, times the points, by the size of a predicted cluster.

    Expected mutual information is a sum over the pairs of a true and a predicted cluster. So an edit changes it by the
    terms of the sizes that it removes and adds, and the terms of a size are computed once.
    most: the largest number of pairs of sizes that are computed.
    """

    def __init__(self, table: CellTable, index: Index[...], most: int = _MOST_TERMS) -> None:
        true, pred = table.profile.true_sizes, table.profile.pred_sizes
        self._true = np.array([row.size for row in true], np.int64)
        self._times = np.array([row.clusters for row in true], np.float64)
        self._points, self._index, self._left = table.n_used, index, most
        self._known: dict[int, float] = {0: 0.0}
        clusters = np.array([row.clusters for row in pred], np.float64)
        self.total = float(self.of(np.array([row.size for row in pred])) @ clusters)
        """The sum over the predicted clusters."""

    def of(self, sizes: NDArray[Any]) -> NDArray[np.float64]:
        """Return the sum of the terms of each size with all true clusters."""
        distinct, place = np.unique(sizes.astype(np.int64), return_inverse=True)
        self._find([size for size in distinct.tolist() if size not in self._known])
        return np.array([self._known[size] for size in distinct.tolist()])[place]

    def _find(self, missing: list[int]) -> None:
        self._left -= len(missing) * len(self._true)
        if self._left < 0:
            raise UnsupportedTableError(
                f"repairs by {self._index.label}: there are too many different sizes of clusters, each of which needs "
                "expected values; choose ",
                Mention("by", "v_measure", "adjusted_rand"),
            )
        step = max(1, _AT_ONCE // len(self._true))
        for begin in range(0, len(missing), step):
            part = missing[begin : begin + step]
            terms = _kernel.expected_excesses(self._true, np.array(part, np.int64), self._points)
            self._known.update(zip(part, (self._times @ terms.reshape(-1, len(part))).tolist(), strict=True))


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
