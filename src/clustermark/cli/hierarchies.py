"""The command on two trees."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clustermark.cli import options
from clustermark.cli.formats import render
from clustermark.cli.helpful import Command
from clustermark.cli.output import deliver, format_of, refuse_overwriting
from clustermark.cli.progress import show_progress
from clustermark.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  clustermark trees ward.npy average.npy
  clustermark trees ward_linkage.csv average_linkage.csv -i cophenetic_correlation -i 'robinson_foulds(normalized=True)'
  clustermark trees ward.npy average.npy --curve -o curve.csv""",
)
@click.argument("tree", metavar="TREE")
@click.argument("other", metavar="OTHER")
@options.option("--curve", is_flag=True, help="The Fowlkes–Mallows index at every number of clusters instead.")
@options.scored
def trees(
    tree: str, other: str, indices: Any, curve: bool, quiet: bool, shape: str | None, output: str | None, force: bool
) -> None:
    """Score two hierarchies of the same leaves. Each file has a linkage matrix as SciPy makes it: .npy, or CSV."""
    from clustermark.evaluation.hierarchies import bk_curve, evaluate_trees
    from clustermark.subjects.tree import Tree

    if curve and indices is not None:
        raise click.UsageError("--curve shows one index at every cut; leave out -i")
    refuse_overwriting(output, force)
    shape = format_of(shape, output)
    one, two = (Tree.read(_read_linkage(file), file) for file in (tree, other))
    one.said, two.said = tree, other
    with show_progress(f"comparing {tree} and {other}", quiet) as tell:
        text = render(shape, bk_curve(one, two) if curve else evaluate_trees(one, two, indices, progress=tell))
    deliver(text, output, shape)


def _read_linkage(file: str) -> NDArray[Any]:
    """The numbers of a file; a first line that holds none is taken for the names of columns."""
    import numpy as np

    path = Path(file)
    if not path.is_file():
        raise InputError(f"{file}: there is no such file")
    try:
        if path.suffix.lower() == ".npy":
            return np.asarray(np.load(path, allow_pickle=False))
        lines = path.read_text(encoding="utf-8-sig").splitlines()
        names = bool(lines) and any(word.strip().strip('"').isidentifier() for word in lines[0].split(","))
        return np.loadtxt(lines[1:] if names else lines, delimiter=",", ndmin=2)
    except (ValueError, OSError, EOFError) as error:
        raise InputError(
            f"{file}: this is no matrix of numbers ({error}); write the linkage by numpy.save, or as CSV of 4 columns"
        ) from None
