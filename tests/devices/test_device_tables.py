"""Tables of labels on a device, counted by the kernels for CUDA on the machine of the host."""

from __future__ import annotations

import numpy as np
import pytest
from host_machine import HostArray, HostMachine
from hypothesis import given, settings
from hypothesis import strategies as st

import clustermark as cm
from clustermark.devices import counting
from clustermark.errors import InputError
from clustermark.tables import device_table

INTEGERS = ("i1", "i4", "u2", "u8")


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> HostMachine:
    """Return the machine that stands for every device."""
    made = HostMachine()
    monkeypatch.setattr(device_table, "machine_of", lambda _: made)
    return made


def rows(table: cm.Contingency) -> list[tuple]:
    columns = table.to_dict()
    return sorted(zip(*(columns[name] for name in ("true", "pred", "n")), strict=True), key=repr)


def compare(y_true, y_pred, **options) -> cm.Contingency:
    """Check that the table of a device is that of the CPU, before and after its cells are fetched."""
    beside = {name: HostArray(array) for name, array in options.items() if name in ("counts", "weights")}
    found = cm.crosstab(HostArray(y_true), HostArray(y_pred), **(options | beside))
    wanted = cm.crosstab(np.asarray(y_true), np.asarray(y_pred), **options)
    if "weights" not in options:
        assert found.squares == wanted.squares
    assert (found.n_cells, found.n_true_clusters, found.n_pred_clusters) == (
        *(wanted.n_cells, wanted.n_true_clusters, wanted.n_pred_clusters),
    )
    assert found.account == wanted.account
    assert rows(found) == rows(wanted)
    for index in ("adjusted_rand", "nmi", "b_cubed_f", "matching_accuracy"):
        score = cm.find(index).of(found)
        assert score == (pytest.approx(cm.find(index).of(wanted), abs=1e-12) if "weights" in options else score)
    return found


@pytest.mark.parametrize("kind", INTEGERS)
def test_labels_of_every_width_are_counted_exactly(kind: str, machine: HostMachine) -> None:
    rng = np.random.default_rng(1)
    low = 0 if kind[0] == "u" else -3
    compare(rng.integers(low, 5, 203).astype(kind), rng.integers(0, 7, 203))
    compare(np.array([np.iinfo(kind).min, np.iinfo(kind).max, 5], kind), np.array([0, 1, 1]))
    assert "count_few" in machine.launched


def test_booleans_keep_their_labels(machine: HostMachine) -> None:
    found = compare(np.array([True, False, True, True]), np.array([1, 1, 0, 1]))
    assert sorted(found.true_labels) == [False, True]
    assert all(type(label) is bool for label in found.true_labels)


