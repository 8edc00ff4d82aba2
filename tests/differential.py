"""One answer by every path: tables with faults, read in every way there is, and what each way makes of them.

`make fuzz` runs this file for an hour and writes what it finds to tests/corpus; `--minutes 10` runs a piece of it, and
the next piece goes on where that one ended. tests/test_differential.py runs a sample and every case of the corpus. A
case is a small table of text or of typed values, valid but for none to three faults. The first path is the reference:
every other must give its number to the promised bound, or its refusal; of several faults all name the same one.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import io
import json
import math
import re
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st
from resumed import Progress

import rocscope as rs
from rocscope import RocscopeError
from rocscope.sources import column_batches, compression, files

CORPUS = Path(__file__).parent / "corpus"
NEAR = 1e-12
COARSE = 0.3  # a tolerance that leaves cells with several scores, so that the bound is put to the test


# --- cases


@dataclass(frozen=True)
class TextCase:
    """Cells of a text file with the columns y, p and perhaps w, and faults of whole lines: (row, kind)."""

    rows: list[list[str]]
    lines: list[tuple[int, str]] = field(default_factory=list)
    ending: str = "\n"
    faults: int = 0
    positive: Any = None

    @property
    def columns(self) -> list[str]:
        return ["y", "p", "w"][: len(self.rows[0])]

    @property
    def options(self) -> dict[str, Any]:
        weights = {"weights": "w"} if len(self.rows[0]) > 2 else {}
        return {"label": "y", "score": "p"} | weights | _stated(self.positive)

    def csv(self) -> str:
        written = [",".join(map(_quoted, row)) for row in self.rows]
        for row, kind in sorted(self.lines, reverse=True):
            at = row % len(written)
            written[at : at + 1] = LINE_FAULTS[kind](written[at])
        return self.ending.join([",".join(self.columns), *written]) + self.ending

    def json_lines(self) -> str:
        return "".join(json.dumps(dict(zip(self.columns, row, strict=True))) + "\n" for row in self.rows)


@dataclass(frozen=True)
class TypedCase:
    """Typed columns: each the name of an Arrow type and its values, None for a missing one."""

    y: tuple[str, list[Any]]
    p: tuple[str, list[Any]]
    w: tuple[str, list[Any]] | None = None
    faults: int = 0
    positive: Any = None

    @property
    def options(self) -> dict[str, Any]:
        return {"label": "y", "score": "p"} | ({} if self.w is None else {"weights": "w"}) | _stated(self.positive)

    def table(self) -> pa.Table:
        held = {"y": self.y, "p": self.p} | ({} if self.w is None else {"w": self.w})
        return pa.table({name: _array(kind, values) for name, (kind, values) in held.items()})


Case = TextCase | TypedCase


def _stated(positive: Any) -> dict[str, Any]:
    return {} if positive is None else {"positive": positive}


def _array(kind: str, values: list[Any]) -> pa.Array:
    if kind == "decimal":
        return pa.array([None if one is None else Decimal(one) for one in values], TYPES[kind])
    if kind == "float16":
        return pa.array([None if one is None else np.float16(one) for one in values], pa.float16())
    return pa.array(values, TYPES[kind], from_pandas=False)


TYPES = {
    "string": pa.string(), "bool": pa.bool_(), "int8": pa.int8(), "int64": pa.int64(), "uint64": pa.uint64(),
    "float32": pa.float32(), "float64": pa.float64(), "dictionary": pa.dictionary(pa.int32(), pa.string()),
    "decimal": pa.decimal128(20, 3), "timestamp": pa.timestamp("us"), "date": pa.date32(),
    "duration": pa.duration("us"),
}  # fmt: skip


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if any(letter in cell for letter in ',"\r\n') else cell


LINE_FAULTS: Mapping[str, Callable[[str], list[str]]] = {
    "blank line": lambda line: [line, ""],
    "blanks": lambda line: [line, "  "],
    "trailing delimiter": lambda line: [line + ","],
    "two more fields": lambda line: [line + ",,"],
    "one more field": lambda line: [line + ",7"],
    "one field": lambda line: [line.split(",")[0]],
    "no fields": lambda line: [line, ",,"],
    "open quote": lambda line: ['"' + line],
    "quote inside": lambda line: [line + '"'],
    "text after a quote": lambda line: ['"1"x' + line[1:]],
    "all quoted": lambda line: [",".join(f'"{cell}"' for cell in line.split(","))],
    "carriage return": lambda line: [line + "\r"],
    "NUL": lambda line: [line + "\0"],
    "another delimiter": lambda line: [line.replace(",", ";")],
    "byte order mark": lambda line: ["\ufeff" + line],
    "twice": lambda line: [line, line],
}
ODD_NUMBERS = [
    "", " ", "NA", "nan", "NaN", "None", "null", "inf", "-inf", "Infinity", "1_000", "+-1", "0x10", "1e400", "1e-400",
    "-0", "+0.5", ".5", "5.", "1e3", "1E-05", " 0.5", "0.5 ", "\u00a00.5", "0.5\u00a0", "\x1f0.5", "\t0.5", "'0.5",
    "'-0.5", "'=1", "1,5", "1d5", "0.5f", "True", "٥", "１", "½", "--1", "1e", "e1", "0.1.2", "1 000", "$1", "5%",
    "1e22", "123456789012345678901234567890", "9007199254740993", "0.1000000000000000055511151231257827", "4.9e-324",
    "1.7976931348623157e308", "-1e300", "0" * 50 + "1", "1" * 40, "(1)", "#N/A", "-", "+", ".", "\ufeff1",
]  # fmt: skip
ODD_LABELS = [
    "", " ", "NA", "nan", "None", "2", "1.0", "01", "+1", "1e0", "True", "TRUE", "yes", " 1", "1 ", "\u00a01", "\u00a0",
    "'1", "'+1", "'=1", "\ufeff1", "１", "1\x00"[:1], "<b>", "-1", "0.5", "é", "e\u0301", "1\n", "a,b", 'a"b',
]  # fmt: skip
ODD_WEIGHTS = ["-1", "0", "1e61", "1e-61", "1e19", str(2**64 - 1), "", "NA", "x", "inf", "1_0", "0.5", "1e3"]

scores = st.one_of(
    st.integers(0, 20).map(lambda k: str(k / 20)),
    st.floats(0, 1).map(repr),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-1000, 1000).map(str),
)
PAIRS = [("0", "1"), ("-1", "1"), ("False", "True"), ("false", "true")]
POSITIVES: list[Any] = ["0", "1", "1.0", "-1", "True", "true", "FALSE", "yes", "2", 0, 1, 1.0, 2, 0.5, True, False]


@st.composite
def positives(draw: st.DrawFn, pair: tuple[Any, Any]) -> Any:
    """The positive label: named in a quarter of the cases, mostly as one of the pair, in any spelling."""
    if draw(st.integers(0, 3)):
        return None
    near = [form for label in pair if isinstance(label, str | int | float) for form in (label, str(label))]
    return draw(st.sampled_from(near or POSITIVES) if draw(st.integers(0, 2)) else st.sampled_from(POSITIVES))


@st.composite
def text_cases(draw: st.DrawFn) -> TextCase:
    """Valid cells with none to three faults."""
    size = draw(st.integers(4, 14))
    pair = draw(st.sampled_from(PAIRS))
    weighted = draw(st.integers(0, 3)) == 0
    one = draw(st.sampled_from([scores, scores.filter(lambda text: "e" not in text)]))
    rows = [[pair[draw(st.integers(0, 1))], draw(one)] for _ in range(size)]
    rows[0][0], rows[1][0] = pair
    if weighted:
        rows = [[*row, draw(st.sampled_from(["1", "2", "0.5", "3"]))] for row in rows]
    lines: list[tuple[int, str]] = []
    faults = draw(st.integers(0, 3))
    for _ in range(faults):
        row, what = draw(st.integers(0, size - 1)), draw(st.sampled_from(["score", "label", "line", "weight"]))
        if what == "line":
            lines.append((row, draw(st.sampled_from(sorted(LINE_FAULTS)))))
        elif what == "score":
            odd = st.sampled_from(ODD_NUMBERS) | st.text(max_size=6).filter(_writable)
            rows[row][1] = draw(odd)
        elif what == "label":
            rows[row][0] = draw(st.sampled_from(ODD_LABELS) | st.text(max_size=4).filter(_writable))
        elif weighted:
            rows[row][2] = draw(st.sampled_from(ODD_WEIGHTS))
    return TextCase(rows, lines, draw(st.sampled_from(["\n", "\n", "\n", "\r\n"])), faults, draw(positives(pair)))


def _writable(text: str) -> bool:
    """Whether UTF-8 and a quoted cell hold it, and no sheet of Excel refuses it."""
    return not any("\ud800" <= letter <= "\udfff" or letter in "\0\r\n" for letter in text)


numbers = {
    "float64": st.floats(width=64), "float32": st.floats(width=32), "float16": st.floats(width=16),
    "int8": st.integers(-128, 127), "int64": st.integers(-(2**63), 2**63 - 1), "uint64": st.integers(0, 2**64 - 1),
    "decimal": st.integers(-(10**19), 10**19).map(lambda k: str(Decimal(k).scaleb(-3))),
    "timestamp": st.integers(0, 10**15), "date": st.integers(0, 10**5), "duration": st.integers(0, 10**15),
}  # fmt: skip
modest = {
    "float64": st.one_of(st.floats(0, 1), st.integers(0, 9).map(lambda k: k / 9), st.floats(-1e300, 1e300),
                         st.floats(0, 1e-300), st.floats(1e15, 1e18)),
    "float32": st.floats(0, 1, width=32), "float16": st.floats(0, 1, width=16), "int8": st.integers(-128, 127),
    "int64": st.integers(-(2**52), 2**52), "uint64": st.integers(0, 2**52),
    "decimal": st.integers(-2000, 2000).map(lambda k: str(Decimal(k).scaleb(-3))),
    "timestamp": st.integers(0, 10**15), "date": st.integers(0, 10**5), "duration": st.integers(0, 10**15),
}  # fmt: skip
REFUSED = ("timestamp", "date", "duration", "decimal")
# these are refused whatever else is wrong: fewer of them leave more for the others
SCORE_KINDS = [*(kind for kind in sorted(modest) for _ in range(1 if kind in REFUSED else 4))]
typed_labels: dict[str, list[tuple[Any, Any]]] = {
    "int64": [(0, 1), (-1, 1)], "bool": [(False, True)], "string": list(PAIRS), "float64": [(0.0, 1.0)],
    "int8": [(0, 1)], "dictionary": list(PAIRS), "decimal": [("0", "1")], "duration": [(0, 1)], "timestamp": [(0, 1)],
    "date": [(0, 1)],
}  # fmt: skip
LABEL_KINDS = [*(kind for kind in sorted(typed_labels) for _ in range(1 if kind in REFUSED else 8))]
odd_typed: dict[str, list[Any]] = {
    "int64": [None, 2], "bool": [None], "string": [None, "", " ", "2", "NA", "yes"], "float64": [None, math.nan, 0.5],
    "int8": [None, 2], "dictionary": [None, "", "2"], "decimal": [None, "0.5"], "duration": [None, 2],
    "timestamp": [None, 2], "date": [None, 2],
}  # fmt: skip


@st.composite
def typed_cases(draw: st.DrawFn) -> TypedCase:
    """Typed columns with none to three faults."""
    size = draw(st.integers(4, 24))
    kind, score = draw(st.sampled_from(LABEL_KINDS)), draw(st.sampled_from(SCORE_KINDS))
    pair = draw(st.sampled_from(typed_labels[kind]))
    y: list[Any] = [*pair, *(draw(st.sampled_from(pair)) for _ in range(size - 2))]
    p: list[Any] = draw(st.lists(modest[score], min_size=size, max_size=size))
    w: list[Any] | None = None
    weight = draw(st.sampled_from(["", "", "int64", "float64"]))
    if weight:
        each = st.integers(1, 9) if weight == "int64" else st.floats(0.125, 8)
        w = draw(st.lists(each, min_size=size, max_size=size))
    faults = draw(st.integers(0, 3))
    for _ in range(faults):
        row, what = draw(st.integers(0, size - 1)), draw(st.sampled_from(["score", "label", "weight"]))
        if what == "score":
            p[row] = draw(st.none() | numbers[score])
        elif what == "label":
            y[row] = draw(st.sampled_from(odd_typed[kind]))
        elif w is not None:
            w[row] = draw(st.sampled_from([None, 0, -1] if weight == "int64" else [None, 0.0, -1.5, math.inf, 1e61]))
    weights = None if w is None else (weight, w)
    return TypedCase((kind, y), (score, p), weights, faults, draw(positives(pair)))


# --- outcomes


@dataclass(frozen=True)
class Outcome:
    """What a path made of a case: a number with its bound, or a refusal in plain words."""

    auc: float | None = None
    bound: float = 0.0
    cases: tuple[Any, ...] = ()
    refusal: str = ""

    @property
    def accepted(self) -> bool:
        return not self.refusal

    def agrees(self, other: Outcome) -> bool:
        if self.refusal or other.refusal:
            return self.refusal == other.refusal
        if self.cases != other.cases or self.auc is None or other.auc is None:
            return False
        if math.isnan(self.auc) or math.isnan(other.auc):
            return math.isnan(self.auc) and math.isnan(other.auc)
        return abs(self.auc - other.auc) <= self.bound + other.bound + NEAR


def outcome(answer: Callable[[], Any]) -> Outcome:
    """The outcome of a call; an exception that is no refusal is one too, and agrees with nothing."""
    try:
        found = answer()
    except RocscopeError as error:
        return Outcome(refusal=plain_words(str(error)))
    except Exception as error:  # a traceback is a defect wherever it comes from
        return Outcome(refusal=f"TRACEBACK {type(error).__name__}: {error}")
    table, left_out = found.table, {key: n for key, n in found.left_out.items() if n}
    # counts of rows: sums of weights differ in the last bits with the order of addition
    return Outcome(float(found.auc), float(table.bound), (*table.rows, tuple(sorted(left_out.items()))))


SOURCE = re.compile(
    r"^(?:[^\s:]*(?:case\.[a-z.]+|stdin|standard input)|an? [A-Za-z]+ (?:frame|stream)|columns)(?:, |: | )"
)
PLACE = re.compile(r" \((?:first )?(?:on|at|in) [^)]*\)")


def plain_words(text: str) -> str:
    """A refusal without what may differ: the name of the source, the place of a row, the bounds of a message."""
    said = PLACE.sub("", SOURCE.sub("", text))
    said = re.sub(r"^(?:line|row) \d+(?:, |: )", "", said)
    said = re.sub(r"\b(?:label|y|actual) (must have two)", r"\1", said)
    said = re.sub(r"(must have two classes, but it has [^:]*): .*", r"\1", said, flags=re.DOTALL)
    said = re.sub(
        r"^(p) must contain numbers, but it contains .*", r"column '\1' is not of numbers", said, flags=re.DOTALL
    )
    said = re.sub(r"^column '(p)' is of type .*", r"column '\1' is not of numbers", said)
    said = re.sub(r"^column 'y' is of type .*", "labels of no such type", said)
    said = re.sub(
        r"^y contains values of type [^;]+; expected numbers, text or booleans.*", "labels of no such type", said
    )
    said = re.sub(r"^positive label .* is not in y, which .*", "no such positive label", said, flags=re.DOTALL)
    said = re.sub(r"(w must be 0 or more, but it is negative) \([^)]*\)", r"\1", said)
    return said.split(". ")[0]


# --- paths


@contextmanager
def large() -> Iterator[None]:
    """Every file is read as large ones are."""
    with mock.patch.object(files, "SMALL", 0):
        yield


@contextmanager
def without_arrow() -> Iterator[None]:
    """As if pyarrow were not installed."""
    with ExitStack() as stack:
        collect = importlib.import_module("rocscope.sources.engines.collect")  # the package has a function of that name
        for module in (column_batches, compression, collect):
            stack.enter_context(mock.patch.object(module, "has_arrow", lambda: False))
        yield


BEYOND: dict[str, Any] = {"budget": 0}
COARSELY: dict[str, Any] = {"budget": 0, "tolerance": COARSE}
EXACTLY: dict[str, Any] = {"budget": 0, "exact": True}


def text_paths(case: TextCase, folder: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Every way to read a case of text; formats without lines where no line has a fault."""
    text, options = case.csv().encode(), case.options
    path, packed = folder / "case.csv", folder / "case.csv.gz"
    path.write_bytes(text)
    packed.write_bytes(gzip.compress(text, 1))

    def evaluated(given: Path, *contexts: Any, **more: Any) -> Callable[[], Any]:
        def answer() -> Any:
            with ExitStack() as stack:
                for one in contexts:
                    stack.enter_context(one())
                return rs.evaluate(given, **options, **more)

        return answer

    def piped() -> Any:
        with mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(text))):
            return rs.evaluate("-", **options)

    yield "small", evaluated(path)
    yield "large", evaluated(path, large)
    yield "large, cells", evaluated(path, large, **BEYOND)
    yield "large, coarse cells", evaluated(path, large, **COARSELY)
    yield "large, exact", evaluated(path, large, **EXACTLY)
    yield "gz", evaluated(packed)
    yield "gz, large, cells", evaluated(packed, large, **BEYOND)
    yield "stdin", piped
    yield "without pyarrow", evaluated(path, large, without_arrow)
    yield "without pyarrow, cells", evaluated(path, large, without_arrow, **BEYOND)
    yield "dropped", evaluated(path, missing="drop")
    yield "dropped, cells", evaluated(path, large, missing="drop", **BEYOND)
    if not case.lines:
        lines = folder / "case.jsonl"
        lines.write_text(case.json_lines(), "utf-8")
        yield "JSON lines", evaluated(lines)
        yield "JSON lines, large", evaluated(lines, large)
        yield "JSON lines, cells", evaluated(lines, large, **BEYOND)
        blank = any(not any(row) for row in case.rows)  # which is a blank line of a sheet
        if not blank and all(map(_fits_excel, (cell for row in case.rows for cell in row))):
            yield "Excel", evaluated(_workbook(case, folder / "case.xlsx"))


