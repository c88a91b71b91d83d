"""Indices that are not ours: of other comparisons, of a user, of a plugin; and checks that find what is wrong."""

from __future__ import annotations

import inspect
import os
import pickle
import pydoc
import shutil
import subprocess
import sys
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

import clustermark as cm
from clustermark import testing
from clustermark.registry import Index, declare
from clustermark.registry.lookup import REGISTRY
from clustermark.statistics import PairCounts, Sizes, Takes
from clustermark.subjects.subject import Subject
from clustermark.testing import check_index
from program import mistake, result, write_csv

ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def _nothing_stays():
    """Indices that a test declares are forgotten after it."""
    cm.catalogue()
    known = set(REGISTRY)
    yield
    for declared in set(REGISTRY) - known:
        REGISTRY.remove(declared)


def test_an_index_of_ones_own_is_swept_too():
    @cm.index(PairCounts, title="Pairs kept", formula="yy / (yy + yn)", symmetric=False)
    def pairs_kept(p):
        return p.yy / (p.yy + p.yn)

    found = cm.sweep_pairs([0, 0, 1, 1, 1], ([0, 2, 3, 1], [1, 3, 4, 2], [0.9, 0.7, 0.5, 0.3]))
    assert found.curve(pairs_kept) == found.curve("pair_recall")
    assert found.best("pairs_kept").threshold == 0.5


class Geometry:
    """Points on a line, and the cluster of each."""

    def __init__(self, X, labels):
        if len(X) != len(labels):
            raise cm.InputError(f"X has {len(X)} points and labels has {len(labels)}; each point needs a label")
        self.clusters = {label: [x for x, own in zip(X, labels, strict=True) if own == label] for label in set(labels)}


GEOMETRY = Subject(
    Geometry,
    ("X", "labels"),
    Geometry,
    lambda X, labels: all(isinstance(x, float) for x in X),
    "a Geometry(X, labels)",
)


class Scatter(NamedTuple):
    within: float
    total: float

    @classmethod
    def takes(cls):
        return Takes(comparison=GEOMETRY)

    @classmethod
    def of(cls, geometry):
        clusters = list(geometry.clusters.values())
        return cls(sum(map(_spread, clusters)), _spread([x for cluster in clusters for x in cluster]))


def _spread(points):
    mean = sum(points) / len(points)
    return sum((x - mean) ** 2 for x in points)


def declare_within():
    @declare(
        Index,
        Scatter,
        {
            "title": "Scatter within clusters",
            "formula": "within / total * scale",
            "higher_is_better": False,
            "undefined_when": "all points are one",
        },
    )
    def within_scatter(s, *, scale=1.0):
        """Share of the scatter that lies within the clusters."""
        return s.within / s.total * scale

    return within_scatter


def test_an_index_of_another_comparison():
    toy = declare_within()
    assert toy([0.0, 0.0, 1.0, 1.0], [0, 0, 1, 1]) == 0.0
    assert toy([0.0, 2.0], labels=["a", "a"], scale=0.5) == 0.5 == toy.with_options(scale=0.5)([0.0, 2.0], [1, 1])
    assert toy.of(Geometry([0.0, 2.0], [1, 1])) == 1.0
    assert list(inspect.signature(toy).parameters) == ["X", "labels", "scale"]
    assert repr(toy) == "<index within_scatter(X, labels, *, scale=1.0) -> float>"
    text = pydoc.plain(pydoc.render_doc(toy))
    assert "Share of the scatter" in text
    assert "within_scatter(X, labels" in text
    assert "Undefined when all points are one; it is 1 then." in text
    assert toy([1.0, 1.0], [0, 1]) == 1.0
    assert cm.find("within_scatter") is toy


def test_what_an_index_of_another_comparison_refuses():
    toy = declare_within()
    with pytest.raises(cm.InputError, match="X has 1 points and labels has 2"):
        toy([0.0], [0, 0])
    with pytest.raises(cm.InputError, match=r"within_scatter takes \(X, labels\); got \(list, y_pred=\)"):
        toy([0.0], y_pred=[0])
    with pytest.raises(cm.InputError, match=r"has no option 'alpha'; it has scale.*takes a Geometry\(X, labels\)"):
        toy([0.0], [0], alpha=1)
    with pytest.raises(cm.InputError, match=r"within_scatter.of takes a Geometry\(X, labels\)"):
        toy.of(cm.crosstab([0], [0]))
    with pytest.raises(cm.UndefinedIndexError, match="all points are one"):
        toy.strict([1.0, 1.0], [0, 1])
    with pytest.raises(cm.InputError, match="within_scatter does not compare partitions"):
        check_index(toy)


