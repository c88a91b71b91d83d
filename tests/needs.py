"""Packages that some tests need: without them the tests are skipped, but never in continuous integration."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any, NoReturn

import pytest


def lacking(what: str) -> NoReturn:
    """Skip the test, or the file that is being collected; fail where CI is set."""
    if os.environ.get("CI"):
        pytest.fail(f"{what} is missing, and continuous integration may skip nothing", pytrace=False)
    pytest.skip(f"{what} is missing", allow_module_level=True)


def need(package: str, *modules: str) -> Any:
    """Import a package, with modules of it that it does not import itself."""
    try:
        for module in modules:
            import_module(f"{package}.{module}")
        return import_module(package)
    except ModuleNotFoundError as error:
        lacking(f"the package {error.name}")
