"""Where the lead passes from one model to another: the interval in `compare`, `hull` and the results document (E5)."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import rocscope as rs

RNG = np.random.default_rng(3)
N = 600
Y = (RNG.random(N) < 0.4).astype(int)
SHARED = RNG.standard_normal(N)
A = np.round(SHARED * 0.6 + 0.8 * RNG.standard_normal(N) * np.where(Y == 1, 0.5, 1) + 1.3 * Y, 3)
B = np.round(SHARED * 0.6 + 0.8 * RNG.standard_normal(N) * np.where(Y == 1, 2.0, 1) + 2.0 * Y, 3)


def compared(**how: object) -> rs.Comparison:
    return rs.compare(Y, {"a": A, "b": B}, **how)  # type: ignore[call-overload, no-any-return]


def test_a_slope_is_that_of_the_two_decisions_and_its_limits_are_fieller_s() -> None:
    found = compared().break_evens
    assert found and [one.slope.value for one in found] == list(compared().hull().break_even("a", "b"))
    for one in found:
        flags = [(A if at.model == "a" else B) >= at.threshold for at in (one.first, one.second)]
        alone = rs.intervals.break_even(Y, *(flag.astype(int) for flag in flags))
        assert one.slope.value == pytest.approx(alone.value)
        assert one.slope.low == pytest.approx(max(0.0, alone.low)) and one.slope.high == pytest.approx(alone.high)
        assert 0 <= one.slope.low <= one.slope.value <= one.slope.high
        assert one.costs(2.0).high == 2 * one.slope.high


def test_copies_of_cases_widen_nothing_and_weights_count() -> None:
    plain = compared().break_evens[0].slope
    y, a, b, house = (np.repeat(one, 4) for one in (Y, A, B, np.arange(N)))
    held = rs.compare(y, {"a": a, "b": b}, clusters=house).break_evens[0].slope
    assert held.low == pytest.approx(plain.low, rel=0.01) and held.high == pytest.approx(plain.high, rel=0.01)
    loose = rs.compare(y, {"a": a, "b": b}).break_evens[0].slope
    assert loose.high - loose.low < 0.6 * (plain.high - plain.low)
    weighted = compared(weights=np.full(N, 3.0)).break_evens[0].slope
    assert weighted.low == pytest.approx(plain.low) and weighted.high == pytest.approx(plain.high)


def test_clusters_of_both_classes_vary_together() -> None:
    """Against a bootstrap of clusters, of the ratio at the same thresholds."""
    one = compared().break_evens[0]
    flags = [(A if at.model == "a" else B) >= at.threshold for at in (one.first, one.second)]
    house, bold = np.repeat(np.arange(N // 6), 6), 1.0 * (flags[1] & ~flags[0])
    found = rs.intervals.break_even(Y, np.zeros(N), bold, clusters=house)
    sums = np.stack([np.bincount(house, w) for w in (bold * Y, 1.0 * Y, bold * (1 - Y), 1.0 - Y)])
    drawn = np.random.default_rng(1).integers(0, sums.shape[1], (4000, sums.shape[1]))
    t, p, f, n = sums[:, drawn].sum(axis=2)
    ratios = np.quantile((t / p) / np.where(f > 0, f / n, math.nan), [0.025, 0.975])
    assert found.low == pytest.approx(ratios[0], rel=0.15) and found.high == pytest.approx(ratios[1], rel=0.25)


def test_one_model_ahead_at_all_costs_has_no_break_even() -> None:
    assert rs.compare(Y, {"a": Y, "b": B}).break_evens == ()


def test_command_and_document_say_it(run: Callable[..., tuple[int, str, str]]) -> None:
    rows = (f"{y},{a},{b}" for y, a, b in zip(Y, A, B, strict=True))
    Path("two.csv").write_text("\n".join(["y,a,b", *rows]), encoding="utf-8")
    first = compared().break_evens[0]
    asked = ["two.csv", "--label", "y", "--score", "a", "--score", "b"]
    row = json.loads(run("hull", *asked, "--format", "json")[1])["break_even"][0]
    odds = Y.sum() / (N - Y.sum())
    assert row["low"] == pytest.approx(first.slope.low) and row["cost_high"] == pytest.approx(first.slope.high * odds)
    again = json.loads(run("compare", *asked, "--format", "json")[1])["break_evens"][0]
    assert again["slope"]["high"] == pytest.approx(first.slope.high) and again["first"]["model"] == first.first.model
    for command in ("hull", "compare"):
        text = run(command, *asked)[1]
        assert "break-even  " in text and "95 % CI" in text.split("break-even")[1]


def test_an_infinite_limit_is_said_in_words(run: Callable[..., tuple[int, str, str]]) -> None:
    y, a, b = (1, 1, 0, 1, 1, 0, 1, 0, 0, 0), (9, 8, 7, 6, 1, 5, 0, 4, 3, 2), (5, 6, 9, 4, 7, 8, 3, 2, 1, 0)
    rows = (",".join(map(str, row)) for row in zip(y, a, b, strict=True))
    Path("ten.csv").write_text("\n".join(["y,a,b", *rows]), encoding="utf-8")
    asked = ["ten.csv", "--label", "y", "--score", "a", "--score", "b"]
    for command in ("hull", "compare"):
        line = next(line for line in run(command, *asked)[1].splitlines() if line.startswith("break-even  "))
        assert "95 % CI 1 : 0 to 1 : 3.85" in line


def test_fieller_s_limits_with_clusters_by_their_definition() -> None:
    """The slopes θ whose more - θ alarms is within z standard errors of 0, its variance summed over clusters."""
    rng = np.random.default_rng(5)
    y, house = rng.integers(0, 2, 90), np.repeat(np.arange(15), 6)
    lean = np.repeat(rng.random(15), 6)
    first, second = (rng.random(90) < 0.1).astype(int), (rng.random(90) < 0.2 + 0.4 * lean + 0.3 * y).astype(int)
    found = rs.intervals.break_even(y, first, second, clusters=house)
    change = second - first
    means = {label: change[y == label].mean() for label in (0, 1)}
    assert found.value == pytest.approx(means[1] / means[0])
    for limit in (found.low, found.high):
        each = np.where(y == 1, (change - means[1]) / y.sum(), -limit * (change - means[0]) / (1 - y).sum())
        sums = np.bincount(house, each)
        variance = 15 / 14 * float((sums**2).sum())
        assert (means[1] - limit * means[0]) ** 2 == pytest.approx(1.959963984540054**2 * variance, rel=1e-9)
