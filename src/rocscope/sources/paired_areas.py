"""DeLong's covariance of several scores on the same cases: marginal tables, then one pass for products of placements.

A positive's placement V is the share of negatives that score lower, a negative's W the share of positives that score
higher. Both are looked up in the table of each score; their products are summed by class: k x k numbers that are
additive over rows. DeLong, DeLong & Clarke-Pearson, Biometrics 1988;44:837-845.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope.sources.column_batches import local
from rocscope.sources.frames import again
from rocscope.sources.reduction import on_request, tables_of
from rocscope.sources.source import TOLERANCE, PairedAreas, Progress, Source
from rocscope.sources.usable_rows import Chunk, RowValidator, TableRequest
from rocscope.table import ScoreTable

Array = NDArray[Any]


def paired_delong(
    source: Source,
    *,
    label: str,
    scores: Sequence[str],
    weight: str | None = None,
    weights_are: str = "sampling",
    positive: Any = None,
    missing: str = "error",
    higher_is_positive: bool = True,
    budget: int | None = None,
    tolerance: float = TOLERANCE,
    progress: Progress | None = None,
) -> PairedAreas:
    """The areas of several scores on the same cases, with their covariance.

    The marginal tables are computed first; one more pass computes Σ (V_a - A_a)(V_b - A_b) over positives and Σ (W_a -
    A_a)(W_b - A_b) over negatives, with squared weights for sampling weights. On cells, a placement is off by at most
    half of its cell's share; `spread` is the largest such error. Reference: DeLong, DeLong & Clarke-Pearson, Biometrics
    1988;44:837-845.

    >>> from rocscope import sources
    >>> source = sources.open({"y": [1, 1, 0, 0], "a": [4, 2, 3, 1], "b": [4, 3, 2, 1]})
    >>> paired_delong(source, label="y", scores=["a", "b"]).covariance
    array([[0.125, 0.   ],
           [0.   , 0.   ]])
    """
    source = again(source, why="comparing scores needs two passes")
    request = TableRequest(
        label, tuple(scores), weight, weights_are, (), positive, missing, higher_is_positive, budget, tolerance,
        False, progress, source,
    )  # fmt: skip
    return on_request(source, request, _paired)


def _paired(source: Source, request: TableRequest) -> PairedAreas:
    if not local(source):
        from rocscope.sources.engines.placements import placed_in_engine

        placed = placed_in_engine(source, request)
        if placed is not None:
            return placed
    reduced = tables_of(source, request)
    marginal = tuple(reduced.tables[name,] for name in request.scores)
    sums = Products(marginal, request)
    for chunk in _rows(source, request):
        sums.add(chunk)
    return PairedAreas(
        request.scores, marginal, sums.covariance(), reduced.left_out, reduced.bound, max(share_of(t) for t in marginal)
    )


def _rows(source: Source, request: TableRequest) -> Iterator[Chunk]:
    """Yield the usable rows again: read by this process, or transferred from an engine that has few."""
    validator = RowValidator(request)
    if local(source):
        from rocscope.sources.certified import chunks

        yield from chunks(source, request, validator, step="placements")
    else:
        from rocscope.sources.engines import collected

        yield validator.take(collected(source, request.names))


class Products:
    """Sums of products of placements, by class."""

    def __init__(self, marginal: Sequence[ScoreTable], request: TableRequest) -> None:
        from rocscope.intervals import placements

        self.request, self.tables = request, marginal
        self.areas = np.array([area_of(t) for t in marginal])
        self.sums = np.zeros((2, len(marginal), len(marginal)))
        self.rows = np.zeros(2)
        self._sign = 1.0 if request.higher_is_positive else -1.0
        self._edges = [np.ascontiguousarray(self._sign * t.scores[::-1].astype(np.float64)) for t in marginal]
        self._places = [tuple(np.ascontiguousarray(side[::-1]) for side in placements(t)) for t in marginal]

    def add(self, chunk: Chunk) -> None:
        """Add the products of a chunk's placements."""
        if not len(chunk):
            return
        positive = chunk.mask == 1
        at = [
            np.maximum(np.searchsorted(edges, self._sign * scores.astype(np.float64), side="right") - 1, 0)
            for edges, scores in zip(self._edges, chunk.scores, strict=True)
        ]
        for side, rows in enumerate((positive, ~positive)):
            off = np.stack([placed[side][position[rows]] for placed, position in zip(self._places, at, strict=True)])
            off -= self.areas[:, None]
            self.rows[side] += np.count_nonzero(rows)
            if chunk.weights is not None:
                weights = chunk.weights[rows].astype(np.float64)
                off *= weights if self.request.sampled else np.sqrt(weights)
            self.sums[side] += off @ off.T

    def covariance(self) -> Array:
        """The covariance matrix of the areas."""
        return covariance_of(self.sums, self.rows, self.tables[0], self.request)


def covariance_of(sums: Array, rows: Array, table: ScoreTable, request: TableRequest) -> Array:
    """The covariance of areas from the sums of products of positives and of negatives, and the numbers of rows.

    NaN if a class has only one case.
    """
    matrix = np.zeros_like(sums[0])
    for products, cases, total in zip(sums, rows, (float(table.positives), float(table.negatives)), strict=True):
        count = float(cases) if request.weight is None or request.sampled else total
        if count < 2:
            return np.full_like(matrix, math.nan)
        matrix += products / total**2 * count / (count - 1)
    return np.asarray(matrix)


def area_of(t: ScoreTable) -> float:
    """The AUC of a table."""
    total = 2.0 * float(t.positives) * float(t.negatives)
    return float(t.twice_u) / total if total else math.nan


def share_of(t: ScoreTable) -> float:
    """Half the largest share of a class in one cell with several scores and both classes."""
    if t.mixed is None or not t.positives or not t.negatives:
        return 0.0
    both = t.mixed & (t.pos > 0) & (t.neg > 0)
    sides = ((t.pos, t.positives), (t.neg, t.negatives))
    return max(float(side[both].max()) / float(total) for side, total in sides) / 2 if both.any() else 0.0
