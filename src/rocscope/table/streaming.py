"""Predictions that arrive in batches: adding to a table, a stream of bounded memory, windows over days."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from rocscope import tally
from rocscope.errors import RocscopeError
from rocscope.tally import as_in

if TYPE_CHECKING:
    from rocscope.table.confusion import Confusion
    from rocscope.table.score_table import ScoreTable

FEWEST = 1024
"""Entries that a stream may always keep."""

Key = TypeVar("Key")
Sum = TypeVar("Sum", "ScoreTable", "Confusion")


def batch_of(kind: ScoreTable, y: Any, score: Any, weights: Any = None, weights_are: str = "sampling") -> ScoreTable:
    """The table of one batch, with the labels and the direction of a table that is there already."""
    from rocscope.table.score_table import ScoreTable

    negative, positive = kind.labels
    if len(y) == len(score) == 0:  # an empty batch
        return ScoreTable.empty(labels=kind.labels, higher_is_positive=kind.higher_is_positive)
    if negative is None:  # only positives so far, so the negative label is not known yet
        codes, present = tally.factorize(y)
        rest = [label for label in present if label != positive]
        if len(rest) > 1:
            raise RocscopeError(f"label must have two classes, {positive!r} and one other, not {len(present)}")
        negative = rest[0] if rest else None
        mask = codes == (present.index(positive) if positive in present else -1)
    else:
        mask, _ = tally.factorize(y, labels=kind.labels)
    table = ScoreTable.from_scores(
        mask.astype(np.uint8),
        score,
        positive=1,
        weights=weights,
        weights_are=weights_are,
        higher_is_positive=kind.higher_is_positive,
    )
    return table.named((negative, positive))


class Stream:
    """A score table that grows batch by batch in bounded memory.

    Batches of similar size are merged as they arrive, so a case costs O(log n) however small the batches are. Up to
    `budget` distinct scores, the table is exact; beyond that, the number of cells is halved until it fits, and
    `table.bound` gives the largest error of its AUC. Labels are those of the first batch unless given.

    >>> stream = Stream()
    >>> stream.update([1, 0, 1], [0.9, 0.4, 0.4])
    >>> stream.update([0], [0.1])
    >>> stream.table
    ScoreTable(4 cases, 2 positive (50 %), 3 distinct scores from 0.9 to 0.1, positive: score >= threshold)
    """

    def __init__(
        self,
        *,
        labels: tuple[Any, Any] | None = None,
        positive: Any = None,
        higher_is_positive: bool = True,
        weights_are: str = "sampling",
        budget: int = 2**20,
    ) -> None:
        if isinstance(budget, bool) or not isinstance(budget, int) or budget < FEWEST:
            raise RocscopeError(f"budget must be a number of distinct scores of at least {FEWEST}, not {budget!r}")
        if labels is not None and positive is not None and positive != labels[1]:
            raise RocscopeError(f"positive={positive!r}, but labels are {labels}", hint="Give only one of the two")
        self._labels, self._positive = labels, positive
        self._higher, self._weights_are, self._budget = higher_is_positive, weights_are, budget
        self._parts: list[ScoreTable] = []
        self._bits: int | None = None

    def update(self, y: Any, score: Any, *, weights: Any = None) -> None:
        """Add a batch of labels, scores and optional weights, matched by position."""
        if len(y) == len(score) == 0:
            return
        if not self._parts:
            table = self._first(y, score, weights)
        else:
            table = batch_of(self._parts[0], y, score, weights, self._weights_are)
            if table.labels != self._parts[0].labels:  # the negative label has become known
                self._parts[0] = self._parts[0].named(table.labels)
        self._parts.append(table if self._bits is None else table.coarse(self._bits))
        # Merge parts of similar size, as carries do in binary addition: the remaining sizes double from last to first.
        while len(self._parts) > 1 and len(self._parts[-2]) <= 2 * len(self._parts[-1]):
            self._merge_last()
        if sum(map(len, self._parts)) > self._budget:
            self._shrink()

    def __repr__(self) -> str:
        if not self._parts:
            return f"Stream(no cases yet, budget {self._budget:,})"
        return f"Stream({self.table!r}, budget {self._budget:,})"

    @property
    def started(self) -> bool:
        """Whether any cases have been added."""
        return bool(self._parts)

    @property
    def table(self) -> ScoreTable:
        """The table of all cases so far."""
        if not self._parts:
            raise RocscopeError("the stream does not contain any cases yet", hint="Add some with update(y, score)")
        while len(self._parts) > 1:
            self._merge_last()
        return self._parts[0]

    def _first(self, y: Any, score: Any, weights: Any) -> ScoreTable:
        from rocscope.table.score_table import ScoreTable

        settings = {"weights": weights, "weights_are": self._weights_are}
        if self._labels is not None:
            empty = ScoreTable.empty(labels=self._labels, higher_is_positive=self._higher)
            return batch_of(empty, y, score, **settings)
        return ScoreTable.from_scores(y, score, positive=self._positive, higher_is_positive=self._higher, **settings)

    def _merge_last(self) -> None:
        last = self._parts.pop()
        self._parts[-1] = self._parts[-1] + last

    def _shrink(self) -> None:
        """Fewer cells, so that half of the budget is free again."""
        whole = self.table
        if self._bits is not None:
            whole = whole.coarse(self._bits)
        if len(whole) > self._budget // 2:
            self._bits = finest(whole.scores, self._budget // 2, self._bits)
            whole = whole.coarse(self._bits)
        self._parts = [whole]


def finest(scores: Any, cells: int, limit: int | None = None) -> int:
    """The most halvings at which the scores fall into no more than so many cells of width 2**-bits.

    >>> finest(np.array([0.1, 0.2, 0.6, 0.7]), 2)
    2
    """
    values = np.asarray(scores, dtype=np.float64)
    low, high = -1000, 1000 if limit is None else limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _cells(values, middle) <= cells else (low, middle - 1)
    return low


def _cells(values: Any, bits: int) -> int:
    with np.errstate(over="ignore", under="ignore"):
        scaled = np.ldexp(values, bits)
    whole = np.where(np.isfinite(scaled), np.floor(scaled), values)
    return 1 + int(np.count_nonzero(whole[1:] != whole[:-1]))


def windows(tables: Mapping[Key, Sum], size: int) -> dict[Key, Sum]:
    """Rolling sums: starting with the `size`-th key, the table of each key and the size - 1 keys before it.

    Keys are taken in the given order, such as consecutive days. Two stacks limit the work to about two additions per
    key, however wide the window.

    >>> from rocscope.table import ScoreTable
    >>> days = {d: ScoreTable.from_scores([1, 0], [0.5, d / 10]) for d in range(1, 5)}
    >>> {day: sum(t.rows) for day, t in windows(days, 3).items()}
    {3: 6, 4: 6}
    """
    if not isinstance(tables, Mapping):
        hint = "Name them in order: windows(dict(enumerate(tables)), 7)"
        raise RocscopeError(f"give a mapping of keys to tables, not a {type(tables).__name__}", hint=hint)
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise RocscopeError(f"the window must be an integer of at least 1, not {size!r}")
    if size > len(tables):
        raise RocscopeError(
            f"the window must be at most the number of tables ({len(tables)}), not {size}",
            hint="Choose a shorter window",
        )
    sums: dict[Key, Sum] = {}
    older: list[Sum] = []  # sums from each table to the last one before the latest flip, the longest first
    newer: list[Sum] = []  # tables since the latest flip
    since: Sum | None = None  # sum of `newer`
    for key, table in tables.items():
        newer.append(table)
        since = table if since is None else since + table
        if len(older) + len(newer) > size:
            if not older:
                older = list(accumulate(reversed(newer), lambda later, earlier: earlier + later))[::-1]
                newer, since = [], None
            older.pop(0)
        if len(older) + len(newer) == size:
            sums[key] = _sum(older[0] if older else None, since)
    return sums


def _sum(a: Sum | None, b: Sum | None) -> Sum:
    if a is None or b is None:
        only = b if a is None else a
        assert only is not None
        return only
    return a + b


def same_labels(a: ScoreTable, b: ScoreTable) -> tuple[ScoreTable, ScoreTable]:
    """Both tables with the same labels, where these are spelled alike or one has not seen its negatives' name."""
    if a.labels == b.labels:
        return a, b
    first, second = as_in(a.labels, b.labels), as_in(b.labels, a.labels)
    if first[1] == second[1] and None in (first[0], second[0]):
        first = second = first if second[0] is None else second
    return replace(a, labels=first), replace(b, labels=second)
