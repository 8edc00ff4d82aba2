"""Permutation tests of two ROC curves: the ranks of the two models are swapped within cases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rocscope import curves
from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate, undefined
from rocscope.intervals import PairedCases, statistic_of
from rocscope.numbers import checked_level, floats
from rocscope.significance.declared_tests import TWO_SCORES, difference
from rocscope.significance.inputs import (
    Array,
    compared,
    doubled_midranks,
    seeded,
    side_of,
    two_samples,
    without_limits,
)
from rocscope.table import ScoreTable

EXACT_UP_TO = 16  # maximum number of cases for which all 2^n swaps are enumerated
DRAWS = 9_999
MOST_SIGNS = 10**9  # maximum total number of random signs; very many cases get fewer permutations
BLOCK = 2**21


@difference(
    "rank-swap",
    takes=TWO_SCORES,
    says="do two models have the same area, by swapping their ranks within cases",
    cite="Bandos, Rockette & Gur, Stat Med 2005;24:2873-2893",
)
def rank_swap(
    y: Any,
    a: Any,
    b: Any,
    *,
    alternative: str = "two-sided",
    draws: int = DRAWS,
    seed: int = 0,
    level: float = 0.95,
    positive: Any = None,
    higher_is_positive: bool = True,
) -> Estimate:
    """The difference between two AUCs on the same cases, tested by swapping the models' midranks within each case.

    All 2^n swaps are used for up to 16 cases, and `draws` random ones otherwise; the p-value is then (1 + number at
    least as extreme)/(1 + draws), which is never 0. The value is the difference; use `delong` for limits.
    Reference: Bandos, Rockette & Gur, Stat Med 2005;24:2873-2893.

    >>> print(rank_swap([1, 1, 1, 1, 0, 0, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1], [1] * 8))
    0.500 p = 0.008
    """
    level = checked_level(level)
    side_of(alternative)
    rows = PairedCases.of(y, [a, b], positive=positive, higher_is_positive=higher_is_positive)
    gap, stop = compared(rows, statistic_of("auc"), level, "rank swap")
    if stop is not None:
        return without_limits(stop)
    p = rank_swap_p(rows, alternative=alternative, draws=draws, seed=seed)
    return Estimate(gap, level=level, method="rank swap", p=p, statistic=gap)


def rank_swap_p(
    rows: PairedCases,
    *,
    clusters: tuple[Array, int] | None = None,
    alternative: str = "two-sided",
    draws: int = DRAWS,
    seed: int = 0,
) -> float:
    """The p-value of the swaps: under each the difference is Σ ±w_i with one fixed weight per case.

    Swapping within a positive i and a negative j changes the pair's contribution to s_i (p - q)/2 + s_j (p + q)/2 with
    p = ψ(a_i, a_j) - ψ(b_i, b_j) and q = ψ(b_i, a_j) - ψ(a_i, b_j), which is linear in the signs: so a permutation is
    one sum of signed whole numbers, and ties are decided exactly. Cases of a cluster are swapped together.
    """
    weights, side = swap_weights(rows), side_of(alternative)
    if clusters is not None:
        weights = floats(np.bincount(np.asarray(clusters[0], dtype=np.int64), weights, clusters[1]))
    slack = 0.0 if rows.weights is None else 1e-9 * float(np.abs(weights).sum())
    seen = float(side(np.array([weights.sum()]))[0]) - slack
    if len(weights) <= EXACT_UP_TO:
        sums = _all_signs(weights)
        return float(np.count_nonzero(side(sums) >= seen) / len(sums))
    draws = max(999, min(draws, MOST_SIGNS // len(weights)))
    extreme = sum(int(np.count_nonzero(side(sums) >= seen)) for sums in _drawn_signs(weights, draws, seed))
    return (1 + extreme) / (1 + draws)


def swap_weights(rows: PairedCases) -> Array:
    """4PN times the weight of each case, whole numbers whose plain sum is 4PN times the difference of areas.

    With sampling weights each pair counts as the product of its two.
    """
    own = np.ones(len(rows)) if rows.weights is None else floats(rows.weights)
    ranks = [case_midranks(rows, model) for model in (0, 1)]
    up, down = ([rank[side] for rank in ranks] for side in rows.sides)
    heavy, light = own[rows.positives], own[rows.negatives]
    weights = np.zeros(len(rows))
    # 2ψ summed over the other class, for each pairing of ranks: [model of the positive][model of the negative]; for
    # negatives minus twice the total weight of the positives, a constant that cancels in `_signed`
    over_negatives = [[_twice_beaten(up[i], down[j], light) for j in (0, 1)] for i in (0, 1)]
    over_positives = [[-_twice_beaten(down[j], up[i], heavy) for j in (0, 1)] for i in (0, 1)]
    weights[rows.positives] = heavy * _signed(over_negatives, -1)
    weights[rows.negatives] = light * _signed(over_positives, 1)
    return weights


def _signed(twice: list[list[Array]], sign: int) -> Array:
    """p ± q of `rank_swap_p`, summed over the other class: the weight of a negative takes the plus."""
    same = twice[0][0] - twice[1][1]
    crossed = twice[1][0] - twice[0][1]
    return same + sign * crossed


def case_midranks(rows: PairedCases, model: int) -> Array:
    """Twice the midrank of each case; the highest rank is that of the most positive score."""
    size = len(rows.scores[model])
    return doubled_midranks(size - 1 - rows.places[model], size).astype(np.float64)


def _twice_beaten(values: Array, rest: Array, weights: Array) -> Array:
    """Twice the weight of others below each value, plus that of those equal to it."""
    order = np.argsort(rest)
    ordered, total = rest[order], np.concatenate(([0.0], np.cumsum(weights[order])))
    under, upto = (np.searchsorted(ordered, values, side) for side in ("left", "right"))
    return np.asarray(total[under] + total[upto])


def _all_signs(weights: Array) -> Array:
    patterns = np.arange(2 ** len(weights))
    signs = 1 - 2 * ((patterns[:, None] >> np.arange(len(weights))) & 1)
    return np.asarray(signs @ weights)


def _drawn_signs(weights: Array, draws: int, seed: int) -> Iterator[Array]:
    generator, many = seeded(seed), max(1, BLOCK // len(weights))
    for start in range(0, draws, many):
        rows = min(many, draws - start)
        bits = np.unpackbits(generator.integers(0, 256, (rows, -(-len(weights) // 8)), dtype=np.uint8), axis=1)
        yield weights.sum() - 2 * (bits[:, : len(weights)].astype(np.float64) @ weights)


# ---- Venkatraman's test, paired ----


@difference(
    "venkatraman",
    takes=f"{TWO_SCORES}, or two tables",
    says="are two ROC curves the same everywhere, not only in area",
    cite="Venkatraman & Begg, Biometrika 1996;83:835-848; Venkatraman, Biometrics 2000;56:1134-1138",
)
def venkatraman(
    y: Any,
    a: Any,
    b: Any = None,
    *,
    paired: bool = True,
    draws: int = 1_999,
    seed: int = 0,
    level: float = 0.95,
    positive: Any = None,
    higher_is_positive: bool = True,
) -> Estimate:
    """Permutation test of whether two ROC curves are identical; the value is the difference between the areas (no
    limits).

    On the same cases E = Σ_k |errors_A(k) - errors_B(k)|, where both models flag the first k ranks; ranks are swapped
    within cases at random, and ties are broken at random each time. For two samples (venkatraman(ta, tb,
    paired=False)),
    E is the mean distance between the error rates when both flag the same share, and cases of a class are exchanged
    between the samples. `statistic` is E. Constant scores have no ranks and are refused. Reference: Venkatraman & Begg,
    Biometrika 1996;83:835-848; Venkatraman, Biometrics 2000;56:1134-1138.

    >>> y, a = [1, 1, 0, 1, 1, 0, 1, 0, 0, 0], [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
    >>> e = venkatraman(y, a, [10, 9, 7, 8, 6, 5, 4, 3, 2, 1])
    >>> e.statistic, e.p
    (2.0, 0.7415)
    """
    level = checked_level(level)
    if isinstance(y, ScoreTable):
        return _exchange(y, two_samples(y, a, b, paired=paired, test="venkatraman"), draws, seed, level)
    if b is None:
        raise RocscopeError("give two score vectors", hint="venkatraman(y, a, b)")
    rows = PairedCases.of(y, [a, b], positive=positive, higher_is_positive=higher_is_positive)
    if not paired:
        return _exchange(rows.table(0), rows.table(1), draws, seed, level)
    gap, stop = compared(rows, statistic_of("auc"), level, "venkatraman")
    if stop is not None:
        return without_limits(stop)
    _refuse_constant(*(len(scores) for scores in rows.scores))
    statistic, p = _error_swaps(rows, draws, seeded(seed))
    return Estimate(gap, level=level, method="venkatraman", p=p, statistic=statistic)


def _refuse_constant(*distinct: int) -> None:
    if min(distinct) < 2:
        raise RocscopeError(
            "a constant score has no ranks for comparing curves", hint="Use delong, which compares the areas"
        )


def _error_swaps(rows: PairedCases, draws: int, generator: np.random.Generator) -> tuple[float, float]:
    # flagging one more positive removes an error, flagging one more negative adds one
    sign = np.where(rows.mask == 1, -1, 1)
    # ranks in descending order, ties in row order
    ranks = np.stack([_positions(case_midranks(rows, model), None) for model in (0, 1)])
    seen = _distance(ranks, sign)
    extreme = 0
    for _ in range(draws):
        swapped = np.where(generator.random(len(rows)) < 0.5, ranks, ranks[::-1])
        ranked = np.stack([_positions(-row, generator) for row in swapped])
        extreme += _distance(ranked, sign) >= seen
    return float(seen), (1 + extreme) / (1 + draws)


def _positions(values: Array, generator: np.random.Generator | None) -> Array:
    """The place of each value, largest first; ties at random, or in the order given without a generator."""
    keys = np.arange(len(values)) if generator is None else generator.random(len(values))
    position: Any = np.empty(len(values), dtype=np.int64)
    position[np.lexsort((keys, -values))] = np.arange(len(values))
    return position  # type: ignore[no-any-return]


def _distance(ranks: Array, sign: Array) -> int:
    """Σ_k |errors_A(k) - errors_B(k)|; the errors at rank 0 are the same for both."""
    steps = np.zeros(ranks.shape, dtype=np.int64)
    for step, rank in zip(steps, ranks, strict=True):
        step[rank] = sign
    return int(np.abs(np.cumsum(steps[0] - steps[1])).sum())


# ---- Venkatraman's test, two samples ----


def _exchange(first: ScoreTable, second: ScoreTable, draws: int, seed: int, level: float) -> Estimate:
    for table in (first, second):
        if reason := curves.get("auc").why(table):
            return undefined(reason, level=level, method="venkatraman, two samples")
        if table.weighted or not table.exact:
            raise RocscopeError("exchanging cases between samples requires individual cases, not sums of weights")
    _refuse_constant(len(first), len(second))
    gap = curves.auc(first) - curves.auc(second)
    share = (first.positives + second.positives) / sum(table.positives + table.negatives for table in (first, second))
    heights = [_mixture_heights(table, share) for table in (first, second)]
    seen = _curve_distance(heights, share)
    generator, extreme = seeded(seed), 0
    for _ in range(draws):
        extreme += _curve_distance(_exchanged(heights, generator), share) >= seen - 1e-12
    method = "venkatraman, two samples"
    return Estimate(gap, level=level, method=method, p=(1 + extreme) / (1 + draws), statistic=seen)


Heights = tuple[Array, Array]


def _mixture_heights(table: ScoreTable, share: float) -> Heights:
    """Each positive's and each negative's quantile in the mixture of both classes, positives having `share`."""
    hits, alarms = floats(table.tp) / float(table.positives), floats(table.fp) / float(table.negatives)
    flagged = share * hits + (1 - share) * alarms
    middle = (flagged[1:] + flagged[:-1]) / 2
    return np.repeat(middle, table.pos), np.repeat(middle, table.neg)


def _exchanged(heights: list[Heights], generator: np.random.Generator) -> list[Heights]:
    """The cases of each class dealt out anew between the two samples."""
    dealt = []
    for side in (0, 1):
        both = generator.permutation(np.concatenate([height[side] for height in heights]))
        dealt.append((both[: len(heights[0][side])], both[len(heights[0][side]) :]))
    return [(dealt[0][i], dealt[1][i]) for i in (0, 1)]


def _curve_distance(heights: list[Heights], share: float) -> float:
    """∫ |e_1(v) - e_2(v)| dv, e(v) = share FNR + (1 - share) FPR when the share v of the mixture is flagged."""
    curves_at = [_errors_by_flagged(*height, share) for height in heights]
    grid = np.unique(np.concatenate([flagged for flagged, _ in curves_at]))
    gaps = np.interp(grid, *curves_at[0]) - np.interp(grid, *curves_at[1])
    return float(_area_between(grid, gaps))


def _errors_by_flagged(up: Array, down: Array, share: float) -> tuple[Array, Array]:
    """The error rate along the share flagged, straight between points and across ties."""
    values = np.concatenate((up, down))
    weight = np.concatenate((np.full(len(up), share / len(up)), np.full(len(down), (1 - share) / len(down))))
    change = np.concatenate((-weight[: len(up)], weight[len(up) :]))
    order = np.argsort(values, kind="stable")
    last = np.concatenate((values[order][1:] != values[order][:-1], [True]))
    flagged, errors = np.cumsum(weight[order])[last], share + np.cumsum(change[order])[last]
    return np.concatenate(([0.0], flagged)), np.concatenate(([share], errors))


def _area_between(x: Array, gaps: Array) -> float:
    """∫ |gap| of a piecewise straight gap, where it changes sign in a piece too."""
    width, a, b = np.diff(x), gaps[:-1], gaps[1:]
    crossing = a * b < 0
    total = np.where(crossing, 1.0, np.abs(a) + np.abs(b))
    twice = np.where(crossing, (a * a + b * b) / np.where(crossing, np.abs(a) + np.abs(b), 1.0), total)
    return float((width * twice).sum() / 2)
