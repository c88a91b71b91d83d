"""Pipes, devices and folders as sources: the table of the same rows in one file."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

import clustermark as cm
from clustermark.errors import ClustermarkError, InputError
from needs import need
from program import command

duckdb = need("duckdb")
pa = need("pyarrow", "feather", "parquet")

ENGINES = ["duckdb", "polars", "datafusion"]
TRUE = ["a", "a", "b", "b", "c"]
PRED = ["x", "x", "x", "y", 'é, \n"z"']
TABLE = cm.crosstab(TRUE, PRED)
TEXT = 't,p\na,x\na,x\nb,x\nb,y\nc,"é, \n""z"""\n'


def contents(folder) -> dict[str, bytes]:
    """The same rows in every format that can be recognised."""
    table = pa.table({"t": TRUE, "p": PRED})
    pa.parquet.write_table(table, folder / "x.parquet")
    pa.feather.write_feather(table, folder / "x.arrow")
    lines = "".join(json.dumps({"t": t, "p": p}) + "\n" for t, p in zip(TRUE, PRED, strict=True))
    return {
        "csv": TEXT.encode(),
        "csv.gz": gzip.compress(TEXT.encode()),
        "jsonl": lines.encode(),
        "jsonl.gz": gzip.compress(lines.encode()),
        "parquet": (folder / "x.parquet").read_bytes(),
        "arrow": (folder / "x.arrow").read_bytes(),
    }


@contextmanager
def fifo(folder, content: bytes):
    """A named pipe into which somebody writes once."""
    path = folder / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(content,))
    writer.start()
    yield path
    writer.join()


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "jsonl", "jsonl.gz", "parquet", "arrow"])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_named_pipe_is_a_source(tmp_path, kind, engine):
    need(engine)
    with fifo(tmp_path, contents(tmp_path)[kind]) as path:
        evaluation = cm.evaluate(path, true="t", pred="p", engine=engine)
    assert evaluation.table == TABLE
    assert evaluation.settings["source"] == str(path)
    assert evaluation.points().to_dict()["true"] == ["b"]  # which reads it a second time


def test_the_format_of_a_pipe_can_be_said(tmp_path):
    with fifo(tmp_path, TEXT.replace(",", "\t").replace('"é\t', '"é,').encode()) as path:
        assert cm.crosstab(path, true="t", pred="p", reading={"format": "tsv"}) == TABLE


def test_what_is_wrong_with_a_pipe_is_said_by_its_name(tmp_path):
    for content, said in (
        (b"", r"pipe is empty"),
        ("t,p\na,x\nb,é\n".encode("latin-1"), r"pipe: the text is not UTF-8 \(line 3\)"),
        (b"t,p\na,x\nb,y,z\n", r"pipe: not a regular CSV file \(line 3\)"),
        (b"\xff\xff\xff\xff\x10\0\0\0", "a stream of Arrow data; write it as an Arrow file"),
    ):
        with fifo(tmp_path, content) as path, pytest.raises(InputError, match=said) as error:
            cm.crosstab(path, true="t", pred="p")
        assert "clustermark-" not in str(error.value)
        path.unlink()


@pytest.mark.slow
def test_what_the_shell_opens_is_a_source(tmp_path):
    (tmp_path / "x.csv").write_text(TEXT)
    expected = subprocess.run(
        [*command(), "score", "x.csv", "-f", "csv"], cwd=tmp_path, capture_output=True, check=True
    ).stdout
    program = " ".join(command())
    for line in (
        f"cat x.csv | {program} score /dev/stdin -f csv",
        f"{program} score /dev/stdin -f csv < x.csv",
        f"{program} score <(cat x.csv) -f csv",
        f"{program} score <(gzip < x.csv) -f csv",
        f"{program} score - -f csv < x.csv",
    ):
        done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True)
        assert (done.returncode, done.stdout) == (0, expected), (line, done.stderr)
    joined = "paste -d, <(seq 0 5 | sed '1s/.*/id/') <(printf 't\\na\\na\\nb\\nb\\nc\\n')"
    done = subprocess.run(
        ["bash", "-c", f"{program} score <({joined}) <({joined}) --on id -i rand -f csv"], capture_output=True
    )
    assert b"rand,Rand index,1.0" in done.stdout, done.stderr


