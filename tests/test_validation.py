"""validate(): folds, summaries, comparisons, special estimates, resume, and that all of it repeats to the byte."""

from __future__ import annotations

import hashlib
import json
import math
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fawcett import LABELS as FAWCETT_Y
from fawcett import SCORES as FAWCETT
from scipy.stats import friedmanchisquare, norm
from scipy.stats import t as student
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_multilabel_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, log_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold, ShuffleSplit, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from stopping import PATIENCE

from rocscope import compare, curves, intervals, significance, splits
from rocscope.decisions import Costs
from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate, proportion
from rocscope.report import markdown
from rocscope.table import Counts, ScoreTable
from rocscope.validation import Validation, validate
from rocscope.validation.comparisons import across, default_test, fold_test, mean_over_folds, paired_on_cases
from rocscope.validation.cross_validated_auc import cv_auc
from rocscope.validation.estimates import (
    auc_632,
    corrected,
    error_632,
    optimism,
    point632,
    threshold,
    winner,
)
from rocscope.validation.folds import Problem
from rocscope.validation.models import classifier, features_of
from rocscope.validation.primary_measure import weighted_auc
from rocscope.validation.roc_average import averaged_roc

SOURCE = Path(__file__).parent.parent / "src"
RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 120)
X = RNG.normal(size=(120, 4)) + 0.7 * Y[:, None] * np.array([1, 0.5, 0, 0])
MODELS = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=3)}


def bare(document: dict[str, Any]) -> str:
    """The document without its section of times and memory, as bytes would be."""
    return json.dumps({name: part for name, part in document.items() if name != "times"}, allow_nan=False)


# ---- folds agree with scikit-learn ----


@pytest.mark.oracle
def test_folds_agree_with_cross_validate() -> None:
    names = {"accuracy": "accuracy", "auc": "roc_auc", "f1": "f1", "average_precision": "average_precision"}
    names |= {"balanced_accuracy": "balanced_accuracy", "recall": "recall", "brier": "neg_brier_score"}
    va = validate(MODELS, X, Y, plan="3x5-fold", seed=4)
    for name, model in MODELS.items():
        plan = RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=4)
        fixed = model.set_params(random_state=4) if name == "tree" else model
        theirs = cross_validate(fixed, X, Y, cv=plan, scoring=list(names.values()))
        for ours, other in names.items():
            sign = -1 if other.startswith("neg") else 1
            assert va.values(ours)[name] == pytest.approx(sign * theirs[f"test_{other}"], abs=1e-12)
        assert va.errors[name] == pytest.approx(1 - theirs["test_accuracy"], abs=1e-12)


@pytest.mark.oracle
def test_several_classes_agree_with_cross_validate() -> None:
    data, target = load_wine(return_X_y=True)
    va = validate({"bayes": GaussianNB()}, data, target, plan="5-fold", seed=1)
    names = {"accuracy": "accuracy", "macro_f1": "f1_macro", "auc": "roc_auc_ovr", "mcc": "matthews_corrcoef"}
    theirs = cross_validate(GaussianNB(), data, target, cv=splits.Folds(5, seed=1), scoring=list(names.values()))
    for ours, other in names.items():
        assert va.values(ours)["bayes"] == pytest.approx(theirs[f"test_{other}"], abs=1e-12)


def test_several_classes_keep_their_matrix() -> None:
    data, target = load_wine(return_X_y=True)
    va = validate(MODELS, data, target, plan="5-fold")
    found = va.pooled_classes("bayes").matrix
    assert int(found.support.sum()) == len(target)
    assert found.matrix.tolist() == va.of("bayes").matrices.sum(axis=0).tolist()
    assert va.to_dict()["classes"]["bayes"]["kind"] == "classes"


def test_fold_tables_add_to_the_pooled_table() -> None:
    va = validate(MODELS, X, Y, plan="5-fold")
    for name in va.names:
        tables = [one for one in va.of(name).tables if one is not None]
        total = tables[0]
        for one in tables[1:]:
            total = total + one
        pooled = va.pooled(name)
        whole = ScoreTable.from_scores(Y[pooled.cases].astype(bool), pooled.scores)
        assert total.scores.tolist() == whole.scores.tolist()
        assert total.pos.tolist() == whole.pos.tolist()
        assert va.summary("auc")[name]["auc"].pooled is not None
        # the mean of fold areas is not the area of the pooled scores, and both are shown
        assert va.to_dict()["auc"][name]["pooled"]["value"] == pytest.approx(float(curves.auc(total)))
        assert va.to_dict()["auc"][name]["mean_of_folds"]["value"] == pytest.approx(
            float(np.mean(va.values("auc")[name]))
        )


def test_all_models_see_the_same_splits() -> None:
    va = validate(MODELS, X, Y, plan="5x2")
    for split in range(10):
        first, second = (fold for fold in va.folds if fold.split == split)
        assert first.cases.tolist() == second.cases.tolist() == va.pairs[split].test.tolist()


# ---- what is fitted ----


def test_sample_weights_reach_the_model_and_the_tables() -> None:
    weights = np.where(Y == 1, 3.0, 1.0)
    for model in (LogisticRegression(), make_pipeline(StandardScaler(), LogisticRegression())):
        va = validate(model, X, Y, plan="4-fold", weights=weights)
        train, test = va.pairs[0]
        if isinstance(model, LogisticRegression):
            fitted = LogisticRegression(random_state=0).fit(X[train], Y[train], sample_weight=weights[train])
            assert va.folds[0].scores.tolist() == fitted.predict_proba(X[test])[:, 1].tolist()
        table = va.of(va.names[0]).tables[0]
        assert table is not None
        assert table.positives == pytest.approx(3.0 * Y[test].sum())


def test_a_model_that_takes_no_weights_is_named() -> None:
    va = validate({"knn": KNeighborsClassifier(), "bayes": GaussianNB()}, X, Y, plan="3-fold", weights=1.0 + Y)
    assert va.remarks == ("knn does not accept sample weights: it was fitted without them and evaluated with them.",)
    assert va.remarks[0] in va.to_dict()["caveats"]


def test_groups_reach_the_plan_and_the_search_inside() -> None:
    groups = np.repeat(np.arange(24), 5)
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [3, 9]}, cv=splits.Folds(3))
    va = validate({"knn": search}, X, Y, plan="4-fold", groups=groups)
    assert not va.failures
    assert va.to_dict()["data"]["groups"] == 24
    with pytest.raises(RocscopeError, match="trains and tests on cases of group"):
        validate(MODELS, X, Y, plan="loo", groups=groups)


def test_decision_scores_and_labels() -> None:
    va = validate({"svm": LinearSVC()}, X, Y, plan="3-fold")
    assert va.folds[0].score_kind == "decision"
    assert "brier" not in va.measures
    assert "auc" in va.measures
    labels = validate(MODELS, X, Y, plan="3-fold", scores="labels")
    assert "auc" not in labels.measures
    assert labels.primary == "error_rate"
    assert labels.to_dict()["auc"] is None
    with pytest.raises(RocscopeError, match="gives no probability"):
        validate(LinearSVC(), X, Y, plan="3-fold", scores="probability", on_error="raise")


def test_words_as_labels() -> None:
    names = np.array(["good", "bad"])[Y]
    va = validate(MODELS, X, names, plan="3-fold", positive="good")
    assert va.problem.labels == ("bad", "good")
    plain = validate(MODELS, X, 1 - Y, plan="3-fold")
    assert va.values("auc")["bayes"] == pytest.approx(plain.values("auc")["bayes"], abs=1e-12)
    with pytest.raises(RocscopeError, match="state which is positive"):
        validate(MODELS, X, names, plan="3-fold")


def test_several_labels_per_case() -> None:
    data, target = make_multilabel_classification(n_samples=90, n_classes=3, random_state=0)
    models = {"each": OneVsRestClassifier(LogisticRegression()), "forest": RandomForestClassifier(10)}
    va = validate(models, data, target, plan="3-fold")
    assert not va.failures
    for name in models:
        fold = va.of(name).folds[0]
        wrong = (target[fold.cases] != fold.predicted).mean()
        assert va.errors[name][0] == pytest.approx(wrong)
    document = va.to_dict()
    assert document["data"]["kind"] == "labels"
    assert document["summary"]["each"]["subset_accuracy"]["mean"]["value"] is not None
    assert document["comparisons"][0]["what"] == "auc"


class Fragile(ClassifierMixin, BaseEstimator):
    """Fails whenever case 7 is among its training cases; knows cases by their first feature."""

    def fit(self, rows: Any, y: Any) -> Fragile:
        if X[7, 0] in rows[:, 0]:
            raise ValueError("case 7 is not to my taste")
        self.classes_ = np.unique(y)
        return self

    def predict(self, rows: Any) -> Any:
        return np.zeros(len(rows), dtype=int)


def test_a_failed_fold_is_reported_and_not_fatal() -> None:
    va = validate({"fragile": Fragile(), "bayes": GaussianNB()}, X, Y, plan="4-fold")
    assert len(va.failures) == 3
    assert va.failures[0].why == "ValueError: case 7 is not to my taste"
    assert np.isnan(va.errors["fragile"]).sum() == 3
    document = va.to_dict()
    assert len(document["failures"]) == 3
    assert "Failed fits are left out: fragile in 3 of 4" in document["caveats"][0]
    assert document["comparisons"][-1]["why"] == "1 of 4 differences are defined: too few"
    with pytest.raises(RocscopeError, match="fragile failed in split"):
        validate({"fragile": Fragile()}, X, Y, plan="4-fold", on_error="raise")


