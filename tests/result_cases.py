"""Every kind of result on small inputs: the table that the golden corpus and the tests of media read.

Each function here returns results by their names; a new result or input is one more entry.
"""

from __future__ import annotations

import warnings
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

import clustermark as cm
from needs import need

if TYPE_CHECKING:
    from collections.abc import Callable

TRUE = list("aaabbbbccd")
PRED = list("xxyyyyzzzz")
FOREIGN = ["שלום עולם", "\u202ereversed", "😀 emoji", "naïve café", "名前", "Ωmega", "tab\there", "two\nlines"]
HOSTILE = [
    "<script>window.pwned=1</script>",
    '"><img src=x onerror="window.pwned=3">',
    '=HYPERLINK("http://example.org","x")',
    "@sum(a1)",
    "-minus",
    "nul\x00 escape\x1b bell\x07",
    "$x^2$ and $\\frac{1}$",
    "a | b `c` *d* [e](f)",
    "a very long name " * 8,
    " ",
]
# a point has a name, a group, an amount and a record
ROWS = [{"name": f"Name {place}", "city": ("north", "south")[place % 2]} for place in range(60)]
IDS = [f"r{place}" for place in range(60)]
GROUPS = [("north", "south", "west")[place % 3] for place in range(60)]
COLUMNS = {
    "name": [f"Name {place}" for place in range(60)],
    "city": GROUPS,
    "year": [2000 + place % 7 for place in range(60)],
}