def test_devices_that_hold_nothing():
    with pytest.raises(InputError, match="/dev/null is empty"):
        cm.crosstab("/dev/null", true="t", pred="p")
    with pytest.raises(InputError, match="/dev/no/such: cannot be read: No such file"):
        cm.crosstab("/dev/no/such", true="t", pred="p")


def fill(folder, write, parts: dict[str, slice]) -> None:
    """The rows in several files."""
    for name, rows in parts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write(folder / name, TRUE[rows], PRED[rows])


def write_csv(path, true, pred) -> None:
    path.write_text(
        "t,p\n" + "".join(f'{t},"{p.replace(chr(34), chr(34) * 2)}"\n' for t, p in zip(true, pred, strict=True))
    )


def write_jsonl(path, true, pred) -> None:
    path.write_text("".join(json.dumps({"t": t, "p": p}) + "\n" for t, p in zip(true, pred, strict=True)))


def write_parquet(path, true, pred) -> None:
    pa.parquet.write_table(pa.table({"t": true, "p": pred}), path)


def write_arrow(path, true, pred) -> None:
    pa.feather.write_feather(pa.table({"t": true, "p": pred}), path)


WRITERS = {"csv": write_csv, "jsonl": write_jsonl, "parquet": write_parquet, "arrow": write_arrow}


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_folder_is_all_its_files(tmp_path, kind, engine):
    need(engine)
    fill(tmp_path, WRITERS[kind], {f"1.{kind}": slice(2), f"more/2.{kind}": slice(2, 5)})
    for name in ("_SUCCESS", ".hidden.csv", "more/._2.crc", "_delta_log/0.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("nothing")
    assert cm.crosstab(tmp_path, true="t", pred="p", engine=engine) == TABLE
    assert cm.crosstab(f"{tmp_path}/", true="t", pred="p", engine=engine) == TABLE


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("engine", ENGINES)
def test_names_of_folders_give_columns(tmp_path, kind, engine):
    need(engine)
    parts = {
        f"year=2023/city=a%20b/1.{kind}": slice(1),
        f"year=2023/city=__HIVE_DEFAULT_PARTITION__/2.{kind}": slice(1, 2),
        f"year=2024/city=O'Hare/1.{kind}": slice(2, 4),
        f"year=2024/city=O'Hare/2.{kind}": slice(4, 5),
    }
    fill(tmp_path, WRITERS[kind], parts)
    years = ["2023", "2023", "2024", "2024", "2024"]
    cities = ["a b", None, "O'Hare", "O'Hare", "O'Hare"]
    how = {"engine": engine, "missing": "cluster"}
    assert cm.crosstab(tmp_path, true="year", pred="p", **how) == cm.crosstab(years, PRED)
    assert cm.crosstab(tmp_path, true="city", pred="t", **how) == cm.crosstab(cities, TRUE, missing="cluster")
    pattern = f"{tmp_path}/year=2024/**/*.{kind}"  # what is written out in the pattern is no column
    assert cm.crosstab(pattern, true="city", pred="p", **how) == cm.crosstab(cities[2:], PRED[2:])
    with pytest.raises(InputError, match="'year'"):
        cm.crosstab(pattern, true="year", pred="p", **how)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_column_of_the_files_goes_before_the_name_of_a_folder(tmp_path, engine):
    need(engine)
    fill(tmp_path, write_parquet, {"t=z/1.parquet": slice(2), "t=y/2.parquet": slice(2, 5)})
    assert cm.crosstab(tmp_path, true="t", pred="p", engine=engine) == TABLE


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("names", [("{}.KIND", 40), ("y={}/x.KIND", 2)])
def test_labels_of_one_file_differ_from_those_of_another_type(tmp_path, kind, engine, names):
    need(engine)
    name, n = names
    for i in range(n):  # DuckDB would look at 32 files of JSON only
        path = tmp_path / name.format(i).replace("KIND", kind)
        path.parent.mkdir(exist_ok=True)
        WRITERS[kind](path, [1] if i == n - 1 else ["1"], ["x"])
    with pytest.raises(ClustermarkError):
        cm.crosstab(tmp_path, true="t", pred="p", engine=engine)
    others = cm.crosstab(tmp_path, true="p", pred="p", engine=engine) if kind == "jsonl" or engine != "polars" else None
    assert others is None or others.n_used == n


@pytest.mark.slow
def test_folders_that_cannot_be_read_whole(tmp_path):
    fill(tmp_path / "alike", write_csv, {"year=1/1.csv": slice(2), "2.csv": slice(2, 5)})
    with pytest.raises(
        InputError, match=r"must give the same columns; those of .*1\.csv give year, and those of .* none"
    ):
        cm.crosstab(tmp_path / "alike", true="t", pred="p")
    fill(tmp_path / "formats", write_csv, {"1.csv": slice(2)})
    fill(tmp_path / "formats", write_jsonl, {"2.jsonl": slice(2)})
    with pytest.raises(InputError, match=r"formats: the files have different formats \(csv, json\), such as"):
        cm.crosstab(tmp_path / "formats", true="t", pred="p")
    fill(tmp_path / "notes", write_csv, {"1.csv": slice(2)})
    (tmp_path / "notes" / "README.md").write_text("the data")
    with pytest.raises(InputError, match=r"README\.md: the name does not show its format.*a pattern such as '.*\.csv'"):
        cm.crosstab(tmp_path / "notes", true="t", pred="p")
    fill(tmp_path / "headers", write_csv, {"year=1/1.csv": slice(2)})
    (tmp_path / "headers" / "year=2").mkdir()
    (tmp_path / "headers" / "year=2" / "2.csv").write_text("p,t\n1,2\n")
    with pytest.raises(InputError, match=r"2\.csv: its header line differs"):
        cm.crosstab(tmp_path / "headers", true="t", pred="p")


def test_files_without_an_ending_in_a_folder(tmp_path):
    fill(tmp_path, write_csv, {"part-0": slice(2), "part-1": slice(2, 5)})
    assert cm.crosstab(tmp_path, true="t", pred="p", reading={"format": "csv"}) == TABLE


def test_a_folder_that_may_not_be_read():
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        fill(Path(folder), write_csv, {"1.csv": slice(2), "secret/2.csv": slice(2, 5)})
        (Path(folder) / "secret").chmod(0)
        user = os.geteuid()
        if user == 0:  # who may read everything
            os.seteuid(65534)
        try:
            with pytest.raises(InputError, match="secret: reading this folder is not permitted"):
                cm.crosstab(folder, true="t", pred="p", engine="polars")
        finally:
            os.seteuid(user)
            (Path(folder) / "secret").chmod(0o755)


def test_the_temporary_folder_is_made(tmp_path):
    fill(tmp_path, write_csv, {"x.csv": slice(5)})
    spill = tmp_path / "not" / "there"
    assert cm.crosstab(tmp_path / "x.csv", true="t", pred="p", temporary=str(spill)) == TABLE
    assert list(spill.iterdir()) == []
    with pytest.raises(InputError, match=r"x\.csv.*no temporary folder can be made there"):
        cm.crosstab(tmp_path / "x.csv", true="t", pred="p", temporary=str(tmp_path / "x.csv"))


def test_a_folder_that_contains_itself_is_refused(tmp_path):
    (tmp_path / "x.csv").write_text("t,p\n1,2\n")
    (tmp_path / "me").symlink_to(tmp_path)
    with pytest.raises(InputError, match="me: this link leads to a folder that contains it"):
        cm.crosstab(str(tmp_path), true="t", pred="p")
