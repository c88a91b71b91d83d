"""What `judge` returns."""

from __future__ import annotations

from html import escape
from math import isinf
from typing import TYPE_CHECKING, Any

from clustermark.errors import Mention, UnsupportedTableError, spell
from clustermark.releases.judgements.pair_estimates import count_different
from clustermark.releases.judgements.pair_masses import PairKinds, plan_questions
from clustermark.report.record import judgements_document
from clustermark.results.files import write_text
from clustermark.results.frames import Columnar
from clustermark.results.json import json_text
from clustermark.tables.columnar import label_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike

    from clustermark.releases.judgements.answers import Contradiction, JudgeRow, Verdicts
    from clustermark.releases.judgements.pair_estimates import Estimate, Rules
    from clustermark.releases.judgements.questionnaire import Questions

_FIRST = ("b_cubed_precision", "pair_precision", "pair_precision_before", "pair_precision_after", "good_splits")
ROUNDED = 1e-12
"""So much of a change may be left by rounding where there is none."""
_WEIGHED = {"good_splits": "split", "good_merges": "merged", "good_share": "changed"}
"""What shares are of: pairs weigh what they weigh in the index, and do not all count alike."""
_PRINTED = (*_FIRST, "good_merges", "good_share", "recall_ratio", "pooled_b_cubed_recall", "pooled_iq")


class JudgedEstimates(dict[str, "Estimate"]):
    """Estimates by name; what pairs cannot tell is refused with the reason."""

    def __missing__(self, name: str) -> Estimate:
        if "b_cubed_recall" in name or "b_cubed_f" in name:
            why = "it depends on entity sizes nobody has seen; unit='record' gives it relative to what either found"
        else:
            why = "Pairs inside clusters say nothing about records that neither clustering joined."
            if (ratio := self.get("recall_ratio")) is not None and ratio.known:
                why += f" Known: pair recall × {ratio.value:.3f} [{ratio.low:.3f}, {ratio.high:.3f}]."
        raise UnsupportedTableError(f"{name}: {why} (known are {', '.join(self)})")


