"""Which of several models is better, and how certain that is: the same code for scores, classes and labels.

The inputs are the differences between two models in the deciding quantity, and the covariance of its values on the same
cases; their origin (DeLong's placements, costs of decisions, resamples) does not matter here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from rocscope import significance
from rocscope.estimate import Estimate
from rocscope.evaluation.cost_differences import z_of_limits
from rocscope.evaluation.methods import MOST_PAIRED
from rocscope.numbers import Array, json_number, normal_quantile, normal_two_sided
from rocscope.record import record
from rocscope.verdicts import LEANING


@record(slots=True)
class Difference:
    """The difference between two models: the measure, its size, and the p-value before and after adjustment.

    The p-value of the estimate is that of its limits. `p_uncorrected` is DeLong's own where it differs: its variance
    has no floor, so with few cases it can be below 0.05 beside limits that include 0.
    """

    a: str
    b: str
    what: str
    estimate: Estimate
    p_adjusted: float
    p_uncorrected: float | None = None

    @property
    def settled(self) -> bool:
        """Whether the interval excludes 0 and, with several comparisons, the adjusted p-value agrees."""
        return significance.settled(self.estimate, self.p_adjusted)

    def to_dict(self) -> dict[str, Any]:
        """The difference as written in the results document."""
        facts = {"a": self.a, "b": self.b, "what": self.what, "settled": self.settled}
        own = {} if self.p_uncorrected is None else {"p_uncorrected": json_number(self.p_uncorrected)}
        return {**facts, "p_adjusted": json_number(self.p_adjusted), **self.estimate.to_dict(), **own}


@record
class PairedInference:
    """Inference about the models of a comparison in one quantity, on the same cases.

    `difference(a, b)` is the difference between two models with its interval, `covariance()` the covariance of the
    values of all models; `width` is the largest possible difference. `symmetric` limits are equally far from the
    estimate on both sides. `df` are the degrees of freedom of the covariance: the limits of one pair already allow for
    few cases, but the critical value for the largest of many differences depends on them.
    """

    names: tuple[str, ...]
    first: str
    what: str
    difference: Callable[[str, str], Estimate]
    covariance: Callable[[], Any]
    level: float = 0.95
    seed: int = 0
    width: float = math.inf
    symmetric: bool = False
    df: float = math.inf

    def against_each(self) -> tuple[Difference, ...]:
        """Compare the first model with each other model, with p-values adjusted over all pairs of models.

        The first model is the best on these data, and any model could have been first; so all pairs are adjusted for.
        The adjusted p-value is that of the simultaneous limits of the pair (`pairs`), or Holm's without a covariance.
        """
        known = {frozenset((pair.a, pair.b)): pair.p_adjusted for pair in self.pairs()}
        return tuple(
            replace(difference, p_adjusted=known.get(frozenset((difference.a, difference.b)), difference.p_adjusted))
            for difference in _by_holm([self])
        )

    def pairs(self) -> tuple[Difference, ...]:
        """Every pair of models with simultaneous limits; empty without a covariance or above `MOST_PAIRED` models.

        The max-|T| method: the limits are as many standard errors from the estimate as the largest of all differences
        between equally good models exceeds with probability 1 - level.
        """
        return self._pairs

    @cached_property
    def _pairs(self) -> tuple[Difference, ...]:
        if len(self.names) > MOST_PAIRED:
            return ()
        spread = np.atleast_2d(np.asarray(self.covariance(), dtype=np.float64))
        if not np.isfinite(spread).all():
            return ()
        df = self.df if len(self.names) > 2 else math.inf
        largest = significance.max_t(spread, df=df, level=self.level, seed=self.seed)
        return tuple(self._simultaneous(a, b, largest) for a, b in combinations(self.names, 2))

    def _simultaneous(self, a: str, b: str, largest: significance.LargestDifference) -> Difference:
        """A difference with limits simultaneous over all pairs, of the same form as its own limits."""
        difference, z = self.difference(a, b), normal_quantile(largest.level)
        below, above = (
            (difference.value - difference.low) / z,
            (difference.high - difference.value) / z,
        )  # standard error on each side
        low, high = difference.value - largest.critical * below, difference.value + largest.critical * above
        if self.symmetric:  # use the larger side: the other one may be clipped to the range
            reach = largest.critical * max(below, above)
            low, high = difference.value - reach, difference.value + reach
        own, towards = agreeing(difference), below if difference.value > 0 else above
        p = math.nan if own.p is None else own.p
        if len(self.names) > 2 and towards > 0:  # never below the p-value of the pair alone
            p = max(p, largest.p(difference.value / towards))
        limited = replace(own, low=low, high=high, method=f"{own.method}, max-|T| over all pairs")
        known = limited if math.isnan(p) else replace(limited, p=p)
        return Difference(a, b, self.what, self.within_range(known), p, uncorrected(difference))

    def within_range(self, difference: Estimate) -> Estimate:
        """Restrict the limits of a difference to the possible range, which those of a few clusters could exceed."""
        return replace(difference, low=max(difference.low, -self.width), high=min(difference.high, self.width))


def together(found: Sequence[PairedInference]) -> tuple[Difference, ...]:
    """Compare the first model with each other one in several quantities, with p-values adjusted over all (Holm).

    They are never below those adjusted for the pairs in one quantity.
    """
    alone = [difference for inference in found for difference in inference.against_each()]
    return tuple(
        replace(difference, p_adjusted=max(difference.p_adjusted, own.p_adjusted))
        for difference, own in zip(_by_holm(found), alone, strict=True)
    )


def _by_holm(found: Sequence[PairedInference]) -> tuple[Difference, ...]:
    """The first model against each other one, with p-values adjusted by Holm over all pairs and quantities.

    Above `MOST_PAIRED` models, they are adjusted by Bonferroni, which needs no test of the other pairs.
    """
    held: list[tuple[PairedInference, str, Estimate]] = []
    rest: list[float | None] = []
    for one in found:
        others = [name for name in one.names if name != one.first]
        held += [(one, name, one.difference(one.first, name)) for name in others]
        if len(one.names) <= MOST_PAIRED:
            rest += [agreeing(one.difference(a, b)).p for a, b in combinations(others, 2)]
    known = [agreeing(difference).p for _, _, difference in held]
    tests = sum(math.comb(len(inference.names), 2) for inference in found)
    if len(known) + len(rest) == tests:
        ps = significance.holm_defined([*known, *rest])
    else:
        ps = [math.nan if p is None else min(1.0, p * tests) for p in known]
    return tuple(
        Difference(one.first, name, one.what, one.within_range(agreeing(difference)), p, uncorrected(difference))
        for (one, name, difference), p in zip(held, ps, strict=False)
    )


def with_p_together(rows: Sequence[Difference], whole: Sequence[Difference]) -> list[dict[str, Any]]:
    """Differences for the results document.

    If several quantities are compared, with p adjusted over all of them.
    """
    known = {(one.a, one.b, one.what): json_number(one.p_adjusted) for one in whole}
    several = len({one.what for one in whole}) > 1
    return [
        {**one.to_dict(), **({"p_together": known.get((one.a, one.b, one.what))} if several else {})} for one in rows
    ]


def agreeing(difference: Estimate) -> Estimate:
    """A difference with the p-value and statistic of its limits: p is at most 1 - level if they exclude 0.

    A difference whose limits are not normal keeps its own p-value.

    >>> agreeing(Estimate(0.1, -0.02, 0.22, method="delong", p=0.03, statistic=2.17)).p > 0.05
    True
    """
    if math.isnan(difference.low) or not difference.method.startswith(("delong", "newcombe-paired", "linearized")):
        return difference
    z = z_of_limits(difference)
    p = normal_two_sided(z)
    if not _own_p(difference, p):
        return replace(difference, p=p, statistic=z, df=None)
    return replace(difference, method=difference.method.removesuffix(", rank swap"), why="", p=p, statistic=z, df=None)


def uncorrected(difference: Estimate) -> float | None:
    """DeLong's own p-value where it differs from that of the limits; None elsewhere."""
    return difference.p if _own_p(difference, agreeing(difference).p) else None


