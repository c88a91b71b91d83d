"""A signal ends every call of the kernel that can take long. Arrays of stride 0 make calls long without memory."""

from __future__ import annotations

import signal
import time
from contextlib import contextmanager

import numpy as np
import pytest

from clustermark import _kernel

LONG = 2 * 10**9
"""An array of this length takes seconds to read."""

ZEROS = np.broadcast_to(np.int64(0), LONG)
ONES = np.broadcast_to(np.int64(1), LONG)
HALVES = np.broadcast_to(np.float64(0.5), LONG)
MANY = np.full(1000, 1000)
RANDOM = np.random.default_rng(0).integers(0, 2**22, (2, 2**22)).astype(np.int32)

CALLS = {
    "add": lambda: _kernel.add(HALVES),
    "add_by": lambda: _kernel.add_by(ZEROS, HALVES, 1),
    "departures": lambda: _kernel.departures(HALVES, ONES, 0.0),
    "connect": lambda: _kernel.connect(ZEROS, ZEROS, 1),
    "crosstab": lambda: _kernel.crosstab(ZEROS, ONES),
    "sample_pairs": lambda: _kernel.sample_pairs(MANY, MANY, 10**6, 0),
    "sample_mutual_information": lambda: _kernel.sample_mutual_information([(1000, 1000)], [(1000, 1000)], 10**6, 0),
    "sweep_pairs": lambda: _kernel.sweep_pairs(
        np.arange(2**22, dtype=np.int32), *RANDOM, np.random.default_rng(1).random(2**22), 0.0
    ),
}


@contextmanager
def alarm_after(seconds):
    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_a_signal_ends_the_call(name):
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt), alarm_after(0.3):
        CALLS[name]()
    assert time.monotonic() - begun < 3
