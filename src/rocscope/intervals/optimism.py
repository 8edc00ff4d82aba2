"""How much better a threshold looks on the cases it was chosen on than it will on others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from rocscope.decisions import Costs
from rocscope.errors import RocscopeError
from rocscope.formula import CELLS
from rocscope.intervals.cutpoints import worth_of
from rocscope.intervals.linear import Array
from rocscope.table import ScoreTable

FOLDS = 5
REPEATS = 20  # for few cases; a split of many says enough
CASES = 200_000  # that are split in all


Worth = Callable[[Mapping[str, Array]], Array]


class Optimism(NamedTuple):
    """By how much a criterion is better where the threshold was chosen than on other cases: never under 0."""

    value: float
    folds: int
    repeats: int


def optimism(
    t: ScoreTable, criterion: str = "youden", *, costs: Costs | None = None, folds: int = FOLDS, seed: int = 0
) -> Optimism:
    """How much a chosen threshold flatters: the criterion at the best threshold less its value on cases left out.

    The cases are split into folds within each class, the best threshold of the other folds decides each, and the
    counts of all folds together are judged; the mean over some splits, 0 where chance turns it round. In the unit of
    the criterion, cost per case for "cost". Needs counts of cases: weights are refused.
    Reference: Ewald, J Clin Epidemiol 2006;59:798-801.

    >>> y, s = [1, 1, 0, 1, 1, 0, 1, 0, 0, 0] * 3, [0.95, 0.9, 0.8, 0.7, 0.65, 0.6, 0.5, 0.4, 0.3, 0.1] * 3
    >>> found = optimism(ScoreTable.from_scores(y, s))
    >>> round(found.value, 3), found.repeats
    (0.13, 20)
    """
    if t.weighted or not t.exact:
        raise RocscopeError("the optimism of a threshold needs counts of cases, not weights")
    cases, smaller = int(t.positives + t.negatives), int(min(t.positives, t.negatives))
    if isinstance(folds, bool) or not 2 <= folds <= smaller:
        raise RocscopeError(f"{folds} folds; from 2 to the size of the smaller class ({smaller}) are possible")
    worth, repeats = worth_of(criterion, costs), max(1, min(REPEATS, CASES // cases))
    generator = np.random.default_rng(seed)
    apparent = float(np.nanmax(worth(_along(t.pos, t.neg))))
    held = [float(worth(_held_out(t, worth, folds, generator))) for _ in range(repeats)]
    gap = apparent - float(np.mean(held))
    return Optimism(gap if gap > 1e-12 * (1 + abs(apparent)) else 0.0, folds, repeats)  # below that it is rounding


def _held_out(t: ScoreTable, worth: Worth, folds: int, generator: np.random.Generator) -> dict[str, Array]:
    """The four cells of all folds, each decided by the best threshold of the others."""
    total = np.zeros(4)
    sides = zip(*(_split(side, folds, generator) for side in (t.pos, t.neg)), strict=True)
    for pos, neg in sides:
        others = worth(_along(t.pos - pos, t.neg - neg))
        row = int(np.nanargmax(others))
        hits, alarms = int(pos[:row].sum()), int(neg[:row].sum())
        total += (hits, alarms, int(pos.sum()) - hits, int(neg.sum()) - alarms)
    return dict(zip(CELLS, map(np.asarray, total), strict=True))


def _split(counts: Array, folds: int, generator: np.random.Generator) -> Iterator[Array]:
    """The counts of each fold: cases of one class dealt out evenly, in a random order."""
    places = np.repeat(np.arange(len(counts)), counts)
    generator.shuffle(places)
    for fold in range(folds):
        yield np.bincount(places[fold::folds], minlength=len(counts))


def _along(pos: Array, neg: Array) -> dict[str, Array]:
    tp, fp = (np.concatenate(([0.0], np.cumsum(side, dtype=np.float64))) for side in (pos, neg))
    return dict(zip(CELLS, (tp, fp, tp[-1] - tp, fp[-1] - fp), strict=True))
