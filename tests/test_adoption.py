"""What a team met when it tried to adopt rocscope: nothing fails open, no argument is ignored, hints lead on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rocscope as rs
from rocscope import sklearn as ours

RNG = np.random.default_rng(2)
Y = RNG.integers(0, 2, 300)
S = Y * 0.2 + RNG.random(300) * 0.8
W = RNG.random(300) + 0.1


@pytest.fixture(scope="module")
def features() -> Any:
    return np.column_stack([S, RNG.random(300)])


def test_an_unmet_gate_is_false() -> None:
    ev = rs.evaluate(Y, S)
    assert not rs.gate(ev, "auc.low >= 0.99")
    assert rs.gate(ev, "auc >= 0.5")
    assert "NOT MET" in str(rs.gate(ev, "auc.low >= 0.99"))


def test_a_gate_takes_nothing_but_the_evaluation_of_one_classifier() -> None:
    ev = rs.evaluate(Y, S)
    labels = rs.evaluate(np.eye(3, dtype=int)[[0, 1, 2, 0]], np.eye(3)[[0, 1, 2, 1]])
    for other in (None, ev.to_dict(), rs.compare(Y, {"a": S, "b": W}), labels, 0.9):
        with pytest.raises(rs.RocscopeError, match=r"ev must be the evaluation of one classifier.*Give|With"):
            rs.gate(other, "auc >= 0.5")  # type: ignore[arg-type]
    with pytest.raises(rs.RocscopeError, match="baseline must be the evaluation of one classifier"):
        rs.gate(ev, "auc.diff >= 0", baseline=ev.to_dict())  # type: ignore[arg-type]
    with pytest.raises(rs.RocscopeError, match=r"against must be a results document \(a dict\), not str"):
        rs.gate(ev, "auc >= 0.5", against="main.json")  # type: ignore[arg-type]


def test_weights_have_one_name_and_change_the_answer() -> None:
    assert rs.evaluate(Y, S, weights=W).auc != rs.evaluate(Y, S).auc
    for call in (lambda **k: rs.evaluate(Y, S, **k), lambda **k: rs.compare(Y, {"a": S, "b": W}, **k)):
        with pytest.raises(TypeError, match="unexpected keyword argument 'weight'"):
            call(weight=W)


def test_a_table_has_its_positive_label() -> None:
    with pytest.raises(rs.RocscopeError, match="positive=0, but the positive label of the table is 1"):
        rs.evaluate(rs.evaluate(Y, S).table, positive=0)


@pytest.mark.parametrize(
    "call",
    [
        lambda costs: rs.evaluate(Y, S, costs=costs),
        lambda costs: rs.compare(Y, {"a": S, "b": W}, costs=costs),
        lambda costs: rs.evaluate(Y, S).best("cost", costs=costs),
        lambda costs: rs.decisions.best(rs.evaluate(Y, S).table, "cost", costs=costs),
        lambda costs: rs.evaluate(Y, S).hull().best(costs=costs),
        lambda costs: rs.validate({}, [[0]], [0], costs=costs),
    ],
)
def test_costs_are_costs(call: Any) -> None:
    with pytest.raises(rs.RocscopeError, match=r"costs must be a Costs object, not a dict.*costs=Costs\(fp=1, fn=5\)"):
        call({"fp": 1, "fn": 5})


def test_a_threshold_is_a_number() -> None:
    with pytest.raises(rs.RocscopeError, match=r"threshold must be a number, not 'youden'.*choose='youden'"):
        rs.evaluate(Y, S, threshold="youden")  # type: ignore[call-overload]
    for wrong in (True, [0.5], float("nan")):
        with pytest.raises(rs.RocscopeError, match="threshold"):
            rs.evaluate(Y, S, threshold=wrong)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"budget": "8M"}, "budget must be an integer, not '8M'"),
        ({"tolerance": "loose"}, "tolerance must be a number, not 'loose'"),
        ({"bootstrap": "many"}, "bootstrap must be an integer, not 'many'"),
        ({"exact": "no"}, "exact must be True or False, not 'no'"),
        ({"higher_is_positive": "no"}, "higher_is_positive must be True or False, not 'no'"),
    ],
)
def test_settings_of_the_wrong_kind_are_refused(given: dict[str, Any], says: str) -> None:
    frame = {"y": Y, "p": S, "q": W}
    for call in (
        lambda: rs.evaluate(frame, label="y", score="p", **given),
        lambda: rs.compare(frame, label="y", score=["p", "q"], **given),
    ):
        with pytest.raises(rs.RocscopeError, match=says):
            call()


def test_missing_values_of_arrays_are_refused_without_options_of_the_command_line() -> None:
    with pytest.raises(rs.RocscopeError, match="score has 1 NaN") as refused:
        rs.evaluate([0, 1, 1], [0.1, float("nan"), 0.3])
    assert "--" not in str(refused.value)


# ---- the scorer ----


def test_a_scorer_says_what_it_cannot_be() -> None:
    with pytest.raises(rs.RocscopeError, match="'cost' is a curve, but a scorer must return one number"):
        ours.scorer("cost")
    with pytest.raises(rs.RocscopeError, match="Did you mean 'accuracy'"):
        ours.scorer("acuracy")


def test_a_scorer_takes_part_in_metadata_routing(features: Any) -> None:
    import sklearn
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import get_scorer
    from sklearn.model_selection import GridSearchCV, cross_validate

    with sklearn.config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=True)
        mine, theirs = ours.scorer("auc"), get_scorer("roc_auc")
        mine.set_score_request(sample_weight=True)
        theirs.set_score_request(sample_weight=True)
        scores = [
            cross_validate(model, features, Y, scoring=one, params={"sample_weight": W}, cv=3)["test_score"]
            for one in (mine, theirs)
        ]
        plain = cross_validate(
            model, features, Y, scoring=ours.scorer("auc").set_score_request(sample_weight=False),
            params={"sample_weight": W}, cv=3,
        )["test_score"]  # fmt: skip
        GridSearchCV(model, {"C": [1, 2]}, scoring=mine, cv=3).fit(features, Y, sample_weight=W)
    assert scores[0] == pytest.approx(scores[1], abs=1e-12)
    assert not np.allclose(scores[0], plain)


@pytest.mark.parametrize(("name", "theirs"), [("f1", "f1"), ("recall", "recall"), ("mcc", "matthews_corrcoef")])
def test_a_scorer_tunes_a_threshold(features: Any, name: str, theirs: str) -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import TunedThresholdClassifierCV

    found = [
        TunedThresholdClassifierCV(LogisticRegression(), scoring=one, cv=3, random_state=0).fit(features, Y)
        for one in (ours.scorer(name), theirs)
    ]
    assert found[0].best_threshold_ == found[1].best_threshold_
    assert found[0].best_score_ == pytest.approx(found[1].best_score_, abs=1e-12)


def test_a_threshold_is_tuned_for_the_positive_class(features: Any) -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import f1_score, make_scorer
    from sklearn.model_selection import TunedThresholdClassifierCV

    named = np.array(["ill", "well"])[Y]
    model = LogisticRegression()
    mine = TunedThresholdClassifierCV(model, scoring=ours.scorer("f1", positive="ill"), cv=3).fit(features, named)
    theirs = TunedThresholdClassifierCV(model, scoring=make_scorer(f1_score, pos_label="ill"), cv=3)
    assert mine.best_threshold_ == theirs.fit(features, named).best_threshold_
    with pytest.raises(rs.RocscopeError, match=r"which label is positive: 'ill', 'well'\?.*positive="):
        TunedThresholdClassifierCV(model, scoring=ours.scorer("f1"), cv=3).fit(features, named)
    with pytest.raises(rs.RocscopeError, match="auc does not depend on a threshold"):
        TunedThresholdClassifierCV(model, scoring=ours.scorer("auc"), cv=3).fit(features, Y)
