"""A comparison of many models computes each difference once."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

import rocscope as rs
from rocscope import significance
from rocscope.evaluation.methods import methods_sentence
from rocscope.significance import auc_tests


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


def test_of_very_many_models_only_pairs_with_the_best_are_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time grows with the number of models and not with its square; p-values allow for every pair all the same."""
    draw = np.random.default_rng(8)
    y = (draw.random(300) < 0.3).astype(int)
    scores = {f"m{at}": draw.normal(size=300) + (0 if at else 3) * y for at in range(101)}
    tested: list[tuple[str, str]] = []
    usual = significance.delong

    def counted(rows: Any, a: Any, b: Any, **settings: Any) -> Any:
        tested.append((a, b))
        return usual(rows, a, b, **settings)

    monkeypatch.setattr(significance, "delong", counted)
    cmp = rs.compare(y, scores)
    assert cmp.recommended == "m0" and cmp.pairs == ()
    assert "all 5050 pairs (Bonferroni)" in methods_sentence(cmp.settings, compared=len(cmp.names))
    for difference in cmp.differences:
        found = difference.estimate
        z = abs(found.value) * 2 * 1.959963984540054 / (found.high - found.low)
        assert difference.p_adjusted == pytest.approx(min(1.0, 5050 * 2 * NormalDist().cdf(-z)), rel=1e-6)
    assert sorted(tested) == sorted(("m0", name) for name in scores if name != "m0")
    some = rs.compare(y, {name: scores[name] for name in list(scores)[:100]})
    assert len(some.pairs) == 4950
    assert "all 4950 pairs (max-|T|)" in methods_sentence(some.settings, compared=len(some.names))


def test_the_joint_test_of_very_many_models_pairs_each_with_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(8)
    y = (draw.random(40) < 0.5).astype(int)
    scores = {f"m{at}": draw.normal(size=40) + (0 if at else 3) * y for at in range(130)}  # more models than cases
    tested: list[tuple[str, ...]] = []
    usual = auc_tests.rank_swap_p

    def counted(rows: Any, **settings: Any) -> float:
        tested.append(tuple(rows.names))
        return usual(rows, **settings)

    monkeypatch.setattr(auc_tests, "rank_swap_p", counted)
    found = significance.joint_delong(y, scores)
    assert tested == [("m0", name) for name in scores if name != "m0"] and "pairs with m0" in found.why
    least = min(significance.rank_swap(y, scores["m0"], scores[name]).p for name in scores if name != "m0")
    assert found.p == pytest.approx(min(1.0, 129 * least))
