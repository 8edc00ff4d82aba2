"""The core under an emulated Windows: open files are not renamed, and what only POSIX has is absent."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EMULATED = """
import os, pathlib, signal, sys
for name in ("fcntl", "resource", "grp", "pwd", "termios"):
    sys.modules[name] = None
import numpy, duckdb  # they may ask the true system
for name in ("fork", "getuid", "geteuid", "sched_getaffinity", "mkfifo", "chown"):
    if hasattr(os, name):
        delattr(os, name)
if hasattr(signal, "SIGHUP"):
    del signal.SIGHUP
real = os.replace

def opened():
    found = set()
    for number in os.listdir("/proc/self/fd"):
        try:
            found.add(os.path.realpath(f"/proc/self/fd/{number}"))
        except OSError:
            pass
    return found

def replace(source, target, **more):
    held = opened()
    for path in (source, target):
        if os.path.realpath(path) in held:
            raise PermissionError(13, "The process cannot access the file because it is being used", str(path))
    REPLACED.append(os.path.basename(target))
    return real(source, target, **more)

def refused(*arguments, **more):
    raise OSError(1314, "A required privilege is not held by the client")

def killed(process, number):
    raise AssertionError("os.kill stops a process on Windows")

REPLACED = []
os.replace = os.rename = replace
os.symlink = refused
os.kill = killed
"""
COMMANDS = """
from rocscope import cli
columns = ["--label", "outcome", "--positive", "default", "--score", "boosting"]
for round in ("first", "again"):
    force = ["--force"] if round == "again" else []
    assert cli.main(["evaluate", "loans.csv", *columns, "--html", "report.html", "--save-table",
                     "day.scoretable.parquet",
                     "--format", "json", "--output", "answer.json", *force]) == 0
assert cli.main(["evaluate", "loans.csv.gz", *columns, "--budget", "1M"]) == 0
assert cli.main(["merge", "day.scoretable.parquet"]) == 0
assert cli.main(["compare", "loans.csv", *columns, "--score", "logistic", "--output", "compared.md"]) == 0
assert cli.main(["gate", "loans.csv", *columns, "--require", "auc >= 0.5", "--output", "gate.xml"]) == 0
assert cli.main(["evaluate", "loans[1].parquet", *columns]) == 0
assert {"report.html", "answer.json", "day.scoretable.parquet", "compared.md", "gate.xml"} <= set(REPLACED), REPLACED

from pathlib import Path
from rocscope import sources
Path("upload").write_bytes(Path("loans.csv.gz").read_bytes())
assert sources.unpack(Path("upload"), "loans.csv.gz", limit=2**30) == Path("loans.csv").stat().st_size

import rocscope as rs
from rocscope.sources.temporary_folder import locked
assert locked(Path("lock")) is None  # without such locks every folder is taken for one in use
print("fine")
"""


def emulated(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-c", EMULATED + code]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="open files are looked up as Linux lists them")
def test_the_core_works_under_an_emulated_windows(tmp_path: Path) -> None:
    demo = subprocess.run(
        [sys.executable, "-m", "rocscope", "demo", "--data"], capture_output=True, check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    ).stdout  # fmt: skip
    (tmp_path / "loans.csv").write_bytes(demo)
    (tmp_path / "loans.csv.gz").write_bytes(gzip.compress(demo))
    import polars as pl

    pl.read_csv(demo).write_parquet(tmp_path / "loans[1].parquet")
    done = emulated(COMMANDS, tmp_path)
    assert done.returncode == 0 and done.stdout.endswith("fine\n"), done.stderr[-2000:]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="open files are looked up as Linux lists them")
def test_the_emulation_refuses_to_rename_an_open_file(tmp_path: Path) -> None:
    code = "file = open('a', 'w')\nos.replace('a', 'b')"
    assert "PermissionError" in emulated(code, tmp_path).stderr
