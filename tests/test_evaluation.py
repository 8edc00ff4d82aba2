"""evaluate() and compare(): the numbers of the rooms below, a threshold somebody chose, a document that validates."""

from __future__ import annotations

import json
import math
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fawcett import LABELS as FAWCETT_LABELS
from fawcett import SCORES as FAWCETT
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import rocscope as rs
from rocscope import RocscopeError
from rocscope.estimate import Estimate
from rocscope.evaluation import ClassEvaluation, Evaluation, at_random
from rocscope.evaluation.comparison import Difference

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def validator() -> Any:
    import jsonschema

    schema = json.loads((ROOT / "src/rocscope/schema/rocscope-1.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def loans(n: int = 800, seed: int = 3) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.15).astype(int)
    return y, {
        "a": np.clip(0.2 + 0.25 * y + rng.normal(0, 0.15, n), 0, 1),
        "b": np.clip(0.2 + 0.15 * y + rng.normal(0, 0.15, n), 0, 1),
        "c": rng.random(n),
    }


def one_of_each_kind() -> list[Any]:
    y, scores = loans()
    labels = np.array(["no", "yes"])[y]
    return [
        rs.evaluate(y, scores["a"]),
        rs.evaluate(y, scores["a"], costs=rs.Costs(fp=1, fn=5)),
        rs.evaluate(labels, 10 * scores["a"] - 4, positive="yes", choose="f1", unit="loan"),
        rs.evaluate(y, scores["a"], weights=np.linspace(0.5, 2, len(y)), threshold=0.3),
        rs.evaluate(y, -scores["a"], higher_is_positive=False, costs=rs.Costs(fp=1, fn=9, prevalence=0.02)),
        rs.evaluate([1, 1, 1], [0.2, 0.6, 0.9]),
        rs.evaluate([0, 0, 0], [3, 4, 5]),
        rs.evaluate([1], [0.3]),
        rs.evaluate([1, 0], [0.3, 0.3]),
        rs.evaluate([1, 1, 0, 0], [0.9, 0.8, 0.2, 0.1], costs=rs.Costs(fp=1, fn=0)),
        rs.evaluate(["a", "b", "c", "a"], predicted=["a", "b", "b", "c"]),
        rs.evaluate(["a", "b", "c"], [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.3, 0.3, 0.4]]),
        rs.evaluate(["a", "b"], [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3]], labels=["a", "b", "c"]),
        rs.compare(y, scores, costs=rs.Costs(fp=1, fn=5)),
        rs.compare(y, {"a": scores["a"], "same": 2 * scores["a"] + 1}),
        rs.compare([1, 1], {"a": [0.1, 0.2], "b": [0.3, 0.4]}),
    ]


def test_every_document_validates_and_is_json(validator: Any) -> None:
    for one in one_of_each_kind():
        document = one.to_dict()
        text = json.dumps(document, allow_nan=False)
        validator.validate(json.loads(text))
        assert document["verdict"]["headline"]


def test_the_schema_is_up_to_date() -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        import schema
    finally:
        sys.path.remove(str(ROOT / "tools"))
    assert schema.TARGET.read_text() == schema.text(), "run: python tools/schema.py"


def test_same_input_and_seed_same_bytes() -> None:
    first, second = ([json.dumps(one.to_dict()) for one in one_of_each_kind()] for _ in range(2))
    assert first == second


def test_fawcett_through_the_front_door() -> None:
    ev = rs.evaluate(FAWCETT_LABELS, FAWCETT)
    assert isinstance(ev, Evaluation)
    assert ev.auc.value == 0.68
    assert (ev.auc.low, ev.auc.high) == pytest.approx((0.414482, 0.858393), abs=1e-6)
    assert ev.estimates["accuracy"].value == 0.6
    assert ev.best("accuracy")[0].threshold == 0.54
    assert ev.hull().area == pytest.approx(0.755)
    assert ev.to_dict()["point"]["chosen"] == "not chosen"


def test_who_chose_the_threshold() -> None:
    y, scores = loans()
    assert rs.evaluate(y, scores["a"]).point.chosen == "not chosen"
    assert rs.evaluate(y, scores["a"], threshold=0.4).point.chosen == "given"
    by_cost = rs.evaluate(y, scores["a"], costs=rs.Costs(fp=1, fn=5)).point
    assert by_cost.chosen == "cost" and by_cost.optimistic
    logits = rs.evaluate(y, 10 * scores["a"] - 4).point
    assert logits.chosen == "youden" and logits.optimistic
    honest = rs.evaluate(y[400:], scores["a"][400:], costs=rs.Costs(fp=1, fn=5), choose_on=(y[:400], scores["a"][:400]))
    assert not honest.point.optimistic
    expected = rs.decisions.best(rs.ScoreTable.from_scores(y[:400], scores["a"][:400]), costs=rs.Costs(fp=1, fn=5))
    assert honest.point.threshold == expected[0].threshold


