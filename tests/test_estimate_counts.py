"""Intervals of any measure of counts or of a matrix: published figures, independent formulas, laws for all of them."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from rocscope import Confusion, Counts, RocscopeError, estimate, measures
from rocscope.estimate import difference, of, of_matrix, predictive_value, proportion
from rocscope.measures import Measure

C = Counts(tp=7, fp=7, fn=3, tn=13)
IRIS = Confusion.from_matrix([[10, 0, 0], [0, 7, 3], [0, 5, 5]], labels=["setosa", "versicolor", "virginica"])
CATALOGUE = measures.catalog()


def near(value: float, digits: int = 6) -> Any:
    return pytest.approx(value, abs=0.5000001 * 10**-digits)


def limits(found: estimate.Estimate) -> tuple[float, float, float]:
    return found.value, found.low, found.high


# ---- published figures ----


@pytest.mark.parametrize(
    ("name", "cells", "value", "low", "high"),
    [
        ("f1", (7, 7, 3, 13), 7 / 12, 0.355413, 0.780447),
        ("dice", (10, 0, 0, 0), 1.0, 0.838875, 1.0),
        ("mcc", (7, 7, 3, 13), 0.330719, -0.033495, 0.617391),
        ("kappa", (7, 7, 3, 13), 0.318182, -0.037108, 0.602059),
        ("mcc", (10, 0, 0, 10), 1.0, 0.477096, 1.0),
        ("f2", (10, 0, 0, 10), 1.0, 0.663773, 1.0),
        ("lr_plus", (7, 7, 3, 13), 2.0, 0.971521, 4.117254),
        ("dor", (7, 7, 3, 13), 13 / 3, 0.844712, 22.229811),
    ],
)
def test_published_figures(name: str, cells: tuple[int, ...], value: float, low: float, high: float) -> None:
    found = of(measures.get(name), Counts.of(cells))
    assert limits(found) == (near(value), near(low), near(high))


def test_predictive_value_at_a_prevalence() -> None:
    found = of(measures.get("ppv"), C, prevalence=0.02)
    assert limits(found) == (near(0.039216), near(0.019441), near(0.077513))


def test_a_proportion_takes_wilson_or_the_method_named() -> None:
    for method in ("wilson", "clopper-pearson", "jeffreys", "agresti-coull", "mid-p", "wald"):
        assert C.estimate("precision", method=method) == proportion(7, 14, method=method)
    assert C.estimate("accuracy").method == "wilson"
    assert Counts(tp=0, fp=0, fn=20, tn=5).estimate("recall").low == 0.0


def test_f1_and_jaccard_are_one_interval_in_two_units() -> None:
    for method in (None, "clopper-pearson", "jeffreys"):
        j, f = C.estimate("jaccard", method=method), C.estimate("f1", method=method)
        assert f.low == pytest.approx(2 * j.low / (1 + j.low)) and f.high == pytest.approx(2 * j.high / (1 + j.high))


# ---- independent formulas ----


def fleiss_kappa_error(tp: float, fp: float, fn: float, tn: float) -> float:
    """Fleiss, Cohen & Everitt, Psychological Bulletin 1969;72:323-327, for two classes."""
    p = np.array([[tp, fn], [fp, tn]]) / (tp + fp + fn + tn)
    rows, columns, agreed = p.sum(1), p.sum(0), np.trace(p)
    chance = rows @ columns
    kappa = (agreed - chance) / (1 - chance)
    first = sum(p[i, i] * (1 - (rows[i] + columns[i]) * (1 - kappa)) ** 2 for i in range(2))
    second = (1 - kappa) ** 2 * sum(p[i, j] * (columns[i] + rows[j]) ** 2 for i in range(2) for j in range(2) if i != j)
    third = (kappa - chance * (1 - kappa)) ** 2
    return math.sqrt((first + second - third) / ((1 - chance) ** 2 * (tp + fp + fn + tn)))


def test_kappa_has_its_asymptotic_standard_error() -> None:
    found = C.estimate("kappa")
    assert found.se == pytest.approx(fleiss_kappa_error(7, 7, 3, 13), rel=1e-12)


def by_finite_differences(measure: Measure, cells: dict[str, int]) -> float:
    """The multinomial standard error with slopes from exact fractions a millionth apart."""
    step = Fraction(1, 10**9)
    slopes = []
    for name, cell in cells.items():
        up, down = ({**cells, name: cell + move} for move in (step, -step))
        slopes.append((measure.value(up) - measure.value(down)) / float(2 * step))
    counts, total = np.array(list(cells.values())), sum(cells.values())
    terms = np.array(slopes)
    return math.sqrt(counts @ terms**2 - (counts @ terms) ** 2 / total)


@pytest.mark.parametrize("name", ["mcc", "balanced_accuracy", "f0.5", "markedness", "youden", "lift", "ochiai"])
def test_the_delta_method_by_hand(name: str) -> None:
    measure = measures.get(name)
    found = of(measure, C, method="delta")
    se = by_finite_differences(measure, {"tp": 7, "fp": 7, "fn": 3, "tn": 13})
    assert found.se == pytest.approx(se, rel=1e-5)
    z = 1.959963984540054
    if measure.range == (0.0, 1.0):
        centre, half = math.log(found.value / (1 - found.value)), z * se / (found.value * (1 - found.value))
        assert found.low == pytest.approx(1 / (1 + math.exp(half - centre)), rel=1e-5)
    elif measure.range == (-1.0, 1.0):
        half = z * se / (1 - found.value**2)
        assert found.high == pytest.approx(math.tanh(math.atanh(found.value) + half), rel=1e-5)


def test_measures_of_two_rates_combine_the_limits_of_the_rates() -> None:
    """Newcombe's difference for Youden's J; for the mean of two rates half of it; METHODS' own figures."""
    few = Counts(tp=5, fp=10, fn=0, tn=85)
    found = few.estimate("balanced_accuracy")
    assert (found.value, found.low) == pytest.approx((0.947368, 0.727), abs=5e-4)
    for counts in (C, few, Counts(tp=0, fp=3, fn=4, tn=6)):
        tp, fp, fn, tn = counts.cells.values()
        youden = difference(tp, tp + fn, fp, fp + tn)
        assert limits(counts.estimate("informedness")) == pytest.approx(limits(youden))
        half = counts.estimate("balanced_accuracy")
        assert limits(half) == pytest.approx(tuple((1 + x) / 2 for x in limits(youden)))
        marked = difference(tp, tp + fp, fn, fn + tn)
        assert limits(counts.estimate("markedness")) == pytest.approx(limits(marked))
    a, b = proportion(7, 10), proportion(13, 20)
    low = math.sqrt(0.7 * 0.65) * math.exp(-0.5 * math.hypot(math.log(0.7 / a.low), math.log(0.65 / b.low)))
    assert C.estimate("g_mean").low == pytest.approx(low)
    none = Counts(tp=0, fp=10, fn=5, tn=85).estimate("g_mean")
    assert (none.low, none.high) == (0.0, pytest.approx(math.sqrt(proportion(0, 5).high * proportion(85, 95).high)))
    assert few.estimate("balanced_accuracy", method="clopper-pearson").low < found.low


