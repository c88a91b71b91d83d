"""From the files and columns that were named, or can only be meant, to an evaluation."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TypeAlias
from warnings import catch_warnings, simplefilter

from clustermark.cli import spell
from clustermark.cli.options import table_options
from clustermark.cli.progress import show_progress
from clustermark.cli.terminal import say
from clustermark.engines.spooled import Spooled, spool_streams
from clustermark.errors import FewMatchesWarning, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from clustermark.evaluation.partitions import Evaluation
    from clustermark.evaluation.sweeps.pair_sweep import PairSweep
    from clustermark.registry import Index
    from clustermark.releases.estimated_scores import Estimates
    from clustermark.sources.request import Request
    from clustermark.tables.contingency import Contingency
    from clustermark.uncertainty.sampled_truth import Design

STANDARD_INPUT = "standard input"
_MEANINGS = {"true": "the truth", "pred": "the prediction", "on": "the id"}
BEFORE_AND_AFTER = {"true": "the clusters before", "pred": "the clusters after", "on": "the id"}

Source: TypeAlias = "str | Spooled"


def evaluate_files(
    files: Sequence[str],
    indices: Sequence[Index[...]] | str | None,
    *,
    quiet: bool,
    **options: Any,
) -> Evaluation:
    """The evaluation that the options of the command line ask for."""
    from clustermark.cli.options import interval_options
    from clustermark.diagnosis.given import GivenLabels
    from clustermark.diagnosis.record_columns import Sources
    from clustermark.evaluation.partitions import score_table
    from clustermark.sources.request import labels_of_sources

    wanted = "intervals" in options and interval_options(options)
    # `crosstab` would take two files whose columns are to be guessed for labels
    sources, request = _read_request(files, options)
    table = _tabulate(sources, request, quiet=quiet)
    with show_progress("scoring", quiet):
        # rows are counted from 1, as in all messages
        given = lambda: GivenLabels.of(labels_of_sources(*sources, request), first=1)  # noqa: E731
        read = Sources(*sources, request.options, table.settings, first=1)
        return score_table(table, indices, given, spell, intervals=wanted, sources=read)


def estimate_files(
    files: Sequence[str],
    indices: Sequence[Index[...]] | str | None,
    design: Design,
    population: int | None,
    level: float,
    *,
    quiet: bool,
    **options: Any,
) -> Estimates:
    """The estimates from a sample of the truth that the options of the command line ask for."""
    from clustermark.releases.estimation import estimate_table, sample_options, treatment

    chosen = treatment(options)
    sources, request = _read_request(files, options, sample_options)
    table = _tabulate(sources, request, quiet=quiet)
    return estimate_table(table, indices, design, population, level, **chosen)


def explain_files(files: Sequence[str], *, quiet: bool, **options: Any) -> str:  # noqa: ARG001
    """The statements that an engine would run."""
    from clustermark.sources.request import explain_sources

    sources, request = _read_request(files, options)
    return explain_sources(*sources, request)


def sweep_files(files: Sequence[str], *, quiet: bool, **options: Any) -> PairSweep:
    """The sweep of a truth and of scored pairs that the options of the command line ask for."""
    from clustermark.cli.options import sweep_options
    from clustermark.evaluation.sweeps.closing import sweep_pairs

    chosen = sweep_options(options)
    truth, pairs = open_files(files, chosen["reading"])
    with show_progress(f"sweeping {pairs}", quiet) as tell:
        swept = sweep_pairs(truth, pairs, progress=tell, **chosen)
    if not quiet:
        read = swept.partitions.origin.records.settings
        tell_guesses(read, _MEANINGS | {"left": "the first id", "right": "the second", "score": "the score"})
    return swept


def _read_request(
    files: Sequence[str], given: dict[str, Any], change: Callable[[dict[str, Any]], dict[str, Any]] = dict
) -> tuple[tuple[Source, Source | None], Request]:
    """The one file, or the truth and the prediction; and what is wanted of them, once `change` has changed it."""
    from clustermark.options import read_options
    from clustermark.sources.request import read_request

    options = change(table_options(given))
    if given:
        # a command that forgets to name one of its own options passes it on to here, where nobody would read it
        raise TypeError(f"no option of the table: {', '.join(given)}; name it among the parameters of the command")
    sources = open_files(files, options.setdefault("reading", {}))
    return (sources[0], sources[1] if len(sources) == 2 else None), read_request(read_options(options))


def _tabulate(sources: tuple[Source, Source | None], request: Request, *, quiet: bool) -> Contingency:
    """The table of the sources, with progress and a word on the columns that nobody named."""
    from clustermark.sources.request import tabulate_sources

    said = f"reading {' and '.join(str(source) for source in sources if source)}"
    with show_progress(said, quiet) as tell, catch_warnings():
        simplefilter("ignore", FewMatchesWarning)  # which is a notice of the evaluation, too
        table = tabulate_sources(*sources, request._replace(options={**request.options, "progress": tell}))
    if not quiet:
        tell_guesses(table.settings)
        if sources[1] is None:
            _doubt_guesses(table)
    return table


def _doubt_guesses(table: Contingency) -> None:
    """Ask whether a second file was forgotten, where a column that was guessed has another label in every row."""
    clusters = {"true": table.n_true_clusters, "pred": table.n_pred_clusters}
    for what in table.settings.get("guessed", ()):
        if clusters.get(what) == table.n_used > 1:
            doubt = f"column {table.settings[what]!r} has another value in every row, as ids have"
            say(f"clustermark: note: {doubt}; is a second file missing?")


def tell_guesses(settings: Mapping[str, Any], meanings: Mapping[str, str] = _MEANINGS) -> None:
    """Say which columns were taken that nobody named."""
    guessed = [f"column {settings[what]!r} as {meanings.get(what, what)}" for what in settings.get("guessed", ())]
    if guessed:
        say(f"clustermark: taking {', '.join(guessed)}")


def open_files(files: Sequence[str], reading: dict[str, Any], most: int | None = 2) -> list[Source]:
    """The files that were named, so many at most, or what standard input holds; `reading` says how, and learns it."""
    if reading.get("delimiter") == "\\t":
        reading["delimiter"] = "\t"
    if most is not None and len(files) > most:
        raise InputError(
            f"{len(files)} files were given; name one with both columns, or two to be joined by --on. "
            "Quote a pattern, 'data/*.parquet', so that the shell does not expand it"
        )
    for file in files:
        if _is_no_text(file):
            raise InputError(f"{file}: the name of the file is not UTF-8, so DuckDB cannot open it; rename it")
    if list(files).count("-") > 1:
        raise InputError("standard input can be read once only; put one of the two into a file")
    if "-" in files:
        if sys.stdin is None:
            raise InputError(f"{STANDARD_INPUT} is closed; name a file instead of -")
        spooled = Spooled(sys.stdin.buffer, STANDARD_INPUT, reading.pop("format", None))
        return spool_streams([spooled if file == "-" else file for file in files], reading)
    return spool_streams(files, reading)


def _is_no_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return True
    return False
