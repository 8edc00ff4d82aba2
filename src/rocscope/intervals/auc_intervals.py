"""The area under the ROC curve: a scaled score interval by default, others by name; clustered cases."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rocscope import curves
from rocscope.estimate import Estimate, find, interval, methods, on_scale, undefined
from rocscope.intervals.bootstrap_intervals import Progress, bootstrap
from rocscope.intervals.influence import (
    Array,
    EffectiveSizes,
    auc_slopes,
    effective_sizes,
    linear_variance,
    why_no_spread,
)
from rocscope.intervals.paired_cases import PairedCases, clusters_of
from rocscope.numbers import checked_level, crossing, floats, normal_quantile, standard_error
from rocscope.table import ScoreTable

if TYPE_CHECKING:
    from rocscope.intervals.cluster_effects import ClusterFreedom

LARGEST_SCALE = 4.0  # maximum scale: a larger one reflects a few outlying cases, not a better variance estimate
RETREAT = "use method='newcombe' instead"
DELONG = "DeLong, DeLong & Clarke-Pearson, Biometrics 1988;44:837-845"


def auc(
    t: ScoreTable,
    *,
    method: str = "newcombe",
    level: float = 0.95,
    seed: int = 0,
    n: int = 1999,
    stratified: bool = True,
    progress: Progress | None = None,
) -> Estimate:
    """The area under the ROC curve with its interval; seed, n and stratified apply to the bootstrap methods.

    "newcombe" (the default) solves (θ - A)² = z² k V(θ) where V is Newcombe's variance and k is DeLong's variance
    divided by V(A), kept between 1 and 4; the limits stay inside [0, 1] and never have zero width. The other methods
    are "newcombe-plain" (k = 1), "delong", "logit-delong", "hanley-mcneil" and "bootstrap-percentile", "-basic",
    "-bca", "-studentized". Cases with sampling weights count as their effective number. Reference: Newcombe, Stat Med
    2006;25:559-573, method 5; the scaling is our own.

    >>> t = ScoreTable.from_scores([1, 1, 0, 1, 1, 0, 1, 0, 0, 0], [0.95, 0.9, 0.8, 0.7, 0.65, 0.6, 0.5, 0.4, 0.3, 0.1])
    >>> print(auc(t), auc(t, method="delong"))
    0.84 [0.46, 0.97] 0.84 [0.57, 1.00]
    >>> print(auc(ScoreTable.from_scores([1, 1, 0, 0], [4, 3, 2, 1])))
    1.00 [0.39, 1.00]
    """
    level, chosen = checked_level(level), find(method, fits="auc")
    if not t.positives or not t.negatives:
        return undefined(curves.get("auc").why(t), level=level, method=method)
    estimate: Estimate = chosen.limits(t, level=level, seed=seed, n=n, stratified=stratified, progress=progress)
    return estimate


def auc_methods() -> tuple[str, ...]:
    """The names of the interval methods for an AUC, starting with the default."""
    return tuple(methods("auc"))


# ---- score intervals ----


def newcombe_variance(area: float, size: EffectiveSizes) -> float:
    """Newcombe's variance of an AUC: θ(1 - θ)[1 + M(1 - θ)/(2 - θ) + Mθ/(1 + θ)]/(PN), M = (P + N)/2 - 1."""
    more = (size.positives + size.negatives) / 2 - 1
    inner = 1 + more * ((1 - area) / (2 - area) + area / (1 + area))
    return area * (1 - area) * inner / (size.positives * size.negatives)


def score_limits(area: float, size: EffectiveSizes, level: float, *, scale: float = 1.0) -> tuple[float, float]:
    """The two solutions θ of (θ - A)² = z² k V(θ), one on each side of A; an A of 0 or 1 is its own limit on that side.

    >>> [round(x, 6) for x in score_limits(1.0, EffectiveSizes(10, 10), 0.95)]
    [0.800214, 1.0]
    """
    low = _lower(area, size, level, scale)
    return low, 1 - _lower(1 - area, size, level, scale)  # the variance is the same at θ and 1 - θ


