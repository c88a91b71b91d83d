"""Types that type checkers accept or reject as labels; checked by mypy and pyright, never run."""

import sqlite3
from array import array
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import clustermark as cm


class ArrowColumn:
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        raise NotImplementedError


class ArrowChunks:
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


class Tensor:
    def __dlpack__(self, *, stream: Any = None) -> object: ...
    def __dlpack_device__(self) -> tuple[int, int]:
        raise NotImplementedError


def score_all(
    numbers: NDArray[np.int64], names: Sequence[str], dates: list[object], gaps: list[int | None], mixed: list[Any]
) -> None:
    cm.jaccard(numbers, names)
    cm.jaccard(dates, gaps)
    cm.jaccard(mixed, (0, "a"))
    cm.jaccard(range(3), deque([0, 1, 2]))
    cm.jaccard(array("i", [1]), memoryview(b"a"))
    cm.jaccard({"a": 0}, {"a": "x"})
    cm.jaccard({"a": 0}.values(), [("a", 1)])
    cm.jaccard(ArrowColumn(), ArrowChunks())
    cm.jaccard(Tensor(), numbers)


cm.jaccard(3, [0])  # type: ignore[call-overload] # pyright: ignore[reportArgumentType, reportCallIssue]
cm.jaccard([0], object())  # type: ignore[call-overload] # pyright: ignore[reportArgumentType, reportCallIssue]
cm.jaccard([0], None)  # type: ignore[call-overload] # pyright: ignore[reportArgumentType, reportCallIssue]
cm.jaccard({0, 1}, [0, 1])  # type: ignore[call-overload] # pyright: ignore[reportArgumentType, reportCallIssue]
cm.jaccard(frozenset([0]), [0])  # type: ignore[call-overload] # pyright: ignore[reportArgumentType, reportCallIssue]
cm.jaccard("ab", [0, 1])  # type: ignore[call-overload] # pyright: ignore[reportArgumentType, reportCallIssue]
cm.jaccard(b"ab", [0, 1])  # type: ignore[call-overload] # pyright: ignore[reportArgumentType, reportCallIssue]
cm.jaccard((x for x in [0]), [0])  # type: ignore[call-overload] # pyright: ignore[reportArgumentType, reportCallIssue]
cm.jaccard([[0], [1]], [0, 1])  # type: ignore[list-item] # pyright: ignore[reportArgumentType, reportCallIssue]

cm.crosstab("data.csv", true="t", pred="p")
cm.evaluate(Path("t.csv"), ["p1.csv", "p2.csv"], on="id")
cm.evaluate((sqlite3.connect("data.db"), "points"), true="t", pred="p")
cm.crosstab(3, object())  # type: ignore[call-overload] # pyright: ignore[reportArgumentType]
