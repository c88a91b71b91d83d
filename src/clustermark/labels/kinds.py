"""Types of labels, for type checkers; `reading` checks the same at run time."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, ValuesView
from typing import Any, Protocol, TypeAlias


class LabelSequence(Protocol):
    """A list, a tuple, a range: one label a point. A string is not one: its `__contains__` takes strings only."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Hashable]: ...
    def __getitem__(self, place: int, /) -> Hashable: ...
    def __contains__(self, label: object, /) -> bool: ...


class NumpyLike(Protocol):
    """An array of NumPy, a Series of pandas or Polars, a tensor: whatever becomes an array of NumPy."""

    def __array__(self) -> Any: ...


class ArrowArray(Protocol):
    """An array by the C interface of Arrow."""

    def __arrow_c_array__(self, requested_schema: Any = None, /) -> Any: ...


class ArrowStream(Protocol):
    """A stream of arrays by the C interface of Arrow."""

    def __arrow_c_stream__(self, requested_schema: Any = None, /) -> Any: ...


class DLPack(Protocol):
    """A tensor in the memory of the CPU."""

    def __dlpack__(self) -> Any: ...
    def __dlpack_device__(self) -> Any: ...


Labels: TypeAlias = (
    LabelSequence | Mapping[Any, Hashable] | ValuesView[Hashable] | NumpyLike | ArrowArray | ArrowStream | DLPack
)
"""A labeling: a list, an array, a Series, a mapping from id to label, and so on; never a set or a single value."""
