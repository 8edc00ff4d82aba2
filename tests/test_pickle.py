"""Every result is pickled and copied, and says the same afterwards."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rocscope as rs


def results() -> dict[str, Any]:
    generator = np.random.default_rng(0)
    y, a, b = generator.integers(0, 2, 120), generator.random(120), generator.random(120)
    site = np.array(["north", "south"])[generator.integers(0, 2, 120)]
    ev = rs.evaluate(y, a, by={"site": site}, progress=lambda done, of: None, costs=rs.Costs(fp=1, fn=5))
    return {
        "Evaluation": ev,
        "Comparison": rs.compare(y, {"a": a, "b": b}),
        "ClassEvaluation": rs.evaluate(y, np.column_stack([1 - a, a]), labels=[0, 1]),
        "hard labels": rs.evaluate(y, predicted=(a > 0.5).astype(int)),
        "Gate": rs.gate(ev, "auc >= 0.1"),
        "Curve": rs.curves.roc(ev.table),
        "Hull": ev.hull(),
        "Optima": ev.best("youden"),
        "Estimate": ev.auc,
        "ScoreTable": ev.table,
    }


MADE = results()
WAYS: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda held: pickle.loads(pickle.dumps(held)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


def said(held: Any) -> str:
    if hasattr(held, "to_dict"):
        return repr(held.to_dict())
    return repr([point.words for point in held]) if isinstance(held, rs.decisions.Optima) else repr(held)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", MADE)
def test_a_result_survives(name: str, way: str) -> None:
    again = WAYS[way](MADE[name])
    assert type(again) is type(MADE[name])
    assert said(again) == said(MADE[name])


def test_a_validation_survives() -> None:
    linear = pytest.importorskip("sklearn.linear_model", reason="scikit-learn is not installed")
    generator = np.random.default_rng(1)
    features, y = generator.random((60, 2)), generator.integers(0, 2, 60)
    made = rs.validate({"lr": linear.LogisticRegression()}, features, y, plan="5-fold", seed=0)
    for way in WAYS.values():
        assert said(way(made)) == said(made)
