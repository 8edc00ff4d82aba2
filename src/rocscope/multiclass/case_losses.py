"""The contribution of each case: losses of class probabilities, the rank of its class, the ranking of its labels.

One number for each case, so that means, intervals, resamples and paired differences are all made from the same.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rocscope.numbers import Array, floats, over_rows

# ---- multiclass ----


def log_losses(codes: Array, probabilities: Array) -> Array:
    """The log loss of each case: -log of the probability of its class; infinite if that is 0.

    >>> log_losses(np.array([0, 1]), np.array([[1.0, 0.0], [0.5, 0.5]])).round(4).tolist()
    [0.0, 0.6931]
    """
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(_own(codes, probabilities))) + 0.0  # + 0.0 avoids -0


def squared_losses(codes: Array, probabilities: Array) -> Array:
    """The squared distance between the probabilities and the outcome of each case, summed over classes: 0 to 2.

    >>> squared_losses(np.array([0, 1]), np.array([[1.0, 0.0], [0.5, 0.5]])).tolist()
    [0.0, 0.5]
    """
    shares = floats(probabilities)
    return np.asarray(np.maximum((shares * shares).sum(axis=1) - 2 * _own(codes, shares) + 1, 0.0))


def loss_if(probabilities: Array, name: str) -> Array:
    """The loss of each case under the assumption of each class: cases x classes.

    >>> loss_if(np.array([[0.5, 0.5]]), "brier").tolist()
    [[0.5, 0.5]]
    """
    shares = floats(probabilities)
    if name == "brier":
        return np.asarray((shares * shares).sum(axis=1, keepdims=True) - 2 * shares + 1)
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(shares))


def class_places(codes: Array, scores: Array) -> Array:
    """The number of classes ranked before each case's own; among ties, the later class ranks first.

    >>> class_places(np.array([0, 2]), np.array([[0.5, 0.3, 0.2], [0.4, 0.3, 0.3]])).tolist()
    [0, 1]
    """
    own = _own(codes, scores)
    ahead = np.zeros(len(codes), dtype=np.int32)
    for index in range(scores.shape[1]):
        column = scores[:, index]
        ahead += (column > own) | ((column == own) & (codes < index))
    return ahead


def _own(codes: Array, scores: Array) -> Any:
    """The score of each case's own class."""
    return np.take_along_axis(scores, codes[:, None].astype(np.intp), axis=1)[:, 0]


# ---- multilabel ----


class RankedLabels(NamedTuple):
    """Rows sorted by descending score: the relevance in that order, and the first and last position of each tie."""

    relevance: Array
    first: Array
    last: Array


def ranked_labels(relevance: Array, scores: Array) -> RankedLabels:
    """Every row sorted, with its groups of equal scores."""
    order = np.argsort(-scores, axis=1, kind="stable")
    ordered = np.take_along_axis(scores, order, axis=1)
    size = scores.shape[1]
    positions = np.broadcast_to(np.arange(size), scores.shape)
    ends = np.ones(scores.shape, dtype=bool)
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=ends[:, :-1])
    last = np.minimum.accumulate(np.where(ends, positions, size)[:, ::-1], axis=1)[:, ::-1]
    begins = np.roll(ends, 1, axis=1)
    begins[:, 0] = True
    first = np.maximum.accumulate(np.where(begins, positions, 0), axis=1)
    return RankedLabels(np.take_along_axis(relevance, order, axis=1), first, last)


def coverages(truth: Array, scores: Array) -> Array:
    """The rank at which all labels of each case are covered; 0 if it has none.

    >>> coverages(np.array([[True, False], [False, True]]), np.array([[0.9, 0.1], [0.8, 0.2]])).tolist()
    [1, 2]
    """
    lowest = over_rows(np.minimum, np.where(truth, scores, np.inf))
    return over_rows(np.add, (scores >= lowest[:, None]).astype(np.int32))


