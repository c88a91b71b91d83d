"""The record of an evaluation: the part without the table that is printed, written as JSON, and read back."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from clustermark.errors import InputError
from clustermark.evaluation.notices import Notice, find_notices
from clustermark.results.data import NOTICES, POINTS, SETTINGS, Column
from clustermark.results.json import SCHEMA, current_version
from clustermark.results.values import label_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clustermark.errors import Mention
    from clustermark.registry import Index
    from clustermark.tables.contingency import Contingency
    from clustermark.uncertainty.interval import Interval


_POLICIES = ("noise_true", "noise_pred", "missing", "unmatched", "weighted")
SUBJECTS = ("partitions", "points", "covers", "trees", "soft")
"""Kinds of subjects that evaluations score."""
_KEYS = {"kind", "schema", "version", "points", "notices", "settings", "subject", "headline", "clusters", "noise"}
_KEYS |= {"verdict", "scores", "refused"}
"""Keys of every evaluation in JSON; other keys are facts."""
_POINTS = ("given", "used", "noise", "dropped", "unmatched")


class Score(NamedTuple):
    """The score of one index, with the facts on the index that are needed to read it."""

    label: str
    """Name of the index with the chosen options."""
    title: str
    value: float
    low: float
    """Lower bound on a table of this kind; `high` is the upper bound."""
    high: float
    higher_is_better: bool | None
    family: str
    options: dict[str, Any]
    interval: Interval | None = None
    """Interval of the score, if requested."""

    @property
    def bounded(self) -> bool:
        """Whether both bounds of the index are finite."""
        return isfinite(self.low) and isfinite(self.high)

    @property
    def name(self) -> str:
        """Name of the index without options."""
        return self.label.partition("(")[0].partition(".")[0]

    @classmethod
    def of(cls, index: Index[...], value: float, subject: Any, interval: Interval | None = None) -> Score:
        """Make the score of a subject by an index."""
        low, high = index.bounds_on(subject)
        facts = index.facts
        return cls(
            index.label,
            facts.title,
            value,
            float(low),
            float(high),
            facts.higher_is_better,
            facts.family,
            index.options,
            interval,
        )


class Record(NamedTuple):
    """The contents of an evaluation, except its verdict, which is computed on request."""

    scores: dict[str, Score]
    points: dict[str, int]
    """Numbers of points that were given, used, noise, dropped and unmatched."""
    clusters: dict[str, int]
    """Number of clusters of each side, points with a cluster of their own included."""
    noise: dict[str, dict[str, int]]
    """Number of points of each side that a noise policy takes out of its clusters, and of clusters that they form."""
    notices: tuple[Notice, ...]
    settings: dict[str, Any]
    refused: dict[str, str]
    version: str
    """Version of clustermark that computed the scores."""
    subject: str = "partitions"
    """Kind of subject that was scored."""
    about: str = ""
    """Description of what was scored, in one line; empty for partitions, where it follows from the counts."""
    facts: Mapping[str, Any] = MappingProxyType({})
    """Facts that only subjects of this kind have."""

    @classmethod
    def of(
        cls,
        table: Contingency,
        scores: Mapping[Index[...], float],
        settings: Mapping[str, Any],
        refused: dict[str, str],
        mention: Callable[[Mention], str] = str,
        intervals: Mapping[str, Interval] = MappingProxyType({}),
    ) -> Record:
        """Make the record of a table and its scores; `mention` spells the options in notices."""
        policies = table.policies
        noise = {"noise_true": dict(policies.noise_true), "noise_pred": dict(policies.noise_pred)}
        how = {**table.settings, **settings, **policies._asdict(), **noise, "weighted": table.weights is not None}
        return cls(
            scores_of(table, scores, intervals),
            {fate: getattr(table, f"n_{fate}") for fate in _POINTS},
            {"true": table.n_true_clusters, "pred": table.n_pred_clusters},
            _noise_of(table),
            find_notices(table, mention),
            how,
            refused,
            current_version(),
        )

    @property
    def has_intervals(self) -> bool:
        """Whether intervals were requested."""
        return any(score.interval is not None for score in self.scores.values())

    def columns(self) -> dict[str, list[Any]]:
        """Return the scores as columns, one row per index; with intervals if they were requested."""
        names = ["index", "title", "score", "low", "high", "higher_is_better", "family"]
        columns = {name: [score[place] for score in self.scores.values()] for place, name in enumerate(names)}
        if self.has_intervals:
            for column, name in (("interval_low", "low"), ("interval_high", "high"), ("standard_error",) * 2):
                columns[column] = [getattr(score.interval, name, None) for score in self.scores.values()]
        return columns

    def provenance(self, score: Score) -> dict[str, Any]:
        """Return how one score was computed."""
        whole = {name: getattr(self, name) for name in ("points", "clusters", "settings", "version")}
        interval = {} if score.interval is None else {"interval": score.interval.to_dict()}
        return {"index": score.name} | _plain(score) | whole | interval

    def signature(self, score: Score) -> str:
        """Return how one score was computed, in one line to cite with it."""
        parts = [score.label, *(f"n_{fate}:{count}" for fate, count in self.points.items())]
        for name in _POLICIES if self.subject == "partitions" else self.settings:
            policy = self.settings[name]
            if isinstance(policy, Mapping):
                policy = ",".join(f"{label_text(label)}={how}" for label, how in policy.items())
            parts += [] if policy in ("", "error", False) else [name] if policy is True else [f"{name}:{policy}"]
        parts += [score.interval.signature] if score.interval is not None else []
        return "|".join([*parts, f"clustermark:{self.version}"])


def count_points(n: int, *, noise: int = 0, dropped: int = 0, unmatched: int = 0) -> dict[str, int]:
    """Return the counts of points, items or leaves, of which n are used."""
    return {"given": n + dropped, "used": n, "noise": noise, "dropped": dropped, "unmatched": unmatched}


def scores_of(
    subject: Any, scores: Mapping[Index[...], float], intervals: Mapping[str, Interval] = MappingProxyType({})
) -> dict[str, Score]:
    """Return the scores of a subject by the names of their indices."""
    return {index.label: Score.of(index, value, subject, intervals.get(index.label)) for index, value in scores.items()}


def _noise_of(table: Contingency) -> dict[str, dict[str, int]]:
    account, policies = table.account, table.policies
    sides = {
        "true": (account.noise_true, policies.noise_true, 0),
        "pred": (account.noise_pred, policies.noise_pred, len(table.unscored)),
    }
    return {
        side: {
            "points": sum(n for label, n in noise.points.items() if policy[label] != "cluster"),
            "clusters": noise.alone + unscored,
        }
        for side, (noise, policy, unscored) in sides.items()
    }


def _plain(score: Score) -> dict[str, Any]:
    """Return the fields of a score except its interval."""
    return {name: value for name, value in score._asdict().items() if name != "interval"}


def read_record(text: str) -> tuple[Record, str, str]:
    """Return the record, the verdict and the next step from the JSON of an evaluation."""
    import json

    try:
        document = json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"text: this is not JSON ({error}); pass what to_json returned") from None
    if not isinstance(document, dict) or document.get("kind") != "evaluation":
        raise InputError(
            'text: this JSON is not an evaluation, which has "kind": "evaluation"; pass what to_json returned, or '
            "what `clustermark score --format json` printed"
        )
    if document.get("schema") != SCHEMA:
        raise InputError(
            f"text: this evaluation has schema {document.get('schema')!r}, and clustermark {current_version()} reads "
            f"schema {SCHEMA}; use the version that wrote it, {document.get('version')!r}"
        )
    try:
        return _record_of(document), str(document["verdict"]), str(document.get("next_step", ""))
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise InputError(
            f"text: this evaluation is damaged ({error!r}); json_schema() says what it must hold"
        ) from None


def _record_of(document: dict[str, Any]) -> Record:
    subject = str(document.get("subject", "partitions"))  # not in the first documents of this schema
    if subject not in SUBJECTS:
        raise ValueError(f"unknown subject {subject!r}")
    for name in _POLICIES if subject == "partitions" else ():
        document["settings"][name]  # raises a KeyError if a policy is missing
    sides = ("true", "pred") if subject == "partitions" else tuple(document["clusters"])
    return Record(
        {name: _score_of(name, entry) for name, entry in document["scores"].items()},
        {fate: int(document["points"][fate]) for fate in _POINTS},
        {side: int(document["clusters"][side]) for side in sides},
        _read_noise(document.get("noise", {}), sides) if subject == "partitions" or "noise" in document else {},
        tuple(Notice(str(notice["kind"]), str(notice["text"])) for notice in document.get("notices", ())),
        dict(document["settings"]),
        {str(name): str(reason) for name, reason in document["refused"].items()},
        str(document["version"]),
        subject,
        "" if subject == "partitions" else str(document["headline"]),
        {name: value for name, value in document.items() if name not in _KEYS},
    )


def _read_noise(noise: dict[str, dict[str, int]], sides: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return the counts of noise, which the first documents of this schema lack."""
    none = {"points": 0, "clusters": 0}
    return {side: {key: int(noise.get(side, none)[key]) for key in none} for side in sides}


