"""Rankings of labels within each row: coverage, label ranking precision and loss, discounted gains, top-k accuracy.

What each row adds is computed in `multiclass.case_losses`; here are scikit-learn's arguments and refusals.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from rocscope.multiclass import class_places, coverages, ranked_labels, ranking_losses, ranking_precisions
from rocscope.numbers import Array
from rocscope.sklearn import inputs
from rocscope.sklearn.parameters import check, undefined_metric_warning
from rocscope.tally import blocks

# ---- input ----


def _labels_and_scores(y_true: Any, y_score: Any, sample_weight: Any) -> tuple[Array, Array, Array | None]:
    truth, scores = inputs.number_array(y_true), inputs.number_array(y_score)
    inputs.same_length(truth, scores, sample_weight)
    return truth, scores, inputs.float_weights(sample_weight, len(truth))


def _refuse_kind(truth: Array, *also: bool) -> None:
    kind = inputs.target_kind(truth, "y_true")
    if kind != inputs.MULTILABEL and not any(also):
        raise ValueError(f"{kind} format is not supported")


def _same_shape(truth: Array, scores: Array) -> None:
    if truth.shape != scores.shape:
        raise ValueError("y_true and y_score have different shape")


# ---- label ranking ----


def coverage_error(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """The mean rank down to which the labels must be inspected to cover all true ones.

    >>> coverage_error([[1, 0, 0], [0, 1, 1]], [[1, 0, 0], [0, 1, 1]])
    1.5
    """
    check("coverage_error", **locals())
    truth, scores = (inputs.two_dimensional(inputs.number_array(values)) for values in (y_true, y_score))
    inputs.same_length(truth, scores, sample_weight)
    weights = inputs.float_weights(sample_weight, len(truth))
    _refuse_kind(truth)
    _same_shape(truth, scores)
    return float(np.average(coverages(truth != 0, scores), weights=weights))


def label_ranking_average_precision_score(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """For each true label, the share of true labels among those ranked at least as high, averaged over labels and rows.

    >>> round(label_ranking_average_precision_score([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]]), 6)
    0.416667
    """
    check("label_ranking_average_precision_score", **locals())
    truth, scores, weights = _labels_and_scores(y_true, y_score, sample_weight)
    _same_shape(truth, scores)
    _refuse_kind(truth, truth.ndim == 2 and inputs.target_kind(truth) == "binary")
    return float(np.average(ranking_precisions(truth != 0, scores), weights=weights))


def label_ranking_loss(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """The share of pairs of a true and a false label that are ranked incorrectly; ties count as incorrect.

    >>> label_ranking_loss([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]])
    0.75
    """
    check("label_ranking_loss", **locals())
    truth, scores, weights = _labels_and_scores(y_true, y_score, sample_weight)
    _refuse_kind(truth)
    _same_shape(truth, scores)
    return float(np.average(ranking_losses(truth != 0, scores), weights=weights))


# ---- discounted cumulative gain ----


def dcg_score(
    y_true: Any, y_score: Any, *, k: int | None = None, log_base: float = 2, sample_weight: Any = None,
    ignore_ties: bool = False,
) -> float:  # fmt: skip
    """The gains in ranked order, each divided by the logarithm of its position, averaged over rows.

    >>> round(dcg_score([[10, 0, 0, 1, 5]], [[0.1, 0.2, 0.3, 4, 70]]), 6)
    9.499458
    """
    check("dcg_score", **locals())
    truth, scores, weights = _labels_and_scores(y_true, y_score, sample_weight)
    _gain_kind(truth)
    gains = _gains(truth, scores, _discounts(truth.shape[1], k, log_base), bool(ignore_ties))
    return float(np.average(gains, weights=weights))


def _gain_kind(truth: Array) -> None:
    kind = inputs.target_kind(truth, "y_true")
    supported = (inputs.MULTILABEL, "continuous-multioutput", "multiclass-multioutput")
    if kind not in supported:
        raise ValueError(f"Only {supported} formats are supported. Got {kind} instead")


def _discounts(size: int, k: int | None, log_base: float = 2) -> Array:
    """1 / log(place + 1) for places from 1 on, and 0 beyond the first k."""
    discounts = np.asarray(1 / (np.log(np.arange(size) + 2) / np.log(log_base)))
    if k is not None:
        discounts[k:] = 0
    return discounts


def _gains(truth: Array, scores: Array, discounts: Array, ignore_ties: bool) -> Array:
    """The discounted gain of every row; a group of ties has the mean of its discounts."""
    if truth.shape != scores.shape:
        raise ValueError("array is not broadcastable to correct shape")
    if ignore_ties:
        order = np.argsort(scores)[:, ::-1]
        return np.asarray(np.take_along_axis(truth, order, axis=1) @ discounts)
    rows = ranked_labels(truth, scores)
    sums = np.concatenate(([0.0], np.cumsum(discounts)))
    mean = (sums[rows.last + 1] - sums[rows.first]) / (rows.last + 1 - rows.first)
    return np.asarray((rows.relevance * mean).sum(axis=1))


def ndcg_score(
    y_true: Any, y_score: Any, *, k: int | None = None, sample_weight: Any = None, ignore_ties: bool = False
) -> float:
    """The discounted gain as a share of the best possible one, averaged over rows.

    >>> round(ndcg_score([[10, 0, 0, 1, 5]], [[0.1, 0.2, 0.3, 4, 70]]), 6)
    0.695694
    """
    check("ndcg_score", **locals())
    truth, scores, weights = _labels_and_scores(y_true, y_score, sample_weight)
    if truth.size and truth.min() < 0:
        raise ValueError("ndcg_score should not be used on negative y_true values.")
    if truth.ndim > 1 and truth.shape[1] <= 1:
        raise ValueError(
            f"Computing NDCG is only meaningful when there is more than 1 document. Got {truth.shape[1]} instead."
        )
    _gain_kind(truth)
    discounts = _discounts(truth.shape[1], k)
    gains = _gains(truth, scores, discounts, bool(ignore_ties))
    best = _gains(truth, truth, discounts, True)
    shares = np.divide(gains, best, out=np.zeros(len(gains)), where=best != 0)
    return float(np.average(shares, weights=weights))


# ---- top-k accuracy ----


def top_k_accuracy_score(
    y_true: Any, y_score: Any, *, k: int = 2, normalize: bool = True, sample_weight: Any = None, labels: Any = None,
) -> float:  # fmt: skip
    """The share of rows whose true class is among the k with the highest scores.

    >>> top_k_accuracy_score([0, 1, 2, 2], [[0.5, 0.2, 0.2], [0.3, 0.4, 0.2], [0.2, 0.4, 0.3], [0.7, 0.2, 0.1]])
    0.75
    """
    check("top_k_accuracy_score", **locals())
    truth, scores = inputs.column(y_true), inputs.number_array(inputs.column(y_score))
    kind, codes, present = inputs.coded_kind(truth)
    if kind == "binary" and labels is not None and len(labels) > 2:
        kind = "multiclass"
    _check_top_k(kind, truth, scores, labels)
    inputs.same_length(truth, scores, sample_weight)
    codes, classes = _top_k_codes(codes, present, scores, labels)
    if k >= classes:
        warnings.warn(
            f"'k' ({k}) greater than or equal to 'n_classes' ({classes}) will result in a perfect score and is "
            "therefore meaningless.",
            undefined_metric_warning(),
            stacklevel=2,
        )
    hits = _top_k_hits(kind, codes, scores, k)
    weights = inputs.float_weights(sample_weight, len(hits))
    if normalize:
        return float(np.average(hits, weights=weights))
    return float(np.count_nonzero(hits) if weights is None else weights @ hits)


def _check_top_k(kind: str, truth: Any, scores: Array, labels: Any) -> None:
    if kind not in ("binary", "multiclass"):
        raise ValueError(f"y type must be 'binary' or 'multiclass', got '{kind}' instead.")
    if kind == "binary" and scores.ndim == 2 and scores.shape[1] != 1:
        raise ValueError(
            f"`y_true` is binary while y_score is 2d with {scores.shape[1]} classes. If `y_true` does not contain all "
            "the labels, `labels` must be provided."
        )
    if kind == "multiclass" and scores.ndim != 2:
        raise inputs.needs_columns(scores)


def _top_k_codes(codes: Array, present: tuple[Any, ...], scores: Array, labels: Any) -> tuple[Array, int]:
    """Each row's class as a column of the scores, and the number of columns."""
    columns = scores.shape[1] if scores.ndim == 2 else 2
    if labels is None:
        if len(present) != columns:
            raise ValueError(
                f"Number of classes in 'y_true' ({len(present)}) not equal to the number of classes in 'y_score' "
                f"({columns}).You can provide a list of all known classes by assigning it to the `labels` parameter."
            )
        return codes, columns
    unequal = "Number of given labels ({}) not equal to the number of classes in 'y_score' ({})."
    return inputs.among_columns(labels, present, columns, unequal, end=".")[codes], columns


def _top_k_hits(kind: str, codes: Array, scores: Array, k: int) -> Array:
    if kind == "binary":
        if k > 1:
            return np.ones(len(codes), dtype=bool)
        cut = 0.5 if scores.min() >= 0 and scores.max() <= 1 else 0
        return np.asarray((inputs.one_column(scores) > cut) == codes)
    hits = [class_places(codes[rows], scores[rows]) < k for rows in blocks(len(codes), 1 << 14)]
    return np.concatenate(hits)
