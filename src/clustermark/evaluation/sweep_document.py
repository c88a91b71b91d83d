"""The document and JSON of a sweep: best threshold, its expected score on other data, lost pairs, false merges."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from clustermark.evaluation.best_threshold import BEST
from clustermark.evaluation.pair_accounts import MERGE, calibration_grid, merges_grid
from clustermark.evaluation.sweep_charts import draw_calibration, draw_curves, draw_tradeoff, usual_indices
from clustermark.results.data import NOTICES, POINTS, SETTINGS, VERDICT, Column
from clustermark.results.document import Chart, Document, Facts, Grid, Head, Heading, KeyNumber, Notes, Section, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from matplotlib.axes import Axes

    from clustermark.evaluation.best_threshold import BestInterval
    from clustermark.evaluation.curves import Choice, Curves
    from clustermark.evaluation.pair_accounts import Answers, Losses
    from clustermark.registry import Index
    from clustermark.results.canvas import Drawn
    from clustermark.results.data import Columns
    from clustermark.results.document import Body, Part, Prose


CHOICE: Columns = {
    "threshold": Column("threshold"),
    "by": Column("name", doc="the index that chose it, or cost"),
    "score": Column("score"),
    "scores": Column("scores", doc="the scores of the other indices there"),
    "note": Column("text"),
}
LOSSES: Columns = {
    "threshold": Column("threshold"),
    "true_pairs": Column("count"),
    "found": Column("count", doc="true pairs with a score that is good enough"),
    "regained": Column("count", doc="true pairs without such a score that closing put together"),
    "scored_below": Column("count", doc="true pairs whose score is not good enough, and that are lost"),
    "never_proposed": Column("count", doc="true pairs that were never scored, and are lost"),
    "false_scored": Column("count", doc="false pairs with a score that is good enough"),
    "falsely_added": Column("count", doc="false pairs that closing added"),
}
_AT: Columns = {"threshold": Column("threshold"), "scores": Column("scores")}
_CALIBRATION: Columns = {
    "brier": Column("number"),
    "error": Column("number"),
    "bins": Column("number", within=("map", "list")),
}


def _part(name: str, rows: Columns, doc: str = "", within: Any = ()) -> dict[str, Column]:
    """Return the column of a fact that is in JSON only if requested."""
    return {name: Column("record", rows=rows, doc=doc, within=within, sometimes=True)}


FACTS: Columns = {
    "points": Column("any", sometimes=True, doc=POINTS.doc),
    "notices": NOTICES,
    "settings": Column("any", sometimes=True, doc=SETTINGS.doc),
    "subject": Column("name", sometimes=True, doc="what was scored, if not partitions against a truth: points"),
    "verdict": VERDICT,
    "thresholds": Column("count", sometimes=True, doc="of labelings that were given"),
    "records": Column("count", sometimes=True),
    "pairs": Column("count", sometimes=True, doc="scored pairs, as they were given"),
    "partitions": Column("count", sometimes=True, doc="distinct ones"),
    "self_pairs": Column("count", sometimes=True, doc="pairs of a record with itself"),
    "repeated_pairs": Column("count", sometimes=True, doc="pairs that were given again"),
    "best": Column(
        "record",
        within=("map",),
        rows={"threshold": Column("threshold"), "score": Column("score")},
        doc="the best threshold by each index that has one",
    ),
    "curves": Column(
        "number",
        within=("map", "list"),
        doc="columns of equal length: the thresholds, the coverage of labelings, and the scores of each index",
    ),
    **_part("at", _AT, "the scores at a threshold that was asked for"),
    **_part("reach", CHOICE, "the most recall for a wanted precision"),
    **_part("cheapest", CHOICE),
    **_part("operating_points", CHOICE, "by what was wanted", ("map",)),
    **_part("interval", BEST),
    **_part("losses", LOSSES),
    **_part("calibration", _CALIBRATION),
    "false_merges": Column("rows", rows=MERGE, sometimes=True),
}


_ONE_SIDED = " Precisions and recalls are left out: the strictest or the loosest threshold is best by them."


def document(sweep: Curves, by: Index[...] | None, answers: Answers | None = None) -> Document:
    """Return the document of a sweep.

    by: the index whose best threshold is shown in detail. answers: further results on scored pairs.
    """
    best = answers.best if answers is not None else None if by is None else sweep.best(by)
    sections = [
        Section(
            "scores",
            "Best thresholds",
            lambda: list(_bests(sweep, by)),
            "The best threshold by each index, and the score of the deciding index there; of equal thresholds the "
            f"strictest.{'' if sweep.record is None else _ONE_SIDED}",
            "summary",
        ),
        Section(
            "curves",
            "Curves",
            lambda: list(_curves(sweep, by, best)),
            "From strict thresholds, which leave records apart, to loose ones, which throw them together.",
        ),
        *([] if answers is None else _sections_of_pairs(sweep, answers)),
        Section("made", "How this was made", lambda: _made(sweep), "What was swept, with which settings."),
    ]
    return Document(
        title=str(sweep.settings.get("prediction", "Where to cut")),
        headline=sweep.headline,
        verdict=verdict(sweep, by, best, answers),
        key_numbers=_key_numbers(sweep, by, best),
        notices=[notice.text for notice in sweep.notices],
        sections=sections,
        noun="record",
    )


def _sections_of_pairs(sweep: Curves, answers: Answers) -> list[Section]:
    def section(name: str, title: str, make: Callable[[Any], Sequence[Body]], answer: Any, lead: str) -> Section:
        refused: list[Body] = [f"Not available: {answer}."] if isinstance(answer, str) else []
        return Section(name, title, lambda: refused or make(answer), lead)

    return [
        section(
            "beyond",
            "Beyond these data",
            lambda found: _beyond(sweep, found),
            answers.interval,
            "The best of many scores is too good by chance; this is the score corrected for that.",
        ),
        section(
            "operating",
            "Operating points",
            lambda _: _operating(sweep, answers),
            None,
            "Thresholds for other aims: the most recall at a given precision, or the least cost of errors.",
        ),
        section(
            "losses",
            "Where true pairs are lost",
            lambda found: [*_losses(found), *_raw(answers.raw)],
            answers.losses,
            "Pairs that were never proposed need another blocking; pairs with too low a score need another scoring.",
        ),
        section(
            "merges",
            "Worst false merges",
            lambda found: [merges_grid(found)],
            answers.merges,
            "The scored pairs that put most records together that are apart in truth, at the best threshold.",
        ),
        section(
            "calibration",
            "Calibration",
            lambda found: [
                Chart("calibration-curve", (5.6, 4.4), lambda ax: draw_calibration(ax, found)),
                calibration_grid(found),
            ],
            answers.calibration,
            "Whether pairs of probability p are true pairs in the share p of cases.",
        ),
    ]


def verdict(sweep: Curves, by: Index[...] | None, best: Choice | None, answers: Answers | None = None) -> Prose:
    """Return the best threshold and its score as a sentence; empty if no index has a best threshold."""
    if by is None or best is None:
        return ""
    score, share = Value(best.score, fine=True), dict(zip(sweep.thresholds, sweep.shares or (), strict=False))
    if sweep.is_empty(best.threshold):
        return [f"No threshold is better than none: the {by.facts.title} is best, ", score, ", where no pair counts."]
    where: list[Part] = ["Cut at " if sweep.has_steps else "Choose ", Value(best.threshold, "threshold")]
    parts: list[Part] = [*where, f": there the {by.facts.title} is best, ", score, "."]
    if share.get(best.threshold, 1) < 1:
        parts += [" It leaves out ", Value(1 - share[best.threshold], "share"), " of the points as noise."]
    if answers is None or isinstance(answers.interval, str):
        return parts
    found = answers.interval
    if found.low is None or found.high is None:
        return [*parts, " There are too few errors to estimate the score on other data."]
    corrected, low, high = (Value(one, fine=True) for one in (found.corrected, found.low, found.high))
    return [*parts, " On other data of this kind expect ", corrected, ", ", low, " to ", high, "."]


def _key_numbers(sweep: Curves, by: Index[...] | None, best: Choice | None) -> list[KeyNumber]:
    words = {"records": "records", "pairs": "scored pairs", "partitions": "partitions", "thresholds": "thresholds"}
    numbers = [KeyNumber(words[name], n) for name, n in sweep.describe_data().items() if name in words]
    if by is None or best is None:
        return numbers
    threshold = KeyNumber("best threshold", _threshold(sweep, best.threshold), "threshold", f"by {by.label}")
    return [*numbers, threshold, KeyNumber(by.facts.title, best.score, "score", "at the best threshold")]


def _threshold(sweep: Curves, threshold: float) -> float | str:
    return "no pair" if sweep.is_empty(threshold) else threshold


def _bests(sweep: Curves, by: Index[...] | None) -> Iterator[Body]:
    bests, shares = sweep.bests(), dict(zip(sweep.thresholds, sweep.shares or (), strict=False))
    heads = [
        Head("best by", "name", short="index"),
        Head("threshold" if sweep.has_steps else "labeling", "threshold"),
        Head("score", "score"),
    ]
    rows: list[list[Any]] = [[one.by, _threshold(sweep, one.threshold), one.score] for one in bests]
    if by is not None and len(bests) > 1:
        heads.append(Head(f"{by.label} there", "score", level="detail"))
        rows = [[*row, one.scores.get(by.label)] for row, one in zip(rows, bests, strict=True)]
    if any(share < 1 for share in shares.values()):
        heads.append(Head("coverage", "share", short="points"))
        rows = [[*row, shares[one.threshold]] for row, one in zip(rows, bests, strict=True)]
    yield Grid(heads, rows, "Best thresholds", "No threshold is best by any index.")
    bounds = {index.label: index.bounds[bool(index.facts.higher_is_better)] for index in sweep.indices}
    ends: dict[float, list[str]] = {}
    for one in bests:
        if sweep.is_last(one.threshold) and one.score != bounds[one.by]:
            ends.setdefault(one.threshold, []).append(one.by)
    if ends:
        yield Notes([_tell_end(level, names) for level, names in ends.items()])


def _tell_end(level: float, names: Sequence[str]) -> Prose:
    where: Part = Value(level, "threshold")
    return [f"Best by {', '.join(names)} at ", where, ", the last that was tried: a better one may lie beyond."]


def _curves(sweep: Curves, by: Index[...] | None, best: Choice | None) -> Iterator[Chart]:
    shown = usual_indices(sweep)
    shown += [by] if by is not None and by not in shown and by in sweep.indices else []
    at = None if best is None else best.threshold
    yield Chart("score-curves", (6.0, 4.4), lambda ax: draw_curves(ax, sweep, shown, at))
    own = {index.label: index for index in sweep.indices}
    for family in ("pair", "b_cubed"):
        recall, precision = own.get(f"{family}_recall"), own.get(f"{family}_precision")
        if recall is not None and precision is not None:
            yield Chart("tradeoff", (6.0, 4.4), partial(_draw_tradeoff, sweep, recall, precision, at))
            return


def _draw_tradeoff(sweep: Curves, recall: Index[...], precision: Index[...], at: float | None, ax: Axes) -> Drawn:
    return draw_tradeoff(ax, sweep, recall, precision, at)


def _beyond(sweep: Curves, found: BestInterval) -> list[Body]:
    text = (
        f"Components share neither a true cluster nor a pair. They were divided into {found.groups} groups (seed "
        f"{found.seed}), and each group was scored at the threshold that is best for the others."
    )
    scores = {
        "score at the best threshold": found.score,
        "optimism": found.optimism,
        "without the optimism": found.corrected,
        f"lower limit, {100 * found.level:g} %": found.low,
        "upper limit": found.high,
        "standard error": found.standard_error,
    }
    units = {"components": found.n_components, "of them in error": found.n_in_error}
    loosest: Prose = ["The loosest threshold allowed is ", Value(found.lowest, "threshold"), "."]
    notes = [Notes([*([] if sweep.is_empty(found.lowest) else [loosest]), *found.notes])]
    return [text, Facts(found.by, scores, "score"), Facts("Units", units, "count"), *notes]


def _operating(sweep: Curves, answers: Answers) -> list[Body]:
    shown = usual_indices(sweep)[:4]
    rows, reasons = [], []
    for wish, choice in answers.operating.items():
        if isinstance(choice, str):
            reasons.append(f"{wish}: {choice}")
            continue
        scores = [choice.scores[index.label] for index in shown]
        rows.append([wish, _threshold(sweep, choice.threshold), *scores])
        reasons += [f"{wish}: {choice.note}"] if choice.note else []
    heads = [Head("wanted"), Head("threshold", "threshold"), *(Head(index.label, "score") for index in shown)]
    return [Grid(heads, rows, "Operating points"), *([Notes(reasons)] if reasons else [])]


TRUE_PAIRS = {
    "found": "found by their score",
    "regained": "regained by closing",
    "scored_below": "lost: scored below",
    "never_proposed": "lost: never proposed",
}
FALSE_PAIRS = {"false_scored": "false, by their score", "falsely_added": "false, added by closing"}


def _losses(losses: Losses) -> Iterator[Body]:
    false = losses.false_scored + losses.falsely_added
    for kind, words, total in (("true", TRUE_PAIRS, losses.true_pairs), ("false", FALSE_PAIRS, false)):
        yield Heading(f"{total:,} {kind} pairs")
        counts = {title: getattr(losses, name) for name, title in words.items()}
        rows = [[title, n, n / total if total else None] for title, n in counts.items()]
        heads = [Head("pairs of records"), Head("number", "count"), Head("share", "share")]
        yield Grid(heads, rows, f"{kind.capitalize()} pairs")


def _raw(raw: dict[str, float] | str) -> list[Body]:
    if isinstance(raw, str):
        return [f"Not available: {raw}."]
    f, precision, recall = (Value(raw[name], fine=True) for name in ("f_measure", "precision", "recall"))
    where = Value(raw["threshold"], "threshold")
    head = "Without closing, the list of pairs itself has its best F-measure, "
    return [[head, f, ", at ", where, ": precision ", precision, ", recall ", recall, "."]]


def _made(sweep: Curves) -> list[Body]:
    counts = {name.replace("_", " "): n for name, n in sweep.describe_data().items()}
    counts |= {f"points {fate}": n for fate, n in sweep.points.items()}
    titles = {index.label: index.facts.title for index in sweep.indices}
    return [Facts("Counts", counts, "count"), Facts("Settings", sweep.settings), Facts("Indices", titles)]
