"""Differences over folds and repetitions: the training sets overlap, so the plain t-test is overconfident."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate
from rocscope.numbers import (
    checked_level,
    fisher_above,
    normal_quantile,
    student_above,
    student_quantile,
    student_two_sided,
)
from rocscope.significance.declared_tests import DISJOINT_PARTS, FOLDS, FOLDS_AND_SIZES, HALVES, ON_CASES, difference
from rocscope.significance.equivalence import Posterior, checked_margin
from rocscope.significance.inputs import ALL_ZERO, Array, vector

SAME = 1e-9  # relative tolerance within which differences are equal, because a - b is rounded
NAIVE = "folds share training cases, so this is overconfident; use corrected_t"


@difference(
    "5x2-t",
    takes=HALVES,
    says="do two learners differ, from five repetitions of two-fold cross-validation",
    cite="Dietterich, Neural Comput 1998;10:1895-1923",
)
def t_5x2(diffs: Any, *, level: float = 0.95) -> Estimate:
    """Dietterich's test on the differences of five repetitions of two-fold cross-validation (5 rows of 2).

    t = p_1^(1) / sqrt(mean of s_i²) with 5 degrees of freedom, where s_i² = Σ_j (p_i^(j) - mean)². The value is the
    mean of the ten differences, with limits of half-width t sqrt(mean s_i²): wider than the mean requires, because the
    mean of ten differences varies less than the single difference in the numerator of t. Reference: Dietterich, Neural
    Comput 1998;10:1895-1923.

    >>> print(t_5x2([[.03, .01], [.02, .04], [0, .02], [.05, .01], [.01, .02]]))
    0.021 [−0.023, 0.065] p = 0.14
    """
    rows, level = _five_by_two(diffs), checked_level(level)
    if _halves_agree(rows):
        return _sign_flip(rows.mean(axis=1), math.copysign(math.inf, rows[0, 0]), level, "5x2cv t")
    scale = math.sqrt(_halves_variance(rows).mean())
    t = float(rows[0, 0]) / scale
    return _around_mean(rows, t, student_two_sided(t, 5), scale, level, "5x2cv t")


@difference(
    "5x2-f",
    takes=HALVES,
    says="like 5x2-t, but based on all ten differences; the better default",
    cite="Alpaydin, Neural Comput 1999;11:1885-1892",
)
def f_5x2(diffs: Any, *, level: float = 0.95) -> Estimate:
    """Alpaydin's combined test on the differences of five repetitions of two-fold cross-validation.

    F = ΣΣ (p_i^(j))² / (2 Σ s_i²) with (10, 5) degrees of freedom. The value and the limits are as in `t_5x2`.
    Reference: Alpaydin, Neural Comput 1999;11:1885-1892.

    >>> round(f_5x2([[.03, .01], [.02, .04], [0, .02], [.05, .01], [.01, .02]]).p, 6)
    0.193042
    """
    rows, level = _five_by_two(diffs), checked_level(level)
    if _halves_agree(rows):
        return _sign_flip(rows.mean(axis=1), math.inf, level, "5x2cv F")
    variance = _halves_variance(rows)
    f = float((rows * rows).sum() / (2 * variance.sum()))
    scale = math.sqrt(variance.mean())
    return _around_mean(rows, f, fisher_above(f, 10, 5), scale, level, "5x2cv F", df=(10.0, 5.0))


def _five_by_two(diffs: Any) -> Array:
    try:
        shape = np.shape(diffs)
    except ValueError:
        shape = ()
    if shape != (5, 2):
        hint = "Give one row per repetition, with the difference on each half"
        raise RocscopeError(f"diffs must be 5 rows of 2 numbers, not shape {shape}", hint=hint)
    return vector("diffs", diffs).reshape(5, 2)


def _halves_variance(rows: Array) -> Array:
    # for two numbers, the squared deviations from their mean sum to half the squared difference
    return (rows[:, 0] - rows[:, 1]) ** 2 / 2


def _halves_agree(rows: Array) -> bool:
    return bool(np.abs(rows[:, 0] - rows[:, 1]).max() <= SAME * np.abs(rows).max())


def _around_mean(
    rows: Array,
    statistic: float,
    p: float,
    scale: float,
    level: float,
    method: str,
    df: float | tuple[float, float] = 5.0,
) -> Estimate:
    value, half = float(rows.mean()), student_quantile(level, 5) * scale
    return Estimate(value, value - half, value + half, level, method, "", p, statistic, df, scale)


def _sign_flip(means: Array, statistic: float, level: float, method: str, note: str = "") -> Estimate:
    """The answer without any spread inside replications: the signs of their means, flipped in every way."""
    value = float(means.mean())
    if not means.any():
        return Estimate(0.0, level=level, method=method, why=ALL_ZERO, p=1.0, statistic=0.0)
    why = f"the differences do not vary; p comes from flipping {len(means)} signs{note}"
    if len(means) == 1:
        why = "a single difference does not show its variation"
    p = _sign_flip_p(means)
    return Estimate(value, level=level, method=method, why=why, p=p, statistic=statistic)


def _sign_flip_p(means: Array) -> float:
    """The share of sign patterns whose sum is as far from 0 as the one seen; 2^(1-R) for R equal means."""
    if np.ptp(means) <= SAME * np.abs(means).max():
        return max(2.0 ** (1 - len(means)), math.ulp(0.0))
    signs = np.array(list(itertools.product((1, -1), repeat=len(means))))
    sums = np.abs(signs @ means)
    return float((sums >= abs(means.sum()) * (1 - SAME)).mean())


@difference(
    "corrected-t",
    takes=FOLDS_AND_SIZES,
    says="do two learners differ, from k-fold or repeated cross-validation",
    cite="Nadeau & Bengio, Mach Learn 2003;52:239-281",
)
def corrected_t(diffs: Any, train: Any, test: Any, *, level: float = 0.95, df: float | None = None) -> Estimate:
    """The mean of J fold differences with the t-test that allows for overlapping training sets.

    t = mean / sqrt((1/J + n_test/n_train) s²) with J - 1 degrees of freedom; give the sizes of one training and one
    test set, or all of them. The differences may be a table of repetitions x folds. `df` sets fewer degrees of freedom,
    because repetitions on few cases carry less information than the same number of folds. Reference: Nadeau & Bengio,
    Mach Learn 2003;52:239-281; for repeated folds Bouckaert & Frank, PAKDD 2004.

    >>> print(corrected_t([.02, .01, .03, 0, .02, .04, .01, .02, .03, .02], 90, 10))
    0.020 [0.008, 0.032] p = 0.004
    """
    values, level = vector("diffs", diffs), checked_level(level)
    if df is not None and not df > 0:
        raise RocscopeError(
            f"df must be a positive number of degrees of freedom, not {df!r}", hint="Leave it out to use folds - 1"
        )
    return _t_test(values, _overlap(values, train, test), level, "corrected t (Nadeau-Bengio)", most=df)


FEW_FREEDOM = 5  # degrees of freedom of Dietterich's 5x2cv t test, for any number of repetitions


@difference(
    "corrected-t5",
    takes=FOLDS_AND_SIZES,
    says="like corrected-t, with 5 degrees of freedom; for repetitions and halves with few cases",
    cite="Nadeau & Bengio, Mach Learn 2003;52:239-281; Dietterich, Neural Comput 1998;10:1895-1923",
)
def corrected_t5(diffs: Any, train: Any, test: Any, *, level: float = 0.95) -> Estimate:
    """The corrected t-test with at most 5 degrees of freedom: with few cases, repetitions add little.

    Reference: Nadeau & Bengio, Mach Learn 2003;52:239-281; the degrees of freedom are those of `t_5x2`.

    >>> print(corrected_t5([.02, .01, .03, 0, .02, .04, .01, .02, .03, .02], 90, 10))
    0.020 [0.006, 0.034] p = 0.013
    """
    return corrected_t(diffs, train, test, level=level, df=FEW_FREEDOM)


@difference(
    "independent-t",
    takes=DISJOINT_PARTS,
    says="the paired t-test over parts of the data that share no cases",
    cite="Dietterich, Neural Comput 1998;10:1895-1923",
)
def independent_t(diffs: Any, *, level: float = 0.95) -> Estimate:
    """The paired t-test over parts that share no cases, so that their differences are independent.

    t = mean / sqrt(s²/J) with J - 1 degrees of freedom. Reference: Dietterich, Neural Comput 1998;10:1895-1923.

    >>> round(independent_t([.02, .01, .03, 0, .02]).p, 4)
    0.0349
    """
    values, level = vector("diffs", diffs), checked_level(level)
    return _t_test(values, 0.0, level, "paired t, independent parts")


@difference(
    "naive-t",
    takes=FOLDS,
    says="the plain paired t-test over folds, as if the folds were independent",
    cite="Dietterich, Neural Comput 1998;10:1895-1923",
    caveat=NAIVE,
)
def naive_t(diffs: Any, *, level: float = 0.95) -> Estimate:
    """The paired t-test over folds as if they were independent, which they are not, as its `why` says.

    t = mean / sqrt(s²/J) with J - 1 degrees of freedom.
    Reference: Dietterich, Neural Comput 1998;10:1895-1923 (which reports its error rates).

    >>> naive_t([.02, .01, .03, 0, .02, .04, .01, .02, .03, .02]).why
    'folds share training cases, so this is overconfident; use corrected_t'
    """
    values, level = vector("diffs", diffs), checked_level(level)
    return _t_test(values, 0.0, level, "naive t", caveat=NAIVE)


def _t_test(
    values: Array, overlap: float, level: float, method: str, caveat: str = "", most: float | None = None
) -> Estimate:
    count = len(values)
    if _all_equal(values):
        note = ", as if folds were independent"
        statistic = math.copysign(math.inf, values[0]) if count > 1 else math.nan
        return _sign_flip(values, statistic, level, method, note)
    mean, se = float(values.mean()), _corrected_se(values, overlap)
    df = count - 1.0 if most is None else min(count - 1.0, float(most))
    t, half = mean / se, student_quantile(level, df) * se
    return Estimate(mean, mean - half, mean + half, level, method, caveat, student_two_sided(t, df), t, df, se)


def _all_equal(values: Array) -> bool:
    return bool(np.ptp(values) <= SAME * np.abs(values).max())


def _corrected_se(values: Array, overlap: float) -> float:
    return math.sqrt((1 / len(values) + overlap) * float(values.var(ddof=1)))


def _overlap(values: Array, train: Any, test: Any) -> float:
    """The ratio n_test/n_train, refused for leave-one-out, whose single-case differences it does not fit."""
    sizes = {"train": vector("train", np.atleast_1d(train)), "test": vector("test", np.atleast_1d(test))}
    for name, given in sizes.items():
        if len(given) not in (1, len(values)):
            raise RocscopeError(f"{name} has {len(given)} sizes, but there are {len(values)} differences")
        if given.min() <= 0:
            raise RocscopeError(f"{name} must be a number of cases, 1 or more, not {given.min():g}")
    train_size, test_size = float(sizes["train"].mean()), float(sizes["test"].mean())
    if test_size == 1 and len(values) == train_size + 1:
        hint = "Use a paired test on the cases: significance.mcnemar"
        raise RocscopeError("corrected_t does not apply to leave-one-out", hint=hint)
    return test_size / train_size


@difference(
    "corrected-cases",
    takes=ON_CASES,
    says="do two learners (not only two fitted models) differ, from a holdout or leave-one-out with few cases",
    cite="Nadeau & Bengio, Mach Learn 2003;52:239-281, for one difference on pooled cases",
)
def corrected_cases(found: Estimate, trained: float, tested: float) -> Estimate:
    """A difference on the same cases, as from `delong`, widened to allow for other training sets.

    Tests on cases allow only for other test cases. se = h/z sqrt(1 + tested/trained), where h is the larger half of the
    interval and z its normal quantile; t = value/se with tested - 1 degrees of freedom gives the p-value and limits
    within [-1, 1]. Leave-one-out (tested = trained + 1) about doubles the variance. Reference: Nadeau & Bengio, Mach
    Learn 2003;52:239-281, here applied to the single difference over all tested cases.

    >>> from rocscope import significance
    >>> y = [1, 1, 0, 1, 1, 0, 1, 0, 0, 0]
    >>> a = [0.95, 0.9, 0.8, 0.7, 0.65, 0.6, 0.5, 0.4, 0.3, 0.1]
    >>> print(corrected_cases(significance.delong(y, a, a[::-1]), 9, 10))
    0.68 [−0.23, 1.00] p = 0.13
    """
    if not (trained > 0 and tested > 1):
        raise RocscopeError(f"at least 2 tested cases and 1 training case are required, not {tested:g} and {trained:g}")
    half = max(found.value - found.low, found.high - found.value)
    if not half > 0:  # identical rankings, or no limits: nothing to widen
        return found
    se = half / normal_quantile(found.level) * math.sqrt(1 + tested / trained)
    t, df = found.value / se, tested - 1.0
    wide = student_quantile(found.level, df) * se
    limits = max(-1.0, found.value - wide), min(1.0, found.value + wide)
    p, method = student_two_sided(t, df), f"{found.method.split(',')[0]}, corrected for training (Nadeau-Bengio)"
    return Estimate(found.value, *limits, found.level, method, "", p, t, df, se)


@difference(
    "bayesian-t",
    takes="fold differences, train and test sizes, rope",
    says="how likely is it that the first model is worse, practically equal or better",
    cite="Corani & Benavoli, Mach Learn 2015;100:285-304",
)
def bayesian_t(diffs: Any, train: Any, test: Any, *, rope: float, level: float = 0.95) -> Posterior:
    """The probabilities that one learner is worse than, practically equal to, or better than another, from fold
    differences.

    The posterior of the difference is Student's t with J - 1 degrees of freedom, centered on the mean, with the
    scale of `corrected_t`; [-rope, rope] is the region of practical equivalence, which you must give.
    Reference: Corani & Benavoli, Mach Learn 2015;100:285-304.

    >>> print(bayesian_t([.02, .01, .03, 0, .02, .04, .01, .02, .03, .02], 90, 10, rope=0.01))
    worse 0.00, equivalent (within 0.01) 0.05, better 0.95
    """
    estimate = corrected_t(diffs, train, test, level=level)
    margin, method = checked_margin("rope", rope, zero=True), "Bayesian correlated t"
    if estimate.se is None:
        return _point_posterior(estimate, margin, method)
    mean, se, df = estimate.value, estimate.se, len(vector("diffs", diffs)) - 1
    left = student_above((mean + margin) / se, df)
    right = student_above((margin - mean) / se, df)
    return Posterior(left, max(0.0, 1 - left - right), right, margin, estimate, method)


def _point_posterior(estimate: Estimate, margin: float, method: str) -> Posterior:
    """All differences 0 is equivalence as far as was seen; all equal and not 0 says nothing about spread."""
    if estimate.value == 0:
        return Posterior(0.0, 1.0, 0.0, margin, estimate, method, ALL_ZERO)
    why = "the differences do not vary, so the posterior would be a point, which would suggest certainty"
    return Posterior(math.nan, math.nan, math.nan, margin, estimate, method, why)
