"""Spark with executors of its own, through Spark Connect, and without a session to begin with."""

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from needs import lacking


@pytest.mark.engine
@pytest.mark.parametrize("mode", ["local", "local-cluster", "connect"])
def test_spark_in_a_process_of_its_own(mode):
    if shutil.which("java") is None:
        lacking("a Java runtime (apt-get install default-jre-headless)")
    if mode == "connect" and not all(map(importlib.util.find_spec, ("grpc", "zstandard"))):
        lacking("pyspark[connect]")
    script = Path(__file__).parent / "spark_modes.py"
    done = subprocess.run([sys.executable, script, mode], capture_output=True, text=True, timeout=600)
    assert done.stdout.strip(), done.stderr[-3000:]
    assert json.loads(done.stdout.strip().splitlines()[-1]) == {}, done.stderr[-3000:]
