"""DeLong and its relatives: pROC's answers, brute-force definitions, laws, and the cases where others are silly."""

from __future__ import annotations

import json
import math
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rocscope import Costs, RocscopeError, ScoreTable, curves, intervals, significance
from rocscope.intervals.auc_intervals import area_covariance
from rocscope.intervals.influence import auc_slopes, linear_variance, placements
from rocscope.intervals.paired_cases import PairedCases
from rocscope.significance.auc_tests import delong_of_tables, quadratic_form
from rocscope.significance.cheapest import _patterns
from rocscope.significance.permutation import rank_swap_p, swap_weights

PROC = json.loads((Path(__file__).parent / "oracles" / "proc.json").read_text("utf-8"))
ASAH = PROC["asah"]
RANDOM = PROC["random"]
Y = [1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0]
S = [0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.52, 0.51, 0.505]
S += [0.4, 0.39, 0.38, 0.37, 0.36, 0.35, 0.34, 0.33, 0.30, 0.1]
SWAPPED = list(S)
SWAPPED[2], SWAPPED[3], SWAPPED[6], SWAPPED[8] = S[3], S[2], S[8], S[6]


def near(value: float, digits: int = 6) -> Any:
    return pytest.approx(value, abs=0.5000001 * 10**-digits)


def table(y: Any, s: Any, **options: Any) -> ScoreTable:
    return ScoreTable.from_scores(np.array(y), np.array(s, dtype=float), **options)


# ---- pROC ----

CURVES = [("asah " + name, ASAH["outcome"], ASAH[name], ASAH["curves"][name]) for name in ASAH["curves"]] + [
    (f"{i} {one['kind']} {which}", one["y"], one[column], one[which])
    for i, one in enumerate(RANDOM)
    for column, which in (("a", "first"), ("b", "second"))
]


@pytest.mark.oracle
@pytest.mark.parametrize(("name", "y", "s", "want"), CURVES, ids=[one[0] for one in CURVES])
def test_delong_interval_is_procs(name: str, y: list[int], s: list[float], want: dict[str, Any]) -> None:
    t = table(y, s)
    found = intervals.auc(t, method="delong")
    assert found.value == pytest.approx(want["auc"], abs=1e-9)
    degenerate = want["auc"] in (0, 1) or min(t.positives, t.negatives) == 1 or want["var"] in (0, None)
    if degenerate:  # pROC answers [1, 1] or nothing; ours says why there are no limits
        assert math.isnan(found.low) and found.why
        return
    assert found.se is not None and found.se**2 == pytest.approx(want["var"], abs=1e-9)
    assert (found.low, found.high) == pytest.approx((want["low"], want["high"]), abs=1e-9)
    narrow = intervals.auc(t, method="delong", level=0.9)
    assert (narrow.low, narrow.high) == pytest.approx((want["low90"], want["high90"]), abs=1e-9)


PAIRS = [
    (f"asah {one['first']} {one['second']}", ASAH["outcome"], ASAH[one["first"]], ASAH[one["second"]], one)
    for one in ASAH["pairs"]
] + [(f"{i} {one['kind']}", one["y"], one["a"], one["b"], one["pair"]) for i, one in enumerate(RANDOM)]