def _lower(area: float, size: EffectiveSizes, level: float, scale: float) -> float:
    if area <= 0:
        return 0.0
    factor = normal_quantile(level) ** 2 * scale
    return crossing(lambda x: factor * newcombe_variance(x, size) - (area - x) ** 2, 0.0, 0.0, area)


def scale_of(area: float, spread: float, size: EffectiveSizes, *, most: float = LARGEST_SCALE) -> float:
    """The ratio of the observed variance to Newcombe's, kept between 1 and `most`; 1 if none is observed."""
    plain = newcombe_variance(area, size)
    if not plain > 0 or not spread > 0:
        return 1.0
    return min(most, max(1.0, spread / plain))


@interval(
    "newcombe",
    fits="auc",
    says="score interval, widened if the scores vary more than it assumes; never has width 0",
    cite="Newcombe, Stat Med 2006;25:559-573, method 5, scaled",
)
def _newcombe(t: ScoreTable, *, level: float, **_: Any) -> Estimate:
    area, size = curves.auc(t), effective_sizes(t)
    spread = linear_variance(t, auc_slopes, area)
    low, high = score_limits(area, size, level, scale=scale_of(area, spread, size))
    return Estimate(area, min(low, area), max(high, area), level, "newcombe", se=standard_error(spread))


@interval(
    "newcombe-plain",
    fits="auc",
    says="score interval from the area and the class sizes alone",
    cite="Newcombe, Stat Med 2006;25:559-573, method 5",
)
def _newcombe_plain(t: ScoreTable, *, level: float, **_: Any) -> Estimate:
    area, size = curves.auc(t), effective_sizes(t)
    low, high = score_limits(area, size, level)
    se = standard_error(newcombe_variance(area, size))
    return Estimate(area, min(low, area), max(high, area), level, "newcombe-plain", se=se)


# ---- standard errors ----


@interval(
    "delong",
    fits="auc",
    says="DeLong's nonparametric method: the AUC ± z standard errors, from the placement values of each class",
    cite=DELONG,
    caveat="covers less than its level with few cases or areas near 1",
)
def _delong(t: ScoreTable, *, level: float, **_: Any) -> Estimate:
    return _within(*_standard_error(t), level, "delong")


def _within(area: float, se: float, why: str, level: float, method: str) -> Estimate:
    """The area ± z standard errors, clipped to [0, 1]; no limits if there is a reason for none."""
    if why:
        return Estimate(area, level=level, method=method, why=why, se=se)
    half = normal_quantile(level) * se
    return Estimate(area, max(0.0, area - half), min(1.0, area + half), level, method, se=se)


@interval(
    "logit-delong",
    fits="auc",
    says="DeLong's standard error on the logit scale, which stays inside [0, 1]",
    cite=DELONG + "; Pepe 2003, The Statistical Evaluation of Medical Tests, section 5.2",
)
def _logit_delong(t: ScoreTable, *, level: float, **_: Any) -> Estimate:
    area, se, why = _standard_error(t)
    if why:
        return Estimate(area, level=level, method="logit-delong", why=why, se=se)
    return Estimate(area, *on_scale(area, se, 0, 1, level), level, "logit-delong", se=se)


def _standard_error(t: ScoreTable) -> tuple[float, float, str]:
    """The area, DeLong's standard error, and the reason why it yields no limits ('' if it does)."""
    area = curves.auc(t)
    spread = linear_variance(t, auc_slopes, area)
    if reason := why_no_spread(t):
        return area, math.nan, f"{reason}; {RETREAT}"
    if area in (0.0, 1.0):
        return area, 0.0, f"at AUC {area:g} DeLong's variance is 0, which would suggest certainty; {RETREAT}"
    if not spread > 0:
        return area, 0.0, f"DeLong's variance is 0, which would suggest certainty; {RETREAT}"
    return area, math.sqrt(spread), ""


