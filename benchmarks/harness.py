"""Ours beside the peers, in one process and in turns: first the same answer, then the best of several rounds.

Contenders of a task take turns within every round, so that a busy machine hits all of them alike, and the
best round of each counts. Ratios carry over between machines; milliseconds do not.
"""

from __future__ import annotations

import argparse
import gc
import os
import platform
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np

Call = Callable[[], Any]
LEAST = 0.002
"""Seconds that one timing lasts at least: shorter calls are repeated within it."""

LONG = 0.5
"""A first call of so many seconds needs no second one to see that it is long."""


@dataclass(frozen=True)
class Task:
    """One question put to several contenders.

    `peers` maps a name to a call, ours being `ours`; `floor` is the least anyone could do (a bare sort).
    `same` says whether a peer's answer equals ours. `goals` are the ratios asked for, by peer, "floor" being
    the most times the floor.
    """

    name: str
    ours: Call
    peers: dict[str, Call] = field(default_factory=dict)
    floor: Call | None = None
    same: Callable[[Any, Any], bool] = lambda ours, theirs: bool(
        np.allclose(ours, theirs, rtol=1e-9, atol=1e-12)
    )
    goals: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Timing:
    """The best seconds of each contender of a task."""

    task: Task
    seconds: dict[str, float]

    def ratio(self, name: str) -> float:
        """How many times as long as ours it took; for the floor, how many times the floor ours took."""
        ours, other = self.seconds["ours"], self.seconds[name]
        return ours / other if name == "floor" else other / ours

    def met(self, name: str) -> str:
        """'' without a goal, else whether it is met."""
        goal = self.task.goals.get(name)
        if goal is None or name not in self.seconds:
            return ""
        return (
            " ✓"
            if (self.ratio(name) <= goal if name == "floor" else self.ratio(name) >= goal)
            else f" (goal {goal:g})"
        )


def timed(task: Task, rounds: int, patience: float = 60.0) -> Timing:
    """Answers compared, then every contender timed in turns, the best of the rounds kept.

    The calls that give the answers are timed, too. A task that has lasted for `patience` seconds gets no new round
    after its second.
    """
    calls: dict[str, Call] = {"ours": task.ours, **task.peers, **({"floor": task.floor} if task.floor else {})}
    best, begun, answers = {}, perf_counter(), {}
    for name, call in calls.items():
        start = perf_counter()
        answers[name] = call()
        best[name] = perf_counter() - start
        if name in task.peers and not task.same(answers["ours"], answers.pop(name)):
            raise SystemExit(f"{task.name}: {name} answers differently")
    answers.clear()
    repeats = {name: _repeats(call) if best[name] < LONG else 1 for name, call in calls.items()}
    for done in range(rounds):
        for name, call in calls.items():
            best[name] = min(best[name], _once(call, repeats[name]))
        if done and perf_counter() - begun > patience:
            break
    return Timing(task, best)


def _once(call: Call, repeats: int) -> float:
    gc.collect()
    gc.disable()
    try:
        start = perf_counter()
        for _ in range(repeats):
            call()
        return (perf_counter() - start) / repeats
    finally:
        gc.enable()


def _repeats(call: Call) -> int:
    start = perf_counter()
    call()
    return max(1, int(LEAST / max(perf_counter() - start, 1e-7)))


def markdown(timings: Sequence[Timing]) -> str:
    """The timings as a Markdown table: ours, times the floor, and how many times as long each peer took.

    A peer that answers most of the tasks has a column; the others share one.
    """
    named = Counter(name for timing in timings for name in timing.task.peers)
    columns = [name for name, count in named.items() if 2 * count > len(timings)]
    heads = ["task", "ours", "times the floor", *columns, *(["others"] if len(columns) < len(named) else [])]
    lines = [heads, ["---"] * len(heads), *(_row(timing, columns)[: len(heads)] for timing in timings)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _row(timing: Timing, columns: Sequence[str]) -> list[str]:
    others = "; ".join(f"{name} {_cell(timing, name)}" for name in timing.task.peers if name not in columns)
    cells = (_cell(timing, name) for name in ("floor", *columns))
    return [timing.task.name, shown(timing.seconds["ours"]), *cells, others]


def _cell(timing: Timing, name: str) -> str:
    if name not in timing.seconds:
        return ""
    digits = 2 if timing.ratio(name) < 10 else 0
    return f"{timing.ratio(name):.{digits}f}x ({shown(timing.seconds[name])}){timing.met(name)}"


def shown(seconds: float) -> str:
    """A time to read."""
    if seconds < 1e-3:
        return f"{seconds * 1e6:.{1 if seconds < 1e-5 else 0}f} µs"
    return f"{seconds * 1e3:.{1 if seconds < 0.1 else 0}f} ms" if seconds < 1 else f"{seconds:.1f} s"


def main(title: str, tasks: Callable[[bool], Iterable[Task]]) -> None:
    """Run a file of tasks: `--quick` for less data, fewer rounds; `--only` for names that have a text."""
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows, three rounds")
    parser.add_argument("--rounds", type=int, default=0, help="rounds per task (7; 3 when quick)")
    parser.add_argument("--only", default="", help="only tasks whose name contains this")
    asked = parser.parse_args()
    rounds = asked.rounds or (3 if asked.quick else 7)
    timings = []
    for task in tasks(asked.quick):
        if asked.only.lower() in task.name.lower():
            print(task.name, file=sys.stderr)
            timings.append(timed(task, rounds))
    if not timings:
        raise SystemExit(f"no task contains {asked.only!r}")
    print(f"## {title}\n\n{machine()}; best of {rounds} rounds. A peer's figure is its time over ours.\n")
    print(markdown(timings))


def machine() -> str:
    """What the figures were measured on."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"Python {platform.python_version()}, NumPy {np.__version__}, {_processor()}, {cores} cores"


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.machine()
