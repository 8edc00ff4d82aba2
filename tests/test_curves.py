"""Curves: their figures, brute-force definitions, laws for every declared one, and what other tools get wrong."""

from __future__ import annotations

import copy
import json
import math
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from rocscope import RocscopeError, ScoreTable, curves, intervals, measures
from rocscope.curves.curve import _round_thresholds

CURVES = [reading for reading in curves.catalog() if reading.kind == "curve"]
FAWCETT_Y = [1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0]
FAWCETT_S = [0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.52, 0.51, 0.505]
FAWCETT_S += [0.4, 0.39, 0.38, 0.37, 0.36, 0.35, 0.34, 0.33, 0.30, 0.1]
FAWCETT = ScoreTable.from_scores(FAWCETT_Y, FAWCETT_S)
PROBABILITIES = st.sampled_from([k / 8 for k in range(9)] + [0.3, 0.30000000000000004, 1e-9])
ANY_SCORES = st.sampled_from([-1e300, -2.0, -0.0, 0.0, 5e-324, 0.1, 1.0, np.nextafter(1.0, 2), 3.0, 1e300])
NOT_ALONG_THRESHOLDS = {"calibration", "smooth_calibration"}
ON_ANOTHER_SCALE = {"binormal_roc", "risk_coverage"}


def table(labels: Any, scores: Any, **options: Any) -> ScoreTable:
    return ScoreTable.from_scores(np.array(labels), np.array(scores, dtype=float), **options)


Rows = list[tuple[int, float]]


def cases(scores: st.SearchStrategy[float], least: int = 1, most: int = 14) -> st.SearchStrategy[Rows]:
    return st.lists(st.tuples(st.integers(0, 1), scores), min_size=least, max_size=most)


def of(rows: Rows, **options: Any) -> ScoreTable:
    labels, scores = zip(*rows, strict=True)
    return table(list(labels), list(scores), **options)


def both(rows: Rows) -> bool:
    return len({label for label, _ in rows}) == 2


def same_columns(a: curves.Curve, b: curves.Curve) -> bool:
    return all(np.array_equal(a.columns[name], b.columns[name], equal_nan=True) for name in a.columns)


# ---- the founding documents ----


def test_mission_54_five_points() -> None:
    r = curves.roc(table([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1]))
    assert r.thresholds.tolist() == [math.inf, 0.9, 0.8, 0.1]
    assert r.fpr.tolist() == [0, 0, 0.5, 1] and r.tpr.tolist() == [0, 1 / 3, 1, 1]


def test_mission_52_and_154_walk_over_the_ranks() -> None:
    """Up 1/P for a positive, right 1/N for a negative, diagonally on ties."""
    r = curves.roc(FAWCETT)
    ups = np.diff(r.tpr).round(9).tolist()
    assert ups == [0.1 * y for y in FAWCETT_Y]
    assert np.diff(r.fpr).round(9).tolist() == [0.1 * (1 - y) for y in FAWCETT_Y]


def test_mission_60_and_61_corners_of_roc_space() -> None:
    r = curves.roc(table([1, 1, 0, 0], [4, 3, 2, 1]))
    points = list(zip(r.fpr.tolist(), r.tpr.tolist(), strict=True))
    assert points[0] == (0, 0) and points[-1] == (1, 1) and (0, 1) in points


def test_mission_63_seven_thresholds() -> None:
    tp, fp = [0, 7, 18, 26, 29, 29, 29], [0, 0, 1, 5, 14, 25, 25]
    rows = [{"threshold": 7 - i, "tp": a, "fp": b} for i, (a, b) in enumerate(zip(tp, fp, strict=True))]
    r = curves.roc(ScoreTable.from_points(rows, positives=29, negatives=25))
    shown = [(round(x, 4), round(y, 4)) for x, y in zip(r.fpr.tolist(), r.tpr.tolist(), strict=True)]
    assert shown == [(0, 0), (0, 0.2414), (0.04, 0.6207), (0.2, 0.8966), (0.56, 1), (1, 1)]
    assert r.at(4)["tpr"] == 26 / 29


def test_mission_172_six_cases() -> None:
    r = curves.roc(table([1, 1, 0, 1, 0, 0], [0.94, 0.92, 0.70, 0.65, 0.30, 0.20]))
    assert r.tpr[1:].tolist() == [1 / 3, 2 / 3, 2 / 3, 1, 1, 1]
    assert r.fpr[1:].tolist() == [0, 0, 1 / 3, 1 / 3, 2 / 3, 1]


def test_mission_174_guessing_is_the_diagonal() -> None:
    r = curves.roc(table([0, 1, 0, 1, 0, 1], [3, 3, 2, 2, 1, 1]))
    assert r.tpr.tolist() == r.fpr.tolist() == [0, 1 / 3, 2 / 3, 1]


def test_calibration_blocks_of_fawcett() -> None:
    c = curves.calibration(FAWCETT)
    assert c.observed.tolist() == pytest.approx([0, 1 / 3, 3 / 7, 3 / 4, 1])
    assert c.count.tolist() == [1, 6, 7, 4, 2]
    assert c.low.tolist() == [0.1, 0.3, 0.38, 0.54, 0.8] and c.high.tolist() == [0.1, 0.37, 0.53, 0.7, 0.9]


# ---- the value ----


def test_a_curve_is_read_only_and_iterable() -> None:
    r = curves.roc(FAWCETT)
    with pytest.raises(ValueError, match="read-only"):
        r.fpr[0] = 1
    with pytest.raises(TypeError):
        r.columns["fpr"] = r.tpr  # type: ignore[index]
    with pytest.raises(AttributeError):
        r.kind = "pr"  # type: ignore[misc]
    rows = r.to_rows()
    assert list(r) == rows and len(rows) == len(r) == 21 and r.row(-1) == rows[-1]
    assert rows[1] == {"threshold": 0.9, "fpr": 0.0, "tpr": 0.1}
    assert copy.copy(r).tpr is r.tpr


def test_columns_by_any_name_of_the_measure() -> None:
    r = curves.roc(FAWCETT)
    assert r.recall is r.tpr and r.sensitivity is r.tpr and r.threshold is r.thresholds
    with pytest.raises(AttributeError, match="Did you mean 'fpr'"):
        _ = r.fprr
    with pytest.raises(RocscopeError):
        r.column("cost")


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(RocscopeError, match="rows"):
        curves.Curve("x", np.zeros(3), {"a": np.zeros(2)}, x="a", y="a")


