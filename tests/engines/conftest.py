"""One table of predictions as a frame of every kind, and the clusters that some of them need."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

Make = Callable[[pa.Table], Any]


def as_pandas(table: pa.Table) -> pd.DataFrame:
    nullable = {pa.bool_(): pd.BooleanDtype(), pa.int64(): pd.Int64Dtype()}
    return table.to_pandas(types_mapper=nullable.get)


def as_ibis(table: pa.Table) -> Any:
    ibis = pytest.importorskip("ibis", reason="ibis is not installed")
    return ibis.memtable(table)


NUMBERS = count()
SQLFRAME = duckdb.connect()  # its session is one for the whole process, and keeps the first connection it is given


def as_sqlframe(table: pa.Table) -> Any:
    sqlframe = pytest.importorskip("sqlframe.duckdb", reason="sqlframe is not installed")
    name = f"predictions{next(NUMBERS)}"
    SQLFRAME.register("given", table)
    SQLFRAME.execute(f"create table {name} as select * from given")
    return sqlframe.DuckDBSession(conn=SQLFRAME).table(name)


def as_relation(table: pa.Table) -> Any:
    connection = duckdb.connect()
    connection.register("given", table)
    connection.execute("create table predictions as select * from given")
    return connection.table("predictions")


class Streamed:
    """Nothing but an Arrow stream."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


PLAIN: dict[str, Make] = {
    "pandas": as_pandas,
    "polars": pl.from_arrow,  # type: ignore[dict-item]
    "polars lazy": lambda table: pl.from_arrow(table).lazy(),  # type: ignore[union-attr]
    "pyarrow": lambda table: table,
    "duckdb": as_relation,
    "ibis": as_ibis,
    "sqlframe": as_sqlframe,
    "arrow stream": Streamed,
}
KINDS = [
    *PLAIN,
    pytest.param("dask", marks=pytest.mark.dask),
    pytest.param("pyspark", marks=pytest.mark.spark),
]


@pytest.fixture
def make(request: pytest.FixtureRequest) -> Callable[[str], Make]:
    """The maker of frames of a kind; clusters are started when the first of their frames is asked for."""

    def maker(kind: str) -> Make:
        if kind == "pyspark":
            session = request.getfixturevalue("spark")
            made: Make = session.createDataFrame
            return made
        if kind == "dask":
            request.getfixturevalue("cluster")
            import dask.dataframe as dd

            return lambda table: dd.from_pandas(as_pandas(table), npartitions=3)
        return PLAIN[kind]

    return maker


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """One local Spark session with two threads for a file of tests; others are not to run beside it."""
    sql = pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("no Java for Spark")
    session = (
        sql.SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.python.authenticate.socketTimeout", "600s")  # however slow the machine is
        .config("spark.sql.execution.arrow.pyspark.enabled", "true")
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A dask cluster of two worker processes on this machine."""
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    import dask

    slowly = {"distributed.comm.timeouts.connect": "600s", "distributed.comm.timeouts.tcp": "600s"}
    with (
        dask.config.set(slowly),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0
        ) as local,
        distributed.Client(local) as client,
    ):
        yield client
