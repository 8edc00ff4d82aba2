"""Areas, ranking and probability statistics: every published figure, brute-force definitions, laws for all of them."""

from __future__ import annotations

import math
import subprocess
import sys
from fractions import Fraction
from itertools import pairwise, permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rocscope import RocscopeError, ScoreTable, curves

STATISTICS = [reading for reading in curves.catalog() if reading.kind == "statistic"]
FAWCETT_Y = [1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0]
FAWCETT_S = [0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.52, 0.51, 0.505]
FAWCETT_S += [0.4, 0.39, 0.38, 0.37, 0.36, 0.35, 0.34, 0.33, 0.30, 0.1]
FAWCETT = ScoreTable.from_scores(FAWCETT_Y, FAWCETT_S)
FIVE = ScoreTable.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1])
TOY = ScoreTable.from_scores([1, 1, 0, 1, 0, 0, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1])
ONE_ON_TOP = ScoreTable.from_scores([1, 1, 1, 0, 0, 0, 0, 0, 0, 0], [5, 0, 0, 0, 0, 0, 0, 0, 0, 0])


def table(labels: list[int], scores: list[float], **options: Any) -> ScoreTable:
    return ScoreTable.from_scores(np.array(labels), np.array(scores, dtype=float), **options)


def near(value: float, digits: int = 6) -> Any:
    return pytest.approx(value, abs=0.5000001 * 10**-digits)


# ---- strategies: few distinct values make ties; signed zeros, neighbours, extremes ----

PROBABILITIES = st.sampled_from([k / 8 for k in range(9)] + [0.3, 0.30000000000000004, 1e-9])
ANY_SCORES = st.sampled_from([-1e300, -2.0, -0.0, 0.0, 5e-324, 0.1, 1.0, np.nextafter(1.0, 2), 3.0, 1e300])


Rows = list[tuple[int, float]]


def cases(scores: st.SearchStrategy[float], least: int = 1, most: int = 14) -> st.SearchStrategy[Rows]:
    return st.lists(st.tuples(st.integers(0, 1), scores), min_size=least, max_size=most)


def of(rows: Rows, **options: Any) -> ScoreTable:
    labels, scores = zip(*rows, strict=True)
    return table(list(labels), list(scores), **options)


def both(rows: Rows) -> bool:
    return len({label for label, _ in rows}) == 2


def same(a: float, b: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b))


# ---- the founding documents' figures ----


def test_mission_54_five_points() -> None:
    assert curves.exact("auc", FIVE) == Fraction(5, 6)
    assert curves.auc(FIVE) == 5 / 6


def test_mission_62_area_of_a_drawn_polyline() -> None:
    assert curves.polyline_area([(0, 0.6), (0.4, 0.6), (0.4, 0.8), (0.6, 0.8), (0.6, 1), (1, 1)]) == 0.8


def seven_thresholds() -> ScoreTable:
    tp = [0, 7, 18, 26, 29, 29, 29]
    fp = [0, 0, 1, 5, 14, 25, 25]
    rows = [
        {"threshold": 7 - i, "tp": a, "fn": 29 - a, "fp": b, "tn": 25 - b}
        for i, (a, b) in enumerate(zip(tp, fp, strict=True))
    ]
    return ScoreTable.from_points(rows)


def test_mission_63_seven_thresholds() -> None:
    t = seven_thresholds()
    assert curves.exact("auc", t) == Fraction(23, 25)
    assert curves.auc(t) == 0.92
    assert curves.exact("hull_area", t) == Fraction(23, 25), "the curve is its own hull"
    assert curves.hull_gap(t) == 0


BMI = [(18, 100, 200), (20, 100, 198), (22, 99, 177), (24, 95, 117), (26, 85, 80), (28, 66, 53)]
BMI += [(30, 47, 27), (32, 34, 17), (34, 21, 14), (36, 17, 6), (38, 7, 4), (40, 1, 1)]


def test_mission_124_body_mass() -> None:
    rows = [{"threshold": cut, "tp": tp, "fp": fp} for cut, tp, fp in BMI]
    t = ScoreTable.from_points(rows, positives=100, negatives=200)
    assert curves.exact("auc", t) == Fraction(15623, 20000)
    assert curves.auc(t) == 0.78115
    assert curves.hull_area(t) == near(0.784175)


ARM = [(8.3, 13, 867), (8.4, 24, 844), (8.5, 73, 826), (8.6, 90, 800), (8.7, 113, 783), (8.8, 119, 735)]
ARM += [(8.9, 121, 626), (9.0, 125, 505), (9.1, 127, 435), (9.2, 130, 0)]


@pytest.mark.parametrize(("negatives", "area"), [(867, 0.9173), (870, 0.9143)])
def test_mission_133_low_is_positive(negatives: int, area: float) -> None:
    rows = [{"threshold": cut, "tp": tp, "tn": tn} for cut, tp, tn in ARM]
    t = ScoreTable.from_points(rows, positives=130, negatives=negatives, higher_is_positive=False)
    assert curves.auc(t) == near(area, 4)


def test_mission_155_fawcett() -> None:
    assert curves.exact("auc", FAWCETT) == Fraction(68, 100)
    assert curves.auc(FAWCETT) == 0.68
    assert curves.hull_area(FAWCETT) == 0.755
    assert curves.average_precision(FAWCETT) == near(0.7357, 4)
    assert curves.pr_area(FAWCETT) == near(0.720045)
    assert curves.pr_trapezoid(FAWCETT) == near(0.7191, 4)
    assert curves.gini(FAWCETT) == 0.36
    assert curves.auc_odds(FAWCETT) == 68 / 32


def test_mission_172_six_cases() -> None:
    t = table([1, 1, 0, 1, 0, 0], [0.94, 0.92, 0.70, 0.65, 0.30, 0.20])
    assert curves.exact("auc", t) == Fraction(8, 9)
    assert curves.exact("average_precision", t) == Fraction(11, 12)
    assert curves.pr_area(t) == near(0.9041, 4)


def test_mission_174_guessing_is_one_half() -> None:
    assert curves.auc(table([1, 0, 1, 0, 0], [1, 1, 1, 1, 1])) == 0.5


