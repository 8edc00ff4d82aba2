"""Numbers that the page must compute as Python does: measures and costs of four cells, and the choice of thresholds.

Writes page/test/documents/cells.json, read by page/test/cells.test.ts: `python tools/page_cells.py`.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from rocscope import Costs, Counts, ScoreTable, decisions, estimate, intervals, measures
from rocscope.estimate import Estimate
from rocscope.hull import hull

TARGET = Path(__file__).parent.parent / "page" / "test" / "documents" / "cells.json"
TABLES = (
    (7, 7, 3, 13), (625, 390, 335, 10650), (0, 0, 5, 20), (5, 20, 0, 0), (5, 0, 0, 20), (1, 0, 9, 90), (10, 1, 0, 0),
    (250000, 30000, 12345, 4000000),
)  # fmt: skip
WEIGHTED = (((12.5, 3.25, 4.75, 80.5), (20.0, 4.5, 6.25, 110.0)), ((2.0, 1.5, 0.0, 9.0), (1.2, 0.9, 0.0, 5.5)))
SHARES = (None, 0.02, 0.3)
PRICES = ((1.0, 5.0), (1.0, 1.0), (3.0, 0.5))


def main() -> None:
    """Write the file."""
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(written(), encoding="utf-8")


def written() -> str:
    """The content of the file."""
    found = {
        "cells": [_cells(Counts.of(cells), share) for cells in TABLES for share in SHARES]
        + [_cells(Counts.of(cells, squares=squares), share) for cells, squares in WEIGHTED for share in SHARES],
        "tables": [_table(seed) for seed in range(6)],
    }
    return json.dumps(found, separators=(",", ":"), allow_nan=False) + "\n"


def _cells(counts: Counts, share: float | None) -> dict[str, Any]:
    both = counts.tp + counts.fn and counts.fp + counts.tn
    used = share if both else None
    rows = {
        one.name: _written(estimate.of(one, counts, prevalence=used))
        for one in measures.catalog()
        if one.formula is not None
    }
    costs = [_written(intervals.expected_cost(counts, Costs(fp=fp, fn=fn, prevalence=used))) for fp, fn in PRICES]
    squares = None if counts.squares is None else [float(one) for one in counts.squares]
    return {
        "cells": list(counts.cells.values()), "squares": squares, "prevalence": used,
        "measures": rows, "prices": PRICES, "costs": costs,
    }  # fmt: skip


def _written(one: Estimate) -> list[Any]:
    """Value and limits, the method, and the reason where the value is undefined; short, for there are thousands."""
    numbers = [x if math.isfinite(x) else None for x in (one.value, one.low, one.high)]
    return [*numbers, one.method] if numbers[0] is not None else [*numbers, one.method, one.why]


def _table(seed: int) -> dict[str, Any]:
    """A small table, and the counts that each rule chooses at some costs and prevalences."""
    rng = np.random.default_rng(seed)
    actual = rng.random(60 + 40 * seed) < 0.25
    scores = np.round(np.clip(rng.normal(0.35 + 0.25 * actual, 0.2), 0, 1), 2 if seed % 2 else 3)
    t = ScoreTable.from_scores(actual.astype(int), scores)
    along = t.along()
    rules = {name: _tied(t, name) for name in ("youden", "closest", "f1")}
    priced = [
        {"fp": fp, "fn": fn, "prevalence": share, "tied": _tied(t, "cost", costs), "touches": _corner(t, costs)}
        for fp, fn in PRICES
        for share in SHARES
        for costs in (Costs(fp=fp, fn=fn, prevalence=share),)
    ]
    precise = {str(limit): _tied(t, f"recall where precision >= {limit}") for limit in (0.3, 0.5, 0.6)}
    top = {str(part): int(t.position(decisions.top(t, share=part).within.threshold)) for part in (0.01, 0.05, 0.2, 1.0)}
    return {
        "thresholds": [None, *t.scores.tolist()], "tp": along.tp.tolist(), "fp": along.fp.tolist(),
        "positives": t.positives, "negatives": t.negatives,
        "hull": [[p.fpr, p.tpr] for p in hull(t).points],
        "rules": rules, "priced": priced, "precise": precise, "top": top,
    }  # fmt: skip


def _tied(t: ScoreTable, rule: str, costs: Costs | None = None) -> list[int]:
    return [int(t.position(one.threshold)) for one in decisions.best(t, rule, costs=costs)]


def _corner(t: ScoreTable, costs: Costs) -> list[float]:
    point = hull(t).best(costs=costs)
    return [point.fpr, point.tpr]


if __name__ == "__main__":
    main()
