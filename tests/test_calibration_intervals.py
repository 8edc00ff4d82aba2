"""Calibration with intervals: against statsmodels, closed forms and brute force, and how often they cover."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocscope as rs
from rocscope import ScoreTable, curves, intervals
from rocscope.curves.smoothed_calibration import smoothed
from rocscope.estimate import proportion
from rocscope.intervals import PairedCases

Y = np.array([1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0])
S = np.array([0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.52, 0.51, 0.505, 0.4, 0.39, 0.38, 0.37, 0.36, 0.35, 0.34, 0.33])
S = np.append(S, [0.30, 0.1])
WEIGHTS = np.array([1, 2, 3, 1, 4, 1, 2, 5, 1, 1, 3, 2, 1, 1, 2, 4, 1, 2, 1, 3.0])
PAIRS = np.arange(20) // 2
Z = 1.959963984540054
NAMES = ("calibration_in_the_large", "calibration_slope", "calibration_intercept", "ici", "e50", "e90", "ece_10")
# statsmodels 0.15.0: lowess(Y, S, frac=2/3, it=0, delta=0.01 * (0.9 - 0.1)), scores rising
LOWESS = [
    0.08320041623516294, 0.5300464346120041, 0.48147690865170295, 0.463775565392575, 0.4478721496691484,
    0.4341077649910616, 0.4238066238772629, 0.4202166569564146, 0.4293461267915327, 0.45741124838310465,
    0.5160350108921993, 0.5266620527988698, 0.5515779540136745, 0.5690164486036666, 0.6028758412691602,
    0.6039535684433639, 0.5111642486802118, 0.6822898098181538, 0.8033955128948984, 0.9275128098562986,
]  # fmt: skip


def table(y: Any = Y, s: Any = S, **options: Any) -> ScoreTable:
    return ScoreTable.from_scores(y, s, positive=1, **options)


def test_the_smoothed_curve_is_that_of_statsmodels() -> None:
    assert curves.smooth_calibration(table()).observed.tolist() == pytest.approx(LOWESS, abs=1e-12)
    gaps = np.abs(np.array(LOWESS) - np.sort(S))
    assert curves.ici(table()) == pytest.approx(0.06187171016817046, abs=1e-12)
    assert curves.e50(table()) == pytest.approx(float(np.median(gaps)), abs=1e-12)
    assert curves.e90(table()) == pytest.approx(np.sort(gaps)[17:19].mean(), abs=1e-12)


def lowess_by_definition(y: Any, s: Any, where: Any = None) -> np.ndarray[Any, Any]:
    """Cleveland's definition at every case, or elsewhere: the nearest two thirds, tricube weights, a straight line."""
    nearest, fitted = max(2, math.floor(len(s) * 2 / 3 + 1e-7)), []
    for at in s if where is None else where:
        width = np.sort(np.abs(s - at))[nearest - 1]
        distance = np.abs(s - at)
        weight = np.where(distance <= 0.999 * width, (1 - (distance / (width or 1)) ** 3) ** 3, 0.0)
        weight[distance <= 0.001 * width] = 1.0
        mean = weight @ s / weight.sum()
        spread = weight @ (s - mean) ** 2 / weight.sum()
        straight = np.ptp(s) > 0 and spread**0.5 > 0.001 * np.ptp(s)  # equal scores differ from their mean by rounding
        slope = weight @ ((s - mean) * y) / weight.sum() / spread if straight else 0.0
        fitted.append(weight @ y / weight.sum() + slope * (at - mean))
    return np.array(fitted)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(1, 19)), min_size=4, max_size=40))
@settings(max_examples=60)
def test_the_smoothed_curve_by_definition_with_ties(rows: list[tuple[int, int]]) -> None:
    y, s = np.array([row[0] for row in rows]), np.array([row[1] / 20 for row in rows])
    if len(set(y)) < 2:
        return
    found = curves.smooth_calibration(table(y, s))
    assert np.interp(s, found.score, found.observed) == pytest.approx(lowess_by_definition(y, s).clip(0, 1), abs=1e-9)


def lowess_steps(scores: list[float]) -> list[float]:
    """As in R's lowess: the next fit is at the last score within a hundredth of the range, or else at the next one."""
    steps = [scores[0]]
    while steps[-1] < scores[-1]:
        later = [score for score in scores if score > steps[-1]]
        within = [score for score in later if score <= steps[-1] + 0.01 * (scores[-1] - scores[0])]
        steps.append(within[-1] if within else later[0])
    return steps


