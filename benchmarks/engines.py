"""make bench-engines: what slices cost on engines, as ratios to the same question without them, and what travels.

Rounds take turns (no slices, 20, 1,000) and the best of each counts, for other work on the machine only adds. Beside
the time that passed stands the processor time of this process and of those it started (Spark's Java, dask's workers):
on a machine that has other work to do only that can be compared. With --rows 2e6 it takes some minutes on two idle
cores.
"""

from __future__ import annotations

import argparse
import importlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

import numpy as np

import rocscope as rs

ASKED = {"no slices": None, "20 slices": "country", "1,000 slices": "shop"}
MODULES = ("survey", "sums", "certified")  # those that ask an engine


def written(folder: str, rows: int) -> str:
    """A file of predictions with a column of 20 names and one of 1,000 numbers."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, rows)
    names = np.array([f"g{i:02d}" for i in range(20)])
    columns = {"y": y, "p": rng.beta(2 + y, 3 - y), "country": names[rng.integers(0, 20, rows)]}
    path = os.path.join(folder, "predictions.parquet")
    pq.write_table(pa.table({**columns, "shop": rng.integers(0, 1000, rows)}), path, row_group_size=max(1, rows // 8))
    return path


@contextmanager
def spark(path: str) -> Iterator[Any]:
    from pyspark.sql import SparkSession

    local = {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1", "spark.ui.enabled": "false"}
    builder = SparkSession.builder.master("local[2]").config("spark.ui.showConsoleProgress", "false")
    for name, value in {**local, "spark.sql.shuffle.partitions": "2", "spark.driver.memory": "4g"}.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session.read.parquet(path)
    session.stop()


@contextmanager
def dask(path: str) -> Iterator[Any]:
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    workers = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "memory_limit": 0}
    with LocalCluster(**workers) as cluster, Client(cluster):
        yield dd.read_parquet(path, split_row_groups=1)


@contextmanager
def duckdb(path: str) -> Iterator[Any]:
    import duckdb

    yield duckdb.sql(f"from '{path}'")


@contextmanager
def ibis(path: str) -> Iterator[Any]:
    import ibis

    yield ibis.duckdb.connect().read_parquet(path)


ENGINES = {"spark": spark, "dask": dask, "duckdb": duckdb, "ibis": ibis}


def count_bytes() -> list[int]:
    """A list that gets the bytes of every answer of an engine."""
    sent: list[int] = []
    modules = [importlib.import_module(f"rocscope.sources.engines.{name}") for name in MODULES]
    collect = modules[0].collect  # type: ignore[attr-defined]

    def counted(frame: Any) -> Any:
        found = collect(frame)
        sent.append(sum(column.values.nbytes for column in found.values()))
        return found

    for module in modules:
        module.collect = counted  # type: ignore[attr-defined]
    return sent


def processor_time() -> float:
    """Seconds of processor time of this process and of all that it started."""
    children: dict[int, list[int]] = {}
    ticks: dict[int, int] = {}
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="ascii", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        children.setdefault(int(fields[1]), []).append(int(name))
        ticks[int(name)] = sum(map(int, fields[11:15]))  # its own and those of children that have ended
    total, left = 0, [os.getpid()]
    while left:
        process = left.pop()
        total += ticks.get(process, 0)
        left += children.get(process, [])
    return total / os.sysconf("SC_CLK_TCK")


def measured(name: str, path: str, rounds: int, sent: list[int]) -> None:
    """Print the seconds and the bytes of every question to one engine."""
    best: dict[str, tuple[float, float]] = {}
    travelled: dict[str, int] = {}
    with ENGINES[name](path) as frame:
        rs.evaluate(frame, label="y", score="p")  # it warms up
        for _ in range(rounds):
            for asked, by in ASKED.items():
                sent.clear()
                start, spent = perf_counter(), processor_time()
                float(rs.evaluate(frame, label="y", score="p", by=by).auc)
                took = perf_counter() - start, processor_time() - spent
                best[asked] = tuple(map(min, took, best.get(asked, took)))  # type: ignore[assignment]
                travelled[asked] = sum(sent)
    for asked, took in best.items():
        ratios = [one / plain for one, plain in zip(took, best["no slices"], strict=True)]
        times = " | ".join(f"{one:.1f} s | {ratio:.2f}" for one, ratio in zip(took, ratios, strict=True))
        print(f"| {name} | {asked} | {times} | {travelled[asked] / 1e6:.1f} MB |", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=float, default=1e7)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--engines", default=",".join(ENGINES))
    asked = options.parse_args()
    sent = count_bytes()
    print(f"{asked.rows:,.0f} rows, best of {asked.rounds}\n")
    print("| engine | asked | time | ratio | processor time | ratio | sent |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        path = written(folder, int(asked.rows))
        for name in asked.engines.split(","):
            measured(name, path, asked.rounds, sent)


if __name__ == "__main__":
    main()
