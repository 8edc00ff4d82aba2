"""Compact encoding of a report's data: columns of numbers as differences, lists of records as tables.

Thresholds and counts are sorted, so the difference between consecutive numbers is short even if the numbers are long:
0.988, 0.982, 0.98 are 988, 982 and 980 thousandths and are written as 988, -6, -2. Integers add up exactly, and one
division by 1,000 yields the double that the decimal denotes. If the decimals differ in length, the digits after "0."
are written as one text. Records with the same keys list these once. The corners of the hull are rows of the models'
tables, and are written as row numbers. `page/src/core/packed.ts` decodes the data; data that would not
become shorter are left unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any

LEAST = 4  # number of records or numbers below which packing does not save space
PLAIN = frozenset({float, int, str, bool, type(None)})  # most values: asked first
MOST_DIGITS = 12  # maximum number of decimals of packed numbers


def packed(value: Any) -> Any:
    """The packed data; unchanged if one of its keys could be mistaken for a marker of the packing.

    >>> packed({"fp": [10000, 10001, 10005, 10010, 10020, 10021], "name": "a"})
    {'fp': {'$steps': [10000, 1, 4, 5, 10, 1]}, 'name': 'a'}
    """
    return value if _marked(value) else _packed(value)


def with_hull_rows(drawing: Mapping[str, Any]) -> dict[str, Any]:
    """The packed drawing, with the corners of its hull as row numbers of the models' tables if all of them are
    rows.
    """
    written = packed(drawing)
    runs = corner_runs(drawing) if drawing.get("hull") and written is not drawing else None
    return written if runs is None else {**written, "hull": {**written["hull"], "points": {"$corners": runs}}}


def corner_runs(drawing: Mapping[str, Any]) -> list[list[int | None]] | None:
    """The corners as runs of one model each: its index, a row, the steps to the next rows. None if a corner is
    not a row.

    The ends, which belong to no model if there are several, are [None, 0] and [None, 1].

    >>> model = {"name": "a", "thresholds": [None, 0.9, 0.4], "tp": [0, 3, 4], "fp": [0, 0, 5]}
    >>> names = "fpr", "tpr", "model", "threshold"
    >>> points = [dict(zip(names, row)) for row in [(0, 0, None, None), (0, 0.75, None, 0.9), (1, 1, None, 0.4)]]
    >>> corner_runs({"models": [model], "positives": 4, "negatives": 5, "hull": {"points": points}})
    [[None, 0], [0, 1, 1]]
    """
    models, points = drawing["models"], drawing["hull"]["points"]
    alone = 0 if len(models) == 1 else None
    by_name = {model["name"]: index for index, model in enumerate(models)}
    runs: list[list[int | None]] = []
    last = 0
    for point in points:
        index = alone if point["model"] is None else by_name[point["model"]]
        if point["threshold"] is None:
            index, row = None, int(point["fpr"])
            exact = (point["fpr"], point["tpr"]) == (row, row)
        elif index is None or point["threshold"] not in models[index]["thresholds"]:
            return None
        else:
            model, totals = models[index], (drawing["negatives"], drawing["positives"])
            row = model["thresholds"].index(point["threshold"])
            rates = [float(f"{model[side][row] / total:.9g}") for side, total in zip(("fp", "tp"), totals, strict=True)]
            exact = rates == [point["fpr"], point["tpr"]]
        if not exact:
            return None
        if index is not None and runs and runs[-1][0] == index:
            runs[-1].append(row - last)
        else:
            runs.append([index, row])
        last = row
    return runs


def _marked(value: Any) -> bool:
    if type(value) in PLAIN:
        return False
    if isinstance(value, Mapping):
        return any(str(key).startswith("$") or _marked(inner) for key, inner in value.items())
    return isinstance(value, list | tuple) and any(map(_marked, value))


def _packed(value: Any) -> Any:
    if isinstance(value, Mapping):
        records = list(value.values())
        if len(records) >= LEAST and _alike(records):
            return _rows(records) | {"$by": list(value)}
        return {key: _packed(inner) for key, inner in value.items()}
    if not isinstance(value, list | tuple) or len(value) < LEAST:
        return value if not isinstance(value, list | tuple) else [_packed(item) for item in value]
    if _alike(value):
        return _rows(value)
    shorter = [
        form for form in (_steps(value), _decimals(value)) if form is not None and _letters(form) < _letters(value)
    ]
    return min(shorter, key=_letters) if shorter else [_packed(item) for item in value]


def _alike(values: Sequence[Any]) -> bool:
    """Whether these are records with the same keys."""
    return all(isinstance(value, Mapping) and value and list(value) == list(values[0]) for value in values)


def _rows(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    names = list(records[0])
    return {"$rows": [[_packed(record[name]) for name in names] for record in records], "$of": names}


def _steps(numbers: Sequence[Any]) -> dict[str, Any] | None:
    """The numbers as differences in units of their last decimal.

    The first may be missing. None if that fails.
    """
    first = 1 if numbers[0] is None else 0
    kept = numbers[first:]
    if not all(type(value) in (int, float) for value in kept):
        return None
    digits = max(-int(Decimal(repr(value)).as_tuple().exponent) for value in kept)
    digits = max(0, digits) if any(float(value) % 1 for value in kept) else 0
    if digits > MOST_DIGITS:
        return None
    units = [round(value * 10**digits) for value in kept]
    if any(abs(unit) > 2**52 for unit in units) or [unit / 10**digits for unit in units] != [
        float(value) for value in kept
    ]:
        return None
    steps = [units[0], *(after - before for before, after in pairwise(units))]
    return {"$steps": [None] * first + steps} | ({"$digits": digits} if digits else {})


def _decimals(numbers: Sequence[Any]) -> dict[str, str] | None:
    """Numbers from 0 to 1 as the digits after "0.".

    Others are written in full, and a missing first one is empty.

    >>> _decimals([None, 0.9879308, 0.99, 0.5, 1.0])
    {'$decimals': ' 9879308 99 5 1.'}
    """
    first = 1 if numbers[0] is None else 0
    if not all(type(value) in (int, float) and 0 <= value <= 1 for value in numbers[first:]):
        return None
    words = [f"{Decimal(repr(value)):f}" for value in numbers[first:]]
    digits = [word[2:] if word.startswith("0.") else f"{word.split('.')[0]}." for word in words]
    return {"$decimals": " ".join([""] * first + digits)}


def _letters(value: Any) -> int:
    return len(json.dumps(value, separators=(",", ":")))
