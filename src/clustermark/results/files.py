"""The one writer of files: a file that exists is not overwritten by mistake."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustermark.errors import InputError

if TYPE_CHECKING:
    from os import PathLike


def write_text(text: str, path: str | PathLike[str], *, overwrite: bool) -> None:
    """Write a text to a file as UTF-8; raise `InputError` if the file exists and `overwrite` is false."""
    from pathlib import Path

    file = Path(path)
    if file.is_dir():
        raise InputError(f"path: {path} is a folder; name a file in it")
    if not file.absolute().parent.is_dir():
        raise InputError(f"path: there is no folder {file.parent}; create it first, or choose another")
    try:
        # labels and file names may hold lone surrogates, which UTF-8 cannot encode; in JSON they are escaped already
        with file.open("w" if overwrite else "x", encoding="utf-8", errors="backslashreplace", newline="") as opened:
            opened.write(text)
    except FileExistsError:
        raise InputError(f"path: {path} exists already; choose another, or pass overwrite=True") from None