@pytest.mark.oracle
@pytest.mark.parametrize(("name", "y", "a", "b", "want"), PAIRS, ids=[one[0] for one in PAIRS])
def test_paired_and_unpaired_tests_are_procs(name: str, y: Any, a: Any, b: Any, want: dict[str, Any]) -> None:
    found = significance.delong(y, a, b, interval="delong")
    rows = PairedCases.of(y, [a, b])
    if min(len(rows.positives), len(rows.negatives)) > 1 and want["cov"] is not None:
        assert area_covariance(rows)[0, 1] == pytest.approx(want["cov"], abs=1e-9)
    if want["z"] is not None and math.isfinite(want["z"]) and found.se:
        assert (found.statistic, found.p) == pytest.approx((want["z"], want["p"]), abs=1e-9)
        assert (found.low, found.high) == pytest.approx(
            (max(-1.0, want["low"]), min(1.0, want["high"])), abs=1e-9
        )
        greater = significance.delong(y, a, b, alternative="greater")
        less = significance.delong(y, a, b, alternative="less")
        assert greater.p == pytest.approx(want["p_greater"], abs=1e-9)
        assert greater.p + less.p == pytest.approx(1)
    else:
        assert found.p is not None and 0 < found.p <= 1 and found.why
    apart = significance.delong(y, a, b, paired=False)
    if want["unpaired_d"] is not None and math.isfinite(want["unpaired_d"]) and apart.df is not None:
        assert (apart.statistic, apart.df, apart.p) == pytest.approx(
            (want["unpaired_d"], want["unpaired_df"], want["unpaired_p"]), abs=1e-9, rel=1e-9
        )
    else:
        assert apart.p is None or 0 < apart.p <= 1


def test_asah_figures() -> None:
    s100b = intervals.auc(table(ASAH["outcome"], ASAH["s100b"]), method="delong")
    assert (s100b.value, s100b.low, s100b.high) == (near(0.731369), near(0.630118), near(0.832619))
    found = significance.delong(ASAH["outcome"], ASAH["s100b"], ASAH["ndka"])
    assert (found.statistic, found.p) == (near(1.390770), near(0.164295))
    tables = [table(ASAH["outcome"], ASAH[name]) for name in ("s100b", "ndka")]
    apart = significance.delong(*tables, paired=False)
    assert (apart.statistic, apart.p) == (near(1.559957), near(0.120193))
    assert apart.df == near(222.2354, 4)


# ---- brute force ----


def psi(x: float, y: float) -> float:
    return 1.0 if x > y else 0.5 if x == y else 0.0


def brute(y: list[int], scores: list[list[float]]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """DeLong's areas and covariance from all pairs, as the paper writes them."""
    areas, v10, v01 = [], [], []
    for s in scores:
        ups = [x for x, label in zip(s, y, strict=True) if label]
        downs = [x for x, label in zip(s, y, strict=True) if not label]
        kernel = np.array([[psi(a, b) for b in downs] for a in ups])
        areas.append(kernel.mean())
        v10.append(kernel.mean(axis=1))
        v01.append(kernel.mean(axis=0))
    m, n = len(v10[0]), len(v01[0])
    return np.array(areas), np.cov(np.array(v10), ddof=1) / m + np.cov(np.array(v01), ddof=1) / n


SCORE = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.5, 0.8, 1.0])
ROWS = st.lists(st.tuples(st.booleans(), SCORE, SCORE, SCORE), min_size=3, max_size=14).map(
    lambda rows: [(True, 0.3, 0.2, 0.8), (True, 0.8, 0.8, 0.1), (False, 0.3, 0.5, 0.5), (False, 0.1, 0.2, 0.0), *rows]
)


@settings(max_examples=80)
@given(ROWS)
def test_placements_and_variance_from_the_definition(rows: list[tuple[bool, float, float, float]]) -> None:
    y, *scores = (list(column) for column in zip(*rows, strict=True))
    areas, covariance = brute(y, scores)
    for s, area, own in zip(scores, areas, np.diag(covariance), strict=True):
        t = table([int(label) for label in y], s)
        above, below = placements(t)
        # theta from placements is the area counted another way
        assert t.pos @ above / t.positives == pytest.approx(curves.auc(t)) == pytest.approx(area)
        assert t.neg @ below / t.negatives == pytest.approx(area)
        assert linear_variance(t, auc_slopes, curves.auc(t)) == pytest.approx(own, abs=1e-15)
    assert area_covariance(PairedCases.of([int(label) for label in y], scores)) == pytest.approx(covariance, abs=1e-15)


