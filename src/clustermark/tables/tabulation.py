"""From two labelings to the cells of their table: points are read once, then policies rewrite the cells."""

from __future__ import annotations

import os
from collections.abc import Mapping
from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark._kernel import ABSENT, LONE
from clustermark.errors import InputError, Mention
from clustermark.labels import Labeling, check_same_index, read_counts, read_pair, read_weights
from clustermark.labels.names import Names, united
from clustermark.tables.policies import (
    PLAIN,
    Entries,
    Policies,
    fates_of,
    makes_singletons,
    renumbered,
    rewrite,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Tabulation(NamedTuple):
    """Everything a contingency knows: its cells, the names of its clusters, and what became of the points."""

    cells: _kernel.Cells
    true_names: Names
    pred_names: Names
    n_given: int
    n_dropped: int = 0
    n_noise: int = 0
    n_unmatched: int = 0
    unscored: NDArray[np.bool_] | None = None
    one_sided: bool = False
    policies: Policies = PLAIN


def entries_of(cells: _kernel.Cells, *, weighted: bool = False) -> Entries:
    """The cells as entries of another table; with weights of 1 where `weighted` asks for weights they lack."""
    weights, pairs = cells.weights, cells.pairs
    if weighted and weights is None:
        weights = cells.counts.astype(np.float64)
        pairs = weights * (weights - 1) / 2
        pairs[(cells.rows < 0) | (cells.columns < 0)] = 0.0
    return Entries(cells.rows, cells.columns, cells.counts, weights, pairs)


def tabulate(
    y_true: object,
    y_pred: object,
    counts: object,
    weights: object,
    policies: Policies,
    threads: int | None,
    *,
    may_be_empty: bool = False,
) -> Tabulation:
    """Read two labelings and cross-tabulate them under the policies.

    may_be_empty: whether all points may be dropped, as in one batch of a stream.
    """
    true, pred = read_pair(y_true, y_pred)
    for name, numbers in (("counts", counts), ("weights", weights)):
        if numbers is not None:
            check_same_index(y_true, numbers, "y_true", name)
    if isinstance(y_true, Mapping) and isinstance(y_pred, Mapping):
        counts, weights = _by_id(counts, "counts", y_true, y_pred), _by_id(weights, "weights", y_true, y_pred)
    if policies.unmatched == "error" and isinstance(y_true, Mapping) and isinstance(y_pred, Mapping):
        _refuse_unmatched(y_true, y_pred)
    return tabulate_codes(true, pred, counts, weights, policies, threads, may_be_empty=may_be_empty)


def tabulate_codes(
    true: Labeling,
    pred: Labeling,
    counts: object,
    weights: object,
    policies: Policies,
    threads: int | None,
    *,
    may_be_empty: bool = False,
) -> Tabulation:
    """Cross-tabulate two labelings that are already read."""
    given = len(true.codes)
    if policies.missing == "error":
        _refuse_missing("y_true", true)
        _refuse_missing("y_pred", pred)
    counted = None if counts is None else read_counts(counts, given)
    weighted = None if weights is None else read_weights(weights, given)
    if counted is not None:
        given = exact_sum(counted)
        if not given and not may_be_empty:
            raise InputError("counts: every count is zero, so there are no points to compare")
    if weighted is not None:
        _refuse_extreme(weighted, counted)
        if (weighted == 1.0).all():
            weighted = None
    cells = _kernel.crosstab(true.codes, pred.codes, counted, weighted, _how_many(threads))
    true_names = Names(true.values, cells.row_values)
    pred_names = Names(pred.values, cells.column_values)
    if policies is PLAIN and weighted is None:
        return Tabulation(cells, true_names, pred_names, given)
    entries = entries_of(cells)
    if weighted is not None and makes_singletons(policies):
        # the weight of a single point is lost in a cell, so points that become clusters are kept one by one
        entries = _point_entries(true, pred, true_names, pred_names, counted, weighted)
    return _under(policies, entries, true_names, pred_names, given, may_be_empty=may_be_empty)


def _by_id(numbers: object, name: str, y_true: Mapping[Any, Any], y_pred: Mapping[Any, Any]) -> object:
    """Counts or weights for labels aligned by id: one for each id, truth's ids first, as the labels are read."""
    if numbers is None:
        return None
    if not isinstance(numbers, Mapping):
        raise InputError(f"{name}: the labels are mappings from id to label, so pass {name} as a mapping from id too")
    ids = [*y_true, *(item for item in y_pred if item not in y_true)]
    lacking = [item for item in ids if item not in numbers]
    if lacking:
        raise InputError(f"{name}: there is no number for {len(lacking)} id(s), the first is {lacking[0]!r}")
    return [numbers[item] for item in ids]


def _refuse_missing(name: str, side: Labeling) -> None:
    if side.n_missing:
        raise InputError(
            f"{name} has {side.n_missing} missing label(s), the first at position {side.first_missing}; "
            "fill them in, or choose ",
            Mention("missing", "drop", "cluster", "singletons"),
            " in evaluate, or in crosstab, whose table an index scores by index.of(table)",
        )


def _refuse_extreme(weights: NDArray[np.float64], counts: NDArray[np.int64] | None) -> None:
    """A pair weighs the product of two weights, and scores multiply up to four such sums: none may overflow."""
    positive = weights[weights > 0]
    total = float((weights if counts is None else weights * counts).sum())
    if len(positive) and not (positive.min() >= 1e-35 and total <= 1e35):
        raise InputError(
            "weights: positive weights must be at least 1e-35 and add up to at most 1e35; rescale them all"
        )


def _refuse_unmatched(y_true: Mapping[Any, Any], y_pred: Mapping[Any, Any]) -> None:
    if y_true.keys() == y_pred.keys():
        return
    only_true = [item for item in y_true if item not in y_pred]
    only_pred = [item for item in y_pred if item not in y_true]
    example = f"{only_true[0]!r} is missing in y_pred" if only_true else f"{only_pred[0]!r} is missing in y_true"
    raise InputError(
        f"the ids differ: {len(only_true)} occur in y_true only and {len(only_pred)} in y_pred only "
        f"({example}); make them agree, or choose ",
        Mention("unmatched", "drop", "singletons", "keep"),
        " in evaluate, or in crosstab, whose table an index scores by index.of(table)",
    )


def _under(
    policies: Policies, entries: Entries, true_names: Names, pred_names: Names, given: int, *, may_be_empty: bool
) -> Tabulation:
    """Let the policies decide what becomes of each entry, and close the gaps that dropped clusters leave."""
    noise = true_names.among(policies.noise_true)[entries.rows] | pred_names.among(policies.noise_pred)[entries.columns]
    unmatched = true_names.are_absent()[entries.rows] | pred_names.are_absent()[entries.columns]
    n_unmatched = exact_sum(entries.counts[unmatched])
    kept = rewrite(
        entries,
        fates_of(true_names, policies.noise_true, policies),
        fates_of(pred_names, policies.noise_pred, policies),
    )
    used = exact_sum(kept.counts)
    if not used and not may_be_empty:
        raise InputError(f"all {given} points were dropped (policies or zero weights): there is nothing to compare")
    rows, old_rows = renumbered(kept.rows, len(true_names))
    columns, old_columns = renumbered(kept.columns, len(pred_names))
    true_names, pred_names = true_names.take(old_rows), pred_names.take(old_columns)
    return Tabulation(
        _kernel.Cells(rows, columns, kept.counts, kept.weights, kept.pairs, len(true_names), len(pred_names)),
        true_names,
        pred_names,
        n_given=given,
        n_dropped=given - used,
        n_noise=exact_sum(entries.counts[noise]),
        n_unmatched=n_unmatched,
        unscored=_unscored(pred_names, policies),
        one_sided=policies.unmatched == "keep" and n_unmatched > 0,
        policies=policies,
    )


def _point_entries(
    true: Labeling,
    pred: Labeling,
    true_names: Names,
    pred_names: Names,
    counts: NDArray[np.int64] | None,
    weights: NDArray[np.float64],
) -> Entries:
    exists = weights > 0 if counts is None else (weights > 0) & (counts > 0)
    rows, columns = true_names.numbers_of(true.codes[exists]), pred_names.numbers_of(pred.codes[exists])
    number = np.ones(len(rows), np.int64) if counts is None else counts[exists]
    weight = weights[exists]
    return Entries(rows, columns, number, weight * number, weight * weight * number * (number - 1) / 2)


def _unscored(names: Names, policies: Policies) -> NDArray[np.bool_] | None:
    found = names.among({label: policy for label, policy in policies.noise_pred.items() if policy == "unscored"})
    return found if found.any() else None


def _how_many(threads: int | None) -> int:
    """The number of threads to use at most; 0 leaves it to the kernel."""
    if threads is None:
        said = os.environ.get("CLUSTERMARK_THREADS")
        if not said:
            return 0
        if not said.isdecimal():
            raise InputError(f"the variable CLUSTERMARK_THREADS is {said!r}; it must be a number, 0 for automatic")
        return int(said)
    try:
        how_many = index(threads)
    except TypeError:
        how_many = 0
    if how_many < 1:
        raise InputError(Mention("threads", threads), " must be a positive integer, or None for automatic")
    return min(how_many, 1024)


def exact_sum(counts: NDArray[np.int64]) -> int:
    """The sum as a Python integer; NumPy's own sum wraps around."""
    return (int((counts >> 32).sum()) << 32) + int((counts & 0xFFFFFFFF).sum())


def merged(mine: Tabulation, theirs: Tabulation) -> Tabulation:
    """The table of the points of both; labels may be new in either."""
    if mine.policies != theirs.policies:
        raise InputError(
            "tables made under different policies (noise, missing, unmatched) cannot be added; use the same"
        )
    if mine.n_given + theirs.n_given >= 2**63:
        raise InputError("the counts of the two tables add up to 2**63 or more; divide them by a common factor")
    true_names, rows = united(mine.true_names, theirs.true_names)
    pred_names, columns = united(mine.pred_names, theirs.pred_names)
    weighted = mine.cells.weights is not None or theirs.cells.weights is not None
    one = entries_of(mine.cells, weighted=weighted)
    other = moved(entries_of(theirs.cells, weighted=weighted), rows, columns)
    together = Entries(*(None if a is None else np.concatenate([a, b]) for a, b in zip(one, other, strict=True)))  # type: ignore[arg-type]
    return Tabulation(
        _kernel.Cells(*together, len(true_names), len(pred_names)),
        true_names,
        pred_names,
        n_given=mine.n_given + theirs.n_given,
        n_dropped=mine.n_dropped + theirs.n_dropped,
        n_noise=mine.n_noise + theirs.n_noise,
        n_unmatched=mine.n_unmatched + theirs.n_unmatched,
        unscored=_united_unscored(mine, theirs, columns, len(pred_names)),
        one_sided=mine.one_sided or theirs.one_sided,
        policies=mine.policies,
    )


def moved(entries: Entries, rows: NDArray[np.int32], columns: NDArray[np.int32]) -> Entries:
    """The entries with their rows and columns renumbered; LONE and ABSENT stay."""
    return entries._replace(rows=_mapped(rows, entries.rows), columns=_mapped(columns, entries.columns))


def _mapped(places: NDArray[np.int32], numbers: NDArray[np.int32]) -> NDArray[np.int32]:
    # the two negative markers index the two places appended at the end
    return np.append(places, np.array([ABSENT, LONE], np.int32))[numbers]


def _united_unscored(
    mine: Tabulation, theirs: Tabulation, columns: NDArray[np.int32], n: int
) -> NDArray[np.bool_] | None:
    if mine.unscored is None and theirs.unscored is None:
        return None
    unscored = np.zeros(n, np.bool_)
    if mine.unscored is not None:
        unscored[: len(mine.unscored)] = mine.unscored
    if theirs.unscored is not None:
        unscored[columns[theirs.unscored]] = True
    return unscored