def test_mission_176_inverted_scores() -> None:
    turned = table(FAWCETT_Y, [1 - s for s in FAWCETT_S])
    assert curves.exact("auc", turned) == 1 - curves.exact("auc", FAWCETT)


def test_mission_178_order_is_all_that_auc_sees() -> None:
    y = [1, 1, 0, 1, 1]
    one = table(y, [0.95, 0.92, 0.80, 0.76, 0.71])
    two = table(y, [0.20, 0.10, 0.08, 0.06, 0.02])
    assert curves.auc(one) == curves.auc(two) == 0.5
    assert curves.log_loss(one) == near(0.4722, 4) and curves.log_loss(two) == near(2.1442, 4)
    assert curves.brier(one) == near(0.1581, 4) and curves.brier(two) == near(0.6601, 4)
    assert one.at(0.5).accuracy == 0.8 and two.at(0.5).accuracy == 0.2


# ---- the check figures of the methods ----


def test_exact_pr_area_figures() -> None:
    assert curves.pr_area(ONE_ON_TOP) == near(0.614141)
    assert curves.average_precision(ONE_ON_TOP) == near(0.533333)
    assert curves.pr_trapezoid(ONE_ON_TOP) == near(0.766667)


@settings(max_examples=40)
@given(st.integers(1, 40), st.integers(0, 40))
def test_constant_score_has_the_prevalence_as_pr_area(positives: int, negatives: int) -> None:
    t = table([1] * positives + [0] * negatives, [0.5] * (positives + negatives))
    assert curves.pr_area(t) == pytest.approx(positives / (positives + negatives), rel=1e-15)
    assert curves.average_precision(t) == pytest.approx(positives / (positives + negatives), rel=1e-15)


def cells_of_fawcett() -> ScoreTable:
    """Fawcett's cases in three cells: above 0.525, above 0.375, the rest."""
    cell = [0 if s > 0.525 else 1 if s > 0.375 else 2 for s in FAWCETT_S]
    pos, neg = np.zeros(3, dtype=np.int64), np.zeros(3, dtype=np.int64)
    for y, c in zip(FAWCETT_Y, cell, strict=True):
        (pos if y else neg)[c] += 1
    return ScoreTable(np.array([0.525, 0.375, 0.0]), pos, neg, rows=(10, 10), mixed=np.array([True] * 3))


def test_bounds_of_cells() -> None:
    t = cells_of_fawcett()
    assert curves.auc(t) == pytest.approx(0.695) and t.bound == pytest.approx(0.145)
    assert curves.bounds("auc", t) == pytest.approx((0.55, 0.84))
    assert curves.bounds("average_precision", t) == (near(0.553214), near(0.873333))
    assert curves.bounds("pr_area", t) == (near(0.512905), near(0.857115))
    for name in ("auc", "average_precision", "pr_area"):
        low, high = curves.bounds(name, t)
        assert low <= curves.get(name)(FAWCETT) <= high


@pytest.mark.parametrize("name", ["auc", "average_precision", "pr_area"])
def test_bounds_of_an_exact_table_are_the_value(name: str) -> None:
    value = curves.get(name)(FAWCETT)
    assert curves.bounds(name, FAWCETT) == pytest.approx((value, value))
    assert all(math.isnan(end) for end in curves.bounds(name, table([0, 0], [1, 2])))


@pytest.mark.parametrize("name", ["auc", "average_precision", "pr_area"])
@settings(max_examples=30)
@given(rows=cases(st.floats(0, 1, width=16), 2, 30), bits=st.integers(0, 4))
def test_bounds_of_cells_hold(name: str, rows: Rows, bits: int) -> None:
    assume(both(rows))
    exact, coarse = of(rows), of(rows).coarse(bits)
    low, high = curves.bounds(name, coarse)
    assert low - 1e-12 <= curves.get(name)(exact) <= high + 1e-12


def test_bounds_refuse_what_has_none() -> None:
    with pytest.raises(RocscopeError, match="no bounds"):
        curves.bounds("brier", FAWCETT)


def test_partial_auc_figures() -> None:
    assert curves.partial_auc(FAWCETT, fpr=(0, 0.2)) == near(0.07)
    assert curves.partial_auc(FAWCETT, fpr=(0, 0.2), corrected=True) == near(0.638889)
    assert curves.partial_auc(FAWCETT, fpr=(0.1, 0.5)) == near(0.23)
    assert curves.partial_auc(FAWCETT, fpr=(0.1, 0.5), corrected=True) == near(0.696429)
    assert curves.partial_auc(FAWCETT, tpr=(0.8, 1)) == near(0.03)
    assert curves.partial_auc(FAWCETT, tpr=(0.8, 1), corrected=True) == near(0.527778)


def test_partial_auc_below_the_diagonal_has_no_correction() -> None:
    t = table([0, 0, 1, 1], [4, 3, 2, 1])
    assert curves.partial_auc(t, fpr=(0, 0.5)) == 0
    assert math.isnan(curves.partial_auc(t, fpr=(0, 0.5), corrected=True))
    assert "below the diagonal" in curves.why("partial_auc", t, fpr=(0, 0.5), corrected=True)
    assert curves.partial_auc(table([1, 0], [1, 1]), fpr=(0, 0.3), corrected=True) == 0.5


@settings(max_examples=40)
@given(cases(ANY_SCORES, 2, 12), st.lists(st.floats(0, 1), min_size=1, max_size=3))
def test_partial_areas_add_up_to_the_auc(rows: Rows, cuts: list[float]) -> None:
    assume(both(rows))
    ends = sorted({0.0, 1.0, *cuts})
    assume(min(b - a for a, b in pairwise(ends)) > 1e-9)
    for side in ("fpr", "tpr"):
        parts = [curves.partial_auc(of(rows), **{side: (a, b)}) for a, b in pairwise(ends)]
        assert sum(parts) == pytest.approx(curves.auc(of(rows)), abs=1e-12)


