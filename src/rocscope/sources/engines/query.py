"""The query that all passes share: usable rows with labels, scores, weights, slices and exclusion reasons as
columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import narwhals.stable.v2 as nw

from rocscope import tally
from rocscope.record import record
from rocscope.sources.column_batches import nested
from rocscope.sources.source import Source
from rocscope.sources.usable_rows import GREATER, TableRequest, not_numbers, spellings, spoken

USED = -1  # marks rows that are not left out
WITHOUT_NAN = ("sqlite", "mysql", "mssql")  # simple engines without NaN, without a test for it, and without arrays
LARGEST = 1.7976931348623157e308
WHITE = "".join(letter for letter in map(chr, range(0x3001)) if letter.isspace())


@record
class Query:
    """The rows of a source with uniform names: y the label, s0, s1 ... the scores, w the weight, b0, b1 ... the slices.

    `r` is the index of the reason for excluding a row, or -1. Scores are float64 and never -0.0.
    """

    request: TableRequest
    rows: Any
    label: Any  # data type of the label column
    positive: tuple[Any, ...]  # positive labels as represented in the engine, given by the user or by the default rule
    whole: bool  # whether weights are integers
    has_nan: bool = True  # whether the engine's floats can be NaN and the engine can test for it

    @classmethod
    def of(cls, source: Source, request: TableRequest) -> Query:
        """Build the query for a source without reading anything."""
        frame = nw.from_native(source.native).lazy()
        schema = frame.collect_schema()
        kind = schema[request.label]
        for name in (request.label, *request.by):
            if schema[name].is_nested():
                raise nested(schema[name], name)
        _check_label(kind, request.label, frame)
        for name in request.wanted[1:]:
            _check(schema[name], name)
        text = isinstance(kind, nw.Categorical | nw.Enum | nw.Date) or kind in (nw.Categorical, nw.Enum, nw.Date)
        label = nw.col(request.label).cast(nw.String) if text else nw.col(request.label)
        if text or kind == nw.String:
            label = _filled(label, frame)
        if kind == nw.Float16:  # pandas cannot group by it
            label, kind = label.cast(nw.Float32), nw.Float32()
        scores = [nw.col(name).cast(nw.Float64).alias(f"s{i}") for i, name in enumerate(request.scores)]
        weights, whole = [], False
        if request.weight is not None:
            whole = schema[request.weight].is_integer() or schema[request.weight] == nw.Boolean
            # integer weights are cast after rows with missing values are removed, because dask cannot do it before
            plain = schema[request.weight] == nw.Boolean
            weight = nw.col(request.weight)
            weights = [(weight if whole and not plain else weight.cast(nw.Int64 if plain else nw.Float64)).alias("w")]
        by = [_slice_value(nw.col(name), schema[name]).alias(f"b{i}") for i, name in enumerate(request.by)]
        rows = frame.select(label.alias("y"), *scores, *weights, *by)
        nan = has_nan(source.native)
        rows = _with_reasons(rows, _lacking(request, kind, whole, nan))
        return cls(request, rows, kind, _positive(kind, request), whole, nan)

    def unsliced(self) -> Query:
        """The same query for all cases together."""
        return replace(self, request=replace(self.request, by=()))

    @property
    def slices(self) -> list[str]:
        """Names of the slice columns."""
        return [f"b{i}" for i in range(len(self.request.by))]

    @property
    def scores(self) -> list[str]:
        """Names of the score columns."""
        return [f"s{i}" for i in range(len(self.request.scores))]

    @property
    def is_positive(self) -> Any:
        """An expression: whether the label of a row is the positive one."""
        condition = nw.col("y") == self.positive[0]
        for label in self.positive[1:]:
            condition = condition | (nw.col("y") == label)
        return condition

    @property
    def side(self) -> Any:
        """The column p: 1 for positives, 0 for negatives; PostgreSQL does not cast a boolean to a number."""
        return nw.when(self.is_positive).then(nw.lit(1)).otherwise(nw.lit(0)).cast(nw.Int64).alias("p")

    def missing(self) -> Any:
        """Count the missing values of each required column: one row of counts m0, m1 ..."""
        lacking = enumerate(_lacking(self.request, self.label, self.whole, self.has_nan))
        flags = [nw.when(lacks).then(nw.lit(1)).otherwise(nw.lit(0)).alias(f"m{i}") for i, lacks in lacking]
        return self.rows.select(*flags).select(nw.all().sum())

    def infinite(self, name: str) -> Any:
        """An expression: whether a number that is not missing is infinite."""
        if self.has_nan:
            return ~nw.col(name).is_finite()
        return (nw.col(name) > LARGEST) | (nw.col(name) < -LARGEST)

    def used(self) -> Any:
        """The usable rows, one for each score: m is its index, s the score, u the oriented score, p 1 for
        positives.
        """
        rows = self.rows.filter(nw.col("r") == USED)
        weight = ["w"] if self.request.weight is not None else []
        if self.whole:
            rows = rows.with_columns(nw.col("w").cast(nw.Int64))
        rows = rows.with_columns(self.side)
        rows = rows.select("p", *weight, *self.slices, *self.scores)
        if len(self.scores) == 1:
            rows = rows.with_columns(nw.col("s0").alias("s"), (nw.col("p") * 0).cast(nw.Int64).alias("m"))
        elif rows.implementation.is_duckdb() or rows.implementation.is_ibis():
            # DuckDB's unpivot works only in the default connection; that of ibis gives PostgreSQL wrong names
            kept = ["p", *weight, *self.slices]
            rows = nw.concat([
                rows.select(*kept, nw.col(name).alias("s"), (nw.col("p") * 0 + i).cast(nw.Int64).alias("m"))
                for i, name in enumerate(self.scores)
            ])  # fmt: skip
        else:
            rows = rows.unpivot(
                on=self.scores, index=["p", *weight, *self.slices], variable_name="v", value_name="s"
            ).with_columns(_number_of(self.scores))
        score = nw.col("s") + 0.0
        turned = score if self.request.higher_is_positive else 0.0 - score
        return rows.with_columns(score.alias("s"), turned.alias("u")).select("m", "p", "s", "u", *weight, *self.slices)


def _filled(label: Any, frame: Any) -> Any:
    """Text labels with NULL for blank ones, which are missing, as in files."""
    # these strip their own set of whitespace characters
    plain = frame.implementation.is_ibis() or frame.implementation.is_dask()
    return nw.when(label.str.strip_chars(None if plain else WHITE) != "").then(label)


def _positive(kind: Any, request: TableRequest) -> tuple[Any, ...]:
    """The positive label in the type of the column.

    For text, these are all labels that the common rule treats as positive.
    """
    like: Any = True if kind == nw.Boolean else 1.0 if kind.is_float() else 1 if kind.is_numeric() else "1"
    if request.positive is None:
        return tuple(sorted(GREATER)) if isinstance(like, str) else (like,)
    if isinstance(like, str):
        return spellings(request.positive)
    label = spoken(request.positive, like)
    truth = label in (0, 1)  # True is 1 and False is 0, but Spark compares no number with a truth value
    if isinstance(label, str) or (isinstance(like, bool) and not truth):
        return (like,)  # no label equals it: the survey refuses it, after what it refuses before
    return (type(like)(label) if truth else label,)


def _number_of(names: Sequence[str]) -> Any:
    number = nw.lit(len(names) - 1)
    for i in range(len(names) - 2, -1, -1):
        number = nw.when(nw.col("v") == names[i]).then(nw.lit(i)).otherwise(number)
    return number.cast(nw.Int64).alias("m")


def _slice_value(column: Any, kind: Any) -> Any:
    if kind == nw.Float16:
        return column.cast(nw.Float32)
    return column.cast(nw.String) if isinstance(kind, nw.Categorical | nw.Enum) else column


def _check_label(kind: Any, name: str, frame: Any) -> None:
    if kind == nw.Unknown and frame.implementation.is_spark_like():
        own = str(dict(frame.to_native().dtypes)[name])
        if own.startswith("interval"):  # which nothing but an interval can equal
            raise tally.no_label_type(own, name)
    if kind.is_decimal() or isinstance(kind, nw.Datetime | nw.Duration | nw.Time | nw.Binary):
        raise tally.no_label_type(type(kind).__name__, name)


def _check(kind: Any, name: str) -> None:
    if kind.is_decimal() or not (kind.is_numeric() or kind == nw.Boolean):
        text = isinstance(kind, nw.String | nw.Categorical | nw.Enum | nw.Object | nw.Unknown)
        raise not_numbers(name, kind="text" if text else f"values of type {type(kind).__name__}")


def has_nan(native: Any) -> bool:
    """Whether an engine supports NaN; some behind ibis do not, and store NULL instead."""
    backend = getattr(type(native), "get_backend", None)
    return backend is None or native.get_backend().name not in WITHOUT_NAN


def _with_reasons(rows: Any, lacking: Sequence[Any]) -> Any:
    reason = nw.lit(USED)
    for number, lacks in reversed(list(enumerate(lacking))):
        reason = nw.when(lacks).then(nw.lit(number)).otherwise(reason)
    return rows.with_columns(reason.cast(nw.Int64).alias("r"))


def _lacking(request: TableRequest, label: Any, whole: bool, nan: bool) -> list[Any]:
    """An expression for each required column: whether a row lacks its label, each score or its weight."""
    floats = {"y": label.is_float(), **{f"s{i}": True for i in range(len(request.scores))}}
    if request.weight is not None:
        floats["w"] = not whole
    return [lacks(nw.col(name), is_float and nan) for name, is_float in floats.items()]


def lacks(column: Any, is_float: bool) -> Any:
    """An expression: whether a value is missing (NULL, or NaN in a column of floats)."""
    # on some engines, is_nan is null in a column that also contains nulls
    return column.is_null() | (column.is_nan() & ~column.is_null()) if is_float else column.is_null()
