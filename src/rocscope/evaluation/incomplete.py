"""Arrays with missing values or infinite scores: incomplete rows are excluded and counted, infinite scores become
finite.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rocscope import tally
from rocscope.errors import RocscopeError
from rocscope.evaluation.settings import Request
from rocscope.table import ScoreTable

Array = NDArray[Any]
Made = TypeVar("Made")
NOTHING: Mapping[str, int] = MappingProxyType({})
INFINITE = ("error", "ends")


def settled(
    request: Request, scores: tuple[Any, ...], *, infinite: str, arrays: bool
) -> tuple[Request, tuple[Any, ...], Mapping[str, int]]:
    """The request and the scores without incomplete rows and with finite ends, if requested.

    The request is returned with missing="error", because no values are missing anymore. Rows that were left out are
    counted by reason. Columns of a source, and tables, stay as they are.
    """
    if infinite not in INFINITE:
        hint = '"error" refuses infinite scores, "ends" ranks them'
        raise RocscopeError(f"infinite must be 'error' or 'ends', not {infinite!r}", hint=hint)
    if (
        not arrays
        or isinstance(request.label, str | os.PathLike | ScoreTable)
        or all(score is None for score in scores)
    ):
        if infinite == "ends":
            hint = "In a file, replace an infinite score by a number beyond all other scores"
            raise RocscopeError('infinite="ends" applies only to arrays of scores', hint=hint)
        return request, scores, NOTHING
    left_out = NOTHING
    if request.missing == "drop":
        request, scores, left_out = _complete(request, scores)
    if infinite == "ends":
        scores = tuple(None if score is None else ended(score) for score in scores)
    return request, scores, left_out


def settled_models(
    request: Request, scores: Any, *, infinite: str, arrays: bool
) -> tuple[Request, Any, Mapping[str, int]]:
    """The request and the scores of several models; rows that are incomplete for one model are excluded for all."""
    named = scores if isinstance(scores, Mapping) else {}
    request, columns, left_out = settled(request, tuple(named.values()), infinite=infinite, arrays=arrays)
    return request, dict(zip(named, columns, strict=True)) if named else scores, left_out


@contextmanager
def offering_ends(infinite: str) -> Iterator[None]:
    """Name the parameter that accepts infinite scores wherever arrays of them are refused."""
    try:
        yield
    except RocscopeError as error:
        if error.hint != tally.INFINITE or infinite == "ends":
            raise
        hint = f'{error.hint}. infinite="ends" ranks infinite scores beyond all others'
        raise RocscopeError(error.message, hint=hint) from None


def ended(scores: Any) -> Any:
    """Replace infinite scores by numbers just beyond all others, which preserves the ranking.

    >>> ended([1.0, float("inf"), 3.0, float("-inf")])
    array([1., 5., 3., 0.])
    """
    array = np.asarray(scores)
    if array.dtype.kind != "f" or not np.isinf(array).any():
        return scores
    finite = array[np.isfinite(array)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    beyond = (high - low) / 2 or 1.0
    return np.where(np.isposinf(array), high + 2 * beyond, np.where(np.isneginf(array), low - beyond, array))


def _complete(request: Request, scores: tuple[Any, ...]) -> tuple[Request, tuple[Any, ...], Mapping[str, int]]:
    """The rows with a label, all scores and a weight."""
    no_label = _missing(request.label)
    no_score = np.zeros(len(no_label), dtype=bool)
    for values in scores:
        if values is not None:
            no_score |= _aligned(_missing(values), len(no_label))
    no_weight = np.zeros(len(no_label), dtype=bool)
    if request.weights is not None:
        no_weight = _aligned(_missing(request.weights), len(no_label))
    reasons = {"no label": no_label, "no score": no_score & ~no_label, "no weight": no_weight & ~no_score & ~no_label}
    kept = ~(no_label | no_score | no_weight)
    priced = dict(request.case_costs or {})
    for values in priced.values():
        if hasattr(values, "__len__"):
            reasons["no cost"] = _aligned(_missing(values), len(kept)) & kept | reasons.get("no cost", False)
    if "no cost" in reasons:
        kept = kept & ~reasons["no cost"]
    prices = {side: _rows(price, kept) if hasattr(price, "__len__") else price for side, price in priced.items()}
    by = {name: _rows(column, kept) for name, column in request.by.items()} if isinstance(request.by, Mapping) else None
    complete = replace(
        request, label=_rows(request.label, kept), weights=_rows(request.weights, kept),
        clusters=_rows(request.clusters, kept), by=request.by if by is None else by, missing="error",
        case_costs=prices or None,
    )  # fmt: skip
    counts = {reason: int(rows.sum()) for reason, rows in reasons.items() if rows.any()}
    return complete, tuple(_rows(score, kept) for score in scores), MappingProxyType(counts)


def _missing(values: Any) -> Array:
    """Which values are missing: None, NaN, or a missing value of the library."""
    array = np.asarray(values)
    if array.dtype.kind == "f":
        lacking = np.isnan(array)
    elif array.dtype.kind == "O":
        flat = [value is None or type(value).__name__ == "NAType" or value != value for value in array.ravel()]
        lacking = np.array(flat, dtype=bool).reshape(array.shape)
    else:
        lacking = np.zeros(array.shape, dtype=bool)
    return np.asarray(lacking.reshape(len(array), -1).any(axis=1))


def _aligned(rows: Array, expected: int) -> Array:
    if len(rows) != expected:
        raise RocscopeError(f"{expected} labels, but {len(rows)} values", hint="Give one for each label")
    return rows


def _rows(values: Any, kept: Array) -> Any:
    if values is None:
        return None
    selected = np.asarray(values)[kept]
    return selected.tolist() if selected.dtype.kind == "O" else selected


def counted(result: Made, left_out: Mapping[str, int]) -> Made:
    """Add the number of excluded rows to the evaluations of a comparison."""
    if not left_out or not hasattr(result, "evaluations"):
        return result
    comparison: Any = result
    known = {name: replace(evaluation, left_out=left_out) for name, evaluation in comparison.evaluations.items()}
    changed: Made = replace(comparison, evaluations=MappingProxyType(known))
    return changed
