"""A gray zone: flag, do not flag, or refer the cases between two thresholds, by requirements or by a price."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from rocscope import measures
from rocscope.decisions.conditions import Requirement, condition
from rocscope.decisions.costs import Costs
from rocscope.errors import RocscopeError
from rocscope.numbers import FITS, Array, decimal, plain
from rocscope.record import record
from rocscope.table import ScoreTable, as_prevalence
from rocscope.text import show_count

# Measures that can be required of the cases not flagged and of those flagged: 1 if higher is better, -1 if lower.
RULE_OUT = {"recall": 1, "negative_predictive_value": 1, "false_negative_rate": -1, "false_omission_rate": -1}
RULE_IN = {"precision": 1, "specificity": 1, "false_discovery_rate": -1, "false_positive_rate": -1}
EXAMPLE = "recall >= 0.95, precision >= 0.9"


@record(slots=True)
class Referral:
    """The rule for two thresholds: two requirements, or the price of referring a case; created by `referral_of`.

    `out` must hold for flagged and referred cases together, which makes it safe not to flag the remaining cases; `into`
    must hold for the flagged cases alone.
    """

    out: Requirement | None = None
    into: Requirement | None = None
    costs: Costs | None = None
    price: Fraction | None = None

    def __str__(self) -> str:
        return f"{self.out}, {self.into}" if self.price is None else f"referring costs {float(self.price):g}"

    def rows(self, cells: Mapping[str, Array]) -> tuple[Array, Array]:
        """The rows of both thresholds in each replicate: the entries at which flagging ends and referring ends.

        `cells` are the four counts (replicates x rows), "flag nothing" first. As few cases as possible are referred if
        requirements determine the thresholds, or if several pairs cost the same.
        """
        if self.price is None:
            assert self.out is not None and self.into is not None
            safe, sure = (requirement.along(cells) for requirement in (self.out, self.into))
            return _fewest_between(safe, sure, cells["tp"] + cells["fp"])
        flagging, clearing = self._spent(cells)
        least = np.minimum.accumulate(flagging, axis=1)
        latest = _latest(flagging <= least + 1e-12 * abs(least))
        lower = (least + clearing).argmin(axis=1)
        return latest[np.arange(len(lower)), lower], lower

    def _spent(self, cells: Mapping[str, Array]) -> tuple[Array, Array]:
        """What flagging the first entries costs more than referring them, and what referring, then clearing costs."""
        assert self.costs is not None and self.price is not None
        price, alarm, miss = float(self.price), float(self.costs.of_alarm), float(self.costs.of_miss)
        up: Any = 1.0
        down: Any = 1.0
        positives, negatives = cells["tp"][:, -1:], cells["fp"][:, -1:]
        if self.costs.prevalence is not None:
            share = float(self.costs.prevalence)
            up, down = share / np.maximum(positives, 1e-300), (1 - share) / np.maximum(negatives, 1e-300)
        tp, fp = up * cells["tp"], down * cells["fp"]
        return (alarm - price) * fp - price * tp, (price - miss) * tp + price * fp + miss * up * positives


def referral_of(asked: Any, costs: Costs | None = None) -> Referral:
    """A referral rule from two requirements as text, or from the price of referring a case, which also requires costs.

    One requirement is for the cases that are not flagged (recall, NPV, or their complements, of flagged and referred
    cases together), the other for the flagged ones (precision, specificity, or their complements).

    >>> print(referral_of("precision >= 90 %, recall >= 0.95"))
    recall >= 0.95, precision >= 90%
    """
    if not isinstance(asked, str):
        return _by_price(asked, costs)
    requirements = [one for part in asked.split(",") for one in condition(part).require]
    sides: dict[str, Requirement] = {}
    for requirement in requirements:
        name = measures.get(requirement.name).name
        side = "out" if name in RULE_OUT else "into" if name in RULE_IN else ""
        better = (RULE_OUT | RULE_IN).get(name, 0)
        if not side or not requirement.sign.startswith(">" if better > 0 else "<") or side in sides:
            raise _unclear(asked, requirement, side in sides)
        _check_possible(requirement)
        sides[side] = requirement
    if len(sides) != 2:
        raise RocscopeError(f"refer={asked!r} must contain two requirements", hint=f'Write, for example, "{EXAMPLE}"')
    return Referral(sides["out"], sides["into"])


def _check_possible(requirement: Requirement) -> None:
    """Refuse a limit that no value of the measure can meet, such as a precision above 1."""
    measure = measures.get(requirement.name)
    end = measure.high if requirement.sign.startswith(">") else measure.low
    if not requirement.accepts(end):
        reach = "at most" if requirement.sign.startswith(">") else "at least"
        hint = f'Write, for example, "{EXAMPLE}"'
        raise RocscopeError(f"'{requirement}' can never hold: {measure.title} is {reach} {end:g}", hint=hint)


def _by_price(price_text: Any, costs: Costs | None) -> Referral:
    price = decimal(price_text, "refer")
    if price < 0:
        raise RocscopeError(f"refer must be 0 or more, not {price_text}")
    if costs is None:
        raise RocscopeError(
            f"refer={price_text} is the price of a referral, but the costs of errors are missing",
            hint=f'Give costs=Costs(fp=1, fn=5) as well, or two requirements such as "{EXAMPLE}"',
        )
    return Referral(costs=costs, price=price)


def _unclear(rule: str, requirement: Requirement, twice: bool) -> RocscopeError:
    if twice:
        why = "both requirements refer to the same cases"
    else:
        why = f"'{requirement}' does not state which cases need not be referred"
    kinds = (
        "use recall >= or npv >= for cases that are not flagged, and precision >= or specificity >= for flagged ones"
    )
    return RocscopeError(f"refer={rule!r}: {why}", hint=f'Write, for example, "{EXAMPLE}": {kinds}')


def _latest(flags: Array) -> Array:
    """The last flagged row up to each row of each replicate; -1 before the first."""
    return np.maximum.accumulate(np.where(flags, np.arange(flags.shape[1]), -1), axis=1)


def _fewest_between(safe: Array, sure: Array, cases: Array) -> tuple[Array, Array]:
    """The pair with the fewest cases between: of rows where not flagging the rest is safe and flagging is sure.

    Flagging nothing is always sure, and leaving nothing unflagged always safe: then all the others are referred.
    """
    safe, sure = safe.copy(), sure.copy()
    sure[:, 0] = safe[:, -1] = True
    latest, each = _latest(sure), np.arange(len(safe))
    between = np.where(safe, cases - cases[each[:, None], latest], np.inf)
    lower = between.argmin(axis=1)
    return latest[each, lower], lower


def zone_of(t: ScoreTable, referral: Referral) -> GreyZone:
    """The zone that a referral rule determines for a table.

    >>> t = ScoreTable.from_scores([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
    >>> found = zone_of(t, referral_of("recall >= 0.95, precision >= 0.9"))
    >>> found.flag, found.refer, found.referred.total
    (0.8, 0.6, 2)
    """
    if referral.price is not None:
        assert referral.costs is not None
        return grey_zone(t, referral.costs, refer=referral.price)
    assert referral.out is not None and referral.into is not None
    along = t.along()
    safe, sure = (
        np.asarray(requirement.holds(along), dtype=bool)[None] for requirement in (referral.out, referral.into)
    )
    upper, lower = (int(rows[0]) for rows in _fewest_between(safe, sure, (t.tp + t.fp)[None].astype(np.float64)))
    unmet = []
    if not sure[0, 1:].any():
        unmet.append(f"No threshold reaches {referral.into}, so no case is flagged.")
    if not safe[0, :-1].any():
        left = f"No threshold that leaves a case unflagged and unreferred reaches {referral.out}"
        unmet.append(f"{left}, so every case is flagged or referred.")
    return _described(t, upper, lower, math.nan, math.nan, unmet=" ".join(unmet))


@record(slots=True)
class Zone:
    """The cases that receive the same decision."""

    positives: Any
    negatives: Any

    @property
    def total(self) -> Any:
        """All cases of the zone."""
        return self.positives + self.negatives


@record(slots=True)
class GreyZone:
    """Two thresholds: scores from `flag` on are flagged, and those between `refer` and `flag` are referred.

    `cost` is per case, with every referred case decided correctly; `single_cost` is the cost of the best single
    threshold; both are NaN if requirements determine the thresholds. `unmet` states which requirement no threshold
    meets.
    """

    flag: float
    refer: float
    flagged: Zone
    referred: Zone
    cleared: Zone
    cost: float
    single_cost: float
    words: str
    unmet: str = ""


def grey_zone(t: ScoreTable, costs: Costs, *, refer: Any) -> GreyZone:
    """The two thresholds with the lowest expected cost when cases may be referred at the price `refer`.

    A referred case costs `refer` plus the cost of the right decision. All pairs of thresholds are considered, in one
    pass; among tied pairs, the one that refers the fewest cases is chosen. Chow 1970, IEEE Transactions on Information
    Theory 16:41.

    >>> t = ScoreTable.from_scores([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
    >>> found = grey_zone(t, Costs(fp=10, fn=10), refer=1)
    >>> found.flag, found.refer, found.cost, found.single_cost
    (0.8, 0.6, 0.3333333333333333, 1.6666666666666667)
    """
    price = decimal(refer, "refer")
    if price < 0:
        raise RocscopeError(f"refer must be 0 or more, not {refer}")
    flagging, clearing, size = _worth(t, costs, price)
    upper, lower = _cheapest_pair(flagging, clearing, t.tp + t.fp)
    right = _right(t, costs)
    cost, single = (
        _value(spent, size, right) for spent in (flagging[upper] + clearing[lower], (flagging + clearing).min())
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
    size = math.lcm(*(amount.denominator for amount in (hit, alarm, miss, quiet, start)))
    numbers = [int(amount * size) for amount in (hit, alarm, miss, quiet, start)]
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
        raise RocscopeError(f"a gray zone at a given prevalence has no optimum, because there are no {missing}")
    share = as_prevalence(costs.prevalence)
    return share / Fraction(t.positives), (1 - share) / Fraction(t.negatives)


def _cheapest_pair(flagging: Array, clearing: Array, cases: Array) -> tuple[int, int]:
    """The rows i <= j with the least flagging[i] + clearing[j]; of ties the pair with the fewest cases between."""
    least = np.minimum.accumulate(flagging)
    # among the rows so far that reach the running minimum, the last leaves the fewest cases in between
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


def _described(t: ScoreTable, upper: int, lower: int, cost: float, single: float, *, unmet: str = "") -> GreyZone:
    flagged, referred, cleared = (
        Zone(plain(t.tp[b] - t.tp[a]), plain(t.fp[b] - t.fp[a])) for a, b in pairwise((0, upper, lower, len(t)))
    )
    flag, refer = t.thresholds[upper].item(), t.thresholds[lower].item()
    words = _words(t, flag, refer, (flagged, referred, cleared), cost, single)
    return GreyZone(flag, refer, flagged, referred, cleared, cost, single, words, unmet)


def _words(t: ScoreTable, flag: float, refer: float, zones: tuple[Zone, ...], cost: float, single: float) -> str:
    numbers = [show_count(zone.total) for zone in zones]
    if flag == refer and math.isnan(cost):
        return f"No case has to be referred: one threshold, {flag:g}, meets both requirements."
    if flag == refer:
        return f"Referral does not pay: a single threshold, {flag:g}, also costs {cost:.4g} per case."
    sign, way = (">=", "down") if t.higher_is_positive else ("<=", "up")
    flagged = f"flag scores {sign} {flag:g} ({numbers[0]} cases)" if zones[0].total else "flag nothing"
    spent = "" if math.isnan(cost) else f": {cost:.4g} per case; a single threshold costs {single:.4g}"
    return (
        f"{flagged.capitalize()}, refer the next {way} to {refer:g} ({numbers[1]}), do not flag the rest "
        f"({numbers[2]}){spent}."
    )
