"""The drop-in beside its peers: every operation, several sizes, in one process and in turns.

    python -m benchmarks.peers [--quick] [--only TEXT] [--plot growth.svg] [--write docs/benchmarks.md] [--spark]

Answers are compared before they are timed, and every figure includes the validation of what comes in. First calls and
peak memory are measured in processes of their own. A contender is there when its package is.
"""

from __future__ import annotations

import argparse
import gc
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import rocscope.sklearn as ours
from benchmarks import children, contenders, growth, sure
from benchmarks.harness import Task, Timing, machine, markdown, shown, timed

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
    """The same answer to 1e-9 (1e-5 where a peer answers in float32), whatever its form."""
    if isinstance(other, tuple):
        return all(alike(a, b) for a, b in zip(mine, other, strict=True))
    if isinstance(other, str):
        return bool(mine == other)
    rough = getattr(other, "dtype", None) == np.float32
    return bool(np.allclose(mine, other, rtol=1e-5 if rough else 1e-9, atol=1e-12))


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
        peers = contenders.average_precisions(d.y, d.s) if name == "average_precision_score" else {}
        yield task(f"{name}, {n}", name, d.y, d.s, goal=5, floor=floor, peers=peers)
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
    yield task(f"confusion_matrix, {n}, strings", "confusion_matrix", text, guess, goal=40 if goals else 5,
               peers=contenders.text_matrices(text, guess, WORDS))  # fmt: skip
    yield task(f"confusion_matrix, {n}, fixed-width strings", "confusion_matrix", text.astype(str), guess.astype(str),
               goal=5)  # fmt: skip
    yield task(f"classification_report, {n}", "classification_report", d.y5, d.p5, goal=40 if goals else 5, floor=read)
    prf = "precision_recall_fscore_support"
    yield task(f"{prf}, {n}", prf, d.y5, d.p5, goal=30 if goals else 5, floor=read)
    yield task(f"accuracy_score, {n}", "accuracy_score", d.y5, d.p5, goal=5, floor=read,
               peers=contenders.sums("accuracy_score", d.y5, d.p5))  # fmt: skip
    for name in ("zero_one_loss", "hamming_loss", "balanced_accuracy_score", "matthews_corrcoef"):
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
        peers = contenders.sums(name, d.y, d.s) if not name.startswith("d2") else {}
        yield task(f"{name}, {n}", name, d.y, d.s, goal=goal if goals else 5, floor=read, peers=peers)
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
        name = f"metric_at_thresholds, {short(n)} (f1)"
        yield task(name, "metric_at_thresholds", y, s, f1_score, goal=1000 if n == 10_000 else 5)


def how_sure(d: Data) -> Iterator[Task]:
    """Intervals and tests, which scikit-learn has none of."""
    if contenders.there("rocscope.intervals") and contenders.there("sklearn"):
        import rocscope as rs

        y, s, other = d.y[:1000], d.s[:1000], d.logit[::-1][:1000]

        def resampled() -> tuple[float, float]:
            table = rs.ScoreTable.from_scores(y, s)
            found = rs.intervals.bootstrap(table, "auc", n=200, method="percentile", seed=0)
            return found.low, found.high

        def closed() -> tuple[float, float]:
            found = rs.intervals.auc(rs.ScoreTable.from_scores(y, s), method="delong")
            return found.low, found.high

        def near(a: Any, b: Any) -> bool:
            return bool(np.allclose(tuple(a), tuple(b), atol=0.01))  # other draws, other limits

        yield Task("bootstrap of the AUC, 1e3 x 200", resampled, contenders.resampled(y, s, 200), same=near)
        if peers := contenders.delong_interval(y, s):
            yield Task("DeLong interval of the AUC, 1e3", closed, peers, same=alike)
        if peers := contenders.delong(y, s, other):
            yield Task("paired DeLong test, 1e3", lambda: rs.significance.delong(y, s, other).p, peers, same=alike)


def tasks(quick: bool) -> Iterator[Task]:
    """Every task of every size; goals for large data are asked at a million rows and more."""
    warnings.filterwarnings("ignore")
    for n in (100, 10_000) if quick else (100, 10_000, 1_000_000, 10_000_000):
        d, size = data(n), short(n)
        goals = {"large": 1.0} if n >= 1_000_000 else {}
        yield from rankings(d, size, goals)
        if n <= 1_000_000:
            yield from matrices(d, size, goals)
            yield from probabilities(d, size, goals)
        if n == 10_000:
            yield from thresholds(d, 200 if quick else 10_000)
            yield from how_sure(d)


# ---- what is not a table of ratios ----

