"""Intervals of areas, curves, thresholds and costs: published figures, independent computations, laws, refusals."""

from __future__ import annotations

import math
from dataclasses import replace
from importlib import import_module
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocscope import Costs, Counts, RocscopeError, ScoreTable, curves, decisions, intervals, measures, significance
from rocscope.intervals import influence
from rocscope.intervals import thresholds as cut_points
from rocscope.intervals.auc_intervals import area_covariance, newcombe_variance, score_limits
from rocscope.intervals.bands import ks_distances, upper_step
from rocscope.intervals.bootstrap_intervals import acceleration, from_replicates
from rocscope.intervals.cost_intervals import ErrorCosts
from rocscope.intervals.influence import EffectiveSizes as Sizes
from rocscope.intervals.influence import auc_slopes, linear_variance
from rocscope.intervals.paired_cases import PairedCases
from rocscope.intervals.poisson_counts import PoissonCounts
from rocscope.intervals.resamples import CellCounts, cells_along, every, negative_runs, resampled, runs, seeds
from rocscope.intervals.statistics import auc_and_error, looped, statistic_of, table_of
from rocscope.numbers import order_statistic
from rocscope.table import class_runs

Y = [1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0]
S = [0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.52, 0.51, 0.505]
S += [0.4, 0.39, 0.38, 0.37, 0.36, 0.35, 0.34, 0.33, 0.30, 0.1]
FAWCETT = ScoreTable.from_scores(Y, S)
PERFECT = ScoreTable.from_scores([1] * 10 + [0] * 10, list(range(20, 0, -1)))
CLOSED = [name for name in intervals.auc_methods() if not name.startswith("bootstrap")]


def near(value: float, digits: int = 6) -> Any:
    return pytest.approx(value, abs=0.5000001 * 10**-digits)


def table(y: Any, s: Any, **options: Any) -> ScoreTable:
    return ScoreTable.from_scores(np.array(y), np.array(s, dtype=float), **options)


def perfect(positives: int, negatives: int) -> ScoreTable:
    return table([1] * positives + [0] * negatives, range(positives + negatives, 0, -1))


# ---- AUC: published figures ----


@pytest.mark.parametrize(
    ("method", "low", "high"),
    [
        ("newcombe", 0.414482, 0.858393),
        ("newcombe-plain", 0.424274, 0.853744),
        ("delong", 0.431051, 0.928949),
        ("logit-delong", 0.403646, 0.869647),
    ],
)
def test_fawcett_by_every_closed_form(method: str, low: float, high: float) -> None:
    found = intervals.auc(FAWCETT, method=method)
    assert (found.value, found.low, found.high) == (0.68, near(low), near(high))


def test_the_variances_behind_them() -> None:
    spread, plain = linear_variance(FAWCETT, auc_slopes, 0.68), newcombe_variance(0.68, Sizes(10, 10))
    assert spread == pytest.approx(121 / 7500, rel=1e-14)
    assert plain == near(0.014850) and spread / plain == near(1.086384)
    assert intervals.auc(FAWCETT, method="hanley-mcneil").se == near(0.121863)
    four = table([1, 1, 1, 1, 0, 0, 0, 0, 0, 0], [10, 9, 8, 0.5, 7, 6, 5, 4, 3, 2])
    found, size = intervals.auc(four), Sizes(4, 6)
    assert found.value == 0.75 and found.se is not None and found.se**2 == pytest.approx(0.0625)
    assert newcombe_variance(0.75, size) == near(0.027455)
    assert (found.low, found.high) == (near(0.255785), near(0.959638))


@pytest.mark.parametrize(("positives", "negatives", "low"), [(10, 10, 0.800214), (1, 1, 0.206549), (3, 50, 0.691285)])
def test_a_perfect_sample_is_not_certain(positives: int, negatives: int, low: float) -> None:
    for method in ("newcombe", "newcombe-plain"):
        found = intervals.auc(perfect(positives, negatives), method=method)
        assert (found.value, found.low, found.high) == (1.0, near(low), 1.0)
        inverted = intervals.auc(perfect(positives, negatives).reverse(), method=method)
        assert (inverted.value, inverted.low, inverted.high) == (0.0, 0.0, near(1 - low))


SEVEN = ([7, 11, 8, 3, 0], [0, 1, 4, 9, 11])  # positives and negatives per score of the seven-threshold table
BMI_TP = [1, 7, 17, 21, 34, 47, 66, 85, 95, 99, 100, 100]
BMI_FP = [1, 4, 6, 14, 17, 27, 53, 80, 117, 177, 198, 200]
ARM_TP = [13, 24, 73, 90, 113, 119, 121, 125, 127, 130]
ARM_TN = [867, 844, 826, 800, 783, 735, 626, 505, 435, 0]


def stacked(tp: list[int], fp: list[int]) -> ScoreTable:
    return ScoreTable(np.arange(len(tp), 0, -1.0), np.diff([0, *tp]), np.diff([0, *fp]))


@pytest.mark.parametrize(
    ("t", "low", "high"),
    [
        (ScoreTable(np.arange(5, 0, -1.0), np.array(SEVEN[0]), np.array(SEVEN[1])), 0.800463, 0.968532),
        (stacked(BMI_TP, BMI_FP), 0.720208, 0.830530),
        (stacked(ARM_TP, [867 - tn for tn in ARM_TN]), 0.885961, 0.940096),
        (stacked(ARM_TP, [870 - tn for tn in ARM_TN]), 0.882520, 0.937576),
        (table([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1]), 0.312839, 0.980518),
        (table([1, 1, 0, 1, 0, 0], [0.94, 0.92, 0.7, 0.65, 0.3, 0.2]), 0.391161, 0.988831),
        (table([1, 1, 0, 1, 1], [0.95, 0.92, 0.8, 0.76, 0.71]), 0.100161, 0.899839),
    ],
    ids=["seven", "bmi", "arm 867", "arm 870", "five", "six", "same order"],
)
def test_founding_examples(t: ScoreTable, low: float, high: float) -> None:
    found = intervals.auc(t)
    assert (found.low, found.high) == (near(low), near(high))


def test_hanley_and_mcneils_ratings() -> None:
    t = ScoreTable(np.arange(5, 0, -1), np.array([33, 11, 2, 2, 3]), np.array([2, 11, 6, 6, 33]))
    found = intervals.auc(t)
    assert (found.value, found.low, found.high) == (near(0.893171), near(0.811688), near(0.940006))


def test_the_limits_solve_their_equation() -> None:
    z2 = 1.959963984540054**2
    for area, size in ((0.68, Sizes(10, 10)), (0.9, Sizes(3, 200)), (0.02, Sizes(40, 7)), (0.999, Sizes(500, 500))):
        for limit in score_limits(area, size, 0.95):
            assert (limit - area) ** 2 == pytest.approx(z2 * newcombe_variance(limit, size), rel=1e-7)


# ---- AUC: laws ----

SCORE = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.5, 0.8, 1.0])
CASES = st.lists(st.tuples(st.booleans(), SCORE), min_size=0, max_size=25).map(
    lambda cases: [(True, 0.5), (False, 0.3), *cases]
)


@settings(max_examples=60)
@given(CASES, st.sampled_from(CLOSED))
def test_inside_the_range_around_the_value_and_monotone_in_the_level(cases: Any, method: str) -> None:
    y, s = zip(*cases, strict=True)
    t = table([int(label) for label in y], s)
    narrow, wide = (intervals.auc(t, method=method, level=level) for level in (0.8, 0.99))
    if math.isnan(narrow.low):
        assert narrow.why and not method.startswith("newcombe")
        return
    assert 0 <= wide.low <= narrow.low <= narrow.value <= narrow.high <= wide.high <= 1
    if method.startswith("newcombe"):
        assert narrow.high > narrow.low
    if method == "hanley-mcneil":
        return  # its variance takes positives and negatives differently
    turned = intervals.auc(t.swap(), method=method, level=0.8)
    assert (turned.value, turned.low, turned.high) == pytest.approx((narrow.value, narrow.low, narrow.high))


@settings(max_examples=40)
@given(CASES, st.randoms(use_true_random=False))
def test_weights_and_order(cases: Any, random: Any) -> None:
    shuffled = list(cases)
    random.shuffle(shuffled)
    y, s = ([int(label) for label, _ in cases], [x for _, x in cases])
    answers = [
        intervals.auc(table([int(a) for a, _ in shuffled], [b for _, b in shuffled])),
        intervals.auc(table(y, s, weights=[1.0] * len(y))),
        intervals.auc(table(y, s, weights=[3.5] * len(y))),
    ]
    plain = intervals.auc(table(y, s))
    for found in answers:
        assert (found.value, found.low, found.high) == pytest.approx((plain.value, plain.low, plain.high), abs=1e-9)
    twice = intervals.auc(table(y * 2, s * 2))
    counted = intervals.auc(table(y, s, weights=[2] * len(y), weights_are="frequency"))
    assert (counted.low, counted.high) == (twice.low, twice.high)


def test_delong_without_limits_says_why() -> None:
    for method in ("delong", "logit-delong"):
        assert "would suggest certainty" in intervals.auc(PERFECT, method=method).why
        one = intervals.auc(table([1, 0, 0], [2, 1, 3]), method=method)
        assert math.isnan(one.low) and "there is only one positive" in one.why
        assert intervals.auc(table([1, 0, 0], [2, 1, 3])).low > 0  # the default goes on
    assert intervals.auc(table([1, 1], [1, 2])).why == "no negatives: ROC AUC is undefined"
    with pytest.raises(RocscopeError, match="Did you mean 'delong'"):
        intervals.auc(FAWCETT, method="delog")
    with pytest.raises(RocscopeError, match=r"0\.95, not 95"):
        intervals.auc(FAWCETT, level=95)


