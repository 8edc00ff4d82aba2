"""What may be scores, labels and weights: columns of every make, and every bad one against its refusal."""

from __future__ import annotations

import os
import sys
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pairwise import check_counts

import rocscope as rs
from rocscope import tally
from rocscope.errors import RocscopeError
from rocscope.tally import codes, exact_sums

FUZZ = settings(deadline=None, max_examples=120)
LESS = settings(deadline=None, max_examples=50)
INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
seeds = st.integers(0, 2**32)

# ---- scores in: B001-B043 ----


def refused(what: str, call: Any, *args: Any, **kwargs: Any) -> str:
    with pytest.raises(RocscopeError, match=what) as caught:
        call(*args, **kwargs)
    assert len(str(caught.value)) < 300
    return str(caught.value)


def test_B001_nan_scores_are_counted_and_the_first_row_named() -> None:
    scores = np.ones(30)
    scores[[17, 20, 29]] = np.nan
    assert "score has 3 NaN values (first at row 17)" in refused("NaN", tally.numeric, scores)
    assert "p has 1 NaN value (first at row 1)" in refused("NaN", tally.numeric, [0.5, float("nan")], "p")
    assert "3 NaN values (first at row 17)" in refused("NaN", tally.numeric, scores.astype(np.float32))
    assert "3 NaN values (first at row 17)" in refused("NaN", tally.numeric, scores.astype(np.longdouble))


def test_B002_infinite_scores_are_refused_with_the_row() -> None:
    assert "1 infinite value (first at row 2: inf)" in refused("infinite", tally.numeric, [0.0, 1.0, np.inf])
    assert "2 infinite values (first at row 0: -inf)" in refused("infinite", tally.numeric, [-np.inf, 1.0, np.inf])


def test_an_infinite_score_is_refused_with_what_to_do() -> None:
    said = "Replace an infinite score by a number beyond all others, larger for inf and smaller for -inf"
    with pytest.raises(RocscopeError, match="1 infinite value") as refusal:
        rs.evaluate([1, 0, 1], [0.5, 0.1, np.inf])
    assert said in (refusal.value.hint or "")
    with pytest.raises(RocscopeError, match="1 infinite value") as refusal:
        rs.evaluate({"y": [1, 0, 1], "p": [0.5, 0.1, -np.inf]}, label="y", score="p")
    assert said in (refusal.value.hint or "") and 'infinite="ends"' in (refusal.value.hint or "")
    scores = [0.5, 0.1, np.inf, 0.6]
    for refused_call in (
        lambda: rs.evaluate([1, 0, 1, 0], scores),
        lambda: rs.compare([1, 0, 1, 0], {"a": scores, "b": [4, 3, 2, 1]}),
    ):
        with pytest.raises(RocscopeError, match='infinite="ends" to rank infinite scores beyond all others'):
            refused_call()
    assert rs.evaluate([1, 0, 1, 0], scores, infinite="ends").auc.value == 0.75
    # as advised: the same ranking
    assert rs.evaluate([1, 0, 1, 0], [0.5, 0.1, 9.0, 0.6]).auc.value == 0.75


def test_B002_scores_whose_sum_overflows_are_finite() -> None:
    assert tally.numeric([1e308, 1e308, -1e308]).tolist() == [1e308, 1e308, -1e308]


def test_B003_all_nan() -> None:
    assert "4 NaN values (first at row 0)" in refused("NaN", tally.numeric, np.full(4, np.nan))


@pytest.mark.parametrize("lost", [None, float("nan"), np.datetime64("NaT", "ns")])
def test_B004_missing_labels_are_counted(lost: Any) -> None:
    for call in (tally.binary, tally.factorize):
        assert "2 missing values (first at row 1)" in refused("missing", call, ["a", lost, "b", lost])
        assert "2 missing" in refused("missing", call, np.array(["a", lost, "b", lost], dtype=object))
        assert "2 missing" in refused("missing", call, np.array(["a", lost, "b", lost] * 1, dtype=object)[::1])
    assert "label has 1 NaN value (first at row 1)" in refused("NaN", tally.binary, [0.0, np.nan, 1.0])
    assert "label has 1 NaN value (first at row 1)" in refused("NaN", tally.factorize, np.array([0.0, np.nan, 1.0]))


def test_B004_pandas_missing_labels() -> None:
    pd = pytest.importorskip("pandas")
    for lost in (
        pd.Series([1, None, 0], dtype="Int64"),
        pd.Series(["a", None, "b"]),
        pd.Series([True, None, False], dtype="boolean"),
        pd.Series(pd.Categorical(["a", None, "b"])),
        pd.Series([1, pd.NA, 0], dtype=object),
        pd.Series(["a", pd.NaT, "b"], dtype=object),
    ):
        assert "1 missing value (first at row 1)" in refused("missing", tally.binary, lost)
        assert "1 missing value (first at row 1)" in refused("missing", tally.factorize, lost)


def test_B004_many_different_nan_objects_are_one_thing() -> None:
    rows = codes.MOST_COUNTED + 5
    column = np.array([float("nan") for _ in range(rows)], dtype=object)
    assert f"{rows} missing" in refused("missing", tally.factorize, column)


def test_B005_one_class_has_counts_and_no_pairs() -> None:
    mask, sides = tally.binary([1, 1, 1])
    assert sides == (0, 1)
    assert tally.auc_counts(np.array([0.1, 0.2, 0.2]), mask) == (0, 3, 0)
    assert tally.auc_counts(np.array([0.1, 0.2, 0.2]), 1 - mask) == (0, 0, 3)


