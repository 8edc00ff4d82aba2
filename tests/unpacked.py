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


def _corners(drawing: dict[str, Any], runs: list[list[Any]]) -> list[dict[str, Any]]:
    """The corners of the hull, written as rows of the models."""
    points = []
    for index, *steps in runs:
        for row in accumulate(steps):
            model = drawing["models"][index] if index is not None else None
            point = {"fpr": row, "tpr": row, "model": None, "threshold": None}
            if model is not None:
                point = {
                    "fpr": float(f"{model['fp'][row] / drawing['negatives']:.9g}"),
                    "tpr": float(f"{model['tp'][row] / drawing['positives']:.9g}"),
                    "model": model["name"] if len(drawing["models"]) > 1 else None,
                    "threshold": model["thresholds"][row],
                }
            points.append(point)
    return points


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
    if "$decimals" in value:
        words = value["$decimals"].split(" ")
        return [None if not word else float(word if "." in word else f"0.{word}") for word in words]
    if "$rows" in value:
        records = [dict(zip(value["$of"], map(unpacked, row), strict=True)) for row in value["$rows"]]
        return dict(zip(value["$by"], records, strict=True)) if "$by" in value else records
    read = {name: unpacked(inner) for name, inner in value.items()}
    if isinstance(read.get("hull"), dict) and isinstance(read["hull"].get("points"), dict):
        read["hull"]["points"] = _corners(read, read["hull"]["points"]["$corners"])
    return read
