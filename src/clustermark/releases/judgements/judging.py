"""judge(): estimate from answers to questions whether a clustering improved; and its result."""

from __future__ import annotations

from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from clustermark.errors import InputError, Mention, UnsupportedTableError, require_share
from clustermark.evaluation.differences import check_margin
from clustermark.evaluation.record import table_facts
from clustermark.releases.judgements import judgements_document
from clustermark.releases.judgements.answers import (
    Contradiction,
    agreement,
    count_missing,
    decide,
    describe_judges,
    find_contradictions,
    read_answers,
)
from clustermark.releases.judgements.pair_estimates import (
    JudgedPairs,
    Rules,
    count_different,
    estimate_change,
    estimate_pairs,
    estimate_precision,
    estimate_records,
)
from clustermark.releases.judgements.pair_masses import PairKinds, plan_questions
from clustermark.releases.judgements.proportions import Accuracy, Unknown, check_accuracy
from clustermark.releases.judgements.questionnaire import Questions
from clustermark.results.data import Column, Table
from clustermark.results.document import SUMMARY
from clustermark.results.result import Result
from clustermark.results.values import EQUAL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from clustermark.releases.judgements.answers import IdColumns, JudgeRow, Verdicts
    from clustermark.releases.judgements.pair_estimates import Estimate
    from clustermark.releases.judgements.questionnaire import QuestionDesign
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
        self.margin = rules.margin
        """A loss up to this has no practical importance; None without a margin."""
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
                sides = dict(zip(("left", "right"), one.texts, strict=True))
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
            "margin": self.margin,
            "verdict": self.verdict,
            "estimates": _plain(self.estimates),
            "slices": {name: _plain(found) for name, found in self.slices.items()},
            "judges": self.judges,
            "contradictions": self.contradictions,
            "notes": self.notes,
        }

    def tables(self) -> dict[str, Table]:
        """Return the estimates, a row for each; with slices, `slice` is the first column."""
        columns = judgements_document.columns_of(self)
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


_FEW = 10
_WRONG = {"split": ("same", "wrong split"), "merge": ("different", "wrong merge"), "kept": ("different", "wrong pair")}


