"""Configuration of all tests: names, marks, numbers of examples, and the processes that run them."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

from clustermark import testing
from needs import need
from report_cases import empty_charts

# no deadlines, as a machine may be busy; continuous integration tries the same examples each time, other runs new ones
settings.register_profile("searching", deadline=None)
settings.register_profile("judging", derandomize=True, deadline=None)
# `make check` tries few examples
settings.register_profile("quick", max_examples=10, deadline=None)
# `make sanitize` runs code that is several times slower
settings.register_profile("instrumented", deadline=None, suppress_health_check=[HealthCheck.too_slow])
OWN_SETTINGS = "_hypothesis_internal_use_settings"
settings.load_profile("judging" if os.environ.get("CI") else "searching")


# a fixture implies what a test needs, so tests are marked by their fixtures
MARKS = {"peer": "peer", "browser": "browser", "spark": "engine", "postgres_address": "engine"}
SERVERS = ("spark", "postgres")
SLOW_FOLDERS = ("cli",)  # each of its tests runs the program
OTHER_ENGINES = ("polars", "datafusion", "sqlite")  # `make check` tries DuckDB


def pytest_collection_modifyitems(items):
    quick = settings.get_current_profile_name() == "quick"
    testing.MOST_POINTS = 5 if quick else testing.MOST_POINTS
    for item in items:
        marks = {MARKS[name] for name in MARKS.keys() & set(item.fixturenames)}
        values = list(item.callspec.params.values()) if hasattr(item, "callspec") else []
        if any(isinstance(value, str) and value in SERVERS for value in values):
            marks.add("engine")
        if item.path.parent.name in SLOW_FOLDERS:
            marks.add("slow")
        if any(isinstance(value, str) and value.startswith(OTHER_ENGINES) for value in values):
            marks.add("slow")
        for mark in marks:
            item.add_marker(mark)
        if quick:
            try_fewer(getattr(item, "function", None))


def try_fewer(test):
    """Limit the number of examples of a test to that of the profile."""
    own, most = getattr(test, OWN_SETTINGS, None), settings.default.max_examples
    if own is not None and own.max_examples > most:
        setattr(test, OWN_SETTINGS, settings(own, max_examples=most))


@pytest.fixture
def without_charts():
    """Make pages with empty charts, for tests of their texts."""
    need("matplotlib")
    with empty_charts():
        yield


@pytest.fixture(scope="session")
def peer():
    """Return a function that imports another implementation of our indices by its name."""
    return need


def pytest_make_parametrize_id(config, val, argname):
    """Exclude addresses of objects from names of tests, which must be equal in parallel runs."""
    return None if val is None or isinstance(val, (str, int, float, type)) else argname


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Run tests that need one server, or read the same pages, in one process, so that each is started or made once.

    The groups of xdist 3.8 would do this, but pytest 9.2 does not let it rename tests.
    """
    from xdist.scheduler import LoadScopeScheduling

    class OneProcessAServer(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            if "/report/" in nodeid:  # pages are made once for the tests of a file
                return nodeid.partition("::")[0]
            if "/engines/" not in nodeid or "test_spark_modes" in nodeid:  # these start their own servers
                return nodeid
            return next((server for server in SERVERS if server in nodeid), nodeid)

    return OneProcessAServer(config, log)
