"""The commands that read several columns of labels of one file: which prediction is best, which labelings are alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark.cli.input import open_files, tell_guesses
from clustermark.cli.options import sampling_options, table_options
from clustermark.cli.progress import show_progress
from clustermark.errors import InputError
from clustermark.options import read_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.evaluation.ranking.comparison import Comparison
    from clustermark.evaluation.similarities import SimilarityMatrix
    from clustermark.registry import Index


def compare_files(
    files: Sequence[str], indices: Sequence[Index[...]] | None, *, quiet: bool, **given: Any
) -> Comparison:
    """The comparison that the options of the command line ask for."""
    from pathlib import Path

    from clustermark.evaluation.ranking.contest import compare

    how = sampling_options(given)
    columns, true, sources, options = _read(files, given)
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
    if others is not None and not options.keys() & {"on", "pairs"}:
        raise InputError("name the column of the id by --on, which joins the files with predictions to the truth")
    pred: Any = (columns[0] if columns else None) if isinstance(others, dict) else columns
    n = len(others) if isinstance(others, dict) else len(columns)
    with show_progress(f"comparing {n} predictions", quiet) as tell:
        comparison = compare(sources[0], others, indices, true=true, pred=pred, progress=tell, **how, **options)
        comparison.leaderboard()
    if others is not None and not quiet and "pairs" not in options:
        _tell_columns(sources[0], others if isinstance(others, dict) else {"": others}, true, columns, options)
    return comparison


def _tell_columns(
    truth: Any, others: dict[str, Any], true: str | None, pred: Sequence[str], options: dict[str, Any]
) -> None:
    """Say which columns were taken that nobody named, of the truth and of each file with predictions."""
    from clustermark.sources.columns import Columns, of_two, read_id
    from clustermark.sources.tabular import open_columns

    named = Columns(
        true, pred[0] if pred else None, read_id(options["on"]), options.get("counts"), options.get("weights")
    )
    read: dict[str, Any] = {}
    for name, other in others.items():
        with open_columns(truth, "truth", options) as one, open_columns(other, "prediction", options) as two:
            chosen = of_two(one, two, named)
        read |= {} if named.true else {"the truth": chosen.true}
        read |= {} if named.pred else {f"the prediction {name}": chosen.pred}
    tell_guesses(read | {"guessed": list(read)})


def relate_columns(file: str, index: Index[...], *, quiet: bool, **given: Any) -> SimilarityMatrix:
    """The similarity matrix of the columns of a file."""
    from clustermark.evaluation.similarities import similarity_matrix

    pred, _, (source,), options = _read([file], given | {"true": None})
    if not pred:
        raise InputError("name the columns with the predictions, each by --pred")
    noise = options.pop("noise_pred", None)
    options.pop("noise_true", None)
    with show_progress(f"scoring {len(pred)} labelings", quiet) as tell:
        return similarity_matrix(source, index, pred=pred, noise=noise, progress=tell, **options)


def _read(files: Sequence[str], given: dict[str, Any]) -> tuple[list[str], str | None, list[Any], dict[str, Any]]:
    """The columns of the predictions and of the truth, the files, and how they are read."""
    pred, true = list(given.pop("pred")), given.pop("true")
    options = read_options(table_options(given | {"pred": None, "true": None}))
    sources = open_files(files, options.setdefault("reading", {}), most=None)
    return pred, true, list(sources), {name: value for name, value in options.items() if value != {}}
