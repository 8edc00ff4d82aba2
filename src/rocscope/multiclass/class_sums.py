"""The results of a classifier of several classes as sums: days and machines can be added, and files may exceed memory.

How it works. The scores of each column are kept apart for the cases of each class, as score tables of one side: the
table of a class against the rest, or against another class, is a sum of these. Losses and ranks are sums over cases.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from os import PathLike
from types import MappingProxyType
from typing import Any

import numpy as np

from rocscope import tally
from rocscope.errors import RocscopeError
from rocscope.multiclass.case_losses import class_places
from rocscope.multiclass.case_sums import LOSSES, CaseSums, ShareRange, loss_sums
from rocscope.multiclass.class_scores import ClassRanking, ClassScores
from rocscope.numbers import Array
from rocscope.record import record
from rocscope.table import Confusion, ScoreTable, Stream

EXACT = 2**62  # budget that keeps all distinct scores
SIDES = (0, 1)  # labels of the internal tables: negative, positive


@record
class ClassSums(ClassRanking):
    """Sums of labels and scores for several classes, which can be added over disjoint cases and saved.

    `tables[i][j]` are the scores for class i of the cases of class j: positives where i is j, negatives elsewhere.
    `places` holds, for each rank, the weight and the squared weight of the cases whose own class has that rank;
    `confidence` is the table of the score of the predicted class, with correct predictions as positives. `products` are
    covariances of the areas, which need a second pass over the cases and cannot be added (`intervals.ClassProducts`);
    None if they are not known.

    >>> day = ClassSums.of(["a", "b", "c"], [[.8, .1, .1], [.2, .7, .1], [.1, .3, .6]])
    >>> (day + day).matrix.accuracy, day.auc().value
    (1.0, 1.0)
    """

    labels: tuple[Any, ...]
    matrix: Confusion
    tables_by_class: tuple[tuple[ScoreTable, ...], ...] = field(repr=False)
    places: Any = field(repr=False)
    confidence: ScoreTable = field(repr=False)
    shares: ShareRange = field(default_factory=ShareRange)
    losses: Mapping[str, CaseSums] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    weighted: bool = False
    products: Any = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, y: Any, scores: Any, *, labels: Sequence[Any] | None = None, weights: Any = None) -> ClassSums:
        """The sums of cases in memory; use `ClassStream` if they do not fit."""
        return cls.of_scores(ClassScores.of(y, scores, labels=labels, weights=weights))

    @classmethod
    def of_scores(cls, held: ClassScores) -> ClassSums:
        """The sums of checked cases."""
        stream = ClassStream(held.labels)
        stream.add(held)
        return stream.sums

    def __add__(self, other: ClassSums) -> ClassSums:
        if not isinstance(other, ClassSums):
            return NotImplemented
        if list(map(str, self.labels)) != list(map(str, other.labels)):
            first, second = (", ".join(map(str, sums.labels[:12])) for sums in (self, other))
            raise RocscopeError(f"cannot add scores of the classes {first} and {second}")
        if self.weighted != other.weighted:
            raise RocscopeError("cannot add sums with weights to sums without weights")
        pairs = zip(self.tables_by_class, other.tables_by_class, strict=True)
        tables = tuple(tuple(a + b for a, b in zip(earlier, two, strict=True)) for earlier, two in pairs)
        losses = {name: self.losses[name] + other.losses[name] for name in self.losses if name in other.losses}
        matrix = self.matrix + other.matrix
        return replace(
            self, labels=matrix.labels, matrix=matrix, tables_by_class=tables, places=self.places + other.places,
            confidence=self.confidence + other.confidence, shares=self.shares + other.shares,
            losses=MappingProxyType(losses), products=None,
        )  # fmt: skip

    def __radd__(self, other: Any) -> ClassSums:
        """So that `sum` adds them up: it begins with 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    # ---- interface required by statistics over cases ----

    scored = True

    @property
    def probabilities(self) -> bool:
        """Whether the scores of each case are probabilities of the classes."""
        return not self.shares.why

    @property
    def support(self) -> Any:
        """The weight of the cases of each class."""
        return np.array([part.positives + part.negatives for part in self.tables_by_class[0]])

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of cases of each class, regardless of weight."""
        return tuple(sum(part.rows) for part in self.tables_by_class[0])

    def loss(self, name: str) -> CaseSums:
        """The sums for the named loss."""
        return self.losses[name]

    @property
    def bound(self) -> float:
        """The largest error of the AUC of a class against the rest because scores were merged; 0 when exact."""
        return max(table.bound for table in self.tables().values())

    @property
    def width(self) -> float:
        """The largest distance between merged scores; 0 when exact."""
        return max(table.width for column in self.tables_by_class for table in column)

    # ---- tables ----

    def table(self, label: Any) -> ScoreTable:
        """The table of one class against the rest, scored by its own column."""
        total: ScoreTable = sum(self.tables_by_class[self._position(label)])  # type: ignore[assignment]
        return total.named((f"not {label}", label))

    def pair(self, label: Any, other: Any) -> ScoreTable | None:
        """The table of one class against another, scored by the column of the first; None if neither occurs."""
        at, against = self._position(label), self._position(other)
        total = self.tables_by_class[at][at] + self.tables_by_class[at][against]
        return total.named((other, label)) if len(total) else None

    def pooled(self) -> ScoreTable:
        """The table of all one-vs-rest decisions together, used for micro averages."""
        total: ScoreTable = sum(table.named(SIDES) for table in self.tables().values())  # type: ignore[assignment]
        return total

    # ---- files ----

    def save(self, path: str | PathLike[str], *, name: str = "", unit: str = "case", force: bool = False) -> None:
        """Write the sums to a file (.scoretable.parquet), completely or not at all; `evaluate` and `merge` read it."""
        from rocscope import wire

        wire("ClassSums.save")(self, path, name=name, unit=unit, force=force)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> ClassSums:
        """The sums saved in a file, checked on reading."""
        from rocscope import wire

        sums: ClassSums = wire("ClassSums.load")(path)
        return sums


class ClassStream:
    """Sums for several classes that grow batch by batch in bounded memory.

    Up to `budget` distinct scores, shared by the columns and classes, areas are exact; beyond that, scores are merged
    in cells, and `sums.bound` gives the largest error of an AUC. Everything else is exact.

    >>> stream = ClassStream(["a", "b", "c"])
    >>> stream.update(["a", "b"], [[.8, .1, .1], [.2, .7, .1]])
    >>> stream.update(["c"], [[.1, .3, .6]])
    >>> stream.sums.matrix.accuracy
    1.0
    """

    def __init__(self, labels: Sequence[Any], *, budget: int = EXACT) -> None:
        self.labels = tuple(labels)
        k = len(self.labels)
        if k < 2:
            raise RocscopeError(f"there must be at least two classes, not {k}")
        each, own = (EXACT, EXACT) if budget >= EXACT else (max(1024, 3 * budget // (4 * k * k)), budget // 4)
        self._streams = [[Stream(labels=SIDES, budget=each) for _ in range(k)] for _ in range(k)]
        self._confidence = Stream(labels=SIDES, budget=max(1024, own))
        self._places = np.zeros((k, 2))
        self._losses = {name: CaseSums() for name in LOSSES}
        self._shares = ShareRange()
        self._matrix: Confusion | None = None
        self._weighted: bool | None = None

    def update(self, y: Any, scores: Any, *, weights: Any = None) -> None:
        """Add a batch of labels, rows of scores and optional weights, matched by position."""
        if len(y) == 0:
            return
        self.add(ClassScores.of(y, scores, labels=self.labels, weights=weights))

    def add(self, held: ClassScores, predicted: Any = None) -> None:
        """Add checked cases; `predicted` are positions of classes (-1: undecided), by default of the highest scores."""
        if self._weighted is not None and self._weighted != (held.weights is not None):
            raise RocscopeError("either all batches must have weights or none")
        self._weighted = held.weights is not None
        for j in range(len(self.labels)):
            self._add_class(held, j)
        self._add_cases(held)
        self._add_decisions(held, held.scores.argmax(axis=1) if predicted is None else predicted)

    def _add_class(self, held: ClassScores, j: int) -> None:
        rows = np.flatnonzero(held.codes == j)
        if not len(rows):
            return
        weights = None if held.weights is None else held.weights[rows]
        for i, column in enumerate(self._streams):
            side = np.full(len(rows), int(i == j), dtype=np.uint8)
            column[j].update(side, np.ascontiguousarray(held.scores[rows, i]), weights=weights)

    def _add_cases(self, held: ClassScores) -> None:
        """Ranks, losses, and whether scores are probabilities."""
        mass = np.ones(len(held.codes)) if held.weights is None else np.asarray(held.weights, dtype=np.float64)
        ranks, k = class_places(held.codes, held.scores), len(self.labels)
        self._places += np.stack([np.bincount(ranks, column, k) for column in (mass, mass * mass)], axis=1)
        self._shares += ShareRange.of(held.scores)
        if self._shares.low < 0 or self._shares.high > 1:
            self._losses = {}
        for name in self._losses:
            self._losses[name] += loss_sums(name, held.codes, held.scores, mass)

    def _add_decisions(self, held: ClassScores, predicted: Any) -> None:
        """The matrix, and the confidence of what is decided."""
        decided = np.flatnonzero(predicted >= 0)
        codes, guess = held.codes[decided].astype(np.int64), np.asarray(predicted)[decided].astype(np.int64)
        weights = None if held.weights is None else held.weights[decided]
        counted = matrix_of(codes, guess, self.labels, weights)
        self._matrix = counted if self._matrix is None else self._matrix + counted
        if len(decided):
            own = np.ascontiguousarray(held.scores[decided, guess])
            self._confidence.update((codes == guess).astype(np.uint8), own, weights=weights)

    @property
    def sums(self) -> ClassSums:
        """The sums of all cases so far."""
        if self._matrix is None:
            raise RocscopeError("the stream does not contain any cases yet", hint="Add some with update(y, scores)")
        empty = ScoreTable.empty(labels=SIDES)

        def table(stream: Stream) -> ScoreTable:
            return stream.table if stream.started else empty

        return ClassSums(
            self.labels, self._matrix, tuple(tuple(map(table, column)) for column in self._streams),
            self._places.copy(), table(self._confidence), self._shares, MappingProxyType(dict(self._losses)),
            bool(self._weighted),
        )  # fmt: skip


def matrix_of(
    codes: Array, predicted: Array, labels: tuple[Any, ...], weights: Any = None, repeats: Any = None
) -> Confusion:
    """The confusion matrix of positions of classes, with the squares of weights where there are some.

    `repeats` is the number of cases that each row represents.
    """
    pairs = codes, predicted, len(labels)
    if weights is None:
        return Confusion.from_matrix(tally.cross(*pairs, repeats), labels=labels)
    squares = tally.squared(weights)
    if repeats is not None:
        weights, squares = weights * repeats, squares * repeats
    return Confusion(tally.cross(*pairs, weights), labels, squares=tally.cross(*pairs, squares))
