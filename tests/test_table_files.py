"""Saved tables: what was written comes back, and what is not whole, ours or in order is refused in one line."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stopping import PATIENCE

import rocscope as rs
from rocscope import Confusion, RocscopeError, ScoreTable
from rocscope.evaluation import is_saved
from rocscope.report import save_table
from rocscope.sources import saved_tables

SOURCE = Path(rs.__file__).parent.parent
few = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


def back(table: Any, folder: Path) -> Any:
    path = folder / "table.rst"
    table.save(path, force=True)
    return type(table).load(path)


def same(a: ScoreTable, b: ScoreTable) -> None:
    assert a == b
    assert (a.rows, a.labels, a.known) == (b.rows, b.labels, b.known)
    assert [type(label) for label in a.labels] == [type(label) for label in b.labels]
    assert (a.scores.dtype, a.pos.dtype, a.neg.dtype) == (b.scores.dtype, b.pos.dtype, b.neg.dtype)


# ---- there and back ----


@few
@given(
    st.lists(st.tuples(st.booleans(), st.floats(allow_nan=False, allow_infinity=False)), min_size=1, max_size=30),
    st.booleans(),
    st.sampled_from([(0, 1), ("no", "yes"), ("it's", 'a "b"\n\u202e'), (False, True), (-1.0, 1.5)]),
)
def test_a_table_comes_back_bit_for_bit(
    tmp_path: Path, rows: list[tuple[bool, float]], higher: bool, labels: tuple[Any, Any]
) -> None:
    y, s = zip(*rows, strict=True)
    table = ScoreTable.from_scores(np.array(y), s, higher_is_positive=higher).named(labels)
    same(back(table, tmp_path), table)


@pytest.mark.parametrize("kind", ["float16", "float32", "float64", "int8", "int64", "uint64", "uint8"])
def test_scores_keep_their_type(tmp_path: Path, kind: str) -> None:
    scores = np.array([3, 1, 1, 7], dtype=kind)
    same(back(table := ScoreTable.from_scores([1, 0, 1, 0], scores), tmp_path), table)


def test_largest_scores_and_counts_come_back(tmp_path: Path) -> None:
    table = ScoreTable.from_scores([1, 0], np.array([2**64 - 1, 2**53 + 1], dtype=np.uint64))
    same(back(table, tmp_path), table)
    heavy = ScoreTable.from_scores([1, 0, 1], [0.9, 0.1, 0.1], weights=[2**62, 2**62, 3], weights_are="frequency")
    assert heavy.pos.dtype == object
    same(back(heavy + heavy, tmp_path), heavy + heavy)
    beyond = ScoreTable(np.array([1.0]), np.array([10**38], dtype=object), np.array([0], dtype=object))
    with pytest.raises(RocscopeError, match="1e38"):
        beyond.save(tmp_path / "beyond.rst")
    assert not (tmp_path / "beyond.rst").exists()


@pytest.mark.parametrize(
    "table",
    [
        ScoreTable.from_scores([1, 0, 1], [0.9, 0.1, 0.1], weights=[0.5, 0.25, 1e50]),
        ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.1, 0.11, 0.12]).coarse(3),
        ScoreTable.from_scores([1, 0, 1, 0], [90, 10, 11, 12], higher_is_positive=False).coarse(-3),
        ScoreTable.from_points([{"threshold": 0.9, "tp": 1, "fp": 0}], positives=2, negatives=3),
        ScoreTable.from_scores(["b"], [1.0], positive="b"),
        ScoreTable.empty(),
    ],
    ids=["weights", "cells", "cells, low is positive", "points", "one class", "empty"],
)
def test_all_kinds_of_tables_come_back(tmp_path: Path, table: ScoreTable) -> None:
    found = back(table, tmp_path)
    same(found, table)
    assert found.bound == table.bound


def test_a_sum_of_loaded_tables_is_the_table_of_all(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    y, s = rng.integers(0, 2, 500), rng.random(500)
    parts = [ScoreTable.from_scores(y[k::4], s[k::4]) for k in range(4)]
    same(sum(back(part, tmp_path) for part in parts[::-1]), ScoreTable.from_scores(y, s))


@pytest.mark.parametrize(
    "matrix",
    [
        Confusion.from_matrix([[10, 0, 0], [0, 7, 5], [0, 3, 5]], labels=["a", "b", "it's"], rows="predicted"),
        Confusion.from_matrix([[2**70, 1], [0, 3]]),
        Confusion.from_labels([1, 2, 2], [1, 2, 1], weights=[0.5, 0.1, 1e50]),
    ],
    ids=["counts", "large", "weights"],
)
def test_a_confusion_matrix_comes_back(tmp_path: Path, matrix: Confusion) -> None:
    found = back(matrix, tmp_path)
    assert found == matrix and found.rows == matrix.rows
    assert found.matrix.dtype == matrix.matrix.dtype
    assert (found.squares is None) == (matrix.squares is None)
    assert matrix.squares is None or np.array_equal(found.squares, matrix.squares)


def test_names_travel_with_the_table(tmp_path: Path) -> None:
    path = tmp_path / "day.rst"
    save_table(ScoreTable.from_scores([1, 0], [1, 0]), path, name="p", unit="loan", left_out={"no score": 3})
    found = saved_tables.read_table(path)
    assert (found.name, found.unit, dict(found.left_out)) == ("p", "loan", {"no score": 3})


def test_a_label_of_another_type_is_refused_with_what_to_do(tmp_path: Path) -> None:
    table = ScoreTable.from_scores([1, 0], [1, 0]).named((("a",), {"b"}))
    with pytest.raises(RocscopeError, match=r"cannot be saved.*named"):
        table.save(tmp_path / "x.rst")
    assert os.listdir(tmp_path) == []


def test_the_wrong_kind_is_named(tmp_path: Path) -> None:
    ScoreTable.from_scores([1, 0], [1, 0]).save(tmp_path / "s.rst")
    Confusion.from_matrix([[1, 0], [0, 1]]).save(tmp_path / "m.rst")
    with pytest.raises(RocscopeError, match=r"confusion matrix.*Confusion\.load"):
        ScoreTable.load(tmp_path / "m.rst")
    with pytest.raises(RocscopeError, match=r"score table.*ScoreTable\.load"):
        Confusion.load(tmp_path / "s.rst")


@pytest.mark.parametrize("name", ["a*b?.rst", "[x].rst", "it's.rst", "new\nline.rst", "-dash.rst", "sp ace.rst"])
def test_odd_file_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    table, other = ScoreTable.from_scores([1, 0], [1, 0]), ScoreTable.from_scores([1, 0], [5, 6])
    other.save("ab.rst")
    other.save("x.rst")
    table.save(name)
    same(ScoreTable.load(name), table)


def test_neither_pandas_nor_pyarrow_is_loaded(tmp_path: Path) -> None:
    code = (
        "import sys, rocscope as rs\nt = rs.ScoreTable.from_scores([1, 0], [0.9, 0.1])\n"
        "t.save('t.rst'); rs.ScoreTable.load('t.rst')\n"
        "print(*({'pandas', 'pyarrow', 'polars', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True,
                          env={**os.environ, "PYTHONPATH": str(SOURCE)})  # fmt: skip
    assert done.stdout.strip() == ""


# ---- what others see ----


def test_pandas_polars_and_pyarrow_read_the_documented_columns(tmp_path: Path) -> None:
    import pandas as pd
    import polars as pl
    import pyarrow.parquet as pq

    path = tmp_path / "day.rst"
    ScoreTable.from_scores(["n", "p", "p"], [0.1, 0.9, 0.1], positive="p").save(path, name="risk")
    expected = {"score": [0.9, 0.1], "positive": [1, 1], "negative": [0, 1]}
    assert pd.read_parquet(path).to_dict("list") == expected
    assert pl.read_parquet(path).to_dict(as_series=False) == expected
    held = pq.read_table(path)
    assert held.to_pydict() == expected
    facts = json.loads(held.schema.metadata[b"rocscope"])
    assert facts["schema"] == "rocscope-table/1" and facts["labels"] == ["n", "p"] and facts["name"] == "risk"
    assert facts["rows"] == [2, 1] and facts["higher_is_positive"] is True


def test_a_table_made_by_sql_alone_is_read(tmp_path: Path) -> None:
    duckdb.execute(
        f"""COPY (SELECT s AS score, count(*) FILTER (y = 1) AS positive, count(*) FILTER (y = 0) AS negative
                  FROM (VALUES (1, 0.9), (0, 0.9), (1, 0.2)) AS held(y, s) GROUP BY s ORDER BY s DESC)
            TO '{tmp_path}/made.rst' (FORMAT parquet, KV_METADATA {{rocscope:
              '{{"schema": "rocscope-table/1", "kind": "scores", "labels": [0, 1], "higher_is_positive": true,
                 "rows": [2, 1]}}'}})"""
    )
    with pytest.raises(RocscopeError, match="DECIMAL"):  # a score is a float or a whole number
        ScoreTable.load(tmp_path / "made.rst")
    duckdb.execute(
        f"""COPY (SELECT s AS score, count(*) FILTER (y = 1) AS positive, count(*) FILTER (y = 0) AS negative
                  FROM (VALUES (1, 0.9e0), (0, 0.9e0), (1, 0.2e0)) AS held(y, s) GROUP BY s ORDER BY s DESC)
            TO '{tmp_path}/made.rst' (FORMAT parquet, KV_METADATA {{rocscope:
              '{{"schema": "rocscope-table/1", "kind": "scores", "labels": [0, 1], "higher_is_positive": true,
                 "rows": [2, 1]}}'}})"""
    )
    assert ScoreTable.load(tmp_path / "made.rst") == ScoreTable.from_scores([1, 0, 1], [0.9, 0.9, 0.2])


