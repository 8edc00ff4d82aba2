"""scikit-learn agrees to 1e-12 on 500 random data sets with ties and weights."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

from rocscope import ScoreTable, curves

pytestmark = pytest.mark.oracle

CLOSE = {"rtol": 1e-12, "atol": 1e-12}
SETS = 500


class Case(NamedTuple):
    """One data set: labels, probabilities, weights or None, and its table."""

    y: Any
    score: Any
    weights: Any
    table: ScoreTable


def data_sets() -> Iterator[Case]:
    """From 2 to 80 cases, from heavy ties to none, in [0, 1], weights absent, whole or decimal; both classes occur."""
    rng = np.random.default_rng(2026)
    for i in range(SETS):
        n = int(rng.integers(2, 80))
        y = (rng.random(n) < rng.uniform(0.1, 0.9)).astype(int)
        y[:2] = 0, 1
        score = np.clip(rng.random(n) * 0.7 + 0.3 * y * rng.random(), 0.001, 0.999)
        if i % 3:
            score = np.round(score, int(rng.integers(1, 3)))
        weights = (None, rng.integers(1, 5, n), rng.uniform(0.1, 3, n))[i % 3]
        yield Case(y, score, weights, ScoreTable.from_scores(y, score, weights=weights))


@pytest.fixture(scope="module")
def sets() -> list[Case]:
    return list(data_sets())


@pytest.fixture(autouse=True)
def _quiet_peer() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_auc(sets: list[Case]) -> None:
    from sklearn.metrics import roc_auc_score

    for case in sets:
        theirs = roc_auc_score(case.y, case.score, sample_weight=case.weights)
        assert curves.auc(case.table) == pytest.approx(theirs, abs=1e-12)


def test_roc_with_and_without_dropped_points(sets: list[Case]) -> None:
    from sklearn.metrics import roc_curve

    for case in sets:
        ours = curves.roc(case.table)
        fpr, tpr, thresholds = roc_curve(case.y, case.score, sample_weight=case.weights, drop_intermediate=False)
        assert np.array_equal(ours.thresholds, thresholds)
        assert np.allclose(ours.fpr, fpr, **CLOSE) and np.allclose(ours.tpr, tpr, **CLOSE)
        fpr, tpr, thresholds = roc_curve(case.y, case.score, sample_weight=case.weights)
        kept = np.isin(ours.thresholds, thresholds)
        assert np.allclose(ours.fpr[kept], fpr, **CLOSE) and np.allclose(ours.tpr[kept], tpr, **CLOSE)
        thin = ours.thin()
        assert set(thin.thresholds) <= set(thresholds), "where they drop a straight piece, so do we, and no less"
        assert np.trapezoid(thin.tpr, thin.fpr) == pytest.approx(np.trapezoid(tpr, fpr), abs=1e-12)


def test_precision_recall_and_average_precision(sets: list[Case]) -> None:
    from sklearn.metrics import auc, average_precision_score, precision_recall_curve

    for case in sets:
        precision, recall, thresholds = precision_recall_curve(case.y, case.score, sample_weight=case.weights)
        ours = curves.pr(case.table)
        assert np.array_equal(ours.thresholds[1:], thresholds[::-1])
        assert np.allclose(ours.precision[1:], precision[-2::-1], **CLOSE), "all but their invented point"
        assert np.allclose(ours.recall[1:], recall[-2::-1], **CLOSE)
        theirs = average_precision_score(case.y, case.score, sample_weight=case.weights)
        assert curves.average_precision(case.table) == pytest.approx(theirs, abs=1e-12)
        assert curves.pr_trapezoid(case.table) == pytest.approx(auc(recall, precision), abs=1e-12)


def test_brier_and_log_loss(sets: list[Case]) -> None:
    from sklearn.metrics import brier_score_loss, log_loss

    for case in sets:
        brier = brier_score_loss(case.y, case.score, sample_weight=case.weights)
        assert curves.brier(case.table) == pytest.approx(brier, abs=1e-12)
        theirs = log_loss(case.y, case.score, sample_weight=case.weights)
        clip = float(np.finfo(np.float64).eps)  # they keep that far off 0 and 1 unasked
        assert curves.log_loss(case.table, clip=clip) == pytest.approx(theirs, abs=1e-12)
        if not curves.why("log_loss", case.table):
            assert curves.log_loss(case.table) == pytest.approx(theirs, abs=1e-12)


def test_calibration_bins(sets: list[Case]) -> None:
    """Their bins are closed on the right and lose the empty ones; they know no weights."""
    from sklearn.calibration import calibration_curve

    for case in sets:
        bins = 2 ** int(1 + len(case.y) % 4)  # edges that both sides compute without rounding
        observed, score = calibration_curve(case.y, case.score, n_bins=bins)
        plain = ScoreTable.from_scores(case.y, case.score)
        ours = curves.calibration(plain, bins=bins, closed="right")
        full = ours.count > 0
        assert np.allclose(ours.observed[full], observed, **CLOSE) and np.allclose(ours.score[full], score, **CLOSE)


def test_partial_auc_where_both_are_defined(sets: list[Case]) -> None:
    from sklearn.metrics import roc_auc_score

    compared = 0
    for case in sets[::5]:
        ours = curves.partial_auc(case.table, fpr=(0, 0.3), corrected=True)
        if not np.isnan(ours):
            theirs = roc_auc_score(case.y, case.score, sample_weight=case.weights, max_fpr=0.3)
            assert ours == pytest.approx(theirs, abs=1e-12)
            compared += 1
    assert compared > 50


def test_isotonic_blocks(sets: list[Case]) -> None:
    from sklearn.isotonic import IsotonicRegression

    for case in sets[::5]:
        fitted = IsotonicRegression().fit_transform(case.score, case.y, sample_weight=case.weights)
        ours = curves.calibration(case.table)
        block = np.searchsorted(ours.low, case.score, side="right") - 1
        assert np.allclose(ours.observed[block], fitted, rtol=1e-9, atol=1e-9)
        recalibrated = np.average((case.y - fitted) ** 2, weights=case.weights)
        assert curves.miscalibration(case.table) == pytest.approx(curves.brier(case.table) - recalibrated, abs=1e-9)
