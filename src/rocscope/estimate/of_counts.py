"""Any measure of the four cells, with an interval that stays inside its range."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, Protocol

import numpy as np

from rocscope.errors import RocscopeError
from rocscope.estimate.combined_proportions import mover
from rocscope.estimate.delta import Target, on_scale
from rocscope.estimate.estimate import Estimate, undefined
from rocscope.estimate.interval_methods import find, methods
from rocscope.estimate.proportions import proportion
from rocscope.estimate.ratios import likelihood_ratio, odds_ratio, predictive_value
from rocscope.formula import CELLS
from rocscope.measures import Measure
from rocscope.numbers import checked_level, checked_share, fraction, log, prevalence_factors
from rocscope.record import record

POSITIVES, NEGATIVES = frozenset({"tp", "fn"}), frozenset({"fp", "tn"})
Cells = Mapping[str, Any]


class Weighed(Protocol):
    """Counts or a matrix, with what intervals use: the cells, and the sums of squared weights in each (or None)."""

    @property
    def cells(self) -> Any:
        """The four cells by name, or a k x k matrix with the actual classes in rows."""

    @property
    def squares(self) -> Any:
        """The sums of squared sampling weights."""


def of(
    measure: Measure,
    counts: Weighed,
    *,
    level: float = 0.95,
    method: str | None = None,
    prevalence: float | None = None,
    seed: int = 0,
) -> Estimate:
    """A measure of four cells with an interval that lies in its range and contains its value.

    Shares of cases use Wilson's interval or the named one; F1 uses that of TP/(TP + FP + FN), mapped by 2J/(1 + J);
    likelihood ratios and the odds ratio use the log scale; balanced accuracy, Youden's J, markedness and the G-mean
    combine the Wilson limits of their two rates (`mover`); every other measure uses the delta method on the scale of
    its range ("delta"), or draws from the posterior ("jeffreys"). Cases with sampling weights count as their effective
    number, (Σw)²/Σw². With a `prevalence`, the rates within each class are applied at that prevalence. Reference: Lam,
    Gopal & Qian 2023, arXiv:2309.14621 (F1); Agresti, Categorical Data Analysis, 3rd edition 2013 (delta method).

    >>> from rocscope import Counts, measures
    >>> c = Counts(tp=7, fp=7, fn=3, tn=13)
    >>> print(of(measures.get("f1"), c), of(measures.get("mcc"), c))
    0.58 [0.36, 0.78] 0.33 [−0.03, 0.62]
    >>> print(of(measures.get("precision"), c, prevalence=0.02))
    0.039 [0.019, 0.078]
    """
    cells = counts.cells
    if any(isinstance(cell, np.ndarray) for cell in cells.values()):
        raise RocscopeError("an estimate requires four single numbers, not arrays", hint="Choose one point: counts[i]")
    inquiry = Inquiry(measure, cells, squares_of(counts), checked_level(level), method, seed)
    if missing := measure.unknown(cells):
        return undefined(missing, level=level)
    if prevalence is not None and _mixes_classes(measure):
        return _at_prevalence(inquiry, checked_share("prevalence", prevalence, hint="2 % is 0.02"))
    if method is None and measure.name in RATIOS and counts.squares is None:
        estimate = RATIOS[measure.name](*_four(cells).values(), level=level)
        why = measure.why(cells) if math.isnan(estimate.value) else ""
        return replace(estimate, why=why) if why else estimate  # prefer the measure's own reason for being undefined
    shares = _shares(measure)
    if reason := measure.why(cells):
        return inquiry.undefined(reason, method="wilson" if shares else "")
    if shares and method != "delta":
        return _share(inquiry, *shares)
    if measure.name in PAIRS and (method is None or method in methods("proportion")):
        return _of_two_rates(inquiry)
    if measure.name == "lift" and (method is None or method in methods("proportion")):
        return _lift(inquiry)
    return inquiry.limits(_target(inquiry))


@record(slots=True)
class Inquiry:
    """A measure asked of cells, four by name or a matrix, with the sums of squared weights in each; and how."""

    measure: Measure
    cells: Any
    squares: Any
    level: float
    method: str | None
    seed: int = 0
    weighted: bool = True  # if not, the squares are the cells

    def undefined(self, why: str, *, method: str = "") -> Estimate:
        """An estimate without a value, with the reason."""
        return undefined(why, level=self.level, method=self.method or method)

    def limits(self, target: Target) -> Estimate:
        """The limits of a measure that is not a simple share, by the requested or the default method (delta)."""
        name, known = self.method or "delta", methods("measure")
        if name not in known and name in methods("proportion"):
            raise RocscopeError(
                f"'{name}' is an interval for a proportion, but {self.measure.name} is not a proportion",
                hint=f"Use one of {', '.join(known)}, or leave the method out",
            )
        estimate: Estimate = find(name, fits="measure").limits(target, level=self.level, seed=self.seed)
        return estimate

    def share(self, part: float, whole: float, squares: float, *, of_part: float | None = None) -> Estimate:
        """The share part/whole, its cases counting as their effective number; `squares` are the squared weights of all.

        whole²/squares (Kish), or p(1 - p)/v where that is less, v = [S(1 - p)² + (squares - S)p²]/whole² the linearized
        variance, S = `of_part` the squared weights of the part: weights that go with the outcome, as where few cases
        with low scores were drawn, leave fewer cases than Kish counts. A weight of 1 per case makes both the whole
        itself. Reference: Kish, Survey Sampling 1965; Korn & Graubard, Surv Methodol 1998;24:193-201.
        """
        effective = whole if squares == whole or not squares else whole * whole / squares
        if of_part is not None and effective != whole and 0 < part < whole:
            p = part / whole
            variance = of_part * (1 - p) ** 2 + (squares - of_part) * p**2
            effective = min(effective, p * (1 - p) * whole * whole / variance)
        scale = effective / whole if whole else 1.0
        return proportion(part * scale, effective, method=self.method or "wilson", level=self.level)

    def share_of(self, part: Collection[str], whole: Collection[str]) -> Estimate:
        """The share of cells, by name, among others."""
        sums, squares = (_sum(self.cells, part), _sum(self.cells, whole)), _sum(self.squares, whole)
        return self.share(*sums, squares, of_part=_sum(self.squares, part))

    def around(self, estimate: Estimate, value: float) -> Estimate:
        """The estimate with the measure's own value, rounded once, inside its limits."""
        return replace(estimate, value=value, low=min(estimate.low, value), high=max(estimate.high, value))


