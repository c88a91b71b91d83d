"""Counting of pairs of labels on a device into cells, by the kernel that suits their ranges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.devices.device_arrays import DeviceArray
from clustermark.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.devices.machine import Machine, Memory

_HEAD = np.dtype(
    [
        *((name, "u8") for name in ("below_true", "high_true", "below_pred", "high_pred", "outside", "full")),
        *((name, "u8") for name in ("cells", "true_clusters", "pred_clusters")),
        *((name, "u8", 4) for name in ("cell_squares", "true_squares", "pred_squares")),
        ("listed", "u8"),
        *((name, "u8") for name in ("finished", "true_noise", "pred_noise")),
    ]
)
"""The struct Head of the kernels."""
_ROOM = 256
"""Bytes for the head in front of the counters."""
_TYPES = {
    "i1": "signed char",
    "i2": "short",
    "i4": "int",
    "i8": "long long",
    "u1": "unsigned char",
    "u2": "unsigned short",
    "u4": "unsigned int",
    "u8": "unsigned long long",
    "b1": "unsigned char",
    "f4": "float",
    "f8": "double",
}
"""The type of C++ of each type of labels, and of weights."""
_ANY = ("long long", "long long")
"""For kernels that read no labels."""

_WHOLE = 1 << 22
"""Up to this number of points all are read for their range; of more points a sample is read."""
_SAMPLE = 1 << 16
_FEW = 1 << 15
"""Up to this number of points one block does all work."""
_SLOTS = 8192
"""Counters of frequent cells in the shared memory of a block."""
_WIDEST = 1 << 27
"""Largest number of codes of a side that are not numbered anew, and of counters of a dense table."""
_FULLEST = 1 << 26
"""Slots of a hash table of cells at the first try."""
_SMALL, _NARROW = 8, 4
"""Bytes of a counter of a small table, and of a larger one of all cells."""
_COUNTED, _WEIGHTED = 2, 4
"""Numbers in a slot of a hash table: a key and a count, and the sums of weights and of their squares."""
_ALL = (1 << 64) - 1


class Codes(NamedTuple):
    """The ranges of the labels of both sides, as bits in the order of the labels."""

    low_true: int
    n_true: int
    low_pred: int
    n_pred: int


class LabelBits(NamedTuple):
    """The labels of one side by code: a range from `low`, or a list of bits."""

    low: int
    n: int
    listed: NDArray[np.uint64] | None
    dtype: np.dtype[Any]

    def labels(self, codes: NDArray[np.uint64]) -> NDArray[Any]:
        """Return the labels of these codes."""
        bits = codes + np.uint64(self.low) if self.listed is None else self.listed[codes.astype(np.int64)]
        if self.dtype.kind == "i":
            return (bits ^ np.uint64(1 << 63)).view(np.int64).astype(self.dtype)
        return bits.astype(self.dtype)

    def code_of(self, label: int) -> int | None:
        """Return the code of a label, or None if it lies outside the labels."""
        if not -(1 << 63) <= label <= _ALL or (label < 0 and self.dtype.kind != "i"):
            return None
        bits = (label + (1 << 63) if self.dtype.kind == "i" else label) & _ALL
        if self.listed is not None:
            (found,) = np.nonzero(self.listed == np.uint64(bits))
            return int(found[0]) if len(found) else None
        return bits - self.low if 0 <= bits - self.low < self.n else None


class FetchedCells(NamedTuple):
    """The cells that are not empty, in the order of their labels, with the sums of weights and their squares."""

    true: NDArray[Any]
    pred: NDArray[Any]
    counts: NDArray[np.int64]
    weights: NDArray[np.float64] | None
    squares: NDArray[np.float64] | None


class Sums(NamedTuple):
    """Numbers of points, cells and clusters, and the sums of squares of the sizes of these."""

    cells: int
    true_clusters: int
    pred_clusters: int
    cell_squares: int
    true_squares: int
    pred_squares: int


class Layout(NamedTuple):
    """The counters of cells: a table of all, with 4 or 8 bytes each, or a hash table with so wide slots of 8 bytes."""

    address: int
    n_slots: int
    n_pred: int
    dense: int = 0
    """Bytes of a counter of a table of all cells, or 0."""
    width: int = 0
    """Numbers in a slot of a hash table, or 0."""


class DeviceCells:
    """The cells of two labelings in the memory of a device."""

    def __init__(
        self,
        machine: Machine,
        memory: Memory,
        layout: Layout,
        sizes: tuple[int, int],
        head: NDArray[Any],
        names: tuple[LabelBits, LabelBits],
    ) -> None:
        self._machine, self._memory, self._layout, self._names = machine, memory, layout, names
        self._sizes = sizes
        cells, true, pred = (add_limbs(head[name]) for name in ("cell_squares", "true_squares", "pred_squares"))
        self._noise = int(head["true_noise"]), int(head["pred_noise"])
        self.sums = Sums(int(head["cells"]), int(head["true_clusters"]), int(head["pred_clusters"]), cells, true, pred)

    def rename(
        self, true: NDArray[np.uint64], pred: NDArray[np.uint64], true_dtype: np.dtype[Any], pred_dtype: np.dtype[Any]
    ) -> None:
        """Name the clusters, which were counted by number, by the bits of their labels."""
        self._names = LabelBits(0, len(true), true, true_dtype), LabelBits(0, len(pred), pred, pred_dtype)

    def count_points(self, side: int, label: int) -> int:
        """Return the number of points with this label, by one copy of a size of a cluster; side 0 is the truth."""
        if label == -1 and self._names[side].listed is None and self._names[side].dtype.kind == "i":
            return self._noise[side]
        code = self._names[side].code_of(label)
        return 0 if code is None else int(self._machine.read(self._sizes[side] + 8 * code, 8).view(np.int64)[0])

    def fetch(self) -> FetchedCells:
        """Return the cells in memory of the host, in the order of their labels."""
        layout, n = self._layout, self.sums.cells
        sums = squares = None
        if layout.dense == _SMALL or (layout.dense and layout.n_slots <= max(4 * n, _SLOTS)):
            table = self._machine.read(layout.address, layout.dense * layout.n_slots).view(f"u{layout.dense}")
            found = np.flatnonzero(table)
            cells, counts = found.astype(np.uint64), table[found].astype(np.int64)
        else:
            columns = self._list(n)
            order = np.argsort(columns[0])
            cells, counts = columns[0][order], columns[1][order].view(np.int64)
            if layout.width == _WEIGHTED:
                sums, squares = (column.view(np.float64)[order] for column in columns[2:])
        rows, columns_of = np.divmod(cells, np.uint64(layout.n_pred))
        true, pred = self._names[0].labels(rows), self._names[1].labels(columns_of)
        if self._names[0].listed is not None:  # numbered in any order
            order = np.lexsort((pred, true))
            true, pred, counts = true[order], pred[order], counts[order]
            sums, squares = (None if one is None else one[order] for one in (sums, squares))
        return FetchedCells(true, pred, counts, sums, squares)

    def _list(self, n: int) -> NDArray[np.uint64]:
        """Return the cells, their counts, and their sums of weights, in any order."""
        layout, machine = self._layout, self._machine
        columns = layout.width or _COUNTED
        head = machine.allocate(_ROOM + 8 * n * columns, 0)
        listed, blocks = head.address + _ROOM, _over(machine, layout.n_slots)
        place = (layout.address, layout.width) if layout.width else (layout.address,)
        kernel = "list_hashed" if layout.width else "list_dense"
        machine.launch(kernel, _ANY, blocks, 0, *place, layout.n_slots, listed, n, head.address)
        return machine.read(listed, 8 * n * columns).view(np.uint64).reshape(columns, n)


def count_labels(
    machine: Machine,
    true: DeviceArray,
    pred: DeviceArray,
    times: DeviceNumbers | None = None,
    weights: DeviceNumbers | None = None,
) -> DeviceCells:
    """Count the pairs of labels of points on a device, with a number and a weight of each point if given."""
    return _Counting(machine, true, pred, times, weights).run()


class _Counting:
    """One call of `count_labels`."""

    def __init__(
        self,
        machine: Machine,
        true: DeviceArray,
        pred: DeviceArray,
        times: DeviceNumbers | None,
        weights: DeviceNumbers | None,
    ) -> None:
        self._machine, self._sides, self._times, self._weights = machine, (true, pred), times, weights
        self._n = true.size
        self._weighted = times is not None or weights is not None
        self._types = type_of(true), type_of(pred)
        self._points = *_reading(true), *_reading(pred), self._n

    def run(self) -> DeviceCells:
        for sampled in (True, False) if self._n > _WHOLE else (False,):
            memory, found = self._count_few() if self._n <= _WHOLE else self._find_ranges(sampled=sampled)
            codes = _codes_of(found, sampled=sampled)
            if codes.n_true * codes.n_pred > self._most or self._weighted:
                counted = self._count_many(codes)
            else:
                if self._n > _WHOLE:
                    found = self._count_shared(memory.address, sampled=sampled)
                counted = None if found["outside"] else self._small_cells(memory, codes, found)
            if counted is not None:  # else a label lay outside the range of the sample
                return counted
        raise AssertionError("all labels were read, but some lie outside their range")

    def _small_cells(self, memory: Memory, codes: Codes, found: NDArray[Any]) -> DeviceCells:
        *sizes, table = self._places(memory.address)
        layout = Layout(table, codes.n_true * codes.n_pred, codes.n_pred, dense=_SMALL)
        return DeviceCells(self._machine, memory, layout, (sizes[0], sizes[1]), found, self._name(codes))

    def _places(self, head: int) -> tuple[int, int, int]:
        """Return the addresses of the sizes of both sides and of the table, behind the head."""
        return head + _ROOM, head + _ROOM + 8 * self._most, head + _ROOM + 16 * self._most

    @property
    def _most(self) -> int:
        """The most cells of a table in shared memory."""
        return self._machine.shared_bytes // 4

    def _blocks(self, each: int = 1) -> int:
        """Return the number of blocks for all points, with this number on each multiprocessor at most."""
        return max(1, min(each * self._machine.n_blocks, -(-self._n // self._machine.block)))

    def _name(self, codes: Codes) -> tuple[LabelBits, LabelBits]:
        true, pred = self._sides
        return LabelBits(codes.low_true, codes.n_true, None, true.dtype), LabelBits(
            codes.low_pred, codes.n_pred, None, pred.dtype
        )

    def _find_ranges(self, *, sampled: bool) -> tuple[Memory, NDArray[Any]]:
        """Return the ranges of the labels, of all points or of a sample, in front of room for a small table."""
        memory = self._machine.allocate(_ROOM + 24 * self._most, 0)
        every, blocks = (self._n // _SAMPLE | 1, 64) if sampled else (1, self._blocks())
        self._machine.launch("find_ranges", self._types, blocks, 0, *self._points, every, memory.address)
        return memory, self._read(memory.address)

    def _count_few(self) -> tuple[Memory, NDArray[Any]]:
        """Find the ranges of the labels, and count the cells if they fit into shared memory: all by one copy back."""
        if self._weighted:
            return self._find_ranges(sampled=False)
        machine, most = self._machine, self._most
        memory = machine.allocate(_ROOM + 24 * most, 0)
        head = memory.address
        *sizes, table = self._places(head)
        if self._n > _FEW:
            machine.launch("find_ranges", self._types, self._blocks(), 0, *self._points, 1, head)
            return memory, self._count_shared(head, sampled=False)
        machine.launch("count_few", self._types, 1, 4 * most, *self._points, most, table, *sizes, head)
        return memory, self._read(head)

    def _count_shared(self, head: int, *, sampled: bool) -> NDArray[Any]:
        machine, most, blocks = self._machine, self._most, self._blocks()
        *sizes, table = self._places(head)
        rule = int(sampled), most
        machine.launch("count_shared", self._types, blocks, 4 * most, *self._points, *rule, table, head)
        machine.launch("add_up_small", self._types, min(blocks, 16), 0, table, *rule, *sizes, head)
        return self._read(head)

    def _read(self, head: int) -> NDArray[Any]:
        head_read: NDArray[Any] = self._machine.read(head, _HEAD.itemsize).view(_HEAD)[0]
        return head_read

    def _count_many(self, codes: Codes) -> DeviceCells | None:
        """Count any number of cells; return None if a point lies outside the ranges."""
        cells = codes.n_true * codes.n_pred
        if max(codes.n_true, codes.n_pred) > _WIDEST or cells >= 1 << 63:
            return self._count_numbered()
        dense = cells <= min(_WIDEST, max(4 * self._n, 1 << 20)) and self._n < 1 << 32 and not self._weighted
        slots = cells if dense else min(1 << (2 * min(self._n, cells) - 1).bit_length(), _FULLEST)
        while True:
            counted, full = self._count_into(codes, slots, _NARROW if dense else 0)
            if not full:
                return counted
            slots *= 4

    def _count_into(self, codes: Codes, slots: int, dense: int) -> tuple[DeviceCells | None, bool]:
        """Count into this number of counters; return None if a point lies outside, and whether they were too few."""
        machine = self._machine
        width = _COUNTED if self._weights is None else _WEIGHTED
        first = _ROOM + 8 * (codes.n_true + codes.n_pred)
        memory = machine.allocate(first + slots * (dense or 8 * width), 0)
        head, table = memory.address, memory.address + first
        sizes = head + _ROOM, head + _ROOM + 8 * codes.n_true
        places = *self._points, *codes
        if dense:
            layout = Layout(table, slots, codes.n_pred, dense=dense)
            cache = _slots_for(machine, 8)
            machine.launch("count_dense", self._types, self._blocks(2), 8 * cache, *places, cache, table, head)
            machine.launch("add_up_dense", _ANY, _over(machine, slots), 0, table, slots, codes.n_pred, *sizes, head)
        else:
            layout = Layout(table, slots, codes.n_pred, width=width)
            given = [0 if one is None else one.address for one in (self._times, self._weights)]
            if any(given):
                blocks = self._blocks()
                machine.launch("count_weighted", self._types, blocks, 0, *places, *given, table, width, slots, head)
            else:
                cache = _slots_for(machine, 12)
                machine.launch(
                    *("count_hashed", self._types, self._blocks(2), 12 * cache),
                    *(*places, cache, table, slots, head),
                )
            over = _over(machine, slots)
            machine.launch("add_up_hashed", _ANY, over, 0, table, width, slots, codes.n_pred, *sizes, head)
        over = _over(machine, max(codes.n_true, codes.n_pred))
        machine.launch("add_up_clusters", self._types, over, 0, sizes[0], *codes[:2], sizes[1], *codes[2:], head)
        found = self._read(head)
        if found["outside"] or found["full"]:
            return None, not found["outside"]
        return DeviceCells(machine, memory, layout, sizes, found, self._name(codes)), False

    def _count_numbered(self) -> DeviceCells:
        """Number the distinct labels of both sides, and count the numbers."""
        true, pred = (number_labels(self._machine, side) for side in self._sides)
        counted = count_labels(self._machine, true.codes, pred.codes, self._times, self._weights)
        counted.rename(true.names, pred.names, *(side.dtype for side in self._sides))
        return counted


def _codes_of(head: NDArray[Any], *, sampled: bool) -> Codes:
    """Return the ranges as the kernels find them: wider by an eighth if they are those of a sample."""
    sides = []
    for side in ("true", "pred"):
        low, high = _ALL ^ int(head[f"below_{side}"]), int(head[f"high_{side}"])
        if sampled:
            more = (high - low) // 8 + 2
            low, high = max(low - more, 0), min(high + more, _ALL)
        sides += [low, high - low + 1]
    return Codes(*sides)


def _slots_for(machine: Machine, n_bytes: int) -> int:
    """Return the number of counters of frequent cells, of so many bytes, where two blocks share the shared memory."""
    return 1 << min(machine.shared_bytes // 2 // n_bytes, _SLOTS).bit_length() - 1


def _over(machine: Machine, n: int) -> int:
    """Return the number of blocks of a pass over n counters."""
    return max(1, min(8 * machine.n_blocks, -(-n // machine.block)))


def add_limbs(limbs: NDArray[Any]) -> int:
    """Return the number of four sums of limbs of 32 bits."""
    return sum(int(limb) << 32 * place for place, limb in enumerate(limbs))


class DeviceNumbers(NamedTuple):
    """A count or weight of each point: whole numbers or doubles, next to each other."""

    address: int
    total: int
    """The sum of counts; the number of weights."""
    keeper: Any


def read_numbers(machine: Machine, numbers: DeviceArray, name: str) -> DeviceNumbers:
    """Check and widen the counts or weights of points on a device."""
    of_counts = name == "counts"
    kinds = "iub" if of_counts else "iubf"
    if numbers.dtype.kind not in kinds or numbers.dtype.itemsize > 8 or numbers.dtype == np.float16:
        wanted = "whole numbers" if of_counts else "numbers of 32 or 64 bits"
        raise InputError(f"{name} has the type {numbers.dtype} on a device; pass {wanted}, one per point")
    head = machine.allocate(_ROOM, 0)
    wide = machine.allocate(8 * numbers.size)
    blocks = max(1, min(8 * machine.n_blocks, -(-numbers.size // machine.block)))
    machine.launch(
        *("widen_counts" if of_counts else "widen_weights", (type_of(numbers), "long long"), blocks, 0),
        *(*_reading(numbers), numbers.size, wide.address, head.address),
    )
    found = machine.read(head.address, _HEAD.itemsize).view(_HEAD)[0]
    if found["outside"]:
        wanted = "a whole number from 0 to 2**63 - 1" if of_counts else "0, or a number from 1e-35 to 1e35"
        raise InputError(f"{name}: {int(found['outside'])} are not {wanted}; one is needed per point")
    total = add_limbs(found["cell_squares"])
    if of_counts and not 0 < total < 1 << 63:
        reason = "add up to 2**63 or more; divide them by a common factor" if total else "are all zero"
        raise InputError(f"{name}: the counts {reason}")
    return DeviceNumbers(wide.address, total if of_counts else numbers.size, wide)


class NumberedLabels(NamedTuple):
    """Labels as numbers from 0, and the bits of the label of each number."""

    codes: DeviceArray
    names: NDArray[np.uint64]


def number_labels(machine: Machine, labels: DeviceArray) -> NumberedLabels:
    """Number the distinct labels of one side, in any order."""
    types = type_of(labels), "long long"
    blocks = max(1, min(8 * machine.n_blocks, -(-labels.size // machine.block)))
    slots = min(1 << (2 * labels.size - 1).bit_length(), 1 << 20)
    while True:
        head = machine.allocate(_ROOM, 0)
        keys = machine.allocate(8 * slots, 0)
        flag = head.address + _HEAD.itemsize
        arguments = *_reading(labels), labels.size
        machine.launch("enter_labels", types, blocks, 0, *arguments, keys.address, slots, flag, head.address)
        found = machine.read(head.address, _HEAD.itemsize + 8)
        if not found[: _HEAD.itemsize].view(_HEAD)[0]["full"]:
            break
        slots *= 8
    has_last = int(found[_HEAD.itemsize :].view(np.uint64)[0])
    codes = machine.allocate(4 * (slots + 1))
    names = machine.allocate(8 * (slots + 1))
    machine.launch(
        *("number_labels", types, blocks, 0),
        *(keys.address, slots, has_last, codes.address, names.address, head.address),
    )
    encoded = machine.allocate(4 * labels.size)
    machine.launch(
        *("encode_labels", types, blocks, 0), *(*arguments, keys.address, slots, codes.address, encoded.address)
    )
    n = int(machine.read(head.address, _HEAD.itemsize).view(_HEAD)[0]["listed"])
    if n > _WIDEST:
        raise InputError(
            f"the labels on the device have {n:,} distinct values; more than {_WIDEST:,} are not supported there: "
            "move them to the CPU"
        )
    view = DeviceArray(encoded.address, labels.size, 1, np.dtype(np.uint32), encoded)
    return NumberedLabels(view, machine.read(names.address, 8 * n).view(np.uint64))


def type_of(labels: DeviceArray) -> str:
    """Return the type of C++ of labels."""
    return _TYPES[f"{labels.dtype.kind}{labels.dtype.itemsize}"]


def _reading(labels: DeviceArray) -> tuple[int, int]:
    """Return the address and the stride of labels as the kernels take them; a negative stride wraps around."""
    return labels.address, labels.stride & _ALL
