"""The commands for decisions: the best prediction, and the threshold of a cut."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from clustermark.cli import parsing
from clustermark.cli import shared_options as options
from clustermark.cli.parsing import plugins
from clustermark.cli.run import EVERY_FORMAT, Outcome, command
from clustermark.cli.shared_options import sampling_options, sweep_options, table_options
from clustermark.errors import InputError
from clustermark.options import COMPARED, read_options
from clustermark.results.values import threshold_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clustermark.cli.run import Run
    from clustermark.evaluation.pair_sweep import PairSweep
    from clustermark.registry import Index


@command(
    *EVERY_FORMAT,
    examples="""
clustermark sweep truth.csv scored.csv --on id
clustermark sweep truth.csv scored.csv --on id --score probability -i b_cubed_f -i dice --interval
clustermark sweep truth.csv scored.csv --on id --precision 0.95 --cost 5:1
clustermark sweep truth.csv scored.csv --on id -o thresholds.html
clustermark sweep truth.csv scored.csv --on id --band dice -o band.csv
clustermark sweep truth.csv scored.csv --on id --cut dice -o found.csv""",
)
@options.swept
@options.option("--score", metavar="COL", group=COMPARED, help="The column with the scores.")
@options.option("--left", metavar="COL", group=COMPARED, help="The column with the first id of a pair.")
@options.option("--right", metavar="COL", group=COMPARED, help="The column with the second id of a pair.")
@options.option(
    "--max-pairs", type=click.IntRange(min=1), metavar="N", group=COMPARED, help="The maximum number of pairs."
)
@options.option("--distance", is_flag=True, group=COMPARED, help="The scores are distances: low ones mean a match.")
@options.option(
    "--link-only",
    is_flag=True,
    group=COMPARED,
    help="Only pairs across sources count; ids have two parts, as Splink writes them.",
)
@options.chosen_indices
@options.option("--at", type=float, metavar="X", help="Also the scores at this threshold.")
@options.option(
    "--precision",
    type=click.FloatRange(0, 1),
    metavar="P",
    help="Also the most pair recall at a pair precision of at least P.",
)
@options.option(
    "--cost",
    metavar="M:S",
    callback=parsing.read_costs,
    help="Also the cheapest threshold, if a false pair costs M and a lost one S.",
)
@options.option(
    "--interval",
    is_flag=True,
    help="Also how good the best threshold is beyond these data, by the first index, or dice.",
)
@options.option("--seed", type=int, default=0, show_default=True, help="The seed of --interval.")
@options.option(
    "--band",
    metavar="NAME",
    shell_complete=parsing.complete_index,
    help="The scores of this index at all thresholds instead, with intervals that hold at all of them at once.",
)
@options.option(
    "--cut",
    metavar="NAME|X",
    shell_complete=parsing.complete_index,
    help="The clusters at the best threshold by this index, or at this threshold, instead: id, cluster.",
)
@options.safe
def sweep(
    run: Run,
    sources: tuple[str, ...],
    indices: Any,
    at: float | None,
    precision: float | None,
    cost: tuple[float, float] | None,
    interval: bool,
    seed: int,
    band: str | None,
    cut: str | None,
    safe: bool,
    **how: Any,
) -> Any:
    """Find where to cut a list of scored pairs: the scores at every threshold, and the best threshold by each index.

    TRUTH holds an id and a true label in each row, PAIRS two ids and a score. At a threshold, the records connected by
    pairs of at least that score are one cluster.
    """
    if isinstance(indices, str):
        raise InputError("-i all is not for sweeps; name the indices, or leave it out")
    asked = (at, precision, cost, interval) != (None, None, None, False)
    if cut is not None and (indices or asked):
        raise click.UsageError("--cut writes clusters alone; leave out -i, --at, --interval, --precision and --cost")
    if band is not None and (cut is not None or indices or asked):
        raise click.UsageError(
            "--band writes a curve alone; leave out -i, --at, --interval, --precision, --cost, --cut"
        )
    if safe and (cut is None or run.shape != "csv"):
        raise click.UsageError("--safe is about the ids that --cut writes as csv; leave it out")
    if run.shape not in ("table", "json", "html") and asked:
        raise click.UsageError(
            "--at, --precision, --cost and --interval add to text, JSON and pages; leave them out, or write these"
        )
    found = _sweep_files(run, sources, indices=indices, **how)
    if band is not None:
        return found.band(band)
    if cut is not None:
        run.safe = safe
        return _cut(run, found, cut)
    wanted = _Wanted(indices[0] if indices else "dice", at, precision, cost, interval, seed)
    answers = dict(_answers(found, wanted)) if run.shape in ("table", "json") else {}
    below = "\n".join(f"{_TITLES.get(what, '')}{answer!r}" for what, answer in answers.items())
    how = {"json": {"answers": answers}, "html": wanted.for_page}
    return Outcome(found, below=(below,) if below else (), how=how)


def _sweep_files(run: Run, files: Sequence[str], **given: Any) -> PairSweep:
    """Return the sweep of a truth and of scored pairs."""
    from clustermark.cli.input import MEANINGS, open_files, tell_guesses
    from clustermark.evaluation.pair_closing import sweep_pairs

    chosen = sweep_options(given)
    truth, pairs = open_files(files, chosen["reading"])
    with run.progress(f"sweeping {pairs}") as tell:
        swept = sweep_pairs(truth, pairs, progress=tell, **chosen)
    read = swept.partitions.origin.records.settings
    tell_guesses(run, read, MEANINGS | {"left": "the first id", "right": "the second", "score": "the score"})
    return swept


class _Wanted(NamedTuple):
    """The requested results in addition to the best thresholds."""

    by: str | Index[...]
    """The index whose best threshold is examined in detail."""
    at: float | None
    precision: float | None
    cost: tuple[float, float] | None
    interval: bool
    """A page has it in any case."""
    seed: int

    @property
    def for_page(self) -> dict[str, Any]:
        """Return the arguments of `PairSweep.report`."""
        return {"by": self.by, "precision": self.precision, "cost": self.cost, "at": self.at, "seed": self.seed}


class _At(NamedTuple):
    """The scores at a requested threshold."""

    threshold: float
    scores: dict[str, float]

    def __repr__(self) -> str:
        text = ", ".join(f"{name} {score:.6f}" for name, score in self.scores.items())
        return f"threshold {threshold_text(self.threshold)}: {text}"


_TITLES = {"reach": "wanted precision: ", "cheapest": "cheapest: ", "interval": "on other data: "}
_MERGES_SHOWN = 5


def _answers(sweep: PairSweep, wanted: _Wanted) -> Iterator[tuple[str, Any]]:
    if wanted.at is not None:
        yield "at", _At(wanted.at, sweep.scores(wanted.at))
    if wanted.precision is not None:
        yield "reach", sweep.reach(wanted.precision)
    if wanted.cost is not None:
        yield "cheapest", sweep.cheapest(false_merge=wanted.cost[0], false_split=wanted.cost[1])
    if wanted.interval:
        yield "interval", sweep.interval(wanted.by, seed=wanted.seed)
    if sweep.partitions.origin.counts_single_pairs:
        threshold = sweep.best(wanted.by).threshold
        yield "losses", sweep.losses(threshold)
        yield "false_merges", sweep.false_merges(threshold, _MERGES_SHOWN)


def _cut(run: Run, sweep: PairSweep, cut: str) -> Outcome:
    """Return each record and the first record of its cluster, at a threshold or at the best one by an index."""
    from clustermark.diagnosis.members import ClusterLabels
    from clustermark.results.frames import key_names

    try:
        threshold, by = float(cut), ""
    except ValueError:
        best = sweep.best(cut)
        threshold, by = best.threshold, f" by {best.by}"
    found = ClusterLabels.of(sweep.labels(threshold), key_names(sweep.partitions.origin.records.settings["on"]))
    # with all digits of the threshold, so that it can be given again
    text = f"cut at {threshold!r}{by}: {found.headline}"
    return Outcome(found, remarks=() if run.quiet else (text,))


@command(
    *EVERY_FORMAT,
    examples="""
