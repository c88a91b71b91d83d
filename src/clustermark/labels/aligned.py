"""Labels given as id -> label on both sides, aligned by id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.errors import FewMatchesWarning, InputError, Mention, warn_user
from clustermark.labels.labeling import ABSENT, Labeling
from clustermark.labels.python_objects import read_objects

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

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


SHOWN = 3
"""How many ids a message shows of each side."""


class SomeIds(NamedTuple):
    """A few ids of one side, for messages."""

    side: str
    ids: Sequence[Any]
    kind: str = ""
    """Name of the type of the ids."""

    @classmethod
    def of(cls, columns: Sequence[str], said: str, ids: Sequence[Any], kind: str) -> SomeIds:
        """Ids of these columns of something that messages call as it is said."""
        return cls(f"column {' and '.join(map(repr, columns))} of {said}", ids, kind)

    def __str__(self) -> str:
        shown = f" such as {', '.join(map(repr, self.ids[:SHOWN]))}" if len(self.ids) else " of its own"
        return f"{self.side} has ids{f' of type {self.kind}' if self.kind else ''}{shown}"


def unlike_ids_error(true: SomeIds, pred: SomeIds) -> InputError:
    """The error for ids of types that cannot be equal."""
    return InputError(f"the ids are of types that cannot meet: {true}; {pred}; make them of one type")


def check_matches(
    matched: int, n_true: int, n_pred: int, show: Callable[[], tuple[SomeIds, SomeIds]], whose: str = ""
) -> str:
    """Refuse sides that share no id, and warn of those that share few; returns what was warned of.

    whose: which sides these are, where there are more than two.
    A side without any item is not complained of: it cannot be that its ids are of another kind.
    """
    smaller = min(n_true, n_pred)
    if smaller and not matched:
        true, pred = show()
        raise InputError(
            f"no id occurs on both sides: {true}; {pred}; make the ids alike, or name the columns that hold them by ",
            Mention("on"),
        )
    if 10 * matched >= smaller:
        return ""
    said = f"Only {matched:,} of the {smaller:,} ids of the smaller side occur on both sides{whose}"
    warn_user(FewMatchesWarning(f"{said}; is the id the right one?"))
    return said
