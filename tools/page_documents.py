"""Write page/test/documents/*.json: documents of every state of the page, with values that Python computed from them.

The node tests read them: what the page computes must equal `expected` to 1e-12.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from random import Random
from typing import Any

from rocscope import Costs, Counts, compare, decisions, evaluate, hull, intervals, measures
from rocscope.cli.shared.demo_loans import MODELS, POSITIVE, loans
from rocscope.evaluation import Comparison, Evaluation
from rocscope.table import ScoreTable

TARGET = Path(__file__).parent.parent / "page" / "test" / "documents"
CELLS = ("tp", "fp", "fn", "tn")
PRICES = ((1, 1), (1, 5), (2, 1), (1, 20))
SHARES = (0.02, 0.5)
MARKUP = (
    "</script><script>alert(1)</script>",
    '"><svg onload=alert(1)>',
    "${x} {{y}} {% z %}",
    "\u202edesrever\u200b\x1b[31m",
)


def documents() -> dict[str, dict[str, Any]]:
    """Every document by the name of its file."""
    return {name: made() for name, made in _MAKERS.items()}


# ---- the states ----


def _demo() -> dict[str, Any]:
    labels, *scores = zip(*loans(), strict=True)
    models = dict(zip(MODELS, scores, strict=True))
    return _with_expected(compare(labels, models, positive=POSITIVE, costs=Costs(fp=1, fn=5), unit="loan"))


def _one() -> dict[str, Any]:
    y, score = _sample(300, seed=3)
    return _with_expected(evaluate(y, score, costs=Costs(fp=1, fn=3), name="model"))


def _unpriced() -> dict[str, Any]:
    y, score = _sample(200, seed=4)
    return _with_expected(evaluate(y, score, name="model"))


def _weighted() -> dict[str, Any]:
    y, score = _sample(120, seed=5)
    draw = Random(6)
    return _with_expected(evaluate(y, score, weights=[round(0.2 + 3 * draw.random(), 3) for _ in y], name="weighted"))


def _labels() -> dict[str, Any]:
    y, score = _sample(200, seed=7)
    return evaluate(y, predicted=[int(one >= 0.5) for one in score], name="rules").to_dict(drawing=True)


def _one_class() -> dict[str, Any]:
    return _with_expected(evaluate([0] * 40, [i / 40 for i in range(40)], positive=1, name="negatives"))


def _backwards() -> dict[str, Any]:
    y, score = _sample(200, seed=8)
    return _with_expected(evaluate(y, [1 - one for one in score], name="turned"))


def _lower() -> dict[str, Any]:
    y, score = _sample(150, seed=9)
    found = evaluate(
        y, [round(100 * (1 - one)) for one in score], higher_is_positive=False, costs=Costs(fp=1, fn=4), name="low"
    )
    return _with_expected(found)


def _thinned() -> dict[str, Any]:
    y, score = _sample(4000, seed=10, digits=9)
    _, other = _sample(4000, seed=11, digits=9)
    mixed = [0.6 * a + 0.4 * b for a, b in zip(score, other, strict=True)]
    return _with_expected(compare(y, {"fine": score, "mixed": mixed}, costs=Costs(fp=1, fn=6)))


def _markup() -> dict[str, Any]:
    y, _ = _sample(60, seed=12)
    models = {name: _sample(60, seed=20 + place)[1] for place, name in enumerate(MARKUP)}
    labels = ["<b>yes</b>" if one else "no\u202e" for one in y]
    return _with_expected(compare(labels, models, positive="<b>yes</b>", unit="<i>", costs=Costs(fp=1, fn=2)))


def _many() -> dict[str, Any]:
    y, score = _sample(240, seed=13)
    draw = Random(14)
    models = {f"model {place:02d}": [_mixed(one, draw, place / 16) for one in score] for place in range(14)}
    return _with_expected(compare(y, models, costs=Costs(fp=1, fn=3)))


def _classes() -> dict[str, Any]:
    draw = Random(15)
    y = [draw.randrange(14) for _ in range(700)]
    decided = [(one + 1) % 14 if draw.random() < 0.2 else one for one in y]
    names = [f"class {one}" for one in range(14)]
    return evaluate([names[one] for one in y], predicted=[names[one] for one in decided]).to_dict(drawing=True)


def _two_points() -> dict[str, Any]:
    """C4.5 at (0.2, 0.7) and SVM at (0.5, 0.95): the classic switch at slope 5/6."""
    y = [1] * 20 + [0] * 20
    first = [1.0] * 14 + [0.0] * 6 + [1.0] * 4 + [0.0] * 16
    second = [1.0] * 19 + [0.0] * 1 + [1.0] * 10 + [0.0] * 10
    return _with_expected(compare(y, {"C4.5": first, "SVM": second}, costs=Costs(fp=1, fn=1)))


_MAKERS = {
    "demo": _demo, "one": _one, "unpriced": _unpriced, "weighted": _weighted, "labels": _labels,
    "one_class": _one_class, "backwards": _backwards, "lower": _lower, "thinned": _thinned, "markup": _markup,
    "many": _many, "classes": _classes, "two_points": _two_points,
}  # fmt: skip


def _sample(size: int, *, seed: int, digits: int = 3) -> tuple[list[int], list[float]]:
    """Labels and probabilities from a seed, the same on every machine."""
    draw = Random(seed)
    y, score = [], []
    for _ in range(size):
        one = int(draw.random() < 0.3)
        odds = (1.1 if one else -1.2) + 2.6 * (draw.random() + draw.random() + draw.random() - 1.5)
        y.append(one)
        score.append(round(1 / (1 + math.exp(-odds)), digits))
    return y, score


def _mixed(one: float, draw: Random, share: float) -> float:
    return round((1 - share) * one + share * draw.random(), 3)


# ---- what the page must compute ----


def _with_expected(found: Evaluation | Comparison | Any) -> dict[str, Any]:
    evaluations = found.evaluations if isinstance(found, Comparison) else {found.name or "model": found}
    document: dict[str, Any] = found.to_dict(drawing=True)
    kept = {model["name"]: model for model in document["drawing"]["models"]}
    expected = [_at(kept[name], ev) for name, ev in evaluations.items()]
    tables = {name: ev.table for name, ev in evaluations.items()}
    return document | {"expected": {"rows": [row for rows in expected for row in rows], "best": _best(tables, kept)}}


def _at(model: Mapping[str, Any], ev: Evaluation) -> list[dict[str, Any]]:
    """Some rows of a model: counts, every measure of the catalog, some intervals."""
    rows = sorted(
        {
            0,
            1,
            len(model["tp"]) // 3,
            len(model["tp"]) // 2,
            len(model["tp"]) - 1,
            *([model["point"]] if model["point"] is not None else []),
        }
    )
    return [_row(model, ev, row) for row in rows if row < len(model["tp"])]


def _row(model: Mapping[str, Any], ev: Evaluation, row: int) -> dict[str, Any]:
    threshold = model["thresholds"][row]
    far = math.inf if ev.table.higher_is_positive else -math.inf
    counts = ev.table.at(far if threshold is None else threshold)
    named = {one.name: _plain(counts.value(one.name)) for one in measures.catalog() if one.formula is not None}
    shares = {
        name: counts.estimate(name, level=ev.settings.level).to_dict()
        for name in ("recall", "precision", "f1", "mcc", "accuracy")
    }
    return {
        "model": model["name"], "row": row, "threshold": threshold,
        "counts": {name: _plain(cell) for name, cell in zip(CELLS, counts.cells.values(), strict=True)},
        "measures": named, "estimates": shares, "costs": list(_costs(counts, ev)),
    }  # fmt: skip


def _costs(counts: Counts, ev: Evaluation) -> Iterable[dict[str, Any]]:
    if not (ev.table.positives and ev.table.negatives):
        return
    for fp, fn in PRICES:
        for share in (None, *SHARES):
            found = intervals.expected_cost(counts, Costs(fp=fp, fn=fn, prevalence=share), level=ev.settings.level)
            yield {
                "fp": fp,
                "fn": fn,
                "prevalence": share,
                "per_1000": {side: _plain(1000 * getattr(found, side)) for side in ("value", "low", "high")},
            }


def _best(tables: Mapping[str, ScoreTable], kept: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The cheapest model and threshold at several costs and prevalences, and the cheapest row of each model."""
    first = next(iter(tables.values()))
    if not (first.positives and first.negatives):
        return []
    corners = hull.hull(dict(tables))
    found = []
    for fp, fn in PRICES:
        for share in (None, *SHARES):
            costs = Costs(fp=fp, fn=fn, prevalence=share)
            best = corners.best(costs=costs)
            rows = {name: _cheapest_row(table, kept[name], costs) for name, table in tables.items()}
            found.append(
                {
                    "fp": fp,
                    "fn": fn,
                    "prevalence": share,
                    "model": best.model,
                    "fpr": best.fpr,
                    "tpr": best.tpr,
                    "rows": rows,
                }
            )
    return found


def _cheapest_row(table: ScoreTable, model: Mapping[str, Any], costs: Costs) -> int | None:
    """The row of the kept table that is cheapest: every corner of the hull is kept, so none is lost."""
    counts = decisions.best(table, "cost", costs=costs)[0].counts
    pairs = list(zip(model["tp"], model["fp"], strict=True))
    wanted = (_plain(counts.tp), _plain(counts.fp))
    return next(
        (
            row
            for row, pair in enumerate(pairs)
            if math.isclose(pair[0], wanted[0]) and math.isclose(pair[1], wanted[1])
        ),
        None,
    )


def _plain(value: Any) -> Any:
    if isinstance(value, int):
        return value
    return float(value) if math.isfinite(float(value)) else None


def text(document: Mapping[str, Any]) -> str:
    """A document as its file has it."""
    return json.dumps(document, ensure_ascii=True, allow_nan=False, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    TARGET.mkdir(parents=True, exist_ok=True)
    for name, document in documents().items():
        (TARGET / f"{name}.json").write_text(text(document), encoding="utf-8")
