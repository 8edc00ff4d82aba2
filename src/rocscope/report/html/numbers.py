"""Numbers as the page writes them: decimals follow the interval, real minus, no-break space before %."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rocscope.text import decimals_for, show_number, show_p
from rocscope.verdicts.answer import percent, ratio_text
from rocscope.verdicts.verdict import whole_text

__all__ = [
    "DASH",
    "count",
    "limits_text",
    "p_text",
    "percent",
    "plain",
    "ratio_text",
    "value_text",
    "whole",
    "whole_limits",
]

DASH = "–"
Row = Mapping[str, Any]


def half_width(row: Row) -> float:
    """Half the distance between the limits; NaN without."""
    if row["low"] is None or row["high"] is None:
        return math.nan
    return float(row["high"] - row["low"]) / 2


def value_text(row: Row) -> str:
    """The value with the decimals that its interval supports; a dash where it is undefined.

    >>> value_text({"value": 0.6512, "low": 0.6201, "high": 0.6812})
    '0.651'
    """
    return DASH if row["value"] is None else show_number(row["value"], decimals_for(half_width(row)))


def limits_text(row: Row) -> str:
    """The limits, "[0.620, 0.681]", or '' without."""
    half = half_width(row)
    if math.isnan(half):
        return ""
    return f"[{', '.join(show_number(row[side], decimals_for(half)) for side in ('low', 'high'))}]"


def both(row: Row) -> str:
    """Value and limits."""
    return f"{value_text(row)} {limits_text(row)}".rstrip()


def signed(row: Row) -> str:
    """A difference with its sign."""
    shown = value_text(row)
    return f"+{shown}" if row["value"] is not None and row["value"] > 0 else shown


def whole(value: float | None) -> str:
    """A cost or a number per 1,000."""
    return DASH if value is None else whole_text(value)


def whole_limits(row: Row) -> str:
    """The limits of a cost."""
    return "" if row["low"] is None or row["high"] is None else f"[{whole(row['low'])}, {whole(row['high'])}]"


def count(value: float) -> str:
    """A number of cases, or a weight."""
    exact = isinstance(value, int) or float(value).is_integer() or abs(value) >= 100
    return show_number(float(value), 0 if exact else 1)


def p_text(p: float | None) -> str:
    """A p-value."""
    return DASH if p is None else show_p(p)


def plain(value: float) -> str:
    """A tick: no zeros at its end."""
    return f"{value:.6g}".replace("-", "−")