def test_B007_lengths_are_both_named() -> None:
    assert "weight has 2 rows, but there are 3 cases" in refused("rows", tally.weights_of, [1, 2], 3)
    assert "actual has 2 rows, but predicted has 3" in refused("rows", tally.factorize_two, [1, 2], [1, 2, 1])
    codes = np.zeros(3, dtype=np.uint8)
    assert "actual has 3 rows, but predicted has 2" in refused("rows", tally.cross, codes, codes[:2], 2)


@pytest.mark.parametrize("nothing", [[], (), np.array([]), np.zeros((0, 1)), np.zeros((0, 2)), iter(())])
def test_B008_no_rows(nothing: Any) -> None:
    assert "score has no rows" in refused("no rows", tally.numeric, nothing)
    nothing = list(nothing) if hasattr(nothing, "__next__") else nothing
    assert "label has no rows" in refused("no rows", tally.binary, nothing)
    assert "label has no rows" in refused("no rows", tally.factorize, nothing)


def test_B009_one_row() -> None:
    mask, _ = tally.binary([1])
    assert tally.auc_counts(tally.numeric([0.3]), mask) == (0, 1, 0)
    assert [column.tolist() for column in tally.group(tally.numeric([0.3]), mask)[:3]] == [[0.3], [1], [0]]


def test_B010_a_column_vector_is_a_column() -> None:
    assert tally.numeric(np.array([[0.5], [0.25]])).tolist() == [0.5, 0.25]
    assert tally.numeric([[1], [2]]).tolist() == [1, 2]
    assert tally.binary(np.array([[0], [1]]))[0].tolist() == [0, 1]


def test_B011_two_columns_ask_for_a_choice() -> None:
    assert "score has 2 columns" in refused("Choose a column", tally.numeric, np.zeros((5, 2)))
    assert "label has 2 columns" in refused("Choose a column", tally.binary, np.zeros((5, 2)))
    refused("one value per row", tally.numeric, np.zeros((1, 5)))
    refused("one value per row", tally.numeric, np.zeros((2, 2, 2)))
    refused("different lengths", tally.numeric, [[1, 2], [3]])


@pytest.mark.parametrize("lone", [0.5, np.float64(0.5), np.array(0.5), True, None])
def test_B012_a_scalar_is_not_a_column(lone: Any) -> None:
    refused("single value", tally.numeric, lone)
    refused("single value", tally.binary, lone)


@pytest.mark.parametrize("lone", ["abc", b"abc", {1: 2}, {1, 2}])
def test_B012_things_without_rows_in_order(lone: Any) -> None:
    refused("one value per row", tally.numeric, lone)
    refused("one value per row", tally.binary, lone)


# ---- labels in ----


