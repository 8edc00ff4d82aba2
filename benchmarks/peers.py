"""The drop-in beside its peers: every operation, several sizes, in one process and in turns.

    python -m benchmarks.peers [--quick] [--only TEXT] [--plot growth.svg] [--spark]

Answers are compared before they are timed, and every figure includes the validation of what comes in. First calls and
peak memory are measured in processes of their own. A contender is there when its package is.
"""

from __future__ import annotations

import argparse
import gc
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import rocscope.sklearn as ours
from benchmarks import children, contenders, growth
from benchmarks.harness import Task, Timing, markdown, timed

WORDS = np.array(["ape", "bee", "cat", "dog", "elk"], dtype=object)


class Data(NamedTuple):
    """Two classes and five, as numbers and as text, with scores of every kind; rare positives; label matrices."""

    y: Any
    p: Any
    rare: Any
    y5: Any
    p5: Any
    s: Any
    logit: Any
    tied: Any
    proba: Any
    weight: Any
    matrix: Any
    guesses: Any
    scores: Any


def data(n: int) -> Data:
    rng = np.random.default_rng(20)
    y, rare = rng.integers(0, 2, n), (rng.random(n) < 0.01).astype(np.int64)
    rare[:1] = 1
    logit = 2 * rng.standard_normal(n) + y
    s = 1 / (1 + np.exp(-logit))
    wide, rows = min(n, 1_000_000), max(min(n, 1_000_000) // 10, 20)
    return Data(
        y, rng.integers(0, 2, n), rare, rng.integers(0, 5, n), rng.integers(0, 5, n), s, logit, np.round(s, 3),
        rng.dirichlet(np.ones(5), wide), rng.random(n), rng.integers(0, 2, (rows, 6)), rng.integers(0, 2, (rows, 6)),
        rng.random((rows, 6)),
    )  # fmt: skip


def alike(mine: Any, other: Any) -> bool:
    """The same answer to 1e-9, whatever its form."""
    if isinstance(other, tuple):
        return all(alike(a, b) for a, b in zip(mine, other, strict=True))
    if isinstance(other, str):
        return bool(mine == other)
    return bool(np.allclose(mine, other, rtol=1e-9, atol=1e-12))


def task(
    label: str, name: str, *args: Any, goal: float = 1.0, floor: Any = None, peers: Any = None, **options: Any
) -> Task:
    """One function of ours beside scikit-learn's and others."""
    return Task(
        label,
        lambda: getattr(ours, name)(*args, **options),
        {**contenders.scikit(name, *args, **options), **(peers or {})},
        floor=floor,
        same=alike,
        goals={"scikit-learn": goal},
    )


def sort_of(values: Any) -> Callable[[], Any]:
    return lambda: np.sort(values)


def read_of(values: Any) -> Callable[[], Any]:
    return lambda: np.count_nonzero(values)


# ---- the tasks ----


def rankings(d: Data, n: str, goals: dict[str, float]) -> Iterator[Task]:
    floor = sort_of(d.s)
    big = {"continuous": 15.0 if n == "1e7" else 10.0, "tied": 20.0, "curve": 5.0} if goals else {}
    auc = "roc_auc_score"
    yield task(f"{auc}, {n}", auc, d.y, d.s, goal=big.get("continuous", 5), floor=floor,
               peers=contenders.areas(d.y, d.s))  # fmt: skip
    yield task(f"{auc}, {n}, tied", auc, d.y, d.tied, goal=big.get("tied", 5), floor=read_of(d.tied),
               peers=contenders.areas(d.y, d.tied))  # fmt: skip
    yield task(f"{auc}, {n}, mixed sign", auc, d.y, d.logit, floor=sort_of(d.logit))
    yield task(f"{auc}, {n}, float32", auc, d.y, d.s.astype(np.float32), floor=sort_of(d.s.astype(np.float32)))
    yield task(f"{auc}, {n}, rare", auc, d.rare, d.s, floor=floor)
    yield task(f"{auc}, {n}, weights", auc, d.y, d.s, sample_weight=d.weight, floor=floor)
    for name in ("roc_curve", "precision_recall_curve", "average_precision_score"):
        yield task(f"{name}, {n}", name, d.y, d.s, goal=5, floor=floor)
        yield task(f"{name}, {n}, tied", name, d.y, d.tied, goal=5, floor=read_of(d.tied))
    for name in ("det_curve", "confusion_matrix_at_thresholds"):
        yield task(f"{name}, {n}", name, d.y, d.s, floor=floor)
    if len(d.proba) < len(d.y):
        return
    yield task(f"{auc}, {n}, 5 classes, ovr", auc, d.y5, d.proba, multi_class="ovr")
    yield task(f"{auc}, {n}, 5 classes, ovo", auc, d.y5, d.proba, multi_class="ovo")


def matrices(d: Data, n: str, goals: dict[str, float]) -> Iterator[Task]:
    text, guess = WORDS[d.y5], WORDS[d.p5]
    read = read_of(d.y5)
    yield task(f"confusion_matrix, {n}", "confusion_matrix", d.y5, d.p5, goal=20 if goals else 5, floor=read,
               peers=contenders.matrices(d.y5, d.p5, 5))  # fmt: skip
    yield task(f"confusion_matrix, {n}, 2 classes", "confusion_matrix", d.y, d.p, goal=20 if goals else 5, floor=read)
    yield task(f"confusion_matrix, {n}, strings", "confusion_matrix", text, guess, goal=40 if goals else 5)
    yield task(f"confusion_matrix, {n}, fixed-width strings", "confusion_matrix", text.astype(str), guess.astype(str))
    yield task(f"classification_report, {n}", "classification_report", d.y5, d.p5, goal=40 if goals else 5, floor=read)
    prf = "precision_recall_fscore_support"
    yield task(f"{prf}, {n}", prf, d.y5, d.p5, goal=30 if goals else 5, floor=read)
    for name in ("accuracy_score", "zero_one_loss", "hamming_loss", "balanced_accuracy_score", "matthews_corrcoef"):
        yield task(f"{name}, {n}", name, d.y5, d.p5, goal=5, floor=read)
    yield task(f"cohen_kappa_score, {n}", "cohen_kappa_score", d.y5, d.p5, goal=5, floor=read)
    for name in ("precision_score", "recall_score", "f1_score", "jaccard_score", "class_likelihood_ratios"):
        yield task(f"{name}, {n}", name, d.y, d.p, goal=5, floor=read)
    yield task(f"fbeta_score, {n}", "fbeta_score", d.y, d.p, beta=2.0, goal=5, floor=read)
    yield task(f"multilabel_confusion_matrix, {n}", "multilabel_confusion_matrix", d.y5, d.p5, goal=5, floor=read)
    yield task(f"f1_score, {n} / 10 x 6 labels", "f1_score", d.matrix, d.guesses, average="macro")


def probabilities(d: Data, n: str, goals: dict[str, float]) -> Iterator[Task]:
    read = read_of(d.s)
    for name, goal in {"brier_score_loss": 15, "log_loss": 7, "d2_log_loss_score": 5, "d2_brier_score": 5}.items():
        yield task(f"{name}, {n}", name, d.y, d.s, goal=goal if goals else 5, floor=read)
    for name in ("brier_score_loss", "log_loss", "top_k_accuracy_score", "hinge_loss"):
        yield task(f"{name}, {n}, 5 classes", name, d.y5, d.proba, floor=read_of(d.proba))
    yield task(f"hinge_loss, {n}", "hinge_loss", d.y, d.logit, floor=read)
    for strategy in ("uniform", "quantile"):
        yield task(f"calibration_curve, {n}, {strategy}", "calibration_curve", d.y, d.s, strategy=strategy, floor=read)
    for name in ("coverage_error", "label_ranking_loss"):
        yield task(f"{name}, {n} / 10 x 6 labels", name, d.matrix, d.scores)
    if len(d.y) <= 10_000:
        for name in ("label_ranking_average_precision_score", "dcg_score", "ndcg_score"):
            yield task(f"{name}, {n} / 10 x 6 labels", name, d.matrix, d.scores, goal=5)
    x, up = np.sort(d.s), np.sort(d.weight)
    yield task(f"auc, {n}", "auc", x, up, floor=read)


def thresholds(d: Data, n: int) -> Iterator[Task]:
    if contenders.there("sklearn"):
        from sklearn.metrics import f1_score

        y, s = d.y[:n], d.s[:n]
        name = f"metric_at_thresholds, {n:.0e}".replace("e+0", "e") + " (f1)"
        yield task(name, "metric_at_thresholds", y, s, f1_score, goal=1000 if n == 10_000 else 5)


def how_sure(d: Data) -> Iterator[Task]:
    """Intervals and tests, which scikit-learn has none of."""
    if contenders.there("rocscope.intervals") and contenders.there("sklearn"):
        import rocscope as rs

        y, s = d.y[:1000], d.s[:1000]
        table = rs.ScoreTable.from_scores(y, s)

        def limits() -> Any:
            found = rs.intervals.bootstrap(table, "auc", n=200, method="percentile", seed=0)
            return found.low, found.high

        def near(a: Any, b: Any) -> bool:
            return bool(np.allclose(tuple(a), tuple(b), atol=0.01))  # other draws, other limits

        yield Task("bootstrap of the AUC, 1e3 x 200", limits, contenders.intervals(y, s, 200), same=near)
        if peers := contenders.delong(y, s, d.logit[::-1][:1000]):
            other = d.logit[::-1][:1000]
            yield Task("paired DeLong test, 1e3", lambda: rs.significance.delong(y, s, other).p, peers, same=alike)


def tasks(quick: bool) -> Iterator[Task]:
    """Every task of every size; goals for large data are asked at a million rows and more."""
    warnings.filterwarnings("ignore")
    for n in (100, 10_000) if quick else (100, 10_000, 1_000_000, 10_000_000):
        d, shown = data(n), f"{n:.0e}".replace("e+0", "e")
        goals = {"large": 1.0} if n >= 1_000_000 else {}
        yield from rankings(d, shown, goals)
        if n <= 1_000_000:
            yield from matrices(d, shown, goals)
            yield from probabilities(d, shown, goals)
        if n == 10_000:
            yield from thresholds(d, 200 if quick else 10_000)
            yield from how_sure(d)


# ---- what is not a table of ratios ----

FIRST = [
    ("roc_auc_score", "scores"), ("roc_auc_score", "mixed"), ("roc_curve", "scores"), ("confusion_matrix", "labels"),
    ("confusion_matrix", "objects"), ("confusion_matrix", "strings"), ("brier_score_loss", "scores"),
]  # fmt: skip


def first_calls(n: int, asked: list[tuple[str, str]]) -> str:
    """First calls and the rise of peak memory, ours and scikit-learn's, each in a fresh process."""
    lines = ["| first call | ours | scikit-learn | ratio | MiB ours | MiB scikit-learn |", "|---|---|---|---|---|---|"]
    for name, kind in asked:
        mine, other = (children.cost(module, name, n, kind) for module in ("rocscope.sklearn", "sklearn.metrics"))
        if mine and other:
            lines.append(
                f"| {name}, {n:.0e}, {kind} | {mine.seconds * 1e3:.0f} ms | {other.seconds * 1e3:.0f} ms "
                f"| {other.seconds / mine.seconds:.0f}x | {mine.mebibytes:.0f} | {other.mebibytes:.0f} |"
            )
    return "\n".join(lines)


def others(n: int, rounds: int, spark: bool) -> str:
    """Contenders that time themselves: R's pROC, and Spark when asked."""
    d, lines = data(n), []
    area = ours.roc_auc_score(d.y, d.s)
    mine = timed(Task("", lambda: ours.roc_auc_score(d.y, d.s)), rounds).seconds["ours"]
    asked = {"R pROC": contenders.r_proc, **({"Spark MLlib": contenders.spark} if spark else {})}
    for name, call in asked.items():
        found = call(d.y, d.s, rounds)
        if found is None:
            lines.append(f"{name}: not there.")
        elif abs(found["area"] - area) > 1e-6:
            raise SystemExit(f"{name} answers differently: {found['area']} and {area}")
        else:
            lines.append(f"{name}, AUC, {n:.0e} rows: {found['seconds'] / mine:.0f}x as long as ours.")
    return "\n".join(lines)


def growth_of(sizes: list[int], rounds: int) -> str:
    """The picture of how long the AUC takes."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for n in sizes:
        d = data(n)
        one = task("", "roc_auc_score", d.y, d.s, floor=sort_of(d.s), peers=contenders.areas(d.y, d.s))
        for name, seconds in timed(one, rounds).seconds.items():
            lines.setdefault({"ours": "rocscope", "floor": "bare sort"}.get(name, name), []).append((n, seconds))
    return growth.svg("ROC AUC of continuous scores: seconds against rows", lines)


def lost(timings: list[Timing]) -> str:
    """The rows in which another contender was faster, or a goal is missed: said, not hidden."""
    slower = [
        f"- {timing.task.name}: {name} took {timing.ratio(name):.2f} of our time"
        for timing in timings
        for name in timing.task.peers
        if timing.ratio(name) < 1
    ]
    missed = [
        f"- {timing.task.name}: {timing.ratio(name):.1f}x {name}{timing.met(name)}"
        for timing in timings
        for name in timing.task.goals
        if "goal" in timing.met(name)
    ]
    return "\n".join(["Faster than ours:", *(slower or ["none"]), "", "Goals missed:", *(missed or ["none"])])


def main() -> None:
    parser = argparse.ArgumentParser(description="The drop-in beside its peers")
    parser.add_argument("--quick", action="store_true", help="smaller data, two rounds, under a minute")
    parser.add_argument("--rounds", type=int, default=0, help="rounds per task (5; 2 when quick)")
    parser.add_argument("--only", default="", help="only tasks whose name contains this")
    parser.add_argument("--plot", default="", metavar="OUT.svg", help="write how time grows with n")
    parser.add_argument("--spark", action="store_true", help="ask Spark MLlib, too")
    asked = parser.parse_args()
    rounds = asked.rounds or (2 if asked.quick else 5)
    timings = []
    for one in tasks(asked.quick):
        if asked.only.lower() in one.name.lower():
            print(one.name, file=sys.stderr)
            gc.freeze()  # the peers' packages are many objects, and collecting them would take longer than the calls
            timings.append(timed(one, rounds))
    print("## The drop-in beside its peers\n\nA peer's figure is how many times as long as ours it took.\n")
    print(markdown(timings), "", lost(timings), sep="\n")
    if not asked.only:
        print("", first_calls(100_000, FIRST[:2]) if asked.quick else first_calls(10_000_000, FIRST), sep="\n")
        print("", others(10_000 if asked.quick else 1_000_000, rounds, asked.spark), sep="\n")
    if asked.plot:
        sizes = [100, 1000, 10_000, 100_000] if asked.quick else [10**power for power in range(2, 8)]
        Path(asked.plot).write_text(growth_of(sizes, rounds), encoding="utf-8")


if __name__ == "__main__":
    main()
