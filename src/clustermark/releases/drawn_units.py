"""The units of a truth sample with unequal probabilities: drawn by `draw_sample`, or described by the caller."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from clustermark.errors import InputError, Mention, count
from clustermark.labels import is_missing
from clustermark.labels.alignment import id_text
from clustermark.labels.frame_columns import list_values
from clustermark.releases.sample_drawing import DrawnSample
from clustermark.sources import columns
from clustermark.sources.tabular import is_tabular, open_columns, read_by_id, reading_options
from clustermark.uncertainty.entries import add_by
from clustermark.uncertainty.sampled_truth import LONE_CLASS
from clustermark.uncertainty.unequal_sampling import DrawnUnits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clustermark.uncertainty.sampled_truth import SampledCells

MakeUnits: TypeAlias = Callable[["SampledCells", Mapping[str, Any]], DrawnUnits]
"""Makes the units of sampled cells; it gets the settings of the table, which name its columns."""


class _SampleRow(NamedTuple):
    """A drawn record, with texts."""

    id: str
    probability: float
    stratum: str = ""
    unit: str = "record"
    cluster: str = ""


def units_by_record(drawn: Any, truth: Any, options: Mapping[str, Any]) -> MakeUnits:
    """Return what makes the units of drawn records: the result of `draw_sample`, its table, or probabilities by id."""
    rows = _read_rows(drawn, options)
    if not rows:
        raise InputError(Mention("drawn"), ": there is no drawn record; pass the records that draw_sample() returned")
    texts = [row.id for row in rows]
    if len(set(texts)) < len(texts):
        twice = next(text for text in texts if texts.count(text) > 1)
        raise InputError(Mention("drawn"), f": the record {twice!r} occurs twice; list each drawn record once")

    def make(cells: SampledCells, settings: Mapping[str, Any]) -> DrawnUnits:
        labels = _labels_of(set(texts), truth, options, settings)
        return _link(cells, rows, labels)

    return make


def _read_rows(drawn: Any, options: Mapping[str, Any]) -> list[_SampleRow]:
    if isinstance(drawn, DrawnSample):
        return [
            _SampleRow(id_text(row.id), row.probability, row.stratum, row.unit, id_text(row.cluster))
            for row in drawn.rows
        ]
    if isinstance(drawn, Mapping):
        return [_SampleRow(id_text(name), _read_chance("drawn", chance)) for name, chance in drawn.items()]
    if not is_tabular(drawn):
        raise InputError(
            Mention("drawn"), ": pass the result of draw_sample(), its table, or a mapping from id to probability"
        )
    with open_columns(drawn, "drawn records", reading_options(options)) as table:
        ids = columns.find_id(table, columns.id_names(columns.read_id(options.get("on"))) or [["id"]])
        columns.require(table, "probability", "probability")
        others = [name for name in ("stratum", "unit", "cluster") if name in table.kinds and name not in ids]
        read = [list_values(column) for column in table.read([*ids, "probability", *others])]
    keys = read[0] if len(ids) == 1 else list(zip(*read[: len(ids)], strict=True))
    chances, *rest = read[len(ids) :]
    values = zip(*(map(id_text, column) for column in rest), strict=True) if rest else [()] * len(keys)
    return [
        _SampleRow(id_text(key), _read_chance("drawn", chance), **dict(zip(others, row, strict=True)))
        for key, chance, row in zip(keys, chances, values, strict=True)
    ]


def _read_chance(name: str, value: Any, most: float = 1.0) -> float:
    """Return a probability, or with an infinite `most` a weight."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not 0 < number <= most or not isfinite(number):
        wanted = "a probability, above 0 and at most 1" if most == 1 else "a number above 0"
        raise InputError(Mention(name), f": {value!r} is not {wanted}")
    return number


