"""The pages on decisions show the output of the program as it is."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from needs import need
from program import run

need("click")
ROOT = Path(__file__).parents[2]
COMPANIES = ROOT / "examples" / "data" / "companies"
PAGES = {"who-suffers": COMPANIES, "thresholds": COMPANIES, "sampled-truth": COMPANIES, "comparing": ROOT}
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
BLOCKS = [
    (page, folder, block)
    for page, folder in PAGES.items()
    for block in CONSOLE.findall((ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8"))
]


def test_each_page_has_one():
    assert {page for page, _, _ in BLOCKS} == set(PAGES)


@pytest.mark.parametrize(("page", "folder", "block"), BLOCKS)
def test_transcript(page, folder, block):
    call, _, wanted = block.partition("\n")
    done = run(*shlex.split(call.removeprefix("$ clustermark ")), cwd=folder)
    assert done.returncode == 0, done.stderr
    if wanted:
        assert (done.stderr + done.stdout).split("\n") == wanted.split("\n"), page
