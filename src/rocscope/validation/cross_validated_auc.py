"""The cross-validated AUC: the mean over folds, with the interval of its influence curve."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rocscope import curves, intervals
from rocscope.distributions import student_point
from rocscope.estimate import Estimate, undefined
from rocscope.numbers import Array, checked_level, expit, floats, logit, normal_quantile
from rocscope.table import ScoreTable
from rocscope.validation.folds import Fold, Problem, table_of


def cv_auc(
    tables: Sequence[ScoreTable | None], *, level: float = 0.95, repeats: int = 1, corrected: bool = False
) -> Estimate:
    """The mean AUC over folds with its influence-curve interval.

    IC = (V - A_v)/π for positives, (W - A_v)/(1 - π) for negatives, with the placements V, W and the area A_v inside
    fold v and the share π of positives overall; σ² = mean over folds of mean IC², se = sqrt(σ²/n), limits on the logit
    scale. Folds with one class are left out and counted. Repetitions hold every case `repeats` times, which makes n no
    larger. LeDell, Petersen & van der Laan, Electron J Stat 2015;9:1583.

    `corrected` allows for what this leaves out. Placements vary about the area of their own fold, which takes one
    degree of freedom from each class of each fold: the variance is divided by what is left, as DeLong's is, and the
    limits use Student's t. The cases of a fold also train the models of all other folds; if a model learns as much
    chance as signal, this correlates the areas of the folds, by at most 1/(K - 1) for K folds (the mean direction of
    two classes that do not differ). A correlation of 1/(K - 1)² is allowed for, which multiplies the variance by
    K/(K - 1): in simulations with ten features of little value, intervals without it covered 0.87.

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
    sides = np.array([[up, down] for _, up, down in influences]).mean(axis=0) / (n / repeats)
    left = np.maximum(1.0, np.array([positives, n - positives]) / repeats - len(usable) / repeats)
    if corrected:
        sides *= np.array([positives, n - positives]) / repeats / left
    why = _left_out(len(tables), len(usable))
    if not corrected:
        return _limits(value, math.sqrt(float(sides.sum())), level, why)
    se = math.sqrt(float(sides.sum()) * _shared_training(len(usable) / repeats))
    return _limits(value, se, level, why, df=_degrees_of_freedom(sides, left))


def _shared_training(folds: float) -> float:
    """The factor of the variance for cases that test one model and train those of the other folds."""
    return folds / max(1.0, folds - 1)


def _degrees_of_freedom(variances: Array, left: Array) -> float:
    """Satterthwaite's, for a sum of two variances that are each estimated with the degrees of freedom `left`."""
    square = float(variances.sum()) ** 2
    return square / float((variances**2 / left).sum()) if square else math.inf


def _influence(t: ScoreTable, share: float) -> tuple[float, float, float]:
    """The area of a fold, and the mean squared influence of its cases: the part of positives and of negatives."""
    area, (below, above) = curves.auc(t), intervals.placements(t)
    pos, neg = floats(t.pos), floats(t.neg)
    cases = pos.sum() + neg.sum()
    up, down = pos @ ((below - area) / share) ** 2, neg @ ((above - area) / (1 - share)) ** 2
    return area, float(up / cases), float(down / cases)


def cv_auc_of_cases(
    problem: Problem, folds: Sequence[Fold], *, level: float, repeats: int = 1, corrected: bool = False
) -> Estimate:
    """`cv_auc` where cases have weights or belong to groups: influences are weighted, and added within each group.

    The influence of a case on the mean of K areas is w (V - A_v)/(K P_v), or w (W - A_v)/(K N_v); repeated tests of a
    case add up, and the variance is the sum of squares over groups times g/(g - 1). `corrected` is as in `cv_auc`, with
    the degrees of freedom of the groups.
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
    variance = float(sums @ sums) * tested / max(1, tested - 1)
    value, why = float(np.mean(areas)), _left_out(len(folds), len(usable))
    if not corrected:
        return _limits(value, math.sqrt(variance), level, why)
    left = np.array([float(np.sum(problem.codes == label)) - len(usable) / repeats for label in (1, 0)])
    sides = np.array([float((influence[problem.codes == label] ** 2).sum()) for label in (1, 0)])
    df = _degrees_of_freedom(sides, np.maximum(1.0, left)) if problem.groups is None else max(1, tested - 1)
    se = math.sqrt(variance * _shared_training(len(usable) / repeats))
    return _limits(value, se, level, why, df=df)


def _left_out(folds: int, usable: int) -> str:
    return f"{folds - usable} of {folds} folds left out for having only one class" if usable < folds else ""


def _limits(value: float, se: float, level: float, why: str, *, df: float = math.inf) -> Estimate:
    if not 0 < value < 1 or se == 0:
        reason = "no interval on the logit scale at AUC 0 or 1" if not 0 < value < 1 else "no spread of placements"
        return Estimate(value, level=level, method="cvAUC", why="; ".join(text for text in (why, reason) if text))
    quantile = normal_quantile(level) if math.isinf(df) else student_point(0.5 + level / 2, df)
    width = quantile * se / (value * (1 - value))
    low, high = (expit(logit(value) + side * width) for side in (-1, 1))
    return Estimate(value, low, high, level, "cvAUC", why, se=se)
