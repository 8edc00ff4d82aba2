"""Measures of few positives, macro averages, areas and losses, and calibration: no choice, only chance."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from scipy.special import expit, ndtr, ndtri

import rocscope as rs
from benchmarks.coverage.drawn.quantity import (
    Answers,
    Generator,
    Quantity,
    Setting,
    between,
    cases_and_share,
    limits_of,
    one_of,
    spread_over,
)
from benchmarks.coverage.drawn.scores import labels, true_measure
from benchmarks.coverage.models import Array, bisect

TWO_RATES = ("balanced_accuracy", "youden", "gmean")
AVERAGED = ("precision", "recall", "f1")
POPULATION = 200_000  # probabilities whose true calibration is summed


# ---- two rates ----


def few_setting(rng: Generator) -> Setting:
    """3 to 20 positives beside 20 to 500 negatives, at a given threshold."""
    up, down = int(rng.integers(3, 21)), round(spread_over(rng, 20, 500))
    return {"cases": up, "negatives": down, "recall": between(rng, 0.5, 0.98), "alarms": between(rng, 0.02, 0.4)}


@cache
def _of_counts(name: str, tp: int, fp: int, fn: int, tn: int) -> Any:
    return rs.Counts(tp=tp, fp=fp, fn=fn, tn=tn).estimate(name)


def few_positives(setting: Setting, rng: Generator) -> Answers:
    tp = int(rng.binomial(setting["cases"], setting["recall"]))
    fp = int(rng.binomial(setting["negatives"], setting["alarms"]))
    rates, answers = (setting["recall"], setting["alarms"]), {}
    for name in TWO_RATES:
        of = rs.measures.get(name)
        found = _of_counts(name, tp, fp, setting["cases"] - tp, setting["negatives"] - fp)
        answers[name] = limits_of(found, true_measure(name, 0.5, rates), of.low, of.high)
    return answers


# ---- macro averages ----


def class_setting(rng: Generator) -> Setting:
    """3, 5 or 10 classes, even or uneven; errors fall on the other classes by their size or evenly."""
    k, n = one_of(rng, 3, 5, 10), round(spread_over(rng, 60, 1000))
    sizes = np.ones(k) if one_of(rng, True, False) else rng.dirichlet(np.full(k, 2.0))
    sizes = np.maximum(sizes / sizes.sum(), 0.02)
    sizes = sizes / sizes.sum()
    right = (
        [between(rng, 0.4, 0.97, 3) for _ in range(k)] if one_of(rng, True, False) else [between(rng, 0.4, 0.97, 3)] * k
    )
    return {
        "classes": k, "n": n, "sizes": [round(float(one), 4) for one in sizes], "right": right,
        "errors": one_of(rng, "by size", "evenly"), "cases": round(float(n * sizes.min()), 1),
    }  # fmt: skip


def matrix_of(setting: Setting) -> Array:
    """The true shares of every cell (actual x predicted)."""
    sizes = np.array(setting["sizes"]) / sum(setting["sizes"])
    k = len(sizes)
    other = np.tile(sizes if setting["errors"] == "by size" else np.ones(k), (k, 1))
    np.fill_diagonal(other, 0)
    other /= other.sum(axis=1, keepdims=True)
    right = np.array(setting["right"])
    return np.asarray(sizes[:, None] * (np.diag(right) + (1 - right)[:, None] * other))


def macro(setting: Setting, rng: Generator) -> Answers:
    true, k = matrix_of(setting), setting["classes"]
    counts = rng.multinomial(setting["n"], true.ravel()).reshape(k, k)
    found = rs.Confusion.from_matrix(counts, labels=[f"c{i}" for i in range(k)])
    tp, actual, predicted = np.diag(true), true.sum(axis=1), true.sum(axis=0)
    truth = {"precision": tp / predicted, "recall": tp / actual, "f1": 2 * tp / (actual + predicted)}
    return {
        f"macro {name}": limits_of(found.estimate(name, average="macro"), float(truth[name].mean()), 0, 1)
        for name in AVERAGED
    }


# ---- areas ----


def area_setting(rng: Generator) -> Setting:
    return {**cases_and_share(rng), "area": between(rng, 0.6, 0.99), "spread": one_of(rng, 1.0, 1.0, 1.5, 0.7)}


@cache
def true_average_precision(share: float, area: float, spread: float) -> float:
    """The integral of precision over recall, of normal scores."""
    m = float(ndtri(area)) * math.sqrt(1 + spread**2)
    recall = (np.arange(200_000) + 0.5) / 200_000
    alarms = ndtr(-(m + spread * ndtri(1 - recall)))
    return float(np.mean(share * recall / (share * recall + (1 - share) * alarms)))


def areas(setting: Setting, rng: Generator) -> Answers:
    y = labels(rng, setting["n"], setting["share"])
    m = float(ndtri(setting["area"])) * math.sqrt(1 + setting["spread"] ** 2)
    x = rng.standard_normal(len(y)) * np.where(y == 1, setting["spread"], 1.0) + m * y
    ev = rs.evaluate(y, x)
    truth = true_average_precision(setting["share"], setting["area"], setting["spread"])
    return {
        "AUC": limits_of(ev.auc, setting["area"], 0, 1),
        "average precision": limits_of(ev.area("average_precision"), truth, 0, 1),
    }


def specificity_setting(rng: Generator) -> Setting:
    return area_setting(rng) | {"specificity": one_of(rng, 0.8, 0.9, 0.95)}


def at_specificity(setting: Setting, rng: Generator) -> Answers:
    y = labels(rng, setting["n"], setting["share"])
    m = float(ndtri(setting["area"])) * math.sqrt(1 + setting["spread"] ** 2)
    x = rng.standard_normal(len(y)) * np.where(y == 1, setting["spread"], 1.0) + m * y
    found = rs.intervals.sensitivity_at(rs.ScoreTable.from_scores(y, x), setting["specificity"])
    truth = float(ndtr((m - ndtri(setting["specificity"])) / setting["spread"]))
    return {"sensitivity": limits_of(found, truth, 0, 1)}


# ---- probabilities ----


def probability_setting(rng: Generator) -> Setting:
    """Stated probabilities with normal logits; the true ones are shifted and stretched on that scale."""
    n, share = round(spread_over(rng, 100, 5000)), between(rng, 0.05, 0.5)
    share = max(share, 12 / n)
    return {
        "n": n, "cases": round(n * share, 1), "share": share, "width": between(rng, 0.6, 2.0, 2),
        "slope": one_of(rng, 1.0, 1.0, between(rng, 0.5, 1.6, 2)),
        "shift": one_of(rng, 0.0, 0.0, between(rng, -0.8, 0.8, 2)),
    }  # fmt: skip


@cache
def true_calibration(share: float, width: float, slope: float, shift: float) -> dict[str, float]:
    """The true numbers of calibration, by sums over even quantiles of the stated logits."""
    deviates = ndtri((np.arange(POPULATION) + 0.5) / POPULATION)

    def mean_chance(center: float) -> float:
        return float(expit(shift + slope * (center + width * deviates)).mean())

    center = bisect(mean_chance, share, -30, 30)
    logits = center + width * deviates
    stated, chance = expit(logits), expit(shift + slope * logits)
    gaps, bins = np.abs(stated - chance), np.minimum((stated * 10).astype(int), 9)
    return {
        "center": center, "calibration_slope": slope, "calibration_intercept": shift,
        "calibration_in_the_large": bisect(lambda by: float(expit(by + logits).mean()), share, -30, 30),
        "ici": float(gaps.mean()), "e50": float(np.median(gaps)), "e90": float(np.quantile(gaps, 0.9)),
        "ece_10": float(np.abs(np.bincount(bins, stated - chance)).sum() / POPULATION),
        "brier": float((chance * (1 - stated) ** 2 + (1 - chance) * stated**2).mean()),
        "log_loss": float(-(chance * np.log(stated) + (1 - chance) * np.log1p(-stated)).mean()),
    }  # fmt: skip


def probabilities(setting: Setting, rng: Generator) -> Answers:
    true = true_calibration(*(setting[name] for name in ("share", "width", "slope", "shift")))
    while True:
        logits = true["center"] + setting["width"] * rng.standard_normal(setting["n"])
        y = (rng.random(setting["n"]) < expit(setting["shift"] + setting["slope"] * logits)).astype(np.int64)
        if 2 <= y.sum() <= len(y) - 2:
            break
    ev = rs.evaluate(y, expit(logits))
    ends = {"ici": (0, 1), "e50": (0, 1), "e90": (0, 1), "ece_10": (0, 1)}
    answers = {name: limits_of(one, true[name], *ends.get(name, ())) for name, one in ev.calibration.items()}
    answers["Brier score"] = limits_of(ev.area("brier"), true["brier"], 0, 1)
    return answers | {"log loss": limits_of(ev.area("log_loss"), true["log_loss"], 0)}


# ---- several classes, with scores ----


def class_area_setting(rng: Generator) -> Setting:
    k, n = one_of(rng, 3, 5, 10), round(spread_over(rng, 150, 2000))
    even = one_of(rng, True, False)
    sizes = np.ones(k) if even else np.maximum(rng.dirichlet(np.full(k, 2.0)), 10 / n)
    sizes = sizes / sizes.sum()
    return {
        "classes": k, "n": n, "sizes": [round(float(one), 4) for one in sizes], "apart": between(rng, 0.5, 2.5, 2),
        "cases": round(float(n * sizes.min()), 1),
    }  # fmt: skip


def class_areas(setting: Setting, rng: Generator) -> Answers:
    """The score of a class is N(apart, 1) for its cases and N(0, 1) for all others: every AUC is the same."""
    k, sizes = setting["classes"], np.array(setting["sizes"]) / sum(setting["sizes"])
    y = rng.choice(k, setting["n"], p=sizes)
    if np.bincount(y, minlength=k).min() < 2:
        return {}
    score = rng.standard_normal((setting["n"], k))
    score[np.arange(len(y)), y] += setting["apart"]
    made = rs.multiclass.ClassScores.of(y, score, labels=list(range(k)))
    truth = float(ndtr(setting["apart"] / math.sqrt(2)))
    return {
        "macro AUC": limits_of(rs.intervals.mean_auc(made, "macro"), truth, 0, 1),
        "Hand and Till's AUC": limits_of(rs.intervals.mean_auc(made, "hand-till"), truth, 0, 1),
    }


QUANTITIES = (
    Quantity(
        "balanced accuracy and kin, 3 to 20 positives", "`Counts(...).estimate(name)`", few_setting, few_positives
    ),
    Quantity(
        "macro averages",
        '`Confusion.estimate(name, average="macro")`, which is what `evaluate(y, predicted=)` prints',
        class_setting,
        macro,
    ),
    Quantity("areas", "`evaluate(y, score)`: AUC, average precision", area_setting, areas),
    Quantity(
        "sensitivity at a given specificity", "`intervals.sensitivity_at`", specificity_setting, at_specificity, again=1
    ),
    Quantity(
        "calibration",
        "`evaluate(y, probability)`: `calibration`, Brier score, log loss",
        probability_setting,
        probabilities,
    ),
    Quantity(
        "areas of several classes",
        "`intervals.mean_auc`, which is what `evaluate(y, scores)` prints",
        class_area_setting,
        class_areas,
    ),
)
