"""The options of a table, each declared once: its type, its meaning and its use.

Signatures, docstrings, checks, the command line, error messages and the documentation all read these declarations.
"""

# no `from __future__ import annotations`: the annotations are the declarations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cache, wraps
from inspect import Parameter, Signature, cleandoc, signature
from textwrap import wrap
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    TypeAlias,
    TypedDict,
    TypeVar,
    Union,
    get_args,
    get_origin,
)

from clustermark.errors import InputError, Mention, alternatives, require_progress

if TYPE_CHECKING:
    from clustermark.engines.engine import Engine

NoisePolicy: TypeAlias = Literal["cluster", "singletons", "drop", "unscored"]
MissingPolicy: TypeAlias = Literal["error", "cluster", "singletons", "drop"]
UnmatchedPolicy: TypeAlias = Literal["error", "drop", "singletons", "keep"]
Noise: TypeAlias = Mapping[Any, NoisePolicy]


class WrittenLabel(str):
    """A label of noise as typed on a command line, where types are unknown: -1 may be a number or a text."""

    __slots__ = ()


ID_COLUMNS = "COL[=COL]"
COMPARED, POLICIES, READING, ENGINE = "What is compared", "Policies", "Reading of files", "Engine"


@dataclass(frozen=True, slots=True)
class Option:
    """Declaration of an option, in addition to its name and type."""

    group: str
    """Heading under which it is shown. An option of COMPARED that is not for labels names columns."""
    meaning: str
    _: KW_ONLY
    default: Any = None
    default_is: str = ""
    """Default in words, if None is not informative."""
    in_python: str = ""
    """Values that are available in Python only, not on the command line."""
    value: str | None = None
    """Name of the value on the command line; None for an option that the command line lacks."""
    flag: str = ""
    """Name of the option on the command line, if different."""
    labels: bool = False
    """Whether it also applies to labels in memory, not only to the columns of sources."""
    engine: str = ""
    """The only engine that supports it; empty if all do."""
    parts: type | None = None
    """TypedDict that declares its keys, if its value is a mapping of options."""


class ReadingOptions(TypedDict, total=False):
    """Options for reading files."""

    format: Annotated[
        Literal["csv", "tsv", "jsonl", "parquet", "arrow"] | None,
        Option(
            READING,
            "the format of the files, and of standard input",
            default_is="by the end of the name",
            value="",
            flag="--input-format",
        ),
    ]
    delimiter: Annotated[
        str | None,
        Option(
            READING,
            "what separates the fields of a CSV file",
            default_is="the most frequent of , ; tab | in the first line",
            value="CHAR",
        ),
    ]
    encoding: Annotated[
        str | None, Option(READING, "the encoding of a CSV file, such as latin-1", default_is="utf-8", value="NAME")
    ]
    header: Annotated[
        bool,
        Option(
            READING,
            "whether the first line of a CSV file names the columns; otherwise they are column0, column1, …",
            default_is="it does",
            value="",
            flag="--header/--no-header",
        ),
    ]


class SparkOptions(TypedDict, total=False):
    """Options for Spark."""

    master: Annotated[
        str, Option(ENGINE, "where Spark runs, such as local[2] or spark://host:7077", value="URL", engine="spark")
    ]
    remote: Annotated[str, Option(ENGINE, "the address of a server of Spark Connect", engine="spark")]
    conf: Annotated[Mapping[str, Any], Option(ENGINE, "the configuration of a session that is started", engine="spark")]
    materialise: Annotated[
        Literal["memory", "parquet"],
        Option(ENGINE, "whether intermediate results are persisted, or written to the folder", engine="spark"),
    ]
    folder: Annotated[str, Option(ENGINE, "where they are written; all executors must reach it", engine="spark")]


