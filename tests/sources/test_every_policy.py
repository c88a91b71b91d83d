"""Every function that takes labels honours every policy, or says why it does not; the oracle is plain Python."""

from __future__ import annotations

import inspect
import warnings
from dataclasses import dataclass, field
from math import isclose
from typing import TYPE_CHECKING, Any

import pytest

import clustermark as cm
from clustermark.options import PolicyOptions, declared_options

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

TRUE = [0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3]
PRED = [0, 0, 0, 1, 1, 1, 2, 2, 2, 0, 3, 3]
X = [[float(n * n % 7), float(n)] for n in range(len(TRUE))]
SAMPLED = {0, 1, 3, 4, 5, 7, 8, 9, 10}
"""The records with a true label, for `estimate`."""
LEFT, RIGHT, PAIR_SCORES = [0, 1, 3, 4, 7, 10], [1, 2, 4, 5, 9, 11], [0.9, 0.8, 0.4, 0.7, 0.6, 0.5]
NOISE = {-1: "cluster"}, {-1: "singletons"}, {-1: "drop"}
ON_POINTS = {"unmatched": "each (point|record) has one label, in the same order"}
ONE = dict.fromkeys(("noise_true", "noise_pred"), "there is one labeling, and no truth; choose noise=")


@dataclass(frozen=True)
class Verb:
    """A function, called with labels by id; and the policies that have no meaning for it, with the reason."""

    call: Callable[..., Any]
    refuses: Mapping[str, str] = field(default_factory=dict)
    """By the name of an option, or by "option=value": what the message says."""
    sides: str = "both"
    """The sides that it reads: both, or one of them."""
    defaults: Mapping[str, str] = field(default_factory=dict)
    """Defaults of policies, where they are not "error"."""
    means: Mapping[str, str] = field(default_factory=dict)
    """Options that mean the same as another one."""
    options: tuple[str, ...] = tuple(PolicyOptions.__annotations__)
    """The options that are about what it is called with."""
    whole_truth: bool = False
    """Whether missing labels and ids are those of the prediction only."""
    apart: bool = False
    """Whether an item may have a cluster on one side only, so that dropping it leaves the other side as it is."""


def rows(labels: Mapping[int, Any]) -> list[list[float]]:
    return [X[place] for place in labels]


def listed(labels: Mapping[int, Any]) -> list[Any]:
    return list(labels.values())


def table(true: Any, pred: Any, **policies: Any) -> Any:
    made = cm.crosstab(true, pred, **policies)
    return sorted(made.cells.counts.tolist()), made.n_true_clusters, made.n_pred_clusters


def ranked(true: Any, pred: Any, **policies: Any) -> Any:
    (standing,) = cm.compare(true, {"p": pred}, ["rand"], **policies).leaderboard()
    return standing.score, standing.low, standing.high


def changed(true: Any, pred: Any, truth: Any = None, **policies: Any) -> Any:
    found = cm.changes(true, pred, truth, **policies)
    rates = found.distance, found.affected, found.split_rate, found.merge_rate
    return rates if truth is None else (*rates, found.truth.scores)


def estimated(true: Any, pred: Any, **policies: Any) -> Any:
    sample = {item: label for item, label in true.items() if item in SAMPLED}
    return cm.estimate(sample, pred, ["pair_precision"], design="records", **policies).to_dict()


def swept(true: Any, pred: Any, **policies: Any) -> Any:
    del pred
    options = {"unmatched": "drop"} | policies  # records that are dropped still occur in the pairs
    return cm.sweep_pairs(true, (LEFT, RIGHT, PAIR_SCORES), indices=["rand"], **options).to_dict()


def leaves(labels: Mapping[int, Any]) -> list[Any]:
    places = list(range(len(labels)))
    return [places[:3], [places[3:5], places[5:]]]