def test_costs_of_the_alternatives() -> None:
    y, scores = loans()
    costs = rs.Costs(fp=1, fn=5)
    document = rs.evaluate(y, scores["a"], costs=costs).to_dict()
    assert document["costs"]["flag nobody"]["value"] == pytest.approx(1000 * 5 * y.mean())
    assert document["costs"]["flag everybody"]["value"] == pytest.approx(1000 * (1 - y.mean()))
    cheapest = min(costs.expected(rs.ScoreTable.from_scores(y, scores["a"]).at(s), per=1000) for s in scores["a"])
    assert document["point"]["apparent_cost"]["value"] == pytest.approx(cheapest)
    assert document["point"]["apparent_cost"]["low"] < cheapest < document["point"]["apparent_cost"]["high"]
    assert document["point"]["cost"]["value"] > cheapest  # corrected for the choice of the threshold
    assert document["point"]["correction"] == {
        "corrected": True, "label": "corrected for selection", "resamples": 200, "why": "",
    }  # fmt: skip


def test_only_what_was_chosen_on_these_cases_is_corrected() -> None:
    y, scores = loans()
    costs = rs.Costs(fp=1, fn=5)
    chosen, given = rs.evaluate(y, scores["a"], costs=costs), rs.evaluate(y, scores["a"], costs=costs, threshold=0.3)
    elsewhere = rs.evaluate(y, scores["a"], costs=costs, choose_on=(y, scores["b"]))
    for ev in (given, elsewhere, rs.evaluate(y, scores["a"])):
        assert ev.selection is None and ev.to_dict()["point"]["correction"] is None
        assert ev.estimates["recall"] == ev.point.counts.estimate("recall")
    assert chosen.apparent("recall") == chosen.point.counts.estimate("recall")
    assert chosen.measure("recall").value < chosen.apparent("recall").value
    cmp = rs.compare(y, scores, costs=costs)
    best = cmp.evaluations[cmp.recommended]
    assert best.selection is cmp.selection[0] and sum(best.selection.shares) == pytest.approx(1)
    again = rs.compare(y, scores, costs=costs).evaluations[cmp.recommended]
    assert (again.cost.low, again.cost.high) == (best.cost.low, best.cost.high)  # seeded


def test_clusters_and_weights_widen_a_chosen_cost() -> None:
    y, scores = loans()
    costs, twice = rs.Costs(fp=1, fn=5), np.arange(2 * len(y)) % len(y)
    plain = rs.evaluate(y, scores["a"], costs=costs).cost
    y2, s2 = y[twice], scores["a"][twice]
    assert plain is not None
    clustered = rs.evaluate(y2, s2, costs=costs, clusters=twice).cost
    copied = rs.evaluate(y2, s2, costs=costs).cost
    assert clustered is not None and copied is not None
    assert clustered.high - clustered.low > 1.2 * (copied.high - copied.low)
    assert clustered.high - clustered.low == pytest.approx(plain.high - plain.low, rel=0.2)
    uneven = np.where(np.arange(len(y)) % 5 == 0, 10.0, 1.0)
    weighted = rs.evaluate(y, scores["a"], costs=costs, weights=uneven).cost
    assert weighted is not None and weighted.high - weighted.low > 1.2 * (plain.high - plain.low)


@given(*[st.integers(0, 40)] * 4)
def test_baseline_is_independence(tp: int, fp: int, fn: int, tn: int) -> None:
    if not tp + fp + fn + tn:
        return
    chance = at_random(rs.Counts(tp=tp, fp=fp, fn=fn, tn=tn))
    assert chance.value("positives") == tp + fn and chance.value("predicted_positives") == tp + fp
    assert math.isnan(chance.mcc) or chance.mcc == 0


def test_identical_models_differ_by_nothing() -> None:
    y, scores = loans()
    cmp = rs.compare(y, {"a": scores["a"], "again": scores["a"] / 2})
    only = cmp.differences[0]
    assert (only.estimate.value, only.estimate.low, only.estimate.high, only.estimate.p) == (0, 0, 0, 1)
    assert cmp.to_dict()["verdict"]["sure"].startswith("a and again rank all cases in the same order: AUC")


