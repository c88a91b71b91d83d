"""The table of labels on a device: sums of squares are computed there, and cells fetched when they are needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.devices.counting import count_labels, read_numbers
from clustermark.devices.device_arrays import check_labels, device_of, may_be_on_device, read_array
from clustermark.devices.machine import machine_of
from clustermark.errors import InputError
from clustermark.labels.labeling import Labeling
from clustermark.tables import tabulation
from clustermark.tables.contingency import Account, Contingency, Side
from clustermark.tables.policies import PLAIN, makes_singletons
from clustermark.tables.sums import Squares

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from numpy.typing import NDArray

    from clustermark._kernel import Overlaps, Worth
    from clustermark.devices.counting import DeviceCells, FetchedCells
    from clustermark.devices.device_arrays import DeviceArray
    from clustermark.tables.cells import CellTable
    from clustermark.tables.parts import Census, EditableCells, OpenMatching, Selection
    from clustermark.tables.policies import Policies
    from clustermark.tables.sums import Best, CellTally, Joint, Profile


class DeviceTable(Contingency):
    """A table with its cells on a device, until an index needs more of them than their squares."""

    __slots__ = ("_cells", "_tabulate")

    def __init__(self, cells: DeviceCells, n: int, tabulate: Callable[[FetchedCells], CellTable]) -> None:
        """Store the counted cells, and the function that makes a table in memory of them."""
        super().__init__(Account(n))
        self._cells, self._tabulate = cells, tabulate

    def to_memory(self) -> CellTable:
        """Return the table with its cells in memory, which are fetched once."""
        return self.once("memory", lambda table: table._tabulate(table._cells.fetch()))

    @property
    def squares(self) -> Squares:
        """N and the sums of squares over cells, true and predicted clusters; exact integers."""
        sums = self._cells.sums
        return Squares(self.n_used, sums.cell_squares, sums.true_squares, sums.pred_squares)

    @property
    def n_cells(self) -> int:
        """Number of non-empty cells."""
        return self._cells.sums.cells

    @property
    def n_true_clusters(self) -> int:
        """Number of true clusters."""
        return self._cells.sums.true_clusters

    @property
    def n_pred_clusters(self) -> int:
        """Number of predicted clusters."""
        return self._cells.sums.pred_clusters

    @property
    def profile(self) -> Profile:
        """The three small integer tables from which most indices are computed."""
        return self.to_memory().profile

    @property
    def unscored(self) -> list[Any]:
        """Predicted labels with the noise policy "unscored": none."""
        return []

    @property
    def n_unscored(self) -> int:
        """Number of points with such a predicted label."""
        return 0

    def count_labels(self, side: Side, labels: Collection[Any]) -> dict[Any, int]:
        """Return the number of points of the table with each of these labels; labels without points are omitted."""
        if "memory" in self._made:
            return self.to_memory().count_labels(side, labels)
        whole = [label for label in labels if isinstance(label, int)]
        counted = {label: self._cells.count_points(int(side == "pred"), label) for label in whole}
        return {label: n for label, n in counted.items() if n}

    def joint(self) -> Joint:
        """Return sums over all cells that need the sizes of both their clusters."""
        return self.to_memory().joint()

    def sized_cells(self) -> CellTally:
        """Return all cells with the sizes of both their clusters."""
        return self.to_memory().sized_cells()

    def best(self) -> tuple[Best, Best]:
        """Return, for true and for predicted clusters, the sums over the best cell of each cluster."""
        return self.to_memory().best()

    def overlaps(self) -> Overlaps:
        """Return the predicted clusters with their best true clusters, one by one."""
        return self.to_memory().overlaps()

    def part(self, which: Selection) -> CellTable:
        """Return all cells in memory."""
        return self.to_memory().part(which)

    def census(self, side: Side) -> Census:
        """Return counts of the labelled clusters of one side."""
        return self.to_memory().census(side)

    def matching(self, worth: Worth) -> OpenMatching:
        """Return all cells in memory, to be matched there."""
        return self.to_memory().matching(worth)

    def edits(self, n: int | None) -> EditableCells:
        """Return the cells of the n edits of each kind that repair most wrong pairs; all if n is None."""
        return self.to_memory().edits(n)


def find_devices(**arrays: Any) -> dict[str, int | None] | None:
    """Return the CUDA device of each array, None for one in memory; or None if all of them are in memory."""
    devices = {name: device_of(array) if may_be_on_device(array) else None for name, array in arrays.items()}
    return None if all(device is None for device in devices.values()) else devices


def tabulate(
    y_true: Any, y_pred: Any, counts: Any, weights: Any, policies: Policies, *, may_be_empty: bool = False
) -> Contingency | None:
    """Cross-tabulate two labelings on a device, without a copy of them; return None for labelings in memory."""
    devices = find_devices(y_true=y_true, y_pred=y_pred)
    if devices is None:
        return None
    arrays = {"y_true": y_true, "y_pred": y_pred}
    beside = {name: array for name, array in (("counts", counts), ("weights", weights)) if array is not None}
    if beside:
        devices |= {name: device_of(array) if may_be_on_device(array) else None for name, array in beside.items()}
    labels = DeviceLabels(arrays | beside, devices)
    if weights is not None and makes_singletons(policies):
        raise InputError(
            "points with weights cannot become singletons on a device, whose cells keep no single points; "
            "move the arrays to the CPU"
        )

    def in_memory(cells: FetchedCells) -> CellTable:
        true, pred = labeling_of(cells.true), labeling_of(cells.pred)
        if cells.weights is None or cells.squares is None:
            return tabulation.tabulate_codes(true, pred, cells.counts, None, policies, None, may_be_empty=may_be_empty)
        pairs = np.where(cells.counts == 1, 0.0, np.maximum(cells.weights**2 - cells.squares, 0.0) / 2)
        return tabulation.tabulate_weighted(
            true, pred, cells.counts, (cells.weights, pairs), policies, labels.given, may_be_empty=may_be_empty
        )

    cells = labels.count()
    if policies == PLAIN and counts is None and weights is None:
        return DeviceTable(cells, labels.true.size, in_memory)
    return in_memory(cells.fetch())


class DeviceLabels:
    """Two labelings on one device, with counts or weights there."""

    def __init__(self, given: Mapping[str, Any], devices: Mapping[str, int | None]) -> None:
        """Read the views of the arrays; raise an error for arrays that do not lie on one device."""
        places = set(devices.values())
        if None in places:
            name = next(name for name, device in devices.items() if device is None)
            other = next(name for name, device in devices.items() if device is not None)
            raise InputError(
                f"{name} is in memory, and {other} on a device; move {name} to the device of {other}, or {other} "
                f"to the CPU, for example by {other}.cpu()"
            )
        if len(places) > 1:
            where = ", ".join(f"{name} on device {device}" for name, device in devices.items())
            raise InputError(f"the arrays are on different devices ({where}); move them to one")
        (device,) = places
        self._machine = machine_of(device or 0)
        views = {name: read_array(array, name, self._machine) for name, array in given.items()}
        self.true, self.pred = views["y_true"], views["y_pred"]
        for name in ("y_true", "y_pred"):
            check_labels(views[name], name)
        self._check_sizes(views)
        self._times, self._weights = (
            None if name not in views else read_numbers(self._machine, views[name], name)
            for name in ("counts", "weights")
        )
        self.given = self.true.size if self._times is None else self._times.total

    def _check_sizes(self, views: Mapping[str, DeviceArray]) -> None:
        n = self.true.size
        if self.pred.size != n:
            raise InputError(
                f"y_true has {n} labels and y_pred has {self.pred.size}; both need one label for each of the same "
                "points, in the same order"
            )
        if not n:
            raise InputError("y_true and y_pred hold no points; pass at least one label on each side")
        for name in ("counts", "weights"):
            if name in views and views[name].size != n:
                raise InputError(f"{name} has {views[name].size} numbers for {n} points; pass one number per point")

    def count(self) -> DeviceCells:
        """Count the cells on the device."""
        return count_labels(self._machine, self.true, self.pred, self._times, self._weights)


def labeling_of(labels: NDArray[Any]) -> Labeling:
    """Return fetched labels as a labeling; booleans become numbers of their two values."""
    if labels.dtype.kind == "b":
        return Labeling(labels.view(np.int8), [False, True])
    return Labeling(labels)
