"""evaluate() and compare() on arrays: labels, scores, weights, clusters and slices matched by position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope import tally
from rocscope.errors import RocscopeError
from rocscope.evaluation.binary import Evaluation
from rocscope.evaluation.classes import ClassEvaluation
from rocscope.evaluation.clusters import Cases, Progress
from rocscope.evaluation.comparison import Comparison
from rocscope.evaluation.settings import Settings
from rocscope.evaluation.slices.partition import Partition, Slicing, partitions
from rocscope.multiclass import ClassScores
from rocscope.table import Confusion, ScoreTable

Array = NDArray[Any]
By = Mapping[str, Any] | None


def scored(
    y: Any,
    score: Any,
    settings: Settings,
    *,
    positive: Any,
    higher_is_positive: bool,
    weights: Any,
    weights_are: str,
    choose_on: Any,
    clusters: Any,
    by: By,
    crossed: bool,
    name: str,
    progress: Progress | None,
) -> Evaluation:
    """One score for each case."""
    kind = {"positive": positive, "higher_is_positive": higher_is_positive}
    table = ScoreTable.from_scores(y, score, weights=weights, weights_are=weights_are, **kind)
    other = choose_on
    if other is not None and not isinstance(other, ScoreTable):
        other = ScoreTable.from_scores(*other, **kind)
    cases, notes = None, tuple(tally.near_duplicates(table.labels))
    slicings: tuple[Slicing, ...] = ()
    if clusters is not None or settings.cross_fit:
        cases = cases_of(tally.binary(y, positive)[0], score, clusters, weights, higher_is_positive)
    if by:
        mask = tally.binary(y, positive)[0]
        parts = partitions(_checked(by), rows=len(mask), crossed=crossed)
        slicings = sliced(parts, mask, tally.numeric(score), table, weights)
    return Evaluation(
        table, settings, name, choose_on=other, notes=notes, cases=cases, progress=progress, slicings=slicings
    )


def _checked(by: Any) -> Mapping[str, Any]:
    if isinstance(by, Mapping):
        return by
    raise RocscopeError(
        "by names columns of a frame, or holds columns", hint='by={"region": regions}, with one value for each case'
    )


def sliced(
    parts: Sequence[Partition], mask: Array, scores: Array, table: ScoreTable, weights: Any
) -> tuple[Slicing, ...]:
    """The tables of the slices, alike in kind to the table of all."""
    heavy = None if weights is None else np.asarray(tally.weights_of(weights, len(mask)))
    higher, labels = table.higher_is_positive, table.labels
    return tuple(one.tables(mask, scores, heavy, sampled=table.weighted, higher=higher, labels=labels) for one in parts)


def cases_of(mask: Any, score: Any, clusters: Any, weights: Any, higher_is_positive: bool) -> Cases:
    """The cases themselves, for what a table forgets."""
    scores = tally.numeric(score, "score")
    codes = None if clusters is None else tally.factorize(clusters, name="cluster", limit=max(2, len(mask)))[0]
    if codes is not None and len(codes) != len(mask):
        raise RocscopeError(f"{len(mask)} labels, but {len(codes)} clusters", hint="One cluster for each label")
    heavy = None if weights is None else np.asarray(tally.weights_of(weights, len(mask)), dtype=np.float64)
    return Cases(mask, scores, higher_is_positive, heavy, None if codes is None else codes.astype(np.int64))


# ---- several classes ----


def decided(
    y: Any,
    predicted: Any,
    settings: Settings,
    *,
    labels: Sequence[Any] | None,
    positive: Any,
    weights: Any,
    weights_are: str,
    by: By,
    crossed: bool,
    name: str,
) -> ClassEvaluation:
    """Hard labels: a confusion matrix."""
    matrix = Confusion.from_labels(y, predicted, labels=labels, weights=weights, weights_are=weights_are)
    slicings: tuple[Slicing, ...] = ()
    if by:
        actual, guessed, known = tally.factorize_two(y, predicted, matrix.labels)
        heavy = None if weights is None else np.asarray(tally.weights_of(weights, len(actual)))
        parts = partitions(_checked(by), rows=len(actual), crossed=crossed)
        sampled = matrix.squares is not None
        slicings = tuple(one.matrices(actual, guessed, heavy, sampled=sampled, labels=known) for one in parts)
    notes = tuple(tally.near_duplicates(matrix.labels))
    return ClassEvaluation(matrix, settings, name=name, notes=notes, slicings=slicings, positive=positive)


def classes(
    y: Any,
    score: Any,
    settings: Settings,
    *,
    labels: Any,
    positive: Any,
    weights: Any,
    by: By,
    crossed: bool,
    name: str,
) -> ClassEvaluation:
    """A score for each class of each case."""
    scores = ClassScores.of(y, score, labels=labels, weights=weights)
    actual = [scores.labels[code] for code in scores.codes.tolist()]
    found = decided(
        actual, scores.predicted().tolist(), settings, labels=scores.labels, positive=positive, weights=weights,
        weights_are="sampling", by=by, crossed=crossed, name=name,
    )  # fmt: skip
    return replace(found, scores=scores)


def columns(score: Any) -> int:
    """How many scores each case has."""
    shape = getattr(score, "shape", None)
    if shape is None and isinstance(score, list | tuple) and score and isinstance(score[0], list | tuple | np.ndarray):
        shape = (len(score), len(score[0]))
    return shape[1] if shape is not None and len(shape) == 2 else 1


# ---- several models ----


def compared(
    y: Any,
    scores: Mapping[str, Any],
    settings: Settings,
    *,
    positive: Any,
    higher_is_positive: bool,
    weights: Any,
    clusters: Any,
    by: By,
    crossed: bool,
    progress: Progress | None,
) -> Comparison:
    """Several score columns of the same cases."""
    mask, labels = tally.binary(y, positive)
    found = {str(name): tally.numeric(column, name=str(name)) for name, column in scores.items()}
    for name, column in found.items():
        if len(column) != len(mask):
            raise RocscopeError(
                f"{name} has {len(column)} scores, but there are {len(mask)} labels",
                hint="A paired comparison needs every model on the same cases",
            )
    notes = tuple(tally.near_duplicates(labels))
    parts = partitions(_checked(by), rows=len(mask), crossed=crossed) if by else ()

    def evaluation(name: str, column: Any) -> Evaluation:
        table = ScoreTable.from_scores(mask, column, weights=weights, higher_is_positive=higher_is_positive)
        table, cases = table.named(labels), None
        if clusters is not None or settings.cross_fit:
            cases = cases_of(mask, column, clusters, weights, higher_is_positive)
        cut = sliced(parts, mask, column, table, weights)
        return Evaluation(table, settings, name, notes=notes, cases=cases, progress=progress, slicings=cut)

    made = {name: evaluation(name, column) for name, column in found.items()}
    return Comparison(MappingProxyType(made), mask, MappingProxyType(found), settings, weights, clusters)
