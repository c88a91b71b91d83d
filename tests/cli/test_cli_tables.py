"""Tables for files and pipes are drawn without rich where that makes no difference."""

import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from clustermark.cli import terminal
from clustermark.cli.terminal import IN_ASCII
from needs import need

need("rich")

TEXTS = st.text(
    st.sampled_from(["a", "b", " ", "1", "[", *map(chr, IN_ASCII), "漢", "é", "\u0301", "\t", "\n"]), max_size=6
)
COLUMNS = st.builds(terminal.TerminalColumn, TEXTS, st.sampled_from(["left", "right"]), st.just("bold"), st.booleans())


@settings(max_examples=100, deadline=None)
@given(st.lists(COLUMNS, min_size=1, max_size=4).flatmap(
    lambda columns: st.tuples(st.just(columns), st.lists(st.tuples(*[TEXTS] * len(columns)), max_size=4))
))  # fmt: skip
def test_rich_would_draw_the_same(drawn):
    columns, rows = drawn
    simple, terminal._is_one_place_a_letter = terminal._is_one_place_a_letter, lambda _: False
    try:
        by_rich = terminal.table(columns, rows, to_terminal=False)
    finally:
        terminal._is_one_place_a_letter = simple
    assert terminal.table(columns, rows, to_terminal=False) == by_rich


def test_rich_is_not_imported_for_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "rich", None)
    column = terminal.TerminalColumn("score", "right")
    assert terminal.table([column], [["1"], ["−∞"]], to_terminal=False) == "score\n    1\n   −∞\n"


def test_text_in_pipes_is_as_wide_as_it_needs_whatever_the_terminal(monkeypatch):
    columns = [terminal.TerminalColumn("score", "right"), terminal.TerminalColumn("repair", folds=True)]
    rows = [["0.123456", "split r0174: 6 of schmidt-paper-mill-turin, 5 of schmidt-paper-mill-ghent"]]
    monkeypatch.setenv("COLUMNS", "30")
    assert terminal.table(columns, rows, to_terminal=False).splitlines()[1] == "  ".join(rows[0])