def test_evaluate_leaves_an_index_of_another_comparison_out():
    declare_within()
    assert "within_scatter" not in cm.evaluate([0, 0, 1], [0, 0, 1], "all").refused
    with pytest.raises(cm.InputError, match=r"within_scatter is not .*, but from a Geometry\(X, labels\)$"):
        cm.evaluate([0, 0, 1], [0, 0, 1], ["within_scatter", "jaccard"])


class Cover:
    def __init__(self, true, pred):
        self.shared = sum(bool(t & p) for t, p in zip(true, pred, strict=True))
        self.n = len(true)


def _are_sets(true, pred):
    return all(isinstance(side, list) and all(isinstance(clusters, set) for clusters in side) for side in (true, pred))


COVERS = Subject(Cover, ("cover_true", "cover_pred"), Cover, _are_sets, "a Cover(cover_true, cover_pred)")


class Shared(NamedTuple):
    shared: int
    n: int

    @classmethod
    def takes(cls):
        return Takes(comparison=COVERS)

    @classmethod
    def of(cls, cover):
        return cls(cover.shared, cover.n)

    exact = of


def declare_for_two():
    @cm.index(Sizes, title="Share of the largest cells", formula="best_true / n")
    def largest_share(s, *, times=1):
        """How much of each true cluster one predicted cluster holds."""
        return s.best_true / s.n * times

    @largest_share.also(Shared, formula="shared / n")
    def _of_covers(s, *, times=1):
        return s.shared / s.n * times

    return largest_share


def test_one_name_for_two_comparisons():
    shares = declare_for_two()
    assert shares([0, 0, 1, 1], [0, 0, 0, 1]) == 0.75
    assert shares([{0}, {0, 1}], [{0}, {2}]) == 0.5
    assert shares({"a": 0, "b": 1}, {"a": 0, "b": 0}) == 1.0
    assert shares(cover_true=[{0}], cover_pred=[{0}]) == shares(y_true=[0], y_pred=[0]) == 1.0
    assert shares([{0}], [{0}], times=3) == shares.with_options(times=3).of(Cover([{0}], [{0}])) == 3.0
    assert shares.of(cm.crosstab([0, 0, 1, 1], [0, 0, 0, 1])) == 0.75
    assert "Called as largest_share(y_true, y_pred) or largest_share(cover_true, cover_pred)." in shares.__doc__
    assert str(inspect.signature(shares)) == "(y_true, y_pred, *, times=1) -> float"
    assert cm.evaluate([0, 0], [0, 1], [shares])["largest_share"] == 0.5


def test_a_comparison_has_facts_of_its_own():
    shares = declare_for_two()

    class Doubled(Shared):
        @classmethod
        def takes(cls):
            return Takes(comparison=COVERS._replace(kind=Doubled, are_identical=lambda _: True, name="twos"))

    @shares.also(Doubled, formula="shared", bounds=(0.0, 2.0), symmetric=False, undefined_when="there are none")
    def _of_twos(s, *, times=1):
        raise ZeroDivisionError

    of_twos = Doubled(1, 1)
    assert (shares.bounds, shares.bounds_on(of_twos)) == ((0.0, 1.0), (0.0, 2.0))
    assert (shares.symmetric, [use.facts.symmetric for use in shares.uses]) == (True, [True, True, False])
    assert shares.of(of_twos) == 2.0  # the best of its own bounds
    with pytest.raises(cm.UndefinedIndexError, match="there are none"):
        shares.strict.of(of_twos)
    assert "Of twos: Range [0, 2]; higher is better; not symmetric." in shares.__doc__
    assert "Of twos: shared\n" in shares.__doc__
    with pytest.raises(TypeError, match="colour"):
        shares.also(Doubled, colour="red")(lambda s, *, times=1: 0.0)