def test_p_values_over_all_pairs_and_joint() -> None:
    y, scores = loans()
    cmp = rs.compare(y, scores)
    assert cmp.recommended == "a"
    others = [one.b for one in cmp.differences]
    found = [rs.significance.delong(y, scores["a"], scores[other]) for other in others]
    raw = [2 * stats.norm.sf(abs(one.value) / one.se) for one in found]  # that of the limits
    drawn = {(one.a, one.b): one.p_adjusted for one in cmp.pairs}  # over all pairs, as any could have come first
    assert [one.p_adjusted for one in cmp.differences] == [drawn["a", other] for other in others]
    tails = [2 * stats.t.sf(stats.norm.isf(p / 2), cmp._inference("auc").df) for p in raw]
    assert [one.p_adjusted for one in cmp.differences] == pytest.approx([3 * p for p in tails])  # far out: Bonferroni
    other = rs.compare(y, scores, test="bootstrap")  # no covariance of all models: Holm
    pairs = [("a", b) for b in others] + list(combinations(others, 2))
    adjusted = rs.significance.holm([other._auc_difference(a, b).p for a, b in pairs])[: len(others)]
    assert [one.p_adjusted for one in other.differences] == pytest.approx(adjusted)
    assert cmp.joint is not None and cmp.joint.p < 0.001
    assert sum(cmp.cheapest.values()) == pytest.approx(1)
    assert "c" in cmp.hull().dominated


def test_two_points_of_the_documents() -> None:
    h = rs.hull.hull({"C4.5": (0.2, 0.7), "SVM": (0.5, 0.95)})
    assert h.best(cost_ratio=1).model == "C4.5" and h.best(cost_ratio=0.25).model == "SVM"


def test_class_never_predicted_is_named() -> None:
    ev = rs.evaluate(["a"] * 10 + ["b"] * 10 + ["c"] * 5, predicted=["a"] * 10 + ["b"] * 10 + ["a"] * 5)
    assert isinstance(ev, ClassEvaluation)
    assert "c is never predicted." in ev.to_dict()["verdict"]["caveats"]
    weak = rs.evaluate(["a"] * 50 + ["b"] * 50, predicted=["a"] * 50 + ["b"] * 10 + ["a"] * 40)
    assert any("b is found less often" in one for one in weak.to_dict()["verdict"]["caveats"])


def test_hard_labels_as_scores_are_warned_about() -> None:
    ev = rs.evaluate([1, 0, 1, 0, 1, 0], [1, 0, 1, 0, 0, 0])
    assert any("2 distinct scores" in one for one in ev.to_dict()["caveats"])


def test_backwards_ranking_is_said_and_not_flipped() -> None:
    ev = rs.evaluate([0, 0, 1, 1], [0.9, 0.8, 0.2, 0.1])
    assert ev.auc.value == 0
    assert any("reversed" in one for one in ev.to_dict()["caveats"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 95}, "0.95"),
        ({"threshold": 0.5, "choose": "f1"}, "not both"),
        ({"threshold": math.nan}, "NaN"),
        ({"bootstrap": 1}, "resamples"),
        ({"seed": -1}, "seed"),
        ({"seed": "x"}, "seed"),
        ({"choose": "f11x"}, "f11x"),
        ({"interval": "wison"}, "wison"),
    ],
)
def test_wrong_settings_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(RocscopeError, match=message):
        rs.evaluate(FAWCETT_LABELS, FAWCETT, **options).to_dict()


def test_B057_models_on_different_rows_are_refused() -> None:
    with pytest.raises(RocscopeError, match="same cases"):
        rs.compare([1, 0, 1], {"a": [0.1, 0.2, 0.3], "b": [0.1, 0.2]})


def test_neither_scores_nor_labels() -> None:
    with pytest.raises(RocscopeError, match="give scores or predicted labels"):
        rs.evaluate([1, 0])


def test_bootstrap_when_asked() -> None:
    ev = rs.evaluate(FAWCETT_LABELS, FAWCETT, bootstrap=500)
    assert "b" in ev.auc.method and ev.auc.low < 0.68 < ev.auc.high
    assert ev.auc == rs.evaluate(FAWCETT_LABELS, FAWCETT, bootstrap=500).auc


# ---- the positive one of two classes ----

HARD = ["bad"] * 40 + ["good"] * 60, ["bad"] * 31 + ["good"] * 9 + ["bad"] * 12 + ["good"] * 48


@pytest.mark.parametrize(("positive", "cells"), [("bad", (31, 12, 9, 48)), ("good", (48, 9, 12, 31))])
def test_hard_labels_keep_the_positive_class_that_was_said(positive: str, cells: tuple[int, ...]) -> None:
    for labels in (None, ["bad", "good"], ["good", "bad"]):
        ev = rs.evaluate(HARD[0], predicted=HARD[1], positive=positive, labels=labels)
        document = ev.to_dict(drawing=True)
        model = document["drawing"]["models"][0]
        assert document["data"]["positive"] == document["drawing"]["positive"] == positive
        assert tuple(model["points"].values()) == cells
        assert {row["name"]: row["value"] for row in model["rows"]}["recall"] == cells[0] / (cells[0] + cells[2])


