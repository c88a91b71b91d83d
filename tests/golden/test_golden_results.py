"""Results look as they were recorded; what should look otherwise is recorded again by record.py, and its diff read."""

from __future__ import annotations

from difflib import unified_diff

import pytest
from record import EVERYTHING, RECORDED, file_of


@pytest.mark.parametrize("name", EVERYTHING)
def test_results_look_as_recorded(name: str) -> None:
    file, now = file_of(name), EVERYTHING[name]()
    before = file.read_text(encoding="utf-8") if file.exists() else ""
    if now != before:
        pytest.fail(difference(name, before, now), pytrace=False)


def difference(name: str, before: str, now: str) -> str:
    lines = unified_diff(before.splitlines(), now.splitlines(), f"recorded {name}", "now", lineterm="", n=1)
    return "\n".join(["", *lines, "", f"if it should be so: python tests/golden/record.py {name}"])


def test_a_difference_can_be_read() -> None:
    text = difference("a/b", "one\ntwo\nthree\nfour\n", "one\ntwo\nTHREE\nfour\n")
    assert "\n two\n-three\n+THREE\n four\n" in text
    assert text.endswith("python tests/golden/record.py a/b")


def test_no_recorded_text_is_left_over() -> None:
    files = set(RECORDED.rglob("*.txt"))
    assert files <= set(map(file_of, EVERYTHING))
    size = sum(file.stat().st_size for file in files)
    assert size < 2_200_000, "the recorded texts are too long; choose smaller inputs in tests/result_cases.py"
