"""Read scored pairs of records and the true labels of the records, from any source, and number the records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark._kernel import encode_integers
from clustermark.errors import InputError, Mention
from clustermark.evaluation.pair_partitions import PairRecords
from clustermark.labels import ABSENT, Labeling, check_same_index, read_counts, read_labels, read_weights
from clustermark.labels.labeling import Names, merge_names, with_values
from clustermark.sources.by_id import read_ids
from clustermark.sources.columns import list_names, require
from clustermark.sources.pair_lists import MAX_PAIRS, SPLINK, read_scores
from clustermark.sources.tabular import Tabular, is_tabular, open_columns, pandas_kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


SPLINK_SOURCES = ("source_dataset_l", "source_dataset_r")


class PairOptions(NamedTuple):
    """The options on columns, as the caller passed them."""

    score: str | None = None
    left: str | None = None
    right: str | None = None
    on: str | Sequence[str] | None = None
    true: str | None = None
    max_pairs: int = MAX_PAIRS
    counts: Any = None
    weights: Any = None


class PairColumns(NamedTuple):
    """The two ids of each pair, each of one part or of two, and the scores."""

    left: list[Labeling]
    right: list[Labeling]
    scores: NDArray[np.float64]
    called: str
    columns: Mapping[str, str] = {}
    """Names of the columns by option, for a source."""


class TruthColumns(NamedTuple):
    """The ids and labels of the records that have a true label; ids are None if they are positions."""

    ids: list[Labeling] | None
    labels: Labeling
    counts: Any = None
    weights: Any = None
    called: str = ""
    """Name of the source in messages; empty for labels in memory."""
    columns: Mapping[str, str] = {}
    """Names of the columns by option."""


def read_records(truth: Any, pairs: Any, asked: PairOptions, options: Mapping[str, Any]) -> PairRecords:
    """Number the records of a truth and of scored pairs."""
    scored = _read_pairs(pairs, asked, options)
    labelled = _read_truth(truth, asked, options, parts=len(scored.left))
    n = len(labelled.labels)
    if not n:
        raise InputError("the truth has no records, so there is nothing to compare")
    settings: dict[str, Any] = {"truth": labelled.called, "prediction": scored.called} if labelled.called else {}
    settings |= {**labelled.columns, **scored.columns}
    guessed = [what for what in settings if getattr(asked, what, "") is None]
    settings |= {"guessed": guessed} if guessed else {}
    counts = None if labelled.counts is None else read_counts(labelled.counts, n)
    weights = None if labelled.weights is None else read_weights(labelled.weights, n)
    if labelled.ids is None:
        left, right = (_check_positions(side, n, scored.called) for side in (scored.left, scored.right))
        return PairRecords(labelled.labels, None, left, right, scored.scores, counts, weights, settings)
    together, ids = _number([labelled.ids, scored.left, scored.right])
    _refuse_repeats(together[:n], ids)
    _refuse_strangers(together, n, ids)
    cut = n + len(scored.scores)
    absent = np.full(len(ids) - n, ABSENT)
    codes = np.concatenate([with_values(labelled.labels).codes.astype(np.int64), absent])
    known = Labeling(codes, with_values(labelled.labels).values)
    if counts is not None:
        counts = np.append(counts, np.ones(len(absent), np.int64))
    if weights is not None:
        weights = np.append(weights, np.ones(len(absent)))
    return PairRecords(known, ids, together[n:cut], together[cut:], scored.scores, counts, weights, settings)


def _read_pairs(pairs: Any, asked: PairOptions, options: Mapping[str, Any]) -> PairColumns:
    kind = pandas_kind(pairs)
    if kind is not None and getattr(pairs.index, "nlevels", 1) == 2:  # as returned by recordlinkage
        return _pairs_of_index(pairs, kind, asked)
    if is_tabular(pairs):
        with open_columns(pairs, "pairs", options) as table:
            return _pairs_of_columns(table, asked)
    if isinstance(pairs, tuple | list) and len(pairs) == 3 and all(map(_is_column, pairs)):
        names = ("pairs[0]", "pairs[1]", "pairs[2]")
        _check_number(len(pairs[2]), asked, "pairs")
        left, right = (read_ids(part, name) for part, name in zip(pairs[:2], names, strict=False))
        return _check_lengths(PairColumns([left], [right], read_scores(pairs[2], names[2]), "pairs"))
    raise InputError(
        f"pairs is a {type(pairs).__name__}; pass a table of scored pairs (a file, a data frame, (connection, "
        '"table")), a Series with an index of pairs, or a tuple of three arrays (left, right, score)'
    )


def _is_column(part: object) -> bool:
    """Return whether this is a sequence with an element for each pair; a text is not."""
    return hasattr(part, "__len__") and not isinstance(part, str | bytes)


def _pairs_of_index(pairs: Any, kind: str, asked: PairOptions) -> PairColumns:
    called = f"the {type(pairs).__name__} of the pairs"
    scores = pairs
    if kind == "frame":
        names = [str(name) for name in pairs.columns]
        score = asked.score
        if score is None:
            if len(names) != 1:
                has = f" (it has {list_names(names)})"
                raise InputError(f"{called}: name the column of the scores by ", Mention("score"), has)
            score = names[0]
        require(Tabular(called, dict.fromkeys(names), list, lambda *_: []), "score", score)
        scores = pairs.iloc[:, names.index(score)]
    _check_number(len(pairs), asked, called)
    left, right = (read_ids(pairs.index.get_level_values(level), f"{called}: index level {level}") for level in (0, 1))
    return PairColumns([left], [right], read_scores(scores, f"{called}: scores"), called)


def _pairs_of_columns(table: Tabular, asked: PairOptions) -> PairColumns:
    left, right, score = _choose_columns(table, asked)
    sides = [[left], [right]]
    if (left, right) == SPLINK[:2] and all(name in table.kinds for name in SPLINK_SOURCES):
        sides = [[SPLINK_SOURCES[0], left], [SPLINK_SOURCES[1], right]]
    names = [score, *sides[0], *sides[1]]
    if table.count_rows is not None:
        _check_number(table.count_rows(), asked, table.called)  # before they are fetched into memory
    first, *others = table.read(names)
    scores = read_scores(first, f"{table.called}: column {score!r}")
    if not len(scores):
        raise InputError(f"{table.called}: holds no rows; there is nothing to sweep")
    _check_number(len(scores), asked, table.called)
    ids = [read_ids(column, f"{table.called}: column {name!r}") for name, column in zip(names[1:], others, strict=True)]
    read = {"left": ", ".join(sides[0]), "right": ", ".join(sides[1]), "score": score}
    return PairColumns(ids[: len(sides[0])], ids[len(sides[0]) :], scores, table.called, read)


def _choose_columns(table: Tabular, asked: PairOptions) -> tuple[str, str, str]:
    """Return the columns of both ids and the score: named by options, as in Splink, or the only three in order."""
    for what in ("left", "right", "score"):
        if (name := getattr(asked, what)) is not None:
            require(table, what, name)
    splink = all(name in table.kinds for name in SPLINK[:2]) and (asked.score or SPLINK[2]) in table.kinds
    if splink and asked.left is None and asked.right is None:
        return SPLINK[0], SPLINK[1], asked.score or SPLINK[2]
    chosen = [asked.left, asked.right, asked.score]
    named = [name for name in chosen if name is not None]
    if twice := next((name for name in named if named.count(name) > 1), None):
        raise InputError(
            f"{table.called}: column {twice!r} is named twice, and ",
            *(Mention("left"), ", ", Mention("right"), " and ", Mention("score"), " are three columns"),
        )
    free = iter([name for name in table.kinds if name not in chosen])
    if len(table.kinds) == 3 or (asked.score is not None and len(table.kinds) - 1 == 2):
        chosen = [name if name is not None else next(free) for name in chosen]
    if None in chosen or len(set(chosen)) < 3:
        raise InputError(
            f"{table.called}: name the columns of the two ids by ",
            *(Mention("left"), " and ", Mention("right"), " and that of the score by ", Mention("score")),
            f" (it has {list_names(table.kinds)})",
        )
    return str(chosen[0]), str(chosen[1]), str(chosen[2])


def _check_number(n: int, asked: PairOptions, called: str) -> None:
    if n > asked.max_pairs:
        raise InputError(
            f"{called}: {n:,} pairs are more than ",
            Mention("max_pairs", asked.max_pairs),
            "; each takes up to 48 bytes. Leave out pairs of low score, which low thresholds need, or raise it",
        )


def _check_lengths(pairs: PairColumns) -> PairColumns:
    lengths = [len(pairs.left[0]), len(pairs.right[0]), len(pairs.scores)]
    if len(set(lengths)) > 1:
        raise InputError(f"pairs: the three arrays must have one length, not {', '.join(map(str, lengths))}")
    return pairs


def _read_truth(truth: Any, asked: PairOptions, options: Mapping[str, Any], parts: int) -> TruthColumns:
    numbers = {"counts": asked.counts, "weights": asked.weights}
    if isinstance(truth, Mapping):
        found: dict[str, Any] = {name: _numbers_by_id(given, name, truth) for name, given in numbers.items()}
        labels = read_labels(list(truth.values()), "y_true.values()")
        return TruthColumns(_split_ids(list(truth), parts), labels, **found)
    if pandas_kind(truth) == "series":
        for name, given in numbers.items():
            check_same_index(truth, given, "y_true", name)
        ids = [read_ids(truth.index, "y_true.index")] if parts == 1 else _split_ids(list(truth.index), parts)
        return TruthColumns(ids, read_labels(truth, "y_true"), **numbers)
    if asked.on is not None or asked.true is not None or is_tabular(truth):
        with open_columns(truth, "y_true", options) as table:
            return _truth_of_columns(table, asked, parts)
    if parts > 1:
        raise InputError("the ids of the pairs have two parts, source and id, so the truth needs such ids too")
    return TruthColumns(None, _own(read_labels(truth, "y_true")), **numbers)


def _own(labels: Labeling) -> Labeling:
    """Return labels that do not share memory with the array of the caller."""
    return labels if labels.values is not None else Labeling(labels.codes.copy())


def _numbers_by_id(numbers: Any, name: str, truth: Mapping[Any, Any]) -> list[Any] | None:
    """Return counts or weights in the order of the ids of the truth."""
    if numbers is None:
        return None
    if not isinstance(numbers, Mapping):
        raise InputError(f"{name}: the truth is a mapping from id to label, so pass {name} as a mapping from id too")
    lacking = [one for one in truth if one not in numbers]
    if lacking:
        raise InputError(f"{name}: there is no number for {len(lacking)} id(s), the first is {lacking[0]!r}")
    return [numbers[one] for one in truth]


def _split_ids(ids: list[Any], parts: int) -> list[Labeling]:
    if parts == 1:
        return [read_ids(ids, "the ids of the truth")]
    if not all(isinstance(one, tuple) and len(one) == parts for one in ids):
        raise InputError("the ids of the pairs have two parts, so the ids of the truth must be tuples (source, id)")
    return [read_ids([one[part] for one in ids], f"part {part} of the ids of the truth") for part in range(parts)]


def _truth_of_columns(table: Tabular, asked: PairOptions, parts: int) -> TruthColumns:
    on = [asked.on] if isinstance(asked.on, str) else list(asked.on or ())
    if not on:
        usual = ["source_dataset", "unique_id"][2 - parts :]
        on = usual if all(name in table.kinds for name in usual) else list(table.kinds)[:parts]
    for name in on:
        require(table, "on", name)
    if len(on) != parts:
        raise InputError(
            f"{table.called}: the ids of the pairs have {parts} part(s); name as many columns by ", Mention("on"),
            f", not {len(on)}",
        )  # fmt: skip
    numbers = {name: given for name in ("counts", "weights") if (given := getattr(asked, name)) is not None}
    for name, column in numbers.items():
        if not isinstance(column, str):
            raise InputError(f"{name}: {table.called} has columns, so name the one with the {name}")
        require(table, name, column)
    free = [name for name in table.kinds if name not in (*on, *numbers.values())]
    if asked.true is not None:
        require(table, "true", asked.true)
    elif len(free) != 1:
        raise InputError(
            f"{table.called}: name the columns of the ids and of the true labels by ",
            *(Mention("on"), " and ", Mention("true")),
            f" (it has {list_names(table.kinds)})",
        )
    true = asked.true or free[0]
    labels, *columns = table.read([true, *on, *numbers.values()])
    ids = [read_ids(column, f"{table.called}: column {name!r}") for name, column in zip(on, columns, strict=False)]
    found = {
        name: _parse_numbers(column, name, f"{table.called}: column {numbers[name]!r}")
        for name, column in zip(numbers, columns[len(on) :], strict=True)
    }
    known = read_labels(labels, f"{table.called}: column {true!r}")
    read = {"true": true, "on": ", ".join(on)}
    return TruthColumns(ids, known, **found, called=table.called, columns=read)


def _parse_numbers(column: Any, name: str, called: str) -> Any:
    """Return counts or weights as numbers; text files contain them as texts."""
    array = np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else column)
    if array.dtype.kind not in "OUT":
        return array
    parse = int if name == "counts" else float
    try:
        return [parse(one) if isinstance(one, str) and "_" not in one else one for one in array.tolist()]
    except ValueError:
        wanted = "whole numbers" if name == "counts" else "numbers"
        raise InputError(f"{called}: these are no {wanted}, so they cannot be {name}") from None


def _check_positions(side: list[Labeling], n: int, called: str) -> NDArray[np.int32]:
    codes, values = side[0].codes, side[0].values
    if isinstance(values, list) and all(type(value) is int for value in values):
        codes, values = np.array(values, object)[codes], None
    if len(side) > 1 or values is not None:
        raise InputError(f"{called}: the truth has no ids, so the ids of pairs must be positions in it, whole numbers")
    if len(codes) and not _are_below(codes, n):
        raise InputError(f"{called}: an id is no position in the truth, from 0 to {n - 1:,}; or pass a truth by id")
    return np.ascontiguousarray(codes, np.int32)


def _are_below(codes: NDArray[Any], n: int) -> bool:
    """Return whether codes lie in [0, n); one pass for 32 bits, where negative codes are large unsigned ones."""
    if codes.dtype == np.int32:
        return int(codes.view(np.uint32).max()) < n
    return int(codes.min()) >= 0 and int(codes.max()) < n


def _number(columns: list[list[Labeling]]) -> tuple[NDArray[np.int32], Names]:
    """Number the ids by first appearance, and return the ids; parts are numbered first, then their combinations."""
    numbered = [_number_part(list(part)) for part in zip(*columns, strict=True)]
    if len(numbered) == 1:
        return numbered[0]
    (first, first_names), (second, second_names) = numbered
    numbers, places = encode_integers(first.astype(np.int64) * len(second_names) + second)
    ids = zip(
        (first_names.to_list()[code] for code in first[places].tolist()),
        (second_names.to_list()[code] for code in second[places].tolist()),
        strict=True,
    )
    return numbers.astype(np.int32), Names.of(list(ids))


def _number_part(sides: list[Labeling]) -> tuple[NDArray[np.int32], Names]:
    if all(side.values is None and np.can_cast(side.codes.dtype, np.int64) for side in sides):
        together = np.concatenate([side.codes.astype(np.int64, copy=False) for side in sides])
        numbers, first = encode_integers(together)
        return numbers.astype(np.int32, copy=False), Names(None, together[first])
    as_text = len({_is_text(side) for side in sides if len(side)}) > 1
    merged, arrays = Names(None, np.zeros(0, np.int64)), []
    for side in sides:
        numbers, first = encode_integers(side.codes)
        names = Names(side.values, side.codes[first])
        if as_text:
            names = _as_texts(names)
        merged, places = merge_names(merged, names)
        arrays.append(places[numbers])
    return np.concatenate(arrays).astype(np.int32, copy=False), merged


def _as_texts(names: Names) -> Names:
    """Return ids as texts, as in text files; different ids must not become equal."""
    texts = list(map(str, names.to_list()))
    if len(set(texts)) < len(texts):
        raise InputError(
            "the ids are texts on one side, and on the other some are texts and some are not; use one kind"
        )
    return Names.of(texts)


def _is_text(side: Labeling) -> bool:
    values = side.values
    if isinstance(values, np.ndarray):
        return values.dtype.kind in "UT"
    return values is not None and all(type(value) is str for value in values)


def _refuse_repeats(numbers: NDArray[np.int32], ids: Names) -> None:
    first = encode_integers(numbers)[1]
    if len(first) == len(numbers):
        return
    repeats = np.ones(len(numbers), np.bool_)
    repeats[first] = False
    place = int(repeats.argmax())
    raise InputError(
        f"the ids of the truth must be unique; {len(numbers) - len(first):,} row(s) repeat one, such as "
        f"{ids.to_list()[int(numbers[place])]!r} at position {place}; remove the duplicates"
    )


def _refuse_strangers(numbers: NDArray[np.int32], n: int, ids: Names) -> None:
    """Raise an error if no id matches: whatever the policy for unmatched records, the columns are wrong."""
    if len(numbers) > n and not (numbers[n:] < n).any():
        mine, theirs = ids.to_list()[0], ids.to_list()[int(numbers[n])]
        raise InputError(
            f"no record of the pairs is in the truth, whose ids are such as {mine!r}, and those of the pairs such as "
            f"{theirs!r}; are the columns of the ids the right ones?"
        )
