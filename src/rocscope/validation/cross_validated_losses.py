"""Cross-validated losses: the mean over folds, with the interval of the losses of the single cases."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rocscope.estimate import Estimate, on_scale, proportion
from rocscope.multiclass import are_probabilities, log_losses, squared_losses
from rocscope.validation.folds import Fold, Problem
from rocscope.validation.primary_measure import range_of

METHOD = "losses of the cases"
SHARES = ("error_rate", "accuracy")
PER_CASE = (*SHARES, "brier", "log_loss")


def case_losses(problem: Problem, folds: Sequence[Fold], measure: str) -> tuple[Any, Any] | None:
    """The tested cases and the mean loss of each over its tests; None if a loss is not known."""
    sums, tests = np.zeros(len(problem)), np.zeros(len(problem))
    for fold in folds:
        fold_losses = None if fold.why else _losses(problem, fold, measure)
        if fold_losses is None or not np.isfinite(fold_losses).all():
            return None
        sums[fold.cases] += fold_losses
        tests[fold.cases] += 1
    cases = np.flatnonzero(tests)
    return (cases, sums[cases] / tests[cases]) if len(cases) else None


def _losses(problem: Problem, fold: Fold, measure: str) -> Any:
    """The loss of every case of one fold."""
    if problem.kind == "labels":
        return None
    truth = problem.codes[fold.cases]
    if measure in SHARES:
        return (truth == fold.predicted) if measure == "accuracy" else (truth != fold.predicted)
    if not has_probabilities(problem, fold):
        return None
    if problem.kind == "classes":
        return (squared_losses if measure == "brier" else log_losses)(truth, fold.scores)
    if measure == "brier":
        return (fold.scores - truth) ** 2
    with np.errstate(divide="ignore"):
        return -np.log(np.where(truth == 1, fold.scores, 1 - fold.scores))


def has_probabilities(problem: Problem, fold: Fold) -> bool:
    """Whether a fold has the probability of the positive class, or of each of several classes, for every case."""
    if fold.scores is None or fold.score_kind != "probability" or problem.kind == "labels":
        return False
    return problem.kind == "binary" or are_probabilities(fold.scores)


def mean_loss(problem: Problem, measure: str, cases: Any, losses: Any, value: float, *, level: float) -> Estimate:
    """The mean over folds, with limits from the losses of the cases, each counted once and added within groups.

    Shares of errors have Wilson's limits, for as many cases as would vary as much and no more than there are; the Brier
    score and the log loss have limits on the logit or log scale. They apply to the models that were fitted, and do not
    cover the variation of models with their training cases.
    Reference: Bengio & Grandvalet, J Mach Learn Res 2004;5:1089-1105.
    """
    weights = np.ones(len(cases)) if problem.weights is None else problem.weights[cases]
    own = np.arange(len(cases)) if problem.groups is None else problem.groups[cases]
    groups = np.unique(own, return_inverse=True)[1]
    total = float(weights.sum())
    mean = float(weights @ losses) / total
    sums = np.bincount(groups, weights * (losses - mean))
    spread = float(sums @ sums) / total**2 * len(sums) / max(1, len(sums) - 1)
    most = range_of(measure, problem)[1]
    if measure in SHARES:
        worth = total**2 / float(weights @ weights)
        worth = min(worth, mean * (1 - mean) / spread) if spread > 0 else min(worth, float(len(sums)))
        interval = proportion(mean * worth, worth, level=level)
        low, high = interval.low, interval.high
    else:
        low, high = on_scale(mean, math.sqrt(spread), 0.0, most, level)
    moved = value - mean  # folds differ in size, so their mean differs slightly from the mean over cases
    limits = max(0.0, min(value, low + moved)), min(most, max(value, high + moved))
    return Estimate(value, *limits, level, METHOD, se=math.sqrt(spread))
