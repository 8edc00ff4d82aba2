"""How much better a threshold looks on the cases it was chosen on than it will on others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from rocscope.decisions import Costs
from rocscope.decisions.boxes import worth_looking
from rocscope.errors import RocscopeError
from rocscope.formula import CELLS
from rocscope.intervals.influence import Array
from rocscope.intervals.thresholds import most_of, worth_of
from rocscope.table import ScoreTable

FOLDS = 5
REPEATS = 20  # for few cases; a split of many says enough
CASES = 200_000  # that are split in all
MOST = 2**32  # cases that are dealt out one by one


Cells = Mapping[str, Array]


class Judge(NamedTuple):
    """What thresholds are worth by their four cells, and the most from some cells to others, where that is known."""

    worth: Callable[[Cells], Array]
    most: Callable[[Cells, Cells], Array] | None


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
    if t.positives + t.negatives > MOST:
        raise RocscopeError(f"{t.positives + t.negatives} cases are too many to be dealt out to folds")
    cases, smaller = int(t.positives + t.negatives), int(min(t.positives, t.negatives))
    if isinstance(folds, bool) or not 2 <= folds <= smaller:
        raise RocscopeError(f"{folds} folds; from 2 to the size of the smaller class ({smaller}) are possible")
    judge, repeats = Judge(worth_of(criterion, costs), most_of(criterion, costs)), max(1, min(REPEATS, CASES // cases))
    generator, none = np.random.default_rng(seed), np.array([], dtype=np.int64)
    apparent = _best(t, judge, (none, none))[1]
    held = [float(judge.worth(_held_out(t, judge, folds, generator))) for _ in range(repeats)]
    gap = apparent - float(np.mean(held))
    return Optimism(gap if gap > 1e-12 * (1 + abs(apparent)) else 0.0, folds, repeats)  # below that it is rounding


def _held_out(t: ScoreTable, judge: Judge, folds: int, generator: np.random.Generator) -> dict[str, Array]:
    """The four cells of all folds, each decided by the best threshold of the others."""
    total = np.zeros(4)
    sides = zip(*(_split(side, folds, generator) for side in (t.pos, t.neg)), strict=True)
    for pos, neg in sides:
        row, _ = _best(t, judge, (pos, neg))
        hits, alarms = (int(np.searchsorted(side, row)) for side in (pos, neg))
        total += (hits, alarms, len(pos) - hits, len(neg) - alarms)
    return dict(zip(CELLS, map(np.asarray, total), strict=True))


def _split(counts: Array, folds: int, generator: np.random.Generator) -> Iterator[Array]:
    """The places of the cases of each fold, in order: cases of one class dealt out evenly, in a random order."""
    places = np.repeat(np.arange(len(counts)), counts)
    generator.shuffle(places)
    for fold in range(folds):
        yield np.sort(places[fold::folds])


def _best(t: ScoreTable, judge: Judge, left_out: tuple[Array, Array]) -> tuple[int, float]:
    """The first best row of the table without the cases at some places, and what it is worth."""

    def cells(rows: Array) -> dict[str, Array]:
        found = []
        for sums, places in zip((t.tp, t.fp), left_out, strict=True):
            found.append((sums[rows] - np.searchsorted(places, rows)).astype(np.float64))
            found.append(float(int(sums[-1]) - len(places)) - found[-1])
        return {"tp": found[0], "fp": found[2], "fn": found[1], "tn": found[3]}

    def worth(rows: Array) -> Array:
        return judge.worth(cells(rows))

    def most(first: Array, last: Array) -> Array:
        assert judge.most is not None
        return judge.most(cells(first), cells(last))

    looked = worth_looking(len(t) + 1, worth, most) if judge.most is not None else None
    rows = np.arange(len(t) + 1) if looked is None else looked[0]
    values = worth(rows) if looked is not None else judge.worth(_along(t, left_out))
    best = int(np.nanargmax(values))
    return int(rows[best]), float(values[best])


def _along(t: ScoreTable, left_out: tuple[Array, Array]) -> dict[str, Array]:
    """The four cells at every threshold of the table without the cases at some places."""
    tp, fp = (
        np.concatenate(([0.0], np.cumsum(side - np.bincount(places, minlength=len(t)), dtype=np.float64)))
        for side, places in zip((t.pos, t.neg), left_out, strict=True)
    )
    return dict(zip(CELLS, (tp, fp, tp[-1] - tp, fp[-1] - fp), strict=True))
