"""Cells and rates along a table as float64, exact until they are divided; and the reasons of what is missing."""

from __future__ import annotations

from collections.abc import Callable
from math import nan

import numpy as np

from rocscope.curves.curve import Array
from rocscope.numbers import floats
from rocscope.table import ScoreTable

PIECE = 2**13  # scores at a time: within the cache, and too few for BLAS to wake its threads
WIDE = 2**15  # where BLAS has no part in it


def over(part: Array, whole: float) -> Array:
    """Each part as a share of the whole; NaN everywhere when the whole is 0."""
    if not whole:
        return np.full(len(part), nan)
    if part.dtype == object:
        return np.array([value / whole for value in part.tolist()], dtype=np.float64)
    return np.asarray(part / np.float64(whole))


def tpr(table: ScoreTable) -> Array:
    """True positive rate at every threshold. The last sum is the whole, so that the curve ends at exactly 1."""
    return over(table.tp, table.tp[-1])


def fpr(table: ScoreTable) -> Array:
    """False positive rate at every threshold."""
    return over(table.fp, table.fp[-1])


def fnr(table: ScoreTable) -> Array:
    """False negative rate at every threshold."""
    return over(table.tp[-1] - table.tp, table.tp[-1])


def cells(table: ScoreTable) -> dict[str, Array]:
    """tp, fp, fn, tn at every threshold as float64; what is left over is subtracted before rounding."""
    tp, fp = table.tp, table.fp
    return {"tp": floats(tp), "fp": floats(fp), "fn": floats(tp[-1] - tp), "tn": floats(fp[-1] - fp)}


def flagged(table: ScoreTable) -> Array:
    """The share of cases predicted positive at every threshold."""
    both = floats(table.tp) + floats(table.fp)
    return over(both, both[-1])


def prevalence(table: ScoreTable) -> float:
    """The share of positives."""
    return float(table.positives / (table.positives + table.negatives))


def one_class(table: ScoreTable, *, positives: str = "", negatives: str = "") -> str:
    """Why columns are undefined when a class is absent: `positives` names those that need positives, and so on."""
    reasons = []
    if positives and not table.tp[-1]:
        reasons.append(f"no positives: {positives} is undefined")
    if negatives and not table.fp[-1]:
        reasons.append(f"no negatives: {negatives} is undefined")
    return "; ".join(reasons)


def why_missing(name: str, values: Array, reason: Callable[[int], str]) -> str:
    """'' where every value is a number, else how many are not, where first, and the reason there."""
    lost = np.isnan(values)
    if not lost.any():
        return ""
    first = int(lost.argmax())
    count = int(np.count_nonzero(lost))
    where = f"at all {count}" if count == len(values) else f"at {count} of {len(values)}"
    return f"{name} is undefined {where} points, first at row {first}: {reason(first)}"


def harmonic(start: Array, count: Array) -> Array:
    """1/(start + 1) + ... + 1/(start + count), also between whole numbers; as a difference of digammas.

    From 50 on by their asymptotic series, where a plain difference would lose digits.

    >>> harmonic(np.array([2.0]), np.array([2.0])).round(12)
    array([0.58333333])
    """
    from scipy.special import digamma

    a, b = start + 1, start + count + 1
    small = a < 50
    u, v = 1 / (a * a), 1 / (b * b)
    near = np.log1p(count / a) + count / (2 * a * b)
    near += (u - v) / 12 - (u * u - v * v) / 120 + (u * u * u - v * v * v) / 252
    near[small] = digamma(b[small]) - digamma(a[small])
    return np.asarray(near)
