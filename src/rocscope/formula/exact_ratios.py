"""Formulas along whole curves as exact quotients of whole numbers, so that ties and limits are decided exactly.

Floats find the few rows that matter; here those rows are compared without rounding. Arrays stay int64 while every
value provably fits and become Python integers beyond.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from rocscope.formula.algebras import Irrational
from rocscope.numbers import FITS, Array


class Whole(NamedTuple):
    """Whole numbers (one, or an array) with a bound on their absolute value."""

    values: Any
    bound: int

    def plus(self, other: Whole, sign: int = 1) -> Whole:
        """The sum, or the difference with sign -1."""
        bound = self.bound + other.bound
        a, b = (_roomy(number.values, bound) for number in (self, other))
        return Whole(a + b if sign > 0 else a - b, bound)

    def times(self, other: Whole) -> Whole:
        """The product."""
        bound = self.bound * other.bound
        # zero times a number beyond int64 still needs a type that holds that number
        room = max(bound, self.bound, other.bound)
        return Whole(_roomy(self.values, room) * _roomy(other.values, room), bound)


def whole(values: Any) -> Whole:
    """The integers, with a bound on their size."""
    if isinstance(values, int):
        return Whole(values, abs(values))
    return Whole(values, int(max(abs(values.max()), abs(values.min()))) if values.size else 0)


def _roomy(values: Any, bound: int) -> Any:
    return values.astype(object) if bound >= FITS and isinstance(values, np.ndarray) else values


class Ratio(NamedTuple):
    """A quotient of whole numbers, row by row; `undefined` marks the rows where something was divided by zero."""

    above: Whole
    below: Whole
    undefined: Any = False

    def sign(self) -> Any:
        """The sign in each row: -1, 0 or 1."""
        return _sign(self.above.values) * _sign(self.below.values)

    def minus(self, other: Ratio) -> Ratio:
        """The ratios minus the other ratios, row by row."""
        return ExactRatios({}).operate("-", self, other)


def _sign(values: Any) -> Any:
    return np.asarray(values > 0, dtype=np.int8) - np.asarray(values < 0, dtype=np.int8)


def constant(value: Fraction) -> Ratio:
    """The number as a ratio."""
    return Ratio(whole(value.numerator), whole(value.denominator))


class ExactRatios:
    """The algebra: a formula's value as a ratio at whole-number cells."""

    def __init__(self, cells: Mapping[str, Array]) -> None:
        self.cells = cells

    def number(self, value: Fraction) -> Ratio:
        """A constant of the formula."""
        return constant(value)

    def name(self, name: str) -> Ratio:
        """A cell."""
        return Ratio(whole(self.cells[name]), whole(1))

    def operate(self, sign: str, left: Ratio, right: Ratio) -> Ratio:
        """One of + - * /."""
        undefined = left.undefined | right.undefined
        if sign == "*":
            return Ratio(left.above.times(right.above), left.below.times(right.below), undefined)
        if sign == "/":
            zero = np.equal(right.above.values, 0)
            return Ratio(left.above.times(right.below), left.below.times(right.above), undefined | zero)
        way = 1 if sign == "+" else -1
        if left.below.bound == right.below.bound == 1:
            return Ratio(left.above.plus(right.above, way), left.below, undefined)
        above = left.above.times(right.below).plus(right.above.times(left.below), way)
        return Ratio(above, left.below.times(right.below), undefined)

    def negate(self, inner: Ratio) -> Ratio:
        """Minus it."""
        return inner._replace(above=Whole(-inner.above.values, inner.above.bound))

    def power(self, base: Ratio, exponent: int) -> Ratio:
        """A small whole power."""
        result = constant(Fraction(1))
        for _ in range(exponent):
            result = self.operate("*", result, base)
        return result

    def call(self, function: str, arguments: tuple[Ratio, ...]) -> Ratio:
        """Abs, min and max; roots and logarithms are no ratios."""
        if function == "abs":
            (argument,) = arguments
            above, below = (Whole(abs(part.values), part.bound) for part in (argument.above, argument.below))
            return Ratio(above, below, argument.undefined)
        if function not in ("min", "max"):
            raise Irrational(function)
        left, right = arguments
        first = left.minus(right).sign() <= 0 if function == "min" else left.minus(right).sign() >= 0
        above, below = (
            Whole(np.where(first, a.values, b.values), max(a.bound, b.bound))
            for a, b in ((left.above, right.above), (left.below, right.below))
        )
        return Ratio(above, below, left.undefined | right.undefined)


def maxima(ratio: Ratio, guess: int) -> Array:
    """The rows that hold the largest value; `guess` is a row that is probably one of them."""
    while True:
        best = Ratio(_row(ratio.above, guess), _row(ratio.below, guess))
        sign = np.atleast_1d(ratio.minus(best).sign())
        better = np.flatnonzero(sign > 0)
        if not better.size:
            return np.flatnonzero(sign == 0)
        guess = int(better[0])


def _row(part: Whole, index: int) -> Whole:
    if not isinstance(part.values, np.ndarray) or part.values.ndim == 0:
        return whole(int(part.values))
    return whole(int(part.values[index]))
