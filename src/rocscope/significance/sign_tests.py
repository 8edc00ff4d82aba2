"""Two models over several data sets: the differences' signs and signed ranks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rocscope.errors import RocscopeError, did_you_mean
from rocscope.estimate import Estimate
from rocscope.numbers import bounded, checked_level, coins_at_most, normal_above, normal_quantile
from rocscope.significance.bayesian import Posterior, checked_margin
from rocscope.significance.inputs import Array, seeded, vector
from rocscope.significance.registry import difference

ALL_ZERO = "all differences are 0: no difference seen"
EXACT_UP_TO = 200  # differences; beyond, the normal approximation is within a few percent of p


@difference(
    "wilcoxon",
    takes="differences over data sets",
    says="is one of two models better over data sets, by signed ranks",
    cite="Wilcoxon, Biometrics Bull 1945;1:80-83; Demsar, J Mach Learn Res 2006;7:1-30",
)
def wilcoxon(diffs: Any, *, method: str = "auto", level: float = 0.95) -> Estimate:
    """Whether one of two models is better over several data sets, from the signed ranks of the differences.

    `statistic` is the sum of the ranks of the positive differences; differences of 0 are left out, tied ones
    share their mean rank. "exact" counts all sign patterns, ties included; "normal" is the approximation
    with tie and continuity correction; "auto" is exact up to 200 differences. The value is the median of the
    pairwise means (Hodges-Lehmann) with the limits that go with the test.
    Reference: Hollander, Wolfe & Chicken, Nonparametric Statistical Methods, 3rd edition 2014, chapter 3.

    >>> print(wilcoxon([.03, .01, .02, .05, -.01, .04, .06, .02]))
    0.028 [0.005, 0.050] p = 0.023
    """
    values, level = vector("diffs", diffs), checked_level(level)
    chosen = _wilcoxon_method(method, len(values))
    name, moved = f"wilcoxon {chosen}", values[values != 0]
    if not moved.size:
        return Estimate(0.0, level=level, method=name, why=ALL_ZERO, p=1.0, statistic=0.0)
    doubled = _doubled_ranks(np.abs(moved))
    positive = int(doubled[moved > 0].sum())
    p = _exact_p(doubled, positive) if chosen == "exact" else _normal_p(doubled, positive)
    value, low, high, reason = _hodges_lehmann(values, level)
    why = _join(_left_out(values, moved), reason)
    return Estimate(value, low, high, level, name, why, p, positive / 2)


def _wilcoxon_method(method: str, count: int) -> str:
    if method not in ("auto", "exact", "normal"):
        raise RocscopeError(
            f"no Wilcoxon method '{method}'", hint=did_you_mean(str(method), ("auto", "exact", "normal"))
        )
    if method != "auto":
        return method
    return "exact" if count <= EXACT_UP_TO else "normal"


def _doubled_ranks(sizes: Array) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Twice the mid-ranks, so that they are whole numbers."""
    ordered = np.sort(sizes)
    below, upto = np.searchsorted(ordered, sizes, "left"), np.searchsorted(ordered, sizes, "right")
    return np.asarray(below + upto + 1, dtype=np.int64)


def _signed_sums(doubled: Any) -> Array:
    """Chances of each sum when every rank is in it or not by a fair coin: the sums of the sign patterns."""
    chances = np.zeros(int(sum(doubled)) + 1)
    chances[0] = 1.0
    for rank in doubled:
        moved = np.zeros_like(chances)
        moved[rank:] = chances[: len(chances) - rank]
        chances = (chances + moved) / 2
    return chances


def _exact_p(doubled: Any, positive: int) -> float:
    chances = _signed_sums(doubled)
    return bounded(2 * min(chances[: positive + 1].sum(), chances[positive:].sum()))


def _normal_p(doubled: Any, positive: int) -> float:
    """Two-sided, tie-corrected (the variance is the sum of squared ranks over 4), with continuity."""
    ranks = doubled / 2
    gap = abs(positive / 2 - ranks.sum() / 2)
    return bounded(2 * normal_above(max(0.0, gap - 0.5) / math.sqrt((ranks**2).sum() / 4)))


def _hodges_lehmann(values: Array, level: float) -> tuple[float, float, float, str]:
    """The median pairwise mean, and the order statistics of the pairwise means that the test leaves in."""
    upper = np.triu_indices(len(values))
    means = np.sort((values[:, None] + values[None, :])[upper]) / 2
    value, depth = float(np.median(means)), _rank_depth(len(values), level)
    if depth < 1:
        reason = f"{len(values)} differences are too few for limits at level {level:g}"
        return value, math.nan, math.nan, reason
    return value, float(means[depth - 1]), float(means[-depth]), ""


def _rank_depth(count: int, level: float) -> int:
    """How many pairwise means lie outside each limit, plus one; 0 when the level cannot be reached."""
    tail = (1 - level) / 2
    if count > EXACT_UP_TO:
        middle, spread = count * (count + 1) / 4, math.sqrt(count * (count + 1) * (2 * count + 1) / 24)
        return math.floor(middle - normal_quantile(level) * spread)
    below = np.cumsum(_signed_sums(range(1, count + 1)))
    return int(np.searchsorted(below, tail, "right"))


