"""One table of predictions as a frame of every kind, and the clusters that some of them need."""

from __future__ import annotations

import contextlib
import glob
import os
import shutil
import socket
import sqlite3
import subprocess
import tempfile
import time
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


SQL_TYPES = {"int64": "bigint", "double": "double precision", "string": "text", "bool": "boolean"}


def created(table: pa.Table) -> str:
    """The statement that makes an empty table of the same columns."""
    columns = ", ".join(f"{field.name} {SQL_TYPES[str(field.type)]}" for field in table.schema)
    return f"create table predictions ({columns})"


def as_ibis_duckdb(table: pa.Table) -> Any:
    ibis = pytest.importorskip("ibis", reason="ibis is not installed")
    backend = ibis.duckdb.connect()
    backend.con.register("given", table)
    backend.con.execute("create table predictions as select * from given")
    return backend.table("predictions")


def as_sqlite(table: pa.Table) -> Any:
    """A table of a SQLite file; NaN is NULL there."""
    ibis = pytest.importorskip("ibis", reason="ibis is not installed")
    path = os.path.join(tempfile.mkdtemp(), "predictions.db")
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(created(table))
        marks = ", ".join("?" * len(table.column_names))
        rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
        connection.executemany(f"insert into predictions values ({marks})", rows)
        connection.commit()
    return ibis.sqlite.connect(path).table("predictions")


CLICKHOUSE_TYPES = {"int64": "Int64", "double": "Float64", "string": "String", "bool": "Bool"}


def as_clickhouse(table: pa.Table) -> Any:
    """A table of a ClickHouse inside this process (chDB), through clickhouse-connect and Ibis."""
    pytest.importorskip("chdb", reason="chDB is not installed")
    driver = pytest.importorskip("clickhouse_connect", reason="clickhouse-connect is not installed")
    from ibis.backends.clickhouse import Backend

    class Embedded(Backend):
        """A server takes tables of a query along with it, which chDB does not: they are made before."""

        def _normalize_external_tables(self, external_tables: Any = None) -> None:
            for name, held in (external_tables or {}).items():
                stored(self.con, name, held.data.to_pyarrow(held.schema))

    client = driver.get_client(interface="chdb")
    name = f"predictions{next(NUMBERS)}"
    stored(client, name, table)
    return Embedded.from_connection(client).table(name)


def stored(client: Any, name: str, table: pa.Table) -> None:
    columns = ", ".join(f"{field.name} Nullable({CLICKHOUSE_TYPES[str(field.type)]})" for field in table.schema)
    client.command(f"create or replace table {name} ({columns}) engine = Memory")
    client.insert_arrow(name, table)


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
DATABASES = ["ibis duckdb", "sqlite", "postgres", "clickhouse"]
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
        if kind == "spark connect":
            remote: Make = request.getfixturevalue("connect").createDataFrame
            return remote
        if kind == "dask":
            request.getfixturevalue("cluster")
            import dask.dataframe as dd

            return lambda table: dd.from_pandas(as_pandas(table), npartitions=3)
        if kind == "postgres":
            address = request.getfixturevalue("postgres")
            return lambda table: as_postgres(table, address)
        return {**PLAIN, "ibis duckdb": as_ibis_duckdb, "sqlite": as_sqlite, "clickhouse": as_clickhouse}[kind]

    return maker


def as_postgres(table: pa.Table, address: dict[str, Any]) -> Any:
    ibis = pytest.importorskip("ibis", reason="ibis is not installed")
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
    with psycopg.connect(**address) as connection, connection.cursor() as cursor:
        cursor.execute("drop table if exists predictions")
        cursor.execute(created(table))
        rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
        with cursor.copy("copy predictions from stdin") as copy:
            for row in rows:
                copy.write_row(row)
    backend = ibis.postgres.connect(
        host=address["host"], port=address["port"], user=address["user"], database=address["dbname"]
    )
    return backend.table("predictions")


def postgres_programs() -> str | None:
    """The folder of PostgreSQL's own programs, which Debian keeps out of the path."""
    found = [shutil.which("initdb"), *sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"), reverse=True)]
    return next((os.path.dirname(os.path.realpath(one)) for one in found if one), None)


@pytest.fixture(scope="module")
def postgres() -> Iterator[dict[str, Any]]:
    """A PostgreSQL server of the tests' own: in a temporary folder, on a socket in it, never as root."""
    programs = postgres_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed")
    folder = tempfile.mkdtemp(prefix="rocscope-postgres-", dir="/tmp")  # the path of a socket must be short
    user = "postgres" if os.getuid() == 0 else None
    if user is not None:
        shutil.chown(folder, user)
    data, environment = os.path.join(folder, "data"), {**os.environ, "LC_ALL": "C", "TZ": "UTC"}

    def program(name: str, *arguments: str) -> None:
        subprocess.run(
            [os.path.join(programs, name), *arguments], check=True, user=user, group=user, cwd=folder, env=environment,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    try:
        program("initdb", "-D", data, "-A", "trust", "-N", "-U", "rocscope", "-E", "UTF8")
        how = f"-k {folder} -c listen_addresses='' -c fsync=off"
        program("pg_ctl", "-D", data, "-o", how, "-l", os.path.join(folder, "log"), "-w", "-t", "600", "start")
        yield {"host": folder, "port": 5432, "user": "rocscope", "dbname": "postgres"}
    finally:
        if os.path.exists(os.path.join(data, "postmaster.pid")):
            program("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
        shutil.rmtree(folder, ignore_errors=True)


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
def connect() -> Iterator[Any]:
    """A session of Spark Connect with a server of its own, a process that listens on this machine alone."""
    pytest.importorskip("grpc_status", reason="Spark Connect is not installed")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("no Java for Spark")
    import pyspark
    from pyspark.sql.connect.session import SparkSession

    home = os.path.dirname(pyspark.__file__)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {
        "spark.connect.grpc.binding.port": port, "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1", "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": 2,
    }  # fmt: skip
    server = subprocess.Popen(
        [
            os.path.join(home, "bin", "spark-submit"), "--master", "local[2]",
            "--class", "org.apache.spark.sql.connect.service.SparkConnectServer",
            *(part for name, value in settings.items() for part in ("--conf", f"{name}={value}")), "spark-internal",
        ],
        env={**os.environ, "SPARK_HOME": home}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        while not listens(port):  # however slow the machine is; a server that fails ends
            assert server.poll() is None, "the server of Spark Connect did not start"
            time.sleep(0.2)
        session = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").create()
        yield session
        session.stop()
    finally:
        server.terminate()
        server.wait()


def listens(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


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
