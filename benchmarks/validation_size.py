"""How often the default test of each plan calls two equal algorithms different, by simulation with fixed seeds.

Two learners are equal by symmetry: the same learner on the first and on the second half of the features, which have the
same distribution. Every run draws new data. `python -m benchmarks.validation_size` runs 500 per cell and fails where a
default test rejects in more than 7 % of them at the 5 % level.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from multiprocessing import get_context
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from rocscope.validation import validate
from rocscope.validation.comparisons import default_test

LEVEL, GOAL = 0.05, 0.07


class Means(ClassifierMixin, BaseEstimator):
    """A case belongs to the class whose mean is nearer, in some of the features."""

    def __init__(self, first: int = 0, last: int = 3) -> None:
        self.first = first
        self.last = last

    def fit(self, X: Any, y: Any) -> Means:
        rows = X[:, self.first : self.last]
        self.classes_ = np.array([0, 1])
        low, high = rows[y == 0].mean(axis=0), rows[y == 1].mean(axis=0)
        self.slope_, self.middle_ = high - low, (high + low) / 2
        return self

    def decision_function(self, X: Any) -> Any:
        return (X[:, self.first : self.last] - self.middle_) @ self.slope_

    def predict(self, X: Any) -> Any:
        return (self.decision_function(X) > 0).astype(int)


class Cell(NamedTuple):
    """One plan on data of one size, with one share of positive cases."""

    plan: str
    cases: int
    positive: float = 0.5


CELLS = (
    Cell("5x2", 60), Cell("5x2", 100), Cell("5x2", 200), Cell("5x2", 250), Cell("5x2", 300), Cell("5x2", 100, 0.2),
    Cell("5x2", 650, 0.2), Cell("10-fold", 60), Cell("10-fold", 100), Cell("10-fold", 300), Cell("10-fold", 100, 0.2),
    Cell("3x4-fold", 60), Cell("3x4-fold", 100), Cell("3x4-fold", 60, 0.2), Cell("5x10-fold", 100),
    Cell("20x5-fold", 100), Cell("bootstrap-20", 60), Cell("bootstrap-20", 100), Cell("disjoint-5", 100),
    Cell("disjoint-10", 400), Cell("holdout", 60), Cell("holdout", 100), Cell("holdout", 200), Cell("holdout", 400),
    Cell("holdout", 100, 0.2), Cell("loo", 60), Cell("loo", 80), Cell("loo", 100), Cell("loo", 120), Cell("loo", 150),
    Cell("loo", 250), Cell("loo", 100, 0.2),
)  # fmt: skip


class Run(NamedTuple):
    """What one comparison said: the test that decided, and whether AUC and error rate were called different."""

    test: str
    auc: bool
    error_rate: bool


def one_run(seed: int, *, cell: Cell) -> Run:
    """Two equal learners on new data; different is what p or the interval says to be so."""
    generator = np.random.default_rng([seed, cell.cases])
    y = (np.arange(cell.cases) % round(1 / cell.positive) == 1).astype(int)
    X = generator.normal(size=(cell.cases, 6)) + 0.5 * y[:, None]
    models = {"first": Means(0, 3), "second": Means(3, 6)}
    va = validate(models, X, y, plan=cell.plan, seed=seed)
    said = {one.what: one.settled or (one.estimate.p is not None and one.estimate.p < LEVEL) for one in va.compare()}
    return Run(default_test(va.pairs), said.get("auc", False), said["error_rate"])  # leave-one-out has no AUC


def line(cell: Cell, found: Sequence[Run]) -> tuple[str, bool]:
    """The line of the table, and whether the goal is met."""
    shares = [float(np.mean([getattr(one, what) for one in found])) for what in ("auc", "error_rate")]
    met = max(shares) <= GOAL
    said = f"{cell.plan} | {cell.cases} | {100 * cell.positive:.0f} % | {found[0].test} | {shares[0]:.3f}"
    return f"| {said} | {shares[1]:.3f} | {'✓' if met else f'above {GOAL:g}'} |", met


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--plan", help="this plan alone")
    asked = parser.parse_args()
    print(f"| plan | cases | positive | test | AUC | error rate | {asked.runs} runs at 5 % |")
    print("|---|---|---|---|---|---|---|")
    over = 0
    with get_context("spawn").Pool(asked.processes) as pool:
        for cell in (one for one in CELLS if asked.plan in (None, one.plan)):
            said, met = line(cell, pool.map(partial(one_run, cell=cell), range(asked.runs), chunksize=10))
            over += not met
            print(said, flush=True)
    if over:
        raise SystemExit(f"{over} cells reject more often than {GOAL:g}")


if __name__ == "__main__":
    main()