def _labels_of(ids: set[str], truth: Any, options: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the true label of each drawn record, as texts."""
    if isinstance(truth, Mapping) or is_tabular(truth):
        wanted = None if isinstance(truth, Mapping) else [settings["true"]]
        if wanted and options.get("on") is None:
            raise InputError(
                Mention("drawn"), ": the records are found by their ids; name their column by ", Mention("on")
            )
        found = read_by_id(ids, truth, wanted, options)
        labels = {name: text for name, record in found.items() for text in record.values() if text}
    else:
        labels = {str(place): id_text(label) for place, label in enumerate(truth) if not is_missing(label)}
    lacking = sorted(ids - labels.keys())
    if lacking:
        raise InputError(
            f"{count(len(lacking), 'drawn record')} of {len(ids):,} {'has' if len(lacking) == 1 else 'have'} no true "
            f"label, such as {lacking[0]!r}; label each with all records of its true cluster"
        )
    return labels


def _classes_of(cells: SampledCells) -> dict[str, int]:
    if any(label is LONE_CLASS for label in cells.true_labels):
        raise InputError("true clusters without a label, such as noise made singletons, have no probability; name them")
    return {id_text(label): place for place, label in enumerate(cells.true_labels)}


def _link(cells: SampledCells, rows: Sequence[_SampleRow], labels: Mapping[str, str]) -> DrawnUnits:
    """Return drawn records, or drawn predicted clusters, with the true clusters to which they lead."""
    classes = _classes_of(cells)
    noun = "cluster" if rows and rows[0].unit == "cluster" else "record"
    keys: dict[str, int] = {}
    units = np.array([keys.setdefault(row.cluster if noun == "cluster" else row.id, len(keys)) for row in rows])
    strata: dict[str, int] = {}
    of_row = np.array([strata.setdefault(row.stratum, len(strata)) for row in rows])
    clusters = np.array([classes[labels[row.id]] for row in rows])
    chances = np.array([row.probability for row in rows])
    first = np.unique(units, return_index=True)[1]
    if (chances != chances[first][units]).any() or (of_row != of_row[first][units]).any():
        raise InputError(Mention("drawn"), ": the records of one predicted cluster have different probabilities")
    reached = np.zeros(len(classes), np.bool_)
    reached[clusters] = True
    if not reached.all():
        names = [name for name, place in classes.items() if not reached[place]]
        raise InputError(
            f"{count(len(names), 'labelled true cluster')} {'has' if len(names) == 1 else 'have'} no drawn record, "
            f"such as {names[0]!r}; leave them out of the truth sample"
        )
    expected = _expected_units(cells, rows, noun, clusters)
    share = 1 / cells.a[clusters] if expected is None else chances / expected[clusters]
    links, place = np.unique(units.astype(np.int64) * len(classes) + clusters, return_inverse=True)
    unit, cluster = np.divmod(links, len(classes))
    shares = np.asarray(np.bincount(place, share), np.float64)
    return DrawnUnits(
        unit, cluster, shares, chances[first], of_row[first].astype(np.int64), noun, balanced=expected is not None
    )


def _expected_units(
    cells: SampledCells, rows: Sequence[_SampleRow], noun: str, clusters: NDArray[np.int64]
) -> NDArray[np.float64] | None:
    """Return the expected number of drawn records of each true cluster.

    None if the strata are no sizes of predicted clusters, or if those of this prediction are others: then the
    probabilities of records that were not drawn are not known.
    """
    sizes = np.append(cells.sizes, np.ones(cells.lone))
    chance = np.full(len(cells.n), np.nan)
    for stratum in {row.stratum for row in rows}:
        mine = [place for place, row in enumerate(rows) if row.stratum == stratum]
        ends = re.fullmatch(r"(\d+)(?:-(\d+))?", stratum)
        if ends is None:
            return None
        least, most = int(ends[1]), int(ends[2] or ends[1])
        probability = rows[mine[0]].probability
        drawn = len({rows[place].cluster for place in mine}) if noun == "cluster" else len(mine)
        here = sizes[(sizes >= least) & (sizes <= most)]
        if drawn != round(probability * (len(here) if noun == "cluster" else here.sum())):
            return None
        within = (cells.b >= least) & (cells.b <= most)
        chance[within] = probability
        labelled = add_by(cells.of[within], (cells.n * cells.times)[within], len(cells.true_labels))
        if (np.bincount(clusters[mine], minlength=len(labelled)) > labelled).any():
            return None
    if np.isnan(chance).any():
        return None
    return np.asarray(add_by(cells.of, chance * cells.n * cells.times, len(cells.true_labels)))


def units_by_cluster(
    truth: Any,
    options: Mapping[str, Any],
    *,
    probability: Any = None,
    sampling_weights: Any = None,
    strata: Any = None,
    population: Mapping[Any, int] | None = None,
) -> MakeUnits:
    """Return what makes the units of drawn true clusters: by probabilities, by weights, or by the sizes of strata."""
    if (probability is not None) + (sampling_weights is not None) + (population is not None) != 1:
        raise InputError(
            "the probabilities of clusters are known from ",
            Mention("probability"),
            ", from ",
            Mention("sampling_weights"),
            ", or from the number of clusters of each stratum, ",
            Mention("population"),
            "; pass one of them",
        )

    def make(cells: SampledCells, settings: Mapping[str, Any]) -> DrawnUnits:
        classes = _classes_of(cells)

        def read(name: str, given: Any) -> list[str]:
            return _read_by_label(name, given, classes, truth, options, settings)

        codes = dict.fromkeys(stratum := [""] * len(classes) if strata is None else read("strata", strata))
        numbers = {name: place for place, name in enumerate(codes)}
        of = np.array([numbers[name] for name in stratum], np.int64)
        if probability is not None:
            chances = np.array([_read_chance("probability", one) for one in read("probability", probability)])
        elif sampling_weights is not None:
            weights = read("sampling_weights", sampling_weights)
            chances = 1 / np.array([_read_chance("sampling_weights", one, np.inf) for one in weights])
        else:
            chances = _chances_of_strata(dict(population or {}), list(numbers), of)
        every = np.arange(len(classes), dtype=np.int64)
        return DrawnUnits(every, every, np.ones(len(every)), chances, of, absolute=sampling_weights is None)

    return make


def _chances_of_strata(
    population: Mapping[Any, int], strata: Sequence[str], of: NDArray[np.int64]
) -> NDArray[np.float64]:
    known = {id_text(name): number for name, number in population.items()}
    drawn = np.bincount(of)
    for name, sampled in zip(strata, drawn.tolist(), strict=True):
        number = known.get(name)
        if not isinstance(number, int) or isinstance(number, bool) or number < sampled:
            raise InputError(
                Mention("population", dict(population)),
                f": the stratum {name!r} has {count(sampled, 'sampled cluster')}; give the number of all its clusters",
            )
    return (drawn / np.array([known[name] for name in strata], np.float64))[of]


def _read_by_label(
    name: str,
    given: Any,
    classes: Mapping[str, int],
    truth: Any,
    options: Mapping[str, Any],
    settings: Mapping[str, Any],
) -> list[str]:
    """Return a value for each true cluster, as texts: of a mapping from its label, or of a column of the truth."""
    if isinstance(given, Mapping):
        known = {id_text(label): id_text(value) for label, value in given.items()}
    elif isinstance(given, str) and is_tabular(truth):
        with open_columns(truth, "truth", reading_options(options)) as table:
            columns.require(table, name, given)
            labels, values = (map(id_text, list_values(column)) for column in table.read([settings["true"], given]))
        known = {}
        for label, value in zip(labels, values, strict=True):
            if label in classes and known.setdefault(label, value) != value:
                raise InputError(Mention(name, given), f": the true cluster {label!r} has several values; give it one")
    else:
        raise InputError(Mention(name), " must be a mapping from true label, or the name of a column of the truth")
    lacking = [label for label in classes if label not in known]
    if lacking:
        raise InputError(
            Mention(name), f": {count(len(lacking), 'sampled cluster')} without a value, such as {lacking[0]!r}"
        )
    return [known[label] for label in classes]
