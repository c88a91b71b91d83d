"""Completeness of files compressed by zstd: DuckDB reads a truncated file up to its end and reports no error."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from pathlib import Path

_FRAME = 0xFD2FB528
_SKIPPABLE = 0x184D2A50
_REPEATED = 1
"""The type of a block that holds one byte and the number of its repetitions."""


def is_whole(path: Path) -> bool:
    """Return whether all frames of a file, and all their blocks, are complete; nothing is decompressed (RFC 8878)."""
    size = path.stat().st_size
    with path.open("rb") as file:
        while file.tell() < size:
            if not _skip_frame(file):
                return False
        return file.tell() == size


def _number(file: BinaryIO, size: int) -> int:
    return int.from_bytes(file.read(size), "little")


def _skip_frame(file: BinaryIO) -> bool:
    """Skip a frame, or seek beyond the end of a truncated file; return whether it begins like a frame."""
    kind = _number(file, 4)
    if kind & ~0xF == _SKIPPABLE:
        file.seek(_number(file, 4), 1)
        return True
    if kind != _FRAME:
        return False
    head = _number(file, 1)
    is_single = head >> 5 & 1
    window, dictionary, content = 1 - is_single, (0, 1, 2, 4)[head & 3], (is_single, 2, 4, 8)[head >> 6]
    file.seek(window + dictionary + content, 1)
    is_last = False
    while not is_last:
        block = file.read(3)
        if len(block) < 3:
            return False
        number = int.from_bytes(block, "little")
        is_last = bool(number & 1)
        file.seek(1 if number >> 1 & 3 == _REPEATED else number >> 3, 1)
    file.seek(4 * (head >> 2 & 1), 1)  # the checksum, if there is one
    return True
