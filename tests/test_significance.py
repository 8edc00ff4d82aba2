"""Tests between classifiers: check values, peers, brute force, laws, and every degenerate case."""

from __future__ import annotations

import itertools
import json
import math
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import special, stats

from rocscope import significance
from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate
from rocscope.significance.data_sets import range_cdf, range_quantile, ranks_within

ORACLES = Path(__file__).parent / "oracles"
FIVE_BY_TWO = [[0.03, 0.01], [0.02, 0.04], [0, 0.02], [0.05, 0.01], [0.01, 0.02]]
TEN_FOLDS = [0.02, 0.01, 0.03, 0, 0.02, 0.04, 0.01, 0.02, 0.03, 0.02]
# differences on a grid, so that ties and zeros are common and arithmetic is exact
GRID = st.integers(-8, 8).map(lambda i: i / 64)


def frozen(name: str) -> dict:
    return json.loads((ORACLES / f"{name}.json").read_text())


def near(expected: object) -> object:
    return pytest.approx(expected, rel=1e-9, abs=1e-12)


def six(expected: object) -> object:
    return pytest.approx(expected, abs=6e-7)


# --- McNemar and Cochran


def test_mcnemar_check_values() -> None:
    expected = {"exact": 0.065430, "mid-p": 0.038574, "chi2": 0.034808, "chi2-corrected": 0.070440}
    for method, p in expected.items():
        assert significance.mcnemar(2, 9, method=method).p == six(p)
    assert significance.mcnemar(2, 9).method == "mcnemar mid-p"


@pytest.mark.oracle
@pytest.mark.parametrize("case", frozen("base")["discordant"], ids=lambda c: f"{c['b']}-{c['c']}")
def test_mcnemar_agrees_with_r(case: dict) -> None:
    b, c = case["b"], case["c"]
    assert significance.mcnemar(b, c, method="exact").p == near(case["exact"])
    assert significance.mcnemar(b, c).p == near(case["mid_p"])
    plain, corrected = (significance.mcnemar(b, c, method=m) for m in ("chi2", "chi2-corrected"))
    assert (plain.statistic, plain.p) == near((case["chi2"], case["chi2_p"]))
    assert (corrected.statistic, corrected.p) == near((case["corrected"], case["corrected_p"]))


@pytest.mark.oracle
@pytest.mark.parametrize("case", frozen("peers")["discordant"], ids=lambda c: f"{c['b']}-{c['c']}")
def test_mcnemar_agrees_with_statsmodels_and_mlxtend(case: dict) -> None:
    b, c = case["b"], case["c"]
    assert significance.mcnemar(b, c, method="exact").p == near(case["exact"])
    for method in ("chi2", "chi2-corrected"):
        result = significance.mcnemar(b, c, method=method)
        assert [result.statistic, result.p] == near(case[method])
    assert [result.statistic, result.p] == near(case["mlxtend-corrected"])


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_sum_of_coin_tosses(b: int, c: int) -> None:
    assume(b + c > 0)
    n, least = b + c, min(b, c)
    tail = sum(comb(n, k) for k in range(least + 1))
    assert significance.mcnemar(b, c, method="exact").p == near(min(1.0, 2 * tail / 2**n))
    assert significance.mcnemar(b, c).p == near((2 * tail - comb(n, least)) / 2**n if b != c else 1.0)


