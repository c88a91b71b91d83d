"""Answers of judges: read from sheets, files, frames and mappings, and combined to one verdict for each pair."""

from __future__ import annotations

import csv
import re
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from io import StringIO
from itertools import combinations, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from clustermark.errors import InputError, Mention
from clustermark.labels.alignment import id_text, text_parts
from clustermark.results.values import label_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from clustermark.releases.judgements.questionnaire import Question, Questions

Said: TypeAlias = Literal["same", "different", "unknown"]
_WORDS: dict[str, Said] = {
    **dict.fromkeys(("same", "s", "yes", "y", "1", "true", "match"), "same"),
    **dict.fromkeys(("different", "d", "no", "n", "0", "false", "other"), "different"),
    **dict.fromkeys(("unknown", "?", "u", "unsure"), "unknown"),
}
_NEEDED = "a file of answers is CSV with the columns left, right and answer"
IdColumns: TypeAlias = "Sequence[tuple[str, str, str]]"
"""The name of each part of an id, and its columns for the left and the right record."""
ONE_PART: IdColumns = (("id", "left", "right"),)
_NOT_ANSWERS = {"": "empty", "{": "JSON, perhaps the key of the sheet", "<": "a page, perhaps the sheet itself"}
"""Files that are no answers, by their first character."""
_GUARDED = re.compile(r"\A'(?=[=+\-@\t\r\n＝＋－＠'])")
"""The apostrophe that sheets put before texts that a spreadsheet would run as a formula."""


class Answer(NamedTuple):
    """The answer of one judge on one pair."""

    pair: tuple[str, str]
    said: Said
    judge: str
    date: str = ""
    question: str = ""
    sheet: str = ""
    """The fingerprint of the questions."""
    seed: str = ""
    prints: tuple[tuple[str, str], ...] = ()
    """The fingerprint of the shown values of each record."""
    where: str = ""
    """The file and the row, for messages."""

    def fits(self, prints: Mapping[str, str | None]) -> bool:
        """Return whether the records still have the values that the judge saw, as far as both are known."""
        return all(prints.get(name) in (None, seen) for name, seen in self.prints if seen)


def read_answers(answers: Any, whose: str = "answers", ids: IdColumns = ONE_PART) -> list[Answer]:
    """Read all answers, in the given order, from files, frames or mappings, each from a separate judge.

    ids: the columns of the ids of both records, as `Questions.id_columns` names them.
    A judge without a name is named after the file, with a number appended if that name is taken.
    """
    judges: dict[object, str] = {}
    found: list[Answer] = []
    parts = list(_list_parts(answers))
    if not parts:
        raise _unreadable(whose)
    for part in parts:
        path = Path(part) if isinstance(part, str) or hasattr(part, "__fspath__") else None
        key, name = (id(part), "judge") if path is None else (path.absolute(), path.stem)
        if key not in judges:
            names = (f"{name} ({number})" if number > 1 else name for number in count(1))
            judges[key] = next(one for one in names if one not in judges.values())
        found += _read_part(part if path is None else path, whose, judges[key], ids)
    return found


def _list_parts(answers: Any) -> Iterator[Any]:
    """Yield the files, frames and mappings one by one."""
    whole = isinstance(answers, str | Mapping) or any(
        hasattr(answers, name) for name in ("__fspath__", "columns", "schema")
    )
    if whole or not isinstance(answers, Iterable):
        yield answers
    else:
        for part in answers:
            yield from _list_parts(part)


def _read_part(answers: Any, whose: str, judge: str, ids: IdColumns) -> list[Answer]:
    if isinstance(answers, Path):
        return _read_file(answers, whose, judge, ids)
    if isinstance(answers, Mapping):
        return _of_mapping(answers, whose, judge)
    if hasattr(answers, "columns") or hasattr(answers, "schema"):
        return _of_frame(answers, whose, judge, ids)
    raise _unreadable(whose)


def _unreadable(whose: str) -> InputError:
    return InputError(
        f"{whose}: pass a file that the sheet saved, a list of such files, a frame with the columns left, right and "
        "answer, or a mapping from a pair of ids to 'same', 'different' or 'unknown'"
    )


def _read_file(path: Path, whose: str, judge: str, ids: IdColumns) -> list[Answer]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:  # ids may contain any line break
            text = file.read()
    except OSError as error:
        raise InputError(f"{whose}: {path} cannot be read ({error.strerror}); name a file of answers") from None
    except UnicodeDecodeError:
        raise InputError(f"{whose}: {path} is not UTF-8; save it as CSV in UTF-8") from None
    if wrong := _NOT_ANSWERS.get(text.lstrip()[:1]):
        raise InputError(f"{whose}: {path} is {wrong}; {_NEEDED}")
    delimiter = max(",;\t", key=text.splitlines()[0].count)
    rows = csv.DictReader(StringIO(text, newline=""), delimiter=delimiter)
    plain = ({name: _GUARDED.sub("", value or "", 1) for name, value in row.items() if name} for row in rows)
    return _of_rows(rows.fieldnames or (), plain, judge, f"{whose}: {path}", ids)


