"""The deciding measure named by the user: its values, differences and resamples."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from rocscope import curves, measures, significance
from rocscope.decisions import Costs
from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate
from rocscope.evaluation.certainty import best_shares, replicate_covariance
from rocscope.evaluation.cost_differences import cost_covariance, cost_difference
from rocscope.intervals import (
    EXAMPLES,
    AskedStatistic,
    Statistic,
    asked_statistic,
    check_replicates,
    from_replicates,
    joined_blocks,
    model_values,
    statistic_of,
)
from rocscope.record import record

if TYPE_CHECKING:
    from rocscope.evaluation.comparison import Comparison

RESAMPLES = 2000  # number of resamples for an interval
SHARE_RESAMPLES = 600  # number of resamples for the share in which a model is best, if the interval has a closed form
HINT = "Use, for example, average_precision, brier, error_rate or f1; the catalog of measures lists all of them"

# Measures that are linear in the two error rates: a difference equals a difference in cost at these prices, times
# the factor, so it has a closed form.
PRICED: Mapping[str, tuple[Costs, float]] = MappingProxyType({
    "error_rate": (Costs(fp=1, fn=1), 1.0),
    "accuracy": (Costs(fp=1, fn=1), -1.0),
    "balanced_accuracy": (Costs(fp=1, fn=1, prevalence=0.5), -1.0),
    "youden": (Costs(fp=1, fn=1, prevalence=0.5), -2.0),
    "recall": (Costs(fp=0, fn=1, prevalence=0.5), -2.0),
    "false_negative_rate": (Costs(fp=0, fn=1, prevalence=0.5), 2.0),
    "specificity": (Costs(fp=1, fn=0, prevalence=0.5), -2.0),
    "false_positive_rate": (Costs(fp=1, fn=0, prevalence=0.5), 2.0),
})  # fmt: skip


@record
class PrimaryMeasure:
    """A measure of every model of a comparison: over all thresholds, or at the threshold of each.

    `statistics` are in the order of the models; those of a measure at a threshold differ only in the threshold.
    """

    among: Comparison
    name: str
    title: str
    lowest: bool
    at_threshold: bool
    statistics: Sequence[Statistic]
    pt: float | None = None  # threshold probability of a net benefit

    @cached_property
    def values(self) -> dict[str, float]:
        """The measure of each model on the original cases."""
        tables = (evaluation.table for evaluation in self.among.evaluations.values())
        values = [statistic.value(table) for statistic, table in zip(self.statistics, tables, strict=True)]
        return dict(zip(self.among.names, values, strict=True))

    @property
    def best(self) -> str:
        """The model with the best value; the first one if several are tied."""
        sign = -1 if self.lowest else 1
        return max(self.among.names, key=lambda name: sign * self.values[name])

    def estimate(self, model: str) -> Estimate:
        """The measure of a model with its interval, from its evaluation if available there."""
        evaluation = self.among.evaluations[model]
        if self.name in evaluation.estimates:
            return evaluation.estimates[self.name]
        if self.at_threshold:
            return evaluation.measure(self.name)
        if asked_statistic(self.name) is not None and self.among.clusters is None:
            return evaluation.area(self.name)
        index = self.among.names.index(model)
        estimate = from_replicates(
            self.statistics[index], self.values[model], self._replicates[index], level=self.among.settings.level
        )
        return replace(estimate, method="bootstrap percentile")

    # ---- differences ----

    def difference(self, a: str, b: str) -> Estimate:
        """The measure of a minus the measure of b on the same cases, with its interval and p-value."""
        return self._resampled(a, b) if self.prices is None else self._priced(a, b, *self.prices)

    @property
    def prices(self) -> tuple[Costs, float] | None:
        """The costs of which the measure is a multiple, and the factor; None if it is not linear in costs.

        A net benefit is the prevalence minus w FP/n and FN/n at the threshold pt of every model.
        """
        if self.pt is not None:
            return Costs(fp=self.pt / (1 - self.pt), fn=1), -1.0
        return PRICED.get(self.name)

    def _flagged(self, model: str) -> Any:
        """Which cases a model flags: at its threshold, or at pt."""
        if self.pt is None:
            return self.among.flagged(model)
        return self.among.scores[model] >= self.pt

    @property
    def width(self) -> float:
        """The largest possible difference."""
        return self.statistics[0].high - self.statistics[0].low

    @cached_property
    def covariance(self) -> Any:
        """The covariance of all models' values on the same cases."""
        cmp = self.among
        if self.prices is not None:
            costs, factor = self.prices
            flags = np.stack([self._flagged(name) for name in cmp.names])
            return cost_covariance(cmp.mask, flags, costs, per=abs(factor), weights=cmp.weights, clusters=cmp.clusters)
        return replicate_covariance(self._replicates)

    def _priced(self, a: str, b: str, costs: Costs, factor: float) -> Estimate:
        cmp, turned = self.among, factor < 0
        first, other = (b, a) if turned else (a, b)
        return cost_difference(
            cmp.mask, self._flagged(first), self._flagged(other), costs, level=cmp.settings.level, per=abs(factor),
            weights=cmp.weights, clusters=cmp.clusters,
        )  # fmt: skip

    def _resampled(self, a: str, b: str) -> Estimate:
        at, other = (self.among.names.index(name) for name in (a, b))
        return significance.difference_of_replicates(
            self.statistics[at], self.values[a] - self.values[b], self._replicates[at] - self._replicates[other],
            level=self.among.settings.level, cases=min(self.among.sizes),
        )  # fmt: skip

    # ---- resamples ----

    @cached_property
    def best_shares(self) -> tuple[float, ...]:
        """The share of the resamples in which each model is best; ties are split."""
        return best_shares(self._replicates, lowest=self.lowest)

    @cached_property
    def _replicates(self) -> Any:
        """The measure of every model (rows) in the same resamples of cases or whole clusters (columns)."""
        cmp, settings = self.among, self.among.settings
        n = settings.bootstrap or (RESAMPLES if self.prices is None else SHARE_RESAMPLES)
        check_replicates(n, settings.level)
        rows, groups = cmp.repeatable
        blocks = model_values(rows, self.statistics, n, seed=settings.seed, stratified=False, clusters=groups)
        stacked = (np.stack(block, axis=1) for block in blocks)
        return joined_blocks(stacked, n, cmp.evaluations[cmp.names[0]].progress).T

    def to_dict(self) -> dict[str, Any]:
        """The deciding measure and its value for each model, for the results document."""
        values = {name: self.estimate(name).to_dict() for name in self.among.names}
        return {
            "name": self.name,
            "title": self.title,
            "best": "lowest" if self.lowest else "highest",
            "values": values,
        }


