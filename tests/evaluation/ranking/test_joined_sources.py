"""Predictions of other sources, joined with the truth by id, are compared as the same labels in memory are."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clustermark as cm
from clustermark.engines.adapters.duckdb import DuckDB
from needs import need

RNG = np.random.default_rng(2)
N = 60
IDS = [f"r{place}" for place in range(N)]
TRUTH = RNG.integers(0, 4, N).astype(str).tolist()
RUNS = {
    name: [label if RNG.random() > share else str(RNG.integers(0, 4)) for label in TRUTH]
    for name, share in (("one", 0.1), ("other", 0.4))
}
WANTED = cm.compare(TRUTH, RUNS, ["rand"])


def rows_of(comparison: cm.Comparison) -> list[Any]:
    return [(row.first, row.difference, round(row.standard_error, 9)) for row in comparison.differences()]


def write(path: Path, columns: dict[str, list[str]]) -> str:
    lines = [",".join(columns), *(",".join(row) for row in zip(*columns.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    need("duckdb")
    turned = {name: labels[::-1] for name, labels in RUNS.items()}
    groups = [str(place % 20) for place in range(N)]
    return {
        "truth": write(tmp_path / "truth.csv", {"id": IDS, "t": TRUTH, "g": groups}),
        "both": write(tmp_path / "both.csv", {"id": IDS[::-1]} | turned),
        **{name: write(tmp_path / f"{name}.csv", {"id": IDS[::-1], "p": turned[name]}) for name in RUNS},
    }


def test_columns_of_another_file(files: dict[str, str]):
    ranked = cm.compare(files["truth"], files["both"], ["rand"], on="id", true="t", pred=["one", "other"])
    assert rows_of(ranked) == rows_of(WANTED)
    assert ranked.predictions.settings == {"on": "id"}
    runs = cm.compare(files["truth"], files["both"], ["rand"], on="id", true="t", pred={"all": ["one", "other"]})
    assert runs.leaderboard()["all"].runs == 2


def test_several_files(files: dict[str, str]):
    sources = {name: files[name] for name in RUNS}
    ranked = cm.compare(files["truth"], sources, ["rand"], on="id", true="t", pred="p")
    assert rows_of(ranked) == rows_of(WANTED)
    guessed = cm.compare(files["truth"], sources, ["rand"], on="id", true="t")
    assert rows_of(guessed) == rows_of(ranked)
    seeds = cm.compare(files["truth"], {"all": list(sources.values())}, ["rand"], on="id", true="t", pred="p")
    assert seeds.leaderboard()["all"].runs == 2


def test_groups_counts_and_noise_of_joined_files(files: dict[str, str], tmp_path: Path):
    options = {"on": "id", "true": "t", "pred": ["one", "other"]}
    ranked = cm.compare(files["truth"], files["both"], ["rand"], unit="g", **options)
    wanted = cm.compare(TRUTH, RUNS, ["rand"], unit=[place % 20 for place in range(N)])
    assert rows_of(ranked) == rows_of(wanted)
    noisy = cm.compare(files["truth"], files["both"], ["rand"], noise_pred={"0": "singletons"}, **options)
    assert rows_of(noisy) == rows_of(cm.compare(TRUTH, RUNS, ["rand"], noise_pred={"0": "singletons"}))
    times = [str(place % 3) for place in range(N)]
    counted = write(tmp_path / "counted.csv", {"id": IDS, "t": TRUTH, "n": times})
    ranked = cm.compare(counted, files["both"], ["rand"], counts="n", **options)
    assert rows_of(ranked) == rows_of(cm.compare(TRUTH, RUNS, ["rand"], counts=list(map(int, times))))


def test_lists_of_pairs(files: dict[str, str], tmp_path: Path):
    lists = {"few": [("r0", "r1")], "more": [("r0", "r1"), ("r1", "r2"), ("r7", "r9")]}
    sources = {
        name: write(tmp_path / f"{name}.csv", dict(zip(("l", "r"), map(list, zip(*pairs, strict=True)), strict=True)))
        for name, pairs in lists.items()
    }
    ranked = cm.compare(files["truth"], sources, ["rand"], on="id", true="t", pairs="pred", unmatched="singletons")
    closed = {name: list(IDS) for name in lists}
    closed["few"][1] = closed["more"][1] = closed["more"][2] = "r0"
    closed["more"][9] = "r7"
    assert rows_of(ranked) == rows_of(cm.compare(TRUTH, closed, ["rand"]))
    assert ranked.predictions.settings == {"on": "id", "pairs": "pred"}
    one = cm.compare(files["truth"], sources["few"], ["rand"], on="id", true="t", pairs="pred", unmatched="singletons")
    assert one.methods == ("prediction",)


def test_frames_and_ids_that_one_lacks():
    pandas = need("pandas")
    truth = pandas.DataFrame({"id": IDS, "t": TRUTH})
    short = pandas.DataFrame({"id": IDS[5:], "p": RUNS["one"][5:]})
    full = pandas.DataFrame({"id": IDS, "p": RUNS["other"]})
    with pytest.raises(cm.InputError, match="5 occur in the DataFrame of the truth only"):
        cm.compare(truth, {"one": short, "other": full}, ["rand"], on="id", true="t", pred="p")
    ranked = cm.compare(truth, {"one": short, "other": full}, ["rand"], on="id", true="t", pred="p", unmatched="drop")
    assert ranked.n_used == N - 5
    assert rows_of(ranked) == rows_of(cm.compare(TRUTH[5:], {name: run[5:] for name, run in RUNS.items()}, ["rand"]))


def test_ids_of_several_types(tmp_path: Path):
    need("duckdb")
    pandas = need("pandas")
    need("pyarrow")
    numbers = list(range(N))
    texts = [str(number) for number in numbers]
    truth = write(tmp_path / "truth.csv", {"id": texts, "t": TRUTH})
    as_text = write(tmp_path / "one.csv", {"id": texts, "p": RUNS["one"]})
    as_number = str(tmp_path / "other.parquet")
    pandas.DataFrame({"id": numbers, "p": RUNS["other"]}).to_parquet(as_number)
    ranked = cm.compare(truth, {"one": as_text, "other": as_number}, ["rand"], on="id", true="t", pred="p")
    assert rows_of(ranked) == rows_of(WANTED)
    typed = str(tmp_path / "truth.parquet")
    pandas.DataFrame({"id": numbers, "t": TRUTH}).to_parquet(typed)
    ranked = cm.compare(typed, {"one": as_text, "other": as_number}, ["rand"], on="id", true="t", pred="p")
    assert rows_of(ranked) == rows_of(WANTED)
    with_fractions = str(tmp_path / "fractions.parquet")
    pandas.DataFrame({"id": [float(number) for number in numbers], "t": TRUTH}).to_parquet(with_fractions)
    with pytest.raises(cm.InputError, match=r"types that cannot be equal: column 'id' of .*fractions.parquet"):
        cm.compare(with_fractions, {"other": as_number, "one": as_text}, ["rand"], on="id", true="t", pred="p")
    both = str(tmp_path / "floats.parquet")
    pandas.DataFrame({"id": [number + 0.5 for number in numbers], "p": RUNS["one"]}).to_parquet(both)
    with pytest.raises(cm.InputError, match=r"truth and of .*floats.parquet are compared as another type than those"):
        cm.compare(with_fractions, {"other": as_number, "one": both}, ["rand"], on="id", true="t", pred="p")


def test_every_source_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    need("duckdb")
    truth = write(tmp_path / "truth.csv", {"id": IDS, "t": TRUTH, "g": [str(place % 20) for place in range(N)]})
    files = {f"p{n}": write(tmp_path / f"p{n}.csv", {"id": IDS, "p": RUNS["one"]}) for n in range(5)}
    opened: Counter[str] = Counter()
    relation, fetch = DuckDB.relation, DuckDB.fetch
    read: Counter[str] = Counter()

    def count_opened(self: DuckDB, source: Any, reading: Any) -> Any:
        opened[Path(source).name] += 1
        return relation(self, source, reading)

    def count_read(self: DuckDB, sql: str) -> Any:
        read.update(name for name in ("truth.csv", *(f"{one}.csv" for one in files)) if name in sql)
        return fetch(self, sql)

    monkeypatch.setattr(DuckDB, "relation", count_opened)
    monkeypatch.setattr(DuckDB, "fetch", count_read)
    ranked = cm.compare(truth, files, ["rand"], on="id", true="t", unit="g")
    assert ranked.methods == tuple(files)
    assert opened == read == Counter({"truth.csv": 1} | {f"{one}.csv": 1 for one in files})
    opened.clear()
    read.clear()
    cm.compare(truth, {"a": [files["p0"], files["p1"]], "b": files["p0"]}, ["rand"], on="id", true="t", pred="p")
    assert opened == read == Counter({"truth.csv": 1, "p0.csv": 1, "p1.csv": 1})
    opened.clear()
    read.clear()
    cm.similarity_matrix(files, on="id")
    assert opened == read == Counter(f"{one}.csv" for one in files)
    with pytest.raises(cm.InputError, match=r"truth.csv: name the column with the clusters by pred="):
        cm.similarity_matrix({"truth": truth} | files, on="id")


def test_files_against_each_other(files: dict[str, str]):
    matrix = cm.similarity_matrix({name: files[name] for name in RUNS}, "rand", on="id", pred="p")
    assert matrix.values.tolist() == cm.similarity_matrix(RUNS, "rand").values.tolist()
    assert matrix.settings["on"] == "id"
    assert matrix.consensus(IDS[:2]).tolist() == cm.similarity_matrix(RUNS, "rand").consensus([0, 1]).tolist()
    with pytest.raises(cm.InputError, match="joins sources by their names"):
        cm.similarity_matrix(files["both"], "rand", on="id", pred=["one", "other"])
    with pytest.raises(cm.InputError, match="none of the labelings is the truth; choose noise="):
        cm.similarity_matrix(RUNS, "rand", noise_true={"0": "drop"})


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("truth",), {"on": "id", "pred": ["one"]}, "on= joins the truth with other sources; pass one"),
        (("truth", "both"), {"true": "t", "pred": ["one"]}, "join another one with it by on="),
        (("truth", "both"), {"true": "t", "on": "id"}, "name the columns with the predictions"),
        (("truth", {"a": "both"}), {"on": "id", "pred": ["one"]}, "name the one column that all"),
    ],
)
def test_what_is_missing_is_said(files: dict[str, str], arguments: tuple[Any, ...], options: dict, message: str):
    found = [files[one] if isinstance(one, str) else {k: files[v] for k, v in one.items()} for one in arguments]
    with pytest.raises(cm.InputError, match=message):
        cm.compare(*found, **options)