def test_what_two_comparisons_refuse():
    shares = declare_for_two()
    takes = r"largest_share takes \(y_true, y_pred\) or \(cover_true, cover_pred\); got "
    for inputs, got in (([[{0}], [0]], "list, list"), ([3, 4], "int, int"), ([[0]], "list")):
        with pytest.raises(cm.InputError, match=rf"{takes}\({got}\)"):
            shares(*inputs)
    with pytest.raises(cm.InputError, match=r"of takes a table from crosstab\(y_true, y_pred\) or a Cover\("):
        shares.of([0])
    with pytest.raises(cm.InputError, match="is already declared for a Cover"):
        shares.also(Shared)(lambda s, *, times=1: 0.0)
    with pytest.raises(cm.InputError, match="must have the same options for all comparisons: times"):
        shares.also(Scatter)(lambda s: 0.0)


def declare_own(**facts):
    @cm.index(PairCounts, **{"title": "Pairs kept", "formula": "yy / (yy + yn)", "symmetric": False} | facts)
    def pairs_kept(p):
        """Share of the true pairs that the prediction keeps."""
        return p.yy / (p.yy + p.yn)

    return pairs_kept


@pytest.mark.slow
def test_an_index_of_a_user_is_everywhere():
    own = declare_own(undefined_when="there is no true pair")
    check_index(own)
    assert cm.find("pairs_kept") is own
    assert own in cm.catalogue()
    assert (own.family, own.abbreviation, str(own.citation)) == ("own", "", "")
    assert "Reference" not in own.__doc__
    assert "Pairs kept: yy / (yy + yn)" in own.__doc__
    scores = cm.evaluate([0, 0, 1, 1], [0, 0, 0, 1], ["pairs_kept", "jaccard"])
    assert scores["pairs_kept"] == 0.5
    assert "pairs_kept" in repr(scores)
    assert "Pairs kept" in scores.report()
    with pytest.raises(AttributeError, match=r"this index is find\('pairs_kept'\)"):
        cm.Pairs_Kept  # noqa: B018
    assert str(declare_own(reference="10.1007/BF01908075").citation) == "https://doi.org/10.1007/BF01908075"
    assert str(declare_own(reference="My thesis, 2026").citation) == "My thesis, 2026"
    assert declare_own(reference="rand1971").citation == cm.rand.citation
    assert declare_own(family="mine").family_title == "Mine"


def test_declaring_again():
    first = declare_own(aliases=["kept"])
    again = declare_own()
    assert cm.find("pairs_kept") is again is not first
    with pytest.raises(cm.InputError, match="no index is called 'kept'"):
        cm.find("kept")
    assert [one.name for one in cm.catalogue()].count("pairs_kept") == 1


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"aliases": ("tanimoto",)}, "pairs_kept cannot be called 'tanimoto': that is jaccard"),
        ({"abbreviation": "ARI"}, "pairs_kept cannot be called 'ARI': that is adjusted_rand"),
        ({"peers": {"permetrics": "JS"}}, "permetrics cannot call both jaccard and pairs_kept 'JS'"),
        ({"colour": "red"}, r"index: colour= is not a fact of an index \(the facts are title, formula"),
    ],
)
def test_declarations_that_are_refused(facts, said):
    with pytest.raises(cm.InputError, match=said):
        declare_own(**facts)
    assert "pairs_kept" not in REGISTRY
    assert cm.find("tanimoto") is cm.jaccard


def test_a_name_and_facts_that_are_needed():
    with pytest.raises(cm.InputError, match=r"jaccard is already an index, declared in clustermark\.indices"):

        @cm.index(PairCounts, title="x", formula="yy")
        def jaccard(p):
            return p.yy

    with pytest.raises(cm.InputError, match="index: formula= is missing"):
        cm.index(PairCounts, title="x")
    with pytest.raises(cm.InputError, match=r"index: int is no statistic; it lacks takes, of \("):
        cm.index(int, title="x", formula="yy")
    with pytest.raises(cm.InputError, match="<lambda> is not a name; declare it with def"):
        cm.index(PairCounts, title="x", formula="yy")(lambda p: p.yy)
    for function in (lambda p, beta=1: p.yy, lambda p, *, beta: p.yy):
        with pytest.raises(cm.InputError, match=r"write \(statistic, \*, beta=…\)"):
            cm.index(PairCounts, title="x", formula="yy")(function)


@pytest.mark.slow
def test_a_name_of_ours_is_taken_before_ours_are_loaded():
    code = "import clustermark as cm\n@cm.index(cm.PairCounts, title='x', formula='yy')\ndef rand(p): return p.yy"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "InputError: rand is already an index" in done.stderr


def agreement(p):
    return (p.yy + p.nn + 1) / (sum(p) + 1)