def ranking_precisions(truth: Array, scores: Array) -> Array:
    """The mean label-ranking precision of each case; 1 if it has no labels.

    >>> ranking_precisions(np.array([[True, False, False]]), np.array([[0.75, 0.5, 1.0]])).tolist()
    [0.5]
    """
    rows = ranked_labels(truth, scores)
    hits = np.take_along_axis(np.cumsum(rows.relevance, axis=1), rows.last, axis=1)
    total = rows.relevance.sum(axis=1)
    trivial = (total == 0) | (total == truth.shape[1])
    shares = (rows.relevance * hits / (rows.last + 1)).sum(axis=1) / np.maximum(total, 1)
    return np.where(trivial, 1.0, shares)


def ranking_losses(truth: Array, scores: Array) -> Array:
    """The share of pairs of a true and a false label of each case that are ranked incorrectly; ties count as incorrect.

    >>> ranking_losses(np.array([[True, False, False]]), np.array([[0.75, 0.5, 1.0]])).tolist()
    [0.5]
    """
    rows = ranked_labels(truth, scores)
    hits = np.take_along_axis(np.cumsum(rows.relevance, axis=1), rows.last, axis=1)
    wrong = (rows.relevance * (rows.last + 1 - hits)).sum(axis=1)
    total = rows.relevance.sum(axis=1)
    return np.asarray(wrong / np.maximum(total * (truth.shape[1] - total), 1))


def mean_at_random(measure: str, truth: Any, mass: Any, flagged: Any) -> float:
    """The mean over cases of "precision", "recall", "f1" or "jaccard" if each label is predicted at random.

    `flagged` is the share of cases for which each label is predicted; `truth` contains sets of labels as rows, and
    `mass` their weights. Cases in which a measure is undefined are left out, in proportion to their probability.

    How it works: with t true labels, of which l is one, and K other labels predicted, precision is the sum of
    P(l) E(1 / (1 + K)), F1 that of 2 P(l) E(1 / (1 + t + K)), and so on. E(1 / (n + K)) is the integral from 0 to 1 of
    x^(n - 1) times the product of (1 - p + p x) over the labels that K counts: a polynomial, for which Gauss-Legendre
    quadrature is exact.

    >>> mean_at_random("recall", [[1, 0], [1, 1]], [1, 1], [0.5, 0.25])
    0.4375
    >>> round(mean_at_random("precision", [[1, 0]], [1], [0.5, 0.5]), 12)  # of {a}, {b} and {a, b}, equally often
    0.5
    """
    p, weights = floats(np.asarray(flagged)), floats(np.asarray(mass))
    nothing, total, known = float(np.prod(1 - p)), 0.0, 0.0
    nodes, steps = np.polynomial.legendre.leggauss(len(p) + 1)
    x, steps = (nodes + 1) / 2, steps / 2
    each = 1 - p + p * x[:, None]  # nodes x labels; above 0, as x is
    others = np.exp(np.log(each).sum(axis=1, keepdims=True) - np.log(each))  # the same without that label
    rows = max(1, 2**22 // (len(p) + 1))
    for start in range(0, len(weights), rows):
        sets = np.asarray(truth[start : start + rows], dtype=np.float64)
        size, own = sets.sum(axis=1), weights[start : start + rows]
        share = np.where(size > 0, 1.0, 0.0 if measure == "recall" else 1 - nothing)
        if measure == "recall":
            value = sets @ p / np.maximum(size, 1)
        elif measure == "precision":
            value, share = sets @ (steps @ (p * others)), np.full(len(size), 1 - nothing)
        elif measure == "f1":
            value = 2 * ((sets @ (p * others).T) * x ** size[:, None]) @ steps
        else:
            wrong = np.exp((1 - sets) @ np.log(each).T)  # sets x nodes: of the labels that are not true
            value = (sets @ p) * ((wrong * x ** np.maximum(size - 1, 0)[:, None]) @ steps)
        total, known = total + float(own @ value), known + float(own @ share)
    return total / known if known else math.nan
