"""The same question to a file and to every engine: evaluate and compare, exact and certified, weights, gaps, slices."""

from __future__ import annotations

import importlib
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
certified, sums, survey = (  # the package has functions of these names
    importlib.import_module(f"rocscope.sources.engines.{name}") for name in ("certified", "sums", "survey")
)
Maker = Callable[[str], Callable[[pa.Table], Any]]
N = 1500
CLUSTERS = {"dask": pytest.mark.dask, "pyspark": pytest.mark.spark, "spark connect": pytest.mark.spark}
KINDS = [*DATABASES, "sqlframe", *(pytest.param(kind, marks=mark) for kind, mark in CLUSTERS.items())]
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
    *(pytest.param(kind, "b", "all", marks=mark) for kind, mark in CLUSTERS.items()),
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


@pytest.mark.parametrize("frame", KINDS, indirect=True)
def test_compare_as_the_file(frame: Any, file: Path) -> None:
    given: dict[str, Any] = {"label": "y", "score": ["a", "b"], "missing": "drop", "weights": "w", "by": "region"}
    wanted = rs.compare(file, **given)
    for extra, within in (({}, 1e-9), ({"budget": 0}, 1e-4)):
        found = rs.compare(frame, **given, **extra)
        for name in ("value", "low", "high"):
            mine, theirs = (getattr(one.differences[0].estimate, name) for one in (found, wanted))
            assert mine == pytest.approx(theirs, abs=within)
        for model in ("a", "b"):
            mine, theirs = found.evaluations[model], wanted.evaluations[model]
            assert mine.left_out == theirs.left_out
            same_slices(mine, theirs, mine.table.bound)


@pytest.mark.parametrize("frame", [*DATABASES, "sqlframe"], indirect=True)
def test_gaps_are_refused_as_in_the_file(frame: Any, file: Path) -> None:
    said = []
    for given in (frame, file):
        with pytest.raises(rs.RocscopeError, match="'a' in 2 rows") as refused:
            rs.evaluate(given, label="y", score="a")
        said.append(re.sub(r" \(first at row \d+\)", "", str(refused.value).partition("'y'")[2]))  # no order of rows
    assert said[0] == said[1]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Rows and bytes of every answer of an engine."""
    found: list[tuple[int, int]] = []
    collect = sums.collect

    def counted(frame: Any) -> Any:
        columns = collect(frame)
        held = [column.values for column in columns.values()]
        found.append((len(held[0]), sum(values.nbytes for values in held)))
        return columns

    for module in (sums, certified, survey):
        monkeypatch.setattr(module, "collect", counted)
    return found


SHAPES: dict[str, Callable[[Any, int], Any]] = {
    "even": lambda rng, n: rng.random(n),
    "normal": lambda rng, n: rng.normal(size=n),
    "rare": lambda rng, n: np.exp(rng.normal(-9.2, 2.2, n)).clip(0, 1),
    "one cell": lambda rng, n: np.where(rng.random(n) < 0.001, 1.0, rng.random(n) * 1e-9),
}


def scored(make: Maker, shape: str, n: int, groups: int = 20) -> Any:
    rng = np.random.default_rng(0)
    p = SHAPES[shape](rng, n)
    y = (rng.random(n) < (np.argsort(np.argsort(p)) / n)).astype(np.int64)
    return make("ibis duckdb")(pa.table({"y": y, "p": p, "g": rng.integers(0, groups, n)}))


@pytest.mark.parametrize("shape", SHAPES)
def test_a_looser_tolerance_sends_fewer_cells(make: Maker, shape: str, sent: list[tuple[int, int]]) -> None:
    frame, rows = scored(make, shape, 100_000), []
    for tolerance in (1e-6, 1e-4, 1e-3):
        sent.clear()
        table = rs.evaluate(frame, label="y", score="p", budget=0, tolerance=tolerance).table
        assert table.bound <= tolerance
        rows.append(sum(many for many, _ in sent) - certified.SAMPLE)
        assert rows[-1] < 12 / tolerance
    fine, coarse, coarser = rows
    assert coarser * 4 < coarse * 2 < fine


@pytest.mark.parametrize("shape", ["even", "normal"])
def test_slices_take_one_more_query(make: Maker, sent: list[tuple[int, int]], shape: str) -> None:
    n, frame = 100_000, scored(make, shape, 100_000)
    plain = rs.evaluate(frame, label="y", score="p", budget=0)
    without = list(sent)
    sent.clear()
    ev = rs.evaluate(frame, label="y", score="p", by="g", budget=0)
    assert len(sent) == len(without) + 1
    assert [many for many, _ in sent[:2]] == [2 * 20, certified.SAMPLE]
    assert sent[2][0] < 0.7 * n  # cells of the slices, not their rows
    assert sent[3:] == without[2:]  # all cases as if there were no slices
    assert ev.table == plain.table
    for one in ev.slices[0]:
        width = one.evaluation.auc.high - one.evaluation.auc.low
        assert 0 < one.evaluation.table.bound <= certified.ENGINE_SHARE * width / (2 * 1.96)


def test_loose_slices_are_all_cases_too(make: Maker, sent: list[tuple[int, int]]) -> None:
    ev = rs.evaluate(scored(make, "even", 100_000), label="y", score="p", by="g", budget=0, tolerance=0.01)
    assert len(sent) == 3  # the survey, the sample, the cells of slices: their sum is certain enough
    assert 0 < ev.table.bound <= 0.01
    assert sum(ev.table.rows) == 100_000
