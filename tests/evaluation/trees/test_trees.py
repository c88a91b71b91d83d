"""Trees as people have them: what is read, how leaves are matched, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustermark as cm
from clustermark.subjects.tree_comparisons import read_dense_pairs
from needs import need
from trees_oracle import PlainTree

Z = np.array([[0, 1, 1.0, 2], [2, 3, 2.0, 2], [4, 5, 4.0, 4]])


def clusters(tree):
    names = tree.names or list(range(tree.n))
    return sorted(sorted(names[leaf] for leaf in leaves) for _, leaves, _ in PlainTree(tree).branches)


def test_all_kinds_of_one_tree():
    expected = [[0, 1], [0, 1, 2, 3], [2, 3]]
    made = [
        cm.Tree(Z),
        cm.Tree(Z.astype(np.float32)),
        cm.Tree(cm.Tree(Z)),
        cm.Tree.from_linkage(Z.tolist()),
        cm.Tree(np.array([[0, 1], [2, 3], [4, 5]])),
        cm.Tree.from_children([[0, 1], [2, 3], [4, 5]], [1.0, 2.0, 4.0]),
        cm.Tree([[0, 1], [2, 3]]),
        cm.Tree(((0, 1), (3, 2))),
        cm.Tree.from_labelings([[0, 0, 1, 1]]),
        cm.Tree.from_labelings({2: ["a", "a", "b", "b"], 1: [7, 7, 7, 7]}),
    ]
    for tree in made:
        assert clusters(tree) == expected
        assert cm.robinson_foulds(made[0], tree) == 0
    assert [tree.heights.tolist() for tree in (made[0], made[4], made[5], made[6], made[8])] == [
        [1, 2, 4], [1, 2, 3], [1, 2, 4], [1, 1, 2], [1, 1, 2],
    ]  # fmt: skip
    assert repr(made[0]) == "<Tree of 4 leaves, 3 branches>"


def test_an_estimator():
    cluster = need("sklearn.cluster")
    X = np.random.default_rng(0).normal(size=(20, 2))
    whole = cluster.AgglomerativeClustering(n_clusters=None, distance_threshold=0).fit(X)
    tree = cm.Tree(whole)
    assert tree.n == 20
    assert tree.heights.tolist() == whole.distances_.tolist()
    assert cm.robinson_foulds(whole, cm.Tree.from_children(whole.children_)) == 0
    part = cluster.AgglomerativeClustering(n_clusters=12, compute_full_tree=False, connectivity=np.ones((20, 20)))
    with pytest.raises(cm.InputError, match="tree has 8 merges for 20 leaves, so it is no whole tree"):
        cm.Tree(part.fit(X))


def test_leaves_are_matched_by_name_else_by_position():
    one = cm.Tree(Z, names=["a", "b", "c", "d"])
    other = cm.Tree([["d", "c"], ["b", "a"]])
    assert cm.robinson_foulds(one, other) == 0
    assert cm.robinson_foulds(Z, [[3, 2], [1, 0]]) == 0  # numbers are the names of leaves that have none
    assert cm.robinson_foulds([[10, 20], [30, 40]], [[10, 30], [20, 40]]) == 4
    shuffled = cm.Tree(Z, names=["c", "a", "d", "b"])
    assert cm.robinson_foulds(one, shuffled) == 4
    with pytest.raises(cm.InputError, match="a has names for its leaves and b has none"):
        cm.robinson_foulds(one, Z)
    with pytest.raises(cm.InputError, match="b has names for its leaves and a has none"):
        cm.robinson_foulds(Z, one)
    with pytest.raises(cm.InputError, match=r"b has the leaf 'x', which a lacks \(1 such leaf\)"):
        cm.robinson_foulds(one, [["a", "b"], ["c", "x"]])
    with pytest.raises(cm.InputError, match="a has 4 leaves and b has 3"):
        cm.robinson_foulds(Z, [[0, 1], 2])
    with pytest.raises(cm.InputError, match="which a lacks"):
        cm.robinson_foulds([["1", "2"], "3"], [["1", "2"], 3])  # a text is no number


@given(st.permutations(range(7)))
@settings(max_examples=20, deadline=None)
def test_any_order_of_names_is_matched(order):
    letters = "abcdefg"
    one = [["a", "b"], ["c", ["d", "e"]], ["f", "g"]]
    linkage = cm.Tree.from_labelings([[0, 0, 1, 2, 2, 3, 3], [0, 0, 1, 1, 1, 2, 2]], names=letters)
    labels = np.array([[0, 0, 1, 2, 2, 3, 3], [0, 0, 1, 1, 1, 2, 2]])[:, order]
    shuffled = cm.Tree.from_labelings(list(labels), names=[letters[i] for i in order])
    assert cm.cophenetic_correlation(linkage, shuffled) == 1
    assert cm.robinson_foulds(one, shuffled) == 0


def test_labels_of_leaves():
    tree = [["a", "b"], ["c", "d"]]
    labels = {"d": 1, "a": 0, "b": 0, "c": 1}
    assert cm.dendrogram_purity(tree, labels) == 1
    assert cm.dendrogram_purity(Z, {3: "y", 2: "y", 1: "x", 0: "x"}) == 1
    assert cm.dendrogram_purity(cm.Tree(Z, names="abcd"), ["x", "x", "y", "y"]) == 1
    assert cm.dendrogram_purity([[2, 0], [1, 3]], ["x", "y", "x", "y"]) == 1  # leaf 2 is the third
    for wrong, said in (
        ([0, 0, 1, 1], "nested lists have names; pass a mapping"),
        ({"a": 0, "b": 0, "c": 1}, r"no label for the leaf 'd' \(1 such"),
        (labels | {"e": 1}, "labels has 5 labels and the tree 4 leaves"),
        (labels | {"c": None}, "no label for leaf 2"),
    ):
        with pytest.raises(cm.InputError, match=said):
            cm.dendrogram_purity(tree, wrong)
    with pytest.raises(cm.InputError, match="tree has 4 leaves and labels has 3"):
        cm.dendrogram_purity(Z, [0, 0, 1])


def changed(row, column, value):
    wrong = Z.copy()
    wrong[row, column] = value
    return wrong


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (changed(1, 2, np.nan), r"tree\[1, 2\] is nan; a linkage has finite numbers only"),
        (changed(1, 2, -1), r"tree\[1, 2\] is -1.0, and the height of a merge is not negative"),
        (changed(1, 0, 0.5), r"tree\[1, 0\] is 0.5; the nodes of a merge are whole numbers"),
        (changed(1, 0, 5), r"tree\[1, 0\] is node 5; row 1 can merge nodes 0 to 4"),
        (changed(0, 0, -1), r"tree\[0, 0\] is node -1; row 0 can merge nodes 0 to 3"),
        (changed(2, 0, 1), "tree merges node 1 twice, in rows 0 and 2"),
        (changed(1, 3, 3), r"tree\[1, 3\] is 3, but these two nodes have 2 leaves"),
        (np.zeros((0, 4)), r"tree has shape \(0, 4\)"),
        (np.ones((3, 3)), r"tree is an array of shape \(3, 3\); a tree is a SciPy linkage"),
        (3, "tree is of type int; a tree is"),
        (np.zeros((3, 3)), r"tree is an array of shape \(3, 3\), which is no tree; distances .* distances=…"),
        (np.ones((4, 4)) - np.eye(4), r"tree is an array of shape \(4, 4\), which is no tree; distances"),
        (np.arange(6.0), r"tree is an array of shape \(6,\), which is no tree; distances"),
        (np.arange(1.0, 7).tolist(), r"tree holds the number 1\.0 as a leaf, .*distances=…"),
        ([[0, 1], [2, 3], [4, 5]], "may be children_, with 4 leaves, or nested lists, with 6; pass the array, or to"),
        (Z * 1j, "tree holds something that is no number: the dtype is complex128"),
        (np.array([[0.5, 1.0]]), "a tree is a SciPy linkage"),
        ("tree", "tree is of type str; a tree is"),
        (None, "tree is of type NoneType; a tree is"),
        (np.full((2, 4), "x"), "holds something that is no number"),
        ([["a", "b"], ["c", "a"]], "tree has the leaf 'a' twice, at positions 0 and 3"),
        ([[0, 1], [1, 2]], "tree has the leaf 1 twice"),
        ([0, 0, 1, 1], "tree has the leaf 0 twice, .* is it a list of labels"),
        ([["a"], []], "tree holds an empty list after 1 leaf"),
        ([], "tree holds an empty list after 0 leaves"),
        ([["a", None], "b"], "the name of leaf 1 is missing"),
        ([[0, 1, 3.0, 2]], "holds the number 3.0 as a leaf, which is no name; pass a linkage as an array, or to"),
    ],
)
def test_trees_that_are_none(source, said):
    with pytest.raises(cm.InputError, match=said):
        cm.Tree(source)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: cm.Tree.from_linkage([1, 2]), r"Z has shape \(2,\)"),
        (lambda: cm.Tree.from_linkage("ab"), "Z holds something that is no number"),
        (lambda: cm.Tree.from_children([[0.5, 1]]), "children has shape"),
        (lambda: cm.Tree.from_children([[0, 1]], [1.0, 2.0]), "1 merge and 2 distances"),
        (lambda: cm.Tree.from_children([[0, 1]], [np.inf]), r"distances\[0\] is inf"),
        (lambda: cm.Tree(Z, names="abc"), "tree has 4 leaves and names has 3"),
        (lambda: cm.Tree(Z, names="abca"), "has the leaf 'a' twice"),
        (lambda: cm.Tree([["a", "b"]], names="ab"), "nested lists hold the names"),
        (lambda: cm.Tree(cm.Tree(Z), names="abcd"), "give it where the tree is made"),
        (lambda: cm.Tree.from_labelings([]), "labelings is empty"),
        (lambda: cm.Tree.from_labelings([[], []]), r"labelings\[0\] has 0 labels"),
        (lambda: cm.Tree.from_labelings([[0, 1], [0]]), r"labelings\[1\] has 1 label"),
        (lambda: cm.Tree.from_labelings([[0, None]]), r"labelings\[0\] has no label at position 1"),
        (
            lambda: cm.Tree.from_labelings([[0, 0, 1, 1], [0, 1, 2, 2], [0, 1, 1, 2]]),
            r"labelings\[2\] is not nested with labelings\[1\]: items 2 and 3 are apart",
        ),
        (lambda: cm.Tree.from_labelings([{"a": 0}, {"b": 0}]), r"labelings\[1\] does not have the ids of the first"),
        (lambda: cm.Tree.from_labelings([{"a": 0}], names="a"), "leave out names="),
        (lambda: cm.Tree(Z).cut(0), "k=0 must be a whole number of clusters from 1 to 4"),
        (lambda: cm.Tree(Z).cut(5), "k=5 must be"),
        (lambda: cm.Tree(Z).is_tied(2.5), "k=2.5 must be"),
        (lambda: cm.TreeDistances(Z, np.zeros(5)), "distances has 5 numbers; 4 leaves have 6 pairs"),
        (lambda: cm.TreeDistances(Z, np.array([1, 2, np.nan, 1, 1, 1])), r"distances\[2\] is nan"),
        (lambda: cm.TreeDistances(Z, np.array(list("abcdef"))), "distances has dtype"),
        (lambda: cm.TreeDistances(Z, np.zeros((3, 3))), "distances has 3 rows and the tree 4 leaves"),
        (lambda: cm.TreeDistances([["a", "b"], "c"], np.zeros(3)), "distances are in the order of leaves"),
        (lambda: cm.TreeDistances(Z, need("scipy.sparse").eye_array(4)), "distances is a sparse matrix"),
        (lambda: cm.evaluate_trees(Z, need("scipy.sparse").eye_array(4)), "b is a sparse matrix, which is no tree"),
        (lambda: cm.evaluate_trees(Z, np.arange(6.0)), r"b is an array of shape \(6,\), .*distances=…"),
        (lambda: cm.Tree.from_children([[0, 1]], [1j]), "distances holds something that is no number"),
        (lambda: cm.TreeSimilarities(Z, np.eye(4) * 1j), "similarities holds something that is no number"),
        (lambda: cm.TreeSimilarities(Z, need("scipy.sparse").eye_array(4) * 1j), "similarities holds something"),
        (lambda: cm.TreeSimilarities(Z, np.zeros((3, 3))), r"similarities has shape \(3, 3\) and the tree 4 leaves"),
        (lambda: cm.TreeSimilarities(Z, -np.eye(4)), r"similarities\[0, 0\] is -1.0; pass finite numbers"),
        (lambda: cm.TreeSimilarities(Z, np.tri(4)), r"similarities\[\d, \d\] is not the same as"),
    ],
)
def test_what_is_refused(make, said):
    with pytest.raises(cm.InputError, match=said):
        make()


def test_pairs_of_numbers_that_are_no_children_are_nested_lists():
    for pairs in ([[0, 1], [2, 3]], [[0, 5], [2, 3], [4, 1]], [["a", "b"], ["c", "d"], ["e", "f"]]):
        assert cm.Tree(pairs).n == 2 * len(pairs)
    assert cm.Tree.from_nested([[0, 1], [2, 3], [4, 5]]).n == 6
    assert cm.Tree(np.array([[0, 1], [2, 3], [4, 5]])).n == 4


def test_distances_may_be_lists():
    distances = [3.0, 1.0, 2.0, 5.0, 4.0, 6.0]
    square = np.zeros((4, 4))
    square[np.triu_indices(4, 1)] = distances
    expected = cm.cophenetic_correlation(Z, np.array(distances))
    for listed in (distances, tuple(distances), (square + square.T).tolist()):
        assert cm.cophenetic_correlation(Z, listed) == expected
        assert cm.cophenetic_correlation(tree=Z, distances=listed) == expected
        assert cm.evaluate_trees(Z, distances=listed)["cophenetic_correlation"] == expected


def test_one_leaf_is_one():
    assert repr(cm.Tree([0])) == "<Tree of 1 leaf, 1 branch>"
    assert repr(cm.TreeLabels([0], [7])) == "<TreeLabels of 1 leaf in 1 class>"
    assert cm.evaluate_trees([0], [0]).headline == "two trees of 1 leaf, 1 and 1 branch"


def test_labelings_by_id_and_their_order():
    fine, coarse = {"x": 0, "y": 0, "z": 1}, {"z": "b", "x": "a", "y": "a"}
    tree = cm.Tree.from_labelings([coarse, fine])
    assert tree.names == ["z", "x", "y"]
    assert cm.robinson_foulds(tree, [["x", "y"], "z"]) == 0
    whole = cm.Tree.from_labelings([[0, 0, 0]])
    assert (whole.n, len(whole.heights), whole.heights.tolist()) == (3, 1, [1])
    deep = [0]
    for leaf in range(1, 5_000):
        deep = [deep, leaf]
    assert cm.Tree(deep).heights[-1] == 5_000


@pytest.mark.parametrize("at_once", [1, 7, 1000])
def test_pairs_of_a_matrix_are_read_some_rows_at_a_time(at_once):
    rng = np.random.default_rng(at_once)
    matrix = rng.integers(0, 3, (9, 9)).astype(float)
    matrix += matrix.T
    left, right, values = read_dense_pairs(matrix, at_once)
    wanted = [(i, j, matrix[i, j]) for i in range(9) for j in range(i + 1, 9) if matrix[i, j]]
    assert list(zip(left.tolist(), right.tolist(), values.tolist(), strict=True)) == wanted
    for place, number, said in (((7, 2), -1.0, r"\[7, 2\] is -1.0"), ((7, 2), 99.0, r"\[2, 7\] is not the same")):
        wrong = matrix.copy()
        wrong[place] = number
        with pytest.raises(cm.InputError, match=said):
            read_dense_pairs(wrong, at_once)


def test_sparse_similarities_and_what_a_repr_says():
    sparse = need("scipy.sparse")
    w = np.array([[5, 1, 0, 2], [1, 0, 0, 0], [0, 0, 0, 3], [2, 0, 3, 0.0]])
    made = cm.TreeSimilarities(Z, sparse.csr_matrix(w))
    assert repr(made) == "<TreeSimilarities of 4 leaves, 3 pairs alike>"
    assert cm.dasgupta_cost.of(made) == cm.dasgupta_cost(Z, w) == 1 * 2 + 2 * 4 + 3 * 2
    assert cm.dasgupta_cost.of(made, normalized=True) == 16 / (4 * 6)
    assert repr(cm.TreeDistances(Z, np.zeros(6))) == "<TreeDistances of 4 leaves>"
    assert repr(cm.TreePair(Z, Z)) == "<TreePair of 4 leaves>"


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_the_kernel_takes_a_linkage_or_somebody_says_what_is_wrong(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    n = data.draw(st.integers(2, 7))
    nodes, sizes, rows = list(range(n)), dict.fromkeys(range(n), 1), []
    for row in range(n - 1):
        one, other = (nodes.pop(int(rng.integers(len(nodes)))) for _ in range(2))
        sizes[n + row] = sizes[one] + sizes[other]
        nodes.append(n + row)
        rows.append([one, other, float(rng.integers(0, 3)), sizes[n + row]])
    array = np.array(rows, float)
    assert cm.Tree(array).children.tolist() == array[:, :2].ravel().tolist()
    assert cm.Tree(np.asfortranarray(array)[::1]).heights.tolist() == array[:, 2].tolist()
    place = int(rng.integers(n - 1)), int(rng.integers(4))
    wrong = data.draw(st.sampled_from([np.nan, np.inf, -np.inf, -1.0, 0.5, 1e300, -0.0, 0.0, 1.0, float(n), 2.0 * n]))
    changed = array.copy()
    changed[place] = wrong
    try:
        tree = cm.Tree.from_linkage(changed)
    except cm.InputError as error:
        assert "Z" in str(error)
    else:
        same = changed[place] == array[place]
        twin = place[1] == 2 and 0 <= wrong < np.inf
        assert same or twin
        assert len(tree.children) == 2 * (n - 1)
