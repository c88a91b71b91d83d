"""The page as a reader meets it: in Chromium, at a desk and on a phone, in light, in the dark and on paper."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import re
import shutil
import sys
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import clustermark as cm
from clustermark.diagnosis.captions import score_text
from clustermark.evaluation.evaluation_document import cluster_counts
from clustermark.evaluation.page.cluster_tables import (
    ROWS_CARRIED,
    ROWS_DRAWN,
    ROWS_WRITTEN,
    carry_rows,
    count_verdicts,
    leaning,
    shown_verdict,
    worst_clusters,
)
from clustermark.evaluation.page.maps import MAP_CLUSTERS
from clustermark.evaluation.page.work_list import find_repairs
from clustermark.results.values import label_text
from needs import lacking, need
from report_cases import CASES, HOSTILE, await_truth, companies, hostile, ten, three

ROOT = Path(__file__).parents[2]
AXE = Path(__file__).parent / "axe" / "axe.min.js.gz"
SETTINGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
SETTINGS += ["--disable-component-update", "--disable-sync"]
UNBREAKABLE = "unbreakable" * 40
SIDES = {"predicted-clusters": "clusters", "true-clusters": "classes"}


@pytest.fixture(scope="module")
def browser():
    found = filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome")))
    program = next(found, None)
    if program is None:
        lacking("Chromium (tools/system_packages.sh chromium)")
    with need("playwright", "sync_api").sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=SETTINGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Reports by name, each made once."""
    folder = tmp_path_factory.mktemp("reports")
    made: dict[str, tuple[cm.Evaluation, Path]] = {}

    def write(name: str) -> tuple[cm.Evaluation, Path]:
        if name not in made:
            evaluation, path = (companies if name == "companies" else CASES[name])(), folder / f"{name}.html"
            if name == "hostile":
                evaluation.settings.update(source=HOSTILE[1] + UNBREAKABLE, **{HOSTILE[2]: HOSTILE[0]})
                evaluation.write_report(path, title=HOSTILE[4] + UNBREAKABLE)
            else:
                evaluation.write_report(path)
            made[name] = evaluation, path
        return made[name]

    return write


class Visit(NamedTuple):
    """An open page, and all that went wrong on it."""

    page: object
    troubles: list[str]


@pytest.fixture
def visit(browser):
    contexts = []

    def opened(path: Path, width: int = 1280, **options: object) -> Visit:
        context = browser.new_context(viewport={"width": width, "height": 800}, **options)
        contexts.append(context)
        page, troubles, address = context.new_page(), [], path.as_uri()
        page.on("console", lambda message: troubles.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: troubles.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (troubles.append("dialog"), dialog.dismiss()))
        page.on("popup", lambda _: troubles.append("popup"))
        page.on(
            "request",
            lambda request: (
                None if request.url == address or request.url.startswith("data:") else troubles.append(request.url)
            ),
        )
        page.goto(address)
        return Visit(page, troubles)

    yield opened
    for context in contexts:
        context.close()


def rows(page, side: str, visible: bool = True) -> list[list[str]]:
    script = """([side, visible]) => Array.from(document.querySelectorAll(`#${side} tbody tr`))
        .filter((row) => !visible || row.offsetHeight > 0)
        .map((row) => Array.from(row.cells, (cell) => cell.dataset.v
            ?? (cell.querySelector("bdi") ?? cell).textContent))"""
    return page.evaluate(script, [side, visible])


def seek(page, text: str) -> None:
    """Show only what has this name."""
    page.locator("#find").fill(text)
    page.locator("#hits a.only").click()
    await_truth(page, f"document.getElementById('find').value === {json.dumps(text)}")


def switch_to(page, side: str) -> None:
    """Show the table of a side by its name."""
    page.locator(f"[name=side][value={'pred' if side == 'predicted-clusters' else 'true'}]").check()


def test_troubles_are_noticed(visit, tmp_path):
    path = tmp_path / "bad.html"
    path.write_text("<img src='https://example.invalid/x.png'><script>console.warn('hm'); throw Error('oh')</script>")
    page, troubles = visit(path)
    page.wait_for_load_state()
    assert {"console: hm", "error: oh", "https://example.invalid/x.png"} <= set(troubles)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("width", [1280, 375])
def test_quiet_and_within_the_screen(visit, written, name, width):
    page, troubles = visit(written(name)[1], width)
    page.evaluate("document.querySelectorAll('*').forEach((each) => each.dispatchEvent(new Event('mouseover')))")
    assert page.evaluate("document.scrollingElement.scrollWidth") <= width
    assert page.evaluate("document.body.scrollWidth") <= width
    assert page.evaluate("typeof window.pwned") == "undefined"
    assert page.locator("h1").is_visible()
    assert not troubles


@pytest.mark.parametrize("width", [320, 660, 900])
def test_tables_scroll_within_their_frames(visit, written, width):
    page, _ = visit(written("hostile")[1], width)
    assert page.evaluate("document.scrollingElement.scrollWidth") <= width
    frames = page.evaluate("Array.from(document.querySelectorAll('.scroll'), (f) => [f.scrollWidth, f.clientWidth])")
    assert any(inside > frame for inside, frame in frames)