def test_sampling_weights() -> None:
    w = [1.0, 2.0] * 10
    t = table(Y, S, weights=w)
    found = intervals.auc(t, method="delong")
    assert found.value == near(0.769231) and found.se is not None and found.se**2 == near(0.011691)
    assert sum(w) ** 2 / sum(x * x for x in w) == 18
    size = influence.effective_sizes(t)
    # the definition over rows: P/(P-1) Σ[w(V-A)]²/W_P² + the same over negatives
    want = 0.0
    for label, others in ((1, 0), (0, 1)):
        mine = [(x, u) for x, u, k in zip(S, w, Y, strict=True) if k == label]
        rest = [(x, u) for x, u, k in zip(S, w, Y, strict=True) if k == others]
        total, all_rest = sum(u for _, u in mine), sum(u for _, u in rest)
        wins = [sum(v * ((x > a) if label else (a > x)) for a, v in rest) / all_rest for x, _ in mine]
        off = sum((u * (v - found.value)) ** 2 for (_, u), v in zip(mine, wins, strict=True))
        want += len(mine) / (len(mine) - 1) * off / total**2
    assert found.se**2 == pytest.approx(want) and size.positives < 10


def test_clusters() -> None:
    pairs = [i // 2 for i in range(20)]
    rows = PairedCases.of(Y, [S])
    assert area_covariance(rows, (np.array(pairs), 10))[0, 0] == near(0.011742)
    alone = intervals.auc_clustered(Y, S, [f"case {i}" for i in range(20)])
    plain = intervals.auc(FAWCETT)
    assert (alone.low, alone.high, alone.se) == pytest.approx((plain.low, plain.high, plain.se))
    twice = intervals.auc_clustered(Y * 2, S * 2, list(range(20)) * 2)
    assert twice.se == pytest.approx(plain.se, rel=1e-12)  # copies of a case tell nothing new
    assert twice.high - twice.low > 1.3 * (intervals.auc(table(Y * 2, S * 2)).high - 0.68)
    one = intervals.auc_clustered([1, 1, 0, 0], [4, 3, 2, 1], ["a", "a", "b", "c"])
    assert math.isnan(one.low) and "single cluster" in one.why
    perfect_pairs = intervals.auc_clustered([1] * 10 + [0] * 10, range(20, 0, -1), pairs)
    assert perfect_pairs.low == pytest.approx(score_limits(1.0, Sizes(5, 5), 0.95)[0]) and perfect_pairs.high == 1
    with pytest.raises(RocscopeError, match="20 labels, but 3 clusters"):
        intervals.auc_clustered(Y, S, [1, 2, 3])
    with pytest.raises(RocscopeError, match="20 labels, but 21 clusters"):
        intervals.auc_clustered(Y, S, list(range(21)))


@pytest.mark.parametrize(("level", "least"), [(0.5, 3), (0.8, 9), (0.9, 19), (0.95, 39), (0.98, 99), (0.99, 199)])
def test_the_least_number_of_resamples_has_a_replicate_beyond_either_limit(level: float, least: int) -> None:
    """The limits are the order statistics (n + 1)α/2 and their mirror: the first of them must exist."""
    found = intervals.bootstrap(FAWCETT, "auc", n=least, level=level, method="percentile")
    drawn = intervals.replicates(FAWCETT, "auc", least)
    assert (found.low, found.high) == pytest.approx((drawn.min(), drawn.max()))
    with pytest.raises(RocscopeError, match=f"at least {least} for level"):
        intervals.bootstrap(FAWCETT, "auc", n=least - 1, level=level)


def test_one_undefined_resample_in_a_hundred_is_left_out_and_two_are_too_many() -> None:
    values = np.random.default_rng(0).normal(0.7, 0.05, 400)
    values[:4] = np.nan
    found = from_replicates(statistic_of("auc"), 0.7, values)
    ordered = np.sort(values[4:])  # 396: the order statistics 397 * 0.025 = 9.925 and 387.075
    limits = ordered[8] + 0.925 * (ordered[9] - ordered[8]), ordered[386] + 0.075 * (ordered[387] - ordered[386])
    assert (found.low, found.high) == pytest.approx(limits) and found.why.startswith("4 of 400 resamples")
    values[4] = np.nan
    found = from_replicates(statistic_of("auc"), 0.7, values)
    assert math.isnan(found.low) and "undefined in 5 of 400 resamples" in found.why


# ---- the bootstrap ----


def test_acceleration_two_ways() -> None:
    assert acceleration(FAWCETT, statistic_of("auc")) == near(-0.027503)
    known = statistic_of("auc")
    assert acceleration(FAWCETT, replace(known, slopes=None)) == pytest.approx(acceleration(FAWCETT, known))
    for name in ("auc", "average_precision", "pr_area", "brier", "log_loss"):
        for stratified in (True, False):
            closed = acceleration(FAWCETT, statistic_of(name), stratified=stratified)
            by_leaving_out = acceleration(FAWCETT, replace(statistic_of(name), slopes=None), stratified=stratified)
            assert by_leaving_out == pytest.approx(closed, abs=0.02), (name, stratified)


@pytest.mark.parametrize("stratified", [True, False])
def test_the_acceleration_of_cases_left_out_one_by_one(stratified: bool) -> None:
    """Each case left out in turn, of classes of very different size: u = (n - 1)/n of what it adds, n of its class."""
    y, s = [1, 1, 1] + [0] * 11, [9, 4, 6, 5, 3, 7, 1, 2, 8, 4, 3, 2, 1, 0]
    found = acceleration(table(y, s), replace(statistic_of("auc"), slopes=None), stratified=stratified)
    whole, sides = curves.auc(table(y, s)), []
    for label, size in ((1, 3), (0, 11)):
        rest = [curves.auc(table(y[:i] + y[i + 1 :], s[:i] + s[i + 1 :])) for i in range(14) if y[i] == label]
        sides.append([(size - 1) / size * (whole - one) for one in rest])
    if not stratified:
        sides = [sides[0] + sides[1]]
    off = [u - sum(side) / len(side) for side in sides for u in side]
    assert found == pytest.approx(sum(u**3 for u in off) / (6 * sum(u**2 for u in off) ** 1.5), rel=1e-9)


def test_the_gini_coefficient_varies_as_twice_the_auc() -> None:
    area, gini = curves.auc(FAWCETT), curves.get("gini")
    slopes = statistic_of("gini").slopes
    assert slopes is not None and gini(FAWCETT) == pytest.approx(2 * area - 1)
    for stratified in (True, False):
        own = linear_variance(FAWCETT, slopes, 2 * area - 1, stratified=stratified)
        assert own == pytest.approx(4 * linear_variance(FAWCETT, auc_slopes, area, stratified=stratified))
    one, two = influence.collected(FAWCETT, slopes, 2 * area - 1), influence.collected(FAWCETT, auc_slopes, area)
    assert one.up == pytest.approx(2 * two.up) and one.down == pytest.approx(2 * two.down)


def test_acceleration_by_groups_of_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 2000)
    t = table(y, rng.normal(size=2000) ** 3 + y)
    by_slope = acceleration(t, statistic_of("auc"))
    monkeypatch.setattr(import_module("rocscope.intervals.bootstrap_intervals"), "FEW_CELLS", 0)
    assert acceleration(t, replace(statistic_of("auc"), slopes=None)) == pytest.approx(by_slope, abs=0.01)


def test_studentized_figures() -> None:
    from rocscope.intervals.bootstrap_intervals import studentized_limits

    low, high = studentized_limits(0.68, math.sqrt(121 / 7500), -2.5, 1.7)
    assert (low, high) == (near(0.440644), near(0.901417))
    found = intervals.auc(FAWCETT, method="bootstrap-studentized")
    assert 0 < found.low < 0.68 < found.high < 1
    few = intervals.auc(table([1, 1, 0, 0], [3, 1, 2, 0]), method="bootstrap-studentized")
    assert math.isnan(few.low) and "no t-value" in few.why and "intervals.auc" in few.why


def test_the_studentized_interval_by_its_definition() -> None:
    """t of each resample on the logit scale, its standard error DeLong's of that resample; type 6 quantiles."""
    n, value, level = 199, 0.68, 0.9
    found = intervals.auc(FAWCETT, method="bootstrap-studentized", n=n, level=level)
    pos, neg = (np.concatenate(part) for part in zip(*resampled(CellCounts.of(FAWCETT, runs), n, seed=0), strict=True))
    drawn = [intervals.auc(ScoreTable(np.arange(len(up), 0, -1), up, down), method="delong")
             for up, down in zip(pos, neg, strict=True)]  # fmt: skip
    bent = [one.value * (1 - one.value) for one in drawn]
    logits = [math.log(one.value / (1 - one.value)) for one in drawn]
    ts = sorted((g - math.log(0.68 / 0.32)) / (one.se / b) for g, one, b in zip(logits, drawn, bent, strict=True))
    ends = ts[9], ts[189]  # (n + 1) * 0.05 = 10 and 190
    step = intervals.auc(FAWCETT, method="delong").se / (value * (1 - value))
    low, high = (1 / (1 + math.exp(-(math.log(0.68 / 0.32) - t * step))) for t in ends[::-1])
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-9)


def test_quantiles_are_order_statistics() -> None:
    values = np.arange(1.0, 1000.0)  # 999 replicates: (B + 1) q = 25 and 975
    assert (order_statistic(values, 0.025), order_statistic(values, 0.975)) == (25.0, 975.0)
    draw = np.random.default_rng(5)
    for _ in range(400):
        values = np.sort(draw.normal(size=int(draw.integers(1, 40))) * 10.0 ** draw.integers(-8, 8))
        for q in (0.0, 0.025, float(draw.random()), 0.5, 0.975, 1.0):
            assert order_statistic(values, q) == np.quantile(values, q, method="weibull")
    ends = np.array([-np.inf, 1.0, 2.0, np.inf])
    assert [order_statistic(ends, q) for q in (0.0, 0.3, 0.4, 0.6, 0.7, 1.0)] == [
        -np.inf, -np.inf, 1.0, 2.0, np.inf, np.inf
    ]  # fmt: skip


