"""Equivalence and non-inferiority: is the difference small enough not to matter? With Bayesian posteriors."""

from __future__ import annotations

import math
from typing import Any

from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate, undefined
from rocscope.numbers import checked_level, normal_quantile, normal_two_sided, student_above, student_quantile
from rocscope.record import record
from rocscope.significance.declared_tests import difference


@difference(
    "tost",
    takes="a difference, its standard error, margin",
    says="are two models equal for practical purposes",
    cite="Schuirmann, J Pharmacokinet Biopharm 1987;15:657-680",
)
def tost(
    value: float | Estimate,
    se: float | None = None,
    *,
    margin: float,
    df: float | None = None,
    level: float = 0.95,
) -> Estimate:
    """Test whether a difference lies within ±margin, by two one-sided tests; p is the larger of the two.

    The limits have level 2·level - 1 (90 % for 0.95): they lie inside ±margin exactly when p < 1 - level. Give an
    Estimate with a standard error, or a number and its standard error; with `df`, Student's t is used instead of the
    normal distribution. The standard error of `delong()` for this test allows for few cases and for areas at the
    margin. Reference: Schuirmann, J Pharmacokinet Biopharm 1987;15:657-680.

    >>> round(tost(0.01, 0.008, margin=0.03).p, 6)
    0.00621
    """
    return _one_sided(value, se, margin, df, level, sides=(1, -1), method="tost")


@difference(
    "non-inferiority",
    takes="a difference, its standard error, margin",
    says="is the first model not worse by more than the margin",
    cite="Schuirmann, J Pharmacokinet Biopharm 1987;15:657-680",
)
def non_inferiority(
    value: float | Estimate,
    se: float | None = None,
    *,
    margin: float,
    df: float | None = None,
    level: float = 0.95,
) -> Estimate:
    """Test whether the first model is not worse than the second by more than the margin (higher is better).

    p = P(T > (d + margin)/se); the lower limit of level 2·level - 1 lies above -margin exactly when p < 1 - level. The
    input is the same as for `tost`. Reference: Schuirmann, J Pharmacokinet Biopharm 1987;15:657-680.

    >>> round(non_inferiority(0.01, 0.008, margin=0.005).p, 6)
    0.030396
    """
    return _one_sided(value, se, margin, df, level, sides=(1,), method="non-inferiority")


def _one_sided(
    value: float | Estimate,
    se: float | None,
    margin: float,
    df: float | None,
    level: float,
    *,
    sides: tuple[int, ...],
    method: str,
) -> Estimate:
    level, margin = checked_level(level), checked_margin("margin", margin, zero=False)
    if level <= 0.5:
        raise RocscopeError(f"level must be more than 0.5 for a one-sided test, not {level:g}")
    d, spread, freedom = _difference(value, se, df)
    narrow = 2 * level - 1
    if spread == 0:
        why = "a standard error of 0 would suggest certainty, so nothing can be concluded"
        return Estimate(d, level=narrow, method=method, why=why, p=1.0, se=0.0)
    ts = [(margin + side * d) / spread for side in sides]
    half = student_quantile(narrow, freedom) * spread
    p = max(student_above(t, freedom) for t in ts)
    finite_df = None if math.isinf(freedom) else freedom
    return Estimate(d, d - half, d + half, narrow, method, "", p, min(ts), finite_df, spread)


def at_margin(difference: Estimate) -> float | None:
    """The standard error of a difference for a test at a margin, which `delong` gives besides that of the limits."""
    return difference.se_on_scale if difference.se_scale == "margin" else difference.se


def _difference(value: float | Estimate, se: Any, df: Any) -> tuple[float, float, float]:
    """The difference, its standard error and degrees of freedom (infinite when none are given)."""
    if isinstance(value, Estimate):
        if se is None and isinstance(value.df, tuple):
            raise RocscopeError("an F test has no single df", hint="Give se= and df=, such as df=5 for 5x2cv")
        df = value.df if se is None and df is None else df
        se = at_margin(value) if se is None else se
        value = value.value
    if se is None:
        raise RocscopeError("the standard error is missing", hint="Give se=, or an Estimate that has one")
    d, spread, freedom = float(value), float(se), math.inf if df is None else float(df)
    if not (math.isfinite(d) and 0 <= spread < math.inf and freedom > 0):
        raise RocscopeError(f"the difference must be finite, se >= 0 and df > 0, not {d:g}, {spread:g} and {freedom:g}")
    return d, spread, freedom


