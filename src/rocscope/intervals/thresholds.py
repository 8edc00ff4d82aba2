"""The uncertainty of a chosen threshold: the thresholds not worse than the best, and performance on other cases.

The rules are those of `decisions`: a criterion is a function of the four counts, here at every threshold of resamples.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocscope import decisions
from rocscope.decisions import Costs, Criterion, first_best
from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate
from rocscope.intervals.bootstrap_intervals import Progress, check_replicates
from rocscope.intervals.paired_cases import PairedCases
from rocscope.intervals.resamples import CellCounts, block_sizes, cells_along, resampled
from rocscope.intervals.statistics import table_of
from rocscope.numbers import checked_level, floats, one_of, order_statistic
from rocscope.record import record
from rocscope.table import Counts, ScoreTable, cells_of

Array = NDArray[Any]
MOST_THRESHOLDS = 2000
SAME = 1e-12
FOLDS = 5
REPEATS = 20  # maximum number of repeated splits; many cases need fewer
CASES = 200_000  # total number of cases split over all repetitions
MOST = 2**32  # maximum number of cases that are assigned to folds one by one
SHORT = 2**14  # rows of a table from which `first_best` need not look at every row
AT_ONCE = 2**13  # numbers in one array of folds x rows; larger ones are slower, as their memory is new each time


@record(slots=True)
class CutPoints:
    """The best threshold under a criterion, and the `thresholds` that the data cannot distinguish from it.

    `low` and `high` are the lowest and the highest of them; `values` are the criterion's values there.
    """

    best: float
    value: float
    thresholds: Array
    values: Array
    criterion: str
    level: float
    method: str
    why: str = ""

    @property
    def low(self) -> float:
        """The lowest threshold not worse than the best."""
        return float(self.thresholds.min())

    @property
    def high(self) -> float:
        """The highest threshold not worse than the best."""
        return float(self.thresholds.max())

    def __len__(self) -> int:
        return len(self.thresholds)

    def __repr__(self) -> str:
        return (
            f"CutPoints({self.criterion} best at {self.best:g}; {len(self)} thresholds from {self.low:g} to "
            f"{self.high:g} are not worse, level {self.level:g})"
        )


def not_worse(
    t: ScoreTable,
    criterion: str = "youden",
    *,
    costs: Costs | None = None,
    level: float = 0.95,
    n: int = 1999,
    seed: int = 0,
    progress: Progress | None = None,
) -> CutPoints:
    """The set of thresholds that are not worse than the best: an interval for a cut point that is not spuriously
    narrow.

    A threshold k is in the set if the interval of D_k = criterion(best) - criterion(k) contains 0: D_k <= q σ_k, with
    σ_k the bootstrap standard deviation of D_k and q the quantile, at the level, of max_k |D*_k - D_k|/σ_k, so that all
    comparisons hold at once. `criterion`: "youden", "closest", "cost" (with costs), or a measure with a best value. If
    there are more than 2,000 thresholds, they are thinned evenly. The value at the best threshold is optimistic,
    because the threshold was chosen on the same data. Reference: Hsu, Ann Stat 1981;9:1026-1034 (comparisons with the
    best); Kim & Pollard, Ann Stat 1990;18:191-219.

    >>> t = ScoreTable(np.arange(6, 0, -1), np.array([40, 30, 15, 8, 5, 2]), np.array([2, 5, 13, 20, 25, 35]))
    >>> not_worse(t)
    CutPoints(youden best at 4; 2 thresholds from 4 to 5 are not worse, level 0.95)
    """
    level = checked_level(level)
    check_replicates(n, level)
    judge, best = decisions.criterion(criterion, costs)[1], decisions.best(t, criterion, costs=costs)[0]
    rows, cells = _compared(t, best.threshold)
    top = int(np.searchsorted(rows, t.position(best.threshold)))
    seen = judge.worth(cells_along(cells.pos[None, :], cells.neg[None, :]))[0]
    gap = seen[top] - seen
    spread, reach = _reach(cells, judge, gap, top, level, n, seed, progress)
    inside = ~np.isnan(gap) & (gap <= reach * spread + SAME)
    inside[top] = True
    thinned = f"examined {len(rows)} of {len(t) + 1} thresholds" if len(rows) < len(t) + 1 else ""
    optimistic = f"{criterion} at the best threshold is optimistic, because it was chosen on the same data"
    why = "; ".join(part for part in (optimistic, thinned) if part)
    return CutPoints(
        best.threshold, best.value, t.thresholds[rows][inside], seen[inside], criterion, level,
        f"not worse than the best, {n} resamples", why,
    )  # fmt: skip


def _reach(
    cells: CellCounts,
    judge: Criterion,
    gap: Array,
    top: int,
    level: float,
    n: int,
    seed: int,
    progress: Progress | None,
) -> tuple[Array, float]:
    """The standard deviation of each gap, and how many of them hold all gaps at once; the same draws twice."""
    total, squares, count, largest, done = np.zeros(len(gap)), np.zeros(len(gap)), np.zeros(len(gap)), [], 0
    for off in _gaps(cells, judge, gap, top, n, seed):
        known = ~np.isnan(off)
        total += np.where(known, off, 0.0).sum(axis=0)
        squares += np.where(known, off * off, 0.0).sum(axis=0)
        count += known.sum(axis=0)
    safe = np.maximum(count, 1)
    spread = np.sqrt(np.maximum(0.0, squares / safe - (total / safe) ** 2))
    scale = np.where(spread > SAME, spread, np.inf)
    for off in _gaps(cells, judge, gap, top, n, seed):
        largest.append(np.nan_to_num(np.abs(off) / scale).max(axis=1))
        done += len(off)
        if progress is not None:
            progress(done, n)
    return spread, order_statistic(np.sort(np.concatenate(largest)), level)


def _gaps(cells: CellCounts, judge: Criterion, gap: Array, top: int, n: int, seed: int) -> Iterator[Array]:
    """How far the resampled gaps are from those seen, block by block."""
    for pos, neg in resampled(cells, n, seed=seed):
        values = judge.worth(cells_along(pos, neg))
        yield values[:, [top]] - values - gap


def _compared(t: ScoreTable, best: float) -> tuple[Array, CellCounts]:
    """The rows of `along` that are compared, and the cells between them.

    All rows, or an even choice of them that holds the best and both ends; scores up to the next one share a cell.
    """
    rows = np.arange(len(t) + 1)
    if len(rows) > MOST_THRESHOLDS:
        even = np.linspace(0, len(t), MOST_THRESHOLDS).round().astype(int)
        rows = np.unique(np.concatenate((even, [t.position(best)])))
    cell = np.searchsorted(rows, np.arange(len(t)), side="right") - 1
    return rows, CellCounts.of(t, lambda _: cell)


def first_optimum(judge: Criterion, cells: dict[str, Array]) -> Array:
    """The threshold of the largest worth in each replicate, the first where several differ by rounding alone."""
    with np.errstate(divide="ignore", invalid="ignore"):  # a rule may be an arbitrary function
        values = judge.worth(cells)
    if not np.isfinite(values).all():
        values = np.nan_to_num(values, nan=-np.inf)
    top = values.max(axis=1, keepdims=True)
    return np.asarray((values >= top - SAME * np.maximum(1.0, np.abs(top))).argmax(axis=1))


# ---- interval methods by name ----


def cut_point(
    t: ScoreTable,
    criterion: str = "youden",
    *,
    costs: Costs | None = None,
    method: str = "bootstrap",
    level: float = 0.95,
    n: int = 1999,
    seed: int = 0,
) -> Estimate:
    """The best threshold with percentile limits from resampled best thresholds.

    An empirical optimum converges at a cube-root rate, for which the bootstrap is not valid: `not_worse` is the better
    answer. In each resample, the first of tied optima is used. Reference: Kim & Pollard, Ann Stat 1990;18:191-219
    (cube-root convergence).

    >>> t = ScoreTable.from_scores([1, 1, 0, 1, 1, 0, 1, 0, 0, 0], [0.95, 0.9, 0.8, 0.7, 0.65, 0.6, 0.5, 0.4, 0.3, 0.1])
    >>> print(cut_point(t))
    0.65 [0.50, 0.95]
    """
    one_of("cut point interval", method, ["bootstrap"])
    level = checked_level(level)
    check_replicates(n, level)
    judge, best = decisions.criterion(criterion, costs)[1], decisions.best(t, criterion, costs=costs)[0]
    rows, cells = _compared(t, best.threshold)
    chosen = []
    for pos, neg in resampled(cells, n, seed=seed):
        chosen.append(t.thresholds[rows][first_optimum(judge, cells_along(pos, neg))])
    thresholds = np.sort(np.concatenate(chosen))
    low, high = (float(np.quantile(thresholds, q, method="inverted_cdf")) for q in ((1 - level) / 2, (1 + level) / 2))
    why = "best thresholds converge slowly, so percentile limits are rough; intervals.not_worse is more reliable"
    value = float(best.threshold)
    return Estimate(value, min(low, value), max(high, value), level, "bootstrap percentile", why)


# ---- optimism on new cases ----


class Optimism(NamedTuple):
    """The optimism of a criterion on the cases used to choose the threshold, compared with other cases; at least 0."""

    value: float
    folds: int
    repeats: int


def optimism(
    t: ScoreTable, criterion: str = "youden", *, costs: Costs | None = None, folds: int = FOLDS, seed: int = 0
) -> Optimism:
    """The optimism of a chosen threshold: the criterion at the best threshold minus its value on held-out cases.

    The cases are split into folds within each class, each fold is decided by the best threshold of the other folds, and
    the counts of all folds together are assessed; the result is the mean over several splits, or 0 if that is negative
    by chance. It is in the unit of the criterion (the cost per case for "cost") and needs counts of cases: weights are
    refused. Reference: Ewald, J Clin Epidemiol 2006;59:798-801.

    >>> y, s = [1, 1, 0, 1, 1, 0, 1, 0, 0, 0] * 3, [0.95, 0.9, 0.8, 0.7, 0.65, 0.6, 0.5, 0.4, 0.3, 0.1] * 3
    >>> found = optimism(ScoreTable.from_scores(y, s))
    >>> round(found.value, 3), found.repeats
    (0.13, 20)
    """
    if t.weighted or not t.exact:
        raise RocscopeError("the optimism of a threshold requires counts of cases, not weights")
    if t.positives + t.negatives > MOST:
        raise RocscopeError(f"{t.positives + t.negatives} cases are too many to assign to folds")
    cases = int(t.positives + t.negatives)
    _check_folds(folds, int(min(t.positives, t.negatives)))
    judge, repeats = decisions.criterion(criterion, costs)[1], max(1, min(REPEATS, CASES // cases))
    generator, none = np.random.default_rng(seed), np.array([], dtype=np.int64)
    apparent = _best_without(t, judge, (none, none))[1]
    left_out = [float(judge.worth(cells)) for cells in _held_out(t, judge, folds, repeats, generator)]
    gap = apparent - float(np.mean(left_out))
    return Optimism(gap if gap > 1e-12 * (1 + abs(apparent)) else 0.0, folds, repeats)  # a smaller gap is rounding


def _check_folds(folds: int, smaller: int) -> None:
    if isinstance(folds, bool) or not 2 <= folds <= smaller:
        raise RocscopeError(
            f"folds must be from 2 to the size of the smaller class ({smaller}), not {folds}", hint="Give folds=..."
        )


def _held_out(
    t: ScoreTable, judge: Criterion, folds: int, repeats: int, generator: np.random.Generator
) -> list[dict[str, Any]]:
    """For each repetition, the cells of all folds together, each fold decided by the best threshold of the others."""
    if len(t) < SHORT and judge.formula is not None:
        sizes = block_sizes(repeats, folds * (len(t) + 1), AT_ONCE)
        flagged = [row for size in sizes for row in _flagged_at_once(t, judge, folds, size, generator)]
    else:
        flagged = [_flagged_one_by_one(t, judge, folds, generator) for _ in range(repeats)]
    return [cells_of(hits, alarms, int(t.positives), int(t.negatives)) for hits, alarms in flagged]


def _flagged_at_once(
    t: ScoreTable, judge: Criterion, folds: int, repeats: int, generator: np.random.Generator
) -> list[tuple[int, int]]:
    """The positives and negatives flagged in each repetition, all folds in one array (repetitions x folds x rows).

    The twin of `_flagged_one_by_one` for short tables, 2.4 times as fast at 1,000 rows.
    """
    size, cells = len(t), (np.empty((repeats, int(side.sum())), dtype=np.int64) for side in (t.pos, t.neg))
    drawn = list(zip((t.pos, t.neg), cells, strict=True))
    for repeat in range(repeats):
        for counts, positions in drawn:
            positions[repeat] = np.repeat(np.arange(size), counts)
            generator.shuffle(positions[repeat])
    sides = []
    for _, positions in drawn:
        fold = np.arange(positions.shape[1]) % folds + folds * np.arange(repeats)[:, None]
        inside = np.bincount((fold * size + positions).ravel(), minlength=repeats * folds * size)
        sides.append(np.zeros((repeats * folds, size + 1)))
        np.cumsum(inside.reshape(-1, size), axis=1, out=sides[-1][:, 1:])
    kept = [sums - side for sums, side in zip((t.tp, t.fp), sides, strict=True)]
    best = np.nanargmax(judge.worth(cells_of(*kept, *(side[:, -1:] for side in kept))), axis=1)
    flagged = (side[np.arange(len(best)), best].reshape(repeats, folds).sum(axis=1).astype(int) for side in sides)
    return list(zip(*(side.tolist() for side in flagged), strict=True))


def _flagged_one_by_one(t: ScoreTable, judge: Criterion, folds: int, generator: np.random.Generator) -> tuple[int, int]:
    """The positives and negatives flagged in one repetition, by any rule and without a look at every row."""
    hits = alarms = 0
    sides = zip(*(_split(side, folds, generator) for side in (t.pos, t.neg)), strict=True)
    for pos, neg in sides:
        row, _ = _best_without(t, judge, (pos, neg))
        hits, alarms = hits + int(np.searchsorted(pos, row)), alarms + int(np.searchsorted(neg, row))
    return hits, alarms


def _split(counts: Array, folds: int, generator: np.random.Generator) -> Iterator[Array]:
    """The places of the cases of each fold, in order: cases of one class dealt out evenly, in a random order."""
    positions = np.repeat(np.arange(len(counts)), counts)
    generator.shuffle(positions)
    for fold in range(folds):
        yield np.sort(positions[fold::folds])


def _best_without(t: ScoreTable, judge: Criterion, left_out: tuple[Array, Array]) -> tuple[int, float]:
    """The first best row of the table without the cases at some places, and what it is worth."""
    totals = [float(int(sums[-1]) - len(positions)) for sums, positions in zip((t.tp, t.fp), left_out, strict=True)]

    def along(rows: Array) -> dict[str, Any]:
        sides = zip((t.tp, t.fp), left_out, strict=True)
        return cells_of(*(floats(sums[rows] - np.searchsorted(positions, rows)) for sums, positions in sides), *totals)

    def every() -> dict[str, Any]:
        sides = zip((t.pos, t.neg), left_out, strict=True)
        left = (side - np.bincount(positions, minlength=len(t)) for side, positions in sides)
        return cells_of(*(np.concatenate(([0.0], np.cumsum(side, dtype=np.float64))) for side in left), *totals)

    return first_best(judge, along, len(t) + 1, every)


def cross_fitted(
    y: Any,
    score: Any,
    criterion: str = "youden",
    *,
    costs: Costs | None = None,
    folds: int = 10,
    seed: int = 0,
    positive: Any = None,
    higher_is_positive: bool = True,
) -> Counts:
    """The counts at cross-fitted thresholds, each chosen without the cases to which it is applied, so without optimism.

    Cases are split into folds within each class; each fold is decided by the best threshold of the other folds. The
    counts add up to all cases and can be used for any estimate. Reference: Ewald, J Clin Epidemiol 2006;59:798-801 (the
    optimism of data-driven cut points).

    >>> y, s = [1, 1, 0, 1, 1, 0, 1, 0, 0, 0], [0.95, 0.9, 0.8, 0.7, 0.65, 0.6, 0.5, 0.4, 0.3, 0.1]
    >>> cross_fitted(y, s, folds=5)
    Counts(tp=2, fp=1, fn=3, tn=4)
    """
    rows = PairedCases.of(y, [score], positive=positive, higher_is_positive=higher_is_positive)
    flags = _cross_fitted(rows, criterion, costs, folds, seed)
    tp, fp = (int(np.count_nonzero(flags[side])) for side in rows.sides)
    positives, negatives = map(len, rows.sides)
    return Counts.of((tp, fp, positives - tp, negatives - fp), labels=rows.labels)


def cross_fitted_flags(
    y: Any, score: Any, criterion: str = "youden", *, costs: Costs | None = None, folds: int = 10, seed: int = 0
) -> Array:
    """The cases flagged by thresholds that were chosen without them: `cross_fitted`, case by case.

    >>> y, s = [1, 1, 0, 1, 1, 0, 1, 0, 0, 0], [0.95, 0.9, 0.8, 0.7, 0.65, 0.6, 0.5, 0.4, 0.3, 0.1]
    >>> cross_fitted_flags(y, s, folds=5).astype(int).tolist()
    [1, 1, 1, 0, 0, 0, 0, 0, 0, 0]
    """
    return _cross_fitted(PairedCases.of(y, [score]), criterion, costs, folds, seed)


def _cross_fitted(rows: PairedCases, criterion: str, costs: Costs | None, folds: int, seed: int) -> Array:
    fold, t, position = _folds(rows, folds, seed), rows.table(0), rows.places[0]
    flags = np.zeros(len(rows), dtype=bool)
    for number in range(folds):
        inside = fold == number
        pos, neg = (np.bincount(position[side][inside[side]], minlength=len(t)) for side in rows.sides)
        chosen = decisions.best(table_of(t, t.pos - pos, t.neg - neg), criterion, costs=costs)[0].threshold
        flags[inside] = position[inside] < t.position(chosen)
    return flags


def _folds(rows: PairedCases, folds: int, seed: int) -> Array:
    """The fold of each row, classes spread evenly."""
    _check_folds(folds, min(len(rows.positives), len(rows.negatives)))
    generator = np.random.default_rng(seed)
    fold = np.empty(len(rows), dtype=np.int64)
    for of_class in rows.sides:
        fold[of_class] = generator.permutation(np.arange(len(of_class)) % folds)
    return fold