class Judgements(Columnar):
    """What judged pairs say of a change, or of one clustering."""

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
        """By name, each with its interval."""
        self.slices = {name: JudgedEstimates(found) for name, found in slices.items()}
        """The same for each slice that was asked for."""
        self.judges = tuple(judges)
        """How many answers each judge gave, and how often others agree."""
        self.contradictions = tuple(contradictions)
        """Pairs called different within a chain of pairs called the same: ask them again."""
        self.questions = questions
        self.level, self.looks = rules.level, looks
        self.agreement = agreement
        """How many pairs several judges have judged, and how often two of them agree."""
        self.notes = tuple(notes)
        """What to know before the estimates are believed."""
        self._verdicts = verdicts

    def __getitem__(self, name: str) -> Estimate:
        return self.estimates[name]

    @property
    def change(self) -> Estimate:
        """The estimate that the questions were drawn for."""
        return self.estimates[self.questions.design.index]

    @property
    def verdict(self) -> str:
        """Whether the change is "better" or "worse", or that this is "not clear"; empty for one clustering."""
        if self.change.scale != "change":
            return ""
        return "better" if self.change.low > ROUNDED else "worse" if self.change.high < -ROUNDED else "not clear"

    def examples(self, kind: str | None = None, good: bool | None = None) -> list[dict[str, Any]]:
        """Judged pairs, with what was shown of their records.

        kind: "split", "merge", "shrunk", "grown" or "kept"; by default all.
        good: whether what the change did with them is right, or wrong.
        """
        found = []
        for one in self.questions.table:
            said = self._verdicts.said.get(one.pair, "unknown")
            if kind not in (None, one.kind) or said == "unknown":
                continue
            # to part different records is right, and so is to join the same ones
            is_good = (said == "different") == (one.kind == "split")
            if good in (None, is_good):
                shown = self.questions.shown
                row = {"question": one.number, "left": one.left, "right": one.right, "kind": one.kind, "answer": said}
                sides = {"left": one.left, "right": one.right}
                records = {f"{side}_record": shown[name] for side, name in sides.items() if name in shown}
                found.append(row | {"good": is_good} | records)
        return found

    def plan(self, half_width: float) -> int:
        """How many questions make the interval of the change about so wide: 0.01 is ± 1 point.

        These answers are the pilot; ask so many in the next round, with n=, or in this one again.
        """
        design = self.questions.design
        if design.unit != "pair":
            raise UnsupportedTableError(
                "plan: how many pairs to ask is known from pairs; choose ", Mention("unit", "pair")
            )
        kinds = PairKinds(
            design.index,
            {one.kind: one.mass for one in design.strata},
            {one.kind: one.pairs for one in design.strata},
        )
        return plan_questions(kinds, half_width, count_different(self.questions.table, self._verdicts.said))

    @property
    def counts(self) -> dict[str, int]:
        """How many questions there are, and what became of them."""
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

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns `estimate`, `title`, `value`, `low`, `high`, `n` and `scale`; with slices, `slice` first."""
        rows = [("", one.facts()) for one in self.estimates.values()]
        rows += [(name, one.facts()) for name, found in self.slices.items() for one in found.values()]
        columns: dict[str, list[Any]] = {"slice": [name for name, _ in rows]} if self.slices else {}
        columns["estimate"] = [one["name"] for _, one in rows]
        return columns | {
            name: [one[name] for _, one in rows] for name in ("title", "value", "low", "high", "n", "scale")
        }

    def to_document(self) -> dict[str, Any]:
        """All of it, as JSON has it."""
        design = self.questions.design
        asked = {
            name: getattr(design, name) for name in ("index", "unit", "seed", "n", "alone", "fingerprint", "impact")
        }
        said = {
            "design": asked,
            "counts": self.counts,
            "agreement": self.agreement[1],
            "level": self.level,
            "looks": self.looks,
            "verdict": self.verdict,
            "estimates": _plain(self.estimates),
            "slices": {name: _plain(found) for name, found in self.slices.items()},
            "judges": [one._asdict() for one in self.judges],
            "contradictions": [one._asdict() for one in self.contradictions],
            "notes": list(self.notes),
        }
        return judgements_document(self.questions.record, said)

    def to_json(self, indent: int | None = None) -> str:
        """All of it as JSON; `json_schema()` says how. A value that nobody judged is null."""
        return json_text(self.to_document(), indent)

    def write_json(self, path: str | PathLike[str], *, overwrite: bool = False) -> None:
        """Write the JSON to a file."""
        write_text(self.to_json(indent=2) + "\n", path, overwrite=overwrite)

    def report(self, title: str | None = None) -> str:
        """A page of HTML that shows it all, with judged pairs and what was shown of them, and loads nothing else."""
        from clustermark.report.page import judgements

        return judgements.html(self, title)

    def write_report(self, path: str | PathLike[str], title: str | None = None, *, overwrite: bool = False) -> None:
        """Write `report()` to a file: one page to send, keep and print. It holds the records that were shown."""
        write_text(self.report(title), path, overwrite=overwrite)

    @property
    def title(self) -> str:
        """How many answers there are, in words."""
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

    def lines(self) -> list[list[str]]:
        """The main estimates as texts: title, value, interval, verdict."""
        chosen = [one for name in _PRINTED if (one := self.estimates.get(name)) is not None]
        return [[*describe(one), self.verdict if one is self.change else ""] for one in chosen]

    def remarks(self, mention: Callable[[Mention], str] = str) -> list[str]:
        """What else is to be said, each in a line; `mention` spells options."""
        design, said = self.questions.design, []
        for name, found in self.slices.items():
            change = found.get(design.index)
            told = "one of the clusterings joins no pair there" if change is None else "  ".join(describe(change)[1:])
            said.append(f"{label_text(name)}: {told}")
        if design.alone:
            said.append("Recall: not known from pairs inside clusters.")
        elif design.unit == "record":
            said.append("Recall: relative to what either clustering found.")
        elif design.index == "b_cubed_precision":
            said.append(spell(["Recall: not known; see ", Mention("index", "pair_precision"), "."], mention))
        said += [
            f"ask again: {label_text(one.left)} and {label_text(one.right)} were called different, and are linked by "
            f"same pairs ({' – '.join(map(label_text, one.chain))})"
            for one in self.contradictions[:5]
        ]
        return [*said, *self.notes]

    def __repr__(self) -> str:
        lines = self.lines()
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        said = ("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)
        return "\n".join([self.title, *said, *self.remarks()])

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in line)}</tr>" for line in self.lines())
        notes = "".join(f"<p>{escape(line)}</p>" for line in self.remarks())
        return f"<table><caption>{escape(self.title)}</caption>{rows}</table>{notes}"


def _plain(found: Mapping[str, Estimate]) -> dict[str, dict[str, Any]]:
    return {name: one.facts() for name, one in found.items()}


def describe(one: Estimate) -> list[str]:
    """Title, value and interval in words."""
    if not one.known:
        return [one.title, "not known" if one.n else "not known, none judged", ""]
    if one.scale == "change":
        # + 0.0 makes a zero of a negative one
        value, low, high = (f"{round(100 * number, 1) + 0.0:+.1f}" for number in (one.value, one.low, one.high))
        return [one.title, f"{value} points", f"[{low}, {high}]"]
    if one.scale == "share":
        value, low, high = (f"{100 * number:.0f}" for number in (one.value, one.low, one.high))
        return [one.title, f"{value} % of {_WEIGHED[one.name]} weight, {one.n:,} judged", f"[{low}, {high}]"]
    digits = 3 if one.scale == "ratio" else 4
    value, low, high = ("∞" if isinf(number) else f"{number:.{digits}f}" for number in (one.value, one.low, one.high))
    return [one.title, f"× {value}" if one.scale == "ratio" else value, f"[{low}, {high}]"]
