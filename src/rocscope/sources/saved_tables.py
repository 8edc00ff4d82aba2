"""Tables in files: a documented Parquet layout, written and read with DuckDB and validated on reading.

The suggested extension is .scoretable.parquet; .rst ("rocscope table") is also supported. The file has one row for each
distinct score of a score table, from the most positive down, or for each cell of a confusion matrix; everything that is
not a column is stored as JSON under the key `rocscope` of its metadata. docs/rst.md describes the layout, so that any
Parquet reader can read a table, and any Parquet writer can create one.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from rocscope import tally
from rocscope.errors import RocscopeError
from rocscope.numbers import plain
from rocscope.record import record
from rocscope.sources import database
from rocscope.sources.database import quoted  # used instead of bound parameters, which import pandas (half a second)
from rocscope.sources.formats import refuse_remote
from rocscope.table import Confusion, Known, ScoreTable

if TYPE_CHECKING:
    import duckdb

    from rocscope.multiclass import ClassSums, LabelSums

Sums: TypeAlias = "ScoreTable | Confusion | ClassSums | LabelSums"
Kind = TypeVar("Kind", ScoreTable, Confusion, "ClassSums", "LabelSums")
KINDS = {
    "ScoreTable": "a score table", "Confusion": "a confusion matrix", "ClassSums": "sums of several classes",
    "LabelSums": "sums of several labels",
}  # fmt: skip
SCHEMA = "rocscope-table/1"
TABLE_ENDINGS = (".scoretable.parquet", ".rst")  # the recommended suffix first
MAGIC = b"PAR1"
_MARK = re.compile(rb'"schema"\s{0,9}:\s{0,9}"rocscope-table/')  # part of the metadata stored under the key "rocscope"
LARGEST = 10**38  # a DECIMAL(38, 0) holds integers below this
MOST_CLASSES = 10_000

# field of a ScoreTable -> column of the file
COLUMNS = {
    "scores": "score",
    "pos": "positive",
    "neg": "negative",
    "pos_squares": "positive_squares",
    "neg_squares": "negative_squares",
    "mixed": "mixed",
    "ends": "end",
}
NEEDED = ("score", "positive", "negative")
CELLS = ("actual", "predicted", "weight", "squares")
WHOLE = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"}


@record(slots=True)
class SavedTable:
    """A table read from or written to a file, with the names of the score and of a case and the rows left out."""

    table: Sums
    name: str = ""
    unit: str = "case"
    left_out: Mapping[str, int] = field(default_factory=dict)


def load_scores(path: str | os.PathLike[str]) -> ScoreTable:
    """Read the score table in a file."""
    return _loaded(path, ScoreTable)


def load_confusion(path: str | os.PathLike[str]) -> Confusion:
    """Read the confusion matrix in a file."""
    return _loaded(path, Confusion)


def load_classes(path: str | os.PathLike[str]) -> ClassSums:
    """Read the sums of several classes from a file."""
    from rocscope.multiclass import ClassSums

    return _loaded(path, ClassSums)


def load_labels(path: str | os.PathLike[str]) -> LabelSums:
    """Read the sums of several labels from a file."""
    from rocscope.multiclass import LabelSums

    return _loaded(path, LabelSums)


def _loaded(path: str | os.PathLike[str], kind: type[Kind]) -> Kind:
    table = read_table(path).table
    if not isinstance(table, kind):
        raise RocscopeError(
            f"{path} holds {KINDS[type(table).__name__]}", hint=f"Load it with {type(table).__name__}.load"
        )
    return table


# ---- writing ----


def write_table(held: SavedTable, path: str | os.PathLike[str]) -> None:
    """Write a table to a path, replacing any existing file; `rocscope.report.save_table` checks the path first."""
    table = held.table
    facts, columns = _written(table)
    facts |= {"name": held.name, "unit": held.unit, "left_out": {k: int(v) for k, v in held.left_out.items()}}
    try:
        text = json.dumps({"schema": SCHEMA, **facts}, allow_nan=False)
    except TypeError:
        raise RocscopeError(
            f"labels {table.labels} cannot be saved; use text, numbers, true or false",
            hint="Rename them: table.named(('no', 'yes'))",
        ) from None
    import duckdb

    try:
        with database.connect() as engine:
            shown = {name: _plain(values) for name, values in columns.items()}
            engine.register("held", shown)
            chosen = ", ".join(_typed(name, columns[name]) for name in columns)
            described = f", KV_METADATA {{rocscope: {quoted(text)}}}"
            database.copy_to(engine, f"SELECT {chosen} FROM held", os.fspath(path), described)
    except duckdb.Error as error:
        raise RocscopeError(f"cannot write {path}: {_first_line(error)}") from None


def _written(table: Sums) -> tuple[dict[str, Any], dict[str, Any]]:
    if isinstance(table, ScoreTable | Confusion):
        return _of_scores(table) if isinstance(table, ScoreTable) else _of_matrix(table)
    from rocscope.multiclass import LabelSums
    from rocscope.sources.class_files import class_facts, label_facts

    return label_facts(table, _of_scores) if isinstance(table, LabelSums) else class_facts(table, _of_scores)


def _of_scores(table: ScoreTable) -> tuple[dict[str, Any], dict[str, Any]]:
    facts = {
        "kind": "scores",
        "labels": [plain(label) for label in table.labels],
        "higher_is_positive": table.higher_is_positive,
        "rows": list(table.rows),
        "score_type": str(table.scores.dtype),
        "known": None if table.known is None else _without_nan(asdict(table.known)),
    }
    columns = {name: getattr(table, f) for f, name in COLUMNS.items() if getattr(table, f) is not None}
    return facts, columns


def _of_matrix(matrix: Confusion) -> tuple[dict[str, Any], dict[str, Any]]:
    k = len(matrix)
    facts = {
        "kind": "confusion",
        "labels": [plain(label) for label in matrix.labels],
        "rows": matrix.rows,
    }
    positions = np.divmod(np.arange(k * k, dtype=np.int64), k)
    columns = {"actual": positions[0], "predicted": positions[1], "weight": matrix.matrix.ravel()}
    return facts, columns | ({} if matrix.squares is None else {"squares": matrix.squares.ravel()})


def _without_nan(known: dict[str, Any]) -> dict[str, Any]:
    """Replace an unknown pair by null, because JSON has no NaN."""

    def written(value: Any) -> Any:
        if isinstance(value, tuple):
            return None if any(map(math.isnan, value)) else list(value)
        return plain(value)

    return {name: written(value) for name, value in known.items()}


def _plain(values: Any) -> Any:
    """Convert an array to a type that DuckDB accepts: Python integers become text, half floats become floats."""
    if values.dtype == object:
        return np.array([str(value) for value in values.tolist()], dtype=object)
    return np.ascontiguousarray(values.astype(np.float32) if values.dtype == np.float16 else values)


def _typed(name: str, values: Any) -> str:
    named = database.name(name)
    if values.dtype != object:
        return named
    if max(values.tolist(), default=0) >= LARGEST:
        raise RocscopeError("a table with counts of 1e38 and more cannot be saved")
    return f"CAST({named} AS DECIMAL(38, 0)) AS {named}"


# ---- reading ----


def read_table(path: str | os.PathLike[str]) -> SavedTable:
    """Read and validate the table in a file: complete, written by rocscope, sorted, nonnegative and without NaN."""
    name = os.fspath(path)
    _whole_file(name)
    import duckdb

    try:
        with database.connect() as engine:
            source = f"read_parquet({quoted(_no_pattern(name))})"
            facts = _facts(engine, name)
            columns = _columns(engine, source, name)
    except duckdb.Error as error:
        raise _damaged(name, _first_line(error)) from None
    except (MemoryError, OverflowError):
        raise _damaged(name, "its sizes are invalid") from None
    if facts.get("kind") not in _READ:
        raise _damaged(name, f"it holds {facts.get('kind')!r}")
    try:
        table = _READ[facts["kind"]](facts, columns)
        left_out = {str(why): _count(int(count)) for why, count in (facts.get("left_out") or {}).items()}
    except RocscopeError as error:
        raise _damaged(name, error.message) from None
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise _damaged(
            name, f"its metadata does not follow the documentation ({type(error).__name__}: {error})"
        ) from None
    return SavedTable(table, str(facts.get("name") or ""), str(facts.get("unit") or "case"), left_out)


def holds_table(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a Parquet file that contains a rocscope table according to its metadata, whatever its name."""
    try:
        with open(path, "rb") as file:
            if file.read(4) != MAGIC:
                return False
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 8))
            tail = file.read(8)
            length = int.from_bytes(tail[:4], "little")
            if tail[4:] != MAGIC or length + 12 > size:
                return False
            file.seek(size - 8 - length)
            footer = file.read(length)
            mark = _MARK.search(footer)
            return mark is not None and footer.find(b"rocscope", 0, mark.start()) >= 0
    except OSError:
        return False


