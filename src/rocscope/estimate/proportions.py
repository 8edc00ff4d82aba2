"""Intervals for a proportion k of n: Wilson by default, others by name."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from rocscope.errors import RocscopeError
from rocscope.estimate.delta import on_scale
from rocscope.estimate.estimate import Estimate, undefined
from rocscope.estimate.interval_methods import find, interval
from rocscope.numbers import checked_cases, checked_level, checked_share, crossing, normal_quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

Limits = tuple[float, float]


def proportion(k: float, n: float, *, method: str = "wilson", level: float = 0.95) -> Estimate:
    """The proportion k/n with an interval; weighted counts and an effective n may be fractions.

    Whatever the method, the limits lie in [0, 1] and contain k/n; 0 of n has lower limit 0 and n of n has
    upper limit 1. Reference: Brown, Cai & DasGupta, Stat Sci 2001;16:101-133.

    >>> print(proportion(40, 50), proportion(0, 20).low)
    0.80 [0.67, 0.89] 0.0
    >>> proportion(0, 0).why
    'no cases: 0 of 0 is undefined'
    """
    level = checked_level(level)
    k, n = checked_counts(k, n)
    chosen = find(method, fits="proportion")
    if n == 0:
        return undefined("no cases: 0 of 0 is undefined", level=level, method=method)
    value = k / n
    low, high = _contain(chosen.limits(k, n, level), k, n)
    return Estimate(value, low, high, level, method, _why(low, chosen.caveat, method), se=_spread(k, n))


def checked_counts(k: float, n: float) -> Limits:
    """The counts as floats with 0 <= k <= n; if k exceeds n only through rounding, it is set to n."""
    part, whole = checked_cases("k", k), checked_cases("n", n)
    if part > whole * (1 + 1e-9):
        raise RocscopeError(f"k must be at most n, but k is {k!r} and n is {n!r}", hint="Give k first, then n")
    return min(part, whole), whole


def _spread(k: float, n: float) -> float:
    return math.sqrt(k / n * (1 - k / n) / n)


def _contain(limits: Limits, k: float, n: float) -> Limits:
    """The limits inside [0, 1], with the estimate inside them and exact at the ends."""
    low, high = limits
    if math.isnan(low):
        return math.nan, math.nan
    return (0.0 if k == 0 else max(0.0, min(low, k / n))), (1.0 if k == n else min(1.0, max(high, k / n)))


def _why(low: float, caveat: str, method: str) -> str:
    if math.isnan(low):
        return f"{method} has width 0 at 0 of n and n of n, which would suggest certainty; use wilson"
    return caveat


@interval(
    "wilson",
    fits="proportion",
    says="score interval; attains its level on average even with few cases",
    cite="Wilson, J Am Stat Assoc 1927;22:209-212",
)
def _wilson(k: float, n: float, level: float) -> Limits:
    z = normal_quantile(level)
    centre, half = k + z * z / 2, z * math.sqrt(k * (n - k) / n + z * z / 4)
    return (centre - half) / (n + z * z), (centre + half) / (n + z * z)


def wilson_limits(k: ArrayLike, n: ArrayLike, *, level: float = 0.95) -> tuple[NDArray[np.float64], ...]:
    """Wilson's limits of many proportions at once, for bands along a curve; NaN where n is 0.

    >>> low, high = wilson_limits([0, 40, 0], [50, 50, 0])
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.0, 0.6696, nan], [0.0713, 0.8876, nan])
    """
    import numpy as np

    z = normal_quantile(checked_level(level))
    k, n = np.asarray(k, dtype=float), np.asarray(n, dtype=float)
    safe = np.where(n > 0, n, np.nan)
    centre, half = k + z * z / 2, z * np.sqrt(k * (safe - k) / safe + z * z / 4)
    low, high = (centre - half) / (safe + z * z), (centre + half) / (safe + z * z)
    low = np.where(k == 0, np.where(n > 0, 0.0, np.nan), np.minimum(low, k / safe))
    high = np.where(k == safe, 1.0, np.maximum(high, k / safe))
    return low, high


@interval(
    "wilson-continuity",
    fits="proportion",
    says="score interval with continuity correction; wider, close to exact",
    cite="Newcombe, Stat Med 1998;17:857-872, method 4",
)
def _wilson_continuity(k: float, n: float, level: float) -> Limits:
    low = _wilson(k - 0.5, n, level)[0] if k > 0.5 else 0.0
    high = _wilson(k + 0.5, n, level)[1] if k < n - 0.5 else 1.0
    return low, high


@interval(
    "clopper-pearson",
    fits="proportion",
    says="inverts the exact binomial test; covers at least its nominal level, often more",
    cite="Clopper & Pearson, Biometrika 1934;26:404-413",
)
def _clopper_pearson(k: float, n: float, level: float) -> Limits:
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = float(betaincinv(k, n - k + 1, tail)) if k > 0 else 0.0
    high = float(betaincinv(k + 1, n - k, 1 - tail)) if k < n else 1.0
    return low, high


@interval(
    "jeffreys",
    fits="proportion",
    says="equal-tailed posterior under a Beta(1/2, 1/2) prior",
    cite="Brown, Cai & DasGupta, Stat Sci 2001;16:101-133",
)
def _jeffreys(k: float, n: float, level: float) -> Limits:
    from scipy.special import betaincinv

    shape, tail = (k + 0.5, n - k + 0.5), (1 - level) / 2
    return float(betaincinv(*shape, tail)), float(betaincinv(*shape, 1 - tail))


@interval(
    "agresti-coull",
    fits="proportion",
    says="Wald's interval around Wilson's center; never shorter than Wilson's",
    cite="Agresti & Coull, Am Stat 1998;52:119-126",
)
def _agresti_coull(k: float, n: float, level: float) -> Limits:
    z = normal_quantile(level)
    cases = n + z * z
    centre = (k + z * z / 2) / cases
    half = z * math.sqrt(centre * (1 - centre) / cases)
    return centre - half, centre + half


@interval(
    "mid-p",
    fits="proportion",
    says="Clopper-Pearson counting half of the observed count's probability; close to its level",
    cite="Berry & Armitage, Statistician 1995;44:417-423",
)
def _mid_p(k: float, n: float, level: float) -> Limits:
    from scipy.special import betainc

    tail = (1 - level) / 2

    def above(q: float) -> float:
        """P(X > k) + P(X = k)/2 at the rate q, by the beta function, so that k may be a fraction."""
        reach = 1.0 if k == 0 else float(betainc(k, n - k + 1, q))
        beyond = 0.0 if k == n else float(betainc(k + 1, n - k, q))
        return (reach + beyond) / 2

    low = crossing(above, tail, 0.0, k / n) if k > 0 else 0.0
    high = crossing(above, 1 - tail, k / n, 1.0) if k < n else 1.0
    return low, high


@interval(
    "arcsine",
    fits="proportion",
    says="variance-stabilizing scale around (k + 3/8)/(n + 3/4)",
    cite="Anscombe, Biometrika 1948;35:246-254",
)
def _arcsine(k: float, n: float, level: float) -> Limits:
    angle = math.asin(math.sqrt((k + 0.375) / (n + 0.75)))
    step = normal_quantile(level) / (2 * math.sqrt(n))
    return math.sin(max(0.0, angle - step)) ** 2, math.sin(min(math.pi / 2, angle + step)) ** 2


@interval(
    "logit",
    fits="proportion",
    says="Wald's interval on the log-odds scale; at 0 of n and n of n with half a case added to each side",
    cite="Brown, Cai & DasGupta, Stat Sci 2001;16:101-133",
)
def _logit(k: float, n: float, level: float) -> Limits:
    if k / n in (0, 1):  # also when k is so small that k / n underflows to 0
        k, n = k + 0.5, n + 1
    return on_scale(k / n, _spread(k, n), 0, 1, level)


@interval(
    "wald",
    fits="proportion",
    says="estimate ± z standard errors, the textbook interval",
    cite="Brown, Cai & DasGupta, Stat Sci 2001;16:101-133",
    caveat="covers less than its level when there are few cases or the rate is near 0 or 1; prefer wilson",
)
def _wald(k: float, n: float, level: float) -> Limits:
    if k in (0, n):
        return math.nan, math.nan
    half = normal_quantile(level) * _spread(k, n)
    return k / n - half, k / n + half


@interval(
    "anytime",
    fits="proportion",
    says="valid at every look, however often you look and whenever you stop; wider than Wilson",
    cite="Robbins, Ann Math Stat 1970;41:1397-1409",
)
def _anytime(k: float, n: float, level: float) -> Limits:
    """The rates whose e-value stays under 1/(1 - level): it is least at k/n and grows to both sides."""
    price = -math.log1p(-level)
    low = crossing(lambda q: -_log_evidence(k, n, q), -price, 0.0, k / n)
    return low, crossing(lambda q: _log_evidence(k, n, q), price, k / n, 1.0)


def _log_evidence(k: float, n: float, rate: float) -> float:
    """The log of B(k + 1, n - k + 1) / (q^k (1 - q)^(n - k)) at q = rate: all rates against this one.

    It is -log((n + 1) P(X = k)) for X ~ Bin(n, q), by Loader's saddle point: differences of log-gammas would
    lose every digit for large n. Reference: Loader, Fast and accurate computation of binomial probabilities, 2000.
    """
    if k == 0:
        return -n * math.log1p(-rate) - math.log1p(n)
    if k == n:
        return -n * math.log(rate) - math.log1p(n)
    width = math.log(2 * math.pi) + math.log(k) + math.log(n - k) - math.log(n)
    short = _stirling(n) - _stirling(k) - _stirling(n - k)
    return _deviance(k, n * rate) + _deviance(n - k, n * (1 - rate)) + width / 2 - short - math.log1p(n)


def _stirling(x: float) -> float:
    """How far Stirling's formula falls short of log x!."""
    if x < 16:
        return math.lgamma(x + 1) - (x + 0.5) * math.log(x) + x - 0.5 * math.log(2 * math.pi)
    return (1 / 12 - (1 / 360 - (1 / 1260 - 1 / (1680 * x * x)) / (x * x)) / (x * x)) / x


