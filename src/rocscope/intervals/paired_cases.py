"""Rows: cases with the scores of one or several models, aligned, for statistics that need more than a table."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope import tally
from rocscope.errors import RocscopeError
from rocscope.intervals.influence import placements
from rocscope.record import record
from rocscope.table import ScoreTable
from rocscope.tally import order as order_of

Array = NDArray[Any]
KEPT = 2**23  # maximum number of cached placements over all models (64 MiB)


@record
class PairedCases:
    """The labels of cases (1 for positive) and, for each model, its distinct scores and the positions of the cases.

    Positions run from the most positive score down, as in a table; `weights` are sampling weights or None.
    """

    mask: Array
    labels: tuple[Any, Any]
    names: tuple[str, ...]
    scores: tuple[Array, ...]
    places: tuple[Array, ...]
    higher_is_positive: bool = True
    weights: Array | None = None

    @classmethod
    def of(
        cls,
        y: Any,
        models: Mapping[str, Any] | Sequence[Any],
        *,
        positive: Any = None,
        higher_is_positive: bool = True,
        weights: Any = None,
    ) -> PairedCases:
        """The rows of a label vector and the score vectors of models, matched by position.

        Existing rows may be given in place of the labels; models are then given by name, and nothing is ranked again.
        """
        if isinstance(y, PairedCases):
            return y.only(models)
        mask, labels = tally.binary(y, positive)
        named = dict(models) if isinstance(models, Mapping) else {str(i + 1): s for i, s in enumerate(models)}
        scores, positions = [], []
        for name, column in named.items():
            values = tally.numeric(column, "score" if len(named) == 1 else f"score of model {name}")
            if len(values) != len(mask):
                raise RocscopeError(
                    f"there are {len(mask)} labels, but {len(values)} scores", hint="Give one score for each label"
                )
            distinct, position = distinct_places(values, descending=higher_is_positive)
            scores.append(distinct)
            positions.append(position)
        known = None if weights is None else tally.weights_of(weights, len(mask))
        return cls(mask, labels, tuple(map(str, named)), tuple(scores), tuple(positions), higher_is_positive, known)

    def only(self, names: Iterable[str]) -> PairedCases:
        """The same cases with some of the models, or with the models in another order."""
        at = [self.names.index(name) for name in names]
        scores, positions = (tuple(column[i] for i in at) for column in (self.scores, self.places))
        selected = replace(self, names=tuple(self.names[i] for i in at), scores=scores, places=positions)
        # shared by all subsets, so that pairs of many models do not recompute them
        selected.__dict__["_known_placements"] = self._known_placements
        selected.__dict__.update(positives=self.positives, negatives=self.negatives)
        return selected.knowing([self._tables[i] for i in at])

    def knowing(self, tables: Iterable[ScoreTable]) -> PairedCases:
        """The same cases with the existing tables of the models, which are not counted again."""
        informed = replace(self)
        shared = ("_known_placements", "positives", "negatives")
        informed.__dict__.update({name: self.__dict__[name] for name in shared if name in self.__dict__})
        informed.__dict__["_tables"] = tuple(tables)  # presets the cached property
        return informed

    def __len__(self) -> int:
        return len(self.mask)

    @cached_property
    def positives(self) -> Array:
        """The rows of the positives."""
        return np.flatnonzero(self.mask)

    @cached_property
    def negatives(self) -> Array:
        """The rows of the negatives."""
        return np.flatnonzero(self.mask == 0)

    @property
    def sides(self) -> tuple[Array, Array]:
        """The rows of the positives and the rows of the negatives."""
        return self.positives, self.negatives

    def table(self, model: int) -> ScoreTable:
        """The score table of one model."""
        return self._tables[model]

    @cached_property
    def _tables(self) -> tuple[ScoreTable, ...]:
        return tuple(self._table(model) for model in range(len(self.scores)))

    def _table(self, model: int) -> ScoreTable:
        size, positive = len(self.scores[model]), self.mask == 1
        pos, neg, *squares = (
            np.bincount(self.places[model][is_class], None if weights is None else weights[is_class], size)
            for weights in self._powers()
            for is_class in (positive, ~positive)
        )
        up, down = squares or (None, None)
        rows = len(self.positives), len(self.negatives)
        return ScoreTable(self.scores[model], pos, neg, self.higher_is_positive, self.labels, up, down, rows)

    def _powers(self) -> list[Array | None]:
        """The weights and their squares, or only counts."""
        if self.weights is None:
            return [None]
        weights = self.weights.astype(np.float64)
        return [weights, weights * weights]

    def placements(self, model: int) -> Array:
        """The share of the other class that each case ranks above (positives) or below (negatives)."""
        by_case = np.empty(len(self))
        for side, placed in zip(self.sides, self.placed(model), strict=True):
            by_case[side] = placed
        return by_case

    def placed(self, model: int) -> tuple[Array, Array]:
        """The placements of the positives, and those of the negatives, each in the order of the rows."""
        if (known := self._known_placements.get(self.names[model])) is not None:
            return known
        above, below = placements(self.table(model))
        positions = self.places[model]
        found = above[positions[self.positives]], below[positions[self.negatives]]
        if len(self) * (1 + len(self._known_placements)) <= KEPT:
            for one in found:
                one.flags.writeable = False
            self._known_placements[self.names[model]] = found
        return found

    @cached_property
    def _known_placements(self) -> dict[str, tuple[Array, Array]]:
        """Placements by model, cached if they take little memory."""
        return {}

    def same_ranking(self, first: int, second: int) -> bool:
        """Whether two models put all cases in the same order, ties included."""
        return bool(np.array_equal(self.places[first], self.places[second]))


def distinct_places(values: Array, *, descending: bool = True) -> tuple[Array, Array]:
    """The distinct values from the most positive down, and the position of each value among them.

    >>> distinct_places(np.array([0.3, 0.9, 0.3]))
    (array([0.9, 0.3]), array([1, 0, 1]))
    """
    order = order_of(values)
    ordered = values[order]
    fresh = np.concatenate(([True], ordered[1:] != ordered[:-1]))
    position = np.empty(len(values), dtype=np.int64)
    position[order] = np.cumsum(fresh) - 1
    distinct = ordered[fresh]
    if descending:
        return np.ascontiguousarray(distinct[::-1]), len(distinct) - 1 - position
    return distinct, position


def clusters_of(clusters: Any, n: int) -> tuple[Array, int]:
    """The cluster of each row as an integer, and the number of clusters."""
    codes, names = tally.factorize(clusters, name="cluster", limit=sys.maxsize)
    if len(codes) != n:
        raise RocscopeError(f"there are {n} labels, but {len(codes)} clusters", hint="Give one cluster for each label")
    return codes.astype(np.int64), len(names)
