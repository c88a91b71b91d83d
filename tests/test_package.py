"""The package as installed: light to import, fresh where generated, documented."""

from __future__ import annotations

import ast
import contextlib
import inspect
import pydoc
import re
import rlcompleter
import subprocess
import sys
import tomllib
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest

import clustermark as cm
from needs import need

ROOT = Path(__file__).parent.parent
SOURCE = Path(cm.__file__).parent
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
    assert not loaded & {*HEAVY, "difflib", "importlib.metadata"}
    ours = {name.removeprefix("clustermark.").partition(".")[0] for name in loaded if name.startswith("clustermark.")}
    assert not ours & {"engines", "sources", "evaluation", "report", "diagnosis", "uncertainty", "releases", "cli"}
    declared = {name.split(".")[2] for name in loaded if name.startswith("clustermark.indices.")}
    assert declared >= {"pairs", "chance", "covers"}  # those of labelings and of covers, which share some
    assert not declared & {"internal", "trees", "soft"}


@pytest.mark.slow
def test_the_order_of_indices_does_not_depend_on_what_was_loaded_first():
    first = "import clustermark as cm; cm.silhouette; cm.b_cubed_f; cm.find('KS'); "
    assert run(f"{first} print(*(index.name for index in cm.catalogue('all')))").split() == [
        index.name for index in cm.catalogue("all")
    ]
    panel = run(f"{first} from clustermark.registry import list_panel; print(*(one.name for one in list_panel()))")
    assert panel.split() == [index.name for index in cm.catalogue() if index.panel]


@pytest.mark.slow
def test_the_first_evaluation_loads_neither_engines_nor_other_verbs():
    evaluated = "import clustermark as cm; e = cm.evaluate([0, 0, 1], [0, 1, 1])"
    loaded = {name.removeprefix("clustermark.") for name in loaded_after(evaluated) if name.startswith("clustermark.")}
    assert not loaded & {"engines", "releases", "evaluation.curves", "evaluation.comparison", "indices.internal"}
    assert run(f"{evaluated}; print(len(e.clusters), len(e.repairs()), e.sizes['true'])") == "2 1 [(1, 1), (2, 1)]\n"


@pytest.mark.slow
def test_the_help_of_the_program_loads_click_and_nothing_else_heavy():
    loaded = loaded_after("from clustermark.cli.commands import run; run(['score', '--help'])")
    assert "click" in loaded
    assert not loaded & ({"numpy", *HEAVY} - {"click"})


@pytest.mark.slow
def test_names_that_load_on_first_use_are_all_there():
    assert run("from clustermark import *; print(Contingency.__name__, jaccard.name)") == "Contingency jaccard\n"
    assert run("import clustermark.errors; print(clustermark.errors.InputError is clustermark.InputError)") == "True\n"
    assert run("from clustermark import evaluation; print(evaluation.__name__)") == "clustermark.evaluation\n"
    assert run("from clustermark.statistics import *; print(PairCounts.__name__)") == "PairCounts\n"


@pytest.mark.slow
def test_dir_holds_what_is_meant_for_users():
    used = "import clustermark as cm; cm.evaluate([0], [0]).to_json(); print(*dir(cm))"  # which loads many packages
    modules = ["rows", "sklearn", "statistics", "testing"]
    assert [name for name in run(used).split() if not name.startswith("__")] == sorted([*cm.__all__, *modules])
    for module in (cm.statistics, cm.rows, cm.testing, cm.sklearn):
        public = [name for name in dir(module) if not name.startswith("_")]
        assert public == sorted(module.__all__), module


def test_a_module_is_no_attribute_before_it_is_imported():
    said = run("import clustermark as cm; print(*(hasattr(cm, name) for name in ('diagnosis', 'tables', 'registry')))")
    assert said == "False False False\n"


def test_types_of_rows_have_a_module_of_their_own():
    assert not set(cm.rows.__all__) & set(cm.__all__)
    assert all(isinstance(getattr(cm.rows, name), type) for name in cm.rows.__all__)
    assert isinstance(cm.evaluate([0, 0, 1], [0, 1, 1]).clusters[0], cm.rows.ClusterRow)


