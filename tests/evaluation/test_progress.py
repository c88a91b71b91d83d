"""What is given as progress and is no function is refused by name."""

import pytest

import clustermark as cm

LABELS, POINTS = [0, 0, 1, 1], [[0], [1], [5], [6]]
CALLS = {
    "evaluate_internal": lambda wrong: cm.evaluate_internal(POINTS, LABELS, progress=wrong),
    "evaluate_covers": lambda wrong: cm.evaluate_covers([{0}], [{0}], progress=wrong),
    "sweep_pairs": lambda wrong: cm.sweep_pairs([0, 0, 1], ([0], [1], [0.5]), progress=wrong),
    "sweep": lambda wrong: cm.sweep(LABELS, {1: LABELS}, progress=wrong),
    "compare": lambda wrong: cm.compare(LABELS, {"a": LABELS}, progress=wrong),
    "similarity_matrix": lambda wrong: cm.similarity_matrix([LABELS, LABELS], progress=wrong),
}


@pytest.mark.parametrize("name", CALLS)
def test_progress_is_a_function(name):
    with pytest.raises(cm.InputError, match="progress=5 must be a function"):
        CALLS[name](5)
