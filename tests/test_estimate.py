"""Estimates of proportions, ratios and differences: check values, peers, laws, exact coverage."""

from __future__ import annotations

import copy
import json
import math
import pickle
import subprocess
import sys
from fractions import Fraction
from itertools import pairwise, product
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rocscope import estimate
from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate, undefined

ORACLES = Path(__file__).parent / "oracles"
METHODS = list(estimate.methods("proportion"))
LEVELS = st.floats(0.01, 0.999)
NEVER_WALD = [name for name in METHODS if name != "wald"]


def frozen(name: str) -> dict:
    return json.loads((ORACLES / f"{name}.json").read_text())


def limits(estimate_: Estimate) -> tuple[float, float]:
    return estimate_.low, estimate_.high


def near(expected: object) -> object:
    return pytest.approx(expected, rel=1e-9, abs=1e-12)


def six(expected: object) -> object:
    return pytest.approx(expected, abs=6e-7)


# --- the value itself


@pytest.mark.parametrize(
    ("value", "low", "high", "shown"),
    [
        (0.651, 0.6204, 0.6811, "0.651 [0.620, 0.681]"),
        (0.8, 0.67, 0.89, "0.80 [0.67, 0.89]"),
        (0.99912, 0.99902, 0.99922, "0.9991 [0.9990, 0.9992]"),
        (0.5, 0.4004, 0.5996, "0.50 [0.40, 0.60]"),  # half-width 0.0996 is 0.10 in two digits
        (-0.03, -0.0814, 0.0214, "−0.030 [−0.081, 0.021]"),
        (-0.0001, -0.2, 0.2, "0.00 [−0.20, 0.20]"),
        (1234.5, 1000.0, 1500.0, "1,234.50 [1,000.00, 1,500.00]"),
    ],
)
def test_decimals_follow_the_half_width(value: float, low: float, high: float, shown: str) -> None:
    assert str(Estimate(value, low, high)) == shown


def test_prints_p_and_reason() -> None:
    assert str(Estimate(0.1, 0.0, 0.2, p=0.0386)) == "0.10 [0.00, 0.20] p = 0.039"
    assert str(Estimate(0.1, 0.0, 0.2, p=1e-12)) == "0.10 [0.00, 0.20] p < 0.001"
    assert str(estimate.undefined("no positives")) == "undefined (no positives)"
    assert str(Estimate(0.25, p=1.0, why="no spread")) == "0.250 p = 1.00 (no spread)"
    boundless = estimate.likelihood_ratio(7, 0, 3, 13)
    assert str(boundless) == "undefined [1.22, ∞] (division by 0: the ratio has no upper limit)"


@given(st.floats(0, 1))
def test_p_is_never_shown_as_zero(p: float) -> None:
    shown = estimate.show_p(p)
    assert shown == "< 0.001" if p < 0.001 else abs(float(shown) - p) <= (0.0005 if p < 0.1 else 0.005) + 1e-12


def test_document_is_plain_json() -> None:
    test = Estimate(0.1, math.nan, math.inf, p=0.5, statistic=math.inf, df=(10.0, 5.0))
    document = test.to_dict()
    assert list(document) == ["value", "low", "high", "level", "method", "why", "p", "statistic"]
    assert document["low"] is document["high"] is document["statistic"] is None
    json.dumps(document, allow_nan=False)
    assert "p" not in Estimate(0.1).to_dict()


def test_estimates_are_frozen() -> None:
    with pytest.raises(AttributeError):
        Estimate(0.1).value = 0.2  # type: ignore[misc]


def test_importing_loads_no_scipy() -> None:
    calls = "e.proportion(3, 7); e.difference(1, 2, 1, 3); e.odds_ratio(1, 2, 3, 4)"
    code = f"import sys, rocscope.estimate as e; {calls}; print('scipy' in sys.modules)"
    source = Path(estimate.__file__).parents[2]
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=source)
    assert run.stdout.strip() == "False"


# --- proportions


