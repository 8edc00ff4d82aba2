"""The data of worked examples as blocks, by kind: for the command line and for the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rocscope.formula import CELLS
from rocscope.lessons import subject
from rocscope.report.sheet import Block, Cell, Field, Paragraph, Tabular, strong
from rocscope.report.sheet_formats import Look
from rocscope.report.text_views.matrix import confusion_blocks, counts_blocks
from rocscope.table import Confusion, Counts
from rocscope.text import threshold_text

Data = Mapping[str, Any]


def data_blocks(kind: str, data: Data, look: Look, *, single: bool) -> list[Block]:
    """The data of an example, as one would write them by hand."""
    if kind == "cases":
        return [
            block for name, (part_kind, inner) in data.items() for block in _part(name, part_kind, inner, look, single)
        ]
    if kind in ("counts", "retrieval", "matrix", "labels"):
        return _matrix(kind, data, look, single)
    shown = {"scores": _scores, "thresholds": _thresholds, "points": _points}.get(kind, _other)
    return shown(data)


def _part(name: str, kind: str, data: Data, look: Look, single: bool) -> list[Block]:
    return [Paragraph.of(strong(name)), *data_blocks(kind, data, look, single=single)]


def _matrix(kind: str, data: Data, look: Look, single: bool) -> list[Block]:
    matrix = subject(kind, data)
    facts: list[Block] = []
    if kind == "retrieval":
        facts = _other(data)
    if isinstance(matrix, Confusion):
        return [*facts, *confusion_blocks(matrix, look, single=single)]
    assert isinstance(matrix, Counts)
    return [*facts, *counts_blocks(matrix, look, single=single)]


def _scores(data: Data) -> list[Block]:
    """The scores of each class from the highest down."""
    pairs = sorted(zip(data["scores"], data["y"], strict=True), key=lambda pair: -pair[0])
    positive = data.get("positive", 1)
    classes = sorted(dict.fromkeys(label for _, label in pairs), key=lambda label: label != positive)
    rows: list[list[Cell]] = []
    for label in classes:
        scores = "  ".join(threshold_text(score) for score, other in pairs if other == label)
        rows.append([f"{label} (positive)" if label == positive else str(label), scores])
    return [Tabular.of(["class", "scores"], rows)]


def _thresholds(data: Data) -> list[Block]:
    rows = data["rows"]
    cells = [cell for cell in CELLS if cell in rows[0]]
    columns = [Field("threshold", None), *(Field(cell.upper()) for cell in cells)]
    totals = {name: data[name] for name in ("positives", "negatives") if data.get(name) is not None}
    grid = Tabular.of(columns, [[row["threshold"], *(row[cell] for cell in cells)] for row in rows])
    return [grid, *_other(totals)] if totals else [grid]


def _points(data: Data) -> list[Block]:
    columns = [Field("classifier"), Field("FPR", None), Field("TPR", None)]
    return [Tabular.of(columns, [[name, float(fpr), float(tpr)] for name, (fpr, tpr) in data["points"].items()])]


def _other(data: Data) -> list[Block]:
    """Everything else: names and values on a line."""
    facts = "   ".join(f"{name.replace('_', ' ')} {_brief(value)}" for name, value in data.items())
    return [Paragraph.of(facts)] if facts else []


def _brief(value: Any) -> str:
    if isinstance(value, tuple):
        inner = " ".join(map(_brief, value))
        return f"({inner.replace(' ', ', ')})" if all(isinstance(number, int | float) for number in value) else inner
    return f"{value:g}" if isinstance(value, float) else str(value)
