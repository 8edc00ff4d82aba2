"""How sure, beside the peers: DeLong's interval and test, and the bootstrap.    python -m benchmarks.sure [--quick]

Peers that are not installed (confidenceinterval, MLstatkit, R with pROC) are left out and said. A loop of 2,000
resamples of a million rows around scikit-learn would take half an hour: some of its rounds are timed and scaled up.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks import children, contenders
from benchmarks.harness import Call, Task, machine, markdown, shown, timed

MOST_TIMES = 5  # as long as without the correction
BEGIN, END = "<!-- correction: written by benchmarks/sure.py -->", "<!-- /correction -->"
PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
MEMORY = """
import json, sys
import numpy as np
from rocscope import ScoreTable, intervals
n, times = int(sys.argv[1]), int(sys.argv[2])
rng = np.random.default_rng(0)
y = (rng.random(n) < 0.3).astype(int)
s = rng.standard_normal(n) + y
intervals.bootstrap(ScoreTable.from_scores(y, s), "auc", n=times, seed=0)
with open("/proc/self/status") as status:
    print(next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024)
"""


def rows(n: int, digits: int | None = None) -> tuple[Any, Any, Any]:
    """Labels, and two models that are not quite alike."""
    rng = np.random.default_rng(7)
    y = (rng.random(n) < 0.3).astype(np.int64)
    base = rng.standard_normal(n)
    pair = [base + y + 0.5 * rng.standard_normal(n) for _ in range(2)]
    scores = [1 / (1 + np.exp(-one)) for one in pair]
    return (y, *(one if digits is None else np.round(one, digits) for one in scores))


def tasks(n: int) -> list[Task]:
    """The closed forms, at n rows."""
    import rocscope as rs

    y, a, b = rows(n)
    single = lambda x, z: bool(np.allclose(np.asarray(x, dtype=np.float64), z, rtol=2e-4))  # noqa: E731  float32
    interval = lambda: _limits(rs.intervals.auc(rs.ScoreTable.from_scores(y, a), method="delong"))  # noqa: E731
    return [
        Task(f"DeLong interval of the AUC, {n:,}", interval, contenders.delong_interval(y, a), same=single,
             goals={"confidenceinterval": 15}),
        Task(f"paired DeLong test, {n:,}", lambda: rs.significance.delong(y, a, b).p, _tests(y, a, b),
             same=lambda x, z: bool(abs(x - z) < 1e-6 or min(x, z) < 1e-12), goals={"MLstatkit": 12}),
    ]  # fmt: skip


def choosing(n: int) -> list[Task]:
    """A document at a chosen threshold, corrected for the choice, beside the same at that threshold as a given one."""
    import rocscope as rs

    y, a, b = rows(n)
    costs, models = rs.Costs(fp=1, fn=5), {"a": a, "b": b, "c": a + b}
    at = rs.evaluate(y, a, costs=costs).point.threshold
    return [
        Task(
            f"evaluation corrected for the choice, {n:,} (floor: at a given threshold)",
            lambda: rs.evaluate(y, a, costs=costs).to_dict(),
            floor=lambda: rs.evaluate(y, a, costs=costs, threshold=at).to_dict(), goals={"floor": MOST_TIMES},
        ),
        Task(
            f"comparison of three corrected for the choice, {n:,} (floor: at a given threshold)",
            lambda: rs.compare(y, models, costs=costs).to_dict(),
            floor=lambda: rs.compare(y, models, costs=costs, threshold=at).to_dict(), goals={"floor": MOST_TIMES},
        ),
    ]  # fmt: skip


def correction(rounds: int = 3) -> str:
    """The section of the page on the time that the correction for a choice takes, at 1e5 rows."""
    print("correction for a choice, 1e5", file=sys.stderr)
    rows_of = [timed(task, rounds) for task in choosing(100_000)]
    lines = [
        f"| {one.task.name.split(' (')[0]} | {shown(one.seconds['floor'])} | {shown(one.seconds['ours'])} "
        f"| {one.seconds['ours'] / one.seconds['floor']:.1f}x{' ✓' if one.ratio('floor') <= MOST_TIMES else ''} |"
        for one in rows_of
    ]
    return "\n".join([
        BEGIN, "## Correction for a choice", "",
        "A threshold, or a model and its threshold, that is chosen on the cases is corrected for the choice, which is "
        "repeated in resamples. The table compares the whole document with that for a given threshold "
        f"({machine()}); the goal is at most {MOST_TIMES}x.", "",
        "| what | given threshold | chosen and corrected | ratio |", "| --- | --- | --- | --- |", *lines, END,
    ])  # fmt: skip


def placed(text: str, section: str) -> str:
    """The page with that section, new or in place of the one before."""
    if BEGIN not in text:
        return f"{text.rstrip()}\n\n{section}\n"
    head, rest = text.split(BEGIN)
    return f"{head}{section}{rest.split(END)[1]}"


def _limits(one: Any) -> Any:
    return np.array([one.low, one.high])


def _tests(y: Any, a: Any, b: Any) -> dict[str, Call]:
    return {name: lambda call=call: float(np.ravel(call())[0]) for name, call in contenders.delong(y, a, b).items()}


def proc(y: Any, s: Any) -> dict[str, Any] | None:
    """The limits and seconds of pROC's DeLong interval; None where R or pROC is absent."""
    if shutil.which("Rscript") is None:
        return None
    script = (
        'suppressMessages(library(pROC)); con <- file("stdin", "rb"); n <- readBin(con, "integer", 1);'
        'y <- readBin(con, "double", n); s <- readBin(con, "double", n); t <- proc.time()[3];'
        'c <- as.numeric(ci.auc(roc(y, s, levels=c(0, 1), direction="<", quiet=TRUE)));'
        'cat(sprintf(\'{"low": %.15f, "high": %.15f, "seconds": %.6f}\', c[1], c[3], proc.time()[3] - t))'
    )
    data = np.int32(len(y)).tobytes() + y.astype(float).tobytes() + s.astype(float).tobytes()
    done = subprocess.run(["Rscript", "-e", script], input=data, capture_output=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def beside_proc(n: int) -> str:
    """One line: ours and pROC's interval, the same limits, in turns."""
    import rocscope as rs

    y, s, _ = rows(n)
    seconds, found = least(lambda: rs.intervals.auc(rs.ScoreTable.from_scores(y, s), method="delong"), 3)
    theirs = [one for one in (proc(y, s) for _ in range(2)) if one]
    if not theirs:
        return "pROC is not installed"
    assert np.allclose([found.low, found.high], [theirs[0]["low"], theirs[0]["high"]], rtol=1e-9)
    best = min(one["seconds"] for one in theirs)
    return f"| DeLong interval of the AUC, {n:,} | pROC | {best / seconds:.0f}x | 15 |"


def loop(y: Any, s: Any, times: int) -> Callable[[], Any]:
    """What people write: draw rows, ask scikit-learn, keep the area."""
    from sklearn.metrics import roc_auc_score

    rng = np.random.default_rng(0)

    def run() -> Any:
        drawn = (rng.integers(0, len(y), len(y)) for _ in range(times))
        return [roc_auc_score(y[index], s[index]) for index in drawn]

    return run


def resampled(n: int, digits: int | None, goal: int, rounds: int) -> str:
    """One line: 2,000 replicates, ours whole, the loop's from some rounds."""
    import rocscope as rs

    y, s, _ = rows(n, digits)
    begun = perf_counter()
    theirs = loop(y, s, rounds)()
    other = (perf_counter() - begun) / rounds * 2000
    mine, found = least(lambda: rs.intervals.bootstrap(rs.ScoreTable.from_scores(y, s), "auc", n=2000, seed=0), 1)
    spread = (found.high - found.low) / (2 * 1.96)
    assert abs(np.mean(theirs) - found.value) < 6 * spread, "the loop and ours resample different things"
    what = f"2,000 replicates of the AUC, {n:,}{f', {digits} decimals' if digits else ''}"
    return f"| {what} | scikit-learn loop ({rounds} rounds, scaled) | {other / mine:.0f}x | {goal} |"


def least(call: Call, times: int) -> tuple[float, Any]:
    best, answer = float("inf"), None
    for _ in range(times):
        begun = perf_counter()
        answer = call()
        best = min(best, perf_counter() - begun)
    return best, answer


def memory(n: int) -> str:
    """Peak memory of 2,000 replicates, in a process of its own, the data and Python included."""
    environment = {**os.environ, "PYTHONPATH": str(children.ROOT / "src")}
    command = [sys.executable, "-c", MEMORY, str(n), "2000"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return f"Peak memory of 2,000 replicates at {n:,} rows: {float(done.stdout):.0f} MiB (goal: under 1,024)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    parser.add_argument("--write", action="store_true", help="only the correction for a choice, in docs/benchmarks.md")
    asked = parser.parse_args()
    if asked.write:
        PAGE.write_text(placed(PAGE.read_text(encoding="utf-8"), correction()), encoding="utf-8")
        return
    quick = asked.quick
    large, small = (20_000, 2_000) if quick else (1_000_000, 10_000)
    print(f"{machine()}\n")
    print(markdown([timed(task, 3) for task in tasks(large)]), "", sep="\n")
    print(markdown([timed(task, 3) for task in choosing(large // 10)]), "", sep="\n")
    print("| what | peer | ratio | goal |", "| --- | --- | --- | --- |", beside_proc(large), sep="\n")
    print(resampled(small, None, 100, 200), flush=True)
    print(resampled(large, None, 60, 10), flush=True)
    print(resampled(large, 3, 500, 10), flush=True)
    print("", memory(large), sep="\n")


if __name__ == "__main__":
    main()
