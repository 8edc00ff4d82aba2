"""Several labels for each case as sums: days and machines can be added, and files may exceed memory.

How it works. Averages over labels are functions of the four counts of each label, and how they vary follows from sums
of products of what each case adds to them (its labels, what is predicted, and both). Means over cases depend on how
many labels of a case are right, missed and false, so that cases alike in these are counted together. Rankings are means
of a number of each case; areas come from the score table of each label.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from os import PathLike
from types import MappingProxyType
from typing import Any

import numpy as np

from rocscope.errors import RocscopeError
from rocscope.multiclass.case_sums import KnownMean
from rocscope.multiclass.predictions import LabelPredictions, distinct_rows
from rocscope.numbers import Array
from rocscope.record import record
from rocscope.table import ScoreTable, Stream

EXACT = 2**62  # distinct scores to keep: all
MOST_SETS = 100_000  # different sets of labels that are counted, for what a guess without knowledge would get
CELLS = ("tp", "fp", "fn", "tn")
RANKINGS = ("ranking_precision", "ranking_loss", "coverage_error")


@record(slots=True, eq=False)
class CaseKinds:
    """Cases grouped by equal rows of whole numbers: the distinct `rows`, and the `sums` of 1, w and w² of each.

    >>> kinds = CaseKinds.of(np.array([[1, 0], [0, 2], [1, 0]]), np.array([1.0, 1.0, 2.0]))
    >>> kinds.rows.tolist(), kinds.sums.tolist()
    ([[0, 2], [1, 0]], [[1.0, 1.0, 1.0], [2.0, 3.0, 5.0]])
    """

    rows: Any
    sums: Any

    @classmethod
    def of(cls, rows: Array, mass: Array) -> CaseKinds:
        """The kinds of cases, given the row of each case and its weight."""
        return cls(rows, np.stack([np.ones(len(mass)), mass, mass * mass], axis=1))._joined()

    def __add__(self, other: CaseKinds) -> CaseKinds:
        rows, sums = np.concatenate([self.rows, other.rows]), np.concatenate([self.sums, other.sums])
        return CaseKinds(rows, sums)._joined()

    def _joined(self) -> CaseKinds:
        rows, positions = distinct_rows(self.rows)
        return CaseKinds(rows, np.stack([np.bincount(positions, column, len(rows)) for column in self.sums.T], axis=1))


@record(eq=False)
class LabelSums:
    """Sums of several labels for each case, which can be added over disjoint cases and saved.

    `tables` holds the score table of each label; there are none for predicted labels. `cells` are the sums of w and of
    w² of the four counts (tp, fp, fn, tn) of each label; `products` are the sums of w² times products of the indicators
    of a case: a constant, its labels, the predicted labels, and their products. `kinds` counts cases by how many labels
    are right, false and missed; `sets` counts those with the same labels (None beyond 100,000). `moved` are sums of
    squared contributions of the cases to an area, which need a second pass over the cases and cannot be added.

    >>> day = LabelSums.of([[1, 0], [1, 1], [0, 1]], [[0.9, 0.2], [0.8, 0.7], [0.4, 0.6]])
    >>> (day + day).size, day.cells[0].tolist()
    (6.0, [[2.0, 2.0], [0.0, 0.0], [0.0, 0.0], [1.0, 1.0]])
    """

    labels: tuple[Any, ...]
    tables: tuple[ScoreTable, ...] = field(repr=False)
    cells: Any = field(repr=False)
    products: Any = field(repr=False)
    kinds: CaseKinds = field(repr=False)
    rows_with: Any = field(repr=False)
    sets: CaseKinds | None = field(default=None, repr=False)
    rankings: Mapping[str, KnownMean] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    weighted: bool = False
    range: tuple[float, float] = (math.inf, -math.inf)
    moved: Mapping[str, float] | None = field(default=None, repr=False)
    rights: CaseKinds | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls, y: Any, scores: Any = None, *, predicted: Any = None, labels: Sequence[Any] | None = None,
        weights: Any = None,
    ) -> LabelSums:  # fmt: skip
        """The sums of cases in memory, with a threshold of 0.5 for scores; use `LabelStream` if the cases do not
        fit.
        """
        return cls.of_predictions(LabelPredictions.of(y, scores, predicted=predicted, labels=labels, weights=weights))

    @classmethod
    def of_predictions(cls, cases: LabelPredictions) -> LabelSums:
        """The sums of checked cases."""
        stream = LabelStream(cases.labels)
        stream.add(cases)
        return stream.sums

    def __add__(self, other: LabelSums) -> LabelSums:
        if not isinstance(other, LabelSums):
            return NotImplemented
        if list(map(str, self.labels)) != list(map(str, other.labels)) or self.scored != other.scored:
            first, second = (", ".join(map(str, sums.labels[:12])) for sums in (self, other))
            raise RocscopeError(f"cannot add sums of the labels {first} and {second}")
        if self.weighted != other.weighted:
            raise RocscopeError("cannot add sums with weights to sums without weights")
        sets = None if self.sets is None or other.sets is None else self.sets + other.sets
        low, high = zip(self.range, other.range, strict=True)
        return replace(
            self, tables=tuple(a + b for a, b in zip(self.tables, other.tables, strict=True)),
            cells=self.cells + other.cells, products=self.products + other.products, kinds=self.kinds + other.kinds,
            rows_with=self.rows_with + other.rows_with,
            sets=None if sets is None or len(sets.rows) > MOST_SETS else sets, range=(min(low), max(high)), moved=None,
            rankings=MappingProxyType({name: self.rankings[name] + other.rankings[name] for name in self.rankings}),
            rights=None,
        )  # fmt: skip

    def __radd__(self, other: Any) -> LabelSums:
        """So that `sum` adds them up: it begins with 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    # ---- as predictions: what statistics of cases ask for ----

    @property
    def scored(self) -> bool:
        """Whether there are scores rather than only predicted labels."""
        return bool(self.tables)

    @property
    def probabilities(self) -> bool:
        """Whether all scores lie between 0 and 1."""
        return self.scored and self.range[0] >= 0 and self.range[1] <= 1

    @property
    def rows(self) -> int:
        """The number of cases."""
        return int(self.kinds.sums[:, 0].sum())

    @property
    def size(self) -> float:
        """The weight of all cases."""
        return float(self.kinds.sums[:, 1].sum())

    @property
    def repeats(self) -> Any:
        """The number of cases that each row of `rights` represents when models are compared."""
        return None if self.rights is None else np.rint(self.rights.sums[:, 0]).astype(np.int64)

    @property
    def right(self) -> Any:
        """Whether all labels are predicted correctly, for each row, which represents `repeats` cases."""
        if self.rights is None:
            raise RocscopeError("sums do not show which cases are predicted correctly")
        return np.asarray(self.rights.rows == 1)

    @property
    def mass(self) -> Array:
        """The weight of each row of `rights`."""
        if self.rights is None:
            raise RocscopeError("sums do not contain the weights of individual cases")
        return np.asarray(self.rights.sums[:, 1])

    weights = None

    @property
    def sums(self) -> LabelSums:
        """These sums, under the name that `ClassPredictions` uses for sums of scores that are not in memory."""
        return self

    def __len__(self) -> int:
        return self.rows

    def cell_sums(self) -> dict[str, Array]:
        """The four counts of each label."""
        return dict(zip(CELLS, self.cells[0], strict=True))

    def squared(self, slopes: Array) -> float:
        """The sum of the squared contributions of the cases.

        `slopes` are the coefficients of the constant, the labels, the predicted labels, and their products.
        """
        return max(0.0, float(slopes @ self.products @ slopes))

    def counted(self) -> tuple[dict[str, Array], Array]:
        """Cases grouped by their numbers of correct, false and missed labels: these numbers, sums of 1, w and w²."""
        tp, fp, fn = self.kinds.rows.T
        return {"tp": tp, "fp": fp, "fn": fn, "tn": len(self.labels) - tp - fp - fn}, self.kinds.sums

    def ranking(self, name: str) -> KnownMean:
        """The sums of "ranking_precision", "ranking_loss" or "coverage_error"."""
        return self.rankings[name]

    def truth_sets(self) -> tuple[Array, Array] | None:
        """The sets of labels that occur and the weight of each; None if there are too many."""
        return None if self.sets is None else (unpacked(self.sets.rows, len(self.labels)), self.sets.sums[:, 1])

    @property
    def bound(self) -> float:
        """The largest error of the AUC of a label because scores were merged; 0 when exact."""
        return max((table.bound for table in self.tables), default=0.0)

    @property
    def width(self) -> float:
        """The largest distance between merged scores; 0 when exact."""
        return max((table.width for table in self.tables), default=0.0)

    def table(self, label: Any) -> ScoreTable:
        """The table of one label: cases with it against cases without it, by its scores."""
        return self.tables[self.labels.index(label)].named((f"not {label}", label))

    def pooled(self) -> ScoreTable:
        """The table of all decisions together, used for micro averages."""
        total: ScoreTable = sum(self.tables)  # type: ignore[assignment]
        return total

    # ---- files ----

    def save(self, path: str | PathLike[str], *, name: str = "", unit: str = "case", force: bool = False) -> None:
        """Write the sums to a file (.scoretable.parquet), completely or not at all; `evaluate` and `merge` read it."""
        from rocscope import wire

        wire("LabelSums.save")(self, path, name=name, unit=unit, force=force)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> LabelSums:
        """The sums saved in a file, checked on reading."""
        from rocscope import wire

        sums: LabelSums = wire("LabelSums.load")(path)
        return sums


