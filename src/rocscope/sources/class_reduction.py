"""Multiclass sums of a source that does not fit into memory: one pass, plus one for the covariance of the areas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rocscope import tally
from rocscope.decisions import CostMatrix, DecisionSums
from rocscope.errors import RocscopeError
from rocscope.intervals import ClassGaps, ClassProducts, PartCovariance
from rocscope.multiclass import (
    CaseMoments,
    ClassScores,
    ClassStream,
    ClassSums,
    JointDecisions,
    log_losses,
    squared_losses,
)
from rocscope.record import record
from rocscope.sources.column_batches import Column
from rocscope.sources.confusion_matrices import Sums
from rocscope.sources.rows import BY, CompleteRows, summed
from rocscope.sources.source import BUDGET, Key, Source
from rocscope.table import Confusion

CELL = 200  # peak number of bytes per distinct score kept for a column and class
PREDICTED = "predicted class"
LOSSES = {"log_loss": log_losses, "brier": squared_losses}


@record(slots=True)
class ClassQuestion:
    """The columns to read for several classes, the label of each score column, and the rule for predicting a class.

    If `costs` or `thresholds` are given, they determine the predicted class; otherwise, the highest score does.
    """

    label: str
    columns: tuple[str, ...]
    labels: tuple[Any, ...]
    weight: str | None = None
    by: tuple[str, ...] = ()
    costs: CostMatrix | None = None
    thresholds: Sequence[float] | None = None

    @property
    def needed(self) -> dict[str, str]:
        """The purpose of each column."""
        named = zip(self.columns, self.labels, strict=True)
        wanted = {self.label: "label"} | {column: f"score of {label}" for column, label in named}
        return dict.fromkeys(self.by, BY) | wanted | ({} if self.weight is None else {self.weight: "weight"})

    def scores(self, rows: CompleteRows) -> ClassScores:
        """The validated labels, scores and weights of some rows."""
        values = rows.values()
        matrix = np.column_stack([np.asarray(values[column], dtype=np.float64) for column in self.columns])
        weights = None if self.weight is None else values[self.weight]
        return ClassScores.of(values[self.label], matrix, labels=self.labels, weights=weights)


@record(slots=True, eq=False)
class ClassReduction:
    """The sums for several classes and for decisions by costs, the matrix of each slice, and the rows left out."""

    sums: ClassSums
    decision: DecisionSums | None
    slices: Mapping[Key, Confusion]
    left_out: Mapping[str, int]


@dataclass
class _Sums:
    """Sums over rows, except those for the covariance of the areas."""

    request: ClassQuestion
    stream: ClassStream
    slices: Sums
    decision: DecisionSums | None = None

    @classmethod
    def begin(cls, request: ClassQuestion, budget: int) -> _Sums:
        slices = Sums(request.label, (PREDICTED,), request.weight, request.by)
        return cls(request, ClassStream(request.labels, budget=budget // CELL), slices)

    def add(self, rows: CompleteRows) -> None:
        if len(rows):
            self.add_scores(rows, self.request.scores(rows))

    def add_scores(self, rows: CompleteRows, scores: ClassScores) -> Any:
        """Add validated scores, and return the positions of the predicted classes."""
        predicted = None
        if self.request.costs is not None:
            predicted = self.request.costs.decide(scores.scores, self.request.thresholds)
            sums = DecisionSums.of(self.request.costs, scores.codes, scores.scores, predicted, scores.weights)
            self.decision = sums if self.decision is None else self.decision + sums
        self.stream.add(scores, predicted)
        if self.request.by:
            self._add_slices(rows, scores)
        return scores.scores.argmax(axis=1) if predicted is None else predicted

    def cut(self, weights_are: str) -> Mapping[Key, Confusion]:
        return self.slices.matrices(weights_are) if self.request.by else {}

    def _add_slices(self, rows: CompleteRows, scores: ClassScores) -> None:
        columns = {name: rows.columns[name] for name in self.request.by}
        columns |= {
            self.request.label: Column(scores.codes, None, list(scores.labels)),
            PREDICTED: Column(scores.scores.argmax(axis=1), None, list(scores.labels)),
        }
        weights = None if scores.weights is None else np.asarray(scores.weights, dtype=np.float64)
        self.slices.whole &= scores.weights is None or np.asarray(scores.weights).dtype.kind in "iu"
        self.slices.count(columns, np.ones(len(rows), dtype=np.int64), weights)


@dataclass
class _Products:
    """A second look at the rows, for how the areas, and the calibration errors of classes, vary together."""

    request: ClassQuestion
    products: ClassProducts
    gaps: ClassGaps

    @classmethod
    def begin(cls, request: ClassQuestion, sums: ClassSums) -> _Products:
        return cls(request, ClassProducts(sums), ClassGaps(sums))

    def add(self, rows: CompleteRows) -> None:
        if len(rows):
            self.add_scores(self.request.scores(rows))

    def add_scores(self, scores: ClassScores) -> None:
        self.products.add(scores)
        self.gaps.add(scores)

    @property
    def covariance(self) -> PartCovariance:
        return self.products.covariance._replace(gaps=self.gaps.together)


@dataclass
class _Labels:
    """Collects the labels that occur."""

    columns: Sequence[str]
    found: dict[Any, None] = field(default_factory=dict)

    def add(self, rows: CompleteRows) -> None:
        values = rows.values() if len(rows) else {}
        for name in self.columns if values else ():
            self.found |= dict.fromkeys(tally.factorize(values[name], "label", limit=10**6)[1])


def labels_of(
    source: Source, *columns: str, needed: Mapping[str, str] | None = None, missing: str = "error",
    budget: int | None = None,
) -> list[Any]:  # fmt: skip
    """The labels that occur in the complete rows of the columns, without keeping the rows in memory."""
    wanted = dict.fromkeys(columns, "label") if needed is None else needed
    counter, _ = summed(source, wanted, lambda: _Labels(columns), missing=missing, budget=budget)
    return list(counter.found)


def class_sums(
    source: Source, request: ClassQuestion, *, missing: str = "error", weights_are: str = "sampling",
    budget: int | None = None,
) -> ClassReduction:  # fmt: skip
    """Compute the sums for several classes within the memory budget; areas are exact up to the bound of their cells.

    >>> from rocscope import sources
    >>> source = sources.open({"y": ["a", "b", "c"], "a": [.8, .2, .1], "b": [.1, .7, .3], "c": [.1, .1, .6]})
    >>> asked = ClassQuestion("y", ("a", "b", "c"), ("a", "b", "c"))
    >>> class_sums(source, asked).sums.matrix.accuracy
    1.0
    """
    most = BUDGET if budget is None or budget < 0 else budget

    def start() -> _Sums:
        return _Sums.begin(request, most)

    counted, left_out = summed(source, request.needed, start, missing=missing, budget=budget)
    sums, cut = counted.stream.sums, counted.cut(weights_are)
    if not source.once:
        whole = sums
        second, _ = summed(
            source,
            request.needed,
            lambda: _Products(request, ClassProducts(whole), ClassGaps(whole)),
            missing=missing,
            budget=budget,
        )
        sums = replace(sums, products=second.covariance)
    return ClassReduction(sums, counted.decision, cut, left_out)


# ---- several models on the same rows ----


@record(slots=True, eq=False)
class ModelReduction:
    """The joint decisions of several models, the sums of each model that has scores, and the covariance of their means.

    `models` is empty for predicted labels, whose matrices by slice are in `slices`; `moments` are the covariances
    between models of a measure that can be computed from sums over cases.
    """

    labels: tuple[Any, ...]
    joint: JointDecisions
    models: Mapping[str, ClassReduction]
    moments: Mapping[str, Any]
    slices: Mapping[Key, Confusion]
    left_out: Mapping[str, int]


class _Joint:
    """Decisions of all models, added up; refused where there are more kinds of cases than fit."""

    def __init__(self, models: int, budget: int) -> None:
        self.most, self.decisions = max(2**16, budget // (64 * (models + 2))), None

    decisions: JointDecisions | None

    def add(self, codes: Any, predicted: Sequence[Any], weights: Any) -> None:
        joint = JointDecisions.of(codes, predicted, weights)
        self.decisions = joint if self.decisions is None else self.decisions + joint
        if len(self.decisions.repeats) > self.most:
            different = "classes, predictions and weights" if weights is not None else "classes and predictions"
            raise RocscopeError(
                f"more than {self.most:,} distinct combinations of {different} do not fit in memory",
                hint="Raise budget=, or compare fewer models at a time",
            )

    @property
    def counted(self) -> JointDecisions:
        if self.decisions is None:
            raise RocscopeError("there are no rows to compare")
        return self.decisions


@dataclass
class _Models:
    """Rows of models with a score for each class, added up."""

    sums: dict[str, _Sums]
    joint: _Joint
    losses: dict[str, CaseMoments] = field(default_factory=dict)

    def add(self, rows: CompleteRows) -> None:
        if not len(rows):
            return
        scores = {name: model.request.scores(rows) for name, model in self.sums.items()}
        predicted = [model.add_scores(rows, scores[name]) for name, model in self.sums.items()]
        first = next(iter(scores.values()))
        self.joint.add(first.codes, predicted, first.weights)
        mass = np.ones(len(first.codes)) if first.weights is None else np.asarray(first.weights, dtype=np.float64)
        if all(model.scores.min() >= 0 for model in scores.values()):
            for name, losses in LOSSES.items():
                each = CaseMoments.of(np.stack([losses(model.codes, model.scores) for model in scores.values()]), mass)
                self.losses[name] = self.losses[name] + each if name in self.losses else each


@dataclass
class _ModelProducts:
    """A second look at the rows, for how areas vary together, within and between models."""

    products: dict[str, _Products]
    areas: dict[int, CaseMoments] = field(default_factory=dict)

    def add(self, rows: CompleteRows) -> None:
        if not len(rows):
            return
        scores = {name: model.request.scores(rows) for name, model in self.products.items()}
        for name, model in self.products.items():
            model.add_scores(scores[name])
        codes = next(iter(scores.values())).codes
        each = np.stack([self.products[name].products.mean_added(model) for name, model in scores.items()])
        for at in np.unique(codes).tolist():
            own = CaseMoments.of(each[:, codes == at], np.ones(int((codes == at).sum())))
            self.areas[at] = self.areas[at] + own if at in self.areas else own

    @property
    def covariance(self) -> Any:
        """The covariance of the mean AUCs of all models, added up from the sums of each class."""
        parts = [model.rows**2 * model.covariance for model in self.areas.values() if model.rows > 1]
        return np.sum(parts, axis=0) if parts else None


def model_sums(
    source: Source, models: Mapping[str, ClassQuestion], *, missing: str = "error", weights_are: str = "sampling",
    budget: int | None = None,
) -> ModelReduction:  # fmt: skip
    """The sums of several models with a score for each class, over the rows in which every model has scores.

    >>> from rocscope import sources
    >>> scores = {"p_a": [.8, .2, .4], "p_b": [.2, .8, .6], "q_a": [.9, .6, .7], "q_b": [.1, .4, .3]}
    >>> columns = {"y": ["a", "b", "a"], **scores}
    >>> asked = {name: ClassQuestion("y", (f"{name}_a", f"{name}_b"), ("a", "b")) for name in "pq"}
    >>> model_sums(sources.open(columns), asked).joint.rows.tolist()
    [[0, 0, 0], [0, 1, 0], [1, 1, 0]]
    """
    most = BUDGET if budget is None or budget < 0 else budget
    needed = {name: what for model in models.values() for name, what in model.needed.items()}
    first = next(iter(models.values()))

    def start() -> _Models:
        sums = {name: _Sums.begin(model, most // len(models)) for name, model in models.items()}
        return _Models(sums, _Joint(len(models), most))

    counted, left_out = summed(source, needed, start, missing=missing, budget=budget)
    whole = {name: model.stream.sums for name, model in counted.sums.items()}
    moments = {name: model.covariance for name, model in counted.losses.items()}
    if not all(model.probabilities for model in whole.values()):
        moments = {}
    if not source.once:
        second, _ = summed(
            source, needed, lambda: _ModelProducts({n: _Products.begin(models[n], sums) for n, sums in whole.items()}),
            missing=missing, budget=budget,
        )  # fmt: skip
        whole = {name: replace(model, products=second.products[name].covariance) for name, model in whole.items()}
        if first.weight is None and second.covariance is not None:
            moments["auc"] = second.covariance
    reduced = {
        name: ClassReduction(whole[name], model.decision, model.cut(weights_are), left_out)
        for name, model in counted.sums.items()
    }
    return ModelReduction(first.labels, counted.joint.counted, reduced, moments, {}, left_out)


@dataclass
class _Decided:
    """Rows of predicted labels, added up."""

    request: ClassQuestion
    joint: _Joint
    slices: Sums

    def add(self, rows: CompleteRows) -> None:
        if not len(rows):
            return
        values, question = rows.values(), self.request
        codes = [
            tally.factorize(values[name], labels=question.labels)[0] for name in (question.label, *question.columns)
        ]
        weights = None if question.weight is None else np.asarray(values[question.weight])
        self.joint.add(codes[0], codes[1:], weights)
        columns = {name: rows.columns[name] for name in (question.label, *question.columns, *question.by)}
        self.slices.whole &= weights is None or weights.dtype.kind in "iu"
        counted = None if weights is None else weights.astype(np.float64)
        self.slices.count(columns, np.ones(len(rows), dtype=np.int64), counted)


def decided_models(
    source: Source, request: ClassQuestion, needed: Mapping[str, str], *, missing: str = "error",
    weights_are: str = "sampling", budget: int | None = None,
) -> ModelReduction:  # fmt: skip
    """Sum several columns of predicted labels on the same rows; `request.labels` must contain every label that occurs.

    >>> from rocscope import sources
    >>> source = sources.open({"y": ["a", "b", "a"], "p": ["a", "b", "b"], "q": ["a", "a", "b"]})
    >>> asked = ClassQuestion("y", ("p", "q"), ("a", "b"))
    >>> needed = {"y": "label", "p": "predicted label", "q": "predicted label"}
    >>> decided_models(source, asked, needed).joint.rows.tolist()
    [[0, 0, 0], [0, 1, 1], [1, 1, 0]]
    """
    most = BUDGET if budget is None or budget < 0 else budget

    def start() -> _Decided:
        slices = Sums(request.label, request.columns, request.weight, request.by)
        return _Decided(request, _Joint(len(request.columns), most), slices)

    counted, left_out = summed(source, needed, start, missing=missing, budget=budget)
    cut = counted.slices.matrices(weights_are)
    return ModelReduction(tuple(request.labels), counted.joint.counted, {}, {}, cut, left_out)
