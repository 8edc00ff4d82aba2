"""How numbers print: as many decimals as their interval supports, no more."""

from __future__ import annotations

import math

MINUS = "\N{MINUS SIGN}"


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
