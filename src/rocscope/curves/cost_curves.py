"""Costs along a table: cost curve, Brier curve, expected cost and net benefit; and areas based on the hull."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import inf, isfinite, nan
from types import MappingProxyType

import numpy as np

from rocscope.curves import threshold_rates
from rocscope.curves.curve import Array, Curve
from rocscope.curves.declaration import Columns, curve, statistic
from rocscope.curves.roc_curve import auc
from rocscope.errors import RocscopeError
from rocscope.formula import divide
from rocscope.hull import corner_rows
from rocscope.numbers import floats, one_of
from rocscope.table import ScoreTable

DRUMMOND = "Drummond & Holte 2006, Machine Learning 65:95-130"
VICKERS = "Vickers & Elkin 2006, Medical Decision Making 26:565-574"


# ---- cost curves ----


@curve(
    "cost", title="cost curve", aka=("cost_curve", "cost_envelope"), columns=("pc", "cost", "fpr", "fnr"),
    formula="minimum of FNR * PC + FPR * (1 - PC) over the thresholds, PC from 0 to 1",
    latex=r"\min_\rho\; FNR \cdot PC + FPR \cdot (1 - PC)",
    chance="min(PC, 1 - PC)",
    says="The lowest cost of any threshold at each combination of costs and prevalence, relative to the worst.",
    prefer="when costs or the prevalence are known only roughly",
    cite=DRUMMOND, needs="both",
)  # fmt: skip
def cost(table: ScoreTable) -> Curve:
    """The lower envelope of the cost lines: its corners, and the threshold that is cheapest beyond each.

    Normalized cost = FNR PC + FPR (1 - PC) with PC = prev C_FN / (prev C_FN + (1 - prev) C_FP); the envelope is the
    dual of the ROC hull.

    >>> c = cost(ScoreTable.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1]))
    >>> c.thresholds, c.pc.round(3)
    (array([inf, 0.9, 0.8, 0.1, 0.1]), array([0. , 0. , 0.429, 1. , 1. ]))
    """
    rows = corner_rows(table)
    alarms, misses = threshold_rates.fpr(table)[rows], threshold_rates.fnr(table)[rows]
    run, rise = np.diff(alarms), -np.diff(misses)
    pc = np.concatenate(([0.0], run / (run + rise), [1.0]))
    which = np.concatenate((np.arange(len(rows)), [len(rows) - 1]))
    columns = {
        "pc": pc,
        "cost": misses[which] * pc + alarms[which] * (1 - pc),
        "fpr": alarms[which],
        "fnr": misses[which],
    }
    return Curve(
        "cost", table.thresholds[rows[which]], columns, x="pc", y="cost",
        higher_is_positive=table.higher_is_positive, steps=False, table=table,
    )  # fmt: skip


@curve(
    "cost_lines", title="cost lines", columns=("fpr", "fnr"),
    formula="for each threshold the line from (0, FPR) to (1, FNR)",
    latex=r"FNR \cdot PC + FPR \cdot (1 - PC)",
    says="The cost of each threshold, as a line over all combinations of costs and prevalence.",
    prefer="to draw beneath the cost curve", cite=DRUMMOND, linear=True,
)  # fmt: skip
def cost_lines(table: ScoreTable) -> Columns:
    """One line per threshold in cost space, with height `fpr` on the left (PC = 0) and `fnr` on the right (PC = 1).

    >>> cost_lines(ScoreTable.from_scores([1, 0], [0.9, 0.1])).fnr
    array([1., 0., 0.])
    """
    columns = {"fpr": threshold_rates.fpr(table), "fnr": threshold_rates.fnr(table)}
    return columns, threshold_rates.one_class(table, positives="fnr", negatives="fpr")


@curve(
    "brier_curve", title="Brier curve", columns=("cost_share", "loss"),
    formula="2 (c (1 - prev) FPR + (1 - c) prev FNR) with the threshold at c",
    latex=r"2\left(c\,\pi_0\,FPR(c) + (1 - c)\,\pi_1\,FNR(c)\right)",
    high=2.0,
    says="The loss when the threshold equals the cost share of a false alarm; the area under it is the Brier score.",
    prefer="to see at which costs the probabilities fail",
    cite="Hernandez-Orallo, Flach & Ferri 2011, ICML, 585-592", needs_probabilities=True,
)  # fmt: skip
def brier_curve(table: ScoreTable) -> Curve:
    """The Brier curve, from cost share 1 ("predict nothing") down to 0, with two rows for each threshold, one for each
    end of its range.

    loss = 2 (c FP + (1 - c) FN) / n at threshold c; the area under it is the Brier score.

    >>> brier_curve(ScoreTable.from_scores([1, 0], [0.8, 0.4])).loss
    array([0. , 0.2, 0. , 0. , 0.4, 0. ])
    """
    ends = np.concatenate(([1.0], floats(table.scores), [0.0]))
    rows = np.repeat(np.arange(len(table) + 1), 2)
    c = np.repeat(ends, 2)[1:-1]
    counts = threshold_rates.cells(table)
    total = float(table.positives + table.negatives)
    loss = 2 * (c * counts["fp"][rows] + (1 - c) * counts["fn"][rows]) / total
    return Curve(
        "brier_curve", table.thresholds[rows], {"cost_share": c, "loss": loss}, x="cost_share", y="loss",
        steps=False, table=table,
    )  # fmt: skip


@curve(
    "expected_cost", title="expected cost", columns=("cost",), x="threshold", y="cost",
    formula="(cost_FP FP + cost_FN FN + cost_TP TP + cost_TN TN) / n",
    latex=r"\frac{C_{FP} FP + C_{FN} FN + C_{TP} TP + C_{TN} TN}{n}",
    low=-inf, high=inf,
    says="The average cost per case at every threshold.",
    prefer="when the costs of the four outcomes are known",
    cite="Elkan 2001, IJCAI, 973-978", options={"fp": 1, "fn": 5},
)  # fmt: skip
def expected_cost(
    table: ScoreTable, *, fp: float | None = None, fn: float | None = None, tp: float = 0.0, tn: float = 0.0
) -> Columns:
    """The mean cost per case at every threshold, from the costs of the four outcomes (gains are negative costs).

    A false positive and a false negative have no default cost: both must be given.

    >>> expected_cost(ScoreTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1]), fp=1, fn=5).cost
    array([2.5 , 1.25, 1.5 , 0.25, 0.5 ])
    """
    if fp is None or fn is None:
        raise RocscopeError(
            "the expected cost requires the costs of both kinds of error", hint="Give, for example, fp=1, fn=5"
        )
    costs = {"fp": fp, "fn": fn, "tp": tp, "tn": tn}
    if not all(isfinite(value) for value in costs.values()):
        raise RocscopeError(f"costs must be finite numbers, not {costs}")
    counts = threshold_rates.cells(table)
    spent = sum(price * counts[cell] for cell, price in costs.items())
    return {"cost": threshold_rates.over(np.asarray(spent), float(table.positives + table.negatives))}, ""


# ---- net benefit ----


@curve(
    "net_benefit", title="decision curve", aka=("decision_curve", "dca"),
    columns=("net_benefit", "treat_all", "treat_none", "standardized", "avoided"), x="threshold", y="net_benefit",
    formula="TP / n - FP / n * pt / (1 - pt), where pt is both the threshold and the trade-off",
    latex=r"\frac{TP}{n} - \frac{FP}{n} \cdot \frac{p_t}{1 - p_t}",
    low=-inf, chance="between treating none (0) and treating all",
    says="True positives per case minus false positives per case, weighted by the odds of the threshold.",
    prefer="when people act as soon as the probability is high enough to make acting worthwhile, as in medicine",
    cite=VICKERS, needs_probabilities=True,
)  # fmt: skip
def net_benefit(table: ScoreTable, *, pt: Sequence[float] | None = None) -> Curve:
    """The decision curve at the given threshold probabilities, or at all observed ones.

    NB = TP / n - FP / n pt / (1 - pt), together with those of treating all and of treating none; standardized = NB /
    prevalence; avoided = (NB - NB of treating all) (1 - pt) / pt, the net interventions avoided per case.

    >>> n = net_benefit(ScoreTable.from_scores([1, 0, 1, 0], [0.8, 0.6, 0.4, 0.2]), pt=[0.5])
    >>> n.net_benefit, n.treat_all
    (array([0.]), array([0.]))
    """
    points = table.thresholds if pt is None else _asked(pt)
    rows = np.arange(len(table) + 1) if pt is None else np.array([table.position(p) for p in points], dtype=int)
    total = float(table.positives + table.negatives)
    up, down = floats(table.tp[rows]) / total, floats(table.fp[rows]) / total
    odds, share = _odds(points), float(table.tp[-1]) / total
    benefit = up - odds * down
    nothing = np.isinf(points)
    columns = {
        "net_benefit": np.where(nothing, 0.0, benefit),
        "treat_all": share - odds * (float(table.fp[-1]) / total),
        "treat_none": np.zeros(len(points)),
        "standardized": np.asarray(divide(np.where(nothing, 0.0, benefit), share)),
    }
    with np.errstate(over="ignore"):  # overflows to infinity at thresholds close to 0
        columns["avoided"] = np.asarray(divide(columns["net_benefit"] - columns["treat_all"], odds))
    reasons = (
        threshold_rates.why_missing(
            "net_benefit", columns["net_benefit"], lambda _: "at pt = 1, a false alarm is infinitely costly"
        ),
        threshold_rates.why_missing(
            "treat_all", columns["treat_all"], lambda row: f"at pt = {points[row]:g}, harm has no weight"
        ),
        threshold_rates.one_class(table, positives="standardized"),
    )
    why = "; ".join(reason for reason in reasons if reason)
    return Curve("net_benefit", points, columns, x="threshold", y="net_benefit", why=why, steps=False, table=table)


def _asked(pt: Sequence[float]) -> Array:
    points = np.array(pt, dtype=np.float64).reshape(-1)
    wrong = points[~((points >= 0) & (points < 1))]
    if wrong.size:
        raise RocscopeError(f"a threshold probability must be at least 0 and less than 1, not {wrong[0]:g}")
    return points


def _odds(points: Array) -> Array:
    """pt / (1 - pt), NaN where pt is 1 or no probability."""
    inside = (points >= 0) & (points < 1)
    safe = np.where(inside, points, 0.0)
    return np.where(inside, safe / (1 - safe), nan)


@statistic(
    "net_benefit_at", title="net benefit",
    formula="TP / n - FP / n * pt / (1 - pt)",
    latex=r"\frac{TP}{n} - \frac{FP}{n} \cdot \frac{p_t}{1 - p_t}",
    low=-inf, chance="between treating none (0) and treating all",
    says="True positives per case minus false positives per case, weighted by the odds of pt.",
    prefer="to choose a model for users who act at probability pt",
    cite=VICKERS, needs="cases", needs_probabilities=True, options={"pt": 0.2},
)  # fmt: skip
def net_benefit_at(table: ScoreTable, *, pt: float) -> float:
    """The net benefit of acting on every case with a probability of at least `pt`.

    >>> net_benefit_at(ScoreTable.from_scores([1, 0, 1, 0], [0.8, 0.6, 0.4, 0.2]), pt=0.2)
    0.375
    """
    return float(net_benefit(table, pt=[pt]).net_benefit[0])


# ---- areas under the hull ----


def _exact_hull_area(table: ScoreTable) -> Fraction:
    from rocscope.hull import hull

    return hull(table).area_exact


@statistic(
    "hull_area", title="area under the ROC hull", aka=("auch", "roc_hull_area"),
    formula="area under the convex hull of the ROC curve",
    latex=r"AUCH", low=0.5, chance="0.5 in the long run, above 0.5 in any sample", fraction=_exact_hull_area,
    says="The ROC area reached by the best thresholds and mixtures of them.",
    prefer="alongside the AUC: the gap between them is the potential gain from recalibration",
    cite="Provost & Fawcett 2001, Machine Learning 42:203-231",
)  # fmt: skip
def hull_area(table: ScoreTable) -> float:
    """The area under the convex hull of the ROC curve, which is at least the AUC and at least 0.5.

    >>> hull_area(ScoreTable.from_scores([0, 1], [0.9, 0.1]))
    0.5
    """
    from rocscope.hull import hull

    return float(hull(table).area)


@statistic(
    "hull_gap", title="hull area above the AUC", aka=("auch_gap",), formula="area under the ROC hull - AUC",
    latex=r"AUCH - AUC", best=0.0,
    says="The ROC area lost because scores are in the wrong order.",
    prefer="to summarize concavities in one number; isotonic recalibration repairs them on these data",
    cite="Flach & Wu 2005, IJCAI, 702-707",
)  # fmt: skip
def hull_gap(table: ScoreTable) -> float:
    """The area between the ROC curve and its convex hull: 0 for a convex curve.

    >>> hull_gap(ScoreTable.from_scores([0, 1], [0.9, 0.1]))
    0.5
    """
    return max(hull_area(table) - auc(table), 0.0)


CONVENTIONS: Mapping[str, str] = MappingProxyType(
    {
        "2014": "Beta(1 + prevalence, 2 - prevalence), Hand & Anagnostopoulos 2014",
        "2009": "Beta(2, 2), Hand 2009",
        "package": "Beta(2, 1 + negatives / positives), the default of the hmeasure packages",
    }
)


@statistic(
    "h_measure", title="H-measure", aka=("h",),
    formula="1 - L / L_max, L the least expected cost over costs c with weight Beta(1 + prev, 2 - prev)",
    latex=r"1 - \frac{\int \min_\rho [c\,\pi_0 FPR + (1 - c)\,\pi_1 FNR]\, w(c)\,dc}{\int \min(c\,\pi_0,"
    r" (1 - c)\,\pi_1)\, w(c)\,dc}",
    chance="0",
    says="The share of the cost of guessing that is saved, averaged over costs in the same way for every model.",
    prefer="to compare models with crossing ROC curves; state which cost weights were used",
    cite="Hand & Anagnostopoulos 2014, Pattern Recognition Letters 40:41-46",
)  # fmt: skip
def h_measure(table: ScoreTable, *, convention: str = "2014") -> float:
    """The H-measure: 1 minus the lowest expected cost relative to guessing, with costs weighted by a beta distribution.

    Three weightings are in use (see `CONVENTIONS`): "2014" Beta(1 + prev, 2 - prev), "2009" Beta(2, 2) and "package"
    Beta(2, 1 + N / P).

    >>> h_measure(ScoreTable.from_scores([1, 0], [0.9, 0.1]))
    1.0
    """
    share = threshold_rates.prevalence(table)
    alpha, beta = _beta_weights(convention, share)
    rows = corner_rows(table)
    alarms, misses = threshold_rates.fpr(table)[rows], threshold_rates.fnr(table)[rows]
    loss = _expected_loss(alarms, misses, share, alpha, beta)
    worst = _expected_loss(np.array([0.0, 1.0]), np.array([1.0, 0.0]), share, alpha, beta)
    return min(max(1 - loss / worst, 0.0), 1.0)


def _beta_weights(convention: str, share: float) -> tuple[float, float]:
    weights = {
        "2014": (1 + share, 2 - share), "2009": (2.0, 2.0), "package": (2.0, 1 + (1 - share) / share),
    }  # fmt: skip
    return weights[one_of("H-measure", convention, weights)]


def _expected_loss(alarms: Array, misses: Array, share: float, alpha: float, beta: float) -> float:
    """The integral over c of the least cost among hull corners, each cheapest between two costs."""
    from scipy.special import betainc

    rise, run = -share * np.diff(misses), (1 - share) * np.diff(alarms)
    ends = np.concatenate(([1.0], rise / (rise + run), [0.0]))
    of_alarms = -np.diff(betainc(alpha + 1, beta, ends)) * alpha / (alpha + beta)
    of_misses = -np.diff(betainc(alpha, beta + 1, ends)) * beta / (alpha + beta)
    return float((1 - share) * (alarms * of_alarms).sum() + share * (misses * of_misses).sum())
