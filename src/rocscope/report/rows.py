"""Every number of the document as one row, for CSV."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rocscope.report.document_reader import Document, checked, real
from rocscope.report.sheet import Cell, Column, Grid, data

NAMES = (
    "model", "class", "measure", "threshold", "value", "low", "high", "level", "method", "baseline", "p", "p_adjusted",
    "against", "why", "by", "slice", "bound",
)  # fmt: skip


def rows(document: Document) -> Grid:
    """One row for each number, with the same columns for every kind of document."""
    found = tidy_rows(document)
    return Grid.of([Column(name, None) for name in NAMES], [[_cell(row.get(name)) for name in NAMES] for row in found])


def tidy_rows(document: Document) -> Iterator[dict[str, Any]]:
    """The rows themselves, each with the names that apply to it."""
    kinds = {"evaluation": _evaluation, "comparison": _comparison, "classes": _classes}
    return kinds[checked(document)["kind"]](document)


def _cell(value: Any) -> Cell:
    if isinstance(value, str):
        return real(value) if value in ("Infinity", "-Infinity") else data(value)
    number: int | float | None = value
    return number


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
    for one in document["evaluations"].values():
        yield from _evaluation(one)
    for kind, name in (("differences", "auc_difference"), ("cost_differences", "cost_per_1000_difference")):
        for one in document[kind]:
            yield {"model": one["a"], "against": one["b"], "measure": name, **_numbers(one)}
    for row, which in _in_slices(document):
        for one in row["differences"]:
            said = {**which, "model": one["a"], "against": one["b"]}
            yield {**said, "measure": "auc_difference", **_numbers(one)}
            yield {**said, "measure": "auc_difference_shrunk", **_numbers(one["shrunk"])}


def _classes(document: Document) -> Iterator[dict[str, Any]]:
    model = document["name"]
    support = dict(zip(document["data"]["labels"], document["data"]["support"], strict=True))
    for label, found in document["classes"].items():
        for name, row in found.items():
            yield {"model": model, "class": label, "measure": name, **_numbers(row)}
        yield {"model": model, "class": label, "measure": "support", "value": support[label]}
    for row in document["measures"]:
        yield {"model": model, "measure": row["name"].replace(" ", "_"), **_numbers(row)}
    for how, found in (document["auc"] or {}).items():
        why = "" if found["over"] == found["of"] else f"over {found['over']} of {found['of']}"
        yield {"model": model, "measure": f"auc_{how.replace('-', '_')}", **_numbers(found), "why": why}
    yield from _slices(document, None)


def _slices(document: Document, threshold: Any) -> Iterator[dict[str, Any]]:
    """Every measure of every slice: alone, drawn towards the others, and less that of the rest."""
    for row, which in _in_slices(document):
        said = {**which, "model": document["name"]}
        yield {**said, "measure": "cases", "value": row["cases"]}
        if row["positives"] is not None:
            yield {**said, "measure": "positives", "value": row["positives"]}
        for name, one in row["measures"].items():
            at = {} if name in ("auc", "accuracy") else {"threshold": threshold}
            gap = None if one["gap"] is None else {**one["gap"], "p_adjusted": one["p_adjusted"]}
            alone = {key: value for key, value in one.items() if key != "p_adjusted"}
            for ending, found in (("", alone), ("_shrunk", one["shrunk"]), ("_gap", gap)):
                if found is not None:
                    yield {**said, **at, "measure": f"{name}{ending}", **_numbers(found)}


def _in_slices(document: Document) -> Iterator[tuple[Document, dict[str, Any]]]:
    for panel in document["slices"]:
        for row in panel["rows"]:
            yield row, {"by": ", ".join(panel["by"]), "slice": row["name"]}


def _numbers(row: Document) -> dict[str, Any]:
    names = ("value", "low", "high", "level", "method", "baseline", "p", "p_adjusted", "why", "bound")
    return {name: row[name] for name in names if name in row}
