"""Cases that come in clusters, and cases that stand for more than themselves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

import rocscope as rs
from benchmarks.coverage.drawn.choices import at_point
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
from benchmarks.coverage.drawn.scores import true_cost, true_measure
from benchmarks.coverage.models import Array

SHOWN = ("recall", "specificity", "precision", "f1")


# ---- clusters ----


def cluster_setting(rng: Generator) -> Setting:
    """10 to 100 clusters; a cluster shifts its scores, and has its own share of positives."""
    groups = int(rng.integers(10, 101))
    n = max(4 * groups, round(spread_over(rng, 100, 5000)))
    share = spread_over(rng, max(0.05, 20 / n), 0.5)
    return {
        "clusters": groups, "n": n, "share": share, "cases": round(n * share, 1), "area": between(rng, 0.6, 0.97),
        "within": between(rng, 0.05, 0.5, 2), "uneven": one_of(rng, 0.0, 0.05, 0.15),
        "miss": spread_over(rng, 1, 20, 1),
    }  # fmt: skip


def in_clusters(setting: Setting, rng: Generator) -> tuple[Array, Array, Array]:
    """Labels, scores and clusters: x = m y + u of the cluster + e, with variances r and 1 - r."""
    groups, r = setting["clusters"], setting["within"]
    while True:
        which = rng.integers(0, groups, setting["n"])
        share = np.full(groups, setting["share"])
        if setting["uneven"]:
            size = 1 / setting["uneven"] - 1
            share = rng.beta(setting["share"] * size, (1 - setting["share"]) * size, groups)
        y = (rng.random(setting["n"]) < share[which]).astype(np.int64)
        if 2 <= y.sum() <= len(y) - 2:
            break
    shift = math.sqrt(r) * rng.standard_normal(groups)
    x = shift[which] + math.sqrt(1 - r) * rng.standard_normal(len(y)) + math.sqrt(2) * ndtri(setting["area"]) * y
    return y, x, which


def of_clusters(setting: Setting, rng: Generator) -> Answers:
    y, x, which = in_clusters(setting, rng)
    costs = rs.Costs(fp=1, fn=setting["miss"])
    ev = rs.evaluate(y, x, costs=costs, clusters=which)
    rates = _rates(setting, ev.point.threshold)
    truth = true_cost(setting["share"], rates, costs)
    chosen = at_point(ev, setting["share"], rates, SHOWN)
    return {
        "AUC": limits_of(ev.auc, setting["area"], 0, 1),
        "cost": limits_of(ev.cost, truth, 0, max(1.0, setting["miss"]), per=1000),
        **{f"{name}, chosen": one for name, one in chosen.items()},
    }


def given_in_clusters(setting: Setting, rng: Generator) -> Answers:
    y, x, which = in_clusters(setting, rng)
    middle, costs = math.sqrt(2) * float(ndtri(setting["area"])) / 2, rs.Costs(fp=1, fn=setting["miss"])
    ev, rates = rs.evaluate(y, x, threshold=middle, costs=costs, clusters=which), _rates(setting, middle)
    truth = true_cost(setting["share"], rates, costs)
    return {
        "cost": limits_of(ev.cost, truth, 0, max(1.0, setting["miss"]), per=1000),
        **at_point(ev, setting["share"], rates, (*SHOWN, "npv", "balanced_accuracy")),
    }


def _rates(setting: Setting, cut: float) -> tuple[float, float]:
    return float(ndtr(math.sqrt(2) * ndtri(setting["area"]) - cut)), float(ndtr(-cut))


def two_in_clusters(setting: Setting, rng: Generator) -> Answers:
    """Two equally good models that share the shifts of the clusters in part."""
    y, x, which = in_clusters(setting, rng)
    r, groups = setting["within"], setting["clusters"]
    own = math.sqrt(r) * rng.standard_normal(groups)[which] + math.sqrt(1 - r) * rng.standard_normal(len(y))
    up = math.sqrt(2) * float(ndtri(setting["area"])) * y
    other = up + math.sqrt(0.5) * (x - up) + math.sqrt(0.5) * own
    costs = rs.Costs(fp=1, fn=setting["miss"])
    found = rs.compare(
        y, {"a": x, "b": other}, costs=costs, clusters=which, threshold=float(up.max()) / 2
    )
    return {
        "difference in AUC": limits_of(found.differences[0].estimate, 0.0, -1, 1),
        "difference in cost": limits_of(found.cost_differences[0].estimate, 0.0),
    }


# ---- weights ----


def weight_setting(rng: Generator) -> Setting:
    """A part of the population is sampled less often, by 1 to 20: by class, by a group, or at random."""
    found = {**cases_and_share(rng, 200, 5000, least=0.05)}
    return found | {
        "heaviest": spread_over(rng, 1, 20, 1), "area": between(rng, 0.6, 0.97), "miss": spread_over(rng, 1, 20, 1),
        "goes with": one_of(rng, "class", "group", "nothing"), "group": between(rng, 0.2, 0.8, 2),
        "apart": between(rng, -0.7, 0.7, 2),
    }  # fmt: skip


def weighted(setting: Setting, rng: Generator) -> tuple[Array, Array, Array]:
    """Labels, scores and weights of a sample of n; the weight of a case is the inverse of its chance to be drawn."""
    size, found = setting["n"], []
    left = size
    while left > 0:  # rejection: draw from the population, keep with the chance 1/weight
        many = int(left * (1 + setting["heaviest"])) + 50
        y = (rng.random(many) < setting["share"]).astype(np.int64)
        group = rng.random(many) < setting["group"]
        x = rng.standard_normal(many) + math.sqrt(2) * ndtri(setting["area"]) * y
        heavy = {"class": y == 0, "group": group, "nothing": group}[setting["goes with"]]
        if setting["goes with"] == "group":
            x = x + setting["apart"] * group
        w = np.where(heavy, setting["heaviest"], 1.0)
        kept = np.flatnonzero(rng.random(many) * w < 1)[:left]
        found.append((y[kept], x[kept], w[kept]))
        left -= len(kept)
    y, x, w = (np.concatenate(part) for part in zip(*found, strict=True))
    return y, x, w


def of_weights(setting: Setting, rng: Generator) -> Answers:
    y, x, w = weighted(setting, rng)
    if not 2 <= y.sum() <= len(y) - 2:
        return {}
    m, q = math.sqrt(2) * ndtri(setting["area"]), setting["group"]
    parts = [(1 - q, 0.0), (q, setting["apart"])] if setting["goes with"] == "group" else [(1.0, 0.0)]

    def rates(cut: float) -> tuple[float, float]:
        recall, alarms = (sum(part * ndtr(up + by - cut) for part, by in parts) for up in (m, 0.0))
        return float(recall), float(alarms)

    area = sum(a * b * float(ndtr((m + u - v) / math.sqrt(2))) for a, u in parts for b, v in parts)
    costs = rs.Costs(fp=1, fn=setting["miss"])
    ev, given = rs.evaluate(y, x, costs=costs, weights=w), rs.evaluate(y, x, threshold=m / 2, weights=w)
    truth = true_cost(setting["share"], rates(ev.point.threshold), costs)
    answers: dict[str, Any] = {
        "AUC": limits_of(ev.auc, area, 0, 1),
        "cost": limits_of(ev.cost, truth, 0, max(1.0, setting["miss"]), per=1000),
    }
    for name in SHOWN:
        value = true_measure(name, setting["share"], rates(m / 2))
        answers[f"{name}, given"] = limits_of(given.measure(name), value, 0, 1)
    return answers | {
        f"{name}, chosen": one for name, one in at_point(ev, setting["share"], rates(ev.point.threshold), SHOWN).items()
    }


QUANTITIES = (
    Quantity("clusters", "`evaluate(y, score, costs=, clusters=)`", cluster_setting, of_clusters, again=1),
    Quantity(
        "clusters, at a given threshold",
        "`evaluate(y, score, threshold=, costs=, clusters=)`",
        cluster_setting,
        given_in_clusters,
        again=1,
    ),
    Quantity(
        "two models in clusters",
        "`compare(y, scores, costs=, threshold=, clusters=)`: `differences`, `cost_differences`",
        cluster_setting,
        two_in_clusters,
    ),
    Quantity(
        "weights",
        "`evaluate(y, score, weights=)`, with costs and with a given threshold",
        weight_setting,
        of_weights,
        again=1,
    ),
)