def test_bca_by_hand() -> None:
    from statistics import NormalDist

    values = np.sort(np.random.default_rng(1).beta(8, 3, 999))
    value, a, normal = 0.74, -0.03, NormalDist()
    z0 = normal.inv_cdf(float((values < value).mean()))
    ends = []
    for q in (0.025, 0.975):
        z = z0 + normal.inv_cdf(q)
        ends.append(float(np.quantile(values, normal.cdf(z0 + z / (1 - a * z)), method="weibull")))
    found = from_replicates(statistic_of("auc"), value, values, method="bca", acceleration=a)
    assert (found.low, found.high) == pytest.approx(tuple(ends))


METHODS = ("percentile", "basic", "bca")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["auc", "average_precision", "pr_area", "brier", "log_loss", "ks_statistic", "eer"])
def test_same_seed_same_bytes_inside_the_range(name: str, method: str) -> None:
    first, again, other = (intervals.bootstrap(FAWCETT, name, n=199, method=method, seed=seed) for seed in (3, 3, 4))
    low, high = curves.get(name).range
    assert first == again and first != other
    assert low <= first.low <= first.value <= first.high <= high and first.high - first.low > 0.05
    assert first.value == pytest.approx(curves.get(name)(FAWCETT))


def test_blocks_do_not_change_the_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = intervals.replicates(FAWCETT, "auc", 200, seed=5)
    loose = intervals.replicates(FAWCETT, "auc", 200, seed=5, stratified=False)
    monkeypatch.setattr("rocscope.intervals.resamples.BLOCK", 64)
    assert np.array_equal(whole, intervals.replicates(FAWCETT, "auc", 200, seed=5))
    assert np.array_equal(loose, intervals.replicates(FAWCETT, "auc", 200, seed=5, stratified=False), equal_nan=True)


@pytest.mark.parametrize("name", [one.name for one in curves.catalog() if one.kernel])
def test_blocks_read_what_a_table_reads(name: str) -> None:
    """Every vectorised statistic against the plain function on tables rebuilt from the same counts."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 60)
    scores = np.clip(0.5 + 0.2 * (y - 0.5) + 0.2 * rng.normal(size=60), 0.06, 0.94)
    t = table(y, np.where(rng.random(60) > 0.5, scores.round(1), scores.round(2)))
    statistic = statistic_of(name)
    fast = intervals.replicates(t, replace(statistic, layout=every), 50, seed=1)
    slow = intervals.replicates(t, replace(statistic, layout=every, prepare=looped(statistic.value)), 50, seed=1)
    assert fast == pytest.approx(slow, rel=1e-9)
    # the coarser cells of the statistic give the same value on the same counts
    place = statistic.layout(t)
    for pos, neg in resampled(CellCounts.of(t), 20, seed=3):
        for p, n in zip(pos, neg, strict=True):
            sums = [np.bincount(place, side)[None, :] for side in (p, n)]
            assert statistic.prepare(t)(*sums)[0] == pytest.approx(statistic.value(table_of(t, p, n)))


def test_cells_collapse_runs_of_one_class() -> None:
    t = ScoreTable(np.arange(7, 0, -1.0), np.array([1, 2, 0, 0, 3, 1, 0]), np.array([0, 0, 1, 2, 1, 0, 0]))
    assert runs(t).tolist() == [0, 0, 1, 1, 2, 3, 4] and negative_runs(t).tolist() == [0, 1, 2, 2, 3, 4, 5]
    cells = CellCounts.of(t, runs)
    assert cells.pos.tolist() == [3, 0, 3, 1, 0] and cells.neg.tolist() == [0, 3, 1, 0, 0]


@pytest.mark.parametrize("way", ["counts drawn at once", "cases drawn and counted", "looked up", "looked up or anew"])
def test_draws_have_the_moments_of_a_resample(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However the counts are drawn: E = c_g, Var = c_g (1 - c_g/n), sums fixed."""
    t = ScoreTable(np.arange(40, 0, -1.0), np.full(40, 3), np.full(40, 2))
    monkeypatch.setattr("rocscope.intervals.resamples.DRAW_PER_CELL", 0 if "once" in way else 10**9)
    monkeypatch.setattr("rocscope.intervals.resamples.MANY", 1 if "looked up" in way else 10**9)
    if "anew" in way:  # a third of the Poisson numbers add up to too many cases
        monkeypatch.setattr("rocscope.intervals.poisson_counts.ROOM", 0.4)
    blocks = list(resampled(CellCounts.of(t), 4000, seed=1))
    pos, neg = (np.concatenate(side) for side in zip(*blocks, strict=True))
    assert (pos.sum(1) == 120).all() and (neg.sum(1) == 80).all() and pos.min() == 0
    assert pos.mean(0) == pytest.approx(np.full(40, 3), abs=0.15)
    assert pos.var(0) == pytest.approx(np.full(40, 3 * (1 - 3 / 120)), rel=0.15)
    assert np.corrcoef(pos[:, 0], pos[:, 39])[0, 1] == pytest.approx(-1 / 39, abs=0.06)