def test_two_way_partial_auc_figures() -> None:
    assert curves.two_way_partial_auc(FAWCETT, fpr=0.5, tpr=0.5) == near(0.03)
    assert curves.two_way_partial_auc(FAWCETT, fpr=0.5, tpr=0.5, normalised=True) == near(0.12)
    assert curves.two_way_chance(0.5, 0.5) == 0 and curves.two_way_chance(0.5, 0.3) == pytest.approx(0.02)
    guess = table([1, 0], [1, 1])
    assert curves.two_way_partial_auc(guess, fpr=0.5, tpr=0.3) == pytest.approx(0.02)


@settings(max_examples=40)
@given(cases(ANY_SCORES, 2, 12), st.floats(0.01, 1), st.floats(0, 0.99))
def test_two_way_partial_auc_by_fine_steps(rows: Rows, fpr: float, tpr: float) -> None:
    assume(both(rows))
    r = curves.roc(of(rows))
    x = np.linspace(0, fpr, 4001)
    middle = (x[1:] + x[:-1]) / 2
    steps = np.maximum(np.interp(middle, r.fpr, r.tpr) - tpr, 0).sum() * (x[1] - x[0])
    assert curves.two_way_partial_auc(of(rows), fpr=fpr, tpr=tpr) == pytest.approx(steps, abs=2e-3)
    assert curves.two_way_partial_auc(of(rows), fpr=1, tpr=0) == pytest.approx(curves.auc(of(rows)), abs=1e-12)


def test_precision_recall_gain_figures() -> None:
    assert curves.pr_gain_area(FAWCETT) == near(0.312967)
    assert curves.pr_gain_area(table([1, 0, 0], [1, 1, 1])) == pytest.approx(0, abs=1e-15)
    assert curves.pr_gain_area(table([1, 0], [2, 1])) == 1
    assert "no negatives" in curves.why("pr_gain_area", table([1, 1], [1, 2]))


@pytest.mark.parametrize(
    ("data", "convention", "value"),
    [
        (FAWCETT, "2014", 0.248528), (FAWCETT, "2009", 0.255302), (FAWCETT, "package", 0.255302),
        (TOY, "2014", 0.443594), (TOY, "2009", 0.452409), (TOY, "package", 0.443133),
    ],
)  # fmt: skip
def test_h_measure_figures(data: ScoreTable, convention: str, value: float) -> None:
    assert curves.h_measure(data, convention=convention) == near(value)
    assert convention in curves.CONVENTIONS


@settings(max_examples=25)
@given(cases(PROBABILITIES, 2, 12), st.sampled_from(["2014", "2009", "package"]))
def test_h_measure_by_fine_steps(rows: Rows, convention: str) -> None:
    from scipy.stats import beta

    assume(both(rows))
    t = of(rows)
    r, share = curves.roc(t), t.positives / (t.positives + t.negatives)
    a, b = {"2014": (1 + share, 2 - share), "2009": (2, 2), "package": (2, 1 + (1 - share) / share)}[convention]
    c = (np.arange(4000) + 0.5) / 4000
    weight = beta.pdf(c, a, b)
    lines = c[:, None] * (1 - share) * r.fpr + (1 - c[:, None]) * share * (1 - r.tpr)
    guess = np.minimum(c * (1 - share), (1 - c) * share)
    expected = 1 - (lines.min(axis=1) * weight).sum() / (guess * weight).sum()
    assert curves.h_measure(t, convention=convention) == pytest.approx(expected, abs=1e-4)


def test_h_measure_refuses_an_unknown_convention() -> None:
    with pytest.raises(RocscopeError, match="no H-measure"):
        curves.h_measure(FAWCETT, convention="2010")


def test_brier_figures() -> None:
    parts = curves.decompose(FAWCETT)
    assert curves.brier(FAWCETT) == parts.score == near(0.224526)
    assert parts.miscalibration == near(0.034645) == curves.miscalibration(FAWCETT)
    assert parts.discrimination == near(0.060119) == curves.discrimination(FAWCETT)
    assert parts.uncertainty == 0.25 == curves.uncertainty(FAWCETT)
    assert curves.brier_skill(FAWCETT) == pytest.approx(1 - parts.score / 0.25)


def test_calibration_figures() -> None:
    assert curves.ece(FAWCETT, bins=10) == near(0.121750)
    assert curves.get("ece_10")(FAWCETT) == curves.ece(FAWCETT)
    assert curves.spiegelhalter_z(FAWCETT) == near(0.233090)
    assert curves.spiegelhalter_p(FAWCETT) == near(0.815691)
    assert curves.calibration_intercept(FAWCETT) == near(0.111789)
    assert curves.calibration_slope(FAWCETT) == near(0.941297)


def test_smooth_ece_figure() -> None:
    """The peer (relplot 1.0.3: 0.063564) stops its search for the width at steps of 1/1024; ours goes to the end."""
    assert curves.smooth_ece(FAWCETT) == pytest.approx(0.063564, abs=1 / 1024)


@given(st.lists(st.integers(0, 16), min_size=1, max_size=8), st.booleans())
def test_smoothing_residuals_of_one_sign_loses_nothing(sixteenths: list[int], high: bool) -> None:
    """Reflection keeps all mass inside, at both ends as well: what is left is the mean probability minus the share."""
    rows = [(0, part / 16) for part in sixteenths] if high else [(1, part / 16) for part in sixteenths]
    rows += [(1, 1.0), (0, 0.0)]  # without residuals
    t = of(rows)
    bias = sum(s - y for y, s in rows) / len(rows)
    assert curves.smooth_ece(t) == pytest.approx(abs(bias), abs=1e-9)


@settings(max_examples=25)
@given(cases(PROBABILITIES, 1, 10))
def test_smooth_ece_is_its_own_width(rows: Rows) -> None:
    """Brute force: the reflected kernel summed over images, the integral by fine steps, at the width found."""
    t = of(rows)
    sigma = curves.smooth_ece(t)
    assume(sigma > 0.004)
    place = (np.arange(4000) + 0.5) / 4000
    density = np.zeros(4000)
    for y, s in rows:
        images = [sign * s + 2 * k for sign in (1, -1) for k in range(-4, 5)]
        kernel = sum(np.exp(-((place - image) ** 2) / (2 * sigma**2)) for image in images)
        density += (y - s) * kernel / (math.sqrt(2 * math.pi) * sigma * len(rows))
    assert np.abs(density).mean() == pytest.approx(sigma, abs=2e-5)


