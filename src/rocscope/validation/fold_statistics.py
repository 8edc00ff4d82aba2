"""What is computed from the folds of one model: any measure of the catalogues, one value per fold."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np

from rocscope import curves, measures
from rocscope.errors import RocscopeError, did_you_mean
from rocscope.record import record
from rocscope.table import Counts, ScoreTable
from rocscope.validation.folds import Fold, Problem

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
    """The folds of one model, in the order of the plan, and every measure of each."""

    problem: Problem
    folds: tuple[Fold, ...]

    @cached_property
    def usual(self) -> tuple[str, ...]:
        """The measures shown without asking: of labels, of scores where there are, of probabilities where they are."""
        kind, done = self.problem.kind, [fold for fold in self.folds if not fold.why]
        names = USUAL[kind]
        if done and all(fold.scores is not None for fold in done):
            names += RANKED[kind]
            if kind == "binary" and all(fold.score_kind == "probability" for fold in done):
                names += LOSSES
        return names

    def values(self, name: str) -> Any:
        """A measure in every fold; NaN where the fold failed or the measure is undefined.

        For two classes any name of the catalogues serves: of counts ("f1"), of scores ("auc", "brier"). For several,
        measures of a matrix, "macro_" and "micro_" averages, and "auc" (the mean of one class against the rest).
        """
        spelled = name.lower().replace("-", "_").replace(" ", "_")
        if self.problem.kind == "binary":
            return self._binary(spelled)
        if spelled == "auc":
            return np.array([self._class_auc(fold) for fold in self.folds])
        if self.problem.kind == "labels":
            return self._of_labels(spelled)
        return self._of_classes(spelled)

    # ---- two classes ----

    def _binary(self, name: str) -> Any:
        try:
            measure = measures.get(name)
        except RocscopeError:
            return self._of_scores(name)
        m = self.matrices
        cells = {"tp": m[:, 1, 1], "fp": m[:, 0, 1], "fn": m[:, 1, 0], "tn": m[:, 0, 0]}
        found = np.array(measure.value(cells), dtype=np.float64)
        found[self.failed] = math.nan
        return found

    def _of_scores(self, name: str) -> Any:
        try:
            reading = curves.get(name)
        except RocscopeError:
            known = [*(one.name for one in measures.catalogue()), *(one.name for one in curves.catalogue())]
            raise RocscopeError(f"no measure '{name}'", hint=did_you_mean(name, known)) from None
        if reading.kind == "curve":
            raise RocscopeError(f"{name} is a curve, not a number", hint="Ask for its area")
        return np.array([math.nan if table is None else float(reading(table)) for table in self.tables])

    @cached_property
    def tables(self) -> tuple[ScoreTable | None, ...]:
        """The score table of every fold; None where it failed or gives labels alone."""
        return tuple(fold.table(self.problem) for fold in self.folds)

    def counts(self, index: int) -> Counts:
        """The counts of one fold, as the model itself decides."""
        m = self.matrices[index]
        cells = [m[1, 1], m[0, 1], m[1, 0], m[0, 0]]
        plain = [float(one) if self.problem.weights is not None else int(one) for one in cells]
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
        found = np.zeros((len(self.folds), k, k))
        for index, fold in enumerate(self.folds):
            if not fold.why:
                codes = self.problem.codes[fold.cases] * k + fold.predicted
                weights = self.problem.weights_of(fold.cases)
                found[index] = np.bincount(codes, weights=weights, minlength=k * k).reshape(k, k)
        return found

    def _of_classes(self, name: str) -> Any:
        how, _, rest = name.partition("_")
        if how in ("macro", "micro"):
            return self._averaged(measures.get(rest), how)
        measure = measures.get(name)
        found = [
            math.nan if fold.why else measure.of_matrix(m) for fold, m in zip(self.folds, self.matrices, strict=True)
        ]
        return np.array(found, dtype=np.float64)

    @cached_property
    def absent(self) -> int:
        """How many folds have no case of some class, so that averages over classes leave it out."""
        if self.problem.kind == "labels":
            shares = [self.problem.codes[fold.cases].mean(axis=0) for fold in self.folds]
            return sum(bool(((share == 0) | (share == 1)).any()) for share in shares)
        k = len(self.problem.labels)
        return sum(len(np.unique(self.problem.codes[fold.cases])) < k for fold in self.folds)

    def _averaged(self, measure: Any, how: str) -> Any:
        cells = measures.one_vs_rest(self.matrices)
        if how == "micro":
            cells = {name: cell.sum(-1) for name, cell in cells.items()}
        found = np.array(measure.value(cells), dtype=np.float64)
        if how == "macro":
            known = ~np.isnan(found)
            sums, over = np.where(known, found, 0.0).sum(-1), known.sum(-1)
            found = np.where(over > 0, sums / np.maximum(over, 1), math.nan)
        found[self.failed] = math.nan
        return found

    def _class_auc(self, fold: Fold) -> float:
        if fold.why or fold.scores is None:
            return math.nan
        if self.problem.kind == "labels":
            truth, weights = self.problem.codes[fold.cases].astype(bool), self.problem.weights_of(fold.cases)
            columns = zip(truth.T, fold.scores.T, strict=True)
            areas = [curves.auc(ScoreTable.from_scores(y, score, weights=weights)) for y, score in columns]
            known = [float(area) for area in areas if not math.isnan(area)]
            return float(np.mean(known)) if known else math.nan
        scores = fold.class_scores(self.problem)
        assert scores is not None
        return float(scores.auc().value)

    # ---- several labels per case ----

    def _of_labels(self, name: str) -> Any:
        how, _, rest = name.partition("_")
        if name in ("error_rate", "hamming_loss", "subset_accuracy"):
            return np.array([math.nan if fold.why else self._share(fold, name) for fold in self.folds])
        if how in ("macro", "micro"):
            return np.array([math.nan if fold.why else self._label_average(fold, rest, how) for fold in self.folds])
        raise RocscopeError(f"no measure '{name}' of several labels per case", hint=did_you_mean(name, USUAL["labels"]))

    def _share(self, fold: Fold, name: str) -> float:
        """The mean share of labels that are wrong, or of cases of which every label is right."""
        right = self.problem.codes[fold.cases] == fold.predicted
        told = right.all(axis=1) if name == "subset_accuracy" else (~right).mean(axis=1)
        return float(np.average(told, weights=self.problem.weights_of(fold.cases)))

    def _label_average(self, fold: Fold, name: str, how: str) -> float:
        truth, said, weights = self.problem.codes[fold.cases], fold.predicted, self.problem.weights_of(fold.cases)
        weights = 1.0 if weights is None else weights[:, None]
        pairs = {"tp": (1, 1), "fp": (0, 1), "fn": (1, 0), "tn": (0, 0)}
        cells = {cell: (weights * ((truth == a) & (said == b))).sum(axis=0) for cell, (a, b) in pairs.items()}
        if how == "micro":
            cells = {cell: np.atleast_1d(counts.sum()) for cell, counts in cells.items()}
        values = np.asarray(measures.get(name).value(cells), dtype=np.float64)
        return float(np.nanmean(values)) if np.isfinite(values).any() else math.nan
