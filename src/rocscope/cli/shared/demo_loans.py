"""The loans of the demo: 1,000 of them, 80 not paid back, scored by three models.

They are generated from a seed and are the same on every machine: only `random()` is guaranteed to be reproducible, and
scores are rounded to three decimals. Boosting detects most defaults with high scores and misses the others; logistic is
good throughout; the scorecard is weak and coarse. So the ROC curves of the first two cross, and the third is never the
best.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random
from statistics import NormalDist

LABEL, POSITIVE, NEGATIVE = "outcome", "default", "paid"
MODELS = ("boosting", "logistic", "scorecard")
CASES, DEFAULTS, SEED = 1000, 80, 1

Draw = Callable[[float, float], float]
Loan = tuple[str, float, float, float]


def loans() -> list[Loan]:
    """Each loan with its outcome and the scores of the three models.

    >>> len(loans()), sum(loan[0] == "default" for loan in loans()), loans()[0]
    (1000, 80, ('paid', 0.021, 0.025, 0.08))
    """
    random = Random(SEED)
    normal = NormalDist()

    def draw(mean: float, spread: float) -> float:
        return mean + spread * normal.inv_cdf(1e-12 + (1 - 2e-12) * random.random())

    return [_loan(bad, draw, random) for bad in _outcomes(random)]


def _outcomes(random: Random) -> list[bool]:
    """Which loans are not paid back, in random order."""
    outcomes = [True] * DEFAULTS + [False] * (CASES - DEFAULTS)
    for last in range(CASES - 1, 0, -1):
        other = int(random.random() * (last + 1))
        outcomes[last], outcomes[other] = outcomes[other], outcomes[last]
    return outcomes


def _loan(bad: bool, draw: Draw, random: Random) -> Loan:
    shared = draw(0, 1)  # latent effect common to all three models
    seen = random.random() < 0.62
    boosting = (draw(1.2, 1.0) if seen else draw(-2.6, 1.0)) if bad else draw(-3.0, 0.9)
    logistic = (-1.3 if bad else -3.3) + 0.6 * shared + 0.8 * draw(0, 1)
    scorecard = (-1.9 if bad else -2.9) + 0.6 * shared + 0.8 * draw(0, 1)
    points = round(_probability(scorecard) * 50) / 50
    outcome = POSITIVE if bad else NEGATIVE
    return outcome, round(_probability(boosting + 0.3 * shared), 3), round(_probability(logistic), 3), round(points, 2)


def _probability(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))
