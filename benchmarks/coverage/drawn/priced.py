"""Costs of single cases, cases that are referred, and the costs at which two models cost the same."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import ndtr

import rocscope as rs
from benchmarks.coverage.drawn.quantity import (
    Answers,
    Generator,
    Limits,
    Quantity,
    Setting,
    between,
    cases_and_share,
    limits_of,
    one_of,
    spread_over,
)
from benchmarks.coverage.drawn.scores import labels, named, rates, scores, shifts, true_measure

# ---- each case has its own costs ----


def amount_setting(rng: Generator) -> Setting:
    """Log-normal amounts, which may go with the scores of positives; a false alarm costs a share of their mean."""
    return {
        **cases_and_share(rng, 200, 3000), "area": between(rng, 0.65, 0.97),
        "spread of amounts": between(rng, 0.2, 1, 2), "goes with the score": one_of(rng, 0.0, 0.4),
        "alarm": spread_over(rng, 0.02, 0.5, 3),
    }  # fmt: skip


def case_costs(setting: Setting, rng: Generator) -> Answers:
    """A miss costs exp(s e - s²/2), e correlated with the score: a mean of 1, over positives below c by the share."""
    n, shift = setting["n"], float(shifts({"areas": [setting["area"]], "spread": 1.0})[0])
    y, noise = labels(rng, n, setting["share"]), rng.standard_normal(n)
    r, s = setting["goes with the score"], setting["spread of amounts"]
    amount = np.exp(s * (r * noise + math.sqrt(1 - r * r) * rng.standard_normal(n)) - s * s / 2)
    score, alarm = noise + shift * y, setting["alarm"]
    answers: dict[str, Any] = {}
    for name, threshold in (("cost, threshold chosen", None), ("cost, threshold given", shift / 2)):
        ev = rs.evaluate(y, score, cost_column={"fn": amount, "fp": alarm}, threshold=threshold)
        cut = ev.point.threshold
        missed, flagged = float(ndtr(cut - shift - r * s)), float(ndtr(-cut))
        truth = setting["share"] * missed + (1 - setting["share"]) * alarm * flagged
        answers[name] = limits_of(ev.cost, truth, 0, per=1000)
        if threshold is None:
            answers["cost, apparent"] = limits_of(ev.apparent_cost, truth, 0, per=1000)
    return answers


# ---- two thresholds ----


def referral_setting(rng: Generator) -> Setting:
    return {
        **cases_and_share(rng, 200, 3000), "areas": [between(rng, 0.75, 0.97)], "spread": 1.0, "step": 0.0,
        "correlation": 0.0, "recall": one_of(rng, 0.9, 0.95), "precision": one_of(rng, 0.7, 0.9),
    }  # fmt: skip


def referral(setting: Setting, rng: Generator) -> Answers:
    y = labels(rng, setting["n"], setting["share"])
    asked = f"recall >= {setting['recall']}, precision >= {setting['precision']}"
    found = rs.evaluate(y, scores(rng, setting, y)[0], refer=asked).referral
    if found is None or not found.repeated:
        return {}
    share = setting["share"]
    upper, lower = (rates(setting, 0, threshold) for threshold in (found.zone.flag, found.zone.refer))
    flagged, seen = (share * up + (1 - share) * down for up, down in (upper, lower))
    answers: dict[str, Any] = {
        "share flagged": limits_of(found.share("flagged"), flagged, 0, 1),
        "share referred": limits_of(found.share("referred"), seen - flagged, 0, 1),
        "share not flagged": limits_of(found.share("not flagged"), 1 - seen, 0, 1),
    }
    for name, part, at in (("precision", "flagged", upper), ("recall", "seen", lower), ("npv", "seen", lower)):
        answers[name] = limits_of(found.measure(part, name), true_measure(name, share, at), 0, 1)
    return answers


# ---- where two models cost the same ----


def crossing_setting(rng: Generator) -> Setting:
    """Two models whose true curves cross: the positives of the second spread more."""
    return {
        **cases_and_share(rng, 200, 5000), "shifts": [between(rng, 1.0, 1.8, 2), between(rng, 1.4, 2.4, 2)],
        "spreads": [between(rng, 0.5, 0.9, 2), between(rng, 1.2, 1.8, 2)], "correlation": between(rng, 0, 0.8, 2),
    }  # fmt: skip


def break_evens(setting: Setting, rng: Generator) -> Answers:
    """The slope between the two decisions that are named, each at its threshold, on other cases."""
    y, r = labels(rng, setting["n"], setting["share"]), setting["correlation"]
    noise = math.sqrt(r) * rng.standard_normal(len(y)) + math.sqrt(1 - r) * rng.standard_normal((2, len(y)))
    places = list(zip(setting["shifts"], setting["spreads"], strict=True))
    columns = [np.where(y == 1, shift + spread * one, one) for one, (shift, spread) in zip(noise, places, strict=True)]
    answers: dict[str, Any] = {}
    found = rs.compare(y, named(np.array(columns)))
    for one in found.break_evens[:1]:  # several where chance makes curves cross again: one a sample is independent
        ends = []
        for at in (one.first, one.second):
            shift, spread = places[found.names.index(at.model)]
            ends.append((float(ndtr(-at.threshold)), float(ndtr((shift - at.threshold) / spread))))
        (x, up), (further, higher) = ends
        truth = (higher - up) / (further - x) if further > x else math.inf
        answers["break-even"] = Limits(one.slope.low, _finite(one.slope.high), _finite(max(0.0, truth)), 0)
    return answers


def _finite(value: float) -> float:
    """Infinity as a number beyond all slopes, so that an open interval has a width."""
    return min(value, 1e6)


QUANTITIES = (
    Quantity(
        "costs of single cases",
        "`evaluate(y, score, cost_column={\"fn\": amounts, \"fp\": ...})`",
        amount_setting,
        case_costs,
        held=("cost, threshold chosen", "cost, threshold given"),
        again=1,
    ),
    Quantity("referral", "`evaluate(y, score, refer=\"recall >= ..., precision >= ...\")`", referral_setting, referral),
    Quantity(
        "break-even of two models", "`compare(y, scores).break_evens`: the first one", crossing_setting, break_evens
    ),
)