def test_two_rates_cover_with_few_positives() -> None:
    """Exact coverage over all outcomes of 3 and 10 positives, 60 negatives: the mean over rates, and the least."""
    n, rates = 60, (0.6, 0.75, 0.9, 0.95)
    for positives, least in ((3, 0.85), (10, 0.90)):
        inside = [
            (k, j, of(measures.get("balanced_accuracy"), Counts(tp=k, fp=n - j, fn=positives - k, tn=j)))
            for k in range(positives + 1) for j in range(n + 1)
        ]  # fmt: skip
        cover = [
            sum(binom.pmf(k, positives, a) * binom.pmf(j, n, b) for k, j, e in inside if e.low <= (a + b) / 2 <= e.high)
            for a in rates for b in rates
        ]  # fmt: skip
        assert 0.94 <= np.mean(cover) <= 0.97 and min(cover) >= least


def test_jeffreys_by_name_is_seeded_and_close_to_the_posterior() -> None:
    mcc = measures.get("mcc")
    first, again, other = (of(mcc, C, method="jeffreys", seed=seed) for seed in (0, 0, 1))
    assert first == again and first != other
    draws = np.random.default_rng(7).dirichlet(np.array([7, 7, 3, 13]) + 0.5, 200_000) * 30
    values = mcc.value(dict(zip(("tp", "fp", "fn", "tn"), draws.T, strict=True)))
    assert (first.low, first.high) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])), abs=0.02)


