"""Questions: the pairs to be judged, and the design by which answers become estimates."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

from clustermark.errors import InputError
from clustermark.evaluation.record import Record, table_facts
from clustermark.labels.alignment import id_text
from clustermark.releases.judgements import questions_document
from clustermark.releases.judgements.pair_sampling import SampledRecord
from clustermark.results.data import Column, Table
from clustermark.results.document import SUMMARY
from clustermark.results.files import write_texts
from clustermark.results.frames import spread_ids
from clustermark.results.json import SCHEMA, current_version, document_of, for_json
from clustermark.results.result import Result

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from clustermark.results.data import Columns
    from clustermark.results.document import Document, View


Id: TypeAlias = "str | int | tuple[str | int, ...]"
"""An id as its source has it: a text or a whole number; or a tuple of these, if it has several parts."""


class Stratum(NamedTuple):
    """The pairs of one kind."""

    kind: str
    mass: float
    """Weight of this stratum in the estimated change: the factor of its share of different pairs."""
    pairs: int
    """The number of pairs."""
    draws: int
    """The number of random draws."""
    sure: int
    """The number of certain pairs: all of them are asked because they are few or heavy."""
    sure_share: float
    """The share of the certain pairs in the mass."""
    listed: int = 0
    """The number of pairs from which the random draws were made without replacement; 0 if with replacement."""


@dataclass(frozen=True)
class QuestionDesign:
    """How the pairs were drawn: everything that estimates need beside the answers."""

    index: str
    unit: str
    seed: int
    n: int
    """The requested number of questions or records."""
    strata: tuple[Stratum, ...]
    impact: dict[str, float]
    """split_rate, merge_rate, distance and affected of all records; empty for one clustering."""
    weight: float
    """Total weight of the records; without weights, their number."""
    slices: dict[str, dict[str, float]] = field(default_factory=dict)
    """The mass of each kind in each slice, and the share of the slice in the weight."""
    sampled: tuple[SampledRecord, ...] = ()
    """The drawn records, with unit="record"."""
    alone: bool = False
    """Whether the questions are about the precision of one clustering."""
    fingerprint: str = ""
    """Fingerprint of the design and the pairs, by which answers to other questions are recognized."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of pairs with a mass."""
        return tuple(one.kind for one in self.strata if one.mass > 0)


class Question(NamedTuple):
    """A pair to be judged. Sides and order are shuffled, so that neither shows which clustering joins it."""

    number: int
    left: Id
    right: Id
    kind: str
    draws: int
    """How many times it was drawn at random."""
    share: float | None
    """Its share of the mass of its kind if it is certain, else None."""
    slices: tuple[str | None, ...] = ()
    """The slice of the record for which it was drawn; of both records if it is certain."""
    stored: tuple[tuple[str, str], ...] = ()
    """Answers of earlier rounds: pairs of judge and answer."""

    @property
    def texts(self) -> tuple[str, str]:
        """The texts of the two ids, by which records and answers are found: files have no other types."""
        return id_text(self.left), id_text(self.right)

    @property
    def pair(self) -> tuple[str, str]:
        """The texts of the two ids, in sorted order."""
        left, right = self.texts
        return (left, right) if left <= right else (right, left)


