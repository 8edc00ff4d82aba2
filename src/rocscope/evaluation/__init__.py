"""evaluate() and compare(): from labels and scores to an answer that says how sure it is."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rocscope.decisions import Costs
from rocscope.errors import RocscopeError
from rocscope.evaluation import arrays, fitted_models
from rocscope.evaluation.binary import Evaluation, Point, at_random, per_thousand
from rocscope.evaluation.classes import ClassEvaluation
from rocscope.evaluation.comparison import Comparison, Difference, fitting_test
from rocscope.evaluation.cost_differences import cost_difference
from rocscope.evaluation.document import document_head
from rocscope.evaluation.result import Result
from rocscope.evaluation.settings import Progress, Request, Settings, costs_document, is_saved, no_threshold
from rocscope.evaluation.slices.estimates import Slice, Slices
from rocscope.table import ScoreTable

if TYPE_CHECKING:
    from rocscope.evaluation.embedded_cases import case_list
    from rocscope.evaluation.fitted_models import answers_of
    from rocscope.evaluation.from_source import score_tables
    from rocscope.evaluation.from_tables import evaluated_tables, expanded, numbered
    from rocscope.evaluation.gates import gate, known_names, read_conditions
    from rocscope.evaluation.model_files import ModelFile, compared_files
    from rocscope.evaluation.recalibrated_rows import applied, recalibrate
    from rocscope.evaluation.trends import trend

__all__ = [
    "ClassEvaluation", "Comparison", "Difference", "Evaluation", "ModelFile", "Point", "Request", "Result",
    "Settings", "Slice", "Slices", "answers_of", "applied", "at_random", "case_list", "compare", "compared_files",
    "cost_difference", "costs_document", "document_head", "evaluate", "evaluated_tables", "expanded", "gate",
    "is_saved", "known_names", "numbered", "per_thousand", "read_conditions", "recalibrate", "score_tables", "trend",
]  # fmt: skip

# what is not needed for arrays is loaded when it is asked for: name -> module
_LATER = {
    "case_list": "embedded_cases", "score_tables": "from_source", "evaluated_tables": "from_tables",
    "expanded": "from_tables", "numbered": "from_tables", "gate": "gates", "known_names": "gates",
    "read_conditions": "gates", "ModelFile": "model_files", "compared_files": "model_files", "trend": "trends",
    "answers_of": "fitted_models", "applied": "recalibrated_rows", "recalibrate": "recalibrated_rows",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)


def evaluate(
    y: Any,
    score: Any = None,
    target: Any = None,
    *,
    label: str | None = None,
    predicted: Any = None,
    positive: Any = None,
    labels: Sequence[Any] | None = None,
    weights: Any = None,
    weights_are: str = "sampling",
    higher_is_positive: bool = True,
    threshold: float | None = None,
    choose: str | None = None,
    choose_on: Any = None,
    cross_fit: int = 0,
    clusters: Any = None,
    by: Any = None,
    crossed: bool = False,
    costs: Costs | None = None,
    level: float = 0.95,
    interval: str = "newcombe",
    bootstrap: int = 0,
    seed: int = 0,
    unit: str = "case",
    name: str = "",
    missing: str = "error",
    tolerance: float | None = None,
    exact: bool = False,
    budget: int | None = None,
    progress: Progress | None = None,
) -> Evaluation | ClassEvaluation:
    """How good, how sure, at which threshold: everything about one classifier on labeled cases.

    `evaluate(y, score)` takes arrays; `evaluate(frame_or_path, label="y", score="p")` names columns of a frame, a file
    or an engine's table, and then `weights`, `clusters` and `by` are column names too; `evaluate(table)` takes a
    ScoreTable, and `evaluate("day.scoretable.parquet")` one that was saved, or the sum of several;
    `evaluate(model, X, y)` takes a fitted classifier of scikit-learn's kind, the rows to predict and their true labels
    (`target`).

    One score per case gives an `Evaluation`; a score column per class, or hard labels in `predicted`, a
    `ClassEvaluation`. Without a threshold, a rule or costs, results are for the default threshold 0.5, and
    the answer says so. A threshold chosen on the cases it is judged on is optimistic: cost and measures there are
    corrected for that (see `intervals.after_choice`). `choose_on` chooses it on other cases, given as (labels,
    scores), a table, or a file with the same columns, and `cross_fit=5` in five folds, each decided by a threshold
    chosen without it. `clusters` names the cluster of each case (its patient, say): intervals then count clusters.
    `by` makes slices, by each column and, `crossed`, by each two of them. `progress(done, total)` is called with the
    progress of a bootstrap. An argument that cannot be used is refused.

    Columns that do not fit into `budget` bytes are reduced to certified cells: the AUC is right to `tolerance`, and
    says so; with `exact` they are read by ranges instead. `missing="drop"` leaves out rows that lack a value, and
    counts them.

    >>> ev = evaluate([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3], costs=Costs(fp=1, fn=5))
    >>> ev.point.threshold, ev.at(ev.point.threshold).recall
    (0.6, 1.0)
    """
    settings = Settings(level, interval, bootstrap, seed, costs, threshold, choose, unit, cross_fit)
    if fitted_models.is_model(y):
        model, rows, y = y, score, target
        found = fitted_models.model_answers(model, rows, y, positive=positive)
        score, predicted, labels, positive = found.score, found.predicted, found.labels, found.positive
        by, name = fitted_models.columns_by_name(by, rows), name or fitted_models.model_name(model)
    elif target is not None:
        raise fitted_models.without_model()
    if choose_on is not None and settings.cross_fit:
        raise RocscopeError("other cases and cross-fitting to choose a threshold", hint="Say one of the two")
    if choose_on is not None and not settings.chooses:
        raise RocscopeError("choose_on= needs a rule", hint="Add choose='youden', say, or costs=Costs(fp=1, fn=5)")
    request = Request(
        y if label is None else label, positive, weights, weights_are, higher_is_positive, clusters, by, crossed,
        missing, tolerance, exact, budget, progress,
    )  # fmt: skip
    if label is not None:
        from rocscope.evaluation.from_source import evaluated

        return evaluated(
            y, score, request.by_name(), settings, predicted=predicted, labels=labels, choose_on=choose_on, name=name
        )
    if isinstance(y, ScoreTable) or is_saved(y):
        from rocscope.evaluation.from_tables import evaluated_tables

        _sums_only({"score": score, "predicted": predicted, "labels": labels}, request, settings)
        return evaluated_tables(
            y, settings, positive=positive, choose_on=choose_on, by=by, name=name, progress=progress
        )
    _arrays_only(score, predicted, request)
    if (score is None) == (predicted is None):
        raise RocscopeError(
            "scores or predicted labels are needed", hint="evaluate(y, scores) or evaluate(y, predicted=labels)"
        )
    if predicted is not None:
        no_threshold(settings, request, choose_on)
        return arrays.decided(predicted, request, settings, labels=labels, name=name)
    if arrays.columns(score) > 1:
        no_threshold(settings, request, choose_on, per_class=True)
        return arrays.classes(score, request, settings, labels=labels, name=name)
    if labels is not None:
        raise RocscopeError("labels= is for hard labels or a score per class", hint="Say which is positive: positive=1")
    return arrays.scored(score, request, settings, choose_on=choose_on, name=name)


def compare(
    y: Any,
    scores: Any = None,
    target: Any = None,
    *,
    label: str | None = None,
    score: str | Sequence[str] | None = None,
    id: str | None = None,
    positive: Any = None,
    weights: Any = None,
    higher_is_positive: bool = True,
    threshold: float | None = None,
    choose: str | None = None,
    cross_fit: int = 0,
    clusters: Any = None,
    by: Any = None,
    crossed: bool = False,
    costs: Costs | None = None,
    level: float = 0.95,
    interval: str = "newcombe",
    bootstrap: int = 0,
    seed: int = 0,
    unit: str = "case",
    test: str | None = None,
    measure: str | None = None,
    missing: str = "error",
    tolerance: float | None = None,
    exact: bool = False,
    budget: int | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Several classifiers on the same cases: which is better, how sure, and which at which cost.

    `compare(y, {"a": scores, "b": scores})` takes arrays; `compare(frame_or_path, {"a": "column", "b": "column"},
    label="y")`, or `score=["column", "column"]`, names columns of a frame, a file or an engine's table.
    `compare(["a.csv", "b.csv"], label="y", score="p", id="case")` takes a model from each file, cases matched by id,
    and `compare({"a": model_a, "b": model_b}, X, y)` fitted classifiers, the rows to predict and their true labels.
    `test` names the test between models: "delong" by default, or any of `significance.catalogue()` that takes labels
    and two scores. `measure` names what decides where there are no costs: the AUC by default, "average_precision",
    "brier", or a measure at the threshold of each model as "error_rate" or "f1". Everything else is as for `evaluate`.

    >>> cmp = compare([1, 0, 1, 0], {"a": [.9, .1, .8, .2], "b": [.1, .9, .2, .8]})
    >>> cmp.recommended
    'a'
    """
    settings = Settings(level, interval, bootstrap, seed, costs, threshold, choose, unit, cross_fit, test, measure)
    if isinstance(y, Mapping) and y and all(map(fitted_models.is_model, y.values())):
        models, rows, y = y, scores, target
        scores, positive = fitted_models.compared_answers(models, rows, y, positive=positive)
        by = fitted_models.columns_by_name(by, rows)
    elif target is not None:
        raise fitted_models.without_model()
    if test is not None:
        fitting_test(test)  # refused before anything is read
    request = Request(
        y if label is None else label, positive, weights, "sampling", higher_is_positive, clusters, by, crossed,
        missing, tolerance, exact, budget, progress,
    )  # fmt: skip
    if label is not None:
        if id is not None and isinstance(y, list | tuple) and len(y) > 1:
            from rocscope.evaluation.model_files import matched

            return matched(y, scores if score is None else score, request.by_name(), settings, id=id)
        from rocscope.evaluation.from_source import compared

        return compared(y, _models(scores, score), request.by_name(), settings)
    _arrays_only(scores, None, request, id=id)
    if not isinstance(scores, Mapping) or len(scores) < 2:
        raise RocscopeError(
            "two or more named score columns are needed", hint='compare(y, {"a": scores_a, "b": scores_b})'
        )
    return arrays.compared(scores, request, settings)


