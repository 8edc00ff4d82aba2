"""Measures of several classes and labels against scikit-learn on 500 random sets, and against frozen torchmetrics."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rocscope as rs
from rocscope.intervals import case_statistic
from rocscope.multiclass import ClassPredictions, ClassScores, LabelPredictions

SETS = int(os.environ.get("CLASS_SETS", "60"))
TORCH = json.loads((Path(__file__).parent / "oracles" / "torchmetrics.json").read_text("utf-8"))


def classes_of(seed: int) -> tuple[Any, Any, Any]:
    """Labels, probabilities (tied in a third of the sets) and weights (in half of them)."""
    rng = np.random.default_rng(seed)
    k, n = int(rng.integers(3, 8)), int(rng.integers(40, 120))
    y = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    raw = rng.random((n, k)) + rng.random((n, 1)) * (y[:, None] == np.arange(k)) + 1e-3
    raw = np.round(raw, 1) + 0.1 if seed % 3 == 0 else raw
    return y, raw / raw.sum(axis=1, keepdims=True), rng.random(n) + 0.1 if seed % 2 else None


def labels_of(seed: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(10_000 + seed)
    n, size = int(rng.integers(40, 120)), int(rng.integers(2, 6))
    truth = rng.random((n, size)) < 0.4
    truth[0], truth[1] = True, False
    scores = np.round(rng.random((n, size)) * 0.7 + 0.3 * truth, 2 if seed % 2 else 6)
    return truth, scores, rng.random(n) + 0.1 if seed % 2 else None


def expected_classes(y: Any, shares: Any, weights: Any) -> dict[str, float]:
    from sklearn import metrics as sk

    guess, how = shares.argmax(axis=1), {"sample_weight": weights}
    found = {
        "accuracy": sk.accuracy_score(y, guess, **how),
        "balanced_accuracy": sk.balanced_accuracy_score(y, guess, **how),
        "mcc": sk.matthews_corrcoef(y, guess, **how),
        "kappa": sk.cohen_kappa_score(y, guess, **how),
        "log_loss": sk.log_loss(y, shares, **how),
        "brier": sk.brier_score_loss(y, shares, **how),
        "top_2_accuracy": sk.top_k_accuracy_score(y, shares, k=2, **how),
        "auc": sk.roc_auc_score(y, shares, multi_class="ovr", **how),
        "auc_ovr_weighted": sk.roc_auc_score(y, shares, multi_class="ovr", average="weighted", **how),
        "auc_ovr_micro": sk.roc_auc_score(y, shares, multi_class="ovr", average="micro", **how),
    }
    if weights is None:
        found["auc_ovo"] = sk.roc_auc_score(y, shares, multi_class="ovo")
    scores = {"precision": sk.precision_score, "recall": sk.recall_score, "f1": sk.f1_score}
    for average in ("macro", "micro", "weighted"):
        for name, score in scores.items():
            found[f"{average}_{name}"] = score(y, guess, average=average, zero_division=np.nan, **how)
    return found


def expected_labels(truth: Any, scores: Any, weights: Any) -> dict[str, float]:
    from sklearn import metrics as sk

    guess, how = scores >= 0.5, {"sample_weight": weights}
    found = {
        "subset_accuracy": sk.accuracy_score(truth, guess, **how),
        "hamming_loss": sk.hamming_loss(truth, guess, **how),
        "ranking_precision": sk.label_ranking_average_precision_score(truth, scores, **how),
        "ranking_loss": sk.label_ranking_loss(truth, scores, **how),
        "coverage_error": sk.coverage_error(truth, scores, **how),
        "auc": sk.roc_auc_score(truth, scores, **how),
        "micro_auc": sk.roc_auc_score(truth, scores, average="micro", **how),
        "average_precision": sk.average_precision_score(truth, scores, **how),
        "micro_average_precision": sk.average_precision_score(truth, scores, average="micro", **how),
    }
    names = {"precision": sk.precision_score, "recall": sk.recall_score, "f1": sk.f1_score}
    for average in ("macro", "micro", "weighted", "samples"):
        for name, score in names.items():
            found[f"{average}_{name}"] = score(truth, guess, average=average, zero_division=np.nan, **how)
    return found


@pytest.mark.oracle
@pytest.mark.parametrize("part", range(2))
def test_measures_equal_those_of_scikit_learn(part: int) -> None:
    """A part of the sets here; CLASS_SETS=500 pytest ... goes through 500 of classes and 500 of labels."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn warns of undefined classes, which are left out there too
        for seed in range(part, SETS, 2):
            y, shares, weights = classes_of(seed)
            p = ClassPredictions.of_scores(ClassScores.of(y, shares, weights=weights))
            _same(expected_classes(y, shares, weights), p)
            truth, scores, heavy = labels_of(seed)
            _same(expected_labels(truth, scores, heavy), LabelPredictions.of(truth, scores, weights=heavy))