RATIOS: dict[str, Callable[..., Estimate]] = {
    "lr_plus": likelihood_ratio,
    "lr_minus": partial(likelihood_ratio, kind="negative"),
    "diagnostic_odds_ratio": odds_ratio,
}


# differences and sums of two independent rates: the cells of each rate (numerator first) and its factor
PAIRS: dict[str, tuple[tuple[tuple[str, str], float], tuple[tuple[str, str], float]]] = {
    "balanced_accuracy": ((("tp", "fn"), 0.5), (("tn", "fp"), 0.5)),
    "youden": ((("tp", "fn"), 1.0), (("fp", "tn"), -1.0)),
    "markedness": ((("tp", "fp"), 1.0), (("fn", "tn"), -1.0)),
    "gmean": ((("tp", "fn"), 0.5), (("tn", "fp"), 0.5)),
}


def _of_two_rates(inquiry: Inquiry) -> Estimate:
    """A sum of two rates from the limits of each; the G-mean, a product, on the log scale.

    Where a rate is 0 the G-mean is 0, with limits from 0 to the root of the product of the upper limits.
    """
    measure = inquiry.measure
    rates = [inquiry.share_of(names[:1], names) for names, _ in PAIRS[measure.name]]
    if measure.name != "gmean":
        low, high = mover(rates, [factor for _, factor in PAIRS[measure.name]])
    elif min(rate.value for rate in rates) == 0:
        low, high = 0.0, math.sqrt(rates[0].high * rates[1].high)
    else:
        logs = [Estimate(log(rate.value), log(rate.low), log(rate.high)) for rate in rates]
        low, high = (math.exp(limit) for limit in mover(logs, (0.5, 0.5)))
    limits, se = (max(measure.low, low), min(measure.high, high)), _target(inquiry).se()
    method, why = f"{rates[0].method}, mover", rates[0].why
    estimate = Estimate(math.nan, *limits, inquiry.level, method, why, se=se if se > 0 else None)
    return inquiry.around(estimate, float(measure.value(inquiry.cells)))


