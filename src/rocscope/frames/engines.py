"""Reduction inside an engine, through narwhals: one lazy query for all scores and slices, only sums come back.

Traps that shape this code: `when/then` inside an aggregation is silently wrong on some engines, so columns are made
first and bare columns summed; booleans do not sum on Spark; null == 1 is False on pandas and null elsewhere, so rows
without a label are filtered before it is compared; -0.0 groups apart from 0.0 in Arrow; DuckDB's sums are HUGEINT.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from rocscope.errors import RocscopeError
from rocscope.frames.batches import Column, has_arrow, of_array, quoted
from rocscope.frames.cells import CELLS, DEEPEST, PASSES, Entries, depth_of, edges, halvings, table_of, worst
from rocscope.frames.checks import (
    HEAVIEST,
    Asked,
    Chunk,
    Clerk,
    coded,
    infinite,
    is_positive,
    negative,
    not_numbers,
    nothing_left,
    refusal,
    rows_that_fit,
    sides_of,
    spoken,
    too_heavy,
)
from rocscope.frames.local import TIED, Pile, in_order, piled, slice_targets, totals_of
from rocscope.frames.ranges import exact_in_engine, heavy
from rocscope.frames.source import BUDGET, ENGINE_BUDGET, ROW, Key, Reduced, Source
from rocscope.table import ScoreTable
from rocscope.table.known import Known

Array = NDArray[Any]
LISTED = 2000
"""So many cells are named in a query; more are taken as one range."""

SAMPLE = 2**14
"""Rows that are looked at for ties."""

USED = -1  # the reason of rows that are not left out
EXACT = 2**53  # whole numbers up to here are exact as floats


def reduce_in_engine(source: Source, asked: Asked) -> Reduced:
    """The tables of a source that its engine reads."""
    if source.once:
        source = spooled(source, asked.names)
    fit = rows_here(source, asked)
    if here(source) and _rows(source, asked, fit) <= fit:
        clerk, pile = Clerk(asked), Pile()
        pile.add(clerk.take(collected(source, asked.names)))
        return piled(pile, clerk, clerk.settle(), asked)
    query = Query.of(source, asked)
    survey = surveyed(query)
    if survey.used <= fit:
        return _grouped(query, survey)
    columns = certified(query, survey)
    if asked.exact:
        return exact_in_engine(query, survey, columns)
    return reduced_of(columns, query, survey)


def here(source: Source) -> bool:
    """Whether the engine works in this process, so that sending rows costs nothing."""
    return source.kind in ("duckdb", "polars", "csv", "parquet", "jsonl", "arrow", "excel")


def rows_here(source: Source, asked: Asked) -> float:
    """How many rows an exact reading may send."""
    budget = asked.budget if asked.budget is not None else BUDGET if here(source) else ENGINE_BUDGET
    return rows_that_fit(budget, asked, ROW)


def _rows(source: Source, asked: Asked, fit: float) -> float:
    """How many rows there are: known, certain from the size of a text file, or counted."""
    if source.rows is not None:
        return source.rows
    if source.kind == "csv" and source.bytes is not None and source.bytes / _shortest(source, asked) <= fit:
        return 0
    counted = collect(nw.from_native(source.native).lazy().select(nw.len().cast(nw.Int64).alias("n")))
    return int(counted["n"].values[0])


def small_text(source: Source, asked: Asked) -> bool:
    """Whether a text file surely fits memory: then DuckDB hands its columns over in one piece, which is quickest."""
    if source.kind != "csv" or source.once or source.bytes is None or not hasattr(source.native, "fetchnumpy"):
        return False
    fit = rows_here(source, asked)
    return fit > 0 and source.bytes / _shortest(source, asked) <= fit


def _shortest(source: Source, asked: Asked) -> float:
    """Half the mean length of the first lines: no text file has many more rows than its size tells from them."""
    text = " + ".join(f"coalesce(length({quoted(name)}::varchar), 0) + 1" for name in asked.names)
    mean = source.native.limit(10_000).aggregate(f"avg({text})").fetchone()[0]
    return max(2.0 * len(asked.names), (mean or 0) / 2)


def spooled(source: Source, names: Sequence[str]) -> Source:
    """A source that flows once, kept by DuckDB: it writes to disk what does not fit memory."""
    relation = source.native.project(", ".join(quoted(name) for name in names))
    relation.query("flow", "create or replace temp table rocscope_rows as select * from flow")
    kept = relation.query("flow", "select * from rocscope_rows")
    return Source(source.name, kept, source.kind, tuple(names), once=False, notes=source.notes)


# ---- results as arrays ----


def collect(frame: Any) -> Mapping[str, Column]:
    """The columns of a lazy result, as arrays, without asking for packages that the engine does not need itself."""
    implementation = frame.implementation
    native = frame.to_native()
    if implementation.is_duckdb():
        return {name: of_array(values) for name, values in native.fetchnumpy().items()}
    if implementation.is_polars():
        eager = native.collect() if hasattr(native, "collect") else native
        return {name: of_array(eager.get_column(name)) for name in eager.columns}
    if implementation.is_pyspark() or implementation.is_pyspark_connect():
        return _of_spark(native)
    if implementation.is_dask():
        found = native.compute()
        return {name: of_array(found[name]) for name in found.columns}
    eager = frame.collect()
    return {name: of_array(eager.get_column(name).to_native()) for name in eager.columns}


def _of_spark(frame: Any) -> Mapping[str, Column]:
    if has_arrow():
        found = frame.toArrow()
        return {name: of_array(found.column(name)) for name in frame.columns}
    rows = frame.collect()
    return {name: of_array([row[name] for row in rows]) for name in frame.columns}


def collected(source: Source, names: Sequence[str]) -> Mapping[str, Column]:
    """The named columns, every row, in this process."""
    return collect(nw.from_native(source.native).lazy().select(*dict.fromkeys(names)))


# ---- the query that all passes share ----


@dataclass(frozen=True)
class Query:
    """The rows of a source with plain names: y the label, s0, s1 ... the scores, w the weight, b0, b1 ... the slices.

    `r` is the number of the reason to leave a row out, or -1. Scores are float64 and never -0.0.
    """

    asked: Asked
    rows: Any
    label: Any  # the type of the label
    positive: Any  # the positive label as the engine holds it, as said or by the one rule
    whole: bool  # whether weights are whole numbers

    @classmethod
    def of(cls, source: Source, asked: Asked) -> Query:
        """The query on a source, nothing read yet."""
        frame = nw.from_native(source.native).lazy()
        schema = frame.collect_schema()
        for name in asked.wanted[1:]:
            _check(schema[name], name)
        kind = schema[asked.label]
        text = isinstance(kind, nw.Categorical | nw.Enum) or kind in (nw.Categorical, nw.Enum)
        label = nw.col(asked.label).cast(nw.String) if text else nw.col(asked.label)
        if kind.is_decimal():
            label, kind = label.cast(nw.Float64), nw.Float64()
        scores = [nw.col(name).cast(nw.Float64).alias(f"s{i}") for i, name in enumerate(asked.scores)]
        weights, whole = [], False
        if asked.weight is not None:
            whole = schema[asked.weight].is_integer() or schema[asked.weight] == nw.Boolean
            # whole numbers are cast when the missing ones are gone: dask cannot before
            plain = schema[asked.weight] == nw.Boolean
            weight = nw.col(asked.weight)
            weights = [(weight if whole and not plain else weight.cast(nw.Int64 if plain else nw.Float64)).alias("w")]
        by = [_slice_value(nw.col(name), schema[name]).alias(f"b{i}") for i, name in enumerate(asked.by)]
        rows = frame.select(label.alias("y"), *scores, *weights, *by)
        return cls(asked, _with_reasons(rows, asked, kind, whole), kind, _positive(kind, asked), whole)

    @property
    def slices(self) -> list[str]:
        """The names of the slice columns."""
        return [f"b{i}" for i in range(len(self.asked.by))]

    @property
    def scores(self) -> list[str]:
        """The names of the score columns."""
        return [f"s{i}" for i in range(len(self.asked.scores))]

    def used(self) -> Any:
        """The usable rows, one for each score: m its number, s the score, u the oriented one, p 1 for positives."""
        rows = self.rows.filter(nw.col("r") == USED)
        weight = ["w"] if self.asked.weight is not None else []
        if self.whole:
            rows = rows.with_columns(nw.col("w").cast(nw.Int64))
        rows = rows.with_columns((nw.col("y") == self.positive).cast(nw.Int64).alias("p"))
        rows = rows.select("p", *weight, *self.slices, *self.scores)
        if len(self.scores) == 1:
            rows = rows.with_columns(nw.col("s0").alias("s"), (nw.col("p") * 0).cast(nw.Int64).alias("m"))
        elif rows.implementation.is_duckdb():  # its unpivot works in the default connection alone
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
        turned = score if self.asked.higher_is_positive else 0.0 - score
        return rows.with_columns(score.alias("s"), turned.alias("u")).select(
            "m", "p", "s", "u", *weight, *self.slices
        )


def _positive(kind: Any, asked: Asked) -> Any:
    """The positive label in the type of the column."""
    like: Any = True if kind == nw.Boolean else 1.0 if kind.is_float() else 1 if kind.is_numeric() else "1"
    said = like if asked.positive is None else spoken(asked.positive, like)
    if isinstance(like, str) or isinstance(said, str) == isinstance(like, str):
        return said
    raise RocscopeError(f"positive label {said!r} is not in {asked.label}, which holds numbers")


def _number_of(names: Sequence[str]) -> Any:
    number = nw.lit(len(names) - 1)
    for i in range(len(names) - 2, -1, -1):
        number = nw.when(nw.col("v") == names[i]).then(nw.lit(i)).otherwise(number)
    return number.cast(nw.Int64).alias("m")


def _slice_value(column: Any, kind: Any) -> Any:
    return column.cast(nw.String) if isinstance(kind, nw.Categorical | nw.Enum) else column


def _check(kind: Any, name: str) -> None:
    if not (kind.is_numeric() or kind == nw.Boolean):
        raise not_numbers(name)


def _with_reasons(rows: Any, asked: Asked, label: Any, whole: bool) -> Any:
    columns = ["y", *(f"s{i}" for i in range(len(asked.scores))), *(["w"] if asked.weight is not None else [])]
    floats = {name: name != "y" and not (name == "w" and whole) for name in columns}
    floats["y"] = label.is_float()
    reason = nw.lit(USED)
    for number in range(len(columns) - 1, -1, -1):
        name = columns[number]
        reason = nw.when(nw.col(name).is_null()).then(nw.lit(number)).otherwise(reason)
        if floats[name]:
            # NaN in a column that also has nulls: is_nan alone is null there on some engines
            lost = nw.col(name).is_nan() & ~nw.col(name).is_null()
            reason = nw.when(lost).then(nw.lit(number)).otherwise(reason)
    return rows.with_columns(reason.cast(nw.Int64).alias("r"))


# ---- the survey: what is there ----


@dataclass
class Survey:
    """What the first query says: labels, rows by reason, ranges, and the slices with their rows."""

    labels: tuple[Any, Any]
    left_out: dict[str, int]
    rows: int
    used: int
    low: list[float]
    high: list[float]
    heaviest: float
    slices: dict[tuple[Any, ...], int]
    counts: Array  # positives and negatives of each slice, as rows
    known: list[list[Known]]  # of each score and slice
    passes: int = 1


def surveyed(query: Query) -> Survey:
    """Count rows by reason, label and slice, take the range of every score and sum the losses: one pass."""
    used = nw.col("r") == USED
    wide = [
        nw.when(used & ~nw.col(name).is_finite()).then(nw.lit(1)).otherwise(nw.lit(0)).cast(nw.Int64)
        .alias(f"wide_{name}")
        for name in _floats(query)
    ]  # fmt: skip
    losses = [one for name in query.scores for one in _losses(query, name)]
    rows = query.rows.with_columns(*wide, *(_given(query, name) for name in query.scores)).with_columns(*losses)
    types: dict[str, Any] = {f"wide_{name}": nw.Int64 for name in _floats(query)}
    types |= {f"{loss}_{name}": nw.Float64 for name in query.scores for loss in LOSSES}
    ends = [getattr(nw.col(name), end)().alias(f"{end}_{name}") for name in _ranged(query) for end in ("min", "max")]
    sums = rows.group_by("r", "y", *query.slices).agg(
        nw.len().alias("one"), *(nw.col(name).sum() for name in types), *ends
    )
    return _read_survey(collect(_typed(sums, {"one": nw.Int64, **types})), query)


LOSSES = ("miss", "loss", "shock")


def _given(query: Query, score: str) -> Any:
    """The probability given to what happened; 1, without any loss, for rows that are not used and scores beyond."""
    chance = (nw.col("r") == USED) & (nw.col(score) >= 0) & (nw.col(score) <= 1)
    own = nw.when(nw.col("y") == query.positive).then(nw.col(score)).otherwise(1.0 - nw.col(score))
    return nw.when(chance).then(own).otherwise(nw.lit(1.0)).alias(f"given_{score}")


def _losses(query: Query, score: str) -> list[Any]:
    """The squared error and the log loss of every row; a probability of 0 given to what happened is counted apart."""
    given = nw.col(f"given_{score}")
    made = [
        (1.0 - given) * (1.0 - given),
        0.0 - nw.when(given > 0).then(given).otherwise(nw.lit(1.0)).log(),
        nw.when(given > 0).then(nw.lit(0.0)).otherwise(nw.lit(1.0)),
    ]
    if query.asked.weight is not None:
        weight = nw.when(nw.col("r") == USED).then(nw.col("w").cast(nw.Float64)).otherwise(nw.lit(0.0))
        made = [weight * loss for loss in made]
    return [loss.alias(f"{name}_{score}") for name, loss in zip(LOSSES, made, strict=True)]


def _typed(sums: Any, types: Mapping[str, Any]) -> Any:
    """Sums in the types they should have: engines give wider ones, and some refuse casts inside an aggregation."""
    return sums.with_columns(*(nw.col(name).cast(kind) for name, kind in types.items()))


def _floats(query: Query) -> list[str]:
    return [*query.scores, *(["w"] if query.asked.weight is not None and not query.whole else [])]


def _ranged(query: Query) -> list[str]:
    return [*query.scores, *(["w"] if query.asked.weight is not None else [])]


def _read_survey(found: Mapping[str, Column], query: Query) -> Survey:
    asked = query.asked
    reason, ones = whole_numbers(found["r"]), whole_numbers(found["one"])
    left_out = {}
    for number, said in enumerate(asked.reasons):
        count = int(ones[reason == number].sum())
        if count:
            left_out[said] = count
    rows, used = int(ones.sum()), reason == USED
    if not used.any():
        raise nothing_left(rows, left_out)
    for name, column in zip(_floats(query), [*asked.scores, str(asked.weight)], strict=False):
        count = int(whole_numbers(found[f"wide_{name}"])[used].sum())
        if count:
            raise infinite(column, count)
    if left_out and asked.missing == "error":
        raise refusal(left_out)
    codes, values = coded(found["y"].take(used))
    labels = sides_of(_present(codes, values), asked)
    low, high = ([_least(found[f"{end}_{name}"], used, end) for name in _ranged(query)] for end in ("min", "max"))
    heaviest = _weights(low, high, asked) if asked.weight is not None else 0.0
    slices, places = _slices(found, query, used)
    mask = np.array([is_positive(value, asked.positive) for value in [*values, None]])[codes]
    counts = np.stack([np.bincount(places[side], ones[used][side], len(slices)) for side in (mask, ~mask)])
    count = len(asked.scores)
    return Survey(
        labels, left_out, rows, int(ones[used].sum()), low[:count], high[:count], heaviest, slices,
        counts.astype(np.int64), [_known(found, used, mask, places, len(slices), name) for name in query.scores],
    )  # fmt: skip


def _known(
    found: Mapping[str, Column], used: Array, mask: Array, places: Array, many: int, score: str
) -> list[Known]:
    """The sums over cases of one score, for every slice."""
    low, high = (found[f"{end}_{score}"].values[used].astype(np.float64) for end in ("min", "max"))
    sums = [found[f"{loss}_{score}"].values[used].astype(np.float64) for loss in LOSSES]
    known = []
    for number in range(many):
        up, down = (places == number) & mask, (places == number) & ~mask
        least, most = float(low[up | down].min()) + 0.0, float(high[up | down].max()) + 0.0
        miss, loss, shock = ((float(column[up].sum()), float(column[down].sum())) for column in sums)
        known.append(Known(least, most, miss, loss, shock) if least >= 0 and most <= 1 else Known(least, most))
    return known


def _present(codes: Array, values: list[Any]) -> list[Any]:
    return [values[code] for code in np.unique(codes).tolist() if code < len(values)]


def _least(column: Column, used: Array, end: str) -> float:
    values = column.values[used].astype(np.float64)
    return float(values.min() if end == "min" else values.max()) + 0.0


def _weights(low: list[float], high: list[float], asked: Asked) -> float:
    if low[-1] < 0:
        raise negative(str(asked.weight), f" ({low[-1]:g})")
    if not high[-1] > 0:
        raise RocscopeError(f"{asked.weight} is zero in all rows", hint="At least one row must count")
    if high[-1] > HEAVIEST:
        raise too_heavy(str(asked.weight))
    return high[-1]


def _slices(found: Mapping[str, Column], query: Query, used: Any) -> tuple[dict[tuple[Any, ...], int], Array]:
    """The slices by their values, and the slice of each row of a result."""
    parts = [coded(found[name].take(used)) for name in query.slices]
    size = len(found["m" if "m" in found else "r"].values[used])
    if not parts:
        return {(): 0}, np.zeros(size, dtype=np.int64)
    slices: dict[tuple[Any, ...], int] = {}
    columns = [np.array([*values, None], dtype=object)[codes] for codes, values in parts]
    places = np.fromiter(
        (slices.setdefault(key, len(slices)) for key in zip(*columns, strict=True)), dtype=np.int64, count=size
    )
    return slices, places


def whole_numbers(column: Column) -> Array:
    """A column of whole numbers, whatever type the engine gave it."""
    return np.asarray(column.plain()).astype(np.int64)


# ---- sums by score, or by cell ----


def _summed(rows: Any, keys: Sequence[str], query: Query, survey: Survey, *, ends: bool) -> Any:
    """Sums of the rows of each group: how many, their weight, its square, the range."""
    asked, made, types = query.asked, [], {}
    if asked.weight is not None:
        types["w"] = nw.Int64 if query.whole else nw.Float64
    if asked.sampled:
        exact = query.whole and survey.heaviest**2 * survey.used < 2**62
        weight = nw.col("w") if exact else nw.col("w").cast(nw.Float64)
        made.append((weight * weight).alias("ww"))
        types["ww"] = nw.Int64 if exact else nw.Float64
    range_ = [nw.col("u").min().alias("low"), nw.col("u").max().alias("high")] if ends else []
    keys = [key for key in keys if key != "m" or len(query.scores) > 1]
    rows = rows.with_columns(*made) if made else rows
    sums = rows.group_by(*keys, *query.slices).agg(nw.len().alias("one"), *(nw.col(n).sum() for n in types), *range_)
    return _typed(sums, {"one": nw.Int64, **types})


def _collected_sums(sums: Any) -> Mapping[str, Column]:
    """Sums as arrays; with one score alone its number is not among the keys."""
    found = collect(sums)
    if "m" in found:
        return found
    return {**found, "m": Column(np.zeros(len(found["p"].values), dtype=np.int64))}


def grouped_query(query: Query, survey: Survey) -> Any:
    """Sums by score, class and slice: for as many rows as may come back."""
    return _summed(query.used(), ["m", "p", "s"], query, survey, ends=False)


def _grouped(query: Query, survey: Survey) -> Reduced:
    found = _collected_sums(grouped_query(query, survey))
    asked = query.asked
    model, mask = whole_numbers(found["m"]), whole_numbers(found["p"]).astype(np.uint8)
    slices, places = _slices(found, query, slice(None))
    scores = found["s"].values.astype(np.float64) + 0.0
    sums = [_column(found, name) for name in ("one", "w", "ww")]
    tables: dict[Key, ScoreTable] = {}
    for key, place in in_order(slices):
        for i, name in enumerate(asked.scores):
            at = np.flatnonzero((model == i) & (places == place))
            tables[(*key, name)] = _table_of_sums(
                scores[at], mask[at], [None if column is None else column[at] for column in sums], survey, asked
            )
    return Reduced(tables, survey.left_out, survey.rows, survey.passes + 1, 0.0, True)


def _column(found: Mapping[str, Column], name: str) -> Array | None:
    if name not in found:
        return None
    values = found[name].plain()
    return np.asarray(values.astype(np.float64) if values.dtype.kind == "O" else values)


def _table_of_sums(
    scores: Array, mask: Array, sums: Sequence[Array | None], survey: Survey, asked: Asked
) -> ScoreTable:
    ones, weights, squares = sums
    assert ones is not None
    distinct, place = np.unique(scores, return_inverse=True)
    step = -1 if asked.higher_is_positive else 1

    def summed(column: Array, side: int) -> Array:
        found = np.zeros(len(distinct), dtype=column.dtype)
        np.add.at(found, place[mask == side], column[mask == side])
        return np.ascontiguousarray(found[::step])

    main = ones if weights is None else weights
    pos, neg = summed(main, 1), summed(main, 0)
    up, down = (None, None) if squares is None else (summed(squares, 1), summed(squares, 0))
    names = np.ascontiguousarray(distinct[::step])
    kept = (pos != 0) | (neg != 0)
    rows = int(ones[mask == 1].sum()), int(ones[mask == 0].sum())
    parts = [None if column is None else column[kept] for column in (names, pos, neg, up, down)]
    return ScoreTable(parts[0], parts[1], parts[2], asked.higher_is_positive, survey.labels, parts[3], parts[4], rows)


# ---- cells ----


@dataclass
class Cells:
    """The cells of one score column: those of earlier passes that stay, and the last, which can be split."""

    depth: int
    done: list[Entries]
    last: Entries
    cell: Array  # the number of each of the last
    known: list[Known]
    chosen: Array | None = None  # numbers of the cells to split
    steps: int = 0
    history: list[tuple[int, Array, int]] = field(default_factory=list)  # depth, cells that were split, into 2^how many

    def entries(self) -> Entries:
        """All cells."""
        return Entries.chain([*self.done, self.last])


def certified(query: Query, survey: Survey) -> list[Cells]:
    """The cells of every score, split until the bounds are small enough; not yet when they are to be read exactly."""
    columns = _first_cells(query, survey)
    while not query.asked.exact and survey.passes < PASSES and _choose(columns, query, survey):
        _split(columns, query, survey)
    return columns


def cells_query(query: Query, survey: Survey, depths: Sequence[int], *, ends: bool = True) -> Any:
    """Sums by cell, class and slice: every score with a depth of its own."""
    rows = query.used().with_columns(_cell(depths, "cell"))
    return _summed(rows, ["m", "p", "cell"], query, survey, ends=ends)


def _cell(depths: Sequence[int], name: str) -> Any:
    return (nw.col("u") * _by_model([2.0**depth for depth in depths])).floor().cast(nw.Int64).alias(name)


def _by_model(values: Sequence[float]) -> Any:
    chosen = nw.lit(values[-1])
    for i in range(len(values) - 2, -1, -1):
        if values[i] != values[-1] or len(set(values)) > 1:
            chosen = nw.when(nw.col("m") == i).then(nw.lit(values[i])).otherwise(chosen)
    return chosen


def depths_of(query: Query, survey: Survey) -> list[int]:
    """The depth of the first cells of every score, by its range and the number of slices."""
    many = 1 << (max(1, len(survey.slices)) - 1).bit_length()
    depths = []
    for low, high in zip(survey.low, survey.high, strict=True):
        if low >= 0 and high <= 1:
            low, high = 0.0, 1.0
        if not query.asked.higher_is_positive:
            low, high = -high, -low
        depths.append(depth_of(low, high, max(CELLS // many, 1024)))
    return depths


def _first_cells(query: Query, survey: Survey) -> list[Cells]:
    depths = depths_of(query, survey)
    found = _collected_sums(cells_query(query, survey, depths, ends=_tied(query)))
    survey.passes += 1
    model = whole_numbers(found["m"])
    columns = []
    for i, depth in enumerate(depths):
        at = np.flatnonzero(model == i)
        entries, cell = _entries(found, at, query, survey, depth)
        columns.append(Cells(depth, [], entries, cell, survey.known[i]))
    return columns


def _tied(query: Query) -> bool:
    """Whether the first rows repeat scores: then it is worth knowing which cells hold one score alone."""
    found = collect(query.used().head(SAMPLE * len(query.scores)).select("m", "u"))
    model, scores = whole_numbers(found["m"]), found["u"].values
    parts = [scores[model == i] for i in range(len(query.scores))]
    return any(len(np.unique(part)) < TIED * len(part) for part in parts)


def _entries(
    found: Mapping[str, Column], at: Array, query: Query, survey: Survey, depth: int
) -> tuple[Entries, Array]:
    """The cells of a result and their numbers: rows of both classes made one, with the edges."""
    part = {name: column.take(at) for name, column in found.items()}
    places = slice_places(part, query, survey)
    cell, mask = whole_numbers(part["cell"]), whole_numbers(part["p"])
    inner = whole_numbers(part["part"]) if "part" in part else np.zeros(len(at), dtype=np.int64)
    order = _order(places, cell, inner)
    ordered = np.stack([places[order], cell[order], inner[order]])
    fresh = np.ones(len(at), dtype=bool)
    fresh[1:] = (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)
    starts = np.flatnonzero(fresh)

    def sides(name: str) -> tuple[Array, Array]:
        column = _column(part, name)
        assert column is not None
        values, up = column[order], mask[order] == 1
        zero = np.zeros_like(values)
        return (
            np.add.reduceat(np.where(up, values, zero), starts) if len(starts) else values,
            np.add.reduceat(np.where(up, zero, values), starts) if len(starts) else values,
        )

    pos, neg = sides("w" if "w" in part else "one")
    squares = sides("ww") if "ww" in part else (None, None)
    least, most = np.full(len(starts), np.nan), np.full(len(starts), np.nan)  # unknown is never equal
    if "low" in part:
        least = np.minimum.reduceat(part["low"].values[order].astype(np.float64), starts)
        most = np.maximum.reduceat(part["high"].values[order].astype(np.float64), starts)
    number, offset = ordered[1, starts].astype(np.float64), ordered[2, starts].astype(np.float64)
    if "part" in part:
        steps = int(query_steps(part))
        low = edges(number, depth - steps) + np.ldexp(offset, -depth)
        number = number * 2.0**steps + offset
    else:
        low = edges(number, depth)
    high = low + math.ldexp(1.0, -depth)
    ones = np.add.reduceat(whole_numbers(part["one"])[order], starts)
    return Entries(ordered[0, starts], low, high, least == most, least + 0.0, pos, neg, ones, *squares), number


def _order(places: Array, cell: Array, inner: Array) -> Array:
    """The order by slice, cell and part: of one number where it holds all three."""
    if not len(cell):
        return np.empty(0, dtype=np.int64)
    low, wide, deep = int(cell.min()), int(cell.max()) - int(cell.min()) + 1, int(inner.max()) + 1
    if (int(places.max()) + 1) * wide * deep < 2**62:
        return np.argsort((places * wide + (cell - low)) * deep + inner)
    return np.lexsort((inner, cell, places))


def query_steps(part: Mapping[str, Column]) -> int:
    """The halvings of a split, which its result carries."""
    steps = whole_numbers(part["steps"])
    return int(steps[0]) if len(steps) else 0


def slice_places(part: Mapping[str, Column], query: Query, survey: Survey) -> Array:
    """The slice of every row of a result, as the survey numbers them."""
    found, places = _slices(part, query, slice(None))
    numbers = np.array([survey.slices[key] for key in found] or [0], dtype=np.int64)
    return numbers[places]


def _choose(columns: list[Cells], query: Query, survey: Survey) -> bool:
    """Choose the cells to split next in every column; False when every bound is small enough."""
    for column in columns:
        entries = column.entries()
        totals = totals_of(entries, len(survey.slices))
        targets = slice_targets(entries, totals, survey.counts, query.asked)
        picked = worst(entries, totals, targets) - (len(entries) - len(column.last))
        picked = picked[picked >= 0]
        column.chosen = np.unique(column.cell[picked]) if len(picked) and column.depth < DEEPEST else None
        if column.chosen is not None:
            inside = int(np.isin(column.cell, column.chosen).sum())
            column.steps = min(halvings(inside), DEEPEST - column.depth)
    return any(column.chosen is not None for column in columns)


def split_heavy(columns: list[Cells], query: Query, survey: Survey, fit: int) -> bool:
    """Split the cells that hold more rows than fit; False when there are none."""
    for column in columns:
        picked = heavy(column.last, fit)
        column.chosen = np.unique(column.cell[picked]) if len(picked) and column.depth < DEEPEST else None
        if column.chosen is not None:
            column.steps = min(halvings(len(picked)), DEEPEST - column.depth)
    if all(column.chosen is None for column in columns):
        return False
    _split(columns, query, survey)
    return True


def split_query(columns: list[Cells], query: Query, survey: Survey) -> Any:
    """Sums by part of the cells that are split.

    Ranges are asked in whole numbers of cells: an engine may read a fraction in a query to the last bit but one.
    """
    scale, factor = _by_model([2.0**c.depth for c in columns]), _by_model([2.0**c.steps for c in columns])
    split = [(i, column.chosen) for i, column in enumerate(columns) if column.chosen is not None]
    inside = [
        (nw.col("m") == i) & (nw.col("c") >= float(chosen[0])) & (nw.col("c") <= float(chosen[-1]))
        for i, chosen in split
    ]
    rows = query.used().with_columns((nw.col("u") * scale).floor().alias("c")).filter(_any(inside))
    rows = rows.with_columns(nw.col("c").cast(nw.Int64).alias("cell"))
    if any(len(chosen) <= LISTED for _, chosen in split):
        listed = [
            (nw.col("m") == i) & nw.col("cell").is_in([int(cell) for cell in chosen])
            if len(chosen) <= LISTED
            else nw.col("m") == i
            for i, chosen in split
        ]
        rows = rows.filter(_any(listed))
    part = (nw.col("u") * scale * factor).floor() - nw.col("c") * factor
    rows = rows.with_columns(part.cast(nw.Int64).alias("part"))
    return _summed(rows, ["m", "p", "cell", "part"], query, survey, ends=True)


def _any(conditions: Sequence[Any]) -> Any:
    found = conditions[0]
    for condition in conditions[1:]:
        found = found | condition
    return found


def _split(columns: list[Cells], query: Query, survey: Survey) -> None:
    found = _collected_sums(split_query(columns, query, survey))
    survey.passes += 1
    model = whole_numbers(found["m"])
    for i, column in enumerate(columns):
        if column.chosen is None:
            continue
        at = np.flatnonzero(model == i)
        at = at[np.isin(whole_numbers(found["cell"])[at], column.chosen)]
        steps = {"steps": Column(np.full(len(model), column.steps, dtype=np.int64))}
        entries, cell = _entries({**found, **steps}, at, query, survey, column.depth + column.steps)
        column.done.append(column.last.take(~np.isin(column.cell, column.chosen)))
        column.history.append((column.depth, column.chosen, column.steps))
        column.last, column.cell, column.depth = entries, cell, column.depth + column.steps


def reduced_of(columns: list[Cells], query: Query, survey: Survey) -> Reduced:
    """The tables of all columns and slices."""
    asked = query.asked
    tables: dict[Key, ScoreTable] = {}
    whole = asked.weight is None or query.whole
    for key, number in in_order(survey.slices):
        for name, column in zip(asked.scores, columns, strict=True):
            entries = column.entries()
            tables[(*key, name)] = table_of(
                entries.take(entries.slices == number), higher=asked.higher_is_positive, labels=survey.labels,
                rows=(int(survey.counts[0, number]), int(survey.counts[1, number])), known=column.known[number],
                whole=whole,
            )  # fmt: skip
    bound = max((t.bound for t in tables.values()), default=0.0)
    exact = all(t.mixed is None for t in tables.values())
    return Reduced(tables, survey.left_out, survey.rows, survey.passes, bound, exact)


def rows_between(query: Query, survey: Survey, model: int, cells: tuple[int, int, int]) -> Chunk:
    """The rows of one score that lie in the cells (depth, first, last), with oriented scores."""
    depth, first, last = cells
    rows = query.used().with_columns((nw.col("u") * 2.0**depth).floor().alias("c"))
    rows = rows.filter((nw.col("m") == model) & (nw.col("c") >= float(first)) & (nw.col("c") <= float(last)))
    found = collect(rows)
    mask, scores = whole_numbers(found["p"]).astype(np.uint8), found["u"].values.astype(np.float64)
    places = slice_places(found, query, survey) if query.slices else None
    return Chunk(mask, (scores + 0.0,), _column(found, "w"), places)
