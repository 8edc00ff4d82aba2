"""Probabilities against what happened: Brier score, log loss, their skill (D²), and the hinge loss.

Sums run over blocks in float64 whatever the type that came: a float32 sum drifts with the number of rows.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from rocscope.numbers import Array, over_rows
from rocscope.sklearn import inputs
from rocscope.sklearn.parameters import check, listed, undefined_metric_warning
from rocscope.tally import blocks

FACTORS = 16
"""The number of probabilities multiplied before taking a logarithm: each is at least 2.2e-16, so the product stays
above 0."""


class Stated(NamedTuple):
    """What happened and what was said: the place of each row's class, the probabilities, the weights.

    `proba` has one column for two classes (that of the second) or one per class; `truth` is a mask of the second class,
    codes, or - where a matrix of labels came - the matrix itself.
    """

    truth: Array
    proba: Array
    weights: Array | None
    classes: int

    @property
    def total(self) -> float:
        """The weight of all rows."""
        return len(self.truth) if self.weights is None else float(self.weights.sum())


# ---- input ----


def _probabilities(y_proba: Any, low: str) -> Array:
    """Numbers from 0 to 1, one or several per row; `low` names those below 0."""
    if y_proba is None:
        raise ValueError("Input contains NaN.")
    array = np.asarray(inputs.column(y_proba))
    if array.dtype.kind != "f":
        array = array.astype(np.float64)
    if array.ndim > 2:
        raise ValueError(f"Found array with dim {array.ndim}, while dim <= 2 is required.")
    least, most = inputs.some_rows(array).min(), array.max()
    if not (least >= 0 and most <= 1):
        inputs.all_finite(array)
        if most > 1:
            raise ValueError(f"y_prob contains values greater than 1: {most}")
        raise ValueError(f"y_prob contains values {low} than 0: {least}")
    return array


def _two_classes(y_true: Any, proba: Array, sample_weight: Any, pos_label: Any) -> Stated:
    truth = inputs.column(y_true)
    kind, mask, classes, _ = inputs.two_sides(truth, "")
    if kind != "binary":
        raise ValueError(
            f"The type of the target inferred from y_true is {kind} but should be binary "
            "according to the shape of y_prob."
        )
    inputs.same_length(proba, truth, sample_weight)
    weights = inputs.float_weights(sample_weight, len(proba))
    assert mask is not None
    try:
        label = inputs.positive_label(classes, pos_label)
    except ValueError:
        if any(isinstance(known_label, str) for known_label in classes):
            raise
        label = classes[-1]
    return Stated(inputs.against(mask, classes, label), proba, weights, 2)


def _several_classes(y_true: Any, proba: Array, sample_weight: Any, labels: Any) -> Stated:
    """Rows with a class and a probability for each; of two classes one column is enough."""
    truth = inputs.column(y_true)
    inputs.same_length(proba, truth, sample_weight)
    weights = inputs.float_weights(sample_weight, len(proba))
    positions, classes = _places(truth, y_true, labels)
    if proba.ndim == 2:
        sums = over_rows(np.add, proba)
        if not np.allclose(sums, 1, rtol=float(np.sqrt(np.finfo(proba.dtype).eps))):
            warnings.warn(
                "The y_prob values do not sum to one. Make sure to pass probabilities.", UserWarning, stacklevel=4
            )
    columns = 2 if proba.ndim == 1 else proba.shape[1]
    if len(classes) != columns:
        raise _other_columns(classes, columns, labels is not None)
    return Stated(positions, proba, weights, columns)


def _other_columns(classes: tuple[Any, ...], columns: int, given: bool) -> ValueError:
    if given:
        return ValueError(
            "The number of classes in labels is different from that in y_prob. "
            f"Classes found in labels: {listed(classes)}"
        )
    return ValueError(
        f"y_true and y_prob contain different number of classes: {len(classes)} vs {columns}. Please provide the true "
        f"labels explicitly through the labels argument. Classes found in y_true: {listed(classes)}"
    )


def _places(truth: Any, came: Any, labels: Any) -> tuple[Array, tuple[Any, ...]]:
    """The place of each row's class among the classes, which are those of `labels` when given."""
    codes, classes = inputs.coded(truth)
    if codes is None:
        kind = inputs.target_kind(truth, "y")
        if kind == inputs.MULTILABEL:
            return np.asarray(truth), tuple(range(truth.shape[1]))
        if kind.endswith("multioutput"):
            raise ValueError("Multioutput target data is not supported with label binarization")
        if kind not in ("binary", "multiclass"):
            raise ValueError(f"Unknown label type: {(came,)!r}")
        codes, classes = inputs.coded_or_sorted(truth)
    if labels is None:
        if len(classes) == 1:
            raise ValueError(
                f"y_true contains only one label ({classes[0]}). Please provide the list of all expected class labels "
                "explicitly through the labels argument."
            )
        return codes, classes
    return _among_given(codes, classes, labels)


