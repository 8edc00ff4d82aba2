"""Maximum likelihood and maximum a posteriori: read from the hull, or cut directly where scores mean something.

A score that only ranks is cut where the slope of the hull passes the wanted likelihood ratio. A score that is a
likelihood ratio, or a calibrated probability, is cut at a number that needs no labels at all.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np

from rocscope.decisions.costs import Costs
from rocscope.decisions.operating_points import OperatingPoint, Optima, flagging
from rocscope.decisions.optimum import best
from rocscope.errors import RocscopeError, did_you_mean
from rocscope.table import ScoreTable

MEANINGS = ("ranks", "likelihood ratios", "probabilities")


def likelihood_ratio(t: ScoreTable, *, scores: str = "ranks") -> Optima:
    """The maximum-likelihood rule: flag where p(score | positive) / p(score | negative) >= 1.

    `scores` says what they are: "ranks" (the hull's slope passes 1, which is Youden's point), "likelihood ratios" (cut
    at 1) or "probabilities" calibrated on such data (cut at the prevalence). Metz 1978, Seminars in Nuclear Medicine
    8:283.

    >>> t = ScoreTable.from_scores([1, 0, 1, 0, 0, 0], [3.0, 1.5, 1.2, 0.8, 0.5, 0.1])
    >>> likelihood_ratio(t)[0].threshold, likelihood_ratio(t, scores="likelihood ratios")[0].threshold
    (1.2, 1.0)
    """
    if _meaning(scores) == "ranks":
        return _said(best(t, "likelihood_ratio"), "Scores taken as ranks: the slope of the hull passes 1 here.")
    return _direct(t, Fraction(1), scores, "likelihood_ratio", "youden")


def map_rule(t: ScoreTable, *, scores: str = "ranks", costs: Costs | None = None) -> Optima:
    """The maximum a posteriori rule: flag where the likelihood ratio is at least P(-) / P(+), or the costs' slope.

    `scores` as in `likelihood_ratio`: "ranks" (the hull's slope passes negatives / positives: the best accuracy),
    "likelihood ratios" (cut at P(-) / P(+)) or "probabilities" (cut at 1/2; with costs at C_FP / (C_FP + C_FN)).

    >>> t = ScoreTable.from_scores([1, 0, 1, 0, 0, 0], [0.9, 0.6, 0.5, 0.4, 0.3, 0.1])
    >>> map_rule(t, scores="probabilities", costs=Costs(fp=1, fn=3))[0].threshold
    0.25
    """
    if costs is None:
        slope: Fraction | float = Fraction(t.negatives) / Fraction(t.positives) if t.positives else math.inf
    else:
        slope = costs.slope(t.positives, t.negatives)
    if _meaning(scores) == "ranks":
        return _said(
            best(t, "map", costs=costs), f"Scores taken as ranks: the slope of the hull passes {float(slope):.4g} here."
        )
    return _direct(t, slope, scores, "map", "accuracy")


def _direct(t: ScoreTable, slope: Fraction | float, scores: str, rule: str, measure: str) -> Optima:
    if not t.higher_is_positive:
        raise RocscopeError(
            f"{scores} are cut from above, but here low scores mean positive", hint="Use scores='ranks'"
        )
    if isinstance(slope, float):
        raise RocscopeError(f"the ratio to cut at is {slope}", hint="Both classes, and costs that differ, are needed")
    if scores == "probabilities":
        _within_zero_and_one(t)
    cut = float(_cut(t, slope, scores))
    counts = t.at(cut)
    value = float(counts.value(measure))
    point = OperatingPoint(cut, counts, value, rule, f"{flagging(t, cut, counts)} ({measure} {value:.4g}).")
    return Optima(np.array([cut]), rule, f"Scores taken as {scores}: cut at {cut:.4g}.", lambda index: point)


def _cut(t: ScoreTable, slope: Fraction, scores: str) -> Fraction:
    """The likelihood ratio itself, or the probability that has it: odds = ratio * positives / negatives."""
    if scores == "likelihood ratios":
        return slope
    up, down = Fraction(t.positives), Fraction(t.negatives)
    if not up or not down:
        raise RocscopeError("the prevalence behind the probabilities is 0 or 1 here", hint="Both classes are needed")
    return slope * up / (slope * up + down)


def _within_zero_and_one(t: ScoreTable) -> None:
    low, high = t.scores.min(), t.scores.max()
    if low < 0 or high > 1:
        raise RocscopeError(
            f"scores run from {low:g} to {high:g}; probabilities lie from 0 to 1", hint="scores='ranks'"
        )


def _meaning(scores: str) -> str:
    if scores not in MEANINGS:
        raise RocscopeError(
            f"scores are {scores!r}; known: {', '.join(MEANINGS)}", hint=did_you_mean(str(scores), MEANINGS)
        )
    return scores


def _said(found: Optima, note: str) -> Optima:
    return replace(found, note=" ".join(filter(None, (note, found.note))))
