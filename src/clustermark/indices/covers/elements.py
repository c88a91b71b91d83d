"""Indices of covers that look at each item: how much of its clusters on the two sides is the same."""

from __future__ import annotations

from clustermark.indices.covers.face import covers
from clustermark.indices.elements import check_alpha, element_centric
from clustermark.indices.pairs.arithmetic import exact_square
from clustermark.statistics.comemberships import SharedShares
from clustermark.statistics.walks import Walks


@covers(
    SharedShares,
    title="Extended B-cubed precision",
    abbreviation="EB3P",
    formula="precision / n_pred",
    reference="amigo2009",
    symmetric=False,
    rational=False,
    undefined_when="the prediction covers no item",
    panel=True,
)
def extended_b_cubed_precision(s: SharedShares) -> float:
    """Of the predicted clusters that an item shares with others, the share that is matched by true clusters.

    A mean over items e of a mean over the items f that share a predicted cluster with e, e itself included, of
    min(t, p) / p, where they share t true and p predicted clusters. Items that the prediction does not cover are left
    out of the mean. On partitions it is `b_cubed_precision`.

    >>> extended_b_cubed_precision([{0, 1, 2, 3}, {2, 3, 4, 5}, {6, 7}], [{0, 1, 2}, {3, 4, 5}, {5, 6, 7}])
    0.8541666666666666
    """
    return s.precision / s.n_pred


@covers(
    SharedShares,
    title="Extended B-cubed recall",
    abbreviation="EB3R",
    formula="recall / n_true",
    reference="amigo2009",
    symmetric=False,
    rational=False,
    undefined_when="the truth covers no item",
    panel=True,
)
def extended_b_cubed_recall(s: SharedShares) -> float:
    """Of the true clusters that an item shares with others, the share that is matched by predicted clusters.

    `extended_b_cubed_precision` with the sides exchanged; items that the truth does not cover are left out of the mean.
    On partitions it is `b_cubed_recall`.

    >>> extended_b_cubed_recall([{0, 1, 2, 3}, {2, 3, 4, 5}, {6, 7}], [{0, 1, 2}, {3, 4, 5}, {5, 6, 7}])
    0.7291666666666666
    """
    return s.recall / s.n_true


@covers(
    SharedShares,
    title="Extended B-cubed F-measure",
    abbreviation="EB3F",
    formula="(1 + beta**2) * precision * recall / (beta**2 * precision * n_true + recall * n_pred)",
    reference="amigo2009",
    symmetric=False,
    rational=False,
    undefined_when="no item is covered on both sides",
    panel=True,
)
def extended_b_cubed_f(s: SharedShares, *, beta: float = 1.0) -> float:
    """Harmonic mean of extended B-cubed precision and recall; recall counts `beta` times as much.

    On partitions it is `b_cubed_f`. With beta=1 it is symmetric.

    >>> extended_b_cubed_f([{0, 1, 2, 3}, {3, 4, 5, 6}], [{0, 1, 2}, {2, 3, 4}, {4, 5, 6}])
    0.8331886825203958
    """
    square = float(exact_square(beta))
    # neither quotient is below 1, so the mean cannot exceed 1 by rounding
    return (1 + square) / (square * (s.n_true / s.recall) + s.n_pred / s.precision)


@element_centric.also(
    Walks,
    formula="1 - sum over items of |walks - walks of the other side| / (2 * alpha * n)",
    metric=None,
    panel=True,
)
def _of_covers(w: Walks, *, alpha: float = 0.9) -> float:
    return w.compare(check_alpha(alpha))
