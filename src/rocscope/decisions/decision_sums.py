"""Decisions among several classes as sums: their costs, those of alternatives, and undecided cases."""

from __future__ import annotations

from typing import Any

import numpy as np

from rocscope.decisions.cost_matrix import CostMatrix
from rocscope.multiclass import CaseSums
from rocscope.numbers import Array
from rocscope.record import record
from rocscope.table import Confusion


@record(eq=False)
class DecisionSums:
    """The costs of decisions, summed over cases; sums of disjoint cases can be added.

    `own` holds the costs of the decisions, `decided` the costs of the decided cases alone, `usual` the costs of
    predicting the most probable class, `same` the costs of always predicting each class, and `gap` how much less the
    decisions cost than predicting the most probable class; `undecided` is the weight of the cases of each class without
    a decision, and `left` is the number of these cases. For predicted labels, `usual` and `gap` are None.
    """

    own: CaseSums
    decided: CaseSums
    usual: CaseSums | None
    same: tuple[CaseSums, ...]
    gap: CaseSums | None
    undecided: Array
    left: int

    @classmethod
    def of(cls, costs: CostMatrix, codes: Any, scores: Any, predicted: Any, weights: Any = None) -> DecisionSums:
        """The sums of cases in memory: positions of their classes, probabilities, and the decisions (-1 if undecided).

        >>> sums = DecisionSums.of(CostMatrix(((0, 1), (5, 0))), np.array([0, 1]), np.eye(2), np.array([1, 1]))
        >>> sums.own.value, sums.gap.value
        (0.5, -0.5)
        """
        mass = np.ones(len(codes)) if weights is None else np.asarray(weights, dtype=np.float64)
        usual, k = np.asarray(scores).argmax(axis=1), np.shape(scores)[1]
        left = np.asarray(predicted) < 0
        decided = ~left
        gap = costs.of_cases(codes, usual) - costs.of_cases(codes, predicted)
        return cls(
            costs.sums_of(codes, predicted, mass, scores),
            costs.sums_of(codes[decided], predicted[decided], mass[decided], scores[decided]),
            costs.sums_of(codes, usual, mass, scores),
            tuple(costs.sums_of(codes, np.full(len(codes), at), mass, scores) for at in range(k)),
            CaseSums.of(gap, mass), np.bincount(codes[left], mass[left], k), int(left.sum()),
        )  # fmt: skip

    @classmethod
    def of_matrix(cls, costs: CostMatrix, matrix: Confusion) -> DecisionSums:
        """The sums of labels that were predicted elsewhere, from their confusion matrix.

        >>> sums = DecisionSums.of_matrix(CostMatrix(((0, 1), (5, 0))), Confusion.from_matrix([[6, 2], [1, 1]]))
        >>> sums.own.value, [always.value for always in sums.same]
        (0.7, [1.0, 0.8])
        """
        k = len(matrix)
        codes, predicted = (part.ravel() for part in np.indices((k, k)))
        mass = np.asarray(matrix.matrix, dtype=np.float64).ravel()
        squares = mass if matrix.squares is None else np.asarray(matrix.squares, dtype=np.float64).ravel()
        # without the number of rows, sampling weights count as their effective number of cases
        repeats = mass if matrix.squares is None else mass * (mass.sum() / squares.sum())

        def sums(decisions: Array) -> CaseSums:
            return CaseSums.of(costs.of_cases(codes, decisions), mass, repeats=repeats, squares=squares)

        own, same = sums(predicted), tuple(sums(np.full(k * k, at)) for at in range(k))
        return cls(own, own, None, same, None, np.zeros(k), 0)

    def __add__(self, other: DecisionSums) -> DecisionSums:
        same = tuple(a + b for a, b in zip(self.same, other.same, strict=True))
        usual = None if self.usual is None or other.usual is None else self.usual + other.usual
        gap = None if self.gap is None or other.gap is None else self.gap + other.gap
        return DecisionSums(
            self.own + other.own, self.decided + other.decided, usual, same, gap,
            self.undecided + other.undecided, self.left + other.left,
        )  # fmt: skip
