"""Judgements, the results of `judge`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from clustermark.errors import Mention, UnsupportedTableError
from clustermark.releases.judgements import judgements_document
from clustermark.releases.judgements.pair_estimates import count_different
from clustermark.releases.judgements.pair_masses import PairKinds, plan_questions
from clustermark.releases.table_facts import table_facts
from clustermark.results.data import Column, Table
from clustermark.results.document import SUMMARY
from clustermark.results.result import Result
from clustermark.results.values import EQUAL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clustermark.releases.judgements.answers import Contradiction, JudgeRow, Verdicts
    from clustermark.releases.judgements.pair_estimates import Estimate, Rules
    from clustermark.releases.judgements.questionnaire import Questions
    from clustermark.results.data import Columns
    from clustermark.results.document import Document, View


class JudgedEstimates(dict[str, "Estimate"]):
    """Estimates by name; a name that cannot be estimated from pairs raises with the reason."""

    def __missing__(self, name: str) -> Estimate:
        if "b_cubed_recall" in name or "b_cubed_f" in name:
            why = "it depends on unknown entity sizes; unit='record' gives it relative to both clusterings"
        else:
            why = "Pairs inside clusters say nothing about records that neither clustering joined."
            if (ratio := self.get("recall_ratio")) is not None and ratio.known:
                why += f" Known: pair recall {' '.join(judgements_document.estimate_texts(ratio)[1:])}."
        raise UnsupportedTableError(f"{name}: {why} (known are {', '.join(self)})")


class Judgements(Result):
    """Estimates from judged pairs for a change, or for one clustering; returned by `judge`."""

    KIND = "judgements"
    FACTS = judgements_document.FACTS
    TABLES: ClassVar[dict[str, Columns]] = {}
    MAIN = "estimates"

    def __init__(
        self,
        estimates: Mapping[str, Estimate],
        slices: Mapping[str, Mapping[str, Estimate]],
        judges: Sequence[JudgeRow],
        contradictions: Sequence[Contradiction],
        questions: Questions,
        verdicts: Verdicts,
        rules: Rules,
        looks: int,
        agreement: tuple[int, float | None],
        notes: Sequence[str],
    ) -> None:
        self.estimates = JudgedEstimates(estimates)
        """The estimates by name, each with its interval."""
        self.slices = {name: JudgedEstimates(found) for name, found in slices.items()}
        """The estimates of each slice."""
        self.judges = tuple(judges)
        """The answers of each judge, counted, and how often others agree."""
        self.contradictions = tuple(contradictions)
        """Pairs judged different whose records are connected by pairs judged the same; ask them again."""
        self.questions = questions
        self.level, self.looks = rules.level, looks
        self.agreement = agreement
        """The number of pairs with several judges, and how often two judges agree."""
        self.notes = tuple(notes)
        """Notes on the estimates."""
        self._verdicts = verdicts

    def __getitem__(self, name: str) -> Estimate:
        return self.estimates[name]

    @property
    def change(self) -> Estimate:
        """The estimate of the index that the questions were drawn for."""
        return self.estimates[self.questions.design.index]

    @property
    def verdict(self) -> str:
        """ "better", "worse" or "not clear"; empty for one clustering."""
        if self.change.scale != "change":
            return ""
        return "better" if self.change.low > EQUAL else "worse" if self.change.high < -EQUAL else "not clear"

    def examples(self, kind: str | None = None, good: bool | None = None) -> list[dict[str, Any]]:
        """Return judged pairs, with the shown values of their records.

        kind: "split", "merge", "shrunk", "grown" or "kept"; all by default.
        good: only pairs that the change gets right (True), or wrong (False).
        """
        found = []
        for one in self.questions.table:
            said = self._verdicts.said.get(one.pair, "unknown")
            if kind not in (None, one.kind) or said == "unknown":
                continue
            # right: to part different records, and to join same ones
            is_good = (said == "different") == (one.kind == "split")
            if good in (None, is_good):
                shown = self.questions.shown
                row = {"question": one.number, "left": one.left, "right": one.right, "kind": one.kind, "answer": said}
                sides = {"left": one.left, "right": one.right}
                records = {f"{side}_record": shown[name] for side, name in sides.items() if name in shown}
                found.append(row | {"good": is_good} | records)
        return found

    def plan(self, half_width: float) -> int:
        """Return how many questions give an interval of the change of this half width; 0.01 is ± 1 point.

        These answers are the pilot. Pass the number as n= in the next round, or in this one again.
        """
        design = self.questions.design
        if design.unit != "pair":
            raise UnsupportedTableError(
                "plan: the number of pairs is estimated from judged pairs; choose ", Mention("unit", "pair")
            )
        kinds = PairKinds(
            design.index,
            {one.kind: one.mass for one in design.strata},
            {one.kind: one.pairs for one in design.strata},
        )
        return plan_questions(kinds, half_width, count_different(self.questions.table, self._verdicts.said))

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of questions, answers, judges and contradictions."""
        said = self._verdicts.said
        return {
            "questions": len(self.questions),
            "answered": len(said),
            "unknown": sum(word == "unknown" for word in said.values()),
            "judges": len(self.judges),
            "judged_by_several": self.agreement[0],
            "contradictions": len(self.contradictions),
            "undrawn": self._verdicts.undrawn,
        }

    def facts(self) -> dict[str, Any]:
        """Return the facts of the JSON: the estimates, and how they were made; an unknown value is None."""
        return table_facts(self.questions.record) | {
            "design": self.questions.design,
            "counts": self.counts,
            "agreement": self.agreement[1],
            "level": self.level,
            "looks": self.looks,
            "verdict": self.verdict,
            "estimates": _plain(self.estimates),
            "slices": {name: _plain(found) for name, found in self.slices.items()},
            "judges": self.judges,
            "contradictions": self.contradictions,
            "notes": self.notes,
        }

    def tables(self) -> dict[str, Table]:
        """Return the estimates, a row for each; with slices, `slice` is the first column."""
        columns = judgements_document.ROW
        rows = [{"slice": "", "estimate": one.name} | one.facts() for one in self.estimates.values()]
        for name, found in self.slices.items():
            rows += [{"slice": name, "estimate": one.name} | one.facts() for one in found.values()]
        if self.slices:
            columns = {"slice": Column("label"), **columns}
        return {"estimates": Table(columns, rows)}

    def document(self, view: View = SUMMARY) -> Document:  # noqa: ARG002
        """Return the document of text, notebook, Markdown, LaTeX and page; with judged pairs and their shown values."""
        return judgements_document.document(self)

    @property
    def title(self) -> str:
        """The numbers of answers, judges and contradictions, in one line."""
        counts = self.counts
        several, agree = self.agreement
        judges = f"{counts['judges']} judge{'' if counts['judges'] == 1 else 's'}"
        if agree is not None:
            judges += f" ({agree:.0%} agreement on {several:,})".replace("%", " %")
        wrong = counts["contradictions"]
        return (
            f"{counts['answered']:,} answers, {judges}, {counts['unknown']:,} unknown, "
            f"{wrong:,} contradiction{'' if wrong == 1 else 's'}"
        )


def _plain(found: Mapping[str, Estimate]) -> dict[str, dict[str, Any]]:
    return {name: one.facts() for name, one in found.items()}
