"""The share of resamples in which each model is cheapest, at given costs or along an axis of cost ratios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope import decisions
from rocscope import hull as hulls
from rocscope.decisions import Costs
from rocscope.errors import RocscopeError
from rocscope.intervals import CellCounts, CellSums, PairedCases, resampled
from rocscope.numbers import checked_whole, floats
from rocscope.record import record
from rocscope.table import ScoreTable

Array = NDArray[Any]


# ---- at given costs ----


@record(slots=True)
class Cheapest:
    """The share of resamples in which each model is the cheapest at its threshold; ties are split."""

    shares: Mapping[str, float]
    thresholds: Mapping[str, float]
    n: int
    seed: int
    why: str = ""

    @property
    def best(self) -> str:
        """The model that is most often the cheapest."""
        return max(self.shares, key=lambda name: self.shares[name])

    def __str__(self) -> str:
        return ", ".join(f"{name} {100 * share:.0f} %" for name, share in self.shares.items())


def best_probability(
    y: Any,
    models: Mapping[str, Any] | Sequence[str],
    costs: Costs,
    *,
    thresholds: Mapping[str, float] | None = None,
    n: int = 2000,
    seed: int = 0,
    positive: Any = None,
    higher_is_positive: bool = True,
) -> Cheapest:
    """The share of resamples in which each model has the lowest expected cost.

    All models are resampled on the same cases, each at its threshold: the one given, or the cheapest on these data.
    Ties are split equally. Cases on which all decisions agree are counted together, so a million rows cost no more than
    a few. Reference: Efron & Tibshirani 1993, An Introduction to the Bootstrap.

    >>> y = [1, 1, 0, 1, 1, 0, 1, 0, 0, 0]
    >>> a = [0.95, 0.9, 0.8, 0.7, 0.65, 0.6, 0.5, 0.4, 0.3, 0.1]
    >>> print(best_probability(y, {"a": a, "reversed": a[::-1]}, Costs(fp=1, fn=5)))
    a 99 %, reversed 1 %
    """
    n = checked_whole("n", n, least=1)
    rows = _of_both_classes(PairedCases.of(y, models, positive=positive, higher_is_positive=higher_is_positive))
    chosen = _thresholds(rows, costs, thresholds)
    stops = (rows.table(model).position(chosen[name]) for model, name in enumerate(rows.names))
    cells, patterns = _patterns(rows, [positions < stop for positions, stop in zip(rows.places, stops, strict=True)])
    wins, flagged = np.zeros(len(rows.names)), floats(patterns)
    for pos, neg in resampled(cells, n, seed=seed):
        tp, fp = floats(pos) @ flagged, floats(neg) @ flagged  # sums of integers, exact in floating point, and faster
        fn, tn = pos.sum(1, keepdims=True) - tp, neg.sum(1, keepdims=True) - fp
        wins += _won(costs.per_case(tp, fp, fn, tn, number=float))
    why = "" if thresholds is not None else "thresholds were chosen on the same data"
    shares = dict(zip(rows.names, (wins / n).tolist(), strict=True))
    return Cheapest(MappingProxyType(shares), MappingProxyType(chosen), n, seed, why)


def _thresholds(rows: PairedCases, costs: Costs, given: Mapping[str, float] | None) -> dict[str, float]:
    if given is None:
        return {
            name: float(decisions.best(rows.table(model), "cost", costs=costs)[0].threshold)
            for model, name in enumerate(rows.names)
        }
    missing = [name for name in rows.names if name not in given]
    if missing:
        raise RocscopeError(f"no threshold was given for {', '.join(missing)}", hint="Give one for each model, or none")
    return {name: float(given[name]) for name in rows.names}


def _of_both_classes(rows: PairedCases) -> PairedCases:
    if not len(rows.positives) or not len(rows.negatives):
        raise RocscopeError("finding the cheapest model requires positives and negatives")
    return rows


def _patterns(rows: PairedCases, steps: Sequence[Array]) -> tuple[CellCounts, Array]:
    """The cases by how all models decide: how many positives and negatives have each pattern; patterns x models.

    A model's steps are whole numbers, one for each case: flagged or not, or the first of its stops that flags it.
    """
    code, patterns = np.zeros(len(rows), dtype=np.intp), np.zeros((1, 0), dtype=np.int64)
    for step in steps:  # each model splits the existing patterns; only those that occur are kept
        size = int(step.max()) + 1
        used, code = _renumbered(size * code + step, size * len(patterns))
        patterns = np.column_stack((patterns[used // size], used % size))
    counts = [np.bincount(code[of_class], minlength=len(patterns)) for of_class in rows.sides]
    return CellCounts(counts[0], counts[1]), patterns


def _renumbered(code: Array, most: int) -> tuple[Array, Array]:
    """The codes that occur, rising, and the place of each case's code among them; all are below `most`."""
    if most > 8 * len(code):  # a table of all codes would take longer than sorting
        used, positions = np.unique(code, return_inverse=True)
        return used, positions
    used = np.flatnonzero(np.bincount(code, minlength=most))
    number = np.zeros(most, dtype=np.intp)
    number[used] = np.arange(len(used))
    return used, number[code]


