"""Which indices a repair can lower: the examples of docs/repairs.md, and a search for others."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustermark as cm

NEVER = (
    "pair_precision", "pair_recall", "jaccard", "dice", "adjusted_rand", "rand", "b_cubed_precision",
    "b_cubed_recall", "b_cubed_f", "mutual_information", "v_measure", "homogeneity", "completeness", "purity",
    "inverse_purity",
)  # fmt: skip


def edits(truth, pred):
    """All predictions after one edit: a cluster split into its parts, or a true cluster gathered."""
    fresh = max(pred) + 1
    for cluster in set(pred):
        yield [fresh + t if p == cluster else p for t, p in zip(truth, pred, strict=True)]
    for label in set(truth):
        yield [fresh if t == label else p for t, p in zip(truth, pred, strict=True)]


labels = st.lists(st.integers(0, 3), min_size=7, max_size=7)


@settings(max_examples=150, deadline=None)
@given(labels, labels)
def test_precision_and_recall_and_information_never_fall(truth, pred):
    before = dict(cm.evaluate(truth, pred, list(NEVER)))
    for after in edits(truth, pred):
        for name, score in cm.evaluate(truth, after, list(NEVER)).items():
            assert score >= before[name] - 1e-12, (name, after)


@pytest.mark.parametrize(
    ("name", "truth", "pred"),
    [("baulieu1", [0, 0, 1, 2], [0, 0, 0, 0]), ("cramers_v", [0, 0, 0, 1, 2, 3], [0, 0, 1, 0, 1, 2])],
)
def test_indices_of_sizes_can_fall(name, truth, pred):
    index = cm.find(name)
    assert min(index(truth, after) for after in edits(truth, pred)) < index(truth, pred) - 1e-3


@pytest.mark.parametrize(
    "by",
    ["purity", "inverse_purity", "purity_f", "cluster_recall", "cluster_precision", "cluster_f", "van_dongen",
     "normalized_van_dongen", "edit_distance", "split_join_true", "split_join_pred"],
)  # fmt: skip
def test_indices_that_repairs_cannot_follow_are_refused(by):
    """The largest cells and whole clusters are not among the sums that are updated."""
    with pytest.raises(cm.InputError, match=f"by='{by}': repairs cannot be ordered by it"):
        cm.evaluate([0, 0, 1, 1], [0, 1, 0, 1]).repairs(1, by=by)