def test_the_smoothed_curve_has_as_many_parameters_as_its_cases_decide_of_themselves() -> None:
    """The trace of the smoother: how far the curve at each case moves with its own outcome."""
    rng = np.random.default_rng(2)
    s = np.unique(np.round(rng.beta(2, 40, 70), 5))
    steps = lowess_steps(s.tolist())
    own = [np.interp(s[at], steps, lowess_by_definition(unit, s, steps)) for at, unit in enumerate(np.eye(len(s)))]
    found = smoothed(table((rng.random(len(s)) < 0.5).astype(int), s))
    assert len(steps) < len(s) - 5 and found.parameters == pytest.approx(sum(own))


def test_the_smoothed_curve_is_fitted_in_steps_and_straight_between_them() -> None:
    rng = np.random.default_rng(12)
    s = np.sort(np.round(np.append(rng.random(300), rng.beta(1, 9, 100)), 4))
    y = (rng.random(400) < s**2).astype(int)
    scores = sorted(set(s.tolist()))
    steps = lowess_steps(scores)
    found = curves.smooth_calibration(table(y, s))
    wanted = np.interp(found.score, steps, lowess_by_definition(y, s, steps)).clip(0, 1)
    assert 60 < len(steps) < len(scores) / 2 and found.observed == pytest.approx(wanted, abs=1e-9)


def test_slope_and_intercept_are_those_of_statsmodels() -> None:
    """GLM(Y, logit S, Binomial).fit().conf_int() of statsmodels 0.15.0; clusters: cov_type="cluster", G/(G - 1)."""
    found = intervals.calibration(table())
    assert (found["calibration_intercept"].low, found["calibration_intercept"].high) == pytest.approx(
        (-0.8411921081207054, 1.0647708956895052), abs=1e-7
    )
    assert (found["calibration_slope"].low, found["calibration_slope"].high) == pytest.approx(
        (-0.3973647964549233, 2.2799578224995996), abs=1e-7
    )
    rows = PairedCases.of(Y, [S], positive=1)
    clustered = intervals.calibration(rows.table(0), clusters=(rows, PAIRS, 10))
    assert clustered["calibration_slope"].se == pytest.approx(0.43637698593864005 * math.sqrt(10 / 9), abs=1e-7)
    assert clustered["calibration_intercept"].se == pytest.approx(0.42506869195663577 * math.sqrt(10 / 9), abs=1e-7)
    weighted = intervals.calibration(table(weights=WEIGHTS))  # the sandwich of the weighted equations, times n/(n - 1)
    assert float(weighted["calibration_slope"]) == pytest.approx(0.9692192077776249, abs=1e-7)
    assert weighted["calibration_slope"].se == pytest.approx(0.5969858520835766 * math.sqrt(20 / 19), abs=1e-7)


@given(st.integers(1, 29), st.floats(0.05, 0.95))
@settings(max_examples=40)
def test_in_the_large_is_wilson_where_all_probabilities_are_equal(positives: int, share: float) -> None:
    t = table([1] * positives + [0] * (30 - positives), [share] * 30)
    found, wilson = intervals.calibration(t)["calibration_in_the_large"], proportion(positives, 30)
    shift = math.log(share / (1 - share))
    limits = [1 / (1 + math.exp(-shift - one)) for one in (found.low, found.high)]
    # the residuals seen have n/(n - 1) times the variance expected: limits are at most that much wider
    wider = proportion(positives * 29 / 30, 29)
    assert limits == pytest.approx([wider.low, wider.high], abs=1e-8)
    assert wider.low <= wilson.low and wider.high >= wilson.high


def test_in_the_large_by_brute_force() -> None:
    found = intervals.calibration(table())["calibration_in_the_large"]
    logits, shifts = np.log(S / (1 - S)), np.linspace(-3, 3, 60_001)
    chance = 1 / (1 + np.exp(-shifts[:, None] - logits))
    own = 1 / (1 + np.exp(-float(found) - logits))
    effect = max(1.0, ((Y - own) ** 2).sum() * 20 / 19 / (own * (1 - own)).sum())
    inside = (chance.sum(1) - Y.sum()) ** 2 <= Z**2 * effect * (chance * (1 - chance)).sum(1)
    assert (found.low, found.high) == pytest.approx((shifts[inside].min(), shifts[inside].max()), abs=2e-4)
    assert float(found) == pytest.approx(0.12048893157283658, abs=1e-7), "statsmodels GLM with an offset"


