"""Undo what must not outlast the process: temporary folders, half-written files, a hidden cursor.

Each is registered before it is made, so that nothing stays behind, whatever raises or ends the process. Only a signal
without a handler does not get here.
"""

from __future__ import annotations

import atexit
import os
import shutil
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_DUE: dict[str, tuple[int, Callable[[], object]]] = {}
"""By name: the process that must undo something, which a fork of it must not, and how."""
_TRIES = 10


def register(name: str, undo_it: Callable[[], object]) -> None:
    """Call a function at the end of the process at the latest; it may be called at any moment, and repeatedly."""
    _DUE[name] = os.getpid(), undo_it


def undo(name: str) -> None:
    """Undo something now, if it was registered."""
    process, undo_it = _DUE.get(name, (0, None))
    if undo_it is not None and process == os.getpid():
        undo_it()
    forget(name)  # not before, as a signal may come between


def forget(name: str) -> None:
    """Forget something that need not be undone any more."""
    _DUE.pop(name, None)


@atexit.register
def undo_all() -> None:
    """Undo everything that is left."""
    for name in list(_DUE):
        with suppress(Exception):
            undo(name)


def make_folder(parent: str | None = None) -> str:
    """Create a temporary folder, by default where TMPDIR says, and return its path, which is registered."""
    *others, last = _places() if parent is None else [parent]
    for place in others:
        with suppress(OSError):
            return _make_folder(place)
    return _make_folder(last)


def _make_folder(place: str) -> str:
    folder = Path(place).absolute() / f"clustermark-{os.urandom(8).hex()}"
    register(str(folder), partial(_remove_folder, folder))
    try:
        folder.mkdir(mode=0o700)
    except OSError:
        forget(str(folder))
        raise
    return str(folder)


def _places() -> Iterable[str]:
    """Return the folders that `tempfile` would try; it writes a file into one of them, which a signal would leave."""
    import tempfile

    if tempfile.tempdir is not None:
        return [os.fsdecode(tempfile.tempdir)]
    named = (os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP"))
    return [*filter(None, named), "/tmp", "/var/tmp", "/usr/tmp", os.curdir]  # noqa: S108


def _remove_folder(folder: Path) -> None:
    for _ in range(_TRIES):  # a thread may create a file meanwhile
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            break
