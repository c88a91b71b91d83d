"""The document of a change, its charts, and the columns of its data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark.releases.change_lists import (
    CLUSTER_CHANGE,
    EVENT,
    FATES,
    KINDS,
    SCORE_CHANGE,
    SLICE,
    TRUE_CLUSTER,
    joined,
)
from clustermark.results.canvas import AGREED, INK, MUTED, PRED, TRUE, Dot, Drawn, calm, draw_dots
from clustermark.results.data import NOTICES, POINTS, SETTINGS, VERDICT, Column
from clustermark.results.document import (
    Cell,
    Chart,
    Count,
    Document,
    Facts,
    Grid,
    Head,
    Heading,
    KeyNumber,
    Name,
    Notes,
    Section,
    Value,
)
from clustermark.results.values import count_text, label_text, score_text, share_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from matplotlib.axes import Axes

    from clustermark.releases.against_truth import AgainstTruth
    from clustermark.releases.before_after import Changes
    from clustermark.releases.change_lists import ChangeList, KindCount, ScoreChange, Slice
    from clustermark.results.data import Columns
    from clustermark.results.document import Body, Part, Prose, View

_ROWS = 50
_DRAWN = 30
_NAMED = 3
"""The number of records of one side that a sentence names."""
_COLOURS = {"unchanged": MUTED, "split": PRED, "merged": TRUE, "regrouped": AGREED}
UNKNOWN = "Better or worse is not known: pass a truth, or have pairs of records judged."

_COUNTED: Columns = {
    "number": Column("count"),
    "records": Column("count", optional=True, doc="null if the cells stay in an engine, which counts clusters only"),
}
_KIND_COUNTS: Columns = {kind: Column("record", rows=_COUNTED) for kind in KINDS}
MASSES: Columns = {kind: Column("share") for kind in ("split", "merge", "shrunk", "grown")}
_IMPACT: Columns = {
    "affected_share": Column("share"),
    "split_rate": Column("share"),
    "merge_rate": Column("share"),
    "distance": Column("share"),
    "masses": Column("record", rows=MASSES, doc="the mass of each kind of pair in a change of B-cubed precision"),
}
_RECORDS: Columns = {
    name: Column("count") for name in ("both", "before_only", "after_only", "compared", "given", "affected")
}


def _listed(rows: Columns) -> dict[str, Column]:
    return {"total": Column("count"), "rows": Column("rows", rows=rows)}


def _sides(column: Column) -> dict[str, Column]:
    return {"before": column, "after": column}


_TRUTH: Columns = {
    "records": Column("count", doc="records with a true label"),
    "level": Column("share"),
    "unit": Column("text", choices=("point", "component")),
    "margin": Column("number", optional=True, doc="differences up to this have no practical importance"),
    "scores": Column("record", within=("map",), rows=SCORE_CHANGE),
    "fates": Column("record", rows={fate: Column("record", rows=_COUNTED) for fate in FATES}),
    "pairs": Column(
        "record",
        rows={name: Column("amount") for name in ("true_gained", "true_lost", "false_lost", "false_gained")},
    ),
    "clusters": Column("record", rows=_listed(TRUE_CLUSTER)),
}
FACTS: Columns = {
    "points": POINTS,
    "settings": SETTINGS,
    "notices": NOTICES,
    "verdict": VERDICT,
    "summary": Column("texts"),
    "records": Column("record", rows=_RECORDS),
    "unmatched": Column("record", rows=_sides(Column("label", within=("list",), doc="the first ids of one side only"))),
    "clusters_before": Column("count"),
    "clusters_after": Column("count"),
    "impact": Column("record", rows=_IMPACT, doc="means over records"),
    "kinds": Column("record", rows=_sides(Column("record", rows=_KIND_COUNTS))),
    "events": Column(
        "record",
        optional=True,
        rows={"counts": Column("record", rows=_KIND_COUNTS), **_listed(EVENT)},
        doc="null if the cells stay in an engine",
    ),
    "changed_clusters": Column("record", rows=_sides(Column("record", rows=_listed(CLUSTER_CHANGE)))),
    "slices": Column("rows", optional=True, rows=SLICE),
    "truth": Column("record", optional=True, rows=_TRUTH),
}


def document(changes: Changes, view: View) -> Document:
    """Return the document of a change; the option "k" of the view limits the lists."""
    k = view.options.get("k", _ROWS)
    settings = changes.settings
    title = "What changed between two clusterings"
    if "after" in settings:
        title = f"From {settings['before']} to {settings['after']}"
    unmatched = describe_unmatched(changes)
    return Document(
        title=str(settings.get("source", title)),
        headline=headline(changes),
        verdict=verdict(changes),
        key_numbers=_key_numbers(changes),
        notices=[*changes.tell_noise(), *([unmatched] if unmatched else [])],
        noun="record",
        sections=[
            Section(
                "scores",
                "What changed",
                lambda: list(_impact(changes)),
                "Means over records: the share of its cluster that a record left (splits), that is new to it (merges), "
                "and the Jaccard distance of its clusters before and after.",
                "summary",
            ),
            Section(
                "truth",
                "Was it right?",
                lambda: [] if changes.truth is None else _truth(changes.truth),
                "Scores against the truth before and after, on the same records.",
                "summary",
            ),
            Section(
                "true-clusters",
                "True clusters",
                lambda: [] if changes.truth is None else [changes.truth.clusters(k).grid()],
                "The true clusters that are nearer or farther after the change.",
            ),
            Section(
                "events",
                "Events",
                lambda: [] if changes.event_counts is None else [changes.events(k).grid()],
                "Connected clusters before and after that share records; every record is in exactly one event.",
            ),
            Section(
                "clusters",
                "Clusters",
                lambda: [
                    body
                    for side, found in (
                        ("Before", changes.clusters("before", k)),
                        ("After", changes.clusters("after", k)),
                    )
                    for body in (Heading(side), found.grid())
                ],
                "The clusters that changed most, by the sum of the distances of their records.",
            ),
            Section(
                "slices",
                "Slices",
                lambda: list(_slices(changes)),
                "Means over the records of each slice; partners in other slices count.",
                "summary",
            ),
            Section(
                "made",
                "How this was made",
                lambda: [Facts("Records", changes.records, "count"), Facts("Settings", settings)],
                "The records and the settings.",
            ),
        ],
    )


def headline(changes: Changes) -> list[Part]:
    """Return how many records were compared, and how many of them are affected."""
    records = changes.records
    compared = f", {records['compared']:,} compared" if records["compared"] != records["both"] else ""
    return [
        Count(records["both"], "record"),
        f" in both{compared}; ",
        Value(changes.affected_share, "share"),
        f" affected{' by weight' if changes.weighted else ''}; distance ",
        Value(changes.distance, fine=True),
    ]


def rates(changes: Changes) -> list[Part]:
    """Return the numbers of clusters and the two rates, in a sentence."""
    table = changes.table
    return [
        Count(table.n_true_clusters, "cluster"),
        f" before, {table.n_pred_clusters:,} after; split rate ",
        Value(changes.split_rate, fine=True),
        ", merge rate ",
        Value(changes.merge_rate, fine=True),
    ]


def events(changes: Changes) -> str:
    """Return the numbers of events and of their records, in a sentence."""
    counts = changes.event_counts
    if counts is None:
        return f"clusters before: {_count_kinds(changes.kinds['before'])}; events are not known: {changes.no_events}"
    changed = {kind: count for kind, count in counts.items() if kind != "unchanged"}
    return f"events: {_count_kinds(changed)}" if any(count.number for count in changed.values()) else "nothing changed"


def _count_kinds(counts: Mapping[str, KindCount]) -> str:
    """Return the kinds that occur with their numbers and records, splits first."""
    order = sorted(counts, key=lambda kind: (kind not in KINDS, kind == "regrouped", kind != "split"))
    parts: list[str] = []
    for kind in order:
        count = counts[kind]
        if count.number:
            what = "" if parts else " records"
            records = "" if count.records is None else f" ({count.records:,}{what})"
            parts.append(f"{count.number:,} {kind}{records}")
    return ", ".join(parts) or "none"


def describe_unmatched(changes: Changes) -> list[Part]:
    """Return a sentence that counts and names records of one side only; empty if there are none."""
    records = changes.records
    parts: list[list[Part]] = []
    for number, side, ids in (
        (records["before_only"], "before", changes.before_only),
        (records["after_only"], "after", changes.after_only),
    ):
        if number:
            what = "" if parts else f" record{'' if number == 1 else 's'}"
            names = joined([[Name(item)] for item in ids[:_NAMED]])
            more = [" …"] if names and number > _NAMED else []
            parts.append([f"{number:,}{what} {side} only", *([": "] if names else []), *names, *more])
    if not parts:
        return []
    alone = changes.table.policies.unmatched == "singletons"
    return [
        *[part for piece in parts for part in ("; ", *piece)][1:],
        f"; {'each a cluster of its own' if alone else 'left out of the rates'}",
    ]


def verdict(changes: Changes) -> Prose:
    """Return a sentence on whether the change is right."""
    if changes.truth is None:
        return UNKNOWN
    rows = changes.truth.scores
    better, worse = (", ".join(row.label for row in rows if row.verdict == word) for word in ("better", "worse"))
    if better and worse:
        return f"Against the truth, {better} improved, and {worse} got worse."
    if better or worse:
        moved = f"better: {better} improved" if better else f"worse: {worse} got worse"
        return f"Against the truth, the clustering after is {moved}."
    if all(row.verdict == "same" for row in rows):
        return "Against the truth, the scores are the same."
    return f"Against the truth, no difference is shown{_probably(rows)}."


def _probably(rows: Sequence[ScoreChange]) -> str:
    """Return how probable it is, by each index, that the clustering after is better or worse."""
    labels: dict[str, list[str]] = {"better": [], "worse": []}
    for row in rows:
        if row.p_better is not None and row.verdict != "same":
            sure = max(row.p_better, 1 - row.p_better)
            labels["better" if row.p_better >= 0.5 else "worse"].append(f"{row.label} {share_text(sure)}")
    return "".join(f"; probably {word}: {', '.join(names)}" for word, names in labels.items() if names)


def summary(changes: Changes) -> list[Prose]:
    """Return the main sentences of a change."""
    unmatched = describe_unmatched(changes)
    lines: list[Prose] = [headline(changes), rates(changes), events(changes), *([unmatched] if unmatched else [])]
    return [*lines, *([UNKNOWN] if changes.truth is None else truth_lines(changes.truth))]


def truth_lines(truth: AgainstTruth) -> list[str]:
    """Return the numbers of true clusters and of pairs that changed, in sentences."""
    fates = {fate: count for fate, count in truth.fates.items() if count.number and fate != "same"}
    right_joined, wrong_parted, right_parted, wrong_joined = map(count_text, truth.pairs)
    known = f"{truth.records:,} record{'' if truth.records == 1 else 's'}"
    return [
        f"true clusters: {_count_kinds(fates)}; on {known} with a true label",
        f"pairs: right {right_joined} joined, {right_parted} parted; "
        f"wrong {wrong_joined} joined, {wrong_parted} parted",
    ]


def _key_numbers(changes: Changes) -> list[KeyNumber]:
    table = changes.table
    affected = f"{changes.affected:,} records"
    clusters = f"{table.n_true_clusters:,} → {table.n_pred_clusters:,}"
    return [
        KeyNumber("records", changes.records["compared"], note="weighted" if changes.weighted else ""),
        KeyNumber("affected", changes.affected_share, "share", affected),
        KeyNumber("clusters", clusters, "text", "before and after"),
        KeyNumber("split rate", changes.split_rate, "score"),
        KeyNumber("merge rate", changes.merge_rate, "score"),
        KeyNumber("distance", changes.distance, "score"),
    ]


def _impact(changes: Changes) -> Iterator[Body]:
    yield Notes([rates(changes), events(changes)])
    counts, kinds = changes.event_counts, changes.kinds
    if counts is not None:
        yield Chart("event-kinds", (6.4, 2.6), lambda ax: draw_events(ax, counts))
    heads = [Head("clusters"), Head("before", "count"), Head("after", "count")]
    rows: list[list[Any]] = [
        [kind, kinds["before"][kind].number, kinds["after"][kind].number]
        for kind in ("unchanged", "split", "merged", "regrouped")
    ]
    if counts is not None:
        heads += [Head("events", "count"), Head("records", "count")]
        rows = [[*row, counts[row[0]].number, counts[row[0]].records] for row in rows]
    yield Grid(heads, rows, "Kinds of clusters")


def _truth(truth: AgainstTruth) -> list[Body]:
    heads = [Head("index", "name"), Head("before", "score"), Head("after", "score")]
    heads += [
        Head("difference", "error", long=f"difference, {100 * truth.comparison.level:g}% interval"),
        Head("P(better)", "share", long="probability that after is better", level="detail"),
        Head("verdict"),
    ]
    margin = truth.margin
    if margin is not None:
        loss = f"probability that after is worse by more than {margin:g}"
        heads += [Head(f"P(loss > {margin:g})", "share", long=loss), Head(f"margin {margin:g}")]
    rows = [
        [
            row.label,
            Cell(row.before),
            Cell(row.after),
            Cell(row.difference, row.low, row.high, row.verdict in ("better", "worse")),
            row.p_better,
            row.verdict,
            *(() if margin is None else (row.p_loss, row.at_margin or "–")),
        ]
        for row in truth.scores
    ]
    size = (6.4, 1.4 + 0.4 * len(truth.scores))
    level = truth.comparison.level
    notes = _score_notes(truth)
    return [
        Notes(truth_lines(truth)),
        Grid(heads, rows, "Scores before and after"),
        *([Notes(notes)] if notes else []),
        Chart("score-changes", size, lambda ax: draw_score_changes(ax, truth.scores, level)),
    ]


def _score_notes(truth: AgainstTruth) -> list[str]:
    """Return each note on intervals with the indices that it is about."""
    by_note: dict[str, list[str]] = {}
    for row in truth.scores:
        for note in row.notes:
            by_note.setdefault(note, []).append(row.label)
    every = len(truth.scores)
    told = truth.comparison.tell_unit({row.label: row.design_effect for row in truth.scores})
    whose = {note: "all" if len(names) == every > 1 else ", ".join(names) for note, names in by_note.items()}
    return [*told, *(f"{names}: {note}" for note, names in whose.items())]


def _slices(changes: Changes) -> Iterator[Body]:
    slices = changes.slices
    if slices is not None:
        some = slices[:_DRAWN]
        yield slices.grid()
        yield Chart("slice-rates", (6.4, 1.2 + 0.3 * len(some)), lambda ax: draw_slices(ax, some))


def draw_events(ax: Axes, counts: Mapping[str, KindCount]) -> Drawn:
    """Draw a bar for each kind of event, whose length is the number of records."""
    hover = {}
    kinds = [kind for kind in _COLOURS if kind in counts]
    for place, kind in enumerate(kinds):
        number, records = counts[kind].number, counts[kind].records or 0
        bar = ax.barh([place], [records], color=_COLOURS[kind], height=0.62)[0]
        bar.set_gid(f"kind-{place}")
        hover[f"kind-{place}"] = f"{kind}: {number:,} with {records:,} records"
        ax.text(1.02, place, f"{number:,}", va="center", transform=ax.get_yaxis_transform(), fontsize="small")
    ax.set_yticks(range(len(kinds)), kinds)
    ax.set_ylim(len(kinds) - 0.4, -0.6)
    ax.set_xlabel("records")
    calm(ax, grid="x")
    ax.tick_params(labelcolor=INK)
    return Drawn("Events by records", "The number of events is on the right.", hover)


def draw_slices(ax: Axes, slices: ChangeList[Slice]) -> Drawn:
    """Draw the split rate and the merge rate of each slice."""
    hover = {}
    for place, row in enumerate(slices):
        ax.plot([row.split_rate], [place], marker="s", color=PRED, markersize=6, linestyle="none")
        dot = ax.plot([row.merge_rate], [place], marker="o", color=TRUE, markersize=6, linestyle="none")[0]
        dot.set_gid(f"slice-{place}")
        both = f"split rate {score_text(row.split_rate)}, merge rate {score_text(row.merge_rate)}"
        hover[f"slice-{place}"] = f"{label_text(row.slice)}: {both}, {row.records:,} records"
    ax.set_yticks(range(len(slices)), [label_text(row.slice, 24) for row in slices], parse_math=False)
    ax.set_ylim(max(len(slices), 1) - 0.5, -0.5)
    ax.set_xlim(left=0)
    ax.set_xlabel("rate")
    calm(ax, grid="x")
    ax.tick_params(labelcolor=INK)
    return Drawn("Slices", "Yellow squares: split rate; blue dots: merge rate.", hover)


def draw_score_changes(ax: Axes, rows: Sequence[ScoreChange], level: float) -> Drawn:
    """Draw the difference of each index with its interval, beside 0."""
    dots = [
        Dot(row.label, row.difference, row.low, row.high, row.verdict in ("better", "worse"),
            f"{row.label}: {row.before!r} before, {row.after!r} after, {row.verdict}")
        for row in rows
    ]  # fmt: skip
    hover = draw_dots(ax, dots, "score", about="after less before", beside_zero=True)
    return Drawn("Scores, after less before", f"{100 * level:g}% intervals; blue: excludes 0.", hover)
