"""The survey, a first pass: labels, ranges, slices, excluded rows, losses."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from rocscope import tally
from rocscope.sources.column_batches import Column
from rocscope.sources.engines.collect import collect
from rocscope.sources.engines.query import USED, Query
from rocscope.sources.usable_rows import (
    MOST_COMBINED,
    TableRequest,
    check_slices,
    coded,
    infinite,
    is_positive,
    missing_values,
    negative,
    nothing_left,
    refuse_scale,
    sides_of,
)
from rocscope.table import Known

Array = NDArray[Any]
GROUPS = 8 * MOST_COMBINED  # maximum number of rows fetched in a survey by slice; more means too many slices
EXACT = 2**53  # integers up to this are exact as floats


@dataclass
class Survey:
    """The result of the first query: labels, rows by reason, ranges, and the slices with their rows."""

    labels: tuple[Any, Any]
    left_out: dict[str, int]
    rows: int
    used: int
    low: list[float]
    high: list[float]
    heaviest: float
    slices: dict[tuple[Any, ...], int]
    counts: Array  # positives and negatives per slice, as rows
    known: list[list[Known]]  # per score and slice
    passes: int = 1
    tied: bool | None = None  # whether the first rows contain tied scores; None if not yet checked
    crowding: list[float] = field(default_factory=list)  # density of each score in those rows

    def unsliced(self) -> Survey:
        """The same survey for all cases together."""
        known = [[reduce(operator.add, slices)] for slices in self.known]
        return replace(self, slices={(): 0}, counts=self.counts.sum(axis=1, keepdims=True), known=known)


def surveyed(query: Query) -> Survey:
    """Run the survey in one pass."""
    survey = _read_survey(collect(survey_query(query)), query)
    _check_magnitudes(query, survey)
    return survey


def survey_query(query: Query) -> Any:
    """Count rows by reason, label and slice, with the range of every score and the sums of losses."""
    used = nw.col("r") == USED
    wide = [
        nw.when(used & query.infinite(name)).then(nw.lit(1)).otherwise(nw.lit(0)).cast(nw.Int64)
        .alias(f"wide_{name}")
        for name in _floats(query)
    ]  # fmt: skip
    losses = [loss for name in query.scores for loss in _losses(query, name)]
    rows = query.rows.with_columns(*wide, *(_given(query, name) for name in query.scores))
    rows = _with_logs(rows, query).with_columns(*losses)
    types: dict[str, Any] = {f"wide_{name}": nw.Int64 for name in _floats(query)}
    types |= {f"{loss}_{name}": nw.Float64 for name in query.scores for loss in LOSSES}
    sums = _groups(rows, ["r", "y", *query.slices], list(types), _ranged(query))
    if query.slices:
        sums = sums.head(GROUPS)
    return typed(sums, {"one": nw.Int64, **types})


def _groups(rows: Any, keys: list[str], summed: list[str], ranged: list[str]) -> Any:
    """Count the rows of each group, with sums and ranges of columns.

    dask would shuffle groups of three keys among its workers, which takes longer than adding the few of a survey.
    """
    ends = [(name, end, f"{end}_{name}") for name in ranged for end in ("min", "max")]
    if not rows.implementation.is_dask():
        ranges = [getattr(nw.col(name), end)().alias(alias) for name, end, alias in ends]
        return rows.group_by(*keys).agg(nw.len().alias("one"), *(nw.col(name).sum() for name in summed), *ranges)
    aggregations = {"one": (keys[0], "size"), **{name: (name, "sum") for name in summed}}
    aggregations |= {alias: (name, end) for name, end, alias in ends}
    groups = rows.to_native().groupby(keys, sort=False, dropna=False, observed=True)
    return nw.from_native(groups.agg(split_out=1, **aggregations).reset_index()).lazy()


def _check_magnitudes(query: Query, survey: Survey) -> None:
    """Raise an error for integers that floats cannot distinguish; only scores of that magnitude are checked again."""
    for name, column, low, high in zip(query.scores, query.request.scores, survey.low, survey.high, strict=True):
        if max(abs(low), abs(high)) >= EXACT:
            used = query.rows.filter(nw.col("r") == USED)
            # larger values are all integers, and Spark's floor returns an integer
            score = nw.col(name).clip(-(2.0**62), 2.0**62)
            fractions = collect(used.filter(score.floor() != score).select(name).head(1))
            tally.check_magnitude(column, low, high, whole=not len(fractions[name].values))


LOSSES = ("miss", "loss", "shock")


def _given(query: Query, score: str) -> Any:
    """The probability assigned to the observed outcome; 1 (no loss) for unused rows and scores out of range."""
    chance = (nw.col("r") == USED) & (nw.col(score) >= 0) & (nw.col(score) <= 1)
    own = nw.when(query.is_positive).then(nw.col(score)).otherwise(1.0 - nw.col(score))
    return nw.when(chance).then(own).otherwise(nw.lit(1.0)).alias(f"given_{score}")


def _with_logs(rows: Any, query: Query) -> Any:
    """The logarithm of the assigned probability if that is positive, else 0.

    For Ibis, Ibis's own expressions are used: those of narwhals define the logarithm of a negative number by a NaN that
    MySQL and SQL Server do not have.
    """
    given = {name: nw.col(f"given_{name}") for name in query.scores}
    safe = [nw.when(own > 0).then(own).otherwise(nw.lit(1.0)).alias(f"log_{name}") for name, own in given.items()]
    rows = rows.with_columns(*safe)
    if not rows.implementation.is_ibis():
        return rows.with_columns(*(nw.col(f"log_{name}").log() for name in given))
    native = rows.to_native()
    return nw.from_native(native.mutate(**{f"log_{name}": native[f"log_{name}"].ln() for name in given})).lazy()


def _losses(query: Query, score: str) -> list[Any]:
    """The squared error and log loss of every row.

    A probability of 0 for the observed outcome is counted separately.
    """
    given = nw.col(f"given_{score}")
    losses = [
        (1.0 - given) * (1.0 - given),
        0.0 - nw.col(f"log_{score}"),
        nw.when(given > 0).then(given * 0.0).otherwise(nw.lit(1.0)),  # PostgreSQL would make two literals decimal
    ]
    if query.request.weight is not None:
        weight = nw.when(nw.col("r") == USED).then(nw.col("w").cast(nw.Float64)).otherwise(nw.lit(0.0))
        losses = [weight * loss for loss in losses]
    return [loss.alias(f"{name}_{score}") for name, loss in zip(LOSSES, losses, strict=True)]


def typed(sums: Any, types: Mapping[str, Any]) -> Any:
    """Convert sums to the expected types: engines return wider ones, and some reject casts inside an aggregation."""
    return sums.with_columns(*(nw.col(name).cast(kind) for name, kind in types.items()))


def _floats(query: Query) -> list[str]:
    return [*query.scores, *(["w"] if query.request.weight is not None and not query.whole else [])]


def _ranged(query: Query) -> list[str]:
    return [*query.scores, *(["w"] if query.request.weight is not None else [])]


def _read_survey(columns: Mapping[str, Column], query: Query) -> Survey:
    request = query.request
    reason, totals = whole_numbers(columns["r"]), whole_numbers(columns["one"])
    left_out = {}
    for number, reason_text in enumerate(request.reasons):
        count = int(totals[reason == number].sum())
        if count:
            left_out[reason_text] = count
    rows, used = int(totals.sum()), reason == USED
    low, high, heaviest = _numbers(columns, query, used) if used.any() else ([], [], 0.0)
    if left_out and request.missing == "error":
        lacked = [int(whole_numbers(column)[0]) for column in collect(query.missing()).values()]
        lacking = dict(zip(request.wanted, lacked, strict=True))
        raise missing_values({name: count for name, count in lacking.items() if count}, request.source)
    if not used.any():
        raise nothing_left(rows, left_out, request.source)
    codes, values = coded(columns["y"].take(used))
    labels = sides_of(_present(codes, values), request)
    slices, positions = slices_in(columns, query, used)
    check_slices(slices, request.by)
    mask = np.array([is_positive(value, request.positive) for value in [*values, None]])[codes]
    counts = np.stack([np.bincount(positions[side], totals[used][side], len(slices)) for side in (mask, ~mask)])
    count = len(request.scores)
    return Survey(
        labels, left_out, rows, int(totals[used].sum()), low[:count], high[:count], heaviest, slices,
        counts.astype(np.int64), [_known(columns, used, mask, positions, len(slices), name) for name in query.scores],
    )  # fmt: skip


def _known(
    columns: Mapping[str, Column], used: Array, mask: Array, positions: Array, many: int, score: str
) -> list[Known]:
    """The sums over cases of one score, for every slice."""
    low, high = (columns[f"{end}_{score}"].values[used].astype(np.float64) for end in ("min", "max"))
    sums = [columns[f"{loss}_{score}"].values[used].astype(np.float64) for loss in LOSSES]
    known = []
    for number in range(many):
        up, down = (positions == number) & mask, (positions == number) & ~mask
        least, most = float(low[up | down].min()) + 0.0, float(high[up | down].max()) + 0.0
        miss, loss, shock = ((float(column[up].sum()), float(column[down].sum())) for column in sums)
        known.append(Known(least, most, miss, loss, shock) if least >= 0 and most <= 1 else Known(least, most))
    return known


def _present(codes: Array, values: list[Any]) -> list[Any]:
    return [values[code] for code in np.unique(codes).tolist() if code < len(values)]


def _numbers(columns: Mapping[str, Column], query: Query, used: Array) -> tuple[list[float], list[float], float]:
    """The minimum and maximum of every number, and the largest weight; unusable values are an error.

    This precedes the checks of missing values and labels, as in the batch reader, so that all paths report the same one
    of two errors.
    """
    request = query.request
    for name, column in zip(_floats(query), [*request.scores, str(request.weight)], strict=False):
        count = int(whole_numbers(columns[f"wide_{name}"])[used].sum())
        if count:
            raise infinite(column, count, request.source)
    low, high = ([_least(columns[f"{end}_{name}"], used, end) for name in _ranged(query)] for end in ("min", "max"))
    return low, high, _weights(low, high, request) if request.weight is not None else 0.0


def _least(column: Column, used: Array, end: str) -> float:
    values = column.values[used].astype(np.float64)
    return float(values.min() if end == "min" else values.max()) + 0.0


def _weights(low: list[float], high: list[float], request: TableRequest) -> float:
    if low[-1] < 0:
        raise negative(str(request.weight), f" ({low[-1]:g})")
    refuse_scale(high[-1], str(request.weight))
    return high[-1]


def slices_in(by_name: Mapping[str, Column], query: Query, used: Any) -> tuple[dict[tuple[Any, ...], int], Array]:
    """The slices by their values, and the slice of each row of a result."""
    parts = [coded(by_name[name].take(used)) for name in query.slices]
    size = len(by_name["m" if "m" in by_name else "r"].values[used])
    if not parts:
        return {(): 0}, np.zeros(size, dtype=np.int64)
    combined = np.zeros(size, dtype=np.int64)
    for codes, values in parts:
        combined = combined * (len(values) + 1) + codes
    _, first, positions = np.unique(combined, return_index=True, return_inverse=True)
    columns = [[[*values, None][code] for code in codes[first].tolist()] for codes, values in parts]
    slices: dict[tuple[Any, ...], int] = {}
    numbers = [slices.setdefault(key, len(slices)) for key in zip(*columns, strict=True)]
    return slices, np.array(numbers, dtype=np.int64)[positions]


def whole_numbers(column: Column) -> Array:
    """A column of integers, whatever type the engine returned."""
    return np.asarray(column.plain()).astype(np.int64, copy=False)
