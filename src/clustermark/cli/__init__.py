"""The program `clustermark`: arguments in, one result out; no mathematics.

Standard output carries the result and nothing else. Exit codes: 0 fine, 1 a score failed its threshold, 2 a mistake in
what was asked or given, 70 a mistake of ours, 130 interrupted.
"""

from __future__ import annotations

import sys
from io import TextIOWrapper

TYPE_CHECKING = False  # as in typing, which takes longer to import than the rest of this
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

FINE = 0
MISTAKE = 2
OUR_MISTAKE = 70
INTERRUPTED = 130

_INTERRUPTED_QUERY = "Query interrupted"  # what DuckDB makes of KeyboardInterrupt
_EXTRAS = {
    "click": "the command line",
    "rich": "a table",
    "duckdb": "reading files",
    "matplotlib": "the report",
}

_ARGUMENTS = (
    *("true", "pred", "on", "pairs", "counts", "weights", "noise_true", "noise_pred", "missing", "unmatched"),
    *("memory", "temporary", "max_cells", "threads", "engine", "delimiter", "encoding"),
)
_OPENING = "'\"{[-0123456789"  # how values begin in messages
_SPELLINGS = {
    "reading={'format': 'csv'}": "--input-format csv",
    "such as latin-1": "such as --encoding latin-1",
    "catalogue() lists": "clustermark indices lists",
}


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the program and leave with its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    traceback = "--traceback" in given
    sys.exit(_exit_code([argument for argument in given if argument != "--traceback"], traceback))


def _exit_code(arguments: list[str], traceback: bool) -> int:
    for stream in (sys.stdout, sys.stderr):  # a character that the terminal lacks is no reason to fail
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        from clustermark.cli.commands import run

        code = run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        _let_go_of_output()
        return FINE
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if str(error) == _INTERRUPTED_QUERY:
            return INTERRUPTED
        if traceback:
            raise
        return _told(error)
    return code


def _told(error: Exception) -> int:
    """Say in one line what went wrong, and whose mistake it is."""
    from clustermark.errors import EngineError, InputError

    if isinstance(error, ImportError) and (needed := _missing_extra(error)):
        _say(f"{_EXTRAS[needed]} needs {needed}; install it with: pip install 'clustermark[cli]'")
        return MISTAKE
    if isinstance(error, OSError) and error.strerror:
        _say(f"{error.filename}: {error.strerror}" if error.filename else error.strerror)
        return MISTAKE
    lacks = isinstance(error, ImportError) and isinstance(error.__cause__, ImportError)
    if lacks or isinstance(error, InputError | EngineError | MemoryError):
        _say(_with_options(str(error)) or "there is not enough memory for this; use fewer indices, or a larger machine")
        return MISTAKE
    _say(f"this is a mistake in clustermark, not in your data: {type(error).__name__}: {error}")
    _say("run it again with --traceback to see where, and please report it")
    return OUR_MISTAKE


def _with_options(message: str) -> str:
    """A message of the library as this program says it: `missing="drop"` is --missing "drop" here."""
    import re

    for ours, here in _SPELLINGS.items():
        message = message.replace(ours, here)
    return re.sub(
        rf"(?<![^ (])({'|'.join(_ARGUMENTS)})(=(?=(\S?))|(?=:))",
        lambda found: f"--{found[1].replace('_', '-')}{' ' if found[3] and found[3] in _OPENING else ''}",
        message,
    )


def _missing_extra(error: BaseException | None) -> str | None:
    """The package of the extra `cli` that an error says is missing."""
    while error is not None:
        if isinstance(error, ModuleNotFoundError) and error.name in _EXTRAS:
            return error.name
        error = error.__cause__
    return None


def _say(message: str) -> None:
    print(f"clustermark: {message}", file=sys.stderr)  # noqa: T201


def _let_go_of_output() -> None:
    """Whoever read our output has left; what is still to be flushed at the end must not complain."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
