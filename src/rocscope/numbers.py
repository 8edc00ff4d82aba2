"""The small arithmetic that every package shares: exact decimals, plain numbers, distributions, argument checks.

A float that a user gives is read as the decimal it prints as: 0.2 is 1/5. Tail probabilities are never 0: on underflow,
they are the smallest positive float.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Collection
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from numbers import Integral, Rational, Real
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope.distributions import chi2_tail, fisher_tail, student_point, student_tail
from rocscope.errors import RocscopeError, did_you_mean

Array = NDArray[Any]
MOST_DRAWN = 45  # maximum number of interpolation steps in `crossing`, after which it only bisects
SHORT = 0.01  # largest r for which `beyond_log` uses its series, which converges quickly there
FEW_COLUMNS = 32  # a matrix with no more columns is reduced column by column: loops along short rows are slow
FITS = 2**62  # integers below this are kept in int64: the sum of two does not overflow

# ---- number types and exact numbers ----


def plain(value: Any) -> Any:
    """A NumPy scalar as a Python number or text; anything else unchanged.

    >>> plain(np.int64(3)), plain("a")
    (3, 'a')
    """
    return value.item() if isinstance(value, np.generic) else value


def floats(values: Any) -> Array:
    """Counts, weights or Python integers of any size as float64."""
    return np.asarray(values, dtype=np.float64)


def over_rows(operation: np.ufunc, matrix: Array) -> Array:
    """The sum, maximum, ... of each row; a few columns are folded as columns, which is faster than along short rows.

    >>> over_rows(np.add, np.array([[1, 2], [3, 4]])).tolist()
    [3, 7]
    """
    if matrix.shape[1] > FEW_COLUMNS:
        return np.asarray(operation.reduce(matrix, axis=1))
    total = matrix[:, 0].copy()
    for at in range(1, matrix.shape[1]):
        operation(total, matrix[:, at], out=total)
    return total


def fraction(number: Any) -> Fraction:
    """A whole number or a fraction as it is, a float as the decimal it prints as.

    >>> fraction(0.2), fraction(np.float32(0.2)), fraction(3)
    (Fraction(1, 5), Fraction(1, 5), Fraction(3, 1))
    """
    if isinstance(number, float) and abs(number) < 2**53 and number.is_integer():
        return Fraction(int(number))  # as its string says, in a tenth of the time
    if isinstance(number, float | np.floating | Decimal):
        return Fraction(str(number))  # the string of a NumPy float32 is its shortest decimal as well
    return Fraction(plain(number))


def decimal(value: Any, name: str) -> Fraction:
    """The finite number as an exact fraction, or an error that names it.

    >>> decimal(0.2, "cost")
    Fraction(1, 5)
    """
    if type(value) is Fraction:
        return value
    if type(value) is int:  # the abstract classes below take ten times as long to ask
        return Fraction(value)
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real | Decimal):
        raise RocscopeError(f"{name} must be a number, not {value!r}")
    if not isinstance(value, Rational) and not math.isfinite(value):
        raise RocscopeError(f"{name} must be a finite number, not {value}")
    return Fraction(int(value)) if isinstance(value, Integral) else fraction(value)


def share(value: Any, name: str) -> Fraction:
    """A number from 0 to 1, exact."""
    exact = decimal(value, name)
    if not 0 <= exact <= 1:
        raise RocscopeError(f"{name} must be a share from 0 to 1, such as 0.2 for 20 %, not {value}")
    return exact


def ratio_or_inf(value: Any, name: str) -> Fraction | float:
    """A ratio from 0 upwards, exact; infinity is allowed and stays a float."""
    if isinstance(value, Real) and not isinstance(value, Rational) and value == math.inf:
        return math.inf
    exact = decimal(value, name)
    if exact < 0:
        raise RocscopeError(f"{name} must be a cost ratio of 0 or more, not {value}")
    return exact


def json_number(value: Any) -> Any:
    """A number as written in the results document: NaN and None become null, and infinities are written by name.

    >>> json_number(3), json_number(0.5), json_number(math.nan), json_number(math.inf)
    (3, 0.5, None, 'Infinity')
    """
    if value is None or isinstance(value, int):
        return value
    value = float(value)
    if math.isfinite(value):
        return value
    return None if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")


def from_json(value: Any) -> float:
    """A number of the results document: null is NaN, "Infinity" infinite.

    >>> from_json(None), from_json("-Infinity"), from_json(0.5)
    (nan, -inf, 0.5)
    """
    if value is None:
        return math.nan
    return {"Infinity": math.inf, "-Infinity": -math.inf}[value] if isinstance(value, str) else float(value)


def quotient(above: Any, below: Any) -> float:
    """The quotient rounded once, even for integers beyond float64; infinite when `below` is 0."""
    return math.inf if below == 0 else float(above / below)


def standard_error(variance: float) -> float | None:
    """The square root of a variance; None where there is none (negative or NaN)."""
    return math.sqrt(variance) if variance >= 0 else None


def prevalence_factors(positives: Any, negatives: Any, share: Any) -> tuple[Any, Any]:
    """The factors for positives and for negatives that change the prevalence but not the number of cases.

    >>> prevalence_factors(Fraction(10), Fraction(20), Fraction(1, 2))
    (Fraction(3, 2), Fraction(3, 4))
    """
    return share * (1 + negatives / positives), (1 - share) * (1 + positives / negatives)


def crossing(rising: Callable[[float], float], target: float, low: float, high: float) -> float:
    """The point at which a rising function passes the target, to within neighboring floats; the ends are not evaluated.

    By false position, the value of an end that stays halved (Illinois), and every third step by bisection: a quarter of
    the steps of bisection alone.

    >>> round(crossing(lambda x: x * x, 2.0, 0.0, 2.0), 12)
    1.414213562373
    """
    below = above = math.nan  # function value minus target at each end, where known
    step = moved = 0  # moved: how many times in a row the high end moved; negative for the low end
    while True:
        step += 1
        middle = (low + high) / 2
        if not low < middle < high:
            return middle
        if step % 3 and step < MOST_DRAWN and math.isfinite(above - below):
            # distance kept from both ends: overshooting the crossing a little makes the other end move, too
            near = 2 ** abs(moved) * math.ulp(middle)
            drawn = min(max(low - below * (high - low) / (above - below), low + near), high - near)
            middle = drawn if low < drawn < high else middle
        off = rising(middle) - target
        if off < 0:
            low, below, moved = middle, off, min(moved, 0) - 1
            above = above / 2 if moved < -1 else above
        else:
            high, above, moved = middle, off, max(moved, 0) + 1
            below = below / 2 if moved > 1 else below


# ---- logit scale ----


def log(x: float) -> float:
    """The natural logarithm; minus infinity at 0."""
    return math.log(x) if x > 0 else -math.inf


def logit(p: float) -> float:
    """The log-odds log(p / (1 - p)).

    >>> logit(0.5), round(expit(logit(0.2)), 12)
    (0.0, 0.2)
    """
    return math.log(p) - math.log1p(-p)


def expit(x: float) -> float:
    """The probability whose log-odds are x."""
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def logits(p: Array) -> Array:
    """The log-odds of each probability."""
    return np.asarray(np.log(p) - np.log1p(-p))


def expits(x: Array) -> Array:
    """The probability that has each log-odds."""
    return np.asarray(1 / (1 + np.exp(-np.clip(x, -700, 700))))


def beyond_log(r: Array) -> Array:
    """r - log(1 + r) of numbers that are not negative, by its series where the difference would lose digits.

    >>> beyond_log(np.array([1e-9, 1.0])).tolist()
    [4.999999996666667e-19, 0.3068528194400547]
    """
    largest = float(r.max(initial=0.0))
    if largest <= SHORT:
        return _beyond_log_series(r, largest)
    found = np.asarray(r - np.log1p(r))
    small = r <= SHORT
    found[small] = _beyond_log_series(r[small], SHORT)
    return found


def _beyond_log_series(r: Array, largest: float) -> Array:
    """The sum over k from 2 of (-r)^k / k, as many terms as the largest needs: 8 at 0.01, 4 at 0.0001."""
    last = 2 if largest < 1e-16 else 1 + math.ceil(16 / -math.log10(largest))
    found = np.full_like(r, (-1) ** last / last)
    for k in range(last - 1, 1, -1):
        found *= r
        found += (-1) ** k / k
    found *= r
    found *= r
    return found


def bisected(values_at: Callable[[Array], Array], length: int, wanted: Any) -> Array:
    """`np.searchsorted(column, wanted, side="right")` of a rising column that is known by its values at places.

    No column is made: a few thousand places of one with millions of rows take a hundredth of the time.

    >>> bisected(lambda at: 10 * at, 5, [-1, 0, 25, 40]).tolist()
    [0, 1, 3, 5]
    """
    wanted = np.asarray(wanted)
    low, high = np.zeros(len(wanted), dtype=np.int64), np.full(len(wanted), length)
    while (low < high).any():
        middle = (low + high) // 2
        behind = np.asarray(values_at(np.minimum(middle, length - 1)) <= wanted, dtype=bool) & (low < high)
        low, high = np.where(behind, middle + 1, low), np.where(behind, high, np.minimum(high, middle))
    return low


# ---- distributions ----

NORMAL = NormalDist()
# degrees of freedom for which tails are summed here; SciPy handles the others and undefined cases
FREEDOM = range(1, 41)


def order_statistic(ordered: Array, q: float) -> float:
    """The order statistic (n + 1)q of sorted values, interpolated linearly (type 6).

    It equals `numpy.quantile` with the method "weibull", which would sort again and load numpy.ma; next to an infinite
    value it is infinite rather than undefined.

    >>> order_statistic(np.array([1.0, 2.0, 4.0]), 0.5), order_statistic(np.array([1.0, 2.0, np.inf]), 0.6)
    (2.0, inf)
    """
    position = min(max(len(ordered) * q + q - 1, 0.0), len(ordered) - 1.0)
    below = math.floor(position)
    part = position - below
    low, high = float(ordered[below]), float(ordered[below + 1 if part else below])
    if math.isinf(high - low) or low == high:
        return low if math.isinf(low) else high
    return low + (high - low) * part if part < 0.5 else high - (high - low) * (1 - part)


@lru_cache(maxsize=64)
def normal_quantile(level: float) -> float:
    """The z of a two-sided interval: 1.959964 for 0.95, without scipy.

    >>> round(normal_quantile(0.95), 6)
    1.959964
    """
    return NORMAL.inv_cdf(0.5 + level / 2)


def bounded(p: float) -> float:
    """The p-value between the smallest positive float and 1."""
    return min(1.0, max(float(p), sys.float_info.min))


def normal_above(z: float) -> float:
    """P(Z > z).

    >>> round(normal_above(1.959964), 6)
    0.025
    """
    return bounded(math.erfc(z / math.sqrt(2)) / 2)


def normal_two_sided(z: float) -> float:
    """P(|Z| > |z|)."""
    return bounded(math.erfc(abs(z) / math.sqrt(2)))


def student_above(t: float, df: float) -> float:
    """P(T > t) with df degrees of freedom; infinite df is the normal."""
    if math.isinf(df):
        return normal_above(t)
    if df > 0 and math.isfinite(t):
        return bounded(student_tail(t, df))
    from scipy.special import stdtr

    return bounded(stdtr(df, -t))


def student_two_sided(t: float, df: float) -> float:
    """P(|T| > |t|)."""
    return bounded(2 * student_above(abs(t), df))


def student_quantile(level: float, df: float) -> float:
    """The t of a two-sided interval at that level."""
    if math.isinf(df):
        return normal_quantile(level)
    p = 0.5 + level / 2
    if df > 0 and 0.5 <= p < 1:
        return student_point(p, df)
    from scipy.special import stdtrit

    return float(stdtrit(df, p))


def fisher_above(f: float, df1: float, df2: float) -> float:
    """P(F > f)."""
    if df1 in FREEDOM and df2 > 0 and 0 <= f < math.inf:
        return bounded(fisher_tail(f, int(df1), df2))
    from scipy.special import fdtrc

    return bounded(fdtrc(df1, df2, f))


def chi2_above(x: float, df: float) -> float:
    """P(X > x) of a chi-square."""
    if df in FREEDOM and math.isfinite(x):
        return bounded(chi2_tail(x, int(df)))
    from scipy.special import chdtrc

    return bounded(chdtrc(df, x))


def coins_at_most(k: float, n: float) -> float:
    """P(X <= k) for the heads X of n fair coins; 0 when k is negative."""
    from scipy.special import betainc

    if k < 0:
        return 0.0
    return 1.0 if k >= n else float(betainc(n - k, k + 1, 0.5))


# ---- argument checks ----


def checked_cases(name: str, x: Any) -> float:
    """A number of cases as a float: finite and not negative, whole or weighted.

    >>> checked_cases("tp", 7)
    7.0
    >>> checked_cases("tp", -1)
    Traceback (most recent call last):
    rocscope.errors.RocscopeError: tp must be a number of cases, 0 or more, not -1
    """
    number = _number(x)
    if not 0 <= number < math.inf:
        raise RocscopeError(f"{name} must be a number of cases, 0 or more, not {x!r}")
    return number


def checked_share(name: str, x: Any, *, hint: str) -> float:
    """A share as a float: strictly between 0 and 1.

    >>> checked_share("prevalence", 2, hint="2 % is 0.02")
    Traceback (most recent call last):
    rocscope.errors.RocscopeError: prevalence must lie between 0 and 1, not 2. 2 % is 0.02
    """
    number = _number(x)
    if not 0 < number < 1:
        raise RocscopeError(f"{name} must lie between 0 and 1, not {x!r}", hint=hint)
    return number


LEAST_LEVEL = 1e-6  # a smaller level would reduce the interval to a point


def checked_level(level: Any) -> float:
    """The level, checked to be a probability.

    >>> checked_level(0.9)
    0.9
    >>> checked_level(95)
    Traceback (most recent call last):
    rocscope.errors.RocscopeError: level must lie between 0 and 1, not 95. Write 0.95, not 95
    """
    percent = _number(level)
    hint = f"Write {percent / 100:g}, not {percent:g}" if 50 <= percent < 100 else "Write 0.95, not 95"
    if 0 < percent < LEAST_LEVEL:
        raise RocscopeError(f"level must be at least {LEAST_LEVEL:g}, not {percent:g}", hint="Write 0.95")
    return checked_share("level", level, hint=hint)


def checked_whole(name: str, x: Any, *, least: int) -> int:
    """The value as a whole number, which must not be below the least.

    >>> checked_whole("seed", -1, least=0)
    Traceback (most recent call last):
    rocscope.errors.RocscopeError: seed must be a whole number, 0 or more, not -1
    """
    if isinstance(x, bool) or not isinstance(x, int | np.integer) or x < least:
        raise RocscopeError(f"{name} must be a whole number, {least} or more, not {x!r}")
    return int(x)


def one_of(kind: str, name: str, choices: Collection[str]) -> str:
    """The name itself, if it is one of the choices; otherwise, an error suggests similar ones.

    >>> one_of("McNemar method", "midp", ("mid-p", "exact"))
    Traceback (most recent call last):
    rocscope.errors.RocscopeError: there is no McNemar method 'midp'. Did you mean 'mid-p'?
    """
    if not isinstance(name, str) or name not in choices:
        raise RocscopeError(f"there is no {kind} '{name}'", hint=did_you_mean(str(name), choices))
    return name


def _number(x: Any) -> float:
    """The float of a number, NaN for anything else: text and arrays are not numbers here."""
    if isinstance(x, (str, bytes)):
        return math.nan
    try:
        return float(x)
    except (TypeError, ValueError, OverflowError):
        return math.nan
