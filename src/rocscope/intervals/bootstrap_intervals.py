"""The bootstrap of any statistic of a table, in blocks of resamples, with intervals that are never degenerate."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate, find, interval, undefined
from rocscope.intervals.influence import auc_slopes, collected, linear_variance, skewness
from rocscope.intervals.paired_cases import PairedCases, clusters_of
from rocscope.intervals.resamples import (
    CellCounts,
    Part,
    RowDraws,
    Scattered,
    on_all_cores,
    resampled,
    resampled_values,
    runs,
    seeds,
)
from rocscope.intervals.statistics import Ranged, Statistic, StatisticSpec, auc_and_error, statistic_of
from rocscope.numbers import NORMAL, checked_level, expit, floats, logit, order_statistic
from rocscope.table import ScoreTable

Array = NDArray[Any]
Progress = Callable[[int, int], None]
FEW_CELLS = 1000  # maximum number of cells for an exact jackknife; above it, random groups of cases are left out
GROUPS = 200
UNDEFINED_SHARE = 0.01
MOST_REPLICATES = 10**7


def bootstrap(
    t: ScoreTable,
    statistic: StatisticSpec,
    *,
    n: int = 2000,
    method: str = "bca",
    seed: int = 0,
    stratified: bool = True,
    level: float = 0.95,
    progress: Progress | None = None,
    **options: Any,
) -> Estimate:
    """A statistic of a table with an interval from n resamples of its cases.

    `statistic` is a name in the catalogs ("auc", "pr_area", "brier"; for a measure, give `threshold=`) or any function
    of a table; further options are passed to it. The methods are "percentile", "basic", "bca" and, for the AUC,
    "studentized". Stratified resamples keep the class sizes. The same seed gives identical results. No limits are
    given, and `why` states the reason, if the statistic is at an end of its range, if all replicates are equal, or if
    more than 1 % of them are undefined. `progress(done, n)` is called after every block. Reference: Efron & Tibshirani
    1993, An Introduction to the Bootstrap; quantiles are the order statistics (n + 1)q.

    >>> t = ScoreTable.from_scores([1, 1, 0, 1, 1, 0, 1, 0, 0, 0], [0.95, 0.9, 0.8, 0.7, 0.65, 0.6, 0.5, 0.4, 0.3, 0.1])
    >>> print(bootstrap(t, "auc", n=999))
    0.84 [0.40, 1.00]
    """
    level, chosen = checked_level(level), find(method, fits="bootstrap")
    spec = statistic_of(statistic, **options)
    check_replicates(n, level)
    if method == "studentized" and spec.name != "auc":
        raise RocscopeError(
            f"{spec.name} has no standard error for each resample, so it cannot be studentized",
            hint="Use method='bca'",
        )
    value = spec.value(t)
    if refusal := _before(spec, t, value, level, chosen.name):
        return refusal
    if method == "studentized":
        return _studentized(t, value, n, seed=seed, stratified=stratified, level=level, progress=progress)
    values = replicates(t, spec, n, seed=seed, stratified=stratified, progress=progress)
    speed = acceleration(t, spec, seed=seed, stratified=stratified) if method == "bca" else 0.0
    return from_replicates(spec, value, values, method=method, level=level, acceleration=speed)


def replicates(
    t: ScoreTable,
    statistic: Statistic | StatisticSpec,
    n: int,
    *,
    seed: int = 0,
    stratified: bool = True,
    progress: Progress | None = None,
    **options: Any,
) -> Array:
    """The value of a statistic in each of n resamples of the cases of a table; NaN where it is undefined."""
    spec = statistic if isinstance(statistic, Statistic) else statistic_of(statistic, **options)
    cells, values = CellCounts.of(t, spec.layout), spec.prepare(t)
    if spec.in_blocks:
        return joined_blocks(resampled_values(cells, values, n, seed=seed, stratified=stratified), n, progress)
    blocks = (values(pos, neg) for pos, neg in resampled(cells, n, seed=seed, stratified=stratified))
    return joined_blocks(blocks, n, progress)


def joined_blocks(blocks: Iterable[Array], n: int, progress: Progress | None = None) -> Array:
    """The values of all blocks as one array, with a progress report after each block."""
    parts, done = [], 0
    for block in blocks:
        parts.append(block)
        done += len(block)
        if progress is not None:
            progress(done, n)
    return np.concatenate(parts)


def check_replicates(n: Any, level: float) -> None:
    """Refuse a number of replicates that is too small for the quantiles at the level."""
    least = math.ceil(round(2 / (1 - level), 6)) - 1  # rounded, because 2 / (1 - 0.9) is slightly more than 20
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < least:
        raise RocscopeError(f"n must be an integer of at least {least} for level {level:g}, not {n!r}")
    if n > MOST_REPLICATES:
        raise RocscopeError(
            f"the number of resamples must be at most {MOST_REPLICATES:,}, not {n:,}, because they are kept in memory"
        )


# ---- resampling rows: clusters and weights ----


def bootstrap_rows(
    y: Any,
    score: Any,
    statistic: StatisticSpec,
    *,
    clusters: Any = None,
    weights: Any = None,
    positive: Any = None,
    higher_is_positive: bool = True,
    n: int = 2000,
    method: str = "percentile",
    seed: int = 0,
    stratified: bool = True,
    level: float = 0.95,
    progress: Progress | None = None,
    **options: Any,
) -> Estimate:
    """A statistic with an interval from resampled rows, for clustered cases or sampling weights.

    With `clusters`, whole clusters are drawn, regardless of their classes; a row keeps its weight in every resample.
    Everything else is as in `bootstrap`; the methods are "percentile" and "basic". Reference: Davison & Hinkley 1997,
    Bootstrap Methods and their Application, section 3.8.

    >>> y, s = [1, 1, 0, 1, 1, 0, 1, 0, 0, 0], [0.95, 0.9, 0.8, 0.7, 0.65, 0.6, 0.5, 0.4, 0.3, 0.1]
    >>> print(bootstrap_rows(y, s, "auc", clusters=[1, 2, 1, 3, 4, 2, 5, 3, 4, 5], n=999))
    0.84 [0.76, 1.00]
    """
    level, chosen = checked_level(level), find(method, fits="bootstrap")
    check_replicates(n, level)
    if chosen.name not in ("percentile", "basic"):
        raise RocscopeError(f"method must be 'percentile' or 'basic' for rows, not '{method}'")
    rows = PairedCases.of(y, [score], positive=positive, higher_is_positive=higher_is_positive, weights=weights)
    groups = None if clusters is None else clusters_of(clusters, len(rows))
    spec, t = statistic_of(statistic, **options), rows.table(0)
    value = spec.value(t)
    if refusal := _before(spec, t, value, level, chosen.name):
        return refusal
    blocks = model_values(rows, spec, n, seed=seed, stratified=stratified, clusters=groups)
    values = joined_blocks((block[0] for block in blocks), n, progress)
    return from_replicates(spec, value, values, method=method, level=level)


def model_values(
    rows: PairedCases,
    statistic: Statistic | Sequence[Statistic],
    n: int,
    *,
    seed: int = 0,
    stratified: bool = True,
    clusters: tuple[Array, int] | None = None,
) -> Iterator[list[Array]]:
    """The values of a statistic (one for all models, or one for each) in the same n resamples of rows, by blocks."""
    of_model = [statistic] * len(rows.scores) if isinstance(statistic, Statistic) else statistic
    plans = [(Scattered(rows, m, own.layout), own.prepare(rows.table(m))) for m, own in enumerate(of_model)]
    drawn = RowDraws(rows, stratified=stratified, clusters=clusters)

    def of_part(part: Part) -> Iterator[list[Array]]:
        return ([values(*plan.counts(block)) for plan, values in plans] for block in drawn.blocks(part))

    parts = drawn.parts(n, seed)
    if all(one.in_blocks for one in of_model):
        return on_all_cores(of_part, parts)
    return (block for part in parts for block in of_part(part))


# ---- limits ----


def _before(statistic: Statistic, t: ScoreTable, value: float, level: float, method: str) -> Estimate | None:
    """The estimate if there is nothing to resample: undefined, or at an end of the range."""
    name = f"bootstrap {method}"
    if not math.isfinite(value):
        return replace(undefined(statistic.why(t), level=level, method=name), value=value)
    ends = [end for end in (statistic.low, statistic.high) if math.isfinite(end)]
    if any(math.isclose(value, end, rel_tol=1e-12, abs_tol=1e-12) for end in ends):
        why = f"{statistic.name} is at an end of its range, where resampling cannot reveal its uncertainty"
        return Estimate(value, level=level, method=name, why=why + _offer(statistic))
    return None


def _offer(statistic: Ranged) -> str:
    return f"; use {statistic.instead}" if statistic.instead else ""


def from_replicates(
    statistic: Ranged,
    value: float,
    values: Array,
    *,
    method: str = "percentile",
    level: float = 0.95,
    acceleration: float = 0.0,
) -> Estimate:
    """The confidence interval for a statistic from its replicates, including the value and within the range."""
    name, finite = f"bootstrap {method}", values[np.isfinite(values)]
    lost = len(values) - len(finite)
    if lost > UNDEFINED_SHARE * len(values):
        why = f"{statistic.name} is undefined in {lost} of {len(values)} resamples{_offer(statistic)}"
        return Estimate(value, level=level, method=name, why=why)
    if np.ptp(finite) == 0:
        why = f"all resamples give the same {statistic.name}, which would suggest certainty{_offer(statistic)}"
        return Estimate(value, level=level, method=name, why=why)
    limits = find(method, fits="bootstrap").limits
    low, high = limits(value, np.sort(finite), statistic.low, statistic.high, level, acceleration)
    low, high = max(statistic.low, min(low, value)), min(statistic.high, max(high, value))
    why = f"{lost} of {len(values)} resamples were undefined and left out" if lost else ""
    return Estimate(value, low, high, level, name, why, se=float(finite.std(ddof=1)))


@interval("percentile", fits="bootstrap", says="quantiles of the replicates")
def _percentile(value: float, ordered: Array, low: float, high: float, level: float, _: float) -> tuple[float, float]:
    return order_statistic(ordered, (1 - level) / 2), order_statistic(ordered, (1 + level) / 2)


@interval("basic", fits="bootstrap", says="quantiles reflected about the estimate, on a scale that respects the range")
def _basic(value: float, ordered: Array, low: float, high: float, level: float, _: float) -> tuple[float, float]:
    ends = order_statistic(ordered, (1 + level) / 2), order_statistic(ordered, (1 - level) / 2)
    limits = [_back(2 * _scaled(value, low, high) - _scaled(end, low, high), low, high) for end in ends]
    return limits[0], limits[1]


def _scaled(x: float, low: float, high: float) -> float:
    """Transform by logit, log or identity, according to the range; infinite at its ends."""
    below, above = x - low, high - x
    if math.isinf(below) and math.isinf(above):
        return x
    if math.isinf(above):
        return math.log(below) if below > 0 else -math.inf
    if math.isinf(below):
        return -math.log(above) if above > 0 else math.inf
    if below <= 0 or above <= 0:
        return -math.inf if below <= 0 else math.inf
    return math.log(below / above)


def _back(x: float, low: float, high: float) -> float:
    if math.isinf(low) and math.isinf(high):
        return x
    if math.isinf(high):
        return low + math.exp(min(x, 700.0))
    if math.isinf(low):
        return high - math.exp(min(-x, 700.0))
    return low + (high - low) / (1 + math.exp(-x)) if x > -700 else low


@interval("bca", fits="bootstrap", says="quantiles corrected for bias and skewness")
def _bca(value: float, ordered: Array, low: float, high: float, level: float, speed: float) -> tuple[float, float]:
    count = len(ordered)
    below = np.searchsorted(ordered, value, "left")
    equal = np.searchsorted(ordered, value, "right") - below
    share = (below + equal / 2) / count
    bias = NORMAL.inv_cdf(min(max(float(share), 0.5 / count), 1 - 0.5 / count))

    def corrected(q: float) -> float:
        z = bias + NORMAL.inv_cdf(q)
        slope = 1 - speed * z
        return NORMAL.cdf(bias + z / slope) if slope > 0 else float(z > 0)

    return order_statistic(ordered, corrected((1 - level) / 2)), order_statistic(ordered, corrected((1 + level) / 2))


# ---- acceleration ----


def acceleration(t: ScoreTable, statistic: Statistic, *, seed: int = 0, stratified: bool = True) -> float:
    """The acceleration a = Σu³/(6 (Σu²)^1.5), from slopes if they are known, else by leaving cases out.

    With many cells, random groups of cases are left out together, which estimates the same number.
    """
    if statistic.slopes is not None and not t.weighted:
        slopes = collected(t, statistic.slopes, statistic.value(t))
        return skewness(zip(slopes, (floats(t.pos), floats(t.neg)), strict=True), centered=stratified)
    cells, values = CellCounts.of(t, statistic.layout), statistic.prepare(t)
    whole = statistic.value(t)
    if np.count_nonzero(cells.pos) + np.count_nonzero(cells.neg) <= FEW_CELLS:
        influences = _without_each(cells, values, whole)
    else:
        influences = _without_groups(cells, values, whole, seed)
    sides = [(u[np.isfinite(u)], c[np.isfinite(u)]) for u, c in influences]
    if not stratified:
        sides = [tuple(np.concatenate(parts) for parts in zip(*sides, strict=True))]  # type: ignore[list-item]
    return skewness(sides)


def _without_each(
    cells: CellCounts, values: Callable[[Array, Array], Array], whole: float
) -> list[tuple[Array, Array]]:
    """The influence of one case of each nonempty cell, by class, and the number of cases in each cell."""
    influences = []
    for own, total in ((cells.pos, cells.positives), (cells.neg, cells.negatives)):
        filled = np.flatnonzero(own)
        fewer = []
        for part in np.array_split(filled, max(1, len(filled) * len(own) // 2**18)):
            counts = np.tile(own, (len(part), 1))
            counts[np.arange(len(part)), part] -= 1
            fewer.append(_read(values, cells, counts, own))
        influence = (total - 1) / max(total, 1) * (whole - np.concatenate(fewer))
        influences.append((influence, own[filled].astype(np.float64)))
    return influences


def _without_groups(
    cells: CellCounts, values: Callable[[Array, Array], Array], whole: float, seed: int
) -> list[tuple[Array, Array]]:
    influences = []
    for own, total, generator in zip(
        (cells.pos, cells.neg), (cells.positives, cells.negatives), seeds(seed), strict=False
    ):
        groups = min(GROUPS, total)
        fewer, left = [], own
        for remaining in range(groups, 0, -1):
            taken = generator.multivariate_hypergeometric(left, int(left.sum()) // remaining, method="marginals")
            left = left - taken
            fewer.append(_read(values, cells, (own - taken)[None, :], own)[0])
        influence = (groups - 1) / max(groups, 1) * (whole - np.array(fewer))
        influences.append((influence, np.ones(groups)))
    return influences


def _read(values: Callable[[Array, Array], Array], cells: CellCounts, counts: Array, own: Array) -> Array:
    """The statistic with other counts in one class."""
    if own is cells.pos:
        return values(counts, np.broadcast_to(cells.neg, counts.shape))
    return values(np.broadcast_to(cells.pos, counts.shape), counts)


# ---- studentized ----


@interval("studentized", fits="bootstrap", says="resampled t-values on the logit scale; for the AUC")
def studentized_limits(value: float, se: float, low_t: float, high_t: float) -> tuple[float, float]:
    """g⁻¹(g - t_high se_g) and g⁻¹(g - t_low se_g), g the logit and se_g = se/(A(1 - A)).

    >>> [round(x, 6) for x in studentized_limits(0.68, 0.127017, -2.5, 1.7)]
    [0.440644, 0.901417]
    """
    g, step = logit(value), se / (value * (1 - value))
    return expit(g - high_t * step), expit(g - low_t * step)


def _studentized(
    t: ScoreTable, value: float, n: int, *, seed: int, stratified: bool, level: float, progress: Progress | None
) -> Estimate:
    spread, name = linear_variance(t, auc_slopes, value), "bootstrap studentized"
    offer = "; use intervals.auc(t)"
    se = math.sqrt(spread) if spread > 0 else 0.0
    if not se > 0:
        return Estimate(value, level=level, method=name, why=f"no standard error can be computed{offer}")
    blocks = resampled_values(
        CellCounts.of(t, runs), lambda pos, neg: np.stack(auc_and_error(pos, neg), axis=1), n, seed=seed,
        stratified=stratified,
    )  # fmt: skip
    areas, errors = joined_blocks(blocks, n, progress).T
    inner = errors > 0  # the standard error is 0 for an AUC of 0 or 1, and NaN for a single case
    lost = int(np.count_nonzero(~inner))
    if lost > UNDEFINED_SHARE * n:
        why = f"in {lost} of {n} resamples the AUC is 0 or 1 or has no standard error, so there is no t-value{offer}"
        return Estimate(value, level=level, method=name, why=why)
    areas, errors = areas[inner], errors[inner]
    centre = math.log(value / (1 - value))
    t_values = np.sort((np.log(areas / (1 - areas)) - centre) / (errors / (areas * (1 - areas))))
    ends = order_statistic(t_values, (1 - level) / 2), order_statistic(t_values, (1 + level) / 2)
    low, high = studentized_limits(value, se, *ends)
    why = f"{lost} of {n} resamples have no t-value and were left out" if lost else ""
    return Estimate(value, min(low, value), max(high, value), level, name, why, se=se)