def test_aurc_figure() -> None:
    assert curves.aurc(FAWCETT) == near(0.298829)
    assert curves.aurc(FAWCETT, threshold=0.5) == curves.aurc(FAWCETT)


@settings(max_examples=40)
@given(cases(PROBABILITIES, 1, 7))
def test_aurc_is_the_mean_over_all_orders_of_ties(rows: Rows) -> None:
    blocks: dict[float, list[int]] = {}
    for y, s in rows:
        blocks.setdefault(round(abs(s - 0.5), 15), []).append(int((s >= 0.5) != (y == 1)))
    orders = [[list(one) for one in permutations(blocks[sure])] for sure in sorted(blocks, reverse=True)]
    means = []
    for chosen in product(*orders):
        errors = [error for block in chosen for error in block]
        means.append(sum(sum(errors[:m]) / m for m in range(1, len(errors) + 1)) / len(errors))
    assert curves.aurc(of(rows)) == pytest.approx(sum(means) / len(means), abs=1e-12)


def test_net_benefit_figure() -> None:
    t = table([1] * 7 + [0] * 7 + [1] * 3 + [0] * 13, [0.5] * 14 + [0.1] * 16)
    assert curves.net_benefit_at(t, pt=0.2) == pytest.approx(0.175)


def test_binormal_figures() -> None:
    normal, ill = np.array([33, 6, 6, 11, 2]), np.array([3, 2, 2, 11, 33])
    t = ScoreTable(np.array([5, 4, 3, 2, 1]), ill[::-1].copy(), normal[::-1].copy(), rows=(51, 58))
    fit = curves.binormal(t)
    assert (fit.a, fit.b, fit.auc) == (near(1.656782), near(0.713002), near(0.911331))
    assert fit.hook == "" and fit.why == ""
    assert math.sqrt(fit.covariance[0][0]) == pytest.approx(0.31046, abs=5e-3)  # observed information, by differences
    assert math.sqrt(fit.covariance[1][1]) == pytest.approx(0.21588, abs=2e-3)
    assert curves.auc(t) == near(0.893171)
    assert curves.binormal_auc(t) == fit.auc
    drawn = curves.binormal_roc(t, points=2001)
    assert np.trapezoid(drawn.tpr, drawn.fpr) == pytest.approx(fit.auc, abs=1e-4)


def test_binormal_without_a_fit_says_why() -> None:
    perfect = curves.binormal(table([0, 0, 1, 1], [1, 2, 3, 4]))
    assert math.isnan(perfect.auc) and "separate" in perfect.why
    assert "no negatives" in curves.binormal(table([1, 1], [1, 2])).why
    runs_off = curves.binormal(table([0, 0, 0, 0, 1, 1, 1, 1], [1, 1, 2, 3, 2, 2, 3, 3]))
    assert math.isnan(runs_off.a) and "did not converge" in runs_off.why and runs_off.hook == ""
    assert "hook" in curves.Binormal(1.0, 0.3, 0.8).hook and "hook" in curves.Binormal(1.0, 2.5, 0.8).hook


def test_binormal_finds_the_curve_it_was_drawn_from() -> None:
    rng = np.random.default_rng(5)
    scores = np.concatenate((rng.normal(0, 1, 20000), rng.normal(1.2, 0.8, 20000)))
    fit = curves.binormal(table([0] * 20000 + [1] * 20000, scores.tolist()))
    assert fit.a == pytest.approx(1.2 / 0.8, abs=0.04) and fit.b == pytest.approx(1 / 0.8, abs=0.04)


# ---- brute-force definitions ----


@settings(max_examples=40)
@given(cases(ANY_SCORES, 2, 14))
def test_auc_by_pairs(rows: Rows) -> None:
    assume(both(rows))
    ups, downs = [s for y, s in rows if y], [s for y, s in rows if not y]
    wins = sum(Fraction(1) if u > d else Fraction(1, 2) if u == d else Fraction(0) for u in ups for d in downs)
    assert curves.exact("auc", of(rows)) == wins / (len(ups) * len(downs))
    assert curves.auc(of(rows)) == float(wins / (len(ups) * len(downs)))
    assert curves.exact("gini", of(rows)) == 2 * wins / (len(ups) * len(downs)) - 1
    assert curves.gini(of(rows)) == float(2 * wins / (len(ups) * len(downs)) - 1)


@settings(max_examples=40)
@given(cases(ANY_SCORES, 2, 14), st.lists(st.floats(0.1, 9), min_size=14, max_size=14))
def test_weighted_auc_by_pairs(rows: Rows, weights: list[float]) -> None:
    assume(both(rows))
    t = of(rows, weights=np.array(weights[: len(rows)]))
    pairs = [(u * v, s, r) for (y, s), u in zip(rows, weights, strict=False) if y
             for (z, r), v in zip(rows, weights, strict=False) if not z]  # fmt: skip
    won = sum(w * (1.0 if s > r else 0.5 if s == r else 0.0) for w, s, r in pairs)
    assert curves.auc(t) == pytest.approx(won / sum(w for w, _, _ in pairs), rel=1e-12)
    assert 0 <= curves.auc(t) <= 1


@settings(max_examples=40)
@given(cases(ANY_SCORES, 1, 14))
def test_average_precision_by_definition(rows: Rows) -> None:
    ups = [s for y, s in rows if y]
    assume(ups)
    total = Fraction(0)
    for s in ups:
        flagged = [y for y, r in rows if r >= s]
        total += Fraction(sum(flagged), len(flagged))
    assert curves.exact("average_precision", of(rows)) == total / len(ups)
    assert curves.average_precision(of(rows)) == pytest.approx(float(total / len(ups)), rel=1e-14)


@settings(max_examples=40)
@given(cases(ANY_SCORES, 1, 14))
def test_pr_area_by_quadrature(rows: Rows) -> None:
    t = of(rows)
    assume(t.positives)
    nodes, weights = np.polynomial.legendre.leggauss(60)
    area = 0.0
    for p, n, tp, fp in zip(t.pos.tolist(), t.neg.tolist(), t.tp.tolist(), t.fp.tolist(), strict=False):
        if p:
            x = (nodes + 1) / 2 * p
            area += (weights * (tp + x) / (tp + x + fp + n * x / p)).sum() * p / 2
    assert curves.pr_area(t) == pytest.approx(area / t.positives, rel=1e-9)