@difference(
    "sign",
    takes="differences over data sets",
    says="is one of two models better over data sets, by counting wins",
    cite="Demsar, J Mach Learn Res 2006;7:1-30",
)
def sign_test(diffs: Any, *, method: str = "exact", level: float = 0.95) -> Estimate:
    """Whether one of two models wins more often, from the signs of the differences alone.

    `statistic` is the number of wins, which is Bin(wins + losses, 1/2) when neither is better; differences
    of 0 are left out and said. p is "exact" or "mid-p". The value is the median difference between the
    order statistics that hold it at the level. Reference: Demsar, J Mach Learn Res 2006;7:1-30.

    >>> print(sign_test([.03, .01, .02, .05, -.01, .04, .06, .02]))
    0.025 [−0.010, 0.060] p = 0.070
    """
    values, level = vector("diffs", diffs), checked_level(level)
    if method not in ("exact", "mid-p"):
        hint = did_you_mean(str(method), ("exact", "mid-p"))
        raise RocscopeError(f"no sign test method '{method}'", hint=hint)
    wins, losses = int((values > 0).sum()), int((values < 0).sum())
    moved, least = wins + losses, min(wins, losses)
    if moved == 0:
        return Estimate(0.0, level=level, method=f"sign {method}", why=ALL_ZERO, p=1.0, statistic=0.0)
    p = coins_at_most(least, moved) + coins_at_most(least if method == "exact" else least - 1, moved)
    low, high, reason = _median_limits(values, level)
    why = _join(_left_out(values, values[values != 0]), reason)
    return Estimate(float(np.median(values)), low, high, level, f"sign {method}", why, bounded(p), float(wins))


def _median_limits(values: Array, level: float) -> tuple[float, float, str]:
    count, ordered, tail = len(values), np.sort(values), (1 - level) / 2
    depth = sum(coins_at_most(k, count) <= tail for k in range(count // 2))
    if depth < 1:
        return math.nan, math.nan, f"{count} differences are too few for limits at level {level:g}"
    return float(ordered[depth - 1]), float(ordered[-depth]), ""


def _left_out(values: Array, moved: Array) -> str:
    zeros = len(values) - len(moved)
    return f"{zeros} of {len(values)} differences are 0 and left out of the test" if zeros else ""


def _join(*reasons: str) -> str:
    return "; ".join(reason for reason in reasons if reason)


@difference(
    "bayesian-signed-rank",
    takes="differences over data sets, rope",
    says="on how many data sets like these is the first model worse, practically equal, better",
    cite="Benavoli, Corani, Demsar & Zaffalon, J Mach Learn Res 2017;18(77):1-36",
)
def bayesian_signed_rank(
    diffs: Any,
    *,
    rope: float,
    prior: float = 0.5,
    draws: int = 50_000,
    seed: int = 0,
    level: float = 0.95,
) -> Posterior:
    """How likely worse, practical equality and better are each the most probable outcome on such data sets.

    Weights w ~ Dirichlet(prior, 1, ..., 1) on a pseudo-difference 0 and the differences z; in each draw the
    shares are Σ w_i w_j over pairs with z_i + z_j below -2 rope, between, above 2 rope, and the largest share
    wins. The estimate is Wilcoxon's. Reference: Benavoli, Mangili, Corani, Zaffalon & Ruggeri, ICML 2014;
    Benavoli, Corani, Demsar & Zaffalon, J Mach Learn Res 2017;18(77):1-36.

    >>> print(bayesian_signed_rank([.03, .01, .02, .05, -.01, .04, .06, .02], rope=0.01))
    worse 0.00, equivalent (within 0.01) 0.04, better 0.96
    """
    values, margin = vector("diffs", diffs), checked_margin("rope", rope, zero=True)
    if not 0 < prior < math.inf or isinstance(draws, bool) or not 1 <= draws <= 10_000_000:
        raise RocscopeError(f"needs prior > 0 and 1 to 10,000,000 draws, not {prior!r} and {draws!r}")
    estimate, generator = wilcoxon(values, level=level), seeded(seed)
    points = np.concatenate([[0.0], values])
    pairs = points[:, None] + points[None, :]
    edge = 2 * margin * (1 + 1e-12)  # 0.05 - 0.03 is on the edge of 0.02, though the sum of floats is above
    regions = np.stack([pairs < -edge, np.abs(pairs) <= edge, pairs > edge]).astype(float)
    weights = np.concatenate([[prior], np.ones(len(values))])
    wins = _region_wins(regions, weights, int(draws), generator)
    left, inside, right = (float(share) for share in wins / draws)
    why = ALL_ZERO if not values.any() else ""
    return Posterior(left, inside, right, margin, estimate, f"Bayesian signed rank, seed {seed}", why)


def _region_wins(regions: Array, weights: Array, draws: int, generator: np.random.Generator) -> Array:
    """In how many draws each region has the largest share, ties split; in blocks of bounded memory."""
    wins, block = np.zeros(3), max(1, 2_000_000 // len(weights))
    for start in range(0, draws, block):
        sample = generator.dirichlet(weights, size=min(block, draws - start))
        shares = np.stack([((sample @ region) * sample).sum(axis=1) for region in regions])
        best = shares >= shares.max(axis=0) - 1e-12
        wins += (best / best.sum(axis=0)).sum(axis=1)
    return wins
