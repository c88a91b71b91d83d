"""A comparison as JSON, LaTeX, HTML and charts."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import clustermark as cm
from needs import need

HOSTILE = "<script>alert(1)</script> & $x_1$ {%"


@pytest.fixture(scope="module")
def comparison():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 300)
    shares = {"good": 0.05, HOSTILE: 0.05, "poor": 0.6}
    made = {name: np.where(rng.random(300) < share, rng.integers(0, 4, 300), truth) for name, share in shares.items()}
    return cm.compare(
        truth, made | {"runs": [made["poor"], made["good"]]}, ["adjusted_rand", "variation_of_information"]
    )


@pytest.fixture
def bare():
    return cm.compare([0, 0, 1, 1], {"a": [0, 0, 1, 1]}, "rand", weights=[1.0, 0.5, 2.0, 1.0])


@pytest.mark.slow
def test_json_is_as_the_schema_says(comparison, bare, tmp_path):
    validate = need("jsonschema").validate
    for one in (comparison, bare):
        validate(json.loads(one.to_json()), cm.json_schema())
    document = json.loads(comparison.to_json())
    assert document["kind"] == "comparison"
    assert document["indices"]["adjusted_rand"]["best"] == comparison.best()
    assert document["indices"]["adjusted_rand"]["leaderboard"][0]["score"] == comparison.leaderboard()[0].score
    assert document["methods"]["runs"] == [4, 4]
    comparison.write_json(tmp_path / "c.json")
    assert json.loads((tmp_path / "c.json").read_text()) == document
    with pytest.raises(cm.InputError, match="exists already"):
        comparison.write_json(tmp_path / "c.json")


def test_latex_is_bold_only_where_it_holds_up(comparison, bare):
    text = comparison.to_latex()
    assert text.count(r"\boldmath") == 0  # two are tied
    assert r"\toprule" in text
    assert r"\textless{}script" in text
    assert "\\$x\\_1\\$ \\{\\%" in text
    assert r"\pm" in text
    truth = [0, 1, 2] * 40
    sure = cm.compare(truth, {"good": [*truth[:-3], 0, 0, 0], "poor": [0, 0, 1] * 40}, "adjusted_rand").to_latex()
    assert sure.count(r"{\boldmath\bfseries $") == 1
    assert r"\boldmath" not in bare.to_latex()


def test_a_notebook_shows_no_markup_of_names(comparison):
    shown = comparison._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
    assert "tied for first" in shown


def test_charts(comparison, bare):
    need("matplotlib")
    for one in (comparison, bare):
        assert len(one.plot.leaderboard().get_yticks()) == len(one.methods)
        assert len(one.plot.differences().get_yticks()) == len(one.differences())
    assert repr(comparison.plot) == "Plots of a comparison: leaderboard, differences"


@pytest.mark.slow
def test_the_page_shows_it_all(comparison, bare, tmp_path):
    need("matplotlib")
    page = comparison.report()
    assert page == comparison.report()
    for words in ("Leaderboard", "Differences", "True clusters", "Pairs found", "Severiano", "tied for first"):
        assert words in page
    assert "<script>alert" not in page
    assert "no interval" in bare.report("A title & more")
    assert "A title &amp; more" in bare.report("A title & more")
    comparison.write_report(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == page


def test_latex_has_as_many_digits_down_a_column():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 4, 400)
    noisy = {name: np.where(rng.random(400) < share, 0, truth) for name, share in (("a", 0.02), ("b", 0.3), ("c", 0.6))}
    compared = cm.compare(truth, noisy, ["adjusted_rand", "mirkin"])
    cells = [line.split(" & ")[1:] for line in compared.to_latex().splitlines() if r"\pm" in line]
    widths = [row.half_width for row in compared.leaderboard()]
    assert min(widths) < 0.03 < max(widths)
    for column, digits in ((0, 3), (1, 0)):
        numbers = [re.findall(r"[\d.]+", row[column]) for row in cells]
        assert len(numbers) == 3
        assert {len(number.partition(".")[2]) for pair in numbers for number in pair} == {digits}
