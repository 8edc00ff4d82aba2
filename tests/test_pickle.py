"""Every result is pickled and copied, and says the same afterwards."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import re
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
        "an estimate without limits": rs.estimate.Estimate(0.5),
        "ScoreTable": ev.table,
        "Counts": ev.at(0.5),
        "Confusion": rs.Confusion.from_labels(y, (a > 0.5).astype(int)),
        "LabelEvaluation": rs.evaluate(np.column_stack([y, 1 - y]), np.column_stack([a, b])),
        "ClassComparison": rs.compare(site, {"a": site, "b": site[::-1]}),
        "CriticalDifference": rs.significance.nemenyi([[0.9, 0.8], [0.8, 0.7], [0.9, 0.85]], names=["a", "b"]),
        "Pairs": rs.splits.plan("3-fold", y),
        "Plan": rs.splits.named("5x2"),
        "Costs": rs.Costs(fp=1, fn=5),
        "Costs of classes": rs.Costs.matrix([[0, 1], [5, 0]], labels=["a", "b"]),
        "Recalibration": rs.recalibrate(y, a, method="isotonic"),
        "Calibrator": rs.recalibrate(y, a, method="isotonic").calibrator,
        "Band": rs.intervals.roc_band(ev.table),
        "Selection": rs.intervals.after_choice(ev.table, "youden"),
        "Measure": rs.measures.get("f1"),
        "slices": ev.slices,
    }


MADE = results()
CLOUD = "cloudpickle, as joblib, dask and Spark have it"


def _by_dask(held: Any) -> Any:
    """As dask sends a value from one worker to another."""
    protocol = pytest.importorskip("distributed.protocol", reason="dask is not installed")
    return protocol.deserialize(*protocol.serialize(held))


def _by_spark(held: Any) -> Any:
    """As Spark sends a value to its Python workers and back."""
    serializers = pytest.importorskip("pyspark.serializers", reason="PySpark is not installed")
    made = serializers.CloudPickleSerializer()
    return made.loads(made.dumps(held))


WAYS: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda held: pickle.loads(pickle.dumps(held)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "an old protocol": lambda held: pickle.loads(pickle.dumps(held, protocol=2)),
    CLOUD: lambda held: pickle.loads(pytest.importorskip("cloudpickle").dumps(held)),
    "dask": _by_dask,
    "Spark": _by_spark,
}


def said(held: Any) -> str:
    """What it holds, as text: floats to twelve digits, since copies of arrays may be summed in another order."""
    if hasattr(held, "to_dict"):
        text = repr(held.to_dict())
    elif isinstance(held, rs.splits.Pairs):
        text = repr([(train.tolist(), test.tolist()) for train, test in held])
    else:
        text = repr([point.words for point in held] if isinstance(held, rs.decisions.Optima) else held)
    return re.sub(r"\d+\.\d{12,}(e-?\d+)?", lambda found: f"{float(found[0]):.12g}", re.sub(r" at 0x\w+", "", text))


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


IDENTICAL = {
    "Evaluation", "Comparison", "ClassEvaluation", "hard labels", "LabelEvaluation", "ClassComparison", "Gate",
    "slices",
}  # fmt: skip
"""Answers that compute what they are asked for, and what holds one: equal to themselves alone; compare `to_dict()`."""


@pytest.mark.parametrize("name", sorted(set(MADE) - IDENTICAL))
def test_equal_results_are_equal(name: str) -> None:
    here, again = MADE[name], pickle.loads(pickle.dumps(MADE[name]))
    assert again is not here and again == here
    assert not (again != here) and here != 0.123  # noqa: SIM202 - a list has both methods


def test_results_of_other_cases_differ() -> None:
    other = rs.evaluate([1, 0, 1, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3], costs=rs.Costs(fp=1, fn=5))
    for name, made in {
        "Curve": rs.curves.roc(other.table), "Hull": other.hull(), "Optima": other.best("youden"),
        "Band": rs.intervals.roc_band(other.table), "Selection": rs.intervals.after_choice(other.table, "youden"),
    }.items():  # fmt: skip
        assert type(made) is type(MADE[name]) and made != MADE[name]
    assert rs.curves.roc(MADE["ScoreTable"]) == MADE["Curve"] != rs.curves.pr(MADE["ScoreTable"])


def test_results_come_back_from_other_processes() -> None:
    """By joblib, and by multiprocessing with new interpreters, there and back."""
    joblib = pytest.importorskip("joblib", reason="joblib is not installed")
    generator = np.random.default_rng(1)
    cases = [(generator.integers(0, 2, 50), generator.random(50)) for _ in range(2)]
    here = [said(rs.evaluate(*given)) for given in cases]
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(rs.evaluate)(*given) for given in cases)
    assert [said(one) for one in found] == here
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert said(pool.apply(copy.copy, [found[0]])) == here[0]
        with pytest.raises(rs.RocscopeError, match=r"no measure 'accuracie'\. Did you mean 'accuracy'") as refused:
            pool.apply(rs.measures.get, ["accuracie"])
    assert refused.value.hint == "Did you mean 'accuracy'?"


def test_equal_estimates_are_equal_after_a_copy() -> None:
    for found in (rs.estimate.Estimate(0.5), rs.estimate.undefined("no positives"), MADE["Estimate"]):
        assert pickle.loads(pickle.dumps(found)) == found and copy.deepcopy(found) == found
    assert rs.estimate.Estimate(0.5) != rs.estimate.Estimate(0.5, 0.4, 0.6)
