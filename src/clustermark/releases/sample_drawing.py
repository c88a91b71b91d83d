"""draw_sample(): which records to label, so that few labels contain most information on a prediction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np

from clustermark.errors import InputError, Mention, count, require_whole
from clustermark.evaluation.notices import Notice, tell_many_like_noise
from clustermark.labels import read_labels
from clustermark.labels.alignment import id_text
from clustermark.labels.frame_columns import list_values
from clustermark.options import without_options
from clustermark.releases.judgements.pair_sampling import hash_ids
from clustermark.releases.size_strata import SizeStratum, make_strata
from clustermark.results.data import Column, Table
from clustermark.results.document import SUMMARY, Document, Grid, Head, KeyNumber, Section
from clustermark.results.frames import spread_ids
from clustermark.results.result import Result
from clustermark.sources import columns
from clustermark.sources.tabular import is_tabular, open_columns
from clustermark.tables.policies import count_like_noise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clustermark.labels.conversion import Labels
    from clustermark.labels.labeling import Labeling
    from clustermark.results.data import Columns
    from clustermark.results.document import Body, View
    from clustermark.sources.recognition import Source

_SHOWN = 1000
"""A document lists this many records at most."""
_NO_OPTIONS = {
    "true": "there is no truth yet; leave it out",
    "weights": "records are drawn by the sizes of clusters; leave it out",
    "counts": "a row that stands for several records names none of them",
    **dict.fromkeys(("noise", "noise_pred"), "give each record of noise a cluster of its own, or leave it out"),
    "noise_true": "there is no truth yet; leave it out",
    "missing": "every record needs a cluster; leave out those that have none",
    "unmatched": "there is one labeling; leave it out",
}
"""Options of a table that `draw_sample` does not have, and why."""


class DrawnRecord(NamedTuple):
    """A record to label, with its true cluster."""

    id: Any
    cluster: Any
    """Its predicted cluster."""
    size: int
    """The number of records of that."""
    stratum: str
    probability: float
    """The probability with which it was drawn."""
    unit: str
    """The drawn unit: the "record", or its predicted "cluster"."""


class DrawnSample(Result):
    """The records to label, and the strata from which they were drawn; `estimate` takes it as `drawn`."""

    KIND = "drawn_sample"
    FACTS: ClassVar[Columns] = {
        "unit": Column("text", choices=("record", "cluster")),
        "drawn": Column("count", doc="the number of drawn units"),
        "population": Column("count", doc="the number of units of the prediction"),
        "records": Column("count", doc="records of the prediction"),
        "seed": Column("number"),
    }
    TABLES: ClassVar[dict[str, Columns]] = {
        "sample": {
            "id": Column("label"),
            "cluster": Column("label", doc="the predicted cluster"),
            "size": Column("count", doc="records of the predicted cluster"),
            "stratum": Column("name", doc="the sizes of the clusters of the stratum"),
            "probability": Column("number", doc="the probability with which it was drawn"),
            "unit": Column("name", doc="what was drawn: the record, or its cluster"),
        },
        "strata": {
            "stratum": Column("name", doc="the sizes of the clusters of the stratum"),
            "clusters": Column("count"),
            "records": Column("count"),
            "population": Column("count", doc="units: records, or clusters"),
            "drawn": Column("count"),
            "probability": Column("share"),
        },
    }
    MAIN = "sample"

    def __init__(
        self, rows: Sequence[DrawnRecord], strata: Sequence[SizeStratum], unit: str, seed: int, on: Sequence[str] = ()
    ) -> None:
        self.rows, self.strata, self.unit, self.seed, self.on = list(rows), list(strata), unit, seed, list(on)
        self.notices: tuple[Notice, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def facts(self) -> dict[str, Any]:
        """Return the numbers of units, and the seed."""
        return {
            "unit": self.unit,
            "drawn": sum(one.drawn for one in self.strata),
            "population": sum(one.population for one in self.strata),
            "records": sum(one.records for one in self.strata),
            "seed": self.seed,
        }

    def tables(self) -> dict[str, Table]:
        """Return the records to label, and the strata."""
        return {
            "sample": Table(self.TABLES["sample"], self.rows),
            "strata": Table(self.TABLES["strata"], self.strata),
        }

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the records to label as columns; the ids have the names of their columns in the prediction."""
        made = super().to_dict()
        if len(self.on) == 1 and self.on[0] not in made:
            made = {self.on[0]: made.pop("id")} | made
        return spread_ids(made, ["id"], self.on)

    def document(self, view: View = SUMMARY) -> Document:  # noqa: ARG002
        """Return the document of text, notebook, Markdown, LaTeX and page."""
        facts = self.facts()
        what = count(facts["drawn"], self.unit)
        more = "" if self.unit == "record" else f" ({len(self):,} records)"
        heads = [Head("sizes"), *(Head(name, "count") for name in ("clusters", "records", "drawn"))]
        heads += [Head("probability", "share")]
        strata = [[one.stratum, one.clusters, one.records, one.drawn, one.probability] for one in self.strata]
        return Document(
            title="Records to label",
            headline=f"{what}{more} drawn of {facts['population']:,}, seed {self.seed}",
            verdict="Label every record of the true clusters that the drawn records belong to; then estimate the "
            "scores with this sample.",
            notices=[notice.text for notice in self.notices],
            key_numbers=[KeyNumber("to look up", len(self), note="records whose true clusters are wanted")],
            noun="record",
            sections=[
                Section(
                    "strata",
                    "Strata by the size of predicted clusters",
                    lambda: [Grid(heads, strata, "Strata")],
                    "Larger clusters are drawn with a higher probability, which estimates take into account.",
                    "summary",
                ),
                Section(
                    "sample", "Records to label", self._list, "The records whose true clusters are to be labelled."
                ),
            ],
        )

    def _list(self) -> list[Body]:
        heads = [Head("id", "label"), Head("predicted cluster", "label"), Head("size", "count"), Head("stratum")]
        heads += [Head("probability", "share")]
        rows: list[list[Any]] = [[*row[:5]] for row in self.rows[:_SHOWN]]
        return [Grid(heads, rows, "Records to label", total=len(self))]


