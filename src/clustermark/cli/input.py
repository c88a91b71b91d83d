"""The step from the named or inferred files and columns to an evaluation."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TypeAlias
from warnings import catch_warnings, simplefilter

from clustermark.cli import spell
from clustermark.cli.shared_options import table_options
from clustermark.engines.spooled import Spooled, spool_streams
from clustermark.errors import FewMatchesWarning, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from clustermark.cli.run import Run
    from clustermark.evaluation.partitions import PartitionEvaluation
    from clustermark.registry import Index
    from clustermark.sources.request import Request
    from clustermark.tables.contingency import Contingency

STANDARD_INPUT = "standard input"
MEANINGS = {"true": "the truth", "pred": "the prediction", "on": "the id"}
BEFORE_AND_AFTER = {"true": "the clusters before", "pred": "the clusters after", "on": "the id"}

Source: TypeAlias = "str | Spooled"


def evaluate_files(
    run: Run, files: Sequence[str], indices: Sequence[Index[...]] | str | None, **options: Any
) -> PartitionEvaluation:
    """Return the evaluation for the options of the command line."""
    from clustermark.cli.shared_options import interval_options
    from clustermark.diagnosis.record_columns import Sources
    from clustermark.diagnosis.scored_points import ScoredLabels
    from clustermark.evaluation.partitions import PartitionEvaluation
    from clustermark.sources.request import labels_of_sources

    wanted = "intervals" in options and interval_options(options)
    # `crosstab` would take two files without named columns for labels
    sources, request = read_sources(files, options)
    table = tabulate(run, sources, request)
    with run.progress("scoring"):
        # rows are counted from 1, as in all messages
        given = lambda: ScoredLabels.of(labels_of_sources(*sources, request), first=1)  # noqa: E731
        read = Sources(*sources, request.options, table.settings, first=1)
        return PartitionEvaluation.of_table(table, indices, given, spell, intervals=wanted, sources=read)


def explain_files(files: Sequence[str], **options: Any) -> str:
    """Return the statements that an engine would run."""
    from clustermark.sources.request import explain_sources

    sources, request = read_sources(files, options)
    return explain_sources(*sources, request)


def read_sources(
    files: Sequence[str], given: dict[str, Any], change: Callable[[dict[str, Any]], dict[str, Any]] = dict
) -> tuple[tuple[Source, Source | None], Request]:
    """Return the one file, or the truth and the prediction; and the request for them, after `change` of the options."""
    from clustermark.options import read_options
    from clustermark.sources.request import read_request

    options = change(table_options(given))
    refuse_unread(given)
    sources = open_files(files, options.setdefault("reading", {}))
    return (sources[0], sources[1] if len(sources) == 2 else None), read_request(read_options(options))


def refuse_unread(given: Mapping[str, Any]) -> None:
    """Raise an error for an option of a command that its function does not name, and that nothing would read."""
    if given:
        raise TypeError(f"no option of the table: {', '.join(given)}; name it among the parameters of the command")


def tabulate(run: Run, sources: tuple[Source, Source | None], request: Request) -> Contingency:
    """Return the table of the sources, with progress, and notes on the columns that were guessed."""
    from clustermark.sources.request import tabulate_sources

    doing = f"reading {' and '.join(str(source) for source in sources if source)}"
    with run.progress(doing) as tell, catch_warnings():
        simplefilter("ignore", FewMatchesWarning)  # the evaluation has the same notice
        table = tabulate_sources(*sources, request._replace(options={**request.options, "progress": tell}))
    tell_guesses(run, table.settings)
    if sources[1] is None:
        _doubt_guesses(run, table)
    return table


def _doubt_guesses(run: Run, table: Contingency) -> None:
    """Ask whether a second file was forgotten if a guessed column has a different label in every row."""
    clusters = {"true": table.n_true_clusters, "pred": table.n_pred_clusters}
    for what in table.settings.get("guessed", ()):
        if clusters.get(what) == table.n_used > 1:
            doubt = f"column {table.settings[what]!r} has another value in every row, as ids have"
            run.note(f"note: {doubt}; is a second file missing?")


def tell_guesses(run: Run, settings: Mapping[str, Any], meanings: Mapping[str, str] = MEANINGS) -> None:
    """Note which columns were guessed."""
    guessed = [f"column {settings[what]!r} as {meanings.get(what, what)}" for what in settings.get("guessed", ())]
    if guessed:
        run.note(f"taking {', '.join(guessed)}")


def open_files(files: Sequence[str], reading: dict[str, Any], most: int | None = 2) -> list[Source]:
    """Return the named files, at most `most`, or the content of standard input; `reading` is changed accordingly."""
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
