"""The same predictions give the same tables, wherever they are."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from rocscope import curves, sources
from rocscope.errors import RocscopeError
from rocscope.intervals.auc_intervals import area_covariance
from rocscope.intervals.paired_cases import PairedCases
from rocscope.table import Confusion, ScoreTable
from tests.engines.conftest import KINDS, PLAIN

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
Maker = Callable[[str], Callable[[pa.Table], Any]]
N = 400


def predictions(labels: str, weights: str) -> dict[str, list[Any]]:
    """Predictions with every kind of trouble that may be left out, as lists."""
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 2, N)
    p = np.round(np.clip(truth * 0.2 + rng.random(N) * 0.8, 0, 1), 2)
    q = rng.normal(size=N) + truth
    names = {"bool": [False, True], "text": ["no", "yes"], "int": [0, 1], "digits": ["0", "1"], "float": [0.0, 1.0]}
    y: list[Any] = [names[labels][one] for one in truth]
    first, second, heavy = p.tolist(), q.tolist(), (rng.integers(1, 6, N) * (1 if weights == "int" else 0.37)).tolist()
    y[3] = y[50] = None
    first[4], first[5], first[50] = None, math.nan, None
    second[6], second[3] = math.nan, None
    first[10], first[11], second[12], second[13] = 0.0, -0.0, -0.0, 0.0
    heavy[7], heavy[8] = None, 0 if weights == "int" else 0.0
    region: list[Any] = rng.choice(["north", "south", "west"], N).tolist()
    region[20] = region[21] = None
    return {"y": y, "p": first, "q": second, "w": heavy, "region": region, "year": rng.integers(2023, 2025, N).tolist()}


def as_table(columns: dict[str, list[Any]]) -> pa.Table:
    return pa.table({name: pa.array(values, from_pandas=False) for name, values in columns.items()})


def expected(columns: dict[str, list[Any]], score: str, region: Any, year: int) -> ScoreTable:
    """The table of one slice, row by row in Python."""
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    lost = (None,)
    kept = [
        row for row in rows
        if (row["region"], row["year"]) == (region, year)
        and all(row[name] not in lost and row[name] == row[name] for name in ("y", "p", "q", "w"))
    ]  # fmt: skip
    return ScoreTable.from_scores(
        [int(row["y"] in (1, "1", "yes")) for row in kept],
        [row[score] for row in kept],
        weights=[row["w"] for row in kept],
    )


def same(found: ScoreTable, wanted: ScoreTable) -> None:
    np.testing.assert_array_equal(found.scores, wanted.scores)
    assert found.rows == wanted.rows
    assert found.pos.dtype == wanted.pos.dtype
    for name in ("pos", "neg", "pos_squares", "neg_squares"):
        mine, theirs = getattr(found, name), getattr(wanted, name)
        if theirs.dtype == np.int64:
            np.testing.assert_array_equal(mine, theirs)
        else:
            np.testing.assert_allclose(mine, theirs, rtol=1e-12)
    assert not np.signbit(found.scores[found.scores == 0]).any()


LEFT_OUT = {"no label": 2, "no score of p": 2, "no score of q": 1, "no weight": 1}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("labels", "weights"), [("bool", "float"), ("text", "int"), ("int", "int"), ("digits", "float"), ("float", "int")]
)
def test_every_kind_of_frame_gives_the_same_tables(make: Maker, kind: str, labels: str, weights: str) -> None:
    columns = predictions(labels, weights)
    positive = "yes" if labels == "text" else None
    source = sources.open(make(kind)(as_table(columns)))
    found = sources.tables(
        source, label="y", scores=["p", "q"], weight="w", by=["region", "year"], positive=positive, missing="drop"
    )
    assert found.left_out == LEFT_OUT
    assert (found.rows, found.bound, found.exact) == (N, 0.0, True)
    slices = [(region, year) for region in ("north", "south", "west", None) for year in (2023, 2024)]
    slices = [one for one in slices if one in list(zip(columns["region"], columns["year"], strict=True))]
    assert list(found.tables) == [(*one, score) for one in slices for score in ("p", "q")]
    for key, table in found.tables.items():
        same(table, expected(columns, key[2], key[0], key[1]))
        assert table.labels == {"bool": (False, True), "text": ("no", "yes"), "digits": ("0", "1")}.get(labels, (0, 1))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("higher", [True, False], ids=["higher", "lower"])
def test_cells_of_every_kind_hold_their_bound(make: Maker, kind: str, higher: bool) -> None:
    columns = predictions("int", "int")
    source = sources.open(make(kind)(as_table(columns)))
    again = sources.open(make(kind)(as_table(columns)))
    asked: dict[str, Any] = {"label": "y", "scores": ["p", "q"], "missing": "drop", "higher_is_positive": higher}
    exact = sources.tables(source, **asked)
    cells = sources.tables(again, **asked, budget=0)
    assert cells.left_out == exact.left_out
    assert cells.bound <= 1e-6 or source.once
    for key, table in cells.tables.items():
        wanted = exact.tables[key]
        assert (table.positives, table.negatives, table.rows) == (wanted.positives, wanted.negatives, wanted.rows)
        assert abs(curves.auc(table) - curves.auc(wanted)) <= table.bound + 1e-12
        low, high = curves.bounds("average_precision", table)
        assert low - 1e-12 <= curves.average_precision(wanted) <= high + 1e-12
        for threshold in table.scores[:: max(1, len(table) // 20)]:
            assert table.at(float(threshold)) == wanted.at(float(threshold))
    if higher:
        assert curves.brier(cells.tables["p",]) == pytest.approx(curves.brier(exact.tables["p",]), rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_log_loss_on_cells_is_that_of_the_cases(make: Maker, kind: str) -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 500)
    columns = {"y": truth.tolist(), "p": (rng.random(500) * 0.9 + 0.05).tolist(), "w": rng.random(500).tolist()}
    one, two = (sources.open(make(kind)(as_table(columns))) for _ in range(2))
    wanted = sources.tables(one, label="y", scores=["p"], weight="w").tables["p",]
    found = sources.tables(two, label="y", scores=["p"], weight="w", budget=0, tolerance=1.0).tables["p",]
    for measure in (curves.brier, curves.log_loss):
        assert measure(found) == pytest.approx(measure(wanted), rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_missing_is_refused_unless_dropped(make: Maker, kind: str) -> None:
    source = sources.open(make(kind)(as_table(predictions("int", "int"))))
    with pytest.raises(RocscopeError, match=r"'y' is missing in 2 rows.*'p' in 3 rows.*'q' in 2 rows"):
        sources.tables(source, label="y", scores=["p", "q"])


@pytest.mark.parametrize("kind", PLAIN)
@pytest.mark.parametrize("value", [math.inf, -math.inf])
def test_infinite_scores_are_refused(make: Maker, kind: str, value: float) -> None:
    columns = {"y": [0, 1, 0, 1], "p": [0.1, value, 0.3, None]}
    source = sources.open(make(kind)(as_table(columns)))
    with pytest.raises(RocscopeError, match="'p' has 1 infinite value"):
        sources.tables(source, label="y", scores=["p"], missing="drop", budget=0)


@pytest.mark.parametrize("kind", PLAIN)
@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"y": [0, 1], "p": [0.1, 0.2], "w": [1, -1]}, "w must be 0 or more, but it is negative"),
        ({"y": [0, 1], "p": [0.1, 0.2], "w": [0, 0]}, "w is zero in all rows"),
        ({"y": [0, 1], "p": ["a", "b"], "w": [1, 1]}, "p must contain numbers|'a' is not a finite number"),
        ({"y": [0, 1, 2], "p": [0.1, 0.2, 0.3], "w": [1, 1, 1]}, "must have two classes, but it has 3: 0, 1, 2"),
        ({"y": ["a", "b"], "p": [0.1, 0.2], "w": [1, 1]}, "state which is positive"),
        ({"y": [None, None], "p": [0.1, 0.2], "w": [1, 1]}, "none of 2 rows can be used: 2 no label"),
    ],
)
def test_what_cannot_be_answered_is_refused(
    make: Maker, kind: str, columns: dict[str, list[Any]], message: str
) -> None:
    table = as_table(columns)
    if columns["y"] == [None, None]:
        table = table.set_column(0, "y", pa.array([None, None], pa.int64()))
    source = sources.open(make(kind)(table))
    with pytest.raises(RocscopeError, match=message):
        sources.tables(source, label="y", scores=["p"], weight="w", missing="drop")


@pytest.mark.parametrize("kind", KINDS)
def test_confusion_matrices_of_every_kind(make: Maker, kind: str) -> None:
    columns = predictions("text", "int")
    columns["guess"] = [None if p is None or p != p else "yes" if p > 0.5 else "no" for p in columns["p"]]
    source = sources.open(make(kind)(as_table(columns)))
    found = sources.confusions(source, label="y", predicted=["guess"], weights="w", by=["year"], missing="drop")
    assert found.left_out == {"no label": 2, "no prediction": 2, "no weight": 1}
    rows = [
        row for row in zip(*(columns[name] for name in ("y", "guess", "w", "year")), strict=True) if None not in row
    ]
    for year in (2023, 2024):
        actual, guess, weights, _ = zip(*(row for row in rows if row[3] == year), strict=True)
        wanted = Confusion.from_labels(actual, guess, weights=weights)
        assert found[year, "guess"] == wanted
        np.testing.assert_allclose(found[year, "guess"].squares, wanted.squares, rtol=1e-12)


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "arrow stream"])
def test_paired_areas_of_every_kind(make: Maker, kind: str, weight: str | None) -> None:
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 600)
    a, b, w = rng.random(600) * 0.7 + y * 0.3, rng.normal(size=600) + y, rng.random(600)
    columns = {"y": y.tolist(), "a": a.tolist(), "b": b.tolist(), "w": w.tolist()}
    wanted = area_covariance(PairedCases.of(y, {"a": a, "b": b}, weights=None if weight is None else w))
    source = sources.open(make(kind)(as_table(columns)))
    exact = sources.paired_delong(source, label="y", scores=["a", "b"], weight=weight)
    np.testing.assert_allclose(exact.covariance, wanted, rtol=1e-9)
    cells = sources.paired_delong(source, label="y", scores=["a", "b"], weight=weight, budget=0)
    np.testing.assert_allclose(cells.covariance, wanted, rtol=0, atol=4 * cells.spread * np.abs(wanted).max() + 1e-9)
    assert cells.spread < 0.01


@pytest.mark.parametrize("kind", KINDS)
def test_columns_of_every_kind(make: Maker, kind: str) -> None:
    columns = predictions("text", "int")
    source = sources.open(make(kind)(as_table(columns)))
    rows = sources.columns(source, ["y", "p", "year"], missing="drop", kinds={"p": "number"})
    kept = [i for i in range(N) if columns["y"][i] is not None and columns["p"][i] == columns["p"][i]
            and columns["p"][i] is not None]  # fmt: skip
    assert rows.left_out == {"no y": 2, "no p": 2}
    if kind != "pyspark":  # rows of a cluster have no order
        assert rows.arrays["p"].tolist() == [columns["p"][i] for i in kept]
        assert [str(label) for label in rows.arrays["y"].tolist()] == [columns["y"][i] for i in kept]
    assert sorted(rows.arrays["year"].tolist()) == sorted(columns["year"][i] for i in kept)


@pytest.mark.spark
def test_spark_sums_before_it_exchanges(make: Maker) -> None:
    from rocscope.sources.engines.certified import cells_query
    from rocscope.sources.engines.query import Query
    from rocscope.sources.engines.sums import grouped_query
    from rocscope.sources.engines.survey import surveyed
    from rocscope.sources.usable_rows import TableRequest

    source = sources.open(make("pyspark")(as_table(predictions("int", "int"))))
    query = Query.of(source, TableRequest("y", ("p", "q"), weight="w", missing="drop"))
    survey = surveyed(query)
    for asked in (grouped_query(query, survey), cells_query(query, survey, [20, 14])):
        plan = asked.to_native()._jdf.queryExecution().executedPlan().toString()
        after, _, before = plan.partition("Exchange hashpartitioning")
        assert "HashAggregate" in after and "functions=[count(1), sum(" in after and "partial" not in after
        assert "functions=[partial_count(1), partial_sum(" in before
        assert plan.count("Exchange hashpartitioning") == 1


@pytest.mark.dask
def test_the_dask_cluster_has_two_worker_processes(cluster: Any) -> None:
    pids = set(cluster.run(os.getpid).values())
    assert len(pids) == 2
    assert os.getpid() not in pids
