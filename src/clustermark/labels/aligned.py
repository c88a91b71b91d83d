"""Labels given as id -> label on both sides, aligned by id."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clustermark.labels.labeling import ABSENT, Labeling
from clustermark.labels.python_objects import read_objects

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


def read_mappings(y_true: Mapping[object, object], y_pred: Mapping[object, object]) -> tuple[Labeling, Labeling]:
    """Read both sides over the union of their ids: those of the truth in its order, then the prediction's own.

    >>> true, pred = read_mappings({"a": 1, "b": 1}, {"c": 5, "b": 6})
    >>> true.codes.tolist(), pred.codes.tolist()
    ([0, 0, -2], [-2, 1, 0])
    """
    true = read_objects(list(y_true.values()), "y_true.values()")
    pred = read_objects(list(y_pred.values()), "y_pred.values()")
    place_in_pred = {item: place for place, item in enumerate(y_pred)}
    nowhere = len(place_in_pred)
    places = [place_in_pred.pop(item, nowhere) for item in y_true]
    only_in_pred = list(place_in_pred.values())
    pred_places = np.array(places + only_in_pred, dtype=np.intp)
    true_places = np.append(np.arange(len(places)), np.full(len(only_in_pred), len(places)))
    return take_places(true, true_places), take_places(pred, pred_places)


def take_places(labeling: Labeling, places: NDArray[np.intp]) -> Labeling:
    """The labels at these places; none at the place -1, or after the last one, which both stand for "nowhere"."""
    codes = np.append(labeling.codes, np.array([ABSENT], dtype=labeling.codes.dtype))
    return Labeling(codes[places], labeling.values)