def test_seeds_tell_random_states_from_splits() -> None:
    models = {"forest": RandomForestClassifier(3), "bayes": GaussianNB()}
    va = validate(models, X, Y, plan="3-fold", seeds=4)
    assert va.by_split("forest", "error_rate").shape == (3, 4)
    found = va.summary("error_rate")
    assert found["forest"]["error_rate"].between_seeds > 0
    assert found["bayes"]["error_rate"].between_seeds == 0  # nothing random in it
    assert found["bayes"]["error_rate"].between_splits > 0


def test_random_states_left_open_are_set_from_the_seed() -> None:
    forest = {"forest": RandomForestClassifier(3)}
    one, same = (validate(forest, X, Y, plan="3-fold", seed=5) for _ in range(2))
    assert one.folds[0].scores.tolist() == same.folds[0].scores.tolist()
    fixed = validate({"forest": RandomForestClassifier(3, random_state=9)}, X, Y, plan="3-fold", seed=5)
    assert fixed.folds[0].scores.tolist() != one.folds[0].scores.tolist()


# ---- how good, and which is better ----


def test_the_mean_has_the_corrected_interval() -> None:
    va = validate(MODELS, X, Y, plan="10-fold")
    found = va.summary("f1")["bayes"]["f1"]
    values = va.values("f1")["bayes"]
    theirs = significance.corrected_t(values, [108] * 10, [12] * 10)
    assert found.mean.value == pytest.approx(values.mean())
    if "narrower" not in found.mean.method:
        assert (found.mean.low, found.mean.high) == pytest.approx((max(0, theirs.low), min(1, theirs.high)))
    naive = significance.naive_t(values)
    assert found.mean.half_width > naive.half_width


def test_infinite_folds_are_not_left_out() -> None:
    va = validate({"knn": KNeighborsClassifier(), "bayes": GaussianNB()}, X, Y, plan="10-fold")
    losses = va.values("log_loss")["knn"]
    infinite = int(np.isinf(losses).sum())
    assert 0 < infinite < 8 and not np.isnan(losses).any()
    found = va.summarise("knn", "log_loss")
    assert found.mean.value == math.inf == found.pooled.value and found.most == math.inf
    assert math.isnan(found.mean.low) and math.isnan(found.mean.high) and math.isnan(found.sd)
    assert found.mean.why == f"infinite in {infinite} of 10 folds" and found.folds == 10
    gap = va.compare(measures=("log_loss",))[0].estimate
    assert math.isnan(gap.value) and gap.p is None and f"infinite in {infinite} of 10 folds" in gap.why
    twice = validate({"knn": KNeighborsClassifier(), "same": KNeighborsClassifier()}, X, Y, plan="10-fold")
    assert "infinite" in twice.compare(measures=("log_loss",))[0].estimate.why  # inf - inf is no fold left out
    assert "infinite" in str(va.to_dict()["summary"]["knn"]["log_loss"]["mean"]["why"])


def test_only_undefined_folds_are_called_undefined() -> None:
    sizes = [90] * 6, [10] * 6
    asked: dict[str, Any] = {"level": 0.95, "low": 0.0, "high": math.inf, "independent": False}
    found = mean_over_folds([0.2, math.nan, 0.4, 0.3, 0.5, 0.1], *sizes, **asked)
    assert found.value == pytest.approx(0.3)
    assert "1 of 6 folds left out because the measure is undefined there" in found.why
    both = mean_over_folds([math.inf, -math.inf, 0.4, math.nan, 0.5, 0.1], *sizes, **asked)
    assert math.isnan(both.value) and both.why == "infinite in 2 of 6 folds"
    few = mean_over_folds([0.2, math.nan, 0.4, math.nan, math.nan, math.nan], *sizes, **asked)
    assert few.value == pytest.approx(0.3) and math.isnan(few.low) and "too few" in few.why
    for name in ("corrected-t", "naive-t"):
        gap = fold_test(name, [0.1, math.inf, 0.2, 0.3, 0.1, 0.2], *sizes, level=0.95)
        assert math.isnan(gap.value) and "infinite in 1 of 6 folds" in gap.why


def test_folds_that_agree_by_chance_are_not_certain() -> None:
    va = validate(
        {"always": DummyClassifier(strategy="constant", constant=1)}, np.zeros((40, 1)), [0, 1] * 20, plan="4-fold"
    )
    found = va.summary("error_rate")["always"]["error_rate"].mean
    assert found.value == 0.5
    assert found.low < 0.4 < 0.6 < found.high
    assert "losses of the cases" in found.method
    pooled = va.summary("f1")["always"]["f1"].mean  # has no loss of a single case: the folds, held to the cases
    assert pooled.value == pytest.approx(2 / 3) and pooled.low < 0.6 < 0.75 < pooled.high
    assert "no narrower than the interval from the cases" in pooled.method


@pytest.mark.parametrize(
    ("plan", "test"),
    [("5x2", "5x2-f"), ("10-fold", "corrected-t"), ("3x4-fold", "corrected-t"), ("loo", "corrected-cases"),
     ("holdout", "cases"), ("disjoint-4", "independent-t"), ("bootstrap-5", "corrected-t")],
)  # fmt: skip
def test_the_right_test_for_the_plan(plan: str, test: str) -> None:
    assert default_test(splits.plan(plan, [0, 1] * 125)) == test


@pytest.mark.parametrize(
    ("plan", "zeros", "ones", "test"),
    [("5x2", 125, 125, "5x2-f"), ("5x2", 125, 124, "corrected-t5"), ("5x2", 400, 125, "5x2-f"),
     ("5x2", 400, 124, "corrected-t5"), ("loo", 20, 20, "corrected-cases"),
     ("holdout", 80, 80, "cases"), ("holdout", 76, 76, "corrected-cases"), ("holdout", 300, 60, "corrected-cases"),
     ("10-fold", 20, 20, "corrected-t"), ("3x4-fold", 49, 60, "corrected-t5"), ("3x4-fold", 50, 60, "corrected-t"),
     ("bootstrap-5", 49, 60, "corrected-t5"), ("bootstrap-5", 50, 60, "corrected-t"),
     ("disjoint-4", 40, 40, "independent-t")],
)  # fmt: skip
def test_few_cases_have_a_more_careful_test(plan: str, zeros: int, ones: int, test: str) -> None:
    assert default_test(splits.plan(plan, [0] * zeros + [1] * ones)) == test


def test_few_cases_are_those_outside_the_largest_class() -> None:
    classes = [0] * 100 + [1] * 70 + [2] * 55
    assert default_test(splits.plan("5x2", classes)) == "5x2-f"
    assert default_test(splits.plan("5x2", classes[:-1])) == "corrected-t5"
    assert default_test(splits.plan("5x2", 250)) == "5x2-f"  # no classes known
    assert default_test(splits.plan("5x2", 249)) == "corrected-t5"
    alone = [([j for j in range(40) if j != i], [i]) for i in range(40)]
    assert default_test(splits.plan(alone, [0, 1] * 20)) == "corrected-cases"  # leave-one-out by another name


def test_comparisons_are_those_of_the_tests() -> None:
    va = validate(MODELS, X, Y, plan="5x2", seed=2)
    gaps = va.errors[va.recommended] - va.errors[next(n for n in va.names if n != va.recommended)]
    found = {one.what: one for one in va.compare()}
    assert found["error_rate"].estimate == significance.corrected_t(gaps, 60, 60, df=5)
    for name, test in (("5x2-t", significance.t_5x2), ("5x2-f", significance.f_5x2)):
        assert va.compare(name)[1].estimate.p == test(gaps.reshape(5, 2)).p
    many = validate(MODELS, np.vstack([X, X + 0.01, X - 0.01]), np.tile(Y, 3), plan="5x2")
    assert many.to_dict()["test"] == "5x2-f"
    assert many.compare() == many.compare("5x2-f")
    folds = validate(MODELS, X, Y, plan="2x5-fold", seed=2)
    a, b = folds.compare()[0].a, folds.compare()[0].b
    gaps = folds.values("auc")[a] - folds.values("auc")[b]
    assert folds.compare()[0].estimate.p == significance.corrected_t(gaps, 96, 24).p
    with pytest.raises(RocscopeError, match="no test"):
        va.compare("anova")
    with pytest.raises(RocscopeError, match="takes 5 x 2 differences; this plan is"):
        validate(MODELS, X, Y, plan="4-fold").compare("5x2-f")


@pytest.mark.oracle
def test_5x2_agrees_with_mlxtend() -> None:
    # combined_ftest_5x2cv and paired_ttest_5x2cv of mlxtend 0.25.0, random_seed=1, scikit-learn 1.9.1
    data, target = load_breast_cancer(return_X_y=True)
    data, generator, pairs = data[:, :6], np.random.RandomState(1), []
    for _ in range(5):
        state = generator.randint(low=0, high=32767)
        train, test = next(ShuffleSplit(1, test_size=0.5, random_state=state).split(data))
        pairs += [(train, test), (test, train)]
    models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2, random_state=0)}
    va = validate(models, data, target, plan=pairs)
    for test, statistic, p in (
        ("5x2-f", 5.394827240738593, 0.03837007636355035),
        ("5x2-t", 1.7790609904287646, 0.13535852763092016),
    ):
        found = va.compare(test, ("accuracy",))[0].estimate
        assert found.statistic == pytest.approx(statistic, rel=1e-9)
        assert found.p == pytest.approx(p, rel=1e-9)