class LabelStream:
    """Sums of several labels for each case that grow batch by batch in bounded memory.

    Up to `budget` distinct scores, shared by the labels, areas are exact; beyond that, scores are merged in cells, and
    `sums.bound` gives the largest error of an AUC. Everything else is exact.

    >>> stream = LabelStream(["beach", "bay"])
    >>> stream.update([[1, 0], [1, 1]], [[0.9, 0.2], [0.8, 0.7]])
    >>> stream.update([[0, 1]], [[0.4, 0.6]])
    >>> stream.sums.size
    3.0
    """

    def __init__(self, labels: Sequence[Any], *, budget: int = EXACT) -> None:
        self.labels = tuple(labels)
        if not self.labels:
            raise RocscopeError("there are no labels")
        each = EXACT if budget >= EXACT else max(1024, budget // len(self.labels))
        self._streams = [Stream(labels=(0, 1), budget=each) for _ in self.labels]
        self._sums: LabelSums | None = None

    def update(
        self, y: Any, scores: Any = None, *, predicted: Any = None, weights: Any = None, threshold: Any = 0.5
    ) -> None:
        """Add a batch: indicators of the true labels, and their scores (cut at the threshold) or predicted labels.

        `threshold` is one number, or one for each label.
        """
        if len(y) == 0:
            return
        cases = LabelPredictions.of(y, scores, predicted=predicted, labels=self.labels, weights=weights)
        if predicted is None:
            cases = replace(cases, predicted=np.asarray(cases.scores) >= np.asarray(threshold))
        self.add(cases)

    def add(self, cases: LabelPredictions) -> None:
        """Add checked cases with their decisions."""
        batch = _batch_sums(cases)
        self._sums = batch if self._sums is None else self._sums + batch
        if cases.scores is not None:
            for at, stream in enumerate(self._streams):
                scores = np.ascontiguousarray(cases.scores[:, at])
                stream.update(cases.truth[:, at].astype(np.uint8), scores, weights=cases.weights)

    @property
    def sums(self) -> LabelSums:
        """The sums of all cases so far."""
        if self._sums is None:
            raise RocscopeError("the stream does not contain any cases yet", hint="Add some with update(y, scores)")
        return replace(self._sums, tables=tuple(stream.table for stream in self._streams if stream.started))


def _batch_sums(cases: LabelPredictions) -> LabelSums:
    """The sums of some cases but for the tables, which streams make."""
    mass, truth = cases.mass, cases.truth
    each = cases.features
    cells = np.stack([[weight @ cell for cell in cases.cells.values()] for weight in (mass, mass * mass)])
    counts, _ = cases.counted()
    kinds = CaseKinds.of(np.stack([counts[name] for name in ("tp", "fp", "fn")], axis=1).astype(np.int64), mass)
    sets: CaseKinds | None = CaseKinds.of(packed(truth), mass)
    if sets is not None and len(sets.rows) > MOST_SETS:
        sets = None
    rankings, limits = {}, (math.inf, -math.inf)
    if cases.scores is not None:
        rankings = {name: cases.ranking(name) for name in RANKINGS}
        limits = float(cases.scores.min()), float(cases.scores.max())
    products = (each * (mass * mass)[:, None]).T @ each
    rows_with = truth.sum(axis=0).astype(np.int64)
    return LabelSums(
        cases.labels, (), cells, products, kinds, rows_with, sets, MappingProxyType(rankings),
        cases.weights is not None, limits,
    )  # fmt: skip


def packed(truth: Array) -> Array:
    """Rows of flags as whole numbers of 32 flags each."""
    rows, labels = truth.shape
    wide = np.zeros((rows, -(-labels // 32) * 32), dtype=bool)
    wide[:, :labels] = truth
    powers = 1 << np.arange(32, dtype=np.int64)
    return np.asarray(wide.reshape(rows, -1, 32) @ powers)


def unpacked(sets: Array, labels: int) -> Array:
    """The flags of rows of whole numbers."""
    flags = (sets[:, :, None] >> np.arange(32, dtype=np.int64)) & 1
    return flags.reshape(len(sets), -1)[:, :labels].astype(bool)