def _score_of(name: str, entry: dict[str, Any]) -> Score:
    value, low, high = (float(entry[key]) for key in ("value", "low", "high"))
    better, options = entry["higher_is_better"], dict(entry["options"])
    interval = _interval_of(entry["interval"]) if "interval" in entry else None
    return Score(name, str(entry["title"]), value, low, high, better, str(entry["family"]), options, interval)


def _interval_of(entry: dict[str, Any]) -> Interval:
    from dataclasses import fields

    from clustermark.uncertainty.interval import Interval

    known: dict[str, Any] = {field.name: entry[field.name] for field in fields(Interval) if field.name in entry}
    for name in ("score", "low", "high", "standard_error", "bias", "level"):
        known[name] = None if known[name] is None else float(known[name])
    known["notes"] = tuple(map(str, entry["notes"]))
    return Interval(**known)


TABLE_FACTS: dict[str, Column] = {
    "points": POINTS,
    "clusters": Column("any"),
    "noise": Column("any"),
    "notices": NOTICES,
    "settings": SETTINGS,
}


def table_facts(record: Record) -> dict[str, Any]:
    """Return the values of `TABLE_FACTS`."""
    return {
        "points": record.points,
        "clusters": record.clusters,
        "noise": record.noise,
        "notices": [notice._asdict() for notice in record.notices],
        "settings": record.settings,
    }