@settings(max_examples=40)
@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_rows_and_monotone_scores_change_nothing(rows: Any, random: Any) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)

    def answer(cases: Any, scale: Any) -> tuple[float, ...]:
        y, a, b, _ = (list(column) for column in zip(*cases, strict=True))
        found = significance.delong([int(label) for label in y], [scale(x) for x in a], b)
        return found.value, found.low, found.high, found.p or 0.0

    assert answer(rows, lambda x: x) == pytest.approx(answer(shuffled, lambda x: math.exp(3 * x)), abs=1e-9)


@settings(max_examples=40)
@given(ROWS)
def test_joint_delong_is_the_quadratic_form(rows: list[tuple[bool, float, float, float]]) -> None:
    y, *scores = (list(column) for column in zip(*rows, strict=True))
    areas, covariance = brute(y, scores)
    contrast = np.array([[1, 0, -1], [0, 1, -1]])  # any contrasts of the same span
    inner = contrast @ covariance @ contrast.T
    if np.linalg.eigvalsh(inner).min() < 1e-6:
        return
    want = (contrast @ areas) @ np.linalg.inv(inner) @ (contrast @ areas)
    found = significance.joint_delong([int(label) for label in y], scores)
    assert (found.statistic, found.df) == pytest.approx((want, 2.0), rel=1e-6)


def test_joint_delong_of_two_is_the_paired_test_squared() -> None:
    joint, paired = significance.joint_delong(Y, {"a": S, "b": SWAPPED}), significance.delong(Y, S, SWAPPED)
    assert (joint.statistic, joint.p, joint.df) == (near(1.306452), near(0.253038), 1.0)
    assert paired.statistic is not None and joint.statistic == pytest.approx(paired.statistic**2)
    assert joint.p == pytest.approx(paired.p)


def test_few_cases_take_hotellings_f() -> None:
    joint = significance.joint_delong(Y, [S, SWAPPED, S[::-1]])
    assert joint.statistic is not None and joint.df == 2.0
    up, down = sum(Y), len(Y) - sum(Y)
    v = (1 / up + 1 / down) ** 2 / (1 / up**2 / (up - 1) + 1 / down**2 / (down - 1))
    found = significance.with_few_cases(joint, (up, down))
    assert found.p == pytest.approx(stats.f.sf(joint.statistic * (v - 1) / (2 * v), 2, v - 1))
    assert found.statistic == joint.statistic and found.p > joint.p  # type: ignore[operator]
    few = significance.with_few_cases(joint, (2, 2))
    assert few.p is not None  # v = 2, q = 2
    assert significance.with_few_cases(joint, (2,)).p is None  # two clusters


def test_a_redundant_model_adds_no_degree_of_freedom() -> None:
    found = significance.joint_delong(Y, [S, SWAPPED, [2 * x + 1 for x in S]])
    assert (found.statistic, found.df) == (near(1.306452), 1.0)
    same = significance.joint_delong(Y, [S, S, [2 * x + 1 for x in S]])
    assert (same.statistic, same.df, same.p, same.value) == (0.0, 0.0, 1.0, 0.0)


def test_a_difference_without_variance_is_not_no_difference() -> None:
    y, perfect, constant = [1] * 4 + [0] * 4, [8, 7, 6, 5, 4, 3, 2, 1], [1] * 8
    covariance = area_covariance(PairedCases.of(y, [perfect, constant]))
    assert quadratic_form(np.array([1.0, 0.5]), covariance) == (0.0, 0, True)
    joint, paired = significance.joint_delong(y, [perfect, constant]), significance.delong(y, perfect, constant)
    assert joint.p == paired.p == near(0.007812) and joint.value == paired.value == 0.5
    assert paired.low < 0.5 < paired.high and "permutation" in paired.why
    three = significance.joint_delong(y, [perfect, constant, perfect[::-1]])
    assert three.p == pytest.approx(3 * 2 / 256)


# ---- the interval of the difference ----


def test_the_floored_interval() -> None:
    found = significance.delong(Y, S, SWAPPED)
    assert found.value == -0.03 and found.se is not None and found.se**2 == near(0.000689)
    assert (found.low, found.high) == (near(-0.081443), near(0.021443))


