"""Certified tables: the bounds hold whatever the data, the ties and the depth; exact readings beyond memory agree."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocscope import curves, sources
from rocscope.errors import RocscopeError
from rocscope.sources import cells, certified, counters
from rocscope.sources.column_batches import BATCH
from rocscope.sources.usable_rows import Chunk, TableRequest
from rocscope.table import ScoreTable
from rocscope.table.on_cells import known_of

finite = st.floats(allow_nan=False, allow_infinity=False, width=64)
SCORES = st.one_of(
    st.floats(0, 1),
    st.sampled_from([0.0, 1.0, 0.5, 1e-11, 2e-11, 1 - 1e-12, 1e-300]),
    st.integers(0, 1000).map(lambda k: k / 1000),
    st.floats(-50, 50),
)
ROWS = st.lists(st.tuples(st.booleans(), SCORES), min_size=2, max_size=120)


def columns_of(rows: list[tuple[bool, float]]) -> dict[str, Any]:
    return {"y": np.array([int(y) for y, _ in rows]), "p": np.array([s for _, s in rows], dtype=np.float64)}


def read(columns: dict[str, Any], **options: Any) -> sources.Reduced:
    return sources.tables(sources.open(columns), label="y", scores=["p"], **options)


def holds(found: ScoreTable, wanted: ScoreTable) -> None:
    assert (found.positives, found.negatives) == (wanted.positives, wanted.negatives)
    if wanted.positives and wanted.negatives:
        assert abs(curves.auc(found) - curves.auc(wanted)) <= found.bound + 1e-12
    if wanted.positives:
        low, high = curves.bounds("average_precision", found)
        assert low - 1e-9 <= curves.average_precision(wanted) <= high + 1e-9
    for threshold in found.scores.tolist():
        assert found.at(threshold) == wanted.at(threshold)


@given(ROWS, st.booleans(), st.sampled_from([1e-6, 1e-2, 1.0]))
def test_bounds_hold(rows: list[tuple[bool, float]], higher: bool, tolerance: float) -> None:
    columns = columns_of(rows)
    found = read(columns, budget=0, tolerance=tolerance, higher_is_positive=higher)
    wanted = read(columns, higher_is_positive=higher)
    table = found.tables["p",]
    holds(table, wanted.tables["p",])
    assert found.bound <= tolerance or found.passes == cells.PASSES  # scores may differ by 300 decades
    assert found.passes <= cells.PASSES


@given(ROWS, st.integers(1, 40), st.booleans(), st.randoms(use_true_random=False))
def test_cells_do_not_depend_on_the_order_of_batches(
    rows: list[tuple[bool, float]], size: int, single: bool, random: Any
) -> None:
    def filled(order: list[tuple[bool, float]]) -> counters.Grid:
        grid = counters.Grid(weighted=False, squares=False, single=single, cells=64)
        for start in range(0, len(order), size):
            part = order[start : start + size]
            scores = np.array([s for _, s in part]) + 0.0
            mask = np.array([y for y, _ in part], dtype=np.uint8)
            grid.add(counters.ScoredRows(scores, mask, None, None, (scores.min(), scores.max())), 1)
        return grid

    shuffled = list(rows)
    random.shuffle(shuffled)
    one, two = filled(rows).entries()[0], filled(shuffled).entries()[0]
    total = sum(y for y, _ in rows)
    for found in (one, two):
        assert int(found.pos.sum()) == total
        assert int(found.rows.sum()) == len(rows)
        for low, high, count in zip(found.low, found.high, found.rows, strict=True):
            assert sum(low <= s < high for _, s in rows) == count
        if single:
            for low, high, alone in zip(found.low, found.high, found.single, strict=True):
                assert alone == (len({s for _, s in rows if low <= s < high}) == 1)


@given(ROWS, st.integers(1, 5), st.sampled_from([None, 0]))
def test_tables_of_any_partition_add_to_the_whole(
    rows: list[tuple[bool, float]], parts: int, budget: int | None
) -> None:
    columns = columns_of(rows)
    whole = read(columns).tables["p",]
    pieces = [
        read({name: column[i::parts] for name, column in columns.items()}, budget=budget, tolerance=1.0)
        for i in range(parts)
        if len(rows[i::parts])
    ]
    tables = [piece.tables["p",] for piece in pieces]
    for order in itertools.islice(itertools.permutations(tables), 6):
        added = sum(order[1:], order[0])
        if budget is None:
            assert added == whole
        holds(added, whole)
        if known_of(whole) is not None and (known := known_of(added)) is not None:
            assert known.low == pytest.approx(min(s for _, s in rows))
            assert known.squares == pytest.approx(known_of(whole).squares, abs=1e-9, nan_ok=True)  # type: ignore[union-attr]


@given(ROWS, st.booleans(), st.sampled_from([20, 600]))
def test_exact_by_ranges_is_exact(rows: list[tuple[bool, float]], higher: bool, times: int) -> None:
    columns = {name: np.tile(column, times) for name, column in columns_of(rows).items()}
    found = read(columns, budget=0, exact=True, higher_is_positive=higher)
    assert found.passes == 1 or len(rows) * times > 1024  # what fits is sorted as it is read
    wanted = read(columns, higher_is_positive=higher).tables["p",]
    table = found.tables["p",]
    assert (found.bound, found.exact) == (0.0, True)
    if wanted.positives and wanted.negatives:
        assert table.twice_u == wanted.twice_u
        assert curves.auc(table) == curves.auc(wanted)
    if wanted.positives:
        assert curves.average_precision(table) == pytest.approx(curves.average_precision(wanted), rel=1e-12)


def rare(n: int, seed: int = 0) -> dict[str, Any]:
    """Scores piled near 0, one case in a thousand positive."""
    rng = np.random.default_rng(seed)
    score = np.exp(rng.normal(-9.2, 2.2, n)).clip(0, 1)
    return {"y": (rng.random(n) < score).astype(np.int8), "p": score}


SHAPES = {
    "rare": rare(300_000),
    "tiny": {**rare(200_000, 1), "p": rare(200_000, 1)["p"] * 1e-11},
    "near one": {**rare(200_000, 2), "p": 1 - rare(200_000, 2)["p"] * 1e-9},
    "decimals": {**rare(200_000, 3), "p": np.random.default_rng(3).integers(0, 1001, 200_000) / 1000},
    "signed": {**rare(200_000, 4), "p": np.random.default_rng(4).normal(0, 1e6, 200_000)},
    "float32": {**rare(200_000, 5), "p": rare(200_000, 5)["p"].astype(np.float32)},
    "whole": {**rare(200_000, 6), "p": np.random.default_rng(6).integers(-500, 500, 200_000)},
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("higher", [True, False], ids=["higher", "lower"])
def test_refined_to_the_tolerance(shape: str, higher: bool) -> None:
    wanted = read(SHAPES[shape], higher_is_positive=higher).tables["p",]
    found = read(SHAPES[shape], budget=0, higher_is_positive=higher)
    table = found.tables["p",]
    assert 0 < float(np.mean(SHAPES[shape]["y"])) < 0.01
    assert found.bound == table.bound <= 1e-6
    assert abs(curves.auc(table) - curves.auc(wanted)) <= table.bound + 1e-15
    if shape in ("decimals", "whole"):
        assert (found.bound, found.passes, found.exact) == (0.0, 1, True)
        np.testing.assert_array_equal(table.scores, wanted.scores)
    if shape not in ("signed", "whole") and higher:
        assert curves.brier(table) == pytest.approx(curves.brier(wanted), rel=1e-12)


def test_weights_and_slices_on_cells() -> None:
    rng = np.random.default_rng(9)
    columns = {**rare(100_000), "w": rng.random(100_000), "g": rng.integers(0, 7, 100_000)}
    asked: dict[str, Any] = {"weight": "w", "by": ["g"]}
    wanted, found = read(columns, **asked), read(columns, **asked, budget=0)
    ranged = read(columns, **asked, budget=200_000, exact=True)
    assert list(found.tables) == list(wanted.tables) == [(g, "p") for g in range(7)]
    for key, table in found.tables.items():
        exact = wanted.tables[key]
        assert table.positives == pytest.approx(exact.positives, rel=1e-12)
        assert float(table.pos_squares.sum()) == pytest.approx(float(exact.pos_squares.sum()), rel=1e-12)
        assert abs(curves.auc(table) - curves.auc(exact)) <= table.bound + 1e-12
        assert curves.auc(ranged.tables[key]) == pytest.approx(curves.auc(exact), abs=1e-13)
        assert curves.log_loss(table) == pytest.approx(curves.log_loss(exact), rel=1e-12)


def test_a_heavy_cell_is_split_before_it_is_read() -> None:
    pile = np.concatenate([np.random.default_rng(1).random(60_000) * 1e-11, np.full(60_000, 0.25), [1.0]])
    columns = {"y": np.arange(len(pile)) % 3 == 0, "p": pile}
    held: list[int] = []
    pack = BATCH

    found = read(columns, budget=300_000, exact=True)
    assert pack == BATCH and not held
    assert found.passes > 4  # 0.75 * 300,000 / 8 rows at a time, and passes that split cells
    wanted = read(columns).tables["p",]
    assert found.tables["p",].twice_u == wanted.twice_u


def test_a_stream_is_read_once_and_says_how_sure() -> None:
    columns = SHAPES["rare"]
    table = pa.table(columns)
    reader = table.to_reader(max_chunksize=10_000)
    found = sources.tables(sources.open(reader), label="y", scores=["p"], budget=100_000)
    wanted = read(columns).tables["p",]
    assert found.passes == 1
    assert found.bound > 1e-6
    holds_area = abs(curves.auc(found.tables["p",]) - curves.auc(wanted)) <= found.bound
    assert holds_area
    with pytest.raises(RocscopeError, match="only once"):
        sources.paired_delong(sources.open(table.to_reader()), label="y", scores=["p"])


def test_rows_fit_or_not_is_decided_on_the_way() -> None:
    """A source that does not know its rows turns to cells when the budget is spent: the same as from the start."""
    columns = SHAPES["signed"]
    reader = pa.table(columns).to_reader(max_chunksize=5_000)
    late = sources.tables(sources.open(reader), label="y", scores=["p"], budget=24 * 50_000).tables["p",]
    known = certified.Levels(TableRequest("y", ("p",)), once=True)
    known.count(Chunk(columns["y"].astype(np.uint8), (columns["p"],)), 1)
    known.close(1)
    early = table_from(known)
    np.testing.assert_array_equal(late.scores, early.scores)
    np.testing.assert_array_equal(late.pos, early.pos)


def table_from(levels: certified.Levels) -> ScoreTable:
    from rocscope.sources.usable_rows import RowValidator

    return levels.reduced(RowValidator(levels.request), (0, 1)).tables["p",]


def test_progress_is_told() -> None:
    told: list[tuple[int | None, int | None, str]] = []

    def progress(done: int | None, of: int | None, *, step: str) -> None:
        told.append((done, of, step))

    read(SHAPES["rare"], budget=0, progress=progress)
    assert told[0] == (300_000, 300_000, "pass 1")
    assert told[-1][2] == "pass 2"


@settings(max_examples=30)
@given(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300))
def test_depth_is_the_deepest_that_fits(a: float, b: float) -> None:
    low, high = sorted((a, b))
    depth = cells.depth_of(low, high, 1024)
    assert cells.span(low, high, depth) <= 1025
    if high > low and depth < 52 - np.floor(np.log2(max(abs(low), abs(high)))) and depth < cells.DEEPEST:
        assert cells.span(low, high, depth + 1) > 1025