@pytest.mark.parametrize("method", ["mid-p", "exact", "chi2", "chi2-corrected"])
@settings(max_examples=40)
@given(b=st.integers(0, 80), c=st.integers(0, 80), level=st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_mcnemars_interval_inverts_its_test(method: str, b: int, c: int, level: float) -> None:
    one, other = (significance.mcnemar(*pair, method=method, level=level) for pair in ((b, c), (c, b)))
    assert one.p == near(other.p)
    assert (one.low, one.high) == near((-other.high, -other.low))
    assert -1 <= one.low <= one.value <= one.high <= 1
    assert one.low < one.high
    assert one.p is not None
    if abs(one.p - (1 - level)) > 1e-9:
        assert (one.p < 1 - level) == (not one.low <= 0 <= one.high)


@pytest.mark.parametrize("method", ["mid-p", "exact", "chi2", "chi2-corrected"])
def test_no_discordant_pair_is_p_one(method: str) -> None:
    same = significance.mcnemar(0, 0, method=method)
    assert (same.value, same.p) == (0, 1)
    assert "no discordant pair" in same.why
    assert significance.mcnemar(7, 7, method=method).p == 1


def test_mid_p_keeps_its_size() -> None:
    """Exact rejection rate at 5 % when neither is better, over pairs of which up to 7 in 10 are discordant."""
    given_pairs = {}
    for m in range(61):
        rejected = [b for b in range(m + 1) if significance.mcnemar(b, m - b).p <= 0.05]
        given_pairs[m] = sum(comb(m, b) for b in rejected) / 2**m
    for n in (10, 20, 30, 45, 60):
        for share in (0.05, 0.1, 0.2, 0.3, 0.5, 0.7):
            chances = (comb(n, m) * share**m * (1 - share) ** (n - m) for m in range(n + 1))
            assert sum(chance * given_pairs[m] for m, chance in enumerate(chances)) <= 0.05


def test_mcnemar_far_out_is_not_zero() -> None:
    for method in ("mid-p", "exact", "chi2", "chi2-corrected"):
        assert significance.mcnemar(0, 10**6, method=method).p > 0


@pytest.mark.parametrize(("b", "c"), [(-1, 2), (1.5, 2), (math.nan, 2), ("1", 2)])
def test_mcnemar_refuses_what_are_no_counts(b: object, c: object) -> None:
    with pytest.raises(RocscopeError, match="b must be"):
        significance.mcnemar(b, c)  # type: ignore[arg-type]


def test_mcnemar_names_its_methods() -> None:
    with pytest.raises(RocscopeError, match="Did you mean 'mid-p'"):
        significance.mcnemar(1, 2, method="midp")


@pytest.mark.oracle
@pytest.mark.parametrize("case", frozen("peers")["several"])
def test_cochran_agrees_with_mlxtend_and_statsmodels(case: dict) -> None:
    result = significance.cochran_q(case["correct"])
    assert (result.statistic, result.p) == near((case["q"], case["p"]))
    assert result.statistic == near(case["statsmodels"])


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_cochran_with_two_models_is_mcnemar(rows: list[tuple[bool, bool]]) -> None:
    b, c = sum(x and not y for x, y in rows), sum(y and not x for x, y in rows)
    result, expected = significance.cochran_q(rows), significance.mcnemar(b, c, method="chi2")
    assert (result.statistic, result.p) == near((expected.statistic, expected.p))


def test_identical_models_in_cochran() -> None:
    same = significance.cochran_q([[1, 1, 1], [0, 0, 0], [1, 1, 1]])
    assert (same.value, same.statistic, same.p) == (0, 0, 1)
    assert same.why


def test_cochran_refuses_predictions() -> None:
    with pytest.raises(RocscopeError, match="row 1 has 2"):
        significance.cochran_q([[0, 1], [2, 1]])
    with pytest.raises(RocscopeError, match="cases x models"):
        significance.cochran_q([[1], [0]])
    with pytest.raises(RocscopeError, match="cases x models"):
        significance.cochran_q([1, 0, 1])


# --- over folds


def test_five_by_two_check_values() -> None:
    t, f = significance.t_5x2(FIVE_BY_TWO), significance.f_5x2(FIVE_BY_TWO)
    assert (t.statistic, t.p) == six((1.761661, 0.138427))
    assert (f.statistic, f.p) == six((2.241379, 0.193042))
    assert (t.df, f.df) == (5, (10, 5))
    assert t.value == f.value == pytest.approx(0.021)
    assert t.low < 0.021 < t.high


@pytest.mark.oracle
@pytest.mark.parametrize("case", frozen("peers")["resampled"])
def test_folds_agree_with_mlxtend(case: dict) -> None:
    t, f = significance.t_5x2(case["diffs"]), significance.f_5x2(case["diffs"])
    naive = significance.naive_t(case["diffs"])
    assert [t.statistic, t.p] == near(case["t"])
    assert [f.statistic, f.p] == near(case["f"])
    assert [naive.statistic, naive.p] == near(case["naive"])


def test_corrected_check_values() -> None:
    result = significance.corrected_t(TEN_FOLDS, 90, 10)
    assert (result.statistic, result.p) == six((3.769685, 0.004419))
    assert (result.low, result.high) == six((0.007998, 0.032002))
    naive = significance.naive_t(TEN_FOLDS)
    assert naive.statistic == six(5.477226)
    assert "overconfident" in naive.why
    assert significance.bayesian_t(TEN_FOLDS, 90, 10, rope=0).right == six(0.997791)
    assert significance.bayesian_t(TEN_FOLDS, 90, 10, rope=0.01).rope == six(0.045890)


@pytest.mark.oracle
@pytest.mark.parametrize("case", frozen("base")["folds"], ids=lambda c: str(len(c["diffs"])))
def test_corrected_t_agrees_with_r(case: dict) -> None:
    result = significance.corrected_t(case["diffs"], case["train"], case["test"])
    assert (result.statistic, result.p) == near((case["t"], case["p"]))
    assert (result.low, result.high) == near((case["low"], case["high"]))
    naive = significance.naive_t(case["diffs"])
    assert (naive.statistic, naive.p) == near((case["naive_t"], case["naive_p"]))
    assert [naive.low, naive.high] == near(case["naive_limits"])
    posterior = significance.bayesian_t(case["diffs"], case["train"], case["test"], rope=case["rope"])
    assert (posterior.left, posterior.right) == near((case["left"], case["right"]))


@pytest.mark.oracle
@pytest.mark.parametrize("case", [c for c in frozen("peers")["bayesian"] if "t" in c])
def test_bayesian_t_agrees_with_baycomp(case: dict) -> None:
    posterior = significance.bayesian_t(case["diffs"], case["folds"] - 1, 1.0000001, rope=0.01)
    assert [posterior.left, posterior.rope, posterior.right] == pytest.approx(case["t"], abs=1e-6)
    ratio = significance.bayesian_t(case["diffs"], 10 * (case["folds"] - 1), 10, rope=0.01)
    assert [ratio.left, ratio.rope, ratio.right] == near(case["t"])


@given(st.lists(GRID, min_size=2, max_size=12), st.sampled_from([0.0, 0.01, 0.05]))
def test_resampled_tests_turn_with_their_sign(diffs: list[float], rope: float) -> None:
    flipped = [-d for d in diffs]
    one, other = significance.corrected_t(diffs, 90, 10), significance.corrected_t(flipped, 90, 10)
    assert one.p == near(other.p)
    assert one.value == near(-other.value)
    left = significance.bayesian_t(diffs, 90, 10, rope=rope)
    right = significance.bayesian_t(flipped, 90, 10, rope=rope)
    assert left.left == pytest.approx(right.right, nan_ok=True)
    if not math.isnan(left.left):
        assert left.left + left.rope + left.right == near(1.0)
        assert min(left.left, left.rope, left.right) >= 0


@given(st.lists(GRID, min_size=2, max_size=12))
def test_the_correction_only_widens_and_its_posterior_matches_its_p(diffs: list[float]) -> None:
    assume(max(diffs) > min(diffs))
    corrected, naive = significance.corrected_t(diffs, 90, 10), significance.naive_t(diffs)
    assert corrected.low < naive.low
    assert corrected.high > naive.high
    assert corrected.p is not None
    assert naive.p is not None
    assert corrected.p >= naive.p * (1 - 1e-12)
    better = significance.bayesian_t(diffs, 90, 10, rope=0).right
    assert min(better, 1 - better) == pytest.approx(corrected.p / 2, abs=1e-12)


def test_repetitions_may_be_a_table_and_sizes_a_list() -> None:
    flat = significance.corrected_t(TEN_FOLDS, 90, 10)
    table = significance.corrected_t(np.reshape(TEN_FOLDS, (2, 5)), [90] * 10, [10] * 10)
    assert table == flat


def test_identical_models_over_folds_are_p_one() -> None:
    zeros, square = [0.0] * 10, [[0.0, 0.0]] * 5
    for result in (
        significance.corrected_t(zeros, 90, 10),
        significance.naive_t(zeros),
        significance.t_5x2(square),
        significance.f_5x2(square),
    ):
        assert (result.value, result.p, result.statistic) == (0, 1, 0)
        assert "all differences are 0" in result.why
    assert significance.bayesian_t(zeros, 90, 10, rope=0.01).rope == 1


def test_constant_differences_are_not_certainty() -> None:
    # 0.9 - 0.8 and 0.8 - 0.7 differ in their last bits
    nearly = [0.9 - 0.8, 0.8 - 0.7, 0.4 - 0.3, 0.1, 0.3 - 0.2] * 2
    assert len(set(nearly)) > 1
    for result, p in (
        (significance.t_5x2([[0.1, 0.1]] * 5), 0.0625),
        (significance.f_5x2([[0.1, 0.1]] * 5), 0.0625),
        (significance.corrected_t(nearly, 90, 10), 2.0**-9),
        (significance.naive_t(nearly), 2.0**-9),
        (significance.corrected_t([-0.1] * 4, 90, 30), 0.125),
    ):
        assert math.isinf(result.statistic)
        assert math.isnan(result.low)
        assert result.p == p
        assert "do not vary" in result.why
    posterior = significance.bayesian_t([0.1] * 10, 90, 10, rope=0.01)
    assert math.isnan(posterior.right)
    assert posterior.why


def test_fewer_degrees_of_freedom_by_hand() -> None:
    found, plain = significance.corrected_t(FIVE_BY_TWO, 50, 50, df=5), significance.corrected_t(FIVE_BY_TWO, 50, 50)
    # the squares of the ten add up to 0.0065, their mean is 0.021, so s² = (0.0065 - 10 x 0.021²)/9
    se = math.sqrt(1.1 * (0.0065 - 10 * 0.021**2) / 9)
    assert (found.se, found.df) == near((se, 5))
    assert found.p == near(2 * stats.t.sf(0.021 / se, 5))
    assert (found.low, found.high) == near((0.021 - stats.t.ppf(0.975, 5) * se, 0.021 + stats.t.ppf(0.975, 5) * se))
    assert (plain.value, plain.se, plain.statistic) == near((found.value, found.se, found.statistic))
    assert significance.corrected_t(FIVE_BY_TWO, 50, 50, df=20) == plain  # never more than folds - 1
    with pytest.raises(RocscopeError, match="degrees of freedom"):
        significance.corrected_t(FIVE_BY_TWO, 50, 50, df=0)


# --- cases, corrected for training


def test_delong_corrected_for_training_by_hand() -> None:
    generator = np.random.default_rng(3)
    y = np.arange(60) % 2
    a, b = (generator.normal(size=60) + y for _ in range(2))
    plain = significance.delong(y, a, b, interval="delong")  # without a floor its half-width is z se
    found = significance.corrected_cases(plain, 59, 60)
    se = plain.se * math.sqrt(1 + 60 / 59)
    assert (found.value, found.df) == (plain.value, 59)
    assert (found.se, found.statistic) == near((se, plain.value / se))
    assert found.p == near(2 * stats.t.sf(abs(plain.value) / se, 59))
    half = stats.t.ppf(0.975, 59) * se
    assert (found.low, found.high) == near((plain.value - half, plain.value + half))
    assert found.method == "delong, corrected for training (Nadeau-Bengio)"


@given(st.floats(-0.9, 0.9), st.floats(0.01, 0.5), st.integers(2, 400), st.integers(1, 400))
def test_the_correction_on_cases_only_widens_and_agrees_with_its_p(
    value: float, half: float, tested: int, trained: int
) -> None:
    plain = Estimate(value, max(-1, value - half), min(1, value + half), 0.95, "delong", "", 0.5)
    found = significance.corrected_cases(plain, trained, tested)
    assert -1 <= found.low <= plain.low <= plain.high <= found.high <= 1
    assume(abs(found.p - 0.05) > 1e-9)
    assert (found.low > 0 or found.high < 0) == (found.p < 0.05)


def test_nothing_is_widened_where_nothing_differs() -> None:
    same = significance.delong([0, 1, 0, 1], [1, 2, 3, 4], [1, 2, 3, 4])
    assert significance.corrected_cases(same, 3, 4) is same
    none = significance.delong([1, 1, 1], [1, 2, 3], [3, 2, 1])
    assert significance.corrected_cases(none, 3, 3) is none
    for trained, tested in ((0, 4), (3, 1), (math.nan, 4)):
        with pytest.raises(RocscopeError, match="at least 2 tested cases"):
            significance.corrected_cases(same, trained, tested)


def slope_and_middle(rows: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    low, high = rows[y == 0].mean(axis=0), rows[y == 1].mean(axis=0)
    return high - low, (high + low) / 2


def scored(train: np.ndarray, y: np.ndarray, test: np.ndarray) -> list[np.ndarray]:
    """Two learners equal by symmetry: the nearer class mean, in the first and in the last three features."""
    made = []
    for part in (slice(0, 3), slice(3, 6)):
        slope, middle = slope_and_middle(train[:, part], y)
        made.append((test[:, part] - middle) @ slope)
    return made


def area(y: np.ndarray, scores: np.ndarray) -> float:
    return float((scores[y == 1][:, None] > scores[y == 0]).mean())


def test_equal_learners_on_few_cases_are_seldom_called_different() -> None:
    y, rejected = np.arange(60) % 2, {"5x2-f": 0, "corrected-t5": 0, "delong": 0, "corrected": 0}
    for seed in range(200):
        generator = np.random.default_rng(seed)
        rows = generator.normal(size=(60, 6)) + 0.5 * y[:, None]
        gaps = []
        for _ in range(5):
            first = np.concatenate([generator.permutation(np.flatnonzero(y == label))[:15] for label in (0, 1)])
            half = np.isin(np.arange(60), first)
            for train in (half, ~half):
                a, b = scored(rows[train], y[train], rows[~train])
                gaps.append(area(y[~train], a) - area(y[~train], b))
        rejected["5x2-f"] += significance.f_5x2(np.reshape(gaps, (5, 2))).p < 0.05
        rejected["corrected-t5"] += significance.corrected_t(gaps, 30, 30, df=5).p < 0.05
        alone = [scored(np.delete(rows, i, 0), np.delete(y, i), rows[i : i + 1]) for i in range(60)]
        plain = significance.delong(y, *np.concatenate(alone, axis=1))
        rejected["delong"] += plain.p < 0.05
        rejected["corrected"] += significance.corrected_cases(plain, 59, 60).p < 0.05
    assert rejected["corrected-t5"] <= 0.07 * 200 < 0.15 * 200 < rejected["5x2-f"]
    assert rejected["corrected"] <= 0.07 * 200 < rejected["delong"]


def test_halves_that_agree_but_repetitions_that_differ() -> None:
    """Variance 0 within, differences between: all 32 sign patterns of the five means."""
    means = [0.1, 0.2, -0.05, 0.1, 0.3]
    sums = [
        abs(sum(s * m for s, m in zip(signs, means, strict=True))) for signs in itertools.product((1, -1), repeat=5)
    ]
    expected = sum(total >= abs(sum(means)) - 1e-12 for total in sums) / 32
    assert significance.f_5x2([[m, m] for m in means]).p == expected


def test_one_difference_is_not_enough() -> None:
    result = significance.corrected_t([0.2], 90, 10)
    assert result.p == 1
    assert "a single difference" in result.why


def test_leave_one_out_and_bad_sizes_are_refused() -> None:
    with pytest.raises(RocscopeError, match="leave-one-out"):
        significance.corrected_t([0, 1, 0, -1, 0], 4, 1)
    with pytest.raises(RocscopeError, match="train has 2 sizes"):
        significance.corrected_t(TEN_FOLDS, [90, 90], 10)
    with pytest.raises(RocscopeError, match="test must be a number of cases"):
        significance.corrected_t(TEN_FOLDS, 90, 0)


@pytest.mark.parametrize("diffs", [[0.1] * 10, [[0.1] * 5] * 2, [[0.1, 0.2]] * 4, [[0.1], [0.1, 0.2]], 0.1, None])
def test_five_by_two_asks_for_its_shape(diffs: object) -> None:
    for run in (significance.t_5x2, significance.f_5x2):
        with pytest.raises(RocscopeError, match="5 rows of 2"):
            run(diffs)


@pytest.mark.parametrize("diffs", [[0.1, math.nan], [0.1, math.inf], ["a", "b"], [], [None, 0.1], [1j, 2]])
def test_differences_that_are_none_are_refused(diffs: object) -> None:
    for run in (significance.naive_t, significance.wilcoxon, significance.sign_test):
        with pytest.raises(RocscopeError, match="diffs"):
            run(diffs)


def test_a_nan_is_counted_and_found() -> None:
    with pytest.raises(RocscopeError, match=r"2 values that are NaN or infinite \(first at row 1\)"):
        significance.naive_t([0.1, math.nan, 0.2, math.nan])


# --- ranks over data sets


def with_rank_sums() -> list[list[float]]:
    """14 data sets on which four models have the rank sums 44, 28, 40.5 and 27.5."""
    ranks = [[4, 2, 3, 1]] * 6 + [[4, 1, 3, 2]] * 2 + [[3, 1, 4, 2]] * 2
    ranks += [[1, 3, 2, 4]] * 2 + [[1, 2, 3, 4], [3, 4, 1.5, 1.5]]
    return [[-rank for rank in row] for row in ranks]


def test_friedman_check_values() -> None:
    scores = with_rank_sums()
    assert significance.nemenyi(scores).ranks == pytest.approx((3.143, 2.000, 2.893, 1.964), abs=5e-4)
    chi2, f = (significance.friedman(scores, method=m).statistic for m in ("chi2", "iman-davenport"))
    assert (round(chi2, 2), round(f, 2)) == (9.28, 3.69)
    assert chi2 == near(float(12 * 14 / 20 * ((44**2 + 28**2 + 40.5**2 + 27.5**2) / 14**2 - 25)))
    # 9.2836 and 3.6889 follow from mean ranks rounded to three decimals, which the scores do not give
    rounded = 12 * 14 / 20 * (3.143**2 + 2.000**2 + 2.893**2 + 1.964**2 - 25)
    assert rounded == pytest.approx(9.2836, abs=5e-5)
    assert 13 * rounded / (42 - rounded) == pytest.approx(3.6889, abs=5e-5)
    assert significance.nemenyi(scores).cd == six(1.253559)
    assert range_quantile(0.95, 4) / math.sqrt(2) == six(2.569032)


@pytest.mark.oracle
@pytest.mark.parametrize("case", frozen("base")["ranked"], ids=lambda c: f"{c['rows']}x{c['models']}{c['ties']}")
def test_friedman_agrees_with_r(case: dict) -> None:
    scores = np.reshape(case["scores"], (case["rows"], case["models"]))
    result = significance.friedman(scores, method="chi2-ties")
    assert (result.statistic, result.p) == near((case["chi2"], case["p"]))
    if not case["ties"]:
        assert significance.friedman(scores, method="chi2").statistic == near(case["chi2"])


@pytest.mark.oracle
@pytest.mark.parametrize("case", frozen("peers")["ranked"], ids=lambda c: f"{len(c['scores'])}")
def test_ranks_agree_with_scipy_and_posthocs(case: dict) -> None:
    scores = np.array(case["scores"])
    n, k = scores.shape
    chi2 = significance.friedman(scores, method="chi2")
    assert (chi2.statistic, chi2.p) == near((case["chi2"], case["p"]))
    f = (n - 1) * case["chi2"] / (n * (k - 1) - case["chi2"])
    result = significance.friedman(scores)
    assert (result.statistic, result.p) == near((f, special.fdtrc(k - 1, (k - 1) * (n - 1), f)))
    # theirs integrates to about eight digits
    assert np.array(significance.nemenyi(scores).p) == pytest.approx(np.array(case["nemenyi"]), abs=1e-6)
    assert range_quantile(0.95, k) == pytest.approx(case["q95"], rel=1e-8)


@pytest.mark.oracle
@pytest.mark.parametrize("case", frozen("base")["ranges"], ids=lambda c: f"{c['k']}-{c['q']}")
def test_range_of_normals_agrees_with_r(case: dict) -> None:
    assert range_cdf(case["q"], case["k"]) == pytest.approx(case["below"], abs=1e-9)


@given(st.floats(0.01, 8))
def test_range_of_two_normals_in_closed_form(q: float) -> None:
    assert range_cdf(q, 2) == pytest.approx(math.erf(q / 2), abs=1e-12)


SCORES = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 6), min_size=k, max_size=k), min_size=1, max_size=12)
)