def test_b044_b045_b046_thresholds_asked_for() -> None:
    r = curves.roc(FAWCETT)
    with pytest.raises(RocscopeError, match="NaN"):
        r.at(math.nan)
    assert r.at(math.inf)["tpr"] == 0 and r.at(-math.inf)["tpr"] == 1
    found = r.labels([0.1, 0.9, 0.5, 0.5, 0.9])
    assert [label.threshold for label in found] == [0.1, 0.9, 0.5, 0.5, 0.9]
    assert [label.y for label in found] == [1.0, 0.1, 0.6, 0.6, 0.1]


@settings(max_examples=40)
@given(cases(ANY_SCORES), st.floats(allow_nan=False), st.booleans())
def test_lookup_is_a_step(rows: Rows, threshold: float, higher: bool) -> None:
    t = of(rows, higher_is_positive=higher)
    found = curves.sweep(t, "recall", "fpr").at(threshold)
    counts = t.at(threshold)
    for name in ("recall", "fpr"):
        assert found[name] == counts.value(name) or math.isnan(found[name])


def test_default_labels_are_round_and_on_the_curve() -> None:
    r = curves.roc(FAWCETT)
    assert [label.threshold for label in r.labels()] == [0.9, 0.7, 0.5, 0.3, 0.1]
    wide = curves.roc(table([0, 1] * 50, np.linspace(-37, 210, 100)))
    found = [label.threshold for label in wide.labels()]
    assert 3 <= len(found) <= 7 and all(value % 10 == 0 for value in found) and found == sorted(found, reverse=True)
    low = curves.roc(table([0, 1] * 50, np.linspace(-37, 210, 100), higher_is_positive=False))
    assert [label.threshold for label in low.labels()] == found[::-1]
    assert curves.roc(table([0, 1], [0.45, 0.55])).labels() == [curves.Label(0.5, 0.0, 1.0)]


def test_curves_without_steps_refuse_a_lookup() -> None:
    for kind in ("net_benefit", "calibration", "cost", "brier_curve"):
        with pytest.raises(RocscopeError, match="cannot be read at a threshold"):
            curves.get(kind)(FAWCETT).at(0.5)


def test_printing_says_rule_and_reason() -> None:
    assert repr(curves.roc(FAWCETT)) == "Curve(roc: 21 points, tpr against fpr, positive: score >= threshold)"
    one = repr(curves.roc(table([1, 1], [1, 2], higher_is_positive=False)))
    assert "score <= threshold" in one and "no negatives: fpr is undefined" in one


# ---- each curve by its definition ----


@settings(max_examples=40)
@given(cases(ANY_SCORES), st.booleans())
def test_roc_pr_det_gain_lift_by_definition(rows: Rows, higher: bool) -> None:
    t = of(rows, higher_is_positive=higher)
    r, p, d, g, li = (f(t) for f in (curves.roc, curves.pr, curves.det, curves.gain, curves.lift))
    for i, threshold in enumerate(t.thresholds.tolist()):
        c = t.at(threshold)
        share = Fraction(c.tp + c.fp, len(rows))
        expected = {
            "tpr": c.recall, "fpr": c.fpr, "fnr": c.fnr, "precision": c.precision, "share": float(share),
            "lift": c.tp / (share * t.positives) if share and t.positives else math.nan,
        }  # fmt: skip
        found = {
            "tpr": r.tpr[i], "fpr": r.fpr[i], "fnr": d.fnr[i], "precision": p.precision[i], "share": g.share[i],
            "lift": li.lift[i],
        }  # fmt: skip
        for name, value in expected.items():
            assert found[name] == pytest.approx(value, rel=1e-15, nan_ok=True), name
    assert np.array_equal(p.recall, r.tpr, equal_nan=True) and np.array_equal(g.recall, r.tpr, equal_nan=True)


def test_det_on_normal_deviates() -> None:
    from scipy.stats import norm

    d = curves.det(FAWCETT)
    assert np.allclose(norm.cdf(d.probit_fpr), d.fpr) and np.allclose(norm.cdf(d.probit_fnr), d.fnr)
    assert d.probit_fpr[0] == -math.inf and d.probit_fnr[0] == math.inf


def test_ks_plot() -> None:
    k = curves.ks(FAWCETT)
    assert np.abs(k.gap).max() == pytest.approx(curves.ks_statistic(FAWCETT)) == 0.4
    assert np.array_equal(k.gap, k.tpr - k.fpr)


@settings(max_examples=40)
@given(cases(ANY_SCORES, 2, 12))
def test_pr_gain_by_definition_and_straightness(rows: Rows) -> None:
    assume(both(rows))
    t = of(rows)
    g, p = curves.pr_gain(t), curves.pr(t)
    share = t.positives / (t.positives + t.negatives)
    found = p.recall > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        rescaled = (p.precision - share) / ((1 - share) * p.precision)
    assert np.allclose(g.precision_gain[found], rescaled[found], atol=1e-12)
    assert np.isnan(g.precision_gain[~found]).all()
    assert g.why == "" if found.all() else "no positive has been found" in g.why


@settings(max_examples=40)
@given(cases(ANY_SCORES, 2, 12), st.integers(1, 40))
def test_pr_points_have_the_exact_area(rows: Rows, points: int) -> None:
    """However few points are asked for, those of the thresholds stay; fine trapezoids give the exact area."""
    t = of(rows)
    assume(t.positives)
    p = curves.pr_points(t, points=points)
    assert set(p.recall.round(12)) >= set(curves.pr(t).recall.round(12)) and len(p) <= len(t) + points + 2
    fine = curves.pr_points(t, points=20000)
    area = np.trapezoid(fine.precision[1:], fine.recall[1:])
    assert area == pytest.approx(curves.pr_area(t), abs=2e-5)
    assert np.nanmax(fine.precision) <= 1 and p.at(-math.inf)["recall"] == 1


def test_pr_points_between_two_thresholds() -> None:
    """5 of 10 found among 10 flagged, then all among 30: with 8 found, 5 + 15 * 3/5 = 14 are wrong."""
    t = ScoreTable(np.array([2.0, 1.0]), np.array([5, 5]), np.array([5, 15]))
    p = curves.pr_points(t, points=10)
    at = dict(zip(p.recall.round(9).tolist(), p.precision.tolist(), strict=True))
    assert at[0.8] == pytest.approx(8 / (8 + 5 + 15 * 3 / 5)) and at[1.0] == 10 / 30 and at[0.2] == 0.5


