"""Small tables of every kind, asked for their intervals: none may have width 0, leave its range or its value."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

import rocscope as rs
from benchmarks.coverage.drawn.quantity import SEED

NAME = "small tables"
TABLES = 100_000
CHUNK = 1000
MEASURES = 4  # of each table of counts
Asked = Iterator[tuple[str, Any, float, float]]


def counts(rng: np.random.Generator) -> Asked:
    """A table of four cells with up to 30 cases: some of all measures, the cost and the net benefit."""
    cells = rng.multinomial(int(rng.integers(1, 31)), rng.dirichlet(np.full(4, 0.5)))
    made = rs.Counts(*(int(one) for one in cells))
    known = rs.measures.catalog()
    for place in rng.choice(len(known), MEASURES, replace=False):
        measure = known[int(place)]
        try:
            yield measure.name, made.estimate(measure.name), measure.low, measure.high
        except rs.RocscopeError:  # a measure without a closed interval says so
            continue
    cost = rs.intervals.expected_cost(made, rs.Costs(fp=1, fn=5))
    yield "expected cost", cost, 0.0, 5.0
    yield "net benefit", rs.intervals.net_benefit(made, pt=0.2), -math.inf, 1.0


def design(rng: np.random.Generator, n: int) -> dict[str, Any]:
    """Weights, clusters or neither, each for a third of the tables."""
    kind = rng.integers(3)
    if kind == 0:
        return {"weights": rng.integers(1, 21, n)}
    return {"clusters": rng.integers(0, int(rng.integers(2, 7)), n)} if kind == 1 else {}


def scored(rng: np.random.Generator) -> Asked:
    """2 to 20 cases with tied probabilities: everything `evaluate` prints, at a threshold chosen by cost or a rule."""
    n = int(rng.integers(2, 21))
    y = rng.integers(0, 2, n)
    y[:2] = 0, 1
    x = rng.integers(0, int(rng.integers(2, 12)), n) / 12
    rule = rng.choice(("cost", "youden", "f1", "accuracy", "given"))
    how = {"threshold": 0.5} if rule == "given" else {"choose": None if rule == "cost" else str(rule)}
    ev = rs.evaluate(y, x, costs=rs.Costs(fp=1, fn=5), **how, **design(rng, n))
    for name, one in ev.estimates.items():
        least = -1.0 if name == "mcc" else 0.0
        yield f"{name} of scores", one, least, math.inf if name == "log_loss" else 1.0
    yield "cost", ev.cost, 0.0, 5000.0
    for name, one in (ev.calibration or {}).items():
        ends = (0.0, 1.0) if name in ("ici", "e50", "e90", "ece_10") else (-math.inf, math.inf)
        yield name, one, *ends


def compared(rng: np.random.Generator) -> Asked:
    """Two models on 4 to 20 cases, at times the same one."""
    n = int(rng.integers(4, 21))
    y = rng.integers(0, 2, n)
    y[:2] = 0, 1
    x = rng.integers(0, 9, (2, n))
    if rng.random() < 0.2:
        x[1] = x[0]
    found = rs.compare(y, {"a": x[0], "b": x[1]}, costs=rs.Costs(fp=1, fn=5), **design(rng, n))
    for one in (*found.differences, *found.pairs, *found.cost_differences):
        ends = (-1.0, 1.0) if one.what == "auc" else (-5000.0, 5000.0)
        yield f"difference in {one.what}", one.estimate, *ends


def classes(rng: np.random.Generator) -> Asked:
    """A matrix of 3 to 5 classes with up to 40 cases."""
    k = int(rng.integers(3, 6))
    matrix = rng.multinomial(int(rng.integers(2, 41)), rng.dirichlet(np.full(k * k, 0.4))).reshape(k, k)
    ev = rs.evaluate(
        np.repeat(np.arange(k).repeat(k), matrix.ravel()), predicted=np.repeat(np.tile(np.arange(k), k), matrix.ravel())
    )
    for name, one in ev.estimates.items():
        yield f"{name} of classes", one, -1.0 if name in ("kappa", "mcc", "balanced_accuracy") else 0.0, 1.0


def few_labels(rng: np.random.Generator) -> Asked:
    n = int(rng.integers(2, 21))
    y = (rng.random(n) < rng.choice((0.0, 0.1, 0.5, 1.0))).astype(int)
    found = rs.intervals.prediction_powered_mean(y, rng.random(n), rng.random(50))
    yield "prediction-powered mean", found, 0.0, 1.0


KINDS: tuple[tuple[Callable[[np.random.Generator], Asked], float], ...] = (
    (counts, 0.8), (scored, 0.05), (compared, 0.05), (classes, 0.05), (few_labels, 0.05),
)  # fmt: skip


def fault(one: Any, least: float, most: float) -> str:
    """What is wrong with an interval; '' where nothing is, or where it is refused."""
    if one is None or math.isnan(one.value) or math.isnan(one.low) or math.isnan(one.high):
        return ""
    slack = 1e-9
    if one.why.startswith("identical rankings"):  # one model twice: a difference of exactly 0, and said to be that
        return ""
    if not one.low < one.high:
        return "width 0"
    if one.low < least - slack or one.high > most + slack:
        return "outside its range"
    return "" if one.low - slack <= one.value <= one.high + slack else "without its value"


def chunk(number: int, size: int = CHUNK) -> dict[str, Any]:
    """The intervals of some tables: how many were asked, and the faults by name."""
    rng = np.random.default_rng([SEED, number])
    functions, shares = zip(*KINDS, strict=True)
    asked, faults = 0, {}
    for _ in range(size):
        for name, one, least, most in functions[int(rng.choice(len(KINDS), p=shares))](rng):
            asked += 1
            wrong = fault(one, least, most)
            if wrong:
                faults[f"{name}: {wrong}"] = faults.get(f"{name}: {wrong}", 0) + 1
    return {"tables": size, "asked": asked, "faults": faults}


def run(tables: int, processes: int, path: Path | None = None, *, go_on: bool = False) -> dict[str, Any]:
    """All of them, in chunks of so many; kept after each chunk, so that a stopped run can go on."""
    size = min(CHUNK, tables)
    found: dict[str, Any] = {"quantity": NAME, "seed": SEED, "tables": 0, "asked": 0, "faults": {}}
    if go_on and path is not None and path.exists():
        before = json.loads(path.read_text(encoding="utf-8"))
        found = before if before.get("seed") == SEED else found
    left = range(found["tables"] // size, max(1, tables // size))
    with get_context("spawn").Pool(processes) as pool:
        for one in pool.imap(partial(chunk, size=size), left):
            found["tables"] += one["tables"]
            found["asked"] += one["asked"]
            for name, count in one["faults"].items():
                found["faults"][name] = found["faults"].get(name, 0) + count
            if path is not None:
                path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
            print(f"{NAME}: {found['tables']:,} of {tables:,}", file=sys.stderr)
    return found
