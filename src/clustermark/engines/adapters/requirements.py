"""Packages that only some engines need."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def require_package(module: str, engine: str, extra: str) -> Any:
    """Import the package of an engine, or raise an error that names the command to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(f"{engine} is not installed; install it with: pip install 'clustermark[{extra}]'") from error


def first_line(error: BaseException) -> str:
    """Return the first line of an engine's error."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


def is_panic(error: BaseException) -> bool:
    """Return whether an engine written in Rust panicked, which is no `Exception` in Python."""
    return type(error).__name__ == "PanicException"
