"""The sheet as a judge meets it: in Chromium, by keyboard and on a phone, from a file and without a network."""

from __future__ import annotations

import json
import shutil

import pytest
from worlds import blocks

import clustermark as cm
from clustermark.releases.judgements.answers import read_answers
from needs import lacking, need
from report_cases import HOSTILE, await_truth

SETTINGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
WORLD = blocks(4, 30)
EVIL = "<img src=x onerror=\"document.title='gone'\"></script><script>document.title='gone'</script>"


@pytest.fixture(scope="module")
def browser():
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        lacking("Chromium (tools/system_packages.sh chromium)")
    with need("playwright", "sync_api").sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=SETTINGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser):
    context = browser.new_context(accept_downloads=True)
    page = context.new_page()
    page.complaints = []
    page.on("console", lambda message: page.complaints.append(message.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("request", lambda request: page.complaints.append(request.url) if request.url.startswith("http") else None)
    yield page
    context.close()


def write(folder, **how):
    asked = cm.questions(WORLD["before"], WORLD["after"], n=20, **how)
    asked.write_sheet(folder / "sheet.html", folder / "key.json")
    return asked


def save(page, path):
    with page.expect_download() as download:
        page.click("#save")
    download.value.save_as(path)
    return download.value.suggested_filename


def test_a_judge_answers_by_keyboard_reloads_saves_and_judge_reads_it(page, tmp_path):
    records = {str(place): {"name": f"name {label}"} for place, label in enumerate(WORLD["truth"])}
    asked = write(tmp_path, records=records)
    page.goto((tmp_path / "sheet.html").as_uri())
    assert "This page holds records." in page.text_content("header")
    page.fill("#judge", "=Ada Ö")
    page.keyboard.press("s")  # into the field of the name
    assert page.text_content("#progress").startswith(f"Question 1 of {len(asked)}; 0 answered")
    page.fill("#judge", "=Ada Ö")
    page.click("h1")
    said = {}
    for place, one in enumerate(asked.table):
        cells = page.locator("#pair tr").first.locator("td").all_text_contents()
        key = "?" if place == 3 else "s" if cells[0] == cells[1] else "d"
        said[one.pair] = {"s": "same", "d": "different", "?": "unknown"}[key]
        page.keyboard.press(key)
        if place == len(asked) // 2:
            page.reload()
            assert page.input_value("#judge") == "=Ada Ö"
            assert f"; {place + 1} answered" in page.text_content("#progress")
    assert page.is_visible("#done")
    page.keyboard.press("ArrowLeft")
    assert page.locator("button[aria-pressed=true]").count() == 1
    name = save(page, tmp_path / "saved.csv")
    assert name == f"answers--Ada-Ö-{asked.design.fingerprint}.csv"
    answers = read_answers(tmp_path / "saved.csv")
    assert {one.pair: one.said for one in answers} == said
    assert {one.judge for one in answers} == {"=Ada Ö"}
    found = cm.judge(tmp_path / "key.json", tmp_path / "saved.csv")
    assert found.counts["answered"] == len(asked)
    assert found.counts["unknown"] == 1
    assert page.complaints == []


def test_answers_can_be_continued_elsewhere_and_changed(page, browser, tmp_path):
    asked = write(tmp_path)
    page.goto((tmp_path / "sheet.html").as_uri())
    for key in "sd":
        page.keyboard.press(key)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("?")
    save(page, tmp_path / "saved.csv")
    context = browser.new_context()
    other = context.new_page()
    other.goto((tmp_path / "sheet.html").as_uri())
    assert "; 0 answered" in other.text_content("#progress")
    other.set_input_files("#load", tmp_path / "saved.csv")
    await_truth(other, "document.getElementById('progress').textContent.includes('; 2 answered')")
    other.set_input_files("#load", {"name": "x.csv", "mimeType": "text/csv", "buffer": b'a,"b""c"\n1,2\n'})
    other.wait_for_selector("#trouble:not([hidden])")
    context.close()
    assert {one.said for one in read_answers(tmp_path / "saved.csv")} == {"same", "unknown"}
    assert len(asked.table) > 2


def stored(page):
    return dict(page.evaluate("Object.entries(localStorage)"))


def open_with(browser, address, entries):
    """The sheet with these entries in its store, put there: a busy Chromium may show a new page an empty one."""
    page = browser.new_context().new_page()
    page.add_init_script(f"for (const [key, value] of {json.dumps(list(entries.items()))}) localStorage[key] = value;")
    page.goto(address)
    return page


def test_two_tabs_do_not_overwrite_each_other(browser, tmp_path):
    write(tmp_path)
    address = (tmp_path / "sheet.html").as_uri()
    one, other = (open_with(browser, address, {}) for _ in range(2))
    one.keyboard.press("s")
    other.keyboard.press("ArrowRight")
    other.keyboard.press("d")
    both = open_with(browser, address, stored(one) | stored(other))
    assert "; 2 answered" in both.text_content("#progress")
    for page in (one, other, both):
        page.context.close()


def test_answers_outlive_a_browser_that_forgets_what_it_stored(page, browser, tmp_path):
    write(tmp_path)
    address = (tmp_path / "sheet.html").as_uri()
    page.goto(address)
    page.fill("#judge", "Ada")
    page.click("h1")
    for key in "sd":
        page.keyboard.press(key)
    page.evaluate("localStorage.clear()")
    page.reload()
    assert page.input_value("#judge") == "Ada"
    assert page.text_content("#progress").startswith("Question 3")
    again = open_with(browser, address, stored(page))
    assert again.input_value("#judge") == "Ada"
    assert "; 2 answered" in again.text_content("#progress")
    again.context.close()


def test_a_sheet_in_the_file_of_another_does_not_take_its_answers(page, tmp_path):
    write(tmp_path)
    page.goto((tmp_path / "sheet.html").as_uri())
    page.keyboard.press("s")
    other = cm.questions(WORLD["before"], WORLD["after"], n=20, seed=7)
    other.write_sheet(tmp_path / "other.html", tmp_path / "other.json")
    (tmp_path / "other.html").replace(tmp_path / "sheet.html")
    page.reload()
    assert "; 0 answered" in page.text_content("#progress")
    page.keyboard.press("s")
    page.reload()
    assert "; 1 answered" in page.text_content("#progress")


def test_hostile_records_are_harmless_and_nothing_is_loaded(page, tmp_path):
    texts = [*HOSTILE, EVIL, "\u202eright to left", "=1+1", "a\nb"]
    records = {str(place): {EVIL: texts[place % len(texts)], "long": "x" * 300} for place in range(len(WORLD["truth"]))}
    asked = cm.questions(WORLD["before"], WORLD["after"], n=20, records=records)
    asked.write_sheet(tmp_path / "sheet.html", tmp_path / "key.json", title=EVIL)
    text = (tmp_path / "sheet.html").read_text()
    assert text.count("<script") == 2
    assert EVIL not in text
    assert "default-src 'none'" in text
    assert "unsafe-inline" not in text
    page.goto((tmp_path / "sheet.html").as_uri())
    assert page.title() == EVIL
    seen = set()
    for _ in asked.table:
        assert page.locator("img, iframe, object, main script").count() == 0
        assert page.locator("#pair th").first.text_content() == EVIL
        seen |= set(page.locator("#pair tr").first.locator("td").all_text_contents())
        page.keyboard.press("d")
    shown = {records[name][EVIL] for one in asked.table for name in one.pair}
    assert {one.replace("\r", "") or "nothing" for one in shown} == {one.replace("\r", "") for one in seen}
    save(page, tmp_path / "saved.csv")
    assert cm.judge(tmp_path / "key.json", tmp_path / "saved.csv").counts["answered"] == len(asked)
    assert page.complaints == []
    # what is not ours does not run
    page.evaluate("() => { const s = document.createElement('script'); s.textContent = 'document.title = 1'; "
                  "document.body.append(s); }")  # fmt: skip
    assert page.title() == EVIL


def test_a_phone_shows_all_of_a_pair_and_the_buttons(browser, tmp_path):
    records = {str(place): {"name": "unbreakable" * 20, "city": "Lille"} for place in range(len(WORLD["truth"]))}
    write(tmp_path, records=records)
    context = browser.new_context(viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto((tmp_path / "sheet.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    for name in ("same", "different", "unknown"):
        box = page.locator(f"#{name}").bounding_box()
        assert box["height"] >= 40
        assert box["y"] + box["height"] <= 640
    page.tap("#same")
    assert "; 1 answered" in page.text_content("#progress")
    context.close()


def test_a_sheet_of_answered_questions_says_so(page, tmp_path):
    asked = cm.questions([0, 0], [0, 1])
    again = cm.questions([0, 0], [0, 1], store={one.pair: "same" for one in asked.table})
    again.write_sheet(tmp_path / "sheet.html", tmp_path / "key.json")
    page.goto((tmp_path / "sheet.html").as_uri())
    assert "all were answered before" in page.text_content("#progress")
    page.keyboard.press("s")
    assert page.complaints == []
