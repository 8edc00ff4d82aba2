"""Any measure of the catalogs as a scorer for cross_val_score, GridSearchCV and the like."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import field
from functools import partial
from typing import Any

import numpy as np

from rocscope import curves, measures
from rocscope.curves import Reading
from rocscope.errors import RocscopeError, did_you_mean
from rocscope.measures import Measure
from rocscope.record import record
from rocscope.table import Confusion, ScoreTable


@record
class Scorer:
    """A measure that scores an estimator; it is called with the estimator, data, labels and optional weights.

    Higher is better: a loss is given with a minus sign. With two classes, the second of `classes_` is the positive one
    unless `positive` says otherwise; with more, a measure of one class is averaged as `average` says.

    It takes part in scikit-learn's metadata routing (`set_score_request(sample_weight=True)`), and a measure of counts
    tunes a threshold in `TunedThresholdClassifierCV`.
    """

    name: str
    positive: Any = None
    average: str = "macro"
    _weights_asked: list[Any] = field(default_factory=lambda: [None], repr=False, compare=False)

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The value of the measure for the estimator's predictions on X."""
        declared = _declared(self.name)
        if isinstance(declared, Reading):
            value = float(declared(self._table(declared, estimator, X, y, sample_weight)))
        else:
            value = self._measured(declared, estimator, X, y, sample_weight)
        return -value if _is_loss(declared) else value

    # ---- scikit-learn's scorer interface ----

    def set_score_request(self, *, sample_weight: bool | str | None = None) -> Scorer:
        """Request weights under metadata routing: True, False, or the name under which they are passed on."""
        self._weights_asked[:] = [sample_weight]  # in place, as in scikit-learn's own scorers
        return self

    def get_metadata_routing(self) -> Any:
        """The metadata that scikit-learn passes on to the scorer."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=repr(self))
        request.score.add_request(param="sample_weight", alias=self._weights_asked[0])
        return request

    def _accept_sample_weight(self) -> bool:
        return True

    @property
    def _sign(self) -> int:
        return -1 if _is_loss(_declared(self.name)) else 1

    @property
    def _kwargs(self) -> dict[str, Any]:
        return {} if self.positive is None else {"pos_label": self.positive}

    @property
    def _response_method(self) -> str:
        return "predict_proba" if isinstance(_declared(self.name), Reading) else "predict"

    @property
    def _score_func(self) -> Callable[..., float]:
        """The measure of true and predicted labels, by which scikit-learn tunes a threshold."""
        if isinstance(_declared(self.name), Reading):
            raise RocscopeError(
                f"{self.name} does not depend on a threshold",
                hint="Tune by a measure that is computed from counts: scorer('f1')",
            )
        return partial(_of_labels, self.name)

    def _table(self, reading: Reading, estimator: Any, X: Any, y: Any, weights: Any) -> ScoreTable:
        index, label = self._positive(estimator)
        if hasattr(estimator, "predict_proba"):
            scores = np.asarray(estimator.predict_proba(X))[:, index]
        elif reading.needs_probabilities or not hasattr(estimator, "decision_function"):
            raise RocscopeError(f"{self.name} needs probabilities, but {type(estimator).__name__} has no predict_proba")
        else:
            scores = np.asarray(estimator.decision_function(X)) * (1 if index else -1)
        return ScoreTable.from_scores(np.asarray(y) == label, scores, positive=True, weights=weights)

    def _positive(self, estimator: Any) -> tuple[int, Any]:
        classes = np.asarray(estimator.classes_).tolist()
        if len(classes) != 2:
            raise RocscopeError(f"{self.name} is computed from the scores of two classes; there are {len(classes)}")
        label = classes[1] if self.positive is None else self.positive
        if label not in classes:
            raise RocscopeError(f"positive label {label!r} is not one of {classes}")
        return classes.index(label), label

    def _measured(self, measure: Measure, estimator: Any, X: Any, y: Any, weights: Any) -> float:
        matrix = Confusion.from_labels(
            y, estimator.predict(X), labels=np.asarray(estimator.classes_).tolist(), weights=weights
        )
        if len(matrix) == 2 and measure.formula is not None:
            return float(matrix.of(self._positive(estimator)[1]).value(measure.name))
        if measure.matrix is not None:
            return float(matrix.value(measure.name))
        return matrix.average(measure.name, self.average).value


def _declared(name: str) -> Measure | Reading:
    """The measure of counts or the statistic of scores that goes by the name."""
    for find in (measures.get, curves.get):
        try:
            declared: Measure | Reading = find(name)
        except RocscopeError:
            continue
        if isinstance(declared, Measure) or declared.kind == "statistic":
            return declared
    statistics = (known_name for known_name in curves.names() if curves.get(known_name).kind == "statistic")
    if name in curves.names():
        raise RocscopeError(
            f"'{name}' is a curve, but a scorer must return one number", hint="scorer('f1'), for example"
        )
    hint = did_you_mean(name, [*measures.names(), *statistics])
    raise RocscopeError(f"there is no measure or statistic '{name}'", hint=hint)


def _is_loss(declared: Measure | Reading) -> bool:
    return declared.best is not None and declared.best <= declared.low < declared.high


def _of_labels(name: str, y_true: Any, y_pred: Any, *, pos_label: Any = None, sample_weight: Any = None) -> float:
    """A measure of counts of true and predicted labels of two classes."""
    labels = np.unique(np.concatenate([np.asarray(y_true), np.asarray(y_pred)])).tolist()
    usual = next((label for label in (1, "1") if label in labels), None) if pos_label is None else pos_label
    if usual is None:
        if not set(labels) <= {0, -1, "0"}:
            shown = ", ".join(map(repr, labels[:4]))
            raise RocscopeError(f"which label is positive: {shown}?", hint=f"Write scorer({name!r}, positive=...)")
        usual = type(labels[0])(1)
    matrix = Confusion.from_labels(
        np.asarray(y_true) == usual, np.asarray(y_pred) == usual, labels=[False, True], weights=sample_weight
    )
    value = float(matrix.of(True).value(name))
    # if nothing is flagged, many measures are undefined, and argmax would select NaN: return the worst value instead
    return _worst(measures.get(name)) if math.isnan(value) else value


def _worst(measure: Measure) -> float:
    worst = measure.high if _is_loss(measure) else measure.low
    return worst if math.isfinite(worst) else math.copysign(1e300, worst)


def scorer(name: str, *, positive: Any = None, average: str = "macro") -> Scorer:
    """A scorer for any measure of counts (from `predict`) or statistic of scores (from `predict_proba`).

    >>> scorer("auc")
    Scorer(name='auc', positive=None, average='macro')
    """
    _declared(name)
    return Scorer(name, positive, average)


def make_scorer(
    score_func: Any, *, response_method: Any = "predict", greater_is_better: bool = True, **kwargs: Any
) -> Any:
    """scikit-learn's `make_scorer`, which also takes the name of a measure or statistic: make_scorer("f1").

    A function is passed on with all options; a name already determines the response method and the better direction,
    and accepts the options of `scorer` (`positive`, `average`).

    >>> make_scorer("brier")
    Scorer(name='brier', positive=None, average='macro')
    """
    if isinstance(score_func, str):
        if response_method != "predict" or greater_is_better is not True:
            raise RocscopeError(
                f"'{score_func}' already defines its response and which direction is better",
                hint="Leave out response_method and greater_is_better, or give a function instead of a name",
            )
        return scorer(score_func, **kwargs)
    from sklearn.metrics import make_scorer as of_function

    return of_function(score_func, response_method=response_method, greater_is_better=greater_is_better, **kwargs)