@pytest.mark.parametrize("room", [4.0, 0.4])
@pytest.mark.parametrize("stratified", [True, False])
def test_looked_up_counts_are_multinomial(room: float, stratified: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of cells of every size, each count comes as often as its binomial probability says; cells are as correlated."""
    from scipy.stats import binom, chisquare

    monkeypatch.setattr("rocscope.intervals.resamples.MANY", 1)
    monkeypatch.setattr("rocscope.intervals.poisson_counts.ROOM", room)
    sizes = np.array([1, 1, 2, 0, 5, 64, 65, 200, 3, 0, 1, 58])
    cells, n = CellCounts(sizes, sizes[::-1].copy()), 20_000
    blocks = list(resampled(cells, n, seed=3, stratified=stratified))
    pos, neg = (np.concatenate(side) for side in zip(*blocks, strict=True))
    total = int(sizes.sum())
    drawn, of = (pos, total) if stratified else (pos + neg, 2 * total)
    assert (drawn.sum(1) == of).all()
    for own, many in ((drawn, sizes if stratified else sizes + sizes[::-1]), (neg, sizes[::-1])):
        whole = of if own is drawn or not stratified else total
        for cell, size in zip(own.T, many, strict=True):
            expected = n * binom.pmf(np.arange(whole + 1), whole, size / whole)
            common = expected > 10
            seen = np.bincount(cell, minlength=whole + 1)
            if size and common.sum() > 1:
                counted, hoped = (np.append(x[common], x[~common].sum()) for x in (seen, expected))
                assert chisquare(counted, hoped * counted.sum() / hoped.sum()).pvalue > 1e-4, size
            elif not size:
                assert not cell.any()
    share = sizes / total
    covariance = total * (np.diag(share) - np.outer(share, share))
    if stratified:
        assert np.cov(pos.T) == pytest.approx(covariance, abs=6 * total / 4 / np.sqrt(n))


@pytest.mark.parametrize("spread", [0.0, 2500.0])
def test_few_cases_are_drawn_one_by_one(spread: float) -> None:
    """4 standard deviations of the sum of Poisson numbers stay free, of 10,000 cases 400: hardly any is drawn anew."""

    class Counting(np.random.Generator):
        single = 0

        def integers(self, low: Any, high: Any = None, size: Any = None, **how: Any) -> Any:
            Counting.single += size if high == 10_000 else 0
            return super().integers(low, high, size, **how)

    drawn = PoissonCounts(np.full(2000, 5), spread).draw(Counting(np.random.PCG64(0)), np.full(300, 10_000))
    assert (drawn.sum(axis=1) == 10_000).all()
    assert Counting.single / 300 == pytest.approx(4 * math.sqrt(10_000 + spread), abs=30)


def test_the_tables_hold_poisson_probabilities() -> None:
    """Places that are sure, and what a second draw decides, add up to the probability of each count."""
    from scipy.stats import poisson

    from rocscope.intervals.poisson_counts import PLACES, UNSURE, _tables

    means = np.array([0.0, 0.9, 1.86, 30.2, 63.5])
    table, rest = _tables(means)
    shares = rest.reshape(5, -1) - np.arange(5)[:, None]
    for mean, places, upto in zip(means, table.reshape(5, -1), shares, strict=True):
        counts = np.bincount(places, minlength=UNSURE + 1)
        found = (counts[:UNSURE] + counts[UNSURE] * np.diff(upto, prepend=0.0)) / PLACES
        assert found == pytest.approx(poisson.pmf(np.arange(UNSURE), mean), abs=1e-13)
        assert counts[UNSURE] < PLACES / 20


@pytest.mark.parametrize("name", ["auc", "average_precision", "brier", "ks_statistic"])
@pytest.mark.parametrize("stratified", [True, False])
def test_replicates_do_not_depend_on_the_number_of_cores(
    name: str, stratified: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, 6000)
    t = table(y, np.clip(0.5 + 0.2 * (y - 0.5) + 0.2 * rng.normal(size=6000), 0.01, 0.99).round(rng.integers(3, 9)))
    found = []
    for cores in (1, 2, 3):
        monkeypatch.setattr("rocscope.intervals.resamples.cores", lambda cores=cores: cores)
        seen: list[tuple[int, int]] = []
        watch = lambda *at, seen=seen: seen.append(at)  # noqa: E731
        found.append(intervals.replicates(t, name, 300, seed=4, stratified=stratified, progress=watch))
        assert seen[-1] == (300, 300) and seen == sorted(seen) and len(seen) > 2
    assert np.array_equal(found[0], found[1]) and np.array_equal(found[0], found[2])
    # read one replicate at a time, from blocks that are kept
    statistic = statistic_of(name)
    slow = intervals.replicates(
        t, replace(statistic, prepare=looped(statistic.value), layout=every, in_blocks=False), 20, seed=4
    )
    fast = intervals.replicates(t, replace(statistic, layout=every), 20, seed=4)
    assert fast == pytest.approx(slow, rel=1e-9)


def test_many_cases_vary_as_their_closed_forms_say() -> None:
    """With thousands of cases of a class their counts are looked up: mean and spread are those of the closed forms."""
    rng = np.random.default_rng(9)
    y = (rng.random(9000) < 0.3).astype(int)
    scores = np.clip(0.5 + 0.25 * (y - 0.5) + 0.2 * rng.normal(size=9000), 0.02, 0.98)
    for t in (table(y, scores), table(y, scores.round(3))):
        for name in ("auc", "average_precision", "brier"):
            closed = intervals.of(t, name, fixed_classes=True)
            drawn = intervals.replicates(t, name, 3000, stratified=name != "brier")
            assert drawn.std() == pytest.approx(closed.se, rel=0.05), name
            assert drawn.mean() == pytest.approx(closed.value, abs=5 * closed.se / np.sqrt(3000)), name


def test_unstratified_class_sizes_vary() -> None:
    sizes = [pos.sum(1) for pos, _ in resampled(CellCounts.of(FAWCETT), 2000, seed=0, stratified=False)]
    assert np.concatenate(sizes).var() == pytest.approx(20 * 0.25, rel=0.15)
    tiny = intervals.bootstrap(table([1, 0, 0, 0, 1], [3, 1, 2, 4, 5]), "auc", stratified=False, method="percentile")
    assert math.isnan(tiny.low) and "undefined in" in tiny.why


def test_bootstrap_standard_errors_are_the_closed_ones() -> None:
    rng = np.random.default_rng(6)
    y = rng.integers(0, 2, 400)
    t = table(y, np.clip(0.5 + 0.25 * (y - 0.5) + 0.2 * rng.normal(size=400), 0.02, 0.98))
    for name in ("auc", "average_precision", "pr_area", "brier", "log_loss"):
        closed = intervals.of(t, name, fixed_classes=True)
        drawn = intervals.replicates(t, name, 1500, stratified=name not in ("brier", "log_loss"))
        assert drawn.std() == pytest.approx(closed.se, rel=0.08), name
    loose = intervals.average_precision(t).se
    assert intervals.replicates(t, "average_precision", 1500, stratified=False).std() == pytest.approx(loose, rel=0.08)


def test_what_the_bootstrap_refuses() -> None:
    for name in ("auc", "average_precision", "pr_area"):
        found = intervals.bootstrap(PERFECT, name, n=99)
        assert math.isnan(found.low) and "end of its range" in found.why and f"intervals.of(t, '{name}')" in found.why
    constant = intervals.bootstrap(table(Y, [0.5] * 20), "auc", n=99)
    assert constant.value == 0.5 and "same auc" in constant.why
    nothing = intervals.bootstrap(table([1, 1], [1, 2]), "auc", n=99)
    assert nothing.why == "no negatives: ROC AUC is undefined"
    for n in (0, 1, -5, 10, 1e3, True, 10**12):
        with pytest.raises(RocscopeError):
            intervals.bootstrap(FAWCETT, "auc", n=n)
    for seed in (-1, 0.5, "1", True):
        with pytest.raises(RocscopeError, match="seed must be a whole number"):
            intervals.bootstrap(FAWCETT, "auc", n=99, seed=seed)
    with pytest.raises(RocscopeError, match=r"threshold=0\.5"):
        intervals.bootstrap(FAWCETT, "precision", n=99)
    with pytest.raises(RocscopeError, match="is a curve"):
        intervals.bootstrap(FAWCETT, "roc", n=99)
    with pytest.raises(RocscopeError, match="cannot be studentized"):
        intervals.bootstrap(FAWCETT, "brier", n=99, method="studentized")
    with pytest.raises(RocscopeError, match="bootstrap_rows"):
        intervals.bootstrap(table(Y, S, weights=[1.5] * 20), "auc", n=99)


def test_any_function_and_any_measure() -> None:
    calls: list[tuple[int, int]] = []
    found = intervals.bootstrap(
        FAWCETT, lambda t: 2 * curves.auc(t), n=199, progress=lambda done, n: calls.append((done, n))
    )
    plain = intervals.bootstrap(FAWCETT, "auc", n=199)
    assert found.value == 1.36 and (found.low, found.high) == pytest.approx((2 * plain.low, 2 * plain.high), abs=0.05)
    assert calls[-1] == (199, 199)
    recall = intervals.bootstrap(FAWCETT, "recall", threshold=0.5, n=1999, method="percentile")
    assert recall.value == FAWCETT.at(0.5).recall
    share = recall.value
    assert recall.se == pytest.approx(math.sqrt(share * (1 - share) / 10), rel=0.1)
    partial = intervals.bootstrap(FAWCETT, "partial_auc", fpr=(0, 0.2), n=199)
    assert partial.value == near(0.07) and 0 <= partial.low < 0.07 < partial.high <= 0.2


def test_rows_with_weights_and_clusters() -> None:
    plain = intervals.bootstrap_rows(Y, S, "auc", n=999)
    assert plain.se == pytest.approx(math.sqrt(121 / 7500), rel=0.08)
    weighted = intervals.bootstrap_rows(Y, S, "auc", weights=[1.0, 2.0] * 10, n=1999)
    assert weighted.value == near(0.769231) and weighted.se == pytest.approx(math.sqrt(0.011691), rel=0.12)
    pairs = [i // 2 for i in range(20)] * 3
    whole = intervals.bootstrap_rows(Y * 3, S * 3, "auc", clusters=pairs, n=1999)
    closed = intervals.auc_clustered(Y * 3, S * 3, pairs)
    assert whole.se == pytest.approx(closed.se, rel=0.15)
    assert whole == intervals.bootstrap_rows(Y * 3, S * 3, "auc", clusters=pairs, n=1999)
    with pytest.raises(RocscopeError, match="percentile"):
        intervals.bootstrap_rows(Y, S, "auc", method="bca")


# ---- closed forms ----


@pytest.mark.parametrize("piece", [7, 2**14])
def test_slopes_are_derivatives(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One more case at each score, by finite differences of the published statistic."""
    monkeypatch.setattr(influence, "PIECE", piece)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    t = table(y, np.round(rng.normal(size=60) + y, 1))
    floats = {"pos": t.pos.astype(float), "neg": t.neg.astype(float)}
    for name in ("auc", "average_precision", "pr_area"):
        slopes = influence.collected(t, curves.get(name).influence, curves.get(name)(t))
        for side, found in (("pos", slopes.up), ("neg", slopes.down)):
            for g in np.flatnonzero(floats[side]):
                step = np.zeros(len(t))
                step[g] = 1e-5
                up, down = (
                    curves.get(name)(replace(t, **{**floats, side: floats[side] + sign * step})) for sign in (1, -1)
                )
                assert found[g] == pytest.approx((up - down) / 2e-5, abs=1e-7), (name, side, g)


def test_losses_are_means_over_cases() -> None:
    y, s = np.array(Y), np.array(S)
    for name, losses in (
        ("brier", (s - y) ** 2),
        ("log_loss", -np.where(y == 1, np.log(s), np.log(1 - s))),
    ):
        found = intervals.of(FAWCETT, name)
        assert found.value == pytest.approx(losses.mean())
        assert found.se == pytest.approx(losses.std(ddof=1) / math.sqrt(20))
    log = intervals.log_loss(FAWCETT)
    assert log.high / log.value == pytest.approx(log.value / log.low)


def test_closed_forms_at_the_ends() -> None:
    sure = table([1, 1, 0, 0], [1, 1, 0, 0])
    brier, log = intervals.brier(sure), intervals.log_loss(sure)
    assert (brier.value, brier.low) == (0.0, 0.0) and brier.high > 0.3
    assert (log.value, log.low, log.high) == (0.0, 0.0, math.inf) and log.why
    wrong = intervals.log_loss(table([1, 0], [0.0, 0.5]))
    assert wrong.value == math.inf and "probability 0 was given" in wrong.why
    clipped = intervals.log_loss(table([1, 0, 1], [0.0, 0.5, 0.9]), clip=1e-3)
    assert clipped.low < clipped.value < clipped.high < math.inf
    half = intervals.log_loss(table([1, 0], [0.5, 0.5]))
    assert half.value == pytest.approx(math.log(2)) and "same loss" in half.why
    for name in ("average_precision", "pr_area"):
        best = intervals.of(PERFECT, name)
        assert (best.value, best.high) == (1.0, 1.0) and 0.7 < best.low < 0.95
        assert "no negatives" in intervals.of(table([1, 1], [1, 2]), name).why
    one_class = intervals.brier(table([1, 1, 1], [0.3, 0.6, 0.9]))
    assert one_class.low < one_class.value < one_class.high
    assert "use the bootstrap for limits" in intervals.of(FAWCETT, "h_measure").why


@settings(max_examples=40)
@given(CASES)
def test_closed_forms_stay_in_range(cases: Any) -> None:
    y, s = zip(*cases, strict=True)
    t = table([int(label) for label in y], s)
    for name in ("average_precision", "pr_area", "brier", "log_loss"):
        narrow, wide = (intervals.of(t, name, level=level) for level in (0.8, 0.99))
        if not math.isnan(narrow.low):
            low, high = curves.get(name).range
            assert low <= wide.low <= narrow.low <= narrow.value <= narrow.high <= wide.high <= high
            assert narrow.high > narrow.low
        else:
            assert narrow.why


def test_a_brier_score_of_few_rare_events_covers() -> None:
    """200 samples of 30 cases at a prevalence of 0.05: mostly one event or none, so the losses seen hide the large."""
    rng = np.random.default_rng(12)

    def draw(size: int) -> tuple[Any, Any]:
        s = np.clip(rng.beta(0.3, 6, size), 0.001, 0.999)
        return (rng.random(size) < s).astype(int), s

    y, s = draw(400_000)
    truth, held = float(((y - s) ** 2).mean()), 0
    for _ in range(200):
        found = intervals.brier(table(*draw(30)))
        held += found.low <= truth <= found.high
    assert held / 200 >= 0.90


def test_average_precision_covers() -> None:
    """200 samples of 20 positives and 60 negatives: Monte-Carlo error of a coverage of 0.95 is 0.015."""
    from scipy.special import ndtr

    grid = np.linspace(-6, 8, 20_001)
    up, down = ndtr(-(grid - 1.2)), ndtr(-grid)
    precision = 0.25 * up / (0.25 * up + 0.75 * down)
    truth = float(np.trapezoid(precision * np.exp(-((grid - 1.2) ** 2) / 2) / math.sqrt(2 * math.pi), grid))
    rng, held = np.random.default_rng(11), 0
    y = np.repeat([1, 0], [20, 60])
    for _ in range(200):
        found = intervals.average_precision(table(y, rng.normal(size=80) + 1.2 * y))
        held += found.low <= truth <= found.high
    assert 0.90 <= held / 200 <= 0.995


# ---- bands ----


def test_ks_band() -> None:
    assert ks_distances(FAWCETT, 0.95) == (near(0.444979), near(0.444979))
    band = intervals.roc_band(FAWCETT)
    assert band.simultaneous and (band.low <= band.y).all() and (band.y <= band.high).all()
    d = ks_distances(FAWCETT, 0.95)[0]
    roc = curves.roc(FAWCETT)
    for x, low, high in zip(band.x, band.low, band.high, strict=True):
        most = max(t for f, t in zip(roc.fpr, roc.tpr, strict=True) if f <= x + d + 1e-12)
        least = min(t for f, t in zip(roc.fpr, roc.tpr, strict=True) if f >= min(x - d, 1) - 1e-12)
        assert high == pytest.approx(min(1, most + d)) and low == pytest.approx(max(0, least - d))
    lone = intervals.roc_band(table([1, 0, 0], [3, 2, 1]))
    assert "almost the whole square" in lone.why
    certain = intervals.roc_band(PERFECT)
    assert certain.low.max() < 1  # never of width 0


def test_ks_band_covers_the_whole_curve() -> None:
    from scipy.special import ndtr, ndtri

    rng, held = np.random.default_rng(9), 0
    y = np.repeat([1, 0], 25)
    for _ in range(150):
        band = intervals.roc_band(table(y, rng.normal(size=50) + y), level=0.8)
        inner = (band.x > 0) & (band.x < 1)
        truth = ndtr(1 + ndtri(band.x[inner]))
        held += bool((band.low[inner] <= truth).all() and (truth <= band.high[inner]).all())
    assert held / 150 >= 0.75  # conservative: nominal 0.8, Monte-Carlo error 0.03


def test_pointwise_rectangles() -> None:
    joint, single = intervals.roc_points(FAWCETT), intervals.roc_points(FAWCETT, joint=False)
    want = FAWCETT.at(0.505).estimate("recall", level=math.sqrt(0.95))
    row = FAWCETT.position(0.505)
    assert joint.left is not None and joint.right is not None and single.left is not None
    assert (joint.low[row], joint.high[row]) == pytest.approx((want.low, want.high))
    across = FAWCETT.at(0.505).estimate("fpr")
    assert (single.left[row], single.right[row]) == pytest.approx((across.low, across.high))  # type: ignore[index]
    assert not joint.simultaneous and joint.low[0] == 0.0 and joint.high[-1] == 1.0


def test_sup_band() -> None:
    band = intervals.roc_band(FAWCETT, method="sup", n=499)
    assert (np.diff([np.zeros(len(band)), band.low, band.y, band.high, np.ones(len(band))], axis=0) >= 0).all()
    assert (intervals.roc_band(FAWCETT, method="sup", n=499).high == band.high).all()
    wider = intervals.roc_band(FAWCETT, method="sup", n=499, level=0.99)
    assert (wider.high - wider.low >= band.high - band.low - 1e-12).all()
    with pytest.raises(RocscopeError, match="Did you mean 'sup'"):
        intervals.roc_band(FAWCETT, method="supp")


def test_the_sup_band_by_its_definition() -> None:
    """Each resampled curve looked up point by point; the spread is never less than that of Wilson's interval."""
    t = ScoreTable(np.arange(6.0, 0, -1), np.array([9, 6, 8, 4, 2, 1]), np.array([1, 3, 8, 9, 12, 17]))
    level, n = 0.9, 199
    band = intervals.roc_band(t, method="sup", n=n, level=level)
    pos, neg = (np.concatenate(part) for part in zip(*resampled(CellCounts.of(t, runs), n, seed=0), strict=True))
    drawn = np.zeros((n, len(band)))
    for i in range(n):
        fpr, tpr = (np.concatenate(([0], np.cumsum(side[i]))) / side[i].sum() for side in (neg, pos))
        drawn[i] = [max(hits for alarms, hits in zip(fpr, tpr, strict=True) if alarms <= x + 1e-12) for x in band.x]
    assert drawn.shape == (n, 7)
    z = NormalDist().inv_cdf((1 + level) / 2)
    middle = (band.y * 30 + z * z / 2) / (30 + z * z)
    spread = [max(math.sqrt(math.fsum((column - column.mean()) ** 2) / (n - 1)), math.sqrt(c * (1 - c) / (30 + z * z)))
              for column, c in zip(drawn.T, middle, strict=True)]  # fmt: skip
    largest = sorted(max(abs(row - band.y) / spread) for row in drawn)
    reach = largest[math.ceil(level * (n + 1)) - 1]  # (n + 1) * 0.9 = 180 is whole: an order statistic
    assert band.high == pytest.approx(np.minimum(1, band.y + reach * np.array(spread)), rel=1e-9)
    assert band.low == pytest.approx(np.maximum(0, band.y - reach * np.array(spread)), rel=1e-9)
    own = [column.std(ddof=1) == pytest.approx(most) for column, most in zip(drawn.T, spread, strict=True)]
    assert any(own) and not all(own)  # both kinds of spread occur


def test_a_band_of_many_points_is_thinned_evenly_and_keeps_both_ends() -> None:
    rng = np.random.default_rng(3)
    band = intervals.roc_band(table(rng.integers(0, 2, 2400), rng.normal(size=2400)), method="sup", n=99)
    assert len(band) == 500 and band.x[0] == 0 and band.x[-1] == 1
    assert np.diff(band.x).max() < 1.7 / 500  # of about 1,200 rates


def test_working_hotelling_band() -> None:
    t = ScoreTable(np.arange(5, 0, -1), np.array([33, 11, 2, 2, 3]), np.array([2, 11, 6, 6, 33]))
    band = intervals.roc_band(t, method="working-hotelling")
    assert band.y == pytest.approx(curves.binormal(t).tpr(band.x))
    # the gradient (1, z) with the whole covariance of a and b, and Scheffé's factor for two parameters
    fit, normal = curves.binormal(t), NormalDist()
    reach = math.sqrt(-2 * math.log(0.05))  # of the chi-square with 2 degrees of freedom
    assert fit.covariance[0][1] != 0
    for x, low, high in zip(band.x.tolist(), band.low.tolist(), band.high.tolist(), strict=True):
        slope = np.array([1.0, normal.inv_cdf(x)])
        middle, se = fit.a + fit.b * slope[1], math.sqrt(slope @ np.array(fit.covariance) @ slope)
        assert (low, high) == pytest.approx((normal.cdf(middle - reach * se), normal.cdf(middle + reach * se)))
    # the band is Φ(a + b z ± 2.447747 se): half its width on the probit scale against resampled fits
    from scipy.special import ndtri

    fits = []
    for pos, neg in resampled(CellCounts.of(t), 200, seed=2):
        fits += [curves.binormal(ScoreTable(t.scores, p, n)) for p, n in zip(pos, neg, strict=True)]
    at = ndtri(band.x[49])
    spread = np.nanstd([fit.a + fit.b * at for fit in fits])
    half = (ndtri(band.high[49]) - ndtri(band.low[49])) / 2
    assert half / 2.447747 == pytest.approx(spread, rel=0.25)
    with pytest.raises(RocscopeError, match="separate the classes"):
        intervals.roc_band(PERFECT, method="working-hotelling")


def test_pr_band() -> None:
    band, rare = intervals.pr_band(FAWCETT), intervals.pr_band(FAWCETT, prevalence=0.01)
    assert (np.diff([np.zeros(len(band)), band.low, band.y, band.high, np.ones(len(band))], axis=0) >= 0).all()
    assert band.y == pytest.approx(curves.pr(FAWCETT).precision[1:])
    assert rare.y[-1] == pytest.approx(0.01) and "0.01" in rare.why
    assert band.left is not None and (band.left <= band.x).all()


def test_a_rate_at_a_fixed_rate() -> None:
    found = intervals.sensitivity_at(FAWCETT, 0.8)
    assert found.value == decisions.at_specificity(FAWCETT, 0.8).counts.recall == 0.5
    z2, rng = 1.959963984540054**2, np.random.default_rng(1)
    up, down = np.array(S)[np.array(Y) == 1], np.array(S)[np.array(Y) == 0]
    rates = []
    for _ in range(4000):
        p, n = rng.choice(up, 10), np.sort(rng.choice(down, 10))[::-1]
        # at most two false positives: everything above the third highest negative
        rates.append((np.count_nonzero(p > n[2]) + z2 / 2) / (10 + z2))
    want = np.mean(rates), 1.959963984540054 * np.std(rates)
    assert (found.low, found.high) == pytest.approx((want[0] - want[1], want[0] + want[1]), abs=0.02)
    drawn = intervals.bootstrap(FAWCETT, "sensitivity_at", specificity=0.8, n=1999, method="percentile")
    assert drawn.value == 0.5 and drawn.se == pytest.approx(np.std(rates) * (10 + z2) / 10, rel=0.08)
    other = intervals.bootstrap(FAWCETT, "specificity_at", sensitivity=0.8, n=99, method="percentile")
    assert other.value == decisions.at_sensitivity(FAWCETT, 0.8).counts.specificity
    with pytest.raises(RocscopeError, match="requires the specificity"):
        intervals.bootstrap(FAWCETT, "sensitivity_at", n=99)
    mirrored = intervals.specificity_at(FAWCETT, 0.8)
    assert mirrored.value == decisions.at_sensitivity(FAWCETT, 0.8).counts.specificity
    perfect_one = intervals.sensitivity_at(PERFECT, 0.9)
    assert perfect_one.value == 1.0 and perfect_one.low < 0.9 and perfect_one.high == 1.0
    assert "both classes" in intervals.sensitivity_at(table([1, 1], [1, 2]), 0.5).why


def test_sensitivity_with_one_miss_can_be_nearly_1() -> None:
    """With one miss of 44 the upper limit was 0.98; a sensitivity of 0.9963 makes one miss in 15 of 100 samples."""
    y, scores = [1] * 44 + [0] * 200, [*range(1000, 1043), 0, *range(100, 300)]
    found = intervals.sensitivity_at(table(y, scores), 0.8)
    assert found.value == 43 / 44
    assert found.high == pytest.approx(1 + math.log(0.95) / 44)  # Poisson, one event: 1 - exp(-x) = 0.05


def test_consistency_band() -> None:
    rng = np.random.default_rng(3)
    s = np.round(rng.random(300), 2)
    honest, over = table(rng.random(300) < s, s), table(rng.random(300) < 0.5, s)
    for t, most in ((honest, 0.2), (over, 1.0)):
        band = intervals.calibration_band(t, n=199)
        assert (np.diff(band.x) > 0).all() and (np.diff(band.y) >= 0).all()
        outside = np.mean((band.y < band.low - 1e-9) | (band.high + 1e-9 < band.y))
        assert outside <= most and (most < 1 or outside > 0.3)
    with pytest.raises(RocscopeError, match="requires probabilities"):
        intervals.calibration_band(table([1, 0], [3, 2]), n=99)


def test_many_scores_are_pooled_for_the_consistency_band() -> None:
    rng = np.random.default_rng(3)
    s = rng.random(3000)
    band = intervals.calibration_band(table(rng.random(3000) < s, s), n=59)
    assert len(band) <= 500 and (band.low <= band.high).all()


# ---- cut points ----


def test_thresholds_not_worse_than_the_best() -> None:
    rng = np.random.default_rng(10)
    y = rng.integers(0, 2, 400)
    t = table(y, np.round(rng.normal(size=400) + 1.5 * y, 1))
    found = intervals.not_worse(t, n=499)
    best = decisions.best(t, "youden")[0]
    assert found.best == best.threshold in found.thresholds and found.value == best.value
    assert -0.3 < found.low <= 0.75 <= found.high < 1.8  # the true optimum is 0.75
    assert "optimistic" in found.why and len(found) < len(t)
    wider = intervals.not_worse(t, n=499, level=0.99)
    assert set(found.thresholds) <= set(wider.thresholds)
    costly = intervals.not_worse(t, "cost", costs=Costs(fp=1, fn=10), n=199)
    assert costly.best < found.best
    for criterion in ("closest", "f1", "error_rate"):
        assert intervals.not_worse(t, criterion, n=99).best == decisions.best(t, criterion)[0].threshold
    with pytest.raises(RocscopeError, match="needs costs"):
        intervals.not_worse(t, "cost")


def test_gaps_of_youden_by_the_closed_form() -> None:
    """Two thresholds: D has variance from the cases between them; the set is decided by D <= q σ."""
    t = ScoreTable(np.array([3.0, 2.0, 1.0]), np.array([60, 30, 10]), np.array([10, 30, 60]))
    found = intervals.not_worse(t, n=1999)
    # J at 3 and at 2 are both 0.5: neither is worse; predicting nothing or all is
    assert found.thresholds.tolist() == [3.0, 2.0] and found.values.tolist() == pytest.approx([0.5, 0.5])


def test_gaps_that_some_resamples_leave_undefined_have_the_spread_of_the_others() -> None:
    """The spread of each gap against one computed from all resamples at once; NaN where nobody is flagged."""
    t = ScoreTable(np.array([4.0, 3.0, 2.0, 1.0]), np.array([2, 9, 8, 1]), np.array([0, 3, 7, 10]))
    judge = decisions.criterion("precision", None)[1]
    rows, cells = cut_points._compared(t, 3.0)
    seen = judge.worth(cells_along(cells.pos[None, :], cells.neg[None, :]))[0]
    gap = seen[2] - seen
    spread, _ = cut_points._reach(cells, judge, gap, 2, 0.95, 399, 0, None)
    pos, neg = (np.concatenate(part) for part in zip(*resampled(cells, 399, seed=0), strict=True))
    values = judge.worth(cells_along(pos, neg))
    off = values[:, [2]] - values - gap
    assert 20 < np.isnan(off[:, 1]).sum() < 200 and len(rows) == 5
    assert spread[1:] == pytest.approx(np.nanstd(off[:, 1:], axis=0), abs=1e-12)


def test_a_gap_that_one_resample_defines_has_no_spread() -> None:
    """Nobody is flagged at the first threshold in any resample but one, so that nothing is known of its spread."""
    t = ScoreTable(np.array([4.0, 3.0, 2.0, 1.0]), np.array([2, 9, 8, 1]), np.array([0, 3, 7, 10]))
    judge = decisions.criterion("precision", None)[1]
    _, cells = cut_points._compared(t, 3.0)
    seen = judge.worth(cells_along(cells.pos[None, :], cells.neg[None, :]))[0]
    for n in (1, 2):
        spread, _ = cut_points._reach(cells, judge, seen[2] - seen, 2, 0.95, n, 0, None)
        pos, neg = (np.concatenate(part) for part in zip(*resampled(cells, n, seed=0), strict=True))
        values = judge.worth(cells_along(pos, neg))
        assert spread[1:] == pytest.approx(np.std(values[:, [2]] - values, axis=0)[1:], abs=1e-12)
        assert (spread[3:] > 0).any() == (n > 1)


def test_the_consistency_band_by_its_definition() -> None:
    """Outcomes drawn from the probabilities, calibrated by pooling adjacent violators, the 5th and 95th of 99."""
    t = ScoreTable(np.array([0.9, 0.75, 0.5, 0.25, 0.125]), np.array([9, 5, 8, 3, 1]), np.array([2, 3, 7, 6, 9]))
    band = intervals.calibration_band(t, n=99, level=0.9)
    cases, generator, drawn = t.pos + t.neg, seeds(0)[0], []
    for _ in range(99):
        hits = generator.binomial(cases, t.scores)
        blocks: list[list[float]] = []
        for hit, case in zip(hits[::-1].tolist(), cases[::-1].tolist(), strict=True):
            blocks.append([hit, case, 1])
            while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] >= blocks[-1][0] / blocks[-1][1]:
                last = blocks.pop()
                blocks[-1] = [a + b for a, b in zip(blocks[-1], last, strict=True)]
        drawn.append([hit / case for hit, case, size in blocks for _ in range(size)])
    ordered = np.sort(np.array(drawn), axis=0)
    assert band.low == pytest.approx(ordered[4]) and band.high == pytest.approx(ordered[94])
    assert band.x.tolist() == t.scores[::-1].tolist()


