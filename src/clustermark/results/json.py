"""The JSON of a result: its head, its facts and its tables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any

from clustermark.results.data import record_of

if TYPE_CHECKING:
    from clustermark.results.result import Result

SCHEMA = 1
"""The number of the schema; it changes only if programs for the old schema would read results wrongly."""
STEERING = "[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
"""Characters beyond ASCII that control a terminal or reorder the text around them."""


def document_of(result: Result, facts: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return a result as a JSON object: kind, schema, version, its facts (or `facts`), its tables as lists of rows."""
    head = {"kind": result.KIND, "schema": SCHEMA, "version": current_version()}
    made = result.tables() if result.TABLES else {}
    tables = {name: made[name].records() for name in made if name in result.TABLES}
    return dict(for_json(head | record_of(result.facts() if facts is None else facts, result.FACTS) | tables))


def current_version() -> str:
    """Return the version of clustermark."""
    from clustermark import __version__

    return __version__


def json_text(document: dict[str, Any], indent: int | None = None) -> str:
    """Format a document as text; characters that control a terminal or reorder the text around them are escaped."""
    import json

    text = json.dumps(document, indent=indent, ensure_ascii=False, allow_nan=False)
    return re.sub(STEERING, lambda found: f"\\u{ord(found.group()):04x}", text)


def for_json(value: Any) -> Any:
    """Return a value for JSON: infinite numbers, keys and objects of other types become strings."""
    if isinstance(value, Mapping):
        return {str(key): for_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [for_json(item) for item in value]
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
