"""Threshold rules by name: `@rule("youden", ...)` on a function declares one.

A rule is a function of a table and costs that says what each threshold is worth, as a `Criterion`. Any measure of the
catalogue is a rule too, by its name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from rocscope.decisions.boxes import distance, limits
from rocscope.decisions.costs import Costs
from rocscope.decisions.exact import Array, Ratio, Ratios, constant, ratio_along, whole
from rocscope.decisions.operating_points import cells_at
from rocscope.errors import RocscopeError, did_you_mean
from rocscope.measures import Measure
from rocscope.registry import Registry
from rocscope.table import Counts, ScoreTable
from rocscope.table.counts import as_prevalence

Exact = Callable[[Array], "Ratio | list[float] | None"]


@dataclass(frozen=True, slots=True)
class Criterion:
    """What each threshold is worth.

    `approx`: a float for some rows of `t.along()`, larger is better, NaN where undefined. `exact`: the same without
    rounding, or None where that cannot be had. `value`: the number shown for a point, `shown` its words. `most`: an
    upper limit of `approx` over all rows from some to others, where one is known.
    """

    approx: Callable[[Any], Array]
    exact: Exact
    value: Callable[[Counts], float]
    shown: Callable[[float], str]
    note: str = ""
    most: Callable[[Array, Array], Array] | None = None


Function = Callable[[ScoreTable, "Costs | None"], Criterion]


@dataclass(frozen=True, slots=True)
class Rule:
    """One declared rule: its name, its words, whether it asks for costs, its function."""

    name: str
    says: str
    cite: str
    needs_costs: bool
    criterion: Function


_DECLARED = Registry[Rule]("rule")


def rule(name: str, *, says: str, cite: str = "", needs_costs: bool = False) -> Callable[[Function], Function]:
    """Declare the function below as the rule `name`.

    >>> rules()["closest"].says
    'The point nearest to (0, 1), the perfect classifier.'
    """

    def declare(function: Function) -> Function:
        _DECLARED.declare(name, Rule(name, says, cite, needs_costs, function), function=function)
        return function

    return declare


def rules() -> Mapping[str, Rule]:
    """Every declared rule by name, read-only and in the order of declaration."""
    return _DECLARED.catalogue()


# ---- the rules ----


@rule(
    "youden",
    says="The largest sensitivity + specificity - 1: errors in both classes weigh the same.",
    cite="Youden 1950, Cancer 3:32",
)
def _youden(t: ScoreTable, costs: Costs | None) -> Criterion:
    def value(c: Counts) -> float:
        return float(c.value("youden"))

    both_classes(t, "youden")
    return _linear(t, Fraction(1), Fraction(1), value, lambda v: f"Youden's J {v:.4g}")


@rule(
    "closest",
    says="The point nearest to (0, 1), the perfect classifier.",
    cite="Perkins & Schisterman 2006, American Journal of Epidemiology 163:670",
)
def _closest(t: ScoreTable, costs: Costs | None) -> Criterion:
    both_classes(t, "closest")

    def approx(rows: Any) -> Array:
        return nearness(rows, rows)

    def nearness(alarms: Any, misses: Any) -> Array:
        fpr = _floats(t.fp[alarms]) / float(t.negatives)
        fnr = _floats(t.tp[-1] - t.tp[misses]) / float(t.positives)
        return np.asarray(-(fpr * fpr + fnr * fnr))

    def exact(rows: Array) -> Ratio:
        # fpr^2 + fnr^2 over the common denominator (P N)^2
        fp, fn = (Ratio(whole(cell), whole(1)) for cell in (t.fp[rows], t.tp[-1] - t.tp[rows]))
        algebra = Ratios({})
        a, b = (algebra.operate("*", x, _one(n)) for x, n in ((fp, t.positives), (fn, t.negatives)))
        return algebra.negate(algebra.operate("+", algebra.power(a, 2), algebra.power(b, 2)))

    def distance(c: Counts) -> float:
        return math.hypot(c.fp / (c.fp + c.tn), c.fn / (c.tp + c.fn))

    return Criterion(
        approx,
        _if_exact(t, exact),
        distance,
        lambda v: f"distance {v:.4g} from (0, 1)",
        most=nearness if t.exact else None,
    )


@rule(
    "cost",
    says="The least expected cost.",
    cite="Elkan 2001, The foundations of cost-sensitive learning, IJCAI",
    needs_costs=True,
)
def _cost(t: ScoreTable, costs: Costs | None) -> Criterion:
    if costs is None:
        raise RocscopeError("the rule 'cost' needs costs", hint="costs=Costs(fp=1, fn=5), or Costs.from_pt(0.1)")
    return cost_criterion(t, costs)


@rule(
    "likelihood_ratio",
    says="Flag where a score is likelier among positives than among negatives: the slope of the hull passes 1.",
    cite="Metz 1978, Seminars in Nuclear Medicine 8:283",
)
def _likelihood_ratio(t: ScoreTable, costs: Costs | None) -> Criterion:
    return _youden(t, costs)


@rule(
    "map",
    says="Flag what is more likely positive than not (maximum a posteriori): the slope passes negatives / positives.",
    cite="Metz 1978, Seminars in Nuclear Medicine 8:283",
)
def _map(t: ScoreTable, costs: Costs | None) -> Criterion:
    if costs is not None:
        return cost_criterion(t, costs)
    up, down = (Fraction(total) for total in (t.positives, t.negatives))

    def value(c: Counts) -> float:
        return float(c.value("accuracy"))

    return _linear(t, up, down, value, lambda v: f"accuracy {v:.4g}")


def cost_criterion(t: ScoreTable, costs: Costs) -> Criterion:
    """Expected cost as a criterion, at the prevalence of the costs or of the data."""
    if costs.prevalence is None:
        up, down = Fraction(t.positives), Fraction(t.negatives)
    else:
        both_classes(t, "cost at a prevalence")
        up = as_prevalence(costs.prevalence)
        down = 1 - up

    def value(c: Counts) -> float:
        return float(costs.gain(c) if costs.as_gains else costs.expected(c))

    kind = "gain" if costs.as_gains else "cost"
    note = f"Note: {costs.note}." if costs.note else ""
    found = _linear(t, up * costs.of_miss, down * costs.of_alarm, value, lambda v: f"expected {kind} {v:.4g} per case")
    return replace(found, note=note)


def _linear(
    t: ScoreTable, reward: Fraction, price: Fraction, value: Callable[[Counts], float], shown: Callable[[float], str]
) -> Criterion:
    """The criterion reward * tpr - price * fpr: a family of parallel lines in ROC space."""
    # per case instead of per rate; a class that is absent has no cases to count
    a = reward / Fraction(t.positives) if t.positives else Fraction(0)
    b = price / Fraction(t.negatives) if t.negatives else Fraction(0)
    size = math.lcm(a.denominator, b.denominator)
    up, down = int(a * size), int(b * size)
    scale = (up * Fraction(t.positives) + down * Fraction(t.negatives)) or Fraction(1)
    gain, loss = float(up / scale), float(down / scale)

    def approx(rows: Any) -> Array:
        return np.asarray(gain * _floats(t.tp[rows]) - loss * _floats(t.fp[rows]))

    def most(first: Array, last: Array) -> Array:
        hits, alarms = (last if gain > 0 else first), (first if loss > 0 else last)
        return np.asarray(gain * _floats(t.tp[hits]) - loss * _floats(t.fp[alarms]))

    def exact(rows: Array) -> Ratio:
        algebra = Ratios({})
        tp, fp = (Ratio(whole(cell[rows]), whole(1)) for cell in (t.tp, t.fp))
        return algebra.operate("-", algebra.operate("*", tp, _one(up)), algebra.operate("*", fp, _one(down)))

    return Criterion(approx, _if_exact(t, exact), value, shown, most=most if t.exact else None)


def measure_criterion(t: ScoreTable, measure: Measure, name: str) -> Criterion:
    """A measure, shown under the name it was asked by: as large, as small or as near to its best value as can be."""
    best = measure.best
    if best is None:
        raise RocscopeError(
            f"{measure.name} has no best value, so it chooses no threshold", hint="Choose another measure"
        )

    def approx(rows: Any) -> Array:
        values = np.array(measure.value(cells_at(t, rows)), dtype=np.float64)
        if best == measure.high:
            return values
        return -values if best == measure.low else -abs(values - best)

    def exact(rows: Array) -> Ratio | list[float] | None:
        cells = cells_at(t, rows)
        ratio = None if measure.formula is None else ratio_along(measure.formula, cells)
        if ratio is None:
            return _rounded(measure, cells)
        return _towards(ratio, measure)

    def most(first: Array, last: Array) -> Array:
        assert measure.formula is not None
        found = limits(measure.formula, cells_at(t, first), cells_at(t, last))
        if best == measure.high:
            return np.asarray(found.high)
        return np.asarray(-found.low) if best == measure.low else -distance(found, best).low

    def value(c: Counts) -> float:
        return float(c.value(measure.name))

    limited = t.exact and measure.formula is not None
    return Criterion(approx, _if_exact(t, exact), value, lambda v: f"{name} {v:.4g}", most=most if limited else None)


def _towards(ratio: Ratio, measure: Measure) -> Ratio:
    algebra = Ratios({})
    if measure.best == measure.high:
        return ratio
    if measure.best == measure.low:
        return algebra.negate(ratio)
    gap = ratio.minus(constant(Fraction(str(measure.best))))
    return algebra.negate(algebra.call("abs", (gap,)))


MANY = 5_000


def _rounded(measure: Measure, cells: dict[str, Array]) -> list[float] | None:
    """Irrational values row by row, each computed to 36 digits and rounded once; too many rows are left to floats."""
    rows = [dict(zip(cells, row, strict=True)) for row in zip(*(c.tolist() for c in cells.values()), strict=True)]
    if len(rows) > MANY:
        return None
    sign = -1.0 if measure.best == measure.low else 1.0
    values = [measure.value(row) for row in rows]
    if measure.best in (measure.high, measure.low):
        return [sign * one for one in values]
    return [-abs(one - float(measure.best or 0)) for one in values]


def callable_criterion(t: ScoreTable, function: Callable[[Counts], Any]) -> Criterion:
    """A function of counts (arrays along the curve), larger is better."""
    worth = np.array(np.broadcast_to(np.asarray(function(t.along()), dtype=np.float64), len(t) + 1))
    name = getattr(function, "__name__", "value")

    def value(c: Counts) -> float:
        return float(function(c))

    return Criterion(worth.__getitem__, _never, value, lambda v: f"{name} {v:.4g}")


def both_classes(t: ScoreTable, name: str) -> None:
    """Refuse a table of one class only."""
    missing = "positives" if not t.positives else "negatives" if not t.negatives else ""
    if missing:
        raise RocscopeError(f"{name} has no optimum: there are no {missing}")


def find(name: str) -> Rule | None:
    """The declared rule of that name, None for a measure; anything else is refused with the nearest name."""
    from rocscope import measures

    plain = name.strip().lower().replace("-", "_").replace(" ", "_")
    declared = _DECLARED.look_up(plain)
    if declared is not None:
        return declared
    try:
        measures.get(name)
    except RocscopeError:
        hint = did_you_mean(plain, {*_DECLARED.names(), *measures.names()})
        raise RocscopeError(f"no rule or measure '{name}'", hint=hint) from None
    return None


def _never(rows: Array) -> None:
    return None


def _if_exact(t: ScoreTable, exact: Exact) -> Exact:
    return exact if t.exact else _never


def _one(number: int) -> Ratio:
    return Ratio(whole(int(number)), whole(1))


def _floats(cells: Any) -> Any:
    return np.asarray(cells, dtype=np.float64)