@pytest.mark.oracle
@pytest.mark.parametrize("case", frozen("base")["proportions"], ids=lambda c: f"{c['k']}-{c['n']}-{c['level']}")
def test_proportions_agree_with_r(case: dict) -> None:
    k, n, level = case["k"], case["n"], case["level"]
    for method in ("wilson", "wilson-continuity", "clopper-pearson", "jeffreys"):
        expected = case[method.replace("-", "_")]
        if expected is None:
            continue
        low, high = limits(estimate.proportion(k, n, method=method, level=level))
        if method == "jeffreys":  # at the ends the interval is stretched to the estimate
            expected = [0.0 if k == 0 else expected[0], 1.0 if k == n else expected[1]]
        assert (low, high) == near(tuple(expected)), method


@pytest.mark.oracle
@pytest.mark.parametrize("case", frozen("peers")["proportions"], ids=lambda c: f"{c['k']}-{c['n']}-{c['level']}")
def test_proportions_agree_with_statsmodels_and_scipy(case: dict) -> None:
    k, n = case["k"], case["n"]
    for method, expected in case["limits"].items():
        low, high = (max(0.0, expected[0]), min(1.0, expected[1])) if method == "wald" else expected
        if method == "jeffreys" and k == n:
            high = 1.0
        assert limits(estimate.proportion(k, n, method=method, level=case["level"])) == near((low, high)), method


def test_anytime_check_values() -> None:
    assert limits(estimate.proportion(80, 100, method="anytime")) == six((0.651792, 0.907231))
    assert limits(estimate.proportion(80, 100)) == six((0.711171, 0.866633))
    assert limits(estimate.proportion(0, 20, method="anytime")) == six((0, 0.260671))
    evidence = estimate.e_value(80, 100, against=0.7)
    assert evidence.statistic == six(1.306950)
    assert evidence.p == pytest.approx(1 / 1.306950, rel=1e-6)


def test_e_value_is_the_ratio_of_exact_likelihoods() -> None:
    k, n, rate = 7, 10, Fraction(1, 3)
    mixture = 1 / Fraction((n + 1) * comb(n, k))
    assert estimate.e_value(k, n, against=float(rate)).statistic == near(
        float(mixture / (rate**k * (1 - rate) ** (n - k)))
    )


@given(st.integers(1, 400), st.data(), st.integers(1, 99))
def test_e_value_is_exact_for_any_count(n: int, data: st.DataObject, percent: int) -> None:
    k, rate = data.draw(st.integers(0, n)), Fraction(percent, 100)
    exact = 1 / ((n + 1) * comb(n, k) * rate**k * (1 - rate) ** (n - k))
    assume(exact < 10**300)
    assert estimate.e_value(k, n, against=percent / 100).statistic == pytest.approx(float(exact), rel=1e-9)


def test_anytime_keeps_its_digits_for_huge_samples() -> None:
    """Rare events are Poisson: the limits times n are where 1/(n P(3)) is 20."""
    result = estimate.proportion(3, 10**15, method="anytime")
    for mean in (result.low * 1e15, result.high * 1e15):
        log_chance = 3 * math.log(mean) - mean - math.log(6)
        assert -log_chance - math.log(1e15) == pytest.approx(math.log(20), rel=1e-9)


def test_mid_p_solves_its_equation() -> None:
    low, high = limits(estimate.proportion(7, 20, method="mid-p"))

    def chance(j: int, q: float) -> float:
        return comb(20, j) * q**j * (1 - q) ** (20 - j)

    assert sum(chance(j, low) for j in range(8, 21)) + chance(7, low) / 2 == near(0.025)
    assert sum(chance(j, high) for j in range(7)) + chance(7, high) / 2 == near(0.025)


