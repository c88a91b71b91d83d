"""Indices of other packages, found by entry points, and of modules that a user names."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING

from clustermark.errors import InputError, PluginWarning

if TYPE_CHECKING:
    from types import ModuleType

GROUP = "clustermark.indices"
"""The group of entry points that name modules which declare indices."""

_loaded = False


def load_installed() -> None:
    """Load the modules that installed packages offer, once; a module that fails gives a warning."""
    global _loaded
    if _loaded:
        return
    _loaded = True
    if not _may_be_offered():
        return
    from importlib.metadata import entry_points
    from warnings import warn

    for point in entry_points(group=GROUP):
        try:
            point.load()
        except Exception as error:
            package = point.dist.name if point.dist else "a package"
            message = f"the indices of {package} ({point.value}) cannot be loaded: {type(error).__name__}: {error}"
            warn(message, PluginWarning, stacklevel=3)


def _may_be_offered() -> bool:
    """Search files for a package that may name our group; this is faster than `importlib.metadata`, 50 ms."""
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")  # noqa: PTH208
        except FileNotFoundError:
            continue
        except OSError:
            return True  # such as an archive, which `importlib.metadata` can read
        described = (f"{folder or '.'}/{name}/entry_points.txt" for name in names if name.endswith("-info"))
        if any(name.endswith(".egg") for name in names) or any(map(_names_group, described)):
            return True
    return False


def _names_group(path: str) -> bool:
    try:
        with open(path, "rb") as points:  # noqa: PTH123  # pathlib costs as much as the rest of this
            return GROUP.encode() in points.read()
    except OSError:
        return False


def load_plugin(text: str) -> None:
    """Load a module that declares indices: its name, or the path of a .py file."""
    try:
        _import_path(text) if text.endswith(".py") else import_module(text)
    except ModuleNotFoundError as error:
        if error.name != text.partition(".")[0] and error.name != text:
            raise InputError(f"{text}: it cannot be loaded: {error}") from error
        raise InputError(f"{text}: there is no such module; for a file, give its path, such as ./{text}.py") from None
    except FileNotFoundError:
        raise InputError(f"{text}: there is no such file") from None
    except Exception as error:
        raise InputError(f"{text}: it cannot be loaded: {type(error).__name__}: {error}") from error


def _import_path(text: str) -> ModuleType:
    from importlib.util import module_from_spec, spec_from_file_location
    from pathlib import Path

    path = Path(text).resolve(strict=True)
    name = f"clustermark_plugin{''.join(mark if mark.isalnum() else '_' for mark in str(path.with_suffix('')))}"
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:  # impossible for a name that ends in .py
        raise ImportError(f"{path} is not a module")
    module = sys.modules[name] = module_from_spec(spec)  # before it runs, as an import does: dataclasses look it up
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