def test_few_cases_are_told_with_the_test_that_decides() -> None:
    halves = validate(MODELS, X, Y, plan="5x2").to_dict()
    smaller = min(int(Y.sum()), 120 - int(Y.sum()))
    assert halves["caveats"][0].startswith(f"There are 120 cases, {smaller} outside the largest class. In halves")
    assert halves["test"] == "corrected-t5" and "5 degrees of freedom" in halves["methods"]
    assert "corrected t" in halves["verdict"]["sure"]
    alone = validate(MODELS, X[:40], Y[:40], plan="loo").to_dict()
    assert (
        "The training sets change with the cases that are left out" in " ".join(alone["caveats"])
        and alone["test"] == "corrected-cases"
    )
    held = validate(MODELS, X, Y, plan="holdout").to_dict()
    assert "The test set has 30 cases" in " ".join(held["caveats"])
    again = validate(MODELS, X[:60], Y[:60], plan="2x4-fold")
    assert "There are 60 cases" in " ".join(again.to_dict()["caveats"])
    gaps = [again.values("auc")[one] for one in (again.compare()[0].a, again.compare()[0].b)]
    assert again.compare()[0].estimate == significance.corrected_t(gaps[0] - gaps[1], 45, 15, df=5)
    for model in ({"bayes": GaussianNB()}, MODELS):  # nothing to decide, or nothing to correct
        plan = "5x2" if len(model) == 1 else "10-fold"
        assert "outside the largest class" not in " ".join(validate(model, X, Y, plan=plan).to_dict()["caveats"])


def test_costs_choose_the_model() -> None:
    va = validate(MODELS, X, Y, plan="5-fold", costs=Costs(fp=1, fn=10))
    pooled = va.pooled_answer()
    assert pooled is not None
    assert va.best().model in va.names
    assert va.best(costs=Costs(fp=1, fn=10)).threshold <= va.best(costs=Costs(fp=10, fn=1)).threshold
    assert va.recommended == min(va.names, key=lambda name: va.costs[name].value)  # over the folds


def test_costs_show_the_thresholds_they_chose() -> None:
    """The table of thresholds is in the short answer when costs chose them, and says where they were chosen."""
    va = validate(MODELS, X, Y, plan="5-fold", costs=Costs(fp=1, fn=10))
    text, choices = markdown(va.to_dict()), va.to_dict()["thresholds"]
    for name, choice in choices.items():
        folds = [f"{end:.3g}" for end in (min(choice["thresholds"]), max(choice["thresholds"]))]
        for where, limits in (("the same cases", [f"{choice['threshold']:.3g}"]), (choice["chosen_on"], folds)):
            assert f"| {name} | {where} | {' to '.join(dict.fromkeys(limits))} | " in text
    assert "threshold by" not in markdown(validate(MODELS, X, Y, plan="5-fold").to_dict())


def test_costs_are_in_the_verdict() -> None:
    costs = Costs(fp=1, fn=10)
    va = validate(MODELS, X, Y, plan="5-fold", costs=costs)
    document = va.to_dict()
    # by hand: each fold at the threshold that is cheapest on the other folds
    for name in va.names:
        folds, by_hand = va.of(name).folds, []
        for fold in folds:
            others = [one for one in folds if one.split != fold.split]
            truth, scores = (np.concatenate([one_of(fold) for fold in others]) for one_of in
                             (lambda one: va.problem.codes[one.cases], lambda one: one.scores))  # fmt: skip
            best = min(np.unique(scores)[::-1], key=lambda t: 10 * (truth[scores < t] == 1).sum()
                       + (truth[scores >= t] == 0).sum())  # fmt: skip
            mine, flags = va.problem.codes[fold.cases], fold.scores >= best
            by_hand.append(1000 * (10 * (~flags[mine == 1]).sum() + flags[mine == 0].sum()) / len(mine))
        assert va.costs[name].value == pytest.approx(np.mean(by_hand))
        assert va.costs[name].low < va.costs[name].value < va.costs[name].high
    assert va.recommended == min(va.names, key=lambda name: va.costs[name].value)
    (first,) = [one for one in va.compare() if one.what == "cost"]
    gap = va.costs[first.a].value - va.costs[first.b].value
    assert first.estimate.value == pytest.approx(gap) and gap <= 0
    verdict = document["verdict"]
    assert verdict["grade"] == ("settled" if first.settled else "open")
    assert "If a miss costs 10 false alarms" in verdict["lead"] and "per 1,000" in verdict["sure"]
    assert "Give the costs" not in verdict["change"]
    assert "cost per 1,000" in str(va)


def test_a_stated_prevalence_is_said_beside_what_is_of_the_sample() -> None:
    models = {"bayes": GaussianNB()}
    document = validate(models, X, Y, plan="5-fold", costs=Costs(fp=1, fn=5, prevalence=0.02)).to_dict()
    (expected, *_) = document["verdict"]["statements"]["evidence"]
    assert expected["text"].startswith("If a miss costs 5 false alarms and 2 % of the cases are positive, bayes costs")
    said = " ".join(document["caveats"])
    assert "applies to a prevalence of 2 %" in said and "apply to the sample" in said
    plain = validate(models, X, Y, plan="5-fold", costs=Costs(fp=1, fn=5)).to_dict()
    assert not [one for one in plain["caveats"] if "prevalence" in one]
    for measure in ("error_rate", "auc"):
        assert document["summary"]["bayes"][measure]["mean"] == plain["summary"]["bayes"][measure]["mean"]


def test_costs_that_agree_by_chance_are_not_certain() -> None:
    costs = Costs(fp=1, fn=1)
    va = validate({"same": DummyClassifier()}, np.zeros((40, 1)), [0, 1] * 20, plan="4-fold", costs=costs)
    found, alike = va.costs["same"], intervals.expected_cost(Counts(tp=20, fp=20, fn=0, tn=0), costs)
    assert found.value == 500 and "no narrower than the interval from the cases" in found.method
    assert found.high - found.low >= 1000 * (alike.high - alike.low) * (1 - 1e-12) > 100


@pytest.mark.parametrize("plan", ["loo", "holdout", "bootstrap-8"])
def test_costs_where_folds_choose_no_threshold(plan: str) -> None:
    va = validate(MODELS, X[:80], Y[:80], plan=plan, costs=Costs(fp=1, fn=10))
    assert all(one.low <= one.value <= one.high for one in va.costs.values())
    (first,) = [one for one in va.compare() if one.what == "cost"]
    assert first.estimate.low <= first.estimate.value <= first.estimate.high
    assert "If a miss costs 10 false alarms" in va.to_dict()["verdict"]["lead"]
    same = validate({"a": GaussianNB(), "b": GaussianNB()}, X[:80], Y[:80], plan=plan, costs=Costs(fp=1, fn=10))
    assert same.to_dict()["verdict"]["grade"] == "open"


def test_frames_and_sparse_matrices_are_rows_too() -> None:
    import pandas as pd
    import polars as pl
    from scipy.sparse import csr_matrix

    plain = validate({"logistic": LogisticRegression()}, X, Y, plan="3-fold").values("auc")["logistic"]
    names = [f"x{i}" for i in range(4)]
    frame = pd.DataFrame(X, columns=names, index=np.arange(120)[::-1])
    for held in (frame, pl.DataFrame(X, schema=names), csr_matrix(X), X.tolist()):
        y = pd.Series(Y, index=frame.index) if held is frame else Y.tolist()
        va = validate({"logistic": LogisticRegression()}, held, y, plan="3-fold", on_error="raise")
        assert va.values("auc")["logistic"] == pytest.approx(plain, abs=1e-9)


def test_a_holdout_is_compared_on_cases() -> None:
    va = validate(MODELS, X, Y, plan="holdout")
    auc = va.compare("cases", ("auc",))[0]
    a, b = (va.pooled(name) for name in (auc.a, auc.b))
    assert auc.estimate.p == significance.delong(Y[a.cases].astype(bool), a.scores, b.scores).p
    assert va.compare("delong")[0].estimate.p == auc.estimate.p
    assert [one.what for one in va.compare("mcnemar")] == ["error_rate"]


def test_leave_one_out_is_compared_on_cases_without_an_area() -> None:
    va = validate(MODELS, X[:60], Y[:60], plan="loo")
    (error,) = va.compare("cases")
    assert error.what == "error_rate" == va.primary
    a, b = (va.pooled(name) for name in (error.a, error.b))
    wrong = [one.predicted != Y[:60] for one in (a, b)]
    first, second = int((~wrong[0] & wrong[1]).sum()), int((wrong[0] & ~wrong[1]).sum())
    assert error.estimate.p == significance.mcnemar(first, second).p
    assert error.estimate.value == pytest.approx(wrong[0].mean() - wrong[1].mean())
    document = va.to_dict()
    assert document["auc"][error.a]["mean_of_folds"]["value"] is None  # a test set of one case has no AUC
    reason = "pooled leave-one-out ranks cases scored by different models (Airola et al. 2011)"
    assert document["auc"][error.a]["pooled"] | {"value": None} == document["auc"][error.a]["pooled"]
    assert document["auc"][error.a]["pooled"]["why"] == reason == va.summarise(error.a, "auc").mean.why
    assert va.compare(measures=("auc",))[0].estimate.why == reason
    assert document["pooled"] is None and document["winner"]["measure"] == "error_rate"
    assert any("lpo" in one for one in document["caveats"])
    with pytest.raises(RocscopeError, match="no hull: pooled leave-one-out"):
        va.hull()


