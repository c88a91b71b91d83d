"""Files: labels that are written and read again by each engine, and files that are damaged."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import clustermark as cm

if TYPE_CHECKING:
    import random

ENGINES = ["duckdb", "polars", "datafusion"]
TEXTS = ["a", "b", "A", "a b", 'say "x"', "x,y", "ä", "ﬀ", "-", "two\nlines", "0", "00", "1e3", "'", "\\", "nan?"]


def write(kind: str, path: Path, rows: list[tuple[Any, Any]]) -> None:
    """Write two columns to a file without clustermark."""
    if kind == "csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("t", "p"), *rows])
    elif kind == "jsonl":
        path.write_text("".join(json.dumps({"t": t, "p": p}) + "\n" for t, p in rows), encoding="utf-8")
    else:
        import pyarrow as pa
        from pyarrow import feather, parquet

        table = pa.table({"t": [t for t, _ in rows], "p": [p for _, p in rows]})
        (parquet.write_table if kind == "parquet" else feather.write_feather)(table, path)


KINDS = {"csv": "csv", "jsonl": "jsonl", "parquet": "parquet", "arrow": "arrow"}


def fuzz_round_trip(rng: random.Random) -> None:
    """A file has the table of its labels in memory, with each engine."""
    n, kind = rng.choice([1, 2, 9, 40]), rng.choice(list(KINDS))
    values = rng.choice([TEXTS, [str(number) for number in range(5)], [0, 1, 7, -3]])
    rows = [(rng.choice(values), rng.choice(values)) for _ in range(n)]
    path = Path(f"x.{KINDS[kind]}").absolute()
    write(kind, path, rows)
    table = cm.crosstab(str(path), true="t", pred="p", engine=rng.choice(ENGINES))
    cells = table.to_memory().kernel_cells
    true, pred = table.true_labels, table.pred_labels
    places = zip(cells.rows.tolist(), cells.columns.tolist(), cells.counts.tolist(), strict=True)
    found = {(str(true[row]), str(pred[column])): n for row, column, n in places}  # labels of text files are texts
    assert found == Counter((str(t), str(p)) for t, p in rows), (kind, rows)


def fuzz_damage(rng: random.Random) -> None:
    """A damaged file is read or refused in words."""
    kind = rng.choice(list(KINDS))
    path = Path(f"damaged.{KINDS[kind]}").absolute()
    write(kind, path, [(rng.choice(TEXTS), rng.choice(TEXTS)) for _ in range(rng.choice([1, 30]))])
    content = bytearray(path.read_bytes())
    for _ in range(rng.choice([1, 1, 3, 20])):
        place = rng.randrange(len(content) + 1)
        how = rng.randrange(5)
        if how == 0:
            del content[place:]
        elif how == 1:
            content[place:place] = rng.randbytes(rng.choice([1, 4, 100]))
        elif how == 2:
            content[place : place + rng.choice([1, 8])] = bytes(rng.choice([1, 8]))
        elif how == 3 and place < len(content):
            content[place] = rng.randrange(256)
        else:
            content[place:place] = rng.choice([b'"', b"\0", b"\r", b"\n\n", b"\xff\xfe", b",", b"{", b"\xef\xbb\xbf"])
        if not content:
            break
    path.write_bytes(content)
    try:
        table = cm.crosstab(str(path), true="t", pred="p", engine=rng.choice(ENGINES), missing="drop")
    except (cm.ClustermarkError, MemoryError) as error:
        assert len(str(error)) > 20
    else:
        assert table.n_used >= 1


FUZZERS = {"round-trip": fuzz_round_trip, "damage": fuzz_damage}
