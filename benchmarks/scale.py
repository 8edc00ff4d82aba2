"""make bench-scale: large files beside the engines' own work, in one run, as ratios. What is made is deleted after.

Each measurement is a process of its own, so that memory is its own too. With --rows 1e7 it takes a minute.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SHORT = 5  # rounds of what takes a second or two: the best of few would tell how busy the machine was
BLIND = "import sys; sys.modules['pyarrow'] = None; sys.modules['pandas'] = None; sys.modules['polars'] = None"


# ---- the contenders: each prints what it found as one line of JSON ----


def read_pyarrow(path: str) -> dict[str, Any]:
    """Only read the two columns."""
    import pyarrow.dataset as ds

    options = ds.ParquetFragmentScanOptions(pre_buffer=False)
    scanner = ds.dataset(path).scanner(columns=["y", "p"], fragment_scan_options=options, batch_readahead=4)
    return {"rows": sum(len(batch) for batch in scanner.to_batches())}


def count_duckdb(path: str) -> dict[str, Any]:
    """DuckDB's own count by cells."""
    import duckdb

    found = duckdb.sql(f"select floor(p * 1048576)::int as cell, y, count(*) from '{path}' group by all").fetchnumpy()
    return {"groups": len(found["cell"])}


def exact_duckdb(path: str) -> dict[str, Any]:
    """DuckDB's exact group-by."""
    import duckdb

    sql = f"select count(*), sum(n) from (select p, y, count(*) n from '{path}' group by all)"
    return {"groups": duckdb.sql(sql).fetchone()[0]}


def exact_polars(path: str) -> dict[str, Any]:
    """Polars' exact group-by."""
    import polars as pl

    found = pl.scan_parquet(path).group_by("p").agg(pl.len(), pl.col("y").cast(pl.Int64).sum())
    return {"groups": found.select(pl.len()).collect(engine="streaming").item()}


def ours(path: str, **options: Any) -> dict[str, Any]:
    """Our tables, with the areas read off."""
    from rocscope import curves, sources

    found = sources.tables(sources.open(path), label="y", scores=["p"], **options)
    table = found.tables["p",]
    return {
        "auc": curves.auc(table),
        "ap": curves.average_precision(table),
        "brier": curves.brier(table),
        "log_loss": curves.log_loss(table),
        "bound": found.bound,
        "passes": found.passes,
        "entries": len(table),
    }


def certified(path: str) -> dict[str, Any]:
    """Certified, whatever would fit."""
    return ours(path, budget=0)


def certified_core(path: str) -> dict[str, Any]:
    """Certified with the core dependencies alone."""
    return ours(path, budget=0)


def exact(path: str) -> dict[str, Any]:
    """Exact, in a gibibyte for rows."""
    return ours(path, budget=2**30, exact=True)


def csv_duckdb(path: str) -> dict[str, Any]:
    """DuckDB reads the two columns of a CSV file."""
    import duckdb

    found = duckdb.sql(f"select y, p from read_csv('{path}')").fetchnumpy()
    return {"rows": len(found["y"])}


def csv_ours(path: str) -> dict[str, Any]:
    """Our table of a CSV file."""
    return ours(path)


def join_duckdb(path: str) -> dict[str, Any]:
    """DuckDB joins two files by id, as a command of its own: Python's start is counted on both sides."""
    one, two = path.split("|")
    sql = f"select a.y, a.p, b.p as q from '{one}' a join '{two}' b using (id)"
    done = _run("-c", f"import duckdb; print(len(duckdb.sql({sql!r}).fetchnumpy()['y']))")
    return {"rows": int(done)}


def join_ours(path: str) -> dict[str, Any]:
    """`rocscope compare --id` of the two files."""
    return _said("compare", *path.split("|"), "--id", "id")


def csv_evaluate(path: str) -> dict[str, Any]:
    """`rocscope evaluate` of a CSV file: the table, and everything that is said about it."""
    return _said("evaluate", path)


def typed(path: str) -> dict[str, Any]:
    """A command as a user types it; its words are parted by bars."""
    return {"said": len(_run("-m", "rocscope", *path.split("|"), "--format", "json"))}


def _said(word: str, *arguments: str) -> dict[str, Any]:
    """A whole command, from its start to its last line."""
    return {"said": len(_run("-m", "rocscope", word, *arguments, "--label", "y", "--score", "p", "--format", "json"))}


def _run(*arguments: str) -> str:
    command = [sys.executable, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=_environment())
    if done.returncode:
        raise SystemExit(f"{arguments[:3]} ended with {done.returncode}: {done.stderr[-200:]}")
    return done.stdout


CONTENDERS: dict[str, Callable[[str], dict[str, Any]]] = {
    one.__name__: one
    for one in (
        read_pyarrow, count_duckdb, exact_duckdb, exact_polars, certified, certified_core, exact, csv_duckdb, csv_ours,
        csv_evaluate, join_duckdb, join_ours, typed,
    )
}  # fmt: skip


