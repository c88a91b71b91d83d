"""The commands on subjects other than two labelings: one clustering, points, covers, trees, soft clusterings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clustermark.cli import shared_options as options
from clustermark.cli.run import EVERY_FORMAT, command
from clustermark.errors import InputError
from clustermark.options import COMPARED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from clustermark.cli.run import Run

_COLUMNS: dict[str, Any] = {"multiple": True, "metavar": "COL", "group": COMPARED}


@command(
    *EVERY_FORMAT,
    examples="""
clustermark describe records.csv --labels cluster
clustermark describe data.csv --labels cluster --column label
clustermark describe points.csv --labels cluster --noise -1=singletons --format json""",
)
@options.described_records
def describe(run: Run, file: str, labels: str, columns: tuple[str, ...], **given: Any) -> Any:
    """Describe the clusters of FILE: their sizes, and where values of a column differ within or recur across them."""
    from clustermark.cli.input import open_files
    from clustermark.evaluation.description import describe as describe_records

    chosen = options.sweep_options(given)
    source = open_files([file], chosen["reading"])[0]
    with run.progress(f"describing {file}"):
        return describe_records(labels, source, list(columns) or None, **chosen)


@command(
    *EVERY_FORMAT,
    examples="""
clustermark internal points.parquet --labels cluster --features 'x*'
clustermark internal points.csv --labels cluster --features x --features y -i silhouette -i dbcv --noise -1=drop
clustermark internal points.parquet --labels cluster --features 'x*' --metric cosine --format json
clustermark internal points.parquet --labels cluster --features 'x*' --sample 5000
clustermark internal points.parquet --labels cluster --features 'x*' -o points.html""",
)
@options.clustered_points
@options.option(
    "--metric",
    type=click.Choice(["euclidean", "sqeuclidean", "manhattan", "cosine", "correlation"]),
    default="euclidean",
    show_default=True,
    group=COMPARED,
    help="The distance between two points.",
)
@options.option(
    "--sample",
    type=click.IntRange(min=2),
    metavar="N",
    group=COMPARED,
    help="Measure this many points against all others for the silhouette.",
)
@options.option("--seed", type=int, default=0, show_default=True, group=COMPARED, help="The seed of --sample.")
@options.option("--weights", metavar="COL", group=COMPARED, help="The column with the weight of each point.")
@options.option(
    "--batch",
    type=click.IntRange(min=1),
    metavar="N",
    group=COMPARED,
    help="Read this many points at a time and keep sums only.  [default: only for files with more than 2^27 numbers]",
)
@options.chosen_indices
def internal(
    run: Run,
    file: str,
    indices: Any,
    labels: str,
    features: tuple[str, ...],
    noise: Mapping[str, Any],
    **given: Any,
) -> Any:
    """Score the points of FILE and the cluster of each: how compact clusters are, and how far from others."""
    from clustermark.cli.input import open_files
    from clustermark.evaluation.internal_scoring import evaluate_internal

    chosen = options.sweep_options(given)
    source = open_files([file], chosen["reading"])[0]
    with run.progress(f"scoring the points of {file}") as tell:
        return evaluate_internal(
            *(source, labels, indices),
            features=list(features) or None,
            noise=_in_both_types(noise),
            progress=tell,
            **chosen,
        )


def _in_both_types(noise: Mapping[str, Any]) -> dict[Any, Any]:
    """Return the policies with each label as a text and as a number, since the type in the file is unknown."""
    numbers = {int(label): policy for label, policy in noise.items() if label.removeprefix("-").isdecimal()}
    return {str(label): policy for label, policy in noise.items()} | numbers


@command(
    *EVERY_FORMAT,
    examples="""
clustermark covers topics.csv found_topics.csv
clustermark covers topics.csv found_topics.csv -i omega -i 'onmi(average="min")' --unmatched drop
clustermark covers topics.csv communities.parquet --item item --item node --cluster cluster --cluster community
clustermark covers topics.csv found_topics.csv --format json -o scores.json""",
)
@click.argument("sources", nargs=2, required=True, metavar="TRUTH PRED")
@options.option("--item", **_COLUMNS, help="The column of items; twice where PRED has another name.  [default: item]")
@options.option("--cluster", **_COLUMNS, help="The column of clusters, in the same way.  [default: cluster]")
@options.option(
    "--unmatched",
    type=click.Choice(["keep", "drop", "error"]),
    default="keep",
    show_default=True,
    group=COMPARED,
    help="What becomes of items that only one file has: in no cluster of the other (keep), left out, or refused.",
)
@options.offer_all(only=("reading", "engine"))
@options.chosen_indices
def covers(
    run: Run, sources: tuple[str, ...], indices: Any, item: tuple[str, ...], cluster: tuple[str, ...], **how: Any
) -> Any:
    """Score clusterings whose clusters may overlap: files with a row for each item and each of its clusters.

    A row without a cluster contains an item that is in none.
    """
    from clustermark.cli.input import open_files
    from clustermark.evaluation.covers import evaluate_covers

    chosen = options.sweep_options(how)
    truth, prediction = open_files(sources, chosen["reading"])
    with run.progress(f"scoring {truth} and {prediction}") as tell:
        return evaluate_covers(
            *(truth, prediction, indices),
            item=_names("item", item),
            cluster=_names("cluster", cluster),
            progress=tell,
            **chosen,
        )


def _names(option: str, given: tuple[str, ...]) -> str | tuple[str, str]:
    if len(given) > 2:
        raise click.UsageError(f"--{option} was given {len(given)} times; give it once, or once for each file")
    return (given[0], given[1]) if len(given) == 2 else given[0] if given else option


@command(
    *EVERY_FORMAT,
    examples="""
