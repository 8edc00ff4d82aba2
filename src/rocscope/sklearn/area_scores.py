"""ROC AUC and average precision: two classes, several against each other or the rest, and label matrices."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from rocscope import curves, tally
from rocscope.numbers import Array, over_rows
from rocscope.sklearn import inputs
from rocscope.sklearn.parameters import check, listed, undefined_metric_warning
from rocscope.sklearn.threshold_curves import NO_POSITIVES, table_of

Area = Callable[[inputs.Scored], float]


# ---- areas for two classes ----


def _roc_area(rows: inputs.Scored, max_fpr: float | None = None) -> float:
    """The AUC of one mask and its scores; NaN with a warning when a class is absent."""
    if max_fpr is not None and max_fpr != 1:
        return _partial_area(rows, max_fpr)
    if rows.weights is not None:
        return _weighted_area(rows)
    wins, positives, negatives = tally.auc_counts(rows.scores, rows.mask)
    if not positives or not negatives:
        return _one_class()
    return wins / (2 * positives * negatives)


def _weighted_area(rows: inputs.Scored) -> float:
    if not rows.mask.any() or rows.mask.all():
        return _one_class()
    table = table_of(rows)
    if not table.positives > 0 or not table.negatives > 0:
        side = ("negative", "false") if not table.negatives > 0 else ("positive", "true")
        message = f"No {side[0]} samples in y_true, {side[1]} positive value should be meaningless"
        warnings.warn(message, undefined_metric_warning(), stacklevel=5)
        return math.nan
    return curves.auc(table)


def _partial_area(rows: inputs.Scored, max_fpr: float) -> float:
    if not rows.mask.any() or rows.mask.all():
        return _one_class()
    area, limit = curves.partial_auc(table_of(rows), fpr=(0, float(max_fpr))), float(max_fpr)
    chance = limit * limit / 2
    return 0.5 * (1 + (area - chance) / (limit - chance))


def _one_class() -> float:
    message = "Only one class is present in y_true. ROC AUC score is not defined in that case."
    warnings.warn(message, undefined_metric_warning(), stacklevel=5)
    return math.nan


def _precision_area(rows: inputs.Scored) -> float:
    """Average precision; 0 with a warning when there is no positive."""
    table = table_of(rows)
    if table.positives:
        return max(0.0, curves.average_precision(table))
    warnings.warn(NO_POSITIVES, stacklevel=5)
    return 0.0


# ---- averages over the columns of a label matrix ----


def _over_labels(area: Area, truth: Array, scores: Array, weights: Array | None, average: str | None) -> Any:
    """The area of every label, of every sample, or of all decisions together, averaged as asked."""
    if average == "micro":
        pooled = None if weights is None else np.repeat(weights, truth.shape[1])
        return area(inputs.Scored(truth.ravel(), scores.ravel(), pooled))
    shares = None
    if average == "samples":
        truth, scores, shares, weights = truth.T, scores.T, weights, None
    elif average == "weighted":
        shares = truth.sum(axis=0) if weights is None else weights @ truth
        if not shares.sum():
            return 0
    if scores.shape[1] > truth.shape[1]:
        raise IndexError(f"index {truth.shape[1]} is out of bounds for axis 1 with size {truth.shape[1]}")
    values = np.array([area(_column(truth, scores, weights, at)) for at in range(scores.shape[1])])
    if average is None:
        return values
    if shares is None:
        return float(values.mean())
    values[shares == 0] = 0.0  # exclude labels without weight, even if undefined
    return float(values @ shares / shares.sum())


def _column(truth: Array, scores: Array, weights: Array | None, at: int) -> inputs.Scored:
    return inputs.Scored(np.ascontiguousarray(truth[:, at]), np.ascontiguousarray(scores[:, at]), weights)


def _typed(scores: Array) -> Array:
    """A matrix of scores in a type that the tally sorts."""
    return inputs.sortable(scores.ravel()).reshape(scores.shape)


def _indicator(truth: Any) -> Array:
    dense = truth.toarray() if hasattr(truth, "toarray") else truth
    return np.ascontiguousarray(dense != 0).view(np.uint8)


# ---- public functions ----


def roc_auc_score(
    y_true: Any, y_score: Any, *, average: str | None = "macro", sample_weight: Any = None,
    max_fpr: float | None = None, multi_class: str = "raise", labels: Any = None,
) -> Any:  # fmt: skip
    """The area under the ROC curve; for several classes, of each class against the rest ("ovr") or of pairs ("ovo").

    >>> roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    check("roc_auc_score", **locals())
    truth = inputs.column(y_true)
    kind, mask, _, _ = inputs.two_sides(truth)
    scores = inputs.number_array(inputs.column(y_score), rows=True)
    if kind == "multiclass" or (kind == "binary" and scores.ndim == 2 and scores.shape[1] > 2):
        if max_fpr is not None and max_fpr != 1:
            raise ValueError(
                "Partial AUC computation not available in multiclass setting, 'max_fpr' must be set to `None`, "
                f"received `max_fpr={max_fpr}` instead"
            )
        if multi_class == "raise":
            raise ValueError("multi_class must be in ('ovo', 'ovr')")
        return _several_classes(truth, scores, labels, multi_class, average, sample_weight)
    area = partial(_roc_area, max_fpr=max_fpr)
    if kind == "binary":
        assert mask is not None
        if not inputs.some_rows(mask).any() or mask.all():
            return _one_class()
        inputs.same_length(mask, scores, sample_weight)
        weights = inputs.column_weights(sample_weight, len(scores))
        return area(inputs.Scored(mask, inputs.sortable(inputs.one_column(scores)), weights))
    return _of_matrix(area, kind, truth, scores, average, sample_weight)


