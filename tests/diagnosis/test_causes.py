"""Common values of wrong pairs: counted by hand, and only of pairs that are wrong."""

from __future__ import annotations

import pytest

import clustermark as cm
from clustermark.diagnosis.members import Member, Members
from clustermark.diagnosis.record_differences import Cause, compare, find_causes

PORTO, BRNO = {"name": "Maier Engines", "city": "Porto"}, {"name": "Maier Engine", "city": "Brno"}
NOWHERE, OTHER = {"name": "Maier Engines", "city": None}, {"name": "Lombardi", "city": "Porto"}


def cluster(kind, *parts):
    placed = [(Member(0, 0, 0, record), part) for part, records in enumerate(parts) for record in records]
    return Members(tuple(one for one, _ in placed), tuple(part for _, part in placed), len(placed), (), {kind: 1})


def test_the_most_common_cause_of_each_kind():
    false = cluster("false", [PORTO, PORTO], [BRNO], [OTHER])  # 2 that the city tells apart, 3 of another name
    missing = cluster("missing", [PORTO], [NOWHERE], [NOWHERE])
    assert find_causes([false, missing]) == [
        Cause("false", "city", "differs", "name", 2, 5, 0),
        Cause("missing", "city", "is missing in one or both", "", 3, 3, 0),
    ]


def test_how_common_it_is_among_right_pairs():
    (found,) = find_causes([cluster("false", [PORTO, BRNO, PORTO], [BRNO, BRNO])])
    assert (found.column, found.pairs, found.of) == ("city", 4, 6)
    assert found.right == 2 / 4  # two of the three pairs of the first part, none of the one pair of the other


def test_a_cause_of_few_pairs_is_not_told():
    others = [{"name": name, "city": name} for name in ("Ibsen", "Visser", "Quint")]
    assert find_causes([cluster("false", [PORTO], [BRNO], others)]) == []  # one pair of seven
    assert find_causes([cluster("false", [PORTO], [BRNO], others[:1])]) != []  # one of three


def test_points_without_a_record_or_unmatched_are_in_no_pair():
    lone = cluster("false", [PORTO], [BRNO])
    assert find_causes([lone._replace(parts=(0, -1))]) == []
    assert find_causes([cluster("false", [PORTO], [None])]) == []
    assert find_causes([]) == []


def test_so_many_pairs_are_looked_at():
    (found,) = find_causes([cluster("false", [PORTO] * 4, [BRNO] * 4)], most_pairs=3)
    assert (found.pairs, found.of) == (3, 3)


def test_what_is_alike():
    assert compare({"a": "MAIER engines"}, {"a": " Maier Engines "}) == {"a": "is alike"}
    assert compare({"a": "x"}, {"a": "y"}) == {"a": "differs"}
    assert compare({"a": " "}, {"a": "y"}) == {"a": "is missing in one or both"}
    assert find_causes([cluster("false", [{"a": "x"}], [{"a": "x"}])]) == [Cause("false", "a", "is alike", "", 1, 1, 0)]


@pytest.mark.slow
def test_the_page_tells_causes_without_trusting_names_of_columns():
    records = [{"<b>": "Maier Engines", "city": city} for city in ("Porto", "Porto", "Brno")]
    page = cm.evaluate(["a", "a", "b"], ["x", "x", "x"]).report(records=records)
    assert "In 2 of the 2 false pairs on this page (100%) “&lt;b&gt;” is alike while “city” differs." in page
    assert 'class="causes"' not in cm.evaluate(["a", "a", "b"], ["x", "x", "x"]).report()