def test_identical_models_are_not_different() -> None:
    for other in (S, [2 * x + 1 for x in S], [x**3 for x in S]):
        found = significance.delong(Y, S, other)
        assert (found.value, found.low, found.high, found.p) == (0.0, 0.0, 0.0, 1.0)
        assert "identical rankings" in found.why
        for test in (significance.rank_swap, significance.venkatraman):
            assert test(Y, S, other).p == 1.0
        assert significance.bootstrap_difference(Y, S, other, "pr_area").p == 1.0
        assert significance.permutation_difference(Y, S, other, "pr_area").p == 1.0


def test_two_different_perfect_models() -> None:
    y, a, b = [1] * 10 + [0] * 10, list(range(20, 0, -1)), [*range(11, 21), *range(10, 0, -1)]
    found = significance.delong(y, a, b)
    assert (found.value, found.p) == (0.0, 1.0)
    assert (found.low, found.high) == (near(-0.204955), near(0.204955))
    apart = significance.delong(table(y, a), table(y, b), paired=False)
    assert apart.p == 1.0 and apart.low < 0 < apart.high


@settings(max_examples=40)
@given(ROWS, st.sampled_from([0.5, 0.9, 0.99]))
def test_the_difference_lies_in_its_interval_within_its_range(rows: Any, level: float) -> None:
    y, a, b, _ = (list(column) for column in zip(*rows, strict=True))
    labels = [int(label) for label in y]
    found, turned = (significance.delong(labels, *pair, level=level) for pair in ((a, b), (b, a)))
    assert -1 <= found.low <= found.value <= found.high <= 1
    assert found.p is not None and 0 < found.p <= 1 and found.p == pytest.approx(turned.p)
    assert (turned.value, turned.low, turned.high) == pytest.approx((-found.value, -found.high, -found.low))
    wider = significance.delong(labels, a, b, level=0.995)
    assert wider.low <= found.low and found.high <= wider.high


def test_one_case_of_a_class() -> None:
    found = significance.delong([1, 0, 0, 0], [4, 1, 2, 3], [2, 1, 3, 4])
    assert found.value == pytest.approx(2 / 3) and found.p is not None and 0 < found.p <= 1
    assert found.low < found.high and "single case" in found.why
    assert math.isnan(significance.delong([1, 1, 1], [1, 2, 3], [3, 1, 2]).value)


def test_what_is_compared_must_be_said() -> None:
    t = table(Y, S)
    with pytest.raises(RocscopeError, match="paired=False"):
        significance.delong(t, t)
    with pytest.raises(RocscopeError, match="two score vectors"):
        significance.delong(Y, S)
    with pytest.raises(RocscopeError, match="Did you mean 'greater'"):
        significance.delong(Y, S, SWAPPED, alternative="grater")
    with pytest.raises(RocscopeError, match="20 labels, but 3 scores"):
        significance.delong(Y, S, [1, 2, 3])


