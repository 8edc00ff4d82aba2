"""evaluate() and compare(): from labels and scores to an answer that says how sure it is."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from rocscope.decisions import Costs
from rocscope.errors import RocscopeError
from rocscope.evaluation import arrays
from rocscope.evaluation.binary import Evaluation, Point, at_random
from rocscope.evaluation.classes import ClassEvaluation
from rocscope.evaluation.clusters import Progress
from rocscope.evaluation.comparison import Comparison, Difference
from rocscope.evaluation.document import document_head
from rocscope.evaluation.page_data import of_validation as validation_drawing
from rocscope.evaluation.result import Result
from rocscope.evaluation.settings import Settings, costs_document
from rocscope.evaluation.slices.estimates import Slice, Slices
from rocscope.table import ScoreTable

__all__ = [
    "ClassEvaluation",
    "Comparison",
    "Difference",
    "Evaluation",
    "Point",
    "Result",
    "Settings",
    "Slice",
    "Slices",
    "at_random",
    "compare",
    "costs_document",
    "document_head",
    "evaluate",
    "is_saved",
    "validation_drawing",
]


def evaluate(
    y: Any,
    score: Any = None,
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
    ScoreTable, and `evaluate("day.rst")` one that was saved, or the sum of several.

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
    _check_together(by, crossed, choose_on, settings)
    if weights is None and weights_are != "sampling":
        raise RocscopeError(f"weights_are={weights_are!r} needs weights", hint="Add weights=, or leave it out")
    if label is not None:
        from rocscope.evaluation.from_source import Request, evaluated

        _columns_by_name(weights, clusters, by)
        request = Request(
            label, positive, weights, weights_are, higher_is_positive, clusters, _names(by), crossed, missing,
            tolerance, exact, budget, progress,
        )  # fmt: skip
        return evaluated(
            y, score, request, settings, predicted=predicted, labels=labels, choose_on=choose_on, name=name
        )
    shared: dict[str, Any] = {"weights": weights, "by": by, "crossed": crossed}
    about_cases = {
        "score": score, "predicted": predicted, "labels": labels, "clusters": clusters,
        "weights_are": None if weights_are == "sampling" else weights_are,
        "higher_is_positive": None if higher_is_positive else False, "cross_fit": cross_fit or None,
    }  # fmt: skip
    about_rows = {
        "missing": None if missing == "error" else missing, "exact": exact or None, "tolerance": tolerance,
        "budget": budget,
    }  # fmt: skip
    if isinstance(y, ScoreTable) or is_saved(y):
        from rocscope.evaluation.from_tables import evaluated_tables, refuse_cases

        refuse_cases(about_cases | about_rows | {"weights": weights})
        return evaluated_tables(
            y, settings, positive=positive, choose_on=choose_on, by=by, name=name, progress=progress
        )
    _arrays_only(y, score, predicted, weights, about_rows)
    shared["name"] = name
    if (score is None) == (predicted is None):
        raise RocscopeError(
            "scores or predicted labels are needed", hint="evaluate(y, scores) or evaluate(y, predicted=labels)"
        )
    if predicted is not None:
        no_threshold(settings, clusters, choose_on, higher_is_positive)
        return arrays.decided(
            y, predicted, settings, labels=labels, positive=positive, weights_are=weights_are, **shared
        )
    if arrays.columns(score) > 1:
        no_threshold(settings, clusters, choose_on, higher_is_positive, weights_are)
        return arrays.classes(y, score, settings, labels=labels, positive=positive, **shared)
    if labels is not None:
        raise RocscopeError("labels= is for hard labels or a score per class", hint="Say which is positive: positive=1")
    return arrays.scored(
        y, score, settings, positive=positive, higher_is_positive=higher_is_positive, weights_are=weights_are,
        choose_on=choose_on, clusters=clusters, progress=progress, **shared,
    )  # fmt: skip


def compare(
    y: Any,
    scores: Mapping[str, Any] | None = None,
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
    missing: str = "error",
    tolerance: float | None = None,
    exact: bool = False,
    budget: int | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Several classifiers on the same cases: which is better, how sure, and which at which cost.

    `compare(y, {"a": scores, "b": scores})` takes arrays; `compare(frame_or_path, {"a": "column", "b": "column"},
    label="y")`, or `score=["column", "column"]`, names columns of a frame, a file or an engine's table.
    `compare(["a.csv", "b.csv"], label="y", score="p", id="case")` takes a model from each file, cases matched by id.
    `test` names the test between models: "delong" by default, or any of `significance.catalogue()` that takes labels
    and two scores. Everything else is as for `evaluate`.

    >>> cmp = compare([1, 0, 1, 0], {"a": [.9, .1, .8, .2], "b": [.1, .9, .2, .8]})
    >>> cmp.recommended
    'a'
    """
    settings = Settings(level, interval, bootstrap, seed, costs, threshold, choose, unit, cross_fit, test)
    _check_together(by, crossed, None, settings)
    if label is not None:
        from rocscope.evaluation.from_source import Request, compared

        _columns_by_name(weights, clusters, by)
        request = Request(
            label, positive, weights, "sampling", higher_is_positive, clusters, _names(by), crossed, missing,
            tolerance, exact, budget, progress,
        )  # fmt: skip
        if id is not None and isinstance(y, list | tuple) and len(y) > 1:
            from rocscope.evaluation.model_files import matched

            return matched(y, scores if score is None else score, request, settings, id=id)
        return compared(y, _models(scores, score), request, settings)
    about_rows = {
        "missing": None if missing == "error" else missing, "exact": exact or None, "tolerance": tolerance,
        "budget": budget, "id": id,
    }  # fmt: skip
    _arrays_only(y, scores, None, weights, about_rows)
    if not isinstance(scores, Mapping) or len(scores) < 2:
        raise RocscopeError(
            "two or more named score columns are needed", hint='compare(y, {"a": scores_a, "b": scores_b})'
        )
    return arrays.compared(
        y, scores, settings, positive=positive, higher_is_positive=higher_is_positive, weights=weights,
        clusters=clusters, by=by, crossed=crossed, progress=progress,
    )  # fmt: skip


