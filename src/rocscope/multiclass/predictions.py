"""The predictions for each case: one class or several labels, with scores if available."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from rocscope import tally
from rocscope.errors import RocscopeError
from rocscope.multiclass.case_losses import class_places, coverages, ranking_losses, ranking_precisions
from rocscope.multiclass.case_sums import CaseSums, KnownMean, are_probabilities, loss_sums
from rocscope.multiclass.class_scores import ClassScores, score_matrix
from rocscope.multiclass.class_sums import ClassSums, matrix_of
from rocscope.numbers import Array
from rocscope.record import record
from rocscope.table import Confusion, ScoreTable

UNBALANCED = 4  # ratio of the largest to the smallest class above which accuracy mostly reflects the largest


@record(eq=False)
class ClassPredictions:
    """The actual and predicted class of each case, as positions among `labels`, with scores if available.

    A predicted position of -1 is a case that was not decided. If identical cases are stored once, `repeats` is the
    number of cases that each row represents; `sums` are the sums of scores that are not in memory.

    >>> p = ClassPredictions.of_labels(["cat", "dog", "cat"], ["cat", "cat", "cat"])
    >>> p.labels, p.right.tolist()
    (('cat', 'dog'), [True, False, True])
    """

    codes: Any
    predicted: Any
    labels: tuple[Any, ...]
    scores: Any = None
    weights: Any = None
    repeats: Any = None
    sums: ClassSums | None = None

    @classmethod
    def of_labels(
        cls, y: Any, predicted: Any, *, labels: Sequence[Any] | None = None, weights: Any = None
    ) -> ClassPredictions:
        """The predictions from two label columns of the same cases."""
        codes, guess, names = tally.factorize_two(y, predicted, labels=labels)
        known = None if weights is None else tally.weights_of(weights, len(codes))
        return cls(codes.astype(np.int64), guess.astype(np.int64), names, None, known)

    @classmethod
    def of_scores(cls, found: ClassScores, predicted: Any = None) -> ClassPredictions:
        """The predictions from a score for each class; the highest decides, unless positions of classes are given."""
        guess = found.scores.argmax(axis=1) if predicted is None else predicted
        return cls(found.codes.astype(np.int64), guess.astype(np.int64), found.labels, found.scores, found.weights)

    @classmethod
    def of_matrix(cls, matrix: Confusion) -> ClassPredictions:
        """The predictions in a confusion matrix: one case for each nonzero cell, weighted by its count."""
        rows, columns = np.nonzero(matrix.matrix)
        cells = np.asarray(matrix.matrix[rows, columns], dtype=np.float64)
        predictions = cls(rows, columns, matrix.labels, None, cells)
        vars(predictions)["matrix"] = matrix  # keeps the number of cases and the squared weights
        return predictions

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def mass(self) -> Array:
        """The weight of each case, or of all cases that a row represents; 1 without weights."""
        each = np.ones(len(self)) if self.weights is None else np.asarray(self.weights, dtype=np.float64)
        return each if self.repeats is None else each * self.repeats

    @property
    def size(self) -> int:
        """The number of cases."""
        return len(self) if self.repeats is None else int(self.repeats.sum())

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
        if self.sums is not None:
            return self.sums.probabilities
        return self.scores is not None and are_probabilities(self.scores)

    @property
    def scored(self) -> bool:
        """Whether there are scores rather than only predicted labels."""
        return self.scores is not None or self.sums is not None

    @property
    def places(self) -> Array:
        """The weight and squared weight of the cases, by the number of classes ranked before their own."""
        if self.sums is not None:
            return np.asarray(self.sums.places)
        ranks, size = class_places(self.codes, self.scores), len(self.labels)
        return np.stack([np.bincount(ranks, column, size) for column in (self.mass, self.mass * self.mass)], axis=1)

    def loss(self, name: str) -> CaseSums:
        """The sums of "log_loss" or "brier"."""
        if self.sums is not None:
            return self.sums.loss(name)
        return loss_sums(name, self.codes, self.scores, self.mass)

    @property
    def weighted(self) -> bool:
        """Whether cases have sampling weights."""
        return self.weights is not None

    @property
    def class_scores(self) -> ClassScores | ClassSums:
        """The scores of all classes; an error if there are only predicted labels."""
        if self.sums is not None:
            return self.sums
        if self.scores is None:
            raise RocscopeError("predicted labels have no scores", hint="Give a score for each class")
        return ClassScores(self.codes, self.scores, self.labels, self.weights)

    @cached_property
    def confidence(self) -> ScoreTable:
        """The score of the predicted class against whether it is correct, for calibration of the top label."""
        if self.sums is not None:
            return self.sums.confidence
        decided = self.predicted >= 0
        own = np.take_along_axis(self.scores, np.maximum(self.predicted, 0)[:, None], axis=1)[:, 0]
        weights = None if self.weights is None else self.weights[decided]
        return ScoreTable.from_scores(self.right[decided], own[decided], weights=weights)

    @cached_property
    def matrix(self) -> Confusion:
        """The confusion matrix, without the undecided cases."""
        decided = self.predicted >= 0
        weights = None if self.weights is None else self.weights[decided]
        repeats = None if self.repeats is None else self.repeats[decided]
        return matrix_of(self.codes[decided], self.predicted[decided], self.labels, weights, repeats)


@record(slots=True, eq=False)
class JointDecisions:
    """The decisions of several models on the same cases, as counts that can be added: one for each class and set of
    decisions.

    Each row of `rows` holds a class and the prediction of every model, as positions among the labels (-1 for
    undecided), in order; `repeats` is the number of cases in each row, and `weights` is the weight of each of them.

    >>> day = JointDecisions.of(np.array([0, 0, 1]), [np.array([0, 0, 1]), np.array([1, 1, 1])])
    >>> day.rows.tolist(), (day + day).repeats.tolist()
    ([[0, 0, 1], [1, 1, 1]], [4, 2])
    """

    rows: Any
    repeats: Any
    weights: Any = None

    @classmethod
    def of(cls, codes: Array, predicted: Sequence[Array], weights: Any = None) -> JointDecisions:
        """The counts, from the class of each case, the predictions of each model, and the weights of the cases."""
        columns = [np.asarray(column, dtype=np.int64) for column in (codes, *predicted)]
        each = None if weights is None else np.asarray(weights, dtype=np.float64)
        return cls._distinct(np.stack(columns, axis=1), np.ones(len(codes), dtype=np.int64), each)

    @classmethod
    def _distinct(cls, rows: Array, repeats: Array, weights: Array | None) -> JointDecisions:
        # Weights are positive, so that their bits are in the order of the numbers.
        keys = rows if weights is None else np.column_stack([rows, weights.view(np.int64)])
        distinct, positions = distinct_rows(keys)
        counts = np.bincount(positions, repeats, len(distinct)).astype(np.int64)
        if weights is None:
            return cls(distinct, counts)
        return cls(distinct[:, :-1], counts, np.ascontiguousarray(distinct[:, -1]).view(np.float64))

    def __add__(self, other: JointDecisions) -> JointDecisions:
        weights = None if self.weights is None else np.concatenate([self.weights, other.weights])
        rows, repeats = np.concatenate([self.rows, other.rows]), np.concatenate([self.repeats, other.repeats])
        return self._distinct(rows, repeats, weights)

    def predictions(self, model: int, labels: tuple[Any, ...], sums: ClassSums | None = None) -> ClassPredictions:
        """The predictions of one model, with one row for all identical cases."""
        rows = self.rows
        return ClassPredictions(rows[:, 0], rows[:, 1 + model], labels, None, self.weights, self.repeats, sums)


def distinct_rows(rows: Array) -> tuple[Array, Array]:
    """The distinct rows in order, and the position of each row among them."""
    low, high = rows.min(axis=0), rows.max(axis=0)
    sizes = [int(top) - int(bottom) + 1 for bottom, top in zip(low.tolist(), high.tolist(), strict=True)]
    if math.prod(sizes) >= 2**62:
        distinct, positions = np.unique(rows, axis=0, return_inverse=True)
        return distinct, positions.reshape(-1)
    key = np.zeros(len(rows), dtype=np.int64)
    for column, size in enumerate(sizes):
        key = key * size + (rows[:, column] - low[column])
    _, first, positions = np.unique(key, return_index=True, return_inverse=True)
    return rows[first], positions.reshape(-1)


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
        """Predictions from indicators of the true labels, and scores (cut at 0.5) or indicators of predicted labels."""
        truth = indicators(y, "label")
        matrix = None if scores is None else score_matrix(scores, len(truth))
        guess = None if predicted is None else indicators(predicted, "predicted")
        if guess is None and matrix is None:
            raise RocscopeError("give scores or predicted labels")
        if guess is None:
            guess = np.asarray(matrix) >= 0.5
        for what, array in (("scores", matrix), ("predicted labels", guess)):
            if array is not None and array.shape != truth.shape:
                raise RocscopeError(f"labels and {what} must have the same shape, not {truth.shape} and {array.shape}")
        names = tuple(range(truth.shape[1])) if labels is None else tuple(labels)
        if len(names) != truth.shape[1]:
            raise RocscopeError(f"there are {truth.shape[1]} label columns, but {len(names)} names")
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

    # ---- what statistics of several labels ask for; `LabelSums` has the same of cases that are not in memory ----

    @property
    def rows(self) -> int:
        """The number of cases."""
        return len(self.truth)

    @property
    def size(self) -> float:
        """The weight of all cases."""
        return float(self.mass.sum())

    @property
    def weighted(self) -> bool:
        """Whether cases have sampling weights."""
        return self.weights is not None

    @property
    def rows_with(self) -> Array:
        """The number of cases with each label, regardless of weight."""
        return np.asarray(self.truth.sum(axis=0))

    @cached_property
    def cells(self) -> dict[str, Array]:
        """The four outcomes of each case and label, as numbers: cases x labels."""
        truth, guess = self.truth, self.predicted
        cells = {"tp": truth & guess, "fp": ~truth & guess, "fn": truth & ~guess, "tn": ~truth & ~guess}
        return {name: cell.astype(np.float64) for name, cell in cells.items()}

    def cell_sums(self) -> dict[str, Array]:
        """The four counts of each label."""
        return {name: np.asarray(self.mass @ cell) for name, cell in self.cells.items()}

    @property
    def features(self) -> Array:
        """The contributions of a case to the counts: 1, its labels, its predicted labels, and both."""
        parts = [np.ones((len(self), 1)), self.truth, self.predicted, self.truth & self.predicted]
        return np.concatenate([part.astype(np.float64) for part in parts], axis=1)

    def squared(self, slopes: Array) -> float:
        """The sum of the squared contributions of the cases; for `slopes`, see `LabelSums.squared`."""
        moved = self.mass * (self.features @ slopes)
        return float(moved @ moved)

    def counted(self) -> tuple[dict[str, Array], Array]:
        """For each case, the numbers of correct, false, missed and correctly omitted labels, and 1, w and w²."""
        counts = {name: cell.sum(axis=1) for name, cell in self.cells.items()}
        return counts, np.stack([np.ones(len(self)), self.mass, self.mass * self.mass], axis=1)

    def ranking(self, name: str) -> KnownMean:
        """The sums of "ranking_precision", "ranking_loss" or "coverage_error"."""
        each = {"ranking_precision": ranking_precisions, "ranking_loss": ranking_losses, "coverage_error": coverages}
        return KnownMean.of(np.asarray(each[name](self.truth, self.scores), dtype=np.float64), self.mass)

    def truth_sets(self) -> tuple[Array, Array] | None:
        """The labels of each case and its weight."""
        return self.truth, self.mass

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
            f"{name} must have one column of 0 and 1 for each label, not shape {matrix.shape}",
            hint="Give one row for each case and one column for each label",
        )
    flags = matrix.astype(bool) if matrix.dtype.kind in "biuf" else None
    if flags is None or not np.array_equal(flags, matrix):
        raise RocscopeError(
            f"{name} contains values other than 0 and 1", hint="Use 1 if a case has the label and 0 otherwise"
        )
    return flags