@settings(max_examples=40)
@given(cases(ANY_SCORES, 2, 12))
def test_cost_curve_is_the_lower_envelope(rows: Rows) -> None:
    assume(both(rows))
    t = of(rows)
    c, lines = curves.cost(t), curves.cost_lines(t)
    pc = np.linspace(0, 1, 201)
    least = (lines.fnr[:, None] * pc + lines.fpr[:, None] * (1 - pc)).min(axis=0)
    assert np.allclose(np.interp(pc, c.pc, c.cost), least, atol=1e-12)
    assert np.all(np.diff(c.pc) >= 0) and c.pc[0] == 0 and c.pc[-1] == 1 and c.cost[0] == c.cost[-1] == 0
    for i in range(len(c) - 1):  # the threshold of a row is cheapest from there to the next
        middle = (c.pc[i] + c.pc[i + 1]) / 2
        mine = c.fnr[i] * middle + c.fpr[i] * (1 - middle)
        assert mine == pytest.approx(np.interp(middle, pc, least), abs=5e-3)
        assert c.fpr[i] == curves.roc(t).at(c.thresholds[i])["fpr"]


@settings(max_examples=40)
@given(cases(PROBABILITIES))
def test_area_of_the_brier_curve_is_the_brier_score(rows: Rows) -> None:
    b = curves.brier_curve(of(rows))
    assert -np.trapezoid(b.loss, b.cost_share) == pytest.approx(curves.brier(of(rows)), abs=1e-12)
    for c, loss, threshold in zip(b.cost_share, b.loss, b.thresholds, strict=True):
        counts = of(rows).at(threshold)
        assert loss == pytest.approx(2 * (c * counts.fp + (1 - c) * counts.fn) / len(rows), abs=1e-15)


def test_expected_cost_by_definition() -> None:
    e = curves.expected_cost(FAWCETT, fp=2, fn=3, tp=-1, tn=0.5)
    for threshold, cost in zip(e.thresholds, e.cost, strict=True):
        c = FAWCETT.at(threshold)
        assert cost == pytest.approx((2 * c.fp + 3 * c.fn - c.tp + 0.5 * c.tn) / 20)
    errors_alone = curves.expected_cost(FAWCETT, fp=2, fn=3)
    assert errors_alone.cost.tolist() == curves.expected_cost(FAWCETT, fp=2, fn=3, tp=0, tn=0).cost.tolist()
    with pytest.raises(RocscopeError, match="finite"):
        curves.expected_cost(FAWCETT, fp=math.inf, fn=1)
    with pytest.raises(RocscopeError, match="requires the costs of both kinds of error"):
        curves.expected_cost(FAWCETT, fp=1)


@settings(max_examples=40)
@given(cases(PROBABILITIES), st.lists(st.floats(0, 0.999), max_size=5))
def test_net_benefit_by_definition(rows: Rows, points: list[float]) -> None:
    t = of(rows)
    n = curves.net_benefit(t, pt=points)
    assert n.thresholds.tolist() == points
    for i, pt in enumerate(points):
        c, odds = t.at(pt), pt / (1 - pt)
        assert n.net_benefit[i] == pytest.approx((c.tp - odds * c.fp) / len(rows), abs=1e-12)
        assert n.net_benefit[i] == pytest.approx(curves.net_benefit_at(t, pt=pt), abs=1e-12)
        assert n.treat_all[i] == pytest.approx((t.positives - odds * t.negatives) / len(rows), abs=1e-12)
    assert not n.treat_none.any()


def test_net_benefit_at_every_score() -> None:
    n = curves.net_benefit(FAWCETT)
    assert len(n) == 21 and n.net_benefit[0] == 0 and math.isnan(n.treat_all[0]) and "treat_all" in n.why
    assert n.standardized[1:] == pytest.approx(n.net_benefit[1:] / 0.5)
    certain = curves.net_benefit(table([1, 0], [1.0, 0.2]))
    assert math.isnan(certain.net_benefit[1]) and "pt = 1" in certain.why
    for wrong in (1.0, -0.1, math.nan, 2.0):
        with pytest.raises(RocscopeError, match="threshold probability"):
            curves.net_benefit(FAWCETT, pt=[0.2, wrong])


@settings(max_examples=40)
@given(cases(PROBABILITIES), st.integers(1, 9), st.sampled_from(["width", "count"]))
def test_calibration_bins_by_definition(rows: Rows, bins: int, by: str) -> None:
    c = curves.calibration(of(rows), bins=bins, by=by)
    assert len(c) == bins and c.count.sum() == len(rows)
    for i in range(bins):
        last = i == bins - 1 or by == "count"
        held = [(y, s) for y, s in rows if c.low[i] <= s and (s < c.high[i] or (last and s == c.high[i]))]
        assert c.count[i] == len(held)
        expected = np.mean(held, axis=0) if held else (math.nan, math.nan)
        assert (c.observed[i], c.score[i]) == pytest.approx(tuple(expected), abs=1e-14, nan_ok=True)


@settings(max_examples=40)
@given(cases(PROBABILITIES, 1, 12))
def test_corp_blocks_rise_and_hold_every_case(rows: Rows) -> None:
    c = curves.calibration(of(rows))
    assert c.count.sum() == len(rows) and np.all(np.diff(c.observed) > 0) and np.all(c.low <= c.high)
    assert (c.count * c.observed).sum() == pytest.approx(sum(y for y, _ in rows))
    assert (c.count * c.score).sum() == pytest.approx(sum(s for _, s in rows))
    assert c.why == ""


def test_risk_coverage_reads_decimals_as_they_print() -> None:
    """0.7 and 0.3 are equally far from 0.5: one block, though not in floats."""
    r = curves.risk_coverage(table([1, 0, 0, 1], [0.7, 0.3, 0.9, 0.5]))
    assert r.thresholds.tolist() == [math.inf, 0.4, 0.2, 0.0]
    assert r.coverage.tolist() == [0, 0.25, 0.75, 1] and r.risk[1:].tolist() == [1, 1 / 3, 0.25]
    assert math.isnan(r.risk[0]) and "no case is decided" in r.why
    logits = curves.risk_coverage(table([1, 0, 0, 1], [700, 300, 900, 500]), threshold=500)
    assert logits.coverage.tolist() == r.coverage.tolist()
    low = curves.risk_coverage(table([1, 0, 0, 1], [300, 700, 100, 500], higher_is_positive=False), threshold=500)
    assert low.risk[1:].tolist() == r.risk[1:].tolist()


