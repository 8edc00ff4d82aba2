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
    costs: Costs | None = None,
    level: float = 0.95,
    interval: str = "newcombe",
    bootstrap: int = 0,
    seed: int = 0,
    unit: str = "case",
    name: str = "",
) -> Evaluation | ClassEvaluation:
    """How good, how sure, at which threshold: everything about one classifier on labelled cases.

    One score per case gives an `Evaluation`; a score column per class, or hard labels in `predicted`, a
    `ClassEvaluation`. Without a threshold, a rule or costs nobody chose a threshold, and the answer says so. A
    threshold chosen on the cases it is judged on is optimistic; `choose_on=(labels, scores)` chooses it on others.

    >>> ev = evaluate([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3], costs=Costs(fp=1, fn=5))
    >>> ev.point.threshold, ev.estimates["recall"].value
    (0.6, 1.0)
    """
    settings = Settings(level, interval, bootstrap, seed, costs, threshold, choose, unit)
    if (score is None) == (predicted is None):
        raise RocscopeError(
            "scores or predicted labels are needed", hint="evaluate(y, scores) or evaluate(y, predicted=labels)"
        )
    if predicted is not None:
        matrix = Confusion.from_labels(y, predicted, labels=labels, weights=weights, weights_are=weights_are)
        return ClassEvaluation(matrix, settings, name=name, notes=tuple(tally.near_duplicates(matrix.labels)))
    if _columns(score) > 1:
        return _classes(y, score, labels, weights, settings, name)
    kind = {"positive": positive, "higher_is_positive": higher_is_positive}
    table = ScoreTable.from_scores(y, score, weights=weights, weights_are=weights_are, **kind)
    other = choose_on
    if other is not None and not isinstance(other, ScoreTable):
        other = ScoreTable.from_scores(*other, **kind)
    return Evaluation(table, settings, name, choose_on=other, notes=tuple(tally.near_duplicates(table.labels)))


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
    higher_is_positive: bool = True,
    threshold: float | None = None,
    choose: str | None = None,
    costs: Costs | None = None,
    level: float = 0.95,
    interval: str = "newcombe",
    bootstrap: int = 0,
    seed: int = 0,
    unit: str = "case",
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
    settings = Settings(level, interval, bootstrap, seed, costs, threshold, choose, unit)
    mask, labels = tally.binary(y, positive)
    columns = {str(name): tally.numeric(column, name=str(name)) for name, column in scores.items()}
    for name, column in columns.items():
        if len(column) != len(mask):
            raise RocscopeError(
                f"{name} has {len(column)} scores, but there are {len(mask)} labels",
                hint="A paired comparison needs every model on the same cases",
            )
    made = {
        name: Evaluation(
            ScoreTable.from_scores(mask, column, higher_is_positive=higher_is_positive).named(labels), settings, name
        )
        for name, column in columns.items()
    }
    return Comparison(MappingProxyType(made), mask, MappingProxyType(columns), settings)
