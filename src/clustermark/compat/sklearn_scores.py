"""The functions of scikit-learn that score clusters, by their names and arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark import _kernel
from clustermark.errors import InputError
from clustermark.indices.arithmetic import check_non_negative
from clustermark.registry import find
from clustermark.statistics.pairs import PairCounts
from clustermark.tables.contingency import Contingency
from clustermark.tables.tabulation import crosstab

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.labels.conversion import Labels


def _score(name: str, labels_true: Labels, labels_pred: Labels, empty: float = 1.0, **options: Any) -> float:
    if _are_empty(labels_true, labels_pred):
        return empty
    return find(name).of(crosstab(labels_true, labels_pred), **options)


def _are_empty(*labels: Any) -> bool:
    return all(hasattr(side, "__len__") and not isinstance(side, str) and len(side) == 0 for side in labels)


def _check_average(average_method: str) -> str:
    if average_method not in ("min", "geometric", "arithmetic", "max"):
        raise InputError(f"average_method={average_method!r} must be 'min', 'geometric', 'arithmetic' or 'max'")
    return average_method


def _check_beta(beta: float) -> float:
    return check_non_negative(beta, "beta")


def rand_score(labels_true: Labels, labels_pred: Labels) -> float:
    """Return the Rand index; see `clustermark.rand`.

    >>> rand_score([0, 0, 1, 1], [1, 1, 0, 2])
    0.8333333333333334
    """
    return _score("rand", labels_true, labels_pred)


def adjusted_rand_score(labels_true: Labels, labels_pred: Labels) -> float:
    """Return the adjusted Rand index; see `clustermark.adjusted_rand`.

    >>> adjusted_rand_score([0, 0, 1, 2], [0, 0, 1, 1])
    0.5714285714285714
    """
    return _score("adjusted_rand", labels_true, labels_pred)


def fowlkes_mallows_score(labels_true: Labels, labels_pred: Labels, *, sparse: object = None) -> float:
    """Return the Fowlkes–Mallows index; see `clustermark.fowlkes_mallows`. `sparse` has no effect.

    >>> fowlkes_mallows_score([0, 1, 2], [0, 1, 2])
    1.0
    """
    del sparse
    return _score("fowlkes_mallows", labels_true, labels_pred, empty=0.0)


def mutual_info_score(
    labels_true: Labels | None = None, labels_pred: Labels | None = None, *, contingency: Any = None
) -> float:
    """Return the mutual information in nats; see `clustermark.mutual_information`. `contingency` is a matrix of counts.

    >>> round(mutual_info_score([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.693147
    """
    if contingency is None:
        labels: Any = (labels_true, labels_pred)  # reading None raises the error
        return find("mutual_information").of(crosstab(*labels))
    return find("mutual_information").of(Contingency.from_matrix(contingency))


def normalized_mutual_info_score(
    labels_true: Labels, labels_pred: Labels, *, average_method: str = "arithmetic"
) -> float:
    """Return the normalised mutual information; see `clustermark.normalized_mutual_information`."""
    return _score("normalized_mutual_information", labels_true, labels_pred, average=_check_average(average_method))


def adjusted_mutual_info_score(
    labels_true: Labels, labels_pred: Labels, *, average_method: str = "arithmetic"
) -> float:
    """Return the mutual information corrected for chance; see `clustermark.adjusted_mutual_information`."""
    return _score("adjusted_mutual_information", labels_true, labels_pred, average=_check_average(average_method))


def homogeneity_score(labels_true: Labels, labels_pred: Labels) -> float:
    """Return the homogeneity; see `clustermark.homogeneity`."""
    return _score("homogeneity", labels_true, labels_pred)


def completeness_score(labels_true: Labels, labels_pred: Labels) -> float:
    """Return the completeness; see `clustermark.completeness`."""
    return _score("completeness", labels_true, labels_pred)


def v_measure_score(labels_true: Labels, labels_pred: Labels, *, beta: float = 1.0) -> float:
    """Return the V-measure; see `clustermark.v_measure`."""
    return _score("v_measure", labels_true, labels_pred, beta=_check_beta(beta))


def homogeneity_completeness_v_measure(
    labels_true: Labels, labels_pred: Labels, *, beta: float = 1.0
) -> tuple[float, float, float]:
    """Return homogeneity, completeness and V-measure, from one table."""
    _check_beta(beta)
    if _are_empty(labels_true, labels_pred):
        return 1.0, 1.0, 1.0
    table = crosstab(labels_true, labels_pred)
    return find("homogeneity").of(table), find("completeness").of(table), find("v_measure").of(table, beta=beta)


def contingency_matrix(
    labels_true: Labels, labels_pred: Labels, *, eps: float | None = None, sparse: bool = False, dtype: Any = np.int64
) -> Any:
    """Return the table with rows and columns in sorted order of labels: an array, or a SciPy matrix if `sparse`.

    >>> contingency_matrix([0, 0, 1, 1, 2, 2], [1, 0, 2, 1, 0, 2]).tolist()
    [[1, 1, 0], [0, 1, 1], [1, 0, 1]]
    """
    if eps is not None and sparse:
        raise InputError("eps: cannot be added to every cell of a sparse matrix; pass sparse=False")
    if _are_empty(labels_true, labels_pred) and not sparse:
        return np.zeros((0, 0), dtype)
    matrix, *_ = sort_table(crosstab(labels_true, labels_pred), dtype)
    if sparse:
        return matrix
    dense = matrix.toarray()
    return dense if eps is None else dense + eps


def sort_table(contingency: Contingency, dtype: Any = np.int64) -> tuple[Any, list[Any], list[Any]]:
    """Return the cells as a sparse matrix with rows and columns in sorted order of labels, and these labels."""
    table = contingency.to_memory()
    rows, columns = table.true_names.sorted_order(), table.pred_names.sorted_order()
    matrix = _sorted_matrix(table.kernel_cells, rows, columns, dtype)
    return matrix, table.true_names.take(rows).to_list(), table.pred_names.take(columns).to_list()


def _sorted_matrix(cells: _kernel.Cells, rows: NDArray[np.int64], columns: NDArray[np.int64], dtype: Any) -> Any:
    from scipy.sparse import coo_matrix

    row_places, column_places = np.empty_like(rows), np.empty_like(columns)
    row_places[rows], column_places[columns] = np.arange(len(rows)), np.arange(len(columns))
    places = row_places[cells.rows], column_places[cells.columns]
    return coo_matrix((cells.counts.astype(dtype), places), shape=(len(rows), len(columns))).tocsr()


def pair_confusion_matrix(labels_true: Labels, labels_pred: Labels) -> NDArray[Any]:
    """Count ordered pairs: [[apart in both, together in prediction only], [together in truth only, together in both]].

    Counts are exact: where an entry exceeds 64 bits, the array contains Python integers.

    >>> pair_confusion_matrix([0, 0, 1, 1], [1, 1, 0, 0]).tolist()
    [[8, 0], [0, 4]]
    """
    if _are_empty(labels_true, labels_pred):
        return np.zeros((2, 2), np.int64)
    yy, yn, ny, nn = (2 * count for count in PairCounts.of(crosstab(labels_true, labels_pred)))
    fits = max(yy, yn, ny, nn) < 2**63
    return np.array([[nn, ny], [yn, yy]], dtype=np.int64 if fits else object)


def entropy(labels: Labels) -> float:
    """Return the entropy of a labeling in nats; 1.0 for no labels, as in scikit-learn.

    >>> round(entropy([0, 0, 42]), 7)
    0.6365142
    """
    return 1.0 if _are_empty(labels) else find("entropy_true").of(crosstab(labels, labels))


def expected_mutual_information(contingency: Any, n_samples: int) -> float:
    """Return the mean mutual information, in nats, of random tables with the margins of this one."""
    table = Contingency.from_matrix(contingency)
    if table.n_used != n_samples:
        raise InputError(f"n_samples={n_samples} is not the sum of the table, {table.n_used}")
    profile = table.profile
    true, pred = ([(row.size, row.clusters) for row in rows] for rows in (profile.true_sizes, profile.pred_sizes))
    return _kernel.expected_mutual_information(true, pred)
