"""Numbers as typed by the user: cells of a matrix (counts, decimals, expressions of an unknown), sizes in bytes."""

from __future__ import annotations

import re
from typing import Any

from rocscope.errors import RocscopeError
from rocscope.text import shorten

_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_NO_VALUE = {"nan", "inf", "infinity", "none", "null", "na", "?", ""}


def is_number(text: str) -> bool:
    """Whether text is a number.

    >>> is_number("13"), is_number("1e3"), is_number("x - 3"), is_number("nan")
    (True, True, False, False)
    """
    return bool(_NUMBER.fullmatch(text.strip()))


def cell_of(name: str, text: str) -> Any:
    """A cell: an exact integer, a decimal, or text for `Counts` to parse as an expression.

    >>> cell_of("tp", "7"), cell_of("tp", "2.5"), cell_of("tn", "x - 3")
    (7, 2.5, 'x - 3')
    """
    plain = text.strip()
    if re.fullmatch(r"[+-]?[0-9]{1,1000}", plain):
        return int(plain)
    if is_number(plain):
        return float(plain)
    if re.fullmatch(r"[+-]?[0-9]+(,[0-9]+)+", plain):
        hint = "Write numbers with a decimal point and without thousands separators"
        raise RocscopeError(f"{name} is '{shorten(plain, 40)}'", hint=hint)
    if plain.lower() in _NO_VALUE:
        raise RocscopeError(f"{name} must be a count, not '{plain}'", hint=f"Leave --{name} out if it is unknown")
    return plain


def size_of(option: str, text: str, *, example: str) -> int:
    """Parse a size such as 500M, 4G, 1.5 GiB, 512MB or 1e9 in bytes; an invalid option is an error with an example.

    >>> size_of("--budget", "500M", example=""), size_of("--budget", "1.5GiB", example="")
    (524288000, 1610612736)
    >>> size_of("--limit", "2GB", example=""), size_of("--limit", "100", example="")
    (2147483648, 100)
    >>> size_of("--budget", "1e9", example=""), size_of("--limit", "2.5E+3 kB", example="")
    (1000000000, 2560000)
    """
    match = re.fullmatch(
        r"(([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]{1,2})?)\s*([kmgt]?)(i?b)?", text.strip().lower()
    )
    if match is None:
        raise RocscopeError(f"{option} must be a size, not {text}", hint=example)
    return int(float(match[1]) * _UNITS[match[3]])