def test_clusters_and_weights_of_paired_areas() -> None:
    plain = significance.delong(Y, S, SWAPPED)
    alone = significance.delong(Y, S, SWAPPED, clusters=list(range(20)), weights=[3.0] * 20)
    wider = stats.t.ppf(0.975, 19) / stats.norm.ppf(0.975)  # limits are Student's of 20 clusters
    low = plain.value - wider * (plain.value - plain.low)
    assert (alone.value, alone.low, alone.p) == pytest.approx((plain.value, low, plain.p), abs=1e-9)
    copies = significance.delong(Y * 3, S * 3, SWAPPED * 3, clusters=list(range(20)) * 3)
    assert (copies.value, copies.se, copies.p) == pytest.approx((plain.value, plain.se, plain.p), rel=1e-9)
    y, perfect, constant = [1] * 4 + [0] * 4, [8, 7, 6, 5, 4, 3, 2, 1], [1] * 8
    swapped = significance.delong(y * 3, perfect * 3, constant * 3, clusters=list(range(8)) * 3)
    assert swapped.p == near(0.007812)  # 2^8 clusters to swap, whatever the number of copies
    weighted = significance.delong(y, perfect, constant, weights=[0.3] * 8)
    assert weighted.p == near(0.007812) and weighted.value == 0.5
    twice = significance.delong(Y, S, SWAPPED, weights=[1.0, 2.0] * 10)
    assert twice.value == pytest.approx(
        curves.auc(table(Y, S, weights=[1.0, 2.0] * 10)) - curves.auc(table(Y, SWAPPED, weights=[1.0, 2.0] * 10))
    )
    joint = significance.joint_delong(Y * 3, [S * 3, SWAPPED * 3], clusters=list(range(20)) * 3)
    assert joint.statistic == near(1.306452)
    with pytest.raises(RocscopeError, match="same cases"):
        significance.delong(Y, S, SWAPPED, paired=False, clusters=list(range(20)))


def test_tables_with_the_same_placements_do_not_differ() -> None:
    """Two copies of one table, whose areas are as certain as they covary: 0, certainly, with p = 1."""
    t = ScoreTable.from_scores(Y, S)
    own = intervals.auc(t, method="delong").se ** 2
    found = delong_of_tables(t, t, np.full((2, 2), own))
    assert (found.value, found.low, found.high, found.p, found.statistic, found.se) == (0, 0, 0, 1, 0, 0)
    assert "no difference" in found.why
    two = ScoreTable.from_scores(Y, SWAPPED)
    rows, tables = significance.delong(Y, S, SWAPPED), delong_of_tables(
        t, two, area_covariance(PairedCases.of(Y, [S, SWAPPED]))
    )
    assert (tables.value, tables.p, tables.statistic, tables.level) == pytest.approx(
        (rows.value, rows.p, rows.statistic, 0.95)
    )
    assert tables.low <= rows.low + 1e-12 and tables.high >= rows.high - 1e-12
    same = significance.delong(Y, S, S)
    assert (same.value, same.p, same.statistic) == (0, 1, 0) and same.low <= 0 <= same.high


# ---- permutations ----


def test_rank_swap_figures() -> None:
    y, perfect = [1] * 4 + [0] * 4, [8, 7, 6, 5, 4, 3, 2, 1]
    assert significance.rank_swap(y, perfect, [1] * 8).p == near(0.007812)
    assert significance.rank_swap(y, perfect, perfect[::-1]).p == near(0.007812)
    assert significance.rank_swap(y, perfect, [1] * 8, alternative="greater").p == near(1 / 256)


def midranks(values: list[float]) -> list[float]:
    return [sum(x < v for x in values) + (sum(x == v for x in values) + 1) / 2 for v in values]


@settings(max_examples=15)
@given(st.lists(st.tuples(st.booleans(), SCORE, SCORE), min_size=1, max_size=4))
def test_rank_swaps_from_the_definition(rows: list[tuple[bool, float, float]]) -> None:
    rows = [(True, 0.3, 0.2), (False, 0.1, 0.5), *rows]
    y, a, b = (list(column) for column in zip(*rows, strict=True))
    labels = [int(label) for label in y]
    ra, rb = midranks(a), midranks(b)

    def gap(pattern: tuple[int, ...]) -> float:
        one = [q if swap else p for p, q, swap in zip(ra, rb, pattern, strict=True)]
        other = [p if swap else q for p, q, swap in zip(ra, rb, pattern, strict=True)]
        return float(np.subtract(*brute_areas(labels, [one, other])))

    gaps = [gap(pattern) for pattern in product((0, 1), repeat=len(rows))]
    want = sum(abs(x) >= abs(gaps[0]) - 1e-12 for x in gaps) / len(gaps)
    pair = PairedCases.of(labels, [a, b])
    assert rank_swap_p(pair) == pytest.approx(want)
    weights = swap_weights(pair)
    assert weights.sum() / (4 * sum(labels) * (len(labels) - sum(labels))) == pytest.approx(gaps[0])


