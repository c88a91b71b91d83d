"""Every example in the help and in the documentation runs."""

from __future__ import annotations

import gzip
import os
import re
import shlex
import subprocess
from pathlib import Path

import numpy as np
import pytest

import clustermark as cm
from needs import need
from program import command, result, run, write_csv

need("click")
pa = need("pyarrow", "parquet")

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", ROOT / "docs" / "program.md")
LABELS = [*"aaabbbcc"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """The files that the examples speak of, and the program on the path."""
    here = tmp_path_factory.mktemp("examples")
    file = write_csv(here / "data.csv", "id,label,cluster", [(i, t, t) for i, t in enumerate(LABELS)])
    (here / "data.csv.gz").write_bytes(gzip.compress(file.read_bytes()))
    write_csv(here / "truth.csv", "id,label", list(enumerate(LABELS)))
    for name in ("pred", "predicted"):
        write_csv(here / f"{name}.csv", "id,cluster", list(enumerate(LABELS)))
    write_csv(here / "truth_sample.csv", "id,label", [(i, i // 3) for i in range(90) if i // 3 % 2])
    write_csv(here / "records.csv", "id,cluster", [(i, i // 4) for i in range(90)])
    drawn = cm.draw_sample({i: i // 4 for i in range(90)}, 20, seed=7)
    (here / "drawn.csv").write_text(drawn.to_csv())
    reached = {row.id // 3 for row in drawn.rows}
    write_csv(here / "labelled.csv", "id,label", [(i, i // 3) for i in range(90) if i // 3 in reached])
    drift = [("May", 0.01, 0.01), ("June", -0.02, 0.01), ("July", -0.05, 0.01)]
    write_csv(here / "series.csv", "release,difference,standard_error", drift)
    judged = cm.questions([i // 4 for i in range(400)], [i // 2 for i in range(400)])
    judged = cm.judge(judged, {(one.left, one.right): int(one.left) % 3 > 0 for one in judged.table})
    for name in ("may", "june", "july"):
        (here / f"{name}.json").write_text(judged.to_json())
    write_csv(here / "old.csv", "id,cluster", [(i, "c" if t == "b" else t) for i, t in enumerate(LABELS)])
    write_csv(here / "new.csv", "id,cluster", list(enumerate(LABELS)))
    write_csv(here / "people.csv", "id,name,city", [(i, f"name {i}", "Oslo") for i in range(40)])
    write_csv(here / "both.csv", "last_month,today", [(label, label) for label in LABELS])
    runs = [(t, t if i % 7 else "a", t if i % 5 else "b", t, t) for i, t in enumerate(10 * LABELS)]
    write_csv(here / "runs.csv", "label,kmeans,ward,dbscan,id", runs)
    for name in ("kmeans", "ward"):
        write_csv(here / f"{name}.csv", "id,cluster", list(enumerate(LABELS)))
    names = ("label", "a", "b")
    pa.parquet.write_table(pa.table(dict.fromkeys(names, LABELS)), here / "runs.parquet")
    write_csv(here / "matches.csv", "left,right", [(0, 1), (1, 2), (3, 4), (4, 5), (6, 7)])
    scored = [(i, j, 0.1 + 0.8 * (LABELS[i] == LABELS[j])) for i in range(8) for j in range(i)]
    write_csv(here / "scored.csv", "left,right,probability", scored)
    asked = cm.questions([i // 4 for i in range(40)], [i // 2 for i in range(40)])
    asked.write_sheet(here / "asked.csv", here / "key.json")
    said = [(one.left, one.right, "ds"[int(one.left) % 2]) for one in asked.table]
    for name in ("answers", "ada", "bob", "expert"):
        write_csv(here / f"{name}.csv", "left,right,answer", said)
    both = pa.table({"id": list(range(8)), "label": LABELS, "cluster": LABELS})
    pa.parquet.write_table(both.drop_columns("label"), here / "pred.parquet")
    points = {"x0": [0, 1, 2, 9, 8, 9, 20, 21], "x1": [0, 1, 0, 9, 9, 7, 3, 2], "cluster": LABELS}
    pa.parquet.write_table(pa.table(points), here / "points.parquet")
    rows = [(x, y, -1 if label == "c" else label) for x, y, label in zip(*points.values(), strict=True)]
    write_csv(here / "points.csv", "x,y,cluster", rows)
    topics = [("a", 1), ("b", 1), ("b", 2), ("c", 2), ("d", 3)]
    for name in ("topics", "found_topics"):
        write_csv(here / f"{name}.csv", "item,cluster", topics)
    found = {"node": [item for item, _ in topics], "community": [cluster for _, cluster in topics]}
    pa.parquet.write_table(pa.table(found), here / "communities.parquet")
    linkage = np.array([[i, i + 7 if i else 7, i + 1.0, i + 2] for i in range(7)])
    for name in ("ward", "average"):
        np.save(here / f"{name}.npy", linkage)
        np.savetxt(here / f"{name}_linkage.csv", linkage, delimiter=",")
    rows = [(i, label, 0.5, 0.5, 0.25, 0.75) for i, label in enumerate(LABELS)]
    write_csv(here / "memberships.csv", "id,label,t0,t1,p0,p1", rows)
    for name in ("soft_truth", "soft_pred"):
        write_csv(here / f"{name}.csv", "id,a,b", [(row[0], *row[2:4]) for row in rows])
    for place in ("data", "parts", "bin", ".config/fish/completions"):
        (here / place).mkdir(parents=True)
    pa.parquet.write_table(both, here / "data" / "1.parquet")
    pa.parquet.write_table(both, here / "parts" / "1.parquet")
    program = here / "bin" / "clustermark"
    program.write_text(f'#!/bin/sh\nexec {shlex.join(command())} "$@"\n')
    program.chmod(0o755)
    return here


def examples() -> list[str]:
    """The lines of the help and of the page that call the program."""
    from clustermark.cli.commands import program

    names = [str(one.name) for one in program.load_commands()]
    helps = "\n".join(result(*name, "-h") for name in [[], *([name] for name in names)])
    pages = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    shown = "\n".join(re.findall(r"```sh\n(.*?)```", pages, re.DOTALL))
    lines = (line.partition("  #")[0].strip() for line in f"{helps}\n{shown}".splitlines())
    return list(dict.fromkeys(line for line in lines if re.match(r"(zcat .* \| )?clustermark (?!\[)", line)))


def test_every_example_runs(folder):
    lines = examples()
    assert len(lines) > 25
    environment = {**os.environ, "HOME": str(folder), "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    there = {path for path in folder.iterdir() if path.is_file()}
    for line in lines:
        for written in {path for path in folder.iterdir() if path.is_file()} - there:  # which nothing overwrites
            written.unlink()
        if re.search(r"[|<>$*]", re.sub("'[^']*'", "", line)):  # which a shell reads
            done = subprocess.run(["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True)
        else:
            done = run(*shlex.split(line)[1:], cwd=folder, HOME=str(folder))
        undecided = "is not shown" in done.stderr  # by so few records
        assert done.returncode == int(undecided), f"{line}: {done.stderr}"


def shown(page: str) -> list[tuple[str, str]]:
    """The commands of a page that are shown with what they print."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"```console\n\$ clustermark (.*?)\n(.*?)```", text, re.DOTALL)


@pytest.mark.parametrize("page", ["README.md", "docs/comparing.md"])
def test_what_a_page_shows_is_what_is_printed(page: str):
    assert shown(page)
    for line, printed in shown(page):
        assert result(*shlex.split(line), cwd=ROOT) == printed
