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
from rocscope.evaluation.clusters import ScoredCases
from rocscope.evaluation.comparison import Comparison
from rocscope.evaluation.settings import Request, Settings
from rocscope.evaluation.slices.partition import Partition, Slicing, partitions
from rocscope.multiclass import ClassScores
from rocscope.table import Confusion, ScoreTable

Array = NDArray[Any]


def scored(score: Any, request: Request, settings: Settings, *, choose_on: Any = None, name: str = "") -> Evaluation:
    """One score for each case."""
    table = table_of(score, request)
    other = choose_on
    if other is not None and not isinstance(other, ScoreTable):
        other = table_of(other[1], Request(other[0], request.positive, higher_is_positive=request.higher_is_positive))
    apart = request.clusters is not None or settings.cross_fit or request.by
    mask = tally.binary(request.label, request.positive)[0] if apart else None
    found = _evaluation(mask, score, table, _parts(request, mask), request, settings, name)
    return replace(found, choose_on=other)


def table_of(score: Any, request: Request) -> ScoreTable:
    """The score table of a column of scores."""
    return ScoreTable.from_scores(
        request.label, score, positive=request.positive, weights=request.weights, weights_are=request.weights_are,
        higher_is_positive=request.higher_is_positive,
    )  # fmt: skip


def _evaluation(
    mask: Any, score: Any, table: ScoreTable, parts: Sequence[Partition], request: Request, settings: Settings,
    name: str,
) -> Evaluation:  # fmt: skip
    """The evaluation of a table, with its slices, and the cases themselves where the table alone is not enough."""
    cases: ScoredCases | None = None
    slicings: tuple[Slicing, ...] = ()
    if request.clusters is not None or settings.cross_fit:
        cases = _cases(mask, score, request)
    if parts:
        scores, heavy = tally.numeric(score), _weights(request, len(mask))
        slicings = tuple(one.tables(mask, scores, heavy, like=table) for one in parts)
    notes = tuple(tally.near_duplicates(table.labels))
    return Evaluation(
        table, settings, name=name, notes=notes, cases=cases, progress=request.progress, slicings=slicings
    )


def _parts(request: Request, labels: Any) -> tuple[Partition, ...]:
    """The rows of each slice."""
    if not request.by:
        return ()
    if not isinstance(request.by, Mapping):
        hint = 'by={"region": regions}, with one value for each case'
        raise RocscopeError("by names columns of a frame, or holds columns", hint=hint)
    return partitions(request.by, rows=len(labels), crossed=request.crossed)


def _weights(request: Request, rows: int) -> Array | None:
    return None if request.weights is None else np.asarray(tally.weights_of(request.weights, rows))


def _cases(mask: Any, score: Any, request: Request) -> ScoredCases:
    """The cases themselves, for what a table forgets."""
    scores, clusters, codes = tally.numeric(score, "score"), request.clusters, None
    if clusters is not None:
        codes = tally.factorize(clusters, name="cluster", limit=max(2, len(mask)))[0].astype(np.int64)
        if len(codes) != len(mask):
            raise RocscopeError(f"{len(mask)} labels, but {len(codes)} clusters", hint="One cluster for each label")
    heavy = _weights(request, len(mask))
    heavy = None if heavy is None else heavy.astype(np.float64)
    return ScoredCases(mask, scores, request.higher_is_positive, heavy, codes)


# ---- several classes ----


def decided(
    predicted: Any, request: Request, settings: Settings, *, labels: Sequence[Any] | None = None, name: str = ""
) -> ClassEvaluation:
    """Hard labels: a confusion matrix."""
    y, weights = request.label, request.weights
    matrix = Confusion.from_labels(y, predicted, labels=labels, weights=weights, weights_are=request.weights_are)
    slicings: tuple[Slicing, ...] = ()
    if request.by:
        actual, guessed, _ = tally.factorize_two(y, predicted, matrix.labels)
        heavy = _weights(request, len(actual))
        slicings = tuple(one.matrices(actual, guessed, heavy, like=matrix) for one in _parts(request, actual))
    notes = tuple(tally.near_duplicates(matrix.labels))
    return ClassEvaluation(matrix, settings, name=name, notes=notes, slicings=slicings, positive=request.positive)


def classes(
    score: Any, request: Request, settings: Settings, *, labels: Sequence[Any] | None = None, name: str = ""
) -> ClassEvaluation:
    """A score for each class of each case."""
    scores = ClassScores.of(request.label, score, labels=labels, weights=request.weights)
    held = replace(request, label=[scores.labels[code] for code in scores.codes.tolist()])
    found = decided(scores.predicted().tolist(), held, settings, labels=scores.labels, name=name)
    return replace(found, scores=scores)


def columns(score: Any) -> int:
    """How many scores each case has."""
    shape = getattr(score, "shape", None)
    if shape is None and isinstance(score, list | tuple) and score and isinstance(score[0], list | tuple | np.ndarray):
        shape = (len(score), len(score[0]))
    return shape[1] if shape is not None and len(shape) == 2 else 1


# ---- several models ----


def compared(scores: Mapping[str, Any], request: Request, settings: Settings) -> Comparison:
    """Several score columns of the same cases."""
    mask, labels = tally.binary(request.label, request.positive)
    found = {str(name): tally.numeric(column, name=str(name)) for name, column in scores.items()}
    for name, column in found.items():
        if len(column) != len(mask):
            raise RocscopeError(
                f"{name} has {len(column)} scores, but there are {len(mask)} labels",
                hint="A paired comparison needs every model on the same cases",
            )
    request, parts = replace(request, label=mask, positive=None), _parts(request, mask)
    tables = {name: table_of(column, request).named(labels) for name, column in found.items()}
    made = {
        name: _evaluation(mask, column, tables[name], parts, request, settings, name)
        for name, column in found.items()
    }
    weights, clusters = request.weights, request.clusters
    return Comparison(MappingProxyType(made), mask, MappingProxyType(found), settings, weights, clusters)