@given(SCORES)
def test_friedman_reads_only_the_order_within_rows(rows: list[list[int]]) -> None:
    scores = np.array(rows, dtype=float)
    for method in ("iman-davenport", "chi2", "iman-davenport-ties", "chi2-ties"):
        plain = significance.friedman(scores, method=method)
        bent = significance.friedman(np.exp(scores) + np.arange(len(scores))[:, None] * 1000, method=method)
        turned = significance.friedman(scores[:, ::-1], method=method)
        assert plain == bent
        assert plain == turned
        assert plain.p is not None
        assert 0 < plain.p <= 1
        assert 0 <= plain.value <= 1


@given(SCORES)
def test_friedman_by_definition(rows: list[list[int]]) -> None:
    scores = np.array(rows, dtype=float)
    n, k = scores.shape
    ranks = np.array([[1 + sum(o > x for o in r) + (r.count(x) - 1) / 2 for x in r] for r in rows])
    assert ranks_within(scores).tolist() == ranks.tolist()
    chi2 = 12 * n / (k * (k + 1)) * ((ranks.mean(axis=0) ** 2).sum() - k * (k + 1) ** 2 / 4)
    assert significance.friedman(scores, method="chi2").statistic == pytest.approx(chi2, abs=1e-9)


def test_every_data_set_alike_is_counted_not_infinite_certainty() -> None:
    alike = significance.friedman([[3, 2, 1]] * 5)
    assert alike.statistic == math.inf
    assert alike.p == near(6.0**-4)  # the first arrangement is free, the other four must repeat it
    assert alike.why
    assert significance.friedman([[3, 2]] * 5).p == near(2.0**-4)
    tied = significance.friedman([[3, 2, 2]] * 4, method="iman-davenport-ties")
    assert tied.p == near(3.0**-3)