@pytest.mark.parametrize(
    ("given_labels", "sides"),
    [
        ([0, 1, 1], (0, 1)), ([-1, 1, 1], (-1, 1)), ([False, True, True], (False, True)),
        (["0", "1", "1"], ("0", "1")), ([0.0, 1.0, 1.0], (0.0, 1.0)), ([-1.0, 1.0, 1.0], (-1.0, 1.0)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ["list", "tuple", "array", "object", "generator"])
def test_B013_B015_B018_B020_the_one_rule(given_labels: list[Any], sides: tuple[Any, Any], form: str) -> None:
    forms: dict[str, Any] = {
        "list": given_labels,
        "tuple": tuple(given_labels),
        "array": np.array(given_labels),
        "object": np.array(given_labels, dtype=object),
        "generator": (label for label in given_labels),
    }
    mask, found = tally.binary(forms[form])
    assert (mask.tolist(), mask.dtype) == ([0, 1, 1], np.uint8)
    assert found == sides
    assert [type(label) for label in found] == [type(label) for label in sides]


@pytest.mark.parametrize("dtype", [*INTEGERS, np.float32, np.float64, np.float16, bool, ">i4", ">f8"])
def test_every_number_type_of_zeros_and_ones(dtype: Any) -> None:
    mask, sides = tally.binary(np.array([0, 1, 1, 0], dtype=dtype))
    assert mask.tolist() == [0, 1, 1, 0]
    assert sides == (0, 1)
    assert tally.factorize(np.array([0, 1, 1, 0], dtype=dtype))[0].tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize(
    ("only", "sides", "value"),
    [(1, (0, 1), 1), (0, (0, 1), 0), (-1, (-1, 1), 0), (True, (False, True), 1), (False, (False, True), 0),
     ("1", ("0", "1"), 1), ("0", ("0", "1"), 0), (1.0, (0, 1), 1), (0.0, (0, 1), 0)],
)  # fmt: skip
def test_one_of_a_known_pair_alone(only: Any, sides: tuple[Any, Any], value: int) -> None:
    for column in ([only] * 3, np.array([only] * 3), np.array([only] * 3, dtype=object)):
        mask, found = tally.binary(column)
        assert (mask.tolist(), found) == ([value] * 3, sides)
        asked, found = tally.binary(column, positive=sides[0])
        assert (asked.tolist(), found) == ([1 - value] * 3, sides[::-1])
        asked, found = tally.binary(column, positive=sides[1])
        assert (asked.tolist(), found) == ([value] * 3, sides)


def test_a_known_positive_alone_leaves_the_negative_unnamed() -> None:
    mask, sides = tally.binary(["yes", "yes"], positive="yes")
    assert (mask.tolist(), sides) == ([1, 1], (None, "yes"))
    assert "'yes' is not in label, which has no" in refused("not in", tally.binary, ["no", "no"], positive="yes")
    assert "one label, 5" in refused("state which is positive", tally.binary, [5, 5])


def test_B014_text_labels_need_the_positive_said() -> None:
    assert "two labels no/yes; state which is positive" in refused("state which", tally.binary, ["no", "yes"])
    for column in (["no", "yes"], np.array(["no", "yes"]), np.array(["no", "yes"], dtype=object)):
        mask, sides = tally.binary(column, positive="yes")
        assert (mask.tolist(), sides) == ([0, 1], ("no", "yes"))
        mask, sides = tally.binary(column, positive="no")
        assert (mask.tolist(), sides) == ([1, 0], ("yes", "no"))


@pytest.mark.parametrize("pair", tally.PAIRS, ids="/".join)
def test_numbers_and_truth_values_as_text_say_which_is_positive(pair: tuple[str, str]) -> None:
    low, high = pair
    for column in ([high, low, low], np.array([high, low, low]), np.array([high, low, low], dtype=object)):
        mask, sides = tally.binary(column)
        assert (mask.tolist(), sides) == ([1, 0, 0], pair)
    assert tally.binary([low, low])[0].tolist() == [0, 0] and tally.plain_positive([low]) is not None
    assert tally.binary([high, high])[0].tolist() == [1, 1]
    assert "state which" in refused("state which", tally.binary, [low, "yes"])


def test_B016_mixed_types_are_never_equated() -> None:
    for column in ([1, "1"], [1, "0", 1], np.array([1, "1"], dtype=object), iter([0, "a"]), [b"a", "a"]):
        columns_twice = list(column)
        assert "mixes types" in refused("mixes types", tally.binary, columns_twice)
        assert "mixes types" in refused("mixes types", tally.factorize, columns_twice)
    both = refused("mixes types", tally.factorize_two, [1, 0], ["1", "0"], names=("truth", "guess"))
    assert "truth and guess" in both


def test_B017_three_classes() -> None:
    for column in ([0, 1, 2], np.array([0.0, 1.0, 2.0]), [-1, 0, 1]):
        refused("has 3: ", tally.binary, column)
    assert "two classes, but it has 3: a, b, c" in refused("it has 3", tally.binary, ["a", "b", "c"], positive="a")
    assert "must have two classes, but it has 3: 0, 1, 2" in refused("it has 3", tally.binary, [0, 1, 2], positive=1)


def test_B019_ones_and_twos_need_the_positive_said() -> None:
    assert "two labels 1/2; state which is positive" in refused("state which", tally.binary, [1, 2])
    assert tally.binary([1, 2, 2], positive=2)[1] == (1, 2)
    assert tally.binary(np.array([1, 2, 2]), positive=1)[0].tolist() == [1, 0, 0]


@pytest.mark.parametrize("column", [[0.0, 0.5, 1.0], [0.5, 0.5], [0.25, 1.0], np.linspace(0, 1, 9), [0, 0.5]])
def test_B020_B026_a_continuous_target_is_refused(column: Any) -> None:
    for call in (tally.binary, tally.factorize):
        refused("continuous", call, column)
        refused("continuous", call, np.array(column, dtype=object))
    refused("continuous", tally.binary, column, positive=0.5)


def test_B021_a_positive_label_that_is_absent() -> None:
    assert "'maybe' is not in label, which has no, yes" in refused(
        "not in", tally.binary, ["no", "yes"], positive="maybe"
    )
    assert "text and numbers are different" in refused("not in", tally.binary, [0, 1], positive="1")
    assert "text and numbers are different" in refused("not in", tally.binary, ["0", "1"], positive=1)
    refused("not in", tally.binary, [0, 1], positive=2)


def test_B022_B023_near_duplicates_are_reported_and_kept_apart() -> None:
    assert tally.near_duplicates(["no", "yes"]) == []
    assert len(tally.near_duplicates(["yes", "Yes ", "no"])) == 1
    assert "'yes' and 'Yes '" in tally.near_duplicates(["yes", "Yes ", "no"])[0]
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    assert len(tally.near_duplicates([composed, decomposed])) == 1
    assert tally.near_duplicates([1, 2.0, None, b"a", b"A"]) == []
    assert tally.factorize([composed, decomposed, composed])[0].tolist() == [1, 0, 1]
    assert "it has 3" in refused("classes", tally.binary, ["yes", "Yes ", "no"], positive="yes")


def test_B024_labels_of_one_column_alone_have_a_row_and_a_column() -> None:
    truth, guess, names = tally.factorize_two(["a", "b", "a"], ["c", "b", "a"])
    assert names == ("a", "b", "c")
    assert tally.cross(truth, guess, 3).tolist() == [[1, 0, 1], [0, 1, 0], [0, 0, 0]]


@pytest.mark.parametrize("make", [str, int, lambda i: i * 10**12, float])
def test_B025_an_id_column_is_refused_briefly(make: Any) -> None:
    column = [make(i) for i in range(100_000)]
    for form in (column, np.array(column), np.array(column, dtype=object)):
        assert "label column has 100000 classes" in refused("classes", tally.factorize, form)
    assert "label column has more than 64 classes" in refused("classes", tally.binary, column)


def test_B025_distinct_labels_are_not_collected_without_end() -> None:
    column = [f"{i}" for i in range(codes.MOST_COUNTED + 5)]
    assert f"more than {codes.MOST_COUNTED} classes" in refused("classes", tally.binary, column)
    assert tally.factorize(column[:20_000], limit=20_000)[0].dtype == np.uint16


def test_factorize_orders_and_types() -> None:
    assert tally.factorize([3, -5, 3])[1] == (-5, 3)
    assert tally.factorize([True, False])[1] == (False, True)
    assert tally.factorize(np.array([2.0, 1.0]))[1] == (1.0, 2.0)
    assert tally.factorize([10**15, 5])[0].tolist() == [1, 0]
    assert tally.factorize(np.array([2**64 - 1, 2**64 - 3], dtype=np.uint64))[1] == (2**64 - 3, 2**64 - 1)
    assert tally.factorize([-(2**63), 2**63 - 1])[1] == (-(2**63), 2**63 - 1)
    assert tally.factorize([1e300, -1e300])[1] == (-1e300, 1e300)
    assert tally.factorize(np.array([b"b", b"a"]))[1] == (b"a", b"b")
    gaps = np.arange(6000) % 2000 * 3 - 1000
    assert tally.factorize(gaps)[1] == tuple(range(-1000, 5000, 3))
    assert tally.factorize(gaps)[0].tolist() == (np.arange(6000) % 2000).tolist()
    refused("2000 classes", tally.factorize, gaps, limit=1999)
    many = np.arange(1000) % 300
    codes, found = tally.factorize(many)
    assert codes.dtype == np.uint16
    assert found == tuple(range(300))
    assert np.array_equal(codes, many)
    assert tally.factorize(many.astype(np.int16) - 150)[0].tolist() == many.tolist()
    refused("values of type", tally.factorize, np.array(["2020-01-01"], dtype="datetime64[D]"))
    refused("columns|one value per row", tally.factorize, [(1, 2), (3, 4)])
    refused("cannot be labels", tally.factorize, [{}, {}])


def test_labels_without_an_order_come_as_they_appear() -> None:
    class Colour:
        def __init__(self, name: str) -> None:
            self.name = name

    red, green = Colour("red"), Colour("green")
    for column in ([green, red, green], np.array([green, red, green] * 200, dtype=object)):
        codes, found = tally.factorize(column)
        assert found == (green, red)
        assert codes[:3].tolist() == [0, 1, 0]


def test_given_labels_set_the_order_and_the_limits() -> None:
    assert tally.factorize(["a", "b"], labels=["b", "a", "z"])[0].tolist() == [1, 0]
    message = refused("other labels", tally.factorize, ["a", "x", "x"], labels=["a", "b"])
    assert "2 rows with other labels (x; first at row 1)" in message
    refused("duplicates", tally.factorize, ["a"], labels=["a", "a"])
    refused("duplicates", tally.factorize, ["a"], labels=[])
    truth, guess, names = tally.factorize_two([1, 2], [2, 2], labels=[2, 1, 0])
    assert (truth.tolist(), guess.tolist(), names) == ([1, 0], [0, 0], (2, 1, 0))
    refused("predicted has 1 rows with other", tally.factorize_two, [1, 2], [2, 3], labels=[1, 2])


@LESS
@given(
    st.sampled_from(["text", "fixed", "fresh", "integers", "floats", "bytes", "wide", "objects"]),
    st.integers(1, 40),
    st.integers(1, 900),
    seeds,
)
def test_factorize_equals_sorting_the_distinct(kind: str, k: int, rows: int, seed: int) -> None:
    drawn = np.random.default_rng(seed).integers(0, k, rows).tolist()
    words = [f"class {i}" for i in range(k)]
    column: Any = {
        "text": [words[i] for i in drawn],
        "fixed": np.array([words[i] for i in drawn]),
        "fresh": np.array([f"class {i}" for i in drawn], dtype=object),
        "integers": np.array(drawn) - 7,
        "floats": np.array(drawn, dtype=float) - 7,
        "bytes": np.array([words[i].encode() for i in drawn]),
        "wide": np.array(drawn) * 10**14,
        "objects": np.array([words[i] for i in drawn], dtype=object),
    }[kind]
    codes, found = tally.factorize(column)
    plain = column if isinstance(column, list) else column.tolist()
    assert list(found) == sorted(set(plain))
    assert [found[code] for code in codes.tolist()] == plain
    assert codes.dtype == np.uint8


def test_a_rare_class_outside_the_sample_is_found() -> None:
    rare = np.zeros(100_000, dtype=np.int64)
    rare[54_321] = 1
    for column in (np.array(["no", "yes"])[rare], np.array(["no", "yes"], dtype=object)[rare], rare * 3):
        codes, found = tally.factorize(column)
        assert len(found) == 2
        assert np.array_equal(codes, rare)
    assert tally.binary(rare)[0].sum() == 1
    words = np.array([f"class {i:02}" for i in range(41)], dtype=object)
    usual = np.arange(100_000) % 40 + rare * (40 - np.arange(100_000) % 40)
    codes, found = tally.factorize(words[usual])
    assert found == tuple(words)
    assert np.array_equal(codes, usual)


@LESS
@given(st.integers(1, 20), st.integers(0, 400), seeds)
def test_cross_is_the_count_of_pairs(k: int, rows: int, seed: int) -> None:
    actual, predicted, weights = np.random.default_rng(seed).integers(0, [[k], [k], [5]], (3, rows))
    drawn = zip(actual.tolist(), predicted.tolist(), weights.tolist(), strict=True)
    truth, weighted = np.zeros((k, k), dtype=int), np.zeros((k, k), dtype=int)
    for t, p, w in drawn:
        truth[t, p] += 1
        weighted[t, p] += w
    for dtype in (np.uint8, np.int64):
        a, b = actual.astype(dtype), predicted.astype(dtype)
        assert np.array_equal(tally.cross(a, b, k), truth)
        assert tally.cross(a, b, k).dtype == np.int64
        assert np.array_equal(tally.cross(a, b, k, weights), weighted)
        np.testing.assert_allclose(tally.cross(a, b, k, weights / 7), weighted / 7, rtol=1e-14)


@pytest.mark.parametrize("k", [2, 3, 5, 16, 17])
@pytest.mark.parametrize("rows", [2048 * 9, 2048 * 9 + 1, 66_000 * 8 + 1])
@pytest.mark.parametrize("dtype", [np.uint8, np.int64])
def test_cross_of_many_rows_counts_every_one(k: int, rows: int, dtype: type) -> None:
    rng = np.random.default_rng(k)
    actual, predicted = (rng.integers(0, k, rows).astype(dtype) for _ in range(2))
    expected = np.zeros((k, k), dtype=np.int64)
    np.add.at(expected, (actual, predicted), 1)
    assert tally.cross(actual, predicted, k).tolist() == expected.tolist()


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.longdouble])
def test_one_value_that_is_not_finite_is_found_among_many(kind: type) -> None:
    largest = np.full(5000, np.finfo(kind).max, dtype=kind)  # their sum is infinite, they are not
    assert tally.columns.all_finite(largest)
    for lost in (np.nan, np.inf, -np.inf):
        for row in (0, 2500, 4999):
            scores = largest / 2
            scores[row] = lost
            assert not tally.columns.all_finite(scores)


