"""The example of the documentation for adding a result."""

from __future__ import annotations

import json
import re
from pathlib import Path

from needs import need

PAGE = Path(__file__).parents[2] / "docs" / "architecture.md"


def test_the_example_has_every_medium():
    need("matplotlib")
    (code,) = re.findall(r"```python\n(from clustermark.results.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
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
