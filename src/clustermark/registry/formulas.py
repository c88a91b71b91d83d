"""Formulas of indices: restricted to a small part of Python, compiled once, computed on numbers or arrays."""

from __future__ import annotations

import ast
from functools import cache, reduce
from math import isclose
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import CodeType


def _extreme(of_numbers: Callable[..., Any], of_arrays: Callable[..., Any]) -> Callable[..., Any]:
    def choose(*values: Any) -> Any:
        return reduce(of_arrays, values) if _has_array(values) else of_numbers(*values)

    return choose


def _has_array(values: Any) -> bool:
    return any(isinstance(value, np.ndarray) for value in values)


def _choose(holds: Any, body: Callable[[], Any], other: Callable[[], Any]) -> Any:
    """Return `body() if holds else other()`; for arrays both are computed, for numbers one."""
    if isinstance(holds, np.ndarray):
        return np.where(holds != 0, body(), other())
    return body() if holds else other()


def _all(*values: Any) -> Any:
    return reduce(np.logical_and, values) if _has_array(values) else all(values)


_FUNCTIONS: dict[str, Any] = {name: getattr(np, name) for name in ("sum", "sqrt", "log", "arccos", "pi")} | {
    "max": _extreme(max, np.maximum),
    "min": _extreme(min, np.minimum),
    "float": lambda value: value if isinstance(value, np.ndarray) else float(value),
}
"""Names that a formula may use, beside the fields of the statistic and the options."""

_GLOBALS: dict[str, Any] = {"__builtins__": {}, "_choose": _choose, "_all": _all} | _FUNCTIONS
_SYNTAX = (
    ast.Constant, ast.Name, ast.Load, ast.UnaryOp, ast.USub, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow,
    ast.Subscript, ast.Call, ast.BoolOp, ast.And, ast.IfExp,
)  # fmt: skip


class _ForArrays(ast.NodeTransformer):
    """Raise for other syntax, and replace `and` and `if`, which do not take arrays, by calls."""

    def visit(self, node: ast.AST) -> Any:
        named = not isinstance(node, ast.Name) or not node.id.startswith("_")
        calls = not isinstance(node, ast.Call) or (
            isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS and not node.keywords
        )
        if not isinstance(node, _SYNTAX) or not named or not calls:
            raise InputError(
                f"a formula cannot have {ast.unparse(node)!r}; use fields, options, numbers, + - * / ** and calls"
            )
        return super().visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.Call:
        test, body, other = (self.visit(part) for part in (node.test, node.body, node.orelse))
        return _call("_choose", test, *(ast.Lambda(_NO_PARAMETERS, part) for part in (body, other)))

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.Call:
        self.visit(node.op)
        return _call("_all", *(self.visit(part) for part in node.values))


_NO_PARAMETERS = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


@cache
def _compile(formula: str) -> CodeType:
    checked = _ForArrays().visit(ast.parse(formula, mode="eval").body)
    return compile(ast.fix_missing_locations(ast.Expression(checked)), "<formula>", "eval")


@cache
def names_in(formula: str) -> frozenset[str]:
    """Return the fields and options that a formula reads.

    >>> sorted(names_in("(1 + beta**2) * yy / max(yy, ny)"))
    ['beta', 'ny', 'yy']
    """
    names = {node.id for node in ast.walk(ast.parse(formula, mode="eval")) if isinstance(node, ast.Name)}
    return frozenset(names - _FUNCTIONS.keys())


def compute(formula: str, values: Mapping[str, Any]) -> Any:
    """Compute a formula for these values of its names; if some are arrays, the result is an array.

    >>> compute("yy / max(yy, ny)", {"yy": 1, "ny": 2})
    0.5
    """
    code = _compile(formula)
    if missing := names_in(formula) - values.keys():
        raise InputError(f"a formula cannot have {min(missing)!r}; use fields, options, numbers, + - * / ** and calls")
    return eval(code, _GLOBALS | {**values})  # noqa: S307 - checked syntax, without builtins


def is_formula_of(formula: str, values: Mapping[str, Any], score: float) -> bool:
    """Return whether a formula gives this score; a formula that is 0/0 here does not contradict it."""
    try:
        with np.errstate(all="ignore"):
            value = float(compute(formula, values))
    except ZeroDivisionError:
        return True
    except (InputError, KeyError, TypeError, ValueError):
        return False
    return isclose(value, score, rel_tol=1e-6, abs_tol=1e-9) or value != value