@pytest.mark.parametrize(("pair", "positive"), [((0, 1), 1), ((1, -1), 1), ((True, False), True), (("1", "0"), "1")])
def test_labels_that_say_themselves_which_is_positive(pair: tuple[object, object], positive: object) -> None:
    assert rs.evaluate(list(pair) * 2, predicted=[pair[0]] * 4).positive_label == positive


def test_no_class_is_guessed_to_be_positive() -> None:
    ev = rs.evaluate(HARD[0], predicted=HARD[1])
    document = ev.to_dict(drawing=True)
    assert ev.positive_label is ev.counts is document["data"]["positive"] is None
    assert document["drawing"]["models"] == [] and document["drawing"]["positive"] == ""
    assert rs.evaluate(["a", "b", "c"], predicted=["a", "b", "b"], positive="a").positive_label is None
    for labels in (["a", "b"], ["a", "b", "c"]):
        with pytest.raises(RocscopeError, match="positive label 'x' is not"):
            rs.evaluate(labels, predicted=labels, positive="x")


def test_the_positive_class_is_known_from_columns_too(tmp_path: Path) -> None:
    path = tmp_path / "hard.csv"
    path.write_text("l,h\n" + "".join(f"{a},{b}\n" for a, b in zip(*HARD, strict=True)))
    for budget in (None, 0):
        ev = rs.evaluate(path, label="l", predicted="h", positive="bad", budget=budget)
        assert ev.positive_label == "bad" and ev.counts.tp == 31


@pytest.mark.parametrize(
    ("low", "p", "p_adjusted", "settled"),
    [(0.01, 0.02, 0.02, True), (0.01, 0.02, 0.06, False), (-0.01, 0.02, 0.02, False), (0.01, 0.06, 0.06, True)],
    ids=["one look", "several looks", "0 inside", "one look, the interval decides"],
)
def test_a_difference_is_settled_when_all_looks_are_allowed_for(
    low: float, p: float, p_adjusted: float, settled: bool
) -> None:
    found = Difference("a", "b", "auc", Estimate(0.04, low=low, high=0.07, p=p), p_adjusted)
    assert found.settled is settled


def test_grades_follow_the_interval_that_decides() -> None:
    y, scores = loans()
    costs = rs.Costs(fp=1, fn=5)
    for cmp in (rs.compare(y, scores), rs.compare(y, scores, costs=costs)):
        found = cmp.to_dict()["certainty"]
        deciding = cmp.cost_differences if found["decides"] == "cost" else cmp.differences
        apart = all(one.estimate.low > 0 or one.estimate.high < 0 for one in deciding)
        assert (found["grade"] == "settled") == apart and 0 <= found["best_share"] <= 1
        if not apart:
            assert found["grade"] == ("leaning" if found["best_share"] >= 0.8 else "open") and found["against"]
    rng = np.random.default_rng(0)
    clear = rs.compare(y, {"good": y + 0.3 * rng.standard_normal(len(y)), "noise": rng.standard_normal(len(y))})
    assert clear.certainty["grade"] == "settled" and clear.certainty["best_share"] == 1


def test_equal_models_are_seldom_settled() -> None:
    """One of 10 equal models: Holm over the comparisons with the best of them settled some lead in 0.15 of samples."""
    rng, settled, named, n = np.random.default_rng(1), 0, 0, 60
    for _ in range(n):
        y = np.repeat([1, 0], 50)
        cmp = rs.compare(y, {str(i): y + rng.standard_normal(100) for i in range(10)})
        named += any(one.settled for one in cmp.differences)
        settled += all(one.estimate.low > 0 for one in cmp.differences)
    assert settled == 0 and named / n <= 0.1


def test_cost_differences_with_weights_and_clusters() -> None:
    y, scores = loans()
    costs = rs.Costs(fp=1, fn=5)
    plain = rs.compare(y, scores, costs=costs).cost_differences[0].estimate
    ones = rs.compare(y, scores, costs=costs, weights=np.ones(len(y))).cost_differences[0].estimate
    alone = rs.compare(y, scores, costs=costs, clusters=np.arange(len(y))).cost_differences[0].estimate
    for one in (ones, alone):
        assert one.value == pytest.approx(plain.value)
        assert one.high - one.low == pytest.approx(plain.high - plain.low, rel=0.15)
    twice = np.arange(2 * len(y)) % len(y)
    doubled = {name: column[twice] for name, column in scores.items()}
    clustered = rs.compare(y[twice], doubled, costs=costs, clusters=twice).cost_differences[0].estimate
    assert clustered.high - clustered.low == pytest.approx(alone.high - alone.low, rel=0.15)


