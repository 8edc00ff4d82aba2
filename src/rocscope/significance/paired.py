"""Two or more classifiers on the same cases: correct or not, and how often they predict each class."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate, paired_difference, proportion, undefined
from rocscope.numbers import bounded, checked_cases, checked_level, chi2_above, coins_at_most, one_of
from rocscope.significance.declared_tests import DISCORDANT, difference
from rocscope.significance.inputs import Array, table

# test -> interval method for a proportion that it inverts: 1/2 lies outside exactly when p < 1 - level
INVERTED = {
    "mid-p": "mid-p",
    "exact": "clopper-pearson",
    "chi2": "wilson",
    "chi2-corrected": "wilson-continuity",
}
Places = NDArray[np.int64]
DIRECT = 1000  # maximum number of classes whose covariance is solved as a full matrix


@difference(
    "mcnemar",
    takes=DISCORDANT,
    says="do two classifiers err equally often on the same cases",
    cite="McNemar, Psychometrika 1947;12:153-157; mid-P: Fagerland et al., BMC Med Res Methodol 2013;13:91",
)
def mcnemar(b: float, c: float, *, method: str = "mid-p", level: float = 0.95) -> Estimate:
    """Test whether two classifiers are correct equally often, from the cases that only one of them gets right.

    Only the first is correct on b cases, only the second on c; X ~ Bin(b + c, 1/2). mid-P is
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
        why = "there is no discordant pair: both models are wrong on the same cases"
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
        raise RocscopeError(f"{name} must be an integer number of cases, not {x!r}")
    return count


@difference(
    "cochran-q",
    takes="cases x models, right (1) or wrong (0)",
    says="are several classifiers correct equally often on the same cases",
    cite="Cochran, Biometrika 1950;37:256-266",
)
def cochran_q(correct: Any, *, cases: Any = None, level: float = 0.95) -> Estimate:
    """Test whether several classifiers are correct equally often: cases in rows, models in columns, 1 for correct.

    Q = (k - 1)(k ΣG² - (ΣG)²)/(k ΣL - ΣL²), chi-square with k - 1 degrees of freedom; G are the column sums and L the
    row sums. The value is the highest share of correct predictions minus the lowest (no limits); with two models, Q is
    McNemar's chi-square. `cases` is the number of cases in each row. Reference: Cochran, Biometrika 1950;37:256-266.

    >>> cochran_q([[1, 1, 0], [1, 0, 0], [1, 1, 1], [1, 1, 0], [0, 1, 0]]).statistic
    4.5
    """
    level = checked_level(level)
    right = _zero_one(table("correct", correct, rows="cases", columns="models"))
    models, each = right.shape[1], _repeats(cases, len(right))
    columns, rows = each @ right, right.sum(axis=1)
    gap = float(columns.max() - columns.min()) / float(each.sum())
    spread = float(each @ (models * rows - rows * rows))
    if spread == 0:
        why = "on every case, all models are correct or all are wrong, so no difference was observed"
        return Estimate(gap, level=level, method="cochran-q", why=why, p=1.0, statistic=0.0, df=models - 1.0)
    between = float(models * (columns * columns).sum() - columns.sum() ** 2)
    q = (models - 1) * between / spread
    p = chi2_above(q, models - 1)
    return Estimate(gap, level=level, method="cochran-q", p=p, statistic=q, df=models - 1.0)


def _repeats(cases: Any, rows: int) -> Any:
    """How many cases each row stands for, as whole numbers; 1 unless they are given."""
    each = np.ones(rows, dtype=np.int64) if cases is None else np.asarray(cases)
    if each.shape != (rows,) or each.dtype.kind not in "iu" or (each < 0).any() or not each.any():
        raise RocscopeError(f"cases must be {rows} whole numbers, the number of cases in each row")
    return each


