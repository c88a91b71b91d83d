"""Scores are the same bits as before: a set of tables, written by tests/frozen/write.py, with all that was found.

The data holds the bits of one kind of machine; elsewhere a logarithm may be rounded otherwise.
"""

from __future__ import annotations

import json
import platform

import pytest

import clustermark as cm
from frozen.measuring import DATA, attempted, findings, inputs, label, scores

CHANGED: dict[str, str] = {
    **{
        f"adjusted_rand(model={model!r})": "1 less a number near 1 no longer cancels; the last bits elsewhere"
        for model in ("num", "all", "num1", "all1")
    },
    **dict.fromkeys(
        [
            "b_cubed_f",
            "b_cubed_f(beta=0.5)",
            "b_cubed_f(beta=2)",
            "b_cubed_macro_f",
            "b_cubed_macro_recall",
            "b_cubed_precision",
            "b_cubed_recall",
        ],
        "a mean that cannot leave its bounds by rounding; the last bits",
    ),
    "normalized_variation_of_information(variant='log_n')": "refused with weights",
    **dict.fromkeys(
        [
            "adjusted_gini",
            "adjusted_mutual_information",
            "adjusted_mutual_information(average='geometric')",
            "adjusted_mutual_information(average='joint')",
            "adjusted_mutual_information(average='max')",
            "adjusted_mutual_information(average='min')",
            "chi_squared",
            "completeness",
            "conditional_entropy_pred",
            "conditional_entropy_pred(base=10)",
            "conditional_entropy_pred(base=2)",
            "conditional_entropy_true",
            "conditional_entropy_true(base=10)",
            "conditional_entropy_true(base=2)",
            "correlation_distance",
            "cramers_v",
            "frobenius",
            "g_statistic",
            "global_consistency_error",
            "goodman_kruskal_tau",
            "homogeneity",
            "information_distance",
            "information_distance(base=10)",
            "information_distance(base=2)",
            "jaccard_error",
            "local_consistency_error",
            "mutual_information",
            "mutual_information(base=10)",
            "mutual_information(base=2)",
            "normalized_clustering_accuracy",
            "normalized_information_distance",
            "normalized_mutual_information",
            "normalized_mutual_information(average='geometric')",
            "normalized_mutual_information(average='joint')",
            "normalized_mutual_information(average='max')",
            "normalized_mutual_information(average='min')",
            "normalized_variation_of_information",
            "normalized_variation_of_information(variant='relative')",
            "normalized_variation_of_information(variant='sum')",
            "normalized_variation_of_information(variant='truth')",
            "pair_sets",
            "permetrics.CS",
            "permetrics.HS",
            "permetrics.MIS",
            "permetrics.NMIS",
            "permetrics.VMS",
            "relative_nmi",
            "relative_nmi(average='geometric')",
            "relative_nmi(average='max')",
            "relative_nmi(average='min')",
            "sklearn.adjusted_mutual_info_score(arithmetic)",
            "sklearn.adjusted_mutual_info_score(geometric)",
            "sklearn.adjusted_mutual_info_score(max)",
            "sklearn.adjusted_mutual_info_score(min)",
            "sklearn.completeness_score",
            "sklearn.homogeneity_completeness_v_measure",
            "sklearn.homogeneity_score",
            "sklearn.mutual_info_score",
            "sklearn.normalized_mutual_info_score(arithmetic)",
            "sklearn.normalized_mutual_info_score(geometric)",
            "sklearn.normalized_mutual_info_score(max)",
            "sklearn.normalized_mutual_info_score(min)",
            "sklearn.v_measure_score",
            "sklearn.v_measure_score(beta=2)",
            "standardized_mutual_information",
            "standardized_mutual_information(seed=7)",
            "tschuprow_t",
            "v_measure",
            "v_measure(beta=0.0)",
            "v_measure(beta=0.5)",
            "v_measure(beta=2)",
            "variation_of_information",
            "variation_of_information(base=10)",
            "variation_of_information(base=2)",
            "vi_merge",
            "vi_merge(base=10)",
            "vi_merge(base=2)",
            "vi_split",
            "vi_split(base=10)",
            "vi_split(base=2)",
            "yule_y",
        ],
        "differences that no longer cancel; the last bits where nothing did",
    ),
}
"""What was changed on purpose since, and why: an index by its label, or anything else as the failure names it."""

FROZEN = json.loads(DATA.read_text(encoding="utf-8"))
VARIANTS = {label(variant): variant for variant in FROZEN["indices"]}
TABLES = {name: stored for name, stored in FROZEN["tables"].items() if "raises" not in stored}
REFUSED = {name: stored for name, stored in FROZEN["tables"].items() if "raises" in stored}

pytestmark = pytest.mark.skipif(
    [platform.system(), platform.machine()] != FROZEN["machine"],
    reason=f"the bits are those of {' on '.join(FROZEN['machine'])}",
)


def flat(found):
    """The findings by name; those that have parts are told apart, as in sklearn.rand_score."""
    named = {}
    for what, value in found.items():
        parts = value if isinstance(value, dict) else {"": value}
        named |= {f"{what}.{part}" if part else what: entry for part, entry in parts.items()}
    return named


def hold(name, expected, got):
    """Fail with a line for each entry that is not what it was."""
    wrong = [
        f"{name}: {what}: expected {expected.get(what)}, got {got.get(what)}"
        for what in {**expected, **got}
        if what.removeprefix("panel.") not in CHANGED and expected.get(what) != got.get(what)
    ]
    assert not wrong, "\n" + "\n".join(wrong)


@pytest.mark.parametrize("name", TABLES)
def test_scores_are_the_same_bits(name):
    stored = zip(VARIANTS, TABLES[name]["scores"], strict=True)
    expected = {index: score for index, score in stored if score is not None}
    table = cm.crosstab(**inputs(TABLES[name]["input"]))
    got = scores(table, [VARIANTS[index] for index in expected])
    hold(name, expected, dict(zip(expected, got, strict=True)))


@pytest.mark.parametrize("name", TABLES)
def test_what_else_is_found_is_the_same(name):
    stored = TABLES[name]
    hold(name, flat(stored["found"]), flat(findings(inputs(stored["input"]), stored["extras"])))


@pytest.mark.parametrize("name", REFUSED)
def test_what_was_refused_is_refused(name):
    hold(name, {"error": REFUSED[name]["raises"]}, {"error": attempted(cm.crosstab, **inputs(REFUSED[name]["input"]))})


def test_no_index_is_lost():
    assert {name for name, _ in VARIANTS.values()} <= {index.name for index in cm.catalogue()}


def test_what_was_changed_is_frozen():
    assert set(CHANGED) <= {*VARIANTS, *(what for stored in TABLES.values() for what in flat(stored["found"]))}
