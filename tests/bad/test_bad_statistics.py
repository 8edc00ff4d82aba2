"""B006 to B061 of the list of bad inputs, as far as they are arrays or statistics: resamples, groups, models."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import rocscope as rs
from rocscope import RocscopeError, intervals, report, significance, splits
from rocscope.cli.shared.option_names import with_options

Ask = Callable[..., tuple[int, str, str]]

Y, S = [1, 0, 0, 0, 0, 0], [0.5, 0.8, 0.3, 0.2, 0.2, 0.1]


def test_b053_a_resample_with_one_class_only() -> None:
    """With one positive, a third of plain resamples have none: the limits are numbers all the same."""
    table = rs.ScoreTable.from_scores(Y, S)
    found = intervals.bootstrap(table, "auc", n=400, method="percentile", seed=0)
    assert found.value == 0.8 and not math.isnan(found.low) and 0 <= found.low <= found.high <= 1


def test_b056_groups_stay_on_one_side() -> None:
    y, groups = np.tile([0, 1], 20), np.repeat(np.arange(10), 4)
    for train, test in splits.plan("5-fold", y, groups=groups, seed=0):
        assert not set(groups[train]) & set(groups[test])
        assert len(set(train) | set(test)) == len(y)


def test_b058_two_identical_models() -> None:
    y, s = [1, 0, 1, 0, 1, 0], [0.9, 0.4, 0.6, 0.5, 0.3, 0.1]
    found = significance.delong(y, s, s)
    assert (found.value, found.p) == (0.0, 1.0) and found.low <= 0 <= found.high
    difference = rs.compare(y, {"a": s, "b": s}).differences[0].estimate
    assert (difference.value, difference.p) == (0.0, 1.0)


def test_b006_b024_a_class_that_only_one_column_has(run: Ask) -> None:
    """Never predicted: its precision is undefined; never actual: a row of zeros. Command and library say the same."""
    Path("h.csv").write_text("y,yhat\na,a\nb,a\na,a\na,c\n")
    made = rs.evaluate("h.csv", label="y", predicted="yhat")
    code, out, err = run("evaluate", "h.csv", "--label", "y", "--predicted", "yhat", "--format", "json")
    assert code == 0 and out == report.json(made.to_dict()), err
    matrix = rs.Confusion.from_labels(["a", "b", "a", "a"], ["a", "a", "a", "c"])
    assert math.isnan(matrix.of("b").precision) and math.isnan(matrix.of("c").recall)
    assert list(matrix.to_array(rows="actual")[2]) == [0, 0, 0]


def test_b010_a_column_vector_and_b012_a_scalar() -> None:
    assert float(rs.evaluate(Y, np.reshape(S, (-1, 1))).auc) == float(rs.evaluate(Y, S).auc)
    for lone in (0.5, np.float64(0.5), np.array(0.5)):
        with pytest.raises(RocscopeError):
            rs.evaluate(1, lone)


def test_b011_two_columns_of_scores_for_one_label(run: Ask) -> None:
    Path("t.csv").write_text("y,a,b\n1,0.9,0.1\n0,0.2,0.8\n1,0.6,0.4\n0,0.3,0.7\n")
    with pytest.raises(RocscopeError) as refusal:
        rs.evaluate("t.csv", label="y", score=["a", "b"])
    code, _, err = run("evaluate", "t.csv", "--label", "y", "--score", "a", "--score", "b")
    assert (code, err) == (2, f"rocscope: {with_options(refusal.value)}\n")


def test_b028_probabilities_that_do_not_sum_to_one(run: Ask) -> None:
    Path("c.csv").write_text("y,p_a,p_b,p_c\na,0.9,0.5,0.1\nb,0.1,0.8,0.1\nc,0.2,0.2,0.6\n")
    columns = ["p_a", "p_b", "p_c"]
    said = "Probabilities do not sum to 1: row 0 sums to 1.5; they are used as scores and not rescaled."
    assert said in rs.evaluate("c.csv", label="y", score=columns).to_dict()["caveats"]
    words = [f"--score={name}" for name in columns]
    code, out, _ = run("evaluate", "c.csv", "--label", "y", *words, "--format", "json")
    assert code == 0 and said in json.loads(out)["caveats"]
    Path("costs.csv").write_text("actual,a,b,c\na,0,1,1\nb,1,0,1\nc,1,1,0\n")
    code, _, err = run("evaluate", "c.csv", "--label", "y", *words, "--cost-matrix", "costs.csv")
    assert code == 2 and "probabilities do not sum to 1: row 0 sums to 1.5" in err


def test_b041_positions_count_and_not_the_index() -> None:
    pd = pytest.importorskip("pandas")
    shuffled = pd.Series(S, index=[3, 3, 0, 9, 1, 2])
    assert float(rs.evaluate(pd.Series(Y), shuffled).auc) == float(rs.evaluate(Y, S).auc)


def test_b042_odd_arrays_are_read_and_not_changed() -> None:
    wide = np.array(S * 2).reshape(2, -1).T.copy()
    strided, swapped = wide[:, 0], np.array(S).astype(">f8")
    fixed = np.array(S)
    fixed.setflags(write=False)
    for column in (strided, swapped, fixed):
        before = column.copy()
        assert float(rs.evaluate(Y, column).auc) == float(rs.evaluate(Y, S).auc)
        assert (column == before).all()


def test_b043_a_generator_is_read_once_or_refused() -> None:
    with suppress(RocscopeError):
        assert float(rs.evaluate(Y, (score for score in S)).auc) == float(rs.evaluate(Y, S).auc)


def test_b046_thresholds_in_the_order_given(run: Ask) -> None:
    Path("g.csv").write_text("y,p\n" + "".join(f"{y},{s}\n" for y, s in zip(Y, S, strict=True)))
    asked = [0.3, 0.8, 0.3]
    words = [word for at in asked for word in ("--at", str(at))]
    code, out, err = run("curve", "g.csv", "--label", "y", "--score", "p", *words, "--format", "json")
    assert code == 0, err
    points = json.loads(out)["at"]
    table = rs.ScoreTable.from_scores(Y, S)
    assert [point["tpr"] for point in points] == [table.at(at).recall for at in asked]


@pytest.mark.parametrize("most", [0, -0.1, 1.5, math.nan])
def test_b047_the_largest_false_positive_rate(most: float) -> None:
    from rocscope.sklearn import roc_auc_score

    with pytest.raises(ValueError, match="fpr"):
        roc_auc_score(Y, S, max_fpr=most)
    with pytest.raises(RocscopeError):
        rs.curves.partial_auc(rs.ScoreTable.from_scores(Y, S), fpr=(0, most))


def test_b055_folds_that_cannot_be() -> None:
    for plan in ("1-fold", "0-fold", "99-fold"):
        with pytest.raises(RocscopeError):
            list(splits.plan(plan, Y, seed=0))


def test_b057_models_on_different_rows() -> None:
    with pytest.raises(RocscopeError, match="same cases"):
        rs.compare(Y, {"a": S, "b": S[:-1]})


def test_b059_two_perfect_models_b060_no_discordant_pair_b061_chance_agreement() -> None:
    y = [1] * 10 + [0] * 10
    found = significance.delong(y, list(range(20, 0, -1)), [*range(30, 20, -1), *range(1, 11)])
    assert (found.value, found.p) == (0, 1) and found.low < 0 < found.high
    assert significance.mcnemar(0, 0).p == 1 and significance.mcnemar(0, 0).why
    matrix = rs.Confusion.from_matrix([[9, 0], [0, 0]])
    assert math.isnan(matrix.kappa) and matrix.why("kappa")
