"""Costs of the outcomes, and what follows from them: a slope, an expected cost, a threshold on probabilities."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from rocscope.decisions.cost_matrix import CostMatrix
from rocscope.errors import RocscopeError
from rocscope.numbers import decimal
from rocscope.record import record
from rocscope.table import Counts, as_prevalence

OUTCOMES = ("fp", "fn", "tp", "tn")
LARGEST_COST = 10**60  # its square is still representable as a float


@record(repr=False)
class Costs:
    """The costs of a false positive, a false negative, a true positive and a true negative, per case.

    Only ratios matter for the choice of a threshold; you choose the unit. `prevalence` is the share of positives where
    the classifier will be used, if it differs from the share in the data. Floats are taken as the decimal numbers that
    they print as. Give benefits with `Costs.gains`. Elkan 2001, The foundations of cost-sensitive learning, IJCAI.

    >>> costs = Costs(fp=1, fn=5)
    >>> costs.threshold_probability, costs.slope(positives=10, negatives=20)
    (0.16666666666666666, Fraction(2, 5))
    >>> costs.expected(Counts(tp=7, fp=7, fn=3, tn=13), per=1000)
    733.3333333333334
    """

    fp: Any
    fn: Any
    tp: Any = 0
    tn: Any = 0
    prevalence: float | None = None
    as_gains: bool = False

    def __post_init__(self) -> None:
        for name in OUTCOMES:
            cost = decimal(getattr(self, name), f"cost {name}")
            if abs(cost) > LARGEST_COST:
                raise RocscopeError(
                    f"cost {name} is larger than 1e60",
                    hint="Divide all costs by the same number; only their ratios matter",
                )
            if cost < 0 and not self.as_gains:
                raise RocscopeError(
                    f"cost {name} must be 0 or more, not {getattr(self, name)}",
                    hint="Give the gain of each outcome with Costs.gains(tp=..., fp=..., fn=..., tn=...)",
                )
        if self.prevalence is not None:
            as_prevalence(self.prevalence)
        for wrong, right in (("fp", "tn"), ("fn", "tp")):
            if self._exact(wrong) < self._exact(right):
                raise RocscopeError(
                    f"an error ({wrong}) must not cost less than a correct decision ({right})",
                    hint="Check the order of the numbers; use Costs.gains for gains",
                )

    @classmethod
    def gains(cls, *, tp: Any = 0, fp: Any = 0, fn: Any = 0, tn: Any = 0, prevalence: float | None = None) -> Costs:
        """The costs that correspond to a matrix of gains (with losses negative); `gain` returns the profit.

        >>> Costs.gains(tp=100, fp=-5).gain(Counts(tp=7, fp=7, fn=3, tn=13), per=30)
        665.0
        """
        gained = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
        costs = {name: -decimal(value, f"gain {name}") for name, value in gained.items()}
        return cls(**costs, prevalence=prevalence, as_gains=True)

    @classmethod
    def from_pt(cls, pt: Any, *, prevalence: float | None = None) -> Costs:
        """The costs of a user who acts when the probability is at least pt: a miss costs (1 - pt) / pt false alarms.

        The unit is one false alarm, as with fp=1. Vickers & Elkin 2006, Medical Decision Making 26:565.

        >>> Costs.from_pt(0.1).slope(positives=1, negatives=1)
        Fraction(1, 9)
        >>> Costs.from_pt(0.1) == Costs(fp=1, fn=9)
        True
        """
        share = decimal(pt, "pt")
        if not 0 < share < 1:
            raise RocscopeError(f"pt must be strictly between 0 and 1, not {pt}")
        return cls(fp=1, fn=(1 - share) / share, prevalence=prevalence)

    @staticmethod
    def matrix(costs: Any, *, labels: Sequence[Any] | None = None, reject: float | None = None) -> CostMatrix:
        """The costs of decisions among several classes: `costs[i][j]` is the cost of predicting j when i is true.

        `labels` name the classes; `reject` is the cost of leaving a case undecided, if that is possible.

        >>> Costs.matrix({"flu": {"cold": 5}, "cold": {"flu": 1}}).cells
        ((0.0, 5.0), (1.0, 0.0))
        """
        return CostMatrix.of(costs, labels, reject)

    @cached_property
    def _fractions(self) -> dict[str, Fraction]:
        return {name: decimal(getattr(self, name), name) for name in OUTCOMES}

    def _exact(self, name: str) -> Fraction:
        return self._fractions[name]

    @cached_property
    def of_alarm(self) -> Fraction:
        """The extra cost of flagging a negative: C_FP - C_TN."""
        return self._exact("fp") - self._exact("tn")

    @cached_property
    def of_miss(self) -> Fraction:
        """The extra cost of missing a positive: C_FN - C_TP."""
        return self._exact("fn") - self._exact("tp")

    @property
    def note(self) -> str:
        """Why the costs do not determine a threshold; '' if they do."""
        return "" if self.of_alarm or self.of_miss else "all costs are equal, so every threshold is optimal"

    def slope(self, positives: Any = None, negatives: Any = None, *, prevalence: Any = None) -> Fraction | float:
        """The slope of lines of equal cost in ROC space: c = (C_FP - C_TN) / (C_FN - C_TP) * negatives / positives.

        The ratio of negatives to positives comes from the prevalence given here or, if there is none, from the
        prevalence of the costs or from the totals. The slope is infinite if a miss costs nothing, and NaN if nothing
        has a cost.
        """
        down, up = self._classes(positives, negatives, prevalence)
        if not self.of_miss:
            return math.inf if self.of_alarm else math.nan
        return self.of_alarm / self.of_miss * down / up

    def _classes(self, positives: Any, negatives: Any, prevalence: Any) -> tuple[Fraction, Fraction]:
        """Weights of negatives and positives."""
        known = self.prevalence if prevalence is None else prevalence
        if known is not None:
            share = as_prevalence(known)
            return 1 - share, share
        if positives is None or negatives is None:
            raise RocscopeError("the ratio of negatives to positives is unknown", hint="Give prevalence=...")
        up, down = decimal(positives, "positives"), decimal(negatives, "negatives")
        if up <= 0 or down < 0:
            raise RocscopeError(f"the ratio of negatives to positives is undefined for {positives} positives and "
                                f"{negatives} negatives")
        return down, up

    @property
    def threshold_probability(self) -> float:
        """The probability at which both decisions cost the same: (C_FP - C_TN) / (C_FP - C_TN + C_FN - C_TP)."""
        both = self.of_alarm + self.of_miss
        return float(self.of_alarm / both) if both else math.nan

    def expected(self, counts: Counts, *, per: int = 1) -> Any:
        """The expected cost per case, or per 1,000 with per=1000: a number at a point, an array along a curve.

        With a prevalence, the rates of the counts are weighted by it. NaN if there are no cases or, with a prevalence,
        if a class has none.
        """
        cells = counts.cells.values()
        if all(isinstance(cell, int | Fraction) for cell in cells):
            try:
                return float(self.per_case(*map(Fraction, cells)) * per)
            except ZeroDivisionError:
                return math.nan
        value = self.per_case(*(np.asarray(cell, dtype=np.float64) for cell in cells), number=float) * per
        return value if value.ndim else float(value)

    def gain(self, counts: Counts, *, per: int = 1) -> Any:
        """The expected gain per case (or per `per` cases), which is minus the cost."""
        return 0.0 - self.expected(counts, per=per)

    def per_case(self, tp: Any, fp: Any, fn: Any, tn: Any, *, number: Callable[[Fraction], Any] = Fraction) -> Any:
        """The expected cost per case from four cells: fractions, symbols or, with number=float, arrays of any shape."""
        up, down = tp + fn, fp + tn
        # the extra cost of its errors, plus what the class costs if every decision is correct
        positive, negative = (
            number(more) * errors + number(right) * total if right else number(more) * errors
            for right, more, errors, total in (
                (self._exact("tp"), self.of_miss, fn, up), (self._exact("tn"), self.of_alarm, fp, down),
            )
        )  # fmt: skip
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.prevalence is None:
                return (positive + negative) / (up + down)
            share = as_prevalence(self.prevalence)
            return number(share) * positive / up + number(1 - share) * negative / down

    def __repr__(self) -> str:
        sign = -1 if self.as_gains else 1
        names = ("tp", "fp", "fn", "tn") if self.as_gains else OUTCOMES
        shown = [f"{name}={_shown(sign * self._exact(name))}" for name in names if self._exact(name) or name[0] == "f"]
        if self.prevalence is not None:
            shown.append(f"prevalence={self.prevalence}")
        return f"Costs{'.gains' if self.as_gains else ''}({', '.join(shown)})"


def checked_costs(costs: Any) -> Costs | None:
    """The costs unchanged; anything else, such as a dict, raises an error that shows how to write them.

    >>> checked_costs({"fp": 1, "fn": 5})
    Traceback (most recent call last):
    rocscope.errors.RocscopeError: costs must be a Costs object, not a dict. Write costs=Costs(fp=1, fn=5)
    """
    if costs is None or isinstance(costs, Costs):
        return costs
    plain = isinstance(costs, Mapping) and costs and set(costs) <= {*OUTCOMES, "prevalence"}
    written = ", ".join(f"{name}={value!r}" for name, value in costs.items()) if plain else "fp=1, fn=5"
    raise RocscopeError(
        f"costs must be a Costs object, not a {type(costs).__name__}", hint=f"Write costs=Costs({written})"
    )


def _shown(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else f"{float(value):g}"