class Questions(Result):
    """Pairs of records for people to judge, as returned by `questions`; `judge` estimates from the answers."""

    KIND = "questions"
    FACTS = questions_document.FACTS
    TABLES: ClassVar[dict[str, Columns]] = {"questions": questions_document.QUESTION}
    MAIN = "sheet"

    def __init__(
        self,
        design: QuestionDesign,
        table: Sequence[Question],
        record: Record,
        shown: dict[str, dict[str, str]] | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        self.design = design
        """How the pairs were drawn."""
        self.table = tuple(table)
        """The pairs, in the order of the sheet."""
        self.record = record
        self.shown = shown or {}
        """The shown values of each record by column, by the id of the record."""
        self.notes = tuple(notes)
        """Notes on the questions."""

    def __len__(self) -> int:
        return len(self.table)

    @property
    def id_columns(self) -> list[tuple[str, str, str]]:
        """The name of each part of an id, and its columns for the left and the right record in the sheet."""
        on = self.record.settings.get("on")
        left, right = (
            list(spread_ids({side: [getattr(one, side) for one in self.table]}, [side], on))
            for side in ("left", "right")
        )
        parts = ["id"] if len(left) == 1 else [name.removeprefix("left_") for name in left]
        return list(zip(parts, left, right, strict=True))

    def show_records(self, records: Any, show: str | Sequence[str] | None = None) -> None:
        """Read the values of the records to be shown, as `questions` does; a key holds none.

        records, show: as in `questions`.
        """
        from clustermark.releases.judgements.gathering import find_shown

        on = str(self.record.settings.get("on") or "")
        named = {true: pred or true for true, _, pred in (part.partition("=") for part in on.split(", ") if part)}
        names = {text for one in self.table for text in one.texts}
        self.shown = find_shown(names, records, show, (), {"on": named or None})

    @property
    def open(self) -> list[Question]:
        """The questions without a stored answer."""
        return [one for one in self.table if not one.stored]

    def facts(self) -> dict[str, Any]:
        """Return the facts of the JSON: how the pairs were drawn, and the seal of the whole key."""
        facts = table_facts(self.record) | {"design": self.design, "notes": self.notes}
        return facts | {"seal": questions_document.seal_of(document_of(self, facts))}

    def tables(self) -> dict[str, Table]:
        """Return the questions with all that `judge` needs; and "sheet", which CSV and frames have."""
        sheet = self._sheet()
        rows = [dict(zip(sheet, row, strict=True)) for row in zip(*sheet.values(), strict=True)]
        columns = {name: Column("count" if name in ("question", "seed") else "label", name) for name in sheet}
        return {"questions": Table(questions_document.QUESTION, self.table), "sheet": Table(columns, rows)}

    def document(self, view: View = SUMMARY) -> Document:
        """Return the document of text, notebook, Markdown, LaTeX and page, which judges must not see."""
        return questions_document.document(self, view)

    def _sheet(self) -> dict[str, list[Any]]:
        """Return the columns of the sheet: the records side by side, and an empty column for the answer."""
        asked = self.open
        ids = {"left": [one.left for one in asked], "right": [one.right for one in asked]}
        shown = {side: [self.shown.get(id_text(name), {}) for name in names] for side, names in ids.items()}
        columns: dict[str, list[Any]] = {"question": [one.number for one in asked]}
        columns |= spread_ids(ids, ids, self.record.settings.get("on"))
        for name in dict.fromkeys(name for values in self.shown.values() for name in values):
            for side in ("left", "right"):
                columns.setdefault(f"{side}_{name}", [values.get(name) for values in shown[side]])
        columns["answer"] = [None] * len(asked)
        columns |= {"sheet": [self.design.fingerprint] * len(asked), "seed": [self.design.seed] * len(asked)}
        for side in ("left", "right"):
            columns[f"{side}_print"] = [
                questions_document.fingerprint(self.shown.get(id_text(name))) for name in ids[side]
            ]
        return columns

    def to_csv(self, *, safe: bool = True) -> str:
        """Return the sheet as CSV: a row for each question without an answer, with no column that judges must not see.

        safe: whether texts that a spreadsheet would run as formulas are preceded by an apostrophe.
        """
        return super().to_csv(safe=safe)

    def write_csv(self, path: str | PathLike[str], *, overwrite: bool = False, safe: bool = True) -> None:
        """Write `to_csv()` to a file. `judge` needs the key too, which `write_json` writes."""
        super().write_csv(path, overwrite=overwrite, safe=safe)

    def to_sheet(self, title: str | None = None) -> str:
        """Return the sheet as a page that works offline: answers by the keys s, d and ?, saved as CSV."""
        return questions_document.render_sheet(self, title)

    def write_sheet(
        self,
        sheet: str | PathLike[str],
        key: str | PathLike[str],
        *,
        overwrite: bool = False,
        title: str | None = None,
        safe: bool = True,
    ) -> None:
        """Write the sheet, which judges fill in, and the key for `judge`, which judges must not see.

        sheet: a page if the name ends in .html or .htm, else CSV.
        key: JSON, as `write_json` writes it.
        title: the title of the page.
        safe: as in `write_csv`.
        """
        if os.path.realpath(sheet) == os.path.realpath(key):
            raise InputError("key: name another file than the sheet; judges must not see which clustering joins a pair")
        is_page = Path(sheet).suffix.lower() in (".html", ".htm")
        text = self.to_sheet(title) if is_page else self.to_csv(safe=safe)
        write_texts([(sheet, text), (key, self.to_json(1) + "\n")], overwrite=overwrite)

    @classmethod
    def from_json(cls, text: str) -> Questions:
        """Read the questions from a key, as `to_json` returns it."""
        try:
            document = json.loads(text)
        except (TypeError, ValueError, RecursionError) as error:
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
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
            raise InputError(
                f"questions: this key is damaged ({error!r}); draw the questions again, with the same seed"
            ) from None

    @classmethod
    def _of(cls, document: dict[str, Any]) -> Questions:
        if document["seal"] != questions_document.seal_of(document):
            raise ValueError("it was changed after it was written")
        said = dict(document["design"])
        said["strata"] = tuple(Stratum(**one) for one in said["strata"])
        said["sampled"] = tuple(
            SampledRecord(**(one | {"mates": {name: tuple(mate) for name, mate in one["mates"].items()}}))
            for one in said["sampled"]
        )
        table = [
            Question(
                **(
                    one
                    | {"slices": tuple(one["slices"]), "stored": tuple(map(tuple, one["stored"]))}
                    | {side: _read_id(one[side]) for side in ("left", "right")}
                )
            )
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
        """The number and purpose of the questions, in one line."""
        design, stored = self.design, len(self) - len(self.open)
        said = f"{len(self):,} questions"
        if design.unit == "record":
            said += f" on {len(design.sampled):,} records"
        what = "of one clustering" if design.alone else "for the change"
        return f"{said} {what}, {design.index}, seed {design.seed}" + (
            f"; {stored:,} answered before" if stored else ""
        )


def _read_id(value: Any) -> Id:
    """Return an id from JSON, where one of several parts is an array."""
    read: Id = tuple(value) if isinstance(value, list) else value
    return read


def make_fingerprint(design: QuestionDesign, table: Sequence[Question]) -> str:
    """Return a hash of the design and the pairs."""
    strata = [list(one) for one in design.strata]
    told = [
        design.index,
        design.unit,
        design.seed,
        design.n,
        strata,
        [[*one.texts, one.kind] for one in table],
    ]
    return sha256(json.dumps(for_json(told)).encode("utf-8", "surrogatepass")).hexdigest()[:16]
