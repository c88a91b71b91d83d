"""Columns of plain values, handed to other libraries, written as CSV, or aligned as text."""

from __future__ import annotations

from typing import Any

_LABEL_LIMIT = 32


def short_text(value: Any) -> str:
    """A value as a short piece of one line."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return label_text(value)


def label_text(label: Any) -> str:
    """A label as a short piece of one line; integers as they are, without separators."""
    text = "".join(c if c.isprintable() else " " for c in ("–" if label is None else str(label)))
    return text if len(text) <= _LABEL_LIMIT else text[: _LABEL_LIMIT - 1] + "…"
