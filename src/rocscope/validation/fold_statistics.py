"""Statistics of the folds of one model: any measure of the catalogs, with one value per fold."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np

from rocscope import curves, measures
from rocscope.errors import RocscopeError, did_you_mean
from rocscope.intervals import case_statistic
from rocscope.record import record
from rocscope.table import Counts, ScoreTable
from rocscope.validation.cross_validated_losses import has_probabilities
from rocscope.validation.folds import Fold, Problem
from rocscope.validation.primary_measure import tested_predictions

USUAL = {
    "binary": (
        "error_rate", "accuracy", "balanced_accuracy", "recall", "specificity", "precision", "npv", "f1", "mcc",
        "kappa",
    ),
    "classes": (
        "error_rate", "accuracy", "balanced_accuracy", "kappa", "mcc", "macro_precision", "macro_recall", "macro_f1",
    ),
    "labels": ("error_rate", "subset_accuracy", "macro_f1", "micro_f1"),
}  # fmt: skip
RANKED = {"binary": ("auc", "average_precision"), "classes": ("auc",), "labels": ("auc",)}
LOSSES = ("brier", "log_loss")


@record(eq=False)
class Readings:
    """The folds of one model, in the order of the plan, and the measures of each fold."""

    problem: Problem
    folds: tuple[Fold, ...]

    @cached_property
    def usual(self) -> tuple[str, ...]:
        """The measures shown by default: those of labels and, if available, of scores and of probabilities."""
        kind, done = self.problem.kind, [fold for fold in self.folds if not fold.why]
        names = USUAL[kind]
        if done and all(fold.scores is not None for fold in done):
            names += RANKED[kind]
            if all(has_probabilities(self.problem, fold) for fold in done):
                names += LOSSES
        return names

    def values(self, name: str) -> Any:
        """A measure in every fold; NaN where the fold failed or the measure is undefined.

        For two classes, any name of the catalogs is valid: of counts ("f1") or scores ("auc", "brier"). For several,
        measures of a matrix, averages ("macro_f1"), "log_loss", "auc" (the mean of one class against the rest), and
        whatever `intervals.case_statistic` knows.
        """
        spelled = name.lower().replace("-", "_").replace(" ", "_")
        if self.problem.kind == "binary":
            return self._binary(spelled)
        how, _, rest = spelled.partition("_")
        if self.problem.kind == "classes" and how in ("macro", "micro") and rest in measures.names():
            return self._averaged(measures.get(rest), how)
        if self.problem.kind == "classes" and spelled in measures.names():
            return self._of_matrix(measures.get(spelled))
        return self._case_by_case(spelled)

    # ---- two classes ----

    def _binary(self, name: str) -> Any:
        try:
            measure = measures.get(name)
        except RocscopeError:
            return self._of_scores(name)
        m = self.matrices
        cells = {"tp": m[:, 1, 1], "fp": m[:, 0, 1], "fn": m[:, 1, 0], "tn": m[:, 0, 0]}
        values = np.array(measure.value(cells), dtype=np.float64)
        values[self.failed] = math.nan
        return values

    def _of_scores(self, name: str) -> Any:
        try:
            reading = curves.get(name)
        except RocscopeError:
            known = [
                *(measure.name for measure in measures.catalog()),
                *(statistic.name for statistic in curves.catalog()),
            ]
            raise RocscopeError(f"there is no measure '{name}'", hint=did_you_mean(name, known)) from None
        if reading.kind == "curve":
            raise RocscopeError(f"{name} is a curve, not a number", hint="Use the area under it")
        return np.array([math.nan if table is None else float(reading(table)) for table in self.tables])

    @cached_property
    def tables(self) -> tuple[ScoreTable | None, ...]:
        """The score table of every fold; None if the fit failed or gave only labels."""
        return tuple(fold.table(self.problem) for fold in self.folds)

    def counts(self, index: int) -> Counts:
        """The counts of one fold, by the model's own predictions."""
        m = self.matrices[index]
        cells = [m[1, 1], m[0, 1], m[1, 0], m[0, 0]]
        plain = [float(cell) if self.problem.weights is not None else int(cell) for cell in cells]
        return Counts.of(plain, labels=(self.problem.labels[0], self.problem.labels[1]))

    # ---- matrices ----

    @cached_property
    def failed(self) -> Any:
        """Which folds failed."""
        return np.array([bool(fold.why) for fold in self.folds])

    @cached_property
    def matrices(self) -> Any:
        """The confusion matrix of every fold, actual rows, in the order of the labels."""
        k = len(self.problem.labels)
        matrices = np.zeros((len(self.folds), k, k))
        for index, fold in enumerate(self.folds):
            if not fold.why:
                codes = self.problem.codes[fold.cases] * k + fold.predicted
                weights = self.problem.weights_of(fold.cases)
                matrices[index] = np.bincount(codes, weights=weights, minlength=k * k).reshape(k, k)
        return matrices

    def _of_matrix(self, measure: measures.Measure) -> Any:
        values = [
            math.nan if fold.why else measure.of_matrix(m) for fold, m in zip(self.folds, self.matrices, strict=True)
        ]
        return np.array(values, dtype=np.float64)

    @cached_property
    def absent(self) -> int:
        """The number of folds without cases of some class, which averages over classes leave out."""
        if self.problem.kind == "labels":
            shares = [self.problem.codes[fold.cases].mean(axis=0) for fold in self.folds]
            return sum(bool(((share == 0) | (share == 1)).any()) for share in shares)
        k = len(self.problem.labels)
        return sum(len(np.unique(self.problem.codes[fold.cases])) < k for fold in self.folds)

    def _averaged(self, measure: Any, how: str) -> Any:
        cells = measures.one_vs_rest(self.matrices)
        if how == "micro":
            cells = {name: cell.sum(-1) for name, cell in cells.items()}
        values = np.array(measure.value(cells), dtype=np.float64)
        if how == "macro":
            known = ~np.isnan(values)
            sums, over = np.where(known, values, 0.0).sum(-1), known.sum(-1)
            values = np.where(over > 0, sums / np.maximum(over, 1), math.nan)
        values[self.failed] = math.nan
        return values

    def _case_by_case(self, name: str) -> Any:
        """Any other measure of several classes or labels; the error rate of labels is the share that is wrong."""
        labels = self.problem.kind == "labels"
        spelled = "hamming_loss" if labels and name == "error_rate" else name
        values = [
            math.nan if fold.why else measured(tested_predictions(self.problem, fold), spelled) for fold in self.folds
        ]
        return np.array(values, dtype=np.float64)


def measured(predictions: Any, name: str) -> float:
    """A measure of several classes or labels."""
    return case_statistic(name, predictions).value(predictions)