def test_models_tied_everywhere_are_p_one() -> None:
    for method in ("iman-davenport", "chi2", "iman-davenport-ties", "chi2-ties"):
        same = significance.friedman([[0.5] * 3] * 4, method=method)
        assert (same.value, same.statistic, same.p) == (0, 0, 1)
        assert same.why
    assert significance.nemenyi([[0.5] * 3] * 4).groups == (("0", "1", "2"),)


def test_one_data_set_says_nothing() -> None:
    assert significance.friedman([[3, 2, 1]]).p == 1


def test_critical_difference_groups_and_names() -> None:
    scores = [[4, 3, 2, 1]] * 12 + [[3, 4, 1, 2]] * 3
    result = significance.nemenyi(scores, names=["a", "b", "c", "d"])
    assert result.ranks == pytest.approx((1.2, 1.8, 3.2, 3.8))
    assert result.cd == pytest.approx(2.569032 * math.sqrt(20 / 90), abs=1e-6)
    assert result.groups == (("a", "b"), ("c", "d"))
    chain = significance.nemenyi([[4, 3, 2, 1]] * 7, names=["a", "b", "c", "d"])
    assert chain.groups == (("a", "b"), ("b", "c"), ("c", "d"))
    assert chain.differ("a", "c") is True
    assert chain.differ("a", "b") is False
    json.dumps(chain.to_dict(), allow_nan=False)
    with pytest.raises(RocscopeError, match="no model 'e'"):
        chain.differ("a", "e")


