"""Only the table knows where the data lives: no other package looks inside, or asks which kind it is."""

import ast
from pathlib import Path
from typing import get_args

import pytest

import clustermark
from clustermark.engines.pushdown.selections import _FETCH
from clustermark.engines.pushdown.table import EngineTable
from clustermark.tables.cells import CellTable
from clustermark.tables.contingency import Contingency
from clustermark.tables.parts import Selection

SOURCE = Path(clustermark.__file__).parent
INSIDE = (SOURCE / "tables", SOURCE / "engines" / "pushdown")
PRIVATE = {
    name
    for kind in (Contingency, CellTable, EngineTable)
    for name in (*kind.__slots__, *vars(kind))
    if name.startswith("_") and not name.endswith("__")
}
KINDS = {"CellTable", "EngineTable"}


def trespasses(text):
    """The lines that read a private attribute of a table, though not of self, or ask a table for its kind."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Attribute(value=ast.Name(id="self" | "cls")):
                pass
            case ast.Attribute(attr=name) if name in PRIVATE:
                yield node.lineno
            case ast.Call(func=ast.Name(id="isinstance"), args=[_, kinds]):
                if KINDS & {name.id for name in ast.walk(kinds) if isinstance(name, ast.Name)}:
                    yield node.lineno


@pytest.mark.slow
def test_nobody_outside_looks_into_a_table():
    outside = [path for path in SOURCE.rglob("*.py") if not any(package in path.parents for package in INSIDE)]
    assert len(outside) > 80
    found = [f"{path.name}:{line}" for path in outside for line in trespasses(path.read_text(encoding="utf-8"))]
    assert found == []


@pytest.mark.parametrize(
    "line",
    ["table._made[0]", "x = table._origin", "crosstab(a, b)._kernel_cells", "isinstance(table, (int, EngineTable))"],
)
def test_the_test_would_see_it(line):
    assert list(trespasses(line)) == [1]
    assert not list(trespasses("self._made"))


def test_every_kind_answers_everything():
    asked = {name for name, value in vars(Contingency).items() if is_abstract(value)}
    assert {"to_memory", "profile", "joint", "best", "overlaps", "part", "census", "matching", "edits"} <= asked
    for kind in (CellTable, EngineTable):
        assert asked <= vars(kind).keys(), kind


def test_an_engine_has_statements_for_every_type_of_part():
    assert set(get_args(Selection)) == set(_FETCH)


def test_tables_know_no_sql():
    texts = {path.name: path.read_text(encoding="utf-8") for path in (SOURCE / "tables").glob("*.py")}
    assert len(texts) > 5
    assert [name for name, text in texts.items() if "SELECT " in text or "clustermark.engines" in text] == []


def is_abstract(value):
    return getattr(getattr(value, "fget", value), "__isabstractmethod__", False)
