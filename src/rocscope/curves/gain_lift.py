"""Cumulative gain and lift: how much is found when a share of the cases is inspected."""

from __future__ import annotations

from math import inf

import numpy as np

from rocscope.curves import threshold_rates
from rocscope.curves.declaration import Columns, curve, statistic
from rocscope.curves.precision_recall import NOTHING
from rocscope.errors import RocscopeError
from rocscope.formula import divide
from rocscope.table import ScoreTable

CITE = "Witten, Frank, Hall & Pal 2016, Data Mining, 4th ed., section 5.8"


@curve(
    "gain", title="cumulative gain curve", aka=("cap", "cumulative_gain", "lorenz"),
    columns=("share", "recall"),
    formula="x = (TP + FP) / n, y = TP / P",
    latex=r"\left(\frac{TP + FP}{n}, \frac{TP}{P}\right)",
    chance="the diagonal",
    says="The share of positives found when the cases with the highest scores are flagged.",
    prefer="when a budget limits how many cases can be reviewed",
    cite=CITE, linear=True,
)  # fmt: skip
def gain(table: ScoreTable) -> Columns:
    """The cumulative gain curve, also called CAP: the share flagged and the recall at every threshold.

    >>> g = gain(ScoreTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1]))
    >>> g.share, g.recall
    (array([0. , 0.25, 0.5 , 0.75, 1. ]), array([0. , 0.5, 0.5, 1. , 1. ]))
    """
    columns = {"share": threshold_rates.flagged(table), "recall": threshold_rates.tpr(table)}
    return columns, threshold_rates.one_class(table, positives="recall")


@curve(
    "lift", title="lift curve", columns=("share", "lift"),
    formula="x = (TP + FP) / n, y = precision / prevalence",
    latex=r"\left(\frac{TP + FP}{n}, \frac{TP / (TP + FP)}{P / n}\right)",
    high=inf, chance="constant at 1",
    says="The frequency of positives among the flagged cases, relative to a random sample of the same size.",
    prefer="when a budget limits how many cases can be reviewed",
    cite=CITE,
)  # fmt: skip
def lift(table: ScoreTable) -> Columns:
    """The lift curve: the share flagged, and the precision divided by the prevalence, at every threshold.

    >>> lift(ScoreTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])).lift
    array([ nan, 2. , 1. , 1.33333333, 1. ])
    """
    share = threshold_rates.flagged(table)
    values = np.asarray(divide(threshold_rates.tpr(table), share))
    why = threshold_rates.one_class(table, positives="lift") or threshold_rates.why_missing(
        "lift", values, lambda _: NOTHING
    )
    return {"share": share, "lift": values}, why


@statistic(
    "gain_at", title="recall among the top share", aka=("recall_at_share",),
    formula="recall when the given share of cases, those with the highest scores, is flagged",
    latex=r"\frac{TP}{P} \text{ at } \frac{TP + FP}{n} = q",
    chance="the share itself",
    says="The share of positives found when the cases with the highest scores are flagged.",
    prefer="when a budget limits how many cases can be reviewed",
    cite=CITE, needs="positives", options={"share": 0.1},
)  # fmt: skip
def gain_at(table: ScoreTable, *, share: float) -> float:
    """The recall when the top `share` of the cases is flagged; ties at the boundary are broken at random.

    It is computed from the cumulative gain curve.

    >>> gain_at(ScoreTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1]), share=0.25)
    0.5
    """
    if not 0 < share <= 1:
        raise RocscopeError(
            f"share must be greater than 0 and at most 1, such as 0.1 for the top 10 %, not {share}"
        )
    return float(np.interp(share, threshold_rates.flagged(table), threshold_rates.tpr(table)))


@statistic(
    "lift_at", title="lift of the top share",
    formula="recall among the top share / share",
    latex=r"\frac{TP / P}{q} \text{ at } \frac{TP + FP}{n} = q",
    high=inf, best=None, chance="1",
    says="The frequency of positives among the top share, relative to a random sample of the same size.",
    prefer="when a budget limits how many cases can be reviewed; at best it is 1 / max(share, prevalence)",
    cite=CITE, needs="positives", options={"share": 0.1},
)  # fmt: skip
def lift_at(table: ScoreTable, *, share: float) -> float:
    """The lift when the top `share` of the cases is flagged; ties at the boundary are broken at random.

    >>> lift_at(ScoreTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1]), share=0.25)
    2.0
    """
    return gain_at(table, share=share) / share
