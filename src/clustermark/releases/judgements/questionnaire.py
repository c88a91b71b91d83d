"""What `questions` returns: the pairs to be judged, and the design that makes estimates of the answers."""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, NamedTuple

from clustermark.diagnosis.marking import mark
from clustermark.errors import InputError
from clustermark.releases.judgements.pair_sampling import SampledRecord
from clustermark.report.record import Record, questions_document
from clustermark.results.files import write_text
from clustermark.results.frames import Columnar, csv_text
from clustermark.results.json import SCHEMA, current_version, for_json, json_text
from clustermark.results.text import align
from clustermark.tables.columnar import label_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike


_SHOWN = 10


class Stratum(NamedTuple):
    """One kind of pairs."""

    kind: str
    mass: float
    """What the share of different pairs is multiplied by in the change."""
    pairs: int
    """How many there are."""
    draws: int
    """How many were drawn by chance."""
    sure: int
    """How many are asked anyway, because they are few or heavy."""
    sure_share: float
    """The share of these in the mass."""


@dataclass(frozen=True)
class QuestionDesign:
    """How pairs were drawn: all that estimates need to know beside the answers."""

    index: str
    unit: str
    seed: int
    n: int
    """How many were asked for."""
    strata: tuple[Stratum, ...]
    impact: dict[str, float]
    """Of all records: split_rate, merge_rate, distance, affected; empty for one clustering."""
    weight: float
    """Of all records: their number, where they have none."""
    slices: dict[str, dict[str, float]] = field(default_factory=dict)
    """The mass of each kind in each slice, and its share of the weight."""
    sampled: tuple[SampledRecord, ...] = ()
    """With unit="record": the records drawn."""
    alone: bool = False
    """Whether there is one clustering, and its precision is asked for."""
    fingerprint: str = ""
    """Of the design and the pairs: answers to other questions have another."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of pairs that weigh something."""
        return tuple(one.kind for one in self.strata if one.mass > 0)


class Question(NamedTuple):
    """A pair to be judged. Sides and order are shuffled, so that neither tells which clustering joins it."""

    number: int
    left: str
    right: str
    kind: str
    draws: int
    """How often it was drawn by chance."""
    share: float | None
    """Its share of the mass of its kind, if it was asked anyway."""
    slices: tuple[str | None, ...] = ()
    """The slice of the record for which it was drawn; of both, if it was asked anyway."""
    stored: tuple[tuple[str, str], ...] = ()
    """Answers of earlier rounds: judge and answer."""

    @property
    def pair(self) -> tuple[str, str]:
        """Its two records in one order."""
        return (self.left, self.right) if self.left <= self.right else (self.right, self.left)


