"""Counts, Confusion, ScoreTable: made from anything, added in any order, printed with both axes."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocscope import Confusion, Counts, RocscopeError, ScoreTable, measures
from rocscope.names import UnknownName

IRIS = [[10, 0, 0], [0, 7, 5], [0, 3, 5]]
SPECIES = ["setosa", "versicolor", "virginica"]


# ---- Counts ----


def test_counts_give_every_measure_as_attribute() -> None:
    c = Counts(tp=7, fp=7, fn=3, tn=13)
    assert c.precision == c.ppv == 0.5
    assert c.recall == 0.7
    assert c.exact("f1") == Fraction(7, 12)
    assert c.value("f0.5") == pytest.approx(1.25 * 7 / (1.25 * 7 + 0.25 * 3 + 7), abs=0)


def test_explain_is_worked_by_hand() -> None:
    c = Counts(tp=7, fp=7, fn=3, tn=13)
    assert c.explain("precision") == "precision = TP / (TP + FP) = 7 / (7 + 7) = 1/2 = 0.5"
    assert "0.3307" in c.explain("mcc")
    assert "nothing was predicted positive" in Counts(tp=0, fp=0, fn=1, tn=1).explain("precision")


def test_unknown_cell_as_expression() -> None:
    c = Counts(tp=5, fp=3, fn=7, tn="x - 3")
    assert c.expression("specificity") == "(x - 3)/x"
    assert c.expression("accuracy") == "(x + 2)/(x + 12)"
    assert c.expression("error_rate") == "10/(x + 12)"
    assert c.expression("f1") == "1/2"
    assert c.f1 == 0.5
    assert math.isnan(c.accuracy) and "but the expression" in c.why("accuracy")


def test_unknown_cell_left_out() -> None:
    c = Counts.from_retrieval(found=8, exist=12, right=5)
    assert c == Counts(tp=5, fp=3, fn=7)
    assert math.isnan(c.specificity)
    assert c.why("specificity") == "tn is unknown"
    assert c.exact("precision") == Fraction(5, 8)
    assert Counts.from_retrieval(found=50, exist=55, right=40, total=80).tn == 15
    assert Counts.from_retrieval(found=50, exist=55, right=40, total=65).tn == 0  # everything was found or exists


def test_a_threshold_that_is_no_number_is_refused_with_its_row() -> None:
    rows: list[dict[str, Any]] = [{"threshold": 1, "tp": 1, "fp": 0}, {"threshold": 0.5, "tp": 2, "fp": 1}]
    for wrong in (None, "a", True, math.nan):
        for at in (0, 1):
            given = [row | {"threshold": wrong} if i == at else row for i, row in enumerate(rows)]
            with pytest.raises(RocscopeError, match=f"the threshold of row {at + 1} must be a number, not {wrong!r}"):
                ScoreTable.from_points(given, positives=2, negatives=2)


@pytest.mark.parametrize(
    "facts", [{"found": 3, "exist": 9, "right": 4}, {"found": 8, "exist": 12, "right": 5, "total": 14}]
)
def test_retrieval_facts_that_cannot_be(facts: dict[str, int]) -> None:
    with pytest.raises(RocscopeError):
        Counts.from_retrieval(**facts)


def test_code_in_a_cell_is_refused() -> None:
    with pytest.raises(RocscopeError, match="__import__"):
        Counts(tp=5, fp=3, fn=7, tn="__import__('os')")


@pytest.mark.parametrize("kind", [list, np.array])
def test_counts_along_a_curve_are_refused_with_the_reason(kind: Any) -> None:
    for wrong in (-1, math.nan, math.inf, -math.inf):
        for cells in ([wrong, 1.0], [1.0, wrong], [wrong]):
            with pytest.raises(RocscopeError, match="fn has negative, missing or infinite counts"):
                Counts(tp=1, fp=2, fn=kind(cells), tn=3)
    with pytest.raises(RocscopeError, match="fn has a count above 1e100"):
        Counts(tp=1, fp=2, fn=kind([1.0, 1.1e100]), tn=3)
    assert Counts(tp=1, fp=2, fn=kind([0.0, 1e100]), tn=3).recall.tolist() == [1.0, 1e-100]


@pytest.mark.parametrize("cell", [-1, float("nan"), float("inf"), True, "a b", object(), 1 + 2j])
def test_cells_that_are_no_counts(cell: object) -> None:
    with pytest.raises(RocscopeError):
        Counts(tp=cell, fp=1, fn=1, tn=1)


def test_huge_counts_stay_exact() -> None:
    c = Counts(tp=60000, fp=50000, fn=40000, tn=70000)
    assert round(c.mcc, 4) == 0.1826
    big = Counts(tp=10**20, fp=1, fn=0, tn=10**20)
    assert (big + big).tp == 2 * 10**20
    assert big.exact("precision") == Fraction(10**20, 10**20 + 1)


def test_misspelt_name_gets_a_hint() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'precision'"):
        _ = Counts(tp=1, fp=1, fn=1, tn=1).precison
    assert not hasattr(Counts(tp=1, fp=1, fn=1, tn=1), "no_such_thing_at_all")


def test_counts_along_a_curve() -> None:
    curve = Counts(tp=[0, 1, 2], fp=[0, 0, 1], fn=[2, 1, 0], tn=[1, 1, 0])
    np.testing.assert_array_equal(curve.recall, [0, 0.5, 1])
    assert math.isnan(curve.precision[0]) and "first at 0" in curve.why("precision")
    assert curve[1] == Counts(tp=1, fp=0, fn=1, tn=1)
    with pytest.raises(RocscopeError, match="different lengths"):
        Counts(tp=[1, 2], fp=[1], fn=[1, 2], tn=[1, 2])


def test_swap_and_invert() -> None:
    c = Counts(tp=7, fp=7, fn=3, tn=13)
    assert c.swap().sensitivity == c.specificity
    assert c.invert().recall == pytest.approx(1 - c.recall, abs=1e-15)
    assert c.swap().swap() == c and c.invert().invert() == c


def test_rebase_is_bayes() -> None:
    c = Counts(tp=7, fp=7, fn=3, tn=13)
    sensitivity, specificity, share = Fraction(7, 10), Fraction(13, 20), Fraction(1, 50)
    expected = sensitivity * share / (sensitivity * share + (1 - specificity) * (1 - share))
    assert c.rebase(0.02).exact("precision") == expected
    assert c.rebase(0.02).exact("recall") == sensitivity
    assert c.rebase(0.02).total == 30
    for wrong in (0, 1, -0.1, 95, float("nan")):
        with pytest.raises(RocscopeError, match="prevalence"):
            c.rebase(wrong)


def test_counts_print_both_axes_counts_and_percentages() -> None:
    text = str(Counts(tp=7, fp=7, fn=3, tn=13, labels=("paid", "default")))
    assert text.splitlines()[0].strip() == "predicted"
    assert text.splitlines()[1].split() == ["actual", "default", "paid", "all"]
    assert "7 (70 %)" in text and "recall 70 %" in text and "precision 50 %" in text


# ---- Confusion ----


def test_iris_in_both_orientations() -> None:
    m = Confusion.from_matrix(IRIS, labels=SPECIES, rows="predicted")
    turned = Confusion.from_matrix(np.array(IRIS).T, labels=SPECIES, rows="actual")
    assert m == turned
    assert m.of("versicolor").exact("precision") == Fraction(7, 12)
    assert m.exact("f1", average="macro") == Fraction(217, 297)
    assert m.accuracy == pytest.approx(22 / 30, abs=0)
    assert m.kappa == 0.6
    assert m.support.tolist() == [10, 10, 10]
    np.testing.assert_array_equal(m.to_array(rows="predicted"), IRIS)


def test_print_names_both_axes_in_both_orientations() -> None:
    m = Confusion.from_matrix(IRIS, labels=SPECIES, rows="predicted")
    first, second = str(m).splitlines()[:2]
    assert first.strip() == "actual" and second.startswith("predicted")
    first, second = str(m.turned("actual")).splitlines()[:2]
    assert first.strip() == "predicted" and second.startswith("actual")
    assert "7 (58 %)" in str(m) and "7 (70 %)" in str(m.turned("actual"))


def test_measure_of_one_class_is_not_asked_of_the_matrix() -> None:
    with pytest.raises(RocscopeError, match="of one class"):
        _ = Confusion.from_matrix(IRIS, labels=SPECIES).precision


def test_averages_say_what_they_leave_out() -> None:
    m = Confusion.from_labels(["a", "b", "b"], ["a", "a", "b"], labels=["a", "b", "c"])
    assert m.macro("recall") == pytest.approx(0.75, abs=0)
    assert m.average("recall", "macro").undefined == (2,)
    assert m.why("recall", average="macro") == "c: there are no positives (TP + FN = 0)"
    assert "excludes c" in m.report()
    assert m.weighted("recall") == pytest.approx(2 / 3, abs=0)
    assert m.micro("precision") == m.micro("recall") == m.micro("f1") == m.accuracy


@pytest.mark.parametrize(
    "matrix", [[[1, 2]], [], [[1, -1], [0, 1]], [[1, float("nan")], [0, 1]], [["a", 1], [1, 1]], [[True, 1], [1, 1]]]
)
def test_matrices_that_are_none(matrix: object) -> None:
    with pytest.raises(RocscopeError):
        Confusion.from_matrix(matrix)


def test_huge_matrix_does_not_overflow() -> None:
    m = Confusion.from_matrix([[4 * 10**18, 1], [1, 4 * 10**18]])
    assert (m + m).exact("accuracy") == Fraction(8 * 10**18, 8 * 10**18 + 2)


labelled = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("abc"), st.integers(0, 5)), min_size=1, max_size=30
)


@given(labelled, st.integers(0, 30))
def test_confusion_of_parts_adds_to_the_whole(rows: list[tuple[str, str, int]], cut: int) -> None:
    def matrix(part: list[tuple[str, str, int]]) -> Confusion:
        actual, predicted, _ = zip(*part, strict=True)
        return Confusion.from_labels(list(actual), list(predicted), labels="abc")

    parts = [part for part in (rows[:cut], rows[cut:]) if part]
    total = matrix(parts[0])
    for part in parts[1:]:
        total = matrix(part) + total
    assert total == matrix(rows)


@given(labelled)
def test_weight_is_as_many_rows(rows: list[tuple[str, str, int]]) -> None:
    if not any(weight for *_, weight in rows):
        return
    actual, predicted, weights = (list(column) for column in zip(*rows, strict=True))
    weighted = Confusion.from_labels(actual, predicted, labels="abc", weights=weights, weights_are="frequency")
    repeated = [(a, p) for a, p, w in rows for _ in range(w)]
    long = Confusion.from_labels(*(list(column) for column in zip(*repeated, strict=True)), labels="abc")
    assert weighted == long and weighted.squares is None
    sampled = Confusion.from_labels(actual, predicted, labels="abc", weights=weights)
    assert sampled.squares.sum() == sum(w * w for w in weights)


# ---- ScoreTable ----


def test_table_runs_from_the_most_positive_down() -> None:
    t = ScoreTable.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1])
    assert t.scores.tolist() == [0.9, 0.8, 0.1]
    assert t.pos.tolist() == [1, 2, 0] and t.neg.tolist() == [0, 1, 1]
    assert t.thresholds.tolist() == [math.inf, 0.9, 0.8, 0.1]
    assert t.along().tp.tolist() == [0, 1, 3, 3]
    low = ScoreTable.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1], higher_is_positive=False)
    assert low.scores.tolist() == [0.1, 0.8, 0.9] and low.thresholds[0] == -math.inf


@pytest.mark.parametrize(
    ("threshold", "flagged"), [(math.inf, 0), (0.95, 0), (0.9, 1), (0.85, 1), (0.8, 4), (0.1, 5), (-math.inf, 5)]
)
def test_at_a_threshold_means_score_at_least_that(threshold: float, flagged: int) -> None:
    t = ScoreTable.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1])
    c = t.at(threshold)
    assert c.tp + c.fp == flagged and c.tp + c.fn == 3


def test_B044_nan_threshold_is_refused() -> None:
    with pytest.raises(RocscopeError, match="NaN"):
        ScoreTable.from_scores([1, 0], [0.9, 0.1]).at(math.nan)


def test_threshold_on_whole_scores_beyond_2_53() -> None:
    scores = np.array([2**60, 2**60 + 1, 2**60 + 2])
    t = ScoreTable.from_scores([0, 1, 1], scores)
    assert len(t) == 3
    assert t.at(2**60 + 1).tp == 2 and t.at(2**60 + 1).fp == 0
    low = ScoreTable.from_scores([1, 1, 0], scores, higher_is_positive=False)
    assert low.at(2**60 + 1) == Counts(tp=2, fp=0, fn=0, tn=1)


STEP_TABLE = [
    {"threshold": i + 1, "tp": tp, "fp": fp, "fn": 29 - tp, "tn": 25 - fp}
    for i, (tp, fp) in enumerate([(0, 0), (7, 0), (18, 1), (26, 5), (29, 14), (29, 25), (29, 25)])
]


def test_from_points_with_all_cells() -> None:
    t = ScoreTable.from_points(STEP_TABLE, higher_is_positive=False)
    assert (t.positives, t.negatives) == (29, 25)
    assert t.at(4) == Counts(tp=26, fp=5, fn=3, tn=20)
    assert t.at(7) == t.at(6)


def test_from_points_names_the_row_that_disagrees() -> None:
    broken = [dict(row) for row in STEP_TABLE]
    broken[1]["fp"] = 10
    with pytest.raises(RocscopeError, match=r"threshold 2: fp \+ tn is 35, but there are 25 negatives"):
        ScoreTable.from_points(broken, higher_is_positive=False)


def test_from_points_asks_for_totals_and_adds_the_end() -> None:
    rows = [{"threshold": c, "tp": tp, "tn": tn} for c, tp, tn in [(8.3, 13, 867), (8.7, 113, 783), (9.1, 127, 435)]]
    with pytest.raises(RocscopeError, match="number of positives"):
        ScoreTable.from_points(rows, higher_is_positive=False)
    with pytest.raises(RocscopeError, match="number of negatives"):
        ScoreTable.from_points(rows, positives=130, higher_is_positive=False)
    t = ScoreTable.from_points(rows, positives=130, negatives=867, higher_is_positive=False)
    assert t.scores.tolist() == [8.3, 8.7, 9.1, math.inf]
    assert t.at(math.inf) == Counts(tp=130, fp=867, fn=0, tn=0)


@pytest.mark.parametrize(
    "row", [{"threshold": 1}, {"threshold": "x", "tp": 1, "fp": 1}, {"threshold": 1, "tp": 9, "fp": 0}]
)
def test_from_points_refuses_bad_rows(row: dict[str, object]) -> None:
    with pytest.raises(RocscopeError, match=r"row 1|threshold 1"):
        ScoreTable.from_points([row], positives=2, negatives=2)


def test_from_points_that_fall_are_no_threshold_table() -> None:
    rows = [{"threshold": 2, "tp": 2, "fp": 0}, {"threshold": 1, "tp": 1, "fp": 1}]
    with pytest.raises(RocscopeError, match="must not decrease"):
        ScoreTable.from_points(rows, positives=2, negatives=2)


def test_tables_of_different_kind_do_not_add() -> None:
    a = ScoreTable.from_scores([1, 0], [0.9, 0.1])
    with pytest.raises(RocscopeError, match="cannot be added"):
        _ = a + ScoreTable.from_scores([1, 0], [0.9, 0.1], higher_is_positive=False)
    with pytest.raises(RocscopeError, match="cannot be added"):
        _ = a + ScoreTable.from_scores(["b", "a"], [0.9, 0.1], positive="b")


scored = st.lists(
    st.tuples(st.booleans(), st.sampled_from([-0.0, 0.0, 0.1, 0.25, 0.5, 1.0]), st.integers(1, 4)),
    min_size=1,
    max_size=40,
)


@given(scored, st.integers(1, 6), st.randoms(use_true_random=False))
def test_merge_is_whole_for_any_chunks_in_any_order(
    rows: list[tuple[bool, float, int]], size: int, random: object
) -> None:
    def table(part: list[tuple[bool, float, int]]) -> ScoreTable:
        y, s, _ = (list(column) for column in zip(*part, strict=True))
        return ScoreTable.from_scores(y, s)

    chunks = [table(rows[i : i + size]) for i in range(0, len(rows), size)]
    random.shuffle(chunks)  # type: ignore[attr-defined]
    total = chunks[0]
    for chunk in chunks[1:]:
        total = total + chunk
    whole = table(rows)
    assert total == whole and total.rows == whole.rows and total.pos.dtype == np.int64


@given(scored)
def test_table_weight_is_as_many_rows(rows: list[tuple[bool, float, int]]) -> None:
    y, s, w = (list(column) for column in zip(*rows, strict=True))
    frequency = ScoreTable.from_scores(y, s, weights=w, weights_are="frequency")
    long = ScoreTable.from_scores(np.repeat(y, w), np.repeat(s, w))
    assert frequency == long
    sampled = ScoreTable.from_scores(y, s, weights=w)
    assert sampled.weighted and sampled.pos_squares.sum() + sampled.neg_squares.sum() == sum(x * x for x in w)
    assert (sampled.positives, sampled.negatives) == (long.positives, long.negatives)


def test_sampling_weights_beside_plain_cases_keep_their_squares() -> None:
    plain, heavy = (
        ScoreTable.from_scores([1, 0], [0.9, 0.1]),
        ScoreTable.from_scores([1, 0], [0.9, 0.2], weights=[3.0, 2.0]),
    )
    both = plain + heavy
    assert both.pos_squares.tolist() == [10.0, 0.0, 0.0] and both.neg_squares.tolist() == [0.0, 4.0, 1.0]
    assert both.at(0.5).squares == (10.0, 0.0, 0.0, 5.0)


@given(scored)
def test_reverse_and_swap_undo_themselves(rows: list[tuple[bool, float, int]]) -> None:
    y, s, _ = (list(column) for column in zip(*rows, strict=True))
    t = ScoreTable.from_scores(y, s)
    assert t.reverse().reverse() == t and t.swap().swap() == t
    assert t.reverse() == ScoreTable.from_scores(y, s, higher_is_positive=False)


def test_rebased_table_has_the_asked_prevalence() -> None:
    t = ScoreTable.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1]).rebase(0.02)
    assert t.positives == pytest.approx(0.1) and t.negatives == pytest.approx(4.9)
    assert t.at(0.85).recall == pytest.approx(1 / 3)


@given(
    st.lists(st.tuples(st.booleans(), st.floats(-4, 4)), min_size=2, max_size=40).filter(
        lambda rows: len({label for label, _ in rows}) == 2
    ),
    st.integers(0, 6),
    st.booleans(),
)
def test_bound_of_a_coarse_table_holds(rows: list[tuple[bool, float]], bits: int, higher: bool) -> None:
    y, s = (list(column) for column in zip(*rows, strict=True))
    t = ScoreTable.from_scores(y, s, higher_is_positive=higher)
    coarse = t.coarse(bits)

    def area(table: ScoreTable) -> float:
        p, n = table.pos.astype(float), table.neg.astype(float)
        below = n.sum() - np.cumsum(n)
        return float((p * (below + n / 2)).sum() / (p.sum() * n.sum()))

    assert t.bound == 0
    assert abs(area(coarse) - area(t)) <= coarse.bound + 1e-12
    assert coarse.at(coarse.scores[0]) == t.at(coarse.scores[0])
    assert (coarse + coarse).bound == pytest.approx(coarse.bound)


def test_table_prints_what_it_is() -> None:
    text = repr(ScoreTable.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1]))
    assert "5 cases" in text and "60 %" in text and "score >= threshold" in text


def test_inputs_stay_untouched() -> None:
    y, s = np.array([1, 0, 1]), np.array([0.3, 0.2, 0.9])
    y.flags.writeable = s.flags.writeable = False
    t = ScoreTable.from_scores(y, s)
    assert s.tolist() == [0.3, 0.2, 0.9]
    with pytest.raises(ValueError, match="read-only"):
        t.pos[0] = 5


# ---- weights of any size ----

EXTREMES = ([1e59, 2e59, 3e59, 4e59], [1.0, 2.0, 3.0, 4.0], [1e-59, 2e-59, 3e-59, 4e-59])


@pytest.mark.parametrize("weights", EXTREMES)
def test_B032_extreme_weights_give_the_scaled_result(weights: list[float]) -> None:
    y, s, guess = [1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1], [1, 1, 0, 0]
    plain = ScoreTable.from_scores(y, s, weights=[1.0, 2.0, 3.0, 4.0])
    table = ScoreTable.from_scores(y, s, weights=weights)
    for name in ("precision", "mcc", "kappa", "f1"):
        assert table.at(0.5).value(name) == pytest.approx(plain.at(0.5).value(name), rel=1e-12)
        matrix = Confusion.from_labels(y, guess, weights=weights)
        assert matrix.of(1).value(name) == pytest.approx(plain.at(0.5).value(name), rel=1e-12)


@pytest.mark.parametrize("a", EXTREMES)
@pytest.mark.parametrize("b", EXTREMES)
def test_tables_of_weights_of_any_size_add(a: list[float], b: list[float]) -> None:
    y, s, guess = [1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1], [1, 1, 0, 0]
    whole = Confusion.from_labels(y + y, guess + guess, weights=a + b)
    parts = Confusion.from_labels(y, guess, weights=a) + Confusion.from_labels(y, guess, weights=b)
    assert parts.accuracy == pytest.approx(whole.accuracy, rel=1e-12)
    joined = ScoreTable.from_scores(y, s, weights=a) + ScoreTable.from_scores(y, s, weights=b)
    points = ScoreTable.from_scores(y, s, weights=a).at(0.5) + ScoreTable.from_scores(y, s, weights=b).at(0.5)
    assert joined.at(0.5).accuracy == pytest.approx(whole.accuracy, rel=1e-12)
    assert points.accuracy == pytest.approx(whole.accuracy, rel=1e-12)


def test_float_weights_leave_no_negative_cell() -> None:
    weights = [0.20477371703125657, 0.6609006155123869, 0.868575819077144, 0.10345255361525707]
    weights += [0.7716962461177106, 0.7958147096533879, 0.6840120597797669, 0.6397184436322253]
    m = Confusion.from_labels([0, 0, 1, 0, 1, 0, 1, 0], [1, 1, 0, 0, 0, 1, 0, 1], weights=weights)
    assert m.of(0).tn >= 0 and "support" in m.report()


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0.01, 5)), min_size=1, max_size=12))
def test_measures_of_weighted_matrices_stay_in_range(rows: list[tuple[str, float]]) -> None:
    from rocscope import measures

    labels, weights = zip(*rows, strict=True)
    for guess in (labels, labels[::-1]):
        m = Confusion.from_labels(list(labels), list(guess), labels="abc", weights=list(weights))
        for one in measures.catalog():
            if one.matrix is not None:
                value = m.value(one.name)
                assert math.isnan(value) == bool(m.why(one.name)), one.name
                assert math.isnan(value) or one.low <= value <= one.high, (one.name, value)


def test_sum_adds_up() -> None:
    t, c = ScoreTable.from_scores([1, 0], [0.9, 0.1]), Counts(tp=1, fp=2, fn=3, tn=4)
    m = Confusion.from_matrix([[1, 2], [3, 4]])
    assert sum([t, t]) == t + t and sum([c, c]) == c + c and sum([m, m]) == m + m


def test_wrong_kinds_are_refused_in_words() -> None:
    from rocscope import curves, decisions

    with pytest.raises(RocscopeError, match=r"ScoreTable\.from_scores"):
        curves.roc([1, 0])  # type: ignore[arg-type]
    with pytest.raises(RocscopeError, match=r"ScoreTable\.from_scores"):
        decisions.best([1], "youden")  # type: ignore[arg-type]
    with pytest.raises(RocscopeError, match="single number"):
        ScoreTable.from_scores([1, 0], [0.9, 0.1]).at("0.5")  # type: ignore[arg-type]
    with pytest.raises(RocscopeError, match="True or False"):
        ScoreTable.from_scores([1, 0], [0.9, 0.1], higher_is_positive="no")  # type: ignore[arg-type]


def test_reasons_where_there_is_nothing() -> None:
    empty = Counts(tp=0, fp=0, fn=0, tn=0)
    assert empty.why("kappa") == empty.why("f1") == empty.why("precision") == "there are no cases"
    assert Counts(tp=0, fp=0, fn=0, tn=4).why("f1").startswith("there are no positives, neither actual nor predicted")


def test_a_value_beyond_the_largest_float_is_infinite() -> None:
    assert Counts(tp=1, fp=1e-320, fn=1, tn=1e10).diagnostic_odds_ratio == math.inf


def test_many_classes_have_a_gradient_in_bounded_memory() -> None:
    from rocscope import measures

    matrix = np.eye(60) + 0.5
    slopes = measures.get("kappa").gradient_of_matrix(matrix)
    bumped = matrix.copy()
    bumped[3, 5] += 1e-6
    change = measures.get("kappa").matrix(bumped) - measures.get("kappa").matrix(matrix)
    assert slopes[3, 5] == pytest.approx(change / 1e-6, rel=1e-4)


def test_matrix_estimates_and_explanations() -> None:
    m = Confusion.from_matrix(IRIS, labels=SPECIES, rows="predicted")
    assert m.explain("kappa") == "kappa = 3/5 = 0.6"
    found = m.estimate("accuracy")
    assert found.value == pytest.approx(22 / 30) and found.low == pytest.approx(0.5555, abs=1e-4)
    assert m.estimate("f1", average="macro").value == pytest.approx(217 / 297)


# ---- a table made by hand ----


def test_a_table_can_be_made_of_lists() -> None:
    t = ScoreTable(scores=[0.9, 0.8, 0.1], pos=[1, 2, 0], neg=[0, 1, 1], labels=(0, 1))
    assert t == ScoreTable.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1]) and t.at(0.5).tp == 3


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"scores": [[0.9, 0.1]], "pos": [1, 0], "neg": [0, 1]}, "but it is 2-dimensional"),
        ({"scores": ["a", "b"], "pos": [1, 0], "neg": [0, 1]}, "it is 1-dimensional and of type <U1"),
        ({"scores": [0.9, 0.1], "pos": [1], "neg": [0, 1]}, "pos has 1 rows, but there are 2 scores"),
    ],
)
def test_columns_that_make_no_table_are_refused(columns: dict[str, Any], says: str) -> None:
    with pytest.raises(RocscopeError, match=says):
        ScoreTable(**columns)


def test_counts_that_sum_beyond_int64_do_not_wrap() -> None:
    big = 2**62
    t = ScoreTable(np.array([2.0, 1.0]), np.array([big, big]), np.array([big, big]))
    assert t.positives == t.negatives == 2**63 and t.at(0.0).tp == 2**63 and t.tp.tolist() == [0, big, 2**63]


def test_no_field_hides_a_measure() -> None:
    c = Counts(tp=7, fp=7, fn=3, tn=13)
    assert c.prevalence == c.value("prevalence") == c.base_rate and c.rebase(0.02).prevalence == 0.02
    fields = {field.name for kind in (Counts, Confusion) for field in dataclasses.fields(kind)}
    assert not fields & set(measures.names())


@pytest.mark.parametrize("cells", [(7, 7, 3, 13), (8, 0, 2, 10), (0, 0, 5, 5), (5, 5, 0, 0), (0, 6, 0, 4), (0,) * 4])
def test_the_rates_at_the_row_ends_are_of_the_row_and_absent_where_it_is_empty(cells: tuple[int, ...]) -> None:
    tp, fp, fn, tn = cells
    rates = {"recall": (tp, tp + fn), "false alarms": (fp, fp + tn), "precision": (tp, tp + fp)}
    lines = str(Counts(*cells, labels=("no", "yes"))).splitlines()
    assert [line.split()[0] for line in lines[2:5]] == ["yes", "no", "all"]
    for line, (name, (part, whole)) in zip(lines[2:5], rates.items(), strict=True):
        end = f"   {name} {100 * part / whole:.0f} %" if whole else ""
        assert line.endswith(end) and not any(other in line for other in rates if other != name or not whole)
