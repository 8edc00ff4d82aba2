"""Slices of several classes: the accuracy of each, drawn in, and against the rest."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from rocscope import estimate
from rocscope.estimate import Estimate, undefined
from rocscope.evaluation.slices.against_rest import FEW
from rocscope.evaluation.slices.estimates import Slice, Slices, holm_over, worst_first
from rocscope.evaluation.slices.partition import Slicing
from rocscope.evaluation.slices.shrinkage import Pool, back, of_share, pooled
from rocscope.measures import get
from rocscope.table import Confusion

if TYPE_CHECKING:
    from rocscope.evaluation.classes import ClassEvaluation

MEASURE = "accuracy"
FEW_CASES = f"fewer than {FEW} cases in the slice or in the rest: not tested"


def class_slices_of(ev: ClassEvaluation, slicing: Slicing) -> Slices:
    """The accuracy in each slice: plain, drawn towards the others, and against the rest."""
    level = ev.settings.level
    parts = {
        value: type(ev)(matrix, ev.settings, name=str(value), positive=ev.positive)
        for value, matrix in slicing.tables.items()
    }
    counted = {value: share_right(matrix) for value, matrix in slicing.tables.items()}
    few = {value: not cases >= FEW for value, (_, cases) in counted.items()}
    known = [of_share(*counted[value]) for value in parts if not few[value]]
    pool = pooled([y for y, _ in known], [v for _, v in known])
    gaps = {value: _gap(ev.matrix, slicing.tables[value], few[value], level) for value in parts}
    adjusted = holm_over([one.p for one in gaps.values()], once=len(gaps) == 2)
    made = [
        Slice(
            slicing.by, value, one, few[value], _only(estimate.of_matrix(get(MEASURE), one.matrix, level=level)),
            _only(_drawn(pool, counted[value], level)), _only(gaps[value]),
            MappingProxyType({MEASURE: adjusted[place]}),
            None if slicing.left_out is None else slicing.left_out.get(value, 0),
        )
        for place, (value, one) in enumerate(parts.items())
    ]  # fmt: skip
    ordered = sorted(made, key=lambda one: worst_first(one, MEASURE))
    return Slices(slicing.by, tuple(ordered), MappingProxyType({MEASURE: pool}), MEASURE)


def share_right(matrix: Confusion) -> tuple[float, float]:
    """The cases predicted right and all cases, as many as their weights are worth.

    >>> share_right(Confusion.from_matrix([[8, 2], [3, 7]]))
    (15.0, 20.0)
    """
    cells = np.asarray(matrix.matrix, dtype=np.float64)
    total = float(cells.sum())
    if not total:
        return 0.0, 0.0
    worth = total
    if matrix.squares is not None:
        worth = total**2 / float(np.asarray(matrix.squares, dtype=np.float64).sum())
    return float(cells.trace()) / total * worth, worth


def _only(found: Estimate) -> MappingProxyType[str, Estimate]:
    return MappingProxyType({MEASURE: found})


def _drawn(pool: Pool, counted: tuple[float, float], level: float) -> Estimate:
    if pool.why or not counted[1] > 0:
        return undefined(pool.why or "no cases", level=level)
    return back(*pool.drawn(*of_share(*counted)), level)


def _gap(whole: Confusion, part: Confusion, few: bool, level: float) -> Estimate:
    hits, cases = share_right(part)
    all_cells, cells = (np.asarray(one.matrix, dtype=np.float64) for one in (whole, part))
    right, left = all_cells.trace() - cells.trace(), all_cells.sum() - cells.sum()
    worth = share_right(whole)[1] / float(all_cells.sum())  # what a unit of weight is worth among all
    if few or left * worth < FEW:
        return undefined(FEW_CASES, level=level)
    return estimate.difference(hits, cases, min(right, left) * worth, left * worth, level=level)