def test_in_the_large_exists_under_separation() -> None:
    t = table([1, 1, 0, 0], [0.9, 0.8, 0.3, 0.1])
    fit, found = curves.calibration_fit(t), intervals.calibration(t)
    assert math.isnan(fit.slope) and "separate" in fit.why
    assert fit.in_the_large == curves.calibration_in_the_large(t) and not math.isnan(fit.p_in_the_large)
    shares = 1 / (1 + np.exp(-fit.in_the_large - np.log(np.array([9, 4, 3 / 7, 1 / 9]))))
    assert shares.sum() == pytest.approx(2)
    assert found["calibration_in_the_large"].low < fit.in_the_large < found["calibration_in_the_large"].high
    assert math.isnan(found["calibration_slope"].low) and "separate" in found["calibration_slope"].why


def test_whole_weights_as_clusters_widen() -> None:
    """Every case three times, as clusters of three: the intervals of the single cases, not of three times as many."""
    rows = PairedCases.of(np.repeat(Y, 3), [np.repeat(S, 3)], positive=1)
    alone, tripled = intervals.calibration(table()), intervals.calibration(rows.table(0))
    clustered = intervals.calibration(rows.table(0), clusters=(rows, np.repeat(np.arange(20), 3), 20))
    for name in NAMES:
        assert float(clustered[name]) == pytest.approx(float(alone[name]), abs=0.02), name
        width, small = (one[name].high - one[name].low for one in (clustered, tripled))
        assert width > 1.2 * small, name
        assert width == pytest.approx(alone[name].high - alone[name].low, rel=0.35), name


@pytest.mark.parametrize(("slope", "shift"), [(1.0, 0.0), (0.5, 0.4)])
def test_intervals_cover(slope: float, shift: float) -> None:
    """200 samples of 400 cases: three standard errors below 0.95 are allowed, 0.90."""
    rng = np.random.default_rng(11)
    logits = rng.normal(-1, 1.3, 200_000)
    stated, chance = (1 / (1 + np.exp(-one)) for one in (logits, shift + slope * logits))
    gaps, bins = np.abs(stated - chance), np.minimum((stated * 10).astype(int), 9)
    truth = {
        "calibration_slope": slope, "calibration_intercept": shift, "ici": gaps.mean(), "e50": np.median(gaps),
        "e90": np.quantile(gaps, 0.9), "ece_10": np.abs(np.bincount(bins, stated - chance)).sum() / len(gaps),
    }  # fmt: skip
    covered = dict.fromkeys(truth, 0)
    for _ in range(200):
        drawn = rng.integers(0, len(logits), 400)
        y = (rng.random(400) < chance[drawn]).astype(int)
        found = intervals.calibration(table(y, stated[drawn]))
        for name, true in truth.items():
            covered[name] += found[name].low - 1e-12 <= true <= found[name].high + 1e-12
    assert {name: count for name, count in covered.items() if count < 180} == {}


@given(
    st.lists(st.tuples(st.integers(0, 1), st.sampled_from([0, 0.01, 0.2, 0.5, 0.5, 0.9, 1])), min_size=2, max_size=30)
)
@settings(max_examples=200)
def test_limits_are_in_range_around_the_value_and_never_of_zero_width(rows: list[tuple[int, float]]) -> None:
    y, s = (np.array(column) for column in zip(*rows, strict=True))
    if len(set(y.tolist())) < 2:
        return
    t = table(y, s)
    for name, one in intervals.calibration(t).items():
        if math.isnan(one.value):
            assert one.why, name
            continue
        assert one.low <= one.value <= one.high and one.low < one.high, (name, one)
        if name in ("ici", "e50", "e90", "ece_10"):
            assert one.low >= 0 and one.high <= 1, (name, one)
        assert intervals.of(t, name) == one


