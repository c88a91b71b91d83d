"""Packages that only some engines need."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def require_package(module: str, engine: str, extra: str) -> Any:
    """Import the package of an engine, or say how to get it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(f"{engine} is not installed; install it with: pip install 'clustermark[{extra}]'") from error


def first_line(error: BaseException) -> str:
    """What an engine says first of an error."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


def is_panic(error: BaseException) -> bool:
    """Whether an engine written in Rust failed where it did not expect to; that is no `Exception` to Python."""
    return type(error).__name__ == "PanicException"
