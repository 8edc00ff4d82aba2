"""Intervals for the mean AUCs of several classes: one-vs-rest, one-vs-one and pooled.

The parts of each mean rank the same cases and are therefore correlated. Their covariance is computed in one pass over
the cases once the tables of all parts are known (`ClassProducts`): for cases in memory, or for batches of a file.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import permutations
from typing import NamedTuple

import numpy as np

from rocscope.estimate import Estimate, undefined
from rocscope.intervals.auc_intervals import auc, clustered_area
from rocscope.intervals.influence import Array, EffectiveSizes, placements
from rocscope.multiclass import ClassRanking, ClassScores, ClassSums
from rocscope.numbers import checked_level, one_of
from rocscope.table import ScoreTable

MEANS = ("macro", "weighted", "micro", "hand-till")
Part = tuple[int, int | None]  # class index of the positives and of the negatives; None for all other classes


class PartCovariance(NamedTuple):
    """The covariance of the parts of averaged measures, and the variances of the pooled AUC.

    `pooled` holds the variance of the pooled AUC over cases, and its variance if each decision were a separate case;
    `gaps` states how strongly the calibration errors of the classes vary together (`ClassGaps.together`); it is 1 if
    that is unknown.
    """

    parts: tuple[Part, ...]
    covariance: Array
    pooled: tuple[float, float]
    gaps: float = 1.0


def mean_auc(scores: ClassRanking, how: str = "macro", *, level: float = 0.95) -> Estimate:
    """The mean AUC over classes, with an interval that accounts for all of them ranking the same cases.

    The limits of the parts (`auc`) are combined by MOVER: A - sqrt(ΣΣ w_a w_b r_ab (A_a - l_a)(A_b - l_b)), where r is
    the correlation of the parts from DeLong's placements within each class, or 1 if it cannot be observed. With two
    classes and complementary scores, this is the interval for the single AUC. "micro" pools the decisions, which are
    clustered by case. Added sums (`ClassSums`) do not show how the parts covary: r is then 1, which gives the widest
    limits, and the pooled AUC has none. Zou & Donner, Stat Med 2008;27:1693-1702; DeLong et al., Biometrics
    1988;44:837-845.

    >>> c = ClassScores.of([0, 0, 1, 1, 2, 2], [[.8, .1, .1], [.5, .3, .2], [.2, .7, .1], [.4, .3, .3], [.1, .3, .6],
    ...                                         [.3, .3, .4]])
    >>> print(mean_auc(c), mean_auc(c, "hand-till"))
    0.94 [0.42, 0.99] 0.94 [0.35, 0.99]
    """
    level = checked_level(level)
    one_of("mean", how, MEANS)
    if how == "micro":
        return _pooled(scores, level)
    shares = _shares(scores, how)
    estimates = {part: auc(table, level=level) for part in shares if (table := _table(scores, part)) is not None}
    parts = [part for part in shares if part in estimates and not math.isnan(estimates[part].value)]
    total = math.fsum(shares[part] for part in parts)
    name = f"newcombe, mean of {len(parts)} (MOVER)"
    if not total:
        return undefined(
            "no class can be compared with the rest: each has either no cases or all of them", level=level, method=name
        )
    value = math.fsum(shares[part] * estimates[part].value for part in parts) / total
    below, above = (
        np.array([shares[part] / total * abs(estimates[part].value - getattr(estimates[part], side)) for part in parts])
        for side in ("low", "high")
    )
    reach = _reach(scores, parts)
    low, high = value - reach(below), value + reach(above)
    return Estimate(value, max(0.0, low), min(1.0, high), level, name)


def _shares(scores: ClassRanking, how: str) -> dict[Part, float]:
    """The parts of a mean, each with its weight."""
    support = scores.support
    present = np.flatnonzero(support > 0).tolist()
    if how == "hand-till":
        return dict.fromkeys(permutations(present, 2), 1.0)
    return {(at, None): float(support[at]) if how == "weighted" else 1.0 for at in present}


def _table(scores: ClassRanking, part: Part) -> ScoreTable | None:
    labels, (at, against) = scores.labels, part
    return scores.table(labels[at]) if against is None else scores.pair(labels[at], labels[against])


def _pooled(scores: ClassRanking, level: float) -> Estimate:
    table, known = scores.pooled(), _products(scores, [], pooled=True)
    if known is None:
        why = "sums over cases do not show how the decisions about one case covary"
        return Estimate(auc(table, level=level).value, level=level, method="pooled", why=why)
    sizes = scores.sizes if isinstance(scores, ClassSums) else (len(getattr(scores, "codes", ())),)
    cases = float(sum(sizes))
    return clustered_area(table, *known.pooled, EffectiveSizes(cases, cases), level=level)


def _reach(scores: ClassRanking, parts: Sequence[Part]) -> Callable[[Array], float]:
    """The distance of a mean's limit on one side, from those of the parts: sqrt(ΣΣ r_ab x_a x_b).

    r is the correlation of the parts, cases resampled within their class; 1 where a part's spread is not seen.
    """
    weighted = scores.weighted if isinstance(scores, ClassSums) else getattr(scores, "weights", None) is not None
    known = None if weighted else _products(scores, parts)
    if known is None:
        # conservative: the correlations are unknown for weighted cases and for stored sums
        return lambda sides: float(sides.sum())
    place = {part: at for at, part in enumerate(known.parts)}
    at = np.array([place[part] for part in parts])
    spread = np.sqrt(np.maximum(known.variances[at], 0.0))
    seen = spread > 0

    def reach(sides: Array) -> float:
        steps = np.zeros(len(known.parts))
        steps[at[seen]] = sides[seen] / spread[seen]
        apart, together = float(sides[~seen].sum()), float(sides[seen].sum())
        return math.sqrt(max(0.0, known.along(steps) + apart * (apart + 2 * together)))

    return reach


class PartProducts(NamedTuple):
    """The covariance of parts by class: the parts that cases of the class belong to, and their covariance."""

    parts: tuple[Part, ...]
    blocks: tuple[tuple[Array, Array], ...]
    pooled: tuple[float, float]

    @property
    def variances(self) -> Array:
        """The variance of each part."""
        found = np.zeros(len(self.parts))
        for own, spread in self.blocks:
            found[own] += np.diag(spread)
        return found

    def along(self, steps: Array) -> float:
        """The variance of a weighted sum of the parts, without the matrix of all pairs."""
        return float(sum(steps[own] @ spread @ steps[own] for own, spread in self.blocks))

    @property
    def covariance(self) -> Array:
        """The covariance of all parts."""
        found = np.zeros((len(self.parts), len(self.parts)))
        for own, spread in self.blocks:
            found[np.ix_(own, own)] += spread
        return found


def _products(scores: ClassRanking, parts: Sequence[Part], *, pooled: bool = False) -> PartProducts | None:
    """The covariance of parts: from sums if they include it, or from one pass over cases in memory."""
    if isinstance(scores, ClassSums):
        known: PartCovariance | None = scores.products
        if known is None:
            return None
        return PartProducts(known.parts, ((np.arange(len(known.parts)), known.covariance),), known.pooled)
    assert isinstance(scores, ClassScores)
    asked, kept = (tuple(parts), pooled), vars(scores).setdefault("_products", {})
    if asked not in kept:  # macro and weighted means share the same parts
        products = ClassProducts(scores, parts, pooled=pooled)
        products.add(scores)
        kept[asked] = products.of_parts
    return kept[asked]  # type: ignore[no-any-return]


# ---- one pass over the cases ----


class ClassProducts:
    """Sums of products of placement values of all parts, by class, in one pass over cases whose tables are known.

    >>> c = ClassScores.of([0, 0, 1, 1], [[.8, .2], [.4, .6], [.5, .5], [.1, .9]])
    >>> products = ClassProducts(c, [(0, None), (1, None)])
    >>> products.add(c)
    >>> products.covariance.covariance.round(3).tolist()
    [[0.125, 0.125], [0.125, 0.125]]
    """

    def __init__(self, ranking: ClassRanking, parts: Sequence[Part] | None = None, *, pooled: bool = True) -> None:
        every = [*_shares(ranking, "macro"), *_shares(ranking, "hand-till")] if parts is None else parts
        tables = {part: table for part in every if (table := _table(ranking, part)) is not None}
        both = {part: table for part, table in tables.items() if table.positives and table.negatives}
        self.parts = tuple(both)
        self._looks = {part: _placing(table) for part, table in both.items()}
        self._rows = {part: table.rows for part, table in both.items()}
        classes = range(len(ranking.labels))
        self._own: dict[int, list[int]] = {at: [] for at in classes}
        for n, (up, down) in enumerate(self.parts):
            for at in classes if down is None else sorted((up, down)):
                self._own[at].append(n)
        self._sums = {at: np.zeros((len(own), len(own))) for at, own in self._own.items()}
        self._firsts = {at: np.zeros(len(own)) for at, own in self._own.items()}
        self._counts = dict.fromkeys(classes, 0)
        self._all = ranking.pooled() if pooled else None
        self._place = None if self._all is None or not self._all.negatives else _placing(self._all)
        self._pooled = np.zeros(4)  # sums of u², l² and ul over cases, and of l² over decisions

    def add(self, held: ClassScores) -> None:
        """Add the products of some of the cases."""
        for at, own in self._own.items():
            members = np.flatnonzero(held.codes == at)
            if len(members) and own:
                added = np.stack([self._added(self.parts[n], at, held.scores[members]) for n in own])
                self._sums[at] += added @ added.T
                self._firsts[at] += added.sum(axis=1)
            self._counts[at] += len(members)
        if self._place is not None:
            self._add_pooled(held)

    def mean_added(self, cases: ClassScores) -> Array:
        """The contribution of each case to the mean one-vs-rest AUC, minus the average contribution."""
        whole = [part for part in self.parts if part[1] is None]
        added = np.zeros(len(cases.codes))
        for at in self._own:
            members = np.flatnonzero(cases.codes == at)
            if len(members) and whole:
                scores = cases.scores[members]
                added[members] = np.sum([self._added(part, at, scores) for part in whole], axis=0) / len(whole)
        return added

    def _added(self, part: Part, at: int, scores: Array) -> Array:
        """The contributions of a class's cases to an AUC, minus their mean."""
        look, (up, down), own = self._looks[part], self._rows[part], part[0] == at
        return look(np.ascontiguousarray(scores[:, part[0]]), own) / max(1, up if own else down)

    def _add_pooled(self, held: ClassScores) -> None:
        assert self._place is not None and self._all is not None
        rows, classes = held.scores.shape
        mass = np.ones(rows) if held.weights is None else np.asarray(held.weights, dtype=np.float64)
        hit = held.codes[:, None] == np.arange(classes)
        own = np.take_along_axis(held.scores, held.codes[:, None].astype(np.intp), axis=1)[:, 0]
        up = mass * self._place(own, True) / float(self._all.positives)
        losses = np.where(hit, 0.0, self._place(held.scores.ravel(), False).reshape(rows, classes))
        losses *= mass[:, None] / float(self._all.negatives)
        down = losses.sum(axis=1)
        self._pooled += np.array([up @ up, down @ down, up @ down, (losses * losses).sum()])

    @property
    def of_parts(self) -> PartProducts:
        """The covariances of the parts within each class, from the cases that were added."""
        blocks = []
        for at, own in self._own.items():
            n, first = self._counts[at], self._firsts[at]
            if n > 1 and own:
                blocks.append((np.array(own), (self._sums[at] - np.outer(first, first) / n) * (n / (n - 1))))
        return PartProducts(self.parts, tuple(blocks), self._of_pooled(sum(self._counts.values())))

    @property
    def covariance(self) -> PartCovariance:
        """The covariance of all parts as one matrix."""
        matrix = self.of_parts
        return PartCovariance(matrix.parts, matrix.covariance, matrix.pooled)

    def _of_pooled(self, cases: int) -> tuple[float, float]:
        """Variances of the pooled AUC: Obuchowski's with each case as a cluster, and DeLong's of single decisions."""
        if self._all is None or cases < 2:
            return math.nan, math.nan
        up, down, cross, each = self._pooled.tolist()
        decisions = sum(self._all.rows) - cases
        spread = (up + down + 2 * cross) * cases / (cases - 1)
        return spread, up * cases / (cases - 1) + each * decisions / max(1, decisions - 1)


def _placing(table: ScoreTable) -> Callable[[Array, bool], Array]:
    """The placement of scores in a table, minus its AUC: of positives, or of negatives."""
    edges = np.ascontiguousarray(table.scores[::-1].astype(np.float64))
    area = float(table.twice_u) / (2.0 * float(table.positives) * float(table.negatives))
    sides = [np.ascontiguousarray(side[::-1]) - area for side in placements(table)]

    def look(scores: Array, positive: bool) -> Array:
        at = np.searchsorted(edges, scores.astype(np.float64), side="right") - 1
        return np.asarray(sides[0 if positive else 1][np.maximum(at, 0)])

    return look