@settings(max_examples=50)
@given(SCORES, st.sampled_from([0.8, 0.95]))
def test_nemenyi_groups_and_p_values_say_the_same(rows: list[list[int]], level: float) -> None:
    result = significance.nemenyi(rows, level=level)
    together = {frozenset(pair) for group in result.groups for pair in itertools.combinations(group, 2)}
    for i, j in itertools.combinations(range(len(result.names)), 2):
        pair = frozenset((result.names[i], result.names[j]))
        assert (pair in together) == (not result.differ(result.names[i], result.names[j]))
        if abs(result.p[i][j] - (1 - level)) > 1e-9:
            assert (result.p[i][j] < 1 - level) == result.differ(result.names[i], result.names[j])
    assert not any(set(a) < set(b) for a in result.groups for b in result.groups)


def test_nemenyi_checks_names() -> None:
    for names in (["a"], ["a", "a", "b"]):
        with pytest.raises(RocscopeError, match="3 distinct names"):
            significance.nemenyi([[1, 2, 3]], names=names)


# --- signs over data sets


@pytest.mark.oracle
@pytest.mark.parametrize("case", frozen("base")["signed"], ids=lambda c: str(len(c["x"])))
def test_signed_ranks_agree_with_r(case: dict) -> None:
    diffs = [x / 1024 for x in case["x"]]  # a power of two: nothing is rounded
    exact, normal = significance.wilcoxon(diffs), significance.wilcoxon(diffs, method="normal")
    assert (exact.statistic, exact.p) == near((case["v"], case["p"]))
    assert normal.p == near(case["p_normal"])
    assert exact.value * 1024 == near(case["estimate"])
    if case["achieved"] >= 0.95:
        assert [exact.low * 1024, exact.high * 1024] == near(case["limits"])
    else:
        assert math.isnan(exact.low)
        assert "too few" in exact.why
    sign = significance.sign_test(diffs)
    assert (sign.statistic, sign.p) == near((case["wins"], case["sign_p"]))


