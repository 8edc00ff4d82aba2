"""validate() beside scikit-learn's cross_validate: the same models, splits and scorers, 10 x 10 folds of 1,000 rows.

`python -m benchmarks.validation` prints how many times as long ours takes; the goal is at most 1.3.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB

from rocscope.splits import Folds
from rocscope.validation import validate

GOAL = 1.3
SCORERS = {
    "accuracy": "accuracy", "balanced_accuracy": "balanced_accuracy", "recall": "recall", "precision": "precision",
    "f1": "f1", "mcc": "matthews_corrcoef", "auc": "roc_auc", "average_precision": "average_precision",
    "log_loss": "neg_log_loss",
}  # fmt: skip


def data(rows: int = 1000) -> tuple[Any, Any]:
    generator = np.random.default_rng(0)
    y = generator.integers(0, 2, rows)
    return generator.normal(size=(rows, 10)) + 0.4 * y[:, None], y


def ours(models: dict[str, Any], X: Any, y: Any) -> dict[str, Any]:
    """All folds, every measure of each, the summaries with intervals and the comparison."""
    va = validate(models, X, y, plan=Folds(10, repeats=10))
    found = {name: va.values(name) for name in SCORERS}
    va.summary()
    if len(models) > 1:
        va.compare()
    return found


def theirs(models: dict[str, Any], X: Any, y: Any) -> dict[str, Any]:
    cv = Folds(10, repeats=10)
    return {name: cross_validate(model, X, y, cv=cv, scoring=list(SCORERS.values())) for name, model in models.items()}


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    start = perf_counter()
    answer = call()
    return perf_counter() - start, answer


def compared(models: dict[str, Any], rounds: int) -> tuple[float, float]:
    """The best seconds of each, in turns; the answers must be the same."""
    X, y = data()
    best = [float("inf"), float("inf")]
    for _ in range(rounds):
        mine, found = timed(lambda: ours(models, X, y))
        other, answers = timed(lambda: theirs(models, X, y))
        best = [min(best[0], mine), min(best[1], other)]
        for name, scorer in SCORERS.items():
            sign = -1 if scorer.startswith("neg") else 1
            for model in models:
                if not np.allclose(found[name][model], sign * answers[model][f"test_{scorer}"], atol=1e-9):
                    raise SystemExit(f"{name} of {model} differs from scikit-learn's {scorer}")
    return best[0], best[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    cases = {
        "one cheap model (naive Bayes)": {"bayes": GaussianNB()},
        "two cheap models": {"bayes": GaussianNB(), "logistic": LogisticRegression()},
    }
    print("| 10 x 10 folds of 1,000 rows | validate() | cross_validate | times |")
    print("|---|---|---|---|")
    for name, models in cases.items():
        mine, other = compared(models, rounds)
        met = "✓" if mine / other <= GOAL else f"(goal {GOAL:g})"
        print(f"| {name} | {mine:.2f} s | {other:.2f} s | {mine / other:.2f} {met} |")


if __name__ == "__main__":
    main()