def brute_areas(y: list[int], scores: list[list[float]]) -> list[float]:
    found = []
    for s in scores:
        pairs = [psi(a, b) for a, up in zip(s, y, strict=True) if up for b, down in zip(s, y, strict=True) if not down]
        found.append(sum(pairs) / len(pairs))
    return found


def test_random_swaps_come_close_to_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = PairedCases.of(Y[:16], [S[:16], S[15::-1]])
    exact = rank_swap_p(pair)
    monkeypatch.setattr("rocscope.significance.permutation.EXACT_UP_TO", 0)
    assert rank_swap_p(pair) == pytest.approx(exact, abs=0.015)
    assert rank_swap_p(pair) == rank_swap_p(pair, seed=0) != rank_swap_p(pair, seed=1)


def test_venkatraman_figures() -> None:
    assert significance.venkatraman(Y, S, SWAPPED, draws=99).statistic == 6.0
    assert significance.venkatraman(Y, S, S[::-1], draws=99).statistic == 72.0
    with pytest.raises(RocscopeError, match="constant"):
        significance.venkatraman(Y, S, [0.5] * 20)


def test_venkatraman_sees_crossing_curves_of_equal_area() -> None:
    rng = np.random.default_rng(5)
    y = np.repeat([1, 0], 150)
    steep = np.where(y == 1, rng.normal(1.0, 0.4, 300), rng.normal(0, 1, 300))
    flat = np.where(y == 1, rng.normal(1.9, 2.4, 300), rng.normal(0, 1, 300))
    assert significance.delong(y, steep, flat).p > 0.05
    assert significance.venkatraman(y, steep, flat, draws=399).p < 0.01
    apart = significance.venkatraman(table(y, steep), table(y, flat), paired=False, draws=399)
    assert apart.p < 0.01
    again = significance.venkatraman(table(y, steep), table(y, steep + 5), paired=False, draws=99)
    assert (again.statistic, again.p) == (0.0, 1.0)


def test_any_statistic_by_permutation_is_what_the_areas_give() -> None:
    named = significance.permutation_difference(Y[:12], S[:12], SWAPPED[:12], "auc")
    rule = significance.permutation_difference(Y[:12], S[:12], SWAPPED[:12], "gini", draws=5000)
    looped = significance.permutation_difference(Y[:12], S[:12], SWAPPED[:12], curves.auc, draws=5000)
    assert named.p == rule.p and rule.value == pytest.approx(2 * named.value)
    assert looped.p is not None and 0 < looped.p <= 1
    at = significance.permutation_difference(Y, S, S[::-1], "recall", threshold=0.5, draws=999)
    assert at.value == pytest.approx(table(Y, S).at(0.5).recall - table(Y, S[::-1]).at(0.5).recall)


def test_swapped_brier_scores_from_the_definition() -> None:
    y, a, b = Y[:8], S[:8], S[7::-1]
    losses = [(p - u) ** 2 - (q - u) ** 2 for p, q, u in zip(a, b, y, strict=True)]
    gaps = [abs(sum(x * s for x, s in zip(losses, signs, strict=True))) for signs in product((1, -1), repeat=8)]
    want = sum(gap >= abs(sum(losses)) - 1e-12 for gap in gaps) / 256
    assert significance.permutation_difference(y, a, b, "brier").p == pytest.approx(want)


# ---- paired bootstrap, cheapest model ----


def test_paired_bootstrap_agrees_with_delong() -> None:
    y, a, b = ASAH["outcome"], ASAH["s100b"], ASAH["wfns"]
    closed, found = significance.delong(y, a, b), significance.bootstrap_difference(y, a, b, "auc", n=1999)
    assert found.value == pytest.approx(closed.value)
    assert found.se == pytest.approx(closed.se, rel=0.08)
    assert (found.low, found.high) == pytest.approx((closed.low, closed.high), abs=0.02)
    assert found.p == pytest.approx(closed.p, abs=0.02)
    again = significance.bootstrap_difference(y, a, b, "auc", n=1999)
    assert again == found


