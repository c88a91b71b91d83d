"""The only writer of files: completely or not at all, and over an existing file only if requested."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

from clustermark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path


def write_text(text: str, path: str | os.PathLike[str], *, overwrite: bool) -> None:
    """Write a text to a file as UTF-8; raise `InputError` if the file exists and `overwrite` is false.

    A new file appears when it is complete, and an overwritten file is unchanged until then, even if writing fails.
    """
    write_texts([(path, text)], overwrite=overwrite)


def write_texts(texts: Sequence[tuple[str | os.PathLike[str], str]], *, overwrite: bool) -> None:
    """Write several files that belong together: none of them appears before all of them are written."""
    from pathlib import Path

    placed: list[Path] = []
    with ExitStack() as held:
        ready = []
        for path, text in texts:
            if "\0" in os.fsdecode(path):
                raise InputError(f"path: {os.fsdecode(path)!r} has a null character, as no file may; choose another")
            # labels and names of files may contain lone surrogates, which UTF-8 cannot encode; JSON has escaped them
            content = text.encode("utf-8", "backslashreplace")
            with _telling(path):
                ready.append((path, held.enter_context(_ready(Path(path), content, overwrite))))
        try:
            for path, place in ready:
                with _telling(path):
                    place()
                placed.append(Path(path))
        except BaseException:
            for file in placed if not overwrite else ():
                file.unlink(missing_ok=True)
            raise


@contextmanager
def _telling(path: str | os.PathLike[str]) -> Iterator[None]:
    """Name the file in errors."""
    try:
        yield
    except FileExistsError:
        raise InputError(f"path: {path} exists already; choose another, or pass overwrite=True") from None
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from error


@contextmanager
def _ready(file: Path, content: bytes, overwrite: bool) -> Iterator[Callable[[], object]]:
    """Yield a function that moves the content, which is written already, to a file."""
    if file.is_dir():
        raise InputError(f"path: {file} is a folder; name a file in it")
    if not file.absolute().parent.is_dir():
        raise InputError(f"path: there is no folder {file.parent}; create it first, or choose another")
    if file.exists() and not file.is_file():  # a pipe or a device
        yield lambda: file.write_bytes(content)
        return
    if not overwrite and (file.exists() or file.is_symlink()):
        raise FileExistsError
    target = type(file)(os.path.realpath(file)) if overwrite else file
    with _written_beside(target, content) as beside:
        yield partial(_replace if overwrite else _create, target, beside)


def _replace(file: Path, beside: Path) -> None:
    """Move a file over another one, which may exist, with the permissions of that one."""
    with suppress(FileNotFoundError):
        beside.chmod(file.stat().st_mode & 0o7777)
    beside.replace(file)


def _create(file: Path, beside: Path) -> None:
    """Move a file to a name that must be free; of several concurrent writers, one succeeds."""
    try:
        os.link(beside, file)
    except FileExistsError:
        raise
    except OSError:  # a file system without links: reserve the name first
        file.touch(exist_ok=False)
        try:
            beside.replace(file)
        except BaseException:
            file.unlink(missing_ok=True)
            raise


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