clustermark compare runs.csv --true label --pred kmeans --pred ward
clustermark compare runs.parquet --true label --pred a --pred b -i b_cubed_f --unit component
clustermark compare truth.csv kmeans.csv ward.csv --on id
clustermark compare runs.csv --true label --pred kmeans --pred ward --format latex -o table.tex""",
)
@options.compared_columns
@options.chosen_indices
@options.sampled
@options.option("--differences", is_flag=True, help="The difference of each two predictions, too.")
@options.option(
    "--margin",
    type=options.POSITIVE,
    metavar="X",
    help="The same, with the probability that the first is worse by more than X, and what is shown: the first is "
    "better by more, the two are equivalent, or the second is not worse by X.",
)
def compare(
    run: Run, sources: tuple[str, ...], indices: Any, differences: bool, margin: float | None, **how: Any
) -> Any:
    """Rank several predictions of the same rows: which is best, by how much, and whether that is sure.

    FILE has a column with the truth and one for each prediction, named by --pred. Or it has the truth, and each PRED a
    prediction, joined by --on and named after its file; one PRED may have several, named by --pred. The first index
    determines the order.
    """
    if indices == "all":
        raise click.UsageError("-i all is too much for a ranking; name the index that decides, and a few more")
    differences = differences or margin is not None
    if differences and run.shape != "table":
        raise click.UsageError("--differences and --margin add lines to the table; leave out --format")
    comparison = compare_files(run, sources, indices, **how)
    below = [comparison.differences(index, margin) for index in comparison.indices] if differences else []
    return Outcome(comparison, below=tuple(below))


def compare_files(run: Run, files: Sequence[str], indices: Sequence[Index[...]] | None, **given: Any) -> Any:
    """Return the comparison for the options of the command line."""
    from clustermark.cli.input import tell_guesses
    from clustermark.evaluation.comparison import compare as compare_predictions
    from clustermark.evaluation.predictions import TRUTH

    how = sampling_options(given)
    columns, true, sources, chosen = _read(files, given)
    others: Any = None
    if len(sources) > 2 or (len(sources) == 2 and len(columns) < 2):
        if len(columns) > 1:
            raise InputError("--pred names one column of all files with predictions, or several of one file")
        names = [Path(file).name.partition(".")[0] for file in files[1:]]
        if len(set(names)) < len(names):
            raise InputError(f"two files with predictions are both called {max(names, key=names.count)}; rename one")
        others = dict(zip(names, sources[1:], strict=True))
    elif len(sources) == 2:
        others = sources[1]
    if others is None and (true is None or not columns):
        raise InputError("name the column of the truth by --true, and each prediction by --pred")
    if others is not None and not chosen.keys() & {"on", "pairs"}:
        raise InputError("name the column of the id by --on, which joins the files with predictions to the truth")
    pred: Any = (columns[0] if columns else None) if isinstance(others, dict) else columns
    n = len(others) if isinstance(others, dict) else len(columns)
    with run.progress(f"comparing {n} predictions") as tell:
        comparison = compare_predictions(
            sources[0], others, indices, true=true, pred=pred, progress=tell, **how, **chosen
        )
        comparison.leaderboard()
    if others is not None and not run.quiet and "pairs" not in chosen:
        guessed = comparison.predictions.guessed.items()
        read = {"the truth" if name == TRUTH else f"the prediction {name}": column for name, column in guessed}
        tell_guesses(run, read | {"guessed": list(read)})
    return comparison


@command(
    *EVERY_FORMAT,
    examples="""
