"""Names of parametrised tests must not hold addresses of objects, or parallel runs disagree on them."""

from __future__ import annotations


def pytest_make_parametrize_id(config, val, argname):
    return None if val is None or isinstance(val, (str, int, float, type)) else argname
