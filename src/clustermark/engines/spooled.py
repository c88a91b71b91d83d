"""Temporary copies of sources that can be read only once, such as pipes, for engines that read a file repeatedly."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
import zlib
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from clustermark import cleanup
from clustermark.errors import ClustermarkError, InputError, Mention

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ENDINGS_BY_BEGINNING = {b"\x1f\x8b": ".gz", b"\x28\xb5\x2f\xfd": ".zst"}
_FORMATS_BY_BEGINNING = {b"PAR1": "parquet", b"ARROW1": "arrow", b"{": "jsonl"}
_STREAM = b"\xff\xff\xff\xff"
"""The beginning of a stream of Arrow data, which no engine reads from files."""
_LOOKED_AT = 4096


class Spooled(os.PathLike[str]):
    """A temporary file with the content of a stream and a suffix for its format; deleted with its last reference.

    Messages call it by the name of the stream.
    """

    def __init__(self, stream: BinaryIO, called: str, format_name: str | None = None) -> None:
        self._called = called
        try:
            folder = Path(cleanup.make_folder())
        except OSError as error:
            raise no_room(None, error) from error
        self._finalizer = weakref.finalize(self, cleanup.undo, str(folder))
        raw = folder / "raw"
        try:
            with raw.open("wb") as file:
                shutil.copyfileobj(stream, file)
            with raw.open("rb") as file:
                beginning = file.read(_LOOKED_AT)
            if not beginning:
                raise InputError(f"{called} is empty; it needs a header line and rows")
            self._path = raw.rename(raw.with_name(f"spooled{_ending(beginning, called, format_name)}"))
        except BaseException:
            self._finalizer()
            raise

    def __fspath__(self) -> str:
        return str(self._path)

    def __str__(self) -> str:
        return self._called


def no_room(folder: str | None, error: OSError) -> InputError:
    """Return the error for a temporary folder that cannot be created."""
    reason = f"no temporary folder can be made there: {error.strerror}"
    if folder is not None:
        return InputError(Mention("temporary", folder), f": {reason}")
    return InputError(f"{tempfile.gettempdir()}: {reason}; name another by the variable TMPDIR")


def _ending(beginning: bytes, called: str, format_name: str | None) -> str:
    """Return the suffix for a file with this beginning; CSV if the format is not recognised."""
    packed = next((end for mark, end in _ENDINGS_BY_BEGINNING.items() if beginning.startswith(mark)), "")
    if packed == ".gz":
        with suppress(zlib.error):  # a damaged file is reported when it is read
            beginning = zlib.decompressobj(wbits=31).decompress(beginning)
    if format_name is None and beginning.startswith(_STREAM):
        raise InputError(f"{called} is a stream of Arrow data; write it as an Arrow file, or as Parquet")
    text = beginning.removeprefix(b"\xef\xbb\xbf").lstrip()
    known = (name for mark, name in _FORMATS_BY_BEGINNING.items() if text.startswith(mark))
    return f".{format_name or next(known, 'csv')}{packed}"


def in_home(path: str | os.PathLike[str]) -> Path:
    """Return a path whose ~ is the folder of a user; a name such as ~.csv, of no user, is that of a file."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path).absolute()  # DuckDB would expand it, too


def is_stream(source: object) -> bool:
    """Return whether a source is the name of a pipe or a device, such as /dev/fd/63 of a shell."""
    if not isinstance(source, str | os.PathLike) or isinstance(source, Spooled):
        return False
    path = os.fspath(source)
    if "://" in path:
        return False
    try:
        place = in_home(path)
        return (place.exists() and not place.is_file() and not place.is_dir()) or path.startswith(("/dev/", "/proc/"))
    except (OSError, ValueError):
        return False  # opening it reports what is wrong with the name


def spool_streams(sources: Sequence[Any], reading: dict[str, Any]) -> list[Any]:
    """Return the sources, with streams replaced by files; `format` in `reading` applies to them and is then removed."""
    streams = [source for source in sources if is_stream(source)]
    if not streams:
        return list(sources)
    named = reading.pop("format", None)
    return [_spool(os.fspath(source), named) if is_stream(source) else source for source in sources]


def _spool(path: str, format_name: str | None) -> Spooled:
    try:
        with in_home(path).open("rb") as stream:
            return Spooled(stream, path, format_name)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error


@contextmanager
def name_streams(*sources: object) -> Iterator[None]:
    """Replace the names of temporary files in errors by the names of their streams."""
    try:
        yield
    except ClustermarkError as error:
        for source in sources:
            if isinstance(source, Spooled):
                path = os.fspath(source)
                error.args = tuple(part.replace(path, str(source)) if isinstance(part, str) else part
                                   for part in error.args)  # fmt: skip
        raise
