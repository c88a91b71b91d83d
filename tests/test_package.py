"""The package as installed: light to import, fresh where generated, documented."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import clustermark as cm
from needs import need

ROOT = Path(__file__).parent.parent
HEAVY = ["scipy", "pandas", "polars", "pyarrow", "duckdb", "matplotlib", "sklearn", "rich", "click"]


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def loaded_after(code: str) -> set[str]:
    return set(run(f"{code}; import sys; print(*sys.modules)").split())


def test_import_loads_nothing_heavy():
    assert not loaded_after("import clustermark; clustermark.__version__") & {"numpy", *HEAVY}


@pytest.mark.slow
def test_help_of_the_program_loads_neither_engines_nor_numpy():
    need("click")
    loaded = loaded_after("from clustermark.cli import commands; commands.run(['--version'])")
    assert "clustermark.cli.subjects" not in loaded
    assert not loaded & {"numpy", "clustermark.engines", "clustermark.cli.input", *HEAVY} - {"click"}


@pytest.mark.slow
def test_scoring_labels_loads_numpy_and_nothing_else_heavy():
    loaded = loaded_after("import clustermark; clustermark.jaccard([0, 0], [0, 0])")
    assert "numpy" in loaded
    assert not loaded & {
        *HEAVY,
        "clustermark.indices.covers",
        "clustermark.indices.internal",
        "clustermark.evaluation.partitions",
    }
    declaring = {name for name in loaded if name.startswith("clustermark.indices.")}
    assert declaring == {f"clustermark.indices.pairs{file}" for file in ("", ".agreement", ".arithmetic")}
    aliased = loaded_after("import clustermark; clustermark.find('ARI')")
    assert "clustermark.indices.chance.pairs" in aliased
    assert "clustermark.indices.pairs.coefficients" not in aliased


@pytest.mark.slow
def test_the_order_of_indices_does_not_depend_on_what_was_loaded_first():
    first = "import clustermark as cm; cm.silhouette; cm.b_cubed_f; cm.find('KS'); "
    assert run(f"{first} print(*(index.name for index in cm.catalogue('all')))").split() == [
        index.name for index in cm.catalogue("all")
    ]
    panel = run(f"{first} from clustermark.registry import list_panel; print(*(one.name for one in list_panel()))")
    assert panel.split() == [index.name for index in cm.catalogue() if index.panel]


@pytest.mark.slow
def test_the_first_evaluation_loads_only_what_it_needs():
    evaluated = "import clustermark as cm; e = cm.evaluate([0, 0, 1], [0, 1, 1])"
    loaded = {name.removeprefix("clustermark.") for name in loaded_after(evaluated) if name.startswith("clustermark.")}
    assert {"registry", "indices.pairs", "statistics.pairs", "evaluation.partitions"} <= loaded
    seldom = (
        "engines",
        "diagnosis.repairs",
        "releases",
        "evaluation.sweeps",
        "evaluation.ranking",
        "indices.internal",
        "indices.covers",
    )
    seldom += (
        "indices.coreference",
        "indices.pairs.coefficients",
        "statistics.coreference",
        "statistics.scatter",
        "statistics.comemberships",
        "diagnosis.cluster_table",
        "uncertainty.samples",
    )
    assert not loaded & set(seldom)
    assert run(f"{evaluated}; print(len(e.clusters), len(e.repairs()), e.sizes['true'])") == "2 1 [(1, 1), (2, 1)]\n"
    assert run(f"{evaluated}; print(cm.element_centric([{{0}}, {{1}}], [{{0}}, {{1}}]))") == "1.0\n"
    assert run("import clustermark as cm; print(cm.statistics.Scatter.__name__)") == "Scatter\n"
    statistics = import_module("clustermark.statistics")
    assert dir(statistics) == sorted(statistics.__all__)
    assert all(hasattr(statistics, name) for name in statistics.__all__)


@pytest.mark.slow
def test_the_help_of_the_program_loads_click_and_nothing_else_heavy():
    loaded = loaded_after("from clustermark.cli.commands import run; run(['score', '--help'])")
    assert "click" in loaded
    assert not loaded & ({"numpy", *HEAVY} - {"click"})


@pytest.mark.slow
def test_names_that_load_on_first_use_are_all_there():
    assert set(cm.__all__) <= set(dir(cm))
    assert run("from clustermark import *; print(Contingency.__name__, jaccard.name)") == "Contingency jaccard\n"
    assert run("import clustermark; print(clustermark.evaluation.__name__)") == "clustermark.evaluation\n"
    assert "adjusted_rand" in run("import clustermark; help(clustermark)")
    assert run("import clustermark.errors; print(clustermark.errors.InputError is clustermark.InputError)") == "True\n"


@pytest.mark.slow
def test_dir_holds_what_is_meant_for_users():
    used = "import clustermark as cm; cm.evaluate([0], [0]).to_json(); print(*dir(cm))"  # which loads many rooms
    assert [name for name in run(used).split() if not name.startswith("__")] == sorted(
        [*cm.__all__, "sklearn", "statistics", "testing"]
    )
    for name in ("ClusterTable", "ErrorList", "PointTable", "OverlapMap", "Profile", "EngineError", "read_evaluation"):
        assert name in cm.__all__


@pytest.mark.parametrize("name", ["nothing_of_the_kind", "__wrapped__", "not.a.name"])
def test_unknown_names_are_attribute_errors(name):
    with pytest.raises(AttributeError, match="has no attribute"):
        getattr(cm, name)


def test_the_version_is_told_once():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == cm.__version__


def test_a_build_here_needs_what_an_isolated_one_needs():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert set(project["build-system"]["requires"]) <= set(project["dependency-groups"]["build"])


@pytest.mark.slow
def test_generated_blocks_are_fresh():
    done = subprocess.run([sys.executable, ROOT / "tools" / "generate.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_freshness_is_really_checked():
    sys.path.insert(0, str(ROOT / "tools"))
    generate = import_module("generate")
    text = "a\n# generated: names\nold\n# end of generated\nb\n"
    assert generate.fresh(text, "names", "new") == "a\n# generated: names\nnew\n# end of generated\nb\n"
    with pytest.raises(SystemExit):
        generate.fresh("no block", "names", "new")
    assert generate.recount("all 7 indices") == f"all {len(cm.catalogue())} indices"
    for text in ("no number", "7 indices and 8 indices"):
        with pytest.raises(SystemExit, match="expected one: README"):
            generate.recount(text)


@pytest.mark.parametrize("page", ["README.md", "CHANGELOG.md", "docs/decisions.md"])
def test_the_number_of_indices_is_told_right(page):
    assert f"{len(cm.catalogue())} indices" in (ROOT / page).read_text(encoding="utf-8")


def test_the_architecture_page_names_every_package_from_the_bottom_up():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?) \|", page.partition("## The journey")[0], re.MULTILINE)
    rooms = [room.removesuffix("/").removesuffix(".py") for row in rows for room in re.findall(r"`(.*?)`", row)]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    [contract] = project["tool"]["importlinter"]["contracts"]
    assert [*rooms, "__main__"] == contract["layers"][::-1]


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_files_that_newcomers_are_sent_to_are_there(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w./]+(?:\.(?:py|pyi|cpp|hpp|toml|md)|/))`", text)) - {"build/"}
    assert len(named) > 10
    there = {path.as_posix() for place in ("src", "tests", "native") for path in (ROOT / place).rglob("*")}
    for name in named:
        assert (ROOT / name).exists() or any(path.endswith(f"/{name.rstrip('/')}") for path in there), name


def test_public_names():
    for name in cm.__all__:
        assert getattr(cm, name).__doc__, name


def test_missing_extras_are_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match="to_polars needs polars; install it with: pip install polars"):
        cm.crosstab([0], [0]).to_polars()
