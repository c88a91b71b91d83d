"""The sheet as one HTML file: it holds the records of its questions, loads nothing and sends nothing."""

from __future__ import annotations

import json
from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any

from clustermark.diagnosis.marking import mark
from clustermark.releases.judgements.questionnaire import fingerprint

if TYPE_CHECKING:
    from clustermark.releases.judgements.questionnaire import Question, Questions


def render_sheet(questions: Questions, title: str | None = None) -> str:
    """The page; the same questions always give the same text. What the key knows is not in it."""
    script, style = _part("sheet.js"), _part("sheet.css")
    shown = title or "Same or different?"
    return Template(_part("sheet.html")).substitute(
        title=escape(shown),
        version=escape(questions.record.version),
        script=script,
        script_hash=_hash(script),
        style=style,
        style_hash=_hash(style),
        data=json.dumps(_content(questions)).replace("<", "\\u003c"),
    )


def _content(questions: Questions) -> dict[str, Any]:
    columns = list(dict.fromkeys(name for values in questions.shown.values() for name in values))
    return {
        "sheet": questions.design.fingerprint,
        "seed": questions.design.seed,
        "columns": columns,
        "questions": [_entry(questions, one, columns) for one in questions.open],
    }


def _entry(questions: Questions, one: Question, columns: list[str]) -> dict[str, Any]:
    """A question with the values of both records, each in parts, of which every second differs."""
    entry: dict[str, Any] = {"question": one.number}
    names = {"left": one.left, "right": one.right}
    shown = {side: questions.shown.get(name) for side, name in names.items()}
    for side, other in (("left", "right"), ("right", "left")):
        mine, theirs = shown[side] or {}, shown[other] or {}
        entry[side] = names[side]
        entry[f"{side}_values"] = [mark(mine.get(column, ""), theirs.get(column, "")) for column in columns]
        entry[f"{side}_print"] = fingerprint(shown[side]) or ""
    return entry


def _hash(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()


def _part(name: str) -> str:
    return files("clustermark.releases.judgements.sheet").joinpath(name).read_text(encoding="utf-8")
