"""Computation of a table from two labelings in memory, with policies applied; or of the cell of each item."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import reduce
from itertools import islice
from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark._kernel import encode_integers
from clustermark.devices.device_arrays import may_be_on_device
from clustermark.errors import InputError, Mention
from clustermark.labels import Labeling, check_same_index, label_list, read_counts, read_pair, read_weights
from clustermark.labels.labeling import Names
from clustermark.options import PolicyOptions, read_options
from clustermark.tables.cells import CellTable, entries_of
from clustermark.tables.contingency import IN_MEMORY, Account, Contingency, Origin
from clustermark.tables.policies import (
    PLAIN,
    Entries,
    Policies,
    close_gaps,
    drops_unlabelled,
    fates_of,
    makes_singletons,
    read_policies,
    rewrite,
    tally_noise,
    warn_of_unmet_noise,
)
from clustermark.tables.sums import exact_sum

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from clustermark.labels.conversion import Labels
    from clustermark.labels.labeling import Labeling
    from clustermark.options import MissingPolicy, Noise, UnmatchedPolicy

_ONE_THREAD = 2048
"""Fewer points are processed by one thread, as reading the environment would take longer than the work."""


def crosstab(
    y_true: Labels,
    y_pred: Labels,
    *,
    counts: Any = None,
    weights: Any = None,
    noise_true: Noise | None = None,
    noise_pred: Noise | None = None,
    missing: MissingPolicy = "error",
    unmatched: UnmatchedPolicy = "error",
    threads: int | None = None,
    noise: Noise | None = None,
) -> Contingency:
    """Cross-tabulate two labelings in memory or on a device; the public `crosstab` documents the options."""
    if noise_true is None and noise_pred is None and missing == "error" and unmatched == "error" and noise is None:
        policies = PLAIN
    else:
        policies = read_policies(noise_true, noise_pred, missing, unmatched, noise)
    table = tabulate(y_true, y_pred, counts, weights, policies, threads)
    if policies.noise_true or policies.noise_pred:
        warn_of_unmet_noise(table)
    return table


def tabulate_batches(batches: Iterable[Any], threads: int | None, **policies: Any) -> CellTable:
    """Return the table of a stream of batches; tables of equal rank are added."""
    chosen = read_policies(**read_options(policies, PolicyOptions))
    ranks: list[CellTable | None] = []
    for number, batch in enumerate(batches):
        if not isinstance(batch, tuple | list) or len(batch) not in (2, 3):
            raise InputError(f"batches: batch {number} must be a pair (y_true, y_pred), or a triple with counts")
        y_true, y_pred, counts = batch if len(batch) == 3 else (*batch, None)
        if all(hasattr(labels, "__len__") and not len(labels) for labels in (y_true, y_pred)):
            continue
        carried = tabulate(y_true, y_pred, counts, None, chosen, threads, may_be_empty=True).to_memory()
        rank = 0
        while rank < len(ranks) and (other := ranks[rank]) is not None:
            carried, ranks[rank] = other.merge(carried), None
            rank += 1
        ranks[rank:] = [carried, *ranks[rank + 1 :]]
    tables = [table for table in reversed(ranks) if table is not None]
    if not any(table.n_used for table in tables):
        raise InputError("batches: they hold no points; there is nothing to compare")
    merged = reduce(CellTable.merge, tables)
    warn_of_unmet_noise(merged)
    return merged


def tabulate(
    y_true: object,
    y_pred: object,
    counts: object,
    weights: object,
    policies: Policies,
    threads: int | None,
    *,
    may_be_empty: bool = False,
) -> Contingency:
    """Read two labelings and cross-tabulate them under the policies.

    may_be_empty: whether all points may be dropped, as in one batch of a stream.
    """
    plain = policies is PLAIN and counts is None and weights is None
    if plain and type(y_true) is np.ndarray and type(y_pred) is np.ndarray:  # first, because it must be quick
        cells = _kernel.crosstab_codes(y_true, y_pred, how_many_threads(threads, y_true.size))
        if cells is not None:
            return CellTable(cells, None, None, Account(y_true.size))
    if may_be_on_device(y_true) or may_be_on_device(y_pred):
        from clustermark.tables.device_table import tabulate as tabulate_on_device

        on_device = tabulate_on_device(y_true, y_pred, counts, weights, policies, may_be_empty=may_be_empty)
        if on_device is not None:
            return on_device
    true, pred = read_pair(y_true, y_pred)
    if counts is not None:
        check_same_index(y_true, counts, "y_true", "counts")
    if weights is not None:
        check_same_index(y_true, weights, "y_true", "weights")
    if type(y_true) is not np.ndarray and isinstance(y_true, Mapping) and isinstance(y_pred, Mapping):
        counts, weights = _by_id(counts, "counts", y_true, y_pred), _by_id(weights, "weights", y_true, y_pred)
        if policies.unmatched != "keep" and not may_be_empty:  # coreference may share no mention
            _check_matches(y_true, y_pred, len(true))
        if policies.unmatched == "error":
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
    origin: Origin = IN_MEMORY,
) -> CellTable:
    """Cross-tabulate two labelings that are already read."""
    rows, columns = true.codes, pred.codes
    given = len(rows)
    if (true.n_missing or pred.n_missing) and policies.missing == "error":
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
    cells = _kernel.crosstab(rows, columns, counted, weighted, how_many_threads(threads, len(rows)))
    true_names = Names(true.values, lambda: cells.row_values)
    pred_names = Names(pred.values, lambda: cells.column_values)
    if policies == PLAIN and weighted is None:
        return CellTable(cells, true_names, pred_names, Account(given), None, origin)
    entries = entries_of(cells)
    if weighted is not None and makes_singletons(policies):
        # the weight of a single point is lost in a cell, so points that become clusters are kept one by one
        entries = _point_entries(true, pred, true_names, pred_names, counted, weighted)
    return _apply(policies, entries, true_names, pred_names, given, origin, may_be_empty=may_be_empty)


def tabulate_weighted(
    true: Labeling,
    pred: Labeling,
    counts: NDArray[np.int64],
    weights: tuple[NDArray[np.float64], NDArray[np.float64]],
    policies: Policies,
    given: int,
    *,
    may_be_empty: bool = False,
) -> CellTable:
    """Return the table of cells with their number of points, their weight, and the weight of their pairs."""
    cells = _kernel.crosstab(true.codes, pred.codes, counts, None, 0)
    true_names = Names(true.values, lambda: cells.row_values)
    pred_names = Names(pred.values, lambda: cells.column_values)
    rows, columns = true_names.numbers_of(true.codes), pred_names.numbers_of(pred.codes)
    entries = Entries(rows, columns, counts, *weights)
    return _apply(policies, entries, true_names, pred_names, given, IN_MEMORY, may_be_empty=may_be_empty)


def _by_id(numbers: object, name: str, y_true: Mapping[Any, Any], y_pred: Mapping[Any, Any]) -> object:
    """Return counts or weights for labels aligned by id: one for each id, truth's ids first, as the labels are read."""
    if numbers is None:
        return None
    if not isinstance(numbers, Mapping):
        raise InputError(f"{name}: the labels are mappings from id to label, so pass {name} as a mapping from id too")
    ids = [*y_true, *(item for item in y_pred if item not in y_true)]
    lacking = [item for item in ids if item not in numbers]
    if lacking:
        raise InputError(f"{name}: there is no number for {len(lacking)} id(s), the first is {lacking[0]!r}")
    if len(numbers) > len(ids):
        extra = next(item for item in numbers if item not in y_true and item not in y_pred)
        raise InputError(
            f"{name}: {len(numbers) - len(ids)} id(s) occur in neither labeling, such as {extra!r}; remove them"
        )
    return [numbers[item] for item in ids]


