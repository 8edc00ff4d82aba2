"""Any metric at every threshold, and calibration curves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rocscope import measures
from rocscope.curves import threshold_rates
from rocscope.sklearn.class_averages import F_SCORE, JACCARD, PRECISION, RECALL, Policy, Share, settled
from rocscope.sklearn.input_checks import (
    Array,
    Scored,
    as_mask,
    coded,
    column,
    column_weights,
    flags,
    numbers,
    one_column,
    positive_label,
    same_length,
)
from rocscope.sklearn.parameters import check
from rocscope.sklearn.threshold_curves import table_of, thresholds_of
from rocscope.tally.packing import blocks

# Metrics that are formulas of the four cells: all thresholds are one evaluation of the formula.
FORMULAS: dict[str, tuple[str, Share | None]] = {
    "accuracy_score": ("accuracy", None),
    "zero_one_loss": ("error_rate", None),
    "hamming_loss": ("error_rate", None),
    "balanced_accuracy_score": ("balanced_accuracy", None),
    "matthews_corrcoef": ("mcc", None),
    "cohen_kappa_score": ("kappa", None),
    "precision_score": ("precision", PRECISION),
    "recall_score": ("recall", RECALL),
    "f1_score": ("f1", F_SCORE),
    "fbeta_score": ("fbeta", F_SCORE),
    "jaccard_score": ("jaccard", JACCARD),
}


def metric_at_thresholds(
    y_true: Any,
    y_score: Any,
    metric_func: Callable[..., Any],
    *,
    sample_weight: Any = None,
    metric_params: dict[str, Any] | None = None,
) -> tuple[Array, Array]:
    """The metric of the predictions score >= threshold, for every distinct score from the highest down.

    A metric that is a formula of the four cells is computed for all thresholds at once; any other is called for each.

    >>> from rocscope.sklearn import accuracy_score
    >>> metric_at_thresholds([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], accuracy_score)[0]
    array([0.75, 0.5 , 0.75, 0.5 ])
    """
    check(
        "metric_at_thresholds",
        y_true=y_true, y_score=y_score, metric_func=metric_func, sample_weight=sample_weight,
        metric_params=metric_params,
    )  # fmt: skip
    truth, scores = column(y_true), one_column(column(y_score))
    same_length(truth, scores, *([] if sample_weight is None else [sample_weight]))
    typed = numbers(scores)
    weights = column_weights(sample_weight, len(scores))
    formula = _formula(metric_func, metric_params or {})
    mask = flags(truth) if formula is not None else None
    table = None if mask is None else table_of(Scored(mask, typed, weights))
    if formula is None or table is None or not (table.positives > 0 and table.negatives > 0):
        return _one_by_one(one_column(truth), scores, weights, metric_func, metric_params or {})
    along = {name: values[1:] for name, values in threshold_rates.cells(table).items()}
    return _along(formula, along, (metric_params or {}).get("zero_division", "warn")), thresholds_of(table, scores)


Formula = tuple[measures.Measure, Share | None]


def _formula(metric: Callable[..., Any], given: dict[str, Any]) -> Formula | None:
    """The catalogue's measure behind a metric of this module or of scikit-learn; None for any other."""
    home = getattr(metric, "__module__", None) or ""
    name, share = FORMULAS.get(getattr(metric, "__name__", ""), ("", None))
    if not name or not home.startswith(("sklearn.metrics", "rocscope.sklearn")):
        return None
    known = {"beta"} if name == "fbeta" else set()
    if not set(given) <= known | ({"zero_division"} if share else set()) or (name == "fbeta" and "beta" not in given):
        return None
    return (measures.fbeta(float(given["beta"])) if name == "fbeta" else measures.get(name)), share


def _along(formula: Formula, along: dict[str, Array], zero_division: Any) -> Array:
    measure, share = formula
    if share is not None:
        return settled(share, measure, along, Policy("binary", zero_division, (share.name,)))
    values = np.array(measure.value(along))
    return np.nan_to_num(values) if measure.name == "mcc" else values


