"""The keyword parameters of evaluate() for type checkers: every overload takes them."""

from __future__ import annotations

from typing import Any, TypedDict

from rocscope.decisions import Costs
from rocscope.evaluation.settings import Progress


class EvaluateKeywords(TypedDict, total=False):
    """What `evaluate` takes by name, apart from `predicted` and `labels`, which decide about the kind of result."""

    label: str | None
    positive: Any
    weights: Any
    weights_are: str
    higher_is_positive: bool
    threshold: float | None
    choose: str | None
    choose_on: Any
    cross_fit: int
    clusters: Any
    by: Any
    crossed: bool
    costs: Costs | None
    level: float
    interval: str
    bootstrap: int
    seed: int
    unit: str
    name: str
    missing: str
    tolerance: float | None
    exact: bool
    budget: int | None
    progress: Progress | None
