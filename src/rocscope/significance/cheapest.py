"""In which share of resamples each model is cheapest: at given costs, and along a whole axis of cost ratios at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope import decisions
from rocscope import hull as hulls
from rocscope.decisions import Costs
from rocscope.errors import RocscopeError
from rocscope.intervals import CellCounts, PairedCases, resampled

Array = NDArray[Any]


# ---- at given costs ----


@dataclass(frozen=True, slots=True)
class Cheapest:
    """In which share of resamples each model is the cheapest, at its threshold; ties are shared out."""

    shares: Mapping[str, float]
    thresholds: Mapping[str, float]
    n: int
    seed: int
    why: str = ""

    @property
    def best(self) -> str:
        """The model that is cheapest most often."""
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
    """The probability that each model is the cheapest: its share of resamples with the least expected cost.

    All models are resampled on the same cases, each at its threshold: the one given, or the cheapest on these data.
    Ties are split equally. Cases on which all decisions agree are counted together, so a million rows cost no more than
    a few. Reference: Efron & Tibshirani 1993, An Introduction to the Bootstrap.

    >>> y = [1, 1, 0, 1, 1, 0, 1, 0, 0, 0]
    >>> a = [0.95, 0.9, 0.8, 0.7, 0.65, 0.6, 0.5, 0.4, 0.3, 0.1]
    >>> print(best_probability(y, {"a": a, "reversed": a[::-1]}, Costs(fp=1, fn=5)))
    a 99 %, reversed 1 %
    """
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise RocscopeError(f"n must be a whole number, 1 or more, not {n!r}")
    rows = PairedCases.of(y, models, positive=positive, higher_is_positive=higher_is_positive)
    if not len(rows.positives) or not len(rows.negatives):
        raise RocscopeError("which model is cheapest needs positives and negatives")
    chosen = _thresholds(rows, costs, thresholds)
    flagged = np.stack([_flags(rows, model, chosen[name]) for model, name in enumerate(rows.names)])
    cells, patterns = _patterns(rows, flagged)
    wins = np.zeros(len(rows.names))
    for pos, neg in resampled(cells, n, seed=seed):
        tp, fp = pos @ patterns, neg @ patterns
        fn, tn = pos.sum(1, keepdims=True) - tp, neg.sum(1, keepdims=True) - fp
        cost = costs.per_case(tp, fp, fn, tn, number=float)
        least = cost.min(axis=1, keepdims=True)
        best = cost <= least + 1e-9 * np.maximum(1e-300, np.abs(least))
        wins += (best / best.sum(axis=1, keepdims=True)).sum(axis=0)
    why = "" if thresholds is not None else "thresholds were chosen on the same data"
    shares = dict(zip(rows.names, (wins / n).tolist(), strict=True))
    return Cheapest(MappingProxyType(shares), MappingProxyType(chosen), int(n), seed, why)


def _thresholds(rows: PairedCases, costs: Costs, given: Mapping[str, float] | None) -> dict[str, float]:
    if given is None:
        return {
            name: float(decisions.best(rows.table(model), "cost", costs=costs)[0].threshold)
            for model, name in enumerate(rows.names)
        }
    missing = [name for name in rows.names if name not in given]
    if missing:
        raise RocscopeError(f"no threshold for {', '.join(missing)}", hint="Give one for each model, or none")
    return {name: float(given[name]) for name in rows.names}


def _flags(rows: PairedCases, model: int, threshold: float) -> Array:
    return np.asarray(rows.places[model] < rows.table(model).position(threshold))


def _patterns(rows: PairedCases, flagged: Array) -> tuple[CellCounts, Any]:
    """How many positives and negatives have each pattern of decisions; patterns x models of 0 and 1."""
    code, patterns = np.zeros(len(rows), dtype=np.intp), np.zeros((1, 0), dtype=np.int64)
    for one in flagged:  # each model splits the patterns so far in two; only those that occur are kept
        code = 2 * code + one
        used = np.flatnonzero(np.bincount(code, minlength=2 * len(patterns)))
        number = np.zeros(2 * len(patterns), dtype=np.intp)
        number[used] = np.arange(len(used))
        code, patterns = number[code], np.column_stack((patterns[used >> 1], used & 1))
    counts = [np.bincount(code[of_class], minlength=len(patterns)) for of_class in (rows.positives, rows.negatives)]
    return CellCounts(counts[0], counts[1]), patterns


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
    """The share of paired resamples in which each model costs least, at each ratio of what errors cost.

    Each model stands at the threshold that is cheapest for it on these data at that ratio, as in `best_probability`;
    one set of resamples serves all ratios, so neighboring shares hang together. Ties are split equally. Cases that all
    models decide alike at every ratio are drawn together. Reference: Efron & Tibshirani 1993.

    >>> y = [1, 1, 0, 1, 1, 0, 1, 0, 0, 0]
    >>> a = [0.95, 0.9, 0.8, 0.7, 0.65, 0.6, 0.5, 0.4, 0.3, 0.1]
    >>> cheapest_along(y, {"a": a, "same": a}, [1, 5], n=100)
    {'a': [0.5, 0.5], 'same': [0.5, 0.5]}
    """
    rows = PairedCases.of(y, models, positive=positive, higher_is_positive=higher_is_positive)
    if not len(rows.positives) or not len(rows.negatives):
        raise RocscopeError("which model is cheapest needs positives and negatives")
    slopes = _slopes(rows, ratios, prevalence)
    chosen = [_cheapest_rows(rows, model, slopes) for model in range(len(rows.names))]
    cells, orders = _cells(rows, [stops for stops, _ in chosen])
    wins = np.zeros((len(rows.names), len(slopes)))
    for pos, neg in resampled(cells, n, seed=seed):
        costs = [
            slopes * (order.flagged(neg) / cells.negatives)[:, which] - (order.flagged(pos) / cells.positives)[:, which]
            for order, (_, which) in zip(orders, chosen, strict=True)
        ]
        wins += _won(np.stack(costs, axis=1), slopes)
    return dict(zip(rows.names, (wins / n).tolist(), strict=True))


def _slopes(rows: PairedCases, ratios: Sequence[float], prevalence: Any) -> Array:
    """The slope c of each ratio: (cost FP / cost FN) times negatives / positives."""
    odds = len(rows.negatives) / len(rows.positives)
    if prevalence is not None:
        odds = (1 - float(prevalence)) / float(prevalence)
    return odds / np.asarray(ratios, dtype=np.float64)


def _cheapest_rows(rows: PairedCases, model: int, slopes: Array) -> tuple[Array, Array]:
    """The rows of the table where the model is cheapest at some slope, and which of them at each slope."""
    table = rows.table(model)
    points = hulls.hull(table).points
    places = np.array([table.position(point.threshold) for point in points])
    places[0], places[-1] = 0, len(table)
    fpr, tpr = (np.array([getattr(point, side) for point in points]) for side in ("fpr", "tpr"))
    best = (slopes[:, None] * fpr - tpr).argmin(axis=1)
    stops, which = np.unique(places[best], return_inverse=True)
    return stops, which


class _Order:
    """The cells in the order in which one model flags them, so that counts at its stops are sums of neighbors."""

    def __init__(self, step: Array, stops: int) -> None:
        self.order = np.argsort(step, kind="stable")
        ordered = step[self.order]
        self.starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
        self.filled, self.stops = ordered[self.starts], stops

    def flagged(self, counts: Array) -> Array:
        """How many cases of each resample are flagged at each stop (resamples x stops)."""
        at = np.zeros((len(counts), self.stops + 1), dtype=np.int64)
        at[:, self.filled] = np.add.reduceat(counts[:, self.order], self.starts, axis=1)
        return np.cumsum(at, axis=1)[:, : self.stops]


def _cells(rows: PairedCases, stops: Sequence[Array]) -> tuple[CellCounts, list[_Order]]:
    """The cases by how all models decide at all their stops, and per model the order in which it flags them."""
    code = np.zeros(len(rows), dtype=np.int64)
    steps = []
    for model, ends in enumerate(stops):
        steps.append(np.searchsorted(ends, rows.places[model], side="right"))  # flagged at the stops from here on
        code = code * (len(ends) + 1) + steps[-1]
        if model:  # only the patterns that occur, so that the code never overflows
            code = np.unique(code, return_inverse=True)[1]
    first, code = np.unique(code, return_index=True, return_inverse=True)[1:]
    counts = [np.bincount(code[of_class], minlength=len(first)) for of_class in (rows.positives, rows.negatives)]
    orders = [_Order(step[first], len(ends)) for step, ends in zip(steps, stops, strict=True)]
    return CellCounts(counts[0], counts[1]), orders


def _won(cost: Array, slopes: Array) -> Array:
    """How often each model (rows) has the least cost at each slope (columns), ties split, over a block of resamples."""
    least = cost.min(axis=1, keepdims=True)
    best = cost <= least + 1e-9 * (1 + slopes)
    return np.asarray((best / best.sum(axis=1, keepdims=True)).sum(axis=0))