# ---- laws for the whole catalog ----

CELL = st.integers(0, 60)


@settings(max_examples=30)
@given(st.tuples(CELL, CELL, CELL, CELL))
def test_every_measure_stays_in_its_range_and_holds_its_value(cells: tuple[int, int, int, int]) -> None:
    counts = Counts.of(cells)
    for measure in CATALOGUE:
        found = of(measure, counts)
        if math.isnan(found.value):
            assert found.why, measure.name
        elif math.isnan(found.low):
            assert math.isnan(found.high) and found.why, measure.name
        else:
            assert measure.low <= found.low <= found.value <= found.high <= measure.high, (measure.name, found)


@settings(max_examples=20)
@given(st.tuples(CELL, CELL, CELL, CELL))
def test_a_higher_level_is_wider(cells: tuple[int, int, int, int]) -> None:
    counts = Counts.of(cells)
    for name in ("precision", "f1", "mcc", "kappa", "lr_plus", "balanced_accuracy", "lift"):
        narrow, wide = (of(measures.get(name), counts, level=level) for level in (0.8, 0.99))
        if not math.isnan(narrow.low):
            assert wide.low <= narrow.low and narrow.high <= wide.high, name


def test_perfect_and_hopeless_tables_are_not_certain() -> None:
    for cells in ((10, 0, 0, 10), (0, 10, 10, 0), (10, 10, 0, 0), (1, 0, 0, 1)):
        for name in ("accuracy", "f1", "mcc", "kappa", "balanced_accuracy", "youden"):
            found = of(measures.get(name), Counts.of(cells))
            assert math.isnan(found.value) or found.high - found.low > 0.05, (name, cells)


def test_what_does_not_vary_says_so() -> None:
    found = C.estimate("total")
    assert found.value == 30 and math.isnan(found.low) and "does not vary" in found.why


# ---- unknown and wrong input ----


def test_cells_that_are_not_needed_may_be_unknown() -> None:
    partly = Counts(tp=7, fp=7, fn=3)
    for name in ("precision", "recall", "f1", "f2", "jaccard"):
        assert limits(partly.estimate(name)) == pytest.approx(limits(C.estimate(name)))
    assert partly.estimate("specificity").why == "tn is unknown"


def test_undefined_is_nan_with_the_reason() -> None:
    nothing = Counts(tp=0, fp=0, fn=3, tn=4)
    assert "nothing was predicted positive" in nothing.estimate("precision").why
    infinite = Counts(tp=5, fp=0, fn=5, tn=9).estimate("lr_plus")
    assert math.isnan(infinite.value) and infinite.high == math.inf and infinite.low > 0 and infinite.why


