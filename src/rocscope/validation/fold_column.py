"""Predictions of a cross-validation from a column that names the fold of each: a `Validation` without fitting a model.

How it works: every value of the column is a test set, and the other cases are what its model was trained on. Cases that
are tested again, in another repetition, are known by their id; a repetition is a run of folds that tests every case
once. Ten folds that are halves and swap their parts are 5x2, folds of one case are leave-one-out, and the tests between
models are those that belong to the plan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from rocscope import tally
from rocscope.decisions import Costs
from rocscope.errors import RocscopeError
from rocscope.evaluation import numbered
from rocscope.multiclass import score_matrix
from rocscope.numbers import Array
from rocscope.record import record
from rocscope.splits import Cases, FiveByTwo, LeaveOneOut, Pairs, Plan
from rocscope.validation.comparisons import check_margin, fitting_test
from rocscope.validation.folds import Fold, Problem
from rocscope.validation.primary_measure import checked_measure
from rocscope.validation.results import Validation, ValidationSettings

MOST_FOLDS = 100_000


@record(slots=True)
class NamedFolds(Plan):
    """Folds that a column of the data names: each is a test set, the other cases of its repetition were trained on."""

    folds: int
    repetitions: int = 1


def validated_predictions(
    y: Any,
    models: Mapping[str, Any],
    fold: Any,
    *,
    id: Any = None,
    predicted: bool = False,
    positive: Any = None,
    labels: Sequence[Any] | None = None,
    weights: Any = None,
    groups: Any = None,
    threshold: float | None = None,
    costs: Costs | None = None,
    choose: str | None = None,
    test: str | None = None,
    measure: str | None = None,
    margin: float | None = None,
    level: float = 0.95,
    seed: int = 0,
    source: Mapping[str, Any] | None = None,
    notes: Sequence[str] = (),
) -> Validation:
    """Predictions from a cross-validation as a `Validation`: pooled and per fold, with curves and tests.

    `models` are scores, predicted labels (`predicted`), or a score for each class or label; `fold` names the fold of
    each row, and `id` its case if cases are tested more than once.

    >>> y, s = [0, 1, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1], [.1, .7, .6, .4, .8, .3, .9, .2, .4, .5, .2, .7]
    >>> va = validated_predictions(y, {"m": s}, fold=[1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3])
    >>> va.values("auc")["m"].tolist(), va.pairs.says
    ([1.0, 1.0, 0.75], 'folds given in the data')
    """
    rows = _Rows.of(y, fold, id)
    problem = Problem.of(
        np.empty((rows.cases, 0)), rows.first(y), positive=positive, labels=labels,
        weights=None if weights is None else rows.first(weights), groups=None if groups is None else rows.first(groups),
    )  # fmt: skip
    pairs = rows.pairs(problem)
    settings = ValidationSettings(level=level, seed=seed, costs=costs, choose=choose, test=test, margin=margin)
    if test is not None:
        check_margin(fitting_test(test, pairs), margin, "margin")
    if measure is not None:
        settings = replace(settings, measure=checked_measure(measure, problem, pairs))
    folds: list[Fold] = []
    remarks: list[str] = []
    for name, given in models.items():
        answers = _answers(str(name), given, problem, predicted, threshold)
        remarks += [remark for remark in (answers.said,) if remark and remark not in remarks]
        folds += [rows.answered(str(name), index, answers, pairs) for index in range(len(pairs))]
    return Validation(
        problem, pairs, tuple(map(str, models)), tuple(folds), settings=settings,
        source=MappingProxyType(dict(source or {})), remarks=(*remarks, *notes),
    )  # fmt: skip


# ---- predictions of each model ----


@record(eq=False)
class _Answers:
    """The scores and predicted codes of every row, what kind of scores they are, and what is to be said about them."""

    scores: Any
    predicted: Any
    kind: str
    said: str = ""


def _answers(name: str, given: Any, problem: Problem, predicted: bool, threshold: float | None) -> _Answers:
    if predicted:
        return _Answers(None, _codes(name, given, problem), "labels")
    if problem.kind != "binary":
        matrix = score_matrix(given, len(given)).astype(np.float64)
        if matrix.shape[1] != len(problem.labels):
            raise RocscopeError(f"{name} has {matrix.shape[1]} score columns for {len(problem.labels)} labels")
        inside = matrix.min() >= 0 and matrix.max() <= 1
        guess = (matrix >= 0.5).astype(np.int8) if problem.kind == "labels" else matrix.argmax(axis=1)
        return _Answers(matrix, guess, "probability" if inside else "decision")
    scores = tally.numeric(given, name=name).astype(np.float64)
    kind = "probability" if scores.min() >= 0 and scores.max() <= 1 else "decision"
    at, remark = threshold, ""
    if at is None and kind == "probability":
        at, remark = 0.5, "Error rates are those at the default threshold 0.5."
    if at is None:
        if not scores.min() < 0 < scores.max():
            raise RocscopeError(
                f"the scores of {name} are not probabilities and have no default threshold", hint="Give threshold=..."
            )
        at, remark = (
            0.0,
            "Error rates are those at threshold 0: the scores are not probabilities, and some are below 0.",
        )
    return _Answers(scores, (scores >= at).astype(np.int64), kind, remark)


def _codes(name: str, given: Any, problem: Problem) -> Array:
    """Predicted labels as positions among the labels; indicators of several labels as they are."""
    if problem.kind == "labels":
        return np.asarray(given).astype(np.int8)
    codes, labels = tally.factorize(given, name, limit=10**6)
    spelled = {str(label): at for at, label in enumerate(problem.labels)}
    stray = next((label for label in labels if str(label) not in spelled), None)
    if stray is not None:
        raise RocscopeError(f"{name} predicts {stray!r}, which is not a label of these cases")
    return np.array([spelled[str(label)] for label in labels])[codes]


# ---- assignment of rows to cases and folds ----


@record(eq=False)
class _Rows:
    """The case and the fold of every row."""

    case: Array
    fold: Array
    names: tuple[str, ...]
    cases: int

    @classmethod
    def of(cls, y: Any, fold: Any, id: Any) -> _Rows:
        folds, names = tally.factorize(fold, "fold", limit=MOST_FOLDS)
        order = sorted(range(len(names)), key=lambda at: numbered(str(names[at])))  # fold 2 before fold 10
        folds, names = np.argsort(order)[folds], tuple(names[at] for at in order)
        n = len(folds)
        if len(y) != n:
            raise RocscopeError(f"there are {len(y)} labels, but {n} folds", hint="Give one fold for each row")
        if len(names) < 2:
            raise RocscopeError(f"one fold only ({names[0]})", hint="Name the fold of each row")
        case = np.arange(n) if id is None else tally.factorize(id, "id", limit=n + 2)[0].astype(np.int64)
        if len(case) != n:
            raise RocscopeError(f"there are {n} folds, but {len(case)} ids", hint="Give one id for each row")
        rows = cls(case, folds.astype(np.int64), tuple(map(str, names)), int(case.max()) + 1)
        rows._check(y)
        return rows

    def _check(self, y: Any) -> None:
        """Refuse a case twice in one fold, or with two labels."""
        key = self.fold * self.cases + self.case
        if len(np.unique(key)) < len(key):
            raise RocscopeError("a case is tested twice in one fold", hint="Name folds differently in each repetition")
        if len(self.case) == self.cases:
            return
        codes = tally.factorize(y, limit=10**6)[0] if np.ndim(y) < 2 else np.arange(len(y))
        if np.ndim(y) < 2 and (codes != codes[self._place][self.case]).any():
            raise RocscopeError("the same case has different labels in different folds", hint="Check the ids")

    @property
    def _place(self) -> Array:
        """The first row of each case."""
        return np.unique(self.case, return_index=True)[1]

    def first(self, column: Any) -> Any:
        """The value of a column in the first row of each case."""
        return (_decoded(column) if isinstance(column, tally.Dictionary) else np.asarray(column))[self._place]

    def pairs(self, problem: Problem) -> Pairs:
        """The pairs that test on each fold and train on the other cases, with the plan that they form."""
        everyone = np.arange(self.cases)
        tests = [np.sort(self.case[self.fold == at]) for at in range(len(self.names))]
        pairs = [(np.setdiff1d(everyone, test, assume_unique=True), test) for test in tests]
        if any(not len(train) for train, _ in pairs):
            raise RocscopeError(
                "a fold contains every case, so none is left for training", hint="Name the folds differently"
            )
        repetitions = _repetitions(tests, self.cases)
        many = max(repetitions) + 1
        cases = Cases.of(problem.classes, problem.groups)
        plan: Plan = NamedFolds(len(tests), many)
        says = "folds given in the data" + (f", {many} repetitions" if many > 1 else "")
        halves = all(abs(2 * len(test) - self.cases) <= 1 for test in tests)
        if len(tests) == 10 and many == 5 and halves:
            plan, says = FiveByTwo(), "5x2 cross-validation, folds given in the data"
        elif max(map(len, tests)) == 1:
            plan, says = LeaveOneOut(), "leave-one-out, folds given in the data"
        times = np.bincount(np.concatenate(tests), minlength=self.cases)
        names = [f"fold {name}" if name.isdigit() else name for name in self.names]
        return Pairs(pairs, cases=cases, plan=plan, says=says, names=names, repetitions=repetitions,
                     disjoint_tests=bool(times.max() <= many))  # fmt: skip

    def answered(self, model: str, index: int, answers: _Answers, pairs: Pairs) -> Fold:
        """The predictions of a model in one fold, in the order of its cases."""
        rows = np.flatnonzero(self.fold == index)
        rows = rows[np.argsort(self.case[rows], kind="stable")]
        train = len(pairs[index].train)
        scores = None if answers.scores is None else answers.scores[rows]
        return Fold(model, index, 0, 1.0, train, train, self.case[rows], scores, answers.predicted[rows], answers.kind)


def _decoded(column: tally.Dictionary) -> Array:
    codes, labels = tally.factorize(column, limit=10**6)
    return np.array(labels, dtype=object)[codes]


def _repetitions(tests: Sequence[Array], cases: int) -> list[int]:
    """The repetition of each fold: a new one begins when every case was tested, or one of them would be again."""
    repetitions, seen, number = [], np.zeros(cases, dtype=bool), 0
    for test in tests:
        if seen.all() or seen[test].any():
            seen[:], number = False, number + 1
        seen[test] = True
        repetitions.append(number)
    return repetitions