def _fits_excel(cell: str) -> bool:
    """Whether a sheet holds the text as it is: control characters are none, and = begins a formula."""
    return cell == "" or (cell.isprintable() and not cell.startswith(("=", "'")) and cell.strip() == cell)


def _in_a_sheet(cell: Any) -> bool:
    """Whether a sheet holds the number: openpyxl writes 16 digits, which are infinite for the largest floats."""
    return not isinstance(cell, float) or math.isinf(cell) or math.isfinite(float(f"{cell:.16g}"))


def _workbook(case: TextCase, path: Path) -> Path:
    return _saved([case.columns, *([cell if cell else None for cell in row] for row in case.rows)], path)


def _sheet(table: pa.Table, path: Path) -> Path:
    return _saved([table.column_names, *(list(row.values()) for row in table.to_pylist())], path)


def _saved(rows: list[list[Any]], path: Path) -> Path:
    import openpyxl

    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    for row in rows:
        sheet.append(row)
    book.save(path)
    return path


def _is_json(case: TypedCase) -> bool:
    """Whether JSON and a sheet hold the values: neither has NaN, infinities, times or decimals, and text is text."""
    cells = [*case.y[1], *case.p[1], *(case.w[1] if case.w else [])]
    finite = all(math.isfinite(cell) for cell in cells if isinstance(cell, float))
    return finite and case.p[0] not in REFUSED and case.y[0] not in REFUSED