def test_leave_one_out_shows_no_difference_to_a_model_that_learns_nothing() -> None:
    """Of two equal classes the larger one of the training cases is never that of the case left out."""
    noise = np.random.default_rng(1).normal(size=(40, 3))
    models = {"none": DummyClassifier(), "bayes": GaussianNB()}
    va = validate(models, noise, [0, 1] * 20, plan="loo")
    (found,) = va.compare()
    assert va.summarise("none", "error_rate").mean.value == 1
    assert abs(found.estimate.value) > 0.3 and found.estimate.p is None and "leave-one-out" in found.estimate.why
    document = va.to_dict()
    assert document["verdict"]["grade"] == "open" and any("Kohavi" in one for one in document["caveats"])
    doubt = [one["rule"] for one in document["verdict"]["statements"]["doubt"]]
    assert doubt == ["validated_untested"]  # nor is it said to be the best in all resamples
    uneven = validate(models, noise, [0, 1, 1, 1] * 10, plan="loo").to_dict()
    assert not any("Kohavi" in one for one in uneven["caveats"])


class Majority(ClassifierMixin, BaseEstimator):
    """The share of positives, for every case."""

    classes_ = np.array([0, 1])

    def fit(self, x: Any, y: Any) -> Majority:
        self.share = np.mean(y)
        return self

    def predict_proba(self, x: Any) -> Any:
        return np.tile([1 - self.share, self.share], (len(x), 1))

    def predict(self, x: Any) -> Any:
        return (self.predict_proba(x)[:, 1] > 0.5).astype(int)


class Bayes(Majority):
    """Normal naive Bayes; a fit takes a twentieth of the time of scikit-learn's."""

    def fit(self, x: Any, y: Any) -> Bayes:
        self.sides = [(x[y == code].mean(0), x[y == code].var(0), np.mean(y == code)) for code in (0, 1)]
        return self

    def predict_proba(self, x: Any) -> Any:
        logs = [np.log(share) - (np.log(var) + (x - mean) ** 2 / var).sum(1) / 2 for mean, var, share in self.sides]
        odds = np.exp(logs[1] - logs[0])
        return np.column_stack([1 / (1 + odds), odds / (1 + odds)])


def test_leave_pair_out_has_no_bias_on_noise() -> None:
    """100 data sets of ten positives and ten negatives; pooled leave-one-out gives 0.345 to 0.43 on such noise."""
    models = {"majority": Majority(), "bayes": Bayes()}
    areas: dict[str, list[float]] = {name: [] for name in models}
    for seed in range(100):
        noise = np.random.default_rng(seed).normal(size=(20, 2))
        va = validate(models, noise, [0, 1] * 10, plan="lpo")
        for name in models:
            found = va.summarise(name, "auc").mean
            areas[name].append(found.value)
            assert math.isnan(found.low) and "pairs share cases" in found.why
    assert areas["majority"] == [0.5] * 100
    error = np.std(areas["bayes"]) / 10
    assert abs(np.mean(areas["bayes"]) - 0.5) < 2 * error < 0.05
    gap = va.compare()[0].estimate
    assert gap.p is None and gap.value == pytest.approx(abs(areas["bayes"][-1] - 0.5))
    json.dumps(va.to_dict())


def test_leave_pair_out_that_would_take_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rocscope.validation.MOST_SECONDS", 0)
    with pytest.raises(RocscopeError, match="leave-pair-out would need 36 fits"):
        validate({"bayes": GaussianNB()}, X[:12], [0, 1] * 6, plan="lpo")


def test_tests_that_do_not_fit_the_plan_are_refused_with_the_reason() -> None:
    va = validate(MODELS, X, Y, plan="10-fold")
    for name in ("5x2-f", "5x2_t", "independent-t", "friedman", "wilcoxon"):
        with pytest.raises(RocscopeError, match=r"takes .* this plan is stratified 10-fold") as refused:
            va.compare(name)
        assert "corrected-t" in str(refused.value)
    alone = validate(MODELS, X[:20], Y[:20], plan="loo")
    with pytest.raises(RocscopeError, match="this plan is leave-one-out"):
        alone.compare("corrected-t")
    for name in ("delong", "rank-swap", "venkatraman", "bootstrap", "permutation"):
        with pytest.raises(RocscopeError, match="pooled leave-one-out ranks cases scored by different models"):
            alone.compare(name)
    with pytest.raises(RocscopeError, match="Did you mean 'corrected-t'"):
        va.compare("corected-t")


def _largest_factor(folds: int) -> float:
    """Of a variance whose smaller class loses one degree of freedom per fold, and whose folds share training cases."""
    smaller = int(min(np.bincount(Y)))
    return 1.001 * smaller / (smaller - folds) * folds / (folds - 1)


def test_the_interval_of_an_auc_over_folds_is_that_of_its_influence_curve() -> None:
    va = validate(MODELS, X, Y, plan="5-fold")
    found = va.summarise("bayes", "auc").mean
    theirs, plain = (cv_auc(va.of("bayes").tables, corrected=one) for one in (True, False))
    assert theirs.value == plain.value
    assert math.sqrt(5 / 4) < theirs.se / plain.se < math.sqrt(_largest_factor(5))
    assert (found.value, found.low, found.high, found.method) == (theirs.value, theirs.low, theirs.high, "cvAUC")
    assert found.value == pytest.approx(va.values("auc")["bayes"].mean())
    repeated = validate(MODELS, X, Y, plan="4x5-fold").summarise("bayes", "auc").mean
    assert repeated.half_width == pytest.approx(found.half_width, rel=0.25)  # repetitions are no new cases


def test_the_interval_of_an_error_over_folds_is_that_of_the_cases() -> None:
    va = validate(MODELS, X, Y, plan="5-fold")
    for measure in ("error_rate", "accuracy"):
        found = va.summarise("bayes", measure)
        assert found.pooled is not None and found.mean.value == pytest.approx(va.values(measure)["bayes"].mean())
        assert (found.mean.low, found.mean.high) == pytest.approx((found.pooled.low, found.pooled.high), abs=0.004)
    for measure in ("brier", "log_loss"):
        found = va.summarise("bayes", measure)
        assert found.mean.half_width == pytest.approx(found.pooled.half_width, rel=0.2)
    repeated = validate(MODELS, X, Y, plan="4x5-fold").summarise("bayes", "error_rate").mean
    assert repeated.half_width == pytest.approx(va.summarise("bayes", "error_rate").mean.half_width, rel=0.25)
    apart = validate(MODELS, X + 100 * np.asarray(Y)[:, None], Y, plan="5-fold").summarise("bayes", "error_rate").mean
    assert apart.value == 0 and apart.high == pytest.approx(proportion(0, len(Y)).high)


def test_groups_reach_the_interval_of_an_error() -> None:
    twice = np.repeat(np.arange(len(Y)), 2)
    alone = validate({"bayes": GaussianNB()}, X, Y, plan="5-fold")
    grouped = validate({"bayes": GaussianNB()}, X[twice], Y[twice], plan="5-fold", groups=twice)
    for measure in ("error_rate", "brier", "log_loss"):
        wide, plain = (one.summarise("bayes", measure).mean.half_width for one in (grouped, alone))
        assert wide == pytest.approx(plain, rel=0.3), measure  # each case twice is no more cases


def test_groups_and_weights_reach_the_interval_of_an_auc() -> None:
    plain = (
        validate({"bayes": GaussianNB()}, X, Y, plan="5-fold", weights=np.ones(len(Y))).summarise("bayes", "auc").mean
    )
    without = validate({"bayes": GaussianNB()}, X, Y, plan="5-fold").summarise("bayes", "auc").mean
    assert (plain.low, plain.high) == pytest.approx((without.low, without.high), abs=0.01)
    twice = np.repeat(np.arange(len(Y)), 2)
    clustered = validate({"bayes": GaussianNB()}, X[twice], Y[twice], plan="5-fold", groups=twice)
    doubled = clustered.summarise("bayes", "auc").mean
    assert doubled.half_width == pytest.approx(without.half_width, rel=0.25)  # each case twice is no more cases


def test_classes_absent_from_folds_are_counted_and_said() -> None:
    y = np.array([0] * 30 + [1] * 30 + [2] * 2)
    va = validate({"bayes": GaussianNB()}, X[:62], y, plan="5-fold")
    for measure in ("auc", "macro_f1"):
        assert "3 of 5 folds lack a class" in va.summarise("bayes", measure).mean.why
    assert "lack a class" not in va.summarise("bayes", "error_rate").mean.why
    said = [one for one in va.to_dict()["caveats"] if "absent" in one]
    assert said == ["Class 2 is absent from 3 of 5 test sets: averages over classes exclude it there."]
    named = validate({"bayes": GaussianNB()}, X[:62], np.array(["no", "perhaps", "yes"])[y], plan="5-fold").to_dict()
    assert [one.split(" ")[:2] for one in named["caveats"] if one.startswith("Class ")] == [["Class", "yes"]] * 2


def test_the_optimism_interval_does_not_collapse() -> None:
    va = validate({"knn": KNeighborsClassifier(3)}, X, Y, plan="bootstrap-20")
    found = optimism(va, "knn", "auc")
    assert found.low < found.value - 0.01 and found.value + 0.01 < found.high <= 1


