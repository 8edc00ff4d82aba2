"""Tails of Student's t, of F and of the chi-square, without SciPy.

Loading `scipy.special` takes longer than a whole comparison of two models, which by default needs only these functions.
Tests compare each with SciPy, to a relative error of 1e-12.

>>> round(student_tail(2.0, 10), 9), round(student_point(0.975, 10), 9), round(chi2_tail(3.84, 1), 9)
(0.036694017, 2.228138852, 0.050043521)
"""

from __future__ import annotations

import math
from statistics import NormalDist

# coefficients of the powers of 1/a in Gamma(a + 1/2) / Gamma(a) = sqrt(a) (1 - 1/8a + 1/128a² + ...)
_HALF_STEP = (1.0, -1 / 8, 1 / 128, 5 / 1024, -21 / 32768, -399 / 262144, 869 / 4194304)


def student_tail(t: float, df: float) -> float:
    """P(T > t) with df degrees of freedom."""
    return 1.0 - student_tail(-t, df) if t < 0 else fisher_tail(t * t, 1, df) / 2


def fisher_tail(f: float, df1: int, df2: float) -> float:
    """P(F > f) with df1, a whole number, and df2 degrees of freedom: an incomplete beta integral."""
    a, b, part = df2 / 2, df1 / 2, df1 * f
    x, y, room = df2 / (df2 + part), part / (df2 + part), a * df1 * (f - 1) / (df2 + part)
    front = _gamma_ratio(a, df1) / math.gamma(b) * math.exp(-a * math.log1p(part / df2)) * math.pow(y, b)
    if room >= 0:
        return front * _fraction(a, b, x, y, room)
    return 1 - front * _fraction(b, a, y, x, -room)


def student_point(p: float, df: float) -> float:
    """The t below which T is with probability p, over one half: Newton's steps from the normal one."""
    wanted = 1 - p
    scale = _gamma_ratio(df / 2, 1) / math.sqrt(df * math.pi)
    t = NormalDist().inv_cdf(p)
    for _ in range(200):
        density = scale * math.exp(-(df + 1) / 2 * math.log1p(t * t / df))
        tail = student_tail(t, df)
        # Newton's method on the log of the tail converges in a few steps, even far out
        step = tail * math.log(tail / wanted) / density
        t += step
        if abs(step) <= 4e-16 * t:
            break
    return t


def chi2_tail(x: float, df: int) -> float:
    """P(X > x) of a chi-square with whole degrees of freedom: a sum with one term for every two of them."""
    half, odd = x / 2, df % 2
    if x <= 0:
        return 1.0
    total = math.erfc(math.sqrt(half)) if odd else 0.0
    powers = [i + odd / 2 for i in range(df // 2)]
    return total + math.fsum(math.exp(-half + power * math.log(half) - math.lgamma(power + 1)) for power in powers)


def _gamma_ratio(a: float, halves: int) -> float:
    """Gamma(a + halves / 2) / Gamma(a)."""
    start = a + halves % 2 / 2
    whole = math.prod((start + step for step in range(halves // 2)), start=1.0)
    if halves % 2 == 0:
        return whole
    if a < 100:
        return whole * math.gamma(a + 0.5) / math.gamma(a)
    return whole * math.sqrt(a) * sum(factor / a**power for power, factor in enumerate(_HALF_STEP))


def _fraction(a: float, b: float, x: float, y: float, room: float) -> float:
    """The continued fraction of the incomplete beta integral at x = 1 - y, where room = a - (a + b) x is not negative.

    DiDonato and Morris 1992, equation 9: no two numbers of nearly one size are subtracted.
    """
    c, first = 1 + room, 1 + 1 / a
    before, now, under_before, under = 0.0, 1.0, 1.0, c / first
    p, s, value = 1.0, a + 1, first / c
    for n in range(1, 10**6):
        w = n * (b - n) * x
        alpha = p * (p + b / a) * (a / s) ** 2 * w * x
        beta = n + w / s + (1 + n / a) / (first + 2 * n / a) * (c + n * (1 + y))
        p, s = 1 + n / a, s + 2
        before, now = now, alpha * before + beta * now
        under_before, under = under, alpha * under_before + beta * under
        last, value = value, now / under
        if abs(value - last) <= 1e-16 * value:
            break
        before, under_before, now, under = before / under, under_before / under, value, 1.0
    return value