def _lift(inquiry: Inquiry) -> Estimate:
    """Precision over prevalence from the limits of both, on the log scale; the flagged cases are in both.

    Their correlation is sqrt(share flagged) times the ratio of the standard deviations of one case. Where nothing
    flagged is positive, the lift is 0, with limits from 0 to the largest precision over the least prevalence.
    """
    cells = {name: _number(cell) for name, cell in inquiry.cells.items()}
    flagged, total = cells["tp"] + cells["fp"], sum(cells.values())
    precision, prevalence = inquiry.share_of(("tp",), ("tp", "fp")), inquiry.share_of(("tp", "fn"), CELLS)
    if precision.value == 0:
        low, high = 0.0, precision.high / prevalence.low
    else:
        spreads = [rate.value * (1 - rate.value) for rate in (precision, prevalence)]
        related = math.sqrt(flagged / total * spreads[0] / spreads[1]) if spreads[1] > 0 else 0.0
        logs = [Estimate(log(rate.value), log(rate.low), log(rate.high)) for rate in (precision, prevalence)]
        low, high = (math.exp(limit) for limit in mover(logs, (1, -1), correlation=min(1.0, related)))
    se = _target(inquiry).se()
    estimate = Estimate(math.nan, low, high, inquiry.level, f"{precision.method}, mover", precision.why, se=se or None)
    return inquiry.around(estimate, float(inquiry.measure.value(inquiry.cells)))


def squares_of(counts: Weighed) -> dict[str, float]:
    """The squared weights of each cell, which are the cells themselves when each unit is a case; 0 if unknown."""
    squares = counts.squares or tuple(counts.cells.values())
    return {name: _number(square) for name, square in zip(CELLS, squares, strict=True)}


def _shares(measure: Measure) -> tuple[Collection[str], Collection[str]] | None:
    """The cells counted and those they are counted among, of a share of cases; of F1 those of J = TP/(TP + FP + FN)."""
    if measure.name == "f1":
        return ("tp",), ("tp", "fp", "fn")
    return None if measure.formula is None else measure.formula.proportion


def _share(inquiry: Inquiry, part: Collection[str], whole: Collection[str]) -> Estimate:
    """The confidence interval for a share of cases; that for J is mapped to F1 = 2J/(1 + J)."""
    estimate = inquiry.share_of(part, whole)
    if inquiry.measure.name == "f1":
        low, high = (2 * x / (1 + x) for x in (estimate.low, estimate.high))
        spread = None if estimate.se is None else estimate.se * (2 / (1 + estimate.value) ** 2)
        estimate = replace(estimate, low=low, high=high, se=spread, method=f"{estimate.method}, indirect")
    return inquiry.around(estimate, float(inquiry.measure.value(inquiry.cells)))


def _target(inquiry: Inquiry) -> Target:
    """The measure as a function of four numbers; an unknown cell that it does not need counts as 0."""
    measure = inquiry.measure

    def named(four: Any) -> dict[str, float]:
        return {name: float(cell) for name, cell in zip(CELLS, four, strict=True)}

    def slopes(four: Any) -> Any:
        with np.errstate(all="ignore"):
            return np.array(measure.gradient(named(four)), dtype=np.float64)

    def batch(tables: Any) -> Any:
        return np.asarray(measure.value(dict(zip(CELLS, tables.T, strict=True))))

    numbers, spread = (np.array(list(_four(cells).values())) for cells in (inquiry.cells, inquiry.squares))
    return Target(
        float(measure.value(inquiry.cells)), numbers, spread, measure.low, measure.high,
        lambda four: float(measure.value(named(four))), slopes, batch,
    )  # fmt: skip


# ---- at a given prevalence ----


def _mixes_classes(measure: Measure) -> bool:
    """Whether the measure depends on the prevalence: a rate within one class does not, nor do two of them combined."""
    if measure.name in ("balanced_accuracy", "youden", "gmean"):
        return False
    shares = None if measure.formula is None else measure.formula.proportion
    return shares is None or not (shares[1] <= POSITIVES or shares[1] <= NEGATIVES)


