"""First calls and peak memory, each in a process of its own: what a user who calls once pays."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent

CODE = """
import json, sys, warnings
from time import perf_counter
import numpy as np
warnings.simplefilter("ignore")
module, name, n, kind = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
rng = np.random.default_rng(20)
if kind in ("objects", "strings"):
    words = np.array(["ape", "bee", "cat", "dog", "elk"], dtype=object if kind == "objects" else str)
    y, other = words[rng.integers(0, 5, n)], words[rng.integers(0, 5, n)]
elif kind == "classes":
    y, other = rng.integers(0, 5, n), rng.integers(0, 5, n)
else:
    y, other = rng.integers(0, 2, n), rng.standard_normal(n) if kind == "mixed" else rng.random(n)
    if kind == "tied":
        other = np.round(other, 3)
start = perf_counter()
import importlib
function = getattr(importlib.import_module(module), name)
loaded = perf_counter() - start

def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024

def forget():
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")

forget()
before = peak()
start = perf_counter()
function(y, other)
seconds = perf_counter() - start
print(json.dumps({"seconds": seconds, "import": loaded, "MiB": peak() - before}))
"""


class Cost(NamedTuple):
    """Seconds of the first call, seconds of the import, and how much the peak of memory rose."""

    seconds: float
    loading: float
    mebibytes: float


def cost(module: str, name: str, n: int, kind: str) -> Cost | None:
    """What the first call of a function costs in a fresh process; None where that cannot be seen."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-c", CODE, module, name, str(n), kind]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        return None
    found: dict[str, Any] = json.loads(done.stdout)
    return Cost(found["seconds"], found["import"], found["MiB"])