@pytest.mark.parametrize("measure", measures.catalog(), ids=lambda measure: measure.name)
def test_any_measure_along_a_table(measure: measures.Measure) -> None:
    try:
        swept = curves.sweep(FAWCETT, measure.name)
    except RocscopeError as error:
        assert "matrix" in str(error)
        return
    values = swept.column(measure.name)
    for i in (0, 1, 7, 20):
        expected = FAWCETT.at(swept.thresholds[i]).value(measure.name)
        assert values[i] == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)
    assert bool(swept.why) == bool(np.isnan(values).any())


def test_sweep_and_trade_by_alias() -> None:
    s = curves.sweep(FAWCETT, "ppv", "f0.5")
    assert s.ppv is s.precision and s.y == "ppv" and list(s.columns) == ["ppv", "f0.5"]
    assert s.why.startswith("ppv is undefined at 1 of 21 points, first at row 0: nothing was predicted positive")
    t = curves.trade(FAWCETT, "sensitivity", "npv")
    assert (t.kind, t.x, t.y) == ("trade", "sensitivity", "npv") and t.at(0.5)["npv"] == FAWCETT.at(0.5).npv
    with pytest.raises(RocscopeError, match="Did you mean"):
        curves.sweep(FAWCETT, "precison")
    with pytest.raises(RocscopeError, match="requires at least one measure"):
        curves.sweep(FAWCETT)


def test_rebased_curves_follow_the_prevalence() -> None:
    moved = FAWCETT.rebase(0.02)
    assert curves.roc(moved).tpr == pytest.approx(curves.roc(FAWCETT).tpr)
    at = curves.sweep(moved, "precision", "npv").at(0.54)
    assert at["precision"] == pytest.approx(0.02 * 0.5 / (0.02 * 0.5 + 0.98 * 0.1))
    assert at["npv"] == pytest.approx(0.98 * 0.9 / (0.98 * 0.9 + 0.02 * 0.5))


# ---- laws for every declared curve ----


def every_curve() -> Any:
    return pytest.mark.parametrize("reading", CURVES, ids=lambda reading: reading.name)


def scores_for(reading: curves.Reading) -> st.SearchStrategy[float]:
    return PROBABILITIES if reading.needs_probabilities or reading.name == "risk_coverage" else ANY_SCORES


@every_curve()
@settings(max_examples=25)
@given(data=st.data())
def test_law_shape_range_and_reason(reading: curves.Reading, data: st.DataObject) -> None:
    t = of(data.draw(cases(scores_for(reading))))
    c = reading(t)
    assert tuple(c.columns) == reading.columns and (c.x, c.y, c.kind) == (reading.x, reading.y, reading.name)
    assert all(len(column) == len(c) and not column.flags.writeable for column in (c.thresholds, *c.columns.values()))
    assert all(column.dtype == np.float64 for column in c.columns.values())
    y = c.column(reading.y)
    defined = y[~np.isnan(y)]
    assert np.all((defined >= reading.low - 1e-12) & (defined <= reading.high + 1e-12))
    lost = any(np.isnan(column).any() for column in c.columns.values())
    assert bool(c.why) == lost or "hook" in c.why
    assert reading.why(t) == c.why
    if reading.name not in NOT_ALONG_THRESHOLDS:
        assert c.thresholds[0] == math.inf, "the first row predicts nothing"


@every_curve()
@settings(max_examples=12)
@given(data=st.data())
def test_law_order_weights_and_merging(reading: curves.Reading, data: st.DataObject) -> None:
    rows = data.draw(cases(scores_for(reading), 2, 12))
    c = reading(of(rows))
    assert same_columns(c, reading(of(data.draw(st.permutations(rows))))), "order of cases"
    cut = data.draw(st.integers(1, len(rows) - 1))
    assert same_columns(c, reading(of(rows[cut:]) + of(rows[:cut]))), "merge = whole"
    twice = of(rows, weights=np.full(len(rows), 2), weights_are="frequency")
    assert same_columns(reading(of(rows + rows)), reading(twice)), "weight 2 = twice the row"


@pytest.mark.parametrize("reading", [r for r in CURVES if r.rank_only], ids=lambda reading: reading.name)
@settings(max_examples=12)
@given(data=st.data())
def test_law_rank_curves_see_the_order_alone(reading: curves.Reading, data: st.DataObject) -> None:
    rows = data.draw(cases(ANY_SCORES, 2, 12))
    c = reading(of(rows))
    ranks = {s: float(i) for i, s in enumerate(sorted({s for _, s in rows}))}
    mapped = reading(of([(y, math.expm1(ranks[s]) - 40) for y, s in rows]))
    assert same_columns(c, mapped)
    low = reading(of([(y, -s) for y, s in rows], higher_is_positive=False))
    assert same_columns(c, low)
    if reading.name not in ON_ANOTHER_SCALE:
        assert np.array_equal(low.thresholds, -c.thresholds), "the first row predicts nothing: -inf"


@every_curve()
def test_one_class_has_nan_with_a_reason(reading: curves.Reading) -> None:
    for label in (0, 1):
        c = reading(table([label] * 3, [0.2, 0.4, 0.9]))
        lost = any(np.isnan(column).any() for column in c.columns.values())
        assert lost == bool(c.why)
        if reading.needs == "both":
            assert c.why.startswith("no negatives" if label else "no positives")
            assert all(np.isnan(column).all() for column in c.columns.values())


@settings(max_examples=40)
@given(cases(ANY_SCORES, 2, 14))
def test_law_class_swap_maps_sensitivity_to_specificity(rows: Rows) -> None:
    t = of(rows)
    a, b = curves.sweep(t, "recall", "specificity"), curves.sweep(t.swap(), "recall", "specificity")
    assert np.array_equal(a.recall, b.specificity[::-1], equal_nan=True)
    assert np.array_equal(a.specificity, b.recall[::-1], equal_nan=True)


# ---- thinning ----


@settings(max_examples=40)
@given(cases(ANY_SCORES, 1, 14), st.sampled_from(["roc", "det", "gain", "pr", "lift", "ks", "pr_gain", "cost_lines"]))
def test_thin_keeps_small_curves_but_for_straight_pieces(rows: Rows, kind: str) -> None:
    t = of(rows)
    c = curves.get(kind)(t)
    thin = c.thin()
    assert set(thin.thresholds) <= set(c.thresholds) and thin.thresholds[0] == c.thresholds[0]
    if both(rows) and kind in ("roc", "gain"):
        (x, y), (u, v) = c.xy, thin.xy
        assert np.allclose(np.interp(x, u, v)[np.isin(x, u)], y[np.isin(x, u)]) or kind == "roc"
        assert np.trapezoid(v, u) == pytest.approx(np.trapezoid(y, x), abs=1e-14), "without loss"
        turn = np.diff(u)[1:] * np.diff(v)[:-1] - np.diff(u)[:-1] * np.diff(v)[1:]
        assert np.all(np.abs(turn) > 1e-12), "no straight piece has a point inside"


