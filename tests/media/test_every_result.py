"""Every result has every medium."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

import clustermark as cm
from needs import need
from report_cases import empty_charts
from result_cases import CASES, NO_RESULTS, results

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RESULTS = results()
# results that from_json reads back: no method of theirs needs labels
READ_BACK = ("evaluation", "internal", "covers", "trees", "soft", "questions")


@cache
def validator() -> Any:
    return need("jsonschema").Draft202012Validator(cm.json_schema())


def written(result: Any, medium: str, folder: Path) -> str:
    """What the result writes to a file, which must not exist."""
    path = folder / medium
    write = getattr(result, f"write_{medium}")
    write(path)
    text = path.read_bytes().decode()
    with pytest.raises(cm.InputError, match="exists already"):
        write(path)
    assert path.read_bytes().decode() == text
    return text


def has_repr(result: Any, _: Path) -> None:
    text = repr(result)
    assert text.strip()
    assert " object at 0x" not in text


def has_notebook(result: Any, _: Path) -> None:
    text = result._repr_html_()
    assert "<" in text
    assert "<script" not in text


def has_json(result: Any, folder: Path) -> None:
    document = json.loads(result.to_json())
    validator().validate(document)
    assert document["kind"]
    assert json.loads(written(result, "json", folder)) == document


def has_from_json(result: Any, _: Path) -> None:
    again = type(result).from_json(result.to_json())
    assert again.to_json() == result.to_json()
    assert repr(again) == repr(result)


def has_markdown(result: Any, folder: Path) -> None:
    text = result.to_markdown()
    assert text.strip()
    assert written(result, "markdown", folder) == text


def has_latex(result: Any, folder: Path) -> None:
    text = result.to_latex()
    assert r"\begin{tabular}" in text
    assert written(result, "latex", folder) == text


def has_csv(result: Any, folder: Path) -> None:
    text = result.to_csv()
    assert text.strip()
    assert written(result, "csv", folder) == text


def has_frames(result: Any, _: Path) -> None:
    for package in ("pandas", "polars", "pyarrow"):
        need(package)
    assert result.to_dict()
    frames = result.to_pandas(), result.to_polars(), result.to_arrow()
    heads = list(frames[0].columns)
    assert heads
    assert [list(frames[1].columns), frames[2].column_names] == [heads] * 2
    assert len({len(frame) for frame in frames}) == 1


def has_page(result: Any, folder: Path) -> None:
    need("matplotlib")
    path = folder / "page.html"
    with empty_charts():
        page = result.report()
        result.write_report(path, title="a <b> title")
    assert page.startswith("<!DOCTYPE html>")
    assert "a &lt;b&gt; title" in path.read_text(encoding="utf-8")


MEDIA: dict[str, Callable[[Any, Path], None]] = {
    "repr": has_repr,
    "notebook": has_notebook,
    "json": has_json,
    "markdown": has_markdown,
    "latex": has_latex,
    "csv": has_csv,
    "frames": has_frames,
    "page": has_page,
    "from_json": has_from_json,
}


PAIRS = [(kind, medium) for kind in RESULTS for medium in MEDIA if medium != "from_json" or kind in READ_BACK]


@pytest.mark.parametrize(("kind", "medium"), PAIRS)
def test_every_result_has_every_medium(kind: str, medium: str, tmp_path: Path) -> None:
    MEDIA[medium](RESULTS[kind](), tmp_path)


# classes at the top that are no results: what is compared, what scores, errors, rows, and names of another tool
NO_RESULTS_AT_THE_TOP = (
    *("AdjustedIndex", "AdjustedScore", "ClusteringMetric", "Index", "MatchedPoints", "PairCounts", "Profile"),
    *("Contingency", "Cover", "CoverTable", "Geometry", "SoftClustering", "SoftPair"),
    *("Tree", "TreeDistances", "TreeLabels", "TreePair", "TreeSimilarities"),
)
ROWS = (
    *("Choice", "ClusterRow", "Confusion", "Difference", "ErrorRow", "FalseMerge", "Losses", "Member", "Members"),
    *("Part", "Piece", "PointRecord", "PointRow", "Quality", "RecordPair", "Repair", "Score", "Standing", "Subgroup"),
)


def test_every_public_class_of_results_is_tried() -> None:
    public = {name: getattr(cm, name) for name in cm.__all__ if isinstance(getattr(cm, name), type)}
    expected = {
        name
        for name, one in public.items()
        if not issubclass(one, (Exception, Warning)) and name not in (*NO_RESULTS_AT_THE_TOP, *ROWS)
    }
    tried = {name for name in expected if any(isinstance(maker(), public[name]) for maker in RESULTS.values())}
    assert tried == expected, f"enter an example of {expected - tried} into tests/result_cases.py"


def test_what_is_no_result_is_a_case() -> None:
    assert {name.partition("/")[0] for name in CASES} >= NO_RESULTS