# ---- what is refused ----


def made(path: Path, columns: dict[str, Any], **changes: Any) -> Path:
    """A file of our layout with something wrong in it."""
    facts = {"schema": "rocscope-table/1", "kind": "scores", "labels": [0, 1], "higher_is_positive": True,
             "rows": [1, 1], **changes}  # fmt: skip
    text = json.dumps(facts).replace("'", "''")
    with duckdb.connect() as engine:
        engine.register("held", columns)
        engine.execute(f"COPY (SELECT * FROM held) TO '{path}' (FORMAT parquet, KV_METADATA {{rocscope: '{text}'}})")
    return path


GOOD = {"score": np.array([0.9, 0.1]), "positive": np.array([1, 0]), "negative": np.array([0, 1])}


@pytest.mark.parametrize(
    ("columns", "changes", "says"),
    [
        ({"score": np.array([0.1, 0.9])}, {}, "not in order"),
        ({"score": np.array([0.9, 0.9])}, {}, "not in order"),
        ({"score": np.array([0.9, np.nan])}, {}, "missing values"),  # so DuckDB takes NaN of NumPy
        ({"score": np.array([0.9, 0.1])}, {"higher_is_positive": False}, "not in order"),
        ({"positive": np.array([-1, 0])}, {}, "negative"),
        ({"positive": np.array([np.inf, 0.0])}, {}, "not finite"),
        ({"positive": np.array(["a", "b"], dtype=object)}, {}, "type VARCHAR"),
        ({"score": np.array(["a", "b"], dtype=object)}, {}, "type VARCHAR"),
        ({"extra": np.array([1, 2])}, {}, "column 'extra'"),
        ({"weight": np.array([1, 2])}, {}, "column 'weight'"),
        ({"positive_squares": np.array([1, 2])}, {}, "a column is missing"),
        ({}, {"schema": "rocscope-table/2"}, "another version"),
        ({}, {"schema": 7}, "layout 7"),
        ({}, {"kind": "pickle"}, "holds 'pickle'"),
        ({}, {"labels": [1, 1]}, "labels are invalid"),
        ({}, {"labels": "ab"}, "labels are not a list"),
        ({}, {"labels": None}, "labels are not a list"),
        ({}, {"rows": [-1, 2]}, "rows are invalid"),
        ({}, {"rows": [1.5, 2]}, "rows are invalid"),
        ({}, {"higher_is_positive": "yes"}, "direction"),
        ({}, {"exponent": 1e9}, "exponent"),
        ({}, {"score_type": "object"}, "scores of type object"),
        ({}, {"score_type": "int64"}, "not of type int64"),
        ({}, {"known": {"low": "x"}}, "does not follow the documentation"),
        ({}, {"left_out": {"why": "many"}}, "does not follow the documentation"),
        ({"mixed": np.array([True, False]), "end": np.array([0.5, 0.1])}, {}, "ends before it begins"),
    ],
    ids=str,
)
def test_a_file_with_something_wrong_is_refused(
    tmp_path: Path, columns: dict[str, Any], changes: dict[str, Any], says: str
) -> None:
    path = made(tmp_path / "bad.rst", GOOD | columns, **changes)
    with pytest.raises(RocscopeError, match=says) as refusal:
        ScoreTable.load(path)
    assert "bad.rst" in str(refusal.value) and "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("score", "positive", "says"),
    [("0.5e0", "NULL::BIGINT", "'positive' has missing values"), ("'nan'::DOUBLE", "1::BIGINT", "a score is NaN")],
)
def test_what_is_not_there_is_refused(tmp_path: Path, score: str, positive: str, says: str) -> None:
    path = tmp_path / "null.rst"
    facts = {
        "schema": saved_tables.SCHEMA,
        "kind": "scores",
        "labels": [0, 1],
        "higher_is_positive": True,
        "rows": [1, 1],
    }
    duckdb.execute(
        f"COPY (SELECT {score} AS score, {positive} AS positive, 1::BIGINT AS negative) TO '{path}' "
        f"(FORMAT parquet, KV_METADATA {{rocscope: '{json.dumps(facts)}'}})"
    )
    with pytest.raises(RocscopeError, match=says):
        ScoreTable.load(path)