@pytest.mark.oracle
@pytest.mark.parametrize("case", frozen("base")["signed_ties"], ids=lambda c: str(len(c["x"])))
def test_tied_signed_ranks_agree_with_r(case: dict) -> None:
    result = significance.wilcoxon(case["x"], method="normal")
    assert (result.statistic, result.p) == near((case["v"], case["p_normal"]))
    sign = significance.sign_test(case["x"])
    assert (sign.statistic, sign.p) == near((case["wins"], case["sign_p"]))
    if 0 in case["x"]:
        assert "left out" in result.why
        assert "left out" in sign.why


@given(st.lists(GRID, min_size=1, max_size=9))
def test_exact_signed_ranks_by_every_sign_pattern(diffs: list[float]) -> None:
    moved = [abs(d) for d in diffs if d]
    assume(moved)
    ranks = [sum(o < x for o in moved) + (moved.count(x) + 1) / 2 for x in moved]
    seen = sum(r for r, d in zip(ranks, (d for d in diffs if d), strict=True) if d > 0)
    sums = [sum(r for r, s in zip(ranks, s, strict=True) if s) for s in itertools.product((0, 1), repeat=len(moved))]
    tails = (sum(x <= seen for x in sums), sum(x >= seen for x in sums))
    result = significance.wilcoxon(diffs, method="exact")
    assert result.statistic == near(seen)
    assert result.p == near(min(1.0, 2 * min(tails) / len(sums)))


@settings(max_examples=50)
@given(st.lists(st.integers(-500, 500), min_size=6, max_size=25, unique_by=abs).filter(lambda x: 0 not in x))
def test_wilcoxons_interval_inverts_its_test(diffs: list[int]) -> None:
    """Moving the differences by a number just inside or outside a limit makes the test keep or reject."""
    result = significance.wilcoxon(diffs)
    assert result.low <= result.value <= result.high
    for edge, outwards in ((result.low, -1), (result.high, 1)):
        inside, outside = edge - outwards * 0.1234, edge + outwards * 0.1234
        assert significance.wilcoxon([d - outside for d in diffs]).p <= 0.05 + 1e-12
        if result.low < inside < result.high:
            assert significance.wilcoxon([d - inside for d in diffs]).p > 0.05 - 1e-12


def test_the_median_lies_between_its_order_statistics() -> None:
    diffs = list(range(1, 21))
    result = significance.sign_test(diffs)
    assert (result.value, result.low, result.high) == (10.5, 6, 15)  # P(Bin(20, 1/2) <= 5) = 0.0207
    assert math.isnan(significance.sign_test([1, 2, 3, 4, 5]).low)
    assert not math.isnan(significance.sign_test([1, 2, 3, 4, 5, 6]).low)


@given(st.lists(GRID, min_size=1, max_size=30), st.sampled_from(["exact", "mid-p"]))
def test_sign_test_is_mcnemar_on_wins_and_losses(diffs: list[float], method: str) -> None:
    wins, losses = sum(d > 0 for d in diffs), sum(d < 0 for d in diffs)
    expected = significance.mcnemar(wins, losses, method=method)
    assert significance.sign_test(diffs, method=method).p == near(expected.p)


def test_all_zero_differences_are_p_one() -> None:
    for result in (significance.wilcoxon([0, 0, 0]), significance.sign_test([0, 0])):
        assert (result.value, result.p) == (0, 1)
        assert "all differences are 0" in result.why
    same = significance.bayesian_signed_rank([0, 0, 0], rope=0.01, draws=100)
    assert (same.left, same.rope, same.right) == (0, 1, 0)


def test_many_differences_use_the_normal() -> None:
    diffs = np.linspace(-1, 1.2, 301)
    diffs = diffs[diffs != 0]
    result = significance.wilcoxon(diffs)
    assert result.method == "wilcoxon normal"
    assert result.p == pytest.approx(significance.wilcoxon(diffs, method="exact").p, rel=0.03)
    assert result.low < result.value < result.high


