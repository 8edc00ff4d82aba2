"""Models over several data sets, by ranks and signs, because scores on different data sets are not comparable.

Several models: Friedman, Nemenyi. Two models: Wilcoxon's signed ranks, the sign test, the Bayesian signed rank.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate
from rocscope.numbers import (
    bounded,
    checked_level,
    chi2_above,
    coins_at_most,
    crossing,
    fisher_above,
    normal_quantile,
    normal_two_sided,
    one_of,
)
from rocscope.record import record
from rocscope.significance.declared_tests import difference
from rocscope.significance.equivalence import Posterior, checked_margin
from rocscope.significance.inputs import ALL_ZERO, Array, doubled_midranks, seeded, table, vector

# ---- several models ----

METHODS = ("iman-davenport", "chi2", "iman-davenport-ties", "chi2-ties")


@difference(
    "friedman",
    takes="data sets x models, higher better",
    says="do several models have the same ranks over data sets",
    cite="Demsar, J Mach Learn Res 2006;7:1-30; Iman & Davenport, Commun Stat 1980;9:571-595",
)
def friedman(scores: Any, *, method: str = "iman-davenport", level: float = 0.95) -> Estimate:
    """Test whether several models have the same ranks over several data sets (rows: data sets, columns: models).

    Friedman's X² = 12N/(k(k+1)) [ΣR² - k(k+1)²/4] of the mean ranks R, and by default Iman & Davenport's F =
    (N-1)X²/(N(k-1) - X²) with (k-1, (k-1)(N-1)) degrees of freedom. `method="chi2"` gives X² itself; the suffix "-ties"
    after either name corrects X² for tied ranks, as R does. The value is Kendall's W = X²/(N(k-1)), from 0 (no
    agreement between data sets) to 1 (all rank the models in the same order), without limits. Reference: Demsar, J Mach
    Learn Res 2006;7:1-30.

    >>> scores = [[.9, .8, .7], [.8, .7, .75], [.95, .9, .6], [.7, .72, .6]]
    >>> friedman(scores).statistic, friedman(scores, method="chi2").statistic
    (3.857142857142857, 4.5)
    """
    level = checked_level(level)
    one_of("Friedman method", method, METHODS)
    values = table("scores", scores, rows="data sets", columns="models")
    rows, models = values.shape
    w = _agreement(values, ties=method.endswith("-ties"))
    if w is None or w == 0:
        why = "all models are tied on every data set, so no difference was observed" if _all_tied(values) else ""
        return _friedman_result(0.0, 0.0, 1.0, values, level, method, why)
    if method.startswith("chi2"):
        chi2 = float(w * rows * (models - 1))
        return _friedman_result(float(w), chi2, chi2_above(chi2, models - 1), values, level, method)
    if w == 1:
        why = (
            "every data set ranks the models in the same order; p is the probability of that, arrangements ** (1 - "
            "data sets)"
        )
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
    doubled = 2 * mean_ranks(values) * rows - rows * (models + 1)  # integers: twice the deviations
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
    """Ranks within each row, 1 for the highest score; tied scores share their mean rank."""
    return np.array([doubled_midranks(*_places(-row)) for row in values]) / 2


def _places(values: Array) -> tuple[Any, int]:
    """The place of each value among the distinct ones, the least first, and how many those are."""
    distinct, positions = np.unique(values, return_inverse=True)
    return positions, len(distinct)


def mean_ranks(values: Array) -> Array:
    """Each model's mean rank over the rows."""
    return np.asarray(ranks_within(values).mean(axis=0), dtype=np.float64)


