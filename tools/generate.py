"""Write what is generated from the registry; --check only compares.

A block begins with "generated: NAME" in a comment and ends with "end of generated". The number of indices stands in
running text, as in "143 indices".
"""

import json
import re
import sys
from collections.abc import Callable, Sequence
from functools import partial
from inspect import Parameter
from pathlib import Path
from textwrap import fill

from clustermark import Contingency, UndefinedIndexError, catalogue, crosstab
from clustermark.engines.label_types import ENGINES, LABEL_TYPES
from clustermark.options import Declared, declared_options, describe
from clustermark.registry import Index, with_chosen_options
from clustermark.registry.facts import FAMILIES

ROOT = Path(__file__).resolve().parent.parent
PUBLIC = {
    "BestInterval": "evaluation.sweeps.optimism",
    "BkCurve": "evaluation.hierarchies",
    "Calibration": "evaluation.sweeps.accounts",
    "Changes": "releases.before_after",
    "Choice": "evaluation.sweeps.curves",
    "ClusterRow": "diagnosis.cluster_table",
    "Confusion": "diagnosis.confusions",
    "Confusions": "diagnosis.confusions",
    "Description": "evaluation.description",
    "GroupTable": "diagnosis.quality",
    "Quality": "diagnosis.quality",
    "Subgroup": "diagnosis.subgroups",
    "Subgroups": "diagnosis.subgroups",
    "describe": "evaluation.description",
    "ClusterTable": "diagnosis.cluster_table",
    "ClusteringMetric": "compat.permetrics",
    "ClustermarkError": "errors",
    "ClustermarkWarning": "errors",
    "Comparison": "evaluation.ranking.comparison",
    "Contingency": "tables.contingency",
    "Cover": "subjects.covers",
    "CoverEvaluation": "evaluation.covers",
    "CoverTable": "subjects.covers",
    "DataSetComparison": "evaluation.ranking.data_sets",
    "Difference": "evaluation.ranking.differences",
    "Differences": "evaluation.ranking.differences",
    "EngineError": "errors",
    "ErrorList": "diagnosis.error_list",
    "ErrorRow": "diagnosis.error_list",
    "Member": "diagnosis.members",
    "Members": "diagnosis.members",
    "RecordPair": "diagnosis.members",
    "RecordTable": "diagnosis.record_tables",
    "Evaluation": "evaluation.evaluation",
    "PartitionEvaluation": "evaluation.partitions",
    "FalseMerge": "evaluation.sweeps.accounts",
    "FalseMerges": "evaluation.sweeps.accounts",
    "Geometry": "subjects.geometry",
    "Index": "registry",
    "InputError": "errors",
    "InternalEvaluation": "evaluation.internal.results",
    "Losses": "evaluation.sweeps.accounts",
    "Leaderboard": "evaluation.ranking.leaderboard",
    "MatchedPoints": "statistics.matching",
    "OverlapMap": "diagnosis.overlap_map",
    "PairCounts": "statistics.pairs",
    "PairSweep": "evaluation.sweeps.pair_sweep",
    "Piece": "diagnosis.repairs.wording",
    "Repair": "diagnosis.repairs.repair_list",
    "Repairs": "diagnosis.repairs.repair_list",
    "Part": "diagnosis.error_list",
    "FewMatchesWarning": "errors",
    "NoiseWarning": "errors",
    "PluginWarning": "errors",
    "PointRecord": "diagnosis.point_table",
    "PointRow": "diagnosis.point_table",
    "PointSweep": "evaluation.sweeps.points",
    "PointTable": "diagnosis.point_table",
    "Profile": "tables.profile",
    "RawPairs": "evaluation.sweeps.accounts",
    "Relabeled": "releases.lasting_ids",
    "Score": "report.record",
    "SimilarityMatrix": "evaluation.similarities",
    "Sweep": "evaluation.sweeps.labelings",
    "SoftClustering": "subjects.soft",
    "SoftEvaluation": "evaluation.soft.evaluation",
    "SoftPair": "subjects.soft",
    "Stability": "evaluation.internal.recurrence",
    "Standing": "evaluation.ranking.leaderboard",
    "Tree": "subjects.tree",
    "TreeDistances": "subjects.trees",
    "TreeEvaluation": "evaluation.hierarchies",
    "TreePairEvaluation": "evaluation.hierarchies",
    "TreeLabels": "subjects.trees",
    "TreePair": "subjects.trees",
    "TreeSimilarities": "subjects.trees",
    "UndefinedIndexError": "errors",
    "UnsupportedTableError": "errors",
    "bk_curve": "evaluation.hierarchies",
    "catalogue": "registry",
    "changes": "releases.before_after",
    "compare": "evaluation.ranking.contest",
    "compare_datasets": "evaluation.ranking.data_sets",
    "concentration": "compat.jci",
    "crosstab": "sources.crosstab",
    "Estimates": "releases.estimated_scores",
    "Plan": "releases.estimated_scores",
    "estimate": "releases.estimation",
    "evaluate": "evaluation.partitions",
    "evaluate_covers": "evaluation.covers",
    "evaluate_internal": "evaluation.internal.evaluation",
    "evaluate_soft": "evaluation.soft.evaluation",
    "evaluate_table": "evaluation.partitions",
    "evaluate_trees": "evaluation.hierarchies",
    "AdjustedIndex": "registry.adjustment",
    "AdjustedScore": "registry.adjustment",
    "ChanceTest": "uncertainty.significance",
    "chance_test": "uncertainty.significance",
    "Interval": "uncertainty.interval",
    "Intervals": "uncertainty.interval",
    "score_interval": "uncertainty.interval",
    "find": "registry",
    "index": "registry",
    "jaccard_concentration_index": "compat.jci",
    "json_schema": "results.schema",
    "plan": "releases.estimated_scores",
    "Judgements": "releases.judgements.judgement_results",
    "Questions": "releases.judgements.questionnaire",
    "judge": "releases.judgements.judging",
    "questions": "releases.judgements.asking",
    "read_evaluation": "evaluation.evaluation",
    "relabel": "releases.lasting_ids",
    "similarity_matrix": "evaluation.similarities",
    "stability": "evaluation.internal.recurrence",
    "sweep": "evaluation.sweeps.labelings",
    "sweep_pairs": "evaluation.sweeps.closing",
}
"""The public names that are no indices, and the rooms they live in."""