@pytest.mark.parametrize(("plan", "tested", "trained"), [("loo", 60, 59), ("holdout", 15, 45)])
def test_few_tested_cases_are_corrected_for_training(plan: str, tested: int, trained: int) -> None:
    va = validate(MODELS, X[:60], Y[:60], plan=plan)
    for plain, found in zip(va.compare("cases"), va.compare(), strict=True):
        one, other = plain.estimate, found.estimate
        half = max(one.value - one.low, one.high - one.value)
        se = half / norm.ppf(0.975) * math.sqrt(1 + tested / trained)
        assert (other.value, other.df) == (one.value, tested - 1)
        assert other.se == pytest.approx(se, rel=1e-12)
        assert other.p == pytest.approx(2 * student.sf(abs(one.value) / se, tested - 1), rel=1e-9)
        wide = student.ppf(0.975, tested - 1) * se
        assert (other.low, other.high) == pytest.approx((max(-1, one.value - wide), min(1, one.value + wide)))
        assert found.settled == (other.p < 0.05)


def test_paired_errors_point_the_right_way() -> None:
    problem = Problem.of(np.zeros((6, 1)), [0, 1] * 3)
    better, worse = np.zeros(6, dtype=bool), np.array([True, True, True, False, False, False])
    found = paired_on_cases(problem, np.arange(6), better, worse, "error_rate", level=0.95)
    assert found.value == -0.5
    assert found.low < -0.5 < found.high


def test_identical_models_do_not_differ() -> None:
    for plan in ("10-fold", "5x2", "holdout"):
        va = validate({"a": GaussianNB(), "b": GaussianNB()}, X, Y, plan=plan)
        assert [one.estimate.p for one in va.compare()] == [1.0, 1.0]
        assert not any(one.settled for one in va.compare())


def test_several_data_sets() -> None:
    held = {}
    for number in range(4):
        generator = np.random.default_rng(number)
        y = generator.integers(0, 2, 60)
        rows = generator.normal(size=(60, 2)) + y[:, None]
        models = {"bayes": GaussianNB(), "knn": KNeighborsClassifier(3), "none": DummyClassifier()}
        held[f"set {number}"] = validate(models, rows, y, plan="3-fold")
    found = across(held)
    means = [[float(va.values("accuracy")[name].mean()) for name in va.names] for va in held.values()]
    assert found.friedman.p == significance.friedman(means).p
    assert found.nemenyi.ranks == significance.nemenyi(means).ranks
    chi2 = significance.friedman(means, method="chi2-ties")
    assert chi2.p == pytest.approx(friedmanchisquare(*np.array(means).T).pvalue)
    errors = across(held, "error_rate")
    assert errors.nemenyi.ranks == found.nemenyi.ranks
    with pytest.raises(RocscopeError, match="two data sets"):
        across({"one": next(iter(held.values()))})


# ---- special estimates, by the figures of their definitions ----


def test_cross_validated_auc() -> None:
    odd = ScoreTable.from_scores(FAWCETT_Y[::2], FAWCETT[::2])
    even = ScoreTable.from_scores(FAWCETT_Y[1::2], FAWCETT[1::2])
    areas = sorted((float(curves.auc(odd)), float(curves.auc(even))))
    found = cv_auc([odd, even, ScoreTable.from_scores([1, 1], [0.1, 0.2])])
    assert found.value == pytest.approx(sum(areas) / 2)
    assert (found.value, found.se) == pytest.approx((0.690476, 0.096890), abs=1e-6)
    assert (found.low, found.high) == pytest.approx((0.478460, 0.844343), abs=1e-6)
    assert found.why == "1 of 3 folds left out for having only one class"
    # by the definition, case by case
    squares = []
    for y, s in ((FAWCETT_Y[::2], FAWCETT[::2]), (FAWCETT_Y[1::2], FAWCETT[1::2])):
        pos, neg = [b for a, b in zip(y, s, strict=True) if a], [b for a, b in zip(y, s, strict=True) if not a]
        area = sum(p > n for p in pos for n in neg) / len(pos) / len(neg)
        mine = [((sum(p > n for n in neg) / len(neg) - area) / 0.5) ** 2 for p in pos]
        mine += [((sum(p > n for p in pos) / len(pos) - area) / 0.5) ** 2 for n in neg]
        squares.append(sum(mine) / len(mine))
    assert found.se == pytest.approx(math.sqrt(sum(squares) / 2 / 20))


def test_point_632() -> None:
    found = point632(0.1, 0.3, 0.5)
    assert (found.point632, found.weight, found.plus) == pytest.approx((0.2264, 0.774510, 0.254902), abs=1e-6)
    memorised = point632(0.0, 0.5, 0.5)
    assert memorised.plus == pytest.approx(0.5)
    assert memorised.point632 == pytest.approx(0.316)
    assert point632(0.3, 0.2, 0.5).overfitting == 0.0


def test_optimism() -> None:
    pairs = [(0.9, 0.8), (0.88, 0.82), (0.92, 0.84)]
    found = corrected(Estimate(0.85, 0.75, 0.92), pairs)
    assert (found.value, found.low, found.high) == pytest.approx((0.77, 0.67, 0.84))
    top = corrected(Estimate(1.0, 0.95, 1.0), pairs)
    assert (top.value, top.low, top.high) == pytest.approx((0.92, 0.87, 0.97))


def test_bootstrap_estimates_by_brute_force() -> None:
    va = validate({"knn": KNeighborsClassifier(1)}, X, Y, plan="bootstrap-30", seed=3)
    losses: dict[int, list[bool]] = {}
    gains = []
    for train, test in va.pairs:
        model = KNeighborsClassifier(1).fit(X[train], Y[train])
        for case, said in zip(test.tolist(), model.predict(X[test]).tolist(), strict=True):
            losses.setdefault(case, []).append(said != Y[case])
        gains.append((model.predict(X[train]) != Y[train]).mean() - (model.predict(X) != Y).mean())
    found = error_632(va, "knn")
    assert found.apparent == 0  # one neighbour remembers everything
    assert found.out_of_bag == pytest.approx(np.mean([np.mean(one) for one in losses.values()]))
    assert found.plus > found.point632
    assert optimism(va, "knn", "error_rate").value == pytest.approx(0 - np.mean(gains))
    assert auc_632(va, "knn").out_of_bag == pytest.approx(1 - np.mean(va.values("auc")["knn"]))
    with pytest.raises(RocscopeError, match="requires the bootstrap plan"):
        error_632(validate({"knn": KNeighborsClassifier(1)}, X, Y, plan="3-fold"), "knn")


def test_refits_that_fail_too_often_are_refused() -> None:
    va = validate({"fragile": Fragile()}, X, Y, plan="bootstrap-10")
    with pytest.raises(RocscopeError, match="failed: too many"):
        error_632(va, "fragile")
    assert "failed" in va.to_dict()["bootstrap"]["fragile"]["error_rate"]["why"]


def test_an_honest_threshold_is_worse_than_the_optimistic_one() -> None:
    gaps = []
    for seed in range(12):
        generator = np.random.default_rng(seed)
        rows, y = generator.normal(size=(60, 3)), generator.integers(0, 2, 60)  # nothing to learn
        va = validate({"bayes": GaussianNB()}, rows, y, plan="5-fold", seed=seed)
        found = threshold(va, "bayes", "youden")
        assert sum(found.honest.cells.values()) == 60
        gaps.append(found.optimistic.youden - found.honest.youden)
    assert min(gaps) > 0
    assert np.mean(gaps) > 0.1


def test_a_nested_threshold_never_sees_its_fold() -> None:
    va = validate({"bayes": GaussianNB()}, X, Y, plan="4-fold", inner="3-fold")
    for fold in va.folds:
        assert sorted(fold.inner_cases.tolist()) == sorted(va.pairs[fold.split].train.tolist())
    assert threshold(va, "bayes").chosen_on == "inner folds of the training cases"
    priced = threshold(va, "bayes", "cost", costs=Costs(fp=1, fn=20))
    assert priced.honest.recall >= threshold(va, "bayes").honest.recall


def test_the_winner_loses_its_luck() -> None:
    generator = np.random.default_rng(1)
    rows, y = generator.normal(size=(80, 12)), generator.integers(0, 2, 80)

    class Column(ClassifierMixin, BaseEstimator):
        def __init__(self, column: int = 0) -> None:
            self.column = column

        def fit(self, data: Any, target: Any) -> Column:
            self.classes_ = np.unique(target)
            return self

        def decision_function(self, data: Any) -> Any:
            return data[:, self.column]

        def predict(self, data: Any) -> Any:
            return (data[:, self.column] > 0).astype(int)

    va = validate({f"column {i}": Column(i) for i in range(12)}, rows, y, plan="4-fold")
    for measure, sign in (("auc", 1), ("error_rate", -1)):
        found = winner(va, measure, n=300)
        assert sign * found.seen > sign * 0.5  # the best of twelve coins looks good
        assert sign * found.corrected.value < sign * found.seen
        assert sum(found.chosen.values()) == pytest.approx(1)


def test_weighted_areas_are_those_of_repeated_cases() -> None:
    generator = np.random.default_rng(2)
    truth, scores = generator.integers(0, 2, 30).astype(bool), generator.integers(0, 9, 30).astype(float)
    weights = generator.integers(0, 4, (5, 30))
    for row, area in zip(weights, weighted_auc(truth, scores, weights), strict=True):
        repeated = ScoreTable.from_scores(np.repeat(truth, row), np.repeat(scores, row))
        assert area == pytest.approx(float(curves.auc(repeated)))


