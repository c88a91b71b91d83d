"""The document of judgements, their chart, and the columns of their data."""

from __future__ import annotations

from math import isinf
from typing import TYPE_CHECKING, Any

from clustermark.errors import Mention
from clustermark.evaluation.differences import on_margin
from clustermark.evaluation.record import TABLE_FACTS
from clustermark.releases.judgements.questions_document import DESIGN
from clustermark.results.canvas import INK, MUTED, TRUE, Drawn, calm
from clustermark.results.data import Column
from clustermark.results.document import Cell, Chart, Document, Facts, Grid, Head, KeyNumber, Notes, Section
from clustermark.results.latex import digits_for
from clustermark.results.values import decimals_apart, label_text, plain, share_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from clustermark.releases.judgements.judging import Judgements
    from clustermark.releases.judgements.pair_estimates import Estimate
    from clustermark.results.data import Columns
    from clustermark.results.document import Body, Prose

_PRINTED = (
    "b_cubed_precision", "pair_precision", "pair_precision_before", "pair_precision_after", "good_splits",
    "good_merges", "good_share", "recall_ratio", "pooled_b_cubed_recall", "pooled_iq",
)  # fmt: skip
"""The estimates that are printed, in this order; JSON and frames contain all."""
_WEIGHED = {"good_splits": "split", "good_merges": "merged", "good_share": "changed"}
"""Each share is of this weight: pairs count by their mass."""
_EXAMPLES = 20
_WIDTH = 300
"""The shown values of a record are cut to this number of characters."""
_DONE = {
    "split": "parted",
    "merge": "joined",
    "kept": "left together",
    "shrunk": "left together, among fewer",
    "grown": "left together, among more",
}
"""Effect of a change on the pairs of each kind."""
_SLICES = 30

ESTIMATE: Columns = {
    "name": Column("name"),
    "title": Column("text"),
    "value": Column("number", optional=True, doc="null if no such pair was judged"),
    "low": Column("number"),
    "high": Column("number"),
    "n": Column("count", doc="the number of judged pairs or records"),
    "scale": Column("text", choices=("change", "score", "share", "rate", "ratio")),
    "p_better": Column("share", optional=True, sometimes=True, doc="the probability of a gain, of changes and ratios"),
    "p_loss": on_margin("share", "the probability of a loss of more than the margin, of changes"),
}
ROW: Columns = {"estimate": ESTIMATE["name"]} | {name: column for name, column in ESTIMATE.items() if name != "name"}
JUDGE: Columns = {
    "judge": Column("name"),
    "answers": Column("count"),
    "same": Column("count"),
    "different": Column("count"),
    "unknown": Column("count"),
    "agreement": Column("share", optional=True, doc="how often other judges gave the same answer"),
}
CONTRADICTION: Columns = {
    "left": Column("label"),
    "right": Column("label"),
    "chain": Column(
        "label", within=("list",), doc="ids from one record to the other, each judged the same as the next"
    ),
}
_COUNTS: Columns = {
    "questions": Column("count"),
    "answered": Column("count"),
    "unknown": Column("count"),
    "judges": Column("count"),
    "judged_by_several": Column("count"),
    "contradictions": Column("count"),
    "undrawn": Column("count", doc="answered pairs that were not drawn"),
}
_ASKED = ("index", "unit", "seed", "n", "alone", "fingerprint", "impact")
FACTS: Columns = TABLE_FACTS | {
    "design": Column("record", rows={name: DESIGN[name] for name in _ASKED}),
    "counts": Column("record", rows=_COUNTS),
    "agreement": Column("share", optional=True, doc="how often two judges of a pair agree"),
    "level": Column("share"),
    "looks": Column("count"),
    "margin": Column("number", optional=True, doc="a loss up to this has no practical importance"),
    "verdict": Column("text", choices=("better", "worse", "not clear", "")),
    "estimates": Column("record", within=("map",), rows=ESTIMATE),
    "slices": Column("record", within=("map", "map"), rows=ESTIMATE),
    "judges": Column("rows", rows=JUDGE),
    "contradictions": Column("rows", rows=CONTRADICTION),
    "notes": Column("texts"),
}


def columns_of(found: Judgements) -> Columns:
    """Return the columns of the table of estimates."""
    return {name: column for name, column in ROW.items() if name != "p_loss" or found.margin is not None}


