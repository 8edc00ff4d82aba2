"""The data of a report in fewer letters: columns of numbers as steps, lists of records as one table of rows.

How it works. Thresholds and counts are sorted, so the step from each number to the next is short where the number
itself is long: 0.988, 0.982, 0.98 are 988, 982 and 980 thousandths and are written as 988, -6, -2. Whole numbers add up
exactly, and one division by 1,000 gives the double that the decimal stands for. Records with the same keys name these
once. `page/src/core/packed.ts` reads it back; what would not be shorter stays as it is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any

LEAST = 4  # number of records or numbers below which packing does not save space
MOST_DIGITS = 12  # maximum number of decimals of packed numbers


def packed(value: Any) -> Any:
    """The same data, packed; untouched where one of its own keys could be taken for a mark of the packing.

    >>> packed({"fp": [10000, 10001, 10005, 10010, 10020, 10021], "name": "a"})
    {'fp': {'$steps': [10000, 1, 4, 5, 10, 1]}, 'name': 'a'}
    """
    return value if _marked(value) else _packed(value)


def _marked(value: Any) -> bool:
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
    steps = _steps(value)
    return steps if steps is not None and _letters(steps) < _letters(value) else [_packed(item) for item in value]


def _alike(values: Sequence[Any]) -> bool:
    """Whether these are records with the same keys."""
    return all(isinstance(value, Mapping) and value and list(value) == list(values[0]) for value in values)


def _rows(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    names = list(records[0])
    return {"$rows": [[_packed(record[name]) for name in names] for record in records], "$of": names}


def _steps(numbers: Sequence[Any]) -> dict[str, Any] | None:
    """The numbers as steps of whole units of their last decimal; the first may be missing. None where that fails."""
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


def _letters(value: Any) -> int:
    return len(json.dumps(value, separators=(",", ":")))