def _deviance(seen: float, expected: float) -> float:
    """The deviance seen log(seen/expected) + expected - seen, without cancellation where the two are close."""
    gap = (expected - seen) / seen
    if abs(gap) < 0.5:
        return seen * (gap - math.log1p(gap))
    return seen * (math.log(seen) - math.log(expected)) + expected - seen if expected > 0 else math.inf


def e_value(k: float, n: float, *, against: float, level: float = 0.95) -> Estimate:
    """The evidence (e-value) of k in n against a rate; if the rate is true, its expectation is at most 1.

    E = B(k + 1, n - k + 1) / (q^k (1 - q)^(n - k)) with a uniform mixture over rates. By Ville's inequality, min(1,
    1/E) is a p-value that stays valid however often you look. The value is the rate k/n with its anytime-valid limits,
    and `statistic` is E. Reference: Robbins, Ann Math Stat 1970;41:1397-1409.

    >>> round(e_value(80, 100, against=0.7).statistic, 6)
    1.30695
    """
    against = checked_share("against", against, hint="Give the rate to test against, such as 0.7")
    k, n = checked_counts(k, n)
    log_evidence = _log_evidence(k, n, against)
    evidence = math.exp(log_evidence) if log_evidence < 700 else math.inf
    rate = proportion(k, n, method="anytime", level=level)
    return replace(rate, statistic=evidence, p=min(1.0, math.exp(-log_evidence)))
