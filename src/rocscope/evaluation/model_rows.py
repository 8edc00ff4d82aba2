"""Rows of several models compared: frequencies as rows, a direction for each model, thresholds from other cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from rocscope import tally
from rocscope.errors import RocscopeError
from rocscope.evaluation.arrays import evaluation_of, parts_of, table_of
from rocscope.evaluation.comparison import Comparison
from rocscope.evaluation.settings import Request, Settings

# maximum number of cases in a comparison with frequency weights, which are expanded to one row per case
MOST_ROWS = 50_000_000


def repeated_rows(models: Mapping[str, Any], request: Request) -> tuple[dict[str, Any], Request]:
    """Repeat rows according to their frequencies, because paired tests count cases."""
    if request.weights_are != "frequency":
        return dict(models), request
    counts = np.asarray(tally.weights_of(request.weights, len(request.label)), dtype=np.float64)
    if (counts != np.rint(counts)).any():
        raise RocscopeError("frequencies must be integers", hint='Use weights_are="sampling" for fractional weights')
    if counts.sum() > MOST_ROWS:
        raise RocscopeError(
            f"{counts.sum():,.0f} cases are too many to compare",
            hint="Draw a sample, or evaluate each model separately",
        )
    times = counts.astype(np.int64)

    def each(column: Any) -> Any:
        if isinstance(column, tally.Dictionary):
            return tally.Dictionary(np.repeat(column.codes, times), column.labels)
        return None if column is None else np.repeat(np.asarray(column), times, axis=0)

    by = {name: each(column) for name, column in request.by.items()} if isinstance(request.by, Mapping) else request.by
    alone = replace(
        request, label=each(request.label), weights=None, weights_are="sampling", clusters=each(request.clusters), by=by
    )
    return {name: each(column) for name, column in models.items()}, alone


def directions(request: Request, names: Sequence[str]) -> dict[str, bool]:
    """Whether high scores mean positive, for each model."""
    given: Any = request.higher_is_positive
    if not isinstance(given, Mapping):
        return dict.fromkeys(names, bool(given))
    strange = next((name for name in given if name not in names), None)
    if strange is not None:
        raise RocscopeError(
            f"higher_is_positive= names {strange}, which is not a model", hint=f"There are {', '.join(names)}"
        )
    ways = {name: bool(given.get(name, True)) for name in names}
    if request.weights is not None and len(set(ways.values())) > 1:
        raise RocscopeError(
            "weights are not available for models with different directions", hint="Negate the scores of one of them"
        )
    return ways


def compared_scores(scores: Mapping[str, Any], request: Request, settings: Settings) -> Comparison:
    """Compare several score columns of the same cases."""
    scores, request = repeated_rows(scores, request)
    ways = directions(request, [str(name) for name in scores])
    mask, labels = tally.binary(request.label, request.positive, request.label_name)
    numeric = {str(name): tally.numeric(column, name=str(name)) for name, column in scores.items()}
    for name, column in numeric.items():
        if len(column) != len(mask):
            raise RocscopeError(
                f"{name} has {len(column)} scores, but there are {len(mask)} labels",
                hint="A paired comparison needs predictions of every model for the same cases",
            )
    request, parts = replace(request, label=mask, positive=None), parts_of(request, mask)
    own = {name: replace(request, higher_is_positive=ways[name]) for name in numeric}
    tables = {name: table_of(column, own[name]).named(labels) for name, column in numeric.items()}
    evaluations = {
        name: evaluation_of(mask, column, tables[name], parts, own[name], settings, name)
        for name, column in numeric.items()
    }
    weights, clusters = request.weights, request.clusters
    return Comparison(MappingProxyType(evaluations), mask, MappingProxyType(numeric), settings, weights, clusters)


def chosen_elsewhere(comparison: Any, choose_on: Any, request: Request) -> Any:
    """The comparison with thresholds chosen on other cases, given by labels and scores of every model."""
    if choose_on is None:
        return comparison
    if not isinstance(comparison, Comparison):
        raise RocscopeError("choosing a threshold on other cases needs one score per case", hint="Leave choose_on= out")
    if not (isinstance(choose_on, tuple) and len(choose_on) == 2 and isinstance(choose_on[1], Mapping)):
        raise RocscopeError("choose_on= needs the labels and scores of other cases", hint='(y, {"a": scores, ...})')
    labels, columns = choose_on[0], {str(name): column for name, column in choose_on[1].items()}
    lacking = next((name for name in comparison.names if name not in columns), None)
    if lacking is not None:
        raise RocscopeError(f"choose_on= has no scores for {lacking}", hint="Give scores for every model")
    ways = directions(request, comparison.names)
    tables = {
        name: table_of(columns[name], Request(labels, request.positive, higher_is_positive=ways[name]))
        for name in comparison.names
    }
    evaluations = {
        name: replace(evaluation, choose_on=tables[name]) for name, evaluation in comparison.evaluations.items()
    }
    return replace(comparison, evaluations=MappingProxyType(evaluations))
