"""Estimators that take an answer home: a chosen threshold, a calibrator, a threshold learned inside cross-validation.

They are scikit-learn estimators (pipelines, clone, search, pickle). Loaded when one of them is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import check_consistent_length, column_or_1d, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from rocscope import decisions, splits
from rocscope.errors import RocscopeError
from rocscope.evaluation import Evaluation, answers_of, classes_of, costs_document, evaluate
from rocscope.recalibration import learned
from rocscope.version import VERSION

METHODS = {"auto": ("predict_proba", "decision_function")}


def _has(name: str) -> Any:
    """Whether the wrapped model has a method."""

    def check(self: Any) -> bool:
        return hasattr(getattr(self, "estimator_", self.estimator), name)

    return check


class _Wrapped(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of two classes around another one, whose scores it decides by or maps.

    As everywhere in scikit-learn, the second of `classes_` is the positive one unless `positive` says otherwise.
    """

    estimator: Any
    positive: Any
    response_method: str
    threshold: float
    threshold_: float
    cv: Any
    random_state: int

    @property
    def _model(self) -> Any:
        return getattr(self, "estimator_", self.estimator)

    @property
    def classes_(self) -> Any:
        """The labels, in the order of the wrapped model."""
        return self._model.classes_

    @property
    def n_features_in_(self) -> Any:
        """The number of features that the wrapped model was fitted to."""
        return self._model.n_features_in_

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse, tags.input_tags.allow_nan = inner.input_tags.sparse, inner.input_tags.allow_nan
        return tags

    def _scores(self, X: Any) -> Any:
        """The scores of the positive class."""
        check_is_fitted(self)
        return _scores_of(self._model, X, self.positive, self.response_method)

    def _labels(self) -> tuple[Any, Any]:
        """(negative, positive) of the two classes."""
        first, second = np.asarray(self.classes_).tolist()
        return (second, first) if self.positive == first else (first, second)

    def _left_out_scores(self, X: Any, labels: Any, groups: Any, weights: Any = None) -> Any:
        """The score of each case by a model that was fitted without it."""
        scores = np.empty(len(labels))
        plan = f"{self.cv}-fold" if isinstance(self.cv, int) else self.cv
        for train, test in splits.plan(plan, labels.tolist(), seed=self.random_state, groups=groups):
            model = self._fitted(X, labels, train, weights)
            scores[test] = _scores_of(model, _rows(X, test), self.positive, self.response_method)
        return scores

    def _fitted(self, X: Any, labels: Any, rows: Any = slice(None), weights: Any = None) -> Any:
        model, how = clone(self.estimator), {}
        if weights is not None and has_fit_parameter(model, "sample_weight"):
            how["sample_weight"] = np.asarray(weights)[rows]
        return model.fit(_rows(X, rows), labels[rows], **how)

    def _decided(self, flags: Any) -> Any:
        negative, positive = self._labels()
        known = np.asarray(self.classes_)
        return np.where(flags, np.array([positive], dtype=known.dtype), np.array([negative], dtype=known.dtype))


