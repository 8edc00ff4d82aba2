"""Freeze what PyCM says about a dozen confusion matrices: python tests/oracles/make_pycm.py

Every statistic that is a number (or undefined, which PyCM writes as the text None) is kept; grades such as
"Poor" or "Strong" are not. Rows are actual classes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

MATRICES = {
    "iris petals": [[7, 3], [7, 13]],
    "spam": [[70, 70], [30, 330]],
    "flu": [[620, 380], [180, 8820]],
    "balls": [[2, 2], [5, 1]],
    "around fifty thousand": [[60000, 40000], [50000, 70000]],
    "perfect": [[10, 0], [0, 20]],
    "all wrong": [[0, 5], [6, 0]],
    "nothing flagged": [[0, 4], [0, 6]],
    "no false positive": [[5, 3], [0, 12]],
    "three irises": [[10, 0, 0], [0, 7, 3], [0, 5, 5]],
    "animals": [[5, 3, 0], [2, 3, 1], [0, 2, 11]],
    "never predicted": [[5, 2, 0], [3, 4, 0], [1, 1, 0]],
    "never met": [[5, 2, 1], [3, 4, 2], [0, 0, 0]],
    "neither met nor predicted": [[5, 2, 0], [3, 4, 0], [0, 0, 0]],
    "five": [[31, 2, 0, 5, 1], [4, 27, 3, 0, 2], [1, 6, 8, 1, 0], [7, 0, 2, 40, 3], [2, 1, 1, 4, 60]],
}
GRADES = ("PLRI", "NLRI", "DPI", "AUCI", "MCCI", "QI", "SOA")


def number(value: Any) -> Any:
    """A number, a list of numbers, or None for what is undefined."""
    if isinstance(value, tuple):
        return [number(part) for part in value]
    return None if value == "None" else value


def freeze(matrix: list[list[int]]) -> dict[str, Any]:
    """All numbers that PyCM gives, by class (in order) and overall."""
    from pycm import ConfusionMatrix

    found = ConfusionMatrix(matrix={i: dict(enumerate(row)) for i, row in enumerate(matrix)})
    by_class = {
        name: [number(values[i]) for i in range(len(matrix))]
        for name, values in found.class_stat.items()
        if not name.startswith(GRADES)
    }
    overall = {name: number(value) for name, value in found.overall_stat.items() if not name.startswith(GRADES)}
    return {"matrix": matrix, "class": by_class, "overall": overall}


def main() -> None:
    """Write pycm.json beside this file, one matrix to a line."""
    import pycm

    rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps(freeze(m))}" for name, m in MATRICES.items())
    text = f'{{\n "pycm": "{pycm.__version__}",\n "matrices": {{\n{rows}\n }}\n}}\n'
    Path(__file__).with_name("pycm.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
