"""Tidy frames in the user's own library: every number of a document, a matrix or a curve as rows."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from rocscope import sources
from rocscope.curves import Curve
from rocscope.report.document_reader import Document
from rocscope.report.rows import NAMES, tidy_rows
from rocscope.table import Confusion

LIBRARIES = ("pandas", "polars", "pyarrow")


def document_frame(document: Document, library: str | None = None, *, like: str = "") -> Any:
    """Every number of the document as one row: what CSV has."""
    rows = list(tidy_rows(document))
    used = [name for name in NAMES if any(row.get(name) is not None for row in rows)]
    return _frame({name: [_plain(row.get(name)) for row in rows] for name in used}, library, like)


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
    found = {"threshold": curve.thresholds, **curve.columns}
    return _frame({name: column.tolist() for name, column in found.items()}, library, "")


def validation_frame(document: Document, library: str | None = None) -> Any:
    """One row for each model, fold and measure."""
    kept = ("model", "split", "name", "repetition", "seed", "train", "test")
    rows = [
        {**{name: fold[name] for name in kept}, "measure": measure, "value": _plain(value), "why": fold["why"]}
        for fold in document["folds"]
        for measure, value in (fold["measures"] or {"": None}).items()
    ]
    return _frame({name: [row[name] for row in rows] for name in (*kept, "measure", "value", "why")}, library, "")


def _frame(columns: Mapping[str, list[Any]], library: str | None, like: str) -> Any:
    return sources.to_native(columns, library or default_library(like))


def default_library(like: str = "") -> str:
    """The library of the input, else one that is loaded, else one that is installed, else plain dicts.

    >>> default_library("polars")
    'polars'
    """
    if like in (*LIBRARIES, "duckdb"):
        return like
    loaded = [name for name in LIBRARIES if name in sys.modules]
    installed = [name for name in LIBRARIES if find_spec(name) is not None]
    return next(iter([*loaded, *installed]), "dict")


def _plain(value: Any) -> Any:
    return {"Infinity": float("inf"), "-Infinity": float("-inf")}.get(value, value) if isinstance(value, str) else value
