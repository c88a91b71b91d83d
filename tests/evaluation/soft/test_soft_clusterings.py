"""Memberships as people have them: what is read, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import clustermark as cm
from needs import need

U = np.array([(0.9, 0.1), (0.5, 0.5), (0.0, 1.0)])


def test_all_kinds_of_one_clustering():
    sparse, pandas, polars = need("scipy.sparse"), need("pandas"), need("polars")
    frame = pandas.DataFrame(U, columns=["a", "b"])
    kinds = [U, U.tolist(), [tuple(row) for row in U], list(U), np.asfortranarray(U), frame]
    kinds += [polars.DataFrame({"a": U[:, 0], "b": U[:, 1]})]
    kinds += [sparse.csr_array(U), sparse.csc_matrix(U), sparse.coo_array(U)]
    for kind in kinds:
        read = cm.SoftClustering(kind)
        assert (read.n, read.k, read.codes) == (3, 2, None)
        assert read.dense.tolist() == U.tolist()
    single = cm.SoftClustering(U.astype(np.float32))
    assert single.dense.dtype == np.float64
    assert single.dense.sum(axis=1).tolist() == [1, 1, 1]
    for labels in (["x", "y", "y"], np.array([5, 7, 7]), pandas.Series(["x", "y", "y"]), ("x", "y", "y")):
        hard = cm.SoftClustering(labels)
        assert hard.codes.tolist() == [0, 1, 1]
        assert hard.dense.tolist() == [[1, 0], [0, 1], [0, 1]]
    assert repr(hard) == "<SoftClustering of 3 items in 2 clusters, hard>"
    assert repr(cm.SoftPair(U, hard)) == "<SoftPair of 3 items, 2 and 2 clusters>"


def test_rows_are_divided_by_their_sum_within_the_tolerance():
    near = U * (1 + 9e-7)
    assert cm.SoftClustering(near).dense == pytest.approx(U, rel=1e-15)
    with pytest.raises(cm.InputError, match=r"the memberships of row 0 add up to 1.0000011 \(3 such rows\)"):
        cm.SoftClustering(U * (1 + 1.1e-6))
    single = (U * (1 + 5e-5)).astype(np.float32)
    assert cm.SoftClustering(single).dense == pytest.approx(U, rel=1e-6)
    with pytest.raises(cm.InputError, match=r"within 0\.0001"):
        cm.SoftClustering((U * 1.001).astype(np.float32))


def test_half_precision_is_not_refused_for_its_own_rounding():
    rng = np.random.default_rng(0)
    for k in (2, 3, 10, 50):
        rows = rng.dirichlet(np.ones(k), 200)
        read = cm.SoftClustering(rows.astype(np.float16))
        assert read.dense == pytest.approx(rows, abs=1e-3)
        assert read.dense.sum(axis=1) == pytest.approx(1, abs=1e-15)
    with pytest.raises(cm.InputError, match=r"within 0\.002"):
        cm.SoftClustering((U * 1.01).astype(np.float16))


@pytest.mark.parametrize("kind", [np.complex128, "M8[s]", "m8[s]", str])
def test_what_is_no_real_number_is_refused(kind):
    wrong = np.eye(2).astype(int).astype(kind)
    with pytest.raises(cm.InputError, match="U: rows must have one number for each cluster: the dtype is"):
        cm.SoftClustering(wrong)


def test_sparse_complex_numbers_are_refused():
    with pytest.raises(cm.InputError, match="U holds something that is no number: the dtype is complex128"):
        cm.SoftClustering(need("scipy.sparse").csr_array(np.eye(2) * 1j))


def changed(row, column, value):
    wrong = U.copy()
    wrong[row, column] = value
    return wrong


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(
    ("memberships", "said"),
    [
        (changed(1, 0, -0.5), r"V\[1, 0\] is -0.5; a membership is a number from 0 to 1"),
        (changed(2, 1, np.nan), r"V\[2, 1\] is nan"),
        (changed(2, 1, np.inf), r"V\[2, 1\] is inf"),
        (changed(1, 0, 0.2), r"V: the memberships of row 1 add up to 0.7 \(1 such row\); each row must add up to 1"),
        (changed(2, 1, 0), "row 2 add up to 0 "),
        (np.zeros((0, 2)), r"V has shape \(0, 2\)"),
        (np.zeros((3, 0)), r"V has shape \(3, 0\)"),
        (U[:2], "U has 3 items and V has 2"),
    ],
)
def test_what_is_refused(memberships, said, sparse):
    if sparse:
        memberships = need("scipy.sparse").csr_array(memberships)
    with pytest.raises(cm.InputError, match=said):
        cm.fuzzy_rand(U, memberships)


def test_one_item_is_one():
    assert repr(cm.SoftPair([0], [[1.0]])) == "<SoftPair of 1 item, 1 and 1 cluster>"
    with pytest.raises(cm.InputError, match="U has 1 item and V has 2"):
        cm.fuzzy_rand([0], [0, 1])


def test_rows_of_pandas_are_taken_by_position_only_where_the_index_agrees():
    frame = need("pandas").DataFrame(U, index=["a", "b", "c"])
    assert cm.fuzzy_rand(frame, frame) == 1
    with pytest.raises(cm.InputError, match="U and V have different indexes"):
        cm.fuzzy_rand(frame, frame[::-1])
    assert cm.fuzzy_rand(frame, frame[::-1].to_numpy()) < 1
    with pytest.raises(cm.InputError, match="U and V have different indexes"):
        cm.fuzzy_rand(frame, need("pandas").Series([0, 1, 1]))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([[0.5, 0.5], [1.0]], "U: rows must have one number for each cluster"),
        ([["a", "b"], ["c", "d"]], "U: rows must have one number"),
        (["a", None], r"U has no label at position 1 \(1 such item\)"),
        ([], "U holds no items"),
        ("ab", "U is a single str"),
        ({"x": 0, "y": 1}, "U is a mapping; pass its values"),
        (None, "U is None"),
    ],
)
def test_what_is_no_clustering(given, said):
    with pytest.raises(cm.InputError, match=said):
        cm.SoftClustering(given)
