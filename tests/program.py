"""Runs of the program as by a user: in this process, or in a new process for tests of the process itself."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings
from contextlib import ExitStack, chdir, contextmanager
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

INSTALLED = Path(sys.executable).parent / "clustermark"
# variables that only a start of Python reads, and options that change the process permanently
ONLY_AT_START = ("PYTHONPATH", "PYTHONUTF8", "PYTHONWARNINGS", "LANG")
LEAVES_TRACES = ("--plugin", "--traceback")


def command() -> list[str]:
    """Return the script that pip installed; a checkout without installation suffices outside continuous integration."""
    if os.environ.get("CI") == "true" or (INSTALLED.exists() and "PYTHONPATH" not in os.environ):
        assert INSTALLED.exists(), f"the program is not installed: there is no {INSTALLED}"
        return [str(INSTALLED)]
    return [sys.executable, "-m", "clustermark"]


def run(*arguments: object, stdin: bytes = b"", cwd: Path | None = None, **environment: str) -> Any:
    """Run it to the end, in this process if possible; return exit code, standard output and standard error."""
    texts = [*map(str, arguments)]
    if any(name.startswith(ONLY_AT_START) for name in environment) or any(text in LEAVES_TRACES for text in texts):
        return run_process(*texts, stdin=stdin, cwd=cwd, **environment)
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as said:
        given.write(stdin)
        given.seek(0)
        code = _run_here(texts, (given, out, said), cwd, environment)
        written = []
        for file in (out, said):
            file.seek(0)
            written.append(file.read().decode())
    return subprocess.CompletedProcess(["clustermark", *texts], code, *written)


def at_terminal(*arguments: object, width: int = 100, both: bool = False, **environment: str) -> str:
    """Return the output on a terminal: standard output, or with `both` standard error too."""
    ours, theirs = pty.openpty()
    environment = {"TERM": "xterm-256color", "COLUMNS": str(width), **environment}
    shown: list[bytes] = []
    reader = Thread(target=lambda: shown.extend(iter(partial(_read_terminal, ours), b"")))
    reader.start()
    try:
        with Path(os.devnull).open("r+b") as nothing, os.fdopen(theirs, "r+b", buffering=0) as terminal:
            files = (nothing, terminal, terminal if both else nothing)
            _run_here([*map(str, arguments)], files, None, environment, ("FORCE_COLOR", "NO_COLOR"))
    finally:
        reader.join()
        os.close(ours)
    return b"".join(shown).decode()


def _read_terminal(ours: int) -> bytes:
    try:
        return os.read(ours, 65536)
    except OSError:  # raised on Linux when the other side is closed
        return b""


def run_process(*arguments: object, stdin: bytes = b"", cwd: Path | None = None, **environment: str) -> Any:
    """Run it to the end in a new process."""
    done = subprocess.run(
        [*command(), *map(str, arguments)],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env={**os.environ, **environment},
        timeout=120,
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def _run_here(
    arguments: list[str], files: Sequence[Any], cwd: Path | None, environment: dict[str, str], unset: Sequence[str] = ()
) -> int:
    """Return the exit code of a run in this process, and restore the state of the process."""
    from clustermark import cli
    from clustermark.errors import ClustermarkWarning

    handlers = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    with (
        chdir(cwd or "."),
        patch.dict(os.environ, {**_environment_without(unset), **environment}, clear=True),
        patch.object(sys, "argv", ["clustermark", *arguments]),
        patch.object(tempfile, "tempdir", None),
        _streams(*files),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("default", ClustermarkWarning)  # all other warnings are errors here, too
        try:
            cli.main(arguments)
        except SystemExit as end:
            return int(end.code or 0)
        except Exception:
            traceback.print_exc()
            return 1
        finally:
            for one, handler in handlers.items():
                signal.signal(one, handler)


def _environment_without(names: Sequence[str]) -> dict[str, str]:
    return {name: text for name, text in os.environ.items() if name not in names}


@contextmanager
def _streams(*files: Any) -> Iterator[None]:
    """Replace standard input, output and error by these files, with the encoding of the environment."""
    encoding = os.environ.get("PYTHONIOENCODING", "utf-8")
    errors = ("strict", "strict", "backslashreplace")
    with ExitStack() as stack:
        for name, file, error in zip(("stdin", "stdout", "stderr"), files, errors, strict=True):
            binary = os.fdopen(os.dup(file.fileno()), "rb" if name == "stdin" else "wb")
            stream = stack.enter_context(TextIOWrapper(binary, encoding=encoding, errors=error))
            stack.enter_context(patch.object(sys, name, stream))
            stack.enter_context(patch.object(sys, f"__{name}__", stream))
        yield


def result(*arguments: object, **options: Any) -> str:
    """Return the standard output of a run that must succeed."""
    done = run(*arguments, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def mistake(*arguments: object, **options: Any) -> str:
    """Return the message of a run that must fail by a mistake of the user, without a traceback and without output."""
    done = run(*arguments, **options)
    assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.stderr


def write_csv(path: Path, header: str, rows: Sequence[Sequence[object]]) -> Path:
    """Write a CSV file without any quoting."""
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n", encoding="utf-8")
    return path
