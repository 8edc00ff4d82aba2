"""From chosen columns to an answer: evaluated or compared, within one file or across several; and its page."""

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
    compared_files,
    evaluate,
    evaluated_tables,
)
from rocscope.record import record
from rocscope.serve.pages import text_page
from rocscope.sources import Source, class_columns

Answer = Evaluation | ClassEvaluation | LabelEvaluation | Comparison | ClassComparison


@record(slots=True)
class Choice:
    """What was chosen of one file."""

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
    """One model evaluated, or several compared; models of several files on the same cases."""
    if not chosen:
        raise RocscopeError("no file is chosen")
    if any(not choice.scores and choice.predicted is None for _, choice in chosen):
        raise RocscopeError("no score is chosen", hint="Select at least one")
    if len(chosen) > 1:
        return _across(chosen, Settings(costs=costs, unit=unit))
    (source, choice), = chosen
    if not choice.scores:
        return evaluate(source, predicted=choice.predicted, unit=unit, **choice.columns)
    labels = source.sample().labels(choice.label)
    found: Answer
    if len(choice.scores) > 1 and len(labels) > 2 and class_columns(choice.scores, labels):
        found = evaluate(source, list(choice.scores), unit=unit, **choice.columns)
        return found
    how: dict[str, Any] = {"unit": unit, "costs": costs, "higher_is_positive": not choice.lower}
    if len(choice.scores) > 1:
        found = compare(source, score=choice.scores, **choice.columns, **how)
        return found
    found = evaluate(source, choice.scores[0], **choice.columns, **how)
    return found


def _across(chosen: Sequence[tuple[Source, Choice]], settings: Settings) -> Answer:
    """The scores of several files on the same cases: matched by their ids, or row by row where all labels agree."""
    names = [name for _, choice in chosen for name in choice.scores]
    parts = []
    for source, choice in chosen:
        models = {f"{source.name}: {name}" if names.count(name) > 1 else name: name for name in choice.scores}
        parts.append(ModelFile(source, choice.label, models, choice.id))
    first = chosen[0][1]
    missing = "drop" if any(choice.id is None for _, choice in chosen) else "error"
    by = (first.by,) if first.by else ()
    request = Request(first.label, first.positive, higher_is_positive=not first.lower, by=by, missing=missing)
    return compared_files(parts, request, settings)


def saved_answer(path: Path, name: str, *, costs: Costs | None, unit: str) -> Evaluation | ClassEvaluation:
    """The evaluation of a saved table; costs are for scores, and of no use to a matrix."""
    try:
        found = evaluated_tables(path, Settings(costs=costs, unit=unit))
    except RocscopeError:
        if costs is None:
            raise
        found = evaluated_tables(path, Settings(unit=unit))
    return replace(found, source=MappingProxyType({"file": name}))


# ---- the page ----


def page_of(found: Any, title: str) -> str:
    """The report as one HTML page; as text where the page cannot show it."""
    from rocscope.report import page

    try:
        document: Mapping[str, Any] = found.to_dict(drawing=True)
    except TypeError:  # it has no pictures
        return text_page(title, str(found))
    return page(document)
