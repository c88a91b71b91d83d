"""questions(): draw pairs of records whose judgement shows whether a clustering improved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack, get_args

from clustermark.errors import InputError, Mention, require_positive
from clustermark.labels.alignment import id_text
from clustermark.options import with_table_options
from clustermark.releases.judgements.gathering import open_population
from clustermark.releases.judgements.pair_masses import B_CUBED, PAIRS, PairIndex, plan_questions
from clustermark.releases.judgements.pair_sampling import DrawnPair, draw_pairs, draw_records, hash_ids, weigh_kinds
from clustermark.releases.judgements.questionnaire import (
    Question,
    QuestionDesign,
    Questions,
    Stratum,
    make_fingerprint,
)
from clustermark.releases.judgements.questions_document import fingerprint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clustermark.evaluation.record import Record
    from clustermark.labels.conversion import Labels
    from clustermark.options import TableOptions
    from clustermark.releases.judgements.pair_sampling import KindDraws, SampledRecord
    from clustermark.releases.judgements.population import Population
    from clustermark.sources.recognition import Source

_USUAL = 300
_MOST_FOR_RECORDS = 50
"""The largest average number of questions for each drawn record."""


@with_table_options
def questions(
    before: Labels | Source,
    after: Labels | Source | None = None,
    n: int | None = None,
    seed: int = 0,
    *,
    half_width: float | None = None,
    index: PairIndex = "b_cubed_precision",
    unit: Literal["pair", "record"] = "pair",
    by: Any = None,
    records: Any = None,
    show: str | Sequence[str] | None = None,
    store: Any = None,
    old: str | None = None,
    new: str | None = None,
    **options: Unpack[TableOptions],
) -> Questions:
    """Draw pairs of records for people to judge; `judge` estimates from the answers whether a change was right.

    before, after: two clusterings of the same records, as `crosstab` takes a truth and a prediction: labels, mappings
        from id to cluster, or sources with on=, whose columns are named by old= and new=.
        For a single clustering, the questions are about its precision.
    n: the approximate number of questions, 300 by default; with unit="record" the number of records.
    half_width: instead of n, half the width of the interval of the change, such as 0.01 for ± 1 point; the number of
        questions is chosen accordingly, or somewhat larger. `Judgements.plan` computes it from answers.
    seed: the same seed draws the same pairs of the same clusterings from memory, files and engines, and mostly the
        same pairs of later clusterings. If answers guided the clustering after, use a new seed.
    index: "b_cubed_precision", or "pair_precision", which also gives the ratio of the two pair recalls.
    unit: "pair", or "record": an affected record and all records that are with it in either clustering; this gives
        recall relative to both clusterings, and takes more questions.
    by: slices that are estimated separately: a column of a source, or labels in the form of `before`.
    records, show: the source of the values that a judge sees, and the columns to show; a source with an id, or a
        mapping from id to values. All columns are shown by default; without records, judges see ids only.
    old, new: the columns with the clusters before and after, also called true and pred as in `crosstab`.
    store: answers of earlier rounds, as `judge` takes them; pairs with an answer are not asked again.
    unmatched: records of one side only are dropped by default.

    {options}

    >>> asked = questions([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 2], n=100)
    >>> asked
    7 questions for the change, b_cubed_precision, seed 0
    kind    pairs   weight  questions
    split       4   0.4444          4
    merge       2   0.2222          2
    shrunk      1  0.05556          1
    grown       0        0          0
    question  left  right
           1  4     2
           2  3     2
           3  2     0
           4  1     0
           5  2     1
           6  4     5
           7  3     5
    """
    _check(n, seed, index, unit)
    if half_width is not None:
        if n is not None or unit == "record":
            raise InputError(
                Mention("half_width", half_width),
                " determines how many pairs are drawn; leave out n, and ",
                Mention("unit", "record"),
            )
        require_positive("half_width", half_width, 0.01)
    columns: Any = {"true": old, "pred": new}
    options |= {name: column for name, column in columns.items() if column is not None}  # type: ignore[typeddict-item]
    with open_population(before, after, by, options) as (population, alone):
        if unit == "record":
            if by is not None:
                raise InputError(Mention("by", by), ": slices are supported with ", Mention("unit", "pair"), " only")
            design, table = _ask_records(population, n or _USUAL, seed, index, alone=alone)
        else:
            design, table = _ask_pairs(population, n or _USUAL, half_width, seed, index, alone=alone)
        record = population.record
        known = population.known_ids
        table = [one._replace(left=known[id_text(one.left)], right=known[id_text(one.right)]) for one in table]
    from clustermark.releases.judgements.gathering import find_labels, find_shown

    names = {name for question in table for name in question.texts}
    sources = [one for one in (after, before) if one is not None]
    hidden: set[Any] = {record.settings.get(side) or options.get(side) for side in ("true", "pred")} - {None}
    if not hidden and not (records is None and show is None):
        hidden = find_labels(sources, options, by)
    shown = find_shown(names, records, show, sources, options, hidden)
    asked = Questions(design, table, record, shown)
    asked.table, notes = _look_up(asked, store)
    asked.notes = (*_tell_lone(record, options), *_fewer(design), *notes)
    return asked


def _tell_lone(record: Record, options: Mapping[str, Any]) -> list[str]:
    """Return a note on the records that one clustering lacks, if they are left out."""
    lone = record.points["unmatched"] if (options.get("unmatched") or "drop") == "drop" else 0
    return [f"{lone:,} record(s) are in one clustering only, and left out"] if lone else []


def _check(n: object, seed: object, index: object, unit: object) -> None:
    if n is not None and (not isinstance(n, int) or isinstance(n, bool) or n < 1):
        raise InputError(Mention("n", n), " must be a whole number above 0, such as 300")
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise InputError(Mention("seed", seed), " must be a whole number")
    if index not in get_args(PairIndex):
        refused = str(index)
        why = (
            "pairs inside clusters say nothing about records that neither clustering joined"
            if any(word in refused for word in ("recall", "rand", "_f", "dice", "jaccard", "mutual"))
            else "it cannot be estimated from judged pairs"
        )
        raise InputError(Mention("index", index), f": {why}; choose ", Mention("index", *get_args(PairIndex)))
    if unit not in ("pair", "record"):
        raise InputError(Mention("unit", unit), " is unknown; choose ", Mention("unit", "pair", "record"))


def _ask_pairs(
    population: Population, n: int, half_width: float | None, seed: int, index: str, *, alone: bool
) -> tuple[QuestionDesign, list[Question]]:
    kinds: tuple[str, ...] = ("kept",) if alone else B_CUBED if index == "b_cubed_precision" else PAIRS
    groups = population.groups
    if not alone and not groups.affected:
        raise InputError("0 records affected: nothing to judge; the clusterings are the same")
    if alone and not groups.mass("kept", index):
        raise InputError("every record has a cluster of its own: there is no pair to judge")
    if not alone and index == "pair_precision":
        for side, kind in (("before", "split"), ("after", "merge")):
            if not groups.mass("kept", index) + groups.mass(kind, index):
                raise InputError(
                    f"{side} joins no pair: every record has a cluster of its own, and there is no pair precision; "
                    "choose ",
                    Mention("index", "b_cubed_precision"),
                )
    weighed = weigh_kinds(population, kinds, index)
    n = n if half_width is None else plan_questions(weighed, half_width)
    found = draw_pairs(population, weighed, n, seed)
    table = _shuffle(_merge_draws(found), seed)
    slices = {
        name: {kind: group.mass(kind, index) for kind in kinds} | {"share": group.weight / groups.weight}
        for name, group in population.slices(kinds).items()
    }
    strata = tuple(_stratum(one) for one in found)
    design = QuestionDesign(
        index, "pair", seed, n, strata, _impact(population, alone), groups.weight, slices, (), alone
    )
    return _sign(design, table), table


def _ask_records(
    population: Population, n: int, seed: int, index: str, *, alone: bool
) -> tuple[QuestionDesign, list[Question]]:
    if alone or index != "b_cubed_precision":
        raise InputError(
            Mention("unit", "record"),
            " compares two clusterings by b_cubed_precision; for others choose ",
            Mention("unit", "pair"),
        )
    groups = population.groups
    if not groups.affected:
        raise InputError("0 records affected: nothing to judge; the clusterings are the same")
    affected = int(population.counted.total(population.counted.masses("affected", "")))
    sampled = tuple(draw_records(population, min(n, affected), seed))
    table = _shuffle(_pairs_of(sampled), seed)
    if len(table) > max(1000, _MOST_FOR_RECORDS * len(sampled)):
        raise InputError(
            Mention("n", n),
            f": these records take {len(table):,} questions; ask for fewer records, or choose ",
            Mention("unit", "pair"),
        )
    whole = len(sampled) == affected
    strata = (
        Stratum(
            "affected", groups.affected, affected, 0 if whole else len(sampled), len(sampled) * whole, float(whole)
        ),
    )
    design = QuestionDesign(
        index, "record", seed, n, strata, _impact(population, alone=False), groups.weight, {}, sampled
    )
    return _sign(design, table), table


def _fewer(design: QuestionDesign) -> list[str]:
    """Return a note if fewer records were drawn than requested."""
    drawn = len(design.sampled)
    if design.unit == "pair" or drawn >= min(design.n, design.strata[0].pairs):
        return []
    return [
        f"{drawn:,} of {design.n:,} records were drawn: one weighs more than {1 / (drawn + 1):.0%} of all affected "
        "records, and in a larger sample it would count too little; ask for pairs instead"
    ]


def _impact(population: Population, alone: bool) -> dict[str, float]:
    groups = population.groups
    if alone:
        return {}
    return {
        "split_rate": groups.mass("split", "b_cubed_precision"),
        "merge_rate": groups.mass("merge", "b_cubed_precision"),
        "distance": groups.distance,
        "affected": groups.affected,
    }


def _stratum(drawn: KindDraws) -> Stratum:
    sure = [draw.share for draw in drawn.draws if draw.share is not None]
    share = 1.0 if sure and len(sure) == drawn.pairs else sum(sure)
    listed = drawn.pairs - len(sure) if drawn.listed else 0
    return Stratum(drawn.kind, drawn.mass, drawn.pairs, len(drawn.draws) - len(sure), len(sure), share, listed)


def _merge_draws(found: Sequence[KindDraws]) -> list[Question]:
    """Return one question for each pair, with the number of times it was drawn."""
    united: dict[tuple[str, str], Question] = {}
    for drawn in found:
        for draw in drawn.draws:
            pair = _order(draw)
            times = int(draw.share is None)
            old = united.get(pair, Question(0, *pair, drawn.kind, 0, draw.share))
            united[pair] = old._replace(draws=old.draws + times, slices=old.slices + draw.slices)
    return list(united.values())


def _order(draw: DrawnPair) -> tuple[str, str]:
    return (draw.first, draw.second) if draw.first <= draw.second else (draw.second, draw.first)


def _pairs_of(sampled: Sequence[SampledRecord]) -> list[Question]:
    found: dict[tuple[str, str], Question] = {}
    for one in sampled:
        for name, (kind, _) in one.mates.items():
            pair = (one.name, name) if one.name <= name else (name, one.name)
            old = found.get(pair, Question(0, *pair, kind, 0, None))
            found[pair] = old._replace(draws=old.draws + 1)
    return list(found.values())


def _shuffle(table: list[Question], seed: int) -> list[Question]:
    """Shuffle the order and the sides, so that neither shows which clustering joins a pair."""
    numbers = hash_ids([f"order\x1e{one.left}\x1e{one.right}" for one in table], seed).tolist()
    shuffled = []
    for place, (number, one) in enumerate(
        sorted(zip(numbers, table, strict=True), key=lambda both: (both[0], both[1].pair))
    ):
        left, right = (one.right, one.left) if number & 1 else (one.left, one.right)
        shuffled.append(one._replace(number=place + 1, left=left, right=right))
    return shuffled


def _sign(design: QuestionDesign, table: Sequence[Question]) -> QuestionDesign:
    from dataclasses import replace

    return replace(design, fingerprint=make_fingerprint(design, table))


def _look_up(asked: Questions, store: Any) -> tuple[tuple[Question, ...], list[str]]:
    """Return the questions with stored answers; pairs whose shown values have changed are asked again."""
    table, design, shown = asked.table, asked.design, asked.shown
    if store is None:
        return table, []
    from clustermark.releases.judgements.answers import read_answers

    known = read_answers(store, "store", asked.id_columns)
    by_pair: dict[tuple[str, str], list[Any]] = {}
    for answer in known:
        by_pair.setdefault(answer.pair, []).append(answer)
    found = []
    for one in table:
        prints = {name: fingerprint(shown.get(name)) for name in one.pair}
        valid = [answer for answer in by_pair.get(one.pair, ()) if answer.fits(prints) and answer.said != "unknown"]
        found.append(one._replace(stored=tuple({answer.judge: answer.said for answer in valid}.items())))
    seeds = {answer.seed for answer in known}
    notes = []
    if str(design.seed) in seeds:
        notes.append(
            f"the stored answers were drawn with seed {design.seed} too; if they guided the change, use a new seed"
        )
    return tuple(found), notes