def test_sign_tests_name_their_methods() -> None:
    with pytest.raises(RocscopeError, match="no Wilcoxon method 'pratt'"):
        significance.wilcoxon([1, 2], method="pratt")
    with pytest.raises(RocscopeError, match="Did you mean 'mid-p'"):
        significance.sign_test([1, 2], method="midp")


@pytest.mark.oracle
@pytest.mark.parametrize("case", [c for c in frozen("peers")["bayesian"] if "signed_rank" in c])
def test_bayesian_signed_rank_agrees_with_baycomp(case: dict) -> None:
    result = significance.bayesian_signed_rank(case["diffs"], rope=0.01)
    # both draw at random: 200,000 against 50,000 draws, so within four standard errors
    assert [result.left, result.rope, result.right] == pytest.approx(case["signed_rank"], abs=0.01)


def test_a_difference_at_the_margin_itself_is_equivalent() -> None:
    """0.05 - 0.03 is a little more than 0.02 in floats."""
    gap = 0.05 - 0.03
    assert gap > 0.02
    for diffs in ([gap] * 6, [-gap] * 6, [gap, -gap] * 3):
        found = significance.bayesian_signed_rank(diffs, rope=0.02, draws=200)
        assert (found.left, found.rope, found.right) == (0, 1, 0)
    assert significance.bayesian_signed_rank([0.0201] * 6, rope=0.02, draws=200).right > 0.9


def test_bayesian_signed_rank_is_seeded_and_mirrors() -> None:
    diffs = [0.03, 0.01, -0.02, 0.05, 0.0, 0.04]
    one = significance.bayesian_signed_rank(diffs, rope=0.01, draws=2000, seed=3)
    assert one == significance.bayesian_signed_rank(diffs, rope=0.01, draws=2000, seed=3)
    assert one != significance.bayesian_signed_rank(diffs, rope=0.01, draws=2000, seed=4)
    mirror = significance.bayesian_signed_rank([-d for d in diffs], rope=0.01, draws=2000, seed=3)
    assert (one.left, one.rope) == near((mirror.right, mirror.rope))
    assert one.left + one.rope + one.right == near(1.0)
    json.dumps(one.to_dict(), allow_nan=False)


def test_bayesian_input_is_checked() -> None:
    for wrong in ({"rope": -1}, {"rope": "0.1"}, {"rope": 0.1, "seed": -1}, {"rope": 0.1, "draws": 0}):
        with pytest.raises(RocscopeError):
            significance.bayesian_signed_rank([0.1, 0.2], **wrong)
    with pytest.raises(RocscopeError, match="seed must be a whole number"):
        significance.bayesian_signed_rank([0.1, 0.2], rope=0.1, seed=1.5)  # type: ignore[arg-type]


# --- margins


def test_margin_check_value() -> None:
    assert significance.tost(0.01, 0.008, margin=0.03).p == six(0.006210)


@pytest.mark.oracle
@pytest.mark.parametrize("case", frozen("base")["margins"])
def test_margins_agree_with_r(case: dict) -> None:
    values = case["d"], case["se"]
    more = {"margin": case["margin"], "df": case["df"]}
    assert significance.tost(*values, **more).p == near(case["tost"])
    assert significance.non_inferiority(*values, **more).p == near(case["non_inferiority"])


@given(st.floats(-1, 1), st.floats(0.001, 1), st.floats(0.001, 1), st.sampled_from([0.9, 0.95, 0.975]))
def test_equivalence_is_the_interval_inside_the_margin(d: float, se: float, margin: float, level: float) -> None:
    both = significance.tost(d, se, margin=margin, level=level)
    one = significance.non_inferiority(d, se, margin=margin, level=level)
    assert both.p is not None
    assert one.p is not None
    assert both.p >= one.p
    if abs(both.p - (1 - level)) > 1e-9:
        assert (both.p < 1 - level) == (-margin < both.low and both.high < margin)
    if abs(one.p - (1 - level)) > 1e-9:
        assert (one.p < 1 - level) == (-margin < one.low)


def test_margins_take_an_estimate() -> None:
    fold = significance.corrected_t(TEN_FOLDS, 90, 10)
    direct = significance.tost(fold.value, fold.se, margin=0.05, df=9)
    assert significance.tost(fold, margin=0.05) == direct
    with pytest.raises(RocscopeError, match="no single df"):
        significance.tost(significance.f_5x2(FIVE_BY_TWO), margin=0.05)
    with pytest.raises(RocscopeError, match="standard error is missing"):
        significance.tost(Estimate(0.1, 0.0, 0.2), margin=0.05)


def test_no_spread_shows_nothing() -> None:
    for run in (significance.tost, significance.non_inferiority):
        result = run(0.0, 0.0, margin=0.1)
        assert result.p == 1
        assert result.why


@pytest.mark.parametrize("margin", [0, -0.1, math.nan, math.inf, None, "0.1"])
def test_a_margin_is_asked_for(margin: object) -> None:
    with pytest.raises(RocscopeError, match="margin must be a number"):
        significance.tost(0.01, 0.01, margin=margin)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        significance.tost(0.01, 0.01)  # type: ignore[call-arg]


# --- multiplicity


@pytest.mark.oracle
@pytest.mark.parametrize("case", frozen("base")["adjusted"] + frozen("peers")["adjusted"])
def test_adjustments_agree_with_r_and_statsmodels(case: dict) -> None:
    assert significance.holm(case["p"]) == near(case["holm"])
    assert significance.bonferroni(case["p"]) == near(case["bonferroni"])
    assert significance.benjamini_hochberg(case["p"]) == near(case["bh"])


P_VALUES = st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.01, 0.05, 1.0])), max_size=20)


