"""sweep_pairs(): close scored pairs at every threshold in one pass, or count only pairs across sources."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark._kernel import encode_integers
from clustermark.errors import InputError, Mention
from clustermark.evaluation.notices import tell_like_noise, warn_of_noise
from clustermark.evaluation.pair_partitions import MOST_STEPS, Partitions, States, SweptPairs, ids_of, label_records
from clustermark.evaluation.pair_sweep import MOST_TABLES, PairSweep
from clustermark.evaluation.scored_pairs import PairOptions, read_records
from clustermark.labels import read_labels
from clustermark.options import PolicyOptions, read_options, without_options
from clustermark.registry import read_indices
from clustermark.registry.tracking import is_tracked, needs_expected, tracked_indices
from clustermark.sources.pair_lists import MAX_PAIRS
from clustermark.tables.policies import LIKE_NOISE, WHOSE, count_labels, read_policies, warn_of_unmet_labels

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from clustermark.evaluation.pair_partitions import PairRecords, Swept
    from clustermark.labels import Labeling
    from clustermark.labels.conversion import Labels
    from clustermark.options import MissingPolicy, Noise, UnmatchedPolicy
    from clustermark.registry import Index
    from clustermark.sources.recognition import Source
    from clustermark.tables.policies import Whose


@without_options(noise_pred="the clusters are made of pairs and have no labels; choose noise_true=")
def sweep_pairs(
    y_true: Labels | Source,
    pairs: Any,
    indices: Sequence[str | Index[...]] | None = None,
    *,
    score: str | None = None,
    left: str | None = None,
    right: str | None = None,
    on: str | Sequence[str] | None = None,
    true: str | None = None,
    distance: bool = False,
    link_only: bool = False,
    counts: Any = None,
    weights: Any = None,
    noise: Noise | None = None,
    noise_true: Noise | None = None,
    missing: MissingPolicy = "error",
    unmatched: UnmatchedPolicy = "error",
    reading: Mapping[str, Any] | None = None,
    engine: Any = None,
    max_pairs: int = MAX_PAIRS,
    progress: Callable[[float], None] | None = None,
) -> PairSweep:
    """Close scored pairs of records at every threshold, in one pass, and score each partition against the truth.

    At a threshold, records connected by pairs of at least that score form a cluster; a record in no such pair is a
    singleton. Counts of pairs, clusters and purity are exact at every partition, the other scores within 1e-12; `at`
    returns the exact evaluation of a threshold.

    y_true: a mapping or a pandas Series from id to label, a source of two columns (a file, a data frame,
        (connection, "table")), or labels alone, whose ids are their positions.
    pairs: a source with the columns of two ids and of the score, named by left, right and score, or as Splink names
        them (with source_dataset_l and source_dataset_r, ids have two parts), or the only three columns; a pandas
        Series or DataFrame with an index of pairs, as returned by recordlinkage; or a tuple of three arrays.
    indices: the indices of the curves; by default those of the panel that are known at every partition. `best` accepts
        any index.
    on, true: the columns of the truth with the ids (two for ids of two parts) and with the labels.
    distance: whether the scores are distances, so that low ones mean the same record.
    link_only: whether only pairs across sources count, because the truth does not cover two records of one source; ids
        then have two parts, (source, id), and only indices of pairs are allowed. `at` still evaluates the whole table.
    counts, weights: as in `crosstab`, of the records of the truth: a mapping from id, a column, or one per record. With
        counts, `losses`, `raw` and `calibration` are not available; with weights, every index is scored at 200
        thresholds at most, because sums of real numbers would not stay exact.
    noise, noise_true, missing: as in `crosstab`. unmatched: the policy for records of the pairs that the truth lacks:
        "drop" (they do not count, but still connect records), "singletons" (each is a true cluster of its own)
        or "keep" (they add to the size of their predicted cluster only).
    reading, engine: how and by which engine files are read. max_pairs: the largest number of pairs accepted.
    progress: a function that is called repeatedly with the share that is done.

    The best score of a repeated pair counts; a pair of a record with itself only declares the record; a pair without
    a score is an error.
    """
    given = {"noise": noise, "noise_true": noise_true, "missing": missing, "unmatched": unmatched}
    policies = read_policies(**read_options(given, PolicyOptions))
    sources = {name: value for name, value in (("reading", reading), ("engine", engine)) if value is not None}
    if not isinstance(max_pairs, int | np.integer):
        raise InputError(Mention("max_pairs", max_pairs), " must be a whole number")
    asked = PairOptions(score, left, right, on, true, max_pairs, counts, weights)
    records = read_records(y_true, pairs, asked, sources)
    if distance:
        records = records._replace(scores=-records.scores)
    labels = label_records(records, policies)
    if policies.noise_true:
        whose: Whose = {"true": ("the truth", "noise" if noise else "noise_true")}
        warn_of_unmet_labels({"true": partial(count_labels, [records.truth])}, policies, whose)
    origin = SweptPairs(records, labels, policies, -1 if distance else 1, sources_of(records) if link_only else None)
    chosen = _choose_indices(indices, origin)
    expects = any(map(needs_expected, chosen))
    swept = origin.close(MOST_STEPS if expects else 0.0, progress)
    states, merges, totals = swept if origin.sources is None else count_across(swept, origin)
    partitions = Partitions(States.of(states, totals), merges, origin, expects=expects)
    if _may_hold_noise(records.truth):
        warn_of_noise(tell_like_noise(partitions.table(0), {"true": WHOSE["true"]}))
    return PairSweep(partitions, chosen)


def _may_hold_noise(truth: Labeling) -> bool:
    """Return whether a label looks like noise; only then is a table needed to count its points."""
    if truth.values is None:
        return bool((truth.codes == -1).any())
    return not set(LIKE_NOISE).isdisjoint(np.asarray(truth.values, object).tolist())


def _choose_indices(indices: Sequence[str | Index[...]] | None, origin: SweptPairs) -> list[Index[...]]:
    """Return the indices of the curves; by default those of the panel that have a meaning on these data."""
    if indices is None:
        return [index for index in tracked_indices() if index.facts.panel and not origin.refusal(index)]
    chosen = read_indices(indices)
    for index in chosen:
        if not is_tracked(index):
            raise InputError(
                f"indices: {index.label} needs the whole table, so it has no curve over all thresholds; "
                f"best({index.name!r}) looks for the best of {MOST_TABLES}"
            )
        if reason := origin.refusal(index):
            raise InputError(f"indices: {reason}")
    return chosen


def sources_of(records: PairRecords) -> NDArray[np.int32]:
    """Return the code of the source of each record, which is the first part of its id."""
    ids = ids_of(records)
    if not all(isinstance(one, tuple) and len(one) == 2 for one in ids):
        raise InputError(
            Mention("link_only", True), " needs ids of two parts, (source, id), to know which pairs lie across sources"
        )
    named = read_labels([source for source, _ in ids], "the sources")
    return np.asarray(encode_integers(named.codes)[0], np.int32)


def count_across(swept: Swept, origin: SweptPairs) -> Swept:
    """Count only pairs across sources in the same partitions.

    Pairs within a source are counted by two more sweeps, whose labels are the true label with the source (together in
    both), and the source only (together in the prediction). The partitions do not depend on the labels.
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
