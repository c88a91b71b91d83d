"""Pages, documents and tables of sweeps, estimates and matrices: what they say, and that nothing on them does harm."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import numpy as np
import pytest
from test_documents import CLOSED

import clustermark as cm
from clustermark.diagnosis.captions import score_text
from needs import need
from report_cases import HOSTILE

pytestmark = pytest.mark.slow

need("matplotlib")


def pairs_of_entities(names=None, n=60):
    """Entities of three records, chained by scored pairs, of which some are wrong."""
    rng = np.random.default_rng(4)
    truth = np.repeat(np.arange(n), 3)
    names = [f"r{place}" for place in range(len(truth))] if names is None else names
    left = np.arange(len(truth) - 1)
    scores = np.where(truth[:-1] == truth[1:], rng.beta(5, 2, len(left)), rng.beta(2, 5, len(left)))
    pairs = ([names[one] for one in left], [names[one + 1] for one in left], scores.round(2).tolist())
    return dict(zip(names, truth.tolist(), strict=True)), pairs


def hostile_names():
    return [f"{HOSTILE[place % len(HOSTILE)]}{place}" for place in range(180)]


def swept() -> cm.PairSweep:
    return cm.sweep_pairs(*pairs_of_entities(hostile_names()))


def swept_plain() -> cm.PairSweep:
    """Where much cannot be had: distances, records of the prediction only, no truth for some."""
    truth, (left, right, scores) = pairs_of_entities()
    known = {one: label for one, label in truth.items() if label % 4}
    return cm.sweep_pairs(known, (left, right, [1 - score for score in scores]), distance=True, unmatched="keep")


def swept_weighted() -> cm.PairSweep:
    truth, pairs = pairs_of_entities(n=10)
    return cm.sweep_pairs(truth, pairs, weights=dict.fromkeys(truth, 0.5), indices=["dice", "b_cubed_f"])


def swept_across() -> cm.PairSweep:
    names = [("xy"[place % 2], place) for place in range(180)]
    return cm.sweep_pairs(*pairs_of_entities(names), link_only=True)


def swept_nothing() -> cm.PairSweep:
    return cm.sweep_pairs({"a": 1, "b": 2}, (["a"], ["b"], [0.5]))


def labelings() -> cm.Sweep:
    return cm.sweep([0, 0, 1, 1], {0.5: [0, 0, 0, 0], 0.8: [0, 0, 1, 1], 0.9: [0, 1, 2, 2]})


def estimated() -> object:
    truth = {record: f"{HOSTILE[0]}{record // 3}" for record in range(300) if record // 3 % 4 == 0}
    return cm.estimate(truth, {record: f"{HOSTILE[1]}{record // 5}" for record in range(300)}, design="clusters")


def estimated_few() -> object:
    return cm.estimate({0: 0, 1: 0, 2: 1}, {0: 0, 1: 0, 2: 1, 3: 1}, design="clusters")


def related() -> object:
    names = HOSTILE[:4]
    rng = np.random.default_rng(0)
    return cm.similarity_matrix({f"{name}{place}": rng.integers(0, 3, 30) for place, name in enumerate(names)})


def related_without_order() -> object:
    return cm.similarity_matrix({"a": [0, 0, 1], "b": [0, 1, 1]}, "entropy_pred")


def related_infinite() -> object:
    return cm.similarity_matrix({"a": [0, 0, 1], "b": [0, 1, 1], "c": [0, 1, 1]}, "kulczynski1")


CASES = {
    case.__name__: case
    for case in (
        *(swept, swept_plain, swept_weighted, swept_across, swept_nothing, labelings),
        *(estimated, estimated_few, related, related_without_order, related_infinite),
    )
}


class Reader(HTMLParser):
    """Elements, and the texts of scripts; elements that are not closed are complained of."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.scripts: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        self.ids += [value for name, value in attrs if name == "id"]
        assert not [name for name, _ in attrs if name.startswith("on")]
        if tag not in ("meta", "link", "br", "input", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)


@pytest.fixture(scope="module", params=CASES)
def case(request):
    made = CASES[request.param]()
    return made, made.report()


def test_pages_are_whole_and_harmless(case):
    _, page = case
    reader = Reader()
    reader.feed(page)
    assert reader.open == []
    assert len(reader.ids) == len(set(reader.ids))
    assert "img" not in reader.seen
    assert "default-src 'none'" in page
    assert len(reader.scripts) == 3  # the document, the rows to search, and the script
    assert '<a class="skip" href="#content">' in page
    assert {"content", "scores"} <= set(reader.ids)


def test_documents_are_as_the_schema_says(case, tmp_path):
    made, page = case
    CLOSED.validate(json.loads(made.to_json()))
    made.write_json(tmp_path / "made.json")
    assert json.loads((tmp_path / "made.json").read_text(encoding="utf-8")) == json.loads(made.to_json())
    reader = Reader()
    reader.feed(page)
    carried = json.loads(reader.scripts[0])
    CLOSED.validate(carried)
    assert carried["kind"] == json.loads(made.to_json())["kind"]
    with pytest.raises(cm.InputError, match="exists already"):
        made.write_json(tmp_path / "made.json")