def judge(
    questions: Questions | str | PathLike[str],
    answers: Any,
    *,
    gold: Any = None,
    sensitivity: float | None = None,
    specificity: float | None = None,
    unknown: Unknown = "bounds",
    looks: int = 1,
    level: float = 0.95,
    margin: float | None = None,
) -> Judgements:
    """Estimate from answers to drawn questions whether and by how much a clustering improved, with intervals.

    questions: the result of `questions`, or the name of the key that was written beside the sheet.
    answers: one or several files saved from a sheet, of one judge or several; a frame with the columns left, right,
        answer and optionally judge; or a mapping from a pair of ids to "same", "different" or "unknown".
    gold: right answers to some of the pairs, in the same forms, from which the accuracy of the judges is measured.
    sensitivity, specificity: the accuracy of the judges, if known: how often they call same pairs "same", and different
        pairs "different".
    unknown: the treatment of pairs without a verdict: for each limit "bounds" takes the worse of both answers, "drop"
        leaves them out.
    looks: how many times the answers are examined before a decision: intervals are wider, so that all looks together
        have the given level.
    level: the probability with which such intervals contain the value for all pairs.
    margin: a loss up to this has no practical importance, such as 0.03 for three points: the probability of a larger
        loss is added.

    >>> from clustermark import questions
    >>> asked = questions([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 2])
    >>> truth = [0, 0, 1, 1, 2, 2]
    >>> same = {(one.left, one.right): truth[one.left] == truth[one.right] for one in asked.table}
    >>> judge(asked, same)
    7 answers, 1 judge, 0 unknown, 0 contradictions
    The new clustering is better: B-cubed precision +22.2 points [+22.2, +22.2], by 7 answers.
    estimate           value                            95% interval    P(better)  verdict
    B-cubed precision  +22.2 points                     [+22.2, +22.2]       100%  better
    good splits        75% of split weight, 4 judged    [75, 75]
    good merges        50% of merged weight, 2 judged   [50, 50]
    good share         67% of changed weight, 6 judged  [67, 67]
    Recall: not known; see index='pair_precision'.
    """
    asked = _open(questions)
    _check(unknown, looks, level)
    if margin is not None:
        check_margin(margin, (0.0, 1.0))
    verdicts = decide(asked, read_answers(answers, ids=asked.id_columns))
    if missing := count_missing(asked.table, verdicts):
        if not verdicts.said:
            raise InputError(
                f"answers: none of the {len(asked):,} questions has an answer; write same, different or ? in the "
                "column answer"
            )
        raise InputError(
            f"answers: {len(verdicts.said):,} of {len(asked):,} questions have an answer, which is too few for "
            f"estimates; answer {missing:,} more"
        )
    accuracy = _read_accuracy(verdicts, gold, asked.id_columns, sensitivity, specificity)
    rules = Rules(1 - (1 - level) / looks, unknown, accuracy, margin)
    design = asked.design
    whole = JudgedPairs(design, asked.table, verdicts.said) if design.unit == "pair" else None
    if accuracy is not None:
        if whole is None:
            raise InputError(
                "the accuracy of judges is for ",
                Mention("unit", "pair"),
                "; leave gold, sensitivity and specificity out",
            )
        check_accuracy(accuracy, whole.tallies())
    estimates = _estimate(design, whole, verdicts, rules)
    slices = {
        name: _estimate(design, JudgedPairs(design, asked.table, verdicts.said, name), verdicts, rules)
        for name in design.slices
    }
    return Judgements(
        estimates={one.name: one for one in estimates},
        slices={name: {one.name: one for one in found} for name, found in slices.items()},
        judges=describe_judges(verdicts),
        contradictions=_name_contradictions(asked, verdicts),
        questions=asked,
        verdicts=verdicts,
        rules=rules,
        looks=looks,
        agreement=agreement(verdicts),
        notes=_notes(asked, verdicts, whole, rules, looks),
    )


def _name_contradictions(asked: Questions, verdicts: Verdicts) -> list[Contradiction]:
    """Return the contradictions, with ids as the questions have them."""
    ids = {text: name for one in asked.table for text, name in zip(one.texts, (one.left, one.right), strict=True)}
    found = find_contradictions(verdicts.said)
    return [Contradiction(ids[one.left], ids[one.right], tuple(ids[name] for name in one.chain)) for one in found]


def _open(questions: Any) -> Questions:
    if isinstance(questions, Questions):
        return questions
    if isinstance(questions, str) or hasattr(questions, "__fspath__"):
        try:
            text = Path(questions).read_text(encoding="utf-8")
        except OSError as error:
            raise InputError(
                f"questions: {questions} cannot be read ({error.strerror}); name the key of the sheet"
            ) from None
        except UnicodeDecodeError:
            raise InputError(f"questions: {questions} is no key of questions; it is not even text") from None
        if not text.lstrip().startswith("{"):
            raise InputError(
                f"questions: {questions} is no key, since it is not JSON; the key, which was written beside the sheet, "
                "comes first, then the answers"
            )
        return Questions.from_json(text)
    raise InputError(
        "questions: pass what questions(before, after) returned, or the name of the key; pairs that somebody chose "
        "have no known probability: they are examples only"
    )


def _check(unknown: object, looks: object, level: object) -> None:
    if unknown not in ("bounds", "drop"):
        raise InputError(Mention("unknown", unknown), " is unknown; choose ", Mention("unknown", "bounds", "drop"))
    if not isinstance(looks, int) or isinstance(looks, bool) or looks < 1:
        raise InputError(Mention("looks", looks), " must be a whole number above 0: how often you look at the answers")
    require_share("level", level, 0.95)