def test_paired_bootstrap_of_clusters_draws_whole_ones() -> None:
    y, a, b = np.array(Y), np.array(S), np.array(S[::-1])
    doubled = [np.concatenate((x, x)) for x in (y, a, b)]
    plain = significance.bootstrap_difference(*doubled, "auc", n=999, stratified=False)
    whole = significance.bootstrap_difference(*doubled, "auc", n=999, clusters=list(range(20)) * 2)
    assert plain.se is not None and whole.se == pytest.approx(math.sqrt(2) * plain.se, rel=0.1)


def test_p_is_never_0_and_follows_the_alternative() -> None:
    y, a = [1] * 20 + [0] * 20, [*range(40, 20, -1), *range(20, 0, -1)]
    b = [x * 7 % 40 for x in a]
    for alternative, small in (("two-sided", True), ("greater", True), ("less", False)):
        for test in (significance.bootstrap_difference, significance.permutation_difference):
            p = test(y, a, b, "average_precision", alternative=alternative, **{_count(test): 199}).p
            assert p is not None and (0 < p < 0.05 if small else p > 0.9)


def _count(test: Any) -> str:
    return "n" if test is significance.bootstrap_difference else "draws"


def test_the_probability_of_being_the_cheapest() -> None:
    costs = Costs(fp=1, fn=2)
    same = significance.best_probability(Y, {"a": S, "b": [x + 1 for x in S]}, costs)
    assert dict(same.shares) == {"a": 0.5, "b": 0.5}  # ties are split
    found = significance.best_probability(Y, {"a": S, "b": SWAPPED, "c": S[::-1]}, costs, n=1000)
    assert sum(found.shares.values()) == pytest.approx(1) and "same data" in found.why
    assert found == significance.best_probability(Y, {"a": S, "b": SWAPPED, "c": S[::-1]}, costs, n=1000)
    given_ = significance.best_probability(Y, {"a": S, "c": S[::-1]}, costs, thresholds={"a": 0.505, "c": 0.505})
    assert given_.shares["a"] > 0.5 and given_.best == "a" and not given_.why
    with pytest.raises(RocscopeError, match="no threshold was given for c"):
        significance.best_probability(Y, {"a": S, "c": S}, costs, thresholds={"a": 0.5})


def test_the_probability_of_being_the_cheapest_by_resampling_rows() -> None:
    costs, rng = Costs(fp=1, fn=3, prevalence=0.3), np.random.default_rng(8)
    y, a, b = np.array(Y), np.array(S) >= 0.505, np.array(S[::-1]) >= 0.35
    wins = []
    ups, downs = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    for _ in range(4000):
        i, j = rng.choice(ups, len(ups)), rng.choice(downs, len(downs))
        cost = [0.3 * 3 * (~one[i]).mean() + 0.7 * one[j].mean() for one in (a, b)]
        wins.append(0.5 if abs(cost[0] - cost[1]) < 1e-12 else float(cost[0] < cost[1]))
    found = significance.best_probability(
        Y, {"a": S, "b": S[::-1]}, costs, thresholds={"a": 0.505, "b": 0.35}, n=4000
    )
    assert found.shares["a"] == pytest.approx(np.mean(wins), abs=0.035)


# ---- size ----


