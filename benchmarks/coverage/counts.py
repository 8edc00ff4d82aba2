"""What counts alone decide, without drawing: proportions, McNemar's test, F1 and MCC, by summing over all outcomes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

import rocscope as rs
from benchmarks.coverage.models import Array

CASES = tuple(range(5, 201))
SHOWN = (5, 10, 20, 50, 100, 200)
MIDDLE = (0.1, 0.9)


# ---- proportions ----


@dataclass(frozen=True)
class Proportion:
    """The coverage of one method at one n: mean over all rates, least over all and over 0.1 to 0.9, mean width."""

    mean: float
    least: float
    least_in_middle: float
    width: float


def proportion_methods() -> tuple[str, ...]:
    return tuple(rs.estimate.methods("proportion"))


def limits(method: str, n: int) -> tuple[Array, Array]:
    """The limits for every k of n; where Wald has none, its text-book point."""
    found = [rs.estimate.proportion(k, n, method=method) for k in range(n + 1)]
    low = np.array([e.value if np.isnan(e.low) else e.low for e in found])
    high = np.array([e.value if np.isnan(e.high) else e.high for e in found])
    return low, high


def proportion_coverage(method: str, cases: Sequence[int] = CASES) -> dict[int, Proportion]:
    return {n: exact_coverage(*limits(method, n)) for n in cases}


def exact_coverage(low: Array, high: Array) -> Proportion:
    """The coverage of closed intervals for k = 0..n as a function of the rate, summed up without a grid.

    Between two limits the set of covering k stays the same and its probability rises, then falls: the least coverage
    lies beside a limit, so looking at both sides of every limit is enough. Its mean over rates is a sum of beta
    integrals, ∫ P(k | q) dq = (I_high - I_low)(k + 1, n - k + 1)/(n + 1).
    """
    from scipy.special import betainc

    n = len(low) - 1
    k = np.arange(n + 1)
    mean = float((betainc(k + 1, n - k + 1, high) - betainc(k + 1, n - k + 1, low)).sum()) / (n + 1)
    ends = np.unique(np.concatenate((low, high, MIDDLE)))
    ends = ends[(ends > 0) & (ends < 1)]
    chances = binomial(n, ends)
    q = ends[:, None]
    just_under = (chances * ((low < q) & (q <= high))).sum(axis=1)
    just_over = (chances * ((low <= q) & (q < high))).sum(axis=1)
    least = np.minimum(just_under, just_over)
    in_middle = (ends >= MIDDLE[0]) & (ends <= MIDDLE[1])
    # Towards a rate of 0 or 1 only k = 0 or k = n are left.
    at_ends = min(float(high[0] > 0), float(low[n] < 1))
    return Proportion(
        mean, min(at_ends, float(least.min())), float(least[in_middle].min()), float((high - low).mean())
    )


def binomial(n: int, rates: Array) -> Array:
    """Rates x (0..n): the binomial probabilities."""
    from scipy.stats import binom

    return np.asarray(binom.pmf(np.arange(n + 1)[None, :], n, np.asarray(rates)[:, None]))


# ---- McNemar ----

TESTS = ("mid-p", "exact", "chi2", "chi2-corrected")
RATES = np.round(np.arange(1, 101) / 100, 2)
ALPHA = 0.05


def conditional_sizes(method: str, most: int) -> Array:
    """For 0..most discordant pairs: the probability that the test rejects at 0.05 when both err equally often."""
    sizes, critical = np.zeros(most + 1), -1
    for pairs in range(1, most + 1):  # the largest lesser count that rejects grows with the pairs
        while 2 * (critical + 1) <= pairs and _rejects(method, critical + 1, pairs):
            critical += 1
        if critical >= 0:
            at_most = float(binomial(pairs, np.array([0.5]))[0, : critical + 1].sum())
            sizes[pairs] = min(1.0, 2 * at_most)
    return sizes


def _rejects(method: str, least: int, pairs: int) -> bool:
    p = rs.significance.mcnemar(least, pairs - least, method=method).p
    assert p is not None
    return p <= ALPHA


def mcnemar_sizes(method: str, cases: Sequence[int] = CASES) -> Array:
    """Cases x rates of discordance: the size of the test when each pair is discordant with that rate."""
    given = conditional_sizes(method, max(cases))
    return np.stack([binomial(n, RATES) @ given[: n + 1] for n in cases])


def safe_rate(sizes: Array) -> float:
    """The largest rate of discordance up to which no size is above 0.05."""
    bad = (sizes > ALPHA + 1e-12).any(axis=0)
    return float(np.max(RATES[~np.maximum.accumulate(bad)], initial=0.0))


# ---- measures of four cells ----

MEASURES = (("f1", None), ("f1", "delta"), ("mcc", None), ("kappa", None))
PREVALENCES = (0.1, 0.3, 0.5)
RATES_OF_CLASSES = ((0.6, 0.8), (0.8, 0.9), (0.95, 0.95))
TOTALS = (20, 50, 100)


@dataclass(frozen=True)
class Setting:
    """How the four cells arise: multinomial, from a prevalence, a sensitivity and a specificity."""

    n: int
    prevalence: float
    sensitivity: float
    specificity: float

    @property
    def name(self) -> str:
        rates = f"sensitivity {self.sensitivity:g}, specificity {self.specificity:g}"
        return f"n = {self.n}, prevalence {self.prevalence:g}, {rates}"

    @property
    def shares(self) -> dict[str, float]:
        up, down = self.prevalence, 1 - self.prevalence
        return {
            "tp": up * self.sensitivity,
            "fp": down * (1 - self.specificity),
            "fn": up * (1 - self.sensitivity),
            "tn": down * self.specificity,
        }


@dataclass(frozen=True)
class Covered:
    """The exact coverage where the measure is defined, the share of samples where it is not, the mean width."""

    coverage: float
    undefined: float
    width: float


def settings(totals: Sequence[int] = TOTALS) -> tuple[Setting, ...]:
    return tuple(Setting(n, p, *rates) for n, p, rates in product(totals, PREVALENCES, RATES_OF_CLASSES))


def all_tables(n: int) -> Array:
    """Every (tp, fp, fn, tn) that adds up to n."""
    tp, fp, fn = (axis.ravel() for axis in np.indices((n + 1, n + 1, n + 1)))
    kept = tp + fp + fn <= n
    tp, fp, fn = tp[kept], fp[kept], fn[kept]
    return np.stack((tp, fp, fn, n - tp - fp - fn), axis=1)


def alike(measure: str) -> Callable[[Sequence[int]], Any]:
    """What tables with the same interval share: F1 sees TP and the errors; MCC and kappa are symmetric."""
    if measure == "f1":
        return lambda c: (c[0], c[1] + c[2])
    return lambda c: (min(c[0], c[3]), max(c[0], c[3]), min(c[1], c[2]), max(c[1], c[2]))


def intervals_of(measure: str, method: str | None, tables: Array) -> Array:
    """Tables x (low, high), NaN where the measure is undefined; alike tables are asked for once."""
    key, known = alike(measure), {}
    rows = []
    for cells in tables.tolist():
        if (which := key(cells)) not in known:
            known[which] = ask(measure, method, cells)
        rows.append(known[which])
    return np.array(rows)


def ask(measure: str, method: str | None, cells: Sequence[int]) -> tuple[float, float]:
    found = rs.estimate.of(rs.measures.get(measure), rs.Counts(*cells), method=method)
    return found.low, found.high


def measure_coverage(measure: str, method: str | None, n: int) -> dict[Setting, Covered]:
    """Every setting of n cases, by summing over all tables."""
    tables = all_tables(n)
    found = intervals_of(measure, method, tables)
    return {setting: _covered(measure, setting, tables, found) for setting in settings((n,))}


def _covered(measure: str, setting: Setting, tables: Array, found: Array) -> Covered:
    truth = float(rs.measures.get(measure).value(setting.shares))
    chance = multinomial(tables, list(setting.shares.values()))
    given = ~np.isnan(found[:, 0])
    total = float(chance[given].sum())
    inside = given & (found[:, 0] <= truth) & (truth <= found[:, 1])
    width = float(chance[given] @ (found[given, 1] - found[given, 0])) / total
    return Covered(float(chance[inside].sum()) / total, 1 - total, width)


def multinomial(tables: Array, shares: Sequence[float]) -> Array:
    from scipy.special import gammaln

    n = int(tables[0].sum())
    return np.asarray(np.exp(gammaln(n + 1) - gammaln(tables + 1).sum(axis=1) + tables @ np.log(shares)))
