"""Comparison of areas under ROC curves: DeLong's paired, unpaired and joint tests, with intervals within their
range.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from rocscope import curves
from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate, find, interval, undefined
from rocscope.intervals import (
    EffectiveSizes,
    PairedCases,
    area_covariance,
    auc_slopes,
    clusters_of,
    effective_sizes,
    linear_variance,
    newcombe_variance,
    score_limits,
    statistic_of,
)
from rocscope.numbers import (
    checked_level,
    chi2_above,
    fisher_above,
    normal_quantile,
    normal_two_sided,
    student_quantile,
)
from rocscope.significance.declared_tests import TWO_SCORES, difference
from rocscope.significance.inputs import Array, compared, p_value, side_of, two_samples
from rocscope.significance.multiplicity import degrees_of_freedom
from rocscope.significance.permutation import rank_swap_p
from rocscope.table import ScoreTable

MOST_PAIRED = 100  # beyond this many models, each is paired with the first: all are equal if all equal the first
KEPT = 1e-10  # share of the largest eigenvalue below which a direction is treated as having no variance
UNCORRECTED = "p is DeLong's own, uncorrected for few cases; the limits use a larger variance and include 0"
SWAPPED = "DeLong's variance of the difference is 0; p comes from the rank-swap permutation test"


@difference(
    "delong",
    takes=f"{TWO_SCORES}, or two tables",
    says="do two models have the same area under the ROC curve",
    cite="DeLong, DeLong & Clarke-Pearson, Biometrics 1988;44:837-845",
)
def delong(
    y: Any,
    a: Any,
    b: Any = None,
    *,
    paired: bool = True,
    alternative: str = "two-sided",
    interval: str = "floored",
    clusters: Any = None,
    weights: Any = None,
    level: float = 0.95,
    positive: Any = None,
    higher_is_positive: bool = True,
) -> Estimate:
    """The difference between two AUCs, first minus second, with DeLong's test and an interval within [-1, 1].

    For scores on the same cases, call delong(y, a, b); `statistic` is z = d/sqrt(v), where v is the variance of the
    differences of placement values. The limits are d ± z sqrt(max(v, f)) with a floor f from the areas and class sizes
    ("floored"), so that few cases do not look certain, and `se` is that square root. With few cases, tests of
    equivalence use a larger standard error (`se_on_scale`). The interval "delong" has no floor. Identical rankings give
    a difference of 0, limits [0, 0] and p = 1; if the variance is 0 but the difference is not, the p-value comes from
    the rank-swap permutation test. The p-value is DeLong's own, as other software prints it; with few cases, it can be
    small even though the limits include 0 (`why` says so), and `compare` uses the limits. `alternative="greater"` tests
    whether the first AUC is larger. With `clusters`, placement values are summed by cluster (Obuchowski), and the
    limits use Student's t for the number of clusters; with sampling `weights`, placement values are weighted. For two
    samples, call delong(ta, tb, paired=False); the variances are added, and t has Welch's degrees of freedom.
    Reference: DeLong, DeLong & Clarke-Pearson, Biometrics 1988;44:837-845.

    >>> y = [1, 1, 0, 1, 1, 0, 1, 0, 0, 0]
    >>> a = [0.95, 0.9, 0.8, 0.7, 0.65, 0.6, 0.5, 0.4, 0.3, 0.1]
    >>> print(delong(y, a, a[::-1]))
    0.68 [0.14, 1.00] p = 0.014
    >>> print(delong(y, a, [2 * x + 1 for x in a]))
    0.000 [0.000, 0.000] p = 1.00
    """
    level = checked_level(level)
    side_of(alternative)
    find(interval, fits="auc difference")
    if isinstance(y, ScoreTable):
        return _unpaired(y, two_samples(y, a, b, paired=paired, test="delong"), alternative, interval, level)
    if b is None:
        raise RocscopeError("give two score vectors", hint="delong(y, a, b), or delong(ta, tb, paired=False)")
    rows = PairedCases.of(y, [a, b], positive=positive, higher_is_positive=higher_is_positive, weights=weights)
    if not paired:
        if clusters is not None:
            raise RocscopeError("clusters can be used only for models on the same cases", hint="Leave paired=False out")
        return _unpaired(rows.table(0), rows.table(1), alternative, interval, level)
    groups = None if clusters is None else clusters_of(clusters, len(rows))
    return _paired(rows, groups, alternative, interval, level)


# ---- paired: the same cases ----


def _paired(
    pair: PairedCases, groups: tuple[Array, int] | None, alternative: str, interval: str, level: float
) -> Estimate:
    ta, tb = pair.table(0), pair.table(1)
    if (stop := compared(pair, statistic_of("auc"), level, "delong")[1]) is not None:
        return stop if math.isnan(stop.value) else replace(stop, se=0.0)
    spread, gap = area_covariance(pair, groups), _gap(ta, tb)
    freed = float(spread[0, 0] + spread[1, 1] - 2 * spread[0, 1])
    seen = freed > KEPT * float(spread[0, 0] + spread[1, 1])
    low, high = find(interval, fits="auc difference").limits(ta, tb, spread, gap, freed if seen else 0.0, level)
    errors = _errors(ta, tb, spread, freed if seen else 0.0, interval, level)
    if groups is not None and groups[1] > 1:
        wider = student_quantile(level, groups[1] - 1) / normal_quantile(level)
        low, high = max(-1.0, gap - wider * (gap - low)), min(1.0, gap + wider * (high - gap))
        errors |= {"se_on_scale": wider * errors["se_on_scale"]} if "se_on_scale" in errors else {}
    if seen:
        z = gap / math.sqrt(freed)
        p = p_value(z, alternative)
        apart = alternative == "two-sided" and p <= 1 - level and low <= 0 <= high
        why = UNCORRECTED if apart else ""
        return Estimate(gap, low, high, level, "delong", why, p, z, **errors)
    known = not math.isnan(freed)
    errors = errors if known else {}
    reason = SWAPPED if known else "a class has a single case or cluster; p comes from the rank-swap permutation test"
    if gap == 0:
        why = "no difference was observed" if known else f"no difference was observed; {reason}"
        return Estimate(0.0, low, high, level, "delong", why, 1.0, 0.0, **errors)
    p = rank_swap_p(pair, clusters=groups, alternative=alternative)
    return Estimate(gap, low, high, level, "delong, rank swap", reason, p, **errors)


def _errors(
    first: ScoreTable, second: ScoreTable, spread: Array, freed: float, interval: str, level: float
) -> dict[str, Any]:
    """The standard error that the limits rest on, and the one for tests at a margin.

    The first is no less than the floor, the second no less than with areas further apart, unless DeLong's was asked
    for.
    """
    if interval != "floored":
        return {"se": math.sqrt(freed)}
    near = max(freed, _floor(first, second, spread, level))
    apart = max(near, _further_apart(first, second, spread, near))
    return {"se": math.sqrt(near), "se_scale": "margin", "se_on_scale": math.sqrt(apart)}


def _further_apart(first: ScoreTable, second: ScoreTable, spread: Array, variance: float) -> float:
    """The variance of the difference if it were larger by 1.64 standard errors, half of them in each area.

    Samples in which two unequal models seem close have a small variance: the better model's area is low by chance, but
    that of the other is high. A test of equivalence that uses their variance calls models at the margin equivalent in
    up to 8 % of samples, and in at most 6 % with this one. Each area's variance is multiplied by the ratio of
    Newcombe's.
    """
    own = [float(spread[0, 0]), float(spread[1, 1])]
    if not min(own) > 0:
        return 0.0
    correlation = max(0.0, float(spread[0, 1]) / math.sqrt(own[0] * own[1]))
    step, variances = normal_quantile(0.9) * math.sqrt(variance) / 2, []
    for steps in ((step, -step), (-step, step)):
        a, b = (v * _moved_variance(table, move) for v, table, move in zip(own, (first, second), steps, strict=True))
        variances.append(a + b - 2 * correlation * math.sqrt(a * b))
    return max(variances)


def _moved_variance(table: ScoreTable, step: float) -> float:
    """Newcombe's variance at an area moved by a step, relative to that at the area; both half a case from 0 and 1."""
    size, area = effective_sizes(table), curves.auc(table)
    end = 0.5 / min(size)
    moved, start = (newcombe_variance(min(max(a, end), 1 - end), size) for a in (area + step, area))
    return moved / start


