"""Columns become groups, and groups that suffer are found on one half and confirmed on the other."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustermark as cm
from clustermark.diagnosis import subgroups as module
from clustermark.diagnosis.groupings import group_by, read_column
from needs import need

pd = need("pandas")
pl = need("polars")


def values_of(column):
    return [column.values[code] for code in column.codes.tolist()]


@pytest.mark.parametrize(
    "values",
    [
        ["a", None, "b", "a"],
        [3, 1, None, 3],
        [True, False, None],
        [1, "1", None],
        ["=cmd()", "<b>", "\x1b[31m", "\u202e"],
        [dt.date(2020, 1, 1), None],
        ["007", "7", "07"],
    ],
)
def test_values_that_are_no_many_numbers_are_groups_as_they_are(values):
    column = read_column("x", values, np.ones(len(values), np.int64), 5)
    found = values_of(column)
    assert found == values
    assert [type(one) for one in found] == [type(one) for one in values]
    assert not column.binned
    assert column.values[-1] is None or None not in column.values


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-50, 50) | st.none(), min_size=1, max_size=80), st.integers(2, 7))
def test_bins_are_ranges_of_about_as_many_points(values, bins):
    column = read_column("x", values, np.ones(len(values), np.int64), bins)
    known = [value for value in values if value is not None]
    if len(set(known)) <= 12:
        assert values_of(column) == values
        return
    ranges: dict[str, list[int]] = {}
    for value, name in zip(values, values_of(column), strict=True):
        assert (value is None) == (name is None)
        if value is not None:
            ranges.setdefault(name, []).append(value)
    for name, inside in ranges.items():
        low, high = min(inside), max(inside)
        assert name == (str(low) if low == high else f"{low} to {high}")
        assert all((low <= value <= high) == (value in inside) for value in known)
    assert len(ranges) <= bins
    assert [name for name in column.values if name is not None] == sorted(ranges, key=lambda name: min(ranges[name]))


@pytest.mark.parametrize(
    "column",
    [
        [str(year) for year in range(1990, 2010)],
        np.arange(1990, 2010),
        np.arange(1990, 2010, dtype=np.float32),
        pd.Series(range(1990, 2010)),
        pd.Series(range(1990, 2010), dtype="Int64"),
        pl.Series(range(1990, 2010)),
        [Decimal(year) for year in range(1990, 2010)],
    ],
)
def test_numbers_of_any_kind_are_binned(column):
    read = read_column("year", column, np.ones(20, np.int64), 2)
    assert read.values == ["1990 to 1999", "2000 to 2009"]
    assert read.note == "year in 2 bins of about equally many points"


def test_no_bins_if_none_are_asked_for():
    column = read_column("code", list(range(30)), np.ones(30, np.int64), 0)
    assert column.values == list(range(30))
    assert not column.binned


def test_bins_follow_points_not_rows():
    times = np.ones(20, np.int64)
    times[0] = 100
    assert read_column("x", list(range(20)), times, 2).values == ["0", "1 to 19"]


def test_too_many_groups_are_refused():
    names = [f"n{place}" for place in range(10_001)]
    column = read_column("name", names, np.ones(len(names), np.int64), 5)
    with pytest.raises(cm.InputError, match=r"10,001 groups.*choose something coarser"):
        group_by([column])
    few = [read_column(name, list(range(10)) * 3, np.ones(30, np.int64), 5) for name in "ab"]
    assert group_by(few).groups == [(place, place) for place in range(10)]


def world(rng, n, worse):
    """Entities of four records; those of the city that suffers, and of no other, are broken more often."""
    city = rng.integers(0, 4, n)
    year = rng.integers(0, 3, n)
    broken = rng.random(n) < np.where((city == 1) & (year == 2), worse, 0.2)
    true = np.repeat(np.arange(n), 4)
    pred = true * 2 + np.where(np.repeat(broken, 4), np.tile([0, 0, 1, 1], n), 0)
    return true, pred, {"city": np.repeat(city, 4), "year": np.repeat(year, 4), "row": np.arange(4 * n)}


def test_a_group_that_suffers_is_found_and_confirmed():
    true, pred, records = world(np.random.default_rng(0), 1200, 0.8)
    found = cm.evaluate(true, pred, []).subgroups(records=records)
    first = found.confirmed[0]
    assert first.conditions == (("city", 1), ("year", 2))
    assert first.low > 0.05
    assert first.p_adjusted < 0.001
    members = (records["city"] == 1) & (records["year"] == 2)
    assert first.points == members.sum()
    assert first.share_of_points == pytest.approx(members.mean())
    assert found.components == (600, 600)
    assert found.rows()[0]["conditions"] == {"city": 1, "year": 2}
    assert "confirmed" in repr(found)
    assert found.to_dict()["group"][0] == "city 1, year 2"
    assert cm.evaluate(true, pred, []).subgroups(records=records).rows() == found.rows()
    assert found[:1].note == found.note


def test_confirmed_groups_come_by_the_size_of_their_difference():
    rng = np.random.default_rng(5)
    n = 6000
    mail, land = rng.random(n) < 0.4, rng.random(n) < 0.04
    broken = rng.random(n) < np.where(land, 0.6, 0.1 + 0.15 * mail)
    true = np.repeat(np.arange(n), 4)
    pred = true * 2 + np.where(np.repeat(broken, 4), np.tile([0, 0, 1, 1], n), 0)
    records = {"mail": np.repeat(mail, 4).tolist(), "land": np.repeat(land, 4).tolist()}
    first, second = cm.evaluate(true, pred, []).subgroups(records=records)
    assert (first.conditions, second.conditions) == ((("land", True),), (("mail", True),))
    assert first.difference > 2 * second.difference > 0
    assert second.p_value < first.p_value  # by its p-value it would come first
    assert first.confirmed
    assert second.confirmed


def test_no_group_is_confirmed_whose_interval_holds_0():
    rows = [
        row
        for seed in range(60)
        for true, pred, records in [world(np.random.default_rng(seed), 400, 0.3 + 0.3 * (seed % 2))]
        for row in cm.evaluate(true, pred, []).subgroups(records=records, seed=seed)
    ]
    assert all(row.low > 0 for row in rows if row.confirmed)
    assert any(row.p_adjusted <= 0.05 and row.low <= 0 < row.difference for row in rows)  # where p alone would confirm
    assert any(row.confirmed for row in rows)


def test_the_numbers_of_the_second_half_are_those_of_a_loop():
    true, pred, records = world(np.random.default_rng(1), 300, 0.9)
    points = cm.evaluate(true, pred, [])._record_points("x", ["city"], records, None, 5)
    entries = points.entries
    errors = 1 - (entries.n / entries.b + entries.n / entries.a) / 2
    half = module._Half.of(np.flatnonzero(true < 200), entries.components, entries.mass.astype(float), errors)
    members = np.flatnonzero(records["city"][true < 200] == 1)
    contrast = module._contrast(half, members, if_equal=False)
    equal, rough = (module._contrast(half, members, if_equal=True, roughly=roughly) for roughly in (False, True))
    chosen = np.zeros(len(half.places), bool)
    chosen[members] = True
    here = errors[true < 200]
    mine, rest = here[chosen].mean(), here[~chosen].mean()
    parts, if_equal = [], []
    for entity in range(200):
        inside = true[true < 200] == entity
        for found, means in ((parts, (mine, rest)), (if_equal, (here.mean(), here.mean()))):
            group, others = (here - means[0])[inside & chosen].sum(), (here - means[1])[inside & ~chosen].sum()
            found.append(group / chosen.sum() - others / (~chosen).sum())
    assert (contrast.group, contrast.rest) == (pytest.approx(mine), pytest.approx(rest))
    assert contrast.error == pytest.approx((200 / 199 * np.sum(np.square(parts))) ** 0.5)
    assert equal.error == pytest.approx((200 / 199 * np.sum(np.square(if_equal))) ** 0.5)
    assert rough.error == pytest.approx(equal.error)
    assert contrast.degrees == pytest.approx(np.sum(np.square(parts)) ** 2 / np.sum(np.power(parts, 4)) - 1)


def test_a_group_that_differs_in_every_point_is_confirmed():
    true = np.arange(400) // 2
    bad = np.arange(400) % 40 < 10
    found = cm.evaluate(true, np.where(bad, np.arange(400), true + 1000), []).subgroups(records={"bad": bad})
    assert [row.conditions for row in found.confirmed] == [(("bad", True),)]
    assert (found[0].error, found[0].rest, found[0].low, found[0].high) == (0.25, 0.0, 0.25, 0.25)


def test_nothing_is_found_where_nothing_is_wrong():
    true = np.repeat(np.arange(100), 3)
    found = cm.evaluate(true, true, []).subgroups(records={"city": true % 3})
    assert len(found) == 0
    assert found.looked_at == 3
    assert found.note == (
        "3 groups looked at in one half of the clusters: none stands out, so there is nothing to confirm (the halves "
        "are those of seed 0)."
    )


def test_too_few_components_are_said():
    true = np.repeat(np.arange(39), 3)
    found = cm.evaluate(true, true, []).subgroups(records={"city": true % 3})
    assert "39 connected components, and 40 are needed" in found.note
    true = np.repeat(np.arange(60), 3)
    lumped = np.where(true < 40, 0, true)
    found = cm.evaluate(true, lumped, []).subgroups(records={"city": true % 3})
    assert "39" not in found.note
    assert len(found) == 0


def test_one_component_with_most_points_and_groups_too_small_are_said():
    true = np.concatenate([np.zeros(500, int), np.repeat(np.arange(1, 100), 2)])
    found = cm.evaluate(true, true, []).subgroups(records={"city": true % 3})
    assert found.note.startswith("No groups: one connected component has most of the points")
    true = np.repeat(np.arange(100), 3)
    found = cm.evaluate(true, true, []).subgroups(records={"name": true})
    assert found.note.startswith("No groups: none of them is in 10 connected components of each half")


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"k": 0}, "k=0 must be"),
        ({"seed": -1}, "seed=-1 must be"),
        ({"records": {f"c{place}": [1, 1] for place in range(21)}}, "at most 20 are looked at"),
        ({"records": {}}, "no column beside labels"),
    ],
)
def test_what_is_asked_wrongly_is_refused(wrong, complaint):
    with pytest.raises(cm.InputError, match=complaint):
        cm.evaluate([0, 1], [0, 1], []).subgroups(**{"records": {"x": [1, 2]}} | wrong)


def test_groups_much_alike_are_found_once():
    true, pred, records = world(np.random.default_rng(0), 1200, 0.9)
    twice = {"city": records["city"], "town": records["city"], "year": records["year"]}
    found = cm.evaluate(true, pred, []).subgroups(records=twice)
    assert sum(row.conditions[0][1] == 1 for row in found) == 1


@pytest.mark.slow
def test_few_of_worlds_without_an_effect_confirm_a_group():
    """At most 5 %: 8 or more of 60 would happen by chance in one of 100 worlds; benchmarks/subgroups.py draws more."""
    rng = np.random.default_rng(3)
    false = 0
    for _ in range(60):
        true, pred, records = world(rng, 200, 0.2)
        false += bool(cm.evaluate(true, pred, []).subgroups(["city", "year"], records=records).confirmed)
    assert false < 8
