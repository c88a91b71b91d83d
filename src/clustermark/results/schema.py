"""The JSON Schema of results, derived from their declarations; no result is made for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clustermark.results.data import Column, Columns
    from clustermark.results.result import Result

_REFERENCES = {
    "label": "label",
    "count": "count",
    "amount": "amount",
    "number": "number",
    "score": "number",
    "error": "number",
    "share": "share",
    "p": "share",
}
"""The common definitions of kinds."""
_COMMON = ("points", "clusters", "noise", "notices", "settings")
"""Facts that the schema describes once, for all kinds of results."""


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of all that clustermark writes as JSON: evaluations, comparisons, sweeps, ….

    >>> json_schema()["$id"]
    'urn:clustermark:schema:1'
    """
    import json
    from importlib.resources import files

    text = files("clustermark").joinpath("data", "clustermark.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return add_results(schema, declared())


def declared() -> list[type[Result]]:
    """The classes of results with JSON of their own, one for each kind: those that are public, and what they return."""
    from importlib import import_module

    import clustermark
    from clustermark.results.result import Result

    import_module("clustermark.rows")  # which has the classes of lists
    for name in clustermark.__all__:
        if name[:1].isupper():
            getattr(clustermark, name)  # which loads its module
    found: dict[str, type[Result]] = {}
    waiting: list[type[Result]] = [Result]
    while waiting:
        waiting += waiting[0].__subclasses__()
        one = waiting.pop(0)
        if "KIND" in vars(one) and one.__module__.startswith("clustermark."):
            found.setdefault(one.KIND, one)
    return [found[kind] for kind in sorted(found)]


def add_results(schema: dict[str, Any], classes: Iterable[type[Result]]) -> dict[str, Any]:
    """A schema with the definitions of further kinds."""
    for one in classes:
        schema["properties"]["kind"]["enum"].append(one.KIND)
        schema["$defs"][one.KIND] = result_schema(one)
        condition = {"properties": {"kind": {"const": one.KIND}}}
        schema["allOf"].append({"if": condition, "then": {"$ref": f"#/$defs/{one.KIND}"}})
    return schema


def result_schema(result: type[Result]) -> dict[str, Any]:
    """The definition of one kind of result."""
    tables = {
        name: {"type": "array", "items": _object(columns), "description": f"the rows of the table of {name}"}
        for name, columns in result.TABLES.items()
    }
    facts = {name: column_schema(fact) for name, fact in result.FACTS.items() if name not in _COMMON}
    always = [name for name, fact in result.FACTS.items() if not fact.sometimes]
    return {"required": [*always, *tables], "properties": facts | tables}


def column_schema(column: Column) -> dict[str, Any]:
    """The schema of the values of a column."""
    schema = _one(column)
    for outer in reversed(column.within):
        inner = {"additionalProperties": schema} if outer == "map" else {"items": schema}
        schema = {"type": "object" if outer == "map" else "array"} | inner
    if column.optional:
        schema = {"anyOf": [schema, {"type": "null"}]}
    return {"description": column.doc} | schema if column.doc else schema


def _one(column: Column) -> dict[str, Any]:
    if column.choices:
        return {"enum": list(column.choices)}
    match column.kind:
        case "texts":
            return {"type": "array", "items": {"type": "string"}}
        case "flag":
            return {"type": "boolean"}
        case "scores":
            return {"type": "object", "additionalProperties": {"$ref": "#/$defs/number"}}
        case "record":
            return _object(column.rows or {})
        case "rows":
            return {"type": "array", "items": _object(column.rows or {})}
        case "any":
            return {}
        case "name" | "text":
            return {"type": "string"}
        case kind:
            return {"$ref": f"#/$defs/{_REFERENCES[kind]}"}


def _object(columns: Columns) -> dict[str, Any]:
    return {
        "type": "object",
        "required": [name for name, column in columns.items() if not column.sometimes],
        "properties": {name: column_schema(column) for name, column in columns.items()},
    }
