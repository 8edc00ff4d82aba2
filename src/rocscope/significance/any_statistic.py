"""Comparison of two models on the same cases by any statistic: paired bootstrap, swaps within cases."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from rocscope.estimate import Estimate
from rocscope.intervals import (
    PairedCases,
    Progress,
    Ranged,
    Statistic,
    StatisticSpec,
    ValueRange,
    check_replicates,
    clusters_of,
    distinct_places,
    from_replicates,
    joined_blocks,
    model_values,
    statistic_of,
)
from rocscope.numbers import (
    checked_level,
    normal_quantile,
    normal_two_sided,
    student_quantile,
    student_two_sided,
)
from rocscope.significance.declared_tests import TWO_SCORES, difference
from rocscope.significance.inputs import Array, compared, seeded, side_of, without_limits
from rocscope.significance.permutation import case_midranks, rank_swap_p
from rocscope.table import ScoreTable

BLOCK = 2**18


@difference(
    "bootstrap",
    takes=TWO_SCORES,
    says="do two models differ in any statistic, by resampling cases",
    cite="Efron & Tibshirani 1993, An Introduction to the Bootstrap, chapter 16",
)
def bootstrap_difference(
    y: Any,
    a: Any,
    b: Any,
    statistic: StatisticSpec = "auc",
    *,
    n: int = 2000,
    method: str = "percentile",
    alternative: str = "two-sided",
    clusters: Any = None,
    weights: Any = None,
    stratified: bool = True,
    seed: int = 0,
    level: float = 0.95,
    positive: Any = None,
    higher_is_positive: bool = True,
    progress: Progress | None = None,
    **options: Any,
) -> Estimate:
    """The difference between two models in a statistic, first minus second, by the paired bootstrap.

    `statistic` is as in `intervals.bootstrap` ("pr_area", "brier", a measure with `threshold=`, a function of a table).
    The limits are "percentile" or "basic"; the p-value is twice the smaller share of differences at or beyond 0,
    counted as (1 + k)/(1 + n), so that it is never 0. Models that agree on every case give 0, [0, 0] and p = 1.
    Reference: Efron & Tibshirani 1993, An Introduction to the Bootstrap, chapter 16.

    >>> y = [1, 1, 0, 1, 1, 0, 1, 0, 0, 0]
    >>> a = [0.95, 0.9, 0.8, 0.7, 0.65, 0.6, 0.5, 0.4, 0.3, 0.1]
    >>> print(bootstrap_difference(y, a, a[::-1], "brier", n=999))
    −0.30 [−0.56, −0.02] p = 0.042
    """
    level, spec = checked_level(level), statistic_of(statistic, **options)
    check_replicates(n, level)
    side_of(alternative)
    rows = PairedCases.of(y, [a, b], positive=positive, higher_is_positive=higher_is_positive, weights=weights)
    name = f"bootstrap {method}, paired"
    value, stop = compared(rows, spec, level, name)
    if stop is not None:
        return stop
    groups = None if clusters is None else clusters_of(clusters, len(rows))
    blocks = model_values(rows, spec, n, seed=seed, stratified=stratified, clusters=groups)
    gaps = joined_blocks((one - other for one, other in blocks), n, progress)
    return difference_of_replicates(spec, value, gaps, method=method, alternative=alternative, level=level)


def difference_of_replicates(
    found: Ranged,
    value: float,
    gaps: Array,
    *,
    method: str = "percentile",
    alternative: str = "two-sided",
    level: float = 0.95,
    cases: float | None = None,
) -> Estimate:
    """The difference in a statistic, with limits and a p-value from its differences in resamples of the same cases.

    Resamples of few cases vary too little. If `cases` gives the size of the smaller class (or the number of clusters),
    more extreme quantiles are used, just as Student's t is wider than the normal distribution, and the p-value is
    adjusted in the same way. Reference: Hesterberg, Am Stat 2015;69:371-386 (expanded percentile interval).
    """
    width, name = found.high - found.low, f"bootstrap {method}, paired"
    of_gap = ValueRange(f"difference of {found.name}", -width, width)
    if value == 0 and not np.any(gaps):
        why = "all decisions are the same on these cases; on other cases they may differ"
        return Estimate(0.0, level=level, method=name, why=why, p=1.0)
    p = _share_beyond(gaps[np.isfinite(gaps)], alternative)
    if cases is None or not cases > 2:
        return replace(from_replicates(of_gap, value, gaps, method=method, level=level), method=name, p=p)
    few = math.sqrt(cases / (cases - 1))
    farther = 1 - normal_two_sided(few * student_quantile(level, cases - 1))
    estimate = from_replicates(of_gap, value, gaps, method=method, level=farther)
    p = student_two_sided(normal_quantile(1 - p) / few, cases - 1) if p < 1 else 1.0
    return replace(estimate, level=level, method=f"{name}, expanded", p=p)


def _share_beyond(gaps: Array, alternative: str) -> float:
    under = (1 + int(np.count_nonzero(gaps <= 0))) / (1 + len(gaps))
    over = (1 + int(np.count_nonzero(gaps >= 0))) / (1 + len(gaps))
    if alternative == "two-sided":
        return min(1.0, 2 * min(under, over))
    return under if alternative == "greater" else over


# ---- permutation test: swaps within cases ----


@difference(
    "permutation",
    takes=TWO_SCORES,
    says="do two models differ in any statistic, by swapping them within cases",
    cite="Bandos, Rockette & Gur, Stat Med 2005;24:2873-2893",
)
def permutation_difference(
    y: Any,
    a: Any,
    b: Any,
    statistic: StatisticSpec = "auc",
    *,
    draws: int = 9_999,
    alternative: str = "two-sided",
    seed: int = 0,
    level: float = 0.95,
    positive: Any = None,
    higher_is_positive: bool = True,
    progress: Progress | None = None,
    **options: Any,
) -> Estimate:
    """The difference between two models in a statistic, tested by swapping the models within cases (no limits).

    Statistics of the ranking swap midranks, all others the scores themselves, which must then share one scale. All 2^n
    swaps are used if there are no more than `draws`, and random ones otherwise; the p-value is then (1 + number at
    least as extreme)/(1 + draws), which is never 0. Reference: Bandos, Rockette & Gur, Stat Med 2005;24:2873-2893.

    >>> y = [1, 1, 0, 1, 1, 0, 1, 0, 0, 0]
    >>> a = [0.95, 0.9, 0.8, 0.7, 0.65, 0.6, 0.5, 0.4, 0.3, 0.1]
    >>> print(permutation_difference(y, a, a[::-1], "pr_area"))
    0.501 p = 0.068
    """
    level, spec, side = checked_level(level), statistic_of(statistic, **options), side_of(alternative)
    rows = PairedCases.of(y, [a, b], positive=positive, higher_is_positive=higher_is_positive)
    name = "permutation"
    gap, stop = compared(rows, spec, level, name)
    if stop is not None:
        return without_limits(stop)
    if spec.name == "auc":
        p = rank_swap_p(rows, alternative=alternative, draws=draws, seed=seed)
        return Estimate(gap, level=level, method=name, p=p, statistic=gap)
    exact = len(rows) < 63 and 2 ** len(rows) <= draws
    total = 2 ** len(rows) if exact else draws
    gaps = joined_blocks(_swapped_gaps(rows, spec, total, None if exact else seed), total, progress)
    extreme = int(np.count_nonzero(side(gaps) >= side(np.array([gap]))[0] - 1e-12))
    p = extreme / total if exact else (1 + extreme) / (1 + total)
    return Estimate(gap, level=level, method=name, p=min(1.0, p), statistic=gap)


def _swapped_gaps(rows: PairedCases, statistic: Statistic, total: int, seed: int | None) -> Iterator[Array]:
    """The differences under swaps, block by block; all patterns when there is no seed."""
    both, cells = _common_cells(rows, statistic.rank_only)
    cell_of = statistic.layout(both)
    first, second = cell_of[cells[0]], cell_of[cells[1]]
    size, values = int(cell_of[-1]) + 1, statistic.prepare(both)
    generator = None if seed is None else seeded(seed)
    many = max(1, BLOCK // max(size, len(rows)))
    for start in range(0, total, many):
        count = min(many, total - start)
        if generator is None:
            swaps = (np.arange(start, start + count)[:, None] >> np.arange(len(rows))) & 1 == 1
        else:
            swaps = generator.integers(0, 2, (count, len(rows)), dtype=np.uint8) == 1
        first_cells, other = np.where(swaps, second, first), np.where(swaps, first, second)
        yield values(*_tallied(rows, first_cells, size)) - values(*_tallied(rows, other, size))


def _common_cells(rows: PairedCases, by_rank: bool) -> tuple[ScoreTable, list[Array]]:
    """One table that holds the cases of both models, and where each model's cases fall in it."""
    if by_rank:
        columns = [case_midranks(rows, model) / 2 for model in (0, 1)]
    else:
        columns = [rows.scores[model][rows.places[model]].astype(np.float64) for model in (0, 1)]
    descending = by_rank or rows.higher_is_positive
    scores, positions = distinct_places(np.concatenate(columns), descending=descending)
    mask = np.concatenate((rows.mask, rows.mask))
    pos, neg = (np.bincount(positions[mask == label], minlength=len(scores)) for label in (1, 0))
    counts = 2 * len(rows.positives), 2 * len(rows.negatives)
    both = ScoreTable(scores, pos, neg, descending, rows.labels, rows=counts)
    return both, [positions[: len(rows)], positions[len(rows) :]]


def _tallied(rows: PairedCases, cells: Array, size: int) -> tuple[Array, Array]:
    counts: list[Any] = []
    for of_class in rows.sides:
        flat: Any = cells[:, of_class] + (np.arange(len(cells)) * size)[:, None]
        counts.append(np.bincount(flat.ravel(), minlength=len(cells) * size).reshape(len(cells), size))
    return counts[0], counts[1]