def document(found: Judgements) -> Document:
    """Return the document of judgements."""
    alone = found.questions.design.alone
    examples = [
        Section(
            name,
            f"Done {name}",
            lambda good=good: _examples(found, good=good),  # type: ignore[misc]
            f"Judged pairs that the clustering {'rightly' if good else 'wrongly'} puts together."
            if alone
            else f"Judged pairs that the change {'got right' if good else 'got wrong'}, with their shown values.",
        )
        for name, good in (("wrong", False), ("right", True))
    ]
    return Document(
        title="Estimates from judged pairs",
        headline=found.title,
        verdict=_verdict(found),
        key_numbers=_key_numbers(found),
        notices=found.notes,
        noun="record",
        sections=[
            Section(
                "scores",
                "Estimates",
                lambda: _estimates(found),
                "Pairs were drawn in proportion to their weight, so that a few hundred answers represent all records.",
                "summary",
            ),
            Section(
                "notes", "Notes", lambda: _remarks(found), "What the answers show, and what they do not.", "summary"
            ),
            *examples,
            Section("judges", "Judges", lambda: _judges(found), "Who answered, and how often they agree."),
            Section("made", "How this was made", lambda: _made(found), "The questions and the settings."),
        ],
    )


def _verdict(found: Judgements) -> Prose:
    said, value, interval = estimate_texts(found.change)
    answers = f"{found.counts['answered']:,} answers"
    if found.change.scale != "change":
        return f"{said} is about {' '.join(filter(None, [value, interval]))}, by {answers}."
    words = {"better": "The new clustering is better", "worse": "The new clustering is worse"}
    head = words.get(found.verdict, "Whether the new clustering is better is not clear")
    probably = "" if found.verdict in words else _probably(found.change)
    return f"{head}: {said} {' '.join(filter(None, [value, interval]))}, by {answers}{probably}."


def _probably(change: Estimate) -> str:
    if change.p_better is None:
        return ""
    word = "better" if change.p_better >= 0.5 else "worse"
    return f"; probably {word}: {share_text(max(change.p_better, 1 - change.p_better))}"


def _key_numbers(found: Judgements) -> list[KeyNumber]:
    counts, agree = found.counts, found.agreement[1]
    impact = found.questions.design.impact
    return [
        KeyNumber("answers", counts["answered"], note=f"of {counts['questions']:,} questions"),
        KeyNumber("judges", counts["judges"], note="" if agree is None else f"{share_text(agree)} agreement"),
        KeyNumber("unknown", counts["unknown"]),
        KeyNumber("contradictions", counts["contradictions"]),
        *([KeyNumber("affected", impact["affected"], "share", "of all records")] if impact else []),
    ]


def _estimates(found: Judgements) -> list[Body]:
    chosen = [one for name in _PRINTED if (one := found.estimates.get(name)) is not None]
    heads = [Head("estimate"), Head("value"), Head(f"{100 * found.level:g}% interval")]
    kinds = [name for name in ("p_better", "p_loss") if any(getattr(one, name) is not None for one in chosen)]
    titles = {"p_better": "P(better)", "p_loss": f"P(loss > {found.margin or 0:g})"}
    heads += [*(Head(titles[name], "share", level="detail") for name in kinds), Head("verdict")]
    rows = [
        [
            *estimate_texts(one),
            *("" if (p := getattr(one, name)) is None else p for name in kinds),
            found.verdict if one is found.change else "",
        ]
        for one in chosen
    ]
    size = (6.4, 1.2 + 0.36 * len(_drawn_rows(found)))
    return [
        Grid(heads, rows, "Estimates"),
        Chart("judged", size, lambda ax: draw_judged(ax, found), alone=True),
    ]


def estimate_texts(one: Estimate, margin: float = 0.0) -> list[str]:
    """Return the title, the value and the interval of an estimate as texts.

    A change and a ratio have enough digits to show on which side of no change, and of a loss by the margin, their
    limits lie.
    """
    if not one.known:
        return [one.title, "not known" if one.n else "not known, none judged", ""]
    if one.scale == "change":
        width = digits_for([50 * (one.high - one.low)], bounded=False) or 1
        digits = decimals_apart([one.low, one.high], [0.0, -margin], max(1, width) + 2) - 2
        # + 0.0 turns -0.0 into 0.0
        value, low, high = (
            f"{round(100 * number, digits) + 0.0:+.{digits}f}" for number in (one.value, one.low, one.high)
        )
        return [one.title, f"{value} points", f"[{low}, {high}]"]
    if one.scale == "share":
        value, low, high = (f"{100 * number:.0f}" for number in (one.value, one.low, one.high))
        return [one.title, f"{value}% of {_WEIGHED[one.name]} weight, {one.n:,} judged", f"[{low}, {high}]"]
    digits = decimals_apart([one.low, one.high], [1.0], 3) if one.scale == "ratio" else 4
    value, low, high = ("∞" if isinf(number) else f"{number:.{digits}f}" for number in (one.value, one.low, one.high))
    return [one.title, f"× {value}" if one.scale == "ratio" else value, f"[{low}, {high}]"]