def _gap(first: ScoreTable, second: ScoreTable) -> float:
    """The difference of two areas: of counts as one fraction, so that equal areas differ by 0 and not by rounding."""
    if first.exact and second.exact:
        return float(curves.exact("auc", first) - curves.exact("auc", second))
    gap = curves.auc(first) - curves.auc(second)
    return gap if abs(gap) > 1e-14 else 0.0


@interval(
    "floored",
    fits="auc difference",
    says="difference ± z standard errors, with a variance no smaller than the areas and class sizes suggest",
    cite="a variant of DeLong's interval; the floor uses Newcombe, Stat Med 2006;25:559-573, method 5",
)
def _floored(
    first: ScoreTable, second: ScoreTable, spread: Array, gap: float, freed: float, level: float
) -> tuple[float, float]:
    return _around(gap, max(freed, _floor(first, second, spread, level)), level)


@interval(
    "delong",
    fits="auc difference",
    says="difference ± z standard errors",
    cite="DeLong, DeLong & Clarke-Pearson, Biometrics 1988;44:837-845",
    caveat="covers less than its level with few cases or areas near 1",
)
def _wald(
    first: ScoreTable, second: ScoreTable, spread: Array, gap: float, freed: float, level: float
) -> tuple[float, float]:
    return _around(gap, freed, level) if freed > 0 else (math.nan, math.nan)


