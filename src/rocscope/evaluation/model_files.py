"""compare() on several files of the same cases: models matched by case id, or row by row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from rocscope import sources
from rocscope.errors import RocscopeError, naming
from rocscope.evaluation.class_comparison import ClassComparison
from rocscope.evaluation.comparison import Comparison
from rocscope.evaluation.from_source import (
    column_description,
    compared,
    compared_rows,
    described,
    exceeds,
    is_several,
    matching,
    named_alike,
    stacked_models,
)
from rocscope.evaluation.settings import Request, Settings
from rocscope.record import record
from rocscope.sources import (
    CompleteRows,
    ModelColumns,
    Source,
    aligned,
    class_columns,
    indicator_matrix,
    inner_name,
    joined_source,
    left_out_by_file,
    refuse_other_labels,
)


@record(slots=True)
class ModelFile:
    """One of several files of the same cases: its label, the column of each model, and its column of ids.

    `holds` states what the columns of the models contain: a "score", or a "predicted label".
    """

    source: Source
    label: str
    models: Mapping[str, str]
    id: str | None = None
    holds: str = "score"

    def needed(self, first: bool, request: Request) -> dict[str, str]:
        """The purpose of each column; labels, weights, clusters and slices are those of the first file."""
        uses = {self.label: "label"} if first or self.label in self.source.columns else {}
        if first:
            uses = replace(request, label=self.label).needed({})
        return uses | {column: f"{self.holds} of {name}" for name, column in self.models.items()}


def matched(
    given: Sequence[Any], score: Any, request: Request, settings: Settings, *, id: str,
    labels: Sequence[Any] | None = None, predicted: bool = False, threshold: Any = None,
) -> Comparison | ClassComparison:  # fmt: skip
    """Compare one model per file; `score` is one column, one for each file, or a mapping of names to columns.

    A column may be a pattern: each file then has a score for each class.
    """
    opened = _opened(given)
    columns = [score] if isinstance(score, str) else list(score.values() if isinstance(score, Mapping) else score or ())
    several = len(columns) > 2 and len(columns) != len(opened) and not predicted
    if several and _named_after_classes(opened, columns, request):
        columns = [columns]  # one score per class in every file
    if len(columns) not in (1, len(opened)):
        raise RocscopeError(
            f"{len(opened)} files were given, but {len(columns)} score columns",
            hint="Name one score column, or one for each file in the order of the files",
        )
    columns = columns * len(opened) if len(columns) == 1 else columns
    names = list(score) if isinstance(score, Mapping) and len(score) == len(opened) else _model_names(opened, columns)
    if is_several(opened[0], request.label):
        return _matched_labels(opened, names, columns, request, settings, id, labels, predicted, threshold)
    if predicted or any(not isinstance(column, str) or "*" in column for column in columns):
        groups = [{name: matching(source, own)} for source, name, own in zip(opened, names, columns, strict=True)]
        files = [ModelFile(source, request.label, {}, id) for source in opened]
        return compared_class_files(files, groups, request, settings, labels=labels, predicted=predicted)
    if threshold is not None:
        settings = replace(settings, threshold=threshold)
    return compared_files(_parts(opened, names, columns, request, id), request, settings)


def _named_after_classes(opened: Sequence[Source], columns: Sequence[str], request: Request) -> bool:
    opened[0].having(request.label)
    return bool(class_columns(list(columns), set(opened[0].sample().labels(request.label))))


def compared_class_files(
    parts: Sequence[ModelFile], groups: Sequence[Mapping[str, Sequence[str]]], request: Request, settings: Settings, *,
    labels: Sequence[Any] | None = None, predicted: bool = False,
) -> ClassComparison | Comparison:  # fmt: skip
    """Predicted labels, or a score for each class, from each file: cases matched by their id, or row by row.

    `groups` are the models of each file, and the columns of each model.
    """
    holds, files = "predicted label" if predicted else "score", []
    for part, own in zip(parts, groups, strict=True):
        columns = {f"{name}.{column}": column for name, several in own.items() for column in several}
        files.append(replace(part, models=columns, holds=holds))
    models = {name: [f"{name}.{column}" for column in several] for own in groups for name, several in own.items()}
    left_out: Mapping[str, int] = {}
    if any(part.id is None for part in files):
        rows, left_out = _row_by_row(files, request)
    elif _too_many(files, request, settings):
        joined = joined_source(_model_columns(files, request), memory=_memory(request))
        comparison = compared(joined, models, request, settings, labels=labels, predicted=predicted)
        return described(comparison, _description(files, request))
    else:
        matched_rows = aligned(_model_columns(files, request), missing=_policy(request))
        rows, left_out = matched_rows.values(), matched_rows.left_out
    with naming(files[0].source.name):
        comparison = stacked_models(rows, models, request.holding(rows), settings, None, labels, predicted, None)
    return described(comparison, _description(files, request), left_out=left_out)


def _matched_labels(
    opened: Sequence[Source], names: Sequence[str], columns: Sequence[Any], request: Request, settings: Settings,
    id: str, labels: Sequence[Any] | None, predicted: bool, threshold: Any,
) -> ClassComparison | Comparison:  # fmt: skip
    """Compare several labels per case from each file, matched by case id; all files have the same labels."""
    if request.by or request.clusters is not None:
        raise RocscopeError("slices and clusters are not available with several labels for each case")
    holds, parts, models = "predicted label" if predicted else "score", [], {}
    truth = [matching(one, request.label) for one in opened]
    for index, (source, name, own) in enumerate(zip(opened, names, columns, strict=True)):
        _, guess = named_alike(truth[index], matching(source, own))
        needed = {column: f"label {column}" for column in truth[index]}
        needed |= {column: f"{holds} {column}" for column in guess}
        called = {column: f"{column} {index}" if index else column for column in truth[index]}
        called |= {column: f"{name}.{column}" for column in guess}
        if not index and request.weights is not None:
            needed[request.weights], called[request.weights] = "weight", request.weights
        parts.append(ModelColumns(source, id, needed, called))
        models[name] = [f"{name}.{column}" for column in guess]
    own = [dict.fromkeys(models[name], str(column)) for name, column in zip(names, columns, strict=True)]
    files = [ModelFile(source, request.label, mine, id) for source, mine in zip(opened, own, strict=True)]
    if _too_many(files, request, settings):
        joined = joined_source(parts, memory=_memory(request))
        named = replace(request, label=truth[0])
        comparison = compared(joined, models, named, settings, labels=labels, predicted=predicted, threshold=threshold)
        return described(comparison, _description(files, request))
    matched_rows = aligned(parts, missing=_policy(request))
    rows = matched_rows.values()
    flags = [
        indicator_matrix(rows, [part.called[column] for column in own]) for part, own in zip(parts, truth, strict=True)
    ]
    for part, other in zip(parts, flags, strict=True):
        if other.shape != flags[0].shape:
            raise RocscopeError(f"{part.source.name} and {opened[0].name} have different numbers of labels")
        for column, differs in zip(part.indicators, (other != flags[0]).sum(axis=0).tolist(), strict=True):
            refuse_other_labels(part, parts[0], differs, column)
    weights = None if request.weights is None else rows[request.weights]
    own_request = replace(request, label=flags[0], weights=weights, by=None)
    comparison = stacked_models(rows, models, own_request, settings, truth[0], labels, predicted, threshold)
    return described(comparison, _description(files, request), left_out=matched_rows.left_out)


def _policy(request: Request) -> str:
    """What happens to a case that lacks a value in one of the files."""
    return "drop" if request.missing == "drop" else "refuse"


def aligned_columns(
    given: Sequence[Any], names: Sequence[str], columns: Sequence[str], request: Request, id: str
) -> Mapping[str, Any]:
    """The labels and scores for `matched`, with the ids, in the order of the first file."""
    opened = _opened(given)
    columns = list(columns) * len(opened) if len(columns) == 1 else columns
    columns_by_name = aligned(_model_columns(_parts(opened, names, columns, request, id), request)).values()
    return {**columns_by_name, **sources.complete(opened[0], {id: "id"}, missing="refuse").values()}


def _opened(given: Sequence[Any]) -> list[Source]:
    opened = [sources.open(path) for path in given]
    if any(source.files is None for source in opened):
        raise RocscopeError(
            "id= matches the cases of several files", hint="Join the frames first, then name the columns"
        )
    return opened


def _parts(
    files: Sequence[Source], names: Sequence[str], columns: Sequence[str], request: Request, id: str
) -> list[ModelFile]:
    return [
        ModelFile(file, request.label, {name: column}, id)
        for file, name, column in zip(files, names, columns, strict=True)
    ]


def compared_files(parts: Sequence[ModelFile], request: Request, settings: Settings) -> Comparison | ClassComparison:
    """The models of several files on the same cases, in the order of the first file.

    With missing="drop", a case that lacks a value in one file is left out of all.
    """
    by_row = any(part.id is None for part in parts)
    models = [name for part in parts for name in part.models]
    if len(set(models)) < len(models):
        raise RocscopeError(f"two models are named '{next(n for n in models if models.count(n) > 1)}'")
    first, source = parts[0], _description(parts, request)
    named = {name: name for name in models}
    if not by_row and _too_many(parts, request, settings):
        joined = joined_source(_model_columns(parts, request), memory=_memory(request))
        return described(compared(joined, named, request, settings), source)
    if by_row:
        rows, left_out = _row_by_row(parts, request)
    else:
        matched_rows = aligned(_model_columns(parts, request), missing=_policy(request))
        rows, left_out = matched_rows.values(), matched_rows.left_out
    with naming(first.source.name):
        return described(compared_rows(rows, named, request, settings), source, left_out=left_out)


def _too_many(parts: Sequence[ModelFile], request: Request, settings: Settings) -> bool:
    """Whether the rows of several files do not fit in memory.

    Clusters, folds and the choice of complete cases need them there all the same.
    """
    budget = request.budget if request.budget is not None else sources.BUDGET
    share = budget if budget < 0 else budget // (len(parts) + 1)  # every model's, and that of comparing them
    return request.clusters is None and not settings.cross_fit and request.missing != "drop" and any(
        exceeds(part.source, replace(request, budget=share), len(part.models)) for part in parts
    )  # fmt: skip


def _memory(request: Request) -> int:
    """What joining files may take."""
    budget = request.budget if request.budget is not None else sources.BUDGET
    return 2 * sources.BUDGET if budget < 0 else budget


def _description(parts: Sequence[ModelFile], request: Request) -> Mapping[str, Any]:
    """Describe the origin of the cases for the results document."""
    columns = list(dict.fromkeys(column for part in parts for column in part.models.values()))
    given = [name for part in parts if part.source.files is not None for name in part.source.files.given]
    files = replace(parts[0].source.files, given=tuple(given))  # type: ignore[type-var]
    described_columns = column_description(replace(parts[0].source, native=files, held=None), request, scores=columns)
    own = {
        name: {"file": part.source.files.shown, "label": part.label, "score": column}
        for part in parts
        if part.source.files is not None and len(part.source.files.given) == 1 and part.holds == "score"
        for name, column in part.models.items()
    }
    return MappingProxyType({**described_columns, "models": own})


def _model_names(files: Sequence[Source], scores: Sequence[str]) -> list[str]:
    """The names of the score columns if they differ, else the names of the files."""
    plain = [score for score in scores if isinstance(score, str) and "*" not in score]
    if len(set(plain)) == len(scores):
        return list(scores)
    names = [file.name if file.files is None else file.files.given[0] for file in files]
    stems = [Path(inner_name(name)).stem for name in names]
    return stems if len(set(stems)) == len(stems) else names


def _model_columns(parts: Sequence[ModelFile], request: Request) -> list[ModelColumns]:
    """The columns used from each file.

    Labels of later files are renamed, to be compared with those of the first.
    """
    columns = []
    for index, part in enumerate(parts):
        needed = part.needed(not index, request)
        names = {column: name for name, column in part.models.items()}
        label = f"{part.label} {index}" if index else request.label
        called = {column: names.get(column, label if column == part.label else column) for column in needed}
        columns.append(ModelColumns(part.source, str(part.id), needed, called))
    return columns


def _row_by_row(parts: Sequence[ModelFile], request: Request) -> tuple[Mapping[str, Any], Mapping[str, int]]:
    """All columns in memory if there are no ids: the files must have the same rows, with the same labels."""
    from rocscope import tally

    read = [
        sources.complete(part.source, part.needed(not place, request), missing=request.missing)
        for place, part in enumerate(parts)
    ]
    left_out = left_out_by_file([part.source for part in parts], read)
    rows_by_name: dict[str, Any] = {}
    truth: list[Any] = []
    for index, (part, rows) in enumerate(zip(parts, _shared(read) if left_out else read, strict=True)):
        columns = rows.values()
        codes, values = tally.factorize(columns[part.label], "label", limit=64)
        labels = [values[code] for code in codes.tolist()]
        if index and len(labels) != len(truth):
            raise RocscopeError(
                f"{parts[0].source.name} has {len(truth)} rows, but {part.source.name} has {len(labels)}",
                hint="Choose an id column in each file to match their cases",
            )
        if index and labels != truth:
            raise RocscopeError(
                f"{part.source.name} and {parts[0].source.name} have different labels for the same cases",
                hint="Choose an id column in each file to match their cases",
            )
        truth = labels
        names = {column: name for name, column in part.models.items()}
        rows_by_name |= {
            names.get(column_name, column_name): column
            for column_name, column in columns.items()
            if column_name in names or not index
        }
    return rows_by_name, MappingProxyType(left_out)


def _shared(read: Sequence[CompleteRows]) -> list[CompleteRows]:
    """The rows that are complete in every file."""
    kept = [np.arange(len(rows)) if rows.kept is None else rows.kept for rows in read]
    shared = reduce(np.intersect1d, kept)
    return [rows.take(np.searchsorted(own, shared)) for rows, own in zip(read, kept, strict=True)]
