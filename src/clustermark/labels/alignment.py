"""Labels given as id -> label on both sides, aligned by id; and the text of an id, by which records are found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.errors import FewMatchesWarning, InputError, Mention, warn_user
from clustermark.labels.labeling import ABSENT, Labeling
from clustermark.labels.lists_and_arrays import read_objects

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray


def read_mappings(y_true: Mapping[object, object], y_pred: Mapping[object, object]) -> tuple[Labeling, Labeling]:
    """Read both sides over the union of their ids: those of the truth in order, then the others of the prediction.

    >>> true, pred = read_mappings({"a": 1, "b": 1}, {"c": 5, "b": 6})
    >>> true.codes.tolist(), pred.codes.tolist()
    ([0, 0, -2], [-2, 1, 0])
    """
    true_ids, true = _read_mapping(y_true, "y_true")
    pred_ids, pred = _read_mapping(y_pred, "y_pred")
    place_in_pred = {item: place for place, item in enumerate(pred_ids)}
    nowhere = len(place_in_pred)
    places = [place_in_pred.pop(item, nowhere) for item in true_ids]
    only_in_pred = list(place_in_pred.values())
    pred_places = np.array(places + only_in_pred, dtype=np.intp)
    true_places = np.append(np.arange(len(places)), np.full(len(only_in_pred), len(places)))
    return take_places(true, true_places), take_places(pred, pred_places)


def _read_mapping(mapping: Mapping[object, object], name: str) -> tuple[list[object], Labeling]:
    """Return the ids and their labels, read at once: code of a label or of an id could change the mapping meanwhile."""
    ids, labels = list(mapping), list(mapping.values())
    if len(ids) != len(labels):
        raise InputError(f"{name} has {len(ids)} ids and {len(labels)} values; do not change it during a call")
    return ids, read_objects(labels, f"{name}.values()")


def take_places(labeling: Labeling, places: NDArray[np.intp]) -> Labeling:
    """Return the labels at these places; absent at the place -1 and at the place after the last one."""
    codes = np.append(labeling.codes, np.array([ABSENT], dtype=labeling.codes.dtype))
    return Labeling(codes[places], labeling.values)


SHOWN = 3
"""Number of ids of each side in a message."""


class SomeIds(NamedTuple):
    """A few ids of one side, for messages."""

    side: str
    ids: Sequence[Any]
    kind: str = ""
    """Name of the type of the ids."""

    @classmethod
    def of(cls, columns: Sequence[str], called: str, ids: Sequence[Any], kind: str) -> SomeIds:
        """Return ids of these columns of a source; `called` is its name in messages."""
        return cls(f"column {' and '.join(map(repr, columns))} of {called}", ids, kind)

    def __str__(self) -> str:
        shown = f" such as {', '.join(map(repr, self.ids[:SHOWN]))}" if len(self.ids) else " of its own"
        return f"{self.side} has ids{f' of type {self.kind}' if self.kind else ''}{shown}"


def unlike_ids_error(true: SomeIds, pred: SomeIds) -> InputError:
    """Return the error for ids of types that are never equal."""
    return InputError(f"the ids are of types that cannot be equal: {true}; {pred}; make them of one type")


def check_matches(
    matched: int, n_true: int, n_pred: int, show: Callable[[], tuple[SomeIds, SomeIds]], whose: str = ""
) -> str:
    """Raise an error if the sides share no id, and warn if they share few; return the warning.

    whose: the names of the sides, if there are more than two.
    A side without any item causes no error: its ids cannot be of another kind.
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
    text = f"Only {matched:,} of the {smaller:,} ids of the smaller side occur on both sides{whose}"
    warn_user(FewMatchesWarning(f"{text}; is the id the right one?"))
    return text


_PARTS = "\x1f"
"""The separator of the parts of an id with several columns."""


def id_text(value: Any) -> str:
    """Return the text of an id, which is the same in a file, a frame and a table.

    >>> [id_text(value) for value in (7, 7.0, "7", 0.5, True, b"a", ("x", 1))]
    ['7', '7', '7', '0.5', 'true', '61', 'x\\x1f1']
    """
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, int | np.integer):
        return str(int(value))
    if isinstance(value, float | np.floating):
        return str(int(value)) if float(value).is_integer() else repr(float(value))
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, tuple):
        return _PARTS.join(map(id_text, value))
    if type(value).__name__ == "Decimal":
        return format(value.normalize(), "f")
    return str(value)


def text_parts(text: str) -> list[str]:
    """Return the texts of the parts of an id from its text.

    >>> text_parts(id_text(("web", 1)))
    ['web', '1']
    """
    return text.split(_PARTS)


def id_texts(values: Sequence[Any]) -> list[str]:
    """Return the texts of ids; raise an error for two ids with the same text, as their pairs would be ambiguous."""
    texts = [id_text(value) for value in values]
    known = dict(zip(texts, values, strict=True))
    for text, value in zip(texts, values, strict=True):
        if known[text] != value:
            raise InputError(f"ids: two of them are written {text!r}; make all ids texts, or all of them numbers")
    return texts