def test_cross_of_large_weights_is_exact() -> None:
    codes = np.array([0, 1, 1], dtype=np.uint8)
    assert tally.cross(codes, codes, 2, np.array([1, 2**53, 1])).tolist() == [[1, 0], [0, 2**53 + 1]]
    assert tally.cross(codes, codes, 2, np.array([1, 2**62, 2**62])).tolist() == [[1, 0], [0, 2**63]]
    refused("beyond the 2 classes", tally.cross, codes + 1, codes, 2)
    large = np.arange(300_000) % 300
    assert tally.cross(large, large, 300).sum() == 300_000


# ---- weights in ----


def test_B029_a_negative_weight_is_named_by_its_row() -> None:
    assert "weight must be 0 or more, but it is negative at row 1 (-2)" in refused(
        "negative", tally.weights_of, [1, -2, 3], 3
    )
    assert "negative at row 2 (-0.5)" in refused("negative", tally.weights_of, [1.0, 2.0, -0.5], 3)


def test_B030_all_zero_weights() -> None:
    assert "zero in all 2 rows" in refused("zero", tally.weights_of, [0, 0], 2)
    refused("zero", tally.weights_of, [0.0, -0.0], 2)
    assert tally.weights_of([0, 1], 2).tolist() == [0, 1]


@pytest.mark.parametrize(("lost", "what"), [(np.nan, "1 NaN"), (np.inf, "infinite"), (None, "missing")])
def test_B031_weights_must_be_finite(lost: Any, what: str) -> None:
    refused(what, tally.weights_of, [1.0, lost], 2)


