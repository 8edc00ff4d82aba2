"""Information that a table of sums does not retain: the cluster of each case, and how uneven the weights are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope import curves, intervals, measures
from rocscope.decisions import Costs
from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate
from rocscope.evaluation.settings import Progress
from rocscope.formula import CELLS
from rocscope.intervals import PairedCases
from rocscope.record import record
from rocscope.table import Counts, ScoreTable

Array = NDArray[Any]
FEW_CASES = 20_000  # maximum number of cases for which clusters are resampled: each resample passes over all of them
RESAMPLES = 1000  # number of resamples of whole clusters, for areas without a closed-form variance under clustering


@record(slots=True, eq=False)
class ScoredCases:
    """The individual cases, kept if the table alone is not sufficient: for clusters, and for thresholds fitted in
    folds.
    """

    mask: Array
    scores: Array
    higher_is_positive: bool = True
    weights: Array | None = None
    clusters: Array | None = None

    @property
    def cluster_count(self) -> int:
        """The number of clusters; 0 if none were given."""
        return 0 if self.clusters is None else int(self.clusters.max()) + 1

    @property
    def groups(self) -> tuple[Array, int]:
        """The cluster of each case, and the number of clusters."""
        assert self.clusters is not None
        return self.clusters, self.cluster_count

    def only(self, rows: Array) -> ScoredCases:
        """Select rows."""
        codes = None if self.clusters is None else np.unique(self.clusters[rows], return_inverse=True)[1]
        weights = None if self.weights is None else self.weights[rows]
        return ScoredCases(self.mask[rows], self.scores[rows], self.higher_is_positive, weights, codes)

    def holding(self) -> tuple[float, float]:
        """The numbers of clusters with a positive and with a negative: the independent cases of each class."""
        positives, negatives = (len(np.unique(self.groups[0][self.mask == side])) for side in (1, 0))
        return float(positives), float(negatives)

    def rows(self) -> Any:
        """The cases ranked by their scores, for resampling."""
        higher = self.higher_is_positive
        return PairedCases.of(self.mask, [self.scores], higher_is_positive=higher, weights=self.weights)

    def auc(self, level: float) -> Estimate:
        """The AUC with an interval that accounts for the clusters."""
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

    def summed_area(self, name: str, level: float) -> Estimate | None:
        """A statistic of very many cases with an interval from sums over clusters; None for few cases."""
        if len(self.mask) <= FEW_CASES or curves.get(name).influence is None:
            return None
        return intervals.area_in_clusters(self.rows(), name, self.groups, level=level)

    def cross_fitted(self, rule: str, costs: Costs | None, *, folds: int, seed: int) -> Counts:
        """The counts at thresholds chosen without the cases they are applied to."""
        if self.weights is not None or self.clusters is not None:
            what = "weights" if self.weights is not None else "clusters"
            raise RocscopeError(f"cross-fitting does not support {what}", hint="Choose the threshold on other cases")
        return intervals.cross_fitted(
            self.mask, self.scores, rule, costs=costs, folds=folds, seed=seed,
            higher_is_positive=self.higher_is_positive,
        )  # fmt: skip

    def by_cluster(self, threshold: float) -> Array:
        """The four cells of each cluster at a threshold, in the order tp, fp, fn, tn."""
        flagged = self.scores >= threshold if self.higher_is_positive else self.scores <= threshold
        return intervals.cells_by_cluster(self.mask, flagged, self.groups, self.weights)


def estimate_of(counts: Counts, name: str, *, level: float, units: Array | None) -> Estimate:
    """Estimate a measure with an interval for the effective number of independent cases, if there are clusters.

    The counts are divided by the design effect of the measure, and Student's t is used with the degrees of freedom
    given by the number of clusters (`intervals.cluster_effect`). Without clusters, it is the estimate from the counts,
    which include their weights.

    >>> counts = Counts(tp=8, fp=4, fn=2, tn=6)
    >>> print(estimate_of(counts, "recall", level=0.95, units=None))
    0.80 [0.49, 0.94]
    >>> print(estimate_of(counts, "recall", level=0.95, units=np.array([[4, 2, 1, 3], [4, 2, 1, 3]])))
    0.80 [0.49, 0.94]
    """
    plain = counts.estimate(name, level=level)
    if units is None or math.isnan(plain.value):
        return plain
    effect = intervals.cluster_effect(units, intervals.measure_slopes(name, _floats(counts)))
    return in_clusters(plain, _worth(counts, effect.allowing(level)).estimate(name, level=level))


def cost_estimate(counts: Counts, costs: Costs, *, level: float, units: Array | None) -> Estimate:
    """Estimate the expected cost per case with an interval for the effective number of independent cases.

    >>> counts, costs = Counts(tp=8, fp=4, fn=2, tn=6), Costs(fp=1, fn=5)
    >>> print(cost_estimate(counts, costs, level=0.95, units=None))
    0.70 [0.27, 1.57]
    >>> print(cost_estimate(counts, costs, level=0.95, units=np.array([[8, 4, 2, 6], [0, 0, 0, 0]])))
    0.70 [0.27, 1.57]
    """
    plain = intervals.expected_cost(counts, costs, level=level)
    if units is None or math.isnan(plain.value):
        return plain

    def cost(cells: Mapping[str, Any]) -> Any:
        return costs.per_case(*(cells[name] for name in CELLS), number=float)

    effect = intervals.cluster_effect(units, intervals.cell_slopes(cost, _floats(counts)))
    return in_clusters(plain, intervals.expected_cost(_worth(counts, effect.allowing(level)), costs, level=level))


def in_clusters(plain: Estimate, shrunk: Estimate) -> Estimate:
    """The estimate from the counts with the limits of a smaller number of cases, and a method that says so."""
    return replace(shrunk, value=plain.value, method=f"{shrunk.method}, clusters")


def _floats(counts: Counts) -> Array:
    return np.array([float(cell) for cell in counts.cells.values()])


def _worth(counts: Counts, effect: float) -> Counts:
    """The effective number of independent cases of counts in clusters."""
    cells = (_floats(counts) / effect).tolist()
    return Counts.of(cells, labels=counts.labels, known_prevalence=counts.known_prevalence)


def effect_of(counts: Counts, name: str, *, units: Array | None, squares: Array | None) -> float:
    """The design effect: how many cases in clusters, or with weights, equal one independent case for a
    measure.
    """
    if units is None and squares is None:
        measures.get(name)  # raises an error for an unknown name
        return 1.0
    cells = _floats(counts)
    slope = intervals.measure_slopes(name, cells)
    if units is not None:
        return intervals.cluster_effect(units, slope).effect
    independent, spread = float((slope * slope) @ cells), float((slope * slope) @ squares)
    size = float(squares.sum() / cells.sum())  # type: ignore[union-attr]
    return max(spread / independent if independent > 1e-30 and math.isfinite(spread / independent) else size, 1e-300)


def squares_at(table: ScoreTable, threshold: float) -> Array | None:
    """The sums of squared weights in the four cells at a threshold; None if each unit of weight is a case."""
    if table.pos_squares is None or table.neg_squares is None:
        return None
    row = table.position(threshold)
    tp, fp = (float(side[:row].sum()) for side in (table.pos_squares, table.neg_squares))
    return np.array([tp, fp, float(table.pos_squares.sum()) - tp, float(table.neg_squares.sum()) - fp])