def _whole_file(name: str) -> None:
    """Raise an error for a file that cannot be complete Parquet before it is passed to DuckDB."""
    try:
        with open(name, "rb") as file:
            start = file.read(4)
            file.seek(0, os.SEEK_END)
            size = file.tell()
            file.seek(max(0, size - 8))
            tail = file.read(8)
    except FileNotFoundError:
        refuse_remote(name, cases=False)
        raise RocscopeError(f"there is no file {name}") from None
    except IsADirectoryError:
        raise RocscopeError(f"{name} is a directory", hint="Name a file in it") from None
    except OSError as error:
        raise RocscopeError(f"cannot read {name}: {error.strerror or error}") from None
    if start != MAGIC:
        hint = "Create a table with --save-table or table.save()"
        raise RocscopeError(f"{name} is not a rocscope table: it does not start like a Parquet file", hint=hint)
    if len(tail) < 8 or tail[4:] != MAGIC or int.from_bytes(tail[:4], "little") + 12 > size:
        raise RocscopeError(f"{name} is not a complete table: its end is missing", hint="Save or copy it again")


def _facts(engine: duckdb.DuckDBPyConnection, name: str) -> dict[str, Any]:
    values = engine.execute(
        f"SELECT decode(value) FROM parquet_kv_metadata({quoted(_no_pattern(name))}) WHERE decode(key) = 'rocscope'"
    ).fetchall()
    if len(values) != 1:
        hint = "To read predictions in Parquet, use a file name that ends in .parquet"
        raise RocscopeError(f"{name} is a Parquet file, but not a rocscope table", hint=hint)
    try:
        facts = json.loads(values[0][0])
    except (ValueError, RecursionError):
        raise _damaged(name, "its metadata is not JSON") from None
    schema = facts.get("schema") if isinstance(facts, dict) else None
    if schema != SCHEMA:
        newer = isinstance(schema, str) and schema.startswith("rocscope-table/")
        hint = "It was written by another version of rocscope" if newer else ""
        raise RocscopeError(f"{name} has the layout {schema!r}, but this version reads {SCHEMA}", hint=hint)
    return dict(facts)