@pytest.mark.parametrize("kind", ["roc", "pr", "gain", "lift", "det", "ks"])
def test_thin_large_curves(kind: str) -> None:
    rng = np.random.default_rng(7)
    y = (rng.random(30000) < 0.2).astype(int)
    t = table(y, rng.normal(size=30000) + 1.3 * y)
    c = curves.get(kind)(t)
    thin = c.thin(500)
    assert 450 <= len(thin) <= 700
    from rocscope.hull import hull

    assert {point.threshold for point in hull(t).points} <= set(thin.thresholds.tolist()), "corners of the hull stay"
    if kind == "roc":
        assert np.trapezoid(thin.tpr, thin.fpr) == pytest.approx(curves.auc(t), abs=1e-5)
        assert np.abs(np.interp(c.fpr, thin.fpr, thin.tpr) - c.tpr).max() < 0.01


def test_thin_keeps_more_points_where_the_area_needs_them() -> None:
    rng = np.random.default_rng(8)
    t = table(rng.integers(0, 2, 4000), rng.normal(size=4000))
    thin = curves.roc(t).thin(10)
    assert np.trapezoid(thin.tpr, thin.fpr) == pytest.approx(curves.auc(t), abs=1e-5)
    with pytest.raises(RocscopeError, match="at least 2"):
        curves.roc(t).thin(1)


# ---- what other tools get wrong ----


def test_wrong_08_trapezoid_pr_area() -> None:
    constant = table([1] + [0] * 9, [1] * 10)
    assert curves.pr_trapezoid(constant) == pytest.approx(0.55) and curves.pr_area(constant) == pytest.approx(0.10)
    assert "wrong" in curves.get("pr_trapezoid").says and curves.get("pr_auc").name == "pr_area"


def test_wrong_09_average_precision_reads_high_when_positives_are_rare() -> None:
    rng = np.random.default_rng(11)
    y = (rng.random(2000) < 0.02).astype(int)
    t = table(y, rng.normal(size=2000) + 1.5 * y)
    assert curves.average_precision(t) > curves.pr_area(t) > curves.pr_trapezoid(t)


def test_wrong_10_exact_pr_area_by_its_closed_form() -> None:
    """Fawcett has no ties: each positive adds 1 - F log((T + 1 + F) / (T + F)) over P."""
    area = tp = fp = 0.0
    for y in FAWCETT_Y:
        if y:
            area += 1 - fp * math.log((tp + 1 + fp) / (tp + fp)) if fp else 1
        tp, fp = tp + y, fp + 1 - y
    assert curves.pr_area(FAWCETT) == pytest.approx(area / 10, rel=1e-12) and round(area / 10, 4) == 0.7200


def test_wrong_11_direction_is_never_guessed() -> None:
    assert curves.auc(table(FAWCETT_Y, [-s for s in FAWCETT_S])) == 0.32


def test_wrong_12_one_table_all_columns_of_one_length() -> None:
    for reading in CURVES:
        c = reading(FAWCETT)
        assert {len(column) for column in c.columns.values()} == {len(c.thresholds)}
    p = curves.pr(FAWCETT)
    assert p.thresholds[0] == math.inf and p.recall[0] == 0 and math.isnan(p.precision[0])


def test_wrong_13_straight_pieces_go_thresholds_stay() -> None:
    t = table([0, 0, 0, 0, 1, 1, 1, 1], [1, 2, 3, 4, 5, 6, 7, 8])
    assert len(curves.roc(t)) == 9 and len(curves.roc(t).thin()) == 3


def test_wrong_14_one_class_only() -> None:
    for name in ("auc", "average_precision", "pr_area", "gini", "partial_auc", "hull_area"):
        t = table([0, 0], [0.1, 0.2])
        assert math.isnan(curves.get(name)(t)) and curves.why(name, t).startswith("no positives")
    r = curves.roc(table([1, 1], [0.1, 0.2]))
    assert np.isnan(r.fpr).all() and r.why == "no negatives: fpr is undefined"
    assert curves.why("auc", table([1, 1], [0.1, 0.2])) == "no negatives: ROC AUC is undefined"


def test_wrong_22_scores_are_never_transformed() -> None:
    logits = table([0, 0, 1, 1], [30, 40, 50, 60])
    assert curves.auc(logits) == 1
    first, second = table([0, 1], [0.2, 0.9]), table([0, 1], [-3.0, 7.0])
    assert curves.auc(first + second) == curves.auc(table([0, 1, 0, 1], [0.2, 0.9, -3.0, 7.0]))


def skewed() -> ScoreTable:
    rng = np.random.default_rng(2)
    y = (rng.random(3000) < 0.3).astype(int)
    return table(y, rng.beta(1 + 3 * y, 60))


def test_wrong_23_exact_or_with_a_bound() -> None:
    t = skewed()
    assert t.bound == 0
    coarse = t.coarse(3)
    assert coarse.bound > 0.01 and abs(curves.auc(coarse) - curves.auc(t)) <= coarse.bound


def test_wrong_24_cells_of_skewed_scores_say_how_far_off() -> None:
    t = skewed()
    exact, errors = curves.auc(t), []
    for bits in (3, 6, 10):
        low, high = curves.bounds("auc", t.coarse(bits))
        assert low <= exact <= high
        errors.append(high - low)
    assert errors == sorted(errors, reverse=True) and errors[-1] < 0.01


def test_wrong_27_near_ties_are_compared_exactly() -> None:
    near = table([1, 0], [3.4, np.nextafter(3.4, 4)])
    assert curves.auc(near) == 0 and curves.auc(table([1, 0], [3.4, 3.4])) == 0.5


def test_wrong_28_ties_do_not_depend_on_the_order_of_rows() -> None:
    rng = np.random.default_rng(4)
    y, s = rng.integers(0, 2, 200), rng.integers(0, 5, 200)
    found = set()
    for _ in range(20):
        order = rng.permutation(200)
        found.add(curves.auc(table(y[order], s[order])))
    assert len(found) == 1


