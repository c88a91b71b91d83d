"""The functions that score read alike: truth first, one name for one thing, indices after what is compared."""

from __future__ import annotations

import inspect

import pytest

import clustermark as cm

COMPARED = {
    "evaluate": ("y_true", "y_pred"),
    "compare": ("y_true", "predictions"),
    "sweep": ("y_true", "labelings"),
    "sweep_pairs": ("y_true", "pairs"),
    "evaluate_covers": ("truth", "prediction"),
    "evaluate_soft": ("truth", "prediction"),
    "evaluate_trees": ("tree", "other"),
    "evaluate_internal": ("X", "labels"),
    "similarity_matrix": ("labelings",),
    "stability": ("reference", "labelings"),
    "bk_curve": ("tree", "other"),
}
"""The compared arguments, given by position: truth first."""
ONE_INDEX = {"similarity_matrix": "index"}
NO_INDEX = ("stability", "bk_curve")


@pytest.mark.parametrize("name", COMPARED)
def test_truth_comes_first_and_indices_follow_what_is_compared(name):
    parameters = inspect.signature(getattr(cm, name)).parameters
    positional = [one.name for one in parameters.values() if one.kind is one.POSITIONAL_OR_KEYWORD]
    indices = [] if name in NO_INDEX else [ONE_INDEX.get(name, "indices")]
    assert positional == [*COMPARED[name], *indices]


@pytest.mark.parametrize("name", [name for name in COMPARED if name not in ("evaluate", "bk_curve")])
def test_progress_is_a_share(name):
    points = [[0.0], [1.0], [5.0], [6.0]]
    tree, labels = [[0, 1], [2, 3]], [0, 0, 1, 1]
    given = {
        "compare": (labels, {"a": labels, "b": [0, 1, 1, 1]}, ["rand"]),
        "sweep": (labels, {1: labels, 2: [0, 1, 1, 1]}, ["rand"]),
        "sweep_pairs": (labels, ([0, 2], [1, 3], [0.9, 0.5]), ["adjusted_mutual_information"]),
        "evaluate_covers": (labels, labels),
        "evaluate_soft": (labels, labels),
        "evaluate_trees": (tree, tree),
        "evaluate_internal": (points, labels),
        "similarity_matrix": ([labels, [0, 1, 1, 1]],),
        "stability": (labels, [labels, labels]),
    }
    done: list[float] = []
    getattr(cm, name)(*given[name], progress=done.append)
    assert done == sorted(done)
    assert all(0 <= share <= 1 for share in done)


def test_progress_of_sweeps_ends_with_all():
    done: list[float] = []
    labelings = {2: [0, 0, 1, 1], 3: [0, 1, 2, 2]}
    cm.sweep([0, 0, 1, 1], labelings, ["rand"], progress=done.append)
    assert done == [0.5, 1.0]
    done.clear()
    cm.sweep(labelings=labelings, X=[[0.0], [1.0], [5.0], [6.0]], indices=["dunn"], progress=done.append)
    assert done == sorted(done)
    assert done[-1] == 1.0
