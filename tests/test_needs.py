"""Tests are found without any package but those of the core, and none is skipped in continuous integration."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from needs import lacking, need

BARE = """
import re, sys
from importlib.metadata import distribution, packages_distributions

wanted, kept = ["numpy", "scipy", "pytest", "hypothesis"], {"clustermark"}
while wanted:
    name = wanted.pop().lower().replace("_", "-")
    if name not in kept:
        kept.add(name)
        wanted += [re.match(r"[\\w.-]+", line)[0] for line in distribution(name).requires or [] if ";" not in line]


class Blocker:
    owners = {module: {owner.lower().replace("_", "-") for owner in owners}
              for module, owners in packages_distributions().items()}

    def find_spec(self, name, path=None, target=None):
        package = name.partition(".")[0]
        if package in self.owners and not kept & self.owners[package]:
            raise ModuleNotFoundError(f"no {package} here", name=package)


sys.meta_path.insert(0, Blocker())
import pytest

sys.exit(pytest.main(["--collect-only", "-q", "-p", "no:cacheprovider", *sys.argv[1:]]))
"""


def collect_bare(*arguments: str, ci: str = "") -> subprocess.CompletedProcess[str]:
    """Look for tests where only the packages of the core and of pytest can be imported."""
    environment = {**os.environ, "CI": ci, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(
        [sys.executable, "-c", BARE, *arguments], capture_output=True, text=True, env=environment, timeout=300
    )


@pytest.mark.slow
def test_tests_are_found_without_any_other_package(pytestconfig):
    done = collect_bare(str(pytestconfig.rootpath / "tests"))
    assert done.returncode == 0, done.stdout[-3000:]
    assert "tests/registry/test_registry.py::" in done.stdout
    assert "tests/compat/test_sklearn_names.py::" not in done.stdout


@pytest.mark.slow
def test_the_same_fails_in_continuous_integration(pytestconfig):
    done = collect_bare(str(pytestconfig.rootpath / "tests" / "compat"), ci="true")
    assert done.returncode != 0
    assert "the package sklearn is missing, and continuous integration may skip nothing" in done.stdout


def test_what_is_missing_is_skipped_by_a_contributor(monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="the package no_such_package is missing"):
        need("no_such_package")


def test_what_is_missing_fails_in_continuous_integration(monkeypatch):
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="a server is missing"):
        lacking("a server")


def test_a_package_comes_with_its_modules():
    assert need("xml", "dom").dom.__name__ == "xml.dom"