@pytest.fixture
def whole(tmp_path: Path) -> bytes:
    rng = np.random.default_rng(0)
    ScoreTable.from_scores(rng.integers(0, 2, 3000), rng.random(3000)).save(tmp_path / "whole.rst")
    return (tmp_path / "whole.rst").read_bytes()


def test_b091_every_truncation_is_refused(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "cut.rst"
    for length in [0, 1, 3, 4, 8, 11, 12, 100, len(whole) // 2, len(whole) - 9, len(whole) - 1]:
        path.write_bytes(whole[:length])
        with pytest.raises(RocscopeError, match=r"cut\.rst"):
            ScoreTable.load(path)


def test_b092_damaged_bytes_are_refused_or_harmless(tmp_path: Path, whole: bytes) -> None:
    path, chance = tmp_path / "hit.rst", random.Random(1)
    for _ in range(60):
        damaged = bytearray(whole)
        for _ in range(chance.choice([1, 4])):
            damaged[chance.randrange(4, len(damaged) - 4)] = chance.randrange(256)
        path.write_bytes(bytes(damaged))
        try:
            found = ScoreTable.load(path)
        except RocscopeError as error:
            assert "\n" not in str(error)
        else:  # whatever is believed is a table
            assert (np.diff(found.scores) < 0).all() and (found.pos >= 0).all()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"Title\n=====\n\nSome reStructuredText.\n", "does not start like a Parquet file"),
        (b"", "does not start"),
        (b"\x80\x04\x95", "does not start"),
        (b"PAR1" + b"\0" * 100 + b"PAR1", "bad.rst"),
        (b"PAR1\xff\xff\xff\x7fPAR1", "its end is missing"),
    ],
    ids=str,
)
def test_b094_b095_other_files_are_refused(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "bad.rst").write_bytes(content)
    with pytest.raises(RocscopeError, match=says):
        ScoreTable.load(tmp_path / "bad.rst")