@pytest.mark.parametrize("name", CASES)
def test_numbers_are_those_of_python(visit, written, name):
    evaluation, path = written(name)
    page, _ = visit(path)
    shown = page.evaluate(
        "Array.from(document.querySelectorAll('[data-index]'), (c) => [c.dataset.index, c.dataset.v, c.textContent])"
    )
    assert sorted(label for label, _, _ in shown) == sorted(evaluation)
    for label, value, text in shown:
        assert float(value) == evaluation[label]
        assert text == score_text(evaluation[label])
    carried = json.loads(page.locator("#data").text_content())
    assert carried == json.loads(evaluation.to_json())
    for side, attribute in SIDES.items():
        table = getattr(evaluation, attribute)
        expected = worst_clusters(table, ROWS_DRAWN)
        wrong = expected.column("pairs_wrong").tolist()
        assert wrong == sorted(table.column("pairs_wrong").tolist(), reverse=True)[:ROWS_DRAWN]
        switch_to(page, side)
        found = rows(page, side)
        assert len(found) == len(expected)
        for row, pairs_wrong, cells in zip(expected, wrong, found, strict=True):
            match = "no label" if row.best_match is None else label_text(row.best_match)
            verdict = shown_verdict(row.verdict, row.jaccard)
            verdict += leaning(row.pairs_lost, pairs_wrong, table.side) if verdict == "mixed" else ""
            assert (cells[0], cells[1], cells[3]) == (label_text(row.cluster), verdict, match)
            numbers = (row.size, row.best_match_size, row.overlap, row.precision, row.recall, row.jaccard, row.jci)
            values = [float(cells[place]) for place in (2, *range(4, 13))]
            assert values == [*numbers, row.counterparts, row.pairs_lost, pairs_wrong]
        verdicts = page.evaluate(f"Array.from(document.querySelectorAll('#{side} .legend li'), (li) => li.innerText)")
        assert [line.split(" (")[0] for line in verdicts] == [
            f"{v} {n:,}" for v, n in count_verdicts(table).items() if n
        ]
    key = page.locator(".key dd:not(.note)").all_inner_texts()
    clusters, noise = zip(*(cluster_counts(evaluation.record, side) for side in ("true", "pred")), strict=True)
    assert key[:3] == [f"{n:,}" for n in (evaluation.n_used, *clusters)]
    notes = [div.locator(".note").all_inner_texts() for div in page.locator(".key div").all()]
    assert notes[1:3] == [[text.strip()] if text else [] for text in noise]
    assert page.locator(".notices p").all_inner_texts() == [notice.text for notice in evaluation.notices]
    assert key[3] == ("5" if name == "all_noise" else f"{evaluation.classes.verdicts['exact']:,}")
    for name_, errors in (("splits", evaluation.splits(10)), ("merges", evaluation.merges(10))):
        lost = page.evaluate(f"Array.from(document.querySelectorAll('#{name_} [data-v]'), (e) => Number(e.dataset.v))")
        assert lost == [row.pairs_lost for row in errors]
    assert page.locator(".verdict").inner_text() == evaluation.verdict
    assert page.locator(".next").inner_text().startswith(f"Next: {evaluation.advice}")
    mended = page.evaluate("Array.from(document.querySelectorAll('.work > li'), (li) => Number(li.dataset.mended))")
    repairs = find_repairs(evaluation)
    assert mended == ([] if isinstance(repairs, str) else [one.mended for one in repairs])


@pytest.mark.parametrize("name", CASES)
def test_charts_are_drawn(visit, written, name):
    evaluation, path = written(name)
    page, _ = visit(path)
    charts = page.locator("svg.chart")
    assert 7 <= charts.count() <= 10
    page.locator("#tab-flow").click()
    flow = page.locator("#flow svg").bounding_box()
    page.locator("#tab-map").click()
    boxes = [chart.bounding_box() for chart in charts.all()]
    for box in [flow, *(box for box in boxes if box is not None)]:
        assert box["width"] > 250
        assert box["height"] > 150
    assert sum(box is None for box in boxes) == 1
    assert all(chart.get_attribute("aria-label") for chart in charts.all())
    overlaps = evaluation.overlap_map(MAP_CLUSTERS)
    drawn = page.evaluate(
        "Array.from(document.querySelectorAll('#overlap-map .mark[data-count]'),"
        " (m) => [m.dataset.at, Number(m.dataset.count)])"
    )
    cells = {f"{row} {column}": overlaps.counts[row, column] for row, column in np.argwhere(overlaps.counts)}
    assert dict(drawn) == cells
    assert page.locator("#flow .mark").count() >= len(cells)
    assert page.locator("#sizes .mark path").count() >= 2
    sticking_out = """() => Array.from(document.querySelectorAll("svg.chart")).flatMap((svg) => {
        const frame = svg.getBoundingClientRect();
        return Array.from(svg.querySelectorAll("text"))
            .filter((text) => { const box = text.getBoundingClientRect();
                return box.left < frame.left - 2 || box.right > frame.right + 2 || box.top < frame.top - 2; })
            .map((text) => text.textContent);
    })"""
    assert page.evaluate(sticking_out) == []


