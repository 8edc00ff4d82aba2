"""make bench-growth: time and memory of an evaluation as rows, models, slices and classes grow.

    python -m benchmarks.axes [--quick] [--only TEXT] [--write docs/growth.md]

Each point runs in a process of its own: processor seconds of one call with its results document, and peak memory. A
point that takes over two minutes ends its axis, and is reported. Between two sizes time grows like their ratio to some
power; a power over 1.25 is reported, for nothing should bend up.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
STEEP, SHORT = 1.25, 0.25  # a power that is reported, and the seconds below which it is noise
LONGEST = 120  # seconds of one point


def rows(n: int) -> tuple[Any, Any]:
    """Labels and probabilities."""
    import numpy as np

    draw = np.random.default_rng(7)
    y = (draw.random(n) < 0.3).astype(np.int8)
    return y, 1 / (1 + np.exp(1 - draw.normal(size=n) - 1.2 * y))


def arrays(n: int, folder: str) -> Callable[[], Any]:
    """Arrays of n cases."""
    import rocscope as rs

    y, p = rows(n)
    return lambda: rs.evaluate(y, p, threshold=0.5).to_dict()


def file(n: int, folder: str, ending: str) -> Callable[[], Any]:
    """A file of n rows, read by path; written in pieces, so that writing takes little memory."""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    import rocscope as rs

    path, step = os.path.join(folder, f"scores.{ending}"), 2_000_000
    schema = pa.schema({"y": pa.int8(), "p": pa.float64()})
    make = pyarrow.csv.CSVWriter if ending == "csv" else pyarrow.parquet.ParquetWriter
    with make(path, schema) as writer:
        for start in range(0, n, step):
            y, p = rows(min(step, n - start))
            writer.write_table(pa.table({"y": y, "p": p + start * 1e-12}, schema=schema))
    return lambda: rs.evaluate(path, label="y", score="p", threshold=0.5).to_dict()


def models(k: int, folder: str) -> Callable[[], Any]:
    """k models on 100,000 cases."""
    import numpy as np

    import rocscope as rs

    draw, (y, _) = np.random.default_rng(8), rows(100_000)
    scores = {f"m{at}": draw.normal(size=len(y)) + (1 + at / 50) * y for at in range(k)}
    return lambda: rs.compare(y, scores, threshold=0.5).to_dict()


def slices(k: int, folder: str) -> Callable[[], Any]:
    """k slices of 1,000,000 cases."""
    import numpy as np

    import rocscope as rs

    y, p = rows(1_000_000)
    group = np.random.default_rng(9).integers(0, k, len(y))
    return lambda: rs.evaluate(y, p, threshold=0.5, by={"group": group}).to_dict()


def classes(k: int, folder: str) -> Callable[[], Any]:
    """k classes predicted of 100,000 cases."""
    import numpy as np

    import rocscope as rs

    draw = np.random.default_rng(10)
    y = draw.integers(0, k, 100_000)
    guess = np.where(draw.random(len(y)) < 0.7, y, draw.integers(0, k, len(y)))
    return lambda: rs.evaluate(y, predicted=guess).to_dict()


@dataclass(frozen=True)
class Axis:
    """What grows: its name, how one point is made, the sizes of a full and of a quick run."""

    name: str
    make: Callable[[int, str], Callable[[], Any]]
    sizes: tuple[int, ...]
    quick: tuple[int, ...]


AXES = (
    Axis("rows of arrays", arrays, (100, 1000, 10**4, 10**5, 10**6, 10**7), (1000, 10**4, 10**5, 10**6)),
    Axis("rows of CSV", lambda n, where: file(n, where, "csv"), (100, 10**3, 10**4, 10**5, 10**6, 10**7),
         (1000, 10**5, 10**6)),
    Axis("rows of Parquet", lambda n, where: file(n, where, "parquet"), (100, 10**4, 10**6, 10**7, 10**8),
         (10**4, 10**6)),
    Axis("models compared on 1e5 cases", models, (2, 5, 20), (2, 5, 20)),
    Axis("slices of 1e6 cases", slices, (10, 1000, 10**4), (10, 1000)),  # a column of more values is refused
    Axis("classes of 1e5 cases", classes, (3, 100, 1000, 10**4), (3, 100, 1000)),
)  # fmt: skip


def point(axis: Axis, size: int) -> tuple[float, float] | None:
    """Processor seconds and the rise of peak memory in MiB, in a fresh process; None where it takes too long."""
    command = [sys.executable, "-m", "benchmarks.axes", "--child", axis.name, str(size)]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    how: dict[str, Any] = {"capture_output": True, "text": True, "timeout": LONGEST}
    try:
        done = subprocess.run(command, env=environment, cwd=ROOT, check=True, **how)
    except subprocess.TimeoutExpired:
        return None
    found = json.loads(done.stdout)
    return found["seconds"], found["MiB"]


def child(name: str, size: int) -> None:
    """One point, printed as JSON; the first call is on few cases, so that no import is counted."""
    axis = next(one for one in AXES if one.name == name)
    with tempfile.TemporaryDirectory() as folder:
        arrays(1000, folder)()
        call = axis.make(size, folder)
        _forget()
        before, start = _peak(), time.process_time()
        call()
        print(json.dumps({"seconds": time.process_time() - start, "MiB": _peak() - before}))


def _peak() -> float:
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


def _forget() -> None:
    with open("/proc/self/clear_refs", "w", encoding="ascii") as refs:
        refs.write("5")


def powers(found: list[tuple[int, float, float]]) -> list[float]:
    """How steeply time grows from each size to the next: 1 is in proportion."""
    return [
        math.log(later[1] / earlier[1]) / math.log(later[0] / earlier[0])
        for earlier, later in pairwise(found)
    ]


def table(axis: Axis, found: list[tuple[int, float, float]]) -> list[str]:
    """The lines of one axis in Markdown."""
    steps = ["", *(f"{power:.2f}" for power in powers(found))]
    lines = [f"## By {axis.name}", "", "| size | processor time | power | MiB |", "| --- | --- | --- | --- |"]
    return lines + [
        f"| {size:,} | {seconds:.3f} s | {step} | {memory:.0f} |"
        for (size, seconds, memory), step in zip(found, steps, strict=True)
    ]


def steep(axis: Axis, found: list[tuple[int, float, float]]) -> list[str]:
    """The steps where time bends up."""
    return [
        f"{axis.name}: from {earlier[0]:,} to {later[0]:,} with power {power:.2f}"
        for earlier, later, power in zip(found[:-1], found[1:], powers(found), strict=True)
        if power > STEEP and later[1] > SHORT
    ]


def main() -> None:
    """Measure, print, and write the page where one is named."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.axes")
    parser.add_argument("--quick", action="store_true", help="fewer and smaller sizes")
    parser.add_argument("--only", default="", metavar="TEXT", help="axes whose name holds this")
    parser.add_argument("--write", default="", metavar="OUT.md", help="write the page")
    parser.add_argument("--child", nargs=2, metavar=("AXIS", "SIZE"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        child(asked.child[0], int(asked.child[1]))
        return
    lines, bent = [], []
    for axis in AXES:
        if asked.only not in axis.name:
            continue
        found = []
        for size in axis.quick if asked.quick else axis.sizes:
            made = point(axis, size)
            if made is None:
                bent.append(f"{axis.name}: {size:,} take over {LONGEST} s")
                break
            found.append((size, *made))
        lines += [*table(axis, found), ""]
        bent += steep(axis, found)
        print("\n".join(table(axis, found)), end="\n\n", flush=True)
    ending = [f"- {one}" for one in bent] or [f"- nothing: no step with a power over {STEEP} takes over {SHORT} s"]
    print("\n".join(["Bends up:", *ending]))
    if asked.write:
        head = [
            "# How time and memory grow", "",
            "Written by `make bench-growth`: one evaluation or comparison with its results document, each in a process",
            "of its own; MiB is the rise of peak memory. Time grows like the size to a power: 1 is in proportion.",
            *(["Sizes are those of the quick run."] if asked.quick else []), "",
        ]  # fmt: skip
        Path(asked.write).write_text("\n".join([*head, *lines, "## What bends up", "", *ending, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
