"""Spark gives the answer of every other path: cases of the differential fuzzer, few because each takes seconds."""

from __future__ import annotations

from typing import Any

import differential
import pytest
from differential import TypedCase, differences

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore")]
CASES = {
    "text labels": TypedCase(
        ("string", ["False", "True"] * 4), ("float64", [0.1, 0.9, 0.3, 0.3, -0.0, 0.0, 1e-300, 0.5])
    ),
    "a blank label": TypedCase(("string", ["0", "1", "\u00a0", "0", "1"]), ("float64", [0.5, 0.25, 0.5, 0.125, 0.1])),
    "small beside huge": TypedCase(("int64", [0, 1, 1, 0, 1]), ("float64", [1e300, -1e-300, 0.5, -5e-324, 0.1])),
    "a missing label": TypedCase(("int64", [0, 1, None, 0, 1]), ("float64", [0.5, 0.25, 0.5, 0.125, 0.1])),
}


@pytest.mark.parametrize("name", CASES)
def test_spark_gives_the_same_answer(name: str, make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(differential.ENGINES, "spark", make("pyspark"))
    wrong, found = differences(CASES[name], ("spark",))
    assert "spark, cells" in found and not wrong, wrong