def test_tables_for_notebooks_and_papers(case, tmp_path):
    made, _ = case
    reader = Reader()
    reader.feed(made._repr_html_())
    assert reader.open == []
    assert "script" not in reader.seen
    made.write_latex(tmp_path / "made.tex")
    text = (tmp_path / "made.tex").read_text(encoding="utf-8")
    assert text.count(r"\begin{tabular}") == 1
    body = text[text.index(r"\toprule") :].splitlines()[1:-2]
    assert len({line.replace(r"\&", "").count("&") for line in body if "rule" not in line}) == 1
    made.write_report(tmp_path / "made.html", title="<b>")
    assert "&lt;b&gt;" in (tmp_path / "made.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_page_of_a_sweep_says_what_python_says():
    found = cm.sweep_pairs(*pairs_of_entities(n=200))
    page = found.report(by="b_cubed_f")
    best, interval = found.best("b_cubed_f"), found.interval("b_cubed_f")
    corrected, low, high = map(score_text, (interval.corrected, interval.low, interval.high))
    assert f"Cut at {best.threshold:.6g}: there the" in page
    assert f"expect {corrected}, {low} to {high}." in page
    assert f"{found.losses(best.threshold).never_proposed:,}</td>" in page
    assert f"Brier score {found.calibration().brier:.4f}" in page
    points = json.loads(_carried(page))["operating_points"]
    assert points["pair precision of at least 0.95"]["threshold"] == found.reach(0.95).threshold


def _carried(page: str) -> str:
    reader = Reader()
    reader.feed(page)
    return reader.scripts[0]


@pytest.mark.slow
def test_what_cannot_be_had_is_said():
    across, plain, weighted = swept_across().report(), swept_plain().report(), swept_weighted().report()
    assert "link_only=True has no interval" in across
    assert "choose unmatched=" in plain
    assert "only probabilities" not in plain  # pairs are not counted at all
    assert "weights are not counts" in weighted
    assert "No threshold is better than none" in swept_nothing().report()
    assert "no score can be estimated" not in estimated().report()


@pytest.mark.parametrize("distance", [False, True])
def test_the_drawn_curve_holds_until_the_next_threshold(distance):
    truth, (left, right, scores) = pairs_of_entities(n=10)
    scores = [1 - score for score in scores] if distance else scores
    found = cm.sweep_pairs(truth, (left, right, scores), indices=["dice"], distance=distance)
    line = found.plot.curves("dice").get_lines()[0]
    path = line.get_xydata()
    assert line.get_drawstyle() == "steps-post"  # a score is drawn from its threshold on towards the looser ones
    for (here, score), (there, _) in zip(path, path[1:], strict=False):
        assert found.scores((here + there) / 2)["dice"] == score
    assert labelings().plot.curves("dice").get_lines()[0].get_drawstyle() == "default"


def test_a_page_carries_some_of_many_thresholds():
    labels = {threshold: [0, threshold % 2, 2, threshold % 3] for threshold in range(1_100)}
    found = cm.sweep([0, 0, 1, 1], labels, indices=["dice"])
    carried = json.loads(_carried(found.report()))["curves"]
    assert len(found.thresholds) > 1_000 >= len(carried["threshold"]) > 400
    assert set(zip(carried["threshold"], carried["dice"], strict=True)) <= set(found.curve("dice"))


def test_an_index_without_a_direction_decides_nothing():
    found = cm.sweep([0, 0], {0.5: [0, 0], 0.6: [0, 1]}, indices=["entropy_pred"])
    with pytest.raises(cm.InputError, match="says which threshold is best"):
        found.report()


def test_labels_like_noise_are_said_on_the_page():
    with pytest.warns(cm.NoiseWarning):
        found = cm.similarity_matrix({"a": [-1, -1, 0, 1], "b": [0, 0, 1, 1]})
    assert "looks like noise" in found.report()
    assert json.loads(found.to_json())["notices"][0]["kind"] == "noise"


def test_a_matrix_from_a_file_is_that_of_its_columns(tmp_path):
    pd = need("pandas")
    need("duckdb")
    frame = pd.DataFrame({"a": [0, 0, 1, -1], "b": [0, 1, 1, 1], "c": [0, 1, 2, 2], "n": [1, 2, 3, 4]})
    frame.to_csv(tmp_path / "runs.csv", index=False)
    wanted = cm.similarity_matrix(frame[["a", "b", "c"]], "rand", counts=[1, 2, 3, 4], noise={-1: "drop"})
    for source, noise in ((frame, -1), (tmp_path / "runs.csv", "-1")):
        found = cm.similarity_matrix(source, "rand", pred=["a", "b", "c"], counts="n", noise={noise: "drop"})
        assert found.values.tolist() == wanted.values.tolist()
        assert (found.names, found.n_points) == (wanted.names, 10)
        assert found.settings["columns"] == ["a", "b", "c"]
    for arguments, options, message in (
        ((frame,), {"pred": "a"}, "pred='a' must be the names of columns"),
        ((frame,), {"pred": ["a", "z"]}, "z"),
        ((frame[["a", "b"]],), {"reading": {}}, "reading= is for one source"),
        (("runs.csv",), {}, "name the columns of a file by pred="),
    ):
        with pytest.raises(cm.InputError, match=message):
            cm.similarity_matrix(*arguments, **options)
