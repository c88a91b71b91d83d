"""A result in the format that was asked for."""

from __future__ import annotations

from typing import Any


def render(shape: str, result: Any, *, safe: bool = True) -> str:
    """A result in a format that it writes itself; a table is what Python shows. safe: whether CSV holds no formulas."""
    match shape:
        case "json":
            text = result.to_json(indent=2)
        case "csv":
            text = result.to_csv(safe=safe)
        case "markdown":
            text = result.to_markdown()
        case "latex":
            text = result.to_latex()
        case "html":
            text = result.report()
        case _:
            text = repr(result)
    return str(text)
