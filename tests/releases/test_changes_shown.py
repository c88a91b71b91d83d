"""Changes as text, JSON, Markdown, notebook table and page; names that would like to be more than names."""

from __future__ import annotations

import json
import re

import pytest

import clustermark as cm
from clustermark.releases.change_lists import (
    CLUSTER_CHANGE,
    EVENT,
    SCORE_CHANGE,
    SLICE,
    TRUE_CLUSTER,
    ClusterChange,
    Event,
    ScoreChange,
    Slice,
    TrueCluster,
)
from needs import need
from report_cases import HOSTILE

Draft202012Validator = need("jsonschema").Draft202012Validator
MarkdownIt = need("markdown_it").MarkdownIt
VALIDATOR = Draft202012Validator(cm.json_schema())
NASTY = [
    *HOSTILE,
    "@everyone",
    "#1",
    "a | b",
    "x`y``z",
    "`",
    "https://example.org",
    "[a](http://b.c)",
    "![i](j)",
    "* b",
]


def plain():
    return cm.changes([0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 2])


def unmatched():
    return cm.changes({1: "a", 2: "a", 3: "b"}, {1: "x", 2: "y", 4: "y"})


def alone():
    return cm.changes({1: "a", 2: "a", 3: "b"}, {1: "x", 2: "y", 4: "y"}, unmatched="singletons", by={1: "s", 4: "t"})


def weighted():
    return cm.changes([0, 0, 1], [0, 1, 1], [0, 0, 1], weights=[0.5, 1.5, 1], by=["x", "y", "x"])


def same():
    return cm.changes([0, 0, 1], [0, 0, 1], [0, 1, 1])


