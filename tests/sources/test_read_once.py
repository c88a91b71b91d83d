"""Every verb reads a source once, however many labelings it compares with it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import clustermark as cm
from clustermark.engines.adapters.duckdb import DuckDB
from needs import need

if TYPE_CHECKING:
    from collections.abc import Callable

N = 60
IDS = [f"r{place}" for place in range(N)]
TRUTH = [str(place // 4) for place in range(N)]
RUNS = {f"p{n}": [str((place + n) // 4) for place in range(N)] for n in range(1, 4)}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    need("duckdb")
    sampled = ["" if place % 4 == 0 else label for place, label in enumerate(TRUTH)]
    columns = {"truth": TRUTH, "sample": sampled, **RUNS}
    for name, labels in columns.items():
        rows = [f"{item},{label}" for item, label in zip(IDS, labels, strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,c", *rows]) + "\n")
    return {name: str(tmp_path / f"{name}.csv") for name in columns}


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    counts: Counter[str] = Counter()
    relation = DuckDB.relation

    def count(self: DuckDB, source: Any, reading: Any) -> Any:
        counts[Path(source).stem] += 1
        return relation(self, source, reading)

    monkeypatch.setattr(DuckDB, "relation", count)
    return counts


VERBS: dict[str, tuple[Callable[[dict[str, str]], Any], str]] = {
    "compare": (lambda f: cm.compare(f["truth"], {n: f[n] for n in RUNS}, ["rand"], on="id"), "truth p1 p2 p3"),
    "sweep": (
        lambda f: cm.sweep(f["truth"], {0.1 * n: f[f"p{n}"] for n in (1, 2, 3)}, ["rand"], on="id").at(0.1).points(),
        "truth p1 p2 p3",
    ),
    "similarity_matrix": (lambda f: cm.similarity_matrix({n: f[n] for n in RUNS}, on="id"), "p1 p2 p3"),
    "changes": (lambda f: cm.changes(f["p1"], f["p2"], on="id"), "p1 p2"),
    "changes with a truth": (lambda f: cm.changes(f["p1"], f["p2"], f["truth"], on="id"), "truth p1 p2"),
    "relabel": (lambda f: cm.relabel(f["p1"], f["p2"], on="id"), "p1 p2"),
    "estimate": (lambda f: cm.estimate(f["sample"], f["p1"], design="records", on="id"), "sample p1"),
    "questions": (lambda f: cm.questions(f["p1"], f["p2"], 5, on="id"), "p1 p2"),
    "evaluate": (lambda f: cm.evaluate(f["truth"], f["p1"], on="id"), "truth p1"),
}


@pytest.mark.parametrize("name", VERBS)
def test_every_source_is_read_once(name: str, files: dict[str, str], opened: Counter[str]) -> None:
    call, sources = VERBS[name]
    call(files)
    assert opened == Counter(sources.split())


def test_a_sweep_of_files_has_the_scores_and_points_of_labels(files: dict[str, str]) -> None:
    labels = dict(zip(IDS, TRUTH, strict=True))
    runs = {n: dict(zip(IDS, RUNS[f"p{n}"], strict=True)) for n in (1, 2, 3)}
    ours = cm.sweep(files["truth"], {n: files[f"p{n}"] for n in runs}, ["rand"], on="id", true="c", pred="c")
    theirs = cm.sweep(labels, runs, ["rand"])
    assert ours.to_dict() == theirs.to_dict()
    for n in runs:
        assert ours.at(n).points().to_dict() == theirs.at(n).points().to_dict()
