"""Read the data that `changes` compares: the table of before × after, and if needed the labels of each record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.errors import InputError, Mention
from clustermark.labels import ABSENT, Labeling, read_counts, read_labels, read_weights
from clustermark.labels.conversion import are_codes
from clustermark.labels.labeling import with_values
from clustermark.options import names_columns, refuse_for_labels
from clustermark.sources.columns import Words, describe_id, kind_of
from clustermark.sources.contingencies import crosstab_columns, hold_streams
from clustermark.sources.joined import read_joined
from clustermark.sources.reading import Role, missing_error, read
from clustermark.sources.request import read_written
from clustermark.sources.several import read_several_columns
from clustermark.sources.tabular import find_unmatched, is_tabular
from clustermark.tables.contingency import IN_MEMORY, Origin
from clustermark.tables.policies import PLAIN, Policies, read_policies, warn_of_unmet_noise
from clustermark.tables.tabulation import tabulate, tabulate_codes

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from clustermark.sources.reading import Records
    from clustermark.tables.cells import CellTable
    from clustermark.tables.contingency import Contingency

NAMED = 10
"""The largest number of records of one side that are named."""
WORDS = Words(("old", "new"), ("before", "after"), ("before", "after"), ("noise_pred", "noise_pred"))
"""The names of the sides of a table of before × after in messages."""


class ChangeRequest(NamedTuple):
    """The arguments of `changes` beside the two clusterings."""

    truth: Any
    by: Any
    records: Any
    old: str | None
    new: str | None
    true: str | None
    options: dict[str, Any]
    """Options of the table, with `noise_true` for the truth and `noise_pred` for both clusterings."""

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
        """The policies of the table of before × after."""
        return _policies(self.of_table)


class RecordLabels(NamedTuple):
    """The labels of each record before and after, in the truth, and by slice; MISSING or ABSENT without one."""

    before: Labeling
    after: Labeling
    truth: Labeling | None
    by: Labeling | None
    counts: NDArray[np.int64] | None
    weights: NDArray[np.float64] | None

    @classmethod
    def of(cls, labels: Mapping[str, Labeling], counts: Any, weights: Any) -> RecordLabels:
        """Number the labels of each role, and check counts and weights."""
        numbered = {name: with_values(side) for name, side in labels.items()}
        narrow = {
            name: Labeling(side.codes.astype(np.int32, copy=False), side.values) for name, side in numbered.items()
        }
        n = len(narrow["before"])
        return cls(
            narrow["before"],
            narrow["after"],
            narrow.get("truth"),
            narrow.get("by"),
            None if counts is None else read_counts(counts, n),
            None if weights is None else read_weights(weights, n),
        )

    def take(self, kept: NDArray[np.bool_]) -> RecordLabels:
        """Return the labels of some of the records."""
        labelings = (None if one is None else Labeling(one.codes[kept], one.values) for one in self[:4])
        numbers: Any = (None if one is None else one[kept] for one in self[4:])
        before, after, truth, by = labelings
        assert before is not None and after is not None  # noqa: PT018
        return RecordLabels(before, after, truth, by, *numbers)

    def tabulate(self, policies: Policies, threads: int | None, origin: Origin = IN_MEMORY) -> CellTable:
        """Return the table of before × after."""
        for name, side in (("before", self.before), ("after", self.after)):
            if side.n_missing and policies.missing == "error":
                raise missing_error(name, side)
        chosen = PLAIN if policies == PLAIN else policies
        table = tabulate_codes(self.before, self.after, self.counts, self.weights, chosen, threads, origin=origin)
        if self.truth is None:  # which may contain the labels that are named
            warn_of_unmet_noise(table, WORDS.whose)
        return table


class BeforeAfter(NamedTuple):
    """The table of before × after, the labels of each record if they are needed, and ids of one side only."""

    table: Contingency
    labels: RecordLabels | None
    name_unmatched: Callable[[], tuple[list[Any], list[Any]]]
    """Return the first ids of before only, and of after only."""


def read_before_after(before: Any, after: Any, asked: ChangeRequest, *, sources: bool = False) -> BeforeAfter:
    """Read the two clusterings; `sources` is true if they have columns even if none is named."""
    refuse_policies(asked.options)
    columns = {"true": asked.old or asked.new or asked.true, "on": asked.options.get("on")}
    if sources or names_columns(asked.options | columns) or asked.records is not None:
        return _read_columns(before, after, asked)
    refuse_for_labels(asked.options)
    for name, labels in (("before", before), ("after", after)):
        if isinstance(labels, str | bytes):
            raise InputError(
                f"{name} is a single text; pass one label for each record, or name the columns of sources by ",
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
            ": the change of a record that one side lacks is not defined; choose ",
            Mention("unmatched", "drop", "singletons"),
        )
    if "unscored" in (options.get("noise_pred") or {}).values():
        raise InputError(
            Mention("noise_pred", options["noise_pred"]),
            ": no side of a change is scored, so nothing can be 'unscored'; choose singletons, drop or cluster",
        )


def truth_policies(asked: ChangeRequest, truth: Labeling, of_table: Policies) -> Policies:
    """Return the policies of scores against the truth, with labels of noise as the labelings contain them."""
    mine = read_written(_policies({**asked.options, "noise_pred": {}}), kind_of(truth), "text")
    return mine._replace(noise_pred=of_table.noise_true | of_table.noise_pred)


def _policies(options: Mapping[str, Any]) -> Policies:
    chosen = {name: options[name] for name in ("noise_true", "noise_pred", "missing", "unmatched") if name in options}
    return read_policies(**chosen)


def _read_labels(before: Any, after: Any, asked: ChangeRequest) -> BeforeAfter:
    """Read labelings in memory: in one order of the records, or mappings from id."""
    policies, options = asked.policies, asked.options
    in_order = policies._replace(unmatched="error")  # in one order, each record has its counterpart
    codes = are_codes(before) and are_codes(after) and 0 < len(before) == len(after)
    if codes and asked.truth is None and asked.by is None:
        counts, weights, threads = (options.get(name) for name in ("counts", "weights", "threads"))
        table = tabulate(before, after, counts, weights, PLAIN if in_order == PLAIN else in_order, threads)
        warn_of_unmet_noise(table, WORDS.whose)
        return BeforeAfter(table, None, lambda: ([], []))
    given = {"before": before, "after": after, "truth": asked.truth, "by": asked.by}
    roles = {name: Role(name, one) for name, one in given.items() if one is not None}
    records = read(roles, {name: options.get(name) for name in ("counts", "weights")} | {"unmatched": "drop"})
    labels = RecordLabels.of(records.labels, records.counts, records.weights)
    if records.ids is None:
        return BeforeAfter(labels.tabulate(in_order, options.get("threads")), labels, lambda: ([], []))
    kept = (labels.before.codes != ABSENT) | (labels.after.codes != ABSENT)
    labels = labels if kept.all() else labels.take(kept)
    for name in ("after", "truth"):
        if name in records.labels:
            records.check_ids("before", name)
    if policies.unmatched == "error":
        _refuse_unmatched(before, after)

    def name_unmatched() -> tuple[list[Any], list[Any]]:
        return [x for x in before if x not in after], [x for x in after if x not in before]

    return BeforeAfter(labels.tabulate(policies, options.get("threads")), labels, name_unmatched)


def _refuse_unmatched(before: Mapping[Any, Any], after: Mapping[Any, Any]) -> None:
    if before.keys() != after.keys():
        only = [sum(item not in other for item in one) for one, other in ((before, after), (after, before))]
        raise InputError(
            f"the ids differ: {only[0]:,} occur in before only and {only[1]:,} in after only; make them agree, or "
            "choose ",
            Mention("unmatched", "drop", "singletons"),
        )


def _read_columns(before: Any, after: Any, asked: ChangeRequest) -> BeforeAfter:
    """Make the table where the data lies; fetch the labels of records if a truth or slices need them."""
    options = dict(asked.of_table)
    before, after = hold_streams(before, after, options)
    if asked.truth is None and asked.true is None and asked.by is None:
        table = crosstab_columns(before, after, options, WORDS)
        return BeforeAfter(table, None, lambda: find_unmatched(before, after, options, NAMED))
    if after is None and asked.truth is None and asked.records is None and isinstance(asked.by, str | None):
        return _read_one_source(before, asked, options)
    records = _join_sources(before, after, asked, options)
    labels = RecordLabels.of(records.labels, records.counts, records.weights)
    policies = read_written(_policies(options), kind_of(labels.before), kind_of(labels.after))
    table = labels.tabulate(policies, options.get("threads"), Origin(_settings(records, options), ()))

    def name_unmatched() -> tuple[list[Any], list[Any]]:
        ids = list(records.ids or ())
        only = (np.flatnonzero(side.codes == ABSENT).tolist() for side in (labels.after, labels.before))
        before_only, after_only = ([ids[place] for place in places] for places in only)
        return before_only, after_only

    return BeforeAfter(table, labels, name_unmatched)


def _join_sources(before: Any, after: Any, asked: ChangeRequest, options: dict[str, Any]) -> Records:
    """Read before, after, truth and slices of several sources with a common id."""
    if after is None:
        raise InputError(
            "after is None: a truth or slices from another source are joined by id, so pass before and after as two "
            "sources too, or name columns of one source by ",
            *(Mention("old"), ", ", Mention("new"), ", ", Mention("true"), " and ", Mention("by")),
        )
    if options.get("pairs") is not None:
        raise InputError(
            *(Mention("pairs"), " with a truth or slices: make clusters of the pairs first, such as by "),
            Mention("sweep_pairs()"),
        )
    roles = {"before": Role("before", before, asked.old, "old"), "after": Role("after", after, asked.new, "new")}
    if asked.truth is not None or asked.true is not None:
        roles["truth"] = _truth_role(asked)
    if asked.by is not None:
        roles["by"] = _slice_role(asked)
    noise = ("noise_true", "noise_pred")
    records = read_joined(roles, {name: value for name, value in options.items() if name not in noise})
    records.check_ids("before", "after")
    return records


def _truth_role(asked: ChangeRequest) -> Role:
    """Return the role of the truth: a mapping, a source of its own, or a column of after or before."""
    if asked.truth is None:
        return Role("true", None, asked.true, "true", within=("after", "before"), adds_points=False)
    if not isinstance(asked.truth, Mapping) and not is_tabular(asked.truth):
        raise InputError("truth: with sources, pass a source with the same id, or a mapping from id")
    return Role("truth", asked.truth, asked.true, "true", adds_points=False)


def _slice_role(asked: ChangeRequest) -> Role:
    """Return the role of the slices: a mapping, or a column of after, of before or of the records."""
    if isinstance(asked.by, Mapping):
        return Role("by", asked.by, adds_points=False)
    if not isinstance(asked.by, str):
        raise InputError("by: with sources, pass the name of a column, or a mapping from id")
    if asked.records is None:
        return Role("by", None, asked.by, "by", within=("after", "before"), adds_points=False)
    return Role("records", asked.records, asked.by, "by", adds_points=False)


def _settings(records: Records, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a table of joined sources, by the names of a truth and a prediction."""
    chosen = {"true": records.columns["before"], "pred": records.columns["after"], "on": describe_id(records.on)}
    numbers = {what: options[what] for what in ("counts", "weights") if options.get(what) is not None}
    guessed = [what for what in chosen if options.get(what) is None]
    sources = {"truth": records.sources["before"], "prediction": records.sources["after"]}
    return {**sources, **chosen, **numbers, **({"guessed": guessed} if guessed else {})}


