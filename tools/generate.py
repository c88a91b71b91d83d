"""Write the blocks that are generated from the registry, between their markers; --check only compares.

A block begins with "generated: NAME" in a comment and ends with "end of generated".
"""

import re
import sys
from collections.abc import Callable
from inspect import Parameter
from pathlib import Path

from clustermark import catalogue, indices
from clustermark.facts import interval
from clustermark.registry import Index

assert indices.__all__  # importing the room of indices declares them all

ROOT = Path(__file__).resolve().parent.parent
PUBLIC = [
    "ClusteringMetric",
    "Contingency",
    "Evaluation",
    "Index",
    "InputError",
    "PairCounts",
    "Profile",
    "UndefinedIndexError",
    "UnsupportedTableError",
    "catalogue",
    "concentration",
    "crosstab",
    "evaluate",
    "evaluate_table",
    "find",
    "jaccard_concentration_index",
]


def imports() -> str:
    modules: dict[str, list[str]] = {}
    for index in catalogue():
        modules.setdefault(index.__module__, []).append(index.name)
    lines = [
        f"from {module} import (\n" + "".join(f"    {name},\n" for name in sorted(names)) + ")"
        for module, names in sorted(modules.items())
    ]
    return "\n".join([*lines, ""])  # the formatter wants a blank line before the closing comment


def names() -> str:
    public = sorted([*PUBLIC, *(index.name for index in catalogue())])
    return "__all__ = [\n" + "".join(f'    "{name}",\n' for name in public) + "]"


def methods() -> str:
    return "\n\n".join(_method(index) for index in catalogue() if "permetrics" in index.facts.peers)


def _method(index: Index[...]) -> str:
    first, *others = index.facts.peers["permetrics"]
    options = [p for p in index.__signature__.parameters.values() if p.kind is Parameter.KEYWORD_ONLY]
    declared = "".join(f"        {p.name}: {type(p.default).__name__} = {p.default!r},\n" for p in options)
    passed = "".join(f", {p.name}={p.name}" for p in options)
    summary = (index.__doc__ or "").partition("\n")[0]
    lines = [
        f"    def {first}(",
        "        self,",
        "        y_true: Labels = None,",
        "        y_pred: Labels = None,",
        *declared.rstrip("\n").split("\n"),
        "        force_finite: bool | None = None,",
        "        finite_value: float | None = None,",
        "        *,",
        "        X: object = None,",
        "    ) -> float:",
        f'        """{summary}"""',
        f'        return self._score("{index.name}", (y_true, y_pred), X, force_finite, finite_value{passed})',
    ]
    aliases = [f"    {other} = {first}" for other in others]
    return "\n".join([line for line in lines if line] + (["", *aliases] if aliases else []))


def index_list() -> str:
    rows = ["| index | also | range | formula |", "|---|---|---|---|"]
    rows += [
        f"| `{i.name}` | {i.facts.abbreviation} | {interval(i.facts.bounds)} | `{i.facts.formula}` |"
        for i in catalogue()
    ]
    return "\n".join(rows)


BLOCKS: dict[tuple[str, str], Callable[[], str]] = {
    ("src/clustermark/__init__.py", "imports"): imports,
    ("src/clustermark/__init__.py", "names"): names,
    ("src/clustermark/compat/permetrics.py", "methods"): methods,
    ("README.md", "indices"): index_list,
}


def fresh(text: str, name: str, block: str) -> str:
    """The text with the block of this name replaced."""
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
    for (path, name), make in BLOCKS.items():
        file = ROOT / path
        text = file.read_text(encoding="utf-8")
        new = fresh(text, name, make())
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