clustermark matrix runs.csv --pred kmeans --pred ward --pred dbscan
clustermark matrix runs.csv --pred kmeans --pred ward -i variation_of_information --format csv
clustermark matrix runs.csv --pred kmeans --pred ward --pred dbscan -o matrix.html""",
)
@options.related_columns
@plugins
@options.option(
    "-i",
    "--index",
    metavar="NAME",
    default="adjusted_rand",
    show_default=True,
    shell_complete=parsing.complete_index,
    help="The index.",
)
def matrix(run: Run, file: str, index: str, **given: Any) -> Any:
    """Score several columns of labels of FILE against each other, and name the one in the middle."""
    from clustermark.evaluation.similarities import similarity_matrix
    from clustermark.registry import parse

    wanted = parse(index)
    pred, _, (source,), chosen = _read([file], given | {"true": None})
    if not pred:
        raise InputError("name the columns with the predictions, each by --pred")
    with run.progress(f"scoring {len(pred)} labelings") as tell:
        return similarity_matrix(source, wanted, pred=pred, progress=tell, **chosen)


def _read(files: Sequence[str], given: dict[str, Any]) -> tuple[list[str], str | None, list[Any], dict[str, Any]]:
    """Return the columns of the predictions and of the truth, the files, and the reading options."""
    pred, true = list(given.pop("pred")), given.pop("true")
    from clustermark.cli.input import open_files

    chosen = read_options(table_options(given | {"pred": None, "true": None}))
    sources = open_files(files, chosen.setdefault("reading", {}), most=None)
    return pred, true, list(sources), {name: value for name, value in chosen.items() if value != {}}