class Questions(Columnar):
    """Pairs of records for people to judge; `judge` makes estimates of their answers."""

    def __init__(
        self,
        design: QuestionDesign,
        table: Sequence[Question],
        record: Record,
        shown: dict[str, dict[str, str]] | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        self.design = design
        """How they were drawn."""
        self.table = tuple(table)
        """The pairs, in the order in which they are asked."""
        self.record = record
        self.shown = shown or {}
        """What is shown of each record: its columns, by its id."""
        self.notes = tuple(notes)
        """What to know before answers are believed."""

    def __len__(self) -> int:
        return len(self.table)

    @property
    def open(self) -> list[Question]:
        """Those that no stored answer settles."""
        return [one for one in self.table if not one.stored]

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns of the table: `question`, `left`, `right`, `kind`, `draws`, `share`."""
        names = {"question": "number"} | {name: name for name in ("left", "right", "kind", "draws", "share")}
        return {name: [getattr(one, of) for one in self.table] for name, of in names.items()}

    def sheet(self) -> dict[str, list[Any]]:
        """What a judge may see, as columns: records side by side, and an empty column for the answer."""
        asked = self.open
        columns: dict[str, list[Any]] = {
            "question": [one.number for one in asked],
            "left": [one.left for one in asked],
            "right": [one.right for one in asked],
        }
        for name in dict.fromkeys(name for values in self.shown.values() for name in values):
            for side in ("left", "right"):
                columns[f"{side}_{name}"] = [self.shown.get(getattr(one, side), {}).get(name) for one in asked]
        columns["answer"] = [None] * len(asked)
        columns |= {"sheet": [self.design.fingerprint] * len(asked), "seed": [self.design.seed] * len(asked)}
        for side in ("left", "right"):
            columns[f"{side}_print"] = [fingerprint(self.shown.get(getattr(one, side))) for one in asked]
        return columns

    def write_csv(  # type: ignore[override]
        self, sheet: str | PathLike[str], key: str | PathLike[str], *, overwrite: bool = False, safe: bool = True
    ) -> None:
        """Write the sheet, for judges to fill in, and beside it the key, for `judge`: judges must not see it.

        safe: keep spreadsheets from running records as formulas, by an apostrophe before them.
        """
        self._write(csv_text(self.sheet(), safe=safe), sheet, key, overwrite=overwrite)

    def to_html(self, title: str | None = None) -> str:
        """The sheet as a page that works without a network: answers by the keys s, d and ?, saved as CSV."""

        return render_sheet(self, title)

    def write_html(
        self,
        sheet: str | PathLike[str],
        key: str | PathLike[str],
        *,
        overwrite: bool = False,
        title: str | None = None,
    ) -> None:
        """Write the page and beside it the key, for `judge`: judges must not see it."""
        self._write(self.to_html(title), sheet, key, overwrite=overwrite)

    def _write(self, text: str, sheet: str | PathLike[str], key: str | PathLike[str], *, overwrite: bool) -> None:
        if Path(sheet).absolute() == Path(key).absolute():
            raise InputError("key: name another file than the sheet; judges must not see which clustering joins a pair")
        if Path(key).exists() and not overwrite:  # before the sheet is written, which would stay alone
            raise InputError(f"key: {key} exists already; choose another, or pass overwrite=True")
        write_text(text, sheet, overwrite=overwrite)
        write_text(self.to_json(indent=1) + "\n", key, overwrite=overwrite)

    def to_json(self, indent: int | None = None) -> str:
        """The key: the design and the pairs, without the records."""
        rows = [one._asdict() for one in self.table]
        design = asdict(self.design) | {
            "strata": [one._asdict() for one in self.design.strata],
            "sampled": [one._asdict() for one in self.design.sampled],
        }
        return json_text(questions_document(self.record, design, rows, self.notes), indent)

    @classmethod
    def from_json(cls, text: str) -> Questions:
        """The questions of a key."""
        try:
            document = json.loads(text)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"questions: this is not JSON ({error}); pass the key that was written with the sheet"
            ) from None
        if not isinstance(document, dict) or document.get("kind") != "questions":
            raise InputError("questions: this is no key of questions; pass the file that was written beside the sheet")
        if document.get("schema") != SCHEMA:
            raise InputError(
                f"questions: this key has schema {document.get('schema')!r}, and clustermark {current_version()} reads "
                f"schema {SCHEMA}; use the version that wrote it, {document.get('version')!r}"
            )
        try:
            return cls._of(document)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"questions: this key is damaged ({error!r}); draw the questions again, with the same seed"
            ) from None

    @classmethod
    def _of(cls, document: dict[str, Any]) -> Questions:
        said = dict(document["design"])
        said["strata"] = tuple(Stratum(**one) for one in said["strata"])
        said["sampled"] = tuple(
            SampledRecord(**(one | {"mates": {name: tuple(mate) for name, mate in one["mates"].items()}}))
            for one in said["sampled"]
        )
        table = [
            Question(**(one | {"slices": tuple(one["slices"]), "stored": tuple(map(tuple, one["stored"]))}))
            for one in document["questions"]
        ]
        design = QuestionDesign(**said)
        if design.fingerprint != make_fingerprint(design, table):
            raise ValueError("the fingerprint does not fit")
        record = Record(
            {}, document["points"], document["clusters"], document["noise"], (), document["settings"], {},
            str(document["version"]),
        )  # fmt: skip
        return cls(design, table, record, notes=document["notes"])

    @property
    def title(self) -> str:
        """What is asked, in words."""
        design, stored = self.design, len(self) - len(self.open)
        said = f"{len(self):,} questions"
        if design.unit == "record":
            said += f" on {len(design.sampled):,} records"
        what = "of one clustering" if design.alone else "for the change"
        return f"{said} {what}, {design.index}, seed {design.seed}" + (
            f"; {stored:,} answered before" if stored else ""
        )

    def __repr__(self) -> str:
        lines = [["kind", "pairs", "weight", "questions"]]
        for one in self.design.strata:
            asked = sum(question.kind == one.kind for question in self.table)
            lines.append([one.kind, f"{one.pairs:,}", f"{one.mass:.4g}", f"{asked:,}"])
        rows = [["question", "left", "right"]]
        rows += [[str(one.number), label_text(one.left), label_text(one.right)] for one in self.table[:_SHOWN]]
        left = len(self) - _SHOWN
        more = [f"… and {left:,} more"] if left > 0 else []
        return "\n".join([self.title, align(lines), "", align(rows), *more, *self.notes])


def fingerprint(values: dict[str, str] | None) -> str | None:
    """A short text that changes with what is shown of a record."""
    if values is None:
        return None
    return sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]


def make_fingerprint(design: QuestionDesign, table: Sequence[Question]) -> str:
    """A short text that other clusterings, or other draws, do not have."""
    strata = [list(one) for one in design.strata]
    told = [
        design.index,
        design.unit,
        design.seed,
        design.n,
        strata,
        [[one.left, one.right, one.kind] for one in table],
    ]
    return sha256(json.dumps(for_json(told)).encode("utf-8", "surrogatepass")).hexdigest()[:16]


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
    return files("clustermark.releases.judgements").joinpath("sheet", name).read_text(encoding="utf-8")