def test_marks_say_what_they_are(visit, written):
    evaluation, path = written("ten")
    page, _ = visit(path)
    overlaps = evaluation.overlap_map(MAP_CLUSTERS)
    said = page.locator("#overlap-map .mark > title").all_text_contents()
    assert (
        f"true {overlaps.true_labels[0]} in pred {overlaps.pred_labels[0]}: {overlaps.counts[0, 0]} points" in said[0]
    )
    page.locator("#overlap-map .mark").first.hover()  # also where its number is written
    assert page.locator(".said").inner_text() == said[0]


@pytest.mark.parametrize("side", SIDES)
def test_sorting(visit, written, side):
    _, path = written("hostile")
    page, troubles = visit(path)
    switch_to(page, side)
    before = rows(page, side)
    headers = page.locator(f"#{side} thead th")
    assert headers.nth(12).get_attribute("aria-sort") == "descending"
    page.locator(f"#{side} thead button").nth(2).click()
    sizes = [float(row[2]) for row in rows(page, side)]
    assert sizes == sorted(sizes, reverse=True) != [float(row[2]) for row in before]
    assert headers.nth(2).get_attribute("aria-sort") == "descending"
    assert headers.nth(12).get_attribute("aria-sort") is None
    page.locator(f"#{side} thead button").nth(8).focus()
    page.keyboard.press("Enter")  # the worst first
    assert "sorted by Jaccard, rising" in page.locator(f"#{side} .found").inner_text()
    scores = [float(row[8]) for row in rows(page, side)]
    assert scores == sorted(scores)
    assert headers.nth(8).get_attribute("aria-sort") == "ascending"
    page.locator(f"#{side} thead button").nth(1).click()
    words = [row[1] for row in rows(page, side)]
    assert words == sorted(words)
    page.locator(f"#{side} thead button").nth(12).click()
    assert sorted(row[12] for row in rows(page, side)) == sorted(row[12] for row in before)
    assert not troubles


@pytest.mark.parametrize("side", SIDES)
def test_finding(visit, written, side):
    """The search finds any cluster that the page carries, also those that are not drawn."""
    evaluation, path = written("hostile")
    page, troubles = visit(path)
    switch_to(page, side)
    table = getattr(evaluation, SIDES[side])
    carried = worst_clusters(table, ROWS_WRITTEN + len(carry_rows(worst_clusters(table, ROWS_CARRIED))))
    assert 1000 < len(carried) <= table.total
    find, found = page.locator("#find"), page.locator(f"#{side} .found")
    seek(page, "EMOJI")
    errors = evaluation.merges(10) if table.side == "pred" else evaluation.splits(10)
    parts = {label_text(row.cluster): [label_text(part.cluster) for part in row.parts] for row in errors}
    names = [(label_text(row.cluster), "" if row.best_match is None else label_text(row.best_match)) for row in carried]
    wanted = [own for own, match in names if any("emoji" in name.lower() for name in (own, match, *parts.get(own, [])))]
    assert found.inner_text().startswith(f"{len(wanted)} of ")
    assert [row[0] for row in rows(page, side)] == wanted != []
    last = names[-1][0]
    seek(page, f'"{last}"')
    assert last in [row[0] for row in rows(page, side)]
    seek(page, "<script>")
    found_so = rows(page, side)
    assert all("<script>" in "".join([row[0], row[3], *parts.get(row[0], [])]) for row in found_so)
    assert found_so
    find.fill("no such label anywhere")
    assert page.locator("#hits").inner_text() == "Nothing on this page has this name."
    assert rows(page, side) == found_so  # the page stays as it is
    find.fill("")
    assert len(rows(page, side)) == ROWS_DRAWN
    for verdict, number in count_verdicts(table).items():
        chip = page.locator(f"#{side} [data-filter='{verdict}']")
        if not number:
            continue
        chip.click()
        assert chip.get_attribute("aria-pressed") == "true"
        carried_so = sum(shown_verdict(row.verdict, row.jaccard) == verdict for row in carried)
        assert found.inner_text().startswith(f"{carried_so:,} of ")
        assert number == carried_so or len(carried) < table.total
        assert all(row[1].startswith(verdict) for row in rows(page, side))
        chip.click()
    assert not troubles


def test_addresses_lead_to_what_they_name(visit, written):
    _, path = written("companies")
    page, troubles = visit(path)
    page.goto(f"{path.as_uri()}#q=schmidt&filter=merged")
    page.reload()
    shown = rows(page, "predicted-clusters")
    assert shown
    assert all(row[1] == "merged" and "schmidt" in row[0] + row[3] for row in shown)
    assert page.locator("#find").input_value() == "schmidt"
    page.locator("#find").fill("")
    assert page.evaluate("location.hash") == "#filter=merged"
    assert not troubles