def test_refusals_say_what_to_try() -> None:
    with pytest.raises(RocscopeError, match=r"interval for a proportion, but mcc is not a proportion.*delta, jeffreys"):
        C.estimate("mcc", method="wilson")
    with pytest.raises(RocscopeError, match="Did you mean 'wilson'"):
        C.estimate("precision", method="wison")
    with pytest.raises(RocscopeError, match="Choose one point"):
        Counts(tp=[1, 2], fp=[0, 1], fn=[1, 0], tn=[3, 3]).estimate("precision")
    with pytest.raises(RocscopeError, match=r"0\.95, not 95"):
        C.estimate("mcc", level=95)


# ---- weights and prevalence ----


def test_sampling_weights_count_as_their_effective_number() -> None:
    y, guess, w = [1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 1, 0], [1.0, 2.0, 1.0, 2.0, 1.0, 2.0]
    weighted = Counts.from_labels(y, guess, weights=w)
    found = weighted.estimate("accuracy")
    effective = sum(w) ** 2 / sum(x * x for x in w)
    right = sum(x for x, a, b in zip(w, y, guess, strict=True) if a == b)
    assert limits(found) == pytest.approx(limits(proportion(right / sum(w) * effective, effective)))


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=8, max_size=40))
@settings(max_examples=30)
def test_weights_of_one_change_nothing_and_frequency_weights_repeat(rows: list[tuple[bool, bool]]) -> None:
    y, guess = [int(a) for a, _ in rows], [int(b) for _, b in rows]
    plain = Counts.from_labels([1, 0, *y], [1, 0, *guess])
    ones = Counts.from_labels([1, 0, *y], [1, 0, *guess], weights=[1.0] * (len(y) + 2))
    twice = Counts.from_labels([1, 0, *y] * 2, [1, 0, *guess] * 2)
    counted = Counts.from_labels([1, 0, *y], [1, 0, *guess], weights=[2] * (len(y) + 2), weights_are="frequency")
    scaled = Counts.from_labels([1, 0, *y], [1, 0, *guess], weights=[7.5] * (len(y) + 2))
    for name in ("accuracy", "f1", "mcc", "balanced_accuracy"):
        assert limits(ones.estimate(name)) == pytest.approx(limits(plain.estimate(name)), nan_ok=True)
        assert limits(scaled.estimate(name)) == pytest.approx(limits(plain.estimate(name)), nan_ok=True)
        assert limits(counted.estimate(name)) == pytest.approx(limits(twice.estimate(name)), nan_ok=True)


def test_a_prevalence_moves_only_what_mixes_the_classes() -> None:
    assert of(measures.get("recall"), C, prevalence=0.02) == C.estimate("recall")
    moved = of(measures.get("f1"), C, prevalence=0.02)
    assert moved.value == pytest.approx(C.rebase(0.02).f1) and moved.low < moved.value < moved.high < 0.2
    same = of(measures.get("accuracy"), C, prevalence=1 / 3)
    assert same.value == pytest.approx(C.accuracy)
    # class by class: Var = π² t(1 - t)/P + (1 - π)² u(1 - u)/N
    assert same.se == pytest.approx(math.sqrt((1 / 9) * 0.7 * 0.3 / 10 + (4 / 9) * 0.65 * 0.35 / 20))
    perfect = of(measures.get("accuracy"), Counts(tp=9, fp=0, fn=0, tn=9), prevalence=0.1)
    assert perfect.high == 1.0 and perfect.low < 0.95


# ---- a whole matrix and averages ----


def test_accuracy_of_a_matrix_is_a_proportion() -> None:
    assert limits(of_matrix(measures.get("accuracy"), IRIS)) == pytest.approx(limits(proportion(22, 30)))
    wrong = of_matrix(measures.get("error_rate"), IRIS)
    assert limits(wrong) == pytest.approx(limits(proportion(8, 30)))


# a maximum of margins has a kink where its two forms may take the slope of different sides
BOTH = [
    one
    for one in CATALOGUE
    if one.matrix is not None and one.formula is not None and "max" not in one.text and "min" not in one.text
]