def right_difference(
    a: Any, b: Any, *, cases: Any = None, test: Callable[..., Estimate] = mcnemar, level: float = 0.95
) -> Estimate:
    """The share of cases that the first model gets right minus that of the second, with the p-value of McNemar's test.

    `a` and `b` state whether each case is predicted correctly, or each row if `cases` gives the number of cases per
    row; `test` is another test of the two numbers of discordant cases. The limits are Newcombe's for paired
    proportions, which need not agree with the p-value to the last digit. Reference: Newcombe, Stat Med
    1998;17:2635-2650.

    >>> print(right_difference([1, 1, 1, 0, 1, 1], [1, 0, 0, 0, 1, 0]))
    0.50 [−0.04, 0.77] p = 0.12
    """
    first, second = (np.asarray(flags, dtype=bool) for flags in (a, b))
    each = _repeats(cases, len(first))
    both, alone, other, neither = (
        int(each[side].sum()) for side in (first & second, first & ~second, second & ~first, ~first & ~second)
    )
    gap = paired_difference(both, alone, other, neither, level=level)
    tested = test(alone, other, level=level)
    how = tested.method.removeprefix("mcnemar ")
    name = f"Newcombe's paired limits, {tested.method if how == tested.method else f'McNemar test, {how}'}"
    return Estimate(gap.value, gap.low, gap.high, level, name, tested.why, tested.p, tested.statistic)


# ---- marginal homogeneity and symmetry ----


@difference(
    "bowker",
    takes="a k x k table of two classifications of the same cases",
    says="is one class mistaken for another as often as the reverse",
    cite="Bowker, J Am Stat Assoc 1948;43:572-574",
)
def bowker(square: Any, *, level: float = 0.95) -> Estimate:
    """Test whether a k x k table is symmetric: i in the rows and j in the columns as often as the reverse.

    X² = Σ_{i<j} (n_ij - n_ji)²/(n_ij + n_ji), with one degree of freedom for each pair that occurs; with two classes,
    it is McNemar's test. The rows are the actual classes, or what another model predicts. The value is the share of
    cases off the diagonal that would have to move to make the table symmetric. Reference: Bowker, J Am Stat Assoc
    1948;43:572-574.

    >>> found = bowker([[20, 5, 1], [9, 30, 4], [3, 12, 16]])
    >>> round(found.statistic, 4), found.df, round(found.p, 4)
    (6.1429, 3.0, 0.1049)
    """
    level, cells = checked_level(level), _square_table(square)
    first, second, counts = _confused(cells)
    pairs = np.minimum(first, second) * len(cells) + np.maximum(first, second)
    _, pair = np.unique(pairs, return_inverse=True)
    above, below = (np.bincount(pair, np.where(side, counts, 0.0)) for side in (first < second, first > second))
    df = float(len(above))
    if not df:
        why = "no case is off the diagonal, so there is nothing to compare"
        return Estimate(0.0, level=level, method="bowker", why=why, p=1.0, statistic=0.0, df=0.0)
    gap, sums = above - below, above + below
    statistic = float((gap * gap / sums).sum())
    moved = float(np.abs(gap).sum() / (2 * sums.sum()))
    return Estimate(moved, level=level, method="bowker", p=chi2_above(statistic, df), statistic=statistic, df=df)


@difference(
    "stuart-maxwell",
    takes="a k x k table of two classifications of the same cases",
    says="does each class occur equally often in two classifications of the same cases",
    cite="Stuart, Biometrika 1955;42:412-416; Maxwell, Br J Psychiatry 1970;116:651-655",
)
def stuart_maxwell(square: Any, *, level: float = 0.95) -> Estimate:
    """Test whether each class occurs equally often in the rows and columns of a k x k table (marginal homogeneity).

    X² = d' S⁻¹ d for the differences d of the margins and their covariance S, without the last class, with k - 1
    degrees of freedom. The value is half the sum of |d|, as a share of all cases. Classes that occur on neither side
    are left out. Reference: Stuart, Biometrika 1955;42:412-416; Maxwell, Br J Psychiatry 1970;116:651-655.

    >>> found = stuart_maxwell([[20, 5, 1], [9, 30, 4], [3, 12, 16]])
    >>> round(found.statistic, 4), found.df, round(found.p, 4)
    (5.9302, 2.0, 0.0516)
    """
    level, cells = checked_level(level), _square_table(square)
    used = np.flatnonzero(cells.sum(axis=0) + cells.sum(axis=1) > 0)
    cells = cells[np.ix_(used, used)]
    rows, columns = cells.sum(axis=1), cells.sum(axis=0)
    gap = rows - columns
    moved = float(np.abs(gap).sum() / 2 / cells.sum()) if len(cells) else math.nan
    if not len(cells):
        return undefined("no cases", level=level, method="stuart-maxwell")
    if not gap.any():
        return Estimate(moved, level=level, method="stuart-maxwell", p=1.0, statistic=0.0, df=len(cells) - 1.0)
    # classes that are never confused form separate components; within each connected component one difference is
    # determined by the others and is left out
    confused = _confused(cells)
    free = _all_but_one_of_each(len(cells), *confused[:2])
    df = float(len(free))
    statistic = float(gap[free] @ _solved(rows + columns - 2 * np.diag(cells), confused, free, gap[free]))
    p = chi2_above(statistic, df)
    return Estimate(moved, level=level, method="stuart-maxwell", p=p, statistic=statistic, df=df)


