"""The program `clustermark`: it reads arguments and writes one result; it contains no mathematics.

Only the result is written to standard output. Exit codes: 0 success, 1 a score failed its threshold, 2 an error in the
arguments or the input, 70 a bug of clustermark. A signal ends it with 128 plus its number, as other programs: 130
interrupted, 143 terminated, 129 the terminal was closed, 141 the reader of the output has closed it.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from io import TextIOWrapper

TYPE_CHECKING = False  # as in typing, which takes longer to import than the rest of this
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NoReturn

    from clustermark.errors import Mention

NAME = "clustermark"
FINE = 0
FAILED = 1
MISTAKE = 2
OUR_MISTAKE = 70
UNREAD = 141
INTERRUPTED = 130

_EXTRAS = {"click": "the command line", "rich": "a table", "duckdb": "reading files", "matplotlib": "the report"}

_COMMANDS = {
    "catalogue()": "clustermark indices",
    "estimate()": "clustermark estimate",
    "evaluate()": "clustermark score",
    "sweep_pairs()": "clustermark sweep --cut",
}
"""Functions that messages mention, as the commands of this program."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the program and exit with its exit code.

    As a program, without arguments, the process ends here; given arguments raise SystemExit, so that a caller goes on.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    traceback = "--traceback" in given
    _end_by_signals()
    code = _exit_code([argument for argument in given if argument != "--traceback"], traceback)
    if arguments is None:
        _leave(code)
    sys.exit(code)


def _end_by_signals() -> None:
    """End the program at once when a signal arrives, after everything temporary is removed; ignored ones stay so.

    An exception would not do: some libraries abort the process, or report an error of their own, where one is raised.
    """
    import os
    import signal

    def end(number: int, _: object) -> NoReturn:
        for other in endings:  # once is enough: further signals must not disturb the end
            signal.signal(other, signal.SIG_IGN)
        if undo_all := getattr(sys.modules.get("clustermark.cleanup"), "undo_all", None):
            undo_all()
        os._exit(128 + number)

    usual = {"SIGINT": signal.default_int_handler, "SIGTERM": signal.SIG_DFL, "SIGHUP": signal.SIG_DFL}
    numbers = ((getattr(signal, name, None), handler) for name, handler in usual.items())
    endings = [number for number, handler in numbers if number and signal.getsignal(number) is handler]
    for ending in endings:
        signal.signal(ending, end)


def _leave(code: int) -> NoReturn:
    """Clean up and exit, without waiting for threads, or for libraries that release gigabytes or abort."""
    import atexit
    import os

    atexit._run_exitfuncs()  # temporary folders are removed here
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    os._exit(code)


def _exit_code(arguments: list[str], traceback: bool) -> int:
    try:
        from clustermark.cli.commands import run
        from clustermark.cli.terminal import ESCAPED

        for stream in (sys.stdout, sys.stderr):  # a character that the terminal lacks is no reason to fail
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(errors=ESCAPED)
        _tell_warnings(quiet=not {"-q", "--quiet"}.isdisjoint(arguments))
        code = run(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        _let_go_of_output()
        return UNREAD
    except KeyboardInterrupt:  # raised by a handler that was there before, or as a signal would
        return INTERRUPTED
    except Exception as error:
        if traceback:
            raise
        return _report(error)
    return code


def _tell_warnings(*, quiet: bool) -> None:
    """Print warnings of clustermark as notes, with options spelt as in this program."""
    import warnings

    from clustermark.errors import ClustermarkWarning

    others = warnings.showwarning

    def tell(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if not isinstance(message, ClustermarkWarning):
            others(message, category, *where, **more)
        elif not quiet:
            _say(f"note: {message.spell(spell)}")

    warnings.showwarning = tell


def _report(error: Exception) -> int:
    """Print the reason of an error in one line; return the exit code."""
    from clustermark.errors import ClustermarkError

    if isinstance(error, ImportError) and (needed := _missing_extra(error)):
        _say(f"{_EXTRAS[needed]} needs {needed}; install it with: pip install 'clustermark[cli]'")
        return MISTAKE
    if isinstance(error, OSError) and error.strerror:
        _say(f"{error.filename}: {error.strerror}" if error.filename else error.strerror)
        return MISTAKE
    if isinstance(error, ClustermarkError):
        _say(error.spell(spell))
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


def spell(mention: Mention) -> str:
    """Return an option or a function as this program spells it: missing='drop' is --missing drop here."""
    from clustermark.options import declared_options

    known = declared_options().get(mention.name)
    if known is not None and known.parts and mention.values:  # reading={'encoding': 'latin-1'}
        parts = [(known.parts.get(key), value) for key, value in mention.values[0].items()]
        return " ".join(_flag(part.flags, [value]) if part and part.flags else str(mention) for part, value in parts)
    flags = known.flags if known is not None else ()
    if flags:
        return _flag(flags, mention.values)
    return _spell_own(mention) or _COMMANDS.get(mention.name, str(mention))


def _spell_own(mention: Mention) -> str:
    """Return an option of one of the commands that is no option of a table; empty if there is none."""
    from clustermark.cli.commands import program

    for one in (one for command in program.load_commands() for one in command.params if one.name == mention.name):
        if one.opts[0].startswith("-"):
            return _flag(one.opts[-1:], () if getattr(one, "is_flag", False) else mention.values)
    return ""


def _flag(flags: Sequence[str], values: Sequence[object]) -> str:
    from shlex import quote

    from clustermark.errors import alternatives

    if len(flags) == 2 and values:  # one for yes, one for no
        return flags[0 if values[0] else 1]
    texts = [quote(text) for value in values for text in _texts(value)]
    return f"{flags[0]} {alternatives(texts)}" if texts else flags[0]


def _texts(value: object) -> list[str]:
    return [f"{label}={policy}" for label, policy in value.items()] if isinstance(value, dict) else [str(value)]


def _missing_extra(error: BaseException | None) -> str | None:
    """Return the package of the extra `cli` that an error reports as missing."""
    while error is not None:
        if isinstance(error, ModuleNotFoundError) and error.name in _EXTRAS:
            return error.name
        error = error.__cause__
    return None


def _say(message: str) -> None:
    from clustermark.cli.terminal import say

    with suppress(OSError):  # the exit code shows it, too
        say(f"clustermark: {message}")


def _let_go_of_output() -> None:
    """Redirect standard output to the null device, as its reader has closed it; the final flush must not fail."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