def _among_given(codes: Array, present: tuple[Any, ...], labels: Any) -> tuple[Array, tuple[Any, ...]]:
    given = inputs.one_column(inputs.column(labels)).tolist()
    classes = tuple(sorted(set(given)))
    if list(classes) != given:
        warnings.warn(
            f"Labels passed were {labels}. But this function assumes labels are ordered lexicographically. "
            f"Pass the ordered labels={list(classes)} and ensure that the columns of y_prob correspond "
            "to this ordering.",
            UserWarning,
            stacklevel=6,
        )
    foreign = set(present) - set(classes)
    if foreign:
        raise ValueError(f"y_true contains values {foreign} not belonging to the passed labels {labels}.")
    if len(classes) == 1:
        raise ValueError(f"The labels array needs to contain at least two labels, got {listed(classes)}.")
    return np.array([classes.index(label) for label in present])[codes], classes


# ---- blockwise sums ----

ROWS = 1 << 13
"""The number of rows in a block, which stays in the cache and below the size at which products of vectors use
threads."""


def _outcome_probabilities(stated: Stated) -> Iterator[tuple[slice, Array]]:
    """Yield the probability assigned to the observed outcome, block by block, in float64."""
    truth, proba = stated.truth, stated.proba
    starts = np.arange(min(ROWS, len(truth))) * stated.classes
    for rows in blocks(len(truth), ROWS):
        part = proba[rows]
        if proba.ndim == 1:
            given_probability = np.subtract(part, truth[rows] ^ 1, dtype=np.float64)  # p - 0, or p - 1
            np.abs(given_probability, out=given_probability)
        else:
            given_probability = np.take(part, starts[: len(part)] + truth[rows]).astype(np.float64)
        yield rows, given_probability


def _squares(stated: Stated) -> float:
    """The weighted sum of squared distances of the probabilities from what happened, over all classes."""
    if stated.truth.ndim == 2:
        return _squares_of_matrix(stated)
    if stated.proba.ndim == 1:
        return 2 * _squares_of_column(stated)
    total = 0.0
    for rows, given_probability in _outcome_probabilities(stated):
        weights = None if stated.weights is None else stated.weights[rows]
        # sum over classes of (p - hit)^2 = sum of p^2 - 2 p of the actual class + 1
        part = stated.proba[rows].astype(np.float64, copy=False)
        part = part * part
        losses = over_rows(np.add, part)
        losses -= 2 * given_probability
        losses += 1
        total += float(losses.sum()) if weights is None else _dot(weights, losses)
    return max(total, 0.0)


def _squares_of_column(stated: Stated) -> float:
    total = 0.0
    for rows in blocks(len(stated.truth), ROWS):
        apart = np.subtract(stated.proba[rows], stated.truth[rows], dtype=np.float64)
        total += _dot(apart, apart if stated.weights is None else stated.weights[rows] * apart)
    return total


def _squares_of_matrix(stated: Stated) -> float:
    apart = stated.proba.astype(np.float64) - stated.truth
    losses = (apart * apart).sum(axis=1)
    return float(losses.sum() if stated.weights is None else stated.weights @ losses)


