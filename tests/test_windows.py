"""The core under an emulated Windows: open files are not renamed, and what only POSIX has is absent."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")])}
CORE = [f"tests/test_{name}.py" for name in ("merge", "table_files", "gate", "config", "input_kinds", "plain_csv")]
"""What reads, writes and replaces files, and the commands that do."""
POSIX = {
    "table_files::test_b106_a_pipe_takes_a_table": "named pipes are made with mkfifo",
    "table_files::test_b107_kill_9_at_random_moments_leaves_the_old_or_the_new_file": "Windows has no such signal",
    "table_files::test_b108_two_runs_writing_the_same_file_leave_one_whole": "its processes would not be emulated",
    "gate::test_b110_ctrl_c_is_130": "a process is stopped with os.kill",
    "gate::test_b111_terminated_is_143": "named pipes are made with mkfifo",
}
EMULATED = """
import os, sys
import emulated_windows
from emulated_windows import REPLACED
emulated_windows.install()
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
    command = [sys.executable, "-c", EMULATED + code]
    return subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="open files are looked up as Linux lists them")
def test_the_core_of_the_suite_passes_under_an_emulated_windows() -> None:
    for test in POSIX:  # none is left out that is no longer there
        file, name = test.split("::")
        assert f"def {name}(" in (ROOT / "tests" / f"test_{file}.py").read_text("utf-8")
    left_out = [f"--deselect=tests/test_{test.replace('::', '.py::')}" for test in POSIX]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "emulated_windows", "-p", "no:cacheprovider", "-n", "0"]
    done = subprocess.run(
        [*command, *left_out, *CORE], cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    passed = re.search(r"^(\d+) passed, 5 deselected in", done.stdout, re.MULTILINE)
    assert done.returncode == 0 and passed and int(passed[1]) > 300, done.stdout[-3000:]


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
