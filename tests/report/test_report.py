"""The charts and the page, without a browser."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
import subprocess
import sys
from hashlib import sha256
from html import escape
from html.parser import HTMLParser
from itertools import product
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import clustermark as cm
from clustermark.diagnosis import ClusterTable
from clustermark.diagnosis.map_drawings import _flows_of, draw_flow, draw_overlaps, kinds_of
from clustermark.evaluation.page.cluster_tables import ROWS_WRITTEN, worst_clusters
from clustermark.evaluation.page.elements import csv_bytes
from clustermark.evaluation.page.render import html
from clustermark.evaluation.page.scores import QUESTIONS, question_of
from clustermark.evaluation.plots import Plots, _falling_curve, _size_bins, balances_of, draw_suffering
from clustermark.results.svg import draw_svg
from clustermark.results.values import label_text, plain
from needs import need
from report_cases import CASES, HOSTILE, hostile, hostile_labels, noticed, ten, three, weighted

mpl = need("matplotlib", "figure")
mpl.use("Agg")

ROOT = Path(__file__).parents[2]
CHARTS = [
    "by_size",
    "confusions",
    "overlaps",
    "flow",
    "sizes",
    "clusters",
    "scores",
    "errors",
    "classes",
    "precision_recall",
]
VOID = {"meta", "link", "input", "br", "img"}


class Tags(HTMLParser):
    """The tags of a page, every one closed in its turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module", params=CASES)
def case(request):
    return CASES[request.param]()


@pytest.fixture(scope="module")
def page(case):
    return html(case, title=HOSTILE[0])


@pytest.fixture
def axes():
    return mpl.figure.Figure().add_subplot()


@pytest.mark.slow
@pytest.mark.parametrize("chart", CHARTS)
def test_charts_draw_on_given_axes(case, chart, axes):
    assert getattr(case.plot, chart)(ax=axes) is axes
    assert axes.get_title(loc="left")


@pytest.mark.parametrize("chart", CHARTS)
def test_charts_make_their_own_figure(chart):
    from matplotlib import pyplot as plt

    before = plt.get_fignums()
    axes = getattr(three().plot, chart)()
    assert len(plt.get_fignums()) == len(before) + 1
    axes.figure.canvas.draw()
    plt.close(axes.figure)


def test_the_map_has_a_mark_a_cell(axes):
    evaluation = ten()
    evaluation.plot.overlaps(ax=axes, k=5, choose="largest")
    overlaps = evaluation.overlap_map(5, "largest")
    marks = [patch for patch in axes.patches if str(patch.get_gid()).startswith("cell-")]
    assert len(marks) == np.count_nonzero(overlaps.counts)
    margins = [patch for patch in axes.patches if str(patch.get_gid()).startswith(("right-", "below-"))]
    assert len(margins) == np.count_nonzero(overlaps.true_margins["others"] + overlaps.pred_margins["others"])
    assert "The largest clusters: 5 of 10 true and 5 of 10 predicted" in axes.get_title(loc="left").replace("\n", " ")


def test_dollars_are_letters(axes):
    cm.evaluate(["$a$", "$\\bad$", "$a$"], ["$x", "$x", "y$"]).plot.overlaps(ax=axes)
    axes.figure.draw_without_rendering()
    assert {label.get_text() for label in axes.get_yticklabels()} == {"$a$", "$\\bad$"}


@pytest.mark.parametrize("k", [0, -1, 2.5, "3", None])
def test_k_is_a_positive_number(k):
    for chart in (three().plot.overlaps, three().plot.flow):
        with pytest.raises(cm.InputError, match="k="):
            chart(k=k)


def test_a_side_is_true_or_pred(axes):
    with pytest.raises(cm.InputError, match="side='both'"):
        three().plot.clusters(ax=axes, side="both")
    assert "true clusters" in three().plot.clusters(ax=axes, side="true").get_title(loc="left")


