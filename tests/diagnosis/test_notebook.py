"""Notebooks get complete HTML that no data can break, and shades on which the text of any theme is readable."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

import clustermark as cm
from report_cases import HOSTILE

VOID = {"br"}


class Reader(HTMLParser):
    """Reads HTML, and complains of a tag that is not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        assert not [name for name, _ in attributes if name.startswith("on") or name in ("src", "href")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        self.text += text


def read(shown) -> Reader:
    reader = Reader()
    reader.feed(shown._repr_html_())
    reader.close()
    assert reader.open == []
    assert not set(reader.tags) - {"p", "strong", "br", "code", "ul", "li", "table", "caption", "tr", "th", "td", "div"}
    return reader


NAMES = [*(name for name in HOSTILE if name.strip() not in ("", "-1")), "<script>alert(1)</script>", "a&b"] * 3
RECORDS = {"<b>city</b>": NAMES}
RESULTS = {
    "evaluation": lambda scores: scores,
    "clusters": lambda scores: scores.clusters,
    "classes": lambda scores: scores.classes,
    "splits": lambda scores: scores.splits(),
    "merges": lambda scores: scores.merges(),
    "points": lambda scores: scores.points(side="true"),
    "table": lambda scores: scores.table,
    "repairs": lambda scores: scores.repairs(),
    "map": lambda scores: scores.overlap_map(),
    "confusions": lambda scores: scores.confusions(),
    "sizes": lambda scores: scores.by_size(),
    "groups": lambda scores: scores.by("<b>city</b>", records=RECORDS),
    "subgroups": lambda scores: scores.subgroups(records=RECORDS),
    "index": lambda _: cm.adjusted_rand,
    "variant": lambda _: cm.f_measure.with_options(beta=2),
    "catalogue": lambda _: cm.catalogue(),
}


@pytest.fixture(scope="module")
def scores():
    """Of labels that would break a page."""
    return cm.evaluate(NAMES, NAMES[1:] + NAMES[:1])


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_is_whole_html_in_which_labels_are_texts(scores, name):
    shown = RESULTS[name](scores)
    html, reader = shown._repr_html_(), read(shown)
    assert "script" not in reader.tags
    assert "\u202e" not in html
    assert "\x1b" not in html
    colours = [c for c in re.findall(r'(?:^|;|")color:[^;"]*|background:[^;"]*', html) if "transparent" not in c]
    assert not [c for c in colours if "rgba(" not in c]


def test_an_evaluation_begins_with_its_verdict():
    scores = cm.evaluate([0, 0, 1, 1], [0, 0, 1, 2])
    assert scores._repr_html_().startswith(f"<p><strong>{scores.verdict}</strong></p><table>")


def test_the_numbers_are_those_of_the_data():
    scores = cm.evaluate(["a", "a", "a", "b", "b"], [1, 1, 2, 2, 2])
    assert '<td style="text-align:right;background:rgba(0,114,178,0.300)">2</td>' in scores.table._repr_html_()
    assert scores.overlap_map()._repr_html_().count("rgba(0,114,178,0.300)") == 2  # a and 1: 2 of 3, b and 2: 2 of 3
    text = read(scores.splits()).text
    assert "a321 (2 of 2), 2 (1 of 3)" not in text  # the parts are a cell of their own
    assert "1 (2 of 2), 2 (1 of 3)" in text
    assert "1. move 1 record from cluster 2 to cluster 1" in read(scores.repairs()).text
    assert "ab2100%2 (1 with 2)" in read(scores.confusions()).text


def test_a_table_is_a_grid_up_to_fifteen_clusters():
    def cells(n):
        return cm.crosstab(range(n), range(n))._repr_html_().count("<td")

    assert cells(15) == 15 * 16
    assert cells(16) == 0
    lone = cm.crosstab([0, 0, 1], [0, -1, 1], noise_pred={-1: "singletons"})
    assert "<td" not in lone._repr_html_()
    assert "Contingency: 3 points" in lone._repr_html_()
    weighted = cm.crosstab([0, 0, 1], [0, 1, 1], weights=[0.5, 1.5, 2.0])
    assert ">0.5</td>" in weighted._repr_html_()


def test_an_index_shows_its_card():
    text = read(cm.jaccard).text
    assert "jaccard(y_true, y_pred) = yy / (yy + yn + ny)" in text
    assert cm.jaccard.summary in text
    assert all(sentence in text for sentence in cm.jaccard.sentences)


@pytest.mark.parametrize(("text", "paper"), [((0, 0, 0), (255, 255, 255)), ((255, 255, 255), (17, 17, 17))])
def test_the_darkest_shade_lets_text_be_read(text, paper):
    share = 0.45
    behind = [share * one + (1 - share) * other for one, other in zip((0, 114, 178), paper, strict=True)]

    def light(colour):
        parts = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    bright, dim = sorted((light(text), light(behind)), reverse=True)
    assert (bright + 0.05) / (dim + 0.05) >= 4.5


def test_the_map_is_a_result_whose_rows_add_up():
    """In JSON, cells and what lies outside the map add up to the size of each cluster; text says how many it shows."""
    labels, others = [place // 3 for place in range(60)], [place * 7 % 60 // 3 for place in range(60)]
    found = cm.evaluate(labels, others).overlap_map(14, "largest")
    said = json.loads(found.to_json())
    assert len(said["true_clusters"]) == 14 == len(said["pred_clusters"])
    for side in ("true", "pred"):
        for one in said[f"{side}_clusters"]:
            shown = sum(cell["overlap"] for cell in said["cells"] if cell[side] == one["cluster"])
            assert shown + one["others"] + one["alone"] + one["unmatched"] == one["size"]
    text = repr(found)
    assert text.splitlines()[-1] == "The first 12 of 14 predicted clusters."
    assert "in clusters not shown" in text
    assert "in clusters not shown" in found.to_markdown()
    assert "first 12" not in found.to_markdown()


def test_texts_are_aligned_left_against_the_style_of_jupyter():
    html = cm.evaluate([0, 0, 1, 1], [0, 0, 0, 1]).splits()._repr_html_()
    assert html.count('<td style="text-align:left">') == 2  # the cluster and its parts
    assert "<td>" not in html