def _of_frame(frame: Any, whose: str, judge: str, ids: IdColumns) -> list[Answer]:
    from clustermark.sources.tabular import open_columns

    with open_columns(frame, whose, {}) as table:
        names = list(table.kinds)
        lists = [list(map(_plain, column)) for column in table.read(names)]
    rows = (dict(zip(names, row, strict=True)) for row in zip(*lists, strict=True))
    return _of_rows(names, rows, judge, whose, ids)


def _plain(value: Any) -> str | None:
    value = value.as_py() if hasattr(value, "as_py") else value
    return None if value is None or value != value else id_text(value)


def _of_rows(
    columns: Collection[str], rows: Iterable[Mapping[str, Any]], judge: str, said: str, ids: IdColumns
) -> list[Answer]:
    ends = [[names[side] for names in ids] for side in (1, 2)]
    needed = [*ends[0], *ends[1]]
    for name in (*needed, "answer"):
        if name not in columns:
            listed = f"the columns {', '.join(needed)} and answer"
            raise InputError(f"{said}: there is no column {name!r}; a file of answers is CSV with {listed}")
    found = []
    for number, row in enumerate(rows, 2):
        word = (row["answer"] or "").strip()
        if not word:
            continue
        left, right = (_text_of([row[name] or "" for name in names]) for names in ends)
        prints = ((left, row.get("left_print") or ""), (right, row.get("right_print") or ""))
        names = {name: (row.get(name) or "").strip() for name in ("date", "question", "sheet", "seed")}
        chosen = (row.get("judge") or "").strip() or judge
        where = f"{said}, row {number}"
        found.append(Answer(_order(left, right), _read_word(word, where), chosen, **names, prints=prints, where=where))
    return found


def _text_of(parts: Sequence[str]) -> str:
    """Return the text of an id from the texts of its parts; empty if all are."""
    return (id_text(tuple(parts)) if len(parts) > 1 else parts[0]) if any(parts) else ""


def _of_mapping(answers: Mapping[Any, Any], whose: str, judge: str) -> list[Answer]:
    found = []
    for pair, word in answers.items():
        if not isinstance(pair, tuple | frozenset) or len(pair) != 2:
            raise InputError(f"{whose}: {pair!r} is no pair of ids; pass a mapping from (left, right) to an answer")
        if word is not None:
            found.append(Answer(_order(*map(id_text, pair)), _read_word(word, f"{whose}: {pair!r}"), judge))
    return found


def _read_word(word: Any, where: str) -> Said:
    if isinstance(word, bool):
        return "same" if word else "different"
    said = _WORDS.get(str(word).strip().lower())
    if said is None:
        raise InputError(f"{where}: {word!r} is no answer; write same, different, or ? where nobody can tell")
    return said


def _order(left: str, right: str) -> tuple[str, str]:
    return (left, right) if left <= right else (right, left)


class Verdicts(NamedTuple):
    """The verdicts on the pairs that were asked."""

    said: dict[tuple[str, str], Said]
    """The majority of each pair; a tie is "unknown". Pairs without an answer are absent."""
    votes: dict[tuple[str, str], dict[str, Said]]
    """The answer of each judge on each pair."""
    undrawn: int
    """Number of answered pairs that were not drawn."""
    repeated: int
    """Number of answers that their judge changed later."""
    twice: int
    """Number of repeated answers, such as from a file that is passed twice."""


def decide(questions: Questions, answers: Sequence[Answer]) -> Verdicts:
    """Return one verdict for each pair: the last answer of each judge counts, and the majority of judges."""
    known = {one.pair for one in questions.table}
    votes: dict[tuple[str, str], dict[str, Answer]] = {}
    undrawn: set[tuple[str, str]] = set()
    repeated = twice = 0
    by_number = {str(one.number): one for one in questions.table}
    mine = questions.design.fingerprint
    for one in answers:
        if one.sheet and one.sheet != mine:
            raise other_questions_error()
        pair = _find_pair(one, by_number.get(one.question) if one.sheet else None)
        if pair not in known:
            undrawn.add(pair)
            continue
        of_pair = votes.setdefault(pair, {})
        if one.judge in of_pair:
            changed = one.said != of_pair[one.judge].said
            repeated, twice = repeated + changed, twice + (not changed)
        if one.judge not in of_pair or one.date >= of_pair[one.judge].date:
            of_pair[one.judge] = one
    if answers and undrawn and not votes:
        raise other_questions_error()
    for question in questions.table:
        for judge, said in question.stored:
            stored = Answer(question.pair, said, judge)  # type: ignore[arg-type]
            votes.setdefault(question.pair, {}).setdefault(judge, stored)
    words: dict[tuple[str, str], dict[str, Said]] = {}
    for pair, of_pair in votes.items():
        words[pair] = {judge: one.said for judge, one in of_pair.items()}
    united: dict[tuple[str, str], Said] = {pair: _majority(of_pair.values()) for pair, of_pair in words.items()}
    return Verdicts(united, words, len(undrawn), repeated, twice)


