"""A gray zone: flag, do not flag, or refer what lies between two thresholds, when referring has a price."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from rocscope.decisions.costs import Costs
from rocscope.errors import RocscopeError
from rocscope.numbers import FITS, Array, decimal, plain
from rocscope.record import record
from rocscope.table import ScoreTable, as_prevalence
from rocscope.text import show_count


@record(slots=True)
class Zone:
    """The cases of one decision."""

    positives: Any
    negatives: Any

    @property
    def total(self) -> Any:
        """All of them."""
        return self.positives + self.negatives


@record(slots=True)
class GreyZone:
    """Two cut points: scores from `flag` on are flagged, those from `refer` up to it referred, the rest not flagged.

    `cost` is per case, with every referred case decided correctly; `single_cost` is that of the best single threshold.
    """

    flag: float
    refer: float
    flagged: Zone
    referred: Zone
    cleared: Zone
    cost: float
    single_cost: float
    words: str


def grey_zone(t: ScoreTable, costs: Costs, *, refer: Any) -> GreyZone:
    """The two thresholds of least expected cost when a case may be referred at the price `refer`.

    A referred case costs `refer`, and what the right decision costs. Every pair of thresholds is considered, in one
    pass; of pairs that tie, the one that refers fewest. Chow 1970, IEEE Transactions on Information Theory 16:41.

    >>> t = ScoreTable.from_scores([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
    >>> found = grey_zone(t, Costs(fp=10, fn=10), refer=1)
    >>> found.flag, found.refer, found.cost, found.single_cost
    (0.8, 0.6, 0.3333333333333333, 1.6666666666666667)
    """
    price = decimal(refer, "refer")
    if price < 0:
        raise RocscopeError(f"refer is {refer}; a price is 0 or more")
    flagging, clearing, size = _worth(t, costs, price)
    upper, lower = _cheapest_pair(flagging, clearing, t.tp + t.fp)
    right = _right(t, costs)
    cost, single = (
        _value(one, size, right) for one in (flagging[upper] + clearing[lower], (flagging + clearing).min())
    )
    return _described(t, upper, lower, cost, single)


def _worth(t: ScoreTable, costs: Costs, price: Fraction) -> tuple[Array, Array, int]:
    """Two costs whose sum is the cost of the pair (i, j), in units of 1 / size.

    The first: flagging the first i entries, less what referring them would cost. The second: referring the first j and
    clearing the rest. What a right decision costs is the same in all zones and stays out.
    """
    up, down = _weights(t, costs)
    hit, alarm = -price * up, (costs.of_alarm - price) * down
    miss, quiet = (price - costs.of_miss) * up, price * down
    start = costs.of_miss * up * Fraction(t.positives)
    if not t.exact:
        a, b = float(hit) * t.tp + float(alarm) * t.fp, float(miss) * t.tp + float(quiet) * t.fp + float(start)
        return a, b, 1
    size = math.lcm(*(one.denominator for one in (hit, alarm, miss, quiet, start)))
    numbers = [int(one * size) for one in (hit, alarm, miss, quiet, start)]
    large = sum(map(abs, numbers[:4])) * (t.positives + t.negatives) + abs(numbers[4])
    tp, fp = (cells.astype(object) if 2 * large >= FITS else cells for cells in (t.tp, t.fp))
    return numbers[0] * tp + numbers[1] * fp, numbers[2] * tp + numbers[3] * fp + numbers[4], size


def _weights(t: ScoreTable, costs: Costs) -> tuple[Fraction, Fraction]:
    """What one positive and one negative weigh in the expected cost."""
    if costs.prevalence is None:
        total = Fraction(t.positives + t.negatives)
        return 1 / total, 1 / total
    if not t.positives or not t.negatives:
        missing = "negatives" if t.positives else "positives"
        raise RocscopeError(f"a gray zone at a prevalence has no optimum: there are no {missing}")
    share = as_prevalence(costs.prevalence)
    return share / Fraction(t.positives), (1 - share) / Fraction(t.negatives)


def _cheapest_pair(flagging: Array, clearing: Array, cases: Array) -> tuple[int, int]:
    """The rows i <= j with the least flagging[i] + clearing[j]; of ties the pair with the fewest cases between."""
    least = np.minimum.accumulate(flagging)
    # the last row so far that reaches the minimum so far leaves the fewest between
    latest = np.maximum.accumulate(np.where(flagging == least, np.arange(len(least)), -1))
    total = least + clearing
    best = total.min()
    if total.dtype == np.float64:
        best += 1e-12 * max(abs(best), abs(clearing).max())
    tied = np.flatnonzero(total <= best)
    between = cases[tied] - cases[latest[tied]]
    lower = int(tied[between.argmin()])
    return int(latest[lower]), lower


def _right(t: ScoreTable, costs: Costs) -> Fraction:
    """What deciding every case rightly costs."""
    up, down = _weights(t, costs)
    parts = ((costs.tp, up, t.positives), (costs.tn, down, t.negatives))
    return sum((decimal(cost, "cost") * weight * Fraction(total) for cost, weight, total in parts), Fraction(0))


def _value(units: Any, size: int, right: Fraction) -> float:
    return float(units) + float(right) if isinstance(units, float) else float(Fraction(int(units), size) + right)


def _described(t: ScoreTable, upper: int, lower: int, cost: float, single: float) -> GreyZone:
    flagged, referred, cleared = (
        Zone(plain(t.tp[b] - t.tp[a]), plain(t.fp[b] - t.fp[a])) for a, b in pairwise((0, upper, lower, len(t)))
    )
    flag, refer = t.thresholds[upper].item(), t.thresholds[lower].item()
    words = _words(t, flag, refer, (flagged, referred, cleared), cost, single)
    return GreyZone(flag, refer, flagged, referred, cleared, cost, single, words)


def _words(t: ScoreTable, flag: float, refer: float, zones: tuple[Zone, ...], cost: float, single: float) -> str:
    numbers = [show_count(zone.total) for zone in zones]
    if flag == refer:
        return f"Referring does not pay: one threshold, {flag:g}, costs {cost:.4g} per case as well."
    sign, way = (">=", "down") if t.higher_is_positive else ("<=", "up")
    flagged = f"flag scores {sign} {flag:g} ({numbers[0]} cases)" if zones[0].total else "flag nothing"
    return (
        f"{flagged.capitalize()}, refer the next {way} to {refer:g} ({numbers[1]}), do not flag the rest "
        f"({numbers[2]}): {cost:.4g} per case; one threshold alone costs {single:.4g}."
    )
