"""The classes of `typing` that are made faster are used as the real ones are."""

from __future__ import annotations

import inspect
import pickle
import re
import typing
from pathlib import Path

import pytest

import clustermark
from clustermark.light_typing import NamedTuple
from clustermark.options import PolicyOptions, TableOptions


class Point(NamedTuple):
    """A place."""

    x: int
    y: float = 2.0
    """Up."""

    @property
    def total(self) -> float:
        """Both."""
        return self.x + self.y


class RealPoint(typing.NamedTuple):
    """A place."""

    x: int
    y: float = 2.0


def test_a_named_tuple_is_one():
    point, real = Point(1), RealPoint(1)
    assert point == real == (1, 2.0)
    assert repr(point) == "Point(x=1, y=2.0)"
    assert point._asdict() == real._asdict()
    assert point._replace(y=3).total == 4
    assert (Point._fields, Point._field_defaults) == (RealPoint._fields, RealPoint._field_defaults)
    assert (Point.__doc__, Point.__module__, Point.__qualname__) == ("A place.", __name__, "Point")
    assert pickle.loads(pickle.dumps(point)) == point
    assert typing.get_type_hints(Point) == typing.get_type_hints(RealPoint)
    assert str(inspect.signature(Point)) == "(x: 'int', y: 'float' = 2.0)"
    for wrong in ({}, {"x": 1, "z": 2}):
        with pytest.raises(TypeError):
            Point(**wrong)


def test_options_hold_those_of_their_bases():
    assert set(PolicyOptions.__annotations__) < set(TableOptions.__annotations__)
    assert "true" not in PolicyOptions.__annotations__


def test_the_package_makes_its_named_tuples_so():
    package = Path(clustermark.__file__).parent
    files = [path for path in package.rglob("*.py") if path.name != "light_typing.py"]
    imports = re.compile(r"^from typing import (?:\([^)]*\)|.*)", re.MULTILINE)
    slow = [path.name for path in files if "NamedTuple" in str(imports.findall(path.read_text(encoding="utf-8")))]
    assert len(files) > 300
    assert slow == []