# ---- what goes together ----


def is_saved(given: Any) -> bool:
    """Whether one or several paths are those of saved tables, by their names."""
    paths = given if isinstance(given, list | tuple) and given else [given]
    return all(isinstance(one, str | os.PathLike) and str(one).lower().endswith(".rst") for one in paths)


def _check_together(by: Any, crossed: bool, choose_on: Any, settings: Settings) -> None:
    """Refuse settings that make no sense together, or alone."""
    if choose_on is not None and settings.cross_fit:
        raise RocscopeError("other cases and cross-fitting to choose a threshold", hint="Say one of the two")
    if choose_on is not None and settings.threshold is None and settings.choose is None and settings.costs is None:
        raise RocscopeError(
            "choose_on= needs a rule", hint="Add choose='youden', say, or costs=Costs(fp=1, fn=5)"
        )
    if crossed and by is None:
        raise RocscopeError("crossed=True needs slices", hint="Name two columns in by=")


def no_threshold(
    settings: Settings,
    clusters: Any,
    choose_on: Any = None,
    higher_is_positive: bool = True,
    weights_are: str = "sampling",
) -> None:
    """Refuse what several classes, or hard labels, have no use for: silence would look like an answer."""
    wanted = {
        "a threshold": settings.threshold is not None,
        "a rule to choose a threshold": settings.choose is not None,
        "cross-fitting": bool(settings.cross_fit),
        "choosing a threshold on other cases": choose_on is not None,
        "costs of two classes": settings.costs is not None,
        "clusters": clusters is not None,
        "the bootstrap": bool(settings.bootstrap),
        "low scores as positive": not higher_is_positive,
        "a frequency of each row": weights_are == "frequency",
    }
    for what, said in wanted.items():
        if said:
            raise RocscopeError(f"{what} needs one score per case", hint="Give one score column, or leave it out")


def _arrays_only(y: Any, score: Any, predicted: Any, weights: Any, about_rows: Mapping[str, Any]) -> None:
    """Refuse arrays mixed with names of columns."""
    named = next((one for one in (score, predicted, weights) if isinstance(one, str)), None)
    if named is not None or hasattr(y, "__fspath__") or isinstance(y, str):
        what = "a file" if isinstance(y, str) or hasattr(y, "__fspath__") else f"the column '{named}'"
        raise RocscopeError(
            f"{what}, but no column of labels", hint='evaluate(frame_or_path, label="y", score="p") names the columns'
        )
    if len(getattr(y, "shape", ())) == 2 and y.shape[1] > 1 and hasattr(y, "columns"):
        raise RocscopeError(
            f"a frame of {y.shape[1]} columns; which holds the labels?", hint='Say label="..." and score="..."'
        )
    for name, value in about_rows.items():
        if value is not None:
            raise RocscopeError(
                f"{name}={value!r} is for columns of a frame or file", hint='Say label="..." and score="..."'
            )


def _columns_by_name(weights: Any, clusters: Any, by: Any) -> None:
    """Refuse arrays where columns are named: rows may be left out, and an array would not follow."""
    if weights is not None and not isinstance(weights, str):
        raise RocscopeError("label names a column, and weights is an array", hint='Say weights="column"')
    if clusters is not None and not isinstance(clusters, str):
        raise RocscopeError("label names a column, and clusters is an array", hint='Say clusters="column"')
    if isinstance(by, Mapping):
        raise RocscopeError("label names a column, and by holds arrays", hint='Say by="column" or by=["a", "b"]')


def _names(by: Any) -> tuple[str, ...]:
    if by is None:
        return ()
    return (by,) if isinstance(by, str) else tuple(dict.fromkeys(by))


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
