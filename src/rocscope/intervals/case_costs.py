"""Intervals for case-specific costs: a mean over cases, also after choosing the threshold."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope.decisions import CaseCosts
from rocscope.estimate import Estimate, mover, proportion, undefined
from rocscope.intervals.bootstrap_intervals import Progress
from rocscope.intervals.chosen_thresholds import (
    RESAMPLES,
    CellModel,
    Selection,
    corrected_counts,
    repeatable,
    stretched,
)
from rocscope.intervals.closed_forms import score_interval
from rocscope.intervals.cluster_effects import cells_by_cluster
from rocscope.intervals.paired_cases import PairedCases
from rocscope.intervals.resamples import CellSums, cells_along, multiplicities
from rocscope.numbers import checked_level, normal_quantile, student_quantile
from rocscope.record import record
from rocscope.table import Counts

Array = NDArray[Any]


def case_cost(costs: CaseCosts, flagged: Array, *, level: float = 0.95) -> Estimate:
    """The mean cost per case of given decisions, when each case has its own costs.

    Wilson's limits of the costs of misses and of false alarms, each in units of the cost of a typical error, are
    combined (`mover`). The costs of errors are known for all cases of a class, so the limits allow for costly errors
    that were not observed. With clusters, the limits are no narrower than those from the sums over clusters.

    >>> held = CaseCosts.of(np.array([1, 0] * 50), np.arange(100.0), fn=np.arange(100.0), fp=5)
    >>> print(case_cost(held, held.flagged(40.0)))
    5.30 [3.53, 8.23]
    """
    return _limited(costs, flagged, 1.0, checked_level(level))


def _limited(costs: CaseCosts, flagged: Array, factor: float, level: float) -> Estimate:
    """The mean cost of decisions, multiplied by a factor, with its limits."""
    losses, most = costs.losses(flagged), float(costs.errors.max(initial=0.0))
    method = "score, mean of costs" if costs.clusters is None else "score, mean of costs, clusters"
    if not len(losses):
        return undefined("no cases", level=level, method=method)
    value = float(losses.mean())
    if not most:
        return Estimate(value, value, value, level, method, "no error has a cost")
    spread = factor * _spread(losses, costs.clusters)
    value = min(most, factor * value)
    kinds = [
        _errors(costs.errors[own], losses[own], len(losses), factor, level)
        for own in (costs.mask == 1, costs.mask != 1)
    ]
    low, high = mover(kinds, [1.0] * len(kinds))
    if costs.clusters is not None:
        few, units = _few(losses, costs.clusters, level), math.inf if spread > 0 else costs.clusters[1]
        inner = score_interval(value / most, few * spread / most**2, units, level=level, method=method)
        low, high = min(low, most * inner.low), max(high, most * inner.high)
    return Estimate(value, max(0.0, low), min(most, high), level, method, se=math.sqrt(spread) or None)


def _errors(amounts: Array, losses: Array, cases: int, factor: float, level: float) -> Estimate:
    """The mean cost, over all cases, of the errors in one class: Wilson's limits in units of the costs of an error.

    If errors cost a, the variance of their sum is about its mean times the unit, the sum of a² over the sum of a. It is
    that of the observed errors together with z² errors of average cases of the class, as many as Wilson's limits add.
    """
    if not amounts.any():
        return Estimate(0.0, 0.0, 0.0)
    more = normal_quantile(level) ** 2 / len(amounts)
    squares, sums = (float(losses @ losses + more * amounts @ amounts), float(losses.sum() + more * amounts.sum()))
    unit = squares / sums
    share = proportion(min(cases, factor * float(losses.sum()) / unit), cases, level=level)
    return Estimate(unit * share.value, unit * share.low, unit * share.high)


def _few(losses: Array, clusters: tuple[Array, int], level: float) -> float:
    """The factor for the variance if it is estimated from few clusters with errors: Student's t divided by the
    normal quantile, squared.

    A few large losses determine the variance, however many cases cost nothing: the degrees of freedom are the effective
    number of clusters, (sum)² / sum of squares, minus one.
    """
    sums = np.bincount(clusters[0], losses, clusters[1])
    squares = float(sums @ sums)
    units = max(1.0, float(sums.sum()) ** 2 / squares - 1) if squares else 1.0
    return (student_quantile(level, units) / normal_quantile(level)) ** 2


def _spread(losses: Array, clusters: tuple[Array, int] | None) -> float:
    """The variance of the mean: over cases, or over the sums of clusters."""
    n = len(losses)
    rest = losses - losses.mean()
    sums = rest if clusters is None else np.bincount(clusters[0], rest, clusters[1])
    return float(sums @ sums) / n**2 * len(sums) / max(1, len(sums) - 1)


@record(slots=True, eq=False)
class PricedSelection:
    """A threshold chosen by case-specific costs, and the choice repeated in resamples.

    `selection` corrects measures at the threshold; `inside` and `outside` are the mean costs of the choice of each
    resample, in the resample and on the original cases.
    """

    selection: Selection
    inside: Array
    outside: Array

    def cost(self, costs: CaseCosts, flagged: Array, *, level: float = 0.95) -> Estimate:
        """The mean cost of these decisions, corrected for the choice, with an interval that allows for it."""
        apparent, most = _limited(costs, flagged, 1.0, level), float(costs.errors.max(initial=0.0))
        if apparent.se is None:
            return apparent
        value = min(most, max(0.0, apparent.value + float((self.outside - self.inside).mean())))
        # both kinds of errors, and the variance, grow in proportion to the cost
        estimate = _limited(costs, flagged, value / apparent.value if apparent.value else 1.0, level)
        factor = self.selection.stretch(self.inside - self.outside, estimate.se, level)
        return stretched(estimate, factor, 0.0, most)


def after_case_choice(
    costs: CaseCosts, counts: Counts, *, n: int = RESAMPLES, seed: int = 0, progress: Progress | None = None
) -> PricedSelection | None:
    """The choice of the threshold with the lowest total cost, repeated in resamples of cases or whole clusters.

    `counts` are those at the threshold that was chosen. The result is None if a class has no cases, if half of the
    resamples lack one, or if there are more than 50,000 cases of each class. Like `after_choice`, but for costs that
    differ from case to case. In five simulated settings (300 to 1,000 cases, 10 and 20 % positive, log-normal amounts,
    250 to 500 samples each), the intervals for the cost had a coverage of 0.91 to 0.97, which was lowest with 30
    positives; the apparent intervals had a coverage of 0.84 to 0.92.

    >>> held = CaseCosts.of(np.array([1, 0] * 50), np.arange(100.0), fn=np.arange(100.0), fp=5)
    >>> after_case_choice(held, Counts(tp=30, fp=30, fn=20, tn=20)).selection.resamples
    200
    """
    rows = PairedCases.of(costs.mask, [costs.scores], higher_is_positive=costs.higher_is_positive)
    model = CellModel.of(rows.table(0))
    if not repeatable([model]):
        return None
    cell = model.layout(rows.table(0))[rows.places[0]]
    size, errors = int(cell.max()) + 1, costs.errors
    sums = [[CellSums(side, cell[side], size, weights) for side in rows.sides] for weights in (None, errors)]
    whole = [cells_along(*(scattered.counts(np.ones((1, len(rows)))) for scattered in pair)) for pair in sums]
    taken: list[tuple[Array, ...]] = []
    done = 0
    for drawn in multiplicities(rows, n, seed=seed, stratified=False, clusters=costs.clusters):
        along = [cells_along(*(scattered.counts(drawn) for scattered in pair)) for pair in sums]
        best = (along[1]["fn"] + along[1]["fp"]).argmin(axis=1)
        taken.append((*_at(along, best, drawn.sum(axis=1)), *_at(whole, best, np.full(len(best), len(rows)))))
        done += len(best)
        if progress is not None:
            progress(done, n)
    inside, inside_cost, outside, outside_cost = (
        np.concatenate(column, axis=-1) for column in zip(*taken, strict=True)
    )
    valid = (inside[0] + inside[2] > 0) & (inside[1] + inside[3] > 0)
    if valid.sum() < n / 2:
        return None
    own, same = inside[:, valid], outside[:, valid]
    units = None
    if costs.clusters is not None:
        flagged = cell < int((whole[1]["fn"] + whole[1]["fp"]).argmin())
        units = cells_by_cluster(rows.mask, flagged, costs.clusters)
    selection = Selection(counts, corrected_counts(counts, own, same), own, same, (1.0,), units=units)
    return PricedSelection(selection, inside_cost[valid], outside_cost[valid])


def _at(along: list[dict[str, Array]], rows: Array, cases: Array) -> tuple[Array, Array]:
    """The four cells, and the mean cost, of the row that each resample chose."""
    counted, priced = along
    each = np.arange(len(rows)) % len(counted["tp"])
    cells = np.stack([counted[name][each, rows] for name in ("tp", "fp", "fn", "tn")])
    return cells, (priced["fn"][each, rows] + priced["fp"][each, rows]) / cases


def total_of(mean: Estimate, cases: float) -> Estimate:
    """The sum over a number of cases, from an estimate of their mean.

    >>> print(total_of(Estimate(2.0, 1.5, 3.0), 100))
    200.00 [150.00, 300.00]
    """
    return replace(mean, value=cases * mean.value, low=cases * mean.low, high=cases * mean.high, se=None)
