"""Predictions that are neither a frame nor one file: folders, file objects, rows, tensors, datasets, and addresses."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import rocscope as rs
from rocscope.sources import files
from tests.conftest import Run

N = 240
RNG = np.random.default_rng(5)
Y = RNG.integers(0, 2, N)
P = np.round(np.clip(Y * 0.3 + RNG.random(N) * 0.7, 0, 1), 3)
COUNTRY = np.array(["de", "fr", "São Tomé/x"])[RNG.integers(0, 3, N)]
YEAR = RNG.integers(2023, 2026, N)
FRAME = pl.DataFrame({"y": Y, "p": P, "country": COUNTRY, "year": YEAR})
WANTED = rs.evaluate(Y, P)


def same(ev: Any) -> None:
    for name in ("scores", "pos", "neg"):
        np.testing.assert_array_equal(getattr(ev.table, name), getattr(WANTED.table, name))


# ---- folders ----


def test_a_folder_with_hive_partitions_has_its_columns(tmp_path: Path) -> None:
    FRAME.write_parquet(tmp_path / "day", partition_by=["country", "year"])
    (tmp_path / "day" / "_SUCCESS").touch()
    (tmp_path / "day" / ".part.crc.parquet").write_bytes(b"no Parquet")
    ev = rs.evaluate(tmp_path / "day", label="y", score="p", by=["country", "year"])
    same(ev)
    frame = rs.evaluate(FRAME, label="y", score="p", by=["country", "year"])
    for mine, theirs in zip(ev.slices, frame.slices, strict=True):
        named = [{one.name: one.evaluation.table.pos.tolist() for one in slices} for slices in (mine, theirs)]
        assert named[0] == named[1]
    assert {one.value[0] for one in ev.slices[1]} == {"2023", "2024", "2025"}


def test_the_partition_may_be_the_label(tmp_path: Path) -> None:
    FRAME.write_parquet(tmp_path / "day", partition_by=["y"])
    same(rs.evaluate(str(tmp_path / "day"), label="y", score="p"))


def test_large_files_of_a_folder_are_read_by_pyarrow_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    FRAME.write_parquet(tmp_path / "day", partition_by=["country"])
    monkeypatch.setattr("rocscope.sources.parquet.MANY", 1)
    ev = rs.evaluate(tmp_path / "day", label="y", score="p", by="country")
    same(ev)
    assert sorted(one.name for one in ev.slices[0]) == sorted(set(COUNTRY.tolist()))


def test_a_folder_is_read_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    FRAME.write_parquet(tmp_path / "day", partition_by=["country"])
    monkeypatch.setattr("rocscope.sources.column_batches.has_arrow", lambda: False)
    monkeypatch.setattr(files, "MANY", 1)
    ev = rs.evaluate(tmp_path / "day", label="y", score="p", by="country")
    same(ev)
    assert sorted(one.name for one in ev.slices[0]) == sorted(set(COUNTRY.tolist()))


def test_a_missing_value_of_a_partition(tmp_path: Path) -> None:
    for name, part in (("country=de", FRAME[:100]), ("country=__HIVE_DEFAULT_PARTITION__", FRAME[100:])):
        (tmp_path / name).mkdir()
        part.select("y", "p").write_parquet(tmp_path / name / "0.parquet")
    ev = rs.evaluate(tmp_path, label="y", score="p", by="country")
    same(ev)
    assert {one.name: sum(one.evaluation.table.rows) for one in ev.slices[0]} == {"de": 100, "(missing)": 140}


def test_the_command_line_takes_a_folder(run: Run, tmp_path: Path) -> None:
    FRAME.write_parquet(tmp_path / "day", partition_by=["country"])
    code, out, _ = run("evaluate", str(tmp_path / "day"), "--label", "y", "--score", "p", "--by", "country")
    assert code == 0 and "São Tomé/x" in out


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(rs.RocscopeError, match=r"is a directory\. Name a file in it, or a directory of Parquet files"):
        rs.evaluate(tmp_path, label="y", score="p")


# ---- addresses ----


@pytest.mark.parametrize(
    ("address", "copy"),
    [
        ("s3://bucket/day.parquet", r"\(aws s3 cp s3://bucket/day.parquet \.\)"),
        ("s3://bucket/a/d*/*.csv", r"aws s3 cp --recursive s3://bucket/a/ \. --exclude '\*' --include 'd\*/\*.csv'\)"),
        ("s3://bucket/day/", r"\(aws s3 cp --recursive s3://bucket/day/ \.\)"),
        (Path("s3://bucket/day.parquet"), r"\(aws s3 cp s3://bucket/day.parquet \.\)"),
        ("gs://bucket/*.csv", r"\(gcloud storage cp 'gs://bucket/\*.csv' \.\)"),
        ("gs://bucket/day/", r"\(gcloud storage cp --recursive gs://bucket/day/ \.\)"),
        ("gs://bucket/day.csv", r"gcloud storage cp gs://bucket/day.csv \."),
        ("https://example.org/a.csv", "curl -LO https://example.org/a.csv"),
        ("abfss://data@lake/day.parquet", "Copy it first, mount it"),
    ],
)
def test_addresses_are_refused_with_the_recipe(address: str | Path, copy: str) -> None:
    with pytest.raises(rs.RocscopeError, match=f"rocscope opens no connection.*{copy}.*DuckDB relation"):
        rs.evaluate(address, label="y", score="p")


def test_addresses_of_databases_are_refused_without_their_password() -> None:
    for address in ("postgresql://me:secret@host/db", "jdbc:postgresql://me:secret@host/db", "mysql+pymysql://me:secret@h"):
        with pytest.raises(rs.RocscopeError, match=r"//me:\*\*\*@h.* is a database.*Ibis") as refused:
            rs.evaluate(address, label="y", score="p")
        assert "secret" not in str(refused.value)
    with pytest.raises(rs.RocscopeError, match=r"curl -LO 'https://me:\*\*\*@host/a.csv'"):
        rs.evaluate("https://me:secret@host/a.csv", label="y", score="p")


def test_an_address_of_a_local_file_is_answered_with_its_path() -> None:
    for address in ("file:///data/my%20day.csv", "file://localhost/data/my%20day.csv"):
        with pytest.raises(rs.RocscopeError, match=r"a path is needed\. Give the path: /data/my day\.csv"):
            rs.evaluate(address, label="y", score="p")


def test_addresses_of_saved_tables_are_refused_too(run: Run) -> None:
    with pytest.raises(rs.RocscopeError, match=r"opens no connections\. Copy it first \(aws s3 cp .*\), or mount it"):
        rs.ScoreTable.load("s3://bucket/day.scoretable.parquet")
    for command in ("merge", "serve"):
        code, _, said = run(command, "s3://bucket/day.scoretable.parquet")
        assert code == 2 and "aws s3 cp s3://bucket/day.scoretable.parquet ." in said


def test_a_file_whose_name_looks_like_an_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s3:").mkdir()
    FRAME.write_parquet(tmp_path / "s3:" / "a.parquet")
    same(rs.evaluate("s3://a.parquet", label="y", score="p"))


# ---- objects ----


@pytest.mark.parametrize("kind", ["parquet", "csv", "ipc", "ndjson"])
def test_a_file_object(kind: str, tmp_path: Path) -> None:
    held = io.BytesIO()
    getattr(FRAME, f"write_{kind}")(held)
    held.seek(0)
    same(rs.evaluate(held, label="y", score="p"))
    (tmp_path / "day").write_bytes(held.getvalue())
    with (tmp_path / "day").open("rb") as file:
        same(rs.evaluate(file, label="y", score="p"))


def test_a_file_opened_as_text_is_refused(tmp_path: Path) -> None:
    FRAME.write_csv(tmp_path / "day.csv")
    with (tmp_path / "day.csv").open() as file, pytest.raises(rs.RocscopeError, match=r'was opened as text\. .*"rb"'):
        rs.evaluate(file, label="y", score="p")


def test_a_list_of_dicts() -> None:
    rows = FRAME.to_dicts()
    same(rs.evaluate(rows, label="y", score="p"))
    found = rs.evaluate([*rows, {"y": 1}], label="y", score="p", missing="drop")
    same(found)
    with pytest.raises(rs.RocscopeError, match="'p' is missing in 1 row"):
        rs.evaluate([*rows, {"y": 1}], label="y", score="p")


def test_an_array_without_a_dimension_is_one_value() -> None:
    labels = [np.array(1), 1, 0, 0]
    assert rs.evaluate(labels, [0.9, 0.8, 0.2, 0.1]).auc.value == 1.0
    with pytest.raises(rs.RocscopeError, match="a is a single value; expected one value per row"):
        rs.compare(labels, {"a": float("-inf"), "b": [0.1, 0.2, 0.3, 0.4]})