def _remarks(found: Judgements) -> list[Body]:
    design = found.questions.design
    lines: list[Prose] = []
    for name, estimates in found.slices.items():
        change = estimates.get(design.index)
        why = "one of the clusterings joins no pair of this slice"
        lines.append(f"{label_text(name)}: {why if change is None else '  '.join(estimate_texts(change)[1:])}")
    if design.alone:
        lines.append("Recall: not known from pairs inside clusters.")
    elif design.unit == "record":
        lines.append("Recall: relative to what either clustering found.")
    elif design.index == "b_cubed_precision":
        lines.append(["Recall: not known; see ", Mention("index", "pair_precision"), "."])
    lines += [
        f"ask again: {label_text(one.left)} and {label_text(one.right)} were judged different, and are connected by "
        f"pairs judged the same ({' – '.join(map(label_text, one.chain))})"
        for one in found.contradictions[:5]
    ]
    return [Notes(lines)] if lines else []


def _examples(found: Judgements, *, good: bool) -> list[Body]:
    chosen = found.examples(good=good)
    heads = [Head("question", "count"), Head("left", "label"), Head("right", "label")]
    heads += [
        Head("the clustering has them" if found.questions.design.alone else "the change has them"),
        Head("judged"),
    ]
    rows = [
        [
            one["question"],
            *(Cell(one[side], note=_shown(one.get(f"{side}_record"))) for side in ("left", "right")),
            "joined" if found.questions.design.alone else _DONE[one["kind"]],
            one["answer"],
        ]
        for one in chosen[:_EXAMPLES]
    ]
    caption = f"Pairs done {'right' if good else 'wrong'}"
    return [Grid(heads, rows, caption, total=len(chosen))] if rows else []


def _shown(record: Mapping[str, str] | None) -> str:
    values = "; ".join(f"{key}: {value}" for key, value in (record or {}).items() if value)
    return values if len(values) <= _WIDTH else values[: _WIDTH - 1] + "…"


def _judges(found: Judgements) -> list[Body]:
    heads = [Head("judge", "label"), *(Head(name, column.kind) for name, column in list(JUDGE.items())[1:])]
    return [Grid(heads, found.judges, "Judges")]


def _made(found: Judgements) -> list[Body]:
    design = found.questions.design
    asked: dict[str, Any] = {name: getattr(design, name) for name in ("index", "unit", "n", "seed", "fingerprint")}
    asked |= {f"{one.kind} pairs": f"{one.draws + one.sure:,} of {one.pairs:,}" for one in design.strata}
    rules = {"level": found.level, "looks": found.looks} | found.questions.record.settings
    return [Facts("Questions", asked), Facts("Settings", rules)]


def draw_judged(ax: Axes, found: Judgements) -> Drawn:
    """Draw a dot for the index of all records and of each slice, and a line for its interval."""
    rows = _drawn_rows(found)
    is_change = found.change.scale == "change"
    factor = 100.0 if is_change else 1.0
    for place, (_, one) in enumerate(rows):
        colour = TRUE if one.known else MUTED
        ends = [factor * one.low, factor * one.high]
        ax.plot(ends, [place, place], color=colour, linewidth=2.2, solid_capstyle="butt")
        if one.known:
            ax.plot([factor * one.value], [place], marker="o", color=colour, markersize=6, linestyle="none")
    if is_change:
        ax.axvline(0.0, color=MUTED, linewidth=1)
    ax.set_yticks(range(len(rows)), [plain(name) for name, _ in rows], parse_math=False)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_xlabel(f"{'change of ' if is_change else ''}{found.change.title}{', points' if is_change else ''}")
    calm(ax, grid="x")
    ax.tick_params(labelcolor=INK)
    right = "Right of 0 is better; grey" if is_change else "Grey"
    return Drawn(found.change.title, f"{100 * found.level:g}% intervals. {right}: no pair was judged.", {})


def _drawn_rows(found: Judgements) -> list[tuple[str, Estimate]]:
    name = found.questions.design.index
    slices = [(label, each[name]) for label, each in found.slices.items() if name in each]
    return [("all records", found.change), *slices[:_SLICES]]
