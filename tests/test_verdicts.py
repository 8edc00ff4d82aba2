"""Verdicts: grades, baselines, caveats, which measure to trust, ROC space."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocscope import verdicts
from rocscope.errors import RocscopeError
from rocscope.table import Confusion, Counts, ScoreTable

BANNED = re.compile(r"significan|optimal|robust|!", re.IGNORECASE)


def table(y: list[int], scores: list[float]) -> ScoreTable:
    return ScoreTable.from_scores(y, scores)


# ---- imbalance ----


@pytest.mark.parametrize(
    ("positives", "negatives", "grade"),
    [
        (50, 50, "balanced"),
        (40, 60, "nearly balanced"),
        (60, 40, "nearly balanced"),
        (30, 70, "slightly imbalanced"),
        (20, 80, "imbalanced"),
        (10, 90, "imbalanced"),
        (5, 95, "extremely imbalanced"),
        (1, 10**9, "extremely imbalanced"),
        (0, 4, "one class only"),
    ],
)
def test_the_scale_of_the_documents(positives: int, negatives: int, grade: str) -> None:
    found = verdicts.imbalance(positives, negatives)
    assert found.grade == grade
    assert found.text.startswith(grade)


def test_the_ratio_is_majority_by_minority() -> None:
    assert verdicts.imbalance(30, 70).ratio == float(Fraction(7, 3))
    assert verdicts.imbalance(70, 30).ratio == float(Fraction(7, 3))
    assert verdicts.imbalance(0, 3).ratio == math.inf


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_imbalance_does_not_depend_on_which_class_is_positive(a: int, b: int) -> None:
    one, other = verdicts.imbalance(a, b), verdicts.imbalance(b, a)
    assert (one.grade, one.ratio) == (other.grade, other.ratio)
    assert one.ratio >= 1


@given(st.integers(1, 10**9), st.integers(1, 10**9))
def test_a_mixed_pair_is_never_called_100_percent(a: int, b: int) -> None:
    assert " 100 %" not in verdicts.imbalance(a, b).text


@pytest.mark.parametrize(("a", "b"), [(0, 0), (-1, 3), (math.nan, 3), (math.inf, 3)])
def test_impossible_class_sizes_are_refused(a: float, b: float) -> None:
    with pytest.raises(RocscopeError):
        verdicts.imbalance(a, b)


# ---- baseline and accuracy ----


def test_the_baseline_is_the_largest_class() -> None:
    assert verdicts.majority_baseline(Counts(tp=620, fp=180, fn=380, tn=8820)).accuracy == 0.9
    iris = Confusion.from_matrix([[10, 0, 0], [0, 7, 5], [0, 3, 5]], labels=["a", "b", "c"], rows="predicted")
    assert verdicts.majority_baseline(iris).accuracy == float(Fraction(1, 3))
    assert verdicts.majority_baseline(table([1, 1, 0], [3, 2, 1])).accuracy == float(Fraction(2, 3))


def test_the_baseline_uses_the_names_of_the_classes() -> None:
    spam = Confusion.from_matrix([[70, 30], [70, 330]], labels=["spam", "ham"], rows="predicted")
    assert verdicts.majority_baseline(spam).predicts == "ham"
    assert "always predicting ham gives 0.72" in verdicts.accuracy_caveat(spam)


def test_unknown_counts_have_no_baseline_and_mislead_nobody() -> None:
    with pytest.raises(RocscopeError, match="fp, tn"):
        verdicts.majority_baseline(Counts(tp=92, fn=8))
    assert verdicts.misleads(Counts(tp=92, fn=8)) == []


@pytest.mark.parametrize(
    ("counts", "says"),
    [
        (Counts(tp=4, fp=2, fn=4, tn=90), "Accuracy is 0.94, but always predicting negative gives 0.92."),
        (Counts(tp=7, fp=7, fn=3, tn=13), "Accuracy is 0.67, and always predicting negative also gives 0.67."),
        (Counts(tp=2, fp=5, fn=2, tn=1), "Accuracy is 0.30, less than the 0.60 of always predicting negative."),
        (Counts(tp=1, fp=0, fn=999, tn=9000), "Accuracy is 0.9001, but always predicting negative gives 0.9000."),
    ],
)
def test_accuracy_beside_the_baseline(counts: Counts, says: str) -> None:
    assert verdicts.misleads(counts)[0].startswith(says)


@pytest.mark.parametrize("counts", [Counts(tp=45, fp=5, fn=5, tn=45), Counts(tp=9, fp=1, fn=1, tn=89)])
def test_no_caveat_where_accuracy_says_something(counts: Counts) -> None:
    assert verdicts.misleads(counts) == []


@given(st.tuples(*[st.integers(0, 40)] * 4).filter(any))
def test_the_caveat_follows_its_rule(cells: tuple[int, int, int, int]) -> None:
    tp, fp, fn, tn = cells
    n, larger = sum(cells), max(tp + fn, fp + tn)
    accuracy, base = Fraction(tp + tn, n), Fraction(larger, n)
    silent = accuracy > base and (base < Fraction(6, 10) or 1 - accuracy <= (1 - base) / 2)
    assert (verdicts.accuracy_caveat(Counts(tp, fp, fn, tn)) == "") == silent


# ---- tables ----


def many(positives: int, negatives: int) -> ScoreTable:
    """A ranking in which every tenth case breaks the order, with distinct scores."""
    y = [1] * positives + [0] * negatives
    scores = [float(len(y) - i) if i % 10 else float(i) + 0.5 for i in range(len(y))]
    return table(y, scores)


def said(found: list[str], part: str) -> bool:
    return any(part in sentence for sentence in found)


def test_backwards_ranking_is_said_and_nothing_is_flipped() -> None:
    t = table([0, 0, 0, 1, 1], [5, 4, 1, 3, 2])
    sentence = verdicts.misleads(t)[0]
    assert sentence == (
        "The ranking is reversed: AUC 0.33; in the opposite direction it would be 0.67. "
        "Nothing was reversed automatically."
    )


def test_an_auc_of_one_asks_for_leakage() -> None:
    assert said(verdicts.misleads(table([1, 1, 0, 0], [4, 3, 2, 1])), "Check for leakage")


def test_labels_instead_of_scores() -> None:
    assert said(verdicts.misleads(table([1, 1, 0, 0], [1, 0, 1, 0])), "Only 2 distinct scores")
    assert said(verdicts.misleads(table([1, 1, 0, 0], [7, 7, 7, 7])), "the same score")


def test_rare_positives_ask_for_the_pr_curve() -> None:
    found = verdicts.misleads(many(20, 380))
    assert all(said(found, text) for text in ("5 % of the cases are positive", "average precision", "chance 0.05"))
    assert not said(verdicts.misleads(many(200, 200)), "precision-recall")


def test_rare_negatives_ask_for_specificity() -> None:
    assert said(verdicts.misleads(many(380, 20)), "the rare class is the negative one")


def test_near_ties_are_pointed_out() -> None:
    found = verdicts.misleads(table([1, 0, 1, 0], [0.9, 3.4, 3.4000000000000004, 0.1]))
    assert said(found, "1 pair of scores differs only by rounding error (the first: 3.4000000000000004 and 3.4)")
    assert not said(verdicts.misleads(table([1, 0, 1, 0], [0.9, 3.4, 3.4000001, 0.1])), "rounding")
    assert not said(verdicts.misleads(table([1, 0, 1, 0], [2**60, 2**60 + 1, 7, 5])), "rounding")


def test_few_cases_are_said() -> None:
    assert said(verdicts.misleads(many(9, 100)), "Only 9 positives: estimates are unstable.")
    assert said(verdicts.misleads(many(100, 1)), "Only 1 negative: estimates")
    assert not said(verdicts.misleads(many(30, 30)), "unstable")


def test_one_class_only_is_said() -> None:
    t = ScoreTable.from_scores([1, 1], [2, 1], positive=1)
    assert verdicts.misleads(t) == ["All cases are positive: a ranking cannot be assessed."]


def test_a_plain_good_table_needs_no_caveat() -> None:
    assert verdicts.misleads(many(100, 100)) == []


# ---- trust ----


@pytest.mark.parametrize(
    ("situation", "measure"),
    [
        ("spam", "precision"),
        ("medicine", "recall"),
        ("imbalance", "mcc"),
        ("costs", "cost"),
        ("Rare-Positives", "average_precision"),
    ],
)
def test_declared_facts_name_a_measure(situation: str, measure: str) -> None:
    assert verdicts.trust(situation).measure == measure


def test_every_situation_has_a_reason_in_plain_words() -> None:
    for name in verdicts.situations():
        found = verdicts.trust(name)
        assert found.reason.endswith(".") and not BANNED.search(found.reason)


def test_an_unknown_situation_offers_the_nearest() -> None:
    with pytest.raises(RocscopeError, match="Did you mean 'medicine'"):
        verdicts.trust("medicin")


# ---- ROC space ----


@pytest.mark.parametrize(
    ("fpr", "tpr", "begins"),
    [
        (0, 1, "perfect"),
        (0, 0, "always negative"),
        (1, 1, "always positive"),
        (1, 0, "always wrong"),
        (0.5, 0.5, "random"),
        (0.9, 0.9, "random: equivalent to flagging 90 %"),
        (1, 0.5, "below the diagonal: worse than guessing; inverted, it is (0, 0.5)"),
        (0.2, 0.7, "above the diagonal: TPR is 0.5 higher than by guessing"),
    ],
)
def test_points_of_roc_space(fpr: float, tpr: float, begins: str) -> None:
    assert verdicts.roc_space(fpr, tpr).startswith(begins)


@pytest.mark.parametrize(("fpr", "tpr"), [(-0.1, 0.5), (0.5, 70), (math.nan, 0.5)])
def test_points_outside_are_refused(fpr: float, tpr: float) -> None:
    with pytest.raises(RocscopeError):
        verdicts.roc_space(fpr, tpr)


@given(st.fractions(0, 1, max_denominator=50), st.fractions(0, 1, max_denominator=50))
def test_inverting_a_point_below_puts_it_above(fpr: Fraction, tpr: Fraction) -> None:
    below = verdicts.roc_space(float(fpr), float(tpr)).startswith(("below", "always wrong"))
    assert below == (tpr < fpr)
    if below:
        assert verdicts.roc_space(float(1 - fpr), float(1 - tpr)).startswith(("above", "perfect"))


def test_a_class_that_is_never_found_is_named() -> None:
    m = Confusion.from_labels(list("aaaaaabbcc"), list("aaaaaabbab"))
    assert verdicts.misleads(m) == [
        "No case of c is predicted correctly, which an accuracy of 0.80 does not show. Read the recall of each class."
    ]
