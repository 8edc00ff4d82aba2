"""ROC curves of folds, with their vertical and threshold averages, each with a band."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rocscope import curves, intervals
from rocscope.errors import RocscopeError
from rocscope.estimate import proportion
from rocscope.record import record
from rocscope.validation.comparisons import mean_over_folds
from rocscope.validation.results import Validation

KINDS = ("vertical", "threshold", "pooled")
STEPS = 51


@record
class AveragedRoc:
    """A ROC curve averaged over folds, with its band: columns of the same length.

    "vertical": the mean TPR at each FPR, with limits of the TPR. "threshold": the mean FPR and TPR at each threshold,
    with limits of both. "pooled": the curve of all cases ranked together, with Wilson's limits of the TPR. `folds` is
    the number of curves.
    """

    kind: str
    fpr: Any
    tpr: Any
    low: Any
    high: Any
    thresholds: Any
    fpr_low: Any
    fpr_high: Any
    folds: int


def averaged_roc(va: Validation, model: str, kind: str = "vertical", *, steps: int = STEPS) -> AveragedRoc:
    """Average the ROC curves of a model's folds; bands are corrected for overlapping training sets.

    Fawcett, Pattern Recognit Lett 2006;27:861-874 (vertical and threshold averaging).
    """
    if kind not in KINDS:
        raise RocscopeError(
            f"there is no average '{kind}' of ROC curves", hint="Use 'vertical', 'threshold' or 'pooled'"
        )
    readings = va.of(model)
    tables = [
        (i, table)
        for i, table in enumerate(readings.tables)
        if table is not None and table.positives and table.negatives
    ]
    if not tables:
        raise RocscopeError(f"no fold of {model} has both classes and scores")
    if kind == "pooled":
        return _pooled(va, model, steps)
    return _vertical(va, tables, steps) if kind == "vertical" else _by_threshold(va, tables, steps)


def _vertical(va: Validation, tables: list[tuple[int, Any]], steps: int) -> AveragedRoc:
    grid = np.linspace(0, 1, steps)
    rows = []
    for _, table in tables:
        curve = curves.roc(table)
        rows.append(_upper(np.asarray(curve.fpr, dtype=float), np.asarray(curve.tpr, dtype=float), grid))
    mean, low, high = _band(va, np.array(rows), tables)
    none = np.full(steps, math.nan)
    return AveragedRoc("vertical", grid, mean, low, high, none, grid, grid, len(tables))


def _pooled(va: Validation, model: str, steps: int) -> AveragedRoc:
    """The curve of all cases ranked together, each once: right where the scores of the folds are on one scale."""
    if va.unpooled:
        raise RocscopeError(f"there is no pooled curve: {va.unpooled}", hint="Use 'vertical' or 'threshold'")
    table = va.pooled(model).table(va.problem)
    if table is None or not (table.positives and table.negatives):
        raise RocscopeError(f"the pooled cases of {model} lack a class or scores")
    grid, curve = np.linspace(0, 1, steps), curves.roc(table)
    mean = _upper(np.asarray(curve.fpr, dtype=float), np.asarray(curve.tpr, dtype=float), grid)
    size = intervals.effective_sizes(table).positives
    limits = [proportion(float(rate) * size, size, level=va.settings.level) for rate in mean]
    low, high = (np.array([getattr(limit, side) for limit in limits]) for side in ("low", "high"))
    none = np.full(steps, math.nan)
    return AveragedRoc("pooled", grid, mean, low, high, none, grid, grid, len(va.of(model).folds))


def _upper(fpr: Any, tpr: Any, grid: Any) -> Any:
    """The curve at each FPR, its upper end where it rises straight up."""
    last = np.searchsorted(fpr, grid, side="right") - 1
    after = np.minimum(last + 1, len(fpr) - 1)
    run = np.where(fpr[after] > fpr[last], fpr[after] - fpr[last], 1.0)
    return tpr[last] + (tpr[after] - tpr[last]) * (grid - fpr[last]) / run


def _by_threshold(va: Validation, tables: list[tuple[int, Any]], steps: int) -> AveragedRoc:
    scores = np.unique(np.concatenate([np.asarray(table.scores, dtype=float) for _, table in tables]))
    thresholds = np.quantile(scores, np.linspace(1, 0, steps), method="nearest")
    across, up = [], []
    for _, table in tables:
        ordered = np.asarray(table.scores, dtype=float)[::-1]
        # number of cases at or above a threshold; the table has scores in descending order
        kept = len(ordered) - np.searchsorted(ordered, thresholds, side="left")
        tp, fp = (np.r_[0.0, np.cumsum(np.asarray(counts, dtype=float))][kept] for counts in (table.pos, table.neg))
        across.append(fp / float(table.negatives))
        up.append(tp / float(table.positives))
    tpr, low, high = _band(va, np.array(up), tables)
    fpr, left, right = _band(va, np.array(across), tables)
    return AveragedRoc("threshold", fpr, tpr, low, high, thresholds, left, right, len(tables))


def _band(va: Validation, rows: Any, tables: list[tuple[int, Any]]) -> tuple[Any, Any, Any]:
    splits = [index // va.settings.seeds for index, _ in tables]
    train, test = [va.train_sizes[i] for i in splits], [va.test_sizes[i] for i in splits]
    estimates = [
        mean_over_folds(column, train, test, level=va.settings.level, low=0.0, high=1.0, independent=False)
        for column in rows.T
    ]
    mean = rows.mean(axis=0)
    low = np.array([estimate.low if not math.isnan(estimate.low) else estimate.value for estimate in estimates])
    high = np.array([estimate.high if not math.isnan(estimate.high) else estimate.value for estimate in estimates])
    return mean, np.minimum(low, mean), np.maximum(high, mean)
