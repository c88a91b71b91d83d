"""Checks of text files before an engine reads them: the header, the encoding, the length of lines, and the end.

DuckDB reads a file compressed by zstd that is truncated up to its end, and reports no error.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import zlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from clustermark.errors import InputError, Mention
from clustermark.results.frames import optional

if TYPE_CHECKING:
    from clustermark.engines.adapters.duckdb import DuckDB
    from clustermark.engines.files import Files, Reading


DELIMITERS = ",;\t|"
_CHUNK = 1 << 14
CONVERT = "convert it to UTF-8, such as by: iconv -f {} -t UTF-8"
_QUOTED = re.compile('"(?:[^"]|"")*"')
_BINARY = {
    b"PAR1": "a Parquet file",
    b"ARROW1": "an Arrow file",
    b"\x1f\x8b": "compressed by gzip",
    b"\x28\xb5\x2f\xfd": "compressed by zstd",
    b"PK\x03\x04": "a zip archive, as spreadsheets are",
    b"SQLite format 3": "a database of SQLite",
    b"%PDF": "a PDF document",
}


def common_header(files: Files, engine: DuckDB | None = None) -> tuple[str, list[str]]:
    """Return the delimiter and the column names of CSV files; only plain local files can be read without DuckDB."""
    first, *others = files.paths
    reading = files.reading
    delimiter, names = _header(engine, first, first if others else files.called, reading)
    for path in others:
        if _header(engine, path, path, reading._replace(delimiter=delimiter))[1] != names:
            raise InputError(f"{path}: its header line differs from that of {first}; the columns must be the same")
    return delimiter, names


def _header(engine: DuckDB | None, path: str, called: str, reading: Reading) -> tuple[str, list[str]]:
    """Return the delimiter and the column names, from the first line."""
    line = _first_line(engine, path, called, reading).removeprefix("\ufeff").rstrip("\r\n")
    if not line.strip():
        raise InputError(f"{called}: the first line is empty; it must name the columns")
    bare = _QUOTED.sub("", line)
    delimiter = reading.delimiter or max(DELIMITERS, key=bare.count)
    if len(delimiter) != 1:
        raise InputError(Mention("reading", {"delimiter": delimiter}), ": a delimiter must be one character")
    try:
        [fields] = csv.reader([line], delimiter=delimiter, strict=True)
    except (csv.Error, ValueError) as error:
        raise InputError(f"{called}: the first line cannot be read as the names of columns: {error}") from error
    if not reading.header:
        return delimiter, [f"column{i}" for i in range(len(fields))]
    doubled = [name for name in fields if fields.count(name) > 1]
    if doubled:
        raise InputError(f"{called}: the header line names the column {doubled[0]!r} twice; rename one of them")
    if "" in fields:
        raise InputError(f"{called}: column {fields.index('') + 1} has no name in the header line; give it one")
    return delimiter, fields


def _first_line(engine: DuckDB | None, path: str, called: str, reading: Reading) -> str:
    """Return the first line, with the lines over which a quoted name continues."""
    file = open_bytes(path)
    if file is None:
        return _ask_for_line(engine, path, called, reading)
    marks = re.escape(reading.delimiter or DELIMITERS)
    # a quote opens a quoted name only at the beginning of the name
    record = re.compile(rf'(?:(?<![^{marks}\ufeff])"(?:[^"]|"")*"|[^\r\n])*')
    with file:
        beginning, line = b"", ""
        while len(beginning) < LONGEST_LINE and (more := _read(file, max(_CHUNK, len(beginning)), called)):
            beginning += more
            encoding = _check_encoding(beginning, called, reading)
            # later lines may have been read too, and errors in them must not be raised here
            try:
                text = codecs.getincrementaldecoder(encoding)("replace").decode(beginning)
            except UnicodeError as error:
                asked = Mention("reading", {"encoding": encoding})
                raise InputError(f"{called}: the text cannot be read with ", asked, f": {error}") from error
            line = cast("re.Match[str]", record.match(text)).group()
            if len(line) < len(text):
                break
    if "\ufffd" in line:
        raise encoding_error(f"{called}: ", " (line 1)", beginning)
    return line


def _read(file: BinaryIO, size: int, called: str) -> bytes:
    try:
        return file.read(size)
    except (OSError, EOFError, zlib.error) as error:
        raise damaged(called, error) from error


def open_bytes(path: str) -> BinaryIO | None:
    """Open a local file, decompressed if necessary; return None for a file that only an engine can read."""
    if not Path(path).is_file():
        return None
    if path.lower().endswith(".gz"):
        return cast("BinaryIO", gzip.open(path))
    if not path.lower().endswith((".zst", ".zstd")):
        return Path(path).open("rb")
    try:
        return io.BufferedReader(optional("pyarrow", "zstd").CompressedInputStream(path, "zstd"))
    except ImportError:
        return None


def _ask_for_line(engine: DuckDB | None, path: str, called: str, reading: Reading) -> str:
    if engine is None:
        raise InputError(f"{called}: only DuckDB reads the header of such a file; choose ", Mention("engine", "duckdb"))
    options = ["columns={'line': 'VARCHAR'}", "auto_detect=false", "header=false", "delim=chr(31)"]
    options += ["quote=''", "escape=''", "strict_mode=false", "hive_partitioning=false"]
    options += [f"encoding={engine.dialect.literal(reading.encoding)}"] if reading.encoding else []
    literal = engine.dialect.literal(path)
    lines = engine.fetch(f"SELECT line FROM read_csv({literal}, {', '.join(options)}) LIMIT 1")["line"]
    return "" if not len(lines) or lines[0] is None else str(lines[0])


def _check_encoding(beginning: bytes, called: str, reading: Reading) -> str:
    """Return the encoding of a text, given its beginning; raise an error if it is not such a text."""
    for mark, what in _BINARY.items():
        if beginning.startswith(mark):
            raise InputError(f"{called}: this is not the text of a CSV file but {what}; name it by its format")
    if beginning.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        raise InputError(f"{called}: the text is UTF-32, which is not read; {CONVERT.format('UTF-32')}")
    wide = _wide_encoding(beginning)
    chosen = (reading.encoding or "utf-8").lower().replace("_", "-")
    if wide == "utf-16-be":
        raise InputError(f"{called}: the text is UTF-16, the larger byte first, which is not read; "
                         f"{CONVERT.format('UTF-16BE')}")  # fmt: skip
    if wide is not None and chosen not in ("utf-16", "utf-16-le", "utf16"):
        raise InputError(f"{called}: the text is UTF-16; choose ", Mention("reading", {"encoding": "utf-16"}))
    if wide is None and b"\0" in beginning[:_CHUNK]:
        raise InputError(f"{called}: this is no text: it has bytes in it that are no characters; is it a CSV file?")
    try:
        b"a".decode(chosen, "replace")
    except (LookupError, UnicodeError):  # codecs.lookup also finds codecs that do not encode text, such as zlib
        raise InputError(Mention("reading", {"encoding": chosen}), ": there is no such encoding of texts") from None
    return wide or chosen


def _wide_encoding(beginning: bytes) -> str | None:
    """Return the UTF-16 encoding of a text, by its byte order mark or the positions of zero bytes; None for others."""
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if beginning.startswith(mark):
            return encoding
    sample = beginning[:_CHUNK]
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if max(even, odd) <= len(sample) / 8 or min(even, odd) > max(even, odd) / 8:
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def encoding_error(called: str, where: str, beginning: bytes | None = None) -> InputError:
    """Return the error for a text in another encoding; its beginning is read from the file if not given."""
    if beginning is None:
        with suppress(OSError, EOFError, zlib.error), open_bytes(called.removesuffix(": ")) or io.BytesIO() as file:
            beginning = file.read(_CHUNK)
    if _is_noise(beginning or b""):
        return InputError(
            f"{called}this is no text: it has bytes in it that are no characters{where}; is it a CSV file?"
        )
    encoding = Mention("reading", {"encoding": "latin-1"})
    return InputError(f"{called}the text is not UTF-8{where}; name its encoding, such as ", encoding)


def _is_noise(beginning: bytes) -> bool:
    """Return whether a file has many control characters; text encodings use few but line ends."""
    sample = beginning[:_CHUNK]
    return sum(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in sample) > len(sample) / 50


def damaged(called: str, error: object = "") -> InputError:
    """Return the error for a compressed file that cannot be unpacked."""
    reason = f" ({error})" if error else ""
    return InputError(
        f"{called}: the compressed file is damaged or cut off, or not compressed as its name says{reason}"
    )


LONGEST_LINE = 16_000_000
"""Maximum line length in bytes, which DuckDB needs in advance."""
_STEP = LONGEST_LINE // 2
_PIECE = 1 << 16


def too_long(called: str, where: str) -> InputError:
    """Return the error for a line that is too long."""
    size = f"{LONGEST_LINE // 10**6} MB"
    return InputError(f"{called}: a line is longer than {size}{where}; is a quote missing, or this no CSV file?")


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


def check_lines(file: BinaryIO, called: str) -> None:
    """Refuse a stream with a line that is too long."""
    length, line = 0, 1
    while block := file.read(_PIECE):
        first = _first_end(block)
        if length + (first if first >= 0 else len(block)) > LONGEST_LINE:
            raise too_long(called, f" (line {line:,})")
        last = max(block.rfind(b"\n"), block.rfind(b"\r"))
        length = len(block) - last - 1 if last >= 0 else length + len(block)
        line += block.count(b"\n")


def _first_end(block: bytes) -> int:
    """Return the position of the first end of a line; -1 if there is none."""
    return min((at for at in (block.find(b"\n"), block.find(b"\r")) if at >= 0), default=-1)


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
