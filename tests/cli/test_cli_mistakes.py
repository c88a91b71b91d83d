"""The program on bad files and bad arguments: exit code 2, the file, the column, the row, and the way out."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import clustermark
from clustermark.cli import spell
from clustermark.errors import Mention
from clustermark.options import declared_options
from needs import need
from program import mistake, run, write_csv

pa = need("pyarrow", "parquet")


@pytest.fixture
def good(tmp_path):
    return write_csv(tmp_path / "data.csv", "id,label,cluster", [(1, "a", 1), (2, "a", 2), (3, "b", 2)])


BOTH = ("--true", "label", "--pred", "cluster")
FILES = {
    "empty": (b"", ["data.csv", "empty"]),
    "header only": (b"label,cluster\n", ["data.csv", "no points"]),
    "one column": (b"label\na\nb\n", ["data.csv", "'label'"]),
    "other columns": (b"lable,cluster\na,1\n", ["data.csv", "--true label", "did you mean 'lable'?"]),
    "no first line": (b"\n\na,1\n", ["data.csv", "first line"]),
    "a column named twice": (b"label,label\na,1\n", ["data.csv", "'label' twice"]),
    "a column of nothing": (b"label,cluster\na,\nb,\n", ["data.csv", "'cluster'", "2 missing", "row 1", "--missing"]),
    "a label that is missing": (
        b"label,cluster\na,1\n,2\n",
        ["data.csv", "'label'", "1 missing", "row 2", "--missing"],
    ),
    "latin-1": ("label,cluster\nZürich,1\n".encode("latin-1"), ["data.csv", "UTF-8", "--encoding latin-1"]),
    "a row too long": (b"label,cluster\na,1\nb,2,3\n", ["data.csv", "line 3"]),
    "a quote that never ends": (b'label,cluster\na,1\n"b,2\n', ["data.csv"]),
}


@pytest.mark.parametrize("what", FILES)
def test_bad_files(tmp_path, what):
    content, expected = FILES[what]
    (tmp_path / "data.csv").write_bytes(content)
    said = mistake("score", tmp_path / "data.csv", *BOTH)
    for text in expected:
        assert text in said, said


def test_columns_that_cannot_be_guessed(good, tmp_path):
    said = mistake("score", good)
    for text in ("data.csv", "--true", "--pred", "'id', 'label', 'cluster'"):
        assert text in said
    one = write_csv(tmp_path / "one.csv", "label", [("a",)])
    assert "'label'" in mistake("score", one)


def test_files_that_are_not_there(tmp_path):
    assert "no.csv: there is no such file" in mistake("score", tmp_path / "no.csv", *BOTH)
    assert "no file matches" in mistake("score", tmp_path / "*.csv", *BOTH)
    assert "the folder holds no files" in mistake("score", tmp_path, *BOTH)
    (tmp_path / "old\udcff.csv").write_text("label,cluster\na,1\n")
    assert "not UTF-8" in mistake("score", tmp_path / "old\udcff.csv", *BOTH)
    (tmp_path / "data.xyz").write_text("label,cluster\na,1\n")
    assert "--input-format csv" in mistake("score", tmp_path / "data.xyz", *BOTH)


def test_a_file_that_is_not_what_its_name_says(tmp_path):
    for name in ("data.parquet", "data.arrow", "data.jsonl", "data.csv.gz"):
        (tmp_path / name).write_text("label,cluster\na,1\n")
        assert "data." in mistake("score", tmp_path / name, *BOTH), name


def test_empty_standard_input():
    assert "standard input is empty" in mistake("score", "-", *BOTH)
    said = mistake("score", "-", *BOTH, stdin=b"lable,cluster\na,1\n")
    assert "standard input: --true label" in said
    assert "standard input can be read once only" in mistake("score", "-", "-", "--on", "id")


def test_ids(tmp_path):
    truth = write_csv(tmp_path / "truth.csv", "id,label", [(1, "a"), (2, "a"), (3, "b")])
    fewer = write_csv(tmp_path / "fewer.csv", "id,cluster", [(1, "x"), (2, "y")])
    twice = write_csv(tmp_path / "twice.csv", "id,cluster", [(1, "x"), (2, "y"), (2, "z"), (3, "z")])
    none = write_csv(tmp_path / "none.csv", "id,cluster", [(1, "x"), ("", "y")])
    other = write_csv(tmp_path / "other.csv", "key,cluster", [(1, "x")])
    said = mistake("score", truth, fewer, "--on", "id")
    for text in ("1 occur in", "truth.csv only", "0 in", "fewer.csv only", "--unmatched drop, singletons or keep"):
        assert text in said
    said = mistake("score", truth, twice, "--on", "id")
    for text in ("twice.csv", "'id'", "unique", "'2'", "row 2"):
        assert text in said
    said = mistake("score", truth, none, "--on", "id")
    for text in ("none.csv", "no id", "row 2"):
        assert text in said
    assert "other.csv: --on id is not one of its columns" in mistake("score", truth, other, "--on", "id")
    assert "--on" in mistake("score", truth, other)


def test_weights_and_counts(tmp_path):
    file = write_csv(tmp_path / "w.csv", "t,p,w", [("a", 1, 1), ("a", 2, -2), ("b", 2, 0.5)])
    said = mistake("score", file, "--weights", "w")
    for text in ("w.csv", "--weights w", ">= 0", "row 2"):
        assert text in said
    said = mistake("score", file, "--counts", "w")
    for text in ("w.csv", "--counts w", "whole number", "row 2"):
        assert text in said
    words = write_csv(tmp_path / "words.csv", "t,p,w", [("a", 1, 1), ("a", 2, "many")])
    assert "row 2" in mistake("score", words, "--counts", "w")


def test_lists_of_pairs(tmp_path):
    truth = write_csv(tmp_path / "truth.csv", "id,label", [(1, "a"), (2, "a"), (3, "b")])
    pairs = write_csv(tmp_path / "pairs.csv", "left,right", [(1, 2), (3, "")])
    said = mistake("score", truth, pairs, "--on", "id", "--pairs", "pred")
    for text in ("pairs.csv", "lack an id", "row 2"):
        assert text in said
    wide = write_csv(tmp_path / "wide.csv", "a,b,c", [(1, 2, 3)])
    assert "wide.csv" in mistake("score", truth, wide, "--on", "id", "--pairs", "pred")
    assert "second source" in mistake("score", pairs, "--pairs", "pred")


def test_scored_pairs_of_a_file_without_rows(tmp_path):
    truth = write_csv(tmp_path / "truth.csv", "id,label", [(1, "a"), (2, "a")])
    pairs = write_csv(tmp_path / "pairs.csv", "left,right,score", [])
    assert "pairs.csv: holds no rows" in mistake("sweep", truth, pairs, "--on", "id")


def test_a_truth_that_is_a_sample_is_led_to_estimates(tmp_path):
    sample = write_csv(tmp_path / "sample.csv", "id,t", [(1, "a"), (2, "a")])
    pred = write_csv(tmp_path / "pred.csv", "id,p", [(1, "x"), (2, "x"), (3, "y")])
    led = "If the truth is known for a sample only, clustermark estimate gives the scores of all"
    assert led in mistake("score", sample, pred, "--on", "id")
    assert led not in mistake("score", pred, sample, "--on", "id")


def test_mended_labels_under_the_name_of_another_format(tmp_path):
    data = write_csv(tmp_path / "data.csv", "t,p", [("a", 1), ("a", 2)])
    said = mistake("repairs", data, "--true", "t", "--pred", "p", "--mended", tmp_path / "mended.parquet")
    assert ".parquet is no format that this command writes; end the name by .csv" in said
    assert not (tmp_path / "mended.parquet").exists()
    done = run("repairs", data, "--true", "t", "--pred", "p", "--mended", tmp_path / "mended.csv")
    assert f"clustermark: wrote {tmp_path / 'mended.csv'}: the predicted labels after these repairs" in done.stderr


def test_labels_that_are_fractions(tmp_path):
    pa.parquet.write_table(pa.table({"t": [1, 1], "p": [0.5, 1.0]}), tmp_path / "f.parquet")
    said = mistake("score", tmp_path / "f.parquet")
    assert "f.parquet: column 'p' holds 0.5" in said


ARGUMENTS = {
    "no file": ([], "Missing argument"),
    "three files": (["a.csv", "b.csv", "c.csv"], "3 files were given"),
    "unknown index": (["-i", "adjusted_rnd"], "did you mean adjusted_rand"),
    "unknown option of an index": (["-i", "jaccard(beta=2)"], "beta"),
    "all and more": (["-i", "all,rand"], "-i all takes no other index"),
    "not an index": (["-i", "f_measure(beta"], "f_measure(beta=2)"),
    "unknown format": (["--format", "xml"], "'xml' is not one of"),
    "unknown policy": (["--missing", "ignore"], "'ignore' is not one of"),
    "noise without a policy": (["--noise", "-1"], "LABEL=POLICY"),
    "noise with an unknown policy": (["--noise", "-1=ignore"], "singletons"),
    "unscored truth": (["--noise-true", "-1=unscored"], "--noise-true"),
    "threads": (["--threads", "none"], "--threads"),
    "memory": (["--memory", "lots"], "--memory lots"),
    "engine": (["--engine", "abacus"], "abacus"),
    "threshold of an unknown index": (["--fail-under", "adjusted_rnd=1"], "did you mean adjusted_rand"),
    "threshold without a number": (["--fail-under", "rand"], "adjusted_rand=0.9"),
    "threshold that is no number": (["--fail-under", "rand=high"], "adjusted_rand=0.9"),
    "threshold of nan": (["--fail-under", "rand=nan"], "adjusted_rand=0.9"),
    "threshold in percent": (["--fail-under", "rand=95"], "lies in [0, 1], so this fails always; did you mean 0.95?"),
    "threshold below the range": (["--fail-over", "mirkin=-1"], "lies in [0, inf], so this fails always"),
    "threshold from the wrong side": (["--fail-under", "mirkin=5"], "use --fail-over mirkin=5"),
    "threshold from the other wrong side": (["--fail-over", "rand=0.5"], "use --fail-under rand=0.5"),
    "no such column": (["--weights", "w"], "--weights w"),
    "no such option": (["--colour"], "No such option"),
    "a column named twice": (["--pred", "other"], "--pred was given 2 times; it takes one value"),
    "yes and no": (["--push-down", "--no-push-down"], "--push-down was given 2 times"),
    "two policies for one label": (["--noise", "-1=drop", "--noise", "-1=cluster"], "two policies, drop and cluster"),
    "unscored in the truth": (["--noise-true", "it is=unscored"], "--noise-true 'it is=unscored'"),
    "master without spark": (["--master", "local[2]"], "--master 'local[2]' is for Spark"),
    "the way to spark": (["--master", "local[2]"], "choose --engine spark"),
    "weights that stay": (["--weights", "id", "--push-down"], "choose --no-push-down"),
    "an index without weights": (["--weights", "id", "-i", "chi_squared"], "leave out --weights, or use --counts"),
    "a long delimiter": (["--delimiter", "::"], "--delimiter ::: a delimiter must be one character"),
    "a missing folder": (["-o", "nowhere/at/all.csv"], "there is no folder"),
    "an output without a name": (["-o", ""], "the name of the output is empty"),
}


@pytest.mark.parametrize("what", ARGUMENTS)
def test_bad_arguments(good, what):
    arguments, expected = ARGUMENTS[what]
    file = [] if "file" in what else [good, *BOTH]
    assert expected in mistake("score", *file, *arguments)


def test_two_lists_at_once(good):
    said = mistake("errors", good, *BOTH, "--points", "--clusters")
    assert "--points and --clusters exclude each other" in said
    assert run("errors", good, *BOTH, "-q", "-q", "--clusters", "--clusters").returncode == 0


def test_standard_input_is_called_so_in_every_message():
    for content, expected in (
        (b"\n\na,1\n", "standard input: the first line is empty"),
        (b"label,label\na,1\n", "standard input: the header line names"),
        (b"label,cluster\na,\n", "standard input: column 'cluster' has 1 missing"),
        ("läbel,cluster\na,1\n".encode("latin-1"), "standard input: the text is not UTF-8 (line 1)"),
    ):
        assert expected in mistake("score", "-", *BOTH, stdin=content)


def test_an_output_that_exists_is_kept(good, tmp_path):
    (tmp_path / "report.html").write_text("mine")
    for asked in (["score", good, *BOTH], ["report", good, *BOTH], ["errors", good, *BOTH], ["indices"], ["demo"]):
        said = mistake(*asked, "-o", tmp_path / "report.html")
        assert "report.html: the file exists already" in said
        assert "--force" in said
    assert "report.html: the file exists already" in mistake("report", good, *BOTH, cwd=tmp_path)
    assert (tmp_path / "report.html").read_text() == "mine"


def test_an_input_is_not_overwritten(good, tmp_path):
    before = good.read_bytes()
    link = tmp_path / "link.csv"
    link.symlink_to(good)
    for output in (good, link):
        said = mistake("score", good, *BOTH, "-o", output, "--force")
        assert "the command reads this file" in said
    assert "the command reads this file" in mistake("repairs", good, *BOTH, "--mended", good, "--force")
    assert good.read_bytes() == before


def test_unknown_commands_and_names():
    assert "No such command" in mistake("scores")
    assert "did you mean fowlkes_mallows" in mistake("indices", "fowlkes_malows")
    assert "did you mean jaccard or max_jaccard or jaccard_error? clustermark indices lists them all" in mistake(
        "indices", "jacard"
    )
    assert "no index is called 'qqqq'; clustermark indices lists them all" in mistake("indices", "qqqq")
    assert "clustermark indices" in mistake("indices", "nothing_like_it")


BLOCK = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {package!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Blocked())
"""


