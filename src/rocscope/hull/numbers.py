"""Numbers as their owners mean them: a float is the decimal it prints as."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import Any

import numpy as np

from rocscope.errors import RocscopeError


def decimal(value: Any, name: str) -> Fraction:
    """The finite number as an exact fraction: 0.2 is 1/5.

    >>> decimal(0.2, "cost")
    Fraction(1, 5)
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real | Decimal):
        raise RocscopeError(f"{name} is {value!r}; a number is needed")
    if isinstance(value, Rational):
        return Fraction(int(value)) if isinstance(value, Integral) else Fraction(value)
    if not math.isfinite(value):
        raise RocscopeError(f"{name} is {value}; a finite number is needed")
    return Fraction(str(value))  # str of a NumPy float32 is its own shortest decimal, too


def share(value: Any, name: str) -> Fraction:
    """A number from 0 to 1, exact."""
    exact = decimal(value, name)
    if not 0 <= exact <= 1:
        raise RocscopeError(f"{name} is {value}; a share from 0 to 1 is needed, 0.2 for 20 %")
    return exact


def ratio_or_inf(value: Any, name: str) -> Fraction | float:
    """A ratio from 0 upwards, exact; infinity is allowed and stays a float."""
    if isinstance(value, Real) and not isinstance(value, Rational) and value == math.inf:
        return math.inf
    exact = decimal(value, name)
    if exact < 0:
        raise RocscopeError(f"{name} is {value}; a ratio of costs is 0 or more")
    return exact


def quotient(above: Any, below: Any) -> float:
    """The quotient rounded once, also for integers beyond float64; infinite when below is 0."""
    return math.inf if below == 0 else float(above / below)
