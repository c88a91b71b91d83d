"""Many labelings, each against each: the matrix is what single calls give, and says who stands in the middle."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustermark as cm
from needs import need

INDICES = ["adjusted_rand", "pair_precision", "variation_of_information", "adjusted_rand(model='all1')", "b_cubed_f"]
labels = st.lists(st.integers(0, 3), min_size=6, max_size=6)


@pytest.mark.slow
@given(st.lists(labels, min_size=1, max_size=5), st.sampled_from(INDICES), st.sampled_from([None, 1, 3]))
@settings(max_examples=60, deadline=None)
def test_every_entry_is_what_the_index_gives(labelings, index, threads):
    matrix = cm.similarity_matrix(labelings, index, threads=threads)
    for i, true in enumerate(labelings):
        for j, pred in enumerate(labelings):
            assert matrix.values[i, j] == cm.evaluate(true, pred, [index])[index]


@pytest.mark.slow
@given(
    st.lists(st.dictionaries(st.integers(0, 5), st.sampled_from(["a", "b", None]), min_size=1), min_size=2, max_size=4),
    st.sampled_from(["drop", "singletons"]),
)
@settings(max_examples=60, deadline=None)
def test_mappings_are_compared_by_id(labelings, unmatched):
    def single(true, pred):
        return cm.jaccard.of(cm.crosstab(true, pred, unmatched=unmatched, missing="singletons"))

    try:
        wanted = [[single(true, pred) for pred in labelings] for true in labelings]
    except cm.InputError:  # two of them have no id in common
        with pytest.raises(cm.InputError, match="no id occurs on both sides"):
            cm.similarity_matrix(labelings, "jaccard", unmatched=unmatched, missing="singletons")
        return
    matrix = cm.similarity_matrix(labelings, "jaccard", unmatched=unmatched, missing="singletons")
    assert matrix.values.tolist() == wanted


@pytest.mark.filterwarnings("ignore::clustermark.errors.NoiseWarning")
def test_counts_weights_and_noise_are_those_of_the_table():
    one, two, counts = [0, 0, 1, -1], [0, 1, 1, 1], [3, 1, 2, 5]
    by_id = [dict(zip("abcd", side, strict=True)) for side in (one, two)]
    wanted = cm.rand.of(cm.crosstab(one, two, counts=counts, noise_true={-1: "drop"}, noise_pred={-1: "drop"}))
    assert cm.similarity_matrix([one, two], "rand", counts=counts, noise={-1: "drop"}).values[0, 1] == wanted
    assert cm.similarity_matrix([one, two], "rand", counts=counts).n_points == 11
    counted = dict(zip("abcd", counts, strict=True))
    assert cm.similarity_matrix(by_id, "rand", counts=counted, noise={-1: "drop"}).values[0, 1] == wanted
    weighted = cm.rand.of(cm.crosstab(one, two, weights=[0.5, 1.5, 2.5, 1.0]))
    assert cm.similarity_matrix([one, two], "rand", weights=[0.5, 1.5, 2.5, 1.0]).values[0, 1] == weighted
    with pytest.raises(cm.InputError, match="pass counts as a mapping from id too"):
        cm.similarity_matrix(by_id, counts=counts)
    with pytest.raises(cm.InputError, match="no number for 1 id"):
        cm.similarity_matrix(by_id, counts={"a": 1, "b": 1, "c": 1})


def test_labelings_come_as_frames_and_generators():
    columns = {"k": [1, 1, 2], "w": ["x", "y", "y"]}
    wanted = cm.similarity_matrix(columns).values.tolist()
    frames = [need("pandas").DataFrame(columns), need("polars").DataFrame(columns), need("pyarrow").table(columns)]
    for given_as in [*frames, iter(columns.items())]:
        matrix = cm.similarity_matrix(given_as)
        assert matrix.names == ("k", "w")
        assert matrix.values.tolist() == wanted
    assert cm.similarity_matrix(iter(columns.values())).names == ("0", "1")


def test_the_middle_the_order_and_the_consensus():
    rng = np.random.default_rng(1)
    base = rng.integers(0, 5, 300)

    def moved(share):
        return np.where(rng.random(300) < share, rng.integers(0, 5, 300), base)

    matrix = cm.similarity_matrix({"far": moved(0.9), "base": base, "near": moved(0.1), "off": moved(0.5)})
    assert matrix.central == "base"
    assert matrix.means["base"] == pytest.approx(np.delete(matrix.values[1], 1).mean(), rel=1e-14)
    places = [matrix.order.index(name) for name in ("base", "near")]
    assert abs(places[0] - places[1]) == 1
    assert cm.similarity_matrix([base, moved(0.1), moved(0.9)], "variation_of_information").central in ("0", "1")
    by_id = cm.similarity_matrix([{"a": 1, "b": 1}, {"a": 1, "b": 2, "c": 2}], unmatched="drop")
    assert by_id.consensus(["a", "b", "c"])[0].tolist() == [1.0, 0.5, 0.0]
    one_knows = cm.similarity_matrix([{"a": 1}, {"a": 1, "b": 1}], unmatched="singletons").consensus(["b", "a"])
    assert one_knows.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    nobody_knows = cm.similarity_matrix([[None, 0]], missing="drop").consensus([0, 1])
    assert math.isnan(nobody_knows[0, 1])


@pytest.mark.parametrize(("policy", "share"), [("singletons", 0.0), ("drop", 0.0), ("cluster", 0.5)])
def test_noise_is_together_only_where_it_is_a_cluster(policy, share):
    matrix = cm.similarity_matrix([np.array([0, 0, -1, -1]), ["a", "b", "c", "d"]], noise={-1: policy})
    together = matrix.consensus([0, 1, 2, 3])
    assert together[2, 3] == share
    assert together[0, 1] == 0.5
    assert np.diag(together).tolist() == [1.0] * 4
    alone = cm.similarity_matrix([[0, -1, -1]], noise={-1: policy}).consensus([1, 2])
    assert str(alone[0, 1]) == {"singletons": "0.0", "drop": "nan", "cluster": "1.0"}[policy]


def test_exports_and_print():
    matrix = cm.similarity_matrix({"a": [0, 0, 1], "b": [0, 1, 1]}, "kulczynski1")
    assert matrix["a", "a"] == math.inf
    assert matrix.central == "a"
    assert matrix.to_pandas().columns.tolist() == ["labeling", "a", "b"]
    assert repr(matrix).splitlines()[2:] == [
        "labeling   mean      a      b",
        "a         0.000      ∞  0.000",
        "b         0.000  0.000      ∞",
    ]
    assert cm.similarity_matrix([[0]]).headline == "Adjusted Rand index of 1 labeling of 1 point"
    assert "to_pandas() has them all" in repr(cm.similarity_matrix([[0, 1]] * 13))
    with pytest.raises(KeyError, match="there is no labeling 'c'"):
        matrix["a", "c"]
    with pytest.raises(ValueError, match="read-only"):
        matrix.values[0, 0] = 1
    three = cm.similarity_matrix({"a": [0, 0, 1], "b": [0, 1, 1], "c": [0, 1, 2]})
    ax = three.plot()
    assert [text.get_text() for text in ax.get_yticklabels()] == list(three.order)
    need("matplotlib.pyplot").close(ax.figure)


@pytest.mark.parametrize(
    ("labelings", "options", "said"),
    [
        ([], {}, "there is no labeling"),
        ("abc", {}, "a single str"),
        (7, {}, "got int"),
        (np.zeros((2, 3), int), {}, r"list\(labelings\.T\)"),
        ([[0], [0, 1]], {}, r"labelings\['0'\] has 1 labels and labelings\['1'\] has 2"),
        ([[], []], {}, "holds no points"),
        ([("a", [0]), ("a", [1])], {}, "two labelings have the name 'a'"),
        ([{"a": 1}, [1]], {}, "is a mapping"),
        ([{"a": 1}, {"b": 1}], {}, "lacks 1 of 2 ids"),
        ([[0, None]], {}, "missing label"),
        ([[0]], {"index": "no such"}, "no such"),
        ([[0]], {"noise": {0: "unscored"}}, "not a policy here"),
        ([[0]], {"threads": 0}, "threads=0"),
    ],
)
def test_what_is_no_set_of_labelings_is_refused(labelings, options, said):
    with pytest.raises(cm.InputError, match=said):
        cm.similarity_matrix(labelings, **options)


def test_questions_without_an_answer_are_refused():
    one = cm.similarity_matrix([[0, 1]])
    with pytest.raises(cm.InputError, match="one labeling only"):
        one.central  # noqa: B018
    with pytest.raises(cm.InputError, match="neither"):
        cm.similarity_matrix([[0, 1], [0, 0]], "mcnemar").central  # noqa: B018
    with pytest.raises(cm.InputError, match="infinite"):
        cm.similarity_matrix([[0, 1, 1], [5, 7, 7], [0, 0, 0]], "kulczynski1").order  # noqa: B018
    with pytest.raises(cm.InputError, match="not a position"):
        one.consensus([2])
    with pytest.raises(cm.InputError, match="too many pairs"):
        one.consensus(range(10_001))
    with pytest.raises(cm.InputError, match="no labeling has the id 'z'"):
        cm.similarity_matrix([{"a": 1}]).consensus(["z"])
    two = need("pandas").DataFrame([[0, 1]], columns=["a", "a"])
    with pytest.raises(cm.InputError, match="two columns are called 'a'"):
        cm.similarity_matrix(two)


def test_progress_is_told():
    told = []
    cm.similarity_matrix([[0, 1], [0, 0], [1, 1]], progress=told.append)
    assert told[-1] == 1.0
    assert told == sorted(told)
    assert len(told) == 6


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64"])
@pytest.mark.filterwarnings("ignore::clustermark.errors.NoiseWarning")
def test_integers_at_the_ends_of_their_kind_are_numbered(dtype):
    ends = np.iinfo(dtype)
    rng = np.random.default_rng(0)
    small, wide = rng.integers(0, 5, 400), rng.integers(ends.min, ends.max, 400, dtype=dtype, endpoint=True)
    wide[:2] = ends.min, ends.max
    matrix = cm.similarity_matrix([small, wide, wide // 2], "jaccard")
    assert matrix.values[0, 1] == cm.jaccard(small, wide)
    assert matrix.values[1, 2] == cm.jaccard(wide, wide // 2)
