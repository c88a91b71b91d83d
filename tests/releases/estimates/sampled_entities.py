"""Records of 400 entities, their predicted clusters, and a truth of 100 sampled entities."""

from __future__ import annotations

import numpy as np


def entities(n: int = 400, seed: int = 5):
    """Return entities of one to five records, some split and some merged with the next."""
    rng = np.random.default_rng(seed)
    true = np.repeat(np.arange(n), rng.integers(1, 6, n))
    pred = np.where(rng.random(len(true)) < 0.1, true + 10 * n, true)
    pred = np.where((rng.random(n) < 0.1)[true] & (pred < n), true ^ 1, pred)
    return true.tolist(), pred.tolist()


TRUTH, PREDICTION = entities()
CHOSEN = {int(label) for label in np.random.default_rng(0).choice(400, 100, replace=False)}
SAMPLE = {place: label for place, label in enumerate(TRUTH) if label in CHOSEN}
ALL = dict(enumerate(PREDICTION))