@given(P_VALUES, st.randoms())
def test_adjustments_are_ordered_and_move_with_their_p(ps: list[float], random: object) -> None:
    order = list(range(len(ps)))
    random.shuffle(order)  # type: ignore[attr-defined]
    for run in (significance.holm, significance.bonferroni, significance.benjamini_hochberg):
        adjusted = run(ps)
        assert all(raw <= new + 1e-15 and new <= 1 for raw, new in zip(ps, adjusted, strict=True))
        assert run([ps[i] for i in order]) == near([adjusted[i] for i in order])
    triples = zip(significance.benjamini_hochberg(ps), significance.holm(ps), significance.bonferroni(ps), strict=True)
    assert all(bh <= h + 1e-12 and h <= b + 1e-12 for bh, h, b in triples)


@given(P_VALUES)
def test_holm_by_definition(ps: list[float]) -> None:
    """Rejected at alpha exactly when every smaller p clears its own step."""
    adjusted = significance.holm(ps)
    ranked = sorted(ps)
    for alpha in (0.01, 0.05, 0.2):
        steps = [p * (len(ps) - i) <= alpha for i, p in enumerate(ranked)]
        cleared = next((i for i, ok in enumerate(steps) if not ok), len(steps))
        assert sum(p <= alpha for p in adjusted) >= cleared
        # equal p-values share their fate, so more may fall only together with a tie
        assert all(p <= alpha for p, raw in zip(adjusted, ps, strict=True) if cleared and raw < ranked[cleared - 1])


@pytest.mark.parametrize("ps", [[0.1, 1.1], [-0.1], [math.nan], ["a"], 0.5])
def test_p_values_are_checked(ps: object) -> None:
    for run in (significance.holm, significance.bonferroni, significance.benjamini_hochberg):
        with pytest.raises(RocscopeError):
            run(ps)


# --- the registry


def test_every_declared_test_is_found_and_documented() -> None:
    for name, test in significance.catalog().items():
        assert significance.find(name) is test
        assert significance.find(name.replace("-", "_")) is test
        assert test.takes
        assert test.says
        assert test.cite
        assert ">>>" in (test.run.__doc__ or "")
        assert "Reference" in (test.run.__doc__ or "")


def test_the_registry_is_read_only_and_answers_typing_errors() -> None:
    with pytest.raises(TypeError):
        significance.catalog()["x"] = None  # type: ignore[index]
    with pytest.raises(RocscopeError, match="Did you mean 'wilcoxon'"):
        significance.find("wilcoxn")
    with pytest.raises(RocscopeError, match="declared twice"):
        significance.difference("wilcoxon", takes="nothing")(lambda: None)


def test_cochran_gives_the_gap_between_the_shares_of_right_answers() -> None:
    assert significance.cochran_q([[1, 1, 0], [1, 0, 0], [1, 1, 1], [1, 1, 0]]).value == 1 - 1 / 4


def test_ranks_exactly_the_critical_difference_apart_differ() -> None:
    found = significance.CriticalDifference(("a", "b", "c"), (1.0, 2.5, 2.0), 1.5, (), (), 0.95, 10)
    assert found.differ("a", "b") and found.differ("b", "a") and not found.differ("a", "c")


# ---- what settles a difference, and the share of positives elsewhere ----


def test_of_a_single_comparison_the_interval_decides_where_its_p_value_disagrees() -> None:
    one = Estimate(0.04, low=0.001, high=0.07, level=0.95, method="", p=0.06)
    assert significance.settled(one, p_adjusted=0.06)
    assert not significance.settled(one, p_adjusted=0.07)  # one of several
    assert not significance.settled(Estimate(0.04, low=-0.001, high=0.07, level=0.95, method="", p=0.04), 0.04)


@pytest.mark.parametrize("prevalence", [0.02, 0.3, 0.9])
def test_a_share_of_positives_elsewhere_is_another_ratio_of_costs(prevalence: float) -> None:
    """The slope is (cost FP / cost FN) times the odds against a positive: a share moves every ratio by one factor."""
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], [60, 40])
    models = {name: np.round(rng.normal(size=100) + shift * y, 1) for name, shift in (("a", 1.0), ("b", 1.2))}
    ratios = np.array([0.5, 1, 4, 20])
    factor = (60 / 40) / ((1 - prevalence) / prevalence)
    there = significance.cheapest_along(y, models, ratios, n=200, prevalence=prevalence)
    here = significance.cheapest_along(y, models, ratios * factor, n=200)
    assert there["a"] == pytest.approx(here["a"], abs=1e-12) and there["b"] == pytest.approx(here["b"], abs=1e-12)
    assert len(set(there["a"])) > 1


def test_the_depth_of_rank_limits_is_that_of_the_signed_rank_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many data sets: the normal depth is within one of the exact one, which is counted."""
    from rocscope.significance import data_sets

    for count in (15, 20, 25):
        exact = data_sets._rank_depth(count, 0.95)
        with monkeypatch.context() as patch:
            patch.setattr(data_sets, "EXACT_UP_TO", 5)
            assert abs(data_sets._rank_depth(count, 0.95) - exact) <= 1


def test_limits_are_of_95_percent_unless_said_otherwise() -> None:
    assert significance.mcnemar(10, 3) == significance.mcnemar(10, 3, level=0.95)


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_the_depth_of_signed_rank_limits_by_the_normal_distribution_is_near_the_exact_one(level: float) -> None:
    from rocscope.significance import data_sets

    for count in (201, 260, 400):
        below = np.cumsum(data_sets._signed_sums(range(1, count + 1)))
        exact = int(np.searchsorted(below, (1 - level) / 2, "right"))
        assert abs(data_sets._rank_depth(count, level) - exact) <= 0.004 * exact
