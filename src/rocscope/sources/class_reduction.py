"""Multiclass sums of a source that does not fit into memory: one pass, plus one for the covariance of the areas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rocscope import tally
from rocscope.decisions import CostMatrix, DecisionSums
from rocscope.intervals import ClassProducts
from rocscope.multiclass import ClassScores, ClassStream, ClassSums
from rocscope.record import record
from rocscope.sources.column_batches import Column
from rocscope.sources.confusion_matrices import Sums
from rocscope.sources.rows import BY, CompleteRows, summed
from rocscope.sources.source import BUDGET, Key, Source
from rocscope.table import Confusion

CELL = 200  # peak number of bytes per distinct score kept for a column and class
PREDICTED = "predicted class"


@record(slots=True)
class ClassQuestion:
    """The columns that several classes are read from, the label of each column of scores, and what decides.

    `costs` and `thresholds` decide if they are given; otherwise the highest score does.
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
        """What each column is for."""
        named = zip(self.columns, self.labels, strict=True)
        wanted = {self.label: "label"} | {column: f"score of {label}" for column, label in named}
        return dict.fromkeys(self.by, BY) | wanted | ({} if self.weight is None else {self.weight: "weight"})

    def scores(self, rows: CompleteRows) -> ClassScores:
        """Labels, scores and weights of some rows, checked."""
        values = rows.values()
        matrix = np.column_stack([np.asarray(values[column], dtype=np.float64) for column in self.columns])
        weights = None if self.weight is None else values[self.weight]
        return ClassScores.of(values[self.label], matrix, labels=self.labels, weights=weights)


@record(slots=True, eq=False)
class ClassReduction:
    """The sums of several classes, of their decisions by costs, matrices by slice, and what was left out."""

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

    def add(self, rows: CompleteRows) -> None:
        if not len(rows):
            return
        scores, predicted = self.request.scores(rows), None
        if self.request.costs is not None:
            predicted = self.request.costs.decide(scores.scores, self.request.thresholds)
            sums = DecisionSums.of(self.request.costs, scores.codes, scores.scores, predicted, scores.weights)
            self.decision = sums if self.decision is None else self.decision + sums
        self.stream.add(scores, predicted)
        if self.request.by:
            self._add_slices(rows, scores)

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
    """Sums of a second pass, for the covariance of the areas."""

    request: ClassQuestion
    products: ClassProducts

    def add(self, rows: CompleteRows) -> None:
        if len(rows):
            self.products.add(self.request.scores(rows))


@dataclass
class _Labels:
    """Collects the labels that occur."""

    label: str
    found: dict[Any, None] = field(default_factory=dict)

    def add(self, rows: CompleteRows) -> None:
        if len(rows):
            self.found |= dict.fromkeys(tally.factorize(rows.values()[self.label], "label", limit=10**6)[1])


def labels_of(source: Source, label: str, *, missing: str = "error", budget: int | None = None) -> list[Any]:
    """The labels that occur in a column, without loading the rows."""
    counter, _ = summed(source, {label: "label"}, lambda: _Labels(label), missing=missing, budget=budget)
    return list(counter.found)


def class_sums(
    source: Source, request: ClassQuestion, *, missing: str = "error", weights_are: str = "sampling",
    budget: int | None = None,
) -> ClassReduction:  # fmt: skip
    """The sums for several classes, computed within the memory budget; areas have the bound of their cells.

    >>> from rocscope import sources
    >>> source = sources.open({"y": ["a", "b", "c"], "a": [.8, .2, .1], "b": [.1, .7, .3], "c": [.1, .1, .6]})
    >>> asked = ClassQuestion("y", ("a", "b", "c"), ("a", "b", "c"))
    >>> class_sums(source, asked).sums.matrix.accuracy
    1.0
    """
    most = BUDGET if budget is None or budget < 0 else budget

    def start() -> _Sums:
        slices = Sums(request.label, (PREDICTED,), request.weight, request.by)
        return _Sums(request, ClassStream(request.labels, budget=most // CELL), slices)

    counted, left_out = summed(source, request.needed, start, missing=missing, budget=budget)
    sums = counted.stream.sums
    cut = counted.slices.matrices(weights_are) if request.by else {}
    if not source.once:
        whole = sums
        second, _ = summed(
            source, request.needed, lambda: _Products(request, ClassProducts(whole)), missing=missing, budget=budget
        )
        sums = replace(sums, products=second.products.covariance)
    return ClassReduction(sums, counted.decision, cut, left_out)