@pytest.mark.parametrize("heavy", [1, 400])
def test_pooled_scores_keep_every_case_at_the_mean_of_neighbors_of_equal_number(heavy: int) -> None:
    rng = np.random.default_rng(4)
    pos, neg = rng.integers(0, 3, (2, 2000))
    neg[pos + neg == 0] = 1
    pos[700] = heavy
    t = ScoreTable(np.sort(rng.random(2000))[::-1], pos, neg)
    band = intervals.calibration_band(t, n=99)
    cases, total = pos + neg, int((pos + neg).sum())
    before = np.cumsum(cases) - cases
    cells: dict[int, list[int]] = {}
    for row in range(2000):  # by where the first case of a score falls among 500 equal parts of all
        cells.setdefault(int(before[row]) * 500 // total, []).append(row)
    means = [float(t.scores[rows] @ cases[rows] / cases[rows].sum()) for rows in cells.values()]
    assert band.x[::-1] == pytest.approx(means) and len(band) <= 500


def test_many_thresholds_are_thinned() -> None:
    rng = np.random.default_rng(10)
    y = rng.integers(0, 2, 5000)
    found = intervals.not_worse(table(y, rng.normal(size=5000) + y), n=59)
    assert "of 5001 thresholds" in found.why and found.best in found.thresholds


def test_the_error_of_each_replicate_is_delongs() -> None:
    """Σ (placement - AUC)² / (n (n - 1)) of both classes, the placements counted pair by pair."""
    rng = np.random.default_rng(3)
    pos, neg = rng.integers(0, 4, (5, 6)), rng.integers(0, 4, (5, 6))
    areas, errors = auc_and_error(pos, neg)
    for area, error, up, down in zip(areas, errors, pos, neg, strict=True):
        high, low = np.repeat(np.arange(6, 0, -1), up), np.repeat(np.arange(6, 0, -1), down)
        wins = (high[:, None] > low) + 0.5 * (high[:, None] == low)
        assert area == pytest.approx(wins.mean())
        variance = wins.mean(axis=1).var(ddof=1) / len(high) + wins.mean(axis=0).var(ddof=1) / len(low)
        assert error == pytest.approx(math.sqrt(variance))


def test_percentile_cut_point_by_name() -> None:
    found = intervals.cut_point(FAWCETT, n=499)
    assert found.value == decisions.best(FAWCETT, "youden")[0].threshold and found.low <= found.value <= found.high
    assert "not_worse" in found.why and {found.low, found.high} <= set(S)
    with pytest.raises(RocscopeError, match="no cut point interval"):
        intervals.cut_point(FAWCETT, method="delta")


def test_cross_fitting_is_less_optimistic() -> None:
    rng, gaps = np.random.default_rng(12), []
    for _ in range(30):
        y = np.repeat([1, 0], 20)
        s = rng.normal(size=40) + 0.5 * y
        fitted, honest = decisions.best(table(y, s), "youden")[0], intervals.cross_fitted(y, s, folds=5)
        assert honest.tp + honest.fn == 20 and honest.fp + honest.tn == 20
        gaps.append(fitted.value - honest.youden)
    assert np.mean(gaps) > 0.1
    assert intervals.cross_fitted(Y, S, folds=5) == intervals.cross_fitted(Y, S, folds=5, seed=0)
    turned = intervals.cross_fitted(Y, [-x for x in S], folds=5, higher_is_positive=False)
    assert turned == intervals.cross_fitted(Y, S, folds=5)
    with pytest.raises(RocscopeError, match="smaller class"):
        intervals.cross_fitted(Y, S, folds=11)


# ---- costs ----


def test_net_benefit_figures() -> None:
    found = intervals.net_benefit(Counts(tp=7, fp=7, fn=3, tn=13), pt=0.2)
    assert (found.value, found.low, found.high) == (near(0.175), near(0.039559), near(0.361764))
    nothing = intervals.net_benefit(Counts(tp=0, fp=0, fn=10, tn=20), pt=0.2)
    assert (nothing.value, nothing.low, nothing.high) == (0.0, near(-0.028378), near(0.113513))
    everything = intervals.net_benefit(Counts(tp=10, fp=20, fn=0, tn=0), pt=0.2)
    assert everything.low < 10 / 30 - 20 / 30 / 4 < everything.high and everything.value == pytest.approx(1 / 6)
    table_cut = intervals.net_benefit(FAWCETT, pt=0.5)
    assert table_cut.value == pytest.approx(curves.net_benefit_at(FAWCETT, pt=0.5))
    with pytest.raises(RocscopeError, match="pt must lie between 0 and 1"):
        intervals.net_benefit(FAWCETT, pt=1)


def test_net_benefit_at_a_prevalence() -> None:
    c = Counts(tp=7, fp=7, fn=3, tn=13)
    found = intervals.net_benefit(c, pt=0.2, prevalence=0.02)
    hit, alarm = c.estimate("recall"), c.estimate("fpr")
    assert found.value == pytest.approx(0.02 * 0.7 - 0.98 * 0.35 / 4)
    low = found.value - math.hypot(0.02 * (hit.value - hit.low), 0.98 / 4 * (alarm.high - alarm.value))
    assert found.low == pytest.approx(low)


def test_expected_cost() -> None:
    c, costs = Counts(tp=7, fp=7, fn=3, tn=13), Costs(fp=1, fn=5)
    found = intervals.expected_cost(c, costs)
    paid = np.repeat([1.0, 5.0, 0.0], [7, 3, 20])
    assert found.value == pytest.approx(paid.mean()) and found.se == pytest.approx(paid.std() / math.sqrt(30))
    assert 0 <= found.low < found.value < found.high <= 5
    carried = intervals.expected_cost(c, Costs(fp=1, fn=5, prevalence=0.1))
    assert carried.value == pytest.approx(0.1 * 0.3 * 5 + 0.9 * 0.35) and carried.low < carried.value < carried.high
    free = intervals.expected_cost(Counts(tp=10, fp=0, fn=0, tn=10), costs)
    assert (free.value, free.low) == (0.0, 0.0) and free.high > 0.3
    assert "no cases" in intervals.expected_cost(Counts(0, 0, 0, 0), costs).why


@pytest.mark.parametrize("prevalence", [None, 0.1])
def test_the_standard_error_of_a_cost_from_its_two_errors(prevalence: float | None) -> None:
    """Costs of cases at the prevalence of the sample; else a mean within each class, at a known share of both."""
    c, costs = Counts(tp=14, fp=9, fn=6, tn=31), Costs(fp=2, fn=7, tp=1, tn=0.5, prevalence=prevalence)
    classes = [np.repeat([1.0, 7.0], [14, 6]), np.repeat([2.0, 0.5], [9, 31])]
    if prevalence is None:
        # what is certain, the number of cases of each class, is left out: errors alone vary
        paid = np.concatenate([classes[0] - 1, classes[1] - 0.5])
        wanted = paid.var() / 60
    else:
        wanted = sum(share**2 * paid.var() / len(paid) for share, paid in zip((0.1, 0.9), classes, strict=True))
    assert ErrorCosts.of(c, costs, 0.95).se ** 2 == pytest.approx(wanted, rel=1e-9)


def test_break_even() -> None:
    y = [1] * 100 + [0] * 100
    bolder = [1] * 25 + [0] * 75 + [1] * 30 + [0] * 70
    found = intervals.break_even(y, [0] * 200, bolder)
    assert (found.value, found.low, found.high) == (near(0.833333), near(0.510212), near(1.322377))
    ratio = intervals.break_even_costs(y, [0] * 200, bolder, prevalence=0.2)
    assert ratio.low == pytest.approx(found.low / 4)
    assert intervals.break_even_costs(y, [0] * 200, bolder).value == pytest.approx(found.value)
    assert intervals.break_even(y, bolder, bolder).why == "same decisions"
    z2 = 1.959963984540054**2
    for limit in (found.low, found.high):  # the limits solve Fieller's equation
        spread = 0.25 * 0.75 / 99 + limit**2 * 0.3 * 0.7 / 99
        assert (0.25 - limit * 0.3) ** 2 == pytest.approx(z2 * spread)


def test_break_even_without_an_end() -> None:
    y = [1] * 50 + [0] * 50
    few = [1] * 25 + [0] * 25 + [1] * 2 + [0] * 48  # two more alarms: they may be none
    found = intervals.break_even(y, [0] * 100, few)
    assert found.value == pytest.approx(12.5) and found.high == math.inf and 0 < found.low < 12.5
    assert "no upper limit" in found.why
    vague = [1] * 2 + [0] * 48 + [1] * 2 + [0] * 48
    assert "inconclusive" in intervals.break_even(y, [0] * 100, vague).why
    with pytest.raises(RocscopeError, match="other than 0 and 1"):
        intervals.break_even(y, [0.3] * 100, few)


# ---- planning ----


def test_sample_sizes() -> None:
    even, many = intervals.size_for_auc(0.8, 0.7), intervals.size_for_auc(0.8, 0.7, ratio=5)
    assert (even.exact, even.positives, even.negatives) == (near(96.65, 2), 97, 97)
    assert (many.exact, many.positives, many.negatives) == (near(70.64, 2), 71, 355)
    assert intervals.size_for_width(0.9, 0.10).positives == 83
    assert intervals.size_for_auc(0.7, 0.8).positives != even.positives  # the spread is that of the true area
    with pytest.raises(RocscopeError, match="no number of cases"):
        intervals.size_for_auc(0.8, 0.8)


def test_size_and_power_are_inverse() -> None:
    plan = intervals.size_for_auc(0.85, 0.75, power=0.9)
    assert plan.power >= 0.9
    less = intervals.power_for_auc(0.85, 0.75, positives=plan.positives - 1, negatives=plan.negatives - 1)
    assert less.power < 0.9
    for area, other, wanted in ((0.9, 0.5, 0.8), (0.95, 0.6, 0.9)):  # few cases: as simulated with the default interval
        small = intervals.size_for_auc(area, other, power=wanted)
        assert wanted <= small.power and small.positives < 30
        rng, shown = np.random.default_rng(3), 0
        y = np.repeat([1, 0], [small.positives, small.negatives])
        for _ in range(600):
            scores = rng.normal(math.sqrt(2) * NormalDist().inv_cdf(area) * y, 1)
            found = intervals.auc(ScoreTable.from_scores(y, scores))
            shown += not found.low <= other <= found.high
        assert shown / 600 == pytest.approx(small.power, abs=0.05)  # three standard errors
    seven = intervals.power_for_auc(0.9, 0.5, positives=7, negatives=7)
    assert 0.76 < seven.power < 0.82
    assert intervals.power_for_auc(0.9, 0.5, positives=1, negatives=2).power < 0.1
    with pytest.raises(RocscopeError, match="too small to compute the power"):
        intervals.power_for_difference(0.9, 0.7, positives=29, negatives=60)
    assert intervals.size_for_difference(0.99, 0.5, ratio=0.5).negatives >= 30
    pair = intervals.size_for_difference(0.85, 0.8, correlation=0.6)
    assert pair.power >= 0.8 > intervals.power_for_difference(
        0.85, 0.8, correlation=0.6, positives=pair.positives - 1, negatives=pair.negatives - 1
    ).power  # fmt: skip
    alone = intervals.size_for_difference(0.85, 0.8, correlation=0.0)
    assert alone.positives > 2 * pair.positives  # correlated models need fewer cases


@pytest.mark.parametrize(("first", "second", "correlation"), [(0.95, 0.8, 0.4), (0.97, 0.85, 0.6)])
def test_paired_plans_of_few_cases_deliver_what_they_promise(first: float, second: float, correlation: float) -> None:
    """With the default interval of the difference; the formula alone promised 0.04 more than that in these settings."""
    shifts, y = (math.sqrt(2) * NormalDist().inv_cdf(area) for area in (first, second)), np.repeat([1, 0], 30)
    rng, n, areas, shown = np.random.default_rng(8), 1000, [], 0
    one, other = shifts
    for _ in range(n):
        both = math.sqrt(correlation) * rng.normal(size=60)
        a, b = (both + math.sqrt(1 - correlation) * rng.normal(size=60) + shift * y for shift in (one, other))
        found = significance.delong(y, a, b)
        shown += found.low > 0
        areas.append([ScoreTable.from_scores(y, scores).auc for scores in (a, b)])
    related = float(np.corrcoef(np.array(areas, dtype=float).T)[0, 1])
    plan = intervals.power_for_difference(first, second, correlation=related, positives=30, negatives=30)
    assert shown / n >= plan.power - 0.03
    sized = intervals.size_for_difference(first, second, correlation=related, power=0.8)
    assert sized.power >= 0.8 and sized.positives > 30


def test_widths_shrink_until_they_fit() -> None:
    for ratio in (1.0, 3.0):
        plan = intervals.size_for_width(0.8, 0.15, ratio=ratio)
        fits, short = (
            score_limits(0.8, Sizes(p, math.ceil(p * ratio)), 0.95) for p in (plan.positives, plan.positives - 1)
        )
        assert fits[1] - fits[0] <= 0.15 < short[1] - short[0]


def test_power_by_simulation() -> None:
    """400 binormal samples: Monte-Carlo error 0.02; the formula assumes exponential scores."""
    from statistics import NormalDist

    shift, rng, found = math.sqrt(2) * NormalDist().inv_cdf(0.8), np.random.default_rng(2), 0
    y = np.repeat([1, 0], 97)
    for _ in range(400):
        estimate = intervals.auc(table(y, rng.normal(size=194) + shift * y), method="delong")
        found += estimate.low > 0.7
    assert found / 400 == pytest.approx(0.8, abs=0.1)


# ---- helpers that are doors of their own ----


def test_steps_take_the_threshold_that_is_allowed() -> None:
    fpr, tpr = np.array([0, 0, 0.5, 1.0]), np.array([0, 0.4, 0.7, 1.0])
    assert upper_step(fpr, tpr, np.array([-0.1, 0, 0.3, 0.5, 2])).tolist() == [0, 0.4, 0.4, 0.7, 1.0]


def test_every_measure_can_be_resampled_at_a_threshold() -> None:
    for name in ("precision", "f1", "mcc", "kappa", "lr_plus"):
        found = intervals.bootstrap(FAWCETT, name, threshold=0.4, n=199, method="percentile")
        low, high = measures.get(name).range
        assert low <= found.low <= found.value <= found.high <= high or found.why


@pytest.mark.parametrize("times", [2, 3, 10])
def test_copies_of_a_case_within_its_cluster_tell_nothing(times: int) -> None:
    rng = np.random.default_rng(8)
    clusters = np.arange(60) // 2
    y = clusters % 3 == 0
    s = np.repeat(rng.standard_normal(30), 2) + 0.3 * rng.standard_normal(60) + 3.5 * y  # alike within a cluster
    once = intervals.auc_clustered(y, s, clusters)
    often = intervals.auc_clustered(np.repeat(y, times), np.repeat(s, times), np.repeat(clusters, times))
    # n/(n - 1) of DeLong's variance differs a little for more rows; never more certainty
    assert (often.value, often.low, often.high) == pytest.approx((once.value, once.low, once.high), abs=0.007)
    assert often.low <= once.low


# ---- long tables ----


def long_table(size: int = 40_000, *, tied: bool = False, low: bool = False) -> ScoreTable:
    draw = np.random.default_rng(5)
    y = draw.random(size) < 0.25
    score = 1 / (1 + np.exp(1 - draw.normal(size=size) - y))
    return table(y, score.round(3) if tied else score, higher_is_positive=not low)


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("stratified", [False, True])
def test_average_precision_sees_negatives_by_the_positive_that_follows(tied: bool, stratified: bool) -> None:
    t = long_table(tied=tied)
    value = curves.average_precision(t)
    alone = replace(t, pos_squares=t.pos.astype(float), neg_squares=t.neg.astype(float))  # a weight of 1 for each case
    found, weighed = (
        linear_variance(each, influence.average_precision_slopes, value, stratified=stratified) for each in (t, alone)
    )
    assert found == pytest.approx(weighed, rel=1e-12)
    one, two = (influence.collected(each, influence.average_precision_slopes, value) for each in (t, alone))
    assert one.up[t.pos > 0] == pytest.approx(two.up[t.pos > 0], rel=1e-12, abs=1e-18)
    assert one.down == pytest.approx(two.down, rel=1e-12, abs=1e-18)
    for piece in influence.hit_pieces(t):
        assert piece.each is not None and piece.each.sum() == piece.rows.stop - piece.rows.start
        assert piece.neg.sum() == t.neg[piece.rows].sum() and piece.pos.sum() == t.pos[piece.rows].sum()


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("name", ["auc", "pr_area"])
def test_runs_of_one_class_give_what_single_scores_give(name: str, tied: bool) -> None:
    t = long_table(tied=tied)
    value, slopes = float(curves.get(name)(t)), {"auc": auc_slopes, "pr_area": influence.pr_area_slopes}[name]
    alone = replace(t, pos_squares=t.pos.astype(float), neg_squares=t.neg.astype(float))  # a weight of 1 for each case
    for stratified in (False, True):
        found, weighed = (linear_variance(each, slopes, value, stratified=stratified) for each in (t, alone))
        assert found == pytest.approx(weighed, rel=1e-11)
    one, two = (influence.collected(each, slopes, value) for each in (t, alone))
    assert one.up[t.pos > 0] == pytest.approx(two.up[t.pos > 0], rel=1e-11, abs=1e-17)
    assert one.down[t.neg > 0] == pytest.approx(two.down[t.neg > 0], rel=1e-11, abs=1e-17)
    assert value == pytest.approx(float(curves.get(name)(replace(t, pos=t.pos.astype(float)))), rel=1e-13)


def test_runs_of_one_class_are_all_scores_in_order() -> None:
    draw = np.random.default_rng(2)
    for _ in range(200):
        size = int(draw.integers(2, 40))
        pos, neg = draw.integers(0, 3, (2, size))  # some scores have no weight
        t = ScoreTable(np.arange(float(size))[::-1], pos, neg)
        (runs,) = class_runs(t)
        assert runs.each is not None and runs.each.sum() == len(t)
        assert runs.pos.sum() == pos.sum() and runs.neg.sum() == neg.sum()
        ends = np.cumsum(runs.each)
        for begin, end, both in zip(ends - runs.each, ends, np.isin(np.arange(len(ends)), runs.both), strict=True):
            inside = slice(int(begin), int(end))
            if both:
                assert end - begin == 1 and pos[begin] and neg[begin]
                continue
            assert not (pos[inside] * neg[inside]).any()
            first = np.flatnonzero(pos[inside])[:1].sum() if pos[inside].any() else end - begin
            assert not neg[inside][first:].any()  # negatives come first


@pytest.mark.parametrize("name", ["brier", "log_loss"])
def test_the_spread_of_a_mean_loss_is_that_of_its_slopes(name: str) -> None:
    t = long_table(tied=True)
    value = float(curves.get(name)(t))
    slopes = curves.get(name).influence
    assert slopes is not None
    found = intervals.of(t, name).se
    assert found == pytest.approx(math.sqrt(linear_variance(t, slopes, value, stratified=False)), rel=1e-12)


@pytest.mark.parametrize("criterion", ["youden", "closest", "cost", "f1", "mcc", "fnr"])
@pytest.mark.parametrize("low", [False, True])
def test_optimism_of_a_long_table_looks_at_every_threshold(
    criterion: str, low: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    t, costs = long_table(30_000, low=low), Costs(fp=1, fn=4) if criterion == "cost" else None
    found = intervals.optimism(t, criterion, costs=costs)
    module = import_module("rocscope.decisions.search")
    monkeypatch.setattr(module, "candidates", lambda *_: None)  # then all rows are
    assert intervals.optimism(t, criterion, costs=costs) == found


@pytest.mark.parametrize("criterion", ["youden", "closest", "f1", "mcc", "fnr"])
@pytest.mark.parametrize("decimals", [0, 1, 6])
def test_folds_decided_at_once_are_those_decided_one_by_one(
    criterion: str, decimals: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = np.random.default_rng(decimals)
    y = generator.permutation(np.arange(400) % 3 == 0)
    t = ScoreTable.from_scores(y, np.round(generator.normal(size=400) + y, decimals))
    module = import_module("rocscope.intervals.thresholds")
    together = intervals.optimism(t, criterion, seed=3)
    monkeypatch.setattr(module, "SHORT", 0)
    assert intervals.optimism(t, criterion, seed=3) == together


def test_optimism_is_refused_for_more_cases_than_can_be_dealt_out() -> None:
    t = ScoreTable(np.array([2.0, 1.0]), np.array([2**40, 1]), np.array([1, 2**40]))
    with pytest.raises(RocscopeError, match="too many to assign"):
        intervals.optimism(t)


def test_pairs_of_many_models_share_placements_and_classes() -> None:
    draw = np.random.default_rng(11)
    y = draw.integers(0, 2, 50)
    rows = PairedCases.of(y, {name: draw.random(50) for name in "abc"})
    known = rows.knowing([rows.table(model) for model in range(3)])
    for first, second in (("a", "b"), ("b", "c"), ("c", "a")):
        pair = known.only([first, second])
        assert pair.placed(0)[1] is known.only([first]).placed(0)[1] and pair.positives is known.positives