@given(st.data())
@settings(deadline=None, max_examples=40)
def test_any_labels_in_any_view_are_counted_exactly(data: st.DataObject) -> None:
    made = HostMachine(shared_bytes=data.draw(st.sampled_from([1 << 10, 8 << 10, 64 << 10])))
    n = data.draw(st.integers(1, 60))
    values = data.draw(st.sampled_from([[0], [0, 1, 2], [-1, 0, 50], [-(2**63), 0, 2**62, 2**63 - 1], list(range(40))]))
    sides = [np.array(data.draw(st.lists(st.sampled_from(values), min_size=n, max_size=n)), np.int64) for _ in "tp"]
    step = data.draw(st.sampled_from([1, 2, -1, -3]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(device_table, "machine_of", lambda _: made)
        patch.setattr(counting, "_WHOLE", data.draw(st.sampled_from([8, 1 << 22])))
        patch.setattr(counting, "_SAMPLE", 4)
        patch.setattr(counting, "_FEW", data.draw(st.sampled_from([0, 1 << 15])))
        patch.setattr(counting, "_WIDEST", data.draw(st.sampled_from([64, 1 << 27])))
        patch.setattr(counting, "_FULLEST", data.draw(st.sampled_from([2, 1 << 26])))
        compare(sides[0][::step], sides[1][::step])


def test_wide_tables_are_counted_in_global_memory(machine: HostMachine) -> None:
    rng = np.random.default_rng(2)
    compare(rng.integers(0, 300, 900), rng.integers(-300, 0, 900))
    assert "count_dense" in machine.launched
    compare(rng.integers(0, 1 << 25, 300), rng.integers(0, 1 << 25, 300))
    assert "count_hashed" in machine.launched
    compare(rng.integers(-(2**62), 2**62, 300), rng.integers(0, 2**62, 300))
    assert "encode_labels" in machine.launched


def test_one_cluster_and_singletons(machine: HostMachine) -> None:
    compare(np.zeros(100, np.int64), np.arange(100))
    compare(np.arange(100), np.arange(100))
    compare([3], [4])


def test_a_label_that_the_sample_misses_is_counted(machine: HostMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "_WHOLE", 100)
    monkeypatch.setattr(counting, "_SAMPLE", 10)
    labels = np.arange(400) % 5
    labels[7] = 1000
    compare(labels, np.arange(400) % 3)
    assert machine.launched.count("find_ranges") == 2


def test_counts_and_weights_of_points(machine: HostMachine) -> None:
    rng = np.random.default_rng(3)
    true, pred = rng.integers(0, 5, 100), rng.integers(0, 4, 100)
    compare(true, pred, counts=rng.integers(0, 2**40, 100))
    compare(true, pred, counts=rng.integers(0, 5, 100).astype(np.uint8))
    found = compare(true, pred, weights=rng.random(100))
    assert found.weights is not None
    compare(true, pred, weights=rng.random(100).astype(np.float32).astype(np.float64), counts=rng.integers(0, 3, 100))


@pytest.mark.parametrize("fate", ["drop", "cluster", "singletons"])
def test_noise_is_a_policy_as_on_the_cpu(fate: str, machine: HostMachine) -> None:
    compare([0, 0, 1, -1, -1], [0, 1, 1, 2, 0], noise_true={-1: fate})


def test_labels_that_look_like_noise_are_noticed_without_fetching(machine: HostMachine) -> None:
    with pytest.warns(cm.NoiseWarning):
        evaluation = cm.evaluate(HostArray([0, 0, 1, -1]), HostArray([0, 1, 1, 2]), ["adjusted_rand"])
    assert evaluation["adjusted_rand"] == cm.adjusted_rand([0, 0, 1, -1], [0, 1, 1, 2])
    assert not {"list_dense", "list_hashed"} & set(machine.launched)
    assert "memory" not in evaluation.table._made


def test_tables_add_up_and_are_updated(machine: HostMachine) -> None:
    y, p = HostArray([0, 0, 1]), HostArray([5, 5, 6])
    table = cm.crosstab(y, p).update(y, p) + cm.crosstab([0], [5])
    assert table == cm.crosstab([0, 0, 1, 0, 0, 1, 0], [5, 5, 6, 5, 5, 6, 5])
    assert cm.Contingency.from_batches([(y, p), ([0], [5])]).n_used == 4


@pytest.mark.parametrize(
    ("y_true", "y_pred", "options", "said"),
    [
        (HostArray([0, 1]), [0, 1], {}, "y_pred is in memory, and y_true on a device"),
        (HostArray([0, 1]), HostArray([0, 1], device=1), {}, "different devices"),
        (HostArray([0, 1]), HostArray([0.5, 1]), {}, "must be whole numbers or booleans"),
        (HostArray([0, 1]), HostArray([0]), {}, "y_true has 2 labels and y_pred has 1"),
        (HostArray(np.zeros(0, int)), HostArray(np.zeros(0, int)), {}, "hold no points"),
        (HostArray([[0, 1], [0, 1]]), HostArray([0, 1]), {}, "2 dimensions"),
        (HostArray([0, 1]), HostArray([0, 1]), {"counts": HostArray([1])}, "1 numbers for 2 points"),
        (HostArray([0, 1]), HostArray([0, 1]), {"counts": HostArray([1, -1])}, "not a whole number"),
        (HostArray([0, 1]), HostArray([0, 1]), {"counts": HostArray([0, 0])}, "all zero"),
        (HostArray([0, 1]), HostArray([0, 1]), {"counts": HostArray([2**62, 2**62])}, "2\\*\\*63 or more"),
        (HostArray([0, 1]), HostArray([0, 1]), {"counts": HostArray([1.0, 1.0])}, "pass whole numbers"),
        (HostArray([0, 1]), HostArray([0, 1]), {"weights": HostArray([1.0, np.nan])}, "1 are not 0"),
        (HostArray([0, 1]), HostArray([0, 1]), {"weights": [1.0, 2.0]}, "weights is in memory"),
    ],
)
def test_bad_arrays_are_refused_by_name(y_true, y_pred, options, said: str, machine: HostMachine) -> None:
    with pytest.raises(InputError, match=said):
        cm.crosstab(y_true, y_pred, **options)


def test_weights_of_singletons_are_refused(machine: HostMachine) -> None:
    with pytest.raises(InputError, match="cannot become singletons on a device"):
        cm.crosstab(HostArray([0, -1]), HostArray([0, 1]), weights=HostArray([0.5, 1.5]), noise_true={-1: "singletons"})


@pytest.mark.parametrize(("device", "named"), [(8, "MPS"), (10, "ROCm"), (99, "number 99")])
def test_other_devices_are_named(device: int, named: str) -> None:
    class Elsewhere(HostArray):
        def __dlpack_device__(self) -> tuple[int, int]:
            return device, 0

    with pytest.raises(InputError, match=named):
        cm.adjusted_rand(Elsewhere([0, 1]), [0, 1])


def test_two_dimensional_columns_are_labels(machine: HostMachine) -> None:
    assert cm.adjusted_rand(HostArray([[0], [0], [1]]), HostArray([[0], [0], [1]])) == 1.0


def test_kernels_that_write_behind_their_memory_are_noticed() -> None:
    memory = HostMachine().allocate(8)
    memory._bytes[8] = 0
    with pytest.raises(AssertionError, match="wrote behind"):
        memory.check()
    memory._bytes[8] = 0x5A