clustermark trees ward.npy average.npy
clustermark trees ward_linkage.csv average_linkage.csv -i cophenetic_correlation -i 'robinson_foulds(normalized=True)'
clustermark trees ward.npy average.npy --curve -o curve.csv""",
)
@click.argument("tree", metavar="TREE")
@click.argument("other", metavar="OTHER")
@options.option("--curve", is_flag=True, help="The Fowlkes–Mallows index at every number of clusters instead.")
@options.chosen_indices
def trees(run: Run, tree: str, other: str, indices: Any, curve: bool) -> Any:
    """Score two hierarchies of the same leaves. Each file has a linkage matrix of SciPy: .npy, or CSV."""
    from clustermark.evaluation.hierarchies import bk_curve, evaluate_trees
    from clustermark.subjects.tree import Tree

    if curve and indices is not None:
        raise click.UsageError("--curve shows one index at every cut; leave out -i")
    one, two = (Tree.read(_read_linkage(file), file) for file in (tree, other))
    one.called, two.called = tree, other
    with run.progress(f"comparing {tree} and {other}") as tell:
        return bk_curve(one, two) if curve else evaluate_trees(one, two, indices, progress=tell)


def _read_linkage(file: str) -> NDArray[Any]:
    """Return the numbers of a file; a first line without numbers is a header."""
    import numpy as np

    path = Path(file)
    if not path.is_file():
        raise InputError(f"{file}: there is no such file")
    try:
        if path.suffix.lower() == ".npy":
            return np.asarray(np.load(path, allow_pickle=False))
        lines = path.read_text(encoding="utf-8-sig").splitlines()
        header = bool(lines) and any(word.strip().strip('"').isidentifier() for word in lines[0].split(","))
        return np.loadtxt(lines[1:] if header else lines, delimiter=",", ndmin=2)
    except (ValueError, OSError, EOFError) as error:
        raise InputError(
            f"{file}: this is no matrix of numbers ({error}); write the linkage by numpy.save, or as CSV of 4 columns"
        ) from None


@command(
    *EVERY_FORMAT,
    examples="""
clustermark soft memberships.csv --true 't*' --pred 'p*'
clustermark soft memberships.csv --true label --pred 'p*' --format json
clustermark soft soft_truth.csv soft_pred.csv --on id -i fuzzy_rand -i soft_nmi""",
)
@click.argument("sources", nargs=-1, required=True, metavar="FILE [PRED]", type=click.Path())
@options.option(
    "--true",
    **_COLUMNS,
    help="A column of the true memberships, or a pattern such as 't*'; repeat it for more. One column alone has "
    "labels.  [default: all of FILE, where there is PRED]",
)
@options.option("--pred", **_COLUMNS, help="The same of the prediction.")
@options.option("--on", metavar="COL", group=COMPARED, help="The id by which two files are joined.  [default: by row]")
@options.offer_all(only=("reading", "engine"))
@options.chosen_indices
def soft(
    run: Run,
    sources: tuple[str, ...],
    indices: Any,
    true: tuple[str, ...],
    pred: tuple[str, ...],
    on: str | None,
    **how: Any,
) -> Any:
    """Score the membership of each item in each cluster: a row for each item, a column for each cluster."""
    from clustermark.cli.input import open_files
    from clustermark.evaluation.soft_evaluation import evaluate_soft

    chosen = options.sweep_options(how)
    opened = open_files(sources, chosen["reading"])
    with run.progress(f"scoring {' and '.join(map(str, opened))}") as tell:
        return evaluate_soft(
            *(opened[0], opened[1] if len(opened) == 2 else None, indices),
            true=list(true) or None,
            pred=list(pred) or None,
            on=on,
            progress=tell,
            **chosen,
        )
