"""From chosen columns to an answer: evaluated or compared, within one file or across several; and its page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from rocscope.decisions import Costs
from rocscope.errors import RocscopeError
from rocscope.evaluation import ClassEvaluation, Comparison, Evaluation, compare, evaluate
from rocscope.serve.guessing import needed_of
from rocscope.serve.pages import text_page
from rocscope.serve.tables import Columns as Table
from rocscope.sources.csv import BY, TextColumns

Answer = Evaluation | ClassEvaluation | Comparison


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen of one file."""

    label: str
    scores: tuple[str, ...]
    positive: str | None = None
    predicted: str | None = None
    by: str | None = None
    id: str | None = None
    lower: bool = False


@dataclass(frozen=True, slots=True)
class Columns:
    """The rows that can be used: labels, scores by model, slices, ids; and how many were left out, and why."""

    labels: list[str]
    scores: dict[str, Any]
    by: list[str] | None
    ids: list[str] | None
    predicted: list[str] | None
    left_out: dict[str, int]


def chosen(table: Table, choice: Choice) -> Columns:
    """The columns of a choice without the rows that lack something, counted by the first reason."""
    if not choice.scores and choice.predicted is None:
        raise RocscopeError("no score is chosen", hint="Press at least one")
    needed = needed_of(choice.label, choice.scores, choice.predicted)
    needed |= {name: what for name, what in ((choice.by, BY), (choice.id, "id")) if name and name not in needed}
    kept, left_out = table.complete(needed, missing="drop")

    def texts(name: str | None) -> list[str] | None:
        return None if name is None else ["(none)" if cell is None else str(cell) for cell in _cells(kept, name)]

    return Columns(
        texts(choice.label) or [], {name: np.asarray(kept.numbers(name)) for name in choice.scores}, texts(choice.by),
        texts(choice.id), texts(choice.predicted), dict(left_out),
    )  # fmt: skip


def _cells(kept: Any, name: str) -> Any:
    """A column of text in which some cells may be blank."""
    return kept.cells(name) if isinstance(kept, TextColumns) else kept.text(name)


def answer(tables: Sequence[tuple[Table, Choice]], *, costs: Costs | None = None, unit: str = "case") -> Answer:
    """One model evaluated, or several compared; models of several files on the same cases."""
    if not tables:
        raise RocscopeError("no file is chosen")
    parts = [(table, choice, chosen(table, choice)) for table, choice in tables]
    _, choice, first = parts[0]
    joined = first if len(parts) == 1 else _across(parts)
    source = {"file": ", ".join(one.source for one, _, _ in parts), "label": choice.label}
    shared: dict[str, Any] = {"unit": unit, "by": {choice.by: joined.by} if choice.by and joined.by else None}
    if not joined.scores:
        shared |= {"positive": choice.positive}
        return _described(evaluate(joined.labels, predicted=joined.predicted, **shared), source, joined.left_out)
    shared |= {"positive": choice.positive, "higher_is_positive": not choice.lower, "costs": costs}
    if len(joined.scores) > 1:
        return _described(compare(joined.labels, joined.scores, **shared), source, joined.left_out)
    (name, score), = joined.scores.items()
    return _described(evaluate(joined.labels, score, name=name, **shared), source, joined.left_out)


def _across(parts: Sequence[tuple[Table, Choice, Columns]]) -> Columns:
    """The scores of several files on the same cases: joined by their ids, or row by row where all labels agree."""
    models: dict[str, Any] = {}
    lost: dict[str, int] = {}
    order = _order([columns for _, _, columns in parts])
    labels = [parts[0][2].labels[row] for row in order[0]]
    for (table, _, columns), rows in zip(parts, order, strict=True):
        if [columns.labels[row] for row in rows] != labels:
            raise RocscopeError(
                f"{table.source} and {parts[0][0].source} disagree about the labels of the same cases",
                hint="Choose an id column in both, or compare files of the same cases",
            )
        double = any(name in models for name in columns.scores)
        for name, score in columns.scores.items():
            models[f"{table.source}: {name}" if double else name] = score[rows]
        for why, count in columns.left_out.items():
            lost[f"{why} in {table.source}"] = count
        if len(rows) < len(columns.labels):
            lost[f"not in every file: {table.source}"] = len(columns.labels) - len(rows)
    by = parts[0][2].by
    return Columns(labels, models, None if by is None else [by[row] for row in order[0]], None, None, lost)


def _order(columns: Sequence[Columns]) -> list[list[int]]:
    """For each file the rows of the shared cases, in the same order."""
    ids = [one.ids for one in columns]
    if all(one is not None for one in ids):
        places = [{value: row for row, value in enumerate(one or [])} for one in ids]
        if any(len(place) < len(one or []) for place, one in zip(places, ids, strict=True)):
            raise RocscopeError("an id appears twice", hint="Choose a column that tells cases apart")
        shared = [value for value in ids[0] or [] if all(value in place for place in places)]
        if not shared:
            raise RocscopeError("no id is in every file")
        return [[place[value] for value in shared] for place in places]
    sizes = {len(one.labels) for one in columns}
    if len(sizes) > 1:
        raise RocscopeError(f"the files have {' and '.join(map(str, sorted(sizes)))} usable rows",
                            hint="Choose an id column in each to join them")  # fmt: skip
    return [list(range(len(one.labels))) for one in columns]


def _described(found: Answer, source: Mapping[str, Any], left_out: Mapping[str, int]) -> Answer:
    more: dict[str, Any] = {"source": MappingProxyType(dict(source)), "left_out": MappingProxyType(dict(left_out))}
    if isinstance(found, Comparison):
        known = {name: replace(one, **more) for name, one in found.evaluations.items()}
        return replace(found, evaluations=MappingProxyType(known))
    return replace(found, **more)


# ---- the page ----


def page_of(found: Any, title: str) -> str:
    """The report as one HTML page; as text where the page cannot show it."""
    made = _drawn(found)
    return made if made is not None else text_page(title, str(found))


def _drawn(found: Any) -> str | None:
    from rocscope.report.html import html

    try:
        document = found.to_dict(drawing=True)
    except TypeError:  # it has no pictures
        return None
    return html(document)