def _one_by_one(
    truth: Array, scores: Array, weights: Array | None, metric: Callable[..., Any], given: dict[str, Any]
) -> tuple[Array, Array]:
    """The metric called once for every threshold, on rows in the order of their scores."""
    if weights is not None:
        used = weights != 0
        truth, scores, weights = truth[used], scores[used], weights[used]
    order = np.argsort(scores, kind="stable")[::-1]
    truth, scores = truth[order], scores[order]
    extra = given if weights is None else {**given, "sample_weight": weights[order]}
    cuts = scores[np.concatenate(([True], scores[1:] != scores[:-1]))]
    values = [metric(truth, (scores >= cut).astype(np.int32), **extra) for cut in cuts]
    return np.asarray(values), cuts


# ---- calibration ----


def calibration_curve(
    y_true: Any, y_prob: Any, *, pos_label: Any = None, n_bins: int = 5, strategy: str = "uniform"
) -> tuple[Array, Array]:
    """The share of positives and the mean probability in bins of equal width, or with as many rows each.

    >>> calibration_curve([0, 0, 0, 0, 1, 1, 1, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.65, 0.7, 0.8, 0.9, 1.0], n_bins=3)
    (array([0. , 0.5, 1. ]), array([0.2 , 0.525, 0.85 ]))
    """
    check(
        "calibration_curve",
        y_true=y_true, y_prob=y_prob, pos_label=pos_label, n_bins=n_bins, strategy=strategy,
    )  # fmt: skip
    truth, proba = column(y_true), one_column(column(y_prob))
    same_length(truth, proba)
    low, high = proba.min(), proba.max()
    if low < 0 or high > 1:
        raise ValueError("y_prob has values outside [0, 1].")
    hits = _positives(truth, pos_label)
    edges = np.linspace(0.0, 1.0, n_bins + 1)
    if strategy == "quantile":
        edges = _quantiles(np.sort(proba), edges)
    binned = _bins(proba, edges[1:-1], low == low)
    rows = np.bincount(binned, minlength=len(edges))
    used = rows > 0
    said, found = np.bincount(binned, proba, len(edges)), np.bincount(binned, hits, len(edges))
    return found[used] / rows[used], said[used] / rows[used]


def _quantiles(ordered: Array, shares: Array) -> Array:
    """Quantiles of sorted values, linear between them, with NumPy's roundings: edges meet values exactly."""
    place = shares * 100 / 100 * (len(ordered) - 1)
    before = np.floor(place).astype(np.intp)
    low, high = ordered[before], ordered[np.minimum(before + 1, len(ordered) - 1)]
    share, gap = place - before, high - low
    return np.asarray(np.where(share >= 0.5, high - gap * (1 - share), low + gap * share))


def _positives(truth: Any, pos_label: Any) -> Array:
    """1 for each positive row; more than two labels are refused."""
    mask = flags(truth) if pos_label is None else None
    if mask is not None:
        return mask
    codes, classes = coded(truth)
    if codes is None:
        present, codes = np.unique(one_column(truth), return_inverse=True)
        classes = tuple(present.tolist())
    label = positive_label(classes, pos_label)
    if len(classes) > 2:
        raise ValueError(f"Only binary classification is supported. Provided labels {np.asarray(classes)}.")
    return as_mask(codes == (classes.index(label) if label in classes else -1))


def _bins(proba: Array, inner: Array, comparable: bool) -> Array:
    """The bin of each row: how many inner edges lie below it."""
    if len(inner) > 32 or not comparable:
        return np.searchsorted(inner, proba)
    found = np.zeros(len(proba), dtype=np.uint8)
    for rows in blocks(len(proba)):
        part, bins = proba[rows], found[rows]
        for edge in inner:
            bins += part > edge
    return found

