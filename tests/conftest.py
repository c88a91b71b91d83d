"""Names of parametrised tests must not hold addresses of objects, or parallel runs disagree on them."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# a run that judges a change tries the same examples each time; elsewhere new ones are tried
settings.register_profile("judging", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("judging")


def pytest_make_parametrize_id(config, val, argname):
    return None if val is None or isinstance(val, (str, int, float, type)) else argname


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Tests that need one server run in one process, so that each server is started once.

    The groups of xdist 3.8 would say so, but pytest 9.2 does not let it rename tests.
    """
    from xdist.scheduler import LoadScopeScheduling

    class OneProcessAServer(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            if "/engines/" not in nodeid:
                return nodeid
            return next((server for server in ("spark", "postgres") if server in nodeid), nodeid)

    return OneProcessAServer(config, log)