def test_a_parquet_file_of_predictions_is_no_table(tmp_path: Path) -> None:
    duckdb.execute(f"COPY (SELECT 1 AS y, 0.5 AS p) TO '{tmp_path}/p.rst' (FORMAT parquet)")
    with pytest.raises(RocscopeError, match=r"not a rocscope table.*\.parquet"):
        ScoreTable.load(tmp_path / "p.rst")


@pytest.mark.parametrize("name", ["day.scoretable.parquet", "day.parquet", "day.dat", "day.rst"])
def test_a_saved_table_is_known_by_its_metadata(tmp_path: Path, name: str) -> None:
    made = tmp_path / "made.scoretable.parquet"
    ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.1, 0.4, 0.5]).save(made)
    made.rename(tmp_path / name)
    assert is_saved(tmp_path / name) and is_saved([str(tmp_path / name)] * 2)
    assert rs.evaluate(str(tmp_path / name)).auc.value == 0.75


def test_other_files_are_no_saved_tables(tmp_path: Path) -> None:
    duckdb.execute(f"COPY (SELECT 1 AS y, 'rocscope-table/1' AS p) TO '{tmp_path}/p.parquet' (FORMAT parquet)")
    (tmp_path / "short.parquet").write_bytes(b"PAR1")
    (tmp_path / "p.csv").write_text("y,p\n1,0.5\n")
    for file in ("p.parquet", "short.parquet", "p.csv", "none.parquet", "", "a\0b"):
        assert not is_saved(str(tmp_path / file)) and not is_saved(file)
    assert not is_saved(["yes", "no"])


