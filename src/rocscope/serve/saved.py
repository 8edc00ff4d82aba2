"""Saved tables (.rst) that were dropped: what they hold, and the answer they give by themselves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from rocscope.decisions import Costs
from rocscope.errors import RocscopeError
from rocscope.evaluation import ClassEvaluation, Evaluation, Settings
from rocscope.sources.table_files import ENDING, read
from rocscope.table import ScoreTable

EMPTY: dict[str, Any] = {
    "label": None, "labels": [], "values": [], "positive": None, "scores": [], "predicted": None, "by": None,
    "slices": [], "ids": [], "problem": "",
}  # fmt: skip


def is_saved(name: str) -> bool:
    """Whether a file is named as a saved table.

    >>> is_saved("day1.RST"), is_saved("day1.csv")
    (True, False)
    """
    return name.lower().endswith(ENDING)


def card_of(path: Path) -> dict[str, Any]:
    """What the page shows of a saved table: there is no column to choose."""
    held = read(path)
    table = held.table
    if isinstance(table, ScoreTable):
        says = f"{table.positives:,} positive, {table.negatives:,} negative, {len(table):,} distinct scores"
        rows, columns = len(table), 3
    else:
        says, rows, columns = f"a confusion matrix of {len(table):,} classes", len(table), len(table)
    return {**EMPTY, "rows": rows, "columns": columns, "left_out": dict(held.left_out), "saved": says}


def answer_of(path: Path, name: str, *, costs: Costs | None, unit: str) -> Evaluation | ClassEvaluation:
    """The evaluation of a saved table."""
    held = read(path)
    settings = Settings(costs=costs, unit=held.unit if unit == "case" and held.unit else unit)
    described: dict[str, Any] = {
        "name": held.name, "left_out": MappingProxyType(dict(held.left_out)),
        "source": MappingProxyType({"file": name}),
    }  # fmt: skip
    if not isinstance(held.table, ScoreTable):
        return ClassEvaluation(held.table, replace(settings, costs=None), **described)
    if not len(held.table):
        raise RocscopeError(f"{name} holds no case")
    return Evaluation(held.table, settings, **described)