def test_wrong_29_rule_is_at_or_above_and_midpoints_decide_the_same() -> None:
    for higher in (True, False):
        t = table(FAWCETT_Y, FAWCETT_S, higher_is_positive=higher)
        r = curves.roc(t)
        assert "score >= threshold" in repr(r) if higher else "score <= threshold" in repr(r)
        assert t.at(0.54).tp == t.tp[t.scores.tolist().index(0.54) + 1]
        for i, middle in enumerate(r.midpoints.tolist()):
            assert (t.at(middle).tp, t.at(middle).fp) == (t.tp[i], t.fp[i])
    neighbours = curves.roc(table([1, 0, 1], [1.0, np.nextafter(1.0, 0), 0.2]))
    assert neighbours.midpoints.tolist() == [math.inf, 1.0, pytest.approx(0.6), -math.inf]


def test_wrong_30_lookup_in_threshold_is_not_interpolated() -> None:
    r = curves.roc(FAWCETT)
    assert (r.at(0.5)["fpr"], r.at(0.5)["tpr"]) == (0.4, 0.6)
    assert r.at(0.6)["tpr"] == 0.3 and r.at(0.45) == r.at(0.505)


def test_wrong_34_a_sweep_is_read_off_the_cumulative_counts() -> None:
    rng = np.random.default_rng(6)
    t = table(rng.integers(0, 2, 2000), rng.random(2000))
    swept = curves.sweep(t, "f1", "mcc", "balanced_accuracy")
    for i in (0, 1, 500, 1500, 2000):
        for name in ("f1", "mcc", "balanced_accuracy"):
            assert swept.column(name)[i] == pytest.approx(t.at(swept.thresholds[i]).value(name), abs=1e-12, nan_ok=True)


def test_wrong_34_blocks_do_not_show() -> None:
    """More thresholds than fit one block of the sweep."""
    size = 70_000
    t = ScoreTable(np.arange(size, 0, -1.0), np.arange(size) % 2, 1 - np.arange(size) % 2)
    swept = curves.sweep(t, "precision")
    assert np.allclose(swept.precision[1:], np.cumsum(t.pos) / np.arange(1, size + 1))


def test_wrong_35_mcclish_is_right_for_any_range() -> None:
    perfect, guess = table([1, 1, 0, 0], [4, 3, 2, 1]), table([1, 0], [1, 1])
    for low, high in ((0, 0.1), (0.2, 0.5), (0.7, 1)):
        for side in ("fpr", "tpr"):
            assert curves.partial_auc(perfect, **{side: (low, high)}, corrected=True) == pytest.approx(1)
            assert curves.partial_auc(guess, **{side: (low, high)}, corrected=True) == pytest.approx(0.5)
        assert curves.partial_auc(perfect, fpr=(low, high)) == pytest.approx(high - low)


def test_wrong_36_empty_bins_are_kept() -> None:
    c = curves.calibration(FAWCETT, bins=10)
    assert len(c) == 10 and c.count.tolist() == [0, 1, 0, 8, 1, 6, 1, 1, 1, 1]
    assert math.isnan(c.observed[0]) and c.why.endswith("first at row 0: the bin is empty")


def test_wrong_40_auc_of_hard_labels_is_that_of_one_point() -> None:
    y, predicted = [1, 1, 1, 0, 0, 0, 0, 0], [1, 1, 0, 1, 0, 0, 0, 0]
    t = table(y, predicted)
    assert len(t) == 2, "two distinct scores: the words warn"
    c = t.at(1)
    assert curves.exact("auc", t) == (c.exact("tpr") + c.exact("tnr")) / 2


# ---- long tables: read piece by piece, with the numbers of the plain definitions ----


def long_table(kind: str, size: int = 40_000) -> ScoreTable:
    """Scores of one kind: all distinct, tied, with entries of weight 0, or with low ones positive."""
    draw = np.random.default_rng(7)
    y = draw.random(size) < 0.3
    score = 1 / (1 + np.exp(1 - draw.normal(size=size) - y))
    if kind == "low":
        return ScoreTable.from_scores(y, 1 - score, higher_is_positive=False)
    made = ScoreTable.from_scores(y, score.round(5) if kind == "tied" else score)
    if kind != "empty entries":
        return made
    shown = np.arange(len(made)) % 3 > 0
    return ScoreTable(made.scores, made.pos * shown, made.neg * shown)


LONG = ["distinct", "tied", "empty entries", "low"]


def test_what_is_computed_once_belongs_to_its_table() -> None:
    from rocscope.hull import corner_rows as corners

    one, two = (long_table("distinct", size) for size in (20_000, 30_000))
    assert corners(one) is corners(one) and corners(one) is not corners(two)
    assert curves.brier(copy.copy(one)) == curves.brier(one) != curves.brier(two)


@pytest.mark.parametrize("weighted", [False, True])
def test_losses_of_a_long_table_are_means_over_its_cases(weighted: bool) -> None:
    from rocscope.curves import probability

    t = long_table("tied")
    if weighted:
        weight = np.random.default_rng(1).random(len(t))
        t = ScoreTable(t.scores, t.pos * weight, t.neg * weight, pos_squares=t.pos * weight**2,
                       neg_squares=t.neg * weight**2)  # fmt: skip
    squared = [(side if not weighted else square) for side, square in ((t.pos, t.pos_squares), (t.neg, t.neg_squares))]
    for found, value, up, down in (
        (probability.squared_losses(t), curves.brier(t), (1 - t.scores) ** 2, t.scores**2),
        (probability.log_losses(t), curves.log_loss(t), -np.log(t.scores), -np.log1p(-t.scores)),
    ):
        mean = math.fsum([*(t.pos * up), *(t.neg * down)]) / math.fsum([*t.pos, *t.neg])
        assert value == pytest.approx(mean, rel=1e-14)
        for about in (mean, mean / 2):
            spread = math.fsum([*(squared[0] * (up - about) ** 2), *(squared[1] * (down - about) ** 2)])
            assert found.spread(about) == pytest.approx(spread, rel=1e-12)


def test_log_loss_at_the_ends_of_a_long_table() -> None:
    t = long_table("distinct")
    scores = t.scores.copy()
    scores[0], scores[-1] = 1.0, 0.0
    right, wrong = t.pos.copy(), t.neg.copy()
    right[0], wrong[0], right[-1], wrong[-1] = 1, 0, 0, 1
    assert math.isfinite(curves.log_loss(ScoreTable(scores, right, wrong)))
    surprised = right.copy()
    surprised[-1] = 2
    assert curves.log_loss(ScoreTable(scores, surprised, wrong)) == math.inf
    assert "probability 0 was given to 2 positive" in curves.why("log_loss", ScoreTable(scores, surprised, wrong))