def test_pr_area_keeps_its_digits_far_down() -> None:
    """One positive among a million negatives above it: the piece is tiny, and nothing may cancel."""
    t = ScoreTable(np.array([2.0, 1.0]), np.array([1, 1]), np.array([10**6, 10**6]))
    exact = Fraction(1, 10**6 + 1)  # the first piece; the second lies between the two precisions
    assert 0.999999 * float(exact) / 2 < curves.pr_area(t) - 0.5 / (10**6 + 1) < 1.000001 * float(exact) / 2


@settings(max_examples=40)
@given(cases(ANY_SCORES, 2, 14))
def test_ks_and_error_rate_by_definition(rows: Rows) -> None:
    assume(both(rows))
    t = of(rows)
    gaps = [t.at(s).exact("recall") - t.at(s).exact("fpr") for s in t.scores.tolist()]
    assert curves.exact("ks_statistic", t) == max(abs(gap) for gap in gaps)
    assert curves.ks_statistic(t) == float(max(abs(gap) for gap in gaps))
    r, rate = curves.roc(t), curves.equal_error_rate(t)
    pieces = pairwise(zip(r.fpr, 1 - r.tpr, strict=True))
    assert any(a[0] - 1e-12 <= rate <= b[0] + 1e-12 and b[1] - 1e-12 <= rate <= a[1] + 1e-12 for a, b in pieces)
    assert curves.equal_error_rate(t, on="hull") <= min(rate, 0.5) + 1e-12


@settings(max_examples=40)
@given(cases(PROBABILITIES, 1, 14))
def test_brier_and_log_loss_by_definition(rows: Rows) -> None:
    t = of(rows)
    assert curves.brier(t) == pytest.approx(sum((s - y) ** 2 for y, s in rows) / len(rows), abs=1e-15)
    if any((y and s == 0) or (not y and s == 1) for y, s in rows):
        assert curves.log_loss(t) == math.inf and "log loss is infinite" in curves.why("log_loss", t)
        assert math.isfinite(curves.log_loss(t, clip=1e-15))
    else:
        expected = -sum(math.log(s) if y else math.log1p(-s) for y, s in rows) / len(rows)
        assert curves.log_loss(t) == pytest.approx(expected, rel=1e-13, abs=1e-15)
        assert curves.why("log_loss", t) == ""


@settings(max_examples=40)
@given(cases(PROBABILITIES, 1, 14), st.integers(1, 12), st.sampled_from(["width", "count"]))
def test_ece_and_mce_by_definition(rows: Rows, bins: int, by: str) -> None:
    t = of(rows)
    ordered = sorted(rows, key=lambda row: row[1])
    held: dict[int, list[tuple[int, float]]] = {}
    for y, s in rows:
        if by == "width":
            index = min(max(k for k in range(bins) if k / bins <= s), bins - 1)
        else:
            places = [i for i, row in enumerate(ordered) if row[1] == s]
            index = min(int(Fraction(bins * (places[0] + places[-1] + 1), 2 * len(rows))), bins - 1)
        held.setdefault(index, []).append((y, s))
    gaps = {k: abs(sum(y - s for y, s in one)) for k, one in held.items()}
    assert curves.ece(t, bins=bins, by=by) == pytest.approx(sum(gaps.values()) / len(rows), abs=1e-14)
    assert curves.mce(t, bins=bins, by=by) == pytest.approx(max(gaps[k] / len(held[k]) for k in held), abs=1e-14)
    named = curves.get(f"ece_{bins}" + ("_equal_count" if by == "count" else ""))
    assert named(t) == curves.ece(t, bins=bins, by=by) and named.why(t) == ""


@settings(max_examples=40)
@given(cases(PROBABILITIES, 2, 14))
def test_decomposition_by_pooling(rows: Rows) -> None:
    """Isotonic regression from its min-max formula."""
    t = of(rows)
    ordered = sorted({s for _, s in rows})
    groups = [[y for y, s in rows if s == one] for one in ordered]
    fitted = []
    for i in range(len(groups)):
        means = [
            min(np.mean([y for g in groups[j : k + 1] for y in g]) for k in range(i, len(groups))) for j in range(i + 1)
        ]
        fitted += [max(means)] * len(groups[i])
    outcomes = [y for g in groups for y in g]
    best = np.mean([(y - f) ** 2 for y, f in zip(outcomes, fitted, strict=True)])
    parts = curves.decompose(t)
    assert parts.miscalibration == pytest.approx(curves.brier(t) - best, abs=1e-12)
    assert parts.discrimination == pytest.approx(parts.uncertainty - best, abs=1e-12)
    assert parts.score == pytest.approx(parts.miscalibration - parts.discrimination + parts.uncertainty, abs=1e-12)


# ---- calibration by logistic regression ----


def test_calibration_fit_is_the_maximum() -> None:
    from scipy.optimize import minimize
    from scipy.stats import chi2

    rng = np.random.default_rng(3)
    s = rng.uniform(0.02, 0.98, 200)
    y = (rng.random(200) < 1 / (1 + np.exp(-(0.4 + 0.7 * np.log(s / (1 - s)))))).astype(int)
    x = np.log(s / (1 - s))

    def cost(place: Any) -> float:
        eta = place[0] + place[1] * x
        return float((np.logaddexp(0, eta) - y * eta).sum())

    full = minimize(cost, [0, 1], tol=1e-12)
    shift = minimize(lambda a: cost([a[0], 1]), [0], tol=1e-12)
    fit = curves.calibration_fit(table(y.tolist(), s.tolist()))
    assert (fit.intercept, fit.slope) == pytest.approx(full.x, abs=1e-5)
    assert fit.in_the_large == pytest.approx(shift.x[0], abs=1e-5)
    assert fit.in_the_large == curves.calibration_in_the_large(table(y.tolist(), s.tolist()))
    assert fit.p == pytest.approx(chi2.sf(2 * (cost([0, 1]) - full.fun), 2), abs=1e-7)
    assert fit.p_in_the_large == pytest.approx(chi2.sf(2 * (cost([0, 1]) - shift.fun), 1), abs=1e-7)
    assert fit.p_slope == pytest.approx(chi2.sf(2 * (shift.fun - full.fun), 1), abs=1e-7)
    p = 1 / (1 + np.exp(-(fit.intercept + fit.slope * x)))
    hessian = np.array([[(p * (1 - p) * x ** (i + j)).sum() for j in (0, 1)] for i in (0, 1)])
    assert (fit.intercept_se, fit.slope_se) == pytest.approx(np.sqrt(np.diag(np.linalg.inv(hessian))), rel=1e-6)


