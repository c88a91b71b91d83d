"""Write tables.json.gz, the frozen scores, from the installed version: python tests/frozen/write.py

It is run by hand, and only to freeze a version whose numbers are trusted: the test then compares all later versions
with it. It writes the same bytes for the same version and kind of machine. To see the changes of a new version:
diff <(git show HEAD:tests/frozen/tables.json.gz | zcat) <(zcat tests/frozen/tables.json.gz)
"""

from __future__ import annotations

import gzip
import json
import platform
from inspect import Parameter, signature
from random import Random
from typing import Any

from measuring import DATA, Variant, attempted, findings, inputs, scores

import clustermark as cm

OPTIONS: dict[str, tuple[Any, ...]] = {
    "alpha": (0.5, 2),
    "average": ("arithmetic", "geometric", "min", "max", "joint"),
    "base": (2, 10),
    "beta": (0.0, 0.5, 2),
    "encoding": ("flat", "dirichlet_multinomial"),
    "estimate": ("effective_columns", "diaconis_efron"),
    "merge": (0.5, 3.0),
    "model": ("permutation", "num", "all", "num1", "all1"),
    "norm": ("2n", "wu"),
    "normalization": (),  # has an effect with normalized=True only
    "normalized": (False, True),
    "per_point": (False, True),
    "raw": (False, True),
    "samples": (),
    "seed": (7,),
    "side": ("true", "pred"),
    "split": (0.5, 3.0),
    "variant": ("joint", "relative", "truth", "log_n", "sum"),
}
"""The values of each option that are tried, one option at a time."""

COMBINED: list[Variant] = [
    ("tversky", {"alpha": 0.5, "beta": 2}),
    ("merge_distance", {"split": 0.5, "merge": 3.0}),
    ("reduced_mutual_information", {"normalized": True, "estimate": "diaconis_efron"}),
    ("reduced_mutual_information", {"estimate": "diaconis_efron", "base": 2}),
    ("reduced_mutual_information", {"normalized": True, "normalization": "truth"}),
    ("reduced_mutual_information", {"normalized": True, "encoding": "dirichlet_multinomial"}),
]

BY_CHANCE = {"adjusted_mutual_information": 2 * 10**12, "relative_nmi": 2 * 10**12}
"""Up to this many points these take less than a second; beyond, they are left out, as null."""
SAMPLED_UP_TO = 100_000
"""Up to this many points an index that may draw random tables is frozen; its seed makes it reproducible."""

BOOK = ([1] * 8 + [2] * 5 + [3] * 4, [1, 1, 1, 1, 1, 2, 3, 3, 1, 2, 2, 2, 2, 2, 3, 3, 3])
FIVE = {"p": [0, 0, 1, 1, 1], "q": [0, 0, 0, 1, 1], "r": [0, 0, 1, 0, 0], "s": [0, 0, 1, 2, 2]}
EIGHT = ([1, 1, 2, 2, 2, 3, 3, 3], [1, 1, 1, 2, 2, 2, 2, 2])
LABELED = ["panel", "permetrics", "sklearn", "jci"]


def labels(true: Any, pred: Any, **options: Any) -> dict[str, Any]:
    """Return two labelings, and options of `crosstab`."""
    return {"true": true, "pred": pred, **options}


def matrix(*rows: list[int]) -> dict[str, Any]:
    """Return the cells of a matrix of counts."""
    cells = [(i, j, n) for i, row in enumerate(rows) for j, n in enumerate(row) if n]
    true, pred, counts = (list(column) for column in zip(*cells, strict=True))
    return labels(true, pred, counts=counts)


def drawn(seed: int, points: int, k_true: int, k_pred: int, agreeing: float = 0.0) -> tuple[list[int], list[int]]:
    """Return random labels, of which a share agrees."""
    random = Random(seed)
    true = [random.randrange(k_true) for _ in range(points)]
    return true, [one % k_pred if random.random() < agreeing else random.randrange(k_pred) for one in true]