def test_arcsine_and_logit_by_hand() -> None:
    angle, step = math.asin(math.sqrt(7.375 / 20.75)), 1.959963984540054 / (2 * math.sqrt(20))
    expected = math.sin(angle - step) ** 2, math.sin(angle + step) ** 2
    assert limits(estimate.proportion(7, 20, method="arcsine")) == near(expected)
    odds, factor = 7 / 13, math.exp(1.959963984540054 * math.sqrt(1 / 7 + 1 / 13))
    expected = (odds / factor / (1 + odds / factor), odds * factor / (1 + odds * factor))
    assert limits(estimate.proportion(7, 20, method="logit")) == near(expected)


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=50)
@given(data=st.data(), level=LEVELS)
def test_limits_lie_in_range_and_contain_the_estimate(method: str, data: st.DataObject, level: float) -> None:
    n = data.draw(st.one_of(st.integers(1, 10**9), st.floats(0.5, 1e6)))
    k = data.draw(st.one_of(st.sampled_from([0, n, n / 2]), st.floats(0, float(n))))
    result = estimate.proportion(k, n, method=method, level=level)
    if method == "wald" and k in (0, n):
        assert math.isnan(result.low)
        assert result.why
        return
    assert 0 <= result.low <= k / n <= result.high <= 1
    assert result.low < result.high or k / n in (0.0, 1.0) or result.low == result.high == pytest.approx(k / n)
    if k == 0:
        assert result.low == 0
    if k == n:
        assert result.high == 1


@pytest.mark.parametrize("method", NEVER_WALD)
@settings(max_examples=40)
@given(n=st.integers(1, 300), data=st.data())
def test_the_other_outcome_mirrors(method: str, n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, n))
    one, other = estimate.proportion(k, n, method=method), estimate.proportion(n - k, n, method=method)
    assert limits(one) == near((1 - other.high, 1 - other.low))


@pytest.mark.parametrize("method", NEVER_WALD)
def test_more_hits_never_lower_a_limit_and_more_confidence_never_narrows(method: str) -> None:
    for n in (1, 2, 7, 25):
        for level in (0.5, 0.9, 0.99):
            runs = [estimate.proportion(k, n, method=method, level=level) for k in range(n + 1)]
            wider = [estimate.proportion(k, n, method=method, level=(1 + level) / 2) for k in range(n + 1)]
            if method != "logit":  # half a case added only at the ends makes the logit interval jump there
                assert all(a.low <= b.low and a.high <= b.high for a, b in pairwise(runs))
            assert all(w.low <= r.low and r.high <= w.high for r, w in zip(runs, wider, strict=True))


def coverage(method: str, n: int, rates: np.ndarray, level: float = 0.95) -> np.ndarray:
    """The exact chance that the interval holds the rate, by going through every k."""
    k = np.arange(n + 1)
    ways = np.array([float(comb(n, j)) for j in k])
    chances = ways * rates[:, None] ** k * (1 - rates[:, None]) ** (n - k)
    found = [estimate.proportion(int(j), n, method=method, level=level) for j in k]
    low, high = (np.array([getattr(f, side) for f in found]) for side in ("low", "high"))
    return (chances * ((low <= rates[:, None]) & (rates[:, None] <= high))).sum(axis=1)


@pytest.mark.parametrize(
    ("method", "mean", "worst"),
    [
        ("wilson", (0.945, 0.96), 0.83),
        ("wilson-continuity", (0.96, 0.99), 0.94),
        ("clopper-pearson", (0.96, 0.99), 0.95),
        ("jeffreys", (0.94, 0.96), 0.85),
        ("agresti-coull", (0.95, 0.98), 0.89),
        ("mid-p", (0.945, 0.975), 0.92),
        ("arcsine", (0.945, 0.975), 0.89),
        ("logit", (0.95, 0.98), 0.88),
        ("anytime", (0.98, 1.0), 0.97),
    ],
)
def test_exact_coverage(method: str, mean: tuple[float, float], worst: float) -> None:
    rates = np.linspace(0.005, 0.995, 199)
    found = np.stack([coverage(method, n, rates) for n in (5, 10, 20, 50)])
    assert mean[0] <= found.mean() <= mean[1]
    assert found.min() >= worst


def test_wald_falls_short_of_its_level() -> None:
    found = coverage("wald", 20, np.linspace(0.02, 0.1, 9))
    assert found.max() < 0.9
    assert "covers less than its level" in estimate.proportion(7, 20, method="wald").why


