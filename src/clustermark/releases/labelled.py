"""The labels of each record before and after, in the truth, and by slice; and the table of before × after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.errors import InputError, Mention
from clustermark.labels import Labeling, read_counts, read_weights
from clustermark.tables.contingency import IN_MEMORY, Origin
from clustermark.tables.noise import warn_of_unmet_noise
from clustermark.tables.policies import PLAIN, Policies
from clustermark.tables.tabulation import tabulate_codes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from clustermark.tables.cells import CellTable
    from clustermark.tables.noise import Whose


BEFORE_AFTER: Whose = {"true": ("before", "noise_pred"), "pred": ("after", "noise_pred")}
"""What messages call the sides of a table of before × after, and the option for the noise of both."""


class Labelled(NamedTuple):
    """The labels of each record, by which slices are made and the truth is asked; MISSING or ABSENT without one."""

    before: Labeling
    after: Labeling
    truth: Labeling | None
    by: Labeling | None
    counts: NDArray[np.int64] | None
    weights: NDArray[np.float64] | None

    def take(self, kept: NDArray[np.bool_]) -> Labelled:
        """Some of the records."""
        labelings = (None if one is None else Labeling(one.codes[kept], one.values) for one in self[:4])
        numbers: Any = (None if one is None else one[kept] for one in self[4:])
        before, after, truth, by = labelings
        assert before is not None and after is not None  # noqa: PT018
        return Labelled(before, after, truth, by, *numbers)


def make_labelled(sides: Mapping[str, Labeling], counts: Any, weights: Any) -> Labelled:
    """Labels of records, with their counts and weights checked."""
    n = len(sides["before"])
    narrow = {name: Labeling(side.codes.astype(np.int32, copy=False), side.values) for name, side in sides.items()}
    return Labelled(
        narrow["before"],
        narrow["after"],
        narrow.get("truth"),
        narrow.get("by"),
        None if counts is None else read_counts(counts, n),
        None if weights is None else read_weights(weights, n),
    )


def tabulate_labelled(
    labelled: Labelled, policies: Policies, threads: int | None, origin: Origin = IN_MEMORY
) -> CellTable:
    """The table of before × after."""
    for name, side in (("before", labelled.before), ("after", labelled.after)):
        if side.n_missing and policies.missing == "error":
            raise InputError(
                f"{name} has {side.n_missing:,} missing label(s), the first at position {side.first_missing}; fill "
                "them in, or choose ",
                Mention("missing", "drop", "cluster", "singletons"),
            )
    policies = PLAIN if policies == PLAIN else policies
    table = tabulate_codes(
        labelled.before, labelled.after, labelled.counts, labelled.weights, policies, threads, origin=origin
    )
    if labelled.truth is None:  # which may have the labels that are named
        warn_of_unmet_noise(table, BEFORE_AFTER)
    return table
