"""The gain from recalibration: losses before, and after with calibrators learned without the cases."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope import curves, intervals, splits, tally
from rocscope.curves import LOGS, SQUARES, Loss
from rocscope.estimate import Estimate, undefined
from rocscope.numbers import checked_level, floats, json_number, student_quantile, student_two_sided
from rocscope.recalibration.calibrators import Calibrator, learned_on
from rocscope.record import record
from rocscope.table import ScoreTable

Array = NDArray[Any]

LOSSES: Mapping[str, Loss] = MappingProxyType({"brier": SQUARES, "log_loss": LOGS})


@record
class Recalibration:
    """A calibrator learned on all cases, with its gain on cases that were not used for learning.

    `probabilities` are cross-fitted: the probability of a case comes from a calibrator learned without its fold.
    `before` and `after` are the score tables of the scores as given and of these probabilities. `gains` are the losses
    before minus the losses after, with intervals; they are empty if the scores are not probabilities. `apparent` are
    the gains on the same cases that the calibrator was learned on, which are too optimistic.
    """

    calibrator: Calibrator
    probabilities: Any
    before: ScoreTable
    after: ScoreTable
    gains: Mapping[str, Estimate]
    apparent: Mapping[str, float]
    folds: int
    level: float

    @property
    def calibration(self) -> Mapping[str, tuple[Estimate | None, Estimate]]:
        """Calibration in the large, slope, ECE and others, before (None if scores are not probabilities) and after."""
        known = self.gains and intervals.calibration(self.before, level=self.level)
        after = intervals.calibration(self.after, level=self.level)
        return MappingProxyType({name: (known[name] if known else None, estimate) for name, estimate in after.items()})

    def losses(self, name: str) -> tuple[Estimate | None, Estimate]:
        """The mean loss, "brier" or "log_loss", before and after, each with its interval."""
        before = intervals.of(self.before, name, level=self.level) if self.gains else None
        return before, intervals.of(self.after, name, level=self.level)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: the calibrator, the gains, the losses and the calibration before and after."""
        return {
            "calibrator": self.calibrator.to_dict(),
            "folds": self.folds,
            "gains": {name: gain.to_dict() for name, gain in self.gains.items()},
            "apparent_gains": {name: json_number(value) for name, value in self.apparent.items()},
            "before": self._numbers(0) if self.gains else None,
            "after": self._numbers(1),
        }

    def _numbers(self, side: int) -> dict[str, Any]:
        pairs = {**{name: self.losses(name) for name in LOSSES}, **self.calibration}
        areas = tuple(intervals.auc(assessed, level=self.level) for assessed in (self.before, self.after))
        chosen = {"auc": areas[side]} | {name: pair[side] for name, pair in pairs.items()}
        return {name: estimate.to_dict() for name, estimate in chosen.items() if estimate is not None}


def recalibrated(
    y: Any,
    score: Any,
    method: str = "isotonic",
    *,
    positive: Any = None,
    weights: Any = None,
    clusters: Any = None,
    higher_is_positive: bool = True,
    folds: int = 10,
    seed: int = 0,
    level: float = 0.95,
) -> Recalibration:
    """Learn a calibrator and assess it on cases that were not used for learning.

    The cases are split into folds, with classes spread evenly and clusters kept together; each fold gets its
    probabilities from a calibrator learned on all others. The gain is the mean loss before minus the mean loss after,
    with a Student t interval based on the difference for each case (Bayle et al. 2020, NeurIPS 33: confidence intervals
    after cross-validation). The calibrator that is returned is learned on all cases.

    >>> rng = np.random.default_rng(0)
    >>> p = rng.uniform(0.02, 0.98, 2000)
    >>> found = recalibrated(rng.random(2000) < p, p**2, "beta")
    >>> print(found.gains["brier"])
    0.0351 [0.0275, 0.0427] p < 0.001
    """
    level = checked_level(level)
    mask, labels = tally.binary(y, positive)
    scores = tally.numeric(score, "score")
    heavy = None if weights is None else tally.weights_of(weights, len(mask))
    groups = None if clusters is None else intervals.clusters_of(clusters, len(mask))[0]

    def table(rows: Any) -> ScoreTable:
        weight = None if heavy is None else heavy[rows]
        return ScoreTable.from_scores(
            mask[rows], scores[rows], positive=1, weights=weight, higher_is_positive=higher_is_positive
        )

    before = table(slice(None)).named(labels)
    probabilities = np.empty(len(mask))
    for train, test in splits.plan(f"{folds}-fold", mask, seed=seed, groups=groups):
        probabilities[test] = learned_on(table(train), method).apply(scores[test])
    after = ScoreTable.from_scores(mask, probabilities, positive=1, weights=heavy).named(labels)
    calibrator = learned_on(before, method)
    gains, apparent = {}, {}
    if curves.is_probability(before):
        gains = {
            name: _gain(mask, floats(scores), probabilities, loss, heavy, groups, level)
            for name, loss in LOSSES.items()
        }
        at_best = calibrator.of_table(before)
        apparent = {name: float(curves.get(name)(before) - curves.get(name)(at_best)) for name in LOSSES}
    return Recalibration(
        calibrator, probabilities, before, after, MappingProxyType(gains), MappingProxyType(apparent), folds, level
    )


def _gain(
    mask: Array, before: Array, after: Array, loss: Loss, weights: Array | None, groups: Array | None, level: float
) -> Estimate:
    """The mean loss before less that after, with the interval of the differences, summed within clusters."""
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = _case_losses(mask, before, loss) - _case_losses(mask, after, loss)
    if not np.isfinite(gap).all():
        return undefined("a predicted probability of 0 or 1 was wrong, so the log loss is infinite", level=level)
    weight = np.ones(len(mask)) if weights is None else weights.astype(np.float64)
    mean = float(weight @ gap / weight.sum())
    moved = weight * (gap - mean) / weight.sum()
    parts = moved if groups is None else np.bincount(groups, moved)
    units = len(parts)
    se = math.sqrt(units / max(1, units - 1) * float(parts @ parts))
    reach = student_quantile(level, units - 1) * se
    estimate = Estimate(mean, mean - reach, mean + reach, level, "cross-fitted losses", se=se)
    return replace(estimate, p=student_two_sided(mean / se, units - 1), statistic=mean / se) if se > 0 else estimate


def _case_losses(mask: Array, p: Array, loss: Loss) -> Array:
    return np.where(mask == 1, loss.of_positive(p), loss.of_negative(p))