@interval(
    "hanley-mcneil",
    fits="auc",
    says="area ± z standard errors that assume exponential scores",
    cite="Hanley & McNeil, Radiology 1982;143:29-36",
    caveat="covers less than its level with few cases or areas near 1",
)
def _hanley_mcneil(t: ScoreTable, *, level: float, **_: Any) -> Estimate:
    area, size = curves.auc(t), effective_sizes(t)
    first, second = area / (2 - area), 2 * area * area / (1 + area)
    spread = area * (1 - area) + (size.positives - 1) * (first - area**2) + (size.negatives - 1) * (second - area**2)
    se = math.sqrt(max(0.0, spread) / (size.positives * size.negatives))
    if area in (0.0, 1.0) or not se > 0:
        why = f"at AUC {area:g} the variance is 0, which would suggest certainty; {RETREAT}"
        return _within(area, 0.0, why, level, "hanley-mcneil")
    return _within(area, se, "", level, "hanley-mcneil")


# ---- bootstrap ----


def _resampled(kind: str) -> Callable[..., Estimate]:
    def limits(
        t: ScoreTable, *, level: float, seed: int, n: int, stratified: bool, progress: Progress | None
    ) -> Estimate:
        return bootstrap(t, "auc", method=kind, level=level, seed=seed, n=n, stratified=stratified, progress=progress)

    limits.__qualname__ = f"bootstrap_{kind}"
    return limits


for _kind, _says in (
    ("percentile", "quantiles of resampled areas"),
    ("basic", "quantiles of resampled areas reflected at the estimate, on the logit scale"),
    ("bca", "quantiles of resampled areas, corrected for bias and skewness"),
    ("studentized", "resampled t-values with each resample's own DeLong error, on the logit scale"),
):
    interval(
        f"bootstrap-{_kind}",
        fits="auc",
        says=_says,
        cite="Efron & Tibshirani 1993, An Introduction to the Bootstrap, chapters 12-14",
        caveat="not given for a perfect sample, where it would collapse to a point",
    )(_resampled(_kind))


# ---- clusters ----


def auc_clustered(
    y: Any,
    score: Any,
    clusters: Any,
    *,
    weights: Any = None,
    positive: Any = None,
    higher_is_positive: bool = True,
    level: float = 0.95,
) -> Estimate:
    """The area under the ROC curve of clustered cases (such as several cases per patient), with its interval.

    Obuchowski's variance sums placements by cluster; the limits are those of `auc` with that variance in place of
    DeLong's, without an upper bound on the widening, and with Student's t for the degrees of freedom of the clusters
    (`cluster_effect`). If every case is its own cluster, the two variances agree. At AUC 0 or 1, where no variation is
    observed, a cluster counts as one case. For a cluster bootstrap, use `bootstrap_rows(..., clusters=)`. Reference:
    Obuchowski, Biometrics 1997;53:567-578.

    >>> print(auc_clustered([1, 0, 1, 1, 0, 0] * 3, range(18), list("aabbccddeeffgghhii")))
    0.41 [0.13, 0.76]
    """
    level = checked_level(level)
    rows = PairedCases.of(y, [score], positive=positive, higher_is_positive=higher_is_positive, weights=weights)
    groups = clusters_of(clusters, len(rows))
    t, method = rows.table(0), "newcombe, clusters (Obuchowski)"
    if not t.positives or not t.negatives:
        return undefined(curves.get("auc").why(t), level=level, method=method)
    spread, alone = float(area_covariance(rows, groups)[0, 0]), float(area_covariance(rows)[0, 0])
    holding = EffectiveSizes(*(float(len(np.unique(groups[0][side]))) for side in rows.sides))
    few = 1.0
    # Obuchowski's variance already contains the factor g / (g - 1) for g clusters, which is undone below
    if groups[1] < len(rows) and not math.isnan(spread):
        freedom = _area_freedom(rows, groups, spread, alone)
        few = freedom.widening(level) * math.sqrt((groups[1] - 1) / groups[1])
    return clustered_area(t, spread, alone, holding, few=few, level=level)


