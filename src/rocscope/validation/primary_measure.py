"""The named measure that decides between validated models, and its differences on the tested cases."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rocscope import curves, measures
from rocscope.errors import RocscopeError, did_you_mean
from rocscope.estimate import Estimate
from rocscope.evaluation import ClassComparison, Comparison
from rocscope.evaluation import compare as compare_predictions
from rocscope.intervals import auc_values, case_statistic
from rocscope.multiclass import ClassPredictions, LabelPredictions
from rocscope.numbers import Array
from rocscope.splits import LeavePairOut, Pairs
from rocscope.validation.folds import Fold, Problem, outer_plan, unranked

if TYPE_CHECKING:
    from rocscope.validation.results import Validation

SHORT = {"auc": "AUC", "mcc": "MCC", "npv": "NPV", "kappa": "kappa", "brier": "Brier", "cost": "cost per 1,000"}
HALF = 0.5  # threshold for predicted labels as scores: 1 is positive, 0 is negative
HINT = "Use, for example, f1, error_rate, macro_f1 or auc; the catalog of measures lists all of them"
LOSSES = ("brier", "log_loss")  # means over cases, which need no ranking
EXACT_MATCH = ("subset_accuracy", "hamming_loss")  # multilabel measures that are not in the catalog


def facts_of(name: str) -> tuple[str, float, float, float | None]:
    """The name, the range and the best value of a measure, which may be an average over classes.

    >>> facts_of("macro_sensitivity"), facts_of("brier")
    (('macro_recall', 0.0, 1.0, 1.0), ('brier', 0.0, 1.0, 0.0))
    """
    if name in EXACT_MATCH:
        return name, 0.0, 1.0, float(name == "subset_accuracy")
    how, _, rest = name.partition("_")
    averaged = how in measures.AVERAGES
    plain = rest if averaged else name
    known = {**curves.names(), **measures.names()}
    if plain not in known:
        raise RocscopeError(f"there is no measure '{name}'", hint=did_you_mean(name, known) or HINT)
    declared: Any = known[plain]
    best = None if declared.best is None else float(declared.best)
    return f"{how}_{declared.name}" if averaged else declared.name, float(declared.low), float(declared.high), best


def title_of(name: str) -> str:
    """The name of a measure for tables and sentences about folds.

    >>> title_of("macro_f1"), title_of("auc"), title_of("hamming_loss")
    ('macro F1', 'AUC', 'hamming loss')
    """
    if name in SHORT or name in EXACT_MATCH:
        return SHORT.get(name, name.replace("_", " "))
    how, _, rest = name.partition("_")
    if how in measures.AVERAGES:
        return f"{how} {title_of(rest)}"
    known: Any = measures.get(name) if name in measures.names() else curves.get(name)
    return str(known.title)


def range_of(name: str, problem: Problem) -> tuple[float, float]:
    """The range of a measure, within which its limits stay; for several classes the Brier score can reach 2."""
    _, low, high, _ = facts_of(name)
    return low, 2.0 if name == "brier" and problem.kind == "classes" else high


def lowest_is_best(name: str) -> bool:
    """Whether the lowest value of a measure is the best."""
    _, low, _, best = facts_of(name)
    return best == low


def checked_measure(name: str, problem: Problem, pairs: Pairs) -> str:
    """The catalog's name of a measure, if it can decide between models of this problem.

    >>> from rocscope import splits
    >>> problem = Problem.of(np.zeros((4, 1)), [0, 1, 0, 1])
    >>> checked_measure("sensitivity", problem, splits.plan("2-fold", problem.codes))
    'recall'
    """
    spelled = name.strip().lower().replace(" ", "_").replace("-", "_")
    measure, low, high, best = facts_of(spelled)
    if best not in (low, high):
        raise _refused(measure, "neither its highest nor its lowest value is the best")
    if problem.kind == "binary" and measure.partition("_")[0] in measures.AVERAGES:
        raise _refused(measure, "with two classes there is one positive class and no average over classes")
    ranked = measure not in measures.names() and measure not in LOSSES
    if problem.kind != "binary":
        some = problem.codes[:1]
        alone = _predictions(problem, some, some, None, None)  # predictions of this kind, to look up the name for
        ranked = bool(case_statistic(measure, alone).why(alone)) and measure not in LOSSES
    if ranked and (why := unranked(pairs)) and not (measure == "auc" and isinstance(outer_plan(pairs), LeavePairOut)):
        raise _refused(measure, why)
    return measure


def _refused(name: str, why: str) -> RocscopeError:
    return RocscopeError(f"measure '{name}' cannot decide between models: {why}", hint=HINT)


def unbalanced(problem: Problem) -> bool:
    """Whether there are several classes, one of which is many times larger than another."""
    if problem.kind != "classes":
        return False
    return ClassPredictions(problem.codes, problem.codes, problem.labels, None, problem.weights).unbalanced


def checked_values(va: Validation) -> Validation:
    """The validation; it is refused if the named measure has no value for any of its models."""
    if va.settings.measure is not None and all(np.isnan(va.over_seeds(m, va.primary)).all() for m in va.names):
        means = [va.summarise(name, va.primary).mean for name in va.names]
        if all(np.isnan(mean.value) for mean in means):
            raise _refused(va.primary, means[0].why or "it is undefined in every fold")
    return va


# ---- comparison on the tested cases ----


def tested_predictions(problem: Problem, fold: Fold) -> ClassPredictions | LabelPredictions:
    """The predictions of a model of several classes or labels for the cases on which it was tested."""
    weights = problem.weights_of(fold.cases)
    return _predictions(problem, problem.codes[fold.cases], fold.predicted, fold.scores, weights)


def _predictions(
    problem: Problem, codes: Any, predicted: Any, scores: Any, weights: Any
) -> ClassPredictions | LabelPredictions:
    if problem.kind == "labels":
        truth, guess = (np.asarray(column, dtype=bool) for column in (codes, predicted))
        return LabelPredictions(truth, guess, problem.labels, scores, weights)
    return ClassPredictions(codes, predicted, problem.labels, scores, weights)


def case_comparison(va: Validation, measure: str) -> Comparison | ClassComparison:
    """Compare all models by the measure, on the cases on which every model was tested."""
    cases, problem = va.shared_cases, va.problem
    clusters = None if problem.groups is None else problem.groups[cases]
    how: dict[str, Any] = {"weights": problem.weights_of(cases), "clusters": clusters, "measure": measure}
    how |= {"level": va.settings.level, "seed": va.settings.seed}
    comparison: Comparison | ClassComparison
    answers = {name: va.answers_at(name, cases) for name in va.names}
    truth = problem.codes[cases]
    if problem.kind == "binary":
        labels_alone = measure in measures.names()
        columns = {
            name: predicted.astype(float) if labels_alone else scores for name, (scores, predicted) in answers.items()
        }
        comparison = compare_predictions(truth, columns, positive=1, threshold=HALF if labels_alone else None, **how)
    elif problem.kind == "labels":
        columns = {name: predicted if scores is None else scores for name, (scores, predicted) in answers.items()}
        comparison = compare_predictions(truth, columns, labels=problem.labels, **how)
    else:
        named = np.array(problem.labels, dtype=object)
        decided = _predictions(problem, truth, truth, None, None)
        ranked = bool(case_statistic(measure, decided).why(decided))  # needs more than predicted labels
        columns = {name: scores if ranked else named[predicted] for name, (scores, predicted) in answers.items()}
        comparison = compare_predictions(named[truth], columns, labels=problem.labels, **how)
    return comparison


def case_difference(compared: Comparison | ClassComparison, a: str, b: str) -> Estimate:
    """The difference of two models in the deciding measure on the same cases, with interval and p-value."""
    if isinstance(compared, ClassComparison):
        return compared.difference(a, b)
    assert compared.primary is not None  # the AUC has its own test
    return compared.primary.difference(a, b)


# ---- weighted resamples of the tested cases ----


def weighted_values(va: Validation, model: str, measure: str, cases: Any) -> Callable[[Array], Array]:
    """A measure of one model as a function of rows of case weights; refused if there is no fast method."""
    scores, predicted = va.answers_at(model, cases)
    problem, truth = va.problem, va.problem.codes[cases]
    base = np.ones(len(cases)) if problem.weights is None else problem.weights[cases]
    if problem.kind != "binary":
        predictions = _predictions(problem, truth, predicted, scores, None)
        statistic = case_statistic(measure, predictions)
        if why := statistic.why(predictions):
            raise _refused(measure, why)
        values = statistic.prepare(predictions)
        return lambda weights: values(weights * base)
    if measure in measures.names():
        declared = measures.get(measure)
        cells = {"tp": (1, 1), "fp": (0, 1), "fn": (1, 0), "tn": (0, 0)}
        members = {name: base * ((truth == t) & (predicted == p)) for name, (t, p) in cells.items()}
        return lambda weights: np.asarray(declared.value({name: weights @ member for name, member in members.items()}))
    if measure == "auc" and scores is not None:
        return lambda weights: weighted_auc(truth.astype(bool), scores, weights * base)
    raise _refused(measure, "it cannot be computed in many resamples at once")


def weighted_auc(truth: Any, scores: Any, weights: Any) -> Array:
    """The AUC for each row of case weights; NaN if a class has no weight.

    >>> weighted_auc(np.array([True, False, True]), np.array([3., 2., 1.]), np.array([[1, 1, 1], [1, 1, 0]])).tolist()
    [0.5, 1.0]
    """
    distinct, position = np.unique(scores, return_inverse=True)
    order = np.argsort(position, kind="stable")
    starts = np.searchsorted(position[order], np.arange(len(distinct)))
    pos = np.add.reduceat(np.where(truth, weights, 0.0)[:, order], starts, axis=1)
    neg = np.add.reduceat(np.where(truth, 0.0, weights)[:, order], starts, axis=1)
    return np.asarray(auc_values(pos[:, ::-1], neg[:, ::-1]))  # in descending order of the scores
