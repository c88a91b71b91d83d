"""estimate(): the scores of a prediction whose truth is known for a sample of the records."""

from __future__ import annotations

from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING, Any, Unpack, cast

import numpy as np

from clustermark.errors import InputError, Mention, UnsupportedTableError, count
from clustermark.evaluation.notices import tell_like_noise, warn_of_noise
from clustermark.evaluation.record import Record
from clustermark.options import check_choice, names_columns, with_table_options
from clustermark.registry import Index, catalogue, is_ours, read_indices
from clustermark.registry.array_scores import ArrayScores, use_of
from clustermark.releases.estimated_scores import Estimates, TruthSample, degrees_in
from clustermark.releases.sample_requests import SampleRequest
from clustermark.results.values import label_text
from clustermark.sources.contingencies import crosstab
from clustermark.statistics.units import NoClosedFormError
from clustermark.tables.policies import spread_noise
from clustermark.uncertainty.interval import Interval
from clustermark.uncertainty.limits import limits_above, reach
from clustermark.uncertainty.refusals import FEW_GROUPS, FEWEST_GROUPS, SIZED
from clustermark.uncertainty.sampled_truth import (
    ALL_CLUSTERS,
    ALL_SIZES,
    ONLY_PAIRS,
    Design,
    SampledCells,
    SampledClusters,
    SampledRecords,
    read_drawn,
)
from clustermark.uncertainty.spread import Spread, moments
from clustermark.uncertainty.tail_index import refuse_tail
from clustermark.uncertainty.unequal_sampling import UnequalUnits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clustermark.labels.conversion import Labels
    from clustermark.options import TableOptions
    from clustermark.releases.drawn_units import MakeUnits
    from clustermark.releases.sample_drawing import DrawnSample
    from clustermark.sources.recognition import Source
    from clustermark.tables.contingency import Contingency
    from clustermark.uncertainty.unequal_sampling import DrawnUnits

_POLICIES = {"missing": "cluster", "unmatched": "keep"}
"""Policies with which a table keeps records without a true label, and so the sizes of predicted clusters."""
TARGET = "finite population"
_MISJUDGED = 2.0
"""A sample is refused if it suggests more than this many times the known number of predicted pairs, or 1 / this."""


@with_table_options
def estimate(
    truth_sample: Labels | Source,
    prediction: Labels | Source | None = None,
    indices: Sequence[str | Index[...]] | str | None = None,
    *,
    design: Design | None = None,
    drawn: DrawnSample | Source | Mapping[Any, float] | None = None,
    probability: Mapping[Any, float] | str | None = None,
    sampling_weights: Mapping[Any, float] | str | None = None,
    strata: Mapping[Any, Any] | str | None = None,
    population: int | Mapping[Any, int] | None = None,
    level: float = 0.95,
    **options: Unpack[TableOptions],
) -> Estimates:
    """Estimate the scores of a prediction from the true labels of a sample of its records.

    truth_sample, prediction: as in `evaluate`: two mappings from id to label, two sources joined by on=, or one source
        or two lists where records without a true label have none (None, NaN, an empty field).
    indices: indices or their names; those of the panel by default, "all" for all that can be estimated.
    design: how the sample was drawn. "clusters": true clusters at random, all of whose records were labelled;
        "clusters_by_record": records at random, whose whole true clusters were labelled; "records": records at random,
        which alone were labelled.
    drawn: instead of a design: the records that `draw_sample` drew, as its result or a table of that. The truth sample
        has all records of the true clusters of these. Or the probability of each drawn record, by id.
    probability: with design="clusters": the probability with which each true cluster was drawn, by its label, or a
        column of the truth. It is 1 for clusters that were taken for certain, such as giants.
    sampling_weights: the same as numbers in proportion to one over the probability.
    strata: the stratum of each sampled true cluster, by its label, or a column of the truth, if a number of clusters
        was drawn of each.
    population: the size of the population that was drawn from. For design="clusters" the number of true clusters,
        estimated from the sample by default, or a mapping from stratum to its number; for "clusters_by_record" the
        number of records, by default assumed to be much larger than the sample.
    level: the probability with which such intervals contain the score of all records.
    unmatched, missing: the treatment of labelled records that the prediction lacks, or gives no label. Weights, and
        dropping noise of the truth, are refused.

    {options}

    >>> truth = {record: record // 3 for record in range(0, 300) if record // 3 % 4 == 0}
    >>> estimate(truth, {record: record // 5 for record in range(300)}, ["pair_precision"], design="clusters")
    Estimated from 25 sampled clusters (75 records) of 300 records
    All 300 records would score about 0.3667 [0.3094, 0.4280] (Pair precision).
    index                             score  standard error
    pair_precision  0.3667 [0.3094, 0.4280]           0.029
    about 100 true clusters in all, as the sample suggests; if you know the number, pass population=
    pair_precision: only 25 sampled clusters: the interval may be too narrow
    """
    asked = SampleRequest(design, population, level, drawn, probability, sampling_weights, strata)
    asked.check()
    table = _tabulate(truth_sample, prediction, dict(options))
    warn_of_noise(tell_like_noise(table))
    return estimate_table(table, indices, asked, asked.units(truth_sample, options), **treatment(options))


