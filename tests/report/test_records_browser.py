"""Records on the page, as a reader meets them: from the curve to a cluster to its records and back."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from test_report_browser import AXE, CONTRASTS, NAMELESS, browser, rows, seek, visit  # noqa: F401  (fixtures)

import clustermark as cm
from clustermark.evaluation.page.maps import MAP_CLUSTERS
from report_cases import HOSTILE, await_truth, companies

pytestmark = pytest.mark.slow
COMPANIES = Path(__file__).parents[2] / "examples" / "data" / "companies"
CELLS = """(drawer) => Array.from(drawer.querySelector("table").tBodies[0].rows, (row) => Array.from(row.cells,
    (cell) => cell.matches("th") ? cell.querySelector("b").textContent : cell.textContent))"""
OPEN_ALL = "document.querySelectorAll('details').forEach((fold) => { fold.open = true; })"
MISSED = """() => Array.from(document.querySelectorAll("a[href], button, input, summary, [tabindex='0']"))
    .filter((one) => one.getClientRects().length && !one.disabled && one.tabIndex >= 0 && one.type !== "radio")
    .filter((one) => !window.reached.has(one)).map((one) => one.outerHTML.slice(0, 120))"""


def opened(page):
    """The drawer whose summary has the focus."""
    await_truth(page, "document.activeElement.matches('.drawer > summary')")
    found = page.evaluate("document.activeElement.parentElement.id")
    return page.locator(f"#{found}")


def small() -> cm.Evaluation:
    """Few clusters, of which one has more points than are listed, with names that occur on both sides."""
    truth = [0] * 30 + [1] * 6 + [2] * 4 + [3] * 3
    return cm.evaluate(truth, [0] * 36 + [2] * 3 + [3] * 2 + [4] * 2)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("records")
    companies().write_report(folder / "companies.html", records=COMPANIES / "records.csv", show=["name", "city"])
    texts = [{"text": HOSTILE[place % len(HOSTILE)], HOSTILE[place % 3]: HOSTILE[2]} for place in range(43)]
    small().write_report(folder / "small.html", records=texts)
    return folder


@pytest.fixture(scope="module")
def listed():
    return companies().repairs(60, records=COMPANIES / "records.csv", show=["name", "city"])


def test_from_the_curve_to_a_cluster_to_its_records_and_back(visit, pages, listed):  # noqa: F811
    page, troubles = visit(pages / "companies.html")
    assert "This page holds name and city of" in page.locator(".holds").inner_text()
    page.locator("#pareto a.mark").nth(2).click()
    await_truth(page, "document.activeElement.id === 'repair-3'")
    page.locator("#repair-3 a.to").first.click()
    third = listed[2]
    drawer = opened(page)
    assert drawer.get_attribute("data-label") == third.cluster
    assert drawer.evaluate("(one) => one.open && one.getBoundingClientRect().top < 300")
    assert page.locator(".picked").count() == 0  # what is open is not selected
    shown = drawer.evaluate(CELLS)
    members = third.members
    assert [row[1:] for row in shown] == [
        [one.point, *(one.record[name] or "–" for name in ("name", "city"))] for one in members.shown
    ]
    assert [row[0] for row in shown] == ["ABCD"[part] for part in members.parts]
    marks = drawer.locator("table").first.locator("mark").all_inner_texts()
    assert not {"Brno", "Bergen"} & set(marks)  # each is right in its true cluster
    pairs = drawer.locator(".pairs tbody")
    assert pairs.count() == 3
    first = [cell for line in pairs.first.locator("tr").all() for cell in line.locator("td").all_inner_texts()[:1]]
    assert first == [one.point for one in members.pairs[0][1:]]
    drawer.locator("th a.to").first.click()  # the largest true cluster in it
    assert opened(page).get_attribute("data-label") == members.shown[0].true
    page.go_back()
    assert opened(page).get_attribute("data-label") == third.cluster
    drawer.locator(".return a").click()
    await_truth(page, "document.activeElement.id === 'repair-3'")
    page.go_back()
    drawer.locator("a.back", has_text="repair 3").click()
    await_truth(page, "document.activeElement.id === 'repair-3'")
    page.locator("#repair-3 a.back").click()
    await_truth(page, "document.activeElement.id === 'pareto-step-3'")
    assert "“name” is alike while “city” differs: let “city” veto a join" in page.locator(".next").inner_text()
    assert not troubles


def test_search_finds_a_cluster_whose_row_leads_to_its_records(visit, pages):  # noqa: F811
    page, troubles = visit(pages / "companies.html")
    for name in ("r0174", "r0667", "r0055"):
        seek(page, f'"{name}"')
        assert [row[0] for row in rows(page, "predicted-clusters") if row[0] == name] == [name]
        page.locator("#predicted-clusters tbody th a.to", has_text=name).click()
        assert opened(page).get_attribute("data-label") == name
        opened(page).locator("a.back", has_text="its row").click()
        await_truth(page, "document.activeElement.matches('tr.here')")
        assert page.locator("tr.here bdi").first.inner_text() == name
        page.locator("#found button").click()
        assert page.locator("#find").input_value() == ""
    page.goto(f"{(pages / 'companies.html').as_uri()}#q=schmidt&filter=merged")
    page.reload()
    assert page.locator("#find").input_value() == "schmidt"
    assert not troubles


def test_search_lists_what_it_finds_and_leads_there(visit, pages):  # noqa: F811
    page, troubles = visit(pages / "companies.html")
    find, hits = page.locator("#find"), page.locator("#hits a")
    page.locator("#splits").scroll_into_view_if_needed()
    before = page.evaluate("[scrollY, document.body.scrollHeight]")
    find.fill("r0589")
    assert page.evaluate("[scrollY, document.body.scrollHeight]") == before  # the page stays still
    record, only = hits.all_inner_texts()
    assert record.startswith("record r0589")
    assert only.startswith("show only these")
    assert page.locator("#found").inner_text() == "1 record"
    page.keyboard.press("Escape")
    assert find.input_value() == ""
    find.fill("r0589")
    page.keyboard.press("Enter")
    await_truth(page, "document.activeElement.matches('.drawer[open] tr')")
    assert page.evaluate("document.activeElement.cells[1].textContent") == "r0589"
    assert not page.locator("#hits").is_visible()
    assert find.input_value() == ""
    page.locator(".drawer:has(tr:focus) .return a").click()
    await_truth(page, "['#errors', '#splits'].includes(location.hash)")
    seek(page, "r0589")
    assert set(page.locator(".drawer:visible").evaluate_all("(all) => all.map((one) => one.dataset.label)")) == {
        "r0174",
        "schmidt-paper-mill-turin",
    }
    folds = page.locator("#mend > .fold > summary, #records > .fold:not(.drawer) > summary").all_inner_texts()
    assert [text.split()[0] for text in folds] == ["0", "0"]
    page.locator("nav a", has_text="Clusters").click()  # a section keeps what is looked for
    assert find.input_value() == "r0589"
    assert [row[0] for row in rows(page, "predicted-clusters")] == ["r0174"]
    find.fill("SCHMIDT  paper-mill")
    spaced = hits.all_inner_texts()
    assert any(text.startswith("true cluster schmidt-paper-mill-turin") for text in spaced)
    find.fill("schmidt-paper-mill")
    assert hits.all_inner_texts() == spaced
    for written in ("Kraków", "krakow"):
        find.fill(written)
        assert any("record" in text and "Krak" in text for text in hits.all_inner_texts())
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement === document.querySelectorAll('#hits a')[1]")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "find"
    assert not page.locator("#hits").is_visible()
    assert page.locator("#repair-1").is_visible()  # the page is again as it was
    find.fill("no such name")
    assert page.locator("#hits").inner_text() == "Nothing on this page has this name."
    seek(page, "r0667")
    page.locator("#repair-1 a.to").first.evaluate("(link) => link.click()")  # what the search hid comes back
    opened(page)
    assert find.input_value() == ""
    assert not troubles


def test_a_chart_is_one_stop_of_the_keyboard(visit, pages):  # noqa: F811
    page, troubles = visit(pages / "companies.html")
    stops = '(svg) => svg.querySelectorAll(\'a.mark:not([tabindex="-1"]), [tabindex="0"]\').length'
    assert page.locator("#pareto svg").evaluate(stops) == 1
    assert page.locator("#overlap-map svg").evaluate(stops) == 2  # the cells, and the names around them
    links = page.locator("#pareto a.mark")
    links.first.focus()
    for place in range(1, links.count()):
        page.keyboard.press("ArrowRight")
        assert links.nth(place).evaluate("(one) => one === document.activeElement && one.tabIndex === 0")
    page.keyboard.press("Home")
    assert links.first.evaluate("(one) => one === document.activeElement")
    page.locator("[name=most][value='12']").check()
    assert page.locator("#overlap-map svg").evaluate(stops) == 2
    assert not troubles


def test_a_phone_shows_whole_records(visit, pages):  # noqa: F811
    page, troubles = visit(pages / "companies.html", 375)
    drawer = page.locator(".drawer").first
    drawer.locator("summary").click()
    ends = drawer.locator(".records td").evaluate_all("(all) => all.map((one) => one.getBoundingClientRect().right)")
    assert max(ends) <= 375
    assert not drawer.locator("thead").first.is_visible()  # each value stands behind the name of its column
    first = drawer.locator("tbody tr").first.locator("td")
    names = first.evaluate_all("(all) => all.map((one) => getComputedStyle(one, '::before').content)")
    assert names == ['"record"', '"name"', '"city"']
    begins = first.evaluate_all("(all) => all.map((one) => one.getBoundingClientRect().left)")
    assert len(set(begins)) == 1
    assert page.locator(".head-bar").bounding_box()["height"] < 85
    assert not troubles


def test_names_and_cells_of_the_map_lead_to_records(visit, pages):  # noqa: F811
    page, troubles = visit(pages / "companies.html")
    names = page.locator("#overlap-map a.mark")
    lines = companies().overlap_map(MAP_CLUSTERS)
    assert names.count() == len(lines.true_labels) + len(lines.pred_labels)
    names.first.locator("text").click()
    opened(page)
    cell = page.locator("#overlap-map .mark[data-at]").first
    wanted = cell.get_attribute("data-pred")
    cell.focus()
    page.keyboard.press("Enter")
    page.locator(".picks a.to").last.click()
    assert opened(page).get_attribute("data-label") == wanted
    page.locator("[name=choose][value=largest]").check()
    page.locator("[name=most][value='12']").check()
    largest = companies().overlap_map(12, "largest")
    assert names.count() == len(largest.true_labels) + len(largest.pred_labels)
    names.last.locator("text").click()
    assert opened(page).get_attribute("data-label") in map(str, [*largest.true_labels, *largest.pred_labels])
    assert not troubles


def test_the_keyboard_alone_reaches_everything(visit, pages):  # noqa: F811
    page, troubles = visit(pages / "small.html")
    page.evaluate(OPEN_ALL)
    page.evaluate("window.reached = new Set(); addEventListener('focusin', (e) => window.reached.add(e.target))")
    for _ in range(600):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === document.body"):
            break
    assert page.evaluate(MISSED) == []
    assert page.evaluate("Array.from(window.reached).filter((one) => one.closest('.drawer')).length") > 20
    # from the curve to records and back by Enter and Tab
    page.locator("#pareto a.mark").first.focus()
    page.keyboard.press("Enter")
    await_truth(page, "document.activeElement.id === 'repair-1'")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    opened(page)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "back to where you were"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "repair 1"
    page.keyboard.press("Enter")
    await_truth(page, "document.activeElement.id === 'repair-1'")
    assert not troubles


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (375, "dark")])
def test_records_are_harmless_and_readable(visit, pages, width, scheme):  # noqa: F811
    page, troubles = visit(pages / "small.html", width, color_scheme=scheme)
    page.evaluate(OPEN_ALL)
    assert page.evaluate("document.scrollingElement.scrollWidth") <= width
    assert page.evaluate("typeof window.pwned") == "undefined"
    assert page.locator(".records img, .records script, .records svg").count() == 0
    widths = page.evaluate("Array.from(document.querySelectorAll('.records td'), (cell) => cell.offsetWidth)")
    assert min(widths) > 60
    assert page.evaluate(CONTRASTS) == []
    assert page.evaluate(NAMELESS) == []
    assert not troubles
    text = page.locator(".records").first.text_content()
    assert "<script>window.pwned=1</script>" in text
    assert "(empty)" in text


def test_axe_finds_nothing_in_records(browser, pages):  # noqa: F811
    context = browser.new_context(color_scheme="dark", bypass_csp=True)
    page = context.new_page()
    page.goto((pages / "small.html").as_uri())
    page.evaluate(OPEN_ALL)
    page.evaluate(gzip.decompress(AXE.read_bytes()).decode())
    found = page.evaluate("axe.run({ include: [['header'], ['#records']] })")
    context.close()
    assert [(fault["id"], fault["nodes"][0]["html"]) for fault in found["violations"]] == []


def test_records_are_there_without_scripts_and_those_of_the_first_repairs_on_paper(visit, pages):  # noqa: F811
    page, _ = visit(pages / "small.html", java_script_enabled=False)
    target = page.locator("#repair-1 a.to").first.get_attribute("href")
    assert page.locator(target).locator("table").first.is_visible()
    assert page.locator("#overlap-map a.mark").first.get_attribute("href").startswith("#records-")
    assert page.locator("#predicted-clusters tbody th a.to").first.get_attribute("href").startswith("#records-")
    page.emulate_media(media="print")
    first = page.locator("#repair-1 a.to").first.get_attribute("href")
    assert page.locator(f"{first}.printed > summary").is_visible()
    assert page.locator(f"{first}.printed table").first.is_visible()
    assert 1 <= page.locator(".drawer.printed").count() <= 5
    assert not any(drawer.is_visible() for drawer in page.locator(".drawer:not(.printed)").all())
    assert all(repair.is_visible() for repair in page.locator(".work > li").all())
    assert page.locator(".holds").is_visible()
