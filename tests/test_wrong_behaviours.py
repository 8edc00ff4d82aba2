"""What other tools get wrong, and what happens here: the numbers are those of the list of wrong behaviours.

Rows that concern curves and their drawing (8-14, 22-24, 27-30, 34-36, 40) are tested beside the curves.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from fawcett import LABELS as FAWCETT_LABELS
from fawcett import SCORES as FAWCETT

import rocscope as rs
from rocscope import RocscopeError, significance


def test_wrong_01_identical_models_have_p_1() -> None:
    for again in (FAWCETT, [2 * s + 1 for s in FAWCETT]):
        found = significance.delong(FAWCETT_LABELS, FAWCETT, again)
        assert (found.value, found.p) == (0, 1) and "identical" in found.why


def test_wrong_02_mcnemar_without_discordant_pairs_has_p_1() -> None:
    for method in ("mid-p", "exact", "chi2", "chi2-corrected"):
        found = significance.mcnemar(0, 0, method=method)
        assert found.p == 1 and found.why


def test_wrong_03_identical_classifiers_in_resampling_tests() -> None:
    zeros = [[0.0, 0.0]] * 5
    assert significance.f_5x2(zeros).p == significance.t_5x2(zeros).p == 1
    assert significance.cochran_q(np.ones((6, 3), dtype=int)).p == 1
    constant = significance.f_5x2([[0.02, 0.02]] * 5)
    assert constant.p == pytest.approx(0.0625) and constant.why


def test_wrong_04_a_perfect_auc_has_an_interval_of_some_width() -> None:
    found = rs.intervals.auc(rs.ScoreTable.from_scores([1] * 10 + [0] * 10, range(20, 0, -1)))
    assert found.value == 1 and found.high == 1 and found.low == pytest.approx(0.800214, abs=1e-6)


def test_wrong_05_intervals_stay_in_range() -> None:
    m = rs.Confusion.from_labels(["a", "b", "c", "a", "b"], ["a", "b", "c", "a", "a"])
    for average in ("macro", "micro", "weighted"):
        found = m.estimate("f1", average=average)
        assert 0 <= found.low <= found.value <= found.high <= 1


def test_wrong_06_float32_never_gives_an_auc_above_1() -> None:
    scores = np.linspace(0, 1, 20001, dtype=np.float32)
    table = rs.ScoreTable.from_scores(scores > 0.3, scores, weights=np.full(20001, 0.1, dtype=np.float32))
    assert rs.curves.auc(table) == 1.0


def test_wrong_07_one_positive_has_an_interval_and_delong_says_why_not() -> None:
    table = rs.ScoreTable.from_scores([1, 0, 0, 0], [0.8, 0.9, 0.3, 0.1])
    assert 0 < rs.intervals.auc(table).low < rs.intervals.auc(table).high < 1
    delong = rs.intervals.auc(table, method="delong")
    assert math.isnan(delong.low) and delong.why


def test_wrong_15_one_policy_for_every_measure() -> None:
    silent = rs.Counts(tp=0, fp=0, fn=3, tn=7)
    for name in ("precision", "mcc", "lr_plus", "fdr", "markedness"):
        assert math.isnan(silent.value(name)) and silent.why(name), name
    assert silent.recall == 0 and silent.kappa == 0  # these are defined: nothing was found, nothing beyond chance


@pytest.mark.parametrize("labels", [[1, 2, 1, 2], ["no", "yes", "no", "yes"]])
def test_wrong_16_and_17_the_positive_label_is_asked_once(labels: list[object]) -> None:
    with pytest.raises(RocscopeError, match="positive"):
        rs.ScoreTable.from_scores(labels, [0.1, 0.9, 0.2, 0.8])
    with pytest.raises(RocscopeError, match="positive"):
        rs.Counts.from_labels(labels, labels)
    table = rs.ScoreTable.from_scores(labels, [0.1, 0.9, 0.2, 0.8], positive=labels[1])
    assert rs.curves.auc(table) == 1 and table.labels == (labels[0], labels[1])
    assert rs.curves.auc(rs.ScoreTable.from_scores(labels, [0.1, 0.9, 0.2, 0.8], positive=labels[0])) == 0


def test_wrong_18_orientation_is_printed_and_kept() -> None:
    m = rs.Confusion.from_matrix([[70, 30], [70, 330]], labels=["spam", "ham"], rows="predicted")
    assert m.of("spam").exact("precision") == Fraction(7, 10) and m.of("spam").exact("recall") == Fraction(1, 2)
    assert "actual" in str(m).splitlines()[0] and str(m).splitlines()[1].startswith("predicted")


def test_wrong_19_micro_averages_are_the_accuracy() -> None:
    m = rs.Confusion.from_labels([1, 2, 3, 1, 2, 3], [1, 2, 2, 3, 2, 3])
    assert m.micro("precision") == m.micro("recall") == m.micro("f1") == m.accuracy
    assert "micro" in rs.measures.get("accuracy").says + rs.measures.get("accuracy").prefer


def test_wrong_20_a_single_point_is_not_called_auc() -> None:
    found = rs.measures.get("single_point_auc")
    assert "single point" in found.title
    assert "auc" not in rs.measures.names()


def test_wrong_21_overall_precision_is_accuracy_with_a_note() -> None:
    assert "overall precision" in rs.measures.get("accuracy").says
    m = rs.Confusion.from_matrix([[10, 0, 0], [0, 7, 5], [0, 3, 5]], rows="predicted")
    assert m.macro("precision") == pytest.approx(0.7361, abs=1e-4) and m.micro("precision") == m.accuracy


def test_wrong_25_negative_weights_are_refused_by_row() -> None:
    with pytest.raises(RocscopeError, match="row 2"):
        rs.ScoreTable.from_scores([1, 0, 1], [0.9, 0.1, 0.5], weights=[1, 1, -1])


def test_wrong_26_an_absent_class_leaves_the_others_defined() -> None:
    scores = rs.multiclass.ClassScores.of(
        [0, 1, 0], [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.5, 0.3, 0.2]], labels=[0, 1, 2]
    )
    assert scores.auc().value == 1 and scores.auc().over == 2 and 2 in scores.auc().why


def test_wrong_33_every_observed_threshold_is_tried() -> None:
    rng = np.random.default_rng(0)
    y, s = rng.random(3000) < 0.3, rng.random(3000)
    best = rs.decisions.best(rs.ScoreTable.from_scores(y, s), "balanced_accuracy")
    tried = [rs.ScoreTable.from_scores(y, s).at(one).balanced_accuracy for one in np.sort(s)[::7]]
    assert best.value >= max(tried) and best[0].threshold in s


def test_wrong_37_all_optima_are_listed_with_their_criterion() -> None:
    table = rs.ScoreTable.from_scores(FAWCETT_LABELS, FAWCETT)
    closest = rs.decisions.best(table, "closest")
    assert [(p.counts.fpr, p.counts.tpr) for p in closest] == [(0.3, 0.6), (0.4, 0.7)]
    youden = rs.decisions.best(table, "youden")
    assert [(p.counts.fpr, p.counts.tpr) for p in youden] == [(0.1, 0.5)] and youden.rule == "youden"


def test_wrong_38_predicting_nothing_may_be_best_and_is_said() -> None:
    found = rs.decisions.best(rs.ScoreTable.from_scores([0, 0, 0, 1], [4, 3, 2, 1]), "accuracy")
    assert found[0].threshold == math.inf and "Predict nothing" in found[0].words


def test_wrong_39_delong_at_ten_million_cases() -> None:
    table = rs.ScoreTable(
        np.array([3.0, 2.0, 1.0]), np.array([3_000_000, 2_000_000, 10]), np.array([10, 2_000_000, 3_000_000]),
        rows=(5_000_010, 5_000_010),
    )  # fmt: skip
    found = rs.intervals.auc(table, method="delong")
    p, n = table.pos / table.pos.sum(), table.neg / table.neg.sum()
    placements = np.array([n[1] + n[2] + n[0] / 2, n[2] + n[1] / 2, n[2] / 2])
    others = np.array([p[0] / 2, p[0] + p[1] / 2, p[0] + p[1] + p[2] / 2])
    area = float(p @ placements)
    variance = float(p @ (placements - area) ** 2 + n @ (others - area) ** 2) / 5_000_009
    assert found.value == pytest.approx(area, abs=1e-15)
    assert found.high - found.low == pytest.approx(2 * 1.959963984540054 * math.sqrt(variance), rel=1e-9)


def test_wrong_41_bands_say_what_they_are() -> None:
    band = rs.intervals.roc_band(rs.ScoreTable.from_scores(FAWCETT_LABELS, FAWCETT))
    assert "simultaneous" in repr(band) and "0.95" in repr(band)


# ---- bad inputs that are about numbers, not about columns ----


def test_B006_one_class_only_in_the_predictions() -> None:
    m = rs.Confusion.from_labels(["a", "b", "a"], ["a", "a", "a"])
    assert m.accuracy == pytest.approx(2 / 3) and math.isnan(m.of("b").precision)
    assert "nothing was predicted positive" in m.of("b").why("precision")


@pytest.mark.parametrize(("beta", "same"), [(0, "precision"), (math.inf, "recall"), (1, "f1")])
def test_B048_beta_at_its_ends(beta: float, same: str) -> None:
    assert rs.measures.fbeta(beta) is rs.measures.get(same)


@pytest.mark.parametrize("beta", [-1, math.nan])
def test_B048_beta_that_is_none(beta: float) -> None:
    with pytest.raises(RocscopeError, match="beta"):
        rs.measures.fbeta(beta)


@pytest.mark.parametrize("name", ["finf", "f_2", "f0.5", "f0_5", "f3"])
def test_f_beta_by_name(name: str) -> None:
    assert 0 <= rs.Counts(tp=7, fp=7, fn=3, tn=13).value(name) <= 1


@pytest.mark.parametrize("level", [0, 1, 95, math.nan, -0.5])
def test_B051_levels_that_are_none(level: float) -> None:
    with pytest.raises(RocscopeError, match="level"):
        rs.estimate.proportion(4, 5, level=level)


@pytest.mark.parametrize("n", [0, 1, -5])
def test_B052_too_few_resamples(n: int) -> None:
    table = rs.ScoreTable.from_scores(FAWCETT_LABELS, FAWCETT)
    with pytest.raises(RocscopeError):
        rs.intervals.bootstrap(table, "auc", n=n)


def test_B054_the_same_seed_gives_the_same_bytes() -> None:
    table = rs.ScoreTable.from_scores(FAWCETT_LABELS, FAWCETT)
    a, b = (rs.intervals.bootstrap(table, "auc", n=300, seed=5) for _ in range(2))
    assert a == b and a != rs.intervals.bootstrap(table, "auc", n=300, seed=6)


def test_B059_two_perfect_models_differ_by_nothing_but_not_for_certain() -> None:
    y = [1] * 10 + [0] * 10
    found = significance.delong(y, list(range(20, 0, -1)), [*range(30, 20, -1), *range(1, 11)])
    assert (found.value, found.p) == (0, 1) and (found.low, found.high) == pytest.approx(
        (-0.204955, 0.204955), abs=1e-6
    )


def test_B060_no_discordant_pair() -> None:
    assert significance.mcnemar(0, 0).p == 1 and "discordant" in significance.mcnemar(0, 0).why


def test_B061_kappa_where_chance_agreement_is_complete() -> None:
    m = rs.Confusion.from_matrix([[9, 0], [0, 0]])
    assert math.isnan(m.kappa) and "chance" in m.why("kappa")


# ---- what a statistical referee found, each by the call that showed it ----


def test_the_intercept_is_not_read_as_too_high_or_too_low() -> None:
    """With a free slope the intercept says nothing of the average; calibration in the large does."""
    intercept, large = (rs.curves.get(name).says for name in ("calibration_intercept", "calibration_in_the_large"))
    assert "too high" not in intercept and "too low" not in intercept and "with slope 1" in intercept
    assert "too high" in large and "on average" in large


def test_a_weighted_recall_has_one_interval_however_it_is_asked() -> None:
    rng = np.random.default_rng(23)
    y = np.arange(200) % 2
    ev = rs.evaluate(y, np.clip(0.3 * y + 0.7 * rng.random(200), 0, 1), weights=rng.random(200) + 0.1, threshold=0.5)
    for name in ("recall", "precision", "f1"):
        asked = (ev.estimates[name], ev.measure(name), ev.at(0.5).estimate(name))
        assert len({(one.value, one.low, one.high) for one in asked}) == 1, name


def test_equivalence_uses_the_error_of_the_interval_not_the_raw_one() -> None:
    """Few cases that hardly vary: the raw DeLong error would call two models equivalent."""
    y = np.repeat([1, 0], 12)
    first = np.r_[np.arange(12) + 10.0, np.arange(12) * 1.0]
    second = first.copy()
    second[[0, 12 + 11]] = second[[12 + 11, 0]]
    found = significance.delong(y, first, second)
    raw = significance.delong(y, first, second, interval="delong").se
    half = (found.high - found.low) / 2 / 1.959964
    assert found.se == pytest.approx(half, rel=0.25) and found.se > 1.2 * raw
    direct = significance.tost(found.value, found.se, margin=0.05)
    assert significance.tost(found, margin=0.05).p == direct.p > significance.tost(found.value, raw, margin=0.05).p


@pytest.mark.parametrize("cell", [{}, None, object()])
def test_an_array_of_counts_with_something_else_in_it_is_refused(cell: object) -> None:
    with pytest.raises(rs.RocscopeError, match="tn must contain counts, but some values are not numbers"):
        rs.Counts(tp=7, fp=7, fn=3, tn=[cell, 1])


def test_one_case_is_a_case_and_not_cases() -> None:
    ev = rs.evaluate([[1, 0], [0, 0], [0, 1], [0, 1]], [[0.9, 0.2], [0.3, 0.1], [0.2, 0.8], [0.4, 0.6]])
    caveats = ev.to_dict()["verdict"]["caveats"]
    assert any("Only 1 case with 0: its estimates" in str(caveat) for caveat in caveats), caveats
    assert any("Only 2 cases without 1: its estimates" in str(caveat) for caveat in caveats), caveats
