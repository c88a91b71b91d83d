"""Estimates from judged pairs: signed sums of proportions, and ratios of such sums."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import isnan, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from clustermark.releases.judgements.beliefs import believe, believe_mean
from clustermark.releases.judgements.pair_masses import SIGNS
from clustermark.releases.judgements.proportions import Accuracy, AnswerTally, Span, Term, Unknown, add_up, solve

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from clustermark.releases.judgements.answers import Said
    from clustermark.releases.judgements.beliefs import Belief
    from clustermark.releases.judgements.pair_sampling import SampledRecord
    from clustermark.releases.judgements.questionnaire import Question, QuestionDesign


class Estimate(NamedTuple):
    """An estimate from judged pairs, with its interval."""

    name: str
    title: str
    value: float
    """NaN if no such pair was judged."""
    low: float
    high: float
    n: int
    """Number of judged pairs or records."""
    scale: str
    """Kind of number: "change" or "score" of an index, "share", "rate" or "ratio"."""
    p_better: float | None = None
    """Probability that a change is above 0, or a ratio above 1, if nothing was known before; None for other scales."""
    p_loss: float | None = None
    """With a margin: probability that a change is a loss of more."""

    @property
    def known(self) -> bool:
        """Whether the value is known."""
        return not isnan(self.value)

    def facts(self) -> dict[str, Any]:
        """Return the fields by name, without probabilities that do not exist; an unknown value is None."""
        missing = {name for name in ("p_better", "p_loss") if getattr(self, name) is None}
        found = {name: value for name, value in self._asdict().items() if name not in missing}
        return found | ({} if self.known else {"value": None})


@dataclass(frozen=True)
class Rules:
    """Level, treatment of unknown answers, and accuracy of judges."""

    level: float
    unknown: Unknown
    accuracy: Accuracy | None
    margin: float | None = None

    def believe(self, parts: Sequence[Term], constant: float = 0.0) -> Belief:
        """Return how probable it is that a sum is above 0, and below 0 by more than the margin."""
        return believe(parts, constant, margin=self.margin, unknown=self.unknown, accuracy=self.accuracy)

    def add(self, parts: Sequence[Term], constant: float = 0.0) -> Span:
        """Return the estimate and interval of a sum."""
        return add_up(parts, self.level, constant, self.unknown, self.accuracy)


class JudgedPairs:
    """The judged pairs of all records, or of one slice, by kind."""

    def __init__(self, design: QuestionDesign, table: Sequence[Question], said: Mapping[tuple[str, str], Said],
                 slice_: str | None = None) -> None:  # fmt: skip
        self._tallies: dict[str, tuple[AnswerTally, AnswerTally]] = {}
        self.masses: dict[str, float] = {}
        self._sure: dict[str, float] = {}
        for one in design.strata:
            inside = [question for question in table if question.kind == one.kind]
            drawn, sure, share = _tally(inside, said, slice_)
            if slice_ is None and one.listed:  # the pairs of a slice are drawn for one of their two records, at random
                drawn = drawn._replace(of=float(one.listed))
            mass = one.mass if slice_ is None else design.slices[slice_][one.kind]
            if slice_ is not None and mass:
                # the share of certain pairs in the mass of the slice
                weight = design.slices[slice_]["share"] if design.index == "b_cubed_precision" else 1.0
                share = min(1.0, share * one.mass / (mass * weight))
                share = 1.0 if one.sure_share == 1.0 else share
            else:
                share = one.sure_share
            self.masses[one.kind], self._sure[one.kind] = mass, share
            self._tallies[one.kind] = drawn, sure

    def parts(self, kind: str, weight: float) -> list[Term]:
        """Return the share of different pairs of a kind, as terms of a sum."""
        drawn, sure = self._tallies[kind]
        share = self._sure[kind]
        both = [Term(weight * share, sure)] if share else []
        return both + ([Term(weight * (1 - share), drawn)] if share < 1 else [])

    def n(self, *kinds: str) -> int:
        """Return the number of judged pairs of these kinds."""
        return round(sum(tally.n for kind in kinds for tally in self._tallies[kind]))

    def unseen(self) -> list[str]:
        """Return the kinds with mass of which no randomly drawn pair was judged."""
        return [
            kind
            for kind, (drawn, _) in self._tallies.items()
            if self.masses[kind] > 0 and self._sure[kind] < 1 and not drawn.n
        ]

    def tallies(self) -> list[AnswerTally]:
        """Return the tallies of all kinds."""
        return [tally for both in self._tallies.values() for tally in both]

    def says(self, kind: str, word: str) -> bool:
        """Return whether any pair of a kind has this answer."""
        return any(getattr(tally, word) for tally in self._tallies[kind])


def count_different(table: Sequence[Question], said: Mapping[tuple[str, str], Said]) -> dict[str, tuple[float, float]]:
    """Return for each kind how many judged pairs are different, and how many were judged."""
    found: dict[str, tuple[float, float]] = {}
    for one in table:
        word = said.get(one.pair, "unknown")
        if word != "unknown":
            different, number = found.get(one.kind, (0, 0))
            found[one.kind] = (different + (word == "different"), number + 1)
    return found


def _tally(
    table: Sequence[Question], said: Mapping[tuple[str, str], Said], slice_: str | None
) -> tuple[AnswerTally, AnswerTally, float]:
    """Return the tallies of random pairs and of certain pairs, and the share of the latter in the mass."""
    drawn = dict.fromkeys(("same", "different", "unknown"), 0.0)
    sure, number = dict(drawn), 0.0
    for one in table:
        word = said.get(one.pair, "unknown")
        mine = [slice_ is None or name == slice_ for name in one.slices]
        if one.share is None:
            drawn[word] += sum(mine) if slice_ is not None else one.draws
        else:
            sure[word] += one.share * (sum(mine) / 2 if slice_ is not None else 1.0)
            number += any(mine) or slice_ is None
    share = sum(sure.values())
    scale = number / share if share else 0.0
    judged = AnswerTally(sure["different"] * scale, sure["same"] * scale, sure["unknown"] * scale, whole=True)
    return AnswerTally(drawn["different"], drawn["same"], drawn["unknown"]), judged, share


def estimate_change(sample: JudgedPairs, rules: Rules) -> list[Estimate]:
    """Estimate the change of B-cubed precision, and the shares of right splits and merges."""
    masses = sample.masses
    parts = [part for kind in masses for part in sample.parts(kind, SIGNS[kind] * masses[kind])]
    change, n = rules.add(parts), sample.n(*masses)
    found = [Estimate("b_cubed_precision", "B-cubed precision", *change, n, "change", *rules.believe(parts))]
    return found + _rate_changes(sample, rules)


def _rate_changes(sample: JudgedPairs, rules: Rules) -> list[Estimate]:
    split, merge = (sample.masses.get(kind, 0.0) for kind in ("split", "merge"))
    found = []
    if split:
        found.append(_share("good_splits", "good splits", rules.add(sample.parts("split", 1.0)), sample.n("split")))
    if merge:
        found.append(
            _share("good_merges", "good merges", rules.add(sample.parts("merge", -1.0), 1.0), sample.n("merge"))
        )
    if split + merge:
        whole = split + merge
        parts = [*sample.parts("split", split / whole), *sample.parts("merge", -merge / whole)]
        good = rules.add(parts, merge / whole)
        n = sample.n("split", "merge")
        found.append(_share("good_share", "good share", good, n))
        found.append(Estimate("net", "good less bad", *Span(*(2 * one - 1 for one in good)), n, "rate"))
    for kind, mass, word in (("split", split, "split"), ("merge", merge, "merge")):
        if mass:
            right = 1 if kind == "split" else -1
            for name, sign in (("good", right), ("bad", -right)):
                span = rules.add(sample.parts(kind, sign * mass), mass if sign < 0 else 0.0)
                found.append(Estimate(f"{name}_{word}_rate", f"{name} {word} rate", *span, sample.n(kind), "rate"))
    return found


def _share(name: str, title: str, span: Span, n: int) -> Estimate:
    return Estimate(name, title, *Span(*(min(1.0, max(0.0, one)) for one in span)), n, "share")


def estimate_precision(sample: JudgedPairs, index: str, rules: Rules) -> list[Estimate]:
    """Estimate the precision of one clustering."""
    mass = sample.masses["kept"] if index == "b_cubed_precision" else 1.0
    span = rules.add(sample.parts("kept", -mass), 1.0)
    title = "B-cubed precision" if index == "b_cubed_precision" else "Pair precision"
    return [Estimate(index, title, *span, sample.n("kept"), "score")]


def estimate_pairs(sample: JudgedPairs, rules: Rules) -> list[Estimate]:
    """Estimate pair precision before and after, its change, the ratio of recalls, and pooled recall."""
    split, merge, kept = (sample.masses[kind] for kind in ("split", "merge", "kept"))
    before, after = split + kept, merge + kept
    n = sample.n("split", "merge", "kept")

    def weigh(of_split: float, of_merge: float, of_kept: float) -> list[Term]:
        weights = {"split": of_split, "merge": of_merge, "kept": of_kept}
        return [part for kind, weight in weights.items() for part in sample.parts(kind, weight)]

    def add(constant: float, of_split: float, of_merge: float, of_kept: float) -> Span:
        return rules.add(weigh(of_split, of_merge, of_kept), constant)

    found = []
    if before and after:
        parts = weigh(split / before, -merge / after, kept / before - kept / after)
        found.append(
            Estimate("pair_precision", "Pair precision", *rules.add(parts), n, "change", *rules.believe(parts))
        )
    for name, whole, of_split, of_merge in (("before", before, split, 0.0), ("after", after, 0.0, merge)):
        if whole:
            span = add(1.0, -of_split / whole, -of_merge / whole, -kept / whole)
            found.append(Estimate(f"pair_precision_{name}", f"Pair precision {name}", *span, n, "score"))
    found += _rate_changes(sample, rules)
    # same pairs of a kind have mass × (1 − share of different pairs)
    ratio = solve(lambda r: add(merge - r * split + (1 - r) * kept, r * split, -merge, -(1 - r) * kept))
    more = rules.believe(weigh(split, -merge, 0.0), merge - split).better  # more same pairs merged than split
    found.append(Estimate("recall_ratio", "pair recall after / before", *ratio, n, "ratio", more))
    for name, mine in (("before", (split, 0.0, kept)), ("after", (0.0, merge, kept))):
        pooled = solve(_pool(add, mine, (split, merge, kept)), most=1.0)
        title = f"pooled pair recall {name}"
        found.append(Estimate(f"pooled_pair_recall_{name}", title, *pooled, n, "score"))
    return found


def _pool(
    add: Callable[..., Span], mine: tuple[float, float, float], either: tuple[float, float, float]
) -> Callable[[float], Span]:
    """Return a function of r: same pairs of one clustering less r times those of either; its root is the share."""

    def at(r: float) -> Span:
        weights = [one - r * other for one, other in zip(mine, either, strict=True)]
        return add(sum(weights), *(-weight for weight in weights))

    return at


def estimate_records(design: QuestionDesign, said: Mapping[tuple[str, str], Said], rules: Rules) -> list[Estimate]:
    """Estimate means over sampled records: the change of precision, of pooled recall, and of distance."""
    whole = design.strata[0].sure_share == 1.0
    affected, distance = design.impact["affected"], design.impact["distance"]
    measured = {
        "b_cubed_precision": ("B-cubed precision", affected, "change"),
        "pooled_b_cubed_recall": ("pooled B-cubed recall", affected, "change"),
        "pooled_iq": ("pooled improvement (IQ)", affected / distance, "rate"),
    }
    spans = [[] for _ in measured]  # type: list[list[tuple[float, float, float]]]
    for one in design.sampled:
        for place, (low, value, high) in enumerate(_measure(one, said)):
            spans[place].append((low, value, high) if rules.unknown == "bounds" else (value, value, value))
    found = []
    for (name, (title, scale, kind)), values in zip(measured.items(), spans, strict=True):
        weights = [one.weight for one in design.sampled] if whole else [1.0] * len(values)
        mean = _mean(values, weights, rules.level, whole=whole)
        span = Span(*(scale * end for end in mean.span))
        n = len(values)
        known = kind == "change" and (whole or n > 1)
        ends = [(scale * end, scale * error) for end, error in mean.ends]
        belief = believe_mean(ends, n, rules.margin) if known else (None, None)
        found.append(Estimate(name, title, *span, n, kind, *belief))
    return found


class _Mean(NamedTuple):
    """A mean over records with its limits; the means of the smallest and the largest values, and their errors."""

    span: Span
    ends: tuple[tuple[float, float], ...]


def _mean(
    values: Sequence[tuple[float, float, float]], weights: Sequence[float], level: float, *, whole: bool
) -> _Mean:
    """Return the mean, and t limits from the smallest and from the largest possible values."""
    from scipy.special import stdtrit

    total, n = sum(weights), len(values)
    means = [sum(w * value[place] for w, value in zip(weights, values, strict=True)) / total for place in range(3)]
    if whole:
        return _Mean(Span(means[1], means[0], means[2]), ((means[0], 0.0), (means[2], 0.0)))
    if n < 2:
        return _Mean(Span(means[1], -1.0, 1.0), ())
    t = float(stdtrit(n - 1, (1 + level) / 2))
    low, high = (sqrt(sum((value[place] - means[place]) ** 2 for value in values) / (n - 1) / n) for place in (0, 2))
    span = Span(means[1], means[0] - t * low, means[2] + t * high)
    return _Mean(span, ((means[0], low), (means[2], high)))


def _measure(one: SampledRecord, said: Mapping[tuple[str, str], Said]) -> list[tuple[float, float, float]]:
    """Return the smallest, estimated and largest value of each measure; the estimate omits unknown answers."""
    same: dict[str, float] = dict.fromkeys(("split", "merge", "kept"), 0.0)
    different, unknown = dict(same), dict(same)
    for name, (kind, weight) in one.mates.items():
        pair = (one.name, name) if one.name <= name else (name, one.name)
        {"same": same, "different": different}.get(said.get(pair, ""), unknown)[kind] += weight
    values = _measures(one.weight, same, different)
    extremes = []
    for taken in product((0, 1), repeat=3):
        as_same = dict(zip(same, taken, strict=True))
        extremes.append(
            _measures(
                one.weight,
                {kind: same[kind] + unknown[kind] * as_same[kind] for kind in same},
                {kind: different[kind] + unknown[kind] * (1 - as_same[kind]) for kind in same},
            )
        )
    return [
        (min(each[place] for each in extremes), values[place], max(each[place] for each in extremes))
        for place in range(3)
    ]


def _measures(own: float, same: Mapping[str, float], different: Mapping[str, float]) -> tuple[float, float, float]:
    """Return after less before for one record: its precision, its recall, and its Jaccard index with the ideal cluster.

    The ideal cluster consists of the same records among all that are with the record in either clustering.
    """
    ideal = own + sum(same.values())
    sizes, found = [], []
    for kind in ("split", "merge"):
        found.append(own + same["kept"] + same[kind])
        sizes.append(found[-1] + different["kept"] + different[kind])
    precision = [mine / size for mine, size in zip(found, sizes, strict=True)]
    recall = [mine / ideal for mine in found]
    jaccard = [mine / (size + ideal - mine) for mine, size in zip(found, sizes, strict=True)]
    return precision[1] - precision[0], recall[1] - recall[0], jaccard[1] - jaccard[0]
