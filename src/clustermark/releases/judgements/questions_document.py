"""The document of questions, the sheet for judges, and the columns of their data."""

from __future__ import annotations

import json
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from clustermark.diagnosis.record_differences import mark
from clustermark.evaluation.record import TABLE_FACTS
from clustermark.labels.alignment import id_text
from clustermark.results.data import Column
from clustermark.results.document import SUMMARY, Document, Facts, Grid, Head, KeyNumber, Section
from clustermark.results.html import Html, fill, fragment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clustermark.releases.judgements.questionnaire import Id, Question, Questions
    from clustermark.results.data import Columns
    from clustermark.results.document import Body, View

_SHOWN = 10
KINDS = ("split", "merge", "shrunk", "grown", "kept")
STRATUM: Columns = {
    "kind": Column("text", choices=(*KINDS, "affected")),
    "mass": Column("amount", doc="weight of the stratum in the estimated change"),
    "pairs": Column("count"),
    "draws": Column("count", doc="number of random draws"),
    "sure": Column("count", doc="number of certain pairs"),
    "sure_share": Column("share", doc="the share of the certain pairs in the mass"),
    "listed": Column("count", doc="pairs from which the random draws were made without replacement, or 0"),
}
SAMPLED: Columns = {
    "name": Column("name"),
    "weight": Column("amount"),
    "slice": Column("text", optional=True),
    "mates": Column(
        "any", within=("map",), doc="by the id of the other record: the kind of the pair, and the weight of that record"
    ),
}
DESIGN: dict[str, Column] = {
    "index": Column("name", choices=("b_cubed_precision", "pair_precision")),
    "unit": Column("text", choices=("pair", "record")),
    "seed": Column("any"),
    "n": Column("count", doc="the requested number of questions or records"),
    "strata": Column("rows", rows=STRATUM),
    "impact": Column("share", within=("map",), doc="how much changed over all records; empty for one clustering"),
    "weight": Column("amount", doc="total weight of the records"),
    "slices": Column(
        "amount",
        within=("map", "map"),
        doc="the mass of each kind in each slice, and the share of the slice in the weight",
    ),
    "sampled": Column("rows", rows=SAMPLED),
    "alone": Column("flag", doc="whether the questions are about the precision of one clustering"),
    "fingerprint": Column("text", doc="of the design and the pairs"),
}
QUESTION: Columns = {
    "number": Column("count"),
    "left": Column("label", doc="an id; one of several parts is an array"),
    "right": Column("label", doc="an id; one of several parts is an array"),
    "kind": Column("text", choices=KINDS),
    "draws": Column("count", doc="how many times the pair was drawn at random"),
    "share": Column("share", optional=True, doc="the share of a certain pair in the mass of its kind"),
    "slices": Column("label", within=("list",)),
    "stored": Column("name", within=("list", "list"), doc="answers of earlier rounds: judge and answer"),
}
FACTS: Columns = TABLE_FACTS | {
    "design": Column("record", rows=DESIGN, doc="how the pairs were drawn"),
    "notes": Column("texts"),
    "seal": Column("text", sometimes=True, doc="hash of everything else in the key"),
}


def seal_of(key: Mapping[str, Any]) -> str:
    """Return a hash of a whole key apart from its seal: `judge` refuses one that was changed."""
    told = {name: value for name, value in key.items() if name != "seal"}
    return sha256(json.dumps(told, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


def document(questions: Questions, view: View) -> Document:
    """Return the document of questions."""
    design = questions.design
    made = {"fingerprint": design.fingerprint, "n": design.n} | questions.record.settings
    return Document(
        title="Questions for judges",
        headline=questions.title,
        key_numbers=[KeyNumber("questions", len(questions)), KeyNumber("open", len(questions.open))],
        notices=questions.notes,
        noun="record",
        sections=[
            Section(
                "strata",
                "Kinds of pairs",
                lambda: _strata(questions),
                "Pairs are drawn in proportion to their weight in the change.",
                "summary",
            ),
            Section(
                "questions",
                "Questions",
                lambda: _pairs(questions, view),
                "Order and sides are random; judges must not see the kind of a pair.",
                "summary",
            ),
            Section("made", "How this was made", lambda: [Facts("Settings", made)], "The draw and the settings."),
        ],
    )


def _strata(questions: Questions) -> list[Body]:
    heads = [Head("kind"), Head("pairs", "count"), Head("weight", "amount"), Head("questions", "count")]
    rows = [
        [one.kind, one.pairs, one.mass, sum(question.kind == one.kind for question in questions.table)]
        for one in questions.design.strata
    ]
    return [Grid(heads, rows, "Kinds of pairs")]


def _pairs(questions: Questions, view: View) -> list[Body]:
    some = questions.table[:_SHOWN] if view is SUMMARY else questions.table
    columns = questions.id_columns
    rows = [[one.number, *parts_of(one.left, columns), *parts_of(one.right, columns)] for one in some]
    names = [names[side] for side in (1, 2) for names in columns]
    heads = [Head("question", "count"), *(Head(name.replace("_", " ", 1), "label") for name in names)]
    return [Grid(heads, rows, "Questions", total=len(questions))]


def parts_of(name: Id, columns: Sequence[Any]) -> Sequence[Any]:
    """Return the parts of an id, one for each column."""
    return name if isinstance(name, tuple) and len(columns) > 1 else (name,)


def render_sheet(questions: Questions, title: str | None = None) -> str:
    """Return the sheet as a page that holds its records, loads nothing and sends nothing; the key is not in it."""
    script, style = _asset("sheet.js"), _asset("sheet.css")
    slots = {
        "title": fragment(title or "Same or different?"),
        "version": fragment(questions.record.version),
        "script": Html(script),
        "script_hash": Html(_hash(script)),
        "style": Html(style),
        "style_hash": Html(_hash(style)),
        "data": Html(json.dumps(_content(questions)).replace("<", "\\u003c")),
    }
    return str(fill(_asset("sheet.html"), slots))


def _content(questions: Questions) -> dict[str, Any]:
    columns = list(dict.fromkeys(name for values in questions.shown.values() for name in values))
    return {
        "sheet": questions.design.fingerprint,
        "seed": questions.design.seed,
        "columns": columns,
        "ids": questions.id_columns,
        "questions": [_entry(questions, one, columns) for one in questions.open],
    }


def _entry(questions: Questions, one: Question, columns: list[str]) -> dict[str, Any]:
    """Return a question with the values of both records in parts, of which every second one differs."""
    entry: dict[str, Any] = {"question": one.number}
    names = dict(zip(("left", "right"), one.texts, strict=True))
    ids = questions.id_columns
    for place, name in ((1, one.left), (2, one.right)):
        entry |= {column[place]: id_text(part) for column, part in zip(ids, parts_of(name, ids), strict=True)}
    shown = {side: questions.shown.get(name) for side, name in names.items()}
    for side, other in (("left", "right"), ("right", "left")):
        mine, theirs = shown[side] or {}, shown[other] or {}
        entry[f"{side}_values"] = [mark(mine.get(column, ""), theirs.get(column, "")) for column in columns]
        entry[f"{side}_print"] = fingerprint(shown[side]) or ""
    return entry


def _hash(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()


def _asset(name: str) -> str:
    return files("clustermark.releases.judgements").joinpath("sheet", name).read_text(encoding="utf-8")


def fingerprint(values: dict[str, str] | None) -> str | None:
    """Return a hash of the shown values of a record, or None."""
    if values is None:
        return None
    return sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]
