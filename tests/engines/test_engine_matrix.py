"""The same question to a file and to every engine: evaluate and compare, exact and certified, weights, gaps, slices."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rocscope as rs
from tests.engines.conftest import DATABASES

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
Maker = Callable[[str], Callable[[pa.Table], Any]]
N = 1500
SPARK, DASK = pytest.param("pyspark", marks=pytest.mark.spark), pytest.param("dask", marks=pytest.mark.dask)
KINDS = [*DATABASES, "sqlframe", DASK, SPARK]
ASKED: dict[str, dict[str, Any]] = {
    "plain": {},
    "weights": {"weights": "w"},
    "slices": {"by": ["region", "year"]},
    "all": {"weights": "k", "by": "region"},
}


def predictions() -> pa.Table:
    """Predictions with ties and without, with gaps in every column, NaN where an engine may have it as NULL."""
    rng = np.random.default_rng(11)
    truth = rng.integers(0, 2, N)
    y, a = truth.tolist(), np.round(np.clip(truth * 0.2 + rng.random(N) * 0.8, 0, 1), 3).tolist()
    b, w, k = (rng.normal(size=N) + truth).tolist(), (rng.random(N) + 0.1).tolist(), rng.integers(1, 6, N).tolist()
    y[3] = a[4] = b[5] = w[6] = k[7] = None
    a[8] = math.nan
    region: list[Any] = rng.choice(["north", "south", "west"], N).tolist()
    region[20] = None
    year = rng.integers(2023, 2026, N).tolist()
    return pa.table({"y": y, "a": a, "b": b, "w": w, "k": k, "region": region, "year": year})


TABLE = predictions()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("matrix") / "predictions.parquet"
    pq.write_table(TABLE, path)
    return path


@pytest.fixture
def frame(request: pytest.FixtureRequest, make: Maker) -> Any:
    return make(request.param)(TABLE)


def same_slices(found: Any, wanted: Any, bound: float) -> None:
    assert len(found.slices) == len(wanted.slices)
    for mine, theirs in zip(found.slices, wanted.slices, strict=True):
        areas = {one.name: one.evaluation for one in theirs}
        assert {one.name for one in mine} == set(areas)
        for one in mine:
            limit = max(bound, one.evaluation.table.bound)
            other = areas[one.name]
            assert one.evaluation.table.rows == other.table.rows
            if one.evaluation.auc.why == "":
                assert float(one.evaluation.auc) == pytest.approx(float(other.auc), abs=limit + 1e-9)


# a cluster takes seconds for a query: it is asked everything at once, and the rest once in tests/engines/test_kinds.py
EVALUATED = [
    *((kind, "b", asked) for kind in (*DATABASES, "sqlframe") for asked in ("plain", "weights", "slices")),
    *((kind, "a", "all") for kind in (*DATABASES, "sqlframe")),
    pytest.param("dask", "b", "all", marks=pytest.mark.dask),
    pytest.param("pyspark", "b", "all", marks=pytest.mark.spark),
]


@pytest.mark.parametrize(("frame", "score", "asked"), EVALUATED, indirect=["frame"])
def test_evaluate_as_the_file(frame: Any, file: Path, score: str, asked: str) -> None:
    given: dict[str, Any] = {"label": "y", "score": score, "missing": "drop", **ASKED[asked]}
    wanted, exact, certified = (
        rs.evaluate(file, **given), rs.evaluate(frame, **given), rs.evaluate(frame, **given, budget=0),
    )  # fmt: skip
    assert exact.left_out == certified.left_out == wanted.left_out
    assert exact.table.bound == 0.0
    np.testing.assert_array_equal(exact.table.scores, wanted.table.scores)
    for name in ("pos", "neg"):
        np.testing.assert_allclose(getattr(exact.table, name), getattr(wanted.table, name), rtol=1e-12)
    for name in ("value", "low", "high"):
        assert getattr(exact.auc, name) == pytest.approx(getattr(wanted.auc, name), abs=1e-12)
    assert certified.table.bound <= 1e-6
    assert float(certified.auc) == pytest.approx(float(wanted.auc), abs=certified.table.bound + 1e-12)
    same_slices(exact, wanted, 0.0)
    same_slices(certified, wanted, certified.table.bound)


@pytest.mark.parametrize("asked", [{"weights": "w"}], ids=["weights"])
@pytest.mark.parametrize("frame", KINDS, indirect=True)
def test_compare_as_the_file(frame: Any, file: Path, asked: dict[str, Any]) -> None:
    given: dict[str, Any] = {"label": "y", "score": ["a", "b"], "missing": "drop", **asked}
    wanted = rs.compare(file, **given).differences[0].estimate
    for extra, within in (({}, 1e-9), ({"budget": 0}, 1e-4)):
        found = rs.compare(frame, **given, **extra).differences[0].estimate
        for name in ("value", "low", "high"):
            assert getattr(found, name) == pytest.approx(getattr(wanted, name), abs=within)


@pytest.mark.parametrize("frame", [*DATABASES, "sqlframe"], indirect=True)
def test_gaps_are_refused_as_in_the_file(frame: Any, file: Path) -> None:
    said = []
    for given in (frame, file):
        with pytest.raises(rs.RocscopeError, match="'a' in 2 rows") as refused:
            rs.evaluate(given, label="y", score="a")
        said.append(re.sub(r" \(first at row \d+\)", "", str(refused.value).partition("'y'")[2]))  # no order of rows
    assert said[0] == said[1]


def test_a_looser_tolerance_sends_fewer_cells(make: Maker) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200_000)
    frame = make("ibis duckdb")(pa.table({"y": y, "p": rng.normal(size=len(y)) + y}))
    fine, coarse = (
        rs.evaluate(frame, label="y", score="p", budget=0, tolerance=tolerance).table for tolerance in (1e-6, 1e-3)
    )
    assert fine.bound <= 1e-6 < coarse.bound <= 1e-3
    assert len(coarse) * 4 < len(fine)
