"""Formulas over boxes of counts: between which values a measure lies while its cells move within limits.

A run of neighboring thresholds is such a box, so that most of a long curve is known not to hold the best threshold
without being looked at row by row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from rocscope.numbers import Array

Cells = Mapping[str, Array]


class Bounds(NamedTuple):
    """A lower and an upper limit; infinite where nothing is known, NaN where even that is not."""

    low: Any
    high: Any


class Boxes:
    """The algebra: a formula's limits while each cell keeps within its own."""

    def __init__(self, cells: Mapping[str, Bounds]) -> None:
        self.cells = cells

    def number(self, value: Fraction) -> Bounds:
        """A constant of the formula."""
        constant = float(value)
        return Bounds(constant, constant)

    def name(self, name: str) -> Bounds:
        """A cell."""
        return self.cells[name]

    def operate(self, sign: str, left: Bounds, right: Bounds) -> Bounds:
        """One of + - * /."""
        if sign == "+":
            return Bounds(left.low + right.low, left.high + right.high)
        if sign == "-":
            return Bounds(left.low - right.high, left.high - right.low)
        if right.low is right.high and right.low > 0:  # a positive constant, such as a total, preserves the order
            return Bounds(*(part * right.low if sign == "*" else part / right.low for part in left))
        if sign == "*":
            if left.low is left.high and left.low >= 0:
                return Bounds(left.low * right.low, left.low * right.high)
            return _hull([a * b for a in left for b in right])
        parted = np.logical_and(np.asarray(right.low) <= 0, np.asarray(right.high) >= 0)
        below = [np.where(parted, np.nan, part) for part in right]  # the divisor's range contains 0: unbounded
        return _hull([a / b for a in left for b in below])

    def negate(self, inner: Bounds) -> Bounds:
        """Minus it."""
        return Bounds(-inner.high, -inner.low)

    def power(self, base: Bounds, exponent: int) -> Bounds:
        """A small whole power."""
        if exponent % 2 == 0:
            base = self.call("abs", (base,))
        return Bounds(base.low**exponent, base.high**exponent)

    def call(self, function: str, arguments: tuple[Bounds, ...]) -> Bounds:
        """One of sqrt, log, abs, min and max; where an argument leaves the domain in part, the rest counts."""
        first = arguments[0]
        if function == "abs":
            near = np.maximum(np.maximum(first.low, -np.asarray(first.high)), 0.0)
            return Bounds(near, np.maximum(abs(first.low), abs(first.high)))
        if function in ("sqrt", "log"):
            reading: Any = np.sqrt if function == "sqrt" else np.log
            return Bounds(*(reading(np.maximum(part, 0.0)) for part in first))
        pick: Any = np.minimum if function == "min" else np.maximum
        return Bounds(*map(pick, *arguments))


def _hull(corners: list[Any]) -> Bounds:
    return Bounds(np.minimum.reduce(corners), np.maximum.reduce(corners))


def bounds_of(names: Iterable[str], first: Cells, last: Cells) -> dict[str, Bounds]:
    """The limits of the cells of those names from those of one row to those of a later one."""
    return {name: _hull([np.asarray(row[name], dtype=np.float64) for row in (first, last)]) for name in names}