def _at_prevalence(inquiry: Inquiry, prevalence: float) -> Estimate:
    """The measure where positives have the given prevalence: the two rates vary, the prevalence is known."""
    name, method, level = inquiry.measure.name, inquiry.method, inquiry.level
    if method not in (None, "delta"):
        raise RocscopeError(f"there is no interval '{method}' for {name} at a given prevalence", hint="Leave it out")
    if any(inquiry.cells[cell] is None for cell in CELLS):
        return undefined("changing the prevalence requires all four cells", level=level)
    four = _effective(_four(inquiry.cells), inquiry.squares)
    if method is None and name in PREDICTIVE:
        return predictive_value(**four, prevalence=prevalence, kind=PREDICTIVE[name], level=level)
    if not four["tp"] + four["fn"] or not four["fp"] + four["tn"]:
        return undefined("changing the prevalence requires cases of both classes", level=level)
    return _by_class(inquiry.measure, inquiry.cells, four, prevalence, level)


PREDICTIVE = {"precision": "positive", "negative_predictive_value": "negative"}


def _effective(four: dict[str, float], squares: dict[str, float]) -> dict[str, float]:
    """The cells scaled to the effective number of cases of each class."""
    scaled: dict[str, float] = {}
    for names in (POSITIVES, NEGATIVES):
        total, squared = _sum(four, names), _sum(squares, names)
        scaled |= {name: four[name] * (total / squared if squared else 1.0) for name in names}
    return {name: scaled[name] for name in CELLS}


def _by_class(measure: Measure, cells: Cells, four: dict[str, float], prevalence: float, level: float) -> Estimate:
    """Delta method over the two rates: Var = f_t² t(1 - t)/P + f_u² u(1 - u)/N."""
    value = float(measure.value(_carried(cells, fraction(prevalence))))
    if math.isnan(value):
        return undefined(measure.why(_carried(cells, fraction(prevalence))), level=level)
    centre, se = _rates_spread(measure, four, prevalence)
    at_end = any(math.isclose(value, end, abs_tol=1e-12) for end in measure.range if math.isfinite(end))
    if at_end or not se > 0:
        centre, se = _rates_spread(measure, {name: cell + 0.5 for name, cell in four.items()}, prevalence)
    method = "delta, rates by class"
    if not se > 0:
        return Estimate(value, level=level, method=method, why="the measure does not depend on the two rates")
    low, high = on_scale(centre, se, measure.low, measure.high, level, reach=value)
    why = "" if low == low else "no limits: the measure is undefined for nearby tables"
    return Estimate(value, low, high, level, method, why, se=se)


def _rates_spread(measure: Measure, four: dict[str, float], prevalence: float) -> tuple[float, float]:
    positives, negatives = four["tp"] + four["fn"], four["fp"] + four["tn"]
    total, hit, alarm = positives + negatives, four["tp"] / positives, four["fp"] / negatives
    carried = {name: float(cell) for name, cell in _carried(four, prevalence).items()}
    with np.errstate(all="ignore"):
        tp, fp, fn, tn = (float(slope) for slope in measure.gradient(carried))
    by_hit, by_alarm = total * prevalence * (tp - fn), total * (1 - prevalence) * (fp - tn)
    variance = by_hit**2 * hit * (1 - hit) / positives + by_alarm**2 * alarm * (1 - alarm) / negatives
    return float(measure.value(carried)), math.sqrt(variance)


def _carried(cells: Cells, prevalence: Any) -> dict[str, Any]:
    """The cells that the same rates give at another prevalence, for the same number of cases."""
    kept: Any = Fraction if isinstance(prevalence, Fraction) else float
    tp, fp, fn, tn = (kept(cells[name]) for name in CELLS)
    up, down = prevalence_factors(tp + fn, fp + tn, prevalence)
    return {"tp": tp * up, "fp": fp * down, "fn": fn * up, "tn": tn * down}


# ---- cells as floats ----


def _number(cell: Any) -> float:
    """The cell as a float; what is unknown and not needed counts as 0."""
    return float(cell) if isinstance(cell, int | float | Fraction | np.number) else 0.0


def _four(cells: Cells) -> dict[str, float]:
    return {name: _number(cells[name]) for name in CELLS}


def _sum(cells: Cells, names: Collection[str]) -> float:
    # in a fixed order: the iteration order of sets varies between processes and would change float sums
    return float(sum(_number(cells[name]) for name in CELLS if name in names))