def _won(cost: Array, scale: Array | None = None) -> Array:
    """How often each model (second axis) has the least cost over a block of resamples, ties split."""
    least = cost.min(axis=1, keepdims=True)
    best = cost <= least + 1e-9 * (np.maximum(1e-300, np.abs(least)) if scale is None else scale)
    return np.asarray((best / best.sum(axis=1, keepdims=True)).sum(axis=0))


# ---- along cost ratios ----


def cheapest_along(
    y: Any,
    models: Mapping[str, Any],
    ratios: Sequence[float],
    *,
    prevalence: Any = None,
    n: int = 600,
    seed: int = 0,
    positive: Any = None,
    higher_is_positive: bool = True,
) -> dict[str, list[float]]:
    """The share of paired resamples in which each model is cheapest, at each cost ratio.

    Each model is used at the threshold that is cheapest for it on these data at that ratio, as in `best_probability`;
    one set of resamples serves all ratios, so neighboring shares are correlated. Ties are split equally. Cases on which
    all models agree at every ratio are drawn together. Reference: Efron & Tibshirani 1993.

    >>> y = [1, 1, 0, 1, 1, 0, 1, 0, 0, 0]
    >>> a = [0.95, 0.9, 0.8, 0.7, 0.65, 0.6, 0.5, 0.4, 0.3, 0.1]
    >>> cheapest_along(y, {"a": a, "same": a}, [1, 5], n=100)
    {'a': [0.5, 0.5], 'same': [0.5, 0.5]}
    """
    rows = _of_both_classes(PairedCases.of(y, models, positive=positive, higher_is_positive=higher_is_positive))
    slopes = _slopes(rows, ratios, prevalence)
    tables = map(rows.table, range(len(rows.names)))
    stops, stop_of_slope = zip(*(_cheapest_rows(table, slopes) for table in tables), strict=True)
    # for each case and model, the first stop at which the case is flagged
    steps = [np.searchsorted(ends, positions, side="right") for ends, positions in zip(stops, rows.places, strict=True)]
    cells, patterns = _patterns(rows, steps)
    every = np.arange(len(patterns))
    sums = [CellSums(every, step, len(ends) + 1) for step, ends in zip(patterns.T, stops, strict=True)]
    wins = np.zeros((len(rows.names), len(slopes)))
    for pos, neg in resampled(cells, n, seed=seed):
        costs = []
        for cell_sums, which in zip(sums, stop_of_slope, strict=True):
            hits, alarms = (np.cumsum(cell_sums.counts(side), axis=1)[:, which] for side in (pos, neg))
            costs.append(slopes * (alarms / cells.negatives) - hits / cells.positives)
        wins += _won(np.stack(costs, axis=1), 1 + slopes)
    return dict(zip(rows.names, (wins / n).tolist(), strict=True))


def _slopes(rows: PairedCases, ratios: Sequence[float], prevalence: Any) -> Array:
    """The slope c of each ratio: (cost FP / cost FN) times negatives / positives."""
    odds = len(rows.negatives) / len(rows.positives)
    if prevalence is not None:
        odds = (1 - float(prevalence)) / float(prevalence)
    return odds / np.asarray(ratios, dtype=np.float64)


def _cheapest_rows(table: ScoreTable, slopes: Array) -> tuple[Array, Array]:
    """The rows of the table where a model is cheapest at some slope, and which of them at each slope."""
    points = hulls.hull(table).points
    rows = np.array([table.position(point.threshold) for point in points])
    rows[0], rows[-1] = 0, len(table)
    fpr, tpr = (np.array([getattr(point, side) for point in points]) for side in ("fpr", "tpr"))
    best = (slopes[:, None] * fpr - tpr).argmin(axis=1)
    stops, which = np.unique(rows[best], return_inverse=True)
    return stops, which