FIRST = [
    ("roc_auc_score", "scores", 10**6, 10), ("roc_auc_score", "scores", 10**7, 15),
    ("roc_auc_score", "mixed", 10**7, 1), ("roc_auc_score", "tied", 10**7, 20),
    ("roc_curve", "scores", 10**6, 5), ("roc_curve", "scores", 10**7, 5),
    ("precision_recall_curve", "scores", 10**6, 5), ("precision_recall_curve", "scores", 10**7, 5),
    ("average_precision_score", "scores", 10**6, 5), ("confusion_matrix", "classes", 10**6, 20),
    ("confusion_matrix", "objects", 10**6, 40), ("confusion_matrix", "strings", 10**6, 5),
    ("classification_report", "classes", 10**6, 40), ("precision_recall_fscore_support", "classes", 10**6, 30),
    ("brier_score_loss", "scores", 10**6, 15), ("log_loss", "scores", 10**6, 7),
]  # fmt: skip
"""Function, kind of data, rows, and the ratio asked for."""


def first_calls(quick: bool, processes: int) -> str:
    """First calls and the rise of peak memory, ours and scikit-learn's, each in fresh processes in turns."""
    heads = "| first call | ours | scikit-learn | ratio | worst ratio | MiB ours | MiB scikit-learn |"
    lines = [heads, "| --- " * 7 + "|"]
    for name, kind, rows, asked in FIRST[1:3] if quick else FIRST:
        n = min(rows, 100_000) if quick else rows
        print(f"first call: {name}, {short(n)}, {kind}", file=sys.stderr)
        pairs = [
            [children.cost(module, name, n, kind) for module in ("rocscope.sklearn", "sklearn.metrics")]
            for _ in range(processes)
        ]
        costs = [(mine, other) for mine, other in pairs if mine and other]
        if costs:
            mine, other = (min(side, key=lambda cost: cost.seconds) for side in zip(*costs, strict=True))
            ratios = other.seconds / mine.seconds, min(b.seconds / a.seconds for a, b in costs)
            goal = "" if quick else f" (goal {asked})"
            marked = [f"{ratio:.1f}x{' ✓' if goal and ratio >= asked else goal}" for ratio in ratios]
            lines.append(
                f"| {name}, {short(n)}, {kind} | {shown(mine.seconds)} | {shown(other.seconds)} "
                f"| {marked[0]} | {marked[1]} | {mine.mebibytes:.0f} | {other.mebibytes:.0f} |"
            )
    return "\n".join(lines)


def short(n: int) -> str:
    """1e6 for a million."""
    return f"{n:.0e}".replace("e+0", "e")


def others(n: int, rounds: int, spark: bool) -> str:
    """Contenders that time themselves: R's pROC, and Spark when asked."""
    d, lines = data(n), []
    area = ours.roc_auc_score(d.y, d.s)
    mine = timed(Task("", lambda: ours.roc_auc_score(d.y, d.s)), rounds).seconds["ours"]
    asked = {"R pROC": contenders.r_proc, **({"Spark MLlib": contenders.spark} if spark else {})}
    for name, call in asked.items():
        found = call(d.y, d.s, rounds)
        if found is None:
            lines.append(f"- {name}: not there.")
        elif abs(found["area"] - area) > 1e-6:
            raise SystemExit(f"{name} answers differently: {found['area']} and {area}")
        else:
            took = f"{shown(found['seconds'])}, {found['seconds'] / mine:.0f}x as long as ours ({shown(mine)})"
            lines.append(f"- {name}, AUC of {short(n)} rows: {took}.")
    return "\n".join(lines if spark else [*lines, "- Spark MLlib: not measured (`--spark`)."])


def growth_of(sizes: list[int], rounds: int) -> str:
    """The picture of how long the AUC takes."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for n in sizes:
        d = data(n)
        one = task("", "roc_auc_score", d.y, d.s, floor=sort_of(d.s), peers=contenders.areas(d.y, d.s))
        for name, seconds in timed(one, rounds).seconds.items():
            lines.setdefault({"ours": "rocscope", "floor": "bare sort"}.get(name, name), []).append((n, seconds))
    return growth.svg("ROC AUC of continuous scores: seconds against rows", lines)


WHY = {
    "polars": "polars works on all cores, on columns it holds in its own form, and checks none of them",
    "duckdb": "DuckDB works on all cores and checks nothing",
    "torchmetrics": "torchmetrics is told the number of classes, where we find and check them",
}
"""Why a peer can be faster, said beside every row where it is."""


def lost(timings: list[Timing]) -> str:
    """The rows in which another contender was faster, or a goal is missed: said, not hidden."""
    slower = [
        f"- {timing.task.name}: {name} took {timing.ratio(name):.2f} of our time; {WHY.get(name, 'why is open')}."
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
    parts = ["Faster than ours in this table:", "", *(slower or ["- none"])]
    parts += ["", "Goals missed in this table:", "", *(missed or ["- none"])]
    return "\n".join(parts)


# ---- pages ----

PAGE = """# How fast rocscope is

Generated by `python -m benchmarks.peers --write docs/benchmarks.md`. {machine}; {versions}.