FROM_PAIRS = {
    "noise_pred": "the clusters are made of pairs and have no labels; choose noise_true=",
    "unmatched=error": "records of the pairs|occur in the pairs only|have no true label|lack",
}
TREES = {
    **dict.fromkeys(("noise", "noise_true", "noise_pred"), "a tree has all leaves; leave noise out"),
    "missing": "every leaf needs a label",
    "unmatched": "both must have the same leaves",
}
SOFT = {
    **dict.fromkeys(("noise", "noise_true", "noise_pred"), "memberships have no label for noise"),
    "missing": "every row needs memberships",
    "unmatched": "both must have the same rows",
}
COVERS = {
    **dict.fromkeys(("noise", "noise_true", "noise_pred"), "an item of no cluster is in no set"),
    "missing": "an item of no cluster is in no set",
    "unmatched=singletons": "'singletons' is not known; choose 'keep', 'drop', 'error'",
}
RELABEL = {
    **dict.fromkeys(("noise_true", "noise_pred"), "noise is the same in both clusterings; choose noise="),
    "noise=singletons": "noise has no ids that could last; choose 'drop'",
    "missing": "records without a label stay without one",
    "unmatched": "records need not occur on both sides",
}
STABILITY = {
    **ONE,
    "missing": "an item without a label was not drawn",
    "unmatched": "a sample need not have all items",
}
ESTIMATE = {
    "noise=drop": r"noise=\{-1: 'drop'\}: leave noise out of the truth sample",
    "noise_true=drop": r"noise_true=\{-1: 'drop'\}: leave noise out of the truth sample",
}
DRAW_SAMPLE = {
    **dict.fromkeys(("noise", "noise_pred"), "give each record of noise a cluster of its own"),
    "noise_true": "there is no truth yet",
    "missing": "every record needs a cluster",
    "unmatched": "there is one labeling",
}
CHANGES = {
    "noise_true": "there is no truth; choose noise=",
    "unmatched=keep": "choose unmatched='drop' or 'singletons'",
}

