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

    from clustermark.errors import Mention
    from clustermark.options import Declared

FINE = 0
MISTAKE = 2
OUR_MISTAKE = 70
INTERRUPTED = 130

_INTERRUPTED_QUERY = "Query interrupted"  # what DuckDB makes of KeyboardInterrupt
_EXTRAS = {"click": "the command line", "rich": "a table", "duckdb": "reading files", "matplotlib": "the report"}

_COMMANDS = {"catalogue()": "clustermark indices"}
"""Functions that messages speak of, as this program calls them."""


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
        return _report(error)
    return code


def _report(error: Exception) -> int:
    """Say in one line what went wrong, and whose mistake it is."""
    from clustermark.errors import ClustermarkError

    if isinstance(error, ImportError) and (needed := _missing_extra(error)):
        _say(f"{_EXTRAS[needed]} needs {needed}; install it with: pip install 'clustermark[cli]'")
        return MISTAKE
    if isinstance(error, OSError) and error.strerror:
        _say(f"{error.filename}: {error.strerror}" if error.filename else error.strerror)
        return MISTAKE
    if isinstance(error, ClustermarkError):
        _say(error.spell(_spell))
        return MISTAKE
    if isinstance(error, MemoryError):
        _say(str(error) or "there is not enough memory for this; use fewer indices, or a larger machine")
        return MISTAKE
    if isinstance(error, ImportError) and isinstance(error.__cause__, ImportError):
        _say(str(error))
        return MISTAKE
    _say(f"this is a mistake in clustermark, not in your data: {type(error).__name__}: {error}")
    _say("run it again with --traceback to see where, and please report it")
    return OUR_MISTAKE


_SWEPT = ("left", "right", "score", "max_pairs")
"""Options of `sweep` that are no options of a table."""


def _spell(mention: Mention) -> str:
    """An option or a function as this program calls it: missing='drop' is --missing drop here."""
    from shlex import quote

    from clustermark.options import declared_options

    known = declared_options().get(mention.name)
    if known is not None and known.parts and mention.values:  # reading={'encoding': 'latin-1'}
        parts = [(known.parts.get(key), value) for key, value in mention.values[0].items()]
        return " ".join(_flag(part, [value]) if part and part.flags else str(mention) for part, value in parts)
    if mention.name in _SWEPT:
        return " ".join([f"--{mention.name.replace('_', '-')}", *map(quote, map(str, mention.values))])
    if known is None or not known.flags:
        return _COMMANDS.get(mention.name, str(mention))
    return _flag(known, mention.values)


def _flag(option: Declared, values: Sequence[object]) -> str:
    from shlex import quote

    from clustermark.errors import alternatives

    if len(option.flags) == 2 and values:  # one for yes, one for no
        return option.flags[0 if values[0] else 1]
    texts = [quote(text) for value in values for text in _texts(value)]
    return f"{option.flags[0]} {alternatives(texts)}" if texts else option.flags[0]


def _texts(value: object) -> list[str]:
    return [f"{label}={policy}" for label, policy in value.items()] if isinstance(value, dict) else [str(value)]


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
