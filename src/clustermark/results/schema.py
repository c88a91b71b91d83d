"""The JSON Schema of results, derived from their declarations; it needs no result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark.results.data import NOTICES, POINTS, SETTINGS, Column
from clustermark.results.json import SCHEMA

if TYPE_CHECKING:
    from clustermark.results.data import Columns
    from clustermark.results.result import Result

_REFERENCES = {
    "label": "label",
    "count": "count",
    "amount": "amount",
    "number": "number",
    "threshold": "number",
    "score": "number",
    "error": "number",
    "share": "share",
    "p": "share",
}
"""The common definition for each kind."""
_DEFINITIONS: dict[str, Any] = {
    "count": {"type": "integer", "minimum": 0},
    "amount": {"type": "number", "minimum": 0, "description": "a number of points or pairs, or their weight"},
    "share": {"type": "number", "minimum": 0, "maximum": 1.000001},
    "number": {
        "description": "JSON has no infinity, so that is a text",
        "anyOf": [{"type": "number"}, {"enum": ["inf", "-inf", "nan"]}],
    },
    "label": {
        "type": ["string", "number", "boolean", "null", "array"],
        "description": "an id of several parts is an array",
    },
}
_SIDE_NOISE: Columns = {
    "points": Column("count", doc="points with such a label, dropped ones included"),
    "clusters": Column("count", doc="how many clusters of this side they form"),
}
_POLICY = Column(
    "text",
    within=("map",),
    sometimes=True,
    choices=("cluster", "singletons", "drop", "unscored"),
    doc="the policy of each label that means noise",
)
_SETTINGS: Columns = {
    "noise_true": _POLICY,
    "noise_pred": _POLICY,
    "missing": Column("text", sometimes=True, choices=("error", "cluster", "singletons", "drop")),
    "unmatched": Column("text", sometimes=True, choices=("error", "drop", "singletons", "keep")),
    "weighted": Column("flag", sometimes=True),
    "pairs": Column("text", sometimes=True, choices=("true", "pred", "both"), doc="which side is a list of pairs"),
    "threshold": Column("threshold", sometimes=True, doc="the lowest score of a pair that counts"),
    "intervals": Column("any", sometimes=True, doc="the requested intervals, and the seed of random numbers"),
    "guessed": Column("texts", sometimes=True, doc="columns whose names were guessed"),
    **{
        name: Column("text", sometimes=True, doc=doc)
        for name, doc in {
            "source": "where both labels came from",
            "truth": "where the true labels came from",
            "prediction": "where the predicted labels came from",
            "true": "the column of true labels",
            "pred": "the column of predicted labels",
            "before": "where the clusters before came from",
            "after": "where the clusters after came from",
            "old": "the column of clusters before",
            "new": "the column of clusters after",
            "on": "the column of ids",
            "counts": "the column of counts",
            "weights": "the column of weights",
            "engine": "",
        }.items()
    },
}
_SHARED: Columns = {
    "points": Column(
        "record",
        rows=dict.fromkeys(("given", "used", "noise", "dropped", "unmatched"), Column("count")),
        doc=POINTS.doc,
    ),
    "clusters": Column(
        "record",
        rows=dict.fromkeys(("true", "pred"), Column("count", sometimes=True)),
        doc="how many clusters each side has, points with a cluster of their own included",
    ),
    "noise": Column(
        "record",
        rows=dict.fromkeys(("true", "pred"), Column("record", rows=_SIDE_NOISE, sometimes=True)),
        doc="the noise that a policy takes out of the clusters of each side",
    ),
    "notices": Column("rows", rows={"kind": Column("text"), "text": Column("text")}, doc=NOTICES.doc),
    "settings": Column("record", rows=_SETTINGS, doc=SETTINGS.doc),
}
"""Facts that the schema describes once, for all kinds of results."""
_OF_PARTITIONS = {
    "settings": {"required": ["noise_true", "noise_pred", "missing", "unmatched", "weighted"]},
    "clusters": {"required": ["true", "pred"]},
    "noise": {"required": ["true", "pred"]},
}
"""The parts of these facts that are always present if two labelings were compared."""


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of all JSON by clustermark: evaluations, comparisons, sweeps, ….

    >>> json_schema()["$id"]
    'urn:clustermark:schema:1'
    """
    shared = {name: column_schema(fact) for name, fact in _SHARED.items()}
    shared["settings"]["additionalProperties"] = True
    classes = declared()
    of_others = {"properties": {"subject": {"not": {"const": "partitions"}}}, "required": ["subject"]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:clustermark:schema:{SCHEMA}",
        "title": "What clustermark writes as JSON",
        "description": "A program should ignore keys that it does not know: later versions may add some without a "
        "new number.",
        "type": "object",
        "required": ["kind", "schema", "version"],
        "properties": {
            "kind": {"enum": [one.KIND for one in classes]},
            "schema": {"const": SCHEMA},
            "version": {"type": "string", "pattern": "^[0-9]+\\.[0-9]+", "description": "the version of clustermark"},
            **shared,
        },
        "allOf": [
            {"if": of_others, "else": {"properties": _OF_PARTITIONS}},
            *({"if": {"properties": {"kind": {"const": one.KIND}}}, "then": _reference(one.KIND)} for one in classes),
        ],
        "$defs": _DEFINITIONS | {one.KIND: result_schema(one) for one in classes},
    }


def declared() -> list[type[Result]]:
    """Return the classes of results with a kind of JSON, one for each kind: public ones and those that they return."""
    from importlib import import_module

    import clustermark
    from clustermark.results.result import Result

    import_module("clustermark.rows")  # it defines the classes of lists
    for name in clustermark.__all__:
        if name[:1].isupper():
            getattr(clustermark, name)  # imports its module
    found: dict[str, type[Result]] = {}
    waiting: list[type[Result]] = [Result]
    while waiting:
        waiting += waiting[0].__subclasses__()
        one = waiting.pop(0)
        if "KIND" in vars(one) and one.__module__.startswith("clustermark."):
            found.setdefault(one.KIND, one)
    return [found[kind] for kind in sorted(found)]


def result_schema(result: type[Result]) -> dict[str, Any]:
    """Return the definition of one kind of result."""
    tables = {
        name: {"type": "array", "items": _object(columns), "description": f"the rows of the table of {name}"}
        for name, columns in result.TABLES.items()
    }
    facts = {name: column_schema(fact) for name, fact in result.FACTS.items() if name not in _SHARED}
    always = [name for name, fact in result.FACTS.items() if not fact.sometimes]
    return {"required": [*always, *tables], "properties": facts | tables}


def column_schema(column: Column) -> dict[str, Any]:
    """Return the schema of the values of a column."""
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
            return {"type": "object", "additionalProperties": _reference("number")}
        case "record":
            return _object(column.rows or {})
        case "rows":
            return {"type": "array", "items": _object(column.rows or {})}
        case "any":
            return {}
        case "name" | "text":
            return {"type": "string"}
        case kind:
            return _reference(_REFERENCES[kind])


def _reference(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


def _object(columns: Columns) -> dict[str, Any]:
    return {
        "type": "object",
        "required": [name for name, column in columns.items() if not column.sometimes],
        "properties": {name: column_schema(column) for name, column in columns.items()},
    }