def test_the_help_begins_with_the_verbs_and_fits_on_a_few_screens():
    text = pydoc.render_doc(cm, renderer=pydoc.plaintext)
    lines = text.splitlines()
    assert len(lines) < 120
    functions = {name for name in cm.__all__ if inspect.isfunction(getattr(cm, name))}
    told = set(re.findall(r"\w+", (cm.__doc__ or "").partition("Each index")[0]))
    untold = functions - told
    assert untold == {"concentration", "jaccard_concentration_index"}, (  # names of another tool
        f"of {untold}, name what is ours in the docstring of clustermark/__init__.py, which help(clustermark) shows"
    )
    assert "catalogue()" in text
    assert "kulczynski1" not in text


def test_names_are_completed_in_the_plain_shell():
    completer = rlcompleter.Completer({"cm": cm})
    found = [completer.complete("cm.", place) for place in range(len(dir(cm)))]
    assert {"cm.jaccard(", "cm.evaluate(", "cm.Index(", "cm.rows"} <= set(found)
    assert completer.complete("cm.jaccard.when", 0) == "cm.jaccard.when_undefined("
    for name in cm.__all__:
        if callable(value := getattr(cm, name)):
            with contextlib.suppress(ValueError):  # an exception has none
                inspect.signature(value)


def test_no_module_is_called_like_a_public_function():
    functions = {name for name in cm.__all__ if not isinstance(getattr(cm, name), type)}
    modules = [path.relative_to(SOURCE).with_suffix("") for path in SOURCE.rglob("*.py")]
    clashes = [str(module) for module in modules if functions & set(module.parts)]
    assert not clashes, f"rename {clashes}: a module would hide the public function of its name"


def test_a_class_name_has_one_meaning():
    found: dict[str, list[str]] = {}
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(path.relative_to(SOURCE).as_posix())
    twice = {name: files for name, files in found.items() if len(files) > 1}
    assert not twice, f"rename one of each: {twice}"


def test_no_file_name_occurs_three_times():
    names = Counter(path.name for path in SOURCE.rglob("*.py") if path.name != "__init__.py")
    assert not [name for name, n in names.items() if n > 2]


def test_docstrings_name_their_subject():
    riddles = {"What", "Whatever", "Who"}
    found = [
        f"{path.relative_to(SOURCE)}: {text.splitlines()[0]}"
        for path in SOURCE.rglob("*.py*")
        if path.suffix in (".py", ".pyi")
        for text in re.findall(r'^ *"""(.+)', path.read_text(encoding="utf-8"), re.MULTILINE)
        if text.split()[0] in riddles
    ]
    assert not found, "begin with the subject, or with a verb"


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
    rows = re.findall(r"^\| (`.*?) \|", page.partition("## The life")[0], re.MULTILINE)
    packages = [
        package.removesuffix("/").removesuffix(".py") for row in rows for package in re.findall(r"`(.*?)`", row)
    ]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    [contract] = project["tool"]["importlinter"]["contracts"]
    assert [*packages, "__main__"] == contract["layers"][::-1]


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_files_that_newcomers_are_sent_to_are_there(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w./]+(?:\.(?:py|pyi|cpp|hpp|toml|md)|/))`", text)) - {"build/"}
    assert len(named) > 10
    there = {path.as_posix() for place in ("src", "tests", "native") for path in (ROOT / place).rglob("*")}
    for name in named:
        assert (ROOT / name).exists() or any(path.endswith(f"/{name.rstrip('/')}") for path in there), name


@pytest.mark.parametrize("script", ["Makefile", "tools/sanitize.sh"])
def test_tests_that_scripts_run_are_there(script):
    named = set(re.findall(r"\b(?:tests|tools|benchmarks)/[\w/.]+", (ROOT / script).read_text(encoding="utf-8")))
    assert len(named) > 3
    assert not [name for name in named if not (ROOT / name).exists()]


def test_public_names():
    for name in cm.__all__:
        assert getattr(cm, name).__doc__, name


def test_missing_extras_are_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match="to_polars needs polars; install it with: pip install polars"):
        cm.crosstab([0], [0]).to_polars()
