"""Which pairs are asked: in proportion to mass, by permanent random numbers, the same everywhere."""

from __future__ import annotations

import sqlite3
from collections import Counter
from decimal import Decimal
from hashlib import md5

import numpy as np
import pytest
from worlds import answer, blocks, change, golden, masses

import clustermark as cm
from clustermark._kernel import digest_integers
from clustermark.engines.engine import FetchLimits, Workspace
from clustermark.labels.alignment import id_text, id_texts
from clustermark.releases.judgements.gathering import open_population
from clustermark.releases.judgements.pair_masses import B_CUBED
from clustermark.releases.judgements.pair_sampling import (
    digest_ids,
    digest_numbers,
    draw_pairs,
    first_of,
    hash_ids,
    numbers_of,
    pair_hashes,
    uniform,
    weigh_kinds,
)
from needs import need

WORLD = blocks(1)
IDS = [f"r{place}" for place in range(len(WORLD["truth"]))]
BEFORE, AFTER = dict(zip(IDS, WORLD["before"], strict=True)), dict(zip(IDS, WORLD["after"], strict=True))


def rows(asked):
    return [one[:7] for one in asked.table]


def test_ids_of_each_type_have_one_text():
    assert id_text(Decimal("1.50")) == "1.5"
    assert id_texts([1, 2.5, "a"]) == ["1", "2.5", "a"]
    assert id_text(np.int64(3)) == id_text(np.float64(3)) == "3"
    assert id_text(np.bool_(True)) == "true"
    with pytest.raises(cm.InputError, match="two of them are written '1'"):
        cm.questions({1: 0, "1": 0}, {1: 0, "1": 1})


def test_numbers_are_spread_evenly_and_belong_to_the_pair():
    hashes = hash_ids([str(place) for place in range(4000)], 3)
    digests = digest_ids([str(place) for place in range(4000)], 3)
    drawn = [numbers_of(digests, kind) for kind in ("split", "merge", "kept")]
    for numbers in (*drawn, uniform(pair_hashes(hashes[:-1], hashes[1:]))):
        counts = np.histogram(numbers, 10, (0, 1))[0]
        assert ((counts - 400) ** 2 / 400).sum() < 30
    assert (pair_hashes(hashes[:-1], hashes[1:]) == pair_hashes(hashes[1:], hashes[:-1])).all()
    text = md5(b"7:3").hexdigest()
    for kind, place in (("split", 0), ("affected", 0), ("merge", 10), ("shrunk", 20), ("grown", 20), ("kept", 20)):
        assert numbers_of(digest_ids(["3"], 7), kind) == [(int(text[place : place + 10], 16) + 0.5) / 16**10]
    # one number for two kinds would draw the same records for both, and estimates take samples of kinds for independent
    assert np.abs(np.corrcoef(drawn) - np.eye(3)).max() < 0.06
    ids = np.array([0, 7, -1, 2**63 - 1, -(2**63), *range(10, 10**18, 10**16 + 7)])
    for seed in (0, -7, 10**33, 10**34):  # whose texts have up to 36 bytes
        assert (digest_numbers(ids, seed) == digest_ids([str(one) for one in ids.tolist()], seed)).all()
    with pytest.raises(ValueError, match="at most 35 bytes"):
        digest_integers(b"7" * 36, ids)
    many = np.arange(-20_000, 20_000)
    digests = digest_ids([str(number) for number in many.tolist()], 7)
    for threads in (1, 3):  # who hashes which of them makes no difference
        assert (digest_integers(b"7:", many, threads) == digests.ravel()).all()


def test_equal_keys_are_told_apart_by_the_text_of_ids():
    keys = np.array([0.5, 0.1, 0.5, 0.5])
    text_of = ["c", "z", "a", "b"].__getitem__
    assert first_of(keys, text_of, 3) == [1, 2, 3]
    assert first_of(keys, text_of, 9) == [1, 2, 3, 0]
    assert first_of(keys, text_of, 0) == []