def resolved(seed: int, entities: int, spoilt: float) -> tuple[list[int], list[int]]:
    """Return entities of 1 to 5 records; some records are misplaced, some pairs of entities are merged."""
    random = Random(seed)
    true, pred, fresh = [], [], entities
    for entity in range(entities):
        cluster = entity - 1 if entity and random.random() < spoilt / 2 else entity
        for _ in range(random.choices(range(1, 6), (50, 25, 12, 8, 5))[0]):
            moved = random.random() < spoilt
            fresh += moved
            true.append(entity)
            pred.append(fresh if moved else cluster)
    return true, pred


def skewed(seed: int, k: int, largest: int) -> dict[str, Any]:
    """Return cells with counts as in Zipf's law, a diagonal of matches and some other cells."""
    random = Random(seed)
    cells = {}
    for i in range(k):
        cells[i, i] = max(1, largest // (i + 1))
        for _ in range(random.randrange(3)):
            cells[i, random.randrange(k)] = random.randrange(1, 2 + largest // (2 * i + 2))
    true, pred = (list(side) for side in zip(*cells, strict=True))
    return labels(true, pred, counts=list(cells.values()))


def weighed(seed: int, of: tuple[list[Any], list[Any]], **options: Any) -> dict[str, Any]:
    """Return labels of points with real weights."""
    random = Random(seed)
    return labels(*of, weights=[random.lognormvariate(0, 2) for _ in of[0]], **options)


def one_sided(seed: int, points: int, unmatched: str, **options: Any) -> dict[str, Any]:
    """Return labels by id; each side lacks some."""
    random = Random(seed)
    true, pred = drawn(seed, points, points // 4 + 1, points // 4 + 1, 0.7)
    sides = [{f"i{i}": one for i, one in enumerate(side) if random.random() < 0.85} for side in (true, pred)]
    return labels(*sides, unmatched=unmatched, **options)


def noisy(seed: int, points: int, k: int, share: float = 0.2) -> tuple[list[int], list[int]]:
    """Return random labels with -1 for noise on both sides."""
    random = Random(seed)
    true, pred = drawn(seed, points, k, k, 0.6)
    true, pred = ([-1 if random.random() < share else one for one in side] for side in (true, pred))
    return true, pred


def with_gaps(seed: int, points: int, k: int) -> tuple[list[Any], list[Any]]:
    """Return random labels, some of them missing."""
    true, pred = noisy(seed, points, k, 0.15)
    return [None if one == -1 else one for one in true], [None if one == -1 else one for one in pred]


def published() -> dict[str, dict[str, Any]]:
    """Return examples of the literature and of other tools; tests/indices/test_published.py has their sources."""
    small = {
        "igraph": ([2, 0, 2, 1, 1, 0, 2, 2, 1, 2], [1, 1, 2, 1, 1, 0, 2, 2, 0, 2]),
        "sklearn-six": ([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]),
        "sklearn-lower-bound": ([0, 0, 1, 1], [0, 1, 0, 1]),
        "sklearn-one-off": ([1] * 21 + [0], [1] * 22),
        "cdp": ([0, 0, 1, 1, 2, 3, 4, 5, 5, 5, 5], [0, 0, 1, 1, 2, 2, 3, 4, 5, 5, 6]),
        "er-evaluation": (list("aaabbccd"), [1, 1, 2, 3, 2, 4, 4, 4]),
        "one-large-error": ([0] * 5 + [1, 1, 2, 2, 3, 3, 4, 4], [0, 0, 0, 0, 9, 1, 1, 2, 2, 3, 3, 4, 4]),
        "clustering-mi": EIGHT,
    }
    matrices = {
        "seventeen": ([4, 1, 1], [1, 4, 1], [0, 2, 3]),
        "genieclust": ([1, 10], [8, 2]),
        "more-than-32-bits": ([52632, 2529], [14660, 793], [3271, 204], [814, 39], [316, 20]),
        "scipy-association": ([100, 150], [203, 322], [420, 700], [320, 210]),
        "rapportools": ([5, 9, 7, 1], [4, 8, 11, 15], [3, 7, 22, 8]),
        "steinley": ([4, 5, 3], [3, 8, 4]),
    }
    return {
        "book": labels(*BOOK),
        **{f"five-{a}{b}": labels(FIVE[a], FIVE[b]) for a, b in ("pq", "pr", "ps", "rs", "sp")},
        **{name: labels(*sides) for name, sides in small.items()},
        **{name: matrix(*rows) for name, rows in matrices.items()},
    }


def degenerate() -> dict[str, dict[str, Any]]:
    """Return identical labelings, one cluster, singletons, and cases in between."""
    ten = list(range(10))
    sides = {
        "one-point": ([0], [1]),
        "two-points-together": ([0, 0], [3, 3]),
        "two-points-apart": ([0, 1], [3, 4]),
        "two-points-split": ([0, 0], [3, 4]),
        "two-points-merged": ([0, 1], [3, 3]),
        "identical": ([0, 0, 1, 1, 1, 2], [5, 5, 3, 3, 3, 9]),
        "identical-one-cluster": ([1] * 10, [2] * 10),
        "identical-singletons": (ten, ten[::-1]),
        "identical-of-fifty": ([i % 17 for i in range(50)],) * 2,
        "one-cluster-against-singletons": ([0] * 10, ten),
        "singletons-against-one-cluster": (ten, [0] * 10),
        "one-cluster-against-two": ([0] * 10, [0] * 5 + [1] * 5),
        "two-against-one-cluster": ([0] * 4 + [1] * 6, [0] * 10),
        "singletons-against-pairs": (ten, [i // 2 for i in ten]),
        "pairs-against-singletons": ([i // 2 for i in ten], ten),
        "independent": ([i // 4 for i in range(16)], [i % 4 for i in range(16)]),
        "refined": ([0] * 6 + [1] * 6, [0, 0, 1, 1, 2, 2, 3, 3, 3, 4, 4, 4]),
    }
    return {name: labels(*pair) for name, pair in sides.items()}


def random_ones() -> dict[str, dict[str, Any]]:
    """Return random labels, small to large."""
    found = {}
    for seed, (points, k_true, k_pred, agreeing) in enumerate(
        [(7, 3, 3, 0.0), (12, 4, 3, 0.5), (20, 5, 8, 0.8), (33, 2, 16, 0.0), (64, 8, 8, 0.9), (65, 9, 5, 0.3),
         (120, 30, 40, 0.7), (300, 12, 12, 0.85)]
    ):  # fmt: skip
        found[f"random-{points}"] = labels(*drawn(seed, points, k_true, k_pred, agreeing))
    found["random-array"] = labels(*drawn(20, 150, 11, 14, 0.6), form="array")
    found["large-labels"] = labels(*([one * 10**15 - 3 for one in side] for side in drawn(21, 40, 6, 7, 0.5)))
    found["many-clusters"] = labels(*drawn(22, 1500, 300, 280, 0.75))
    found["many-clusters-far-apart"] = labels(*drawn(23, 1200, 350, 350, 0.0))
    return found


def entities() -> dict[str, dict[str, Any]]:
    """Return many clusters of 1 to 5 points, as in entity resolution."""
    sizes = {"tiny": (25, 0.2), "small": (80, 0.1), "clean": (200, 0.02), "spoilt": (200, 0.4), "large": (700, 0.08)}
    found = {f"entities-{name}": labels(*resolved(40 + n, *sizes[name])) for n, name in enumerate(sizes)}
    true, pred = resolved(50, 60, 0.15)
    found["entities-text"] = labels([f"e{one:03}" for one in true], [f"Ü{one}" for one in pred])
    found["entities-text-array"] = labels([f"e{one}" for one in true], [f"c{one}" for one in pred], form="array")
    return found


def counted() -> dict[str, dict[str, Any]]:
    """Return rows that stand for many points, up to the largest possible number."""
    tera, limit = 10**12, 2**60
    return {
        "counts": labels(*drawn(60, 40, 6, 6, 0.6), counts=[i * i % 23 for i in range(40)]),
        "counts-skewed": skewed(61, 60, 1000),
        "counts-of-hundreds-of-clusters": skewed(62, 400, 5000),
        "counts-million": matrix([10**6, 17, 0], [250, 10**6 - 1, 3], [0, 4, 500_000]),
        "counts-tera": matrix([tera // 2, 5, 0], [0, tera // 3, 7], [1, 0, tera // 6]),
        "counts-tera-skewed": skewed(63, 7, tera // 4),
        "counts-far-apart": matrix([10**15, 1], [1, 1]),
        "counts-near-limit": matrix([limit // 2, 12345, 0], [0, limit // 4, 6789], [1, 0, limit // 8]),
        "counts-near-limit-even": matrix([limit // 4 - 1] * 2, [limit // 4 - 3] * 2),
        "counts-near-limit-one-cell": matrix([limit]),
        "counts-near-limit-singletons": matrix([limit - 2, 0, 0], [0, 1, 0], [0, 0, 1]),
    }


def weighted() -> dict[str, dict[str, Any]]:
    """Return points with real weights."""
    tiny_and_vast = labels([0, 0, 1, 1, 2], [0, 1, 1, 2, 2], weights=[1e-30, 1e30, 3.5, 2.25e10, 1e-5])
    return {
        "weights-book": weighed(70, BOOK),
        "weights-ones": labels(*EIGHT, weights=[1.0] * 8),
        "weights-zero": labels(*EIGHT, weights=[0.0, 1.5, 2.5, 0.0, 0.1, 0.2, 0.3, 0.4]),
        "weights-tiny-and-vast": tiny_and_vast,
        "weights-identical": weighed(71, ([0, 0, 1, 2, 2, 2], [1, 1, 2, 0, 0, 0])),
        "weights-singletons": weighed(72, (list(range(9)), list(range(9)))),
        "weights-one-cluster": weighed(73, ([0] * 9, [i // 3 for i in range(9)])),
        "weights-entities": weighed(74, resolved(74, 150, 0.15)),
        "weights-random": weighed(75, drawn(75, 400, 40, 50, 0.6)),
        "weights-noise-singletons": weighed(76, noisy(76, 50, 6), noise_pred=[[-1, "singletons"]]),
        "weights-noise-drop": weighed(77, noisy(77, 50, 6), noise_true=[[-1, "drop"]], noise_pred=[[-1, "drop"]]),
        "weights-noise-unscored": weighed(78, noisy(78, 50, 6), noise_pred=[[-1, "unscored"]]),
        "weights-missing": weighed(79, with_gaps(79, 50, 6), missing="singletons"),
    }


def policies() -> dict[str, dict[str, Any]]:
    """Return a table for each policy for noise, missing labels and unmatched items."""
    found = {}
    for n, policy in enumerate(("cluster", "singletons", "drop", "unscored")):
        found[f"noise-pred-{policy}"] = labels(*noisy(80, 60, 7), noise_pred=[[-1, policy]])
        if policy != "unscored":
            found[f"noise-both-{policy}"] = labels(
                *noisy(81 + n, 60, 7), noise_true=[[-1, policy]], noise_pred=[[-1, policy]]
            )
    found["noise-mixed"] = labels(
        *noisy(85, 80, 9), noise_true=[[-1, "singletons"], [0, "drop"]], noise_pred=[[-1, "unscored"], [1, "drop"]]
    )
    found["noise-counts"] = labels(*noisy(86, 30, 5), counts=list(range(1, 31)), noise_pred=[[-1, "singletons"]])
    found["noise-all-singletons"] = labels([0, 0, 1, 1], [-1] * 4, noise_pred=[[-1, "singletons"]])
    found["noise-all-unscored"] = labels([0, 0, 1, 1], [-1] * 4, noise_pred=[[-1, "unscored"]])
    found["noise-all-dropped"] = labels([0, 0, 1, 1], [-1] * 4, noise_pred=[[-1, "drop"]])
    for policy in ("error", "cluster", "singletons", "drop"):
        found[f"missing-{policy}"] = labels(*with_gaps(87, 50, 6), missing=policy)
    found["missing-nan"] = labels(*with_gaps(88, 50, 6), missing="cluster", form="nan")
    for policy in ("error", "drop", "singletons", "keep"):
        found[f"unmatched-{policy}"] = one_sided(89, 60, policy)
    found["unmatched-keep-large"] = one_sided(90, 400, "keep")
    found["unmatched-keep-noise"] = one_sided(91, 60, "keep", noise_pred=[[2, "singletons"]])
    found["unmatched-keep-nothing-shared"] = labels({"a": 0, "b": 0}, {"c": 1, "d": 1}, unmatched="keep")
    found["unmatched-keep-one"] = labels({"a": 0}, {"a": 0, **{str(i): i for i in range(10)}}, unmatched="keep")
    return found


def of_all_kinds() -> dict[str, dict[str, Any]]:
    """Return labels that are texts, or of several types."""
    return {
        "text": labels(list("aabbbcccc"), ["x", "x", "x", "yy", "yy", "z", "z", "z", ""]),
        "text-unicode": labels(["ä", "ä", "β", "β", "β", "猫"], ["1", "1", "01", "1 ", "1 ", "1"]),
        "mixed": labels(["a", "a", 1, 1, 2, 2, "1", "1"], [0, "0", 0, 0, 1, 1, "z", "z"]),
        "refused-fractions": labels(["a", "a", 1, 1, 2.5, 2.5], [0, "0", 0, 0, 1, 1]),
        "mixed-missing": labels(["a", None, 1, 1, "b", "b"], [None, None, 0, 0, "0", 0], missing="cluster"),
        "booleans": labels([True, True, False, False, True], [False, False, False, True, True]),
        "refused-lengths": labels([0, 1], [0, 1, 2]),
        "refused-empty": labels([], []),
        "refused-weights": labels([0, 1], [0, 1], weights=[1.0, -1.0]),
        "refused-counts": labels([0, 1], [0, 1], counts=[2**62, 2**62]),
    }


def variants() -> list[Variant]:
    """Return each index with its defaults, and with each other value of each of its options."""
    found: list[Variant] = []
    for index in cm.catalogue():
        found.append((index.name, {}))
        options = [one for one in signature(index).parameters.values() if one.kind is Parameter.KEYWORD_ONLY]
        found += [(index.name, {one.name: to}) for one in options for to in OPTIONS[one.name] if to != one.default]
    return found + COMBINED


def is_quick(variant: Variant, points: int) -> bool:
    """Return whether an index takes less than a second; slower ones are left out."""
    sampled = cm.find(variant[0]).may_sample and points > SAMPLED_UP_TO
    return not sampled and points <= BY_CHANCE.get(variant[0], points)


def extras_of(stored: dict[str, Any], points: int) -> list[str]:
    """Return the additional results that are frozen of this table."""
    if set(stored) <= {"true", "pred", "form"}:
        return LABELED
    unscored = stored.get("noise_pred", [["", ""]])[0][1] == "unscored"
    jci = ["jci"] if unscored and not {"noise_true", "weights"} & set(stored) else []
    return jci + ["panel"] * (points <= 10**6)


def frozen(stored: dict[str, Any], chosen: list[Variant]) -> dict[str, Any]:
    """Return the frozen data of a table."""
    given = inputs(stored)
    try:
        table = cm.crosstab(**given)
    except Exception:
        return {"input": stored, "raises": attempted(cm.crosstab, **given)}
    quick = [variant for variant in chosen if is_quick(variant, table.n_used)]
    found = iter(scores(table, quick))
    extras = extras_of(stored, table.n_used)
    return {
        "input": stored,
        "scores": [next(found) if variant in quick else None for variant in chosen],
        "extras": extras,
        "found": findings(given, extras),
    }


def tables() -> dict[str, dict[str, Any]]:
    """Return all tables by name."""
    found: dict[str, dict[str, Any]] = {}
    for kind in (published, degenerate, random_ones, entities, counted, weighted, policies, of_all_kinds):
        found |= kind()
    return found


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def main() -> None:
    """Write the data, one line per table."""
    chosen = variants()
    lines = [f"{compact(name)}:{compact(frozen(stored, chosen))}" for name, stored in tables().items()]
    head = f'"machine":{compact([platform.system(), platform.machine()])},\n"indices":{compact(chosen)}'
    text = f'{{{head},\n"tables":{{\n' + ",\n".join(lines) + "\n}}\n"
    DATA.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    main()
