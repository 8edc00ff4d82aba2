"""Intervals for any smooth function of a table of counts: the delta method, and a Bayesian method by name."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from rocscope.estimate.estimate import Estimate
from rocscope.estimate.interval_methods import interval
from rocscope.numbers import Array, normal_quantile
from rocscope.record import record

DRAWS = 20_000
NEGLIGIBLE = 1e-12  # variance relative to its own terms that is attributed to rounding
FLAT = 1e-12  # standard error attributed to rounding of slopes that are 0, as at the maximum of an entropy


@record(slots=True)
class Target:
    """A function of the cells of a table, with the properties that intervals use.

    `value` is the plain value at the cells; `at` gives it at other cells, `slopes` its derivative by each cell, `batch`
    its values at many tables (rows). `squares` are the sums of squared weights per cell (the cells themselves when each
    unit is a case), `low` and `high` the range.
    """

    value: float
    cells: Array
    squares: Array
    low: float
    high: float
    at: Callable[[Array], float]
    slopes: Callable[[Array], Array]
    batch: Callable[[Array], Array]

    @property
    def unit(self) -> float:
        """The weight of one typical case: 1 for counts."""
        total = float(self.cells.sum())
        return float(self.squares.sum()) / total if total else 1.0

    def filled(self) -> Target:
        """The table with two cases spread over all its cells: half a case to each of four."""
        share = 2 * self.unit / self.cells.size
        cells, squares = self.cells + share, self.squares + share * self.unit
        return Target(self.at(cells), cells, squares, self.low, self.high, self.at, self.slopes, self.batch)

    def se(self) -> float:
        """The standard error by the delta method; NaN where a slope is undefined, 0 where it vanishes.

        Var = Σ S_i f_i² - (Σ c_i f_i)²/n_eff, S_i the squared weights and n_eff = (Σc)²/ΣS: the multinomial variance.
        """
        slopes = np.asarray(self.slopes(self.cells), dtype=np.float64).ravel()
        if not np.isfinite(slopes).all():
            return math.nan
        terms = float(self.squares @ slopes**2)
        total, squared = float(self.cells.sum()), float(self.squares.sum())
        variance = terms - (float(self.cells @ slopes) / total) ** 2 * squared if total else math.nan
        if math.isnan(variance):
            return math.nan
        se = math.sqrt(max(0.0, variance)) if variance > NEGLIGIBLE * terms else 0.0
        return se if se > FLAT * max(1.0, abs(self.value)) else 0.0

    def at_an_end(self) -> bool:
        """Whether the value is at an end of its range, as far as rounding can tell."""
        return any(
            math.isfinite(end) and math.isclose(self.value, end, rel_tol=1e-12, abs_tol=1e-12)
            for end in (self.low, self.high)
        )


@interval(
    "delta",
    fits="measure",
    says="delta method on a scale that keeps the limits inside the measure's range",
    cite="Agresti, Categorical Data Analysis, 3rd edition 2013, section 16.1",
)
def delta(target: Target, *, level: float, seed: int = 0) -> Estimate:
    """Limits by the delta method on the logit, atanh or log scale.

    At an end of the range, or where a slope is undefined or the variance vanishes, center and variance come from the
    table with half a case in every cell, and the limits are extended to the uncorrected value, because variance 0 does
    not imply certainty. If there are still no limits, `jeffreys` is used.
    """
    se, plain = target.se(), target
    if target.at_an_end() or not se > 0:
        plain = target.filled()
        se = plain.se()
    low, high = on_scale(plain.value, se, target.low, target.high, level, reach=target.value)
    if not se > 0 or math.isnan(low):
        # a kink or boundary nearby makes the slope unusable; sampling needs no slope
        return jeffreys(target, level=level, seed=seed)
    return Estimate(target.value, low, high, level, f"delta, {_scale(target)} scale", se=se)


def _scale(target: Target) -> str:
    ends = math.isfinite(target.low), math.isfinite(target.high)
    if all(ends):
        return "atanh" if target.low == -target.high else "logit"
    return "log" if any(ends) else "plain"


@interval(
    "jeffreys",
    fits="measure",
    says="equal tails of the posterior under a Dirichlet prior of half a case per cell",
    cite="Jeffreys, Theory of Probability, 3rd edition 1961",
)
def jeffreys(target: Target, *, level: float, seed: int = 0) -> Estimate:
    """Equal tails of 20,000 draws of the table from its posterior, Dirichlet(c + 1/2) for four cells.

    Weighted tables count as their effective number of cases; the limits are extended to include the value itself.
    """
    total, squared = float(target.cells.sum()), float(target.squares.sum())
    if not total:
        return Estimate(target.value, level=level, method="jeffreys", why="there are no cases")
    effective = target.cells * (total / squared)
    draws = np.random.default_rng(seed).standard_gamma(effective + 2 / effective.size, (DRAWS, effective.size))
    values = target.batch(draws * (total / draws.sum(axis=1, keepdims=True)))
    values = values[~np.isnan(values)]
    if not values.size or np.ptp(values) <= NEGLIGIBLE * abs(target.value):
        why = "the measure does not vary between samples of this size"
        return Estimate(target.value, level=level, method="jeffreys", why=why)
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2]).tolist()
    low, high = max(target.low, min(low, target.value)), min(target.high, max(high, target.value))
    # a step function such as lambda: zero width is not certainty
    if not high - low > FLAT * max(1.0, abs(target.value)):
        why = "no limits: nearly all samples of this size have the same value"
        return Estimate(target.value, level=level, method="jeffreys", why=why)
    return Estimate(target.value, low, high, level, "jeffreys", se=float(values.std()))


# ---- limits within the range of the measure ----


def on_scale(
    value: float, se: float, low: float, high: float, level: float, *, reach: float | None = None
) -> tuple[float, float]:
    """The limits value ± z se, computed on a scale that maps the range (low, high) to the whole line, and mapped back.

    A finite range uses the logit of (value - low)/(high - low) (on [-1, 1] this is twice the atanh, with the same
    limits), a half-line uses the log of the distance to its end, and the whole line needs no transformation. On that
    scale, the standard error is se times the slope of the transformation at the value.

    At an end of the range, the slope is infinite: give the value and se of the table with half a case added
    to every cell, and the plain value as `reach`; the limits are extended to include it.

    Reference: the delta method, e.g. Agresti, Categorical Data Analysis, 3rd edition 2013, section 16.1.

    >>> tuple(round(x, 6) for x in on_scale(0.5, 0.1, 0, 1, 0.95))
    (0.313462, 0.686538)
    >>> tuple(round(x, 6) for x in on_scale(2.0, 0.5, 0, math.inf, 0.95))
    (1.225264, 3.264603)
    """
    if not (low < value < high) or not 0 <= se < math.inf:
        return math.nan, math.nan
    step = normal_quantile(level) * se
    lower, upper = _limits(value, step, low, high)
    plain = value if reach is None else reach
    return max(low, min(lower, plain)), min(high, max(upper, plain))


def _limits(value: float, step: float, low: float, high: float) -> tuple[float, float]:
    below, above = value - low, high - value
    if math.isfinite(below) and math.isfinite(above):
        ratio = math.exp(-step * (high - low) / (below * above))
        return (
            low + (high - low) * below * ratio / (below * ratio + above),
            low + (high - low) * below / (below + above * ratio),
        )
    if math.isfinite(below):
        return low + below * math.exp(-step / below), low + _stretched(below, step / below)
    if math.isfinite(above):
        return high - _stretched(above, step / above), high - above * math.exp(-step / above)
    return value - step, value + step


def _stretched(distance: float, exponent: float) -> float:
    return distance * math.exp(exponent) if exponent < 700 else math.inf
