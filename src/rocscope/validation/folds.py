"""Problem and Fold: the cases on which models are evaluated, and the predictions of one model in one fold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

import numpy as np

from rocscope import tally
from rocscope.errors import RocscopeError
from rocscope.multiclass import ClassScores
from rocscope.record import record
from rocscope.splits import Bootstrap, Cases, LeavePairOut, Nested, Pairs
from rocscope.table import ScoreTable


@record(eq=False)
class Problem:
    """The cases: features, labels as codes, weights and groups.

    `kind` is "binary" (codes 0 and 1, labels negative and positive), "classes" (codes 0..k-1) or "labels" (indicators,
    n x k). `y` holds the labels to which models are fitted.
    """

    X: Any
    y: Any
    kind: str
    codes: Any
    labels: tuple[Any, ...]
    weights: Any = None
    groups: Any = None

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any,
        *,
        positive: Any = None,
        labels: Sequence[Any] | None = None,
        weights: Any = None,
        groups: Any = None,
    ) -> Problem:
        """Validate the cases: as many rows as labels, at least two classes, weights and groups of the same length."""
        X = np.asarray(X) if isinstance(X, list | tuple) else X
        kind, target, codes, known_labels = _labelled(y, positive, labels)
        n = len(codes)
        rows = X.shape[0] if hasattr(X, "shape") else len(X)
        if rows != n:
            raise RocscopeError(f"X has {rows} rows, but there are {n} labels", hint="Give one label for each row")
        known = None if weights is None else np.asarray(tally.weights_of(weights, n), dtype=np.float64)
        if groups is not None and len(groups) != n:
            raise RocscopeError(f"there are {n} labels, but {len(groups)} groups", hint="Give one group for each case")
        group_of_case = None if groups is None else np.asarray(groups)
        return cls(X, target, kind, codes, known_labels, known, group_of_case)

    def __len__(self) -> int:
        return len(self.codes)

    def weights_of(self, cases: Any) -> Any:
        """The weights of some cases; None if cases have no weights."""
        return None if self.weights is None else self.weights[cases]

    @property
    def classes(self) -> Any:
        """The input for stratifying: the classes of the cases with their names, or the number of cases."""
        if self.kind == "labels":
            return len(self.codes)
        present, codes = np.unique(self.codes, return_inverse=True)
        return Cases(len(codes), codes.astype(np.int64), tuple(self.labels[code] for code in present.tolist()))


def _labelled(y: Any, positive: Any, labels: Sequence[Any] | None) -> tuple[str, Any, Any, tuple[Any, ...]]:
    shape = getattr(y, "shape", None) or np.shape(y)
    if len(shape) == 2 and shape[1] > 1:
        return _indicators(y, labels)
    codes, known = tally.factorize(y, labels=labels)
    present = len(np.unique(codes))
    if present < 2:
        raise RocscopeError(
            f"all {len(codes)} labels are {known[int(codes[0])] if len(codes) else 'missing'}, but there must be at "
            f"least two classes"
        )
    target = np.asarray(y).ravel()
    if len(known) > 2:
        if positive is not None:
            raise RocscopeError(
                f"a positive label can be given only for two classes, but there are {len(known)}",
                hint="Keep two classes, or leave it out",
            )
        return "classes", target, codes.astype(np.int64), known
    mask, pair = tally.binary(y, positive)
    return "binary", target, mask.astype(np.int64), pair


def _indicators(y: Any, labels: Sequence[Any] | None) -> tuple[str, Any, Any, tuple[Any, ...]]:
    truth = np.asarray(y)
    if truth.dtype.kind not in "biuf" or not np.isin(truth, (0, 1)).all():
        raise RocscopeError("several labels per case must be indicators, 0 or 1", hint="Give one column for each label")
    names = tuple(range(truth.shape[1])) if labels is None else tuple(labels)
    if len(names) != truth.shape[1]:
        raise RocscopeError(f"there are {truth.shape[1]} label columns, but {len(names)} names")
    return "labels", truth.astype(np.int64), truth.astype(np.int64), names


@record(eq=False)
class Fold:
    """The predictions of one model in one fold: the cases tested, their scores and predicted labels, as arrays.

    `scores` has shape n (binary) or n x k, or is None if the model predicts only labels; `predicted` contains codes of
    labels, or indicators. `all_scores` and `all_predicted` cover every case (bootstrap), and `inner_cases` and
    `inner_scores` the training cases, each scored by a model that did not see it (nested). `why` states what went
    wrong, if anything; otherwise it is "".
    """

    model: str
    split: int
    seed: int
    share: float
    train: int
    distinct: int
    cases: Any
    scores: Any = None
    predicted: Any = None
    score_kind: str = "labels"
    all_scores: Any = None
    all_predicted: Any = None
    inner_cases: Any = None
    inner_scores: Any = None
    why: str = ""
    warned: tuple[str, ...] = ()
    resources: dict[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, int, int, float]:
        """The key that identifies this fold within a run."""
        return self.model, self.split, self.seed, self.share

    @property
    def answered(self) -> int:
        """The number of cases for which the model gave a prediction."""
        return len(self.cases) if self.all_predicted is None else len(self.all_predicted)

    def table(self, problem: Problem) -> ScoreTable | None:
        """The score table of the fold (binary); tables of folds can be added."""
        if self.scores is None or problem.kind != "binary" or self.why:
            return None
        return table_of(problem, self.cases, self.scores)

    def class_scores(self, problem: Problem) -> ClassScores | None:
        """The scores of the fold by class (several classes)."""
        if self.scores is None or problem.kind != "classes" or self.why:
            return None
        weights = problem.weights_of(self.cases)
        return ClassScores(problem.codes[self.cases], self.scores, problem.labels, weights)


OUT_OF_BAG = "pooled out-of-bag scores rank cases scored by different models, each trained on its own resample"


def first_tests(model: str, folds: Sequence[Fold]) -> Fold:
    """Combine the folds of a model: each case has its prediction from the first fold and seed that tested it."""
    done = [fold for fold in folds if not fold.why and fold.seed == 0]
    if not done:
        return Fold(model, 0, 0, 1.0, 0, 0, np.zeros(0, dtype=np.int64), predicted=np.zeros(0, dtype=np.int64))
    cases, first = np.unique(np.concatenate([fold.cases for fold in done]), return_index=True)
    predicted = np.concatenate([fold.predicted for fold in done])[first]
    scored = all(fold.scores is not None for fold in done)
    scores = np.concatenate([fold.scores for fold in done])[first] if scored else None
    return Fold(model, 0, 0, 1.0, 0, 0, cases, scores, predicted)


def table_of(problem: Problem, cases: Any, scores: Any) -> ScoreTable:
    """The score table of some cases."""
    weights = problem.weights_of(cases)
    mask = problem.codes[cases].astype(bool)
    return ScoreTable.from_scores(mask, scores, weights=weights).named((problem.labels[0], problem.labels[1]))


def outer_plan(pairs: Pairs) -> Any:
    """The plan of some pairs; for a nested plan, the outer one."""
    return pairs.plan.outer if isinstance(pairs.plan, Nested) else pairs.plan


def unpooled(pairs: Pairs) -> str:
    """The reason why the pooled scores are not ranked here, although those of a fold may be; "" if they may be.

    A bootstrap sample that holds fewer positives by chance leaves more of them out and scores them lower: the pooled
    out-of-bag scores of a model that learns nothing have an AUC of 0.41 on average with 20 + 20 cases.
    """
    return unranked(pairs) or (OUT_OF_BAG if isinstance(outer_plan(pairs), Bootstrap) else "")


def unranked(pairs: Pairs) -> str:
    """The reason why scores of different folds are not ranked together here; "" if they may be.

    Pooled leave-one-out scores come from as many models as there are cases, and each score is lower if its case is
    positive: models that learn nothing have an AUC far below 0.5.
    """
    of_pairs = isinstance(outer_plan(pairs), LeavePairOut)
    if not of_pairs and max(pairs.test_sizes) > 1:
        return ""
    name = "leave-pair-out" if of_pairs else "leave-one-out"
    return f"pooled {name} ranks cases scored by different models (Airola et al. 2011)"