class PolicyOptions(TypedDict, total=False):
    """Policies for noise, for missing labels and for items that one side lacks."""

    noise: Annotated[
        Noise | None,
        Option(
            POLICIES,
            "what becomes of a noise label of any labeling: cluster (an ordinary cluster), singletons (each point its "
            "own cluster) or drop",
            in_python="a mapping from label to policy, such as {-1: 'singletons'}; a label has the type that it has in "
            "the data, so in a text file it is '-1'",
            value="LABEL=POLICY",
            labels=True,
        ),
    ]
    noise_true: Annotated[
        Noise | None,
        Option(POLICIES, "the same for the truth only", value="LABEL=POLICY", labels=True),
    ]
    noise_pred: Annotated[
        Noise | None,
        Option(
            POLICIES,
            "the same for the prediction only, which also has the policy unscored (no result and no weight, true "
            "sizes kept)",
            value="LABEL=POLICY",
            labels=True,
        ),
    ]
    missing: Annotated[
        MissingPolicy,
        Option(
            POLICIES,
            "what becomes of points without a label (None, NaN, NaT, null; in a text file an empty field only)",
            default="error",
            value="",
            labels=True,
        ),
    ]
    unmatched: Annotated[
        UnmatchedPolicy,
        Option(
            POLICIES,
            "what becomes of ids that one side lacks; keep: they stay in the table, outside the cells",
            default="error",
            value="",
            labels=True,
        ),
    ]


class LabelOptions(PolicyOptions, total=False):
    """The options of a table of labels; the call of an index of two partitions takes them too."""

    counts: Annotated[
        Any,
        Option(
            COMPARED,
            "how many points a row stands for, whole numbers >= 0: exactly as if it were repeated",
            in_python="one per point, or the column of a source",
            value="COL",
            labels=True,
        ),
    ]
    weights: Annotated[
        Any,
        Option(
            COMPARED,
            "how important a row is, numbers >= 0; a pair weighs the product of its two points; weights that are not 0 "
            "must be at least 1e-35, and all together at most 1e35",
            in_python="one per point, or the column of a source",
            value="COL",
            labels=True,
        ),
    ]
    threads: Annotated[
        int | None,
        Option(
            ENGINE,
            "how many threads to use at most",
            default_is="as many as are useful, or the value of the variable CLUSTERMARK_THREADS",
            value="N",
            labels=True,
            engine="duckdb",
        ),
    ]


class TableOptions(LabelOptions, total=False):
    """The options of `crosstab` and `evaluate`."""

    true: Annotated[str | None, Option(COMPARED, "the column with the true labels", value="COL")]
    pred: Annotated[str | None, Option(COMPARED, "the column with the predicted labels", value="COL")]
    on: Annotated[
        str | Sequence[str] | Mapping[str, str] | None,
        Option(
            COMPARED,
            "the column with the ids by which two sources are joined; TRUE=PRED if it has two names; "
            "several columns if only together they identify an item",
            in_python="a list of columns, or a mapping from columns of the truth to those of the prediction",
            value=ID_COLUMNS,
        ),
    ]
    pairs: Annotated[
        Literal["true", "pred", "both"] | None,
        Option(
            COMPARED,
            "this side is a list of matched pairs of ids; connected components become clusters",
            value="",
        ),
    ]
    threshold: Annotated[
        float | None,
        Option(
            COMPARED,
            "only pairs with at least this score belong together; the scores are the third column of the list of "
            "pairs; of two lists, one may lack scores, and all its pairs count",
            value="X",
        ),
    ]
    reading: Annotated[
        ReadingOptions | Mapping[str, Any] | None,
        Option(READING, "how files are read, if their names do not show it", parts=ReadingOptions),
    ]
    engine: Annotated[
        Union[Literal["duckdb", "polars", "datafusion", "spark"], "Engine", None],
        Option(
            ENGINE,
            "the engine that reads the files",
            default_is="duckdb",
            in_python="data frames in memory need no engine; an engine of your own is an object with the interface of "
            "`clustermark.engines.engine.Engine`, whose tables are sources",
            value="",
        ),
    ]
    engine_options: Annotated[
        SparkOptions | Mapping[str, Any] | None,
        Option(ENGINE, "options of that engine", engine="spark", parts=SparkOptions),
    ]
    memory: Annotated[
        str | None, Option(ENGINE, "how much memory may be used, such as 4GB", value="SIZE", engine="duckdb")
    ]
    temporary: Annotated[
        str | None,
        Option(
            ENGINE,
            "the folder for data that do not fit into memory; it is created if necessary",
            value="FOLDER",
            engine="duckdb",
        ),
    ]
    max_cells: Annotated[
        int | None, Option(ENGINE, "refuse to hold more cells than this in memory", default=50_000_000, value="N")
    ]
    push_down: Annotated[
        bool | None,
        Option(
            ENGINE,
            "whether the cells stay in the engine, which then returns only the sums that an index needs",
            default_is="if there are more than 16 million, or 4 million whose labels are texts; cells with "
            "integer labels are also fetched, to be added up, if they fit into half of the embedded DuckDB's memory",
            value="",
            flag="--push-down/--no-push-down",
        ),
    ]
    progress: Annotated[
        Callable[[float], None] | None,
        Option(ENGINE, "a function that is called repeatedly with the share of a long statement that is done"),
    ]