class _Deciding(_Wrapped):
    """One that changes decisions alone: the scores of the wrapped model stay as they are."""

    @property
    def _cut(self) -> float:
        """The threshold that decides: chosen by `fit`, or given."""
        return float(self.threshold_ if hasattr(self, "threshold_") else self.threshold)

    def predict(self, X: Any) -> Any:
        """The positive label where the score reaches the threshold, else the negative one."""
        check_is_fitted(self)
        return self._decided(self._scores(X) >= self._cut)

    @available_if(_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """The probabilities of the wrapped model, unchanged."""
        return self._model.predict_proba(X)

    @available_if(_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Any:
        """The decision values of the wrapped model, unchanged."""
        return self._model.decision_function(X)


def _checked(X: Any, y: Any) -> Any:
    """The labels as an array; other than two are refused in scikit-learn's words."""
    if y is None:
        raise ValueError("This classifier requires y to be passed, but the target y is None")
    labels = column_or_1d(y, warn=True)
    check_consistent_length(X, labels)
    kind = type_of_target(labels, input_name="y", raise_unknown=True)
    if kind != "binary":
        raise ValueError(f"Only binary classification is supported. The type of the target is {kind}.")
    if len(set(labels.tolist())) < 2:
        raise ValueError("This classifier needs samples of 2 classes, but the data has only one class")
    return labels


def _scores_of(model: Any, X: Any, positive: Any, method: str) -> Any:
    known = np.asarray(model.classes_).tolist()
    label = known[-1] if positive is None else positive
    answers = answers_of(model, X, positive=label, methods=METHODS.get(method, (method,)))
    if answers.score is None or np.ndim(answers.score) != 1:
        raise RocscopeError(
            f"{type(model).__name__} provides no score for two classes", hint="A threshold needs one score per case"
        )
    return answers.score


class ThresholdClassifier(_Deciding):
    """A classifier that predicts the positive class if the score of another classifier reaches a threshold.

    `estimator` may be fitted already; `fit` fits a clone of it. `positive` names the positive class if the labels do
    not make it clear; `provenance` states where the threshold comes from; `Evaluation.threshold_model` fills it in.

    >>> from sklearn.dummy import DummyClassifier
    >>> model = ThresholdClassifier(DummyClassifier(strategy="prior"), threshold=0.2).fit([[0], [0], [0]], [0, 0, 1])
    >>> model.predict([[5]])
    array([1])
    """

    def __init__(
        self, estimator: Any, threshold: float = 0.5, *, positive: Any = None, response_method: str = "auto",
        provenance: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self.estimator = estimator
        self.threshold = threshold
        self.positive = positive
        self.response_method = response_method
        self.provenance = provenance

    def fit(self, X: Any, y: Any, **how: Any) -> ThresholdClassifier:
        """Fit a clone of the model; the threshold is unchanged."""
        self.estimator_ = clone(self.estimator).fit(X, _checked(X, y), **how)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self._model, "classes_")


class CostThresholdClassifier(_Deciding):
    """A classifier whose threshold has the lowest expected cost, chosen inside cross-validation.

    The model is fitted in folds; the threshold is chosen on the scores of the held-out cases, by costs or any rule of
    `rocscope.decisions` ("youden", "recall where precision >= 0.9"). Then the model is fitted to all cases. After
    `fit`, `threshold_` is the threshold, and `evaluation_` the evaluation of the held-out scores: its cost and measures
    are corrected for the choice.

    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = [[x] for x in range(20)], [0] * 9 + [1, 0] + [1] * 9
    >>> model = CostThresholdClassifier(LogisticRegression(), cost_fn=5, cv=4).fit(X, y)
    >>> model.threshold_ < 0.5
    True
    """

    def __init__(
        self, estimator: Any, *, cost_fp: float = 1, cost_fn: float = 1, prevalence: float | None = None,
        rule: str | None = None, cv: Any = 5, positive: Any = None, response_method: str = "auto",
        random_state: int = 0,
    ) -> None:  # fmt: skip
        self.estimator = estimator
        self.cost_fp = cost_fp
        self.cost_fn = cost_fn
        self.prevalence = prevalence
        self.rule = rule
        self.cv = cv
        self.positive = positive
        self.response_method = response_method
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> CostThresholdClassifier:
        """Choose the threshold on held-out cases, then fit to all; groups are never split."""
        labels = _checked(X, y)
        scores = self._left_out_scores(X, labels, groups, sample_weight)
        self.estimator_ = self._fitted(X, labels, weights=sample_weight)
        costs = None if self.rule is not None and not decisions.needs_costs(self.rule) else self._costs
        options: dict[str, Any] = {"choose": self.rule, "costs": costs, "weights": sample_weight}
        chosen = evaluate(labels.tolist(), scores, positive=self._labels()[1], seed=self.random_state, **options)
        assert isinstance(chosen, Evaluation) and chosen.point is not None
        self.evaluation_ = chosen
        self.threshold_ = chosen.point.threshold
        self.provenance_ = provenance_of(chosen, "cases left out in cross-validation")
        return self

    @property
    def _costs(self) -> decisions.Costs:
        return decisions.Costs(fp=self.cost_fp, fn=self.cost_fn, prevalence=self.prevalence)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "threshold_")


class CalibratedClassifier(_Wrapped):
    """A classifier whose probabilities are those of another one, mapped by a calibrator of `rocscope.recalibration`.

    With `calibrator=None`, `fit` learns one by `method` on the scores of held-out cases, in folds, and then fits the
    model to all cases; with a calibrator (such as a saved one) and a fitted model, nothing needs to be fitted.

    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = [[x] for x in range(20)], [0] * 9 + [1, 0] + [1] * 9
    >>> CalibratedClassifier(LogisticRegression(), "platt", cv=4).fit(X, y).predict_proba([[10]]).round(2)
    array([[0.37, 0.63]])
    """

    def __init__(
        self, estimator: Any, method: str = "isotonic", *, calibrator: Any = None, cv: Any = 5, positive: Any = None,
        response_method: str = "auto", random_state: int = 0,
    ) -> None:  # fmt: skip
        self.estimator = estimator
        self.method = method
        self.calibrator = calibrator
        self.cv = cv
        self.positive = positive
        self.response_method = response_method
        self.random_state = random_state

    def fit(self, X: Any, y: Any, groups: Any = None) -> CalibratedClassifier:
        """Learn the calibrator on scores of held-out cases, unless it was given, then fit the model to all cases."""
        labels = _checked(X, y)
        self.estimator_ = self._fitted(X, labels)
        if self.calibrator is None:
            scores = self._left_out_scores(X, labels, groups)
            self.calibrator_ = learned(labels.tolist(), scores, self.method, positive=self._labels()[1])
        return self

    def predict_proba(self, X: Any) -> Any:
        """The calibrated probabilities, a column for each class."""
        scores = self._scores(X)
        positive = getattr(self, "calibrator_", self.calibrator).apply(scores)
        index = np.asarray(self.classes_).tolist().index(self._labels()[1])
        return np.column_stack([positive, 1 - positive] if index == 0 else [1 - positive, positive])

    def predict(self, X: Any) -> Any:
        """The more probable label of each case."""
        columns = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_)[columns]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self._model, "classes_") and (self.calibrator is not None or hasattr(self, "calibrator_"))


