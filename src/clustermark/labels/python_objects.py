"""Labels that are Python objects, compared as Python compares them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark._kernel import encode_objects
from clustermark.errors import InputError
from clustermark.labels.labeling import Labeling

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def read_objects(labels: Sequence[object] | NDArray[np.object_], name: str) -> Labeling:
    """Read a list, a tuple or an object array: ``1 == 1.0 == True`` is one label, ``"1"`` another."""

    def inspect(label: object, position: int) -> bool:
        if is_missing(label):
            return True
        _refuse_number(label, position, name)
        return False

    try:
        codes, values = encode_objects(labels, inspect)
    except TypeError as error:
        if isinstance(error, InputError):
            raise
        masked = getattr(sys.modules.get("numpy.ma"), "masked", None)
        if masked is not None and any(label is masked for label in labels):
            return read_objects([None if label is masked else label for label in labels], name)
        _explain_unhashable(labels, name)
        raise  # a label's own complaint
    return Labeling(codes, values)


def is_missing(label: Any) -> bool:
    """Tell whether a label is one of the objects that stand for "no label"."""
    if label is None:
        return True
    if isinstance(label, float | np.floating):
        return bool(label != label)  # only NaN differs from itself
    if isinstance(label, np.datetime64 | np.timedelta64):
        return bool(np.isnat(label))
    # neither decimal nor pandas is imported for this; code that makes such a label has imported them
    decimal = sys.modules.get("decimal")
    if decimal is not None and isinstance(label, decimal.Decimal):
        return bool(label.is_nan())
    # by name, because NA has no truth value and so cannot be compared
    kind = type(label)
    return kind.__name__ in ("NAType", "NaTType") and kind.__module__.startswith("pandas.")


def _refuse_number(label: object, position: int, name: str) -> None:
    if isinstance(label, float | np.floating):
        if not label.is_integer():
            raise fraction_error(label, position, name)
    elif isinstance(label, complex | np.complexfloating):
        raise InputError(f"{name}: complex number {label} at position {position} cannot be a label; pass integers")


def fraction_error(label: Any, position: int, name: str) -> InputError:
    """Build the error for a fractional or infinite float label."""
    return InputError(
        f"{name}: label {label} at position {position} is not a whole number; "
        "labels are names of clusters: pass integers or strings, and NaN or None for a missing label"
    )


def _explain_unhashable(labels: Sequence[object] | NDArray[np.object_], name: str) -> None:
    for position, label in enumerate(labels):
        try:
            hash(label)
        except TypeError as error:
            kind = type(label)
            if isinstance(label, list | np.ndarray):
                raise InputError(
                    f"{name} is two-dimensional: position {position} holds a {kind.__name__}, not a label; "
                    "pass one label per point (rows that are labels themselves as tuples)"
                ) from None
            if kind.__hash__ is None or "unhashable" in str(error):
                raise InputError(
                    f"{name}: the label at position {position} (a {kind.__name__}) is unhashable: {error}; "
                    "use a tuple, a frozenset or a string instead"
                ) from None
            return
