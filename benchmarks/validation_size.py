"""How often the default test of each plan calls two equal algorithms different, by simulation with fixed seeds.

Two learners are equal by symmetry: the same learner on the first and on the second half of the features, which have the
same distribution. Every run draws new data. `python -m benchmarks.validation_size` runs 500 per plan; the goal is that
no default test rejects in more than 7 % of the runs at the 5 % level, but where the answer warns of too few cases.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from multiprocessing import get_context
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from rocscope.validation import validate

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
    """One plan on data of one size; `warned`: so few cases that the answer itself warns of too many findings."""

    plan: str
    cases: int
    warned: bool = False


CELLS = (
    Cell("5x2", 100, warned=True), Cell("5x2", 200, warned=True), Cell("5x2", 300), Cell("10-fold", 100),
    Cell("10-fold", 300), Cell("5x10-fold", 100), Cell("20x5-fold", 100), Cell("disjoint-10", 400),
    Cell("holdout", 400), Cell("loo", 60, warned=True), Cell("loo", 120), Cell("bootstrap-20", 100),
)  # fmt: skip


def one_run(cell: Cell, seed: int) -> dict[str, float | None]:
    """The p of the default test in AUC and in the error rate."""
    generator = np.random.default_rng([seed, cell.cases])
    y = np.arange(cell.cases) % 2
    X = generator.normal(size=(cell.cases, 6)) + 0.5 * y[:, None]
    models = {"first": Means(0, 3), "second": Means(3, 6)}
    va = validate(models, X, y, plan=cell.plan, seed=seed)
    return {one.what: one.estimate.p for one in va.compare()}


def rejections(cell: Cell, runs: int) -> dict[str, float]:
    """The share of runs in which each measure's test rejects."""
    found = [one_run(cell, seed) for seed in range(runs)]
    return {what: float(np.mean([(p[what] or 1.0) < LEVEL for p in found])) for what in ("auc", "error_rate")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args()
    print(f"| plan | cases | rejections in AUC | in error rate | of {asked.runs} runs at 5 % |")
    print("|---|---|---|---|---|")
    over = 0
    with get_context("spawn").Pool(asked.processes) as pool:
        for cell, found in zip(CELLS, pool.imap(partial(rejections, runs=asked.runs), CELLS), strict=True):
            met = max(found.values()) <= GOAL
            over += not met and not cell.warned
            said = "✓" if met else "above 0.07, warned of in the answer" if cell.warned else "above 0.07"
            print(f"| {cell.plan} | {cell.cases} | {found['auc']:.3f} | {found['error_rate']:.3f} | {said} |")
            sys.stdout.flush()
    if over:
        raise SystemExit(f"{over} plans reject more often than {GOAL:g}")


if __name__ == "__main__":
    main()
