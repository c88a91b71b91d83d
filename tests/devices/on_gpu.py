"""Labels on a CUDA device against the CPU, bit for bit: `make test-gpu` on a machine with a GPU, torch and CuPy."""

from __future__ import annotations

import numpy as np
import pytest

import clustermark as cm

torch = pytest.importorskip("torch")
cupy = pytest.importorskip("cupy")
INDICES = ("adjusted_rand", "nmi", "ami", "b_cubed_f", "matching_accuracy", "jaccard_concentration")


def rows(table: cm.Contingency) -> list[tuple]:
    columns = table.to_dict()
    return sorted(zip(*(columns[name] for name in ("true", "pred", "n")), strict=True), key=repr)


def compare(y_true, y_pred, to=cupy.asarray, **options) -> None:
    wanted = cm.crosstab(y_true, y_pred, **options)
    beside = {name: to(array) for name, array in options.items() if name in ("counts", "weights")}
    found = cm.crosstab(to(y_true), to(y_pred), **(options | beside))
    assert rows(found) == rows(wanted)
    for index in INDICES:
        score, same = cm.find(index), "weights" not in options
        if same:
            assert score.of(found) == score.of(wanted), index
        elif cm.find(index).of is not None and index in ("adjusted_rand", "nmi", "b_cubed_f"):
            assert score.of(found) == pytest.approx(score.of(wanted), abs=1e-12)
    if "weights" not in options:
        assert found.squares == wanted.squares


@pytest.mark.parametrize("kind", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
@pytest.mark.parametrize("n", [1, 33, 10_007, 1_000_003])
def test_every_width_and_size(kind: str, n: int) -> None:
    rng = np.random.default_rng(n)
    compare(rng.integers(0, 100, n).astype(kind), rng.integers(-5, 9, n))


def test_adversarial_labels() -> None:
    rng = np.random.default_rng(0)
    compare(rng.integers(-(2**62), 2**62, 100_000), rng.integers(0, 2**62, 100_000))
    compare(np.zeros(1_000_003, np.int64), np.arange(1_000_003))
    compare(np.arange(100_003), np.arange(100_003))
    compare(rng.integers(0, 1000, 10**6), rng.integers(-1000, 1000, 10**6))
    compare(rng.integers(0, 10**5, 10**6), rng.integers(0, 10**5, 10**6))
    late = rng.integers(0, 30, 5 * 10**6)
    late[777_777] = -5
    compare(late, rng.integers(0, 30, 5 * 10**6))
    skewed = np.minimum(rng.geometric(0.3, 10**6), 50)
    compare(skewed, rng.integers(0, 50, 10**6))


def test_views() -> None:
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 50, 10**6)
    compare(labels[1::3], labels[::3][: len(labels[1::3])])
    compare(labels[::-1], labels)
    wide = cupy.asarray(labels.reshape(-1, 10))
    assert cm.adjusted_rand(wide[:, 3], wide[:, 7]) == cm.adjusted_rand(
        labels.reshape(-1, 10)[:, 3].copy(), labels.reshape(-1, 10)[:, 7].copy()
    )


def test_counts_and_weights() -> None:
    rng = np.random.default_rng(2)
    true, pred = rng.integers(0, 5, 10_001), rng.integers(0, 7, 10_001)
    compare(true, pred, counts=rng.integers(0, 5, 10_001))
    compare(true, pred, weights=rng.random(10_001))


def test_torch_on_a_stream_of_its_own() -> None:
    with torch.cuda.stream(torch.cuda.Stream()):
        for _ in range(50):
            labels = torch.randint(0, 50, (10**6,), device="cuda")
            labels += 1
            assert cm.adjusted_rand(labels, labels.clone()) == 1.0


def test_booleans_and_jax() -> None:
    jax = pytest.importorskip("jax")
    flags = np.array([True, False, True, True])
    assert cm.crosstab(torch.tensor(flags).cuda(), torch.tensor([0, 0, 1, 1]).cuda()).true_labels == [False, True]
    assert cm.jaccard(jax.numpy.array([0, 0, 1]), jax.numpy.array([0, 1, 1])) == cm.jaccard([0, 0, 1], [0, 1, 1])


def test_many_points_of_eight_bits() -> None:
    n = 3 * 10**9
    labels = torch.arange(n, device="cuda", dtype=torch.int64).remainder_(7).to(torch.int8)
    table = cm.crosstab(labels, labels)
    sizes = [n // 7 + (k < n % 7) for k in range(7)]
    assert table.squares == (n, *(sum(size * size for size in sizes),) * 3)


def test_mixed_memory_is_refused() -> None:
    with pytest.raises(cm.InputError, match="is in memory"):
        cm.jaccard(torch.tensor([0, 1]).cuda(), [0, 1])
