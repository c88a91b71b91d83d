"""Covers: the forms that are read, empty items and clusters, and two covers side by side."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustermark as cm
from clustermark.registry import find
from clustermark.subjects.cover_tables import CoverLimits
from needs import need

CLUSTERS = [{0, 1, 2}, {2, 3}]


def sets(cover):
    return sorted(map(sorted, cover.to_dict().values()))


@pytest.mark.parametrize(
    "data",
    [
        CLUSTERS,
        tuple(map(frozenset, CLUSTERS)),
        [[0, 1, 2], [2, 3]],
        [(0, 1, 2), np.array([2, 3])],
        [np.array([0, 1, 2]), np.array([2, 3])],
        [np.array([0.0, 1.0, 2.0]), np.array([2, 3])],
        {"a": {0, 1, 2}, "b": [2, 3]},
        {"a": {0: "x", 1: "y", 2: "z"}.keys(), "b": (2, 3)},
        [[0, 1, 2, 2, 0], [3, 2]],
        dict.fromkeys("a", CLUSTERS[0]) | {"b": CLUSTERS[1], "c": []},
        SimpleNamespace(communities=[[0, 1, 2], [2, 3]]),
    ],
)
def test_clusters_of_any_kind(data):
    cover = cm.Cover(data)
    assert sets(cover) == [[0, 1, 2], [2, 3]]
    assert (cover.n, cover.k, cover.n_overlapping, cover.n_uncovered) == (4, 2, 1, 0)
    assert cm.Cover(cover).to_dict() == cover.to_dict()


def test_generators_are_read_once():
    assert sets(cm.Cover(frozenset(cluster) for cluster in CLUSTERS)) == [[0, 1, 2], [2, 3]]


def test_from_items():
    cover = cm.Cover.from_items({"a": ["x"], "b": {"x", "y"}, "c": ()}, items=["a", "b", "c", "d"])
    assert cover.to_dict() == {"x": {"a", "b"}, "y": {"b"}}
    assert (cover.n, cover.n_uncovered) == (4, 2)
    with pytest.raises(cm.InputError, match="pass a mapping from item to its clusters"):
        cm.Cover.from_items([["x"]])
    with pytest.raises(cm.InputError, match="item 'a' has a str; pass a set or list of clusters"):
        cm.Cover.from_items({"a": "xy"})


def test_labels_are_covers_that_do_not_overlap():
    assert sets(cm.Cover([5, 5, None, 7])) == [[0, 1], [3]]
    assert sets(cm.Cover({"a": 1, "b": 1, "c": 2})) == [["a", "b"], ["c"]]
    assert sets(cm.Cover(np.array(["x", "y", "x"]))) == [[0, 2], [1]]
    assert cm.Cover([5, 5, None, 7]).n_uncovered == 1


def test_communities_of_igraph():
    igraph = need("igraph")
    graph = igraph.Graph([(0, 1), (1, 2), (2, 0), (2, 3)])
    cover = cm.Cover(igraph.VertexCover(graph, [[0, 1, 2], [2]]))
    assert sets(cover) == [[0, 1, 2], [2]]
    assert (cover.n, cover.n_uncovered) == (4, 1)
    assert sets(cm.Cover(graph.connected_components())) == [[0, 1, 2, 3]]
    assert cm.element_centric(igraph.VertexCover(graph, [[0, 1, 2], [2]]), [[0, 1, 2], [2]]) == 1.0
    found = cm.evaluate_covers(graph.community_multilevel(), igraph.VertexClustering(graph, [0, 0, 0, 1]))
    assert found.subject.n == 4


def test_communities_of_networkx():
    networkx = need("networkx")
    net = networkx.barbell_graph(4, 0)
    found = networkx.community.k_clique_communities(net, 3)
    assert sets(cm.Cover(found)) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert sets(cm.Cover(networkx.community.louvain_communities(net, seed=1))) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert sets(cm.Cover(networkx.community.greedy_modularity_communities(net))) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert sets(cm.Cover(networkx.connected_components(net), items=range(9))) == [list(range(8))]


class Communities:
    """CDlib is heavy, so that this stands for its NodeClustering: communities, largest first, and the graph."""

    def __init__(self, communities, graph=None, overlap=False):
        self.communities = sorted(communities, key=len, reverse=True)
        self.graph, self.overlap, self.method_name, self.node_coverage = graph, overlap, "louvain", 1

    def to_node_community_map(self):
        raise NotImplementedError


class EdgeCommunities(Communities):
    """The same of its EdgeClustering, whose communities have edges, and not the nodes of the graph."""

    def to_edge_community_map(self):
        raise NotImplementedError


def test_communities_of_cdlib():
    networkx, igraph = need("networkx"), need("igraph")
    plain, named = igraph.Graph.Full(8), igraph.Graph.Full(3)
    named.vs["name"] = ["a", "b", "c"]
    for made, clusters, n, uncovered in (
        (Communities([[2], [0, 1]], networkx.barbell_graph(4, 0)), [[0, 1], [2]], 8, 5),
        (Communities([[2], [0, 1]], plain), [[0, 1], [2]], 8, 5),
        (Communities([["a", "b"]], named), [["a", "b"]], 3, 1),
        (Communities([[0, 1], [1, 2]], overlap=True), [[0, 1], [1, 2]], 3, 0),
        (EdgeCommunities([[(0, 1), (1, 2)], [(2, 3)]], networkx.path_graph(9)), [[(0, 1), (1, 2)], [(2, 3)]], 3, 0),
    ):
        cover = cm.Cover(made)
        assert (sets(cover), cover.n, cover.n_uncovered) == (clusters, n, uncovered)
        assert cm.omega(made, made) == 1.0


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: cm.Cover(3), "the cover is a int; pass a list of sets, a mapping from cluster to its items"),
        (lambda: cm.Cover([{0}, 1]), "cluster 1 is a int; pass a set or a list of items"),
        (lambda: cm.Cover({"a": {0}, "b": "x"}), "cluster 'b' is a str; pass a set or a list"),
        (lambda: cm.Cover([[0, None]]), r"1 item\(s\) are missing"),
        (lambda: cm.Cover([[0.0, float("nan")]]), r"1 item\(s\) are missing"),
        (lambda: cm.Cover.from_items({"a": [None]}), r"1 cluster\(s\) are missing"),
        (lambda: cm.Cover([{0.5, 1.5}]), r"item \d.5 is a float that is no whole number; pass whole numbers or texts"),
        (lambda: cm.Cover([[float("inf")]]), "item inf is a float that is no whole number"),
        (lambda: cm.Cover([np.array([1 + 0j])]), "is a complex128 that is no whole number"),
        (lambda: cm.Cover([{0}], items=[0.5]), "items: item 0.5 is a float that is no whole number"),
        (lambda: cm.Cover.from_items({"a": [0.5]}), "cluster 0.5 is a float that is no whole number"),
        (
            lambda: cm.Cover([[0, [1]]]),
            r"item \[1\] is a list, which cannot name one; pass a flat set or list of items",
        ),
        (lambda: cm.Cover(np.zeros((3, 2, 2))), "cluster 0 has 2 dimensions; pass a flat list of items"),
        (lambda: cm.Cover([{0, 1}], items=[0]), r"items= lacks 1 item\(s\) that the cover has, such as 1; add them"),
        (lambda: cm.Cover([{0}], items=3), "items is a int; pass a list, a set or an array"),
        (lambda: cm.Cover([{0}], items="abc"), "items is a str; pass a list"),
        (lambda: cm.Cover([[[0, 1]]]), r"item \[0, 1\] is a list"),
        (lambda: cm.Cover([np.zeros((2, 2), int)]), "the cover"),
        (lambda: cm.omega([{0}], [{0}], unmatched="singletons"), "unmatched='singletons' is not known; choose 'keep'"),
        (lambda: cm.omega([{0, 1}], [{0, 2}], unmatched="error"), r"1 item\(s\) occur in the truth only and 1 in the"),
        (lambda: cm.omega([{0, 1}], [{0, 1, 2}], unmatched="error"), "2 is missing in the truth"),
        (lambda: cm.omega([{1, 2}], [{"1", "2"}]), "no item occurs on both sides: the truth has items such as 1, 2; "),
        (lambda: cm.omega([], []), "truth and prediction have no items"),
        (lambda: cm.omega([{0, 1}], [{0}], items=[0]), r"items= lacks 1 item\(s\) that the truth has"),
        (lambda: cm.omega([{0}], [{0}], colour=1), "omega has no option 'colour'"),
        (lambda: cm.evaluate(cm.Cover([{0}]), [0]), "y_true is a Cover and no labeling; use evaluate_covers"),
        (
            lambda: cm.average_f1(3, 4),
            r"average_f1 takes \(y_true, y_pred\) or \(truth, prediction\); got \(int, int\)",
        ),
        (lambda: cm.omega([0, 0, 1, 1], [0, 0, 1]), "truth has 4 items by position and prediction has 3; both need"),
        (lambda: cm.omega(cm.Cover.from_matrix([[1], [1]]), [0, 0, 1]), "truth has 2 items by position"),
        (lambda: cm.omega([{0}]), r"omega takes \(truth, prediction\); got \(list\)"),
        (lambda: cm.omega.of(cm.crosstab([0], [0])), r"omega.of takes a CoverTable\(truth, prediction\)"),
    ],
)
def test_mistakes_are_told(call, said):
    with pytest.raises(cm.InputError, match=said):
        call()


def test_items_that_differ_stay_different():
    cover = cm.Cover([{1, "1"}, {(1,), "1"}])
    assert cover.n == 3
    assert cm.omega([{1, "1"}], [{1, "1"}], items=[1, "1", 2]) == 1.0
    huge = cm.Cover([[2**70, 2**70 + 1], [2**63, 2**63 - 1]])
    assert huge.n == 4
    assert cm.Cover([[2**53, 2**53 + 1]]).n == 2


def test_equal_clusters_stay_several():
    assert cm.Cover([{0, 1}, {0, 1}]).k == 2
    assert cm.omega([{0, 1}, {0, 1}], [{0, 1}], items=range(3)) < 1.0


@pytest.mark.parametrize("index", ["omega", "onmi", "element_centric"])
@pytest.mark.parametrize("dense", [False, True])
def test_progress_is_told(index, dense):
    """Of blocks of one pair, or of one row."""
    shares = []
    table = cm.CoverTable([{0, 1, 2, 3}, {3, 4, 5, 6}], [{0, 1, 2}, {2, 3, 4}, {4, 5, 6}])
    table.limits = CoverLimits(block=1, dense_columns=10**9 if dense else 1)
    table.progress = shares.append
    assert find(index).of(table) == find(index).of(cm.CoverTable(*table.covers))
    assert shares == sorted(shares)
    assert (len(shares) > 1, shares[-1]) == (True, 1.0)


def test_progress_of_an_evaluation():
    shares = []
    found = cm.evaluate_covers([{0, 1, 2}, {2, 3}], [{0, 1}, {1, 2, 3}], ["omega", "onmi"], progress=shares.append)
    assert found.subject.progress is None
    assert shares == [0.0, 0.5, 0.5, 1.0]
    assert not cm.CoverTable([{0, 1}, {0, 1}, {2}], [{0, 1}, {2}, {2}]).are_identical()
    assert cm.CoverTable([{0, 1}, {0, 1}, {2}], [{0, 1}, {2}, {0, 1}]).are_identical()


def test_items_of_one_side():
    true, pred = [{0, 1, 2}, {2, 3}], [{0, 1}, {2, 4}]
    kept, dropped = cm.CoverTable(true, pred), cm.CoverTable(true, pred, unmatched="drop")
    assert (kept.n, kept.n_unmatched, kept.true.n_uncovered, kept.pred.n_uncovered) == (5, (1, 1), 1, 1)
    assert kept.items == [0, 1, 2, 3, 4]
    assert (dropped.n, dropped.items) == (3, [0, 1, 2])
    for one in cm.catalogue("covers"):
        assert one.of(dropped) == one(cm.Cover([{0, 1, 2}, {2}]), cm.Cover([{0, 1}, {2}]))
        assert one.of(kept) == one(cm.Cover(true), cm.Cover(pred), items=range(5))
    gone = cm.CoverTable([{0, 1}, {9}], [{0, 1}], unmatched="drop")
    assert (gone.true.k, gone.true.names) == (1, [0])


def test_few_common_items_are_warned_of():
    with pytest.warns(cm.FewMatchesWarning, match="Only 1 of the 30 ids"):
        cm.omega([set(range(30))], [set(range(29, 60))])


class ByProtocol:
    """Labels that only NumPy can read."""

    def __array__(self, dtype=None, copy=None):
        return np.array([0, 0, 1])


def test_labels_of_every_kind_stay_labels():
    pl = need("polars")
    expected = cm.rand([0, 0, 1], [0, 1, 1]), cm.average_f1(np.array([0, 0, 1]), np.array([0, 1, 1]))
    for labels in ([0, 0, 1], (0, 0, 1), pl.Series([0, 0, 1]), ByProtocol(), dict(enumerate([0, 0, 1])).values()):
        assert (cm.rand(labels, [0, 1, 1]), cm.average_f1(labels, [0, 1, 1])) == expected


def test_the_kind_of_the_input_decides():
    """Sets and lists cannot be labels; frozensets and tuples can, so a cover of them is said."""
    hard = [frozenset("ab"), frozenset("ab"), frozenset("c")]
    assert cm.average_f1(hard, hard) == 1.0
    assert cm.average_f1(hard, [0, 0, 0]) == cm.average_f1([0, 0, 1], [0, 0, 0])  # three points with labels
    assert cm.average_f1(cm.Cover(hard), cm.Cover([{"a", "b", "c"}])) != cm.average_f1([0, 0, 1], [0, 0, 0])
    assert cm.average_f1([{0, 1}, {2}], [{0, 1, 2}]) == cm.average_f1([0, 0, 1], [0, 0, 0])
    assert cm.average_f1({"x": [0, 1], "y": [2]}, [0, 0, 0]) == cm.average_f1([0, 0, 1], [0, 0, 0])
    assert cm.average_f1({"a": 0, "b": 1}, {"b": 1, "a": 0}) == 1.0
    assert cm.average_f1(truth=[{0}], prediction=[{0}]) == cm.average_f1(y_true=[0], y_pred=[0]) == 1.0
    with pytest.raises(cm.InputError, match=r"average_f1 takes \(y_true, y_pred\) or \(truth, prediction\); got"):
        cm.average_f1(np.zeros((3, 2)), np.zeros((3, 2)))


@given(st.lists(st.sets(st.integers(0, 5)), max_size=5))
@settings(max_examples=50, deadline=None)
def test_signatures_are_the_sets_of_clusters(clusters):
    table = cm.CoverTable(clusters, [set(range(6))])
    codes = table.true.find_signatures()
    own = [frozenset(k for k, cluster in enumerate(clusters) if item in cluster) for item in table.items]
    for i in range(6):
        for j in range(6):
            assert (codes[i] == codes[j]) == (own[i] == own[j])
    assert sum(table.signatures.counts) == 6


def test_what_they_show():
    assert repr(cm.Cover([{0}])) == "<Cover of 1 item by 1 cluster>"
    assert (
        repr(cm.Cover([{0, 1}, {1, 2}], items=range(5)))
        == "<Cover of 5 items by 2 clusters; 1 item in several, 2 in none>"
    )
    assert repr(cm.CoverTable([{0}], [{0}])) == "<CoverTable of 1 item, 1 true and 1 predicted clusters>"


MATRIX = np.array([[1, 0], [1, 1], [0, 1], [0, 0]])


def test_matrices_are_not_taken_for_clusters():
    sparse = need("scipy.sparse")
    for matrix in (MATRIX, MATRIX > 0, MATRIX.astype(float), MATRIX.tolist(), list(MATRIX), sparse.csr_array(MATRIX)):
        with pytest.raises(
            cm.InputError, match=r"matrix of 0 and 1; pass Cover.from_matrix\(M\) where a row is an item"
        ):
            cm.Cover(matrix)
        with pytest.raises(cm.InputError, match="the truth is a matrix of 0 and 1"):
            cm.omega(matrix, [{0, 1}])
    assert sets(cm.Cover(np.array([[0, 1], [1, 2]]))) == [[0, 1], [1, 2]]
    assert sets(cm.Cover([[0, 1], [0, 1]])) == [[0, 1], [0, 1]]
    with pytest.raises(
        cm.InputError, match=r"of the cover: there is no column 'item'.*; Cover.from_matrix reads a column"
    ):
        cm.Cover(need("pandas").DataFrame(MATRIX, columns=["x", "y"]))


def test_matrices_are_read_by_their_own_name():
    sparse, pandas, polars = need("scipy.sparse"), need("pandas"), need("polars")
    twice = sparse.coo_array(([1, 1, 0, 1, 1], ([0, 1, 3, 1, 2], [0, 0, 0, 1, 1])), shape=(4, 2))  # with a stored 0
    arrays = MATRIX, MATRIX > 0, MATRIX.astype(float), MATRIX.tolist(), sparse.csc_matrix(MATRIX), twice
    for matrix in arrays:
        cover = cm.Cover.from_matrix(matrix)
        assert cover.to_dict() == {0: {0, 1}, 1: {1, 2}}
        assert (cover.n, cover.n_uncovered, cover.n_repeated) == (4, 1, 0)
        assert cm.omega(cover, [{0, 1}, {1, 2}], items=range(4)) == 1.0
    frame = pandas.DataFrame(MATRIX, columns=["x", "y"], index=list("abcd"))
    assert cm.Cover.from_matrix(frame).to_dict() == {"x": {"a", "b"}, "y": {"b", "c"}}
    assert cm.Cover.from_matrix(frame, items=range(4, 8)).to_dict() == {"x": {4, 5}, "y": {5, 6}}
    assert cm.Cover.from_matrix(polars.DataFrame({"x": [True, False]})).to_dict() == {"x": {0}}
    for call, said in (
        (lambda: cm.Cover.from_matrix([[0.5, 1]]), r"M\[0, 0\] is 0.5; an item is in a cluster \(1\) or is not"),
        (lambda: cm.Cover.from_matrix([[0, float("nan")]]), r"M\[0, 1\] is nan"),
        (lambda: cm.Cover.from_matrix([0, 1]), "M must be a matrix of 0 and 1"),
        (lambda: cm.Cover.from_matrix([["a"]]), "M must be a matrix of 0 and 1"),
        (lambda: cm.Cover.from_matrix(MATRIX, items=[1, 2]), "items= names 2 different items, and M has 4 rows"),
    ):
        with pytest.raises(cm.InputError, match=said):
            call()
