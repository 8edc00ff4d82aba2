"""Several classes: one-vs-rest, Hand-Till, volume under the surface, cost matrices, multi-label."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocscope as rs
from rocscope import Evaluation, RocscopeError, curves, evaluate
from rocscope.multiclass import ClassScores, label_tables, mean_at_random, volume


def random_classes(seed: int, n: int = 60, k: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    raw = rng.integers(1, 6, (n, k)) + 3.0 * (y[:, None] == np.arange(k)) * rng.random((n, 1))
    return y, raw / raw.sum(axis=1, keepdims=True)


@pytest.mark.oracle
@pytest.mark.parametrize("seed", range(12))
def test_averages_equal_scikit_learn(seed: int) -> None:
    from sklearn.metrics import average_precision_score, roc_auc_score
    from sklearn.preprocessing import label_binarize

    y, scores = random_classes(seed)
    ours = ClassScores.of(y, scores)
    for average in ("macro", "weighted", "micro"):
        expected = roc_auc_score(y, scores, multi_class="ovr", average=average)
        assert ours.auc(average).value == pytest.approx(expected, abs=1e-12)
    assert ours.hand_till().value == pytest.approx(roc_auc_score(y, scores, multi_class="ovo"), abs=1e-12)
    assert ours.hand_till("weighted").value == pytest.approx(
        roc_auc_score(y, scores, multi_class="ovo", average="weighted"), abs=1e-12
    )
    ap = average_precision_score(label_binarize(y, classes=range(4)), scores)
    assert ours.average(curves.average_precision, "average_precision").value == pytest.approx(ap, abs=1e-12)


@pytest.mark.oracle
@pytest.mark.parametrize("seed", range(4))
def test_areas_by_name_equal_scikit_learn(seed: int) -> None:
    from sklearn.metrics import average_precision_score, brier_score_loss, log_loss, roc_auc_score

    y, scores = random_classes(seed)
    ev = evaluate(y, scores, labels=range(4))
    expected = {
        "auc": roc_auc_score(y, scores, multi_class="ovr"),
        "auc_ovr_weighted": roc_auc_score(y, scores, multi_class="ovr", average="weighted"),
        "auc_ovr_micro": roc_auc_score(y, scores, multi_class="ovr", average="micro"),
        "auc_ovo": roc_auc_score(y, scores, multi_class="ovo"),
        "hand_till": roc_auc_score(y, scores, multi_class="ovo"),
    }
    for name, value in expected.items():
        found = ev.area(name)
        assert found.value == pytest.approx(value, abs=1e-12) and found.low < found.value < found.high
    assert ev.auc == ev.area("auc") and float(ev.auc) == ev.to_dict()["auc"]["macro"]["value"]
    two = evaluate(y == 1, scores[:, 1])
    assert isinstance(two, Evaluation)
    for name, reference in (
        ("auc", roc_auc_score), ("average_precision", average_precision_score), ("brier", brier_score_loss),
        ("log_loss", log_loss),
    ):  # fmt: skip
        assert two.area(name).value == pytest.approx(reference(y == 1, scores[:, 1]), abs=1e-12)


def test_areas_that_are_not_there_are_refused_or_undefined() -> None:
    ev = evaluate(["a", "b", "c"], predicted=["a", "b", "b"])
    assert math.isnan(ev.auc.value) and "cannot be ranked" in ev.auc.why
    with pytest.raises(RocscopeError, match="no area 'auc_ovx' for several classes"):
        ev.area("auc_ovx")


def test_absent_class_is_named_and_left_out() -> None:
    ours = ClassScores.of(["a", "b", "a"], [[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.5, 0.3, 0.2]], labels=["a", "b", "c"])
    found = ours.auc()
    assert found.value == 1.0 and found.over == 2
    assert math.isnan(found.values["c"]) and "no positives" in found.why["c"]
    pairs = ours.hand_till()
    assert pairs.over == 1 and pairs.why["a", "c"] == "class c is absent"


def test_wrong_shapes_are_refused() -> None:
    with pytest.raises(RocscopeError, match="3 score columns, but 2 classes"):
        ClassScores.of([0, 1], [[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]])
    with pytest.raises(RocscopeError, match="2 labels, but 1 rows"):
        ClassScores.of([0, 1], [[0.1, 0.9]])
    with pytest.raises(RocscopeError, match="NaN"):
        ClassScores.of([0, 1], [[0.1, math.nan], [0.5, 0.5]])


def test_decision_by_cost_matrix_is_the_least_expected_cost() -> None:
    y, scores = random_classes(5, k=3)
    costs = np.array([[0, 1, 9], [2, 0, 1], [5, 5, 0]])
    decided = ClassScores.of(y, scores).predicted(costs)
    for p, choice in zip(scores, decided, strict=True):
        expected = [sum(p[i] * costs[i, j] for i in range(3)) for j in range(3)]
        assert expected[choice] == pytest.approx(min(expected), abs=1e-12)
    assert (ClassScores.of(y, scores).predicted(1 - np.eye(3)) == scores.argmax(axis=1)).all()


def test_B028_rows_that_do_not_sum_to_one_are_refused_with_the_worst() -> None:
    scores = ClassScores.of([0, 1], [[0.5, 0.5], [0.9, 0.3]])
    with pytest.raises(RocscopeError, match=r"row 1 sums to 1\.2"):
        scores.predicted([[0, 1], [1, 0]])


@pytest.mark.parametrize("costs", [[[0, 1]], [[0, -1], [1, 0]], [[0, math.nan], [1, 0]]])
def test_B049_cost_matrices_that_are_none(costs: list[list[float]]) -> None:
    with pytest.raises(RocscopeError, match="costs"):
        ClassScores.of([0, 1], [[0.5, 0.5], [0.9, 0.1]]).predicted(costs)


def brute_volume(groups: list[list[int]]) -> float:
    """The share of tuples in the right order; tied ones in the share of the orders of their ties that are right."""
    total = 0.0
    for chosen in product(*groups):
        orders = list(permutations(range(len(chosen))))
        allowed = [o for o in orders if all(chosen[a] <= chosen[b] for a, b in pairwise(o))]
        total += sum(o == tuple(range(len(chosen))) for o in allowed) / len(allowed)
    return total / math.prod(len(group) for group in groups)


def test_volume_of_the_documented_example() -> None:
    assert volume([0, 0, 1, 1, 2, 2], [0.1, 0.3, 0.2, 0.5, 0.4, 0.8], order=[0, 1, 2]) == 0.5


@given(st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=4), min_size=2, max_size=4))
def test_volume_equals_its_definition(groups: list[list[int]]) -> None:
    y = [label for label, group in enumerate(groups) for _ in group]
    s = [score for group in groups for score in group]
    assert volume(y, s, order=range(len(groups))) == pytest.approx(brute_volume(groups), abs=1e-12)


def test_volume_of_two_classes_is_the_auc_and_chance_is_one_over_k_factorial() -> None:
    from rocscope import ScoreTable

    y, s = [0, 1, 0, 1, 1], [0.1, 0.4, 0.4, 0.8, 0.2]
    assert volume(y, s, order=[0, 1]) == pytest.approx(curves.auc(ScoreTable.from_scores(y, s)), abs=1e-15)
    assert volume([0, 1, 2, 3], [1, 1, 1, 1], order=range(4)) == pytest.approx(1 / 24)
    assert math.isnan(volume([0, 1], [0.1, 0.2], order=[0, 1, 2]))


def test_multi_label_tables() -> None:
    y = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0]])
    s = np.array([[0.9, 0.2, 0.7], [0.3, 0.8, 0.6], [0.8, 0.1, 0.9]])
    tables = label_tables(y, s, labels=["x", "y", "z"])
    assert curves.auc(tables["x"]) == 1.0
    assert curves.auc(tables["y"]) == 0.5
    with pytest.raises(RocscopeError, match="shape"):
        label_tables(y, s[:, :2])


def test_class_weights_reach_the_tables() -> None:
    y, scores = random_classes(1, k=3)
    weights = np.arange(1, len(y) + 1)
    heavy = ClassScores.of(y, scores, weights=weights)
    long = ClassScores.of(np.repeat(y, weights), np.repeat(scores, weights, axis=0))
    assert heavy.auc().value == pytest.approx(long.auc().value, abs=1e-12)
    assert heavy.auc("micro").value == pytest.approx(long.auc("micro").value, abs=1e-12)
    assert heavy.hand_till().value == pytest.approx(long.hand_till().value, abs=1e-12)


def test_one_number_under_two_names_has_one_interval() -> None:
    """Balanced accuracy is macro recall, and weighted recall is accuracy: with intervals, and without cases of a
    class.
    """
    truth, told = list("aabbbccccabcab"), list("aabbcccacabcba")
    for labels in (None, ["a", "b", "c", "d"]):
        m = rs.Confusion.from_labels(truth, told, labels=labels)
        pairs = [
            (m.estimate("balanced_accuracy"), m.estimate("recall", average="macro")),
            (m.estimate("accuracy"), m.estimate("recall", average="weighted")),
        ]
        for one, other in pairs:
            assert (one.low, one.high) == (other.low, other.high) and one.value == pytest.approx(other.value, abs=1e-15)
        turned = m.estimate("balanced_error_rate")
        assert (1 - turned.high, 1 - turned.low) == pytest.approx((pairs[0][0].low, pairs[0][0].high), abs=1e-15)


def test_balanced_accuracy_leaves_out_a_class_without_cases_as_macro_recall_does() -> None:
    told = ["a", "b", "a", "a", "c", "c"]
    m = rs.Confusion.from_labels(["a", "b", "b", "a", "b", "a"], told, labels=["a", "b", "c"])
    assert m.exact("balanced_accuracy") == Fraction(1, 2) == m.exact("macro_recall")
    assert "without c" in m.estimate("balanced_accuracy").why
    cmp = rs.compare(["a", "b", "b", "a", "b", "a"], {"m": told, "n": ["a"] * 6}, measure="balanced_accuracy")
    assert cmp.values["balanced_accuracy"]["m"].value == 0.5
    two = rs.Confusion.from_labels(["a", "a"], ["a", "b"])
    assert two.estimate("balanced_accuracy").why == "a class has no cases"  # as for the four counts


def test_random_labels_have_the_mean_of_all_sets_of_labels() -> None:
    """The baseline of means over cases against a sum over every set of labels that can be predicted."""
    draw = np.random.default_rng(0)
    truth, mass, share = draw.random((40, 4)) < 0.4, draw.uniform(0.5, 2, 40), np.array([0.1, 0.5, 0.9, 0.0])
    guesses = np.array(list(product([False, True], repeat=4)))
    chance = np.where(guesses, share, 1 - share).prod(axis=1)
    both, either = ((truth[:, None] & guesses).sum(2), (truth[:, None] | guesses).sum(2))
    true, said = np.broadcast_to(truth.sum(1)[:, None], both.shape), np.broadcast_to(guesses.sum(1), both.shape)
    whole = {"precision": said, "recall": true, "f1": (true + said) / 2, "jaccard": either}
    for measure, base in whole.items():
        weights = np.where(base > 0, mass[:, None] * chance, 0.0)
        expected = (weights * both / np.where(base > 0, base, 1)).sum() / weights.sum()
        assert mean_at_random(measure, truth, mass, share) == pytest.approx(expected, rel=1e-13)


def test_every_measure_of_labels_and_mean_auc_has_a_baseline() -> None:
    draw = np.random.default_rng(1)
    truth = draw.random((60, 5)) < 0.4
    labels = rs.evaluate(truth, np.clip(truth * 0.4 + draw.random((60, 5)) * 0.6, 0, 1)).to_dict()
    assert all(row["baseline"] > 0 for row in labels["measures"])
    known = {row["name"]: row for row in labels["measures"]}
    assert known["samples_jaccard"]["baseline"] < known["samples_f1"]["baseline"] < known["samples_f1"]["value"]
    ev = rs.evaluate(draw.integers(0, 3, 90), draw.dirichlet([1, 1, 1], 90))
    assert [mean["baseline"] for mean in ev.to_dict()["auc"].values()] == [0.5] * 4
    assert "chance" in str(ev)


def test_class_thresholds_and_undecided_cases_are_shown_with_their_classes() -> None:
    y, p = [0, 1, 2] * 4, np.tile([[0.5, 0.3, 0.2], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8]], (4, 1))
    shown = " ".join(str(rs.evaluate(y, p, threshold={0: 0.6})).split())
    assert "reaches its threshold: 0.6 for 0." in shown
    shown = " ".join(str(rs.evaluate(y, p, costs=rs.Costs.matrix(1 - np.eye(3), reject=0.4))).split())
    assert "(4 of 0)" in shown
    with pytest.raises(rs.RocscopeError, match="there is no class 7 for the threshold"):
        rs.evaluate(y, p, threshold={7: 0.6})
