"""Areas compared without the rows: from tables and DeLong's covariance of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rocscope import curves
from rocscope.estimate import Estimate, find, undefined
from rocscope.numbers import bounded, chi2_above, normal_above
from rocscope.significance import KEPT, quadratic_form

if TYPE_CHECKING:
    from rocscope.evaluation.binary import Evaluation

METHOD = "delong"
SAID = (
    "Rows beyond memory: differences of cost case by case, and the share of resamples in which a model is cheapest, "
    "are not reported."
)


def from_covariance(first: Evaluation, second: Evaluation, spread: Any, *, level: float) -> Estimate:
    """The difference of two AUCs, first less second, with DeLong's paired test from their covariance.

    z = d / sqrt(v_aa + v_bb - 2 v_ab); limits with the floor of `significance.delong`, wider by what cells may hide.
    Reference: DeLong, DeLong & Clarke-Pearson, Biometrics 1988;44:837-845.
    """
    tables = first.table, second.table
    reason = next((why for table in tables if (why := curves.get("auc").why(table))), "")
    if reason:
        return undefined(reason, level=level, method=METHOD)
    gap = curves.auc(tables[0]) - curves.auc(tables[1])
    gap = gap if abs(gap) > 1e-14 else 0.0
    own = float(spread[0, 0] + spread[1, 1])
    freed = float(own - 2 * spread[0, 1])
    seen = freed > KEPT * own
    if not seen and gap == 0:
        return Estimate(0.0, 0.0, 0.0, level, METHOD, "identical placements: no difference", 1.0, 0.0, se=0.0)
    limits = find("floored", fits="auc difference").limits(*tables, spread, gap, freed if seen else 0.0, level)
    hidden = tables[0].bound + tables[1].bound
    low, high = max(-1.0, limits[0] - hidden), min(1.0, limits[1] + hidden)
    if not seen:
        why = "DeLong's variance of the difference is 0, and a permutation needs the rows"
        return Estimate(gap, low, high, level, METHOD, why)
    z = gap / math.sqrt(freed)
    p = bounded(2 * normal_above(abs(z)))
    return Estimate(gap, low, high, level, METHOD, "", p, z, se=math.sqrt(freed))


def joint_from_covariance(evaluations: Sequence[Evaluation], spread: Any) -> Estimate:
    """All AUCs equal? The chi-square of `significance.joint_delong`; the value is the largest gap."""
    method = "joint delong"
    reason = curves.get("auc").why(evaluations[0].table)
    if reason:
        return undefined(reason, method=method)
    areas = np.array([curves.auc(one.table) for one in evaluations])
    gap = float(areas.max() - areas.min())
    statistic, df, lost = quadratic_form(areas, np.asarray(spread))
    if lost:
        return Estimate(gap, method=method, why="a difference without variance, and a permutation needs the rows")
    p = float(chi2_above(statistic, df)) if df else 1.0
    return Estimate(gap, method=method, why="" if df else "no difference seen", p=p, statistic=statistic, df=float(df))