@pytest.mark.parametrize("slope", [1.0, 0.2, 6.0])
def test_a_calibration_fit_on_nodes_is_that_on_rows(slope: float) -> None:
    from rocscope.curves.logistic_calibration import MANY

    draw = np.random.default_rng(3)
    logit = draw.normal(size=MANY + 5_000)
    y = draw.random(len(logit)) < 1 / (1 + np.exp(-0.3 - slope * logit))
    t = ScoreTable.from_scores(y, 1 / (1 + np.exp(-logit)))
    fit = curves.calibration_fit(t)
    x = np.log(t.scores) - np.log1p(-t.scores)
    place = np.array([fit.intercept, fit.slope])
    chance = 1 / (1 + np.exp(-(place[0] + place[1] * x)))
    rest, weight = t.pos - (t.pos + t.neg) * chance, (t.pos + t.neg) * chance * (1 - chance)
    cross = (weight * x).sum()
    information = np.array([[weight.sum(), cross], [cross, (weight * x * x).sum()]])
    step = np.linalg.solve(information, [rest.sum(), (rest * x).sum()])  # what Newton would still move
    assert np.abs(step).max() < 1e-11
    assert fit.slope_se == pytest.approx(math.sqrt(np.linalg.inv(information)[1, 1]), rel=1e-9)


@pytest.mark.parametrize("kind", LONG)
def test_the_outline_of_a_long_table_has_its_hull(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import rocscope.hull.corners as geometry
    from rocscope.hull import hull

    t = long_table(kind)
    plain, outline = geometry.curve_corners(t.fp, t.tp), geometry._above_boxes(t.fp, t.tp)
    assert len(outline) < len(t) / 2
    monkeypatch.setattr(geometry, "LONG", 2**10)
    assert geometry.curve_corners(t.fp, t.tp).tolist() == plain.tolist()
    assert t.thresholds[plain[1:-1]].tolist() == [point.threshold for point in hull(t).points[1:-1]]


@pytest.mark.parametrize("kind", ["distinct", "tied", "low"])
@pytest.mark.parametrize("points", [2, 200, 3_000])
def test_a_long_roc_curve_is_thinned_as_its_columns_would_be(kind: str, points: int) -> None:
    from rocscope.curves import simplification
    from rocscope.hull import corner_rows as corners

    t = long_table(kind)
    r = curves.roc(t)
    rows = simplification._bends(t)
    line = simplification._Line(*simplification._unit(r, rows))
    wanted = simplification._standing_out(rows, line, corners(t), points, simplification.AREA)
    drawn = curves.thinned_roc(t, points)
    assert drawn.thresholds.tolist() == r.thresholds[wanted].tolist() == r.thin(points).thresholds.tolist()
    assert drawn.fpr.tolist() == r.fpr[wanted].tolist() and drawn.tpr.tolist() == r.tpr[wanted].tolist()


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=9), st.data())
def test_the_point_that_stands_out_most_is_found(points: list[tuple[int, int]], data: st.DataObject) -> None:
    """By the distance of every point between two others from the line through these, or from both if they are one."""
    from rocscope.curves.simplification import _Line

    line = _Line(*(np.array(column, dtype=float) for column in zip(*points, strict=True)), area=0.0)
    first = data.draw(st.integers(0, len(points) - 2))
    last = data.draw(st.integers(first + 1, len(points) - 1))
    (x, y), (x2, y2) = points[first], points[last]
    length = math.hypot(x2 - x, y2 - y)
    off = [abs((x2 - x) * (b - y) - (y2 - y) * (a - x)) / length if length else math.hypot(a - x, b - y)
           for a, b in points[first + 1 : last]]  # fmt: skip
    line.look_at([first, last])
    distance, place = line.furthest(first, last)
    assert distance == pytest.approx(max(off, default=0.0))
    assert not off or off[place - first - 1] == pytest.approx(distance)


def test_a_thinned_curve_has_as_many_points_as_asked_when_its_area_is_near_enough() -> None:
    from rocscope.curves import simplification

    t = long_table("distinct")
    rows = simplification._bends(t)
    line = simplification._Line(*simplification._unit(curves.roc(t), rows))
    for points in (2, 3, 50):
        assert len(simplification._standing_out(rows, line, rows[:1], points, 1.0)) == points


@pytest.mark.parametrize("size", [300, 40_000])
def test_scores_of_weight_0_cost_a_thinned_curve_nothing(size: int) -> None:
    t = long_table("empty entries", size)
    drawn = curves.roc(t).thin(50)
    area = float((np.diff(drawn.fpr) * (drawn.tpr[:-1] + drawn.tpr[1:])).sum() / 2)
    assert area == pytest.approx(curves.auc(t), abs=1.001e-5)


@pytest.mark.parametrize("kind", LONG)
def test_the_auc_of_a_long_table_counts_every_pair(kind: str) -> None:
    t = long_table(kind)
    assert curves.auc(t) == t.twice_u / (2 * t.positives * t.negatives)


@pytest.mark.parametrize("closed", ["left", "right"])
def test_bins_of_a_long_table_hold_what_their_edges_say(closed: str) -> None:
    t = ScoreTable.from_scores([1, 0, 0] * 10_001, np.arange(30_003) % 1001 / 1000)
    found = curves.calibration(t, bins=8, closed=closed)
    edges = np.arange(1, 8) / 8
    place = np.searchsorted(edges, t.scores, side="right" if closed == "left" else "left")
    weight = t.pos + t.neg
    assert found.column("count").tolist() == np.bincount(place, weight, 8).tolist()
    assert found.column("score") == pytest.approx(np.bincount(place, weight * t.scores, 8) / np.bincount(place, weight))
    by_count = curves.calibration(t, bins=7, by="count")
    assert by_count.column("count").sum() == 30_003
    assert all(a < b for a, b in zip(by_count.column("high")[:-1], by_count.column("low")[1:], strict=True))