def _around(gap: float, spread: float, level: float) -> tuple[float, float]:
    half = normal_quantile(level) * math.sqrt(spread)
    return max(-1.0, gap - half), min(1.0, gap + half)


def _floor(first: ScoreTable, second: ScoreTable, spread: Array, level: float) -> float:
    """(1 - max(r, 0)) [V(m_a) + V(m_b)], V Newcombe's variance at the middles of the plain score intervals; never 0."""
    own = float(spread[0, 0]), float(spread[1, 1])
    both = own[0] * own[1]
    correlation = float(spread[0, 1]) / math.sqrt(both) if both > 0 else 0.0
    middles = [_middle_variance(curves.auc(table), effective_sizes(table), level) for table in (first, second)]
    # different rankings can share every placement: r is then 1 and the sample shows no variance, but another case could
    cases = sum(sum(effective_sizes(table)) for table in (first, second)) / 2
    most = 1 - 1 / cases if correlation > 1 - 1e-9 else 1.0
    return (1 - min(most, max(correlation, 0.0))) * sum(middles)


@lru_cache(maxsize=4096)  # every pair of many models needs those of its two
def _middle_variance(area: float, size: EffectiveSizes, level: float) -> float:
    """Newcombe's variance of an area at the middle of its plain score interval."""
    low, high = score_limits(area, size, level)
    return newcombe_variance((low + high) / 2, size)


def delong_of_tables(first: ScoreTable, second: ScoreTable, spread: Array, *, level: float = 0.95) -> Estimate:
    """`delong` on the same cases without the rows: from the tables of two models and the covariance of their areas.

    The limits are widened by the largest error that the cells of the tables can cause.
    """
    reason = next((why for table in (first, second) if (why := curves.get("auc").why(table))), "")
    if reason:
        return undefined(reason, level=level, method="delong")
    gap = curves.auc(first) - curves.auc(second)
    gap = gap if abs(gap) > 1e-14 else 0.0
    own = float(spread[0, 0] + spread[1, 1])
    freed = float(own - 2 * spread[0, 1])
    seen = freed > KEPT * own
    if not seen and gap == 0:
        return Estimate(
            0.0, 0.0, 0.0, level, "delong", "identical placement values, so there is no difference", 1.0, 0.0, se=0.0
        )
    low, high = _floored(first, second, spread, gap, freed if seen else 0.0, level)
    hidden = first.bound + second.bound
    estimate = Estimate(gap, max(-1.0, low - hidden), min(1.0, high + hidden), level, "delong")
    if not seen:
        return replace(estimate, why="DeLong's variance of the difference is 0, and a permutation test needs the rows")
    z = gap / math.sqrt(freed)
    return replace(
        estimate, p=normal_two_sided(z), statistic=z, **_errors(first, second, spread, freed, "floored", level)
    )


# ---- unpaired: two samples ----