@pytest.mark.parametrize("measure", BOTH, ids=lambda one: one.name)
def test_at_two_classes_the_matrix_gives_what_the_counts_give(measure: Measure) -> None:
    m = Confusion.from_matrix([[9, 4], [6, 13]], labels=["yes", "no"])
    a, b = of(measure, m.of("yes"), method="delta"), of_matrix(measure, m, method="delta")
    assert limits(b) == pytest.approx(limits(a), rel=1e-9, abs=1e-9, nan_ok=True)


def test_micro_f1_is_the_accuracy() -> None:
    for name in ("f1", "precision", "recall"):
        assert limits(of_matrix(measures.get(name), IRIS, average="micro")) == pytest.approx(limits(proportion(22, 30)))
    specific = of_matrix(measures.get("specificity"), IRIS, average="micro")
    assert specific.low < IRIS.micro("specificity") < specific.high


@pytest.mark.parametrize("how", ["macro", "weighted"])
@pytest.mark.parametrize("name", ["f1", "precision", "mcc", "recall"])
def test_averages_vary_as_resampled_tables_do(how: str, name: str) -> None:
    """The delta method's standard error beside that of multinomial resamples of a larger table."""
    cells = np.array([[80, 15, 5], [10, 60, 30], [5, 25, 70]])
    m = Confusion.from_matrix(cells)
    found = of_matrix(measures.get(name), m, average=how)
    draws = np.random.default_rng(3).multinomial(300, cells.ravel() / 300, 1500).reshape(-1, 3, 3)
    values = [getattr(Confusion.from_matrix(draw), how)(name) for draw in draws]
    assert found.value == getattr(m, how)(name)
    assert found.se == pytest.approx(np.std(values), rel=0.08)


def macro_f1_by_hand(cells: np.ndarray, z: float = 1.959963984540054) -> tuple[float, float]:
    """METHODS 12.6 for counts with all classes seen, in plain loops."""
    k = len(cells)
    tp, u, size = [], [], []
    for i in range(k):
        tp.append(cells[i, i])
        u.append(cells[i].sum() + cells[:, i].sum() - cells[i, i])
        size.append(u[i] + tp[i])
    q = [a / b for a, b in zip(tp, u, strict=True)]
    f = [2 * x / (1 + x) for x in q]
    s = [math.sqrt(4 * tp[i] * (1 - f[i]) ** 2 + (u[i] - tp[i]) * f[i] ** 2) / size[i] for i in range(k)]
    mean = sum(f) / k
    wilson = [proportion(a, b) for a, b in zip(tp, u, strict=True)]
    down = [f[i] - 2 * wilson[i].low / (1 + wilson[i].low) for i in range(k)]
    up = [2 * wilson[i].high / (1 + wilson[i].high) - f[i] for i in range(k)]
    tame = [(tp[i] + sum(q) / k) / (u[i] + 1) for i in range(k)]
    spread = [2 / (1 + t) ** 2 * math.sqrt(t * (1 - t) / n) for t, n in zip(tame, u, strict=True)]
    below = above = variance = 0.0
    for i in range(k):
        for j in range(k):
            r = f[i] * f[j] * (cells[i, j] + cells[j, i]) / (size[i] * size[j] * s[i] * s[j]) if i != j else 1.0
            below, above = below + r * down[i] * down[j], above + r * up[i] * up[j]
            variance += r * spread[i] * spread[j] / k**2
    soft = [2 * t / (1 + t) for t in tame]
    middle = mean + sum(x * (1 - x) / n for x, n in zip(soft, size, strict=True)) / k
    cases = min(middle * (1 - middle) / variance, 3 * k**2 / sum(1 / n for n in u))
    whole = proportion(middle * cases, cases)
    return min(mean - math.sqrt(below) / k, whole.low), max(mean + math.sqrt(above) / k, whole.high)


