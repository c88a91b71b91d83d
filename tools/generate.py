"""Write the text that is generated from the registry; --check only compares.

A block begins with "generated: NAME" in a comment and ends with "end of generated". The number of indices is part of
sentences, as in "143 indices".
"""

import re
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from textwrap import fill

from clustermark import Contingency, UndefinedIndexError, catalogue, crosstab
from clustermark.compat.permetrics_methods import list_methods
from clustermark.engines.label_types import ENGINES, LABEL_TYPES
from clustermark.options import Declared, declared_options, describe
from clustermark.registry import Index, with_chosen_options
from clustermark.registry.facts import FAMILIES

ROOT = Path(__file__).resolve().parent.parent


def stub() -> str:
    """Return the imports of the indices for the stub of the package."""
    modules: dict[str, list[str]] = {}
    for index in catalogue("all"):
        modules.setdefault(index.__module__, []).append(f"{index.name} as {index.name}")
    return "\n".join(_pack(f"from {module} import (", names, ")") for module, names in modules.items())


def _pack(head: str, items: Sequence[str], end: str) -> str:
    """Wrap items between brackets to the line length."""
    text = ", ".join(item.replace(" ", "\0") for item in items)
    lines = fill(text, 119, initial_indent="    ", subsequent_indent="    ", break_long_words=False)
    return f"{head}\n{lines},\n{end}".replace("\0", " ")


def methods() -> str:
    """Return the types of the methods of `ClusteringMetric`, with the summaries of their indices."""
    lines = []
    for names, index, _, offered in list_methods():
        kind = "OfPoints" if index.comparison.name == "points" else "OfLabels"
        kind += f"With{offered.name.capitalize()}" if offered else ""
        first, *others = (f"    {name}: {kind}" for name in names)
        lines += [first, f'    """{index.summary}"""', *others]
    return "\n".join(lines)


def index_list() -> str:
    """Return the table of families, with the number of indices and the names of those in the panel."""
    rows = ["| family | indices | shown by default |", "|---|---|---|"]
    for family, title in FAMILIES.items():
        members = [index for index in catalogue("all") if index.facts.family == family]
        shown = ", ".join(f"`{index.name}`" for index in members if index.facts.panel)
        rows.append(
            f"| [{title}](docs/indices.md#{title.lower().replace(' ', '-')}) | {len(members)} | {shown or '–'} |"
        )
    return "\n".join(rows)


def index_pages() -> str:
    """Return the explanations of all indices, by family."""
    lines: list[str] = []
    for family in dict.fromkeys(index.facts.family for index in catalogue("all")):
        lines += ["", f"## {FAMILIES[family]}", ""]
        for index in catalogue("all"):
            if index.facts.family == family:
                lines += _page(index)
    return "\n".join(lines[1:])


def _page(index: Index[...]) -> list[str]:
    text, _, example = index.text.partition(">>>")
    options = str(index.__signature__).partition(" ->")[0]
    lines = [f"### {index.name}", "", f"`{index.name}{options}`", "", *text.rstrip().splitlines(), ""]
    lines += [
        "```python",
        *f">>> from clustermark import {index.name}\n>>>{example.rstrip()}".splitlines(),
        "",
        "```",
        "",
    ]
    theirs = "; ".join(f"{tool}: {', '.join(names)}" for tool, names in index.peers.items())
    said = [*index.sentences, *([f"In other tools: {theirs}."] if theirs else [])]
    return [*lines, f"- {index.heading}: `{index.formula}`", *(f"- {sentence}" for sentence in said), ""]


def peer_names() -> str:
    """Return the table of the names of our indices in other tools."""
    tools: dict[str, list[tuple[str, str]]] = {}
    for index in catalogue("all"):
        for tool, names in index.facts.peers.items():
            for text in names:
                name, options = with_chosen_options(text)
                tools.setdefault(tool, []).append((name, index.with_options(**options).label))
    rows = ["| tool | its name | ours |", "|---|---|---|"]
    rows += [
        f"| {tool} | `{theirs}` | `{ours}` |"
        for tool in sorted(tools, key=str.casefold)
        for theirs, ours in tools[tool]
    ]
    return "\n".join(rows)