@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_anytime_holds_at_every_look(rate: float) -> None:
    """The exact chance that the rate was ever left out in 80 looks stays under 5 %."""
    alive, lost = {0: 1.0}, 0.0
    for n in range(1, 81):
        step: dict[int, float] = {}
        for k, chance in alive.items():
            step[k] = step.get(k, 0.0) + chance * (1 - rate)
            step[k + 1] = step.get(k + 1, 0.0) + chance * rate
        inside = {k: estimate.proportion(k, n, method="anytime") for k in step}
        alive = {k: c for k, c in step.items() if inside[k].low <= rate <= inside[k].high}
        lost += sum(c for k, c in step.items() if k not in alive)
    assert lost < 0.05


def test_no_cases_is_undefined_with_a_reason() -> None:
    for method in METHODS:
        nothing = estimate.proportion(0, 0, method=method)
        assert math.isnan(nothing.value)
        assert math.isnan(nothing.low)
        assert nothing.why


def test_many_proportions_at_once_equal_one_at_a_time() -> None:
    k, n = np.array([0, 3, 7, 7, 0]), np.array([5, 7, 7, 100, 0])
    low, high = estimate.wilson_limits(k, n, level=0.9)
    for i in range(4):
        assert (low[i], high[i]) == near(limits(estimate.proportion(k[i], n[i], level=0.9)))
    assert np.isnan([low[4], high[4]]).all()


@pytest.mark.parametrize("level", [0, 1, 95, -0.1, math.nan, "0.95", None, True, 90])
def test_levels_that_are_none_are_refused(level: object) -> None:
    with pytest.raises(RocscopeError, match=r"level must lie between 0 and 1"):
        estimate.proportion(1, 2, level=level)  # type: ignore[arg-type]


def test_a_percentage_is_answered_with_its_share() -> None:
    with pytest.raises(RocscopeError, match=r"Write 0\.9, not 90"):
        estimate.proportion(1, 2, level=90)


@pytest.mark.parametrize(("k", "n"), [(-1, 2), (3, 2), (math.nan, 2), (1, math.inf), ("1", 2), (1, None), ([1], 2)])
def test_counts_that_are_none_are_refused(k: object, n: object) -> None:
    with pytest.raises(RocscopeError):
        estimate.proportion(k, n)  # type: ignore[arg-type]


def test_a_mistyped_method_is_answered_with_the_right_one() -> None:
    with pytest.raises(RocscopeError, match="Did you mean 'wilson'"):
        estimate.proportion(1, 2, method="willson")


def test_the_registry_is_read_only_and_takes_no_second_of_a_name() -> None:
    with pytest.raises(TypeError):
        estimate.methods("proportion")["x"] = None  # type: ignore[index]
    with pytest.raises(RocscopeError, match="declared twice"):
        estimate.interval("wilson", fits="proportion")(lambda k, n, level: (0.0, 1.0))
    assert estimate.methods("nothing") == {}


def test_rounding_above_n_is_n() -> None:
    assert estimate.proportion(10.000000000000002, 10).high == 1.0


# --- ratios


@pytest.mark.oracle
@pytest.mark.parametrize("case", frozen("epir")["tables"])
def test_ratios_agree_with_epir(case: dict) -> None:
    cells, level = [case[name] for name in ("tp", "fp", "fn", "tn")], case["level"]
    tp, fp, fn, tn = cells

    def triple(e: Estimate) -> tuple[float, float, float]:
        return e.value, e.low, e.high

    assert triple(estimate.likelihood_ratio(*cells, level=level)) == near(tuple(case["lr_positive"]))
    negative = estimate.likelihood_ratio(*cells, kind="negative", level=level)
    assert triple(negative) == near(tuple(case["lr_negative"]))
    assert triple(estimate.odds_ratio(*cells, level=level)) == near(tuple(case["odds_ratio"]))
    for name, k, n in [
        ("sensitivity", tp, tp + fn),
        ("specificity", tn, tn + fp),
        ("ppv", tp, tp + fp),
        ("npv", tn, tn + fn),
        ("accuracy", tp + tn, sum(cells)),
    ]:
        assert triple(estimate.proportion(k, n, level=level)) == near(tuple(case[name]))


