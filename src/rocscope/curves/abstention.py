"""Abstention: the risk among the cases about which a classifier is most confident."""

from __future__ import annotations

from math import ceil, isfinite, log10

import numpy as np

from rocscope.curves import threshold_rates
from rocscope.curves.curve import Array, Curve
from rocscope.curves.declaration import curve, is_probability, statistic
from rocscope.errors import RocscopeError
from rocscope.formula import divide
from rocscope.numbers import floats
from rocscope.table import ScoreTable

CURVE = "El-Yaniv & Wiener 2010, Journal of Machine Learning Research 11:1605-1641"
AREA = "Geifman, Uziel & El-Yaniv 2019, Bias-reduced uncertainty estimation for deep neural classifiers, ICLR"


@curve(
    "risk_coverage", title="risk-coverage curve", columns=("coverage", "risk"),
    formula="x = share of cases answered, y = error rate among them, most confident cases first",
    latex=r"\left(\frac{m}{n}, \frac{\text{errors among the } m \text{ most confident}}{m}\right)",
    chance="constant, equal to the error rate",
    says="The error rate among the decided cases when the least certain ones are referred to people.",
    prefer="when a classifier may abstain", cite=CURVE, rank_only=False, options={"threshold": 0.5},
)  # fmt: skip
def risk_coverage(table: ScoreTable, *, threshold: float | None = None) -> Curve:
    """The risk-coverage curve: cases are decided at the `threshold`, the most confident first.

    The confidence of a case is the distance of its score from the threshold; cases of equal confidence enter together.
    The thresholds of the curve are these distances; in its first row, no case is decided. Without a threshold,
    probabilities are cut at 0.5; for other scores, a threshold must be given.

    >>> r = risk_coverage(ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.6, 0.3]))
    >>> r.coverage, r.risk
    (array([0. , 0.25, 0.5 , 0.75, 1. ]), array([ nan, 0. , 0.5 , 0.33333333, 0.25 ]))
    """
    sure, weight, wrong = _by_confidence(table, threshold)
    answered, errors = np.concatenate(([0.0], np.cumsum(weight))), np.concatenate(([0.0], np.cumsum(wrong)))
    columns = {"coverage": threshold_rates.over(answered, answered[-1]), "risk": np.asarray(divide(errors, answered))}
    why = threshold_rates.why_missing("risk", columns["risk"], lambda _: "no case is decided")
    return Curve(
        "risk_coverage", np.concatenate(([np.inf], sure)), columns, x="coverage", y="risk", why=why, table=table
    )


def _by_confidence(table: ScoreTable, threshold: float | None) -> tuple[Array, Array, Array]:
    """Distances from the threshold, falling, with the weight of the cases there and of the wrong ones among them."""
    cut = _cut(table, threshold)
    scores = floats(table.scores)
    if not np.isfinite(scores).all():
        raise RocscopeError("an infinite score has no distance from the threshold")
    flagged = np.arange(len(table)) < table.position(cut)
    pos, neg = floats(table.pos), floats(table.neg)
    sure = _decimal(np.abs(scores - cut), scores, cut)
    # one descending and one ascending run, which a stable sort merges in one pass
    order = np.argsort(-sure, kind="stable")
    sure = sure[order]
    starts = np.flatnonzero(np.concatenate(([True], sure[1:] != sure[:-1])))
    wrong = np.where(flagged, neg, pos)[order]
    return sure[starts], np.add.reduceat((pos + neg)[order], starts), np.add.reduceat(wrong, starts)


def _cut(table: ScoreTable, threshold: float | None) -> float:
    if threshold is not None:
        if not isfinite(threshold):
            raise RocscopeError(f"threshold must be a finite number, not {threshold}, to rank cases by confidence")
        return float(threshold)
    if not is_probability(table):
        raise RocscopeError(
            "the scores are not probabilities, so there is no default threshold", hint="Give threshold=..."
        )
    return 0.5


def _decimal(distance: Array, scores: Array, cut: float) -> Array:
    """0.7 and 0.3 are equally far from 0.5, though not in floats: distances are rounded to 15 digits of the scores."""
    scale = max(float(np.abs(scores).max(initial=0.0)), abs(cut), 1e-280)
    return np.asarray(np.round(distance / 10.0 ** ceil(log10(scale)), 15) * 10.0 ** ceil(log10(scale)))


@statistic(
    "aurc", title="area under the risk-coverage curve",
    formula="mean over m of the error rate among the m most confident cases",
    latex=r"\frac{1}{n} \sum_{m=1}^{n} \frac{\text{errors among the } m \text{ most confident}}{m}",
    best=0.0, chance="the error rate",
    says="The error rate of a classifier that may abstain, averaged over its coverage.",
    prefer="to compare how well models recognize their own uncertainty",
    cite=AREA, needs="cases", rank_only=False, options={"threshold": 0.5},
)  # fmt: skip
def aurc(table: ScoreTable, *, threshold: float | None = None) -> float:
    """The area under the risk-coverage curve: the mean over m of the risk among the m most confident cases.

    Cases of equal confidence are taken in random order, so errors accumulate evenly among them. Weighted cases are
    counted in units of their mean weight.

    >>> round(aurc(ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.6, 0.3])), 6)
    0.270833
    """
    _, weight, wrong = _by_confidence(table, threshold)
    weight, wrong = weight[weight > 0], wrong[weight > 0]
    unit = 1.0 if table.exact or not sum(table.rows) else weight.sum() / sum(table.rows)
    weight, wrong = weight / unit, wrong / unit
    before, errors = np.cumsum(weight) - weight, np.cumsum(wrong) - wrong
    # closed form of the sum over j of (errors + j rate) / (before + j), where rate = wrong / weight
    blocks = wrong + (errors - before * wrong / weight) * threshold_rates.harmonic(before, weight)
    return min(max(float(blocks.sum() / weight.sum()), 0.0), 1.0)
