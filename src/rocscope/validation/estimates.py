"""Estimates that folds allow: thresholds chosen elsewhere, the best model corrected for having been chosen."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rocscope import decisions
from rocscope.decisions import Costs
from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate, undefined
from rocscope.table import Counts, ScoreTable
from rocscope.validation.folds import Fold, Problem, table_of
from rocscope.validation.results import Validation

RESAMPLES = 1000  # of the winner's correction


# ---- thresholds chosen elsewhere ----


@dataclass(frozen=True, slots=True)
class Threshold:
    """A rule for a threshold: what it seems to give where it was chosen, and what it gives where it was not.

    `optimistic` are the pooled counts at the threshold chosen on these very cases, `honest` those of thresholds chosen
    without the fold they decide, whose values are `thresholds`; `chosen_on` says on which cases instead.
    """

    rule: str
    threshold: float
    optimistic: Counts
    honest: Counts
    thresholds: tuple[float, ...]
    chosen_on: str


def threshold(va: Validation, model: str, rule: str = "youden", *, costs: Costs | None = None) -> Threshold:
    """A threshold rule judged honestly: chosen inside, scored outside.

    With a nested plan the threshold of a fold is chosen on inner folds of its training cases; otherwise on the other
    folds of the same repetition. Each is applied to its own fold alone, and the counts of all folds are added.
    """
    if va.problem.kind != "binary":
        raise RocscopeError("a threshold needs two classes", hint="Take one class against the rest")
    folds = [fold for fold in va.of(model).folds if not fold.why and fold.scores is not None and fold.seed == 0]
    if not folds:
        raise RocscopeError(f"{model} has no scores to choose a threshold on")
    pooled = va.pooled(model)
    best = decisions.best(table_of(va.problem, pooled.cases, pooled.scores), rule, costs=costs)[0]
    nested = all(fold.inner_scores is not None for fold in folds)
    chosen = [_inner(va, fold, rule, costs) if nested else _others(va, fold, folds, rule, costs) for fold in folds]
    known = [(fold, one) for fold, one in zip(folds, chosen, strict=True) if not math.isnan(one)]
    if not known:
        raise RocscopeError("one fold alone: no other cases to choose a threshold on", hint="Say inner='5-fold'")
    honest = [table_of(va.problem, fold.cases, fold.scores).at(one) for fold, one in known]
    total = Counts.of([sum(parts) for parts in zip(*(tuple(one.cells.values()) for one in honest), strict=True)])
    where = "inner folds of the training cases" if nested else "the other folds of the repetition"
    return Threshold(rule, best.threshold, best.counts, total, tuple(one for _, one in known), where)


def _inner(va: Validation, fold: Fold, rule: str, costs: Costs | None) -> float:
    return _best(table_of(va.problem, fold.inner_cases, fold.inner_scores), rule, costs)


def _others(va: Validation, fold: Fold, folds: Sequence[Fold], rule: str, costs: Costs | None) -> float:
    mine = va.pairs.repetitions[fold.split]
    rest = [one for one in folds if one.split != fold.split and va.pairs.repetitions[one.split] == mine]
    if not rest:
        return math.nan
    cases, scores = (np.concatenate([getattr(one, name) for one in rest]) for name in ("cases", "scores"))
    return _best(table_of(va.problem, cases, scores), rule, costs)


def _best(table: ScoreTable, rule: str, costs: Costs | None) -> float:
    try:
        return float(decisions.best(table, rule, costs=costs)[0].threshold)
    except RocscopeError:  # one class only among the other cases
        return math.nan


# ---- the best of several models ----


@dataclass(frozen=True, slots=True)
class Winner:
    """The best of several models, as it seems and without the luck of having been chosen on the same cases."""

    model: str
    measure: str
    seen: float
    corrected: Estimate
    chosen: Mapping[str, float]


def winner(va: Validation, measure: str | None = None, *, n: int = RESAMPLES, seed: int = 0) -> Winner:
    """The best model's bias-corrected estimate: choose on resampled cases, score on those left out, n times.

    The best of K looks better than it is, since its luck was part of the choice. Bootstrap bias-corrected
    cross-validation: resample the pooled cases, choose on those drawn, take the mean of what the chosen model gets on
    those not drawn. Tsamardinos, Greasidou & Borboudakis, Mach Learn 2018;107:1895-1922.
    """
    ranked = va.problem.kind == "binary" and va.primary == "auc" and not va.unranked
    chosen = measure or ("auc" if ranked else "error_rate")
    if chosen not in ("auc", "error_rate") or va.problem.kind == "labels":
        raise RocscopeError(f"no correction for {chosen} here", hint="auc (two classes) or error_rate")
    cases = va.shared_cases
    if len(cases) < 2:
        raise RocscopeError("the models share too few tested cases to be resampled")
    generator = np.random.default_rng(seed)
    draws = np.stack(
        [np.bincount(generator.integers(len(cases), size=len(cases)), minlength=len(cases)) for _ in range(n)]
    )
    inside = np.stack([_weighted(va, name, chosen, cases, draws) for name in va.names], axis=1)
    outside = np.stack([_weighted(va, name, chosen, cases, (draws == 0).astype(float)) for name in va.names], axis=1)
    whole = np.array([_weighted(va, name, chosen, cases, np.ones((1, len(cases))))[0] for name in va.names])
    sign = 1.0 if chosen == "auc" else -1.0
    picks = np.where(np.isnan(inside), -np.inf, sign * inside).argmax(axis=1)
    values = outside[np.arange(n), picks]
    known = np.sort(values[np.isfinite(values)])
    best = int(np.where(np.isnan(whole), -np.inf, sign * whole).argmax())
    shares = {name: float((picks == i).mean()) for i, name in enumerate(va.names)}
    return Winner(va.names[best], chosen, float(whole[best]), _percentiles(known, n, va.asked.level), shares)


def _percentiles(known: Any, n: int, level: float) -> Estimate:
    if not len(known):
        return undefined("undefined in every resample", level=level, method="BBC")
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    why = f"{n - len(known)} of {n} resamples left out: one class only" if len(known) < n else ""
    return Estimate(float(known.mean()), float(low), float(high), level, f"BBC, {n} resamples", why)


def _weighted(va: Validation, name: str, measure: str, cases: Any, weights: Any) -> Any:
    """A measure of one model for every row of case weights."""
    scores, predicted = va._at(name, cases)
    base = np.ones(len(cases)) if va.problem.weights is None else va.problem.weights[cases]
    truth = va.problem.codes[cases]
    if measure == "error_rate":
        total = weights @ base
        return np.where(total > 0, weights @ (base * (predicted != truth)) / np.where(total > 0, total, 1.0), math.nan)
    return weighted_auc(truth.astype(bool), scores, weights * base)


def weighted_auc(truth: Any, scores: Any, weights: Any) -> Any:
    """The AUC under each row of case weights; NaN where a class has no weight.

    >>> weighted_auc(np.array([True, False, True]), np.array([3., 2., 1.]), np.array([[1, 1, 1], [1, 1, 0]])).tolist()
    [0.5, 1.0]
    """
    distinct, place = np.unique(scores, return_inverse=True)
    order = np.argsort(place, kind="stable")
    starts = np.searchsorted(place[order], np.arange(len(distinct)))
    pos = np.add.reduceat(np.where(truth, weights, 0.0)[:, order], starts, axis=1)
    neg = np.add.reduceat(np.where(truth, 0.0, weights)[:, order], starts, axis=1)
    below = np.cumsum(neg, axis=1) - neg / 2
    areas, totals = (pos * below).sum(axis=1), pos.sum(axis=1) * neg.sum(axis=1)
    return np.where(totals > 0, areas / np.where(totals > 0, totals, 1.0), math.nan)


def losses(problem: Problem, fold: Fold) -> Any:
    """1 where a fold is wrong, 0 where it is right."""
    return (problem.codes[fold.cases] != fold.predicted).astype(float)
