"""A sample of `make fuzz-calls` (tests/fuzz_calls.py): never a traceback; and one that is planted is seen."""

from __future__ import annotations

from collections import Counter

import pytest
from fuzz_calls import tried

from rocscope import registry


def test_calls_that_make_no_sense_are_answered_or_refused() -> None:
    counts: Counter[str] = Counter()
    for became, what, end in tried(0, 600):
        counts[became] += 1
        assert became != "defect", (what, end)
    assert min(counts["answered"], counts["refused"]) > 100, counts


def test_a_planted_traceback_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(name: str) -> str:
        raise KeyError(name)

    monkeypatch.setattr(registry, "_folded", failing)
    assert any(became == "defect" for became, _, _ in tried(0, 200))
