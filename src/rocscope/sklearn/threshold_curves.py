"""What is read along all thresholds: ROC, precision-recall, DET, counts, any metric; and calibration curves."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any

import numpy as np

from rocscope import measures, tally
from rocscope.curves import cells, over
from rocscope.numbers import Array
from rocscope.sklearn import inputs
from rocscope.sklearn.class_averages import SHARES, Policy, Share, named_share, settled
from rocscope.sklearn.parameters import check, undefined_metric_warning
from rocscope.table import ScoreTable
from rocscope.tally import blocks

Curve = tuple[Array, Array, Array]


def table_of(rows: inputs.Scored) -> ScoreTable:
    """The score table of labels and scores that were checked already."""
    grouped = tally.group(rows.scores, rows.mask, rows.weights)
    return ScoreTable(grouped.scores, grouped.pos, grouped.neg)


def thresholds_of(table: ScoreTable, y_score: Any, *, rising: bool = False) -> Array:
    """The distinct scores in the type they came in: the tally widens float16 and bool."""
    dtype = inputs.column(y_score).dtype
    return np.array(table.scores[:: -1 if rising else 1], dtype=dtype if dtype.kind in "bf" else None, order="C")


def roc_curve(
    y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None, drop_intermediate: bool = True
) -> Curve:
    """False and true positive rates and the thresholds, starting with "predict nothing" (infinity).

    >>> roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    (array([0. , 0. , 0.5, 0.5, 1. ]), array([0. , 0.5, 0.5, 1. , 1. ]), array([ inf, 0.8 , 0.4 , 0.35, 0.1 ]))
    """
    check("roc_curve", **locals())
    table = table_of(inputs.scored(y_true, y_score, pos_label, sample_weight))
    kept = _bends(table) if drop_intermediate and len(table) > 2 else None
    fp, tp = _summed(table.neg, kept), _summed(table.pos, kept)
    thresholds = np.empty(len(tp))
    thresholds[0] = np.inf
    thresholds[1:] = table.scores if kept is None else table.scores[kept]
    return _rate(fp, "negative", "false"), _rate(tp, "positive", "true"), thresholds


def _summed(weights: Array, kept: Array | None) -> Array:
    """0, then the sums so far at the kept places; of counts block by block, for a first call pays for new memory."""
    totals = np.empty(len(weights if kept is None else kept) + 1)
    totals[0] = 0.0
    if kept is None:
        np.cumsum(weights, dtype=np.float64, out=totals[1:])
    elif weights.dtype.kind == "f":
        totals[1:] = np.cumsum(weights)[kept]
    else:
        before, at = 0, 0
        for rows in blocks(len(weights)):
            sums = np.cumsum(weights[rows])
            sums += before
            end = int(np.searchsorted(kept, rows.stop))
            totals[at + 1 : end + 1] = sums[kept[at:end] - rows.start]
            before, at = int(sums[-1]), end
    return totals


def _rate(sums: Array, side: str, share: str) -> Array:
    if sums[-1] > 0:
        sums /= sums[-1]
        return sums
    warnings.warn(
        f"No {side} samples in y_true, {share} positive value should be meaningless",
        undefined_metric_warning(),
        stacklevel=3,
    )
    return np.full(len(sums), np.nan)


def _bends(table: ScoreTable) -> Array:
    """Where the curve turns, and its ends: points between two others on a straight line are left out."""
    turns = _turns(table.neg)
    turns |= _turns(table.pos)
    return np.flatnonzero(np.concatenate(([True], turns, [True])))


def _turns(weights: Array) -> Array:
    """Where a step differs from the next. Of float weights the sums decide, rounding and all, as in scikit-learn."""
    if weights.dtype.kind == "f":
        return np.asarray(np.diff(np.cumsum(weights), 2) != 0)
    return np.asarray(weights[1:-1] != weights[2:])


def precision_recall_curve(
    y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None, drop_intermediate: bool = False
) -> Curve:
    """Precision and recall for rising thresholds, ending at (1, 0), and the thresholds.

    >>> precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])[:2]
    (array([0.5 , 0.66666667, 0.5 , 1. , 1. ]), array([1. , 1. , 0.5, 0.5, 0. ]))
    """
    check("precision_recall_curve", **locals())
    table = table_of(inputs.scored(y_true, y_score, pos_label, sample_weight))
    tp, flagged = _rising(table.pos), _rising(table.neg)
    flagged += tp
    thresholds = thresholds_of(table, y_score, rising=True)
    if drop_intermediate and len(table) > 2:
        kept = _where_hits_change(tp[:-1])
        thresholds = thresholds[kept]
        kept = np.append(kept, len(tp) - 1)
        tp, flagged = tp[kept], flagged[kept]
    # divide in place; where nothing is flagged (weights that cancel), keep the 0
    np.divide(tp, flagged, out=flagged, where=flagged != 0)
    flagged[-1] = 1.0
    if tp[0] != 0:
        tp /= tp[0]
    else:
        tp[:-1] = 1.0
        warnings.warn(NO_POSITIVES, stacklevel=2)
    return flagged, tp, thresholds


def _rising(weights: Array) -> Array:
    """The sums so far, from the last threshold to the first, and 0 for "predict nothing"."""
    sums = np.empty(len(weights) + 1)
    sums[-1] = 0.0
    np.cumsum(weights, dtype=np.float64, out=sums[-2::-1])
    return sums


NO_POSITIVES = "No positive class found in y_true, recall is set to one for all thresholds."


def _where_hits_change(tp: Array) -> Array:
    """The ends, and the places where the true positives differ from those before or after."""
    changes = np.diff(tp) != 0
    return np.flatnonzero(np.concatenate(([True], changes[:-1] | changes[1:], [True])))


def det_curve(
    y_true: Any, y_score: Any, pos_label: Any = None, sample_weight: Any = None, drop_intermediate: bool = False
) -> Curve:
    """False positive and false negative rates for rising thresholds, and the thresholds.

    >>> det_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    (array([0.5, 0.5, 0. ]), array([0. , 0.5, 0.5]), array([0.35, 0.4 , 0.8 ]))
    """
    check("det_curve", **locals())
    rows = inputs.scored(y_true, y_score, pos_label, sample_weight)
    if not rows.mask.any() or rows.mask.all():
        raise ValueError(
            "Only one class is present in y_true. Detection error tradeoff curve is not defined in that case."
        )
    table = table_of(rows)
    fp, tp, thresholds = table.fp, table.tp, table.thresholds.astype(np.float64)
    if drop_intermediate and len(fp) > 2:
        kept = _where_hits_change(tp)
        fp, tp, thresholds = fp[kept], tp[kept], thresholds[kept]
    # from the last threshold without false positives to the first without false negatives
    part = slice(int(np.searchsorted(fp, fp[0], side="right")) - 1, int(np.searchsorted(tp, tp[-1])) + 1)
    columns = (over(fp, fp[-1]), over(tp[-1] - tp, tp[-1]), thresholds)
    first, second, third = (values[part][::-1] for values in columns)
    return first, second, third


def _keywords_of_old(function: Callable[..., Any]) -> Callable[..., Any]:
    """Keywords that were positional until scikit-learn 1.9 may still be, with its warning."""
    names = list(signature(function).parameters)

    @wraps(function)
    def call(*given: Any, **keywords: Any) -> Any:
        late = dict(zip(names[2:], given[2:], strict=False))
        if late:
            shown = ", ".join(f"{name}={value}" for name, value in late.items())
            warnings.warn(
                f"Pass {shown} as keyword args. From version 1.11 passing these as positional arguments will result in "
                "an error",
                FutureWarning,
                stacklevel=2,
            )
        return function(*given[:2], **late, **keywords)

    return call


@_keywords_of_old
def confusion_matrix_at_thresholds(
    y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None
) -> tuple[Array, Array, Array, Array, Array]:
    """The counts tn, fp, fn and tp at every distinct score from the highest down, and the scores.

    >>> confusion_matrix_at_thresholds([0, 1, 1], [0.1, 0.2, 0.3])[3]
    array([1., 2., 2.])
    """
    check("confusion_matrix_at_thresholds", **locals())
    table = table_of(inputs.scored(y_true, y_score, pos_label, sample_weight))
    fp, tp = (np.cumsum(weights, dtype=np.float64) for weights in (table.neg, table.pos))
    return fp[-1] - fp, fp, tp[-1] - tp, tp, thresholds_of(table, y_score)


def auc(x: Any, y: Any) -> float:
    """The area under any curve whose x only rises or only falls, by trapezoids.

    >>> auc([0, 0, 0.5, 0.5, 1], [0, 0.5, 0.5, 1, 1])
    0.75
    """
    check("auc", **locals())
    across, up = inputs.one_column(inputs.column(x)), inputs.one_column(inputs.column(y))
    inputs.same_length(across, up)
    if len(across) < 2:
        raise ValueError(f"At least 2 points are needed to compute area under curve, but x.shape = {len(across)}")
    steps = across[1:] - across[:-1]
    direction = 1
    if steps.min() < 0:
        if steps.max() > 0:
            raise ValueError(f"x is neither increasing nor decreasing : {across}.")
        direction = -1
    return float(direction * ((steps * (up[1:] + up[:-1])).sum() / 2))


# ---- arbitrary metric at every threshold ----

# Metrics that are formulas of the four cells: one evaluation covers all thresholds.
FORMULAS = {
    "accuracy_score": "accuracy",
    "zero_one_loss": "error_rate",
    "hamming_loss": "error_rate",
    "balanced_accuracy_score": "balanced_accuracy",
    "matthews_corrcoef": "mcc",
    "cohen_kappa_score": "kappa",
}


def metric_at_thresholds(
    y_true: Any, y_score: Any, metric_func: Callable[..., Any], *, sample_weight: Any = None,
    metric_params: dict[str, Any] | None = None,
) -> tuple[Array, Array]:  # fmt: skip
    """The metric of the predictions score >= threshold, for every distinct score from the highest down.

    A metric that is a formula of the four cells is computed for all thresholds at once; any other is called for each.

    >>> from rocscope.sklearn import accuracy_score
    >>> metric_at_thresholds([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], accuracy_score)[0]
    array([0.75, 0.5 , 0.75, 0.5 ])
    """
    check("metric_at_thresholds", **locals())
    truth, scores = inputs.column(y_true), inputs.one_column(inputs.column(y_score))
    inputs.same_length(truth, scores, sample_weight)
    typed = inputs.numbers(scores)
    weights = inputs.column_weights(sample_weight, len(scores))
    formula = _formula(metric_func, metric_params or {})
    mask = inputs.flags(truth) if formula is not None else None
    table = None if mask is None else table_of(inputs.Scored(mask, typed, weights))
    if formula is None or table is None or not (table.positives > 0 and table.negatives > 0):
        return _one_by_one(inputs.one_column(truth), scores, weights, metric_func, metric_params or {})
    along = {name: values[1:] for name, values in cells(table).items()}
    return _along(formula, along, (metric_params or {}).get("zero_division", "warn")), thresholds_of(table, scores)


Formula = tuple[measures.Measure, Share | None]


def _formula(metric: Callable[..., Any], given: dict[str, Any]) -> Formula | None:
    """The catalog's measure behind a metric of this module or of scikit-learn; None for any other."""
    home = getattr(metric, "__module__", None) or ""
    name = getattr(metric, "__name__", "")
    if not home.startswith(("sklearn.metrics", "rocscope.sklearn")):
        return None
    if name in FORMULAS:
        return None if given else (measures.get(FORMULAS[name]), None)
    needed = {"beta"} if name == "fbeta_score" else set()
    if not (needed or name in SHARES) or not needed <= set(given) <= needed | {"zero_division"}:
        return None
    share, measure = named_share(name, **{key: given[key] for key in needed})
    return measure, share


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
    """The share of positives and the mean probability in bins of equal width, or with equal numbers of rows.

    >>> calibration_curve([0, 0, 0, 0, 1, 1, 1, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.65, 0.7, 0.8, 0.9, 1.0], n_bins=3)
    (array([0. , 0.5, 1. ]), array([0.2 , 0.525, 0.85 ]))
    """
    check("calibration_curve", **locals())
    rows, expected, positives = calibration_bins(y_true, y_prob, pos_label=pos_label, n_bins=n_bins, strategy=strategy)
    return positives / rows, expected / rows


