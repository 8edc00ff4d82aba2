"""Normal scores of one or several models, rounded or not, whose rates at a threshold are known."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

import rocscope as rs
from benchmarks.coverage.drawn.quantity import Generator, Setting, between, one_of
from benchmarks.coverage.models import Array

AT_THRESHOLD = ("recall", "specificity", "precision", "npv", "f1", "mcc", "balanced_accuracy", "accuracy")


def labels(rng: Generator, n: int, share: float) -> Array:
    """Cases drawn at random; two of each class at least, without which nothing is asked."""
    while True:
        y = (rng.random(n) < share).astype(np.int64)
        if 2 <= y.sum() <= n - 2:
            return y


def score_setting(rng: Generator, models: int) -> Setting:
    """Areas, the correlation of the models, the spread of the positives, and how scores are rounded."""
    area, apart = between(rng, 0.6, 0.99), one_of(rng, 0.0, 0.02, 0.05)
    areas = [min(0.995, max(0.55, area + between(rng, -1, 1) * apart)) for _ in range(models)]
    return {
        "areas": [round(one, 4) for one in areas],
        "correlation": between(rng, 0, 0.9, 2),
        "spread": one_of(rng, 1.0, 1.0, 1.5),
        "step": one_of(rng, 0.0, 0.0, 0.25),
    }


def shifts(setting: Setting) -> Array:
    return np.asarray(ndtri(setting["areas"])) * math.sqrt(1 + setting["spread"] ** 2)


def scores(rng: Generator, setting: Setting, y: Array) -> Array:
    """Models x cases; the models are correlated alike within each class."""
    models, r = len(setting["areas"]), setting["correlation"]
    noise = math.sqrt(r) * rng.standard_normal(len(y)) + math.sqrt(1 - r) * rng.standard_normal((models, len(y)))
    x = noise * np.where(y == 1, setting["spread"], 1.0) + shifts(setting)[:, None] * y
    return rounded(x, setting["step"])


def rounded(x: Array, step: float) -> Array:
    return np.asarray(np.round(x / step) * step) if step else x


def rates(setting: Setting, model: int, threshold: float) -> tuple[float, float]:
    """The true shares of positives and of negatives that a model flags at a threshold."""
    cut = threshold
    if setting["step"] and math.isfinite(threshold):  # a rounded score reaches the threshold from half a step below it
        cut = (math.ceil(threshold / setting["step"] - 1e-9) - 0.5) * setting["step"]
    return float(ndtr((shifts(setting)[model] - cut) / setting["spread"])), float(ndtr(-cut))


def true_area(setting: Setting, model: int) -> float:
    """The AUC of a model: of rounded scores with ties as half a win."""
    if not setting["step"]:
        return float(setting["areas"][model])
    edges = (np.arange(-200, 201) - 0.5) * setting["step"]
    down = ndtr(edges)
    up = np.diff(ndtr((edges - shifts(setting)[model]) / setting["spread"]))
    return float(up @ (down[:-1] + down[1:]) / 2)


def true_cost(share: float, found: tuple[float, float], costs: rs.Costs) -> float:
    recall, alarms = found
    return share * float(costs.fn) * (1 - recall) + (1 - share) * float(costs.fp) * alarms


def true_measure(name: str, share: float, found: tuple[float, float]) -> float:
    """A measure at the true rates."""
    recall, alarms = found
    cells = {
        "tp": share * recall, "fn": share * (1 - recall), "fp": (1 - share) * alarms, "tn": (1 - share) * (1 - alarms),
    }  # fmt: skip
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.asarray(rs.measures.get(name).value({key: np.float64(one) for key, one in cells.items()})))


def named(columns: Array) -> dict[str, Any]:
    return {f"m{i}": column for i, column in enumerate(columns)}
