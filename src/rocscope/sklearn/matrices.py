"""Confusion matrices and what is computed from a whole matrix: accuracy, kappa, MCC, likelihood ratios."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from rocscope import measures, tally
from rocscope.numbers import Array, plain
from rocscope.sklearn.inputs import MULTILABEL, LabelPair, pair
from rocscope.sklearn.parameters import check, undefined_metric_warning

ONE_LABEL = (
    "A single label was found in 'y_true' and 'y_pred'. For the confusion matrix to have the correct shape, "
    "use the 'labels' parameter to pass all known labels."
)


def confusion_matrix(
    y_true: Any, y_pred: Any, *, labels: Any = None, sample_weight: Any = None, normalize: str | None = None
) -> Array:
    """The matrix of cases by actual class (rows) and predicted class (columns), as scikit-learn gives it.

    >>> confusion_matrix([2, 0, 2, 2, 0, 1], [0, 0, 2, 2, 0, 2])
    array([[2, 0, 0],
           [0, 0, 1],
           [1, 0, 2]])
    """
    check("confusion_matrix", **locals())
    matrix = _whole(pair(y_true, y_pred, sample_weight, counted=True), labels)
    return matrix if normalize is None else _normalized(matrix, normalize)


def _whole(both: LabelPair, labels: Any = None) -> Array:
    """The matrix of two columns of codes, with scikit-learn's remark when it has one cell."""
    matrix = _matrix_of(both, labels)
    if matrix.shape == (1, 1):
        warnings.warn(ONE_LABEL, UserWarning, stacklevel=3)
    return matrix


def _matrix_of(both: LabelPair, labels: Any) -> Array:
    """The matrix in the order of `labels` when given; other rows are left out then."""
    if both.kind == MULTILABEL:
        raise ValueError(f"{both.kind} is not supported")
    if labels is None:
        return tally.cross(both.truth, both.guess, len(both.classes), both.weights)
    positions, size = label_places(both, labels)
    if not size:
        raise ValueError("'labels' should contain at least one label.")
    if not (positions[both.truth] < size).any():
        raise ValueError("At least one label specified must be in y_true")
    return tally.cross(positions[both.truth], positions[both.guess], size + 1, both.weights)[:size, :size].copy()


def label_places(both: LabelPair, labels: Any) -> tuple[Array, int]:
    """The place of each class among the labels asked for (the number of labels where it is none), and that number."""
    wanted = [plain(label) for label in np.asarray(labels).tolist()]
    where = {label: index for index, label in enumerate(wanted)}
    return np.array([where.get(label, len(wanted)) for label in both.classes], dtype=np.int64), len(wanted)


def _normalized(matrix: Array, how: str) -> Array:
    axis = {"true": 1, "pred": 0, "all": None}[how]
    with np.errstate(all="ignore"):
        return np.asarray(np.nan_to_num(matrix / matrix.sum(axis=axis, keepdims=True)))


def multilabel_confusion_matrix(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, labels: Any = None, samplewise: bool = False
) -> Array:
    """A 2 x 2 matrix [[tn, fp], [fn, tp]] for every class against the rest, or for every sample.

    >>> multilabel_confusion_matrix([0, 1, 2], [0, 1, 1])[1].tolist()
    [[1, 1], [0, 1]]
    """
    check("multilabel_confusion_matrix", **locals())
    from rocscope.sklearn.class_averages import cells_of

    cells = cells_of(pair(y_true, y_pred, sample_weight), labels, samplewise=bool(samplewise))
    return np.array([cells["tn"], cells["fp"], cells["fn"], cells["tp"]]).T.reshape(-1, 2, 2)


# ---- accuracy and related losses ----


def accuracy_score(y_true: Any, y_pred: Any, *, normalize: bool = True, sample_weight: Any = None) -> float:
    """The share (or, if not normalized, the weight) of cases whose labels are all correct.

    >>> accuracy_score([0, 1, 2, 3], [0, 2, 1, 3])
    0.5
    """
    check("accuracy_score", **locals())
    both = pair(y_true, y_pred, sample_weight)
    right = _right(both)
    weight = float(np.count_nonzero(right) if both.weights is None else both.weights @ right)
    if not normalize:
        return weight
    return weight / (both.rows if both.weights is None else float(both.weights.sum()))


