"""What the indices of this family have in common."""

from __future__ import annotations

from clustermark.errors import InputError


def share(part: float, whole: float) -> float:
    """What share a part is of its whole.

    Both are rounded sums where there are weights or quotients, so the part can seem the larger one by a last digit.
    """
    return min(part, whole) / whole


def chosen(value: str, name: str, among: tuple[str, ...]) -> str:
    """The value of an option, if it is one of those that there are."""
    if value not in among:
        raise InputError(f"{name}={value!r} is not an option; choose one of {', '.join(map(repr, among))}")
    return value