def _estimate(design: QuestionDesign, sample: JudgedPairs | None, verdicts: Verdicts, rules: Rules) -> list[Estimate]:
    """Return the estimates; without a judged pair, only the limits are known."""
    found = _estimate_all(design, sample, verdicts, rules)
    return [
        one if one.n or one.low == one.high else one._replace(value=nan, p_better=None, p_loss=None) for one in found
    ]


def _estimate_all(
    design: QuestionDesign, sample: JudgedPairs | None, verdicts: Verdicts, rules: Rules
) -> list[Estimate]:
    if sample is None:
        return estimate_records(design, verdicts.said, rules)
    if design.alone:
        return estimate_precision(sample, design.index, rules)
    return estimate_change(sample, rules) if design.index == "b_cubed_precision" else estimate_pairs(sample, rules)


def _read_accuracy(
    verdicts: Verdicts, gold: Any, ids: IdColumns, sensitivity: float | None, specificity: float | None
) -> Accuracy | None:
    if gold is None:
        if sensitivity is None and specificity is None:
            return None
        if sensitivity is None or specificity is None:
            raise InputError(Mention("sensitivity"), " and ", Mention("specificity"), " belong together; give both")
        return Accuracy(sensitivity, specificity)  # `check_accuracy` looks at them
    if sensitivity is not None or specificity is not None:
        raise InputError("gold: the accuracy is either measured by gold, or given by sensitivity and specificity")
    right = {answer.pair: answer.said for answer in read_answers(gold, "gold", ids)}
    said = {pair: word for pair, word in verdicts.said.items() if word != "unknown" and pair in right}
    rates, known = [], []
    for word in ("same", "different"):
        seen = [said[pair] == word for pair in said if right[pair] == word]
        if len(seen) < _FEW:
            raise InputError(
                f"gold: {len(seen)} of the judged pairs are {word} by it, and at least {_FEW} are needed to measure "
                "how often judges are right"
            )
        rates.append(sum(seen) / len(seen))
        known.append(len(seen))
    return Accuracy(rates[0], rates[1], (known[0], known[1]))


def _notes(asked: Questions, verdicts: Verdicts, sample: JudgedPairs | None, rules: Rules, looks: int) -> list[str]:
    notes = list(asked.notes)
    if unanswered := len(asked) - len(verdicts.said):
        notes.append(f"{unanswered:,} question(s) have no answer, and count as unknown")
    if verdicts.undrawn:
        notes.append(
            f"{verdicts.undrawn:,} answered pair(s) were not drawn and have no known probability: "
            "they are examples only"
        )
    if verdicts.repeated:
        notes.append(f"{verdicts.repeated:,} answer(s) were changed by their judge; the last one counts")
    if verdicts.twice:
        notes.append(f"{verdicts.twice:,} answer(s) occur twice, by the same judge; each counts once")
    if sample is not None:
        notes += [f"no question on '{kind}' pairs: limits 0 to 1" for kind in sample.unseen()]
        notes += _unanimous(asked.design, sample, rules)
    if rules.accuracy is not None:
        e, f = rules.accuracy.sensitivity, rules.accuracy.specificity
        how = f"measured on {sum(rules.accuracy.known):,} pairs" if any(rules.accuracy.known) else "as given"
        notes.append(
            f"judges call {e:.1%} of same pairs same and {f:.1%} of different ones different ({how}); corrected"
        )
    if looks > 1:
        notes.append(f"{looks} looks: each interval has level {rules.level:.4g}")
    return notes


def _unanimous(design: QuestionDesign, sample: JudgedPairs, rules: Rules) -> Sequence[str]:
    """Return notes on the kinds of which no judged pair is wrong."""
    found = []
    for kind, (word, said) in _WRONG.items():
        stratum = next((one for one in design.strata if one.kind == kind), None)
        n = sample.n(kind) if stratum is not None else 0
        if stratum is None or not n or sample.says(kind, word) or stratum.sure_share == 1.0:
            continue
        different = rules.add(sample.parts(kind, 1.0))
        most = min(1.0, 1 - different.low if word == "same" else different.high)
        found.append(f"No {said} among {n:,}: at most {most:.1%}".replace("%", " %"))
    return found
