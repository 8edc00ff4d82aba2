"""The hot path against brute force in exact integers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pairwise import by_score, check_counts, pairs

from rocscope import tally
from rocscope.errors import RocscopeError
from rocscope.tally import decimal_grid, packed_keys

FUZZ = settings(deadline=None, max_examples=120)
LESS = settings(deadline=None, max_examples=50)

# ---- strategies ----

SPECIAL = [
    0.0, -0.0, 5e-324, -5e-324, 1e-323, 2.2250738585072014e-308, 1e-300, -1e-300, 1e300, -1e300, 1.0, -1.0,
    math.nextafter(1, 2), math.nextafter(1, 0), -math.nextafter(1, 2), 1.9999999999999998, 2.0, -2.0, 3.4,
    3.4000000000000004, 1.7976931348623157e308, -1.7976931348623157e308, 0.1, 0.2, 0.30000000000000004, 0.3,
]  # fmt: skip
NARROW = [
    0.0,
    -0.0,
    1e-45,
    -1e-45,
    1.1754944e-38,
    1.0,
    1.0000001,
    -1.0000001,
    2.0,
    -2.0,
    3.4028235e38,
    -3.4028235e38,
]
INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]


def edges(dtype: Any) -> list[int]:
    info = np.iinfo(dtype)
    middle = [0, 1, 2, 127, 255, 2**53, 2**53 + 1, 2**62, 2**62 - 1, 2**63, 2**63 - 1, 2**31, 2**30]
    signed = middle + [-value for value in middle]
    near = [info.min, info.min + 1, info.max, info.max - 1]
    return [value for value in near + signed if info.min <= value <= info.max]


def columns(elements: Any, dtype: Any) -> Any:
    return st.lists(elements, min_size=1, max_size=40).map(lambda values: np.array(values, dtype=dtype))


doubles = st.one_of(
    columns(st.sampled_from(SPECIAL), np.float64),
    columns(st.floats(allow_nan=False, allow_infinity=False), np.float64),
    columns(st.floats(-30, 30), np.float64),
    columns(st.integers(-20, 20).map(lambda k: k / 10), np.float64),
)
singles = st.one_of(
    columns(st.sampled_from(NARROW), np.float32),
    columns(st.floats(allow_nan=False, allow_infinity=False, width=32), np.float32),
    columns(st.floats(-8, 8, width=32), np.float32),
)
integers = st.sampled_from(INTEGERS).flatmap(lambda d: columns(st.sampled_from(edges(d)), d))
seeds = st.integers(0, 2**32)
any_scores = st.one_of(doubles, singles, integers)


@st.composite
def scored(draw: Any, scores: Any = any_scores) -> tuple[Any, Any]:
    values = draw(scores)
    mask = draw(st.lists(st.integers(0, 1), min_size=len(values), max_size=len(values)))
    return values, np.array(mask, dtype=np.uint8)


def laid_out(values: Any, layout: str) -> Any:
    """The same values in another layout of memory."""
    if layout == "reversed":
        return values[::-1].copy()[::-1]
    if layout == "strided":
        return np.repeat(values, 3)[::3]
    if layout == "swapped":
        return values.astype(values.dtype.newbyteorder())
    if layout == "column":
        return values.reshape(-1, 1)
    return values


# ---- group and auc_counts ----


@FUZZ
@given(scored(), st.sampled_from(["plain", "reversed", "strided", "swapped", "column"]))
def test_counts_equal_brute_force(case: tuple[Any, Any], layout: str) -> None:
    values, mask = case
    given_scores = laid_out(values, layout)
    before = given_scores.copy()
    given_scores.flags.writeable = False
    check_counts_of(values, given_scores, mask)
    assert np.array_equal(given_scores, before)


def check_counts_of(values: Any, given_scores: Any, mask: Any) -> None:
    check_counts(values, mask)
    plain, other = tally.group(values, mask), tally.group(tally.numeric(given_scores), mask)
    for a, b in zip(plain[:3], other[:3], strict=True):
        assert a.tolist() == b.tolist()
        assert a.dtype == b.dtype


@FUZZ
@given(scored(), st.data(), st.booleans())
def test_parts_and_all_rows_are_grouped_as_each_alone(case: tuple[Any, Any], data: Any, descending: bool) -> None:
    values, mask = case
    cuts = sorted(data.draw(st.lists(st.integers(0, len(values)), max_size=5)))
    ends = [*cuts, len(values)]
    made = tally.group_parts(values.copy(), mask, ends, descending=descending, squares=True)
    if made is None:  # keys of both signs that leave no room
        assert packed_keys.packed(values, mask) is None
        return
    alone = [(values[a:b], mask[a:b]) for a, b in zip([0, *cuts], ends, strict=True)]
    for found, (scores, labels) in zip([*made[0], made[1]], [*alone, (values, mask)], strict=True):
        if len(scores):
            expected = tally.group(scores, labels, descending=descending, squares=True)
            assert all(a.tobytes() == b.tobytes() for a, b in zip(found, expected, strict=True))
        else:
            assert len(found.scores) == 0


def test_parts_of_scores_on_a_grid_are_left_to_counting() -> None:
    scores, mask = np.arange(5000) % 101 / 100, (np.arange(5000) % 3 == 0).astype(np.uint8)
    before = scores.copy()
    assert tally.group_parts(scores, mask, [1000, 5000]) is None
    assert scores.tobytes() == before.tobytes()  # untouched


@FUZZ
@given(scored(), st.integers(0, 3))
def test_many_rows_take_the_same_path_to_the_same_numbers(case: tuple[Any, Any], more: int) -> None:
    """Repeated until grids are looked for and blocks are crossed: 2U grows with the square of the repeats."""
    values, mask = case
    times = decimal_grid.FEWEST // len(values) + 1 + more
    many, labels_of_many = np.tile(values, times), np.tile(mask, times)
    twice, positives, negatives = tally.auc_counts(many, labels_of_many)
    assert twice == pairs(values, mask) * times**2
    assert (positives, negatives) == (times * int(mask.sum()), times * int((1 - mask).sum()))
    found, small = tally.group(many, labels_of_many), tally.group(values, mask)
    assert found.scores.tolist() == small.scores.tolist()
    assert found.pos.tolist() == [times * count for count in small.pos.tolist()]
    assert found.neg.tolist() == [times * count for count in small.neg.tolist()]


@FUZZ
@given(scored())
def test_packed_keys_restore_the_scores(case: tuple[Any, Any]) -> None:
    values, mask = case
    made = packed_keys.packed(values, mask)
    if made is None:
        halves = packed_keys.packed_halves(values, mask)
        assert sorted(np.concatenate([rows for rows, _, _ in halves]).tolist()) == list(range(len(values)))
        parts = [(values[rows], mask[rows], keys, how) for rows, keys, how in halves]
    else:
        parts = [(values, mask, *made)]
    for scores, label, keys, how in parts:
        assert (keys & 1).tolist() == label.tolist()
        assert packed_keys.restored(keys >> 1, how).tolist() == scores.tolist()


def test_a_tie_across_a_border_of_blocks() -> None:
    """All negatives, then all positives: the last of one and the first of the other lie in two blocks."""
    rows = packed_keys.BLOCK + 10
    mask = (np.arange(rows) >= packed_keys.BLOCK).astype(np.uint8)
    assert tally.auc_counts(np.full(rows, math.pi), mask) == (10 * packed_keys.BLOCK, 10, packed_keys.BLOCK)
    lower = np.where(np.arange(rows) < 5, math.e, math.pi)
    assert tally.auc_counts(lower, mask)[0] == 10 * (packed_keys.BLOCK + 5)


def test_scores_that_fill_all_exponents_are_split_by_sign() -> None:
    scores = np.array([-1e300, 5e-324, 1e300, -5e-324])
    assert packed_keys.packed(scores, np.zeros(4, dtype=np.uint8)) is None
    check_counts(scores, np.array([1, 0, 0, 1], dtype=np.uint8))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["positive", "mixed", "ties", "float32", "wide"])
def test_blocks_and_ties_of_200_000_rows(kind: str, seed: int) -> None:
    """Larger than a block, against a sort and search that shares nothing with the packed sort."""
    random = np.random.default_rng(seed)
    normal = random.normal(size=200_000)
    scores = {
        "positive": np.exp(normal),
        "mixed": normal * 5,
        "ties": np.round(normal * 3) / 7,
        "float32": normal.astype(np.float32),
        "wide": normal * np.exp2(random.integers(-1000, 1000, 200_000)),
    }[kind]
    mask = (random.random(len(scores)) < 0.3).astype(np.uint8)
    negatives = np.sort(scores[mask == 0])
    positives = scores[mask == 1]
    below = np.searchsorted(negatives, positives, "left") + np.searchsorted(negatives, positives, "right")
    assert tally.auc_counts(scores, mask)[0] == int(below.sum())
    found = tally.group(scores, mask)
    distinct, sizes = np.unique(scores, return_counts=True)
    assert np.array_equal(found.scores, distinct[::-1])
    assert np.array_equal(found.pos + found.neg, sizes[::-1])
    assert tally.twice_u(found.pos, found.neg) == int(below.sum())


# ---- grids ----


@LESS
@given(st.integers(0, 6), st.integers(-3000, 3000), st.sampled_from([np.float64, np.float32]), seeds)
def test_decimal_grids_are_counted_as_sorting_would(decimals: int, start: int, dtype: Any, seed: int) -> None:
    random = np.random.default_rng(seed)
    scores = ((start + random.integers(0, 50, decimal_grid.FEWEST)) / 10**decimals).astype(dtype)
    mask = random.integers(0, 2, len(scores)).astype(np.uint8)
    found = tally.group(scores, mask)
    distinct, where = np.unique(scores, return_inverse=True)
    assert found.scores.dtype == dtype
    assert np.array_equal(found.scores, distinct[::-1])
    assert np.array_equal(found.pos, np.bincount(where, weights=mask)[::-1])
    assert np.array_equal(found.neg, np.bincount(where, weights=1 - mask)[::-1])
    assert tally.auc_counts(scores, mask)[0] == tally.twice_u(found.pos, found.neg)


@pytest.mark.parametrize("decimals", range(7))
def test_a_grid_is_found(decimals: int) -> None:
    scores = (np.arange(4096) * 7 % 1000) / 10**decimals
    grid = decimal_grid.grid_of(scores)
    assert grid is not None
    assert grid.scale == 10**decimals
    assert decimal_grid.summed(scores, np.zeros(4096, dtype=np.uint8), []) is not None


@pytest.mark.parametrize("decimals", range(1, 7))
@pytest.mark.parametrize("toward", [-1.0, 1.0])
@pytest.mark.parametrize("row", [0, 1234, 4999])
def test_one_ulp_off_the_grid_is_off_the_grid(decimals: int, toward: float, row: int) -> None:
    scores = (np.arange(5000) % 97 + 1) / 10**decimals
    scores[row] = np.nextafter(scores[row], toward * np.inf)
    mask = (np.arange(5000) % 3 == 0).astype(np.uint8)
    assert decimal_grid.summed(scores, mask, []) is None
    found = tally.group(scores, mask)
    assert len(found.scores) == 98
    assert scores[row] in found.scores.tolist()
    assert found.scores.tolist() == np.unique(scores)[::-1].tolist()


@pytest.mark.parametrize("outlier", [1e308, -1e308, 1e16, 5e-324, 0.5, -1e-9])
@pytest.mark.parametrize("decimals", [0, 3])
def test_a_row_far_off_the_grid_is_no_trouble(outlier: float, decimals: int) -> None:
    scores = (np.arange(5000) % 97) / 10**decimals
    scores[4321] = outlier
    mask = (np.arange(5000) % 3 == 0).astype(np.uint8)
    found = tally.group(scores, mask)
    assert found.scores.tolist() == np.unique(scores)[::-1].tolist()
    assert tally.auc_counts(scores, mask)[0] == tally.twice_u(found.pos, found.neg)


def test_whole_numbers_of_small_range_are_counted_without_wrap_around() -> None:
    for dtype in INTEGERS:
        info = np.iinfo(dtype)
        for low in (int(info.min), int(info.max) - 100):
            scores = (np.arange(4000, dtype=object) % 101 + low).astype(dtype)
            mask = (np.arange(4000) % 2).astype(np.uint8)
            assert decimal_grid.summed(scores, mask, []) is not None
            found = tally.group(scores, mask)
            assert found.scores.tolist() == [low + 100 - i for i in range(101)]
            assert found.scores.dtype == dtype
            assert (found.pos + found.neg).sum() == 4000


# ---- weights ----


@FUZZ
@given(scored(), st.data())
def test_integer_weights_are_summed_exactly(case: tuple[Any, Any], data: Any) -> None:
    values, mask = case
    size = data.draw(st.sampled_from([3, 2**40, 2**62]))
    weights = data.draw(st.lists(st.integers(0, size), min_size=len(values), max_size=len(values)))
    if not any(weights):
        weights[0] = 1
    known = tally.weights_of(weights, len(values))
    truth = by_score(values, mask, weights)
    squares = by_score(values, mask, np.array(weights, dtype=object) ** 2)
    found = tally.group(values, mask, known, squares=True)
    assert found.scores.tolist() == list(truth)
    assert found.pos_squares is not None
    assert found.neg_squares is not None
    for column, side, expected in (
        (found.pos, 0, truth),
        (found.neg, 1, truth),
        (found.pos_squares, 0, squares),
        (found.neg_squares, 1, squares),
    ):  # fmt: skip
        assert column.tolist() == [expected[s][side] for s in truth]
        assert all(type(value) is int for value in column.tolist())
    rising = tally.group(values, mask, known, descending=False)
    assert rising.scores.tolist() == list(truth)[::-1]
    assert rising.pos.tolist() == found.pos.tolist()[::-1]


@FUZZ
@given(scored(), st.data())
def test_float_weights_are_summed_to_rounding(case: tuple[Any, Any], data: Any) -> None:
    values, mask = case
    heavy = st.one_of(st.floats(0, 100), st.sampled_from([0.0, 1e-30, 1e30]))
    weights = np.array(data.draw(st.lists(heavy, min_size=len(values), max_size=len(values))))
    weights[0] = max(weights[0], 1.0)
    found = tally.group(values, mask, weights, squares=True)
    rows: dict[Any, tuple[list[float], list[float]]] = {}
    for s, y, w in zip(values.tolist(), mask.tolist(), weights.tolist(), strict=True):
        rows.setdefault(s + 0, ([], []))[1 - y].append(w)
    kept = [s for s in sorted(rows, reverse=True) if any(rows[s][0]) or any(rows[s][1])]
    assert found.scores.tolist() == kept
    np.testing.assert_allclose(found.pos, [math.fsum(rows[s][0]) for s in kept], rtol=1e-14)
    np.testing.assert_allclose(found.neg, [math.fsum(rows[s][1]) for s in kept], rtol=1e-14)
    np.testing.assert_allclose(
        found.pos_squares, [math.fsum(w * w for w in rows[s][0]) for s in kept], rtol=1e-14
    )
    auc = sum(
        p * n * (1 if a > b else 0.5 if a == b else 0)
        for a in kept for b in kept
        for p, n in [(math.fsum(rows[a][0]), math.fsum(rows[b][1]))]
    )  # fmt: skip
    assert tally.twice_u(found.pos, found.neg) == pytest.approx(2 * auc, rel=1e-12)


def test_weights_on_a_grid_and_off_it_agree() -> None:
    random = np.random.default_rng(5)
    scores, mask = random.integers(0, 40, 5000) / 10, random.integers(0, 2, 5000).astype(np.uint8)
    for weights in (random.random(5000), random.integers(0, 9, 5000), random.integers(0, 2**58, 5000)):
        on = tally.group(scores, mask, weights, squares=True)
        off = tally.group(scores + 1 / 3, mask, weights, squares=True)
        for a, b in zip(on[1:5], off[1:5], strict=True):
            np.testing.assert_allclose(a.astype(float), b.astype(float), rtol=1e-13)
            assert a.dtype == b.dtype
            assert weights.dtype == float or a.tolist() == b.tolist()


def test_integer_weights_on_a_grid_are_exact_beyond_2_to_the_53() -> None:
    scores, mask = np.arange(4000) % 2 / 10, np.zeros(4000, dtype=np.uint8)
    weights = np.ones(4000, dtype=np.int64)
    weights[0] = 2**53
    assert decimal_grid.grid_of(scores) is not None
    assert tally.group(scores, mask, weights).neg.tolist() == [2000, 2**53 + 1999]


def test_weighting_by_two_is_repeating_twice() -> None:
    random = np.random.default_rng(6)
    scores, mask = random.normal(size=300), random.integers(0, 2, 300).astype(np.uint8)
    weights = random.integers(0, 4, 300)
    repeated = tally.group(np.repeat(scores, weights), np.repeat(mask, weights))
    weighted = tally.group(scores, mask, weights)
    for a, b in zip(repeated[:3], weighted[:3], strict=True):
        assert a.tolist() == b.tolist()


def test_nearly_equal_scores_keep_their_order_with_weights() -> None:
    """So wide a range that (score, row) fits no integer, and scores that differ in the bits left out."""
    random = np.random.default_rng(7)
    scores = np.concatenate([[1e-300, 1e300], 1 + random.permutation(5000) * 2.0**-52])
    mask = random.integers(0, 2, len(scores)).astype(np.uint8)
    weights = random.integers(1, 100, len(scores))
    found = tally.group(scores, mask, weights)
    order = np.argsort(-scores)
    assert found.scores.tolist() == scores[order].tolist()
    assert (found.pos + found.neg).tolist() == weights[order].tolist()
    assert found.pos.tolist() == (weights * mask)[order].tolist()


@pytest.mark.parametrize("factor", [1e-300, 1e300, 1e-61, 1e61])
def test_extreme_weights_are_refused_with_a_hint_to_rescale(factor: float) -> None:
    with pytest.raises(RocscopeError, match=r"must be between 1e-60 and 1e60, not .*\. Rescale"):
        tally.weights_of(np.array([0.5, 1.0, 2.0]) * factor, 3)
    assert tally.weights_of([1e-300, 1.0], 2).tolist() == [1e-300, 1.0]  # the largest decides


@pytest.mark.parametrize("factor", [1e-59, 1e59])
def test_weights_up_to_the_limit_give_what_scaled_ones_give(factor: float) -> None:
    random = np.random.default_rng(8)
    scores, mask = random.normal(size=100).round(1), random.integers(0, 2, 100).astype(np.uint8)
    weights = random.random(100)
    plain = tally.group(scores, mask, weights, squares=True)
    extreme = tally.group(scores, mask, tally.weights_of(weights * factor, 100), squares=True)

    def ratios(g: Any) -> list[float]:
        u = tally.twice_u(g.pos, g.neg) / (2 * g.pos.sum() * g.neg.sum())
        return [u, g.pos.sum() ** 2 / g.pos_squares.sum(), g.neg.sum() ** 2 / g.neg_squares.sum()]

    assert ratios(extreme) == pytest.approx(ratios(plain), rel=1e-13)


def test_B033_sums_beyond_2_to_the_53_and_63_stay_exact() -> None:
    scores, mask = np.array([1.0, 1.0, 0.0]), np.array([1, 1, 0], dtype=np.uint8)
    found = tally.group(scores, mask, tally.weights_of([2**53, 1, 2**53 + 1], 3))
    assert found.pos.tolist() == [2**53 + 1, 0]
    assert found.pos.dtype == np.int64
    found = tally.group(scores, mask, tally.weights_of([2**62, 2**62, 2**62], 3))
    assert found.pos.tolist() == [2**63, 0]
    found = tally.group(
        scores, mask, tally.weights_of(np.array([2**64 - 1] * 3, dtype=np.uint64), 3), squares=True
    )
    assert found.pos.tolist() == [2**65 - 2, 0]
    assert found.pos_squares is not None
    assert found.pos_squares.tolist() == [2 * (2**64 - 1) ** 2, 0]
    assert tally.twice_u(found.pos, found.neg) == 2 * (2**65 - 2) * (2**64 - 1)
    assert tally.group(scores, mask, tally.weights_of([2**70, 1, 1], 3)).pos.tolist() == [2**70 + 1, 0]


# ---- twice_u, exact_dot, merge ----


@FUZZ
@given(
    st.sampled_from([10, 2**31, 2**33, 2**61, 2**80]).flatmap(
        lambda top: st.lists(st.tuples(st.integers(0, top), st.integers(0, top)), min_size=1, max_size=20)
    )
)
def test_twice_u_is_exact(groups: list[tuple[int, int]]) -> None:
    dtype = object if max(map(max, groups)) >= 2**62 else np.int64
    pos, neg = (np.array(column, dtype=dtype) for column in zip(*groups, strict=True))
    expected = sum(
        p * (2 * sum(n for _, n in groups[i + 1 :]) + groups[i][1]) for i, (p, _) in enumerate(groups)
    )
    assert tally.twice_u(pos, neg) == expected
    assert type(tally.twice_u(pos, neg)) is int
    if dtype is np.int64:
        assert tally.exact_dot(pos, neg) == sum(p * n for p, n in groups)
        assert tally.total(pos) == sum(p for p, _ in groups)


def test_four_thousand_million_of_each_class() -> None:
    half, rest = 4 * 10**9 // 2, 10**9
    pos, neg = np.array([half, half, 0]), np.array([0, 2 * rest, 2 * rest])
    assert tally.twice_u(pos, neg) == half * 8 * rest + half * 6 * rest > 2**63
    assert tally.total(pos) == 4 * 10**9


def test_exact_dot_of_more_groups_than_one_pass_takes() -> None:
    a = np.full((1 << 20) + 3, 2**40 + 1)
    assert tally.exact_dot(a, a) == ((1 << 20) + 3) * (2**40 + 1) ** 2


@FUZZ
@given(scored(), st.integers(0, 40), st.booleans())
def test_merged_chunks_are_the_whole(case: tuple[Any, Any], cut: int, descending: bool) -> None:
    values, mask = case
    cut = min(cut, len(values) - 1)
    whole = tally.group(values, mask, descending=descending)
    if cut == 0:
        assert tally.merge(whole, empty_groups(values.dtype), descending=descending) is whole
        return
    parts = [
        tally.group(values[rows], mask[rows], descending=descending)
        for rows in (slice(cut), slice(cut, None))
    ]
    for a, b in (parts, parts[::-1]):
        merged = tally.merge(a, b, descending=descending)
        for x, y in zip(merged[:3], whole[:3], strict=True):
            assert x.tobytes() == y.tobytes()
            assert x.dtype == y.dtype
        assert merged[3:] == (None, None)


def empty_groups(dtype: Any) -> Any:
    nothing = np.zeros(0, dtype=np.int64)
    return tally.Groups(np.zeros(0, dtype=dtype), nothing, nothing)


def test_merging_cases_with_sampling_weights_counts_each_case_as_one() -> None:
    mask = np.array([1, 0], dtype=np.uint8)
    cases = tally.group(np.array([1.0, 0.0]), mask)
    sampled = tally.group(np.array([1.0, 0.5]), mask, np.array([2.0, 3.0]), squares=True)
    merged = tally.merge(cases, sampled)
    assert merged.scores.tolist() == [1.0, 0.5, 0.0]
    assert merged.pos.tolist() == [3.0, 0.0, 0.0]
    assert merged.neg.tolist() == [0.0, 3.0, 1.0]
    assert [column.tolist() for column in merged[3:5]] == [[5.0, 0.0, 0.0], [0.0, 9.0, 1.0]]  # type: ignore[union-attr]


def test_merging_beyond_int64_and_back_to_it() -> None:
    one = np.array([0.5])
    large = tally.Groups(one, np.array([2**61]), np.array([1]))
    twice = tally.merge(large, large)
    assert twice.pos.tolist() == [2**62]
    assert twice.pos.dtype == object
    assert twice.neg.dtype == np.int64
    assert tally.merge(twice, large).pos.tolist() == [3 * 2**61]


def test_merging_score_types_keeps_them_exact_or_refuses() -> None:
    def groups(score: Any, dtype: Any) -> Any:
        return tally.Groups(np.array([score], dtype=dtype), np.array([1]), np.array([0]))

    assert tally.merge(groups(0.1, np.float32), groups(0.1, np.float64)).scores.tolist() == [
        float(np.float32(0.1)),
        0.1,
    ]
    assert tally.merge(groups(3, np.int64), groups(0.5, np.float64)).scores.tolist() == [3.0, 0.5]
    assert tally.merge(groups(3, np.int64), groups(0.5, np.float32)).scores.tolist() == [3.0, 0.5]
    large = tally.merge(groups(2**53 + 1, np.int64), groups(2**53, np.uint64))
    assert large.scores.tolist() == [2**53 + 1, 2**53]
    assert tally.merge(groups(2**64 - 1, np.uint64), groups(5, np.int8)).scores.tolist() == [2**64 - 1, 5]
    with pytest.raises(RocscopeError, match="no type that holds both"):
        tally.merge(groups(2**53 + 1, np.int64), groups(0.5, np.float64))
    with pytest.raises(RocscopeError, match="no type that holds both"):
        tally.merge(groups(2**64 - 1, np.uint64), groups(-1, np.int64))


def test_near_ties_are_never_made_ties() -> None:
    scores = np.array([3.4, 3.4000000000000004, 1.0, 0.0, 5e-324])
    found = tally.group(scores, np.array([1, 0, 0, 0, 0], dtype=np.uint8))
    assert len(found.scores) == 5


def test_squares_of_cases_are_the_counts() -> None:
    found = tally.group(np.array([1.0, 1.0, 0.0]), np.array([1, 0, 0], dtype=np.uint8), squares=True)
    assert [column.tolist() for column in found[1:5]] == [[1, 0], [1, 1], [1, 0], [1, 1]]  # type: ignore[union-attr]


def test_scores_without_weight_are_left_out() -> None:
    for scores in (np.array([3.0, 2.0, 1.0]), np.tile([3.0, 2.0, 1.0], 1000)):
        weights = (scores != 2.0).astype(float)
        found = tally.group(scores, np.ones(len(scores), dtype=np.uint8), weights)
        assert found.scores.tolist() == [3.0, 1.0]
