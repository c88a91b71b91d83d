"""Tensors of torch on the CPU, by hand, since torch is too large for the test environment.

.venv/bin/python -m pytest tests/sources/with_torch.py
"""

from __future__ import annotations

import torch
from test_other_libraries import assert_reads_tensors


def test_tensors_of_torch():
    assert_reads_tensors(torch.tensor, torch.int8)
