"""Sums of several labels for each case of a source that does not fit into memory: one pass, plus one for areas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from rocscope import tally
from rocscope.intervals import CaseStatistic, LabelProducts
from rocscope.multiclass import CaseKinds, LabelPredictions, LabelStream, LabelSums
from rocscope.record import record
from rocscope.sources.class_reduction import CELL
from rocscope.sources.rows import CompleteRows, indicator_matrix, score_columns, summed
from rocscope.sources.source import BUDGET, Source


@record(slots=True)
class LabelQuestion:
    """The columns to read for several labels: the true labels, and the scores or predictions of each model.

    `models` names the columns of scores, decided at the `thresholds`, or, without scores, of predicted labels.
    """

    own: tuple[str, ...]
    labels: tuple[Any, ...]
    models: Mapping[str, tuple[str, ...]]
    thresholds: tuple[float, ...] | None = None
    weight: str | None = None

    @property
    def needed(self) -> dict[str, str]:
        """The purpose of each column."""
        what = "predicted label" if self.thresholds is None else "score of"
        wanted = {name: f"label {name}" for name in self.own}
        wanted |= {name: f"{what} {name}" for columns in self.models.values() for name in columns}
        return wanted | ({} if self.weight is None else {self.weight: "weight"})

    def cases(self, rows: CompleteRows) -> dict[str, LabelPredictions]:
        """The validated labels of some rows, with the scores and decisions of each model."""
        values = rows.values()
        truth = indicator_matrix(values, self.own)
        weights = None if self.weight is None else tally.weights_of(values[self.weight], len(truth))
        predictions = {}
        for name, columns in self.models.items():
            scores = None if self.thresholds is None else score_columns(values, columns)
            guess = indicator_matrix(values, columns) if scores is None else scores >= np.array(self.thresholds)
            predictions[name] = LabelPredictions(truth, guess, self.labels, scores, weights)
        return predictions


@record(slots=True, eq=False)
class LabelReduction:
    """The sums of each model, the covariance of the models in some measures, and the rows that were left out."""

    sums: Mapping[str, LabelSums]
    moments: Mapping[str, Any]
    left_out: Mapping[str, int]


@dataclass
class _Labels:
    """Rows added up: everything but how areas vary together."""

    request: LabelQuestion
    streams: dict[str, LabelStream]
    compared: Sequence[CaseStatistic]
    rights: CaseKinds | None = None
    features: Any = 0.0
    means: dict[str, Any] = field(default_factory=dict)

    def add(self, rows: CompleteRows) -> None:
        if not len(rows):
            return
        cases = self.request.cases(rows)
        for name, model in cases.items():
            self.streams[name].add(model)
        if len(cases) > 1:
            self._add_pairs(list(cases.values()))

    def _add_pairs(self, cases: list[LabelPredictions]) -> None:
        """What compares models: which are right, and products of what each case adds to counts and means."""
        rights = CaseKinds.of(np.stack([model.right for model in cases], axis=1).astype(np.int64), cases[0].mass)
        self.rights = rights if self.rights is None else self.rights + rights
        heavy = (cases[0].mass * cases[0].mass)[:, None]
        each = np.concatenate([model.features for model in cases], axis=1)
        self.features = self.features + (each * heavy).T @ each
        for statistic in self.compared:
            if statistic.values_of is not None:
                known = np.stack(_known(statistic, cases), axis=1)
                self.means[statistic.name] = self.means.get(statistic.name, 0.0) + (known * heavy).T @ known


def _known(statistic: CaseStatistic, cases: Sequence[LabelPredictions]) -> list[Any]:
    """Of each model whether a case has a number, and the number, 0 where it has none."""
    columns: list[Any] = []
    assert statistic.values_of is not None
    for model in cases:
        values = statistic.values_of(model)
        has = np.isfinite(values)
        columns += [has.astype(np.float64), np.where(has, values, 0.0)]
    return columns


@dataclass
class _Areas:
    """A second look at the rows, for what each case adds to the areas."""

    request: LabelQuestion
    products: dict[str, LabelProducts]
    crossed: dict[str, Any] = field(default_factory=dict)

    def add(self, rows: CompleteRows) -> None:
        if not len(rows):
            return
        moved = {name: self.products[name].moved(model) for name, model in self.request.cases(rows).items()}
        for name, model in moved.items():
            self.products[name].add_moved(model)
        for area in next(iter(moved.values())):
            each = np.stack([model[area] for model in moved.values()])
            self.crossed[area] = self.crossed.get(area, 0.0) + each @ each.T


def label_sums(
    source: Source, request: LabelQuestion, *, compared: Sequence[CaseStatistic] = (), missing: str = "error",
    budget: int | None = None,
) -> LabelReduction:  # fmt: skip
    """Compute the sums of several labels within the memory budget; areas are exact up to the bound of their cells.

    `compared` are the measures whose covariance between models is wanted.

    >>> from rocscope import sources
    >>> source = sources.open({"a": [1, 0, 1], "b": [0, 1, 1], "p": [.8, .2, .6], "q": [.1, .7, .4]})
    >>> asked = LabelQuestion(("a", "b"), ("a", "b"), {"m": ("p", "q")}, (0.5, 0.5))
    >>> label_sums(source, asked).sums["m"].cells[0].tolist()
    [[2.0, 1.0], [0.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    """
    most = (BUDGET if budget is None or budget < 0 else budget) // CELL // len(request.models)

    def start() -> _Labels:
        return _Labels(request, {name: LabelStream(request.labels, budget=most) for name in request.models}, compared)

    counted, left_out = summed(source, request.needed, start, missing=missing, budget=budget)
    sums = {name: stream.sums for name, stream in counted.streams.items()}
    moments: dict[str, Any] = {}
    if request.thresholds is not None and not source.once:
        whole = sums
        second, _ = summed(
            source, request.needed, lambda: _Areas(request, {name: LabelProducts(own) for name, own in whole.items()}),
            missing=missing, budget=budget,
        )  # fmt: skip
        sums = {
            name: replace(model, moved=MappingProxyType(dict(second.products[name].squares)))
            for name, model in sums.items()
        }
        moments = dict(second.crossed)
    if counted.rights is not None:
        rows = next(iter(sums.values())).rows
        moments |= _covariances(counted, list(sums.values()))
        moments = {name: spread * rows / max(1, rows - 1) for name, spread in moments.items()}
        sums = {
            name: replace(model, rights=CaseKinds(counted.rights.rows[:, at], counted.rights.sums))
            for at, (name, model) in enumerate(sums.items())
        }
    return LabelReduction(sums, moments, left_out)


def _covariances(counted: _Labels, sums: Sequence[LabelSums]) -> dict[str, Any]:
    """Of each measure the sums of products of what cases add to it in two models, linear in counts or numbers."""
    covariances = {}
    for statistic in counted.compared:
        rows = np.zeros((len(sums), 0))
        if statistic.slopes_of is not None:
            slopes = [statistic.slopes_of(model) for model in sums]
            rows, products = _in_blocks(slopes), counted.features
        elif statistic.mean_of is not None and statistic.name in counted.means:
            means = [statistic.mean_of(model).sums for model in sums]
            steps = [np.array([-model.value, 1.0]) / model.mass for model in means if model.mass]
            if len(steps) < len(sums):
                continue
            rows, products = _in_blocks(steps), counted.means[statistic.name]
        if rows.shape[1]:
            covariances[statistic.name] = rows @ products @ rows.T
    return covariances


def _in_blocks(parts: Sequence[Any]) -> Any:
    """A row for each model, what it has in its own columns."""
    width = len(parts[0])
    rows = np.zeros((len(parts), width * len(parts)))
    for at, part in enumerate(parts):
        rows[at, at * width : (at + 1) * width] = part
    return rows
