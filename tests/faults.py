"""Processes that are stopped at random moments: every output is the old one or the new one, whole, and nothing is left.

`make faults` stops each kind of work a hundred times with each signal; tests/bad/test_faults.py runs a sample. The work
is done in copies of this process (fork), which has loaded everything: starting Python would take most of the time.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import weakref
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from rocscope import cli

SIGNALS = {"SIGKILL": {-9}, "SIGINT": {130}, "SIGTERM": {143, -15}, "SIGHUP": {129, -1}}
"""Each signal and how a process ends that it stops: below 0 before the command has begun to handle it."""
FINISHED = 0
LONGEST = 300.0  # seconds until a process that hangs is given up


@dataclass(frozen=True)
class Work:
    """A command that takes a while: its arguments, and the files it writes."""

    arguments: tuple[str, ...]
    outputs: tuple[str, ...]
    resumes: bool = False


WORKS: dict[str, Work] = {
    "scan": Work(("evaluate", "large.csv.gz", "--label", "y", "--score", "p", "--budget", "1M", "--format", "json",
                  "--output", "r.json", "--save-table", "t.scoretable.parquet", "--force"),
                 ("r.json", "t.scoretable.parquet")),
    "bootstrap": Work(("evaluate", "small.csv", "--label", "y", "--score", "p", "--bootstrap", "2000",
                       "--output", "r.md", "--force"), ("r.md",)),
    "validation": Work(("validate", "data.csv", "--target", "y", "--model", "nb", "--model", "tree", "--plan", "5x2",
                        "--run", "run", "--output", "r.json", "--force"), ("r.json",), resumes=True),
    "report": Work(("compare", "small.csv", "--label", "y", "--score", "p", "--score", "q", "--html", "r.html",
                    "--output", "r.json", "--force"), ("r.html", "r.json")),
}  # fmt: skip


def prepared(folder: Path) -> None:
    """The files that the works read."""
    rows = [(i % 3 == 0, (i * 7919 % 2003) / 2003, (i * 104729 % 1009) / 1009) for i in range(1000)]
    (folder / "small.csv").write_text("y,p,q\n" + "".join(f"{y:d},{p},{q}\n" for y, p, q in rows))
    (folder / "data.csv").write_text("y,u,v\n" + "".join(f"{y:d},{p + 0.2 * y},{q}\n" for y, p, q in rows[:300]))
    many = "".join(f"{y:d},{p}\n" for y, p, _ in rows) * 80
    (folder / "large.csv.gz").write_bytes(gzip.compress(f"y,p\n{many}".encode(), 1))


def loaded() -> None:
    """Import what the works import, so that copies begin with it: a copy of each does its work and says what it has.

    The works are not done here, because what starts threads must not be copied.
    """
    for work in WORKS.values():
        with workplace() as (folder, temporary):
            assert ended(copied(work, folder, temporary, then=_note_modules)) == FINISHED, (folder / "said").read_text()
            for name in (folder / "modules").read_text().split():
                with suppress(ImportError):
                    importlib.import_module(name)


def _note_modules() -> None:
    Path("modules").write_text("\n".join(sorted(set(sys.modules))))


def copied(work: Work, folder: Path, temporary: Path, then: Callable[[], None] = lambda: None) -> int:
    """A copy of this process that does the work; its number."""
    begun, begin = os.pipe()
    process = os.fork()
    if process:
        os.close(begin)
        os.read(begun, 1)
        os.close(begun)
        return process
    code = 1
    try:
        weakref.finalize._registry.clear()  # type: ignore[attr-defined]  # what the first process made is its own
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.chdir(folder)
        os.environ["TMPDIR"] = tempfile.tempdir = str(temporary)
        with open(os.devnull, "w") as sink:
            os.dup2(sink.fileno(), 1)
        with open(folder / "said", "w") as sink:
            os.dup2(sink.fileno(), 2)
        sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
        os.write(begin, b".")
        code = cli.main(list(work.arguments))
        then()
    except KeyboardInterrupt:
        code = 130
    finally:
        with suppress(BaseException):
            sys.stderr.flush()
            _end_folders()
        os._exit(code)


def _end_folders() -> None:
    """What a process does at its end, and `_exit` does not: remove temporary folders."""
    weakref.finalize._exitfunc()  # type: ignore[attr-defined]


def ended(process: int) -> int:
    until = time.monotonic() + LONGEST
    while time.monotonic() < until:
        found, status = os.waitpid(process, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    raise AssertionError("it did not end")


@contextmanager
def workplace():  # type: ignore[no-untyped-def]
    with tempfile.TemporaryDirectory(prefix="faults-") as name:
        folder, temporary = Path(name, "work"), Path(name, "tmp")
        folder.mkdir()
        temporary.mkdir()
        prepared(folder)
        yield folder, temporary


def contents(work: Work, folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in work.outputs if (folder / name).exists()}


def stray(folder: Path, work: Work) -> set[str]:
    known = {"small.csv", "data.csv", "large.csv.gz", "said", "run", *work.outputs}
    return {path.name for path in folder.iterdir()} - known


def stopped(
    name: str, sign: str, times: int, chance: random.Random, say: Callable[[str], None] = print
) -> Counter[str]:
    """Stop a work so many times; what was found, "wrong" for every promise that was broken.

    A work that ended before its signal does not count. The moments follow the load of the machine: the length of a work
    is that of the last one that ended by itself.
    """
    work, counts = WORKS[name], Counter[str]()
    with workplace() as (folder, temporary):
        start = time.monotonic()
        code = ended(copied(work, folder, temporary))
        assert code == FINISHED, (folder / "said").read_text()
        length, new = time.monotonic() - start, contents(work, folder)
        shutil.rmtree(folder / "run", ignore_errors=True)
        for turn in range(3 * times):
            if counts["stopped"] == times:
                break
            for output in work.outputs:
                if turn % 2:
                    (folder / output).write_bytes(b"old")
                else:
                    (folder / output).unlink(missing_ok=True)
            start, process = time.monotonic(), copied(work, folder, temporary)
            time.sleep(chance.uniform(0, length))
            with suppress(ProcessLookupError):
                os.kill(process, getattr(signal, sign))
            code = ended(process)
            counts["stopped" if code != FINISHED else "finished before"] += 1
            length = time.monotonic() - start if code == FINISHED else length
            faults = broken(work, folder, new, code, sign, old=bool(turn % 2))
            said = (folder / "said").read_text()
            if "Traceback" in said:
                faults.append("traceback")
            left = sorted(str(path.relative_to(temporary)) for path in temporary.rglob("*"))
            if sign != "SIGKILL" and code != FINISHED and left:
                faults.append(f"left in the temporary folder: {left}")
            if turn % 10 == 9:  # the next run goes on, and leaves nothing of the one before
                faults += next_run(work, folder, temporary, new)
            for fault in faults:
                counts["wrong"] += 1
                say(f"{name}, {sign}, turn {turn}: {fault}; code {code}; {said[-300:]}")
    return counts


def broken(work: Work, folder: Path, new: dict[str, bytes], code: int, sign: str, *, old: bool) -> list[str]:
    """What is not as promised after a process was stopped."""
    found = []
    if code != FINISHED and code not in SIGNALS[sign]:
        found.append(f"ended with {code}")
    there = contents(work, folder)
    for name in work.outputs:
        held = there.get(name)
        if held is None and not old:
            continue
        if held is None or (held != b"old" and not _same(held, new[name], name)) or (held == b"old" and not old):
            found.append(f"{name} is {'gone' if held is None else f'neither old nor new ({len(held)} bytes)'}")
    if sign != "SIGKILL" and stray(folder, work):
        found.append(f"stray files {stray(folder, work)}")
    return found


def _same(held: bytes, new: bytes, name: str) -> bool:
    """Whether a file is the whole new one: reports differ in the times of fits alone."""
    if held == new:
        return True
    if name.endswith(".json"):
        import json

        with suppress(ValueError):
            return bool(json.loads(held)["schema"] == json.loads(new)["schema"])
    return False


def next_run(work: Work, folder: Path, temporary: Path, new: dict[str, bytes]) -> list[str]:
    """A run that nobody stops: it must end well, give the answer, and leave the temporary folder empty."""
    for left in folder.glob(".rocscope-*.tmp"):
        os.utime(left, (0, 0))  # as if ten minutes had passed
    code = ended(copied(work, folder, temporary))
    found = [] if code == FINISHED else [f"the next run ended with {code}: {(folder / 'said').read_text()[-300:]}"]
    there = contents(work, folder)
    if set(there) != set(work.outputs) or not all(_same(there[name], new[name], name) for name in there):
        found.append("the next run gave another answer")
    if left_over := list(temporary.iterdir()):
        found.append(f"left in the temporary folder by the next run: {[path.name for path in left_over]}")
    if more := stray(folder, work):
        found.append(f"stray files after the next run: {more}")
    if work.resumes:
        shutil.rmtree(folder / "run", ignore_errors=True)
    return found


def main() -> int:
    """Stop every work so many times with every signal."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--each", type=int, default=100)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--works", default=",".join(WORKS))
    options.add_argument("--signals", default=",".join(SIGNALS))
    asked = options.parse_args()
    loaded()
    wrong = 0
    for name in asked.works.split(","):
        for sign in asked.signals.split(","):
            counts = stopped(name, sign, asked.each, random.Random(f"{asked.seed}{name}{sign}"))
            wrong += counts["wrong"]
            print(f"{name}, {sign}: {counts['stopped']} stopped, {counts['finished before']} finished before, "
                  f"{counts['wrong']} wrong", flush=True)  # fmt: skip
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