def test_plots_say_what_there_is():
    listed = "by_size, classes, clusters, confusions, errors, flow, groups, overlaps, precision_recall, repairs, scores"
    assert repr(Plots(three())).endswith(f": {listed}, sizes")


def luminance(colour) -> float:
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour[:3]]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


@pytest.mark.parametrize("chart", [*CHARTS, "repairs"])
def test_labels_are_seen_in_the_dark(chart):
    from matplotlib import colors, style, text

    with style.context("dark_background"):
        axes = mpl.figure.Figure(layout="constrained").add_subplot()
        getattr(three().plot, chart)(ax=axes)
        axes.figure.draw_without_rendering()
        for label in axes.findobj(text.Text):
            if label.get_visible() and label.get_text():
                assert (luminance(colors.to_rgb(label.get_color())) + 0.05) / 0.05 > 4.5, label.get_text()


def test_titles_of_neighbours_do_not_overlap():
    figure = mpl.figure.Figure(figsize=(12, 5))
    left, right = figure.subplots(1, 2)
    ten().plot.overlaps(ax=left, k=5)
    ten().plot.flow(ax=right, k=5)
    figure.draw_without_rendering()
    one, other = (ax._left_title.get_window_extent() for ax in (left, right))
    assert one.x1 < other.x0


def test_legends_lie_on_no_curve(axes):
    low = cm.evaluate([i % 7 for i in range(70)], [i % 5 for i in range(70)])
    low.plot.clusters(ax=axes)
    axes.figure.draw_without_rendering()
    assert axes.get_legend().get_window_extent().y1 < axes.get_window_extent().y0


def test_intervals_are_drawn_beside_precision_and_recall():
    evaluation = cm.evaluate([0] * 40 + [1] * 40, [0] * 34 + [1] * 43 + [0] * 3, intervals=True)
    pairs, cubed = balances_of(evaluation)
    assert (pairs.precision, pairs.recall) == (evaluation["pair_precision"], evaluation["pair_recall"])
    found = evaluation.interval("pair_precision")
    assert pairs.precision_interval == (found.low, found.high)
    assert cubed.name == "B-cubed"
    assert balances_of(three())[0].precision_interval is None


def test_questions_are_found_by_what_indices_say():
    asked = {name: question_of(cm.find(name)) for name in ("pair_precision", "pair_recall", "adjusted_rand", "purity")}
    assert [QUESTIONS.index(question) for question in asked.values()] == [1, 2, 0, 1]
    assert {question_of(index) for index in cm.catalogue() if index.facts.panel} == set(QUESTIONS)


WEIGHTS = st.floats(1e-35, 1e35)


@given(st.lists(st.integers(1, 2**60) | st.integers(1, 20), min_size=1) | st.lists(WEIGHTS, min_size=1))
@example([1])
@example([1, 2, 3])
@example([87, 247])
@example([0.3, 0.1 + 0.2])
@example([1e24])
@example([10**6, 10**6 + 100])
@example([10**12, 10**12 + 5])
@example([20_000, 70_000])
@example([3, 2**40])
def test_every_size_has_its_bin(sizes):
    bins = _size_bins(np.array(sizes, float))
    assert np.histogram(np.array(sizes, float), bins.edges)[0].sum() == len(sizes)
    assert (np.diff(bins.edges) > 0).all()
    assert len(set(bins.names)) == len(bins.names) == len(bins.edges) - 1 <= 26


@pytest.mark.parametrize("sizes", [(5,), (174, 183), (3, 4), (1, 900)])
def test_sizes_are_readable_on_their_axis(axes, sizes):
    truth = [cluster for cluster, size in enumerate(sizes) for _ in range(size)]
    draw_suffering(axes, cm.evaluate(truth, [0] * len(truth), []))
    low, high = axes.get_xlim()
    assert sum(low <= tick <= high for tick in axes.get_xticks()) >= 2