@pytest.mark.parametrize(
    ("package", "arguments"),
    [
        ("click", ["--help"]),
        ("duckdb", ["score", "FILE", *BOTH]),
        ("rich", ["errors", "WIDE", "--true", "t", "--pred", "p"]),  # letters of two places are its business
        ("matplotlib", ["report", "FILE", *BOTH]),
    ],
)
def test_a_missing_extra_is_named(good, package, arguments):
    wide = write_csv(good.parent / "wide.csv", "t,p", [("日本", 1), ("日本", 2), ("b", 2)])
    given = [{"FILE": str(good), "WIDE": str(wide)}.get(argument, argument) for argument in arguments]
    code = BLOCK.format(package=package) + f"from clustermark.cli import main; main({given!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=good.parent)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"needs {package}; install it with: pip install 'clustermark[cli]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_mistake_of_ours_is_told_in_one_line_and_its_traceback_on_demand():
    code = (
        "import sys; sys.modules['clustermark.cli.about'] = object(); "
        "from clustermark.cli import main; main(['indices', *sys.argv[1:]])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 70
    assert "--traceback" in done.stderr
    assert "Traceback (most" not in done.stderr
    shown = subprocess.run([sys.executable, "-c", code, "--traceback"], capture_output=True, text=True)
    assert "Traceback (most" in shown.stderr


def test_a_terminal_without_our_characters_is_no_reason_to_fail(good):
    done = run("indices", "kulczynski1", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert json.loads(run("score", good, *BOTH, "-f", "json", PYTHONIOENCODING="ascii").stdout)["points"]["given"] == 3


def test_options_of_the_program_are_mentioned_and_not_spelt_as_in_python():
    need("click")
    from clustermark.cli import commands

    own = {one.name for command in commands.program.load_commands() for one in command.params}
    names = "|".join(own | declared_options().keys())
    in_python = re.compile(rf"(?<![\w.-])({names})=")
    found = []
    for file in Path(clustermark.__file__).parent.rglob("*.py"):
        calls = (one for one in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(one, ast.Call))
        for call in calls:
            if ast.unparse(call.func).endswith(("Error", "Warning")):
                texts = [one.value for part in call.args for one in ast.walk(part) if isinstance(one, ast.Constant)]
                found += [f"{file.name}: {text}" for text in texts if isinstance(text, str) and in_python.search(text)]
    assert not found, "use a Mention, which the program spells in its own way: " + "; ".join(found)


@pytest.mark.parametrize(
    ("mention", "spelt"),
    [
        (Mention("link_only", True), "--link-only"),
        (Mention("level", 2.0), "--level 2.0"),
        (Mention("unmatched", "drop", "singletons"), "--unmatched drop or singletons"),
        (Mention("push_down", False), "--no-push-down"),
        (Mention("indices"), "--index"),
        (Mention("false_merge", 2), "false_merge=2"),
        (Mention("estimate()"), "clustermark estimate"),
    ],
)
def test_mentions_in_the_words_of_the_program(mention, spelt):
    need("click")
    assert spell(mention) == spelt


def test_sizes_of_memory_below_zero_are_refused(tmp_path):
    file = write_csv(tmp_path / "x.csv", "t,p", [(1, 2)])
    assert "--memory -5GB is below zero" in mistake("score", file, "--true", "t", "--pred", "p", "--memory=-5GB")


def test_a_file_may_begin_with_a_tilde(tmp_path):
    write_csv(tmp_path / "~.csv", "t,p", [(1, 2)])
    assert run("score", "~.csv", "--true", "t", "--pred", "p", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("source", ["*-1.csv", "folder", "."])
def test_an_output_among_the_inputs_is_refused(tmp_path, source):
    (tmp_path / "folder").mkdir()
    file = "folder/a.csv" if source == "folder" else "a-1.csv"
    write_csv(tmp_path / file, "t,p", [(1, 2), (1, 1)])
    before = (tmp_path / file).read_bytes()
    said = mistake("score", source, "--true", "t", "--pred", "p", "-o", file, "--force", cwd=tmp_path)
    assert f"{file}: the command reads this file" in said
    assert (tmp_path / file).read_bytes() == before


def test_an_output_may_be_replaced_in_the_folder_for_temporary_files(tmp_path):
    write_csv(tmp_path / "x.csv", "t,p", [(1, 2), (1, 1)])
    (tmp_path / "out.json").write_text("old")
    columns = ("--true", "t", "--pred", "p", "--temporary", tmp_path)
    assert run("score", "x.csv", *columns, "-o", "out.json", "--force", cwd=tmp_path).returncode == 0
