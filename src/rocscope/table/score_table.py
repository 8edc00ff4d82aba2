"""ScoreTable: each distinct score with the weights of the positives and negatives that have it.

The basic rule: tables of disjoint cases can be added, and everything else is computed from a table.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np

from rocscope import tally
from rocscope.errors import RocscopeError
from rocscope.names import StatisticNames
from rocscope.numbers import FITS
from rocscope.record import record
from rocscope.table.confusion import weights_of_cases
from rocscope.table.counts import LABELS, Counts, as_prevalence
from rocscope.table.on_cells import Known, added, coarsened, reversed_column
from rocscope.text import PLAIN_LABELS, percent, show_count, show_label


@record(eq=False, repr=False)
class ScoreTable(StatisticNames):
    """The results of a scored binary classifier as sums over its cases.

    `scores` run from the most positive down: descending, or ascending when low scores are positive. `pos` and `neg` are
    the weights at each score; `pos_squares` and `neg_squares` the sums of squared sampling weights (None when each unit
    is a case); `rows` the numbers of positive and negative rows behind them. `mixed` marks the entries that represent
    several scores of one cell (None when every entry is one score); they make `bound` larger than 0. `ends` gives the
    other end of each cell, which is not included. `known` are sums over the cases that cells alone would lose: with
    them, the Brier score and the log loss stay exact. `known_prevalence` is the share of positives if it is known, as
    after `rebase`, and otherwise None.

    >>> t = ScoreTable.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1])
    >>> t.scores, t.pos, t.neg
    (array([0.9, 0.8, 0.1]), array([1, 2, 0]), array([0, 1, 1]))
    >>> t.at(0.5)
    Counts(tp=3, fp=1, fn=0, tn=1)

    Every statistic of the catalog (`rocscope.curves.catalog()`) and every alias is an attribute:

    >>> t.auc, t.gini, t.value("partial_auc", fpr=(0, 0.5))
    (0.8333333333333334, 0.6666666666666666, 0.3333333333333333)
    """

    scores: Any
    pos: Any
    neg: Any
    higher_is_positive: bool = True
    labels: tuple[Any, Any] = LABELS
    pos_squares: Any = None
    neg_squares: Any = None
    rows: tuple[int, int] = (0, 0)
    mixed: Any = None
    ends: Any = None
    known: Known | None = None
    known_prevalence: float | None = None

    def __post_init__(self) -> None:
        for name in ("scores", "pos", "neg", "pos_squares", "neg_squares", "mixed", "ends"):
            values = getattr(self, name)
            if values is not None:
                object.__setattr__(self, name, self._column(name, values))

    def _column(self, name: str, values: Any) -> Any:
        """One column as it is kept: read-only, as long as the scores; whole numbers so that no sum wraps."""
        array = values if isinstance(values, np.ndarray) else np.array(values)
        if array.ndim != 1 or array.dtype.kind not in ("b" if name == "mixed" else "iufO"):
            raise RocscopeError(
                f"{name} must be a column of numbers, but it is {array.ndim}-dimensional and of type {array.dtype}",
                hint="Use ScoreTable.from_scores(y, score) to create a table from labels and scores",
            )
        if len(array) != len(self.scores):
            raise RocscopeError(f"{name} has {len(array)} rows, but there are {len(self.scores)} scores")
        whole = name in ("pos", "neg") and array.dtype.kind in "iu"
        # this check takes 1 % of the time of building a table; `array.max()` would take twice as long with few rows
        if whole and len(array) and int(np.maximum.reduce(array)) * len(array) >= FITS:
            array = tally.roomy(array)
        array.flags.writeable = False
        return array

    # ---- constructors ----

    @classmethod
    def from_scores(
        cls,
        y: Any,
        score: Any,
        *,
        positive: Any = None,
        weights: Any = None,
        weights_are: str = "sampling",
        higher_is_positive: bool = True,
    ) -> ScoreTable:
        """The score table of labels and scores, matched by position.

        `positive` names the positive label; without it, the greater label of {0, 1}, {-1, 1}, {False, True} or {"0",
        "1"} is positive, and other labels are refused. The direction is never guessed. `weights_are` states whether
        these are sampling weights (a case represents others) or frequency weights (the case occurred that often).
        """
        if not isinstance(higher_is_positive, bool):
            raise RocscopeError(f"higher_is_positive must be True or False, not {higher_is_positive!r}")
        mask, labels = tally.binary(y, positive)
        values = tally.numeric(score)
        if len(mask) != len(values):
            raise RocscopeError(
                f"there are {len(mask)} labels, but {len(values)} scores", hint="Give one score for each label"
            )
        known = None if weights is None else tally.weights_of(weights, len(mask))
        sampled = weights_of_cases(weights_are) == "sampling" and known is not None
        grouped = tally.group(values, mask, known, descending=higher_is_positive, squares=sampled)
        positives = int(np.count_nonzero(mask))
        return cls(
            grouped.scores,
            grouped.pos,
            grouped.neg,
            higher_is_positive,
            labels,
            grouped.pos_squares,
            grouped.neg_squares,
            rows=(positives, len(mask) - positives),
        )

    @classmethod
    def from_points(
        cls,
        rows: Iterable[Mapping[str, Any]],
        *,
        positives: int | None = None,
        negatives: int | None = None,
        higher_is_positive: bool = True,
        labels: tuple[Any, Any] = LABELS,
    ) -> ScoreTable:
        """The score table that corresponds to a list of thresholds with their counts.

        Each row has `threshold` and either tp, fp, fn, tn or two of them with the totals given. A missing end ("predict
        everything") is added, and repeated points are harmless. If totals disagree, an error names the row.

        >>> t = ScoreTable.from_points([{"threshold": 0.9, "tp": 1, "fp": 0}, {"threshold": 0.1, "tp": 2, "fp": 3}],
        ...                            positives=2, negatives=3)
        >>> t.pos.tolist(), t.neg.tolist()
        ([1, 1], [0, 3])
        """
        from rocscope.table.threshold_rows import cumulative

        return cls._from_cumulative(
            *cumulative(rows, positives, negatives, higher_is_positive), higher_is_positive, labels
        )

    @classmethod
    def empty(cls, *, labels: tuple[Any, Any] = (0, 1), higher_is_positive: bool = True) -> ScoreTable:
        """The table without cases, the start of a sum."""
        none = np.zeros(0, dtype=np.int64)
        return cls(np.zeros(0), none, none, higher_is_positive, labels)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> ScoreTable:
        """The table saved in a file, checked on reading."""
        from rocscope import wire

        table: ScoreTable = wire("ScoreTable.load")(path)
        return table

    def save(self, path: str | PathLike[str], *, name: str = "", unit: str = "case", force: bool = False) -> None:
        """Write the table to a file (.scoretable.parquet, with a documented layout), completely or not at all.

        `name` and `unit`, the names of the score and of a case, are stored with it.
        """
        from rocscope import wire

        wire("ScoreTable.save")(self, path, name=name, unit=unit, force=force)

    @classmethod
    def _from_cumulative(
        cls, thresholds: list[float], tp: list[Any], fp: list[Any], higher: bool, labels: tuple[Any, Any]
    ) -> ScoreTable:
        pos = [b - a for a, b in zip([0, *tp], tp, strict=False)]
        neg = [b - a for a, b in zip([0, *fp], fp, strict=False)]
        kept = [i for i in range(len(thresholds)) if pos[i] or neg[i]]
        return cls(
            np.array([thresholds[i] for i in kept], dtype=np.float64),
            _weights([pos[i] for i in kept]),
            _weights([neg[i] for i in kept]),
            higher,
            labels,
            rows=(round(tp[-1]), round(fp[-1])),
        )

    # ---- derived values ----

    def __len__(self) -> int:
        return len(self.scores)

    @cached_property
    def positives(self) -> Any:
        """The total weight of the positives; a Python integer for counts."""
        return tally.total(self.pos)

    @cached_property
    def negatives(self) -> Any:
        """The total weight of the negatives."""
        return tally.total(self.neg)

    @property
    def weighted(self) -> bool:
        """Whether cases have sampling weights."""
        return self.pos_squares is not None

    @property
    def exact(self) -> bool:
        """Whether the weights are integers, so that ties can be decided exactly."""
        return bool(self.pos.dtype != np.float64 and self.neg.dtype != np.float64)

    @cached_property
    def thresholds(self) -> Any:
        """The thresholds of `along`: "predict nothing", then every score."""
        first = np.inf if self.higher_is_positive else -np.inf
        return _read_only(np.concatenate(([first], self.scores)))

    @cached_property
    def tp(self) -> Any:
        """True positives at every threshold."""
        return _cumulative(self.pos)

    @cached_property
    def fp(self) -> Any:
        """False positives at every threshold."""
        return _cumulative(self.neg)

    def _statistic(self, name: str) -> Any:
        from rocscope import wire

        statistic = wire("ScoreTable._statistic")(name)
        if statistic.kind != "statistic":
            raise RocscopeError(f"{name} is a curve, not a statistic", hint=f"Use curves.{statistic.name}(t)")
        return statistic

    def _statistic_names(self) -> list[str]:
        from rocscope import wire

        return [
            name
            for name, statistic in wire("ScoreTable._statistic_names")().items()
            if statistic.kind == "statistic" and not statistic.required
        ]

    def along(self) -> Counts:
        """The counts at every threshold, starting with "predict nothing"."""
        return self._along

    @cached_property
    def _along(self) -> Counts:
        squares = None
        if self.weighted:
            up, down = _cumulative(self.pos_squares), _cumulative(self.neg_squares)
            squares = (up, down, up[-1] - up, down[-1] - down)
        fn, tn = _read_only(self.tp[-1] - self.tp), _read_only(self.fp[-1] - self.fp)
        return Counts(self.tp, self.fp, fn, tn, self.labels, squares, self.known_prevalence)

    def position(self, threshold: float) -> int:
        """The number of distinct scores predicted positive at a threshold, which is the row of `along`."""
        if isinstance(threshold, bool) or not isinstance(threshold, int | float | np.integer | np.floating):
            raise RocscopeError(f"threshold must be a single number, not {threshold!r}")
        if isinstance(threshold, int) and abs(threshold) > 10**308:  # an integer beyond the float range
            threshold = math.inf if threshold > 0 else -math.inf
        if math.isnan(threshold):
            raise RocscopeError(
                "threshold must not be NaN", hint="Use inf to flag nothing, or -inf to flag everything"
            )
        value = _comparable(self.scores, threshold, up=self.higher_is_positive)
        if self.higher_is_positive:
            return len(self) - int(np.searchsorted(self.scores[::-1], value, side="left"))
        return int(np.searchsorted(self.scores, value, side="right"))

    def at(self, threshold: float) -> Counts:
        """The counts at a threshold: score >= threshold (<= when low scores are positive) means positive."""
        index = self.position(threshold)
        cut = (slice(None, index), slice(index, None))
        squares = None
        if self.weighted:
            squares = tuple(tally.total(array[part]) for part in cut for array in (self.pos_squares, self.neg_squares))
        cells = [tally.total(array[part]) for part in cut for array in (self.pos, self.neg)]
        return Counts.of(cells, labels=self.labels, squares=squares, known_prevalence=self.known_prevalence)

    @property
    def rule(self) -> str:
        """The rule in words: the scores that are predicted positive."""
        return "score >= threshold" if self.higher_is_positive else "score <= threshold"

    @cached_property
    def bound(self) -> float:
        """The largest error of the AUC because entries represent several scores; 0 for an exact table.

        It is half the share of all pairs of a positive and a negative that share such an entry.
        """
        if self.mixed is None or not self.mixed.any() or not self.positives or not self.negatives:
            return 0.0
        if self.known is not None and self.known.twice_u is not None:
            return 0.0  # the order within the cells was counted exactly
        pairs = self.pos[self.mixed].astype(np.float64) @ self.neg[self.mixed].astype(np.float64)
        return float(pairs / (2.0 * float(self.positives) * float(self.negatives)))

    @cached_property
    def width(self) -> float:
        """The largest distance between scores represented by one entry, which limits the precision of thresholds; 0
        when exact.
        """
        if self.mixed is None or self.ends is None or not self.mixed.any():
            return 0.0
        reach = np.abs(self.ends[self.mixed] - self.scores[self.mixed].astype(np.float64))
        return float(reach.max())

    @cached_property
    def twice_u(self) -> int | float:
        """Twice the Mann-Whitney U: AUC = twice_u / (2 P N). It is counted case by case where possible."""
        if self.known is not None and self.known.twice_u is not None:
            return self.known.twice_u
        return tally.twice_u(self.pos, self.neg, (self.positives, self.negatives))

    # ---- derived tables ----

    def __radd__(self, other: Any) -> ScoreTable:
        """So that `sum` adds up tables: it begins with 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __add__(self, other: ScoreTable) -> ScoreTable:
        """The table of the cases of both; labels that look the same (1, and "1" from a file) are treated as the same
        text.
        """
        if not isinstance(other, ScoreTable):
            return NotImplemented
        from rocscope.table.streaming import same_labels

        first, two = same_labels(self, other)
        first._same_kind(two)
        return added(first, two)

    def merge(self, *others: ScoreTable) -> ScoreTable:
        """The sum of this table and others, as with `+`, which is the table of all their cases.

        >>> days = [ScoreTable.from_scores([1, 0], [0.9, score]) for score in (0.1, 0.2, 0.9)]
        >>> days[0].merge(*days[1:])
        ScoreTable(6 cases, 3 positive (50 %), 3 distinct scores from 0.9 to 0.1, positive: score >= threshold)
        """
        return sum(map(as_table, others), self)

    def update(self, y: Any, score: Any, weights: Any = None, *, weights_are: str = "sampling") -> ScoreTable:
        """The table with a batch of further cases added, whose labels must be among those of this table; see also
        `Stream`.

        >>> t = ScoreTable.from_scores(["paid", "late"], [0.1, 0.9], positive="late")
        >>> t.update(["paid", "paid"], [0.1, 0.2]).neg.tolist()
        [0, 1, 2]
        """
        from rocscope.table.streaming import batch_of

        return self + batch_of(self, y, score, weights, weights_are)

    def _same_kind(self, other: ScoreTable) -> None:
        if self.higher_is_positive != other.higher_is_positive:
            raise RocscopeError(f"tables with '{self.rule}' and '{other.rule}' cannot be added")
        if self.labels != other.labels:
            raise RocscopeError(f"tables with labels {self.labels} and {other.labels} cannot be added")

    def named(self, labels: tuple[Any, Any]) -> ScoreTable:
        """The same table with other names for the negative and the positive label."""
        return replace(self, labels=labels)

    def reverse(self) -> ScoreTable:
        """The table with the direction of the scores reversed: low becomes positive, and AUC becomes 1 - AUC."""
        arrays = ("scores", "pos", "neg", "pos_squares", "neg_squares", "mixed", "ends")
        flipped = {name: reversed_column(getattr(self, name)) for name in arrays}
        if self.ends is not None:  # reversing the direction swaps the two edges of a cell
            flipped["scores"], flipped["ends"] = _turned(flipped["scores"], flipped["ends"], flipped["mixed"])
        known = None if self.known is None else replace(self.known, twice_u=None, average_precision=None)
        return replace(self, **flipped, higher_is_positive=not self.higher_is_positive, known=known)

    def swap(self) -> ScoreTable:
        """The table with the other class as positive and the direction reversed: the AUC stays the same."""
        turned = self.reverse()
        return replace(
            turned,
            pos=turned.neg,
            neg=turned.pos,
            pos_squares=turned.neg_squares,
            neg_squares=turned.pos_squares,
            labels=self.labels[::-1],
            rows=self.rows[::-1],
            known_prevalence=None if self.known_prevalence is None else 1 - self.known_prevalence,
        )

    def rebase(self, prevalence: float) -> ScoreTable:
        """The table of the same classifier at another prevalence, with the same total weight.

        ROC and AUC stay the same; precision, PR, cost and calibration change with the prevalence.
        """
        share = float(as_prevalence(prevalence))
        up, down = float(self.positives), float(self.negatives)
        if not up or not down:
            raise RocscopeError("changing the prevalence requires positives and negatives")
        a, b = share * (up + down) / up, (1 - share) * (up + down) / down
        pos_squares = self.pos if self.pos_squares is None else self.pos_squares
        neg_squares = self.neg if self.neg_squares is None else self.neg_squares
        return replace(
            self,
            pos=self.pos * a,
            neg=self.neg * b,
            pos_squares=pos_squares * a**2,
            neg_squares=neg_squares * b**2,
            known_prevalence=share,
            known=None if self.known is None else self.known.scaled((a, b)),
        )

    def coarse(self, bits: int) -> ScoreTable:
        """The table with cells of width 2**-bits, with the resulting bound.

        Cells nest, so tables of different depth can be converted to the coarser one and added.
        """
        return coarsened(self, bits)

    # ---- display ----

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ScoreTable):
            return NotImplemented
        fields = ("scores", "pos", "neg", "pos_squares", "neg_squares", "mixed", "ends")
        same = all(np.array_equal(_or_empty(getattr(self, f)), _or_empty(getattr(other, f))) for f in fields)
        return same and (self.higher_is_positive, self.labels) == (other.higher_is_positive, other.labels)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        total = self.positives + self.negatives
        kind = "weight" if self.weighted else "cases"
        share = percent(self.positives, total)
        ends = f" from {self.scores[0]:g} to {self.scores[-1]:g}" if len(self) else ""
        name = "positive" if str(self.labels[1]) in PLAIN_LABELS else show_label(self.labels[1])
        return (
            f"ScoreTable({show_count(total)} {kind}, {show_count(self.positives)} {name} ({share}), "
            f"{len(self):,} distinct scores{ends}, positive: {self.rule})"
        )


