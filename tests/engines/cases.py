"""Tables that are difficult for engines, and the tables of the same labels in memory."""

import random
from typing import Any, NamedTuple

from clustermark.registry import catalogue
from clustermark.sources.contingencies import crosstab
from clustermark.tables.tabulation import crosstab as in_memory
from needs import need

pa = need("pyarrow")


class Case(NamedTuple):
    """Columns t and p of one table, or of two tables with ids i; n and w are counts and weights."""

    truth: pa.Table
    prediction: pa.Table | None = None
    options: dict[str, Any] = {}
    numbers: dict[str, str] = {}


def columns(**lists):
    return pa.table({name: pa.array(values) for name, values in lists.items()})


STRANGE = [
    "it's",
    'say "hi"',
    "a\\",
    "a\\'b",
    "ä€😀",
    " a",
    "a ",
    "A",
    "a",
    "-- x",
    "/*",
    "${spark.app.name}",
    "%s",
    "null",
]
NAN = float("nan")


def random_case(seed, options):
    draw = random.Random(seed)
    n = draw.randint(1, 60)
    texts = draw.choice([STRANGE, list("abcdefgh"), list(range(-4, 9))])
    holes = [None] if options.get("missing", "error") != "error" else []
    return Case(
        columns(
            t=[draw.choice(texts + holes) for _ in range(n)] + [texts[0]],
            p=[draw.choice([-1, 0, 1, 2, 2**40, -(2**62), *holes]) for _ in range(n)] + [1],
        ),
        options=options,
    )


def joined_case(seed, options):
    draw = random.Random(seed)
    ids = [*draw.sample(range(50), 30)]
    kind = draw.choice([int, str])
    return Case(
        columns(i=[kind(i) for i in ids[:20]], t=[draw.choice("abc") for _ in range(20)]),
        columns(i=[kind(i) for i in ids[10:]], p=[draw.choice([1, 2, 3]) for _ in range(20)]),
        options=options,
    )


SINGLETONS, DROP = {-1: "singletons"}, {-1: "drop"}
CASES = {
    "texts": Case(columns(t=STRANGE * 2, p=STRANGE + STRANGE[::-1])),
    "one cluster": Case(columns(t=[7] * 20, p=["x"] * 20)),
    "singletons": Case(columns(t=list(range(40)), p=[str(i) for i in range(40)])),
    "one point": Case(columns(t=[0], p=["a"])),
    "nulls": Case(columns(t=[1, None, 2, None, 1], p=["a", None, None, "a", "a"]), options={"missing": "cluster"}),
    "only nulls": Case(columns(t=["a", "b"], p=pa.array([None, None], pa.string())), options={"missing": "singletons"}),
    "not a number": Case(
        columns(t=[1.0, NAN, None, 2.0, -0.0, 0.0, NAN], p=[1, 1, 1, 2, 2, 3, 3]), options={"missing": "cluster"}
    ),
    "zeros": Case(columns(t=[0.0, -0.0, 1.0], p=["a", "a", "b"])),
    "truth values": Case(columns(t=[True, False, True, True], p=["x", "y", "y", "x"])),
    "large integers": Case(columns(t=[2**63 - 1, -(2**63), 0], p=[2**53 + 1, 2**53, 2**53 + 1])),
    "counts": Case(
        columns(t=["a", "a", "b", "b"], p=[1, 2, 2, 1], n=[2**40, 3, 2**40 - 1, 0]), numbers={"counts": "n"}
    ),
    "weights": Case(
        columns(t=["a", "a", "b", "b"], p=[1, 2, 2, 1], w=[0.1, 0.2, 0.30000000000000004, 0.0]),
        numbers={"weights": "w"},
    ),
    "both": Case(
        columns(t=["a", "a", "b"], p=[1, 2, 2], w=[0.1, 0.2, 0.3], n=[5, 7, 2**20]),
        numbers={"weights": "w", "counts": "n"},
    ),
    "noise alone": random_case(1, {"noise_pred": SINGLETONS, "missing": "drop"}),
    "noise dropped": random_case(2, {"noise_pred": DROP, "noise_true": {"a": "singletons"}, "missing": "singletons"}),
    "noise unscored": random_case(3, {"noise_pred": {-1: "unscored"}}),
    **{f"random {seed}": random_case(seed, {"missing": "drop"}) for seed in range(10, 14)},
    "joined": joined_case(20, {"unmatched": "drop"}),
    "joined, alone": joined_case(21, {"unmatched": "singletons"}),
    "joined, kept": joined_case(22, {"unmatched": "keep"}),
}


def expected(case):
    """Return the table of the same labels in memory."""
    truth = case.truth.to_pydict()
    if case.prediction is None:
        numbers = {what: truth[column] for what, column in case.numbers.items()}
        return in_memory(truth["t"], truth["p"], **numbers, **case.options)
    found = case.prediction.to_pydict()
    return in_memory(
        dict(zip(truth["i"], truth["t"], strict=True)), dict(zip(found["i"], found["p"], strict=True)), **case.options
    )


def made(host, case, **more):
    """Return the table that an engine makes."""
    options = {"true": "t", "pred": "p"} | case.numbers | case.options | host.options | more
    truth = host.source(case.truth)
    if case.prediction is None:
        return crosstab(truth, **options)
    return crosstab(truth, host.source(case.prediction, "found"), on="i", **options)


def scores(table):
    """Return the profile of a table and its scores, except those of a chance model, which are slow for huge counts."""
    indices = [index for index in catalogue() if not index.facts.may_sample and not index.facts.chance_model]
    return table.profile, {index.name: index.of(table) for index in indices if not index.refusal(table)}
