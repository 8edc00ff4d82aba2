"""The small drawings on the cards of the start page, as SVG."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rocscope.serve.pages import inert


def thumbnail(picture: Mapping[str, Any]) -> str:
    """A curve, points with their hull, cells, or a formula, 70 pixels wide."""
    kind = picture["kind"]
    inside = ""
    if kind in ("curve", "points"):
        inside = _roc(picture["points"], curve=kind == "curve")
    elif kind == "cells":
        inside = _cells(picture["cells"])
    elif kind == "formula":
        inside = (
            f'<text x="35" y="30" text-anchor="middle">{inert(picture["top"])}</text>'
            '<line class="rule" x1="8" y1="38" x2="62" y2="38"/>'
            f'<text x="35" y="56" text-anchor="middle">{inert(picture["bottom"])}</text>'
        )
    return f'<svg viewBox="0 0 70 70" aria-hidden="true">{inside}</svg>'


def _roc(points: Sequence[Sequence[float]], *, curve: bool) -> str:
    at = [(2 + 66 * x, 68 - 66 * y) for x, y in points]
    line = " ".join(f"{x:.2f},{y:.2f}" for x, y in at)
    dots = "" if curve else "".join(
        f'<circle class="{"other" if place else "dot"}" cx="{x:.2f}" cy="{y:.2f}" r="4"/>'
        for place, (x, y) in enumerate(at[1:-1])
    )  # fmt: skip
    return (
        '<path class="frame" d="M2 2V68H68"/><path class="chance" d="M2 68L68 2"/>'
        f'<polyline class="{"stroke" if curve else "hull"}" points="{line}"/>{dots}'
    )


def _cells(rows: Sequence[Sequence[float]]) -> str:
    side, most = 68 / len(rows), max(1.0, *(value for row in rows for value in row))
    found = []
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            deep = 0.08 + 0.6 * math.sqrt(value / most)
            found.append(
                f'<rect class="{"right" if i == j else "wrong"}" x="{1 + j * side:.2f}" y="{1 + i * side:.2f}" '
                f'width="{side - 2:.2f}" height="{side - 2:.2f}" rx="3" fill-opacity="{deep:.2f}"/>'
            )
            if value and len(rows) < 4 and len(str(value)) < 4:
                x, y = j * side + side / 2, i * side + side / 2 + 5
                found.append(f'<text x="{x:.2f}" y="{y:.2f}" text-anchor="middle">{inert(value)}</text>')
    return "".join(found)
