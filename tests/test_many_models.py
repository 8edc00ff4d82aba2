"""A comparison of many models computes each difference once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rocscope as rs
from rocscope import significance


def test_the_document_tests_each_pair_of_models_once(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(8)
    y = (draw.random(200) < 0.3).astype(int)
    scores = {f"m{at}": draw.normal(size=200) + (1 + at / 6) * y for at in range(6)}
    tested: list[tuple[str, str]] = []
    usual = significance.delong

    def counted(rows: Any, a: Any, b: Any, **settings: Any) -> Any:
        tested.append((a, b))
        return usual(rows, a, b, **settings)

    monkeypatch.setattr(significance, "delong", counted)
    document = rs.compare(y, scores, threshold=0.5).to_dict()
    assert len(document["pairs"]) == 15
    assert {frozenset(pair) for pair in tested} == {frozenset((row["a"], row["b"])) for row in document["pairs"]}
    assert len(tested) == len(set(tested))