def test_weight_types() -> None:
    assert tally.weights_of(np.array([1, 2], dtype=np.uint8), 2).dtype == np.int64
    assert tally.weights_of([True, False], 2).tolist() == [1, 0]
    assert tally.weights_of(np.array([1, 2], dtype=np.float32), 2).dtype == np.float64
    assert tally.weights_of([2**63, 2**63], 2).tolist() == [2**63, 2**63]
    refused("text", tally.weights_of, ["1", "2"], 2)
    refused("objects", tally.weights_of, [Decimal(1), Decimal(2)], 2)


# ---- types of scores ----


def test_B034_ties_are_those_of_the_given_type() -> None:
    scores = np.array([0.1, 0.1 + 1e-12])
    mask = np.array([1, 0], dtype=np.uint8)
    assert len(tally.group(scores, mask).scores) == 2
    assert len(tally.group(tally.numeric(scores.astype(np.float32)), mask).scores) == 1
    assert tally.numeric(scores.astype(np.float16)).dtype == np.float32


def test_B034_wider_floats_fit_exactly_or_are_refused() -> None:
    wide = np.array([0.5, 0.25], dtype=np.longdouble)
    assert tally.numeric(wide).dtype == np.float64
    if np.finfo(np.longdouble).nmant > 52:
        refused("without loss", tally.numeric, wide + np.longdouble(2) ** -60)


def test_B035_signed_zeros_are_one_score() -> None:
    mask = np.array([1, 0, 0], dtype=np.uint8)
    for dtype in (np.float32, np.float64):
        found = tally.group(np.array([-0.0, 0.0, -1.0], dtype=dtype), mask)
        assert found.scores.tolist() == [0.0, -1.0]
        assert not np.signbit(found.scores[0])
        assert tally.auc_counts(np.array([-0.0, 0.0, -1.0], dtype=dtype), mask)[0] == 3


def test_B036_subnormal_scores_are_ordered() -> None:
    scores = np.array([5e-324, 1e-323, 0.0])
    assert tally.auc_counts(scores, np.array([1, 0, 0], dtype=np.uint8))[0] == 2


@pytest.mark.parametrize(
    ("column", "what"),
    [
        ([1j, 2j], "complex"), (np.array(["2020-01-01"], dtype="datetime64[D]"), "dates"),
        (["0.5", "0.7"], "text"),
        (np.array([1, 2], dtype="timedelta64[s]"), "time"), (np.array([0.5, 1.0], dtype=object), "objects"),
        ([0.5, "a"], "text"), ([0.5, object()], "objects"), (np.array([b"a"]), "bytes"),
    ],
)  # fmt: skip
def test_B037_scores_that_are_not_numbers(column: Any, what: str) -> None:
    assert "expected numbers" in refused(what, tally.numeric, column)


