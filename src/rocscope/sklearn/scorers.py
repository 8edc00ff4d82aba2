"""Any measure of the catalogues as a scorer for cross_val_score, GridSearchCV and the like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rocscope import curves, measures
from rocscope.curves import Reading
from rocscope.errors import RocscopeError, did_you_mean
from rocscope.measures import Measure
from rocscope.table import Confusion, ScoreTable


@dataclass(frozen=True)
class Scorer:
    """A measure that an estimator is scored by: called with estimator, data, labels and perhaps weights.

    Higher is better: a loss is given with a minus sign. Of two classes the second of `classes_` is the positive one
    unless `positive` says otherwise; of more, a measure of one class is averaged as `average` says.
    """

    name: str
    positive: Any = None
    average: str = "macro"

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The value of the measure for the estimator's predictions on X."""
        found = _declared(self.name)
        if isinstance(found, Reading):
            value = float(found(self._table(found, estimator, X, y, sample_weight)))
        else:
            value = self._measured(found, estimator, X, y, sample_weight)
        return -value if _is_loss(found) else value

    def _table(self, reading: Reading, estimator: Any, X: Any, y: Any, weights: Any) -> ScoreTable:
        place, label = self._positive(estimator)
        if hasattr(estimator, "predict_proba"):
            scores = np.asarray(estimator.predict_proba(X))[:, place]
        elif reading.needs_probabilities or not hasattr(estimator, "decision_function"):
            raise RocscopeError(f"{self.name} needs probabilities, and {type(estimator).__name__} has no predict_proba")
        else:
            scores = np.asarray(estimator.decision_function(X)) * (1 if place else -1)
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
            found: Measure | Reading = find(name)
        except RocscopeError:
            continue
        if isinstance(found, Measure) or found.kind == "statistic":
            return found
    known = [*measures.names(), *curves.names()]
    raise RocscopeError(f"no measure or statistic '{name}'", hint=did_you_mean(name, known))


def _is_loss(found: Measure | Reading) -> bool:
    return found.best is not None and found.best <= found.low < found.high


def scorer(name: str, *, positive: Any = None, average: str = "macro") -> Scorer:
    """A scorer for any measure of counts (from `predict`) or statistic of scores (from `predict_proba`).

    >>> scorer("auc")
    Scorer(name='auc', positive=None, average='macro')
    """
    _declared(name)
    return Scorer(name, positive, average)