def test_averaged_roc_curves() -> None:
    va = validate({"bayes": GaussianNB()}, X, Y, plan="6-fold")
    vertical = averaged_roc(va, "bayes")
    assert vertical.fpr[0] == 0
    assert vertical.tpr[-1] == 1
    assert np.all(np.diff(vertical.tpr) >= -1e-12)
    assert np.all(vertical.low <= vertical.tpr)
    assert np.all(vertical.tpr <= vertical.high)
    area = float(np.trapezoid(vertical.tpr, vertical.fpr))
    assert area == pytest.approx(float(np.mean(va.values("auc")["bayes"])), abs=0.02)
    by = averaged_roc(va, "bayes", "threshold")
    middle = len(by.thresholds) // 2
    rates = [one.at(by.thresholds[middle]) for one in va.of("bayes").tables if one is not None]
    assert by.tpr[middle] == pytest.approx(np.mean([one.tpr for one in rates]))
    assert by.fpr[middle] == pytest.approx(np.mean([one.fpr for one in rates]))


def test_learning_curves_use_growing_shares() -> None:
    va = validate({"knn": KNeighborsClassifier(3)}, X, Y, plan="3-fold", learning=(0.25, 0.5))
    rows = va.to_dict()["learning_curve"]["knn"]
    assert [row["train"] for row in rows] == [20, 40, 80]
    assert rows[-1]["error_rate"] == pytest.approx(float(va.errors["knn"].mean()))


# ---- other criteria ----


def test_times_memory_size_and_notes_stand_beside() -> None:
    notes = {"tree": {"interpretable": True}, "bayes": {"easy to program": True}}
    va = validate(MODELS, X, Y, plan="3-fold", memory=True, notes=notes)
    found = {name: va.resources(name) for name in va.names}
    for name in va.names:
        for what in ("fit_seconds", "score_seconds", "predict_seconds", "bytes", "fit_peak", "score_peak"):
            value = found[name][what]
            assert value is not None
            assert value > 0
    assert va.notes["tree"] == {"interpretable": True}
    assert va.to_dict()["notes"]["bayes"] == {"easy to program": True}
    big = validate({"forest": RandomForestClassifier(50), "tree": DecisionTreeClassifier()}, X, Y, plan="3-fold")
    assert big.resources("forest")["bytes"] > 10 * big.resources("tree")["bytes"]
    with pytest.raises(RocscopeError, match="which is not a model"):
        validate(MODELS, X, Y, plan="3-fold", notes={"oak": {}})


def test_no_free_lunch_is_said() -> None:
    document = validate(MODELS, X, Y, plan="3-fold").to_dict()
    assert "no model is best on all data" in document["caveats"][-1]
    assert document["caveats"] == document["verdict"]["caveats"]


# ---- the document repeats, in parallel and after a kill ----


def test_the_document_is_json_and_repeats() -> None:
    for plan in ("10-fold", "5x2", "loo", "holdout", "bootstrap-8", "nested", "time-4", "disjoint-3"):
        first, second = (bare(validate(MODELS, X[:40], Y[:40], plan=plan).to_dict()) for _ in range(2))
        assert first == second


def test_two_processes_give_the_same_document() -> None:
    models = {"forest": RandomForestClassifier(5), "bayes": GaussianNB()}
    one = validate(models, X, Y, plan="5x2", n_jobs=1).to_dict()
    two = validate(models, X, Y, plan="5x2", n_jobs=2).to_dict()
    assert bare(one) == bare(two)


def test_there_are_no_more_processes_than_fits() -> None:
    """Of so many, joblib would ask the system first."""
    few, many = (validate({"bayes": GaussianNB()}, X, Y, plan="holdout", n_jobs=n) for n in (1, 10**20))
    assert bare(few.to_dict()) == bare(many.to_dict())


def test_progress_is_told() -> None:
    seen: list[tuple[int, int]] = []
    validate(MODELS, X, Y, plan="3-fold", progress=lambda done, total: seen.append((done, total)))
    assert seen == [(i, 6) for i in range(7)]


def test_a_second_call_goes_on(tmp_path: Path) -> None:
    class Stop(Exception):
        pass

    def stopping(after: int) -> Any:
        def progress(done: int, total: int) -> None:
            if done == after:
                raise Stop

        return progress

    whole = bare(validate(MODELS, X, Y, plan="5x2").to_dict())
    for after in (1, 7, 19):
        folder = tmp_path / str(after)
        with pytest.raises(Stop):
            validate(MODELS, X, Y, plan="5x2", run_directory=folder, progress=stopping(after))
        resumed = validate(MODELS, X, Y, plan="5x2", run_directory=folder)
        assert resumed.run["resumed"] == after
        assert bare(resumed.to_dict()) == whole
    again = validate(MODELS, X, Y, plan="5x2", run_directory=tmp_path / "7")
    assert again.run["resumed"] == 20
    other = validate(MODELS, X, Y, plan="5x2", run_directory=tmp_path / "7", seed=1)
    assert other.run["resumed"] == 0  # another key: nothing of it is used


def test_what_is_broken_is_done_again(tmp_path: Path) -> None:
    whole = bare(validate(MODELS, X, Y, plan="3-fold", run_directory=tmp_path).to_dict())
    run = next(tmp_path.iterdir())
    files = sorted(run.glob("*.npz"))
    assert len(files) == 6
    files[0].write_bytes(b"\x80\x04 not an archive")
    files[1].unlink()
    sorted(run.glob("[bt]*.json"))[3].write_text("{")
    found = validate(MODELS, X, Y, plan="3-fold", run_directory=tmp_path)
    assert found.run["resumed"] == 3
    assert bare(found.to_dict()) == whole


