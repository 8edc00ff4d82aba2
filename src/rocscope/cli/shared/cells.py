"""Cells of a matrix from the command line: counts, decimals, or expressions of an unknown."""

from __future__ import annotations

import re
from typing import Any

from rocscope.errors import RocscopeError
from rocscope.text import shorten

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
_NO_VALUE = {"nan", "inf", "infinity", "none", "null", "na", "?", ""}


def is_number(text: str) -> bool:
    """Whether text is a number as people write one.

    >>> is_number("13"), is_number("1e3"), is_number("x - 3"), is_number("nan")
    (True, True, False, False)
    """
    return bool(_NUMBER.fullmatch(text.strip()))


def cell_of(name: str, text: str) -> Any:
    """A cell: a whole number exactly, a decimal, or text for `Counts` to read as an expression.

    >>> cell_of("tp", "7"), cell_of("tp", "2.5"), cell_of("tn", "x - 3")
    (7, 2.5, 'x - 3')
    """
    plain = text.strip()
    if re.fullmatch(r"[+-]?[0-9]{1,1000}", plain):
        return int(plain)
    if is_number(plain):
        return float(plain)
    if re.fullmatch(r"[+-]?[0-9]+(,[0-9]+)+", plain):
        hint = "Numbers are written with a decimal point and without thousands separators"
        raise RocscopeError(f"{name} is '{shorten(plain, 40)}'", hint=hint)
    if plain.lower() in _NO_VALUE:
        raise RocscopeError(f"{name} is '{plain}', which is no count", hint=f"Leave --{name} out when it is unknown")
    return plain