# ---- posteriors ----


def within_margin(found: Estimate, margin: float) -> Estimate:
    """Test whether a difference lies within ±margin, based on its own limits; p is the larger of two one-sided ones.

    Like `tost`, but with the standard errors that the limits imply on either side (at least `se`, if there is one), so
    it is valid for any interval: Wilson's, Newcombe's or one from resamples. The limits have level 2·level - 1; if the
    difference has no limits, the result is undefined. Reference: Schuirmann, J Pharmacokinet Biopharm 1987;15:657-680.

    >>> one = within_margin(Estimate(0.01, 0.01 - 1.96 * 0.008, 0.01 + 1.96 * 0.008), 0.03)
    >>> round(one.p, 4), round(one.low, 4), round(one.high, 4)
    (0.0062, -0.0032, 0.0232)
    """
    margin, method = checked_margin("margin", margin, zero=False), f"within ±{margin:g}, {found.method}"
    if math.isnan(found.value) or math.isnan(found.low):
        return undefined(found.why or "no interval", level=found.level, method=method)
    z, inner = normal_quantile(found.level), normal_quantile(2 * found.level - 1)
    sides, least = (found.value - found.low, found.high - found.value), at_margin(found) or 0.0
    below, above = (max(side / z, least) for side in sides)
    p = max(_above(found.value + margin, below), _above(margin - found.value, above))
    low, high = found.value - inner * below, found.value + inner * above
    return Estimate(found.value, low, high, found.level, method, p=p)


def _above(reach: float, error: float) -> float:
    """P(Z > reach / error): how well a distance from the margin could be chance."""
    if not error > 0:
        return 0.0 if reach > 0 else 1.0
    half = normal_two_sided(reach / error) / 2
    return half if reach > 0 else 1 - half


@record(slots=True)
class Posterior:
    """The probabilities that the difference lies below, inside and above the region of practical equivalence.

    The region (rope) is [-margin, margin]; `right` is the probability that the first model is better by more
    than the margin. `estimate` is the difference with its credible interval; the probabilities are NaN with
    a reason if the posterior is a single point.

    >>> print(Posterior(0.01, 0.19, 0.8, margin=0.02, estimate=Estimate(0.03, 0.01, 0.05)))
    worse 0.01, equivalent (within 0.02) 0.19, better 0.80
    """

    left: float
    rope: float
    right: float
    margin: float
    estimate: Estimate
    method: str = ""
    why: str = ""

    def __str__(self) -> str:
        worse, same, better = (f"{x:.2f}" for x in (self.left, self.rope, self.right))
        words = f"worse {worse}, equivalent (within {self.margin:g}) {same}, better {better}"
        return f"{words} ({self.why})" if self.why else words

    def to_dict(self) -> dict[str, Any]:
        """The three probabilities, the margin, the method, the reason and the estimate as plain data."""
        chances = {"left": self.left, "rope": self.rope, "right": self.right}
        return {
            **{name: None if chance != chance else chance for name, chance in chances.items()},
            "margin": self.margin,
            "method": self.method,
            "why": self.why,
            "estimate": self.estimate.to_dict(),
        }


def checked_margin(name: str, margin: Any, *, zero: bool) -> float:
    """A margin as a float: finite and positive (or 0 where `zero` is allowed); it is never guessed."""
    try:
        size = float(margin)
    except (TypeError, ValueError):
        size = float("nan")
    if isinstance(margin, (str, bool)) or not (0 <= size < float("inf")) or (size == 0 and not zero):
        least = "0 or more" if zero else "more than 0"
        hint = "Give the smallest difference that would matter in practice; only you can decide what that is"
        raise RocscopeError(f"{name} must be a number, {least}, not {margin!r}", hint=hint)
    return size