def kept(p):
    return p.yy / (p.yy + p.yn)


def one(p):
    return 1.0


ticks = count()
WRONG = [
    (
        "bounds",
        lambda p: 2 * p.yy,
        {},
        r"wrong: the score 2\.0 lies outside the declared bounds .*; for example",
    ),
    ("weights", agreement, {"bounds": (0.5, 1)}, "lies outside weighted_bounds"),
    ("weights", agreement, {"weighted_bounds": (-9, 9)}, "and bounds=.* would do"),
    ("identity", lambda p: 0.5, {}, "identical partitions do not score best"),
    ("identity", one, {"best_on_identity": False}, "declared not always to score best, and they do"),
    ("symmetry", kept, {}, r"declared symmetric, and is not; for example y_true="),
    ("symmetry", agreement, {"symmetric": False}, "declared not symmetric, and is"),
    ("metric", one, {"metric": True}, "declared a metric, and is not one; for example"),
    ("metric", one, {"metric": True, "higher_is_better": None}, "there is no distance"),
    ("metric", agreement, {}, "declared not to be a metric, and no partitions"),
    ("chance", agreement, {"chance_model": "permutation"}, "mean over permutations is not 0"),
    ("chance", lambda p: 0.0, {}, 'declare chance_model="permutation"'),
    ("renaming", lambda p: next(ticks), {}, "becomes .* with the same labels as narrow integers"),
    ("chunks", lambda p: next(ticks), {}, "when tables of chunks are added up"),
    ("formula", agreement, {"formula": "nn / (yy + nn + 1)"}, r"the formula nn / \(yy \+ nn \+ 1\) gives"),
    ("exact", lambda p: next(ticks), {}, "the exact fraction is"),
    ("undefined", kept, {}, "undefined_when does not say when"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("what", "function", "facts", "said"), WRONG, ids=[f"{row[0]}: {row[3]}" for row in WRONG])
def test_checks_find_what_is_wrong(what, function, facts, said):
    def wrong(p):
        return function(p)

    declared = cm.index(PairCounts, **{"title": "Wrong", "formula": "yy"} | facts)(wrong)
    with pytest.raises(AssertionError, match=said):
        getattr(testing, f"check_{what}")(declared)
    with pytest.raises(AssertionError):
        check_index(declared)


@pytest.mark.slow
def test_checks_of_names_weights_and_given_witnesses(monkeypatch):
    own = declare_own(aliases=["kept"], undefined_when="there is no true pair")
    check_index(own)
    with monkeypatch.context() as patched:
        patched.setitem(REGISTRY._by_own_name, "kept", cm.jaccard)
        with pytest.raises(AssertionError, match="pairs_kept: the name 'kept' finds jaccard"):
            check_index(own)
    with pytest.raises(AssertionError, match="do not break the triangle inequality; for example x="):
        check_index(cm.jaccard, not_metric=([0, 0], [0, 0], [0, 0]))
    check_index(cm.f_measure, asymmetric_with={"beta": 2})
    with pytest.raises(AssertionError, match="check with asymmetric_with"):
        check_index(cm.f_measure)
    lenient = cm.jaccard._vary(weights=None)
    with pytest.raises(AssertionError, match="weights are declared to be refused, and are not"):
        testing.check_weights(lenient)


OWN = '''
import clustermark as cm
from clustermark.statistics import PairCounts

@cm.index(PairCounts, title="Pairs kept", formula="yy / (yy + yn)", symmetric=False, undefined_when="no true pair")
def pairs_kept(p):
    """Share of the true pairs that the prediction keeps."""
    return p.yy / (p.yy + p.yn)
'''


def python(code, path):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(path), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_pickles_where_the_module_can_be_imported(tmp_path, monkeypatch):
    (tmp_path / "own_pairs.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    import own_pairs

    stored = pickle.dumps(own_pairs.pairs_kept.strict)
    assert pickle.loads(stored) == own_pairs.pairs_kept.strict
    assert python(f"import pickle; print(pickle.loads({stored!r}).label)", tmp_path) == "pairs_kept.strict\n"
    del sys.modules["own_pairs"]


@pytest.fixture
def installed(tmp_path):
    """Two packages as pip leaves them; one of them is broken."""
    for package, module in (("own-pairs", OWN), ("own-broken", "import clustermark.nothing_of_the_kind")):
        name = package.replace("-", "_")
        (tmp_path / f"{name}.py").write_text(module)
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[clustermark.indices]\nindices = {name}\n")
    return tmp_path


@pytest.mark.slow
def test_installed_packages_offer_indices(installed):
    code = """
import sys, warnings
import clustermark as cm
cm.jaccard([0, 0], [0, 0]), cm.find("ARI")
assert "own_pairs" not in sys.modules
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    print(cm.{ask})
    cm.catalogue(), cm.evaluate([0], [0])
print(*(f"{{w.category.__name__}}: {{w.message}}" for w in said), sep="\\n")
"""
    said = (
        "PluginWarning: the indices of own-broken (own_broken) cannot be loaded: "
        "ModuleNotFoundError: No module named 'clustermark.nothing_of_the_kind'\n"
    )
    assert python(code.format(ask="find('pairs_kept').title"), installed) == f"Pairs kept\n{said}"
    assert python(code.format(ask="catalogue()[-1].name"), installed) == f"pairs_kept\n{said}"


@pytest.mark.slow
def test_packages_in_an_archive_offer_indices(installed, tmp_path_factory):
    archive = shutil.make_archive(str(tmp_path_factory.mktemp("archive") / "packages"), "zip", installed)
    code = f"""
import sys, warnings
sys.path.insert(0, {archive!r})
warnings.simplefilter("ignore")
import clustermark as cm
print(cm.find("pairs_kept").title)
"""
    assert python(code, tmp_path_factory.mktemp("elsewhere")) == "Pairs kept\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    here = tmp_path_factory.mktemp("plugins")
    (here / "own.py").write_text(OWN)
    (here / "broken.py").write_text("1 / 0")
    (here / "lacking.py").write_text("import nothing_of_the_kind")
    write_csv(here / "data.csv", "t,p", [("a", 1), ("a", 1), ("b", 1), ("b", 2)])
    return here


@pytest.mark.slow
def test_plugins_of_the_program(folder):
    both = (folder / "data.csv", "--true", "t", "--pred", "p")
    path = ("--plugin", folder / "own.py")
    text = result("score", *both, "-i", "pairs_kept,jaccard", *path, "--fail-under", "pairs_kept=0.5")
    assert "pairs_kept" in text
    assert "0.500000" in text
    where = {"PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])}
    assert "\nOwn " in result("indices", "--plugin", "own", **where)
    explained = result("indices", "pairs_kept", *path)
    assert explained.startswith("Pairs kept\n")
    assert "Family: own." in explained
    result("report", *both, "-i", "pairs_kept", *path, "-o", folder / "page.html")
    assert "Pairs kept" in (folder / "page.html").read_text(encoding="utf-8")
    assert "split in the prediction" in result("errors", *both, *path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("plugin", "said"),
    [
        ("nothing_of_the_kind", "there is no such module; for a file, give its path, such as ./nothing_of_the_kind.py"),
        ("nothing.py", "nothing.py: there is no such file"),
        ("broken.py", "broken.py: it cannot be loaded: ZeroDivisionError: division by zero"),
        ("lacking.py", "lacking.py: it cannot be loaded: No module named 'nothing_of_the_kind'"),
    ],
)
def test_plugins_that_cannot_be_loaded(folder, plugin, said):
    where = folder / plugin if plugin.endswith(".py") else plugin
    told = " ".join(mistake("indices", "--plugin", where).split())
    assert "--plugin" in told
    assert said in told


def test_a_formula_is_read_and_never_run():
    @cm.index(cm.PairCounts, title="Sneaky", formula="__import__('os').getcwd() and yy")
    def sneaky(p):
        """Pairs together in both."""
        return p.yy / (p.yy + p.nn)

    with pytest.raises(cm.InputError, match="a formula cannot have"):
        testing.check_formula(sneaky)


def test_an_index_of_your_own_whose_formula_is_wrong_is_computed_by_its_function():
    @cm.index(cm.PairCounts, title="Larger side", formula="yy / (yn + ny)")
    def larger_side(p):
        """Share of the pairs of the side with more pairs."""
        return p.yy / (p.yy + max(p.yn, p.ny))

    pairs = SimpleNamespace(yy=np.array([2.0, 3.0]), yn=np.array([1.0, 4.0]), ny=np.array([2.0, 1.0]))
    assert larger_side.score_arrays(pairs).tolist() == [0.5, 3 / 7]