def hostile():
    before = [NASTY[i % len(NASTY)] for i in range(90)]
    after = [NASTY[(i * 7 + i // 5) % len(NASTY)] for i in range(90)]
    ids = [f"{label}{i}" for i, label in enumerate(before)]
    lone = {f"{label} only": "z" for label in NASTY}
    truth = [NASTY[i % 11] for i in range(90)]
    found = (dict(zip(ids, labels, strict=True)) for labels in (before, after, truth, after))
    before, after, truth, by = found
    return cm.changes(
        before | lone,
        after | {f"{label} new": "z" for label in NASTY},
        truth,
        by=by,
        noise_pred=dict.fromkeys(["-1", ""], "cluster"),
    )


CASES = {case.__name__: case for case in (plain, unmatched, alone, weighted, same, hostile)}


@pytest.fixture(params=CASES, scope="module")
def found(request):
    return CASES[request.param]()


def test_json_is_as_the_schema_says(found):
    document = json.loads(found.to_json(k=50))
    VALIDATOR.validate(document)
    assert document["kind"] == "changes"
    known = {*cm.json_schema()["properties"], *cm.json_schema()["$defs"]["changes"]["properties"]}
    assert document.keys() <= known
    assert document["impact"]["split_rate"] == found.split_rate
    assert document["records"]["before_only"] == found.records["before_only"]
    assert json.loads(found.to_json(k=0))["events"]["rows"] == []
    assert document["settings"]["unmatched"] == found.table.policies.unmatched


@pytest.mark.parametrize(
    ("row", "columns"),
    [
        (Event, EVENT),
        (ClusterChange, CLUSTER_CHANGE),
        (Slice, SLICE),
        (TrueCluster, TRUE_CLUSTER),
        (ScoreChange, {"label": None, **SCORE_CHANGE}),
    ],
)
def test_the_columns_are_the_fields_of_the_rows(row, columns):
    assert tuple(columns) == row._fields


def test_the_schema_refuses_what_is_not_so():
    document = json.loads(plain().to_json())
    for path, value in (
        ("summary", None),
        ("records", {}),
        ("events", {}),
        ("impact", {"distance": 2}),
        ("kinds", None),
    ):
        assert not VALIDATOR.is_valid(document | {path: value})


def test_markdown_holds_no_markup_but_ours(found):
    text = found.to_markdown()
    rendered = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    assert {tag.lower() for tag in re.findall(r"<(\w+)", rendered)} <= {
        *("h1", "h2", "h3", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "code", "p"),
        *("strong", "blockquote"),
    }
    outside = re.sub(r"<code>.*?</code>", "", rendered, flags=re.DOTALL)
    assert "@" not in outside
    assert "http" not in outside
    for table in re.findall(r"<table>.*?</table>", rendered, re.DOTALL):
        head = table.count("<th")
        rows = re.findall(r"<tr>.*?</tr>", table, re.DOTALL)[1:]
        assert all(row.count("<td") == head - table.count("<thead") for row in rows)


@pytest.mark.slow
@pytest.mark.parametrize("found", ["alone", "hostile"], indirect=True)
def test_the_page_is_whole_and_harmless(found, tmp_path):
    found.write_report(tmp_path / "page.html", title="<i>Changes</i>")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<i>Changes" not in text
    assert "default-src 'none'" in text
    assert text == found.report("<i>Changes</i>")
    inside = text.split('<script type="application/json" id="data">')[1].split("</script>")[0]
    VALIDATOR.validate(json.loads(inside))
    assert not re.search(r"<(script>window|img src=x|svg onload)", text)


def test_text_and_notebook(found):
    assert repr(found).splitlines()[0] == found.summary()[0]
    table = found._repr_html_()
    assert "<script" not in table
    assert not re.search(r"[\x00-\x08\x1b\u202e]", repr(found))


def test_lists_are_frames():
    pd = need("pandas")
    found = weighted()
    for listed in (found.events(), found.clusters(), found.slices, found.truth.clusters(None)):
        frame = listed.to_pandas()
        assert isinstance(frame, pd.DataFrame)
        assert list(frame) == list(listed.to_dict())
        assert listed.to_csv().count("\n") == len(frame) + 1
        assert len(listed[:1]) <= 1


def test_sentences():
    assert repr(unmatched()).splitlines()[:5] == [
        "2 records in both; 100% affected; distance 0.5000",
        "Better or worse is not known: pass a truth, or have pairs of records judged.",
        "note: 1 record before only: 3; 1 after only: 4; left out of the rates",
        "1 cluster before, 2 after; split rate 0.5000, merge rate 0.0000",
        "events: 1 split (2 records)",
    ]
    assert [notice.kind for notice in unmatched().notices] == ["coverage"]
    assert unmatched().summary()[3] == unmatched().notices[0].text
    assert "each a cluster of its own" in repr(alone())
    assert "nothing changed" in repr(same())


def test_the_verdict_names_what_is_shown():
    truth = [place // 4 for place in range(400)]
    parted = [1000 + place // 2 if place // 4 % 3 == 0 else place // 4 for place in range(400)]
    joined = [place // 8 if place // 8 % 3 == 0 else 1000 + place // 4 for place in range(400)]
    better, worse = cm.changes(parted, truth, truth), cm.changes(truth, parted, truth)
    assert better.verdict.startswith("Against the truth, the clustering after is better: b_cubed_recall, b_cubed_f")
    assert worse.verdict.startswith("Against the truth, the clustering after is worse: b_cubed_recall, b_cubed_f")
    mixed = cm.changes(parted, joined, truth).verdict
    assert mixed.startswith("Against the truth, b_cubed_recall improved, and b_cubed_precision")
    assert same().verdict == "Against the truth, the scores are the same."
    assert hostile().verdict.startswith("Against the truth")
    assert plain().verdict == json.loads(plain().to_json())["verdict"]


def test_changes_are_frames_of_their_events():
    need("pandas")
    assert plain().to_pandas().equals(plain().events(None).to_pandas())
    assert list(weighted().tables()) == ["events", "before", "after", "slices", "truth"]


def test_files_are_not_overwritten(tmp_path):
    for write in ("write_json", "write_markdown", "write_report"):
        path = tmp_path / write
        getattr(plain(), write)(path)
        with pytest.raises(cm.InputError, match="exists already"):
            getattr(plain(), write)(path)
        getattr(plain(), write)(path, overwrite=True)