def test_curves_keep_their_area():
    rng = np.random.default_rng(0)
    for n in (3, 399, 401, 50_000):
        sizes, scores = rng.integers(1, 9, n).astype(float), rng.random(n)
        shares, falling = _falling_curve(sizes, scores)
        area = (np.diff(shares) * falling[1:]).sum()
        assert area == pytest.approx((sizes * scores).sum() / sizes.sum(), abs=0.004)
        assert (np.diff(falling) <= 0).all()
        assert len(shares) <= 402


@pytest.mark.parametrize("k", [1, 3, 10, 40])
def test_flows_keep_the_sizes_of_clusters(k):
    for evaluation in (ten(), weighted()):
        overlaps = evaluation.overlap_map(k)
        flows = _flows_of(overlaps)
        n_true, n_pred = overlaps.counts.shape
        assert flows.counts[:n_true].sum(1) == pytest.approx(overlaps.true_sizes)
        assert flows.counts[:, :n_pred].sum(0) == pytest.approx(overlaps.pred_sizes)
        assert not flows.counts[n_true:, n_pred:].any()


def test_bands_have_the_colours_of_what_happened():
    shown = cm.evaluate([0] * 9 + [1] * 4 + [2, 3], [0] * 9 + [1, 1, 2, 2] + [3, 3]).overlap_map()
    kinds = {(t, p): kinds_of(shown)[i, j] for i, t in enumerate(shown.true_labels)
             for j, p in enumerate(shown.pred_labels) if shown.counts[i, j]}  # fmt: skip
    assert kinds == {(0, 0): 0, (1, 1): 1, (1, 2): 1, (2, 3): 2, (3, 3): 2}
    close = cm.evaluate([0] * 20 + [1] * 4, [0] * 19 + [1] * 5).overlap_map()
    assert kinds_of(close)[0, 0] == 0
    assert kinds_of(close, nearly=0.99)[0, 0] == 1
    assert not (kinds_of(cm.evaluate([0] * 30 + [1], ["all"] * 31).overlap_map()) == 0).any()


def test_labels_of_the_flow_have_room(axes):
    overlaps = cm.evaluate([0] * 500 + [*range(1, 25)], [0] * 500 + [*range(1, 25)]).overlap_map()
    axes.figure.set_size_inches(7.6, 0.21 * 25 + 1)
    draw_flow(axes, overlaps)
    left = sorted(text.get_position()[1] for text in axes.texts if text.get_ha() == "right")
    assert len(left) == 26
    assert min(np.diff(left[1:])) > 0.1 / 4.9 * axes.get_ylim()[0]


@pytest.mark.slow
@pytest.mark.parametrize("scale", [1e-25, 1.0, 1e25])
def test_light_and_heavy_weights_flow(scale):
    evaluation = cm.evaluate([0, 0, 1], [0, 1, 1], weights=np.array([0.1, 0.2, 0.3]) * scale)
    assert np.count_nonzero(_flows_of(evaluation.overlap_map(2)).counts) == 3
    assert html(evaluation)


@pytest.mark.slow
def test_svg_stands_alone_and_follows_the_page():
    svg, chart = draw_svg("one", (4, 4), lambda ax: draw_overlaps(ax, hostile().overlap_map(24)))
    root = ET.fromstring(svg)
    assert {element.get("id", "one-").partition("-")[0] for element in root.iter()} == {"one"}
    references = set(re.findall(r'(?:url\(|href=")#([\w-]+)', svg))
    assert references
    assert references <= set(re.findall(r'id="([\w-]+)"', svg))
    assert not re.findall(r"#[0-9a-f]{6}", svg.replace("#000000", ""))
    assert "var(--true)" in svg
    assert "var(--ink)" in svg
    assert "DejaVu" not in svg
    assert len(root.findall(".//title")) == len(chart.hover) > 10


@pytest.mark.slow
def test_drawing_leaves_matplotlib_as_it_was():
    before = dict(mpl.rcParams)
    html(three())
    assert dict(mpl.rcParams) == before
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "red", "text.usetex": False, "axes.grid": True}):
        assert html(three()) == html(three())
        styled = html(three())
    assert styled == html(three())


