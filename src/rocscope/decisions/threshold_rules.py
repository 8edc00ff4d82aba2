"""Threshold rules by name: `@rule("youden", ...)` declares a function of the four counts as a rule.

Larger is better. Any measure of the catalog is a rule too, by its name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Literal

from rocscope import measures
from rocscope.decisions.costs import Costs, checked_costs
from rocscope.decisions.criterion_of_counts import Criterion, criterion_of, measure_criterion
from rocscope.errors import RocscopeError, did_you_mean
from rocscope.record import record
from rocscope.registry import Registry

Worth = Callable[[Any, "Costs | None"], Any]
"""The value of a threshold, larger being better, from its Counts (arrays along a curve) and the costs, if any."""
Shown = Callable[[float, "Costs | None"], tuple[float, str]]
"""The number that is shown for a point with that value, and its text."""


@record(slots=True)
class ThresholdRule:
    """A declared rule: its name, description, source, use of costs, and function."""

    name: str
    says: str
    cite: str
    costs: Literal["refused", "optional", "needed"]
    function: Worth
    shown: Shown

    @property
    def needs_costs(self) -> bool:
        """Whether the rule requires costs."""
        return self.costs == "needed"

    def criterion(self, costs: Costs | None = None) -> Criterion:
        """The value of each threshold at these costs."""
        if self.needs_costs and costs is None:
            raise RocscopeError(
                f"the rule '{self.name}' needs costs", hint="costs=Costs(fp=1, fn=5), or Costs.from_pt(0.1)"
            )
        if self.costs == "refused" and costs is not None:
            raise RocscopeError(f"{self.name} does not use costs", hint='Use the rule "cost"')
        note = f"Note: {costs.note}." if costs is not None and costs.note else ""
        return criterion_of(lambda c: self.function(c, costs), lambda worth: self.shown(worth, costs), note=note)


_DECLARED = Registry[ThresholdRule]("rule")


def rule(
    name: str,
    *,
    says: str,
    cite: str = "",
    costs: Literal["refused", "optional", "needed"] = "refused",
    shown: Shown | None = None,
) -> Callable[[Worth], Worth]:
    """Declare the function below as the rule `name`: the value of a threshold, given its counts and the costs.

    `shown` turns the value of a point into the number and the text that are shown; by default, the value itself is
    shown under the name.

    >>> rules()["closest"].says
    'The point nearest to (0, 1), the perfect classifier.'
    """

    def declare(function: Worth) -> Worth:
        words = shown or (lambda worth, costs: (worth, f"{name} {worth:.4g}"))
        _DECLARED.declare(name, ThresholdRule(name, says, cite, costs, function, words), function=function)
        return function

    return declare


def rules() -> Mapping[str, ThresholdRule]:
    """All declared rules by name, read-only and in the order of declaration."""
    return _DECLARED.catalog()


def needs_costs(name: str) -> bool:
    """Whether the rule with this name requires costs."""
    declared = _DECLARED.look_up(name)
    return declared is not None and declared.needs_costs


def criterion(name: str, costs: Costs | None = None) -> tuple[str, Criterion]:
    """The value of each threshold under a rule or a measure, and its name; for an unknown name, the error suggests the
    nearest.
    """
    checked_costs(costs)
    declared = _DECLARED.look_up(name)
    if declared is not None:
        return declared.name, declared.criterion(costs)
    try:
        measure = measures.get(name)
    except RocscopeError:
        hint = did_you_mean(name, {*_DECLARED.names(), *measures.names()})
        raise RocscopeError(f"there is no rule or measure '{name}'", hint=hint) from None
    if costs is not None:
        raise RocscopeError(f"{name} does not use costs", hint='Use the rule "cost"')
    return name, measure_criterion(measure, name)


# ---- threshold rules ----


def _youden_shown(worth: float, costs: Costs | None) -> tuple[float, str]:
    return worth, f"Youden's J {worth:.4g}"


@rule(
    "youden",
    says="The largest sensitivity + specificity - 1: error rates in both classes count equally.",
    cite="Youden 1950, Cancer 3:32",
    shown=_youden_shown,
)
def _youden(c: Any, costs: Costs | None) -> Any:
    return c.tp / (c.tp + c.fn) - c.fp / (c.fp + c.tn)


def _closest_shown(worth: float, costs: Costs | None) -> tuple[float, str]:
    distance = math.sqrt(-worth)
    return distance, f"distance {distance:.4g} from (0, 1)"


@rule(
    "closest",
    says="The point nearest to (0, 1), the perfect classifier.",
    cite="Perkins & Schisterman 2006, American Journal of Epidemiology 163:670",
    shown=_closest_shown,
)
def _closest(c: Any, costs: Costs | None) -> Any:
    return -((c.fp / (c.fp + c.tn)) ** 2) - (c.fn / (c.tp + c.fn)) ** 2


def _cost_shown(worth: float, costs: Costs | None) -> tuple[float, str]:
    if costs is not None and costs.as_gains:
        return worth, f"expected gain {worth:.4g} per case"
    return 0.0 - worth, f"expected cost {0.0 - worth:.4g} per case"


@rule(
    "cost",
    says="The lowest expected cost.",
    cite="Elkan 2001, The foundations of cost-sensitive learning, IJCAI",
    costs="needed",
    shown=_cost_shown,
)
def _cost(c: Any, costs: Costs | None) -> Any:
    assert costs is not None
    return -costs.per_case(c.tp, c.fp, c.fn, c.tn)


@rule(
    "likelihood_ratio",
    says="Flag scores that are more likely among positives than among negatives: the slope of the hull passes 1.",
    cite="Metz 1978, Seminars in Nuclear Medicine 8:283",
    shown=_youden_shown,
)
def _likelihood_ratio(c: Any, costs: Costs | None) -> Any:
    return _youden(c, costs)


def _map_shown(worth: float, costs: Costs | None) -> tuple[float, str]:
    return (worth, f"accuracy {worth:.4g}") if costs is None else _cost_shown(worth, costs)


@rule(
    "map",
    says="Flag cases more likely positive than not (maximum a posteriori): the slope passes negatives / positives.",
    cite="Metz 1978, Seminars in Nuclear Medicine 8:283",
    costs="optional",
    shown=_map_shown,
)
def _map(c: Any, costs: Costs | None) -> Any:
    return (c.tp + c.tn) / (c.tp + c.fp + c.fn + c.tn) if costs is None else _cost(c, costs)
