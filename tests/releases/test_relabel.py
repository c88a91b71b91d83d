"""Ids that last: the best matching, fresh ids, and no trace of any order."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustermark as cm
from needs import need

LABELS = st.lists(st.tuples(st.integers(0, 4), st.sampled_from("abcde")), min_size=1, max_size=14)


def best_by_hand(new, old):
    """The most records that any one-to-one matching keeps, and the most closeness among those."""
    names, ids = sorted(set(new)), sorted(set(old))
    shared = {(n, o): sum(x == n and y == o for x, y in zip(new, old, strict=True)) for n in names for o in ids}
    closeness = {(n, o): count / (new.count(n) + old.count(o) - count) for (n, o), count in shared.items()}
    best = (0, 0.0)
    short, long = (names, ids) if len(names) <= len(ids) else (ids, names)
    for chosen in permutations(long, len(short)):
        pairs = [(s, c) if short is names else (c, s) for s, c in zip(short, chosen, strict=True)]
        best = max(best, (sum(shared[p] for p in pairs), round(sum(closeness[p] for p in pairs if shared[p]), 9)))
    return best


@settings(deadline=None, max_examples=60)
@given(LABELS, st.randoms())
def test_the_matching_is_best_and_no_order_matters(rows, random):
    new, old = [row[0] for row in rows], [row[1] for row in rows]
    found = cm.relabel(new, like=old)
    kept = [row for row in found if row.fate == "kept"]
    closeness = sum(row.shared / (row.records + row.records_before - row.shared) for row in kept)
    assert (sum(row.shared for row in kept), round(closeness, 9)) == best_by_hand(new, old)
    assert all(row.shared for row in kept)
    assert sorted([*found.kept, *found.retired]) == sorted(set(old))
    assert not {*found.born} & {*old}
    assert len({*found.kept, *found.born}) == len(set(new))
    clusters = {}
    for label, lasting in zip(new, found.labels, strict=True):
        assert clusters.setdefault(label, lasting) == lasting
    order = list(range(len(rows)))
    random.shuffle(order)
    shuffled = cm.relabel([new[i] for i in order], like=[old[i] for i in order])
    assert shuffled.labels == [found.labels[i] for i in order]
    assert shuffled.rows() == found.rows()


def test_large_tangles_do_not_depend_on_order():
    generator = np.random.default_rng(0)
    new, old = generator.integers(0, 60, (2, 500))
    order = generator.permutation(500)
    assert (cm.relabel(new, like=old).labels[order] == cm.relabel(new[order], like=old[order]).labels).all()


def test_ties_go_by_sorted_order():
    assert cm.relabel(["y", "x"], like=["a", "a"]).labels == ["y", "a"]
    assert cm.relabel(["x", "x"], like=["b", "a"]).labels == ["a", "a"]
    # of equally many records the closer cluster
    found = cm.relabel({1: "x", 2: "x", 3: "y", 4: "y", 5: "y"}, like={1: "a", 2: "a", 3: "a", 4: "a"})
    assert found.labels == {1: "a", 2: "a", 3: "y", 4: "y", 5: "y"}
    found = cm.relabel({1: "x", 2: "x", 3: "y", 4: "y", 5: "x"}, like={1: "a", 2: "a", 3: "a", 4: "a"})
    assert found.labels[3] == "a"


def test_fresh_ids_collide_with_nothing():
    numbers = cm.relabel([1, 2, 3], like=[7, 7, 9])
    assert (numbers.labels, numbers.born) == ([7, 10, 9], [10])
    texts = cm.relabel(["a", "b", "c", "c-2"], like=["a", "a", "c", "b"])
    assert (texts.kept, texts.born) == (["a", "b", "c"], ["b-2"])
    assert cm.relabel(["b", "a", "a-2"], like=["a", "a", "a"]).labels == ["b", "a", "a-2"]
    assert len(set(cm.relabel(["k", "a", "a-2"], like=["a", "k", "k"]).labels)) == 3
    assert cm.relabel([0, 1], like=[2**63 - 1] * 2).labels == [2**63 - 1, 0]
    # an old id whose records are all gone is taken, too
    assert cm.relabel({1: "x", 2: "y"}, like={1: 4, 3: 5}).labels == {1: 4, 2: 6}
    # numbers beside texts, and labels of noise
    assert cm.relabel(["x", "y"], like=[1, "1-2"]).labels == [1, "1-2"]
    assert cm.relabel(["1", "7"], like=[7, "q"], noise={"1": "drop"}).labels == ["1", "q"]


def test_noise_and_missing_labels_stay():
    found = cm.relabel([-1, -1, 5, 5, None], like=[1, 1, 2, -1, 2], noise={-1: "drop"})
    assert found.labels == [-1, -1, 2, 2, None]
    assert (found.kept, found.born, found.retired) == ([2], [], [1])
    fresh = cm.relabel([-1, 8, 9], like=[-1, -1, -1], noise={-1: "drop"})
    assert not {*fresh.born} & {-1}


def test_forms():
    array = cm.relabel(np.array([1, 1, 2]), like=np.array([5, 5, 6])).labels
    assert isinstance(array, np.ndarray)
    assert array.tolist() == [5, 5, 6]
    mixed = cm.relabel(np.array([1, 2, 3]), like=[1, "1", "1"]).labels  # 1 and "1" are two ids
    assert mixed.tolist() == [1, "1", "3"]
    assert cm.relabel(np.array([1.0, np.nan]), like=[4, 4]).labels.tolist() == [4, None]
    assert cm.relabel(np.array(["x", "y"]), like=["b", "a"]).labels.dtype.kind == "U"
    found = cm.relabel([1, 1, 2], like=[5, 5, 5])
    assert found.to_dict()["fate"] == ["kept", "born"]
    assert "1 ids kept, 1 born, 0 retired" in repr(found)
    assert found[0].shared == 2
    assert found.to_csv().startswith("fate,id,cluster")


def test_frames_are_joined_by_id():
    pd = need("pandas")
    new = pd.DataFrame({"id": [3, 1, 2, 9], "cluster": ["p", "q", "q", "z"]})
    old = pd.DataFrame({"id": [1, 2, 3, 4], "cluster": ["A", "A", "B", "C"]})
    found = cm.relabel(new, like=old, on="id")
    assert found.label_columns() == {"id": [3, 1, 2, 9], "cluster": ["B", "A", "A", "z"]}
    assert found.retired == ["C"]
    both = pd.DataFrame({"old": [1, 1, 2], "new": ["x", "x", "y"]})
    assert cm.relabel(both, old_column="old", new_column="new").labels == [1, 1, 2]
    with pytest.raises(cm.InputError, match="no id occurs on both sides"):
        cm.relabel(new.assign(id=new.id + 100), like=old, on="id")


@pytest.mark.parametrize(
    ("new", "like", "options", "message"),
    [
        ([1], None, {}, "like is None"),
        ([1, 2], [1], {}, "labels"),
        ([1, 2, 3], [(1, 2), (1, 2), (1, 3)], {}, "is a tuple, and fresh ids can only be integers or texts"),
        ([1, 2], [True, True], {}, "is a bool"),
        ([1], [1], {"weights": [1]}, "each record counts once"),
    ],
)
def test_what_is_refused(new, like, options, message):
    with pytest.raises(cm.InputError, match=message):
        cm.relabel(new, like=like, **options)