def test_evaluation_document_page_and_python_agree() -> None:
    ev = rs.evaluate(Y, S)
    document = ev.to_dict(drawing=True)
    assert ev.calibration is not None
    held, drawn = document["calibration"]["estimates"], document["drawing"]["models"][0]["calibration"]
    assert [row["name"] for row in held] == list(NAMES) == list(ev.calibration)
    for row in held:
        one = ev.calibration[row["name"]]
        assert (row["value"], row["low"], row["high"]) == (one.value, one.low, one.high)
    parts = {"slope": 1, "intercept": 2, "in_the_large": 0}
    assert all(drawn[part]["low"] == held[place]["low"] for part, place in parts.items())
    text = str(ev.to_dict()["verdict"]) + str(rs.report.text(document, full=True) if hasattr(rs, "report") else "")
    assert "Without intervals" not in text
    clustered = rs.evaluate(Y, S, clusters=PAIRS)
    assert clustered.calibration is not None
    assert clustered.calibration["calibration_slope"].method == "Wald, sandwich"
    assert rs.evaluate(Y, 10 * S).calibration is None


def test_clusters_of_one_weighted_case_each_change_nothing() -> None:
    t, rows = table(weights=WEIGHTS), PairedCases.of(Y, [S], weights=WEIGHTS)
    plain, single = intervals.calibration(t), intervals.calibration(t, clusters=(rows, np.arange(20), 20))
    for name in ("calibration_slope", "calibration_intercept", "calibration_in_the_large"):
        one, other = plain[name], single[name]
        assert (one.value, one.low, one.high, one.se) == pytest.approx((other.value, other.low, other.high, other.se))


@pytest.mark.parametrize("cases", [100, 400])
def test_the_lower_limit_of_the_binned_error_leaves_out_what_chance_adds(cases: int) -> None:
    """Two bins of as many cases, half of them positive: chance adds to the gap of 0, and nothing to that of 0.45."""
    table = ScoreTable.from_scores([0, 1] * cases, [0.5] * cases + [0.95] * cases)
    ece = intervals.calibration(table)["ece_10"]
    normal = NormalDist()
    assert ece.se is not None
    added = ece.value - normal.inv_cdf(0.975) * ece.se - ece.low
    assert added == pytest.approx(2 * normal.pdf(0) * math.sqrt(0.25 / cases) / 2, rel=1e-6)


def test_right_probabilities_of_many_classes_with_few_cases_are_seldom_called_wrong() -> None:
    """Over many bins with few cases, what chance adds was estimated too low: 0 was left out of 13 in 100 intervals."""
    rng, left_out = np.random.default_rng(11), 0
    for _ in range(300):
        raw = 0.96 * rng.standard_normal((204, 8))
        shares = np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True)
        y = (rng.random(204)[:, None] > shares.cumsum(axis=1)).sum(axis=1).clip(max=7)
        made = rs.multiclass.ClassScores.of(y, shares, labels=list(range(8)))
        left_out += intervals.classwise_ece(made).low > 0
    assert left_out <= 30  # coverage of 0.90; 15 expected at 95 %


def test_the_upper_limit_of_the_error_by_class_allows_for_what_chance_adds() -> None:
    """Probabilities that are too bold: the limits contain the error of very many cases, but not in every sample."""
    rng, covered, above = np.random.default_rng(11), 0, 0

    def drawn(n: int) -> tuple[Any, Any]:
        raw = 1.5 * rng.standard_normal((n, 5))
        stated, true = (np.exp(each) / np.exp(each).sum(axis=1, keepdims=True) for each in (raw, 0.6 * raw))
        return stated, true

    stated, true = drawn(200_000)
    bins = np.minimum((stated * 10).astype(int), 9)
    gaps = [np.bincount(bins[:, at], stated[:, at] - true[:, at], 10) for at in range(5)]
    truth = float(np.mean([np.abs(gap).sum() for gap in gaps]) / len(stated))
    for _ in range(200):
        stated, true = drawn(400)
        y = (rng.random(400)[:, None] > true.cumsum(axis=1)).sum(axis=1).clip(max=4)
        made = rs.multiclass.ClassScores.of(y.tolist(), stated, labels=list(range(5)))
        limits = intervals.classwise_ece(made)
        covered += limits.low <= truth <= limits.high
        above += truth > limits.high
    assert 184 <= covered < 200  # 190 expected at 95 %, two standard errors are 6
    assert above  # with a limit that kept what chance adds, no sample of these missed