def test_ratio_check_values() -> None:
    lr = estimate.likelihood_ratio(7, 7, 3, 13)
    assert (lr.value, lr.low, lr.high) == six((2, 0.971521, 4.117254))
    odds = estimate.odds_ratio(7, 7, 3, 13)
    assert (odds.value, odds.low, odds.high) == six((4.333333, 0.844712, 22.229811))
    ppv = estimate.predictive_value(7, 7, 3, 13, prevalence=0.02)
    assert (ppv.value, ppv.low, ppv.high) == six((0.039216, 0.019441, 0.077513))


CELL = st.integers(0, 200)


@given(CELL, CELL, CELL, CELL, st.floats(0.001, 0.999))
def test_predictive_values_lie_in_range_and_follow_bayes(tp: int, fp: int, fn: int, tn: int, rate: float) -> None:
    for kind, hit, other in (("positive", tp, fp), ("negative", fn, tn)):
        result = estimate.predictive_value(tp, fp, fn, tn, prevalence=rate, kind=kind)
        if tp + fn == 0 or fp + tn == 0 or hit + other == 0:
            assert math.isnan(result.value)
            assert result.why
            continue
        up, down = rate * hit / (tp + fn), (1 - rate) * other / (fp + tn)
        expected = up / (up + down) if kind == "positive" else down / (up + down)
        assert result.value == near(expected)
        assert 0 <= result.low <= result.value <= result.high <= 1
        assert result.low < result.high


@given(CELL, CELL, CELL, CELL)
def test_ratios_with_empty_cells_have_an_answer(tp: int, fp: int, fn: int, tn: int) -> None:
    for result in (
        estimate.likelihood_ratio(tp, fp, fn, tn),
        estimate.likelihood_ratio(tp, fp, fn, tn, kind="negative"),
        estimate.odds_ratio(tp, fp, fn, tn),
    ):
        if math.isnan(result.value):
            assert result.why
            assert math.isnan(result.low) or (result.low > 0 and result.high == math.inf)
        else:
            assert 0 <= result.low <= result.value <= result.high < math.inf
            assert result.low < result.high


@pytest.mark.parametrize("cells", list(product((0, 1, 2), repeat=4)), ids=str)
def test_ratios_of_very_few_cases_are_undefined_for_the_reason_given_and_no_other(cells: tuple[int, ...]) -> None:
    tp, fp, fn, tn = cells
    found = (
        (tp * (fp + tn), (tp + fn) * fp, estimate.likelihood_ratio(*cells)),
        (fn * (fp + tn), (tp + fn) * tn, estimate.likelihood_ratio(*cells, kind="negative")),
        (tp * tn, fn * fp, estimate.odds_ratio(*cells)),
    )
    for top, bottom, result in found:
        if tp + fn == 0:
            assert result.why == "undefined: there are no positives" and math.isnan(result.high)
        elif fp + tn == 0:
            assert result.why == "undefined: there are no negatives" and math.isnan(result.high)
        elif bottom:
            assert result.value == near(top / bottom) and result.low <= result.value < result.high and not result.why
        elif top:
            assert math.isnan(result.value) and result.high == math.inf and result.why.startswith("division by 0")
        else:
            assert math.isnan(result.value) and (math.isnan(result.high) or result.low == 0) and "0/0" in result.why


def test_predictive_value_at_the_samples_own_prevalence_is_precision() -> None:
    assert estimate.predictive_value(7, 7, 3, 13, prevalence=1 / 3).value == near(0.5)
    assert estimate.predictive_value(7, 7, 3, 13, prevalence=1 / 3, kind="negative").value == near(13 / 16)


@pytest.mark.parametrize("prevalence", [0, 1, 2, -0.5, math.nan, "0.1"])
def test_prevalence_is_checked(prevalence: object) -> None:
    with pytest.raises(RocscopeError, match="prevalence must lie between 0 and 1"):
        estimate.predictive_value(7, 7, 3, 13, prevalence=prevalence)  # type: ignore[arg-type]