Each time is the best of up to {rounds} rounds. The libraries take turns in one process, their results are compared
before they are timed, and all our times include input validation. The figure for another library is its time divided by
ours; "times the floor" is our time divided by that of a bare `np.sort` of the scores, or of one pass over the data if
nothing needs sorting. The columns of polars and DuckDB are in memory before the clock starts. Ratios carry over between
machines; milliseconds do not. The functions are from `rocscope.sklearn` unless the row says otherwise.

{table}

{lost}

## How running time scales

![Seconds needed for the ROC AUC against the number of rows, for each library](img/growth.svg)

## First calls and memory

Both sides run alternately, in {processes} fresh processes each; the table gives the best of them and the worst ratio
of a pair. A first call pays for memory that no one has touched before, which a virtual machine hands out slowly and
unevenly. MiB is the increase in peak memory during the call.

{first}

## Other languages

{others}

{correction}
"""

README_ROWS = (
    "roc_auc_score, 1e2", "roc_auc_score, 1e6", "roc_auc_score, 1e7", "roc_auc_score, 1e6, tied", "roc_curve, 1e6",
    "average_precision_score, 1e6", "confusion_matrix, 1e6", "confusion_matrix, 1e6, strings",
    "classification_report, 1e6", "metric_at_thresholds, 1e4 (f1)",
)  # fmt: skip
BEGIN, END = "<!-- speed: written by benchmarks/peers.py -->", "<!-- /speed -->"


def readme_table(timings: list[Timing]) -> str:
    """The rows that the README shows."""
    kept = {timing.task.name: timing for timing in timings if timing.task.name in README_ROWS}
    plain = {name: replace(timing, task=replace(timing.task, goals={})) for name, timing in kept.items()}
    return markdown([plain[name] for name in README_ROWS if name in plain])


def between(text: str, new: str) -> str:
    """The text with what stands between the two marks made new."""
    head, rest = text.split(BEGIN)
    return f"{head}{BEGIN}\n{new}\n{END}{rest.split(END)[1]}"


def versions() -> str:
    """Which peers answered, and of which version."""
    found = {}
    for name in ("scikit-learn", "scipy", "polars", "duckdb", "torch", "torchmetrics", "pycm", "confidenceinterval",
                 "MLstatkit"):  # fmt: skip
        with suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    return ", ".join(f"{name} {version}" for name, version in found.items())


def main() -> None:
    parser = argparse.ArgumentParser(description="The drop-in beside its peers")
    parser.add_argument("--quick", action="store_true", help="smaller data, two rounds, under a minute")
    parser.add_argument("--rounds", type=int, default=0, help="rounds per task (5; 2 when quick)")
    parser.add_argument("--only", default="", help="only tasks whose name contains this")
    parser.add_argument("--plot", default="", metavar="OUT.svg", help="write how time grows with n")
    parser.add_argument("--write", default="", metavar="OUT.md", help="write the page, its plot and the README's rows")
    parser.add_argument("--spark", action="store_true", help="ask Spark MLlib, too")
    run(parser.parse_args())


def run(asked: argparse.Namespace) -> None:
    """What was asked for, printed; with --write into the page, its plot and the README."""
    rounds = asked.rounds or (2 if asked.quick else 5)
    timings = measured(asked.quick, asked.only, rounds)
    print("## The drop-in beside its peers\n\nA peer's figure is how many times as long as ours it took.\n")
    print(markdown(timings), "", lost(timings), sep="\n")
    first = beside = ""
    if not asked.only:
        first = first_calls(asked.quick, 1 if asked.quick else 5)
        beside = others(10_000 if asked.quick else 1_000_000, rounds, asked.spark)
        print("", first, "", beside, sep="\n")
    page = Path(asked.write) if asked.write else None
    if plot := asked.plot or (page and page.parent / "img" / "growth.svg"):
        sizes = [100, 1000, 10_000, 100_000] if asked.quick else [10**power for power in range(2, 8)]
        Path(plot).write_text(growth_of(sizes, min(rounds, 3)), encoding="utf-8")
    if page:
        facts = {"machine": machine(), "versions": versions(), "rounds": rounds, "processes": 5}
        text = PAGE.format(table=markdown(timings), lost=lost(timings), first=first, others=beside, **facts,
                           correction=sure.correction(rounds=min(rounds, 3)))  # fmt: skip
        page.write_text(text, encoding="utf-8")
        readme = children.ROOT / "README.md"
        readme.write_text(between(readme.read_text(encoding="utf-8"), readme_table(timings)), encoding="utf-8")


def measured(quick: bool, only: str, rounds: int) -> list[Timing]:
    """The timings of all tasks whose name contains the text."""
    timings = []
    for one in tasks(quick):
        if only.lower() in one.name.lower():
            print(one.name, file=sys.stderr)
            gc.freeze()  # the peers' packages are many objects, and collecting them would take longer than the calls
            timings.append(timed(one, rounds, patience=30))
    return timings


if __name__ == "__main__":
    main()
