"""Precision, recall, F-scores and Jaccard per class, and their averages; where undefined, 0 with a warning.

The shares themselves are the catalog's: one formula each on the cells of every class. Only what scikit-learn puts in
place of an undefined one, and how it averages over that, is decided here.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from rocscope import measures, tally
from rocscope.numbers import Array
from rocscope.sklearn.inputs import MULTILABEL, LabelPair, pair
from rocscope.sklearn.matrices import label_places
from rocscope.sklearn.parameters import check, listed, undefined_metric_warning

Cells = dict[str, Array]


class Share(NamedTuple):
    """The name of a measure in warnings, and what is missing if it is undefined."""

    name: str
    title: str
    missing: str


PRECISION = Share("precision", "Precision", "predicted")
RECALL = Share("recall", "Recall", "true")
F_SCORE = Share("f-score", "F-score", "true nor predicted")
JACCARD = Share("jaccard", "Jaccard", "true or predicted")
SILENT = Share("", "", "")
"""F-beta at 0 and infinity is precision or recall, whose own warning is enough."""

SHARES = {
    "precision_score": (PRECISION, "precision"),
    "recall_score": (RECALL, "recall"),
    "f1_score": (F_SCORE, "f1"),
    "jaccard_score": (JACCARD, "jaccard"),
}


class Policy(NamedTuple):
    """What is put in place of an undefined value, who is warned, and how values are averaged."""

    average: str | None
    zero_division: Any
    warn_for: Collection[str]


# ---- counts per class or per sample ----


def cells_of(both: LabelPair, labels: Any = None, *, samplewise: bool = False) -> Cells:
    """tp, fp, fn, tn of every requested class (or label), or of every sample."""
    if both.kind == MULTILABEL:
        return _indicator_cells(both, labels, samplewise)
    if samplewise:
        raise ValueError("Samplewise metrics are not available outside of multilabel classification.")
    cells = _class_cells(both)
    if not cells["tp"].any():  # scikit-learn returns float counts if no case is correct, and prints them as floats
        cells = {name: cell.astype(np.float64) for name, cell in cells.items()}
    return cells if labels is None else _chosen(cells, both, labels)


def _class_cells(both: LabelPair) -> Cells:
    size = len(both.classes)
    weights = None if both.weights is None else both.weights.astype(np.float64, copy=False)
    if size * size <= max(4096, 4 * both.rows):
        return measures.one_vs_rest(tally.cross(both.truth, both.guess, size, weights))
    right = both.truth == both.guess
    hits = np.bincount(both.truth[right], None if weights is None else weights[right], size)
    actual, flagged = (np.bincount(codes, weights, size) for codes in (both.truth, both.guess))
    fn, fp = actual - hits, flagged - hits
    return {"tp": hits, "fp": fp, "fn": fn, "tn": actual.sum() - hits - fn - fp}


def _chosen(cells: Cells, both: LabelPair, labels: Any) -> Cells:
    """The cells of the labels asked for; of a label that does not occur only tn is not 0."""
    positions, size = label_places(both, labels)
    known = positions < size
    total = sum(cell[0] for cell in cells.values())
    selected = {name: np.full(size, total if name == "tn" else 0, dtype=cell.dtype) for name, cell in cells.items()}
    for name, cell in cells.items():
        selected[name][positions[known]] = cell[known]
    return selected


def _indicator_cells(both: LabelPair, labels: Any, samplewise: bool) -> Cells:
    truth, guess = both.truth, both.guess
    if labels is not None:
        chosen = _label_columns(labels, truth.shape[1])
        truth, guess = truth[:, chosen], guess[:, chosen]
    hits = truth & guess if isinstance(truth, np.ndarray) else truth.multiply(guess)
    if samplewise:
        tp, actual, flagged = (_by_row(matrix, both.weights) for matrix in (hits, truth, guess))
        total = truth.shape[1] if both.weights is None else truth.shape[1] * both.weights
    else:
        tp, actual, flagged = (_by_column(matrix, both.weights) for matrix in (hits, truth, guess))
        total = truth.shape[0] if both.weights is None else both.weights.sum()
    return {"tp": tp, "fp": flagged - tp, "fn": actual - tp, "tn": total - actual - flagged + tp}


def _label_columns(labels: Any, size: int) -> Array:
    chosen = np.asarray(labels)
    wrong = ""
    if chosen.size and chosen.min() < 0:
        wrong = f"{chosen.min()} < 0"
    if chosen.size and chosen.max() >= size:
        wrong = f"{chosen.max()} > {size - 1}"
    if wrong:
        raise ValueError(f"All labels must be in [0, n labels) for multilabel targets. Got {wrong}")
    return chosen


def _by_column(matrix: Any, weights: Array | None) -> Array:
    if weights is not None:
        return np.asarray(weights.astype(np.float64) @ matrix).ravel()
    return np.asarray(matrix.sum(axis=0, dtype=np.int64)).ravel()


def _by_row(matrix: Any, weights: Array | None) -> Array:
    counts = np.asarray(matrix.sum(axis=1, dtype=np.int64)).ravel()
    return counts if weights is None else counts * weights


# ---- selection of classes and averaging ----


def weighed(both: LabelPair) -> LabelPair:
    """The same with weights in float64: supports are floats wherever there are weights."""
    return both if both.weights is None else both._replace(weights=both.weights.astype(np.float64))


def chosen_labels(both: LabelPair, average: str | None, labels: Any, pos_label: Any) -> Any:
    """The labels that an average runs over: the positive one alone for "binary", else those given."""
    options = [None, "micro", "macro", "weighted", *(["samples"] if both.kind == MULTILABEL else [])]
    if average != "binary":
        if pos_label not in (None, 1):
            warnings.warn(
                f"Note that pos_label (set to {pos_label!r}) is ignored when average != 'binary' (got {average!r}). "
                "You may use labels=[pos_label] to specify a single positive class.",
                UserWarning,
                stacklevel=4,
            )
        return labels
    if both.kind != "binary":
        raise ValueError(
            f"Target is {both.kind} but average='binary'. Please choose another average setting, one of {options!r}."
        )
    if pos_label not in both.classes and len(both.classes) == 2:
        raise ValueError(f"pos_label={pos_label} is not a valid label. It should be one of {listed(both.classes)}")
    return [pos_label]


def pooled(cells: Cells, average: str | None) -> Cells:
    """The cells in float64, and of all classes together where the average is "micro"."""
    if average == "micro":
        return {name: np.array([cell.sum()], dtype=np.float64) for name, cell in cells.items()}
    return {name: cell.astype(np.float64) for name, cell in cells.items()}


def settled(share: Share, measure: measures.Measure, cells: Cells, policy: Policy) -> Array:
    """The measure of every class; undefined values are replaced, or warned about, as the policy requires."""
    assert measure.formula is not None
    values = np.asarray(measure.formula.value(cells))
    lost = np.isnan(values)
    if not lost.any():
        return values
    warns = isinstance(policy.zero_division, str)
    values[lost] = 0.0 if warns else policy.zero_division
    if warns and share.name in policy.warn_for:
        _warn(share, policy.average, len(values))
    return values


def _warn(share: Share, average: str | None, size: int) -> None:
    what, of = ("label", "sample") if average == "samples" else ("sample", "label")
    where = "due to" if size == 1 else f"in {of}s with"
    warnings.warn(
        f"{share.title} is ill-defined and being set to 0.0 {where} no {share.missing} {what}s. "
        "Use `zero_division` parameter to control this behavior.",
        undefined_metric_warning(),
        stacklevel=5,
    )


def averaged(values: Array, cells: Cells, average: str | None, weights: Array | None) -> Any:
    """The values themselves, the only one, or their mean as the average says; NaN is left out."""
    if average is None:
        return values
    if average in ("binary", "micro"):
        return float(values[0])
    shares = {"macro": None, "weighted": cells["tp"] + cells["fn"], "samples": weights}[average]
    return _mean(values, shares)


def _mean(values: Array, shares: Array | None) -> float:
    kept = ~np.isnan(values)
    if not kept.any():
        return float("nan")
    if shares is None:
        return float(values[kept].mean())
    total = shares[kept].sum()
    # multiply, then sum, as np.average does: a dot product may use fused multiply-add and differ in the last bit
    return float((values[kept] * shares[kept]).sum() / total) if total else float(values[kept].mean())


# ---- public functions ----


def precision_recall_fscore_support(
    y_true: Any, y_pred: Any, *, beta: float = 1.0, labels: Any = None, pos_label: Any = 1,
    average: str | None = None, warn_for: Collection[str] = ("precision", "recall", "f-score"),
    sample_weight: Any = None, zero_division: Any = "warn",
) -> tuple[Any, Any, Any, Any]:  # fmt: skip
    """Precision, recall, F-beta and the number of cases, per class or averaged.

    >>> precision_recall_fscore_support([0, 1, 1, 0], [0, 1, 0, 0])[:2]
    (array([0.66666667, 1. ]), array([1. , 0.5]))
    """
    check("precision_recall_fscore_support", **locals())
    both = weighed(pair(y_true, y_pred, sample_weight))
    counted = cells_of(both, chosen_labels(both, average, labels, pos_label), samplewise=average == "samples")
    means = prf_of(pooled(counted, average), both.weights, Policy(average, zero_division, warn_for), beta)
    return *means, counted["tp"] + counted["fn"] if average is None else None


def prf_of(cells: Cells, weights: Array | None, policy: Policy, beta: float = 1.0) -> tuple[Any, Any, Any]:
    """Precision, recall and F-beta of cells."""
    kinds = [named_share(name, beta) for name in ("precision_score", "recall_score", "fbeta_score")]
    shares = [settled(share, measure, cells, policy) for share, measure in kinds]
    first, second, third = (averaged(values, cells, policy.average, weights) for values in shares)
    return first, second, third


def named_share(function: str, beta: float = 1.0) -> tuple[Share, measures.Measure]:
    """The share that a function gives: how warnings call it, and the measure of the catalog."""
    if function == "fbeta_score":
        return F_SCORE if 0 < beta < np.inf else SILENT, measures.fbeta(float(beta))
    share, name = SHARES[function]
    return share, measures.get(name)


def _one_share(function: str, **arguments: Any) -> Any:
    """One share alone: check, read, count, average."""
    check(function, **arguments)
    share, measure = named_share(function, arguments.get("beta", 1.0))
    both = weighed(pair(arguments["y_true"], arguments["y_pred"], arguments["sample_weight"]))
    average = arguments["average"]
    labels = chosen_labels(both, average, arguments["labels"], arguments["pos_label"])
    policy = Policy(average, arguments["zero_division"], {PRECISION.name, RECALL.name, F_SCORE.name, JACCARD.name})
    cells = pooled(cells_of(both, labels, samplewise=average == "samples"), average)
    return averaged(settled(share, measure, cells, policy), cells, average, both.weights)


def precision_score(
    y_true: Any, y_pred: Any, *, labels: Any = None, pos_label: Any = 1, average: str | None = "binary",
    sample_weight: Any = None, zero_division: Any = "warn",
) -> Any:  # fmt: skip
    """tp / (tp + fp): the share of predicted positives that are positive.

    >>> precision_score([0, 1, 1, 0], [0, 1, 1, 1])
    0.6666666666666666
    """
    return _one_share("precision_score", **locals())


def recall_score(
    y_true: Any, y_pred: Any, *, labels: Any = None, pos_label: Any = 1, average: str | None = "binary",
    sample_weight: Any = None, zero_division: Any = "warn",
) -> Any:  # fmt: skip
    """tp / (tp + fn): the share of positives that are predicted positive.

    >>> recall_score([0, 1, 1, 0], [0, 1, 0, 1])
    0.5
    """
    return _one_share("recall_score", **locals())


def f1_score(
    y_true: Any, y_pred: Any, *, labels: Any = None, pos_label: Any = 1, average: str | None = "binary",
    sample_weight: Any = None, zero_division: Any = "warn",
) -> Any:  # fmt: skip
    """2 tp / (2 tp + fp + fn): precision and recall combined.

    >>> f1_score([0, 1, 1, 0], [0, 1, 1, 1])
    0.8
    """
    return _one_share("f1_score", **locals())


def fbeta_score(
    y_true: Any, y_pred: Any, *, beta: float, labels: Any = None, pos_label: Any = 1,
    average: str | None = "binary", sample_weight: Any = None, zero_division: Any = "warn",
) -> Any:  # fmt: skip
    """Precision and recall combined, with recall counting beta times as much.

    >>> fbeta_score([0, 1, 1, 0], [0, 1, 1, 1], beta=0.5)
    0.7142857142857143
    """
    return _one_share("fbeta_score", **locals())


def jaccard_score(
    y_true: Any, y_pred: Any, *, labels: Any = None, pos_label: Any = 1, average: str | None = "binary",
    sample_weight: Any = None, zero_division: Any = "warn",
) -> Any:  # fmt: skip
    """tp / (tp + fp + fn): the intersection of both sets over their union.

    >>> jaccard_score([0, 1, 1, 0], [0, 1, 1, 1])
    0.6666666666666666
    """
    return _one_share("jaccard_score", **locals())
