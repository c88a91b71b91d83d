"""Texts that come from docstrings are there under `python -OO`, which removes docstrings."""

import subprocess
import sys

import clustermark as cm
from clustermark.docstrings import docstring_of
from needs import need

SHOWN = """
import sys, clustermark as cm
assert cm.evaluate.__doc__ is None
print(cm.jaccard.summary, cm.silhouette.__doc__)
"""


def optimised(*arguments: str) -> str:
    ran = subprocess.run([sys.executable, "-OO", *arguments], check=True, capture_output=True, text=True)
    return ran.stdout


def test_indices_keep_their_texts():
    assert optimised("-c", SHOWN) == f"{cm.jaccard.summary} {cm.silhouette.__doc__}\n"


def test_commands_keep_their_help():
    need("click")
    assert "Score a prediction against the truth." in optimised("-m", "clustermark", "score", "-h")
    assert "How well does a clustering agree" in optimised("-m", "clustermark", "-h")


def test_a_function_without_source_has_no_docstring():
    namespace = {}
    exec("def alone(): pass", namespace)
    assert docstring_of(namespace["alone"]) == ""
    assert docstring_of(len) == len.__doc__
    assert docstring_of(lambda: None) == ""
