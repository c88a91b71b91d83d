"""Garbage at the public doors: always a table or a clear error of ours, never anything else."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustermark as cm
from needs import need

pd = need("pandas")
pl = need("polars")
pa = need("pyarrow")

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.binary(max_size=3),
    st.complex_numbers(),
)
LABELS = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.tuples(inner, inner), st.frozensets(SCALARS, max_size=2)),
)
SIDES = st.one_of(
    SCALARS, st.lists(LABELS, max_size=5), st.dictionaries(SCALARS.filter(lambda x: x == x), LABELS, max_size=4)
)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        name: st.one_of(
            SCALARS, st.lists(SCALARS, max_size=5), st.sampled_from(["drop", "cluster", "singletons", "keep"])
        )
        for name in ("counts", "weights", "noise_true", "noise_pred", "missing", "unmatched", "threads")
    },
)


@pytest.mark.slow
@given(SIDES, SIDES, OPTIONS)
@settings(max_examples=1500, deadline=None)
def test_any_object_is_read_or_refused_in_words(y_true, y_pred, options):
    try:
        table = cm.crosstab(y_true, y_pred, **options)
    except cm.InputError as error:
        assert len(str(error)) > 20
    else:
        assert table.n_used >= 1


DTYPES = ["i1", ">i8", "f4", "f2", "U5", "S2", "?", "M8[ns]", "m8[s]", "O", "c8", "g", "u8"]


def random_side(rng: random.Random):
    n = rng.choice([0, 1, 3, 3, 3])
    array = np.array([rng.randrange(-2, 3) for _ in range(n)])
    return rng.choice([
        lambda: array.astype(rng.choice(DTYPES)),
        lambda: np.full((n, 2), 1),
        lambda: np.array(3),
        lambda: pd.Series(array, index=rng.sample(range(10), n)),
        lambda: pd.Series([None] * n),
        lambda: pd.Categorical(array),
        lambda: pd.DataFrame({"a": array}),
        lambda: pl.Series(array),
        lambda: pl.DataFrame({"a": array}),
        lambda: pa.array(array),
        lambda: pa.chunked_array([array, array]),
        lambda: np.ma.masked_equal(array, 0),
        lambda: memoryview(array),
        lambda: iter(array),
        lambda: object(),
        lambda: dict(enumerate(array.tolist())),
        lambda: array[::-1],
        lambda: np.zeros(n, [("a", "i4")]),
        lambda: range(n),
        lambda: set(array.tolist()),
        lambda: cm.crosstab,
    ])()  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::numpy.exceptions.ComplexWarning")
def test_a_long_run_of_odd_containers(seed):
    rng = random.Random(seed)
    for _ in range(1500):
        try:
            table = cm.crosstab(random_side(rng), random_side(rng), missing=rng.choice(["error", "drop", "cluster"]))
        except cm.InputError as error:
            assert len(str(error)) > 20
        else:
            assert table.n_used >= 1
            assert 0 <= cm.rand.of(table) <= 1
