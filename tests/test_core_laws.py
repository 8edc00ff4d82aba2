"""Laws of the core that a planted fault must break: tables turned round, critical differences, sizes of studies."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import rocscope as rs
from rocscope import intervals, significance, sources
from rocscope.significance import permutation

Y = [1, 0, 1, 1, 0, 0, 1, 0]
S = [0.9, 0.8, 0.7, 0.7, 0.7, 0.3, 0.2, 0.1]
W = [1.0, 2.0, 0.5, 3.0, 1.5, 1.0, 2.5, 0.75]


def by_hand(y: list[int], s: list[float], w: list[float]) -> Fraction:
    """The weighted share of pairs in the right order, ties half."""
    pairs = [
        (Fraction(w[i]) * Fraction(w[j]), (s[i] > s[j]) + Fraction(int(s[i] == s[j]), 2))
        for i in range(len(y)) for j in range(len(y)) if y[i] and not y[j]
    ]  # fmt: skip
    return sum(weight * won for weight, won in pairs) / sum(weight for weight, _ in pairs)


def test_a_swapped_table_is_that_of_the_other_class() -> None:
    table = rs.ScoreTable.from_scores(Y, S, weights=W)
    other = rs.ScoreTable.from_scores([1 - y for y in Y], S, weights=W, higher_is_positive=False)
    swapped = table.swap()
    for name in ("scores", "pos", "neg", "pos_squares", "neg_squares"):
        np.testing.assert_array_equal(getattr(swapped, name), getattr(other, name))
    assert swapped.rows == other.rows == table.rows[::-1]
    assert swapped.labels == table.labels[::-1]
    assert swapped.higher_is_positive is False
    assert swapped.swap() == table
    assert float(swapped.auc) == float(table.auc) == pytest.approx(float(by_hand(Y, S, W)), abs=1e-15)


def test_a_swapped_table_keeps_its_own_share_of_positives() -> None:
    table = replace(rs.ScoreTable.from_scores(Y, S), known_prevalence=0.1)
    assert table.swap().known_prevalence == pytest.approx(0.9)
    assert table.swap().swap().known_prevalence == pytest.approx(0.1)


def test_a_reversed_table_has_the_other_area() -> None:
    table = rs.ScoreTable.from_scores(Y, S, weights=W)
    assert float(table.reverse().auc) == pytest.approx(1 - float(table.auc), abs=1e-15)
    assert table.reverse().reverse() == table
    assert table.reverse().positives == table.positives and table.reverse().rows == table.rows


@pytest.mark.parametrize("how", [{"budget": 0, "tolerance": 0.3}, {"budget": 0, "exact": True}])
def test_a_table_on_cells_turned_round_keeps_its_bound(how: dict[str, object]) -> None:
    rng = np.random.default_rng(3)
    y, s = rng.integers(0, 2, 500), rng.random(500)
    source = sources.open({"y": y, "s": s})
    table = sources.tables(source, label="y", scores=["s"], **how).tables["s",]  # type: ignore[arg-type]
    truth = float(rs.ScoreTable.from_scores(y, s).auc)
    for turned, area in ((table, truth), (table.reverse(), 1 - truth), (table.swap(), truth)):
        assert abs(float(rs.curves.auc(turned)) - area) <= turned.bound + 1e-12


def test_cochrans_gap_is_a_share_of_the_cases() -> None:
    right = [[1, 1, 0], [1, 0, 0], [1, 1, 1], [1, 1, 0], [0, 1, 0]]
    found = significance.cochran_q(right)
    assert found.value == pytest.approx(3 / 5)  # 4, 4 and 1 of 5 are right
    k, columns, rows = 3, [4, 4, 1], [2, 1, 3, 2, 1]
    q = (k - 1) * (k * sum(c * c for c in columns) - sum(columns) ** 2) / (k * sum(rows) - sum(r * r for r in rows))
    assert found.statistic == pytest.approx(q) and found.df == k - 1
    assert found.p == pytest.approx(math.exp(-q / 2))  # the tail of chi-square with two degrees of freedom


def test_all_models_alike_have_a_gap_too() -> None:
    found = significance.cochran_q([[1, 1], [0, 0], [1, 1]])
    assert (found.value, found.p, found.statistic, found.df) == (0.0, 1.0, 0.0, 1.0)


def test_models_exactly_a_critical_difference_apart_differ() -> None:
    made = significance.nemenyi([[0.9, 0.8, 0.1], [0.8, 0.9, 0.2], [0.9, 0.7, 0.3], [0.6, 0.9, 0.2]])
    at = replace(made, ranks=(1.0, 2.0, 3.5), cd=1.0, names=("a", "b", "c"))
    assert at.differ("a", "b") and at.differ("b", "a") and at.differ("b", "c")
    assert not replace(at, cd=1.0 + 1e-9).differ("a", "b")


def test_the_critical_difference_is_that_of_demsar() -> None:
    """CD = q sqrt(k (k + 1) / (6 N)), q 2.343 for three models at 0.05 (Demšar 2006, table 5)."""
    scores = np.random.default_rng(1).random((12, 3))
    assert significance.nemenyi(scores).cd == pytest.approx(2.343 * math.sqrt(3 * 4 / (6 * 12)), rel=3e-4)


@pytest.mark.parametrize("ratio", [1.0, 3.0])
def test_the_total_of_a_plan_is_all_its_cases(ratio: float) -> None:
    plan = intervals.size_for_auc(0.8, 0.7, ratio=ratio)
    assert plan.total == plan.positives + plan.negatives > plan.positives
    assert plan.negatives == math.ceil(plan.positives * ratio)
    assert plan.positives == math.ceil(plan.exact)


def test_the_area_between_two_lines_counts_both_sides_of_a_crossing() -> None:
    """Against a sum over a fine grid, which knows nothing of where the gap changes its sign."""
    x, gaps = np.array([0.0, 1.0, 1.5, 4.0, 5.0]), np.array([1.0, -2.0, -0.5, 3.0, 0.0])
    grid = np.linspace(0, 5, 500_001)
    area = float(np.trapezoid(np.abs(np.interp(grid, x, gaps)), grid))
    assert permutation._area_between(x, gaps) == pytest.approx(area, abs=1e-8)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("prevalence", [None, 0.1])
def test_counts_with_the_other_class_as_positive_have_its_estimates(weighted: bool, prevalence: float | None) -> None:
    squares = [14.5, 9.25, 5.0, 40.5] if weighted else None
    c = rs.Counts.of([14, 9, 6, 31], labels=("no", "yes"), squares=squares, known_prevalence=prevalence)
    other = c.swap()
    assert other.swap() == c and other.labels == ("yes", "no")
    assert other.known_prevalence is None if prevalence is None else other.known_prevalence == pytest.approx(0.9)
    for name, mirrored in (("recall", "specificity"), ("precision", "npv"), ("accuracy", "accuracy"), ("mcc", "mcc")):
        one, two = c.estimate(name), other.estimate(mirrored)
        assert (one.value, one.low, one.high) == pytest.approx((two.value, two.low, two.high))
    inverted = c.invert()
    assert inverted.labels == c.labels and inverted.estimate("recall").low == pytest.approx(c.estimate("fnr").low)
    assert inverted.known_prevalence == prevalence and inverted.invert() == c


def test_an_auc_counted_case_by_case_stays_at_another_prevalence() -> None:
    whole = rs.ScoreTable.from_scores(Y, S)
    cells = whole.coarse(2)
    assert cells.known is not None and cells.bound > 0
    counted = replace(cells, known=replace(cells.known, twice_u=whole.twice_u))
    assert counted.auc == pytest.approx(whole.auc) and cells.auc != pytest.approx(whole.auc)
    for prevalence in (0.02, 0.6):
        assert counted.rebase(prevalence).auc == pytest.approx(whole.auc)
