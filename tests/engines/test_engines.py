"""Every engine gives the table that the same labels give in memory."""

import pytest
from cases import CASES, expected, made


@pytest.mark.parametrize("name", CASES)
def test_every_engine_gives_the_table_of_the_labels_in_memory(host, name):
    assert made(host, CASES[name]) == expected(CASES[name])
