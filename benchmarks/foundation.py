"""The foundation at a million rows: areas, curves and matrices beside scikit-learn, polars, a bare sort.

    python -m benchmarks.foundation [--quick] [--only TEXT]

Every figure includes the validation of what comes in, as a user's call does.
"""

from __future__ import annotations

import importlib.util
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import rocscope as rs
from benchmarks.harness import Task, main


class Data(NamedTuple):
    """Labels, probabilities, logits of both signs, a rare class, and scores of three decimals."""

    y: Any
    share: Any
    logit: Any
    rare: Any
    rounded: Any


def data(n: int) -> Data:
    random = np.random.default_rng(20)
    y, rare = (random.random(n) < 0.5).astype(np.int64), (random.random(n) < 0.01).astype(np.int64)
    logit = random.normal(size=n) * 2 + y + rare
    share = 1 / (1 + np.exp(-logit))
    return Data(y, share, logit, rare, np.round(share, 3))


def tasks(quick: bool) -> Iterator[Task]:
    warnings.filterwarnings("ignore")
    n = 100_000 if quick else 1_000_000
    d = data(n)
    for task in (*areas(d, n), *curves(d, n), *matrices(d, n)):
        yield replace(task, goals={}) if quick else task  # the goals are meant for a million rows
    yield from small(d)


# ---- our side: through the public doors ----


def auc(y: Any, s: Any, positive: Any = None) -> float:
    """The area straight from the arrays."""
    return rs.curves.auc_of(y, s, positive=positive)


def table_auc(y: Any, s: Any, **options: Any) -> float:
    return rs.curves.auc(rs.ScoreTable.from_scores(y, s, **options))


def roc(y: Any, s: Any) -> tuple[Any, Any, Any]:
    curve = rs.curves.roc(rs.ScoreTable.from_scores(y, s))
    return curve.fpr, curve.tpr, curve.thresholds


def pr(y: Any, s: Any) -> tuple[Any, Any]:
    curve = rs.curves.pr(rs.ScoreTable.from_scores(y, s))
    return curve.precision, curve.recall


# ---- tasks ----


def areas(d: Data, n: int) -> Iterator[Task]:
    from sklearn.metrics import roc_auc_score

    def task(name: str, y: Any, s: Any, ours: Callable[..., Any] = auc, **goals: float) -> Task:
        theirs = {"scikit-learn": lambda: roc_auc_score(y, s), **torch_auc(y, s)}
        return Task(
            f"AUC, {name}, n = {n:,}", lambda: ours(y, s), theirs, lambda: np.sort(s), goals=asked(goals)
        )

    yield task("probabilities, balanced", d.y, d.share, sk=10, floor=2.2)
    yield task("both signs, balanced", d.y, d.logit, sk=10, floor=2.2)
    yield task("probabilities, 1 % positive", d.rare, d.share, sk=10, floor=2.2)
    yield task("both signs, 1 % positive", d.rare, d.logit, sk=10, floor=2.2)
    yield task("float32 probabilities", d.y, d.share.astype(np.float32), sk=10)
    yield task("bool labels", d.y.astype(bool), d.share, sk=10, floor=2.2)
    yield task("float labels", d.y.astype(float), d.share, sk=10, floor=2.2)
    words = np.array(["no", "yes"], dtype=object)[d.y]
    yield task("object text labels", words, d.share, lambda y, s: auc(y, s, "yes"), sk=10)
    yield task("by way of the table", d.y, d.share, table_auc, sk=10)
    yield task("3 decimals", d.y, d.rounded, sk=10)
    weights = np.random.default_rng(1).random(n)
    yield Task(
        f"AUC, weighted, n = {n:,}",
        lambda: table_auc(d.y, d.share, weights=weights),
        {"scikit-learn": lambda: roc_auc_score(d.y, d.share, sample_weight=weights)},
        lambda: np.sort(d.share),
        goals={"scikit-learn": 3},
    )


def asked(goals: dict[str, float]) -> dict[str, float]:
    return {{"sk": "scikit-learn"}.get(name, name): goal for name, goal in goals.items()}


def torch_auc(y: Any, s: Any) -> dict[str, Callable[[], Any]]:
    """torchmetrics as a contender, when it is installed and takes these labels."""
    if importlib.util.find_spec("torchmetrics") is None or y.dtype.kind not in "iu":
        return {}
    if s.min() < 0 or s.max() > 1:  # it would take these for logits and transform them
        return {}
    tensor = importlib.import_module("torch").from_numpy
    area = importlib.import_module("torchmetrics.functional.classification").binary_auroc
    scores, truth = tensor(s), tensor(y)
    return {"torchmetrics": lambda: float(area(scores, truth))}