EXPLAIN = "return the statements that the engine would run, as text, without running them"


@dataclass(frozen=True, slots=True)
class Declared:
    """An option with its name and its type."""

    name: str
    type: Any
    option: Option

    @property
    def choices(self) -> tuple[str, ...]:
        """Allowed values; empty if all values of its type are allowed."""
        literals = [kind for kind in (self.type, *get_args(self.type)) if get_origin(kind) is Literal]
        return get_args(literals[0]) if literals else ()

    @property
    def flags(self) -> tuple[str, ...]:
        """Spelling on the command line: one flag, or two for yes and no; empty if the command line lacks the option."""
        if self.option.value is None:
            return ()
        return tuple((self.option.flag or f"--{self.name.replace('_', '-')}").split("/"))

    @property
    def parts(self) -> dict[str, "Declared"]:
        """Its keys, if its value is a mapping of options."""
        return declared_options(self.option.parts) if self.option.parts else {}


@cache
def declared_options(options: type = TableOptions) -> dict[str, Declared]:
    """Return the options that a TypedDict declares, by name, group by group."""
    # unevaluated, without get_type_hints(): some types are imported for type checkers only
    found = [Declared(name, hint.__origin__, *hint.__metadata__) for name, hint in options.__annotations__.items()]
    groups = [COMPARED, POLICIES, READING, ENGINE]
    order = sorted(found, key=lambda one: (groups.index(one.option.group), one.option.labels))
    return {one.name: one for one in order}


_ELSEWHERE = {
    "link_only": " of a table, which has all pairs; those across sources only are counted by sweep_pairs(truth, pairs, "
    "link_only=True).scores(threshold)"
}
"""For names that are no options here: where to find them."""


def read_options(given: Mapping[str, Any], options: type = TableOptions) -> dict[str, Any]:
    """Return the options that are not None; raise an error for unknown options and unknown choices."""
    known = options.__annotations__
    chosen = {name: value for name, value in given.items() if value is not None}
    for name in chosen:
        if name not in known:
            from difflib import get_close_matches

            close = get_close_matches(name, known, 1)
            hint = _ELSEWHERE.get(name) or (f"; did you mean {close[0]}=?" if close else "")
            raise InputError(f"{name}= is not an option{hint} (the options are {', '.join(known)})")
    for name in chosen.keys() & {"pairs", *PolicyOptions.__annotations__}:
        check_choice(name, chosen[name])
    require_progress(chosen.get("progress"))
    return chosen


def check_choice(name: str, value: object) -> None:
    """Raise an error for a value that is not among the choices of an option, if it has any."""
    choices = declared_options()[name].choices
    if choices and not (isinstance(value, str) and value in choices):
        raise InputError(
            Mention(name, value), f" is not one of its values; choose {alternatives(list(map(repr, choices)))}"
        )


