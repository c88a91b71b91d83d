"""The page of a sweep: where to cut, how good that is, and what is lost and falsely merged there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark.report.captions import score_text
from clustermark.report.charts.thresholds import draw_calibration, draw_curves, draw_tradeoff, usual_indices
from clustermark.report.page.elements import figure, label_html, list_facts, plain_html, rows_html
from clustermark.report.page.render import fill_page
from clustermark.report.thresholds import sweep_document
from clustermark.results.values import settings_text, share_text

if TYPE_CHECKING:
    from clustermark.evaluation.sweeps.accounts import Losses
    from clustermark.evaluation.sweeps.answers import Answers
    from clustermark.evaluation.sweeps.curves import Choice, Curves
    from clustermark.evaluation.sweeps.optimism import BestInterval
    from clustermark.registry import Index

_CARRIED = 1_000
"""So many thresholds of the curves, at most, come with the page as data; `to_json` has all of them."""
Section = tuple[str, str, str, str]
"""Its id, its heading, what it shows in a sentence, and its content."""


def html(sweep: Curves, title: str | None, by: Index[...], answers: Answers | None = None) -> str:
    """The page of a sweep; answers: what there is to know of scored pairs, where that is what was swept."""
    best = sweep.best(by) if answers is None else answers.best
    sections: list[Section] = [
        (
            "scores",
            "Best thresholds",
            "Where each index is best, and what the index that decides says there; of equal thresholds the strictest.",
            _bests(sweep, by),
        ),
        (
            "curves",
            "Curves",
            "From strict thresholds, which leave records apart, to loose ones, which throw them together.",
            _curves(sweep, by, best),
        ),
        *([] if answers is None else _sections_of_pairs(sweep, answers)),
        ("made", "How this was made", "What was swept and under which rules.", _made(sweep)),
    ]
    record = sweep.record
    return fill_page(
        title or str(record.settings.get("prediction", "Where to cut")),
        record.version,
        _verdict(sweep, by, best, answers),
        _key_numbers(sweep, by, best),
        sections,
        sweep_document(sweep, {} if answers is None else answers.for_json(), _CARRIED),
        [notice.text for notice in record.notices],
    )


def _sections_of_pairs(sweep: Curves, answers: Answers) -> list[Section]:
    return [
        (
            "beyond",
            "Beyond these data",
            "The best of many scores is too good to be true, because chance helped it: so much is left without that.",
            _beyond(sweep, answers.interval),
        ),
        (
            "operating",
            "Operating points",
            "Other wishes have other thresholds: the most recall for a precision, the least cost of mistakes.",
            _operating(sweep, answers),
        ),
        (
            "losses",
            "Where true pairs are lost",
            "Pairs that were never proposed need another blocking, those that were scored below another score.",
            _losses(answers),
        ),
        (
            "merges",
            "Worst false merges",
            "The scored pairs that put most records together that are apart in truth, at the best threshold.",
            _merges(answers),
        ),
        (
            "calibration",
            "Calibration",
            "Whether pairs of probability p are true pairs in the share p of cases.",
            _calibration(answers),
        ),
    ]


def _verdict(sweep: Curves, by: Index[...], best: Choice, answers: Answers | None) -> str:
    name = by.facts.title
    if sweep.is_empty(best.threshold):
        return f"No threshold is better than none: the {name} is best, {score_text(best.score)}, where no pair counts."
    said = f"Cut at {best.threshold:.6g}: there the {name} is best, {score_text(best.score)}."
    if answers is None or isinstance(answers.interval, str):
        return said
    found = answers.interval
    if found.low is None or found.high is None:
        return f"{said} Too little goes wrong to say how good that is on other data."
    return (
        f"{said} On other data of this kind expect {score_text(found.corrected)}, "
        f"{score_text(found.low)} to {score_text(found.high)}."
    )


def _key_numbers(sweep: Curves, by: Index[...], best: Choice) -> list[tuple[str, str, str]]:
    words = {"records": "records", "pairs": "scored pairs", "partitions": "partitions", "thresholds": "thresholds"}
    numbers = [(words[name], f"{n:,}", "") for name, n in sweep.describe_data().items() if name in words]
    return [
        *numbers,
        ("best threshold", _threshold(sweep, best.threshold), f"by {plain_html(by.label)}"),
        (by.facts.title, score_text(best.score), "at the best threshold"),
    ]


def _threshold(sweep: Curves, threshold: float) -> str:
    return "no pair" if sweep.is_empty(threshold) else f"{threshold:.6g}"


def _bests(sweep: Curves, by: Index[...]) -> str:
    rows = [
        [
            f"{plain_html(_title(sweep, one.by))}<small><code>{plain_html(one.by)}</code></small>",
            _threshold(sweep, one.threshold),
            score_text(one.score),
            score_text(one.scores[by.label]) if by.label in one.scores else "–",
        ]
        for one in sweep.bests()
    ]
    heads = ["Best by", "Threshold", "Score", f"{plain_html(by.label)} there"]
    return (
        rows_html(heads, rows, "Best thresholds") if rows else '<p class="note">No threshold is best by any index.</p>'
    )


def _title(sweep: Curves, label: str) -> str:
    return next((index.facts.title for index in sweep.indices if index.label == label), label)


def _curves(sweep: Curves, by: Index[...], best: Choice) -> str:
    shown = usual_indices(sweep)
    shown += [by] if by not in shown and by in sweep.indices else []
    figures = [figure("score-curves", (6.0, 4.4), lambda ax: draw_curves(ax, sweep, shown, best.threshold))]
    own = {index.label: index for index in sweep.indices}
    for family in ("pair", "b_cubed"):
        sides = [own.get(f"{family}_{side}") for side in ("recall", "precision")]
        if None not in sides:
            recall, precision = (index for index in sides if index is not None)
            draw = lambda ax, r=recall, p=precision: draw_tradeoff(ax, sweep, r, p, best.threshold)  # noqa: E731
            figures.append(figure("tradeoff", (6.0, 4.4), draw))
            break
    return f'<div class="pair">{"".join(figures)}</div>'


def _beyond(sweep: Curves, found: BestInterval | str) -> str:
    if isinstance(found, str):
        return _reason(found)
    interval = "none" if found.low is None else f"{score_text(found.low)} to {score_text(found.high or 0.0)}"
    scores = {
        "score at the best threshold": score_text(found.score),
        "optimism": score_text(found.optimism),
        "without the optimism": score_text(found.corrected),
        f"{100 * found.level:g} % interval": interval,
        "standard error": score_text(found.standard_error),
    }
    units = {
        "components": f"{found.n_components:,}",
        "of them in error": f"{found.n_in_error:,}",
        "loosest threshold allowed": _threshold(sweep, found.lowest),
    }
    notes = "".join(f"<li>{plain_html(note)}</li>" for note in found.notes)
    said = (
        f"<p>Components share neither a true cluster nor a pair. They were dealt into {found.groups} groups (seed "
        f"{found.seed}), and each group was scored at the threshold that is best for the others.</p>"
    )
    listed = list_facts(plain_html(found.by), scores, "number") + list_facts("What it rests on", units, "number")
    return f'{said}<div class="facts">{listed}</div>' + (f'<ul class="note">{notes}</ul>' if notes else "")


def _operating(sweep: Curves, answers: Answers) -> str:
    shown = usual_indices(sweep)[:4]
    rows, reasons = [], []
    for wish, choice in answers.operating.items():
        if isinstance(choice, str):
            reasons.append(f"{wish}: {choice}")
            continue
        scores = [score_text(choice.scores[index.label]) for index in shown]
        rows.append([plain_html(wish), _threshold(sweep, choice.threshold), *scores])
        reasons += [f"{wish}: {choice.note}"] if choice.note else []
    heads = ["Wanted", "Threshold", *(plain_html(index.label) for index in shown)]
    notes = "".join(f"<li>{plain_html(reason)}</li>" for reason in reasons)
    table = rows_html(heads, rows, "Operating points") if rows else ""
    return table + (f'<ul class="note">{notes}</ul>' if notes else "")


def _losses(answers: Answers) -> str:
    losses = answers.losses
    if isinstance(losses, str):
        return _reason(losses)
    words = {
        "found": "found by their score",
        "regained": "regained by closing",
        "scored_below": "lost: scored below",
        "never_proposed": "lost: never proposed",
    }
    of_true = [_loss_row(losses, name, said, losses.true_pairs) for name, said in words.items()]
    false = losses.false_scored + losses.falsely_added
    sides = {"false_scored": "false, by their score", "falsely_added": "false, added by closing"}
    of_false = [_loss_row(losses, name, said, false) for name, said in sides.items()]
    tables = (
        _account(f"{losses.true_pairs:,} true pairs", of_true),
        _account(f"{false:,} false pairs", of_false),
    )
    return f'<div class="pair">{"".join(tables)}</div>{_raw(answers.raw)}'


def _loss_row(losses: Losses, name: str, said: str, total: int) -> list[str]:
    number = getattr(losses, name)
    return [said, f"{number:,}", share_text(number / total) if total else "–"]


def _account(heading: str, rows: list[list[str]]) -> str:
    return f"<div><h3>{heading}</h3>{rows_html(['Pairs of records', 'Number', 'Share'], rows, heading)}</div>"


def _raw(raw: dict[str, float] | str) -> str:
    if isinstance(raw, str):
        return _reason(raw)
    return (
        f'<p class="note" style="margin:1rem 0 0">Without closing, the list of pairs itself has its best F-measure, '
        f"{score_text(raw['f_measure'])}, at {raw['threshold']:.6g}: precision {score_text(raw['precision'])}, recall "
        f"{score_text(raw['recall'])}.</p>"
    )


def _merges(answers: Answers) -> str:
    merges = answers.merges
    if isinstance(merges, str):
        return _reason(merges)
    if not len(merges):
        return '<p class="note">At the best threshold no pair puts records together that are apart in truth.</p>'
    rows = [
        [
            f"{label_html(row.left, 60)} and {label_html(row.right, 60)}",
            f"{row.score:.6g}",
            f"{row.false_pairs:,}",
            f"{row.true_pairs:,}",
        ]
        for row in merges
    ]
    return rows_html(["Scored pair", "Score", "False pairs made", "True pairs made"], rows, "False merges")


def _calibration(answers: Answers) -> str:
    found = answers.calibration
    if isinstance(found, str):
        return _reason(found)
    rows = [
        [f"{low:.2f} to {high:.2f}", f"{pairs:,}", f"{mean:.3f}", f"{share:.3f}"]
        for low, high, pairs, mean, share in zip(*found.to_dict().values(), strict=True)
    ]
    table = rows_html(["Probability", "Pairs", "Mean", "Share true"], rows, "Calibration")
    chart = figure("calibration-curve", (5.6, 4.4), lambda ax: draw_calibration(ax, found))
    return f'<div class="pair">{chart}<div>{table}</div></div>'


def _made(sweep: Curves) -> str:
    record = sweep.record
    counts: dict[str, Any] = {name.replace("_", " "): n for name, n in sweep.describe_data().items()}
    counts |= {f"points {fate}": n for fate, n in record.points.items()}
    facts = list_facts("Counts", {name: f"{n:,}" for name, n in counts.items()}, "number")
    settings = {name: settings_text(value) for name, value in record.settings.items()}
    return f'<div class="facts">{facts}{list_facts("Settings", settings, "")}</div>'


def _reason(reason: str) -> str:
    return f'<p class="note">Not to be had here: {plain_html(reason)}.</p>'