def test_macro_f1_by_hand() -> None:
    for cells in ([[80, 15, 5], [10, 60, 30], [5, 25, 70]], [[10, 1, 0], [2, 7, 3], [1, 5, 5]], [[3, 1], [1, 40]]):
        found = of_matrix(measures.get("f1"), Confusion.from_matrix(cells), average="macro")
        assert (found.low, found.high) == pytest.approx(macro_f1_by_hand(np.array(cells)))


def test_a_class_never_seen_widens_a_macro_average() -> None:
    seen = np.array([[20, 3], [4, 25]])
    more = np.zeros((3, 3), dtype=int)
    more[:2, :2] = seen
    for name in ("f1", "precision", "recall"):
        macro = [of_matrix(measures.get(name), Confusion.from_matrix(one), average="macro") for one in (seen, more)]
        two, three = macro
        assert two.value == three.value and three.low < two.low - 0.05 and three.high >= two.high
        assert "1 of 3 classes" in three.why and not two.why


def test_macro_averages_cover_where_a_class_is_rare() -> None:
    """Five classes, the rarest 3 % of 200 cases: the delta method covered 0.84 (F1) and 0.66 (precision)."""
    shares, n, generator = np.array([0.4, 0.3, 0.17, 0.1, 0.03]), 200, np.random.default_rng(5)
    chances = 0.7 * np.diag(shares) + 0.3 * np.outer(shares, shares)
    truth = Confusion.from_matrix(np.round(chances * 10**9).astype(np.int64))
    draws = generator.multinomial(n, chances.ravel(), 300).reshape(-1, 5, 5)
    for name, least in (("f1", 0.92), ("precision", 0.90), ("recall", 0.90)):
        target = truth.macro(name)
        found = [of_matrix(measures.get(name), Confusion.from_matrix(draw), average="macro") for draw in draws]
        assert np.mean([one.low <= target <= one.high for one in found]) >= least, name


def test_macro_f1_stays_inside_where_wald_does_not() -> None:
    small = Confusion.from_matrix([[2, 0, 0], [0, 1, 1], [0, 0, 2]])
    for how in ("macro", "weighted", "micro"):
        found = of_matrix(measures.get("f1"), small, average=how)
        assert 0 <= found.low < found.value < found.high <= 1
    perfect = of_matrix(measures.get("f1"), Confusion.from_matrix(np.diag([50, 50, 50])), average="macro")
    assert perfect.high == 1.0 and 0.9 < perfect.low < 0.99


def test_a_class_without_a_value_is_named() -> None:
    m = Confusion.from_matrix([[5, 1, 0], [2, 6, 0], [1, 1, 0]], labels=["a", "b", "never"])
    found = of_matrix(measures.get("precision"), m, average="macro")
    assert found.value == m.macro("precision") and "without never" in found.why and found.low < found.high
    nothing = of_matrix(measures.get("kappa"), Confusion.from_matrix([[5, 0], [0, 0]]))
    assert math.isnan(nothing.value) and nothing.why
    with pytest.raises(RocscopeError, match="average="):
        of_matrix(measures.get("precision"), m)


def test_weighted_matrices() -> None:
    y, guess = ["a", "b", "c", "a", "b", "c", "a"], ["a", "b", "b", "a", "c", "c", "b"]
    w = [1.0, 2.0, 1.0, 3.0, 1.0, 1.0, 2.0]
    plain = Confusion.from_labels(y, guess)
    ones, uneven = (Confusion.from_labels(y, guess, weights=v) for v in ([4.0] * 7, w))
    for name in ("accuracy", "kappa"):
        same = of_matrix(measures.get(name), ones)
        assert limits(same) == pytest.approx(limits(of_matrix(measures.get(name), plain)))
    effective = sum(w) ** 2 / sum(x * x for x in w)
    assert limits(of_matrix(measures.get("accuracy"), uneven)) == pytest.approx(
        limits(proportion(7 / 11 * effective, effective))
    )
    assert of_matrix(measures.get("f1"), uneven, average="macro", method="jeffreys").high <= 1


