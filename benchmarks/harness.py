"""Ours beside the peers, in one process and in turns: first the same answer, then the best of several rounds.

Contenders of a task take turns within every round, so that a busy machine hits all of them alike, and the
best round of each counts. Ratios travel between machines; milliseconds do not.
"""

from __future__ import annotations

import argparse
import gc
import platform
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np

Call = Callable[[], Any]
LEAST = 0.002
"""Seconds that one timing lasts at least: shorter calls are repeated within it."""


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


def timed(task: Task, rounds: int) -> Timing:
    """Answers compared, then every contender timed in turns, the best of the rounds kept."""
    calls: dict[str, Call] = {"ours": task.ours, **task.peers}
    answer = task.ours()
    for name, call in task.peers.items():
        if not task.same(answer, call()):
            raise SystemExit(f"{task.name}: {name} answers differently")
    if task.floor is not None:
        calls["floor"] = task.floor
    repeats = {name: _repeats(call) for name, call in calls.items()}
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            best[name] = min(best[name], _once(call, repeats[name]))
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
    """The timings as a Markdown table: ours, times the floor, and how many times as long each peer took."""
    peers = list(dict.fromkeys(name for timing in timings for name in timing.task.peers))
    heads = ["task", "ours", "times the floor", *peers]
    rows = [
        [t.task.name, _shown(t.seconds["ours"]), *(_cell(t, name) for name in ("floor", *peers))]
        for t in timings
    ]
    widths = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads))]
    lines = [heads, ["-" * width for width in widths], *rows]
    return "\n".join(
        "| " + " | ".join(text.ljust(w) for text, w in zip(line, widths, strict=True)) + " |"
        for line in lines
    )


def _cell(timing: Timing, name: str) -> str:
    if name not in timing.seconds:
        return ""
    digits = 2 if timing.ratio(name) < 10 else 0
    return f"{timing.ratio(name):.{digits}f}x ({_shown(timing.seconds[name])}){timing.met(name)}"


def _shown(seconds: float) -> str:
    return f"{seconds * 1e6:.0f} µs" if seconds < 1e-3 else f"{seconds * 1e3:.1f} ms"


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
    print(f"## {title}\n\n{_machine()}; best of {rounds} rounds. A peer's figure is its time over ours.\n")
    print(markdown(timings))


def _machine() -> str:
    return f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.machine()}"
