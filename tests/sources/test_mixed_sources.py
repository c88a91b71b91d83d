"""A file beside a mapping from id to label: nothing joins these two, and the message says what to do."""

from __future__ import annotations

import pytest

import clustermark as cm

TRUTH = {"a": 1, "b": 1, "c": 2, "d": 2}


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "labels.csv"
    file.write_text("id,label\na,1\nb,1\nc,2\nd,2\n", encoding="utf-8")
    return str(file)


@pytest.mark.parametrize(
    "ask",
    [
        lambda path: cm.evaluate(path, TRUTH, on="id"),
        lambda path: cm.evaluate(TRUTH, path, on="id"),
        lambda path: cm.compare(path, {"p": TRUTH}, on="id"),
        lambda path: cm.compare(TRUTH, {"p": path}, on="id"),
        lambda path: cm.changes(path, TRUTH, on="id"),
        lambda path: cm.questions(TRUTH, path, on="id"),
        lambda path: cm.relabel(path, like=TRUTH, on="id"),
        lambda path: cm.estimate(TRUTH, path, design="clusters", on="id"),
    ],
)
def test_a_mapping_has_no_columns(path, ask):
    with pytest.raises(cm.InputError, match=r"is a mapping, which has no columns to join a source by; make a table"):
        ask(path)


@pytest.mark.parametrize(
    ("ask", "why"),
    [
        (lambda path: cm.evaluate(TRUTH, path), "y_true is a mapping id -> label, and y_pred a single text; a file is"),
        (lambda path: cm.sweep(path, {0.5: TRUTH}), "y_true is a single text; .* or join files by on="),
        (lambda path: cm.compare(TRUTH, {"p": path}), r"predictions\['p'\] is a single text; .* or join files by on="),
        (
            lambda path: cm.similarity_matrix({"p": path, "q": TRUTH}),
            r"labelings\[.p.\] is a single text; .* or join files by on=",
        ),
        (
            lambda path: cm.similarity_matrix({"p": path, "q": TRUTH}, on="id"),
            r"labelings\[.q.\] is a mapping, which",
        ),
    ],
)
def test_a_text_is_no_labeling(path, ask, why):
    with pytest.raises(cm.InputError, match=why):
        ask(path)
