"""What is left of all cases without a slice: the other side of every gap."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rocscope import curves, estimate, significance
from rocscope.estimate import Estimate, normal_quantile, undefined
from rocscope.table import Counts, ScoreTable

if TYPE_CHECKING:
    from rocscope.evaluation.binary import Evaluation
    from rocscope.evaluation.slices import Part
    from rocscope.evaluation.slicing import Slicing

Array = NDArray[Any]
WORK = 2e7  # slices x scores: beyond that the spread of the rest is read off groups of neighbouring scores
GROUPS = 2**13
CLUSTERED = "clusters and so many slices: gaps are not tested"
FEW = 10  # of a class: below that a slice is shown and not tested
REST = f"fewer than {FEW} positives or negatives in the rest: not tested"
# A share at the threshold: the cells that count for it, the cells that count against it.
SHARES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = MappingProxyType(
    {
        "recall": (("tp",), ("fn",)),
        "specificity": (("tn",), ("fp",)),
        "precision": (("tp",), ("fp",)),
        "predicted_prevalence": (("tp", "fp"), ("fn", "tn")),
    }
)


def of_cells(name: str, counts: Counts) -> tuple[float, float]:
    """The hits and the cases of a share.

    >>> of_cells("recall", Counts(tp=7, fp=7, fn=3, tn=13))
    (7.0, 10.0)
    """
    hits, misses = (sum(float(counts.cells[cell]) for cell in side) for side in SHARES[name])
    return hits, hits + misses


def members(table: ScoreTable) -> tuple[float, float]:
    """How many positives and negatives there are: rows where they carry sampling weights."""
    if table.weighted:
        return float(table.rows[0]), float(table.rows[1])
    return float(table.positives), float(table.negatives)


@dataclass(frozen=True, eq=False)
class Rests:
    """The gaps between each slice and all other cases."""

    ev: Evaluation
    parts: Sequence[Part]
    slicing: Slicing

    def gap(self, name: str, place: int) -> Estimate:
        """A measure in a slice less that in the rest, with an interval and a test."""
        part, level = self.parts[place], self.ev.settings.level
        whole, own = members(self.ev.table), members(part.evaluation.table)
        if min(whole[0] - own[0], whole[1] - own[1]) < FEW:
            return undefined(REST, level=level)
        if name == "auc":
            return self._clustered(part) if self._clusters else self._area(part)
        return self._share(name, part)

    # ---- shares at the threshold ----

    def _share(self, name: str, part: Part) -> Estimate:
        """Two shares of different cases: Newcombe's limits, as many cases as the weights or clusters are worth."""
        level, point = self.ev.settings.level, self.ev.point
        hits, cases = part.share(name)
        if point is None or part.evaluation.point is None or not cases > 0:
            return undefined("no cases to compare", level=level)
        all_hits, all_cases = of_cells(name, self._counts)
        own_hits, own_cases = of_cells(name, part.evaluation.point.counts)
        left, right = max(0.0, all_hits - own_hits), max(0.0, all_cases - own_cases)
        if not right > 0:
            return undefined("no cases in the rest", level=level)
        effect = self._effects[name]
        return estimate.difference(hits, cases, min(left, right) / effect, right / effect, level=level)

    @cached_property
    def _counts(self) -> Counts:
        """All cases at the threshold; where it was fitted in folds the point itself has other counts."""
        assert self.ev.point is not None
        return self.ev.at(self.ev.point.threshold)

    @cached_property
    def _effects(self) -> dict[str, float]:
        return {name: self.ev.design_effect(name) for name in SHARES}

    # ---- areas ----

    @property
    def _clusters(self) -> bool:
        return self.ev.cases is not None and self.ev.cases.clusters is not None

    def _area(self, part: Part) -> Estimate:
        own, level = part.evaluation.table, self.ev.settings.level
        if self.ev.table.mixed is not None or own.mixed is not None:
            return significance.delong(own, self._sum_of_others(part), paired=False, level=level)
        if len(self.parts) * len(self.ev.table) <= WORK:
            return significance.delong(own, _without(self.ev.table, own), paired=False, level=level)
        rough = significance.delong(own, self._grouped.without(own), paired=False, level=level)
        gap = curves.auc(own) - self._pairs.without(own)
        moved = gap - rough.value
        return replace(rough, value=gap, low=max(-1.0, rough.low + moved), high=min(1.0, rough.high + moved))

    def _sum_of_others(self, part: Part) -> ScoreTable:
        """Tables on cells do not subtract, they add: those before the slice and those after it."""
        place = next(place for place, one in enumerate(self.parts) if one is part)
        before, after = self._running
        sides = [one for one in (before[place], after[place]) if one is not None]
        return sides[0] if len(sides) == 1 else sides[0] + sides[1]

    @cached_property
    def _running(self) -> tuple[list[ScoreTable | None], list[ScoreTable | None]]:
        tables = [one.evaluation.table for one in self.parts]
        return _before(tables), _before(tables[::-1])[::-1]

    @cached_property
    def _pairs(self) -> Pairs:
        return Pairs.of(self.ev.table)

    @cached_property
    def _grouped(self) -> Grouped:
        return Grouped.of(self.ev.table)

    def _clustered(self, part: Part) -> Estimate:
        """Two areas of different cases, their errors from clusters; clusters are taken to lie in one slice."""
        level, cases, rows = self.ev.settings.level, self.ev.cases, self.slicing.rows
        assert cases is not None
        if rows is None or len(self.parts) * len(cases.mask) > WORK:
            return undefined(CLUSTERED, level=level)
        kept = np.ones(len(cases.mask), dtype=bool)
        kept[rows[part.value]] = False
        first, second = part.evaluation.auc, cases.only(np.flatnonzero(kept)).auc(level)
        spread = sum(math.nan if one.se is None else one.se**2 for one in (first, second))
        if not spread > 0:
            return undefined("the spread between clusters is not seen", level=level)
        gap, se = first.value - second.value, math.sqrt(spread)
        half, z = normal_quantile(level) * se, gap / se
        p = math.erfc(abs(z) / math.sqrt(2))
        low, high = max(-1.0, gap - half), min(1.0, gap + half)
        return Estimate(gap, low, high, level, "delong, clusters", "", p, z, se=se)