# ---- measuring ----


def _environment() -> dict[str, str]:
    """Ours is compiled once, as an installed package is: else it alone would be compiled in every measurement."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}


def child(name: str, path: str) -> None:
    """One measurement, in this process."""
    import resource

    start = perf_counter()
    found = CONTENDERS[name](path)
    seconds = perf_counter() - start
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    processor = sum(one.ru_utime + one.ru_stime for one in used)
    cost = {"seconds": seconds, "processor": processor, "MiB": max(one.ru_maxrss for one in used) / 1024}
    print(json.dumps({**cost, **found}))


def once(name: str, path: str, limit: float) -> dict[str, Any]:
    """One measurement in a process of its own; `failed` says why there is none, `longer` that it was given up."""
    core = name.endswith("_core")
    code = f"{BLIND if core else ''}\nfrom benchmarks.scale import child; child({name!r}, {path!r})"
    try:
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=limit, env=_environment(), cwd=ROOT,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {"longer": limit}
    if done.returncode:
        return {"failed": done.stderr.strip().splitlines()[-1][:200] if done.stderr.strip() else "no word why"}
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def measured(names: list[str], path: str, *, limit: float, rounds: int = 1) -> list[dict[str, Any]]:
    """The quickest of some rounds of each; rounds take turns, so that a busy moment of the machine hits all alike."""
    best: list[dict[str, Any]] = [{} for _ in names]
    for _ in range(rounds):
        for i, name in enumerate(names):
            if best[i].keys() & {"failed", "longer"}:
                continue
            found = once(name, path, limit)
            quicker = not best[i] or "seconds" not in found or found["seconds"] < best[i]["seconds"]
            best[i] = found if quicker else best[i]
    for name, one in zip(names, best, strict=True):
        print(f"  {name:<16} " + "  ".join(f"{key} {_short(value)}" for key, value in one.items()), flush=True)
    return best


def _short(value: Any) -> str:
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def verdict(text: str, value: float | None, most: float) -> bool:
    """One line that says whether a promise is kept; what was not measured is not kept."""
    if value is None:
        print(f"  UNKNOWN {text}: not measured (at most {most:g})", flush=True)
        return False
    print(f"  {'kept   ' if value <= most else 'BROKEN '} {text}: {value:.3g} (at most {most:g})", flush=True)
    return value <= most


def ratio(mine: dict[str, Any], theirs: dict[str, Any]) -> float | None:
    """Our time over theirs. Theirs given up: at most our time over the limit, which is all that is known."""
    if "seconds" not in mine:
        return None
    if "longer" in theirs:
        print(f"  (given up after {theirs['longer']:.0f} s: the next ratio is that much or less)")
        return float(mine["seconds"] / theirs["longer"])
    return float(mine["seconds"] / theirs["seconds"]) if "seconds" in theirs else None


def make(path: Path, rows: int) -> None:
    """A Parquet file of predictions: score float64, label int8, about a third positive."""
    import duckdb

    connection = duckdb.connect()
    connection.execute("set threads = 2; set memory_limit = '4GB'; select setseed(0.5)")
    connection.execute(
        f"copy (select (random() < p)::tinyint as y, p from (select random() * random() as p from range({rows})))"
        f" to '{path}' (format parquet)"
    )


def main(arguments: list[str]) -> int:
    """Make the files, measure, say what holds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=1e8)
    parser.add_argument("--limit", type=float, default=300, help="seconds until a contender is given up")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--folder", default=None, help="where to write; 5 GB are needed for 1e8 rows")
    parser.add_argument("--only", default="parquet,csv,join,budget")
    asked = parser.parse_args(arguments)
    folder = Path(tempfile.mkdtemp(prefix="bench-scale-", dir=asked.folder))
    kept: list[bool] = []
    try:
        if shutil.disk_usage(folder).free < asked.rows * 60:
            print(f"not enough room in {folder}: {asked.rows * 60 / 1e9:.1f} GB are needed")
            return 2
        if "parquet" in asked.only:
            kept += _parquet(folder, int(asked.rows), asked.limit, asked.rounds)
        if "csv" in asked.only:
            kept += _csv(folder, int(min(asked.rows, 1e7)), asked.rounds)
        if "join" in asked.only:
            kept += _join(folder, int(min(asked.rows, 1e6)), asked.rounds)
        if "budget" in asked.only:
            kept += _budget(folder, int(asked.rows), asked.limit)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0 if all(kept) else 1


