"""Intervals as users ask for them: what they say, what is refused, and where they are shown."""

from __future__ import annotations

import json
from contextlib import suppress
from itertools import product
from math import inf
from typing import TYPE_CHECKING

import numpy as np
import pytest

import clustermark as cm
from clustermark.registry.lookup import REGISTRY
from clustermark.statistics.units import NoClosedFormError
from clustermark.uncertainty import limits as rules
from clustermark.uncertainty import spread
from clustermark.uncertainty.limits import limits, scale_of
from clustermark.uncertainty.samples import PointSample, find_components
from clustermark.uncertainty.spread import Jackknife, pairs_of_copies
from needs import need

if TYPE_CHECKING:
    from pathlib import Path

RNG = np.random.default_rng(0)
TRUE = RNG.integers(0, 8, 500)
PRED = np.where(RNG.random(500) < 0.3, RNG.integers(0, 8, 500), TRUE)
TABLE = cm.crosstab(TRUE, PRED)


def entities(n: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Entities of one to five records, some of them split or merged with the next one."""
    rng = np.random.default_rng(seed)
    true = np.repeat(np.arange(n), rng.integers(1, 6, n))
    pred = np.where(rng.random(len(true)) < 0.1, true + 10 * n, true)
    merged = rng.random(n) < 0.1
    return true, np.where(merged[true] & (pred < n), true ^ 1, pred)


@pytest.fixture(scope="module")
def evaluation() -> cm.Evaluation:
    return cm.evaluate(TRUE, PRED)


def test_an_interval_says_how_it_was_made(evaluation: cm.Evaluation):
    found = evaluation.interval("ARI")
    assert (found.index, found.method, found.unit, found.n_units) == ("adjusted_rand", "jackknife", "point", 500)
    assert found.score == evaluation["ARI"]
    assert found.low < found.score < found.high
    assert found.half_width == (found.high - found.low) / 2
    assert evaluation.interval("ARI", level=0.99).high > found.high
    assert repr(found).startswith("95 % interval by the jackknife over 500 points\n")
    assert "adjusted_rand  0.4893 [0.4244, 0.5491]" in repr(found)
    assert found == cm.score_interval(TABLE, cm.adjusted_rand)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["adjusted_rand", "normalized_mutual_information", "b_cubed_f", "matching_accuracy"])
def test_half_samples_spread_as_the_jackknife_says(evaluation: cm.Evaluation, name: str):
    one, other = evaluation.interval(name), evaluation.interval(name, method="half-sampling", seed=3)
    assert other.standard_error == pytest.approx(one.standard_error, rel=0.15)
    assert (other.method, other.draws, other.seed) == ("half-sampling", 500, 3)
    assert evaluation.interval(name, method="half-sampling", seed=3) == other
    assert evaluation.interval(name, method="half-sampling", seed=4) != other


def test_the_bootstrap_of_pairs_leaves_copies_out(evaluation: cm.Evaluation):
    one, other = evaluation.interval("jaccard"), evaluation.interval("jaccard", method="bootstrap", draws=400)
    assert other.low == pytest.approx(one.low, abs=0.02)
    assert other.high == pytest.approx(one.high, abs=0.02)
    assert (other.method, other.draws, other.seed) == ("bootstrap", 400, 0)


def test_copies_excluded_have_the_right_mean():
    """All 4^4 resamples of [[2, 1], [0, 1]]: pairs together, in truth, in prediction and in all shrink alike."""
    cells = np.array([2, 1, 1])
    points = [0, 0, 1, 2]
    sums = np.zeros((2, 4))
    for drawn in product(range(4), repeat=4):
        w = np.bincount([points[place] for place in drawn], minlength=3)
        sizes = (w, [w[0] + w[1], w[2]], [w[0], w[1] + w[2]], [4])
        together = np.array([sum(int(x * (x - 1)) // 2 for x in side) for side in sizes])
        sums += [together, together - pairs_of_copies(w, cells)]
    assert (sums / 256).tolist() == [[9 / 4, 15 / 4, 3, 6], [3 / 4, 9 / 4, 3 / 2, 9 / 2]]


def test_components_of_entities():
    true, pred = entities(400)
    found = cm.evaluate(true, pred).interval("pair_precision", unit="component")
    assert found.unit == "component"
    assert 100 < found.n_units < 400
    assert found.low < found.score < found.high
    halves = cm.evaluate(true, pred).interval("pair_precision", unit="component", method="half-sampling")
    assert halves.standard_error == pytest.approx(found.standard_error, rel=0.15)
    drawn = cm.evaluate(true, pred).interval("pair_precision", unit="component", method="bootstrap")
    assert drawn.high - drawn.low == pytest.approx(found.high - found.low, rel=0.2)


KINDS = [
    {},
    {"target": "population"},
    {"method": "half-sampling", "draws": 20},
    {"method": "bootstrap", "draws": 20},
    {"unit": "component"},
    {"unit": "component", "method": "half-sampling", "draws": 20},
    {"unit": "component", "method": "bootstrap", "draws": 50},
]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: "-".join(map(str, kind.values())) or "default")
def test_every_index_has_an_interval_or_a_reason(kind: dict):
    table = cm.crosstab(*entities(60))
    evaluation = cm.evaluate_table(table, "all")
    found = evaluation.intervals(**kind)
    assert {*found, *found.refused} == {*evaluation}
    for one in found.values():
        assert one.notes or one.low is not None
        if one.low is not None and kind.get("target") is None:
            assert one.low <= one.high
            assert one.standard_error > 0
    assert all(reason.startswith(name) for name, reason in found.refused.items())


def test_groups_that_keep_clusters_whole_are_components():
    true, pred = entities(60)
    evaluation = cm.evaluate(true, pred)
    groups = find_components(evaluation.table.to_memory())
    rows, columns, _ = evaluation.table.cells
    of = {(r, c): g for r, c, g in zip(rows.tolist(), columns.tolist(), groups.of.tolist(), strict=True)}
    names, others = evaluation.table.true_labels, evaluation.table.pred_labels
    units = [of[names.index(t), others.index(p)] for t, p in zip(true.tolist(), pred.tolist(), strict=True)]
    for name in ("pair_recall", "b_cubed_f", "ceaf_e_f"):
        mine, theirs = evaluation.interval(name, unit=units), evaluation.interval(name, unit="component")
        assert mine.standard_error == pytest.approx(theirs.standard_error, rel=1e-12)
        assert mine.unit == "group"


def test_groups_across_clusters_are_left_out_one_by_one(evaluation: cm.Evaluation):
    groups = [f"g{place % 25}" for place in range(500)]
    found = evaluation.interval("adjusted_rand", unit=groups)
    scores = []
    for group in set(groups):
        kept = np.array([mine != group for mine in groups])
        scores.append(cm.adjusted_rand(TRUE[kept], PRED[kept]))
    variance = 24 / 25 * ((np.array(scores) - np.mean(scores)) ** 2).sum()
    assert found.standard_error == pytest.approx(variance**0.5, rel=1e-9)
    assert (found.unit, found.n_units) == ("group", 25)
    halves = evaluation.interval("adjusted_rand", unit=groups, method="half-sampling")
    assert halves.n_units == 25


def test_groups_by_id_and_by_column():
    true, pred = ({i: int(x) for i, x in enumerate(side)} for side in (TRUE, PRED))
    groups = {i: i % 25 for i in true}
    found = cm.evaluate(true, pred).interval("jaccard", unit=groups)
    frame = need("pandas").DataFrame({"t": TRUE, "p": PRED, "g": np.arange(500) % 25})
    by_column = cm.evaluate(frame, true="t", pred="p").interval("jaccard", unit="g")
    assert by_column.standard_error == pytest.approx(found.standard_error, rel=1e-12)


@pytest.mark.slow
def test_a_column_of_a_file_and_a_column_that_is_not_there(tmp_path: Path):
    need("duckdb")
    path = tmp_path / "points.csv"
    np.savetxt(path, np.column_stack([TRUE, PRED, np.arange(500) % 25]), "%d", ",", header="t,p,g", comments="")
    evaluation = cm.evaluate(str(path), true="t", pred="p")
    wanted = cm.evaluate(TRUE, PRED).interval("jaccard", unit=(np.arange(500) % 25).tolist())
    assert evaluation.interval("jaccard", unit="g").standard_error == pytest.approx(wanted.standard_error, rel=1e-12)
    with pytest.raises(cm.InputError, match="nowhere"):
        evaluation.interval("jaccard", unit="nowhere")


def test_counts_are_points_of_groups():
    counted = cm.evaluate([0, 0, 1, 1] * 12, [0, 1, 1, 0] * 12, counts=[5, 1, 4, 2] * 12)
    units = np.repeat(np.arange(12), 4).tolist()
    one_by_one = cm.evaluate(
        np.repeat([0, 0, 1, 1] * 12, [5, 1, 4, 2] * 12), np.repeat([0, 1, 1, 0] * 12, [5, 1, 4, 2] * 12)
    )
    mine = counted.interval("rand", unit=units)
    theirs = one_by_one.interval("rand", unit=np.repeat(np.arange(12), 12).tolist())
    assert mine.standard_error == pytest.approx(theirs.standard_error, rel=1e-12, abs=1e-15)


def test_population_corrects_the_bias(evaluation: cm.Evaluation):
    here, all_points = (evaluation.interval("nmi", target=target) for target in ("sample", "population"))
    assert (all_points.low + all_points.high) / 2 == pytest.approx(here.score - here.bias, rel=1e-9)
    assert "exceeds half a standard error" in here.notes[0]


REFUSED = [
    ({"index": "purity", "target": "population"}, "cannot be corrected"),
    ({"index": "element_centric", "target": "population"}, "cannot be corrected"),
    ({"index": "ami", "target": "population"}, "cannot be corrected"),
    ({"index": "nmi", "target": "population", "unit": "component"}, "cannot be corrected"),
    ({"index": "nmi", "method": "bootstrap"}, "biased by copies of points; use the jackknife"),
    ({"index": "b_cubed_f", "method": "bootstrap"}, "biased by copies"),
    ({"index": "muc_f"}, "depends on single cells; coverage not assured"),
    ({"index": "talburt_wang"}, "depends on single cells"),
    ({"index": "prediction_strength"}, "depends on single cells"),
    ({"index": "conll"}, "depends on single cells"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_what_is_known_to_fail_is_refused(evaluation: cm.Evaluation, options: dict, message: str):
    options = dict(options)
    with pytest.raises(cm.UnsupportedTableError, match=message):
        evaluation.interval(options.pop("index"), **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 95}, "level=95 must be between 0 and 1"),
        ({"level": 1.0}, "level=1.0 must be between"),
        ({"unit": "cluster"}, "unit='cluster' is unknown; choose 'point' or 'component', or pass the group"),
        ({"target": "all"}, "target='all' is unknown; choose 'sample' or 'population'"),
        ({"method": "bca"}, "method='bca' is unknown"),
        ({"seed": 1}, "draws and seed are for method='half-sampling' or 'bootstrap'"),
        ({"method": "bootstrap", "draws": 5}, "draws=5 must be a whole number, 20 or more"),
        ({"method": "bootstrap", "seed": -1}, "seed=-1 must be a whole number, 0 or more"),
        ({"method": "bootstrap", "seed": 2**63}, r"must be a whole number, 0 or more and below 2\*\*63"),
        ({"unit": [1, 2, 3]}, "there are 3 groups for 500 points"),
        ({"unit": [None] * 500}, "500 point\\(s\\) have no group"),
    ],
)
def test_mistakes_are_named(evaluation: cm.Evaluation, options: dict, message: str):
    with pytest.raises(cm.InputError, match=message):
        evaluation.interval("adjusted_rand", **options)


def test_more_mistakes():
    with pytest.raises(cm.InputError, match="made of a table from crosstab"):
        cm.score_interval([0, 1], "rand")
    with pytest.raises(cm.InputError, match="groups of points need the points"):
        cm.evaluate_table(TABLE).interval("rand", unit=[0] * 500)
    with pytest.raises(
        cm.InputError, match="the options are level, unit, target, method, draws, seed, simultaneous; got colour"
    ):
        cm.evaluate_table(TABLE).intervals(colour="red")
    with pytest.raises(cm.InputError, match="pass the groups as a mapping"):
        cm.evaluate({1: 0, 2: 0}, {1: 0, 2: 1}).interval("rand", unit=[0, 1])
    with pytest.raises(cm.InputError, match=r"there is no group for 1 id\(s\), the first is 2"):
        cm.evaluate({1: 0, 2: 0}, {1: 0, 2: 1}).interval("rand", unit={1: 5})


def test_weights_are_not_counts():
    weighted = cm.evaluate(TRUE, PRED, ["jaccard"], weights=RNG.random(500))
    with pytest.raises(cm.UnsupportedTableError, match="weights are not counts; name the groups that were sampled"):
        weighted.interval("jaccard")
    with pytest.raises(cm.UnsupportedTableError, match="cannot be split among groups"):
        weighted.interval("jaccard", unit=(np.arange(500) % 20).tolist())
    true, pred = entities(100)
    found = cm.evaluate(true, pred, weights=np.random.default_rng(5).random(len(true))).interval(
        "jaccard", unit="component"
    )
    assert found.low < found.score < found.high


def test_no_disagreement_has_no_interval():
    found = cm.evaluate(TRUE, TRUE).interval("adjusted_rand")
    assert (found.low, found.high, found.standard_error) == (None, None, 0.0)
    assert (
        found.notes[0]
        == "No disagreement among 500 points: no interval. Fewer than 0.006 of points are misplaced (95 %)."
    )
    assert str(found) == "1, no interval"


def test_pure_splitting_has_no_error_of_this_kind():
    split = cm.evaluate(TRUE, 2 * TRUE + (np.arange(500) % 2))
    for name in ("pair_precision", "homogeneity", "purity"):
        found = split.interval(name)
        assert found.low is None
        assert found.notes[0] == "no error of this kind among 500 points: no interval"
    assert split.interval("pair_recall").low is not None


def test_not_defined_without_one_point():
    found = cm.evaluate([0, 0, 1], [0, 0, 0]).interval("pair_specificity")
    assert found.low is None
    assert found.standard_error is None
    assert found.notes[0] == "not defined when one point is removed: no interval"


def test_one_point_has_no_interval_and_is_said_to_be_one():
    alone = cm.evaluate([0], [0])
    found = alone.interval("adjusted_rand")
    assert found.notes == ("only one point: no interval",)
    assert "over 1 point\n" in repr(found)
    with pytest.raises(cm.InputError, match="only 1 point: too few to draw half"):
        alone.interval("adjusted_rand", method="half-sampling")
    with pytest.raises(cm.InputError, match="only 3 points: too few to draw half"):
        cm.evaluate([0, 0, 1], [0, 1, 1]).interval("rand", method="half-sampling")
    compared = cm.compare([0], {"a": [0], "b": [1]})
    assert compared.differences()[0].notes[0] == "only one point"
    assert "removed" not in repr(compared)


def test_few_and_giant_components():
    true, pred = entities(9)
    found = cm.evaluate(true, pred).interval("b_cubed_f", unit="component")
    assert found.low is None
    assert found.standard_error > 0
    assert found.notes[0] == f"only {found.n_units} independent groups: no interval"
    rng = np.random.default_rng(0)
    block = np.repeat(np.arange(20), 6)
    few = cm.evaluate(2 * block + rng.integers(0, 2, 120), block).interval("b_cubed_f", unit="component")
    assert few.notes == ("only 20 independent groups: the interval may be too narrow",)
    joined = cm.evaluate(TRUE, PRED).interval("rand", unit="component")
    assert joined.notes[0] == "one component joins most of the data: no interval; choose other groups"


def test_notes_near_chance_and_on_small_clusters():
    noise = np.random.default_rng(3).integers(0, 8, (2, 500))
    assert "close to chance: read the test" in cm.evaluate(*noise).interval("adjusted_rand").notes
    true, pred = entities(200)
    assert any("choose the unit component" in note for note in cm.evaluate(true, pred).interval("rand").notes)
    assert cm.evaluate(TRUE, PRED).interval("rand").notes == ()


@pytest.mark.slow
def test_many_classes_without_closed_form_are_half_sampled():
    rng = np.random.default_rng(4)
    true = rng.integers(0, 60, 20_000)
    pred = np.where(rng.random(20_000) < 0.5, rng.integers(0, 60, 20_000), true)
    found = cm.evaluate(true, pred, ["rand"]).interval("greedy_matching")
    assert (found.method, found.draws, found.seed) == ("half-sampling", 500, 0)
    assert found.notes[0].startswith("by half-sampling, because greedy_matching is made of sums")
    points = cm.evaluate(true, pred, ["rand"]).interval("matching_accuracy")
    assert found.standard_error == pytest.approx(points.standard_error, rel=0.2)


def test_few_classes_without_closed_form_are_made_anew(evaluation: cm.Evaluation):
    found = evaluation.interval("greedy_matching")
    assert found.method == "jackknife"
    assert found.standard_error == pytest.approx(evaluation.interval("matching_accuracy").standard_error, rel=0.05)


def test_unscored_noise_and_unmatched_items():
    true, pred = np.where(np.arange(500) % 10, TRUE, -1), np.where(np.arange(500) % 7, PRED, -1)
    unscored = cm.evaluate(
        true, pred, ["jaccard_concentration"], noise_true={-1: "cluster"}, noise_pred={-1: "unscored"}
    )
    assert unscored.interval("jaccard_concentration").low is not None
    mine = {i: int(x) for i, x in enumerate(TRUE[:60])}
    theirs = {i + 5: int(x) for i, x in enumerate(PRED[5:65])}
    kept = cm.evaluate(mine, theirs, ["b_cubed_f"], unmatched="keep")
    found = kept.interval("b_cubed_f")
    assert found.n_units == 65
    assert found.low < found.score < found.high


def test_intervals_of_a_panel(evaluation: cm.Evaluation):
    found = evaluation.intervals()
    assert list(found) == [*evaluation]
    assert found["ARI"] == evaluation.interval("adjusted_rand")
    some = evaluation.intervals(["muc_f", "rand"])
    assert [*some] == ["rand"]
    assert "single cells" in some.refused["muc_f"]
    with pytest.raises(KeyError, match="single cells"):
        some["muc_f"]
    with pytest.raises(KeyError, match="no index is called"):
        some["nonsense"]
    with pytest.raises(KeyError, match="jaccard was not evaluated"):
        some["jaccard"]
    assert repr(some).splitlines()[2].startswith("rand   0.888")
    assert "no interval: muc_f" in repr(some)
    assert evaluation.intervals(["rand"], unit="component")["rand"].low is None


@pytest.fixture(scope="module")
def shown() -> cm.Evaluation:
    return cm.evaluate(TRUE, PRED, ["adjusted_rand", "muc_f", "cluster_recall"], intervals=True)


@pytest.mark.slow
def test_intervals_are_shown_everywhere(shown: cm.Evaluation):
    assert "adjusted_rand   0.489260 [0.424444, 0.549087]  [-0.5, 1]  higher" in repr(shown)
    assert "95 % intervals by the jackknife over 500 points" in repr(shown)
    assert "muc_f: depends on single cells" in repr(shown)
    assert r"Adjusted Rand index & $0.49 \pm 0.06$ &" in shown.to_latex()
    assert r"$0.489 \pm 0.062$" in shown.to_latex(digits=3)
    assert r"| 0.489260 \[0.424444, 0.549087\] | \[-0.5, 1\] |" in shown.to_markdown()
    assert ">0.489260 [0.424444, 0.549087]</td>" in shown.to_html()
    assert "0.4244 to 0.5491" in shown.report()
    assert "no interval" in shown.report()
    columns = shown.record.columns()
    assert columns["interval_low"][1:] == [None, None]
    assert columns["standard_error"][0] == pytest.approx(0.0318, abs=1e-3)
    assert shown.settings["intervals"] == {"level": 0.95, "unit": "point", "target": "sample", "method": "jackknife"}
    assert "interval:jackknife,point,sample,0.95" in shown.signature("adjusted_rand")
    assert shown.provenance("adjusted_rand")["interval"]["n_units"] == 500


def test_without_intervals_nothing_changes(evaluation: cm.Evaluation):
    assert "interval" not in evaluation.to_json()
    assert "interval" not in repr(evaluation)
    assert "interval_low" not in evaluation.record.columns()
    assert "interval" not in evaluation.provenance("adjusted_rand")


def test_json_is_read_back_and_fits_its_schema(shown: cm.Evaluation):
    document = json.loads(shown.to_json())
    need("jsonschema").validate(document, cm.json_schema())
    again = cm.Evaluation.from_json(shown.to_json())
    assert again.record.scores["adjusted_rand"].interval == shown.interval("adjusted_rand")
    assert repr(again) == repr(shown)


def test_seeds_are_written_down():
    drawn = cm.evaluate(TRUE, PRED, ["jaccard"], intervals={"method": "half-sampling", "draws": 50, "seed": 7})
    assert drawn.settings["intervals"]["seed"] == 7
    assert "interval:half-sampling,point,sample,0.95,draws=50,seed=7" in drawn.signature("jaccard")
    assert drawn.record.scores["jaccard"].interval.seed == 7


SMALL_CELLS = np.array([[90_000, 5, 0, 300], [1_000, 40_000, 1, 0], [2, 700, 30_000, 90], [0, 3, 1, 7]])


@pytest.mark.slow
def test_scores_with_more_and_less_of_a_cell_vary_as_those_without_a_point():
    sample = PointSample(cm.Contingency.from_matrix(SMALL_CELLS))
    jackknife, compared = spread.Jackknife(sample), 0
    for index in cm.catalogue():
        if index.name.startswith("standardized"):  # which take long
            continue
        with suppress(cm.UnsupportedTableError, NoClosedFormError):
            rules.check_index(index, "point")
            wanted = jackknife.of(index, index.of(sample.table))
            found = spread._step(sample, index, int(SMALL_CELLS.sum()))
            compared += 1
            assert found.standard_error == pytest.approx(wanted.standard_error, rel=2e-3, abs=1e-12), index.name
            if index.name != "unrooted_phi":  # which falls with the number of points
                assert found.bias == pytest.approx(wanted.bias, rel=0.2, abs=0.2 * wanted.standard_error), index.name
    assert compared > 100


@pytest.mark.parametrize("name", ["rand", "jaccard", "mirkin", "b_cubed_f", "mutual_information"])
def test_a_huge_table_with_small_cells_has_the_interval_of_its_shares(name):
    large = np.array([[31, 7], [5, 40]]) * 10**15
    cells = np.pad(large, (0, 1))
    cells[2, 2] = 5
    found, wanted = (cm.score_interval(cm.Contingency.from_matrix(one), name) for one in (cells, large))
    assert found.method == "jackknife"
    assert found.standard_error == pytest.approx(wanted.standard_error, rel=1e-3)


@pytest.mark.slow
def test_a_huge_table_of_many_cells_is_half_sampled(monkeypatch):
    monkeypatch.setattr(Jackknife, "most_tables", 3)
    found = cm.score_interval(cm.Contingency.from_matrix([[10**10, 5], [10**9, 10**9]]), "rand")
    assert found.method == "half-sampling"
    assert 0 < found.standard_error < 1e-5
    with pytest.raises(cm.UnsupportedTableError, match="half-samples are drawn of at most"):
        cm.score_interval(cm.Contingency.from_matrix([[10**15, 5], [10**10, 10**15]]), "rand")


@pytest.mark.parametrize(
    ("name", "power"), [("jaccard", 0), ("adjusted_rand", 0), ("transfer_distance", 1), ("mirkin", 2)]
)
def test_a_huge_table_without_small_cells_is_like_a_small_one(name: str, power: int):
    few, many = np.array([[31, 7, 3], [5, 40, 2], [4, 9, 26]]) * 10**5, 10**9
    small, huge = (cm.score_interval(cm.Contingency.from_matrix(few * times), name) for times in (1, many))
    assert huge.method == small.method == "jackknife"
    assert huge.n_units == small.n_units * many
    assert huge.standard_error == pytest.approx(small.standard_error * many ** (power - 0.5), rel=1e-6)


@pytest.mark.parametrize(
    ("bounds", "score", "name"),
    [
        ((0.0, 1.0), 0.3, "logit"),
        ((0.0, 1.0), 1.0, "none"),
        ((-0.5, 1.0), 0.3, "atanh"),
        ((-inf, 1.0), 0.3, "atanh"),
        ((-inf, 1.0), -0.3, "none"),
        ((0.0, inf), 0.3, "log"),
        ((0.0, inf), 0.0, "none"),
        ((-inf, inf), 0.3, "none"),
    ],
)
def test_scales(bounds: tuple[float, float], score: float, name: str):
    assert scale_of(bounds, score).name == name
    low, high = limits(score, 0.1, 1.96, bounds)
    assert bounds[0] <= low <= score <= high <= bounds[1]
    assert limits(score, 1e9, 1.96, bounds)[1] <= bounds[1]


def test_an_index_of_your_own_whose_formula_is_wrong():
    @cm.index(cm.PairCounts, title="Together", formula="yy / (yy + yn + ny + nn)")
    def together_in_both(p: cm.PairCounts) -> float:
        return p.yy / (p.yy + p.yn)

    try:
        found = cm.score_interval(TABLE, together_in_both)
        assert found.standard_error == pytest.approx(cm.score_interval(TABLE, "pair_recall").standard_error, rel=1e-9)
        assert together_in_both.adjust(draws=20).of(TABLE).method == "random tables"
    finally:
        REGISTRY.remove(together_in_both)


@pytest.mark.parametrize("kind", [int, str])
@pytest.mark.parametrize("method", ["half-sampling", "bootstrap"])
def test_a_seed_gives_one_interval_whatever_the_order_of_points(kind, method):
    rng = np.random.default_rng(3)
    true, pred = rng.integers(0, 9, 300), rng.integers(0, 9, 300)
    groups, apart = rng.integers(0, 30, 300), rng.integers(0, 40, 300)
    below = apart * 9 + pred  # so that there are 40 components
    found = set()
    for order in (np.arange(300), np.arange(300)[::-1], rng.permutation(300)):
        left, right, far, near = ([kind(label) for label in side[order]] for side in (true, pred, apart, below))
        points = cm.evaluate(left, right, ["jaccard"]).interval("jaccard", method=method, draws=20, seed=5)
        parts = cm.evaluate(far, near, ["jaccard"]).interval(
            "jaccard", unit="component", method=method, draws=20, seed=5
        )
        limits = [points.low, points.high, parts.low, parts.high]
        if method == "half-sampling":
            shared = cm.evaluate(left, right, ["jaccard"])
            limits.append(shared.interval("jaccard", unit=groups[order], method=method, draws=20, seed=5).low)
        found.add(tuple(round(limit, 13) for limit in limits))
    assert len(found) == 1


def test_a_score_near_its_bound_with_a_large_error():
    found = cm.evaluate([0] * 1001 + [1] * 1000, [0] + [2] * 2000, intervals=True)
    for interval in found.intervals().values():
        low, high = cm.find(interval.index).bounds
        assert interval.low is None or low <= interval.low <= interval.score <= interval.high <= high
    for bounds, score in (((0.0, 1.0), 1e-5), ((0.0, 1.0), 1 - 1e-5), ((0.0, inf), 1e-9), ((0.0, inf), 1e9)):
        low, high = limits(score, 1e3 * score, 2.0, bounds)
        assert bounds[0] <= low <= score <= high <= bounds[1]


@pytest.mark.parametrize(
    ("true", "pred", "counts", "index"),
    [
        ([1, 0, 1], [0, 1, 1], [1, 2, 10**6], "v_measure"),
        ([2, 0], [1, 0], [2, 10**6], "correlation_distance"),
        ([1, 0, 1, 0, 2], [0, 0, 1, 2, 2], [1, 1, 10**5, 1, 10**5], "braun_blanquet"),
    ],
)
def test_an_interval_of_the_population_stays_within_bounds(true, pred, counts, index):
    found = cm.score_interval(cm.Contingency.from_counts(true, pred, counts), index, target="population")
    low, high = cm.find(index).bounds
    assert found.low is None or low <= found.low <= found.high <= high


@pytest.mark.parametrize(
    ("index", "growth"),
    [("mirkin", 1), ("partition_difference", 2), ("chi_squared", 2), ("mcnemar", 0.5), ("transfer_distance", 1)],
)
def test_the_bias_over_components_is_that_of_scores_which_grow_with_components(index: str, growth: float):
    rng = np.random.default_rng(2)
    block = np.repeat(np.arange(30), rng.integers(2, 6, 30))
    truth, pred = (2 * block + (rng.random(len(block)) < share) for share in (0.1, 0.4))
    score = cm.find(index)
    whole, n = score(truth, pred), len(connected(truth, pred))
    left = [score(truth[kept], pred[kept]) * (n / (n - 1)) ** growth for kept in connected(truth, pred)]
    found = cm.evaluate(truth, pred).interval(index, unit="component")
    assert found.bias == pytest.approx((n - 1) * (np.mean(left) - whole), rel=1e-6, abs=1e-9 * abs(whole))


def connected(truth, pred):
    """For each component of a table the points that do not belong to it."""
    of = np.arange(len(truth))
    for _ in range(10):
        for labels in (truth, pred):
            for label in set(labels.tolist()):
                of[labels == label] = of[labels == label].min()
    return [of != name for name in set(of.tolist())]


def test_an_interval_for_all_points_says_so():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 12, 730)
    pred = np.where(rng.random(730) < 0.25, truth, rng.integers(0, 12, 730))  # not close to chance, but biased
    evaluation = cm.evaluate(truth, pred, ["mutual_information"], intervals={"target": "population"})
    found = evaluation.interval("mutual_information", target="population")
    assert not found.low <= found.score <= found.high
    corrected = f"the score less its bias is {found.score - found.bias:.4g}"
    assert f"over 730 points, for the population of all points; {corrected}" in repr(found)
    assert "95 % intervals by the jackknife over 730 points, for the population of all points" in repr(evaluation)
    assert f"mutual_information: {corrected}" in repr(evaluation)
    assert rf"{found.score:.3f} $[{found.low:.3f}, {found.high:.3f}]$" in evaluation.to_latex(digits=3)
    assert "population of all points" not in repr(evaluation.interval("mutual_information")).splitlines()[1]


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["point", "component"])
def test_the_jackknife_gives_the_same_bits_in_any_order_of_points(unit):
    rng = np.random.default_rng(7)
    true, pred = entities(40)
    if unit == "point":
        true, pred = true % 7, pred % 6
    tables = [cm.crosstab(true[order], pred[order]) for order in (rng.permutation(len(true)) for _ in range(2))]
    some = 0
    for index in cm.catalogue():
        found = []
        for table in tables:
            try:
                interval = cm.score_interval(table, index, unit=unit)
            except cm.UnsupportedTableError as error:
                found.append(str(error))
            else:
                found.append((interval.low, interval.high, interval.standard_error, interval.bias))
                some += interval.method == "jackknife"
        assert len(set(found)) == 1, index.name
    assert some > 2 * 100
