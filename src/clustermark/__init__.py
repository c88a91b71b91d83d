"""Evaluate clusterings against a truth, against each other, or by themselves.

Labels are lists, arrays, Series, mappings from id to label, or columns of files and tables; the truth comes first.

>>> import clustermark as cm
>>> cm.adjusted_rand(["a", "a", "b", "b"], [1, 1, 2, 3])
0.5714285714285714
>>> print(cm.evaluate(["a", "a", "b", "b"], [1, 1, 2, 3], ["jaccard", "b_cubed_f"]))
4 points, 2 true and 3 predicted clusters
index         score  range   better
jaccard    0.500000  [0, 1]  higher
b_cubed_f  0.857143  [0, 1]  higher

Score one clustering
    evaluate, evaluate_table     scores, and where the clustering is wrong: clusters, errors, points, repairs, a page
    evaluate_covers              clusters that overlap
    evaluate_trees, bk_curve     hierarchies
    evaluate_soft                soft clusterings
    evaluate_internal, stability clusters of points in space, without a truth
    crosstab                     the table that all indices read: `cm.jaccard.of(table)`
    score_interval, chance_test  how certain a score is, and whether chance reaches it
Compare several
    compare, compare_datasets    rank methods, with intervals of their differences
    similarity_matrix            each clustering against each other
    sweep, sweep_pairs           scores at each threshold of scored pairs, or of several labelings
Follow a clustering over time
    changes, relabel             old against new: what changed; keep the old names of clusters
    questions, judge             which pairs to label, and the scores that the answers give
    monitor                      a series of releases, with limits that hold at every look
    draw_sample, estimate        scores of a large clustering from a sample of its truth
    plan, power                  how many points, documents or labels an interval or a decision needs
Describe
    describe                     one clustering: sizes of its clusters
    catalogue, find              the indices; `cm.catalogue()` lists those of labelings, `cm.catalogue("all")` all
    index                        declare an index of your own; `clustermark.testing` checks it
    read_evaluation, json_schema evaluations that were written as JSON

Each index is a function of this module: `help(cm.adjusted_rand)` shows its formula, range and reference. Types of
results are here too, types of their rows in `clustermark.rows`, statistics in `clustermark.statistics`, names of
other tools in `ClusteringMetric` and `clustermark.sklearn`. Exceptions derive from `ClustermarkError`.
"""

from clustermark.stubs import attach_stub

__version__ = "0.1.0"

_get_name, __dir__, _all = attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    if name == "__all__":
        import sys

        # pydoc documents all listed names in full: thousands of lines instead of the docstring above
        return [] if sys._getframe(1).f_globals.get("__name__") == "pydoc" else list(_all)
    try:
        return _get_name(name)
    except AttributeError as error:
        if name.startswith("_"):  # inspecting programs request such names, and no index has one
            raise
        from importlib.machinery import PathFinder

        # `from clustermark import tables` looks up this attribute before it imports the module
        is_module = PathFinder.find_spec(f"{__name__}.{name}", __path__)
        if not is_module:
            from clustermark.registry.lookup import hint_at_index

            error.args = (f"{error}{hint_at_index(name)}",)
        raise