def _own_p(difference: Estimate, of_limits: float | None) -> bool:
    """Whether DeLong's test has a p-value of its own: its variance is smaller than that of the limits."""
    own = difference.p
    if own is None or of_limits is None or not difference.method.startswith("delong"):
        return False
    return not math.isclose(own, of_limits, rel_tol=1e-9)


def certainty_of(deciding: Sequence[Difference], rivals: int, decides: str, best: float | None) -> dict[str, Any]:
    """The certainty of a recommendation: "settled", "leaning" or "open", and the reason.

    Settled: its difference from every other model in the deciding quantity excludes 0 at the level of the comparison
    (an intersection-union test needs no adjustment). Leaning: not settled, but best in at least 80 % of resamples.
    Open: otherwise.
    """
    against = [
        difference.b for difference in deciding if not (difference.estimate.low > 0 or difference.estimate.high < 0)
    ]
    settled = len(deciding) == rivals > 0 and not against
    grade = "settled" if settled else "leaning" if best is not None and best >= LEANING else "open"
    return {"grade": grade, "decides": decides, "best_share": best, "against": against}


# ---- summaries of resamples ----


def replicate_covariance(replicates: Array) -> Array:
    """The covariance of all models' values (rows) over the same resamples (columns).

    NaN if there are too few.
    """
    known = replicates[:, np.isfinite(replicates).all(axis=0)]
    return np.cov(known) if known.shape[1] > 1 else np.full((len(known), len(known)), math.nan)


def best_shares(replicates: Array, *, lowest: bool) -> tuple[float, ...]:
    """The share of resamples in which each model is best; ties are split."""
    values = -replicates if lowest else replicates
    values = values[:, np.isfinite(values).all(axis=0)]
    if not values.shape[1]:
        return (math.nan,) * len(values)
    first = values == values.max(axis=0)
    return tuple((first / first.sum(axis=0)).mean(axis=1).tolist())