VERBS: dict[str, Verb] = {
    "crosstab": Verb(table),
    "evaluate": Verb(lambda true, pred, **how: dict(cm.evaluate(true, pred, ["rand", "b_cubed_f"], **how))),
    "evaluate.points": Verb(
        lambda true, pred, **how: cm.evaluate(true, pred, ["rand"], **how).points().to_dict()["point"]
    ),
    "an index of partitions": Verb(cm.rand),
    "compare": Verb(ranked),
    "similarity_matrix": Verb(
        lambda true, pred, **how: cm.similarity_matrix({"t": true, "p": pred}, "rand", **how).values.tolist(),
        dict.fromkeys(("noise_true", "noise_pred"), "none of the labelings is the truth; choose noise="),
    ),
    "sweep": Verb(lambda true, pred, **how: cm.sweep(true, {1: pred, 2: pred}, ["rand"], **how).curve("rand")),
    "sweep(X=)": Verb(
        lambda _, pred, **how: cm.sweep(X=rows(pred), labelings={1: listed(pred)}, indices=["silhouette"], **how).curve(
            "silhouette"
        ),
        {**ONE, **ON_POINTS},
        "pred",
    ),
    "sweep_pairs": Verb(swept, FROM_PAIRS, "true"),
    "describe": Verb(lambda _, pred, **how: cm.describe(pred, **how).sizes, {**ONE, **ON_POINTS}, "pred"),
    "changes": Verb(changed, CHANGES, defaults={"unmatched": "drop"}, means={"noise_pred": "noise"}),
    "changes(truth=)": Verb(
        lambda true, pred, **how: changed(true, pred, dict(enumerate(PRED)), **how),
        {"unmatched=keep": CHANGES["unmatched=keep"]},
        defaults={"unmatched": "drop"},
        means={"noise_pred": "noise", "noise_true": ""},
    ),
    "changes(truth=), its truth": Verb(
        lambda true, _, **how: changed(dict(enumerate(TRUE)), dict(enumerate(PRED)), true, **how),
        sides="true",
        options=("noise", "noise_true"),
    ),
    "relabel": Verb(lambda true, pred, **how: cm.relabel(pred, true, **how).to_dict(), RELABEL, apart=True),
    "estimate": Verb(estimated, ESTIMATE, whole_truth=True),
    "draw_sample": Verb(
        lambda _, pred, **how: cm.draw_sample(pred, 2, **how).to_dict(),
        DRAW_SAMPLE,
        "pred",
    ),
    "questions": Verb(
        lambda true, pred, **how: cm.questions(true, pred, 5, **how).to_dict(),
        {"unmatched=keep": "choose unmatched='drop' or 'singletons'"},
        defaults={"unmatched": "drop"},
    ),
    "evaluate_internal": Verb(
        lambda _, pred, **how: dict(cm.evaluate_internal(rows(pred), listed(pred), ["silhouette"], **how)),
        {**ONE, **ON_POINTS},
        "pred",
    ),
    "an index of points": Verb(
        lambda _, pred, **how: cm.silhouette(rows(pred), listed(pred), **how),
        dict.fromkeys(("noise_true", "noise_pred", "unmatched"), "silhouette has no option"),
        "pred",
    ),
    "stability": Verb(
        lambda true, pred, **how: sorted(cm.stability(true, [pred], **how).to_dict()["jaccard"]), STABILITY, apart=True
    ),
    "evaluate_trees": Verb(
        lambda true, pred, **how: dict(cm.evaluate_trees(leaves(pred), labels=listed(true), **how)), TREES
    ),
    "evaluate_covers": Verb(lambda true, pred, **how: dict(cm.evaluate_covers(true, pred, **how)), COVERS),
    "evaluate_soft": Verb(
        lambda true, pred, **how: dict(cm.evaluate_soft(rows(true), [[1.0, 0.0]] * len(pred), **how)), SOFT
    ),
    "jaccard_concentration_index": Verb(
        lambda *_: None, dict.fromkeys(PolicyOptions.__annotations__, "as in its tool")
    ),
}
NOT_OF_LABELS = {
    *("bk_curve", "catalogue", "chance_test", "compare_datasets", "concentration", "evaluate_table", "find", "index"),
    *("json_schema", "judge", "monitor", "plan", "power", "read_evaluation", "score_interval"),
}
"""Functions of tables, of results, of trees, of numbers and of names."""
OF_ANOTHER_TOOL = {"jaccard_concentration_index"}
"""Functions with the signature of another tool."""


def given(option: str, policy: str) -> tuple[dict[int, Any], dict[int, Any]]:
    """Labels by id on which an option has an effect: noise, missing labels, or ids that one side lacks."""
    true, pred = dict(enumerate(TRUE)), dict(enumerate(PRED))
    if option.startswith("noise"):
        return true | {3: -1, 9: -1}, pred | {5: -1, 7: -1, 9: -1}
    if option == "missing":
        return true | {2: None}, pred | {4: None, 8: None}
    del true[2], pred[4], pred[8]
    return true, pred


def clean(
    true: dict[int, Any], pred: dict[int, Any], option: str, policy: str, *, apart: bool
) -> tuple[dict[int, Any], dict[int, Any]]:
    """The same labels as somebody would clean them by hand: one id after the other."""
    sides: tuple[dict[int, Any], dict[int, Any]] = {}, {}
    for item in {**true, **pred}:
        labels = {}
        for name, side in (("true", true), ("pred", pred)):
            label = side.get(item, "absent")
            concerned = {
                "noise": label == -1,
                f"noise_{name}": label == -1,
                "missing": label is None,
                "unmatched": label == "absent",
            }
            if not concerned.get(option):
                labels[name] = label
            elif policy == "cluster":
                labels[name] = 99 if label is None else label
            elif policy == "singletons":
                labels[name] = 100 + 2 * item + (name == "pred")
        for name, side in zip(("true", "pred"), sides, strict=True):
            if name in labels and (apart or len(labels) == 2):
                side[item] = labels[name]
    return sides