def _unpaired(first: ScoreTable, second: ScoreTable, alternative: str, interval: str, level: float) -> Estimate:
    method = "delong, two samples"
    for table in (first, second):
        if reason := curves.get("auc").why(table):
            return undefined(reason, level=level, method=method)
    gap = curves.auc(first) - curves.auc(second)
    own = [linear_variance(table, auc_slopes, curves.auc(table)) for table in (first, second)]
    seen = sum(own) > 0
    spread = np.diag([v if v > 0 else 0.0 for v in own])
    known = find(interval, fits="auc difference").limits(first, second, spread, gap, sum(own) if seen else 0.0, level)
    limits: tuple[float, float] = known
    if not seen and gap == 0:
        return Estimate(0.0, *limits, level, method, "no difference was observed", 1.0, 0.0)
    if not seen:  # the test uses the lower bound of the variance, which is never 0
        se = math.sqrt(_floor(first, second, spread, level))
        z, why = gap / se, "DeLong's variance is 0 or unknown; p comes from the floor of the interval"
        return Estimate(gap, *limits, level, method, why, p_value(z, alternative), z, se=se)
    cases = [float(sum(t.rows) if t.weighted else t.positives + t.negatives) for t in (first, second)]
    df = sum(own) ** 2 / sum(v * v / (n - 1) for v, n in zip(own, cases, strict=True))
    t, errors = gap / math.sqrt(sum(own)), _errors(first, second, spread, sum(own), interval, level)
    return Estimate(gap, *limits, level, method, "", p_value(t, alternative, df), t, df, **errors)


# ---- several models ----


@difference(
    "joint-delong",
    takes="labels and the scores of several models",
    says="do several models all have the same area under the ROC curve",
    cite="DeLong, DeLong & Clarke-Pearson, Biometrics 1988;44:837-845",
)
def joint_delong(
    y: Any,
    models: Mapping[str, Any] | Sequence[Any],
    *,
    clusters: Any = None,
    weights: Any = None,
    level: float = 0.95,
    positive: Any = None,
    higher_is_positive: bool = True,
) -> Estimate:
    """Test whether several models on the same cases have the same AUC; the value is the largest difference (no limits).

    X² = Σ (e'd)²/λ over the eigenvectors e of the covariance of the k - 1 differences d, chi-square with one degree of
    freedom for each nonzero eigenvalue λ, so that a model that repeats another adds none. If there is a difference in a
    direction without variance, the p-value is the smallest of the pairwise rank-swap tests (with more than 100 models,
    of those against the first model), with Bonferroni's adjustment. With two models, X² is the square of the paired z.
    Reference: DeLong, DeLong & Clarke-Pearson, Biometrics 1988;44:837-845.

    >>> y = [1, 1, 0, 1, 1, 0, 1, 0, 0, 0]
    >>> a = [0.95, 0.9, 0.8, 0.7, 0.65, 0.6, 0.5, 0.4, 0.3, 0.1]
    >>> joint_delong(y, {"a": a, "reversed": a[::-1], "a again": [2 * x + 1 for x in a]}).df
    1.0
    """
    level, method = checked_level(level), "joint delong"
    rows = PairedCases.of(y, models, positive=positive, higher_is_positive=higher_is_positive, weights=weights)
    groups = None if clusters is None else clusters_of(clusters, len(rows))
    if len(rows.scores) < 2:
        raise RocscopeError("give at least two models", hint="joint_delong(y, {'a': ..., 'b': ...})")
    if not len(rows.positives) or not len(rows.negatives):
        return undefined(curves.get("auc").why(rows.table(0)), level=level, method=method)
    distinct = _distinct(rows)
    if len(distinct) == 1:
        why = "identical rankings, so there is no difference"
        return Estimate(0.0, level=level, method=method, why=why, p=1.0, statistic=0.0, df=0.0)
    areas = np.array([curves.auc(rows.table(model)) for model in range(len(rows.scores))])
    spread, gap = area_covariance(rows, groups), float(areas.max() - areas.min())
    if np.isnan(spread).any():
        reason = "a class with a single case or cluster"
        return _by_pairs(rows, groups, distinct, gap, (0.0, 0), level, reason)
    statistic, df, lost = quadratic_form(areas, spread)
    if lost:
        return _by_pairs(rows, groups, distinct, gap, (statistic, df), level, "a difference without variance")
    return _joint(gap, statistic, df, level)