def test_ten_million_cases_do_not_overflow() -> None:
    """Counts of 1e7 in a small table: the sums of squares pass 2^63 many times over."""
    small = ScoreTable(np.array([3.0, 2.0, 1.0]), np.array([5, 3, 2]), np.array([1, 3, 6]))
    factor = 10**6
    large = ScoreTable(small.scores, small.pos * factor, small.neg * factor)
    a, b = intervals.auc(small, method="delong"), intervals.auc(large, method="delong")
    assert a.se is not None and b.se is not None and b.value == a.value
    # the spread of placements stays, only the n - 1 of ten cases goes
    assert b.se**2 * factor == pytest.approx(a.se**2 * 9 / 10, rel=1e-6)
    rng = np.random.default_rng(0)
    y = rng.random(145_000) < 0.3
    s = np.where(y, rng.normal(1, 1, 145_000), rng.normal(0, 1, 145_000))
    found = intervals.auc(table(y.astype(int), s), method="delong")
    assert 0.75 < found.low < found.value < found.high < 0.77 and found.high - found.low < 0.01


def test_float32_scores_stay_inside() -> None:
    y = np.repeat([1, 0], 500)
    s = np.linspace(1, 0, 1000, dtype=np.float32)
    found = intervals.auc(ScoreTable.from_scores(y, s))
    assert found.value == 1.0 and found.high == 1.0 and found.low < 1


def test_different_rankings_with_the_same_placements_are_not_certain() -> None:
    y = [1, 1, 0, 0, 1, 0]
    a, b = [6, 5, 4, 3, 2, 1], [5, 6, 3, 4, 2, 1]  # two positives and two negatives change places: no placement moves
    found = significance.delong(y, a, b)
    assert found.value == 0 and found.p == 1
    assert found.low < 0 < found.high


def test_rows_ranked_before_give_the_same_answers() -> None:
    generator = np.random.default_rng(3)
    y = generator.integers(0, 2, 200)
    shifts = {"a": 0.2, "b": 0.8, "c": 1.0}
    models = {name: (y * shift + generator.normal(size=200)).round(1) for name, shift in shifts.items()}
    weights, groups = generator.random(200), generator.integers(0, 40, 200)
    for held in (None, weights):
        rows = PairedCases.of(y, models, weights=held)
        assert significance.delong(rows, "c", "a") == significance.delong(y, models["c"], models["a"], weights=held)
        by_group = significance.delong(rows, "b", "c", clusters=groups)
        assert by_group == significance.delong(y, models["b"], models["c"], clusters=groups, weights=held)
        assert significance.joint_delong(rows, "abc") == significance.joint_delong(y, models, weights=held)
    costs, rows = Costs(fp=1, fn=3), PairedCases.of(y, models)
    assert significance.best_probability(rows, ["a", "c"], costs, n=300) == significance.best_probability(
        y, {"a": models["a"], "c": models["c"]}, costs, n=300
    )


def test_best_probability_counts_patterns_by_hand() -> None:
    y = [1, 1, 0, 0, 1, 0]
    scores = {"a": [3, 1, 2, 0, 3, 0], "b": [0, 3, 0, 3, 3, 0]}
    rows = PairedCases.of(y, scores)
    flagged = np.array([[1, 0, 1, 0, 1, 0], [0, 1, 0, 1, 1, 0]])
    cells, patterns = _patterns(rows, flagged)
    seen = {tuple(pattern): (p, n) for pattern, p, n in zip(patterns.tolist(), cells.pos, cells.neg, strict=True)}
    assert seen == {(0, 0): (0, 1), (0, 1): (1, 1), (1, 0): (1, 1), (1, 1): (1, 0)}


def test_equivalence_is_seldom_shown_at_its_margin_with_few_cases() -> None:
    """The floored standard error: with DeLong's own, 0.09 to 0.16 of models exactly a margin apart passed as equal."""
    rng, passed, n, margin = np.random.default_rng(12), 0, 400, 0.1
    y = np.repeat([1, 0], 15)
    for _ in range(n):
        shared = rng.standard_normal(30)
        a, b = (gap * y + 0.7 * shared + 0.7 * rng.standard_normal(30) for gap in (1.62, 1.039))  # AUC 0.877 and 0.777
        found = significance.delong(y, a, b)
        passed += significance.tost(found, margin=margin).p < 0.05
        assert found.se >= significance.delong(y, a, b, interval="delong").se
    assert passed / n <= 0.06