def _same(expected: dict[str, float], p: Any) -> None:
    for name, value in expected.items():
        assert case_statistic(name, p).value(p) == pytest.approx(value, abs=1e-12), name


@pytest.mark.parametrize("part", range(2))
def test_measures_equal_frozen_ones_of_torchmetrics(part: int) -> None:
    """A part of the 500 frozen sets here; CLASS_SETS=500 goes through all of them."""
    for row in range(part, min(SETS, len(TORCH["seeds"])), 2):
        seed = TORCH["seeds"][row]
        y, shares, _ = classes_of(seed)
        truth, scores, _ = labels_of(seed)
        p, q = ClassPredictions.of_scores(ClassScores.of(y, shares)), LabelPredictions.of(truth, scores)
        expected = {name: values[row] for name, values in TORCH["classes"].items()}
        error = expected.pop("ece_10")
        if seed % 3:  # rounded probabilities lie on edges of bins, which torchmetrics puts below
            assert rs.curves.ece(p.confidence) == pytest.approx(error, abs=1e-12)
        _same(expected, p)
        _same({name: values[row] for name, values in TORCH["labels"].items()}, q)


@pytest.mark.parametrize("seed", range(6))
def test_estimates_hold_the_values_and_are_never_of_width_0(seed: int) -> None:
    y, shares, weights = classes_of(seed)
    ev = rs.evaluate(y, shares, weights=weights)
    for name, one in ev.estimates.items():
        assert one.low <= one.value <= one.high and one.low < one.high, name
        assert one.value == pytest.approx(case_statistic(name, ev.predictions).value(ev.predictions), abs=1e-12)
    truth, scores, heavy = labels_of(seed)
    labels = rs.evaluate(truth, scores, weights=heavy)
    for name, one in labels.estimates.items():
        assert one.low <= one.value <= one.high and one.low < one.high, name


@pytest.mark.parametrize("cases", range(2, 60))
def test_the_baseline_of_equal_sets_of_labels_is_1_and_not_above(cases: int) -> None:
    """Shares of single cases add up to a little more than 1 with 49 of them, say."""
    truth = np.tile([1, 0, 1], (cases, 1))
    found = rs.evaluate(truth, np.full(truth.shape, 0.4), labels=["a", "b", "c"])
    assert found.baseline("subset_accuracy") == 1.0 and found.baseline("ranking_precision") <= 1.0


@pytest.mark.parametrize("cases", [9, 23, 49, 50])
def test_no_baseline_of_labels_is_beyond_its_range(cases: int) -> None:
    """Labels that every case has: the means over cases of what is predicted anyway are 1, not 1 and a last digit."""
    truth = np.ones((cases, 3), dtype=int)
    found = rs.evaluate(truth, np.full(truth.shape, 0.6), labels=["a", "b", "c"])
    for name in found.estimates:
        baseline = found.baseline(name)
        assert np.isnan(baseline) or baseline <= case_statistic(name, found.predictions).high, name