def test_a_pickle_in_the_run_directory_is_never_loaded(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> Any:
            return (Path.touch, (tmp_path / "sprung",))

    validate({"bayes": GaussianNB()}, X, Y, plan="3-fold", run_directory=tmp_path / "runs")
    file = sorted((tmp_path / "runs").glob("*/*.npz"))[0]
    held = np.empty(1, dtype=object)
    held[0] = Trap()
    np.savez(file, cases=held)
    facts = json.loads(file.with_suffix(".json").read_text("utf-8"))
    facts["sha256"] = hashlib.sha256(file.read_bytes()).hexdigest()
    file.with_suffix(".json").write_text(json.dumps(facts))
    found = validate({"bayes": GaussianNB()}, X, Y, plan="3-fold", run_directory=tmp_path / "runs")
    assert found.run["resumed"] == 2
    assert not (tmp_path / "sprung").exists()


def test_nothing_is_pickled(tmp_path: Path) -> None:
    validate(MODELS, X, np.array(["no", "yes"])[Y], plan="3-fold", positive="yes", run_directory=tmp_path)
    for file in next(tmp_path.iterdir()).iterdir():
        assert file.suffix in (".json", ".npz")
        if file.suffix == ".npz":
            with np.load(file, allow_pickle=False) as held:  # objects would be refused here
                assert all(held[name].dtype.kind in "iufb" for name in held.files)
        else:
            json.loads(file.read_text("utf-8"))


KILLED = """
import json, os, signal, sys
sys.path.insert(0, {source!r})
import numpy as np
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from rocscope.validation import validate
rng = np.random.default_rng(0)
y = rng.integers(0, 2, 80)
X = rng.normal(size=(80, 3)) + y[:, None]
models = {{"bayes": GaussianNB(), "tree": DecisionTreeClassifier()}}

def run(folder, after):
    def progress(done, total):
        if done == after:
            os.kill(os.getpid(), signal.SIGKILL)
    document = validate(models, X, y, plan="3-fold", run_directory=folder, progress=progress).to_dict()
    document.pop("times")
    return json.dumps(document)

ends = []
for after in range(1, 6):  # after each fold in turn, each time going on from the last kill
    child = os.fork()
    if child == 0:
        run(sys.argv[1], after)
        os._exit(0)
    ends.append(-os.WTERMSIG(os.waitpid(child, 0)[1]))
print(json.dumps([ends, run(sys.argv[1], -1), run(sys.argv[2], -1)]))
"""


def test_a_killed_run_ends_as_an_unbroken_one(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-c",
        KILLED.format(source=str(SOURCE)),
        str(tmp_path / "killed"),
        str(tmp_path / "whole"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    ends, resumed, unbroken = json.loads(done.stdout)
    assert ends == [-signal.SIGKILL] * 5
    assert resumed == unbroken
    assert len(list((tmp_path / "killed").glob("*/*.npz"))) == 6


# ---- end to end ----


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine, load_digits])
def test_bundled_data_end_to_end(load: Any) -> None:
    data, target = load(return_X_y=True)
    models = ["logistic", "knn", "nb"]
    va = validate(models, data, target, plan="3-fold", n_jobs=2)
    assert not va.failures
    document = va.to_dict()
    json.dumps(document, allow_nan=False)
    assert max(document["summary"][name]["accuracy"]["mean"]["value"] for name in models) > 0.93
    assert len(document["comparisons"]) == 6
    assert document["verdict"]["headline"]
    assert document["winner"]["corrected"]["value"] is not None


DASK = """
import json, os, sys
sys.path.insert(0, {source!r})
import joblib, numpy as np
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from rocscope.validation import validate
if __name__ == "__main__":
    from dask.distributed import Client, LocalCluster
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    X = rng.normal(size=(60, 3)) + y[:, None]
    models = {{"bayes": GaussianNB(), "tree": DecisionTreeClassifier()}}
    def bare(va):
        document = va.to_dict()
        document.pop("times")
        return json.dumps(document)
    alone = bare(validate(models, X, y, plan="5x2"))
    import dask
    dask.config.set({{"distributed.comm.timeouts.connect": "600s", "distributed.comm.timeouts.tcp": "600s"}})
    settings = dict(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0)
    with LocalCluster(**settings) as cluster:
        with Client(cluster) as client, joblib.parallel_config(backend="dask"):
            together = bare(validate(models, X, y, plan="5x2"))
            own = set(client.run(os.getpid).values()) - {{os.getpid()}}
    print(alone == together and len(own) == 2)
"""


@pytest.mark.slow
@pytest.mark.dask
def test_a_dask_cluster_gives_the_same(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    script = tmp_path / "cluster.py"
    script.write_text(DASK.format(source=str(SOURCE)))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.stdout.strip().endswith("True"), done.stderr


# ---- models by name, columns of text ----


def test_columns_of_text_become_features() -> None:
    found = features_of(
        {
            "age": ["31", "", "50", "4e1"],
            "town": ["Rome", "Oslo", "?", "Rome"],
            "id": ["a", "b", "c", "d"],
            "same": ["1"] * 4,
        }
    )
    assert found.names == ("age", "town")
    assert found.missing == {"age": 1, "town": 1}
    assert found.left_out == {"id": "a different value in every row", "same": "the same value in every row"}
    assert np.isnan(found.X[1, 0])
    assert found.X[:, 1].tolist()[:2] == [1.0, 0.0]
    with pytest.raises(RocscopeError, match="no column to learn from"):
        features_of({"same": ["1", "1"]})


def test_named_models_take_missing_cells_and_categories() -> None:
    cells = {"x": [f"{value:.3f}" if i % 7 else "?" for i, value in enumerate(X[:, 0])]}
    cells["side"] = ["left" if value > 0 else "right" for value in X[:, 1]]
    cells["side"][3] = ""
    found = features_of(cells)
    for name in ("logistic", "knn", "tree", "forest", "svm", "nb", "majority"):
        va = validate({name: classifier(name, found)}, found.X, Y, plan="3-fold", on_error="raise")
        assert va.errors[name].shape == (3,)
    with pytest.raises(RocscopeError, match="Did you mean 'logistic'"):
        classifier("logistics")


# ---- what is refused ----


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: validate(MODELS, X[:5], Y, plan="3-fold"), "X has 5 rows, but there are 120 labels"),
        (lambda: validate(MODELS, X, [1] * 120, plan="3-fold"), "at least two classes"),
        (lambda: validate({}, X, Y), "no model given"),
        (lambda: validate({"bayes": GaussianNB}, X, Y), "the class GaussianNB"),
        (lambda: validate(MODELS, X, Y, plan="3-fold", scores="logits"), "not 'logits'"),
        (lambda: validate(MODELS, X, Y, plan="3-fold", seeds=0), "seeds must be a number of random states from 1"),
        (lambda: validate(MODELS, X, Y, plan="3-fold", seed=-1), "seed must be an integer from 0"),
        (lambda: validate(MODELS, X, Y, plan="3-fold", n_jobs=0), "n_jobs must be 1 or more"),
        (lambda: validate(MODELS, X, Y, plan="3-fold", learning=(1.5,)), "between 0 and 1"),
        (lambda: validate(MODELS, X, Y, plan="3-fold", groups=[1]), "120 labels, but 1 groups"),
        (lambda: validate(GaussianNB(), X, Y, plan="3-fold").compare(), "only one model"),
        (lambda: validate(MODELS, X, Y, plan="3-fold").values("precison"), "Did you mean 'precision'"),
        (lambda: validate(MODELS, X, Y, plan="3-fold").of("oak"), "no model 'oak'"),
    ],
)
def test_nonsense_is_refused(call: Any, message: str) -> None:
    with pytest.raises(RocscopeError, match=message):
        call()


def test_a_validation_prints_itself() -> None:
    va = validate(MODELS, X, Y, plan="10-fold")
    assert isinstance(va, Validation)
    text = " ".join(str(va).split())
    assert text.startswith(va.to_dict()["verdict"]["headline"])
    assert "any two training sets share 89 %" in text


# ---- the command line ----


def command(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    started = subprocess.Popen(
        [sys.executable, "-c", COMMAND.format(source=str(SOURCE)), *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd,
    )  # fmt: skip
    out, err = started.communicate(timeout=PATIENCE)
    return subprocess.CompletedProcess(arguments, started.returncode, out, err)


COMMAND = """
import sys
sys.path.insert(0, {source!r})
from rocscope import cli
words = {{**cli.COMMANDS, "validate": ""}}
sys.exit(cli.main(["validate", *sys.argv[1:]], command=cli.rocscope(words)))
"""


def written(folder: Path) -> Path:
    file = folder / "data.csv"
    town = np.array(["Rome", "Oslo", ""])[np.arange(120) % 3]
    rows = [
        f"{i},{x[0]:.4f},{x[1] if i % 9 else 'NA'},{place},{'ill' if y else 'well'},{i // 4}"
        for i, (x, place, y) in enumerate(zip(X, town, Y, strict=True))
    ]
    file.write_text(
        "\n".join(["id,a,b,town,state,patient", *(row.replace(f"{i},", f"case{i},", 1) for i, row in enumerate(rows))])
    )
    (folder / "mine.py").write_text(
        "from sklearn.naive_bayes import GaussianNB\ndef make():\n    return GaussianNB()\n"
    )
    return file


def invoked(*arguments: str) -> tuple[int, str, str]:
    """The command in this process: its exit code and what it printed."""
    import contextlib
    import io

    from rocscope import cli

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.main(["validate", *arguments], command=cli.rocscope({**cli.COMMANDS, "validate": ""}))
    return code, out.getvalue(), err.getvalue()


def test_a_raw_csv_is_validated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = written(tmp_path)
    models = ["--model", "logistic", "--model", "mine:make"]
    code, out, err = invoked(
        str(file), "--target", "state", "--positive", "ill", *models, "--plan", "3-fold", "--format", "json"
    )
    assert code == 0, err
    document = json.loads(out)
    assert document["models"] == ["logistic", "mine:make"]
    prepared = document["data"]["source"]["features"]
    assert prepared["numbers"] == ["a", "b", "patient"]
    assert prepared["categories"] == ["town"]
    assert prepared["left_out"] == {"id": "a different value in every row"}
    assert prepared["missing"] == {"b": 14, "town": 40}
    assert "column 'id' was left out" in err
    code, out, err = invoked(
        str(file), "--target", "state", "--positive", "ill", *models, "--plan", "4-fold", "--group", "patient"
    )
    assert code == 0, err
    assert "grouped 4-fold" in out
    code, out, _ = invoked(
        str(file), "--target", "state", "--positive", "ill", "--model", "nb", "--format", "csv", "--plan", "5x2"
    )
    assert code == 0
    assert len(out.splitlines()) == 11
    assert out.splitlines()[1].startswith('nb,"(T1, V1)"')


def test_the_demo_answers_and_writes(tmp_path: Path) -> None:
    target = tmp_path / "answer.md"
    code, out, err = invoked(
        "--demo", "--model", "nb", "--model", "tree", "--plan", "5x2", "--full", "--output", str(target)
    )
    assert code == 0, err
    assert "5x2cv F" in out
    assert "mean of fold AUCs" in out
    assert target.read_text("utf-8").startswith("**")
    assert invoked("--demo", "--output", str(target))[0] == 2  # it is there already


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing argument"),
        (["FILE"], "name the column to be predicted"),
        (["FILE", "--target", "stat"], "Did you mean"),
        (["FILE", "--target", "state"], "state which is positive"),
        (["FILE", "--target", "state", "--positive", "ill", "--model", "logistics"], "Did you mean 'logistic'"),
        (["FILE", "--target", "state", "--positive", "ill", "--model", "no_such:make"], "No module named 'no_such'"),
        (["FILE", "--target", "state", "--positive", "ill", "--plan", "1-fold"], "2 or more"),
        (["FILE", "--target", "state", "--positive", "ill", "--plan", "121-fold"], "121 folds, but 120 cases"),
        (["FILE", "--target", "state", "--positive", "ill", "--seed", "-1"], "seed must be an integer from 0"),
        (["FILE", "--target", "state", "--positive", "ill", "--output", "x.pkl"], "cannot determine a format"),
        (["--demo", "--note", "oak:old"], "must name one of the models"),
    ],
)
def test_the_command_refuses(arguments: list[str], message: str, tmp_path: Path) -> None:
    file = written(tmp_path)
    code, out, err = invoked(*(str(file) if one == "FILE" else one for one in arguments))
    assert code == 2
    assert message in err
    assert out == ""


STUCK = """
import hashlib
from sklearn.naive_bayes import GaussianNB

class Stuck(GaussianNB):
    def fit(self, X, y, sample_weight=None):
        from pathlib import Path
        marks = len(list(Path({folder!r}).glob("mark*")))
        Path({folder!r}, f"mark{{marks}}").touch()
        if marks == 2:
            hashlib.pbkdf2_hmac("sha256", b"deep", b"inside", 2**31 - 1)  # compiled code that no signal reaches
        return super().fit(X, y, sample_weight)

def make():
    return Stuck()
"""


