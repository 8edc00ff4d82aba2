"""The plane in which each curve is drawn: the names and ranges of its axes, its chance line, the place of its key."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from rocscope import measures
from rocscope.curves import Curve
from rocscope.record import record

Ends = tuple[tuple[float, ...], tuple[float, ...]]
DIAGONAL: Ends = ((0.0, 1.0), (0.0, 1.0))


@record(slots=True)
class Space:
    """A plane to draw in. `place` is its emptiest corner; `statistics` are the numbers that belong to the curve."""

    x: str
    y: str
    square: bool = False
    unit_x: bool = True
    unit_y: bool = True
    chance: Ends | None = None
    says: str = "chance"
    place: str = "lower right"
    statistic: str = ""
    short: str = ""


SPACES: Mapping[str, Space] = MappingProxyType(
    {
        "roc": Space("false positive rate", "true positive rate (recall)", square=True, chance=DIAGONAL,
                     statistic="auc", short="AUC"),
        "binormal_roc": Space("false positive rate", "true positive rate (recall)", square=True, chance=DIAGONAL),
        "pr": Space("recall", "precision", square=True, place="lower left", statistic="average_precision",
                    short="average precision"),
        "pr_points": Space("recall", "precision", square=True, place="lower left", statistic="pr_area", short="area"),
        "pr_gain": Space("recall gain", "precision gain", square=True, place="lower left", statistic="pr_gain_area",
                         short="area"),
        "gain": Space("share of the cases flagged", "share of the positives found", square=True, chance=DIAGONAL,
                      says="at random", statistic="gini", short="Gini"),
        "lift": Space("share of the cases flagged", "lift", unit_y=False, chance=((0.0, 1.0), (1.0, 1.0)),
                      says="at random", place="upper right"),
        "calibration": Space("predicted probability", "observed frequency", square=True, chance=DIAGONAL,
                             says="calibrated", place="upper left", statistic="brier", short="Brier"),
        "smooth_calibration": Space("predicted probability", "observed frequency, smoothed", square=True,
                                    chance=DIAGONAL, says="calibrated", place="upper left", statistic="ici",
                                    short="ICI"),
        "cost": Space("probability cost, PC(+)", "normalized expected cost", unit_y=False,
                      chance=((0.0, 0.5, 1.0), (0.0, 0.5, 0.0)), says="flag all or flag none", place="upper right"),
        "cost_lines": Space("probability cost, PC(+)", "normalized expected cost"),
        "brier_curve": Space("cost share of a false alarm", "loss", unit_y=False, place="lower center",
                             statistic="brier", short="area = Brier"),
        "risk_coverage": Space("share of the cases decided", "error rate among them", unit_y=False,
                               place="upper left", statistic="aurc", short="area"),
        "net_benefit": Space("threshold probability", "net true positives per 1,000", unit_x=False, unit_y=False,
                             place="upper right"),
        "det": Space("false positive rate", "false negative rate", unit_x=False, unit_y=False, place="upper right",
                     statistic="equal_error_rate", short="equal error rate"),
        "ks": Space("threshold", "share at or beyond the threshold", unit_x=False, place="upper right",
                    statistic="ks_statistic", short="KS"),
        "expected_cost": Space("threshold", "expected cost per case", unit_x=False, unit_y=False, place="upper right"),
    }
)  # fmt: skip


def space_of(curve: Curve) -> Space:
    """The space of a curve; the axes of a curve of one or two measures are named after them."""
    if curve.kind in SPACES:
        return SPACES[curve.kind]
    x = "threshold" if curve.x == "threshold" else _title(curve.x)
    whole = _low(curve.y) >= 0 and _high(curve.y) <= 1
    unit_x = curve.x != "threshold" and _low(curve.x) >= 0 and _high(curve.x) <= 1
    return Space(x, _title(curve.y), unit_x=unit_x, unit_y=whole, place="best")


def _title(name: str) -> str:
    return measures.get(name).title


def _low(name: str) -> float:
    return float(measures.get(name).low)


def _high(name: str) -> float:
    return float(measures.get(name).high)


def chance_of(curve: Curve, space: Space) -> tuple[Ends, str] | None:
    """The curve of random scores and its name; None if there is nothing to draw."""
    if space.chance is not None:
        return space.chance, space.says
    table = curve.table
    if curve.kind in ("pr", "pr_points") and table is not None and table.positives + table.negatives:
        share = float(table.positives) / float(table.positives + table.negatives)
        return ((0.0, 1.0), (share, share)), f"flag at random: {100 * share:.2g} %"
    if curve.kind == "pr_gain":
        return ((0.0, 1.0), (0.0, 0.0)), "flag all"
    return None


def drawn_range(curve: Curve, low: float = 0.0) -> tuple[float, float]:
    """A range from 0 (or below) to a little above the largest finite value."""
    values = curve.xy[1]
    finite = values[np.isfinite(values)]
    if not finite.size:
        return 0.0, 1.0
    bottom, top = min(low, float(finite.min())), float(finite.max())
    room = 0.05 * (top - bottom or 1.0)
    return bottom - (room if bottom < 0 else 0.02 * (top - bottom)), top + room
