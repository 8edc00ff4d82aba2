"""Spark gives the answer of every other path, few cases because each takes seconds, or refuses when a task fails."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import differential
import pytest
from differential import TypedCase, differences

import rocscope as rs

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore")]
CASES = {
    "text labels": TypedCase(
        ("string", ["False", "True"] * 4), ("float64", [0.1, 0.9, 0.3, 0.3, -0.0, 0.0, 1e-300, 0.5])
    ),
    "a blank label": TypedCase(("string", ["0", "1", "\u00a0", "0", "1"]), ("float64", [0.5, 0.25, 0.5, 0.125, 0.1])),
    "small beside huge": TypedCase(("int64", [0, 1, 1, 0, 1]), ("float64", [1e300, -1e-300, 0.5, -5e-324, 0.1])),
    "durations as labels": TypedCase(("duration", [0, 1, 0, 1]), ("float64", [0.1, 0.2, 0.3, 0.4])),
    "a truth value for a number": TypedCase(("int64", [0, 1, 0, 1]), ("int64", [1, 2, 3, 4]), positive=False),
    "a number for a truth value": TypedCase(("bool", [False, True] * 2), ("int64", [1, 2, 3, 4]), positive=0),
    "a missing label": TypedCase(("int64", [0, 1, None, 0, 1]), ("float64", [0.5, 0.25, 0.5, 0.125, 0.1])),
}


@pytest.mark.parametrize("name", CASES)
def test_spark_gives_the_same_answer(name: str, make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(differential.ENGINES, "spark", make("pyspark"))
    wrong, found = differences(CASES[name], ("spark",))
    assert "spark, cells" in found and not wrong, wrong


def failing(killed: bool) -> Any:
    """A task that raises on the last of the rows, or whose worker is killed there."""

    def task(parts: Iterator[Any]) -> Iterator[Any]:  # sent by value: a worker cannot import this file
        for part in parts:
            if (part["y"] == 2).any() and killed:
                os.kill(os.getpid(), signal.SIGKILL)
            if (part["y"] == 2).any():
                raise RuntimeError("the model did not answer")
            yield part

    return task


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Any:
    """4,000 rows in four tasks; the last has the label 2."""
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    session = request.getfixturevalue("spark")
    monkeypatch.setattr(session.sparkContext, "pythonExec", sys.executable)
    return session.range(0, 4000, numPartitions=4).selectExpr(
        "case when id = 3999 then 2 else id % 2 end as y", "cast(id * 37 % 101 as double) as p"
    )


@pytest.mark.parametrize(("killed", "says"), [(False, "RuntimeError: the model did not answer"), (True, "crashed")])
@pytest.mark.parametrize("budget", [None, 0], ids=["sums", "cells"])
def test_a_task_that_fails_is_refused_and_nothing_is_written(
    killed: bool, says: str, budget: int | None, rows: Any, tmp_path: Path
) -> None:
    held = rows.mapInPandas(failing(killed), "y long, p double")
    written = tmp_path / "report.html"
    with pytest.raises(rs.RocscopeError, match=f"Spark could not compute this: .*{says}") as refused:
        rs.evaluate(held, label="y", score="p", budget=budget).save(str(written))
    assert "\n" not in str(refused.value) and refused.value.__cause__ is not None
    assert not list(tmp_path.iterdir())
    healthy = rows.filter("y < 2")  # the session goes on
    ours = rs.evaluate(healthy.toPandas(), label="y", score="p")
    assert abs(float(rs.evaluate(healthy, label="y", score="p", budget=budget).auc) - float(ours.auc)) < 1e-6
