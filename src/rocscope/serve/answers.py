"""Results and their pages from selected columns: evaluations or comparisons, within one file or across several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from rocscope.decisions import Costs
from rocscope.errors import RocscopeError
from rocscope.evaluation import (
    ClassComparison,
    ClassEvaluation,
    Comparison,
    Evaluation,
    LabelEvaluation,
    ModelFile,
    Request,
    Settings,
    compare,
    compared_class_files,
    compared_files,
    evaluate,
    evaluated_tables,
)
from rocscope.record import record
from rocscope.serve.pages import text_page
from rocscope.sources import Source, as_number, class_columns, class_models

Answer = Evaluation | ClassEvaluation | LabelEvaluation | Comparison | ClassComparison


@record(slots=True)
class Choice:
    """The user's choices for one file."""

    label: str
    scores: tuple[str, ...]
    positive: str | None = None
    predicted: str | None = None
    by: str | None = None
    id: str | None = None
    lower: bool = False

    @property
    def columns(self) -> dict[str, Any]:
        """The arguments of `evaluate` and `compare` about columns."""
        return {"label": self.label, "positive": self.positive, "by": self.by, "missing": "drop"}


def answer(chosen: Sequence[tuple[Source, Choice]], *, costs: Costs | None = None, unit: str = "case") -> Answer:
    """Evaluate one model, or compare several; models from several files must have the same cases."""
    if not chosen:
        raise RocscopeError("no file was selected")
    if any(not choice.scores and choice.predicted is None for _, choice in chosen):
        raise RocscopeError("no score was selected", hint="Select at least one")
    if len(chosen) > 1:
        return _across(chosen, Settings(costs=costs, unit=unit))
    ((source, choice),) = chosen
    result: Answer
    if "*" in choice.label and choice.label not in source.columns:
        return _several_labels(source, choice, unit)
    if not choice.scores:
        return evaluate(source, predicted=choice.predicted, unit=unit, **choice.columns)
    labels = source.sample().labels(choice.label)
    if hard_columns(source, choice.scores, labels):
        if len(choice.scores) == 1:
            return evaluate(source, predicted=choice.scores[0], unit=unit, **choice.columns)
        result = compare(source, predicted=list(choice.scores), unit=unit, **choice.columns)
        return result
    models = class_models(choice.scores, labels) if len(labels) > 2 and len(choice.scores) > 1 else {}
    if len(models) > 1:
        result = compare(source, models, unit=unit, **choice.columns)
        return result
    if models or (len(choice.scores) > 1 and len(labels) > 2 and class_columns(choice.scores, labels)):
        result = evaluate(source, list(choice.scores), unit=unit, **choice.columns)
        return result
    how: dict[str, Any] = {"unit": unit, "costs": costs, "higher_is_positive": not choice.lower}
    if len(choice.scores) > 1:
        result = compare(source, score=choice.scores, **choice.columns, **how)
        return result
    result = evaluate(source, choice.scores[0], **choice.columns, **how)
    return result


def _several_labels(source: Source, choice: Choice, unit: str) -> Answer:
    """Evaluate several labels per case: the scores are patterns of columns, one for each model."""
    how: dict[str, Any] = {"label": choice.label, "unit": unit, "missing": "drop"}
    result: Answer
    if len(choice.scores) == 1:
        result = evaluate(source, list(choice.scores), **how)
        return result
    result = compare(source, {name.rstrip("*_ .:-") or name: name for name in choice.scores}, **how)
    return result


def hard_columns(source: Source, names: Sequence[str], labels: set[str]) -> bool:
    """Whether columns contain predicted labels: text values that are all labels of the cases."""
    sample = source.sample()
    spellings = [sample.labels(name) for name in names]
    words = any(as_number(label) is None for label in labels if label)
    return words and all(spelled and spelled <= labels for spelled in spellings)


