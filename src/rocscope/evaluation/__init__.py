"""evaluate() and compare(): from labels and scores to results with their uncertainty."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

from rocscope.decisions import CostMatrix, Costs
from rocscope.errors import RocscopeError
from rocscope.evaluation import arrays, fitted_models, incomplete
from rocscope.evaluation.binary import Evaluation, Point, at_random, per_thousand
from rocscope.evaluation.result import Result
from rocscope.evaluation.settings import (
    Progress,
    Request,
    Settings,
    checked_margin,
    costs_document,
    is_saved,
    no_threshold,
    refuse_cost_matrix,
)
from rocscope.registry import on_first_use
from rocscope.table import ScoreTable

if TYPE_CHECKING:
    from typing import Unpack

    from rocscope.evaluation.certainty import Difference
    from rocscope.evaluation.class_comparison import ClassComparison
    from rocscope.evaluation.classes import ClassEvaluation
    from rocscope.evaluation.comparison import Comparison
    from rocscope.evaluation.cost_differences import cost_difference
    from rocscope.evaluation.document import document_head
    from rocscope.evaluation.embedded_cases import case_list
    from rocscope.evaluation.fitted_models import answers_of, classes_of
    from rocscope.evaluation.from_source import scored_columns
    from rocscope.evaluation.from_tables import evaluated_tables, expanded, numbered
    from rocscope.evaluation.gates import gate, known_names, read_conditions
    from rocscope.evaluation.keyword_types import CompareKeywords, EvaluateKeywords
    from rocscope.evaluation.model_files import ModelFile, compared_class_files, compared_files
    from rocscope.evaluation.multilabel import LabelEvaluation
    from rocscope.evaluation.page_data import color_slots
    from rocscope.evaluation.recalibrated_rows import applied, recalibrate
    from rocscope.evaluation.slices.estimates import Slice, Slices
    from rocscope.evaluation.trends import trend
else:  # loaded lazily, as evaluating arrays does not need these modules
    __getattr__ = on_first_use(__name__, {
        "class_comparison": "ClassComparison",
        "classes": "ClassEvaluation",
        "comparison": "Comparison",
        "cost_differences": "cost_difference",
        "document": "document_head",
        "embedded_cases": "case_list",
        "fitted_models": "answers_of classes_of",
        "from_source": "scored_columns",
        "from_tables": "evaluated_tables expanded numbered",
        "gates": "gate known_names read_conditions",
        "model_files": "ModelFile compared_class_files compared_files",
        "multilabel": "LabelEvaluation",
        "certainty": "Difference",
        "page_data": "color_slots",
        "recalibrated_rows": "applied recalibrate",
        "slices.estimates": "Slice Slices",
        "trends": "trend",
    })  # fmt: skip

__all__ = [
    "ClassComparison", "ClassEvaluation", "Comparison", "Difference", "Evaluation", "LabelEvaluation", "ModelFile",
    "Point", "Request", "Result", "Settings", "Slice", "Slices", "answers_of", "applied", "at_random", "case_list",
    "checked_margin", "classes_of", "color_slots", "compare", "compared_class_files", "compared_files",
    "cost_difference", "costs_document", "document_head", "evaluate", "evaluated_tables", "expanded",
    "gate", "is_saved", "known_names", "numbered", "per_thousand", "read_conditions", "recalibrate",
    "scored_columns", "trend",
]  # fmt: skip


@overload
def evaluate(
    y: Any, score: Any = None, target: Any = None, *, predicted: Any, labels: Sequence[Any] | None = None,
    **given: Unpack[EvaluateKeywords],
) -> ClassEvaluation: ...  # fmt: skip
@overload
def evaluate(
    y: Any, score: Any = None, target: Any = None, *, labels: Sequence[Any], predicted: Any = None,
    **given: Unpack[EvaluateKeywords],
) -> ClassEvaluation: ...  # fmt: skip
@overload
def evaluate(y: Any, score: Any = None, target: Any = None, *, fold: Any, **given: Unpack[EvaluateKeywords]) -> Any: ...
@overload
def evaluate(
    y: Any, score: list[str] | tuple[str, ...], target: Any = None, **given: Unpack[EvaluateKeywords]
) -> ClassEvaluation: ...
@overload
def evaluate(y: Any, score: Any = None, target: Any = None, **given: Unpack[EvaluateKeywords]) -> Evaluation: ...


@incomplete.offering_ends
def evaluate(
    y: Any,
    score: Any = None,
    target: Any = None,
    *,
    label: str | Sequence[str] | None = None,
    predicted: Any = None,
    positive: Any = None,
    labels: Sequence[Any] | None = None,
    weights: Any = None,
    weights_are: str = "sampling",
    higher_is_positive: bool = True,
    threshold: float | Mapping[Any, float] | None = None,
    choose: str | None = None,
    choose_on: Any = None,
    cross_fit: int = 0,
    clusters: Any = None,
    by: Any = None,
    crossed: bool = False,
    fold: Any = None,
    id: Any = None,
    costs: Costs | CostMatrix | None = None,
    cost_column: Any = None,
    refer: Any = None,
    level: float = 0.95,
    interval: str = "newcombe",
    bootstrap: int = 0,
    seed: int = 0,
    unit: str = "case",
    name: str = "",
    missing: str = "error",
    infinite: str = "error",
    tolerance: float | None = None,
    exact: bool = False,
    budget: int | None = None,
    progress: Progress | None = None,
) -> Evaluation | ClassEvaluation | LabelEvaluation:
    """Evaluate one classifier on labeled cases: how good it is, how certain that is, and which threshold to use.

    `evaluate(y, score)` takes arrays; `evaluate(frame_or_path, label="y", score="p")` names columns of a frame, a file
    or an engine's table, and then `weights`, `clusters` and `by` are column names too; `evaluate(table)` takes a
    ScoreTable, and `evaluate("day.scoretable.parquet")` takes a saved one, or the sum of several;
    `evaluate(model, X, y)` takes a fitted scikit-learn classifier, the rows to predict, and their true labels
    (`target`).

    One score per case gives an `Evaluation`; a score column per class, or hard labels in `predicted`, gives a
    `ClassEvaluation`. If `y` is a matrix of 0s and 1s with a column for each label, and `score` (or `predicted`) has
    the same shape, each case has several labels, and the result is a `LabelEvaluation`; for a file, `label` and `score`
    then name several columns or a pattern ("label_*"). `threshold` may be given for each label or class; the `costs` of
    several classes are a `Costs.matrix`, and each case is then assigned the class with the lowest expected cost.
    Without a threshold, a rule or costs, results are given for the default threshold 0.5, and the output says so. A
    threshold looks too good on the cases used to choose it: its cost and measures are corrected for that (see
    `intervals.after_choice`). With `choose_on`, it is chosen on other cases instead, given as (labels, scores), a
    table, or a file with the same columns; with `cross_fit=5`, the cases are split into five folds, and the threshold
    for each fold is chosen on the others. `clusters` gives the cluster of each case (such as its patient): intervals
    then treat clusters as independent. `by` defines slices by each column and, if `crossed`, by each pair of columns.

    `cost_column={"fn": amounts, "fp": 5}` gives the cost of missing each case and of a false alarm, each as a
    number, an array or the name of a column: the threshold with the lowest total cost is chosen. `refer="recall >=
    0.95, precision >= 0.9"` chooses two thresholds between which as few cases as possible are referred; `refer=0.2` is
    the price of a referral, together with `costs`.

    `progress(done, total)` is called with the progress of a bootstrap. An argument that does not apply raises an error.

    Columns that do not fit into `budget` bytes are reduced to certified cells: the AUC is accurate to within
    `tolerance`, and its bound is reported; with `exact`, they are read one range of scores at a time instead.
    `missing="drop"` leaves out rows that lack a value, and counts them. Infinite scores are refused unless
    `infinite="ends"` declares them to be the ends of the ranking; they are then replaced by numbers beyond all other
    scores.

    >>> ev = evaluate([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3], costs=Costs(fp=1, fn=5))
    >>> ev.point.threshold, ev.at(ev.point.threshold).recall
    (0.6, 1.0)
    """
    single, each = _threshold_for_all(threshold, choose)
    prices, matrix = _two_or_more(costs)
    priced = _case_costs(cost_column)
    settings = Settings(
        level, interval, bootstrap, seed, prices, single, choose, unit, cross_fit, cost_matrix=matrix, refer=refer,
        case_costs=named_costs(priced),
    )  # fmt: skip
    if fitted_models.is_model(y):
        model, rows, y = y, score, target
        answers = fitted_models.model_answers(model, rows, y, positive=positive)
        score, predicted, labels, positive = answers.score, answers.predicted, answers.labels, answers.positive
        by, name = fitted_models.columns_by_name(by, rows), name or fitted_models.model_name(model)
    elif target is not None:
        raise fitted_models.without_model()
    _check_choose_on(choose_on, settings)
    request = Request(
        y if label is None else label, positive, weights, weights_are, higher_is_positive, clusters, by, crossed,
        missing, tolerance, exact, budget, progress, priced,
    )  # fmt: skip
    score = arrays.of_each_label(score)
    y, request, (score,), left_out = incomplete.settled(y, request, (score,), infinite, named=label is not None)
    if fold is not None:
        given = score if predicted is None else predicted
        called = name or (model_name(given) if isinstance(given, str) else "model")
        return _folded(y, {called: given}, request, settings, {  # type: ignore[no-any-return]
            "fold": fold, "id": id, "labels": labels, "predicted": predicted is not None,
        }, refused=(choose_on, each, cost_column, refer))  # fmt: skip
    if id is not None:
        raise RocscopeError("id= applies only to cases that are tested repeatedly", hint="Give fold= too")
    if label is not None:
        from rocscope.evaluation.from_source import evaluated

        return evaluated(
            y, score, request.by_name(), settings, predicted=predicted, labels=labels, choose_on=choose_on, name=name,
            thresholds=each,
        )  # fmt: skip
    from rocscope.multiclass import ClassSums, LabelSums

    if isinstance(y, ScoreTable | ClassSums | LabelSums) or is_saved(y):
        from rocscope.evaluation.from_tables import evaluated_tables

        _sums_only({"score": score, "predicted": predicted, "labels": labels}, request, settings)
        return evaluated_tables(
            y, settings, positive=positive, choose_on=choose_on, by=by, name=name, progress=progress
        )
    several = _several_labels(y, score, predicted)
    _arrays_only(score, predicted, request, several=several)
    if (score is None) == (predicted is None):
        raise RocscopeError(
            "give scores or predicted labels", hint="evaluate(y, scores) or evaluate(y, predicted=labels)"
        )
    if several:
        only_labels(request, choose_on, settings)
        from rocscope.evaluation.class_arrays import labelled

        given = single if each is None else each
        return labelled(score, request, settings, predicted=predicted, labels=labels, threshold=given, name=name)
    if each is not None and (predicted is not None or arrays.columns(score) == 1):
        raise RocscopeError("thresholds for the classes require a score for each class", hint="Give a single threshold")
    if predicted is not None:
        from rocscope.evaluation.class_arrays import decided

        no_threshold(settings, request, choose_on)
        return decided(predicted, request, settings, labels=labels, name=name)
    if arrays.columns(score) > 1:
        from rocscope.evaluation.class_arrays import classes

        no_threshold(settings, request, choose_on, per_class=True)
        return classes(score, request, settings, labels=labels, name=name, thresholds=each)
    if labels is not None:
        raise RocscopeError(
            "labels= applies to hard labels or a score per class", hint="Give the positive label: positive=1"
        )
    refuse_cost_matrix(settings)
    return _scored(score, request, settings, choose_on, name, left_out)


@overload
def compare(
    y: Any, scores: Any = None, target: Any = None, *, predicted: Any, labels: Sequence[Any] | None = None,
    **given: Unpack[CompareKeywords],
) -> ClassComparison: ...  # fmt: skip
@overload
def compare(
    y: Any, scores: Any = None, target: Any = None, *, labels: Sequence[Any], predicted: Any = None,
    **given: Unpack[CompareKeywords],
) -> ClassComparison: ...  # fmt: skip
@overload
def compare(y: Any, scores: Any = None, target: Any = None, *, fold: Any, **given: Unpack[CompareKeywords]) -> Any: ...
@overload
def compare(y: Any, scores: Any = None, target: Any = None, **given: Unpack[CompareKeywords]) -> Comparison: ...


@incomplete.offering_ends
def compare(
    y: Any,
    scores: Any = None,
    target: Any = None,
    *,
    label: str | Sequence[str] | None = None,
    score: Any = None,
    id: str | None = None,
    positive: Any = None,
    predicted: Any = None,
    labels: Sequence[Any] | None = None,
    weights: Any = None,
    weights_are: str = "sampling",
    higher_is_positive: bool | Mapping[str, bool] = True,
    threshold: float | Mapping[Any, float] | None = None,
    choose: str | None = None,
    choose_on: Any = None,
    cross_fit: int = 0,
    clusters: Any = None,
    by: Any = None,
    crossed: bool = False,
    fold: Any = None,
    costs: Costs | CostMatrix | None = None,
    level: float = 0.95,
    interval: str = "newcombe",
    bootstrap: int = 0,
    seed: int = 0,
    unit: str = "case",
    test: str | None = None,
    measure: str | None = None,
    margin: float | None = None,
    missing: str = "error",
    infinite: str = "error",
    tolerance: float | None = None,
    exact: bool = False,
    budget: int | None = None,
    progress: Progress | None = None,
) -> Comparison | ClassComparison:
    """Compare several classifiers on the same cases: which is better, how certain that is, and at which cost ratios.

    `compare(y, {"a": scores, "b": scores})` takes arrays; `compare(frame_or_path, {"a": "column", "b": "column"},
    label="y")`, or `score=["column", "column"]`, names columns of a frame, a file or an engine's table.
    `compare(["a.csv", "b.csv"], label="y", score="p", id="case")` takes one model from each file and matches the cases
    by id; `compare({"a": model_a, "b": model_b}, X, y)` takes fitted classifiers, the rows to predict and their true
    labels. The result is a `ClassComparison` if the models predict labels, `compare(y, {"a": labels_a, "b":
    labels_b})`, give a score for each class, `compare(y, {"a": probabilities_a, ...})`, or score several labels for
    each case (`y` is then a matrix of 0s and 1s). Columns of text, or of whole numbers that are all labels of `y`, are
    predicted labels; in a file `predicted=["column", "column"]` names them, and a pattern (`score=["a_*", "b_*"]`)
    names the columns of each model.

    `test` names the test between models: "delong" by default, or any test of `significance.catalog()` that takes labels
    and two scores. `measure` names the measure that decides if no costs are given: the AUC by default,
    "average_precision", "brier", or a measure at the threshold of each model, such as "error_rate" or "f1". The name of
    a statistic with a range or a point states it: "net benefit at 0.2", "pr_area recall 0.5 to 1" or "sensitivity at
    specificity 0.9" (which is also the name of a test). For classes, accuracy decides by default, and `measure` can be
    any of `intervals.class_names()`. `higher_is_positive={"a": True, "b": False}` sets the direction of each model; for
    arrays, give `choose_on` as (labels, {"a": scores, "b": scores}). All other parameters are the same as for
    `evaluate`.

    >>> cmp = compare([1, 0, 1, 0], {"a": [.9, .1, .8, .2], "b": [.1, .9, .2, .8]})
    >>> cmp.recommended
    'a'
    """
    single, each = _threshold_for_all(threshold, choose)
    prices, matrix = _two_or_more(costs)
    test, measure = _tested(test, measure)
    settings = Settings(level, interval, bootstrap, seed, prices, None, choose, unit, cross_fit, test, measure, matrix,
                        margin=margin)  # fmt: skip
    if isinstance(y, Mapping) and y and all(map(fitted_models.is_model, y.values())):
        fitted, rows, y = y, scores, target
        scores, positive = fitted_models.compared_answers(fitted, rows, y, positive=positive)
        by = fitted_models.columns_by_name(by, rows)
    elif target is not None:
        raise fitted_models.without_model()
    given = single if each is None else each
    by_scores = predicted is None and label is not None and not any("*" in str(column) for column in (score, scores))
    if test is not None and fold is None:  # with folds, the plan decides which tests fit
        from rocscope import significance
        from rocscope.evaluation.comparison import fitting_test

        if not by_scores and (predicted is not None or label is not None):  # predicted labels, or a score per class
            significance.fitting(test, [significance.DISCORDANT], "this comparison uses predicted classes")
        elif by_scores or significance.find(test).takes != significance.DISCORDANT:
            fitting_test(test)  # fail before any data are read
    _check_choose_on(choose_on, settings)
    request = Request(
        y if label is None else label, positive, weights, weights_are, higher_is_positive, clusters, by, crossed,
        missing, tolerance, exact, budget, progress,
    )  # fmt: skip
    matched_by_id = id is not None and isinstance(y, list | tuple) and len(y) > 1
    y, request, scores, left_out = incomplete.settled_models(
        y, request, scores, score, infinite, named=label is not None, each_file=matched_by_id
    )
    if fold is not None:
        named = scores if score is None else score
        several = _models(named if predicted is None else predicted, None)
        return _folded(y, several, request, replace(settings, threshold=single), {  # type: ignore[no-any-return]
            "fold": fold, "id": id, "labels": labels, "predicted": predicted is not None,
        }, refused=(each, choose_on))  # fmt: skip
    if label is not None:
        models = scores if score is None else score
        if predicted is not None:
            _one_of("scores and predicted labels cannot be combined", models, predicted)
        how: dict[str, Any] = {"labels": labels, "predicted": predicted is not None, "threshold": given}
        if matched_by_id and id is not None:
            from rocscope.evaluation.model_files import matched

            _one_of("choose_on= and id=", choose_on, id)
            return matched(y, models if predicted is None else predicted, request.by_name(), settings, id=id, **how)
        if id is not None:
            raise RocscopeError(
                f"id={id!r} matches the cases of several files, but there is only one", hint="Leave id= out"
            )
        from rocscope.evaluation.from_source import compared

        named = _models(scores, score if predicted is None else predicted)
        return compared(y, named, request.by_name(), settings, choose_on=choose_on, **how)
    if score is not None:
        raise RocscopeError("score= names columns, but no frame or file was given", hint='Give label="..." as well')
    predictions = scores if predicted is None else predicted
    _arrays_only(predictions, None, request, id=id, several=arrays.columns(y) > 1)
    if not isinstance(predictions, Mapping) or len(predictions) < 2:
        raise RocscopeError("give two or more named score columns", hint='compare(y, {"a": scores_a, "b": scores_b})')
    from rocscope.evaluation.class_arrays import compared_any

    comparison: Comparison | ClassComparison = compared_any(
        predictions, request, settings, labels=labels, predicted=predicted is not None, threshold=given
    )
    chosen: Comparison | ClassComparison = _chosen_elsewhere(comparison, choose_on, request)
    return incomplete.counted(chosen, left_out)


def _chosen_elsewhere(comparison: Any, choose_on: Any, request: Request) -> Any:
    """The comparison with thresholds chosen on other cases, if any are given."""
    if choose_on is None:
        return comparison
    from rocscope.evaluation.model_rows import chosen_elsewhere

    return chosen_elsewhere(comparison, choose_on, request)


def _folded(
    y: Any, models: Mapping[str, Any], request: Request, settings: Settings, how: dict[str, Any], refused: Sequence[Any]
) -> Any:
    """The validation of predictions with a fold for each row, from arrays or columns."""
    from rocscope.evaluation.fold_rows import folded, folded_source

    if any(argument is not None for argument in refused):
        what = (
            "thresholds for each label, thresholds chosen on other cases, costs of individual cases, or referral"
        )
        raise RocscopeError(f"fold= cannot be combined with {what}", hint="Leave them out")
    if request.label is not y:
        return folded_source(y, models, request.by_name(), settings, **how)
    _arrays_only(next(iter(models.values())), None, request, several=arrays.columns(y) > 1)
    return folded(y, models, request, settings, **how)


def _tested(test: str | None, measure: str | None) -> tuple[str | None, str | None]:
    """Make the test of a statistic at a stated point ("sensitivity-at-specificity-0.9") decide by that statistic."""
    if test is None:
        return test, measure
    from rocscope import intervals

    if intervals.asked_statistic(test) is None:
        return test, measure
    if measure is not None:
        raise RocscopeError(
            f"test '{test}' and measure '{measure}' cannot be combined", hint="Give only one of the two"
        )
    return None, test


def _check_choose_on(choose_on: Any, settings: Settings) -> None:
    """Raise an error if cases to choose a threshold on are given without a rule, or together with folds."""
    if choose_on is not None and settings.cross_fit:
        raise RocscopeError("choose_on= and cross_fit= cannot be combined", hint="Give only one of the two")
    if choose_on is not None and not settings.chooses:
        raise RocscopeError("choose_on= needs a rule", hint="Add choose='youden' or costs=Costs(fp=1, fn=5)")


def _case_costs(given: Any) -> dict[str, Any] | None:
    """The costs of a miss (fn) and a false alarm (fp), each a number, a column or its name.

    Returns None if not given.
    """
    if given is None:
        return None
    if not isinstance(given, Mapping) or set(given) != {"fn", "fp"}:
        shown = given if isinstance(given, str) else "amounts"
        raise RocscopeError(
            "cost_column= gives the cost of each miss, but not the cost of a false alarm",
            hint=f"Give both: cost_column={{'fn': {shown!r}, 'fp': 5}}; each may be a number or a column",
        )
    return {side: given[side] for side in ("fn", "fp")}


def named_costs(priced: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Case-specific costs for the results document: the name of the column, a number, or "given" for arrays."""
    if priced is None:
        return None
    plain = {side: price if isinstance(price, str) else "given" if hasattr(price, "__len__") else float(price)
             for side, price in priced.items()}  # fmt: skip
    return {side: price.item() if hasattr(price, "item") else price for side, price in plain.items()}