@pytest.mark.slow
@pytest.mark.parametrize("even", [1, 10])
def test_pairs_are_drawn_in_proportion_to_their_mass(even):
    """A cluster of 12 that loses 4, one of 6 cut in halves, and pairs that come apart: over many seeds.

    They are drawn by their records, and from the list of all."""
    before = [0] * 12 + [1] * 6 + [2 + place // 2 for place in range(40)]
    after = [0] * 8 + [90] * 4 + [1] * 3 + [91] * 3 + [100 + place for place in range(40)]
    world = golden(before, after, before)
    wanted = masses(world)["split"]
    total = sum(wanted.values())
    found, draws = Counter(), 0
    with open_population(before, after, None, {}) as (people, _):
        weighed = weigh_kinds(people, B_CUBED, "b_cubed_precision")
        for seed in range(150):
            split = draw_pairs(people, weighed, 30, seed, even=even)[0]
            assert split.kind == "split"
            pairs = [tuple(sorted((int(one.first), int(one.second)))) for one in split.draws if one.share is None]
            found.update(pairs)
            draws += len(pairs)
    kinds = {"large": (0, 12), "halves": (12, 18), "pairs": (18, 58)}
    for name, (low, high) in kinds.items():
        share = float(sum(mass for (i, _), mass in wanted.items() if low <= i < high) / total)
        seen = sum(times for (i, _), times in found.items() if low <= i < high) / draws
        assert seen == pytest.approx(share, abs=0.03), name
    # within a cluster all are alike
    inside = [found[i, j] + found[j, i] for i in range(8) for j in range(8, 12)]
    assert max(inside) < 4 * min(inside)


@pytest.mark.slow
def test_estimates_hold_on_average_and_intervals_as_often_as_they_say():
    truth = float(change(WORLD))
    values, held = [], 0
    for seed in range(40):
        asked = cm.questions(WORLD["before"], WORLD["after"], n=100, seed=seed)
        found = cm.judge(asked, answer(asked, WORLD["truth"])).change
        values.append(found.value)
        held += found.low <= truth <= found.high
    assert np.mean(values) == pytest.approx(truth, abs=3 * np.std(values) / 40**0.5)
    assert held >= 34


def test_heavy_pairs_are_asked_anyway_and_counted_by_their_mass():
    """Twenty pairs of one come apart beside a large cluster that loses one record."""
    before = [place // 2 for place in range(10)] + [99] * 400
    after = [*range(1000, 1010)] + [99] * 399 + [77]
    asked = cm.questions(before, after, n=60)
    split = next(one for one in asked.design.strata if one.kind == "split")
    assert split.sure == 5
    assert split.draws > 0
    assert 0.5 < split.sure_share < 1
    sure = [one for one in asked.table if one.share is not None and one.kind == "split"]
    assert sum(one.share for one in sure) == pytest.approx(split.sure_share)
    truth = before[:10] + [99] * 399 + [77]
    found = cm.judge(asked, answer(asked, truth))
    assert found["good_splits"].value == pytest.approx(1 - split.sure_share)


def test_few_records_do_not_choose_each_other():
    """Ten clusters of 30 in halves: as many questions as records, and no answer counts twice."""
    before = [place // 30 for place in range(300)]
    asked = cm.questions(before, [place // 15 for place in range(300)], n=300)
    assert [one.draws for one in asked.table] == [1] * 300


def test_a_large_list_of_pairs_is_not_made():
    before = [0] * 300 + [1, 1]
    after = [0] * 299 + [5, 1, 2]
    with open_population(before, after, None, {}) as (people, _):
        weighed = weigh_kinds(people, B_CUBED, "b_cubed_precision")
        whole, drawn = (draw_pairs(people, weighed, 40, 0, most_listed=most)[0] for most in (300, 10))
    assert (whole.kind, whole.pairs, whole.listed) == ("split", 300, True)
    assert (drawn.kind, drawn.pairs, drawn.listed) == ("split", 300, False)
    assert all(one.share is None for one in drawn.draws)  # none is certain
    assert 0 < len(drawn.draws) < len(whole.draws)


def test_next_round_asks_mostly_the_same_pairs():
    first = cm.questions(BEFORE, AFTER, n=150, seed=7)
    changed = dict(AFTER) | {name: f"moved {place // 2}" for place, name in enumerate(IDS[:30])}
    again = cm.questions(BEFORE, changed, n=150, seed=7)
    other = cm.questions(BEFORE, changed, n=150, seed=8)
    old = {one.pair for one in first.table}
    assert sum(one.pair in old for one in again.table) > 0.75 * len(again)
    assert sum(one.pair in old for one in other.table) < 0.3 * len(other)


def test_order_and_sides_tell_nothing():
    asked = cm.questions(BEFORE, AFTER, n=300)
    kinds = [one.kind for one in asked.table]
    assert len(set(kinds[:20])) > 1
    flipped = sum(one.left > one.right for one in asked.table) / len(asked)
    assert 0.35 < flipped < 0.65
    shuffled = list(zip(IDS, WORLD["before"], WORLD["after"], strict=True))
    np.random.default_rng(0).shuffle(shuffled)
    again = cm.questions({i: b for i, b, _ in shuffled}, {i: a for i, _, a in shuffled}, n=300)
    assert rows(again) == rows(asked)
    renamed = cm.questions({i: f"x{b}" for i, b in BEFORE.items()}, AFTER, n=300)
    assert rows(renamed) == rows(asked)


def frame(ids=IDS):
    return need("pandas").DataFrame(
        {"id": ids, "old": WORLD["before"], "new": WORLD["after"], "place": [len(str(name)) for name in ids]}
    )


def ask(source, other=None, **options):
    columns = {"old": "old", "new": "new"} if other is None else {}
    return cm.questions(source, other, on="id", n=60, seed=7, **columns, **options)


def wheres():
    pandas_frame = frame()
    arrow = need("pyarrow").Table.from_pandas(pandas_frame)
    yield "pandas", lambda _: ask(pandas_frame)
    yield "duckdb", lambda _: ask(arrow, engine="duckdb")
    yield "polars", lambda _: ask(need("polars").from_arrow(arrow).lazy())
    yield "datafusion", lambda _: ask(arrow, engine="datafusion")

    def in_sqlite(_):
        connection = sqlite3.connect(":memory:")
        pandas_frame.to_sql("points", connection, index=False)
        return ask((connection, "points"))

    def two_files(folder):
        pandas_frame[["id", "old"]].to_csv(folder / "old.csv", index=False)
        pandas_frame[["id", "new"]].sample(frac=1, random_state=1).to_csv(folder / "new.csv", index=False)
        return ask(folder / "old.csv", folder / "new.csv")

    yield "sqlite", in_sqlite
    yield "files", two_files
    yield "two frames", lambda _: ask(pandas_frame[["id", "old"]], pandas_frame[["id", "new"]].iloc[::-1])


@pytest.mark.parametrize("where", ["pandas", "duckdb", "polars", "datafusion", "sqlite", "files", "two frames"])
def test_the_same_seed_asks_the_same_everywhere(where, tmp_path):
    here = cm.questions(BEFORE, AFTER, n=60, seed=7)
    there = dict(wheres())[where](tmp_path)
    assert rows(there) == rows(here)
    assert there.design == here.design
    assert there.record.points == here.record.points
    assert there.record.clusters == here.record.clusters


@pytest.mark.parametrize(
    "how", [{"index": "pair_precision"}, {"unit": "record"}, {"index": "pair_precision", "alone": True}]
)
def test_other_designs_are_the_same_in_an_engine(how):
    arrow = need("pyarrow").Table.from_pandas(frame())
    how = dict(how)
    if how.pop("alone", False):
        here = cm.questions(AFTER, n=40, seed=7, **how)
        there = cm.questions(arrow.select(["id", "new"]), n=40, seed=7, on="id", engine="duckdb", **how)
    else:
        here = cm.questions(BEFORE, AFTER, n=40, seed=7, **how)
        there = cm.questions(arrow, n=40, seed=7, on="id", true="old", pred="new", engine="duckdb", **how)
    assert rows(there) == rows(here)
    assert there.design == here.design


@pytest.mark.parametrize("kind", ["int", "float", "two"])
def test_ids_of_other_types_and_of_several_columns(kind):
    table = frame(list(range(len(IDS))))
    on = "id"
    if kind == "float":
        table["id"] = table["id"] + 0.5
    if kind == "two":
        table["block"], table["id"] = table["id"] // 7, table["id"] % 7
        on = ["block", "id"]
    how = {"true": "old", "pred": "new", "on": on, "n": 40, "seed": 7}
    assert rows(cm.questions(table, engine="duckdb", **how)) == rows(cm.questions(table, **how))


def test_an_engine_passes_over_most_records():
    from clustermark.releases.judgements import engine_population

    seen = []
    whole = engine_population.EnginePopulation._rows
    n = 60_000
    table = need("pandas").DataFrame({"id": range(n), "old": np.arange(n) // 4, "new": np.arange(n) // 2})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            engine_population.EnginePopulation,
            "_rows",
            lambda self, found: seen.append(len(found["n"])) or whole(self, found),
        )
        cm.questions(table, on="id", true="old", pred="new", n=50, engine="duckdb")
    assert max(seen) < 1000


def numbered(folder, name="points.parquet", **columns):
    """A file with ids and labels that are numbers, in a mixed order."""
    pa, parquet = need("pyarrow"), need("pyarrow.parquet")
    sides = {side: np.unique(WORLD[side], return_inverse=True)[1] for side in ("before", "after")}
    values = {"id": np.arange(len(IDS)), "old": sides["before"], "new": sides["after"]} | columns
    order = np.random.default_rng(0).permutation(len(IDS))
    parquet.write_table(pa.table({key: value[order] for key, value in values.items()}), folder / name)
    return folder / name


@pytest.mark.parametrize("how", [{}, {"index": "pair_precision"}, {"unit": "record"}, {"seed": 10**40}])
def test_numbers_that_come_over_are_asked_as_those_that_stay(how, tmp_path, monkeypatch):
    from clustermark.releases.judgements import engine_population

    path = numbered(tmp_path)
    how = {"on": "id", "old": "old", "new": "new", "n": 60, "seed": 7} | how
    stayed = cm.questions(path, **how)
    monkeypatch.setattr(Workspace, "limits", FetchLimits(fewest_points=1))
    monkeypatch.delattr(engine_population, "Sampling")
    came = cm.questions(path, **how)
    monkeypatch.setattr("clustermark.engines.adapters.duckdb.find_spec", lambda _: None)  # without PyArrow
    for found in (came, cm.questions(path, **how)):
        assert rows(found) == rows(stayed)
        assert found.design == stayed.design
        assert found.record == stayed.record


def test_numbers_of_any_width_come_over(tmp_path, monkeypatch):
    monkeypatch.setattr(Workspace, "limits", FetchLimits(fewest_points=1))
    how = {"on": "id", "old": "old", "new": "new", "n": 60}
    plain = cm.questions(numbered(tmp_path), **how)
    old, new = (np.unique(WORLD[side], return_inverse=True)[1] for side in ("before", "after"))
    narrow = {"old": (old - old.max() // 2).astype(np.int16), "new": (new - 30_000).astype(np.int16)}
    wide = {"old": old * 10**12, "new": new.astype(np.uint64) + np.uint64(2**63)}
    for name, labels in (("narrow", narrow), ("wide", wide)):
        assert rows(cm.questions(numbered(tmp_path, f"{name}.parquet", **labels), **how)) == rows(plain)
    ids = np.arange(len(IDS)).astype(np.uint64) + np.uint64(2**63)
    large = cm.questions(numbered(tmp_path, "large.parquet", id=ids), **how)
    assert large.design.strata == plain.design.strata
    assert all(int(name) >= 2**63 for one in large.table for name in one.pair)
    for again in (np.arange(len(IDS)) % (len(IDS) - 1), np.arange(len(IDS)) % (len(IDS) - 1) * 10**12):
        with pytest.raises(cm.InputError, match="they must be unique, and 0 occurs twice"):
            cm.questions(numbered(tmp_path, "again.parquet", id=again), **how)


def test_a_stream_is_read_once():
    arrow = need("pyarrow").Table.from_pandas(frame())
    here = cm.questions(BEFORE, AFTER, n=60, seed=7)
    assert rows(ask(arrow.to_reader())) == rows(here)
    relation = need("duckdb").connect().from_arrow(arrow)
    assert rows(ask(relation, engine="duckdb")) == rows(here)


def test_policies_weights_and_slices_of_a_source_are_those_of_memory():
    table = frame()
    how = {"on": "id", "true": "old", "pred": "new", "n": 60, "by": "place"}
    here = cm.questions(BEFORE, AFTER, n=60, by={name: len(name) for name in IDS})
    assert here.design.slices.keys() == {"2", "3", "4", "5"}
    for source, more in ((table, {}), (need("pyarrow").Table.from_pandas(table), {"engine": "duckdb"})):
        there = cm.questions(source, **how, **more)
        assert rows(there) == rows(here)
        assert there.design.slices == here.design.slices
    for options in ({}, {"engine": "duckdb"}, {"engine": "datafusion"}):
        sides = table[["id", "old"]], table[["id", "new", "place"]]
        two = cm.questions(*sides, on="id", n=60, by="place", pred="new", **options)
        assert rows(two) == rows(here)
        assert two.design == here.design
    one = cm.questions(
        table[["id", "new", "place"]], on="id", n=30, by="place", index="pair_precision", engine="duckdb"
    )
    alone = cm.questions(AFTER, n=30, by={name: len(name) for name in IDS}, index="pair_precision")
    assert rows(one) == rows(alone)
    assert one.design == alone.design
    floats = table.assign(place=[None if name == "r7" else len(name) + 0.5 for name in IDS])
    half = cm.questions(floats, **how, engine="duckdb")
    assert set(half.design.slices) == {"2.5", "3.5", "4.5", "5.5", "(none)"}
    noisy = {"0.0": "singletons"}
    here = cm.questions(BEFORE, AFTER, n=60, noise_pred=noisy)
    there = cm.questions(table, on="id", true="old", pred="new", n=60, noise_pred=noisy, engine="duckdb")
    assert rows(there) == rows(here)


def test_slices_are_told_apart_and_too_many_are_refused():
    world = blocks(2, 20)
    slices = [f"s{place * 7 % 11}" for place in range(len(world["truth"]))]
    world |= {"slices": slices, "weights": [1 + place % 3 for place in range(len(slices))]}
    asked = cm.questions(world["before"], world["after"], n=10**4, weights=world["weights"], by=slices)
    found = cm.judge(asked, answer(asked, world["truth"])).slices
    assert list(found) == sorted(set(slices))
    for name, one in found.items():
        assert one["b_cubed_precision"].value == pytest.approx(float(change(world, name)), abs=1e-12)
    n = 10_001
    table = need("pandas").DataFrame({"id": range(n), "old": [0] * n, "new": np.arange(n) % 2, "by": range(n)})
    for how in ({}, {"engine": "duckdb"}):
        with pytest.raises(cm.InputError, match="by: there are 10,001 slices, and at most 10,000 are supported"):
            cm.questions(table, on="id", old="old", new="new", by="by", **how)


def test_records_of_one_side_are_dropped_and_counted_or_alone():
    after = {name: label for name, label in AFTER.items() if name != "r0"} | {"new": "0.0"}
    asked = cm.questions(BEFORE, after, n=60)
    assert asked.record.points["unmatched"] == 2
    assert asked.record.points["used"] == len(IDS) - 1
    assert not {"r0", "new"} & {name for one in asked.table for name in one.pair}
    alone = cm.questions(BEFORE, after, n=60, unmatched="singletons")
    assert alone.record.points["used"] == len(IDS) + 1
    with pytest.raises(cm.InputError, match="the ids differ"):
        cm.questions(BEFORE, after, unmatched="error")


@pytest.mark.parametrize(
    ("arguments", "options", "why"),
    [
        (([0, 0], [0, 1]), {"n": 0}, "n=0 must be a whole number above 0"),
        (([0, 0], [0, 1]), {"n": True}, "must be a whole number"),
        (([0, 0], [0, 1]), {"seed": "x"}, "seed='x' must be a whole number"),
        (([0, 0], [0, 1]), {"unit": "cluster"}, "choose unit='pair' or 'record'"),
        (([0, 0],), {"unit": "record"}, "compares two clusterings"),
        (([0, 0], [0, 1]), {"unit": "record", "by": [1, 2]}, "supported with unit='pair' only"),
        (([0, 0], [0, 1]), {"unmatched": "keep"}, "pairs need both clusterings"),
        (([0, 0], [0, 1]), {"counts": [1, 2]}, "names none of them"),
        (([0, 0], [0, 1]), {"noise_pred": {1: "unscored"}}, "'drop', 'singletons' or 'cluster'"),
        (([0, 0], [0, 1]), {"by": ["x"]}, "1 slices for 2 records"),
        (({1: 0, 2: 0}, {1: 0, 2: 1}), {"by": {1: "x"}}, r"no slice for 1 record\(s\), such as '2'"),
        (([0, None], [0, 1]), {}, r"before has 1 missing label\(s\)"),
        (([0, 0], [0, 1]), {"show": "name"}, "say where they lie by records="),
        (([0, 0], [0, 1]), {"records": {"0": "a"}}, "there is none for 1 of 2 ids, such as '1'"),
        (([0, 0], [0, 1]), {"records": 7}, "records: pass a file"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, options, why):
    with pytest.raises(cm.InputError, match=why):
        cm.questions(*arguments, **options)


def test_a_source_needs_ids_that_are_there_once():
    pandas = need("pandas")
    table = pandas.DataFrame({"id": ["a", "b", "b"], "old": [0, 0, 0], "new": [0, 1, 1]})
    for options in ({}, {"engine": "duckdb"}):
        with pytest.raises(cm.InputError, match="twice"):
            cm.questions(table, on="id", true="old", pred="new", **options)
        with pytest.raises(cm.InputError, match="name the column of ids by on="):
            cm.questions(table, true="old", pred="new", **options)
        with pytest.raises(cm.InputError, match="id"):
            cm.questions(table.assign(id=["a", None, "c"]), on="id", true="old", pred="new", **options)
        with pytest.raises(cm.InputError, match="by"):
            cm.questions(table, on="id", true="old", pred="new", by=[1, 2, 3], **options)
    with pytest.raises(cm.InputError, match="name the column with the clusters by new="):
        cm.questions(table, on="id")


def test_ids_of_a_series_must_be_unique_too():
    pandas = need("pandas")
    before, after = pandas.Series([0, 0, 0], index=list("abb")), pandas.Series([0, 1, 1], index=list("abb"))
    with pytest.raises(cm.InputError, match="'b' occurs twice"):
        cm.questions(before, after)
    named = cm.questions(before.set_axis(list("abc")), after.set_axis(list("abc")))
    assert {name for one in named.table for name in one.pair} == set("abc")


def test_records_may_come_from_anywhere(tmp_path):
    pandas = need("pandas")
    names = pandas.DataFrame({"id": ["a", "b"], "name": ["Ann", None], "born": [1990, 1991]})
    names.to_csv(tmp_path / "names.csv", index=False)
    before, after = {"a": 0, "b": 0}, {"a": 0, "b": 1}
    wanted = {"a": {"name": "Ann", "born": "1990"}, "b": {"name": "", "born": "1991"}}
    for source in (names, tmp_path / "names.csv", {"a": wanted["a"], "b": wanted["b"]}):
        assert cm.questions(before, after, records=source).shown == wanted
    assert cm.questions(before, after, records=names, show="born").shown["a"] == {"born": "1990"}
    assert cm.questions(before, after, records={"a": "x", "b": "y"}).shown["a"] == {"record": "x"}
    table = names.assign(old=[0, 0], new=[0, 1])
    assert cm.questions(table, on="id", true="old", pred="new", show=["name"]).shown["a"] == {"name": "Ann"}
    with pytest.raises(cm.InputError, match="has no column of ids"):
        cm.questions(before, after, records=names.rename(columns={"id": "key"}))
    with pytest.raises(cm.InputError, match="is not one of its columns"):
        cm.questions(before, after, records=names, show="nme")


def test_with_weights_pairs_are_counted_where_clusters_shrank_or_grew_by_weight():
    # a light record leaves the first cluster and a heavy one comes: it grows by weight, and holds as many as before
    before, after, weights = [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 0], [1, 1, 1, 4, 4, 9]
    strata = {one.kind: one for one in cm.questions(before, after, weights=weights).design.strata}
    assert {kind: one.pairs for kind, one in strata.items()} == {"split": 2, "merge": 4, "shrunk": 0, "grown": 2}
    assert all(one.sure_share == 1.0 for one in strata.values() if one.mass)


def test_records_drawn_for_split_pairs_are_not_those_drawn_for_merged_pairs():
    """Two files linked one to one, in another way after: each record has a pair of both kinds, of the same mass."""
    n = 600
    after = np.r_[np.arange(n), np.roll(np.arange(n), 1)]
    asked = cm.questions(np.tile(np.arange(n), 2), after, n=200, seed=1)
    split, merge = ({one.left for one in asked.table if one.kind == kind} for kind in ("split", "merge"))
    assert min(len(split), len(merge)) > 80
    assert len(split & merge) < 30  # with one number for both kinds nearly all
