"""Labels, ids, names of columns, methods and files that are code elsewhere: they stay text in every medium."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import clustermark as cm

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

PIECES = [
    "<script>x()</script>", "</script>", "<!--", "-->", "]]>", "<img src=x onerror=x()>", '"', "'", '" onclick="x()',
    "`", "</textarea>", "</title>", "</style>", "<svg/onload=x()>", "javascript:x()", "&lt;b&gt;", "&#60;", "{{1}}",
    "${1}", "\\input{x}", "\\end{tabular}", "%", "$", "^^5c", "_{", "~", "#", "&", "\x1b[31m", "\x07", "\u2028",
    "\u202e", "\x85", "\r", "\n", "\t", "\\", "\\n", "|", "[a](javascript:x())", "<b>", "=1+1", "__proto__",
    "constructor", "a", "ä", "", "'; drop table t; --", "%s", "{0}", "\ud800", "*", ";", ",", " ",
]  # fmt: skip


class Page(HTMLParser):
    """The tags of a page, its attributes, and the texts of its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.links: list[str] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self._script: dict[str, str | None] | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value or "" for name, value in attrs if name in ("href", "src", "action", "srcdoc")]
        if tag == "script":
            self._script = dict(attrs)
            self.scripts.append((self._script, ""))

    def handle_data(self, data: str) -> None:
        if self._script is not None:
            self.scripts[-1] = (self._script, self.scripts[-1][1] + data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self._script = None


def name(rng: random.Random) -> str:
    return "".join(rng.choice(PIECES) for _ in range(rng.choice([1, 1, 2, 4])))


def names(rng: random.Random, n: int) -> list[str]:
    """Return different names that no function refuses; a lone surrogate is no text for most of them."""
    found: dict[str, None] = {}
    while len(found) < n:
        made = name(rng).replace("\ud800", "") + rng.choice(["", str(len(found))])
        if made.strip():
            found[made] = None
    return list(found)


PLAIN = [f"name{place}" for place in range(40)]


def evaluated(n: list[str]) -> Any:
    true = {n[10 + i]: n[i % 4] for i in range(20)}
    pred = {n[10 + i]: n[4 + (i * i + i // 3) % 5] for i in range(20)}
    return cm.evaluate(true, pred)


def compared(n: list[str]) -> Any:
    true = [n[i % 3] for i in range(20)]
    return cm.compare(true, {n[9]: [n[3 + i % 4] for i in range(20)], n[8]: true}, ["rand", "b_cubed_f"])


def changed(n: list[str]) -> Any:
    return cm.changes({n[20 + i]: n[i // 4] for i in range(16)}, {n[20 + i]: n[(i + i // 3) % 5] for i in range(16)})


def described(n: list[str]) -> Any:
    labels = [n[i // 3] for i in range(12)]
    return cm.describe(labels, {n[30]: [n[20 + i % 5] for i in range(12)], n[31]: labels[::-1]})


def swept(n: list[str]) -> Any:
    pairs = [n[i % 9] for i in range(20)], [n[(i * 7 + 3) % 11] for i in range(20)], [i / 20 for i in range(20)]
    return cm.sweep_pairs({n[i]: n[20 + i % 3] for i in range(11)}, pairs)


def asked(n: list[str]) -> Any:
    old, new = ({n[20 + i]: n[(i + step * (i // 3)) % 4] for i in range(18)} for step in (0, 1))
    return cm.questions(old, new, n=4)


def of_points(n: list[str]) -> Any:
    return cm.evaluate_internal([[i % 5, i * i % 7] for i in range(20)], [n[i % 3] for i in range(20)])


RESULTS: dict[str, Callable[[list[str]], Any]] = {
    "evaluate": evaluated,
    "repairs": lambda n: evaluated(n).repairs(3),
    "merges": lambda n: evaluated(n).merges(),
    "compare": compared,
    "matrix": lambda n: cm.similarity_matrix({n[0]: [n[i % 3] for i in range(9)], n[1]: [n[i % 4] for i in range(9)]}),
    "changes": changed,
    "describe": described,
    "sweep": swept,
    "questions": asked,
    "internal": of_points,
}
SEEN: dict[str, Page] = {}


def fuzz_media(rng: random.Random) -> None:
    """A page has the tags, attributes and scripts that it has with plain names; other media stay what they are."""
    kind = rng.choice(list(RESULTS))
    if kind not in SEEN:
        SEEN[kind] = Page(RESULTS[kind](PLAIN).to_html())
    result = RESULTS[kind](names(rng, 40))
    page, plain = Page(result.to_html()), SEEN[kind]
    assert page.tags <= plain.tags | {"br", "wbr"}, page.tags - plain.tags
    assert not {one for one in page.attributes if one.startswith("on")} - plain.attributes
    assert all(re.match(r"#|data:image/|https://(doi\.org|.*github)|$", link) for link in page.links), page.links
    assert len(page.scripts) == len(plain.scripts)
    for (facts, text), (_, usual) in zip(page.scripts, plain.scripts, strict=True):
        if "json" in (facts.get("type") or ""):
            json.loads(text)
        else:
            assert text == usual
    text = result.to_text() if hasattr(result, "to_text") else str(result)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", text), re.search(
        r".{9}[\x00-\x08\x0b-\x1f\x7f-\x9f].{9}", text
    )
    for line in result.to_latex().split("\n"):
        assert line.startswith("%") or "\\input{" not in line, line
    json.loads(result.to_json())
    result.to_csv()
    result.to_markdown()


REFUSED = r"case only|carriage|is not one of its columns|holds no points|not a regular CSV|takes for a pattern"


def fuzz_files(rng: random.Random) -> None:
    """Names of files and columns are found as they are, and nothing else is made in the folder."""
    import csv

    true, pred, ids = names(rng, 3)
    folder = Path("named").absolute()
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    clean = re.sub(r"[/\x00\r\n*?\[\]]", "", names(rng, 1)[0])[:100] or "x"
    path = folder / f"{clean}.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([(ids, true, pred), ("1", "a", "x"), ("2", "a", "y")])
    engine = rng.choice(["duckdb", "polars", "datafusion"])
    try:
        found = cm.evaluate(str(path), true=true, pred=pred, engine=engine)
    except cm.ClustermarkError as error:
        assert re.search(REFUSED, str(error)), (path, true, pred, ids, engine, error)
    else:
        assert (found.table.n_used, found["b_cubed_f"]) == (2, 2 / 3)
    assert [one.name for one in folder.iterdir()] == [path.name]


FUZZERS = {"media": fuzz_media, "names-of-files": fuzz_files}
