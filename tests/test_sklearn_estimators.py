"""Estimators that carry a threshold or a calibrator, and displays: as scikit-learn's, with this library's numbers."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import rocscope as rs
import rocscope.sklearn as ours
from rocscope.errors import RocscopeError

pytest.importorskip("sklearn", reason="no scikit-learn")
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score, cross_validate
from sklearn.utils.estimator_checks import check_estimator

X, Y = make_classification(1200, 6, n_informative=3, weights=[0.8], class_sep=0.7, random_state=0)
TRAIN, TEST = slice(0, 600), slice(600, None)
MODEL = LogisticRegression().fit(X[TRAIN], Y[TRAIN])
COSTS = rs.Costs(fp=1, fn=5)


def test_a_threshold_goes_home_with_the_model() -> None:
    ev = rs.evaluate(MODEL, X[TEST], Y[TEST], costs=COSTS)
    assert isinstance(ev, rs.Evaluation) and ev.point is not None
    made = ev.threshold_model(MODEL)
    expected = MODEL.predict_proba(X[TEST])[:, 1] >= ev.point.threshold
    assert (made.predict(X[TEST]) == expected).all()
    assert rs.Counts.from_labels(Y[TEST], made.predict(X[TEST])) == ev.point.counts
    found = pickle.loads(pickle.dumps(made))
    assert found.provenance["chosen"] == "cost" and found.provenance["chosen_on"] == "these cases"
    assert found.provenance["costs"]["fn"] == 5 and found.provenance["cases"] == 600
    assert (found.predict_proba(X) == MODEL.predict_proba(X)).all()
    assert clone(made).fit(X, Y).threshold == ev.point.threshold


def test_the_positive_label_may_be_the_first() -> None:
    ev = rs.evaluate(MODEL, X[TEST], Y[TEST], positive=0, choose="youden")
    assert isinstance(ev, rs.Evaluation) and ev.point is not None
    made = ev.threshold_model(MODEL)
    assert (made.predict(X[TEST]) == np.where(MODEL.predict_proba(X[TEST])[:, 0] >= ev.point.threshold, 0, 1)).all()
    with pytest.raises(RocscopeError, match="is not one of the model's classes"):
        rs.evaluate(["a", "b"], [0.1, 0.2], positive="b", choose="youden").threshold_model(MODEL)


def test_costs_choose_inside_cross_validation() -> None:
    made = ours.CostThresholdClassifier(LogisticRegression(), cost_fn=5, cv=4).fit(X[TRAIN], Y[TRAIN])
    by_hand = np.empty(600)
    for train, test in rs.splits.plan("4-fold", Y[TRAIN]):
        by_hand[test] = LogisticRegression().fit(X[train], Y[train]).predict_proba(X[test])[:, 1]
    best = rs.decisions.best(rs.ScoreTable.from_scores(Y[TRAIN], by_hand), "cost", costs=COSTS)
    assert made.threshold_ == best[0].threshold
    assert made.evaluation_.selection is not None  # corrected for the choice
    assert cross_val_score(made, X, Y, scoring=ours.scorer("recall"), cv=3).shape == (3,)
    rule = ours.CostThresholdClassifier(LogisticRegression(), rule="recall where precision >= 0.3").fit(X, Y)
    assert rule.provenance_["chosen"] == "recall where precision >= 0.3"
    weighted = ours.CostThresholdClassifier(LogisticRegression(), cost_fn=5).fit(X, Y, sample_weight=1 + 9 * Y)
    assert weighted.threshold_ != ours.CostThresholdClassifier(LogisticRegression(), cost_fn=5).fit(X, Y).threshold_


def test_a_calibrator_goes_home_with_the_model(tmp_path: Any) -> None:
    raw = MODEL.predict_proba(X[TEST])[:, 1]
    kept = rs.recalibrate(Y[TEST], raw, "beta").calibrator
    made = ours.CalibratedClassifier(MODEL, calibrator=kept)
    np.testing.assert_array_equal(made.predict_proba(X[TEST])[:, 1], kept.apply(raw))
    learnt = ours.CalibratedClassifier(LogisticRegression(), "platt", cv=4).fit(X[TRAIN], Y[TRAIN])
    assert learnt.predict_proba(X[TEST]).sum(axis=1) == pytest.approx(np.ones(600))
    assert rs.evaluate(learnt, X[TEST], Y[TEST]).auc.value == pytest.approx(
        rs.evaluate(Y[TEST], learnt.estimator_.predict_proba(X[TEST])[:, 1]).auc.value
    )


def test_a_threshold_of_half_the_cases_costs_as_much_as_was_reported() -> None:
    """Of 150 samples the corrected interval of the cost covers the cost on other cases about as often as it says."""
    covered, apparent_below, runs = 0, 0, 150
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        y = rng.random(8300) < 0.2
        s = rng.normal(size=8300) + y
        ev = rs.evaluate(y[:300], s[:300], costs=COSTS)
        assert isinstance(ev, rs.Evaluation) and ev.point is not None and ev.cost is not None
        there = ev.table.from_scores(y[300:], s[300:]).at(ev.point.threshold)
        truth = 1000 * float(there.fp + 5 * there.fn) / 8000
        covered += ev.cost.low <= truth <= ev.cost.high
        assert ev.apparent_cost is not None
        apparent_below += ev.apparent_cost.value < truth
    assert covered / runs >= 0.90  # binomial: P(below 0.90 | 0.95) = 0.006
    assert apparent_below / runs > 0.6


# scikit-learn asks that predict agrees with decision_function > 0, which a chosen threshold must not
CHOSEN = {"check_classifiers_train": "decides at its own threshold"}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_they_are_estimators_of_scikit_learn() -> None:
    """The quick one; all three by `make peer-checks`."""
    found = check_estimator(
        ours.ThresholdClassifier(LogisticRegression()), expected_failed_checks=CHOSEN, on_fail=None, on_skip=None
    )
    assert not [one["check_name"] for one in found if one["status"] == "failed"]
    assert sum(one["status"] == "passed" for one in found) > 45


# ---- displays ----


@pytest.mark.parametrize("version", ["1.6.1", "1.7.2"])
def test_displays_of_an_older_scikit_learn_are_refused_with_the_version_they_need(
    version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tried with the real ones, too: 1.6 and 1.7 lack what the displays inherit, 1.8 has it."""
    import importlib

    import sklearn

    from rocscope.sklearn import displays

    monkeypatch.setattr(sklearn, "__version__", version)
    with pytest.raises(RocscopeError, match=rf"displays need scikit-learn 1.8 or later, but {version} is installed"):
        importlib.reload(displays)