def _check_matches(y_true: Mapping[Any, Any], y_pred: Mapping[Any, Any], n: int) -> None:
    """Raise an error for mappings that share no id, and warn if they share few; `n` is the number of ids."""
    from clustermark.labels.alignment import SHOWN, SomeIds, check_matches

    check_matches(
        *(len(y_true) + len(y_pred) - n, len(y_true), len(y_pred)),
        lambda: (SomeIds("y_true", list(islice(y_true, SHOWN))), SomeIds("y_pred", list(islice(y_pred, SHOWN)))),
    )


def _refuse_missing(name: str, side: Labeling) -> None:
    if side.n_missing:
        raise InputError(
            f"{name} has {side.n_missing} missing label(s), the first at position {side.first_missing}; "
            "fill them in, or choose ",
            Mention("missing", "drop", "cluster", "singletons"),
        )


def _refuse_extreme(weights: NDArray[np.float64], counts: NDArray[np.int64] | None) -> None:
    """Raise an error if scores could overflow: pairs weigh products of weights, and scores multiply up to four sums."""
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
    )


def _apply(
    policies: Policies,
    entries: Entries,
    true_names: Names,
    pred_names: Names,
    given: int,
    origin: Origin,
    *,
    may_be_empty: bool,
) -> CellTable:
    """Apply the policies to the entries, and close the gaps that dropped clusters leave."""
    noise = true_names.among(policies.noise_true)[entries.rows] | pred_names.among(policies.noise_pred)[entries.columns]
    only_pred, only_true = (
        exact_sum(entries.counts[names.are_absent()[numbers]])
        for names, numbers in ((true_names, entries.rows), (pred_names, entries.columns))
    )
    n_unmatched = only_true + only_pred
    rewritten, stay = rewrite(
        entries,
        fates_of(true_names, policies.noise_true, policies),
        fates_of(pred_names, policies.noise_pred, policies),
    )
    kept = rewritten.select(stay)
    used = exact_sum(kept.counts)
    noise_true = tally_noise(true_names, policies.noise_true, entries.rows, entries.counts, stay)
    noise_pred = tally_noise(pred_names, policies.noise_pred, entries.columns, entries.counts, stay)
    without_true, without_pred = (
        exact_sum(entries.counts[drops_unlabelled(names, policies)[numbers]])
        for names, numbers in ((true_names, entries.rows), (pred_names, entries.columns))
    )
    if not used and not may_be_empty:
        raise InputError(f"all {given} points were dropped (policies or zero weights): there is nothing to compare")
    rows, old_rows = close_gaps(kept.rows, len(true_names))
    columns, old_columns = close_gaps(kept.columns, len(pred_names))
    true_names, pred_names = true_names.take(old_rows), pred_names.take(old_columns)
    account = Account(
        n_given=given,
        n_dropped=given - used,
        n_noise=exact_sum(entries.counts[noise]),
        n_unmatched=n_unmatched,
        one_sided=policies.unmatched == "keep" and n_unmatched > 0,
        policies=policies,
        noise_true=noise_true,
        noise_pred=noise_pred,
        n_without_true=without_true,
        n_without_pred=without_pred,
        only_true=only_true,
        only_pred=only_pred,
    )
    cells = _kernel.Cells(rows, columns, kept.counts, kept.weights, kept.pairs, len(true_names), len(pred_names))
    return CellTable(cells, true_names, pred_names, account, _flag_unscored(pred_names, policies), origin)


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