def test_from_the_curve_to_a_cluster_and_back(visit, written):
    evaluation, path = written("companies")
    page, troubles = visit(path)
    page.locator("#pareto a.mark").nth(2).click()
    third = evaluation.repairs(3)[2]
    await_truth(page, "document.activeElement.id === 'repair-3'")
    page.locator("#repair-3 a.to").first.click()
    (row,) = [row for row in rows(page, "predicted-clusters") if row[0] == third.cluster]
    assert float(row[11]) == third.false_pairs
    line = page.locator("#predicted-clusters tr.here")
    assert line.locator("bdi").first.inner_text() == third.cluster
    assert 100 < line.bounding_box()["y"] < 700
    assert line.evaluate("(one) => one === document.activeElement")
    assert page.locator("#find").input_value() == ""
    assert len(rows(page, "predicted-clusters")) == ROWS_DRAWN  # nothing is hidden
    page.locator("#splits a.to").first.click()
    await_truth(page, "document.querySelector('#true-clusters tr.here')?.checkVisibility()")
    page.locator("#true-clusters .found a.back").click()
    await_truth(page, "document.querySelector('#predicted-clusters').checkVisibility()")  # it is again what it was
    assert page.evaluate("location.hash") == "#splits"
    assert page.locator("tr.here").count() == 0
    page.locator("#predicted-clusters tr", has_text=third.cluster).locator("a.mend").first.click()
    await_truth(page, "document.activeElement.id === 'repair-3'")
    assert page.locator("#repair-1").is_visible()
    page.locator("#repair-3 a.back").click()
    await_truth(page, "document.activeElement.id === 'pareto-step-3'")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Tab")
    assert not page.evaluate("document.activeElement.closest('#pareto')")  # not on to another mark
    assert page.locator(".picked").count() == 0
    page.locator("#pareto a.mark").nth(30).click()  # in the folded part
    assert page.locator("#repair-31").is_visible()
    page.go_back()
    assert page.evaluate("location.hash") == "#pareto-step-3"
    said = page.locator("#repair-3 .parts").inner_text()
    assert f"After repairs 1 to 3: {100 * third.mended:.1f}% of the wrong pairs mended" in said
    assert "The list has the first 60 of 76 repairs; 2.8% of the wrong pairs (24) are left" in page.content()
    assert "856 wrong pairs: 743 false pairs and 113 missing pairs." in page.locator("#mend").inner_text()
    assert page.locator(".in-short").evaluate("(one) => one.scrollHeight <= one.clientHeight")
    seen = page.evaluate("document.body.innerText")
    assert not re.search(r"\bpoints?\b|pairs lost|\bso far\b", seen)  # one word a thing
    twice = "(all) => all.filter((row) => new Set(Array.from(row.querySelectorAll('.mend'), (a) => a.hash)).size"
    assert page.locator("#clusters tr").evaluate_all(f"{twice} < row.querySelectorAll('.mend').length).length") == 0
    assert not troubles


def test_the_worst_are_on_the_map_with_their_parts(visit, written):
    evaluation, path = written("companies")
    page, _ = visit(path)
    cells = page.evaluate(
        "Array.from(document.querySelectorAll('#overlap-map .mark[data-count]'),"
        " (m) => [m.dataset.true, m.dataset.pred, Number(m.dataset.count)])"
    )
    drawn = {(true, pred): count for true, pred, count in cells}
    said = page.locator("#flow .mark > title").all_text_contents()
    for row in [*evaluation.merges(10), *evaluation.splits(10)]:
        assert len(row.parts) == row.counterparts  # all of them are looked for
    for row in evaluation.merges(10):
        for part in row.parts:
            assert drawn[part.cluster, row.cluster] == part.overlap
    for row in evaluation.splits(10):
        for part in row.parts:
            assert drawn[row.cluster, part.cluster] == part.overlap
    assert sum("→" in text for text in said) >= len(drawn)
    for text in said:
        assert re.search(r": ([\d,]+ records|1 record)$", text)


DRAWN = """(figure) => Array.from(document.querySelectorAll(`#${figure} .mark[data-at]`),
    (mark) => [mark.dataset.true, mark.dataset.pred, Number(mark.dataset.count)])"""
TEXTS = """(where) => Array.from(document.querySelectorAll(`${where} title`), (said) => said.textContent)"""
MARGINS = {"others": "other clusters", "alone": "alone, such as noise"}