def _joint(gap: float, statistic: float, df: int, level: float) -> Estimate:
    p, why = (float(chi2_above(statistic, df)), "") if df else (1.0, "no difference was observed")
    return Estimate(gap, level=level, method="joint delong", why=why, p=p, statistic=statistic, df=float(df))


def joint_delong_of_tables(tables: Sequence[ScoreTable], spread: Array, *, level: float = 0.95) -> Estimate:
    """`joint_delong` without the rows: from the tables of several models and the covariance of their areas."""
    reason = curves.get("auc").why(tables[0])
    if reason:
        return undefined(reason, level=level, method="joint delong")
    areas = np.array([curves.auc(table) for table in tables])
    gap, (statistic, df, lost) = float(areas.max() - areas.min()), quadratic_form(areas, spread)
    if lost:
        why = "the difference has no variance, and a permutation test needs the rows"
        return Estimate(gap, level=level, method="joint delong", why=why)
    return _joint(gap, statistic, df, level)


def with_few_cases(joint: Estimate, sizes: Sequence[float]) -> Estimate:
    """The joint test with a p-value from Hotelling's F, X² (v - q + 1)/(v q), for few cases.

    The chi-square of `joint_delong` treats the covariance as known: with 5 equal models, it finds a difference in 13 %
    of samples of 13 and 41 cases, and F does so in 4 %. v is Welch's degrees of freedom for the two class sizes, or the
    number of clusters minus 1. There is no p-value if there are too few cases for this many models.

    >>> p = [with_few_cases(Estimate(0.1, p=0.01, statistic=9.21, df=2.0, method="joint delong"), sizes).p
    ...      for sizes in ((10, 10), (10_000, 10_000))]
    >>> [round(one, 3) for one in p]
    [0.03, 0.01]
    """
    q = joint.df
    if joint.method != "joint delong" or not isinstance(q, float) or not q or joint.statistic is None:
        return joint
    v = degrees_of_freedom(sizes)
    if v - q + 1 <= 0:
        return replace(joint, p=None, why=f"too few cases to test {q + 1:.0f} models at once")
    p = fisher_above(joint.statistic * (v - q + 1) / (v * q), q, v - q + 1)
    return replace(joint, p=p, method="joint delong, hotelling")


def quadratic_form(areas: Array, spread: Array) -> tuple[float, int, bool]:
    """X² over the directions with variance, their number, and whether a difference lies in another direction."""
    contrast = np.eye(len(areas))[:-1] - np.eye(len(areas))[1:]
    gaps, covariance = contrast @ areas, contrast @ spread @ contrast.T
    values, vectors = np.linalg.eigh(covariance)
    along = vectors.T @ gaps
    kept = values > KEPT * max(float(values.max()), float(np.abs(spread).max()), 1e-300)
    lost = bool((np.abs(along[~kept]) > 1e-9).any())
    return float((along[kept] ** 2 / values[kept]).sum()), int(kept.sum()), lost


def _distinct(rows: PairedCases) -> list[int]:
    """The models whose rankings differ from all before them."""
    models: list[int] = []
    for model in range(len(rows.scores)):
        if not any(rows.same_ranking(model, other) for other in models):
            models.append(model)
    return models


def _by_pairs(
    rows: PairedCases,
    groups: tuple[Array, int] | None,
    distinct: list[int],
    gap: float,
    test: tuple[float, int],
    level: float,
    reason: str,
) -> Estimate:
    names = [rows.names[model] for model in distinct]
    many = len(names) > MOST_PAIRED
    pairs = [(names[0], name) for name in names[1:]] if many else list(combinations(names, 2))
    p = min(1.0, len(pairs) * min(rank_swap_p(rows.only(pair), clusters=groups) for pair in pairs))
    of_pairs = f"pairs with {names[0]}" if many else "pairs"
    why = f"{reason}: p by rank-swap permutation of {of_pairs}" + (", Bonferroni-adjusted" if len(pairs) > 1 else "")
    statistic, df = test
    return Estimate(gap, level=level, method="joint, rank swap", why=why, p=p, statistic=statistic, df=float(df))
