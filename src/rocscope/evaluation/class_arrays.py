"""evaluate() and compare() on arrays of several classes, labels or models; imported only when needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from rocscope import tally
from rocscope.decisions import CostMatrix, DecisionSums, equal_costs
from rocscope.errors import RocscopeError
from rocscope.evaluation.arrays import columns, parts_of, weights_of
from rocscope.evaluation.class_comparison import ClassComparison
from rocscope.evaluation.classes import ClassDecision, ClassEvaluation
from rocscope.evaluation.comparison import Comparison
from rocscope.evaluation.model_rows import compared_scores, repeated_rows
from rocscope.evaluation.multilabel import LabelEvaluation, decided_labels
from rocscope.evaluation.settings import Request, Settings, no_threshold
from rocscope.evaluation.slices.partition import Slicing
from rocscope.multiclass import ClassPredictions, ClassScores, LabelPredictions, ShareRange, check_probabilities
from rocscope.numbers import plain
from rocscope.table import Confusion


def decided(
    predicted: Any, request: Request, settings: Settings, *, labels: Sequence[Any] | None = None, name: str = ""
) -> ClassEvaluation:
    """Evaluate hard labels by a confusion matrix."""
    y, weights = request.label, request.weights
    matrix = Confusion.from_labels(y, predicted, labels=labels, weights=weights, weights_are=request.weights_are)
    slicings: tuple[Slicing, ...] = ()
    if request.by:
        actual, guessed, _ = tally.factorize_two(y, predicted, matrix.labels)
        heavy = weights_of(request, len(actual))
        slicings = tuple(part.matrices(actual, guessed, heavy, like=matrix) for part in parts_of(request, actual))
    notes = tuple(tally.near_duplicates(matrix.labels))
    return ClassEvaluation(matrix, settings, name=name, notes=notes, slicings=slicings, positive=request.positive)


def classes(
    score: Any, request: Request, settings: Settings, *, labels: Sequence[Any] | None = None, name: str = "",
    thresholds: Mapping[Any, float] | None = None,
) -> ClassEvaluation:  # fmt: skip
    """A score for each class of each case; the highest score, costs, or class thresholds decide."""
    scores = ClassScores.of(request.label, score, labels=labels, weights=request.weights)
    spelled = replace(request, label=[scores.labels[code] for code in scores.codes.tolist()])
    without = replace(settings, cost_matrix=None)  # the costs decide below
    evaluation = decided(scores.predicted().tolist(), spelled, without, labels=scores.labels, name=name)
    notes = (*evaluation.notes, *share_notes(ShareRange.of(scores.scores)))
    evaluation = replace(evaluation, notes=notes)
    if settings.cost_matrix is None and not thresholds:
        return replace(evaluation, scores=scores)
    decision = _class_decision(scores, settings, thresholds or {})
    predictions = ClassPredictions.of_scores(scores, decision.predicted)
    if request.by:
        raise RocscopeError(
            "slices are not available if costs or class thresholds determine the predictions", hint="Leave out by="
        )
    return replace(evaluation, settings=settings, scores=scores, matrix=predictions.matrix, decision=decision)


def share_notes(shares: ShareRange) -> tuple[str, ...]:
    """Notes about scores from 0 to 1 that look like probabilities but do not sum to 1."""
    if not shares.why or shares.low < 0 or shares.high > 1:
        return ()
    return (f"{shares.why[0].upper()}{shares.why[1:]}; they are used as scores and not rescaled.",)


def _class_decision(scores: ClassScores, settings: Settings, thresholds: Mapping[Any, float]) -> ClassDecision:
    """Decide by least expected cost, predicting a class only if its probability reaches its threshold."""
    check_probabilities(scores.scores)
    costs, each, known = class_costs(scores.labels, settings, thresholds)
    predicted = costs.decide(scores.scores, each)
    sums = DecisionSums.of(costs, scores.codes, scores.scores, predicted, scores.weights)
    given = settings.cost_matrix is not None
    return ClassDecision(sums, costs, given, known, scores.labels, settings.level, predicted)


def class_costs(
    labels: Sequence[Any], settings: Settings, thresholds: Mapping[Any, float]
) -> tuple[CostMatrix, list[float] | None, Mapping[Any, float]]:
    """The basis of decisions among classes: the costs, the threshold of each class or None, and the costs as
    given.
    """
    costs = (settings.cost_matrix or equal_costs(len(labels))).in_order(labels)
    spelled = {str(label): float(value) for label, value in thresholds.items()}
    for label, value in spelled.items():
        if label not in {str(known_label) for known_label in labels}:
            shown = ", ".join(map(str, labels[:12]))
            raise RocscopeError(
                f"there is no class {label} for the threshold {value:g}", hint=f"The classes are {shown}"
            )
    each = {label: spelled.get(str(label), 0.0) for label in labels}
    known = MappingProxyType({label: value for label, value in each.items() if str(label) in spelled})
    return costs, list(each.values()) if spelled else None, known


def labelled(
    score: Any, request: Request, settings: Settings, *, predicted: Any = None, labels: Sequence[Any] | None = None,
    threshold: Any = None, name: str = "",
) -> LabelEvaluation:  # fmt: skip
    """Evaluate several labels per case, from scores or predicted labels.

    `threshold` is one number, or one for each label.
    """
    named = (labels, getattr(request.label, "columns", None), getattr(score, "columns", None))
    known = next((names for names in named if names is not None and len(names)), None)
    truth, numbers, guess = (_dense(column) for column in (request.label, score, predicted))
    predictions = LabelPredictions.of(
        truth, numbers, predicted=guess, labels=None if known is None else list(known), weights=request.weights
    )
    decided_, thresholds, notes = decided_labels(predictions, settings, threshold)
    return LabelEvaluation(decided_, MappingProxyType(thresholds), settings, name, notes=notes)


def _dense(values: Any) -> Any:
    """A copy as a dense matrix, even of a sparse one."""
    return values.toarray() if hasattr(values, "toarray") else values


# ---- several models ----


def compared_any(
    models: Mapping[str, Any], request: Request, settings: Settings, *, labels: Sequence[Any] | None = None,
    predicted: bool = False, threshold: Any = None,
) -> Comparison | ClassComparison:  # fmt: skip
    """Compare several models on the same cases: by scores, predicted labels, or a score for each class or label."""
    if columns(request.label) > 1:
        return _compared_labels(models, request, settings, labels, predicted, threshold)
    matrices = [name for name, model in models.items() if columns(model) > 1]
    if threshold is not None:
        settings = replace(settings, threshold=threshold)
    if not matrices and not predicted and (settings.chooses or not _are_labels(models, request.label)):
        if labels is not None:
            raise RocscopeError(
                "labels= applies to predicted labels or a score per class", hint="Name the positive label"
            )
        return compared_scores(models, request, settings)
    if len(matrices) == len(models) and all(columns(model) == 2 for model in models.values()):
        return compared_scores(_of_positive(models, request, labels), request, settings)
    if isinstance(request.higher_is_positive, Mapping):
        raise RocscopeError("a direction for each model needs one score per case", hint="Leave higher_is_positive out")
    models, request = repeated_rows(models, request)
    no_threshold(settings, request, None, per_class=bool(matrices), compared=True)
    return _compared_classes(models, request, settings, labels)


def _are_labels(models: Mapping[str, Any], y: Any) -> bool:
    """Whether all columns are predicted labels: text, or whole numbers that are all labels of y.

    Numbers with a decimal point are scores, even if they are 0.0 and 1.0.
    """
    present = set(tally.factorize(y, limit=10**6)[1])
    for column in models.values():
        kind = np.asarray(column).dtype.kind if not isinstance(column, tally.Dictionary) else "U"
        if kind == "f":
            return False
        if kind in "biu" and not {plain(value) for value in np.unique(np.asarray(column)).tolist()} <= present:
            return False
    return True


def are_predicted(column: Any, y: Any) -> bool:
    """Whether a column contains predicted labels, given three or more labels: all its values are labels of y."""
    try:
        present = set(tally.factorize(y, limit=10**4)[1])
        return len(present) > 2 and set(tally.factorize(column, limit=10**4)[1]) <= present
    except RocscopeError:
        return False


def _of_positive(models: Mapping[str, Any], request: Request, labels: Sequence[Any] | None) -> dict[str, Any]:
    """The probability of the positive class, for two classes."""
    known_labels = tuple(labels) if labels is not None else tally.factorize(request.label)[1]
    positive = tally.binary(list(known_labels), request.positive)[1][1]
    return {name: np.asarray(model)[:, known_labels.index(positive)] for name, model in models.items()}


def _compared_classes(
    models: Mapping[str, Any], request: Request, settings: Settings, labels: Sequence[Any] | None
) -> ClassComparison:
    """Compare several models by predicted labels, or by a score for each class; all have the same classes."""
    known, evaluations, predictions = list(labels) if labels is not None else None, {}, {}
    if known is None:
        plain_ = [model for model in models.values() if columns(model) == 1]
        present = [label for values in (request.label, *plain_) for label in tally.factorize(values, limit=10**6)[1]]
        known = tally.in_order(list(dict.fromkeys(present)), "labels")
    for name, column in models.items():
        if len(column) != len(request.label):
            raise RocscopeError(
                f"{name} has {len(column)} predictions, but there are {len(request.label)} labels",
                hint="A paired comparison needs predictions of every model for the same cases",
            )
        if columns(column) > 1:
            evaluations[name] = classes(column, request, settings, labels=known, name=str(name))
            scores = evaluations[name].scores
            assert isinstance(scores, ClassScores)
            decision = evaluations[name].decision
            predictions[name] = ClassPredictions.of_scores(scores, None if decision is None else decision.predicted)
        else:
            evaluations[name] = decided(column, request, settings, labels=known, name=str(name))
            predictions[name] = ClassPredictions.of_labels(request.label, column, labels=known, weights=request.weights)
    return ClassComparison(
        MappingProxyType(evaluations), MappingProxyType(predictions), settings, request.clusters, request.progress
    )


def _compared_labels(
    models: Mapping[str, Any], request: Request, settings: Settings, labels: Sequence[Any] | None, predicted: bool,
    threshold: Any,
) -> ClassComparison:  # fmt: skip
    """Compare several models on several labels per case."""
    evaluations = {}
    for name, column in models.items():
        given = {"predicted": column} if predicted else {}
        evaluations[name] = labelled(
            None if predicted else column,
            request,
            settings,
            labels=labels,
            threshold=threshold,
            name=str(name),
            **given,
        )
    predictions = {name: evaluation.predictions for name, evaluation in evaluations.items()}
    return ClassComparison(
        MappingProxyType(evaluations), MappingProxyType(predictions), settings, request.clusters, request.progress
    )
