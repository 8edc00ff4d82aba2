"""What may happen to a process: signals at any moment, a full disk, two of a kind, files and clocks that change.

A sample of `make faults` (tests/faults.py), and the faults that need no chance.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import faults
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from privileges import open_to_all, without_privileges
from stopping import PATIENCE

import rocscope as rs
from rocscope import RocscopeError, cli
from rocscope.sources import column_batches, database, files

Ask = Callable[..., tuple[int, str, str]]
COLUMNS = ("--label", "y", "--score", "p")
GOOD = "y,p\n1,0.9\n0,0.4\n1,0.35\n0,0.1\n"


def environment(**changes: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(cli.__file__).parents[2]), "OPENBLAS_NUM_THREADS": "1", **changes}


# ---- signals ----


def test_outputs_are_whole_whenever_a_process_is_stopped(tmp_path: Path) -> None:
    """Four stops of each kind of work: forked from a process that loads nothing else, as pytest has threads."""
    script = (
        "import random, faults; faults.loaded()\n"
        "for number, name in enumerate(faults.WORKS):\n"
        "    for sign in list(faults.SIGNALS)[number % 2 :: 2]:\n"
        "        counts = faults.stopped(name, sign, 2, random.Random(f'{name}{sign}'))\n"
        "        print(name, sign, dict(counts), flush=True)\n"
        "        assert not counts['wrong']\n"
    )
    paths = f"{environment()['PYTHONPATH']}{os.pathsep}{Path(faults.__file__).parent}"
    done = subprocess.run([sys.executable, "-c", script], env=environment(PYTHONPATH=paths, TMPDIR=str(tmp_path)),
                          capture_output=True, text=True, timeout=PATIENCE, check=False)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(done.stdout.splitlines()) == 8


def test_a_second_signal_while_the_first_is_cleaned_up_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A terminal that closes sends SIGHUP twice: the second may come while the temporary file is being removed."""
    made, remove = rs.evaluate([1, 0, 1, 0], [0.9, 0.4, 0.35, 0.1]), Path.unlink
    removals = []

    def interrupted(*given: Any, **named: Any) -> None:
        removals.append(given)
        if len(removals) == 1:
            raise KeyboardInterrupt
        remove(*given, **named)

    def stopped(*given: Any, **named: Any) -> None:
        raise KeyboardInterrupt

    (tmp_path / "r.html").write_text("old")
    monkeypatch.setattr(os, "replace", stopped)
    monkeypatch.setattr(Path, "unlink", interrupted)
    with pytest.raises(KeyboardInterrupt):
        made.save(tmp_path / "r.html", force=True)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"r.html": "old"}


