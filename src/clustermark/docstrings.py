"""Docstrings, which are also read where Python leaves them out: `python -OO`."""

from __future__ import annotations

TYPE_CHECKING = False  # as in stubs.py: the program imports this for its help
if TYPE_CHECKING:
    from collections.abc import Callable


def docstring_of(function: Callable[..., object]) -> str:
    """Return the docstring of a function, from its source if Python removed it; empty if there is neither."""
    if function.__doc__ is not None:
        return function.__doc__
    import ast
    from inspect import getsource
    from textwrap import dedent

    try:
        (tree,) = ast.parse(dedent(getsource(function))).body
    except (OSError, TypeError, SyntaxError, ValueError):  # no source, or no function of its own in it
        return ""
    made = isinstance(tree, ast.FunctionDef) and ast.get_docstring(tree, clean=False)
    return made or ""
