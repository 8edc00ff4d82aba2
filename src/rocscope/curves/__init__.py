"""Curves, areas, and measures of rankings and probabilities: everything that is computed from a score table.

>>> from rocscope import curves
>>> from rocscope.table import ScoreTable
>>> t = ScoreTable.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1])
>>> curves.auc(t), curves.exact("auc", t)
(0.8333333333333334, Fraction(5, 6))
>>> curves.why("auc", ScoreTable.from_scores([1, 1], [0.9, 0.8]))
'no negatives: ROC AUC is undefined'

Each curve and each statistic is one decorated function; `catalog()` lists them with their descriptions, `get(name)`
finds one by name or alias, `why(name, t)` gives the reason for a NaN. `sweep` and `trade` compute any measure of counts
along a table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

from rocscope.curves.abstention import aurc, risk_coverage
from rocscope.curves.binormal_model import Binormal, binormal, binormal_auc, binormal_roc
from rocscope.curves.calibration_curve import calibration, ece, mce
from rocscope.curves.cost_curves import (
    CONVENTIONS,
    brier_curve,
    cost,
    cost_lines,
    expected_cost,
    h_measure,
    hull_area,
    hull_gap,
    net_benefit,
    net_benefit_at,
)
from rocscope.curves.curve import Curve, Label
from rocscope.curves.declaration import DECLARED, Kernel, Reading, attach, is_probability, statistic
from rocscope.curves.gain_lift import gain, gain_at, lift, lift_at
from rocscope.curves.logistic_calibration import (
    CalibrationFit,
    calibration_fit,
    calibration_in_the_large,
    calibration_intercept,
    calibration_slope,
)
from rocscope.curves.precision_recall import (
    average_precision,
    pr,
    pr_area,
    pr_gain,
    pr_gain_area,
    pr_points,
    pr_trapezoid,
)
from rocscope.curves.probability import (
    LOGS,
    SQUARES,
    Decomposition,
    GroupTest,
    Loss,
    LossSums,
    brier,
    brier_skill,
    clipped,
    decompose,
    discrimination,
    hosmer_lemeshow,
    log_loss,
    log_loss_skill,
    log_losses,
    miscalibration,
    spiegelhalter_p,
    spiegelhalter_z,
    squared_losses,
    uncertainty,
)
from rocscope.curves.roc_curve import (
    auc,
    auc_odds,
    auc_odds_ratio,
    auc_of,
    cohen_d,
    det,
    equal_error_rate,
    gini,
    ks,
    ks_statistic,
    largest_gap_row,
    partial_auc,
    polyline_area,
    rate_range,
    roc,
    two_way_chance,
    two_way_partial_auc,
)
from rocscope.curves.simplification import kept_rows, thinned_roc
from rocscope.curves.smoothed_calibration import (
    ScoreCells,
    Smoothed,
    e50,
    e90,
    gap_quantile,
    ici,
    score_cells,
    smooth_calibration,
    smooth_ece,
    smoothed,
)
from rocscope.curves.threshold_rates import cells, over, sweep, trade
from rocscope.errors import RocscopeError
from rocscope.table import ScoreTable

__all__ = [
    "roc", "det", "ks", "pr", "pr_points", "pr_gain", "gain", "lift", "cost", "cost_lines", "brier_curve",
    "expected_cost", "net_benefit", "calibration", "smooth_calibration", "risk_coverage", "binormal_roc", "sweep",
    "trade",
    "auc", "auc_of", "gini", "cohen_d", "auc_odds", "auc_odds_ratio", "partial_auc", "rate_range",
    "two_way_partial_auc", "two_way_chance",
    "polyline_area", "hull_area", "hull_gap", "h_measure", "CONVENTIONS", "equal_error_rate", "ks_statistic",
    "largest_gap_row",
    "average_precision", "pr_area", "pr_trapezoid", "pr_gain_area", "gain_at", "lift_at", "net_benefit_at", "aurc",
    "brier", "brier_skill", "decompose", "miscalibration", "discrimination", "uncertainty", "log_loss",
    "log_loss_skill", "hosmer_lemeshow", "GroupTest", "spiegelhalter_z",
    "spiegelhalter_p", "ece", "mce", "smooth_ece", "calibration_fit",
    "ici", "e50", "e90",
    "calibration_slope", "calibration_intercept", "calibration_in_the_large", "binormal", "binormal_auc",
    "Curve", "Label", "Reading", "Decomposition", "CalibrationFit", "Binormal",
    "Kernel", "Loss", "LossSums", "SQUARES", "LOGS", "squared_losses", "log_losses", "attach", "statistic",
    "is_probability", "clipped", "ScoreCells", "Smoothed", "score_cells", "smoothed", "gap_quantile",
    "kept_rows", "thinned_roc", "cells", "over",
    "catalog", "names", "get", "why", "exact", "bounds",
]  # fmt: skip


_BINNED = re.compile(r"(ece|mce)_(\d+)(?:_equal_(width|count))?")


def catalog() -> tuple[Reading, ...]:
    """All curves and statistics with their descriptions."""
    return tuple(DECLARED.catalog().values())


def names() -> Mapping[str, Reading]:
    """All names and aliases with the curve or statistic they refer to."""
    return DECLARED.names()


def get(name: str) -> Reading:
    """The curve or statistic with this name or alias; names such as ece_15 and mce_20_equal_count state the binning.

    >>> get("auroc").name, get("ece_15_equal_count").title
    ('auc', 'ECE, 15 bins of equal count')
    """
    known = DECLARED.look_up(name)
    plain = name.strip().lower().replace(" ", "_").replace("-", "_")
    binned = None if known else _BINNED.fullmatch(plain)
    if binned:
        return _binned(binned[1], int(binned[2]), binned[3] or "width")
    if plain in ("ece", "mce"):
        raise RocscopeError(
            f"there is no curve or statistic '{name}'", hint=f"Add the number of bins to the name: {plain}_10"
        )
    return DECLARED.find(name)


@lru_cache(maxsize=64)
def _binned(kind: str, bins: int, by: str) -> Reading:
    base = DECLARED.find(f"{kind}_10")
    suffix = "" if by == "width" else "_equal_count"
    return replace(
        base,
        name=f"{kind}_{bins}{suffix}",
        title=f"{kind.upper()}, {bins} bins of equal {by}",
        says=base.says.replace("ten bins of equal width", f"{bins} bins of equal {by}"),
        function=partial(base.function, bins=bins, by=by),
        strict=partial(base.strict, bins=bins, by=by),
    )


def why(name: str, table: ScoreTable, **options: Any) -> str:
    """The reason why the curve or statistic has no value for the table; '' if it has one.

    >>> why("partial_auc", ScoreTable.from_scores([0, 1], [0.9, 0.1]), fpr=(0, 0.5), corrected=True)
    'below the diagonal (0 < 0.125): the correction is undefined'
    """
    return get(name).why(table, **options)


def exact(name: str, table: ScoreTable) -> Fraction:
    """The statistic as a fraction, for tables of counts: auc, gini, average_precision, ks_statistic.

    >>> exact("average_precision", ScoreTable.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1]))
    Fraction(5, 6)
    """
    return get(name).exact(table)


def bounds(name: str, table: ScoreTable) -> tuple[float, float]:
    """Certified bounds for the statistic when entries of the table represent several scores.

    They are available for auc, average_precision and pr_area; the two bounds are equal if every entry is a single
    score.

    >>> bounds("auc", ScoreTable.from_scores([1, 0], [0.9, 0.1]))
    (1.0, 1.0)
    """
    reading = get(name)
    reason = reading.why(table)
    if reason:
        return float("nan"), float("nan")
    if reading.bounds is None:
        raise RocscopeError(f"there are no bounds for '{name}'", hint="Use auc, average_precision or pr_area")
    return reading.bounds(table)