def _columns(engine: duckdb.DuckDBPyConnection, source: str, name: str) -> dict[str, Any]:
    types = dict(row[:2] for row in engine.execute(f"DESCRIBE SELECT * FROM {source}").fetchall())
    from rocscope.sources.class_files import OWNERS

    known = {*COLUMNS.values(), *CELLS, *OWNERS}
    if foreign := [column for column in types if column not in known]:
        raise _damaged(name, f"it has a column '{foreign[0]}'")
    named = {column: database.name(column) for column in types}
    chosen = ", ".join(named[column] if _is_native(kind) else f"CAST({named[column]} AS VARCHAR) AS {named[column]}"
                       for column, kind in types.items())  # fmt: skip
    arrays: dict[str, Any] = engine.execute(f"SELECT {chosen} FROM {source}").fetchnumpy()
    for column, kind in types.items():
        if np.ma.isMaskedArray(arrays[column]) and np.ma.getmaskarray(arrays[column]).any():
            raise _damaged(name, f"'{column}' has missing values")
        arrays[column] = _array(np.asarray(arrays[column]), column, kind, name)
    return arrays


def _is_native(kind: str) -> bool:
    return kind in WHOLE or kind in ("DOUBLE", "FLOAT", "BOOLEAN", "UBIGINT")


