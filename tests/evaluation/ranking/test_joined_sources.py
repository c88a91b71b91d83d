"""Predictions of other sources, joined with the truth by id, are compared as the same labels in memory are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import clustermark as cm
from needs import need

if TYPE_CHECKING:
    from pathlib import Path

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
    assert ranked.entrants.settings == {"on": "id"}
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
    assert ranked.entrants.settings == {"on": "id", "pairs": "pred"}
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
    with pytest.raises(cm.InputError, match=r"one.csv the ids of the truth are of another type"):
        cm.compare(typed, {"other": as_number, "one": as_text}, ["rand"], on="id", true="t", pred="p")


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