def test_B038_decimals_and_fractions_are_refused_not_rounded() -> None:
    refused("Decimal", tally.numeric, [Decimal("0.1"), Decimal("0.10000000000000000001")])
    refused("Fraction", tally.numeric, [Fraction(1, 3), Fraction(1, 3)])


def test_B038_large_whole_numbers_are_not_rounded_into_ties() -> None:
    assert tally.numeric([2**63, 2**63 + 1]).tolist() == [2**63, 2**63 + 1]
    assert tally.numeric([2**63, 1]).tolist() == [2**63, 1]
    assert tally.numeric([2**53, 0.5]).tolist() == [2.0**53, 0.5]
    refused("beyond 2\\^53", tally.numeric, [2**60 + 1, 0.5])
    refused("beyond 2\\^53", tally.numeric, [-1, 2**63 + 1])
    refused("objects", tally.numeric, [2**70, 1])
    check_counts(np.array([2**53 + 1, 2**53, 2**53 + 2]), np.array([1, 0, 0], dtype=np.uint8))


def test_B039_small_unsigned_scores_do_not_wrap() -> None:
    check_counts(np.array([0, 255, 128, 127], dtype=np.uint8), np.array([0, 1, 0, 1], dtype=np.uint8))
    assert tally.numeric([True, False]).tolist() == [1, 0]
    assert tally.numeric(np.array([True, False])).dtype == np.uint8


# ---- columns of every make ----


def test_B040_masked_arrays() -> None:
    column = np.ma.array([0.5, 0.7, 0.9], mask=[False, True, False])
    assert "1 missing value (first at row 1)" in refused("missing", tally.numeric, column)
    refused("1 missing", tally.binary, np.ma.array([0, 1, 1], mask=[False, True, False]))
    assert tally.numeric(np.ma.array([0.5, 0.7])).tolist() == [0.5, 0.7]
    assert tally.binary(np.ma.array([0, 1]))[0].tolist() == [0, 1]


def test_B040_sparse_columns() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    pd = pytest.importorskip("pandas")
    assert tally.numeric(sparse.csr_matrix([[0.0], [2.0]])).tolist() == [0.0, 2.0]
    refused("columns", tally.numeric, sparse.csr_matrix([[0.0, 1.0], [2.0, 3.0]]))
    assert tally.numeric(pd.Series(pd.arrays.SparseArray([0.0, 2.0]))).tolist() == [0.0, 2.0]
    assert tally.binary(pd.Series(pd.arrays.SparseArray([0, 1])))[0].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("dtype", "kept"),
    [("float64", "f8"), ("float32", "f4"), ("Float64", "f8"), ("Float32", "f4"), ("Int64", "i8"),
     ("UInt8", "u1"), ("double[pyarrow]", "f8"), ("float[pyarrow]", "f4"), ("int64[pyarrow]", "i8"),
     ("uint8[pyarrow]", "u1"), ("category", "i8")],
)  # fmt: skip
def test_B040_B041_pandas_scores(dtype: str, kept: str) -> None:
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    column = pd.Series([3, 1, 2], index=[7, 7, 0]).astype(dtype)
    found = tally.numeric(column)
    assert found.tolist() == [3, 1, 2]
    assert found.dtype == np.dtype(kept)
    assert tally.numeric(column.to_frame()).tolist() == [3, 1, 2]
    assert tally.numeric(column.array).tolist() == [3, 1, 2]
    if dtype not in ("float64", "float32", "category"):
        lost = pd.Series([3, None, 2], dtype=dtype)
        assert "1 missing value (first at row 1)" in refused("missing", tally.numeric, lost)


def test_B040_pandas_frames_and_nan() -> None:
    pd = pytest.importorskip("pandas")
    refused("2 columns", tally.numeric, pd.DataFrame({"a": [1, 2], "b": [3, 4]}))
    refused("1 NaN", tally.numeric, pd.Series([1.0, None]))
    refused("1 NaN", tally.numeric, pd.Series(pd.arrays.SparseArray([0.0, np.nan])))
    refused("text|objects", tally.numeric, pd.Series(["0.5", "0.7"]))
    refused("dates", tally.numeric, pd.Series(pd.to_datetime(["2020-01-01"])))
    refused("no rows", tally.numeric, pd.Series([], dtype=float))
    refused("no rows", tally.binary, pd.Series([], dtype=str))
    assert tally.numeric(pd.Index([3, 1])).tolist() == [3, 1]


@pytest.mark.parametrize("dtype", ["str", "object", "string", "category", "string[pyarrow]"])
def test_B040_pandas_text_labels(dtype: str) -> None:
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    column = pd.Series(["b", "a", "b"], index=[5, 5, 1]).astype(dtype)
    assert tally.factorize(column)[1] == ("a", "b")
    assert tally.factorize(column)[0].tolist() == [1, 0, 1]
    assert tally.binary(column, positive="a")[0].tolist() == [0, 1, 0]
    assert tally.factorize(column.to_frame())[0].tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    "dtype", ["int8", "Int64", "boolean", "bool", "bool[pyarrow]", "int32[pyarrow]", "Float64", "category"]
)
def test_B040_pandas_number_labels(dtype: str) -> None:
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    column = pd.Series([0, 1, 1]).astype(dtype)
    assert tally.binary(column)[0].tolist() == [0, 1, 1]
    assert tally.binary(column)[1] == (0, 1)
    assert tally.factorize(column)[0].tolist() == [0, 1, 1]


