"""evaluate(model, X, y) and compare({"a": model}, X, y): the predictions of fitted classifiers as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rocscope import tally
from rocscope.errors import RocscopeError
from rocscope.numbers import plain
from rocscope.record import record

SCORES = ("predict_proba", "decision_function")  # in scikit-learn's order of preference


@record(slots=True)
class Answers:
    """The predictions of a model for some rows: one score per case, a score per class, or predicted labels."""

    score: Any = None
    predicted: Any = None
    labels: tuple[Any, ...] | None = None
    positive: Any = None


def is_model(given: Any) -> bool:
    """Whether an object is a classifier, fitted or not, rather than data.

    >>> is_model([0, 1])
    False
    """
    # look up on the class: an sqlframe data frame resolves any attribute name as a column
    return callable(getattr(type(given), "fit", None)) and callable(getattr(given, "predict", None))


def model_name(model: Any) -> str:
    """The class name of a model; for a pipeline, that of its last step."""
    return type(model.steps[-1][1] if getattr(model, "steps", None) else model).__name__


def classes_of(model: Any) -> tuple[Any, ...]:
    """The labels that a fitted classifier knows, in its own order."""
    classes = getattr(model, "classes_", None)
    if classes is None:
        raise RocscopeError(
            f"{model_name(model)} has no classes_", hint="Pass a fitted classifier: call model.fit(X, y) first"
        )
    return tuple(plain(label) for label in classes)


def answers_of(model: Any, X: Any, *, positive: Any = None, methods: Sequence[str] = SCORES) -> Answers:
    """The scores of a fitted classifier for the rows of X; predicted labels if it has no method that returns scores.

    For two classes, the scores are those of the positive class, which must be named unless the labels are 0 and 1.
    """
    classes = classes_of(model)
    method = next((name for name in methods if hasattr(model, name)), None)
    if len(classes) == 2:
        positive = tally.binary(list(classes), positive)[1][1]
    if method is None:
        return Answers(predicted=np.asarray(model.predict(X)).tolist(), labels=classes, positive=positive)
    scores = np.asarray(getattr(model, method)(X), dtype=np.float64)
    if len(classes) == 2:
        return Answers(score=scores_for(scores, classes.index(positive)), positive=positive)
    if scores.ndim != 2 or scores.shape[1] != len(classes):  # one-vs-one decisions
        return Answers(predicted=np.asarray(model.predict(X)).tolist(), labels=classes)
    return Answers(score=scores, labels=classes)


def scores_for(scores: Any, position: int) -> Any:
    """The scores of one of two classes by its position: its column, or the decision values with its sign."""
    return scores[:, position] if scores.ndim == 2 else scores if position else -scores


def model_answers(model: Any, X: Any, y: Any, *, positive: Any = None) -> Answers:
    """The predictions of one model for the rows of X, for `evaluate(model, X, y)`."""
    _check(X, y, hint="evaluate(model, X, y)")
    if len(getattr(y, "shape", ())) == 2 and y.shape[1] > 1:  # multilabel
        method = next((name for name in SCORES if hasattr(model, name)), None)
        said = model.predict(X) if method is None else getattr(model, method)(X)
        return Answers(predicted=said) if method is None else Answers(score=said)
    return answers_of(model, X, positive=positive)


def compared_answers(models: Mapping[str, Any], X: Any, y: Any, *, positive: Any = None) -> tuple[dict[str, Any], Any]:
    """The predictions of each model for the rows of X by name, and the positive label of two classes."""
    _check(X, y, hint='compare({"a": model_a, "b": model_b}, X, y)')
    answers = {str(name): answers_of(model, X, positive=positive) for name, model in models.items()}
    known = {answer.positive for answer in answers.values()}
    if len(known) > 1:
        raise RocscopeError("the models were fitted to different labels", hint="Fit all models to the same y")
    scores = {name: answer.predicted if answer.score is None else answer.score for name, answer in answers.items()}
    return scores, next(iter(known), positive)


def _check(X: Any, y: Any, *, hint: str) -> None:
    if X is None or y is None:
        raise RocscopeError("a fitted model needs the rows to predict (X) and their true labels (y)", hint=hint)


def without_model() -> RocscopeError:
    """Create the error for a third argument together with data."""
    return RocscopeError(
        "three arguments were given, but the first is not a fitted model", hint="For arrays, use evaluate(y, scores)"
    )


def columns_by_name(given: Any, X: Any) -> Any:
    """Columns of X by name, for `by=`; arrays are returned unchanged."""
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, list | tuple) or not all(isinstance(key, str) for key in names):
        return given
    known = list(getattr(X, "columns", ()))
    for name in names:
        if name not in known:
            raise RocscopeError(f"X has no column '{name}'", hint="Name a column of X, or give by={'name': values}")
    return {name: X[name] for name in names}
