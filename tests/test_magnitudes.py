"""Scores of every type and magnitude against exact rational arithmetic: a bound that holds, or one refusal."""

from __future__ import annotations

import base64
import gzip
import subprocess
import sys
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rocscope as rs
from rocscope import RocscopeError, sources
from rocscope.sklearn import roc_auc_score
from rocscope.sources import column_batches

ROWS = 400
GENERATOR = np.random.default_rng(7)
Y = GENERATOR.integers(0, 2, ROWS)
BASE = np.round(GENERATOR.random(ROWS) * 0.8 + 0.2 * Y * GENERATOR.random(ROWS), 3)

SCORES: dict[str, pa.Array] = {
    "float64": pa.array(BASE),
    "float32": pa.array(BASE.astype(np.float32)),
    "float16": pa.array(BASE.astype(np.float16)),
    "int8": pa.array((BASE * 100).astype(np.int8)),
    "int64": pa.array((BASE * 2**52).astype(np.int64)),
    "negative int64": pa.array(-(BASE * 2**52).astype(np.int64)),
    "uint64": pa.array((BASE * 2**52).astype(np.uint64)),
    "subnormal": pa.array(BASE * 1e-320),
    "1e-300": pa.array(BASE * 1e-300),
    "1e300 beside fractions": pa.array(np.where(BASE > 0.5, BASE * 1e300, BASE)),
    "both signs": pa.array((BASE - 0.5) * 1e-5),
    "seconds": pa.array(1_700_000_000 + BASE * 1e6),
}
EXTREME = ("subnormal", "1e-300", "1e300 beside fractions")
"""Here cells cannot be made narrow enough: the bound is wide, and holds."""
HELD = ("arrow", "parquet", "lazy")
NOT_READ = {("float16", "lazy")}  # which Polars does not have
LARGE: dict[str, pa.Array] = {
    "int64": pa.array(1_700_000_000_000_000_000 + (BASE * 1000).astype(np.int64)),
    "negative int64": pa.array(-1_700_000_000_000_000_000 + (BASE * 1000).astype(np.int64)),
    "uint64": pa.array(np.uint64(2**64 - 2000) + (BASE * 1000).astype(np.uint64)),
    "float64": pa.array(1.7e18 + BASE * 1e9),
}


def exact_auc(scores: pa.Array) -> Fraction:
    """The share of pairs in the right order, ties half: no floating point anywhere."""
    values = [Fraction(value) for value in scores.to_pylist()]
    up = [value for value, label in zip(values, Y, strict=True) if label]
    down = [value for value, label in zip(values, Y, strict=True) if not label]
    wins = sum(2 * (a > b) + (a == b) for a in up for b in down)
    return Fraction(int(wins), 2 * len(up) * len(down))


def tables(held: Any, **how: Any) -> sources.Reduced:
    return sources.tables(sources.open(held), label="y", scores=["s"], **how)


def polars(table: pa.Table) -> Any:
    return pytest.importorskip("polars").from_arrow(table)


def lazy(table: pa.Table) -> Any:
    return polars(table).lazy()


@pytest.mark.parametrize("how", [{}, {"budget": 0}, {"budget": 0, "exact": True}], ids=["exact", "cells", "ranges"])
@pytest.mark.parametrize(("kind", "held"), [pair for pair in product(SCORES, HELD) if pair not in NOT_READ])
def test_the_bound_holds(kind: str, held: str, how: dict[str, Any], tmp_path: Path) -> None:
    table = pa.table({"y": Y, "s": SCORES[kind]})
    source: Any = table
    if held == "parquet":
        source = str(tmp_path / "s.parquet")
        pq.write_table(table, source)
    elif held == "lazy":
        source = lazy(table)
    found = tables(source, **how)
    off = abs(Fraction(rs.curves.auc(found.tables["s",])) - exact_auc(SCORES[kind]))
    assert off <= Fraction(found.bound) + Fraction(1, 10**12)
    if kind not in EXTREME:
        assert found.bound <= 1e-6


