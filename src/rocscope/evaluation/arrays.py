"""evaluate() on arrays: labels, scores, weights, clusters and slices matched by position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope import tally
from rocscope.decisions import CaseCosts
from rocscope.errors import RocscopeError
from rocscope.evaluation.binary import Evaluation
from rocscope.evaluation.clusters import ScoredCases
from rocscope.evaluation.settings import Request, Settings
from rocscope.evaluation.slices.partition import Partition, Slicing, partitions
from rocscope.table import ScoreTable

Array = NDArray[Any]


def scored(score: Any, request: Request, settings: Settings, *, choose_on: Any = None, name: str = "") -> Evaluation:
    """Evaluate one score for each case."""
    table = table_of(score, request)
    other = choose_on
    if other is not None and not isinstance(other, ScoreTable):
        other = table_of(other[1], Request(other[0], request.positive, higher_is_positive=request.higher_is_positive))
    apart = request.clusters is not None or settings.cross_fit or request.by
    mask = tally.binary(request.label, request.positive)[0] if apart else None
    evaluation = evaluation_of(mask, score, table, parts_of(request, mask), request, settings, name)
    return replace(evaluation, choose_on=other, priced=_priced(score, request, evaluation.cases, other))


def of_each_label(score: Any) -> Any:
    """Convert a list of two-column probabilities, one array per label as from scikit-learn's forests, to one matrix."""
    if not isinstance(score, list) or len(score) < 2:
        return score
    shapes: set[Any] = {getattr(one, "shape", ()) for one in score}
    if len(shapes) != 1 or len(shape := shapes.pop()) != 2 or shape[1] != 2:
        return score
    return np.column_stack([one[:, 1] for one in score])


def table_of(score: Any, request: Request) -> ScoreTable:
    """Build the score table of a score column; errors about labels name their column."""
    try:
        return ScoreTable.from_scores(
            request.label, score, positive=request.positive, weights=request.weights,
            weights_are=request.weights_are, higher_is_positive=request.higher_is_positive,
        )  # fmt: skip
    except RocscopeError:
        tally.binary(request.label, request.positive, request.label_name)
        raise


def _priced(score: Any, request: Request, cases: ScoredCases | None, other: Any) -> CaseCosts | None:
    """The cases with the costs of their errors; None if costs do not vary between cases."""
    if request.case_costs is None:
        return None
    if other is not None:
        raise RocscopeError(
            "cost_column= and choosing on other cases cannot be combined",
            hint="Choose the threshold there, then give threshold=",
        )
    mask = tally.binary(request.label, request.positive)[0]
    clusters = cases.groups if cases is not None and cases.clusters is not None else None
    return CaseCosts.of(
        mask, score, **request.case_costs, higher_is_positive=request.higher_is_positive, clusters=clusters
    )


def evaluation_of(
    mask: Any, score: Any, table: ScoreTable, parts: Sequence[Partition], request: Request, settings: Settings,
    name: str,
) -> Evaluation:  # fmt: skip
    """Evaluate a table with its slices, and with the individual cases if the table alone is not sufficient."""
    cases: ScoredCases | None = None
    slicings: tuple[Slicing, ...] = ()
    if request.clusters is not None or settings.cross_fit:
        cases = _cases(mask, score, request)
    if parts:
        scores, heavy = tally.numeric(score), weights_of(request, len(mask))
        slicings = tuple(part.tables(mask, scores, heavy, like=table) for part in parts)
    notes = tuple(tally.near_duplicates(table.labels))
    return Evaluation(
        table, settings, name=name, notes=notes, cases=cases, progress=request.progress, slicings=slicings
    )


def parts_of(request: Request, labels: Any) -> tuple[Partition, ...]:
    """The rows of each slice."""
    if not request.by:
        return ()
    if not isinstance(request.by, Mapping):
        hint = 'by={"region": regions}, with one value for each case'
        raise RocscopeError("by must name columns of a frame or contain columns", hint=hint)
    return partitions(request.by, rows=len(labels), crossed=request.crossed)


def weights_of(request: Request, rows: int) -> Array | None:
    """The weight of each case, if weights were given."""
    return None if request.weights is None else np.asarray(tally.weights_of(request.weights, rows))


def _cases(mask: Any, score: Any, request: Request) -> ScoredCases:
    """The individual cases, for information that a table does not retain."""
    scores, clusters, codes = tally.numeric(score, "score"), request.clusters, None
    if clusters is not None:
        codes = tally.factorize(clusters, name="cluster", limit=max(2, len(mask)))[0].astype(np.int64)
        if len(codes) != len(mask):
            raise RocscopeError(
                f"there are {len(mask)} labels, but {len(codes)} clusters", hint="Give one cluster for each label"
            )
    heavy = weights_of(request, len(mask))
    heavy = None if heavy is None else heavy.astype(np.float64)
    return ScoredCases(mask, scores, request.higher_is_positive, heavy, codes)


def columns(score: Any) -> int:
    """The number of scores per case."""
    shape = getattr(score, "shape", None)
    if shape is None and hasattr(score, "__array__") and not isinstance(score, list | tuple):
        shape = np.shape(score)
    if shape is None and isinstance(score, list | tuple) and score and isinstance(score[0], list | tuple | np.ndarray):
        first = score[0]  # an element that is a 0-dimensional array is a single value
        shape = (len(score), *(first.shape[:1] if isinstance(first, np.ndarray) else (len(first),)))
    return shape[1] if shape is not None and len(shape) == 2 else 1
