"""What a number must be before anything is computed from it."""

from __future__ import annotations

import math
from typing import Any

from rocscope.errors import RocscopeError


def checked_cases(name: str, x: Any) -> float:
    """A number of cases as a float: finite and not negative, whole or weighted.

    >>> checked_cases("tp", 7)
    7.0
    >>> checked_cases("tp", -1)
    Traceback (most recent call last):
    rocscope.errors.RocscopeError: tp must be a number of cases, 0 or more, not -1
    """
    number = _number(x)
    if not 0 <= number < math.inf:
        raise RocscopeError(f"{name} must be a number of cases, 0 or more, not {x!r}")
    return number


def checked_share(name: str, x: Any, *, hint: str) -> float:
    """A share as a float: strictly between 0 and 1.

    >>> checked_share("prevalence", 2, hint="2 % is 0.02")
    Traceback (most recent call last):
    rocscope.errors.RocscopeError: prevalence must lie between 0 and 1, not 2. 2 % is 0.02
    """
    number = _number(x)
    if not 0 < number < 1:
        raise RocscopeError(f"{name} must lie between 0 and 1, not {x!r}", hint=hint)
    return number


def checked_level(level: Any) -> float:
    """The level itself, once it is sure to be a probability.

    >>> checked_level(0.9)
    0.9
    >>> checked_level(95)
    Traceback (most recent call last):
    rocscope.errors.RocscopeError: level must lie between 0 and 1, not 95. Write 0.95, not 95
    """
    percent = _number(level)
    hint = f"Write {percent / 100:g}, not {percent:g}" if 50 <= percent < 100 else "Write 0.95, not 95"
    return checked_share("level", level, hint=hint)


def _number(x: Any) -> float:
    """The float of a number, NaN for anything else: text and arrays are not numbers here."""
    if isinstance(x, (str, bytes)):
        return math.nan
    try:
        return float(x)
    except (TypeError, ValueError, OverflowError):
        return math.nan
