"""Who suffers, on the page: every number is that of the data, and names of columns and values are texts."""

from __future__ import annotations

import re
from html import unescape

import pytest

import clustermark as cm
from clustermark.diagnosis.captions import score_text
from clustermark.diagnosis.confusions import Confusions
from clustermark.diagnosis.error_drawings import draw_quality, name_group
from clustermark.evaluation.page.elements import ClusterLinks
from clustermark.evaluation.page.suffering import confusions_html, subgroups_html, suffering_html
from clustermark.results.values import share_text
from needs import need

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("without_charts")]

mpl = need("matplotlib", "figure")
TRUE = [place // 4 for place in range(160)]
PRED = [place // 4 + 100 * (place % 4 > 1 and place % 40 < 12) for place in range(160)]
HOSTILE = "<img src=x onerror=alert(1)>"
RECORDS = {HOSTILE: [f"</td><script>{place % 3}" if place % 5 else None for place in range(160)], "n": list(range(160))}


@pytest.fixture(scope="module")
def scores():
    return cm.evaluate(TRUE, PRED, ["jaccard"])


@pytest.mark.slow
def test_the_page_has_the_groups_that_were_asked_for(scores):
    page = scores.report(by=[HOSTILE, [HOSTILE, "n"]], records=RECORDS | {"secret": ["hush"] * 160})
    assert "hush" not in page  # it holds records only if show= names what of them
    assert "<img" not in page
    assert "</td><script>" not in page
    assert page.count('<div class="groups">') == 3
    assert page.count('id="subgroups"') == 1
    assert "Quality by size of the true cluster" in page
    for row in scores.by(HOSTILE, records=RECORDS):
        cells = [share_text(row.share_of_points), share_text(row.share_of_errors), score_text(row.pair_precision)]
        found = "".join(f'<td class="number">{cell}</td>' for cell in cells)
        assert found in page
    assert [*map(name_group, ["x", (None, 1)])] == ["x", "(none), 1"]


def test_subgroups_and_what_came_of_the_search_are_told(scores):
    true, bad = [place // 2 for place in range(400)], [place % 40 < 10 for place in range(400)]
    pred = [1000 + place if worse else place // 2 for place, worse in enumerate(bad)]
    found = cm.evaluate(true, pred, []).subgroups(records={"bad": bad})
    shown = subgroups_html(found)
    assert "bad True" in shown
    assert unescape(found.note) in unescape(shown)
    assert ">confirmed<" in shown
    nothing = subgroups_html(scores.subgroups(records={"x": [1] * 160}))
    assert "No groups: none of them is in 10 connected components" in nothing
    assert subgroups_html(None) == ""


@pytest.mark.slow
def test_groups_of_records_that_truly_suffer_are_on_the_page_unasked():
    true, bad = [place // 2 for place in range(400)], [place % 40 < 10 for place in range(400)]
    evaluation = cm.evaluate(true, [1000 + n if worse else n // 2 for n, worse in enumerate(bad)], [])
    even = [str(place // 40 % 2) for place in range(400)]
    records = need("pandas").DataFrame({"bad": list(map(str, bad)), "even": even})
    rows = [{"bad": value} for value in records["bad"]]
    assert "A group of records suffers more than the rest: with bad True" in evaluation.report(records=rows)
    assert evaluation._confirmed_subgroups(records, "even") is None  # nor is what is not to be shown
    assert evaluation._confirmed_subgroups(records, None, most_points=399) is None
    assert evaluation._confirmed_subgroups(records, None) is not None


def test_the_section_opens_with_the_answer(scores):
    true, bad = [place // 2 for place in range(400)], [place % 40 < 10 for place in range(400)]
    pred = [1000 + place if worse else place // 2 for place, worse in enumerate(bad)]
    evaluation = cm.evaluate(true, pred, [])
    (worst,) = evaluation.subgroups(records={"bad": bad}).confirmed
    shown = suffering_html(evaluation, [], evaluation.subgroups(records={"bad": bad}))
    assert shown.startswith('<p class="answer">A group of records suffers more than the rest: with bad True the error')
    assert f"is {worst.error:.3f}, of all others {worst.rest:.3f}" in shown
    even = evaluation.subgroups(records={"x": [place // 40 % 2 for place in range(400)]})
    assert not even.confirmed
    assert "No group of records suffers more" in suffering_html(evaluation, [], even)
    assert "do not show whether a group" in suffering_html(scores, [], scores.subgroups(records={"x": [1] * 160}))


def test_a_precision_that_can_but_be_zero_is_a_dash():
    evaluation = cm.evaluate(["a", "b", "c", "c"], [0, 0, 1, 1], [])
    assert evaluation.by_size()[0].pair_precision == 0
    shown = suffering_html(evaluation, [], None)
    assert "A dash below pair precision" in shown
    assert '<th scope="row"><bdi>1</bdi></th>' in shown
    assert shown.count('<td class="number">–</td>') == 2
    assert "A dash" not in suffering_html(cm.evaluate([0, 0], [1, 1], []), [], None)


def test_confused_clusters_are_listed_with_where_they_meet():
    scores = cm.evaluate(["a", "a", "b", "b", "<c>"], [1, 1, 1, 2, 2], [])
    shown = confusions_html(scores, ClusterLinks(clash=False))
    assert [float(n) for n in re.findall(r'data-v="([^"]*)"', shown)] == [2, 1]
    assert "2 with 1 in" in shown
    assert "&lt;c&gt;" in shown
    apart = confusions_html(cm.evaluate([0, 1], [0, 1], []), ClusterLinks(clash=False))
    assert "No two true clusters are confused" in apart


def test_tables_without_an_answer_say_why():
    scores = cm.evaluate({1: 0, 2: 0, 3: 1}, {2: 0, 3: 1, 4: 1}, [], unmatched="keep")
    assert "No quality by size: by_size: the partners of an unmatched item are not defined" in suffering_html(
        scores, [], None
    )


def test_a_mixture_too_large_is_said(monkeypatch):
    monkeypatch.setattr(Confusions, "MOST_PRODUCTS", 0)
    mixed = cm.evaluate([0, 1, 0, 1], [0, 0, 1, 1], [])
    assert "products of cells" in confusions_html(mixed, ClusterLinks(clash=False))


def test_the_chart_has_a_mark_a_group(scores):
    groups = scores.by("n", records=RECORDS, bins=20)
    axes = mpl.figure.Figure().add_subplot()
    chart = draw_quality(axes, groups, 15)
    assert len(chart.hover) == 15
    assert chart.note.startswith("15 of 20 groups")
    assert f"B-cubed F {groups[0].b_cubed_f!r}" in chart.hover["group-0"]
    assert axes.get_xlim()[0] <= min(row.b_cubed_f for row in groups[:15])


def test_columns_that_are_not_there_are_refused(scores):
    with pytest.raises(cm.InputError, match="records have no 'city'"):
        scores.report(by="city", records=RECORDS)