def _two_or_more(costs: Costs | CostMatrix | None) -> tuple[Costs | None, CostMatrix | None]:
    """The costs of two classes, or of several."""
    return (None, costs) if isinstance(costs, CostMatrix) else (costs, None)


def _threshold_for_all(threshold: Any, choose: str | None) -> tuple[float | None, Mapping[Any, float] | None]:
    """One threshold, or one for each label."""
    if not isinstance(threshold, Mapping):
        return threshold, None
    if choose is not None:
        raise RocscopeError(
            "thresholds and a rule to choose them cannot be combined",
            hint="Give either threshold=... or choose=..., not both",
        )
    return None, threshold


def _scored(
    score: Any, request: Request, settings: Settings, choose_on: Any, name: str, left_out: Mapping[str, int]
) -> Evaluation | ClassEvaluation:
    """Evaluate one score per case; with three or more labels, such a column may contain predicted labels instead."""
    try:
        made = arrays.scored(score, request, settings, choose_on=choose_on, name=name)
    except RocscopeError:
        from rocscope.evaluation.class_arrays import are_predicted, decided

        if not are_predicted(score, request.label):
            raise
        no_threshold(settings, request, choose_on)
        return decided(score, request, settings, labels=None, name=name)
    return replace(made, left_out=left_out)


