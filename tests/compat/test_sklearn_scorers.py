"""Indices as scorers of scikit-learn, and displays in its manner."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import clustermark as cm
from clustermark.sklearn import ContingencyDisplay, SilhouetteDisplay, contingency_matrix, scorer, silhouette_samples
from needs import need

sklearn = need("sklearn", "cluster", "datasets", "model_selection", "pipeline", "preprocessing")
plt = need("matplotlib", "pyplot").pyplot
REAL = need("sklearn.metrics")


@pytest.fixture(scope="module")
def blobs():
    return sklearn.datasets.make_blobs(90, centers=3, cluster_std=2.5, random_state=3)


@pytest.fixture
def kmeans(blobs):
    return sklearn.cluster.KMeans(3, n_init=1, random_state=0).fit(blobs[0])


@pytest.fixture(autouse=True)
def closed_figures():
    with plt.rc_context({"backend": "agg"}):
        yield
        plt.close("all")


def validate(estimator, *data, **options):
    return sklearn.model_selection.cross_validate(estimator, *data, error_score="raise", cv=3, **options)


def test_scores_are_those_of_scikit_learn(blobs, kmeans):
    mine = validate(kmeans, *blobs, scoring=scorer("adjusted_rand"))["test_score"]
    assert mine == pytest.approx(validate(kmeans, *blobs, scoring="adjusted_rand_score")["test_score"], abs=1e-12)
    several = {"ari": scorer("ARI"), "v": "v_measure_score", "vi": scorer(cm.variation_of_information)}
    scores = validate(kmeans, *blobs, scoring=several, n_jobs=2)
    assert scores["test_ari"] == pytest.approx(mine)
    assert (scores["test_vi"] < 0).all()


def test_internal_indices_need_points_only(blobs, kmeans):
    mine = validate(kmeans, blobs[0], scoring=scorer("silhouette"))["test_score"]

    def real(estimator, X, y=None):
        return REAL.silhouette_score(X, estimator.predict(X))

    assert mine == pytest.approx(validate(kmeans, blobs[0], scoring=real)["test_score"], abs=1e-12)
    search = sklearn.model_selection.GridSearchCV(
        sklearn.cluster.KMeans(n_init=1, random_state=0), {"n_clusters": [2, 3, 5]}, scoring=scorer("davies_bouldin")
    ).fit(blobs[0])
    assert search.best_score_ < 0
    pipe = sklearn.pipeline.make_pipeline(sklearn.preprocessing.StandardScaler(), kmeans)
    assert validate(pipe, blobs[0], scoring=scorer("calinski_harabasz"))["test_score"].min() > 0


@pytest.mark.parametrize("index", [*cm.catalogue(), *cm.catalogue("points")], ids=lambda index: index.name)
def test_every_index_is_a_scorer(index, blobs, kmeans):
    if index.higher_is_better is None:
        with pytest.raises(cm.InputError, match="neither high nor low scores are better"):
            scorer(index)
        return
    labels = kmeans.predict(blobs[0])
    expected = index(blobs[1], labels) if index.comparison.name == "partitions" else index(blobs[0], labels)
    made = pickle.loads(pickle.dumps(scorer(index.label)))
    assert made(kmeans, *blobs) == (expected if index.higher_is_better else -expected)


def test_options_and_noise(blobs):
    X, y = blobs
    dbscan = sklearn.cluster.DBSCAN(eps=1.2, min_samples=4).fit(X)
    assert -1 in dbscan.labels_
    noise = {-1: "drop"}
    table = cm.crosstab(y, dbscan.labels_, noise_pred=noise)
    assert scorer("f_measure(beta=2)", noise=noise)(dbscan, X, y) == cm.f_measure.of(table, beta=2)
    assert scorer("f_measure", beta=2, noise=noise)(dbscan, X, y) == cm.f_measure.of(table, beta=2)
    made = scorer("silhouette", metric="manhattan", noise=noise)
    assert made(dbscan, X) == cm.silhouette(X, dbscan.labels_, metric="manhattan", noise=noise)
    assert repr(made) == "scorer('silhouette', metric='manhattan', noise={-1: 'drop'})"


def test_what_cannot_be_scored(blobs, kmeans):
    X, y = blobs
    with pytest.raises(cm.InputError, match="no index is called 'nonsense'"):
        scorer("nonsense")
    with pytest.raises(cm.InputError, match="an estimator predicts one cluster a point"):
        scorer("omega")
    with pytest.raises(cm.InputError, match="index: 5 is no index"):
        scorer(5)
    with pytest.raises(cm.InputError, match="jaccard compares clusters with a truth; pass y"):
        scorer("jaccard")(kmeans, X)
    with pytest.raises(cm.InputError, match="DBSCAN has neither `predict` nor `labels_`; fit it first"):
        scorer("jaccard")(sklearn.cluster.DBSCAN(), X, y)
    with pytest.raises(cm.InputError, match="its labels_ are of 90 other points, not of these 5"):
        scorer("jaccard")(sklearn.cluster.DBSCAN().fit(X), X[:5], y[:5])


def test_contingency_display(blobs, kmeans):
    X, y = blobs
    shown = ContingencyDisplay.from_estimator(kmeans, X, y, match=False)
    assert (shown.contingency == contingency_matrix(y, kmeans.labels_)).all()
    assert [text.get_text() for text in shown.text_.ravel()] == [str(n) for n in shown.contingency.ravel()]
    assert shown.ax_.figure is shown.figure_
    names = np.array(["a", "b", "c"])
    sorted_ = ContingencyDisplay.from_predictions(names[y], kmeans.labels_, normalize="true")
    assert sorted_.true_labels == ["a", "b", "c"]
    assert sorted_.contingency.sum(axis=1) == pytest.approx(1)
    assert (sorted_.contingency.argmax(axis=0) == np.sort(sorted_.contingency.argmax(axis=0))).all()
    for normalize, axis in (("pred", 0), ("all", None)):
        shares = ContingencyDisplay.from_predictions(y, kmeans.labels_, normalize=normalize).contingency
        assert shares.sum(axis=axis) == pytest.approx(1)
    _, ax = plt.subplots()
    again = shown.plot(ax=ax, include_values=False, colorbar=False, cmap="Greys", xticks_rotation="vertical")
    assert again is shown
    assert (shown.ax_, shown.text_) == (ax, None)
    many = ContingencyDisplay(np.ones((40, 40)))
    assert many.plot().text_ is None
    assert many.plot(include_values=True).text_.shape == (40, 40)


def test_silhouette_display(blobs, kmeans):
    X, _ = blobs
    shown = SilhouetteDisplay.from_estimator(kmeans, X, metric="manhattan")
    expected = silhouette_samples(X, kmeans.labels_, metric="manhattan")
    assert (shown.silhouettes == expected).all()
    assert shown.silhouette_score == expected.mean() == shown.line_.get_xdata()[0]
    for label, bar in zip(shown.clusters, shown.bars_, strict=True):
        widths = bar.get_paths()[0].vertices[:, 0]
        assert widths.max() == pytest.approx(max(expected[kmeans.labels_ == label].max(), 0))
    assert [text.get_text() for text in shown.ax_.get_yticklabels()] == ["0", "1", "2"]
    _, ax = plt.subplots()
    assert shown.plot(ax=ax, colors=["red"]).ax_ is ax
    assert SilhouetteDisplay([0.5, 0.25, -0.5], ["b", "a", "b"]).plot().clusters == ["a", "b"]
    powered = SilhouetteDisplay.from_predictions(X, kmeans.labels_, metric="minkowski", metric_kw={"p": 1})
    assert powered.silhouettes == pytest.approx(expected)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: ContingencyDisplay.from_predictions([0], [0], normalize="rows"), "normalize='rows' must be"),
        (lambda: ContingencyDisplay([1, 2]), "contingency: pass a matrix"),
        (lambda: ContingencyDisplay([[1, 2]], pred_labels=["a"]), "pred_labels: there are 1 names for 2 clusters"),
        (lambda: SilhouetteDisplay([0.5], [0, 1]), r"silhouettes has the shape \(1,\) for 2 labels"),
    ],
)
def test_displays_refuse(make, said):
    with pytest.raises(cm.InputError, match=said):
        make()