def _array(values: Any, column: str, kind: str, name: str) -> Any:
    """A column in the type used in tables."""
    if column == "mixed":
        fits = kind == "BOOLEAN"
    elif column in ("score", "end"):
        fits = kind != "BOOLEAN" and _is_native(kind)
    else:
        fits = kind in WHOLE or kind in ("DOUBLE", "FLOAT", "UBIGINT") or kind.startswith(("DECIMAL", "HUGEINT"))
    if not fits:
        raise _damaged(name, f"'{column}' is of type {kind}")
    if column in ("score", "end", "mixed"):
        return values
    if kind in ("DOUBLE", "FLOAT"):
        return values.astype(np.float64)
    if kind in WHOLE:
        return values.astype(np.int64)
    whole = [int(value) for value in values.tolist()]
    return np.array(whole, dtype=np.int64 if sum(map(abs, whole)) < 2**62 else object)


def _scores(facts: Mapping[str, Any], columns: dict[str, Any]) -> ScoreTable:
    if absent := [name for name in NEEDED if name not in columns]:
        raise RocscopeError(f"it has no column '{absent[0]}'")
    if foreign := [name for name in columns if name not in COLUMNS.values()]:
        raise RocscopeError(f"it has a column '{foreign[0]}'")
    higher, labels, rows = facts["higher_is_positive"], _listed(facts, "labels"), _listed(facts, "rows")
    if not isinstance(higher, bool) or len(labels) != 2 or labels[0] == labels[1] or not _are_labels(labels):
        raise RocscopeError("its direction or labels are invalid")
    if len(rows) != 2:
        raise RocscopeError("it must give two row counts, of positives and of negatives")
    rows = tuple(_count(count) for count in rows)
    fields = {f: columns.get(name) for f, name in COLUMNS.items()}
    fields["scores"] = _as_saved(fields["scores"], str(facts.get("score_type", "float64")))
    _check_scores(fields, higher)
    for key in ("pos", "neg", "pos_squares", "neg_squares"):
        if fields[key] is not None:
            _check_weights(fields[key], COLUMNS[key])
    halved = (fields["pos_squares"] is None) != (fields["neg_squares"] is None)
    if halved or (fields["ends"] is not None and fields["mixed"] is None):
        raise RocscopeError("a column is missing")
    pairs = {"pos": 1, "neg": 1, "pos_squares": 2, "neg_squares": 2}
    fields |= {name: _in_units_of_one(fields[name], facts, power) for name, power in pairs.items()}
    _check_sums(fields, rows, early=bool(facts.get("exponent")))
    known = _known(facts.get("known"))
    table = ScoreTable(**fields, higher_is_positive=higher, labels=labels, rows=rows, known=known)
    if known is not None:
        _check_known(known, replace(table, known=None))
    return table