def _several_labels(y: Any, score: Any, predicted: Any) -> bool:
    """Whether each case has several labels: labels and predictions are both matrices."""
    given = score if score is not None else predicted
    return given is not None and not isinstance(given, str) and arrays.columns(y) > 1 and arrays.columns(given) > 1


def only_labels(request: Request, choose_on: Any, settings: Settings) -> None:
    """Raise an error for arguments that do not apply to several labels per case."""
    wanted = {
        "clusters": request.clusters is not None, "slices": bool(request.by),
        "choosing thresholds on other cases": choose_on is not None,
        "low scores as positive": not request.higher_is_positive, "a positive label": request.positive is not None,
        "costs of individual cases": settings.case_costs is not None, "referring cases": settings.refer is not None,
    }  # fmt: skip
    for what, requested in wanted.items():
        if requested:
            raise RocscopeError(f"several labels for each case cannot be combined with {what}", hint="Leave it out")


def _one_of(what: str, *given: Any) -> None:
    if sum(argument is not None for argument in given) > 1:
        raise RocscopeError(what, hint="Give only one of the two")


# ---- combinations of arguments ----

ABOUT_ROWS = ("missing", "exact", "tolerance", "budget")


def _sums_only(given: Mapping[str, Any], request: Request, settings: Settings) -> None:
    """Raise an error for arguments that require the individual cases."""
    if given["score"] is not None or given["predicted"] is not None or request.weights is not None:
        raise RocscopeError("a ScoreTable already contains scores and weights", hint="Use evaluate(table) alone")
    arguments = {name: argument for name, argument in given.items() if argument is not None} | request.said(
        "clusters", "weights_are"
    )
    arguments |= request.said("higher_is_positive") | ({"cross_fit": 1} if settings.cross_fit else {})
    arguments |= {} if settings.case_costs is None else {"cost_column": 1}
    for name in arguments | request.said(*ABOUT_ROWS):
        raise RocscopeError(
            f"{name}= needs the cases, but a ScoreTable contains only sums",
            hint="Use evaluate(y, score, ...), which reads the cases",
        )


