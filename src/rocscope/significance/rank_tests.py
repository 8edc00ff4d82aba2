"""Several models over several data sets: ranks, because scores of different data sets do not compare."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from rocscope.errors import RocscopeError, did_you_mean
from rocscope.estimate import Estimate
from rocscope.numbers import bounded, checked_level, chi2_above, crossing, fisher_above
from rocscope.significance.inputs import Array, table
from rocscope.significance.registry import difference

METHODS = ("iman-davenport", "chi2", "iman-davenport-ties", "chi2-ties")


@difference(
    "friedman",
    takes="data sets x models, higher better",
    says="do several models rank alike over data sets",
    cite="Demsar, J Mach Learn Res 2006;7:1-30; Iman & Davenport, Commun Stat 1980;9:571-595",
)
def friedman(scores: Any, *, method: str = "iman-davenport", level: float = 0.95) -> Estimate:
    """Whether several models rank alike over several data sets (rows: data sets, columns: models).

    Friedman's X² = 12N/(k(k+1)) [ΣR² - k(k+1)²/4] of the mean ranks R, and by default Iman & Davenport's
    F = (N-1)X²/(N(k-1) - X²) with (k-1, (k-1)(N-1)) degrees of freedom. `method="chi2"` gives X² itself;
    "-ties" after either corrects X² for tied ranks, as R does. The value is Kendall's W = X²/(N(k-1)), from
    0 (no agreement between data sets) to 1 (all rank alike), without limits.
    Reference: Demsar, J Mach Learn Res 2006;7:1-30.

    >>> scores = [[.9, .8, .7], [.8, .7, .75], [.95, .9, .6], [.7, .72, .6]]
    >>> friedman(scores).statistic, friedman(scores, method="chi2").statistic
    (3.857142857142857, 4.5)
    """
    level = checked_level(level)
    if method not in METHODS:
        raise RocscopeError(f"no Friedman method '{method}'", hint=did_you_mean(str(method), METHODS))
    values = table("scores", scores, rows="data sets", columns="models")
    rows, models = values.shape
    w = _agreement(values, ties=method.endswith("-ties"))
    if w is None or w == 0:
        why = "all models are tied on every data set: no difference seen" if _all_tied(values) else ""
        return _friedman_result(0.0, 0.0, 1.0, values, level, method, why)
    if method.startswith("chi2"):
        chi2 = float(w * rows * (models - 1))
        return _friedman_result(float(w), chi2, chi2_above(chi2, models - 1), values, level, method)
    if w == 1:
        why = "every data set ranks the models alike: p is the chance of that, arrangements ** (1 - data sets)"
        return _friedman_result(1.0, math.inf, _chance_of_agreement(values), values, level, method, why)
    f = float((rows - 1) * w / (1 - w))
    p = fisher_above(f, models - 1, (models - 1) * (rows - 1))
    return _friedman_result(float(w), f, p, values, level, method)


def _friedman_result(
    w: float, statistic: float, p: float, values: Array, level: float, method: str, why: str = ""
) -> Estimate:
    rows, models = values.shape
    two = (models - 1.0, (models - 1.0) * (rows - 1.0))
    df: float | tuple[float, float] = two[0] if method.startswith("chi2") else two
    return Estimate(w, level=level, method=f"friedman {method}", why=why, p=p, statistic=statistic, df=df)


def _agreement(values: Array, *, ties: bool) -> Fraction | None:
    """Kendall's W as an exact fraction, so that 1 is 1; None when every row is tied throughout."""
    rows, models = values.shape
    doubled = 2 * mean_ranks(values) * rows - rows * (models + 1)  # whole numbers, twice the deviations
    between = 3 * sum(round(x) ** 2 for x in doubled)
    lost = sum(t**3 - t for row in values for t in _tie_sizes(row)) if ties else 0
    spread = rows * ((models - 1) * rows * models * (models + 1) - lost)
    return Fraction(between, spread) if spread else None


def _tie_sizes(row: Array) -> list[int]:
    return [int(size) for size in np.unique(row, return_counts=True)[1]]


def _all_tied(values: Array) -> bool:
    return bool((np.ptp(values, axis=1) == 0).all())


def _chance_of_agreement(values: Array) -> float:
    """The chance that all other data sets repeat the arrangement of the first, when all are equally likely."""
    log_ways = math.lgamma(values.shape[1] + 1) - sum(math.lgamma(t + 1) for t in _tie_sizes(values[0]))
    return bounded(math.exp(max(-745.0, (1 - len(values)) * log_ways)))


def ranks_within(values: Array) -> Array:
    """Ranks inside each row, 1 for the highest score, tied scores sharing their mean rank."""
    above = (values[:, None, :] > values[:, :, None]).sum(axis=2)
    equal = (values[:, None, :] == values[:, :, None]).sum(axis=2)
    return np.asarray(above + (equal + 1) / 2, dtype=np.float64)