def _find_pair(answer: Answer, question: Question | None) -> tuple[str, str]:
    """Return the judged pair; if the question is known, the ids must be those of the question, or empty."""
    if question is None or answer.pair == question.pair:
        return answer.pair
    if answer.pair == ("", ""):
        return question.pair
    asked, given = ([_say(name) for name in pair] for pair in (question.texts, answer.pair))
    raise InputError(
        f"{answer.where}: question {question.number} is about {' and '.join(asked)}, not {' and '.join(given)}; "
        "correct the row, or leave left and right empty if a spreadsheet changed ids"
    )


def _say(text: str) -> str:
    """Return the text of an id for a message; parts are separated by a comma."""
    return label_text(", ".join(text_parts(text)))


def other_questions_error() -> InputError:
    """Return the error for answers to other questions."""
    return InputError(
        "answers: fingerprints differ: these answers belong to other questions; draw anew, and pass them as ",
        *(Mention("store"), ": stored answers are looked up"),
    )


def _majority(votes: Iterable[Said]) -> Said:
    count = Counter(votes)
    same, different = count["same"], count["different"]
    return "same" if same > different else "different" if different > same else "unknown"


class JudgeRow(NamedTuple):
    """The answers of one judge, counted."""

    judge: str
    answers: int
    same: int
    different: int
    unknown: int
    agreement: float | None
    """How often other judges gave the same answer on the same pair; None if these pairs have no other judge."""


def describe_judges(verdicts: Verdicts) -> list[JudgeRow]:
    """Return the judges in order of their names."""
    judges = sorted({judge for votes in verdicts.votes.values() for judge in votes})
    rows = []
    for judge in judges:
        mine = [votes for votes in verdicts.votes.values() if judge in votes]
        count = Counter(votes[judge] for votes in mine)
        others = [votes[judge] == said for votes in mine for other, said in votes.items() if other != judge]
        rows.append(
            JudgeRow(judge, len(mine), count["same"], count["different"], count["unknown"],
                     sum(others) / len(others) if others else None)
        )  # fmt: skip
    return rows


def agreement(verdicts: Verdicts) -> tuple[int, float | None]:
    """Return how many pairs have several judges, and how often two judges agree."""
    several = [list(votes.values()) for votes in verdicts.votes.values() if len(votes) > 1]
    pairs = [one == other for votes in several for one, other in combinations(votes, 2)]
    return len(several), sum(pairs) / len(pairs) if pairs else None


class Contradiction(NamedTuple):
    """A pair judged "different" whose records are connected by pairs judged "same"."""

    left: Any
    right: Any
    chain: tuple[Any, ...]
    """Ids from one record to the other, each judged the same as the next."""


def find_contradictions(said: Mapping[tuple[str, str], Said]) -> list[Contradiction]:
    """Return the contradictions, which should be asked again: only a judge can decide which answer is wrong."""
    near: dict[str, list[str]] = {}
    for (left, right), word in said.items():
        if word == "same":
            near.setdefault(left, []).append(right)
            near.setdefault(right, []).append(left)
    chains = ((pair, _chain(near, *pair)) for pair, word in sorted(said.items()) if word == "different")
    return [Contradiction(*pair, chain) for pair, chain in chains if chain]


def _chain(near: Mapping[str, Sequence[str]], begin: str, end: str) -> tuple[str, ...]:
    came_from = {begin: begin}
    queue = deque([begin] if begin in near and end in near else [])
    while queue:
        name = queue.popleft()
        for other in near[name]:
            if other not in came_from:
                came_from[other] = name
                queue.append(other)
        if end in came_from:
            break
    if end not in came_from:
        return ()
    chain = [end]
    while chain[-1] != begin:
        chain.append(came_from[chain[-1]])
    return tuple(reversed(chain))


def count_missing(questions: Sequence[Question], verdicts: Verdicts) -> int:
    """Return how many more answers are needed: four in five questions must have one."""
    answered = sum(one.pair in verdicts.said for one in questions)
    return max(0, -(-4 * len(questions) // 5) - answered)
