"""sweep(labelings=labelings, X=...): which number of clusters is best by the points."""

from __future__ import annotations

import numpy as np
import pytest

import clustermark as cm

X = np.array([(0, 0), (0, 1), (1, 0), (5, 5), (5, 6), (6, 5), (10, 0), (10, 1)], float)
LABELINGS = {3: [0, 0, 0, 1, 1, 1, 2, 2], 2: [0, 0, 0, 1, 1, 1, 1, 1], 4: [0, 0, 3, 1, 1, 1, 2, 2]}


def test_the_best_number_of_clusters():
    found = cm.sweep(labelings=LABELINGS, X=X)
    assert found.thresholds == [2, 3, 4]
    for index in ("silhouette", "davies_bouldin", "dunn"):
        assert found.curve(index) == [(k, cm.find(index)(X, LABELINGS[k])) for k in (2, 3, 4)]
    assert found.best("silhouette").threshold == 3
    assert found.best("davies_bouldin").score == min(score for _, score in found.curve("davies_bouldin"))
    assert found.best("dunn").scores == found.at(found.best("dunn").threshold).to_dict()
    assert found.labels(2) == LABELINGS[2]
    assert repr(found).startswith("3 labelings\n")
    assert found.to_dict()["threshold"] == [2, 3, 4]


def test_mistakes():
    with pytest.raises(cm.InputError, match="y_true=, or the points, X="):
        cm.sweep(labelings=LABELINGS)
    with pytest.raises(cm.InputError, match="and not both"):
        cm.sweep(LABELINGS[3], LABELINGS, X=X)
    found = cm.sweep(labelings=LABELINGS, X=X, indices=["silhouette"], metric="manhattan")
    with pytest.raises(cm.InputError, match="dunn is not among the indices of this sweep"):
        found.best("dunn")
    with pytest.raises(cm.InputError, match="threshold=9 is not one"):
        found.at(9)


def test_a_labeling_without_a_score_is_not_the_best():
    mixed = [0, 1] * 4
    found = cm.sweep(labelings={1: [0] * 8, 2: mixed}, X=np.arange(8.0)[:, None], indices=["silhouette"])
    assert dict(found.curve("silhouette"))[1] == 0 > found.best("silhouette").score
    assert found.best("silhouette").threshold == 2
    assert (
        cm.sweep(labelings={1: [0] * 8}, X=np.arange(8.0)[:, None], indices=["silhouette"]).best("silhouette").threshold
        == 1
    )
