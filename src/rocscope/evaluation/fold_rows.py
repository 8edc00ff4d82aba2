"""evaluate() and compare() on predictions of a cross-validation, where a column names the fold of each row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from rocscope import sources
from rocscope.errors import RocscopeError
from rocscope.evaluation.from_source import class_order, column_description, is_several, matching, named
from rocscope.evaluation.result import Result
from rocscope.evaluation.settings import Request, Settings
from rocscope.sources import indicator_matrix
from rocscope.sources import score_columns as stacked


def folded(
    y: Any, models: Mapping[str, Any], request: Request, settings: Settings, *, fold: Any, id: Any = None,
    labels: Sequence[Any] | None = None, predicted: bool = False, source: Mapping[str, Any] | None = None,
    notes: Sequence[str] = (),
) -> Any:  # fmt: skip
    """The validation of predictions in memory; arguments that do not apply to folds are an error."""
    _refuse_unused(request, settings)
    return Result._of_folds(
        y, models, fold, id=id, predicted=predicted, positive=request.positive, labels=labels, weights=request.weights,
        groups=request.clusters, threshold=settings.threshold, costs=settings.costs, choose=settings.choose,
        test=settings.test, measure=settings.measure, margin=settings.margin, level=settings.level, seed=settings.seed,
        source=source, notes=notes,
    )  # fmt: skip


def _refuse_unused(request: Request, settings: Settings) -> None:
    unused = {
        "by=": bool(request.by), "cross_fit=": bool(settings.cross_fit), "bootstrap=": bool(settings.bootstrap),
        "higher_is_positive=False": not request.higher_is_positive,
        "weights_are='frequency'": request.weights_are == "frequency",
        "a cost matrix": settings.cost_matrix is not None,
    }  # fmt: skip
    for what, given in unused.items():
        if given:
            raise RocscopeError(f"{what} cannot be combined with fold=", hint="Give only one of the two")


def folded_source(
    given: Any, models: Mapping[str, Any], request: Request, settings: Settings, *, fold: Any, id: Any = None,
    labels: Sequence[Any] | None = None, predicted: bool = False,
) -> Any:  # fmt: skip
    """The validation of predictions in columns of a file or frame."""
    _refuse_unused(request, settings)
    for what, name in (("fold", fold), ("id", id)):
        if not isinstance(name, str | None):
            raise RocscopeError(f"label names a column, but {what} is an array", hint=f'Give {what}="column"')
    opened = sources.open(given)
    with named(opened):
        columns = {name: matching(opened, model) for name, model in models.items()}
        several = is_several(opened, request.label)
        own = matching(opened, request.label) if several else [request.label]
        what = "predicted label" if predicted else "score"
        needed = {column: "label" if not several else f"label {column}" for column in own}
        needed |= {column: f"{what} of {column}" for group in columns.values() for column in group}
        more = ((request.weights, "weight"), (request.clusters, "cluster"), (fold, "fold"), (id, "id"))
        needed |= {name: use for name, use in more if name is not None}
        complete_rows = sources.complete(opened, needed, missing=request.missing)
        rows = complete_rows.values()
        truth = indicator_matrix(rows, own) if several else rows[request.label]
        predictions: dict[str, Any] = {}
        known = list(labels) if labels is not None else None
        for name, group in columns.items():
            if several:
                predictions[name] = (indicator_matrix if predicted else stacked)(rows, group)
            elif len(group) == 1:
                predictions[name] = rows[group[0]]
            else:
                known = known or class_order(group, truth)
                predictions[name] = stacked(rows, group)
        request = request.holding(MappingProxyType({**rows, request.label: truth} if not several else rows))
        notes = [f"{count:,} rows were left out: {why}." for why, count in complete_rows.left_out.items()]
        scores = list(dict.fromkeys(column for group in columns.values() for column in group))
        description = {**column_description(opened, request_names(request, own), scores=scores), "fold": fold}
        return folded(
            truth, predictions, request, settings, fold=rows[fold], id=None if id is None else rows[id], labels=known,
            predicted=predicted, source=description, notes=notes,
        )  # fmt: skip


def request_names(request: Request, own: Sequence[str]) -> Request:
    """The request as its description needs it, with only the names of the label columns."""
    return Request(", ".join(own), request.positive, by=())