def test_two_clusters_do_not_push_a_cost_difference_beyond_what_errors_can_cost() -> None:
    y, scores = [1, 0, 1, 0, 1, 0], {"a": [5, 4, 3, 2, 1, 0], "b": [0, 5, 2, 1, 4, 3]}
    cmp = rs.compare(y, scores, costs=rs.Costs(fp=1, fn=5), threshold=2.5, clusters=[0, 0, 0, 1, 1, 1])
    for one in (*cmp.cost_differences, *cmp.pairs):
        assert (one.estimate.low, one.estimate.high) == (-5000, 5000) and one.p_adjusted >= one.estimate.p > 0.9


def test_a_stated_prevalence_reaches_every_measure_that_depends_on_it() -> None:
    y, scores = loans()
    table, costs = rs.ScoreTable.from_scores(y, scores["a"]), rs.Costs(fp=1, fn=5, prevalence=0.02)
    ev = rs.evaluate(y, scores["a"], threshold=0.3, costs=costs)
    moved = table.rebase(0.02)
    for name in ("precision", "npv", "f1", "mcc", "accuracy", "recall", "specificity"):
        one, other = moved.at(0.3).estimate(name), ev.estimates[name]
        assert (other.value, other.low, other.high) == pytest.approx((one.value, one.low, one.high)), name
    area = rs.intervals.average_precision(moved)
    assert (ev.estimates["average_precision"].low, ev.estimates["average_precision"].high) == (area.low, area.high)
    counts = table.at(0.3)
    ppv = rs.estimate.predictive_value(*counts.cells.values(), prevalence=0.02)
    assert (ev.estimates["precision"].low, ev.estimates["precision"].high) == pytest.approx((ppv.low, ppv.high))
    row = next(one for one in ev.to_dict()["measures"] if one["name"] == "precision")
    assert (row["low"], row["high"]) == pytest.approx((ppv.low, ppv.high))


def test_the_methods_say_what_was_corrected_and_which_intervals_were_combined() -> None:
    y, scores = loans()
    costs = rs.Costs(fp=1, fn=5)
    for answer, what in (
        (rs.evaluate(y, scores["a"], costs=costs), "The threshold was chosen on the same cases"),
        (rs.compare(y, scores, costs=costs), "The model and its threshold were chosen on the same cases"),
    ):
        said = answer.to_dict()["methods"]
        assert what in said and "repeated in 200 resamples (seed 0)" in said and "two rates" in said
    assert "chosen" not in rs.evaluate(y, scores["a"], costs=costs, threshold=0.3).to_dict()["methods"]
    several = rs.evaluate(["a", "b"], predicted=["a", "a"]).to_dict()["methods"]
    assert "intervals combined from those of the classes for macro averages" in several


def test_models_that_rank_alike_differ_in_what_is_not_ranking() -> None:
    y, first, second = [1, 1, 0, 1, 1], [0.95, 0.92, 0.80, 0.76, 0.71], [0.20, 0.10, 0.08, 0.06, 0.02]
    found = rs.compare(y, {"first": first, "second": second})
    assert found.evaluations["first"].auc.value == found.evaluations["second"].auc.value == 0.5
    said = found.to_dict()["verdict"]["sure"]
    assert (
        "first and second rank all cases in the same order: AUC and everything else computed from the ranking" in said
    )
    assert "log loss (0.4722 against 2.144), Brier score (0.1581 against 0.6601)" in said
    assert "accuracy (0.8 against 0.2)" in said and "resamples" not in said and "equally well" not in said
    # a resample in which both are equally good is nobody's alone
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 200)
    score = rng.random(200) + 0.5 * labels
    certainty = rs.compare(labels, {"a": score, "b": score**3}).certainty
    assert certainty["grade"] == "open" and certainty["best_share"] == pytest.approx(0.5)


def test_an_unknown_test_is_refused_at_the_call() -> None:
    with pytest.raises(RocscopeError, match="nope"):
        rs.compare([1, 0, 1, 0], {"a": [4, 3, 2, 1], "b": [4, 2, 3, 1]}, test="nope")
    with pytest.raises(RocscopeError, match="mcnemar"):  # known, but not of two scores
        rs.compare("nowhere.csv", label="y", score=["a", "b"], test="mcnemar")
