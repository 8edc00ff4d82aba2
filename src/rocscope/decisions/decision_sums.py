"""Decisions among several classes as sums: their costs, those of alternatives, and undecided cases."""

from __future__ import annotations

from typing import Any

import numpy as np

from rocscope.decisions.cost_matrix import CostMatrix
from rocscope.multiclass import CaseSums
from rocscope.numbers import Array
from rocscope.record import record


@record(eq=False)
class DecisionSums:
    """The costs of decisions, summed over cases; sums of disjoint cases can be added.

    `own` holds the costs of the decisions, `decided` the costs of the decided cases alone, `usual` the costs of
    predicting the most probable class, `same` the costs of always predicting each class, and `gap` how much less the
    decisions cost than predicting the most probable class; `undecided` is the weight of the cases of each class without
    a decision, and `left` is the number of these cases.
    """

    own: CaseSums
    decided: CaseSums
    usual: CaseSums
    same: tuple[CaseSums, ...]
    gap: CaseSums
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

    def __add__(self, other: DecisionSums) -> DecisionSums:
        same = tuple(a + b for a, b in zip(self.same, other.same, strict=True))
        return DecisionSums(
            self.own + other.own, self.decided + other.decided, self.usual + other.usual, same, self.gap + other.gap,
            self.undecided + other.undecided, self.left + other.left,
        )  # fmt: skip
