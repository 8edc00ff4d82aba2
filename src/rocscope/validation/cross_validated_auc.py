"""The cross-validated AUC: the mean over folds, with the interval of its influence curve."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rocscope import curves, intervals
from rocscope.estimate import Estimate, undefined
from rocscope.numbers import checked_level, expit, floats, logit, normal_quantile
from rocscope.table import ScoreTable
from rocscope.validation.folds import Fold, Problem, table_of


def cv_auc(
    tables: Sequence[ScoreTable | None], *, level: float = 0.95, repeats: int = 1, unbiased: bool = False
) -> Estimate:
    """The mean AUC over folds with its influence-curve interval.

    IC = (V - A_v)/π for positives, (W - A_v)/(1 - π) for negatives, with the placements V, W and the area A_v inside
    fold v and the share π of positives overall; σ² = mean over folds of mean IC², se = sqrt(σ²/n), limits on the logit
    scale. Folds with one class are left out and counted. Repetitions hold every case `repeats` times, which makes n no
    larger. LeDell, Petersen & van der Laan, Electron J Stat 2015;9:1583. Placements vary about the area of their own
    fold, which takes one degree of freedom from each class of each fold: `unbiased` divides by what is left, as
    DeLong's variance does, so that few positives per fold do not look certain.

    >>> a = ScoreTable.from_scores([1, 1, 0, 0], [0.9, 0.6, 0.7, 0.1])
    >>> b = ScoreTable.from_scores([1, 0, 1, 0], [0.8, 0.5, 0.4, 0.3])
    >>> print(cv_auc([a, b]))
    0.75 [0.32, 0.95]
    """
    level = checked_level(level)
    usable = [table for table in tables if table is not None and table.positives and table.negatives]
    if not usable:
        return undefined("no fold has both classes", level=level, method="cvAUC")
    positives = sum(float(table.positives) for table in usable)
    n = positives + sum(float(table.negatives) for table in usable)
    influences = [_influence(table, positives / n) for table in usable]
    value = float(np.mean([area for area, _, _ in influences]))
    sides = np.array([[up, down] for _, up, down in influences])
    if unbiased:
        totals = np.array([positives, n - positives])
        sides *= totals / np.maximum(1.0, totals - len(usable))
    se = math.sqrt(float(sides.sum(axis=1).mean()) / (n / repeats))
    return _limits(value, se, level, _left_out(len(tables), len(usable)))


def _influence(t: ScoreTable, share: float) -> tuple[float, float, float]:
    """The area of a fold, and the mean squared influence of its cases: the part of positives and of negatives."""
    area, (below, above) = curves.auc(t), intervals.placements(t)
    pos, neg = floats(t.pos), floats(t.neg)
    cases = pos.sum() + neg.sum()
    up, down = pos @ ((below - area) / share) ** 2, neg @ ((above - area) / (1 - share)) ** 2
    return area, float(up / cases), float(down / cases)


def cv_auc_of_cases(problem: Problem, folds: Sequence[Fold], *, level: float) -> Estimate:
    """`cv_auc` where cases have weights or belong to groups: influences are weighted, and added within each group.

    The influence of a case on the mean of K areas is w (V - A_v)/(K P_v), or w (W - A_v)/(K N_v); repeated tests of a
    case add up, and the variance is the sum of squares over groups times g/(g - 1).
    """
    done = [fold_run for fold_run in folds if not fold_run.why and fold_run.scores is not None]
    usable = [fold_run for fold_run in done if 0 < problem.codes[fold_run.cases].sum() < len(fold_run.cases)]
    if not usable:
        return undefined("no fold has both classes", level=level, method="cvAUC")
    influence, areas = np.zeros(len(problem)), []
    for fold in usable:
        table, truth = table_of(problem, fold.cases, fold.scores), problem.codes[fold.cases].astype(bool)
        area, (below, above) = curves.auc(table), intervals.placements(table)
        position = np.searchsorted(-table.scores, -fold.scores)
        weights = np.ones(len(truth)) if problem.weights is None else problem.weights[fold.cases]
        totals = np.where(truth, weights[truth].sum(), weights[~truth].sum())
        own = (np.where(truth, below[position], above[position]) - area) / totals
        influence[fold.cases] += weights * own / len(usable)
        areas.append(area)
    groups = np.arange(len(problem)) if problem.groups is None else np.unique(problem.groups, return_inverse=True)[1]
    sums = np.bincount(groups, influence)
    tested = len(np.unique(groups[np.unique(np.concatenate([fold_run.cases for fold_run in usable]))]))
    se = math.sqrt(float(sums @ sums) * tested / max(1, tested - 1))
    return _limits(float(np.mean(areas)), se, level, _left_out(len(folds), len(usable)))


def _left_out(folds: int, usable: int) -> str:
    return f"{folds - usable} of {folds} folds left out for having only one class" if usable < folds else ""


def _limits(value: float, se: float, level: float, why: str) -> Estimate:
    if not 0 < value < 1 or se == 0:
        reason = "no interval on the logit scale at AUC 0 or 1" if not 0 < value < 1 else "no spread of placements"
        return Estimate(value, level=level, method="cvAUC", why="; ".join(text for text in (why, reason) if text))
    width = normal_quantile(level) * se / (value * (1 - value))
    low, high = (expit(logit(value) + side * width) for side in (-1, 1))
    return Estimate(value, low, high, level, "cvAUC", why, se=se)
