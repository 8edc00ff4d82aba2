"""The predictions for each case: one class or several labels, with scores if available."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from rocscope import tally
from rocscope.errors import RocscopeError
from rocscope.multiclass.case_losses import class_places
from rocscope.multiclass.case_sums import CaseSums, are_probabilities, loss_sums
from rocscope.multiclass.class_scores import ClassScores, score_matrix
from rocscope.multiclass.class_sums import matrix_of
from rocscope.numbers import Array
from rocscope.record import record
from rocscope.table import Confusion, ScoreTable

UNBALANCED = 4  # ratio of the largest to the smallest class above which accuracy mostly reflects the largest


@record(eq=False)
class ClassPredictions:
    """The actual and predicted class of each case, as positions among `labels`, with scores if available.

    A predicted position of -1 is a case that was not decided.

    >>> p = ClassPredictions.of_labels(["cat", "dog", "cat"], ["cat", "cat", "cat"])
    >>> p.labels, p.right.tolist()
    (('cat', 'dog'), [True, False, True])
    """

    codes: Any
    predicted: Any
    labels: tuple[Any, ...]
    scores: Any = None
    weights: Any = None

    @classmethod
    def of_labels(
        cls, y: Any, predicted: Any, *, labels: Sequence[Any] | None = None, weights: Any = None
    ) -> ClassPredictions:
        """From two label columns of the same cases."""
        codes, guess, names = tally.factorize_two(y, predicted, labels=labels)
        known = None if weights is None else tally.weights_of(weights, len(codes))
        return cls(codes.astype(np.int64), guess.astype(np.int64), names, None, known)

    @classmethod
    def of_scores(cls, found: ClassScores, predicted: Any = None) -> ClassPredictions:
        """From a score for each class; the highest one decides, unless positions of classes are given."""
        guess = found.scores.argmax(axis=1) if predicted is None else predicted
        return cls(found.codes.astype(np.int64), guess.astype(np.int64), found.labels, found.scores, found.weights)

    @classmethod
    def of_matrix(cls, matrix: Confusion) -> ClassPredictions:
        """From a confusion matrix: one case for each cell, with the weight of the cell."""
        size = len(matrix)
        rows, columns = np.divmod(np.arange(size * size), size)
        cells = np.asarray(matrix.matrix, dtype=np.float64).ravel()
        predictions = cls(rows, columns, matrix.labels, None, cells)
        vars(predictions)["matrix"] = matrix  # keeps the number of cases and the squared weights
        return predictions

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def mass(self) -> Array:
        """The weight of each case; 1 without weights."""
        return np.ones(len(self)) if self.weights is None else np.asarray(self.weights, dtype=np.float64)

    @property
    def unbalanced(self) -> bool:
        """Whether the largest class has more than four times the weight of the smallest nonempty one (80 to 20)."""
        sizes = np.bincount(self.codes, weights=self.mass)
        return bool(sizes.max() > UNBALANCED * sizes[sizes > 0].min())

    @property
    def right(self) -> Array:
        """Whether each case is predicted correctly."""
        return np.asarray(self.codes == self.predicted)

    @cached_property
    def probabilities(self) -> bool:
        """Whether the scores of each case are probabilities of the classes."""
        return self.scores is not None and are_probabilities(self.scores)

    @property
    def scored(self) -> bool:
        """Whether there are scores rather than only predicted labels."""
        return self.scores is not None

    @property
    def places(self) -> Array:
        """The weight and squared weight of the cases, by the number of classes ranked before their own."""
        ranks, size = class_places(self.codes, self.scores), len(self.labels)
        return np.stack([np.bincount(ranks, column, size) for column in (self.mass, self.mass * self.mass)], axis=1)

    def loss(self, name: str) -> CaseSums:
        """The sums of "log_loss" or "brier"."""
        return loss_sums(name, self.codes, self.scores, self.mass)

    @property
    def weighted(self) -> bool:
        """Whether cases have sampling weights."""
        return self.weights is not None

    @property
    def class_scores(self) -> ClassScores:
        """The scores of all classes; an error if there are only predicted labels."""
        if self.scores is None:
            raise RocscopeError("predicted labels have no scores", hint="Give a score for each class")
        return ClassScores(self.codes, self.scores, self.labels, self.weights)

    @cached_property
    def confidence(self) -> ScoreTable:
        """The score of the predicted class against whether it is correct, for calibration of the top label."""
        decided = self.predicted >= 0
        own = np.take_along_axis(self.scores, np.maximum(self.predicted, 0)[:, None], axis=1)[:, 0]
        weights = None if self.weights is None else self.weights[decided]
        return ScoreTable.from_scores(self.right[decided], own[decided], weights=weights)

    @cached_property
    def matrix(self) -> Confusion:
        """The confusion matrix of the cases that were decided."""
        decided = self.predicted >= 0
        weights = None if self.weights is None else self.weights[decided]
        return matrix_of(self.codes[decided], self.predicted[decided], self.labels, weights)


@record(eq=False)
class LabelPredictions:
    """The actual and predicted labels of each case, as indicators of cases x labels, with scores if available.

    >>> p = LabelPredictions.of([[1, 0], [1, 1]], predicted=[[1, 0], [0, 1]])
    >>> p.labels, p.predicted.sum().item()
    ((0, 1), 2)
    """

    truth: Any
    predicted: Any
    labels: tuple[Any, ...]
    scores: Any = None
    weights: Any = None

    @classmethod
    def of(
        cls,
        y: Any,
        scores: Any = None,
        *,
        predicted: Any = None,
        labels: Sequence[Any] | None = None,
        weights: Any = None,
    ) -> LabelPredictions:
        """From indicators of the true labels, and scores (with threshold 0.5) or indicators of the predicted ones."""
        truth = indicators(y, "label")
        matrix = None if scores is None else score_matrix(scores, len(truth))
        guess = None if predicted is None else indicators(predicted, "predicted")
        if guess is None and matrix is None:
            raise RocscopeError("give scores or predicted labels")
        if guess is None:
            guess = np.asarray(matrix) >= 0.5
        for what, array in (("scores", matrix), ("predicted labels", guess)):
            if array is not None and array.shape != truth.shape:
                raise RocscopeError(f"labels of shape {truth.shape}, but {what} of shape {array.shape}")
        names = tuple(range(truth.shape[1])) if labels is None else tuple(labels)
        if len(names) != truth.shape[1]:
            raise RocscopeError(f"{truth.shape[1]} label columns, but {len(names)} names")
        return cls(truth, guess, names, matrix, None if weights is None else tally.weights_of(weights, len(truth)))

    def __len__(self) -> int:
        return len(self.truth)

    @cached_property
    def mass(self) -> Array:
        """The weight of each case; 1 without weights."""
        return np.ones(len(self)) if self.weights is None else np.asarray(self.weights, dtype=np.float64)

    @property
    def right(self) -> Array:
        """Whether all labels of a case are predicted correctly."""
        return np.asarray((self.truth == self.predicted).all(axis=1))

    @property
    def scored(self) -> bool:
        """Whether there are scores rather than only predicted labels."""
        return self.scores is not None

    @cached_property
    def probabilities(self) -> bool:
        """Whether all scores lie between 0 and 1."""
        return self.scores is not None and bool(self.scores.min() >= 0 and self.scores.max() <= 1)

    def table(self, label: Any) -> ScoreTable:
        """The table of one label: cases with it against cases without it, by its scores."""
        at = self.labels.index(label)
        table = ScoreTable.from_scores(self.truth[:, at], self.scores[:, at], weights=self.weights)
        return table.named((f"not {label}", label))


def indicators(values: Any, name: str) -> Any:
    """A boolean matrix of cases x labels, from 0 and 1 or from False and True."""
    matrix = np.asarray(values)
    if matrix.ndim != 2 or not matrix.size:
        raise RocscopeError(
            f"{name} of shape {matrix.shape}; one column of 0 and 1 for each label is needed",
            hint="Give one row for each case and one column for each label",
        )
    flags = matrix.astype(bool) if matrix.dtype.kind in "biuf" else None
    if flags is None or not np.array_equal(flags, matrix):
        raise RocscopeError(
            f"{name} contains values other than 0 and 1", hint="Use 1 if a case has the label and 0 otherwise"
        )
    return flags
