"""Every result has every medium."""

from __future__ import annotations

import json
from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

import clustermark as cm
from clustermark.results.result import Result
from needs import need
from report_cases import empty_charts
from result_cases import CASES, NO_RESULTS, results

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

RESULTS = results()
# results that from_json reads back: no method of theirs needs labels
READ_BACK = ("evaluation", "internal", "covers", "trees", "tree_and_labels", "soft", "questions")


@cache
def validator() -> Any:
    return need("jsonschema").Draft202012Validator(cm.json_schema())


def written(result: Any, medium: str, folder: Path) -> str:
    """Return the text that the result writes to a file, which must not exist."""
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
    assert result.to_text(lambda option: f"--{option.name}")


def has_notebook(result: Any, _: Path) -> None:
    text = result._repr_html_()
    assert text == result.to_html()
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
    assert r"\begin{tabular}" in text or isinstance(result, cm.rows.IndexExplanation)  # which is paragraphs
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


def has_annotations(result: Any, _: Path) -> None:
    class Annotated:
        uns: ClassVar[dict[str, Any]] = {}

    result.to_uns(Annotated)
    written = Annotated.uns["clustermark"]
    assert written["kind"] == result.KIND
    assert {len(table.columns) > 0 for table in written["tables"].values()} <= {True}


MEDIA: dict[str, Callable[[Any, Path], None]] = {
    "repr": has_repr,
    "notebook": has_notebook,
    "json": has_json,
    "markdown": has_markdown,
    "latex": has_latex,
    "csv": has_csv,
    "frames": has_frames,
    "page": has_page,
    "AnnData": has_annotations,
    "from_json": has_from_json,
}


PAIRS = [(kind, medium) for kind in RESULTS for medium in MEDIA if medium != "from_json" or kind in READ_BACK]


@pytest.mark.parametrize(("kind", "medium"), PAIRS)
def test_every_result_has_every_medium(kind: str, medium: str, tmp_path: Path) -> None:
    MEDIA[medium](RESULTS[kind](), tmp_path)


def result_classes(above: type[Result] = Result) -> Iterator[type[Result]]:
    """Yield the classes that derive from Result anywhere in the package, also those that only the program prints."""
    for one in above.__subclasses__():
        module = import_module(one.__module__)
        if one.__module__.startswith("clustermark.") and getattr(module, one.__name__, None) is one:
            yield one
        yield from result_classes(one)


# what several results have in common
ABSTRACT = {"ChangeList", "Curves", "Diagnosis", "Evaluation", "Rows", "_LabelingCurves"}


def test_every_class_of_results_is_tried() -> None:
    for module in walk_packages(cm.__path__, "clustermark."):
        if not module.name.startswith(("clustermark.cli", "clustermark.__main__", "clustermark.sklearn")):
            import_module(module.name)
    classes = {one.__name__ for one in result_classes()} - ABSTRACT
    tried = {type(maker()).__name__ for maker in RESULTS.values()}
    assert classes - tried == set(), "enter an example into tests/result_cases.py, as the first of a kind"


class Calls:
    """A result that notes which of its public methods are called."""

    def __init__(self, result: Any, called: set[str]) -> None:
        self._result, self._called = result, called

    def __getattr__(self, name: str) -> Any:
        self._called.add(name)
        return getattr(self._result, name)

    def __repr__(self) -> str:
        return repr(self._result)


def test_every_medium_of_a_result_is_tried(tmp_path: Path) -> None:
    called: set[str] = set()
    for medium in MEDIA.values():
        if medium is not has_from_json:
            medium(Calls(RESULTS["clusters"](), called), tmp_path)
    media = {name for name in dir(Result) if name.startswith(("to_", "write_", "report"))}
    assert media <= called, f"try {media - called} for every result, by an entry of MEDIA"


def test_what_from_json_reads_is_tried() -> None:
    assert {kind for kind, maker in RESULTS.items() if hasattr(type(maker()), "from_json")} == set(READ_BACK)


# classes at the top that are no results: what is compared, what scores, errors, rows, and names of another tool
NO_RESULTS_AT_THE_TOP = (
    *("AdjustedIndex", "AdjustedScore", "ClusteringMetric", "Guess", "Index", "MatchedPoints", "PairCounts", "Profile"),
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
