"""All cores that the process may use, and the same bits whatever their number."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rocscope import tally
from rocscope.tally import distinct_scores, packed_keys, threads

CODE = "from rocscope import tally; print(tally.cores())"


@pytest.fixture
def long_columns() -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(3)
    size = packed_keys.MANY * 2 + 11
    return draw.normal(size=size).round(4) + draw.random(size) * (draw.random(size) < 0.5), draw.random(size) < 0.3


def test_the_number_of_threads_changes_no_bit(
    long_columns: tuple[np.ndarray, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    scores, mask = long_columns[0], long_columns[1].astype(np.uint8)
    found, sorted_keys = [], []
    for many in (1, 2, 3, 4):
        monkeypatch.setattr(threads, "cores", lambda many=many: many)
        values, pos, neg = tally.group(scores, mask)[:3]
        found.append((tally.auc_counts(scores, mask), values.tobytes(), pos.tobytes(), neg.tobytes()))
        parts = tally.group_parts(scores.copy(), mask, [9, packed_keys.MANY, len(scores)])
        assert parts is not None
        found[-1] += tuple(column.tobytes() for one in (*parts[0], parts[1]) for column in one[:3])
        assert found[-1][-3:] == (values.tobytes(), pos.tobytes(), neg.tobytes())
        keys = tally.ordered(scores)
        tally.sort(keys)
        sorted_keys.append(keys.tobytes())
    assert all(one == found[0] for one in found) and len(set(sorted_keys)) == 1
    assert sorted_keys[0] == np.sort(tally.ordered(scores)).tobytes()


@pytest.mark.parametrize("faster", [True, False])
def test_parts_are_merged_or_sorted_whichever_this_processor_does_faster(
    faster: bool, long_columns: tuple[np.ndarray, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    scores, mask = long_columns[0], long_columns[1].astype(np.uint8)
    monkeypatch.setattr(distinct_scores, "merging_is_faster", lambda: faster)
    monkeypatch.setattr(distinct_scores, "sort", (lambda keys: pytest.fail("sorted")) if faster else packed_keys.sort)
    parts = tally.group_parts(scores.copy(), mask, [9, len(scores)])
    monkeypatch.undo()
    expected = tally.group(scores, mask)
    assert parts is not None
    assert [column.tobytes() for column in parts[1][:3]] == [column.tobytes() for column in expected[:3]]


def test_one_core_sorts_without_another_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "cores", lambda: 1)
    monkeypatch.setattr(threads, "side_by_side", lambda tasks: pytest.fail("another thread"))
    keys = np.arange(packed_keys.MANY + 1)[::-1].copy()
    tally.sort(keys)
    assert keys[0] == 0


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="affinity is a matter of Linux")
def test_affinity_is_respected() -> None:
    some = sorted(os.sched_getaffinity(0))[0]
    run = f"import os; os.sched_setaffinity(0, {{{some}}}); {CODE}"
    assert subprocess.run([sys.executable, "-c", run], capture_output=True, text=True, check=True).stdout == "1\n"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"cpu.max": "max 100000\n"}, None),
        ({"cpu.max": "150000 100000\n"}, 2),
        ({"cpu.max": "1000 100000\n"}, 1),
        ({"cpu.cfs_quota_us": "400000\n", "cpu.cfs_period_us": "100000\n"}, 4),
        ({"cpu.cfs_quota_us": "-1\n", "cpu.cfs_period_us": "100000\n"}, None),
        ({}, None),
    ],
)
def test_control_groups(files: dict[str, str], expected: int | None, tmp_path: Path) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert threads.granted(str(tmp_path)) == expected


def test_the_smallest_grant_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    grants = {"a": None, "b": 1, "c": 3}
    monkeypatch.setattr(threads, "_groups", lambda: list(grants))
    monkeypatch.setattr(threads, "granted", grants.get)
    threads._quota.cache_clear()
    try:
        assert threads.cores() == 1
    finally:
        threads._quota.cache_clear()


def test_what_fails_in_a_thread_is_raised() -> None:
    def fail() -> None:
        raise MemoryError

    with pytest.raises(MemoryError):
        threads.side_by_side([lambda: None, fail])
