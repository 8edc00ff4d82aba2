"""A choice repeated in resamples: against loops written out, what it covers, and what it leaves alone."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import norm

import rocscope as rs
from rocscope.evaluation.certainty import agreeing
from rocscope.evaluation.cost_differences import cost_difference
from rocscope.evaluation.page_data import RATIOS
from rocscope.intervals import after_choice, along_costs
from rocscope.intervals.chosen_thresholds import MOST_CELLS, CellModel, repeatable, resampled_blocks
from rocscope.intervals.cluster_effects import cell_slopes, cluster_effect, measure_slopes
from rocscope.intervals.paired_cases import PairedCases

COSTS = rs.Costs(fp=1, fn=5)


def scores(rng: np.random.Generator, n: int, share: float, models: int) -> tuple[np.ndarray, list[np.ndarray]]:
    y = (rng.random(n) < share).astype(int)
    y[:2], y[2:4] = 1, 0
    return y, [1.2 * y + rng.standard_normal(n) for _ in range(models)]


def test_the_choice_is_that_of_the_rule_and_the_cheapest_model() -> None:
    y, columns = scores(np.random.default_rng(1), 300, 0.2, 3)
    rows = PairedCases.of(y, columns)
    best = [rs.decisions.best(rows.table(model), "cost", costs=COSTS)[0] for model in range(3)]
    cheapest = min(range(3), key=lambda model: COSTS.expected(best[model].counts))
    found = after_choice(rows, "cost", costs=COSTS)
    assert found is not None and found.counts == best[cheapest].counts
    assert sum(found.shares) == pytest.approx(1) and found.resamples == 200


def test_optimism_is_the_mean_gap_of_a_loop_written_out() -> None:
    """What a resample chose costs less there than on the original cases, by about what a plain loop says."""
    rng = np.random.default_rng(2)
    y, (x,) = scores(rng, 150, 0.3, 1)
    gaps = []
    for _ in range(400):
        drawn = rng.integers(0, 150, 150)
        if 0 < y[drawn].sum() < 150:
            best = rs.decisions.best(rs.ScoreTable.from_scores(y[drawn], x[drawn]), "cost", costs=COSTS)[0]
            on = rs.ScoreTable.from_scores(y, x).at(best.threshold)
            gaps.append([1 - on.recall - (1 - best.counts.recall), on.fpr - best.counts.fpr])
    found = after_choice(rs.ScoreTable.from_scores(y, x), "cost", costs=COSTS, n=400)
    assert found is not None
    moved = (found.counts.recall - found.corrected.recall, found.corrected.fpr - found.counts.fpr)
    assert moved == pytest.approx(np.mean(gaps, axis=0), abs=0.012)


def test_rows_and_table_tell_the_same() -> None:
    y, columns = scores(np.random.default_rng(3), 400, 0.2, 1)
    rows = PairedCases.of(y, columns)
    one, other = (after_choice(cases, "cost", costs=COSTS, n=400) for cases in (rows, rows.table(0)))
    assert one is not None and other is not None
    a, b = one.cost(COSTS), other.cost(COSTS)
    assert (a.value, a.low, a.high) == pytest.approx((b.value, b.low, b.high), rel=0.08)


@pytest.mark.parametrize(("models", "n", "share"), [(1, 300, 0.1), (5, 500, 0.08)])
def test_the_cost_of_a_recommendation_is_covered(models: int, n: int, share: float) -> None:
    rng, apparent, corrected, samples = np.random.default_rng(4), 0, 0, 120
    for seed in range(samples):
        y, columns = scores(rng, n, share, models)
        rows = PairedCases.of(y, columns)
        best = [rs.decisions.best(rows.table(model), "cost", costs=COSTS)[0] for model in range(models)]
        point = min(best, key=lambda one: COSTS.expected(one.counts))
        truth = share * 5 * norm.cdf(point.threshold - 1.2) + (1 - share) * norm.sf(point.threshold)
        plain = rs.intervals.expected_cost(point.counts, COSTS)
        found = after_choice(rows if models > 1 else rows.table(0), "cost", costs=COSTS, seed=seed)
        assert found is not None
        cost = found.cost(COSTS)
        apparent += plain.low <= truth <= plain.high
        corrected += cost.low <= truth <= cost.high
    assert corrected / samples >= 0.90 and corrected > apparent


def test_nothing_chosen_nothing_corrected() -> None:
    y, columns = scores(np.random.default_rng(5), 100, 0.3, 1)
    t = rs.ScoreTable.from_scores(y, columns[0])
    assert after_choice(t, threshold=0.5, costs=COSTS) is None
    assert after_choice(rs.ScoreTable.from_scores([1, 1], [0.2, 0.3]), "cost", costs=COSTS) is None
    many = rs.ScoreTable(np.array([2.0, 1.0]), np.array([60_000, 10_000]), np.array([10_000, 60_000]))
    assert after_choice(many, "cost", costs=COSTS) is None


def test_limits_stay_inside_and_have_width() -> None:
    rng = np.random.default_rng(6)
    for seed in range(60):
        n = int(rng.integers(4, 30))
        y = rng.integers(0, 2, n)
        y[:2] = 0, 1
        t = rs.ScoreTable.from_scores(y, rng.integers(0, 6, n))
        found = after_choice(t, "cost", costs=COSTS, seed=seed)
        if found is None:
            continue
        for name in ("recall", "specificity", "accuracy", "f1", "mcc", "balanced_accuracy"):
            one = found.estimate(name)
            measure = rs.measures.get(name)
            if one.low == one.low:
                assert measure.low <= one.low <= one.value <= one.high <= measure.high and one.low < one.high, name
        cost = found.cost(COSTS)
        assert 0 <= cost.low <= cost.value <= cost.high <= 5 and cost.low < cost.high


def test_progress_is_told_up_to_the_last_resample() -> None:
    y, columns = scores(np.random.default_rng(7), 3000, 0.2, 2)
    for asked in (
        lambda tell: rs.evaluate(y, columns[0], costs=COSTS, progress=tell).cost,
        lambda tell: rs.compare(y, {"a": columns[0], "b": columns[1]}, costs=COSTS, progress=tell).selection,
    ):
        seen: list[tuple[int, int]] = []
        asked(lambda done, of, seen=seen: seen.append((done, of)))
        assert seen[-1] == (200, 200) and [done for done, _ in seen] == sorted({done for done, _ in seen})


def test_what_is_undefined_as_counted_is_not_made_up_by_the_correction() -> None:
    """Where flagging all is cheapest, MCC and NPV have no value; the corrected rates must not give them one."""
    rng = np.random.default_rng(8)
    y, x = (rng.random(300) < 0.4).astype(int), rng.standard_normal(300)
    y[x.argmin()] = 1
    found = after_choice(rs.ScoreTable.from_scores(y, x), "cost", costs=rs.Costs(fp=1, fn=20))
    assert found is not None and found.counts.fn + found.counts.tn == 0 < found.corrected.fn
    for name in ("mcc", "npv"):
        one = found.estimate(name)
        assert np.isnan(one.value) and np.isnan(one.low) and one.why, name
    assert found.estimate("recall").low < 1


def test_a_grid_of_costs_is_the_same_as_each_alone() -> None:
    y, columns = scores(np.random.default_rng(9), 400, 0.2, 2)
    grid = [rs.Costs(fp=1, fn=ratio) for ratio in (1, 4, 20)]
    for cases in (PairedCases.of(y, columns), PairedCases.of(y, columns).table(0)):
        for costs, found in zip(grid, along_costs(cases, grid), strict=True):
            alone = after_choice(cases, "cost", costs=costs)
            assert found is not None and alone is not None
            assert found.cost(costs) == alone.cost(costs) and found.shares == alone.shares
    assert along_costs(rs.ScoreTable.from_scores([1, 1], [0.2, 0.3]), grid) == (None, None, None)


def test_the_page_carries_the_corrected_cost_along_the_ratio() -> None:
    """At a ratio of its grid the page has the cost of an evaluation at those costs, clusters and prevalence too."""
    y, columns = scores(np.random.default_rng(10), 400, 0.3, 2)
    both, groups = {"a": columns[0], "b": columns[1]}, np.arange(400) // 4
    place = 20
    for share in (None, 0.1):
        costs = rs.Costs(fp=1, fn=RATIOS[place], prevalence=share)
        for answer in (
            rs.evaluate(y, columns[0], costs=costs),
            rs.evaluate(y, columns[0], costs=costs, clusters=groups, seed=3),
            rs.compare(y, both, costs=costs),
        ):
            held = answer.to_dict(drawing=True)["drawing"]["corrections"]
            cost = answer.cost if hasattr(answer, "cost") else answer.evaluations[answer.recommended].cost
            assert len(held["value"]) == len(held["ratios"]) and set(RATIOS) | {1.0, 5.0, 50.0} < set(held["ratios"])
            at = held["ratios"].index(RATIOS[place])
            found = [held[side][at] for side in ("value", "low", "high")]
            assert found == pytest.approx([cost.value, cost.low, cost.high], rel=1e-5)
    assert rs.evaluate([1, 1], [0.2, 0.3]).to_dict(drawing=True)["drawing"]["corrections"] is None


def test_a_difference_in_cost_allows_for_both_choices() -> None:
    """Chosen thresholds vary where the cost is flat; given ones do not."""
    rng = np.random.default_rng(2)
    y = (rng.random(500) < 0.1).astype(int)
    both, costs = {name: rng.normal(0.3 * y, 1) for name in "ab"}, rs.Costs(fp=1, fn=9)
    cmp = rs.compare(y, both, costs=costs)
    (one,), chosen = cmp.cost_differences, cmp.selection[0]
    assert chosen is not None and chosen.each is not None and chosen.each.shape == (2, 2, 4, chosen.resamples)
    own = cost_difference(cmp.mask, cmp.flagged(one.a), cmp.flagged(one.b), costs, level=0.95, per=1000)
    inside, outside = ([1000 * costs.per_case(*chosen.each[m, side], number=float) for m in (0, 1)] for side in (0, 1))
    spread = float(np.std((inside[0] - inside[1]) - (outside[0] - outside[1])))
    factor = max(1.0, spread / ((own.high - own.low) / 2 / 1.959964))
    assert factor > 1 and one.estimate.value == own.value
    assert one.estimate.high - one.estimate.low == pytest.approx(factor * (own.high - own.low), rel=1e-5)
    given = rs.compare(y, both, costs=costs, threshold=1.0)
    (fixed,) = given.cost_differences
    flags = [given.flagged(name) for name in (fixed.a, fixed.b)]
    assert fixed.estimate == agreeing(cost_difference(given.mask, *flags, costs, level=0.95, per=1000))


def test_few_clusters_widen_by_the_t_distribution() -> None:
    y, columns = scores(np.random.default_rng(11), 200, 0.3, 1)
    rows, groups = PairedCases.of(y, columns), (np.arange(200) // 20, 10)
    found = after_choice(rows, "cost", costs=COSTS, clusters=groups)
    assert found is not None and found.units is not None and len(found.units) == 10
    assert found.units.sum(axis=0).tolist() == [float(cell) for cell in found.counts.cells.values()]
    wide, plain = found.cost(COSTS), replace(found, units=None).cost(COSTS)
    assert wide.value == plain.value and wide.high - wide.low > plain.high - plain.low
    slopes = cell_slopes(lambda of: COSTS.per_case(*of.values(), number=float), found.units.sum(axis=0))
    freedom = cluster_effect(found.units, slopes).freedom
    assert 4 < freedom.df < 9
    assert (wide.high - wide.low) / (plain.high - plain.low) <= freedom.widening(0.95) + 1e-6


def test_clusters_need_the_cases() -> None:
    y, (x,) = scores(np.random.default_rng(11), 60, 0.3, 1)
    table = rs.ScoreTable.from_scores(y, x)
    with pytest.raises(rs.RocscopeError, match="does not show which case is in which cluster"):
        after_choice(table, "cost", costs=COSTS, clusters=(np.arange(60) // 6, 10))


def test_measures_of_few_clusters_use_the_t_distribution() -> None:
    """At a given threshold: as many cases as the clusters are worth, times (z/t)² for the degrees of freedom."""
    rng = np.random.default_rng(12)
    groups = np.repeat(np.arange(10), 20)
    y = (rng.random(200) < rng.beta(1, 1, 10)[groups]).astype(int)
    x = y + rng.standard_normal(200) + rng.standard_normal(10)[groups]
    ev = rs.evaluate(y, x, threshold=0.5, clusters=groups)
    effect = ev.design_effect("precision")
    units = ev.cases.by_cluster(0.5)
    df = cluster_effect(units, measure_slopes("precision", units.sum(axis=0))).freedom.df
    cells = units.sum(axis=0) / (effect * (stats.t.ppf(0.975, df) / 1.9599639845) ** 2)
    wanted = rs.Counts(*cells.tolist()).estimate("precision")
    assert effect > 1.5 and df < 9
    assert (ev.measure("precision").low, ev.measure("precision").high) == pytest.approx(
        (wanted.low, wanted.high), abs=1e-8
    )


def test_a_measure_that_few_resamples_have_holds_at_every_threshold() -> None:
    """The best accuracy flags one case: precision 1 of 1 is as good as unknown, and the verdict says so."""
    y, x = np.zeros(400, dtype=int), np.arange(400.0)
    y[[399, 200, 120, 3]] = 1
    ev = rs.evaluate(y, x, choose="accuracy")
    assert (ev.point.counts.tp, ev.point.counts.fp) == (1, 0)
    found, plain = ev.measure("precision"), ev.apparent("precision")
    every = rs.estimate.proportion(1, 1, method="anytime")
    assert found.low <= every.low == pytest.approx(0.025) and plain.low > 0.2
    assert "% of resamples choose" in found.why and "anytime" in found.method
    assert ev.measure("recall").why == "" and "anytime" not in ev.measure("recall").method
    # MCC is bounded by the same precision: of 1 case flagged, between 0.025 and 1, and of 1 in 400 by Wilson's limits
    share, prevalence = rs.estimate.proportion(1, 400, method="wilson"), 4 / 400
    least = min(
        (every.low - prevalence) * math.sqrt(part / (1 - part) / (prevalence * (1 - prevalence)))
        for part in (share.low, share.high)
    )
    assert ev.measure("mcc").low <= least < 0.01 and ev.measure("mcc").high == pytest.approx(1)
    assert ev.apparent("mcc").high < 0.9
    said = str(ev.to_dict()["verdict"])
    assert "The choice of the threshold is unstable" in said and found.why in said
    mirrored = rs.evaluate(1 - y, -x, choose="accuracy")  # flags all cases but one
    assert mirrored.measure("npv").low <= every.low + 1e-12 and mirrored.measure("mcc").low <= least


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.floats(0, 0.9))
def test_cells_of_a_long_table_are_even_but_for_heavy_scores(seed: int, heavy: float) -> None:
    """A cell has at most its share of both classes before its last score, so a heavy score ends its cell."""
    generator = np.random.default_rng(seed)
    pos, neg = generator.integers(0, 4, (2, 3000))
    pos[generator.integers(3000)] = round(heavy / (1 - heavy) * pos.sum()) + 1
    t = rs.ScoreTable(np.arange(3000.0)[::-1], pos, neg + 1)
    model = CellModel.of(t)
    assert model.stops[-1] == 3000 and (np.diff(model.stops) > 0).all() and len(model.stops) <= MOST_CELLS
    assert model.pos.sum() == pos.sum() and model.neg.sum() == neg.sum() + 3000
    share = pos / pos.sum() + (neg + 1) / (neg.sum() + 3000)
    for start, stop in pairwise([0, *model.stops.tolist()]):
        assert share[start : stop - 1].sum() <= 2 / MOST_CELLS + 1e-9
    assert len(model.stops) > MOST_CELLS * (1 - heavy) / 3


def test_a_large_correction_leaves_the_uncorrected_limits_in() -> None:
    """The mean optimism of very different choices says little about the one made: both answers stay possible."""
    large = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        y = (rng.random(150) < 0.2).astype(int)
        ev = rs.evaluate(y, y * 0.3 + rng.standard_normal(150), choose="mcc")
        found, plain = ev.measure("precision"), ev.apparent("precision")
        if abs(found.value - plain.value) > 0.25 * (plain.high - plain.low):
            large += 1
            assert found.low <= plain.low and found.high >= plain.high
        else:
            assert found.low <= plain.value <= found.high
    assert 3 <= large <= 9


@pytest.mark.parametrize("miss", [0.01, 1, 3, 1000])
def test_the_cells_of_clusters_add_up_to_what_is_chosen(miss: float) -> None:
    """Where nothing is flagged, because a miss costs next to nothing, and where all is, as well."""
    rng = np.random.default_rng(6)
    y = (rng.random(120) < 0.3).astype(int)
    score, house = np.round(rng.normal(size=120) + y, 1), np.arange(120) // 4
    rows, costs = PairedCases.of(y, [score]), rs.Costs(fp=1, fn=miss)
    found = after_choice(rows, "cost", costs=costs, clusters=(house, 30), n=60)
    assert found is not None and found.units is not None
    chosen = found.counts
    assert found.units.sum(axis=0).tolist() == [chosen.tp, chosen.fp, chosen.fn, chosen.tn]
    threshold = rs.decisions.best(rows.table(0), "cost", costs=costs)[0].threshold
    for at, cells in enumerate(found.units.tolist()):
        own, flagged = house == at, score >= threshold
        wanted = [(own & (flagged == side) & (y == label)).sum() for side, label in ((1, 1), (1, 0), (0, 1), (0, 0))]
        assert cells == wanted
    assert (chosen.tp + chosen.fp == 0) == (miss == 0.01)


@pytest.mark.parametrize("flagged", [True, False])
@pytest.mark.parametrize("shares", [((0.4, 0.7), (0.1, 0.3)), ((0.2, 0.95), (0.3, 0.9))])
def test_corners_of_limits_are_tables_of_the_same_cases(flagged: bool, shares: tuple[tuple[float, ...], ...]) -> None:
    """Each corner has the share of right decisions and the share flagged, unless a class has too few cases for that."""
    y, score = np.repeat([1, 0], [80, 120]), np.arange(200.0)
    found = after_choice(rs.ScoreTable.from_scores(y, score), "youden", n=50)
    assert found is not None
    right, part = (rs.estimate.Estimate(0.5 * (low + high), low, high) for low, high in shares)
    corners = list(found._corners(right, part, flagged=flagged))
    assert len(corners) == 4
    for (share, size), cells in zip(product(*shares), corners, strict=True):
        tp, fp, fn, tn = (float(cells[name]) for name in ("tp", "fp", "fn", "tn"))
        assert min(tp, fp, fn, tn) >= -1e-9 and (tp + fn, fp + tn) == pytest.approx((80, 120))
        if flagged:
            wanted, seen = (200 * size * share, 200 * size * (1 - share)), (tp, fp)
        else:
            wanted, seen = (200 * (1 - size) * (1 - share), 200 * (1 - size) * share), (fn, tn)
        assert seen == pytest.approx((min(wanted[0], 80), min(wanted[1], 120)))


def test_a_choice_is_repeated_up_to_50_000_cases_of_the_smaller_class() -> None:
    for cases, wanted in ((50_000, True), (50_001, False)):
        for pos, neg in ((cases, 10**6), (10**6, cases)):
            t = rs.ScoreTable(np.array([2.0, 1.0]), np.array([pos - 1, 1]), np.array([1, neg - 1]))
            assert repeatable([CellModel.of(t)]) is wanted


@pytest.mark.parametrize("stratified", [True, False])
def test_weighted_cases_are_drawn_as_many_as_they_are_worth(stratified: bool) -> None:
    """Of two weights: means are the sums of weights, variances those of a multinomial of (Σw)²/Σw² cases."""
    y, score = np.arange(900) % 2, np.arange(900) // 300.0
    weights = np.where(np.arange(900) % 3 == 0, 2.5, 0.5)
    t = rs.ScoreTable.from_scores(y, score, weights=weights)
    model = CellModel.of(t)
    drawn = [side for (side,) in resampled_blocks(t, [model], None, 4000, 0, stratified=stratified)]
    for label, own in ((1, 0), (0, 1)):
        sums, w = np.concatenate([side[own] for side in drawn]), weights[y == label]
        total, worth = w.sum(), w.sum() ** 2 / (w**2).sum()
        cells = np.array([weights[(y == label) & (score == at)].sum() for at in (2, 1, 0)])
        share = cells / total
        assert sums.mean(axis=0) == pytest.approx(cells, rel=0.02)
        own_spread = total**2 / worth * share * (1 - share)
        both = own_spread if stratified else total**2 / worth * share * (1 - share / 2)
        assert sums.var(axis=0) == pytest.approx(both, rel=0.1)