def test_B040_unused_categories_are_not_classes() -> None:
    pd = pytest.importorskip("pandas")
    column = pd.Categorical(["1", "0", "1"], categories=["2", "1", "0"])
    for form in (column, pd.Series(column), pd.CategoricalIndex(column)):
        assert tally.factorize(form)[1] == ("0", "1")
        assert tally.binary(form)[0].tolist() == [1, 0, 1]
    numbers = pd.Series(pd.Categorical([1, 0, 1], categories=[5, 1, 0]))
    assert tally.binary(numbers)[1] == (0, 1)


def test_B040_pyarrow_columns() -> None:
    pa = pytest.importorskip("pyarrow")
    for column in (pa.array([3.0, 1.0]), pa.chunked_array([[3.0], [1.0]]), pa.table({"s": [3.0, 1.0]})):
        assert tally.numeric(column).tolist() == [3.0, 1.0]
    assert tally.numeric(pa.array([3.0, 1.0], type=pa.float32())).dtype == np.float32
    assert tally.numeric(pa.array([2**60 + 1, 2**60])).tolist() == [2**60 + 1, 2**60]
    assert tally.numeric(pa.array([0.5, 0.25, 0.5]).dictionary_encode()).tolist() == [0.5, 0.25, 0.5]
    assert "1 missing value (first at row 1)" in refused("missing", tally.numeric, pa.array([1, None, 2]))
    assert "1 missing value (first at row 2)" in refused("missing", tally.numeric, pa.chunked_array([[1, 2], [None]]))
    refused("Decimal", tally.numeric, pa.array([Decimal("0.1")]))
    refused("2 columns", tally.numeric, pa.table({"a": [1], "b": [2]}))
    words = pa.array(["b", "a", "b"])
    chunks = pa.chunked_array([words[:1].dictionary_encode(), words[1:].dictionary_encode()])
    forms = [
        words,
        words.cast(pa.large_string()),
        words.dictionary_encode(),
        chunks,
        pa.chunked_array([words]),
        pa.table({"y": words}),
    ]
    if hasattr(pa, "string_view"):
        forms.append(words.cast(pa.string_view()))
    for form in forms:
        assert tally.factorize(form)[1] == ("a", "b")
        assert tally.factorize(form)[0].tolist() == [1, 0, 1]
        assert tally.binary(form, positive="b")[0].tolist() == [1, 0, 1]
    assert tally.binary(pa.array([True, False]))[1] == (False, True)
    refused("1 missing", tally.factorize, pa.array(["a", None]))
    refused("1 missing", tally.factorize, pa.array(["a", None]).dictionary_encode())
    refused("1 missing", tally.binary, pa.array([True, None]))
    refused("no rows", tally.factorize, pa.array([], type=pa.string()))


def test_B040_polars_columns() -> None:
    pl = pytest.importorskip("polars")
    assert tally.numeric(pl.Series([3.0, 1.0])).tolist() == [3.0, 1.0]
    assert tally.numeric(pl.Series([3, 1], dtype=pl.UInt8)).dtype == np.uint8
    assert tally.numeric(pl.DataFrame({"s": [3.0, 1.0]})).tolist() == [3.0, 1.0]
    assert tally.numeric(pl.Series([3.0, 1.0], dtype=pl.Float32)).dtype == np.float32
    assert "1 missing value (first at row 1)" in refused("missing", tally.numeric, pl.Series([1, None, 2]))
    refused("1 NaN", tally.numeric, pl.Series([1.0, float("nan")]))
    refused("Decimal", tally.numeric, pl.Series([Decimal("0.1")]))
    refused("2 columns", tally.numeric, pl.DataFrame({"a": [1], "b": [2]}))
    for dtype in (pl.String, pl.Categorical, pl.Enum(["z", "b", "a"])):
        column = pl.Series(["b", "a", "b"], dtype=dtype)
        assert tally.factorize(column)[1] == ("a", "b")
        assert tally.factorize(column)[0].tolist() == [1, 0, 1]
        assert tally.binary(column, positive="b")[0].tolist() == [1, 0, 1]
        refused("1 missing", tally.factorize, pl.Series(["a", None], dtype=dtype))
    assert tally.binary(pl.Series([True, False]))[1] == (False, True)
    refused("1 missing", tally.binary, pl.Series([True, None]))
    refused("1 missing", tally.binary, pl.Series([1, None, 0]))


def test_B040_narwhals_columns() -> None:
    nw = pytest.importorskip("narwhals")
    pl = pytest.importorskip("polars")
    frame = nw.from_native(pl.DataFrame({"y": ["b", "a"], "s": [0.5, 0.25]}))
    assert tally.numeric(frame["s"]).tolist() == [0.5, 0.25]
    assert tally.factorize(frame["y"])[1] == ("a", "b")


def test_B041_rows_are_matched_by_position() -> None:
    pd = pytest.importorskip("pandas")
    y, s = pd.Series([1, 0, 1], index=[2, 0, 1]), pd.Series([0.9, 0.1, 0.8], index=[0, 1, 1])
    mask, _ = tally.binary(y)
    assert tally.auc_counts(tally.numeric(s), mask) == (4, 2, 1)


