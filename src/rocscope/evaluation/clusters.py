"""What a table of sums forgets: which case is in which cluster, and how uneven the weights are."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope import intervals, measures
from rocscope.decisions import Costs
from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate
from rocscope.evaluation.settings import Progress
from rocscope.formula import CELLS
from rocscope.intervals import PairedCases
from rocscope.numbers import normal_quantile, student_quantile
from rocscope.record import record
from rocscope.table import Counts, ScoreTable

Array = NDArray[Any]
RESAMPLES = 1000  # of whole clusters, for the areas that have no closed form with clusters


@record(slots=True, eq=False)
class ScoredCases:
    """The cases themselves, kept where the table alone is not enough: clusters, and thresholds fitted in folds."""

    mask: Array
    scores: Array
    higher_is_positive: bool = True
    weights: Array | None = None
    clusters: Array | None = None

    @property
    def cluster_count(self) -> int:
        """How many clusters there are; 0 when none were said."""
        return 0 if self.clusters is None else int(self.clusters.max()) + 1

    @property
    def groups(self) -> tuple[Array, int]:
        """The cluster of each case, and how many clusters there are."""
        assert self.clusters is not None
        return self.clusters, self.cluster_count

    def only(self, rows: Array) -> ScoredCases:
        """The cases of some rows."""
        codes = None if self.clusters is None else np.unique(self.clusters[rows], return_inverse=True)[1]
        weights = None if self.weights is None else self.weights[rows]
        return ScoredCases(self.mask[rows], self.scores[rows], self.higher_is_positive, weights, codes)

    def holding(self) -> tuple[float, float]:
        """How many clusters hold a positive, and how many a negative: the independent cases of each class."""
        positives, negatives = (len(np.unique(self.groups[0][self.mask == side])) for side in (1, 0))
        return float(positives), float(negatives)

    def rows(self) -> Any:
        """The cases ranked by their scores, as resampling takes them."""
        higher = self.higher_is_positive
        return PairedCases.of(self.mask, [self.scores], higher_is_positive=higher, weights=self.weights)

    def auc(self, level: float) -> Estimate:
        """The AUC with an interval that allows for the clusters."""
        return intervals.auc_clustered(
            self.mask, self.scores, self.clusters, weights=self.weights, higher_is_positive=self.higher_is_positive,
            level=level,
        )  # fmt: skip

    def area(
        self, name: intervals.StatisticSpec, *, n: int, seed: int, level: float, progress: Progress | None = None
    ) -> Estimate:
        """A statistic over all thresholds with an interval from resampled clusters."""
        return intervals.bootstrap_rows(
            self.mask, self.scores, name, clusters=self.clusters, weights=self.weights, n=n, seed=seed, level=level,
            higher_is_positive=self.higher_is_positive, progress=progress,
        )  # fmt: skip

    def cross_fitted(self, rule: str, costs: Costs | None, *, folds: int, seed: int) -> Counts:
        """The counts of thresholds chosen without the cases they decide."""
        if self.weights is not None or self.clusters is not None:
            what = "weights" if self.weights is not None else "clusters"
            raise RocscopeError(f"cross-fitting does not support {what}", hint="Choose the threshold on other cases")
        return intervals.cross_fitted(
            self.mask, self.scores, rule, costs=costs, folds=folds, seed=seed,
            higher_is_positive=self.higher_is_positive,
        )  # fmt: skip

    def by_cluster(self, threshold: float) -> Array:
        """The four cells of each cluster at a threshold, in the order tp fp fn tn."""
        clusters, count = self.groups
        flagged = self.scores >= threshold if self.higher_is_positive else self.scores <= threshold
        cell = 2 * (~flagged).astype(np.int64) + (self.mask == 0)  # 0 tp, 1 fp, 2 fn, 3 tn
        return np.bincount(clusters * 4 + cell, self.weights, 4 * count).reshape(-1, 4)


def estimate_of(counts: Counts, name: str, *, level: float, units: Array | None) -> Estimate:
    """A measure with an interval for as many independent cases as the clusters are worth, if there are any.

    The counts are divided by the design effect: the variance of the linearized measure over clusters by its variance
    over independent cases, 1 at least; where it is more, Student's t for the number of clusters takes the place of the
    normal distribution. Kish 1965, Survey Sampling. Without clusters it is the estimate of the counts, which know their
    weights.

    >>> counts = Counts(tp=8, fp=4, fn=2, tn=6)
    >>> print(estimate_of(counts, "recall", level=0.95, units=None))
    0.80 [0.49, 0.94]
    >>> print(estimate_of(counts, "recall", level=0.95, units=np.array([[4, 2, 1, 3], [4, 2, 1, 3]])))
    0.80 [0.49, 0.94]
    """
    plain = counts.estimate(name, level=level)
    if units is None or math.isnan(plain.value):
        return plain
    cells = np.array([float(cell) for cell in counts.cells.values()])
    effect = effect_of(counts, name, units=units, squares=None)
    if effect > 1 and len(units) > 1:
        effect *= (student_quantile(level, len(units) - 1) / normal_quantile(level)) ** 2
    shrunk = Counts.of((cells / effect).tolist(), labels=counts.labels, known_prevalence=counts.known_prevalence)
    found = shrunk.estimate(name, level=level)
    return replace(found, value=plain.value, method=f"{found.method}, clusters")


def effect_of(counts: Counts, name: str, *, units: Array | None, squares: Array | None) -> float:
    """The design effect: how many cases in clusters, or with weights, count as one independent case for a measure."""
    if units is None and squares is None:
        measures.get(name)  # an unknown name is refused here, too
        return 1.0
    cells = np.array([float(cell) for cell in counts.cells.values()])
    return _design_effect(_gradient(name, cells), cells, units, squares)


def squares_at(table: ScoreTable, threshold: float) -> Array | None:
    """The sums of squared weights in the four cells at a threshold; None when each unit of weight is a case."""
    if table.pos_squares is None or table.neg_squares is None:
        return None
    row = table.position(threshold)
    tp, fp = (float(side[:row].sum()) for side in (table.pos_squares, table.neg_squares))
    return np.array([tp, fp, float(table.pos_squares.sum()) - tp, float(table.neg_squares.sum()) - fp])


def _design_effect(slope: Array, cells: Array, units: Array | None, squares: Array | None) -> float:
    independent = float((slope * slope) @ cells)
    if units is not None:
        count, size = len(units), float(cells.sum()) / len(units)
        seen = units @ slope
        spread = count / max(1, count - 1) * float(((seen - seen.mean()) ** 2).sum())
    else:
        assert squares is not None
        size, spread = float(squares.sum() / cells.sum()), float((slope * slope) @ squares)
    effect = spread / independent if independent > 1e-30 and math.isfinite(spread / independent) else size
    return max(effect, 1.0) if units is not None else max(effect, 1e-300)


def _gradient(name: str, cells: Array) -> Array:
    """How the measure changes with each cell, by small steps either way; 0 where it cannot be seen."""
    measure, total = measures.get(name), float(cells.sum())
    slope = np.zeros(4)
    for place in range(4):
        step = 1e-6 * total
        up, down = (_at(measure.value, cells, place, sign * step) for sign in (1, -1))
        slope[place] = (up - down) / (2 * step)
    return np.nan_to_num(slope, nan=0.0, posinf=0.0, neginf=0.0)


def _at(value: Callable[[Mapping[str, Any]], Any], cells: Array, place: int, step: float) -> float:
    moved = cells.copy()
    moved[place] += step
    return float(value(dict(zip(CELLS, moved.tolist(), strict=True))))