@pytest.mark.slow
def test_the_page_is_whole(case, page):
    text = page
    tags = Tags(text)
    ids = [attributes["id"] for _, attributes in tags.seen if "id" in attributes]
    assert len(ids) == len(set(ids))
    charts = 10 if 1 < case.classes.total <= 40 else 9
    left_out = ("No repairs:" in text) + ("No quality by size:" in text)
    assert sum(tag == "svg" for tag, _ in tags.seen) == charts - left_out
    assert len(text.encode()) < 5_000_000


@pytest.mark.slow
def test_the_same_evaluation_gives_the_same_page():
    assert html(hostile()) == html(hostile())


@pytest.mark.slow
def test_nothing_is_fetched_or_run(page):
    text = page
    scripts = [attributes for tag, attributes in Tags(text).seen if tag == "script"]
    data = [{"type": "application/json", "id": name} for name in ("maps", "data", "rows")]
    assert scripts == [*data, {}]
    for tag, attributes in Tags(text).seen:
        assert tag not in ("img", "iframe", "object", "embed", "base", "form", "foreignobject")
        assert not [name for name in attributes if name.startswith("on")]
        assert "src" not in attributes
        reference = attributes.get("href") or attributes.get("xlink:href") or "#"
        assert tag == "a" or reference.startswith(("#", "data:"))
        assert reference.startswith(("#", "data:", "https://"))
    assert not re.search(r"url\((?!#)|@import", text)


@pytest.mark.slow
def test_the_policy_allows_our_script_only():
    text = html(three())
    script = text.rpartition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in text
    assert not re.search("innerHTML|eval|document.write|insertAdjacent", script)
    assert len(script.splitlines()) < 900


@pytest.mark.slow
@pytest.mark.usefixtures("without_charts")
def test_titles_and_settings_are_escaped():
    evaluation = three()
    evaluation.settings["source"] = HOSTILE[1]
    evaluation.settings["<i>"] = {"<u>": ["$title", "\x00"]}
    text = html(evaluation)
    assert f"<title>{escape(HOSTILE[1])}</title>" in text
    assert "<i>" not in text.partition("<section")[2]
    assert "$title" in text
    assert "\x00" not in text
    assert "<title>Mine &amp; yours</title>" in html(evaluation, "Mine & yours")


@pytest.mark.slow
def test_lone_surrogates_and_controls_are_replaced():
    assert plain("a\ud800\x00\ufffe\r\nb") == "a\ufffd\ufffd\ufffd b"
    assert plain("\u202eevil\u2066") == "evil"
    evaluation = three()
    evaluation.settings["source"] = "\ud800"
    html(evaluation).encode("utf-8")


@pytest.mark.parametrize("width", [3, 4, 12, 40])
def test_long_labels_are_cut(width):
    for label in HOSTILE:
        assert len(label_text(label, width)) <= max(width, len("(missing)"))
    assert label_text("short", 5) == "short"
    assert "…" in label_text("longer", 5)


def test_downloads_hold_every_cluster_and_no_formula():
    evaluation = hostile()
    columns = evaluation.clusters.to_dict()
    rows = list(csv.reader(io.StringIO(csv_bytes(columns).decode(), newline="")))
    assert rows[0] == list(columns)
    assert len(rows) == 1 + evaluation.clusters.total
    for place, name in enumerate(columns):
        for field, value in zip((row[place] for row in rows[1:]), columns[name], strict=True):
            if name in ("cluster", "best_match"):
                text = "" if value is None else value
                risky = text.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "'")) and not re.fullmatch(r"-\d+", text)
                assert field == ("'" + text if risky else text)
            else:
                assert field == str(value)
    labels = {row[0] for row in rows}
    assert {'\'=HYPERLINK("http://example.org","x")', "'+1+1|cmd", "'@sum(a1)", "-1", "'-minus"} <= labels


