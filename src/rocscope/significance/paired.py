"""Two or more classifiers on the same cases, each right or wrong."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate, proportion
from rocscope.numbers import bounded, checked_cases, checked_level, chi2_above, coins_at_most, one_of
from rocscope.significance.declared_tests import DISCORDANT, difference
from rocscope.significance.inputs import Array, table

# each test with the interval of a proportion that it inverts: 1/2 lies outside exactly when p < 1 - level
INVERTED = {
    "mid-p": "mid-p",
    "exact": "clopper-pearson",
    "chi2": "wilson",
    "chi2-corrected": "wilson-continuity",
}


@difference(
    "mcnemar",
    takes=DISCORDANT,
    says="do two classifiers err equally often on the same cases",
    cite="McNemar, Psychometrika 1947;12:153-157; mid-P: Fagerland et al., BMC Med Res Methodol 2013;13:91",
)
def mcnemar(b: float, c: float, *, method: str = "mid-p", level: float = 0.95) -> Estimate:
    """Whether two classifiers are right equally often, from the cases only one of them gets right.

    b cases are right for the first alone, c for the second alone; X ~ Bin(b + c, 1/2). mid-P is
    2 P(X <= min) - P(X = min), exact 2 P(X <= min), chi-square (b - c)²/(b + c), corrected
    (|b - c| - 1)²/(b + c). The value is (b - c)/(b + c), from -1 to 1, with the interval that inverts the
    same test; without any discordant pair it is 0 and p is 1.
    Reference: Fagerland, Lydersen & Laake, BMC Med Res Methodol 2013;13:91.

    >>> round(mcnemar(2, 9).p, 6), round(mcnemar(2, 9, method="exact").p, 6), mcnemar(0, 0).p
    (0.038574, 0.06543, 1.0)
    """
    level, b, c = checked_level(level), _whole("b", b), _whole("c", c)
    name = f"mcnemar {one_of('McNemar method', method, INVERTED)}"
    if b + c == 0:
        why = "no discordant pair: both are right and wrong on the same cases"
        return Estimate(0.0, -1.0, 1.0, level, name, why, p=1.0, statistic=0.0)
    share = proportion(b, b + c, method=INVERTED[method], level=level)
    statistic, p = _mcnemar_test(b, c, method)
    limits = 2 * share.low - 1, 2 * share.high - 1
    df = 1.0 if method.startswith("chi2") else None
    return Estimate((b - c) / (b + c), *limits, level, name, p=p, statistic=statistic, df=df)


def _mcnemar_test(b: float, c: float, method: str) -> tuple[float, float]:
    """The statistic (the lesser count, or chi-square) and its p-value."""
    least, pairs = min(b, c), b + c
    if method == "exact":
        return least, bounded(2 * coins_at_most(least, pairs))
    if method == "mid-p":
        return least, bounded(coins_at_most(least, pairs) + coins_at_most(least - 1, pairs))
    gap = max(0.0, abs(b - c) - (1 if method == "chi2-corrected" else 0))
    return gap * gap / pairs, chi2_above(gap * gap / pairs, 1)


def _whole(name: str, x: float) -> float:
    count = checked_cases(name, x)
    if count != math.floor(count):
        raise RocscopeError(f"{name} must be a whole number of cases, not {x!r}")
    return count


@difference(
    "cochran-q",
    takes="cases x models, right (1) or wrong (0)",
    says="are several classifiers right equally often on the same cases",
    cite="Cochran, Biometrika 1950;37:256-266",
)
def cochran_q(correct: Any, *, level: float = 0.95) -> Estimate:
    """Whether several classifiers are right equally often: cases in rows, models in columns, 1 for right.

    Q = (k - 1)(k ΣG² - (ΣG)²)/(k ΣL - ΣL²), chi-square with k - 1 degrees of freedom; G are the sums of the
    columns, L of the rows. The value is the greatest share of right answers minus the least (no limits);
    with two models Q is McNemar's chi-square. Reference: Cochran, Biometrika 1950;37:256-266.

    >>> cochran_q([[1, 1, 0], [1, 0, 0], [1, 1, 1], [1, 1, 0], [0, 1, 0]]).statistic
    4.5
    """
    level = checked_level(level)
    right = _zero_one(table("correct", correct, rows="cases", columns="models"))
    models = right.shape[1]
    columns, rows = right.sum(axis=0), right.sum(axis=1)
    gap = float(columns.max() - columns.min()) / len(right)
    spread = float(models * rows.sum() - (rows * rows).sum())
    if spread == 0:
        why = "on every case all models are right or all are wrong: no difference seen"
        return Estimate(gap, level=level, method="cochran-q", why=why, p=1.0, statistic=0.0, df=models - 1.0)
    between = float(models * (columns * columns).sum() - columns.sum() ** 2)
    q = (models - 1) * between / spread
    p = chi2_above(q, models - 1)
    return Estimate(gap, level=level, method="cochran-q", p=p, statistic=q, df=models - 1.0)


def _zero_one(right: Array) -> Array:
    strange = np.argwhere((right != 0) & (right != 1))
    if strange.size:
        row, column = strange[0]
        hint = "Give predicted == actual, not the predictions"
        raise RocscopeError(f"correct must be 0 or 1, but row {row} has {right[row, column]:g}", hint=hint)
    return right