def test_paths_that_are_no_files(tmp_path: Path) -> None:
    with pytest.raises(RocscopeError, match="there is no file"):
        ScoreTable.load(tmp_path / "none.rst")
    with pytest.raises(RocscopeError, match="is a directory"):
        ScoreTable.load(tmp_path)


# ---- through the command line ----

Ask = Callable[..., tuple[int, str, str]]


@pytest.fixture
def ask(run: Ask) -> Ask:
    Path("cases.csv").write_text("y,p,q\n1,0.9,0.8\n1,0.7,0.9\n0,0.6,0.1\n1,0.5,0.4\n0,0.2,0.3\n0,0.1,0.5\n")
    return run


CASES = ("evaluate", "cases.csv", "--label", "y", "--score", "p")


def document(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)
    found["data"]["source"] = {}
    return found


@pytest.mark.parametrize("options", [(), ("--cost-fn", "5"), ("--choose", "f1"), ("--threshold", "0.5", "--full")])
def test_a_saved_table_answers_as_the_cases_do(ask: Ask, options: tuple[str, ...]) -> None:
    assert ask(*CASES, "--save-table", "t.rst")[0] == 0
    assert document(ask(*CASES, *options, "--format", "json")[1]) == document(
        ask("evaluate", "t.rst", *options, "--format", "json")[1]
    )
    assert ask(*CASES, *options)[1] == ask("evaluate", "t.rst", *options)[1]


def test_curve_and_hull_read_a_saved_table(ask: Ask) -> None:
    ask(*CASES, "--save-table", "t.rst")
    columns = ("--label", "y", "--score", "p")
    assert ask("curve", "t.rst", "--format", "csv")[1] == ask("curve", "cases.csv", *columns, "--format", "csv")[1]
    assert ask("hull", "t.rst", "--format", "json")[1] == ask("hull", "cases.csv", *columns, "--format", "json")[1]


def test_hard_labels_are_saved_as_a_confusion_matrix(ask: Ask) -> None:
    Path("hard.csv").write_text("y,yhat\na,a\na,b\nb,b\nc,c\n")
    hard = ("evaluate", "hard.csv", "--label", "y", "--predicted", "yhat")
    first = ask(*hard, "--save-table", "m.rst", "--format", "json")
    assert document(ask("evaluate", "m.rst", "--format", "json")[1]) == document(first[1])
    assert ask("evaluate", "m.rst", "--threshold", "0.5")[0] == 2
    assert ask("curve", "m.rst")[0] == 2


