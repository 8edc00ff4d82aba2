"""The keyword parameters of evaluate() and compare() for type checkers: every overload takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from rocscope.decisions import CostMatrix, Costs
from rocscope.evaluation.settings import Progress


class CommonKeywords(TypedDict, total=False):
    """Keyword arguments of both `evaluate` and `compare`, except those that determine the kind of result."""

    label: str | Sequence[str] | None
    id: str | None
    positive: Any
    weights: Any
    weights_are: str
    threshold: float | Mapping[Any, float] | None
    choose: str | None
    cross_fit: int
    clusters: Any
    by: Any
    crossed: bool
    costs: Costs | CostMatrix | None
    level: float
    interval: str
    bootstrap: int
    seed: int
    unit: str
    missing: str
    infinite: str
    tolerance: float | None
    exact: bool
    budget: int | None
    progress: Progress | None


class EvaluateKeywords(CommonKeywords, total=False):
    """Additional keyword arguments of `evaluate`."""

    higher_is_positive: bool
    choose_on: Any
    cost_column: Any
    refer: Any
    name: str


class CompareKeywords(CommonKeywords, total=False):
    """Additional keyword arguments of `compare`."""

    score: Any
    higher_is_positive: bool | Mapping[str, bool]
    choose_on: Any
    test: str | None
    measure: str | None
    margin: float | None
