"""Learners validated over folds, several readers, partly verified cases, and few labels beside many predictions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import expit, ndtr, ndtri
from sklearn.base import BaseEstimator, ClassifierMixin

import rocscope as rs
from benchmarks.coverage.drawn.quantity import (
    Answers,
    Generator,
    Quantity,
    Said,
    Setting,
    between,
    limits_of,
    one_of,
    spread_over,
)
from benchmarks.coverage.drawn.scores import labels, true_cost
from benchmarks.coverage.models import Array
from rocscope.validation.fold_costs import threshold_without

# ---- validation ----


class Direction(ClassifierMixin, BaseEstimator):
    """The difference of the class means, of some columns: a linear score that is quick to fit, and remembered."""

    fitted: list[tuple[int, Array, float]] = []  # noqa: RUF012 - one list for all that are fitted in a sample

    def __init__(self, first: int = 0, last: int = 1) -> None:
        self.first, self.last = first, last

    def fit(self, X: Array, y: Array) -> Direction:
        own = X[:, self.first : self.last]
        means = [own[y == label].mean(axis=0) for label in (0, 1)]
        share = float(np.mean(y))
        self.classes_, self.coef_ = np.array([0, 1]), means[1] - means[0]
        self.cut_ = float(self.coef_ @ (means[0] + means[1]) / 2) - math.log(share / (1 - share))
        Direction.fitted.append((self.first, self.coef_, self.cut_))
        return self

    def decision_function(self, X: Array) -> Array:
        return np.asarray(X[:, self.first : self.last] @ self.coef_ - self.cut_)

    def predict(self, X: Array) -> Array:
        return (self.decision_function(X) > 0).astype(np.int64)


def fold_setting(rng: Generator) -> Setting:
    n = round(spread_over(rng, 100, 2000))
    share = between(rng, max(0.05, 20 / n), 0.5)
    return {
        "n": n, "share": share, "cases": round(n * share, 1), "features": one_of(rng, 1, 3, 10),
        "area": between(rng, 0.6, 0.97), "plan": one_of(rng, "5-fold", "10-fold"), "miss": spread_over(rng, 1, 20, 1),
    }  # fmt: skip


def folds(setting: Setting, rng: Generator) -> Answers:
    """Two learners that are equally good, each on columns of its own; what is true is true of the fitted models."""
    y = labels(rng, setting["n"], setting["share"])
    p, m = setting["features"], math.sqrt(2) * float(ndtri(setting["area"]))
    toward = np.full(p, m / math.sqrt(p))
    X = rng.standard_normal((len(y), 2 * p)) + np.concatenate((toward, toward)) * y[:, None]
    Direction.fitted.clear()
    learners = {"a": Direction(0, p), "b": Direction(p, 2 * p)}
    costs = rs.Costs(fp=1, fn=setting["miss"])
    va = rs.validate(learners, X, y, plan=setting["plan"], seed=int(rng.integers(2**31)), costs=costs)
    areas, errors, spent = [], [], []
    tested = va.of("a").folds
    for (_, w, cut), fold in zip([one for one in Direction.fitted if one[0] == 0], tested, strict=True):
        length, share = float(np.linalg.norm(w)), setting["share"]
        areas.append(float(ndtr(w @ toward / length / math.sqrt(2))))
        chosen = threshold_without(va, fold, tested, "cost", costs)
        plain, priced = (
            (float(ndtr((w @ toward - at) / length)), float(ndtr(-at / length))) for at in (cut, cut + chosen)
        )
        errors.append(share * (1 - plain[0]) + (1 - share) * plain[1])
        spent.append(true_cost(share, priced, costs))
    auc, error = (va.summarise("a", name).mean for name in ("auc", "error_rate"))
    told = va.compare()
    by_auc, by_error, by_cost = (
        next(one for one in told if one.what == name) for name in ("auc", "error_rate", "cost")
    )
    most = max(1.0, setting["miss"])
    return {
        "AUC": limits_of(auc, float(np.mean(areas)), 0, 1),
        "error rate": limits_of(error, float(np.mean(errors)), 0, 1),
        "cost": limits_of(va.costs["a"], float(np.mean(spent)), 0, most, per=1000),
        "equal learners called different in cost": Said(by_cost.estimate.p is not None and by_cost.estimate.p <= 0.05),
        "equal learners called different in AUC": Said(by_auc.estimate.p <= 0.05),
        "equal learners called different in error rate": Said(by_error.estimate.p <= 0.05),
    }


# ---- readers ----


def reader_setting(rng: Generator) -> Setting:
    """3 to 10 readers; variances of readers and cases as Roe and Metz chose them (Acad Radiol 1997;4:298-303)."""
    up, down = round(spread_over(rng, 20, 150)), round(spread_over(rng, 20, 150))
    shared, own = one_of(rng, (0.3, 0.2), (0.1, 0.2), (0.3, 0.4))
    return {
        "readers": one_of(rng, 3, 4, 5, 7, 10), "cases": min(up, down), "positives": up, "negatives": down,
        "area": between(rng, 0.7, 0.95), "reader": one_of(rng, 0.0055, 0.011, 0.03), "case": shared, "modality": own,
    }  # fmt: skip


def read(setting: Setting, rng: Generator) -> tuple[Array, Array]:
    """Labels, and scores of 2 modalities x readers x cases; within a class and a reader they have variance 1."""
    y = np.repeat([1, 0], (setting["positives"], setting["negatives"]))
    n, j, r = len(y), setting["readers"], setting["reader"]
    m = float(ndtri(setting["area"])) * math.sqrt(2 * (1 + 2 * r))
    # readers, and readers by modality, each for positives and for negatives
    reader = rng.normal(0, math.sqrt(r), (1, j, 2)) + rng.normal(0, math.sqrt(r), (2, j, 2))
    left = 1 - setting["case"] - setting["modality"]
    cases = rng.normal(0, math.sqrt(setting["case"]), (1, 1, n))
    cases = cases + rng.normal(0, math.sqrt(setting["modality"]), (2, 1, n))
    return y, reader[:, :, y] + cases + rng.normal(0, math.sqrt(left), (2, j, n)) + m * y


def readers(setting: Setting, rng: Generator) -> Answers:
    y, scores = read(setting, rng)
    one, other = rs.intervals.readers_auc(y, list(scores[0])), rs.intervals.readers_auc(y, *map(list, scores))
    return {
        "AUC over readers": limits_of(one, setting["area"], 0, 1),
        "difference of two modalities": limits_of(other, 0.0, -1, 1),
        "equal modalities called different": Said(other.p is not None and other.p <= 0.05),
    }


# ---- partly verified cases ----


def verified_setting(rng: Generator) -> Setting:
    """A test that flags; 60 to 100 % of the flagged are verified and 5 to 20 % of the others."""
    n, share = round(spread_over(rng, 500, 5000)), between(rng, 0.05, 0.3)
    return {
        "n": n, "share": share, "cases": round(n * share, 1), "recall": between(rng, 0.5, 0.95),
        "alarms": between(rng, 0.03, 0.3), "of flagged": between(rng, 0.6, 1.0, 2),
        "of others": between(rng, 0.05, 0.2, 3),
    }  # fmt: skip


def verified(setting: Setting, rng: Generator) -> Answers:
    y = labels(rng, setting["n"], setting["share"])
    flagged = rng.random(len(y)) < np.where(y == 1, setting["recall"], setting["alarms"])
    known = rng.random(len(y)) < np.where(flagged, setting["of flagged"], setting["of others"])
    seen: list[Any] = [int(label) if is_known else None for label, is_known in zip(y, known, strict=True)]
    if len({one for one in seen if one is not None}) < 2 or not known[flagged].any() or not known[~flagged].any():
        return {}
    truth, answers = {"recall": setting["recall"], "specificity": 1 - setting["alarms"]}, {}
    for name, true in truth.items():
        answers[name] = limits_of(rs.intervals.verified_rate(seen, flagged.astype(float), 1.0, name), true, 0, 1)
    return answers


# ---- few labels, many predictions ----


def label_setting(rng: Generator) -> Setting:
    n, share = round(spread_over(rng, 15, 300)), between(rng, 0.02, 0.5)
    return {
        "cases": round(n * share, 1), "labels": n, "predictions": round(spread_over(rng, 200, 5000)), "share": share,
        "width": between(rng, 0.3, 4.0, 2), "bias": between(rng, -1, 1, 2),
    }  # fmt: skip


def powered(setting: Setting, rng: Generator) -> Answers:
    """Stated probabilities that lean by a bias on the scale of logits."""
    n, many = setting["labels"], setting["predictions"]
    y = (rng.random(n + many) < setting["share"]).astype(np.int64)
    stated = expit(
        math.log(setting["share"] / (1 - setting["share"]))
        + setting["bias"]
        + setting["width"] * (rng.standard_normal(n + many) + setting["width"] * (y - setting["share"]))
    )
    found = rs.intervals.prediction_powered_mean(y[:n], stated[:n], stated[n:])
    return {"share of positives": limits_of(found, setting["share"], 0, 1)}


QUANTITIES = (
    Quantity(
        "validation",
        "`validate(models, X, y, plan=, costs=)`: `summary`, `costs`, `compare`",
        fold_setting,
        folds,
        again=1,
    ),
    Quantity("readers", "`intervals.readers_auc`", reader_setting, readers, again=1),
    Quantity("partly verified cases", "`intervals.verified_rate`", verified_setting, verified),
    Quantity("few labels, many predictions", "`intervals.prediction_powered_mean`", label_setting, powered),
)