def calibration_bins(
    y_true: Any, y_prob: Any, *, pos_label: Any = None, n_bins: int = 5, strategy: str = "uniform"
) -> tuple[Array, Array, Array]:
    """The rows, the sum of probabilities and the positives of each bin that is not empty."""
    truth, proba = inputs.column(y_true), inputs.one_column(inputs.column(y_prob))
    inputs.same_length(truth, proba)
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
    expected, positives = np.bincount(binned, proba, len(edges)), np.bincount(binned, hits, len(edges))
    return rows[used], expected[used], positives[used]


def _quantiles(ordered: Array, shares: Array) -> Array:
    """Quantiles of sorted values, linear between them, with NumPy's roundings: edges meet values exactly."""
    position = shares * 100 / 100 * (len(ordered) - 1)
    before = np.floor(position).astype(np.intp)
    low, high = ordered[before], ordered[np.minimum(before + 1, len(ordered) - 1)]
    share, gap = position - before, high - low
    return np.asarray(np.where(share >= 0.5, high - gap * (1 - share), low + gap * share))


def _positives(truth: Any, pos_label: Any) -> Array:
    """1 for each positive row; more than two labels are refused."""
    mask = inputs.flags(truth) if pos_label is None else None
    if mask is not None:
        return mask
    codes, classes = inputs.coded_or_sorted(truth)
    label = inputs.positive_label(classes, pos_label)
    if len(classes) > 2:
        raise ValueError(f"Only binary classification is supported. Provided labels {np.asarray(classes)}.")
    return inputs.as_mask(codes == (classes.index(label) if label in classes else -1))


def _bins(proba: Array, inner: Array, comparable: bool) -> Array:
    """The bin of each row: how many inner edges lie below it."""
    if len(inner) > 32 or not comparable:
        return np.searchsorted(inner, proba)
    bin_of = np.zeros(len(proba), dtype=np.uint8)
    for rows in blocks(len(proba)):
        part, bins = proba[rows], bin_of[rows]
        for edge in inner:
            bins += part > edge
    return bin_of
