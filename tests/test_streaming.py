"""Predictions in pieces: any partition, in any order, through processes and files, is the table of the whole."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocscope as rs
from rocscope import RocscopeError, ScoreTable, Stream, curves
from rocscope.table import windows

SOURCE = Path(rs.__file__).parent.parent
LABELS = ("paid", "default")
rows = st.lists(
    st.tuples(st.sampled_from(LABELS), st.one_of(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.floats(-1e6, 1e6))),
    min_size=1,
    max_size=40,
)


def table(part: list[tuple[str, float]], *, higher: bool = True, weights: Any = None) -> ScoreTable:
    empty = ScoreTable.empty(labels=LABELS, higher_is_positive=higher)
    return empty.update([y for y, _ in part], [s for _, s in part], weights)


def same(a: ScoreTable, b: ScoreTable) -> None:
    assert a == b and a.rows == b.rows
    assert a.pos.dtype == b.pos.dtype and a.scores.dtype == b.scores.dtype


# ---- the one rule ----


@given(rows, st.data(), st.booleans())
def test_a_partition_in_any_order_is_the_whole_bit_for_bit(
    cases: list[tuple[str, float]], data: st.DataObject, higher: bool
) -> None:
    whole = table(cases, higher=higher)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(cases)), max_size=5)))
    parts = [cases[a:b] for a, b in zip([0, *cuts], [*cuts, len(cases)], strict=True)]
    shuffled = data.draw(st.permutations(parts))
    same(sum(table(part, higher=higher) for part in shuffled), whole)
    grown = ScoreTable.empty(labels=LABELS, higher_is_positive=higher)
    for part in shuffled:
        grown = grown.update([y for y, _ in part], [s for _, s in part])
    same(grown, whole)


@given(rows, st.data())
def test_float_weights_agree_to_rounding(cases: list[tuple[str, float]], data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.floats(0.001, 1000), min_size=len(cases), max_size=len(cases)))
    cut = data.draw(st.integers(0, len(cases)))
    halves = [table(cases[part], weights=weights[part]) for part in (slice(cut, None), slice(None, cut))]
    whole = table(cases, weights=weights)
    found = sum(halves)
    for name in ("pos", "neg", "pos_squares", "neg_squares"):
        np.testing.assert_allclose(getattr(found, name), getattr(whole, name), rtol=1e-12)


@given(st.lists(rows, min_size=1, max_size=4), st.data(), st.booleans())
def test_tables_on_cells_of_any_depth_add_in_any_order_within_their_bound(
    parts: list[list[tuple[str, float]]], data: st.DataObject, higher: bool
) -> None:
    exact = [table(part, higher=higher) for part in parts]
    coarse = [one.coarse(data.draw(st.integers(-12, 6))) if data.draw(st.booleans()) else one for one in exact]
    whole, found = sum(exact), sum(coarse)
    assert found == sum(data.draw(st.permutations(coarse)))
    assert (found.positives, found.negatives, found.rows) == (whole.positives, whole.negatives, whole.rows)
    if whole.positives and whole.negatives:
        assert abs(curves.auc(found) - curves.auc(whole)) <= found.bound + 1e-12


def test_two_lone_scores_of_one_cell_are_no_tie() -> None:
    a = ScoreTable.from_scores([1], [0.6]).coarse(1)
    b = ScoreTable.from_scores([0], [0.55]).coarse(1)
    found = a + b
    assert abs(curves.auc(found) - 1.0) <= found.bound


def test_a_cell_takes_in_what_another_table_has_inside_it() -> None:
    cell = ScoreTable.from_scores([1, 0], [0.6, 0.7]).coarse(1)
    found = cell + ScoreTable.from_scores([0, 1], [0.65, 0.2])
    assert found.scores.tolist() == [0.5, 0.2] and found.mixed.tolist() == [True, False]
    assert found.bound == pytest.approx(0.5 * 2 / 4)


# ---- update ----


def test_a_batch_may_have_one_class_alone_or_no_case_at_all() -> None:
    t = ScoreTable.from_scores(["paid", "default"], [0.1, 0.9], positive="default")
    assert t.update(["paid"], [0.5]).rows == (1, 2)
    assert t.update([], []) == t
    only = ScoreTable.from_scores(["default"], [0.9], positive="default")
    assert only.labels == (None, "default")
    assert (only + t).labels == (t + only).labels == ("paid", "default")
    assert only.update(["paid", "default"], [0.2, 0.3]).labels == ("paid", "default")


def test_a_table_is_not_changed_by_an_update() -> None:
    t = ScoreTable.from_scores([1, 0], [0.9, 0.1])
    t.update([1], [0.5])
    assert len(t) == 2 and not t.pos.flags.writeable


@pytest.mark.parametrize(
    ("y", "score", "weights", "says"),
    [
        (["late"], [0.1], None, "other labels"),
        (["paid", "paid"], [0.1], None, "2 labels, but 1 scores"),
        (["paid"], [float("nan")], None, "NaN"),
        (["paid"], [0.1], [-1.0], "negative"),
    ],
)
def test_a_bad_batch_is_refused(y: Any, score: Any, weights: Any, says: str) -> None:
    t = ScoreTable.from_scores(["paid", "default"], [0.1, 0.9], positive="default")
    with pytest.raises(RocscopeError, match=says):
        t.update(y, score, weights)


def test_tables_that_do_not_add_say_why() -> None:
    a = ScoreTable.from_scores([1, 0], [0.9, 0.1])
    with pytest.raises(RocscopeError, match="cannot be added"):
        a + ScoreTable.from_scores([1, 0], [0.9, 0.1], higher_is_positive=False)
    with pytest.raises(RocscopeError, match="cannot be added"):
        a + ScoreTable.from_scores(["n", "p"], [0.9, 0.1], positive="p")


def test_labels_spelled_alike_are_the_same_in_any_order() -> None:
    a = ScoreTable.from_scores([1, 0], [0.9, 0.1])
    b = ScoreTable.from_scores(["1", "0"], [0.8, 0.1])
    assert a + b == b + a and (a + b).labels == ("0", "1") and sum((a + b).rows) == 4
    one = ScoreTable.from_scores([1], [0.5], positive=1)
    assert (one + b).labels == (b + one).labels == ("0", "1")
    with pytest.raises(RocscopeError, match="cannot be added"):
        a + b.named(("1", "0"))


def test_merge_is_the_sum() -> None:
    days = [ScoreTable.from_scores([1, 0], [0.9, day / 10]) for day in range(4)]
    assert days[0].merge(*days[1:]) == sum(days) and days[0].merge() == days[0]
    with pytest.raises(RocscopeError, match="expected a ScoreTable, not a list"):
        days[0].merge(days[1:])  # type: ignore[arg-type]


# ---- streams ----


@given(st.lists(rows, min_size=1, max_size=6))
def test_a_stream_is_the_table_of_all_its_batches(batches: list[list[tuple[str, float]]]) -> None:
    stream = Stream(labels=LABELS)
    for batch in batches:
        stream.update([y for y, _ in batch], [s for _, s in batch])
    same(stream.table, table([case for batch in batches for case in batch]))


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["uniform", "normal", "rare", "large", "rounded"]), st.booleans())
def test_a_stream_stays_within_its_budget_and_its_bound_holds(seed: int, shape: str, higher: bool) -> None:
    rng = np.random.default_rng(seed)
    stream, seen_y, seen_s = Stream(budget=1024, higher_is_positive=higher), [], []
    for _ in range(12):
        y = (rng.random(400) < (0.02 if shape == "rare" else 0.4)).astype(int)
        s = {
            "uniform": rng.random(400),
            "normal": rng.normal(size=400) + y,
            "rare": rng.beta(0.05, 5, 400),
            "large": rng.normal(size=400) * 1e9,
            "rounded": np.round(rng.random(400), 2),
        }[shape]
        stream.update(y, s)
        seen_y.append(y)
        seen_s.append(s)
        assert sum(map(len, stream._parts)) <= 1024
    whole = ScoreTable.from_scores(np.concatenate(seen_y), np.concatenate(seen_s), higher_is_positive=higher)
    found = stream.table
    assert found.rows == whole.rows and found.positives == whole.positives
    if whole.positives and whole.negatives:
        assert abs(curves.auc(found) - curves.auc(whole)) <= found.bound + 1e-12
    assert (found.bound > 0) == (shape != "rounded") or len(whole) <= 1024


def test_small_batches_are_merged_like_with_like() -> None:
    stream = Stream()
    for i in range(300):
        stream.update([i % 2], [i / 300])
    assert len(stream._parts) <= 10  # not 300 tables, and not one table rebuilt 300 times
    assert len(stream.table) == 300


def test_a_stream_refuses_what_it_cannot_be() -> None:
    with pytest.raises(RocscopeError, match="any cases yet"):
        _ = Stream().table
    with pytest.raises(RocscopeError, match="budget"):
        Stream(budget=10)
    with pytest.raises(RocscopeError, match="Give only one of the two"):
        Stream(labels=(0, 1), positive=0)
    stream = Stream(positive="b")
    stream.update([], [])
    stream.update(["b"], [1.0])
    stream.update(["a"], [0.0])  # only now is it known what the negatives are called
    assert stream.table.labels == ("a", "b")


def test_a_stream_shows_what_it_holds() -> None:
    stream = Stream(budget=2048)
    assert repr(stream) == "Stream(no cases yet, budget 2,048)"
    stream.update([1, 0], [0.9, 0.1])
    assert repr(stream) == f"Stream({stream.table!r}, budget 2,048)" and "1 positive (50 %)" in repr(stream)


def test_a_stream_with_weights() -> None:
    stream = Stream(weights_are="frequency")
    stream.update([1, 0], [0.9, 0.1], weights=[2, 3])
    stream.update([1], [0.9], weights=[5])
    assert stream.table.pos.tolist() == [7, 0] and stream.table.neg.tolist() == [0, 3]


# ---- windows ----


@given(st.lists(rows, min_size=1, max_size=12), st.data())
def test_windows_are_the_sums_of_their_days(days: list[list[tuple[str, float]]], data: st.DataObject) -> None:
    size = data.draw(st.integers(1, len(days)))
    tables = {day: table(part) for day, part in enumerate(days)}
    found = windows(tables, size)
    assert list(found) == list(range(size - 1, len(days)))
    for day, one in found.items():
        same(one, sum(tables[d] for d in range(day - size + 1, day + 1)))


def test_windows_take_about_two_additions_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = {day: ScoreTable.from_scores([1, 0], [0.9, 0.1]) for day in range(120)}
    calls, plain = [], ScoreTable.__add__
    monkeypatch.setattr(ScoreTable, "__add__", lambda a, b: calls.append(1) or plain(a, b))
    windows(tables, 30)
    assert len(calls) <= 3 * len(tables)


@pytest.mark.parametrize("size", [0, -1, True, 2.0, 5])
def test_a_window_that_cannot_be_is_refused(size: Any) -> None:
    with pytest.raises(RocscopeError, match="window"):
        windows({1: ScoreTable.empty()}, size)


# ---- across processes and files ----


def test_processes_write_and_one_adds(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    y, s = rng.integers(0, 2, 900), np.round(rng.random(900), 3)
    np.savez(tmp_path / "cases.npz", y=y, s=s)
    code = (
        "import sys, numpy as np, rocscope as rs\n"
        "c, k = np.load('cases.npz'), int(sys.argv[1])\n"
        "rs.ScoreTable.from_scores(c['y'][k::3], c['s'][k::3]).save(f'part{k}.rst')"
    )
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(SOURCE)!r})\n{code}"]
    runs = [subprocess.Popen([*command, str(k)], cwd=tmp_path) for k in range(3)]
    assert [run.wait() for run in runs] == [0, 0, 0]
    whole = ScoreTable.from_scores(y, s)
    same(sum(ScoreTable.load(tmp_path / f"part{k}.rst") for k in (2, 0, 1)), whole)


def test_windows_of_a_list_are_refused_with_what_to_write() -> None:
    tables = [ScoreTable.from_scores([1, 0], [0.9, 0.1])] * 3
    with pytest.raises(RocscopeError, match=r"not a list.*dict\(enumerate\(tables\)\)"):
        rs.windows(tables, 2)  # type: ignore[type-var]
    assert list(rs.windows(dict(enumerate(tables)), 2)) == [1, 2]