def test_the_map_shows_what_is_chosen(visit, written):
    """Every number of map and flow is that of the data, and lines add up to their clusters with the margins."""
    evaluation, path = written("companies")
    page, troubles = visit(path)
    sizes = dict(zip(*(evaluation.classes.to_dict()[name] for name in ("cluster", "size")), strict=True))
    for choose, most in product(("largest", "worst"), (12, 24, 48)):
        page.locator(f"[name=choose][value={choose}]").check()
        page.locator(f"[name=most][value='{most}']").check()
        overlaps = evaluation.overlap_map(most, choose)
        expected = {
            (overlaps.true_labels[i], overlaps.pred_labels[j]): int(overlaps.counts[i, j])
            for i, j in np.argwhere(overlaps.counts)
        }
        for figure in ("overlap-map", "flow"):
            assert {(true, pred): count for true, pred, count in page.evaluate(DRAWN, figure)} == expected
        flows = page.evaluate(TEXTS, "#flow .mark")
        named = {f"{true} → {pred}: {count} record{'s' * (count != 1)}" for (true, pred), count in expected.items()}
        assert named <= set(flows)
        outside = []
        sides = ((overlaps.true_labels, overlaps.true_margins), (overlaps.pred_labels, overlaps.pred_margins))
        for labels, margins in sides:
            for name, counts in margins.items():
                outside += [f"{label}, {MARGINS[name]}: {n}" for label, n in zip(labels, counts, strict=True) if n]
        said = page.evaluate(TEXTS, "#overlap-map .mark:not([data-at])")
        assert sorted(text.split(" record")[0] for text in said) == sorted(outside)
        for place, label in enumerate(overlaps.true_labels):
            inside = sum(count for (true, _), count in expected.items() if true == label)
            left = sum(counts[place] for counts in overlaps.true_margins.values())
            assert inside + left == overlaps.true_sizes[place] == sizes[label]
        assert page.evaluate("document.scrollingElement.scrollWidth") <= 1280
        assert (choose, most) != ("worst", 12) or page.evaluate(CONTRASTS) == []
    assert not troubles


def test_a_click_selects_everywhere(visit, written):
    evaluation, path = written("companies")
    page, troubles = visit(path)
    worst = evaluation.merges(1)[0]
    cell = page.locator(f"#overlap-map .mark[data-pred='{worst.cluster}']").first
    cell.click()
    picked = page.evaluate("Array.from(document.querySelectorAll('#overlap-map .mark.picked'), (m) => m.dataset.pred)")
    assert picked == [worst.cluster] * len(worst.parts)
    page.locator("[name=most][value='12']").check()
    assert page.locator("#overlap-map .mark.picked").count() == len(worst.parts)
    page.locator("#tab-flow").click()
    assert page.locator("#flow .mark.picked").count() == len(worst.parts)
    assert page.locator("#merges li.picked").count() == 1
    assert "picked" in page.locator("#repair-1").get_attribute("class")
    assert page.locator("#predicted-clusters tr.picked bdi").first.inner_text() == worst.cluster
    page.locator(".picks button").click()
    assert page.locator(".picked").count() == 0
    page.locator("#splits a.to").first.click()
    split = evaluation.splits(1)[0]
    assert page.locator("#true-clusters tr.here bdi").first.inner_text() == split.cluster
    assert page.locator(".picked").count() == 0  # nothing is selected unasked
    assert not troubles


def test_a_phone_begins_with_few_clusters(visit, written):
    evaluation, path = written("companies")
    page, troubles = visit(path, 375)
    assert page.locator("[name=most][value='12']").is_checked()
    overlaps = evaluation.overlap_map(12)
    assert len(page.evaluate(DRAWN, "overlap-map")) == np.count_nonzero(overlaps.counts)
    assert "The worst merges and splits in turn, each with its parts" in page.locator("#overlap-map").inner_text()
    for wide in ("#overlap-map", "#predicted-clusters"):  # what is cut off says so
        assert page.locator(f"{wide} .sideways").inner_text() == "Scroll sideways for the rest →"
    page.set_viewport_size({"width": 1440, "height": 800})
    await_truth(page, "!document.querySelector('#overlap-map .sideways').checkVisibility()")
    page.set_viewport_size({"width": 375, "height": 800})
    page.locator("[name=most][value='48']").check()
    assert len(page.evaluate(DRAWN, "overlap-map")) == np.count_nonzero(evaluation.overlap_map(48).counts)
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 375
    assert not troubles


def test_one_cluster_is_no_good_match(visit, tmp_path):
    """Whatever its Jaccard index: the flow has no band in the colour of good matches, on the page as in the data."""
    evaluation = cm.evaluate([0] * 30 + [1] * 5, ["all"] * 35)
    evaluation.write_report(tmp_path / "one.html")
    page, troubles = visit(tmp_path / "one.html")
    assert not evaluation.overlap_map().matched.any()
    styles = page.evaluate("Array.from(document.querySelectorAll('#flow .mark path'), (p) => p.getAttribute('style'))")
    assert len(styles) == 2
    assert all("--pred" in style and "--agreed" not in style for style in styles)
    assert not troubles


