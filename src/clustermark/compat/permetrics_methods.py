"""Methods with permetrics' names of scores, made from the registry; the stub beside this file has their types."""

from __future__ import annotations

from abc import ABC, abstractmethod
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

from clustermark.registry import Index, catalogue, with_chosen_options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clustermark.labels.conversion import Labels

BY_HAND = ("ksq_detw", "dunn", "silhouette", "dbcv")
"""Indices whose methods do more than compute a score; they are in `PermetricsInternal`."""


class PermetricsMethods(ABC):
    """One method for each abbreviation and long name; `_score` and `_score_points` compute them."""

    @abstractmethod
    def _score(
        self,
        name: str,
        labels: tuple[Labels | None, Labels | None],
        force_finite: bool | None,
        finite_value: float | None,
        **options: Any,
    ) -> float: ...

    @abstractmethod
    def _score_points(
        self,
        name: str,
        X: Any,
        y_pred: Labels | None,
        force_finite: bool | None,
        finite_value: float | None,
        score: str,
        **options: Any,
    ) -> float: ...


def list_methods() -> Iterator[tuple[list[str], Index[...], dict[str, Any], Parameter | None]]:
    """Yield, for each method, its names, its index, the options that permetrics chooses, and the one that it offers."""
    for index in (*catalogue(), *catalogue("points")):
        if index.name in BY_HAND or "permetrics" not in index.peers:
            continue
        named = [with_chosen_options(text) for text in index.peers["permetrics"]]
        chosen = named[0][1]
        offered = [
            option
            for option in index.__signature__.parameters.values()
            if option.kind is Parameter.KEYWORD_ONLY and option.name not in chosen and option.default is not None
        ]
        takes_points = index.comparison.name == "points"
        yield [name for name, _ in named], index, chosen, offered[0] if offered and not takes_points else None


def _of_labels(index: str, chosen: dict[str, Any]) -> Callable[..., float]:
    def score(
        self: PermetricsMethods,
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        return self._score(index, (y_true, y_pred), force_finite, finite_value, **chosen)

    return score


def _with_option(index: str, offered: Parameter) -> Callable[..., float]:
    def score(
        self: PermetricsMethods,
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
        option: Any = offered.default,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **named: Any,
    ) -> float:
        options = {offered.name: named.get(offered.name, option)}
        return self._score(index, (y_true, y_pred), force_finite, finite_value, **options)

    shown = signature(score)
    parameters = [one.replace(name=offered.name) if one.name == "option" else one for one in shown.parameters.values()]
    score.__signature__ = shown.replace(parameters=parameters)  # type: ignore[attr-defined]
    return score


def _of_points(index: str, name: str, chosen: dict[str, Any]) -> Callable[..., float]:
    def score(
        self: PermetricsMethods,
        X: Any = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        return self._score_points(index, X, y_pred, force_finite, finite_value, name, **chosen)

    return score


def _add_methods() -> None:
    for names, index, chosen, offered in list_methods():
        if index.comparison.name == "points":
            method = _of_points(index.name, names[0], chosen)
        else:
            method = _with_option(index.name, offered) if offered else _of_labels(index.name, chosen)
        method.__name__, method.__qualname__ = names[0], f"PermetricsMethods.{names[0]}"
        method.__doc__ = index.summary
        for name in names:
            setattr(PermetricsMethods, name, method)


_add_methods()
