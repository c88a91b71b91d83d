"""ClusteringMetric with points: all 44 scores, by its pages."""

from __future__ import annotations

import inspect
import math
import warnings

import numpy as np
import pytest

import clustermark as cm
from clustermark import ClusteringMetric
from needs import need

S1 = (
    np.array([(0, 0), (0, 1), (1, 0), (5, 5), (5, 6), (6, 5), (10, 0), (10, 1)], float),
    [0, 0, 0, 1, 1, 1, 2, 2],
)
S3 = (np.array([0, 1, 3, 4, 10, 12.0])[:, None], [0, 0, 0, 1, 1, 1])
INTERNAL = [
    "BHI", "CHI", "XBI", "DBI", "BRI", "DRI", "LDRI", "LSRI", "KDI", "DI", "SI", "SSEI", "MSEI", "RSI", "DHI", "BI",
    "HI", "DBCVI",
]  # fmt: skip
NEVER_UNDEFINED = {"BHI", "SSEI", "MSEI"}
FINITE = {
    "CHI": 0.0, "XBI": 1e10, "DBI": 1e10, "BRI": 1e10, "DRI": 0.0, "LDRI": -1e10, "LSRI": -1e10, "KDI": 0.0, "DI": 0.0,
    "SI": -1.0, "DHI": 1e10, "BI": 1e10, "HI": 1e10, "DBCVI": 0.0,
}  # fmt: skip


def metric(data, **options):
    return ClusteringMetric(X=data[0], y_pred=data[1], **options)


def test_values_by_its_pages_where_its_code_is_wrong():
    one, three = metric(S1), metric(S3)
    assert three.XBI() == pytest.approx(0.121900826446)
    assert one.DI() == pytest.approx(4.2573, abs=1e-4)
    assert one.DI(use_modified=False) == 4.0
    assert one.BI() == pytest.approx(0.0079064, abs=1e-7)
    assert one.DHI() == pytest.approx(0.14044, abs=1e-5)
    assert three.DBCVI() == pytest.approx(0.485714285714)
    assert metric(([[0, 0], [0, 0], [3, 4], [3, 4]], [0, 0, 1, 1])).SI() == 1.0
    assert three.KDI(use_normalized=False) == pytest.approx(157.333333333)
    with pytest.warns(cm.ClustermarkWarning, match="use_normalized=False"):
        assert three.KDI() == 0.0


@pytest.mark.filterwarnings("ignore:KDI")
def test_the_real_class_agrees_where_it_is_right():
    theirs = need("permetrics").ClusteringMetric
    rng = np.random.default_rng(2)
    labels = rng.integers(0, 3, 80)
    data = rng.normal(size=(80, 3)) + 2 * labels[:, None], labels
    ours, real = metric(data), theirs(X=data[0], y_pred=data[1])
    for name in INTERNAL:
        if name in ("XBI", "DI", "BI", "DHI", "DBCVI"):
            continue
        assert getattr(ours, name)() == pytest.approx(getattr(real, name)(), rel=1e-9), name
    assert ours.SI(multi_output=True) == pytest.approx(real.SI(multi_output=True))
    assert ours.KDI(use_normalized=False) == pytest.approx(real.KDI(use_normalized=False))
    assert ours.DI(use_modified=False) == pytest.approx(real.DI(use_modified=False))


def test_its_names():
    theirs = need("permetrics").ClusteringMetric
    assert ClusteringMetric.SUPPORT.keys() >= theirs.SUPPORT.keys()
    assert len(theirs.SUPPORT) == 44
    names = [name for name, one in vars(theirs).items() if callable(one) and name.endswith(("_index", "_score"))]
    for name in [*names, *INTERNAL]:
        mine = inspect.signature(getattr(ClusteringMetric, name)).parameters
        for parameter in inspect.signature(getattr(theirs, name)).parameters.values():
            assert parameter.name in mine or parameter.kind is parameter.VAR_KEYWORD, (name, parameter.name)


@pytest.mark.filterwarnings("ignore:KDI")
@pytest.mark.parametrize("name", INTERNAL)
def test_finite_values(name):
    points = [[0.0, 0.0], [1.0, 1.0], [5.0, 5.0]]  # on a line, so that their scatter is singular
    one_cluster = metric((points, [0, 0, 0]))
    empty = metric((np.empty((0, 2)), []))
    if name not in NEVER_UNDEFINED | {"RSI", "BRI"}:
        assert getattr(one_cluster, name)() == FINITE[name]
        assert getattr(one_cluster, name)(finite_value=-7) == -7
        with pytest.raises(ZeroDivisionError, match="undefined"):
            getattr(one_cluster, name)(force_finite=False)
        strict = metric((points, [0, 0, 0]), force_finite=False)
        with pytest.raises(cm.UndefinedIndexError):
            getattr(strict, name)()
        assert getattr(metric((points, [0, 0, 0]), finite_value=9), name)() == 9
    assert math.isfinite(getattr(empty, name)())
    with pytest.raises(cm.UndefinedIndexError, match="no points"):
        getattr(empty, name)(force_finite=False)


def test_infinite_values_become_finite():
    perfect = metric(([[0, 0], [0, 0], [3, 4], [3, 4]], [0, 0, 1, 1]))
    assert (perfect.CHI(), perfect.BRI(), perfect.DI(use_modified=False)) == (0.0, 1e10, 0.0)
    assert perfect.CHI(force_finite=False) == math.inf
    assert metric(([[1.0], [1.0]], [0, 1])).RSI() == 1.0


def test_points_to_a_method_and_setters():
    empty = ClusteringMetric()
    assert empty.CHI(*S3) == cm.calinski_harabasz(*S3) == empty.calinski_harabasz_index(X=S3[0], y_pred=S3[1])
    with pytest.raises(cm.InputError, match="X is not given"):
        ClusteringMetric(y_pred=S3[1]).CHI()
    with pytest.raises(cm.InputError, match="y_pred is not given"):
        ClusteringMetric(X=S3[0]).CHI()
    one = metric(S3)
    assert one.CHI() == one.CHI(chunk_size=3, anything="ignored")
    one.X = S3[0] * [[3.0]]
    assert one.SSEI() == pytest.approx(9 * metric(S3).SSEI())
    one.y_pred = [0, 0, 1, 1, 1, 1]
    assert one.SSEI() == cm.within_sum_of_squares(one.X, one.y_pred)


def test_density_per_cluster():
    both = metric(S3).DBCVI(return_type="both")
    assert both == (metric(S3).DBCVI(), metric(S3).DBCVI(return_type="per-cluster"))
    assert list(both[1]) == [0, 1]
    with pytest.raises(cm.InputError, match="return_type='all' is not known"):
        metric(S3).DBCVI(return_type="all")


def test_a_name_that_means_something_else():
    """A method is permetrics' score; `find` takes our own names first."""
    assert cm.find("HI").name == "hamann"
    assert metric(S3).get_metrics_by_dict({"HI": None})["HI"] == metric(S3).hartigan_index()
    assert cm.find("permetrics:CHI") is cm.calinski_harabasz


def test_no_points_at_all():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        none = ClusteringMetric([], [])
    assert (none.JS(), none.PrS(), none.RaS(), none.TauS(finite_value=0.5)) == (0.0, 1.0, 1.0, 0.5)
    with pytest.raises(cm.UndefinedIndexError, match="jaccard is undefined: there are no points"):
        none.JS(force_finite=False)
