"""The installed program, run as users run it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

INSTALLED = Path(sys.executable).parent / "clustermark"


def command() -> list[str]:
    """The script that pip installed; a checkout that is not installed will do, but not for continuous integration."""
    if os.environ.get("CI") == "true" or (INSTALLED.exists() and "PYTHONPATH" not in os.environ):
        assert INSTALLED.exists(), f"the program is not installed: there is no {INSTALLED}"
        return [str(INSTALLED)]
    return [sys.executable, "-m", "clustermark"]


def run(*arguments: object, stdin: bytes = b"", cwd: Path | None = None, **environment: str) -> Any:
    """Run it to the end: exit code, standard output and standard error."""
    done = subprocess.run(
        [*command(), *map(str, arguments)],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env={**os.environ, **environment},
        timeout=120,
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def result(*arguments: object, **options: Any) -> str:
    """What a run that must succeed puts on standard output."""
    done = run(*arguments, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def mistake(*arguments: object, **options: Any) -> str:
    """What a run that must fail by the user's mistake says, without a traceback and without any output."""
    done = run(*arguments, **options)
    assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.stderr


def write_csv(path: Path, header: str, rows: Sequence[Sequence[object]]) -> Path:
    """A CSV file without any quoting."""
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n", encoding="utf-8")
    return path