def blocks(n: int = 60, wrong: float = 0.2, seed: int = 0, size: int = 4) -> tuple[list[int], list[int]]:
    """Return a truth of equal blocks, and a prediction that misplaces a share of the points."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) // size
    return truth.tolist(), np.where(rng.random(n) < wrong, rng.integers(0, n // size, n), truth).tolist()


def quiet(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Return the result of a call, ignoring its expected warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cm.ClustermarkWarning)
        return function(*arguments, **options)


def pushed_down(**options: Any) -> dict[str, Any]:
    """Return options and source of a small table in DuckDB, counted there."""
    pa = need("pyarrow")
    truth, pred = blocks()
    table = pa.table({"id": IDS, "truth": truth, "pred": pred, "copies": [1 + place % 3 for place in range(60)]})
    return {"y_true": table, "true": "truth", "pred": "pred", "engine": "duckdb", "push_down": True, **options}


# one function per result; names are kind/input
CASES: dict[str, Callable[[], Any]] = {}


def case(name: str) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """Add a function to the table."""

    def enter(function: Callable[[], Any]) -> Callable[[], Any]:
        assert name not in CASES, name
        CASES[name] = cache(function)
        return CASES[name]

    return enter


def cases(kind: str, **makers: Callable[[], Any]) -> None:
    """Add several functions of one kind."""
    for name, maker in makers.items():
        case(f"{kind}/{name}")(maker)


def results() -> dict[str, Callable[[], Any]]:
    """Return the first case of each kind of result."""
    found: dict[str, Callable[[], Any]] = {}
    for name, maker in CASES.items():
        found.setdefault(name.partition("/")[0], maker)
    return {kind: maker for kind, maker in found.items() if kind not in NO_RESULTS}


# --- two partitions

cases(
    "evaluation",
    lists=lambda: cm.evaluate(TRUE, PRED),
    every_index=lambda: cm.evaluate(TRUE, PRED, "all"),
    hostile=lambda: cm.evaluate(HOSTILE * 3, [HOSTILE[place % 7] for place in range(30)]),
    foreign=lambda: cm.evaluate(FOREIGN * 3, [FOREIGN[place % 5] for place in range(24)]),
    noise=lambda: cm.evaluate(
        [0, 0, 1, 1, 1, -1, 2, 2], [5, 5, 5, 6, 6, 6, -1, -1], noise_true={-1: "drop"}, noise_pred={-1: "singletons"}
    ),
    noise_noticed=lambda: quiet(cm.evaluate, [0, 0, 1, 1, 1, -1, 2, 2], [5, 5, 5, 6, 6, 6, -1, -1]),
    unscored=lambda: cm.evaluate([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2], noise_pred={2: "unscored"}),
    counts=lambda: cm.evaluate(list("aabbc"), list("xyyzz"), counts=[3, 1, 4, 1, 5]),
    weights=lambda: cm.evaluate(list("aabbc"), list("xyyzz"), weights=[0.5, 1.25, 2, 0.75, 1]),
    missing=lambda: cm.evaluate(["a", "a", None, "b", "b"], ["x", "y", "x", None, "y"], missing="singletons"),
    unmatched=lambda: cm.evaluate(
        {place: place % 3 for place in range(30)}, {place: place % 4 for place in range(6, 36)}, unmatched="keep"
    ),
    unmatched_dropped=lambda: cm.evaluate(
        {place: place % 3 for place in range(30)},
        {place: place % 4 for place in range(6, 36)},
        ["rand", "b_cubed_f"],
        unmatched="drop",
    ),
    one_cluster=lambda: cm.evaluate([0] * 8, ["all"] * 8),
    one_point=lambda: cm.evaluate(["only"], [0]),
    singletons=lambda: cm.evaluate(range(8), range(8, 16)),
    perfect=lambda: cm.evaluate(list("aabbcc"), list("xxyyzz")),
    terrible=lambda: cm.evaluate([place // 4 for place in range(16)], [place % 4 for place in range(16)]),
    merged=lambda: cm.evaluate(TRUE, ["all"] * 10),
    split=lambda: cm.evaluate(TRUE, range(10)),
    infinite=lambda: cm.evaluate(
        [0, 1], [0, 1], ["kulczynski1", "f_measure(beta=0.1)", cm.jaccard.when_undefined(0.5)]
    ),
    intervals=lambda: cm.evaluate(*blocks(), intervals=True),
    intervals_of_components=lambda: cm.evaluate(*blocks(), ["jaccard", "b_cubed_f"], intervals={"unit": "component"}),
    pushed_down=lambda: cm.evaluate(**pushed_down()),
    pushed_down_counts=lambda: cm.evaluate(
        **pushed_down(indices=["jaccard", "jci"], counts="copies", noise_pred={3: "singletons"})
    ),
    blocks=lambda: cm.evaluate(*blocks()),
)


@case("evaluation/read_back")
def read_back() -> cm.Evaluation:
    return cm.Evaluation.from_json(CASES["evaluation/intervals"]().to_json())


@case("contingency/lists")
def table() -> cm.Contingency:
    return cm.crosstab(TRUE, PRED)


@case("contingency/pushed_down")
def table_in_engine() -> cm.Contingency:
    return cm.crosstab(**pushed_down())


@case("contingency/unmatched")
def table_unmatched() -> cm.Contingency:
    return cm.crosstab({1: "a", 2: "a", 3: "b"}, {2: "x", 3: "y", 4: "y"}, unmatched="keep", noise_pred={"x": "drop"})


# --- where an evaluation goes wrong

WITH_ERRORS = ("blocks", "hostile", "weights", "noise", "perfect", "pushed_down")


def of_evaluations(kind: str, ask: Callable[[cm.Evaluation], Any], names: tuple[str, ...] = WITH_ERRORS) -> None:
    """Add the result of `ask` for each of these evaluations."""
    for name in names:
        case(f"{kind}/{name}")(lambda name=name: ask(CASES[f"evaluation/{name}"]()))


of_evaluations("clusters", lambda found: found.clusters)
of_evaluations("classes", lambda found: found.classes)
of_evaluations("splits", lambda found: found.splits())
of_evaluations("merges", lambda found: found.merges())
of_evaluations("groups", lambda found: found.by_size())
of_evaluations("repairs", lambda found: found.repairs())
of_evaluations("confusions", lambda found: found.confusions())
of_evaluations("points", lambda found: found.points(), WITH_ERRORS[:-1])
of_evaluations("overlap_map", lambda found: found.overlap_map(), WITH_ERRORS[:-1])


def blocks_found() -> cm.Evaluation:
    made: cm.Evaluation = CASES["evaluation/blocks"]()
    return made


cases(
    "clusters",
    sorted=lambda: blocks_found().clusters.sorted_by("jaccard"),
    best=lambda: blocks_found().clusters[:2],
)
cases("splits", records=lambda: blocks_found().splits(3, records=ROWS))
cases("merges", records=lambda: blocks_found().merges(3, records=ROWS))
cases("points", records=lambda: blocks_found().points(records=ROWS))
cases(
    "repairs",
    records=lambda: blocks_found().repairs(records=ROWS),
    by_b_cubed=lambda: blocks_found().repairs(4, by="b_cubed_f"),
)
cases("record_table", splits=lambda: blocks_found().splits(3, records=ROWS).records)
cases(
    "groups",
    one_column=lambda: blocks_found().by("city", records=COLUMNS),
    two_columns=lambda: blocks_found().by(["city", "year"], records=COLUMNS),
    simultaneous=lambda: blocks_found().by("city", records=COLUMNS, simultaneous=True),
)
cases(
    "interval",
    of_points=lambda: cm.score_interval(blocks_found().table, "adjusted_rand"),
    drawn=lambda: cm.score_interval(blocks_found().table, "jaccard", method="bootstrap", draws=200, seed=1),
    adjusted=lambda: cm.score_interval(blocks_found().table, cm.dice.adjust()),
)
cases(
    "coverage_check",
    of_points=lambda: blocks_found().coverage_check(["jaccard", "b_cubed_f", "muc_f"], draws=60),
    of_components=lambda: blocks_found().coverage_check("b_cubed_f", unit="component", draws=50, seed=2),
)
cases(
    "intervals",
    blocks=lambda: blocks_found().intervals(
        ["adjusted_rand", "jaccard", "purity", "v_measure", "variation_of_information", "cluster_recall", "muc_f"]
    ),
    simultaneous=lambda: blocks_found().intervals(["jaccard", "b_cubed_f", "purity"], simultaneous=True),
)
cases(
    "chance_test",
    drawn=lambda: cm.chance_test(blocks_found().table, "rand", draws=99),
    of_a_mean=lambda: blocks_found().test("adjusted_rand"),
)


@case("subgroups/confirmed")
def subgroups_confirmed() -> cm.rows.Subgroups:
    true = [place // 2 for place in range(400)]
    pred = [place if place % 40 < 10 else place // 2 + 1000 for place in range(400)]
    return cm.evaluate(true, pred, []).subgroups(records={"x": [place % 40 < 10 for place in range(400)]})


cases("subgroups", none=lambda: blocks_found().subgroups(records=COLUMNS))


# --- several labelings


def methods() -> tuple[list[int], dict[str, list[int]]]:
    truth, good = blocks(120, 0.1, 1)
    return truth, {"good": good, "<b>fair</b>": blocks(120, 0.2, 2)[1], "poor": blocks(120, 0.6, 3)[1]}


@case("comparison/lists")
def comparison() -> cm.Comparison:
    return cm.compare(*methods())


@case("comparison/runs")
def comparison_of_runs() -> cm.Comparison:
    truth, made = methods()
    runs = {"good": [made["good"], made["<b>fair</b>"]], "poor": made["poor"]}
    return cm.compare(truth, runs, ["adjusted_rand", "variation_of_information"])


@case("comparison/groups")
def comparison_of_groups() -> cm.Comparison:
    truth, made = methods()
    return cm.compare(truth, made, ["b_cubed_f", "jaccard"], unit=[f"g{place // 12}" for place in range(120)])


@case("comparison/weights")
def comparison_weighted() -> cm.Comparison:
    return cm.compare([0, 0, 1, 1], {"a": [0, 0, 1, 1]}, "rand", weights=[1.0, 0.5, 2.0, 1.0])


@case("comparison/unmatched")
def comparison_unmatched() -> cm.Comparison:
    truth = {place: place % 3 for place in range(30)}
    return cm.compare(
        truth, {"a": {i: i % 3 for i in range(5, 30)}, "b": {i: i % 4 for i in range(33)}}, unmatched="drop"
    )


cases("leaderboard", lists=lambda: comparison().leaderboard())
cases(
    "differences",
    lists=lambda: comparison().differences(),
    margin=lambda: comparison().differences("b_cubed_f", margin=0.1),
)
cases("by_cluster", lists=lambda: comparison().by_cluster())
cases("found_pairs", lists=lambda: comparison().found_pairs())


def data_sets(rope: float | None = None) -> cm.DataSetComparison:
    rng = np.random.default_rng(0)
    base = rng.uniform(0.3, 0.6, 10)
    gaps = {"a": 0.2, "b": 0.19, "<c>": 0.0}
    return cm.compare_datasets(
        {
            f"set {i}": {name: round(float(base[i] + gap + rng.normal(0, 0.02)), 4) for name, gap in gaps.items()}
            for i in range(10)
        },
        rope=rope,
    )


cases("data_sets", scores=data_sets, rope=lambda: data_sets(0.05))
cases("differences_of_data_sets", scores=lambda: data_sets().differences())


@case("matrix/lists")
def matrix() -> cm.SimilarityMatrix:
    return cm.similarity_matrix(methods()[1])


cases(
    "matrix",
    distance=lambda: cm.similarity_matrix(methods()[1], "variation_of_information"),
    without_order=lambda: cm.similarity_matrix({"a": [0, 0, 1], "b": [0, 1, 1]}, "entropy_pred"),
    noise=lambda: quiet(cm.similarity_matrix, {"a": [-1, -1, 0, 1], "b": [0, 0, 1, 1]}),
)


# --- thresholds

LABELINGS = {0.5: [0, 0, 0, 0], 0.8: [0, 0, 1, 1], 0.9: [0, 1, 2, 2]}
X = np.array([(0, 0), (0, 1), (1, 0), (5, 5), (5, 6), (6, 5), (10, 0), (10, 1)], float)
NUMBERS = {3: [0, 0, 0, 1, 1, 1, 2, 2], 2: [0, 0, 0, 1, 1, 1, 1, 1], 4: [0, 0, 3, 1, 1, 1, 2, 2]}


def scored_pairs(n: int = 20) -> tuple[dict[str, int], tuple[list[str], list[str], list[float]]]:
    """Return entities of three records, chained by scored pairs, of which some are wrong."""
    rng = np.random.default_rng(4)
    truth = np.repeat(np.arange(n), 3)
    names = [f"r{place}" for place in range(len(truth))]
    scores = np.where(truth[:-1] == truth[1:], rng.beta(5, 2, 3 * n - 1), rng.beta(2, 5, 3 * n - 1))
    return dict(zip(names, truth.tolist(), strict=True)), (names[:-1], names[1:], scores.round(1).tolist())


@case("pair_sweep/probabilities")
def pair_sweep() -> cm.PairSweep:
    return cm.sweep_pairs(*scored_pairs())


@case("pair_sweep/distances")
def pair_sweep_of_distances() -> cm.PairSweep:
    truth, (left, right, scores) = scored_pairs()
    known = {one: label for one, label in truth.items() if label % 4}
    distances = [round(1 - score, 1) for score in scores]
    return cm.sweep_pairs(known, (left, right, distances), distance=True, unmatched="keep")


cases(
    "pair_sweep",
    nothing=lambda: cm.sweep_pairs({"a": 1, "b": 2}, (["a"], ["b"], [0.5])),
    weights=lambda: cm.sweep_pairs(
        scored_pairs()[0],
        scored_pairs()[1],
        weights=dict.fromkeys(scored_pairs()[0], 0.5),
        indices=["dice", "b_cubed_f"],
    ),
)
cases("calibration", pairs=lambda: pair_sweep().calibration())
cases("false_merges", pairs=lambda: pair_sweep().false_merges(0.5))
cases("raw_pairs", pairs=lambda: pair_sweep().raw)
cases("best", pairs=lambda: pair_sweep().best("b_cubed_f"))
cases("threshold_band", pairs=lambda: cm.sweep_pairs(*scored_pairs(90)).band("b_cubed_f"))
cases("best_interval", pairs=lambda: pair_sweep().interval("b_cubed_f"))
cases("losses", pairs=lambda: pair_sweep().losses(0.5))
cases(
    "sweep",
    labelings=lambda: cm.sweep([0, 0, 1, 1], LABELINGS),
    one_index=lambda: cm.sweep([0, 0], {0.5: [0, 0], 0.6: [0, 1]}, indices=["jaccard"]),
)
cases("point_sweep", numbers=lambda: cm.sweep(labelings=NUMBERS, X=X))
cases("flows", labelings=lambda: cm.sweep([0, 0, 1, 1], LABELINGS).flows())

# --- points, covers, trees, memberships

MEMBERSHIPS = np.array([(0.9, 0.1, 0), (0.75, 0.125, 0.125), (0.25, 0.5, 0.25), (0.0, 0.5, 0.5)])
OTHER_MEMBERSHIPS = np.array([(0.75, 0.25), (1.0, 0.0), (0.5, 0.5), (0.25, 0.75)])
COVER = {"a": [1, 2, 3], "b": [3, 4], "<c>": [5, 6]}
OTHER_COVER = {"x": [1, 2], "y": [3, 4, 5], "z": [5, 6]}
LINKAGE = np.array([(0, 1, 1.0, 2), (2, 3, 1.5, 2), (4, 5, 3.0, 4)])
OTHER_LINKAGE = np.array([(0, 2, 1.0, 2), (1, 3, 2.0, 2), (4, 5, 4.0, 4)])

cases(
    "internal",
    points=lambda: cm.evaluate_internal(X, NUMBERS[3]),
    every_index=lambda: cm.evaluate_internal(X, NUMBERS[3], "all"),
    noise=lambda: cm.evaluate_internal(X, [0, 0, 0, 1, 1, 1, -1, -1], noise={-1: "drop"}),
    one_cluster=lambda: cm.evaluate_internal(X, [0] * 8),
)
cases("silhouettes", clusters=lambda: cm.evaluate_internal(X, NUMBERS[3]).clusters)
cases("stability", lists=lambda: cm.stability(NUMBERS[3], [NUMBERS[2], NUMBERS[4]]))
cases(
    "covers",
    overlapping=lambda: cm.evaluate_covers(COVER, OTHER_COVER),
    hard=lambda: cm.evaluate_covers({"a": [1, 2], "b": [3]}, {"x": [1], "y": [2, 3]}, "all"),
)
cases("cover_clusters", overlapping=lambda: cm.evaluate_covers(COVER, OTHER_COVER).clusters())
cases(
    "trees",
    two=lambda: cm.evaluate_trees(LINKAGE, OTHER_LINKAGE),
    every_index=lambda: cm.evaluate_trees(LINKAGE, OTHER_LINKAGE, "all"),
)
cases("tree_and_labels", labels=lambda: cm.evaluate_trees(LINKAGE, labels=["a", "a", "b", "b"]))
cases("bk_curve", two=lambda: cm.bk_curve(LINKAGE, OTHER_LINKAGE))
cases(
    "soft",
    memberships=lambda: cm.evaluate_soft(MEMBERSHIPS, OTHER_MEMBERSHIPS),
    against_labels=lambda: cm.evaluate_soft(MEMBERSHIPS, ["x", "x", "y", "z"]),
    every_index=lambda: cm.evaluate_soft(MEMBERSHIPS, OTHER_MEMBERSHIPS, "all"),
)

# --- releases


def releases() -> tuple[dict[str, str], dict[str, str], dict[str, int]]:
    truth, before = blocks(60, 0.3, 5)
    _, after = blocks(60, 0.15, 6)
    return (
        {name: f"old {label}" for name, label in zip(IDS, before, strict=True)},
        {name: f"new {label}" for name, label in zip(IDS, after, strict=True)},
        dict(zip(IDS, truth, strict=True)),
    )


cases(
    "changes",
    without_truth=lambda: cm.changes(*releases()[:2]),
    with_truth=lambda: cm.changes(*releases()),
    margin=lambda: cm.changes(*releases(), unit="point", margin=0.02),
    groups=lambda: cm.changes(*releases(), by=dict(zip(IDS, GROUPS, strict=True))),
    unmatched=lambda: cm.changes({1: "a", 2: "a", 3: "b"}, {1: "x", 2: "y", 4: "y"}),
    weights=lambda: cm.changes([0, 0, 1], [0, 1, 1], [0, 0, 1], weights=[0.5, 1.5, 1], by=["x", "y", "x"]),
    same=lambda: cm.changes([0, 0, 1], [0, 0, 1], [0, 1, 1]),
    hostile=lambda: cm.changes(HOSTILE * 3, [HOSTILE[place % 7] for place in range(30)]),
)
cases("events", releases=lambda: cm.changes(*releases()).events())
cases("changed_clusters", releases=lambda: cm.changes(*releases()).clusters())
cases("true_clusters", releases=lambda: cm.changes(*releases()).truth.clusters())
cases("slices", releases=lambda: cm.changes(*releases(), by=dict(zip(IDS, GROUPS, strict=True))).slices)
cases(
    "relabeled",
    mapping=lambda: cm.relabel(releases()[1], like=releases()[0]),
    lists=lambda: cm.relabel(PRED, like=TRUE),
)


def sample_of_clusters() -> tuple[dict[int, int], dict[int, int]]:
    return {r: r // 3 for r in range(120) if r // 3 % 4 == 0}, {r: r // 5 for r in range(120)}


@case("estimates/clusters")
def estimates() -> cm.Estimates:
    return cm.estimate(*sample_of_clusters(), design="clusters")


@case("drawn_sample/records")
def drawn_records() -> cm.DrawnSample:
    return cm.draw_sample({r: 0 if r < 60 else r // 3 for r in range(240)}, 24, seed=2)


def estimates_of_drawn() -> cm.Estimates:
    truth, prediction = {r: r // 4 for r in range(240)}, {r: 0 if r < 60 else r // 3 for r in range(240)}
    reached = {truth[row.id] for row in drawn_records().rows}
    sample = {record: label for record, label in truth.items() if label in reached}
    return cm.estimate(sample, prediction, drawn=drawn_records())


cases("drawn_sample", clusters=lambda: cm.draw_sample([0] * 9 + [1] * 9 + list(range(2, 40)), 12, unit="cluster"))
cases(
    "estimates",
    drawn=estimates_of_drawn,
    records=lambda: cm.estimate(*sample_of_clusters(), design="records"),
    few=lambda: cm.estimate({0: 0, 1: 0, 2: 1}, {0: 0, 1: 0, 2: 1, 3: 1}, design="clusters"),
)
cases(
    "plan",
    clusters=lambda: cm.plan(estimates()),
    difference=lambda: cm.plan(cm.Guess(0.02, 40, "document"), difference=0.05, assurance=0.9),
)


DRIFT = {"May": (0.01, 0.01), "June": (-0.02, 0.01), "July": (-0.03, 0.01), "August": (-0.04, 0.01)}
cases(
    "monitoring",
    sequence=lambda: cm.monitor(DRIFT),
    spending=lambda: cm.monitor(DRIFT, method="obrien_fleming", looks=6),
    releases=lambda: cm.monitor(DRIFT, about="release", looks=12),
)


@case("questions/pairs")
def asked() -> cm.Questions:
    before, after, _ = releases()
    return cm.questions(before, after, n=12, seed=3)


@case("questions/records")
def asked_records() -> cm.Questions:
    before, after, _ = releases()
    return cm.questions(
        before, after, n=12, seed=3, unit="record", records=dict(zip(IDS, ROWS, strict=True)), show=["name"]
    )


@case("questions/groups")
def asked_groups() -> cm.Questions:
    before, after, _ = releases()
    return cm.questions(before, after, n=12, seed=3, by=dict(zip(IDS, GROUPS, strict=True)))


def judged(questions: cm.Questions, unknown: int = 0, **options: Any) -> cm.Judgements:
    """Return answers by the truth, except for the first questions."""
    truth = releases()[2]
    answers: dict[Any, bool | None] = {
        (one.left, one.right): truth[one.left] == truth[one.right] if place >= unknown else None
        for place, one in enumerate(questions.table)
    }
    return cm.judge(questions, answers, **options)


cases(
    "judgements",
    pairs=lambda: judged(asked()),
    records=lambda: judged(asked_records()),
    unknown=lambda: judged(asked(), unknown=2),
    groups=lambda: judged(asked_groups()),
    imperfect=lambda: judged(asked(), sensitivity=0.95, specificity=0.9),
)

# --- one clustering, and the catalogue

cases(
    "description",
    labels=lambda: cm.describe(PRED),
    records=lambda: cm.describe([place // 4 for place in range(60)], COLUMNS),
    noise=lambda: cm.describe([1, 1, 2, None, -1], missing="singletons", noise={-1: "cluster"}),
    hostile=lambda: cm.describe(HOSTILE * 2, {"<x>": HOSTILE * 2}),
)
cases("described_columns", records=lambda: cm.describe([place // 4 for place in range(60)], COLUMNS).columns)
cases("catalogue", partitions=cm.catalogue, points=lambda: cm.catalogue("points"))
cases(
    "index",
    jaccard=lambda: cm.jaccard,
    f_measure=lambda: cm.f_measure.with_options(beta=2),
    silhouette=lambda: cm.silhouette,
    adjusted=lambda: cm.jaccard.adjust(),
)
cases("adjusted_score", lists=lambda: cm.jaccard.adjust().of(cm.crosstab(TRUE, PRED)))

# --- what commands return: several lists of one evaluation, indices, labels


def lists(*names: str, evaluation: str = "evaluation/lists") -> dict[str, Any]:
    """Return an evaluation and these lists of it."""
    scores = CASES[evaluation]()
    found = {name: getattr(scores, name) for name in names}
    return {"evaluation": scores, "lists": {name: one() if callable(one) else one for name, one in found.items()}}


cases(
    "error_diagnosis",
    worst=lambda: cm.rows.ErrorDiagnosis(**lists("splits", "merges")),
    tables=lambda: cm.rows.ErrorDiagnosis(**lists("clusters", "classes", "confusions", "points")),
    hostile=lambda: cm.rows.ErrorDiagnosis(**lists("splits", "merges", evaluation="evaluation/hostile")),
)
cases("repair_diagnosis", best=lambda: cm.rows.RepairDiagnosis(**lists("repairs")))
cases(
    "group_diagnosis",
    sizes=lambda: cm.rows.GroupDiagnosis(
        CASES["evaluation/lists"](), {"groups": CASES["evaluation/lists"]().by_size()}
    ),
)
cases("cluster_labels", ids=lambda: cm.rows.ClusterLabels({"id": IDS, "cluster": GROUPS}))
cases("index_table", panel=lambda: cm.rows.IndexTable([index for index in cm.catalogue() if index.facts.panel]))
cases("index_explanation", one=lambda: cm.rows.IndexExplanation([cm.adjusted_rand]))

# kinds that are not results: rows, and parts of other results; only the golden corpus has them, not the tests of media
NO_RESULTS = {
    *("contingency", "index", "adjusted_score", "silhouettes", "cover_clusters", "differences_of_data_sets"),
    *("best", "losses", "catalogue"),
}
