"""Documents in every medium: text, notebook, Markdown, LaTeX and the page."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import fields
from pathlib import Path
from typing import ClassVar

import pytest

import clustermark as cm
from clustermark.errors import Mention
from clustermark.evaluation.differences import DIFFERENCE, MARGIN, Difference
from clustermark.evaluation.leaderboard import STANDING, Standing
from clustermark.results.canvas import Drawn
from clustermark.results.data import Column, Table
from clustermark.results.document import (
    SUMMARY,
    Cell,
    Chart,
    Code,
    Count,
    Document,
    Facts,
    Grid,
    Head,
    Heading,
    KeyNumber,
    Name,
    Notes,
    Noun,
    Section,
    Value,
)
from clustermark.results.html import Html, fill, fragment, h
from clustermark.results.result import Result
from clustermark.results.schema import declared, result_schema
from clustermark.results.text import document_text
from needs import need

HOSTILE = "<script>alert(1)</script> & $x_1$ |"
SOURCE = Path(cm.__file__).parent


class Fruit(Result):
    """A result with everything that a document can hold."""

    KIND = "fruit"
    FACTS: ClassVar = {"n": Column("count"), "note": Column("text", sometimes=True)}
    TABLES: ClassVar = {
        "rows": {
            "name": Column("label"),
            "score": Column("score", optional=True),
            "tags": Column("texts"),
            "scores": Column("scores"),
            "parts": Column("rows", rows={"size": Column("count")}),
            "grid": Column("count", within=("map", "list")),
        }
    }
    MAIN = "rows"

    def __init__(self, n: int = 3) -> None:
        self.n = n

    def facts(self):
        return {"n": self.n}

    def tables(self):
        rows = [
            {"name": HOSTILE, "score": 0.123456, "tags": ["a", "b"], "scores": {"rand": 1.0}, "parts": [{"size": 1}],
             "grid": {"a": [1]}},
            {"name": None, "score": None, "tags": [], "scores": {"dice": 0.5}, "parts": [], "grid": {}},
        ]  # fmt: skip
        return {"rows": Table(self.TABLES["rows"], rows)}

    def document(self, view=SUMMARY):
        heads = [
            Head("name", "label"),
            Head("score", "score", "S", "Long score"),
            Head("seen", "count", level="detail"),
        ]
        rows = [[Name(HOSTILE, "true"), Cell(0.5, 0.25, 0.75, strong=True, bar=0.5, note="good"), 1200]]
        rows += [[place, -0.25, place] for place in range(self.n)]
        return Document(
            title="Fruit <1>",
            headline=[Count(2, "fruit"), "; ", Noun()],
            verdict=[Name(HOSTILE), " is best: ", Value(0.123456), ", ", Value(0.5, "score", 0.4, 0.6)],
            next_step=["pass ", Mention("missing", "drop")],
            key_numbers=[KeyNumber("fruits", 2, note=[Name("x")])],
            notices=["take care"],
            noun="record",
            short="good",
            sided=True,
            address=lambda name: "#here" if name.side else None,
            sections=[
                Section("main", "Main", lambda: [Grid(heads, rows, "Fruits"), Notes([["about ", Name("y")]])], "Lead",
                        "summary"),
                Section("none", "Nothing", list),
                Section(
                    "more",
                    "More",
                    lambda: [
                        Heading("Sub"),
                        ["said of ", Count(1)],
                        Code("a < b"),
                        Facts("Settings", {"x": {1: "drop"}}),
                        Facts("Counts", {"y": 1200}, "count"),
                        Grid(heads, [], "Empty", empty="there are none"),
                        Chart("chart", (3, 2), lambda ax: Drawn("Title <", "note", {}), alone=True),
                    ],
                ),
            ],
        )  # fmt: skip


def test_text_has_the_summary():
    text = str(Fruit())
    assert text == document_text(Fruit().document())
    assert text.splitlines() == [
        "2 fruits; records",
        "<script>alert(1)</s…t> & $x_1$ | is best: 0.12, 0.5000 [0.4000, 0.6000]",
        "next: pass missing='drop'",
        "note: take care",
        "name                                                      score   seen",
        "<script>alert(1)</s…t> & $x_1$ |   0.5000 [0.2500, 0.7500] good  1,200",
        "0                                 -0.2500                            0",
        "1                                 -0.2500                            1",
        "2                                 -0.2500                            2",
        "about y",
    ]


def test_long_tables_are_cut_and_counted():
    assert "… and 41 more" in repr(Fruit(100))
    assert "… and 1 more" in Fruit(100)._repr_html_()
    assert "| 99 |" in Fruit(100).to_markdown()


def test_html_is_escaped_wherever_a_name_stands():
    for shown in (Fruit()._repr_html_(), Fruit().to_html()):
        assert "<script" not in shown
        assert "&lt;script&gt;" in shown
        assert "<b>0.5000</b> [0.2500, 0.7500] good" in shown
        assert "background:linear-gradient" in shown


def test_markdown_has_all_sections():
    text = Fruit().to_markdown()
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        "# Fruit \\<1\\>",
        "## Main",
        "## More",
        "### Sub",
    ]
    assert r"`<script>alert(1)</script> & $x_1$ \|` | **0.5000" in text
    assert r"**`<script>alert(1)</script> & $x_1$ |` is best" in text
    assert "**0.5000 \\[0.2500, 0.7500\\] good**" in text
    assert "Next: pass missing='drop'" in text
    assert "there are none" in text
    assert "- x: 1: drop" in text


def test_latex_is_bold_for_the_one_best_and_leaves_out_details():
    text = Fruit().to_latex()
    assert "name & S \\\\" in text
    assert r"{\boldmath\bfseries $0.50 \pm 0.25$ good}" in text
    assert "$-0.25$" in text
    assert r"\textless{}script" in text
    assert "% about y" in text
    assert "0.5000" in Fruit().to_latex(digits=4)


def test_the_page_is_whole():
    need("matplotlib")
    page = Fruit(100).report("A <title>")
    assert "<h1>A &lt;title&gt;</h1>" in page
    assert "<script>alert" not in page
    assert '<a class="to" href="#here"><bdi>true &lt;script' in page
    assert 'id="none"' not in page
    assert "The first 50 of 101 rows." in page
    rows = json.loads(re.findall(r'id="rows">(.*?)</script>', page)[0])["more"]
    assert len(rows["main-0-rows"]) == 51
    assert rows["main-0-rows"][-1] == ["99", "−0.2500", "99"]
    data = json.loads(re.findall(r'id="data">(.*?)</script>', page)[0])
    assert data == json.loads(Fruit(100).to_json())
    assert page == Fruit(100).report("A <title>")


def test_json_csv_and_schema_follow_from_the_declaration():
    made = json.loads(Fruit().to_json())
    assert list(made) == ["kind", "schema", "version", "n", "rows"]
    assert made["rows"][0]["parts"] == [{"size": 1}]
    assert made["rows"][1]["score"] is None
    header, first, second = Fruit().to_csv().splitlines()
    assert header == "name,score,tags,rand,dice"
    assert first.endswith(",0.123456,a; b,1.0,")
    assert second == ",,,,0.5"
    definition = result_schema(Fruit)
    assert definition["required"] == ["n", "rows"]
    columns = definition["properties"]["rows"]["items"]["properties"]
    assert columns["score"] == {"anyOf": [{"$ref": "#/$defs/number"}, {"type": "null"}]}
    assert columns["grid"]["additionalProperties"] == {"type": "array", "items": {"$ref": "#/$defs/count"}}
    validate = need("jsonschema").validate
    whole = {"$defs": cm.json_schema()["$defs"]} | definition
    validate(made, whole)
    made["rows"][0]["parts"] = [{"size": -1}]
    with pytest.raises(need("jsonschema").ValidationError):
        validate(made, whole)


def test_files_are_not_overwritten(tmp_path):
    for write in (Fruit().write_json, Fruit().write_csv, Fruit().write_markdown, Fruit().write_latex):
        path = tmp_path / write.__name__
        write(path)
        with pytest.raises(cm.InputError, match="exists already"):
            write(path)
        write(path, overwrite=True)
        assert path.read_text(encoding="utf-8")


def test_html_is_escaped_by_construction():
    assert h("p", "<b>", h("i", 1, None), title='"', hidden=True, lang=None) == (
        '<p title="&quot;" hidden>&lt;b&gt;<i>1</i></p>'
    )
    assert h("br") == "<br>"
    assert fragment(["a", Html("<b>")]) == "a<b>"
    assert fragment("<p>" + h("b", "x")) == "&lt;p&gt;&lt;b&gt;x&lt;/b&gt;"  # a text that was joined is no Html
    with pytest.raises(TypeError, match="slot must be Html"):
        fill("$slot", {"slot": "text"})


MODULES = sorted(SOURCE.rglob("*.py"))
NO_TAGS = {"<index ", "<formula>"}
"""The beginning of the repr of an index, and the name of code that is compiled."""
MAKERS = {"results/html.py", "results/page.py", "releases/judgements/questions_document.py"}
"""Modules that may call a text HTML: the elements, the frame of the page, the sheet for judges."""


def tree_of(module: Path):
    return ast.parse(module.read_text(encoding="utf-8"))


def tags_in(module: Path):
    """The texts of a module that hold a tag, parts of f-strings too, its docstrings apart."""
    tree = tree_of(module)
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone
    ]
    before_names = [
        part.value
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
        if isinstance(part, ast.Constant) and part.value.endswith("<")
    ]
    return before_names + [text for text in texts if re.search("<(?:[a-z/]|!-|!D)", text) and text not in NO_TAGS]


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_tags_in_texts(module):
    assert bool(tags_in(module)) == (module == SOURCE / "results" / "html.py")


@pytest.mark.parametrize("text", ['f"<td>{1}</td>"', 'f"{1}</td>"', '"<b>x" + y', 'f"<{tag} id=3>"', '"<!-- x"'])
def test_tags_in_texts_would_be_found(tmp_path, text):
    module = tmp_path / "wrong.py"
    module.write_text(f'"""<b> in a docstring."""\nx = {text}\n')
    assert tags_in(module)


def test_no_text_is_called_html_but_by_those_that_make_it():
    def calls(module: Path):
        return any(
            isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Html" and node.args
            for node in ast.walk(tree_of(module))
        )

    assert {str(module.relative_to(SOURCE)) for module in MODULES if calls(module)} == MAKERS


@pytest.mark.parametrize(("row", "columns"), [(Standing, STANDING), (Difference, DIFFERENCE)])
def test_declared_columns_are_the_fields_of_the_rows(row, columns):
    assert [field.name for field in fields(row) if field.name not in MARGIN] == list(columns)


def test_tables_are_not_called_like_facts_that_all_kinds_share():
    classes = declared()
    assert {"comparison", "matrix", "leaderboard", "differences"} <= {one.KIND for one in classes}
    for one in classes:
        assert not {*one.TABLES} & {*one.FACTS, "points", "clusters", "noise", "notices", "settings"}, one
        assert one.MAIN
