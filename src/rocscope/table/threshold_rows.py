"""Threshold tables: rows of a threshold and its counts, checked and completed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from rocscope.errors import RocscopeError

Row = Mapping[str, Any]


def cumulative(
    rows: Iterable[Row], positives: Any, negatives: Any, higher_is_positive: bool
) -> tuple[list[float], list[Any], list[Any]]:
    """Thresholds, true and false positives from the most positive threshold on, ending with all cases."""
    given = [dict(row) for row in rows]
    if not given:
        raise RocscopeError("no rows")
    all_positives = _one_total(given, "tp", "fn", positives, "positives")
    all_negatives = _one_total(given, "fp", "tn", negatives, "negatives")
    points = [
        (
            _threshold(i, row),
            _count(i, row, "tp", "fn", all_positives),
            _count(i, row, "fp", "tn", all_negatives),
        )
        for i, row in enumerate(given)
    ]
    points.sort(key=lambda point: point[0], reverse=higher_is_positive)
    _check_monotone(points)
    if points[-1][1:] != (all_positives, all_negatives):
        points.append((-math.inf if higher_is_positive else math.inf, all_positives, all_negatives))
    thresholds, tp, fp = (list(column) for column in zip(*points, strict=True))
    return thresholds, tp, fp


def _threshold(index: int, row: Row) -> float:
    value = row.get("threshold")
    if value is None or isinstance(value, str | bool) or math.isnan(value):
        raise RocscopeError(f"the threshold of row {index + 1} must be a number, not {value!r}")
    return float(value)


def _at(index: int, row: Row) -> str:
    """A row by its threshold, and by its number where it has none."""
    value = row.get("threshold")
    return f"row {index + 1}" if value is None else f"threshold {value}"


def _one_total(rows: list[dict[str, Any]], part: str, rest: str, given: Any, name: str) -> Any:
    """The total of a class: given, or the same in every row that has both of its cells."""
    totals = {i: row[part] + row[rest] for i, row in enumerate(rows) if part in row and rest in row}
    total = given if given is not None else next(iter(totals.values()), None)
    if total is None:
        raise RocscopeError(
            f"the table does not contain the number of {name}",
            hint=f"Give {name}=..., or give {part} and {rest} in each row",
        )
    if given is None:  # the most frequent total, so that the error message names the deviating row
        total = max(totals.values(), key=list(totals.values()).count)
    for i, count in totals.items():
        if count != total:
            raise RocscopeError(f"{_at(i, rows[i])}: {part} + {rest} is {count}, but there are {total} {name}")
    return total


def _count(index: int, row: Row, part: str, rest: str, total: Any) -> Any:
    if part not in row and rest not in row:
        raise RocscopeError(f"{_at(index, row)} has neither {part} nor {rest}")
    value = row[part] if part in row else total - row[rest]
    if not 0 <= value <= total:
        raise RocscopeError(f"{_at(index, row)}: {part} must be between 0 and {total}, not {value}")
    return value


def _check_monotone(points: list[tuple[float, Any, Any]]) -> None:
    for (_, tp, fp), (threshold, next_tp, next_fp) in pairwise(points):
        if next_tp < tp or next_fp < fp:
            raise RocscopeError(
                f"counts must not decrease from one threshold to the next, but they do at threshold {threshold:g}",
                hint="Check the direction (higher_is_positive), or pass the points to hull() as single classifiers",
            )
