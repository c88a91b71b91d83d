"""The only writer of files: completely or not at all, and over an existing file only if requested."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

from clustermark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def write_text(text: str, path: str | os.PathLike[str], *, overwrite: bool) -> None:
    """Write a text to a file as UTF-8; raise `InputError` if the file exists and `overwrite` is false.

    A new file appears when it is complete, and an overwritten file is unchanged until then, even if writing fails.
    """
    from pathlib import Path

    file = Path(path)
    if file.is_dir():
        raise InputError(f"path: {path} is a folder; name a file in it")
    if not file.absolute().parent.is_dir():
        raise InputError(f"path: there is no folder {file.parent}; create it first, or choose another")
    # labels and file names may contain lone surrogates, which UTF-8 cannot encode; in JSON they are escaped already
    content = text.encode("utf-8", "backslashreplace")
    try:
        if file.exists() and not file.is_file():  # a pipe or a device
            file.write_bytes(content)
        elif overwrite:
            _replace(Path(os.path.realpath(file)), content)
        else:
            _create(file, content)
    except FileExistsError:
        raise InputError(f"path: {path} exists already; choose another, or pass overwrite=True") from None
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from error


def _replace(file: Path, content: bytes) -> None:
    """Write a file, which may exist, with the permissions of the existing one."""
    with _written_beside(file, content) as beside:
        with suppress(FileNotFoundError):
            beside.chmod(file.stat().st_mode & 0o7777)
        beside.replace(file)


def _create(file: Path, content: bytes) -> None:
    """Write a file that must not exist; of several concurrent writers, one succeeds."""
    if file.exists() or file.is_symlink():
        raise FileExistsError
    with _written_beside(file, content) as beside:
        try:
            os.link(beside, file)
        except FileExistsError:
            raise
        except OSError:  # a file system without links: reserve the name first
            file.touch(exist_ok=False)
            beside.replace(file)


@contextmanager
def _written_beside(file: Path, content: bytes) -> Iterator[Path]:
    """Yield a new file in the folder of another file, for an atomic rename; it is removed at the end."""
    from clustermark import cleanup

    beside = file.absolute().with_name(f".clustermark-{os.urandom(8).hex()}.part")
    cleanup.register(str(beside), partial(beside.unlink, missing_ok=True))
    try:
        with beside.open("xb") as opened:
            opened.write(content)
        yield beside
    finally:
        cleanup.undo(str(beside))
