"""The classification report: every class and the averages, as text or as a dictionary."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from rocscope.sklearn.class_averages import Cells, Policy, cells_of, pooled, prf_of, weighed
from rocscope.sklearn.inputs import MULTILABEL, LabelPair, pair
from rocscope.sklearn.parameters import check

HEADERS = ("precision", "recall", "f1-score", "support")
ALL_THREE = ("precision", "recall", "f-score")


class ReportRow(NamedTuple):
    """The numbers of a class or an average; for `accuracy`, only the last score."""

    name: str
    scores: tuple[Any, ...]
    support: Any


def classification_report(
    y_true: Any, y_pred: Any, *, labels: Any = None, target_names: Any = None, sample_weight: Any = None,
    digits: int = 2, output_dict: bool = False, zero_division: Any = "warn",
) -> Any:  # fmt: skip
    """Precision, recall, F1 and support of every class, then the averages.

    >>> classification_report([0, 1, 1], [0, 1, 0], output_dict=True)["macro avg"]["recall"]
    0.75
    """
    check("classification_report", **locals())
    both = weighed(pair(y_true, y_pred, sample_weight))
    chosen = list(both.classes) if labels is None else np.asarray(labels).tolist()
    names = _names(chosen, target_names, labels is not None)
    cells = cells_of(both, chosen)
    rows = _class_rows(cells, names, zero_division)
    averages = _average_rows(both, cells, chosen, labels is None, zero_division)
    if not output_dict:
        return _as_text(rows, averages, digits)
    return {
        row.name: row.scores[2]
        if row.name == "accuracy"
        else dict(zip(HEADERS, (*row.scores, float(row.support)), strict=True))
        for row in (*rows, *averages)
    }


def _names(chosen: list[Any], target_names: Any, given: bool) -> list[str]:
    if target_names is None:
        return [str(label) for label in chosen]
    names = list(target_names)
    if len(names) != len(chosen):
        if not given:
            raise ValueError(
                f"Number of classes, {len(chosen)}, does not match size of target_names, {len(names)}. "
                "Try specifying the labels parameter"
            )
        warnings.warn(f"labels size, {len(chosen)}, does not match size of target_names, {len(names)}", stacklevel=3)
    return names


def _class_rows(cells: Cells, names: list[str], zero_division: Any) -> list[ReportRow]:
    columns = prf_of(pooled(cells, None), None, Policy(None, zero_division, ALL_THREE))
    numbers = zip(*(column.tolist() for column in (*columns, cells["tp"] + cells["fn"])), strict=True)
    return [ReportRow(name, row[:3], row[3]) for name, row in zip(names, numbers, strict=False)]


def _average_rows(both: LabelPair, cells: Cells, chosen: list[Any], every: bool, zero_division: Any) -> list[ReportRow]:
    """micro (or accuracy, where they are the same), macro, weighted, and samples for label matrices."""
    support = (cells["tp"] + cells["fn"]).sum()
    accuracy = both.kind != MULTILABEL and (every or set(chosen) >= set(both.classes))
    rows = []
    for average in ("micro", "macro", "weighted", *(["samples"] if both.kind == MULTILABEL else [])):
        counted = cells_of(both, chosen, samplewise=True) if average == "samples" else cells
        scores = prf_of(pooled(counted, average), both.weights, Policy(average, zero_division, ALL_THREE))
        rows.append(ReportRow("accuracy" if accuracy and average == "micro" else f"{average} avg", scores, support))
    return rows


def _as_text(rows: list[ReportRow], averages: list[ReportRow], digits: int) -> str:
    width = max(len("weighted avg"), digits, *(len(row.name) for row in rows))
    lines = [f"{'':>{width}} " + "".join(f" {head:>9}" for head in HEADERS), ""]
    lines += [_line(row, width, digits) for row in rows]
    lines += ["", *(_line(row, width, digits) for row in averages)]
    return "\n".join(lines) + "\n"


def _line(row: ReportRow, width: int, digits: int) -> str:
    shown = [f"{score:>9.{digits}f}" for score in row.scores]
    if row.name == "accuracy":
        shown[:2] = [" " * 9] * 2
    return f"{row.name:>{width}} " + "".join(f" {text}" for text in [*shown, f"{row.support:>9}"])