def mean_ranks(values: Array) -> Array:
    """Each model's mean rank over the rows."""
    return np.asarray(ranks_within(values).mean(axis=0), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class CriticalDifference:
    """Mean ranks, and how far apart two must be to differ: the numbers of a critical-difference diagram.

    `groups` are the bars of the diagram: the largest sets of models, best first, in which no two ranks are
    `cd` or more apart (sets of one are not listed). `p` holds a p-value for each pair of models.
    """

    names: tuple[str, ...]
    ranks: tuple[float, ...]
    cd: float
    groups: tuple[tuple[str, ...], ...]
    p: tuple[tuple[float, ...], ...]
    level: float
    rows: int

    def differ(self, first: str, second: str) -> bool:
        """Whether the ranks of two models are at least the critical difference apart."""
        for name in (first, second):
            if name not in self.names:
                raise RocscopeError(f"no model '{name}'", hint=did_you_mean(name, self.names))
        ranks = dict(zip(self.names, self.ranks, strict=True))
        return abs(ranks[first] - ranks[second]) >= self.cd

    def plot(self, ax: Any = None) -> Any:
        """Draw the critical-difference diagram with matplotlib and return the Axes."""
        from rocscope import wire

        return wire("CriticalDifference.plot")(self, ax)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, ranks by model."""
        return {
            "ranks": dict(zip(self.names, self.ranks, strict=True)),
            "cd": self.cd,
            "groups": [list(group) for group in self.groups],
            "p": [list(row) for row in self.p],
            "level": self.level,
            "data_sets": self.rows,
        }


@difference(
    "nemenyi",
    takes="data sets x models, higher better",
    says="which pairs of models differ over data sets",
    cite="Demsar, J Mach Learn Res 2006;7:1-30",
)
def nemenyi(scores: Any, *, names: Sequence[str] | None = None, level: float = 0.95) -> CriticalDifference:
    """Which models differ over several data sets: mean ranks, the critical difference, and who is tied.

    CD = q sqrt(k(k+1)/(6N)), q the quantile of the range of k standard normals over sqrt 2.
    Reference: Demsar, J Mach Learn Res 2006;7:1-30 (Nemenyi's test).

    >>> scores = [[.9, .8, .7], [.8, .7, .75], [.95, .9, .6], [.7, .72, .6]]
    >>> result = nemenyi(scores, names=["a", "b", "c"])
    >>> result.ranks, round(result.cd, 4), result.groups
    ((1.25, 2.0, 2.75), 1.6572, (('a', 'b', 'c'),))
    """
    level = checked_level(level)
    values = table("scores", scores, rows="data sets", columns="models")
    rows, models = values.shape
    labels = _labels(names, models)
    ranks, scale = mean_ranks(values), math.sqrt(models * (models + 1) / (6 * rows))
    cd = range_quantile(level, models) / math.sqrt(2) * scale
    gaps = np.abs(ranks[:, None] - ranks[None, :]) / scale * math.sqrt(2)
    p = tuple(tuple(bounded(1 - range_cdf(float(gap), models)) for gap in row) for row in gaps)
    shown = tuple(float(rank) for rank in ranks)
    return CriticalDifference(labels, shown, cd, _groups(labels, shown, cd), p, level, rows)


def _labels(names: Sequence[str] | None, models: int) -> tuple[str, ...]:
    labels = tuple(str(number) for number in range(models)) if names is None else tuple(names)
    if len(labels) != models or len(set(labels)) != models:
        raise RocscopeError(f"names must be {models} different names, one per column, not {labels}")
    return labels


def _groups(names: tuple[str, ...], ranks: tuple[float, ...], cd: float) -> tuple[tuple[str, ...], ...]:
    """Maximal runs of models, by rank, whose ends are less than cd apart."""
    order = sorted(range(len(ranks)), key=lambda model: ranks[model])
    groups: list[tuple[str, ...]] = []
    reached = 0
    for start in range(len(order)):
        end = max(i for i in range(start, len(order)) if ranks[order[i]] - ranks[order[start]] < cd)
        if end > max(start, reached):  # not alone, and not inside the group before
            groups.append(tuple(names[model] for model in order[start : end + 1]))
            reached = end
    return tuple(groups)


def range_cdf(q: float, k: int) -> float:
    """P(R <= q) for the range R of k standard normals: k ∫ φ(z) (Φ(z) - Φ(z - q))^(k-1) dz.

    The trapezoid rule on an even grid converges faster than any power for such integrands.

    >>> round(range_cdf(3.633160, 4), 6)
    0.95
    """
    from scipy.special import ndtr

    if q <= 0:
        return 0.0
    z = np.linspace(-9.0, 9.0 + q, 1 + 16 * math.ceil(18 + q))
    density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    inside = np.clip(ndtr(z) - ndtr(z - q), 0.0, 1.0) ** (k - 1)
    return min(1.0, float(k * (density * inside).sum() * (z[1] - z[0])))


def range_quantile(level: float, k: int) -> float:
    """The q below which the range of k standard normals lies with the given probability.

    >>> round(range_quantile(0.95, 4) / math.sqrt(2), 6)
    2.569032
    """
    return crossing(lambda q: range_cdf(q, k), level, 0.0, 60.0)
