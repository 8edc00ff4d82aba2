"""Missing labels, value of information, readers: against the figures of METHODS 11 and sums written out."""

from __future__ import annotations

import json
import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import rocscope as rs
from benchmarks.coverage.drawn.studies import read
from rocscope import RocscopeError, ScoreTable, curves, estimate, intervals
from rocscope.intervals.multi_reader import _hillis
from rocscope.lessons import example

# ---- prediction-powered mean ----


def test_predictions_that_are_right_leave_the_variance_of_the_many() -> None:
    rng = np.random.default_rng(0)
    rest = rng.random(400)
    y = rng.random(50)
    found = intervals.prediction_powered_mean(y, y, rest)
    trust = 1 / (1 + 50 / 400) * np.var(y, ddof=1) / np.var(np.concatenate((y, rest)), ddof=1)
    expected = trust * rest.mean() + np.mean(y - trust * y)
    assert found.value == pytest.approx(expected, abs=1e-12)
    assert found.se < np.std(y, ddof=1) / math.sqrt(50)


def test_useless_predictions_leave_the_plain_mean() -> None:
    found = intervals.prediction_powered_mean([1, 0, 1, 0], [0, 1, 0, 1], [0.2, 0.8, 0.5])
    assert found.value == 0.5  # λ would be negative: it is 0
    assert found.se == pytest.approx(np.std([1, 0, 1, 0], ddof=1) / 2)


def test_two_cases_of_each_kind_are_enough_for_a_prediction_powered_mean() -> None:
    """y = (0, 2), f = (0, 1), others (0, 4): cov(y, f) = 1, the variance of all predictions 43/12, so λ = 6/43."""
    found = intervals.prediction_powered_mean([0, 2], [0, 1], [0, 4])
    trust = 6 / 43
    assert found.value == pytest.approx(trust * 2 + 1 - trust / 2)
    assert found.se**2 == pytest.approx(trust**2 * 8 / 2 + (2 - trust) ** 2 / 2 / 2)
    for y, f, rest in (([1], [1], [0, 1]), ([0, 1], [0, 1], [1])):
        with pytest.raises(RocscopeError, match="at least two"):
            intervals.prediction_powered_mean(y, f, rest)


@pytest.mark.parametrize("rest", [[0.9, 1.0, 1.0, 1.0], [0.0, 0.1, 0.0, 0.1], [0.3, 0.6, 0.7, 0.4]])
def test_a_prediction_powered_share_mirrors_with_its_labels_and_stays_inside(rest: list[float]) -> None:
    y, f = np.array([1, 1, 1, 1, 1, 0, 1, 1, 0, 1]), np.array([0.5, 0.6, 0.7, 0.6, 0.5, 0.1, 0.6, 0.8, 0.2, 0.4])
    other = np.array(rest * 10)
    one = intervals.prediction_powered_mean(y, f, other)
    two = intervals.prediction_powered_mean(1 - y, 1 - f, 1 - other)
    assert (one.value, one.low, one.high) == pytest.approx((1 - two.value, 1 - two.high, 1 - two.low), abs=1e-12)
    assert 0 <= one.low < one.high <= 1 and one.se == pytest.approx(two.se)
    trust = min(1, np.cov(y, f)[0, 1] / ((1 + 10 / 40) * np.concatenate((f, other)).var(ddof=1)))
    plain = trust * other.mean() + (y - trust * f).mean()
    assert one.value == pytest.approx(min(1.0, max(0.0, plain)))
    if plain > 1:  # Wilson's limits of 10 in 10
        assert (one.low, one.high) == pytest.approx((10 / (10 + stats.norm.ppf(0.975) ** 2), 1.0))


def test_the_interval_of_the_prediction_powered_mean_covers() -> None:
    rng, held = np.random.default_rng(1), 0
    for _ in range(400):
        y = (rng.random(1060) < 0.3).astype(float)
        f = np.clip(0.2 + 0.5 * y + 0.1 * rng.standard_normal(1060), 0, 1)
        one = intervals.prediction_powered_mean(y[:60], f[:60], f[60:])
        held += one.low <= 0.3 <= one.high
    assert 0.94 < held / 400 < 0.99


