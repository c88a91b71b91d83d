"""Pairs across sources only: for a truth that says nothing of two records of one source."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from clustermark._kernel import encode_integers
from clustermark.errors import InputError, Mention
from clustermark.evaluation.sweeps.records import ids_of
from clustermark.labels import read_labels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.evaluation.sweeps.partitions import Origin, Swept
    from clustermark.evaluation.sweeps.records import Records


def sources_of(records: Records) -> NDArray[np.int32]:
    """The number of the source of each record, which is the first part of its id."""
    ids = ids_of(records)
    if not all(isinstance(one, tuple) and len(one) == 2 for one in ids):
        raise InputError(
            Mention("link_only", True), " needs ids of two parts, (source, id), to know which pairs lie across sources"
        )
    named = read_labels([source for source, _ in ids], "the sources")
    return np.asarray(encode_integers(named.codes)[0], np.int32)


def count_across(swept: Swept, origin: Origin) -> Swept:
    """The same partitions, where only pairs across sources are counted.

    Pairs of one source are those of two more sweeps: together in both with labels that hold the source too, and
    together in the prediction with the source as the label. Their partitions are the same, whatever the labels are.
    """
    assert origin.sources is not None
    states, merges, totals = swept
    labels, sources = origin.labels, origin.sources
    counted = labels >= 0
    both, alone = labels.copy(), labels.copy()
    wide = labels[counted].astype(np.int64) * (int(sources.max()) + 1) + sources[counted]
    both[counted] = encode_integers(wide)[0]
    alone[counted] = encode_integers(sources[counted])[0]
    inner, inner_merges, inner_totals = replace(origin, labels=both).close(0.0)
    same, same_merges, same_totals = replace(origin, labels=alone).close(0.0)
    n = totals["points"]
    true_pairs = merges["true_pairs"] - inner_merges["true_pairs"]
    joined = merges["true_pairs"] + merges["false_pairs"] - same_merges["true_pairs"]
    return (
        states
        | {
            "together_both": states["together_both"] - inner["together_both"],
            "together": states["together"] - same["together_both"],
        },
        merges | {"true_pairs": true_pairs, "false_pairs": joined - true_pairs},
        totals
        | {
            "together_true": totals["together_true"] - inner_totals["together_true"],
            "pairs": n * (n - 1) // 2 - same_totals["together_true"],
        },
    )
