"""Capacity: flag the k most positive cases, or the top k percent, as far as ties allow."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from rocscope.decisions.operating_points import OperatingPoint, operating_point
from rocscope.errors import RocscopeError
from rocscope.numbers import bisected, decimal
from rocscope.numbers import share as as_share
from rocscope.record import record
from rocscope.table import ScoreTable
from rocscope.text import show_count

_TOP = re.compile(r"top\s+(?P<number>[0-9]+(?:\.[0-9]+)?)\s*(?P<percent>%|percent|per cent)?", re.IGNORECASE)


def capacity_of(rule: str) -> dict[str, Any] | None:
    """The capacity in a rule such as "top 200" or "top 5 %", as keywords for `top`; None for any other rule.

    >>> capacity_of("top 5 %"), capacity_of("top 200"), capacity_of("youden")
    ({'share': Fraction(1, 20)}, {'k': 200}, None)
    """
    match = _TOP.fullmatch(rule.strip())
    if match is None:
        return None
    number = Fraction(match["number"])
    if number == 0:
        raise RocscopeError(f"'{rule}' flags no case", hint="Give a capacity above 0, such as top 200 or top 5 %")
    if match["percent"]:
        if number > 100:
            raise RocscopeError(f"'{rule}' is more than all cases", hint="Give a share of at most 100 %")
        return {"share": number / 100}
    if number.denominator != 1:
        raise RocscopeError(
            f"'{rule}' is not a number of cases", hint="top 200 means 200 cases; top 5 % means 5 % of all cases"
        )
    return {"k": int(number)}


@record(slots=True)
class Capacity:
    """The two thresholds around a capacity.

    `within` flags as many as possible without exceeding it; `beyond` is the next threshold, which flags more, or None
    if `within` flags exactly the requested number, or everything.
    """

    asked: Any
    within: OperatingPoint
    beyond: OperatingPoint | None
    words: str


def top(t: ScoreTable, *, k: Any = None, share: Any = None) -> Capacity:
    """The threshold that flags the k most positive cases, or a share of all; tied cases are flagged together.

    >>> t = ScoreTable.from_scores([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.8, 0.8, 0.5, 0.4])
    >>> found = top(t, k=2)
    >>> found.within.threshold, found.beyond.threshold, found.words
    (0.9, 0.8, 'Requested 2: the threshold 0.9 flags 1, the next, 0.8, flags 4, because 3 cases share that score.')
    """
    wanted = _wanted(t, k, share)
    request = show_count(wanted) if share is None else f"{float(share) * 100:g} % ({show_count(wanted)})"
    flagged = t.tp + t.fp
    slack = 0 if t.exact else 1e-12 * flagged[-1]
    index = int(np.searchsorted(flagged, wanted + slack, side="right")) - 1  # same tolerance as in `rows_within`
    within = _point(t, index, f"top {request}")
    if flagged[index] >= wanted - slack or index == len(t):
        return Capacity(wanted, within, None, _reached(request, within, exact=index < len(t) or flagged[-1] == wanted))
    beyond = _point(t, index + 1, f"top {request}")
    return Capacity(wanted, within, beyond, _between(request, within, beyond))


def rows_within(t: ScoreTable, shares: Sequence[Any]) -> list[int]:
    """The rows of the curve that flag at most each share of the cases; tied cases are flagged together.

    >>> t = ScoreTable.from_scores([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.8, 0.8, 0.5, 0.4])
    >>> rows_within(t, (0.5, 1))
    [1, 4]
    """
    slack = 0 if t.exact else 1e-12 * (t.tp[-1] + t.fp[-1])
    wanted = [_wanted(t, None, share) + slack for share in shares]
    rows = bisected(lambda at: t.tp[at] + t.fp[at], len(t) + 1, wanted)
    return [int(row) - 1 for row in rows]


def _wanted(t: ScoreTable, k: Any, share: Any) -> Any:
    if (k is None) == (share is None):
        raise RocscopeError("give either k=... or share=...")
    if share is not None:
        part = as_share(share, "share") * Fraction(t.positives + t.negatives)
        return math.floor(part) if t.exact else float(part)
    count = decimal(k, "k")
    if count < 0 or (t.exact and count.denominator != 1):
        raise RocscopeError(f"k must be a number of cases, 0 or more, not {k}")
    return int(count) if t.exact else float(count)


def _point(t: ScoreTable, index: int, rule: str) -> OperatingPoint:
    c = t.along()[index]
    flagged = float(c.tp + c.fp)
    return operating_point(t, index, flagged, rule=rule, shown=f"{show_count(c.tp + c.fp)} flagged")


def _flagged(point: OperatingPoint) -> Any:
    return point.counts.tp + point.counts.fp


def _reached(request: str, point: OperatingPoint, *, exact: bool) -> str:
    if not exact:
        return f"Requested {request}: there are only {show_count(_flagged(point))}, and all are flagged."
    if not _flagged(point):
        return f"Requested {request}: nothing is flagged."
    return f"Requested {request}: the threshold {point.threshold:g} flags exactly {show_count(_flagged(point))}."


def _between(request: str, within: OperatingPoint, beyond: OperatingPoint) -> str:
    few, many = _flagged(within), _flagged(beyond)
    less = f"the threshold {within.threshold:g} flags {show_count(few)}" if few else "predicting nothing flags 0"
    more = f"the next, {beyond.threshold:g}, flags {show_count(many)}"
    return f"Requested {request}: {less}, {more}, because {show_count(many - few)} cases share that score."