def test_kinds_and_cells_are_checked() -> None:
    with pytest.raises(RocscopeError, match="Did you mean 'positive'"):
        estimate.likelihood_ratio(7, 7, 3, 13, kind="positve")
    with pytest.raises(RocscopeError, match="fp must be a number of cases"):
        estimate.odds_ratio(7, -7, 3, 13)


# --- differences


@pytest.mark.oracle
@pytest.mark.parametrize("case", frozen("peers")["differences"])
def test_difference_agrees_with_statsmodels(case: dict) -> None:
    result = estimate.difference(case["k1"], case["n1"], case["k2"], case["n2"])
    assert limits(result) == near((case["low"], case["high"]))


@pytest.mark.oracle
@pytest.mark.parametrize("case", frozen("base")["two"])
def test_pooled_test_agrees_with_r(case: dict) -> None:
    result = estimate.difference(case["k1"], case["n1"], case["k2"], case["n2"])
    assert result.statistic is not None
    assert result.statistic**2 == near(case["chi2"])
    assert result.p == near(case["p"])


def test_difference_check_values() -> None:
    assert limits(estimate.difference(40, 50, 30, 50)) == six((0.020134, 0.363592))
    paired = estimate.paired_difference(20, 9, 2, 9)
    assert (paired.value, paired.low, paired.high) == six((0.175, 0.012415, 0.323942))


@given(st.integers(0, 40), st.integers(1, 40), st.integers(0, 40), st.integers(1, 40))
def test_difference_is_antisymmetric_and_in_range(k1: int, n1: int, k2: int, n2: int) -> None:
    assume(k1 <= n1 and k2 <= n2)
    one, other = estimate.difference(k1, n1, k2, n2), estimate.difference(k2, n2, k1, n1)
    assert limits(one) == near((-other.high, -other.low))
    assert -1 <= one.low < one.value + 1e-15
    assert one.value - 1e-15 < one.high <= 1
    assert one.low < one.high
    assert one.p == near(other.p)


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30), st.integers(0, 30))
def test_paired_difference_is_antisymmetric_and_in_range(a: int, b: int, c: int, d: int) -> None:
    assume(a + b + c + d > 0)
    one, other = estimate.paired_difference(a, b, c, d), estimate.paired_difference(a, c, b, d)
    assert limits(one) == near((-other.high, -other.low))
    assert -1 <= one.low <= one.value <= one.high <= 1
    assert one.low < one.high


def test_same_proportions_and_empty_samples_have_an_answer() -> None:
    same = estimate.difference(0, 10, 0, 12)
    assert (same.value, same.p) == (0, 1)
    assert same.why
    assert same.low < 0 < same.high
    assert estimate.difference(0, 0, 1, 2).why
    assert estimate.paired_difference(0, 0, 0, 0).why


# --- scales


def delta(f: object, cells: np.ndarray) -> tuple[float, float]:
    """The value and delta-method standard error of a formula, its gradient by central differences."""
    n, step = cells.sum(), 1e-5
    gradient = np.array([(f(cells + step * e) - f(cells - step * e)) / (2 * step) for e in np.eye(4)])
    variance = (cells * gradient**2).sum() - (cells * gradient).sum() ** 2 / n
    return float(f(cells)), math.sqrt(variance)


def mcc(cells: np.ndarray) -> float:
    tp, fp, fn, tn = cells
    return (tp * tn - fp * fn) / math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))


def kappa(cells: np.ndarray) -> float:
    tp, fp, fn, tn = cells
    n = cells.sum()
    chance = ((tp + fp) * (tp + fn) + (tn + fp) * (tn + fn)) / n**2
    return ((tp + tn) / n - chance) / (1 - chance)


def f2(cells: np.ndarray) -> float:
    tp, fp, fn, _ = cells
    return 5 * tp / (5 * tp + 4 * fn + fp)


