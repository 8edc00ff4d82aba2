"""A score for every class: one-vs-rest and one-vs-one tables, their AUCs, decisions; tables of several labels.

A probability matrix has one row per case and one column per class. Every number here is computed from score tables of
one class against the rest, or against another; a class that is absent has no table, and averages say so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from rocscope import curves, tally
from rocscope.errors import RocscopeError
from rocscope.multiclass.case_sums import check_probabilities
from rocscope.record import record
from rocscope.table import ScoreTable


@record(slots=True)
class ClassAverage:
    """A statistic averaged over classes or pairs: the mean, each value, and the reasons for undefined values.

    >>> ClassAverage(0.75, {"a": 0.5, "b": 1.0, "c": math.nan}, {"c": "no positives"}).over
    2
    """

    value: float
    values: Mapping[Any, float]
    why: Mapping[Any, str]

    @property
    def over(self) -> int:
        """The number of classes or pairs in the mean."""
        return len(self.values) - len(self.why)


class ClassRanking:
    """Averages over classes and pairs of classes, for `ClassScores` and `ClassSums`."""

    labels: tuple[Any, ...]

    def table(self, label: Any) -> ScoreTable:
        """The table of one class against the rest, scored by its own column."""
        raise NotImplementedError

    def pair(self, label: Any, other: Any) -> ScoreTable | None:
        """The table of one class against another, scored by the column of the first; None if neither occurs."""
        raise NotImplementedError

    def pooled(self) -> ScoreTable:
        """The table of all one-vs-rest decisions together."""
        raise NotImplementedError

    @property
    def support(self) -> Any:
        """The total weight of the cases of each class."""
        raise NotImplementedError

    def tables(self) -> dict[Any, ScoreTable]:
        """The tables of each class against the rest."""
        return {label: self.table(label) for label in self.labels}

    def _position(self, label: Any) -> int:
        if label not in self.labels:
            raise RocscopeError(f"there is no class {label!r}; the classes are {', '.join(map(str, self.labels))}")
        return self.labels.index(label)

    def auc(self, average: str = "macro") -> ClassAverage:
        """The one-vs-rest AUC of each class and its mean: "macro", "weighted" by support, or "micro" (all decisions
        pooled).

        A class that is absent (or the only one) has no AUC; the mean excludes it, and `why` says so.
        """
        return self.average(curves.auc, "auc", average)

    def average(self, statistic: Callable[[ScoreTable], float], name: str, average: str = "macro") -> ClassAverage:
        """Any statistic of a table for each class against the rest, and its mean."""
        if average not in ("macro", "weighted", "micro"):
            raise RocscopeError(f"there is no average {average!r}", hint="Use macro, weighted or micro")
        tables = self.tables()
        values = {label: statistic(table) for label, table in tables.items()}
        why = {label: curves.why(name, tables[label]) for label, value in values.items() if math.isnan(value)}
        if average == "micro":
            return ClassAverage(statistic(self.pooled()), values, why)
        shares = np.ones(len(self.labels)) if average == "macro" else self.support
        return ClassAverage(_mean(list(values.values()), shares), values, why)

    def hand_till(self, average: str = "macro") -> ClassAverage:
        """The one-vs-one AUC: the mean over pairs of classes of (A(i|j) + A(j|i)) / 2; "weighted" by the pair's share.

        Hand & Till 2001, Machine Learning 45:171-186. The "macro" average is insensitive to class sizes.
        """
        values, why, shares = {}, {}, []
        support = dict(zip(self.labels, self.support.tolist(), strict=True))
        for i, j in combinations(self.labels, 2):
            values[i, j] = self._pair_auc(i, j)
            shares.append(1.0 if average == "macro" else support[i] + support[j])
            if math.isnan(values[i, j]):
                why[i, j] = f"class {i if not support[i] else j} is absent"
        return ClassAverage(_mean(list(values.values()), np.array(shares)), values, why)

    def _pair_auc(self, i: Any, j: Any) -> float:
        tables = (self.pair(i, j), self.pair(j, i))
        return math.nan if None in tables else sum(curves.auc(table) for table in tables if table) / 2


@record(eq=False)
class ClassScores(ClassRanking):
    """Checked labels and scores for every class, the starting point of all functions of this module.

    `codes` are the positions of each case's class among `labels`; `scores` is n x k, a column per label.

    >>> c = ClassScores.of(["a", "b", "c", "a"], [[.8, .1, .1], [.2, .7, .1], [.1, .3, .6], [.5, .3, .2]])
    >>> c.labels, c.auc().value
    (('a', 'b', 'c'), 1.0)
    """

    codes: Any
    scores: Any
    labels: tuple[Any, ...]
    weights: Any = None

    @classmethod
    def of(cls, y: Any, scores: Any, *, labels: Sequence[Any] | None = None, weights: Any = None) -> ClassScores:
        """Checked labels and scores; columns follow `labels` or, if there are as many, the sorted labels of y."""
        codes, known_labels = tally.factorize(y, labels=labels)
        matrix = score_matrix(scores, len(codes))
        if matrix.shape[1] != len(known_labels):
            raise RocscopeError(
                f"there are {matrix.shape[1]} score columns, but {len(known_labels)} classes",
                hint="Give labels=[...], one per column; a class may be absent from y",
            )
        known = None if weights is None else tally.weights_of(weights, len(codes))
        return cls(codes, matrix, known_labels, known)

    # ---- tables ----

    def table(self, label: Any) -> ScoreTable:
        """The table of one class against the rest, scored by its own column."""
        return self._tables[self._position(label)]

    @cached_property
    def _tables(self) -> tuple[ScoreTable, ...]:
        pairs = enumerate(self.labels)
        return tuple(self._scored(self.codes == at, self.scores[:, at], (f"not {label}", label)) for at, label in pairs)

    def pair(self, label: Any, other: Any) -> ScoreTable | None:
        """The table of one class against another, scored by the column of the first; None if neither occurs."""
        at, against = self._position(label), self._position(other)
        kept = (self.codes == at) | (self.codes == against)
        if not kept.any():
            return None
        return self._scored(self.codes[kept] == at, self.scores[kept, at], (other, label), kept)

    def pooled(self) -> ScoreTable:
        """The table of all one-vs-rest decisions together, used for micro averages."""
        hit = self.codes[:, None] == np.arange(len(self.labels))
        weights = None if self.weights is None else np.repeat(self.weights, len(self.labels))
        return ScoreTable.from_scores(hit.ravel(), self.scores.ravel(), weights=weights)

    def _scored(self, hit: Any, scores: Any, labels: tuple[Any, Any], kept: Any = slice(None)) -> ScoreTable:
        weights = None if self.weights is None else self.weights[kept]
        table = ScoreTable.from_scores(hit, scores, weights=weights)
        return table.named(labels)

    @property
    def support(self) -> Any:
        """The total weight of the cases of each class."""
        return np.bincount(self.codes, weights=self.weights, minlength=len(self.labels))

    # ---- decisions ----

    def predicted(self, costs: Any = None) -> Any:
        """The predicted label of each case: the most probable one, or the one with the lowest expected cost.

        `costs[i][j]` is the cost of predicting j when i is true: argmin_j of sum_i p_i C[i, j]. This requires
        probabilities that sum to 1; other scores are refused, never renormalized.
        """
        if costs is None:
            return np.array(self.labels)[self.scores.argmax(axis=1)]
        matrix = _cost_matrix(costs, len(self.labels))
        check_probabilities(self.scores)
        return np.array(self.labels)[(self.scores @ matrix).argmin(axis=1)]


def volume(y: Any, score: Any, *, order: Sequence[Any]) -> float:
    """The volume under the ROC surface: P(s_1 < s_2 < ... < s_k) for one random case of each class in `order`.

    Ties are broken at random: m tied cases are in the correct order with probability 1/m!. At chance level it is 1/k!.
    The computation takes one pass over the distinct scores. Scurfield 1996; Nakas & Yiannoutsos 2004, Stat Med 23:3437.

    >>> volume([0, 0, 1, 1, 2, 2], [.1, .3, .2, .5, .4, .8], order=[0, 1, 2])
    0.5
    """
    codes, labels = tally.factorize(y, labels=order)
    values = tally.numeric(score)
    if len(values) != len(codes):
        raise RocscopeError(f"there are {len(codes)} labels, but {len(values)} scores")
    counts = np.bincount(codes, minlength=len(labels))
    if not counts.all():
        return math.nan
    _, group = np.unique(values, return_inverse=True)
    table = np.zeros((group.max() + 1, len(labels)), dtype=np.int64)
    np.add.at(table, (group, codes), 1)
    total: int = math.prod(counts.tolist())
    return _chains(table.tolist()) / total


def _chains(groups: list[list[int]]) -> float:
    """How many ordered chains of one case per class there are, tied runs shared equally."""
    k = len(groups[0])
    chains = [1.0] + [0.0] * k  # chains[j]: number of chains over the first j classes, among the scores so far
    for counts in groups:
        for j in range(k, 0, -1):
            run = 1.0
            for i in range(j - 1, -1, -1):  # classes i+1..j all have this score
                run *= counts[i] / (j - i)
                chains[j] += chains[i] * run
                if not counts[i]:
                    break
    return chains[k]


def label_tables(y: Any, scores: Any, *, labels: Sequence[Any] | None = None) -> dict[Any, ScoreTable]:
    """A score table for every label, from an indicator matrix and a score matrix of the same shape.

    >>> {name: curves.auc(t) for name, t in label_tables([[1, 0], [0, 1]], [[.9, .2], [.1, .8]]).items()}
    {0: 1.0, 1: 1.0}
    """
    truth = np.asarray(y)
    matrix = score_matrix(scores, len(truth))
    if truth.shape != matrix.shape:
        raise RocscopeError(f"indicators and scores must have the same shape, not {truth.shape} and {matrix.shape}")
    names = tuple(range(truth.shape[1])) if labels is None else tuple(labels)
    if len(names) != truth.shape[1]:
        raise RocscopeError(f"there are {truth.shape[1]} label columns, but {len(names)} names")
    return {name: ScoreTable.from_scores(truth[:, i], matrix[:, i]) for i, name in enumerate(names)}


def _mean(values: Sequence[float], shares: Any) -> float:
    known = [(value, share) for value, share in zip(values, shares, strict=True) if not math.isnan(value) and share > 0]
    total = math.fsum(share for _, share in known)  # sum() rounds differently from Python 3.12 on
    return math.fsum(value * share for value, share in known) / total if total else math.nan


def score_matrix(scores: Any, n: int) -> Any:
    """A checked matrix of finite scores with a row for each of n cases."""
    matrix = np.asarray(scores)
    if matrix.ndim != 2 or not matrix.size or matrix.dtype.kind not in "iuf":
        raise RocscopeError(
            f"scores must have one column of numbers per class, not shape {matrix.shape} and type {matrix.dtype}"
        )
    if len(matrix) != n:
        raise RocscopeError(f"there are {n} labels, but {len(matrix)} rows of scores")
    for column in range(matrix.shape[1]):
        tally.numeric(matrix[:, column], f"score column {column}")
    return matrix


def _cost_matrix(costs: Any, k: int) -> Any:
    matrix = np.asarray(costs, dtype=np.float64)
    if matrix.shape != (k, k):
        raise RocscopeError(
            f"costs must be a {k} x {k} matrix with the actual classes in rows, not an array of shape {matrix.shape}"
        )
    if not np.isfinite(matrix).all() or (matrix < 0).any():
        raise RocscopeError("costs must be finite and nonnegative")
    return matrix