def test_the_head_stays_and_is_small(visit, written):
    evaluation, path = written("companies")
    page, _ = visit(path)
    for width, height in ((1440, 900), (768, 1024), (375, 667)):
        page.set_viewport_size({"width": width, "height": height})
        page.locator("#made").scroll_into_view_if_needed()
        box = page.locator(".head-bar").bounding_box()
        assert box["y"] == 0
        assert box["height"] < 0.16 * height
        assert evaluation.advice[:9] in page.locator(".in-short").inner_text()
        page.evaluate("location.hash = ''")
        page.evaluate("location.hash = '#overlaps'")
        await_truth(page, "Math.abs(document.querySelector('#overlaps').getBoundingClientRect().top) < 200")
        assert page.locator("#overlaps h2").bounding_box()["y"] >= box["height"]


def test_shades_follow_the_measure(visit, written):
    evaluation, path = written("ten")
    page, troubles = visit(path)
    overlaps = evaluation.overlap_map(MAP_CLUSTERS)
    shares = {
        "row": overlaps.counts / np.array(overlaps.true_sizes)[:, None],
        "column": overlaps.counts / np.array(overlaps.pred_sizes),
        "count": overlaps.counts / overlaps.counts.max(),
        "jaccard": overlaps.jaccard,
    }
    script = """Array.from(document.querySelectorAll('#overlap-map .mark[data-count]'),
        (m) => Number(getComputedStyle(m.querySelector('path')).opacity))"""
    for measure, expected in shares.items():
        page.locator(f"[name=measure][value={measure}]").check()
        assert page.evaluate(script) == pytest.approx(0.06 + 0.49 * expected[overlaps.counts > 0], abs=0.01)
    assert not troubles


def test_the_keyboard_reaches_everything(visit, written):
    _, path = written("ten")
    page, troubles = visit(path)
    reached = set()
    for _ in range(600):
        page.keyboard.press("Tab")
        where = page.evaluate(
            "[document.activeElement.tagName, document.activeElement.id, document.activeElement.className.baseVal"
            " ?? document.activeElement.className, document.activeElement.name ?? ''].join(' ')"
        )
        reached.add(where)
        if where.startswith("BODY"):
            break
    said = " | ".join(reached)
    for wanted in ("skip", "find", "theme", "tab-map", "measure", "side", "mark", "copy", "to", "download", "is "):
        assert wanted in said, wanted
    page.locator("#tab-map").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("#flow").is_visible()
    page.keyboard.press("ArrowRight")
    first = page.locator("#overlap-map .mark").first
    first.focus()
    page.keyboard.press("ArrowDown")
    there = page.evaluate("document.activeElement.dataset.at")
    assert int(there.split()[0]) > 0
    page.keyboard.press("Enter")
    assert page.locator("#overlap-map .mark.picked").count() > 0
    page.locator(".picks a.to").first.press("Enter")
    await_truth(page, "document.activeElement.matches('tr.here')")
    page.keyboard.press("Escape")
    assert page.locator(".picked").count() == 0
    assert not troubles