def test_npv_at_another_prevalence_has_the_limits_of_predictive_values() -> None:
    """The measure by any of its names: the method of predictive values, as for precision."""
    counts = Counts(tp=70, fp=20, fn=30, tn=180)
    for name in ("npv", "negative_predictive_value"):
        found = of(measures.get(name), counts, prevalence=0.1)
        expected = predictive_value(70, 20, 30, 180, prevalence=0.1, kind="negative")
        assert (found.value, found.low, found.high) == (expected.value, expected.low, expected.high)


def test_sums_of_float_cells_do_not_depend_on_the_hash_of_names() -> None:
    """Sets of names have another order in every process; the last bit of a sum of weights would follow it."""
    code = (
        "from rocscope import Counts, measures; from rocscope.estimate import of;"
        "c = Counts(tp=0.1, fp=0.7, fn=0.3, tn=1e9 / 3);"
        "e = [of(measures.get(n), c, prevalence=p) for n in ('accuracy', 'f1', 'mcc', 'npv') for p in (None, 0.2)];"
        "print([(x.value.hex(), x.low.hex(), x.high.hex()) for x in e])"
    )
    seen = set()
    for seed in ("0", "1", "2", "3"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        seen.add(done.stdout)
    assert len(seen) == 1


@pytest.mark.parametrize(
    "cells", [(14, 0, 0, 5), (10, 1, 10, 1), (0, 3, 0, 3), (8, 8, 1, 1), (7, 12, 1, 0), (0, 7, 1, 16)]
)
@pytest.mark.parametrize("name", ["pearson_c", "lambda_a", "lambda_b", "conditional_entropy", "equivocation"])
def test_no_width_is_no_certainty(name: str, cells: tuple[int, int, int, int]) -> None:
    """At the top of a measure its slopes are 0 but for rounding, and lambda has steps: limits, or a reason."""
    found = Counts(*cells).estimate(name)
    assert found.low < found.high or (math.isnan(found.low) and found.why), found


@pytest.mark.parametrize("name", ["precision", "npv", "f1", "mcc", "accuracy", "kappa", "jaccard"])
@pytest.mark.parametrize("cells", [(14, 9, 6, 31), (20, 9, 0, 31), (3, 1, 2, 90)])
def test_at_another_prevalence_the_two_rates_vary_as_binomials(name: str, cells: tuple[int, ...]) -> None:
    """By the numerical slopes of the measure along the two rates; with half a case more in each cell at an end."""
    prevalence, measure = 0.1, measures.get(name)
    found = of(measure, Counts(*cells), prevalence=prevalence)

    def value(tpr: float, fpr: float) -> float:
        shares = {"tp": prevalence * tpr, "fn": prevalence * (1 - tpr),
                  "fp": (1 - prevalence) * fpr, "tn": (1 - prevalence) * (1 - fpr)}  # fmt: skip
        return float(measure.value(shares))

    def spread(tp: float, fp: float, fn: float, tn: float) -> float:
        tpr, fpr, step = tp / (tp + fn), fp / (fp + tn), 1e-6
        by_hit = (value(tpr + step, fpr) - value(tpr - step, fpr)) / (2 * step)
        by_alarm = (value(tpr, fpr + step) - value(tpr, fpr - step)) / (2 * step)
        return by_hit**2 * tpr * (1 - tpr) / (tp + fn) + by_alarm**2 * fpr * (1 - fpr) / (fp + tn)

    tp, fp, fn, tn = cells
    at_end = name == "npv" and fn == 0
    assert found.value == pytest.approx(value(tp / (tp + fn), fp / (fp + tn)))
    if found.method == "delta, rates by class":
        wanted = spread(*(cell + 0.5 for cell in cells)) if at_end else spread(*cells)
        assert found.se**2 == pytest.approx(wanted, rel=1e-5)
    assert found.low < found.value <= found.high
