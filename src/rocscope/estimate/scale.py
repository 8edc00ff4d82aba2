"""Limits on a scale that keeps them inside a measure's range."""

from __future__ import annotations

import math

from rocscope.numbers import normal_quantile


def on_scale(
    value: float, se: float, low: float, high: float, level: float, *, reach: float | None = None
) -> tuple[float, float]:
    """Limits value ± z se, taken on the scale that maps the range (low, high) to the whole line, and back.

    A finite range gives the logit of (value - low)/(high - low) (on [-1, 1] that is atanh, doubled: the same
    limits), a half-line the log of the distance to its end, the whole line no scale at all. On the scale the
    standard error is se times the scale's slope at the value.

    At an end of the range the slope is infinite: give the value and se of the table with half a case added
    to every cell, and the plain value as `reach`, to which the limits are stretched.

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