DEGENERATE = {
    "one point": ([0], [0]),
    "identical singletons": ([0, 1, 2, 3], [0, 1, 2, 3]),
    "identical, one cluster": ([0, 0, 0, 0], [0, 0, 0, 0]),
    "truth one cluster, prediction singletons": ([0, 0, 0, 0], [0, 1, 2, 3]),
    "truth singletons, prediction one cluster": ([0, 1, 2, 3], [0, 0, 0, 0]),
}


def degenerate() -> str:
    """Return the table of all indices on extreme labelings of 4 points; values of undefined scores are in brackets."""
    tables = [crosstab(*labels) for labels in DEGENERATE.values()]
    rows = [["index", *DEGENERATE], ["---"] * (len(DEGENERATE) + 1)]
    rows += [[f"`{index.name}`", *(_degenerate_score(index, table) for table in tables)] for index in catalogue()]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _degenerate_score(index: Index[...], table: Contingency) -> str:
    score = f"{index.of(table):.6g}"
    try:
        index.strict.of(table)
    except UndefinedIndexError:
        return f"({score})"
    return score


def table_options() -> str:
    """Return the table of all options, in Python and on the command line."""
    rows = ["| Python | command line | |", "|---|---|---|"]
    for one in declared_options().values():
        rows.append(_option_row(one.name, one))
        rows += [_option_row(f"{one.name}={{'{key}': …}}", part) for key, part in one.parts.items()]
    return "\n".join(rows)


def _option_row(name: str, one: Declared) -> str:
    flags = " ".join(f"`{flag}`" for flag in one.flags)
    # the keys of a mapping have rows of their own
    meaning = f"{one.option.meaning}." if one.parts else describe(one)
    return f"| `{name}` | {flags} | {meaning.replace('|', '&#124;')} |"


def label_types() -> str:
    """Return the table of the types that labels and ids may have in each engine."""
    rows = [["type", *ENGINES.values()], ["---"] * (len(ENGINES) + 1)]
    for title, one in LABEL_TYPES.items():
        cells = [", ".join(one.names(engine)).replace('"', "") for engine in ENGINES]
        rows.append([title, *(cell or "–" for cell in cells)])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


BLOCKS: dict[tuple[str, str], Callable[[], str]] = {
    ("src/clustermark/__init__.pyi", "indices"): stub,
    ("src/clustermark/compat/permetrics_methods.pyi", "methods"): methods,
    ("README.md", "indices"): index_list,
    ("docs/degenerate.md", "degenerate"): degenerate,
    ("docs/indices.md", "pages"): index_pages,
    ("docs/program.md", "options"): table_options,
    ("docs/engines.md", "types"): label_types,
    ("docs/names.md", "names of peers"): peer_names,
}

COUNTED = ("README.md", "CHANGELOG.md", "docs/decisions.md")
"""Pages that contain the number of indices, once each."""


def recount(text: str) -> str:
    """Return the text with the current number of indices."""
    recounted, n = re.subn(r"\b\d+ indices\b", f"{len(catalogue())} indices", text)
    if n != 1:
        raise SystemExit(f"{n} texts such as '143 indices' on a page, expected one: {', '.join(COUNTED)}")
    return recounted


def fresh(text: str, name: str, block: str) -> str:
    """Return the text with the block of this name replaced."""
    pattern = re.compile(
        rf"(?P<head>^[^\n]*generated: {name}\b[^\n]*\n)(?P<body>.*?)(?P<tail>^[^\n]*end of generated)",
        re.DOTALL | re.MULTILINE,
    )
    replaced, n = pattern.subn(lambda match: f"{match['head']}{block}\n{match['tail']}", text)
    if n != 1:
        raise SystemExit(f"{n} blocks called {name!r}, expected one")
    return replaced


def main(arguments: list[str]) -> int:
    stale = []
    parts: list[tuple[str, str, Callable[[str], str]]] = [
        (path, name, partial(fresh, name=name, block=make())) for (path, name), make in BLOCKS.items()
    ]
    parts += [(path, "the number of indices", recount) for path in COUNTED]
    for path, name, renew in parts:
        file = ROOT / path
        text = file.read_text(encoding="utf-8")
        new = renew(text)
        if new != text:
            stale.append(f"{path}: {name}")
            if "--check" not in arguments:
                file.write_text(new, encoding="utf-8")
    if stale and "--check" in arguments:
        print("not fresh, run `make generate`:", *stale, sep="\n  ")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