@record(slots=True)
class CriticalDifference:
    """Mean ranks and the critical difference: the numbers of a critical-difference diagram.

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
        """Whether the ranks of two models differ by at least the critical difference."""
        ranks = dict(zip(self.names, self.ranks, strict=True))
        return abs(ranks[one_of("model", first, ranks)] - ranks[one_of("model", second, ranks)]) >= self.cd

    def plot(self, ax: Any = None) -> Any:
        """Draw the critical-difference diagram with matplotlib and return the Axes."""
        from rocscope import wire

        return wire("CriticalDifference.plot")(self, ax)

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, with ranks by model."""
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
    """Find which models differ over several data sets: mean ranks, the critical difference, and groups of tied models.

    CD = q sqrt(k(k+1)/(6N)), where q is the quantile of the range of k standard normals divided by sqrt 2.
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
        raise RocscopeError(f"names must be {models} distinct names, one per column, not {labels}")
    return labels


def _groups(names: tuple[str, ...], ranks: tuple[float, ...], cd: float) -> tuple[tuple[str, ...], ...]:
    """Maximal runs of models, by rank, whose ends are less than cd apart."""
    order = sorted(range(len(ranks)), key=lambda model: ranks[model])
    groups: list[tuple[str, ...]] = []
    reached = 0
    for start in range(len(order)):
        end = max(i for i in range(start, len(order)) if ranks[order[i]] - ranks[order[start]] < cd)
        if end > max(start, reached):  # more than one model, and not contained in the previous group
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


# ---- two models ----

# maximum number of differences for the exact test; above it the normal approximation is within a few percent of p
EXACT_UP_TO = 200


@difference(
    "wilcoxon",
    takes="differences over data sets",
    says="is one of two models better over data sets, based on signed ranks",
    cite="Wilcoxon, Biometrics Bull 1945;1:80-83; Demsar, J Mach Learn Res 2006;7:1-30",
)
def wilcoxon(diffs: Any, *, method: str = "auto", level: float = 0.95) -> Estimate:
    """Test whether one of two models is better over several data sets, from the signed ranks of the differences.

    `statistic` is the sum of the ranks of the positive differences; differences of 0 are left out, tied ones
    share their mean rank. "exact" counts all sign patterns, ties included; "normal" is the approximation
    with tie and continuity correction; "auto" is exact up to 200 differences. The value is the median of the
    pairwise means (Hodges-Lehmann) with the limits that correspond to the test.
    Reference: Hollander, Wolfe & Chicken, Nonparametric Statistical Methods, 3rd edition 2014, chapter 3.

    >>> print(wilcoxon([.03, .01, .02, .05, -.01, .04, .06, .02]))
    0.028 [0.005, 0.050] p = 0.023
    """
    values, level = vector("diffs", diffs), checked_level(level)
    chosen = one_of("Wilcoxon method", method, ("auto", "exact", "normal"))
    if method == "auto":
        chosen = "exact" if len(values) <= EXACT_UP_TO else "normal"
    name, moved = f"wilcoxon {chosen}", values[values != 0]
    if not moved.size:
        return Estimate(0.0, level=level, method=name, why=ALL_ZERO, p=1.0, statistic=0.0)
    doubled = doubled_midranks(*_places(np.abs(moved)))
    positive = int(doubled[moved > 0].sum())
    p = _exact_p(doubled, positive) if chosen == "exact" else _normal_p(doubled, positive)
    upper = np.triu_indices(len(values))
    means = np.sort((values[:, None] + values[None, :])[upper]) / 2
    low, high, why = _inner(means, _rank_depth(len(values), level), values, level)
    return Estimate(float(np.median(means)), low, high, level, name, why, p, positive / 2)


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
    return normal_two_sided(max(0.0, gap - 0.5) / math.sqrt((ranks**2).sum() / 4))


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
    says="is one of two models better over data sets, based on the number of wins",
    cite="Demsar, J Mach Learn Res 2006;7:1-30",
)
def sign_test(diffs: Any, *, method: str = "exact", level: float = 0.95) -> Estimate:
    """Test whether one of two models wins more often, from the signs of the differences alone.

    `statistic` is the number of wins, which is Bin(wins + losses, 1/2) when neither is better; differences of 0 are
    left out and counted in `why`. p is "exact" or "mid-p". The value is the median difference, with the order
    statistics that contain it at the level as limits. Reference: Demsar, J Mach Learn Res 2006;7:1-30.

    >>> print(sign_test([.03, .01, .02, .05, -.01, .04, .06, .02]))
    0.025 [−0.010, 0.060] p = 0.070
    """
    values, level = vector("diffs", diffs), checked_level(level)
    one_of("sign test method", method, ("exact", "mid-p"))
    wins, losses = int((values > 0).sum()), int((values < 0).sum())
    moved, least = wins + losses, min(wins, losses)
    if moved == 0:
        return Estimate(0.0, level=level, method=f"sign {method}", why=ALL_ZERO, p=1.0, statistic=0.0)
    p = coins_at_most(least, moved) + coins_at_most(least if method == "exact" else least - 1, moved)
    depth = sum(coins_at_most(k, len(values)) <= (1 - level) / 2 for k in range(len(values) // 2))
    low, high, why = _inner(np.sort(values), depth, values, level)
    return Estimate(float(np.median(values)), low, high, level, f"sign {method}", why, bounded(p), float(wins))


def _inner(ordered: Array, depth: int, values: Array, level: float) -> tuple[float, float, str]:
    """The order statistics that a test leaves in, so deep from each end; and what to say of the differences."""
    zeros = int(np.count_nonzero(values == 0))
    remarks = [f"{zeros} of {len(values)} differences are 0 and are left out of the test"] if zeros else []
    if depth < 1:
        remarks.append(f"{len(values)} differences are too few for limits at level {level:g}")
        return math.nan, math.nan, "; ".join(remarks)
    return float(ordered[depth - 1]), float(ordered[-depth]), "; ".join(remarks)


@difference(
    "bayesian-signed-rank",
    takes="differences over data sets, rope",
    says="on what share of similar data sets is the first model worse, practically equal or better",
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
    """The probability, for each of "worse", "practically equal" and "better", that it is the most probable outcome on
    such data sets.

    Weights w ~ Dirichlet(prior, 1, ..., 1) on a pseudo-difference 0 and the differences z; in each draw the shares are
    Σ w_i w_j over pairs with z_i + z_j below -2 rope, in between, and above 2 rope, and the largest share wins. The
    estimate is Wilcoxon's. Reference: Benavoli, Mangili, Corani, Zaffalon & Ruggeri, ICML 2014; Benavoli, Corani,
    Demsar & Zaffalon, J Mach Learn Res 2017;18(77):1-36.

    >>> print(bayesian_signed_rank([.03, .01, .02, .05, -.01, .04, .06, .02], rope=0.01))
    worse 0.00, equivalent (within 0.01) 0.04, better 0.96
    """
    values, margin = vector("diffs", diffs), checked_margin("rope", rope, zero=True)
    if not 0 < prior < math.inf or isinstance(draws, bool) or not 1 <= draws <= 10_000_000:
        raise RocscopeError(f"prior must be positive and draws from 1 to 10,000,000, not {prior!r} and {draws!r}")
    estimate, generator = wilcoxon(values, level=level), seeded(seed)
    points = np.concatenate([[0.0], values])
    pairs = points[:, None] + points[None, :]
    # 0.05 - 0.03 should equal 0.02 exactly, but the float difference is slightly larger
    edge = 2 * margin * (1 + 1e-12)
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