@pytest.mark.parametrize("kind", LARGE)
def test_whole_numbers_beyond_floats_are_refused_alike(kind: str, tmp_path: Path) -> None:
    table, path = pa.table({"y": Y, "s": LARGE[kind]}), tmp_path / "s.parquet"
    pq.write_table(table, path)
    text, packed, lines = tmp_path / "s.csv", tmp_path / "p.csv.gz", tmp_path / "s.jsonl"
    rows = [(label, int(score)) for label, score in zip(Y, LARGE[kind].to_pylist(), strict=True)]
    text.write_text("y,s\n" + "".join(f"{label},{score}\n" for label, score in rows))
    packed.write_bytes(gzip.compress(text.read_bytes()))
    lines.write_text("".join(f'{{"y": {label}, "s": {score}}}\n' for label, score in rows))
    files = (str(path), str(text), str(packed), str(lines))
    for held in (table, table.to_pandas(), polars(table), lazy(table), duckdb.from_arrow(table), *files):
        for how in ({}, {"budget": 0}):
            with pytest.raises(RocscopeError, match="s contains integers of 2\\^53 or more"):
                rs.evaluate(held, label="y", score="s", **how)  # type: ignore[call-overload]
    with pytest.raises(RocscopeError, match="integers of 2\\^53 or more"):
        rs.evaluate(Y, LARGE[kind].to_numpy())
    command = [sys.executable, "-m", "rocscope", "evaluate", str(path), "--label", "y", "--score", "s"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Subtract a constant or divide first" in done.stderr


@pytest.mark.parametrize("kind", ["int64", "negative int64", "uint64"])
def test_arrays_of_whole_numbers_beyond_floats_are_compared_as_whole_numbers(kind: str) -> None:
    scores, exact = LARGE[kind].to_numpy(), float(exact_auc(LARGE[kind]))
    rounded = rs.ScoreTable.from_scores(Y, scores.astype(np.float64)).auc
    assert abs(rounded - exact) > 1e-4  # floats would not do
    assert rs.ScoreTable.from_scores(Y, scores).auc == pytest.approx(exact, abs=1e-15)
    assert rs.ScoreTable.from_scores(Y, scores.tolist()).auc == pytest.approx(exact, abs=1e-15)
    other = np.arange(ROWS)
    gap = exact - rs.ScoreTable.from_scores(Y, other).auc
    assert float(rs.significance.delong(Y, scores, other)) == pytest.approx(gap, abs=1e-15)
    for held in (scores, scores.tolist(), scores.astype(object)):
        assert roc_auc_score(Y, held) == pytest.approx(exact, abs=1e-15)


def test_dates_are_compared_as_scikit_learn_compares_them() -> None:
    exact = float(exact_auc(LARGE["int64"]))
    assert roc_auc_score(Y, LARGE["int64"].to_numpy().view("datetime64[ns]")) == pytest.approx(exact, abs=1e-15)
    with pytest.raises(ValueError, match="NaN"):
        roc_auc_score([0, 1], np.array(["2020-01-01", "NaT"], "datetime64[ns]"))
    with pytest.raises(RocscopeError, match="score contains dates"):
        rs.evaluate(Y, LARGE["int64"].to_numpy().view("datetime64[ns]"))


NO_NUMBERS = [pa.timestamp("ns"), pa.timestamp("us", "UTC"), pa.date32(), pa.duration("us"), pa.duration("ns"),
              pa.decimal128(22, 3), pa.decimal128(38, 0)]  # fmt: skip


@pytest.mark.parametrize("how", [{}, {"budget": 0}, {"budget": 0, "exact": True}], ids=["exact", "cells", "ranges"])
@pytest.mark.parametrize("kind", NO_NUMBERS, ids=str)
@pytest.mark.parametrize("role", ["score", "weights"])
def test_times_durations_and_decimals_are_refused_by_their_type_everywhere(
    kind: pa.DataType, role: str, how: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Never as the whole numbers that they are stored as, and never as floats, which would merge some of them."""
    whole = pa.array((BASE * 1000).astype(np.int64)).cast(pa.int32())
    odd = whole.cast(kind) if pa.types.is_date32(kind) else whole.cast(pa.int64()).cast(kind)
    table, path = pa.table({"y": Y, "s": BASE, "odd": odd}), tmp_path / "s.parquet"
    pq.write_table(table, path)
    dask = pytest.importorskip("dask.dataframe").from_pandas(table.to_pandas(), npartitions=2)
    columns = {"score": "s"} | {role: "odd"}
    polars(table).write_parquet(tmp_path / "polars.parquet")
    held = (table, table.to_pandas(), polars(table), lazy(table), duckdb.from_arrow(table), dask, str(path),
            str(tmp_path / "polars.parquet"))  # fmt: skip
    for one in held:
        with pytest.raises(RocscopeError, match=r"must contain numbers|is of type|contains dates"):
            rs.evaluate(one, label="y", **columns, **how)  # type: ignore[call-overload]
    monkeypatch.setattr(column_batches, "has_arrow", lambda: False)
    with pytest.raises(RocscopeError, match="'odd' is of type"):
        rs.evaluate(str(path), label="y", **columns, **how)  # type: ignore[call-overload]


NO_CLASSES = [pa.timestamp("us"), pa.duration("us"), pa.decimal128(22, 3), pa.decimal128(38, 0), pa.time64("us")]


@pytest.mark.parametrize("how", [{}, {"budget": 0}], ids=["memory", "beyond"])
@pytest.mark.parametrize("kind", NO_CLASSES, ids=str)
def test_labels_of_such_types_are_refused_everywhere(kind: pa.DataType, how: dict[str, Any], tmp_path: Path) -> None:
    table, path = pa.table({"y": pa.array(Y, pa.int64()).cast(kind), "s": BASE}), tmp_path / "s.parquet"
    pq.write_table(table, path)
    given = [table, table.to_pandas(), polars(table), lazy(table), duckdb.from_arrow(table), str(path)]
    if not pa.types.is_decimal(kind) and not pa.types.is_time(kind):  # of which dask makes text
        given.append(pytest.importorskip("dask.dataframe").from_pandas(table.to_pandas(), npartitions=2))
    for one in given:
        with pytest.raises(RocscopeError, match=r"'y' is of type|^y contains values of type"):
            rs.evaluate(one, label="y", score="s", **how)
    with pytest.raises(RocscopeError, match="label contains values of type"):
        rs.evaluate(table["y"].to_pylist(), BASE)


NESTED = {
    "list": pa.array([[int(label)] for label in Y]),
    "fixed": pa.array([[int(label)] for label in Y], pa.list_(pa.int64(), 1)),
    "struct": pa.array([{"a": int(label)} for label in Y]),
    "map": pa.array([[("a", int(label))] for label in Y], pa.map_(pa.string(), pa.int64())),
}  # fmt: skip


@pytest.mark.parametrize("how", [{}, {"budget": 0}], ids=["memory", "beyond"])
@pytest.mark.parametrize("kind", NESTED)
@pytest.mark.parametrize("role", ["label", "score", "weights", "by"])
def test_columns_of_lists_are_refused_in_every_role(role: str, kind: str, how: dict[str, Any], tmp_path: Path) -> None:
    """A column of lists had no positives in Polars and ended with a traceback in Arrow and DuckDB."""
    table, path = pa.table({"y": Y, "s": BASE, "odd": NESTED[kind]}), tmp_path / "s.parquet"
    pq.write_table(table, path)
    columns = {"label": "y", "score": "s"} | {role: "odd"}
    said = r"must contain numbers|contains (a list|an object)|is of type|cannot cast `map"
    for one in (table, table.to_pandas(), polars(table), lazy(table), duckdb.from_arrow(table), str(path)):
        with pytest.raises(RocscopeError, match=said):
            rs.evaluate(one, **columns, **how)  # type: ignore[call-overload]


@pytest.mark.parametrize("how", [{}, {"budget": 0}], ids=["memory", "beyond"])
@pytest.mark.parametrize(
    ("labels", "positives"),
    [((0.0, 1.0), (1, 1.0, "1", "1.0", True)), ((2, 3), (3, 3.0, "3", "3.0")), (("2.0", "3.0"), (3, "3", "3.0")),
     ((False, True), (1, True, "True", "true")), (("false", "true"), (True, "True", "TRUE"))],
    ids=str,
)  # fmt: skip
def test_the_positive_label_is_known_in_every_spelling(
    labels: tuple[Any, Any], positives: tuple[Any, ...], how: dict[str, Any], tmp_path: Path
) -> None:
    """A class of floats is called 1 on the command line, whether the rows of its file fit in memory or not."""
    table, path = pa.table({"y": [labels[label] for label in Y], "s": BASE}), tmp_path / "s.parquet"
    pq.write_table(table, path)
    expected = rs.evaluate(Y, BASE).auc.value
    for positive in positives:
        for given in (table, table.to_pandas(), polars(table), lazy(table), str(path)):
            made = rs.evaluate(given, label="y", score="s", positive=positive, **how)
            assert abs(made.auc.value - expected) <= made.table.bound + 1e-12, (positive, type(given))
            assert str(made.table.labels[1]) in (str(labels[1]), str(labels[1]).removesuffix(".0"))


@pytest.mark.parametrize("how", [{}, {"budget": 0}], ids=["memory", "beyond"])
def test_half_precision_is_read_in_every_role(how: dict[str, Any]) -> None:
    """Neither labels nor slices of 16 bits can be grouped by pandas, on which dask relies."""
    half = pa.table({"y": Y, "s": BASE, "b": np.arange(ROWS) % 3}).to_pandas()
    half = half.astype({"y": "float16", "b": "float16"})
    dask = pytest.importorskip("dask.dataframe").from_pandas(half, npartitions=2)
    expected, made = (rs.evaluate(one, label="y", score="s", by="b", **how) for one in (half, dask))
    assert abs(made.auc.value - expected.auc.value) <= made.table.bound + 1e-12
    (cut,), (own,) = expected.slicings, made.slicings
    assert sorted(map(str, own.tables)) == sorted(map(str, cut.tables)) and len(own.tables) == 3


@pytest.mark.parametrize("how", [{}, {"budget": 0}], ids=["memory", "beyond"])
def test_a_positive_label_that_fits_two_labels_is_refused(how: dict[str, Any]) -> None:
    table = pa.table({"y": [("1", "1.0")[label] for label in Y], "s": BASE})
    for given in (table, table.to_pandas(), lazy(table)):
        with pytest.raises(RocscopeError, match=r"matches several labels of y: '1' and '1\.0'"):
            rs.evaluate(given, label="y", score="s", positive="1", **how)


def test_a_footer_that_describes_other_columns_is_no_reason_to_refuse(tmp_path: Path) -> None:
    """What a writer notes about Arrow's types may be cut off or nonsense; the file is read by its own types."""
    table = pa.table({"y": Y, "s": (BASE * 1000).astype(np.int64)})
    expected = rs.evaluate(table, label="y", score="s").auc
    stored = table.schema.serialize().to_pybytes()
    for number, note in enumerate([b"", b"no schema", b"\xff" * 40, stored[:20], stored[:-30], bytes(64), stored]):
        path, given = tmp_path / f"{number}.parquet", {b"ARROW:schema": base64.b64encode(note)}
        with pq.ParquetWriter(path, table.schema.with_metadata(given), store_schema=False) as writer:
            writer.write_table(table.replace_schema_metadata(given))
        assert rs.evaluate(str(path), label="y", score="s").auc == expected


@pytest.mark.parametrize("kind", ["int64", "uint64"])
def test_slices_and_labels_beyond_floats_stay_apart(kind: str) -> None:
    large = [int(number) for number in LARGE[kind].to_pylist()]
    codes = pa.array([min(large) + row % 3 for row in range(ROWS)], LARGE[kind].type)
    labels = pa.array([min(large) + int(label) for label in Y], LARGE[kind].type)
    table = pa.table({"y": labels, "s": BASE, "by": codes})
    plain = rs.ScoreTable.from_scores(Y, BASE).auc
    for held in (table, table.to_pandas(), lazy(table)):
        for how in ({}, {"budget": 0}):
            found = tables(held, by=["by"], positive=min(large) + 1, **how).tables
            assert len({key[0] for key in found if len(key) > 1}) == 3
            whole = rs.evaluate(held, label="y", score="s", positive=min(large) + 1, **how)  # type: ignore[call-overload]
            assert abs(float(whole.auc) - plain) <= whole.table.bound + 1e-12


@pytest.mark.parametrize("labels", [("False", "True"), ("false", "true"), ("0", "1"), ("-1", "1")])
def test_labels_of_text_mean_the_same_in_an_engine(labels: tuple[str, str]) -> None:
    table = pa.table({"y": [labels[label] for label in Y], "s": SCORES["float64"]})
    for held in (table, lazy(table)):
        for how in ({}, {"budget": 0}):
            found = tables(held, **how)
            assert found.tables["s",].labels == labels
            assert abs(rs.curves.auc(found.tables["s",]) - float(exact_auc(SCORES["float64"]))) <= found.bound + 1e-12


def test_a_column_of_too_many_slices_is_refused_before_room_is_made_for_them() -> None:
    many = np.arange(40_000)
    table = pa.table({"y": many % 2, "s": many % 97, "id": many // 2})
    for held in (table, lazy(table)):
        for how in ({}, {"budget": 0}):
            with pytest.raises(RocscopeError, match="id has more than 10,000 distinct values"):
                rs.evaluate(held, label="y", score="s", by="id", **how)  # type: ignore[call-overload]