@pytest.mark.parametrize(
    ("labels", "scores", "reason"),
    [
        ([1, 0, 1], [0.9, 0.5, 1.0], "0 or 1 has no logit"),
        ([0, 0, 1], [0.0, 0.5, 0.4], "0 or 1 has no logit"),
        ([0, 0, 1, 1], [0.1, 0.2, 0.2, 0.4], "separate"),
        ([1, 1, 0, 0], [0.1, 0.2, 0.3, 0.4], "separate"),
        ([1, 0, 1], [0.4, 0.4, 0.4], "same score"),
        ([1, 1], [0.4, 0.5], "no negatives"),
    ],
)
def test_calibration_fit_undefined(labels: list[int], scores: list[float], reason: str) -> None:
    t = table(labels, scores)
    assert math.isnan(curves.calibration_slope(t)) and reason in curves.why("calibration_slope", t)
    assert math.isnan(curves.calibration_fit(t).slope) and reason in curves.calibration_fit(t).why


def test_calibration_fit_of_sampling_weights_has_no_tests() -> None:
    t = table(FAWCETT_Y, FAWCETT_S, weights=np.linspace(0.5, 2, 20))
    fit = curves.calibration_fit(t)
    assert math.isfinite(fit.slope) and math.isnan(fit.p) and "sampling weights" in fit.why


# ---- effect sizes, lift, shares ----


def test_auc_as_effect_size() -> None:
    from scipy.stats import norm

    assert curves.cohen_d(FAWCETT) == pytest.approx(math.sqrt(2) * norm.ppf(0.68), rel=1e-12)
    assert curves.auc_odds_ratio(FAWCETT) == pytest.approx(math.exp(curves.cohen_d(FAWCETT) * math.pi / math.sqrt(3)))
    perfect, worst = table([1, 0], [2, 1]), table([0, 1], [2, 1])
    assert curves.cohen_d(perfect) == math.inf and curves.cohen_d(worst) == -math.inf
    assert "perfect" in curves.why("cohen_d", perfect) and curves.auc_odds(worst) == 0
    assert curves.auc_odds(perfect) == math.inf and "infinite" in curves.why("auc_odds", perfect)
    assert curves.auc_odds_ratio(worst) == 0 and curves.auc_odds_ratio(perfect) == math.inf