def _flag_unscored(names: Names, policies: Policies) -> NDArray[np.bool_] | None:
    found = names.among({label: policy for label, policy in policies.noise_pred.items() if policy == "unscored"})
    return found if found.any() else None


def how_many_threads(threads: int | None, points: int) -> int:
    """Return the maximum number of threads to use; 0 leaves it to the kernel."""
    if threads is None:
        if points < _ONE_THREAD:
            return 0
        text = os.environ.get("CLUSTERMARK_THREADS")
        if not text:
            return 0
        if not text.isdecimal():
            raise InputError(
                f"CLUSTERMARK_THREADS is {text!r} in the environment; it must be a number, 0 for automatic"
            )
        return int(text)
    try:
        how_many = index(threads)
    except TypeError:
        how_many = 0
    if how_many < 1:
        raise InputError(Mention("threads", threads), " must be a positive integer, or None for automatic")
    return min(how_many, 1024)


class Numbered(NamedTuple):
    """The clusters of a labeling, numbered in order of first appearance."""

    codes: NDArray[np.int64]
    """The number of each item's cluster, -1 for an item without one."""
    labels: list[Any]
    """The label of each cluster; None for a cluster of a single noise item."""


def number_clusters(labeling: Labeling, noise: Mapping[Any, str]) -> Numbered:
    """Number the clusters; missing labels and noise to "drop" have none, and each item of "singletons" has its own."""
    codes, first = encode_integers(np.ascontiguousarray(labeling.codes))
    labels = label_list(labeling.values, np.asarray(labeling.codes)[first])
    fates = ["drop" if label is None else noise.get(label, "cluster") for label in labels]
    kept = np.array([fate == "cluster" for fate in fates], np.bool_)
    numbers = np.where(kept, np.cumsum(kept) - 1, -1)[codes].astype(np.int64)
    alone = np.flatnonzero(np.array([fate == "singletons" for fate in fates], np.bool_)[codes])
    numbers[alone] = int(kept.sum()) + np.arange(len(alone))
    named = [label for label, stays in zip(labels, kept, strict=True) if stays]
    return Numbered(numbers, [*named, *[None] * len(alone)])


class Crossing(NamedTuple):
    """The cells of two labelings, over the items that have a cluster in both."""

    items: NDArray[np.int64]
    """Positions of these items."""
    cells: NDArray[np.int32]
    """The cell of each of them."""
    rows: NDArray[np.int64]
    """The cluster of each cell in the first labeling."""
    columns: NDArray[np.int64]
    """The same in the second."""
    n: NDArray[np.int64]
    """Number of items of each cell."""
    a: NDArray[np.int64]
    """The size of the cluster of each cell in the first labeling, among these items."""
    b: NDArray[np.int64]
    """The same in the second."""

    @classmethod
    def of(cls, one: NDArray[np.int64], two: NDArray[np.int64]) -> Crossing:
        """Cross two labelings, given the number of each item's cluster, negative for items without one.

        >>> crossing = Crossing.of(np.array([0, 0, 1, -1]), np.array([0, 1, 1, 0]))
        >>> crossing.n.tolist(), crossing.a.tolist(), crossing.b.tolist()
        ([1, 1, 1], [2, 2, 1], [1, 2, 2])
        """
        items = np.flatnonzero((one >= 0) & (two >= 0))
        mine, theirs = one[items], two[items]
        cells, first = encode_integers(mine * (int(theirs.max(initial=0)) + 1) + theirs)
        rows, columns = mine[first], theirs[first]
        counts = np.bincount(cells, minlength=len(first))
        return cls(items, cells, rows, columns, counts, np.bincount(mine)[rows], np.bincount(theirs)[columns])
