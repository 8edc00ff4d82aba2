"""evaluate() and compare(): from labels and scores to an answer that says how sure it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from rocscope import tally
from rocscope.decisions import Costs
from rocscope.errors import RocscopeError
from rocscope.evaluation.binary import Evaluation, Point, at_random
from rocscope.evaluation.cases import Cases, Progress
from rocscope.evaluation.classes import ClassEvaluation
from rocscope.evaluation.comparison import Comparison, Difference
from rocscope.evaluation.settings import Settings
from rocscope.multiclass import ClassScores
from rocscope.table import Confusion, ScoreTable

__all__ = [
    "ClassEvaluation",
    "Comparison",
    "Difference",
    "Evaluation",
    "Point",
    "Settings",
    "at_random",
    "compare",
    "evaluate",
]


def evaluate(
    y: Any,
    score: Any = None,
    *,
    predicted: Any = None,
    positive: Any = None,
    labels: Sequence[Any] | None = None,
    weights: Any = None,
    weights_are: str = "sampling",
    higher_is_positive: bool = True,
    threshold: float | None = None,
    choose: str | None = None,
    choose_on: tuple[Any, Any] | ScoreTable | None = None,
    cross_fit: int = 0,
    clusters: Any = None,
    costs: Costs | None = None,
    level: float = 0.95,
    interval: str = "newcombe",
    bootstrap: int = 0,
    seed: int = 0,
    unit: str = "case",
    name: str = "",
    progress: Progress | None = None,
) -> Evaluation | ClassEvaluation:
    """How good, how sure, at which threshold: everything about one classifier on labelled cases.

    One score per case gives an `Evaluation`; a score column per class, or hard labels in `predicted`, a
    `ClassEvaluation`. Without a threshold, a rule or costs nobody chose a threshold, and the answer says so. A
    threshold chosen on the cases it is judged on is optimistic; `choose_on=(labels, scores)` chooses it on others, and
    `cross_fit=5` in five folds, each decided by a threshold chosen without it. `clusters` names the cluster of each
    case (its patient, say): intervals then count clusters. `progress(done, total)` is told how far a bootstrap is.

    >>> ev = evaluate([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3], costs=Costs(fp=1, fn=5))
    >>> ev.point.threshold, ev.estimates["recall"].value
    (0.6, 1.0)
    """
    settings = Settings(level, interval, bootstrap, seed, costs, threshold, choose, unit, cross_fit)
    if choose_on is not None and cross_fit:
        raise RocscopeError("other cases and cross-fitting to choose a threshold", hint="Say one of the two")
    if (score is None) == (predicted is None):
        raise RocscopeError(
            "scores or predicted labels are needed", hint="evaluate(y, scores) or evaluate(y, predicted=labels)"
        )
    if predicted is not None:
        _no_threshold(settings, clusters)
        matrix = Confusion.from_labels(y, predicted, labels=labels, weights=weights, weights_are=weights_are)
        return ClassEvaluation(matrix, settings, name=name, notes=tuple(tally.near_duplicates(matrix.labels)))
    if _columns(score) > 1:
        _no_threshold(settings, clusters)
        return _classes(y, score, labels, weights, settings, name)
    kind = {"positive": positive, "higher_is_positive": higher_is_positive}
    table = ScoreTable.from_scores(y, score, weights=weights, weights_are=weights_are, **kind)
    other = choose_on
    if other is not None and not isinstance(other, ScoreTable):
        other = ScoreTable.from_scores(*other, **kind)
    cases = None
    if clusters is not None or cross_fit:
        cases = _cases(tally.binary(y, positive)[0], score, clusters, weights, higher_is_positive)
    notes = tuple(tally.near_duplicates(table.labels))
    return Evaluation(table, settings, name, choose_on=other, notes=notes, cases=cases, progress=progress)


def _no_threshold(settings: Settings, clusters: Any) -> None:
    """Refuse what several classes, or hard labels, have no use for: silence would look like an answer."""
    asked = {
        "a threshold": settings.threshold is not None,
        "a rule to choose a threshold": settings.choose is not None,
        "cross-fitting": bool(settings.cross_fit),
        "costs of two classes": settings.costs is not None,
        "clusters": clusters is not None,
        "the bootstrap": bool(settings.bootstrap),
    }
    for what, said in asked.items():
        if said:
            raise RocscopeError(
                f"{what} needs one score per case", hint="Give one score column, or leave it out"
            )


def _cases(mask: Any, score: Any, clusters: Any, weights: Any, higher_is_positive: bool) -> Cases:
    scores = tally.numeric(score, "score")
    codes = None if clusters is None else tally.factorize(clusters, name="cluster", limit=max(2, len(mask)))[0]
    if codes is not None and len(codes) != len(mask):
        raise RocscopeError(f"{len(mask)} labels, but {len(codes)} clusters", hint="One cluster for each label")
    heavy = None if weights is None else np.asarray(tally.weights_of(weights, len(mask)), dtype=np.float64)
    return Cases(mask, scores, higher_is_positive, heavy, None if codes is None else codes.astype(np.int64))


def _columns(score: Any) -> int:
    shape = getattr(score, "shape", None)
    if shape is None and isinstance(score, list | tuple) and score and isinstance(score[0], list | tuple | np.ndarray):
        shape = (len(score), len(score[0]))
    return shape[1] if shape is not None and len(shape) == 2 else 1


def _classes(y: Any, score: Any, labels: Any, weights: Any, settings: Settings, name: str) -> ClassEvaluation:
    scores = ClassScores.of(y, score, labels=labels, weights=weights)
    actual = [scores.labels[code] for code in scores.codes.tolist()]
    decided = scores.predicted().tolist()
    matrix = Confusion.from_labels(actual, decided, labels=scores.labels, weights=weights)
    return ClassEvaluation(matrix, settings, scores, name, notes=tuple(tally.near_duplicates(matrix.labels)))


def compare(
    y: Any,
    scores: Mapping[str, Any],
    *,
    positive: Any = None,
    weights: Any = None,
    higher_is_positive: bool = True,
    threshold: float | None = None,
    choose: str | None = None,
    cross_fit: int = 0,
    clusters: Any = None,
    costs: Costs | None = None,
    level: float = 0.95,
    interval: str = "newcombe",
    bootstrap: int = 0,
    seed: int = 0,
    unit: str = "case",
    progress: Progress | None = None,
) -> Comparison:
    """Several classifiers on the same cases: which is better, how sure, and which at which cost.

    >>> cmp = compare([1, 0, 1, 0], {"a": [.9, .1, .8, .2], "b": [.1, .9, .2, .8]})
    >>> cmp.recommended
    'a'
    """
    if not isinstance(scores, Mapping) or len(scores) < 2:
        raise RocscopeError(
            "two or more named score columns are needed", hint='compare(y, {"a": scores_a, "b": scores_b})'
        )
    settings = Settings(level, interval, bootstrap, seed, costs, threshold, choose, unit, cross_fit)
    mask, labels = tally.binary(y, positive)
    columns = {str(name): tally.numeric(column, name=str(name)) for name, column in scores.items()}
    for name, column in columns.items():
        if len(column) != len(mask):
            raise RocscopeError(
                f"{name} has {len(column)} scores, but there are {len(mask)} labels",
                hint="A paired comparison needs every model on the same cases",
            )
    notes = tuple(tally.near_duplicates(labels))

    def evaluation(name: str, column: Any) -> Evaluation:
        table = ScoreTable.from_scores(mask, column, weights=weights, higher_is_positive=higher_is_positive)
        cases = None
        if clusters is not None or cross_fit:
            cases = _cases(mask, column, clusters, weights, higher_is_positive)
        return Evaluation(table.named(labels), settings, name, notes=notes, cases=cases, progress=progress)

    made = {name: evaluation(name, column) for name, column in columns.items()}
    return Comparison(MappingProxyType(made), mask, MappingProxyType(columns), settings, weights, clusters)