def _check_sums(fields: Mapping[str, Any], rows: tuple[int, ...], *, early: bool) -> None:
    """Raise an error for entries without cases, impossible sums, and extreme weights except in files of early versions
    (`early`).
    """
    for side, count in zip(("pos", "neg"), rows, strict=True):
        weights, squares = fields[side], fields[f"{side}_squares"]
        if bool(count) != bool((weights > 0).any()):
            raise RocscopeError("its numbers of rows do not match its counts")
        if squares is None:
            continue
        most = weights.astype(np.float64) ** 2
        if not ((squares > 0) == (weights > 0)).all() or (squares.astype(np.float64) > most * (1 + 1e-9)).any():
            raise RocscopeError(f"'{COLUMNS[f'{side}_squares']}' does not match '{COLUMNS[side]}'")
    filled = (fields["pos"] > 0) | (fields["neg"] > 0)
    if not filled.all():
        raise RocscopeError("a row has no cases")
    if len(filled) and fields["pos"].dtype.kind == "f" and not early:
        tally.refuse_extreme(max(float(fields[side].max()) for side in ("pos", "neg")))


def _check_known(known: Known, table: ScoreTable) -> None:
    """Raise an error for areas that contradict the cells: counts inside cells change an area by no more than its
    bound.
    """
    numbers = (known.low, known.high, known.twice_u, known.average_precision)
    finite = all(number is None or (isinstance(number, int | float) and math.isfinite(number)) for number in numbers)
    if not finite or known.low > known.high or not 0 <= (known.average_precision or 0.0) <= 1:
        raise RocscopeError("its description of cells is invalid")
    if known.twice_u is None or not table.positives or not table.negatives:
        return
    most = 2 * float(table.positives) * float(table.negatives)
    if abs(float(known.twice_u) - float(table.twice_u)) > (table.bound + 1e-9) * most:
        raise RocscopeError("its area does not match its cells")


def _in_units_of_one(weights: Any, facts: Mapping[str, Any], power: int) -> Any:
    """Unscaled weights: early versions stored those beyond 1e±60 in units of 2**exponent (squares:
    4**exponent).
    """
    exponent = facts.get("exponent", 0)
    if not isinstance(exponent, int) or abs(exponent) > 500:
        raise RocscopeError("its exponent is too large: the weights must be rescaled before the table is made")
    return weights if weights is None or not exponent else np.ldexp(weights.astype(np.float64), power * exponent)


def _listed(facts: Mapping[str, Any], name: str) -> tuple[Any, ...]:
    if not isinstance(facts[name], list):
        raise RocscopeError(f"its {name} are not a list")
    return tuple(facts[name])


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**62:
        raise RocscopeError("its numbers of rows are invalid")
    return value


def _are_labels(labels: tuple[Any, ...]) -> bool:
    return all(label is None or isinstance(label, str | int | float) for label in labels)


def _as_saved(values: Any, kind: str) -> Any:
    """Convert the scores to their original type; it is an error if that changes one."""
    dtype = np.dtype(kind)
    if dtype.kind not in "iuf" or dtype.itemsize > 8:
        raise RocscopeError(f"scores of type {kind}")
    with np.errstate(over="ignore"):
        converted = values.astype(dtype)
    if not np.array_equal(converted.astype(values.dtype), values, equal_nan=values.dtype.kind == "f"):
        raise RocscopeError(f"a score is not of type {kind}")
    return converted


def _check_scores(fields: Mapping[str, Any], higher: bool) -> None:
    scores = fields["scores"]
    if scores.dtype.kind == "f" and np.isnan(scores).any():
        raise RocscopeError("a score is NaN")
    if scores.dtype.kind == "f" and np.isinf(scores[1:-1]).any():
        raise RocscopeError("a score is infinite")
    ordered = scores[1:] < scores[:-1] if higher else scores[1:] > scores[:-1]
    if not ordered.all():
        row = int(np.argmin(ordered)) + 1
        raise RocscopeError(f"its scores are not in order (row {row})")
    if fields["ends"] is not None:
        ends, mixed = fields["ends"], fields["mixed"]
        reach = ends[mixed] > scores[mixed] if higher else ends[mixed] < scores[mixed]
        if not np.isfinite(ends[mixed]).all() or not reach.all():
            raise RocscopeError("a cell ends before it begins")
        inner = ends[1:] <= scores[:-1] if higher else ends[1:] >= scores[:-1]
        if not inner[mixed[1:]].all():
            raise RocscopeError("a cell reaches into the next one")