def _dot(a: Array, b: Array) -> float:
    return float(np.dot(a, b))


def _logs(stated: Stated) -> float:
    """The weighted sum of -log of the probability given to what happened, kept a rounding unit away from 0 and 1."""
    least = float(np.finfo(stated.proba.dtype).eps)
    if stated.truth.ndim == 2:
        kept = np.clip(stated.proba.astype(np.float64), least, 1 - least)
        losses = -(stated.truth * np.log(kept)).sum(axis=1)
        return float(losses.sum() if stated.weights is None else stated.weights @ losses)
    total = 0.0
    for rows, part in _outcome_probabilities(stated):
        np.clip(part, least, 1 - least, out=part)
        if stated.weights is None:
            total -= _log_of_product(part)
        else:
            total -= _dot(stated.weights[rows], np.log(part, out=part))
    return total


def _log_of_product(part: Array) -> float:
    """The sum of logarithms, by one logarithm for every FACTORS numbers."""
    size = len(part) // FACTORS * FACTORS
    products = np.multiply.reduce(part[:size].reshape(FACTORS, -1), axis=0)
    return float(np.log(products, out=products).sum()) + float(np.log(part[size:]).sum())


# ---- public functions ----


def brier_score_loss(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None,
    scale_by_half: bool | str = "auto",
) -> float:  # fmt: skip
    """The mean squared difference between the probabilities and the outcomes.

    >>> round(brier_score_loss([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]), 12)
    0.0375
    """
    check("brier_score_loss", **locals())
    stated = _stated(y_true, y_proba, sample_weight, pos_label, labels)
    half = stated.classes <= 2 if isinstance(scale_by_half, str) else scale_by_half
    return _squares(stated) / stated.total * (0.5 if half else 1.0)


def _stated(y_true: Any, y_proba: Any, sample_weight: Any, pos_label: Any, labels: Any) -> Stated:
    single = np.ndim(y_proba) == 1 or (np.ndim(y_proba) == 2 and np.shape(y_proba)[1] == 1)
    proba = _probabilities(y_proba, "less" if single else "lower")
    if single:
        return _two_classes(y_true, proba, sample_weight, pos_label)
    return _several_classes(y_true, proba, sample_weight, labels)