def imports() -> str:
    modules: dict[str, list[str]] = {}
    for name, room in PUBLIC.items():
        modules.setdefault(f"clustermark.{room}", []).append(name)
    for index in catalogue("all"):
        modules.setdefault(index.__module__, []).append(index.name)
    return "\n".join(
        _pack(f"    from {module} import (", sorted(names), ")") for module, names in sorted(modules.items())
    )


def _pack(head: str, items: Sequence[str], end: str) -> str:
    """Items between brackets, as many as fit on each line."""
    indent = " " * (len(head) - len(head.lstrip()) + 4)
    text = fill(", ".join(items), 119, initial_indent=indent, subsequent_indent=indent, break_long_words=False)
    return f"{head}\n{text},\n{indent[4:]}{end}"


def names() -> str:
    public = sorted([*PUBLIC, *(index.name for index in catalogue("all"))])
    return _pack("__all__ = [", [f'"{name}"' for name in public], "]")


def homes() -> str:
    return _pack("_HOMES = {", [f'"{name}": "{PUBLIC[name]}"' for name in sorted(PUBLIC)], "}")


def index_homes() -> str:
    names: dict[str, list[str]] = {}
    for index in catalogue("all"):
        home = index.__module__.removeprefix("clustermark.indices.")
        names.setdefault(home, []).extend(json.dumps(name, ensure_ascii=False) for name in index.own_names)
    told = [_pack(f'    "{home}": (', own, "),") for home, own in names.items()]
    panel = [f'"{index.name}"' for index in catalogue() if index.panel]
    return "\n".join(["NAMES = {", *told, "}", _pack("PANEL = (", panel, ")")])


def methods() -> str:
    indices = [*catalogue(), *(index for index in catalogue("points") if index.name not in BY_HAND)]
    return "\n\n".join(_method(index) for index in indices if "permetrics" in index.facts.peers)


BY_HAND = ("ksq_detw", "dunn", "silhouette", "dbcv")
"""The indices whose method there takes more; compat/permetrics_internal.py has them."""