def are_close(one: Any, other: Any) -> bool:
    """Whether two results are the same but for the last bits of their numbers."""
    if isinstance(one, float) and isinstance(other, float):
        return isclose(one, other, rel_tol=1e-12, abs_tol=1e-15) or (one != one and other != other)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(are_close(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(are_close, one, other))
    return bool(one == other)


def expect(call: Callable[[], Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cm.ClustermarkWarning)
        return call()


def reason_against(verb: Verb, option: str, policy: str) -> str:
    return verb.refuses.get(f"{option}={policy}", verb.refuses.get(option, ""))


def value_of(option: str, policy: str) -> Any:
    return {-1: policy} if option.startswith("noise") else policy


COMBINATIONS = [
    *(
        (option, policy)
        for option in ("noise", "noise_true", "noise_pred")
        for policy in ("cluster", "singletons", "drop")
    ),
    *(("missing", policy) for policy in ("cluster", "singletons", "drop")),
    *(("unmatched", policy) for policy in ("drop", "singletons")),
]
HONOURING = [name for name in VERBS if name not in OF_ANOTHER_TOOL]


def test_every_function_has_an_entry() -> None:
    functions = {
        name
        for name in cm.__all__
        if callable(one := getattr(cm, name)) and not inspect.isclass(one) and not isinstance(one, cm.Index)
    }
    tested = {name.partition("(")[0].partition(".")[0] for name in VERBS}
    assert functions == tested & functions | NOT_OF_LABELS
    assert not tested & NOT_OF_LABELS
    taken = {one for name in tested & functions - {"evaluate_trees"} for one in compared(name)}
    assert taken >= {"y_true", "y_pred", "labelings", "labels", "before", "after", "truth", "X"}
    for name in NOT_OF_LABELS:
        parameters = inspect.signature(getattr(cm, name)).parameters
        assert not parameters.keys() & {*taken, *PolicyOptions.__annotations__}, name
        assert not any("Labels" in str(one.annotation) for one in parameters.values()), name


def compared(name: str) -> set[str]:
    """Return the parameters of a public function for what it compares: the first, and labels by their types."""
    parameters = list(inspect.signature(getattr(cm, name)).parameters.values())
    return {one.name for one in parameters[:1]} | {one.name for one in parameters if "Labels" in str(one.annotation)}


def test_every_policy_is_tried() -> None:
    assert {*PolicyOptions.__annotations__} == {option for option, _ in COMBINATIONS}
    for option in ("missing", "unmatched"):
        tried = {policy for name, policy in COMBINATIONS if name == option}
        assert tried | {"error", "keep"} >= {*declared_options()[option].choices}


def concerns(name: str, option: str) -> bool:
    """Whether an option is about what the function is called with here."""
    verb = VERBS[name]
    return option in verb.options and (verb.sides == "both" or option != "unmatched")


@pytest.mark.parametrize(
    ("name", "option", "policy"),
    [(name, *combined) for name in HONOURING for combined in COMBINATIONS if concerns(name, combined[0])],
)
def test_a_policy_does_what_one_does_by_hand(name: str, option: str, policy: str) -> None:
    verb = VERBS[name]
    true, pred = given(option, policy)
    true = dict(enumerate(TRUE)) if verb.whole_truth and not option.startswith("noise") else true
    call = lambda: verb.call(true, pred, **{option: value_of(option, policy)})  # noqa: E731
    if reason := reason_against(verb, option, policy):
        with pytest.raises(cm.InputError, match=reason):
            expect(call)
        return
    read = {} if verb.sides == "pred" else true, {} if verb.sides == "true" else pred
    cleaned = clean(*read, verb.means.get(option, option), policy, apart=verb.apart or verb.sides != "both")
    assert are_close(expect(call), expect(lambda: verb.call(*cleaned)))


@pytest.mark.parametrize(
    ("name", "option"),
    [(name, option) for name in HONOURING for option in ("missing", "unmatched") if concerns(name, option)],
)
def test_what_is_not_clean_is_an_error_by_default(name: str, option: str) -> None:
    verb = VERBS[name]
    true, pred = given(option, "error")
    default = verb.defaults.get(option, "error")
    refused = verb.refuses.get(option)
    if refused is None and default != "error":
        by_default = expect(lambda: verb.call(true, pred))
        assert are_close(by_default, expect(lambda: verb.call(true, pred, **{option: default})))
    if refused is None and f"{option}=error" not in verb.refuses:
        with pytest.raises(cm.InputError, match=r"choose (missing|unmatched)="):
            expect(lambda: verb.call(true, pred, **{option: "error"}))


@pytest.mark.parametrize("name", HONOURING)
@pytest.mark.parametrize("option", PolicyOptions.__annotations__)
def test_an_unknown_policy_is_an_error_with_its_choices(name: str, option: str) -> None:
    verb, labels = VERBS[name], dict(enumerate(PRED))
    with pytest.raises(cm.InputError, match=f"{verb.refuses.get(option)}|choose|is not for"):
        verb.call(labels, labels, **{option: value_of(option, "no such policy")})


@pytest.mark.parametrize("name", HONOURING)
@pytest.mark.parametrize("option", ["noise", "noise_true", "noise_pred"])
def test_a_label_of_noise_of_another_type_warns(name: str, option: str) -> None:
    verb = VERBS[name]
    if verb.refuses.get(option) or verb.refuses.get(f"{option}=drop") or option not in verb.options:
        return
    if verb.means.get(option, option) == "":
        return
    true, pred = given(option, "drop")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        verb.call(true, pred, **{option: {"-1": "drop"}})
    (one,) = (one for one in caught if "have the number -1: did you mean that?" in str(one.message))
    assert issubclass(one.category, cm.NoiseWarning)
    assert "the label '-1'" in str(one.message)
    assert one.filename == __file__


SEVERAL: dict[str, Callable[..., float]] = {
    "crosstab": lambda true, pred, index, **how: cm.find(index).of(cm.crosstab(true, pred, **how)),
    "evaluate": lambda true, pred, index, **how: cm.evaluate(true, pred, [index], **how)[index],
    "an index of partitions": lambda true, pred, index, **how: cm.find(index)(true, pred, **how),
    "compare": lambda true, pred, index, **how: cm.compare(true, {"p": pred}, [index], **how).leaderboard()["p"].score,
    "sweep": lambda true, pred, index, **how: cm.sweep(true, {1: pred}, [index], **how).at(1)[index],
}
"""Functions that score an index which the caller names."""


@pytest.mark.parametrize("name", SEVERAL)
def test_unscored_noise_is_for_the_indices_that_take_it(name: str) -> None:
    true, pred = given("noise_pred", "unscored")
    wanted = cm.jaccard_concentration_index(listed(true), listed(pred), noise_label=-1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cm.NoiseWarning)
        call = SEVERAL[name]
        assert call(true, pred, "jaccard_concentration", noise_pred={-1: "unscored"}) == wanted
        with pytest.raises(cm.UnsupportedTableError, match='cannot leave noise "unscored"'):
            call(true, pred, "rand", noise_pred={-1: "unscored"})


def b_cubed_precision(true: Mapping[int, Any], pred: Mapping[int, Any]) -> float:
    """The mean, over the predicted items, of the share of their cluster that belongs to their true one."""
    shares = []
    for item, label in pred.items():
        cluster = [one for one in pred if pred[one] == label]
        together = [one for one in cluster if item in true and one in true and true[one] == true[item]]
        shares.append(len(together) / len(cluster))
    return sum(shares) / len(shares)


@pytest.mark.parametrize("name", SEVERAL)
def test_unmatched_items_are_kept_for_the_indices_that_take_them(name: str) -> None:
    true, pred = given("unmatched", "keep")
    call = SEVERAL[name]
    assert are_close(call(true, pred, "b_cubed_precision", unmatched="keep"), b_cubed_precision(true, pred))
    with pytest.raises(cm.UnsupportedTableError, match="choose unmatched='drop' or 'singletons'"):
        call(true, pred, "rand", unmatched="keep")