def _arrays_only(score: Any, predicted: Any, request: Request, *, id: str | None = None, several: bool = False) -> None:
    """Raise an error for arrays mixed with column names."""
    y = request.label
    named = next((column for column in (score, predicted, request.weights) if isinstance(column, str)), None)
    file = isinstance(y, str | os.PathLike)
    if named is not None or file:
        what = "a file" if file else f"the column '{named}'"
        raise RocscopeError(
            f"{what} was given, but no column of labels",
            hint='Name the columns: evaluate(frame_or_path, label="y", score="p")',
        )
    if len(getattr(y, "shape", ())) == 2 and y.shape[1] > 1 and hasattr(y, "columns") and not several:
        raise RocscopeError(
            f"the frame has {y.shape[1]} columns; name the column with the labels",
            hint='Give label="..." and score="..."',
        )
    for name, value in (request.said(*ABOUT_ROWS) | ({} if id is None else {"id": id})).items():
        raise RocscopeError(
            f"{name}={value!r} names a column, but no frame or file was given", hint='Give label="..." and score="..."'
        )


def _models(scores: Any, score: Any) -> dict[str, Any]:
    """The column or columns of each model: a list, or a pattern."""
    if scores is not None and score is not None:
        raise RocscopeError("scores and score= cannot be combined", hint="Name the columns once")
    given = score if scores is None else scores
    given = [given] if isinstance(given, str) else given
    named = dict(given) if isinstance(given, Mapping) else {model_name(column): column for column in (given or ())}
    if len(named) < 2 or any(column is None for column in named.values()):
        raise RocscopeError(
            "give two or more score columns", hint='compare(frame, {"a": "column", "b": "column"}, label="y")'
        )
    return {str(name): column for name, column in named.items()}


def model_name(column: Any) -> str:
    """The name of a model from its column, or from the common part of a pattern: a_* is a.

    >>> model_name("boosting"), model_name("a_*")
    ('boosting', 'a')
    """
    text = str(column)
    return text.split("*", maxsplit=1)[0].strip("_ .:-") or text if "*" in text else text
