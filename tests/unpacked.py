"""What a report holds, read back in Python as the page reads it (page/src/core/packed.ts)."""

from __future__ import annotations

import json
import re
from itertools import accumulate
from typing import Any


def held_in(page: str) -> dict[str, Any]:
    """The results document inside the text of a report."""
    found = re.search(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
    assert found is not None
    held: dict[str, Any] = unpacked(json.loads(found[1]))
    return held


def unpacked(value: Any) -> Any:
    """The data before they were packed."""
    if isinstance(value, list):
        return [unpacked(one) for one in value]
    if not isinstance(value, dict):
        return value
    if "$steps" in value:
        first = [one for one in value["$steps"][:1] if one is None]
        unit = 10 ** value.get("$digits", 0)
        return first + [one / unit for one in accumulate(value["$steps"][len(first) :])]
    if "$rows" in value:
        records = [dict(zip(value["$of"], map(unpacked, row), strict=True)) for row in value["$rows"]]
        return dict(zip(value["$by"], records, strict=True)) if "$by" in value else records
    return {name: unpacked(inner) for name, inner in value.items()}