@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e-12])
def test_losses_of_a_long_table_of_single_cases_are_means_over_cases(scale: float) -> None:
    generator = np.random.default_rng(5)
    scores = generator.random(150_000) * scale
    y = (generator.random(150_000) < 0.3).astype(int)
    t = ScoreTable.from_scores(y, scores)
    assert len(t) == 150_000
    lost = np.where(y == 1, -np.log(scores), -np.log1p(-scores))
    assert curves.log_loss(t) == pytest.approx(math.fsum(lost) / len(lost), rel=1e-14)
    assert curves.brier(t) == pytest.approx(math.fsum((y - scores) ** 2) / len(y), rel=1e-14)
    only = ScoreTable.from_scores([0] * 150_000 + [1], [*scores, 0.5])  # tiny losses are not lost beside 1
    exact = (math.fsum(-np.log1p(-scores)) + math.log(2)) / 150_001
    assert curves.log_loss(only) == pytest.approx(exact, rel=1e-14)


@given(st.integers(0, 99), st.integers(1, 100))
def test_labels_of_probabilities_are_the_odd_tenths_inside_their_range(low: int, width: int) -> None:
    high = min(low + width, 100)
    scores = np.arange(low, high + 1) / 100
    t = ScoreTable.from_scores(np.arange(len(scores)) % 2, scores)
    assert list(_round_thresholds(t.scores)) == [tenth / 10 for tenth in (9, 7, 5, 3, 1) if low <= 10 * tenth <= high]


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.booleans())
@example(2.0, 0.001, False)
def test_labels_are_a_few_round_numbers_inside_the_range(low: float, width: float, higher: bool) -> None:
    """Multiples of 1, 2 or 5 times a power of ten, two to seven of them, none left out; from the most positive down."""
    scores = np.linspace(low, low + width, 4001)
    assume(scores[0] < 0 or scores[-1] > 1)
    y = np.arange(4001) % 2
    t = ScoreTable.from_scores(y, scores, higher_is_positive=higher)
    labels = _round_thresholds(t.scores)
    assert 2 <= len(labels) <= 7 and all(scores[0] <= label <= scores[-1] for label in labels)
    ordered = sorted(labels)
    assert list(labels) == (ordered[::-1] if higher else ordered)
    gap = (ordered[-1] - ordered[0]) / (len(ordered) - 1)
    power = 10.0 ** math.floor(math.log10(gap * 1.001))
    step = next(digit * power for digit in (1, 2, 5) if abs(gap / (digit * power) - 1) < 1e-3)
    assert all(label == pytest.approx(round(label / step) * step, abs=1e-6 * step) for label in ordered)
    ends = scores[0] + 1e-6 * step, scores[-1] - 1e-6 * step  # an end that is itself round may be left out by rounding
    assert ordered[0] - step < ends[0] and ordered[-1] + step > ends[1]


FEW = st.integers(0, 3)


@given(st.lists(st.tuples(st.integers(0, 8), FEW, FEW), min_size=1, max_size=9), st.integers(1, 5))
def test_bins_of_equal_number_hold_scores_by_their_middle_case(rows: list[tuple[int, int, int]], bins: int) -> None:
    """Each score is in the bin of its middle case; a bin reaches from its lowest to its highest score, or is empty."""
    held = {score / 8: (pos, neg + (pos + neg == 0)) for score, pos, neg in rows}
    scores = sorted(held, reverse=True)
    t = ScoreTable(np.array(scores), *(np.array([held[score][side] for score in scores]) for side in (0, 1)))
    total, below, inside = sum(map(sum, held.values())), 0, [[] for _ in range(bins)]  # type: ignore[var-annotated]
    for score in sorted(held):
        cases = sum(held[score])
        inside[min(bins - 1, math.floor(Fraction(2 * below + cases, 2 * total) * bins))].append(score)
        below += cases
    found = curves.calibration(t, bins=bins, by="count")
    assert found.count.tolist() == [sum(sum(held[score]) for score in own) for own in inside]
    for own, low, high, mean in zip(inside, found.low, found.high, found.score, strict=True):
        if own:
            cases = [sum(held[score]) for score in own]
            assert (low, high) == (own[0], own[-1]) and mean == pytest.approx(np.average(own, weights=cases))
        else:
            assert math.isnan(low) and math.isnan(high)


def test_the_likelihood_of_a_binormal_curve_is_that_of_its_categories() -> None:
    """Negatives are N(0, 1), positives N(a/b, 1/b²); each category lies between two thresholds, the last is open."""
    from statistics import NormalDist

    from rocscope.curves.binormal_model import _likelihood

    pos, neg = np.array([2.0, 5, 9, 14]), np.array([11.0, 7, 3, 1])
    for a, b, ends in ((1.2, 0.8, [-0.6, 0.1, 0.9]), (0.4, 1.5, [0.2, 0.5, 2.0]), (-0.3, 0.5, [-2.0, -1.5, -0.1])):
        up, down = NormalDist(a / b, 1 / b), NormalDist()
        edges = [-math.inf, *ends, math.inf]
        wanted = sum(
            one * math.log(up.cdf(high) - up.cdf(low)) + other * math.log(down.cdf(high) - down.cdf(low))
            for one, other, low, high in zip(pos, neg, edges[:-1], edges[1:], strict=True)
        )
        assert _likelihood(pos, neg, np.array([a, b, *ends])) == pytest.approx(wanted)
        assert _likelihood(pos, neg, np.array([a, -b, *ends])) == -math.inf
    assert _likelihood(pos, neg, np.array([1.0, 1.0, 0.5, 0.1, 0.9])) == -math.inf  # thresholds out of order


def test_the_decision_curve_at_thresholds_on_the_command_line(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    """--at gives the net benefit and its limits at each threshold asked for, also between scores."""
    labels, scores = [1, 0, 1, 0, 0, 0, 1, 0], [0.8, 0.6, 0.4, 0.3, 0.2, 0.1, 0.55, 0.35]
    file = tmp_path / "s.csv"
    file.write_text("y,p\n" + "".join(f"{y},{p}\n" for y, p in zip(labels, scores, strict=True)), encoding="utf-8")
    asked = ["curve", str(file), "--label", "y", "--score", "p", "--kind", "net-benefit", "--at", "0.25", "--at", "0.5"]
    code, shown, said = run(*asked, "--format", "json")
    assert code == 0, said
    known = ScoreTable.from_scores(labels, scores)
    for row, pt in zip(json.loads(shown)["at"], (0.25, 0.5), strict=True):
        expected = intervals.net_benefit(known.at(pt), pt=pt)
        assert (row["threshold"], row["net_benefit"]) == (pt, pytest.approx(expected.value))
        assert (row["low"], row["high"]) == pytest.approx((expected.low, expected.high))
    text = run(*asked)[1]
    assert re.search(r"0\.25 +0\.\d{4} \[-?\d\.\d{4}, \d\.\d{4}\]", text), text
