"""Predictions of classes or of several labels for cases in clusters: limits that treat clusters as independent."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rocscope import intervals
from rocscope.estimate import Estimate
from rocscope.evaluation.clusters import FEW_CASES, estimate_of
from rocscope.evaluation.settings import Settings
from rocscope.multiclass import ClassPredictions, LabelPredictions
from rocscope.numbers import Array
from rocscope.record import record
from rocscope.table import Counts

RESAMPLES = 2000
UNKNOWN = "no limits are computed for clusters here"


@record(slots=True, eq=False)
class ClusteredPredictions:
    """The predictions of a model, the cluster of each case, and the number of clusters.

    Measures of one class or label come from its four counts in each cluster (`clusters.estimate_of`), all others from
    resamples of whole clusters.
    """

    predictions: ClassPredictions | LabelPredictions
    groups: tuple[Array, int]
    settings: Settings

    def measures(self, names: Sequence[str]) -> dict[str, Estimate]:
        """Measures by name, all in the same resamples; without limits for very many cases.

        >>> cases = ClassPredictions.of_labels(list("aabbab") * 4, list("abbbaa") * 4)
        >>> clustered = ClusteredPredictions(cases, (np.repeat(np.arange(12), 2), 12), Settings())
        >>> print(clustered.measures(["accuracy"])["accuracy"])
        0.67 [0.54, 0.79]
        """
        statistics = [intervals.case_statistic(name, self.predictions) for name in names]
        level, n = self.settings.level, self.settings.bootstrap or RESAMPLES
        values = [statistic.value(self.predictions) for statistic in statistics]
        if len(self.predictions) > FEW_CASES:
            closed = [statistic.estimate(self.predictions, level=level) for statistic in statistics]
            return dict(zip(names, map(without_limits, closed), strict=True))
        ready = [statistic.prepare(self.predictions) for statistic in statistics]
        weights = 1.0 if self.predictions.weights is None else self.predictions.mass
        blocks = intervals.multiplicities(
            self.predictions, n, seed=self.settings.seed, stratified=False, clusters=self.groups
        )
        drawn = np.concatenate([np.stack([each(block * weights) for each in ready], axis=1) for block in blocks])
        return {
            name: self._limited(statistic, value, column, level)
            for name, statistic, value, column in zip(names, statistics, values, drawn.T, strict=True)
        }

    def _limited(self, statistic: intervals.CaseStatistic, value: float, drawn: Array, level: float) -> Estimate:
        if math.isnan(value):
            return statistic.estimate(self.predictions, level=level)
        limits = intervals.from_replicates(statistic, value, drawn, level=level)
        return replace(limits, method=f"{limits.method}, clusters")

    def of_counts(self, counts: Counts, names: Sequence[str], actual: Array, predicted: Array) -> dict[str, Estimate]:
        """Measures of the counts of one class or label, which `actual` and `predicted` mark among the cases."""
        units = intervals.cells_by_cluster(actual, predicted, self.groups, self.predictions.weights)
        return {name: estimate_of(counts, name, level=self.settings.level, units=units) for name in names}

    def auc(self, actual: Array, scores: Array) -> Estimate:
        """The AUC of one class or label."""
        return intervals.auc_clustered(
            actual.astype(np.int64), scores, self.groups[0], weights=self.predictions.weights,
            level=self.settings.level,
        )  # fmt: skip


def without_limits(estimate: Estimate) -> Estimate:
    """An estimate without limits that would treat cases in clusters as independent.

    >>> without_limits(Estimate(0.5, 0.4, 0.6)).why
    'no limits are computed for clusters here'
    """
    return replace(estimate, low=math.nan, high=math.nan, se=None, why=estimate.why or UNKNOWN)


def all_without_limits(estimates: Mapping[Any, Estimate]) -> dict[Any, Estimate]:
    """Estimates by name, without limits."""
    return {name: without_limits(estimate) for name, estimate in estimates.items()}