def curves(d: Data, n: int) -> Iterator[Task]:
    from sklearn.metrics import precision_recall_curve, roc_curve

    for name, s in (("probabilities", d.share), ("both signs", d.logit)):
        yield Task(
            f"ROC arrays, {name}, n = {n:,}",
            partial(roc, d.y, s),
            {"scikit-learn": partial(roc_curve, d.y, s, drop_intermediate=False)},
            partial(np.sort, s),
            same=lambda ours, theirs: all(np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True)),
            goals={"scikit-learn": 5},
        )
        yield Task(
            f"PR arrays, {name}, n = {n:,}",
            partial(pr, d.y, s),
            {"scikit-learn": partial(precision_recall_curve, d.y, s)},
            partial(np.sort, s),
            same=same_pr,
            goals={"scikit-learn": 5},
        )
    yield Task(
        f"table of 3-decimal scores, n = {n:,}",
        lambda: counted(d.y, d.rounded),
        grouped_by_polars(d),
        lambda: np.sort(d.rounded),
        same=lambda ours, theirs: all(np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True)),
        goals={"polars": 1},
    )


def same_pr(ours: tuple[Any, Any], theirs: tuple[Any, ...]) -> bool:
    # scikit-learn runs the other way and ends in an invented (1, 0), where precision is 0/0.
    return np.array_equal(ours[0][1:], theirs[0][:-1][::-1]) and np.array_equal(
        ours[1][1:], theirs[1][:-1][::-1]
    )


def counted(y: Any, s: Any) -> tuple[Any, Any, Any]:
    table = rs.ScoreTable.from_scores(y, s)
    return table.scores, table.pos, table.neg


def grouped_by_polars(d: Data) -> dict[str, Callable[[], Any]]:
    if importlib.util.find_spec("polars") is None:
        return {}
    import polars as pl

    frame = pl.DataFrame({"y": d.y, "s": d.rounded})  # without its cost: a user of polars has one

    def group() -> tuple[Any, Any, Any]:
        found = (
            frame.group_by("s")
            .agg(pl.col("y").sum().alias("pos"), pl.len().alias("all"))
            .sort("s", descending=True)
        )
        pos = found["pos"].to_numpy()
        return found["s"].to_numpy(), pos, found["all"].to_numpy().astype(np.int64) - pos

    return {"polars": group}


def matrices(d: Data, n: int) -> Iterator[Task]:
    from sklearn.metrics import classification_report, confusion_matrix

    random = np.random.default_rng(2)
    actual = random.integers(0, 5, n)
    predicted = np.where(random.random(n) < 0.7, actual, random.integers(0, 5, n))
    words = np.array(["setosa", "versicolor", "virginica", "hybrid", "none"], dtype=object)
    fixed = words.astype(str)
    pairs = {
        "2 classes, int": (d.y, (d.share > 0.5).astype(np.int64), 20),
        "5 classes, int": (actual, predicted, 20),
        "5 classes, object text": (words[actual], words[predicted], 40),
        "5 classes, object text, each its own": (apart(words[actual]), apart(words[predicted]), 40),
        "5 classes, fixed-width text": (fixed[actual], fixed[predicted], 5),
    }
    for name, (a, p, goal) in pairs.items():
        yield Task(
            f"confusion matrix, {name}, n = {n:,}",
            partial(matrix, a, p),
            {"scikit-learn": partial(confusion_matrix, a, p)},
            same=np.array_equal,
            goals={"scikit-learn": goal},
        )
    yield Task(
        f"classification report, 5 classes, int, n = {n:,}",
        lambda: rs.Confusion.from_labels(actual, predicted).report(),
        {"scikit-learn": lambda: classification_report(actual, predicted, digits=3)},
        same=lambda ours, theirs: re.findall(r"\d\.\d+", ours) == re.findall(r"\d\.\d+", theirs),
        goals={"scikit-learn": 40},
    )


def matrix(actual: Any, predicted: Any) -> Any:
    return rs.Confusion.from_labels(actual, predicted).matrix


def apart(column: Any) -> Any:
    """The same text, every row a string of its own, as a careless reader makes them."""
    return np.array([bytes(text, "ascii").decode() for text in column.tolist()], dtype=object)


def small(d: Data) -> Iterator[Task]:
    from sklearn.metrics import roc_auc_score

    y, s, tied = d.y[:100], d.share[:100], np.round(d.share[:100], 1)
    for name, ours, scores, goal in (
        ("AUC, n = 100", auc, s, 25),
        ("AUC, ties, n = 100", auc, tied, 15),
        ("AUC by way of the table, n = 100", table_auc, s, 15),
    ):
        yield Task(
            name,
            partial(ours, y, scores),
            {"scikit-learn": partial(roc_auc_score, y, scores)},
            goals={"scikit-learn": goal},
        )


if __name__ == "__main__":
    main("The foundation", tasks)
