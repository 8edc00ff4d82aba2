"""Tidy tables of results: every number of the results document as one row, for CSV and for frames in the user's own
library.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from rocscope import sources
from rocscope.curves import Curve
from rocscope.report.document_reader import checked
from rocscope.report.sheet import INFINITE, Document, Tabular
from rocscope.table import Confusion

NAMES = (
    "model", "class", "measure", "threshold", "value", "low", "high", "level", "method", "baseline", "p", "p_adjusted",
    "against", "why", "by", "slice", "bound",
)  # fmt: skip
LIBRARIES = ("pandas", "polars", "pyarrow")


def rows(document: Document) -> Tabular:
    """A table for CSV: a row for each comparison of a gate, each fold of a validation, or otherwise each number."""
    records = list(tidy_rows(document))
    kind = document["kind"]
    shared = kind in ("evaluation", "comparison", "classes", "labels", "class_comparison")
    names = NAMES if shared else list(records[0]) if records else []
    return Tabular.full(names, records)


def tidy_rows(document: Document) -> Iterator[dict[str, Any]]:
    """Yield the rows, each with the names that apply to it."""
    kinds = {
        "evaluation": _evaluation, "comparison": _comparison, "classes": _classes, "validation": _validation,
        "gate": _gate, "merge": _merge, "labels": _labels, "class_comparison": _class_comparison,
    }  # fmt: skip
    return kinds[checked(document)["kind"]](document)


def _evaluation(document: Document) -> Iterator[dict[str, Any]]:
    point, model = document["point"], document["name"]
    threshold = None if point is None else point["threshold"]
    for row in document["measures"]:
        yield {"model": model, "measure": row["name"], "threshold": threshold, **_numbers(row)}
    if point is not None:
        for cell, count in point["counts"].items():
            yield {"model": model, "measure": cell, "threshold": threshold, "value": count}
        if point["cost"] is not None:
            yield {"model": model, "measure": "cost_per_1000", "threshold": threshold, **_numbers(point["cost"])}
    for row in document["areas"]:
        yield {"model": model, "measure": row["name"], **_numbers(row)}
    yield from _slices(document, threshold)


def _comparison(document: Document) -> Iterator[dict[str, Any]]:
    for entry in document["evaluations"].values():
        yield from _evaluation(entry)
    for kind, name in (("differences", "auc_difference"), ("cost_differences", "cost_per_1000_difference")):
        for entry in document[kind]:
            yield {"model": entry["a"], "against": entry["b"], "measure": name, **_numbers(entry)}
    for entry in document.get("measure_differences", ()):
        yield {"model": entry["a"], "against": entry["b"], "measure": f"{entry['what']}_difference", **_numbers(entry)}
    for row, which in _in_slices(document):
        for entry in row["differences"]:
            labels = {**which, "model": entry["a"], "against": entry["b"]}
            yield {**labels, "measure": "auc_difference", **_numbers(entry)}
            yield {**labels, "measure": "auc_difference_shrunk", **_numbers(entry["shrunk"])}


def _classes(document: Document) -> Iterator[dict[str, Any]]:
    model = document["name"]
    support = dict(zip(document["data"]["labels"], document["data"]["support"], strict=True))
    for label, section in document["classes"].items():
        for name, row in section.items():
            yield {"model": model, "class": label, "measure": name, **_numbers(row)}
        yield {"model": model, "class": label, "measure": "support", "value": support[label]}
    for row in document["measures"]:
        yield {"model": model, "measure": row["name"].replace(" ", "_"), **_numbers(row)}
    for confusion in document.get("confusions", ()):
        name = f"taken_for_{confusion['predicted']}"
        yield {"model": model, "class": confusion["actual"], "measure": name, **_numbers(confusion["share"])}
    decision = document.get("decision") or {}
    if decision.get("cost"):
        yield {"model": model, "measure": "cost_per_1000", **_numbers(decision["cost"])}
        if decision["saving"] is not None:
            yield {"model": model, "measure": "saved_per_1000", **_numbers(decision["saving"])}
    if decision:
        yield {"model": model, "measure": "coverage", **_numbers(decision["coverage"])}
    calibration = document.get("calibration") or {"estimates": (), "classes": {}}
    for row in calibration["estimates"]:
        top = "" if row["name"] == "classwise_ece" else "top_label_"
        yield {"model": model, "measure": f"{top}{row['name']}", **_numbers(row)}
    for label, row in calibration["classes"].items():
        yield {"model": model, "class": label, "measure": "ece_10", **_numbers(row)}
    for name, row in (document.get("margins") or {}).items():
        yield {"model": model, "measure": name, **_numbers(row)}
    for how, section in (document["auc"] or {}).items():
        why = "" if section["over"] == section["of"] else f"over {section['over']} of {section['of']}"
        yield {"model": model, "measure": f"auc_{how.replace('-', '_')}", **_numbers(section), "why": why}
    yield from _slices(document, None)


def _labels(document: Document) -> Iterator[dict[str, Any]]:
    """Every measure of every label, and of all together."""
    model = document["name"]
    support = dict(zip(document["data"]["labels"], document["data"]["support"], strict=True))
    for label, section in document["labels"].items():
        threshold = document["thresholds"].get(label, {}).get("threshold")
        labels = {"model": model, "class": label, "threshold": threshold}
        for name, row in section["measures"].items():
            yield {**labels, "measure": name, **_numbers(row)}
        for cell, count in section["counts"].items():
            yield {**labels, "measure": cell, "value": count}
        yield {"model": model, "class": label, "measure": "support", "value": support[label]}
    for row in document["measures"]:
        yield {"model": model, "measure": row["name"], **_numbers(row)}


def _class_comparison(document: Document) -> Iterator[dict[str, Any]]:
    """Yield every number of every model, and the differences."""
    for entry in document["evaluations"].values():
        yield from tidy_rows(entry)
    for entry in (*document["differences"], *document["other_differences"]):
        yield {"model": entry["a"], "against": entry["b"], "measure": f"{entry['what']}_difference", **_numbers(entry)}
    for entry in document["agreement"]:
        labels = {"model": entry["a"], "against": entry["b"]}
        for name in ("both_right", "only_a", "only_b", "both_wrong"):
            yield {**labels, "measure": name, "value": entry[name]}
        for name, test in entry["tests"].items():
            yield {**labels, "measure": name, **_numbers(test)}
    if document["joint"] is not None:
        yield {"measure": "cochran_q", **_numbers(document["joint"])}


def _validation(document: Document) -> Iterator[dict[str, Any]]:
    """A row for each fold: model, split, sizes, and every measure."""
    for fold in document["folds"]:
        sizes = {name: fold[name] for name in ("repetition", "seed", "train", "test")}
        yield {"model": fold["model"], "split": fold["name"], **sizes, "why": fold["why"], **fold["measures"]}


def _gate(document: Document) -> Iterator[dict[str, Any]]:
    """A row for each comparison of each condition."""
    names = ("name", "sign", "limit", "tested", "value", "low", "high", "level", "method")
    for check in document["checks"]:
        for part in check["parts"]:
            numbers = {name: part[name] for name in names}
            yield {"require": check["require"], "met": part["met"], **numbers, "threshold": check["threshold"],
                   "why": part["why"]}  # fmt: skip


def _merge(document: Document) -> Iterator[dict[str, Any]]:
    """A row for each part of a trend and each measure."""
    for row in document["trend"]:
        sizes = {"part": row["name"], "cases": row["cases"], "positives": row["positives"]}
        for measure, estimate in row["measures"].items():
            numbers = {name: estimate[name] for name in ("value", "low", "high", "level", "method", "why")}
            yield {**sizes, "measure": measure, **numbers}


def _slices(document: Document, threshold: Any) -> Iterator[dict[str, Any]]:
    """Yield every measure of every slice: plain, shrunken, and minus that of the rest."""
    for row, which in _in_slices(document):
        labels = {**which, "model": document["name"]}
        yield {**labels, "measure": "cases", "value": row["cases"]}
        if row["positives"] is not None:
            yield {**labels, "measure": "positives", "value": row["positives"]}
        for name, estimate in row["measures"].items():
            at = {} if name in ("auc", "accuracy") else {"threshold": threshold}
            gap = None if estimate["gap"] is None else {**estimate["gap"], "p_adjusted": estimate["p_adjusted"]}
            alone = {key: value for key, value in estimate.items() if key != "p_adjusted"}
            for ending, numbers in (("", alone), ("_shrunk", estimate["shrunk"]), ("_gap", gap)):
                if numbers is not None:
                    yield {**labels, **at, "measure": f"{name}{ending}", **_numbers(numbers)}


def _in_slices(document: Document) -> Iterator[tuple[Document, dict[str, Any]]]:
    for panel in document["slices"]:
        for row in panel["rows"]:
            yield row, {"by": ", ".join(panel["by"]), "slice": row["name"]}


def _numbers(row: Document) -> dict[str, Any]:
    names = ("value", "low", "high", "level", "method", "baseline", "p", "p_adjusted", "why", "bound")
    return {name: row[name] for name in names if name in row}


# --- data frames


def document_frame(document: Document, library: str | None = None, *, like: str = "") -> Any:
    """Every number of the results document as one row, as in CSV."""
    rows = list(tidy_rows(document))
    used = [name for name in NAMES if any(row.get(name) is not None for row in rows)]
    return _frame(_columns(rows, used), library, like)


def matrix_frame(matrix: Confusion, library: str | None = None) -> Any:
    """One row for each cell: actual, predicted, cases."""
    pairs = [(a, p) for a in range(len(matrix)) for p in range(len(matrix))]
    cells = matrix.matrix.tolist()
    return _frame(
        {
            "actual": [matrix.labels[a] for a, _ in pairs],
            "predicted": [matrix.labels[p] for _, p in pairs],
            "cases": [cells[a][p] for a, p in pairs],
        },
        library,
        "",
    )


def curve_frame(curve: Curve, library: str | None = None) -> Any:
    """One row for each point: the threshold and the values of the curve's axes."""
    columns = {"threshold": curve.thresholds, **curve.columns}
    return _frame({name: column.tolist() for name, column in columns.items()}, library, "")


def validation_frame(document: Document, library: str | None = None) -> Any:
    """One row for each model, fold and measure."""
    rows = [
        {**fold, "measure": measure, "value": value}
        for fold in document["folds"]
        for measure, value in (fold["measures"] or {"": None}).items()
    ]
    kept = ("model", "split", "name", "repetition", "seed", "train", "test", "measure", "value", "why")
    return _frame(_columns(rows, kept), library, "")


def _columns(rows: Sequence[Mapping[str, Any]], names: Iterable[str]) -> dict[str, list[Any]]:
    def plain(value: Any) -> Any:
        return float(value) if value in INFINITE else value

    return {name: [plain(row.get(name)) for row in rows] for name in names}


def _frame(columns: Mapping[str, list[Any]], library: str | None, like: str) -> Any:
    return sources.to_native(columns, library or default_library(like))


def default_library(like: str = "") -> str:
    """The library of the input, else one that is imported or installed, else plain dicts.

    >>> default_library("polars")
    'polars'
    """
    if like in (*LIBRARIES, "duckdb"):
        return like
    loaded = [name for name in LIBRARIES if name in sys.modules]
    installed = [name for name in LIBRARIES if find_spec(name) is not None]
    return next(iter([*loaded, *installed]), "dict")