@pytest.mark.parametrize(
    "option",
    [("--label", "y"), ("--score", "p"), ("--weight", "w"), ("--cluster", "c"), ("--cross-fit", "5"),
     ("--lower-is-positive",), ("--missing", "drop"), ("--predicted", "q")],
    ids=str,
)  # fmt: skip
def test_what_needs_cases_is_refused(ask: Ask, option: tuple[str, ...]) -> None:
    ask(*CASES, "--save-table", "t.rst")
    extra = ("--choose", "f1") if option[0] == "--cross-fit" else ()
    code, out, err = ask("evaluate", "t.rst", *option, *extra)
    assert code == 2 and out == "" and f"{option[0]} needs the cases" in err


def test_the_positive_label_is_that_of_the_table(ask: Ask) -> None:
    ask(*CASES, "--save-table", "t.rst")
    assert ask("evaluate", "t.rst", "--positive", "1")[0] == 0
    assert ask("evaluate", "t.rst", "--positive", "0")[0] == 2


def test_a_threshold_is_chosen_on_another_saved_table(ask: Ask) -> None:
    ask(*CASES, "--save-table", "t.rst")
    ask("evaluate", "cases.csv", "--label", "y", "--score", "q", "--save-table", "q.rst")
    code, out, _ = ask("evaluate", "t.rst", "--choose", "youden", "--choose-on", "q.rst", "--format", "json")
    assert code == 0 and json.loads(out)["point"]["chosen_on"] == "other cases"
    assert ask("evaluate", "t.rst", "--choose", "youden", "--choose-on", "cases.csv")[0] == 2


def test_b102_b103_b105_b106_targets(ask: Ask) -> None:
    ask(*CASES, "--save-table", "t.rst")
    before = Path("t.rst").read_bytes()
    for target, says in {
        "t.rst": "already exists",
        "none/t.rst": "no folder",
        "t.csv": "must end in .scoretable.parquet or .rst",
    }.items():
        code, out, err = ask(*CASES, "--save-table", target)
        assert code == 2 and out == "" and says in err
    assert ask("evaluate", "t.rst", "--save-table", "t.rst", "--force")[0] == 2  # the file being read
    Path("folder.rst").mkdir()
    assert "directory" in ask(*CASES, "--save-table", "folder.rst")[2]
    named_twice = ask(*CASES, "--save-table", "t.rst", "--output", "t.rst", "--format", "json", "--force")
    assert "must name different files, not both t.rst" in named_twice[2]
    assert Path("t.rst").read_bytes() == before
    assert ask("evaluate", "cases.csv", "--label", "y", "--score", "q", "--save-table", "t.rst", "--force")[0] == 0
    assert ScoreTable.load("t.rst").scores.tolist() == [0.9, 0.8, 0.5, 0.4, 0.3, 0.1]
    assert not list(Path().glob(".rocscope-*"))


def test_a_table_is_saved_under_its_endings_alone_and_python_names_its_keyword(tmp_path: Path) -> None:
    table = ScoreTable.from_scores([1, 0], [0.9, 0.1])
    for name in ("x.csv", "x.parquet", "x"):
        with pytest.raises(RocscopeError, match=r"must end in \.scoretable\.parquet or \.rst"):
            table.save(tmp_path / name)
    assert not list(tmp_path.iterdir())
    table.save(tmp_path / "x.rst")
    with pytest.raises(RocscopeError, match="Overwrite it with force=True"):
        table.save(tmp_path / "x.rst")
    table.save(tmp_path / "x.RST", force=True)