def test_an_interrupt_stops_at_once_and_keeps_what_is_done(tmp_path: Path) -> None:
    import time

    file = written(tmp_path)
    (tmp_path / "stuck.py").write_text(STUCK.format(folder=str(tmp_path)))
    arguments = [
        str(file),
        "--target",
        "state",
        "--positive",
        "ill",
        "--model",
        "stuck:make",
        "--plan",
        "4-fold",
        "--run",
        "runs",
    ]
    started = subprocess.Popen(
        [sys.executable, "-c", COMMAND.format(source=str(SOURCE)), *arguments, "--format", "json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
    )  # fmt: skip
    try:
        while not (tmp_path / "mark2").exists():  # the third fit is under way
            assert started.poll() is None, started.stderr and started.stderr.read()
            time.sleep(0.05)
        started.send_signal(signal.SIGINT)
        out, err = started.communicate(timeout=180)  # the fit would take many times as long
    finally:
        started.kill()
    assert started.returncode == 130
    assert out == ""
    assert "interrupted" in err
    assert len(list((tmp_path / "runs").glob("*/*.npz"))) == 2
    for number in range(3, 9):
        (tmp_path / f"mark{number}").touch()  # unstuck now
    done = command(*arguments, "--format", "json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["times"]["run"]["resumed"] == 2


@pytest.mark.parametrize("plan", ["holdout", "3-fold", "5x2", "bootstrap"])
def test_the_document_validates_against_the_schema(plan: str) -> None:
    import json

    import jsonschema
    from sklearn.datasets import load_breast_cancer
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    path = Path(__file__).parent.parent / "src/rocscope/schema/rocscope-1.json"
    X, y = load_breast_cancer(return_X_y=True)
    models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2)}
    document = validate(models, X[:200], y[:200], plan=plan, seed=0).to_dict()
    jsonschema.Draft202012Validator(json.loads(path.read_text())).validate(json.loads(json.dumps(document)))


def test_folds_of_old_code_are_not_used_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "data.csv"
    data.write_text("x,y\n" + "\n".join(f"{i},{i % 2}" for i in range(24)))
    monkeypatch.chdir(tmp_path)
    helper = "from sklearn.dummy import DummyClassifier\n"
    model = "import own_helper\nclass make(own_helper.DummyClassifier):\n    shown = {}\n"
    ran = []
    for shown, remark in ((1, ""), (1, ""), (2, ""), (2, "# changed\n")):
        (tmp_path / "own_helper.py").write_text(helper + remark)
        (tmp_path / "own_model.py").write_text(model.format(shown))
        command = [sys.executable, "-m", "rocscope", "validate", str(data), "--target", "y", "--plan", "2-fold"]
        command += ["--model", "own_model:make", "--run", str(tmp_path / "run"), "--format", "json"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        ran.append(json.loads(done.stdout)["times"]["run"]["resumed"])
    assert ran == [0, 2, 0, 0]  # the same again, then another model and another helper module


def test_the_folder_of_the_data_does_not_hide_installed_packages(tmp_path: Path) -> None:
    (tmp_path / "joblib.py").write_text("raise SystemExit('executed')")
    (tmp_path / "mine.py").write_text("from sklearn.dummy import DummyClassifier as make\n")
    (tmp_path / "data.csv").write_text("x,y\n" + "\n".join(f"{i},{i % 2}" for i in range(12)))
    code = "import sys; sys.path[0:1] = []; from rocscope.cli import main; main()"
    command = [
        sys.executable,
        "-c",
        code,
        "validate",
        "data.csv",
        "--target",
        "y",
        "--model",
        "mine:make",
        "--plan",
        "2-fold",
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, "executed" in done.stderr) == (0, False), done.stderr


def test_without_scikit_learn_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rocscope.splits.base.find_spec", lambda name: None)
    for call in (lambda: validate("nb", X, Y), lambda: splits.plan("10-fold", Y), lambda: classifier("nb")):
        with pytest.raises(RocscopeError, match=r"rocscope\[validate\]"):
            call()


# ---- the measure that decides ----

IRIS_X, IRIS_Y = load_iris(return_X_y=True)
TWO = {"bayes": GaussianNB(), "stump": DecisionTreeClassifier(max_depth=1)}


@pytest.mark.parametrize("plan", ["5-fold", "holdout", "5x2"])
def test_a_named_measure_decides(plan: str) -> None:
    va = validate(TWO, IRIS_X, IRIS_Y, plan=plan, measure="macro F1", seed=0)
    document = va.to_dict()
    assert (va.primary, va.recommended, document["measure"]) == ("macro_f1", "bayes", "macro_f1")
    first = document["comparisons"][0]
    assert (first["what"], first["a"], first["settled"]) == ("macro_f1", "bayes", True)
    assert first["value"] == pytest.approx(
        va.summarise("bayes", "macro_f1").mean.value - va.summarise("stump", "macro_f1").mean.value
    )
    assert "bayes has macro F1" in str(va)
    assert document["winner"]["measure"] == "macro_f1" and document["winner"]["chosen"]["bayes"] > 0.9


def test_the_measure_can_turn_the_recommendation() -> None:
    """One model misses few positives and errs more often, the other errs less and misses more."""

    class Flags(ClassifierMixin, BaseEstimator):
        def __init__(self, most: bool = True) -> None:
            self.most = most

        def fit(self, X: Any, y: Any) -> Flags:
            self.classes_ = np.array([0, 1])
            return self

        def predict(self, X: Any) -> Any:
            return (X[:, 0] > (-1 if self.most else 1)).astype(int)

    models = {"many": Flags(True), "few": Flags(False)}
    chosen = {m: validate(models, X, Y, plan="3-fold", measure=m).recommended for m in ("recall", "specificity", "fpr")}
    assert chosen == {"recall": "many", "specificity": "few", "fpr": "few"}


def test_differences_on_cases_are_those_of_a_comparison() -> None:
    """On one holdout, a measure without a test of its own is compared as `compare` does it."""
    va = validate(TWO, IRIS_X, IRIS_Y, plan="holdout", measure="macro_f1", seed=0)
    cases = va.shared_cases
    named = {name: va.answers_at(name, cases)[1] for name in va.names}
    asked = compare(IRIS_Y[cases], named, measure="macro_f1", labels=[0, 1, 2])
    assert va.test == "cases"
    assert va.compare()[0].estimate == asked.difference("bayes", "stump")


@pytest.mark.parametrize(
    ("measure", "plan", "says"),
    [
        ("nonsense", "3-fold", "no measure 'nonsense'"),
        ("prevalence", "3-fold", "neither its highest nor its lowest value is the best"),
        ("macro_f1", "3-fold", "there is one positive class"),
        ("average_precision", "loo", "ranks cases scored by different models"),
    ],
)
def test_a_measure_that_cannot_decide_is_refused_before_fitting(measure: str, plan: str, says: str) -> None:
    with pytest.raises(RocscopeError, match=says):
        validate(MODELS, X[:20], Y[:20], plan=plan, measure=measure)


def test_measures_of_one_class_are_refused_for_several() -> None:
    with pytest.raises(RocscopeError, match="macro_f1, micro_f1, weighted_f1"):
        validate(TWO, IRIS_X, IRIS_Y, measure="f1")


def test_every_fold_value_of_several_classes_agrees_with_scikit_learn() -> None:
    va = validate(TWO, IRIS_X, IRIS_Y, plan="3-fold", seed=1)
    names = ("weighted_f1", "log_loss", "auc")
    for fold, *ours in zip(va.of("bayes").folds, *(va.of("bayes").values(m) for m in names), strict=True):
        truth = IRIS_Y[fold.cases]
        theirs = [
            f1_score(truth, fold.predicted, average="weighted"),
            log_loss(truth, fold.scores),
            roc_auc_score(truth, fold.scores, multi_class="ovr"),
        ]
        assert ours == pytest.approx(theirs, rel=1e-12)


def test_out_of_bag_scores_are_not_ranked_together() -> None:
    """A model that learns nothing would have an AUC of 0.41: samples with fewer positives leave more of them out."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), np.repeat([0, 1], 20)
    va = validate({"prior": DummyClassifier(strategy="prior"), "nb": GaussianNB()}, X, y, plan="bootstrap-20")
    document = va.to_dict()
    assert va.summarise("prior", "auc").mean.value == 0.5 and document["pooled"] is None
    for row in (document["summary"]["prior"]["auc"]["pooled"], document["auc"]["prior"]["pooled"]):
        assert row["value"] is None and "out-of-bag" in row["why"]
    assert document["roc"]["prior"]["pooled"] is None and document["roc"]["prior"]["vertical"] is not None
    assert document["winner"]["measure"] == "error_rate"
    with pytest.raises(RocscopeError, match="out-of-bag"):
        va.hull()
    for test in ("cases", "corrected-cases"):
        by_auc = next(one for one in va.compare(test) if one.what == "auc")
        assert math.isnan(by_auc.estimate.value) and "out-of-bag" in by_auc.estimate.why


def test_a_test_of_two_scores_is_refused_for_a_bootstrap_plan() -> None:
    """DeLong's test ranked out-of-bag scores of different models together."""
    rng, y = np.random.default_rng(0), np.repeat([0, 1], 40)
    X = rng.normal(size=(80, 2)) + y[:, None]
    va = validate({"a": LogisticRegression(), "b": LogisticRegression(C=0.01)}, X, y, plan="bootstrap")
    with pytest.raises(RocscopeError, match="pooled out-of-bag scores rank cases scored by different models"):
        va.compare("delong")
    assert va.compare("corrected-t")[0].what == "auc"