def _check_weights(weights: Any, name: str) -> None:
    if weights.dtype == np.float64 and not np.isfinite(weights).all():
        raise RocscopeError(f"'{name}' is not finite")
    if weights.dtype == np.float64 and float(weights.max(initial=0.0)) > 1e120:  # squares of weights up to 1e60
        raise RocscopeError(f"'{name}' is beyond 1e120")
    if (weights < 0).any():
        raise RocscopeError(f"'{name}' is negative")


def _known(facts: Any) -> Known | None:
    if facts is None:
        return None
    nothing = (math.nan, math.nan)
    pairs = {
        name: nothing if facts[name] is None else (float(facts[name][0]), float(facts[name][1]))
        for name in ("squares", "losses", "surprises")
    }
    return Known(
        float(facts["low"]), float(facts["high"]), **pairs, twice_u=facts.get("twice_u"),
        average_precision=facts.get("average_precision"),
    )  # fmt: skip


def _matrix(facts: Mapping[str, Any], columns: dict[str, Any]) -> Confusion:
    labels = _listed(facts, "labels")
    k = len(labels)
    sensible = 0 < k <= MOST_CLASSES and _are_labels(labels) and len(set(labels)) == k
    if not sensible or facts["rows"] not in ("actual", "predicted"):
        raise RocscopeError("its labels or orientation are invalid")
    positions = np.divmod(np.arange(k * k), k)
    if not {"actual", "predicted", "weight"} <= set(columns) <= set(CELLS):
        raise RocscopeError("its columns are not those of a confusion matrix")
    if not (np.array_equal(columns["actual"], positions[0]) and np.array_equal(columns["predicted"], positions[1])):
        raise RocscopeError(f"its cells are not those of {k} classes")
    for name in ("weight", "squares"):
        if name in columns:
            _check_weights(columns[name], name)
    weights, squares = (_in_units_of_one(columns.get(name), facts, i) for i, name in ((1, "weight"), (2, "squares")))
    matrix = Confusion.from_matrix(weights.reshape(k, k), labels=labels)
    squares = None if squares is None else squares.reshape(k, k)
    return Confusion(matrix.matrix, labels, facts["rows"], squares)


def _classes(facts: Mapping[str, Any], columns: dict[str, Any]) -> ClassSums:
    from rocscope.sources.class_files import sums_from

    return sums_from(facts, columns, _scores)


def _labels(facts: Mapping[str, Any], columns: dict[str, Any]) -> LabelSums:
    from rocscope.sources.class_files import labels_from

    return labels_from(facts, columns, _scores)


# content of a file -> function that reads it
_READ: dict[str, Callable[[Mapping[str, Any], dict[str, Any]], Sums]] = {
    "scores": _scores,
    "confusion": _matrix,
    "classes": _classes,
    "labels": _labels,
}


# ---- DuckDB ----


def parquet_columns(path: str) -> list[str]:
    """The names of the columns of a Parquet file."""
    with database.connect() as engine:
        rows = engine.execute(f"DESCRIBE SELECT * FROM read_parquet({quoted(_no_pattern(path))})").fetchall()
    return [str(row[0]) for row in rows]


def _no_pattern(path: str) -> str:
    """A path that DuckDB interprets neither as a pattern nor as a URL."""
    plain = path if os.path.isabs(path) else os.path.join(".", path)
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in plain)


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or ["unknown"])[0][:200]


def _damaged(name: str, why: str) -> RocscopeError:
    return RocscopeError(f"{name} cannot be used as a table: {why}", hint="Save it again")