def _rows(X: Any, rows: Any) -> Any:
    X = X.tocsr() if hasattr(X, "tocsr") else X
    return X.iloc[rows] if hasattr(X, "iloc") else (X if hasattr(X, "shape") else np.asarray(X))[rows]


# ---- origin of a threshold ----


def threshold_model(ev: Evaluation, model: Any, *, response_method: str = "auto") -> ThresholdClassifier:
    """The model with the threshold of an evaluation, and the origin of that threshold."""
    if ev.point is None:
        raise RocscopeError("this evaluation has no threshold", hint="Give costs=, choose= or threshold=")
    if not ev.table.higher_is_positive:
        raise RocscopeError(
            "low scores indicate the positive class here", hint="Evaluate the model itself: evaluate(model, X, y)"
        )
    positive = ev.positive_label
    if positive not in classes_of(model):
        raise RocscopeError(f"the positive label of the evaluation, {positive!r}, is not one of the model's classes")
    return ThresholdClassifier(
        model, ev.point.threshold, positive=positive, response_method=response_method, provenance=provenance_of(ev)
    )


def provenance_of(ev: Evaluation, chosen_on: str = "") -> dict[str, Any]:
    """The origin of the threshold of an evaluation, as plain data that can be stored with a model."""
    point = ev.point
    assert point is not None
    costs, counts = ev.settings.costs, point.counts.cells
    return {
        "rocscope": VERSION,
        "threshold": float(point.threshold),
        "chosen": point.chosen,
        "chosen_on": chosen_on or point.chosen_on,
        "costs": None if costs is None else costs_document(costs),
        "cost_per_1000": None if ev.cost is None else ev.cost.to_dict(),
        "cases": sum(ev.table.rows),
        "positive": ev.positive_label,
        "counts": {name: float(cell) for name, cell in counts.items()},
    }
