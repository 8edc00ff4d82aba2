"""How numbers, p-values, percentages and labels are printed; `format.ts` of the page is its twin."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

MINUS = "\N{MINUS SIGN}"
LONGEST_LABEL = 24
# labels that say no more than "positive" where they are the positive one
PLAIN_LABELS = {"1", "1.0", "True", "true", "0", "0.0", "False", "false", "-1", "-1.0", "positive"}


def decimals_for(half_width: float) -> int:
    """Decimals that keep two significant digits of an interval's half-width, from 2 to 4.

    >>> decimals_for(0.0305), decimals_for(0.11), decimals_for(0.00021), decimals_for(12.0)
    (3, 2, 4, 2)
    """
    if not 0 < half_width < math.inf:
        return 2 if half_width == math.inf else 3
    exponent = int(f"{half_width:.1e}".split("e")[1])  # rounded first: 0.0996 is 0.10, two decimals
    return min(4, max(2, 1 - exponent))


def show_number(x: float, decimals: int = 3) -> str:
    """The number with a fixed count of decimals, thousands by comma and a real minus sign.

    >>> show_number(1234.5678, 2), show_number(-0.0001, 2)
    ('1,234.57', '0.00')
    """
    if math.isnan(x):
        return "undefined"
    if math.isinf(x):
        return "\N{INFINITY}" if x > 0 else f"{MINUS}\N{INFINITY}"
    text = f"{abs(x):,.{decimals}f}"
    return f"{MINUS}{text}" if x < 0 and float(text.replace(",", "")) != 0 else text


def show_p(p: float) -> str:
    """A p-value with two decimals, three under 0.1, and never 0.

    >>> show_p(0.164), show_p(0.0386), show_p(1e-9), show_p(1.0)
    ('0.16', '0.039', '< 0.001', '1.00')
    """
    if math.isnan(p):
        return "undefined"
    if p < 0.001:
        return "< 0.001"
    return f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def show_count(cell: Any) -> str:
    """A count as people write it: 10,650; weights with up to two decimals; an unknown as ?, or its expression.

    >>> show_count(10650), show_count(2.5), show_count(None)
    ('10,650', '2.50', '?')
    """
    if cell is None:
        return "?"
    if isinstance(cell, int):
        return f"{cell:,}"
    if hasattr(cell, "text"):  # a formula of an unknown
        return str(cell.text)
    number = float(cell)
    return f"{number:,.0f}" if number == round(number) else f"{number:,.2f}"


def percent(part: Any, whole: Any = 1) -> str:
    """The part as a percentage of the whole, one decimal below 10, '' where either is unknown or the whole is 0.

    >>> percent(7, 10), percent(1, 30), percent(0.125), percent(1, 0)
    ('70 %', '3.3 %', '12 %', '')
    """
    if part is None or whole is None or hasattr(part, "text") or hasattr(whole, "text") or whole == 0:
        return ""
    share = 100 * float(part) / float(whole)
    return f"{share:.0f} %" if share >= 10 or share == round(share) else f"{share:.1f} %"


def short_threshold(value: float, beyond: float | None) -> str:
    """The shortest decimal that decides as the threshold does: after `beyond`, the next score, up to itself.

    >>> short_threshold(0.28038809, 0.27911), short_threshold(math.inf, 0.9), short_threshold(2 / 3, None)
    ('0.28', 'inf', '0.666667')
    """
    if beyond is None or not math.isfinite(beyond) or not math.isfinite(value):
        return f"{value:.6g}"
    if abs(value) >= 2**53:  # no digits after the point
        return repr(float(value))
    exact, gap = Decimal(repr(float(value))), abs(Decimal(repr(float(beyond))) - Decimal(repr(float(value))))
    rounding = ROUND_FLOOR if beyond < value else ROUND_CEILING
    shorter = (exact.quantize(Decimal(1).scaleb(-digits), rounding=rounding) for digits in range(17))
    return next((f"{short:f}" for short in shorter if abs(short - exact) < gap), repr(value))


def show_label(label: Any) -> str:
    """A label safe to print: control and direction characters escaped, long ones cut in the middle.

    >>> show_label("a\\x1b[31mb")
    'a\\\\x1b[31mb'
    """
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(label))
    if len(text) <= LONGEST_LABEL:
        return text
    half = (LONGEST_LABEL - 1) // 2
    return f"{text[:half]}…{text[-half:]}"