def _before(tables: Sequence[ScoreTable]) -> list[ScoreTable | None]:
    """The sum of all tables before each."""
    sums: list[ScoreTable | None] = [None]
    for table in tables[:-1]:
        last = sums[-1]
        sums.append(table if last is None else last + table)
    return sums


# ---- tables without a slice ----


def _without(whole: ScoreTable, part: ScoreTable) -> ScoreTable:
    """The table of the cases that are not in the part."""
    place = _places(whole, part)
    left: dict[str, Any] = {}
    for name in ("pos", "neg", "pos_squares", "neg_squares"):
        held = getattr(whole, name)
        left[name] = None if held is None else _less(held, getattr(part, name), place)
    rows = (whole.rows[0] - part.rows[0], whole.rows[1] - part.rows[1])
    kept = (left["pos"] > 0) | (left["neg"] > 0)
    fields: dict[str, Any] = {name: None if one is None else one[kept] for name, one in left.items()}
    return replace(whole, scores=whole.scores[kept], **fields, rows=rows)


def _less(held: Array, own: Array, place: Array) -> Array:
    left = held.copy()
    left[place] -= own
    return np.maximum(left, 0) if left.dtype.kind == "f" else left  # of float weights a rounding error may stay


def _places(whole: ScoreTable, part: ScoreTable) -> Array:
    if whole.higher_is_positive:
        return np.asarray(len(whole) - 1 - np.searchsorted(whole.scores[::-1], part.scores))
    return np.asarray(np.searchsorted(whole.scores, part.scores))


@dataclass(frozen=True, eq=False)
class Pairs:
    """All pairs of a positive and a negative, counted so that those with a case of a part can be taken off.

    >>> whole = ScoreTable.from_scores([1, 0, 1, 0, 1, 0], [6, 5, 4, 3, 2, 1])
    >>> Pairs.of(whole).without(ScoreTable.from_scores([1, 0], [6, 5]))
    0.75
    """

    whole: ScoreTable
    below: Array
    above: Array
    wins: float

    @classmethod
    def of(cls, whole: ScoreTable) -> Pairs:
        """The negatives that a positive of each score is above, the positives that a negative is below, ties half."""
        pos, neg = (np.asarray(side, dtype=np.float64) for side in (whole.pos, whole.neg))
        below = float(whole.negatives) - np.cumsum(neg) + neg / 2
        return cls(whole, below, np.cumsum(pos) - pos / 2, float(pos @ below))

    def without(self, part: ScoreTable) -> float:
        """The AUC of the cases that are not in the part."""
        pos, neg = (np.asarray(side, dtype=np.float64) for side in (part.pos, part.neg))
        place = _places(self.whole, part)
        own = float(pos @ (float(part.negatives) - np.cumsum(neg) + neg / 2))
        wins = self.wins - pos @ self.below[place] - neg @ self.above[place] + own
        ups, downs = float(self.whole.positives) - pos.sum(), float(self.whole.negatives) - neg.sum()
        return float(wins / (ups * downs))


@dataclass(frozen=True, eq=False)
class Grouped:
    """All scores in groups of neighbours with about the same weight: enough to see a spread."""

    table: ScoreTable
    whole: ScoreTable
    group: Array

    @classmethod
    def of(cls, whole: ScoreTable) -> Grouped:
        """The table on groups."""
        weight = np.cumsum(np.asarray(whole.pos, dtype=np.float64) + np.asarray(whole.neg, dtype=np.float64))
        group = np.minimum((weight / weight[-1] * GROUPS).astype(np.int64), GROUPS - 1)
        starts = np.flatnonzero(np.concatenate(([True], group[1:] != group[:-1])))
        group = np.cumsum(np.concatenate(([0], group[1:] != group[:-1])))
        return cls(_summed(whole, group, whole.scores[starts]), whole, group)

    def without(self, part: ScoreTable) -> ScoreTable:
        """The groups without the cases of a part."""
        own = _summed(part, self.group[_places(self.whole, part)], self.table.scores)
        return _without(self.table, own)


def _summed(table: ScoreTable, group: Array, scores: Array) -> ScoreTable:
    sums: dict[str, Any] = {}
    for name in ("pos", "neg", "pos_squares", "neg_squares"):
        held = getattr(table, name)
        added = None if held is None else np.bincount(group, np.asarray(held, dtype=np.float64), len(scores))
        sums[name] = added if added is None or held.dtype.kind == "f" else np.rint(added).astype(np.int64)
    return replace(table, scores=scores, **sums)
