"""make bench-start: processor time of short commands beside `import numpy, duckdb`, and of a document beside its table.

    python -m benchmarks.start [--rounds 9]

Commands take turns in every round, each in a process of its own, and the best round of each counts. Compiled modules
are kept between rounds, as they are for a user.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import rocscope as rs
from benchmarks.axes import rows
from benchmarks.harness import machine

GOALS = {"evaluate": 1.4, "compare": 1.5, "three models with --html": 2.6, "--help": 0.6}


def commands(folder: Path) -> dict[str, list[str]]:
    """The commands by name, on 1,000 rows; the first is what their time is divided by."""
    draw, (y, _) = np.random.default_rng(1), rows(1000)
    models = [1 / (1 + np.exp(1 - draw.normal(size=len(y)) - (1 + i / 5) * y)) for i in range(3)]
    lines = (f"{label},{a:.6f},{b:.6f},{c:.6f}" for label, a, b, c in zip(y, *models, strict=True))
    path = folder / "scores.csv"
    path.write_text("\n".join(["label,a,b,c", *lines, ""]), encoding="utf-8")
    run = [sys.executable, "-c", "from rocscope.cli import run; run()"]
    two = ["compare", str(path), "--label", "label", "--score", "a", "--score", "b"]
    page = ["--score", "c", "--html", str(folder / "report.html"), "--force"]
    return {
        "floor": [sys.executable, "-c", "import numpy, duckdb"],
        "evaluate": [*run, str(path), "--label", "label", "--score", "a"],
        "compare": [*run, *two],
        "three models with --html": [*run, *two, *page],
        "--help": [*run, "compare", "--help"],
    }


def seconds(command: list[str], folder: Path) -> float:
    """Processor seconds of a command that must succeed."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, cwd=folder, env=environment, **quiet)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"failed: {' '.join(command)}")
    return used.ru_utime + used.ru_stime


def document(n: int, rounds: int) -> tuple[float, float]:
    """Processor seconds of a table of n scores, and of the results document with that table."""
    y, p = rows(n)
    calls: list[Any] = [
        lambda: rs.ScoreTable.from_scores(y, p),
        lambda: rs.evaluate(y, p, threshold=0.5).to_dict(),
    ]
    best = [float("inf")] * 2
    for _ in range(rounds):
        for at, call in enumerate(calls):
            begin = time.process_time()
            call()
            best[at] = min(best[at], time.process_time() - begin)
    return best[0], best[1]


def main() -> None:
    """Measure and print two tables in Markdown."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.start")
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    best: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        known = commands(Path(name))
        for _ in range(rounds):
            for label, command in known.items():
                best[label] = min(best.get(label, float("inf")), seconds(command, Path(name)))
    print(f"{machine()}; best of {rounds} rounds.\n")
    print("| command | processor time | ratio | goal |\n| --- | --- | --- | --- |")
    for label, used in best.items():
        print(f"| {label} | {used * 1e3:.0f} ms | {used / best['floor']:.2f} | {GOALS.get(label, '')} |")
    print("\n| scores | table | document | ratio |\n| --- | --- | --- | --- |")
    for n in (10**6, 10**7):
        table, whole = document(n, min(rounds, 5))
        print(f"| {n:,} | {table * 1e3:.0f} ms | {whole * 1e3:.0f} ms | {whole / table:.2f} |")


if __name__ == "__main__":
    main()
