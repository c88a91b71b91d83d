"""Compare the similarity matrix of many labelings with scikit-learn's adjusted_rand_score in a loop.

python benchmarks/matrix.py        100 labelings of 10^6 points, 50 clusters each; scikit-learn is timed on a few pairs
"""

from __future__ import annotations

import numpy as np
from timing import best_of

import clustermark as cm

LABELINGS, POINTS, CLUSTERS, PAIRS = 100, 10**6, 50, 5


def make_labelings() -> list[np.ndarray]:
    """Make labelings of the same points; in each a fifth of the points is moved at random."""
    rng = np.random.default_rng(0)
    base = rng.integers(0, CLUSTERS, POINTS)
    moved = (rng.random(POINTS) < 0.2 for _ in range(LABELINGS))
    return [np.where(those, rng.integers(0, CLUSTERS, POINTS), base) for those in moved]


if __name__ == "__main__":
    from sklearn.metrics import adjusted_rand_score

    labelings = make_labelings()
    matrix = cm.similarity_matrix(labelings[: PAIRS + 1])
    theirs = [adjusted_rand_score(labelings[0], other) for other in labelings[1 : PAIRS + 1]]
    assert np.allclose(matrix.values[0, 1:], theirs, rtol=1e-12), "the two do not agree"
    ours = best_of(2, lambda: cm.similarity_matrix(labelings))
    pair = best_of(PAIRS, lambda: adjusted_rand_score(labelings[0], labelings[1]))
    loop = pair * LABELINGS * (LABELINGS - 1) / 2
    print("| what | seconds |\n|---|---|")
    print(f"| `similarity_matrix`, {LABELINGS} labelings of {POINTS:,} points, {CLUSTERS} clusters | {ours:.1f} |")
    print(f"| adjusted_rand_score in a loop, from {pair * 1e3:.0f} ms a pair | {loop:.0f} ({loop / ours:.0f} times) |")
