"""Missing labels, value of information, readers: against the figures of METHODS 11 and sums written out."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from rocscope import RocscopeError, ScoreTable, curves, intervals
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


def test_the_interval_of_the_prediction_powered_mean_covers() -> None:
    rng, held = np.random.default_rng(1), 0
    for _ in range(400):
        y = (rng.random(1060) < 0.3).astype(float)
        f = np.clip(0.2 + 0.5 * y + 0.1 * rng.standard_normal(1060), 0, 1)
        one = intervals.prediction_powered_mean(y[:60], f[:60], f[60:])
        held += one.low <= 0.3 <= one.high
    assert 0.91 < held / 400 < 0.98


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
    kernel = {
        (r, i, j): (s[i] > s[j]) + 0.5 * (s[i] == s[j]) for r, s in enumerate(readers) for i in up for j in down
    }
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
    found = intervals.readers_auc(y, scores)
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