def _parquet(folder: Path, rows: int, limit: float, rounds: int) -> list[bool]:
    path = folder / "predictions.parquet"
    make(path, rows)
    print(f"{rows:,} rows of Parquet, {path.stat().st_size / 2**20:.0f} MiB")
    file = str(path)
    reading, certain = measured(["read_pyarrow", "certified"], file, limit=limit, rounds=rounds)
    counting, core = measured(["count_duckdb", "certified_core"], file, limit=limit, rounds=rounds)
    exactly, duck, polars = measured(["exact", "exact_duckdb", "exact_polars"], file, limit=limit)
    kept = [
        verdict("certified, over pyarrow's read", ratio(certain, reading), 3),
        verdict("certified, MiB", certain.get("MiB"), 500),
        verdict("certified, bound", certain.get("bound"), 1e-6),
        verdict("core alone, over DuckDB's count", ratio(core, counting), 3),
        verdict("core alone, MiB", core.get("MiB"), 500),
        verdict("core alone, bound", core.get("bound"), 1e-6),
        verdict("exact, MiB", exactly.get("MiB"), 1.2 * 1024),
        verdict("exact, over DuckDB's exact group-by", ratio(exactly, duck), 1),
        verdict("exact, over Polars' exact group-by", ratio(exactly, polars), 1),
    ]
    for one in (certain, core):
        off = abs(one["auc"] - exactly["auc"]) if "auc" in one and "auc" in exactly else None
        kept.append(verdict("off the exact AUC", off, one.get("bound", 0.0) + 1e-12))
    path.unlink()
    return kept


def _csv(folder: Path, rows: int, rounds: int) -> list[bool]:
    import duckdb

    path = folder / "predictions.csv"
    rows_of = f"select (random() < p)::tinyint as y, p from (select random() as p from range({rows}))"
    duckdb.sql(f"copy ({rows_of}) to '{path}'")
    print(f"{rows:,} rows of CSV, {path.stat().st_size / 2**20:.0f} MiB")
    names = ["csv_duckdb", "csv_ours", "csv_evaluate"]
    theirs, mine, whole = measured(names, str(path), limit=300, rounds=max(rounds, SHORT))
    path.unlink()
    kept = [verdict("CSV to its table and areas, over DuckDB's read", ratio(mine, theirs), 1.5)]
    said = ratio(whole, theirs)  # with every interval, and Python's start: told, nothing was promised of it
    shown = "not measured" if said is None else f"{said:.3g}"
    print(f"  told    CSV, the whole of evaluate, over DuckDB's read: {shown}")
    return kept


def _join(folder: Path, rows: int, rounds: int) -> list[bool]:
    import duckdb

    paths = [folder / "one.csv", folder / "two.csv"]
    for seed, path in enumerate(paths):
        duckdb.sql(
            f"copy (select i as id, (hash(i) % 3 = 0)::tinyint as y, ((hash(i + {seed}) % 100003) / 100003 + "
            f"(hash(i) % 3 = 0)::int) / 2 as p from range({rows}) t(i) order by hash(i * {seed + 1})) to '{path}'"
        )
    print(f"two files of {rows:,} rows, aligned by id")
    both = "|".join(map(str, paths))
    theirs, mine = measured(["join_duckdb", "join_ours"], both, limit=300, rounds=max(rounds, SHORT))
    return [verdict("compare --id, over DuckDB's join", ratio(mine, theirs), 2)]


def _budget(folder: Path, rows: int, limit: float) -> list[bool]:
    """Whole commands: what each takes over its budget, of which 300 MiB are promised."""
    import duckdb

    connection = duckdb.connect()
    connection.execute("set threads = 2; set memory_limit = '4GB'")
    scored = f"select i as id, (hash(i) % 3 = 0)::tinyint as y, random() as p, random() as q, i % 20 as few, " \
        f"i % 5000 as many from range({rows}) t(i)"  # fmt: skip
    whole, text, one, two = (str(folder / name) for name in ("all.parquet", "all.csv", "one.parquet", "two.parquet"))
    connection.execute(f"copy ({scored}) to '{whole}'")
    connection.execute(f"copy (select y, p from '{whole}' limit {min(rows, 10**7)}) to '{text}'")
    for path, score in ((one, "p"), (two, "q")):
        connection.execute(f"copy (select id, y, {score} as p from '{whole}' where id % 3 = 0) to '{path}'")
    connection.close()
    columns = ["--label", "y", "--score", "p"]
    commands = {
        "evaluate, Parquet": ["evaluate", whole, *columns, "--threshold", "0.5"],
        "evaluate, CSV": ["evaluate", text, *columns, "--threshold", "0.5"],
        "evaluate --by 20 values": ["evaluate", whole, *columns, "--threshold", "0.5", "--by", "few"],
        "evaluate --by 5,000 values": ["evaluate", whole, *columns, "--threshold", "0.5", "--by", "many"],
        "compare": ["compare", whole, *columns, "--score", "q"],
        "compare --id": ["compare", one, two, *columns, "--id", "id"],
    }
    kept = []
    for budget in (256, 1024):
        print(f"whole commands on {rows:,} rows, --budget {budget}M")
        for title, words in commands.items():
            (found,) = measured(["typed"], "|".join([*words, "--budget", f"{budget}M"]), limit=limit)
            over = found["MiB"] - budget if "MiB" in found else None
            kept.append(verdict(f"{title}: MiB over the budget", over, 300))
    return kept


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
