"""Folders and patterns: the files they contain, and the columns that folder names define, as in `year=2024`."""

from __future__ import annotations

import glob
import os
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import unquote

from clustermark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

Keys: TypeAlias = "Mapping[str, str | None]"
"""Columns that folder names define, and the value of each."""

_NOTHING = "__HIVE_DEFAULT_PARTITION__"
"""The value that denotes a missing value in a folder name."""


def find_files(path: str) -> dict[str, Keys]:
    """Return the files of a name: the file itself, all files below a folder, or those that match a pattern."""
    if Path(path).is_file():
        return {path: {}}
    if Path(path).is_dir():
        return {file: _keys_of(file, path) for file in _files_in(path)}
    matching = glob.glob(path, recursive=True)  # noqa: PTH207  # Path.glob takes no absolute patterns
    found = [file for file in sorted(matching) if Path(file).is_file()]
    if not found:
        pattern = glob.has_magic(path)
        raise InputError(f"{path}: no file matches this pattern" if pattern else f"{path}: there is no such file")
    return {file: _keys_of(file, _fixed_part(path)) for file in found}


def _files_in(folder: str) -> list[str]:
    """List all files except those that begin with a dot or an underscore, which engines leave beside their data."""

    def complain(error: OSError) -> None:
        raise InputError(f"{error.filename}: reading this folder is not permitted; check its permissions") from error

    found = []
    for place, folders, files in os.walk(folder, onerror=complain, followlinks=True):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        found += [str(Path(place) / name) for name in sorted(files) if not name.startswith((".", "_"))]
    if not found:
        raise InputError(f"{folder}: the folder holds no files")
    return found


def _fixed_part(pattern: str) -> str:
    """Return the leading folders of a pattern that contain no wildcard."""
    fixed = []
    for part in Path(pattern).parts:
        if glob.has_magic(part):
            break
        fixed.append(part)
    return str(Path(*fixed))


def _keys_of(file: str, folder: str) -> dict[str, str | None]:
    """Return the columns that the folders between a folder and a file define."""
    named = [part.partition("=") for part in Path(file).relative_to(folder).parts[:-1] if "=" in part]
    return {unquote(key): None if value == _NOTHING else unquote(value) for key, _, value in named if key}


def check_alike(said: str, files: Mapping[str, Keys]) -> None:
    """Raise an error if the folders of files define different columns."""
    first, *others = files.items()
    for path, keys in others:
        if list(keys) != list(first[1]):
            ours, theirs = (", ".join(columns) or "none" for columns in (keys, first[1]))
            raise InputError(
                f"{said}: the folders of its files must give the same columns; those of {path} give {ours}, and those "
                f"of {first[0]} {theirs}"
            )