def _method(index: Index[...]) -> str:
    named = [with_chosen_options(text) for text in index.facts.peers["permetrics"]]
    first, chosen = named[0]
    others = [name for name, _ in named[1:]]
    every = index.__signature__.parameters.values()
    options = [p for p in every if p.kind is Parameter.KEYWORD_ONLY and p.name not in index.comparison.options]
    offered = [p for p in options if p.name not in chosen and p.default is not None]
    offered = [] if index.comparison.name == "points" else offered
    declared = "".join(
        f"        {p.name}: {type(p.default).__name__} = {_double_quoted(p.default)},\n" for p in offered
    )
    points = index.comparison.name == "points"
    inputs = ["X", "y_pred"] if points else ["(y_true, y_pred)"]
    passed = [f'"{index.name}"', *inputs, "force_finite", "finite_value"]
    passed += [f'"{first}"'] if points else []
    passed += [f"{p.name}={p.name}" for p in offered]
    passed += [f"{name}={_double_quoted(value)}" for name, value in chosen.items()]
    lines = [
        f"    def {first}(",
        "        self,",
        "        X: Any = None," if index.comparison.name == "points" else "        y_true: Labels | None = None,",
        "        y_pred: Labels | None = None,",
        *declared.rstrip("\n").split("\n"),
        "        force_finite: bool | None = None,",
        "        finite_value: float | None = None,",
        "        **_: Any,",
        "    ) -> float:",
        f'        """{index.summary}"""',
        _call(f"        return self._score{'_points' if points else ''}", passed),
    ]
    aliases = [f"    {other} = {first}" for other in others]
    return "\n".join([line for line in lines if line] + (["", *aliases] if aliases else []))


def _double_quoted(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _call(function: str, arguments: list[str]) -> str:
    """A call as the formatter leaves it: on one line if that is short enough, else a line for each argument."""
    line = f"{function}({', '.join(arguments)})"
    if len(line) <= 120:
        return line
    return "\n".join([f"{function}(", *(f"            {argument}," for argument in arguments), "        )"])


def index_list() -> str:
    """The families, how many indices each has, and those of the panel by name."""
    rows = ["| family | indices | shown by default |", "|---|---|---|"]
    for family, title in FAMILIES.items():
        members = [index for index in catalogue("all") if index.facts.family == family]
        shown = ", ".join(f"`{index.name}`" for index in members if index.facts.panel)
        rows.append(
            f"| [{title}](docs/indices.md#{title.lower().replace(' ', '-')}) | {len(members)} | {shown or '–'} |"
        )
    return "\n".join(rows)


def index_pages() -> str:
    """Every index explained, by family."""
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
    """What other tools call our indices, tool by tool."""
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
    """Every index on labelings at the edge, with 4 points; an undefined value that a rule decided is in brackets."""
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
    """Every option of the table, in Python and on the command line."""
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
    """The types that labels and ids may have, engine by engine."""
    rows = [["type", *ENGINES.values()], ["---"] * (len(ENGINES) + 1)]
    for title, one in LABEL_TYPES.items():
        cells = [", ".join(one.names(engine)).replace('"', "") for engine in ENGINES]
        rows.append([title, *(cell or "–" for cell in cells)])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


BLOCKS: dict[tuple[str, str], Callable[[], str]] = {
    ("src/clustermark/__init__.py", "imports"): imports,
    ("src/clustermark/__init__.py", "names"): names,
    ("src/clustermark/__init__.py", "homes"): homes,
    ("src/clustermark/registry/homes.py", "indices"): index_homes,
    ("src/clustermark/compat/permetrics_methods.py", "methods"): methods,
    ("README.md", "indices"): index_list,
    ("docs/degenerate.md", "degenerate"): degenerate,
    ("docs/indices.md", "pages"): index_pages,
    ("docs/program.md", "options"): table_options,
    ("docs/engines.md", "types"): label_types,
    ("docs/names.md", "names of peers"): peer_names,
}

COUNTED = ("README.md", "CHANGELOG.md", "docs/decisions.md")
"""The pages that tell how many indices there are, once each."""


def recount(text: str) -> str:
    """The text with the number of indices as it is now."""
    recounted, n = re.subn(r"\b\d+ indices\b", f"{len(catalogue())} indices", text)
    if n != 1:
        raise SystemExit(f"{n} texts such as '143 indices' on a page, expected one: {', '.join(COUNTED)}")
    return recounted


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