NAMING_COLUMNS = tuple(
    one.name for one in declared_options().values() if one.option.group == COMPARED and not one.option.labels
)
"""Options that are for sources of columns only: with any of them, the data is a source."""


def names_columns(given: Mapping[str, Any]) -> bool:
    """Return whether the data is a source of columns, not labels."""
    return any(given.get(name) is not None for name in NAMING_COLUMNS)


def refuse_for_labels(given: Iterable[str]) -> None:
    """Raise an error for options that only sources of columns have."""
    for name in given:
        if not declared_options()[name].option.labels:
            raise InputError(
                Mention(name),
                " is for sources of columns, which are named by ",
                Mention("true"),
                " and ",
                Mention("pred"),
            )


_Function = TypeVar("_Function", bound=Callable[..., Any])


def with_table_options(function: _Function) -> _Function:
    """Show the options in the signature and in the docstring of a function that takes them as **options."""
    own = [one for one in signature(function).parameters.values() if one.kind is not Parameter.VAR_KEYWORD]
    options = [
        Parameter(one.name, Parameter.KEYWORD_ONLY, default=one.option.default, annotation=one.type)
        for one in declared_options().values()
    ]
    shown: Any = function
    shown.__signature__ = Signature(sorted([*own, *options], key=lambda one: (one.kind, one.name == "explain")))
    if function.__doc__:
        function.__doc__ = cleandoc(function.__doc__).replace("{options}", describe_options())
    return function


def without_options(**reasons: str) -> Callable[[_Function], _Function]:
    """Let a function explain that it lacks some options of a table, by an `InputError` in place of a `TypeError`.

    reasons: why the option is missing, and what to do instead, by the name of the option.
    """

    def decorate(function: _Function) -> _Function:
        @wraps(function)
        def checked(*arguments: Any, **options: Any) -> Any:
            refuse_options(reasons, options)
            require_progress(options.get("progress"))
            return function(*arguments, **options)

        return checked  # type: ignore[return-value]

    return decorate


def refuse_options(reasons: Mapping[str, str], options: Mapping[str, Any]) -> None:
    """Refuse options that a function lacks; `reasons` as in `without_options`."""
    for name in reasons.keys() & options.keys():
        raise InputError(Mention(name, options[name]), f": {reasons[name]}")


ONE_LABELING = dict.fromkeys(("noise_true", "noise_pred"), "there is one labeling, and no truth; choose noise=")
"""Reason why a function of one labeling has no options for the noise of a side."""


@cache
def describe_options() -> str:
    """Describe the options, one paragraph each, under the names of their groups."""
    lines: list[str] = []
    group = ""
    for one in declared_options().values():
        if one.option.group != group:
            group = one.option.group
            lines += ["", f"{group}:"]
        text = f"{one.name}: {describe(one)}"
        lines += wrap(text, 118, initial_indent=" " * 4, subsequent_indent=" " * 8, break_on_hyphens=False)
    return "\n".join(lines[1:])


def describe(one: Declared) -> str:
    """Describe an option: meaning, values and default."""
    option = one.option
    parts = [f"{name} ({part.option.meaning})" for name, part in one.parts.items()]
    texts = [
        f": {'; '.join(parts)}" if parts else "",
        f"; one of {', '.join(map(repr, one.choices))}" if one.choices else "",
        f"; {option.in_python}" if option.in_python else "",
        f"; for {ENGINE_NAMES[option.engine]}" if option.engine and not option.labels else "",
        f"; by default {default}" if (default := default_text(option)) else "",
    ]
    return "".join([option.meaning, *texts]) + "."


ENGINE_NAMES = {"duckdb": "the embedded DuckDB", "spark": "Spark"}


def default_text(option: Option) -> str:
    """Return the default in words; empty if there is none."""
    if option.default_is or option.default is None:
        return option.default_is
    return f"{option.default:,}" if type(option.default) is int else str(option.default)
