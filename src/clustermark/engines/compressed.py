"""Files compressed by zstd, which DuckDB reads as far as they go, without a word where the end is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from pathlib import Path

_FRAME = 0xFD2FB528
_SKIPPABLE = 0x184D2A50
_REPEATED = 1
"""A kind of block: one byte, and how often it is repeated."""


def is_whole(path: Path) -> bool:
    """Whether the frames of a file, and the blocks in them, are all there; nothing is unpacked (RFC 8878)."""
    size = path.stat().st_size
    with path.open("rb") as file:
        while file.tell() < size:
            if not _skip_frame(file):
                return False
        return file.tell() == size


def _number(file: BinaryIO, size: int) -> int:
    return int.from_bytes(file.read(size), "little")


def _skip_frame(file: BinaryIO) -> bool:
    """Go to the end of a frame, or beyond that of the file where it is cut off; whether it is a frame."""
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
    file.seek(4 * (head >> 2 & 1), 1)  # a checksum, if there is one
    return True