# ---- what goes together ----

ABOUT_ROWS = ("missing", "exact", "tolerance", "budget")


def _sums_only(given: Mapping[str, Any], request: Request, settings: Settings) -> None:
    """Refuse arguments that only the cases could answer."""
    if given["score"] is not None or given["predicted"] is not None or request.weights is not None:
        raise RocscopeError("a ScoreTable holds scores and weights already", hint="evaluate(table) alone is enough")
    said = {name: one for name, one in given.items() if one is not None} | request.said("clusters", "weights_are")
    said |= request.said("higher_is_positive") | ({"cross_fit": 1} if settings.cross_fit else {})
    for name in said | request.said(*ABOUT_ROWS):
        raise RocscopeError(
            f"{name}= needs the cases, and a ScoreTable has sums", hint="evaluate(y, score, ...) reads the cases"
        )


def _arrays_only(score: Any, predicted: Any, request: Request, *, id: str | None = None) -> None:
    """Refuse arrays mixed with names of columns."""
    y = request.label
    named = next((one for one in (score, predicted, request.weights) if isinstance(one, str)), None)
    file = isinstance(y, str | os.PathLike)
    if named is not None or file:
        what = "a file" if file else f"the column '{named}'"
        raise RocscopeError(
            f"{what}, but no column of labels", hint='evaluate(frame_or_path, label="y", score="p") names the columns'
        )
    if len(getattr(y, "shape", ())) == 2 and y.shape[1] > 1 and hasattr(y, "columns"):
        raise RocscopeError(
            f"a frame of {y.shape[1]} columns; which holds the labels?", hint='Say label="..." and score="..."'
        )
    for name, value in (request.said(*ABOUT_ROWS) | ({} if id is None else {"id": id})).items():
        raise RocscopeError(
            f"{name}={value!r} is for columns of a frame or file", hint='Say label="..." and score="..."'
        )


def _models(scores: Any, score: str | Sequence[str] | None) -> dict[str, str]:
    """The column of each model."""
    if scores is not None and score is not None:
        raise RocscopeError("scores and score", hint="Name the columns once")
    given = score if scores is None else scores
    given = [given] if isinstance(given, str) else given
    named = dict(given) if isinstance(given, Mapping) else {str(one): one for one in (given or ())}
    if len(named) < 2 or not all(isinstance(one, str) for one in named.values()):
        raise RocscopeError(
            "two or more score columns are needed", hint='compare(frame, {"a": "column", "b": "column"}, label="y")'
        )
    return {str(name): column for name, column in named.items()}