def test_nothing_writes_to_a_table_after_its_command_was_stopped(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The engine that writes it has ended before the temporary file is removed."""
    start = threading.Thread.start

    def stopped(thread: threading.Thread) -> None:
        start(thread)
        if "work" in thread.name:  # the command is stopped as soon as the engine has begun
            raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", stopped)
    with pytest.raises(KeyboardInterrupt):
        rs.ScoreTable.from_scores([1, 0], [0.9, 0.1]).save(tmp_path / "t.scoretable.parquet")
    assert list(tmp_path.iterdir()) == []
    assert not [thread for thread in threading.enumerate() if "work" in thread.name]


def test_nothing_writes_to_a_table_whose_command_was_stopped_before_the_engine_ran(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """On a busy machine a signal comes while the thread of the engine is started and does not run yet."""
    start, begin = threading.Thread.start, threading.Thread._bootstrap  # type: ignore[attr-defined]
    ended: list[threading.Thread] = []

    def watched(thread: threading.Thread) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        start(thread)

    def late(thread: threading.Thread) -> None:
        time.sleep(0.3)
        begin(thread)
        ended.append(thread)

    def stop(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    usual = signal.signal(signal.SIGALRM, stop)
    monkeypatch.setattr(threading.Thread, "start", watched)
    monkeypatch.setattr(threading.Thread, "_bootstrap", late)
    try:
        with pytest.raises(KeyboardInterrupt):
            database.copy_to(database.connect(), "SELECT 1", str(tmp_path / "t.parquet"))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, usual)
    until = time.monotonic() + PATIENCE
    while not ended and time.monotonic() < until:
        time.sleep(0.01)
    assert ended and list(tmp_path.iterdir()) == []


def test_a_second_signal_does_not_leave_the_engine_at_work() -> None:
    over, came = threading.Event(), []

    class Engine:
        def interrupt(self) -> None:
            came.append("signal")
            if len(came) == 1:
                raise KeyboardInterrupt
            over.set()

        def execute(self, sql: str) -> None:
            assert over.wait(PATIENCE)

        def query_progress(self) -> float:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        database._interruptible(Engine(), lambda: Engine().execute(""), lambda share: None)
    assert over.is_set() and not [thread for thread in threading.enumerate() if "work" in thread.name]


# ---- the disk ----

NO_CACHE = {"PYTHONDONTWRITEBYTECODE": "1"}
"""Python keeps a compiled module even if the limit of file sizes cuts it off, and every later import of it fails."""

WRITING = {
    "--html": ("evaluate", "a.csv", *COLUMNS, "--html", "out", "--force"),
    "--output": ("evaluate", "a.csv", *COLUMNS, "--full", "--format", "json", "--output", "out", "--force"),
    "--plot": ("curve", "a.csv", *COLUMNS, "--plot", "out.svg", "--force"),
}


@pytest.mark.parametrize("option", WRITING)
def test_a_full_disk_leaves_the_old_file(option: str, tmp_path: Path) -> None:
    words = WRITING[option]
    name = "out.svg" if option == "--plot" else "out"
    (tmp_path / "a.csv").write_text(GOOD)
    (tmp_path / name).write_text("old")

    def small() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))

    done = subprocess.run([sys.executable, "-m", "rocscope", *words], cwd=tmp_path, env=environment(**NO_CACHE),
                          capture_output=True, text=True, preexec_fn=small, timeout=PATIENCE, check=False)  # fmt: skip
    ours = [line for line in done.stderr.splitlines() if "font_manager" not in line]  # matplotlib has a cache
    assert done.returncode == 2 and ours == [f"rocscope: cannot write {name}: File too large"], done.stderr
    assert (tmp_path / name).read_text() == "old"
    assert {path.name for path in tmp_path.iterdir()} == {"a.csv", name}


def test_a_disk_that_fills_while_a_pipe_is_kept(tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    spool.mkdir()

    def small() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, 2**20))

    rows = b"y,p\n" + b"1,0.5\n0,0.25\n" * 400_000
    done = subprocess.run([sys.executable, "-m", "rocscope", "evaluate", "-", *COLUMNS], cwd=tmp_path, input=rows,
                          env=environment(TMPDIR=str(spool), **NO_CACHE), capture_output=True, preexec_fn=small,
                          timeout=PATIENCE, check=False)  # fmt: skip
    assert done.returncode == 2 and done.stderr.count(b"\n") == 1 and b"Traceback" not in done.stderr, done.stderr
    assert list(spool.iterdir()) == []


def test_a_folder_that_nobody_may_write_to(run: Ask, tmp_path: Path) -> None:
    open_to_all(tmp_path)
    Path("a.csv").write_text(GOOD)
    Path("closed").mkdir(mode=0o555)
    with without_privileges():
        for words in (("evaluate", "a.csv", *COLUMNS, "--html", "closed/r.html"),
                      ("evaluate", "a.csv", *COLUMNS, "--save-table", "closed/t.scoretable.parquet")):  # fmt: skip
            code, out, err = run(*words)
            assert (code, out) == (2, "") and err.count("\n") == 1 and "read-only" in err
    assert list(Path("closed").iterdir()) == []


# ---- two of a kind ----


def test_two_validations_share_a_run_folder(tmp_path: Path) -> None:
    faults.prepared(tmp_path)
    words = ["validate", "data.csv", "--target", "y", "--model", "nb", "--plan", "5x2", "--run", "run"]
    words += ["--format", "json"]
    jobs = [
        subprocess.Popen([sys.executable, "-m", "rocscope", *words], cwd=tmp_path, env=environment(),
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)
    ]  # fmt: skip
    answers = [job.communicate(timeout=PATIENCE) for job in jobs]
    assert [job.returncode for job in jobs] == [0, 0], answers
    first, second = (json.loads(out)["summary"] for out, _ in answers)
    assert first == second
    (folder,) = (tmp_path / "run").iterdir()
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


# ---- files that change ----


@pytest.fixture(params=["with pyarrow", "without"])
def arrow(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "without":
        monkeypatch.setattr(column_batches, "has_arrow", lambda: False)


@pytest.mark.usefixtures("arrow", "run")
def test_a_file_that_shrinks_while_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    from rocscope.sources import plain_csv

    monkeypatch.setattr(files, "SMALL", 0)
    Path("a.csv").write_text("y,p\n" + "1,0.9\n0,0.4\n" * 5000)
    read = plain_csv.blocks

    def shrinking(*given: Any, **named: Any) -> Iterator[Any]:
        os.truncate("a.csv", 30_001)
        yield from read(*given, **named)

    monkeypatch.setattr(plain_csv, read.__name__, shrinking)
    with pytest.raises(RocscopeError, match=r"changed while it was being read|line 5001"):
        rs.evaluate("a.csv", label="y", score="p")


ENDS = {"csv": "1,0.5\n", "jsonl": '{"y": 1, "p": 0.5}\n', "parquet": "x" * 99}


@pytest.mark.usefixtures("arrow", "run")
@pytest.mark.parametrize("kind", ENDS)
@pytest.mark.parametrize("budget", [None, 0])
def test_a_file_that_changes_after_it_was_opened(
    monkeypatch: pytest.MonkeyPatch, kind: str, budget: int | None
) -> None:
    """It grows, shrinks or goes: one refusal that names the file, not the link to it that an engine reads."""
    table, path, read = pa.table({"y": [1, 0] * 5000, "p": [0.9, 0.4] * 5000}), Path(f"a.{kind}"), files._by_engine

    def grow() -> None:
        with path.open("a") as file:
            file.write(ENDS[kind])

    changes = (grow, lambda: os.truncate(path, 30_001), path.unlink)
    monkeypatch.setattr(files, "SMALL", 0)
    for number, change in enumerate(changes):
        if kind == "parquet":
            pq.write_table(table, path, compression="none", use_dictionary=False)
        else:
            head, line = ("y,p\n", "{y},{p}\n") if kind == "csv" else ("", '{{"y": {y}, "p": {p}}}\n')
            path.write_text(head + "".join(line.format(**row) for row in table.to_pylist()))
        later = iter([change])

        def changed(*given: Any, later: Iterator[Callable[[], Any]] = later) -> Any:
            next(later, int)()
            return read(*given)

        monkeypatch.setattr(files, "_by_engine", changed)
        with pytest.raises(RocscopeError) as refusal:
            rs.evaluate(path, label="y", score="p", budget=budget)
        assert str(refusal.value).startswith(f"a.{kind}") and "/rocscope-" not in str(refusal.value)
        if kind != "parquet":
            said = "changed while it was being read" if number < 2 else "cannot be read anymore"
            assert said in str(refusal.value) or (number == 1 and "line" in str(refusal.value))


@pytest.mark.usefixtures("run")
@pytest.mark.parametrize("budget", [None, 0])
def test_a_parquet_file_that_is_replaced_while_it_is_read(monkeypatch: pytest.MonkeyPatch, budget: int | None) -> None:
    from rocscope.sources import parquet

    table = pa.table({"y": [1, 0] * 500, "p": np.linspace(0, 1, 1000)})
    pq.write_table(table, "a.parquet", row_group_size=100)
    opened = parquet.open_typed

    def replaced(*given: Any, **named: Any) -> Any:
        found = opened(*given, **named)
        pq.write_table(table.slice(0, 10), "b.parquet")
        os.replace("b.parquet", "a.parquet")
        return found

    monkeypatch.setattr(parquet, "open_typed", replaced)
    try:
        found = rs.evaluate("a.parquet", label="y", score="p", budget=budget)
    except RocscopeError as error:
        assert "a.parquet" in str(error)
    else:
        assert found.table.positives + found.table.negatives in (10, 1000)


# ---- clocks ----


def test_a_clock_that_jumps_changes_nothing(run: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Years to and fro between any two looks at it."""
    faults.prepared(Path())
    words = ("validate", "data.csv", "--target", "y", "--model", "nb", "--plan", "5x2", "--format", "json")
    plain = [run("evaluate", "small.csv", *COLUMNS, "--bootstrap", "200", "--format", "json")[1], run(*words)[1]]
    chance = random.Random(0)
    monkeypatch.setattr(time, "time", lambda: chance.uniform(0, 4e9))
    jumped = [run("evaluate", "small.csv", *COLUMNS, "--bootstrap", "200", "--format", "json")[1], run(*words)[1]]
    assert jumped[0] == plain[0]
    assert json.loads(jumped[1])["summary"] == json.loads(plain[1])["summary"]
    made = rs.evaluate("small.csv", label="y", score="p")
    made.save("r.html")
    made.save("r.html", force=True)
    assert {path.name for path in Path().glob(".*")} == set()


# ---- memory ----


@pytest.mark.slow
@pytest.mark.parametrize("more", [0, 2**29, 2**30])
def test_memory_has_a_ceiling(tmp_path: Path, more: int) -> None:
    """The address space of the budget and 1 GiB; with more of it pyarrow would reserve what others need later."""
    rows = 3_000_000
    generator = np.random.default_rng(0)
    table = pa.table({"y": generator.integers(0, 2, rows), "p": generator.random(rows)})
    pq.write_table(table, tmp_path / "a.parquet")
    budget = 64 * 2**20

    def limited() -> None:
        size = budget + 2**30 + more
        resource.setrlimit(resource.RLIMIT_AS, (size, size))

    words = [sys.executable, "-m", "rocscope", "evaluate", "a.parquet", *COLUMNS, "--budget", "64M", "--format", "json"]
    done = subprocess.run(words, cwd=tmp_path, env=environment(), capture_output=True, preexec_fn=limited,
                          timeout=PATIENCE, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr[-500:]
    assert json.loads(done.stdout)["data"]["positives"] == int(table["y"].to_numpy().sum())


# ---- engines ----


@pytest.mark.dask
@pytest.mark.filterwarnings("ignore")
def test_a_dask_worker_that_dies(tmp_path: Path) -> None:
    """One of two is killed while it works: the answer is that of the whole, or one refusal."""
    script = """
import os, signal, sys, threading, time, warnings
warnings.simplefilter("ignore")
import dask, numpy as np, pandas as pd
import dask.dataframe as dd
from dask.distributed import Client, LocalCluster
import rocscope as rs

def slow(part):
    time.sleep(0.3)
    return part

if __name__ == "__main__":
    frame = pd.DataFrame({"y": np.tile([0, 1], 4000), "p": np.random.default_rng(0).random(8000)})
    expected = float(rs.evaluate(frame, label="y", score="p").auc)
    dask.config.set({"distributed.comm.timeouts.connect": "10s"})
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1") as cluster:
        with Client(cluster) as client:
            held = dd.from_pandas(frame, npartitions=8).map_partitions(slow)
            victim = next(iter(client.run(os.getpid).values()))
            threading.Timer(0.8, os.kill, (victim, signal.SIGKILL)).start()
            try:
                found = float(rs.evaluate(held, label="y", score="p").auc)
            except rs.RocscopeError as error:
                print("refused", error)
            else:
                assert abs(found - expected) < 1e-6, (found, expected)
                print("answered", found)
"""
    (tmp_path / "job.py").write_text(script)
    done = subprocess.run([sys.executable, "job.py"], cwd=tmp_path, env=environment(), capture_output=True, text=True,
                          timeout=PATIENCE, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr[-1500:]
    assert done.stdout.startswith(("answered", "refused"))
