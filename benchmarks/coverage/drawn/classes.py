"""Decisions and calibration of several classes, and what is learned on one half of the cases against the other half."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import expit

import rocscope as rs
from benchmarks.coverage.drawn.quantity import (
    Answers,
    Generator,
    Limits,
    Quantity,
    Said,
    Setting,
    between,
    limits_of,
    one_of,
    spread_over,
)

MANY = 200_000  # cases from which the truth is taken, with their probabilities in place of labels
BINS = 10


def class_probability_setting(rng: Generator) -> Setting:
    k, n = one_of(rng, 3, 5, 8), round(spread_over(rng, 150, 2000))
    return {
        "classes": k, "n": n, "spread": between(rng, 0.8, 2.5, 2), "tempered": one_of(rng, 0.6, 1.0, 1.6),
        "reject": one_of(rng, 0.0, 0.6), "seed of costs": int(rng.integers(10**6)), "cases": round(n / k, 1),
    }  # fmt: skip


def probabilities(setting: Setting, n: int, rng: Generator) -> tuple[Any, Any]:
    """Stated and true probabilities: the same where nothing is tempered, else too bold or too timid."""
    raw = setting["spread"] * rng.standard_normal((n, setting["classes"]))
    stated, true = (np.exp(one - one.max(axis=1, keepdims=True)) for one in (raw, setting["tempered"] * raw))
    return stated / stated.sum(axis=1, keepdims=True), true / true.sum(axis=1, keepdims=True)


def costs_of(setting: Setting) -> Any:
    k, rng = setting["classes"], np.random.default_rng(setting["seed of costs"])
    return rs.Costs.matrix(np.round(rng.uniform(0.5, 5, (k, k)) * (1 - np.eye(k)), 2), reject=setting["reject"] or None)


@lru_cache(maxsize=64)
def _truth(key: tuple[tuple[str, Any], ...]) -> dict[str, float]:
    setting = dict(key)
    stated, true = probabilities(setting, MANY, np.random.default_rng(11))
    costs = costs_of(setting)
    predicted = costs.decide(stated)
    prices = costs.array[:, np.maximum(predicted, 0)].T
    each = np.where(predicted < 0, setting["reject"], (true * prices).sum(axis=1))
    decided = np.flatnonzero(predicted >= 0)
    own = decided, predicted[decided]  # what is predicted by costs, where it is predicted
    errors = [_distance(stated[:, at], true[:, at]) for at in range(setting["classes"])]
    return {
        "cost": float(each.mean()), "top": _distance(stated[own], true[own]), "classes": float(np.mean(errors)),
    }  # fmt: skip


def _distance(stated: Any, true: Any) -> float:
    """The expected calibration error in bins, with probabilities in place of what happened."""
    bins = np.minimum((stated * BINS).astype(int), BINS - 1)
    return float(np.abs(np.bincount(bins, stated - true, BINS)).sum() / len(stated))


def class_decisions(setting: Setting, rng: Generator) -> Answers:
    stated, true = probabilities(setting, setting["n"], rng)
    y = (rng.random(len(true))[:, None] > true.cumsum(axis=1)).sum(axis=1).clip(max=setting["classes"] - 1)
    truth = _truth(tuple(sorted(setting.items())))
    ev = rs.evaluate(y, stated, labels=list(range(setting["classes"])), costs=costs_of(setting))
    # two of `ev.calibration`, asked alone: the smoothed curve would take most of the time
    decided = np.asarray(ev.matrix.matrix).any()
    top = rs.intervals.of(ev.predictions.confidence, "ece_10") if decided else None
    return {
        "expected cost": limits_of(ev.decision.cost, truth["cost"], 0, per=1000.0),
        "ECE of the predicted class": None if top is None else limits_of(top, truth["top"], 0, 1),
        "class-wise ECE": limits_of(rs.intervals.classwise_ece(ev.scores), truth["classes"], 0, 1),
    }


# ---- one half and the other ----


def halves_setting(rng: Generator) -> Setting:
    n, share = round(spread_over(rng, 200, 3000)), between(rng, 0.1, 0.5, 2)
    return {
        "n": n, "share": share, "slope": between(rng, 0.5, 2.0, 2), "miss": one_of(rng, 1, 3, 10),
        "cases": round(n * share / 2, 1),
    }  # fmt: skip


def halves(setting: Setting, rng: Generator) -> Answers:
    """Learned on one half: what is reported for that half must not look better than the other half shows."""
    n = setting["n"]
    y = rng.random(n) < setting["share"]
    score = expit(setting["slope"] * (rng.standard_normal(n) + 1.2 * y - 1))
    first, second = np.arange(n) < n // 2, np.arange(n) >= n // 2
    if min(y[first].sum(), y[second].sum(), (~y[first]).sum(), (~y[second]).sum()) < 2:
        return {}
    costs = rs.Costs(fp=1, fn=setting["miss"])
    learned = rs.evaluate(y[first], score[first], costs=costs)
    other = rs.evaluate(y[second], score[second], costs=costs, threshold=learned.point.threshold)
    made = rs.recalibrate(y[first], score[first], "isotonic")
    applied = rs.ScoreTable.from_scores(y[second], made.calibrator.apply(score[second]))
    gap = rs.estimate.between(other.cost, learned.cost)
    brier = rs.estimate.between(rs.intervals.brier(applied), rs.intervals.brier(made.after))
    return {
        "a threshold's cost": Said(gap.low > 0),
        "a calibration's Brier score": Said(brier.low > 0),
        "the difference of the two costs": Limits(gap.low, gap.high, 0.0),
    }


QUANTITIES = (
    Quantity(
        "decisions and calibration of several classes",
        "`evaluate(y, probabilities, costs=Costs.matrix(...))`: expected cost, ECE of the predicted class and by class",
        class_probability_setting,
        class_decisions,
        again=4,
    ),
    Quantity(
        "learned on one half",
        "`evaluate(...)` and `recalibrate(...)` on half of the cases, compared with what the other half shows",
        halves_setting,
        halves,
        held=("a threshold's cost", "a calibration's Brier score"),
    ),
)