def _right(both: LabelPair) -> Array:
    """Which rows are right in every label."""
    if both.kind != MULTILABEL:
        return np.asarray(both.truth == both.guess)
    if isinstance(both.truth, np.ndarray):
        return np.asarray((both.truth == both.guess).all(axis=1))
    return np.asarray((both.truth != both.guess).sum(axis=1) == 0).ravel()


def zero_one_loss(y_true: Any, y_pred: Any, *, normalize: bool = True, sample_weight: Any = None) -> Any:
    """The share (or weight) of cases with any wrong label: 1 - accuracy.

    >>> zero_one_loss([2, 2, 3, 4], [1, 2, 3, 4])
    0.25
    """
    check("zero_one_loss", **locals())
    both = pair(y_true, y_pred, sample_weight)
    right = _right(both)
    if both.weights is None:
        wrong = float(len(right) - np.count_nonzero(right))
        return wrong / len(right) if normalize else wrong
    total = both.weights.sum()
    score = float(both.weights @ right)
    return 1 - score / float(total) if normalize else np.float64(total) - score


def hamming_loss(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> Any:
    """The share of labels that are wrong.

    >>> hamming_loss([[0, 1], [1, 1]], [[0, 0], [0, 0]])
    0.75
    """
    check("hamming_loss", **locals())
    both = pair(y_true, y_pred, sample_weight)
    weights, different = both.weights, both.truth != both.guess
    if both.kind != MULTILABEL:
        if weights is None:
            return float(np.count_nonzero(different)) / both.rows
        return float(weights @ different) / float(weights.sum())
    if weights is None:
        return float(different.sum()) / (different.shape[0] * different.shape[1])
    share = np.asarray(different.sum(axis=1)).ravel() @ weights
    return np.float64(share) / (different.shape[1] * weights.sum())


def balanced_accuracy_score(y_true: Any, y_pred: Any, *, sample_weight: Any = None, adjusted: bool = False) -> float:
    """The mean recall of the classes that occur; if adjusted, 0 corresponds to guessing and 1 is perfect.

    >>> balanced_accuracy_score([0, 1, 0, 0, 1, 0], [0, 1, 0, 0, 0, 1])
    0.625
    """
    check("balanced_accuracy_score", **locals())
    matrix = _whole(pair(y_true, y_pred, sample_weight, counted=True))
    recall = measures.get("recall").value(measures.one_vs_rest(matrix))
    kept = recall[~np.isnan(recall)]
    if len(kept) < len(recall):
        warnings.warn("y_pred contains classes not in y_true", stacklevel=2)
    score = np.float64(kept.mean() if len(kept) else np.nan)
    if not adjusted:
        return float(score)
    chance = 1 / len(kept)
    return float((score - chance) / (1 - chance)) if chance < 1 else math.nan


# ---- agreement ----


def cohen_kappa_score(
    y1: Any, y2: Any, *, labels: Any = None, weights: str | None = None, sample_weight: Any = None,
    replace_undefined_by: float = np.nan,
) -> float:  # fmt: skip
    """Agreement beyond chance; with weights, near misses count less than distant ones.

    >>> cohen_kappa_score(["negative", "positive", "negative", "neutral", "positive"],
    ...                   ["negative", "positive", "negative", "neutral", "negative"])
    0.6875
    """
    check("cohen_kappa_score", **locals())
    try:
        matrix = _whole(pair(y1, y2, sample_weight, counted=True), labels)
    except ValueError as error:
        if "At least one label specified must be in y_true" in str(error):
            raise ValueError(
                "At least one label in `labels` must be present in `y1` (even though `cohen_kappa_score` "
                "is otherwise agnostic to the order of `y1` and `y2`)."
            ) from error
        raise
    value = _of_matrix("kappa" if weights is None else f"{weights}_weighted_kappa", matrix)
    return _undefined_kappa(matrix, replace_undefined_by) if math.isnan(value) else value


def _undefined_kappa(matrix: Array, instead: float) -> float:
    if not matrix.sum(axis=0).any():
        why = "`y2` contains no labels that are present in both `y1` and `labels`."
        end = "`cohen_kappa_score` is undefined and set to the value defined by the `replace_undefined_by` param"
    else:
        why = "`y1`, `y2` and `labels` have only one label in common. "
        end = "`cohen_kappa_score` is undefined and set to the value defined by the the `replace_undefined_by` param"
    warnings.warn(f"{why}{end}, which is set to {instead}.", undefined_metric_warning(), stacklevel=3)
    return instead


def _of_matrix(name: str, matrix: Array) -> float:
    """A measure of the whole matrix in float64: as a batch of one, which skips exact fractions and their cost."""
    function = measures.get(name).matrix
    assert function is not None
    with np.errstate(all="ignore"):
        return float(function(matrix[None].astype(np.float64))[0])


def matthews_corrcoef(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """The correlation of two labelings; 0 if one of them has a single class.

    >>> round(matthews_corrcoef([+1, +1, +1, -1], [+1, -1, +1, +1]), 6)
    -0.333333
    """
    check("matthews_corrcoef", **locals())
    matrix = _whole(pair(y_true, y_pred, sample_weight))
    value = _of_matrix("mcc", matrix)
    return 0.0 if math.isnan(value) else value


# ---- likelihood ratios ----


def class_likelihood_ratios(
    y_true: Any, y_pred: Any, *, labels: Any = None, sample_weight: Any = None, replace_undefined_by: Any = np.nan,
) -> tuple[float, float]:  # fmt: skip
    """The factors by which a positive and a negative prediction multiply the odds of the positive class.

    >>> class_likelihood_ratios([0, 1, 0, 1, 0], [1, 1, 0, 0, 0])
    (1.5, 0.75)
    """
    check("class_likelihood_ratios", **locals())
    both = pair(y_true, y_pred, sample_weight)
    if both.kind != "binary":
        raise ValueError(
            f"class_likelihood_ratios only supports binary classification problems, got targets of type: {both.kind}"
        )
    up, down = _replacements(replace_undefined_by)
    tn, fp, fn, tp = _whole(both, labels).ravel().tolist()
    cells = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
    plus, minus = measures.get("lr_plus").value(cells), measures.get("lr_minus").value(cells)
    _remark_on_ratios(tp, fp, fn, tn)
    if tp + fn == 0:
        return (up if fp == 0 else math.nan), (down if tn == 0 else math.nan)
    return (up if fp == 0 else plus), (down if tn == 0 else minus)


def _remark_on_ratios(tp: float, fp: float, fn: float, tn: float) -> None:
    rest = "To suppress this warning or turn it into an error, see Python's `warnings` module and "
    control = "Use the `replace_undefined_by` param to control this behavior. " + rest + "`warnings.catch_warnings()`."
    remarks = []
    if tp + fn == 0:
        both = "`positive_likelihood_ratio` and `negative_likelihood_ratio` are both set to `np.nan`. "
        remarks.append(f"No samples of the positive class are present in `y_true`. {both}{control}")
    if fp == 0:
        none = "No samples were predicted for the positive class and `positive_likelihood_ratio` is"
        why = none if tp == 0 else "`positive_likelihood_ratio` is ill-defined and"
        remarks.append(f"{why} set to `np.nan`. Use the `replace_undefined_by` param to ")
    if tn == 0:
        remarks.append(f"`negative_likelihood_ratio` is ill-defined and set to `np.nan`. {control}")
    for remark in remarks:
        warnings.warn(remark, undefined_metric_warning(), stacklevel=3)


def _replacements(given: Any) -> tuple[float, float]:
    """The values for an undefined LR+ and LR-."""
    if not isinstance(given, dict):
        return given, given
    plus, minus = given.get("LR+"), given.get("LR-")
    fits = all(isinstance(value, int | float) for value in (plus, minus))
    if fits and (plus >= 1 or math.isnan(plus)) and (0 <= minus <= 1 or math.isnan(minus)):  # type: ignore[operator,arg-type]
        return plus, minus  # type: ignore[return-value]
    raise ValueError(
        "The dictionary passed as `replace_undefined_by` needs to be in the form `{'LR+': `value_1`, "
        "'LR-': `value_2`}` where the value for `LR+` ranges from `1.0` to `np.inf` or is `np.nan` "
        "and the value for `LR-` ranges from "
        f"`0.0` to `1.0` or is `np.nan`; got `{given}`."
    )