NAMELESS, CONTRASTS = (Path(__file__).with_name(f"{name}.js").read_text() for name in ("nameless", "contrasts"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["ten", "companies"])
def test_contrast_and_names(visit, written, name, scheme):
    """Text 4.5:1, marks 3:1; whatever can be reached has a name and is nested in nothing else that can."""
    page, troubles = visit(written(name)[1], color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    assert page.evaluate(CONTRASTS) == []
    page.locator("#tab-flow").click()
    assert page.evaluate(CONTRASTS) == []
    assert page.evaluate(NAMELESS) == []
    assert not troubles


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser, written, scheme):
    """axe-core, as npm has it, lies beside this file; the policy of the page would not let it run."""
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.goto(written("ten")[1].as_uri())
    page.evaluate(gzip.decompress(AXE.read_bytes()).decode())
    found = page.evaluate("axe.run()")
    context.close()
    assert [(fault["id"], fault["nodes"][0]["html"]) for fault in found["violations"]] == []
    assert len(found["passes"]) > 30


def test_a_low_contrast_is_noticed(visit, written, tmp_path):
    text = written("ten")[1].read_text(encoding="utf-8").replace("--muted: #5b6572", "--muted: #aaaaaa")
    path = tmp_path / "pale.html"
    path.write_text(text.replace('id="theme" hidden>Dark<', 'id="theme" hidden aria-label=" "><'), encoding="utf-8")
    page, _ = visit(path, color_scheme="light")
    assert page.evaluate(CONTRASTS)


@pytest.mark.parametrize("name", ["three", "hostile"])
@pytest.mark.parametrize("side", SIDES)
def test_downloads(visit, written, name, side, tmp_path):
    evaluation, path = written(name)
    page, troubles = visit(path)
    switch_to(page, side)
    with page.expect_download() as started:
        page.locator(f"#{side} a.download").click()
    assert started.value.suggested_filename == f"{side}.csv"
    target = tmp_path / "got.csv"
    started.value.save_as(target)
    found = list(csv.DictReader(io.StringIO(target.read_bytes().decode(), newline="")))
    expected = getattr(evaluation, SIDES[side]).rows()
    assert [float(row["Jaccard"]) for row in found] == [row["jaccard"] for row in expected]
    wrong = getattr(evaluation, SIDES[side]).column("pairs_wrong").tolist()
    assert [float(row["wrong pairs"]) for row in found] == wrong
    assert [row["cluster"].removeprefix("'") for row in found] == [row["cluster"] for row in expected]
    assert not troubles


def luminance(colour: str) -> float:
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (int(part) / 255 for part in colour.partition("(")[2].rstrip(")").split(",")[:3])
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


COLOURS = """() => {
    const style = (where) => getComputedStyle(document.querySelector(where));
    return [style("body").backgroundColor, style("body").color, style(".lead").color, style("svg.chart text").fill,
            style("#sizes .mark path").fill, style("a").color];
}"""


def test_light_and_dark(visit, written):
    _, path = written("ten")
    assert not re.search(r"\bdark where", path.read_text(encoding="utf-8"))  # in the dark, the same cells are bright
    seen = {}
    for scheme in ("light", "dark"):
        page, troubles = visit(path, color_scheme=scheme)
        seen[scheme] = paper, *inks = page.evaluate(COLOURS)
        for ink in inks[:3]:
            assert contrast(paper, ink) > 4.5
        assert contrast(paper, inks[3]) > 3
        assert not troubles
    page.locator("#theme").click()
    assert page.evaluate(COLOURS) == list(seen["light"])
    page.locator("#theme").click()
    assert page.evaluate(COLOURS) == list(seen["dark"])
    assert luminance(seen["light"][0]) > 0.9
    assert luminance(seen["dark"][0]) < 0.05
    assert all(light != dark for light, dark in zip(seen["light"], seen["dark"], strict=True))


@pytest.mark.parametrize("name", ["three", "hostile"])
def test_paper(visit, written, name):
    _, path = written(name)
    page, troubles = visit(path, 794, color_scheme="dark")
    page.emulate_media(media="print")
    assert luminance(page.evaluate(COLOURS)[0]) > 0.9
    for hidden in ("nav", ".tools >> nth=0", ".download >> nth=0", ".head-bar"):
        assert not page.locator(hidden).is_visible()
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 794
    for side in SIDES:
        assert 0 < len(rows(page, side)) <= 40
        heads = page.locator(f"#{side} thead th").all()
        assert all(head.locator(".on-paper").inner_text().strip() for head in heads)
        assert not any(head.locator("button").is_visible() for head in heads)  # which are not printed on later pages
    for kept in ("h2", "h3", ".lead", ".scale", ".table > .note"):  # with what follows them
        assert page.evaluate(f"getComputedStyle(document.querySelector('{kept}')).breakAfter") == "avoid"
    assert page.locator(".paper").count() == (2 if name == "hostile" else 0)
    most = 28 if name == "hostile" else 18  # all its repairs are printed, with names that fill several lines each
    assert 2 <= len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4"))) <= most
    assert not troubles


def test_without_scripts_everything_is_there(visit, written):
    evaluation, path = written("three")
    page, _ = visit(path, java_script_enabled=False)
    assert page.locator("#predicted-clusters tbody tr").count() == len(evaluation.clusters)
    assert not page.locator(".tools").first.is_visible()
    assert not page.locator("#find").is_visible()
    for there in ("#overlap-map svg", "#flow svg", "#true-clusters tbody tr >> nth=0", "details table >> nth=0"):
        assert page.locator(there).is_visible()
    assert page.locator("#predicted-clusters thead button").first.is_disabled()


def test_without_scripts_long_tables_begin_with_the_worst(visit, written):
    evaluation, path = written("hostile")
    page, _ = visit(path, java_script_enabled=False)
    assert page.locator("#predicted-clusters tbody tr").count() == ROWS_WRITTEN
    said = page.locator("#predicted-clusters .extent")
    assert said.inner_text().strip() == f"The 50 that are in most wrong pairs, of {evaluation.clusters.total:,}."
    page.emulate_media(media="print")
    assert said.inner_text().endswith("On paper the first 40.")
    assert len(rows(page, "predicted-clusters")) == 40


def test_numbers_beyond_those_of_javascript_are_exact(visit, tmp_path):
    most = 2**53
    many = [place for place in range(60) for _ in range(2)]
    counts = [most, 1, *[1] * 118]
    evaluation = cm.evaluate(many, [(place, n % 2) for n, place in enumerate(many)], ["jaccard"], counts=counts)
    evaluation.write_report(tmp_path / "page.html")
    page, troubles = visit(tmp_path / "page.html")
    switch_to(page, "true-clusters")
    shown = {row[0]: row[2] for row in rows(page, "true-clusters")}
    assert len(shown) == 60
    assert shown["0"] == str(most + 1)
    assert f"{most + 1:,}" in page.locator("#true-clusters").inner_text()
    page.locator("#true-clusters thead button").nth(2).click()
    assert rows(page, "true-clusters")[0][2] == str(most + 1)
    assert not troubles


def test_three_million_clusters(visit, tmp_path):
    rng = np.random.default_rng(0)
    n = 3_000_000
    truth = np.concatenate([np.arange(n), rng.integers(0, n, 500_000)])
    moved = rng.random(len(truth)) < 0.1
    prediction = np.where(moved, rng.integers(0, n, len(truth)), truth)
    evaluation, path = cm.evaluate(truth, prediction, ["adjusted_rand"]), tmp_path / "large.html"
    records = need("pyarrow").table({"name": [f"record {i} of {i % 999} " * 3 for i in range(len(truth))]})
    evaluation.write_report(path, records=records)
    assert path.stat().st_size < 5_000_000
    assert path.read_text(encoding="utf-8").count('class="fold long drawer"') > 100
    page, troubles = visit(path, 375)
    assert "3,000,000" in page.locator(".key").inner_text()
    assert [a.get_attribute("download") for a in page.locator("a.download").all()] == ["repairs.csv"]
    switch_to(page, "true-clusters")
    assert "write_csv" in page.locator("#true-clusters").inner_text()
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 375
    assert len(rows(page, "true-clusters")) == ROWS_DRAWN
    assert not troubles


def test_the_gallery(visit, tmp_path, capsys):
    sys.path.insert(0, str(ROOT / "tools"))
    gallery = import_module("gallery")
    gallery.main(tmp_path)
    pages = sorted(path.name for path in tmp_path.glob("*.html"))
    assert f"{len(pages) - 1} reports" in capsys.readouterr().out
    digits = {"digits-kmeans.html", "digits-ward.html", "digits-dbscan.html"}
    companies = {"companies-by-key.html", "companies-by-grams.html", "companies-pairs.html"}
    assert set(pages) == {"index.html"} | digits | companies
    assert str(ROOT) not in "".join(path.read_text(encoding="utf-8") for path in tmp_path.glob("*.html"))
    for width in (1280, 375):
        page, troubles = visit(tmp_path / "index.html", width)
        links = page.evaluate("Array.from(document.links, (link) => link.getAttribute('href'))")
        assert sorted([*links, "index.html"]) == pages
        assert page.evaluate("document.scrollingElement.scrollWidth") <= width
        assert not troubles
    for link in links:
        page, troubles = visit(tmp_path / link, 375)
        assert page.locator("svg.chart").count() >= 8
        assert page.evaluate("document.scrollingElement.scrollWidth") <= 375
        assert not troubles
    assert math.isfinite(float(page.locator("[data-index=adjusted_rand]").get_attribute("data-v")))


def test_cases_are_what_they_say():
    assert three().table.n_true_clusters == 3
    assert ten().table.n_true_clusters == 10
    assert hostile().table.n_true_clusters == 2000


@pytest.mark.parametrize("width", [1440, 375])
def test_ids_are_shown_whole(visit, tmp_path, width):
    labels = [f"crm-__-{number:06}" for number in range(5) for _ in range(40)]
    merged = [f"web-__-{number // 2:06}" for number in range(5) for _ in range(40)]
    cm.evaluate(labels, merged).write_report(tmp_path / "ids.html")
    page, _ = visit(tmp_path / "ids.html", width=width)
    names = "document.querySelectorAll('.verdict bdi, .next bdi')"
    lines = page.evaluate(f"""() => Array.from({names}, (name) => {{
        const range = document.createRange()
        range.selectNodeContents(name)
        return [name.textContent, new Set(Array.from(range.getClientRects(), (box) => box.top)).size]
    }})""")
    assert any("-__-" in text for text, _ in lines)
    assert {n for _, n in lines} == {1}
    below = page.evaluate(
        "() => { const style = getComputedStyle(document.querySelector('a.to'))\n"
        "return parseFloat(style.textUnderlineOffset) / parseFloat(style.fontSize) }"
    )
    assert below > 0.25  # an underscore lies higher


@pytest.mark.parametrize("width", [1440, 375])
def test_intervals_stand_under_their_scores(visit, tmp_path, width):
    labels = [0] * 20 + [1] * 20
    made = {name: [*labels[wrong:], *[2] * wrong] for name, wrong in (("the better method", 2), (UNBREAKABLE, 9))}
    cm.compare(labels, made).write_report(tmp_path / "compared.html")
    cm.evaluate(labels, made["the better method"], intervals=True).write_report(tmp_path / "evaluated.html")
    for name in ("compared", "evaluated"):
        page, troubles = visit(tmp_path / f"{name}.html", width=width, color_scheme="dark")
        script = """() => Array.from(document.querySelectorAll("td.number small"), (small) => {
            const cell = small.parentElement, box = small.getBoundingClientRect()
            return [box.top - cell.getBoundingClientRect().top, cell.getBoundingClientRect().right - box.right]
        })"""
        found = page.evaluate(script)
        assert found
        assert all(below > 15 and inside >= 0 for below, inside in found)
        names = page.evaluate("() => Array.from(document.querySelectorAll('tbody th'), (th) => th.offsetWidth)")
        assert min(width for width in names if width) > 80  # those that are folded away have none
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert not troubles