DISPLAYS = ("RocCurveDisplay", "PrecisionRecallDisplay", "DetCurveDisplay", "CalibrationDisplay")


@pytest.fixture
def ax() -> Any:
    matplotlib = pytest.importorskip("matplotlib", reason="no matplotlib")
    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    return Figure().subplots()


@pytest.mark.parametrize("name", DISPLAYS)
def test_a_display_has_a_band(name: str, ax: Any) -> None:
    display = getattr(ours, name)
    made = display.from_estimator(MODEL, X[TEST], Y[TEST], ax=ax)
    assert made.band_ in ax.patches
    wide, narrow = (_area(made.draw_band(level).band_.get_xy()) for level in (0.99, 0.5))
    assert wide > narrow > 0
    assert made.draw_band(None).band_ is None and not ax.patches
    assert display.from_predictions(Y[TEST], MODEL.predict_proba(X[TEST])[:, 1], ax=ax, band=False).band_ is None


def _area(corners: Any) -> float:
    x, y = corners.T
    return float(abs(x @ np.roll(y, 1) - y @ np.roll(x, 1)) / 2)


def test_the_band_of_a_roc_curve_is_that_of_the_intervals(ax: Any) -> None:
    made = ours.RocCurveDisplay.from_estimator(MODEL, X[TEST], Y[TEST], ax=ax)
    table = rs.ScoreTable.from_scores(Y[TEST], MODEL.predict_proba(X[TEST])[:, 1])
    x, y = rs.plots.band_outline(rs.curves.roc(table))
    np.testing.assert_array_equal(made.band_.get_xy(), np.column_stack([x, y]))


@pytest.mark.parametrize("name", [*DISPLAYS, "ConfusionMatrixDisplay"])
def test_the_folds_of_a_cross_validation(name: str, ax: Any) -> None:
    found = cross_validate(LogisticRegression(), X, Y, cv=4, return_estimator=True, return_indices=True)
    made = getattr(ours, name).from_cv_results(found, X, Y, ax=ax)
    if name == "ConfusionMatrixDisplay":
        assert made.confusion_matrix.sum() == 1200
    elif name in DISPLAYS[:2]:
        assert len(made.line_) == 4
    else:
        assert made.band_ is not None


def test_a_matrix_with_intervals(ax: Any) -> None:
    made = ours.ConfusionMatrixDisplay.from_estimator(MODEL, X[TEST], Y[TEST], ax=ax, intervals=True)
    tn, fp = made.confusion_matrix[0]
    low, high = (getattr(rs.estimate.proportion(int(tn), int(tn + fp)), side) for side in ("low", "high"))
    assert made.text_[0, 0].get_text() == f"{tn}\n{low:.0%}-{high:.0%}"


def test_make_scorer_takes_names_and_functions() -> None:
    name, function = ours.make_scorer("f1"), ours.make_scorer(ours.f1_score)
    assert name(MODEL, X, Y) == pytest.approx(function(MODEL, X, Y))


def test_a_threshold_is_not_taken_to_a_model_that_is_not_fitted() -> None:
    ev = rs.evaluate([0, 1, 1, 0], [0.1, 0.9, 0.7, 0.3], choose="youden")
    with pytest.raises(RocscopeError, match="Pass a fitted classifier"):
        ev.threshold_model(LogisticRegression())
