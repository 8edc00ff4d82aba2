"""Estimate: a number with its confidence interval."""

from __future__ import annotations

import math
from dataclasses import fields
from numbers import Real
from typing import Any

from rocscope.record import record
from rocscope.text import decimals_for, show_number, show_p


@record(slots=True, eq=False)
class Estimate:
    """A value with its limits, their level and method, and the reason when something is undefined.

    `low` and `high` are NaN when the method gives no limits; `why` is "" when nothing is missing. A test of classifiers
    sets `p` and `statistic`, and `df` (one number, or two for an F test) if it has degrees of freedom; they are None if
    they do not apply. `se` is the standard error of the value itself; a method that works on another scale ("log",
    "logit") names it in `se_scale` and keeps the standard error there in `se_on_scale`. `delong()` uses these two
    fields for the standard error of tests at a margin ("margin").

    An estimate also behaves like a number: `float(e)`, `e > 0.8`, `f"{e:.3f}"`, `round(e, 2)` and NumPy use its value.

    >>> print(Estimate(0.651, 0.6201, 0.6812))
    0.651 [0.620, 0.681]
    >>> print(Estimate(float("nan"), why="no positives"))
    undefined (no positives)
    >>> Estimate(0.651, 0.62, 0.68) > 0.6, f"{Estimate(0.651, 0.62, 0.68):.2f}", round(Estimate(0.651), 2)
    (True, '0.65', 0.65)
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    level: float = 0.95
    method: str = ""
    why: str = ""
    p: float | None = None
    statistic: float | None = None
    df: float | tuple[float, float] | None = None
    se: float | None = None
    se_scale: str = ""
    se_on_scale: float | None = None

    @property
    def half_width(self) -> float:
        """Half the distance between the limits; NaN if there are none."""
        return (self.high - self.low) / 2

    # ---- as a number ----

    def __float__(self) -> float:
        return float(self.value)

    def __round__(self, digits: int | None = None) -> float:
        return round(float(self.value), digits)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if copy is False:
            raise ValueError("an estimate cannot be converted to an array without a copy")
        import numpy as np

        return np.array(self.value, dtype=dtype)

    def __format__(self, spec: str) -> str:
        return format(float(self.value), spec) if spec else str(self)

    def __eq__(self, other: object) -> bool:
        """Whether the other is the same estimate in every field, or a number equal to its value."""
        if isinstance(other, Estimate):
            return all(_same(getattr(self, field.name), getattr(other, field.name)) for field in fields(self))
        return bool(self.value == other) if isinstance(other, Real) else NotImplemented

    def __hash__(self) -> int:
        return hash(None if math.isnan(self.value) else self.value)  # the hash of NaN differs from object to object

    def __lt__(self, other: Any) -> bool:
        return bool(self.value < float(other)) if isinstance(other, Real | Estimate) else NotImplemented

    def __le__(self, other: Any) -> bool:
        return bool(self.value <= float(other)) if isinstance(other, Real | Estimate) else NotImplemented

    def __gt__(self, other: Any) -> bool:
        return bool(self.value > float(other)) if isinstance(other, Real | Estimate) else NotImplemented

    def __ge__(self, other: Any) -> bool:
        return bool(self.value >= float(other)) if isinstance(other, Real | Estimate) else NotImplemented

    # ---- as text ----

    def __str__(self) -> str:
        return " ".join(part for part in (self._numbers(), self._test(), self._reason()) if part)

    def _numbers(self) -> str:
        decimals = decimals_for(self.half_width)
        value, low, high = (show_number(x, decimals) for x in (self.value, self.low, self.high))
        return value if math.isnan(self.half_width) else f"{value} [{low}, {high}]"

    def _test(self) -> str:
        if self.p is None:
            return ""
        shown = show_p(self.p)
        return f"p {shown}" if shown.startswith("<") else f"p = {shown}"

    def _reason(self) -> str:
        missing = math.isnan(self.value) or math.isnan(self.half_width)
        return f"({self.why})" if self.why and missing else ""

    def to_dict(self) -> dict[str, Any]:
        """The estimate as plain data: value, low, high, level, method, why, and p and statistic of a test.

        Numbers that are not finite are None, because JSON has neither NaN nor infinity.

        >>> Estimate(0.5, 0.4, 0.6, method="wilson").to_dict()
        {'value': 0.5, 'low': 0.4, 'high': 0.6, 'level': 0.95, 'method': 'wilson', 'why': ''}
        """
        document: dict[str, Any] = {
            "value": _finite(self.value),
            "low": _finite(self.low),
            "high": _finite(self.high),
            "level": self.level,
            "method": self.method,
            "why": self.why,
        }
        test = {"p": self.p, "statistic": self.statistic}
        return document | {name: _finite(number) for name, number in test.items() if number is not None}


def _same(a: Any, b: Any) -> bool:
    return a is b or bool(a == b) or bool(a != a and b != b)  # NaN counts as equal to NaN, even after copying


def _finite(x: float) -> float | None:
    return x if math.isfinite(x) else None


def undefined(why: str, *, level: float = 0.95, method: str = "") -> Estimate:
    """An estimate that is NaN, with the reason.

    >>> undefined("no negatives: AUC undefined").why
    'no negatives: AUC undefined'
    """
    return Estimate(math.nan, level=level, method=method, why=why)