def _across(chosen: Sequence[tuple[Source, Choice]], settings: Settings) -> Answer:
    """Compare the models of several files on the same cases: matched by ids, or row by row if all labels agree."""
    if all("*" in choice.label and choice.label not in source.columns for source, choice in chosen):
        return _labels_across(chosen, settings.unit)
    first = chosen[0][1]
    missing = "drop" if any(choice.id is None for _, choice in chosen) else "error"
    by = (first.by,) if first.by else ()
    request = Request(first.label, first.positive, higher_is_positive=not first.lower, by=by, missing=missing)
    labels = set().union(*(source.sample().labels(choice.label) for source, choice in chosen))
    hard = [not choice.scores or hard_columns(source, choice.scores, labels) for source, choice in chosen]
    several = [class_models(choice.scores, labels) if len(labels) > 2 else {} for _, choice in chosen]
    if all(hard) or all(several):
        groups = _groups(chosen, several if not all(hard) else [])
        files = [ModelFile(source, choice.label, {}, choice.id) for source, choice in chosen]
        return compared_class_files(files, groups, request, replace(settings, costs=None), predicted=all(hard))
    names = [name for _, choice in chosen for name in choice.scores]
    parts = []
    for (source, choice), file in zip(chosen, _file_names(chosen), strict=True):
        models = {f"{file}: {name}" if names.count(name) > 1 else name: name for name in choice.scores}
        parts.append(ModelFile(source, choice.label, models, choice.id))
    return compared_files(parts, request, settings)


def _labels_across(chosen: Sequence[tuple[Source, Choice]], unit: str) -> Answer:
    """Compare several labels per case in several files, one model per file, with cases matched by ids."""
    ids, labels = {choice.id for _, choice in chosen}, {choice.label for _, choice in chosen}
    if len(ids) > 1 or None in ids or len(labels) > 1:
        raise RocscopeError(
            "files with several labels for each case must be matched by an id",
            hint="Select the same label and id columns in every file",
        )
    if any(len(choice.scores) != 1 for _, choice in chosen):
        raise RocscopeError(
            "each of several files must contain one model", hint="Select one group of scores in each file"
        )
    found: Answer = compare(
        [source for source, _ in chosen], score=[choice.scores[0] for _, choice in chosen], label=labels.pop(),
        id=ids.pop(), unit=unit,
    )  # fmt: skip
    return found


def _file_names(chosen: Sequence[tuple[Source, Choice]]) -> list[str]:
    """The names of the files; those of the same name are numbered, so that their models can be distinguished."""
    names = [source.name for source, _ in chosen]
    before = [names[:place].count(name) for place, name in enumerate(names)]
    return [f"{name} ({earlier + 1})" if earlier else name for name, earlier in zip(names, before, strict=True)]


def _groups(
    chosen: Sequence[tuple[Source, Choice]], several: Sequence[Mapping[str, Sequence[str]]]
) -> list[dict[str, Sequence[str]]]:
    """The models of each file with their columns; names used in several files are qualified by the file."""
    models: list[Mapping[str, Sequence[str]]] = [*several] or [
        {name: [name] for name in choice.scores or (str(choice.predicted),)} for _, choice in chosen
    ]
    names = [name for own in models for name in own]
    groups = []
    for file, own in zip(_file_names(chosen), models, strict=True):
        called = {name: f"{file}: {name}" if names.count(name) > 1 else name for name in own}
        groups.append({called[name]: columns for name, columns in own.items()})
    return groups


def saved_answer(
    path: Path, name: str, *, costs: Costs | None, unit: str
) -> Evaluation | ClassEvaluation | LabelEvaluation:
    """Evaluate a saved table; costs apply to scores, and not to a matrix."""
    try:
        evaluation = evaluated_tables(path, Settings(costs=costs, unit=unit))
    except RocscopeError:
        if costs is None:
            raise
        evaluation = evaluated_tables(path, Settings(unit=unit))
    return replace(evaluation, source=MappingProxyType({"file": name}))


# ---- HTML page ----


def page_of(result: Any, title: str) -> str:
    """The report as one HTML page; as text if the page cannot show it."""
    from rocscope.report import page

    try:
        document: Mapping[str, Any] = result.to_dict(drawing=True)
    except TypeError:  # this kind of result has no drawing
        return text_page(title, str(result))
    return page(document)