def test_B042_layouts_and_memory_maps(tmp_path: Any) -> None:
    path = tmp_path / "scores.npy"
    np.save(path, np.array([0.5, 0.25, 0.75]))
    mapped = np.load(path, mmap_mode="r")
    mask = np.array([0, 0, 1], dtype=np.uint8)
    assert tally.group(tally.numeric(mapped), mask).scores.tolist() == [0.75, 0.5, 0.25]
    assert tally.numeric(np.array([1, 2], dtype=">f8")).dtype == np.float64
    assert tally.numeric(np.array([1, 2], dtype=">i2")).tolist() == [1, 2]
    assert tally.numeric(np.broadcast_to(np.float64(0.5), 5)).tolist() == [0.5] * 5
    check_counts(np.broadcast_to(np.float64(-2.5), 5), np.array([0, 1, 1, 0, 1], dtype=np.uint8))
    mixed = np.array([(1.5, 1), (0.5, 0)], dtype=[("s", "f8"), ("y", "i1")])
    assert tally.numeric(mixed["s"]).tolist() == [1.5, 0.5]
    refused("expected numbers", tally.numeric, mixed)


def test_B016_B043_other_collections_keep_their_types() -> None:
    from collections import deque

    refused("mixes types", tally.binary, {"a": 1, "b": "1"}.values())
    refused("mixes types", tally.factorize, deque([1, "1"]))
    assert tally.binary(deque([0, 1]))[0].tolist() == [0, 1]
    assert tally.binary(range(2))[0].tolist() == [0, 1]


def test_B043_iterators_are_read_once() -> None:
    assert tally.numeric(x / 2 for x in range(3)).tolist() == [0.0, 0.5, 1.0]
    assert tally.numeric(map(float, range(3))).tolist() == [0.0, 1.0, 2.0]
    assert tally.numeric(range(3)).tolist() == [0, 1, 2]
    assert tally.numeric({"a": 1, "b": 2}.values()).tolist() == [1, 2]
    assert tally.binary(x % 2 for x in range(3))[0].tolist() == [0, 1, 0]
    assert tally.factorize(word for word in ("b", "a"))[1] == ("a", "b")
    assert tally.weights_of((w for w in (1, 2)), 2).tolist() == [1, 2]
    import array

    assert tally.numeric(array.array("d", [0.5, 1.5])).tolist() == [0.5, 1.5]
    assert tally.numeric(memoryview(np.array([1, 2]))).tolist() == [1, 2]
    kept = tally.column(x for x in "ab")
    assert kept == ["a", "b"]
    assert tally.column(kept) is kept
    refused("no rows", tally.column, iter(()))


@pytest.mark.parametrize("classes", [2, 16, 17, 300])
@pytest.mark.parametrize("letters", ["ab", "aé", "aЖ", "a\0b"])
@pytest.mark.parametrize("width", [1, 3, 8, 9])
@pytest.mark.parametrize("kind", ["<U", ">U", "S"])
def test_short_text_is_coded_as_it_is_sorted(classes: int, letters: str, width: int, kind: str) -> None:
    if kind == "S" and not letters.isascii():
        return
    rng = np.random.default_rng(classes + width)
    drawn = ["".join(rng.choice(list(letters), size=rng.integers(1, width + 1))) for _ in range(classes)]
    words = np.array(drawn, dtype=f"{kind}{width}")
    column = words[rng.integers(0, classes, 3000)][::2]
    codes, labels = tally.factorize(column)
    expected, places = np.unique(column, return_inverse=True)
    assert labels == tuple(expected.tolist())
    assert codes.tolist() == places.tolist()


def test_text_of_variable_width() -> None:
    column = np.array(["b", "a", "b"], dtype=np.dtypes.StringDType())
    assert tally.factorize(column)[1] == ("a", "b")
    refused("text", tally.numeric, column)


def test_what_comes_in_is_never_written_to() -> None:
    scores, mask = np.array([-0.0, 1.0, -3.5]), np.array([1, 0, 1], dtype=np.uint8)
    weights = np.array([1.0, 2.0, 0.0])
    kept = [column.tobytes() for column in (scores, mask, weights)]
    tally.group(scores, mask, weights, squares=True)
    tally.group(scores, mask)
    tally.auc_counts(scores, mask)
    tally.binary(mask, positive=0)
    assert [column.tobytes() for column in (scores, mask, weights)] == kept


def test_no_frame_library_is_imported() -> None:
    import subprocess

    names = "('pandas', 'polars', 'pyarrow', 'scipy')"
    code = f"import rocscope.tally, sys; print([m for m in {names} if m in sys.modules])"
    answer = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert answer.stdout.strip() == "[]", answer.stderr


def test_the_helpers_agree_with_their_names() -> None:
    assert exact_sums.segment_sums(np.array([2**62, 2**62]), np.array([0])).tolist() == [2**63]
    assert tally.squared(np.array([0.5])).tolist() == [0.25]


@given(st.lists(st.integers(0, 2**34) | st.integers(2**31 - 2, 2**32 + 2), min_size=1, max_size=6))
def test_squares_of_whole_weights_are_exact(weights: list[int]) -> None:
    """Those from 3,037,000,500 on, whose squares are beyond int64, as well."""
    assert tally.squared(np.array(weights)).tolist() == [weight**2 for weight in weights]


@given(st.lists(st.integers(-5, 5) | st.integers(-10, 10).map(lambda half: half / 2), max_size=4))
def test_fractions_are_found_wherever_they_stand(values: list[float]) -> None:
    some = any(float(value) != int(value) for value in values)
    assert tally.has_fractions(np.array(values, dtype=np.float64)) is some
    assert tally.has_fractions(np.array([int(value) for value in values], dtype=np.int64)) is False