# ---- lookup by name ----


def primary_measure(cmp: Comparison) -> PrimaryMeasure | None:
    """The measure that the user named.

    Returns None for the AUC, the default. A measure that cannot decide is an error.
    """
    key = cmp.settings.measure
    if key is None:
        return None
    if (explicit := asked_statistic(key)) is not None:
        return _explicit(cmp, explicit)
    over_all = curves.names().get(key)
    if over_all is not None and over_all.name == "auc":
        return None
    known: Any = over_all if over_all is not None and over_all.kind == "statistic" else _at_threshold(key)
    _usable(cmp, known, needs_point=known is not over_all)
    statistics = _statistics(cmp, known, over_all)
    measure = PrimaryMeasure(cmp, known.name, known.title, known.best == known.low, known is not over_all, statistics)
    for (name, evaluation), statistic in zip(cmp.evaluations.items(), measure.statistics, strict=True):
        if not math.isfinite(measure.values[name]):
            why = statistic.why(evaluation.table) or "it is not a finite number"
            raise _refused(known.name, f"of {name}: {why}", HINT)
    return measure


def _explicit(cmp: Comparison, explicit: AskedStatistic) -> PrimaryMeasure:
    """A statistic whose name contains its range or point."""
    settings, name = cmp.settings, explicit.name
    if settings.test is not None:
        raise _refused(name, f"test '{settings.test}' compares AUCs", "Give only one of the two")
    if cmp.beyond:
        raise _refused(name, "it requires all cases in memory", "Leave it out so that the AUC decides, or give costs")
    statistics = (explicit.statistic,) * len(cmp.names)
    measure = PrimaryMeasure(cmp, name, explicit.title, False, False, statistics, explicit.pt)
    for model, evaluation in cmp.evaluations.items():
        if explicit.needs_probabilities and not evaluation.probabilities:
            raise _refused(name, f"the scores of {model} are not probabilities", HINT)
        if why := explicit.statistic.why(evaluation.table):
            raise _refused(name, f"of {model}: {why}", HINT)
    return measure


def _at_threshold(name: str) -> measures.Measure:
    """The measure of a confusion matrix by its name; for an unknown one, the hint suggests likely names."""
    measure = measures.get(name)
    if measure.formula is None:
        raise _refused(measure.name, "it has no formula on the four counts", HINT)
    return measure


def _statistics(cmp: Comparison, known: Any, over_all: Any) -> tuple[Statistic, ...]:
    if known is over_all:
        return (statistic_of(known.name),) * len(cmp.names)
    points = (evaluation.point for evaluation in cmp.evaluations.values())
    return tuple(statistic_of(known.name, threshold=point.threshold) for point in points if point is not None)


def _usable(cmp: Comparison, known: Any, *, needs_point: bool) -> None:
    """Raise an error, with the reason, for a measure that cannot decide between these models."""
    settings, name = cmp.settings, known.name
    if known.best is None or known.best not in (known.low, known.high):
        raise _refused(name, "neither its highest nor its lowest value is the best value", HINT)
    if not needs_point and known.options:
        raise _refused(name, f"it needs {', '.join(known.options)}", f"Write {EXAMPLES}")
    if not needs_point and known.kernel is None:
        raise _refused(name, "it cannot be computed in many resamples at once", HINT)
    if settings.test is not None:
        raise _refused(name, f"test '{settings.test}' compares AUCs", "Give only one of the two")
    if cmp.beyond:
        raise _refused(name, "it requires all cases in memory", "Leave it out so that the AUC decides, or give costs")
    if needs_point and settings.cross_fit:
        raise _refused(name, "cross-fitting uses several thresholds", "Leave out cross_fit, or name an area")
    table = cmp.evaluations[cmp.names[0]].table
    if not table.positives or not table.negatives:
        raise _refused(name, "all cases belong to one class", "A comparison needs cases of both classes")


def _refused(name: str, why: str, hint: str) -> RocscopeError:
    return RocscopeError(f"measure '{name}' cannot decide between models: {why}", hint=hint)
