"""Calibrators against scikit-learn and closed forms, saved and loaded; the gain on cases that were not used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rocscope as rs
from rocscope.errors import RocscopeError
from rocscope.recalibration import METHODS, learned, learned_on, recalibrated

RNG = np.random.default_rng(3)
P = RNG.uniform(0.01, 0.99, 400).round(2)
Y = (RNG.random(400) < P**1.5).astype(int)
NEW = np.linspace(0, 1, 301)


def test_isotonic_is_that_of_scikit_learn() -> None:
    isotonic = pytest.importorskip("sklearn.isotonic", reason="no scikit-learn")
    for seed in range(20):
        rng = np.random.default_rng(seed)
        s, y = rng.normal(size=60).round(1), rng.integers(0, 2, 60)
        weight = rng.integers(1, 4, 60).astype(float)
        new = np.linspace(-4, 4, 101)
        for weights in (None, weight):
            theirs = isotonic.IsotonicRegression(out_of_bounds="clip").fit(s, y, weights).predict(new)
            np.testing.assert_allclose(learned(y, s, weights=weights).apply(new), theirs, atol=1e-12)
        down = isotonic.IsotonicRegression(out_of_bounds="clip", increasing=False).fit(s, y).predict(new)
        np.testing.assert_allclose(learned(y, s, higher_is_positive=False).apply(new), down, atol=1e-12)


def test_platt_is_that_of_scikit_learn() -> None:
    calibration = pytest.importorskip("sklearn.calibration", reason="no scikit-learn")
    scores = RNG.normal(size=400) + 3 * Y + 50
    slope, intercept = calibration._sigmoid_calibration(scores, Y)  # p = 1 / (1 + exp(slope s + intercept))
    found = learned(Y, scores, "platt").parameters
    assert found["slope"] == pytest.approx(-slope, rel=2e-4)
    assert found["intercept"] == pytest.approx(-intercept, rel=2e-4)


def test_beta_and_temperature_have_the_largest_likelihood() -> None:
    """Where no neighbor is more likely, and the gradient is zero."""
    for name in ("beta", "temperature", "logistic"):
        found = learned(Y, P, name)
        top = _log_loss(found.apply(P))
        for key, value in found.parameters.items():
            for step in (-1e-3, 1e-3):
                moved = rs.Calibrator(name, {**found.parameters, key: value + step})
                assert _log_loss(moved.apply(P)) >= top - 1e-15
    q = learned(Y, P, "beta").apply(P)
    for feature in (np.log(P), np.log1p(-P), np.ones(400)):
        assert abs(feature @ (Y - q)) < 1e-6


def test_beta_is_that_of_a_logistic_regression() -> None:
    linear = pytest.importorskip("sklearn.linear_model", reason="no scikit-learn")
    X = np.column_stack([np.log(P), -np.log1p(-P)])
    fit = linear.LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000).fit(X, Y)
    found = learned(Y, P, "beta").parameters
    assert (found["a"], found["b"]) == pytest.approx(tuple(fit.coef_[0]), rel=1e-4)
    assert found["c"] == pytest.approx(fit.intercept_[0], rel=1e-3)


def test_beta_stays_monotone() -> None:
    rng = np.random.default_rng(0)
    p = rng.uniform(0.02, 0.98, 500)
    y = rng.random(500) < np.where(p > 0.5, 0.9 - 0.4 * p, p)  # falls again above 0.5
    found = learned(y, p, "beta")
    assert min(found.parameters["a"], found.parameters["b"]) == 0
    assert (np.diff(found.apply(NEW)) >= 0).all()


def _log_loss(q: Any) -> float:
    return float(-np.mean(np.where(Y == 1, np.log(q), np.log1p(-q))))


@pytest.mark.parametrize("name", METHODS)
def test_a_table_says_as_much_as_its_cases(name: str) -> None:
    table = rs.ScoreTable.from_scores(Y, P)
    whole = learned_on(table, name)
    np.testing.assert_array_equal(whole.apply(NEW), learned(Y, P, name).apply(NEW))
    halves = rs.ScoreTable.from_scores(Y[:200], P[:200]) + rs.ScoreTable.from_scores(Y[200:], P[200:])
    np.testing.assert_array_equal(whole.apply(NEW), learned_on(halves, name).apply(NEW))
    mapped, direct = whole.of_table(table), rs.ScoreTable.from_scores(Y, whole.apply(P))
    assert (mapped.scores == direct.scores).all() and (mapped.pos == direct.pos).all()
    # weights of 2 are every case twice
    twice = learned(Y, P, name, weights=np.full(400, 2.0))
    np.testing.assert_allclose(twice.apply(NEW), learned(np.tile(Y, 2), np.tile(P, 2), name).apply(NEW), atol=1e-9)


@pytest.mark.parametrize("name", METHODS)
def test_saved_and_loaded_it_is_the_same(name: str, tmp_path: Path) -> None:
    made = learned(Y, P, name)
    made.save(tmp_path / "calibrator.json")
    found = rs.Calibrator.load(tmp_path / "calibrator.json")
    assert (found.apply(NEW) == made.apply(NEW)).all()
    assert found.to_dict() == made.to_dict()
    with pytest.raises(RocscopeError, match="already exists"):
        made.save(tmp_path / "calibrator.json")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"schema": "x"}, "not a rocscope calibrator"),
        ({"method": "magic"}, "no calibration method 'magic'"),
        ({"parameters": {}}, "incomplete calibrator"),
        ({"parameters": {"slope": None, "intercept": 1}}, "incomplete calibrator"),
        ({"labels": [1]}, "incomplete calibrator"),
    ],
)
def test_a_file_is_checked(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = tmp_path / "calibrator.json"
    path.write_text(json.dumps(learned(Y, P, "platt").to_dict() | change))
    with pytest.raises(RocscopeError, match=said):
        rs.Calibrator.load(path)


def test_what_cannot_be_learned_is_refused() -> None:
    for name in ("logistic", "beta", "temperature"):
        with pytest.raises(RocscopeError, match="separate the classes"):
            learned([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9], name)
        with pytest.raises(RocscopeError, match="requires probabilities"):
            learned([0, 1, 0, 1], [-1, 2, 3, 4], name)
    with pytest.raises(RocscopeError, match="no negatives"):
        learned([1, 1], [0.1, 0.2], positive=1)
    with pytest.raises(RocscopeError, match="row 1 has 2"):
        learned(Y, P, "beta").apply([0.5, 2])


def test_the_gain_is_that_of_unseen_cases() -> None:
    """By hand: the folds, the fits, the losses."""
    found = recalibrated(Y, P, "platt", folds=4, seed=1)
    by_hand = np.empty(400)
    for train, test in rs.splits.plan("4-fold", Y, seed=1):
        by_hand[test] = learned(Y[train], P[train], "platt").apply(P[test])
    np.testing.assert_array_equal(found.probabilities, by_hand)
    gap = (P - Y) ** 2 - (by_hand - Y) ** 2
    assert found.gains["brier"].value == pytest.approx(gap.mean(), abs=1e-14)
    assert found.gains["brier"].se == pytest.approx(gap.std(ddof=1) / 20, abs=1e-14)
    assert found.losses("brier")[0].value - found.losses("brier")[1].value == pytest.approx(gap.mean(), abs=1e-14)
    assert set(found.to_dict()["before"]) == set(found.to_dict()["after"]) >= {"auc", "brier", "calibration_slope"}


def test_clusters_stay_together() -> None:
    clusters = np.repeat(np.arange(40), 10)
    found = recalibrated(Y, P, "platt", folds=4, clusters=clusters)
    assert found.gains["brier"].se != recalibrated(Y, P, "platt", folds=4).gains["brier"].se


def test_decision_values_have_no_loss_before() -> None:
    found = recalibrated(Y, 10 * P - 5, "platt")
    assert not found.gains and found.to_dict()["before"] is None
    assert found.losses("brier")[1].value < 0.25


def test_an_infinite_log_loss_is_said() -> None:
    found = recalibrated(Y[:60], P[:60], "isotonic", folds=20)
    assert np.isnan(found.gains["log_loss"].value) and "infinite" in found.gains["log_loss"].why


def test_learned_on_half_it_does_no_better_there_than_reported() -> None:
    """The cross-fitted gain of one half holds for the other half: its interval covers it about as often as it says."""
    covered, apparent_above, runs = 0, 0, 150
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        p = rng.uniform(0.02, 0.98, 4400)
        y = rng.random(4400) < 1 / (1 + np.exp(-0.6 * np.log(p / (1 - p)) - 0.3))
        found = recalibrated(y[:400], p[:400], "isotonic", folds=10)
        q = found.calibrator.apply(p[400:])
        truth = float(np.mean((p[400:] - y[400:]) ** 2 - (q - y[400:]) ** 2))
        gain = found.gains["brier"]
        covered += gain.low <= truth <= gain.high
        apparent_above += found.apparent["brier"] > truth
    assert covered / runs >= 0.90  # binomial: P(below 0.90 | 0.95) = 0.006
    assert apparent_above / runs > 0.85  # what the gain on its own cases would have claimed


# ---- files, and the command ----


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    path = tmp_path / "scores.csv"
    rows = "".join(f"{1000 + i:05d},{'yes' if y else 'no'},{p}\n" for i, (y, p) in enumerate(zip(Y, P, strict=True)))
    path.write_text("id,y,p\n" + rows)
    return path


@pytest.fixture
def ask(run: Any) -> Any:
    return lambda *words: run(*map(str, words))


def test_a_file_is_calibrated_as_its_columns(scores: Path) -> None:
    found = rs.recalibrate(scores, "p", "beta", label="y", positive="yes")
    arrays = rs.recalibrate(Y, P, "beta")
    np.testing.assert_array_equal(found.probabilities, arrays.probabilities)
    assert found.calibrator.parameters == arrays.calibrator.parameters
    assert found.calibrator.labels == ("no", "yes")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_command_writes_all_rows(ask: Any, scores: Path, ending: str) -> None:
    out, kept = scores.parent / f"calibrated.{ending}", scores.parent / "calibrator.json"
    said = ("--label", "y", "--positive", "yes", "--score", "p", "--method", "platt")
    code, text, err = ask("calibrate", scores, *said, "--output", out, "--save", kept)
    assert code == 0 and "Gain in Brier score on unseen cases" in text, err
    written = rs.evaluate(out, label="y", score="p_calibrated", positive="yes").table
    assert (written.scores == rs.recalibrate(Y, P, "platt").after.scores).all()
    from rocscope import sources

    assert sources.all_columns(sources.open(str(out)))["id"][0] == "01000"  # an id keeps its zeros
    new = scores.parent / f"new.{ending}"
    assert ask("calibrate", out, "--score", "p", "--apply", kept, "--output", new)[0] == 2  # the column is there
    assert ask("calibrate", scores, "--score", "p", "--apply", kept, "--output", new)[0] == 0
    calibrated = rs.evaluate(new, label="y", score="p_calibrated", positive="yes").table
    assert (calibrated.scores == learned(Y, P, "platt").of_table(rs.ScoreTable.from_scores(Y, P)).scores).all()


def test_a_parquet_file_of_calibrated_rows_has_numbers(ask: Any, scores: Path) -> None:
    out = scores.parent / "typed.parquet"
    said = ("--label", "y", "--positive", "yes", "--score", "p")
    assert ask("calibrate", scores, *said, "--output", out)[0] == 0
    code, text, err = ask("compare", out, *said, "--score", "p_calibrated")
    assert code == 0 and "p_calibrated" in text, err
    before = rs.evaluate(out, label="y", score="p", positive="yes").table
    assert (before.scores == rs.ScoreTable.from_scores(Y, P).scores).all()


def test_rows_left_out_stay_in_the_file(ask: Any, scores: Path) -> None:
    scores.write_text(scores.read_text() + "02000,,0.5\n")
    out = scores.parent / "calibrated.csv"
    said = ("--label", "y", "--positive", "yes", "--score", "p", "--output", out)
    assert "'y' is missing in 1 row" in ask("calibrate", scores, *said)[2]
    assert ask("calibrate", scores, *said, "--missing", "drop")[0] == 0
    assert out.read_text().splitlines()[-1] == "02000,,0.5,"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--method", "plat"), "Did you mean 'platt'"),
        (("--output", "out.txt"), "Use .parquet or .csv"),
        (("--apply", "x.json"), "needs an output file"),
        (("--apply", "x.json", "--output", "o.csv", "--save", "c.json"), "--apply and --save cannot be combined"),
    ],
)
def test_the_command_refuses_first(ask: Any, scores: Path, words: tuple[str, ...], said: str) -> None:
    code, _, err = ask("calibrate", scores, "--label", "y", "--positive", "yes", "--score", "p", *words)
    assert code == 2 and said in err
