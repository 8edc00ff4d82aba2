"""Decisions among several classes by costs: lowest expected cost, thresholds, and undecided cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rocscope.errors import RocscopeError
from rocscope.numbers import Array
from rocscope.record import record

if TYPE_CHECKING:
    from rocscope.multiclass import CaseSums

UNDECIDED = -1


@record
class CostMatrix:
    """The cost of predicting each class (columns) for cases of each class (rows), and of leaving a case undecided.

    `labels` name the classes in the order of the rows; None means the order of the data. `reject` is the cost of a case
    that is left undecided; None if every case must be decided.

    >>> costs = CostMatrix(((0, 1, 1), (1, 0, 1), (10, 10, 0)), ("a", "b", "c"), reject=2)
    >>> costs.decide(np.array([[0.8, 0.1, 0.1], [0.9, 0.1, 0.0], [0.4, 0.5, 0.1]])).tolist()
    [2, 0, 2]
    """

    cells: tuple[tuple[float, ...], ...]
    labels: tuple[Any, ...] | None = None
    reject: float | None = None

    def __post_init__(self) -> None:
        matrix = self.array
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) < 2:
            raise RocscopeError(f"costs must have a row and a column for each class, not shape {matrix.shape}")
        if not np.isfinite(matrix).all() or (matrix < 0).any():
            raise RocscopeError("costs must be finite and nonnegative")
        if self.reject is not None and not 0 <= self.reject < np.inf:
            raise RocscopeError(f"the cost of leaving a case undecided must be 0 or more, not {self.reject}")
        if self.labels is not None and len(self.labels) != len(matrix):
            raise RocscopeError(f"there are {len(matrix)} rows of costs, but {len(self.labels)} labels")

    @classmethod
    def of(cls, costs: Any, labels: Sequence[Any] | None = None, reject: float | None = None) -> CostMatrix:
        """Create costs from rows of numbers, or from costs by actual and predicted class: {"a": {"b": 5}, ...}."""
        if isinstance(costs, Mapping):
            every = dict.fromkeys([*costs, *(name for row in costs.values() for name in row)])
            names = list(labels) if labels is not None else list(every)
            costs = [[float(costs.get(a, {}).get(b, 0 if a == b else 1)) for b in names] for a in names]
            labels = names
        rows = tuple(tuple(float(cell) for cell in row) for row in np.asarray(costs, dtype=np.float64).tolist())
        return cls(rows, None if labels is None else tuple(labels), None if reject is None else float(reject))

    @property
    def array(self) -> Array:
        """The costs as an array with actual classes as rows."""
        return np.array(self.cells, dtype=np.float64)

    @property
    def most(self) -> float:
        """The largest possible cost of a case."""
        return float(max(self.array.max(), self.reject or 0.0))

    @property
    def undecided(self) -> float:
        """The cost of an undecided case: `reject` or, without it, the cost of the worst decision."""
        return float(self.array.max() if self.reject is None else self.reject)

    def in_order(self, labels: Sequence[Any]) -> CostMatrix:
        """The costs with their classes in the order of the data; labels are matched by their text.

        >>> CostMatrix(((0, 1), (5, 0)), ("b", "a")).in_order(["a", "b"]).cells
        ((0.0, 5.0), (1.0, 0.0))
        """
        if self.labels is None:
            if len(self.cells) != len(labels):
                raise RocscopeError(
                    f"there are costs for {len(self.cells)} classes, but the data have {len(labels)} classes"
                )
            return CostMatrix.of(self.cells, labels, self.reject)
        known = {str(label): at for at, label in enumerate(self.labels)}
        absent = [str(label) for label in labels if str(label) not in known]
        if absent:
            raise RocscopeError(f"no costs for class {absent[0]}", hint=f"The costs are for {', '.join(known)}")
        order = [known[str(label)] for label in labels]
        return CostMatrix.of(self.array[np.ix_(order, order)], labels, self.reject)

    def decide(self, probabilities: Any, thresholds: Any = None) -> Array:
        """The class with the lowest expected cost for each case, as a position; -1 if leaving it undecided costs less.

        `thresholds` contains one threshold per class: a class is predicted only if its probability reaches its
        threshold, and a case in which no class does is left undecided. Elkan 2001, IJCAI; Chow 1970, IEEE Trans Inf
        Theory 16:41-46 (undecided).
        """
        shares = np.asarray(probabilities, dtype=np.float64)
        expected = shares @ self.array
        if thresholds is not None:
            expected = np.where(shares >= np.asarray(thresholds, dtype=np.float64), expected, np.inf)
        cheapest = expected.argmin(axis=1)
        least = expected.min(axis=1)
        undecided = ~np.isfinite(least)
        if self.reject is not None:
            undecided |= least > self.reject
        return np.where(undecided, UNDECIDED, cheapest)

    def of_cases(self, codes: Any, predicted: Any) -> Array:
        """The cost of each case, decided or `undecided`."""
        costs = self.array[codes, np.maximum(predicted, 0)]
        return np.where(np.asarray(predicted) < 0, self.undecided, costs)

    def sums_of(
        self, codes: Any, predicted: Any, mass: Array, probabilities: Any = None, repeats: Any = None
    ) -> CaseSums:
        """The sums of the costs; with probabilities, also the sums of the costs expected if these are correct."""
        from rocscope.multiclass import CaseSums

        each = self.of_cases(codes, predicted)
        if probabilities is None:
            return CaseSums.of(each, mass, repeats=repeats)
        guess = np.asarray(predicted)
        prices = self.array[:, np.maximum(guess, 0)].T
        prices = np.where((guess < 0)[:, None], self.undecided, prices)
        shares = np.asarray(probabilities, dtype=np.float64)
        return CaseSums.of(each, mass, stated=((shares * prices).sum(axis=1), (shares * prices**2).sum(axis=1)))

    def to_dict(self) -> dict[str, Any]:
        """The costs as plain data."""
        labels = None if self.labels is None else [str(label) for label in self.labels]
        return {"labels": labels, "cells": [list(row) for row in self.cells], "reject": self.reject}


def equal_costs(classes: int) -> CostMatrix:
    """Costs of 1 for every error, so that the most probable class is predicted.

    >>> equal_costs(2).cells
    ((0.0, 1.0), (1.0, 0.0))
    """
    return CostMatrix.of(1 - np.eye(classes))
