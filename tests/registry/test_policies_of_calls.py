"""The call of an index of two partitions takes the options of the table, beside its own."""

from typing import Any

import pytest

import clustermark as cm
from clustermark.options import LabelOptions, declared_options

PARTITIONS = [one for one in cm.catalogue() if one.comparison.name == "partitions"]
TRUE, PRED = [0, 0, 1, 1, 2, -1, None], [0, 0, 0, 1, 1, 1, -1]
POLICIES = {
    "noise_true": {-1: "drop"},
    "noise_pred": {-1: "singletons"},
    "missing": "cluster",
    "counts": [1, 2] * 3 + [1],
}


@pytest.mark.parametrize("one", PARTITIONS, ids=lambda one: one.name)
def test_a_call_with_policies_scores_the_table_made_with_them(one: cm.Index[...]) -> None:
    assert not one.options.keys() & declared_options(LabelOptions).keys()
    assert one(TRUE, PRED, **POLICIES) == one.of(cm.crosstab(TRUE, PRED, **POLICIES))


def test_own_options_and_policies_go_together() -> None:
    both = cm.f_measure(TRUE, PRED, beta=2, **POLICIES)
    assert both == cm.f_measure.with_options(beta=2)(TRUE, PRED, **POLICIES)
    assert both == cm.f_measure.of(cm.crosstab(TRUE, PRED, **POLICIES), beta=2)


def test_noise_is_for_both_sides_and_each_side_refines_it() -> None:
    true, pred = [0, 0, 1, 1, -1], [0, 1, -1, -1, 1]
    same = cm.rand(true, pred, noise={-1: "drop"})
    assert same == cm.rand(true, pred, noise_true={-1: "drop"}, noise_pred={-1: "drop"})
    refined = cm.rand(true, pred, noise={-1: "drop"}, noise_pred={-1: "singletons"})
    assert refined == cm.rand(true, pred, noise_true={-1: "drop"}, noise_pred={-1: "singletons"}) != same


def test_an_index_of_two_kinds_takes_policies_for_labelings() -> None:
    table = cm.crosstab(TRUE, PRED, **POLICIES)
    assert cm.element_centric(TRUE, PRED, alpha=0.5, **POLICIES) == cm.element_centric.of(table, alpha=0.5)


def test_a_label_of_noise_of_another_type_warns() -> None:
    with pytest.warns(cm.NoiseWarning, match=r"noise=\{'-1': 'drop'\}\); 1 has the number -1"):
        cm.rand([0, 0, -1], [0, 1, 1], noise={"-1": "drop"})
    with pytest.warns(cm.NoiseWarning, match=r"of the prediction has the label -1 \(noise_pred=\{-1: 'drop'\}\)"):
        cm.crosstab([0, 0, 1], ["0", "1", "-1"], noise_pred={-1: "drop"})


@pytest.mark.parametrize(
    ("policies", "message"),
    [
        ({"noise": {-1: "unscored"}}, "'unscored' is not a policy here"),
        ({"noise": -1}, "noise=-1 does not say what to do with the noise"),
        ({"missing": "ignore"}, "missing='ignore' is not one of its values"),
        ({"nois": {}}, "rand has no option 'nois'"),
        ({"noise_pred": {1: "unscored"}}, 'rand cannot leave noise "unscored"'),
        ({"on": "id"}, "rand has no option 'on'"),
    ],
)
def test_a_policy_that_cannot_apply_is_an_error(policies: dict[str, Any], message: str) -> None:
    with pytest.raises(cm.InputError, match=message):
        cm.rand([0, 0, 1], [0, 1, 1], **policies)
