"""An option is declared once: what is read from the declarations, and errors that speak of options."""

import inspect
import pickle

import pytest

import clustermark as cm
from clustermark.cli import spell
from clustermark.errors import ClustermarkError, ClustermarkWarning, EngineError, InputError, Mention
from clustermark.options import NAMING_COLUMNS, declared_options
from needs import need
from program import result

need("click")
OWN = {"crosstab": ["y_true", "y_pred"], "evaluate": ["y_true", "y_pred", "indices", "intervals"]}


@pytest.mark.parametrize("name", OWN)
def test_signatures_and_docstrings_show_the_options(name):
    function = getattr(cm, name)
    parameters = inspect.signature(function).parameters
    assert list(parameters) == [*OWN[name], *declared_options(), "explain"]
    for one in declared_options().values():
        assert parameters[one.name].default == one.option.default
        assert f"    {one.name}: {one.option.meaning[:30]}" in function.__doc__
    assert "{options}" not in function.__doc__
    with pytest.raises(InputError, match=r"mising= is not an option; did you mean missing=\? \(the options are "):
        function([1], [1], mising="drop")


@pytest.mark.slow
def test_the_command_line_offers_the_options_under_their_groups():
    from clustermark.cli.evaluating import score

    offered = {flag for parameter in score.params for flag in parameter.opts}
    flags = {part.flags[0] for one in declared_options().values() for part in (one, *one.parts.values()) if part.flags}
    assert flags <= offered
    text = result("score", "--help")
    places = [
        text.index(f"\n{group}:\n") for group in dict.fromkeys(one.option.group for one in declared_options().values())
    ]
    assert places == sorted(places)
    assert places[-1] < text.index("\nOutput:\n")
    for one in declared_options().values():
        if one.choices:
            assert f"{one.flags[0]} [{'|'.join(one.choices)}]" in text


def test_an_option_that_a_command_forgets_to_name_is_not_lost():
    from clustermark.cli.evaluating import score
    from clustermark.cli.input import explain_files

    given = score.make_context("score", ["data.csv", "--force"]).params
    with pytest.raises(TypeError, match=r"no option of the table: .*force.*; name it among the parameters"):
        explain_files(given.pop("sources"), **given)


def test_a_command_may_offer_some_options_of_the_table():
    need("click")
    from clustermark.cli.shared_options import table_options

    taken = table_options({"missing": "drop", "delimiter": ";"})
    assert {name: value for name, value in taken.items() if value} == {"missing": "drop", "reading": {"delimiter": ";"}}


def test_values_that_are_no_choice_are_refused():
    for name in ("missing", "unmatched", "pairs"):
        with pytest.raises(InputError, match=f"{name}='no such' is not one of its values; choose '"):
            cm.crosstab([1], [1], **{name: "no such"})
    with pytest.raises(InputError, match=r"unmatchd= is not an option; did you mean unmatched=\?"):
        cm.Contingency.from_batches([([1], [1])], unmatchd="drop")


def test_options_of_sources_are_refused_for_labels():
    for one in declared_options().values():
        if not one.option.labels and one.name not in NAMING_COLUMNS:
            with pytest.raises(InputError, match=f"{one.name}= is for sources of columns, which are named by true="):
                cm.crosstab([1], [1], **{one.name: print if one.name == "progress" else "x"})


SPELLINGS = [
    (Mention("missing", "drop", "cluster", "singletons"), "missing='drop', 'cluster' or 'singletons'"),
    (Mention("missing", "drop", "cluster", "singletons"), "--missing drop, cluster or singletons"),
    (Mention("true", "my label"), "--true 'my label'"),
    (Mention("max_cells"), "--max-cells"),
    (Mention("push_down", False), "--no-push-down"),
    (Mention("push_down", True), "--push-down"),
    (Mention("noise_pred", {-1: "drop"}), "--noise-pred -1=drop"),
    (Mention("reading", {"encoding": "latin-1"}), "--encoding latin-1"),
    (Mention("reading", {"format": "csv"}), "--input-format csv"),
    (Mention("engine_options", {"master": "local"}), "--master local"),
    (Mention("engine_options", {"folder": "x"}), "engine_options={'folder': 'x'}"),
    (Mention("progress"), "progress="),
    (Mention("catalogue()"), "clustermark indices"),
    (Mention("catalogue()"), "catalogue()"),
]


@pytest.mark.parametrize(("mention", "spelt"), SPELLINGS)
def test_each_surface_spells_options_in_its_way(mention, spelt):
    assert spelt in (str(mention), spell(mention))


@pytest.mark.parametrize("kind", [InputError, EngineError, cm.UndefinedIndexError, cm.UnsupportedTableError])
def test_errors_survive_pickling_with_their_parts(kind):
    error = kind("no room; choose ", Mention("push_down", False))
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert str(again) == str(error) == "no room; choose push_down=False"
    assert again.spell(spell) == "no room; choose --no-push-down"


def test_the_family_of_errors():
    for kind, ancestors in (
        (InputError, (ValueError, TypeError)),
        (cm.UnsupportedTableError, (InputError,)),
        (cm.UndefinedIndexError, (ZeroDivisionError, ValueError)),
        (EngineError, (RuntimeError,)),
    ):
        for ancestor in (*ancestors, ClustermarkError):
            assert issubclass(kind, ancestor)
    assert issubclass(ClustermarkWarning, UserWarning)
    assert str(InputError()) == ""