def _read_one_source(source: Any, asked: ChangeRequest, options: dict[str, Any]) -> BeforeAfter:
    """Read columns of one source: its distinct rows, counted where the data lies."""
    if asked.old is None or asked.new is None:
        raise InputError("name the columns of the two clusterings by ", Mention("old"), " and ", Mention("new"))
    named = {"before": ("old", asked.old), "after": ("new", asked.new), "truth": ("true", asked.true)}
    named["by"] = ("by", asked.by)
    columns = {role: column for role, (_, column) in named.items() if column is not None}
    words = {column: word for word, column in reversed(named.values()) if column is not None}
    # a record without a truth or a slice is no mistake; the clusterings are checked below
    reading = {name: value for name, value in options.items() if name not in ("true", "pred")} | {"missing": "cluster"}
    found = read_several_columns(source, None, list(dict.fromkeys(columns.values())), reading, words=words)
    sides = {role: read_labels(found.labels[column], column) for role, column in columns.items()}
    labels = RecordLabels.of(sides, found.counts, found.weights)
    policies = found.policies._replace(missing=options.get("missing", "error"), noise_true=found.policies.noise_pred)
    settings = {name: value for name, value in found.settings.items() if name != "columns"}
    origin = Origin(settings | {"true": asked.old, "pred": asked.new}, ())
    table = labels.tabulate(policies, options.get("threads"), origin)
    return BeforeAfter(table, labels, lambda: ([], []))