def d2_brier_score(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> float:
    """The reduction of the Brier score relative to always predicting the class shares.

    >>> round(d2_brier_score([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]), 12)
    0.85
    """
    check("d2_brier_score", **locals())
    if _too_few(y_true, y_proba, sample_weight):
        return math.nan
    stated = _stated(y_true, y_proba, sample_weight, pos_label, labels)
    return _skill(_squares(stated), _squares(_by_shares(stated)))


def log_loss(
    y_true: Any, y_proba: Any = None, *, normalize: bool = True, sample_weight: Any = None, labels: Any = None,
    y_pred: Any = "deprecated",
) -> float:  # fmt: skip
    """The mean negative log probability of the observed class.

    >>> round(log_loss([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]), 12)
    0.197634881642
    """
    check("log_loss", **locals())
    y_proba = _renamed(y_proba, y_pred)
    stated = _several_classes(y_true, _probabilities(y_proba, "lower"), sample_weight, labels)
    return _logs(stated) / (stated.total if normalize else 1.0)


def _renamed(y_proba: Any, y_pred: Any) -> Any:
    """The probabilities by their old name, with a warning."""
    if isinstance(y_pred, str) and y_pred == "deprecated":
        return y_proba
    if y_proba is not None:
        raise ValueError("Cannot use both `y_pred` and `y_proba`. `y_pred` is deprecated, use `y_proba` instead.")
    warnings.warn(
        "`y_pred` was renamed to `y_proba` in version 1.9 and will be removed in 1.11. Use `y_proba` instead.",
        FutureWarning,
        stacklevel=3,
    )
    return y_pred


def d2_log_loss_score(
    y_true: Any, y_proba: Any = None, *, sample_weight: Any = None, labels: Any = None, y_pred: Any = "deprecated"
) -> float:
    """The reduction of the log loss relative to always predicting the class shares.

    >>> round(d2_log_loss_score([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]), 12)
    0.714873136348
    """
    check("d2_log_loss_score", **locals())
    y_proba = _renamed(y_proba, y_pred)
    if _too_few(y_true, y_proba, sample_weight):
        return math.nan
    stated = _several_classes(y_true, _probabilities(y_proba, "lower"), sample_weight, labels)
    return _skill(_logs(stated), _logs(_by_shares(stated)))


def _too_few(y_true: Any, y_proba: Any, sample_weight: Any) -> bool:
    """Whether there are fewer than two rows, in which case a warning is given."""
    inputs.same_length(y_proba, y_true, sample_weight)
    if np.shape(y_proba)[0] >= 2:
        return False
    warnings.warn("D^2 score is not well-defined with less than two samples.", undefined_metric_warning(), stacklevel=3)
    return True


def _by_shares(stated: Stated) -> Stated:
    """The same rows when always the share of each class is said."""
    truth, weights = stated.truth, stated.weights
    if stated.proba.ndim == 1:
        share = np.average(truth, weights=weights)
        return stated._replace(proba=np.broadcast_to(np.float64(share), len(truth)))
    if truth.ndim == 2:
        shares = np.average(truth, axis=0, weights=weights)
    else:
        shares = np.bincount(truth, weights, stated.classes) / stated.total
    return stated._replace(proba=np.broadcast_to(shares, (len(truth), len(shares))))


def _skill(loss: float, reference: float) -> float:
    if reference:
        return 1 - loss / reference
    return math.nan if loss == 0 else -math.inf


def hinge_loss(y_true: Any, pred_decision: Any, *, labels: Any = None, sample_weight: Any = None) -> float:
    """The mean of max(0, 1 - margin), where the margin is how far the true class is ahead.

    >>> round(hinge_loss([-1, 1, 1], [-2.2, 2.4, 0.1]), 12)
    0.3
    """
    check("hinge_loss", **locals())
    truth = inputs.column(y_true)
    decision = inputs.number_array(inputs.column(pred_decision), rows=True).astype(np.float64, copy=False)
    inputs.same_length(truth, decision, sample_weight)
    codes, present = inputs.coded_or_sorted(truth)
    classes = present if labels is None else tuple(sorted(set(inputs.one_column(inputs.column(labels)).tolist())))
    if len(classes) > 2:
        margin = _lead(codes, present, classes, decision, labels is not None)
    else:
        flat = inputs.one_column(decision)
        margin = np.where(codes == 1, flat, -flat) if len(present) == 2 else -flat
    losses = np.maximum(1 - margin, 0)
    return float(np.average(losses, weights=inputs.float_weights(sample_weight, len(losses))))


def _lead(codes: Array, present: tuple[Any, ...], classes: tuple[Any, ...], decision: Array, given: bool) -> Array:
    """How far the decision value of the true class is ahead of the next."""
    shape = f"pred_decision shape must be (n_samples, n_classes), that is ({len(codes)}, {len(classes)})."
    if decision.ndim <= 1:
        raise ValueError(
            f"The shape of pred_decision cannot be 1d arraywith a multiclass target. {shape} Got: {decision.shape}"
        )
    if decision.shape[1] != len(classes):
        if not given:
            raise ValueError("Please include all labels in y_true or pass labels as third argument")
        raise ValueError(
            "The shape of pred_decision is not consistent with the number of classes. "
            f"With a multiclass target, {shape} Got: {decision.shape}"
        )
    positions = np.array([classes.index(label) for label in present])[codes]
    return np.concatenate([_lead_of(decision[rows], positions[rows]) for rows in blocks(len(positions), ROWS)])


def _lead_of(decision: Array, positions: Array) -> Array:
    """What the true class has, less the most that another has."""
    rest = decision.copy()
    at = np.arange(len(positions)) * decision.shape[1] + positions
    own = rest.ravel()[at]
    rest.ravel()[at] = -np.inf
    return np.asarray(own - over_rows(np.maximum, rest))