# ---- label shift ----


def test_label_shift_of_fawcetts_scores() -> None:
    scores = list(example("fawcett").data["scores"])
    found = intervals.label_shift(scores, 0.5)
    assert found.value == pytest.approx(0.312893, abs=1e-6)
    q = 0.5
    for _ in range(20_000):  # the rule itself, step by step
        q = float(np.mean([s * q / 0.5 / (s * q / 0.5 + (1 - s) * (1 - q) / 0.5) for s in scores]))
    assert found.value == pytest.approx(q, abs=1e-9)
    assert found.low < found.value < found.high


def test_label_shift_finds_another_prevalence() -> None:
    rng, held = np.random.default_rng(2), 0
    for _ in range(200):
        y = rng.random(500) < 0.1
        x = rng.standard_normal(500) + 1.5 * y
        s = 1 / (1 + np.exp(-(1.5 * x - 1.125)))  # calibrated where half are positive
        one = intervals.label_shift(s, 0.5)
        held += one.low <= 0.1 <= one.high
    assert 0.9 < held / 200 <= 0.99


@pytest.mark.parametrize(("scores", "value"), [([0.0, 0.0], 0.0), ([1.0, 1.0], 1.0)])
def test_label_shift_at_the_ends(scores: list[float], value: float) -> None:
    found = intervals.label_shift(scores, 0.3)
    assert found.value == value and found.low <= value <= found.high and found.low < found.high


# ---- partly verified ----


def test_begg_and_greenes() -> None:
    y = [1] * 30 + [0] * 10 + [None] * 60 + [1] * 3 + [0] * 57 + [None] * 840
    counts = intervals.verified_table(y, [1] * 100 + [0] * 900).at(1)
    assert counts.recall == pytest.approx(0.625, abs=1e-12)
    assert counts.specificity == pytest.approx(0.971591, abs=1e-6)


def test_all_verified_is_the_plain_table() -> None:
    y, s = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    assert curves.auc(intervals.verified_table(y, s)) == curves.auc(ScoreTable.from_scores(y, s))


def test_a_cell_nobody_verified_is_refused() -> None:
    with pytest.raises(RocscopeError, match="was verified"):
        intervals.verified_table([1, 0, None], [3, 2, 1])


def test_cells_keep_equal_scores_together() -> None:
    rng = np.random.default_rng(3)
    s = np.round(rng.random(2000), 2)
    y = (rng.random(2000) < s).astype(float)
    seen = rng.random(2000) < np.where(s > 0.5, 0.8, 0.1)
    partly = [one if known else None for one, known in zip(y.tolist(), seen.tolist(), strict=True)]
    whole, naive = curves.auc(ScoreTable.from_scores(y, s)), curves.auc(ScoreTable.from_scores(y[seen], s[seen]))
    mended = curves.auc(intervals.verified_table(partly, s))
    assert abs(mended - whole) < abs(naive - whole) / 2


# ---- value of information ----


def test_information_is_what_the_best_in_each_replicate_gains() -> None:
    assert intervals.perfect_information([[0.02, 0.015, 0], [0.01, 0.02, 0], [0.03, 0.01, 0]]) == pytest.approx(
        0.003333, abs=1e-6
    )
    rng = np.random.default_rng(4)
    y = (rng.random(300) < 0.2).astype(int)
    a, b = (np.clip(0.2 + 0.3 * y + 0.2 * rng.standard_normal(300), 0, 1) for _ in range(2))
    few = intervals.value_of_information(y, {"a": a, "b": b}, threshold=0.25)
    many = intervals.value_of_information(np.tile(y, 50), {"a": np.tile(a, 50), "b": np.tile(b, 50)}, threshold=0.25)
    assert few.value > 0 and many.value < few.value / 3
    assert sum(few.shares.values()) == pytest.approx(1)
    assert few.per_year(1000) == 1000 * few.value


def test_one_option_that_always_wins_has_nothing_to_learn() -> None:
    found = intervals.value_of_information([1, 1, 0, 0] * 50, {"a": [1, 1, 0, 0] * 50}, threshold=0.5)
    assert found.value == pytest.approx(0, abs=1e-12) and found.best == "a"


