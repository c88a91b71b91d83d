"""The examples of the documentation for adding a result and a command."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from needs import need

PAGE = Path(__file__).parents[2] / "docs" / "architecture.md"


def shown(start: str) -> str:
    """The code of the page that starts so."""
    page = PAGE.read_text(encoding="utf-8")
    (code,) = re.findall(rf"```python\n({re.escape(start)}.*?)```", page, re.DOTALL)
    return code


def test_the_example_has_every_medium():
    need("matplotlib")
    code = shown("from clustermark.results")
    assert len(code.splitlines()) < 80
    names: dict = {}
    exec(code, names)
    made = names["Sizes"]({"a": 1, "<b>": 3})
    assert str(made).splitlines() == [
        "2 clusters of 4 points",
        "<b> is the largest, with 75.0% of the points.",
        "cluster  points  share",
        "<b>           3  75.0%",
        "a             1  25.0%",
    ]
    assert json.loads(made.to_json())["sizes"][0] == {"cluster": "<b>", "size": 3, "share": 0.75}
    assert made.to_csv() == "cluster,size,share\n<b>,3,0.75\na,1,0.25\n"
    assert "| `a` | 1 | 25.0% |" in made.to_markdown()
    assert r"a & 1 & 25.0\% \\" in made.to_latex()
    assert "&lt;b&gt;" in made.to_html()
    assert "<svg" in made.report()


@pytest.mark.slow
def test_the_example_of_a_command_writes_every_format(tmp_path, capsys):
    for package in ("click", "rich", "matplotlib", "duckdb"):
        need(package)
    from clustermark.cli.run import EVERY_FORMAT
    from clustermark.errors import InputError

    names: dict = {}
    exec(shown("from clustermark.results"), names)
    exec(shown("import click"), names)
    file = tmp_path / "data.csv"
    file.write_text("id,cluster\n1,x\n2,y\n3,y\n", encoding="utf-8")

    def written(*options: str) -> str:
        names["sizes"].main([str(file), *options], standalone_mode=False)
        return capsys.readouterr().out

    assert "y is the largest, with 66.7% of the points." in written("--pred", "cluster")
    assert all(written("--pred", "cluster", "-f", shape).strip() for shape in EVERY_FORMAT)
    with pytest.raises(InputError, match="is not one of its columns; did you mean 'cluster'"):
        written("--pred", "clusters")