@without_options(**_NO_OPTIONS)
def draw_sample(
    prediction: Labels | Source,
    n: int,
    seed: int = 0,
    *,
    unit: Literal["record", "cluster"] = "record",
    sizes: Sequence[int] | None = None,
    pred: str | None = None,
    on: str | Sequence[str] | None = None,
    reading: Mapping[str, Any] | None = None,
    engine: str | None = None,
) -> DrawnSample:
    """Draw records to label, more of large predicted clusters, so that `estimate` has narrow intervals.

    Where the sizes of clusters have a heavy tail, most pairs are in few clusters, which a sample with equal
    probabilities mostly misses. Here the predicted clusters form strata by their size, and each stratum has its own
    share of the sample; a stratum whose share is all of it is drawn whole.

    Of each drawn record, label the whole true cluster: the record and all others of the same entity, wherever the
    prediction has them. Then pass these labels to `estimate`, and the result of this function as `drawn`.

    prediction: the predicted cluster of each record: labels, a mapping from id to label, or a source.
    n: the number of units to draw; each stratum gets 2 at least.
    seed: the same seed draws the same records, whatever their order.
    unit: "record", or "cluster": whole predicted clusters, whose records are all labelled, with their true clusters.
    sizes: the smallest size of each stratum, such as [1, 2, 10, 100]; by default sizes double from one to the next.
    pred, on: the columns of a source with the clusters and with the ids. reading, engine: how a file is read, as in
        `evaluate`.

    >>> draw_sample({record: 0 if record < 200 else record // 2 for record in range(1000)}, 50, seed=1)
    50 records drawn of 1,000, seed 1
    Label every record of the true clusters that the drawn records belong to; then estimate the scores with this sample.
    sizes  clusters  records  drawn  probability
    2           400      800     20         2.5%
    200           1      200     30        15.0%
    """
    require_whole("n", n, 1)
    require_whole("seed", seed, 0)
    if unit not in ("record", "cluster"):
        raise InputError(Mention("unit", unit), " is unknown; choose ", Mention("unit", "record", "cluster"))
    options = {name: value for name, value in (("reading", reading), ("engine", engine)) if value is not None}
    ids, labeling, keys = _read(prediction, pred, on, options)
    made = _draw(ids, labeling, n, seed, unit, sizes, keys)
    like_noise = tell_many_like_noise([count_like_noise(labeling, {})], "", "the prediction")
    made.notices = tuple(Notice("noise", "".join(map(str, parts))) for parts in like_noise)
    return made