# ---- readers ----


def brute(y: list[int], readers: list[list[float]]) -> tuple[float, float]:
    """Gallas' eight moments by going through all pairs of (reader, positive, negative)."""
    up, down = [i for i, one in enumerate(y) if one], [i for i, one in enumerate(y) if not one]
    kernel = {(r, i, j): (s[i] > s[j]) + 0.5 * (s[i] == s[j]) for r, s in enumerate(readers) for i in up for j in down}
    sums: dict[tuple[bool, bool, bool], list[float]] = {}
    for (a, x), (b, z) in product(kernel.items(), repeat=2):
        sums.setdefault((a[0] == b[0], a[1] == b[1], a[2] == b[2]), []).append(x * z)
    n = len(kernel)
    moments = {key: np.mean(found) for key, found in sums.items()}
    weights = {key: len(found) / n**2 for key, found in sums.items()}
    apart = moments[False, False, False]
    return float(np.mean(list(kernel.values()))), float(sum(weights[key] * moments[key] for key in moments) - apart)


def test_readers_against_all_pairs() -> None:
    rng = np.random.default_rng(5)
    y = [1, 1, 1, 0, 0, 0, 0]
    scores = [rng.integers(0, 4, 7).astype(float).tolist() for _ in range(3)]
    value, variance = brute(y, scores)
    found = intervals.readers_auc(y, scores, method="gallas")
    assert found.value == pytest.approx(value, abs=1e-12)
    assert found.se**2 == pytest.approx(max(0.0, variance), abs=1e-12)


def test_the_variance_over_readers_and_cases_is_right_on_average() -> None:
    rng, seen, said = np.random.default_rng(6), [], []
    for _ in range(600):
        y = np.array([1] * 25 + [0] * 25)
        skill = 1 + 0.5 * rng.standard_normal(5)  # readers differ
        case = rng.standard_normal(50)  # and see the same cases
        scores = [skill[r] * y + 0.7 * case + 0.7 * rng.standard_normal(50) for r in range(5)]
        found = intervals.readers_auc(y, scores)
        seen.append(found.value)
        said.append(found.se**2)
    assert np.mean(said) == pytest.approx(np.var(seen, ddof=1), rel=0.15)


def test_the_same_scores_twice_do_not_differ() -> None:
    rng = np.random.default_rng(7)
    scores = rng.standard_normal((3, 20)).tolist()
    found = intervals.readers_auc([1, 0] * 10, scores, scores)
    assert found.value == 0


def test_one_reader_says_that_readers_are_not_seen() -> None:
    found = intervals.readers_auc([1, 1, 1, 0, 0, 0], [[3, 2, 2, 1, 2, 1]])
    assert "one reader" in found.why
    unbiased = intervals.auc(ScoreTable.from_scores([1, 1, 1, 0, 0, 0], [3, 2, 2, 1, 2, 1]), method="delong")
    assert found.value == unbiased.value


