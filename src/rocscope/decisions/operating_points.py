"""Operating points: a threshold, what it does to the cases, and why it was chosen."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rocscope.table import Counts, ScoreTable
from rocscope.text import show_count


@dataclass(frozen=True, slots=True, repr=False)
class OperatingPoint:
    """A chosen threshold: its counts, the value of the rule that chose it, and both in words.

    Every threshold after `beyond` (the next score, None at the last) up to `threshold` decides the same.
    """

    threshold: float
    counts: Counts
    value: float
    rule: str
    words: str
    beyond: float | None = None

    @property
    def midpoint(self) -> float:
        """The threshold half-way to the next score: the same decisions, with room on both sides."""
        if self.beyond is None or not math.isfinite(self.threshold):
            return self.threshold
        middle = self.threshold / 2 + self.beyond / 2
        return self.threshold if middle == self.beyond else middle

    def __repr__(self) -> str:
        return f"OperatingPoint(threshold={self.threshold:g}, {self.rule} {self.value:.6g}, {self.counts!r})"


@dataclass(frozen=True, repr=False, eq=False)
class Optima:
    """Every optimum of a rule, from the strictest threshold on; each is an `OperatingPoint`, made when asked for."""

    thresholds: Any
    rule: str
    note: str
    _point: Callable[[int], OperatingPoint]

    def __len__(self) -> int:
        return len(self.thresholds)

    def __getitem__(self, index: int) -> OperatingPoint:
        return self._point(range(len(self))[index])

    def __iter__(self) -> Iterator[OperatingPoint]:
        return map(self._point, range(len(self)))

    @property
    def value(self) -> float:
        """The value they share."""
        return self[0].value

    @property
    def words(self) -> str:
        """The first optimum in words, how many others tie, and what is to be noted."""
        others = len(self) - 1
        tied = f"{others} other threshold{'s' if others > 1 else ''} do{'es' if others == 1 else ''} as well."
        return " ".join(part for part in (self[0].words, tied if others else "", self.note) if part)

    def __repr__(self) -> str:
        shown = ", ".join(f"{one:g}" for one in self.thresholds[:5])
        more = f", ... {len(self):,} in all" if len(self) > 5 else ""
        return f"Optima({self.rule} {self.value:.6g} at threshold {shown}{more})"


def operating_point(t: ScoreTable, index: int, value: float, *, rule: str, shown: str) -> OperatingPoint:
    """The point at one row of `t.along()`; `shown` is the value in words."""
    counts, threshold = counts_at(t, index), thresholds_at(t, [index])[0].item()
    beyond = thresholds_at(t, [index + 1])[0].item() if index < len(t) else None
    return OperatingPoint(threshold, counts, value, rule, f"{flagging(t, threshold, counts)} ({shown}).", beyond)


def cells_at(t: ScoreTable, rows: Any) -> dict[str, Any]:
    """The four cells at some rows of `t.along()`, without making that of all rows."""
    tp, fp = t.tp[rows], t.fp[rows]
    return {"tp": tp, "fp": fp, "fn": t.tp[-1] - tp, "tn": t.fp[-1] - fp}


def counts_at(t: ScoreTable, row: int) -> Counts:
    """The counts at one row of `t.along()`."""
    if t.weighted:
        return t.along()[row]
    return Counts.of(cells_at(t, row).values(), labels=t.labels, exponent=t.exponent)


def thresholds_at(t: ScoreTable, rows: Any) -> Any:
    """The thresholds of some rows of `t.along()`."""
    rows = np.asarray(rows, dtype=np.int64)
    found = np.full(len(rows), math.inf if t.higher_is_positive else -math.inf)
    found[rows > 0] = t.scores[rows[rows > 0] - 1]
    return found


def flagging(t: ScoreTable, threshold: float, counts: Counts) -> str:
    """What a threshold does, in words."""
    flagged, rest = counts.tp + counts.fp, counts.fn + counts.tn
    positives, total = show_count(counts.tp + counts.fn), show_count(flagged + rest)
    if not flagged:
        return f"Predict nothing: no case is flagged and every positive ({positives}) is missed"
    if not rest:
        return f"Predict everything: all {total} cases are flagged"
    alarms = f"{show_count(counts.fp)} false alarm{'' if counts.fp == 1 else 's'}"
    sign = ">=" if t.higher_is_positive else "<="
    return (
        f"Flag scores {sign} {threshold:g}: {show_count(flagged)} of {total} flagged, "
        f"{show_count(counts.tp)} of {positives} positives found, {alarms}"
    )