def _of_matrix(area: Area, kind: str, truth: Any, scores: Array, average: str | None, sample_weight: Any) -> Any:
    if kind != inputs.MULTILABEL:
        raise ValueError(f"{kind} format is not supported")
    inputs.same_length(truth, scores, sample_weight)
    weights = inputs.float_weights(sample_weight, len(scores))
    return _over_labels(area, _indicator(truth), _typed(inputs.two_dimensional(scores)), weights, average)


def _several_classes(
    truth: Any, scores: Array, labels: Any, multi_class: str, average: str | None, sample_weight: Any
) -> Any:
    if scores.ndim != 2:
        raise inputs.needs_columns(scores)
    if not np.allclose(1, over_rows(np.add, scores)):
        raise ValueError(
            "Target scores need to be probabilities for multiclass roc_auc, i.e. they should sum up to 1.0 over classes"
        )
    options = ("micro", *_OPTIONS) if multi_class == "ovr" else _OPTIONS
    if average not in options:
        raise ValueError(f"average must be one of {options} for multiclass problems")
    if average is None and multi_class == "ovo":
        raise NotImplementedError("average=None is not implemented for multi_class='ovo'.")
    codes = _class_codes(truth, scores, labels)
    if multi_class == "ovo":
        if sample_weight is not None:
            raise ValueError(
                "sample_weight is not supported for multiclass one-vs-one ROC AUC, 'sample_weight' must be None "
                "in this case."
            )
        return _each_pair(codes, _typed(scores), average)
    inputs.same_length(codes, scores, sample_weight)
    weights = inputs.float_weights(sample_weight, len(codes))
    return _over_labels(_roc_area, inputs.one_hot(codes, scores.shape[1]), _typed(scores), weights, average)


_OPTIONS = ("macro", "weighted", None)


def _class_codes(truth: Any, scores: Array, labels: Any) -> Array:
    """Each row's class as a column of the scores."""
    codes, classes = inputs.coded_or_sorted(truth)
    if labels is None:
        if len(classes) != scores.shape[1]:
            raise ValueError("Number of classes in y_true not equal to the number of columns in 'y_score'")
        return codes
    unequal = "Number of given labels, {}, not equal to the number of columns in 'y_score', {}"
    return inputs.among_columns(labels, classes, scores.shape[1], unequal)[codes]


def _each_pair(codes: Array, scores: Array, average: str | None) -> Any:
    """The mean over pairs of classes of the AUC of each against the other (Hand and Till 2001)."""
    present = np.unique(codes).tolist()
    areas, shares = [], []
    for a, b in combinations(present, 2):
        rows = np.flatnonzero((codes == a) | (codes == b))
        first = (codes[rows] == a).view(np.uint8)
        sides = (inputs.Scored(first, scores[rows, a], None), inputs.Scored(1 - first, scores[rows, b], None))
        areas.append(sum(_roc_area(side) for side in sides) / 2)
        shares.append(len(rows) / len(codes))
    return np.average(areas, weights=shares if average == "weighted" else None)


def average_precision_score(
    y_true: Any, y_score: Any, *, average: str | None = "macro", pos_label: Any = 1, sample_weight: Any = None
) -> Any:
    """The precision at each threshold, weighted by the recall it adds.

    >>> round(average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 6)
    0.833333
    """
    check("average_precision_score", **locals())
    truth = inputs.column(y_true)
    kind, mask, classes, codes = inputs.two_sides(truth)
    if kind == "binary":
        assert mask is not None
        if len(classes) == 2 and pos_label not in classes:
            raise ValueError(f"pos_label={pos_label} is not a valid label. It should be one of {listed(classes)}")
        return _two_class_precision(inputs.against(mask, classes, pos_label), y_score, sample_weight)
    if kind in (inputs.MULTILABEL, "multiclass") and pos_label != 1:
        raise ValueError(
            f"Parameter pos_label is fixed to 1 for {kind} y_true. Do not set pos_label or set pos_label to 1."
        )
    scores = inputs.number_array(inputs.column(y_score), rows=True)
    if kind != "multiclass":
        return _of_matrix(_precision_area, kind, truth, scores, average, sample_weight)
    if scores.ndim != 2 or scores.shape[1] != len(classes):
        raise inputs.needs_columns(scores)
    inputs.same_length(codes, scores, sample_weight)
    weights = inputs.float_weights(sample_weight, len(codes))
    return _over_labels(_precision_area, inputs.one_hot(codes, len(classes)), _typed(scores), weights, average)


def _two_class_precision(mask: Array, y_score: Any, sample_weight: Any) -> float:
    scores = inputs.one_column(inputs.column(y_score))
    inputs.same_length(mask, scores, sample_weight)
    return _precision_area(inputs.Scored(mask, inputs.numbers(scores), inputs.column_weights(sample_weight, len(mask))))
