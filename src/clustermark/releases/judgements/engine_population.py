"""Records that stay in an engine: candidates of the sample are fetched, the rest is counted there."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.engines.pushdown.bring import bring_columns
from clustermark.engines.pushdown.sampling import Sampling
from clustermark.engines.spooled import name_streams
from clustermark.evaluation.record import Record
from clustermark.labels.alignment import id_texts
from clustermark.releases.judgements.gathering import NO_SLICE, no_ids_error
from clustermark.releases.judgements.pair_masses import ClusterSizes, RecordGroups
from clustermark.releases.judgements.population import (
    MemoryPopulation,
    RecordRows,
    beside,
    name_ids,
    number_labels,
    refuse_many,
    refuse_repeated_numbers,
)
from clustermark.results.json import current_version
from clustermark.sources.recognition import open_workspace
from clustermark.sources.request import select_records
from clustermark.tables.sums import CellTally

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from clustermark.releases.judgements.questionnaire import Id
    from clustermark.sources.request import Request


@contextmanager
def open_engine(
    before: Any, after: Any, request: Request, by: str | None
) -> Iterator[EnginePopulation | MemoryPopulation]:
    """Open the records of sources; integers that are not too many are fetched at once."""
    if after is None and request.columns.on is None:
        raise no_ids_error()
    with name_streams(before, after), open_workspace(before, after, request) as workspace:
        points, settings = select_records(workspace, before, after, request, by)
        policies = request.policies
        how = settings | {"missing": policies.missing, "unmatched": policies.unmatched, "weighted": False}
        how |= {"noise_true": {}, "noise_pred": {}, "engine": workspace.engine.name}
        names = [one.name for one in points.ids]
        if by is None and [one.kind for one in points.ids] == ["integer"]:
            columns = bring_columns(workspace, points, [*names, "t", "p"], request.max_cells)
            if columns is not None:
                yield _hold_numbers(columns[names[0]], columns["t"], columns["p"], how)
                return
        sampling = Sampling(workspace, points, policies, request.max_cells, sliced=by is not None)
        yield EnginePopulation(sampling, how)


def _hold_numbers(
    ids: NDArray[Any], before: NDArray[Any], after: NDArray[Any], how: dict[str, Any]
) -> MemoryPopulation:
    """Return fetched records, all of which have labels."""
    refuse_repeated_numbers(ids)
    before, after = beside(number_labels, (before, after))
    points = {"given": len(ids), "used": len(ids), "noise": 0, "dropped": 0, "unmatched": 0}
    numbers = ids.astype(np.int64, copy=False) if int(ids.max()) < 1 << 63 else ids.tolist()
    held = MemoryPopulation(_record(points, (0, 0), how), numbers, before, after, None, None)
    held.record = _record(points, held.clusters, how)
    return held


def _record(points: dict[str, int], clusters: Sequence[int], how: dict[str, Any]) -> Record:
    noise = {side: {"points": 0, "clusters": 0} for side in ("true", "pred")}
    before, after = clusters
    return Record({}, points, {"true": before, "pred": after}, noise, (), how, {}, current_version())


class EnginePopulation:
    """Records in an engine."""

    def __init__(self, sampling: Sampling, how: dict[str, Any]) -> None:
        self._sampling = sampling
        tally = sampling.tally()
        cells = CellTally(*(np.asarray(tally[name], np.int64) for name in ("n", "a", "b", "times")))
        self.groups = self.counted = RecordGroups.of(cells)
        self.known_ids: dict[str, Id] = {}
        self._codes: tuple[dict[Any, int], dict[Any, int]] = ({}, {})
        found, used = sampling.gathered, int(self.groups.weight)
        points = {
            "given": found.given,
            "used": used,
            "noise": 0,
            "dropped": found.given - used,
            "unmatched": found.only_true + found.only_pred,
        }
        self.record = _record(points, sampling.count_clusters(int(cells.times.sum())), how)

    def slices(self, kinds: Iterable[str]) -> dict[str, RecordGroups]:
        """Return the records of each slice; those without a pair of these kinds count as single in both clusterings."""
        if not self._sampling.sliced:
            return {}
        alike, whole = self._sampling.tally_slices(kinds)
        rest = {_slice(name): int(n) for name, n in zip(whole["g"], whole["records"], strict=True)}
        refuse_many(len(rest))
        rows: dict[str, list[tuple[int, ...]]] = {name: [] for name in rest}
        for name, *numbers in zip(*(alike[column] for column in ("g", "n", "a", "b", "records")), strict=True):
            rows[_slice(name)].append(tuple(map(int, numbers)))
            rest[_slice(name)] -= int(numbers[-1])
        found = {}
        for name in sorted(rows):
            columns = np.array([*rows[name], (1, 1, 1, rest[name])], np.int64).T
            found[name] = RecordGroups(ClusterSizes(*columns[:3]), columns[3])
        return found

    def holders(self, kind: str, index: str) -> RecordRows:  # noqa: ARG002
        """Return all records that have pairs of a kind."""
        return self._rows(self._sampling.rows_holding(kind))

    def near(self, index: str, seed: int, per_mass: Mapping[str, float], most: float) -> RecordRows:
        """Return at least the records with a key of at most `most` for a kind."""
        return self._rows(self._sampling.rows_near(index, seed, per_mass, most))

    def mates(self, before: Iterable[int], after: Iterable[int], kinds: Iterable[str]) -> RecordRows:
        """Return all records of these clusters before and after."""
        labels = []
        for codes, wanted in zip(self._codes, (set(before), set(after)), strict=True):
            labels.append([label for label, code in codes.items() if code in wanted])
        return self._rows(self._sampling.mates(labels[0], labels[1], kinds))

    def _rows(self, found: Mapping[str, Any]) -> RecordRows:
        ids = [np.asarray(found[name], object).tolist() for name in self._sampling.ids]
        before, after = (
            np.asarray(
                [codes.setdefault(label, len(codes)) for label in np.asarray(found[side], object).tolist()], np.int64
            )
            for side, codes in zip("tp", self._codes, strict=True)
        )
        sizes = ClusterSizes(*(np.asarray(found[name], np.int64) for name in "nab"))
        slices = list(map(_slice, found["g"])) if self._sampling.sliced else None
        listed = ids[0] if len(ids) == 1 else list(zip(*ids, strict=True))
        texts = id_texts(listed)
        self.known_ids |= name_ids(texts, listed)
        return RecordRows(texts, before, after, sizes, None, slices)


def _slice(value: Any) -> str:
    return NO_SLICE if value is None else str(value)
