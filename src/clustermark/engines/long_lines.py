"""Lines of CSV files that are too long, refused before an engine reads them.

DuckDB omits such a line at the end of a file that it reads in parallel, and PyArrow may end the process.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from clustermark.errors import InputError

LONGEST_LINE = 16_000_000
"""Maximum line length in bytes, which DuckDB needs in advance."""
_STEP = LONGEST_LINE // 2
_PIECE = 1 << 16


def too_long(said: str, where: str) -> InputError:
    """Return the error for a line that is too long."""
    size = f"{LONGEST_LINE // 10**6} MB"
    return InputError(f"{said}: a line is longer than {size}{where}; is a quote missing, or this no CSV file?")


def check_lines_of(path: str) -> None:
    """Refuse a plain file with a line that is too long; of most files, less than a hundredth is read.

    A line that is too long covers a whole step. Where a step has no end of a line, all lines are checked.
    """
    size = Path(path).stat().st_size
    if size <= LONGEST_LINE:
        return
    with Path(path).open("rb") as file:
        for begin in range(0, size - _STEP + 1, _STEP):
            file.seek(begin)
            if not any(_first_end(file.read(_PIECE)) >= 0 for _ in range(_STEP // _PIECE)):
                file.seek(0)
                check_lines(file, path)
                return


def check_lines(file: BinaryIO, said: str) -> None:
    """Refuse a stream with a line that is too long."""
    length, line = 0, 1
    while block := file.read(_PIECE):
        first = _first_end(block)
        if length + (first if first >= 0 else len(block)) > LONGEST_LINE:
            raise too_long(said, f" (line {line:,})")
        last = max(block.rfind(b"\n"), block.rfind(b"\r"))
        length = len(block) - last - 1 if last >= 0 else length + len(block)
        line += block.count(b"\n")


def _first_end(block: bytes) -> int:
    """Return the position of the first end of a line; -1 if there is none."""
    return min((at for at in (block.find(b"\n"), block.find(b"\r")) if at >= 0), default=-1)
