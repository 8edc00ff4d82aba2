"""Decisions: costs, conditions, and the thresholds that rules choose.

>>> from rocscope.table import ScoreTable
>>> t = ScoreTable.from_scores([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
>>> best(t, "cost", costs=Costs(fp=1, fn=5))[0].threshold
0.6
>>> sorted(rules())
['closest', 'cost', 'likelihood_ratio', 'map', 'youden']
"""

from typing import TYPE_CHECKING

from rocscope.decisions.capacity import Capacity, capacity_of, rows_within, top
from rocscope.decisions.conditions import Condition, Requirement, condition, goal, is_measure
from rocscope.decisions.cost_matrix import UNDECIDED, CostMatrix, equal_costs
from rocscope.decisions.costs import Costs, checked_costs
from rocscope.decisions.criterion_of_counts import Criterion, criterion_of
from rocscope.decisions.operating_points import (
    OperatingPoint,
    Optima,
    at_sensitivity,
    at_specificity,
    best,
    counts_at,
    likelihood_ratio,
    map_rule,
)
from rocscope.decisions.per_case_costs import CaseCosts, best_per_case
from rocscope.decisions.referral import GreyZone, Referral, Zone, grey_zone, referral_of, zone_of
from rocscope.decisions.search import best_rows, first_best
from rocscope.decisions.threshold_rules import ThresholdRule, criterion, needs_costs, rule, rules
from rocscope.registry import on_first_use

if TYPE_CHECKING:
    from rocscope.decisions.decision_sums import DecisionSums
else:  # loaded when it is used: decisions among several classes need tables of classes
    __getattr__ = on_first_use(__name__, {"decision_sums": "DecisionSums"})

__all__ = [
    "UNDECIDED", "Capacity", "CaseCosts", "Condition", "CostMatrix", "Costs", "Criterion", "DecisionSums", "GreyZone",
    "OperatingPoint", "Optima", "Referral", "Requirement", "ThresholdRule", "Zone", "at_sensitivity", "at_specificity",
    "best", "best_per_case", "best_rows", "capacity_of", "checked_costs", "condition", "counts_at", "criterion",
    "criterion_of", "equal_costs", "first_best", "goal", "grey_zone", "is_measure", "likelihood_ratio", "map_rule",
    "needs_costs", "referral_of", "rows_within", "rule", "rules", "top", "zone_of",
]  # fmt: skip
