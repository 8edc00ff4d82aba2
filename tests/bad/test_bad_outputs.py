"""B102 to B113 of the list of bad inputs: outputs, streams and signals, each through the command line."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from privileges import open_to_all, without_privileges
from stopping import PATIENCE, RESAMPLED, resampling, running

from rocscope import cli

Ask = Callable[..., tuple[int, str, str]]
Refused = Callable[..., str]
Shell = Callable[..., subprocess.CompletedProcess[bytes]]

GOOD = "y,p\n1,0.9\n0,0.4\n1,0.35\n0,0.1\n"
LONG = ("--bootstrap", "1000000")


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(cli.__file__).parents[2]), "PYTHONWARNINGS": "error"}


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "a.csv").write_text(GOOD)
    return "a.csv"


@pytest.fixture
def large(tmp_path: Path) -> str:
    """A file whose resamples take minutes."""
    rows = "".join(f"{i % 2},{(i * 7919 % 2003) / 2003}\n" for i in range(2000))
    (tmp_path / "b.csv").write_text("y,p\n" + rows)
    return "b.csv"


def asked(file: str, *more: str) -> list[str]:
    return ["evaluate", file, "--label", "y", "--score", "p", *more]


def files() -> set[str]:
    return {path.name for path in Path().iterdir()}


def test_b102_an_output_that_exists(ask: Ask, refused: Refused, file: str) -> None:
    for name in ("r.json", "r.html", "t.rst"):
        Path(name).write_text("old")
        option = {"r.json": "--output", "r.html": "--html", "t.rst": "--save-table"}[name]
        assert f"{name} already exists. Overwrite it with --force" in refused(*asked(file, option, name))
        assert Path(name).read_text() == "old"
        code, _, err = ask(*asked(file, option, name, "--force"))
        assert code == 0 and Path(name).read_bytes() != b"old", err
    assert files() == {"a.csv", "r.json", "r.html", "t.rst"}


@pytest.mark.parametrize("option", ["--output", "--html", "--save-table"])
def test_b103_a_missing_folder_is_refused_before_the_work(refused: Refused, option: str) -> None:
    name = {"--output": "no/r.json", "--html": "no/r.html", "--save-table": "no/t.rst"}[option]
    # the file that would be read is not there either: the output is looked at first
    assert "there is no folder" in refused(*asked("none.csv", option, name))


def test_b104_a_read_only_folder(ask: Ask, refused: Refused, file: str, tmp_path: Path) -> None:
    open_to_all(tmp_path)
    Path("closed").mkdir(mode=0o555)
    with without_privileges():
        assert "is read-only" in refused(*asked(file, "--output", "closed/r.json"))


def test_b104_a_full_disk(shell: Shell, file: str, tmp_path: Path) -> None:
    done = shell("ROCSCOPE evaluate a.csv --label y --score p > /dev/full")
    assert (done.returncode, done.stderr) == (2, b"rocscope: cannot write the output: No space left on device\n")
    (tmp_path / "r.html").write_text("old")
    done = shell("ulimit -f 1; ROCSCOPE evaluate a.csv --label y --score p --html r.html --force")
    assert done.returncode == 2 and b"cannot write r.html: File too large" in done.stderr
    assert done.stderr.count(b"\n") == 1 and (tmp_path / "r.html").read_text() == "old"
    assert {path.name for path in tmp_path.iterdir()} == {"a.csv", "r.html"}


def test_b105_the_input_is_never_the_output(ask: Ask, refused: Refused, file: str) -> None:
    Path("link.json").symlink_to(file)
    Path("b.json").write_text(GOOD)
    for name in ("link.json", "./a.csv"):
        assert "it is the file being read" in refused(*asked(file, "--output", name, "--force"))
    assert Path(file).read_text() == GOOD
    columns = ("--label", "y", "--score", "p", "--id", "i")
    said = refused("compare", "a.csv", "b.json", *columns, "--output", "b.json", "--force")
    assert "it is the file being read" in said


def test_b106_directories_pipes_and_devices(ask: Ask, refused: Refused, file: str) -> None:
    Path("folder.json").mkdir()
    assert "it is a directory" in refused(*asked(file, "--output", "folder.json", "--force"))
    os.mkfifo("pipe.json")
    with subprocess.Popen(["cat", "pipe.json"], stdout=subprocess.PIPE) as reader:
        code, out, _ = ask(*asked(file, "--output", "pipe.json"))
        assert (code, out) == (0, "") and json.loads(reader.communicate()[0])["schema"] == "rocscope/1"
    assert ask(*asked(file, "--output", "/dev/null", "--format", "json"))[0] == 0


def test_b107_killed_a_hundred_times(ask: Ask, file: str) -> None:
    """The command over and over in copies of this process, each killed at a random moment: old or new, and whole."""
    runs = [asked(file, "--full", "--unit", unit, "--output", "r.md", "--force") for unit in ("loan", "patient")]
    whole = {"old"}
    for run in runs:
        assert ask(*run)[0] == 0
        whole.add(Path("r.md").read_text())
    Path("r.md").write_text("old")
    chance = random.Random(0)
    for turn in range(100):
        assert _killed_copy(runs[turn % 2], chance.uniform(0, 0.03)) == -signal.SIGKILL
        assert Path("r.md").read_text() in whole
    assert len(whole) == 3


def _killed_copy(arguments: list[str], wait: float) -> int:
    child = os.fork()  # a copy: starting Python a hundred times would take most of the time
    if not child:
        try:
            while cli.main(arguments) == 0:
                pass
        finally:
            os._exit(1)
    time.sleep(wait)
    os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_b107_the_command_killed_while_it_works(command: list[str], large: str, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text("old")
    arguments = asked(large, "--output", "r.json", "--force", *LONG)
    with running([*command, *arguments], tmp_path, environment()) as job:
        time.sleep(0.05)  # somewhere in its beginning
        job.kill()
        assert job.wait() == -signal.SIGKILL
    assert (tmp_path / "r.json").read_text() == "old"
    with resampling(*arguments, folder=tmp_path, environment=environment()) as job:
        job.kill()
        assert job.wait() == -signal.SIGKILL
    assert (tmp_path / "r.json").read_text() == "old"


def test_b108_two_runs_one_winner(ask: Ask, file: str, tmp_path: Path, command: list[str]) -> None:
    jobs = [
        subprocess.Popen(
            [*command, *asked(file, "--output", "r.json", "--force", "--unit", unit)], cwd=tmp_path, env=environment()
        )
        for unit in ("loan", "patient")
    ]
    assert [job.wait(PATIENCE) for job in jobs] == [0, 0]
    found = json.loads((tmp_path / "r.json").read_text())
    assert found["settings"]["unit"] in ("loan", "patient") and files() == {"a.csv", "r.json"}


def test_b109_a_reader_that_leaves(shell: Shell, file: str) -> None:
    done = shell("ROCSCOPE evaluate a.csv --label y --score p --format json | head -c 1; echo ${PIPESTATUS[0]}")
    assert done.stdout in (b"{141\n", b"{0\n") and done.stderr == b""
    done = shell("ROCSCOPE measures | head -1 >/dev/null; echo ${PIPESTATUS[0]}")
    assert done.stdout in (b"141\n", b"0\n") and done.stderr == b""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_b110_b111_stopped_in_a_long_bootstrap(
    large: str, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    arguments = asked(large, "--output", "r.json", "--save-table", "t.rst", *LONG)
    with resampling(*arguments, folder=tmp_path, environment=environment()) as job:
        job.send_signal(number)
        _, err = job.communicate(timeout=PATIENCE)
    assert job.returncode == code and b"Traceback" not in err and err.startswith(b"rocscope: ")
    assert RESAMPLED not in err  # it did not go on to the end of the resamples first
    assert {path.name for path in tmp_path.iterdir()} == {"b.csv"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_b110_b111_stopped_in_a_long_scan(command: list[str], tmp_path: Path, number: signal.Signals) -> None:
    """Standard input that never ends: what was spooled goes with the process."""
    spool = tmp_path / "spool"
    spool.mkdir()
    env = {**environment(), "TMPDIR": str(spool)}
    arguments = [*command, "evaluate", "-", "--label", "y", "--score", "p"]
    with subprocess.Popen(arguments, env=env, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as job:
        assert job.stdin is not None and job.stderr is not None
        stop = threading.Event()
        sender = threading.Thread(target=_pour, args=(job.stdin, stop))
        sender.start()
        try:
            while not list(spool.glob("*/spooled")) and job.poll() is None:
                time.sleep(0.05)
            job.send_signal(number)
            assert job.wait(PATIENCE) == {signal.SIGINT: 130, signal.SIGTERM: 143}[number]
        finally:
            stop.set()
            job.kill()
        assert b"Traceback" not in job.stderr.read()
        sender.join()
    assert list(spool.iterdir()) == []


def _pour(sink: Any, stop: threading.Event) -> None:
    try:
        sink.write(b"y,p\n")
        while not stop.is_set():
            sink.write(b"1,0.5\n0,0.25\n" * 10_000)
    except OSError:
        pass
    finally:
        with suppress(OSError):
            sink.close()


def test_b112_closed_streams(shell: Shell, file: str) -> None:
    line = "ROCSCOPE evaluate a.csv --label y --score p"
    assert shell(f"{line} >&-; echo $?").stdout == b"0\n"
    assert shell(f"{line} 2>&-").stdout.startswith(b"AUC ")
    assert shell("ROCSCOPE evaluate none.csv >&- 2>&-; true").stderr == b""
    assert b"standard input is empty" in shell("ROCSCOPE evaluate - <&-").stderr


def test_b112_a_bare_environment(command: list[str], tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("y,p\n" + "1,0.9\n0,0.4\n" * 100_000)  # so large that DuckDB is needed
    bare = {"PYTHONPATH": environment()["PYTHONPATH"], "LANG": "C", "TERM": "dumb", "NO_COLOR": "1"}
    done = subprocess.run([*command, *asked("a.csv")], cwd=tmp_path, env=bare, capture_output=True, check=False)
    assert done.returncode == 0 and done.stdout.startswith(b"AUC ") and done.stderr == b""
    assert b"\x1b" not in done.stdout


def test_b113_letters_that_standard_output_cannot_write(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(GOOD.replace("1,", "größe日,"), encoding="utf-8")
    line = "ROCSCOPE evaluate a.csv --label y --score p --positive größe日"
    done = shell(f"{line} --format json", PYTHONIOENCODING="latin-1")
    assert done.returncode == 0 and done.stderr == b"", done.stderr
    assert json.loads(done.stdout.decode("latin-1"))["schema"] == "rocscope/1"
    done = shell(line, PYTHONIOENCODING="ascii")
    assert done.returncode == 0 and done.stderr == b"" and rb"gr\xf6\xdfe\u65e5" in done.stdout
