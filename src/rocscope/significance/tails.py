"""Tail probabilities, never 0: what underflows is the smallest positive float."""

from __future__ import annotations

import math
import sys


def bounded(p: float) -> float:
    """The p-value between the smallest positive float and 1."""
    return min(1.0, max(float(p), sys.float_info.min))


def normal_above(z: float) -> float:
    """P(Z > z).

    >>> round(normal_above(1.959964), 6)
    0.025
    """
    return bounded(math.erfc(z / math.sqrt(2)) / 2)


def student_above(t: float, df: float) -> float:
    """P(T > t) with df degrees of freedom; infinite df is the normal."""
    from scipy.special import stdtr

    return normal_above(t) if math.isinf(df) else bounded(stdtr(df, -t))


def student_two_sided(t: float, df: float) -> float:
    """P(|T| > |t|)."""
    return bounded(2 * student_above(abs(t), df))


def student_quantile(level: float, df: float) -> float:
    """The t of a two-sided interval at that level."""
    from scipy.special import stdtrit

    from rocscope.estimate import normal_quantile

    return normal_quantile(level) if math.isinf(df) else float(stdtrit(df, 0.5 + level / 2))


def fisher_above(f: float, df1: float, df2: float) -> float:
    """P(F > f)."""
    from scipy.special import fdtrc

    return bounded(fdtrc(df1, df2, f))


def chi2_above(x: float, df: float) -> float:
    """P(X > x) of a chi-square."""
    from scipy.special import chdtrc

    return bounded(chdtrc(df, x))


def coins_at_most(k: float, n: float) -> float:
    """P(X <= k) for the heads X of n fair coins; 0 when k is negative."""
    from scipy.special import betainc

    if k < 0:
        return 0.0
    return 1.0 if k >= n else float(betainc(n - k, k + 1, 0.5))
