"""Missing values of arrays, and infinite scores: incomplete rows are excluded and counted, infinite scores become
finite.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import wraps
from types import MappingProxyType
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from rocscope import sources, tally
from rocscope.errors import RocscopeError
from rocscope.evaluation.settings import Request
from rocscope.table import ScoreTable

Array = NDArray[Any]
Made = TypeVar("Made")
Given = ParamSpec("Given")
NOTHING: Mapping[str, int] = MappingProxyType({})
INFINITE = ("error", "ends")


def settled(
    y: Any, request: Request, scores: tuple[Any, ...], infinite: str, *, named: bool, each_file: bool = False
) -> tuple[Any, Request, tuple[Any, ...], Mapping[str, int]]:
    """The cases, the request and the scores without incomplete rows and with finite ends, if requested.

    The request is returned with missing="error", because no values are missing anymore. Rows that were left out are
    counted by reason. If the scores are `named` columns, their source has finite ends, and everything else stays.
    """
    if infinite not in INFINITE:
        hint = 'Use "error" to refuse infinite scores, or "ends" to rank them'
        raise RocscopeError(f"infinite must be 'error' or 'ends', not {infinite!r}", hint=hint)
    table = isinstance(request.label, str | os.PathLike | ScoreTable) and not named
    if infinite == "ends" and (table or all(score is None for score in scores)):
        raise RocscopeError('infinite="ends" applies only to scores', hint="Leave it out")
    if named and infinite == "ends":
        ended = [_with_ends(file, scores, some=True) for file in y] if each_file else _with_ends(y, scores)
        return ended, request, scores, NOTHING
    if named or table or all(score is None for score in scores):
        return y, request, scores, NOTHING
    left_out = NOTHING
    if request.missing == "drop":
        request, scores, left_out = _complete(request, scores)
    if infinite == "ends":
        scores = tuple(None if score is None else sources.ended(score) for score in scores)
    return request.label, request, scores, left_out


def settled_models(
    y: Any, request: Request, scores: Any, columns: Any, infinite: str, *, named: bool, each_file: bool
) -> tuple[Any, Request, Any, Mapping[str, int]]:
    """Like `settled` for several models; rows that are incomplete for one model are excluded for all."""
    given = scores if columns is None or not named else columns
    known = tuple(given.values()) if isinstance(given, Mapping) else tuple(given or ()) if named else ()
    known = (given,) if isinstance(given, str) else known
    y, request, known, left_out = settled(y, request, known, infinite, named=named, each_file=each_file)
    changed = isinstance(scores, Mapping) and not named
    return y, request, dict(zip(scores, known, strict=True)) if changed else scores, left_out


def _with_ends(given: Any, scores: tuple[Any, ...], *, some: bool = False) -> sources.Source:
    """The source with infinite scores at the ends of the ranking; with `some`, columns of other files are absent."""
    from rocscope.evaluation.from_source import matching

    opened = sources.open(given)
    names = [name for columns in scores for name in ([columns] if isinstance(columns, str) else columns or ())]
    if some:
        names = [name for name in names if any(fnmatchcase(column, name) for column in opened.columns)]
    return sources.with_finite_ends(opened, matching(opened, names))


def offering_ends(function: Callable[Given, Made]) -> Callable[Given, Made]:
    """Let the refusals of infinite scores name the parameter that accepts them."""

    @wraps(function)
    def offering(*args: Given.args, **given: Given.kwargs) -> Made:
        try:
            return function(*args, **given)
        except RocscopeError as error:
            if error.hint != tally.INFINITE or given.get("infinite") == "ends":
                raise
            hint = f'{error.hint}. Use infinite="ends" to rank infinite scores beyond all others'
            raise RocscopeError(error.message, hint=hint) from None

    return offering


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
        raise RocscopeError(f"there are {expected} labels, but {len(rows)} values", hint="Give one for each label")
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
