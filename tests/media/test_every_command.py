"""Every command writes every format, and fits a terminal."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

import clustermark as cm
from needs import need
from program import at_terminal, run, write_csv

if TYPE_CHECKING:
    from pathlib import Path

need("click")
need("rich")
pytestmark = pytest.mark.slow

LABELS = [*"aaabbbcc"]
OTHERS = [*"xxyyyzzz"]
COLUMNS = ("data.csv", "--true", "label", "--pred", "cluster")
JOINED = ("old.csv", "new.csv", "--on", "id")
COMMANDS: dict[str, tuple[str, ...]] = {
    "score": COLUMNS,
    "coverage --draws 50 -i rand -i jaccard": COLUMNS,
    "errors": COLUMNS,
    "errors --clusters": COLUMNS,
    "errors --classes": COLUMNS,
    "errors --confusions": COLUMNS,
    "errors --points": COLUMNS,
    "repairs": COLUMNS,
    "groups": COLUMNS,
    "score --simultaneous": COLUMNS,
    "groups --simultaneous": COLUMNS,
    "groups --find --by label": COLUMNS,
    "draw": ("all.csv", "--on", "id", "-n", "12"),
    "plan": ("--standard-error", "0.02", "--units", "40"),
    "estimate": ("sample.csv", "all.csv", "--on", "id", "--design", "clusters"),
    "sweep": ("truth.csv", "scored.csv", "--on", "id"),
    "compare": ("runs.csv", "--true", "label", "--pred", "one", "--pred", "two"),
    "matrix": ("runs.csv", "--pred", "one", "--pred", "two"),
    "changes": JOINED,
    "relabel": ("new.csv", "--like", "old.csv", "--on", "id"),
    "relabel --ids": ("new.csv", "--like", "old.csv", "--on", "id"),
    "judge": ("key.json", "answers.csv"),
    "monitor": ("series.csv",),
    "describe": ("new.csv", "--labels", "cluster"),
    "internal": ("points.csv", "--labels", "cluster", "--features", "x*"),
    "covers": ("cover.csv", "cover.csv"),
    "trees": ("tree.npy", "tree.npy"),
    "trees --curve": ("tree.npy", "tree.npy"),
    "sweep --band dice": ("truth.csv", "scored.csv", "--on", "id"),
    "sweep --cut dice": ("truth.csv", "scored.csv", "--on", "id"),
    "indices": (),
    "indices rand": (),
    "soft": ("soft.csv", "--true", "t*", "--pred", "p*"),
}
FORMATS = ("table", "json", "csv", "markdown", "latex", "html")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the commands read."""
    here = tmp_path_factory.mktemp("commands")
    both = list(zip(LABELS, OTHERS, strict=True))
    write_csv(here / "data.csv", "label,cluster", both)
    write_csv(here / "truth.csv", "id,label", list(enumerate(LABELS)))
    write_csv(here / "old.csv", "id,cluster", list(enumerate(LABELS)))
    write_csv(here / "new.csv", "id,cluster", list(enumerate(OTHERS)))
    write_csv(here / "runs.csv", "label,one,two", [(one, one, two) for one, two in both])
    write_csv(here / "sample.csv", "id,label", [(place, place // 3) for place in range(90) if place // 3 % 2])
    write_csv(here / "all.csv", "id,cluster", [(place, place // 4) for place in range(90)])
    scored = [(i, j, 0.1 + 0.8 * (LABELS[i] == LABELS[j])) for i in range(8) for j in range(i)]
    write_csv(here / "scored.csv", "left,right,score", scored)
    asked = cm.questions([place // 4 for place in range(40)], [place // 2 for place in range(40)])
    asked.write_sheet(here / "asked.csv", here / "key.json")
    said = [(one.left, one.right, "ds"[int(one.left) % 2]) for one in asked.table]
    write_csv(here / "answers.csv", "left,right,answer", said)
    points = zip([0, 1, 2, 9, 8, 9, 20, 21], [0, 1, 0, 9, 9, 7, 3, 2], LABELS, strict=True)
    write_csv(here / "points.csv", "x0,x1,cluster", list(points))
    drift = [("May", 0.01, 0.01), ("June", -0.02, 0.01), ("July", -0.05, 0.01)]
    write_csv(here / "series.csv", "release,difference,standard_error", drift)
    write_csv(here / "cover.csv", "item,cluster", [("a", 1), ("b", 1), ("b", 2), ("c", 2), ("d", 3)])
    np.save(here / "tree.npy", np.array([[i, i + 7 if i else 7, i + 1.0, i + 2] for i in range(7)]))
    write_csv(here / "soft.csv", "t0,t1,p0,p1", [(0.5, 0.5, 0.25, 0.75)] * 4)
    return here


def line_of(command: str) -> list[str]:
    return [*command.split(), *COMMANDS[command]]


@pytest.mark.parametrize("shape", FORMATS)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_writes_every_format(command: str, shape: str, folder: Path) -> None:
    done = run(*line_of(command), "-q", "-f", shape, cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip()
    if shape == "json":
        need("jsonschema").Draft202012Validator(cm.json_schema()).validate(json.loads(done.stdout))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_result_fits_a_terminal(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    shown = at_terminal(*line_of(command), "-q", width=80, NO_COLOR="1")
    assert shown.strip()
    assert "\x1b" not in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_every_command_is_tried() -> None:
    from clustermark.cli.commands import program

    written = {one.name for one in program.load_commands() if any("--format" in option.opts for option in one.params)}
    tried = {command.split()[0] for command in COMMANDS}
    assert tried == written, f"bring COMMANDS of this file up to date: {tried ^ written}"
