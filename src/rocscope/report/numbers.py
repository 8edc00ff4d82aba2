"""Numbers as the words write them: short fractions, cost ratios, thresholds, shares."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from rocscope.report.sheet import number, shorten

SHORT = 9  # letters of a fraction that is still easy to read: 1234/5678


def short_fraction(value: Fraction | None, *, whole: bool = False) -> str:
    """A fraction as text when it is short or asked for whole, else ''; whole numbers stay whole.

    >>> short_fraction(Fraction(7, 12)), short_fraction(Fraction(12345, 67891)), short_fraction(Fraction(2))
    ('7/12', '', '2')
    """
    text = "" if value is None else str(value)
    return text if whole or len(text) <= SHORT else ""


def with_decimal(value: Fraction, digits: int = 4) -> str:
    """A fraction and its decimal.

    >>> with_decimal(Fraction(5, 6)), with_decimal(Fraction(1, 2)), with_decimal(Fraction(3))
    ('5/6 = 0.8333', '1/2 = 0.5', '3')
    """
    if value.denominator == 1:
        return str(value)
    return f"{value} = {trimmed(float(value), digits)}"


def trimmed(value: float, digits: int = 4) -> str:
    """A number with at most so many decimals and no zeros at its end.

    >>> trimmed(0.5), trimmed(0.123456), trimmed(12.0), trimmed(float("inf"))
    ('0.5', '0.1235', '12', 'inf')
    """
    if not math.isfinite(value):
        return number(value)
    text = number(value, digits)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def cost_ratio(ratio: Any) -> str:
    """The costs of a false alarm and of a miss from their ratio, the smaller one as 1.

    >>> cost_ratio(Fraction(1, 5)), cost_ratio(2.5), cost_ratio(math.inf), cost_ratio(0)
    ('1 : 5', '2.5 : 1', '1 : 0', '0 : 1')
    """
    value = float(ratio)
    if value == 0 or math.isinf(value):
        return "1 : 0" if value else "0 : 1"
    return f"1 : {significant(1 / value)}" if value <= 1 else f"{significant(value)} : 1"


def significant(value: float, digits: int = 3) -> str:
    """A number with three significant digits and no exponent in the ordinary range.

    >>> significant(6.6432), significant(0.083333), significant(1234.5)
    ('6.64', '0.0833', '1,230')
    """
    if value == 0 or not math.isfinite(value) or not 1e-5 <= abs(value) < 1e9:
        return f"{value:.{digits}g}"
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return trimmed(float(f"{value:.{digits}g}"), places)


def threshold_text(threshold: Any) -> str:
    """A threshold, or the setting of a parameter: exact when that is short, else to six digits.

    >>> threshold_text(0.31), threshold_text(math.inf), threshold_text(2 / 3), threshold_text("depth 3")
    ('0.31', 'inf', '0.666667', 'depth 3')
    """
    if threshold is None:
        return ""
    if not isinstance(threshold, int | float):
        return shorten(str(threshold), 24)
    text = number(float(threshold), None)
    return text if len(text) <= 8 else f"{float(threshold):.6g}"