def test_b106_a_pipe_takes_a_table(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.rst"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE)
    table = ScoreTable.from_scores([1, 0], [0.9, 0.1])
    table.save(pipe)
    (tmp_path / "copy.rst").write_bytes(reader.communicate()[0])
    assert ScoreTable.load(tmp_path / "copy.rst") == table


def test_b104_a_failure_while_writing_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.rst"
    table = ScoreTable.from_scores([1, 0], [0.9, 0.1])
    table.save(path)
    before = path.read_bytes()

    def full(held: saved_tables.SavedTable, place: Any) -> None:
        Path(place).write_bytes(b"PAR1 half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("rocscope.sources.write_table", full)
    with pytest.raises(RocscopeError, match="No space left"):
        table.save(path, force=True)
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["t.rst"]


def test_b104_the_engine_cannot_write(tmp_path: Path) -> None:
    with pytest.raises(RocscopeError, match="cannot write"):
        saved_tables.write_table(saved_tables.SavedTable(ScoreTable.from_scores([1, 0], [0.9, 0.1])), "/dev/full")


def test_b108_two_runs_writing_the_same_file_leave_one_whole(tmp_path: Path) -> None:
    code = (
        "import sys, numpy as np, rocscope as rs\nk = int(sys.argv[1])\n"
        "t = rs.ScoreTable.from_scores(np.arange(9_000) % 2, np.arange(9_000) * k / 7.0)\n"
        "for _ in range(20): t.save('t.rst', force=True)"
    )
    settings = {**os.environ, "PYTHONPATH": str(SOURCE)}
    runs = [subprocess.Popen([sys.executable, "-c", code, str(k)], cwd=tmp_path, env=settings) for k in (1, 2)]
    assert [run.wait() for run in runs] == [0, 0]
    both = [ScoreTable.from_scores(np.arange(9_000) % 2, np.arange(9_000) * k / 7.0) for k in (1, 2)]
    assert ScoreTable.load(tmp_path / "t.rst") in both and os.listdir(tmp_path) == ["t.rst"]


TRIES = 100
WRITER = """
import os, random, shutil, signal, sys, time
import duckdb
import numpy as np
import rocscope as rs
from rocscope.report import save_table

# A process that has never opened DuckDB forks a writer for each try: no start of Python to wait for.
tables = [rs.ScoreTable.from_scores(np.arange(9_000) % 2, np.arange(9_000) * k / 7.0) for k in (1, 2)]


def written(first, times):
    "Fork a writer of so many tables in turn; it tells when it begins, and of each one that it has written."
    hear, told = os.pipe()
    process = os.fork()
    if process:
        os.close(told)
        return process, hear
    os.write(told, b"x")
    for k in range(times):
        save_table(tables[(first + k) % 2], "t.rst", force=True)
        os.write(told, b"x")
    os._exit(0)


begun = time.perf_counter()
writer, hear = written(0, 5)
os.waitpid(writer, 0)
os.close(hear)
one = (time.perf_counter() - begun) / 5
chance = random.Random(0)
for attempt in range(int(sys.argv[1])):
    writer, hear = written(attempt, 1000)
    for _ in range(1 + attempt // 2 % 2):  # when it has begun, or when it has written one, whatever that takes
        assert os.read(hear, 1)
    time.sleep(2 * one * chance.random())
    os.kill(writer, signal.SIGKILL)
    os.waitpid(writer, 0)
    os.close(hear)
    shutil.copy("t.rst", f"try{attempt}.rst")
"""


def test_b107_kill_9_at_random_moments_leaves_the_old_or_the_new_file(tmp_path: Path) -> None:
    settings = {**os.environ, "PYTHONPATH": str(SOURCE), "OPENBLAS_NUM_THREADS": "1"}
    subprocess.run([sys.executable, "-c", WRITER, str(TRIES)], cwd=tmp_path, env=settings, check=True, timeout=PATIENCE)
    both = [ScoreTable.from_scores(np.arange(9_000) % 2, np.arange(9_000) * k / 7.0) for k in (1, 2)]
    found = [both.index(ScoreTable.load(tmp_path / f"try{attempt}.rst")) for attempt in range(TRIES)]
    assert set(found) == {0, 1}
    assert list(tmp_path.glob(".rocscope-*.tmp"))  # some were killed in the middle of writing


def test_files_of_early_versions_are_read(tmp_path: Path) -> None:
    """They say in which power of two the weights are: 0, but for weights beyond 1e±60."""
    plain = ScoreTable.load(made(tmp_path / "plain.rst", GOOD, exponent=0))
    assert plain == ScoreTable.load(made(tmp_path / "now.rst", GOOD))
    large = ScoreTable.load(made(tmp_path / "large.rst", GOOD, exponent=300))
    assert large.pos.tolist() == [2.0**300 * weight for weight in plain.pos.tolist()]
