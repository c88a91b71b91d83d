"""From what a caller passes to the table of before × after, and where asked for the labels of each record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.errors import InputError, Mention
from clustermark.labels import ABSENT, read_labels
from clustermark.labels.conversion import are_codes
from clustermark.labels.labeling import with_values
from clustermark.options import names_columns, refuse_for_labels
from clustermark.releases.joining import join_sources, spell_words
from clustermark.releases.labelled import BEFORE_AFTER, make_labelled, tabulate_labelled
from clustermark.sources.columns import kind_of
from clustermark.sources.contingencies import crosstab_columns, hold_streams
from clustermark.sources.reading import Role, read
from clustermark.sources.request import read_written
from clustermark.sources.several import read_several_columns
from clustermark.sources.unmatched import find_unmatched
from clustermark.tables.contingency import Origin
from clustermark.tables.noise import warn_of_unmet_noise
from clustermark.tables.policies import PLAIN, Policies, read_policies
from clustermark.tables.tabulation import tabulate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from clustermark.labels import Labeling
    from clustermark.releases.labelled import Labelled
    from clustermark.tables.contingency import Contingency

NAMED = 10
"""So many records that one side lacks are named, at most."""


class Asked(NamedTuple):
    """What a caller wants compared, beside before and after."""

    truth: Any
    by: Any
    records: Any
    old: str | None
    new: str | None
    true: str | None
    options: dict[str, Any]
    """Of the table, with `noise_true` for the truth and `noise_pred` for both clusterings."""

    @property
    def of_table(self) -> dict[str, Any]:
        """The options of the table of before × after."""
        chosen = {name: value for name, value in self.options.items() if name not in ("noise_true", "noise_pred")}
        noise = self.options.get("noise_pred")
        if noise:
            chosen |= {"noise_true": noise, "noise_pred": noise}
        columns = {"true": self.old, "pred": self.new}
        return chosen | {name: column for name, column in columns.items() if column is not None}

    @property
    def policies(self) -> Policies:
        """What becomes of noise, missing labels and records that one side lacks, in the table of before × after."""
        return _policies(self.of_table)


class Sides(NamedTuple):
    """The table of before × after, the labels of each record if they were needed, and who lacks whom."""

    table: Contingency
    labelled: Labelled | None
    name_unmatched: Callable[[], tuple[list[Any], list[Any]]]
    """The first ids that only before has, and that only after has."""


def read_sides(before: Any, after: Any, asked: Asked, *, sources: bool = False) -> Sides:
    """Read what is compared; sources: whether it has columns, also where no column is named."""
    refuse_policies(asked.options)
    columns = {"true": asked.old or asked.new or asked.true, "on": asked.options.get("on")}
    if sources or names_columns(asked.options | columns) or asked.records is not None:
        return _read_columns(before, after, asked)
    refuse_for_labels(asked.options)
    for name, labels in (("before", before), ("after", after)):
        if isinstance(labels, str | bytes):
            raise InputError(
                f"{name} is a single text; pass one label a record, or name the columns of sources by ",
                *(Mention("on"), ", or ", Mention("old"), " and ", Mention("new")),
            )
    if after is None:
        raise InputError(
            "after is None; pass two labelings, or a source and its columns by ",
            Mention("old"),
            " and ",
            Mention("new"),
        )
    return _read_labels(before, after, asked)


def refuse_policies(options: Mapping[str, Any]) -> None:
    """Refuse policies that have no meaning between two clusterings."""
    if options.get("unmatched") == "keep":
        raise InputError(
            Mention("unmatched", "keep"),
            ": what a record without a counterpart has changed to is not defined; choose ",
            Mention("unmatched", "drop", "singletons"),
        )
    if "unscored" in (options.get("noise_pred") or {}).values():
        raise InputError(
            Mention("noise_pred"),
            ": a change has no side that is scored, so nothing can be 'unscored'; choose singletons, drop or cluster",
        )


def _policies(options: Mapping[str, Any]) -> Policies:
    chosen = {name: options[name] for name in ("noise_true", "noise_pred", "missing", "unmatched") if name in options}
    return read_policies(**chosen)


def _read_labels(before: Any, after: Any, asked: Asked) -> Sides:
    """Labelings in memory: in one order of the records, or mappings from id."""
    policies, options = asked.policies, asked.options
    in_order = policies._replace(unmatched="error")  # in one order, no record is without its counterpart
    if asked.truth is None and asked.by is None and _are_codes_alike(before, after):
        counts, weights, threads = (options.get(name) for name in ("counts", "weights", "threads"))
        table = tabulate(before, after, counts, weights, PLAIN if in_order == PLAIN else in_order, threads)
        warn_of_unmet_noise(table, BEFORE_AFTER)
        return Sides(table, None, lambda: ([], []))
    given = {"before": before, "after": after, "truth": asked.truth, "by": asked.by}
    roles = {name: Role(name, one) for name, one in given.items() if one is not None}
    records = read(roles, {name: options.get(name) for name in ("counts", "weights")} | {"unmatched": "drop"})
    sides = {name: with_values(labeling) for name, labeling in records.labels.items()}
    labelled = make_labelled(sides, records.counts, records.weights)
    if records.ids is not None:
        kept = (labelled.before.codes != ABSENT) | (labelled.after.codes != ABSENT)
        labelled = labelled if kept.all() else labelled.take(kept)
        for name in ("after", "truth"):
            if name in records.labels:
                records.check_ids("before", name)
        if policies.unmatched == "error":
            _refuse_unmatched(before, after)
    table = tabulate_labelled(labelled, policies if records.ids is not None else in_order, options.get("threads"))

    def name_unmatched() -> tuple[list[Any], list[Any]]:
        if records.ids is None:
            return [], []
        return [x for x in before if x not in after], [x for x in after if x not in before]

    return Sides(table, labelled, name_unmatched)


def _are_codes_alike(before: Any, after: Any) -> bool:
    """Whether these are arrays of equally many whole numbers, of which nothing needs to be complained."""
    return are_codes(before) and are_codes(after) and 0 < len(before) == len(after)


def _refuse_unmatched(before: Any, after: Any) -> None:
    if before.keys() != after.keys():
        only = [sum(item not in other for item in one) for one, other in ((before, after), (after, before))]
        raise InputError(
            f"the ids differ: {only[0]:,} occur in before only and {only[1]:,} in after only; make them agree, or "
            "choose ",
            Mention("unmatched", "drop", "singletons"),
        )


def _read_columns(before: Any, after: Any, asked: Asked) -> Sides:
    """Sources: the table is made where the data lies; what a truth or slices need of each record comes over."""
    options = dict(asked.of_table)
    before, after = hold_streams(before, after, options)
    if asked.truth is None and asked.true is None and asked.by is None:
        with spell_words():
            table = crosstab_columns(before, after, options)
        return Sides(table, None, lambda: find_unmatched(before, after, options, NAMED))
    if after is None and asked.truth is None and asked.records is None and _is_name(asked.by):
        return _read_one_source(before, asked, options)
    labelled, ids, settings = join_sources(before, after, asked, options)
    origin = Origin(settings, ())
    policies = _policies(options)
    policies = read_written(policies, kind_of(labelled.before), kind_of(labelled.after))
    table = tabulate_labelled(labelled, policies, options.get("threads"), origin)

    def name_unmatched() -> tuple[list[Any], list[Any]]:
        only = (np.flatnonzero(side.codes == ABSENT) for side in (labelled.after, labelled.before))
        before_only, after_only = (list(ids.take(places).to_list()) for places in only)
        return before_only, after_only

    return Sides(table, labelled, name_unmatched)


def truth_policies(asked: Asked, truth: Labeling, of_table: Policies) -> Policies:
    """The policies for scores against the truth; labels of noise as the labelings hold them."""
    mine = read_written(_policies({**asked.options, "noise_pred": {}}), kind_of(truth), "text")
    return mine._replace(noise_pred=of_table.noise_true | of_table.noise_pred)


def _is_name(by: Any) -> bool:
    return by is None or isinstance(by, str)


def _read_one_source(source: Any, asked: Asked, options: dict[str, Any]) -> Sides:
    """All labels in columns of one source: its distinct rows, counted where the data lies."""
    if asked.old is None or asked.new is None:
        raise InputError("name the columns of the two clusterings by ", Mention("old"), " and ", Mention("new"))
    wanted = {"before": asked.old, "after": asked.new, "truth": asked.true, "by": asked.by}
    columns = {name: column for name, column in wanted.items() if column is not None}
    reading = {name: value for name, value in options.items() if name not in ("true", "pred")}
    # a record without a truth or a slice is no mistake; of the clusterings it is checked below
    names = {"old": asked.old, "new": asked.new, "true": asked.true, "by": asked.by}
    with spell_words({str(column): name for name, column in names.items()}):
        several = list(dict.fromkeys(columns.values()))
        read = read_several_columns(source, None, several, reading | {"missing": "cluster"})
    sides = {name: with_values(read_labels(read.labels[column], column)) for name, column in columns.items()}
    labelled = make_labelled(sides, read.counts, read.weights)
    policies = read.policies._replace(missing=options.get("missing", "error"), noise_true=read.policies.noise_pred)
    settings = {name: value for name, value in read.settings.items() if name != "columns"}
    origin = Origin(settings | {"true": asked.old, "pred": asked.new}, ())
    table = tabulate_labelled(labelled, policies, options.get("threads"), origin)
    return Sides(table, labelled, lambda: ([], []))