def _confused(cells: Array) -> tuple[Places, Places, Array]:
    """Row, column and number of the cases of each cell off the diagonal that has any: few of many classes are."""
    first, second = np.nonzero(cells)
    off = first != second
    first, second = first[off], second[off]
    return first, second, cells[first, second]


def _all_but_one_of_each(size: int, first: Places, second: Places) -> Places:
    """The classes without the last of each part that hangs together by links."""
    part = np.arange(size)
    while True:  # propagate the largest number among neighbors until nothing changes
        greatest = part.copy()
        np.maximum.at(greatest, first, part[second])
        np.maximum.at(greatest, second, part[first])
        if (greatest == part).all():
            return np.flatnonzero(part != np.arange(size))
        part = greatest


def _solved(diagonal: Array, confused: tuple[Places, Places, Array], free: Places, gap: Array) -> Array:
    """S⁻¹ d for the free classes; S has this diagonal, and off it minus the cases confused in either direction.

    Of many classes only the cells with cases are used, by conjugate gradients: the time of a direct solution grows with
    the third power of the number of classes (3,000 of them: 0.1 s instead of 0.9 s).
    """
    row_of = np.full(len(diagonal), -1)
    row_of[free] = np.arange(len(free))
    first, second = row_of[confused[0]], row_of[confused[1]]
    inside = (first >= 0) & (second >= 0)
    first, second, counts, own = first[inside], second[inside], confused[2][inside], diagonal[free]
    if len(free) > DIRECT:
        result = _by_conjugate_gradients(own, first, second, counts, gap)
        if result is not None:
            return result
    spread = np.diag(own)
    np.subtract.at(spread, (first, second), counts)
    np.subtract.at(spread, (second, first), counts)
    return np.asarray(np.linalg.solve(spread, gap))


def _by_conjugate_gradients(own: Array, first: Places, second: Places, counts: Array, gap: Array) -> Array | None:
    """The solution by conjugate gradients, scaled by the diagonal; None if they do not converge.

    Reference: Hestenes & Stiefel, J Res Natl Bur Stand 1952;49:409-436.
    """
    size = len(own)
    solution, rest = np.zeros(size), gap.copy()
    scaled = rest / own
    direction, length = scaled.copy(), float(rest @ scaled)
    goal = length * 1e-28
    for _ in range(4 * size):
        if length <= goal:
            return solution
        across = np.bincount(first, counts * direction[second], size)
        image = own * direction - across - np.bincount(second, counts * direction[first], size)
        step = length / float(direction @ image)
        solution += step * direction
        rest -= step * image
        scaled = rest / own
        before, length = length, float(rest @ scaled)
        direction = scaled + length / before * direction
    return None


def _square_table(square: Any) -> Array:
    cells = np.asarray(getattr(square, "matrix", square), dtype=np.float64)
    if cells.ndim != 2 or cells.shape[0] != cells.shape[1] or not cells.size:
        raise RocscopeError(f"the cases must be a k x k table, not an array of shape {cells.shape}")
    if not np.isfinite(cells).all() or (cells < 0).any():
        raise RocscopeError("a table of cases must contain finite, nonnegative counts")
    return cells


def _zero_one(right: Array) -> Array:
    strange = np.argwhere((right != 0) & (right != 1))
    if strange.size:
        row, column = strange[0]
        hint = "Give predicted == actual, not the predictions"
        raise RocscopeError(f"correct must be 0 or 1, but row {row} has {right[row, column]:g}", hint=hint)
    return right