def test_lift_and_gain_at_a_share() -> None:
    t = table([1, 1, 0, 0, 0, 1, 0, 0, 0, 0], [10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
    assert curves.gain_at(t, share=0.2) == pytest.approx(2 / 3)
    assert curves.lift_at(t, share=0.2) == pytest.approx(10 / 3)
    assert curves.gain_at(t, share=1) == 1 and curves.lift_at(t, share=1) == 1
    tied = table([1, 0, 1, 0], [1, 1, 1, 1])
    assert curves.gain_at(tied, share=0.5) == 0.5, "tied cases are drawn at random"
    for wrong in (0, -0.1, 1.1, math.nan):
        with pytest.raises(RocscopeError, match="share"):
            curves.gain_at(t, share=wrong)


@settings(max_examples=40)
@given(cases(ANY_SCORES, 2, 14))
def test_gini_is_the_accuracy_ratio_of_the_gain_curve(rows: Rows) -> None:
    assume(both(rows))
    t = of(rows)
    g = curves.gain(t)
    share = t.positives / (t.positives + t.negatives)
    ratio = (np.trapezoid(g.recall, g.share) - 0.5) / ((1 - share) / 2)
    assert curves.gini(t) == pytest.approx(ratio, abs=1e-12)


# ---- laws for every declared statistic ----


def scores_for(reading: curves.Reading) -> st.SearchStrategy[float]:
    return PROBABILITIES if reading.needs_probabilities or reading.name == "aurc" else ANY_SCORES


def every_statistic() -> Any:
    return pytest.mark.parametrize("reading", STATISTICS, ids=lambda reading: reading.name)


@every_statistic()
@settings(max_examples=30)
@given(data=st.data())
def test_law_range_and_reason(reading: curves.Reading, data: st.DataObject) -> None:
    t = of(data.draw(cases(scores_for(reading))))
    value, why = reading(t), reading.why(t)
    assert isinstance(value, float)
    assert bool(why) == (not math.isfinite(value)) or reading.name == "auc_odds_ratio"
    if not math.isnan(value):
        assert reading.low - 1e-12 <= value <= reading.high + 1e-12


@every_statistic()
@settings(max_examples=15)
@given(data=st.data())
def test_law_order_weights_and_merging(reading: curves.Reading, data: st.DataObject) -> None:
    rows = data.draw(cases(scores_for(reading), 2, 12))
    whole = of(rows)
    value = reading(whole)
    assert same(reading(of(data.draw(st.permutations(rows)))), value), "order of cases"
    cut = data.draw(st.integers(1, len(rows) - 1))
    assert same(reading(of(rows[:cut]) + of(rows[cut:])), value), "merge = whole"
    assert same(reading(of(rows[cut:]) + of(rows[:cut])), value), "in any order"
    twice = of(rows, weights=np.full(len(rows), 2), weights_are="frequency")
    assert same(reading(of(rows + rows)), reading(twice)), "weight 2 = twice the row"


@pytest.mark.parametrize("reading", [r for r in STATISTICS if r.rank_only], ids=lambda reading: reading.name)
@settings(max_examples=15)
@given(data=st.data())
def test_law_rank_statistics_see_the_order_alone(reading: curves.Reading, data: st.DataObject) -> None:
    rows = data.draw(cases(ANY_SCORES, 2, 12))
    ranks = {s: float(i) for i, s in enumerate(sorted({s for _, s in rows}))}
    mapped = [(y, math.expm1(ranks[s]) - 40) for y, s in rows]
    assert same(reading(of(mapped)), reading(of(rows)))
    turned = [(y, -s) for y, s in rows]
    assert same(reading(of(turned, higher_is_positive=False)), reading(of(rows))), "low as positive"


@settings(max_examples=40)
@given(cases(ANY_SCORES, 2, 14))
def test_law_auc_of_reversed_and_swapped(rows: Rows) -> None:
    assume(both(rows))
    t = of(rows)
    assert curves.exact("auc", t.reverse()) == 1 - curves.exact("auc", t)
    assert curves.exact("auc", of([(y, -s) for y, s in rows])) == 1 - curves.exact("auc", t)
    assert curves.exact("auc", t.swap()) == curves.exact("auc", t)
    assert curves.exact("auc", of([(1 - y, s) for y, s in rows])) == 1 - curves.exact("auc", t)


@settings(max_examples=40)
@given(cases(ANY_SCORES, 2, 14))
def test_law_hull_area_is_at_least_the_auc(rows: Rows) -> None:
    assume(both(rows))
    t = of(rows)
    assert curves.exact("hull_area", t) >= max(curves.exact("auc", t), Fraction(1, 2))
    assert curves.hull_gap(t) == pytest.approx(float(curves.exact("hull_area", t) - curves.exact("auc", t)), abs=1e-15)


@settings(max_examples=40)
@given(cases(PROBABILITIES, 2, 14), st.floats(0.01, 0.99))
def test_law_rebasing(rows: Rows, prevalence: float) -> None:
    """Another prevalence leaves ROC areas, and gives precision and net benefit their textbook values."""
    assume(both(rows))
    t, moved = of(rows), of(rows).rebase(prevalence)
    for name in ("auc", "ks_statistic", "hull_area", "equal_error_rate"):
        assert curves.get(name)(moved) == pytest.approx(curves.get(name)(t), abs=1e-12)
    r, p = curves.roc(t), curves.pr(moved)
    with np.errstate(invalid="ignore"):
        expected = prevalence * r.tpr / (prevalence * r.tpr + (1 - prevalence) * r.fpr)
    assert np.allclose(p.precision, expected, equal_nan=True, atol=1e-12)
    at = t.at(0.3)
    net = prevalence * at.recall - (1 - prevalence) * 0.3 / 0.7 * at.fpr
    assert curves.net_benefit_at(moved, pt=0.3) == pytest.approx(net, abs=1e-12)


def test_counts_beyond_int64_stay_exact() -> None:
    big = 4 * 10**18
    t = ScoreTable(np.array([2.0, 1.0]), np.array([big, big], dtype=object), np.array([big, 3 * big], dtype=object))
    assert curves.exact("auc", t) == Fraction(5, 8) and curves.auc(t) == 0.625
    assert curves.average_precision(t) == pytest.approx((1 / 2 + 1 / 3) / 2)
    assert curves.pr_area(t) > 0 and curves.hull_area(t) == 0.625 and curves.roc(t).tpr.tolist() == [0, 0.5, 1]


@pytest.mark.parametrize("scale", [1e-59, 1e59])
def test_extreme_weights_give_the_scaled_result(scale: float) -> None:
    plain = table(FAWCETT_Y, FAWCETT_S, weights=np.ones(20))
    scaled = table(FAWCETT_Y, FAWCETT_S, weights=np.full(20, scale))
    for name in ("auc", "average_precision", "pr_area", "brier", "log_loss", "hull_area", "ks_statistic", "smooth_ece"):
        assert curves.get(name)(scaled) == pytest.approx(curves.get(name)(plain), rel=1e-12), name


def test_float_weights_of_one_are_cases() -> None:
    weighted = table(FAWCETT_Y, FAWCETT_S, weights=np.ones(20))
    for reading in STATISTICS:
        assert reading(weighted) == pytest.approx(reading(FAWCETT), rel=1e-9, abs=1e-12), reading.name


# ---- undefined and refused ----


@every_statistic()
@pytest.mark.parametrize("label", [0, 1])
def test_one_class_is_defined_or_says_why(reading: curves.Reading, label: int) -> None:
    t = table([label] * 3, [0.2, 0.4, 0.9])
    value = reading(t)
    assert math.isnan(value) == bool(reading.why(t))
    if reading.needs == "both":
        assert reading.why(t).startswith("no negatives" if label else "no positives")


@pytest.mark.parametrize("reading", curves.catalog(), ids=lambda reading: reading.name)
def test_b027_scores_that_are_no_probabilities(reading: curves.Reading) -> None:
    t = table([1, 0, 1, 0], [4.2, 1.0, 0.5, -3.1])
    if not reading.needs_probabilities:
        reading(t)
        return
    with pytest.raises(RocscopeError, match=r"not probabilities: they run from -3.1 to 4.2"):
        reading(t)


def test_probability_statistics_refuse_low_is_positive_and_cells() -> None:
    with pytest.raises(RocscopeError, match="low scores indicate the positive class"):
        curves.brier(table([1, 0], [0.1, 0.9], higher_is_positive=False))
    with pytest.raises(RocscopeError, match="cells of several scores"):
        curves.brier(cells_of_fawcett())
    with pytest.raises(RocscopeError, match="Give threshold"):
        curves.aurc(table([1, 0], [3, -3]))
    assert curves.aurc(table([1, 0], [3, -3]), threshold=0) == 0


NO_RANGES = [(0, 0), (0, -0.1), (0, 1.1), (0, math.nan), (math.nan, 1), (0.5, 0.2), 0.1, (0, 0.1, 0.2)]


@pytest.mark.parametrize("limits", NO_RANGES)
def test_b047_ranges_of_a_partial_auc(limits: Any) -> None:
    with pytest.raises(RocscopeError, match="range"):
        curves.partial_auc(FAWCETT, fpr=limits)
    with pytest.raises(RocscopeError, match="range"):
        curves.partial_auc(FAWCETT, tpr=limits)


def test_a_partial_auc_needs_one_range() -> None:
    for options in ({}, {"fpr": (0, 0.1), "tpr": (0.8, 1)}):
        with pytest.raises(RocscopeError, match="one range"):
            curves.partial_auc(FAWCETT, **options)
    for fpr, tpr in ((0, 0.5), (1.5, 0.5), (0.5, 1), (0.5, -0.1), (math.nan, 0.5), (0.5, math.nan)):
        with pytest.raises(RocscopeError, match=r"must be (greater|at least)"):
            curves.two_way_partial_auc(FAWCETT, fpr=fpr, tpr=tpr)


def test_a_sweep_that_runs_back_has_no_area() -> None:
    with pytest.raises(RocscopeError, match="hull"):
        curves.polyline_area([(0, 0), (0.4, 0.6), (0.3, 0.7), (1, 1)])
    with pytest.raises(RocscopeError, match="at least 2"):
        curves.polyline_area([(0, 0)])
    with pytest.raises(RocscopeError, match="finite"):
        curves.polyline_area([(0, 0), (1, math.nan)])


def test_other_options_are_checked() -> None:
    for call in (
        lambda: curves.equal_error_rate(FAWCETT, on="line"),
        lambda: curves.log_loss(FAWCETT, clip=0.7),
        lambda: curves.ece(FAWCETT, bins=0),
        lambda: curves.ece(FAWCETT, bins=10, by="size"),
        lambda: curves.net_benefit_at(FAWCETT, pt=1),
        lambda: curves.net_benefit_at(FAWCETT, pt=math.nan),
        lambda: curves.aurc(FAWCETT, threshold=math.inf),
        lambda: curves.binormal_roc(FAWCETT, points=1),
    ):
        with pytest.raises(RocscopeError):
            call()


def test_exact_refuses_what_has_no_fraction() -> None:
    with pytest.raises(RocscopeError, match="no exact fraction"):
        curves.exact("pr_area", FAWCETT)
    with pytest.raises(RocscopeError, match="integer weights"):
        curves.exact("auc", table([1, 0], [2, 1], weights=[0.5, 1.5]))
    with pytest.raises(RocscopeError, match="no negatives"):
        curves.exact("auc", table([1, 1], [2, 1]))


# ---- the catalog ----


def test_catalogue_facts_are_complete() -> None:
    for reading in curves.catalog():
        assert reading.title and reading.says.endswith(".") and reading.cite and reading.formula and reading.latex
        assert reading.low < reading.high and reading.range == (reading.low, reading.high)
        assert reading.best is None or reading.low <= reading.best <= reading.high
        assert curves.get(reading.name) is reading and all(curves.get(name) is reading for name in reading.aka)
        assert curves.get(reading.name.upper().replace("_", "-")) is reading


def test_public_functions_have_an_example() -> None:
    plain = {"decompose", "calibration_fit", "binormal", "polyline_area", "two_way_chance"}
    plain |= {"sweep", "trade", "ece", "mce", "get", "why", "exact", "bounds"}
    named = {reading.name for reading in curves.catalog()} - {"ece_10", "mce_10"}
    for name in named | plain:
        assert ">>>" in getattr(curves, name).__doc__, name


def test_unknown_names_are_refused_with_the_nearest() -> None:
    with pytest.raises(RocscopeError, match="Did you mean 'auc'"):
        curves.get("aucc")
    with pytest.raises(RocscopeError, match="ece_10"):
        curves.get("ece")


def test_nothing_heavy_is_imported() -> None:
    code = "import sys, rocscope.curves as c; assert not {'scipy', 'pandas', 'sklearn'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_average_precision_of_several_blocks_is_that_of_the_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    t = ScoreTable(np.arange(40.0, 0, -1), rng.integers(0, 4, 40), rng.integers(1, 4, 40))
    tp, fp, total = 0, 0, Fraction(0)
    for up, down in zip(t.pos.tolist(), t.neg.tolist(), strict=True):
        tp, fp = tp + up, fp + down
        total += Fraction(up * tp, tp + fp)
    monkeypatch.setattr("rocscope.curves.threshold_rates.WIDE", 7)
    assert curves.average_precision(t) == pytest.approx(float(total / tp), abs=1e-14)


@pytest.mark.parametrize("weight", [1, 0.25], ids=["counts", "small weights"])
def test_trapezoids_of_precision_and_recall_by_hand(weight: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """A negative comes first: its precision is 0, and the line rises from there. Blocks of two rows see it, too."""
    t = ScoreTable(np.arange(5.0, 0, -1), weight * np.array([0, 1, 0, 2, 1]), weight * np.array([1, 0, 1, 1, 0]))
    precision, recall = [Fraction(0), Fraction(1, 2), Fraction(1, 3), Fraction(3, 6), Fraction(4, 7)], [0, 1, 1, 3, 4]
    area = sum((b - a) * (p + q) / 8 for (a, p), (b, q) in pairwise(zip(recall, precision, strict=True)))
    assert curves.pr_trapezoid(t) == pytest.approx(float(area), abs=1e-15)
    monkeypatch.setattr("rocscope.curves.threshold_rates.PIECE", 2)
    again = ScoreTable(t.scores, t.pos, t.neg)
    assert curves.pr_trapezoid(again) == pytest.approx(float(area), abs=1e-15)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 20)), min_size=1, max_size=8), st.integers(1, 9))
def test_a_clipped_log_loss_keeps_probabilities_off_both_ends(rows: list[tuple[int, int]], tenth: int) -> None:
    clip = tenth / 20
    t = of([*((y, part / 20) for y, part in rows), (1, 0.0), (0, 1.0)])  # certain, and wrong
    kept = [(y, min(max(part / 20, clip), 1 - clip)) for y, part in [*rows, (1, 0), (0, 20)]]
    wanted = -sum(math.log(p if y else 1 - p) for y, p in kept) / len(kept)
    assert curves.log_loss(t, clip=clip) == pytest.approx(wanted)
    assert curves.log_loss(t) == math.inf