def _read(
    prediction: Any, pred: str | None, on: Any, options: Mapping[str, Any]
) -> tuple[Sequence[Any], Labeling, list[str]]:
    """Return the ids, the predicted clusters, and the names of the columns of ids."""
    is_mapping = isinstance(prediction, Mapping)
    if is_mapping or (pred is None and on is None and not (isinstance(prediction, str) or is_tabular(prediction))):
        for name, value in {"pred": pred, "on": on, **options}.items():
            if value is not None:
                raise InputError(Mention(name, value), " is for sources with columns; leave it out for labels")
        found = read_labels(list(prediction.values()) if is_mapping else prediction, "prediction")
        return list(prediction) if is_mapping else range(len(found)), found, []
    with open_columns(prediction, "prediction", options) as table:
        if on is None:
            raise InputError("name the column of the ids of records by ", Mention("on"))
        named = [name for name, _ in columns.read_id(on) or ()]
        for name in named:
            columns.require(table, "on", name)
        chosen = columns.only(table, "pred", pred, set(named))
        labels, *parts = table.read([chosen, *named])
    lists = [list_values(part) for part in parts]
    ids = lists[0] if len(lists) == 1 else list(zip(*lists, strict=True))
    return ids, read_labels(labels, "prediction"), named


def _draw(
    ids: Sequence[Any],
    labeling: Labeling,
    n: int,
    seed: int,
    unit: str,
    least: Sequence[int] | None,
    keys: Sequence[str],
) -> DrawnSample:
    if labeling.n_missing:
        raise InputError(
            f"prediction: {labeling.n_missing:,} records have no cluster; leave them out, or give them one"
        )
    names, of, sizes = np.unique(labeling.codes, return_inverse=True, return_counts=True)
    of_records = unit == "record"
    total = len(of) if of_records else len(sizes)
    if n >= total:
        raise InputError(
            Mention("n", n), f": the prediction has {count(total, unit)}; draw fewer, or label all of them"
        )
    strata = make_strata(sizes, n, of_records=of_records, least=least)
    of_size = np.searchsorted([one.least for one in strata], sizes, "right") - 1
    of_unit = of_size[of] if of_records else of_size
    keys_of_units = _keys(ids, of, len(sizes), seed, of_records=of_records)
    order = np.lexsort((keys_of_units, of_unit))  # by stratum, and at random within each
    starts = np.searchsorted(of_unit[order], np.arange(len(strata)))
    chosen = [order[start : start + one.drawn] for start, one in zip(starts.tolist(), strata, strict=True)]
    drawn = np.concatenate(chosen)
    if not of_records:
        rank = np.full(len(sizes), -1)
        rank[drawn] = np.arange(len(drawn))
        members = np.flatnonzero(rank[of] >= 0)
        drawn = members[np.argsort(rank[of[members]], kind="stable")]
    labels = _labels_of(labeling, names)
    rows = [
        DrawnRecord(
            ids[place],
            labels[of[place]],
            int(sizes[of[place]]),
            strata[of_size[of[place]]].stratum,
            strata[of_size[of[place]]].probability,
            unit,
        )
        for place in drawn.tolist()
    ]
    return DrawnSample(rows, strata, unit, seed, keys)


def _keys(
    ids: Sequence[Any], of: NDArray[np.int64], clusters: int, seed: int, *, of_records: bool
) -> NDArray[np.uint64]:
    """Return a random number for each record, or for each cluster: the smallest of its records."""
    texts = list(map(id_text, ids))
    if len(set(texts)) < len(texts):
        raise InputError("the ids of the prediction are not unique; give each record an id of its own")
    keys = hash_ids(texts, seed)
    if of_records:
        return keys
    smallest = np.full(clusters, np.iinfo(np.uint64).max, np.uint64)
    np.minimum.at(smallest, of, keys)
    return smallest


def _labels_of(labeling: Labeling, codes: NDArray[np.int64]) -> list[Any]:
    from clustermark.labels.labeling import label_list

    return codes.tolist() if labeling.values is None else label_list(labeling.values, codes)