def typed_paths(case: TypedCase, folder: Path, engines: tuple[str, ...]) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Every way to read typed columns."""
    import polars as pl

    table, options = case.table(), case.options
    parquet, ipc = folder / "case.parquet", folder / "case.arrow"
    pq.write_table(table, parquet, row_group_size=5)
    with pa.OSFile(str(ipc), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)

    def evaluated(make: Callable[[], Any], *contexts: Any, **more: Any) -> Callable[[], Any]:
        def answer() -> Any:
            with ExitStack() as stack:
                for one in contexts:
                    stack.enter_context(one())
                return rs.evaluate(make(), **options, **more)

        return answer

    half = case.p[0] == "float16"  # neither Polars nor DuckDB has it
    yield "Arrow", evaluated(lambda: table)
    yield "Arrow, cells", evaluated(lambda: table, **BEYOND)
    yield "Arrow, coarse cells", evaluated(lambda: table, **COARSELY)
    yield "Arrow, exact", evaluated(lambda: table, **EXACTLY)
    yield "Parquet", evaluated(lambda: parquet)
    yield "Parquet, cells", evaluated(lambda: parquet, **BEYOND)
    yield "Parquet, exact", evaluated(lambda: parquet, **EXACTLY)
    yield "Arrow file", evaluated(lambda: ipc)
    yield "pandas", evaluated(table.to_pandas)
    if _is_json(case):
        lines = folder / "case.jsonl"
        lines.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()), "utf-8")
        yield "JSON lines", evaluated(lambda: lines)
        yield "JSON lines, cells", evaluated(lambda: lines, large, **BEYOND)
        blank = any(set(row.values()) <= {None, ""} for row in table.to_pylist())  # which is a blank line of a sheet
        if not blank and all(map(_in_a_sheet, (cell for row in table.to_pylist() for cell in row.values()))):
            yield "Excel", evaluated(lambda: _sheet(table, folder / "case.xlsx"))
    if not half:
        yield "Parquet without pyarrow", evaluated(lambda: parquet, without_arrow)
        yield "Parquet without pyarrow, cells", evaluated(lambda: parquet, without_arrow, **BEYOND)
        yield "Polars", evaluated(lambda: pl.from_arrow(table))
        yield "Polars, lazy", evaluated(lambda: pl.from_arrow(table).lazy())  # type: ignore[union-attr]
        yield "Polars, lazy, cells", evaluated(lambda: pl.from_arrow(table).lazy(), **BEYOND)  # type: ignore[union-attr]
        yield "Polars, lazy, coarse", evaluated(lambda: pl.from_arrow(table).lazy(), **COARSELY)  # type: ignore[union-attr]
        yield "Polars, lazy, exact", evaluated(lambda: pl.from_arrow(table).lazy(), **EXACTLY)  # type: ignore[union-attr]
        yield "DuckDB", evaluated(lambda: _relation(table))
        yield "DuckDB, cells", evaluated(lambda: _relation(table), **BEYOND)
        for engine in engines:
            if engine == "Spark" and case.p[0] == "uint64":  # it has none
                continue
            yield engine, evaluated(lambda engine=engine: ENGINES[engine](table))
            yield f"{engine}, cells", evaluated(lambda engine=engine: ENGINES[engine](table), **BEYOND)


def _relation(table: pa.Table) -> Any:
    import duckdb

    connection = duckdb.connect()
    connection.register("given", table)
    connection.execute("create table predictions as select * from given")
    return connection.table("predictions")


def _dask(table: pa.Table) -> Any:
    import dask
    import dask.dataframe as dd

    dask.config.set(scheduler="synchronous")
    return dd.from_pandas(table.to_pandas(types_mapper=_nullable), npartitions=2)


def _nullable(kind: pa.DataType) -> Any:
    """The type of pandas that holds what is missing; of decimals, dask would make text."""
    import pandas as pd

    return pd.Int64Dtype() if kind == pa.int64() else pd.ArrowDtype(kind) if pa.types.is_decimal(kind) else None


def _spark(table: pa.Table) -> Any:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    local = {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
    for name, value in {**local, "spark.sql.shuffle.partitions": "2"}.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()  # the one that runs, if any
    plain = [field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
             for field in table.schema]  # fmt: skip
    return session.createDataFrame(table.cast(pa.schema(plain)))


ENGINES: dict[str, Callable[[pa.Table], Any]] = {"dask": _dask, "Spark": _spark}
EVERY = {"dask": 10, "Spark": 50}
"""One case in so many goes through an engine: each takes longer than all other paths together."""


# --- a run


def exact_auc(case: TypedCase) -> Fraction | None:
    """The area in rational arithmetic, of valid unweighted cases; no floating point anywhere."""
    rows = list(zip(case.y[1], case.p[1], strict=True))
    usable = [one is not None and one == one for row in rows for one in row]
    plain = case.w is None and case.positive is None and all(usable)
    if not plain or any(isinstance(p, float) and math.isinf(p) for _, p in rows):
        return None
    pair = sorted(set(case.y[1]), key=str)
    positive = {1, "1", "True", "true"}  # 1 is True and 1.0, too
    up = [Fraction(p) for y, p in rows if y in positive]
    down = [Fraction(p) for y, p in rows if y not in positive]
    if len(pair) != 2 or not up or not down:
        return None
    wins = sum(2 * (a > b) + (a == b) for a in up for b in down)
    return Fraction(wins, 2 * len(up) * len(down))


def differences(case: Case, engines: tuple[str, ...] = ()) -> tuple[list[str], dict[str, Outcome]]:
    """Where paths differ from the first one, each in a line, and what every path made of the case."""
    found: dict[str, Outcome] = {}
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of engines; ours are errors in other tests
        folder = Path(name)
        paths = text_paths(case, folder) if isinstance(case, TextCase) else typed_paths(case, folder, engines)
        for path, answer in paths:
            found[path] = outcome(answer)
    first, reference = next(iter(found.items()))
    wrong = [f"{path}: {one}" for path, one in found.items() if one.refusal.startswith("TRACEBACK")]
    for path, one in found.items():
        base = found.get("dropped", reference) if path.startswith("dropped") else reference
        if not one.agrees(base):
            wrong.append(f"{path}: {one} where {first} gives {base}")
    if isinstance(case, TypedCase) and reference.accepted and (truth := exact_auc(case)) is not None:
        for path, one in found.items():
            if one.auc is not None and abs(Fraction(one.auc) - truth) > Fraction(one.bound) + Fraction(NEAR):
                wrong.append(f"{path}: {one} where exact arithmetic gives {float(truth)}")
    return wrong, found


# --- the corpus


def written(case: Case) -> dict[str, Any]:
    """A case as JSON keeps it."""
    kind = "text" if isinstance(case, TextCase) else "typed"
    return {"kind": kind, **{name: getattr(case, name) for name in case.__dataclass_fields__}}


def read(held: dict[str, Any]) -> Case:
    """A case from JSON."""
    kind, fields = held["kind"], {name: value for name, value in held.items() if name not in ("kind", "says")}
    if kind == "text":
        lines = [(row, what) for row, what in fields["lines"]]
        return TextCase(fields["rows"], lines, fields["ending"], fields.get("faults", 0), fields.get("positive"))
    y, p, w = (None if fields.get(name) is None else (fields[name][0], fields[name][1]) for name in "ypw")
    return TypedCase(y, p, w, fields.get("faults", 0), fields.get("positive"))  # type: ignore[arg-type]


def corpus() -> dict[str, Case]:
    """The cases that were found by earlier runs."""
    return {path.stem: read(json.loads(path.read_text("utf-8"))) for path in sorted(CORPUS.glob("*.json"))}


def _shape(wrong: str) -> str:
    """What is alike in differences of one cause: the path and the words, without the numbers."""
    return re.sub(r"[0-9.e+-]+", "", wrong)[:160]


def main() -> int:
    """Fuzz for some minutes; keep what is found."""
    from hypothesis import HealthCheck, Phase, given, seed, settings

    options = argparse.ArgumentParser()
    options.add_argument("--minutes", type=float, default=60, help="of processor time")
    options.add_argument("--seed", type=int, help="begin anew at this round; without it a run goes on")
    options.add_argument("--engines", default="dask", help="dask, Spark")
    options.add_argument("--keep", type=Path, default=CORPUS)
    asked = options.parse_args()
    engines = tuple(filter(None, asked.engines.split(",")))
    progress = Progress.of("fuzz", asked.seed)
    counts = progress.counts
    kept: dict[str, Any] = {}
    seen: set[str] = set()
    last: list[tuple[Case, list[str]]] = []
    begun = time.process_time()  # the machine may be busy with other things
    until, before = begun + 60 * asked.minutes, counts["seconds"]
    round_number = progress.next
    while time.process_time() < until:
        for strategy in (text_cases(), typed_cases()):
            last.clear()

            @seed(round_number)
            @settings(max_examples=150, deadline=None, database=None, report_multiple_bugs=False,
                      suppress_health_check=list(HealthCheck), phases=[Phase.generate, Phase.shrink])  # fmt: skip
            @given(strategy)
            def look(case: Case) -> None:
                if time.process_time() > until and not last:
                    return  # the rest of the round is left out
                turn = counts["accepted"] + counts["refused"]
                tried = tuple(one for one in engines if turn % EVERY[one] == 0 or last)
                wrong, found = differences(case, tried)
                counts["accepted" if next(iter(found.values())).accepted else "refused"] += 1
                counts["answers"] += len(found)
                fresh = [one for one in wrong if _shape(one) not in seen]
                if fresh:
                    last[:] = [(case, fresh)]
                    raise AssertionError(fresh[0])

            try:
                look()
            except AssertionError:
                case, wrong = last[0]
                seen.update(map(_shape, wrong))
                name = re.sub(r"[^a-z]+", "-", wrong[0].split(":")[0].lower()) + f"-{round_number}"
                counts["differences"] += 1
                kept[name] = {**written(case), "says": wrong[0][:300]}
                asked.keep.mkdir(exist_ok=True)
                (asked.keep / f"{name}.json").write_text(json.dumps(kept[name], indent=1) + "\n", "utf-8")
                print(f"{name}: {wrong[0][:400]}\n  {json.dumps(written(case))[:600]}", flush=True)
        round_number += 1
        counts["seconds"] = before + round(time.process_time() - begun)
        progress.keep(round_number)
    print(f"{counts['seconds'] / 60:.0f} processor minutes in all: {counts['accepted']:,} cases accepted, "
          f"{counts['refused']:,} refused, {counts['answers']:,} answers compared, "
          f"{counts['differences']} differences kept, {len(kept)} of them now")  # fmt: skip
    return 1 if kept else 0


if __name__ == "__main__":
    sys.exit(main())
