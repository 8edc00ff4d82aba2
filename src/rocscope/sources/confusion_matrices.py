"""Confusion matrices of the hard predictions in a source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope import tally
from rocscope.errors import RocscopeError
from rocscope.record import record
from rocscope.sources.column_batches import Batch, Column, batches, local
from rocscope.sources.files import reading
from rocscope.sources.source import Key, Source
from rocscope.sources.usable_rows import (
    NO_LABEL,
    NO_WEIGHT,
    Gaps,
    coded,
    infinite,
    policy,
    refuse_infinite,
    refuse_text,
    usable_weights,
)
from rocscope.table import Confusion, weights_of_cases

Array = NDArray[Any]


@record(eq=False)
class Matrices(Mapping[Key, Confusion]):
    """Confusion matrices by (*by values, column), with the number of excluded rows by reason."""

    matrices: Mapping[Key, Confusion]
    left_out: Mapping[str, int]
    rows: int

    def __getitem__(self, key: Key) -> Confusion:
        return self.matrices[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self.matrices)

    def __len__(self) -> int:
        return len(self.matrices)


def confusions(
    source: Source,
    *,
    label: str,
    predicted: Sequence[str],
    weights: str | None = None,
    weights_are: str = "sampling",
    by: Sequence[str] = (),
    missing: str = "error",
) -> Matrices:
    """One confusion matrix for each prediction column and slice: (*by values, column) -> Confusion.

    The result also has `left_out`, the rows left out by reason, and `rows`. With several prediction columns, a row
    must have a value in each.

    >>> from rocscope import sources
    >>> source = sources.open({"y": ["cat", "dog", "cat"], "guess": ["cat", "cat", "cat"]})
    >>> confusions(source, label="y", predicted=["guess"])["guess",].matrix.tolist()
    [[2, 0], [1, 0]]
    """
    policy(missing)
    weights_of_cases(weights_are)
    if not predicted:
        raise RocscopeError("no column of predictions was named", hint="predicted=['guess'], for example")
    source.having(label, *predicted, *(() if weights is None else (weights,)), *by)
    wanted, numbers = (label, tuple(predicted), weights, tuple(by)), [] if weights is None else [weights]
    return reading(source, numbers, lambda rows: _counted(rows, Sums(*wanted, rows), weights_are, missing), label=label)


def _counted(source: Source, sums: Sums, weights_are: str, missing: str) -> Matrices:
    if local(source):
        for batch in batches(source, sums.names):
            sums.add(batch)
    else:
        _in_engine(source, sums)
    sums.gaps.settle(missing, source)
    return Matrices(sums.matrices(weights_are), sums.gaps.left_out, sums.gaps.rows)


@dataclass
class Sums:
    """Rows, weight and squared weight of each (column, slice, actual, predicted)."""

    label: str
    predicted: tuple[str, ...]
    weight: str | None
    by: tuple[str, ...]
    source: Source | None = None
    """What is read, for messages."""
    cells: dict[tuple[int, tuple[Any, ...], Any, Any], Array] = field(default_factory=dict)
    whole: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """All required columns."""
        return (self.label, *self.predicted, *(() if self.weight is None else (self.weight,)), *self.by)

    def __post_init__(self) -> None:
        several = len(self.predicted) > 1
        guesses = {name: f"no prediction {name}" if several else "no prediction" for name in self.predicted}
        weight = {} if self.weight is None else {self.weight: NO_WEIGHT}
        self.gaps = Gaps({self.label: NO_LABEL, **guesses, **weight})

    def add(self, batch: Batch) -> None:
        """Count a batch."""
        size = len(batch[self.label].values)
        used = self.gaps.used(batch)
        if used is None or len(used):
            part = {name: batch[name] if used is None else batch[name].take(used) for name in self.names}
            rows = size if used is None else len(used)
            self.count(part, np.ones(rows, dtype=np.int64), self._weights(part, used, self.gaps.rows))
        self.gaps.rows += size

    def _weights(self, part: Batch, used: Array | None, before: int) -> Array | None:
        if self.weight is None:
            return None
        refuse_text(part[self.weight], self.weight)
        refuse_infinite(part[self.weight].values, self.weight, self.source, before, used)
        values = usable_weights(part[self.weight].values, self.weight, self.source, before, used)
        self.whole &= values.dtype.kind == "i"
        return values.astype(np.float64)

    def count(self, part: Batch, ones: Array, weights: Array | None, squares: Array | None = None) -> None:
        """Add rows, or groups of rows with their sums."""
        slices = _combined([part[name] for name in self.by], len(ones))
        columns = [ones.astype(np.float64)]
        if weights is not None:
            columns += [weights, weights * weights if squares is None else squares]
        truth, classes = coded(part[self.label])
        for number, name in enumerate(self.predicted):
            guess, guessed = coded(part[name])
            combined = (slices[0] * (len(classes) + 1) + truth) * (len(guessed) + 1) + guess
            present, position = np.unique(combined, return_inverse=True)
            sums = np.stack([np.bincount(position.reshape(-1), column, len(present)) for column in columns], axis=1)
            for code, totals in zip(present.tolist(), sums, strict=True):
                rest, at = divmod(code, len(guessed) + 1)
                piece, actual = divmod(rest, len(classes) + 1)
                key = (number, slices[1][piece], classes[actual], guessed[at])
                self.cells[key] = self.cells[key] + totals if key in self.cells else totals

    def matrices(self, weights_are: str) -> dict[Key, Confusion]:
        """Build the matrix of every column and slice, all with the same classes."""
        from rocscope.sources.certified import in_order

        labels = _classes(self.cells)
        index = {label: i for i, label in enumerate(labels)}
        sums: dict[tuple[tuple[Any, ...], int], Array] = {}
        for (number, key, actual, guess), totals in self.cells.items():
            cells = sums.setdefault((key, number), np.zeros((len(totals), len(labels), len(labels))))
            cells[:, index[actual], index[guess]] += totals
        slices = in_order({key: i for i, key in enumerate(dict.fromkeys(key for key, _ in sums))})
        return {
            (*key, name): self._matrix(sums[key, number], labels, weights_are)
            for key, _ in slices
            for number, name in enumerate(self.predicted)
            if (key, number) in sums
        }

    def _matrix(self, cells: Array, labels: tuple[Any, ...], weights_are: str) -> Confusion:
        main = cells[0] if self.weight is None else cells[1]
        whole = (self.weight is None or self.whole) and float(main.sum()) < 2**53
        matrix = main.astype(np.int64) if whole else main
        squares = cells[2] if self.weight is not None and weights_are == "sampling" else None
        matrix.flags.writeable = False
        return Confusion(matrix, labels, squares=squares)


def _classes(cells: Mapping[tuple[int, tuple[Any, ...], Any, Any], Array]) -> tuple[Any, ...]:
    """The classes of all columns, ordered and checked by `tally`."""
    present = dict.fromkeys(label for _, _, actual, guess in cells for label in (actual, guess))
    plain = [int(value) if isinstance(value, float) and value.is_integer() else value for value in present]
    return tally.factorize(list(dict.fromkeys(plain)))[1]


def _combined(columns: Sequence[Column], size: int) -> tuple[Array, list[tuple[Any, ...]]]:
    """The slice number of each row, and the slices."""
    numbers = np.zeros(size, dtype=np.int64)
    keys: list[tuple[Any, ...]] = [()]
    for column in columns:
        codes, values = coded(column)
        present, position = np.unique(numbers * (len(values) + 1) + codes, return_inverse=True)
        pairs = [divmod(code, len(values) + 1) for code in present.tolist()]
        keys = [(*keys[first], values[last] if last < len(values) else None) for first, last in pairs]
        numbers = position.reshape(-1)
    return numbers, keys


def _in_engine(source: Source, sums: Sums) -> None:
    """Let the engine count rows with equal label, predictions and slice."""
    import narwhals.stable.v2 as nw

    from rocscope.sources.engines import collect
    from rocscope.sources.engines.query import has_nan, lacks

    frame = nw.from_native(source.native).lazy()
    schema = frame.collect_schema()
    keys = [sums.label, *sums.predicted, *sums.by]
    key_columns = [_plain(nw.col(name), schema[name]).alias(f"k{i}") for i, name in enumerate(keys)]
    weights = [] if sums.weight is None else [nw.col(sums.weight).cast(nw.Float64).alias("w")]
    rows = frame.select(*key_columns, *weights).with_columns(nw.lit(1).cast(nw.Int64).alias("one"))
    totals = ["one"]
    if sums.weight is not None:
        whole = schema[sums.weight].is_integer()
        lost = lacks(nw.col("w"), has_nan(source.native))
        rows = rows.with_columns(nw.when(lost).then(nw.lit(1)).otherwise(nw.lit(0)).cast(nw.Int64).alias("gone"))
        kept = nw.when(nw.col("gone") == 1).then(nw.lit(0.0)).otherwise(nw.col("w"))
        rows = rows.with_columns(kept.alias("w"))
        rows = rows.with_columns((nw.col("w") * nw.col("w")).alias("ww"), nw.col("w").alias("least"))
        totals += ["w", "ww"]
        sums.whole &= whole
    group = [f"k{i}" for i in range(len(keys))] + (["gone"] if sums.weight is not None else [])
    least = [nw.col("least").min()] if sums.weight is not None else []
    groups = collect(rows.group_by(*group).agg(*(nw.col(name).sum() for name in totals), *least))
    _take(groups, sums, keys)


def _plain(column: Any, kind: Any) -> Any:
    import narwhals.stable.v2 as nw

    return column.cast(nw.String) if isinstance(kind, nw.Categorical | nw.Enum) else column


def _take(groups: Batch, sums: Sums, keys: Sequence[str]) -> None:
    """Add groups counted by an engine to the sums, except those with a missing value."""
    counts = np.asarray(groups["one"].plain()).astype(np.int64)
    part = {name: groups[f"k{i}"] for i, name in enumerate(keys)}
    lost, gaps = np.zeros(len(counts), dtype=bool), sums.gaps
    gaps.rows = int(counts.sum())
    for name, reason in gaps.reasons.items():
        flags = groups["gone"].values.astype(bool) if name == sums.weight else part[name].missing()
        if flags is not None and (flags & ~lost).any():
            gaps.left_out[reason] = int(counts[flags & ~lost].sum())
            gaps.lacking[name] = int(counts[flags].sum())
            lost |= flags
    used = np.flatnonzero(~lost)
    if not len(used):
        return
    weights = squares = None
    if sums.weight is not None:
        weights, squares, least = (np.asarray(groups[n].plain()).astype(np.float64)[used] for n in ("w", "ww", "least"))
        if np.isinf(weights).any() or np.isnan(weights).any():
            raise infinite(sums.weight, 1)
        usable_weights(least, sums.weight)
    kept = {name: column.take(used) for name, column in part.items()}
    sums.count(kept, counts[used], weights, squares)