def treatment(options: Mapping[str, Any]) -> dict[str, str]:
    """Return the treatment of labelled records that the prediction lacks, or gives no label."""
    chosen = {name: "error" if options.get(name) is None else options[name] for name in _POLICIES}
    for name, policy in chosen.items():
        check_choice(name, policy)
    return chosen


def sample_options(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of the table of a truth sample, which keeps all records; refuse those that do not apply."""
    for name in ("noise_true", "noise"):
        if "drop" in (options.get(name) or {}).values():
            raise InputError(
                Mention(name, options[name]), ": leave noise out of the truth sample instead of dropping it"
            )
    options = spread_noise(options)
    if options.get("weights") is not None:
        raise InputError(Mention("weights"), " are not for samples of the truth; leave them out")
    if options.get("push_down"):
        raise InputError(Mention("push_down", True), ": a sample of the truth is estimated in memory; leave it out")
    return options | _POLICIES | {"push_down": False if names_columns(options) else None}


def _tabulate(truth: Any, prediction: Any, options: dict[str, Any]) -> Contingency:
    chosen: Any = sample_options(options)
    table: Contingency = crosstab(truth, prediction, **chosen)
    if table.n_used == table.n_unmatched:  # nothing matches: the error of this policy shows ids of both sides
        crosstab(truth, prediction, **chosen | {"unmatched": "drop"})
    return table


def estimate_table(
    table: Contingency,
    indices: Sequence[str | Index[...]] | str | None,
    asked: SampleRequest,
    make_units: MakeUnits | None = None,
    *,
    missing: str = "error",
    unmatched: str = "error",
) -> Estimates:
    """Return the estimates from a table made with `sample_options`."""
    asked.check()
    cells = read_drawn(table, missing, unmatched)
    units, sampling = _read_units(cells, asked, None if make_units is None else make_units(cells, table.settings))
    maker = _Maker(units, sampling, asked.level)
    found, refused, spreads = dict[str, Interval](), dict[str, str](), dict[str, Spread]()
    for index in _choose(indices):
        try:
            found[index.label], spreads[index.label] = maker.make(index)
        except UnsupportedTableError as error:
            if not is_ours(indices):
                raise
            refused[index.label] = str(error)
    record = Record.of(table, {}, {"design": sampling.design, "level": asked.level}, refused)
    record = record._replace(settings=record.settings | {"missing": missing, "unmatched": unmatched})
    return Estimates(found, refused, sampling, record, spreads, units.multiplicity, float(cells.a.max()))


def _choose(indices: object) -> list[Index[...]]:
    if is_ours(indices):
        return [index for index in catalogue() if indices is not None or index.facts.panel]
    return list({index.label: index for index in read_indices(indices)}.values())


def _read_units(
    cells: SampledCells, asked: SampleRequest, drawn: DrawnUnits | None
) -> tuple[SampledClusters | SampledRecords, TruthSample]:
    """Return the sampled units, and a description of the sample."""
    if (labelled := cells.labelled) == cells.population:
        raise InputError("every record has a true label, so there is nothing to estimate; use ", Mention("evaluate()"))
    if drawn is None:
        return _read_design(cells, cast("Design", asked.design), cast("int | None", asked.population))
    design = f"drawn_{drawn.noun}s" if asked.drawn is not None else "clusters"
    absolute = drawn.absolute
    units = UnequalUnits(cells, drawn)
    n, population = len(drawn.probability), float((1 / drawn.probability).sum()) if absolute else float(units.k_true[0])
    strata = int(drawn.stratum.max()) + 1
    sampling = TruthSample(
        design, drawn.noun, n, population, absolute, labelled, cells.population, strata, drawn.balanced
    )
    return units, sampling


def _read_design(
    drawn: SampledCells, design: Design, population: int | None
) -> tuple[SampledClusters | SampledRecords, TruthSample]:
    records, labelled = drawn.population, drawn.labelled
    if design == "records":
        if population is not None:
            raise InputError(Mention("population", population), ": the prediction contains all records; leave it out")
        return SampledRecords(drawn), TruthSample(design, "record", labelled, records, True, labelled, records)
    if population is not None and (not isinstance(population, int) or isinstance(population, bool)):
        raise InputError(Mention("population", population), " must be a whole number")
    sampled = int(drawn.multiplicity.sum())
    if design == "clusters_by_record":
        if population is not None and population < records:
            raise InputError(Mention("population", population), f": the prediction alone has {records:,} records")
        units = SampledClusters(drawn, by_record=True, population=population)
        clusters, records = float(units.k_true[0]), population or records
    else:
        units = SampledClusters(drawn)
        most = sampled + records - labelled
        if population is not None and not sampled < population <= most:
            raise InputError(
                Mention("population", population),
                f": there are more true clusters than the {sampled:,} of the sample, and at most {most:,}, one for "
                "each other record",
            )
        clusters = float(units.k_true[0]) if population is None else population
    return units, TruthSample(design, "cluster", sampled, clusters, population is not None, labelled, records)


def _round_into(score: float, bounds: tuple[float, float]) -> float:
    """Return the score, or the bound that it exceeds by rounding only."""
    low, high = bounds
    near = min(max(score, low), high)
    return near if abs(score - near) <= 1e-13 else score


class _Maker:
    """Estimates from one sample; intermediate results are shared by indices."""

    def __init__(self, units: SampledClusters | SampledRecords, sampling: TruthSample, level: float) -> None:
        self._units, self._sampling, self._level = units, sampling, level
        self._scores = ArrayScores(units)

    def make(self, index: Index[...]) -> tuple[Interval, Spread]:
        """Return the estimate of one index, and its spread."""
        values, floor = self._values(index)
        score = _round_into(float(values[0]), index.bounds)
        spread = self._spread(values)._replace(floor=floor)
        reason = self._refusal(index, score, spread)
        ends: tuple[float | None, float | None] = (None, None)
        notes = [reason] if reason else []
        if not reason:
            z = reach(self._level, degrees_in(spread, self._units.multiplicity))
            ends = limits_above(floor, score, spread.standard_error, z, index.bounds)
            if spread.n_units < FEW_GROUPS:
                notes = [f"only {spread.n_units} sampled {self._units.unit}s: the interval may be too narrow"]
        error = spread.standard_error if np.isfinite(spread.standard_error) else None
        bias = spread.bias if error is not None else None
        unit, n = self._units.unit, spread.n_units
        made = Interval(index.label, score, *ends, error, bias, self._level, "jackknife", unit, n, TARGET, tuple(notes))
        return made, spread

    def _values(self, index: Index[...]) -> tuple[Any, float]:
        """Return the estimate and its values without one unit of each class; and its value without pairs, or NaN."""
        by_records = isinstance(self._units, SampledRecords)
        drawn = "records" if by_records else "clusters"
        try:
            values = self._scores.of(index)
        except NoClosedFormError:
            by_chance = index.facts.family == "chance"
            why = ONLY_PAIRS if by_records else ALL_SIZES if by_chance else ALL_CLUSTERS
            raise UnsupportedTableError(
                f"{index.label} cannot be estimated from a sample of {drawn}: it {why}"
            ) from None
        if np.isnan(values[0]):
            raise UnsupportedTableError(f"{index.label} is not defined for this sample: it is 0/0")
        return (np.append(values[:-1], values[0]), float(values[-1])) if by_records else (values, float("nan"))

    def _spread(self, values: Any) -> Spread:
        multiplicity = self._units.multiplicity
        units = int(multiplicity.sum())
        if units < 2 or not np.isfinite(values).all():
            return Spread(np.inf, np.nan, "jackknife", units, left_out=values)
        if float(np.ptp(values)) <= 1e-13 * float(np.abs(values).max()):  # differences are due to rounding
            return Spread(0.0, 0.0, "jackknife", units, left_out=values)
        if isinstance(self._units, UnequalUnits):
            parts = self._units.split(values)
            error = sqrt(float(parts.variance.sum()))
            return Spread(error, parts.bias, "jackknife", units, left_out=values, strata=parts)
        bias = float(moments(values, multiplicity, values[0])[1])
        away = (values - (values * multiplicity).sum() / units) ** 2 * multiplicity * (units - 1) / units
        of_units, of_pairs = self._split(values, away)
        return Spread(sqrt(of_units + of_pairs), bias, "jackknife", units, left_out=values, of_pairs=of_pairs)

    def _split(self, values: Any, away: Any) -> tuple[float, float]:
        """Return the variance due to units and due to pairs of units, in a finite population; away: by class."""
        units, unseen = self._units, self._sampling.unseen
        if isinstance(units, SampledRecords):
            return units.split_variance(values, float(away.sum()), unseen)
        return float((away * (unseen if units.reached is None else np.append([0.0], 1 - units.reached))).sum()), 0.0

    @cached_property
    def _alarm(self) -> str:
        """Say that the sample misjudges how many pairs the prediction has, which is known; empty if it does not.

        Then the clusters that hold most pairs were not drawn, or were drawn by luck, and no interval from the others
        shows that.
        """
        if isinstance(self._units, SampledRecords) or self._sampling.design == "clusters_by_record":
            return ""  # clusters reached through records include the large ones
        seen = self._units.seen_pairs
        if not seen < 1 / _MISJUDGED and not seen > _MISJUDGED:  # NaN: the prediction has no pairs
            return ""
        names, share = self._units.unmet()
        unmet = (
            f" (no sampled cluster meets {', '.join(map(label_text, names))}; what none meets has {share:.0%} of them)"
        )
        return (
            f"the sample suggests {seen:.2g} times the pairs that the prediction has{unmet if seen < 1 else ''}: no "
            "interval; draw records by the sizes of their predicted clusters (draw_sample), or clusters by records "
            "(design clusters_by_record), which reaches the large ones"
        )

    @cached_property
    def _heavy_tail(self) -> str:
        """Say that the sizes of clusters have a heavy tail, if these were drawn with equal probabilities."""
        units = self._units
        equal = isinstance(units, SampledClusters) and not isinstance(units, UnequalUnits)
        if not equal or self._sampling.design != "clusters":
            return ""
        return refuse_tail(units.drawn.a, units.drawn.multiplicity, "cluster")

    def _refusal(self, index: Index[...], score: float, spread: Spread) -> str:
        """Return the reason why an estimate has no interval, or an empty text."""
        n, unit = spread.n_units, self._units.unit
        if n < FEWEST_GROUPS:
            return f"only {n} sampled {unit}{'' if n == 1 else 's'}: no interval"
        if isinstance(self._units, UnequalUnits) and (alone := self._units.n_alone):
            return f"{count(alone, 'stratum', 'strata')} with one sampled {unit} only: no interval"
        if self._units.largest_share > 0.5:
            return f"one {unit} holds most of the sample: no interval"
        if not index.bounds[0] <= score <= index.bounds[1]:
            return f"outside the range of the index: too few {unit}s, or they were drawn in another way; no interval"
        if use_of(index).statistic in SIZED and (alarm := self._alarm or self._heavy_tail):
            return alarm
        if not np.isfinite(spread.standard_error):
            return f"not defined when one {unit} is removed: no interval"
        if spread.standard_error:
            return ""
        if self._units.drawn.all_exact:
            return (
                f"No disagreement among {n:,} sampled {unit}s: no interval. Fewer than {3 / n:.2g} of such draws "
                "contain one (95 %)."
            )
        if score == index.best:
            return f"no error of this kind among {n:,} sampled {unit}s: no interval"
        return f"the score is the same without any of {n:,} sampled {unit}s: no interval"