def as_table(held: Any) -> ScoreTable:
    """The table unchanged; anything else raises an error that shows how to make a table."""
    if isinstance(held, ScoreTable):
        return held
    raise RocscopeError(
        f"expected a ScoreTable, not a {type(held).__name__}", hint="Make one with ScoreTable.from_scores(y, score)"
    )


def _weights(values: list[Any]) -> Any:
    """int64 where everything fits, Python integers beyond, else float64."""
    if all(isinstance(value, int) for value in values):
        return np.array(values, dtype=np.int64 if sum(values) < FITS else object)
    return np.array(values, dtype=np.float64)


def _cumulative(weights: Any) -> Any:
    sums = np.zeros(len(weights) + 1, dtype=weights.dtype)
    np.cumsum(weights, out=sums[1:])
    return _read_only(sums)


def _read_only(array: Any) -> Any:
    array.flags.writeable = False
    return array


def _turned(scores: Any, ends: Any, mixed: Any) -> tuple[Any, Any]:
    """Entries read from the other side: the last number before the end takes the whole, the score is inside."""
    names = scores.astype(np.float64)
    beyond = np.nextafter(names, np.where(ends > names, -np.inf, np.inf))
    return np.where(mixed, np.nextafter(ends, names), names), np.where(mixed, beyond, names)


def _or_empty(array: Any) -> Any:
    return () if array is None else array


def _comparable(scores: Any, threshold: float, *, up: bool) -> Any:
    """The threshold in a form that compares exactly with the scores.

    Whole-number scores beyond 2**53 are not representable as floats; the next whole number decides the same.
    """
    if scores.dtype.kind not in "iu" or math.isinf(threshold):
        return np.float64(threshold)
    whole = math.ceil(threshold) if up else math.floor(threshold)
    limits = np.iinfo(scores.dtype)
    if whole > limits.max or whole < limits.min:
        return np.float64(threshold)
    return scores.dtype.type(whole)