@pytest.mark.slow
@pytest.mark.usefixtures("without_charts")
def test_tables_are_capped():
    text = html(hostile())
    evaluation = hostile()
    assert f"The {ROWS_WRITTEN} that are in most wrong pairs, of {evaluation.clusters.total:,}." in text
    assert text.count("<tr data-verdict=") == 2 * ROWS_WRITTEN
    many = cm.evaluate(np.arange(20_001), np.arange(20_001) // 4, ["jaccard"])
    page = html(many)
    told = escape('evaluation.classes.write_csv("true-clusters.csv")')
    assert told in page
    assert page.count("download=") == 2  # the repairs, and the predicted clusters
    long = cm.evaluate([f"{i}{'x' * 2000}" for i in range(600)], range(600), ["jaccard"])
    assert told in html(long)


@pytest.mark.slow
@pytest.mark.usefixtures("without_charts")
def test_each_row_is_in_the_page_once():
    labels = [f"{place}x" for place in range(300)]
    evaluation = cm.evaluate(labels * 2, [place // 3 for place in range(300)] * 2, ["jaccard"])
    text = html(evaluation)
    carried = json.loads(re.findall(r'id="rows">(.*?)</script>', text)[0])
    for table, name in ((evaluation.classes, "true-clusters"), (evaluation.clusters, "predicted-clusters")):
        written = text[text.index(f'id="{name}"') :].partition("</table>")[0]
        first = re.findall(r'<th scope="row" class="label"><bdi>(\w+)', written)
        assert len(first) == ROWS_WRITTEN
        all_of_them = [str(row.cluster) for row in worst_clusters(table, 1000)]
        assert first + [row[0] for row in carried[table.side]] == all_of_them
    assert text.count(">299x<") + text.count('"299x"') == 1


@pytest.mark.slow
def test_what_is_merged_comes_before_what_is_exact():
    """Clusters that were thrown together lose no pair, and yet are among the worst of their side."""
    truth = [f"a{place}" for place in range(600)] + ["x", "y", "z"]
    page = html(cm.evaluate(truth, [*range(600), 600, 600, 600], ["adjusted_rand"]))
    table = page[page.index('id="true-clusters"') :]
    assert re.findall(r'<th scope="row" class="label"><bdi>(\w+)', table)[:4] == ["x", "y", "z", "a0"]
    assert "nearly exact has" not in table.partition("<table")[0]


@pytest.mark.slow
@pytest.mark.usefixtures("without_charts")
def test_reports_are_written(tmp_path):
    evaluation, path = three(), tmp_path / "report.html"
    evaluation.write_report(path, "Mine")
    assert path.read_text(encoding="utf-8") == evaluation.report(title="Mine") == html(evaluation, "Mine")
    with pytest.raises(cm.InputError, match="overwrite=True"):
        evaluation.write_report(path)
    evaluation.write_report(path, overwrite=True)
    assert path.read_text(encoding="utf-8") == html(evaluation)


@pytest.mark.slow
@pytest.mark.usefixtures("without_charts")
def test_other_indices_than_the_panel():
    text = html(cm.evaluate([0, 0, 1], [0, 1, 1], ["tau", "f_measure(beta=2)", "kulczynski_1"]))
    assert "<dt>Tau score</dt>" in text
    assert "f_measure(beta=2)" in text
    html(cm.evaluate([0, 0, 1], [0, 1, 1], []))
    html(cm.evaluate([0, 0, 1], [0, 1, 1], "all"))


@pytest.mark.slow
def test_importing_the_package_does_not_import_matplotlib():
    code = "import clustermark as cm, sys; cm.evaluate([0, 1], [0, 1]).plot; print('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "False\n"


def test_matplotlib_is_asked_for(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="report needs matplotlib"):
        three().report()
    with pytest.raises(ImportError, match="plot needs matplotlib"):
        three().plot.sizes()


@pytest.mark.slow
def test_labels_of_any_kind():
    labels = [(1, "a"), frozenset({2}), b"\xff", 3.0, None, True]
    text = html(cm.evaluate(labels * 2, [0] * 6 + [1] * 6, missing="cluster"))
    for shown in ("(1, &#x27;a&#x27;)", "frozenset({2})", "(missing)"):
        assert shown in text


def run_script(*names: str, path: str | None = None):
    script = [ROOT / "tools" / "system_packages.sh", *names]
    env = None if path is None else {"PATH": path}
    return subprocess.run(["/bin/bash", *script], capture_output=True, text=True, env=env)


def test_system_packages_are_looked_for(tmp_path):
    assert run_script("chromium").returncode == 0
    assert "unknown program firefox" in run_script("firefox").stderr
    for program, package in (("chromium", "chromium"), ("java", "default-jre-headless")):
        missing = run_script(program, path=str(tmp_path))
        assert missing.returncode == 1
        assert f"apt-get install -y --no-install-recommends {package}" in missing.stderr
    (tmp_path / "chromium").write_text("")
    (tmp_path / "chromium").chmod(0o755)
    assert run_script("chromium", path=str(tmp_path)).returncode == 0


def test_hostile_labels_differ():
    assert len(set(hostile_labels(3000))) == 3000


@pytest.mark.slow
@pytest.mark.usefixtures("without_charts")
def test_points_on_their_own_are_alone_in_the_list_of_errors():
    split = cm.evaluate(["a"] * 5, [1, 1, 1, -1, -1], noise_pred={-1: "singletons"})
    assert "3 in 1 · 2 alone" in re.sub("<[^>]*>", "", html(split))
    named = cm.evaluate(dict.fromkeys("uvwxy", "a"), {"u": 1, "v": 1, "w": 1}, unmatched="singletons")
    assert "3 in 1 · 2 alone (x, y)" in re.sub("<[^>]*>", "", html(named))
    lacking = cm.evaluate(["a"] * 5, [1, 1, 1, None, None], missing="cluster")
    assert "3 in 1 · 2 without a label" in re.sub("<[^>]*>", "", html(lacking))


@pytest.mark.slow
@pytest.mark.usefixtures("without_charts")
def test_the_head_says_what_to_know_before_the_scores_are_believed():
    page = html(noticed())
    head = re.sub("<[^>]*>", "", page[: page.index("<main")])

    assert "6 points of the truth have the label &#x27;noise&#x27;, which looks like noise" in head
    assert "No point of the prediction has the label &#x27;&lt;i&gt;&#x27;" in head
    assert "Scored on 40.0% of the points (40 of 100). On these: " in head
    assert "the truth has no label for 60, so precision on all points is unknown" in head
    assert "40.0% of 100" in head
    assert "+ 20 noise" in head
    assert "notices" not in html(three()).partition("<body>")[2].partition("<main")[0]


def test_the_words_for_verdicts_hold():
    """The verdicts of split, merged and mixed clusters, by sets of points, for all labelings of four points."""
    labelings = [labels for labels in product(range(3), repeat=4) if list(dict.fromkeys(labels)) == sorted({*labels})]
    for truth, prediction in product(labelings, repeat=2):
        table = cm.crosstab(truth, prediction)
        sides = {"true": truth, "pred": prediction}
        for side, other in (("pred", "true"), ("true", "pred")):
            for row in ClusterTable.of(table, side):
                own = {n for n, label in enumerate(sides[side]) if label == row.cluster}
                met = [{n for n, label in enumerate(sides[other]) if label == sides[other][one]} for one in own]
                several = any(cluster != met[0] for cluster in met)
                goes_on = any(cluster - own for cluster in met)
                inside, whole = ("split", "merged") if side == "pred" else ("merged", "split")
                said = {(False, False): "exact", (False, True): inside, (True, False): whole, (True, True): "mixed"}
                assert row.verdict == said[several, goes_on]