def by_analysis_of_variance(y: list[int], first: np.ndarray, second: np.ndarray) -> tuple[float, float, float]:
    """Obuchowski-Rockette with jackknife-free covariances: every sum written out over treatments and readers."""
    up, down = np.flatnonzero(y), np.flatnonzero(1 - np.array(y))
    r, both = len(first), (first, second)

    def placed(s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        kernel = (s[up][:, None] > s[down]) + 0.5 * (s[up][:, None] == s[down])
        return kernel.mean(1), kernel.mean(0)

    places = [[placed(s) for s in readers] for readers in both]
    area = np.array([[one[0].mean() for one in row] for row in places])

    def covariance(a: tuple[int, int], b: tuple[int, int]) -> float:
        (v, w), (x, z) = places[a[0]][a[1]], places[b[0]][b[1]]
        return float(np.cov(v, x)[0, 1] / len(up) + np.cov(w, z)[0, 1] / len(down))

    pairs = [(j, k) for j in range(r) for k in range(r) if j != k]
    second_kind = np.mean([covariance((i, j), (i, k)) for i in (0, 1) for j, k in pairs])
    third_kind = np.mean([covariance((0, j), (1, k)) for j, k in pairs])
    off = area - area.mean(1, keepdims=True) - area.mean(0) + area.mean()
    own_kind = np.mean([covariance((i, j), (i, j)) for i in (0, 1) for j in range(r)])
    first_kind = np.mean([covariance((0, j), (1, j)) for j in range(r)])
    square, error = (off**2).sum() / (r - 1), own_kind - first_kind - second_kind + third_kind
    shared = max(0.0, r * (second_kind - third_kind))
    total = max(square, error) + shared
    df = total**2 / (square**2 / (r - 1))
    if error > square:  # the treatments do not differ from reader to reader: the error of the cases alone
        df = total**2 / ((error**2 + shared**2) / (min(len(up), len(down)) - 1))
    return float(area[0].mean() - area[1].mean()), math.sqrt(2 / r * total), df


def test_two_sets_of_readers_against_sums_written_out() -> None:
    rng = np.random.default_rng(8)
    y = [1] * 12 + [0] * 15
    first, second = (rng.integers(0, 5, (4, 27)) + np.array(y) for _ in range(2))
    value, se, df = by_analysis_of_variance(y, first, second)
    found = intervals.readers_auc(y, list(first), list(second))
    assert (found.value, found.se, found.df) == pytest.approx((value, se, df))
    assert found.p == pytest.approx(2 * stats.t.sf(abs(value / se), df))
    assert found.high - found.value == pytest.approx(stats.t.ppf(0.975, df) * se)


def test_van_dykes_readers_have_hillis_degrees_of_freedom() -> None:
    """5 readers, 2 treatments: the mean squares and covariances that MRMCaov prints for these data."""
    variance, df = _hillis(0.0005510306, 0.0003440748 - 0.0002390284, 5, 2)
    assert (math.sqrt(variance), df) == pytest.approx((0.02074862, 15.25967), rel=1e-4)
    assert 2 * stats.t.sf(0.04380032 / math.sqrt(variance), df) == pytest.approx(0.05166569, rel=1e-4)


VAN_DYKE = json.loads((Path(__file__).parent / "oracles" / "van_dyke.json").read_text(encoding="utf-8"))


def test_van_dykes_ratings_give_what_mrmcaov_prints() -> None:
    """5 readers, 2 treatments, 114 cases: DeLong's covariances, random readers and cases, to every printed digit."""
    y = [0] * VAN_DYKE["negatives"] + [1] * VAN_DYKE["positives"]
    sets = {name: [[int(one) for one in row] for row in rows] for name, rows in VAN_DYKE["ratings"].items()}
    for name, rows in sets.items():
        areas = [rs.curves.auc(ScoreTable.from_scores(y, row)) for row in rows]
        assert areas == pytest.approx(VAN_DYKE["areas"][name], abs=5e-8)
        found = intervals.readers_auc(y, rows)
        wanted = VAN_DYKE["treatments"][name]
        assert (found.value, found.se, found.df) == pytest.approx(tuple(wanted.values()), rel=1e-6)
    found, wanted = intervals.readers_auc(y, sets["1"], sets["2"]), VAN_DYKE["difference"]
    assert [getattr(found, name) for name in ("value", "se", "df", "low", "high", "statistic", "p")] == pytest.approx(
        list(wanted.values()), rel=1e-6
    )


@pytest.mark.parametrize("readers", [3, 5])
def test_equal_treatments_are_seldom_called_different(readers: int) -> None:
    """Treatment effects of readers 0 on average: size at most 0.07 (the normal distribution gave 0.10 to 0.15)."""
    rng, rejected, n = np.random.default_rng(9), 0, 250
    y = np.array([1] * 25 + [0] * 25)
    for _ in range(n):
        skill, case = 1.2 + 0.3 * rng.standard_normal(readers), 0.8 * rng.standard_normal(50)
        sets = [
            [(one + 0.25 * rng.standard_normal()) * y + case + 0.6 * rng.standard_normal(50) for one in skill]
            for _ in range(2)
        ]
        rejected += intervals.readers_auc(y, *sets).p < 0.05
    assert rejected / n <= 0.07


def test_three_readers_keep_the_size() -> None:
    """Roe and Metz' settings in which the mean square alone called 6.4 to 7.3 % of equal treatments different."""
    called, n = 0, 1000
    for positives, negatives, area, reader, case in (
        (69, 57, 0.7577, 0.03, 0.1), (43, 83, 0.8434, 0.03, 0.1), (63, 62, 0.8154, 0.011, 0.3),
    ):  # fmt: skip
        setting = {"readers": 3, "positives": positives, "negatives": negatives, "area": area, "reader": reader,
                   "case": case, "modality": 0.2}  # fmt: skip
        for number in range(n):
            y, scores = read(setting, np.random.default_rng([6, number]))
            called += intervals.readers_auc(y, *map(list, scores)).p <= 0.05
    assert called / (3 * n) <= 0.065


# ---- partly verified: how sure ----


def test_a_verified_rate_is_that_of_the_table_and_has_wider_limits_than_its_counts() -> None:
    y, s = [1] * 30 + [0] * 10 + [None] * 60 + [1] * 3 + [0] * 57 + [None] * 840, [1] * 100 + [0] * 900
    counts = intervals.verified_table(y, s).at(1)
    recall, specific = (intervals.verified_rate(y, s, 1, rate) for rate in ("recall", "specificity"))
    assert recall.value == pytest.approx(counts.recall) and specific.value == pytest.approx(counts.specificity)
    # Begg and Greenes' variance of the logit, by hand
    se = math.sqrt(1 / 1000 / 0.09 + 0.25 / 30 + 0.95 / 3)
    low, high = (1 / (1 + math.exp(-math.log(0.625 / 0.375) + sign * 1.96 * se)) for sign in (1, -1))
    assert (recall.low, recall.high) == pytest.approx((low, high), abs=0.03)
    with pytest.raises(RocscopeError, match="no rate"):
        intervals.verified_rate(y, s, 1, "precision")


def test_no_ill_case_among_the_few_verified_is_no_certainty() -> None:
    y, s = [1] * 9 + [0] * 1 + [0] * 10 + [None] * 180, [1] * 10 + [0] * 190
    found = intervals.verified_rate(y, s, 1)
    assert (found.value, found.high) == (1.0, 1.0) and 0.05 < found.low < 0.4


def test_a_verified_recall_covers_with_five_percent_of_the_rest_verified() -> None:
    rng, n, held = np.random.default_rng(10), 1000, 0
    for _ in range(300):
        ill = rng.random(n) < 0.1
        flagged = np.where(ill, rng.random(n) < 0.8, rng.random(n) < 0.1)
        seen = rng.random(n) < np.where(flagged, 0.9, 0.05)
        y = [int(a) if b else None for a, b in zip(ill.tolist(), seen.tolist(), strict=True)]
        found = intervals.verified_rate(y, flagged.astype(float), 1)
        held += found.low <= 0.8 <= found.high
    assert held / 300 >= 0.93


def test_a_share_of_verified_cases_that_rounds_above_one_is_one() -> None:
    """11 of 21 not flagged are verified, all well: eleven times 21/11, added up in another order, is more than 21."""
    y, s = [1] * 6 + [0] * 2 + [0] * 11 + [None] * 10, [1] * 8 + [0] * 21
    found = intervals.verified_rate(y, s, 1, "specificity")
    assert found.value == pytest.approx(21 / 23) and 0 < found.low < found.value < found.high < 1


# ---- shares are shares ----


def test_prediction_powered_shares_stay_inside_and_have_width() -> None:
    none = intervals.prediction_powered_mean([0] * 15, [0] * 15, [0] * 100)
    assert (none.value, none.low) == (0, 0) and none.high == pytest.approx(estimate.proportion(0, 15).high)
    rng, held, n = np.random.default_rng(11), 0, 300
    for _ in range(n):
        y = (rng.random(1020) < 0.05).astype(float)
        f = np.clip(0.05 + 0.3 * y + 0.1 * rng.standard_normal(1020), 0, 1)
        found = intervals.prediction_powered_mean(y[:20], f[:20], f[20:])
        assert 0 <= found.low < found.high <= 1 and found.low <= found.value <= found.high
        held += found.low <= 0.05 <= found.high
    assert held / n >= 0.92