def _area_freedom(rows: PairedCases, groups: tuple[Array, int], spread: float, alone: float) -> ClusterFreedom:
    """The degrees of freedom of the variance of an AUC over clusters."""
    from rocscope.intervals.cluster_effects import cluster_freedom

    masses, squares = [], []
    for side, placed in zip(rows.sides, rows.placed(0), strict=True):
        weight = None if rows.weights is None else floats(rows.weights[side])
        masses.append(np.bincount(groups[0][side], weight, groups[1]))
        squares.append(float((_influences(placed[None, :].copy(), weight) ** 2).sum()) / masses[-1].sum())
    each, unit = np.array(masses, dtype=np.float64), np.array(squares)[:, None]
    effect = spread / alone if alone > 0 else 1.0
    return cluster_freedom(each, unit * each, unit * each**2, effect)


def clustered_area(
    t: ScoreTable, spread: float, alone: float, holding: EffectiveSizes, *, few: float = 1.0, level: float = 0.95
) -> Estimate:
    """The AUC of a table with limits from its variance between clusters (`spread`), and that of independent
    cases (`alone`).

    `holding` are the numbers of clusters with positives and with negatives; `few` is the factor that widens the limits
    for few clusters.
    """
    area, method = curves.auc(t), "newcombe, clusters (Obuchowski)"
    if math.isnan(spread):
        why = "all positives or all negatives are in a single cluster, so the variation between clusters is unknown"
        return Estimate(area, level=level, method=method, why=why)
    se = math.sqrt(max(0.0, spread))
    if area in (0.0, 1.0):
        return Estimate(area, *score_limits(area, holding, level), level, method, se=se)
    size = _worth(effective_sizes(t), few**2 * spread, alone)
    low, high = score_limits(area, size, level, scale=scale_of(area, few**2 * spread, size, most=math.inf))
    return Estimate(area, low, high, level, method, se=se)


def _worth(size: EffectiveSizes, spread: float, alone: float) -> EffectiveSizes:
    """Divide the sizes by the design effect: copies of a case within its cluster add no information."""
    effect = max(1.0, spread / alone) if alone > 0 else 1.0
    return EffectiveSizes(size.positives / effect, size.negatives / effect)


def area_covariance(rows: PairedCases, clusters: tuple[Array, int] | None = None) -> Array:
    """The covariance matrix of the AUCs of all models on the same rows; NaN if a class has only one unit.

    Each case has the influence w(V - A)/W_P or w(W - A)/W_N; influences are summed by cluster, if there are any, to U
    for positives and L for negatives: I1/(I1 - 1) UU' + I0/(I0 - 1) LL' + I/(I - 1) (UL' + LU'), where I1, I0 and I are
    the numbers of clusters with positives, with negatives, and in total. Without clusters this is DeLong's covariance,
    with clusters Obuchowski's.
    """
    models, parts, counts = len(rows.scores), [], []
    placed = zip(*(rows.placed(model) for model in range(models)), strict=True)
    for side, own in zip(rows.sides, placed, strict=True):
        off = _influences(np.stack(own), None if rows.weights is None else floats(rows.weights[side]))
        if clusters is not None:
            codes, size = clusters[0][side], clusters[1]
            counts.append(len(np.unique(codes)))
            off = np.stack([np.bincount(codes, row, size) for row in off])
        else:
            counts.append(len(side))
        parts.append(off)
    if min(counts) < 2:
        return np.full((models, models), math.nan)
    total = sum(n / (n - 1) * (part @ part.T) for n, part in zip(counts, parts, strict=True))
    if clusters is not None:
        cross = parts[0] @ parts[1].T
        total = total + clusters[1] / (clusters[1] - 1) * (cross + cross.T)
    return np.asarray(total)


def _influences(placed: Array, weight: Array | None) -> Array:
    """The distance of each case's placement from its model's mean, times the share of the case in its class."""
    if weight is None:
        placed -= placed.mean(axis=1, keepdims=True)
        placed /= placed.shape[1]
        return placed
    return np.asarray(weight * (placed - (placed @ weight / weight.sum())[:, None]) / weight.sum())