def test_scale_check_values() -> None:
    cells = np.array([7.0, 7, 3, 13])
    assert estimate.on_scale(*delta(mcc, cells), -1, 1, 0.95) == six((-0.033495, 0.617391))
    assert estimate.on_scale(*delta(kappa, cells), -1, 1, 0.95) == six((-0.037108, 0.602059))
    edge = np.array([10.0, 0, 0, 10]) + 0.5
    assert estimate.on_scale(*delta(mcc, edge), -1, 1, 0.95, reach=1.0) == six((0.477096, 1))
    assert estimate.on_scale(*delta(f2, edge), 0, 1, 0.95, reach=1.0) == six((0.663773, 1))


@given(st.floats(-0.999, 0.999), st.floats(0, 5), LEVELS)
def test_the_scale_of_a_symmetric_range_is_atanh(value: float, se: float, level: float) -> None:
    step = estimate.normal_quantile(level) * se / (1 - value * value)
    assume(step < 15)
    low, high = estimate.on_scale(value, se, -1, 1, level)
    assert low == pytest.approx(math.tanh(math.atanh(value) - step), abs=1e-9)
    assert high == pytest.approx(math.tanh(math.atanh(value) + step), abs=1e-9)


@given(st.floats(-50, 50), st.floats(0.01, 50), st.floats(0, 20), LEVELS)
def test_no_scale_leaves_its_range(low: float, width: float, se: float, level: float) -> None:
    value, high = low + width / 3, low + width
    for ends in ((low, high), (low, math.inf), (-math.inf, high), (-math.inf, math.inf)):
        lower, upper = estimate.on_scale(value, se, *ends, level)
        assert ends[0] <= lower <= value <= upper <= ends[1]


def test_at_an_end_there_is_no_scale() -> None:
    assert all(math.isnan(x) for x in estimate.on_scale(1.0, 0.1, 0, 1, 0.95))
    assert all(math.isnan(x) for x in estimate.on_scale(0.5, math.nan, 0, 1, 0.95))


# ---- an estimate is a number ----


def test_an_estimate_is_a_number() -> None:
    found = Estimate(0.847, 0.78, 0.894, method="wilson")
    assert float(found) == 0.847 and found > 0.8 and found >= 0.847 and found < 1 and found <= np.float64(0.9)
    assert not found > Estimate(0.9) and Estimate(0.5) < found and found > 0.5
    assert f"{found:.1f}" == "0.8" and f"{found}" == str(found) and round(found, 2) == 0.85 and round(found) == 1
    assert found == 0.847 and hash(found) == hash(0.847) and found != Estimate(0.847) and found != "0.847"
    assert np.asarray([found, Estimate(0.5)]).tolist() == [0.847, 0.5] and np.asarray(found).dtype == np.float64
    with pytest.raises(TypeError):
        _ = found < "0.9"
    with pytest.raises(ValueError, match="without a copy"):
        found.__array__(copy=False)


def test_an_undefined_estimate_is_nan() -> None:
    found = undefined("no positives")
    assert math.isnan(float(found)) and not found > 0 and not found <= 0 and f"{found:.3f}" == "nan"
    assert found == undefined("no positives") and found != undefined("no negatives")
    again = pickle.loads(pickle.dumps(found))
    assert again == found and hash(again) == hash(found) == hash(Estimate(float("nan"))) and len({again, found}) == 1


def test_an_estimate_can_be_pickled() -> None:
    found = Estimate(0.847, 0.78, 0.894, p=0.03, df=(2, 5))
    assert pickle.loads(pickle.dumps(found)) == found and copy.deepcopy(found) == found


def test_the_standard_error_is_that_of_the_value() -> None:
    ratio = estimate.likelihood_ratio(7, 7, 3, 13)
    assert ratio.se_scale == "log" and ratio.se == pytest.approx(ratio.value * ratio.se_on_scale)
    share = estimate.predictive_value(7, 7, 3, 13, prevalence=0.02)
    assert share.se_scale == "logit" and share.se == pytest.approx(share.value * (1 - share.value) * share.se_on_scale)
    assert estimate.proportion(40, 50).se_scale == "" and estimate.proportion(40, 50).se_on_scale is None
