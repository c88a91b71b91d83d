"""Compute the formula of an index for numbers or arrays; the text is parsed, never executed."""

from __future__ import annotations

import ast
import operator
from functools import cache, reduce
from math import isclose
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def _extreme(of_numbers: Callable[..., Any], of_arrays: Callable[..., Any]) -> Callable[..., Any]:
    def choose(*values: Any) -> Any:
        return reduce(of_arrays, values) if _has_array(values) else of_numbers(*values)

    return choose


def _has_array(values: Any) -> bool:
    return any(isinstance(value, np.ndarray) for value in values)


_FUNCTIONS: dict[str, Any] = {name: getattr(np, name) for name in ("sum", "sqrt", "log", "arccos", "pi")} | {
    "max": _extreme(max, np.maximum),
    "min": _extreme(min, np.minimum),
    "float": lambda value: value if isinstance(value, np.ndarray) else float(value),
}
"""Functions and constants of formulas, beside the fields of the statistic and the options."""

_OPERATIONS: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
}


@cache
def _parse(formula: str) -> ast.expr:
    return ast.parse(formula, mode="eval").body


@cache
def names_in(formula: str) -> frozenset[str]:
    """Return the fields and options in a formula.

    >>> sorted(names_in("(1 + beta**2) * yy / max(yy, ny)"))
    ['beta', 'ny', 'yy']
    """
    names = {node.id for node in ast.walk(_parse(formula)) if isinstance(node, ast.Name)}
    return frozenset(names - _FUNCTIONS.keys())


def compute(formula: str, values: Mapping[str, Any]) -> Any:
    """The value of a formula for these values of its names; with arrays among them, an array.

    >>> compute("yy / max(yy, ny)", {"yy": 1, "ny": 2})
    0.5
    """
    return _compute(_parse(formula), values)


def is_formula_of(formula: str, values: Mapping[str, Any], score: float) -> bool:
    """Whether a formula gives this score; true where the formula is 0/0."""
    try:
        with np.errstate(all="ignore"):
            value = float(compute(formula, values))
    except ZeroDivisionError:
        return True
    except (InputError, KeyError, TypeError, ValueError):
        return False
    return isclose(value, score, rel_tol=1e-6, abs_tol=1e-9) or value != value


def _compute(node: ast.expr, values: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name) if name in values:
            return values[name]
        case ast.Name(id=name) if name in _FUNCTIONS:
            return _FUNCTIONS[name]
        case ast.UnaryOp(op=op, operand=operand):
            return _OPERATIONS[type(op)](_compute(operand, values))
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATIONS[type(op)](_compute(left, values), _compute(right, values))
        case ast.Subscript(value=value, slice=place):
            return _compute(value, values)[_compute(place, values)]
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](*(_compute(argument, values) for argument in arguments))
        case ast.BoolOp(op=ast.And(), values=parts):
            all_parts = [_compute(part, values) for part in parts]
            return reduce(np.logical_and, all_parts) if _has_array(all_parts) else all(all_parts)
        case ast.IfExp(test=test, body=body, orelse=other):
            holds = _compute(test, values)
            if isinstance(holds, np.ndarray):
                return np.where(holds != 0, _compute(body, values), _compute(other, values))
            return _compute(body if holds else other, values)
    raise InputError(f"a formula cannot have {ast.unparse(node)!r}; use fields, options, numbers, + - * / ** and calls")
